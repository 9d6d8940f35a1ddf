/* The ledger: bytes that layers keep against closed forms, FLOPs against the conventions of model.h. */
#include "check.h"

#include <dtcore/ledger.h>
#include "internal/ledger.h"

enum { OPS = DTC_OPERATOR_MAMBA + 1 };

/* All operators of a layer; those it lacks are zero. */
typedef struct layer {
  uint64_t saved[OPS];
  double forward[OPS];
  uint64_t total;
  double flops; /* forward */
} layer;

static dtc_plan plan_of(dtc_framework framework, uint64_t seq)
{
  dtc_plan p;
  DTC_INIT(&p);
  p.framework = framework;
  p.seq = seq;
  if (framework == DTC_FRAMEWORK_PYTORCH) /* weights gathered in 16 bit; whole ones are cast */
    p.sharding = DTC_SHARDING_FSDP;
  return p;
}

static layer layer_of(dtc_model m, dtc_plan p, dtc_layer_kind kind)
{
  dtc_ledger_row rows[OPS];
  size_t count = 0;
  layer l = {.total = 0};
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_ledger_rows(&m, &p, kind, rows, OPS, &count, &e), &e);
  for (size_t i = 0; i < count; i++) {
    assert_in_range(rows[i].op, i == 0 ? DTC_OPERATOR_NORM : rows[i - 1].op + 1, DTC_OPERATOR_MAMBA);
    assert_int_equal(rows[i].pad, 0);
    check_near(rows[i].backward_flops, 2 * rows[i].forward_flops);
    l.saved[rows[i].op] = rows[i].saved;
    l.forward[rows[i].op] = rows[i].forward_flops;
    l.total += rows[i].saved;
    l.flops += rows[i].forward_flops;
  }
  return l;
}

static uint64_t dense_total(dtc_model m, dtc_plan p)
{
  return layer_of(m, p, DTC_LAYER_KIND_DENSE).total;
}

/* GPT as in the papers: h, a, s; plain MLP of 4 h. */
static dtc_model gpt(uint64_t hidden, uint64_t heads, uint64_t context)
{
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 4, hidden, heads, 51200);
  m.context = context;
  return m;
}

/* A Llama with groups: 8 heads, 2 of them key/value heads, of 16. */
static dtc_model grouped(dtc_arch arch)
{
  dtc_model m = check_shape(arch, 4, 96, 8, 256);
  m.kv_heads = 2;
  m.head_dim = 16;
  m.ffn = 320;
  return m;
}

/* The grouped shape as a Megatron model: RMSNorm, rotary, gated, without biases. */
static dtc_model grouped_megatron(void)
{
  dtc_model m = grouped(DTC_ARCH_MEGATRON);
  m.norm = DTC_NORM_RMSNORM;
  m.position = DTC_POSITION_ROPE;
  m.gated = DTC_BOOL_ON;
  m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_OFF;
  return m;
}

/* ---- Hugging Face modules ------------------------------------------------------------------------------------------ */

/* 16h + 8 + 4ad + 4gd + 4a + 8f bytes per token in bf16; memory traced for Llama 3 8B at 8192 tokens. */
static void a_llama_layer_in_bf16(void **state)
{
  (void)state;
  layer l = layer_of(check_named("llama-3-8b"), plan_of(DTC_FRAMEWORK_PYTORCH, 8192), DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.total, 1645281280);
  assert_int_equal(l.saved[DTC_OPERATOR_NORM], UINT64_C(8192) * (16 * 4096 + 8));
  assert_int_equal(l.saved[DTC_OPERATOR_QKV], UINT64_C(8192) * 2 * (4096 + 2 * 1024));
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION], UINT64_C(8192) * 4 * 32);
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION_OUT], UINT64_C(8192) * 2 * 4096);
  assert_int_equal(l.saved[DTC_OPERATOR_MLP], UINT64_C(8192) * 8 * 14336);
  assert_int_equal(l.saved[DTC_OPERATOR_QK_NORM] + l.saved[DTC_OPERATOR_DROPOUT], 0);
}

static void a_llama_layer_in_fp32(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_DEEPSPEED, 64);
  p.precision = DTC_PRECISION_FP32;
  p.micro_batch = 3;
  assert_int_equal(dense_total(grouped(DTC_ARCH_LLAMA), p),
                   UINT64_C(192) * (24 * 96 + 8 + 4 * (8 + 4) * 16 + 4 * 8 + 4 * 128 + 16 * 320));
}

static void normalised_queries_and_keys_keep_a_copy(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 64);
  uint64_t without = dense_total(grouped(DTC_ARCH_LLAMA), p);
  layer l = layer_of(grouped(DTC_ARCH_QWEN3), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_QK_NORM], 64 * (8 + 2) * (6 * 16 + 4));
  assert_int_equal(l.total - without, l.saved[DTC_OPERATOR_QK_NORM]);
}

