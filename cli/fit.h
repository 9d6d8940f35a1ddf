/* dtcore fit: what fit_size.c, fit_model.c and fit_activations.c find out, and fit_print.c and fit_json.c show. */
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

enum { FIT_FAMILIES = 18, FIT_MODES = 2, FIT_FORMS = 2, FIT_ACTIVATIONS = 64 };

/* A way to shard with the framework that it is known from. */
typedef struct fit_family {
  dtc_framework framework;
  dtc_sharding sharding;
  msg name;
  bool usual; /* shown when the user names no framework */
} fit_family;

/* Fewest GPUs of a family with one kind of recomputation. */
typedef struct fit_cell {
  dtc_min_gpus fit;
  dtc_plan plan; /* that takes them, resolved */
} fit_cell;

typedef struct fit_row {
  fit_family family;
  fit_cell cells[FIT_MODES];
  dtc_error refused; /* why the family cannot do what the user asks; status DTC_OK when it can */
} fit_row;

/* Activations of one micro-batch on one GPU with all layers. */
typedef struct fit_activation {
  dtc_framework framework; /* in the module form of */
  dtc_recompute recompute;
  dtc_attention attention;
  uint64_t bytes;
} fit_activation;

typedef struct fit_answer {
  dtc_plan base;                  /* what the user gave, with micro-batch and sequence length filled */
  dtc_recompute modes[FIT_MODES]; /* kinds of recomputation tried */
  size_t mode_count;
  fit_activation activations[FIT_ACTIVATIONS]; /* by recomputation, then framework, then attention */
  size_t activation_count;
  fit_row rows[FIT_FAMILIES];
  size_t row_count;
  const fit_row *best; /* NULL when nothing fits */
  size_t best_mode;
  dtc_plan plan;  /* of the best, resolved */
  dtc_plan shown; /* what of it has to be said */
  dtc_memory memory;
  dtc_max_setting micro_batch; /* largest with that plan */
  dtc_max_setting seq;         /* longest */
} fit_answer;

/* Whether a cell's answer is within the GPUs there are. */
bool fit_cell_fits(const fit_question *q, const fit_cell *cell);

/* 0, or EXIT_BAD_INPUT with the reason printed. */
int fit_model(const cli *c, const fit_question *q, fit_answer *out);
int fit_activations(const cli *c, const fit_question *q, fit_answer *f);

void fit_print(const cli *c, const fit_question *q, const fit_answer *f);
void fit_print_json(const cli *c, const args *a, const fit_question *q, const fit_answer *f);

#endif
