/* Memory of a GPU: states, activations, measured peaks, stages. */
#include "check_roll.h"

#include <dtcore/memory.h>
#include "internal/catalog.h"
#include "internal/internal.h"
#include "internal/memory.h"

enum { STAGES = 64 };

static dtc_memory blank(void)
{
  dtc_memory m;
  DTC_INIT(&m);
  return m;
}

static dtc_memory estimate(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p)
{
  dtc_memory out = blank();
  dtc_error err;
  DTC_INIT(&err);
  check_ok(dtc_memory_estimate(m, c, p, NULL, 0, &out, &err), &err);
  return out;
}

static size_t list(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, dtc_memory out[STAGES])
{
  size_t n = 0;
  memset(out, 0, STAGES * sizeof out[0]);
  out[0].struct_size = sizeof out[0];
  assert_int_equal(dtc_memory_stages(m, c, p, NULL, 0, out, STAGES, &n, NULL), DTC_OK);
  return n;
}

static uint64_t states_of(const dtc_memory *m)
{
  return m->weights + m->gradients + m->optimizer;
}

static uint64_t saved_of(const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind)
{
  dtc_ledger_row rows[16];
  size_t n = 0;
  uint64_t sum = 0;
  assert_int_equal(dtc_ledger_rows(m, p, kind, rows, 16, &n, NULL), DTC_OK);
  for (size_t i = 0; i < n; i++)
    sum += rows[i].saved;
  return sum;
}

/* ---- states of a size ---------------------------------------------------------------------------------------------- */

static void bytes_per_parameter(void **state)
{
  (void)state;
  enum { F = DTC_FRAMEWORK_DEFAULT, B16 = DTC_PRECISION_BF16, F16 = DTC_PRECISION_FP16, F32 = DTC_PRECISION_FP32 };
  /* Thousandths of a byte per parameter. Sources: Megatron-Core dist_optimizer.md, DeepSpeed, PyTorch (doc/formulas). */
  static const struct {
    dtc_framework framework;
    dtc_sharding sharding;
    dtc_precision precision;
    dtc_grad_dtype grad;
    dtc_optimizer optimizer;
    uint64_t dp, cp, dp_shard;
    uint64_t weights, gradients, master, moments;
  } rows[] = {
      {F, DTC_SHARDING_ZERO1, B16, 0, 0, 1, 1, 0, 2000, 2000, 4000, 8000},
      {F, DTC_SHARDING_ZERO1, B16, 0, 0, 8, 1, 0, 2000, 2000, 500, 1000},
      {F, DTC_SHARDING_ZERO1, B16, 0, 0, 4, 2, 0, 2000, 2000, 500, 1000},
      {F, DTC_SHARDING_ZERO1, B16, 0, 0, 16, 1, 4, 2000, 2000, 1000, 2000},
      {F, DTC_SHARDING_ZERO2, B16, 0, 0, 8, 1, 0, 2000, 250, 500, 1000},
      {F, DTC_SHARDING_ZERO3, B16, 0, 0, 8, 1, 0, 250, 250, 500, 1000},
      {F, DTC_SHARDING_ZERO3, F16, 0, 0, 8, 1, 0, 250, 250, 500, 1000},
      {F, DTC_SHARDING_ZERO2, F32, 0, 0, 8, 1, 0, 4000, 500, 500, 1000}, /* DeepSpeed: a master partition in fp32 too */
      {F, DTC_SHARDING_ZERO2, B16, DTC_GRAD_DTYPE_FP32, 0, 8, 1, 0, 2000, 500, 500, 1000},
      {F, DTC_SHARDING_DISTOPT, B16, 0, 0, 1, 1, 0, 2000, 4000, 4000, 8000}, /* 18 */
      {F, DTC_SHARDING_DISTOPT, B16, 0, 0, 16, 1, 0, 2000, 4000, 250, 500},  /* 6 + 12/16 */
      {F, DTC_SHARDING_DISTOPT, B16, 0, 0, 4, 4, 0, 2000, 4000, 250, 500},   /* context parallel ranks count */
      {F, DTC_SHARDING_DISTOPT, B16, DTC_GRAD_DTYPE_16BIT, 0, 4, 1, 0, 2000, 2000, 1000, 2000}, /* 4 + 12/d */
      {F, DTC_SHARDING_DISTOPT, F32, 0, 0, 4, 1, 0, 4000, 4000, 0, 2000},                       /* 8 + 8/d */
      {DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_DDP, B16, 0, 0, 16, 1, 0, 2000, 4000, 4000, 8000},
      {DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_DDP, F32, 0, 0, 16, 1, 0, 4000, 4000, 0, 8000},
      {F, DTC_SHARDING_DDP, B16, 0, 0, 16, 1, 0, 4000, 4000, 0, 8000},
      {F, DTC_SHARDING_FSDP, B16, 0, 0, 16, 1, 0, 250, 250, 0, 500},
      {F, DTC_SHARDING_HSDP, B16, 0, 0, 16, 1, 8, 500, 500, 0, 1000},
      {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_FSDP, F32, 0, 0, 8, 1, 0, 500, 500, 0, 1000},
      {F, DTC_SHARDING_ZERO1, B16, 0, DTC_OPTIMIZER_SGD, 1, 1, 0, 2000, 2000, 4000, 0},
      {F, DTC_SHARDING_ZERO1, B16, 0, DTC_OPTIMIZER_MOMENTUM, 1, 1, 0, 2000, 2000, 4000, 4000},
      {F, DTC_SHARDING_ZERO1, B16, 0, DTC_OPTIMIZER_LION, 1, 1, 0, 2000, 2000, 4000, 4000},
  };
  const uint64_t n = UINT64_C(70000000000);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    dtc_model_states s;
    DTC_INIT(&s);
    p.framework = rows[i].framework;
    p.sharding = rows[i].sharding;
    p.precision = rows[i].precision;
    p.grad_dtype = rows[i].grad;
    p.optimizer = rows[i].optimizer;
    p.dp = rows[i].dp;
    p.cp = rows[i].cp;
    p.dp_shard = rows[i].dp_shard;
    assert_int_equal(dtc_memory_states(n, &p, &s, NULL), DTC_OK);
    if (s.weights != n / 1000 * rows[i].weights || s.gradients != n / 1000 * rows[i].gradients ||
        s.master != n / 1000 * rows[i].master || s.moments != n / 1000 * rows[i].moments)
      fail_msg("row %d: %lu %lu %lu %lu", (int)i, (unsigned long)s.weights, (unsigned long)s.gradients,
               (unsigned long)s.master, (unsigned long)s.moments);
    assert_true(s.total == s.weights + s.gradients + s.master + s.moments && s.pad == 0);
  }
}

