/* What surprises in a layout. */
#ifndef SHARD_FINDINGS_H
#define SHARD_FINDINGS_H

#include "shard_arg.h"

enum { SHARD_FINDINGS = 8 };
typedef struct shard_findings {
  dtc_error list[SHARD_FINDINGS];
  size_t n;
} shard_findings;

/* 0, or EXIT_BAD_INPUT with the reason printed. */
int findings_read(const cli *c, const shard_arg *s, shard_findings *f);

/* As warnings. */
void findings_print(const cli *c, const shard_findings *f);

/* findings */
void findings_json(json *j, const cli *c, const shard_findings *f);

#endif
