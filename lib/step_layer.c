/* Time of a layer and micro-batch, forward and backward: products, attention, what moves through memory, messages, what is
 * recomputed, and the host that launches all of it. */
#include "internal/step.h"

#include "internal/catalog.h"
#include "internal/tuning.h"

/* Kinds as the ledger numbers them. */
static const dtc_layer_kind ledger_kind[DTCI_TIMED_KINDS] = {
    [DTCI_TIMED_DENSE] = DTC_LAYER_KIND_DENSE,         [DTCI_TIMED_MOE] = DTC_LAYER_KIND_MOE,
    [DTCI_TIMED_HEAD] = DTC_LAYER_KIND_HEAD,           [DTCI_TIMED_MAMBA] = DTC_LAYER_KIND_MAMBA,
    [DTCI_TIMED_ATTENTION] = DTC_LAYER_KIND_ATTENTION, [DTCI_TIMED_MLP] = DTC_LAYER_KIND_MLP,
    [DTCI_TIMED_ENCODER] = DTC_LAYER_KIND_ENCODER,
};

/* A layer while it is timed. */
typedef struct layer {
  dtci_step_work *w;
  dtci_layer_time *time;
  uint32_t kind;
  uint32_t in;                            /* type of its products, DTCI_IN_* */
  uint64_t has;                           /* DTCI_IF_*, those of the moved rows among them */
  double sum;                             /* bytes moved per element of a weight's gradient where it is made */
  double forward[DTC_OPERATOR_MAMBA + 1]; /* seconds by operator, for what is recomputed */
  double moved[DTC_OPERATOR_MAMBA + 1];   /* of that, through memory */
  double up;                              /* of that, up-projections of latent attention */
} layer;

/* Adds a term to the layer. */
static void add(layer *l, uint32_t way, dtc_step_item item, double seconds, dtc_step_term term)
{
  l->time->item[way][item] += seconds;
  l->time->both[item] += seconds;
  l->time->sum[way] += seconds;
  term.item = item;
  term.each = seconds;
  dtci_step_note(l->w, l->kind, &term);
}

/* ---- products -------------------------------------------------------------------------------- */

static void add_gemm(layer *l, uint32_t way, dtc_step_item item, uint32_t text, double seconds, uint32_t in,
                     const dtci_gemm *g)
{
  add(l, way, item, seconds,
      (dtc_step_term){.index = text,
                      .m = g->m,
                      .n = g->n,
                      .k = g->k,
                      .batch = (uint64_t)g->batch,
                      .flops = dtci_gemm_flops(g),
                      .bytes = dtci_gemm_bytes(g, in)});
}

/* A product and the two of its backward: gradients of the input and of the weight. */
static void dense(layer *l, const dtci_product *p)
{
  const dtci_step_machine *g = &l->w->machine;
  dtc_step_item item = l->kind == DTCI_TIMED_HEAD ? DTC_STEP_ITEM_HEAD : DTC_STEP_ITEM_DENSE;
  uint32_t in = l->kind == DTCI_TIMED_HEAD && l->in > DTCI_IN_16 ? (uint32_t)DTCI_IN_16 : l->in;
  uint32_t text = (uint32_t)p->op * DTCI_PASSES;
  double out = in == DTCI_IN_FP32 ? 4 : 2;
  dtci_gemm shape = {p->m, p->n, p->k, 1, out};
  double seconds = dtci_product_time(g, in, &shape);
  l->forward[p->op] += seconds;
  if (p->up)
    l->up += seconds;
  add_gemm(l, DTCI_FORWARD, item, text + DTCI_PASS_FORWARD, seconds, in, &shape);
  shape = (dtci_gemm){p->m, p->k, p->n, 1, out};
  add_gemm(l, DTCI_BACKWARD, item, text + DTCI_PASS_INPUT, dtci_product_time(g, in, &shape), in, &shape);
  if (dtci_has_adapters(&l->w->c->plan))
    return;
  shape = (dtci_gemm){p->n, p->k, p->m, 1, l->sum};
  seconds = dtci_product_time(g, in, &shape);
  l->time->weight += seconds;
  add_gemm(l, DTCI_BACKWARD, item, text + DTCI_PASS_WEIGHT, seconds, in, &shape);
}

