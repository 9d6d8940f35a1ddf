/* Rules as data: a rule is a row of lib/catalog/rules.c. The hooks are few; none knows a framework. */
#ifndef DTCI_RULES_H
#define DTCI_RULES_H

#include "internal/internal.h"
#include <dtcore/plan.h>

typedef enum dtci_hook {
  DTCI_TEXT,    /* no check: the row only holds the message of an error that some function gives */
  DTCI_DIVIDES, /* product(left) divides product(right) */
  DTCI_EITHER,  /* product(left) divides product(right) or the other way round */
  DTCI_AT_MOST, /* product(left) <= product(right) */
  DTCI_EQUALS,  /* product(left) = product(right) */
  DTCI_NEEDS,   /* the condition `need` holds */
  DTCI_ONE_OF,  /* the field of `need` has one of the values whose bits are set in need.min */
  DTCI_EXCLUDES, /* the two conditions `when` do not hold together; without a second, not with this framework (version) */
  DTCI_WHEN,     /* the conditions `when` do not hold; the row holds the whole message, as for DTCI_TEXT */
} dtci_hook;

enum { DTCI_OPERANDS = 5 };

/* A field as an operand: its id, and in the top bit whether it is 8 bytes wide, so that reading it needs no table. */
#define DTCI_WIDE 0x80000000u
#define DTCI_GIVEN 0x40000000u /* of the plan as the caller gave it, before its defaults were filled */
#define DTCI_FIELD(operand) ((operand)&0xffffffu)
#define DTCI_OPERAND(noun, member) (DTC_FIELD(noun, member) | (sizeof(((dtc_##noun *)0)->member) == 8 ? DTCI_WIDE : 0u))
/* A number that no field holds, as an operand: dtci_derived, beside the field that an error names for it. */
#define DTCI_DERIVED(operand) ((operand) >> 24 & 0x1fu)
#define DTCI_DERIVED_OPERAND(which, noun, member) (DTC_FIELD(noun, member) | (uint32_t)(which) << 24)

/* Numbers that follow from a resolved plan. */
typedef enum dtci_derived {
  DTCI_NOT_DERIVED,
  DTCI_SPLIT_LAYERS,  /* layers, and what counts as one when they are split */
  DTCI_ENDS,          /* first_layers + last_layers */
  DTCI_MIDDLE_LAYERS, /* what these leave; 0 when they are more than there are */
  DTCI_MIDDLE_RANKS,  /* pipeline ranks whose layers are not given */
  DTCI_LAST_GROUP,    /* micro-batches in the last group of the interleaved schedule */
  DTCI_ROUNDS,        /* of PyTorch's interleaved schedule: as many as hold pp micro-batches or more */
} dtci_derived;

typedef struct dtci_derived_row {
  char en[48];
  char zh[48];
  uint32_t reads[5]; /* fields of a plan that it follows from, 0 ends */
} dtci_derived_row;

/* By dtci_derived; row 0 is empty. */
extern const dtci_derived_row dtci_derived_rows[];

