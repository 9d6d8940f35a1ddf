/* The command line: one table of options, read into `args`. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli.h"

typedef enum option_id {
  OPT_HELP,
  OPT_VERSION,
  OPT_JSON,
  OPT_LANG,
  OPT_GPU,
  OPT_CLUSTER,
  OPT_NODES,
  OPT_GPUS,
  OPT_GPUS_PER_NODE,
  OPT_ACTIVATIONS,
  OPT_PLAN,
  OPT_WORDS, /* from here on: a word of the plan text each */
} option_id;

/* Who knows an option: every command, those with a plan, `fit`; and whether a bare size can use it. */
enum { FOR_ALL = 1, FOR_PLANS = 2, FOR_FIT = 4, FOR_SIZES = 8 };

typedef struct option {
  const char *name;  /* without "--" */
  const char *value; /* what stands behind it, for help; NULL when nothing does */
  const char *word;  /* word of the plan text it stands for; "tp=" is followed by the value */
  uint32_t groups;   /* FOR_ALL and its siblings */
  uint32_t field;    /* of dtc_plan, when it is an enum: its values close the help; else 0 */
  const char *en;
  const char *zh;
} option;

extern const option options[];
extern const size_t option_count;

/* A word that an option gave to the plan text. */
typedef struct plan_word {
  size_t start;   /* byte offset in the text */
  size_t option;  /* index into options */
  char shown[96]; /* "--tp 7", for messages */
} plan_word;

enum { MAX_WORDS = 64, MAX_PLAN = 4096 };

typedef struct args {
  const char *command;          /* first word that is no option; NULL when there is none */
  const char *operand;          /* second one; NULL when there is none */
  const char *value[OPT_WORDS]; /* NULL when not given; "" for an option without a value */
  char plan[MAX_PLAN];          /* plan words of the options, in the order given */
  size_t plan_len;
  plan_word words[MAX_WORDS];
  size_t word_count;
} args;

/* Reads the command line. 0, or EXIT_BAD_INPUT with the reason printed. */
int args_read(const cli *c, int argc, char **argv, args *out);

/* Options given that belong to none of the groups, "--tp, --seq"; "" when there are none. */
void args_others(const cli *c, const args *a, uint32_t groups, char *out, size_t cap);

/* --lang and --json, which decide how an error in the rest is told. */
void args_scan(int argc, char **argv, cli *c);

#endif
