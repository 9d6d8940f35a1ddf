/* traced_saved_bytes.csv: bytes that autograd keeps for the backward pass of one layer, or of head and loss. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

/* The kinds that a plan can say. Loss: transformers' own, which keeps a copy of the labels, or a cross entropy on labels of
 * the caller's. */
typedef struct kind {
  const char *name;
  dtc_framework framework;
  dtc_arch arch;
  dtc_layer_kind layer;
  dtc_loss loss;
  int labels; /* 1: kept */
} kind;

static const kind known[] = {
    {"llama_layer", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_LLAMA, DTC_LAYER_KIND_DENSE, DTC_LOSS_DEFAULT, 0},
    {"qwen2_layer", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_QWEN2, DTC_LAYER_KIND_DENSE, DTC_LOSS_DEFAULT, 0},
    {"qwen3_layer", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_QWEN3, DTC_LAYER_KIND_DENSE, DTC_LOSS_DEFAULT, 0},
    {"gpt2_layer", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_GPT2, DTC_LAYER_KIND_DENSE, DTC_LOSS_DEFAULT, 0},
    {"llama_head_loss_hf", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_LLAMA, DTC_LAYER_KIND_HEAD, DTC_LOSS_UPCAST, 1},
    {"qwen2_head_loss_hf", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_QWEN2, DTC_LAYER_KIND_HEAD, DTC_LOSS_UPCAST, 1},
    {"qwen3_head_loss_hf", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_QWEN3, DTC_LAYER_KIND_HEAD, DTC_LOSS_UPCAST, 1},
    {"gpt2_head_loss_hf", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_GPT2, DTC_LAYER_KIND_HEAD, DTC_LOSS_UPCAST, 1},
    {"llama_head_loss_ce_float", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_LLAMA, DTC_LAYER_KIND_HEAD, DTC_LOSS_UPCAST, 0},
    {"qwen2_head_loss_ce_float", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_QWEN2, DTC_LAYER_KIND_HEAD, DTC_LOSS_UPCAST, 0},
    {"qwen3_head_loss_ce_float", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_QWEN3, DTC_LAYER_KIND_HEAD, DTC_LOSS_UPCAST, 0},
    {"gpt2_head_loss_ce_float", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_GPT2, DTC_LAYER_KIND_HEAD, DTC_LOSS_UPCAST, 0},
    {"llama_head_loss_ce", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_LLAMA, DTC_LAYER_KIND_HEAD, DTC_LOSS_SAME, 0},
    {"qwen2_head_loss_ce", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_QWEN2, DTC_LAYER_KIND_HEAD, DTC_LOSS_SAME, 0},
    {"qwen3_head_loss_ce", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_QWEN3, DTC_LAYER_KIND_HEAD, DTC_LOSS_SAME, 0},
    {"gpt2_head_loss_ce", DTC_FRAMEWORK_PYTORCH, DTC_ARCH_GPT2, DTC_LAYER_KIND_HEAD, DTC_LOSS_SAME, 0},
    {"llama3_block", DTC_FRAMEWORK_TORCHTITAN, DTC_ARCH_LLAMA, DTC_LAYER_KIND_DENSE, DTC_LOSS_DEFAULT, 0},
    {"qwen3_block", DTC_FRAMEWORK_TORCHTITAN, DTC_ARCH_QWEN3, DTC_LAYER_KIND_DENSE, DTC_LOSS_DEFAULT, 0},
};

/* Attention: the bytes of random-number state that the kernel keeps, whatever the shape; the library counts per token. */
typedef struct core {
  const char *name;
  dtc_attention attention;
  uint64_t random;
} core;

/* TorchTitan's own is varlen; flash and cuDNN's are SDPA put in by hand. */
static const core cores[] = {
    {"", DTC_ATTENTION_FLASH, 0},           {"eager", DTC_ATTENTION_EAGER, 0},  {"flash", DTC_ATTENTION_CUDNN, 24},
    {"efficient", DTC_ATTENTION_FLASH, 16}, {"cudnn", DTC_ATTENTION_CUDNN, 16}, {"varlen", DTC_ATTENTION_FLASH, 16},
    {"math", DTC_ATTENTION_MATH, 0},
};

static const kind *kind_of(const golden *g)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (golden_is(g, "kind", known[i].name))
      return &known[i];
  return NULL;
}

static const core *core_of(const golden *g)
{
  for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
    if (golden_is(g, "core_attention", cores[i].name))
      return &cores[i];
  return NULL;
}

/* "vocab=32000", for the head. */
static uint64_t vocab_of(const golden *g)
{
  const char *at = strstr(golden_cell(g, "other"), "vocab=");
  return at != NULL ? strtoull(at + 6, NULL, 10) : 256;
}

static dtc_model model_of(const golden *g, const kind *k)
{
  dtc_model m;
  DTC_INIT(&m);
  m.arch = k->arch;
  m.layers = 1;
  m.hidden = golden_number(g, "h");
  m.heads = golden_number(g, "heads");
  m.kv_heads = golden_number(g, "kv_heads");
  m.head_dim = golden_number(g, "head_dim");
  m.ffn = golden_number(g, "ffn");
  m.vocab = vocab_of(g);
  m.context = golden_number(g, "seq");
  return m;
}

/* Weights in 16 bit are what sharding gathers; autocast casts whole ones. */
static dtc_plan plan_of(const golden *g, const kind *k, const core *attention)
{
  dtc_plan p;
  DTC_INIT(&p);
  p.framework = k->framework;
  p.sharding = golden_is(g, "dtype", "amp_bf16") ? DTC_SHARDING_DDP : DTC_SHARDING_FSDP;
  p.precision = golden_is(g, "dtype", "fp32") ? DTC_PRECISION_FP32 : DTC_PRECISION_BF16;
  p.seq = golden_number(g, "seq");
  p.micro_batch = golden_number(g, "mbs");
  p.attention = attention->attention;
  p.loss = k->loss;
  p.dropout = strtod(golden_cell(g, "hidden_dropout"), NULL) > 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
  return p;
}

/* What the loss keeps besides: the scalar of its weights, in the type of the logits, and the padded end of shifted labels;
 * the library counts labels of any loss. */
static uint64_t beside(const golden *g, const kind *k, const core *attention)
{
  uint64_t scalar = k->loss == DTC_LOSS_SAME && golden_is(g, "dtype", "bf16") ? 2 : 4;
  if (k->layer != DTC_LAYER_KIND_HEAD)
    return attention->random;
  if (!k->labels)
    return scalar - 8 * golden_number(g, "seq") * golden_number(g, "mbs");
  return golden_is(g, "mbs", "1") ? scalar + 8 : scalar;
}

void golden_traced_saved_bytes(golden *g)
{
  enum { ROWS = 32 };
  const kind *k = kind_of(g);
  const core *attention = core_of(g);
  dtc_ledger_row rows[ROWS];
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  if (golden_is(g, "framework", "megatron-core")) {
    golden_traced_megatron(g);
    return;
  }
  if (k == NULL || attention == NULL) {
    golden_refused(g, "no plan says this");
    return;
  }
  dtc_model m = model_of(g, k);
  dtc_plan p = plan_of(g, k, attention);
  if (!golden_ok(g, dtc_ledger_rows(&m, &p, k->layer, rows, ROWS, &count, &err), &err))
    return;
  uint64_t sum = golden_number(g, "bytes_weight_casts") + beside(g, k, attention);
  for (size_t i = 0; i < count; i++)
    sum += rows[i].saved;
  golden_u64(g, "bytes_saved", sum);
}
