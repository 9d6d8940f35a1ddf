#include "lint_hca.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hca {
  const char *value;
  const char *devices;
  uint32_t *on; /* 1 for each device that is selected */
  size_t count;
  size_t selected;
} hca;

/* The next device of a list between blanks, copied; "" at the end. */
static const char *next_device(const char *s, char out[256])
{
  static const char blanks[] = " \t\r\n";
  s += strspn(s, blanks);
  size_t n = strcspn(s, blanks);
  snprintf(out, 256, "%.*s", (int)(n < 255 ? n : 255), s);
  return s + n;
}

static int hca_read(const cli *c, hca *h)
{
  size_t cap = strlen(h->devices) / 2 + 1; /* a device and a blank take two bytes at least */
  dtc_error err;
  DTC_INIT(&err);
  h->on = grow(NULL, cap * sizeof *h->on);
  if (dtc_framework_lint_hca(h->value, strlen(h->value), h->devices, strlen(h->devices), h->on, cap, &h->count, &err) !=
      DTC_OK)
    return fail_with(c, "--devices", &err);
  for (size_t i = 0; i < h->count; i++)
    h->selected += h->on[i];
  return 0;
}

static void hca_print(const cli *c, const hca *h)
{
  char device[256];
  const char *s = h->devices;
  table t = table_new("ll");
  table_cell(&t, "");
  table_cell(&t, "");
  for (size_t i = 0; i < h->count; i++) {
    s = next_device(s, device);
    table_cell(&t, device);
    table_cell(&t, say(c, h->on[i] != 0 ? MSG_HCA_USED : MSG_HCA_LEFT));
  }
  table_print(c, &t, 2);
  if (h->selected == 0)
    print_line(c, MSG_HCA_NONE);
  else
    print_line(c, MSG_HCA_SUM, text_u64(h->selected).s, text_u64(h->count).s);
}

static void hca_json(const args *a, const hca *h)
{
  char device[256];
  const char *s = h->devices;
  json j;
  json_start(&j, a->command);
  json_text(&j, "hca", h->value);
  json_array(&j, "devices");
  for (size_t i = 0; i < h->count; i++) {
    s = next_device(s, device);
    json_object(&j, NULL);
    json_text(&j, "device", device);
    json_bool(&j, "selected", h->on[i] != 0);
    json_end(&j);
  }
  json_end(&j);
  json_u64(&j, "used", h->selected);
  json_end(&j);
}

int answer_hca(const cli *c, const args *a)
{
  hca h = {.value = a->value[OPT_HCA], .devices = a->value[OPT_DEVICES]};
  if (h.value == NULL || h.devices == NULL)
    return fail(c, MSG_HCA_NEEDS);
  if (a->operand != NULL)
    return fail(c, MSG_EXTRA_WORD, a->operand);
  int code = hca_read(c, &h);
  if (code == 0 && c->json)
    hca_json(a, &h);
  else if (code == 0)
    hca_print(c, &h);
  free(h.on);
  return code != 0 ? code : h.selected > 0 ? EXIT_YES : EXIT_NO;
}
