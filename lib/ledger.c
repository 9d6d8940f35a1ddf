/* Sums over the operator table. */
#include "internal/model.h"
#include "internal/operators.h"
#include "internal/tuning.h"

enum { TITAN_FUSED_QKV = 3000 }; /* version from which query, key and value are one product: 0.3.0 */

enum { SAVED_MOST = 48 }; /* tensors that a layer keeps */

/* Which modules run, DTCI_FORM_*: Megatron's own for its models, under DeepSpeed (Megatron-DeepSpeed) too. */
static uint32_t form_of(const dtc_model *m, const dtc_plan *p)
{
  uint32_t form = dtci_frameworks[p->framework].form;
  int own = p->framework == DTC_FRAMEWORK_DEEPSPEED && m->arch == DTC_ARCH_MEGATRON;
  if (form != DTCI_FORM_TE && !own)
    return form;
  return p->transformer_engine == DTC_BOOL_ON ? DTCI_FORM_TE : DTCI_FORM_LOCAL;
}

static int is_megatron(uint32_t form)
{
  return form == DTCI_FORM_TE || form == DTCI_FORM_LOCAL;
}

static int is_torch(uint32_t form)
{
  return form == DTCI_FORM_HF || form == DTCI_FORM_TT;
}

/* The parts of a layer of a kind, by dtc_layer_kind. */
static const uint64_t parts[] = {
    [DTC_LAYER_KIND_DENSE] = DTCI_IF_DENSE, [DTC_LAYER_KIND_MOE] = DTCI_IF_MOE,
    [DTC_LAYER_KIND_HEAD] = DTCI_IF_HEAD,   [DTC_LAYER_KIND_MAMBA] = DTCI_IF_MAMBA,
    [DTC_LAYER_KIND_MLP] = DTCI_IF_DENSE,   [DTC_LAYER_KIND_ENCODER] = DTCI_IF_DENSE,
};

/* Conditions of every layer. */
static uint64_t common_conditions(const dtc_model *m, const dtc_plan *p, uint32_t form)
{
  uint64_t has = is_torch(form) ? dtci_torch_conditions(p) : p->dropout == DTC_BOOL_ON ? DTCI_IF_DROPOUT : 0u;
  has |= m->gated == DTC_BOOL_ON ? DTCI_IF_GATED : DTCI_IF_PLAIN;
  has |= m->norm == DTC_NORM_RMSNORM ? DTCI_IF_RMSNORM : DTCI_IF_LAYERNORM;
  has |= m->qk_norm == DTC_BOOL_ON ? DTCI_IF_QK_NORM : 0u;
  has |= dtci_autocast(p) ? DTCI_IF_AUTOCAST : DTCI_IF_UNCAST;
  int upcast = dtci_autocast(p) || !dtci_archs[m->arch].gelu_new;
  has |= p->precision != DTC_PRECISION_FP32 && upcast ? DTCI_IF_FP32_SOFTMAX : 0u;
  has |= dtci_archs[m->arch].gelu_new ? DTCI_IF_GELU_NEW : 0u;
  has |= p->fused_norm == DTC_BOOL_OFF && p->compile == DTC_BOOL_OFF ? DTCI_IF_NORM_STEPS : 0u;
  has |= p->attention == DTC_ATTENTION_MATH ? DTCI_IF_SOFTMAX_STEPS : 0u;
  return has;
}

static uint64_t kind_conditions(const dtci_ledger *l, dtc_layer_kind kind, uint64_t modules)
{
  const dtc_plan *p = l->p;
  uint64_t has = l->common | parts[kind];
  int attends = kind != DTC_LAYER_KIND_MAMBA && kind != DTC_LAYER_KIND_MLP;
  if (attends)
    has |= l->m->kv_rank != 0 ? DTCI_IF_MLA : DTCI_IF_MHA;
  if (attends && !is_torch(l->form))
    has |= dtci_is_unfused(p) ? DTCI_IF_EAGER : DTCI_IF_FLASH;
  return is_megatron(l->form) ? has | dtci_megatron_conditions(l->m, p, kind, modules) : has;
}

