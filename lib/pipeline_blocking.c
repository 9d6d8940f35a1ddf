/* When each op of Megatron's 1F1B runs with its own messages: batched sends and receives that both sides wait for.
 * Source: Megatron-LM core/pipeline_parallel/schedules.py, forward_backward_pipelining_without_interleaving, and
 * p2p_communication.py (d98e8a64). */
#include "internal/pipeline_work.h"

/* What a call transfers; a batched one has two. */
enum { RECV_FORWARD = 1, SEND_FORWARD = 2, RECV_BACKWARD = 4, SEND_BACKWARD = 8 };

#define NOBODY (UINT64_MAX) /* no side of a transfer has come; no time is this, as times are not negative */

enum { RANK_WORDS = 6 }; /* of scratch; dtci_pipe_simulate_scratch() has more */

typedef struct blocking {
  const dtci_pipe_work *work;
  dtc_pipe_time *out;
  double transfer; /* the whole time of a message */
  uint64_t *at;    /* each rank's next: twice its row, and 1 when the call behind the op comes */
  uint64_t *clock; /* end of each rank's last op or call */
  uint64_t *open;  /* transfers that a rank's call still waits for */
  uint64_t *ready; /* stack of ranks that can go on */
  uint64_t *first; /* between rank r and r + 1: when the first side of a forward (2 * r) or backward came */
  uint64_t n_ready;
} blocking;

/* Forwards of a rank before its first backward's pair. */
static uint64_t warm_up(const dtc_pipe *p, uint64_t rank)
{
  return p->forward_only == DTC_BOOL_ON ? p->micro_batches : dtci_smaller(p->pp - 1 - rank, p->micro_batches);
}

static uint64_t ops_of_rank(const dtc_pipe *p)
{
  return p->forward_only == DTC_BOOL_ON ? p->micro_batches : 2 * p->micro_batches;
}

/* Row of a rank: warm-up, pairs of a forward and a backward, backwards. */
static dtc_pipe_op op_of_row(const dtc_pipe *p, uint64_t rank, uint64_t row)
{
  uint64_t warm = warm_up(p, rank);
  uint64_t pairs = p->micro_batches - warm;
  dtc_pipe_op op = {.kind = DTC_PIPE_KIND_FORWARD};
  if (row < warm) {
    op.micro_batch = (uint32_t)row;
  } else if (row < warm + 2 * pairs) {
    uint64_t place = row - warm;
    op.kind = place % 2 == 0 ? DTC_PIPE_KIND_FORWARD : DTC_PIPE_KIND_BACKWARD;
    op.micro_batch = (uint32_t)(place / 2 + (place % 2 == 0 ? warm : 0));
  } else {
    op.kind = DTC_PIPE_KIND_BACKWARD;
    op.micro_batch = (uint32_t)(row - p->micro_batches);
  }
  return op;
}

static int same_op(dtc_pipe_op a, dtc_pipe_op b)
{
  return a.kind == b.kind && a.micro_batch == b.micro_batch && a.chunk == b.chunk && a.fused == b.fused;
}

/* The calls are known of the order that Megatron runs, and of no other. */
static dtc_status check_order(const dtci_pipe_work *work, dtc_error *e)
{
  const dtc_pipe *p = &work->p;
  uint64_t n = ops_of_rank(p);
  if (work->rows < n)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH, DTCI_ARG(OPS), work->rows * p->pp, n * p->pp, UINT64_MAX);
  for (uint64_t rank = 0; rank < p->pp; rank++)
    for (uint64_t row = 0; row < work->rows; row++) {
      dtc_pipe_op op = work->ops[rank * work->rows + row];
      if (row < n ? !same_op(op, op_of_row(p, rank, row)) : op.kind != DTC_PIPE_KIND_NONE)
        return dtci_pipe_fail_row(rank * work->rows + row, e);
    }
  return DTC_OK;
}

/* Calls of a rank before and behind the op of a row. In the warm-up and at the end every op receives before and sends
 * behind; a pair's forward is sent while its backward is received, and that one while the next forward is. */
