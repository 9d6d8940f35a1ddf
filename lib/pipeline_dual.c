/* Orders in closed form over two chunks of a rank: PyTorch's zero-bubble V, and the eight steps of DualPipe.
 * Sources: PyTorch 00722e64 distributed/pipelining/schedules.py (ScheduleZBVZeroBubble, ScheduleDualPipeV),
 * DualPipe 3da1bbea dualpipe/dualpipe.py and dualpipev.py. */
#include "internal/pipeline_order.h"

#define SLOT DTCI_PIPE_SLOT

/* The order for as many micro-batches as fill the pipeline, 2 * pp - 1 or more; those that the job has not are left
 * out. */
void dtci_pipe_zbv_phases(dtci_pipe_walk *w)
{
  uint64_t pp = w->p->pp;
  uint64_t rank = w->rank;
  uint64_t n = w->micro_batches < 2 * pp - 1 ? 2 * pp - 1 : w->micro_batches;
  uint64_t full = n - (2 * pp - 1 - rank); /* rounds of the steady part with a forward of chunk 0 */
  uint64_t drain = pp - 1 - rank;          /* and without */
  dtci_pipe_repeat(w, 2 * (pp - rank) - 1, 1, &SLOT(FORWARD, 0, 0));
  dtci_pipe_repeat(w, rank, 2, (dtci_pipe_slot[]){SLOT(FORWARD, 1, 0), SLOT(FORWARD, 0, 2 * (pp - rank) - 1)});
  dtci_pipe_repeat(w, pp - rank, 3, (dtci_pipe_slot[]){SLOT(FORWARD, 1, rank), SLOT(INPUT, 1, 0), SLOT(WEIGHT, 1, 0)});
  dtci_pipe_repeat(w, full, 6,
                   (dtci_pipe_slot[]){SLOT(FORWARD, 0, 2 * pp - 1 - rank), SLOT(INPUT, 0, 0), SLOT(WEIGHT, 0, 0),
                                      SLOT(FORWARD, 1, pp), SLOT(INPUT, 1, pp - rank), SLOT(WEIGHT, 1, pp - rank)});
  dtci_pipe_repeat(w, drain, 5,
                   (dtci_pipe_slot[]){SLOT(INPUT, 0, full), SLOT(WEIGHT, 0, full), SLOT(FORWARD, 1, pp + full),
                                      SLOT(INPUT, 1, pp - rank + full), SLOT(WEIGHT, 1, pp - rank + full)});
  dtci_pipe_repeat(w, rank, 2, (dtci_pipe_slot[]){SLOT(INPUT, 0, n - pp), SLOT(INPUT, 1, n - rank)});
  dtci_pipe_repeat(w, pp - rank, 2, (dtci_pipe_slot[]){SLOT(INPUT, 0, n - pp + rank), SLOT(WEIGHT, 0, n - pp)});
  dtci_pipe_repeat(w, rank, 1, &SLOT(WEIGHT, 1, n - rank));
  dtci_pipe_repeat(w, rank, 1, &SLOT(WEIGHT, 0, n - rank));
}

/* ---- DualPipe -------------------------------------------------------------------------------- */

/* Both forms run the same steps: DualPipeV with its ranks and the two chunks of the V, DualPipe with the ranks of one half,
 * counted from the end, where the direction that comes from that end is chunk 0. */
typedef struct half {
  uint64_t ranks;
  uint64_t rank;
  uint16_t chunk[2];
} half;

static half half_of(const dtci_pipe_walk *w)
{
  uint64_t pp = w->p->pp;
  if (dtci_pipe_place_of(w->p) != DTCI_PIPE_DUAL)
    return (half){pp, w->rank, {0, 1}};
  if (w->rank < pp / 2)
    return (half){pp / 2, w->rank, {0, 1}};
  return (half){pp / 2, pp - 1 - w->rank, {1, 0}};
}

/* Steps 1 to 3: forwards, and on the ranks before the turn the first backwards. */
static void fill_steps(dtci_pipe_walk *w, const half *h)
{
  uint64_t ahead = h->ranks - h->rank - 1;
  uint16_t a = h->chunk[0];
  uint16_t b = h->chunk[1];
  dtci_pipe_repeat(w, 2 * ahead, 1, &SLOT(FORWARD, a, 0));
  dtci_pipe_repeat(w, h->rank + 1, 2, (dtci_pipe_slot[]){SLOT(FORWARD, a, 2 * ahead), SLOT(FORWARD, b, 0)});
  dtci_pipe_repeat(w, ahead, 3,
                   (dtci_pipe_slot[]){SLOT(INPUT, b, 0), SLOT(WEIGHT, b, 0), SLOT(FORWARD, b, h->rank + 1)});
}

