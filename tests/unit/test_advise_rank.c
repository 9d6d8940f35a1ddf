/* Which framework suits a job: the seven rows of the guides, each with a model, and that advice is what the estimates say. */
#include "check.h"

enum { SCRATCH = 1 << 16, MOST = 8 };

#define HAS(reason) (UINT64_C(1) << DTC_REASON_##reason)

static uint64_t scratch[SCRATCH];

/* A job, and what is advised for it. */
typedef struct job {
  dtc_model m;
  dtc_cluster c;
  dtc_plan p;
  dtc_wishes w;
  dtc_advice a[MOST];
  size_t n;
} job;

static job job_on(const char *model, const char *cluster, uint64_t nodes)
{
  job j;
  memset(&j, 0, sizeof j);
  j.m = check_named(model);
  DTC_INIT(&j.c);
  if (dtc_cluster_find(cluster, &j.c, NULL) != DTC_OK && dtc_gpu_find(cluster, &j.c, NULL) != DTC_OK)
    fail_msg("no cluster %s", cluster);
  j.c.nodes = nodes;
  DTC_INIT(&j.p);
  DTC_INIT(&j.w);
  return j;
}

static void ask(job *j)
{
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_framework_advise(&j->m, &j->c, &j->p, &j->w, j->a, MOST, &j->n, scratch, SCRATCH, &e), &e);
}

static const dtc_advice *of(const job *j, dtc_framework framework, dtc_sharding sharding)
{
  for (size_t i = 0; i < j->n; i++)
    if (j->a[i].framework == framework && (sharding == 0 || j->a[i].sharding == sharding))
      return &j->a[i];
  fail_msg("no advice about framework %u, sharding %u", framework, sharding);
  return NULL;
}

static dtc_plan plan_of(const job *j, const dtc_advice *a)
{
  dtc_plan p;
  dtc_error e;
  DTC_INIT(&p);
  DTC_INIT(&e);
  check_ok(dtc_framework_advise_plan(&j->m, &j->c, &j->p, a, &p, &e), &e);
  return p;
}

/* ---- the rows of the guides ------------------------------------------------------------------ */

/* It fits one GPU and shall be fast: DDP, which needs no choice. */
static void what_fits_a_gpu_takes_ddp(void **state)
{
  (void)state;
  job j = job_on("llama-3.2-1b", "dgx-h100", 1);
  j.w.code = DTC_CODE_CHANGE_FILE;
  j.w.goal = DTC_GOAL_THROUGHPUT;
  ask(&j);
  assert_true(j.a[0].framework == DTC_FRAMEWORK_PYTORCH && j.a[0].sharding == DTC_SHARDING_DDP);
  assert_true(j.a[0].reasons & HAS(WHOLE));
  assert_true(j.a[0].reasons & HAS(LITTLE_WORK));
  /* 8 G parameters take 16 bytes each and more: 120 GiB do not fit 80. The guides' row is overruled. */
  j = job_on("llama-3-8b", "dgx-h100", 1);
  j.w.code = DTC_CODE_CHANGE_FILE;
  ask(&j);
  const dtc_advice *ddp = of(&j, DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_DDP);
  assert_true(ddp->fits == DTC_BOOL_OFF && (ddp->reasons & HAS(NO_FIT)) && !(ddp->reasons & HAS(WHOLE)));
  assert_true(j.a[0].fits == DTC_BOOL_ON && (j.a[0].reasons & HAS(NO_CODE)));
}

/* Up to 70 G parameters, no code changed: FSDP or ZeRO-3. */
static void no_code_takes_fsdp_or_zero3(void **state)
{
  (void)state;
  job j = job_on("llama-3-70b", "dgx-h100", 4);
  j.w.code = DTC_CODE_CHANGE_FILE;
  ask(&j);
  for (int i = 0; i < 2; i++)
    assert_true(j.a[i].sharding == DTC_SHARDING_FSDP || j.a[i].sharding == DTC_SHARDING_ZERO3);
  assert_true(of(&j, DTC_FRAMEWORK_MEGATRON, 0)->reasons & HAS(CODE));
  assert_true(of(&j, DTC_FRAMEWORK_TORCHTITAN, 0)->score < j.a[1].score);
}

