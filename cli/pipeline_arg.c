#include "pipeline_arg.h"

#include "shard_arg.h"
#include "text.h"
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double most_time = 1e15; /* as the library takes them */

const char *schedule_name(dtc_schedule schedule)
{
  return dtc_value_name(DTC_FIELD(pipe, schedule), schedule);
}

const char *schedule_home(const dtc_pipe *job)
{
  bool fork = false;
  switch (job->schedule) {
  case DTC_SCHEDULE_DUALPIPE:
    return "deepseek";
  case DTC_SCHEDULE_VPP:
  case DTC_SCHEDULE_GROUP_INTERLEAVED:
  case DTC_SCHEDULE_ZBV:
  case DTC_SCHEDULE_V_HALF:
  case DTC_SCHEDULE_V_MIN:
  case DTC_SCHEDULE_1F1B_V:
  case DTC_SCHEDULE_ZB_H1:
  case DTC_SCHEDULE_ZB_H2:
    fork = job->framework == DTC_FRAMEWORK_MEGATRON;
    break;
  default:
    break;
  }
  return fork ? "zero-bubble" : dtc_value_name(DTC_FIELD(pipe, framework), job->framework);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* A decimal number in [least, 1e15] up to `end`. */
static bool read_number(const char *s, const char *end, double least, double *out)
{
  char *stop;
  bool plain = s != end && strchr("+-.0123456789", *s) != NULL && (s[0] != '0' || (s[1] != 'x' && s[1] != 'X'));
  *out = strtod(s, &stop);
  return plain && stop == end && isfinite(*out) && *out >= least && *out <= most_time;
}

int numbers_read(const cli *c, const args *a, option_id id, double least, double **out, size_t *n)
{
  const char *given = a->value[id];
  size_t cap = 1;
  for (const char *s = given; *s != 0; s++)
    cap += *s == ',';
  *out = grow(NULL, cap * sizeof **out);
  for (*n = 0; *n < cap; (*n)++) {
    size_t len = strcspn(given, ",");
    if (!read_number(given, given + len, least, &(*out)[*n]))
      return fail(c, MSG_BAD_VALUE, options[id].name, a->value[id], options[id].value);
    given += len + 1;
  }
  return 0;
}

/* A time of an option; `out` is left as it is without one. */
static int read_time(const cli *c, const args *a, option_id id, bool positive, double *out)
{
  double time;
  const char *s = a->value[id];
  if (s == NULL)
    return 0;
  if (!read_number(s, s + strlen(s), 0, &time))
    return fail(c, MSG_BAD_VALUE, options[id].name, s, options[id].value);
  if (positive && time <= 0)
    return fail(c, MSG_PIPE_ZERO, options[id].name, s);
  *out = time;
  return 0;
}

/* --backward is both parts; two of the three say the third. */
static int read_backward(const cli *c, const args *a, pipe_arg *out)
{
  double whole = 2 * out->forward;
  bool input = a->value[OPT_INPUT] != NULL;
  bool weight = a->value[OPT_WEIGHT] != NULL;
  if (input && weight && a->value[OPT_BACKWARD] != NULL)
    return fail(c, MSG_PIPE_BACKWARD);
  if (read_time(c, a, OPT_BACKWARD, true, &whole) != 0 || read_time(c, a, OPT_INPUT, true, &out->input) != 0 ||
      read_time(c, a, OPT_WEIGHT, true, &out->weight) != 0)
    return EXIT_BAD_INPUT;
  if (!input)
    out->input = weight ? whole - out->weight : whole / 2;
  if (!weight)
    out->weight = whole - out->input;
  return out->input > 0 && out->weight > 0 ? 0 : fail(c, MSG_PIPE_PARTS);
}

static int read_times(const cli *c, const args *a, pipe_arg *out)
{
  out->forward = 1;
  out->sends = a->value[OPT_BLOCKING] != NULL ? DTC_PIPE_SENDS_BLOCKING : DTC_PIPE_SENDS_ASYNC;
  if (read_time(c, a, OPT_FORWARD, true, &out->forward) != 0 || read_backward(c, a, out) != 0 ||
      read_time(c, a, OPT_LATENCY, false, &out->latency) != 0 ||
      read_time(c, a, OPT_TRANSFER, false, &out->transfer) != 0)
    return EXIT_BAD_INPUT;
  return a->value[OPT_SCALE] == NULL ? 0 : numbers_read(c, a, OPT_SCALE, 0, &out->scale, &out->n_scale);
}

/* ---- job --------------------------------------------------------------------------------------------------------- */

static int read_schedules(const cli *c, const args *a, pipe_arg *out)
{
  const uint32_t field = DTC_FIELD(pipe, schedule);
  const char *given = a->value[OPT_PIPE_SCHEDULE];
  char list[512];
  out->n = 1;
  if (given == NULL)
    return 0;
  if (out->plan.plan.schedule != DTC_SCHEDULE_DEFAULT)
    return fail(c, MSG_PLAN_SAYS, "schedule");
  for (out->n = 0; out->n < MOST_SCHEDULES; given++) {
    size_t len = strcspn(given, ",");
    dtc_schedule one = value_find(field, given, len);
    if (one == 0) {
      char name[64];
      snprintf(name, sizeof name, "%.*s", (int)len, given);
      value_list(c, field, list, sizeof list);
      return fail(c, MSG_UNKNOWN_VALUE, "schedule", name, list);
    }
    out->schedules[out->n++] = one;
    given += len;
    if (*given == 0)
      return 0;
  }
  return fail(c, MSG_BAD_VALUE, "schedule", a->value[OPT_PIPE_SCHEDULE], options[OPT_PIPE_SCHEDULE].value);
}

/* What the plan says; with a model everything that follows from it, the micro-batches of a batch too. */
static int read_plan(const cli *c, const args *a, pipe_arg *out)
{
  const dtc_plan *given = &out->plan.plan;
  const dtc_model *model = out->plan.has_model ? &out->plan.model : NULL;
  dtc_plan plan = *given;
  dtc_error err;
  DTC_INIT(&err);
  if (model != NULL && a->value[OPT_PLAN] != NULL && dtc_plan_resolve(model, NULL, given, &plan, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  out->schedules[0] = given->schedule;
  out->pipe.framework = given->framework;
  out->pipe.pp = plan.pp;
  out->pipe.vpp = given->vpp;
  out->pipe.micro_batches = plan.accumulation;
  return 0;
}

int pipe_arg_read(const cli *c, const args *a, bool splits, pipe_arg *out)
{
  memset(out, 0, sizeof *out);
  DTC_INIT(&out->pipe);
  if (plan_arg_read(c, a, &out->plan) != 0 || read_plan(c, a, out) != 0 || read_schedules(c, a, out) != 0 ||
      fields_set(c, a, DTC_STRUCT_pipe, &out->pipe) != 0 || read_times(c, a, out) != 0)
    return EXIT_BAD_INPUT;
  out->pipe.forward_only = a->value[OPT_FORWARD_ONLY] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  out->pipe.moe_overlap = a->value[OPT_MOE_OVERLAP] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  if (out->pipe.pp == 0 || (out->pipe.micro_batches == 0 && !splits))
    return fail(c, splits ? MSG_PIPE_NEEDS_PP : MSG_PIPE_NEEDS);
  if (out->pipe.micro_batches == 0)
    out->pipe.micro_batches = 2 * out->pipe.pp; /* every schedule runs with as many */
  return 0;
}

uint64_t pipe_parts(const dtc_pipe *job)
{
  return job->schedule == DTC_SCHEDULE_DUALPIPE ? 1 : job->vpp;
}

dtc_status pipe_arg_job(const pipe_arg *p, dtc_schedule schedule, dtc_pipe *out, dtc_error *err)
{
  dtc_pipe job = p->pipe;
  job.schedule = schedule;
  /* Generators work with the ratios: units as their authors', who take 1000 for an op. */
  double unit = 1000 / p->forward;
  job.forward = 1000;
  job.input = p->input * unit;
  job.weight = p->weight * unit;
  dtc_status status = dtc_pipe_resolve(&job, out, err);
  if (status != DTC_OK)
    return status;
  job.hop = (p->latency + p->transfer) * unit * (double)pipe_parts(out);
  return dtc_pipe_resolve(&job, out, err);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Null for what a schedule does not have, and for no limit. */
static void json_count(json *j, const char *key, uint64_t n)
{
  if (n == 0 || n == DTC_NONE)
    json_null(j, key);
  else
    json_u64(j, key, n);
}

void json_pipe(json *j, const dtc_pipe *job)
{
  json_object(j, "pipe");
  json_text(j, "schedule", schedule_name(job->schedule));
  json_text(j, "framework", dtc_value_name(DTC_FIELD(pipe, framework), job->framework));
  json_bool(j, "forward_only", job->forward_only == DTC_BOOL_ON);
  json_bool(j, "moe_overlap", job->moe_overlap == DTC_BOOL_ON);
  json_bool(j, "p2p_overlap", job->p2p_overlap == DTC_BOOL_ON);
  json_u64(j, "pp", job->pp);
  json_u64(j, "vpp", job->vpp);
  json_u64(j, "micro_batches", job->micro_batches);
  json_count(j, "group", job->group);
  json_count(j, "limit", job->limit);
  json_end(j);
}

void json_times(json *j, const pipe_arg *p)
{
  json_object(j, "times");
  json_f64(j, "forward", p->forward);
  json_f64(j, "input", p->input);
  json_f64(j, "weight", p->weight);
  json_f64(j, "latency", p->latency);
  json_f64(j, "transfer", p->transfer);
  json_bool(j, "blocking", p->sends == DTC_PIPE_SENDS_BLOCKING);
  json_end(j);
}
