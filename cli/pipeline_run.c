#include "pipeline_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Ops that are held in memory, 24 bytes each and scratch. */
static const uint64_t most_ops = (uint64_t)1 << 24;

text text_time(double time)
{
  text t;
  bool whole = time >= 0 && time < 1e15 && time == (double)(uint64_t)time;
  snprintf(t.s, sizeof t.s, whole ? "%.0f" : "%.6g", time);
  return t;
}

uint64_t pipe_stage(const dtc_pipe *job, uint64_t rank, uint64_t chunk)
{
  uint64_t stage = 0;
  dtc_status status = dtc_pipe_stage(job, rank, chunk, &stage, NULL);
  return status == DTC_OK ? stage : 0; /* a job that was resolved has it */
}

text pipe_token(const dtc_pipe *job, const dtc_pipe_op *op)
{
  static const char letters[] = "-FBIW";
  text t;
  if (job->vpp > 1)
    snprintf(t.s, sizeof t.s, "%c%" PRIu32 ".%u", letters[op->kind], op->micro_batch, (unsigned)op->chunk);
  else
    snprintf(t.s, sizeof t.s, "%c%" PRIu32, letters[op->kind], op->micro_batch);
  return t;
}

static double cost_of(const pipe_run *r, size_t row)
{
  const dtc_pipe_op *op = &r->ops[row];
  const dtc_pipe_cost *cost = r->costs;
  if (r->n_costs > 1)
    cost += pipe_stage(&r->job, row / r->rows, op->chunk);
  switch (op->kind) {
  case DTC_PIPE_KIND_FORWARD:
    return cost->forward;
  case DTC_PIPE_KIND_BACKWARD:
    return cost->input + cost->weight;
  case DTC_PIPE_KIND_INPUT:
    return cost->input;
  default:
    return cost->weight;
  }
}

dtc_pipe_time pipe_op_time(const pipe_run *r, size_t row)
{
  dtc_pipe_time t = r->times[row];
  bool first = r->ops[row].fused != 0;
  bool second = row % r->rows != 0 && r->ops[row - 1].fused != 0;
  if (first)
    t.stop = t.start + cost_of(r, row);
  else if (second)
    t.start = t.stop - cost_of(r, row);
  return t;
}

void pipe_run_free(pipe_run *r)
{
  free(r->ops);
  free(r->times);
  free(r->costs);
  free(r->ranks);
  *r = (pipe_run){0};
}

/* Refused by a rule of pipelines: an answer, not bad input. */
static int judge(const cli *c, const dtc_error *err)
{
  bool rule = err->rule >= DTC_RULE_PIPE_FRAMEWORK && err->rule < DTC_RULE_SPLIT_DIVIDES;
  return rule ? EXIT_NO : fail_with(c, NULL, err);
}

static uint64_t *scratch_of(const dtc_pipe *job, size_t *n)
{
  uint64_t needed = 0;
  if (dtc_pipe_scratch(job, &needed, NULL) != DTC_OK || needed > SIZE_MAX / sizeof(uint64_t) - 1)
    needed = 0; /* too large is told by what uses it */
  *n = (size_t)needed;
  return grow(NULL, (*n + 1) * sizeof(uint64_t));
}

int pipe_run_order(const cli *c, const dtc_pipe *job, pipe_run *out, dtc_error *err)
{
  uint64_t rows;
  size_t n;
  size_t count;
  *out = (pipe_run){.job = *job};
  if (dtc_pipe_count(job, &rows, err) != DTC_OK)
    return judge(c, err);
  if (rows > most_ops / job->pp)
    return fail(c, MSG_PIPE_MOST, schedule_name(job->schedule), text_thousands(rows * job->pp).s,
                text_thousands(most_ops).s);
  uint64_t *scratch = scratch_of(job, &n);
  out->rows = (size_t)rows;
  count = out->rows * (size_t)job->pp;
  out->ops = grow(NULL, (count + 1) * sizeof *out->ops);
  dtc_status status = dtc_pipe_order(job, out->ops, count, &count, scratch, n, err);
  free(scratch);
  return status == DTC_OK ? 0 : judge(c, err);
}

/* Costs of the stages: the times that were given, cut into chunks, and their factors. */
static int find_costs(const cli *c, const pipe_arg *p, pipe_run *out)
{
  uint64_t parts = pipe_parts(&out->job);
  double share = 1 / (double)parts;
  uint64_t stages = out->job.pp * parts;
  if (p->scale != NULL && p->n_scale != out->job.pp && p->n_scale != stages)
    return fail(c, MSG_PIPE_SCALE, text_u64(p->n_scale).s, text_u64(out->job.pp).s, text_u64(stages).s);
  out->n_costs = p->scale == NULL ? 1 : (size_t)stages;
  out->costs = grow(NULL, out->n_costs * sizeof *out->costs);
  for (size_t i = 0; i < out->n_costs; i++) {
    double factor = p->scale == NULL ? share : share * p->scale[p->n_scale == stages ? i : i / (size_t)parts];
    out->costs[i] =
        (dtc_pipe_cost){.forward = p->forward * factor, .input = p->input * factor, .weight = p->weight * factor};
  }
  return 0;
}

int pipe_run_with(const cli *c, double latency, double transfer, dtc_pipe_sends sends, pipe_run *out, dtc_error *err)
{
  const dtc_pipe *job = &out->job;
  size_t scratches;
  size_t n;
  size_t count = out->rows * (size_t)job->pp;
  uint64_t *scratch = scratch_of(job, &scratches);
  out->times = grow(NULL, (count + 1) * sizeof *out->times);
  out->ranks = grow(NULL, (size_t)job->pp * sizeof *out->ranks);
  dtc_status status = dtc_pipe_simulate(job, out->ops, count, out->costs, out->n_costs, latency, transfer, sends,
                                        out->times, count, &n, scratch, scratches, err);
  free(scratch);
  if (status == DTC_OK)
    status = dtc_pipe_ranks(job, out->ops, count, out->costs, out->n_costs, out->times, count, out->ranks,
                            (size_t)job->pp, &n, err);
  if (status == DTC_OK)
    status = dtc_pipe_sum(out->ranks, n, &out->totals, err);
  return status == DTC_OK ? 0 : judge(c, err);
}

int pipe_run_time(const cli *c, const pipe_arg *p, const dtc_pipe *job, pipe_run *out, dtc_error *err)
{
  int code = pipe_run_order(c, job, out, err);
  if (code == 0)
    code = find_costs(c, p, out);
  return code == 0 ? pipe_run_with(c, p->latency, p->transfer, p->sends, out, err) : code;
}
