/* `dtcore lint --hca`: which devices NCCL uses. */
#ifndef LINT_HCA_H
#define LINT_HCA_H

#include "options.h"

/* Exit code: EXIT_NO when the list selects nothing. */
int answer_hca(const cli *c, const args *a);

#endif