uint64_t dtci_rope_values(const dtc_model *m)
{
  uint64_t each = dtci_rotary_width(m);
  return m->position != DTC_POSITION_ROPE ? 0 : dtci_archs[m->arch].cos_sin ? 2 * each : each;
}

/* Sizes of Megatron's rows alone. */
static void measure_megatron(uint64_t *b, const dtc_model *m, const dtc_plan *p)
{
  uint64_t d = m->head_dim;
  b[DTCI_OF_MOE_FFN] = m->moe_ffn;
  b[DTCI_OF_TOP_K] = m->top_k;
  b[DTCI_OF_NORMS_MORE_H] = m->norms > 2 ? (m->norms - 2) * m->hidden : 0;
  b[DTCI_OF_ROPE_DIM] = dtci_rotary_width(m);
  b[DTCI_OF_KV_HEADS_Q] = 2 * m->heads * d;
  b[DTCI_OF_CROSS_SCORES] = m->heads * p->encoder_seq;
  b[DTCI_OF_MAMBA_IN] = dtci_model_dim(m, DTCI_DIM_MAMBA_IN);
  b[DTCI_OF_MAMBA_INNER] = m->mamba_inner;
  b[DTCI_OF_HEAD_DIM] = d;
}

/* Fields are bounded by 2^32 and head counts and sizes by 2^20, so that no product here overflows. */
static void measure(uint64_t *b, const dtc_model *m, const dtc_plan *p)
{
  uint64_t d = m->head_dim;
  b[DTCI_OF_TOKEN] = 1;
  b[DTCI_OF_HIDDEN] = m->hidden;
  b[DTCI_OF_READ_QKV] = dtci_archs[m->arch].readers[0] * m->hidden;
  b[DTCI_OF_READ_MLP] = dtci_archs[m->arch].readers[1] * m->hidden;
  b[DTCI_OF_NORMS_H] = m->norms * m->hidden;
  b[DTCI_OF_NORMS_REST] = (m->norms - 1) * m->hidden;
  b[DTCI_OF_NORMS] = m->norms;
  b[DTCI_OF_Q] = m->heads * d;
  b[DTCI_OF_KV] = m->kv_heads * d;
  b[DTCI_OF_QK] = (m->heads + m->kv_heads) * d;
  b[DTCI_OF_QK_HEADS] = m->heads + m->kv_heads;
  b[DTCI_OF_QKV_OUT] = (m->heads + 2 * m->kv_heads) * d;
  b[DTCI_OF_KV_REPEATED] = 2 * (m->heads - m->kv_heads) * d;
  b[DTCI_OF_HEADS] = m->heads;
  b[DTCI_OF_SCORES] = m->heads * p->seq;
  b[DTCI_OF_FFN] = m->ffn;
  b[DTCI_OF_SHARED_FFN] = m->shared_ffn;
  b[DTCI_OF_EXPERTS] = m->experts;
  b[DTCI_OF_ROUTES] = 2 * m->experts + 1;
  b[DTCI_OF_ROWS_H] = m->top_k * m->hidden;
  b[DTCI_OF_ROWS_FFN] = m->top_k * m->moe_ffn;
  b[DTCI_OF_Q_RANK] = m->q_rank;
  b[DTCI_OF_KV_RANK] = m->kv_rank;
  b[DTCI_OF_Q_IN] = m->q_rank != 0 ? m->q_rank : m->hidden;
  b[DTCI_OF_KV_DOWN] = m->kv_rank + m->qk_rope_dim;
  b[DTCI_OF_KV_UP] = m->heads * (m->qk_nope_dim + m->v_dim);
  b[DTCI_OF_QK_MLA] = m->heads * (m->qk_nope_dim + m->qk_rope_dim);
  b[DTCI_OF_V_MLA] = m->heads * m->v_dim;
  b[DTCI_OF_QK_V] = m->heads * (d + (m->kv_rank != 0 ? m->v_dim : d));
  b[DTCI_OF_SEQ] = p->seq;
  b[DTCI_OF_SHARED_GATE] = m->shared_ffn != 0 && m->shared_gate == DTC_BOOL_ON;
  b[DTCI_OF_ROPE] = dtci_rope_values(m);
  b[DTCI_OF_VOCAB] = dtci_padded_vocab(m, p);
  b[DTCI_OF_ONE_QKV] = dtci_archs[m->arch].readers[0] == 1 && m->position == DTC_POSITION_ROPE ? b[DTCI_OF_QK] : 0;
  measure_megatron(b, m, p);
}

