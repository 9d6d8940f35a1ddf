/* Findings of `dtcore lint` for people: as compilers print theirs. */
#ifndef LINT_PRINT_H
#define LINT_PRINT_H

#include "lint_file.h"

void lint_print(const cli *c, const lint_file *f);

#endif
