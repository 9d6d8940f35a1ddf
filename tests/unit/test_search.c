/* Spaces of plans: the values of axes, limits, the plan of an index. */
#include "search_check.h"

static search_result result;

/* ---- axes ------------------------------------------------------------------------------------ */

/* The axis has these values; 0 ends them, but an axis may begin with 0. */
static void check_axis(const search_space *s, dtc_space_axis axis, const uint64_t expected[20])
{
  uint64_t got[256];
  size_t n = search_axis(s, axis, got);
  size_t i = 0;
  for (; i == 0 || expected[i] != 0; i++)
    if (i >= n || got[i] != expected[i])
      fail_msg("axis %u, value %zu of %zu: expected %lu", axis, i, n, (unsigned long)expected[i]);
  assert_int_equal(n, i);
}

typedef struct axis_row {
  dtc_space_axis axis;
  uint64_t values[20];
} axis_row;

static void check_axes(const search_space *s, const axis_row *rows, size_t n)
{
  for (size_t i = 0; i < n; i++)
    check_axis(s, rows[i].axis, rows[i].values);
}

#define CHECK_AXES(s, rows) check_axes(s, rows, sizeof rows / sizeof rows[0])

/* 32 layers, 16 GPUs, 8 of them joined by NVLink. */
static void axes_of_a_dense_model(void **state)
{
  (void)state;
  static const axis_row rows[] = {
      {DTC_SPACE_AXIS_GPUS, {16}},
      {DTC_SPACE_AXIS_TP, {1, 2, 4, 8}},
      {DTC_SPACE_AXIS_CP, {1, 2, 4, 8, 16}},
      {DTC_SPACE_AXIS_EP, {1}},
      {DTC_SPACE_AXIS_ETP, {1}},
      {DTC_SPACE_AXIS_SEQUENCE_PARALLEL, {DTC_BOOL_OFF, DTC_BOOL_ON}},
      {DTC_SPACE_AXIS_MICRO_BATCH, {1, 2, 4, 8, 16, 32, 64}},
      {DTC_SPACE_AXIS_RECOMPUTE, {DTC_RECOMPUTE_NONE, DTC_RECOMPUTE_SELECTIVE, DTC_RECOMPUTE_FULL}},
      {DTC_SPACE_AXIS_RECOMPUTE_LAYERS, {0}},
      {DTC_SPACE_AXIS_PP, {1, 2, 4, 8, 16}},
      {DTC_SPACE_AXIS_LAYERS,
       {DTC_SPACE_LAYERS_EVEN, DTC_SPACE_LAYERS_LOSS, DTC_SPACE_LAYERS_BOTH, DTC_SPACE_LAYERS_LAST}},
      {DTC_SPACE_AXIS_VPP, {1, 2, 3, 4, 8, 11, 16, 17, 32}},
      {DTC_SPACE_AXIS_SCHEDULE, {DTC_SCHEDULE_1F1B, DTC_SCHEDULE_INTERLEAVED}},
      {DTC_SPACE_AXIS_SHARDING, {DTC_SHARDING_DDP, DTC_SHARDING_DISTOPT}},
      {DTC_SPACE_AXIS_DP_SHARD, {0}},
      {DTC_SPACE_AXIS_OFFLOAD, {0}},
  };
  search_space s = search_of("llama-3-8b", 2, 64);
  CHECK_AXES(&s, rows);
  assert_int_equal(search_size(&s), 4 * 5 * 2 * 7 * 3 * 5 * 9 * 2 * 2 * 4);
}

/* 8 experts, 32 layers, 24 GPUs. */
static void axes_of_a_model_with_experts(void **state)
{
  (void)state;
  static const axis_row rows[] = {
      {DTC_SPACE_AXIS_GPUS, {24}},
      {DTC_SPACE_AXIS_TP, {1, 2, 3, 4, 6, 8}},
      {DTC_SPACE_AXIS_EP, {1, 2, 4, 8}},
      {DTC_SPACE_AXIS_ETP, {1, 2, 3, 4, 6, 8}},
      {DTC_SPACE_AXIS_CP, {1, 2, 3, 4, 6, 8, 12}},
      {DTC_SPACE_AXIS_MICRO_BATCH, {1, 2, 3, 4, 6, 12}},
      {DTC_SPACE_AXIS_PP, {1, 2, 3, 4, 6, 8, 12, 24}},
  };
  search_space s = search_of("mixtral-8x7b", 3, 12);
  CHECK_AXES(&s, rows);
  assert_int_equal(search_size(&s), 6 * 7 * 4 * 6 * 2 * 6 * 3 * 8 * 9 * 2 * 2 * 4);
  s.p.framework = DTC_FRAMEWORK_TORCHTITAN; /* experts are split by Megatron alone */
  check_axis(&s, DTC_SPACE_AXIS_ETP, (const uint64_t[20]){1});
}

