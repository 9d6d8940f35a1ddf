/* dtcore step --measured, --nccl: constants that fit what a user measured. */
#include "collective_arg.h"
#include "collective_runs.h"
#include "file.h"
#include "step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a step waits for the host the sum is not linear in the factors: two rounds settle it (dtc_step_fit()). */
enum { ROUNDS = 2, PLACE = 256 };

/* A step of the user's: a line of the file. */
typedef struct measured {
  dtc_model model;
  dtc_plan plan;
  const dtc_cluster *cluster;
  double seconds;
  size_t line;
} measured;

typedef struct measured_list {
  const char *path;
  measured *all;
  size_t n;
} measured_list;

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static int fail_line(const cli *c, const char *path, size_t line, const dtc_error *err)
{
  char where[PLACE];
  snprintf(where, sizeof where, "%s:%zu", path, line);
  return fail_with(c, where, err);
}

/* Cuts " seconds=12.3" out of a line. */
static bool cut_seconds(char *line, double *seconds)
{
  static const char key[] = "seconds=";
  char *word = strstr(line, key);
  while (word != NULL && word != line && strchr(" \t", word[-1]) == NULL)
    word = strstr(word + 1, key);
  if (word == NULL)
    return false;
  char number[64];
  size_t n = strcspn(word, " \t\r");
  size_t digits = n - strlen(key);
  if (digits >= sizeof number)
    return false;
  memcpy(number, word + strlen(key), digits);
  number[digits] = 0;
  memset(word, ' ', n);
  return text_read_positive(number, seconds) && strstr(line, " seconds=") == NULL;
}

static bool is_blank(const char *line)
{
  line += strspn(line, " \t\r");
  return *line == 0 || *line == '#';
}

static int read_line(const cli *c, const step_question *q, char *line, const char *path, measured *out)
{
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&out->model);
  DTC_INIT(&out->plan);
  if (!cut_seconds(line, &out->seconds))
    return fail(c, MSG_TIME_LINE, path, text_u64(out->line).s);
  if (dtc_plan_parse(line, strlen(line), &out->model, &out->plan, &err) != DTC_OK)
    return fail_line(c, path, out->line, &err);
  if (out->model.layers == 0)
    out->model = q->model.model;
  /* Without dp the plan takes the GPUs there are. */
  out->cluster = out->plan.dp == 0 ? &q->cluster.cluster : &q->cluster.usual;
  return 0;
}

static int read_lines(const cli *c, const step_question *q, char *content, measured_list *out)
{
  size_t number = 1;
  for (char *line = content; line != NULL; number++) {
    char *end = strchr(line, '\n');
    if (end != NULL)
      *end++ = 0;
    if (!is_blank(line)) {
      if ((out->n & (out->n - 1)) == 0) /* full at each power of two */
        out->all = grow(out->all, (out->n == 0 ? 1 : out->n * 2) * sizeof *out->all);
      out->all[out->n].line = number;
      if (read_line(c, q, line, out->path, &out->all[out->n]) != 0)
        return EXIT_BAD_INPUT;
      out->n++;
    }
    line = end;
  }
  return out->n != 0 ? 0 : fail(c, MSG_TIME_NO_LINES, out->path);
}

static int read_file(const cli *c, const step_question *q, measured_list *out)
{
  size_t len;
  char *content = strcmp(out->path, "-") == 0 ? stream_read(stdin, &len) : file_read(out->path, &len);
  if (content == NULL)
    return fail(c, MSG_CANNOT_READ, out->path, strerror(errno));
  content = grow(content, len + 1);
  content[len] = 0;
  int code = strlen(content) == len ? read_lines(c, q, content, out)
                                    : fail(c, MSG_LINT_BINARY, out->path, text_u64(strlen(content)).s);
  free(content);
  return code;
}

/* ---- fitting ----------------------------------------------------------------------------------------------------- */

