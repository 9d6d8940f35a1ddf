/* Sums over the operator table. */
#include "internal/model.h"
#include "internal/operators.h"

/* What the rows are multiplied with, for one kind of layer under one plan. */
typedef struct sizes {
  uint64_t basis[DTCI_BASES];
  uint64_t tokens; /* of a micro-batch on a rank of the context parallel group */
  uint32_t has;    /* DTCI_IF_* */
  uint32_t form;
} sizes;

uint64_t dtci_activation_size(const dtc_plan *p)
{
  return p->precision == DTC_PRECISION_FP32 ? 4 : 2;
}

static uint32_t conditions(const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind)
{
  uint32_t has = kind == DTC_LAYER_KIND_DENSE ? DTCI_IF_DENSE : kind == DTC_LAYER_KIND_MOE ? DTCI_IF_MOE : DTCI_IF_HEAD;
  has |= m->kv_rank != 0 ? DTCI_IF_MLA : DTCI_IF_MHA;
  has |= m->gated == DTC_BOOL_ON ? DTCI_IF_GATED : DTCI_IF_PLAIN;
  has |= m->norm == DTC_NORM_RMSNORM ? DTCI_IF_RMSNORM : DTCI_IF_LAYERNORM;
  has |= m->qk_norm == DTC_BOOL_ON ? DTCI_IF_QK_NORM : 0u;
  has |= p->attention == DTC_ATTENTION_EAGER ? DTCI_IF_EAGER : DTCI_IF_FLASH;
  has |= p->cp > 1 ? DTCI_IF_CP : 0u;
  has |= p->tp > 1 ? DTCI_IF_TP : 0u;
  has |= p->dropout == DTC_BOOL_ON ? DTCI_IF_DROPOUT : 0u;
  has |= dtci_autocast(p) ? DTCI_IF_AUTOCAST : DTCI_IF_UNCAST;
  int upcast = dtci_autocast(p) || !dtci_archs[m->arch].gelu_new;
  has |= p->precision != DTC_PRECISION_FP32 && upcast ? DTCI_IF_FP32_SOFTMAX : 0u;
  has |= p->etp > 1 ? DTCI_IF_ETP : 0u;
  has |= dtci_archs[m->arch].gelu_new ? DTCI_IF_GELU_NEW : 0u;
  return has;
}

uint64_t dtci_rope_values(const dtc_model *m)
{
  uint64_t each = m->kv_rank != 0 ? m->qk_rope_dim : m->head_dim;
  return m->position != DTC_POSITION_ROPE ? 0 : dtci_archs[m->arch].cos_sin ? 2 * each : each;
}

/* Fields are bounded by 2^32 and head counts and sizes by 2^20, so that no product here overflows. */
static void measure(sizes *z, const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind, int *bad)
{
  uint64_t *b = z->basis;
  uint64_t d = m->head_dim;
  b[DTCI_OF_TOKEN] = 1;
  b[DTCI_OF_HIDDEN] = m->hidden;
  b[DTCI_OF_READ_QKV] = dtci_archs[m->arch].readers[0] * m->hidden;
  b[DTCI_OF_READ_MLP] = dtci_archs[m->arch].readers[1] * m->hidden;
  b[DTCI_OF_NORMS_H] = m->norms * m->hidden;
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
  b[DTCI_OF_VOCAB] = dtci_ceil_div(m->vocab, p->vocab_multiple) * p->vocab_multiple;
  z->tokens = dtci_mul(p->micro_batch, dtci_ceil_div(p->seq, p->cp), bad);
  z->has = conditions(m, p, kind);
  z->form = dtci_frameworks[p->framework].form;
}

static int applies(const sizes *z, uint32_t needs)
{
  return (needs & ~z->has) == 0 && (needs & DTCI_IF_HEAD) == (z->has & DTCI_IF_HEAD);
}

/* Numerator and denominator of a share of a group. */
static uint64_t shared(uint64_t n, uint8_t shard, const dtc_plan *p, int *bad)
{
  uint64_t sp = p->sequence_parallel == DTC_BOOL_ON ? p->tp : 1;
  if (shard == DTCI_SHARD_ETP)
    n = dtci_mul(n, p->etp, bad);
  return shard == DTCI_SHARD_NONE ? n : dtci_ceil_div(n, shard == DTCI_SHARD_TP ? p->tp : sp);
}

static uint64_t row_bytes(const sizes *z, const dtci_saved_row *row, const dtc_plan *p, int *bad)
{
  uint64_t each = row->per_value * dtci_activation_size(p) + row->bytes;
  uint64_t n = dtci_mul(dtci_mul(each, z->basis[row->basis], bad), z->tokens, bad);
  return shared(n, row->shard, p, bad);
}

/* Bytes that one operator keeps; 0 for the operator means all of them. */
static uint64_t saved_by(const sizes *z, const dtc_plan *p, dtc_operator op, dtc_recompute recompute, int *bad)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < dtci_saved_rows_count; i++) {
    const dtci_saved_row *row = &dtci_saved_rows[i];
    if ((op != DTC_OPERATOR_NONE && row->op != op) || !(row->form & z->form) || !applies(z, row->needs))
      continue;
    if (!(recompute == DTC_RECOMPUTE_SELECTIVE && row->selective))
      sum = dtci_add(sum, row_bytes(z, row, p, bad), bad);
  }
  return sum;
}

uint64_t dtci_hidden_bytes(const dtc_model *m, const dtc_plan *p, int *bad)
{
  uint64_t tokens = dtci_mul(p->micro_batch, dtci_ceil_div(p->seq, p->cp), bad);
  uint64_t e = dtci_autocast(p) ? 4 : dtci_activation_size(p); /* autocast leaves the residual stream in fp32 */
  uint64_t n = dtci_mul(dtci_mul(e, m->hidden, bad), tokens, bad);
  return shared(n, DTCI_SHARD_SP, p, bad);
}

