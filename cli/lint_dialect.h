/* Whose text a file is: told from its name and its words. */
#ifndef LINT_DIALECT_H
#define LINT_DIALECT_H

#include "cli.h"

enum { DIALECTS = DTC_DIALECT_NCCL + 1 };

/* What the text of a file is. A job's script may speak to several tools: bit 1 << dialect is set for each. */
uint32_t dialects_of(const char *path, const char *text, size_t len);

/* "TOML" or "YAML" when it is that, which the library does not read; else NULL. */
const char *foreign_form(const char *path, const char *text, size_t len);

#endif
