/* Plans: defaults, the batch triple, legality. */
#include "internal/cluster.h"
#include "internal/model.h"
#include "internal/plan.h"
#include "internal/rules.h"

enum { SEQ_DEFAULT = 4096, HOPPER = 90 };

static void default_u32(uint32_t *v, uint32_t value)
{
  if (*v == 0)
    *v = value;
}

/* The framework that has this sharding; with no sharding said, the one that has these degrees. */
static dtc_framework framework_for(const dtc_plan *p)
{
  int split = p->tp > 1 || p->pp > 1 || p->cp > 1 || p->ep > 1 || p->vpp > 1;
  if (p->sharding != DTC_SHARDING_DEFAULT)
    return dtci_shardings[p->sharding].framework;
  return split ? DTC_FRAMEWORK_MEGATRON : DTC_FRAMEWORK_PYTORCH;
}

uint32_t dtci_precision_index(const dtc_plan *p)
{
  return (dtci_is_scaled(p) ? DTC_PRECISION_FP8 : p->precision) - DTC_PRECISION_BF16;
}

int dtci_autocast(const dtc_plan *p)
{
  int whole = p->precision == DTC_PRECISION_FP32 || p->precision == DTC_PRECISION_PURE_BF16;
  return !whole && dtci_frameworks[p->framework].autocast && !dtci_shardings[p->sharding].weights;
}

/* The catalogue's rows. */
static void fill_rows(dtc_plan *p, const dtci_framework_row *f)
{
  const dtci_plan_default *end = dtci_plan_defaults + dtci_plan_defaults_count;
  for (const dtci_plan_default *row = dtci_plan_defaults; row != end; row++) {
    void *at = (unsigned char *)p + (row->field & 0xffff);
    if (row->column != 0 && ((const uint8_t *)f)[row->column] == 0)
      continue;
    if (row->field & DTCI_WIDE)
      dtci_default(at, row->value);
    else
      default_u32(at, row->value);
  }
}

/* What no row and no other field put on. */
static void switch_off(dtc_plan *p)
{
  const uint16_t *end = dtci_plan_switches + dtci_plan_switches_count;
  for (const uint16_t *offset = dtci_plan_switches; offset != end; offset++)
    default_u32((void *)((unsigned char *)p + *offset), DTC_BOOL_OFF);
}

/* What selective recomputation takes without a module: scores and softmax. */
static void fill_recompute(dtc_plan *p)
{
  int other = p->recompute_mlp == DTC_BOOL_ON || p->recompute_layernorm == DTC_BOOL_ON ||
              p->recompute_moe_act == DTC_BOOL_ON || p->recompute_mla_up_proj == DTC_BOOL_ON ||
              p->recompute_moe == DTC_BOOL_ON || p->recompute_shared_experts == DTC_BOOL_ON;
  if (p->recompute == DTC_RECOMPUTE_SELECTIVE && !other)
    default_u32(&p->recompute_core_attn, DTC_BOOL_ON);
  if (p->recompute_method != DTC_RECOMPUTE_METHOD_BLOCK) /* of a block 0 means all */
    dtci_default(&p->recompute_layers, 1);
}

void dtci_plan_clear_recompute(dtc_plan *p)
{
  p->recompute = DTC_RECOMPUTE_DEFAULT;
  p->recompute_method = DTC_RECOMPUTE_METHOD_DEFAULT;
  p->recompute_layers = 0;
  p->recompute_core_attn = p->recompute_mlp = p->recompute_layernorm = p->recompute_moe_act = DTC_BOOL_DEFAULT;
  p->recompute_mla_up_proj = p->recompute_moe = p->recompute_shared_experts = DTC_BOOL_DEFAULT;
  p->recompute_distributed = DTC_BOOL_DEFAULT;
}