static void a_gpt2_layer(void **state)
{
  (void)state;
  dtc_model m = check_named("gpt2");
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 1024);
  uint64_t each = 2 * (4 * 768 + 8) + 6 * 768 + 2 * 768 + 4 * 12 + 10 * 3072;
  assert_int_equal(dense_total(m, p), 1024 * each);
  p.dropout = DTC_BOOL_ON; /* two masks; flash attention keeps none */
  assert_int_equal(dense_total(m, p), 1024 * (each + 2 * 768));
  p.dropout = DTC_BOOL_OFF;
  p.precision = DTC_PRECISION_FP32;
  assert_int_equal(dense_total(m, p), UINT64_C(1024) * (2 * (8 * 768 + 8) + 16 * 768 + 4 * 12 + 20 * 3072));
}

/* Softmax in fp32 and cast back: 6 bytes a score; k and v repeated to all heads. */
static void eager_attention_keeps_scores(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 64);
  uint64_t flash = dense_total(grouped(DTC_ARCH_LLAMA), p);
  p.attention = DTC_ATTENTION_EAGER;
  assert_int_equal(dense_total(grouped(DTC_ARCH_LLAMA), p) - flash, 64 * (6 * 8 * 64 + 4 * (8 - 2) * 16 - 4 * 8));
  p.precision = DTC_PRECISION_FP32;
  layer l = layer_of(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION], 64 * (4 * 8 * 64 + 8 * (8 - 2) * 16));
  p.dropout = DTC_BOOL_ON; /* dropped scores and a mask */
  l = layer_of(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION], 64 * ((4 + 5) * 8 * 64 + 8 * (8 - 2) * 16));
}

/* GPT-2's softmax runs in the type of its input: one copy of the scores (traced, transformers 5.24). */
static void eager_attention_of_gpt2_has_no_fp32_softmax(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 512);
  p.attention = DTC_ATTENTION_EAGER;
  layer l = layer_of(check_named("gpt2"), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION], UINT64_C(512) * 2 * 12 * 512);
  p.dropout = DTC_BOOL_ON;
  l = layer_of(check_named("gpt2"), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION], UINT64_C(512) * 5 * 12 * 512);
}

/* ---- autocast, TorchTitan -------------------------------------------------------------------------------------------- */

/* Shape of a traced row. */
static dtc_model traced(dtc_arch arch, uint64_t hidden, uint64_t heads, uint64_t kv_heads, uint64_t head_dim,
                        uint64_t ffn)
{
  dtc_model m = check_shape(arch, 2, hidden, heads, 256);
  m.kv_heads = kv_heads;
  m.head_dim = head_dim;
  m.ffn = ffn;
  m.context = 4096;
  return m;
}

/* Bytes saved by a layer as traced in transformers 5.24 under autocast and in TorchTitan 0.3.0, less the 16-bit copies of
 * weights and 16 bytes that cuDNN's attention keeps of its random numbers. */
static void layers_keep_what_was_traced(void **state)
{
  (void)state;
  const struct {
    dtc_framework framework;
    dtc_sharding sharding;
    uint64_t seq;
    uint64_t micro_batch;
    uint64_t saved;
    dtc_model m;
  } rows[] = {
      {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_DDP, 1024, 2, 172113936 - 33554432 - 16,
       traced(DTC_ARCH_LLAMA, 1024, 16, 16, 64, 4096)},
      {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_DDP, 1024, 2, 146407440 - 14155776 - 16,
       traced(DTC_ARCH_GPT2, 768, 12, 12, 64, 3072)},
      {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_FSDP, 2048, 1, 21250064 - 16,
       traced(DTC_ARCH_LLAMA, 256, 16, 16, 16, 768)},
      {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_FSDP, 2048, 1, 94715920 - 16,
       traced(DTC_ARCH_QWEN3, 256, 16, 8, 128, 3072)},
      {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_DDP, 2048, 1, 26099728 - 1703936 - 16,
       traced(DTC_ARCH_LLAMA, 256, 16, 16, 16, 768)},
      {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_DDP, 2048, 2, 228753424 - 7864320 - 16,
       traced(DTC_ARCH_QWEN3, 256, 16, 8, 128, 3072)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dtc_plan p = plan_of(rows[i].framework, rows[i].seq);
    p.sharding = rows[i].sharding;
    p.micro_batch = rows[i].micro_batch;
    p.attention = DTC_ATTENTION_CUDNN;
    assert_int_equal(dense_total(rows[i].m, p), rows[i].saved);
  }
}

/* Traced too: GPT-2's and Qwen3's unfused attention; autocast runs softmax in fp32, and dropout adds a mask only. */
static void eager_attention_under_autocast(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 1024);
  p.sharding = DTC_SHARDING_DDP;
  p.attention = DTC_ATTENTION_EAGER;
  assert_int_equal(dense_total(traced(DTC_ARCH_QWEN3, 1024, 16, 8, 128, 3072), p), 220307456 - 31457280);
  assert_int_equal(dense_total(traced(DTC_ARCH_GPT2, 768, 12, 12, 64, 3072), p), 155729920 - 14155776);
  p.dropout = DTC_BOOL_ON;
  assert_int_equal(dense_total(traced(DTC_ARCH_GPT2, 768, 12, 12, 64, 3072), p), 169885696 - 14155776);
}