/* Estimates of all steps with the parameters, and their mean error. */
static int measure(const cli *c, const measured_list *l, const dtc_step_params *params, dtc_step_sample *samples,
                   double *error)
{
  *error = 0;
  for (size_t i = 0; i < l->n; i++) {
    const measured *m = &l->all[i];
    dtc_step step;
    dtc_error err;
    DTC_INIT(&step);
    DTC_INIT(&err);
    if (dtc_step_estimate(&m->model, m->cluster, &m->plan, NULL, 0, params, &step, &err) != DTC_OK ||
        dtc_step_measure(&step, m->seconds, &samples[i], &err) != DTC_OK)
      return fail_line(c, l->path, m->line, &err);
    double off = step.seconds / m->seconds - 1;
    *error += (off < 0 ? -off : off) / (double)l->n;
  }
  return 0;
}

static void multiply(dtc_step_fitted *all, const dtc_step_fitted *round)
{
  all->products *= round->products;
  all->attention *= round->attention;
  all->memory *= round->memory;
  all->communication *= round->communication;
  all->host *= round->host;
}

static int fit(const cli *c, const measured_list *l, dtc_step_sample *samples, step_question *q)
{
  dtc_step_fitted *all = &q->calibrated.fitted;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(all);
  all->products = all->attention = all->memory = all->communication = all->host = 1;
  if (measure(c, l, &q->params, samples, &all->before) != 0)
    return EXIT_BAD_INPUT;
  for (size_t i = 0; i < ROUNDS; i++) {
    dtc_step_fitted round;
    DTC_INIT(&round);
    if (dtc_step_fit(samples, l->n, &q->params, &q->params, &round, &err) != DTC_OK)
      return fail_with(c, l->path, &err);
    multiply(all, &round);
    if (measure(c, l, &q->params, samples, &all->after) != 0)
      return EXIT_BAD_INPUT;
  }
  q->calibrated.steps = l->n;
  return 0;
}

static int fit_steps(const cli *c, const char *path, step_question *q)
{
  measured_list list = {.path = path};
  int code = read_file(c, q, &list);
  if (code == 0) {
    dtc_step_sample *samples = grow(NULL, list.n * sizeof *samples);
    code = fit(c, &list, samples, q);
    free(samples);
  }
  free(list.all);
  return code;
}

/* ---- nccl-tests -------------------------------------------------------------------------------------------------- */

static int fit_messages(const cli *c, const args *a, const char *path, step_question *q)
{
  const char *op = a->value[OPT_NCCL_OP];
  dtc_collective_call call;
  dtc_error err;
  size_t n;
  DTC_INIT(&call);
  DTC_INIT(&err);
  call.op = DTC_COLLECTIVE_ALL_REDUCE;
  if ((op != NULL && collective_op_read(c, op, &call.op) != 0) ||
      args_number(c, a, OPT_NCCL_GPUS, 2, q->cluster.gpus, &call.ranks) != 0)
    return EXIT_BAD_INPUT;
  if (call.ranks == 0)
    call.ranks = q->resolved.tp * q->resolved.cp * q->resolved.pp * q->resolved.dp;
  dtc_timing *points = runs_read(c, path, &n);
  if (points == NULL)
    return EXIT_BAD_INPUT;
  dtc_status status = dtc_step_fit_collective(&q->cluster.usual, &call, points, n, &q->params, &q->params, &err);
  free(points);
  if (status != DTC_OK)
    return fail_with(c, path, &err);
  q->calibrated.points = n;
  q->calibrated.messages = q->params.communication;
  return 0;
}

int step_calibrate(const cli *c, const args *a, step_question *q)
{
  const char *steps = a->value[OPT_MEASURED];
  const char *log = a->value[OPT_STEP_NCCL];
  if (log != NULL && fit_messages(c, a, log, q) != 0)
    return EXIT_BAD_INPUT;
  return steps == NULL ? 0 : fit_steps(c, steps, q);
}