/* 8-bit Adam: two states of a byte, and per started block of 256 an fp32 scale for each. */
static void eight_bit_adam_keeps_scales(void **state)
{
  (void)state;
  static const uint64_t sizes[][2] = {{1, 10}, {256, 520}, {257, 530}, {1000, 2032}};
  for (size_t i = 0; i < 4; i++) {
    dtc_plan p = check_plan();
    dtc_model_states s;
    DTC_INIT(&s);
    p.optimizer = DTC_OPTIMIZER_ADAM8;
    assert_int_equal(dtc_memory_states(sizes[i][0], &p, &s, NULL), DTC_OK);
    assert_true(s.moments == sizes[i][1]);
  }
}

static void parts_are_rounded_up(void **state)
{
  (void)state;
  dtc_plan p = check_plan();
  dtc_model_states s;
  DTC_INIT(&s);
  p.sharding = DTC_SHARDING_ZERO3;
  p.dp = 7;
  assert_int_equal(dtc_memory_states(10, &p, &s, NULL), DTC_OK);
  assert_true(s.weights == 3 && s.gradients == 3 && s.master == 6 && s.moments == 12 && s.total == 24);
}

static void states_that_need_shapes_are_refused(void **state)
{
  (void)state;
  dtc_plan p = check_plan();
  dtc_model_states s;
  dtc_error err;
  memset(&s, 0x5a, sizeof s);
  s.struct_size = sizeof s;
  dtc_model_states before = s;
  DTC_INIT(&err);
  p.optimizer = DTC_OPTIMIZER_MUON;
  assert_int_equal(dtc_memory_states(1000, &p, &s, &err), DTC_E_UNSUPPORTED);
  assert_int_equal(err.rule, DTC_RULE_SIZE_ONLY);
  p.optimizer = DTC_OPTIMIZER_ADAFACTOR;
  assert_int_equal(dtc_memory_states(1000, &p, &s, &err), DTC_E_UNSUPPORTED);
  p.optimizer = DTC_OPTIMIZER_ADAM;
  assert_int_equal(dtc_memory_states(0, &p, &s, &err), DTC_E_RANGE);
  assert_int_equal(err.field, DTCI_ARG(PARAMS));
  assert_int_equal(dtc_memory_states(((uint64_t)1 << 56) + 1, &p, &s, &err), DTC_E_RANGE);
  assert_int_equal(dtc_memory_states(UINT64_MAX, &p, &s, &err), DTC_E_RANGE);
  p.sharding = 8;
  assert_int_equal(dtc_memory_states(1000, &p, &s, &err), DTC_E_RANGE);
  assert_memory_equal(&s, &before, sizeof s);
  p.sharding = 0;
  assert_int_equal(dtc_memory_states((uint64_t)1 << 56, &p, &s, &err), DTC_OK);
  assert_true(s.total == (uint64_t)16 << 56);
}

/* ---- measured peaks ------------------------------------------------------------------------------------------------ */

/* Within `per_mille` of a measured number of bytes; the sign of the error is fixed, so that a change shows. */
static void check_error(const char *what, uint64_t got, uint64_t measured, int low, int high)
{
  double error = ((double)got / (double)measured - 1) * 1000;
  print_message("           %s: %+.2f %%\n", what, error / 10);
  if (error < low || error > high)
    fail_msg("%s: %lu is off by %d per mille", what, (unsigned long)got, (int)error);
}

/* Four layers of Llama 3 8B in TorchTitan 0.3.0 on 8 shards, and 8 of 4 ranks: traced peaks, which lie at the loss. Each
 * layer holds a rotary table; the head's unit alone is gathered. */
static void torchtitan_at_the_loss(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  m.layers = 4;
  p.framework = DTC_FRAMEWORK_TORCHTITAN;
  p.dp = 8;
  p.accumulation = 1;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_int_equal(out.moment, DTC_MOMENT_LOSS);
  assert_true(out.weights == out.params * 4 / 8 + UINT64_C(8388608));
  assert_true(out.gathered == 2 * UINT64_C(4096) * (128256 + 1));
  check_error("peak", out.allocated - out.workspace, UINT64_C(13077121024), -1, 1);
  p.recompute = DTC_RECOMPUTE_FULL;
  out = estimate(&m, NULL, &p);
  check_error("recomputed", out.allocated - out.workspace, UINT64_C(10449256448), -1, 1);
  p.recompute = DTC_RECOMPUTE_NONE;
  p.tp = 4;
  out = estimate(&m, NULL, &p);
  check_error("tp", out.allocated - out.workspace, UINT64_C(4034006528), -1, 1);
}

/* PyTorch's ZeroRedundancyOptimizer runs on top of DDP: its buckets are a second copy of the gradients. */
static void zero1_of_pytorch_has_ddps_buckets(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_PYTORCH;
  p.sharding = DTC_SHARDING_ZERO1;
  p.accumulation = 2;
  p.dp = 8;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_true(out.buckets == 4 * out.params);
  p.dp = 1;
  assert_true(estimate(&m, NULL, &p).buckets == 0);
}

/* In a pipeline TorchTitan does not reshard after forward: a stage's weights are all there, with or without a head. */
static void torchtitan_keeps_a_stage_gathered(void **state)
{
  (void)state;
  dtc_memory s[STAGES];
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_TORCHTITAN;
  p.dp = 4;
  p.pp = 2;
  assert_int_equal(list(&m, NULL, &p, s), 2);
  assert_true(s[0].gathered == 2 * s[0].params && s[1].gathered == 2 * s[1].params);
}

/* What is looked up is not multiplied: positions are not copied by autocast, a tied embedding is. */
static void autocast_copies_no_positions(void **state)
{
  (void)state;
  dtc_model m = check_named("gpt2");
  dtc_plan p = check_plan();
  m.context = 1 << 20;
  p.sharding = DTC_SHARDING_DDP;
  p.accumulation = 1;
  p.micro_batch = 64;
  p.seq = 1024;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_int_equal(out.moment, DTC_MOMENT_LOSS);
  assert_true(out.gathered == 2 * (out.params - m.context * 768));
}

/* Rotary tables: cosines and sines of whole heads in Qwen3, complex halves of the rotary part in DeepSeek V3. */
static void rotary_tables_are_weights(void **state)
{
  (void)state;
  const struct {
    const char *name;
    uint64_t row;
  } tables[] = {{"llama-3-8b", 4 * 128}, {"qwen3-8b", 8 * 128}, {"deepseek-v3", 4 * 64}};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    dtc_model m = check_named(tables[i].name);
    dtc_plan p = check_plan();
    p.framework = DTC_FRAMEWORK_TORCHTITAN;
    p.sharding = DTC_SHARDING_DDP;
    p.seq = 2048;
    dtc_memory out = estimate(&m, NULL, &p);
    assert_true(out.weights == 4 * out.params + m.layers * 2048 * tables[i].row);
  }
}

