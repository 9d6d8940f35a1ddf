#include "values.h"

#include <stdio.h>
#include <string.h>

uint32_t value_count(uint32_t field)
{
  uint32_t n = 0;
  while (strcmp(dtc_value_name(field, n + 1), "?") != 0)
    n++;
  return n;
}

uint32_t value_find(uint32_t field, const char *name, size_t len)
{
  uint32_t v = value_count(field);
  while (v > 0 && (strlen(dtc_value_name(field, v)) != len || memcmp(dtc_value_name(field, v), name, len) != 0))
    v--;
  return v;
}

void list_add(const cli *c, char *out, size_t cap, const char *item)
{
  size_t len = strlen(out);
  snprintf(out + len, cap - len, "%s%s", len == 0 ? "" : say(c, MSG_COMMA), item);
}

void value_list(const cli *c, uint32_t field, char *out, size_t cap)
{
  uint32_t n = value_count(field);
  *out = 0;
  for (uint32_t v = 1; v <= n; v++)
    list_add(c, out, cap, dtc_value_name(field, v));
}

void software_list(const cli *c, char *out, size_t cap)
{
  *out = 0;
  for (size_t i = 0; i < dtc_software_count(); i++)
    list_add(c, out, cap, dtc_software_name(i));
}

/* "@2.27.7" as a plan text writes it; false when it is no version. */
static bool read_at(const char *at, dtc_release *version)
{
  char word[64];
  dtc_plan plan;
  DTC_INIT(&plan);
  snprintf(word, sizeof word, "megatron%s", at);
  if (strcspn(word, " \t\r\n;") != strlen(word) || dtc_plan_parse(word, strlen(word), NULL, &plan, NULL) != DTC_OK)
    return false;
  *version = plan.framework_version;
  return true;
}

int value_read(const cli *c, const char *option, uint32_t field, const char *text, uint32_t *value,
               dtc_release *version)
{
  size_t len = strcspn(text, "@");
  char list[512];
  *value = value_find(field, text, len);
  if (*value == 0) {
    value_list(c, field, list, sizeof list);
    return fail(c, MSG_UNKNOWN_VALUE, option, text, list);
  }
  if (text[len] == 0 || read_at(text + len, version))
    return 0;
  return fail(c, MSG_BAD_VALUE, option, text, "NAME[@VERSION]");
}

int release_read(const cli *c, const char *option, const char *text, dtc_release *version)
{
  char at[64];
  int n = snprintf(at, sizeof at, "@%s", text);
  if (n > 0 && (size_t)n < sizeof at && read_at(at, version))
    return 0;
  return fail(c, MSG_BAD_VALUE, option, text, "VERSION");
}

const char *layer_kind_name(dtc_layer_kind kind)
{
  static const char *const names[] = {"", "dense", "moe", "head", "mamba", "attention", "mlp", "encoder"};
  return kind <= LAYER_KINDS ? names[kind] : "";
}
