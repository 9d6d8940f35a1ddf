/* What the frameworks' own estimators print. Their arithmetic is kept step by step, in doubles where theirs is: a Python
 * integer of theirs is below 2^53 here, where the double is the same number. Formulas of a version: lib/catalog/estimators.c. */
#include "internal/estimator.h"
#include "internal/model.h"
#include "internal/plan.h"

typedef struct question {
  dtci_case c; /* model and resolved plan, where the estimator looks at a shape */
  dtc_estimator_call call;
  const dtci_estimator_row *row;
  double params;
  double layer_params;
} question;

/* int() of Python for what is not negative. From 2^53 on a double has no fraction. */
static double whole(double v)
{
  return v < 9007199254740992.0 ? (double)(uint64_t)v : v;
}

/* ---- DeepSpeed: runtime/zero/stage_1_and_2.py and stage3.py ------------------------------------ */

static void zero2(const question *q, dtc_estimator_result *out)
{
  const dtc_estimator_call *c = &q->call;
  double gpus = (double)(c->nodes * c->gpus_per_node);
  out->gpu = 2 * q->params;
  out->host = whole(q->params * dtci_larger_f64(4 * gpus, 16) * c->buffer);
  if (c->offload == DTC_BOOL_OFF) {
    out->gpu = q->row->whole * q->params + whole(q->row->shard * q->params / gpus);
    out->host = whole(q->params * 4 * (double)c->gpus_per_node * c->buffer);
  }
}

static void zero3(const question *q, dtc_estimator_result *out)
{
  const dtc_estimator_call *c = &q->call;
  double each = (double)c->gpus_per_node;
  double gpus = (double)(c->nodes * c->gpus_per_node);
  double factor = 1 / (double)c->nodes;
  int sharded = c->zero_init == DTC_BOOL_ON;
  double kept = c->offload_params == DTC_BOOL_ON ? 18 : 16; /* on hosts, per parameter */
  out->layer = 4 * q->layer_params;
  out->gpu = out->layer;
  if (c->offload == DTC_BOOL_OFF) {
    out->gpu += whole(q->row->shard * q->params / gpus);
    out->host = whole((sharded ? q->layer_params : q->params) * 4 * each * c->buffer);
    return;
  }
  if (c->offload_params == DTC_BOOL_OFF)
    out->gpu += whole(2 * q->params / gpus);
  out->host = sharded ? whole(q->params * kept * factor * c->buffer)
                      : whole(q->params * dtci_larger_f64(4 * each, kept * factor) * c->buffer);
}

/* ---- accelerate: commands/estimate.py, estimate_training_usage() -------------------------------- */

static void accelerate(const question *q, dtc_estimator_result *out)
{
  double fp32 = 4 * q->params;
  double half = dtci_load_halves[q->call.dtype] / 2.0;
  out->weights = q->params * half;
  out->layer = q->layer_params * half;
  if (q->call.dtype > DTC_LOAD_DTYPE_FLOAT16)
    return; /* no training */
  int mixed = q->call.dtype == DTC_LOAD_DTYPE_FLOAT16;
  out->model = fp32;
  out->gradients = mixed ? fp32 + fp32 / 2 : fp32;
  out->optimizer = 2 * fp32;
  out->step = mixed ? out->optimizer : 4 * fp32;
  out->gpu = dtci_larger_f64(dtci_larger_f64(out->model, out->gradients), dtci_larger_f64(out->optimizer, out->step));
}

/* ---- Megatron-LM: megatron/training/theoretical_memory_usage.py --------------------------------- */

/* Parameters of a part: over the tensor parallel group, whole on each of its ranks, of routed experts. */
typedef struct counts {
  double split;
  double whole;
  double experts;
} counts;

static double sum_of(counts n)
{
  return n.split + n.whole + n.experts;
}

static counts plus(counts a, double times, counts b)
{
  counts n = {a.split + times * b.split, a.whole + times * b.whole, a.experts + times * b.experts};
  return n;
}

typedef struct megatron {
  counts dense; /* a layer */
  counts moe;
  counts block; /* layers and final norm */
  counts mtp;
  double idle; /* parameters of the experts that a token does not pass through, in an MoE layer */
  double moe_layers;
  double vocab; /* padded */
  double embedding;
  double shard_base; /* on the most loaded rank: all but routed experts */
  double shard_experts;
} megatron;

