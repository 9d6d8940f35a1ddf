/* The catalogue of models: every row is whole, counts what was published, and is found by the names people write. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <dtcore/model.h>

static dtc_model find(const char *name)
{
  dtc_model model;
  dtc_error err;
  DTC_INIT(&model);
  DTC_INIT(&err);
  if (dtc_model_find(name, &model, &err) != DTC_OK)
    fail_msg("%s is not found", name);
  return model;
}

static dtc_params count(const char *name)
{
  dtc_model model = find(name);
  dtc_params params;
  DTC_INIT(&params);
  if (dtc_model_params(&model, &params, NULL) != DTC_OK)
    fail_msg("%s is not counted", name);
  return params;
}

static void check_total(const char *name, uint64_t total)
{
  dtc_params params = count(name);
  if (params.total != total)
    fail_msg("%s has %llu parameters, published %llu", name, (unsigned long long)params.total,
             (unsigned long long)total);
}

static void every_row_resolves_and_counts(void **state)
{
  (void)state;
  assert_true(dtc_model_count() > 100);
  for (size_t i = 0; i < dtc_model_count(); i++) {
    const char *name = dtc_model_name(i);
    assert_non_null(name);
    assert_non_null(dtc_model_source(i));
    assert_true(strlen(dtc_model_source(i)) > 0);

    dtc_model model = find(name);
    dtc_model again;
    DTC_INIT(&again);
    assert_int_equal(dtc_model_resolve(&model, &again, NULL), DTC_OK);
    assert_memory_equal(&model, &again, sizeof model);

    dtc_params p = count(name);
    assert_true(p.active > 0 && p.active <= p.total);
    assert_true((p.active < p.total) == (model.experts > 0));
    assert_true(p.dense_count + p.moe_count == model.layers);
    assert_true(p.embedding + p.head + p.final_norm + p.dense_count * p.dense_layer + p.moe_count * p.moe_layer ==
                p.total);
  }
}

static void no_row_behind_the_last(void **state)
{
  (void)state;
  assert_null(dtc_model_name(dtc_model_count()));
  assert_null(dtc_model_name(SIZE_MAX));
  assert_null(dtc_model_source(dtc_model_count()));
  assert_null(dtc_model_source(SIZE_MAX));
}

static int digit(char c)
{
  return c >= '0' && c <= '9';
}

/* A name as it is compared: case and '-', '_', '.' do not matter, but one of them between two digits keeps the numbers
 * apart, or opt-1.3b would be opt-13b. */
