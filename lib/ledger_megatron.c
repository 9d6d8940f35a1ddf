/* Megatron's part of the ledger: conditions of its rows, routed rows, blocks of the caching allocator. */
#include "internal/catalog.h"
#include "internal/model.h"
#include "internal/operators.h"

enum {
  PROBABILITIES_SINCE = 12000, /* Megatron-Core 0.12: experts take the probabilities into their activation function */
  FUSED_SEQ = 4096,            /* longest sequence of the fused masked softmax (fused_softmax.py) */
};

static int is_on(dtc_bool value)
{
  return value == DTC_BOOL_ON;
}

/* ---- attention ------------------------------------------------------------------------------- */

/* Megatron's fused masked softmax takes sequences up to 4096 of a multiple of 4, and batches of a multiple of 4; else
 * PyTorch's softmax runs under a causal mask (fused_softmax.py, is_kernel_available). */
static int is_refused(const dtc_plan *p, uint64_t heads)
{
  return p->seq <= 16 || p->seq > FUSED_SEQ || p->seq % 4 != 0 || p->micro_batch * heads % 4 != 0;
}

/* What the core keeps of the projection's output: q, k and v are views of it, or are made anew by rotation, by a norm, by
 * the reshape of several heads per group, or repeated to all heads. */
static uint64_t view_conditions(const dtc_model *m, const dtc_plan *p, int fused)
{
  uint64_t heads = dtci_ceil_div(m->heads, p->tp);
  uint64_t groups = dtci_ceil_div(m->kv_heads, p->tp);
  int norm = is_on(m->qk_norm);
  int rope = m->position == DTC_POSITION_ROPE;
  int view = heads == groups || groups == 1; /* q is one */
  int anew = norm || rope;
  uint64_t has = dtci_on(norm || fused || heads == groups || (view && !anew), DTCI_IF_QKV_STAYS);
  has |= dtci_on(anew || !view, DTCI_IF_Q_APART);
  has |= dtci_on(anew && (fused || heads == groups), DTCI_IF_K_APART);
  has |= dtci_on(norm && !view, DTCI_IF_Q_COPIED);
  return has | dtci_on(!fused && heads != groups, DTCI_IF_REPEATED);
}

static uint64_t attention_conditions(const dtc_model *m, const dtc_plan *p, uint64_t modules)
{
  int unfused = dtci_is_unfused(p);
  int again = (modules & DTCI_MODULE_CORE_ATTN) != 0;
  uint64_t heads = dtci_ceil_div(m->heads, p->tp);
  uint64_t has = dtci_on(is_on(p->attention_dropout), DTCI_IF_DROPS_SCORES);
  /* FlashAttention 2 works on (b, s, ..), context parallelism on blocks: their output is a tensor beside the layer's. */
  has |= dtci_on(!unfused && ((p->attention == DTC_ATTENTION_FLASH && p->micro_batch > 1) || p->cp > 1),
                 DTCI_IF_OUT_TWICE);
  has |= dtci_on(p->attention == DTC_ATTENTION_FLASH, DTCI_IF_FLASH_2);
  has |= dtci_on(is_on(p->softmax_fp32) && p->attention == DTC_ATTENTION_MATH && p->precision != DTC_PRECISION_FP32,
                 DTCI_IF_SOFTMAX_32);
  has |= dtci_on(p->attention == DTC_ATTENTION_EAGER && is_refused(p, heads), DTCI_IF_CAUSAL_MASK);
  has |= dtci_on(m->position == DTC_POSITION_ROPE, DTCI_IF_ROPE_STEPS);
  has |= dtci_on(m->q_rank != 0, DTCI_IF_Q_LOW) | dtci_on((modules & DTCI_MODULE_MLA_UP) != 0, DTCI_IF_MLA_UP_AGAIN);
  return has | view_conditions(m, p, !unfused || again);
}

/* ---- experts --------------------------------------------------------------------------------- */

static uint64_t expert_conditions(const dtc_model *m, const dtc_plan *p, uint64_t modules)
{
  int early = p->framework_version < PROBABILITIES_SINCE && is_on(p->grouped_gemm);
  int gathers = p->dispatcher == DTC_DISPATCHER_ALLGATHER && m->top_k > 1 && p->ep > 1;
  uint64_t has = dtci_on((modules & DTCI_MODULE_MOE_ACT) != 0, DTCI_IF_MOE_ACT_AGAIN);
  has |= dtci_on(gathers || p->etp > 1, DTCI_IF_ROWS_TWICE);
  has |= early ? DTCI_IF_NO_PROBABILITIES : DTCI_IF_PROBABILITIES;
  has |= p->capacity_percent != 0 ? DTCI_IF_CAPACITY : DTCI_IF_DROPLESS;
  return has | (is_on(p->router_fp32) ? DTCI_IF_ROUTER_32 : DTCI_IF_ROUTER_16);
}

uint64_t dtci_megatron_conditions(const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind, uint64_t modules)
{
  int again = (modules & DTCI_MODULE_MLP) != 0 && (modules & DTCI_MODULE_LAYERNORM) != 0;
  int sp = is_on(p->sequence_parallel) && p->tp > 1;
  int attends = kind != DTC_LAYER_KIND_MAMBA && kind != DTC_LAYER_KIND_MLP;
  int alone = !attends || kind == DTC_LAYER_KIND_ATTENTION;
  uint64_t has = (attends ? attention_conditions(m, p, modules) : 0) | expert_conditions(m, p, modules);
  has |= dtci_on(m->norms > 1 && !alone, DTCI_IF_NORM_2) | dtci_on(again, DTCI_IF_MLP_INPUT);
  has |= dtci_on(kind == DTC_LAYER_KIND_DENSE && m->encoder_layers != 0, DTCI_IF_CROSS);
  has |= dtci_is_scaled(p) ? DTCI_IF_FP8 : DTCI_IF_NOT_FP8;
  return has | (sp ? DTCI_IF_SP : DTCI_IF_NO_SP) | dtci_on(!is_on(p->activation_fusion), DTCI_IF_ACT_STEPS);
}

/* Rows that the experts of a rank compute for one micro-batch, every rank of the expert tensor parallel group all of them:
 * with a capacity every expert's share is filled up to it, else the busiest rank has load_percent of an even share. */
uint64_t dtci_routed_rows(const dtc_model *m, const dtc_plan *p, uint64_t tokens, int *bad)
{
  uint64_t sp = is_on(p->sequence_parallel) ? p->tp : 1;
  uint64_t rows = dtci_mul(dtci_ceil_div(tokens, sp), m->top_k, bad);
  if (m->experts == 0)
    return 0;
  if (p->capacity_percent != 0)
    rows = dtci_mul(m->experts, dtci_ceil_div(dtci_mul(rows, p->capacity_percent, bad), 100 * m->experts), bad);
  else
    rows = dtci_ceil_div(dtci_mul(rows, p->load_percent, bad), 100);
  return dtci_mul(rows, p->etp, bad);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* PyTorch's caching allocator gives a request of 1 to 10 MiB a free block whole when at most 1 MiB of it would remain: such
 * a tensor takes the size of the smallest larger one of its layer that is at most 1 MiB larger. */
uint64_t dtci_block_size(const uint64_t *sizes, uint32_t n, uint64_t size)
{
  uint64_t block = DTC_NONE;
  if (size <= DTCI_MIB(1) || size >= DTCI_MIB(10))
    return size;
  for (uint32_t i = 0; i < n; i++)
    if (sizes[i] > size && sizes[i] <= size + DTCI_MIB(1) && sizes[i] < block)
      block = sizes[i];
  return block != DTC_NONE ? block : size;
}