/* Autocast casts a norm's output for every linear layer that reads it. */
static void readers_of_a_norm_cast_its_output(void **state)
{
  (void)state;
  const struct {
    const char *name;
    uint64_t readers;
  } archs[] = {{"opt-1.3b", 3 + 1},  {"phi-2", 3 + 1},      {"gpt-neox-20b", 1 + 1}, {"falcon-7b", 1 + 1},
               {"bloom-7b1", 1 + 1}, {"llama-2-7b", 3 + 2}, {"gemma-7b", 3 + 2}};
  for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
    dtc_model m = check_named(archs[i].name);
    dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 128);
    uint64_t gathered = dense_total(m, p);
    p.sharding = DTC_SHARDING_DDP;
    assert_int_equal(dense_total(m, p) - gathered, 128 * 2 * archs[i].readers * m.hidden);
  }
}

/* The residual stream is fp32 under autocast. */
static void full_recomputation_under_autocast(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 64);
  p.sharding = DTC_SHARDING_DDP;
  p.recompute = DTC_RECOMPUTE_FULL;
  assert_int_equal(dense_total(grouped(DTC_ARCH_LLAMA), p), 64 * 4 * 96);
}

/* TorchTitan gathers the norms' outputs, and splits the loss over the ranks. */
static void titan_under_tensor_parallelism(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_TORCHTITAN, 64);
  layer alone = layer_of(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE);
  p.tp = 2;
  layer split = layer_of(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE);
  layer head = layer_of(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_HEAD);
  assert_int_equal(alone.saved[DTC_OPERATOR_NORM], 64 * (8 * 96 + 8));
  assert_int_equal(split.saved[DTC_OPERATOR_NORM], 64 * ((4 * 96 + 8) / 2 + 4 * 96));
  assert_int_equal(alone.saved[DTC_OPERATOR_MLP], 2 * split.saved[DTC_OPERATOR_MLP]);
  assert_int_equal(head.saved[DTC_OPERATOR_HEAD], 64 * ((2 * 96 + 4) / 2 + 2 * 96));
  assert_int_equal(head.saved[DTC_OPERATOR_LOSS], 64 * (4 * 256 / 2 + 8));
}

/* TorchTitan's policy keeps a block's input, attention's result, and every second product: query, key and value in one, the
 * MLP's first and last. Traced: a Llama 3 8B block of 4096 tokens. Where query, key and value are three products, the key is
 * the second; compiled, what comes last is not kept. */
static void titan_recomputes_by_operator(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = plan_of(DTC_FRAMEWORK_TORCHTITAN, 4096);
  p.recompute = DTC_RECOMPUTE_SELECTIVE;
  assert_int_equal(dense_total(m, p), 4096 * 65664);
  p.framework_version = 2;
  assert_int_equal(dense_total(m, p), 4096 * (65664 - 2 * 1024));
  p.compile = DTC_BOOL_ON;
  assert_int_equal(dense_total(m, p), 4096 * (65664 - 2 * 1024 - 2 * 4096));
}

/* RMSNorm was several operations in TorchTitan before 0.2: two more tensors, in fp32 and in 16 bit. */
/* PyTorch's attention by parts is the same function under TorchTitan's module as under Hugging Face's. */
static void titan_by_parts(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan titan = plan_of(DTC_FRAMEWORK_TORCHTITAN, 1024), torch = plan_of(DTC_FRAMEWORK_PYTORCH, 1024);
  titan.attention = torch.attention = DTC_ATTENTION_MATH;
  layer a = layer_of(m, titan, DTC_LAYER_KIND_DENSE), b = layer_of(m, torch, DTC_LAYER_KIND_DENSE);
  assert_int_equal(a.saved[DTC_OPERATOR_ATTENTION], 1024 * (4 * 32 * 1024 + 12 * 4096));
  assert_int_equal(b.saved[DTC_OPERATOR_ATTENTION], a.saved[DTC_OPERATOR_ATTENTION]);
  assert_int_equal(a.saved[DTC_OPERATOR_QKV], 1024 * 4 * 128); /* rows of the rotary table */
}

