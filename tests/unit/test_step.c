/* Time of a step: items and terms of any legal job, softwares, parameters, refusals. */
#include "step_check.h"

#include "internal/step.h"

enum { JOBS = 600 };

/* ---- items and terms ------------------------------------------------------------------------- */

static int is_number(double x)
{
  return x >= 0 && x < 1e15;
}

static void check_whole(const step_job *j, const dtc_step *s)
{
  double sum = 0;
  for (dtc_step_item i = 1; i < STEP_ITEMS; i++) {
    double seconds = step_item(s, i);
    if (!is_number(seconds))
      fail_msg("item %u: %g", i, seconds);
    sum += seconds;
    if (i > DTC_STEP_ITEM_EXPERTS)
      assert_true(seconds <= step_item(s, s->limit));
  }
  assert_true(sum == s->seconds && sum > 0);
  assert_true(s->limit > DTC_STEP_ITEM_EXPERTS && s->limit < STEP_ITEMS);
  assert_true(s->low > 0 && s->low <= s->seconds && s->seconds <= s->high && s->high < 1e15);
  assert_true(is_number(s->mfu) && s->mfu < 1 && s->hfu >= s->mfu && s->hfu < 1);
  assert_true(s->confidence <= DTC_CONFIDENCE_EXTRAPOLATED && s->pad == 0);
  dtc_plan p = check_plan();
  assert_int_equal(dtc_plan_resolve(&j->m, &j->c, &j->p, &p, NULL), DTC_OK);
  assert_true(s->gpus == p.tp * p.cp * p.pp * p.dp && s->tokens == p.global_batch * p.seq && s->stage < p.pp);
  check_near(s->tokens_per_gpu_second, (double)s->tokens / s->seconds / (double)s->gpus);
}

/* The terms add up to the items. */
static void check_sums(const step_job *j, const dtc_step *s)
{
  dtc_step_term terms[STEP_TERMS];
  double sums[STEP_ITEMS] = {0};
  size_t n = step_terms(j, NULL, terms);
  for (size_t i = 0; i < n; i++) {
    const dtc_step_term *t = &terms[i];
    assert_in_range(t->item, DTC_STEP_ITEM_DENSE, DTC_STEP_ITEM_STRAGGLERS);
    assert_non_null(dtc_step_term_text(t->index, DTC_LANG_EN));
    assert_true(t->seconds == t->each * t->count && t->each > 0 && t->count > 0 && is_number(t->seconds));
    assert_true(is_number(t->bytes / 1e9) && t->flops >= 0 && t->flops < 1e30);
    sums[t->item] += t->seconds;
  }
  for (dtc_step_item i = 1; i < STEP_ITEMS; i++) {
    double seconds = step_item(s, i);
    double off = sums[i] > seconds ? sums[i] - seconds : seconds - sums[i];
    if (!(off <= 1e-12 * seconds))
      fail_msg("item %u: terms %.17g, item %.17g", i, sums[i], seconds);
  }
}

static void any_step_is_the_sum_of_its_terms(void **state)
{
  (void)state;
  uint64_t seen[STEP_ITEMS] = {0};
  uint64_t frameworks[DTC_FRAMEWORK_SCALING + 1] = {0};
  seed = 20261130;
  for (int i = 0; i < JOBS; i++) {
    dtc_step s;
    step_job j = step_random(&s);
    check_whole(&j, &s);
    check_sums(&j, &s);
    frameworks[j.p.framework]++;
    for (dtc_step_item k = 1; k < STEP_ITEMS; k++)
      seen[k] += step_item(&s, k) > 0;
  }
  for (dtc_step_item k = 1; k < STEP_ITEMS; k++) /* what is seldom drawn is tested by name below */
    if (seen[k] == 0 && k != DTC_STEP_ITEM_OFFLOAD)
      fail_msg("no job with item %u", k);
  for (dtc_framework f = DTC_FRAMEWORK_PYTORCH; f <= DTC_FRAMEWORK_SCALING; f++)
    assert_true(frameworks[f] > 0);
}

