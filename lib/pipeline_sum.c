/* What a pipeline's ops add up to: times and activations of each rank, makespan and bubbles of all. */
#include "internal/pipeline_work.h"

#include <float.h>

static int is_finite(double v)
{
  return v >= -DBL_MAX && v <= DBL_MAX; /* false for NaN */
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* A rank while its ops are gone through. */
typedef struct tally {
  dtc_pipe_rank sum;
  uint64_t held_input;
  uint64_t held_weight;
  uint64_t bytes;
  int begun;
} tally;

/* A forward makes activations; 0 when there are more bytes than a word holds. */
static int make(tally *t, const dtc_pipe_cost *cost)
{
  int bad = 0;
  t->bytes = dtci_add(t->bytes, cost->freed_input + cost->freed_weight, &bad);
  t->sum.held_input = dtci_larger(t->sum.held_input, ++t->held_input);
  t->sum.held_weight = dtci_larger(t->sum.held_weight, ++t->held_weight);
  t->sum.bytes = dtci_larger(t->sum.bytes, t->bytes);
  return !bad;
}

/* A backward frees some; 0 when there are none. */
static int free_part(tally *t, uint32_t kind, const dtc_pipe_cost *cost)
{
  int input = kind != DTC_PIPE_KIND_WEIGHT;
  int weight = kind != DTC_PIPE_KIND_INPUT;
  uint64_t bytes = (input ? cost->freed_input : 0) + (weight ? cost->freed_weight : 0);
  if ((input && t->held_input == 0) || (weight && t->held_weight == 0) || t->bytes < bytes)
    return 0;
  t->held_input -= (uint64_t)input;
  t->held_weight -= (uint64_t)weight;
  t->bytes -= bytes;
  return 1;
}

/* Activations of the op at `row`, which exists. */
static dtc_status hold(const dtci_pipe_work *work, uint64_t rank, uint64_t row, tally *t, dtc_error *e)
{
  dtc_pipe_op op = work->ops[row];
  const dtc_pipe_cost *cost = dtci_pipe_cost_of(work, rank, op.chunk);
  if (op.kind == DTC_PIPE_KIND_FORWARD)
    return make(t, cost) ? DTC_OK : dtci_fail_overflow(e, DTC_FIELD(pipe_cost, freed_weight), cost->freed_weight);
  return free_part(t, op.kind, cost) ? DTC_OK : dtci_pipe_fail_row(row, e);
}

/* Of a pair the forward's activations are there before the backward's are freed. */
static dtc_status hold_pair(const dtci_pipe_work *work, uint64_t rank, uint64_t row, tally *t, dtc_error *e)
{
  int swapped = work->ops[row + 1].kind == DTC_PIPE_KIND_FORWARD;
  TRY(hold(work, rank, row + (uint64_t)swapped, t, e));
  return hold(work, rank, row + (uint64_t)!swapped, t, e);
}

static dtc_status time_in(const dtc_pipe_time *time, uint64_t row, dtc_error *e)
{
  int wrong_start = !is_finite(time->start);
  double got = wrong_start ? time->start : time->stop;
  double least = wrong_start ? -DBL_MAX : time->start;
  uint32_t field = wrong_start ? DTC_FIELD(pipe_time, start) : DTC_FIELD(pipe_time, stop);
  if (!wrong_start && time->stop >= time->start && is_finite(time->stop - time->start))
    return DTC_OK;
  dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_ELEMENT, field, dtci_word_of(got), dtci_word_of(least),
                   dtci_word_of(DBL_MAX));
  e->other_got = row;
  return e->status;
}

static dtc_status rank_of(const dtci_pipe_work *work, const dtc_pipe_time *times, uint64_t rank, tally *t, dtc_error *e)
{
  uint64_t end = (rank + 1) * work->rows;
  for (uint64_t row = rank * work->rows, step = 1; row < end; row += step) {
    dtc_pipe_op op = work->ops[row];
    step = 1;
    if (op.kind == DTC_PIPE_KIND_NONE)
      continue;
    if (!dtci_pipe_op_known(op, work->p.vpp, work->each) ||
        (op.fused && !dtci_pipe_pair_known(work->ops, row, end, work->p.vpp, work->each)))
      return dtci_pipe_fail_row(row, e);
    TRY(time_in(&times[row], row, e));
    t->sum.start = t->begun ? t->sum.start : times[row].start;
    t->sum.stop = times[row].stop;
    t->sum.busy += times[row].stop - times[row].start; /* of a pair once */
    t->begun = 1;
    TRY(op.fused ? hold_pair(work, rank, row, t, e) : hold(work, rank, row, t, e));
    step += op.fused;
  }
  if (!is_finite(t->sum.busy))
    return dtci_fail_overflow(e, DTCI_ARG(TIMES), rank);
  return DTC_OK;
}