/* What follows from schedule and chunks. */
static void fill_chunks(dtc_plan *p)
{
  default_u32(&p->schedule, p->vpp > 1 ? DTC_SCHEDULE_INTERLEAVED : DTC_SCHEDULE_1F1B);
  if (p->framework == DTC_FRAMEWORK_MEGATRON && p->schedule == DTC_SCHEDULE_INTERLEAVED && p->vpp > 1) {
    default_u32(&p->p2p_overlap, DTC_BOOL_ON);
    dtci_default(&p->group, p->pp);
  }
}

/* What follows from other fields. */
static void fill_derived(dtc_plan *p, const dtci_framework_row *f)
{
  int zero3 = p->sharding == DTC_SHARDING_ZERO3;
  if (p->tp > 1)
    default_u32(&p->sequence_parallel, f->sequence_parallel);
  default_u32(&p->grad_dtype, f->gradient[dtci_precision_index(p)] == 4 ? DTC_GRAD_DTYPE_FP32 : DTC_GRAD_DTYPE_16BIT);
  fill_chunks(p);
  fill_recompute(p);
  default_u32(&p->attention_dropout, p->dropout);
  if (f->fused_norm != 0 && p->framework_version >= f->fused_norm)
    default_u32(&p->fused_norm, DTC_BOOL_ON);
  if (f->grad_overlap > (p->pp > 1))
    default_u32(&p->grad_overlap, DTC_BOOL_ON);
  dtci_default(&p->bucket, f->bucket);
  dtci_default(&p->live, zero3 ? f->live : 0);
  dtci_default(&p->persistence, zero3 ? f->persistence : 0);
  dtci_default(&p->vocab_multiple, f->vocab_multiple != 0 ? f->vocab_multiple * p->tp : 1);
}

/* Transformer Engine takes cuDNN's kernel on Hopper (Megatron-Core's attention-backend auto), Megatron's local modules are
 * unfused; `compute` 0: not known. From Hopper on cuDNN's kernel is one of FlashAttention-3's kind, before of 2's. */
static void fill_attention(dtc_plan *p, uint32_t compute)
{
  if (dtci_frameworks[p->framework].megatron && p->transformer_engine == DTC_BOOL_OFF)
    default_u32(&p->attention, DTC_ATTENTION_EAGER);
  int cudnn = p->transformer_engine == DTC_BOOL_ON && compute == HOPPER;
  default_u32(&p->attention, cudnn ? DTC_ATTENTION_CUDNN : DTC_ATTENTION_FLASH);
  int newer = p->attention == DTC_ATTENTION_CUDNN && (compute == 0 || compute >= HOPPER);
  default_u32(&p->flash_version, newer ? 3 : 2);
}

dtc_status dtci_plan_fill_kind(dtc_plan *p, dtc_error *e)
{
  default_u32(&p->framework, framework_for(p));
  const dtci_framework_row *f = &dtci_frameworks[p->framework];
  default_u32(&p->framework_version, f->version);
  if (p->framework_version > f->version && p->framework_version != DTC_MAIN) /* its numbers are not known */
    return dtci_fail_range(e, DTC_FIELD(plan, framework_version), p->framework_version, 0, f->version);
  default_u32(&p->sharding, f->sharding);
  fill_rows(p, f);
  fill_derived(p, f);
  switch_off(p);
  return DTC_OK;
}

/* Any two of global batch, micro-batch and accumulation give the third; what does not divide is left to the rules. */
static dtc_status fill_batch(dtc_plan *p, dtc_error *e)
{
  int bad = 0;
  if (p->global_batch == 0) {
    dtci_default(&p->micro_batch, 1);
    dtci_default(&p->accumulation, p->pp);
    p->global_batch = dtci_mul(dtci_mul(p->micro_batch, p->dp, &bad), p->accumulation, &bad);
    return bad ? dtci_fail_overflow(e, DTC_FIELD(plan, global_batch), DTC_NONE) : DTC_OK;
  }
  if (p->micro_batch == 0) {
    uint64_t ranks = dtci_mul(p->dp, p->accumulation != 0 ? p->accumulation : p->global_batch, &bad);
    p->micro_batch = bad || p->global_batch % ranks != 0 ? 1 : p->global_batch / ranks;
  }
  if (p->accumulation == 0) {
    uint64_t step = dtci_mul(p->micro_batch, p->dp, &bad);
    p->accumulation = bad ? 1 : p->global_batch / step;
    dtci_default(&p->accumulation, 1);
  }
  return DTC_OK;
}