/* The experts of a rank, one behind the other in one kernel: rows are padded to whole tiles, and their rate is lower. */
static double grouped(const layer *l, dtci_gemm *g, int pads)
{
  const dtci_step_machine *m = &l->w->machine;
  uint64_t rows = pads ? dtci_ceil_div(g->m, 128) * 128 : g->m;
  double flops = dtci_gemm_flops(g) * (double)rows / (double)g->m / (m->rate[l->in] * m->software->grouped);
  return dtci_larger_f64(flops, dtci_gemm_bytes(g, l->in) / m->hbm);
}

static void experts(layer *l, const dtci_product *p)
{
  const dtc_plan *plan = &l->w->c->plan;
  uint64_t each = dtci_ceil_div(l->w->c->model.experts, plan->ep);
  uint64_t percent = plan->capacity_percent != 0 ? plan->capacity_percent : plan->load_percent;
  uint64_t rows = dtci_mul(dtci_mul(p->m, plan->etp, &l->w->bad), percent, &l->w->bad);
  uint64_t m = dtci_larger(1, dtci_ceil_div(rows, 100 * each));
  uint32_t text = (uint32_t)p->op * DTCI_PASSES;
  dtci_gemm shape = {m, p->n, p->k, (double)each, 2};
  double seconds = grouped(l, &shape, 1);
  l->forward[p->op] += seconds;
  add_gemm(l, DTCI_FORWARD, DTC_STEP_ITEM_EXPERTS, text + DTCI_PASS_FORWARD, seconds, l->in, &shape);
  shape = (dtci_gemm){m, p->k, p->n, (double)each, 2};
  add_gemm(l, DTCI_BACKWARD, DTC_STEP_ITEM_EXPERTS, text + DTCI_PASS_INPUT, grouped(l, &shape, 1), l->in, &shape);
  if (dtci_has_adapters(plan))
    return;
  shape = (dtci_gemm){p->n, p->k, m, (double)each, l->sum};
  seconds = grouped(l, &shape, 0);
  l->time->weight += seconds;
  add_gemm(l, DTCI_BACKWARD, DTC_STEP_ITEM_EXPERTS, text + DTCI_PASS_WEIGHT, seconds, l->in, &shape);
}

/* ---- attention ------------------------------------------------------------------------------- */

/* Scores that are looked at, of those a causal mask leaves: of packed sequences those of one, of a window its own. */
static double looked_at(const dtc_model *m, const dtc_plan *p)
{
  double share = (double)p->packed / (double)p->seq;
  double window = (double)m->window / (double)p->packed;
  if (m->window == 0 || window >= 1)
    return share;
  double full = m->window_every != 0 ? 1 / (double)m->window_every : 0;
  double seen = 2 * window - window * window; /* of the triangle */
  return share * (full + (1 - full) * seen);
}

/* FLOPs of the causal half, or of all scores: of an encoder and of BERT, and of a decoder with its encoder's output. */
static double score_flops(const layer *l, const dtci_product *p)
{
  const dtci_step_work *w = l->w;
  const dtc_plan *plan = &w->c->plan;
  double flops = (double)p->m * (double)p->n * (double)p->k * p->times;
  if (p->times > 1)
    return flops;
  if (l->kind == DTCI_TIMED_ENCODER || w->c->model.arch == DTC_ARCH_BERT)
    return 2 * flops;
  flops *= looked_at(&w->c->model, plan);
  if (plan->cp > 1 && w->machine.software->cp_uneven) /* the rank whose part of the sequence comes last */
    flops *= 2 - 1 / (double)plan->cp;
  return flops;
}

static void fused_attention(layer *l, const dtci_product *p)
{
  const dtci_step_work *w = l->w;
  double flops = score_flops(l, p);
  double unit = w->machine.attention * flops;
  double seconds = unit / w->machine.flash[DTCI_FORWARD];
  uint32_t text = DTC_OPERATOR_ATTENTION * DTCI_PASSES;
  dtc_step_term term = {.index = text, .m = p->m, .n = p->n, .k = p->k, .batch = 1, .flops = flops};
  l->forward[p->op] += seconds;
  add(l, DTCI_FORWARD, DTC_STEP_ITEM_ATTENTION, seconds, term);
  term.index = text + DTCI_PASS_INPUT;
  term.flops = 2.5 * flops;
  add(l, DTCI_BACKWARD, DTC_STEP_ITEM_ATTENTION, 2.5 * unit / w->machine.flash[DTCI_BACKWARD], term);
}