/* Four layers of Llama 3.2 1B on one GPU under autocast (transformers 5.24): the traced peak. */
static void autocast_at_the_loss(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_plan p = check_plan();
  m.layers = 4;
  p.accumulation = 1;
  p.seq = 2048;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_int_equal(out.moment, DTC_MOMENT_LOSS);
  assert_true(out.gathered == 2 * out.params);
  check_error("peak", out.allocated - out.workspace, UINT64_C(11336488960), -1, 1);
  m = check_named("gpt2"); /* recomputed: the head alone is copied */
  m.layers = 4;
  p.seq = 1024;
  p.dropout = DTC_BOOL_ON;
  p.recompute = DTC_RECOMPUTE_FULL;
  out = estimate(&m, NULL, &p);
  assert_true(out.gathered == 2 * UINT64_C(768) * 50257);
  check_error("recomputed", out.allocated - out.workspace, UINT64_C(1525716480), -1, 1);
}

static dtc_memory_held moment_of(const dtc_model *m, const dtc_plan *p, dtc_moment moment)
{
  dtc_memory_held held[DTC_MOMENT_REST] = {{.struct_size = sizeof *held}};
  size_t count = 0;
  assert_int_equal(dtc_memory_moments(m, NULL, p, 0, NULL, 0, held, DTC_MOMENT_REST, &count, NULL), DTC_OK);
  for (size_t i = 0; i < count; i++)
    if (held[i].moment == moment)
      return held[i];
  fail();
  return held[0];
}

/* What lies there at a moment, and what was traced. */
static void check_traced(const dtc_model *m, const dtc_plan *p, dtc_moment moment, uint64_t traced)
{
  dtc_memory_held held = moment_of(m, p, moment);
  uint64_t got = held.allocated - held.workspace;
  if (got > traced + traced / 10000 || got < traced - traced / 10000)
    fail_msg("moment %u: %llu, traced %llu", moment, (unsigned long long)got, (unsigned long long)traced);
}

/* Llama 3 8B with FSDP2 on 64 ranks, micro-batch 1, 8192 tokens, no recomputation: traced at the loss. Layers, head and
 * loss, cosine and sine; the root and the last layer gathered; two gradients of the logits. */
static void fsdp2_at_the_loss(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_FSDP;
  p.dp = 64;
  p.seq = 8192;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_true(out.weights + out.optimizer == UINT64_C(1505673984));
  assert_true(saved_of(&m, &p, DTC_LAYER_KIND_DENSE) == UINT64_C(1645281280));
  assert_true(out.activations == UINT64_C(52649000960) + UINT64_C(4471226368) + 4194304);
  assert_true(out.gathered == UINT64_C(2537578496));
  assert_true(out.transient == UINT64_C(8405385216) + 8192 * 16);
  assert_int_equal(out.moment, DTC_MOMENT_LOSS);
  check_traced(&m, &p, DTC_MOMENT_LOSS, UINT64_C(69573209600));
  check_traced(&m, &p, DTC_MOMENT_FORWARDED, UINT64_C(60731666432));
  check_traced(&m, &p, DTC_MOMENT_STEP, UINT64_C(2509655552));
  p.reshard = DTC_BOOL_OFF;
  assert_true(estimate(&m, NULL, &p).gathered == UINT64_C(2) * out.params);
}

static dtc_model cut(const char *name, uint64_t layers)
{
  dtc_model m = check_named(name);
  m.layers = layers;
  return m;
}

/* 128256 rows on 512 ranks become 128512, of the embedding and of the head, in shards and when gathered. Traced: 4 layers,
 * 2048 tokens. */
static void fsdp2_pads_rows(void **state)
{
  (void)state;
  dtc_model m = cut("llama-3-8b", 4);
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_FSDP;
  p.dp = 512;
  p.seq = 2048;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_true(out.params == 1923125248);
  assert_true(out.weights == UINT64_C(4) * (1923125248 + 2 * 256 * 4096) / 512);
  check_traced(&m, &p, DTC_MOMENT_FORWARDED, UINT64_C(4914860032));
  check_traced(&m, &p, DTC_MOMENT_LOSS, UINT64_C(7452413440));
}

/* Traced on one GPU, wholly in bf16: 2 layers of Llama 3 8B, 2048 tokens. The logits in 16 bit and fp32 come on top of what
 * is kept; a step copies the parameters. */
static void wholly_in_bf16(void **state)
{
  (void)state;
  dtc_model m = cut("llama-3-8b", 2);
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_PYTORCH;
  p.sharding = DTC_SHARDING_DDP;
  p.precision = DTC_PRECISION_PURE_BF16;
  p.seq = 2048;
  check_traced(&m, &p, DTC_MOMENT_FORWARD, UINT64_C(12438950400));
  check_traced(&m, &p, DTC_MOMENT_FORWARDED, UINT64_C(10862940672));
  check_traced(&m, &p, DTC_MOMENT_LOSS, UINT64_C(12964270080));
  check_traced(&m, &p, DTC_MOMENT_REDUCED, UINT64_C(11895243776));
  check_traced(&m, &p, DTC_MOMENT_STEP, UINT64_C(14869046272));
  check_traced(&m, &p, DTC_MOMENT_REST, UINT64_C(8921441280));
}

/* Traced: 4 layers of Llama 3 8B in TorchTitan on 8 ranks, 4096 tokens, the loss in 8 chunks. Twelve bytes for each
 * parameter of the head, and no logits behind forward. */
static void titan_with_the_loss_in_chunks(void **state)
{
  (void)state;
  dtc_model m = cut("llama-3-8b", 4);
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_TORCHTITAN;
  p.dp = 8;
  p.seq = 4096;
  p.loss_chunks = 8;
  check_traced(&m, &p, DTC_MOMENT_FORWARD, UINT64_C(12229086720));
  check_traced(&m, &p, DTC_MOMENT_FORWARDED, UINT64_C(8086415872));
  check_traced(&m, &p, DTC_MOMENT_REST, UINT64_C(2893191168));
  p.reshard = DTC_BOOL_OFF;
  check_traced(&m, &p, DTC_MOMENT_FORWARDED, UINT64_C(10881985024));
}

/* Reserved, of Llama 3.1 8B in TorchTitan of 2024-12 on 128 GPUs: 67.0 GiB. The pools of FSDP's streams lie beside what is
 * allocated: shards of the gradients, gathers of the head and two layers, a block of logits. */
static void titan_reserves_pools(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_TORCHTITAN;
  p.framework_version = 2;
  p.recompute = DTC_RECOMPUTE_SELECTIVE;
  p.dp = 128;
  p.micro_batch = 2;
  p.seq = 8192;
  dtc_memory out = estimate(&m, NULL, &p);
  uint64_t pools = 4 * out.params / 128 + 2 * (UINT64_C(525340672) + 2 * 218112000) + UINT64_C(2) * 16384 * 128256;
  uint64_t slack = out.reserved - out.allocated - pools;
  assert_true(slack > out.allocated * 39 / 1000 && slack < out.allocated * 41 / 1000);
  assert_true(out.reserved > UINT64_C(64) << 30 && out.reserved < UINT64_C(70) << 30);
}