static double attention_of(const dtc_model *m, double norm)
{
  double h = (double)m->hidden;
  double a = (double)m->heads;
  if (m->kv_rank == 0)
    return 2 * h * h * ((1 + (double)m->kv_heads / a) * ((double)m->head_dim * a / h));
  double qk = (double)m->qk_nope_dim + (double)m->qk_rope_dim;
  double q = m->q_rank == 0 ? h * a * qk : (double)m->q_rank * (h + a * qk + norm);
  double kv = (double)m->kv_rank * (h + a * ((double)m->qk_nope_dim + (double)m->v_dim) + norm);
  return q + kv + h * (double)m->qk_rope_dim + a * (double)m->v_dim * h;
}

static void count_layers(const question *q, megatron *g)
{
  const dtc_model *m = &q->c.model;
  double h = (double)m->hidden;
  double norm = m->norm == DTC_NORM_RMSNORM ? 1 : 2;
  double gated = m->gated == DTC_BOOL_ON ? 1.5 : 1;
  double attention = attention_of(m, norm);
  double experts = (double)m->experts;
  double inside = q->call.latent != 0 ? (double)q->call.latent : h; /* width of the routed experts */
  double expert = 2 * inside * (double)m->moe_ffn * gated;
  g->dense.split = attention + 2 * h * ((double)m->ffn * gated);
  g->dense.whole = 2 * h * norm;
  if (m->experts == 0)
    return;
  g->moe_layers = (double)dtci_moe_layers(m, m->layers);
  g->idle = expert * (experts - (double)m->top_k);
  g->moe.split = attention + 2 * h * (double)m->shared_ffn * gated;
  g->moe.whole = g->dense.whole;
  g->moe.experts = expert * experts;
  if (q->row->apart) {
    /* Megatron's router has a bias when its linear layers have (add_bias_linear). */
    g->moe.whole += h * experts + (m->mlp_bias == DTC_BOOL_ON ? experts : 0);
    g->moe.whole += m->shared_ffn != 0 && m->shared_gate == DTC_BOOL_ON ? h : 0;
    g->moe.whole += q->call.latent != 0 ? 2 * h * inside : 0;
  } else {
    g->moe.experts = 2 * h * (double)m->moe_ffn * gated * experts; /* it knew no latent experts */
  }
}

static void count_blocks(const question *q, megatron *g)
{
  const dtc_model *m = &q->c.model;
  const dtc_plan *p = &q->c.plan;
  int last_moe = m->experts != 0 && dtci_is_moe(m, m->layers - 1);
  g->block = plus(g->block, (double)m->layers - g->moe_layers, g->dense);
  g->block = plus(g->block, g->moe_layers, g->moe);
  g->block.whole += (m->norm == DTC_NORM_RMSNORM ? 1 : 2) * (double)m->hidden;
  g->mtp = plus(g->mtp, (double)m->mtp_layers, last_moe ? g->moe : g->dense);
  g->vocab = (double)dtci_padded_vocab(m, p);
  g->embedding = (double)m->hidden * g->vocab;
}

/* What a rank holds. */
static void count_shards(const question *q, megatron *g, dtc_estimator_result *out)
{
  const dtc_plan *p = &q->c.plan;
  double tp = (double)p->tp;
  double pp = (double)p->pp;
  double expert = (double)p->etp * (double)p->ep;
  counts block = g->block;
  counts mtp = g->mtp;
  double head = q->c.model.tied != DTC_BOOL_ON && p->pp == 1 ? g->embedding / tp : 0;
  if (!q->row->apart) {
    block = (counts){.split = sum_of(g->block)};
    mtp = (counts){.split = sum_of(g->mtp)};
  }
  g->shard_base = (block.split / pp + mtp.split + g->embedding) / tp + (block.whole / pp + mtp.whole);
  g->shard_experts = (block.experts / pp + mtp.experts) / expert;
  out->shard_params = g->shard_base + g->shard_experts + head;
  g->shard_base += head;
  if (p->pp > 1)
    out->other_params = block.split / (pp * tp) + block.whole / pp + block.experts / (pp * expert);
}