/* Scores and values as batches of products, twice as many backward; `keys` of a sequence. */
static void eager_attention(layer *l, uint64_t keys)
{
  const dtc_model *m = &l->w->c->model;
  const dtc_plan *p = &l->w->c->plan;
  uint64_t query = m->kv_rank != 0 ? m->qk_nope_dim + m->qk_rope_dim : m->head_dim;
  uint64_t value = m->kv_rank != 0 ? m->v_dim : m->head_dim;
  uint64_t rows = dtci_ceil_div(l->kind == DTCI_TIMED_ENCODER ? p->encoder_seq : p->seq, p->cp);
  double batch = (double)dtci_mul(p->micro_batch, dtci_ceil_div(m->heads, p->tp), &l->w->bad);
  uint32_t in = l->in > DTCI_IN_16 ? (uint32_t)DTCI_IN_16 : l->in;
  double out = in == DTCI_IN_FP32 ? 4 : 2;
  const dtci_gemm shapes[2] = {{rows, keys, query, batch, out}, {rows, value, keys, batch, out}};
  uint32_t text = DTC_OPERATOR_ATTENTION * DTCI_PASSES;
  for (int i = 0; i < 2; i++) {
    double seconds = l->w->machine.attention * dtci_product_time(&l->w->machine, in, &shapes[i]);
    l->forward[DTC_OPERATOR_ATTENTION] += seconds;
    add_gemm(l, DTCI_FORWARD, DTC_STEP_ITEM_ATTENTION, text + DTCI_PASS_FORWARD, seconds, in, &shapes[i]);
    add_gemm(l, DTCI_BACKWARD, DTC_STEP_ITEM_ATTENTION, text + DTCI_PASS_INPUT, 2 * seconds, in, &shapes[i]);
  }
}

static void attention(layer *l, const dtci_product *p)
{
  const dtc_plan *plan = &l->w->c->plan;
  int encoded = l->kind == DTCI_TIMED_ENCODER || p->times > 1;
  if (dtci_is_unfused(plan))
    eager_attention(l, encoded ? plan->encoder_seq : plan->seq);
  else
    fused_attention(l, p);
}

static void products(layer *l)
{
  dtci_product p;
  for (uint32_t i = 0; i < dtci_product_rows_count; i++) {
    if (!dtci_ledger_product(&l->w->ledger, i, &p))
      continue;
    if (p.op == DTC_OPERATOR_ATTENTION)
      attention(l, &p);
    else if (p.op == DTC_OPERATOR_EXPERTS)
      experts(l, &p);
    else
      dense(l, &p);
  }
}

/* ---- what moves through memory --------------------------------------------------------------- */

/* What a row's bytes are counted in. */
static double factor(const dtci_step_work *w, uint32_t text)
{
  const dtc_plan *p = &w->c->plan;
  switch (text) {
  case DTCI_STEP_TEXT_PERMUTE:
    return dtci_step_shared.permute * (p->dispatcher == DTC_DISPATCHER_FLEX ? dtci_step_shared.flex : 1);
  case DTCI_STEP_TEXT_SCALING:
    return dtci_step_shared.recipe[p->precision == DTC_PRECISION_FP4 ? 0 : p->fp8_recipe];
  case DTCI_STEP_TEXT_LOGITS:
    return dtci_step_shared.logit;
  default:
    return 1;
  }
}

static void moved(layer *l)
{
  dtci_step_work *w = l->w;
  const dtc_plan *p = &w->c->plan;
  double wide = p->precision == DTC_PRECISION_FP32 ? 2 : 1;
  for (uint32_t i = 0; i < dtci_moved_rows_count; i++) {
    const dtci_moved_row *row = &dtci_moved_rows[i];
    if ((row->needs & ~l->has) != 0 || (row->lacks & l->has) != 0 || ((row->needs ^ l->has) & DTCI_IF_HEAD) != 0)
      continue;
    double values = dtci_ledger_values(&w->ledger, row->basis, row->shard) * wide * factor(w, row->text);
    double ways[DTCI_WAYS] = {values * row->forward, values * row->backward};
    double rate = w->machine.hbm / (row->item == DTC_STEP_ITEM_ATTENTION ? w->machine.attention : 1);
    l->forward[row->op] += ways[DTCI_FORWARD] / rate;
    l->moved[row->op] += ways[DTCI_FORWARD] / rate;
    for (uint32_t way = 0; way < DTCI_WAYS; way++)
      if (ways[way] > 0)
        add(l, way, row->item, ways[way] / rate, (dtc_step_term){.index = row->text + way, .bytes = ways[way]});
  }
}

