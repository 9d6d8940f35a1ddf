/* dtcore plan --json. */
#include "search.h"

#include "step.h"

static void json_axes(json *j, const search_question *q)
{
  json_array(j, "axes");
  for (dtc_space_axis axis = 0; axis < DTC_SPACE_AXES; axis++) {
    uint64_t values[AXIS_VALUES];
    size_t count = search_axis(q, axis, values);
    json_object(j, NULL);
    json_text(j, "axis", search_axis_name(axis));
    json_array(j, "values");
    for (size_t i = 0; i < count; i++) {
      const char *word = search_axis_word(axis, values[i]);
      if (word != NULL)
        json_text(j, NULL, word);
      else
        json_u64(j, NULL, values[i]);
    }
    json_end(j);
    json_end(j);
  }
  json_end(j);
}

static void json_counts(json *j, const search_question *q)
{
  const dtc_search *s = &q->sum;
  json_object(j, "counts");
  json_u64(j, "tried", s->tried);
  json_u64(j, "same", s->same);
  json_u64(j, "illegal", s->illegal);
  json_u64(j, "unknown", s->unknown);
  json_u64(j, "over", s->over);
  json_u64(j, "fit", s->fit);
  json_end(j);
}

static void json_plan(json *j, const search_question *q, const search_plan *p)
{
  char line[PLAN_LINE];
  plan_line(&q->model, &p->plan, line);
  json_object(j, NULL);
  json_u64(j, "index", p->found.index);
  json_f64(j, "value", p->found.value);
  json_f64(j, "seconds", p->found.seconds);
  json_u64(j, "device", p->found.device);
  json_u64(j, "gpus", p->found.gpus);
  json_text(j, "plan", line);
  if (p->rate.mfu > 0)
    json_f64(j, "mfu", p->rate.mfu);
  else
    json_null(j, "mfu");
  step_json(j, &p->step);
  json_memory(j, "worst", &p->memory);
  json_end(j);
}

/* What comes nearest when nothing fits. */
static void json_least(json *j, const search_question *q)
{
  const search_least *l = &q->least;
  char line[PLAN_LINE];
  if (!l->known) {
    json_null(j, "least");
    return;
  }
  plan_line(&q->model, &l->plan, line);
  json_object(j, "least");
  json_u64(j, "index", q->sum.least_index);
  json_text(j, "plan", line);
  json_memory(j, "worst", &l->memory);
  memory_json_remedies(j, l->remedies, l->remedy_count);
  json_end(j);
}

static void json_change(json *j, const cli *c, const search_question *q, const search_change *x)
{
  static const char *const kinds[SEARCH_KINDS + 1] = {"none", "recompute", "sharding", "offload", "seq", "gpus"};
  char line[PLAN_LINE];
  json_object(j, NULL);
  json_text(j, "kind", kinds[x->kind]);
  json_bool(j, "fits", x->fits);
  json_bool(j, "complete", x->complete);
  json_u64(j, "tried", x->tried);
  if (x->known) {
    plan_line(&q->model, &x->plan, line);
    json_u64(j, "gpus", x->cluster.nodes * x->cluster.gpus_per_node);
    json_text(j, "plan", line);
    json_memory(j, "worst", &x->memory);
  } else {
    json_null(j, "gpus");
    json_null(j, "plan");
    json_null(j, "worst");
  }
  if (x->fits)
    json_f64(j, "seconds", x->seconds);
  else
    json_null(j, "seconds");
  if (x->refused.status != DTC_OK)
    json_finding(j, c, "reason", &x->refused);
  else
    json_null(j, "reason");
  json_end(j);
}

static void json_answer(json *j, const cli *c, const search_question *q)
{
  json_u64(j, "first", q->first);
  json_u64(j, "number", q->number);
  json_u64(j, "done", q->done);
  json_bool(j, "complete", q->done == q->number);
  json_counts(j, q);
  json_bool(j, "fits", q->count != 0);
  json_array(j, "plans");
  for (size_t i = 0; i < q->count; i++)
    json_plan(j, q, &q->plans[i]);
  json_end(j);
  json_least(j, q);
  json_array(j, "changes");
  for (size_t i = 0; i < q->change_count; i++)
    json_change(j, c, q, &q->changes[i]);
  json_end(j);
  if (q->count == 0 && q->least.refused.status != DTC_OK)
    json_finding(j, c, "reason", &q->least.refused);
  else
    json_null(j, "reason");
}

void search_print_json(const cli *c, const args *a, const search_question *q)
{
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  json_text(&j, "objective", dtc_value_name(DTC_FIELD(space, objective), q->space.objective));
  json_u64(&j, "size", q->size);
  json_axes(&j, q);
  if (a->value[OPT_SPACE] == NULL)
    json_answer(&j, c, q);
  json_end(&j);
}