static void fold(const char *name, char out[64])
{
  size_t n = 0;
  assert_true(strlen(name) < 64);
  for (size_t i = 0; name[i] != 0; i++) {
    char c = name[i];
    if (strchr("-_.", c) == NULL)
      out[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    else if (i > 0 && digit(name[i - 1]) && digit(name[i + 1]))
      out[n++] = '.';
  }
  out[n] = 0;
}

static void names_are_unique(void **state)
{
  (void)state;
  for (size_t i = 0; i < dtc_model_count(); i++) {
    char a[64];
    fold(dtc_model_name(i), a);
    for (size_t j = 0; j < i; j++) {
      char b[64];
      fold(dtc_model_name(j), b);
      assert_string_not_equal(a, b);
    }
  }
}

/* Exact totals published by model cards, weight indexes and safetensors metadata. */
static const struct {
  char name[24];
  uint64_t total;
} published[] = {
    {"gpt2", 124439808},
    {"gpt2-xl", 1557611200},
    {"bloom-560m", 559214592},
    {"bloom-1b1", 1065314304},
    {"bloom-1b7", 1722408960},
    {"bloom-3b", 3002557440},
    {"bloom-7b1", 7069016064},
    {"bloom", 176247271424},
    {"gpt-neox-20b", 20554567680},
    {"pythia-70m", 70426624},
    {"pythia-160m", 162322944},
    {"pythia-410m", 405334016},
    {"pythia-1b", 1011781632},
    {"pythia-1.4b", 1414647808},
    {"pythia-2.8b", 2775208960},
    {"pythia-6.9b", 6857302016},
    {"pythia-12b", 11846072320},
    {"phi-2", 2779683840},
    {"phi-3-mini-4k", 3821079552},
    {"phi-4", 14659507200},
    {"llama-7b", 6738415616},
    {"llama-13b", 13015864320},
    {"llama-65b", 65285660672},
    {"llama-2-7b", 6738415616},
    {"llama-2-13b", 13015864320},
    {"llama-2-70b", 68976648192},
    {"llama-3-8b", 8030261248},
    {"llama-3.1-70b", 70553706496},
    {"llama-3.1-405b", 405853388800},
    {"llama-3.2-3b", 3212749824},
    {"mistral-7b-v0.1", 7241732096},
    {"mixtral-8x7b", 46702792704},
    {"mixtral-8x22b", 140620634112},
    {"qwen2.5-3b", 3085938688},
    {"qwen2.5-7b", 7615616512},
    {"qwen2.5-32b", 32763876352},
    {"qwen2.5-72b", 72706203648},
    {"qwen3-8b", 8190735360},
    {"qwen3-30b-a3b", 30532122624},
    {"qwen3-235b-a22b", 235093634560},
    {"deepseek-v2-lite", 15706484224},
    {"deepseek-v2", 235741434880},
    {"deepseek-v3", 671026419200},
    {"kimi-k2", 1026408232448},
    {"gemma-2-9b", 9241705984},
    {"gemma-2-27b", 27227128320},
    {"gemma-3-1b", 999885952},
    {"gemma-3-27b-text", 27009346304},
    {"gpt-oss-20b", 20914757184},
    {"gpt-oss-120b", 116829156672},
};

static void totals_are_the_published_ones(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
    check_total(published[i].name, published[i].total);
  assert_true(count("qwen3-30b-a3b").active == 3353032704);

  /* The hub stores Falcon's tied head a second time. */
  check_total("falcon-7b", 7217189760 - UINT64_C(65024) * 4544);
  check_total("falcon-180b", 179522565120 - UINT64_C(65024) * 14848);
}

/* Narayanan et al., SC21, Table 1, and GPT-3 print their sizes rounded. */
static void totals_round_to_the_papers(void **state)
{
  static const struct {
    char name[16];
    uint64_t millions;
    uint64_t off;
  } rows[] = {
      {"megatron-1.7b", 1700, 50},   {"megatron-3.6b", 3600, 50},   {"megatron-7.5b", 7500, 50},
      {"megatron-18b", 18400, 50},   {"megatron-39b", 39100, 50},   {"megatron-76b", 76100, 50},
      {"megatron-145b", 145600, 50}, {"megatron-310b", 310100, 50}, {"megatron-530b", 529600, 50},
      {"megatron-1t", 1008000, 50},  {"gpt3-125m", 125, 1},         {"gpt3-760m", 760, 1},
      {"gpt3-175b", 175000, 500},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    uint64_t total = count(rows[i].name).total;
    uint64_t want = rows[i].millions * 1000000;
    uint64_t off = total > want ? total - want : want - total;
    if (off > rows[i].off * 1000000)
      fail_msg("%s has %llu parameters", rows[i].name, (unsigned long long)total);
  }
}

/* A decimal point is not lost: these names differ in nothing else. */
static void a_point_between_digits_counts(void **state)
{
  (void)state;
  check_total("opt-1.3b", 1315758080);
  check_total("opt-13b", 12853473280);
  check_total("facebook/opt-1.3b", 1315758080);
  check_total("facebook/opt-13b", 12853473280);
  check_total("OPT_1.3B", 1315758080);
  check_total("opt13b", 12853473280);
  check_total("gpt3-1.3b", 1315723264);
  check_total("gpt3-13b", 12853386240);
  check_total("gpt-3-1.3b", 1315723264);
}

static void check_same(const char *name, const char *as)
{
  dtc_model a = find(name);
  dtc_model b = find(as);
  if (memcmp(&a, &b, sizeof a) != 0)
    fail_msg("%s is not %s", name, as);
}

static void spelling_does_not_matter(void **state)
{
  (void)state;
  check_same("LLAMA_2_70B", "llama-2-70b");
  check_same("llama2-70b", "llama-2-70b");
  check_same("llama270b", "llama-2-70b");
  check_same("Llama-3.1-405B", "llama-3.1-405b");
  check_same("qwen-2.5-7b", "qwen2.5-7b");
  check_same("gemma2-9b", "gemma-2-9b");
  check_same("gemma3-4b-text", "gemma-3-4b-text");
  check_same("GPT-2", "gpt2");
  check_same("gpt-3-175b", "gpt3-175b");
  check_same("phi1.5", "phi-1.5");
  check_same("DeepSeekV3", "deepseek-v3");
}

static void hugging_face_ids_are_found(void **state)
{
  (void)state;
  check_same("meta-llama/Llama-2-70b-hf", "llama-2-70b");
  check_same("Llama-2-70b-hf", "llama-2-70b");
  check_same("meta-llama/Meta-Llama-3-8B", "llama-3-8b");
  check_same("Meta-Llama-3-8B", "llama-3-8b");
  check_same("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b");
  check_same("openai-community/gpt2", "gpt2");
  check_same("bigscience/bloom", "bloom");
  check_same("tiiuae/falcon-180B", "falcon-180b");
  check_same("microsoft/phi-1_5", "phi-1.5");
  check_same("microsoft/Phi-3-mini-4k-instruct", "phi-3-mini-4k");
  check_same("Phi-3-mini-4k-instruct", "phi-3-mini-4k");
  check_same("mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b");
  check_same("Qwen/Qwen2.5-7B", "qwen2.5-7b");
  check_same("Qwen/Qwen2-57B-A14B", "qwen2-57b-a14b");
  check_same("deepseek-ai/DeepSeek-V3", "deepseek-v3");
  check_same("moonshotai/Kimi-K2-Instruct", "kimi-k2");
  check_same("Kimi-K2-Instruct", "kimi-k2");
  check_same("google/gemma-3-27b-pt", "gemma-3-27b-text");
  check_same("openai/gpt-oss-120b", "gpt-oss-120b");
}

static void check_nearest(const char *name, const char *nearest)
{
  dtc_model model;
  dtc_model before;
  dtc_error err;
  DTC_INIT(&model);
  model.layers = 7;
  before = model;
  DTC_INIT(&err);
  assert_int_equal(dtc_model_find(name, &model, &err), DTC_E_UNKNOWN);
  assert_memory_equal(&model, &before, sizeof model);
  assert_int_equal(err.status, DTC_E_UNKNOWN);
  assert_int_equal(err.rule, DTC_RULE_MODEL_NAME);
  assert_true(err.lower < dtc_model_count());
  assert_string_equal(dtc_model_name((size_t)err.lower), nearest);
  assert_int_equal(dtc_model_find(name, &model, NULL), DTC_E_UNKNOWN);
}

static void unknown_names_suggest_the_nearest(void **state)
{
  (void)state;
  check_nearest("lama-2-70b", "llama-2-70b");
  check_nearest("LAMA_2_70B", "llama-2-70b");
  check_nearest("mixtral-8x7", "mixtral-8x7b");
  check_nearest("gpt-osss-120b", "gpt-oss-120b");
  check_nearest("deepseek-v3x", "deepseek-v3");
  check_nearest("kimik", "kimi-k2");
  check_nearest("llama", "llama-7b");
  check_nearest("lama", "llama-7b");
}

static void names_that_are_no_names(void **state)
{
  char huge[300];
  dtc_model model;
  dtc_error err;
  (void)state;
  memset(huge, 'x', sizeof huge - 1);
  huge[sizeof huge - 1] = 0;
  const char *const names[] = {"", "/", "-", "meta-llama/", "70b", "my-own-model", huge};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    DTC_INIT(&model);
    DTC_INIT(&err);
    assert_int_equal(dtc_model_find(names[i], &model, &err), DTC_E_UNKNOWN);
    assert_true(err.lower == DTC_NONE);
  }
}

