/* When each op of a pipeline's order runs, messages passing beside the computation: an event simulation without a queue
 * of events. A rank runs its ops in their order until an input is missing; that input's word in scratch then says that
 * somebody waits for it, and who writes it wakes the rank. So every op is looked at at most twice (a pair three times). */
#include "internal/pipeline_work.h"

/* ---- scratch --------------------------------------------------------------------------------- */

/* Each chunk of a rank has two words for each micro-batch, one for its forward and one for its backward: when the input
 * arrives, or one of these, which no time is: times are not negative, so their first bit is 0. */
#define NOT_THERE (UINT64_MAX)     /* its input has not been made */
#define AWAITED (UINT64_MAX - 1)   /* nor has it, and the rank waits for it */
#define DONE (UINT64_MAX - 2)      /* it has run */
#define HALF_DONE (UINT64_MAX - 3) /* the backward for the input has run, the one for the weights has not */
#define IS_TIME(word) ((word) >> 63 == 0)

/* Where the result of a chunk's forward or backward goes. */
enum {
  TO = 0,   /* first of the words that it is the input of */
  LINK = 1, /* link that carries it, and in the upper half the rank it leads to; NO_LINK on the same rank */
  ROUTE_WORDS = 2,
};
#define NO_LINK (UINT64_MAX)

/* What is known of a chunk of a rank. */
enum {
  TIMES = 0, /* of its ops, by their kind - 1 */
  FORWARD_ROUTE = 4,
  BACKWARD_ROUTE = FORWARD_ROUTE + ROUTE_WORDS,
  CHUNK_WORDS = BACKWARD_ROUTE + ROUTE_WORDS,
};

enum { RANK_WORDS = 5 }; /* row, clock, two links, a place on the stack */

/* Micro-batches that a chunk of a rank runs. */
static uint64_t each_of(const dtc_pipe *p)
{
  return dtci_pipe_place_of(p) == DTCI_PIPE_DUAL ? p->micro_batches / 2 : p->micro_batches;
}

uint64_t dtci_pipe_simulate_scratch(const dtc_pipe *p, int *bad)
{
  uint64_t chunks = dtci_mul(p->pp, p->vpp, bad);
  uint64_t words = dtci_add(CHUNK_WORDS, dtci_mul(2, each_of(p), bad), bad);
  return dtci_add(dtci_mul(RANK_WORDS, p->pp, bad), dtci_mul(chunks, words, bad), bad);
}

/* ---- the simulation -------------------------------------------------------------------------- */

typedef struct simulation {
  const dtci_pipe_work *work;
  const dtc_pipe_op *ops;
  dtc_pipe_time *out;
  double latency;
  double transfer;
  uint64_t rows;
  uint64_t vpp;
  uint64_t each;
  uint64_t *row;    /* next of each rank, counted over all ranks */
  uint64_t *clock;  /* end of each rank's last op */
  uint64_t *links;  /* when they are free: two of each rank, to the next and to the one before */
  uint64_t *ready;  /* stack of ranks that can go on */
  uint64_t *chunks; /* CHUNK_WORDS each */
  uint64_t *inputs; /* forwards by chunk and micro-batch, then backwards */
  uint64_t n_ready;
  uint64_t backwards; /* from a forward's word to its backward's */
} simulation;

static void divide_scratch(simulation *s, uint64_t *scratch)
{
  uint64_t pp = s->work->p.pp;
  uint64_t chunks = pp * s->vpp;
  s->row = scratch;
  s->clock = s->row + pp;
  s->links = s->clock + pp;
  s->ready = s->links + 2 * pp;
  s->chunks = s->ready + pp;
  s->inputs = s->chunks + CHUNK_WORDS * chunks;
  s->backwards = chunks * s->each;
}

/* The chunk of a rank that is a stage; of dualpipe in the same direction. Counted over all ranks. */
static uint64_t chunk_of_stage(const dtc_pipe *p, uint64_t stage, uint64_t chunk)
{
  switch (dtci_pipe_place_of(p)) {
  case DTCI_PIPE_LOOP:
    return stage % p->pp * p->vpp + stage / p->pp;
  case DTCI_PIPE_V:
    return stage < p->pp ? stage * p->vpp : (2 * p->pp - 1 - stage) * p->vpp + 1;
  default:
    return (chunk == 0 ? stage : p->pp - 1 - stage) * p->vpp + chunk;
  }
}

/* Neighbouring stages lie on one rank or on neighbouring ones, the last and the first rank being neighbours too: two ranks
 * have one link each. */
