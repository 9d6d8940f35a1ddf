/* pipe_times.csv: when the ranks of a pipeline begin and end, by an event simulation of the peers' orders. */
#include "pipe.h"

#include <stdio.h>
#include <stdlib.h>

/* A row's job with all that is computed for it. */
typedef struct timed {
  dtc_pipe p;
  dtc_pipe_op *ops;
  dtc_pipe_time *times;
  dtc_pipe_rank *ranks;
  dtc_pipe_cost *costs;
  uint64_t *scratch;
  size_t n_ops;
  size_t n_costs;
  size_t n_scratch;
} timed;

/* One column: the ranks' values, joined by ';'. */
typedef struct values {
  char *text;
  size_t len;
  size_t cap;
} values;

static uint64_t stages_of(const dtc_pipe *p)
{
  return p->schedule == DTC_SCHEDULE_DUALPIPE ? p->pp : p->pp * p->vpp;
}

/* Scale 1: every stage takes what the row says. Scale edge: ten times as much, the first eleven, the last thirteen; but a
 * model of one stage as before. */
static void set_costs(golden *g, timed *t)
{
  int edge = golden_is(g, "scale", "edge") && t->n_costs > 1;
  for (size_t i = 0; i < t->n_costs; i++) {
    double factor = !edge ? 1 : i == 0 ? 11 : i + 1 == t->n_costs ? 13 : 10;
    t->costs[i].forward = factor * (double)golden_number(g, "tF");
    t->costs[i].input = factor * (double)golden_number(g, "tI");
    t->costs[i].weight = factor * (double)golden_number(g, "tW");
  }
}

static int allocate(golden *g, timed *t)
{
  uint64_t rows = 0, scratch = 0;
  dtc_error err;
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_pipe_count(&t->p, &rows, &err), &err) ||
      !golden_ok(g, dtc_pipe_scratch(&t->p, &scratch, &err), &err))
    return 0;
  t->n_ops = (size_t)(rows * t->p.pp);
  t->n_costs = (size_t)stages_of(&t->p);
  t->n_scratch = (size_t)scratch;
  t->ops = calloc(t->n_ops + 1, sizeof *t->ops);
  t->times = calloc(t->n_ops + 1, sizeof *t->times);
  t->ranks = calloc(t->p.pp, sizeof *t->ranks);
  t->costs = calloc(t->n_costs, sizeof *t->costs);
  t->scratch = calloc(t->n_scratch + 1, sizeof *t->scratch);
  if (t->ops != NULL && t->times != NULL && t->ranks != NULL && t->costs != NULL && t->scratch != NULL)
    return 1;
  golden_refused(g, "no memory");
  return 0;
}

static void release(timed *t)
{
  free(t->ops);
  free(t->times);
  free(t->ranks);
  free(t->costs);
  free(t->scratch);
}

/* Order, times and ranks; a message takes latency alone. */
static int compute(golden *g, timed *t)
{
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  dtc_pipe_sends sends = golden_is(g, "model", "sync") ? DTC_PIPE_SENDS_BLOCKING : DTC_PIPE_SENDS_ASYNC;
  double latency = (double)golden_number(g, "c");
  return golden_ok(g, dtc_pipe_order(&t->p, t->ops, t->n_ops, &count, t->scratch, t->n_scratch, &err), &err) &&
         golden_ok(g,
                   dtc_pipe_simulate(&t->p, t->ops, count, t->costs, t->n_costs, latency, 0, sends, t->times, t->n_ops,
                                     &count, t->scratch, t->n_scratch, &err),
                   &err) &&
         golden_ok(g,
                   dtc_pipe_ranks(&t->p, t->ops, count, t->costs, t->n_costs, t->times, count, t->ranks, t->p.pp,
                                  &count, &err),
                   &err);
}

static void put_value(values *v, double value)
{
  int n = snprintf(v->text + v->len, v->cap - v->len, "%s%.17g", v->len > 0 ? ";" : "", value);
  v->len += n > 0 && (size_t)n < v->cap - v->len ? (size_t)n : 0;
}

/* When a rank is done. With blocking sends the file counts the last gradient's send, which ends where the rank before
 * begins its last op, as that waits for it. */
static double end_of(golden *g, const timed *t, uint64_t rank)
{
  size_t rows = t->n_ops / t->p.pp;
  return golden_is(g, "model", "sync") && rank > 0 ? t->times[rank * rows - 1].start : t->ranks[rank].stop;
}

static void answer(golden *g, const timed *t)
{
  char start[4096] = "", end[4096] = "", busy[4096] = "", makespan[32];
  values starts = {start, 0, sizeof start}, ends = {end, 0, sizeof end}, busies = {busy, 0, sizeof busy};
  dtc_pipe_totals sum;
  dtc_error err;
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_pipe_sum(t->ranks, t->p.pp, &sum, &err), &err))
    return;
  for (uint64_t rank = 0; rank < t->p.pp; rank++) {
    put_value(&starts, t->ranks[rank].start);
    put_value(&ends, end_of(g, t, rank));
    put_value(&busies, t->ranks[rank].busy);
  }
  snprintf(makespan, sizeof makespan, "%.17g", sum.makespan);
  golden_text(g, "makespan", makespan);
  golden_text(g, "first_start", start);
  golden_text(g, "end", end);
  golden_text(g, "busy", busy);
}

void golden_pipe_times(golden *g)
{
  timed t = {0};
  dtc_pipe asked;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&t.p);
  if (!pipe_read(g, &asked) || !golden_ok(g, dtc_pipe_resolve(&asked, &t.p, &err), &err))
    return;
  if (allocate(g, &t)) {
    set_costs(g, &t);
    if (compute(g, &t))
      answer(g, &t);
  }
  release(&t);
}
