/* dtcore step --tokens: days, GPU-hours, cost and energy of a run. */
#include "step.h"

#include "table.h"

#include <stdio.h>

/* A figure of an option; left as it is without one. */
static int read_figure(const cli *c, const args *a, option_id id, double *out)
{
  const char *given = a->value[id];
  return given == NULL || text_read_positive(given, out)
             ? 0
             : fail(c, MSG_BAD_VALUE, options[id].name, given, options[id].value);
}

/* Weights, master weights and moments; 14 bytes a parameter where they follow from the shapes of tensors. */
static uint64_t checkpoint_bytes(const step_question *q)
{
  dtc_plan plan = q->resolved;
  dtc_model_states s;
  DTC_INIT(&s);
  plan.dp = plan.cp = plan.dp_shard = 1;
  plan.global_batch = plan.accumulation = 0;
  plan.sharding = DTC_SHARDING_DDP;
  if (dtc_memory_states(q->model.params, &plan, &s, NULL) == DTC_OK)
    return s.weights + s.master + s.moments;
  return q->model.params * 14;
}

int step_run(const cli *c, const args *a, step_question *q)
{
  const char *given = a->value[OPT_TOKENS];
  dtc_run_call *call = &q->call;
  const dtc_plan *p = &q->resolved;
  uint64_t tokens;
  dtc_cluster none;
  dtc_error err;
  DTC_INIT(call);
  DTC_INIT(&q->run);
  DTC_INIT(&none);
  DTC_INIT(&err);
  if (given == NULL)
    return 0;
  if ((!text_read_params(given, &tokens) && !text_read_u64(given, &tokens)) || tokens == 0)
    return fail(c, MSG_BAD_VALUE, "tokens", given, "15T, 300B, 1.4e12");
  if (read_figure(c, a, OPT_CHECKPOINT_WRITE, &call->write_seconds) != 0 ||
      read_figure(c, a, OPT_RESTART, &call->restart_seconds) != 0 ||
      read_figure(c, a, OPT_RUN_INTERVAL, &call->interval_seconds) != 0 || read_figure(c, a, OPT_PUE, &call->pue) != 0)
    return EXIT_BAD_INPUT;
  if (!q->cluster.given)
    return fail(c, MSG_NEEDS_GPU);
  call->tokens = (double)tokens;
  call->step_seconds = step_seconds(q);
  call->step_tokens = (double)p->global_batch * (double)p->seq;
  call->gpus = p->tp * p->cp * p->pp * p->dp;
  call->checkpoint_bytes = checkpoint_bytes(q);
  return dtc_run_estimate(step_cluster(q), call, &q->run, &err) == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

text step_span(const cli *c, double seconds)
{
  static const struct {
    double of;
    msg name;
  } units[] = {{86400, MSG_UNIT_DAYS}, {3600, MSG_UNIT_HOURS}, {60, MSG_UNIT_MINUTES}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    double n = seconds / units[i].of;
    char number[32];
    text t;
    if (n < 2)
      continue;
    snprintf(number, sizeof number, n < 99.95 ? "%.1f" : "%.0f", n);
    write_line(c, t.s, sizeof t.s, units[i].name, number);
    return t;
  }
  return text_seconds(seconds);
}

/* ---- showing ------------------------------------------------------------------------------------------------------ */

static void spent_row(const cli *c, table *t, msg name, double seconds, double whole)
{
  if (!(seconds > 0))
    return;
  table_cell(t, say(c, name));
  table_cell(t, step_span(c, seconds).s);
  table_cell(t, text_whole_percent(seconds / whole).s);
  table_cell(t, bar_of(c, seconds, whole).s);
}

static void print_checkpoints(const cli *c, const step_question *q)
{
  const dtc_run *r = &q->run;
  if (r->mtbf_seconds > 0)
    print_line(c, MSG_RUN_FAILURES, text_rate(r->failures).s, step_span(c, r->mtbf_seconds).s);
  else
    print_line(c, MSG_RUN_NO_MTBF);
  if (r->checkpoint_seconds > 0)
    print_line(c, MSG_RUN_CHECKPOINTS, step_span(c, r->interval_seconds).s, text_rate(r->interval_steps).s);
  if (r->best_interval > 0)
    print_line(c, MSG_RUN_BEST, step_span(c, r->best_interval).s);
  if (q->call.write_seconds > 0)
    return;
  if (q->cluster.cluster.storage_bandwidth > 0)
    print_line(c, MSG_RUN_WRITE, text_gb((double)q->call.checkpoint_bytes).s,
               step_span(c, (double)q->call.checkpoint_bytes / q->cluster.cluster.storage_bandwidth).s);
  else
    print_line(c, MSG_RUN_NO_WRITE);
}

void step_print_run(const cli *c, const step_question *q)
{
  const dtc_run *r = &q->run;
  char line[512];
  char days[32];
  table t = table_new("lrrl");
  snprintf(days, sizeof days, r->days < 99.95 ? "%.3g" : "%.0f", r->days);
  write_line(c, line, sizeof line, MSG_RUN_LINE, text_rate(q->call.tokens).s, text_rate(r->steps).s, days,
             text_rate(r->gpu_hours).s, text_percent(r->goodput, 1).s);
  puts("");
  text_wrap(line, 2);
  if (r->cost > 0)
    print_line(c, MSG_RUN_COST, text_rate(r->cost).s);
  if (r->energy > 0)
    print_line(c, MSG_RUN_ENERGY, text_rate(r->energy / 3.6e9).s);
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, "");
  spent_row(c, &t, MSG_RUN_PRODUCTIVE, r->productive_seconds, r->seconds);
  spent_row(c, &t, MSG_RUN_WRITING, r->checkpoint_seconds, r->seconds);
  spent_row(c, &t, MSG_RUN_LOST, r->lost_seconds, r->seconds);
  spent_row(c, &t, MSG_RUN_RESTARTS, r->restart_seconds, r->seconds);
  table_print(c, &t, 2);
  print_checkpoints(c, q);
}

static void json_positive(json *j, const char *key, double value)
{
  if (value > 0)
    json_f64(j, key, value);
  else
    json_null(j, key);
}

void step_json_run(json *j, const step_question *q)
{
  const dtc_run *r = &q->run;
  if (!(q->call.tokens > 0)) {
    json_null(j, "run");
    return;
  }
  json_object(j, "run");
  json_f64(j, "tokens", q->call.tokens);
  json_u64(j, "checkpoint_bytes", q->call.checkpoint_bytes);
  json_f64(j, "steps", r->steps);
  json_f64(j, "seconds", r->seconds);
  json_f64(j, "days", r->days);
  json_f64(j, "productive_seconds", r->productive_seconds);
  json_f64(j, "checkpoint_seconds", r->checkpoint_seconds);
  json_f64(j, "lost_seconds", r->lost_seconds);
  json_f64(j, "restart_seconds", r->restart_seconds);
  json_f64(j, "failures", r->failures);
  json_positive(j, "mtbf_seconds", r->mtbf_seconds);
  json_positive(j, "interval_seconds", r->interval_seconds);
  json_positive(j, "interval_steps", r->interval_steps);
  json_positive(j, "best_interval", r->best_interval);
  json_f64(j, "goodput", r->goodput);
  json_f64(j, "gpu_hours", r->gpu_hours);
  json_positive(j, "cost", r->cost);
  json_positive(j, "energy", r->energy);
  json_end(j);
}
