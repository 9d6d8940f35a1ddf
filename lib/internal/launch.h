/* Launch texts. Configurations are tables, lib/catalog/launch_<tool>.c: a row for each thing that may be said, with the
 * conditions under which it is, and limits, which refuse what cannot be said. A field of a plan that no row and no limit
 * mentions is refused unless it has the value that it would have by itself. */
#ifndef DTCI_LAUNCH_H
#define DTCI_LAUNCH_H

#include "internal/rules.h"
#include <dtcore/launch.h>

typedef enum dtci_launch_kind {
  DTCI_LAUNCH_NUMBER,  /* product(left) / product(right); refused when there is a rest */
  DTCI_LAUNCH_CEIL,    /* the same, rounded up */
  DTCI_LAUNCH_MOST,    /* the larger of left[0] and left[1] */
  DTCI_LAUNCH_PERCENT, /* the same over 100, as a decimal */
  DTCI_LAUNCH_WORD,    /* `word`, as text */
  DTCI_LAUNCH_BARE,    /* `word`, without quotes: true, -1, None */
  DTCI_LAUNCH_FLAG,    /* no value */
  DTCI_LAUNCH_MORE,    /* one more word for the flag before */
  DTCI_LAUNCH_LAYERS,  /* Megatron's pattern of MoE layers */
  DTCI_LAUNCH_NODES,   /* nodes */
  DTCI_LAUNCH_WORLD,   /* ranks */
  DTCI_LAUNCH_PORT,    /* of the rendezvous */
  DTCI_LAUNCH_HOST,    /* the first host */
} dtci_launch_kind;

enum { DTCI_LAUNCH_WHENS = 5 };

/* dtci_launch_row.split: plans for which the row is. */
enum {
  DTCI_LAUNCH_ANY,
  DTCI_LAUNCH_SPLIT,  /* with another parallelism than data parallelism */
  DTCI_LAUNCH_ALONE,  /* without */
  DTCI_LAUNCH_NO_DDP, /* with another parallelism, or sharded */
};

typedef struct dtci_launch_row {
  char name[64];  /* "zero_optimization.stage", "--bf16" */
  char word[40];  /* of WORD, BARE and MORE */
  uint16_t kind;  /* DTCI_LAUNCH_* */
  uint16_t key;   /* of a row without a name: the key of the Megatron dialect that has it */
  uint32_t since; /* versions of the framework [since, until); 0: no end */
  uint32_t until;
  uint32_t left[DTCI_OPERANDS];
  uint32_t right[DTCI_OPERANDS];
  uint32_t unlike[3]; /* the row is for plans where unlike[0] * unlike[1] is not unlike[2]; all 0: for all */
  uint32_t split;     /* DTCI_LAUNCH_ANY .. */
  dtci_when when[DTCI_LAUNCH_WHENS];
} dtci_launch_row;

/* The field's value lies in [min, max], or its bit is set in mask, when the conditions hold. */
typedef struct dtci_launch_limit {
  uint32_t field; /* operand */
  uint32_t since;
  uint32_t until;
  uint32_t split; /* DTCI_LAUNCH_ANY .. */
  uint64_t mask;  /* 0: min and max */
  uint64_t min;
  uint64_t max;
  uint32_t equals[2]; /* the field is their product, instead */
  dtci_when when[2];
} dtci_launch_limit;

typedef enum dtci_launch_style {
  DTCI_STYLE_SHELL,  /* --name value, in an array */
  DTCI_STYLE_JSON,   /* nested objects */
  DTCI_STYLE_YAML,   /* nested mappings */
  DTCI_STYLE_TOML,   /* sections */
  DTCI_STYLE_PYTHON, /* config.section.name = value */
  DTCI_STYLE_CALL,   /* name=value, between commas */
} dtci_launch_style;

typedef struct dtci_launch_form {
  const dtci_launch_row *rows;
  const dtci_launch_limit *limits;
  const uint32_t *others; /* operands of fields that are said in another way, or need not be */
  uint32_t rows_count;
  uint32_t limits_count;
  uint32_t others_count;
  uint32_t style;  /* DTCI_STYLE_* */
  uint32_t whole;  /* 1: it makes the model too, so that every field counts; 0: those of the split */
  uint32_t least;  /* oldest version of the framework that it is for, 0 all */
  uint32_t newest; /* and the newest; 0 all */
  uint32_t reserved;
} dtci_launch_form;

