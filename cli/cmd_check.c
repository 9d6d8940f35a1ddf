/* dtcore check: is a plan legal, and what must change. */
#include "check_costs.h"
#include "cmd.h"
#include "plan_arg.h"
#include "plan_short.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>

enum { MAX_FINDINGS = 128 };

typedef struct question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan;
  dtc_plan resolved; /* when it is legal */
  dtc_error findings[MAX_FINDINGS];
  size_t count;
  size_t errors;
  check_costs costs; /* of a legal plan on a machine */
} question;

static const dtc_cluster *cluster_of(const question *q)
{
  return q->cluster.given ? &q->cluster.cluster : NULL;
}

static int ask(const cli *c, question *q)
{
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&q->resolved);
  DTC_INIT(&q->findings[0]);
  if (dtc_plan_check(&q->model.model, cluster_of(q), &q->plan.plan, q->findings, MAX_FINDINGS, &q->count, &err) !=
      DTC_OK)
    return fail_with(c, NULL, &err);
  for (size_t i = 0; i < q->count; i++)
    q->errors += q->findings[i].severity == DTC_SEVERITY_ERROR;
  if (q->errors == 0 && dtc_plan_resolve(&q->model.model, cluster_of(q), &q->plan.plan, &q->resolved, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

/* "error tp_heads: tp = 7: tp must divide heads ..." in lines of the terminal's width. */
static void print_finding(const cli *c, const dtc_error *e)
{
  char why[1024];
  char line[1200];
  dtc_error_format(e, c->lang, why, sizeof why);
  write_line(c, line, sizeof line, e->severity == DTC_SEVERITY_ERROR ? MSG_FOUND_ERROR : MSG_FOUND_WARNING,
             dtc_value_name(DTC_FIELD(error, rule), e->rule), why);
  text_wrap(line, 2);
}

static void print_text(const cli *c, const question *q)
{
  char line[PLAN_LINE];
  print_model(c, &q->model);
  if (q->cluster.given)
    print_cluster(c, &q->cluster);
  dtc_plan shown = q->errors == 0 ? plan_shorten(&q->model.model, cluster_of(q), &q->resolved) : q->plan.plan;
  plan_line(&q->model, &shown, line);
  puts(line);
  for (size_t i = 0; i < q->count; i++)
    print_finding(c, &q->findings[i]);
  if (q->errors != 0) {
    print_line(c, MSG_PLAN_REFUSED, text_u64(q->errors).s, text_u64(q->count - q->errors).s);
    return;
  }
  const dtc_plan *p = &q->resolved;
  print_line(c, MSG_WORLD, text_u64(p->tp * p->cp * p->pp * p->dp).s, text_u64(p->tp).s, text_u64(p->cp).s,
             text_u64(p->pp).s, text_u64(p->dp).s);
  print_line(c, MSG_BATCH, text_u64(p->global_batch).s, text_u64(p->micro_batch).s, text_u64(p->dp).s,
             text_u64(p->accumulation).s);
  print_line(c, MSG_PLAN_LEGAL, text_u64(q->count).s);
  check_costs_print(c, p, &q->costs);
}

static void print_json(const cli *c, const args *a, const question *q)
{
  char line[PLAN_LINE];
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  plan_line(&q->model, q->errors == 0 ? &q->resolved : &q->plan.plan, line);
  json_text(&j, "plan", line);
  json_bool(&j, "legal", q->errors == 0);
  json_array(&j, "findings");
  for (size_t i = 0; i < q->count; i++)
    json_finding(&j, c, NULL, &q->findings[i]);
  json_end(&j);
  check_costs_json(&j, c, &q->model, &q->costs);
  json_end(&j);
}

int cmd_check(const cli *c, const args *a)
{
  static question q; /* holds a path and findings: large */
  if (plan_arg_read(c, a, &q.plan) != 0 || model_arg_read(c, a, &q.plan, &q.model) != 0 ||
      cluster_arg_read(c, a, &q.cluster) != 0)
    return EXIT_BAD_INPUT;
  if (q.model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, q.model.name);
  if (ask(c, &q) != 0)
    return EXIT_BAD_INPUT;
  if (q.errors == 0 && q.cluster.given &&
      check_costs_find(c, a, &q.model, &q.cluster.cluster, &q.plan.plan, &q.costs) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    print_json(c, a, &q);
  else
    print_text(c, &q);
  return q.errors == 0 ? EXIT_YES : EXIT_NO;
}