/* What a plan has, as bits: rules that need something else are passed over. */
enum {
  DTCI_PYTORCH = 1 << 0,
  DTCI_DEEPSPEED = 1 << 1,
  DTCI_MEGATRON = 1 << 2,
  DTCI_COLOSSALAI = 1 << 3,
  DTCI_TORCHTITAN = 1 << 4,
  DTCI_SCALING = 1 << 5,
  DTCI_FRAMEWORKS = (1 << 6) - 1,
  DTCI_TP = 1 << 6, /* a degree above 1 */
  DTCI_CP = 1 << 7,
  DTCI_PP = 1 << 8,
  DTCI_VPP = 1 << 9,
  DTCI_EP = 1 << 10,
  DTCI_EXPERTS = 1 << 11,     /* a model with experts */
  DTCI_GPUS = 1 << 12,        /* a cluster with a number of nodes */
  DTCI_DP_GIVEN = 1 << 13,    /* by the caller */
  DTCI_SP = 1 << 14,          /* sequence parallel */
  DTCI_UNEVEN = 1 << 15,      /* first_layers or last_layers */
  DTCI_INTERLEAVED = 1 << 16, /* interleaved or vpp, with vpp > 1 */
  DTCI_V = 1 << 17,           /* a schedule in a V, or dualpipe */
  DTCI_OVERLAP = 1 << 18,     /* moe_overlap */
  DTCI_ACCOUNT = 1 << 19,     /* account_embedding or account_loss */
  DTCI_IN_ROUNDS = 1 << 20,   /* a schedule that PyTorch runs in rounds */
  DTCI_CHUNKS = 1 << 21,      /* a schedule that runs several chunks of a rank */
  DTCI_ZERO = 1 << 22,        /* zero1, zero2, zero3 */
  DTCI_FSDP = 1 << 23,        /* fsdp, hsdp */
  DTCI_P2P = 1 << 24,         /* p2p_overlap */
  DTCI_GROUP = 1 << 25,       /* group */
  DTCI_TABLE = 1 << 26,       /* a model with a learned position table */
  DTCI_SHARES = 1 << 27,      /* a model with shared experts */
  DTCI_ENCODES = 1 << 28,     /* a model with an encoder, or encoder_seq */
  DTCI_MIXES = 1 << 29,       /* a model with Mamba-2 layers */
  DTCI_DETAILED = 1 << 30,    /* a plan that gives recompute_method or a field behind it */
};

/* A key of a framework's configuration as an operand (internal/settings.h): its field id has the dialect and the index. */
enum { DTCI_KEY_BITS = 12, DTCI_KEYS_MAX = 1 << DTCI_KEY_BITS };

/* A condition: the field's value lies in [min, max]. No field: always. */
typedef struct dtci_when {
  uint32_t field;
  uint32_t bit; /* 1 + the bit that is looked at; 0: the whole value */
  uint64_t min;
  uint64_t max;
} dtci_when;

typedef struct dtci_rule_row {
  dtc_rule rule;
  dtc_status status;
  dtc_severity severity;
  uint32_t hook;
  uint32_t with;                /* the rule is for plans that have all of these, DTCI_TP .. */
  uint32_t without;             /* and none of these; behind `with`, they are read at once */
  dtc_release since;            /* and for versions of the framework [since, until) */
  dtc_release until;            /* 0: no end */
  uint32_t fix;                 /* the operand a user would change, and the one that is reported */
  uint32_t or_fix;              /* the one that is reported when `fix` is 0, not given */
  uint32_t left[DTCI_OPERANDS]; /* operands, 0 ends */
  uint32_t right[DTCI_OPERANDS];
  uint32_t factor; /* constant factor of left; 0 = 1 */
  uint32_t even;   /* 1: about stages of equal size; does not apply to stages that the caller gives */
  dtci_when need;  /* for DTCI_NEEDS */
  dtci_when when[2];
  char en[128]; /* why; for DTCI_TEXT the whole message, with {field} {got} {min} ... */
  char zh[160];
} dtci_rule_row;

/* Messages of errors that functions give: rows without a check (lib/catalog/messages.c). */
extern const dtci_rule_row dtci_messages[];
extern const uint32_t dtci_messages_count;

/* Rules about a plan, by their numbers (lib/catalog/rules.c). */
extern const dtci_rule_row dtci_rules[];
extern const uint32_t dtci_rules_count;

/* A rule of dtc_layout_resolve(): which schemes it is for, and which versions of their framework, [since, until). */
typedef struct dtci_layout_rule {
  uint16_t first; /* dtc_scheme [first, last] */
  uint16_t last;
  uint32_t since;
  uint32_t until; /* 0: no end */
  dtci_rule_row row;
} dtci_layout_rule;

extern const dtci_layout_rule dtci_layout_rules[];
extern const uint32_t dtci_layout_rules_count;

/* Messages about pipelines (lib/catalog/pipe_rules.c). */
extern const dtci_rule_row dtci_pipe_rules[];
extern const uint32_t dtci_pipe_rules_count;