/* Each catalogue file defines one. */
void dtci_launch_megatron(dtci_launch_form *f);
void dtci_launch_deepspeed(dtci_launch_form *f);
void dtci_launch_accelerate(dtci_launch_form *f);
void dtci_launch_trainer(dtci_launch_form *f);
void dtci_launch_titan_toml(dtci_launch_form *f);
void dtci_launch_titan_python(dtci_launch_form *f);
void dtci_launch_colossalai(dtci_launch_form *f);
void dtci_launch_environment(dtci_launch_form *f);

/* A target: its file, the frameworks that have it, and how it is written. */
typedef struct dtci_launch_target_row {
  char file[28];       /* where it is kept */
  uint32_t frameworks; /* mask of 1 << dtc_framework */
  uint32_t argued;     /* 1: what stands behind a script says it, or names its file */
} dtci_launch_target_row;

/* By dtc_launch_target; row 0 is empty. */
extern const dtci_launch_target_row dtci_launch_target_rows[];

/* What a framework's plans are launched with. */
typedef struct dtci_launch_usual {
  char script[28];   /* where the caller names none */
  uint32_t module;   /* 1: that is a module of Python */
  uint32_t launcher; /* dtc_launch_target */
  uint32_t config;   /* dtc_launch_target that says the plan; DTC_LAUNCH_TARGET_DEFAULT: the script does */
  uint32_t since;    /* version of the framework from which it does; 0: all */
  uint32_t earlier;  /* what did before */
} dtci_launch_usual;

/* By dtc_framework. */
extern const dtci_launch_usual dtci_launch_usuals[];
/* Fields of a plan that split it, 0 ends: what a script cannot choose by itself. */
extern const uint32_t dtci_launch_split[];
/* Fields that only estimates read. */
extern const uint32_t dtci_launch_assumed[];

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct dtci_launch_work {
  dtci_text *t;
  dtci_case c;
  dtc_launch launch;
  const char *script;
  const char *hosts;
  size_t script_len;
  size_t hosts_len;
  uint64_t world;
  uint64_t nodes;
  uint64_t gpus; /* of a node */
  uint64_t port;
  dtc_error *e;
} dtci_launch_work;

/* lib/launch_put.c */
void dtci_put_word(dtci_text *t, const char *s, size_t n); /* as one word of a shell */
/* The next host, or line of the script, from *pos on, and the i-th host; 0 when there is none. */
int dtci_launch_next_host(const dtci_launch_work *w, size_t *pos, const char **s, size_t *n);
int dtci_launch_next_line(const dtci_launch_work *w, size_t *pos, const char **s, size_t *n);
int dtci_launch_host(const dtci_launch_work *w, uint64_t index, const char **s, size_t *n);
/* Comments that say what follows from the plan. */
void dtci_launch_head(dtci_launch_work *w);

/* lib/launch_form.c */
/* The target that says a plan of this framework and version. */
dtc_launch_target dtci_launch_config_of(const dtc_plan *p);
int dtci_launch_form_of(dtc_launch_target target, dtci_launch_form *f);
dtc_status dtci_launch_allowed(const dtci_launch_work *w, const dtci_launch_form *f);
/* The rows that hold. `before` and `behind` each: of styles SHELL and CALL. */
void dtci_launch_put_form(dtci_launch_work *w, const dtci_launch_form *f, const char *before, const char *behind);

/* lib/launch_command.c, lib/launch_slurm.c, lib/launch_file.c */
dtc_status dtci_launch_command(dtci_launch_work *w);
dtc_status dtci_launch_slurm(dtci_launch_work *w);
dtc_status dtci_launch_file_text(dtci_launch_work *w);
void dtci_launch_note(dtci_launch_work *w);
void dtci_launch_allocation(dtci_launch_work *w);
dtc_status dtci_launch_check_arguments(const dtci_launch_work *w);
/* What starts a process of the script, and what stands behind: "    train.py \\\n        --a b". */
void dtci_launch_put_script(dtci_launch_work *w, const char *before);
void dtci_launch_put_exports(dtci_launch_work *w);

#endif
