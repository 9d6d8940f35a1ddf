/* dtcore step --simulate: the order of the pipeline, run with the times of its stages. */
#include "pipeline_run.h"
#include "step.h"

#include <stdlib.h>

/* What is timed: the plan, or where its schedule has no closed form the same with one that has, and the layers of the
 * ranks as the plan lays them: what happens in a layer and once a step is the same in both. */
typedef struct timed {
  dtc_plan plan;
  dtc_stage *stages; /* NULL for those of the plan */
  size_t n;
} timed;

static int timed_as(const cli *c, const step_question *q, timed *out)
{
  dtc_error err;
  DTC_INIT(&err);
  *out = (timed){.plan = q->plan.plan};
  if (!q->simulated.only)
    return 0;
  out->plan.schedule = q->resolved.vpp > 1 ? DTC_SCHEDULE_INTERLEAVED : DTC_SCHEDULE_1F1B;
  out->n = (size_t)q->resolved.pp;
  out->stages = grow(NULL, out->n * sizeof *out->stages);
  for (size_t i = 0; i < out->n; i++) {
    DTC_INIT(&out->stages[i]);
    if (dtc_plan_stage(&q->model.model, &q->resolved, i, &out->stages[i], &err) != DTC_OK)
      return fail_with(c, NULL, &err);
  }
  return 0;
}

static int terms_of(const cli *c, const timed *as, step_question *q)
{
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_step_estimate(&q->model.model, step_cluster(q), &as->plan, as->stages, as->n, &q->params, &q->step, &err) !=
          DTC_OK ||
      dtc_step_terms(&q->model.model, step_cluster(q), &as->plan, as->stages, as->n, &q->params, q->terms, STEP_TERMS,
                     &q->term_count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

/* Seconds of a message between two stages. */
static double hop_of(const step_question *q)
{
  double hop = 0;
  for (size_t i = 0; i < q->term_count; i++)
    hop = q->terms[i].item == DTC_STEP_ITEM_PP ? q->terms[i].each : hop;
  return hop;
}

static int costs_of(const cli *c, const step_question *q, pipe_run *out)
{
  size_t n = (size_t)(q->resolved.pp * q->resolved.vpp);
  dtc_error err;
  DTC_INIT(&err);
  out->costs = grow(NULL, n * sizeof *out->costs);
  return dtc_step_costs(&q->model.model, step_cluster(q), &q->plan.plan, NULL, 0, &q->params, out->costs, n,
                        &out->n_costs, &err) == DTC_OK
             ? 0
             : fail_with(c, NULL, &err);
}

/* Generated orders follow from the ratios of the times; their authors take 1000 for an op. */
static void plan_with(const dtc_pipe_cost *costs, size_t n, double hop, dtc_pipe *job)
{
  double forward = 0;
  double input = 0;
  double weight = 0;
  for (size_t i = 0; i < n; i++) {
    forward += costs[i].forward;
    input += costs[i].input;
    weight += costs[i].weight;
  }
  if (!(forward > 0))
    return;
  job->forward = 1000;
  job->input = input / forward * 1000;
  job->weight = weight / forward * 1000;
  job->hop = hop * (double)n / forward * 1000;
}

static dtc_pipe_sends sends_of(const dtc_pipe *job)
{
  bool waits = job->framework == DTC_FRAMEWORK_MEGATRON && job->schedule == DTC_SCHEDULE_1F1B;
  return waits ? DTC_PIPE_SENDS_BLOCKING : DTC_PIPE_SENDS_ASYNC;
}

static int run(const cli *c, const step_question *q, pipe_run *out)
{
  double hop = hop_of(q);
  dtc_pipe job;
  dtc_error err;
  pipe_run times = {0};
  DTC_INIT(&job);
  DTC_INIT(&err);
  if (dtc_pipe_from_plan(&q->resolved, &job, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  if (costs_of(c, q, &times) != 0)
    return pipe_run_free(&times), EXIT_BAD_INPUT;
  plan_with(times.costs, times.n_costs, hop, &job);
  int code = pipe_run_order(c, &job, out, &err);
  out->costs = times.costs;
  out->n_costs = times.n_costs;
  if (code == 0)
    code = pipe_run_with(c, 0, hop, sends_of(&job), out, &err);
  return code == EXIT_NO ? fail_with(c, NULL, &err) : code;
}

/* The step with the pipeline of the simulation: messages between stages are in its bubble, and stragglers a share of the
 * rest as before. */
static dtc_step with(const dtc_step *s, const step_simulated *sim)
{
  double rest = s->seconds - s->bubble - s->pp - s->stragglers;
  double share = s->stragglers / (s->seconds - s->stragglers);
  dtc_step out = *s;
  out.pp = 0;
  out.bubble = sim->bubble;
  out.stragglers = (rest + sim->bubble) * share;
  out.seconds = rest + sim->bubble + out.stragglers;
  out.low = s->low / s->seconds * out.seconds;
  out.high = s->high / s->seconds * out.seconds;
  out.tokens_per_gpu_second = s->tokens_per_gpu_second * s->seconds / out.seconds;
  out.flops_per_gpu_second = s->flops_per_gpu_second * s->seconds / out.seconds;
  out.mfu = s->mfu * s->seconds / out.seconds;
  out.hfu = s->hfu * s->seconds / out.seconds;
  out.limit = DTC_STEP_ITEM_NONE;
  double most = 0;
  for (size_t i = 0; i < STEP_ITEMS; i++) {
    double seconds = step_item_seconds(&out, &step_items[i]);
    if (step_items[i].item > DTC_STEP_ITEM_EXPERTS && seconds > most) {
      most = seconds;
      out.limit = step_items[i].item;
    }
  }
  return out;
}

/* Terms of the pipeline that was borrowed. */
static void drop_terms(step_question *q)
{
  size_t kept = 0;
  for (size_t i = 0; i < q->term_count; i++) {
    dtc_step_item item = q->terms[i].item;
    if (item != DTC_STEP_ITEM_PP && item != DTC_STEP_ITEM_BUBBLE && item != DTC_STEP_ITEM_STRAGGLERS)
      q->terms[kept++] = q->terms[i];
  }
  q->term_count = kept;
}

static void take(step_question *q, const pipe_run *r)
{
  step_simulated *sim = &q->simulated;
  sim->ran = true;
  sim->makespan = r->totals.makespan;
  sim->bubble = r->totals.makespan - r->totals.busy;
  sim->closed = q->step.bubble + q->step.pp;
  dtc_step simulated = with(&q->step, sim);
  sim->seconds = simulated.seconds;
  if (!sim->only)
    return;
  q->step = simulated;
  DTC_INIT(&q->refused);
  drop_terms(q);
}

int step_simulate(const cli *c, step_question *q)
{
  pipe_run r = {0};
  timed as;
  int code = timed_as(c, q, &as) != 0 || terms_of(c, &as, q) != 0 ? EXIT_BAD_INPUT : run(c, q, &r);
  if (code == 0)
    take(q, &r);
  pipe_run_free(&r);
  free(as.stages);
  return code;
}
