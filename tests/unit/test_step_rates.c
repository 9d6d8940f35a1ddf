/* Speed of a step by convention: what publishers print, recomputation, refusals. */
#include "check.h"

#include <math.h>

static dtc_step_rate rates(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, dtc_flops_convention convention,
                           double seconds)
{
  dtc_error e;
  dtc_step_rate r;
  DTC_INIT(&e);
  DTC_INIT(&r);
  check_ok(dtc_step_rates(m, c, p, convention, seconds, &r, &e), &e);
  return r;
}

/* ---- what publishers print ------------------------------------------------------------------- */

/* A model by name, or by shape with an empty one. */
typedef struct shape {
  const char *name;
  uint64_t layers;
  uint64_t hidden;
  uint64_t heads;
  uint64_t kv_heads;
  uint64_t head_dim;
  uint64_t ffn;
  uint64_t vocab;
  uint64_t gated;
  uint64_t experts; /* and below what a token takes of them */
  uint64_t top_k;
  uint64_t moe_ffn;
  uint64_t shared_ffn;
  uint64_t moe_every;
} shape;

/* FLOP/s over tokens/s, both as published; the median where a source has several runs of a model. */
typedef struct published {
  shape model;
  uint64_t seq;
  dtc_flops_convention convention;
  double flops; /* per token */
} published;

#define GPT(l, h, a, v)                                                                                                \
  {                                                                                                                    \
    "", l, h, a, a, (h) / (a), 4 * (h), v, 0, 0, 0, 0, 0, 0                                                            \
  }
#define NAMED(name)                                                                                                    \
  {                                                                                                                    \
    name, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                                                        \
  }
#define LLAMA_405B(l)                                                                                                  \
  {                                                                                                                    \
    "", l, 16384, 128, 8, 128, 53248, 128256, 1, 0, 0, 0, 0, 0                                                         \
  }
#define GROK(l)                                                                                                        \
  {                                                                                                                    \
    "", l, 6144, 48, 8, 128, 32768, 131072, 1, 8, 2, 32768, 0, 1                                                       \
  }
#define NEMOTRON_15B                                                                                                   \
  {                                                                                                                    \
    "", 32, 6144, 48, 8, 128, 24576, 256000, 0, 0, 0, 0, 0, 0                                                          \
  }
#define NEMOTRON_340B                                                                                                  \
  {                                                                                                                    \
    "", 96, 18432, 96, 8, 192, 73728, 256000, 0, 0, 0, 0, 0, 0                                                         \
  }
#define MAVERICK                                                                                                       \
  {                                                                                                                    \
    "", 48, 5120, 40, 8, 128, 16384, 202048, 1, 128, 1, 8192, 8192, 2                                                  \
  }
#define INTERNLM                                                                                                       \
  {                                                                                                                    \
    "", 32, 4096, 32, 32, 128, 11008, 103168, 1, 0, 0, 0, 0, 0                                                         \
  }

