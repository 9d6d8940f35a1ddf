#include "pipeline_compare.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Micro-batches that a schedule takes, found by asking for one number after the other. */
typedef struct needs {
  uint64_t least;
  uint64_t step; /* all that are legal are multiples of it */
  bool gaps;     /* not every multiple from `least` on */
} needs;

typedef struct row {
  dtc_schedule schedule;
  dtc_error err; /* why it cannot run; DTC_OK when it can */
  dtc_pipe job;
  dtc_pipe_totals totals;
  double held_input; /* most activations of a rank, in those of one of pp stages */
  double held_weight;
  uint64_t messages; /* sent by the rank that sends most */
  needs needs;
} row;

/* ---- settings ---------------------------------------------------------------------------------------------------- */

/* A setting that this schedule does not have is another one's: it is left out. */
static bool drop_setting(pipe_arg *p, const dtc_error *err)
{
  if (err->rule == DTC_RULE_PIPE_CHUNKS && p->pipe.vpp != 0) {
    p->pipe.vpp = 0;
    return true;
  }
  if (err->rule != DTC_RULE_PIPE_SETTING)
    return false;
  if (err->field == DTC_FIELD(pipe, vpp) && p->pipe.vpp != 0)
    p->pipe.vpp = 0;
  else if (err->field == DTC_FIELD(pipe, group) && p->pipe.group != 0)
    p->pipe.group = 0;
  else if (err->field == DTC_FIELD(pipe, limit) && p->pipe.limit != 0)
    p->pipe.limit = 0;
  else if (err->field == DTC_FIELD(pipe, moe_overlap) && p->pipe.moe_overlap != DTC_BOOL_DEFAULT)
    p->pipe.moe_overlap = DTC_BOOL_DEFAULT;
  else
    return false;
  return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static needs find_needs(const pipe_arg *p, dtc_schedule schedule)
{
  needs found = {0};
  uint64_t count = 0;
  uint64_t last = 0;
  pipe_arg other = *p;
  for (uint64_t m = 1; m <= 4 * p->pipe.pp + 4; m++) {
    dtc_pipe job;
    DTC_INIT(&job);
    other.pipe.micro_batches = m;
    if (pipe_arg_job(&other, schedule, &job, NULL) != DTC_OK)
      continue;
    found.least = found.least == 0 ? m : found.least;
    found.step = common_divisor(m, found.step);
    last = m;
    count++;
  }
  found.gaps = count != 0 && (last - found.least) / found.step + 1 != count;
  return found;
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* Whether the result of an op goes to another rank. */
static bool is_sent(const pipe_run *r, uint64_t rank, const dtc_pipe_op *op, const uint64_t *owners)
{
  uint64_t stages = r->job.pp * pipe_parts(&r->job);
  uint64_t stage = pipe_stage(&r->job, rank, op->chunk);
  bool forward = op->kind == DTC_PIPE_KIND_FORWARD;
  if (op->kind == DTC_PIPE_KIND_NONE || op->kind == DTC_PIPE_KIND_WEIGHT || stage == (forward ? stages - 1 : 0))
    return false;
  return r->job.schedule == DTC_SCHEDULE_DUALPIPE || owners[forward ? stage + 1 : stage - 1] != rank;
}

static uint64_t count_messages(const pipe_run *r)
{
  uint64_t most = 0;
  uint64_t *owners = grow(NULL, (size_t)(r->job.pp * r->job.vpp) * sizeof *owners);
  for (uint64_t rank = 0; rank < r->job.pp; rank++)
    for (uint64_t chunk = 0; chunk < r->job.vpp; chunk++)
      owners[pipe_stage(&r->job, rank, chunk)] = rank;
  for (uint64_t rank = 0; rank < r->job.pp; rank++) {
    uint64_t sent = 0;
    for (size_t i = 0; i < r->rows; i++)
      sent += is_sent(r, rank, &r->ops[(size_t)rank * r->rows + i], owners);
    most = sent > most ? sent : most;
  }
  free(owners);
  return most;
}

static void fill_row(const pipe_run *r, row *out)
{
  uint64_t input = 0;
  uint64_t weight = 0;
  for (uint64_t rank = 0; rank < r->job.pp; rank++) {
    input = r->ranks[rank].held_input > input ? r->ranks[rank].held_input : input;
    weight = r->ranks[rank].held_weight > weight ? r->ranks[rank].held_weight : weight;
  }
  out->job = r->job;
  out->totals = r->totals;
  out->held_input = (double)input / (double)pipe_parts(&r->job);
  out->held_weight = (double)weight / (double)pipe_parts(&r->job);
  out->messages = count_messages(r);
}

static int find_row(const cli *c, const pipe_arg *given, dtc_schedule schedule, row *out)
{
  pipe_arg p = *given;
  pipe_run r = {0};
  *out = (row){.schedule = schedule};
  DTC_INIT(&out->err);
  DTC_INIT(&out->job);
  dtc_status status;
  do
    status = pipe_arg_job(&p, schedule, &out->job, &out->err);
  while (status != DTC_OK && drop_setting(&p, &out->err));
  if (status != DTC_OK)
    return out->err.rule >= DTC_RULE_PIPE_FRAMEWORK ? 0 : fail_with(c, NULL, &out->err);
  out->needs = find_needs(&p, schedule);
  int code = pipe_run_time(c, &p, &out->job, &r, &out->err);
  if (code == 0) {
    fill_row(&r, out);
    DTC_INIT(&out->err);
  }
  pipe_run_free(&r);
  return code == EXIT_BAD_INPUT ? code : 0;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void needs_text(const cli *c, const needs *n, char out[64])
{
  if (n->step > 1)
    write_line(c, out, 64, n->gaps ? MSG_PIPE_SOME : MSG_PIPE_MULTIPLES, text_u64(n->step).s);
  else if (n->gaps)
    write_line(c, out, 64, MSG_PIPE_NOT_ALL, text_u64(n->least).s);
  else
    write_line(c, out, 64, n->least <= 1 ? MSG_PIPE_ANY : MSG_PIPE_AT_LEAST, text_u64(n->least).s);
  if (n->step > 1 && !n->gaps && n->least > n->step)
    write_line(c, out, 64, MSG_PIPE_MULTIPLES_FROM, text_u64(n->step).s, text_u64(n->least).s);
}

static text share(double part)
{
  text t;
  snprintf(t.s, sizeof t.s, "%.4g", part);
  return t;
}

static void print_row(const cli *c, const row *r, table *t)
{
  char words[64];
  bool ran = r->err.status == DTC_OK;
  table_cell(t, schedule_name(r->schedule));
  table_cell(t, r->job.framework != 0 ? schedule_home(&r->job) : "");
  table_cell(t, r->job.vpp != 0 ? text_u64(r->job.vpp).s : "");
  table_cell(t, ran ? text_time(r->totals.makespan).s : "-");
  table_cell(t, ran ? text_percent(r->totals.bubble, r->totals.makespan).s : "");
  table_cell(t, ran ? text_percent(r->totals.span_bubble, r->totals.makespan).s : "");
  table_cell(t, ran ? share(r->held_input).s : "");
  table_cell(t, ran ? share(r->held_weight).s : "");
  table_cell(t, ran ? text_u64(r->messages).s : "");
  needs_text(c, &r->needs, words);
  table_cell(t, ran ? words : say(c, MSG_PIPE_REFUSED));
}

static void compare_text(const cli *c, const pipe_arg *p, const row *rows)
{
  static const msg head[] = {MSG_PIPE_SCHEDULE,   MSG_PIPE_WHOSE,    MSG_PIPE_VPP,    MSG_PIPE_MAKESPAN,
                             MSG_PIPE_BUBBLE_PCT, MSG_PIPE_SPAN_PCT, MSG_PIPE_HELD_S, MSG_PIPE_HELD_W_S,
                             MSG_PIPE_SENT,       MSG_PIPE_TAKES};
  bool twice = false;
  bool any = false;
  table t = table_new("llrrrrrrrl");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < p->n; i++)
    print_row(c, &rows[i], &t);
  print_line(c, MSG_PIPE_COMPARE, text_u64(p->pipe.pp).s, text_u64(p->pipe.micro_batches).s, text_time(p->forward).s,
             text_time(p->input).s, text_time(p->weight).s);
  table_print(c, &t, 2);
  for (size_t i = 0; i < p->n; i++) {
    char line[1024];
    any = any || rows[i].err.status == DTC_OK;
    twice = twice || (rows[i].err.status == DTC_OK && rows[i].schedule == DTC_SCHEDULE_DUALPIPE);
    if (rows[i].err.status == DTC_OK)
      continue;
    char words[1200];
    dtc_error_format(&rows[i].err, c->lang, line, sizeof line);
    write_line(c, words, sizeof words, MSG_REFUSED, schedule_name(rows[i].schedule), line);
    text_wrap(words, 4);
  }
  if (any)
    print_line(c, MSG_PIPE_COMPARE_NOTE);
  if (twice)
    print_line(c, MSG_PIPE_TWICE);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_row(const cli *c, json *j, const row *r)
{
  bool ran = r->err.status == DTC_OK;
  json_object(j, NULL);
  json_text(j, "schedule", schedule_name(r->schedule));
  json_text(j, "framework",
            r->job.framework != 0 ? dtc_value_name(DTC_FIELD(pipe, framework), r->job.framework) : NULL);
  if (!ran) {
    json_finding(j, c, "reason", &r->err);
    json_end(j);
    return;
  }
  json_null(j, "reason");
  json_u64(j, "vpp", r->job.vpp);
  json_f64(j, "makespan", r->totals.makespan);
  json_f64(j, "busy", r->totals.busy);
  json_f64(j, "bubble", r->totals.bubble);
  json_f64(j, "span_bubble", r->totals.span_bubble);
  json_f64(j, "held_input", r->held_input);
  json_f64(j, "held_weight", r->held_weight);
  json_u64(j, "messages", r->messages);
  json_u64(j, "least", r->needs.least);
  json_u64(j, "multiple", r->needs.step);
  json_bool(j, "gaps", r->needs.gaps);
  json_end(j);
}

static void compare_json(const cli *c, const args *a, const pipe_arg *p, const row *rows)
{
  json j;
  json_start(&j, a->command);
  json_u64(&j, "pp", p->pipe.pp);
  json_u64(&j, "micro_batches", p->pipe.micro_batches);
  json_times(&j, p);
  json_array(&j, "schedules");
  for (size_t i = 0; i < p->n; i++)
    json_row(c, &j, &rows[i]);
  json_end(&j);
  json_end(&j);
}

int answer_compare(const cli *c, const args *a, const pipe_arg *p)
{
  row rows[MOST_SCHEDULES];
  int code = EXIT_NO;
  for (size_t i = 0; i < p->n; i++) {
    if (find_row(c, p, p->schedules[i], &rows[i]) != 0)
      return EXIT_BAD_INPUT;
    if (rows[i].err.status == DTC_OK)
      code = EXIT_YES;
  }
  if (c->json)
    compare_json(c, a, p, rows);
  else
    compare_text(c, p, rows);
  return code;
}