/* More than 100 G parameters and throughput: Megatron-LM in three dimensions. */
static void large_ones_take_megatron(void **state)
{
  (void)state;
  job j = job_on("llama-3.1-405b", "dgx-h100", 64);
  j.w.goal = DTC_GOAL_THROUGHPUT;
  ask(&j);
  assert_int_equal(j.a[0].framework, DTC_FRAMEWORK_MEGATRON);
  dtc_plan p = plan_of(&j, &j.a[0]);
  assert_true(p.tp > 1 && p.pp > 1 && p.dp > 1);
  assert_true(j.a[0].reasons & HAS(FASTEST));
}

/* Nobody wishes to see that it is distributed: ZeRO-3 with one JSON. */
static void hidden_takes_zero3(void **state)
{
  (void)state;
  job j = job_on("llama-3-70b", "dgx-h100", 4);
  j.w.goal = DTC_GOAL_SIMPLICITY;
  j.w.hidden = DTC_BOOL_ON;
  ask(&j);
  assert_int_equal(j.a[0].sharding, DTC_SHARDING_ZERO3);
  assert_true(j.a[0].reasons & HAS(ONE_FILE));
  assert_true(of(&j, DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_FSDP)->reasons & HAS(FILES));
}

/* An operator who tunes: Megatron-LM. */
static void who_tunes_takes_megatron(void **state)
{
  (void)state;
  job j = job_on("llama-3-70b", "dgx-h100", 32);
  j.w.work = DTC_EFFORT_MUCH;
  ask(&j);
  assert_int_equal(j.a[0].framework, DTC_FRAMEWORK_MEGATRON);
  double score = j.a[0].score;
  j.w.work = DTC_EFFORT_LITTLE; /* and one who does not, another */
  ask(&j);
  assert_int_not_equal(j.a[0].framework, DTC_FRAMEWORK_MEGATRON);
  assert_true(of(&j, DTC_FRAMEWORK_MEGATRON, 0)->reasons & HAS(WORK));
  assert_true(of(&j, DTC_FRAMEWORK_MEGATRON, 0)->score < score);
}

/* Experts: who splits them over ranks, Megatron-LM before others. */
static void experts_are_split(void **state)
{
  (void)state;
  job j = job_on("mixtral-8x7b", "dgx-h100", 8);
  ask(&j);
  assert_int_equal(j.a[0].framework, DTC_FRAMEWORK_MEGATRON);
  assert_true(j.a[0].reasons & HAS(EXPERTS));
  assert_true(plan_of(&j, &j.a[0]).ep > 1);
  const dtc_advice *fsdp = of(&j, DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_FSDP);
  assert_true((fsdp->reasons & HAS(NO_EXPERTS)) && fsdp->fits == DTC_BOOL_ON && (fsdp->reasons & HAS(SLOWER)));
  assert_int_equal(plan_of(&j, fsdp).ep, 1);
  job dense = job_on("llama-3-8b", "dgx-h100", 8);
  ask(&dense);
  for (size_t i = 0; i < dense.n; i++)
    assert_false(dense.a[i].reasons & (HAS(EXPERTS) | HAS(NO_EXPERTS)));
}