uint64_t dtci_saved(const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind, int *bad)
{
  sizes z;
  if (p->recompute == DTC_RECOMPUTE_FULL && kind != DTC_LAYER_KIND_HEAD) /* a layer keeps its input */
    return dtci_hidden_bytes(m, p, bad);
  measure(&z, m, p, kind, bad);
  return saved_by(&z, p, DTC_OPERATOR_NONE, p->recompute, bad);
}

/* Megatron: two hidden states, logits in 16 bit and fp32 (unfused cross entropy). HF: what head and loss keep (fp32
 * probabilities), and two fp32 gradients of their size. */
uint64_t dtci_loss_bytes(const dtc_model *m, const dtc_plan *p, int *bad)
{
  sizes z;
  measure(&z, m, p, DTC_LAYER_KIND_HEAD, bad);
  uint64_t logits = dtci_mul(z.tokens, z.basis[DTCI_OF_VOCAB], bad);
  if (z.form == DTCI_FORM_TE) {
    uint64_t each = p->precision == DTC_PRECISION_FP32 ? 8 : 6;
    return dtci_add(dtci_mul(2, dtci_hidden_bytes(m, p, bad), bad),
                    shared(dtci_mul(each, logits, bad), DTCI_SHARD_TP, p, bad), bad);
  }
  uint64_t gradients = shared(dtci_mul(8, logits, bad), DTCI_SHARD_TP, p, bad);
  return dtci_add(saved_by(&z, p, DTC_OPERATOR_NONE, DTC_RECOMPUTE_NONE, bad), gradients, bad);
}

/* Gradients of a layer's input and of its widest inner tensor: two of a dense MLP's, four of the experts' rows. A layer
 * that is recomputed stands there whole. */
uint64_t dtci_backward_bytes(const dtc_model *m, const dtc_plan *p, int *bad)
{
  sizes z;
  int moe = dtci_moe_layers(m, m->layers) != 0;
  uint64_t hidden = dtci_hidden_bytes(m, p, bad);
  measure(&z, m, p, moe ? DTC_LAYER_KIND_MOE : DTC_LAYER_KIND_DENSE, bad);
  if (p->recompute == DTC_RECOMPUTE_FULL)
    return dtci_add(saved_by(&z, p, DTC_OPERATOR_NONE, DTC_RECOMPUTE_NONE, bad), dtci_mul(2, hidden, bad), bad);
  uint64_t e = dtci_activation_size(p);
  uint64_t wide =
      dtci_mul(dtci_mul(moe ? 4 * e : 2 * e, z.basis[moe ? DTCI_OF_ROWS_H : DTCI_OF_FFN], bad), z.tokens, bad);
  wide = shared(wide, moe ? DTCI_SHARD_ETP : DTCI_SHARD_TP, p, bad);
  return dtci_add(wide, dtci_mul(moe ? 4 : 1, hidden, bad), bad);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double forward_flops(const sizes *z, const dtc_plan *p, dtc_operator op)
{
  double sum = 0;
  double sp = p->sequence_parallel == DTC_BOOL_ON ? (double)p->tp : 1;
  for (uint32_t i = 0; i < dtci_product_rows_count; i++) {
    const dtci_product_row *row = &dtci_product_rows[i];
    if (row->op != op || !applies(z, row->needs))
      continue;
    double each = (double)z->basis[row->a] * (double)z->basis[row->b] * (double)row->times;
    sum += each * (double)z->tokens / (row->shard == DTCI_SHARD_TP ? (double)p->tp : sp);
  }
  return sum;
}

static dtc_status list_rows(const dtci_case *c, dtc_layer_kind kind, dtc_ledger_row *rows, size_t cap, size_t *count,
                            dtc_error *e)
{
  sizes z;
  int bad = 0;
  size_t n = 0;
  measure(&z, &c->model, &c->plan, kind, &bad);
  int full = c->plan.recompute == DTC_RECOMPUTE_FULL && kind != DTC_LAYER_KIND_HEAD;
  for (dtc_operator op = DTC_OPERATOR_NORM; op <= DTC_OPERATOR_LOSS; op++) {
    dtc_ledger_row row = {.op = op};
    row.saved = saved_by(&z, &c->plan, op, c->plan.recompute, &bad);
    if (full) /* of all, only the first norm's input stays */
      row.saved = op == DTC_OPERATOR_NORM ? dtci_hidden_bytes(&c->model, &c->plan, &bad) : 0;
    row.forward_flops = forward_flops(&z, &c->plan, op);
    row.backward_flops = 2 * row.forward_flops;
    if (saved_by(&z, &c->plan, op, DTC_RECOMPUTE_NONE, &bad) == 0 && row.forward_flops == 0)
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
  uint64_t moe = dtci_moe_layers(m, m->layers);
  if (kind < DTC_LAYER_KIND_DENSE || kind > DTC_LAYER_KIND_HEAD)
    return dtci_fail_range(e, DTCI_ARG(KIND), kind, DTC_LAYER_KIND_DENSE, DTC_LAYER_KIND_HEAD);
  if ((kind == DTC_LAYER_KIND_MOE && moe == 0) || (kind == DTC_LAYER_KIND_DENSE && moe == m->layers))
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
  s = s != DTC_OK ? s : check_kind(&c.model, kind, &e);
  return dtci_end(s != DTC_OK ? s : list_rows(&c, kind, rows, cap, count, &e), &e, err);
}
