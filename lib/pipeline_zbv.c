/* ZBV as its authors generate it: two chunks of each stage in a V, planned with the times of a chunk.
 * Sources: zero-bubble 39f2c186 megatron/core/pipeline_parallel/zerobubble/scheduler/zbv.py (try_v_schedule,
 * create_schedule); ColossalAI 4f9953be colossalai/pipeline/schedule/v_schedule.py, the same heuristic. */
#include "internal/pipeline_generate.h"

/* Ops of a stage. Backwards are counted in the order in which a micro-batch takes them, so the first belongs to chunk 1. */
enum { F0, F1, I0, I1, W0, W1, KINDS, TIMED = W0 };

/* A run over all micro-batches. */
typedef struct plan {
  const dtc_pipe *p;
  uint64_t pp;
  uint64_t m;
  double forward;
  double input;
  double weight;
  double hop;
  uint64_t whole; /* memory of an activation, in the job's shares */
  uint64_t most;  /* memory that a stage may hold */
  int fill_forward;
  int fill_input;
  dtc_pipe_op *out;     /* rows of each stage */
  uint64_t *ends;       /* times: of kinds below TIMED, micro-batch i on stage j at [(kind * pp + j) * m + i] */
  uint64_t *done;       /* ops of each stage and kind */
  uint64_t *held;       /* memory of each stage */
  uint64_t *rows;       /* ops of each stage */
  uint64_t *waiting;    /* row of each stage behind which its next backward for the weights is to be found */
  uint64_t *turn;       /* kind of each stage's next backward for the input */
  uint64_t *now;        /* times: end of each stage's last op */
  uint64_t *bubble;     /* times: what each stage waited behind its first forward */
  uint64_t *granted;    /* times: bubble that each stage had in the run before */
  uint64_t *best;       /* times: granted bubbles of the best run */
  double worst;         /* largest bubble; bubbles only grow */
  double worst_granted; /* largest granted one */
  double last_weight;   /* end of the last op of all in the authors' table, -1 before it has run */
} plan;

/* What the best run was made with. */
typedef struct choice {
  double bubble;
  double worst_granted;
  int fill_forward;
  int fill_input;
  int found;
} choice;

static uint64_t steps(const dtc_pipe *p, uint64_t runs, int *bad)
{
  return dtci_mul(dtci_mul(KINDS, runs, bad), dtci_mul(p->pp, p->micro_batches, bad), bad);
}

enum { LEAST_RUNS = 4 * 2 + 1 };

uint64_t dtci_pipe_zbv_scratch(const dtc_pipe *p, int *bad)
{
  if (steps(p, LEAST_RUNS, bad) > DTCI_PIPE_WORK)
    return 0;
  uint64_t ends = dtci_mul(TIMED, dtci_mul(p->pp, p->micro_batches, bad), bad);
  return dtci_add(ends, dtci_mul(KINDS + 8, p->pp, bad), bad);
}

static void plan_of(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, plan *z)
{
  uint64_t enough = 2 * (p->micro_batches + p->pp); /* activations that no order asks for */
  *z = (plan){.p = p, .pp = p->pp, .m = p->micro_batches, .out = out, .hop = p->hop};
  z->forward = p->forward;
  z->input = p->input;
  z->weight = p->weight;
  z->whole = p->freed_input + p->freed_weight;
  z->most = z->whole * dtci_smaller(p->limit, enough);
  uint64_t **stages[] = {&z->held, &z->rows, &z->waiting, &z->turn, &z->now, &z->bubble, &z->granted, &z->best};
  for (size_t a = 0; a < sizeof stages / sizeof stages[0]; a++, scratch += z->pp)
    *stages[a] = scratch;
  z->done = scratch;
  z->ends = scratch + KINDS * z->pp;
}

static uint64_t done(const plan *z, uint64_t j, int kind)
{
  return z->done[KINDS * j + (uint64_t)kind];
}

/* Rows of a stage; a backward's chunk turned to the real one. */
static dtc_pipe_op *rows_of(const plan *z, uint64_t j)
{
  return z->out + KINDS * z->m * j;
}

static int weight_waits(const plan *z, uint64_t j)
{
  return done(z, j, W0) + done(z, j, W1) < done(z, j, I0) + done(z, j, I1);
}

/* The stage that a stage's op gets its input from, or DTC_NONE: chunk 0 and the first backward come from the stage before. */
static uint64_t source_of(const plan *z, uint64_t j, int kind)
{
  if (kind == F0 || kind == I0)
    return j > 0 ? j - 1 : DTC_NONE;
  return j + 1 < z->pp ? j + 1 : DTC_NONE;
}

static double end_of(const plan *z, uint64_t j, int kind, uint64_t i)
{
  return dtci_time_at(z->ends, ((uint64_t)kind * z->pp + j) * z->m + i);
}

