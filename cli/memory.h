/* dtcore memory: what cmd_memory.c finds out, and memory_print.c, memory_explain.c and memory_json.c show. */
#ifndef MEMORY_H
#define MEMORY_H

#include "options.h"
#include "plan_arg.h"
#include "report.h"

enum { MAX_FINDINGS = 64, MOMENTS = 11, MAX_TERMS = 128, MAX_REMEDIES = 32 };

typedef struct memory_question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan;
  dtc_plan resolved;
  dtc_error findings[MAX_FINDINGS]; /* warnings */
  size_t finding_count;
  dtc_memory *stages;
  size_t stage_count;
  size_t worst;
  size_t told; /* stage of the moments and terms */
  dtc_memory_held held[MOMENTS];
  size_t held_count;
  dtc_memory_term terms[MAX_TERMS];
  size_t term_count;
  dtc_memory_remedy remedies[MAX_REMEDIES];
  size_t remedy_count;
} memory_question;

/* NULL when no GPU was named. */
const dtc_cluster *memory_cluster(const memory_question *q);

/* "loss and its backward" */
const char *moment_text(const cli *c, dtc_moment moment);

/* Several stages as a picture: a row for each, equal ones folded. */
picture memory_picture(const cli *c, const memory_question *q);

/* All of an answer in words. */
void memory_print(const cli *c, const memory_question *q);

/* The largest item, and the changes that save most. */
void memory_print_remedies(const cli *c, const dtc_memory *worst, const dtc_memory_remedy *remedies, size_t count);
void memory_json_remedies(json *j, const dtc_memory_remedy *remedies, size_t count);

/* --moments, --explain: of the stage `told`. */
void memory_print_moments(const cli *c, const memory_question *q);
void memory_print_terms(const cli *c, const memory_question *q);

void memory_print_json(const cli *c, const args *a, const memory_question *q);

#endif