/* Gradients that no product adds up: read in 16 bit, their sum read and written. */
static void add_gradients(layer *l, double params)
{
  double bytes = l->has & DTCI_IF_SUMS_APART && !dtci_has_adapters(&l->w->c->plan) ? 10 * params : 0;
  double seconds = bytes / l->w->machine.hbm;
  if (bytes > 0) {
    l->time->weight += seconds;
    add(l, DTCI_BACKWARD, DTC_STEP_ITEM_ELEMENTWISE, seconds,
        (dtc_step_term){.index = DTCI_STEP_TEXT_SUMS, .bytes = bytes});
  }
}

/* ---- messages -------------------------------------------------------------------------------- */

static void add_message(layer *l, uint32_t way, dtc_step_item item, uint32_t text, double seconds, double bytes)
{
  if (seconds > 0)
    add(l, way, item, seconds, (dtc_step_term){.index = text, .bytes = bytes});
}

/* Sublayers whose input and output tensor parallelism exchanges. */
static uint64_t sublayers(const layer *l)
{
  static const uint8_t usual[DTCI_TIMED_KINDS] = {
      [DTCI_TIMED_DENSE] = 2,     [DTCI_TIMED_MOE] = 1, [DTCI_TIMED_MAMBA] = 1,
      [DTCI_TIMED_ATTENTION] = 1, [DTCI_TIMED_MLP] = 1, [DTCI_TIMED_ENCODER] = 2};
  uint64_t more = l->kind == DTCI_TIMED_MOE && l->w->c->model.shared_ffn != 0;
  more += (l->has & DTCI_IF_CROSS) != 0;
  return usual[l->kind] + more;
}

/* All-reduces, or with sequence parallelism gathering and scattering; Megatron gathers once more for the gradients of
 * weights. */
static void tp_messages(layer *l)
{
  dtci_step_work *w = l->w;
  const dtc_plan *p = &w->c->plan;
  double bytes = dtci_ledger_values(&w->ledger, DTCI_OF_HIDDEN, DTCI_SHARD_NONE) * (double)dtci_activation_size(p);
  double n = (double)sublayers(l);
  if (p->tp == 1 || l->kind == DTCI_TIMED_HEAD)
    return;
  int sequence = p->sequence_parallel == DTC_BOOL_ON;
  int again = sequence && dtci_frameworks[p->framework].megatron;
  int narrow = w->machine.software->narrow && l->in > DTCI_IN_16;
  double gather = dtci_message(w, DTC_COLLECTIVE_ALL_GATHER, narrow ? bytes / 2 : bytes, p->tp, 1);
  double pair = sequence ? gather + dtci_message(w, DTC_COLLECTIVE_REDUCE_SCATTER, bytes, p->tp, 1)
                         : dtci_message(w, DTC_COLLECTIVE_ALL_REDUCE, bytes, p->tp, 1);
  double seen = p->tp_overlap == DTC_BOOL_ON ? 1 - w->machine.software->tp_hidden : 1;
  add_message(l, DTCI_FORWARD, DTC_STEP_ITEM_TP, DTCI_STEP_TEXT_TP, n * pair * seen, n * bytes);
  add_message(l, DTCI_BACKWARD, DTC_STEP_ITEM_TP, DTCI_STEP_TEXT_TP_BACK, n * (pair + (again ? gather : 0)) * seen,
              n * bytes);
  if (p->recompute_distributed != DTC_BOOL_ON || p->recompute != DTC_RECOMPUTE_FULL)
    return;
  add_message(l, DTCI_BACKWARD, DTC_STEP_ITEM_TP, DTCI_STEP_TEXT_KEPT, gather, bytes);
  add(l, DTCI_BACKWARD, DTC_STEP_ITEM_RECOMPUTE, 3 * bytes / w->machine.hbm,
      (dtc_step_term){.index = DTCI_STEP_TEXT_KEPT, .bytes = 3 * bytes});
}