/* The rows of a form. */
static const dtci_saved_row *rows_of(uint32_t form, uint32_t *count)
{
  switch (form) {
  case DTCI_FORM_LOCAL:
    *count = dtci_saved_local_count;
    return dtci_saved_local;
  case DTCI_FORM_HF:
    *count = dtci_saved_hf_count;
    return dtci_saved_hf;
  case DTCI_FORM_SCALING:
    *count = dtci_saved_scaling_count;
    return dtci_saved_scaling;
  case DTCI_FORM_TT:
    *count = dtci_saved_titan_count;
    return dtci_saved_titan;
  default:
    *count = dtci_saved_te_count;
    return dtci_saved_te;
  }
}

/* Ranks that share a row's bytes. */
static void measure_ranks(uint64_t ranks[DTCI_SHARDS], const dtc_plan *p)
{
  uint64_t sp = p->sequence_parallel == DTC_BOOL_ON ? p->tp : 1;
  for (uint32_t i = 0; i < DTCI_SHARDS; i++)
    ranks[i] = 1;
  ranks[DTCI_SHARD_TP] = ranks[DTCI_SHARD_ENCODER] = p->tp;
  ranks[DTCI_SHARD_SP] = ranks[DTCI_SHARD_ETP] = ranks[DTCI_SHARD_PICKS] = sp;
  ranks[DTCI_SHARD_EXPERT] = p->etp;
}

void dtci_ledger_begin(dtci_ledger *l, const dtc_model *m, const dtc_plan *p, int *bad)
{
  l->m = m;
  l->p = p;
  l->form = form_of(m, p);
  l->rows = rows_of(l->form, &l->count);
  l->common = common_conditions(m, p, l->form);
  l->encoder = dtci_tokens_of(p, p->encoder_seq, bad);
  measure(l->basis, m, p);
  memset(l->basis + DTCI_OF_LORA_QKV, 0, (DTCI_OF_QUANT_MLP + 1 - DTCI_OF_LORA_QKV) * sizeof l->basis[0]);
  measure_ranks(l->ranks, p);
}

/* Sets what differs from layer to layer. */
static void look_at(dtci_ledger *l, dtc_layer_kind kind, uint64_t modules, int *bad)
{
  const dtc_plan *p = l->p;
  int encoder = kind == DTC_LAYER_KIND_ENCODER;
  uint64_t seq = encoder ? p->encoder_seq : p->seq;
  uint64_t tokens = dtci_tokens_of(p, seq, bad);
  uint64_t rows = is_megatron(l->form) ? dtci_routed_rows(l->m, p, tokens, bad) : dtci_mul(tokens, l->m->top_k, bad);
  l->has = kind_conditions(l, kind, modules);
  l->basis[DTCI_OF_SEQ] = seq;
  l->basis[DTCI_OF_SCORES] = l->m->heads * seq;
  if (dtci_has_adapters(p))
    dtci_torch_sizes(l->basis, l->m, p, kind, bad);
  for (uint32_t i = 0; i < DTCI_SHARDS; i++)
    l->times[i] = tokens;
  l->times[DTCI_SHARD_ROWS] = l->times[DTCI_SHARD_EXPERT] = rows;
  l->times[DTCI_SHARD_PICKS] = dtci_mul(tokens, l->m->top_k, bad);
  l->times[DTCI_SHARD_BATCH] = tokens / p->micro_batch;
  l->times[DTCI_SHARD_ONCE] = 1;
  l->times[DTCI_SHARD_ENCODER] = l->encoder;
}

/* ---- what layers keep ------------------------------------------------------------------------ */

