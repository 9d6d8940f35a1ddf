/* dtcore fit: what fit_size.c and fit_model.c find out, and fit_print.c shows. */
#ifndef FIT_H
#define FIT_H

#include "report.h"

/* What the user asked. */
typedef struct fit_question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan;
} fit_question;

/* The states of a bare size; quoted accounts of activations are added to it. */
int fit_size(const cli *c, const args *a, const fit_question *q);

/* ---- a model ----------------------------------------------------------------------------------------------------- */

enum { FIT_FAMILIES = 6, FIT_MODES = 2, FIT_RECOMPUTES = 3, FIT_ATTENTIONS = 2, FIT_FORMS = 2 };

/* A way to shard with the framework that it is known from. */
typedef struct fit_family {
  dtc_framework framework;
  dtc_sharding sharding;
  msg name;
} fit_family;

/* Fewest GPUs of a family with one kind of recomputation. */
typedef struct fit_cell {
  dtc_plan plan; /* with the degrees found */
  dtc_fit fit;
  uint64_t limit_bytes; /* of the item that more GPUs do not shrink; 0 = not known */
} fit_cell;

typedef struct fit_row {
  fit_family family;
  fit_cell cells[FIT_MODES];
} fit_row;

typedef struct fit_answer {
  dtc_plan base;                  /* what the user gave, with micro-batch and sequence length filled */
  dtc_recompute modes[FIT_MODES]; /* kinds of recomputation tried */
  size_t mode_count;
  dtc_framework forms[FIT_FORMS]; /* frameworks whose activations are shown */
  size_t form_count;
  uint64_t activations[FIT_FORMS][FIT_RECOMPUTES][FIT_ATTENTIONS]; /* bytes */
  fit_row rows[FIT_FAMILIES];
  size_t row_count;
  const fit_row *best; /* NULL when nothing fits */
  size_t best_mode;
  dtc_plan plan; /* of the best */
  dtc_memory memory;
  dtc_states per_param; /* bytes that the best family keeps for each parameter, nothing sharded */
} fit_answer;

extern const dtc_recompute fit_recomputes[FIT_RECOMPUTES];
extern const dtc_attention fit_attentions[FIT_ATTENTIONS];

/* Whether a cell's answer is within the GPUs there are. */
bool fit_cell_fits(const fit_question *q, const fit_cell *cell);

/* 0, or EXIT_BAD_INPUT with the reason printed. */
int fit_model(const cli *c, const fit_question *q, fit_answer *out);

void fit_print(const cli *c, const fit_question *q, const fit_answer *f);
void fit_print_json(const args *a, const fit_question *q, const fit_answer *f);

#endif
