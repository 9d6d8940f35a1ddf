#include "check_costs.h"
#include "json_error.h"
#include "report.h"
#include "table.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- NICs ---------------------------------------------------------------------------------------- */

/* Does --hca select none of --devices? */
static int selects_none(const cli *c, const args *a, bool *none)
{
  const char *value = a->value[OPT_HCA];
  const char *devices = a->value[OPT_DEVICES];
  uint32_t on[256] = {0};
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  *none = false;
  if (value == NULL || devices == NULL)
    return 0;
  if (dtc_framework_lint_hca(value, strlen(value), devices, strlen(devices), on, 256, &count, &err) != DTC_OK)
    return fail_with(c, "--devices", &err);
  *none = true;
  for (size_t i = 0; i < count; i++)
    *none = *none && on[i] == 0;
  return 0;
}

static int find_sockets(const cli *c, const args *a, const model_arg *m, const dtc_cluster *cluster,
                        const dtc_plan *plan, check_costs *out)
{
  const char *given = a->value[OPT_ETHERNET];
  uint64_t rate = UINT64_C(3125000000); /* 25 Gb/s */
  bool none = false;
  if (given != NULL && !text_read_bytes(given, &rate))
    return fail(c, MSG_BAD_VALUE, "ethernet", given, options[OPT_ETHERNET].value);
  if (selects_none(c, a, &none) != 0)
    return EXIT_BAD_INPUT;
  if (!none || out->count == COSTS_MOST)
    return 0;
  check_cost *one = &out->list[out->count++];
  *one = (check_cost){.finding = {.struct_size = sizeof one->finding,
                                  .status = DTC_E_CONFLICT,
                                  .severity = DTC_SEVERITY_WARNING,
                                  .rule = DTC_RULE_NO_NIC,
                                  .got = DTC_NONE,
                                  .other_got = DTC_NONE,
                                  .min = DTC_NONE,
                                  .max = DTC_NONE,
                                  .lower = DTC_NONE,
                                  .upper = DTC_NONE,
                                  .offset = DTC_NONE}};
  out->ethernet = (double)rate;
  one->known = dtc_framework_sockets(&m->model, cluster, plan, out->ethernet, &one->cost, NULL) == DTC_OK;
  return 0;
}

/* ---- findings ------------------------------------------------------------------------------------ */

