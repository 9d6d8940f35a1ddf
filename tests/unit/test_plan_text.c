/* The one-line text form of a plan: reading, writing, and both together. */
#include "check.h"

#include <dtcore/plan.h>
#include "internal/internal.h"

enum { TEXT_MAX = 2048, LARGE = 1 << 20 };

#define P(x) DTC_FIELD(plan, x)

static dtc_plan parsed(const char *text)
{
  dtc_plan p = check_plan();
  if (dtc_plan_parse(text, strlen(text), NULL, &p, NULL) != DTC_OK)
    fail_msg("not read: %s", text);
  return p;
}

/* The text is refused, and neither output is touched. */
static dtc_error refused(const char *text, size_t len, dtc_status status)
{
  dtc_plan p;
  dtc_model m;
  dtc_error err;
  DTC_INIT(&err);
  memset(&p, 0x5a, sizeof p);
  memset(&m, 0x5a, sizeof m);
  p.struct_size = sizeof p;
  m.struct_size = sizeof m;
  dtc_plan p_before = p;
  dtc_model m_before = m;
  dtc_status s = dtc_plan_parse(text, len, &m, &p, &err);
  if (s != status)
    fail_msg("status %d, not %d: %.60s", s, status, text);
  assert_int_equal(err.status, status);
  assert_memory_equal(&p, &p_before, sizeof p);
  assert_memory_equal(&m, &m_before, sizeof m);
  return err;
}