/* Keys and values go around while attention works on those that are there, or all of it is exchanged for heads. */
static void cp_messages(layer *l)
{
  dtci_step_work *w = l->w;
  const dtc_plan *p = &w->c->plan;
  double e = (double)dtci_activation_size(p) * (double)p->cp;
  if (p->cp == 1 || l->forward[DTC_OPERATOR_ATTENTION] <= 0)
    return;
  int latent = w->c->model.kv_rank != 0;
  double out = e * dtci_ledger_values(&w->ledger, latent ? DTCI_OF_V_MLA : DTCI_OF_Q, DTCI_SHARD_TP);
  double bytes = latent ? out + e * dtci_ledger_values(&w->ledger, DTCI_OF_QK_MLA, DTCI_SHARD_TP)
                        : 2 * e * dtci_ledger_values(&w->ledger, DTCI_OF_KV, DTCI_SHARD_TP);
  if (w->machine.software->cp_heads) {
    bytes += latent ? bytes - out : out; /* queries too */
    double seconds = dtci_message(w, DTC_COLLECTIVE_ALL_TO_ALL, bytes, p->cp, p->tp) +
                     dtci_message(w, DTC_COLLECTIVE_ALL_TO_ALL, out, p->cp, p->tp);
    add_message(l, DTCI_FORWARD, DTC_STEP_ITEM_CP, DTCI_STEP_TEXT_CP, seconds, bytes + out);
    add_message(l, DTCI_BACKWARD, DTC_STEP_ITEM_CP, DTCI_STEP_TEXT_CP_BACK, seconds, bytes + out);
    return;
  }
  double seconds = dtci_message(w, DTC_COLLECTIVE_ALL_GATHER, bytes, p->cp, p->tp);
  double hides = dtci_step_shared.cp_hides;
  double backward = l->time->item[DTCI_BACKWARD][DTC_STEP_ITEM_ATTENTION];
  add_message(l, DTCI_FORWARD, DTC_STEP_ITEM_CP, DTCI_STEP_TEXT_CP,
              seconds - hides * l->forward[DTC_OPERATOR_ATTENTION], bytes);
  add_message(l, DTCI_BACKWARD, DTC_STEP_ITEM_CP, DTCI_STEP_TEXT_CP_BACK, 2 * seconds - hides * backward, 2 * bytes);
}

/* Dispatch and combine: a token goes once to every rank, or node, that has one of its experts. */
static void ep_messages(layer *l)
{
  dtci_step_work *w = l->w;
  const dtc_plan *p = &w->c->plan;
  if (p->ep == 1 || l->kind != DTCI_TIMED_MOE)
    return;
  double picks = (double)w->c->model.top_k;
  double ranks = (double)p->ep;
  double domain = (double)w->machine.domain;
  double domains = dtci_larger_f64(1, ranks * (double)p->etp / domain);
  double inside = ranks < domain ? ranks : domain;
  double bytes = dtci_ledger_values(&w->ledger, DTCI_OF_HIDDEN, DTCI_SHARD_SP) * (double)dtci_activation_size(p);
  double copies = (picks < ranks ? picks : ranks) * (1 - 1 / inside);
  double leaving = picks * (domains - 1) / domains;
  leaving = leaving < domains - 1 ? leaving : domains - 1;
  double near = bytes * copies / w->machine.exchange;
  double far = leaving > 0 ? bytes * leaving / w->machine.port : 0;
  double one = (dtci_step_shared.exchange_floor + dtci_larger_f64(near, far)) * w->machine.communication;
  double seen = dtci_hides_exchange(p) || p->moe_overlap == DTC_BOOL_ON ? 0 : 1;
  add_message(l, DTCI_FORWARD, DTC_STEP_ITEM_EP, DTCI_STEP_TEXT_EP, 2 * one * seen, 2 * bytes * copies);
  add_message(l, DTCI_BACKWARD, DTC_STEP_ITEM_EP, DTCI_STEP_TEXT_EP_BACK, 2 * one * seen, 2 * bytes * copies);
}

/* ---- what is recomputed ---------------------------------------------------------------------- */