int check_costs_find(const cli *c, const args *a, const model_arg *m, const dtc_cluster *cluster, const dtc_plan *plan,
                     check_costs *out)
{
  dtc_error found[COSTS_MOST];
  dtc_error err;
  size_t count = 0;
  DTC_INIT(&err);
  DTC_INIT(&found[0]);
  if (dtc_framework_lint_plan(&m->model, cluster, plan, found, COSTS_MOST, &count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  out->count = count;
  for (size_t i = 0; i < count; i++) {
    check_cost *one = &out->list[i];
    one->finding = found[i];
    DTC_INIT(&one->next);
    one->known =
        dtc_framework_lint_cost(&m->model, cluster, plan, found[i].rule, &one->next, &one->cost, NULL) == DTC_OK;
  }
  return find_sockets(c, a, m, cluster, plan, out);
}

/* Degrees, batch, and what else a change may set. */
static const uint32_t shown[] = {DTC_FIELD(plan, sharding),     DTC_FIELD(plan, tp),
                                 DTC_FIELD(plan, cp),           DTC_FIELD(plan, pp),
                                 DTC_FIELD(plan, dp),           DTC_FIELD(plan, ep),
                                 DTC_FIELD(plan, etp),          DTC_FIELD(plan, micro_batch),
                                 DTC_FIELD(plan, recompute),    DTC_FIELD(plan, offload),
                                 DTC_FIELD(plan, reshard),      DTC_FIELD(plan, vocab_parallel),
                                 DTC_FIELD(plan, grad_overlap), DTC_FIELD(plan, sequence_parallel),
                                 DTC_FIELD(plan, grad_dtype),   DTC_FIELD(plan, optimizer),
                                 DTC_FIELD(plan, loss),         DTC_FIELD(plan, loss_chunks)};

static uint64_t value_of(const dtc_plan *p, uint32_t id)
{
  uint64_t wide = 0;
  uint32_t narrow = 0;
  const unsigned char *at = (const unsigned char *)p + (id & 0xffff);
  bool named = value_count(id) != 0;
  if (!named)
    memcpy(&wide, at, sizeof wide);
  else
    memcpy(&narrow, at, sizeof narrow);
  return named ? narrow : wide;
}

/* "tp = 8, dp = 16": what the other plan has otherwise. */
static void changes(const cli *c, const dtc_plan *now, const dtc_plan *next, char *out, size_t cap)
{
  *out = 0;
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    uint64_t v = value_of(next, shown[i]);
    char one[96];
    if (v == value_of(now, shown[i]))
      continue;
    bool named = value_count(shown[i]) != 0;
    snprintf(one, sizeof one, "%s = %s", dtc_field_name(shown[i]),
             !named   ? text_u64(v).s
             : v == 0 ? "none"
                      : dtc_value_name(shown[i], v));
    list_add(c, out, cap, one);
  }
}

static bool differ(text a, text b)
{
  return strcmp(a.s, b.s) != 0;
}

/* What a change of the plan comes to: of time and memory what is printed otherwise than now. */
static void print_change(const cli *c, const char *what, const dtc_advice *a)
{
  char line[1024];
  text seconds = text_seconds(a->seconds), seconds_now = text_seconds(a->seconds_now);
  text device = text_gib(a->device), device_now = text_gib(a->device_now);
  bool time = a->seconds > 0 && a->seconds_now > 0 && differ(seconds, seconds_now);
  bool memory = differ(device, device_now);
  if (time && memory)
    write_line(c, line, sizeof line, MSG_CHECK_COST, what, seconds.s, seconds_now.s, device.s, device_now.s);
  else if (time)
    write_line(c, line, sizeof line, MSG_CHECK_COST_TIME, what, seconds.s, seconds_now.s);
  else if (memory)
    write_line(c, line, sizeof line, MSG_CHECK_COST_MEMORY, what, device.s, device_now.s);
  else
    write_line(c, line, sizeof line, MSG_CHECK_COST_SAME, what);
  text_wrap(line, 4);
  if (differ(text_gib(a->host), text_gib(a->host_now)))
    print_line(c, MSG_CHECK_COST_HOST, text_gib(a->host).s, text_gib(a->host_now).s);
}

static void print_cost(const cli *c, const dtc_plan *plan, const check_costs *l, const check_cost *one)
{
  const dtc_advice *a = &one->cost;
  char what[512], rate[32];
  if (!one->known) {
    print_line(c, MSG_CHECK_NO_COST);
    return;
  }
  if (one->finding.rule == DTC_RULE_NO_NIC) {
    snprintf(rate, sizeof rate, "%.3g", l->ethernet / 1e9);
    print_line(c, MSG_CHECK_SOCKETS, rate, text_seconds(a->seconds).s, text_seconds(a->seconds_now).s);
    return;
  }
  changes(c, plan, &one->next, what, sizeof what);
  print_change(c, what, a);
}

void check_costs_print(const cli *c, const dtc_plan *plan, const check_costs *l)
{
  if (l->count != 0)
    print_line(c, MSG_CHECK_LOSES);
  for (size_t i = 0; i < l->count; i++) {
    char why[1024], line[1200];
    const dtc_error *e = &l->list[i].finding;
    dtc_error_format(e, c->lang, why, sizeof why);
    write_line(c, line, sizeof line, MSG_FOUND_WARNING, dtc_value_name(DTC_FIELD(error, rule), e->rule), why);
    text_wrap(line, 2);
    print_cost(c, plan, l, &l->list[i]);
  }
}

void check_costs_json(json *j, const cli *c, const model_arg *m, const check_costs *l)
{
  json_array(j, "losses");
  for (size_t i = 0; i < l->count; i++) {
    const check_cost *one = &l->list[i];
    const dtc_advice *a = &one->cost;
    bool next = one->known && one->finding.rule != DTC_RULE_NO_NIC;
    char line[PLAN_LINE];
    json_object(j, NULL);
    json_finding(j, c, "finding", &one->finding);
    json_bool(j, "known", one->known);
    json_f64(j, "seconds", one->known ? a->seconds : 0);
    json_f64(j, "seconds_now", one->known ? a->seconds_now : 0);
    json_u64(j, "device", one->known ? a->device : 0);
    json_u64(j, "device_now", one->known ? a->device_now : 0);
    json_u64(j, "host", one->known ? a->host : 0);
    json_u64(j, "host_now", one->known ? a->host_now : 0);
    if (next)
      plan_line(m, &one->next, line);
    json_text(j, "plan", next ? line : NULL);
    json_end(j);
  }
  json_end(j);
}