static void check_refused(const char *text, dtc_status status, dtc_rule rule, uint32_t field, uint64_t offset)
{
  dtc_error err = refused(text, strlen(text), status);
  if (err.rule != rule || err.field != field || err.offset != offset)
    fail_msg("rule %u, field %x, offset %lu: %s", err.rule, err.field, (unsigned long)err.offset, text);
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static void every_word_sets_its_field(void **state)
{
  (void)state;
  dtc_plan p = parsed("dtcore: megatron@0.19.8 tp=8 cp=2 pp=4 vpp=5 dp=16 dp_shard=32 ep=3 etp=7 sharding=distopt sp "
                      "schedule=interleaved mbs=2 gbs=1024 accum=9 seq=4097 recompute=selective attention=eager "
                      "precision=fp16 grad=16bit optimizer=muon nodropout vocab_multiple=64 first=10 last=11 "
                      "account_embedding noaccount_loss group=6 nop2p_overlap moe_overlap flash_version=3 tp_overlap "
                      "nograd_overlap param_overlap cuda_graph=full fp8_recipe=mx packed=400");
  dtc_plan expected = {
      .struct_size = sizeof expected,
      .framework = DTC_FRAMEWORK_MEGATRON,
      .framework_version = 19008,
      .sharding = DTC_SHARDING_DISTOPT,
      .tp = 8,
      .cp = 2,
      .pp = 4,
      .vpp = 5,
      .dp = 16,
      .dp_shard = 32,
      .ep = 3,
      .etp = 7,
      .sequence_parallel = DTC_BOOL_ON,
      .schedule = DTC_SCHEDULE_INTERLEAVED,
      .micro_batch = 2,
      .global_batch = 1024,
      .accumulation = 9,
      .seq = 4097,
      .recompute = DTC_RECOMPUTE_SELECTIVE,
      .attention = DTC_ATTENTION_EAGER,
      .precision = DTC_PRECISION_FP16,
      .grad_dtype = DTC_GRAD_DTYPE_16BIT,
      .optimizer = DTC_OPTIMIZER_MUON,
      .dropout = DTC_BOOL_OFF,
      .vocab_multiple = 64,
      .account_embedding = DTC_BOOL_ON,
      .account_loss = DTC_BOOL_OFF,
      .p2p_overlap = DTC_BOOL_OFF,
      .moe_overlap = DTC_BOOL_ON,
      .first_layers = 10,
      .last_layers = 11,
      .group = 6,
      .flash_version = 3,
      .tp_overlap = DTC_BOOL_ON,
      .grad_overlap = DTC_BOOL_OFF,
      .param_overlap = DTC_BOOL_ON,
      .cuda_graph = DTC_CUDA_GRAPH_FULL,
      .fp8_recipe = DTC_FP8_RECIPE_MX,
      .packed = 400,
  };
  assert_memory_equal(&p, &expected, sizeof p);
}

static void words_that_are_not_given_stay_default(void **state)
{
  (void)state;
  dtc_plan none = check_plan();
  static const char *const texts[] = {"",        " ",  "dtcore:", "dtcore: \t ", "dtcore:;tp=8", "dtcore:\ntp=8",
                                      "\n tp=8", "; x"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    dtc_plan p = parsed(texts[i]);
    assert_memory_equal(&p, &none, sizeof p);
  }
  dtc_plan p = check_plan();
  assert_int_equal(dtc_plan_parse(NULL, 0, NULL, &p, NULL), DTC_OK);
  assert_memory_equal(&p, &none, sizeof p);
}

static void the_plan_stands_beside_other_text(void **state)
{
  (void)state;
  dtc_plan expected = check_plan();
  expected.tp = 8;
  expected.sequence_parallel = DTC_BOOL_ON;
  static const char *const texts[] = {
      "dtcore: tp=8 sp",
      "dtcore:tp=8 sp",
      "tp=8 sp",
      "\t tp=8\tsp ",
      "job x; dtcore: tp=8 sp ; more, tp=9",
      "job=3 owner=me dtcore: tp=8 sp",
      "dtcore: tp=8 sp; dtcore: tp=4",
      "first line\ndtcore: tp=8 sp\nnext line",
      "dtcore: tp=8 sp\r\nnext line",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    dtc_plan p = parsed(texts[i]);
    assert_memory_equal(&p, &expected, sizeof p);
  }
}

static void versions_of_a_framework(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    uint32_t version;
  } rows[] = {
      {"megatron", 0},
      {"megatron@0.19", 19000},
      {"megatron@0.19.8", 19008},
      {"megatron@2", 2000000},
      {"megatron@2.15", 2015000},
      {"megatron@999.999.999", 999999999},
      {"megatron@main", DTC_MAIN},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = parsed(rows[i].text);
    assert_int_equal(p.framework, DTC_FRAMEWORK_MEGATRON);
    assert_int_equal(p.framework_version, rows[i].version);
  }
  static const char *const wrong[] = {"megatron@",     "megatron@x",       "megatron@1.",     "megatron@.1",
                                      "megatron@1..2", "megatron@1.2.3.4", "megatron@1.1000", "megatron@v1",
                                      "megatron@Main", "megatron@-1"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    check_refused(wrong[i], DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(framework_version), 9);
}

static void every_framework_is_a_word(void **state)
{
  (void)state;
  static const char *const names[] = {"pytorch", "deepspeed", "megatron", "colossalai", "torchtitan"};
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(parsed(names[i]).framework, i + 1);
  check_refused("default", DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), 0);
}

static void switches_are_words_with_and_without_no(void **state)
{
  (void)state;
  assert_int_equal(parsed("sp").sequence_parallel, DTC_BOOL_ON);
  assert_int_equal(parsed("nosp").sequence_parallel, DTC_BOOL_OFF);
  assert_int_equal(parsed("dropout").dropout, DTC_BOOL_ON);
  assert_int_equal(parsed("nodropout").dropout, DTC_BOOL_OFF);
  static const char *const wrong[] = {"sp=1", "sp=", "nosp=1", "nonosp", "notp", "no", "tp", "SP", "s", "spx"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    check_refused(wrong[i], DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), 0);
}

static void a_model_is_read_from_the_catalogue(void **state)
{
  (void)state;
  static const char text[] = "dtcore: model=llama-3-70b tp=8";
  dtc_model m;
  dtc_model expected;
  dtc_plan p = check_plan();
  DTC_INIT(&m);
  DTC_INIT(&expected);
  assert_int_equal(dtc_model_find("llama-3-70b", &expected, NULL), DTC_OK);
  assert_int_equal(dtc_plan_parse(text, strlen(text), &m, &p, NULL), DTC_OK);
  assert_memory_equal(&m, &expected, sizeof m);
  assert_int_equal(p.tp, 8);

  memset(&m, 0x5a, sizeof m); /* no model in the text: untouched, whatever it holds */
  m.struct_size = sizeof m;
  expected = m;
  assert_int_equal(dtc_plan_parse("tp=8", 4, &m, &p, NULL), DTC_OK);
  assert_memory_equal(&m, &expected, sizeof m);
  m.struct_size = 8; /* wrong, though it would not be written */
  assert_int_equal(dtc_plan_parse("tp=8", 4, &m, &p, NULL), DTC_E_SIZE);
}