static unsigned call_at(const dtc_pipe *p, uint64_t rank, uint64_t row, int behind)
{
  uint64_t warm = warm_up(p, rank);
  uint64_t cool = 2 * p->micro_batches - warm; /* first row of the end */
  unsigned mask = 0;
  if (row < warm)
    mask = behind ? SEND_FORWARD : RECV_FORWARD;
  else if (row >= cool)
    mask = behind ? SEND_BACKWARD : RECV_BACKWARD;
  else if ((row - warm) % 2 == 0)
    mask = behind ? SEND_FORWARD | RECV_BACKWARD : row == warm ? RECV_FORWARD : 0;
  else if (behind)
    mask = row + 1 < cool ? SEND_BACKWARD | RECV_FORWARD : SEND_BACKWARD;
  if (rank == 0)
    mask &= ~(unsigned)(RECV_FORWARD | SEND_BACKWARD);
  if (rank == p->pp - 1)
    mask &= ~(unsigned)(SEND_FORWARD | RECV_BACKWARD);
  return mask;
}

static void wait_until(blocking *b, uint64_t rank, double end)
{
  if (dtci_double_of(b->clock[rank]) < end)
    b->clock[rank] = dtci_word_of(end);
}

/* A rank comes to a transfer at time `now`. The second side to come knows when it ends, and tells the first. */
static void meet(blocking *b, uint64_t *first, uint64_t rank, uint64_t peer, double now)
{
  if (*first == NOBODY) {
    *first = dtci_word_of(now);
    b->open[rank]++;
    return;
  }
  double other = dtci_double_of(*first);
  double end = (other > now ? other : now) + b->transfer;
  *first = NOBODY;
  wait_until(b, rank, end);
  wait_until(b, peer, end);
  if (--b->open[peer] == 0)
    b->ready[b->n_ready++] = peer;
}

static void call(blocking *b, uint64_t rank, unsigned mask)
{
  double now = dtci_double_of(b->clock[rank]);
  if (mask & SEND_FORWARD)
    meet(b, &b->first[2 * rank], rank, rank + 1, now);
  if (mask & RECV_BACKWARD)
    meet(b, &b->first[2 * rank + 1], rank, rank + 1, now);
  if (mask & SEND_BACKWARD)
    meet(b, &b->first[2 * rank - 1], rank, rank - 1, now);
  if (mask & RECV_FORWARD)
    meet(b, &b->first[2 * rank - 2], rank, rank - 1, now);
}

static void run_op(blocking *b, uint64_t rank, uint64_t row)
{
  const dtci_pipe_work *work = b->work;
  const dtc_pipe_cost *cost = dtci_pipe_cost_of(work, rank, 0);
  uint64_t at = rank * work->rows + row;
  double start = dtci_double_of(b->clock[rank]);
  double time = work->ops[at].kind == DTC_PIPE_KIND_FORWARD ? cost->forward : cost->input + cost->weight;
  b->out[at] = (dtc_pipe_time){start, start + time};
  b->clock[rank] = dtci_word_of(start + time);
}

/* Runs a rank until a call has to wait, or it has no ops left. at counts the calls that were made. */
static void run_rank(blocking *b, uint64_t rank)
{
  const dtc_pipe *p = &b->work->p;
  uint64_t end = 2 * ops_of_rank(p);
  uint64_t at = b->at[rank];
  while (b->open[rank] == 0 && at < end) {
    if (at % 2 == 1)
      run_op(b, rank, at / 2);
    call(b, rank, call_at(p, rank, at / 2, at % 2 == 1));
    at++;
  }
  b->at[rank] = at;
}

dtc_status dtci_pipe_blocking(const dtci_pipe_work *work, const dtci_pipe_sending *sending, dtc_error *e)
{
  uint64_t pp = work->p.pp;
  uint64_t *words = sending->scratch;
  blocking b = {.work = work, .out = sending->out, .transfer = sending->latency + sending->transfer};
  TRY(check_order(work, e));
  b.at = words;
  b.clock = words + pp;
  b.open = words + 2 * pp;
  b.ready = words + 3 * pp;
  b.first = words + 4 * pp;
  memset(words, 0, (size_t)(RANK_WORDS * pp) * sizeof *words);
  memset(b.first, 0xff, (size_t)(2 * pp) * sizeof *words); /* NOBODY */
  for (uint64_t rank = 0; rank < pp; rank++) {
    b.ready[rank] = pp - 1 - rank;
    for (uint64_t row = ops_of_rank(&work->p); row < work->rows; row++)
      b.out[rank * work->rows + row] = (dtc_pipe_time){0, 0};
  }
  b.n_ready = pp;
  while (b.n_ready > 0)
    run_rank(&b, b.ready[--b.n_ready]);
  return DTC_OK;
}
