/* A plan that is going to be used: legal, or every error told. */
#ifndef PLAN_LEGAL_H
#define PLAN_LEGAL_H

#include "cli.h"

/* 0, with the plan resolved and `count` warnings in `findings`; or EXIT_BAD_INPUT with all errors printed, so that a user
 * need not find them one by one. `cluster` may be NULL. */
int plan_legal(const cli *c, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
               dtc_error *findings, size_t cap, size_t *count, dtc_plan *resolved);

#endif
