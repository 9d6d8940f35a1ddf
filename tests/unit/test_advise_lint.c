/* What legal plans lose: each finding on a plan that has it and not on one that has not, and what its change comes to. */
#include "check.h"

#include <math.h>

enum { MOST = 32 };

typedef struct job {
  dtc_model m;
  dtc_cluster c;
  dtc_plan p;
  dtc_error found[MOST];
  size_t n;
} job;

static job job_on(const char *model, const char *cluster, uint64_t nodes, const char *plan)
{
  job j;
  dtc_error e;
  memset(&j, 0, sizeof j);
  DTC_INIT(&e);
  DTC_INIT(&j.c);
  DTC_INIT(&j.p);
  j.m = check_named(model);
  check_ok(dtc_cluster_find(cluster, &j.c, &e), &e);
  j.c.nodes = nodes;
  check_ok(dtc_plan_parse(plan, strlen(plan), NULL, &j.p, &e), &e);
  return j;
}

static void lint(job *j)
{
  dtc_error e;
  DTC_INIT(&e);
  DTC_INIT(&j->found[0]);
  check_ok(dtc_framework_lint_plan(&j->m, &j->c, &j->p, j->found, MOST, &j->n, &e), &e);
}

static const dtc_error *finding(job *j, dtc_rule rule)
{
  lint(j);
  for (size_t i = 0; i < j->n; i++)
    if (j->found[i].rule == rule)
      return &j->found[i];
  return NULL;
}

static int has(job *j, dtc_rule rule)
{
  return finding(j, rule) != NULL;
}

/* The cost of a finding; its plan is legal, on as many GPUs, of the same batch, and does not have the finding. */
static dtc_advice cost(job *j, dtc_rule rule, dtc_plan *next)
{
  dtc_error e;
  dtc_advice a;
  dtc_memory m;
  DTC_INIT(&e);
  DTC_INIT(&m);
  DTC_INIT(next);
  assert_true(has(j, rule));
  check_ok(dtc_framework_lint_cost(&j->m, &j->c, &j->p, rule, next, &a, &e), &e);
  check_ok(dtc_memory_estimate(&j->m, &j->c, next, NULL, 0, &m, &e), &e);
  assert_true(m.device == a.device && m.fits == a.fits);
  job mended = *j;
  mended.p = *next;
  assert_false(has(&mended, rule));
  return a;
}

