/* Settings: the keys of a configuration, their values, and what a tool does with them, as data.
 *
 * A dialect is a file lib/catalog/lint_<tool>.c with four tables and one function, without code of its own:
 *
 *   keys   one row for each name that the tool knows. The first rows are no names of the text: world, nodes, compute
 *          (DTCI_LINT_KEYS), then what steps work out (DTCI_KEY_WORKED). Keys that steps or rules mention have an enumerator and
 *          stand at its index, `[STAGE] = {"zero_optimization.stage", ...}`; the others follow in any order.
 *          Each row names its kind, `.kind = DTCI_KEY_..`, and no member twice (the compilers' warnings are errors).
 *   words  the words that keys of kind DTCI_KEY_WORD and DTCI_KEY_WORDS take, in sets.
 *   steps  in order: values that follow from others, before the rules are looked at. They set keys that the text leaves open.
 *   rules  as in lib/catalog/rules.c, over keys: `.left = {K(MICRO), K(ACCUMULATION), K(DP)}, .right = {K(TRAIN)}`.
 *
 * with `#define K(key) DTCI_KEY(DTC_DIALECT_X, key)` as an operand that reads the value, and GIVEN(K(key)) as one that
 * reads its state (dtci_state). A rule or step does not apply when an operand that it reads has no value (None), or one that
 * is not known (a shell variable, "auto"). So every rule says what it says without further conditions.
 *
 * Integers are int64 in the bits of a uint64, numbers the bits of a double (those of numbers from 0 on compare like
 * integers), switches 0 and 1, words the value of their row, lists what `list` says. Conditions compare them as int64. */
#ifndef DTCI_SETTINGS_H
#define DTCI_SETTINGS_H

#include "internal/rules.h"
#include <dtcore/framework.h>

/* ---- operands -------------------------------------------------------------------------------- */

enum { DTCI_NO_KEY = DTCI_KEYS_MAX };

/* Field id of a key: dialect and index. */
#define DTCI_KEY_FIELD(dialect, key) ((uint32_t)DTC_STRUCT_setting << 16 | (uint32_t)(dialect) << DTCI_KEY_BITS | (key))
/* A key as an operand: its value. With DTCI_GIVEN: its state. */
#define DTCI_KEY(dialect, key) (DTCI_KEY_FIELD(dialect, key) | DTCI_WIDE)

/* Where a value comes from. */
typedef enum dtci_state {
  DTCI_STATE_NONE,    /* nowhere: the tool's default is None, or the text says null */
  DTCI_STATE_DEFAULT, /* the tool's default, or a step with defaults alone */
  DTCI_STATE_WORKED,  /* a step with values that were given */
  DTCI_STATE_GIVEN,   /* the text, or the caller */
  DTCI_STATE_AUTO,    /* "auto": someone else will put a value there */
  DTCI_STATE_UNKNOWN, /* the text gives one that is not known: a shell variable; or follows from such a one */
} dtci_state;

/* Conditions over states, for `when` and `need`; g is GIVEN(K(key)). `dtci_when.bit`: 1 + bit of a DTCI_KEY_WORDS value. */
#define DTCI_WHEN_GIVEN(key)                                                                                           \
  {                                                                                                                    \
    (key) | DTCI_GIVEN, 0, DTCI_STATE_GIVEN, DTCI_STATE_UNKNOWN                                                        \
  }
#define DTCI_WHEN_NOT_GIVEN(key)                                                                                       \
  {                                                                                                                    \
    (key) | DTCI_GIVEN, 0, DTCI_STATE_NONE, DTCI_STATE_WORKED                                                          \
  }
/* Has it a value at all, by default or given? */
#define DTCI_WHEN_SET(key)                                                                                             \
  {                                                                                                                    \
    (key) | DTCI_GIVEN, 0, DTCI_STATE_DEFAULT, DTCI_STATE_UNKNOWN                                                      \
  }
#define DTCI_WHEN_UNSET(key)                                                                                           \
  {                                                                                                                    \
    (key) | DTCI_GIVEN, 0, DTCI_STATE_NONE, DTCI_STATE_NONE                                                            \
  }