/* Modules that selective recomputation takes. */
static uint64_t recomputed(const dtc_plan *p)
{
  uint64_t modules = 0;
  if (p->recompute != DTC_RECOMPUTE_SELECTIVE)
    return 0;
  if (dtci_frameworks[p->framework].form == DTCI_FORM_TT)
    return DTCI_MODULE_POLICY | (p->compile == DTC_BOOL_ON ? DTCI_MODULE_COMPILED : 0u) |
           (p->framework_version < TITAN_FUSED_QKV ? DTCI_MODULE_UNFUSED : 0u);
  modules |= p->recompute_core_attn == DTC_BOOL_ON ? DTCI_MODULE_CORE_ATTN : 0u;
  modules |= p->recompute_mlp == DTC_BOOL_ON ? DTCI_MODULE_MLP : 0u;
  modules |= p->recompute_layernorm == DTC_BOOL_ON ? DTCI_MODULE_LAYERNORM : 0u;
  modules |= p->recompute_moe_act == DTC_BOOL_ON ? DTCI_MODULE_MOE_ACT : 0u;
  modules |= p->recompute_mla_up_proj == DTC_BOOL_ON ? DTCI_MODULE_MLA_UP : 0u;
  modules |= p->recompute_moe == DTC_BOOL_ON ? DTCI_MODULE_MOE : 0u;
  modules |= p->recompute_shared_experts == DTC_BOOL_ON ? DTCI_MODULE_SHARED : 0u;
  return modules;
}

/* Does the layer that is looked at keep the row, when these modules are recomputed? */
static int keeps(const dtci_ledger *l, const dtci_saved_row *row, uint64_t modules)
{
  uint64_t head = (row->needs ^ l->has) & DTCI_IF_HEAD;
  return ((row->needs & ~l->has) | head | (row->modules & modules)) == 0;
}

static uint64_t share(uint64_t n, uint64_t ranks)
{
  return ranks != 1 ? dtci_ceil_div(n, ranks) : n;
}

static uint64_t row_bytes(const dtci_ledger *l, const dtci_saved_row *row, int *bad)
{
  uint64_t each = row->per_value * dtci_activation_size(l->p) + row->bytes;
  uint64_t n = dtci_mul(dtci_mul(each, l->basis[row->basis], bad), l->times[row->shard], bad);
  if (row->shard == DTCI_SHARD_ETP) /* every rank of the expert tensor parallel group has all rows */
    n = dtci_mul(n, l->p->etp, bad);
  return share(n, l->ranks[row->shard]);
}

/* Bytes that one operator keeps, but for what `modules` drop; 0 for the operator means all of them. */
static uint64_t saved_by(const dtci_ledger *l, dtc_operator op, uint64_t modules, int *bad)
{
  uint64_t sum = 0;
  modules |= dtci_has_adapters(l->p) ? DTCI_MODULE_FROZEN : 0u;
  modules |= l->p->compile == DTC_BOOL_ON ? DTCI_MODULE_INDUCTOR : 0u;
  for (uint32_t i = 0; i < l->count; i++) {
    const dtci_saved_row *row = &l->rows[i];
    if (keeps(l, row, modules) && (op == DTC_OPERATOR_NONE || row->op == op))
      sum = dtci_add(sum, row_bytes(l, row, bad), bad);
  }
  return sum;
}

uint64_t dtci_hidden_bytes(const dtc_model *m, const dtc_plan *p, int *bad)
{
  uint64_t tokens = dtci_tokens_of(p, p->seq, bad);
  uint64_t e = dtci_autocast(p) ? 4 : dtci_activation_size(p); /* autocast leaves the residual stream in fp32 */
  uint64_t n = dtci_mul(dtci_mul(e, m->hidden, bad), tokens, bad);
  return share(n, p->sequence_parallel == DTC_BOOL_ON ? p->tp : 1);
}

/* The same of a layer in memory: Megatron's tensors in the blocks that the caching allocator gives them, but for dropout
 * masks, which are made in fused kernels; the causal mask that all layers share is counted apart. */
static uint64_t saved_blocks(const dtci_ledger *l, uint64_t modules, int *bad)
{
  uint64_t tensors[SAVED_MOST];
  uint64_t sum = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    const dtci_saved_row *row = &l->rows[i];
    if (!keeps(l, row, modules) || (row->needs & DTCI_IF_CAUSAL_MASK))
      continue;
    if (row->op == DTC_OPERATOR_DROPOUT)
      sum = dtci_add(sum, row_bytes(l, row, bad), bad);
    else if (n < SAVED_MOST)
      tensors[n++] = row_bytes(l, row, bad);
    else
      *bad = 1; /* more tensors than a layer of any plan was seen to keep */
  }
  for (uint32_t i = 0; i < n; i++)
    sum = dtci_add(sum, dtci_block_size(tensors, n, tensors[i]), bad);
  return sum;
}