/* Experts are sharded over the ranks that hold the same ones: edp = tp cp dp / (ep etp). */
static void experts_are_sharded_over_their_own_ranks(void **state)
{
  (void)state;
  dtc_model m = check_named("mixtral-8x7b");
  dtc_params count;
  dtc_plan p = check_plan();
  DTC_INIT(&count);
  assert_int_equal(dtc_model_params(&m, &count, NULL), DTC_OK);
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.dp = 16;
  p.ep = 8;
  p.vocab_multiple = 1;
  uint64_t experts = m.layers * count.expert; /* one of eight on each rank */
  uint64_t dense = count.total - m.layers * m.experts * count.expert;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_true(out.params == dense + experts);
  assert_true(out.weights == 2 * (dense + experts) && out.gradients == 4 * (dense + experts));
  assert_true(out.optimizer >= 12 * dense / 16 + 12 * experts / 2);
  assert_true(out.optimizer <= 12 * dense / 16 + 12 * experts / 2 + 8);
}

/* Adafactor keeps a row and a column, Muon one momentum for the matrices of the layers. */
static void optimizers_that_see_the_shapes(void **state)
{
  (void)state;
  dtc_model m = check_llama_width();
  dtc_plan p = check_plan();
  m.vocab = 128000;
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.optimizer = DTC_OPTIMIZER_MUON;
  p.precision = DTC_PRECISION_FP32; /* no master weights: only the moments */
  dtc_params count;
  DTC_INIT(&count);
  assert_int_equal(dtc_model_params(&m, &count, NULL), DTC_OK);
  uint64_t matrices = m.layers * (count.dense_layer - count.norms);
  assert_true(estimate(&m, NULL, &p).optimizer == 4 * matrices + 8 * (count.total - matrices));

  p.optimizer = DTC_OPTIMIZER_SGD;
  assert_true(estimate(&m, NULL, &p).optimizer == 0);
  p.optimizer = DTC_OPTIMIZER_ADAM;
  assert_true(estimate(&m, NULL, &p).optimizer == 8 * count.total);
  p.optimizer = DTC_OPTIMIZER_ADAFACTOR;
  uint64_t adafactor = estimate(&m, NULL, &p).optimizer;
  assert_true(adafactor > 0 && adafactor < 8 * count.total / 500);
}

/* ---- pipeline stages ----------------------------------------------------------------------------------------------- */

static void each_schedule_holds_its_micro_batches(void **state)
{
  (void)state;
  static const struct {
    dtc_schedule schedule;
    uint64_t vpp, accumulation;
    uint64_t in_flight[4];
  } rows[] = {
      {DTC_SCHEDULE_1F1B, 1, 8, {4, 3, 2, 1}},        {DTC_SCHEDULE_1F1B, 1, 2, {2, 2, 2, 1}},
      {DTC_SCHEDULE_1F1B, 1, 1, {1, 1, 1, 1}},        {DTC_SCHEDULE_INTERLEAVED, 2, 8, {11, 9, 7, 5}},
      {DTC_SCHEDULE_INTERLEAVED, 2, 4, {8, 8, 7, 5}}, {DTC_SCHEDULE_INTERLEAVED, 4, 16, {19, 17, 15, 13}},
  };
  dtc_model m = check_named("llama-3-8b");
  dtc_memory s[STAGES];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    p.framework = DTC_FRAMEWORK_MEGATRON;
    p.pp = 4;
    p.vpp = rows[i].vpp;
    p.attention_mask = DTC_BOOL_OFF;
    p.schedule = rows[i].schedule;
    p.accumulation = rows[i].accumulation;
    uint64_t chunk = saved_of(&m, &p, DTC_LAYER_KIND_DENSE) * 8 / p.vpp;
    assert_int_equal(list(&m, NULL, &p, s), 4);
    for (size_t k = 0; k < 4; k++) {
      assert_int_equal(s[k].stage, k);
      assert_int_equal(s[k].in_flight, rows[i].in_flight[k]);
      assert_true(s[k].activations == rows[i].in_flight[k] * chunk);
    }
  }
}

/* Schedules that are generated have no count that a formula gives. */
static void schedules_that_a_count_does_not_describe_are_refused(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_memory out, before;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  before = out;
  for (dtc_schedule schedule = DTC_SCHEDULE_GPIPE; schedule <= DTC_SCHEDULE_ZB_H2; schedule++) {
    dtc_plan p = check_plan();
    int torch = schedule == DTC_SCHEDULE_GPIPE || schedule == DTC_SCHEDULE_LOOPED_BFS ||
                schedule == DTC_SCHEDULE_DUALPIPE_V || schedule == DTC_SCHEDULE_INTERLEAVED_ZB;
    p.framework = torch ? DTC_FRAMEWORK_TORCHTITAN : DTC_FRAMEWORK_MEGATRON;
    p.pp = 4;
    p.vpp = schedule >= DTC_SCHEDULE_INTERLEAVED && schedule <= DTC_SCHEDULE_INTERLEAVED_ZB ? 2 : 1;
    p.accumulation = 8;
    p.schedule = schedule;
    int closed = schedule >= DTC_SCHEDULE_DUALPIPE_V && schedule <= DTC_SCHEDULE_INTERLEAVED_ZB;
    int counts = schedule <= DTC_SCHEDULE_LOOPED_BFS || closed;
    dtc_status status = dtc_memory_estimate(&m, NULL, &p, NULL, 0, &out, &e);
    assert_int_equal(status, counts ? DTC_OK : DTC_E_UNSUPPORTED);
    if (counts) {
      static const uint64_t in_flight[] = {
          [DTC_SCHEDULE_GPIPE] = 8,    [DTC_SCHEDULE_1F1B] = 4,          [DTC_SCHEDULE_INTERLEAVED] = 11,
          [DTC_SCHEDULE_VPP] = 11,     [DTC_SCHEDULE_LOOPED_BFS] = 16,   [DTC_SCHEDULE_DUALPIPE_V] = 9,
          [DTC_SCHEDULE_DUALPIPE] = 5, [DTC_SCHEDULE_INTERLEAVED_ZB] = 8};
      assert_int_equal(out.in_flight, in_flight[schedule]);
      out = before;
      continue;
    }
    assert_true(e.rule == DTC_RULE_PIPE_CLOSED && e.field == DTC_FIELD(plan, schedule) && e.got == schedule);
    assert_memory_equal(&out, &before, sizeof out);
  }
}