#define DTCI_WHEN_AUTO(key)                                                                                            \
  {                                                                                                                    \
    (key) | DTCI_GIVEN, 0, DTCI_STATE_AUTO, DTCI_STATE_AUTO                                                            \
  }
#define DTCI_WHEN_IS(key, n)                                                                                           \
  {                                                                                                                    \
    key, 0, n, n                                                                                                       \
  }
#define DTCI_WHEN_BETWEEN(key, low, high)                                                                              \
  {                                                                                                                    \
    key, 0, low, high                                                                                                  \
  }
#define DTCI_WHEN_AT_LEAST(key, n)                                                                                     \
  {                                                                                                                    \
    key, 0, n, INT64_MAX                                                                                               \
  }
/* Does a value of kind DTCI_KEY_WORDS hold the word with this value? */
#define DTCI_WHEN_HAS(key, word)                                                                                       \
  {                                                                                                                    \
    key, 1 + (word), 1, 1                                                                                              \
  }
#define DTCI_WHEN_HAS_NOT(key, word)                                                                                   \
  {                                                                                                                    \
    key, 1 + (word), 0, 0                                                                                              \
  }
/* Bits of the largest double below 1, for conditions on numbers. */
#define DTCI_BITS_BELOW_ONE UINT64_C(0x3FEFFFFFFFFFFFFF)

/* ---- keys ------------------------------------------------------------------------------------ */

typedef enum dtci_key_kind {
  DTCI_KEY_WORKED,  /* stands in no text: set by the caller or by steps */
  DTCI_KEY_INTEGER, /* in [min.i, max.i]; both 0: any. Words of set `words`, if it has one, stand for a number: AUTO */
  DTCI_KEY_NUMBER,  /* in [min.d, max.d]; both 0: any */
  DTCI_KEY_SWITCH,  /* true or false, on a command line with a value: 1 or 0 */
  DTCI_KEY_FLAG,    /* no value: puts `puts` into `to` (itself when `to` is 0) */
  DTCI_KEY_WORD,    /* one of the words of set `words` */
  DTCI_KEY_TEXT,    /* anything; its value is its length, or what `list` (DTCI_TEXT_*) makes of it */
  DTCI_KEY_LIST,    /* several integers in [min.i, max.i], in text between ',' or ':'; the value is what `list` says */
  DTCI_KEY_WORDS, /* several words of set `words`, in text between blanks: a mask of bits, one for the value of each */
  DTCI_KEY_BLOCK, /* JSON: keys "name.child"; `unknown` for children that no row names. The value is 1 (LAX takes true: 2, and false: 0). */
  DTCI_KEY_ANY,   /* what it holds is not looked into: a list, an object, a function's arguments */
  DTCI_KEY_ALIAS, /* another name of `to`, whose row says what it takes */
  DTCI_KEY_GONE,  /* refused: LINT_GONE, error; `to` is what replaces it, 0 nothing */
  DTCI_KEY_IGNORED, /* taken, as any value is, and without effect: LINT_IGNORED, warning; `to` as for GONE */
} dtci_key_kind;

typedef enum dtci_list_value { DTCI_LIST_COUNT, DTCI_LIST_PRODUCT, DTCI_LIST_SUM, DTCI_LIST_MOST } dtci_list_value;

/* What the value of a TEXT is (lib/framework_text.c): bits that conditions look at, or a number. */
typedef enum dtci_text_value {
  DTCI_TEXT_LENGTH,
  DTCI_TEXT_HCA,    /* NCCL_IB_HCA: bits of internal/hca.h */
  DTCI_TEXT_IFNAME, /* NCCL_SOCKET_IFNAME: the same */
  DTCI_TEXT_ALGO,   /* NCCL_ALGO: DTCI_CHOICE_* */
  DTCI_TEXT_PROTO,  /* NCCL_PROTO: DTCI_CHOICE_* */
  DTCI_TEXT_HOST,   /* an address: 1 of the node itself, 0 another */
  /* Numbers, not known when the text is none. */
  DTCI_TEXT_NODES, /* Slurm's 4, or 4-8, whose number is not known */
  DTCI_TEXT_GPUS,  /* Slurm's 8 or h100:8 */
  DTCI_TEXT_GRES,  /* Slurm's gpu:8,nvme:1: how many are gpu */
} dtci_text_value;
enum { DTCI_CHOICE_RING, DTCI_CHOICE_UNKNOWN, DTCI_CHOICE_NOT, DTCI_CHOICE_FUNCTION };