/* Rules of settings (lib/framework_settings.c); NULL when it is none of them. */
const dtci_rule_row *dtci_setting_rule_of(dtc_rule rule);
/* Of several rows of one rule the one whose `fix` is the field; else the row. */
const dtci_rule_row *dtci_setting_rule_about(const dtci_rule_row *row, uint32_t field);
/* Messages about NCCL (lib/catalog/nccl_rules.c). */
extern const dtci_rule_row dtci_nccl_rules[];
extern const uint32_t dtci_nccl_rules_count;
/* Messages about collectives (lib/catalog/collective_rules.c). */
extern const dtci_rule_row dtci_collective_rules[];
extern const uint32_t dtci_collective_rules_count;
/* Messages about steps and runs (lib/catalog/step_rules.c). */
extern const dtci_rule_row dtci_step_rules[];
extern const uint32_t dtci_step_rules_count;
/* Messages about searches (lib/catalog/search_rules.c). */
extern const dtci_rule_row dtci_search_rules[];
extern const uint32_t dtci_search_rules_count;
/* Messages about launch texts (lib/catalog/launch_rules.c). */
extern const dtci_rule_row dtci_launch_rules[];
extern const uint32_t dtci_launch_rules_count;

/* Messages about out-of-memory messages (lib/catalog/explain_rules.c). */
extern const dtci_rule_row dtci_explain_rules[];
extern const uint32_t dtci_explain_rules_count;
/* Messages about frameworks, and about what legal plans lose (lib/catalog/advise_rules.c). */
extern const dtci_rule_row dtci_advise_rules[];
extern const uint32_t dtci_advise_rules_count;

/* The i-th row of a table of the above, counted from 0; NULL behind its last row, and for a table behind the last. The
 * tables themselves hold no pointers, so that this is a function. */
const dtci_rule_row *dtci_rule_at(uint32_t table, uint32_t i);
const dtci_rule_row *dtci_rule_of(dtc_rule rule);
/* Is the field one of several factors on the rule's left? Of a layout the error then tells the product. */
int dtci_rule_multiplies(const dtci_rule_row *row, uint32_t field);
/* Does the rule compare this operand, or what follows from it? */
int dtci_rule_reads(const dtci_rule_row *row, uint32_t operand);

/* What a call about a plan works on, and what the rules read: the caller's structs, resolved. A cluster that is not given
 * is all zero. */
typedef struct dtci_case {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  dtc_plan given;          /* the plan before its defaults were filled */
  const void *layout;      /* a dtc_layout or dtc_launch, for what is about one */
  const uint64_t *setting; /* values by key, for the rules about settings */
  const uint64_t *state;   /* dtci_state by key: what DTCI_GIVEN reads of a setting */
  uint32_t traits;         /* what the plan has, DTCI_TP .. */
  uint32_t has_cluster;
  uint32_t has_stages; /* the caller says which layers a stage holds */
  uint32_t reserved;
} dtci_case;

/* What the resolved plan of a case has. */
uint32_t dtci_traits_of(const dtci_case *c);
/* First rule that is broken, at or behind rule `from`; dtci_rules_count when none is. */
uint32_t dtci_next_broken(const dtci_case *c, uint32_t from);

/* Product of operands, one of them left out; saturates at a value that nothing reaches. */
uint64_t dtci_rule_product(const dtci_case *c, const uint32_t operands[DTCI_OPERANDS], uint64_t factor,
                           uint32_t without);
/* 1 when the rule holds or does not apply. */
int dtci_rule_holds(const dtci_rule_row *row, const dtci_case *c);
/* Do all of some rows of dtci_rules, by their indices? */
int dtci_rules_hold(const uint16_t *list, uint32_t n, const dtci_case *c);
int dtci_condition_meets(const dtci_case *c, const dtci_when *when);
/* What the rule's message holds the fix against: an operand, or a field. */
uint32_t dtci_rule_other(const dtci_rule_row *row, uint32_t fix);
/* Fills *e with what a broken rule found against what, as seen from the operand `fix`; without nearest legal values. */
void dtci_rule_describe(const dtci_rule_row *row, const dtci_case *c, uint32_t fix, dtc_error *e);
/* As dtci_rule_holds(); when it is broken *e is the finding. */
int dtci_rule_check(const dtci_rule_row *row, const dtci_case *c, dtc_error *e);

#endif
