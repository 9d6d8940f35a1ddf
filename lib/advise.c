/* Traits, notes and reasons: rows of tables, and their texts. */
#include "internal/advise.h"
#include "internal/plan.h"

size_t dtc_traits_count(void)
{
  return dtci_traits_count;
}

const char *dtc_traits_name(size_t index)
{
  return index < dtci_traits_count ? dtci_traits[index].name : NULL;
}

const char *dtc_traits_source(size_t index)
{
  return index < dtci_traits_count ? dtci_traits[index].source : NULL;
}

static dtc_status find(const char *name, uint64_t *index, dtc_error *e)
{
  uint64_t nearest = DTC_NONE;
  if (name == NULL)
    return dtci_fail_name(e, DTC_RULE_ADVISE_NAME, DTC_NONE);
  size_t i =
      dtci_name_find(dtci_traits[0].name, dtci_traits_count, sizeof dtci_traits[0], name, strlen(name), &nearest);
  if (i == dtci_traits_count)
    return dtci_fail_name(e, DTC_RULE_ADVISE_NAME, nearest);
  *index = i;
  return DTC_OK;
}

dtc_status dtc_traits_find(const char *name, uint64_t *index, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(find(name, index, &e), &e, err);
}

/* PyTorch's row follows from the sharding. */
static dtc_status traits_of(dtc_framework framework, dtc_sharding sharding, dtc_traits *out, dtc_error *e)
{
  TRY(dtci_check_range(e, DTC_FIELD(plan, framework), framework, 0, DTC_FRAMEWORK_SCALING));
  TRY(dtci_check_range(e, DTC_FIELD(plan, sharding), sharding, 0, DTC_SHARDING_DISTOPT));
  if (framework == DTC_FRAMEWORK_DEFAULT && sharding != DTC_SHARDING_DEFAULT)
    framework = dtci_shardings[sharding].framework;
  framework = framework == DTC_FRAMEWORK_DEFAULT ? DTC_FRAMEWORK_PYTORCH : framework;
  sharding = sharding == DTC_SHARDING_HSDP ? DTC_SHARDING_FSDP : sharding;
  sharding = sharding == DTC_SHARDING_DEFAULT ? DTC_SHARDING_DDP : sharding;
  for (uint32_t i = 0; i < dtci_traits_count; i++) {
    dtc_traits t = dtci_traits[i].traits;
    t.index = i;
    if (t.framework == framework && (t.sharding == DTC_SHARDING_DEFAULT || t.sharding == sharding))
      return dtci_out(out, DTC_STRUCT_traits, &t, e);
  }
  int known = framework == DTC_FRAMEWORK_PYTORCH;
  return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_ADVISE_KNOWN,
                   known ? DTC_FIELD(plan, sharding) : DTC_FIELD(plan, framework), known ? sharding : framework);
}

dtc_status dtc_framework_traits(dtc_framework framework, dtc_sharding sharding, dtc_traits *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(traits_of(framework, sharding, out, &e), &e, err);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void give_text(const char *text, char *buf, size_t cap, size_t *len)
{
  dtci_text t = {buf, buf != NULL ? cap : 0, 0};
  dtci_puts(&t, text);
  dtci_end_text(&t);
  if (len != NULL)
    *len = t.len;
}

size_t dtc_framework_note_count(void)
{
  return dtci_notes_count;
}

static const char *note_text(const dtci_note_row *row, dtc_note part, int zh)
{
  switch (part) {
  case DTC_NOTE_TRUE:
    return zh ? row->zh : row->en;
  case DTC_NOTE_OLD:
    return zh ? row->old_zh : row->old_en;
  case DTC_NOTE_ABOUT:
    return row->about;
  case DTC_NOTE_VENDOR:
    return row->vendor == DTC_VENDOR_DEFAULT ? "" : dtc_value_name(DTC_FIELD(cluster, vendor), row->vendor);
  default:
    return row->source;
  }
}

static dtc_status note(uint64_t index, dtc_note part, dtc_lang lang, const char **text, dtc_error *e)
{
  if (index >= dtci_notes_count)
    return dtci_fail_index(e, index, dtci_notes_count);
  TRY(dtci_check_range(e, DTCI_ARG(TOLD), part, DTC_NOTE_TRUE, DTC_NOTE_VENDOR));
  TRY(dtci_check_range(e, DTCI_ARG(LANG), lang, DTC_LANG_EN, DTC_LANG_ZH));
  *text = note_text(&dtci_notes[index], part, lang == DTC_LANG_ZH);
  return DTC_OK;
}

dtc_status dtc_framework_note(uint64_t index, dtc_note part, dtc_lang lang, char *buf, size_t cap, size_t *len,
                              dtc_error *err)
{
  dtc_error e;
  const char *text = NULL;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = note(index, part, lang, &text, &e);
  if (status == DTC_OK)
    give_text(text, buf, cap, len);
  return dtci_end(status, &e, err);
}

static dtc_status reason_text(dtc_reason reason, dtc_lang lang, const char **text, dtc_error *e)
{
  TRY(dtci_check_range(e, DTCI_ARG(LANG), lang, DTC_LANG_EN, DTC_LANG_ZH));
  for (uint32_t i = 0; i < dtci_reasons_count; i++)
    if (dtci_reasons[i].reason == reason) {
      *text = lang == DTC_LANG_ZH ? dtci_reasons[i].zh : dtci_reasons[i].en;
      return DTC_OK;
    }
  return dtci_fail_range(e, DTCI_ARG(TOLD), reason, DTC_REASON_FASTEST, DTC_REASON_FILES);
}

dtc_status dtc_framework_reason(dtc_reason reason, dtc_lang lang, char *buf, size_t cap, size_t *len, dtc_error *err)
{
  dtc_error e;
  const char *text = NULL;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = reason_text(reason, lang, &text, &e);
  if (status == DTC_OK)
    give_text(text, buf, cap, len);
  return dtci_end(status, &e, err);
}
