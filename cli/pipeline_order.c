#include "pipeline_order.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int answer_refused(const cli *c, const args *a, const dtc_error *err)
{
  char line[1024];
  json j;
  if (err->rule != DTC_RULE_PIPE_MEMORY && err->rule != DTC_RULE_BALANCE_LIMIT)
    return fail_with(c, NULL, err);
  if (!c->json) {
    dtc_error_format(err, c->lang, line, sizeof line);
    puts(line);
    return EXIT_NO;
  }
  json_start(&j, a->command);
  json_bool(&j, "found", false);
  json_finding(&j, c, "reason", err);
  json_end(&j);
  return EXIT_NO;
}

/* ---- words of a line --------------------------------------------------------------------------------------------- */

/* A line of words in lines of the terminal's width. */
typedef struct words {
  size_t indent;
  size_t at;
} words;

static void words_start(words *w, uint64_t rank)
{
  w->at = w->indent = (size_t)printf("%s:", text_u64(rank).s);
}

static void words_add(words *w, const char *word)
{
  size_t n = strlen(word);
  if (w->at + 1 + n > TABLE_WIDTH) {
    printf("\n%*s", (int)w->indent, "");
    w->at = w->indent;
  }
  printf(" %s", word);
  w->at += 1 + n;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* An op, or both of a fused pair: "F3.0+B1.1". Gives how many rows it takes. */
static size_t op_word(const pipe_run *r, size_t row, char out[192])
{
  bool pair = r->ops[row].fused != 0 && (row + 1) % r->rows != 0;
  text first = pipe_token(&r->job, &r->ops[row]);
  text second = pair ? pipe_token(&r->job, &r->ops[row + 1]) : (text){""};
  snprintf(out, 192, "%s%s%s", first.s, pair ? "+" : "", second.s);
  return pair ? 2 : 1;
}

/* The words of a rank, to a line or to an array. */
static void rank_words(const pipe_run *r, uint64_t rank, words *w, json *j)
{
  size_t end = ((size_t)rank + 1) * r->rows;
  for (size_t row = (size_t)rank * r->rows; row < end && r->ops[row].kind != DTC_PIPE_KIND_NONE;) {
    char word[192];
    row += op_word(r, row, word);
    if (j != NULL)
      json_text(j, NULL, word);
    else
      words_add(w, word);
  }
}

int answer_order(const cli *c, const args *a, const dtc_pipe *job)
{
  pipe_run r;
  json j;
  dtc_error err;
  DTC_INIT(&err);
  int code = pipe_run_order(c, job, &r, &err);
  if (code == EXIT_NO)
    code = answer_refused(c, a, &err);
  if (code == 0 && c->json) {
    json_start(&j, a->command);
    json_pipe(&j, job);
    json_array(&j, "order");
  }
  for (uint64_t rank = 0; code == 0 && rank < job->pp; rank++) {
    words w;
    if (!c->json)
      words_start(&w, rank);
    else
      json_array(&j, NULL);
    rank_words(&r, rank, &w, c->json ? &j : NULL);
    if (!c->json)
      putchar('\n');
    else
      json_end(&j);
  }
  if (code == 0 && c->json) {
    json_end(&j);
    json_end(&j);
  }
  pipe_run_free(&r);
  return code;
}

/* ---- DeepSpeed's instructions ------------------------------------------------------------------------------------ */

/* "ForwardPass(1)", in their names; those that work on no buffer have none. */
static void step_word(const dtc_pipe_step *s, char out[64])
{
  static const char *const names[] = {
      "",         "LoadMicroBatch", "ForwardPass",     "BackwardPass", "SendActivation", "RecvActivation",
      "SendGrad", "RecvGrad",       "ReduceTiedGrads", "ReduceGrads",  "OptimizerStep"};
  const char *name = s->what < sizeof names / sizeof *names ? names[s->what] : "?";
  if (s->what >= DTC_PIPE_INSTRUCTION_REDUCE_TIED)
    snprintf(out, 64, "%s", name);
  else
    snprintf(out, 64, "%s(%u)", name, (unsigned)s->buffer);
}

static void steps_text(const cli *c, uint64_t rank, const dtc_pipe_step *steps, size_t n)
{
  words w;
  print_line(c, rank == 0 ? MSG_PIPE_STEPS_FIRST : MSG_PIPE_STEPS, text_u64(rank).s);
  for (size_t i = 0; i < n;) {
    uint32_t step = steps[i].step;
    fputs("  ", stdout);
    words_start(&w, step);
    w.indent += 2;
    w.at += 2;
    for (; i < n && steps[i].step == step; i++) {
      char word[64];
      step_word(&steps[i], word);
      words_add(&w, word);
    }
    putchar('\n');
  }
}

static void steps_json(json *j, const dtc_pipe_step *steps, size_t n)
{
  json_array(j, NULL);
  for (size_t i = 0; i < n; i++) {
    char word[64];
    step_word(&steps[i], word);
    json_object(j, NULL);
    json_u64(j, "step", steps[i].step);
    json_text(j, "instruction", word);
    json_end(j);
  }
  json_end(j);
}

/* The instructions of a rank; NULL with the reason printed. */
static dtc_pipe_step *steps_of(const cli *c, const dtc_pipe *job, uint64_t rank, size_t *n)
{
  dtc_pipe_step *steps = NULL;
  dtc_error err;
  DTC_INIT(&err);
  *n = 0;
  dtc_status status = dtc_pipe_steps(job, rank, NULL, 0, n, &err);
  if (status == DTC_E_SPACE) {
    steps = grow(NULL, (*n + 1) * sizeof *steps);
    status = dtc_pipe_steps(job, rank, steps, *n, n, &err);
  }
  if (status == DTC_OK)
    return steps != NULL ? steps : grow(NULL, sizeof *steps);
  fail_with(c, NULL, &err);
  free(steps);
  return NULL;
}

int answer_steps(const cli *c, const args *a, const dtc_pipe *job)
{
  json j;
  for (uint64_t rank = 0; rank < job->pp; rank++) {
    size_t n;
    dtc_pipe_step *steps = steps_of(c, job, rank, &n);
    if (steps == NULL)
      return EXIT_BAD_INPUT;
    if (c->json && rank == 0) {
      json_start(&j, a->command);
      json_pipe(&j, job);
      json_array(&j, "steps");
    }
    if (c->json)
      steps_json(&j, steps, n);
    else
      steps_text(c, rank, steps, n);
    free(steps);
  }
  if (c->json) {
    json_end(&j);
    json_end(&j);
  }
  return EXIT_YES;
}
