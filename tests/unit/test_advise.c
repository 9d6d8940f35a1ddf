/* Traits of frameworks, notes, reasons: facts of code that was read, and that no text is missing. */
#include "check.h"

static dtc_traits traits(dtc_framework framework, dtc_sharding sharding)
{
  dtc_error e;
  dtc_traits t;
  DTC_INIT(&e);
  DTC_INIT(&t);
  check_ok(dtc_framework_traits(framework, sharding, &t, &e), &e);
  return t;
}

/* ---- traits ---------------------------------------------------------------------------------- */

/* Sharding is the framework's own name for what is divided: DDP nothing, ZeRO-3 and FSDP all. */
static void shardings_are_known(void **state)
{
  (void)state;
  dtc_traits ddp = traits(DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_DDP);
  dtc_traits fsdp = traits(DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_HSDP);
  dtc_traits deepspeed = traits(DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_DEFAULT);
  assert_int_equal(ddp.zero3, DTC_LEVEL_NO);
  assert_int_equal(fsdp.sharding, DTC_SHARDING_FSDP);
  assert_string_equal(dtc_traits_name(fsdp.index), "FSDP");
  assert_string_equal(dtc_traits_name(deepspeed.index), "DeepSpeed");
  assert_int_equal(fsdp.zero3, DTC_LEVEL_YES);
  assert_true(deepspeed.zero1 == DTC_LEVEL_YES && deepspeed.zero2 == DTC_LEVEL_YES && deepspeed.zero3 == DTC_LEVEL_YES);
  assert_true(deepspeed.offload_nvme == DTC_LEVEL_YES && deepspeed.one_file == DTC_LEVEL_YES);
  assert_int_equal(deepspeed.pp, DTC_LEVEL_PARTLY); /* its engine refuses ZeRO-2 and 3 */
}

/* What 2026's code says against the guides of 2023 and 2024. */
static void facts_are_todays(void **state)
{
  (void)state;
  dtc_traits megatron = traits(DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_DEFAULT);
  dtc_traits colossal = traits(DTC_FRAMEWORK_COLOSSALAI, DTC_SHARDING_DEFAULT);
  dtc_traits titan = traits(DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_DEFAULT);
  assert_int_equal(traits(DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO3).amd, DTC_LEVEL_YES); /* CI on MI200 */
  assert_int_equal(megatron.amd, DTC_LEVEL_PARTLY);                                         /* AMD's Primus */
  assert_int_equal(titan.amd, DTC_LEVEL_YES);                                               /* CI on MI350X */
  assert_int_equal(colossal.amd, DTC_LEVEL_NO);                                             /* cuda, npu */
  assert_int_equal(colossal.ascend, DTC_LEVEL_YES);
  assert_int_equal(colossal.upkeep, DTC_UPKEEP_STALLED);
  assert_int_equal(colossal.changed, 20251113);
  assert_true(megatron.fp4 == DTC_LEVEL_YES && titan.fp4 == DTC_LEVEL_YES && colossal.fp4 == DTC_LEVEL_NO);
  assert_int_equal(titan.changed, 20260821);
  assert_true(megatron.code == DTC_CODE_CHANGE_MODEL && megatron.work == DTC_EFFORT_MUCH);
}

/* Months from one day, yyyymmdd, to another. */
static int months(uint32_t from, uint32_t to)
{
  int whole = ((int)(to / 10000) - (int)(from / 10000)) * 12 + (int)(to / 100 % 100) - (int)(from / 100 % 100);
  return whole - (to % 100 < from % 100);
}

static void upkeep_follows_from_days(void **state)
{
  (void)state;
  for (dtc_framework f = DTC_FRAMEWORK_PYTORCH; f <= DTC_FRAMEWORK_TORCHTITAN; f++)
    for (dtc_sharding s = DTC_SHARDING_DEFAULT; s <= DTC_SHARDING_FSDP; s++) {
      dtc_traits t;
      DTC_INIT(&t);
      if (dtc_framework_traits(f, s, &t, NULL) != DTC_OK || t.changed == 0)
        continue;
      int since = months(t.changed, t.seen);
      assert_int_equal(t.upkeep, since < 6 ? DTC_UPKEEP_ACTIVE : since < 12 ? DTC_UPKEEP_SLOW : DTC_UPKEEP_STALLED);
    }
}

