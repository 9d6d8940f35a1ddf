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