/* The stage runs an op: it ends at `end`, or without waiting at `gapless`. */
static void append(plan *z, uint64_t j, int kind, double end, double gapless)
{
  static const dtc_pipe_kind kinds[] = {DTC_PIPE_KIND_FORWARD, DTC_PIPE_KIND_INPUT, DTC_PIPE_KIND_WEIGHT};
  uint64_t i = z->done[KINDS * j + (uint64_t)kind]++;
  uint64_t chunk = kind < I0 ? kind == F1 : kind == I0 || kind == W0;
  dtci_put_time(z->now, j, end);
  if (kind < TIMED)
    dtci_put_time(z->ends, ((uint64_t)kind * z->pp + j) * z->m + i, end);
  rows_of(z, j)[z->rows[j]++] = dtci_pipe_op_of(kinds[kind / 2], chunk, i);
  if (kind != F0 || i > 0) {
    double bubble = dtci_time_at(z->bubble, j) + (end - gapless);
    dtci_put_time(z->bubble, j, bubble);
    z->worst = dtci_larger_f64(z->worst, bubble);
  }
}

/* The stage runs its next forward or backward for the input; 0 when that cannot be: its input is not there, or memory does
 * not suffice. */
static int put(plan *z, uint64_t j, int kind)
{
  uint64_t i = done(z, j, kind);
  uint64_t from = source_of(z, j, kind);
  double cost = kind < I0 ? z->forward : z->input;
  double gapless = dtci_time_at(z->now, j) + cost;
  double end = gapless;
  if (i >= z->m || (kind < I0 && z->held[j] + z->whole > z->most))
    return 0;
  if ((kind != F0 && done(z, j, kind - 1) <= i) || (from != DTC_NONE && done(z, from, kind) <= i))
    return 0;
  if (from != DTC_NONE)
    end = dtci_larger_f64(end, end_of(z, from, kind, i) + z->hop + cost);
  z->held[j] = kind < I0 ? z->held[j] + z->whole : z->held[j] - z->p->freed_input;
  append(z, j, kind, end, gapless);
  return 1;
}

/* The stage runs the backward for the weights that waits longest. */
static void put_weight(plan *z, uint64_t j)
{
  const dtc_pipe_op *rows = rows_of(z, j);
  while (rows[z->waiting[j]].kind != DTC_PIPE_KIND_INPUT)
    z->waiting[j]++;
  int kind = rows[z->waiting[j]++].chunk == 1 ? W0 : W1;
  double end = dtci_time_at(z->now, j) + z->weight;
  z->held[j] -= z->p->freed_weight;
  append(z, j, kind, end, end);
  if (kind == W1 && j + 1 == z->pp && done(z, j, W1) == z->m)
    z->last_weight = end;
}

/* Frees memory for a forward; 0 when nothing is left to free. */
static int make_room(plan *z, uint64_t j)
{
  while (z->held[j] + z->whole > z->most) {
    if (!weight_waits(z, j))
      return 0;
    put_weight(z, j);
  }
  return 1;
}

/* Runs an op and before it what fits into the gap until its input is there; one more, when `fill`, unless another stage's
 * bubble hides the gap. Where an op needs no other stage, the authors read the last entry of their table of ends, and so
 * do we. */
static int put_filled(plan *z, uint64_t j, int kind, int fill)
{
  uint64_t i = done(z, j, kind);
  uint64_t from = source_of(z, j, kind);
  double input = z->last_weight + z->hop;
  if (from != DTC_NONE) {
    if (i >= z->m || done(z, from, kind) <= i)
      return 0;
    input = end_of(z, from, kind, i) + z->hop;
    while (weight_waits(z, j) && input >= dtci_time_at(z->now, j) + z->weight)
      put_weight(z, j);
  }
  double hidden =
      dtci_larger_f64(z->worst, z->worst_granted - dtci_time_at(z->granted, j)) - dtci_time_at(z->bubble, j);
  if (fill && weight_waits(z, j) && input - dtci_time_at(z->now, j) > hidden)
    put_weight(z, j);
  return put(z, j, kind);
}

/* Forwards down the V and up again; further ones of chunk 0 while the first turns round. */
static int go_down_and_up(plan *z)
{
  for (uint64_t j = 0; j < z->pp; j++)
    if (!put(z, j, F0))
      return 0;
  for (uint64_t j = z->pp; j-- > 0;) {
    double input = j + 1 < z->pp ? end_of(z, j + 1, F1, 0) + z->hop : -1;
    while (z->held[j] + z->whole * (2 + 2 * j) <= z->most && dtci_time_at(z->now, j) + z->forward <= input &&
           done(z, j, F0) < z->m)
      for (uint64_t k = 0; k <= j; k++)
        if (!put(z, k, F0))
          return 0;
    if (!put(z, j, F1))
      return 0;
  }
  return 1;
}