/* What happens to a name that no row has. */
typedef enum dtci_unknown {
  DTCI_UNKNOWN_ERROR,   /* the tool stops */
  DTCI_UNKNOWN_WARNING, /* the tool goes on without it, silently */
  DTCI_UNKNOWN_FREE,    /* names are the user's */
} dtci_unknown;

/* dtci_key.flags */
enum {
  DTCI_AUTO = 1,         /* takes the word "auto": state AUTO */
  DTCI_AUTO_DROP = 2,    /* takes it, and uses the default */
  DTCI_NULL = 4,         /* JSON: takes null: state NONE */
  DTCI_LAX = 8,          /* JSON: as pydantic, numbers and switches may stand in quotes, switches may be 0 and 1 */
  DTCI_HAS = 16,         /* has the default `fill`; else NONE */
  DTCI_FILLS = 32,       /* sets its field by default too */
  DTCI_NO_CASE = 64,     /* case of words does not matter */
  DTCI_WARN = 128,       /* a value of another type, range or set is a warning: the tool takes it as it is */
  DTCI_ONLY_GIVEN = 256, /* sets its field only when the text gives it, not when a step works it out */
  DTCI_OTHERS = 512,     /* of kind WORD: takes other words too, whose value is DTCI_OTHER_WORD */
  DTCI_C_NUMBER = 1024,  /* integers as strtoll() reads them with base 0: 0x10, 010; an empty one is as good as none */
  DTCI_BEHIND = 2048,    /* a flag that counts behind the launcher's own: of the program it starts */
};

/* Words that a flag takes on a command line (argparse's nargs); 0 is for kind FLAG, or one word for the other kinds. */
enum {
  DTCI_ARGS_INSIDE = 250, /* none, or one behind = only (getopt's optional_argument) */
  DTCI_ARGS_SOME = 251,
  DTCI_ARGS_ANY = 252,
  DTCI_ARGS_OPTIONAL = 253
};

enum { DTCI_OTHER_WORD = 255 };

typedef union dtci_number {
  int64_t i;
  double d;
} dtci_number;

typedef struct dtci_key {
  char name[72];   /* "zero_optimization.stage", "--tensor-model-parallel-size", "NCCL_IB_HCA" */
  uint16_t flags;  /* DTCI_AUTO .. */
  uint8_t kind;    /* DTCI_KEY_* */
  uint8_t args;    /* DTCI_ARGS_*, or how many */
  uint8_t words;   /* set of words */
  uint8_t list;    /* DTCI_LIST_* */
  uint8_t unknown; /* DTCI_UNKNOWN_*, of a block */
  uint8_t reserved;
  uint16_t to;    /* index of the key it stands for, or turns on or off */
  int32_t puts;   /* of a FLAG: the value it puts there; a FLAG without `to` and with 0 puts 1 */
  uint32_t field; /* DTC_FIELD(plan, ..) or DTC_FIELD(model, ..) that it sets; 0 none */
  uint8_t map[8]; /* the field's value for the values 0 .. 7 of the key, 0 = leaves it alone; all 0: the value itself */
  uint32_t since; /* versions of the tool that have the row: [since, until); 0: no end */
  uint32_t until;
  dtci_number fill; /* default, with DTCI_HAS */
  dtci_number min;
  dtci_number max;
} dtci_key;

/* A word of a set. Several rows of one value are spellings of it, the first is the one that is told. */
typedef struct dtci_word {
  uint8_t set; /* from 1 */
  uint8_t value;
  uint8_t gone; /* 1: refused, though older versions took it */
  char word[29];
} dtci_word;

