#include "collective_runs.h"

#include "collective_print.h"
#include "file.h"
#include "report.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static dtc_timing *points_of(const cli *c, const char *name, const char *log, size_t len, size_t *n)
{
  dtc_timing *points = NULL;
  dtc_error err;
  DTC_INIT(&err);
  dtc_status status = dtc_collective_read(log, len, NULL, 0, n, &err);
  if (status == DTC_E_SPACE) {
    points = grow(NULL, *n * sizeof *points);
    status = dtc_collective_read(log, len, points, *n, n, &err);
  }
  if (status == DTC_OK)
    return points;
  free(points);
  return fail_with(c, name, &err), NULL;
}

dtc_timing *runs_read(const cli *c, const char *path, size_t *n)
{
  const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
  size_t len;
  char *log = name == path ? file_read(path, &len) : stream_read(stdin, &len);
  if (log == NULL)
    return fail(c, MSG_CANNOT_READ, name, strerror(errno)), NULL;
  dtc_timing *points = points_of(c, name, log, len, n);
  free(log);
  return points;
}

/* ---- --judge ----------------------------------------------------------------------------------------------------- */

typedef struct judged {
  dtc_timing run;
  dtc_verdict verdict;
} judged;

static size_t count_bad(const judged *list, size_t n)
{
  size_t bad = 0;
  for (size_t i = 0; i < n; i++)
    bad += list[i].verdict.grade != DTC_GRADE_GOOD;
  return bad;
}

static void judge_text(const cli *c, const collective_arg *arg, const judged *list, size_t n)
{
  static const msg head[] = {MSG_COLL_SIZE,     MSG_COLL_MEASURED, MSG_COLL_EXPECTED, MSG_COLL_OF_EXPECT,
                             MSG_COLL_OF_BOUND, MSG_COLL_VERDICT,  MSG_COLL_REASON};
  table t = table_new("rrrrrll");
  print_call(c, arg, "");
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < n; i++) {
    const dtc_verdict *v = &list[i].verdict;
    table_cell(&t, text_binary(list[i].run.bytes).s);
    table_cell(&t, text_seconds(list[i].run.seconds).s);
    table_cell(&t, text_seconds(v->expected).s);
    table_cell(&t, text_whole_percent(v->of_expected).s);
    table_cell(&t, text_whole_percent(v->of_bound).s);
    table_cell(&t, say_grade(c, v->grade));
    table_cell(&t, say_reason(c, v->reason));
  }
  table_print(c, &t, 2);
  print_line(c, MSG_COLL_SUM, text_u64(count_bad(list, n)).s, text_u64(n).s);
}

static void judge_json(const args *a, const collective_arg *arg, const judged *list, size_t n)
{
  json j;
  json_start(&j, a->command);
  json_call(&j, arg);
  json_array(&j, "runs");
  for (size_t i = 0; i < n; i++) {
    const dtc_verdict *v = &list[i].verdict;
    json_object(&j, NULL);
    json_u64(&j, "bytes", list[i].run.bytes);
    json_f64(&j, "seconds", list[i].run.seconds);
    json_text(&j, "grade", dtc_value_name(DTC_FIELD(verdict, grade), v->grade));
    json_text(&j, "reason", dtc_value_name(DTC_FIELD(verdict, reason), v->reason));
    json_text(&j, "confidence", dtc_value_name(DTC_FIELD(verdict, confidence), v->confidence));
    json_f64(&j, "expected", v->expected);
    json_f64(&j, "of_expected", v->of_expected);
    json_f64(&j, "of_bound", v->of_bound);
    json_f64(&j, "explained", v->explained);
    json_end(&j);
  }
  json_end(&j);
  json_u64(&j, "below", count_bad(list, n));
  json_end(&j);
}

/* Verdicts of the runs that took time. */
static int judge_all(const cli *c, const collective_arg *arg, const dtc_timing *points, size_t *n, judged *out)
{
  size_t kept = 0;
  for (size_t i = 0; i < *n; i++) {
    dtc_collective_call call = arg->call;
    dtc_error err;
    DTC_INIT(&err);
    if (points[i].seconds <= 0)
      continue;
    call.bytes = points[i].bytes;
    out[kept].run = points[i];
    DTC_INIT(&out[kept].verdict);
    if (dtc_collective_judge(&arg->cluster, &call, points[i].seconds, &out[kept].verdict, &err) != DTC_OK)
      return fail_with(c, text_binary(points[i].bytes).s, &err);
    kept++;
  }
  *n = kept;
  return 0;
}

int answer_judge(const cli *c, const args *a, collective_arg *arg)
{
  size_t n;
  if (collective_arg_resolve(c, arg) != 0)
    return EXIT_BAD_INPUT;
  dtc_timing *points = runs_read(c, a->value[OPT_JUDGE], &n);
  if (points == NULL)
    return EXIT_BAD_INPUT;
  judged *list = grow(NULL, n * sizeof *list);
  int code = judge_all(c, arg, points, &n, list);
  if (code == 0) {
    if (c->json)
      judge_json(a, arg, list, n);
    else
      judge_text(c, arg, list, n);
    code = count_bad(list, n) > 0 ? EXIT_NO : EXIT_YES;
  }
  free(list);
  free(points);
  return code;
}

/* ---- --fit ------------------------------------------------------------------------------------------------------- */

static void law_text(const cli *c, const collective_arg *arg, const dtc_collective_law *law)
{
  char k[32];
  snprintf(k, sizeof k, "%.3g", law->shape);
  print_line(c, MSG_LAW_TITLE, arg->op_name, text_u64(arg->call.ranks).s, text_u64(law->points).s);
  print_line(c, MSG_LAW_LATENCY, text_seconds(law->latency).s);
  print_line(c, MSG_LAW_BANDWIDTH, text_gb(law->bandwidth).s);
  print_line(c, MSG_LAW_SHAPE, k);
  print_line(c, MSG_LAW_ERROR, text_whole_percent(law->error).s, text_whole_percent(law->worst).s);
}

static void law_json(const args *a, const collective_arg *arg, const dtc_collective_law *law)
{
  json j;
  json_start(&j, a->command);
  json_text(&j, "op", arg->op_name);
  json_u64(&j, "ranks", arg->call.ranks);
  json_object(&j, "law");
  json_u64(&j, "points", law->points);
  json_f64(&j, "latency", law->latency);
  json_f64(&j, "bandwidth", law->bandwidth);
  json_f64(&j, "k", law->shape);
  json_f64(&j, "mean_error", law->error);
  json_f64(&j, "worst_error", law->worst);
  json_end(&j);
  json_end(&j);
}

int answer_law(const cli *c, const args *a, const collective_arg *arg)
{
  size_t n;
  dtc_collective_law law;
  dtc_error err;
  DTC_INIT(&law);
  DTC_INIT(&err);
  if (arg->call.ranks == 0)
    return fail(c, MSG_NEEDS_RANKS);
  dtc_timing *points = runs_read(c, a->value[OPT_FIT], &n);
  if (points == NULL)
    return EXIT_BAD_INPUT;
  dtc_status status = dtc_collective_fit(points, n, arg->call.ranks, arg->call.op, &law, &err);
  free(points);
  if (status != DTC_OK)
    return fail_with(c, a->value[OPT_FIT], &err);
  if (c->json)
    law_json(a, arg, &law);
  else
    law_text(c, arg, &law);
  return EXIT_YES;
}