static void an_unknown_model_is_refused_with_the_nearest(void **state)
{
  (void)state;
  static const char text[] = "dtcore: tp=8 model=llama-3-71b";
  dtc_error err = refused(text, strlen(text), DTC_E_UNKNOWN);
  assert_int_equal(err.rule, DTC_RULE_MODEL_NAME);
  assert_int_equal(err.offset, 19);
  assert_string_equal(dtc_model_name((size_t)err.lower), "llama-3-70b");
  check_refused("model=", DTC_E_UNKNOWN, DTC_RULE_MODEL_NAME, DTCI_ARG(NAME), 6);
  char name[200] = "model=";
  memset(name + 6, 'a', 190);
  name[196] = 0;
  check_refused(name, DTC_E_UNKNOWN, DTC_RULE_MODEL_NAME, DTCI_ARG(NAME), 6);
}

/* A name that only its first 63 bytes have in common with one of the catalogue is not that one. */
static void a_long_name_is_not_cut_to_a_known_one(void **state)
{
  (void)state;
  char name[128] = "model=llama-3-70b";
  size_t n = strlen(name);
  memset(name + n, '-', 69 - n);
  strcpy(name + 69, "instruct");
  check_refused(name, DTC_E_UNKNOWN, DTC_RULE_MODEL_NAME, DTCI_ARG(NAME), 6);
}

static void a_model_whose_size_is_wrong_leaves_both_untouched(void **state)
{
  (void)state;
  static const char text[] = "model=gpt2 tp=8";
  dtc_plan p = check_plan();
  dtc_plan before = p;
  dtc_model m;
  memset(&m, 0, sizeof m);
  assert_int_equal(dtc_plan_parse(text, strlen(text), &m, &p, NULL), DTC_E_SIZE);
  assert_memory_equal(&p, &before, sizeof p);
  DTC_INIT(&m);
  dtc_model m_before = m;
  p.struct_size = 3;
  assert_int_equal(dtc_plan_parse(text, strlen(text), &m, &p, NULL), DTC_E_SIZE);
  assert_memory_equal(&m, &m_before, sizeof m);
  assert_int_equal(dtc_plan_parse(text, strlen(text), &m, NULL, NULL), DTC_E_SIZE);
  assert_memory_equal(&m, &m_before, sizeof m);
}

static void unknown_words_are_shown_where_they_are(void **state)
{
  (void)state;
  check_refused("tp=8 foo", DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), 5);
  check_refused("job; dtcore: tp=8  foo=3", DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), 19);
  check_refused("=8", DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), 0);
  check_refused("TP=8", DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), 0);
  check_refused("tp =8", DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), 0);
  check_refused("megatron@0.19=3", DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), 0);
  check_refused("tp=8, pp=4", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(tp), 3);
}

static void values_are_checked(void **state)
{
  (void)state;
  check_refused("pp=4 tp=", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(tp), 8);
  check_refused("tp=x", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(tp), 3);
  check_refused("tp=8x", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(tp), 3);
  check_refused("tp=-8", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(tp), 3);
  check_refused("tp=+8", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(tp), 3);
  check_refused("tp=8=8", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(tp), 3);
  check_refused("tp=18446744073709551616", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(tp), 3);
  check_refused("sharding=zero4", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(sharding), 9);
  check_refused("grad=", DTC_E_PARSE, DTC_RULE_PLAN_VALUE, P(grad_dtype), 5);
  check_refused("tp=0", DTC_E_RANGE, DTC_RULE_RANGE, P(tp), 3);
  check_refused("tp=1048577", DTC_E_RANGE, DTC_RULE_RANGE, P(tp), 3);
  check_refused("gbs=1099511627777", DTC_E_RANGE, DTC_RULE_RANGE, P(global_batch), 4);
  dtc_error err = refused("pp=2 tp=18446744073709551615", 28, DTC_E_RANGE);
  assert_true(err.got == UINT64_MAX && err.min == 1 && err.max == 1 << 20 && err.offset == 8);
  assert_int_equal(parsed("tp=1048576").tp, 1 << 20);
  assert_int_equal(parsed("tp=00000000000000000000000000008").tp, 8);
}