static void titan_of_old_has_norms_of_steps(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_TORCHTITAN, 64);
  uint64_t fused = dense_total(grouped(DTC_ARCH_LLAMA), p);
  p.framework_version = 2;
  assert_int_equal(dense_total(grouped(DTC_ARCH_LLAMA), p) - fused, 64 * 2 * 6 * 96);
  p.compile = DTC_BOOL_ON;
  assert_int_equal(dense_total(grouped(DTC_ARCH_LLAMA), p), fused);
}

/* PyTorch's own attention by parts keeps q, k and v for all heads and the probabilities, in fp32; a cross entropy keeps
 * log-probabilities in the type of the logits. */
static void math_attention_and_losses(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 64);
  dtc_model m = grouped(DTC_ARCH_LLAMA);
  p.attention = DTC_ATTENTION_MATH;
  layer l = layer_of(m, p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_QKV], 0);
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION], 64 * (12 * m.heads * m.head_dim + 4 * m.heads * 64));
  assert_int_equal(layer_of(m, p, DTC_LAYER_KIND_HEAD).saved[DTC_OPERATOR_LOSS], 64 * (4 * 256 + 8));
  p.loss = DTC_LOSS_SAME;
  assert_int_equal(layer_of(m, p, DTC_LAYER_KIND_HEAD).saved[DTC_OPERATOR_LOSS], 64 * (2 * 256 + 8));
  p.sharding = DTC_SHARDING_DDP; /* autocast casts them for the loss */
  assert_int_equal(layer_of(m, p, DTC_LAYER_KIND_HEAD).saved[DTC_OPERATOR_LOSS], 64 * (6 * 256 + 8));
}

/* ---- Megatron-Core with Transformer Engine -------------------------------------------------------------------------- */

/* Korthikanti et al., arXiv 2205.05198, equation 1: s b h (34 + 5 a s / h). */
static void a_gpt_layer_keeps_what_korthikanti_says(void **state)
{
  (void)state;
  static const uint64_t shapes[][4] = {
      {6144, 64, 2048, 4}, {12288, 96, 2048, 1}, {20480, 128, 2048, 2}, {512, 8, 1024, 4}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    uint64_t h = shapes[i][0];
    uint64_t a = shapes[i][1];
    uint64_t s = shapes[i][2];
    uint64_t b = shapes[i][3];
    dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, s);
    p.micro_batch = b;
    p.attention = DTC_ATTENTION_EAGER;
    p.dropout = DTC_BOOL_ON;
    assert_true(dense_total(gpt(h, a, s), p) == s * b * (34 * h + 5 * a * s));
    p.recompute = DTC_RECOMPUTE_SELECTIVE;
    assert_true(dense_total(gpt(h, a, s), p) == s * b * 34 * h);
    p.recompute = DTC_RECOMPUTE_FULL;
    assert_true(dense_total(gpt(h, a, s), p) == s * b * 2 * h);
  }
}

/* Equations 2 to 4: tensor parallelism divides all but 10 h, sequence parallelism the rest. */
static void parallelism_divides_what_korthikanti_says(void **state)
{
  (void)state;
  uint64_t h = 6144;
  uint64_t a = 64;
  uint64_t s = 2048;
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, s);
  p.attention = DTC_ATTENTION_EAGER;
  p.dropout = DTC_BOOL_ON;
  p.tp = 8;
  p.sequence_parallel = DTC_BOOL_OFF;
  assert_int_equal(dense_total(gpt(h, a, s), p), s * (10 * h + 24 * h / 8 + 5 * a * s / 8));
  p.sequence_parallel = DTC_BOOL_ON;
  assert_int_equal(dense_total(gpt(h, a, s), p), s * (34 * h / 8 + 5 * a * s / 8));
  p.recompute = DTC_RECOMPUTE_SELECTIVE;
  assert_int_equal(dense_total(gpt(h, a, s), p), s * 34 * h / 8);
  p.recompute = DTC_RECOMPUTE_FULL;
  assert_int_equal(dense_total(gpt(h, a, s), p), s * 2 * h / 8);
  p.sequence_parallel = DTC_BOOL_OFF;
  assert_int_equal(dense_total(gpt(h, a, s), p), s * 2 * h);
}

