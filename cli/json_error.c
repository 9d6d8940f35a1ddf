#include "json_error.h"

/* DTC_NONE, a value that does not apply, is null. */
static void json_value(json *j, const char *key, uint64_t value)
{
  if (value == DTC_NONE)
    json_null(j, key);
  else
    json_u64(j, key, value);
}

void json_error_members(json *j, const dtc_error *err, const char *text)
{
  static const dtc_error none = {.got = DTC_NONE,
                                 .other_got = DTC_NONE,
                                 .min = DTC_NONE,
                                 .max = DTC_NONE,
                                 .lower = DTC_NONE,
                                 .upper = DTC_NONE,
                                 .offset = DTC_NONE};
  const dtc_error *e = err != NULL ? err : &none;
  json_value(j, "status", err != NULL ? (uint64_t)e->status : DTC_NONE);
  json_value(j, "rule", err != NULL ? e->rule : DTC_NONE);
  json_text(j, "name", err != NULL ? dtc_value_name(DTC_FIELD(error, rule), e->rule) : NULL);
  json_text(j, "severity", err != NULL ? dtc_value_name(DTC_FIELD(error, severity), e->severity) : NULL);
  json_text(j, "field", e->field != 0 ? dtc_field_name(e->field) : NULL);
  json_text(j, "other", e->other != 0 ? dtc_field_name(e->other) : NULL);
  json_value(j, "got", e->got);
  json_value(j, "other_got", e->other_got);
  json_value(j, "min", e->min);
  json_value(j, "max", e->max);
  json_value(j, "lower", e->lower);
  json_value(j, "upper", e->upper);
  json_value(j, "offset", e->offset);
  json_text(j, "text", text);
}

void json_error(json *j, const char *key, const dtc_error *err, const char *text)
{
  json_object(j, key);
  json_error_members(j, err, text);
  json_end(j);
}

void json_finding(json *j, const cli *c, const char *key, const dtc_error *err)
{
  char line[1024];
  dtc_error_format(err, c->lang, line, sizeof line);
  json_error(j, key, err, line);
}
