/* dtcore pipeline: when each op of a step runs, and which layers each stage has. */
#include "cmd.h"
#include "pipeline_compare.h"
#include "pipeline_draw.h"
#include "pipeline_order.h"
#include "pipeline_split.h"
#include "pipeline_trace.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>

enum { ROWS = 64 };

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* The bubble of 1F1B and of interleaving, as papers write it. */
static double textbook(const pipe_run *r)
{
  double parts = (double)pipe_parts(&r->job);
  return r->totals.busy * (double)(r->job.pp - 1) / (parts * (double)r->job.micro_batches);
}

static void sum_row(table *t, const char *name, double time, const pipe_run *r)
{
  table_cell(t, name);
  table_cell(t, text_time(time).s);
  table_cell(t, text_percent(time, r->totals.makespan).s);
  table_cell(t, text_percent(time, r->totals.busy).s);
}

static void print_sums(const cli *c, const pipe_run *r)
{
  const dtc_pipe_totals *sum = &r->totals;
  table t = table_new("lrrr");
  table_cell(&t, "");
  table_cell(&t, say(c, MSG_PIPE_TIME));
  table_cell(&t, say(c, MSG_PIPE_OF_STEP));
  table_cell(&t, say(c, MSG_PIPE_OF_WORK));
  sum_row(&t, say(c, MSG_PIPE_MAKESPAN), sum->makespan, r);
  sum_row(&t, say(c, MSG_PIPE_BUSY), sum->busy, r);
  sum_row(&t, say(c, MSG_PIPE_BUBBLE), sum->bubble, r);
  sum_row(&t, say(c, MSG_PIPE_SPAN_BUBBLE), sum->span_bubble, r);
  sum_row(&t, say(c, MSG_PIPE_TEXTBOOK), textbook(r), r);
  table_print(c, &t, 2);
  print_line(c, MSG_PIPE_BUBBLES);
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

static bool has_weight_ops(const pipe_run *r)
{
  for (size_t i = 0; i < r->rows * (size_t)r->job.pp; i++) {
    if (r->ops[i].kind == DTC_PIPE_KIND_WEIGHT)
      return true;
  }
  return false;
}

static void print_ranks(const cli *c, const pipe_run *r)
{
  static const msg head[] = {MSG_RANK,      MSG_PIPE_START, MSG_PIPE_END,   MSG_PIPE_WORK,
                             MSG_PIPE_IDLE, MSG_PIPE_HELD,  MSG_PIPE_HELD_W};
  bool split = has_weight_ops(r);
  uint64_t parts = pipe_parts(&r->job);
  table t = table_new("rrrrrrr");
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    table_cell(&t, i != 6 || split ? say(c, head[i]) : "");
  for (uint64_t rank = 0; rank < r->job.pp && rank < ROWS; rank++) {
    const dtc_pipe_rank *one = &r->ranks[rank];
    table_cell(&t, text_u64(rank).s);
    table_cell(&t, text_time(one->start).s);
    table_cell(&t, text_time(one->stop).s);
    table_cell(&t, text_time(one->busy).s);
    table_cell(&t, text_percent(r->totals.makespan - one->busy, r->totals.makespan).s);
    table_cell(&t, text_u64(one->held_input).s);
    table_cell(&t, split ? text_u64(one->held_weight).s : "");
  }
  table_print(c, &t, 2);
  if (r->job.pp > ROWS)
    print_line(c, MSG_PIPE_RANKS_MORE, text_u64(r->job.pp - ROWS).s);
  if (split)
    print_line(c, MSG_PIPE_HELD_NOTE);
  if (parts > 1)
    print_line(c, MSG_PIPE_HELD_CHUNKS, text_u64(parts).s);
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static void run_text(const cli *c, const args *a, const pipe_run *r)
{
  char title[256];
  timeline_title(c, r, title, sizeof title);
  printf("%s\n\n", title);
  timeline_print(c, r);
  putchar('\n');
  print_ranks(c, r);
  putchar('\n');
  print_sums(c, r);
  if (a->value[OPT_PIPE_SVG] != NULL)
    print_line(c, MSG_WRITTEN, a->value[OPT_PIPE_SVG]);
  if (a->value[OPT_PIPE_TRACE] != NULL)
    print_line(c, MSG_WRITTEN, a->value[OPT_PIPE_TRACE]);
}

static void json_ranks(json *j, const pipe_run *r)
{
  json_array(j, "ranks");
  for (uint64_t rank = 0; rank < r->job.pp; rank++) {
    const dtc_pipe_rank *one = &r->ranks[rank];
    json_object(j, NULL);
    json_u64(j, "rank", rank);
    json_f64(j, "start", one->start);
    json_f64(j, "stop", one->stop);
    json_f64(j, "busy", one->busy);
    json_u64(j, "held_input", one->held_input);
    json_u64(j, "held_weight", one->held_weight);
    json_end(j);
  }
  json_end(j);
}

static void run_json(const args *a, const pipe_arg *p, const pipe_run *r)
{
  const dtc_pipe_totals *sum = &r->totals;
  json j;
  json_start(&j, a->command);
  json_pipe(&j, &r->job);
  json_times(&j, p);
  json_object(&j, "totals");
  json_f64(&j, "makespan", sum->makespan);
  json_f64(&j, "busy", sum->busy);
  json_f64(&j, "bubble", sum->bubble);
  json_f64(&j, "span", sum->span);
  json_f64(&j, "span_bubble", sum->span_bubble);
  json_f64(&j, "idle", sum->idle);
  json_f64(&j, "textbook", textbook(r));
  json_end(&j);
  json_ranks(&j, r);
  json_text(&j, "svg", a->value[OPT_PIPE_SVG]);
  json_text(&j, "trace", a->value[OPT_PIPE_TRACE]);
  json_end(&j);
}

static int answer_run(const cli *c, const args *a, const pipe_arg *p, const dtc_pipe *job)
{
  const char *svg = a->value[OPT_PIPE_SVG];
  const char *trace = a->value[OPT_PIPE_TRACE];
  pipe_run r;
  dtc_error err;
  DTC_INIT(&err);
  int code = pipe_run_time(c, p, job, &r, &err);
  if (code == EXIT_NO)
    code = answer_refused(c, a, &err);
  else if (code == 0 && svg != NULL)
    code = timeline_svg(c, &r, svg);
  if (code == 0 && trace != NULL)
    code = trace_write(c, &r, trace);
  if (code == 0 && c->json)
    run_json(a, p, &r);
  else if (code == 0)
    run_text(c, a, &r);
  pipe_run_free(&r);
  return code;
}

/* The answers that an option asks for; a timeline and what it comes to without one. */
static int answer_schedule(const cli *c, const args *a, const pipe_arg *p)
{
  bool order = a->value[OPT_PIPE_ORDER] != NULL;
  bool steps = a->value[OPT_STEPS] != NULL;
  bool files = a->value[OPT_PIPE_SVG] != NULL || a->value[OPT_PIPE_TRACE] != NULL;
  dtc_pipe job;
  dtc_error err;
  DTC_INIT(&job);
  DTC_INIT(&err);
  if (order + steps + files + (p->n > 1) > 1)
    return fail(c, MSG_ONE_OF_PIPES);
  if (p->n > 1)
    return answer_compare(c, a, p);
  if (pipe_arg_job(p, p->schedules[0], &job, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  if (order)
    return answer_order(c, a, &job);
  return steps ? answer_steps(c, a, &job) : answer_run(c, a, p, &job);
}

int cmd_pipeline(const cli *c, const args *a)
{
  static pipe_arg p; /* holds a model */
  bool splits;
  if (split_asked(c, a, &splits) != 0 || pipe_arg_read(c, a, splits, &p) != 0)
    return EXIT_BAD_INPUT;
  return splits ? answer_split(c, a, &p) : answer_schedule(c, a, &p);
}