static void a_word_stands_once(void **state)
{
  (void)state;
  check_refused("tp=8 pp=2 tp=8", DTC_E_CONFLICT, DTC_RULE_PLAN_TWICE, P(tp), 10);
  check_refused("sp nosp", DTC_E_CONFLICT, DTC_RULE_PLAN_TWICE, P(sequence_parallel), 3);
  check_refused("megatron deepspeed", DTC_E_CONFLICT, DTC_RULE_PLAN_TWICE, P(framework), 9);
  check_refused("vocab_multiple=1 vocab_multiple=2", DTC_E_CONFLICT, DTC_RULE_PLAN_TWICE, P(vocab_multiple), 17);
  check_refused("model=gpt2 model=gpt2", DTC_E_CONFLICT, DTC_RULE_PLAN_TWICE, DTCI_ARG(NAME), 11);
}

static void a_nul_ends_the_plan(void **state)
{
  (void)state;
  static const char text[] = "dtcore: tp=8\0pp=4 nonsense";
  static const char before[] = "x\0y dtcore: tp=8";
  dtc_plan p = check_plan();
  assert_int_equal(dtc_plan_parse(text, sizeof text - 1, NULL, &p, NULL), DTC_OK);
  assert_true(p.tp == 8 && p.pp == 0);
  p = check_plan();
  assert_int_equal(dtc_plan_parse(before, sizeof before - 1, NULL, &p, NULL), DTC_OK);
  assert_int_equal(p.tp, 8);
}

/* Every part of a text is read within its length: the rest of the buffer is not the text's. */
static void len_ends_the_text(void **state)
{
  (void)state;
  static const char text[] = "dtcore: tp=81 pp=4";
  dtc_plan p = check_plan();
  assert_int_equal(dtc_plan_parse(text, 12, NULL, &p, NULL), DTC_OK);
  assert_true(p.tp == 8 && p.pp == 0);
  refused(text, 11, DTC_E_PARSE);
  refused(text, 10, DTC_E_UNKNOWN);
  refused(text, 6, DTC_E_UNKNOWN); /* "dtcore" is no word */
  for (size_t len = 0; len < sizeof text; len++) {
    p = check_plan();
    assert_true(dtc_plan_parse(text, len, NULL, &p, NULL) >= DTC_OK);
  }
}

static char large[LARGE];