/* Settings that a draw seldom meets. */
static void named_steps_are_the_sums_of_their_terms(void **state)
{
  (void)state;
  static const struct {
    const char *cluster;
    const char *text;
    dtc_step_item item; /* that it has */
  } rows[] = {
      {"dgx-h100", "dtcore: model=gpt3-175b megatron tp=8 cp=2 pp=8 dp=2 mbs=1 gbs=64 seq=2048 sp", DTC_STEP_ITEM_CP},
      {"dgx-h100", "dtcore: model=mixtral-8x7b megatron tp=2 ep=8 dp=16 mbs=1 gbs=256 seq=4096 sp", DTC_STEP_ITEM_EP},
      {"dgx-h100", "dtcore: model=deepseek-v3 megatron pp=16 ep=64 dp=64 first=4 last=1 accum=64 seq=4096",
       DTC_STEP_ITEM_BUBBLE},
      {"dgx-h100", "dtcore: model=llama-3-8b deepspeed sharding=zero3 dp=16 mbs=1 gbs=16 seq=4096",
       DTC_STEP_ITEM_WEIGHTS},
      {"dgx-h100", "dtcore: model=llama-3-8b torchtitan sharding=hsdp dp=32 dp_shard=8 mbs=1 seq=8192",
       DTC_STEP_ITEM_GRADIENTS},
      {"dgx-a100", "dtcore: model=gpt2-xl pytorch sharding=ddp dp=8 mbs=1 gbs=64 seq=1024 attention=eager dropout",
       DTC_STEP_ITEM_ATTENTION},
      {"dgx-b200", "dtcore: model=llama-3-70b megatron tp=4 pp=4 dp=4 gbs=128 seq=8192 sp precision=fp4 recompute=full",
       DTC_STEP_ITEM_RECOMPUTE},
      {"dgx-h100", "dtcore: model=deepseek-v2-lite megatron pp=3 ep=8 dp=8 accum=12 seq=4096 precision=fp8",
       DTC_STEP_ITEM_EXPERTS},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    step_job j = step_job_of(rows[i].cluster, rows[i].text);
    dtc_step s = step_of(&j);
    check_whole(&j, &s);
    check_sums(&j, &s);
    if (!(step_item(&s, rows[i].item) > 0))
      fail_msg("%s: item %u", rows[i].text, rows[i].item);
  }
}

/* Every kind of layer, every product, fp8, everything recomputed: no job has more terms than the header says. */
static void terms_have_room(void **state)
{
  (void)state;
  uint64_t most = 0;
  seed = 7;
  for (int i = 0; i < 300; i++) {
    dtc_step s;
    dtc_step_term terms[STEP_TERMS];
    step_job j = step_random(&s);
    uint64_t n = step_terms(&j, NULL, terms);
    most = n > most ? n : most;
  }
  assert_in_range(most, 50, STEP_TERMS);
}

static void space(void **state)
{
  (void)state;
  step_job j = step_job_of("dgx-h100", "dtcore: model=llama-3-8b megatron tp=2 dp=4 mbs=1 gbs=16 seq=4096 sp");
  dtc_step_term all[STEP_TERMS];
  dtc_step_term few[4];
  dtc_error e;
  DTC_INIT(&e);
  size_t n = step_terms(&j, NULL, all);
  for (size_t cap = 0; cap <= 4; cap++) {
    size_t count = 99;
    assert_int_equal(dtc_step_terms(&j.m, &j.c, &j.p, NULL, 0, NULL, few, cap, &count, &e), DTC_E_SPACE);
    assert_true(count == n && e.min == n);
  }
}

/* ---- softwares ------------------------------------------------------------------------------- */

static void softwares_are_named_once(void **state)
{
  (void)state;
  size_t n = dtc_software_count();
  assert_in_range(n, 10, 64);
  for (size_t i = 0; i < n; i++) {
    uint64_t found = 99;
    assert_int_equal(dtc_software_find(dtc_software_name(i), &found, NULL), DTC_OK);
    assert_int_equal(found, i); /* the first of that name */
    assert_in_range(strlen(dtc_software_source(i)), 10, 199);
  }
  assert_null(dtc_software_name(n));
  assert_null(dtc_software_source(n));
  assert_null(dtc_software_name(SIZE_MAX));
}

static void softwares_by_other_spellings(void **state)
{
  (void)state;
  uint64_t found = 99;
  uint64_t index = 99;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_software_find("megatron-plain", &index, NULL), DTC_OK);
  assert_int_equal(dtc_software_find("MegatronPlain", &found, NULL), DTC_OK);
  assert_true(found == index);
  assert_int_equal(dtc_software_find("Megatron_PLAIN", &found, NULL), DTC_OK);
  assert_true(found == index);
  found = 99;
  assert_int_equal(dtc_software_find("megatron-plane", &found, &e), DTC_E_UNKNOWN);
  assert_true(found == 99 && e.rule == DTC_RULE_SOFTWARE_NAME && e.lower == index);
  assert_int_equal(dtc_software_find(NULL, &found, &e), DTC_E_UNKNOWN);
  assert_true(found == 99 && e.lower == DTC_NONE);
  assert_int_equal(dtc_software_find("", &found, &e), DTC_E_UNKNOWN);
}

static void check_share(double x)
{
  assert_true(x >= 0 && x <= 1);
}

