/* dtcore advise: which framework suits a model, a machine and its people. */
#include "advise.h"
#include "cmd.h"
#include "text.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

/* A wish that is a value of an enum. */
static int read_wish(const cli *c, const args *a, option_id id, uint32_t *to)
{
  const option *o = &options[id];
  const char *given = a->value[id];
  char list[256];
  *to = given == NULL ? 0 : value_find(o->field, given, strlen(given));
  if (given == NULL || *to != 0)
    return 0;
  value_list(c, o->field, list, sizeof list);
  return fail(c, MSG_UNKNOWN_VALUE, o->name, given, list);
}

static int read_wishes(const cli *c, const args *a, dtc_wishes *w)
{
  DTC_INIT(w);
  w->hidden = a->value[OPT_HIDDEN] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  return read_wish(c, a, OPT_GOAL, &w->goal) != 0 || read_wish(c, a, OPT_CODE, &w->code) != 0 ||
                 read_wish(c, a, OPT_WORK, &w->work) != 0 || read_wish(c, a, OPT_VENDOR, &w->vendor) != 0 ||
                 read_wish(c, a, OPT_IN_USE, &w->framework) != 0
             ? EXIT_BAD_INPUT
             : 0;
}

static int read(const cli *c, const args *a, advise_question *q)
{
  if (plan_arg_read(c, a, &q->plan) != 0 || model_arg_read(c, a, &q->plan, &q->model) != 0 ||
      cluster_arg_read(c, a, &q->cluster) != 0 || read_wishes(c, a, &q->wishes) != 0)
    return EXIT_BAD_INPUT;
  if (q->model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, q->model.name);
  if (!q->cluster.given)
    return fail(c, MSG_NEEDS_GPU);
  return q->cluster.gpus == 0 ? fail(c, MSG_SEARCH_GPUS) : 0;
}

static void note_plans(advise_question *q)
{
  const dtc_model *m = &q->model.model;
  const dtc_cluster *cl = &q->cluster.cluster;
  for (size_t i = 0; i < q->count; i++) {
    dtc_plan *p = &q->plans[i];
    DTC_INIT(p);
    if (dtc_framework_advise_plan(m, cl, &q->plan.plan, &q->advice[i], p, NULL) != DTC_OK ||
        dtc_plan_resolve(m, cl, p, p, NULL) != DTC_OK)
      DTC_INIT(p);
  }
}

static int ask(const cli *c, advise_question *q)
{
  dtc_error err;
  uint64_t needed = 0;
  DTC_INIT(&err);
  if (dtc_framework_advise_scratch(&needed, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  uint64_t *scratch = grow(NULL, (size_t)needed * sizeof *scratch);
  dtc_status status = dtc_framework_advise(&q->model.model, &q->cluster.cluster, &q->plan.plan, &q->wishes, q->advice,
                                           ADVICE_MOST, &q->count, scratch, (size_t)needed, &err);
  free(scratch);
  if (status != DTC_OK)
    return fail_with(c, NULL, &err);
  note_plans(q);
  return 0;
}

int cmd_advise(const cli *c, const args *a)
{
  static advise_question q; /* holds a path: large */
  if (read(c, a, &q) != 0 || ask(c, &q) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    advise_json(c, a, &q);
  else
    advise_print(c, &q);
  return q.advice[0].fits == DTC_BOOL_ON ? EXIT_YES : EXIT_NO;
}