static void a_megabyte_is_read(void **state)
{
  (void)state;
  dtc_plan p = check_plan();
  memset(large, ' ', sizeof large);
  memcpy(large + LARGE - 12, "dtcore: tp=8", 12);
  assert_int_equal(dtc_plan_parse(large, sizeof large, NULL, &p, NULL), DTC_OK);
  assert_int_equal(p.tp, 8);

  memset(large, '0', sizeof large); /* one long number */
  memcpy(large, "tp=", 3);
  large[LARGE - 1] = '8';
  assert_int_equal(dtc_plan_parse(large, sizeof large, NULL, &p, NULL), DTC_OK);
  assert_int_equal(p.tp, 8);

  memset(large, 'd', sizeof large); /* one long word */
  dtc_error err = refused(large, sizeof large, DTC_E_UNKNOWN);
  assert_int_equal(err.offset, 0);
  memcpy(large, "model=", 6);
  err = refused(large, sizeof large, DTC_E_UNKNOWN);
  assert_int_equal(err.rule, DTC_RULE_MODEL_NAME);
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

static dtc_plan sample(void)
{
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.framework_version = 19000;
  p.tp = 8;
  p.pp = 4;
  p.vpp = 2;
  p.dp = 16;
  p.sequence_parallel = DTC_BOOL_ON;
  p.dropout = DTC_BOOL_OFF;
  p.micro_batch = 1;
  p.global_batch = 1024;
  p.seq = 4096;
  p.recompute = DTC_RECOMPUTE_SELECTIVE;
  return p;
}

static const char sample_text[] = "dtcore: model=llama-3-70b megatron@0.19 tp=8 pp=4 vpp=2 dp=16 sp mbs=1 gbs=1024 "
                                  "seq=4096 recompute=selective nodropout";

static void a_plan_is_written_as_documented(void **state)
{
  (void)state;
  char text[TEXT_MAX];
  size_t len = 0;
  dtc_plan p = sample();
  assert_int_equal(dtc_plan_format("llama-3-70b", &p, text, sizeof text, &len, NULL), DTC_OK);
  assert_string_equal(text, sample_text);
  assert_int_equal(len, strlen(text));
  p = check_plan();
  assert_int_equal(dtc_plan_format(NULL, &p, text, sizeof text, &len, NULL), DTC_OK);
  assert_string_equal(text, "dtcore:");
  p.framework = DTC_FRAMEWORK_PYTORCH;
  p.framework_version = 2015001;
  assert_int_equal(dtc_plan_format(NULL, &p, text, sizeof text, NULL, NULL), DTC_OK);
  assert_string_equal(text, "dtcore: pytorch@2.15.1");
  p.framework_version = DTC_MAIN;
  assert_int_equal(dtc_plan_format("a/B.c_d-9", &p, text, sizeof text, NULL, NULL), DTC_OK);
  assert_string_equal(text, "dtcore: model=a/B.c_d-9 pytorch@main");
}

static void a_small_buffer_cuts_the_text(void **state)
{
  (void)state;
  dtc_plan p = sample();
  const size_t whole = sizeof sample_text - 1;
  for (size_t cap = 0; cap <= whole + 2; cap++) {
    char text[TEXT_MAX];
    size_t len = 0;
    memset(text, '#', sizeof text);
    assert_int_equal(dtc_plan_format("llama-3-70b", &p, text, cap, &len, NULL), DTC_OK);
    assert_int_equal(len, whole);
    size_t kept = cap == 0 ? 0 : cap - 1 < whole ? cap - 1 : whole;
    assert_memory_equal(text, sample_text, kept);
    if (cap != 0)
      assert_int_equal(text[kept], 0);
    assert_int_equal(text[cap], '#');
  }
  size_t len = 0;
  assert_int_equal(dtc_plan_format("llama-3-70b", &p, NULL, 0, &len, NULL), DTC_OK);
  assert_int_equal(len, whole);
  assert_int_equal(dtc_plan_format("llama-3-70b", &p, NULL, 10, NULL, NULL), DTC_OK);
}

static void names_that_would_not_be_read_back_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    uint64_t offset;
  } rows[] = {{"llama 3", 5}, {" x", 0},          {"a;b", 1},   {"a=b", 1},
              {"a\nb", 1},    {"70b\xc3\xa9", 3}, {"\"x\"", 0}, {"", 0}};
  dtc_plan p = sample();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[TEXT_MAX] = "untouched";
    size_t len = 77;
    dtc_error err;
    DTC_INIT(&err);
    if (dtc_plan_format(rows[i].name, &p, text, sizeof text, &len, &err) != DTC_E_PARSE)
      fail_msg("\"%s\" is written", rows[i].name);
    assert_int_equal(err.rule, DTC_RULE_PLAN_VALUE);
    assert_int_equal(err.field, DTCI_ARG(NAME));
    assert_int_equal(err.offset, rows[i].offset);
    assert_string_equal(text, "untouched");
    assert_int_equal(len, 77);
  }
}