static void axes_of_each_framework(void **state)
{
  (void)state;
  enum { NONE = DTC_RECOMPUTE_NONE, SELECTIVE = DTC_RECOMPUTE_SELECTIVE, FULL = DTC_RECOMPUTE_FULL };
  static const struct {
    uint64_t shardings[20];
    uint64_t recomputes[20];
    uint64_t schedules[20];
  } rows[] = {
      [DTC_FRAMEWORK_PYTORCH] = {{DTC_SHARDING_DDP, DTC_SHARDING_FSDP, DTC_SHARDING_HSDP}, {NONE, FULL}, {2}},
      [DTC_FRAMEWORK_DEEPSPEED] = {{DTC_SHARDING_ZERO1, DTC_SHARDING_ZERO2, DTC_SHARDING_ZERO3}, {NONE, FULL}, {2}},
      [DTC_FRAMEWORK_MEGATRON] = {{DTC_SHARDING_DDP, DTC_SHARDING_DISTOPT}, {NONE, SELECTIVE, FULL}, {2, 3}},
      [DTC_FRAMEWORK_COLOSSALAI] = {{DTC_SHARDING_DDP, DTC_SHARDING_ZERO1, DTC_SHARDING_ZERO2}, {NONE, FULL}, {2, 3}},
      [DTC_FRAMEWORK_TORCHTITAN] = {{DTC_SHARDING_DDP, DTC_SHARDING_FSDP, DTC_SHARDING_HSDP},
                                    {NONE, SELECTIVE, FULL},
                                    {2, 3}},
      [DTC_FRAMEWORK_SCALING] = {{DTC_SHARDING_DDP, DTC_SHARDING_ZERO1}, {NONE, FULL}, {2}},
  };
  search_space s = search_of("llama-3-8b", 1, 64);
  for (s.p.framework = DTC_FRAMEWORK_PYTORCH; s.p.framework <= DTC_FRAMEWORK_SCALING; s.p.framework++) {
    check_axis(&s, DTC_SPACE_AXIS_SHARDING, rows[s.p.framework].shardings);
    check_axis(&s, DTC_SPACE_AXIS_RECOMPUTE, rows[s.p.framework].recomputes);
    check_axis(&s, DTC_SPACE_AXIS_SCHEDULE, rows[s.p.framework].schedules);
  }
  s.p.framework = DTC_FRAMEWORK_DEFAULT; /* that of a given sharding */
  s.p.sharding = DTC_SHARDING_ZERO2;
  check_axis(&s, DTC_SPACE_AXIS_SCHEDULE, (const uint64_t[20]){DTC_SCHEDULE_1F1B});
  assert_int_equal(search_plan(&s, 0).framework, DTC_FRAMEWORK_DEEPSPEED);
  s.p.sharding = DTC_SHARDING_DEFAULT;
  assert_int_equal(search_plan(&s, 0).framework, DTC_FRAMEWORK_MEGATRON);
}