/* AMD: whatever runs there; ColossalAI does not, Megatron-LM through Primus. */
static void amd_is_looked_at(void **state)
{
  (void)state;
  job j = job_on("llama-3-70b", "mi300x", 8);
  ask(&j);
  assert_true(j.a[0].reasons & HAS(VENDOR));
  assert_int_equal(j.a[j.n - 1].framework, DTC_FRAMEWORK_COLOSSALAI);
  assert_true(j.a[j.n - 1].reasons & HAS(NO_VENDOR));
  assert_true(of(&j, DTC_FRAMEWORK_MEGATRON, 0)->reasons & HAS(FORK));
  assert_true(of(&j, DTC_FRAMEWORK_DEEPSPEED, 0)->reasons & HAS(VENDOR));
  job n = job_on("llama-3-70b", "dgx-h100", 8);
  ask(&n);
  assert_false(of(&n, DTC_FRAMEWORK_COLOSSALAI, 0)->reasons & HAS(NO_VENDOR));
  n.w.vendor = DTC_VENDOR_AMD; /* it must run there later */
  ask(&n);
  assert_true(of(&n, DTC_FRAMEWORK_COLOSSALAI, 0)->reasons & HAS(NO_VENDOR));
}

static void the_one_in_use_stays(void **state)
{
  (void)state;
  job j = job_on("llama-3-70b", "dgx-h100", 32);
  j.w.framework = DTC_FRAMEWORK_TORCHTITAN;
  ask(&j);
  assert_int_equal(j.a[0].framework, DTC_FRAMEWORK_TORCHTITAN);
  assert_true((j.a[0].reasons & HAS(IN_USE)) && (j.a[1].reasons & HAS(SWITCH)));
}

/* 70 G parameters on 8 GPUs: 1.05 TiB of states in 0.62 TiB. DeepSpeed offloads them, the others have nothing. */
static void offloading_comes_last(void **state)
{
  (void)state;
  job j = job_on("llama-3-70b", "dgx-h100", 1);
  ask(&j);
  assert_true(j.a[0].sharding == DTC_SHARDING_ZERO3 && (j.a[0].reasons & HAS(OFFLOADS)));
  assert_true(j.a[0].host > 0 && j.a[0].host <= j.c.host_memory && plan_of(&j, &j.a[0]).offload != 0);
  for (size_t i = 1; i < j.n; i++)
    assert_true(j.a[i].fits != DTC_BOOL_ON && j.a[i].score < 0);
  j.c.host_memory = UINT64_C(512) << 30; /* states alone are 70.6 G * 12 bytes = 789 GiB */
  ask(&j);
  const dtc_advice *zero3 = of(&j, DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO3);
  assert_true(zero3->fits == DTC_BOOL_OFF && (zero3->reasons & HAS(NO_FIT)) && !(zero3->reasons & HAS(OFFLOADS)));
  j.c.host_memory = 0; /* not known */
  ask(&j);
  assert_true(j.a[0].sharding == DTC_SHARDING_ZERO3 && (j.a[0].reasons & HAS(OFFLOADS)));
}

/* ---- properties ------------------------------------------------------------------------------ */

static void check_against_estimates(const job *j, const dtc_advice *a)
{
  dtc_error e;
  dtc_memory m;
  dtc_step s;
  DTC_INIT(&e);
  DTC_INIT(&m);
  DTC_INIT(&s);
  if (a->reasons & HAS(NO_PLAN))
    return;
  dtc_plan p = plan_of(j, a);
  assert_int_equal(p.framework, a->framework);
  check_ok(dtc_memory_estimate(&j->m, &j->c, &p, NULL, 0, &m, &e), &e);
  assert_int_equal(m.fits, a->fits);
  assert_true(m.device == a->device);
  if (a->fits != DTC_BOOL_ON)
    return;
  check_ok(dtc_step_estimate(&j->m, &j->c, &p, NULL, 0, NULL, &s, &e), &e);
  assert_true(s.seconds == a->seconds);
  assert_true(s.gpus == a->gpus && a->gpus == j->c.nodes * j->c.gpus_per_node);
}