static void set_route(const simulation *s, uint64_t *route, uint64_t rank, uint64_t to_chunk, uint64_t backward)
{
  uint64_t pp = s->work->p.pp;
  uint64_t to = to_chunk / s->vpp;
  uint64_t link = 2 * rank + (to != (rank + 1) % pp);
  route[TO] = to_chunk * s->each + backward;
  route[LINK] = to == rank ? NO_LINK : to << 32 | link;
}

static void set_chunk(const simulation *s, uint64_t rank, uint64_t chunk)
{
  const dtc_pipe *p = &s->work->p;
  const dtc_pipe_cost *cost = dtci_pipe_cost_of(s->work, rank, chunk);
  uint64_t own = rank * s->vpp + chunk;
  uint64_t stage = dtci_pipe_stage_at(p, rank, chunk);
  uint64_t *words = &s->chunks[CHUNK_WORDS * own];
  words[TIMES + DTC_PIPE_KIND_FORWARD - 1] = dtci_word_of(cost->forward);
  words[TIMES + DTC_PIPE_KIND_BACKWARD - 1] = dtci_word_of(cost->input + cost->weight);
  words[TIMES + DTC_PIPE_KIND_INPUT - 1] = dtci_word_of(cost->input);
  words[TIMES + DTC_PIPE_KIND_WEIGHT - 1] = dtci_word_of(cost->weight);
  if (stage + 1 < dtci_pipe_stages(p))
    set_route(s, words + FORWARD_ROUTE, rank, chunk_of_stage(p, stage + 1, chunk), 0);
  else
    set_route(s, words + FORWARD_ROUTE, rank, own, s->backwards);
  /* Nobody wants what the first stage's backward makes: it goes where the op then writes that it has run. */
  set_route(s, words + BACKWARD_ROUTE, rank, stage > 0 ? chunk_of_stage(p, stage - 1, chunk) : own, s->backwards);
  if (stage == 0)
    memset(&s->inputs[own * s->each], 0, (size_t)s->each * sizeof *s->inputs); /* its inputs are there at time 0 */
}

static void set_up(simulation *s)
{
  uint64_t pp = s->work->p.pp;
  memset(s->inputs, 0xff, (size_t)(2 * s->backwards) * sizeof *s->inputs); /* NOT_THERE */
  memset(s->clock, 0, (size_t)(3 * pp) * sizeof *s->clock);                /* the links, too */
  for (uint64_t rank = 0; rank < pp; rank++) {
    s->row[rank] = rank * s->rows;
    s->ready[rank] = pp - 1 - rank;
    for (uint64_t chunk = 0; chunk < s->vpp; chunk++)
      set_chunk(s, rank, chunk);
  }
  s->n_ready = pp;
}

typedef enum outcome { HERE, MISSING, WRONG } outcome;

/* An op of a rank on its way. */
typedef struct step {
  const uint64_t *chunk; /* its CHUNK_WORDS */
  uint64_t *input;       /* its word */
  double arrival;
  uint64_t kind;
  uint64_t micro_batch;
} step;

/* Finds the input of an op, which exists. When it is missing its word says from now on that the rank waits. */
static inline outcome find_input(const simulation *s, uint64_t rank, dtc_pipe_op op, step *x)
{
  uint64_t chunk = rank * s->vpp + op.chunk;
  x->chunk = &s->chunks[CHUNK_WORDS * chunk];
  x->kind = op.kind;
  x->micro_batch = op.micro_batch;
  x->input = &s->inputs[chunk * s->each + op.micro_batch + (op.kind == DTC_PIPE_KIND_FORWARD ? 0 : s->backwards)];
  x->arrival = 0;
  if (op.kind == DTC_PIPE_KIND_WEIGHT)
    return *x->input == HALF_DONE ? HERE : WRONG;
  if (IS_TIME(*x->input)) {
    x->arrival = dtci_double_of(*x->input);
    return HERE;
  }
  if (*x->input != NOT_THERE)
    return WRONG; /* it has run */
  *x->input = AWAITED;
  return MISSING;
}

static inline double time_of(const step *x)
{
  return dtci_double_of(x->chunk[TIMES + x->kind - 1]);
}