/* Of modules that selective recomputation names. */
static double modules(const layer *l)
{
  const dtc_plan *p = &l->w->c->plan;
  double experts = l->forward[DTC_OPERATOR_EXPERTS] + l->forward[DTC_OPERATOR_ROUTER];
  double sum = 0;
  sum += p->recompute_core_attn == DTC_BOOL_ON ? l->forward[DTC_OPERATOR_ATTENTION] : 0;
  sum += p->recompute_mlp == DTC_BOOL_ON ? l->forward[DTC_OPERATOR_MLP] : 0;
  sum += p->recompute_layernorm == DTC_BOOL_ON ? l->moved[DTC_OPERATOR_NORM] : 0;
  sum += p->recompute_mla_up_proj == DTC_BOOL_ON ? l->up : 0;
  if (p->recompute_moe == DTC_BOOL_ON)
    return sum + experts + l->forward[DTC_OPERATOR_SHARED_EXPERTS] + l->time->item[DTCI_FORWARD][DTC_STEP_ITEM_EP];
  sum += p->recompute_moe_act == DTC_BOOL_ON ? l->moved[DTC_OPERATOR_EXPERTS] : 0;
  sum += p->recompute_shared_experts == DTC_BOOL_ON ? l->forward[DTC_OPERATOR_SHARED_EXPERTS] : 0;
  return sum;
}

/* TorchTitan's policy: all but attention, and a share of the products and of their messages. */
static double policy(const layer *l)
{
  double moved = 0;
  double all = 0;
  for (uint32_t op = DTC_OPERATOR_NORM; op <= DTC_OPERATOR_MAMBA; op++) {
    moved += l->moved[op];
    all += op != DTC_OPERATOR_ATTENTION ? l->forward[op] : 0;
  }
  return moved + dtci_policy_share(&l->w->c->model, &l->w->c->plan) * (all - moved) +
         l->time->item[DTCI_FORWARD][DTC_STEP_ITEM_TP] / 2;
}

static void recompute(layer *l)
{
  const dtc_plan *p = &l->w->c->plan;
  double seconds = 0;
  if (l->kind == DTCI_TIMED_HEAD)
    return;
  if (p->recompute == DTC_RECOMPUTE_FULL)
    seconds = l->w->again * l->time->sum[DTCI_FORWARD];
  else if (p->recompute == DTC_RECOMPUTE_SELECTIVE)
    seconds = l->w->ledger.form == DTCI_FORM_TT ? policy(l) : modules(l);
  if (seconds > 0)
    add(l, DTCI_BACKWARD, DTC_STEP_ITEM_RECOMPUTE, seconds, (dtc_step_term){.index = DTCI_STEP_TEXT_RECOMPUTE});
}

/* ---- the host -------------------------------------------------------------------------------- */

/* Kernels follow each other with gaps, and a layer takes no less than the host needs to launch it. */
static void launch(layer *l)
{
  const dtci_step_machine *g = &l->w->machine;
  const dtc_plan *p = &l->w->c->plan;
  double share = p->recompute == DTC_RECOMPUTE_FULL                                             ? l->w->again
                 : p->recompute == DTC_RECOMPUTE_SELECTIVE && l->w->ledger.form == DTCI_FORM_TT ? .5
                                                                                                : 0;
  const double graphed[] = {1, 1, dtci_step_shared.graphed, 0}; /* by dtc_cuda_graph */
  int fixed =
      p->capacity_percent != 0 && p->cuda_graph < DTC_CUDA_GRAPH_PARTIAL; /* the host need not wait for counts */
  double share_seen = graphed[fixed ? DTC_CUDA_GRAPH_PARTIAL : p->cuda_graph];
  double routed = l->kind == DTCI_TIMED_MOE ? g->host * dtci_step_shared.moe_host * share_seen : 0;
  double forward = g->host * g->software->host * dtci_step_shared.host[DTCI_FORWARD] + routed;
  double backward = g->host * g->software->host * dtci_step_shared.host[DTCI_BACKWARD] + 1.5 * routed + share * forward;
  double least[DTCI_WAYS] = {forward, backward};
  double again = share == 1 ? 1 : 0; /* gaps of a forward that runs again */
  double once = dtci_step_shared.gap[DTCI_FORWARD] + g->software->gap;
  const double gap[DTCI_WAYS] = {once, dtci_step_shared.gap[DTCI_BACKWARD] + 2 * g->software->gap + again * once};
  if (l->kind == DTCI_TIMED_HEAD)
    return;
  for (uint32_t way = 0; way < DTCI_WAYS; way++) {
    double with = dtci_larger_f64(l->time->sum[way] + gap[way] * g->host, least[way]);
    add(l, way, DTC_STEP_ITEM_LAUNCH, with - l->time->sum[way], (dtc_step_term){.index = DTCI_STEP_TEXT_HOST + way});
  }
}