static void advice_is_what_estimates_say(void **state)
{
  (void)state;
  static const struct {
    char model[16];
    char cluster[16];
    uint64_t nodes;
  } jobs[] = {{"llama-3-8b", "dgx-h100", 1}, {"llama-3-70b", "gb200-nvl72", 18}, {"mixtral-8x7b", "dgx-b200", 4},
              {"gpt2", "dgx-a100", 1},       {"llama-3-8b", "mi300x", 2},        {"llama-3-70b", "dgx-h100", 1}};
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    job j = job_on(jobs[i].model, jobs[i].cluster, jobs[i].nodes);
    ask(&j);
    assert_int_equal(j.n, 7);
    for (size_t k = 0; k < j.n; k++) {
      check_against_estimates(&j, &j.a[k]);
      assert_true(k == 0 || j.a[k - 1].score >= j.a[k].score);
    }
  }
}

static void the_same_question_has_the_same_answer(void **state)
{
  (void)state;
  job j = job_on("llama-3-8b", "dgx-h100", 2);
  job again = j;
  dtc_error e;
  dtc_advice few[3];
  size_t n = 0;
  DTC_INIT(&e);
  ask(&j);
  memset(scratch, 0xa5, sizeof scratch);
  ask(&again);
  assert_memory_equal(j.a, again.a, sizeof j.a[0] * j.n);
  assert_int_equal(dtc_framework_advise(&j.m, &j.c, NULL, NULL, again.a, MOST, &n, scratch, SCRATCH, &e), DTC_OK);
  assert_memory_equal(j.a, again.a, sizeof j.a[0] * j.n); /* no plan is an empty plan, no wishes are empty wishes */
  assert_int_equal(dtc_framework_advise(&j.m, &j.c, NULL, NULL, few, 3, &n, scratch, SCRATCH, &e), DTC_E_SPACE);
  assert_int_equal(n, 7);
}

/* The batch is what the plan says; without it 4 Mi tokens in whole sequences for every GPU. */
static void the_batch_has_a_default(void **state)
{
  (void)state;
  job j = job_on("llama-3-8b", "dgx-h100", 3);
  ask(&j);
  assert_int_equal(plan_of(&j, &j.a[0]).global_batch, 24 * 42); /* 1024 / 24 = 42.7 */
  j.p.global_batch = 48;
  j.p.seq = 2048;
  ask(&j);
  dtc_plan p = plan_of(&j, &j.a[0]);
  assert_true(p.global_batch == 48 && p.seq == 2048);
  /* A model of 1024 tokens: 4 Mi are 4096 sequences. */
  job short_one = job_on("gpt2-large", "dgx-h100", 1);
  ask(&short_one);
  p = plan_of(&short_one, &short_one.a[0]);
  assert_true(p.global_batch == 4096 && p.seq == 1024);
}

static void now_is_the_plan_that_is_given(void **state)
{
  (void)state;
  job j = job_on("llama-3-8b", "dgx-h100", 1);
  dtc_step s;
  dtc_error e;
  DTC_INIT(&s);
  DTC_INIT(&e);
  ask(&j);
  assert_true(j.a[0].seconds_now == 0 && j.a[0].device_now == 0);
  j.p.sharding = DTC_SHARDING_ZERO3;
  j.p.global_batch = 64;
  j.p.recompute = DTC_RECOMPUTE_FULL;
  ask(&j);
  check_ok(dtc_step_estimate(&j.m, &j.c, &j.p, NULL, 0, NULL, &s, &e), &e);
  assert_true(j.a[0].seconds_now == s.seconds && j.a[0].device_now > 0);
  assert_int_not_equal(j.a[0].framework, 0);
}

static void precision_is_looked_at(void **state)
{
  (void)state;
  job j = job_on("llama-3-8b", "dgx-b200", 1);
  j.p.precision = DTC_PRECISION_FP4;
  ask(&j);
  assert_true(of(&j, DTC_FRAMEWORK_MEGATRON, 0)->reasons & HAS(PRECISION));
  assert_true(of(&j, DTC_FRAMEWORK_DEEPSPEED, 0)->reasons & HAS(NO_PRECISION));
  /* Of fp8 as the traits say, and 16 bits are no question. */
  for (dtc_precision p = DTC_PRECISION_BF16; p <= DTC_PRECISION_FP8; p++) {
    j.p.precision = p;
    ask(&j);
    for (size_t i = 0; i < j.n; i++) {
      dtc_traits t;
      DTC_INIT(&t);
      assert_int_equal(dtc_framework_traits(j.a[i].framework, j.a[i].sharding, &t, NULL), DTC_OK);
      dtc_level level = p == DTC_PRECISION_FP8 ? t.fp8 : DTC_LEVEL_DEFAULT;
      assert_int_equal((j.a[i].reasons & HAS(PRECISION)) != 0, level == DTC_LEVEL_YES || level == DTC_LEVEL_PARTLY);
      assert_int_equal((j.a[i].reasons & HAS(NO_PRECISION)) != 0, level == DTC_LEVEL_NO);
    }
  }
}

