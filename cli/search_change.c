/* dtcore plan: searches again with one change more when nothing of a space fits. */
#include "search.h"

#include <stdlib.h>

/* Plans of a kind that are tried at most: some ten seconds. */
static const uint64_t plans_most = (uint64_t)1 << 28;

static dtc_status change(const search_question *q, dtc_search_kind kind, uint64_t step, search_question *next,
                         dtc_error *err)
{
  return dtc_search_change(&q->model.model, &q->cluster.cluster, &q->plan.plan, &q->space, kind, step,
                           &next->cluster.cluster, &next->plan.plan, &next->space, err);
}

/* No kind has as many steps as are asked for: the refusal says how many there are. */
static uint64_t steps_of(const search_question *q, dtc_search_kind kind, search_question *next)
{
  dtc_error err;
  DTC_INIT(&err);
  return change(q, kind, UINT64_MAX, next, &err) == DTC_E_RANGE ? err.max : 0;
}

/* Remembers a plan of the step. */
static dtc_status take(search_change *to, const search_question *next, uint64_t step, uint64_t index, dtc_error *err)
{
  to->known = true;
  to->step = step;
  to->cluster = next->cluster.cluster;
  return search_plan_at(next, index, &to->plan, &to->memory, err);
}

/* Of equal needs the later step's tells how far the change went. */
static dtc_status look(search_change *to, const search_question *next, uint64_t step, dtc_error *err)
{
  const dtc_search *sum = &next->sum;
  to->tried += next->done;
  to->complete = next->done == next->size;
  to->fits = next->count != 0;
  if (to->fits) {
    to->seconds = next->best[0].seconds;
    return take(to, next, step, next->best[0].index, err);
  }
  if (sum->least == 0 || (to->known && sum->least > to->memory.device))
    return DTC_OK;
  dtc_status status = take(to, next, step, sum->least_index, err);
  if (status != DTC_OK)
    return status;
  status = search_timed(next, &to->plan, &to->memory, err);
  to->untimed = status != DTC_OK;
  return status;
}

static dtc_status search_step(const cli *c, const search_question *q, uint64_t step, search_question *next,
                              search_change *to)
{
  dtc_error *err = &to->refused;
  dtc_status status = change(q, to->kind, step, next, err);
  next->space.keep = 1;
  next->first = 0;
  next->best = NULL;
  if (status == DTC_OK)
    status =
        dtc_search_size(&next->model.model, &next->cluster.cluster, &next->plan.plan, &next->space, &next->size, err);
  if (status != DTC_OK)
    return status;
  uint64_t left = plans_most - to->tried;
  next->number = next->size < left ? next->size : left;
  status = search_range(c, next, err);
  status = status != DTC_OK ? status : look(to, next, step, err);
  free(next->best);
  return status;
}

/* What cannot be searched is told, and ends the kind. */
static void search_kind(const cli *c, const search_question *q, uint64_t steps, search_question *next,
                        search_change *to)
{
  to->complete = true;
  DTC_INIT(&to->refused);
  for (uint64_t step = 1; step <= steps && to->complete && !to->fits; step++)
    to->complete &= search_step(c, q, step, next, to) == DTC_OK;
}

void search_changes(const cli *c, search_question *q)
{
  static search_question next; /* holds a path and remedies: large */
  if (!q->least.known || q->least.refused.status != DTC_OK || q->first != 0 || q->done < q->size)
    return;
  next = *q;
  for (dtc_search_kind kind = DTC_SEARCH_KIND_RECOMPUTE; kind <= SEARCH_KINDS; kind++) {
    uint64_t steps = steps_of(q, kind, &next);
    search_change *to = &q->changes[q->change_count];
    to->kind = kind;
    q->change_count += steps != 0;
    search_kind(c, q, steps, &next, to);
  }
}