static void a_given_field_has_one_value(void **state)
{
  (void)state;
  static const struct {
    dtc_space_axis axis;
    uint32_t field;
    uint64_t value;
  } rows[] = {
      {DTC_SPACE_AXIS_TP, DTC_FIELD(plan, tp), 5},
      {DTC_SPACE_AXIS_CP, DTC_FIELD(plan, cp), 32},
      {DTC_SPACE_AXIS_EP, DTC_FIELD(plan, ep), 3},
      {DTC_SPACE_AXIS_ETP, DTC_FIELD(plan, etp), 2},
      {DTC_SPACE_AXIS_SEQUENCE_PARALLEL, DTC_FIELD(plan, sequence_parallel), DTC_BOOL_OFF},
      {DTC_SPACE_AXIS_MICRO_BATCH, DTC_FIELD(plan, micro_batch), 7},
      {DTC_SPACE_AXIS_RECOMPUTE, DTC_FIELD(plan, recompute), DTC_RECOMPUTE_FULL},
      {DTC_SPACE_AXIS_RECOMPUTE_LAYERS, DTC_FIELD(plan, recompute_layers), 9},
      {DTC_SPACE_AXIS_PP, DTC_FIELD(plan, pp), 100},
      {DTC_SPACE_AXIS_VPP, DTC_FIELD(plan, vpp), 11},
      {DTC_SPACE_AXIS_SCHEDULE, DTC_FIELD(plan, schedule), DTC_SCHEDULE_ZBV},
      {DTC_SPACE_AXIS_SHARDING, DTC_FIELD(plan, sharding), DTC_SHARDING_FSDP},
      {DTC_SPACE_AXIS_DP_SHARD, DTC_FIELD(plan, dp_shard), 6},
      {DTC_SPACE_AXIS_OFFLOAD, DTC_FIELD(plan, offload), DTC_OFFLOAD_OPTIMIZER},
  };
  search_space open = search_of("mixtral-8x7b", 2, 64);
  open.s.dp_split = open.s.recompute_layers = DTC_BOOL_ON;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    uint64_t values[256];
    search_space s = open;
    s.p.framework = DTC_FRAMEWORK_MEGATRON;
    dtci_write(&s.p, dtci_field_of(rows[i].field), rows[i].value);
    check_axis(&s, rows[i].axis, (const uint64_t[20]){rows[i].value});
    assert_true(search_size(&s) * search_axis(&open, rows[i].axis, values) == search_size(&open));
    dtc_plan last = search_plan(&s, search_size(&s) - 1);
    assert_true(dtci_read(&last, dtci_field_of(rows[i].field)) == rows[i].value);
  }
}

static void limits(void **state)
{
  (void)state;
  search_space s = search_of("mixtral-8x7b", 4, 64);
  s.s.gpus_least = 9; /* two nodes */
  s.s.tp_most = 3;
  s.s.cp_most = 1;
  s.s.ep_most = 7;
  s.s.pp_most = 9;
  s.s.vpp_most = 3;
  s.s.micro_batch_most = 4;
  s.s.recompute_layers = s.s.dp_split = DTC_BOOL_ON;
  static const axis_row rows[] = {
      {DTC_SPACE_AXIS_GPUS, {32, 16}},
      {DTC_SPACE_AXIS_TP, {1, 2}},
      {DTC_SPACE_AXIS_CP, {1}},
      {DTC_SPACE_AXIS_EP, {1, 2, 4}},
      {DTC_SPACE_AXIS_ETP, {1, 2}},
      {DTC_SPACE_AXIS_PP, {1, 2, 4, 8}},
      {DTC_SPACE_AXIS_VPP, {1, 2, 3}},
      {DTC_SPACE_AXIS_MICRO_BATCH, {1, 2, 4}},
      {DTC_SPACE_AXIS_RECOMPUTE_LAYERS, {0, 1, 2, 4, 8, 16}},
      {DTC_SPACE_AXIS_DP_SHARD, {0, 1, 2, 4, 8, 16, 32}},
  };
  CHECK_AXES(&s, rows);
  assert_int_equal(search_size(&s), 2 * 2 * 3 * 2 * 2 * 3 * 3 * 6 * 4 * 3 * 2 * 2 * 7 * 4);
  s.s.gpus_least = 1;
  check_axis(&s, DTC_SPACE_AXIS_GPUS, (const uint64_t[20]){32, 16, 8});
  s.c.nodes = 6; /* three nodes have no half */
  check_axis(&s, DTC_SPACE_AXIS_GPUS, (const uint64_t[20]){48, 24});
  s.p.framework = DTC_FRAMEWORK_TORCHTITAN;
  check_axis(&s, DTC_SPACE_AXIS_RECOMPUTE_LAYERS, (const uint64_t[20]){0});
}

static void masks(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 1, 64);
  s.s.shardings = 1 << DTC_SHARDING_FSDP | 1 << DTC_SHARDING_DDP;
  s.s.recomputes = 1 << DTC_RECOMPUTE_FULL;
  s.s.schedules = 1 << DTC_SCHEDULE_ZB_H2 | 1 << DTC_SCHEDULE_GPIPE | 1 << DTC_SCHEDULE_ZBV;
  s.s.offloads = 1 | 1 << DTC_OFFLOAD_NVME;
  static const axis_row rows[] = {
      {DTC_SPACE_AXIS_SHARDING, {DTC_SHARDING_DDP, DTC_SHARDING_FSDP}},
      {DTC_SPACE_AXIS_RECOMPUTE, {DTC_RECOMPUTE_FULL}},
      {DTC_SPACE_AXIS_SCHEDULE, {DTC_SCHEDULE_GPIPE, DTC_SCHEDULE_ZBV, DTC_SCHEDULE_ZB_H2}},
      {DTC_SPACE_AXIS_OFFLOAD, {DTC_OFFLOAD_DEFAULT, DTC_OFFLOAD_NVME}},
  };
  CHECK_AXES(&s, rows);
}