/* The keys every dialect begins with, from dtc_lint; a text may give others (steps). */
enum { DTCI_KEY_WORLD, DTCI_KEY_NODES, DTCI_KEY_COMPUTE, DTCI_KEY_FIRST };
#define DTCI_LINT_KEYS                                                                                                 \
  [DTCI_KEY_WORLD] = {"world", .kind = DTCI_KEY_WORKED}, [DTCI_KEY_NODES] = {"nodes", .kind = DTCI_KEY_WORKED},        \
  [DTCI_KEY_COMPUTE] = {"compute", .kind = DTCI_KEY_WORKED}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef enum dtci_step_op {
  DTCI_STEP_PRODUCT, /* left[0] * .. * right[0] * .. * (constant, or 1 when it is 0) */
  DTCI_STEP_QUOTIENT, /* product(left) / (product(right) * (constant, or 1)), rounded down; without value when that is 0 */
  DTCI_STEP_EXACT,    /* the same, without value when there is a rest */
  DTCI_STEP_SUM,      /* sum(left) - sum(right) + constant; without value below 0 */
  DTCI_STEP_ROOT,     /* largest q with q^constant <= product(left) / product(right) */
  DTCI_STEP_MOST,     /* largest of left, and of constant */
  DTCI_STEP_LEAST,    /* smallest of left */
  DTCI_STEP_PUT,      /* constant */
  DTCI_STEP_CLEAR,    /* no value */
} dtci_step_op;

typedef struct dtci_step {
  uint32_t key; /* operand: what it sets, when the text has not; with `force` always */
  uint32_t op;
  uint32_t left[4]; /* operands, 0 ends. One without a value (NONE): the step does nothing */
  uint32_t right[4];
  int64_t constant;
  dtci_when when[3];
  uint32_t since; /* versions [since, until); 0: no end */
  uint32_t until;
  uint32_t force;
  uint32_t reserved;
} dtci_step;

/* ---- rules ----------------------------------------------------------------------------------- */

/* A rule of settings. Several rows may have one number, for several keys, when they stand together and have the same hook and
 * texts. `row.fix` is the key to change: what is reported, and whose place in the text is told. Of EXCLUDES the
 * first condition is on `fix`, the second on what it does not go with. DTCI_WHEN: broken when all conditions hold; the text
 * is the whole message with {field} {value} {other} {other_value}, the other being that of the second condition. */
typedef struct dtci_setting_rule {
  uint32_t since; /* versions [since, until); 0: no end */
  uint32_t until;
  dtci_when more[3]; /* conditions besides row.when */
  dtci_rule_row row;
} dtci_setting_rule;

/* ---- dialects -------------------------------------------------------------------------------- */

typedef enum dtci_form {
  DTCI_FORM_JSON,        /* nested objects; keys are dotted */
  DTCI_FORM_SCRIPT,      /* shell text; flags behind the first word that ends in .py, or all when there is none */
  DTCI_FORM_LAUNCHER,    /* shell text; flags between one of `programs` and the first other word, or all */
  DTCI_FORM_ENVIRONMENT, /* shell text: assignments only */
  DTCI_FORM_LINES,       /* a hostfile */
} dtci_form;

/* A key may come again: of another step, of another line. */
enum { DTCI_TWICE_FINE = 2 };

/* A phrase that breaks a rule wherever it stands, outside lines of comments. */
typedef struct dtci_phrase {
  dtc_rule rule;
  char text[28];
} dtci_phrase;