static void rows_are_sane(void **state)
{
  (void)state;
  uint32_t frameworks = 0;
  for (uint32_t i = 0; i < dtci_softwares_count; i++) {
    const dtci_software_row *s = &dtci_softwares[i];
    for (uint32_t k = 0; k < DTCI_DOUBTS; k++)
      assert_true(s->doubt[k].low > 0 && s->doubt[k].low < 1000 && s->doubt[k].high > 0 && s->doubt[k].high < 3000);
    assert_true(s->host >= 0 && s->host < 10 && s->gap >= 0 && s->gap < .01 && s->step >= 0 && s->step < 1);
    assert_true(s->communication >= 1 && s->communication < 10 && s->unit_rate > 0 && s->unit_rate <= 1);
    check_share(s->tp_hidden);
    assert_true(s->grouped > .1 && s->grouped <= 1);
    assert_true(s->measured >> (dtci_step_gpus_count - 1) == 0); /* never of GPUs that nobody measured */
    frameworks |= s->frameworks;
  }
  for (dtc_framework f = DTC_FRAMEWORK_PYTORCH; f <= DTC_FRAMEWORK_SCALING; f++)
    assert_true(frameworks >> f & 1);
}

static void gpus_are_sane(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < dtci_step_gpus_count; i++) {
    const dtci_step_gpu_row *g = &dtci_step_gpus[i];
    for (uint32_t in = 0; in < DTCI_RATES; in++)
      assert_true(g->per_joule[in] >= 0 && g->per_joule[in] < 1e13);
    assert_true(g->sms > 50 && g->sms < 1000 && g->power > 100 && g->power < 3000);
    for (uint32_t v = 1; v < DTCI_FLASH_VERSIONS; v++) {
      assert_true(g->flash[v].forward > .05 && g->flash[v].forward < .9);
      assert_true(g->flash[v].backward > .05 && g->flash[v].backward < .9);
      assert_true(g->flash[v].narrow > .3 && g->flash[v].narrow <= 1);
      if (v > 1)
        assert_true(g->flash[v].forward >= g->flash[v - 1].forward && g->flash[v].backward >= g->flash[v - 1].backward);
    }
    if (i != 0 && dtci_step_gpus[i - 1].vendor == g->vendor)
      assert_true(dtci_step_gpus[i - 1].compute > g->compute);
  }
}

static void shared_constants_are_sane(void **state)
{
  (void)state;
  const dtci_step_constants *k = &dtci_step_shared;
  check_share(k->most);
  check_share(k->tile_loss);
  check_share(k->unaligned);
  check_share(k->hbm);
  check_share(k->graphed);
  check_share(k->pp_exposed);
  check_share(k->cp_hides);
  check_share(k->exchange_rate);
  check_share(k->unit_slow);
  check_share(k->flex);
  check_share(k->stragglers);
  check_share(k->host_rate);
  check_share(k->copy_rate);
  for (uint32_t way = 0; way < DTCI_WAYS; way++)
    assert_true(k->host[way] > 0 && k->host[way] < .01 && k->gap[way] > 0 && k->gap[way] < .01);
  for (uint32_t i = 0; i < 5; i++)
    assert_true(k->recipe[i] > 0 && k->recipe[i] < 100);
  assert_true(k->moe_host > 0 && k->moe_host < .1 && k->exchange_floor > 0 && k->exchange_floor < 1e-3);
  assert_true(k->permute > 0 && k->permute < 100 && k->logit > 0 && k->logit < 100 && k->embedding > 0);
  assert_true(k->whole > 0 && k->whole < 100 && k->host_step > 0 && k->host_step < 100);
}

static void check_step_texts(uint32_t index)
{
  check_texts(dtc_step_term_text(index, DTC_LANG_EN), dtc_step_term_text(index, DTC_LANG_ZH),
              dtc_step_term_text(index, 77));
}

static void operators_have_texts(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < dtci_product_rows_count; i++) {
    uint32_t op = dtci_product_rows[i].op;
    uint32_t passes = op == DTC_OPERATOR_ATTENTION ? 2 : DTCI_PASSES;
    for (uint32_t pass = 0; pass < passes; pass++)
      check_step_texts(op * DTCI_PASSES + pass);
  }
  for (uint32_t i = DTCI_STEP_TEXT_NORM; i < DTCI_STEP_TEXTS; i++)
    check_step_texts(i);
  for (dtc_lang lang = DTC_LANG_EN; lang <= DTC_LANG_ZH; lang++) {
    assert_null(dtc_step_term_text(0, lang));
    assert_null(dtc_step_term_text(DTCI_STEP_TEXTS, lang));
    assert_null(dtc_step_term_text(UINT32_MAX, lang));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_step_is_the_sum_of_its_terms),
      cmocka_unit_test(named_steps_are_the_sums_of_their_terms),
      cmocka_unit_test(terms_have_room),
      cmocka_unit_test(space),
      cmocka_unit_test(softwares_are_named_once),
      cmocka_unit_test(softwares_by_other_spellings),
      cmocka_unit_test(rows_are_sane),
      cmocka_unit_test(gpus_are_sane),
      cmocka_unit_test(shared_constants_are_sane),
      cmocka_unit_test(operators_have_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
