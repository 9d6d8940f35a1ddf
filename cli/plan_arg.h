/* The plan that the options and --plan give. */
#ifndef PLAN_ARG_H
#define PLAN_ARG_H

#include "options.h"

typedef struct plan_arg {
  dtc_plan plan;  /* not resolved */
  bool has_model; /* --plan names one */
  dtc_model model;
  char model_name[128]; /* as the plan writes it */
} plan_arg;

/* 0, or EXIT_BAD_INPUT with the reason printed. */
int plan_arg_read(const cli *c, const args *a, plan_arg *out);

#endif