static void a_plan_out_of_range_is_not_written(void **state)
{
  (void)state;
  char text[TEXT_MAX] = "untouched";
  size_t len = 77;
  dtc_plan p = sample();
  p.precision = 9;
  assert_int_equal(dtc_plan_format(NULL, &p, text, sizeof text, &len, NULL), DTC_E_RANGE);
  p = sample();
  p.struct_size = 0;
  assert_int_equal(dtc_plan_format(NULL, &p, text, sizeof text, &len, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_plan_format(NULL, NULL, text, sizeof text, &len, NULL), DTC_E_SIZE);
  assert_string_equal(text, "untouched");
  assert_int_equal(len, 77);
}

/* ---- both ---------------------------------------------------------------------------------------------------------- */

static uint64_t seed = 1;

static uint64_t roll(uint64_t n)
{
  return check_random(&seed, n);
}

static void check_round_trip(const dtc_plan *p)
{
  char text[TEXT_MAX];
  size_t len = 0;
  dtc_plan back = check_plan();
  assert_int_equal(dtc_plan_format(NULL, p, text, sizeof text, &len, NULL), DTC_OK);
  assert_true(len < sizeof text);
  if (dtc_plan_parse(text, len, NULL, &back, NULL) != DTC_OK || memcmp(p, &back, sizeof back) != 0)
    fail_msg("not read back: %s", text);
}

static void random_plans_come_back(void **state)
{
  (void)state;
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_plan);
  for (int i = 0; i < 3000; i++) {
    dtc_plan p = check_plan();
    for (uint32_t k = 0; k < s->count; k++) {
      const dtci_field *f = &dtci_fields[s->first + k];
      if (f->offset == offsetof(dtc_plan, struct_size) || f->offset == offsetof(dtc_plan, framework_version))
        continue;
      if (roll(2))
        dtci_write(&p, f, f->max - roll(roll(2) ? f->max + 1 : 1));
    }
    if (p.framework != DTC_FRAMEWORK_DEFAULT)
      p.framework_version = (uint32_t)roll(1000000000);
    check_round_trip(&p);
  }
}

static void a_resolved_plan_comes_back(void **state)
{
  (void)state;
  dtc_model m;
  dtc_plan p = sample();
  DTC_INIT(&m);
  assert_int_equal(dtc_model_find("llama-3-70b", &m, NULL), DTC_OK);
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &p, NULL), DTC_OK);
  check_round_trip(&p);
}

/* Every version that the field can hold, major numbers beyond 999 too; a version needs its framework. */
static void every_version_comes_back_or_is_refused(void **state)
{
  (void)state;
  static const uint32_t versions[] = {1, 999, 1000, 1000000, 999999999, 1000000000, 4294967294u, DTC_MAIN};
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
    for (uint32_t framework = 0; framework < 2; framework++) {
      char text[TEXT_MAX];
      dtc_plan p = check_plan();
      p.framework = framework;
      p.framework_version = versions[i];
      if (dtc_plan_format(NULL, &p, text, sizeof text, NULL, NULL) == DTC_OK)
        check_round_trip(&p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_word_sets_its_field),
      cmocka_unit_test(words_that_are_not_given_stay_default),
      cmocka_unit_test(the_plan_stands_beside_other_text),
      cmocka_unit_test(versions_of_a_framework),
      cmocka_unit_test(every_framework_is_a_word),
      cmocka_unit_test(switches_are_words_with_and_without_no),
      cmocka_unit_test(a_model_is_read_from_the_catalogue),
      cmocka_unit_test(an_unknown_model_is_refused_with_the_nearest),
      cmocka_unit_test(a_long_name_is_not_cut_to_a_known_one),
      cmocka_unit_test(a_model_whose_size_is_wrong_leaves_both_untouched),
      cmocka_unit_test(unknown_words_are_shown_where_they_are),
      cmocka_unit_test(values_are_checked),
      cmocka_unit_test(a_word_stands_once),
      cmocka_unit_test(a_nul_ends_the_plan),
      cmocka_unit_test(len_ends_the_text),
      cmocka_unit_test(a_megabyte_is_read),
      cmocka_unit_test(a_plan_is_written_as_documented),
      cmocka_unit_test(a_small_buffer_cuts_the_text),
      cmocka_unit_test(names_that_would_not_be_read_back_are_refused),
      cmocka_unit_test(a_plan_out_of_range_is_not_written),
      cmocka_unit_test(random_plans_come_back),
      cmocka_unit_test(a_resolved_plan_comes_back),
      cmocka_unit_test(every_version_comes_back_or_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
