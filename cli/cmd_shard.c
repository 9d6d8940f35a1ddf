/* dtcore shard: which rank holds which part of which tensor, and what padding costs. */
#include "cmd.h"
#include "report.h"
#include "shard_batches.h"
#include "shard_compare.h"
#include "shard_even.h"
#include "shard_findings.h"
#include "shard_lists.h"
#include "shard_map.h"
#include "shard_optimizer.h"
#include "shard_parts.h"
#include "shard_step.h"
#include "shard_trace.h"
#include "table.h"
#include "text.h"

#include <stdio.h>

static void total_row(const shard_arg *s, table *t, const char *name, uint64_t elements)
{
  table_cell(t, name);
  table_cell(t, text_thousands(elements).s);
  table_cell(t, text_gib_small(elements_bytes(&s->shards, elements)).s);
  table_cell(t, text_percent((double)elements, (double)s->totals.numel).s);
}

static void rank_row(const cli *c, const shard_arg *s, table *t, msg id, uint64_t rank, uint64_t elements)
{
  char name[64];
  write_line(c, name, sizeof name, id, text_u64(rank).s);
  total_row(s, t, name, elements);
}

static void print_totals(const cli *c, const shard_arg *s)
{
  const dtc_shard_totals *sum = &s->totals;
  table t = table_new("lrrr");
  table_cell(&t, "");
  table_cell(&t, say(c, MSG_ELEMENTS));
  table_cell(&t, "GiB");
  table_cell(&t, "%");
  total_row(s, &t, say(c, MSG_TENSORS), sum->numel);
  total_row(s, &t, say(c, MSG_PADDING), sum->padded - sum->numel);
  total_row(s, &t, say(c, MSG_WITH_PADDING), sum->padded);
  total_row(s, &t, say(c, MSG_LARGEST_BUCKET), sum->largest);
  total_row(s, &t, say(c, MSG_OF_RANK), sum->per_rank);
  rank_row(c, s, &t, MSG_HEAVIEST, sum->heaviest, sum->most);
  rank_row(c, s, &t, MSG_LIGHTEST, sum->lightest, sum->least);
  table_print(c, &t, 2);
  print_line(c, MSG_SHARD_COUNTS, text_u64(sum->buckets).s, text_u64(sum->empty).s);
}

static int answer_totals(const cli *c, const args *a, const shard_arg *s)
{
  json j;
  shard_findings f;
  if (findings_read(c, s, &f) != 0)
    return EXIT_BAD_INPUT;
  if (!c->json) {
    print_shards(c, s);
    putchar('\n');
    print_totals(c, s);
    if (s->shards.scheme == DTC_SHARD_SCHEME_FSDP2)
      even_print(c, s, &f);
    batch_sums_print(c, s);
    findings_print(c, &f);
    return EXIT_YES;
  }
  json_start(&j, a->command);
  json_shards(&j, s);
  json_struct(&j, "totals", DTC_STRUCT_shard_totals, &s->totals);
  batch_sums_json(&j, c, s);
  findings_json(&j, c, &f);
  json_end(&j);
  return EXIT_YES;
}

/* The answers that an option asks for; without one the sums. */
typedef struct answer {
  option_id option;
  int (*run)(const cli *c, const args *a, const shard_arg *s);
} answer;

static const answer answers[] = {
    {OPT_SHARD_RANK, answer_shard_rank},
    {OPT_TENSOR, answer_shard_tensor},
    {OPT_BUCKETS, answer_shard_buckets},
    {OPT_REDUCTIONS, answer_shard_batches},
    {OPT_GATHERS, answer_shard_batches},
    {OPT_SUB_GROUPS, answer_shard_batches},
    {OPT_SHARD_STEP, answer_shard_step},
    {OPT_COMPARE, answer_shard_compare},
    {OPT_TRACE, answer_shard_trace},
    {OPT_SHARD_MAP, answer_shard_map},
    {OPT_SHARD_OPTIMIZER, answer_shard_optimizer},
};

int cmd_shard(const cli *c, const args *a)
{
  static shard_arg s; /* holds a path: large */
  const answer *asked = NULL;
  size_t count = 0;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    bool svg = answers[i].option == OPT_SHARD_MAP && a->value[OPT_SVG] != NULL;
    if (a->value[answers[i].option] == NULL && !svg)
      continue;
    asked = &answers[i];
    count++;
  }
  if (count > 1)
    return fail(c, MSG_ONE_OF_SHARDS);
  if (a->value[OPT_ELEMENT] != NULL && a->value[OPT_TENSOR] == NULL)
    return fail(c, MSG_ELEMENT_NEEDS);
  if (shard_arg_read(c, a, &s) != 0)
    return EXIT_BAD_INPUT;
  if (asked != NULL)
    return asked->run(c, a, &s);
  return answer_totals(c, a, &s);
}
