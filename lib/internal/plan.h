/* Frameworks as a table, and a plan with its defaults filled. */
#ifndef DTCI_PLAN_H
#define DTCI_PLAN_H

#include "internal/internal.h"
#include "internal/rules.h"
#include <dtcore/plan.h>

/* ---- frameworks.c ---------------------------------------------------------------------------- */

/* Which form of the operators a framework runs (ledger). */
enum {
  DTCI_FORM_TE,    /* Megatron-Core with Transformer Engine */
  DTCI_FORM_LOCAL, /* Megatron-Core's local modules */
  DTCI_FORM_HF,    /* modules of Hugging Face transformers */
  DTCI_FORM_TT,    /* TorchTitan's modules */
  DTCI_FORM_SCALING,
};

/* Which terms of memory a framework has (terms.h). */
enum {
  DTCI_TERMS_MEGATRON,
  DTCI_TERMS_TORCH,
  DTCI_TERMS_SCALING,
  DTCI_TERMS_DEEPSPEED,
  DTCI_TERMS_COLOSSALAI,
  DTCI_TERMS_COUNT,
};

typedef struct dtci_framework_row {
  uint32_t version;      /* newest known */
  dtc_sharding sharding; /* what DTC_SHARDING_DEFAULT means */
  dtc_bool sequence_parallel;
  uint32_t form;           /* DTCI_FORM_* */
  uint32_t terms;          /* DTCI_TERMS_*: its table, beside the one of every framework */
  uint32_t vocab_multiple; /* per tensor parallel rank; 0 = the vocabulary is not padded */
  uint32_t fused_norm;     /* version from which norms are one kernel; 0: none */
  uint8_t expert_tp;       /* 1: etp defaults to tp, 0: to 1 */
  uint8_t trains_mtp;      /* 1: multi-token-prediction modules are trained */
  uint8_t megatron;        /* 1: has the settings that are Megatron's */
  uint8_t foreach;         /* 1: the optimizer step runs operation by operation over all tensors */
  uint8_t head_unit;    /* 1: FSDP takes an untied head with the final norm, and the embedding, as units of their own */
  uint8_t rope_tables;  /* 1: every layer holds a rotary table of the sequence */
  uint8_t split;        /* how layers are given to pipeline stages, DTCI_SPLIT_* */
  uint8_t grad_overlap; /* gradients are reduced while backward runs: 0 no, 1 not in a pipeline, 2 yes */
  /* Bytes per parameter by precision: bf16, fp16, fp32, pure bf16, fp8 and fp4. */
  uint8_t weight[5];
  uint8_t gradient[5];
  uint8_t master[5];    /* fp32 copy beside the weights */
  uint8_t autocast;     /* 1: 16-bit training keeps fp32 weights, which torch.autocast casts for each use */
  uint64_t bucket;      /* elements of the bucket that is always there; 0 none */
  uint64_t live;        /* elements that zero3 holds gathered at most; 0: unit by unit */
  uint64_t step_group;  /* elements that zero3 steps at a time; 0: all */
  uint64_t prefetch;    /* elements that zero3 fetches ahead */
  uint64_t persistence; /* tensors below stay gathered under zero3 */
  /* From allocated to what the GPU shows: reserved over allocated in thousandths; bytes of the CUDA context with its
   * kernels, and of communicators within a node and of several. Ranges, how much lower and higher: thousandths of
   * allocated, thousandths of reserved, and MiB beside reserved of what the device shows. */
  uint16_t slack;
  uint16_t accuracy[2];
  uint16_t spread[2];
  uint16_t beside[2];
  uint64_t context;
  uint64_t nccl_node;
  uint64_t nccl;
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

/* ---- plan_defaults.c ------------------------------------------------------------------------- */

typedef struct dtci_plan_default {
  uint32_t field; /* operand, DTCI_OPERAND(plan, x) */
  uint32_t value;
  size_t column; /* flag in dtci_framework_row that a framework needs for it; 0: every framework */
} dtci_plan_default;

extern const dtci_plan_default dtci_plan_defaults[];
extern const uint32_t dtci_plan_defaults_count;

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* Reads the structs; defaults are filled, rules are not checked yet. */
dtc_status dtci_case_in(dtci_case *c, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                        dtc_error *e);
/* The same, and the rules: the first error is given. */
dtc_status dtci_case_legal(dtci_case *c, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                           dtc_error *e);
/* Tokens of a sequence when the plan does not say. */
uint64_t dtci_default_seq(const dtc_model *m);
/* Fills the plan of a case whose model and cluster are resolved. */
dtc_status dtci_plan_fill(dtci_case *c, dtc_error *e);
/* Fills what follows from the fields that searches vary, which are given anew; all others are filled. Traits are left. */
dtc_status dtci_plan_refill(dtci_case *c, dtc_error *e);
/* What etp is when it is not said; tp and the framework are. */
uint64_t dtci_default_etp(const dtc_model *m, const dtc_plan *p);
/* First error among the rules; NULL when the plan is legal. */
const dtci_rule_row *dtci_plan_broken(const dtci_case *c);
dtc_status dtci_plan_legal(const dtci_case *c, dtc_error *e);
/* Fills what does not depend on model and cluster: framework, sharding, types, degrees but dp; checks the version. */
dtc_status dtci_plan_fill_kind(dtc_plan *p, dtc_error *e);
/* dp_shard, when dp is known; `node` GPUs of a node, 0 unknown. */
void dtci_plan_fill_shard(dtc_plan *p, uint64_t node);
/* Of a plan without a model: dp, as many as the cluster has ranks for, and dp_shard. A cluster of zeros is not known. */
dtc_status dtci_plan_fill_size(dtc_plan *p, const dtc_cluster *cluster, dtc_error *e);
/* The plan as it was given, with what a change must not move by itself: the framework and sharding that are derived from
 * degrees, the number of GPUs, the sequences of a step when they were given. */
dtc_plan dtci_plan_kept(const dtc_plan *given, const dtc_plan *resolved);
/* Recomputation as by default. */
void dtci_plan_clear_recompute(dtc_plan *p);

enum { DTCI_NODE_DEFAULT = 8 }; /* GPUs of a node, where no cluster says */

/* Entries of the vocabulary as the plan pads it. */
static inline uint64_t dtci_padded_vocab(const dtc_model *m, const dtc_plan *p)
{
  return dtci_ceil_div(m->vocab, p->vocab_multiple) * p->vocab_multiple;
}

/* Tokens of a micro-batch on a rank, of sequences of this length. */
static inline uint64_t dtci_tokens_of(const dtc_plan *p, uint64_t seq, int *bad)
{
  return dtci_mul(p->micro_batch, dtci_ceil_div(seq, p->cp), bad);
}

/* Bytes of a gradient where it is kept. */
static inline uint64_t dtci_gradient_size(const dtc_plan *p)
{
  return p->grad_dtype == DTC_GRAD_DTYPE_FP32 ? 4 : 2;
}

/* Does attention write its scores to memory? */
static inline int dtci_is_unfused(const dtc_plan *p)
{
  return p->attention == DTC_ATTENTION_EAGER || p->attention == DTC_ATTENTION_MATH;
}

/* Are values scaled for matrix products of 8 bits or less? Memory is the same for all of these. */
static inline int dtci_is_scaled(const dtc_plan *p)
{
  return p->precision == DTC_PRECISION_FP8 || p->precision == DTC_PRECISION_FP4;
}

/* Column of the precision in dtci_framework_row. */
uint32_t dtci_precision_index(const dtc_plan *p);
/* Does torch.autocast cast fp32 weights for each use? Sharded weights are gathered in 16 bit instead. */
int dtci_autocast(const dtc_plan *p);

#endif
