/* Frameworks as a table, and a plan with its defaults filled. */
#ifndef DTCI_PLAN_H
#define DTCI_PLAN_H

#include "internal/internal.h"
#include "internal/rules.h"
#include <dtcore/plan.h>

/* ---- frameworks.c ---------------------------------------------------------------------------- */

/* Which form of the operators a framework runs (ledger). */
enum {
  DTCI_FORM_TE = 1 << 0, /* Megatron-Core with Transformer Engine */
  DTCI_FORM_HF = 1 << 1, /* modules of Hugging Face transformers */
  DTCI_FORM_TT = 1 << 2, /* TorchTitan's modules */
};

/* Bytes per parameter: [0] with bf16, [1] fp16, [2] fp32 training. */
typedef struct dtci_framework_row {
  uint32_t version;      /* newest known */
  dtc_sharding sharding; /* what DTC_SHARDING_DEFAULT means */
  dtc_bool sequence_parallel;
  uint32_t form;           /* DTCI_FORM_* */
  uint32_t vocab_multiple; /* per tensor parallel rank; 0 = the vocabulary is not padded */
  uint8_t expert_tp;       /* 1: etp defaults to tp, 0: to 1 */
  uint8_t trains_mtp;      /* 1: multi-token-prediction modules are trained */
  uint8_t te;              /* 1: Transformer Engine's workspace, and stand-ins for fused weight gradients */
  uint8_t late_gradients;  /* 1: gradients are made in backward and freed behind the step */
  uint8_t ddp_copy;        /* 1: DDP's buckets are a second copy of the gradients */
  uint8_t head_unit;   /* 1: FSDP takes an untied head with the final norm, and the embedding, as units of their own */
  uint8_t rope_tables; /* 1: every layer holds a rotary table of the sequence */
  uint8_t split;       /* how layers are given to pipeline stages, DTCI_SPLIT_* */
  uint8_t weight[3];
  uint8_t gradient[3];
  uint8_t master[3];   /* fp32 copy beside the weights */
  uint8_t autocast;    /* 1: 16-bit training keeps fp32 weights, which torch.autocast casts for each use */
  uint8_t step[3];     /* temporaries of the optimizer step, per sharded parameter */
  uint64_t bucket;     /* elements of the bucket that is always there; 0 none */
  uint64_t live;       /* elements that zero3 holds gathered at most; 0: unit by unit */
  uint64_t step_group; /* elements that zero3 steps at a time; 0: all */
} dtci_framework_row;

/* By dtc_framework; row 0 is empty. */
extern const dtci_framework_row dtci_frameworks[];

typedef struct dtci_sharding_row {
  dtc_framework framework; /* what DTC_FRAMEWORK_DEFAULT means */
  uint8_t optimizer;       /* 1: divided over dp_shard ranks */
  uint8_t gradients;
  uint8_t weights;
  uint8_t units;    /* 1: weights are gathered and gradients reduced unit by unit, as FSDP does */
  uint8_t node;     /* 1: dp_shard defaults to the ranks of a node, else to all that shard */
  uint8_t searches; /* 1: dtc_memory_min_gpus() varies tp, pp and ep too */
  uint8_t reserved[2];
} dtci_sharding_row;

/* By dtc_sharding; row 0 is empty. */
extern const dtci_sharding_row dtci_shardings[];

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* Reads the structs; defaults are filled, rules are not checked yet. */
dtc_status dtci_case_in(dtci_case *c, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                        dtc_error *e);
/* The same, and the rules: the first error is given. */
dtc_status dtci_case_legal(dtci_case *c, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                           dtc_error *e);
/* Fills the plan of a case whose model and cluster are resolved. */
dtc_status dtci_plan_fill(dtci_case *c, dtc_error *e);
/* What etp is when it is not said; tp and the framework are. */
uint64_t dtci_default_etp(const dtc_model *m, const dtc_plan *p);
/* First error among the rules; NULL when the plan is legal. */
const dtci_rule_row *dtci_plan_broken(const dtci_case *c);
dtc_status dtci_plan_legal(const dtci_case *c, dtc_error *e);
/* Fills what does not depend on model and cluster: framework, sharding, types, degrees but dp; checks the version. */
dtc_status dtci_plan_fill_kind(dtc_plan *p, dtc_error *e);
/* dp_shard, when dp is known; `node` GPUs of a node, 0 unknown. */
void dtci_plan_fill_shard(dtc_plan *p, uint64_t node);

/* Column of the precision in dtci_framework_row. */
uint32_t dtci_precision_index(const dtc_plan *p);
/* Does torch.autocast cast fp32 weights for each use? Sharded weights are gathered in 16 bit instead. */
int dtci_autocast(const dtc_plan *p);

/* ---- plan_split.c ---------------------------------------------------------------------------- */

/* What pipeline rank `index` holds. */
dtc_stage dtci_stage_of(const dtc_model *m, const dtc_plan *p, uint64_t index);

#endif