/* Steps 4 and 5: each forward overlaps a backward of the other chunk; the first of the rank at the turn does not. */
static void main_steps(dtci_pipe_walk *w, const half *h)
{
  uint64_t ahead = h->ranks - h->rank - 1;
  uint64_t rounds = w->micro_batches - 2 * h->ranks + h->rank + 1;
  uint64_t alone = ahead == 0;
  uint16_t a = h->chunk[0];
  uint16_t b = h->chunk[1];
  dtci_pipe_slot pairs[] = {SLOT(FORWARD, a, 2 * h->ranks - h->rank - 1), SLOT(BACKWARD, b, ahead),
                            SLOT(FORWARD, b, h->ranks), SLOT(BACKWARD, a, 0)};
  pairs[2].fused = 1;
  dtci_pipe_repeat(w, alone, 4, pairs);
  pairs[0].fused = 1;
  for (int s = 0; s < 4; s++)
    pairs[s].first += (uint32_t)alone;
  dtci_pipe_repeat(w, rounds - alone, 4, pairs);
  dtci_pipe_slot rest[] = {SLOT(BACKWARD, b, ahead + rounds), SLOT(FORWARD, b, h->ranks + rounds),
                           SLOT(BACKWARD, a, rounds)};
  rest[1].fused = 1;
  dtci_pipe_repeat(w, ahead, 3, rest);
}

/* Steps 6 to 8: backwards; the later half of them is split, and their weights fill the end. */
static void drain_steps(dtci_pipe_walk *w, const half *h)
{
  uint64_t ahead = h->ranks - h->rank - 1;
  uint64_t whole = (h->rank + 1) / 2;
  uint64_t turn = h->rank % 2 == 0; /* the round in which splitting begins between its two backwards */
  uint64_t at_a = w->micro_batches - h->ranks;
  uint64_t at_b = w->micro_batches - h->rank - 1;
  uint16_t a = h->chunk[0];
  uint16_t b = h->chunk[1];
  w->waiting = (uint32_t)h->rank + 1;
  dtci_pipe_repeat(w, whole, 2, (dtci_pipe_slot[]){SLOT(BACKWARD, b, at_b), SLOT(BACKWARD, a, at_a)});
  dtci_pipe_repeat(w, turn, 2, (dtci_pipe_slot[]){SLOT(BACKWARD, b, at_b + whole), SLOT(INPUT, a, at_a + whole)});
  whole += turn;
  dtci_pipe_repeat(w, h->rank + 1 - whole, 2,
                   (dtci_pipe_slot[]){SLOT(INPUT, b, at_b + whole), SLOT(INPUT, a, at_a + whole)});
  dtci_pipe_repeat(w, ahead, 2,
                   (dtci_pipe_slot[]){SLOT(WEIGHT, DTCI_PIPE_COUNTED, 0), SLOT(INPUT, a, w->micro_batches - ahead)});
  dtci_pipe_repeat(w, h->rank + 1, 1, &SLOT(WEIGHT, DTCI_PIPE_COUNTED, ahead));
}

/* The weights that wait come in the order of their inputs: those of step 6, from both chunks in turn, then of step 7. */
dtci_pipe_run dtci_pipe_weight_at(const dtci_pipe_walk *w, uint32_t k)
{
  half h = half_of(w);
  uint32_t ahead = (uint32_t)(h.ranks - h.rank - 1);
  uint32_t of_b = w->waiting / 2; /* of step 6 */
  uint32_t of_a = w->waiting - of_b;
  if (k >= w->waiting) {
    uint32_t in = k - w->waiting;
    return (dtci_pipe_run){h.chunk[0], w->micro_batches - ahead + in, ahead - in, 1};
  }
  if (k % 2 != w->waiting % 2) /* an odd number begins with chunk a, and so it ends */
    return (dtci_pipe_run){h.chunk[0], w->micro_batches - ahead - of_a + k / 2, 1, 1};
  return (dtci_pipe_run){h.chunk[1], w->micro_batches - of_b + k / 2, 1, 1};
}

void dtci_pipe_eight_phases(dtci_pipe_walk *w)
{
  half h = half_of(w);
  fill_steps(w, &h);
  main_steps(w, &h);
  drain_steps(w, &h);
}
