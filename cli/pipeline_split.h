/* --split: which layers each stage has. */
#ifndef PIPELINE_SPLIT_H
#define PIPELINE_SPLIT_H

#include "pipeline_arg.h"

/* Whether layers are asked for, not a timeline. 0, or EXIT_BAD_INPUT when both are. */
int split_asked(const cli *c, const args *a, bool *asked);

int answer_split(const cli *c, const args *a, const pipe_arg *p);

#endif