/* Adapters of 70 G weights, on 8 GPUs: 16.4 GiB of weights each and next to nothing else. All of it does not fit. */
static void what_is_trained_is_looked_at(void **state)
{
  (void)state;
  job j = job_on("llama-3-70b", "dgx-h100", 1);
  j.p.global_batch = 8;
  ask(&j);
  assert_true(of(&j, DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_FSDP)->reasons & HAS(NO_FIT));
  j.p.tuning = DTC_TUNING_LORA;
  j.p.lora_rank = 16;
  ask(&j);
  const dtc_advice *fsdp = of(&j, DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_FSDP);
  assert_true(fsdp->fits == DTC_BOOL_ON && !(fsdp->reasons & HAS(OFFLOADS)));
  dtc_plan p = plan_of(&j, fsdp);
  assert_true(p.tuning == DTC_TUNING_LORA && p.lora_rank == 16);
  for (size_t k = 0; k < j.n; k++)
    check_against_estimates(&j, &j.a[k]);
  assert_true(of(&j, DTC_FRAMEWORK_MEGATRON, 0)->reasons & HAS(NO_PLAN)); /* its fine-tuning is not counted */
}

/* Every kept setting comes back in the plans; what is looked for does not bind them. */
static void settings_stay_and_degrees_do_not(void **state)
{
  (void)state;
  job j = job_on("llama-3-8b", "dgx-h100", 1);
  j.p.global_batch = 64;
  j.p.grad_dtype = DTC_GRAD_DTYPE_FP32;
  j.p.attention = DTC_ATTENTION_MATH;
  j.p.flash_version = 2;
  ask(&j);
  dtc_plan p = plan_of(&j, of(&j, DTC_FRAMEWORK_MEGATRON, 0));
  assert_true(p.grad_dtype == DTC_GRAD_DTYPE_FP32 && p.attention == DTC_ATTENTION_MATH && p.flash_version == 2);
  job with = j;
  with.p.framework = DTC_FRAMEWORK_MEGATRON;
  with.p.framework_version = 19000;
  with.p.sharding = DTC_SHARDING_DISTOPT;
  with.p.tp = with.p.pp = with.p.vpp = with.p.cp = with.p.ep = with.p.dp = with.p.dp_shard = with.p.etp = 7;
  with.p.micro_batch = with.p.accumulation = with.p.group = with.p.first_layers = with.p.last_layers = 7;
  with.p.sequence_parallel = with.p.account_embedding = with.p.account_loss = DTC_BOOL_ON;
  with.p.schedule = DTC_SCHEDULE_INTERLEAVED;
  with.p.recompute = DTC_RECOMPUTE_FULL;
  with.p.recompute_method = DTC_RECOMPUTE_METHOD_BLOCK;
  with.p.recompute_layers = 3;
  with.p.recompute_mlp = with.p.recompute_distributed = with.p.p2p_overlap = DTC_BOOL_ON;
  with.p.live = with.p.persistence = 100;
  with.p.cuda_graph = DTC_CUDA_GRAPH_FULL;
  with.p.offload = DTC_OFFLOAD_PARAMS;
  ask(&with); /* tp = 7 is not legal: of now nothing is known */
  assert_memory_equal(j.a, with.a, sizeof j.a[0] * j.n);
}