/* More forwards of both chunks in turn, until each stage has as many as the one before it. */
static int level(plan *z)
{
  int kind = F0;
  for (uint64_t j = 1; j < z->pp; j++)
    while (done(z, j, F0) + done(z, j, F1) < done(z, j - 1, F0) + done(z, j - 1, F1) ||
           (done(z, j, F1) <= done(z, j - 1, F1) && done(z, j - 1, F1) < z->m)) {
      for (uint64_t k = z->pp; k-- > j;)
        if (done(z, k, kind) < z->m && !put(z, k, kind))
          return 0;
      kind = kind == F0 ? F1 : F0;
    }
  return 1;
}

/* One backward for the input on each stage: the second of a micro-batch where it can run, on the last stages first. */
static int run_inputs(plan *z)
{
  for (uint64_t j = 0; j < z->pp; j++) {
    uint64_t second = done(z, j, I1);
    int behind = second < done(z, j, I0);
    int there = j + 1 == z->pp || done(z, j, I0) >= z->m || done(z, j + 1, I1) > second;
    z->turn[j] = behind && there ? I1 : I0;
  }
  for (uint64_t j = z->pp; j-- > 0;)
    if (z->turn[j] == I1 && !put_filled(z, j, I1, 1))
      return 0;
  for (uint64_t j = 0; j < z->pp; j++)
    if (z->turn[j] == I0 && !put_filled(z, j, I0, z->fill_input))
      return 0;
  return 1;
}

/* The kind of a stage's next forward: chunk 1 where it can run; KINDS when neither can. */
static int next_forward(const plan *z, uint64_t j)
{
  uint64_t first = done(z, j, F0), second = done(z, j, F1);
  if (second >= z->m)
    return KINDS;
  if (second >= first)
    return F0;
  if (j + 1 == z->pp || done(z, j + 1, F1) > second)
    return F1;
  return first < z->m && (j == 0 || done(z, j - 1, F0) > first) ? F0 : KINDS;
}

static int run_forwards(plan *z)
{
  for (uint64_t j = 0; j < z->pp; j++) {
    int kind = next_forward(z, j);
    if (kind != KINDS && (!make_room(z, j) || !put_filled(z, j, kind, z->fill_forward)))
      return 0;
  }
  return 1;
}

/* A run; 0 when memory does not suffice. Below 2 * pp activations it mostly does not, and some stage misses an input. */
static int run(plan *z)
{
  z->worst = 0;
  z->last_weight = -1;
  memset(z->done, 0, (size_t)(KINDS * z->pp) * sizeof z->done[0]);
  for (uint64_t j = 0; j < z->pp; j++) {
    z->held[j] = z->rows[j] = z->waiting[j] = 0;
    dtci_put_time(z->now, j, 0);
    dtci_put_time(z->bubble, j, 0);
  }
  if (!go_down_and_up(z) || !level(z))
    return 0;
  for (uint64_t round = 0; round < 2 * z->m; round++)
    if (!run_inputs(z) || !run_forwards(z))
      return 0;
  for (uint64_t j = 0; j < z->pp; j++)
    while (weight_waits(z, j))
      put_weight(z, j);
  return 1;
}

/* Runs again and again, each time with the bubbles of the run before as granted, while the largest one shrinks. Granted
 * bubbles are 0 at first. */
static dtc_status improve(plan *z, choice *best, uint64_t *runs, dtc_error *e)
{
  int bad = 0;
  double before = 0;
  z->worst_granted = 0;
  for (uint64_t j = 0; j < z->pp; j++)
    dtci_put_time(z->granted, j, 0);
  for (int first = 1;; first = 0) {
    if (steps(z->p, ++*runs + 1, &bad) > DTCI_PIPE_WORK)
      return dtci_pipe_fail_work(z->p, e);
    if (!run(z))
      return dtci_pipe_fail_memory(z->p, e);
    if (!first && z->worst >= before)
      return DTC_OK;
    if (!best->found || z->worst < best->bubble) {
      *best = (choice){z->worst, z->worst_granted, z->fill_forward, z->fill_input, 1};
      memcpy(z->best, z->granted, (size_t)z->pp * sizeof z->best[0]);
    }
    memcpy(z->granted, z->bubble, (size_t)z->pp * sizeof z->granted[0]);
    before = z->worst_granted = z->worst;
  }
}

dtc_status dtci_pipe_zbv(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e)
{
  int bad = 0;
  uint64_t runs = 0;
  plan z;
  choice best = {0};
  if (steps(p, LEAST_RUNS, &bad) > DTCI_PIPE_WORK || bad)
    return dtci_pipe_fail_work(p, e);
  plan_of(p, out, scratch, &z);
  for (int n = 0; n < 4; n++) {
    z.fill_input = !(n & 2);
    z.fill_forward = !(n & 1);
    TRY(improve(&z, &best, &runs, e));
  }
  z.fill_input = best.fill_input;
  z.fill_forward = best.fill_forward;
  z.worst_granted = best.worst_granted;
  memcpy(z.granted, z.best, (size_t)z.pp * sizeof z.granted[0]);
  return run(&z) ? DTC_OK : dtci_pipe_fail_memory(p, e);
}
