/* Memory under DeepSpeed, ColossalAI and Aleph Alpha's scaling: states, moments, what is offloaded. */
#include "check.h"

#include <dtcore/memory.h>

enum { MOMENTS = 11 };

static dtc_memory estimate(const dtc_model *m, const dtc_plan *p)
{
  dtc_memory out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  check_ok(dtc_memory_estimate(m, NULL, p, NULL, 0, &out, &err), &err);
  return out;
}

/* What the only stage holds at a moment; nothing when it has not that moment. */
static dtc_memory_held at(const dtc_model *m, const dtc_plan *p, dtc_moment moment)
{
  dtc_memory_held held[MOMENTS] = {{.struct_size = sizeof *held}};
  dtc_memory_held none = {0};
  size_t n = 0;
  assert_int_equal(dtc_memory_moments(m, NULL, p, 0, NULL, 0, held, MOMENTS, &n, NULL), DTC_OK);
  for (size_t i = 0; i < n; i++)
    if (held[i].moment == moment)
      return held[i];
  return none;
}

static dtc_plan plan_of(dtc_framework framework, dtc_sharding sharding, uint64_t dp)
{
  dtc_plan p = check_plan();
  p.framework = framework;
  p.sharding = sharding;
  p.dp = dp;
  return p;
}

static dtc_plan zero(uint32_t stage)
{
  return plan_of(DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_DDP + stage, 8);
}

/* Llama 2 7B on 8 ranks, bf16, Adam: traced. ZeRO-1 keeps all gradients while micro-batches are added up. */
static void states_of_a_rank(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  static const uint64_t expected[][2] = {{UINT64_C(13476831232), UINT64_C(13476831232)},
                                         {UINT64_C(13476831232), UINT64_C(1774781440)},
                                         {UINT64_C(1684603904), UINT64_C(1684603904)}};
  for (uint32_t i = 0; i < 3; i++) {
    dtc_plan p = zero(i + 1);
    p.accumulation = 4;
    dtc_memory out = estimate(&m, &p);
    dtc_memory_held loss = at(&m, &p, DTC_MOMENT_LOSS);
    assert_true(out.params == UINT64_C(6738415616));
    assert_true(loss.weights == expected[i][0] && loss.gradients == expected[i][1]);
    assert_true(loss.optimizer == UINT64_C(3369207808) + UINT64_C(6738415616));
    assert_true(loss.buckets == 1000000000);
    /* Nothing but states between two steps, and what ZeRO-3 has from the start: bucket, gradients, 65 norms of 4096. */
    uint64_t always = i == 2 ? 1000000000 + expected[2][1] + 2 * 64 * 4096 : 0;
    assert_true(out.steady == loss.weights + loss.optimizer + loss.workspace + always);
  }
}

/* Flat buffers end at a multiple of two elements per rank: 20970 parameters on 4 ranks become 20976 (traced). */
static void flat_buffers_are_padded(void **state)
{
  (void)state;
  dtc_model_states out;
  dtc_plan p = plan_of(DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO2, 4);
  DTC_INIT(&out);
  assert_int_equal(dtc_memory_states(20970, &p, &out, NULL), DTC_OK);
  assert_true(out.weights == 41952 && out.master == 20976 && out.moments == 41952);
  p.grad_dtype = DTC_GRAD_DTYPE_FP32;
  assert_int_equal(dtc_memory_states(20970, &p, &out, NULL), DTC_OK);
  assert_true(out.gradients == 20976);
}

/* The step cuts the rank's part out of the gradients, makes it flat and casts it: 2 + 2 + 4 bytes in the pipeline engine under
 * ZeRO-1, 2 + 4 under ZeRO-2, 4 of a sub-group under ZeRO-3. */
static void temporaries_of_the_step(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  const uint64_t part = UINT64_C(6738415616) / 8;
  dtc_plan two = zero(2);
  assert_true(at(&m, &two, DTC_MOMENT_STEP).transient == 6 * part);
  dtc_plan three = zero(3);
  assert_true(at(&m, &three, DTC_MOMENT_STEP).transient == 4 * part);
  three.dp = 4;
  assert_true(at(&m, &three, DTC_MOMENT_STEP).transient == UINT64_C(4000000000)); /* sub_group_size */
  dtc_plan one = zero(1);
  one.pp = 2;
  dtc_memory_held step = at(&m, &one, DTC_MOMENT_STEP);
  assert_true(step.transient == step.weights / 2 / 8 * 8);
  assert_true(step.gradients == step.weights);
}