/* The layer of a measured run: Llama 3 70B's width, 4096 tokens, flash attention. */
static void a_megatron_layer_of_llama_3_70b(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, 4096);
  assert_int_equal(dense_total(m, p), 1125122048);
  p.tp = 8;
  p.sequence_parallel = DTC_BOOL_ON;
  assert_int_equal(dense_total(m, p), 1125122048 / 8);
  p.sequence_parallel = DTC_BOOL_OFF; /* 8h of the norms stay whole */
  assert_int_equal(dense_total(m, p), 1125122048 / 8 + UINT64_C(4096) * 8 * 8192 * 7 / 8);
}

static void a_megatron_layer_with_groups_and_head_norms(void **state)
{
  (void)state;
  dtc_model m = grouped_megatron();
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, 64);
  uint64_t each = 8 * 96 + 2 * (8 + 4) * 16 + 2 * 128 + 6 * 320;
  assert_int_equal(dense_total(m, p), 64 * (each + 4 * 8));
  p.attention = DTC_ATTENTION_EAGER;
  assert_int_equal(dense_total(m, p), 64 * (each + 2 * 8 * 64 + 4 * (8 - 2) * 16));
  m.qk_norm = DTC_BOOL_ON;
  assert_int_equal(dense_total(m, p), 64 * (each + 2 * 8 * 64 + 4 * (8 - 2) * 16 + 2 * (8 + 2) * 16));
}

/* Half the tokens on a rank, and a second output tensor in the kernel's layout. */
static void context_parallelism_divides_tokens(void **state)
{
  (void)state;
  dtc_model m = grouped_megatron();
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, 64);
  uint64_t each = 8 * 96 + 2 * (8 + 4) * 16 + 2 * 128 + 4 * 8 + 6 * 320;
  p.cp = 2;
  assert_int_equal(dense_total(m, p), 32 * (each + 2 * 128));
  p.recompute = DTC_RECOMPUTE_FULL;
  assert_int_equal(dense_total(m, p), 32 * 2 * 96);
}

static void selective_recomputation_drops_the_core_only(void **state)
{
  (void)state;
  static const dtc_framework frameworks[] = {DTC_FRAMEWORK_PYTORCH, DTC_FRAMEWORK_MEGATRON};
  for (int i = 0; i < 8; i++) {
    dtc_plan p = plan_of(frameworks[i & 1], 64);
    dtc_model m = i & 1 ? grouped_megatron() : grouped(DTC_ARCH_LLAMA);
    p.attention = i & 2 ? DTC_ATTENTION_EAGER : DTC_ATTENTION_FLASH;
    p.dropout = i & 4 ? DTC_BOOL_ON : DTC_BOOL_OFF;
    layer all = layer_of(m, p, DTC_LAYER_KIND_DENSE);
    p.recompute = DTC_RECOMPUTE_SELECTIVE;
    layer some = layer_of(m, p, DTC_LAYER_KIND_DENSE);
    assert_true(all.saved[DTC_OPERATOR_ATTENTION] != 0 && some.saved[DTC_OPERATOR_ATTENTION] == 0);
    assert_int_equal(all.total - some.total, all.saved[DTC_OPERATOR_ATTENTION]);
    for (int op = 0; op < OPS; op++)
      assert_true(op == DTC_OPERATOR_ATTENTION || all.saved[op] == some.saved[op]);
    check_near(all.flops, some.flops);
  }
}

static void full_recomputation_keeps_the_input(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 64);
  p.recompute = DTC_RECOMPUTE_FULL;
  layer l = layer_of(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_NORM], 64 * 2 * 96);
  assert_int_equal(l.total, 64 * 2 * 96);
  assert_true(l.forward[DTC_OPERATOR_MLP] > 0); /* computed all the same */
  p.precision = DTC_PRECISION_FP32;
  assert_int_equal(layer_of(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE).total, 64 * 4 * 96);
  layer head = layer_of(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_HEAD);
  assert_int_equal(head.saved[DTC_OPERATOR_LOSS], 64 * (4 * 256 + 8)); /* the head is no layer */
}

/* ---- MLA and experts ------------------------------------------------------------------------------------------------ */

static dtc_model deepseek(void)
{
  dtc_model m = check_shape(DTC_ARCH_DEEPSEEK_V3, 4, 64, 4, 256);
  m.ffn = 192;
  m.experts = 8;
  m.top_k = 2;
  m.moe_ffn = 32;
  m.shared_ffn = 48;
  m.dense_layers = 1;
  m.q_rank = 24;
  m.kv_rank = 16;
  m.qk_nope_dim = 12;
  m.qk_rope_dim = 6;
  m.v_dim = 10;
  return m;
}

