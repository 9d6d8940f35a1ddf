/* pipe_deepspeed_steps.csv: instructions of DeepSpeed's engine, "Lb0,Fb0|Bb0|..,RT,RG,OPT", lock step by lock step. */
#include "pipe.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {
    [DTC_PIPE_INSTRUCTION_LOAD] = "L",
    [DTC_PIPE_INSTRUCTION_FORWARD] = "F",
    [DTC_PIPE_INSTRUCTION_BACKWARD] = "B",
    [DTC_PIPE_INSTRUCTION_SEND_ACTIVATION] = "SF",
    [DTC_PIPE_INSTRUCTION_RECV_ACTIVATION] = "RF",
    [DTC_PIPE_INSTRUCTION_SEND_GRAD] = "SB",
    [DTC_PIPE_INSTRUCTION_RECV_GRAD] = "RB",
    [DTC_PIPE_INSTRUCTION_REDUCE_TIED] = "RT",
    [DTC_PIPE_INSTRUCTION_REDUCE_GRADS] = "RG",
    [DTC_PIPE_INSTRUCTION_OPTIMIZER_STEP] = "OPT",
};

static void answer(golden *g, const dtc_pipe *p, const dtc_pipe_step *steps, size_t count)
{
  enum { TOKEN = 16 };
  uint64_t lock_steps = p->micro_batches + p->pp - 1;
  lock_steps *= p->forward_only == DTC_BOOL_ON ? 1 : 2;
  char *text = calloc(count + lock_steps + 1, TOKEN), *at = text;
  size_t i = 0;
  if (text == NULL)
    abort();
  for (uint64_t step = 0; step < lock_steps; step++) {
    at += sprintf(at, "%s", step != 0 ? "|" : "");
    for (int first = 1; i < count && steps[i].step == step; i++, first = 0) {
      at += sprintf(at, "%s%s", first ? "" : ",", names[steps[i].what]);
      if (steps[i].what < DTC_PIPE_INSTRUCTION_REDUCE_TIED)
        at += sprintf(at, "b%u", steps[i].buffer);
    }
  }
  golden_text(g, "steps", text);
  free(text);
}

void golden_pipe_deepspeed_steps(golden *g)
{
  dtc_pipe p;
  dtc_error err;
  size_t count = 0;
  uint64_t rank = golden_number(g, "rank");
  DTC_INIT(&err);
  if (!pipe_read(g, &p) || !golden_ok(g, dtc_pipe_resolve(&p, &p, &err), &err))
    return;
  if (dtc_pipe_steps(&p, rank, NULL, 0, &count, &err) != DTC_E_SPACE) {
    golden_refused(g, "no instructions");
    return;
  }
  dtc_pipe_step *steps = malloc(sizeof *steps * count);
  if (steps == NULL)
    abort();
  if (golden_ok(g, dtc_pipe_steps(&p, rank, steps, count, &count, &err), &err))
    answer(g, &p, steps, count);
  free(steps);
}
