/* The pipeline job of a row: source, kind, pp, vpp, microbatches and opt of the pipe_*.csv files. */
#ifndef GOLDEN_PIPE_H
#define GOLDEN_PIPE_H

#include "golden.h"

/* Reads the row's job, not resolved; returns 0, and the row fails, when nothing here is of its source and kind. */
int pipe_read(golden *g, dtc_pipe *p);

#endif
