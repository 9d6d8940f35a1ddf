/* Pipeline schedules: what their files share. */
#ifndef DTCI_PIPELINE_H
#define DTCI_PIPELINE_H

#include "internal/internal.h"
#include <dtcore/pipeline.h>

/* Where the stages of a model lie. */
typedef enum dtci_pipe_place {
  DTCI_PIPE_LOOP, /* stage = chunk * pp + rank */
  DTCI_PIPE_V,    /* chunk 0 of rank r is stage r, chunk 1 stage 2 * pp - 1 - r */
  DTCI_PIPE_DUAL, /* chunk is a direction: 0 stage r, 1 stage pp - 1 - r; every stage lies on two ranks */
} dtci_pipe_place;

dtci_pipe_place dtci_pipe_place_of(const dtc_pipe *p);

/* Reads a caller's job and resolves it. */
dtc_status dtci_pipe_in(const dtc_pipe *user, dtc_pipe *p, dtc_error *e);

/* What follows takes a job that dtc_pipe_resolve() accepted. */

static inline uint64_t dtci_pipe_stages(const dtc_pipe *p)
{
  return dtci_pipe_place_of(p) == DTCI_PIPE_DUAL ? p->pp : p->pp * p->vpp;
}

static inline uint64_t dtci_pipe_stage_at(const dtc_pipe *p, uint64_t rank, uint64_t chunk)
{
  switch (dtci_pipe_place_of(p)) {
  case DTCI_PIPE_LOOP:
    return chunk * p->pp + rank;
  case DTCI_PIPE_V:
    return chunk == 0 ? rank : 2 * p->pp - 1 - rank;
  default:
    return chunk == 0 ? rank : p->pp - 1 - rank;
  }
}

/* Rows of a rank, behind its last op too. */
uint64_t dtci_pipe_rows(const dtc_pipe *p);

/* Generated orders: words of scratch, and the ops of all ranks, dtci_pipe_rows() for each. */
uint64_t dtci_pipe_zb_scratch(const dtc_pipe *p, int *bad);
dtc_status dtci_pipe_zb(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e); /* zb_h1, zb_h2 */
uint64_t dtci_pipe_zbv_scratch(const dtc_pipe *p, int *bad);
dtc_status dtci_pipe_zbv(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e); /* not PyTorch's */
uint64_t dtci_pipe_v_scratch(const dtc_pipe *p, int *bad);
dtc_status dtci_pipe_v(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e); /* v_half, v_min */
uint64_t dtci_pipe_1f1b_v_scratch(const dtc_pipe *p, int *bad);
dtc_status dtci_pipe_1f1b_v(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e);
uint64_t dtci_pipe_group_scratch(const dtc_pipe *p, int *bad);
dtc_status dtci_pipe_group(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e);

uint64_t dtci_pipe_simulate_scratch(const dtc_pipe *p, int *bad);

/* Does a count of micro-batches say what the stages of a resolved plan hold? */
dtc_status dtci_in_flight_known(const dtc_plan *p, dtc_error *e);
/* The job of such a plan. */
dtc_pipe dtci_pipe_of(const dtc_plan *p);
/* Micro-batches (chunks when vpp > 1) whose activations a stage of this job holds at once. */
uint64_t dtci_in_flight(const dtc_pipe *p, uint64_t stage, int *bad);
/* May a rank have more than the one before it? */
int dtci_in_flight_rises(const dtc_pipe *p);

#endif