/* clang-format off */
static const published rows[] = {
    /* BigScience, chronicles-prequel.md (bigscience 9e64ede): until 21 February 2022 by 8 N, then by SC21's formula */
    {GPT(77, 14400, 96, 250880), 2048, DTC_FLOPS_BIGSCIENCE_HFU, 1.5333e12},
    {GPT(78, 14400, 96, 250880), 2048, DTC_FLOPS_BIGSCIENCE_HFU, 1.5532e12},
    {GPT(80, 14400, 96, 250880), 2048, DTC_FLOPS_BIGSCIENCE_HFU, 1.5930e12},
    {GPT(81, 14400, 96, 250880), 2048, DTC_FLOPS_BIGSCIENCE_HFU, 1.6130e12},
    {GPT(70, 14336, 112, 250880), 2048, DTC_FLOPS_NARAYANAN_HFU, 1.4356e12},
    {GPT(72, 14336, 64, 250880), 2048, DTC_FLOPS_NARAYANAN_HFU, 1.4760e12},
    {GPT(78, 13824, 96, 250880), 2048, DTC_FLOPS_NARAYANAN_HFU, 1.4871e12},
    {GPT(84, 13312, 64, 250880), 2048, DTC_FLOPS_NARAYANAN_HFU, 1.4857e12},
    {GPT(10, 14336, 64, 250880), 2048, DTC_FLOPS_NARAYANAN_HFU, 2.2358e11},
    {GPT(84, 13824, 64, 250880), 2048, DTC_FLOPS_NARAYANAN_HFU, 1.5999e12},
    {GPT(94, 13312, 128, 250880), 2048, DTC_FLOPS_NARAYANAN_HFU, 1.6602e12},
    /* MT-NLG 530B, arXiv 2201.11990: 1920 sequences in 60.1 s on 2240 GPUs, 126 TFLOP/s each */
    {GPT(105, 20480, 128, 51200), 2048, DTC_FLOPS_NARAYANAN_HFU, 126e12 * 2240 * 60.1 / 1920 / 2048},
    /* InternEvo c628a8c, doc/: with and without recomputation */
    {INTERNLM, 2048, DTC_FLOPS_NARAYANAN_HFU, 5.8238e10},
    {INTERNLM, 2048, DTC_FLOPS_KORTHIKANTI, 4.4359e10},
    /* arXiv 2205.05198, Table 5 and text: model FLOPs */
    {GPT(48, 6144, 64, 51200), 2048, DTC_FLOPS_KORTHIKANTI, 1.3909e11},
    {GPT(105, 20480, 128, 51200), 2048, DTC_FLOPS_KORTHIKANTI, 3.2274e12},
    {GPT(128, 25600, 160, 51200), 2048, DTC_FLOPS_KORTHIKANTI, 6.1317e12},
    /* NeMo 24.07, performance_summary.md: pre-training; fine-tuning on packed sequences */
    {GPT(96, 12288, 96, 51200), 2048, DTC_FLOPS_MEGATRON_FULL, 1.0766e12},
    {GPT(44, 6144, 48, 51200), 2048, DTC_FLOPS_MEGATRON_FULL, 1.2818e11},
    {GPT(40, 6144, 48, 256000), 4096, DTC_FLOPS_MEGATRON_FULL, 1.3033e11},
    {GPT(32, 4096, 32, 256000), 4096, DTC_FLOPS_MEGATRON_FULL, 5.1411e10},
    {NEMOTRON_340B, 4096, DTC_FLOPS_MEGATRON_FULL, 2.1043e12},
    {NAMED("llama-2-7b"), 4096, DTC_FLOPS_MEGATRON_FULL, 4.6061e10},
    {NAMED("llama-2-13b"), 4096, DTC_FLOPS_MEGATRON_FULL, 8.7206e10},
    {NAMED("llama-2-70b"), 4096, DTC_FLOPS_MEGATRON_FULL, 4.4444e11},
    {NAMED("llama-3-8b"), 8192, DTC_FLOPS_MEGATRON_FULL, 5.7932e10},
    {NAMED("llama-3-70b"), 8192, DTC_FLOPS_MEGATRON_FULL, 4.8163e11},
    {NAMED("llama-2-13b"), 4096, DTC_FLOPS_SIX_N, 7.7339e10},
    {NAMED("llama-2-70b"), 4096, DTC_FLOPS_SIX_N, 4.1244e11},
    {NAMED("llama-2-70b"), 4096, DTC_FLOPS_FOUR_N, 2.7547e11},
    /* NVIDIA dgxc-benchmarking 841f546 and before: GPT-3's formula for 405B too, and until 25.05 for Nemotron-4 */
    {GPT(96, 12288, 96, 51200), 2048, DTC_FLOPS_KORTHIKANTI, 1.0742e12},
    {GPT(24, 4096, 32, 51200), 2048, DTC_FLOPS_KORTHIKANTI, 3.2664e10},
    {LLAMA_405B(126), 8192, DTC_FLOPS_KORTHIKANTI, 2.6488e12},
    {LLAMA_405B(42), 8192, DTC_FLOPS_KORTHIKANTI, 8.9178e11},
    {LLAMA_405B(21), 8192, DTC_FLOPS_KORTHIKANTI, 4.5223e11},
    {LLAMA_405B(7), 8192, DTC_FLOPS_KORTHIKANTI, 1.5913e11},
    {NEMOTRON_15B, 4096, DTC_FLOPS_KORTHIKANTI, 1.0608e11},
    {NEMOTRON_340B, 4096, DTC_FLOPS_KORTHIKANTI, 2.4659e12},
    {NEMOTRON_15B, 4096, DTC_FLOPS_MEGATRON_FULL, 9.3939e10},
    {NEMOTRON_340B, 4096, DTC_FLOPS_MEGATRON_FULL, 2.1024e12},
    {NAMED("llama-2-70b"), 4096, DTC_FLOPS_MEGATRON_FULL, 4.4433e11},
    {NAMED("llama-3-8b"), 8192, DTC_FLOPS_MEGATRON_FULL, 5.7862e10},
    {NAMED("llama-3-70b"), 8192, DTC_FLOPS_MEGATRON_FULL, 4.8096e11},
    {GROK(64), 8192, DTC_FLOPS_MEGATRON, 5.2124e11},
    {GROK(32), 8192, DTC_FLOPS_MEGATRON, 2.6290e11},
    {GROK(16), 8192, DTC_FLOPS_MEGATRON, 1.3391e11},
    {GROK(4), 4096, DTC_FLOPS_MEGATRON, 3.6450e10},
    {MAVERICK, 8192, DTC_FLOPS_MEGATRON, 1.0887e11}, /* FP8; the MFU of BF16 refers to that peak too */
    {NAMED("deepseek-v3"), 4096, DTC_FLOPS_BRIDGE, 2.6001e11},
    /* Megatron-Bridge 067f987df, performance summaries 25.09 to 26.06.01 */
    {NAMED("llama-3-8b"), 8192, DTC_FLOPS_BRIDGE, 5.1471e10},
    {NAMED("llama-3-70b"), 8192, DTC_FLOPS_BRIDGE, 4.4921e11},
    {NAMED("llama-3-70b"), 4096, DTC_FLOPS_BRIDGE, 4.3245e11},
    {NAMED("llama-3-70b"), 4096, DTC_FLOPS_FOUR_N, 2.7884e11},
    {NAMED("llama-3.1-405b"), 8192, DTC_FLOPS_BRIDGE, 2.5244e12},
    {NAMED("qwen3-30b-a3b"), 4096, DTC_FLOPS_BRIDGE, 2.3009e10},
    {NAMED("qwen3-235b-a22b"), 4096, DTC_FLOPS_BRIDGE, 1.4799e11},
    {NAMED("deepseek-v3"), 4096, DTC_FLOPS_BRIDGE, 2.6002e11},
    {NAMED("kimi-k2"), 4096, DTC_FLOPS_BRIDGE, 2.0444e11},
    {NAMED("gpt-oss-120b"), 4096, DTC_FLOPS_BRIDGE_PLAIN, 2.7180e10},
    {NAMED("gpt-oss-120b"), 8192, DTC_FLOPS_BRIDGE_PLAIN, 3.0767e10},
    {NAMED("gpt-oss-120b"), 4096, DTC_FLOPS_BRIDGE, 3.2589e10},
    /* TorchTitan's docs of 2024: the input embedding counts */
    {NAMED("llama-2-13b"), 4096, DTC_FLOPS_PALM, 8.8174e10},
    {NAMED("llama-3-8b"), 8192, DTC_FLOPS_PALM, 6.1051e10},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

static dtc_model model_of(const shape *s)
{
  dtc_model m;
  DTC_INIT(&m);
  if (s->name[0] != '\0')
    return check_named(s->name);
  m.layers = s->layers;
  m.hidden = s->hidden;
  m.heads = s->heads;
  m.kv_heads = s->kv_heads;
  m.head_dim = s->head_dim;
  m.ffn = s->ffn;
  m.vocab = s->vocab;
  m.tied = DTC_BOOL_OFF;
  m.gated = s->gated ? DTC_BOOL_ON : DTC_BOOL_OFF;
  m.position = DTC_POSITION_ROPE;
  m.experts = s->experts;
  m.top_k = s->top_k;
  m.moe_ffn = s->moe_ffn;
  m.shared_ffn = s->shared_ffn;
  m.moe_every = s->moe_every;
  return m;
}

static void check_within(size_t row, double got, double expected, double share)
{
  if (!(got >= expected * (1 - share) && got <= expected * (1 + share)))
    fail_msg("row %zu: got %.5g, published %.5g, ratio %.4f", row, got, expected, got / expected);
}

static void published_ratios_come_out(void **state)
{
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    dtc_model m = model_of(&rows[i].model);
    dtc_plan p = check_plan();
    p.seq = rows[i].seq;
    p.global_batch = 8;
    dtc_step_rate r = rates(&m, NULL, &p, rows[i].convention, 1);
    check_within(i, r.model_flops / 8 / (double)p.seq, rows[i].flops, 0.005);
    check_near(r.tokens_per_second, 8 * (double)p.seq);
  }
}