/* Both formulas are Korthikanti's (arXiv 2205.05198), of the first stage with pp micro-batches in flight. */
static void megatron_activations(const question *q, const megatron *g, dtc_estimator_result *out)
{
  const dtc_model *m = &q->c.model;
  const dtc_plan *p = &q->c.plan;
  double tp = (double)p->tp;
  double pp = (double)p->pp;
  double tokens = (double)p->seq * (double)p->micro_batch;
  double h = (double)m->hidden;
  double layers = (double)m->layers;
  double ends = 8 * tokens * pp + tokens * h * pp;
  double held = 1;
  if (p->vpp > 1)
    held = 1 + (pp - 1) / (pp * (double)p->vpp);
  else if (p->accumulation < p->pp)
    held = (double)p->accumulation / pp;
  double sp = (tokens * h * (18 + 4 * ((double)m->ffn / h)) * layers + ends) * held;
  double plain = (tokens * h * (10 + 24 / tp) * layers + ends) * held;
  if (p->pp == 1) {
    sp += tokens * h * 4 * (1 + g->vocab / h);
    plain += (tokens * g->vocab / tp + tokens * h) * 2;
  }
  out->activations_sp = sp / tp;
  out->activations_plain = plain * 1.05;
  out->activations = p->sequence_parallel == DTC_BOOL_ON && p->recompute == DTC_RECOMPUTE_SELECTIVE
                         ? out->activations_sp
                         : out->activations_plain;
}

static dtc_status megatron_report(const question *q, dtc_estimator_result *out, dtc_error *e)
{
  const dtc_plan *p = &q->c.plan;
  megatron g;
  memset(&g, 0, sizeof g);
  uint64_t world = p->tp * p->cp * p->pp * p->dp; /* fits: dtci_plan_fill() */
  uint64_t experts_dp = world / p->pp / p->etp / p->ep;
  if (experts_dp == 0) /* it divides by zero */
    return dtci_fail_within(e, DTC_E_CONFLICT, DTC_RULE_RANGE, DTC_FIELD(plan, ep), p->ep, 1, world / p->pp / p->etp);
  count_layers(q, &g);
  count_blocks(q, &g);
  count_shards(q, &g, out);
  double tables = q->c.model.tied == DTC_BOOL_ON ? g.embedding : 2 * g.embedding;
  int sharded = p->sharding == DTC_SHARDING_DISTOPT;
  out->params = sum_of(g.block) + sum_of(g.mtp) + tables;
  out->active_params = q->row->apart ? out->params - g.idle * g.moe_layers : 0;
  out->states = g.shard_base * (sharded ? 6 + 12 / (double)p->dp : 18) +
                g.shard_experts * (sharded ? 6 + 12 / (double)experts_dp : 18);
  megatron_activations(q, &g, out);
  out->gpu = out->states + out->activations;
  return DTC_OK;
}

/* ---- the largest layer of a model -------------------------------------------------------------- */

/* Bytes of a tensor's name up to the last dot: its module. */
static size_t module_of(const char *name)
{
  size_t n = 0;
  for (size_t i = 0; name[i] != 0; i++)
    if (name[i] == '.')
      n = i;
  return n;
}

/* Most parameters that one module of the model has itself: those are what DeepSpeed calls a layer. */
static uint64_t largest_module(const dtc_model *m, int *bad)
{
  uint32_t count = 0;
  uint64_t most = 0;
  uint32_t kinds = m->experts != 0 ? DTCI_DENSE | DTCI_MOE : DTCI_DENSE;
  if (m->experts != 0 && dtci_moe_layers(m, m->layers) == m->layers)
    kinds = DTCI_MOE;
  uint32_t features = dtci_model_features(m) | kinds;
  const dtci_tensor_row *rows = dtci_arch_rows(m->arch, &count);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t sum = 0;
    size_t len = module_of(rows[i].name);
    for (uint32_t k = 0; k < count; k++)
      if (rows[k].part == rows[i].part && (rows[k].when & features) == rows[k].when && module_of(rows[k].name) == len &&
          memcmp(rows[k].name, rows[i].name, len) == 0)
        sum = dtci_add(sum, dtci_tensor_numel(m, &rows[k], bad), bad);
    most = sum > most ? sum : most;
  }
  return most;
}

