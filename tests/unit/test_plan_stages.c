/* Layers of pipeline ranks. */
#include "check_plan.h"

#include <dtcore/pipeline.h>

/* ---- stages ---------------------------------------------------------------------------------------------------------- */

static void check_stages(const dtc_model *m, const dtc_plan *p, uint64_t layers, uint64_t moe)
{
  dtc_stage sum = {0};
  uint64_t last = UINT64_MAX;
  for (uint64_t i = 0; i < p->pp; i++) {
    dtc_stage s = {.struct_size = sizeof s};
    assert_int_equal(dtc_plan_stage(m, p, i, &s, NULL), DTC_OK);
    assert_true(s.layers <= last && s.layers >= 1 && s.moe_layers <= s.layers);
    assert_int_equal(s.embedding, i == 0);
    assert_int_equal(s.head, i + 1 == p->pp);
    last = s.layers;
    sum.layers += s.layers;
    sum.moe_layers += s.moe_layers;
  }
  assert_int_equal(sum.layers, layers);
  assert_int_equal(sum.moe_layers, moe);
}

static void stages_make_up_the_model(void **state)
{
  (void)state;
  dtc_plan p = check_plan();
  dtc_model dense = check_named("llama-3-8b");
  dtc_model moe = check_named("qwen1.5-moe-a2.7b");
  dtc_model mixed = moe;
  p.framework = DTC_FRAMEWORK_DEEPSPEED; /* which takes any pp */
  mixed.dense_layers = 1;                /* then every other one of 23 */
  mixed.moe_every = 2;
  for (p.pp = 1; p.pp <= 24; p.pp++) {
    check_stages(&dense, &p, 32, 0);
    check_stages(&moe, &p, 24, 24);
  }
  for (p.pp = 1; p.pp <= 24; p.pp++)
    check_stages(&mixed, &p, 24, 11);
}

static void the_first_stages_take_the_rest(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_stage s = {.struct_size = sizeof s};
  p.framework = DTC_FRAMEWORK_DEEPSPEED;
  p.pp = 5; /* 7 7 6 6 6 */
  const uint64_t layers[] = {7, 7, 6, 6, 6};
  for (uint64_t i = 0; i < 5; i++) {
    assert_int_equal(dtc_plan_stage(&m, &p, i, &s, NULL), DTC_OK);
    assert_int_equal(s.layers, layers[i]);
  }
}

/* DeepSpeed splits a list of modules: of more stages than layers embedding and head fill one each. */
static void embedding_and_head_fill_stages(void **state)
{
  (void)state;
  dtc_model m = check_named("pythia-70m"); /* of 6 layers */
  dtc_plan p = check_plan();
  dtc_stage s = {.struct_size = sizeof s};
  p.framework = DTC_FRAMEWORK_DEEPSPEED;
  for (p.pp = 6; p.pp <= 8; p.pp++)
    for (uint64_t i = 0; i < p.pp; i++) {
      assert_int_equal(dtc_plan_stage(&m, &p, i, &s, NULL), DTC_OK);
      assert_int_equal(s.layers, (i == 0 && p.pp > 6) || i == 7 ? 0 : 1);
      assert_true(s.embedding == (i == 0) && s.head == (i == p.pp - 1));
    }
  p.pp = 9;
  assert_int_equal(dtc_plan_stage(&m, &p, 0, &s, NULL), DTC_E_RANGE);
}