static uint64_t saved_kind(dtci_ledger *l, dtc_layer_kind kind, uint64_t modules, int *bad)
{
  look_at(l, kind, modules, bad);
  if (dtci_frameworks[l->p->framework].megatron && kind != DTC_LAYER_KIND_HEAD)
    return saved_blocks(l, modules, bad);
  return saved_by(l, DTC_OPERATOR_NONE, modules, bad);
}

/* What a layer that is recomputed whole keeps: its input, split over tp where asked for. */
static uint64_t kept_input(const dtc_model *m, const dtc_plan *p, int *bad)
{
  int split = p->recompute_distributed == DTC_BOOL_ON && p->sequence_parallel != DTC_BOOL_ON;
  return dtci_ceil_div(dtci_hidden_bytes(m, p, bad), split ? p->tp : 1);
}

uint64_t dtci_saved(dtci_ledger *l, dtc_layer_kind kind, int *bad)
{
  if (l->p->recompute == DTC_RECOMPUTE_FULL && kind != DTC_LAYER_KIND_HEAD)
    return kept_input(l->m, l->p, bad);
  return saved_kind(l, kind, recomputed(l->p), bad);
}

uint64_t dtci_saved_whole(dtci_ledger *l, dtc_layer_kind kind, int *bad)
{
  return saved_kind(l, kind, 0, bad);
}

uint64_t dtci_saved_by(dtci_ledger *l, dtc_layer_kind kind, dtc_operator op, int *bad)
{
  look_at(l, kind, 0, bad);
  return saved_by(l, op, 0, bad);
}

uint64_t dtci_saved_frozen(dtci_ledger *l, dtc_layer_kind kind, int *bad)
{
  uint64_t modules = recomputed(l->p) | DTCI_MODULE_FROZEN;
  if (l->p->recompute == DTC_RECOMPUTE_FULL)
    return dtci_hidden_bytes(l->m, l->p, bad);
  look_at(l, kind, modules, bad);
  return saved_by(l, DTC_OPERATOR_NONE, modules, bad);
}

/* ---- rows ------------------------------------------------------------------------------------ */

void dtci_ledger_look(dtci_ledger *l, dtc_layer_kind kind, int *bad)
{
  look_at(l, kind, recomputed(l->p), bad);
}

/* Does the layer compute the product? */
static int computes(const dtci_ledger *l, const dtci_product_row *row)
{
  return (row->needs & ~l->has) == 0 && ((row->needs ^ l->has) & DTCI_IF_HEAD) == 0;
}

double dtci_ledger_values(const dtci_ledger *l, uint8_t basis, uint8_t shard)
{
  return (double)l->basis[basis] * (double)l->times[shard] / (double)l->ranks[shard];
}

int dtci_ledger_product(const dtci_ledger *l, uint32_t i, dtci_product *out)
{
  const dtci_product_row *row = &dtci_product_rows[i];
  uint64_t columns = l->basis[row->columns] * (row->times > 1 ? row->times / 2 : 1);
  uint64_t depth = l->basis[row->depth];
  if (!computes(l, row) || columns == 0 || depth == 0)
    return 0;
  int picks = row->shard == DTCI_SHARD_PICKS;
  int whole = row->part == DTCI_PART_WHOLE || picks;
  uint64_t split = picks ? l->p->etp : l->p->tp;
  int up = row->depth == DTCI_OF_KV_RANK || (row->depth == DTCI_OF_Q_IN && l->m->q_rank != 0);
  *out = (dtci_product){.op = row->op, .part = row->part, .times = row->times > 1 ? 2 : 1, .up = (uint8_t)up};
  out->m = dtci_ceil_div(l->times[row->shard], whole ? l->ranks[row->shard] : 1);
  out->n = row->part == DTCI_PART_COLUMNS || row->part == DTCI_PART_HEADS ? dtci_ceil_div(columns, split) : columns;
  out->k = row->part == DTCI_PART_DEPTH ? dtci_ceil_div(depth, split) : depth;
  return 1;
}