/* Fewest data parallel ranks that hold a whole expert group. */
static uint64_t dp_of_experts(const dtc_plan *p)
{
  uint64_t experts = p->ep * p->etp;
  return experts / dtci_common_divisor(experts, p->tp * p->cp);
}

/* GPUs that the cluster's leave for data parallelism. */
static dtc_status fill_dp(dtci_case *c, dtc_error *e)
{
  dtc_plan *p = &c->plan;
  int bad = 0;
  uint64_t rest = dtci_mul(dtci_mul(p->tp, p->cp, &bad), p->pp, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(plan, tp), p->tp);
  if (p->dp == 0 && c->has_cluster && c->cluster.nodes != 0)
    p->dp = c->cluster.nodes * c->cluster.gpus_per_node / rest;
  dtci_default(&p->dp, dp_of_experts(p));
  dtci_mul(rest, p->dp, &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(plan, dp), p->dp) : DTC_OK;
}

/* Largest divisor of n up to `most`. */
static uint64_t largest_divisor(uint64_t n, uint64_t most)
{
  uint64_t d = most < n ? most : n;
  while (n % d != 0)
    d--;
  return d;
}

void dtci_plan_fill_shard(dtc_plan *p, uint64_t node)
{
  uint64_t ranks = p->dp * p->cp;
  if (!dtci_shardings[p->sharding].optimizer)
    dtci_default(&p->dp_shard, 1);
  else if (dtci_shardings[p->sharding].node)
    dtci_default(&p->dp_shard, largest_divisor(ranks, node != 0 ? node : DTCI_NODE_DEFAULT));
  dtci_default(&p->dp_shard, ranks);
}

dtc_status dtci_plan_fill_size(dtc_plan *p, const dtc_cluster *cluster, dtc_error *e)
{
  dtci_default(&p->dp, dtci_larger(cluster->nodes * cluster->gpus_per_node / p->cp, 1));
  dtci_plan_fill_shard(p, cluster->gpus_per_node);
  if (p->dp_shard > p->dp * p->cp)
    return dtci_fail_range(e, DTC_FIELD(plan, dp_shard), p->dp_shard, 1, p->dp * p->cp);
  return DTC_OK;
}

uint64_t dtci_default_etp(const dtc_model *m, const dtc_plan *p)
{
  return m->experts != 0 && dtci_frameworks[p->framework].expert_tp ? p->tp : 1;
}

/* What was given is in its range already; is what was derived small enough not to look again? */
static int fits(const dtc_plan *p)
{
  return (p->dp | p->dp_shard | p->micro_batch | p->accumulation | p->vocab_multiple | p->seq | p->encoder_seq) >> 32 ==
             0 &&
         p->global_batch >> 40 == 0;
}

/* What follows from the model and the degrees. */
static dtc_status fill_ranks(dtci_case *c, dtc_error *e)
{
  dtc_plan *p = &c->plan;
  dtci_default(&p->etp, dtci_default_etp(&c->model, p));
  TRY(fill_dp(c, e));
  dtci_plan_fill_shard(p, c->cluster.gpus_per_node);
  TRY(fill_batch(p, e));
  return fits(p) ? DTC_OK : dtci_ranges(p, DTC_STRUCT_plan, e);
}

uint64_t dtci_default_seq(const dtc_model *m)
{
  return m->context != 0 && m->context < SEQ_DEFAULT ? m->context : SEQ_DEFAULT;
}