/* The op ends: it cannot run again, and its result is sent. */
static inline void finish(simulation *s, const step *x, double end)
{
  const uint64_t *route = x->chunk + (x->kind == DTC_PIPE_KIND_FORWARD ? FORWARD_ROUTE : BACKWARD_ROUTE);
  uint64_t *to = &s->inputs[route[TO] + x->micro_batch];
  if (x->kind == DTC_PIPE_KIND_WEIGHT) {
    *x->input = DONE;
    return;
  }
  if (route[LINK] == NO_LINK) {
    *to = dtci_word_of(end);
  } else {
    uint64_t *link = &s->links[route[LINK] & UINT32_MAX];
    double begin = dtci_double_of(*link) > end ? dtci_double_of(*link) : end;
    double busy = begin + s->transfer;
    if (*to == AWAITED)
      s->ready[s->n_ready++] = route[LINK] >> 32;
    *link = dtci_word_of(busy);
    *to = dtci_word_of(busy + s->latency);
  }
  *x->input = x->kind == DTC_PIPE_KIND_INPUT ? HALF_DONE : DONE;
}

/* A pair starts when both inputs are there and gives both results at its end. */
static outcome run_pair(simulation *s, uint64_t rank, uint64_t row, double *clock)
{
  step first;
  step second;
  if (!dtci_pipe_pair_known(s->ops, row, (rank + 1) * s->rows, s->vpp, s->each))
    return WRONG;
  outcome found = find_input(s, rank, s->ops[row], &first);
  if (found == HERE)
    found = find_input(s, rank, s->ops[row + 1], &second);
  if (found != HERE)
    return found;
  if (first.input == second.input)
    return WRONG;
  double start = first.arrival > *clock ? first.arrival : *clock;
  start = second.arrival > start ? second.arrival : start;
  *clock = start + (time_of(&first) + time_of(&second));
  finish(s, &first, *clock);
  finish(s, &second, *clock);
  s->out[row] = (dtc_pipe_time){start, *clock};
  s->out[row + 1] = s->out[row];
  return HERE;
}

/* Ranks take turns, so that the processor does not see that each goes on where it stopped. */
static inline void fetch_ahead(const simulation *s, uint64_t row, uint64_t end)
{
  enum { AHEAD = 8 }; /* rows: a line of ops, two of times */
  uint64_t ahead = row + AHEAD < end ? row + AHEAD : row;
  __builtin_prefetch(&s->ops[ahead]);
  __builtin_prefetch(&s->out[ahead], 1);
}

/* Runs a rank's ops until one of them has to wait or is wrong: then that is the rank's row; or none is left. */
static outcome run_rank(simulation *s, uint64_t rank)
{
  uint64_t end = (rank + 1) * s->rows;
  uint64_t row = s->row[rank];
  double clock = dtci_double_of(s->clock[rank]);
  outcome found = HERE;
  while (row < end) {
    dtc_pipe_op op = s->ops[row];
    step x;
    fetch_ahead(s, row, end);
    if (op.kind == DTC_PIPE_KIND_NONE) {
      s->out[row++] = (dtc_pipe_time){0, 0};
      continue;
    }
    if (!dtci_pipe_op_known(op, s->vpp, s->each))
      found = WRONG;
    else
      found = op.fused ? run_pair(s, rank, row, &clock) : find_input(s, rank, op, &x);
    if (found != HERE)
      break;
    if (!op.fused) {
      double start = x.arrival > clock ? x.arrival : clock;
      clock = start + time_of(&x);
      s->out[row] = (dtc_pipe_time){start, clock};
      finish(s, &x, clock);
    }
    row += 1 + op.fused;
  }
  s->row[rank] = row;
  s->clock[rank] = dtci_word_of(clock);
  return found;
}

static dtc_status run_all(simulation *s, dtc_error *e)
{
  while (s->n_ready > 0) {
    uint64_t rank = s->ready[--s->n_ready];
    if (run_rank(s, rank) == WRONG)
      return dtci_pipe_fail_row(s->row[rank], e);
  }
  for (uint64_t rank = 0; rank < s->work->p.pp; rank++)
    if (s->row[rank] < (rank + 1) * s->rows)
      return dtci_pipe_fail_row(s->row[rank], e); /* it waits for ever */
  return DTC_OK;
}

static dtc_status asynchronous(const dtci_pipe_work *work, const dtci_pipe_sending *sending, dtc_error *e)
{
  simulation s = {
      .work = work,
      .ops = work->ops,
      .out = sending->out,
      .latency = sending->latency,
      .transfer = sending->transfer,
      .rows = work->rows,
      .vpp = work->p.vpp,
      .each = work->each,
  };
  divide_scratch(&s, sending->scratch);
  set_up(&s);
  return run_all(&s, e);
}

/* ---- arguments ------------------------------------------------------------------------------- */