/* A V has two chunks, of whatever length; embedding and loss may count as layers. */
static void chunks(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 1, 64);
  s.m.layers = 15;
  check_axis(&s, DTC_SPACE_AXIS_VPP, (const uint64_t[20]){1, 2, 3, 4, 5, 8, 15});
  s.p.framework = DTC_FRAMEWORK_TORCHTITAN;
  check_axis(&s, DTC_SPACE_AXIS_VPP, (const uint64_t[20]){1, 2, 3, 5, 15});
  check_axis(&s, DTC_SPACE_AXIS_LAYERS, (const uint64_t[20]){DTC_SPACE_LAYERS_EVEN});
  s.s.vpp_most = 1;
  check_axis(&s, DTC_SPACE_AXIS_VPP, (const uint64_t[20]){1});
  s.s.vpp_most = 2;
  check_axis(&s, DTC_SPACE_AXIS_VPP, (const uint64_t[20]){1, 2});
  s.s.vpp_most = 0;
  s.m.layers = 30;
  s.p.framework = DTC_FRAMEWORK_MEGATRON;
  s.p.account_embedding = s.p.account_loss = DTC_BOOL_ON;
  check_axis(&s, DTC_SPACE_AXIS_VPP, (const uint64_t[20]){1, 2, 4, 8, 16, 32});
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* 604,800 plans; strides by hand: tp 151200, cp 30240, sp 15120, mbs 2160, recompute 720, sharding 360, layers 90, pp 18,
 * vpp 2. */
static void plans_of_indexes(void **state)
{
  (void)state;
  static const struct {
    uint64_t index;
    uint64_t tp, cp, pp, vpp, dp, micro_batch;
    dtc_bool sp;
    dtc_recompute recompute;
    dtc_schedule schedule;
    dtc_sharding sharding;
  } rows[] = {
      {0, 1, 1, 1, 1, 16, 1, DTC_BOOL_OFF, DTC_RECOMPUTE_NONE, DTC_SCHEDULE_1F1B, DTC_SHARDING_DDP},
      {1, 1, 1, 1, 1, 16, 1, DTC_BOOL_OFF, DTC_RECOMPUTE_NONE, DTC_SCHEDULE_INTERLEAVED, DTC_SHARDING_DDP},
      {2, 1, 1, 1, 2, 16, 1, DTC_BOOL_OFF, DTC_RECOMPUTE_NONE, DTC_SCHEDULE_1F1B, DTC_SHARDING_DDP},
      {360, 1, 1, 1, 1, 16, 1, DTC_BOOL_OFF, DTC_RECOMPUTE_NONE, DTC_SCHEDULE_1F1B, DTC_SHARDING_DISTOPT},
      {777, 1, 1, 8, 2, 2, 1, DTC_BOOL_OFF, DTC_RECOMPUTE_SELECTIVE, DTC_SCHEDULE_INTERLEAVED, DTC_SHARDING_DDP},
      {54321, 1, 2, 4, 17, 2, 16, DTC_BOOL_ON, DTC_RECOMPUTE_NONE, DTC_SCHEDULE_INTERLEAVED, DTC_SHARDING_DDP},
      {30240, 1, 2, 1, 1, 8, 1, DTC_BOOL_OFF, DTC_RECOMPUTE_NONE, DTC_SCHEDULE_1F1B, DTC_SHARDING_DDP},
      {604799, 8, 16, 16, 32, 1, 64, DTC_BOOL_ON, DTC_RECOMPUTE_FULL, DTC_SCHEDULE_INTERLEAVED, DTC_SHARDING_DISTOPT},
  };
  search_space s = search_of("llama-3-8b", 2, 64);
  s.p.seq = 2048;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = search_plan(&s, rows[i].index);
    assert_true(p.tp == rows[i].tp && p.cp == rows[i].cp && p.pp == rows[i].pp && p.vpp == rows[i].vpp);
    assert_true(p.dp == rows[i].dp && p.micro_batch == rows[i].micro_batch && p.sequence_parallel == rows[i].sp);
    assert_true(p.recompute == rows[i].recompute && p.schedule == rows[i].schedule && p.sharding == rows[i].sharding);
    assert_true(p.ep == 1 && p.etp == 1 && p.seq == 2048 && p.global_batch == 64 && p.accumulation == 0);
    assert_true(p.dp_shard == 0 && p.offload == 0 && p.recompute_layers == 0 && p.recompute_method == 0);
  }
}