/* MosaicML llm-foundry 8c8dd48f7, scripts/train/benchmarking: 6 N + 12 L h s over 989 and 312 TFLOP/s, where N has a row
 * of positions per token of the sequence. Medians over runs. */
static void published_ratios_of_llm_foundry_come_out(void **state)
{
  (void)state;
  static const struct {
    uint64_t layers;
    uint64_t hidden;
    uint64_t heads;
    uint64_t seq;
    double flops;
  } mpt[] = {
      {12, 768, 12, 2048, 9.7830e8},    {24, 1024, 16, 65536, 2.1853e10}, {24, 1536, 12, 32768, 1.9342e10},
      {24, 2048, 16, 65536, 4.7323e10}, {24, 2048, 16, 2048, 9.1003e9},   {32, 2560, 20, 2048, 1.7916e10},
      {32, 4096, 32, 65536, 1.4461e11}, {32, 4096, 32, 512, 4.0732e10},   {40, 5120, 40, 16384, 1.1784e11},
      {48, 7168, 56, 8192, 2.1393e11},  {80, 8192, 64, 2048, 4.0549e11},
  };
  for (size_t i = 0; i < sizeof mpt / sizeof mpt[0]; i++) {
    shape s = GPT(mpt[i].layers, mpt[i].hidden, mpt[i].heads, 50368);
    dtc_model m = model_of(&s);
    dtc_plan p = check_plan();
    m.position = DTC_POSITION_LEARNED;
    m.tied = DTC_BOOL_ON;
    m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_OFF;
    m.context = p.seq = mpt[i].seq;
    check_within(i, rates(&m, NULL, &p, DTC_FLOPS_PALM, 1).model_flops / (double)p.seq, mpt[i].flops, 0.005);
  }
  /* 70B on 128 H100: 1058 tokens/s, MFU 43.36 %, HFU 57.81 % */
  shape s = GPT(80, 8192, 64, 50368);
  dtc_model m = model_of(&s);
  dtc_cluster c = check_gpu_named("h100-80gb");
  dtc_plan p = check_plan();
  m.tied = DTC_BOOL_ON;
  p.sharding = DTC_SHARDING_FSDP;
  p.recompute = DTC_RECOMPUTE_FULL;
  p.dp = 128;
  p.micro_batch = 8;
  p.seq = 2048;
  dtc_step_rate r = rates(&m, &c, &p, DTC_FLOPS_PALM, 15.4858);
  check_within(0, r.tokens_per_gpu_second, 1058, 0.001);
  check_within(1, r.mfu, .4336, 0.005);
  check_within(2, r.hfu, .5781, 0.005);
  check_within(3, rates(&m, &c, &p, DTC_FLOPS_PALM_HFU, 15.4858).mfu, .5781, 0.005);
}