typedef struct dtci_dialect {
  dtc_dialect number;
  uint32_t form;        /* DTCI_FORM_* */
  uint32_t framework;   /* dtc_plan.framework; 0 = leaves it alone */
  uint32_t newest;      /* version that 0 stands for */
  uint32_t unknown;     /* DTCI_UNKNOWN_* for names outside every block, and for flags */
  uint32_t twice;       /* dtc_severity of a key that comes twice, or DTCI_TWICE_FINE */
  uint32_t dashes;      /* 1: '_' in flags is as good as '-' */
  uint32_t shortened;   /* 1: flags may be shortened to what is unique (argparse without allow_abbrev=False) */
  char programs[4][28]; /* of DTCI_FORM_LAUNCHER: "torchrun", "srun" */
  char directive[12];   /* "#SBATCH": comments that begin so hold flags */
  char prefix[12];      /* "NCCL_": an assignment to such a name that no row has is an unknown key (warning) */
  uint32_t behind;      /* of DTCI_FORM_LAUNCHER: key of kind WORD for the program that it starts; 0 none */
  uint32_t alone;       /* the same for one that no launcher starts */
  dtc_rule late;        /* of directives: one behind the first command */
  dtc_rule apart;       /* one with a blank behind its # */
  dtc_rule variable;    /* one with a $ */
  const dtci_phrase *phrases;
  const dtci_key *keys;
  const dtci_word *words;
  const dtci_step *steps;
  const dtci_setting_rule *rules;
  uint32_t phrases_count;
  uint32_t keys_count;
  uint32_t words_count;
  uint32_t steps_count;
  uint32_t rules_count;
  uint32_t keeps; /* key of kind TEXT whose value dtci_megatron_look() needs; 0 none */
} dtci_dialect;

/* Each dialect's file defines one, and lib/framework.c calls it. */
void dtci_lint_deepspeed(dtci_dialect *d);
void dtci_lint_megatron(dtci_dialect *d);
void dtci_lint_hosts(dtci_dialect *d);
void dtci_lint_slurm(dtci_dialect *d);
void dtci_lint_nccl(dtci_dialect *d);
void dtci_lint_torchtitan(dtci_dialect *d);
void dtci_lint_colossalai(dtci_dialect *d);
void dtci_lint_accelerate(dtci_dialect *d);
void dtci_lint_trainer(dtci_dialect *d);
void dtci_lint_torchrun(dtci_dialect *d);

/* Tables of a dialect; 0 when there is none yet. */
int dtci_dialect_of(dtc_dialect number, dtci_dialect *d);

/* ---- keys in messages ------------------------------------------------------------------------ */

const char *dtci_setting_name(uint32_t field);
/* Name of a value: of a word, a switch, a flag; "?" when it has none. */
const char *dtci_setting_value_name(uint32_t field, uint64_t value);
/* Has its kind a value that can be told? */
int dtci_setting_tells(uint32_t field);
void dtci_setting_put(dtci_text *t, uint32_t field, uint64_t value);
/* What the key takes: "an integer, 0 to 3", "one of none, cpu, nvme". */
void dtci_setting_put_takes(dtci_text *t, uint32_t field, int zh);

/* Findings that every dialect has, as messages (lib/catalog/lint_rules.c). */
extern const dtci_rule_row dtci_lint_rules[];
extern const uint32_t dtci_lint_rules_count;

/* Keys of a hostfile that its reader sets, and words of scratch for its hosts: those beyond half of them are not found again. */
enum {
  DTCI_HOSTS_SLOTS = DTCI_KEY_FIRST, /* of all hosts */
  DTCI_HOSTS_COUNT,                  /* hosts */
  DTCI_HOSTS_INCLUDE,
  DTCI_HOSTS_EXCLUDE,
  DTCI_HOSTS_FIRST,
  DTCI_HOSTS_WORDS = 8192
};

/* Shell variables that are remembered, and words of scratch for each (lib/framework_shell.c). */
enum { DTCI_VARIABLES = 256, DTCI_VARIABLE_WORDS = 8 };

/* ---- a text being read ----------------------------------------------------------------------- */