/* Low-rank tensors once, queries, keys, values and the output split; e r_q is gathered and never split. */
static void mla_keeps_its_low_rank_tensors(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, 64);
  uint64_t ranks = 2 * 24 + 4 * 16;
  uint64_t wide = 4 * 4 * 18 + 2 * 4 * 10;
  layer l = layer_of(deepseek(), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_QKV], 64 * (2 * 24 + ranks + wide));
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION_OUT], 64 * 2 * 4 * 10);
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION], 64 * 4 * 4);
  assert_int_equal(l.saved[DTC_OPERATOR_NORM], 64 * 8 * 64);
  p.tp = 2;
  p.sequence_parallel = DTC_BOOL_ON;
  l = layer_of(deepseek(), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_QKV], 64 * (2 * 24 + ranks / 2 + wide / 2));
}

/* What the kernel of context parallelism keeps twice is its output, a v_dim values. */
static void mla_under_context_parallelism_keeps_an_output_of_values(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, 64);
  p.cp = 2;
  layer l = layer_of(deepseek(), p, DTC_LAYER_KIND_DENSE);
  assert_int_equal(l.saved[DTC_OPERATOR_ATTENTION], 32 * (4 * 4 + 2 * 4 * 10));
}

static void experts_keep_the_rows_routed_to_them(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, 64);
  layer l = layer_of(deepseek(), p, DTC_LAYER_KIND_MOE);
  assert_int_equal(l.saved[DTC_OPERATOR_EXPERTS], 64 * 2 * (2 * 64 + 6 * 32));
  assert_int_equal(l.saved[DTC_OPERATOR_ROUTER], 64 * 4 * (2 * 8 + 1));
  assert_int_equal(l.saved[DTC_OPERATOR_SHARED_EXPERTS], 64 * 6 * 48);
  assert_int_equal(l.saved[DTC_OPERATOR_MLP], 0);
  p.framework = DTC_FRAMEWORK_DEEPSPEED; /* four tensors of the MLP */
  l = layer_of(deepseek(), p, DTC_LAYER_KIND_MOE);
  assert_int_equal(l.saved[DTC_OPERATOR_EXPERTS], 64 * 2 * (4 * 64 + 8 * 32));
  assert_int_equal(l.saved[DTC_OPERATOR_SHARED_EXPERTS], 64 * 8 * 48);
}

/* A measured Megatron run: h 512, 8 experts, top 1, tp 2, etp 2; its second copy of the permuted rows comes from the
 * exchange between the ranks of an expert. */
static void experts_split_over_ranks_keep_their_rows_twice(void **state)
{
  (void)state;
  dtc_model m = gpt(512, 8, 1024);
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, 1024);
  m.experts = 8;
  m.top_k = 1;
  p.micro_batch = 4;
  p.tp = 2;
  p.ep = 2;
  p.etp = 2;
  p.dp = 2;
  p.sequence_parallel = DTC_BOOL_ON;
  p.attention = DTC_ATTENTION_EAGER;
  p.dropout = DTC_BOOL_ON;
  layer l = layer_of(m, p, DTC_LAYER_KIND_MOE);
  assert_int_equal(l.saved[DTC_OPERATOR_EXPERTS], 2 * 4194304 + 25165824);
  assert_int_equal(l.total, 136454144);
}

/* ---- the head ------------------------------------------------------------------------------------------------------- */

static void the_head_keeps_logits_of_the_padded_vocabulary(void **state)
{
  (void)state;
  dtc_model m = check_named("gpt2"); /* 50257 */
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, 1024);
  layer l = layer_of(m, p, DTC_LAYER_KIND_HEAD);
  assert_int_equal(l.saved[DTC_OPERATOR_LOSS], UINT64_C(1024) * 4 * 50304);
  assert_int_equal(l.saved[DTC_OPERATOR_NORM], UINT64_C(1024) * 2 * 768); /* input of the final norm */
  assert_int_equal(l.saved[DTC_OPERATOR_HEAD], UINT64_C(1024) * 2 * 768);
  assert_int_equal(l.total, UINT64_C(1024) * (4 * 50304 + 4 * 768));
  p.tp = 2;
  p.sequence_parallel = DTC_BOOL_ON;
  l = layer_of(m, p, DTC_LAYER_KIND_HEAD);
  assert_int_equal(l.total, UINT64_C(1024) * (4 * 50432 + 4 * 768) / 2);
  p = plan_of(DTC_FRAMEWORK_PYTORCH, 1024);
  assert_int_equal(layer_of(m, p, DTC_LAYER_KIND_HEAD).saved[DTC_OPERATOR_LOSS], UINT64_C(1024) * (4 * 50257 + 8));
  m = check_named("llama-3-8b"); /* the final norm's fp32 copy of its input */
  assert_int_equal(layer_of(m, p, DTC_LAYER_KIND_HEAD).saved[DTC_OPERATOR_HEAD], UINT64_C(1024) * (8 * 4096 + 4));
}

