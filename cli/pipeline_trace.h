/* The timeline as a trace that Chrome (chrome://tracing) and Perfetto show. */
#ifndef PIPELINE_TRACE_H
#define PIPELINE_TRACE_H

#include "pipeline_run.h"

/* A thread for each rank, an event for each op; the given times are microseconds. 0, or EXIT_BAD_INPUT with the reason
 * printed. */
int trace_write(const cli *c, const pipe_run *r, const char *path);

#endif
