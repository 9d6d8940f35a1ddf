/* dtcore explain: which tensor an out-of-memory message is about, and what avoids it. */
#include "cmd.h"
#include "explain.h"
#include "file.h"
#include "plan_legal.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const dtc_cluster *explain_cluster(const explain_question *q)
{
  return q->cluster.given ? &q->cluster.cluster : NULL;
}

uint64_t explain_capacity(const explain_question *q)
{
  return q->cluster.given ? q->cluster.cluster.usable : q->alloc.capacity;
}

void explain_weight(const explain_question *q, const dtc_candidate *one, char *out, size_t cap)
{
  size_t len;
  *out = 0;
  if (one->tensor == DTC_NONE || dtc_model_tensor_name(&q->model.model, one->tensor, out, cap, &len, NULL) != DTC_OK)
    *out = 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The text itself, or with "-" what stands on standard input. */
static int read_message(const cli *c, const char *word, explain_question *q)
{
  size_t len = strlen(word);
  char *log = NULL;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&q->alloc);
  if (strcmp(word, "-") == 0) {
    log = stream_read(stdin, &len);
    if (log == NULL)
      return fail(c, MSG_CANNOT_READ, say(c, MSG_EX_STDIN), strerror(errno));
  }
  dtc_status status = dtc_explain_read(log != NULL ? log : word, len, &q->alloc, &err);
  free(log);
  return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

/* Model, plan and machine; the model is the second operand. */
static int read_question(const cli *c, const args *a, explain_question *q)
{
  const char *params = a->value[OPT_TRAINED];
  args of_model = *a;
  of_model.operand = a->more_count != 0 ? a->more[0] : NULL;
  DTC_INIT(&q->resolved);
  DTC_INIT(&q->memory);
  DTC_INIT(&q->memory_refused);
  if (plan_arg_read(c, a, &q->plan) != 0 || model_arg_read(c, &of_model, &q->plan, &q->model) != 0 ||
      cluster_arg_read(c, a, &q->cluster) != 0)
    return EXIT_BAD_INPUT;
  q->alloc.params = q->model.size_only ? q->model.params : 0;
  if (params != NULL && !text_read_params(params, &q->alloc.params) && !text_read_u64(params, &q->alloc.params))
    return fail(c, MSG_BAD_VALUE, "params", params, "8.53B");
  if (q->model.size_only)
    return 0;
  return plan_legal(c, &q->model.model, explain_cluster(q), &q->plan.plan, q->findings, EXPLAIN_FINDINGS,
                    &q->finding_count, &q->resolved);
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static int ask(const cli *c, explain_question *q)
{
  const dtc_model *m = q->model.size_only ? NULL : &q->model.model;
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_explain_alloc(m, explain_cluster(q), &q->plan.plan, &q->alloc, q->candidates, EXPLAIN_CANDIDATES, &q->count,
                        &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

int cmd_explain(const cli *c, const args *a)
{
  static explain_question q; /* holds a path, findings and candidates: large */
  if (a->operand == NULL)
    return fail(c, MSG_EX_NEEDS_TEXT);
  bool topic = explain_is_topic(a->operand);
  if ((!topic && read_message(c, a->operand, &q) != 0) || read_question(c, a, &q) != 0)
    return EXIT_BAD_INPUT;
  q.memory_known = !q.model.size_only && dtc_memory_estimate(&q.model.model, explain_cluster(&q), &q.plan.plan, NULL, 0,
                                                             &q.memory, &q.memory_refused) == DTC_OK;
  if (topic)
    return explain_topic(c, a, a->operand, &q);
  if (ask(c, &q) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    explain_print_json(c, a, &q);
  else
    explain_print(c, &q);
  return q.count != 0 ? EXIT_YES : EXIT_NO;
}