/* ---- a layer --------------------------------------------------------------------------------- */

/* Conditions of the moved rows: the ledger's, the same for every set of modules, and those that only time knows. */
static uint64_t conditions(const dtci_step_work *w)
{
  const dtc_plan *p = &w->c->plan;
  uint64_t has =
      w->ledger.has & ~(DTCI_IF_EAGER | DTCI_IF_FLASH | DTCI_IF_DROPOUT | DTCI_IF_DROPS_SCORES | DTCI_IF_FP8);
  int apart = p->grad_fusion != DTC_BOOL_ON && !dtci_shardings[p->sharding].weights;
  has |= dtci_is_unfused(p) ? DTCI_IF_EAGER : DTCI_IF_FLASH;
  has |= p->dropout == DTC_BOOL_ON ? DTCI_IF_DROPOUT : 0u;
  has |= w->c->model.position == DTC_POSITION_ROPE ? DTCI_IF_ROPE : 0u;
  has |= p->precision == DTC_PRECISION_FP8 || p->precision == DTC_PRECISION_FP4 ? DTCI_IF_FP8 : 0u;
  has |= p->compile == DTC_BOOL_ON ? DTCI_IF_COMPILED : 0u;
  has |= w->machine.software->unpads ? DTCI_IF_UNPADDED : 0u;
  has |= p->attention_dropout == DTC_BOOL_ON ? DTCI_IF_DROPS_SCORES : 0u;
  has |= p->activation_fusion == DTC_BOOL_OFF ? DTCI_IF_EXPERT_STEPS : 0u;
  int megatron = w->ledger.form == DTCI_FORM_TE || w->ledger.form == DTCI_FORM_LOCAL;
  int steps = megatron ? p->activation_fusion == DTC_BOOL_OFF : p->compile != DTC_BOOL_ON;
  has |= steps ? DTCI_IF_STEPS : 0u;
  return has | (apart ? DTCI_IF_SUMS_APART : 0u);
}

static double params_of(const dtci_memory_setup *s, uint32_t kind)
{
  switch (kind) {
  case DTCI_TIMED_DENSE:
    return (double)s->dense.params;
  case DTCI_TIMED_MOE:
    return (double)s->moe.params + (double)s->experts.params;
  case DTCI_TIMED_HEAD:
    return (double)s->output;
  default:
    return (double)s->kind[kind - DTCI_TIMED_MAMBA + DTCI_MAMBA_LAYER].params;
  }
}

static void time_layer(dtci_step_work *w, uint32_t kind)
{
  layer l = {.w = w, .time = &w->layer[kind], .kind = kind, .in = dtci_step_type(&w->c->plan)};
  dtci_ledger_look(&w->ledger, ledger_kind[kind], &w->bad);
  l.has = conditions(w);
  int kept = !dtci_shardings[w->c->plan.sharding].weights; /* else a gradient is sent before the next is made */
  l.sum = kept && w->c->plan.grad_fusion == DTC_BOOL_ON ? 8 : 4;
  products(&l);
  moved(&l);
  add_gradients(&l, params_of(w->held, kind));
  tp_messages(&l);
  cp_messages(&l);
  ep_messages(&l);
  recompute(&l);
  launch(&l);
}

void dtci_step_layers(dtci_step_work *w)
{
  const dtc_model *m = &w->c->model;
  int hybrid = dtci_is_hybrid(m);
  memset(w->layer, 0, sizeof w->layer);
  w->again = dtci_recomputed_share(m, &w->c->plan);
  if (!hybrid)
    time_layer(w, DTCI_TIMED_DENSE);
  if (m->experts != 0)
    time_layer(w, DTCI_TIMED_MOE);
  time_layer(w, DTCI_TIMED_HEAD);
  for (uint32_t kind = DTCI_TIMED_MAMBA; kind < DTCI_TIMED_ENCODER && hybrid; kind++)
    time_layer(w, kind);
  if (m->encoder_layers != 0)
    time_layer(w, DTCI_TIMED_ENCODER);
}