static void a_struct_that_is_too_small(void **state)
{
  dtc_model model;
  (void)state;
  DTC_INIT(&model);
  model.struct_size = 8;
  assert_int_equal(dtc_model_find("gpt2", &model, NULL), DTC_E_SIZE);
  assert_int_equal(model.layers, 0);
}

static void features_that_are_easily_missed(void **state)
{
  (void)state;
  assert_int_equal(find("llama-3.2-1b").tied, DTC_BOOL_ON);
  assert_int_equal(find("llama-3.1-8b").tied, DTC_BOOL_OFF);
  assert_int_equal(find("qwen2.5-3b").tied, DTC_BOOL_ON);
  assert_int_equal(find("qwen2.5-7b").tied, DTC_BOOL_OFF);
  assert_int_equal(find("qwen3-4b").tied, DTC_BOOL_ON);
  assert_int_equal(find("qwen3-8b").tied, DTC_BOOL_OFF);
  assert_int_equal(find("falcon-7b").norms, 1);
  assert_int_equal(find("falcon-40b").norms, 2);
  assert_int_equal(find("mistral-7b-v0.1").window, 4096);
  assert_int_equal(find("mistral-7b-v0.3").window, 0);
  assert_int_equal(find("gemma-2-9b").window_every, 2);
  assert_int_equal(find("gemma-3-1b").window, 512);
  assert_int_equal(find("gemma-3-27b-text").window, 1024);
  assert_int_equal(find("gemma-3-27b-text").window_every, 6);
  assert_int_equal(find("gpt-oss-20b").window, 128);
  assert_int_equal(find("deepseek-v2-lite").q_rank, 0);
  assert_int_equal(find("deepseek-v3").mtp_layers, 1);
  assert_int_equal(find("deepseek-v3").dense_layers, 3);
  assert_int_equal(find("kimi-k2").mtp_layers, 0);
  assert_int_equal(find("kimi-k2").dense_layers, 1);
  check_same("deepseek-r1", "deepseek-v3");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_resolves_and_counts),
      cmocka_unit_test(no_row_behind_the_last),
      cmocka_unit_test(names_are_unique),
      cmocka_unit_test(totals_are_the_published_ones),
      cmocka_unit_test(totals_round_to_the_papers),
      cmocka_unit_test(a_point_between_digits_counts),
      cmocka_unit_test(spelling_does_not_matter),
      cmocka_unit_test(hugging_face_ids_are_found),
      cmocka_unit_test(unknown_names_suggest_the_nearest),
      cmocka_unit_test(names_that_are_no_names),
      cmocka_unit_test(a_struct_that_is_too_small),
      cmocka_unit_test(features_that_are_easily_missed),
  };
  return cmocka_run_group_tests_name("model_catalog", tests, NULL, NULL);
}
