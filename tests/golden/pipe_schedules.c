/* pipe_schedules.csv: the ops of a rank, and the most activations that it holds. */
#include "pipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Writes the ops of a rank: "F0.0 F1.0+B0.1"; the chunk is left out when there is one. */
static void answer_ops(golden *g, const dtc_pipe_op *ops, uint64_t rows, int chunks)
{
  enum { TOKEN = 32 };
  static const char letters[] = {' ', 'F', 'B', 'I', 'W'};
  char *text = calloc(rows + 1, TOKEN), *at = text;
  if (text == NULL)
    abort();
  for (uint64_t i = 0; i < rows && ops[i].kind != DTC_PIPE_KIND_NONE; i++) {
    at += sprintf(at, "%s%c%" PRIu32,
                  i == 0             ? ""
                  : ops[i - 1].fused ? "+"
                                     : " ",
                  letters[ops[i].kind % 5], ops[i].micro_batch);
    if (chunks)
      at += sprintf(at, ".%u", ops[i].chunk);
  }
  golden_text(g, "ops", text);
  free(text);
}

static void answer_peaks(golden *g, const dtc_pipe_op *ops, uint64_t rows)
{
  uint64_t by_input = 0, by_weight = 0, most_input = 0, most_weight = 0;
  for (uint64_t i = 0; i < rows; i++) {
    by_input += ops[i].kind == DTC_PIPE_KIND_FORWARD;
    by_weight += ops[i].kind == DTC_PIPE_KIND_FORWARD;
    by_input -= ops[i].kind == DTC_PIPE_KIND_BACKWARD || ops[i].kind == DTC_PIPE_KIND_INPUT;
    by_weight -= ops[i].kind == DTC_PIPE_KIND_BACKWARD || ops[i].kind == DTC_PIPE_KIND_WEIGHT;
    most_input = by_input > most_input ? by_input : most_input;
    most_weight = by_weight > most_weight ? by_weight : most_weight;
  }
  golden_u64(g, "peak_act_b", most_input);
  golden_u64(g, "peak_act_w", most_weight);
}

void golden_pipe_schedules(golden *g)
{
  dtc_pipe p;
  dtc_pipe_held held;
  dtc_error err;
  uint64_t rows = 0, needed = 0, rank = golden_number(g, "rank");
  size_t count = 0;
  DTC_INIT(&err);
  if (!pipe_read(g, &p) || !golden_ok(g, dtc_pipe_resolve(&p, &p, &err), &err) ||
      !golden_ok(g, dtc_pipe_count(&p, &rows, &err), &err) || !golden_ok(g, dtc_pipe_scratch(&p, &needed, &err), &err))
    return;
  dtc_pipe_op *ops = malloc(sizeof *ops * (rows * p.pp + 1));
  uint64_t *scratch = malloc(sizeof *scratch * (needed + 1));
  if (ops == NULL || scratch == NULL)
    abort();
  dtc_status status = dtc_pipe_order(&p, ops, rows * p.pp, &count, scratch, needed, &err);
  if (golden_ok(g, status, &err)) {
    golden_way(g, "order");
    answer_ops(g, ops + rank * rows, rows, p.vpp > 1);
    answer_peaks(g, ops + rank * rows, rows);
  }
  if (dtc_pipe_inflight(&p, rank, &held, &err) == DTC_OK) {
    golden_way(g, "closed form");
    golden_u64(g, "peak_act_b", held.input);
    golden_u64(g, "peak_act_w", held.weight);
  }
  free(ops);
  free(scratch);
}
