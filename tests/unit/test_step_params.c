/* Parameters of step times: what fills them, what they change, what is refused. */
#include "step_check.h"

#include <math.h>

static step_job usual(void)
{
  return step_job_of("dgx-h100", "dtcore: model=llama-3-8b megatron tp=2 pp=2 dp=4 mbs=1 gbs=32 seq=4096 sp");
}

static dtc_step_params blank(void)
{
  dtc_step_params p;
  DTC_INIT(&p);
  return p;
}

static dtc_step_params resolved(const step_job *j, const dtc_step_params *p)
{
  dtc_error e;
  dtc_step_params out = blank();
  DTC_INIT(&e);
  check_ok(dtc_step_resolve(&j->m, &j->c, &j->p, p, &out, &e), &e);
  return out;
}

/* ---- filling --------------------------------------------------------------------------------- */

static void filled_once(void **state)
{
  (void)state;
  seed = 11;
  for (int i = 0; i < 100; i++) {
    dtc_step s;
    step_job j = step_random(&s);
    dtc_step_params once = resolved(&j, NULL);
    dtc_step_params zero = blank();
    dtc_step_params twice = resolved(&j, &once);
    dtc_step_params in_place = resolved(&j, &zero);
    assert_memory_equal(&once, &twice, sizeof once);
    assert_memory_equal(&once, &in_place, sizeof once);
    assert_int_equal(dtc_step_resolve(&j.m, &j.c, &j.p, &in_place, &in_place, NULL), DTC_OK);
    assert_memory_equal(&once, &in_place, sizeof once);
    dtc_step same = step_with(&j, &once);
    assert_memory_equal(&s, &same, sizeof s);
  }
}

/* A share of the peak, a power limit, a share of the memory's rate. */
static void filled_from_the_cluster(void **state)
{
  (void)state;
  step_job j = usual();
  j.c.bf16 = 1e15;
  j.c.hbm_bandwidth = 4e12;
  j.c.power = 1e6;
  dtc_step_params p = resolved(&j, NULL);
  assert_true(p.bf16 > .3e15 && p.bf16 <= 1e15 && p.hbm > 1.2e12 && p.hbm <= 4e12);
  assert_true(p.host == 1 && p.attention == 1 && p.communication > 0 && p.software != 0);
  j.c.bf16 *= 2;
  j.c.hbm_bandwidth *= 2;
  dtc_step_params q = resolved(&j, NULL);
  check_near(q.bf16, 2 * p.bf16);
  check_near(q.hbm, 2 * p.hbm);
  j.c.power = 100;
  q = resolved(&j, NULL);
  assert_true(q.bf16 < p.bf16);
  j.c.power = 200;
  check_near(resolved(&j, NULL).bf16, 2 * q.bf16);
}

static void given_parameters_stay(void **state)
{
  (void)state;
  step_job j = usual();
  dtc_step_params p = blank();
  p.software = 1;
  p.fp32 = 1;
  p.bf16 = 2e14;
  p.fp8 = 3;
  p.fp4 = 4;
  p.hbm = 5e11;
  p.attention = 6;
  p.communication = 8;
  p.host = 9;
  dtc_step_params q = resolved(&j, &p);
  assert_memory_equal(&p, &q, sizeof p);
}

static void software_by_plan(void **state)
{
  (void)state;
  uint64_t index = 0;
  step_job j = usual();
  assert_int_equal(dtc_software_find("megatron", &index, NULL), DTC_OK);
  assert_int_equal(resolved(&j, NULL).software, index + 1);
  assert_int_equal(dtc_software_find("megatron-plain", &index, NULL), DTC_OK);
  dtc_step_params p = blank();
  p.software = (uint32_t)index + 1;
  assert_int_equal(resolved(&j, &p).software, index + 1);
}