/* bf16, ZeRO-1 and gradients in fp32: BF16_Optimizer keeps gradients whole in both types, and casts none for the step. */
static void bf16_optimizer(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = zero(1);
  p.grad_dtype = DTC_GRAD_DTYPE_FP32;
  dtc_memory_held loss = at(&m, &p, DTC_MOMENT_LOSS);
  assert_true(loss.weights + loss.gradients == 8 * UINT64_C(6738415616));
  assert_true(at(&m, &p, DTC_MOMENT_STEP).transient == 0);
  assert_true(at(&m, &p, DTC_MOMENT_REST).gradients == 4 * UINT64_C(6738415616));
}

/* Gathered: max_live_parameters, passed by the largest tensor, and what is fetched ahead; small models whole. */
static void gathered_weights(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = zero(3);
  const uint64_t small = 2 * 64 * 4096;
  const uint64_t table = 32000 * 4096;
  assert_true(at(&m, &p, DTC_MOMENT_LOSS).gathered == small + 2 * (1000000000 + table) + 2 * 50000000);
  p.live = 200000000;
  assert_true(at(&m, &p, DTC_MOMENT_LOSS).gathered == small + 2 * (200000000 + table) + 2 * 50000000);
  p.persistence = 4096; /* no tensor is below */
  assert_true(at(&m, &p, DTC_MOMENT_LOSS).gathered == 2 * (200000000 + table) + 2 * 50000000);
  m = check_named("gpt2");
  p = zero(3);
  p.persistence = 1;
  assert_true(at(&m, &p, DTC_MOMENT_LOSS).gathered == 2 * UINT64_C(124439808) + 2 * 50000000);
}

/* Megatron's layers under DeepSpeed: with dropout and unfused attention a layer keeps T (h (10 + 24/t) + 16) + 5 a s^2 b / t; the
 * pipeline engine keeps a stage's output per micro-batch; 6 bytes of a logit, 10 without the engine. */
static void megatron_deepspeed(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 8, 1024, 16, 51200);
  m.context = 2048;
  m.tied = DTC_BOOL_ON;
  m.gated = DTC_BOOL_OFF;
  m.ffn = 4096;
  m.norm = DTC_NORM_LAYERNORM;
  m.position = DTC_POSITION_LEARNED;
  dtc_plan p = plan_of(DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO1, 1);
  p.seq = 2048;
  p.pp = 2;
  p.accumulation = 8;
  p.attention = DTC_ATTENTION_EAGER;
  p.dropout = DTC_BOOL_ON;
  const uint64_t hidden = 2 * 2048 * 1024;
  const uint64_t layer = 2048 * (1024 * 34 + 16) + UINT64_C(5) * 16 * 2048 * 2048;
  dtc_memory_held loss = at(&m, &p, DTC_MOMENT_BACKWARD);
  assert_true(loss.activations == 2 * (4 * layer + hidden));
  p.pp = 1;
  loss = at(&m, &p, DTC_MOMENT_LOSS);
  assert_true(loss.activations == 8 * layer);
  assert_true(loss.transient == 2 * hidden + UINT64_C(10) * 2048 * 51200);
}

/* ZeRO-2 with the optimizer on the host: a rank of 8 has 4 + 4 + 8 + 2 bytes of its part there, gradients of several
 * micro-batches besides, and a pinned buffer of the largest tensor; the GPU weights, buckets and that buffer. */