static void the_estimate_is_the_worst_stage(void **state)
{
  (void)state;
  static const char *const names[] = {"llama-3-8b", "gpt2", "mixtral-8x7b"};
  dtc_memory s[STAGES];
  for (size_t i = 0; i < 3; i++) {
    dtc_model m = check_named(names[i]);
    for (uint64_t pp = 1; pp <= 12; pp++) {
      dtc_plan p = check_plan();
      p.pp = pp;
      p.framework = m.layers % pp == 0 ? DTC_FRAMEWORK_MEGATRON : DTC_FRAMEWORK_TORCHTITAN;
      p.recompute = pp % 2 ? DTC_RECOMPUTE_NONE : DTC_RECOMPUTE_FULL;
      size_t n = list(&m, NULL, &p, s);
      assert_int_equal(n, pp);
      size_t worst = 0;
      for (size_t k = 1; k < n; k++)
        worst = s[k].device > s[worst].device ? k : worst;
      dtc_memory one = estimate(&m, NULL, &p);
      assert_memory_equal(&one, &s[worst], sizeof one);
    }
  }
}

/* One GPU holds what dtc_model_params() counts, MTP modules included; their layer is of the last layer's kind. */
static void one_gpu_holds_every_parameter(void **state)
{
  (void)state;
  for (uint64_t layers = 3; layers <= 4; layers++) {
    dtc_model m = {.struct_size = sizeof m, .layers = layers, .hidden = 256, .heads = 4, .vocab = 1024, .experts = 4};
    dtc_params params = {.struct_size = sizeof params};
    dtc_plan p = check_plan();
    m.moe_ffn = 64;
    m.moe_every = 2;
    m.moe_offset = 1;
    m.mtp_layers = 1;
    p.framework = DTC_FRAMEWORK_MEGATRON;
    p.seq = 128;
    assert_int_equal(dtc_model_params(&m, &params, NULL), DTC_OK);
    assert_int_equal(estimate(&m, NULL, &p).params, params.total + params.mtp);
    p.framework = DTC_FRAMEWORK_PYTORCH; /* which does not train them */
    assert_int_equal(estimate(&m, NULL, &p).params, params.total);
  }
}

static void usual_stages_may_be_given(void **state)
{
  (void)state;
  static const char *const names[] = {"llama-3-8b", "mixtral-8x7b", "qwen1.5-moe-a2.7b"};
  for (size_t i = 0; i < 3; i++) {
    dtc_model m = check_named(names[i]);
    for (uint64_t pp = 1; pp <= 24; pp++) {
      dtc_stage stages[24];
      for (size_t k = 0; k < 24; k++)
        DTC_INIT(&stages[k]);
      dtc_memory s[STAGES];
      dtc_memory t[STAGES];
      dtc_plan p = check_plan();
      size_t n = 0;
      p.pp = pp;
      p.framework = DTC_FRAMEWORK_TORCHTITAN; /* which takes any pp */
      for (uint64_t k = 0; k < pp; k++)
        assert_int_equal(dtc_plan_stage(&m, &p, k, &stages[k], NULL), DTC_OK);
      memset(t, 0, sizeof t);
      t[0].struct_size = sizeof t[0];
      assert_int_equal(list(&m, NULL, &p, s), pp);
      assert_int_equal(dtc_memory_stages(&m, NULL, &p, stages, pp, t, STAGES, &n, NULL), DTC_OK);
      assert_int_equal(n, pp);
      assert_memory_equal(s, t, sizeof s);
      dtc_memory a = estimate(&m, NULL, &p);
      dtc_memory b = blank();
      assert_int_equal(dtc_memory_estimate(&m, NULL, &p, stages, pp, &b, NULL), DTC_OK);
      assert_memory_equal(&a, &b, sizeof a);
    }
  }
}

static void other_stages_move_memory(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_stage stages[2] = {{.struct_size = sizeof *stages, .layers = 20, .embedding = 1}, {.layers = 12, .head = 1}};
  dtc_memory s[2];
  size_t n = 0;
  DTC_INIT(&s[0]);
  p.pp = 2;
  p.attention_mask = DTC_BOOL_OFF;
  assert_int_equal(dtc_memory_stages(&m, NULL, &p, stages, 2, s, 2, &n, NULL), DTC_OK);
  uint64_t saved = saved_of(&m, &p, DTC_LAYER_KIND_DENSE);
  assert_true(s[0].activations == 2 * 20 * saved && s[1].activations == 12 * saved);
  dtc_params count;
  DTC_INIT(&count);
  assert_int_equal(dtc_model_params(&m, &count, NULL), DTC_OK);
  assert_true(s[0].params == count.embedding + 20 * count.dense_layer);
  assert_true(s[1].params == count.head + count.final_norm + 12 * count.dense_layer);
}

#define HOLDS(of_layers, of_moe, of_embedding, of_head)                                                                \
  {                                                                                                                    \
    .struct_size = sizeof(dtc_stage), .layers = of_layers, .moe_layers = of_moe, .embedding = of_embedding,            \
    .head = of_head                                                                                                    \
  }

static void stages_that_do_not_add_up_are_refused(void **state)
{
  (void)state;
  static const struct {
    dtc_stage stages[3];
    size_t n;
    uint32_t field;
    uint64_t got, wanted;
  } rows[] = {
      {{HOLDS(16, 16, 1, 0), HOLDS(16, 16, 0, 1)}, 1, DTC_FIELD(plan, pp), 1, 2},
      {{HOLDS(16, 16, 1, 0), HOLDS(16, 16, 0, 1), HOLDS(0, 0, 0, 0)}, 3, DTC_FIELD(plan, pp), 3, 2},
      {{HOLDS(16, 16, 1, 0), HOLDS(16, 16, 0, 1)}, 0, DTC_FIELD(plan, pp), 0, 2},
      {{HOLDS(16, 16, 1, 0), HOLDS(15, 15, 0, 1)}, 2, DTC_FIELD(stage, layers), 31, 32},
      {{HOLDS(UINT64_MAX, 16, 1, 0), HOLDS(33, 16, 0, 1)}, 2, DTC_FIELD(stage, layers), DTC_NONE, 32},
      {{HOLDS(16, 16, 1, 0), HOLDS(16, 15, 0, 1)}, 2, DTC_FIELD(stage, moe_layers), 31, 32},
      {{HOLDS(16, 17, 1, 0), HOLDS(16, 15, 0, 1)}, 2, DTC_FIELD(stage, moe_layers), 17, 16},
      {{HOLDS(16, 16, 1, 0), HOLDS(16, 16, 1, 1)}, 2, DTC_FIELD(stage, embedding), 2, 1},
      {{HOLDS(16, 16, 0, 0), HOLDS(16, 16, 0, 1)}, 2, DTC_FIELD(stage, embedding), 0, 1},
      {{HOLDS(16, 16, 1, 0), HOLDS(16, 16, 0, 0)}, 2, DTC_FIELD(stage, head), 0, 1},
  };
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p = check_plan();
  p.pp = 2;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_error err;
    dtc_memory out = blank();
    dtc_memory before = out;
    DTC_INIT(&err);
    assert_int_equal(dtc_memory_estimate(&m, NULL, &p, rows[i].stages, rows[i].n, &out, &err), DTC_E_CONFLICT);
    assert_int_equal(err.rule, DTC_RULE_STAGE_SUM);
    assert_int_equal(err.field, rows[i].field);
    assert_true(err.got == rows[i].got && err.other_got == rows[i].wanted);
    assert_memory_equal(&out, &before, sizeof out);
  }
}