/* Golden splits: Megatron-Core, TorchTitan, ColossalAI. */
static void every_framework_splits_in_its_way(void **state)
{
  (void)state;
  static const struct {
    const char *plan;
    uint64_t layers;
    uint64_t of_rank[8];
  } rows[] = {
      {"megatron pp=4", 32, {8, 8, 8, 8}},
      {"megatron pp=4 first=8 last=8", 30, {8, 7, 7, 8}},
      {"megatron pp=4 first=5 last=3", 22, {5, 7, 7, 3}},
      {"megatron pp=4 last=4", 22, {6, 6, 6, 4}},
      {"megatron pp=8 last=5", 61, {8, 8, 8, 8, 8, 8, 8, 5}},
      {"megatron pp=2 first=4 last=6", 10, {4, 6}},
      {"megatron pp=2 vpp=2 first=4", 8, {4, 4}},
      {"megatron pp=4 vpp=2 first=4 last=8", 24, {4, 6, 6, 8}},
      {"megatron pp=4 account_embedding account_loss", 30, {7, 8, 8, 7}},
      {"megatron pp=4 account_embedding", 31, {7, 8, 8, 8}},
      {"megatron pp=4 vpp=4 account_embedding account_loss", 30, {7, 8, 8, 7}},
      {"megatron pp=4 account_embedding account_loss", 2, {0, 1, 1, 0}},
      {"megatron@0.10 pp=4", 30, {7, 7, 7, 7}},
      {"megatron pp=4 vpp=2 schedule=zbv", 32, {8, 8, 8, 8}},
      {"megatron pp=4 vpp=2 schedule=dualpipe accum=8", 32, {16, 16, 16, 16}},
      {"torchtitan pp=4", 32, {8, 9, 8, 7}},
      {"torchtitan pp=5", 32, {6, 7, 7, 7, 5}},
      {"torchtitan pp=4 vpp=2", 30, {7, 8, 8, 7}},
      {"torchtitan pp=4 vpp=2 schedule=zbv", 33, {7, 9, 9, 8}},
      {"colossalai pp=4", 30, {7, 8, 8, 7}},
      {"colossalai pp=4", 31, {7, 8, 8, 8}},
      {"deepspeed pp=4", 30, {8, 8, 7, 7}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_model m = check_named("llama-3-8b");
    dtc_plan p = check_plan();
    dtc_error e;
    DTC_INIT(&e);
    m.layers = rows[i].layers;
    check_ok(dtc_plan_parse(rows[i].plan, strlen(rows[i].plan), NULL, &p, &e), &e);
    for (uint64_t rank = 0; rank < p.pp; rank++) {
      dtc_stage stage = {.struct_size = sizeof stage};
      check_ok(dtc_plan_stage(&m, &p, rank, &stage, &e), &e);
      if (stage.layers != rows[i].of_rank[rank])
        fail_msg("%s, rank %d: %d layers", rows[i].plan, (int)rank, (int)stage.layers);
    }
  }
}

/* In a V the first rank holds both ends, of dualpipe both outer ranks do. */
static void ends_of_a_v(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_stage s = {.struct_size = sizeof s};
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.pp = 4;
  p.vpp = 2;
  p.accumulation = 8;
  p.schedule = DTC_SCHEDULE_ZBV;
  for (uint64_t rank = 0; rank < 4; rank++) {
    assert_int_equal(dtc_plan_stage(&m, &p, rank, &s, NULL), DTC_OK);
    assert_true(s.embedding == (rank == 0) && s.head == (rank == 0));
  }
  p.schedule = DTC_SCHEDULE_DUALPIPE;
  for (uint64_t rank = 0; rank < 4; rank++) {
    assert_int_equal(dtc_plan_stage(&m, &p, rank, &s, NULL), DTC_OK);
    assert_true(s.embedding == (rank % 3 == 0) && s.head == (rank % 3 == 0));
  }
}

/* A rank holds what dtc_pipe_layers() gives its chunks; experts are counted where they lie. */
static void a_rank_holds_the_parts_of_its_chunks(void **state)
{
  (void)state;
  dtc_model m = check_named("qwen1.5-moe-a2.7b");
  m.dense_layers = 3;
  size_t legal = 0;
  for (uint64_t n = 0; n < (uint64_t)check_rounds(4000); n++) {
    dtc_plan p = check_plan();
    dtc_pipe_split split;
    dtc_pipe_part parts[64];
    dtc_error e;
    size_t count = 0;
    seed = n;
    DTC_INIT(&split);
    DTC_INIT(&e);
    p.framework = roll(2) ? DTC_FRAMEWORK_MEGATRON : DTC_FRAMEWORK_TORCHTITAN;
    m.layers = 4 + roll(40);
    p.pp = 2 + roll(5);
    p.vpp = 1 + roll(3);
    int megatron = p.framework == DTC_FRAMEWORK_MEGATRON;
    p.first_layers = megatron && roll(2) ? 1 + roll(8) : 0;
    p.last_layers = megatron && roll(2) ? 1 + roll(8) : 0;
    p.account_embedding = megatron && roll(3) == 0 ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
    p.account_loss = megatron && roll(3) == 0 ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
    split.splitter = megatron ? DTC_SPLITTER_MEGATRON : DTC_SPLITTER_TORCHTITAN;
    split.layers = m.layers;
    split.pp = p.pp;
    split.vpp = p.vpp;
    split.first = p.first_layers;
    split.last = p.last_layers;
    split.account_embedding = p.account_embedding;
    split.account_loss = p.account_loss;
    dtc_stage stages[8];
    dtc_status status = DTC_OK;
    for (uint64_t rank = 0; rank < p.pp && status == DTC_OK; rank++) {
      DTC_INIT(&stages[rank]);
      status = dtc_plan_stage(&m, &p, rank, &stages[rank], &e);
    }
    dtc_status given = dtc_pipe_layers(&split, NULL, 0, NULL, 0, parts, 64, &count, NULL, 0, &e);
    if ((status == DTC_OK) != (given == DTC_OK)) {
      char text[512];
      (void)!dtc_plan_format(NULL, &p, text, sizeof text, NULL, NULL);
      fail_msg("%d layers, %s: %d, the split %d", (int)m.layers, text, status, given);
    }
    if (status != DTC_OK)
      continue;
    legal++;
    for (size_t i = 0; i < count; i++) {
      dtc_stage *s = &stages[parts[i].rank];
      uint64_t dense = parts[i].first < 3 ? 3 - parts[i].first : 0;
      s->layers -= parts[i].layers;
      s->moe_layers -= parts[i].layers > dense ? parts[i].layers - dense : 0;
      s->embedding -= parts[i].embedding;
      s->head -= parts[i].head;
    }
    for (uint64_t rank = 0; rank < p.pp; rank++)
      assert_true(stages[rank].layers == 0 && stages[rank].moe_layers == 0 && stages[rank].embedding == 0 &&
                  stages[rank].head == 0);
  }
  assert_true(legal > (size_t)check_rounds(300));
}

static void a_stage_beyond_the_last_is_refused(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_stage s = {.struct_size = sizeof s, .layers = 77};
  dtc_error err;
  DTC_INIT(&err);
  p.pp = 4;
  assert_int_equal(dtc_plan_stage(&m, &p, 4, &s, &err), DTC_E_RANGE);
  assert_int_equal(err.rule, DTC_RULE_INDEX);
  assert_true(err.got == 4 && err.max == 3 && s.layers == 77);
  p.pp = 33;
  assert_int_equal(dtc_plan_stage(&m, &p, 0, &s, &err), DTC_E_RANGE);
  assert_int_equal(err.rule, DTC_RULE_PP_LAYERS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stages_make_up_the_model),
      cmocka_unit_test(the_first_stages_take_the_rest),
      cmocka_unit_test(embedding_and_head_fill_stages),
      cmocka_unit_test(every_framework_splits_in_its_way),
      cmocka_unit_test(ends_of_a_v),
      cmocka_unit_test(a_rank_holds_the_parts_of_its_chunks),
      cmocka_unit_test(a_stage_beyond_the_last_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