/* ---- FLOPs ---------------------------------------------------------------------------------------------------------- */

static double step_flops(dtc_model m, dtc_plan p)
{
  dtc_params count;
  double sum = 0;
  DTC_INIT(&count);
  assert_int_equal(dtc_model_params(&m, &count, NULL), DTC_OK);
  if (count.dense_count != 0)
    sum += (double)count.dense_count * layer_of(m, p, DTC_LAYER_KIND_DENSE).flops;
  if (count.moe_count != 0)
    sum += (double)count.moe_count * layer_of(m, p, DTC_LAYER_KIND_MOE).flops;
  return 3 * (sum + layer_of(m, p, DTC_LAYER_KIND_HEAD).flops);
}

static void check_flops(const char *name, uint64_t seq, uint64_t tp)
{
  dtc_model m = check_named(name);
  dtc_plan p = plan_of(DTC_FRAMEWORK_MEGATRON, seq);
  double per_token = 0;
  p.micro_batch = 2;
  p.vocab_multiple = 1; /* the convention counts the vocabulary as it is */
  p.tp = tp;
  p.etp = 1;
  p.sequence_parallel = tp > 1 ? DTC_BOOL_ON : DTC_BOOL_OFF;
  assert_int_equal(dtc_model_flops(&m, seq, DTC_FLOPS_MEGATRON, &per_token, NULL), DTC_OK);
  check_near(step_flops(m, p) * (double)tp, per_token * 2 * (double)seq);
}

static void flops_add_up_to_megatrons_convention(void **state)
{
  (void)state;
  static const char names[][20] = {"llama-3-8b",       "gpt2",          "qwen3-8b",   "mixtral-8x7b",
                                   "deepseek-v3",      "qwen3-30b-a3b", "bloom-560m", "falcon-7b",
                                   "deepseek-v2-lite", "gemma-2-9b",    "gpt-oss-20b"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    check_flops(names[i], 1024, 1);
    check_flops(names[i], 2, 1);
  }
  check_flops("llama-3-70b", 4096, 8);
  check_flops("deepseek-v3", 4096, 8);
}

static void flops_of_odd_sequences_add_up_too(void **state)
{
  (void)state;
  check_flops("llama-3-8b", 4095, 1);
  check_flops("llama-3-8b", 1, 1);
}

static void the_gate_of_shared_experts_is_a_product(void **state)
{
  (void)state;
  check_flops("qwen1.5-moe-a2.7b", 1024, 1);
}

static void flops_of_operators(void **state)
{
  (void)state;
  layer l = layer_of(deepseek(), plan_of(DTC_FRAMEWORK_PYTORCH, 64), DTC_LAYER_KIND_MOE);
  double t = 2 * 64;
  check_near(l.forward[DTC_OPERATOR_QKV], t * (64 * 24 + 24 * 72 + 64 * 22 + 16 * 88));
  check_near(l.forward[DTC_OPERATOR_ATTENTION], t * 32 * 4 * (18 + 10));
  check_near(l.forward[DTC_OPERATOR_ATTENTION_OUT], t * 64 * 40);
  check_near(l.forward[DTC_OPERATOR_ROUTER], t * 64 * 8);
  check_near(l.forward[DTC_OPERATOR_EXPERTS], t * 3 * 2 * 64 * 32);
  check_near(l.forward[DTC_OPERATOR_SHARED_EXPERTS], t * 3 * 64 * 48);
  l = layer_of(deepseek(), plan_of(DTC_FRAMEWORK_PYTORCH, 64), DTC_LAYER_KIND_HEAD);
  check_near(l.flops, t * 64 * 256);
}

/* ---- arguments ------------------------------------------------------------------------------------------------------ */

static dtc_error refusal(dtc_model m, dtc_plan p, dtc_layer_kind kind, dtc_status status)
{
  dtc_ledger_row rows[OPS];
  size_t count = 77;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_ledger_rows(&m, &p, kind, rows, OPS, &count, &e), status);
  assert_true(e.status == status && count == 77);
  return e;
}

static void kinds_that_the_model_lacks_are_refused(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 64);
  static const dtc_layer_kind unknown[] = {0, 8, UINT32_MAX};
  for (size_t i = 0; i < 3; i++) {
    dtc_error e = refusal(grouped(DTC_ARCH_LLAMA), p, unknown[i], DTC_E_RANGE);
    assert_true(e.field == DTC_ARG_KIND && e.got == unknown[i] && e.min == 1 && e.max == 7);
  }
  assert_int_equal(refusal(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_MOE, DTC_E_CONFLICT).rule, DTC_RULE_LAYER_KIND);
  dtc_model m = grouped(DTC_ARCH_MIXTRAL);
  m.experts = 4;
  assert_int_equal(refusal(m, p, DTC_LAYER_KIND_DENSE, DTC_E_CONFLICT).field, DTC_ARG_KIND);
}