dtc_status dtci_pipe_fail_row(uint64_t row, dtc_error *e)
{
  return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_PIPE_ORDER, DTCI_ARG(OPS), row);
}

static dtc_status costs_in(const dtc_pipe_cost *costs, size_t n_costs, uint64_t stages, dtc_error *e)
{
  if (n_costs != 1 && n_costs != stages)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH_OR_ONE, DTCI_ARG(COSTS), n_costs, 1, stages);
  for (size_t i = 0; i < n_costs; i++)
    if (dtci_ranges(&costs[i], DTC_STRUCT_pipe_cost, e) != DTC_OK) {
      e->rule = DTC_RULE_ELEMENT;
      e->other_got = i;
      return e->status;
    }
  return DTC_OK;
}

dtc_status dtci_pipe_work_in(dtci_pipe_work *work, const dtc_pipe *pipe, const dtc_pipe_op *ops, size_t n_ops,
                             const dtc_pipe_cost *costs, size_t n_costs, dtc_error *e)
{
  TRY(dtci_pipe_in(pipe, &work->p, e));
  const dtc_pipe *p = &work->p;
  if (n_ops % p->pp != 0) {
    dtci_fail(e, DTC_E_RANGE, DTC_RULE_PIPE_MULTIPLE, DTCI_ARG(OPS), n_ops);
    e->other = DTC_FIELD(pipe, pp);
    e->other_got = p->pp;
    e->lower = n_ops - n_ops % p->pp;
    e->upper = e->lower + p->pp;
    return e->status;
  }
  TRY(costs_in(costs, n_costs, dtci_pipe_stages(p), e));
  work->ops = ops;
  work->costs = costs;
  work->rows = n_ops / p->pp;
  work->each = each_of(p);
  work->stride = n_costs > 1;
  return DTC_OK;
}

static dtc_status time_in(double v, uint32_t field, dtc_error *e)
{
  return dtci_check_double(e, field, v, 0, 1e15);
}

/* Blocking calls are those of one function of Megatron's. */
static dtc_status sends_in(const dtc_pipe *p, dtc_pipe_sends sends, dtc_error *e)
{
  TRY(dtci_check_range(e, DTCI_ARG(SENDS), sends, DTC_PIPE_SENDS_ASYNC, DTC_PIPE_SENDS_BLOCKING));
  int is_1f1b = p->schedule == DTC_SCHEDULE_1F1B;
  if (sends == DTC_PIPE_SENDS_ASYNC || (is_1f1b && p->framework == DTC_FRAMEWORK_MEGATRON))
    return DTC_OK;
  dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_PIPE_SENDS, DTCI_ARG(SENDS), sends);
  e->other = is_1f1b ? DTC_FIELD(pipe, framework) : DTC_FIELD(pipe, schedule);
  e->other_got = is_1f1b ? p->framework : p->schedule;
  return e->status;
}

static dtc_status simulate(const dtci_pipe_work *work, size_t n_ops, const dtci_pipe_sending *sending,
                           dtc_pipe_sends sends, size_t cap, size_t *count, size_t n_scratch, dtc_error *e)
{
  int bad = 0;
  TRY(time_in(sending->latency, DTCI_ARG(LATENCY), e));
  TRY(time_in(sending->transfer, DTCI_ARG(TRANSFER), e));
  TRY(sends_in(&work->p, sends, e));
  if (cap < n_ops) {
    *count = n_ops;
    return dtci_fail_space(e, cap, n_ops);
  }
  uint64_t needed = dtci_pipe_simulate_scratch(&work->p, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(pipe, micro_batches), work->p.micro_batches);
  TRY(dtci_scratch_in(sending->scratch, n_scratch, needed, e));
  if (sends == DTC_PIPE_SENDS_BLOCKING)
    TRY(dtci_pipe_blocking(work, sending, e));
  else
    TRY(asynchronous(work, sending, e));
  *count = n_ops;
  return DTC_OK;
}

dtc_status dtc_pipe_simulate(const dtc_pipe *pipe, const dtc_pipe_op *ops, size_t n_ops, const dtc_pipe_cost *costs,
                             size_t n_costs, double latency, double transfer, dtc_pipe_sends sends, dtc_pipe_time *out,
                             size_t cap, size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  dtci_pipe_work work;
  dtci_pipe_sending sending = {latency, transfer, out, scratch};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_pipe_work_in(&work, pipe, ops, n_ops, costs, n_costs, &e);
  if (status == DTC_OK)
    status = simulate(&work, n_ops, &sending, sends, cap, count, n_scratch, &e);
  return dtci_end(status, &e, err);
}
