/* The timeline of a pipeline: a row for each rank, time to the right. */
#ifndef PIPELINE_DRAW_H
#define PIPELINE_DRAW_H

#include "draw.h"
#include "pipeline_run.h"

/* To stdout, with what must be said about its scale. */
void timeline_print(const cli *c, const pipe_run *r);

/* As an SVG. 0, or EXIT_BAD_INPUT with the reason printed. */
int timeline_svg(const cli *c, const pipe_run *r, const char *path);

/* "1f1b of megatron: pp 4, micro-batches 8". */
void timeline_title(const cli *c, const pipe_run *r, char *out, size_t cap);

#endif