/* Each parameter has its own items. */
static void parameters_change_their_items(void **state)
{
  (void)state;
  step_job j = usual();
  dtc_step before = step_of(&j);
  dtc_step_params p = resolved(&j, NULL);
  p.bf16 /= 2;
  dtc_step s = step_with(&j, &p);
  assert_true(s.dense > 1.2 * before.dense && s.attention == before.attention && s.tp == before.tp);
  p = resolved(&j, NULL);
  p.hbm /= 2;
  s = step_with(&j, &p);
  step_near(s.elementwise, 2 * before.elementwise, 1e-12);
  step_near(s.optimizer, 2 * before.optimizer, 1e-12);
  p = resolved(&j, NULL);
  p.attention *= 2;
  s = step_with(&j, &p);
  step_near(s.attention, 2 * before.attention, 1e-12);
  assert_true(s.dense == before.dense);
  p = resolved(&j, NULL);
  p.communication *= 2;
  s = step_with(&j, &p);
  step_near(s.tp, 2 * before.tp, 1e-12);
  step_near(s.pp, 2 * before.pp, 1e-12);
  p = resolved(&j, NULL);
  p.host = 100;
  s = step_with(&j, &p);
  assert_true(s.launch > 10 * before.launch && s.dense == before.dense && s.tp == before.tp);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* All functions say the same, and write nothing. */
static void check_refused(const step_job *j, const dtc_step_params *p, dtc_status status, dtc_rule rule, uint32_t field)
{
  dtc_error e;
  dtc_step s;
  dtc_step_params q;
  dtc_step_term term = {.index = 7};
  dtc_pipe_cost costs[8] = {{.forward = 7}};
  size_t n = 99;
  memset(&s, 0x5a, sizeof s);
  memset(&q, 0x5a, sizeof q);
  s.struct_size = sizeof s;
  q.struct_size = sizeof q;
  const dtc_step s_before = s;
  const dtc_step_params q_before = q;
  DTC_INIT(&e);
  assert_int_equal(dtc_step_estimate(&j->m, &j->c, &j->p, NULL, 0, p, &s, &e), status);
  if (e.status != status || e.rule != rule || e.field != field)
    fail_msg("rule %u field %x, expected %u %x", e.rule, e.field, rule, field);
  assert_memory_equal(&s, &s_before, sizeof s);
  assert_int_equal(dtc_step_terms(&j->m, &j->c, &j->p, NULL, 0, p, &term, 1, &n, &e), status);
  assert_true(e.field == field && e.rule == rule && n == 99 && term.index == 7);
  if (rule == DTC_RULE_STEP_SCHEDULE)
    return;
  assert_int_equal(dtc_step_resolve(&j->m, &j->c, &j->p, p, &q, &e), status);
  assert_true(e.field == field && e.rule == rule);
  assert_memory_equal(&q, &q_before, sizeof q);
  assert_int_equal(dtc_step_costs(&j->m, &j->c, &j->p, NULL, 0, p, costs, 8, &n, &e), status);
  assert_true(e.field == field && e.rule == rule && n == 99 && costs[0].forward == 7);
}

#define CLUSTER(x) DTC_FIELD(cluster, x)

static void clusters_that_say_too_little(void **state)
{
  (void)state;
  static const struct {
    uint32_t zero; /* these fields of the cluster */
    uint32_t other;
    uint32_t field;
    dtc_status status;
    dtc_rule rule;
  } rows[] = {
      {CLUSTER(bf16), CLUSTER(fp16), CLUSTER(bf16), DTC_E_CONFLICT, DTC_RULE_STEP_PEAK},
      {CLUSTER(hbm_bandwidth), 0, CLUSTER(hbm_bandwidth), DTC_E_CONFLICT, DTC_RULE_STEP_MEMORY},
      {CLUSTER(nvlink_bandwidth), CLUSTER(pcie_bandwidth), CLUSTER(nvlink_bandwidth), DTC_E_UNSUPPORTED,
       DTC_RULE_COLLECTIVE_LINK},
      {CLUSTER(nic_bandwidth), 0, CLUSTER(nic_bandwidth), DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_NIC},
      {CLUSTER(nics_per_node), 0, CLUSTER(nic_bandwidth), DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_NIC},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    step_job j = usual();
    dtci_write(&j.c, dtci_field_of(rows[i].zero), 0);
    if (rows[i].other != 0)
      dtci_write(&j.c, dtci_field_of(rows[i].other), 0);
    check_refused(&j, NULL, rows[i].status, rows[i].rule, rows[i].field);
  }
  step_job j = usual();
  j.c.bf16 = 0; /* fp16 stands in */
  assert_true(step_of(&j).seconds > 0);
  j.p.precision = DTC_PRECISION_FP8;
  j.c.fp8 = 0;
  check_refused(&j, NULL, DTC_E_CONFLICT, DTC_RULE_STEP_PEAK, CLUSTER(fp8));
  /* Products in fp8 leave others in 16 bits, attention among them. */
  j.c.fp8 = usual().c.fp8;
  j.c.fp16 = 0;
  check_refused(&j, NULL, DTC_E_CONFLICT, DTC_RULE_STEP_PEAK, CLUSTER(bf16));
  dtc_step_params p = {.struct_size = sizeof p, .bf16 = 1e14};
  check_refused(&j, &p, DTC_E_CONFLICT, DTC_RULE_STEP_PEAK, CLUSTER(bf16)); /* kernels of attention have a peak alone */
}

static void no_cluster(void **state)
{
  (void)state;
  step_job j = usual();
  dtc_step_params p = resolved(&j, NULL);
  dtc_step s;
  dtc_error e;
  DTC_INIT(&s);
  DTC_INIT(&e);
  assert_int_equal(dtc_step_estimate(&j.m, NULL, &j.p, NULL, 0, NULL, &s, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_STEP_PEAK && e.field == CLUSTER(bf16));
  assert_int_equal(dtc_step_estimate(&j.m, NULL, &j.p, NULL, 0, &p, &s, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_STEP_PEAK && s.seconds == 0);
}

/* One GPU to a board, joined by NVLink all the same. */
static void boards_of_one_gpu_have_links(void **state)
{
  (void)state;
  step_job j = usual();
  j.c.gpus_per_node = 1;
  j.c.nvlink_domain = 32;
  j.c.nics_per_node = 1;
  dtc_step s = step_of(&j);
  assert_true(s.tp > 0);
  j.c.nvlink_bandwidth = j.c.pcie_bandwidth = 0;
  check_refused(&j, NULL, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_LINK, CLUSTER(nvlink_bandwidth));
}

static void offload_needs_a_host(void **state)
{
  (void)state;
  static const uint32_t fields[] = {CLUSTER(host_bandwidth), CLUSTER(pcie_bandwidth), CLUSTER(nvme_bandwidth)};
  for (size_t i = 0; i < 3; i++) {
    step_job j = step_job_of("dgx-h100", "dtcore: model=llama-3-8b deepspeed sharding=zero3 dp=8 mbs=1 seq=4096");
    j.c.nvme_bandwidth = 1e10;
    j.p.offload = DTC_OFFLOAD_NVME;
    assert_true(step_of(&j).offload > 0);
    dtci_write(&j.c, dtci_field_of(fields[i]), 0);
    check_refused(&j, NULL, DTC_E_CONFLICT, DTC_RULE_STEP_HOST, fields[i]);
  }
}

static void schedules_without_a_closed_form(void **state)
{
  (void)state;
  static const dtc_schedule schedules[] = {DTC_SCHEDULE_V_HALF, DTC_SCHEDULE_V_MIN, DTC_SCHEDULE_1F1B_V,
                                           DTC_SCHEDULE_GROUP_INTERLEAVED};
  for (size_t i = 0; i < 4; i++) {
    step_job j = step_job_of("dgx-h100", "dtcore: model=llama-3-8b megatron pp=4 vpp=2 dp=2 accum=16 seq=4096");
    dtc_pipe_cost costs[8];
    dtc_error e;
    size_t n = 0;
    DTC_INIT(&e);
    j.p.schedule = schedules[i];
    check_refused(&j, NULL, DTC_E_UNSUPPORTED, DTC_RULE_STEP_SCHEDULE, DTC_FIELD(plan, schedule));
    check_ok(dtc_step_costs(&j.m, &j.c, &j.p, NULL, 0, NULL, costs, 8, &n, &e), &e); /* to be simulated */
    assert_int_equal(n, 8);
  }
}

#define PARAM(x) DTC_FIELD(step_params, x)

static void parameters_out_of_range(void **state)
{
  (void)state;
  static const struct {
    uint32_t field;
    double value;
  } rows[] = {{PARAM(fp32), NAN},          {PARAM(bf16), NAN},           {PARAM(bf16), -1}, {PARAM(bf16), 2e18},
              {PARAM(hbm), INFINITY},      {PARAM(fp8), -INFINITY},      {PARAM(fp4), NAN}, {PARAM(attention), NAN},
              {PARAM(attention), -1e-300}, {PARAM(communication), 1001}, {PARAM(host), NAN}};
  step_job j = usual();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_step_params p = blank();
    uint64_t bits = 0;
    memcpy(&bits, &rows[i].value, sizeof bits);
    dtci_write(&p, dtci_field_of(rows[i].field), bits);
    check_refused(&j, &p, DTC_E_RANGE, DTC_RULE_RANGE, rows[i].field);
  }
  dtc_step_params p = blank();
  p.software = (uint32_t)dtc_software_count() + 1;
  check_refused(&j, &p, DTC_E_RANGE, DTC_RULE_RANGE, PARAM(software));
  p.software = UINT32_MAX;
  check_refused(&j, &p, DTC_E_RANGE, DTC_RULE_RANGE, PARAM(software));
  p.software--;
  p.struct_size = 0;
  dtc_step s;
  DTC_INIT(&s);
  assert_int_equal(dtc_step_estimate(&j.m, &j.c, &j.p, NULL, 0, &p, &s, NULL), DTC_E_SIZE);
}

/* Rates that no machine has: an error, or a finite number. */
static void tiny_and_huge_numbers(void **state)
{
  (void)state;
  static const double values[] = {5e-324, 1e-300, 1e-9, 1, 1e15};
  static const uint32_t params[] = {PARAM(fp32),      PARAM(bf16),          PARAM(fp8), PARAM(hbm),
                                    PARAM(attention), PARAM(communication), PARAM(host)};
  static const uint32_t fields[] = {CLUSTER(bf16),           CLUSTER(hbm_bandwidth), CLUSTER(nvlink_bandwidth),
                                    CLUSTER(pcie_bandwidth), CLUSTER(nic_bandwidth), CLUSTER(power)};
  const size_t given = sizeof params / sizeof params[0];
  for (size_t i = 0; i < (given + sizeof fields / sizeof fields[0]) * 5; i++) {
    step_job j = usual();
    dtc_step_params p = blank();
    dtc_step s;
    uint64_t bits = 0;
    DTC_INIT(&s);
    memcpy(&bits, &values[i % 5], sizeof bits);
    if (i / 5 < given)
      dtci_write(&p, dtci_field_of(params[i / 5]), bits);
    else
      dtci_write(&j.c, dtci_field_of(fields[i / 5 - given]), bits);
    dtc_status status = dtc_step_estimate(&j.m, &j.c, &j.p, NULL, 0, &p, &s, NULL);
    if (status == DTC_OK)
      assert_true(s.seconds > 0 && s.seconds <= 1e15 && s.high <= 2e15 && s.tokens_per_gpu_second < 1e15 &&
                  s.mfu < 1e15);
    else
      assert_true(status == DTC_E_RANGE || status == DTC_E_CONFLICT || status == DTC_E_UNSUPPORTED ||
                  status == DTC_E_OVERFLOW);
  }
}

static void tokens_that_do_not_fit(void **state)
{
  (void)state;
  step_job j = usual();
  dtc_step s;
  dtc_error e;
  DTC_INIT(&s);
  DTC_INIT(&e);
  j.p.seq = (uint64_t)1 << 31;
  j.p.global_batch = (uint64_t)1 << 33;
  assert_int_equal(dtc_step_estimate(&j.m, &j.c, &j.p, NULL, 0, NULL, &s, &e), DTC_E_OVERFLOW);
}

static void stages_must_be_the_model(void **state)
{
  (void)state;
  step_job j = usual();
  dtc_step s;
  dtc_error e;
  DTC_INIT(&s);
  DTC_INIT(&e);
  dtc_stage stages[2] = {{.struct_size = sizeof *stages, .layers = 15, .embedding = 1}, {.layers = 17, .head = 1}};
  assert_int_equal(dtc_step_estimate(&j.m, &j.c, &j.p, stages, 2, NULL, &s, &e), DTC_OK);
  assert_int_equal(s.stage, 1);
  stages[0].layers = 20;
  stages[1].layers = 12;
  assert_int_equal(dtc_step_estimate(&j.m, &j.c, &j.p, stages, 2, NULL, &s, &e), DTC_OK);
  assert_int_equal(s.stage, 0);
  assert_int_equal(dtc_step_estimate(&j.m, &j.c, &j.p, stages, 1, NULL, &s, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_STAGE_SUM && e.field == DTC_FIELD(plan, pp));
  assert_int_equal(dtc_step_estimate(&j.m, &j.c, &j.p, NULL, 2, NULL, &s, &e), DTC_E_CONFLICT);
  stages[1].layers = 13;
  assert_int_equal(dtc_step_estimate(&j.m, &j.c, &j.p, stages, 2, NULL, &s, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_STAGE_SUM && e.field == DTC_FIELD(stage, layers) && e.got == 33);
  stages[1].layers = 12;
  stages[1].head = 0;
  assert_int_equal(dtc_step_estimate(&j.m, &j.c, &j.p, stages, 2, NULL, &s, &e), DTC_E_CONFLICT);
  assert_true(e.field == DTC_FIELD(stage, head));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(filled_once),
      cmocka_unit_test(filled_from_the_cluster),
      cmocka_unit_test(given_parameters_stay),
      cmocka_unit_test(software_by_plan),
      cmocka_unit_test(parameters_change_their_items),
      cmocka_unit_test(clusters_that_say_too_little),
      cmocka_unit_test(no_cluster),
      cmocka_unit_test(boards_of_one_gpu_have_links),
      cmocka_unit_test(offload_needs_a_host),
      cmocka_unit_test(schedules_without_a_closed_form),
      cmocka_unit_test(parameters_out_of_range),
      cmocka_unit_test(tiny_and_huge_numbers),
      cmocka_unit_test(tokens_that_do_not_fit),
      cmocka_unit_test(stages_must_be_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
