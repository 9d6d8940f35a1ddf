/* dtcore memory: what each GPU must hold under a plan. */
#include "cmd.h"
#include "estimator.h"
#include "memory.h"
#include "plan_legal.h"
#include "size.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

const dtc_cluster *memory_cluster(const memory_question *q)
{
  return q->cluster.given ? &q->cluster.cluster : NULL;
}

static int estimate(const cli *c, memory_question *q)
{
  dtc_error err;
  DTC_INIT(&err);
  q->stage_count = (size_t)q->resolved.pp;
  q->stages = grow(NULL, q->stage_count * sizeof *q->stages);
  for (size_t i = 0; i < q->stage_count; i++)
    DTC_INIT(&q->stages[i]);
  if (dtc_memory_stages(&q->model.model, memory_cluster(q), &q->plan.plan, NULL, 0, q->stages, q->stage_count,
                        &q->stage_count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  for (size_t i = 1; i < q->stage_count; i++) {
    if (q->stages[i].device > q->stages[q->worst].device)
      q->worst = i;
  }
  return 0;
}

/* The stage that is explained: the given one, or the worst. */
static int choose_stage(const cli *c, const args *a, memory_question *q)
{
  const char *given = a->value[OPT_MEMORY_STAGE];
  uint64_t stage = q->worst;
  if (given != NULL && (!text_read_u64(given, &stage) || stage >= q->stage_count))
    return fail(c, MSG_BAD_STAGE, given, text_u64(q->stage_count - 1).s);
  q->told = (size_t)stage;
  return 0;
}

static int look_inside(const cli *c, memory_question *q)
{
  const dtc_model *m = &q->model.model;
  const dtc_cluster *on = memory_cluster(q);
  dtc_error err;
  DTC_INIT(&err);
  q->held[0].struct_size = sizeof q->held[0];
  if (dtc_memory_moments(m, on, &q->plan.plan, q->told, NULL, 0, q->held, MOMENTS, &q->held_count, &err) != DTC_OK ||
      dtc_memory_terms(m, on, &q->plan.plan, q->told, NULL, 0, q->terms, MAX_TERMS, &q->term_count, &err) != DTC_OK ||
      dtc_memory_remedies(m, on, &q->plan.plan, NULL, 0, q->remedies, MAX_REMEDIES, &q->remedy_count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

/* A size alone: the states of one GPU, an even share of them where GPUs are given, and what is missing. */
static int answer_size(const cli *c, const args *a, const memory_question *q)
{
  size_states kept;
  if (size_count(c, a, &q->model, &q->plan, &kept) != 0)
    return EXIT_BAD_INPUT;
  const dtc_model_states *s = &kept.states;
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

static int write_picture(const cli *c, const char *path, const memory_question *q)
{
  picture p = memory_picture(c, q);
  int code = picture_write(c, path, &p);
  picture_free(&p);
  return code;
}

int cmd_memory(const cli *c, const args *a)
{
  static memory_question q; /* holds a path and findings: large */
  const char *svg = a->value[OPT_MEMORY_SVG];
  if (plan_arg_read(c, a, &q.plan) != 0 || model_arg_read(c, a, &q.plan, &q.model) != 0)
    return EXIT_BAD_INPUT;
  if (a->value[OPT_ESTIMATOR] != NULL)
    return estimator_answer(c, a, &q.plan, &q.model);
  if (a->value[OPT_BUFFER] != NULL || a->value[OPT_LARGEST_LAYER] != NULL)
    return fail(c, MSG_EST_ONLY, a->value[OPT_BUFFER] != NULL ? "--buffer" : "--largest-layer");
  if (cluster_arg_read(c, a, &q.cluster) != 0)
    return EXIT_BAD_INPUT;
  if (q.model.size_only)
    return answer_size(c, a, &q);
  if (plan_legal(c, &q.model.model, memory_cluster(&q), &q.plan.plan, q.findings, MAX_FINDINGS, &q.finding_count,
                 &q.resolved) != 0 ||
      estimate(c, &q) != 0 || choose_stage(c, a, &q) != 0 || look_inside(c, &q) != 0 ||
      (svg != NULL && write_picture(c, svg, &q) != 0))
    return EXIT_BAD_INPUT;
  if (c->json)
    memory_print_json(c, a, &q);
  else
    memory_print(c, &q);
  if (!c->json && a->value[OPT_MOMENTS] != NULL)
    memory_print_moments(c, &q);
  if (!c->json && a->value[OPT_EXPLAIN] != NULL)
    memory_print_terms(c, &q);
  return q.stages[q.worst].fits == DTC_BOOL_OFF ? EXIT_NO : EXIT_YES;
}