static void stages_may_be_of_another_release(void **state)
{
  (void)state;
  struct {
    dtc_stage stage;
    uint64_t more;
  } longer[2] = {{.stage = {.struct_size = sizeof *longer, .layers = 20, .embedding = 1}},
                 {{.layers = 12, .head = 1}, 0}};
  const dtc_stage *given = &longer[0].stage;
  dtc_stage stages[2] = {longer[0].stage, longer[1].stage};
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_memory wanted[2], found[2];
  dtc_error err;
  size_t n = 0;
  DTC_INIT(&err);
  DTC_INIT(&wanted[0]);
  DTC_INIT(&found[0]);
  p.pp = 2;
  stages[0].struct_size = sizeof stages[0];
  assert_int_equal(dtc_memory_stages(&m, NULL, &p, stages, 2, wanted, 2, &n, NULL), DTC_OK);
  assert_int_equal(dtc_memory_stages(&m, NULL, &p, given, 2, found, 2, &n, NULL), DTC_OK);
  assert_memory_equal(wanted, found, sizeof found);
  longer[1].more = 1;
  assert_int_equal(dtc_memory_stages(&m, NULL, &p, given, 2, found, 2, &n, &err), DTC_E_NEWER);
  assert_true(err.field >> 16 == DTC_STRUCT_stage && err.max == sizeof(dtc_stage));
  stages[0].struct_size = sizeof(dtc_stage) - 8;
  assert_int_equal(dtc_memory_stages(&m, NULL, &p, stages, 2, found, 2, &n, &err), DTC_E_SIZE);
}

/* ---- how the numbers move ------------------------------------------------------------------------------------------- */

static dtc_plan random_plan(void)
{
  dtc_plan p = check_plan();
  p.sharding = random_value(DTC_FIELD(plan, sharding));
  p.precision = random_value(DTC_FIELD(plan, precision));
  p.grad_dtype = random_value(DTC_FIELD(plan, grad_dtype));
  p.optimizer = random_value(DTC_FIELD(plan, optimizer));
  p.optimizer_kernel = random_value(DTC_FIELD(plan, optimizer_kernel));
  p.loss = random_value(DTC_FIELD(plan, loss));
  p.tp = (uint64_t)1 << roll(3);
  p.pp = (uint64_t)1 << roll(3);
  p.dp = (uint64_t)1 << roll(5);
  p.sequence_parallel = (dtc_bool)roll(3);
  p.recompute = random_value(DTC_FIELD(plan, recompute));
  p.attention = random_value(DTC_FIELD(plan, attention));
  p.dropout = (dtc_bool)roll(3);
  p.micro_batch = 1 + roll(4);
  p.seq = (uint64_t)512 << roll(4);
  /* What the frameworks have. */
  if (p.sharding == DTC_SHARDING_DDP)
    p.framework = DTC_FRAMEWORK_MEGATRON;
  else if (p.sharding != DTC_SHARDING_DISTOPT)
    p.pp = 1;
  return p;
}

static const char *const small_names[] = {"llama-3-8b", "gpt3-1.3b", "mixtral-8x7b", "qwen2-7b"};

static void more_ranks_never_hold_more_states(void **state)
{
  (void)state;
  dtc_memory before[STAGES];
  dtc_memory after[STAGES];
  seed = 3;
  for (int i = 0; i < 500; i++) {
    dtc_model m = check_named(small_names[roll(3)]);
    dtc_plan p = random_plan();
    m.context = 0;
    m.position = DTC_POSITION_ROPE;
    m.arch = DTC_ARCH_MEGATRON;
    size_t n = list(&m, NULL, &p, before);
    p.dp *= 2;
    assert_int_equal(list(&m, NULL, &p, after), n);
    for (size_t k = 0; k < n; k++) {
      assert_true(after[k].weights <= before[k].weights && after[k].gradients <= before[k].gradients);
      assert_true(after[k].optimizer <= before[k].optimizer && after[k].params == before[k].params);
    }
  }
}

static void recomputing_more_keeps_less(void **state)
{
  (void)state;
  seed = 4;
  for (int i = 0; i < 500; i++) {
    dtc_model m = check_named(small_names[roll(2)]);
    dtc_plan p = random_plan();
    m.context = 0;
    m.position = DTC_POSITION_ROPE;
    m.arch = DTC_ARCH_MEGATRON;
    p.framework =
        DTC_FRAMEWORK_MEGATRON; /* whose bf16 step has no temporaries, so that activations are always listed */
    p.precision = DTC_PRECISION_BF16;
    p.sharding = roll(2) ? DTC_SHARDING_DISTOPT : DTC_SHARDING_DDP;
    uint64_t kept[3];
    for (uint32_t k = 0; k < 3; k++) {
      p.recompute = DTC_RECOMPUTE_NONE + k;
      kept[k] = estimate(&m, NULL, &p).activations;
    }
    assert_true(kept[0] >= kept[1] && kept[1] >= kept[2] && kept[2] > 0);
  }
}

static void eager_attention_never_takes_less(void **state)
{
  (void)state;
  seed = 5;
  for (int i = 0; i < 500; i++) {
    dtc_model m = check_named(small_names[roll(3)]);
    dtc_plan p = random_plan();
    m.context = 0;
    m.position = DTC_POSITION_ROPE;
    m.arch = DTC_ARCH_MEGATRON;
    p.attention = DTC_ATTENTION_FLASH;
    dtc_memory flash = estimate(&m, NULL, &p);
    p.attention = DTC_ATTENTION_EAGER;
    dtc_memory eager = estimate(&m, NULL, &p);
    assert_true(eager.allocated >= flash.allocated);
  }
}

