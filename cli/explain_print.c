/* dtcore explain: the candidates in words. */
#include "explain.h"

#include "plan_short.h"
#include "table.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

/* 786.00 MiB, 12.94 GiB: as PyTorch prints; what is less than a MiB in bytes. */
static text size_text(uint64_t bytes)
{
  bool large = bytes > (uint64_t)1 << 30;
  text t = text_thousands(bytes);
  size_t len = strlen(t.s);
  if (bytes < (uint64_t)1 << 20)
    snprintf(t.s + len, sizeof t.s - len, " B");
  else
    snprintf(t.s, sizeof t.s, "%.2f %s", (double)bytes / (large ? 1073741824.0 : 1048576.0), large ? "GiB" : "MiB");
  return t;
}

/* How near a candidate is. Only allocators of devices round. */
static msg nearness(const explain_question *q, const dtc_candidate *one)
{
  if (one->distance != 0)
    return MSG_EX_NEAR;
  return q->alloc.device == DTC_ALLOC_DEVICE_HOST ? MSG_EX_TO_BYTE : MSG_EX_EXACT;
}

/* ---- what was read ----------------------------------------------------------------------------------------------- */

static void print_read(const cli *c, const dtc_alloc *a)
{
  static const msg devices[] = {MSG_EX_GPU, MSG_EX_GPU, MSG_EX_NPU, MSG_EX_HOST};
  const char *device = say(c, devices[a->device < 4 ? a->device : 0]);
  const struct {
    msg name;
    uint64_t bytes;
  } beside[] = {{MSG_EX_CAPACITY, a->capacity},
                {MSG_EX_IN_USE, a->in_use},
                {MSG_EX_ALLOCATED, a->allocated},
                {MSG_EX_RESERVED, a->reserved},
                {MSG_EX_FREE, a->free}};
  if (a->kind != DTC_ALLOC_KIND_REQUEST)
    print_line(c, MSG_EX_READ_RESIDENT, size_text(a->bytes).s, device);
  else if (a->low == a->high)
    print_line(c, MSG_EX_READ_EXACT, size_text(a->bytes).s, device, text_thousands(a->low).s);
  else
    print_line(c, MSG_EX_READ_REQUEST, size_text(a->bytes).s, device, text_thousands(a->low).s,
               text_thousands(a->high).s);
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    if (beside[i].bytes != 0)
      print_line(c, beside[i].name, text_gib(beside[i].bytes).s);
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

/* "so the micro-batch was 4"; "" when nothing was solved. */
static void solved_text(const cli *c, const dtc_candidate *one, char *out, size_t cap)
{
  static const msg says[] = {MSG_EMPTY,       MSG_EX_SAYS_MICRO_BATCH, MSG_EX_SAYS_TOKENS,
                             MSG_EX_SAYS_SEQ, MSG_EX_SAYS_RANKS,       MSG_EX_SAYS_PARAMS};
  *out = 0;
  if (one->solved != DTC_SOLVED_NONE && one->solved < sizeof says / sizeof *says)
    write_line(c, out, cap, says[one->solved], text_thousands(one->value).s);
}

static void print_formula(const cli *c, const explain_question *q, const dtc_candidate *one)
{
  char line[1024];
  char part[256];
  if (one->dtype_bytes != 0)
    write_line(c, part, sizeof part, MSG_EX_FORMULA, text_thousands(one->elements).s, text_u64(one->dtype_bytes).s,
               size_text(one->bytes).s);
  else
    write_line(c, part, sizeof part, MSG_EX_BYTES, size_text(one->bytes).s);
  snprintf(line, sizeof line, "    %s", part);
  explain_weight(q, one, part, sizeof part);
  if (*part != 0)
    list_add(c, line, sizeof line, part);
  if (one->ranks > 1) {
    write_line(c, part, sizeof part, MSG_EX_SHARED, text_u64(one->ranks).s);
    list_add(c, line, sizeof line, part);
  }
  if (one->stage != DTC_NONE) {
    write_line(c, part, sizeof part, MSG_EX_STAGE, text_u64(one->stage).s);
    list_add(c, line, sizeof line, part);
  }
  solved_text(c, one, part, sizeof part);
  if (*part != 0)
    list_add(c, line, sizeof line, part);
  list_add(c, line, sizeof line, say(c, nearness(q, one)));
  if (one->usual != DTC_BOOL_ON)
    list_add(c, line, sizeof line, say(c, MSG_EX_UNUSUAL));
  text_wrap(line, 4);
}

static void print_avoid(const cli *c, const dtc_candidate *one)
{
  static const msg by[REMEDIES] = {MSG_EMPTY,
                                   MSG_BY_RECOMPUTE_SELECTIVE,
                                   MSG_BY_RECOMPUTE_FULL,
                                   MSG_BY_MICRO_BATCH_HALF,
                                   MSG_BY_MICRO_BATCH_ONE,
                                   MSG_BY_SEQUENCE_PARALLEL,
                                   MSG_BY_TP,
                                   MSG_BY_PP,
                                   MSG_BY_CP,
                                   MSG_BY_EP,
                                   MSG_BY_DP,
                                   MSG_BY_SHARD_OPTIMIZER,
                                   MSG_BY_SHARD_GRADIENTS,
                                   MSG_BY_SHARD_WEIGHTS,
                                   MSG_BY_OFFLOAD_OPTIMIZER,
                                   MSG_BY_OFFLOAD_PARAMS,
                                   MSG_BY_OFFLOAD_ACTIVATIONS,
                                   MSG_BY_LOSS_FUSED,
                                   MSG_BY_LOSS_CHUNKS,
                                   MSG_BY_OPTIMIZER_8BIT,
                                   MSG_BY_OPTIMIZER_FUSED,
                                   MSG_BY_FLASH,
                                   MSG_BY_BF16,
                                   MSG_BY_GRADS_16BIT,
                                   MSG_BY_BUCKET_VIEW,
                                   MSG_BY_VOCAB_PARALLEL};
  char list[1024] = "";
  char line[1200];
  for (size_t r = 1; r < REMEDIES; r++)
    if ((one->avoid >> r & 1) != 0)
      list_add(c, list, sizeof list, say(c, by[r]));
  write_line(c, line, sizeof line, *list != 0 ? MSG_EX_AVOID : MSG_EX_AVOID_NOT, list);
  text_wrap(line, 6);
}

static void print_candidates(const cli *c, const explain_question *q)
{
  if (q->count == 0) {
    text_wrap(say(c, MSG_EX_NONE), 0);
    return;
  }
  print_line(c, MSG_EX_TITLE);
  for (size_t i = 0; i < q->count && i < EXPLAIN_SHOWN; i++) {
    const dtc_candidate *one = &q->candidates[i];
    const char *what = dtc_explain_text(one->suspect, c->lang);
    print_line(c, MSG_EX_LINE, text_u64(i + 1).s, what != NULL ? what : "?");
    print_formula(c, q, one);
    print_avoid(c, one);
  }
  if (q->count > EXPLAIN_SHOWN)
    print_line(c, MSG_EX_MORE, text_u64(q->count - EXPLAIN_SHOWN).s);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static void print_fit(const cli *c, const explain_question *q)
{
  char why[1024];
  if (q->model.size_only)
    return;
  if (!q->memory_known) {
    dtc_error_format(&q->memory_refused, c->lang, why, sizeof why);
    print_line(c, MSG_EX_PLAN_UNKNOWN, why);
    return;
  }
  if (explain_capacity(q) != 0) {
    print_line(c, MSG_EX_PLAN_NEEDS);
    print_verdict(c, q->memory.device, explain_capacity(q));
  } else {
    write_line(c, why, sizeof why, MSG_EX_PLAN_NO_GPU, text_gib(q->memory.device).s);
    print_line(c, MSG_EX_PLAN_UNKNOWN, why);
  }
}

void explain_print(const cli *c, const explain_question *q)
{
  char line[PLAN_LINE];
  print_model(c, &q->model);
  if (q->cluster.given)
    print_cluster(c, &q->cluster);
  if (!q->model.size_only) {
    dtc_plan shown = plan_shorten(&q->model.model, explain_cluster(q), &q->resolved);
    plan_line(&q->model, &shown, line);
    puts(line);
  }
  print_read(c, &q->alloc);
  print_candidates(c, q);
  print_fit(c, q);
}
