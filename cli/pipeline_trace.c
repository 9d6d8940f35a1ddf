#include "pipeline_trace.h"

#include "file.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>

/* Trace Event Format: "X" is an event with a begin and a duration, "M" names a thread. An event per line, written as it
 * comes. */
static void put_event(const pipe_run *r, uint64_t rank, size_t row, FILE *f)
{
  static const char *const kinds[] = {"", "forward", "backward", "input", "weight"};
  const dtc_pipe_op *op = &r->ops[row];
  dtc_pipe_time t = pipe_op_time(r, row);
  bool fused = op->fused != 0 || (row % r->rows != 0 && r->ops[row - 1].fused != 0);
  fprintf(f,
          ",\n{\"ph\":\"X\",\"pid\":0,\"tid\":%" PRIu64 ",\"name\":\"%s\",\"cat\":\"%s\",\"ts\":%.17g,\"dur\":%.17g,"
          "\"args\":{\"stage\":%" PRIu64 ",\"chunk\":%u,\"micro_batch\":%" PRIu32 ",\"fused\":%s}}",
          rank, pipe_token(&r->job, op).s, kinds[op->kind], t.start, t.stop - t.start,
          pipe_stage(&r->job, rank, op->chunk), (unsigned)op->chunk, op->micro_batch, fused ? "true" : "false");
}

int trace_write(const cli *c, const pipe_run *r, const char *path)
{
  FILE *f = file_create(c, path);
  if (f == NULL)
    return EXIT_BAD_INPUT;
  fprintf(f,
          "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\","
          "\"args\":{\"name\":\"%s\"}}",
          schedule_name(r->job.schedule));
  for (uint64_t rank = 0; rank < r->job.pp; rank++) {
    fprintf(f,
            ",\n{\"ph\":\"M\",\"pid\":0,\"tid\":%" PRIu64 ",\"name\":\"thread_name\",\"args\":{\"name\":\"rank %" PRIu64
            "\"}}",
            rank, rank);
    for (size_t i = 0; i < r->rows; i++) {
      size_t row = (size_t)rank * r->rows + i;
      if (r->ops[row].kind != DTC_PIPE_KIND_NONE)
        put_event(r, rank, row, f);
    }
  }
  fputs("\n]}\n", f);
  return file_close(c, f, path);
}