static void totals_are_sums(void **state)
{
  (void)state;
  seed = 6;
  for (int i = 0; i < 300; i++) {
    dtc_model m = check_named(small_names[roll(4)]);
    dtc_cluster c = check_gpu_named("h100-80gb");
    dtc_plan p = random_plan();
    dtc_memory out = blank();
    if (dtc_memory_estimate(&m, &c, &p, NULL, 0, &out, NULL) != DTC_OK)
      continue;
    assert_true(out.allocated ==
                states_of(&out) + out.buckets + out.gathered + out.activations + out.transient + out.workspace);
    int pools = p.sharding == DTC_SHARDING_FSDP || p.sharding == DTC_SHARDING_HSDP; /* of streams of their own */
    assert_true(out.reserved > out.allocated && (pools || out.reserved < out.allocated + out.allocated / 8));
    uint64_t context = out.device - out.reserved;
    assert_true(context >= DTCI_GIB(1) && context <= DTCI_GIB(6));
    assert_true(out.moment >= DTC_MOMENT_FORWARD && out.moment <= DTC_MOMENT_STEP);
    if (out.moment == DTC_MOMENT_STEP)
      assert_true(out.activations == 0 && out.gathered < DTCI_MIB(64) && out.transient > 0);
  }
}

static void fits_compares_with_what_can_be_used(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_cluster c = check_gpu_named("h100-80gb");
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.dp = 64;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_int_equal(out.fits, DTC_BOOL_DEFAULT);
  assert_true(out.capacity == 0);
  c.usable = out.device;
  out = estimate(&m, &c, &p);
  assert_true(out.fits == DTC_BOOL_ON && out.capacity == c.usable);
  c.usable--;
  out = estimate(&m, &c, &p);
  assert_true(out.fits == DTC_BOOL_OFF && out.capacity == c.usable);
}

/* Shards are padded, which the formulas leave out: only what is not sharded is exact. PyTorch makes gradients late, so
 * that which are there is a model but at the step, where plain DDP peaks here. */
static void exact_items_are_marked(void **state)
{
  (void)state;
  const uint32_t w = 1u << DTC_MEMORY_ITEM_WEIGHTS;
  const uint32_t g = 1u << DTC_MEMORY_ITEM_GRADIENTS;
  const uint32_t o = 1u << DTC_MEMORY_ITEM_OPTIMIZER;
  const uint32_t step = g | 1u << DTC_MEMORY_ITEM_BUCKETS | 1u << DTC_MEMORY_ITEM_TRANSIENT;
  const struct {
    dtc_sharding sharding;
    uint64_t dp;
    dtc_optimizer optimizer;
    uint32_t exact;
  } rows[] = {
      {DTC_SHARDING_DDP, 8, DTC_OPTIMIZER_ADAM, w | o | step}, {DTC_SHARDING_ZERO1, 8, DTC_OPTIMIZER_ADAM, w},
      {DTC_SHARDING_ZERO2, 8, DTC_OPTIMIZER_ADAM, w},          {DTC_SHARDING_ZERO3, 8, DTC_OPTIMIZER_ADAM, 0},
      {DTC_SHARDING_FSDP, 8, DTC_OPTIMIZER_ADAM, 0},           {DTC_SHARDING_DISTOPT, 8, DTC_OPTIMIZER_ADAM, w | g},
      {DTC_SHARDING_ZERO3, 1, DTC_OPTIMIZER_ADAM, w | o},      {DTC_SHARDING_DDP, 8, DTC_OPTIMIZER_ADAM8, w},
      {DTC_SHARDING_DDP, 8, DTC_OPTIMIZER_ADAFACTOR, w},
  };
  dtc_model m = check_named("llama-3-8b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    p.sharding = rows[i].sharding;
    p.dp = rows[i].dp;
    p.optimizer = rows[i].optimizer;
    assert_int_equal(estimate(&m, NULL, &p).exact, rows[i].exact);
  }
}

/* What is exact has no range: at PyTorch's step all but a workspace whose size nobody said. */
static void exact_is_without_range(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_DDP;
  p.dp = 1;
  dtc_memory out = estimate(&m, NULL, &p);
  assert_true(out.moment == DTC_MOMENT_STEP && out.workspace != 0);
  assert_true(out.allocated_low == out.allocated - out.workspace);
  assert_true(out.allocated_high == out.allocated + out.workspace);
  p.cublas_workspace = 8 << 20;
  out = estimate(&m, NULL, &p);
  assert_true(out.workspace == 2 * (8 << 20));
  assert_true(out.allocated_low == out.allocated && out.allocated_high == out.allocated);
  assert_true(out.reserved_low >= out.allocated && out.reserved_low < out.reserved);
  assert_true(out.reserved_high > out.reserved && out.device_high > out.reserved_high);
  p.optimizer_kernel = DTC_OPTIMIZER_KERNEL_FUSED; /* counters on the GPU, in no term */
  out = estimate(&m, NULL, &p);
  assert_true(out.allocated_low < out.allocated && out.allocated_high > out.allocated);
}

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

static void too_small_an_array_tells_the_count(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  p.pp = 4;
  for (size_t cap = 0; cap < 4; cap++) {
    dtc_memory s[4];
    dtc_error err;
    size_t n = 0;
    DTC_INIT(&s[0]);
    DTC_INIT(&err);
    assert_int_equal(dtc_memory_stages(&m, NULL, &p, NULL, 0, cap != 0 ? s : NULL, cap, &n, &err), DTC_E_SPACE);
    assert_int_equal(n, 4);
    assert_int_equal(err.rule, DTC_RULE_SPACE);
    assert_true(err.got == cap && err.min == 4);
  }
}

static void the_first_result_sets_the_stride(void **state)
{
  (void)state;
  struct {
    dtc_memory m;
    uint64_t mine;
  } longer[4];
  dtc_memory plain[STAGES];
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  size_t n = 0;
  p.pp = 4;
  memset(longer, 0x5a, sizeof longer);
  longer[0].m.struct_size = sizeof longer[0];
  assert_int_equal(dtc_memory_stages(&m, NULL, &p, NULL, 0, &longer[0].m, 4, &n, NULL), DTC_OK);
  list(&m, NULL, &p, plain);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(longer[i].m.struct_size, sizeof longer[0]);
    assert_true(longer[i].m.allocated == plain[i].allocated && longer[i].mine == 0);
  }
  longer[0].m.struct_size = 5;
  assert_int_equal(dtc_memory_stages(&m, NULL, &p, NULL, 0, &longer[0].m, 4, &n, NULL), DTC_E_SIZE);
}

static void what_does_not_fit_64_bits_is_an_error(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  m.context = 0;
  for (uint32_t recompute = 1; recompute <= 3; recompute++)
    for (uint32_t attention = 1; attention <= 2; attention++)
      for (uint32_t framework = 1; framework <= 5; framework++) {
        dtc_plan p = check_plan();
        dtc_error err;
        dtc_memory out = blank();
        dtc_memory before = out;
        DTC_INIT(&err);
        p.framework = framework;
        p.recompute = recompute;
        p.attention = attention;
        p.micro_batch = (uint64_t)1 << 32;
        p.global_batch = (uint64_t)1 << 32;
        p.seq = (uint64_t)1 << 32;
        assert_int_equal(dtc_memory_estimate(&m, NULL, &p, NULL, 0, &out, &err), DTC_E_OVERFLOW);
        assert_int_equal(err.rule, DTC_RULE_OVERFLOW);
        assert_memory_equal(&out, &before, sizeof out);
      }
}