static dtc_status refused(job *j, dtc_error *e)
{
  DTC_INIT(e);
  return dtc_framework_advise(&j->m, &j->c, &j->p, &j->w, j->a, MOST, &j->n, scratch, SCRATCH, e);
}

static void bad_questions_are_refused(void **state)
{
  (void)state;
  dtc_error e;
  uint64_t needed = 0;
  job good = job_on("llama-3-8b", "dgx-h100", 1);
  job j = good;
  j.c.nodes = 0;
  assert_int_equal(refused(&j, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_SEARCH_GPUS);
  j = good;
  j.w.code = DTC_CODE_CHANGE_MODEL + 1;
  assert_int_equal(refused(&j, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_FIELD(wishes, code));
  j = good;
  j.p.global_batch = UINT64_MAX;
  assert_int_equal(refused(&j, &e), DTC_E_RANGE);
  j = good;
  j.m.layers = 0;
  assert_int_not_equal(refused(&j, &e), DTC_OK);
  j = good;
  j.c.nodes = UINT64_C(1) << 32;
  j.c.gpus_per_node = 4096;
  assert_int_equal(refused(&j, &e), DTC_E_RANGE);
  assert_int_equal(dtc_framework_advise_scratch(&needed, NULL), DTC_OK);
  assert_in_range(needed, 1000, SCRATCH);
  assert_int_equal(dtc_framework_advise(&good.m, &good.c, NULL, NULL, good.a, MOST, &good.n, scratch, needed - 1, &e),
                   DTC_E_SPACE);
}

static void bad_advice_has_no_plan(void **state)
{
  (void)state;
  dtc_error e;
  dtc_plan p;
  DTC_INIT(&e);
  DTC_INIT(&p);
  job j = job_on("llama-3-8b", "dgx-h100", 1);
  ask(&j);
  dtc_advice a = j.a[0];
  a.index = UINT64_MAX;
  assert_int_equal(dtc_framework_advise_plan(&j.m, &j.c, &j.p, &a, &p, &e), DTC_E_RANGE);
  a = j.a[0];
  a.framework = DTC_FRAMEWORK_SCALING;
  assert_int_equal(dtc_framework_advise_plan(&j.m, &j.c, &j.p, &a, &p, &e), DTC_E_UNSUPPORTED);
  a = j.a[0];
  a.reasons |= HAS(NO_PLAN);
  assert_int_equal(dtc_framework_advise_plan(&j.m, &j.c, &j.p, &a, &p, &e), DTC_E_UNSUPPORTED);
  a = j.a[0];
  a.fits = 9;
  assert_int_equal(dtc_framework_advise_plan(&j.m, &j.c, &j.p, &a, &p, &e), DTC_E_RANGE);
  assert_int_equal(dtc_framework_advise_plan(&j.m, &j.c, &j.p, NULL, &p, &e), DTC_E_SIZE);
  assert_int_equal(p.framework, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fits_a_gpu_takes_ddp),
      cmocka_unit_test(no_code_takes_fsdp_or_zero3),
      cmocka_unit_test(large_ones_take_megatron),
      cmocka_unit_test(hidden_takes_zero3),
      cmocka_unit_test(who_tunes_takes_megatron),
      cmocka_unit_test(experts_are_split),
      cmocka_unit_test(amd_is_looked_at),
      cmocka_unit_test(the_one_in_use_stays),
      cmocka_unit_test(offloading_comes_last),
      cmocka_unit_test(advice_is_what_estimates_say),
      cmocka_unit_test(the_same_question_has_the_same_answer),
      cmocka_unit_test(the_batch_has_a_default),
      cmocka_unit_test(now_is_the_plan_that_is_given),
      cmocka_unit_test(precision_is_looked_at),
      cmocka_unit_test(what_is_trained_is_looked_at),
      cmocka_unit_test(settings_stay_and_degrees_do_not),
      cmocka_unit_test(bad_questions_are_refused),
      cmocka_unit_test(bad_advice_has_no_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