static double forward_flops(const dtci_ledger *l, dtc_operator op)
{
  double sum = 0;
  for (uint32_t i = 0; i < dtci_product_rows_count; i++) {
    const dtci_product_row *row = &dtci_product_rows[i];
    if (row->op != op || !computes(l, row))
      continue;
    double each = (double)l->basis[row->depth] * (double)l->basis[row->columns] * (double)row->times;
    uint64_t ranks = l->ranks[row->shard];
    sum += each * (double)l->times[row->shard] / (double)ranks;
  }
  return sum;
}

/* Gradients of the input, and of what it is multiplied with unless that is frozen. */
static double backward_flops(const dtc_plan *p, dtc_operator op, double forward)
{
  return dtci_has_adapters(p) && op != DTC_OPERATOR_ATTENTION ? forward : 2 * forward;
}

static dtc_status list_rows(const dtci_case *c, dtc_layer_kind kind, dtc_ledger_row *rows, size_t cap, size_t *count,
                            dtc_error *e)
{
  dtci_ledger l;
  int bad = 0;
  size_t n = 0;
  dtci_ledger_begin(&l, &c->model, &c->plan, &bad);
  look_at(&l, kind, recomputed(&c->plan), &bad);
  int full = c->plan.recompute == DTC_RECOMPUTE_FULL && kind != DTC_LAYER_KIND_HEAD;
  for (dtc_operator op = DTC_OPERATOR_NORM; op <= DTC_OPERATOR_MAMBA; op++) {
    dtc_ledger_row row = {.op = op};
    row.saved = saved_by(&l, op, recomputed(&c->plan), &bad);
    if (full) /* of all, only the first norm's input stays */
      row.saved = op == DTC_OPERATOR_NORM ? kept_input(&c->model, &c->plan, &bad) : 0;
    row.forward_flops = forward_flops(&l, op);
    row.backward_flops = backward_flops(&c->plan, op, row.forward_flops);
    if (saved_by(&l, op, 0, &bad) == 0 && row.forward_flops == 0)
      continue;
    if (n < cap)
      rows[n] = row;
    n++;
  }
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), c->plan.micro_batch);
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

/* The model has layers of this kind. */
static dtc_status check_kind(const dtc_model *m, dtc_layer_kind kind, dtc_error *e)
{
  static const uint8_t of[] = {
      [DTC_LAYER_KIND_DENSE] = DTCI_DENSE_LAYER, [DTC_LAYER_KIND_MOE] = DTCI_MOE_LAYER,
      [DTC_LAYER_KIND_MAMBA] = DTCI_MAMBA_LAYER, [DTC_LAYER_KIND_ATTENTION] = DTCI_ATTENTION_LAYER,
      [DTC_LAYER_KIND_MLP] = DTCI_MLP_LAYER,     [DTC_LAYER_KIND_ENCODER] = DTCI_ENCODER_LAYER,
  };
  dtci_layers n = dtci_layers_until(m, m->layers);
  if (kind < DTC_LAYER_KIND_DENSE || kind > DTC_LAYER_KIND_ENCODER)
    return dtci_fail_range(e, DTCI_ARG(KIND), kind, DTC_LAYER_KIND_DENSE, DTC_LAYER_KIND_ENCODER);
  n.of[DTCI_ENCODER_LAYER] = m->encoder_layers;
  if (kind != DTC_LAYER_KIND_HEAD && n.of[of[kind]] == 0)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_LAYER_KIND, DTCI_ARG(KIND), kind);
  return DTC_OK;
}

dtc_status dtc_ledger_rows(const dtc_model *model, const dtc_plan *plan, dtc_layer_kind kind, dtc_ledger_row *rows,
                           size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_case_legal(&c, model, NULL, plan, &e);
  if (s == DTC_OK && !dtci_frameworks[c.plan.framework].megatron)
    s = dtci_model_plain(&c.model, &e);
  s = s != DTC_OK ? s : check_kind(&c.model, kind, &e);
  return dtci_end(s != DTC_OK ? s : list_rows(&c, kind, rows, cap, count, &e), &e, err);
}
