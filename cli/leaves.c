#include "leaves.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int leaves_read(const cli *c, const args *a, leaves *out)
{
  const char *s = a->value[OPT_LEAVES];
  dtc_error err;
  DTC_INIT(&err);
  if (s == NULL)
    return 0;
  out->of = grow(NULL, (strlen(s) / 2 + 1) * sizeof *out->of);
  for (;; s++) {
    char number[32];
    size_t len = strcspn(s, ",");
    snprintf(number, sizeof number, "%.*s", (int)len, s);
    if (len >= sizeof number || !text_read_u64(number, &out->of[out->nodes++]))
      return fail(c, MSG_BAD_VALUE, "leaves", a->value[OPT_LEAVES], "N,N,...");
    s += len;
    if (*s == 0)
      break;
  }
  out->order = grow(NULL, out->nodes * sizeof *out->order);
  uint64_t *sorted = grow(NULL, out->nodes * sizeof *sorted);
  size_t count;
  dtc_status status = dtc_ring_crossings(out->of, out->nodes, &out->crossings, &err);
  if (status == DTC_OK)
    status = dtc_ring_order(out->of, out->nodes, out->order, out->nodes, &count, &err);
  for (size_t i = 0; status == DTC_OK && i < out->nodes; i++)
    sorted[i] = out->of[out->order[i]];
  if (status == DTC_OK)
    status = dtc_ring_crossings(sorted, out->nodes, &out->fewest, &err);
  free(sorted);
  return status == DTC_OK ? 0 : fail_with(c, "--leaves", &err);
}

void leaves_print(const cli *c, const leaves *l)
{
  print_line(c, MSG_LEAVES, text_u64(l->nodes).s, text_u64(l->crossings).s, text_u64(l->fewest).s);
  if (l->crossings == l->fewest) {
    print_line(c, MSG_LEAVES_BEST);
    return;
  }
  size_t cap = l->nodes * 21 + 512; /* 20 digits and a blank each */
  char *line = grow(NULL, cap);
  size_t at = (size_t)snprintf(line, cap, "%s", say(c, MSG_LEAVES_ORDER));
  for (size_t i = 0; i < l->nodes; i++)
    at += (size_t)snprintf(line + at, cap - at, " %" PRIu64, l->order[i]);
  text_wrap(line, 2);
  free(line);
}

void leaves_json(json *j, const leaves *l)
{
  if (l->of == NULL) {
    json_null(j, "ring");
    return;
  }
  json_object(j, "ring");
  json_u64(j, "nodes", l->nodes);
  json_u64(j, "crossings", l->crossings);
  json_u64(j, "fewest", l->fewest);
  json_array(j, "order");
  for (size_t i = 0; i < l->nodes; i++)
    json_u64(j, NULL, l->order[i]);
  json_end(j);
  json_end(j);
}
