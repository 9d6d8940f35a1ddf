/* `dtcore memory --estimator`: what a framework's own estimator prints. */
#ifndef ESTIMATOR_H
#define ESTIMATOR_H

#include "model_arg.h"

/* The whole answer; an exit code. */
int estimator_answer(const cli *c, const args *a, const plan_arg *plan, const model_arg *model);

#endif