static void an_illegal_plan_is_refused(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 64);
  p.tp = 3;
  assert_int_equal(refusal(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE, DTC_E_DIVIDE).rule, DTC_RULE_TP_HEADS);
}

static void too_short_an_array_says_how_long(void **state)
{
  (void)state;
  dtc_model m = grouped(DTC_ARCH_LLAMA);
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, 64);
  dtc_ledger_row rows[OPS];
  dtc_ledger_row before[OPS];
  dtc_error e;
  DTC_INIT(&e);
  memset(before, 0xa5, sizeof before);
  for (size_t cap = 0; cap <= 7; cap++) {
    size_t count = 0;
    memcpy(rows, before, sizeof rows);
    dtc_status s = dtc_ledger_rows(&m, &p, DTC_LAYER_KIND_DENSE, cap != 0 ? rows : NULL, cap, &count, &e);
    assert_int_equal(s, cap < 5 ? DTC_E_SPACE : DTC_OK);
    assert_int_equal(count, 5); /* norm, qkv, attention, attention_out, mlp */
    size_t written = cap < 5 ? cap : 5;
    assert_memory_equal(rows + written, before + written, (OPS - written) * sizeof rows[0]);
    if (cap < 5)
      assert_true(e.rule == DTC_RULE_SPACE && e.field == DTC_ARG_OUT && e.got == cap && e.min == 5);
  }
}

static void bytes_beyond_64_bits_are_refused(void **state)
{
  (void)state;
  dtc_plan p = plan_of(DTC_FRAMEWORK_PYTORCH, (uint64_t)1 << 32);
  p.micro_batch = (uint64_t)1 << 32;
  dtc_error e = refusal(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE, DTC_E_OVERFLOW);
  assert_int_equal(e.field, DTC_FIELD(plan, micro_batch));
  p.recompute = DTC_RECOMPUTE_FULL;
  e = refusal(grouped(DTC_ARCH_LLAMA), p, DTC_LAYER_KIND_DENSE, DTC_E_OVERFLOW);
  assert_int_equal(e.rule, DTC_RULE_OVERFLOW);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_llama_layer_in_bf16),
      cmocka_unit_test(a_llama_layer_in_fp32),
      cmocka_unit_test(normalised_queries_and_keys_keep_a_copy),
      cmocka_unit_test(a_gpt2_layer),
      cmocka_unit_test(eager_attention_keeps_scores),
      cmocka_unit_test(eager_attention_of_gpt2_has_no_fp32_softmax),
      cmocka_unit_test(layers_keep_what_was_traced),
      cmocka_unit_test(eager_attention_under_autocast),
      cmocka_unit_test(readers_of_a_norm_cast_its_output),
      cmocka_unit_test(full_recomputation_under_autocast),
      cmocka_unit_test(titan_under_tensor_parallelism),
      cmocka_unit_test(titan_recomputes_by_operator),
      cmocka_unit_test(titan_by_parts),
      cmocka_unit_test(titan_of_old_has_norms_of_steps),
      cmocka_unit_test(math_attention_and_losses),
      cmocka_unit_test(a_gpt_layer_keeps_what_korthikanti_says),
      cmocka_unit_test(parallelism_divides_what_korthikanti_says),
      cmocka_unit_test(a_megatron_layer_of_llama_3_70b),
      cmocka_unit_test(a_megatron_layer_with_groups_and_head_norms),
      cmocka_unit_test(context_parallelism_divides_tokens),
      cmocka_unit_test(selective_recomputation_drops_the_core_only),
      cmocka_unit_test(full_recomputation_keeps_the_input),
      cmocka_unit_test(mla_keeps_its_low_rank_tensors),
      cmocka_unit_test(mla_under_context_parallelism_keeps_an_output_of_values),
      cmocka_unit_test(experts_keep_the_rows_routed_to_them),
      cmocka_unit_test(experts_split_over_ranks_keep_their_rows_twice),
      cmocka_unit_test(the_head_keeps_logits_of_the_padded_vocabulary),
      cmocka_unit_test(flops_add_up_to_megatrons_convention),
      cmocka_unit_test(flops_of_odd_sequences_add_up_too),
      cmocka_unit_test(the_gate_of_shared_experts_is_a_product),
      cmocka_unit_test(flops_of_operators),
      cmocka_unit_test(kinds_that_the_model_lacks_are_refused),
      cmocka_unit_test(an_illegal_plan_is_refused),
      cmocka_unit_test(too_short_an_array_says_how_long),
      cmocka_unit_test(bytes_beyond_64_bits_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
