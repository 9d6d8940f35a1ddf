/* Orders that are generated: what the generators of lib/pipeline_*.c share. */
#ifndef DTCI_PIPELINE_GENERATE_H
#define DTCI_PIPELINE_GENERATE_H

#include "internal/pipeline.h"
#include <string.h>

/* Steps that a generator may take. A job that surely takes more is refused before it starts and needs no scratch; where
 * the steps follow from the job's times alone, they are counted on the way. */
#define DTCI_PIPE_WORK ((uint64_t)1 << 32)

static inline dtc_status dtci_pipe_fail_work(const dtc_pipe *p, dtc_error *e)
{
  return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_PIPE_WORK, DTC_FIELD(pipe, micro_batches), p->micro_batches, 0,
                          DTCI_PIPE_WORK);
}

/* The generator finds no order within the limit. */
static inline dtc_status dtci_pipe_fail_memory(const dtc_pipe *p, dtc_error *e)
{
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_PIPE_MEMORY, DTC_FIELD(pipe, limit), p->limit);
  e->other = DTC_FIELD(pipe, schedule);
  e->other_got = p->schedule;
  return DTC_E_CONFLICT;
}

/* Times lie in scratch as the bits of doubles. */
static inline double dtci_time_at(const uint64_t *words, uint64_t i)
{
  double t;
  memcpy(&t, words + i, sizeof t);
  return t;
}

static inline void dtci_put_time(uint64_t *words, uint64_t i, double t)
{
  memcpy(words + i, &t, sizeof t);
}

static inline dtc_pipe_op dtci_pipe_op_of(dtc_pipe_kind kind, uint64_t chunk, uint64_t micro_batch)
{
  return (dtc_pipe_op){.micro_batch = (uint32_t)micro_batch, .chunk = (uint16_t)chunk, .kind = (uint8_t)kind};
}

#endif