/* 61 layers: the loss makes 62 of them, the embedding too 63; of 4 ranks three have 16 and the last has 13. */
static void layers_that_do_not_divide(void **state)
{
  (void)state;
  static const struct {
    uint64_t pp;
    uint64_t last;
  } rows[] = {{1, 0}, {2, 30}, {4, 13}, {8, 5}, {16, 1}, {61, 0}, {40, 0}};
  search_space s = search_of("deepseek-v3", 2, 64);
  s.p.framework = DTC_FRAMEWORK_MEGATRON;
  s.p.tp = s.p.cp = s.p.ep = s.p.etp = s.p.vpp = s.p.micro_batch = 1;
  s.p.sequence_parallel = DTC_BOOL_OFF;
  s.p.recompute = DTC_RECOMPUTE_NONE;
  s.p.schedule = DTC_SCHEDULE_1F1B;
  s.p.sharding = DTC_SHARDING_DDP;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    s.p.pp = rows[i].pp;
    assert_int_equal(search_size(&s), 4);
    for (uint64_t how = 0; how < 4; how++) {
      dtc_plan p = search_plan(&s, how);
      int counts = rows[i].pp > 1; /* one rank has all */
      assert_int_equal(p.account_loss == DTC_BOOL_ON, counts && (how == 1 || how == 2));
      assert_int_equal(p.account_embedding == DTC_BOOL_ON, counts && how == 2);
      assert_int_equal(p.last_layers, how == DTC_SPACE_LAYERS_LAST ? rows[i].last : 0);
    }
  }
}

static void fewer_layers_are_a_block(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  s.s.recompute_layers = DTC_BOOL_ON;
  s.s.recomputes = 1 << DTC_RECOMPUTE_FULL;
  s.p.tp = s.p.cp = s.p.pp = s.p.micro_batch = s.p.vpp = 1;
  s.p.sequence_parallel = DTC_BOOL_OFF;
  s.p.schedule = DTC_SCHEDULE_1F1B;
  s.p.sharding = DTC_SHARDING_DISTOPT;
  s.p.account_loss = DTC_BOOL_OFF;
  assert_int_equal(search_size(&s), 6);
  for (uint64_t i = 0; i < 6; i++) {
    dtc_plan p = search_plan(&s, i);
    assert_true(p.recompute_layers == (i == 0 ? 0 : (uint64_t)1 << (i - 1)) && p.dp == 16);
    assert_true(p.recompute_method == (i == 0 ? DTC_RECOMPUTE_METHOD_DEFAULT : DTC_RECOMPUTE_METHOD_BLOCK));
  }
  s.p.recompute_layers = 5; /* given: the method is as given too */
  assert_true(search_size(&s) == 1 && search_plan(&s, 0).recompute_method == DTC_RECOMPUTE_METHOD_DEFAULT);
}

/* With dp the GPUs must be those of the axis. */
static void a_given_dp_stays(void **state)
{
  (void)state;
  search_space s = search_of("llama-3.2-1b", 2, 64);
  s.p.dp = 4;
  s.s.keep = 4096;
  uint64_t size = search_size(&s);
  search_run(&s, 0, size, &result);
  assert_true(result.out.fit > 0);
  for (size_t i = 0; i < result.count; i++) {
    dtc_plan p = search_plan(&s, result.best[i].index);
    assert_true(p.dp == 4 && p.tp * p.cp * p.pp == 4 && result.best[i].gpus == 16);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_of_a_dense_model),
      cmocka_unit_test(axes_of_a_model_with_experts),
      cmocka_unit_test(axes_of_each_framework),
      cmocka_unit_test(a_given_field_has_one_value),
      cmocka_unit_test(limits),
      cmocka_unit_test(masks),
      cmocka_unit_test(chunks),
      cmocka_unit_test(plans_of_indexes),
      cmocka_unit_test(layers_that_do_not_divide),
      cmocka_unit_test(fewer_layers_are_a_block),
      cmocka_unit_test(a_given_dp_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