static void rows_are_whole(void **state)
{
  (void)state;
  assert_int_equal(dtc_traits_count(), 6);
  for (size_t i = 0; i < dtc_traits_count(); i++) {
    uint64_t index = 99;
    assert_true(strlen(dtc_traits_name(i)) > 2 && strlen(dtc_traits_source(i)) > 20);
    assert_int_equal(dtc_traits_find(dtc_traits_name(i), &index, NULL), DTC_OK);
    assert_int_equal(index, i);
  }
  assert_null(dtc_traits_name(dtc_traits_count()));
  assert_null(dtc_traits_source(SIZE_MAX));
  for (dtc_framework f = DTC_FRAMEWORK_PYTORCH; f <= DTC_FRAMEWORK_TORCHTITAN; f++) {
    dtc_traits t = traits(f, DTC_SHARDING_DEFAULT);
    assert_true(t.framework == f && t.code != 0 && t.work != 0 && t.upkeep != 0 && t.version != 0);
    assert_true(t.seen >= 20260801 && t.changed <= t.seen);
  }
}

static void names_are_found(void **state)
{
  (void)state;
  dtc_error e;
  uint64_t index = 99;
  DTC_INIT(&e);
  check_ok(dtc_traits_find("megatron_LM", &index, &e), &e);
  assert_string_equal(dtc_traits_name(index), "Megatron-LM");
  index = 99;
  assert_int_equal(dtc_traits_find("deepsped", &index, &e), DTC_E_UNKNOWN);
  assert_true(e.rule == DTC_RULE_ADVISE_NAME && e.lower == 2 && index == 99);
  assert_int_equal(dtc_traits_find("", &index, &e), DTC_E_UNKNOWN);
  assert_int_equal(dtc_traits_find(NULL, &index, &e), DTC_E_UNKNOWN);
}

