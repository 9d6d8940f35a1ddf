/* traced_saved_bytes.csv, rows of Megatron-Core 0.16.1: the local modules, traced without Transformer Engine. */
#include "golden.h"

#include <stdlib.h>

/* Operators whose rows a kind adds up. */
typedef struct kind {
  const char *name;
  dtc_layer_kind layer;
  dtc_operator first;
  dtc_operator last;
  int input; /* the trace counts the input, which the ledger counts as the output of the norm before it */
} kind;

static const kind known[] = {
    {"dense", DTC_LAYER_KIND_DENSE, DTC_OPERATOR_NORM, DTC_OPERATOR_LOSS, 0},
    {"mla", DTC_LAYER_KIND_DENSE, DTC_OPERATOR_NORM, DTC_OPERATOR_LOSS, 0},
    {"moe_layer_only", DTC_LAYER_KIND_MOE, DTC_OPERATOR_ROUTER, DTC_OPERATOR_SHARED_EXPERTS, 1},
    {"lm_head_and_loss", DTC_LAYER_KIND_HEAD, DTC_OPERATOR_HEAD, DTC_OPERATOR_LOSS, 0},
};

static dtc_bool is(int holds)
{
  return holds ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

static int has_word(const golden *g, const char *column, const char *word)
{
  return strstr(golden_cell(g, column), word) != NULL;
}

static int is_positive(const golden *g, const char *column)
{
  return strtod(golden_cell(g, column), NULL) > 0;
}

static int is_flash(const golden *g)
{
  return golden_is(g, "core_attention", "torch_flash");
}

/* ---- the row as model and plan ---- */

static void add_experts(const golden *g, dtc_model *m)
{
  m->experts = golden_number(g, "experts");
  m->top_k = golden_number(g, "topk");
  m->moe_ffn = golden_number(g, "moe_ffn");
  m->shared_ffn = golden_number(g, "shared_ffn");
}

static void add_mla(const golden *g, dtc_model *m)
{
  m->kv_heads = m->head_dim = 0;
  m->position = DTC_POSITION_ROPE;
  m->qk_norm = DTC_BOOL_OFF;
  m->q_rank = golden_number(g, "q_lora");
  m->kv_rank = golden_number(g, "kv_lora");
  m->qk_nope_dim = golden_number(g, "qk_nope");
  m->qk_rope_dim = golden_number(g, "qk_rope");
  m->v_dim = golden_number(g, "v_dim");
}

/* Rows of a part of a layer leave the rest out: then one head will do. */
static uint64_t number_or(const golden *g, const char *column, uint64_t missing)
{
  uint64_t value = golden_number(g, column);
  return value != 0 ? value : missing;
}

static uint64_t vocab_of(const golden *g)
{
  const char *at = strstr(golden_cell(g, "other"), "vocab=");
  return at != NULL ? strtoull(at + 6, NULL, 10) : 1024;
}

static dtc_model model_of(const golden *g)
{
  dtc_model m;
  DTC_INIT(&m);
  m.arch = DTC_ARCH_MEGATRON;
  m.layers = 1;
  m.hidden = golden_number(g, "h");
  m.heads = number_or(g, "heads", golden_number(g, "tp"));
  m.kv_heads = golden_number(g, "kv_heads");
  m.head_dim = golden_number(g, "head_dim");
  m.ffn = golden_number(g, "ffn");
  m.vocab = vocab_of(g);
  m.context = golden_number(g, "seq");
  m.norm = golden_is(g, "norm", "LayerNorm") ? DTC_NORM_LAYERNORM : DTC_NORM_RMSNORM;
  m.position = golden_is(g, "rope", "1") ? DTC_POSITION_ROPE : DTC_POSITION_LEARNED;
  m.gated = is(golden_is(g, "gated", "1"));
  m.qk_norm = is(golden_is(g, "qk_norm", "1"));
  if (golden_number(g, "experts") > 0)
    add_experts(g, &m);
  if (golden_is(g, "kind", "mla"))
    add_mla(g, &m);
  return m;
}

static void add_recompute(const golden *g, dtc_plan *p)
{
  int full = has_word(g, "recompute", "full");
  int none = full || golden_is(g, "recompute", "none") || golden_is(g, "recompute", "");
  p->recompute = full ? DTC_RECOMPUTE_FULL : none ? DTC_RECOMPUTE_NONE : DTC_RECOMPUTE_SELECTIVE;
  p->recompute_distributed = is(has_word(g, "recompute", "distributed"));
  p->recompute_core_attn = is(has_word(g, "recompute", "core_attn"));
  p->recompute_mlp = is(has_word(g, "recompute", "mlp"));
  p->recompute_layernorm = is(has_word(g, "recompute", "layernorm"));
  p->recompute_mla_up_proj = is(has_word(g, "recompute", "mla_up_proj"));
  p->recompute_moe_act = is(has_word(g, "recompute", "moe_act"));
  p->recompute_moe = is(golden_is(g, "recompute", "moe"));
  p->recompute_shared_experts = is(has_word(g, "recompute", "shared_experts"));
}

/* Latent attention was traced with cuDNN's kernel. */
static dtc_attention attention_of(const golden *g)
{
  if (is_flash(g))
    return golden_is(g, "kind", "mla") ? DTC_ATTENTION_CUDNN : DTC_ATTENTION_FLASH;
  return golden_is(g, "core_attention", "fused") ? DTC_ATTENTION_EAGER : DTC_ATTENTION_MATH;
}

static dtc_plan plan_of(const golden *g)
{
  dtc_plan p;
  DTC_INIT(&p);
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.tp = golden_number(g, "tp");
  p.ep = golden_number(g, "ep");
  p.etp = 1;
  p.dp = p.ep;
  p.vocab_multiple = 1;
  p.sequence_parallel = is(golden_is(g, "sp", "1"));
  p.seq = golden_number(g, "seq");
  p.micro_batch = golden_number(g, "mbs");
  p.precision = golden_is(g, "dtype", "fp32") ? DTC_PRECISION_FP32 : DTC_PRECISION_BF16;
  p.transformer_engine = DTC_BOOL_OFF;
  p.attention = attention_of(g);
  p.dropout = is(is_positive(g, "hidden_dropout"));
  p.attention_dropout = is(is_positive(g, "attention_dropout"));
  p.softmax_fp32 = is(has_word(g, "other", "softmax_in_fp32"));
  p.router_fp32 = is(has_word(g, "other", "router_dtype=fp32"));
  p.activation_fusion = is(!has_word(g, "other", "bias_activation_fusion=0"));
  p.capacity_percent = (uint64_t)(strtod(golden_cell(g, "capacity"), NULL) * 100 + 0.5);
  p.dispatcher = golden_is(g, "dispatcher", "allgather") ? DTC_DISPATCHER_ALLGATHER : DTC_DISPATCHER_ALLTOALL;
  p.grouped_gemm = DTC_BOOL_OFF;
  add_recompute(g, &p);
  return p;
}

/* ---- the answer ---- */

static uint64_t input_bytes(const golden *g)
{
  return 2 * golden_number(g, "h") * golden_number(g, "seq") * golden_number(g, "mbs");
}

void golden_traced_megatron(golden *g)
{
  enum { ROWS = 32 };
  const kind *k = NULL;
  dtc_ledger_row rows[ROWS];
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    k = golden_is(g, "kind", known[i].name) ? &known[i] : k;
  if (k == NULL) {
    golden_refused(g, "no plan says this");
    return;
  }
  dtc_model m = model_of(g);
  dtc_plan p = plan_of(g);
  if (!golden_ok(g, dtc_ledger_rows(&m, &p, k->layer, rows, ROWS, &count, &err), &err))
    return;
  uint64_t sum = k->input ? input_bytes(g) : 0;
  for (size_t i = 0; i < count; i++)
    sum += rows[i].op >= k->first && rows[i].op <= k->last ? rows[i].saved : 0;
  golden_u64(g, "bytes_saved", sum);
}
