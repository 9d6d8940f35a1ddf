/* dtcore memory: what each GPU must hold under a plan. */
#include "cmd.h"
#include "plan_arg.h"
#include "plan_short.h"
#include "report.h"
#include "size.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FINDINGS = 64 };

typedef struct question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan;
  dtc_plan resolved;
  dtc_error findings[MAX_FINDINGS]; /* warnings */
  size_t finding_count;
  dtc_memory *stages;
  size_t stage_count;
  size_t worst;
} question;

static const dtc_cluster *cluster_of(const question *q)
{
  return q->cluster.given ? &q->cluster.cluster : NULL;
}

/* Every error of the plan is told, so that a user need not find them one by one. */
static int check(const cli *c, question *q)
{
  dtc_error err;
  size_t count = 0;
  size_t errors = 0;
  DTC_INIT(&err);
  for (size_t i = 0; i < MAX_FINDINGS; i++)
    DTC_INIT(&q->findings[i]);
  if (dtc_plan_check(&q->model.model, cluster_of(q), &q->plan.plan, q->findings, MAX_FINDINGS, &count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  for (size_t i = 0; i < count; i++) {
    if (q->findings[i].severity == DTC_SEVERITY_ERROR)
      q->findings[errors++] = q->findings[i];
  }
  if (errors != 0)
    return fail_all(c, q->findings, errors);
  q->finding_count = count;
  if (dtc_plan_resolve(&q->model.model, cluster_of(q), &q->plan.plan, &q->resolved, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

static int estimate(const cli *c, question *q)
{
  dtc_error err;
  DTC_INIT(&err);
  q->stage_count = (size_t)q->resolved.pp;
  q->stages = grow(NULL, q->stage_count * sizeof *q->stages);
  for (size_t i = 0; i < q->stage_count; i++)
    DTC_INIT(&q->stages[i]);
  if (dtc_memory_stages(&q->model.model, cluster_of(q), &q->plan.plan, NULL, 0, q->stages, q->stage_count,
                        &q->stage_count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  for (size_t i = 1; i < q->stage_count; i++) {
    if (q->stages[i].device > q->stages[q->worst].device)
      q->worst = i;
  }
  return 0;
}

/* "20", or "20+1" with a multi-token-prediction module. */
static text layers_of(const question *q, size_t stage)
{
  dtc_stage s = {0};
  text t = {"?"};
  if (dtc_plan_stage(&q->model.model, &q->plan.plan, stage, &s, NULL) != DTC_OK)
    return t;
  if (s.mtp_layers == 0)
    return text_u64(s.layers);
  snprintf(t.s, sizeof t.s, "%" PRIu64 "+%" PRIu64, s.layers, s.mtp_layers);
  return t;
}

static void print_stages(const cli *c, const question *q)
{
  static const msg last[] = {MSG_COL_ALLOCATED, MSG_COL_RESERVED, MSG_COL_DEVICE};
  table t = table_new("lrrrrrrrrrrrrr");
  table_cell(&t, say(c, MSG_STAGE));
  table_cell(&t, say(c, MSG_LAYERS));
  table_cell(&t, say(c, MSG_IN_FLIGHT));
  for (size_t i = 0; i < MEMORY_ITEMS; i++)
    table_cell(&t, say(c, memory_items[i].column));
  for (size_t i = 0; i < 3; i++)
    table_cell(&t, say(c, last[i]));
  for (size_t s = 0; s < q->stage_count; s++) {
    const dtc_memory *m = &q->stages[s];
    char name[32];
    snprintf(name, sizeof name, "%zu%s", s, s == q->worst && q->stage_count > 1 ? " *" : "");
    table_cell(&t, name);
    table_cell(&t, layers_of(q, s).s);
    table_cell(&t, text_u64(m->in_flight).s);
    for (size_t i = 0; i < MEMORY_ITEMS; i++) {
      uint64_t bytes = memory_item_bytes(m, &memory_items[i]);
      table_cell(&t, bytes == 0 ? "" : text_gib(bytes).s);
    }
    table_cell(&t, text_gib(m->allocated).s);
    table_cell(&t, text_gib(m->reserved).s);
    table_cell(&t, text_gib(m->device).s);
  }
  table_print(c, &t, 2);
}

static msg moment_message(dtc_moment moment)
{
  return moment == DTC_MOMENT_LOSS ? MSG_PEAK_LOSS : moment == DTC_MOMENT_STEP ? MSG_PEAK_STEP : MSG_PEAK_BACKWARD;
}

static void print_text(const cli *c, const question *q)
{
  const dtc_plan *p = &q->resolved;
  const dtc_memory *worst = &q->stages[q->worst];
  char line[PLAN_LINE];
  print_model(c, &q->model);
  if (q->cluster.given)
    print_cluster(c, &q->cluster);
  dtc_plan shown = plan_shorten(&q->model.model, cluster_of(q), p);
  plan_line(&q->model, &shown, line);
  puts(line);
  print_line(c, MSG_WORLD, text_u64(p->tp * p->cp * p->pp * p->dp).s, text_u64(p->tp).s, text_u64(p->cp).s,
             text_u64(p->pp).s, text_u64(p->dp).s);
  for (size_t i = 0; i < q->finding_count; i++) {
    char warning[1024];
    dtc_error_format(&q->findings[i], c->lang, warning, sizeof warning);
    print_line(c, MSG_WARNING, warning);
  }
  print_line(c, MSG_PER_GPU);
  print_stages(c, q);
  if (q->stage_count > 1)
    print_line(c, MSG_WORST_STAGE, text_u64(worst->stage).s);
  print_line(c, moment_message(worst->moment), text_u64(worst->in_flight).s);
  print_memory(c, worst);
  print_verdict(c, worst->device, worst->capacity);
}

static void print_json(const cli *c, const args *a, const question *q)
{
  char line[PLAN_LINE];
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  plan_line(&q->model, &q->resolved, line);
  json_text(&j, "plan", line);
  json_u64(&j, "gpus", q->resolved.tp * q->resolved.cp * q->resolved.pp * q->resolved.dp);
  json_array(&j, "warnings");
  for (size_t i = 0; i < q->finding_count; i++)
    json_finding(&j, c, NULL, &q->findings[i]);
  json_end(&j);
  json_memory(&j, "worst", &q->stages[q->worst]);
  json_array(&j, "stages");
  for (size_t i = 0; i < q->stage_count; i++)
    json_memory(&j, NULL, &q->stages[i]);
  json_end(&j);
  json_end(&j);
}

/* A size alone: the states of one GPU, an even share of them where GPUs are given, and what is missing. */
static int answer_size(const cli *c, const args *a, const question *q)
{
  size_states kept;
  if (size_count(c, a, &q->model, &q->plan, &kept) != 0)
    return EXIT_BAD_INPUT;
  const dtc_states *s = &kept.states;
  const char *framework = dtc_value_name(DTC_FIELD(plan, framework), kept.framework);
  uint64_t gpus = q->cluster.gpus == 0 ? 1 : q->cluster.gpus;
  uint64_t share = s->total / gpus + (s->total % gpus != 0);
  uint64_t capacity = q->cluster.given ? q->cluster.cluster.usable : 0;
  if (c->json) {
    json j;
    json_start(&j, a->command);
    json_model(&j, &q->model);
    json_cluster(&j, &q->cluster);
    json_text(&j, "framework", framework);
    json_states(&j, "states", s);
    json_u64(&j, "gpus", gpus);
    json_u64(&j, "share", share);
    json_null(&j, "activations");
    json_end(&j);
  } else {
    char each[32];
    snprintf(each, sizeof each, "%.4g", (double)s->total / (double)q->model.params);
    print_model(c, &q->model);
    print_line(c, MSG_STATES_ONE_GPU, framework, each, text_gib_small(s->weights).s, text_gib_small(s->gradients).s,
               text_gib_small(s->master + s->moments).s, text_gib_small(s->total).s);
    if (gpus > 1)
      print_line(c, MSG_STATES_SHARE, text_u64(gpus).s, text_gib_small(share).s);
    print_verdict(c, share, capacity);
    print_line(c, MSG_SIZE_MISSES);
  }
  return capacity != 0 && share > capacity ? EXIT_NO : EXIT_YES;
}

int cmd_memory(const cli *c, const args *a)
{
  static question q; /* holds a path and findings: large */
  DTC_INIT(&q.resolved);
  if (plan_arg_read(c, a, &q.plan) != 0 || model_arg_read(c, a, &q.plan, &q.model) != 0 ||
      cluster_arg_read(c, a, &q.cluster) != 0)
    return EXIT_BAD_INPUT;
  if (q.model.size_only)
    return answer_size(c, a, &q);
  if (check(c, &q) != 0 || estimate(c, &q) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    print_json(c, a, &q);
  else
    print_text(c, &q);
  return q.stages[q.worst].fits == DTC_BOOL_OFF ? EXIT_NO : EXIT_YES;
}