/* No change of the plan mends the finding, and nothing is written. */
static void check_no_change(job *j, dtc_rule rule)
{
  dtc_error e;
  dtc_plan next;
  dtc_advice a;
  DTC_INIT(&e);
  DTC_INIT(&next);
  assert_true(has(j, rule));
  assert_int_equal(dtc_framework_lint_cost(&j->m, &j->c, &j->p, rule, &next, &a, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, DTC_RULE_ADVISE_CHANGE);
  assert_int_equal(next.dp, 0);
}

static uint64_t gpus(const dtc_plan *p)
{
  return p->tp * p->cp * p->pp * p->dp;
}

/* ---- placement ------------------------------------------------------------------------------- */

/* A node of DGX H100 joins 8 GPUs, a rack of GB200 NVL72 72. */
static void tp_stays_in_its_domain(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3-70b", "dgx-h100", 8, "megatron tp=16 pp=1 dp=4 sp mbs=1 gbs=64");
  const dtc_error *e = finding(&j, DTC_RULE_PLACE_TP);
  assert_non_null(e);
  assert_true(e->field == DTC_FIELD(plan, tp) && e->got == 16 && e->max == 8);
  assert_int_equal(e->severity, DTC_SEVERITY_WARNING);
  dtc_advice a = cost(&j, DTC_RULE_PLACE_TP, &next);
  assert_true(next.tp == 8 && gpus(&next) == 64);
  assert_true(a.seconds < a.seconds_now && a.seconds > 0);
  j = job_on("llama-3-70b", "dgx-h100", 8, "megatron tp=8 pp=2 dp=4 sp mbs=1 gbs=64");
  assert_false(has(&j, DTC_RULE_PLACE_TP));
  j = job_on("llama-3-70b", "gb200-nvl72", 18, "megatron tp=8 cp=2 pp=1 sp mbs=1 gbs=72");
  j.c.nodes = 16; /* 64 GPUs of the rack */
  assert_false(has(&j, DTC_RULE_PLACE_TP) || has(&j, DTC_RULE_PLACE_CP));
}

/* 41 layers are no two stages, and with half the tensor parallel ranks a GPU holds 36 G parameters of 18 bytes on 8. */
static void tp_that_nothing_replaces(void **state)
{
  (void)state;
  job j = job_on("llama-3-70b", "dgx-h100", 2, "megatron sharding=ddp tp=16 pp=1 dp=1 sp mbs=1 gbs=16 recompute=full");
  j.m.layers = 41;
  check_no_change(&j, DTC_RULE_PLACE_TP);
  j.m.layers = 42;
  dtc_plan next;
  (void)cost(&j, DTC_RULE_PLACE_TP, &next);
  assert_true(next.tp == 8 && next.pp == 2 && next.dp == 1);
}

static void cp_stays_in_its_domain(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3-8b", "dgx-h100", 8, "megatron tp=4 cp=4 pp=1 dp=4 sp mbs=1 gbs=64 seq=8192");
  assert_false(has(&j, DTC_RULE_PLACE_TP));
  dtc_advice a = cost(&j, DTC_RULE_PLACE_CP, &next);
  assert_true(next.cp == 2 && next.tp == 4 && gpus(&next) == 64 && a.seconds < a.seconds_now);
  j = job_on("llama-3-8b", "dgx-h100", 8, "megatron tp=4 cp=2 pp=1 dp=8 sp mbs=1 gbs=64 seq=8192");
  assert_false(has(&j, DTC_RULE_PLACE_CP));
}

static void experts_stay_in_their_domain(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("mixtral-8x7b", "dgx-h100", 8, "megatron tp=2 pp=2 ep=8 etp=2 sp mbs=1 gbs=256 recompute=full");
  dtc_advice a = cost(&j, DTC_RULE_PLACE_EP, &next);
  assert_true(next.ep == 4 && next.etp == 2); /* 4 * 2 GPUs */
  assert_true(a.seconds > 0 && a.seconds < a.seconds_now && gpus(&next) == 64);
  j = job_on("mixtral-8x7b", "dgx-h100", 8, "megatron tp=1 pp=4 ep=8 etp=1 mbs=1 gbs=64");
  assert_false(has(&j, DTC_RULE_PLACE_EP));
}

/* ---- memory that is not needed --------------------------------------------------------------- */

static void offload_that_fits_without_is_found(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3.2-1b", "dgx-h100", 1, "deepspeed sharding=zero2 offload=optimizer mbs=1 gbs=64");
  dtc_advice a = cost(&j, DTC_RULE_NEED_OFFLOAD, &next);
  assert_true(next.offload <= DTC_OFFLOAD_DEFAULT && a.seconds < a.seconds_now && a.host < a.host_now);
  assert_false(has(&j, DTC_RULE_NEED_OFFLOAD_PARAMS));
  j.p.offload = DTC_OFFLOAD_DEFAULT;
  assert_false(has(&j, DTC_RULE_NEED_OFFLOAD));
}

/* 70 G parameters at 16 bytes on 8 GPUs do not fit; with their 12 bytes of states on the host they do. */
static void weights_are_offloaded_last(void **state)
{
  (void)state;
  dtc_plan next;
  const char *text = "deepspeed sharding=zero3 offload=params mbs=1 gbs=64 recompute=full";
  job j = job_on("llama-3-70b", "dgx-h100", 1, text);
  assert_false(has(&j, DTC_RULE_NEED_OFFLOAD));
  dtc_advice a = cost(&j, DTC_RULE_NEED_OFFLOAD_PARAMS, &next);
  assert_true(next.offload == DTC_OFFLOAD_OPTIMIZER && a.host < a.host_now);
}

static void host_memory_is_counted(void **state)
{
  (void)state;
  job j =
      job_on("llama-3-70b", "dgx-h100", 1, "deepspeed sharding=zero3 offload=optimizer mbs=1 gbs=64 recompute=full");
  assert_false(has(&j, DTC_RULE_FIT_HOST));
  j.c.host_memory = UINT64_C(512) << 30; /* states alone are 70.6 G * 12 bytes = 789 GiB */
  assert_true(has(&j, DTC_RULE_FIT_HOST));
  check_no_change(&j, DTC_RULE_FIT_HOST); /* on the GPUs they do not fit either */
  j.c.host_memory = 0;                    /* not known */
  assert_false(has(&j, DTC_RULE_FIT_HOST));
}

/* Of what is offloaded as little stays as the host memory holds, if the GPU then holds the rest: states without weights;
 * of a small model nothing. */
static void less_is_offloaded_to_a_small_host(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3-70b", "dgx-h100", 1, "deepspeed sharding=zero3 offload=params mbs=1 gbs=64 recompute=full");
  dtc_advice a = cost(&j, DTC_RULE_NEED_OFFLOAD_PARAMS, &next);
  j.c.host_memory = a.host + (a.host_now - a.host) / 2;
  a = cost(&j, DTC_RULE_FIT_HOST, &next);
  assert_true(next.offload == DTC_OFFLOAD_OPTIMIZER && a.fits == DTC_BOOL_ON);
  assert_true(a.host <= j.c.host_memory && a.host_now > j.c.host_memory);
  j = job_on("llama-3.2-1b", "dgx-h100", 1, "deepspeed sharding=zero2 offload=optimizer mbs=1 gbs=64");
  j.c.host_memory = UINT64_C(1) << 30; /* 1.24 G parameters have 12 bytes of states each */
  a = cost(&j, DTC_RULE_FIT_HOST, &next);
  assert_true(next.offload == DTC_OFFLOAD_DEFAULT && a.fits == DTC_BOOL_ON && a.seconds < a.seconds_now);
}

static void recomputation_that_is_not_needed_is_found(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3-8b", "dgx-h100", 1, "megatron tp=2 sp mbs=1 gbs=64 recompute=full");
  dtc_advice a = cost(&j, DTC_RULE_NEED_RECOMPUTE, &next);
  assert_true(next.recompute == DTC_RECOMPUTE_NONE && a.fits == DTC_BOOL_ON);
  assert_true(a.seconds < .9 * a.seconds_now); /* a forward of three parts, and more */
  j = job_on("llama-3-70b", "dgx-h100", 4, "sharding=zero3 mbs=2 gbs=64 recompute=full");
  assert_false(has(&j, DTC_RULE_NEED_RECOMPUTE));
}

static void sharding_that_is_not_needed_is_found(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3.2-1b", "gcp-a2-ultra", 4, "deepspeed sharding=zero3 mbs=1 gbs=64");
  dtc_advice a = cost(&j, DTC_RULE_NEED_SHARDING, &next);
  assert_true(next.sharding == DTC_SHARDING_ZERO2 && a.seconds < a.seconds_now && a.device > 0);
  j = job_on("llama-3-70b", "gcp-a2-ultra", 4, "deepspeed sharding=zero3 mbs=1 gbs=64 recompute=full");
  assert_false(has(&j, DTC_RULE_NEED_SHARDING)); /* 16-bit weights alone are 131 GiB */
}

/* ---- what does not fit ----------------------------------------------------------------------- */

static void micro_batches_that_do_not_fit_are_found(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3-8b", "dgx-h100", 1, "sharding=fsdp mbs=16 gbs=128");
  const dtc_error *e = finding(&j, DTC_RULE_FIT_MICRO_BATCH);
  assert_true(e != NULL && e->got == 16 && e->max >= 1 && e->max < 16);
  uint64_t most = e->max;
  dtc_advice a = cost(&j, DTC_RULE_FIT_MICRO_BATCH, &next);
  assert_true(next.micro_batch == most && a.fits == DTC_BOOL_ON && a.device_now > j.c.usable);
  assert_false(has(&j, DTC_RULE_FIT_MEMORY));
  j.p.micro_batch = 2 * most;
  assert_true(has(&j, DTC_RULE_FIT_MICRO_BATCH)); /* the next divisor of the batch does not fit */
}

static void plans_that_do_not_fit_are_found(void **state)
{
  (void)state;
  dtc_plan next;
  dtc_advice a;
  dtc_error e;
  DTC_INIT(&next);
  DTC_INIT(&e);
  job j = job_on("llama-3-8b", "dgx-h100", 1, "sharding=ddp mbs=1 gbs=64");
  assert_true(has(&j, DTC_RULE_FIT_MEMORY));
  assert_false(has(&j, DTC_RULE_FIT_MICRO_BATCH));
  check_ok(dtc_framework_lint_cost(&j.m, &j.c, &j.p, DTC_RULE_FIT_MEMORY, &next, &a, &e), &e);
  assert_true(a.fits == DTC_BOOL_ON && a.device <= j.c.usable); /* sharded */
  j.p.sharding = DTC_SHARDING_FSDP;
  assert_false(has(&j, DTC_RULE_FIT_MEMORY));
}

/* 405 G parameters are 810 GB in 16 bits, and a node has 8 * 80: no micro-batch and no remedy makes them fit. */
static void what_nothing_makes_fit(void **state)
{
  (void)state;
  job j = job_on("llama-3.1-405b", "dgx-h100", 1, "sharding=fsdp mbs=2 gbs=16");
  assert_false(has(&j, DTC_RULE_FIT_MICRO_BATCH));
  check_no_change(&j, DTC_RULE_FIT_MEMORY);
}

/* Kept whole between forward and backward the weights cost memory, and their second gathering is saved. */
static void weights_that_can_stay_are_found(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3.2-1b", "gcp-a2-ultra", 4, "sharding=fsdp mbs=1 gbs=64");
  dtc_advice a = cost(&j, DTC_RULE_NEED_SHARDING, &next);
  assert_true(next.sharding == DTC_SHARDING_FSDP && next.reshard == DTC_BOOL_OFF);
  assert_true(a.seconds < a.seconds_now && a.device > a.device_now);
  j.p.reshard = DTC_BOOL_OFF;
  assert_false(has(&j, DTC_RULE_NEED_SHARDING));
}

/* ---- time ------------------------------------------------------------------------------------ */

static void pipelines_are_filled(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3-8b", "dgx-h100", 4, "megatron tp=4 pp=8 dp=1 sp mbs=4 gbs=16");
  const dtc_error *e = finding(&j, DTC_RULE_FILL_PIPELINE);
  assert_true(e != NULL && e->got == 4 && e->max == 8);
  dtc_advice a = cost(&j, DTC_RULE_FILL_PIPELINE, &next);
  assert_true(next.accumulation >= next.pp && gpus(&next) == 32 && next.global_batch == 16);
  assert_true(a.seconds < a.seconds_now);
  j = job_on("llama-3-8b", "dgx-h100", 4, "megatron tp=4 pp=8 dp=1 sp mbs=1 gbs=16");
  assert_false(has(&j, DTC_RULE_FILL_PIPELINE));
  /* With half the stages there are twice the data parallel ranks, and half the micro-batches: that does not help. */
  j = job_on("llama-3-8b", "dgx-h100", 4, "megatron tp=4 pp=8 dp=1 sp mbs=1 gbs=4");
  check_no_change(&j, DTC_RULE_FILL_PIPELINE);
  j = job_on("llama-3-8b", "dgx-h100", 4, "megatron tp=4 pp=8 dp=1 sp mbs=2 gbs=4");
  check_no_change(&j, DTC_RULE_FILL_PIPELINE);
}

static void gradients_are_hidden(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3-8b", "gcp-a2-ultra", 4, "megatron tp=2 sp mbs=1 gbs=64");
  dtc_advice a = cost(&j, DTC_RULE_HIDE_GRADIENTS, &next);
  assert_true(next.grad_overlap == DTC_BOOL_ON && a.seconds < a.seconds_now);
  j.p.grad_overlap = DTC_BOOL_ON;
  assert_false(has(&j, DTC_RULE_HIDE_GRADIENTS));
}

static void tensor_parallel_ranks_share(void **state)
{
  (void)state;
  dtc_plan next;
  job j = job_on("llama-3-8b", "dgx-h100", 1, "megatron tp=4 mbs=2 gbs=64");
  dtc_advice a = cost(&j, DTC_RULE_SPLIT_SEQUENCE, &next);
  assert_true(next.sequence_parallel == DTC_BOOL_ON && a.device < a.device_now);
  assert_false(has(&j, DTC_RULE_SPLIT_LOGITS));
  j.p.vocab_parallel = DTC_BOOL_OFF;
  a = cost(&j, DTC_RULE_SPLIT_LOGITS, &next);
  assert_true(next.vocab_parallel == DTC_BOOL_ON && a.device < a.device_now);
}

/* ---- sockets --------------------------------------------------------------------------------- */

/* 400 Gb/s for each GPU, or 25 Gb/s for a node; a job of one node does not notice. */
static void sockets_cost_time(void **state)
{
  (void)state;
  dtc_error e;
  dtc_advice a, faster;
  DTC_INIT(&e);
  job j = job_on("llama-3-8b", "dgx-h100", 4, "sharding=fsdp mbs=1 gbs=64");
  check_ok(dtc_framework_sockets(&j.m, &j.c, &j.p, 25e9 / 8, &a, &e), &e);
  assert_true(a.seconds > 2 * a.seconds_now && a.seconds_now > 0);
  check_ok(dtc_framework_sockets(&j.m, &j.c, &j.p, 100e9 / 8, &faster, &e), &e);
  assert_true(faster.seconds < a.seconds && faster.seconds_now == a.seconds_now);
  /* Of ZeRO-3 each node receives all 16-bit weights but its own twice, and sends gradients: 3 * 2 * 8.03e9 * 3 / 4 bytes. */
  assert_true(a.seconds - a.seconds_now > .5 * (3 * 2 * 8.03e9 * .75) / (25e9 / 8));
  j.c.nodes = 1;
  check_ok(dtc_framework_sockets(&j.m, &j.c, &j.p, 25e9 / 8, &a, &e), &e);
  assert_true(a.seconds == a.seconds_now);
  static const double bad[] = {0, -1, 1.1e15, INFINITY, NAN};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(dtc_framework_sockets(&j.m, &j.c, &j.p, bad[i], &a, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_BANDWIDTH);
}

/* ---- properties ------------------------------------------------------------------------------ */

/* What every change keeps: it is legal, of the same model, GPUs, batch and sequence; a plan that fits still does. */
static void check_changes(job *j)
{
  for (size_t i = 0; i < j->n; i++) {
    dtc_error e;
    dtc_plan next, now;
    dtc_advice a;
    dtc_rule rule = j->found[i].rule;
    DTC_INIT(&e);
    DTC_INIT(&next);
    DTC_INIT(&now);
    if (dtc_framework_lint_cost(&j->m, &j->c, &j->p, rule, &next, &a, &e) != DTC_OK)
      continue;
    check_ok(dtc_plan_resolve(&j->m, &j->c, &j->p, &now, &e), &e);
    check_ok(dtc_plan_resolve(&j->m, &j->c, &next, &next, &e), &e);
    assert_true(next.global_batch == now.global_batch && next.seq == now.seq);
    assert_true(gpus(&next) == gpus(&now) && a.gpus == gpus(&next));
    assert_true(a.fits == DTC_BOOL_ON || a.device_now > j->c.usable);
  }
}

static void changes_keep_the_job(void **state)
{
  (void)state;
  static const char names[][16] = {"llama-3-8b", "mixtral-8x7b", "gpt3-13b", "llama-3.2-1b"};
  uint64_t seed = 7;
  unsigned findings = 0;
  for (int i = 0; i < 400; i++) {
    job j = job_on(names[check_random(&seed, 4)], "dgx-h100", 4, "recompute=full");
    dtc_error e;
    DTC_INIT(&e);
    j.p.framework = DTC_FRAMEWORK_PYTORCH + (dtc_framework)check_random(&seed, 5);
    j.p.tp = UINT64_C(1) << check_random(&seed, 5);
    j.p.pp = UINT64_C(1) << check_random(&seed, 3);
    j.p.cp = UINT64_C(1) << check_random(&seed, 2);
    j.p.ep = UINT64_C(1) << check_random(&seed, 4);
    j.p.micro_batch = UINT64_C(1) << check_random(&seed, 4);
    j.p.global_batch = 64;
    DTC_INIT(&j.found[0]);
    if (dtc_framework_lint_plan(&j.m, &j.c, &j.p, j.found, MOST, &j.n, &e) != DTC_OK)
      continue;
    findings += (unsigned)j.n;
    check_changes(&j);
  }
  assert_in_range(findings, 50, 4000);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void bad_questions_are_refused(void **state)
{
  (void)state;
  dtc_error e;
  dtc_plan next;
  dtc_advice a;
  size_t n = 0;
  DTC_INIT(&e);
  DTC_INIT(&next);
  job j = job_on("llama-3-8b", "dgx-h100", 1, "megatron tp=2 sp mbs=1 gbs=64");
  assert_int_equal(dtc_framework_lint_cost(&j.m, &j.c, &j.p, DTC_RULE_PLACE_TP, &next, &a, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, DTC_RULE_ADVISE_CHANGE);
  assert_int_equal(dtc_framework_lint_cost(&j.m, &j.c, &j.p, DTC_RULE_NO_NIC, &next, &a, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(dtc_framework_lint_cost(&j.m, &j.c, &j.p, UINT32_MAX, &next, &a, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(next.tp, 0);
  j.p.tp = 7; /* not legal */
  assert_int_equal(dtc_framework_lint_plan(&j.m, &j.c, &j.p, j.found, 0, &n, &e), DTC_E_DIVIDE);
  j = job_on("llama-3-8b", "dgx-h100", 1, "megatron tp=4 mbs=1 gbs=64 recompute=full");
  assert_int_equal(dtc_framework_lint_plan(&j.m, &j.c, &j.p, NULL, 0, &n, &e), DTC_E_SPACE);
  lint(&j);
  assert_true(n == j.n && n >= 2);
  for (size_t i = 1; i < j.n; i++)
    assert_true(j.found[i - 1].rule < j.found[i].rule);
}

/* Every finding has a line in both languages, without braces left. */
static void findings_have_lines(void **state)
{
  (void)state;
  char line[512];
  for (dtc_rule rule = DTC_RULE_PLACE_TP; rule <= DTC_RULE_ADVISE_CHANGE; rule++)
    for (dtc_lang lang = DTC_LANG_EN; lang <= DTC_LANG_ZH; lang++) {
      dtc_error e;
      DTC_INIT(&e);
      e.status = DTC_E_CONFLICT;
      e.rule = rule;
      e.field = DTC_FIELD(plan, tp);
      e.got = e.max = 8;
      assert_true(dtc_error_format(&e, lang, line, sizeof line) > 10);
      assert_null(strchr(line, '{'));
    }
}

/* With findings or without. */
static void a_place_for_findings_has_a_size(void **state)
{
  (void)state;
  static const char *const plans[] = {"sharding=zero1 mbs=1 gbs=512", "sharding=ddp mbs=64 gbs=1024"};
  for (size_t i = 0; i < 2; i++) {
    job j = job_on("llama-2-7b", "dgx-h100", 2, plans[i]);
    dtc_error e;
    DTC_INIT(&e);
    j.found[0].struct_size = 3;
    assert_int_equal(dtc_framework_lint_plan(&j.m, &j.c, &j.p, j.found, MOST, &j.n, &e), DTC_E_SIZE);
    assert_int_equal(j.found[0].struct_size, 3);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tp_stays_in_its_domain),
      cmocka_unit_test(a_place_for_findings_has_a_size),
      cmocka_unit_test(tp_that_nothing_replaces),
      cmocka_unit_test(cp_stays_in_its_domain),
      cmocka_unit_test(experts_stay_in_their_domain),
      cmocka_unit_test(offload_that_fits_without_is_found),
      cmocka_unit_test(weights_are_offloaded_last),
      cmocka_unit_test(host_memory_is_counted),
      cmocka_unit_test(less_is_offloaded_to_a_small_host),
      cmocka_unit_test(recomputation_that_is_not_needed_is_found),
      cmocka_unit_test(sharding_that_is_not_needed_is_found),
      cmocka_unit_test(micro_batches_that_do_not_fit_are_found),
      cmocka_unit_test(plans_that_do_not_fit_are_found),
      cmocka_unit_test(what_nothing_makes_fit),
      cmocka_unit_test(weights_that_can_stay_are_found),
      cmocka_unit_test(pipelines_are_filled),
      cmocka_unit_test(gradients_are_hidden),
      cmocka_unit_test(tensor_parallel_ranks_share),
      cmocka_unit_test(sockets_cost_time),
      cmocka_unit_test(changes_keep_the_job),
      cmocka_unit_test(bad_questions_are_refused),
      cmocka_unit_test(findings_have_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