static void optimizer_on_the_host(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = zero(2);
  const uint64_t part = UINT64_C(6738415616) / 8;
  const uint64_t table = 2 * 32000 * 4096;
  p.offload = DTC_OFFLOAD_OPTIMIZER;
  dtc_memory out = estimate(&m, &p);
  assert_true(out.optimizer == 0 && out.nvme == 0);
  assert_true(out.host == 18 * part + table);
  assert_true(out.host_node == 8 * out.host && out.host_high == out.host + out.host / 2);
  assert_true(at(&m, &p, DTC_MOMENT_STEP).transient == 0);
  assert_true(at(&m, &p, DTC_MOMENT_REST).gradients == table);
  p.accumulation = 2;
  assert_true(estimate(&m, &p).host == 18 * part + table + 2 * (part + 4096 * 11008));
}

/* ZeRO-3: 4 + 2 bytes of gradients, 12 of states and 2 of weights on the host; on NVMe the last two, with 5 buffers of 1e8
 * weights and 4 of a sub-group in fp32 on the host. */
static void weights_on_the_host(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = zero(3);
  const uint64_t part = UINT64_C(6738415616) / 8;
  p.offload = DTC_OFFLOAD_PARAMS;
  dtc_memory out = estimate(&m, &p);
  assert_true(out.weights == 0 && out.gradients == 0 && out.optimizer == 0);
  assert_true(out.host == 20 * part);
  p.offload = DTC_OFFLOAD_NVME;
  out = estimate(&m, &p);
  assert_true(out.nvme == 14 * part);
  assert_true(out.host == 6 * part + 1000000000 + 16 * part);
  p.recompute = DTC_RECOMPUTE_FULL;
  p.offload = DTC_OFFLOAD_DEFAULT;
  p.offload_activations = DTC_BOOL_ON;
  out = estimate(&m, &p);
  assert_true(out.host == UINT64_C(32) * 2 * 4096 * 4096); /* inputs of the layers */
}

/* Gemini's gradients take the place of the weights in their chunks, unless micro-batches are added up. */
static void colossalai(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = plan_of(DTC_FRAMEWORK_COLOSSALAI, DTC_SHARDING_ZERO3, 8);
  assert_true(at(&m, &p, DTC_MOMENT_END).gradients == 0);
  assert_true(at(&m, &p, DTC_MOMENT_LOSS).gathered == UINT64_C(2) * 2 * 32000 * 4096);
  p.accumulation = 2;
  assert_true(at(&m, &p, DTC_MOMENT_END).gradients == UINT64_C(1684603904));
  p.sharding = DTC_SHARDING_ZERO1;
  p.accumulation = 1;
  dtc_memory_held end = at(&m, &p, DTC_MOMENT_END);
  assert_true(end.gradients == UINT64_C(13476831232) && end.buckets == 2 * (12 << 20));
  assert_true(at(&m, &p, DTC_MOMENT_REST).gradients == 0);
}

/* Llama 13B of 128000 words with 2 tensor parallel ranks: T [24 h + (20 h + 8 f) / t] + 4 a T / t of a layer, and 18 bytes of
 * every logit. */
static void scaling(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 40, 5120, 40, 128000);
  m.ffn = 13824;
  dtc_plan p = plan_of(DTC_FRAMEWORK_SCALING, DTC_SHARDING_ZERO1, 32);
  p.tp = 2;
  p.seq = 2048;
  dtc_memory_held loss = at(&m, &p, DTC_MOMENT_LOSS);
  assert_true(loss.activations == UINT64_C(40) * 2048 * (24 * 5120 + (20 * 5120 + 8 * 13824) / 2 + 4 * 40 / 2));
  assert_true(loss.transient == UINT64_C(2) * 2 * 2048 * 5120 + UINT64_C(18) * 2048 * 128000);
  p.fused_norm = DTC_BOOL_ON;
  assert_true(loss.activations - at(&m, &p, DTC_MOMENT_LOSS).activations == UINT64_C(40) * 2048 * 16 * 5120);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_of_a_rank),
      cmocka_unit_test(flat_buffers_are_padded),
      cmocka_unit_test(temporaries_of_the_step),
      cmocka_unit_test(bf16_optimizer),
      cmocka_unit_test(gathered_weights),
      cmocka_unit_test(megatron_deepspeed),
      cmocka_unit_test(optimizer_on_the_host),
      cmocka_unit_test(weights_on_the_host),
      cmocka_unit_test(colossalai),
      cmocka_unit_test(scaling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
