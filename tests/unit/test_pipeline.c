/* Pipeline jobs: defaults, what frameworks refuse, stages, DeepSpeed's lock steps. */
#include "pipeline_check.h"

enum {
  ON = DTC_BOOL_ON,
  OFF = DTC_BOOL_OFF,
  PYTORCH = DTC_FRAMEWORK_PYTORCH,
  DEEPSPEED = DTC_FRAMEWORK_DEEPSPEED,
  MEGATRON = DTC_FRAMEWORK_MEGATRON,
  COLOSSALAI = DTC_FRAMEWORK_COLOSSALAI,
  TORCHTITAN = DTC_FRAMEWORK_TORCHTITAN,
  SCALING = DTC_FRAMEWORK_SCALING,
};
#define NO DTC_NONE
#define P(member) DTC_FIELD(pipe, member)
#define SCHEDULE(name) DTC_SCHEDULE_##name

static dtc_pipe resolved(const dtc_pipe *p)
{
  dtc_pipe out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  check_ok(dtc_pipe_resolve(p, &out, &e), &e);
  return out;
}

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

static void a_schedule_means_its_home(void **state)
{
  (void)state;
  static const struct {
    dtc_schedule schedule;
    dtc_framework framework;
    uint64_t vpp, group, limit, freed_input, freed_weight;
  } rows[] = {
      {SCHEDULE(GPIPE), PYTORCH, 1, 0, 0, 0, 0},
      {SCHEDULE(1F1B), MEGATRON, 1, 0, 0, 0, 0},
      {SCHEDULE(INTERLEAVED), MEGATRON, 2, 4, 0, 0, 0},
      {SCHEDULE(VPP), MEGATRON, 2, 4, 0, 0, 0},
      {SCHEDULE(LOOPED_BFS), PYTORCH, 2, 0, 0, 0, 0},
      {SCHEDULE(GROUP_INTERLEAVED), MEGATRON, 2, 4, 0, 0, 0},
      {SCHEDULE(ZBV), PYTORCH, 2, 0, 0, 0, 0},
      {SCHEDULE(V_HALF), MEGATRON, 2, 0, 0, 0, 0},
      {SCHEDULE(V_MIN), MEGATRON, 2, 0, 0, 0, 0},
      {SCHEDULE(1F1B_V), MEGATRON, 2, 0, 0, 0, 0},
      {SCHEDULE(DUALPIPE_V), PYTORCH, 2, 0, 0, 0, 0},
      {SCHEDULE(DUALPIPE), MEGATRON, 2, 0, 0, 0, 0},
      {SCHEDULE(INTERLEAVED_ZB), PYTORCH, 1, 4, 0, 0, 0},
      {SCHEDULE(ZB_H1), MEGATRON, 1, 0, 4, 0, 1},
      {SCHEDULE(ZB_H2), MEGATRON, 1, 0, 8, 0, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_pipe p = check_pipe(rows[i].schedule, 0, 4, 0, 8), out = resolved(&p);
    assert_true(out.struct_size == sizeof out && out.schedule == rows[i].schedule);
    assert_true(out.framework == rows[i].framework && out.vpp == rows[i].vpp && out.group == rows[i].group);
    assert_true(out.limit == rows[i].limit && out.freed_input == rows[i].freed_input);
    assert_true(out.freed_weight == rows[i].freed_weight && out.forward_only == OFF && out.moe_overlap == OFF);
    assert_int_equal(out.p2p_overlap, rows[i].schedule == SCHEDULE(INTERLEAVED) ? ON : OFF);
    assert_true(out.forward == 1000 && out.input == 1000 && out.weight == 1000 && out.hop == 0);
    dtc_pipe again = resolved(&out);
    assert_memory_equal(&again, &out, sizeof out);
  }
}

static void chunks_say_the_default_schedule(void **state)
{
  (void)state;
  dtc_pipe one = check_pipe(0, 0, 4, 0, 8), two = check_pipe(0, 0, 4, 2, 8);
  assert_int_equal(resolved(&one).schedule, SCHEDULE(1F1B));
  assert_int_equal(resolved(&two).schedule, SCHEDULE(INTERLEAVED));
}

static void frameworks_have_forms_of_their_own(void **state)
{
  (void)state;
  dtc_pipe zbv = check_pipe(SCHEDULE(ZBV), COLOSSALAI, 4, 0, 8), out = resolved(&zbv);
  assert_true(out.limit == 8 && out.freed_input == 384 && out.freed_weight == 1024);
  zbv.framework = MEGATRON;
  zbv.limit = DTC_NONE;
  zbv.freed_weight = 5;
  out = resolved(&zbv);
  assert_true(out.limit == DTC_NONE && out.freed_input == 0 && out.freed_weight == 5);
  /* PyTorch: 11 micro-batches are one round of 11 on 6 ranks, and 10 are two rounds of 5 on 4. */
  dtc_pipe rounds = check_pipe(SCHEDULE(INTERLEAVED), PYTORCH, 6, 2, 11);
  assert_int_equal(resolved(&rounds).group, 11);
  rounds.pp = 4;
  rounds.micro_batches = 10;
  assert_int_equal(resolved(&rounds).group, 5);
  rounds.group = 5; /* what it is may be said */
  assert_int_equal(resolved(&rounds).group, 5);
  dtc_pipe small = check_pipe(SCHEDULE(GROUP_INTERLEAVED), 0, 4, 2, 8);
  small.group = 2;
  assert_int_equal(resolved(&small).group, 2);
  small.group = 100; /* the generator takes pp at most */
  assert_int_equal(resolved(&small).group, 4);
  dtc_pipe single = check_pipe(SCHEDULE(INTERLEAVED_ZB), TORCHTITAN, 4, 0, 8);
  assert_int_equal(resolved(&single).vpp, 2);
}

static void a_job_may_be_its_own_result(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(SCHEDULE(INTERLEAVED), 0, 4, 3, 8), out = resolved(&p);
  assert_int_equal(dtc_pipe_resolve(&p, &p, NULL), DTC_OK);
  assert_memory_equal(&p, &out, sizeof p);
}

static void any_accepted_job_resolves_to_itself(void **state)
{
  (void)state;
  uint64_t seed = 4;
  int accepted = 0;
  for (int round = 0; round < 20000; round++) {
    dtc_pipe p = check_pipe((dtc_schedule)check_random(&seed, 16), (dtc_framework)check_random(&seed, 6),
                            check_random(&seed, 9), check_random(&seed, 4), check_random(&seed, 20));
    p.group = check_random(&seed, 4) == 0 ? check_random(&seed, 12) : 0;
    p.limit = check_random(&seed, 4) == 0 ? check_random(&seed, 12) : 0;
    p.forward_only = (dtc_bool)check_random(&seed, 3);
    p.moe_overlap = (dtc_bool)(check_random(&seed, 4) == 0 ? ON : 0);
    p.p2p_overlap = (dtc_bool)check_random(&seed, 3);
    dtc_pipe out, again;
    DTC_INIT(&out);
    DTC_INIT(&again);
    if (dtc_pipe_resolve(&p, &out, NULL) != DTC_OK)
      continue;
    assert_int_equal(dtc_pipe_resolve(&out, &again, NULL), DTC_OK);
    assert_memory_equal(&again, &out, sizeof out);
    accepted++;
  }
  assert_true(accepted > 500);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

typedef struct refusal {
  dtc_schedule schedule;
  dtc_framework framework;
  uint64_t pp, vpp, micro_batches;
  struct {
    uint32_t field;
    uint64_t value;
  } set; /* one more field */
  dtc_status status;
  dtc_rule rule;
  uint32_t field;
  uint64_t got, other_got, min, max, lower, upper;
} refusal;

#define S SCHEDULE
#define E(status, rule) DTC_E_##status, DTC_RULE_##rule

/* clang-format off */
static const refusal refusals[] = {
    /* a schedule that the framework has not */
    {S(GPIPE), MEGATRON, 4, 0, 8, {0, 0}, E(UNSUPPORTED, PIPE_FRAMEWORK), P(framework), MEGATRON, S(GPIPE), NO, NO, NO, NO},
    {S(INTERLEAVED), DEEPSPEED, 4, 2, 8, {0, 0}, E(UNSUPPORTED, PIPE_FRAMEWORK), P(framework), DEEPSPEED, S(INTERLEAVED), NO, NO, NO, NO},
    {S(ZB_H1), PYTORCH, 4, 0, 8, {0, 0}, E(UNSUPPORTED, PIPE_FRAMEWORK), P(framework), PYTORCH, S(ZB_H1), NO, NO, NO, NO},
    {S(LOOPED_BFS), COLOSSALAI, 4, 2, 8, {0, 0}, E(UNSUPPORTED, PIPE_FRAMEWORK), P(framework), COLOSSALAI, S(LOOPED_BFS), NO, NO, NO, NO},
    /* chunks */
    {S(1F1B), MEGATRON, 4, 2, 8, {0, 0}, E(RANGE, PIPE_CHUNKS), P(vpp), 2, S(1F1B), 1, 1, NO, NO},
    {S(INTERLEAVED), MEGATRON, 4, 1, 8, {0, 0}, E(RANGE, PIPE_CHUNKS), P(vpp), 1, S(INTERLEAVED), 2, 1024, NO, NO},
    {S(ZBV), PYTORCH, 4, 3, 8, {0, 0}, E(RANGE, PIPE_CHUNKS), P(vpp), 3, S(ZBV), 2, 2, NO, NO},
    {S(DUALPIPE_V), PYTORCH, 4, 1, 8, {0, 0}, E(RANGE, PIPE_CHUNKS), P(vpp), 1, S(DUALPIPE_V), 2, 2, NO, NO},
    {S(LOOPED_BFS), TORCHTITAN, 4, 1, 8, {0, 0}, E(RANGE, PIPE_CHUNKS), P(vpp), 1, S(LOOPED_BFS), 2, 1024, NO, NO},
    /* too few micro-batches */
    {S(1F1B), PYTORCH, 4, 0, 3, {0, 0}, E(RANGE, PIPE_LEAST), P(micro_batches), 3, S(1F1B), 4, 1 << 20, NO, NO},
    {S(1F1B), TORCHTITAN, 4, 0, 3, {0, 0}, E(RANGE, PIPE_LEAST), P(micro_batches), 3, S(1F1B), 4, 1 << 20, NO, NO},
    {S(INTERLEAVED), MEGATRON, 4, 2, 3, {0, 0}, E(RANGE, PIPE_LEAST), P(micro_batches), 3, S(INTERLEAVED), 4, 1 << 20, NO, NO},
    {S(DUALPIPE_V), PYTORCH, 4, 0, 7, {0, 0}, E(RANGE, PIPE_LEAST), P(micro_batches), 7, S(DUALPIPE_V), 8, 1 << 20, NO, NO},
    {S(DUALPIPE), MEGATRON, 4, 0, 6, {0, 0}, E(RANGE, PIPE_LEAST), P(micro_batches), 6, S(DUALPIPE), 8, 1 << 20, NO, NO},
    /* micro-batches that do not divide */
    {S(INTERLEAVED), COLOSSALAI, 4, 2, 6, {0, 0}, E(DIVIDE, PIPE_MULTIPLE), P(micro_batches), 6, 4, NO, NO, 4, 8},
    {S(VPP), MEGATRON, 4, 2, 3, {0, 0}, E(DIVIDE, PIPE_MULTIPLE), P(micro_batches), 3, 4, NO, NO, NO, 4},
    {S(INTERLEAVED), PYTORCH, 4, 2, 9, {0, 0}, E(DIVIDE, PIPE_ROUNDS), P(micro_batches), 9, 2, NO, NO, 8, 10},
    {S(INTERLEAVED_ZB), PYTORCH, 2, 2, 7, {0, 0}, E(DIVIDE, PIPE_ROUNDS), P(micro_batches), 7, 3, NO, NO, 6, 8},
    {S(DUALPIPE), MEGATRON, 4, 0, 9, {0, 0}, E(DIVIDE, PIPE_EVEN), P(micro_batches), 9, NO, NO, NO, 8, 10},
    {S(DUALPIPE), MEGATRON, 3, 0, 8, {0, 0}, E(DIVIDE, PIPE_EVEN), P(pp), 3, NO, NO, NO, 2, 4},
    {S(DUALPIPE), MEGATRON, 1, 0, 8, {0, 0}, E(DIVIDE, PIPE_EVEN), P(pp), 1, NO, NO, NO, NO, 2},
    /* Megatron's groups */
    {S(INTERLEAVED), MEGATRON, 4, 2, 8, {P(group), 3}, E(RANGE, PIPE_GROUP), P(group), 3, 4, 4, 8, NO, 4},
    {S(INTERLEAVED), MEGATRON, 4, 2, 8, {P(group), 9}, E(RANGE, PIPE_GROUP), P(group), 9, 8, 4, 8, 8, NO},
    {S(INTERLEAVED), MEGATRON, 4, 2, 6, {0, 0}, E(DIVIDE, PIPE_REST), P(micro_batches), 6, 4, 4, NO, 4, 8},
    {S(INTERLEAVED), MEGATRON, 4, 2, 9, {P(group), 6}, E(DIVIDE, PIPE_REST), P(micro_batches), 9, 6, 4, NO, 6, 10},
    /* settings */
    {S(1F1B), MEGATRON, 4, 0, 8, {P(p2p_overlap), ON}, E(CONFLICT, PIPE_P2P), P(p2p_overlap), ON, NO, NO, NO, NO, NO},
    {S(1F1B), PYTORCH, 4, 0, 8, {P(p2p_overlap), ON}, E(CONFLICT, PIPE_SETTING), P(p2p_overlap), ON, S(1F1B), NO, NO, NO, NO},
    {S(INTERLEAVED), MEGATRON, 2, 2, 8, {P(p2p_overlap), OFF}, E(RANGE, RANGE), P(pp), 2, NO, 3, 4096, NO, NO},
    {S(INTERLEAVED), MEGATRON, 1, 2, 8, {0, 0}, E(RANGE, RANGE), P(pp), 1, NO, 2, 4096, NO, NO},
    {S(1F1B), MEGATRON, 4, 0, 8, {P(group), 4}, E(CONFLICT, PIPE_SETTING), P(group), 4, S(1F1B), NO, NO, NO, NO},
    {S(INTERLEAVED), PYTORCH, 4, 2, 8, {P(group), 5}, E(CONFLICT, PIPE_SETTING), P(group), 5, S(INTERLEAVED), NO, NO, NO, NO},
    {S(GPIPE), PYTORCH, 4, 0, 8, {P(moe_overlap), ON}, E(CONFLICT, PIPE_SETTING), P(moe_overlap), ON, S(GPIPE), NO, NO, NO, NO},
    {S(ZBV), PYTORCH, 4, 0, 8, {P(forward_only), ON}, E(CONFLICT, PIPE_SETTING), P(forward_only), ON, S(ZBV), NO, NO, NO, NO},
    {S(V_HALF), MEGATRON, 4, 0, 8, {P(limit), 4}, E(CONFLICT, PIPE_SETTING), P(limit), 4, S(V_HALF), NO, NO, NO, NO},
    {S(ZBV), PYTORCH, 4, 0, 8, {P(freed_input), 4}, E(CONFLICT, PIPE_SETTING), P(freed_input), 4, S(ZBV), NO, NO, NO, NO},
    {S(1F1B), MEGATRON, 4, 0, 8, {P(freed_weight), 4}, E(CONFLICT, PIPE_SETTING), P(freed_weight), 4, S(1F1B), NO, NO, NO, NO},
    /* ranges and sizes */
    {0, 0, 0, 0, 8, {0, 0}, E(RANGE, RANGE), P(pp), 0, NO, 1, 4096, NO, NO},
    {0, 0, 4097, 0, 8, {0, 0}, E(RANGE, RANGE), P(pp), 4097, NO, 1, 4096, NO, NO},
    {0, 0, 4, 1025, 8, {0, 0}, E(RANGE, RANGE), P(vpp), 1025, NO, 0, 1024, NO, NO},
    {0, 0, 4, 0, 0, {0, 0}, E(RANGE, RANGE), P(micro_batches), 0, NO, 1, 1 << 20, NO, NO},
    {0, 0, 4, 0, UINT64_MAX, {0, 0}, E(RANGE, RANGE), P(micro_batches), UINT64_MAX, NO, 1, 1 << 20, NO, NO},
    {99, 0, 4, 0, 8, {0, 0}, E(RANGE, RANGE), P(schedule), 99, NO, 0, S(ZB_H2), NO, NO},
    {0, 99, 4, 0, 8, {0, 0}, E(RANGE, RANGE), P(framework), 99, NO, 0, SCALING, NO, NO},
    {S(LOOPED_BFS), 0, 4096, 1024, 1 << 20, {0, 0}, E(OVERFLOW, OVERFLOW), P(micro_batches), 1 << 20, NO, NO, NO, NO, NO},
    {S(1F1B), 0, 4096, 0, 524289, {0, 0}, E(OVERFLOW, OVERFLOW), P(micro_batches), 524289, NO, NO, NO, NO, NO},
};
/* clang-format on */

static void set_field(dtc_pipe *p, uint32_t field, uint64_t value)
{
  unsigned char *at = (unsigned char *)p + (field & 0xffff);
  uint32_t narrow = (uint32_t)value;
  if (field == P(forward_only) || field == P(moe_overlap) || field == P(p2p_overlap))
    memcpy(at, &narrow, sizeof narrow);
  else if (field != 0)
    memcpy(at, &value, sizeof value);
}

static void each_refusal_says_what_and_what_is_near(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const refusal *r = &refusals[i];
    dtc_pipe p = check_pipe(r->schedule, r->framework, r->pp, r->vpp, r->micro_batches), out, before;
    dtc_error e;
    char line[256];
    DTC_INIT(&e);
    DTC_INIT(&out);
    out.hop = 77;
    before = out;
    set_field(&p, r->set.field, r->set.value);
    dtc_status status = dtc_pipe_resolve(&p, &out, &e);
    dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
    if (status != r->status || e.status != status || e.rule != r->rule || e.field != r->field || e.got != r->got ||
        e.other_got != r->other_got || e.min != r->min || e.max != r->max || e.lower != r->lower || e.upper != r->upper)
      fail_msg("refusal %d: %s", (int)i, line);
    assert_memory_equal(&out, &before, sizeof out);
    assert_true(strlen(line) > 10 && strchr(line, '{') == NULL && strchr(line, '?') == NULL);
  }
}

/* The values that a refusal calls legal are, and none between. */
static void nearest_values_are_the_nearest(void **state)
{
  (void)state;
  uint64_t seed = 5;
  int found = 0;
  for (int round = 0; round < 20000; round++) {
    dtc_pipe p = check_pipe((dtc_schedule)(1 + check_random(&seed, 15)), (dtc_framework)check_random(&seed, 6),
                            1 + check_random(&seed, 8), 0, 1 + check_random(&seed, 40));
    dtc_error e;
    DTC_INIT(&e);
    if (p.schedule == SCHEDULE(INTERLEAVED) && p.framework == MEGATRON)
      p.group = p.pp + check_random(&seed, 6);
    if (dtc_pipe_resolve(&p, &p, &e) != DTC_E_DIVIDE || e.field != P(micro_batches))
      continue;
    uint64_t m = p.micro_batches;
    for (uint64_t v = e.lower == NO ? 1 : e.lower; v <= e.upper; v++) {
      dtc_pipe near = p, out;
      DTC_INIT(&out);
      near.micro_batches = v;
      if ((dtc_pipe_resolve(&near, &out, NULL) == DTC_OK) != (v == e.lower || v == e.upper))
        fail_msg("%s, pp %d, group %d, %d micro-batches: %d is not as said", dtc_value_name(P(schedule), p.schedule),
                 (int)p.pp, (int)p.group, (int)m, (int)v);
    }
    found++;
  }
  assert_true(found > 200);
}

static void times_are_numbers(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(SCHEDULE(ZB_H1), 0, 4, 0, 8), out;
  DTC_INIT(&out);
  uint64_t nan = UINT64_C(0x7ff8000000000000);
  memcpy(&p.forward, &nan, sizeof nan);
  assert_int_equal(dtc_pipe_resolve(&p, &out, NULL), DTC_E_RANGE);
  p.forward = -1;
  assert_int_equal(dtc_pipe_resolve(&p, &out, NULL), DTC_E_RANGE);
  p.forward = 2e15;
  assert_int_equal(dtc_pipe_resolve(&p, &out, NULL), DTC_E_RANGE);
  p.forward = 0.5;
  assert_true(resolved(&p).forward == 0.5);
}

static void structs_of_another_size_are_refused(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(SCHEDULE(1F1B), 0, 4, 0, 8), out;
  dtc_error e;
  uint64_t rows = 77, needed = 77, stage = 77;
  DTC_INIT(&out);
  DTC_INIT(&e);
  out.struct_size = 4;
  assert_int_equal(dtc_pipe_resolve(&p, &out, &e), DTC_E_SIZE);
  p.struct_size = 8;
  assert_int_equal(dtc_pipe_resolve(&p, &out, &e), DTC_E_SIZE);
  assert_int_equal(dtc_pipe_count(&p, &rows, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_pipe_scratch(&p, &needed, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_pipe_stage(&p, 0, 0, &stage, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_pipe_count(NULL, &rows, NULL), DTC_E_SIZE);
  assert_true(rows == 77 && needed == 77 && stage == 77);
  struct {
    dtc_pipe p;
    uint64_t more;
  } newer = {check_pipe(SCHEDULE(1F1B), 0, 4, 0, 8), 1};
  newer.p.struct_size = sizeof newer;
  assert_int_equal(dtc_pipe_count(&newer.p, &rows, &e), DTC_E_NEWER);
  newer.more = 0;
  assert_int_equal(dtc_pipe_count(&newer.p, &rows, &e), DTC_OK);
  e.struct_size = 3;
  assert_int_equal(dtc_pipe_count(&newer.p, &rows, &e), DTC_E_SIZE);
}

/* ---- sizes and stages -------------------------------------------------------------------------------------------- */

static void rows_are_those_of_the_longest_rank(void **state)
{
  (void)state;
  static const struct {
    dtc_schedule schedule;
    uint64_t vpp, rows; /* of 8 micro-batches on 4 ranks */
  } rows[] = {
      {SCHEDULE(GPIPE), 1, 16},      {SCHEDULE(1F1B), 1, 16},     {SCHEDULE(INTERLEAVED), 3, 48},
      {SCHEDULE(LOOPED_BFS), 2, 32}, {SCHEDULE(VPP), 2, 32},      {SCHEDULE(GROUP_INTERLEAVED), 3, 72},
      {SCHEDULE(ZBV), 2, 48},        {SCHEDULE(V_HALF), 2, 48},   {SCHEDULE(V_MIN), 2, 48},
      {SCHEDULE(1F1B_V), 2, 32},     {SCHEDULE(ZB_H1), 1, 24},    {SCHEDULE(ZB_H2), 1, 24},
      {SCHEDULE(DUALPIPE_V), 2, 39}, {SCHEDULE(DUALPIPE), 2, 19}, {SCHEDULE(INTERLEAVED_ZB), 2, 48},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_pipe p = check_pipe(rows[i].schedule, 0, 4, rows[i].vpp, 8);
    uint64_t n = 0;
    assert_int_equal(dtc_pipe_count(&p, &n, NULL), DTC_OK);
    assert_int_equal(n, rows[i].rows);
  }
  dtc_pipe infer = check_pipe(SCHEDULE(DUALPIPE), 0, 4, 0, 8);
  uint64_t n = 0;
  infer.forward_only = ON;
  assert_int_equal(dtc_pipe_count(&infer, &n, NULL), DTC_OK);
  assert_int_equal(n, 8);
  dtc_pipe large = check_pipe(SCHEDULE(1F1B), 0, 4096, 0, 524288);
  assert_int_equal(dtc_pipe_count(&large, &n, NULL), DTC_OK);
  assert_int_equal(n, 1 << 20);
}

static uint64_t stage_at(const dtc_pipe *p, uint64_t rank, uint64_t chunk)
{
  uint64_t stage = DTC_NONE;
  assert_int_equal(dtc_pipe_stage(p, rank, chunk, &stage, NULL), DTC_OK);
  return stage;
}

static void stages_lie_as_the_schedule_says(void **state)
{
  (void)state;
  dtc_pipe loop = check_pipe(SCHEDULE(INTERLEAVED), 0, 4, 3, 8), v = check_pipe(SCHEDULE(ZBV), MEGATRON, 4, 0, 8);
  dtc_pipe dual = check_pipe(SCHEDULE(DUALPIPE), 0, 4, 0, 8);
  for (uint64_t rank = 0; rank < 4; rank++) {
    for (uint64_t chunk = 0; chunk < 3; chunk++)
      assert_int_equal(stage_at(&loop, rank, chunk), chunk * 4 + rank);
    assert_true(stage_at(&v, rank, 0) == rank && stage_at(&v, rank, 1) == 7 - rank);
    assert_true(stage_at(&dual, rank, 0) == rank && stage_at(&dual, rank, 1) == 3 - rank);
  }
  uint64_t stage = 77;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_pipe_stage(&loop, 4, 0, &stage, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_RANK && e.got == 4 && e.max == 3);
  assert_int_equal(dtc_pipe_stage(&loop, 0, 3, &stage, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_CHUNK && e.got == 3 && e.max == 2);
  assert_int_equal(stage, 77);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static void a_plan_makes_a_job(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan plan = check_plan();
  dtc_pipe out, before;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  before = out;
  assert_int_equal(dtc_pipe_from_plan(&plan, &out, &e), DTC_E_RANGE); /* not resolved */
  assert_true(e.field == DTC_FIELD(plan, framework) && e.got == 0 && e.min == 1);
  plan.framework = MEGATRON;
  plan.pp = 4;
  plan.vpp = 2;
  plan.accumulation = 16;
  check_ok(dtc_plan_resolve(&m, NULL, &plan, &plan, &e), &e);
  check_ok(dtc_pipe_from_plan(&plan, &out, &e), &e);
  assert_true(out.schedule == SCHEDULE(INTERLEAVED) && out.framework == MEGATRON && out.pp == 4 && out.vpp == 2);
  assert_true(out.micro_batches == 16 && out.group == 4 && out.p2p_overlap == ON);
  out = before;
  plan.accumulation = 17;
  assert_int_equal(dtc_pipe_from_plan(&plan, &out, &e), DTC_E_DIVIDE);
  plan.accumulation = (1 << 20) + 1;
  assert_int_equal(dtc_pipe_from_plan(&plan, &out, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_FIELD(plan, accumulation));
  plan.accumulation = 16;
  plan.vpp = 0;
  assert_int_equal(dtc_pipe_from_plan(&plan, &out, &e), DTC_E_RANGE);
  plan.vpp = 1025;
  assert_int_equal(dtc_pipe_from_plan(&plan, &out, &e), DTC_E_RANGE);
  plan.vpp = 2;
  plan.framework = DEEPSPEED;
  assert_int_equal(dtc_pipe_from_plan(&plan, &out, &e), DTC_E_UNSUPPORTED);
  assert_memory_equal(&out, &before, sizeof out);
}

/* ---- DeepSpeed's lock steps -------------------------------------------------------------------------------------- */

enum { STEPS = 4096 };

static size_t steps_of(const dtc_pipe *p, uint64_t rank, dtc_pipe_step *out)
{
  size_t count = 0, needed = 0;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_pipe_steps(p, rank, NULL, 0, &needed, &e), DTC_E_SPACE);
  assert_true(needed > 0 && needed < STEPS && e.min == needed);
  assert_int_equal(dtc_pipe_steps(p, rank, out, needed - 1, &count, &e), DTC_E_SPACE);
  assert_int_equal(count, needed);
  check_ok(dtc_pipe_steps(p, rank, out, needed, &count, &e), &e);
  assert_int_equal(count, needed);
  return count;
}

static void two_ranks_train_two_micro_batches(void **state)
{
  (void)state;
  static const dtc_pipe_step expected[] = {
      {0, 0, DTC_PIPE_INSTRUCTION_LOAD},
      {0, 0, DTC_PIPE_INSTRUCTION_FORWARD},
      {1, 0, DTC_PIPE_INSTRUCTION_SEND_ACTIVATION},
      {2, 1, DTC_PIPE_INSTRUCTION_LOAD},
      {2, 1, DTC_PIPE_INSTRUCTION_FORWARD},
      {3, 0, DTC_PIPE_INSTRUCTION_RECV_GRAD},
      {3, 1, DTC_PIPE_INSTRUCTION_SEND_ACTIVATION},
      {3, 0, DTC_PIPE_INSTRUCTION_BACKWARD},
      {5, 1, DTC_PIPE_INSTRUCTION_RECV_GRAD},
      {5, 1, DTC_PIPE_INSTRUCTION_BACKWARD},
      {5, 0, DTC_PIPE_INSTRUCTION_REDUCE_TIED},
      {5, 0, DTC_PIPE_INSTRUCTION_REDUCE_GRADS},
      {5, 0, DTC_PIPE_INSTRUCTION_OPTIMIZER_STEP},
  };
  static dtc_pipe_step steps[STEPS];
  dtc_pipe p = check_pipe(SCHEDULE(1F1B), DEEPSPEED, 2, 0, 2);
  assert_int_equal(steps_of(&p, 0, steps), sizeof expected / sizeof expected[0]);
  assert_memory_equal(steps, expected, sizeof expected);
}

/* The computations are those of the order, in DeepSpeed's own steps: even ranks run forwards in even ones. */
static void steps_compute_what_the_order_says(void **state)
{
  (void)state;
  static dtc_pipe_step steps[STEPS];
  uint64_t rows = 0;
  for (uint64_t pp = 1; pp <= 7; pp++)
    for (uint64_t m = 1; m <= 12; m++)
      for (int infer = 0; infer < 2; infer++) {
        dtc_pipe p = check_pipe(SCHEDULE(1F1B), DEEPSPEED, pp, 0, m);
        p.forward_only = infer ? ON : OFF;
        dtc_pipe_op *ops = check_order(&p, &rows);
        for (uint64_t rank = 0; rank < pp; rank++) {
          size_t count = steps_of(&p, rank, steps), at = 0;
          uint64_t ahead = pp - rank < m ? pp - rank : m, buffers = infer || ahead < 2 ? 2 : ahead;
          for (size_t i = 0; i < count; i++) {
            const dtc_pipe_op *op = &ops[rank * rows + at];
            assert_true(steps[i].buffer < buffers && (i == 0 || steps[i].step >= steps[i - 1].step));
            assert_true(steps[i].step < (infer ? m + pp - 1 : 2 * (m + pp - 1)));
            if (steps[i].what != DTC_PIPE_INSTRUCTION_FORWARD && steps[i].what != DTC_PIPE_INSTRUCTION_BACKWARD)
              continue;
            assert_int_equal(steps[i].what == DTC_PIPE_INSTRUCTION_FORWARD, op->kind == DTC_PIPE_KIND_FORWARD);
            assert_int_equal(steps[i].buffer, op->micro_batch % buffers);
            at++;
          }
          assert_int_equal(at, rows);
        }
        free(ops);
      }
}

static void only_deepspeed_has_lock_steps(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(SCHEDULE(1F1B), MEGATRON, 4, 0, 8);
  dtc_pipe_step steps[8];
  size_t count = 77;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_pipe_steps(&p, 0, steps, 8, &count, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_RANGE && e.field == P(framework) && e.got == MEGATRON && e.min == DEEPSPEED);
  p.framework = DEEPSPEED;
  assert_int_equal(dtc_pipe_steps(&p, 4, steps, 8, &count, &e), DTC_E_RANGE);
  p.pp = 0;
  assert_int_equal(dtc_pipe_steps(&p, 0, steps, 8, &count, &e), DTC_E_RANGE);
  assert_int_equal(count, 77);
}

/* ---- scratch ----------------------------------------------------------------------------------------------------- */

static void scratch_is_told(void **state)
{
  (void)state;
  uint64_t needed = DTC_NONE;
  for (dtc_schedule s = SCHEDULE(GPIPE); s <= SCHEDULE(ZB_H2); s++) {
    dtc_pipe p = check_pipe(s, 0, 4, 0, 8);
    assert_int_equal(dtc_pipe_scratch(&p, &needed, NULL), DTC_OK);
    assert_true(needed < 1 << 20);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_schedule_means_its_home),           cmocka_unit_test(chunks_say_the_default_schedule),
      cmocka_unit_test(frameworks_have_forms_of_their_own),  cmocka_unit_test(a_job_may_be_its_own_result),
      cmocka_unit_test(any_accepted_job_resolves_to_itself), cmocka_unit_test(each_refusal_says_what_and_what_is_near),
      cmocka_unit_test(nearest_values_are_the_nearest),      cmocka_unit_test(times_are_numbers),
      cmocka_unit_test(structs_of_another_size_are_refused), cmocka_unit_test(rows_are_those_of_the_longest_rank),
      cmocka_unit_test(stages_lie_as_the_schedule_says),     cmocka_unit_test(a_plan_makes_a_job),
      cmocka_unit_test(two_ranks_train_two_micro_batches),   cmocka_unit_test(steps_compute_what_the_order_says),
      cmocka_unit_test(only_deepspeed_has_lock_steps),       cmocka_unit_test(scratch_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