typedef struct dtci_settings {
  dtci_dialect dialect;
  uint32_t version;
  uint32_t asked;        /* version as the caller gave it */
  uint32_t nearest_left; /* names that are still searched for a similar one */
  const char *text;
  size_t len;
  uint64_t *value; /* by key, all in the caller's scratch */
  uint64_t *state;
  uint64_t *at;         /* byte offset; DTC_NONE when the text does not have it */
  uint64_t *said_value; /* before the steps */
  uint64_t *said_state;
  uint64_t *tried_value;
  uint64_t *tried_state;
  uint64_t *slot; /* hash of names -> 1 + key */
  uint64_t slots; /* a power of two */
  uint64_t *variables;
  char kept[256]; /* value of the dialect's key `keeps` */
  size_t kept_n;  /* 0: there is none, or it is longer */
  dtc_error *out; /* findings */
  size_t cap;
  size_t count;
} dtci_settings;

/* ---- lib/framework_settings.c ---------------------------------------------------------------- */

/* Is the version in [since, until)? */
int dtci_setting_has(uint32_t since, uint32_t until, uint32_t version);
/* Defaults, and the names of this version. Everything else in *s is set. */
void dtci_settings_open(dtci_settings *s);
/* Index of the key of this name, for this version; DTCI_NO_KEY. */
uint32_t dtci_key_named(const dtci_settings *s, const char *name, size_t n);

void dtci_lint_found(dtci_settings *s, const dtc_error *e);
/* A finding of the rules from LINT_TYPE on that needs no more than a key, or DTCI_NO_KEY, and its place. */
void dtci_lint_simple(dtci_settings *s, dtc_rule rule, uint32_t key, size_t at);
/* A finding of a dialect's rule that a reader tells (DTCI_TEXT), to be filled further and given to dtci_lint_found(). */
dtc_error dtci_lint_told(const dtci_settings *s, dtc_rule rule, uint32_t key, size_t at);
/* A name that no row has, in a block or DTCI_NO_KEY; `unknown` is DTCI_UNKNOWN_*. */
void dtci_lint_unknown(dtci_settings *s, uint32_t unknown, uint32_t block, const char *name, size_t n, size_t at);

/* Gives a key a value as it stands in a text: kinds, ranges, words, GONE and so on are seen to. Lists take one call for each
 * word, `more` from the second on. */
void dtci_key_word(dtci_settings *s, uint32_t key, const char *word, size_t n, size_t at, int more);
/* A flag without value. */
void dtci_key_flag(dtci_settings *s, uint32_t key, size_t at);
/* JSON's null. */
void dtci_key_null(dtci_settings *s, uint32_t key, size_t at);
/* A block, list or object, whose value is then `value`. */
void dtci_key_put(dtci_settings *s, uint32_t key, uint64_t value, size_t at);
/* The text gives it, but its value is not known. */
void dtci_key_unknown(dtci_settings *s, uint32_t key, size_t at);

/* ---- the readers: E_PARSE when it is no text of theirs --------------------------------------- */

dtc_status dtci_read_json(dtci_settings *s, dtc_error *e);        /* lib/framework_json.c */
dtc_status dtci_read_script(dtci_settings *s, dtc_error *e);      /* lib/framework_script.c */
dtc_status dtci_read_environment(dtci_settings *s, dtc_error *e); /* lib/framework_env.c */
dtc_status dtci_read_hosts(dtci_settings *s, dtc_error *e);       /* lib/framework_hosts.c */

/* ---- lib/framework_text.c -------------------------------------------------------------------- */

/* The value of a TEXT; DTC_NONE when it is not known. */
uint64_t dtci_value_of_text(uint32_t list, const char *word, size_t n);
/* An integer as strtoll() reads it with base 0, when it reads the word to its end. */
int dtci_get_c_number(const char *word, size_t n, int64_t *v);
/* Findings of the dialect's phrases, each at its first place. */
void dtci_find_phrases(dtci_settings *s);

/* ---- lib/framework_megatron.c ----------------------------------------------------------------- */

void dtci_megatron_look(dtci_settings *s);

/* ---- lib/framework_checks.c ------------------------------------------------------------------ */

/* Values that follow from others. */
void dtci_settings_work(dtci_settings *s);
/* Findings of the dialect's rules. */
void dtci_settings_check(dtci_settings *s);
/* The fields that keys set. */
void dtci_settings_fill(const dtci_settings *s, dtc_model *model, dtc_plan *plan);

#endif