static void unknown_ones_are_refused(void **state)
{
  (void)state;
  dtc_error e;
  dtc_traits t;
  DTC_INIT(&e);
  DTC_INIT(&t);
  assert_int_equal(dtc_framework_traits(DTC_FRAMEWORK_SCALING, 0, &t, &e), DTC_E_UNSUPPORTED);
  assert_true(e.field == DTC_FIELD(plan, framework) && e.rule == DTC_RULE_ADVISE_KNOWN);
  assert_int_equal(dtc_framework_traits(DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_ZERO3, &t, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.field, DTC_FIELD(plan, sharding));
  assert_int_equal(dtc_framework_traits(DTC_FRAMEWORK_SCALING + 1, 0, &t, &e), DTC_E_RANGE);
  assert_int_equal(dtc_framework_traits(0, UINT32_MAX, &t, &e), DTC_E_RANGE);
  assert_int_equal(t.framework, 0); /* nothing was written */
  t.struct_size = 4;
  assert_int_equal(dtc_framework_traits(DTC_FRAMEWORK_PYTORCH, 0, &t, &e), DTC_E_SIZE);
  DTC_INIT(&t);
  check_ok(dtc_framework_traits(DTC_FRAMEWORK_DEFAULT, DTC_SHARDING_ZERO3, &t, &e), &e);
  assert_int_equal(t.framework, DTC_FRAMEWORK_DEEPSPEED);
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* The part of a note, in a buffer that is large enough. */
static const char *note(uint64_t index, dtc_note part, dtc_lang lang)
{
  static char buf[512];
  dtc_error e;
  size_t len = 0;
  DTC_INIT(&e);
  check_ok(dtc_framework_note(index, part, lang, buf, sizeof buf, &len, &e), &e);
  assert_int_equal(len, strlen(buf));
  return buf;
}

static int noted(const char *about, const char *word)
{
  int found = 0;
  for (uint64_t i = 0; i < dtc_framework_note_count(); i++)
    found += strcmp(note(i, DTC_NOTE_ABOUT, DTC_LANG_EN), about) == 0 &&
             strstr(note(i, DTC_NOTE_TRUE, DTC_LANG_EN), word) != NULL;
  return found;
}

static void old_wisdom_is_overruled(void **state)
{
  (void)state;
  assert_int_equal(noted("DeepSpeed", "AutoEP"), 1);
  assert_int_equal(noted("DeepSpeed", "MI200"), 1);
  assert_int_equal(noted("TorchTitan", "v0.2.2"), 1);
  assert_int_equal(noted("Megatron-LM", "Primus"), 1);
  assert_int_equal(noted("Megatron-LM", "multiple"), 1);
  assert_int_equal(noted("Megatron-LM", "Blackwell"), 1);
  assert_int_equal(noted("ColossalAI", "November 2025"), 1);
  assert_int_equal(noted("", "NVL72"), 1);
}

/* The vendor of the one note with this word; "?" when there is not one. */
static const char *vendor_of(const char *word)
{
  for (uint64_t i = 0; i < dtc_framework_note_count(); i++)
    if (strstr(note(i, DTC_NOTE_TRUE, DTC_LANG_EN), word) != NULL)
      return note(i, DTC_NOTE_VENDOR, DTC_LANG_EN);
  return "?";
}

static void notes_have_a_vendor(void **state)
{
  (void)state;
  assert_string_equal(vendor_of("MI200"), "amd");
  assert_string_equal(vendor_of("Primus"), "amd");
  assert_string_equal(vendor_of("On Blackwell"), "nvidia");
  assert_string_equal(vendor_of("NVL72"), "nvidia");
  assert_string_equal(vendor_of("AutoEP"), "");
  assert_string_equal(vendor_of("v0.2.2"), "");
}

static void notes_are_whole(void **state)
{
  (void)state;
  for (uint64_t i = 0; i < dtc_framework_note_count(); i++) {
    uint64_t index = 0;
    char about[32];
    for (dtc_lang lang = DTC_LANG_EN; lang <= DTC_LANG_ZH; lang++) {
      assert_true(strlen(note(i, DTC_NOTE_TRUE, lang)) > 20);
      assert_true(strlen(note(i, DTC_NOTE_OLD, lang)) > 8);
    }
    assert_non_null(strpbrk(note(i, DTC_NOTE_SOURCE, DTC_LANG_EN), "0123456789"));
    strcpy(about, note(i, DTC_NOTE_ABOUT, DTC_LANG_ZH));
    assert_true(about[0] == 0 || dtc_traits_find(about, &index, NULL) == DTC_OK);
  }
}

static void texts_are_cut_and_refused(void **state)
{
  (void)state;
  char buf[8] = "";
  size_t len = 0;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_framework_note(0, DTC_NOTE_ABOUT, 0, buf, sizeof buf, &len, &e), DTC_OK);
  assert_string_equal(buf, "DeepSpe");
  assert_int_equal(len, 9);
  assert_int_equal(dtc_framework_note(0, DTC_NOTE_ABOUT, 0, NULL, 0, NULL, NULL), DTC_OK);
  assert_int_equal(dtc_framework_note(dtc_framework_note_count(), 0, 0, buf, sizeof buf, &len, &e), DTC_E_RANGE);
  assert_int_equal(dtc_framework_note(0, DTC_NOTE_VENDOR + 1, 0, buf, sizeof buf, &len, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_TOLD);
  assert_int_equal(dtc_framework_note(0, 0, DTC_LANG_ZH + 1, buf, sizeof buf, &len, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_LANG);
  assert_int_equal(dtc_framework_reason(DTC_REASON_NONE, 0, buf, sizeof buf, &len, &e), DTC_E_RANGE);
  assert_int_equal(dtc_framework_reason(12, 0, buf, sizeof buf, &len, &e), DTC_E_RANGE);
  assert_int_equal(dtc_framework_reason(1, 2, buf, sizeof buf, &len, &e), DTC_E_RANGE);
  assert_string_equal(buf, "DeepSpe");
}

static void reasons_have_texts(void **state)
{
  (void)state;
  char en[128], zh[128];
  size_t len = 0;
  int known = 0;
  for (dtc_reason r = 1; r < 64; r++) {
    if (dtc_framework_reason(r, DTC_LANG_EN, en, sizeof en, &len, NULL) != DTC_OK)
      continue;
    assert_int_equal(dtc_framework_reason(r, DTC_LANG_ZH, zh, sizeof zh, &len, NULL), DTC_OK);
    assert_true(strlen(en) > 8 && strlen(zh) > 8 && strcmp(en, zh) != 0);
    known++;
  }
  assert_int_equal(known, 10 + 13); /* for and against */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shardings_are_known),      cmocka_unit_test(facts_are_todays),
      cmocka_unit_test(upkeep_follows_from_days), cmocka_unit_test(rows_are_whole),
      cmocka_unit_test(names_are_found),          cmocka_unit_test(unknown_ones_are_refused),
      cmocka_unit_test(old_wisdom_is_overruled),  cmocka_unit_test(notes_have_a_vendor),
      cmocka_unit_test(notes_are_whole),          cmocka_unit_test(texts_are_cut_and_refused),
      cmocka_unit_test(reasons_have_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