/* The packed fine-tuning of NeMo 24.07 on Llama 2 7B prints 0.5 % more than 6 N: sequences of 128 tokens or so. */
static void packed_sequences_attend_to_themselves(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = check_plan();
  double six_n = 0;
  assert_int_equal(dtc_model_flops(&m, 4096, DTC_FLOPS_SIX_N, &six_n, NULL), DTC_OK);
  p.seq = 4096;
  p.packed = 128;
  double flops = rates(&m, NULL, &p, DTC_FLOPS_MEGATRON_FULL, 1).model_flops / 4096;
  check_near(flops, six_n + 12.0 * 32 * 4096 * 128);
  check_within(0, flops, 3.9844e10, 0.005);
  p.packed = 4096; /* one that fills what it is packed into */
  check_near(rates(&m, NULL, &p, DTC_FLOPS_MEGATRON_FULL, 1).model_flops / 4096, six_n + 12.0 * 32 * 4096 * 4096);
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Narayanan 2021 on A100, arXiv 2104.04473, Table 1: 530 B, 2520 GPUs, batch 2520, 163 TFLOP/s, 52 % of the peak. */
static void rates_follow_from_the_seconds(void **state)
{
  (void)state;
  shape s = GPT(105, 20480, 128, 51200);
  dtc_model m = model_of(&s);
  dtc_cluster c = check_gpu_named("a100-80gb");
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.tp = 8;
  p.pp = 35;
  p.dp = 9;
  p.global_batch = 2520;
  p.seq = 2048;
  p.recompute = DTC_RECOMPUTE_FULL;
  double step = 96.0 * 2520 * 2048 * 105 * 20480 * 20480 * (1 + 2048 / 6.0 / 20480 + 51200 / 16.0 / 105 / 20480);
  dtc_step_rate r = rates(&m, &c, &p, DTC_FLOPS_NARAYANAN_HFU, step / 2520 / 163e12);
  assert_int_equal(r.convention, DTC_FLOPS_NARAYANAN_HFU);
  check_near(r.model_flops, step);
  check_near(r.hardware_flops, step); /* it counts recomputation itself */
  check_near(r.flops_per_gpu_second, 163e12);
  check_near(r.peak, 312e12);
  check_near(r.mfu, 163.0 / 312);
  check_near(r.hfu, 163.0 / 312);
  check_near(r.sequences_per_second, 2520 / r.seconds);
  check_near(r.tokens_per_second, 2520 * 2048 / r.seconds);
  check_near(r.tokens_per_gpu_second, 2048 / r.seconds);
  /* the same by the model's own FLOPs: with full recomputation hardware FLOPs are SC21's */
  dtc_step_rate own = rates(&m, &c, &p, DTC_FLOPS_KORTHIKANTI, r.seconds);
  check_near(own.hardware_flops, step);
  check_near(own.hfu, r.mfu);
  assert_true(own.mfu < 0.77 * own.hfu);
}

static void the_peak_is_that_of_16_bit(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_cluster v100 = check_gpu_named("v100-16gb");
  dtc_cluster h100 = check_gpu_named("h100-80gb");
  dtc_plan p = check_plan();
  assert_true(v100.bf16 <= 0 && v100.fp16 > 0);
  check_near(rates(&m, &v100, &p, DTC_FLOPS_DEFAULT, 1).peak, v100.fp16);
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.precision = DTC_PRECISION_FP8;
  check_near(rates(&m, &h100, &p, DTC_FLOPS_DEFAULT, 1).peak, h100.bf16);
  dtc_step_rate none = rates(&m, NULL, &p, DTC_FLOPS_DEFAULT, 1);
  assert_true(none.peak <= 0 && none.mfu <= 0 && none.hfu <= 0 && none.flops_per_gpu_second > 0);
}

/* ---- recomputation --------------------------------------------------------------------------- */

/* What is computed more than the model's FLOPs, per token. */
static double again(const dtc_model *m, const dtc_plan *p)
{
  dtc_step_rate r = rates(m, NULL, p, DTC_FLOPS_MEGATRON, 1);
  return (r.hardware_flops - r.model_flops) / (double)p->global_batch / (double)p->seq;
}

static dtc_plan megatron_plan(dtc_recompute recompute)
{
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.recompute = recompute;
  p.global_batch = 32;
  p.seq = 4096;
  return p;
}

static void full_recomputation_is_a_third_more(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = megatron_plan(DTC_RECOMPUTE_FULL);
  double hfu = 0;
  assert_int_equal(dtc_model_flops(&m, 4096, DTC_FLOPS_MEGATRON_HFU, &hfu, NULL), DTC_OK);
  check_near(rates(&m, NULL, &p, DTC_FLOPS_MEGATRON, 1).hardware_flops / 32 / 4096, hfu);
  double all = again(&m, &p);
  p.recompute_method = DTC_RECOMPUTE_METHOD_BLOCK;
  check_near(again(&m, &p), all); /* without a number all layers */
  p.recompute_layers = 3;
  check_near(again(&m, &p), all * 3 / 32);
  p.pp = 4;
  check_near(again(&m, &p), all * 12 / 32);
  p.schedule = DTC_SCHEDULE_INTERLEAVED;
  p.vpp = 2; /* 8 chunks of 4 layers */
  check_near(again(&m, &p), all * 24 / 32);
  p.recompute_layers = 7;
  check_near(again(&m, &p), all);
  p = megatron_plan(DTC_RECOMPUTE_FULL);
  p.recompute_method = DTC_RECOMPUTE_METHOD_UNIFORM;
  p.recompute_layers = 4;
  check_near(again(&m, &p), all);
  p = megatron_plan(DTC_RECOMPUTE_NONE);
  assert_true(again(&m, &p) <= 0);
}

static void a_share_of_the_layers_is_a_share_of_it(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = megatron_plan(DTC_RECOMPUTE_FULL);
  double all = again(&m, &p);
  p.framework = DTC_FRAMEWORK_TORCHTITAN;
  p.recompute_method = DTC_RECOMPUTE_METHOD_EVERY;
  p.recompute_layers = 2;
  check_near(again(&m, &p), all / 2);
  p.recompute_layers = 5; /* 6 of 32 */
  check_near(again(&m, &p), all * 6 / 32);
  /* by operator: key, output and up projections, from 0.3.0 output and up */
  p = megatron_plan(DTC_RECOMPUTE_SELECTIVE);
  p.framework = DTC_FRAMEWORK_TORCHTITAN;
  p.framework_version = 2000;
  check_near(again(&m, &p), 2.0 * 32 * 4096 * (1024 + 4096 + 14336));
  p.framework_version = 3000;
  check_near(again(&m, &p), 2.0 * 32 * 4096 * (4096 + 14336));
}

static void modules_that_are_named_are_computed_again(void **state)
{
  (void)state;
  dtc_model m = check_named("deepseek-v3");
  dtc_plan p = megatron_plan(DTC_RECOMPUTE_SELECTIVE);
  double scores = 2.0 * 61 * 4096 * 128 * (192 + 128) / 2; /* forward */
  check_near(again(&m, &p), scores);
  p.recompute_mla_up_proj = DTC_BOOL_ON;
  double up = 2.0 * 61 * (1536.0 * 128 * 192 + 512.0 * 128 * 256);
  check_near(again(&m, &p), up);
  p.recompute_core_attn = DTC_BOOL_ON;
  check_near(again(&m, &p), up + scores);
  p = megatron_plan(DTC_RECOMPUTE_SELECTIVE);
  p.recompute_mlp = DTC_BOOL_ON;
  check_near(again(&m, &p), 2.0 * 3 * 3 * 7168 * 18432);
  p.recompute_shared_experts = DTC_BOOL_ON;
  check_near(again(&m, &p), 2.0 * 3 * 7168 * (3 * 18432 + 58 * 2048.0));
  p = megatron_plan(DTC_RECOMPUTE_SELECTIVE);
  p.recompute_moe = DTC_BOOL_ON; /* routers, eight experts, the shared one */
  check_near(again(&m, &p), 2.0 * 58 * 7168 * (256 + 3 * 9 * 2048.0));
  p.recompute_moe = DTC_BOOL_OFF;
  p.recompute_layernorm = p.recompute_moe_act = DTC_BOOL_ON; /* no products */
  assert_true(again(&m, &p) <= 0);
}

/* ---- conventions ----------------------------------------------------------------------------- */

static double flops(const dtc_model *m, dtc_flops_convention convention)
{
  double f = 0;
  assert_int_equal(dtc_model_flops(m, 4096, convention, &f, NULL), DTC_OK);
  return f;
}

static void conventions_differ_by_what_they_say(void **state)
{
  (void)state;
  dtc_model qwen = check_named("qwen3-30b-a3b");
  dtc_model oss = check_named("gpt-oss-120b");
  dtc_model gpt = check_named("gpt3-175b");
  check_near(flops(&qwen, DTC_FLOPS_MEGATRON) - flops(&qwen, DTC_FLOPS_BRIDGE), 6.0 * 48 * 2048 * 128); /* routers */
  oss.window = oss.window_every = 0;
  check_near(flops(&oss, DTC_FLOPS_BRIDGE) - flops(&oss, DTC_FLOPS_BRIDGE_PLAIN),
             6.0 * 36 * 4 * 2880 * 2880);                                         /* gates */
  check_near(flops(&gpt, DTC_FLOPS_BRIDGE_PLAIN), flops(&gpt, DTC_FLOPS_BRIDGE)); /* without gates */
  check_near(flops(&gpt, DTC_FLOPS_BIGSCIENCE_HFU), 96.0 * 96 * 12288 * 12288);
  check_near(flops(&qwen, DTC_FLOPS_FOUR_N), flops(&qwen, DTC_FLOPS_SIX_N) * 2 / 3);
}

/* A window of W tokens: W (W + 1) / 2 pairs in the first W, W in each other one. */
static void windows_count_the_pairs_in_them(void **state)
{
  (void)state;
  dtc_model m = check_named("gpt-oss-120b");
  double with = 0;
  double without = 0;
  double same = 0;
  double pairs = 0;
  for (uint64_t token = 1; token <= 4096; token++)
    pairs += token < 128 ? (double)token : 128;
  assert_int_equal(dtc_model_flops(&m, 4096, DTC_FLOPS_BRIDGE, &with, NULL), DTC_OK);
  m.window = m.window_every = 0;
  assert_int_equal(dtc_model_flops(&m, 4096, DTC_FLOPS_BRIDGE, &without, NULL), DTC_OK);
  check_near(without - with, 6.0 * 18 * 64 * 64 * (4096 - 2 * pairs / 4096));
  m.window = 4096; /* as long as the sequence */
  assert_int_equal(dtc_model_flops(&m, 4096, DTC_FLOPS_BRIDGE, &same, NULL), DTC_OK);
  check_near(same, without);
}

/* DeepSeek-V3's module: a layer of experts, a 2h x h projection, the head once more. */
static void a_prediction_module_is_counted_where_it_is_trained(void **state)
{
  (void)state;
  dtc_model m = check_named("deepseek-v3");
  double with = 0;
  double without = 0;
  double h = 7168;
  double attention = h * 1536 + 1536.0 * 128 * 192 + h * 576 + 512.0 * 128 * 256 + h * 128 * 128;
  assert_int_equal(dtc_model_flops(&m, 4096, DTC_FLOPS_BRIDGE, &with, NULL), DTC_OK);
  m.mtp_layers = 0;
  assert_int_equal(dtc_model_flops(&m, 4096, DTC_FLOPS_BRIDGE, &without, NULL), DTC_OK);
  double module = attention + 3 * h * 9 * 2048 + 2 * h * h + 3 * h + h * 129280;
  check_near(with - without, 6 * (module + 4096.0 * 128 * 160));
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuse(const dtc_model *m, const dtc_plan *p, dtc_flops_convention convention, double seconds,
                   dtc_status status, uint32_t field)
{
  dtc_error e;
  dtc_step_rate r;
  DTC_INIT(&e);
  memset(&r, 0x5a, sizeof r);
  r.struct_size = sizeof r;
  dtc_step_rate before = r;
  assert_int_equal(dtc_step_rates(m, NULL, p, convention, seconds, &r, &e), status);
  assert_int_equal(e.field, field);
  assert_memory_equal(&r, &before, sizeof r);
}

static void what_is_not_known_is_refused(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_model bert = check_shape(DTC_ARCH_BERT, 2, 64, 4, 100);
  dtc_plan p = check_plan();
  refuse(&m, &p, DTC_FLOPS_FOUR_N + 1, 1, DTC_E_RANGE, DTC_ARG_CONVENTION);
  refuse(&m, &p, DTC_FLOPS_PALM, 0, DTC_E_RANGE, DTC_ARG_SECONDS);
  refuse(&m, &p, DTC_FLOPS_PALM, -1, DTC_E_RANGE, DTC_ARG_SECONDS);
  refuse(&m, &p, DTC_FLOPS_PALM, 1.001e9, DTC_E_RANGE, DTC_ARG_SECONDS);
  refuse(&m, &p, DTC_FLOPS_PALM, (double)NAN, DTC_E_RANGE, DTC_ARG_SECONDS);
  refuse(&m, &p, DTC_FLOPS_PALM, 1e-305, DTC_E_OVERFLOW, DTC_ARG_SECONDS);
  refuse(&bert, &p, DTC_FLOPS_PALM, 1, DTC_E_UNSUPPORTED, DTC_FIELD(model, arch));
  p.tp = 7;
  refuse(&m, &p, DTC_FLOPS_PALM, 1, DTC_E_DIVIDE, DTC_FIELD(plan, tp));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_ratios_come_out),
      cmocka_unit_test(published_ratios_of_llm_foundry_come_out),
      cmocka_unit_test(packed_sequences_attend_to_themselves),
      cmocka_unit_test(rates_follow_from_the_seconds),
      cmocka_unit_test(the_peak_is_that_of_16_bit),
      cmocka_unit_test(full_recomputation_is_a_third_more),
      cmocka_unit_test(a_share_of_the_layers_is_a_share_of_it),
      cmocka_unit_test(modules_that_are_named_are_computed_again),
      cmocka_unit_test(conventions_differ_by_what_they_say),
      cmocka_unit_test(windows_count_the_pairs_in_them),
      cmocka_unit_test(a_prediction_module_is_counted_where_it_is_trained),
      cmocka_unit_test(what_is_not_known_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
