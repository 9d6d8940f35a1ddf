/* dtcore explain: what cmd_explain.c finds out, and explain_print.c, explain_topic.c and explain_json.c show. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "options.h"
#include "plan_arg.h"
#include "report.h"

enum { EXPLAIN_CANDIDATES = 64, EXPLAIN_SHOWN = 6, EXPLAIN_FINDINGS = 64, REMEDIES = 26 };

typedef struct explain_question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan;
  dtc_plan resolved; /* of a model with a shape */
  dtc_error findings[EXPLAIN_FINDINGS];
  size_t finding_count; /* warnings */
  dtc_alloc alloc;
  dtc_candidate candidates[EXPLAIN_CANDIDATES];
  size_t count;
  dtc_memory memory; /* of the worst GPU */
  bool memory_known;
  dtc_error memory_refused; /* why it is not */
} explain_question;

/* NULL when no GPU was named. */
const dtc_cluster *explain_cluster(const explain_question *q);

/* Usable memory of the GPU: the cluster's, else what the message tells; 0 unknown. */
uint64_t explain_capacity(const explain_question *q);

/* Name of the one weight that a candidate is; "" for others. */
void explain_weight(const explain_question *q, const dtc_candidate *one, char *out, size_t cap);

void explain_print(const cli *c, const explain_question *q);
void explain_print_json(const cli *c, const args *a, const explain_question *q);

/* What to look at, in order: `slow`, `zero3`, `oom`, `init`. Whether the word is one; an exit code. */
bool explain_is_topic(const char *word);
int explain_topic(const cli *c, const args *a, const char *topic, explain_question *q);

#endif