dtc_status dtci_plan_fill(dtci_case *c, dtc_error *e)
{
  dtc_plan *p = &c->plan;
  const dtc_model *m = &c->model;
  c->given = c->plan;
  TRY(dtci_plan_fill_kind(p, e));
  fill_attention(p, c->cluster.compute);
  dtci_default(&p->seq, dtci_default_seq(m));
  dtci_default(&p->packed, p->seq);
  if (m->encoder_layers != 0)
    dtci_default(&p->encoder_seq, p->seq);
  TRY(fill_ranks(c, e));
  c->traits = dtci_traits_of(c);
  return DTC_OK;
}

dtc_status dtci_plan_refill(dtci_case *c, dtc_error *e)
{
  dtc_plan *p = &c->plan;
  default_u32(&p->recompute_method, DTC_RECOMPUTE_METHOD_UNIFORM);
  fill_derived(p, &dtci_frameworks[p->framework]);
  uint32_t *const switches[] = {&p->sequence_parallel, &p->recompute_core_attn, &p->account_embedding,
                                &p->account_loss,      &p->p2p_overlap,         &p->grad_overlap};
  for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
    default_u32(switches[i], DTC_BOOL_OFF);
  return fill_ranks(c, e);
}

dtc_plan dtci_plan_kept(const dtc_plan *given, const dtc_plan *resolved)
{
  dtc_plan p = *given;
  p.framework = resolved->framework;
  p.framework_version = resolved->framework_version;
  p.sharding = resolved->sharding;
  p.dp = resolved->dp;
  p.micro_batch = resolved->micro_batch;
  p.seq = resolved->seq;
  if (p.global_batch != 0 || p.accumulation != 0)
    p.global_batch = resolved->global_batch;
  p.accumulation = 0;
  return p;
}

const dtci_rule_row *dtci_plan_broken(const dtci_case *c)
{
  uint32_t i = dtci_next_broken(c, 0);
  while (i < dtci_rules_count && dtci_rules[i].severity != DTC_SEVERITY_ERROR)
    i = dtci_next_broken(c, i + 1);
  return i < dtci_rules_count ? &dtci_rules[i] : NULL;
}

dtc_status dtci_plan_legal(const dtci_case *c, dtc_error *e)
{
  const dtci_rule_row *broken = dtci_plan_broken(c);
  return broken == NULL || dtci_rule_check(broken, c, e) ? DTC_OK : e->status;
}

dtc_status dtci_case_in(dtci_case *c, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                        dtc_error *e)
{
  memset(&c->cluster, 0, sizeof c->cluster);
  c->has_cluster = cluster != NULL;
  c->layout = NULL;
  c->has_stages = 0;
  TRY(dtci_model_in(model, &c->model, e));
  if (cluster != NULL)
    TRY(dtci_cluster_in(cluster, &c->cluster, e));
  TRY(dtci_in(&c->plan, DTC_STRUCT_plan, plan, e));
  return dtci_plan_fill(c, e);
}

dtc_status dtci_case_legal(dtci_case *c, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                           dtc_error *e)
{
  TRY(dtci_case_in(c, model, cluster, plan, e));
  return dtci_plan_legal(c, e);
}

dtc_status dtc_plan_resolve(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, dtc_plan *out,
                            dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_case_legal(&c, model, cluster, plan, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_plan, &c.plan, &e), &e, err);
}

static dtc_status check(const dtci_case *c, dtc_error *findings, size_t cap, size_t *count, dtc_error *e)
{
  dtc_error finding;
  size_t n = 0;
  if (cap != 0)
    TRY(dtci_out_ok(findings, DTC_STRUCT_error, e));
  for (uint32_t i = dtci_next_broken(c, 0); i < dtci_rules_count; i = dtci_next_broken(c, i + 1)) {
    (void)dtci_rule_check(&dtci_rules[i], c, &finding);
    if (n < cap)
      TRY(dtci_out_at(findings, n, DTC_STRUCT_error, &finding, e));
    n++;
  }
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_plan_check(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, dtc_error *findings,
                          size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_case_in(&c, model, cluster, plan, &e);
  return dtci_end(s != DTC_OK ? s : check(&c, findings, cap, count, &e), &e, err);
}