/* Between what fits and what does not, growing the batch never makes the answer smaller. */
static void sums_do_not_wrap(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  m.hidden = 1 << 24;
  m.head_dim = 128;
  m.ffn = 1;
  m.vocab = 1;
  m.context = 0;
  for (uint32_t recompute = 1; recompute <= 3; recompute++)
    for (uint32_t framework = 1; framework <= 5; framework++) {
      uint64_t last = 0;
      dtc_status s = DTC_OK;
      for (uint64_t seq = 1; seq <= (uint64_t)1 << 32; seq *= 2) {
        dtc_plan p = check_plan();
        dtc_memory out = blank();
        p.framework = framework;
        p.recompute = recompute;
        p.micro_batch = 1 << 16;
        p.global_batch = 1 << 16;
        p.seq = seq;
        dtc_status now = dtc_memory_estimate(&m, NULL, &p, NULL, 0, &out, NULL);
        assert_true(now == DTC_E_OVERFLOW || (now == DTC_OK && s == DTC_OK && out.device > last));
        s = now;
        last = out.device;
      }
      assert_int_equal(s, DTC_E_OVERFLOW);
    }
}

static void an_illegal_plan_is_refused_as_by_resolve(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_plan p = check_plan();
  dtc_memory out = blank();
  dtc_memory before = out;
  dtc_error err;
  DTC_INIT(&err);
  p.tp = 7;
  assert_int_equal(dtc_memory_estimate(&m, NULL, &p, NULL, 0, &out, &err), DTC_E_DIVIDE);
  assert_true(err.rule == DTC_RULE_TP_HEADS && err.lower == 4 && err.upper == 8);
  assert_memory_equal(&out, &before, sizeof out);
  p = check_plan();
  out.struct_size = 1;
  assert_int_equal(dtc_memory_estimate(&m, NULL, &p, NULL, 0, &out, &err), DTC_E_SIZE);
  assert_int_equal(err.field >> 16, DTC_STRUCT_memory);
}

/* The setup keeps the rows that may hold in an array. */
static void every_table_of_terms_fits(void **state)
{
  (void)state;
  const uint32_t own[] = {dtci_terms_megatron_count, dtci_terms_torch_count, dtci_terms_deepspeed_count,
                          dtci_terms_colossalai_count, dtci_terms_scaling_count};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    assert_in_range(dtci_terms_all_count + dtci_terms_tuning_count + own[i], 2, DTCI_TERMS_MOST);
}

/* Every row has a text in both languages, every text a row, and none stands twice. */
static void every_term_has_its_texts(void **state)
{
  (void)state;
  unsigned char used[DTCI_TERM_TEXTS] = {0};
  uint32_t found = 0;
  for (uint32_t i = 0; i < 1 << 16; i++) {
    const char *en = dtc_memory_term_text(i, DTC_LANG_EN);
    if (en == NULL) {
      assert_null(dtc_memory_term_text(i, DTC_LANG_ZH));
      continue;
    }
    check_texts(en, dtc_memory_term_text(i, DTC_LANG_ZH), dtc_memory_term_text(i, 77));
    for (uint32_t k = 0; k < DTCI_TERM_TEXTS; k++)
      used[k] |= en == dtci_term_texts[k].en;
    found++;
  }
  assert_int_equal(found, dtci_terms_all_count + dtci_terms_tuning_count + dtci_terms_megatron_count +
                              dtci_terms_torch_count + dtci_terms_deepspeed_count + dtci_terms_colossalai_count +
                              dtci_terms_scaling_count);
  for (uint32_t i = 0; i < DTCI_TERM_TEXTS; i++) {
    assert_true(used[i]);
    for (uint32_t k = 0; k < i; k++)
      assert_true(strcmp(dtci_term_texts[i].en, dtci_term_texts[k].en) != 0 &&
                  strcmp(dtci_term_texts[i].zh, dtci_term_texts[k].zh) != 0);
  }
  assert_null(dtc_memory_term_text(UINT32_MAX, DTC_LANG_ZH));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_table_of_terms_fits),
      cmocka_unit_test(every_term_has_its_texts),
      cmocka_unit_test(bytes_per_parameter),
      cmocka_unit_test(eight_bit_adam_keeps_scales),
      cmocka_unit_test(parts_are_rounded_up),
      cmocka_unit_test(states_that_need_shapes_are_refused),
      cmocka_unit_test(torchtitan_at_the_loss),
      cmocka_unit_test(zero1_of_pytorch_has_ddps_buckets),
      cmocka_unit_test(torchtitan_keeps_a_stage_gathered),
      cmocka_unit_test(autocast_copies_no_positions),
      cmocka_unit_test(rotary_tables_are_weights),
      cmocka_unit_test(autocast_at_the_loss),
      cmocka_unit_test(fsdp2_at_the_loss),
      cmocka_unit_test(fsdp2_pads_rows),
      cmocka_unit_test(wholly_in_bf16),
      cmocka_unit_test(titan_with_the_loss_in_chunks),
      cmocka_unit_test(titan_reserves_pools),
      cmocka_unit_test(experts_are_sharded_over_their_own_ranks),
      cmocka_unit_test(optimizers_that_see_the_shapes),
      cmocka_unit_test(each_schedule_holds_its_micro_batches),
      cmocka_unit_test(schedules_that_a_count_does_not_describe_are_refused),
      cmocka_unit_test(the_estimate_is_the_worst_stage),
      cmocka_unit_test(one_gpu_holds_every_parameter),
      cmocka_unit_test(usual_stages_may_be_given),
      cmocka_unit_test(other_stages_move_memory),
      cmocka_unit_test(stages_that_do_not_add_up_are_refused),
      cmocka_unit_test(stages_may_be_of_another_release),
      cmocka_unit_test(more_ranks_never_hold_more_states),
      cmocka_unit_test(recomputing_more_keeps_less),
      cmocka_unit_test(eager_attention_never_takes_less),
      cmocka_unit_test(totals_are_sums),
      cmocka_unit_test(fits_compares_with_what_can_be_used),
      cmocka_unit_test(exact_items_are_marked),
      cmocka_unit_test(exact_is_without_range),
      cmocka_unit_test(too_small_an_array_tells_the_count),
      cmocka_unit_test(the_first_result_sets_the_stride),
      cmocka_unit_test(what_does_not_fit_64_bits_is_an_error),
      cmocka_unit_test(sums_do_not_wrap),
      cmocka_unit_test(an_illegal_plan_is_refused_as_by_resolve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