/* accelerate does not split what transformers never splits over devices, a transformer layer. */
static uint64_t largest_block(const dtc_params *n, const dtc_model *m)
{
  uint64_t layer = n->moe_layer > n->dense_layer || n->dense_count == 0 ? n->moe_layer : n->dense_layer;
  uint64_t table = m->vocab * m->hidden; /* below 2^56 */
  return layer > table ? layer : table;
}

/* Parameters that the caller does not give: DeepSpeed is handed the model that is trained, accelerate makes one without
 * its output head (AutoModel). */
static dtc_status count_params(question *q, const dtc_model *model, dtc_error *e)
{
  const dtc_estimator_call *c = &q->call;
  int accelerates = c->estimator == DTC_ESTIMATOR_ACCELERATE;
  int needs_layer = (q->row->needs & DTCI_NEEDS_LAYER) != 0 && c->layer_params == 0;
  uint64_t params = c->params;
  uint64_t layer = c->layer_params;
  dtc_params n;
  int bad = 0;
  if (params == 0 || needs_layer) {
    TRY(dtci_model_in(model, &q->c.model, e));
    TRY(dtci_model_count(&q->c.model, &n, e));
    if (params == 0)
      params = accelerates ? n.total - n.head : n.total;
    if (needs_layer)
      layer = accelerates ? largest_block(&n, &q->c.model) : largest_module(&q->c.model, &bad);
  }
  const uint64_t most = (uint64_t)1 << 48;
  if (bad || params > most || layer > most)
    return dtci_fail_overflow(e, DTC_FIELD(model, hidden), q->c.model.hidden);
  q->params = (double)params;
  q->layer_params = (q->row->needs & DTCI_NEEDS_LAYER) != 0 ? (double)layer : 0;
  return DTC_OK;
}

/* ---- the call ---------------------------------------------------------------------------------- */

/* The field must have a value of [min, max] for this estimator. */
static dtc_status fail_needs(const question *q, dtc_status status, uint32_t field, uint64_t got, uint64_t min,
                             uint64_t max, dtc_error *e)
{
  dtci_fail_within(e, status, DTC_RULE_FIELD_NEEDS, field, got, min, max);
  e->other = DTC_FIELD(estimator_call, estimator);
  e->other_got = q->call.estimator;
  return status;
}

static dtc_status find_row(question *q, dtc_error *e)
{
  dtc_estimator_call *c = &q->call;
  const dtci_estimator_row *last = NULL;
  dtc_release least = 0; /* that is known, above a version that is not */
  if (c->estimator == DTC_ESTIMATOR_NONE)
    return dtci_fail_range(e, DTC_FIELD(estimator_call, estimator), 0, DTC_ESTIMATOR_DEEPSPEED_ZERO2,
                           DTC_ESTIMATOR_ACCELERATE);
  for (uint32_t i = 0; i < dtci_estimators_count; i++) {
    const dtci_estimator_row *row = &dtci_estimators[i];
    if (row->estimator != c->estimator)
      continue;
    last = row;
    if (least == 0 && row->since > c->version)
      least = row->since;
    uint64_t until = row->until != 0 ? row->until : (uint64_t)row->newest + 1;
    if (c->version >= row->since && c->version < until)
      q->row = row;
  }
  if (c->version == 0)
    c->version = last->newest;
  else if (q->row == NULL && c->version != DTC_MAIN)
    return dtci_fail_within(e, DTC_E_UNSUPPORTED, DTC_RULE_RANGE, DTC_FIELD(estimator_call, version), c->version,
                            least != 0 ? least : last->since, last->newest);
  if (q->row == NULL)
    q->row = last;
  return DTC_OK;
}