static dtc_status ranks(const dtci_pipe_work *work, size_t n_ops, const dtc_pipe_time *times, size_t n_times,
                        dtc_pipe_rank *out, size_t cap, size_t *count, dtc_error *e)
{
  uint64_t pp = work->p.pp;
  if (n_times != n_ops)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH, DTCI_ARG(TIMES), n_times, n_ops, n_ops);
  if (cap < pp) {
    *count = dtci_count(pp);
    return dtci_fail_space(e, cap, pp);
  }
  for (uint64_t rank = 0; rank < pp; rank++) {
    tally t = {0};
    TRY(rank_of(work, times, rank, &t, e));
    out[rank] = t.sum;
  }
  *count = dtci_count(pp);
  return DTC_OK;
}

dtc_status dtc_pipe_ranks(const dtc_pipe *pipe, const dtc_pipe_op *ops, size_t n_ops, const dtc_pipe_cost *costs,
                          size_t n_costs, const dtc_pipe_time *times, size_t n_times, dtc_pipe_rank *out, size_t cap,
                          size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_pipe_work work;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_pipe_work_in(&work, pipe, ops, n_ops, costs, n_costs, &e);
  if (status == DTC_OK)
    status = ranks(&work, n_ops, times, n_times, out, cap, count, &e);
  return dtci_end(status, &e, err);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Beyond these the sums over 4,096 ranks need not be finite. */
#define TIME_MOST (DBL_MAX / 8192)

static int is_summed(double v)
{
  return v >= -TIME_MOST && v <= TIME_MOST; /* false for NaN */
}

static dtc_status fail_rank(uint32_t field, double got, double least, uint64_t rank, dtc_error *e)
{
  dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_ELEMENT, field, dtci_word_of(got), dtci_word_of(least),
                   dtci_word_of(TIME_MOST));
  e->other_got = rank;
  return e->status;
}

static dtc_status rank_in(const dtc_pipe_rank *r, uint64_t rank, dtc_error *e)
{
  if (!is_summed(r->start))
    return fail_rank(DTC_FIELD(pipe_rank, start), r->start, -TIME_MOST, rank, e);
  if (!(r->stop >= r->start && is_summed(r->stop)))
    return fail_rank(DTC_FIELD(pipe_rank, stop), r->stop, r->start, rank, e);
  if (!(r->busy >= 0 && is_summed(r->busy)))
    return fail_rank(DTC_FIELD(pipe_rank, busy), r->busy, 0, rank, e);
  return DTC_OK;
}

/* What is left of a time; rounding of sums does not make it negative. */
static double left_of(double whole, double part)
{
  return whole > part ? whole - part : 0;
}

static dtc_status sum(const dtc_pipe_rank *r, size_t n, dtc_pipe_totals *out, dtc_error *e)
{
  dtc_pipe_totals t = {0};
  double first = 0;
  double last = 0;
  double busy = 0;
  TRY(dtci_check_range(e, DTCI_ARG(RANKS), n, 1, 4096));
  for (size_t i = 0; i < n; i++) {
    TRY(rank_in(&r[i], i, e));
    double span = r[i].stop - r[i].start;
    double idle = left_of(span, r[i].busy);
    first = i == 0 || r[i].start < first ? r[i].start : first;
    last = i == 0 || r[i].stop > last ? r[i].stop : last;
    busy += r[i].busy;
    t.busy = r[i].busy > t.busy ? r[i].busy : t.busy;
    t.span = span > t.span ? span : t.span;
    t.span_bubble = idle > t.span_bubble ? idle : t.span_bubble;
    if (r[i].bytes > t.bytes) {
      t.bytes = r[i].bytes;
      t.rank = i;
    }
  }
  t.makespan = last - first;
  t.bubble = left_of(t.makespan, t.busy);
  t.idle = t.makespan > 0 ? left_of(1, busy / ((double)n * t.makespan)) : 0;
  *out = t;
  return DTC_OK;
}

dtc_status dtc_pipe_sum(const dtc_pipe_rank *ranks_in, size_t n_ranks, dtc_pipe_totals *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(sum(ranks_in, n_ranks, out, &e), &e, err);
}