static void fill(dtc_estimator_call *c)
{
  c->offload = c->offload == DTC_BOOL_DEFAULT ? DTC_BOOL_ON : c->offload;
  c->offload_params = c->offload_params == DTC_BOOL_DEFAULT ? DTC_BOOL_ON : c->offload_params;
  c->zero_init = c->zero_init == DTC_BOOL_DEFAULT ? DTC_BOOL_ON : c->zero_init;
  c->dtype = c->dtype == DTC_LOAD_DTYPE_DEFAULT ? DTC_LOAD_DTYPE_FLOAT32 : c->dtype;
  c->buffer = c->buffer == 0 ? 1.5 : c->buffer;
  dtci_default(&c->gpus_per_node, 1);
  dtci_default(&c->nodes, 1);
}

/* The model, and the plan as Megatron's. */
static dtc_status read_shape(question *q, const dtc_model *model, const dtc_plan *plan, dtc_error *e)
{
  dtc_plan *p = &q->c.plan;
  TRY(dtci_model_in(model, &q->c.model, e));
  p->struct_size = sizeof *p;
  if (plan != NULL)
    TRY(dtci_in(p, DTC_STRUCT_plan, plan, e));
  if (p->framework == DTC_FRAMEWORK_DEFAULT)
    p->framework = DTC_FRAMEWORK_MEGATRON;
  if (p->framework != DTC_FRAMEWORK_MEGATRON)
    return fail_needs(q, DTC_E_CONFLICT, DTC_FIELD(plan, framework), p->framework, DTC_FRAMEWORK_MEGATRON,
                      DTC_FRAMEWORK_MEGATRON, e);
  if (q->call.version == 0)
    q->call.version = p->framework_version;
  TRY(dtci_plan_fill(&q->c, e));
  if (p->sharding != DTC_SHARDING_DDP && p->sharding != DTC_SHARDING_DISTOPT)
    return fail_needs(q, DTC_E_UNSUPPORTED, DTC_FIELD(plan, sharding), p->sharding, DTC_SHARDING_DISTOPT,
                      DTC_SHARDING_DISTOPT, e);
  return DTC_OK;
}

/* Without a model the call itself has to say how large it is. */
static dtc_status check_told(const question *q, const dtc_model *model, dtc_error *e)
{
  const dtc_estimator_call *c = &q->call;
  if (model == NULL && c->params == 0)
    return fail_needs(q, DTC_E_CONFLICT, DTC_FIELD(estimator_call, params), 0, 1, (uint64_t)1 << 48, e);
  if (model == NULL && c->layer_params == 0 && (q->row->needs & DTCI_NEEDS_LAYER) != 0)
    return fail_needs(q, DTC_E_CONFLICT, DTC_FIELD(estimator_call, layer_params), 0, 1, (uint64_t)1 << 48, e);
  return DTC_OK;
}

static dtc_status answer(question *q, const dtc_estimator_call *call, const dtc_model *model, const dtc_plan *plan,
                         dtc_estimator_result *out, dtc_error *e)
{
  memset(q, 0, sizeof *q);
  memset(out, 0, sizeof *out);
  TRY(dtci_in(&q->call, DTC_STRUCT_estimator_call, call, e));
  if (q->call.estimator == DTC_ESTIMATOR_MEGATRON)
    TRY(read_shape(q, model, plan, e));
  TRY(find_row(q, e));
  fill(&q->call);
  out->struct_size = sizeof *out;
  out->estimator = q->call.estimator;
  out->version = q->call.version;
  if ((q->row->needs & DTCI_NEEDS_SHAPE) != 0)
    return megatron_report(q, out, e);
  TRY(check_told(q, model, e));
  TRY(count_params(q, model, e));
  out->params = q->params;
  out->layer_params = q->layer_params;
  if (q->call.estimator == DTC_ESTIMATOR_DEEPSPEED_ZERO2)
    zero2(q, out);
  else if (q->call.estimator == DTC_ESTIMATOR_DEEPSPEED_ZERO3)
    zero3(q, out);
  else
    accelerate(q, out);
  return DTC_OK;
}

dtc_status dtc_memory_framework_estimate(const dtc_estimator_call *call, const dtc_model *model, const dtc_plan *plan,
                                         dtc_estimator_result *out, dtc_error *err)
{
  dtc_error e;
  question q;
  dtc_estimator_result found;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = answer(&q, call, model, plan, &found, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_estimator_result, &found, &e), &e, err);
}
