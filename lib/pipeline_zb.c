/* ZB-H1 and ZB-H2: the order of a heuristic that plans with the times of a stage.
 * Source: zero-bubble 39f2c186 megatron/core/pipeline_parallel/zerobubble/scheduler/zb.py (manual_order,
 * initial_solution, create_scheduled_nodes). */
#include "internal/pipeline_generate.h"

enum { F, I, W, KINDS };

static const dtc_pipe_kind kinds[KINDS] = {DTC_PIPE_KIND_FORWARD, DTC_PIPE_KIND_INPUT, DTC_PIPE_KIND_WEIGHT};

/* What the heuristic is tried with. */
typedef struct choice {
  int early_bubble; /* a stage waits before its first backward when a further forward would end too late */
  int input_first;  /* a stage far ahead of the next one leaves a forward out */
  int greedy;       /* a backward for the weights fills a gap even when a larger bubble makes the gap harmless */
} choice;

/* A try: how far each stage is. Micro-batches of a kind come in their order. */
typedef struct plan {
  uint64_t pp;
  uint64_t m;
  double cost[KINDS];
  double hop;
  uint64_t whole;        /* memory of an activation, in the job's shares */
  uint64_t freed[KINDS]; /* what an op frees of it */
  uint64_t most;         /* memory that a stage may hold */
  choice with;
  uint64_t *done[KINDS]; /* ops of each stage */
  uint64_t *ends[KINDS]; /* times: op of micro-batch i on stage j at [j * m + i] */
  uint64_t *held;        /* memory of each stage */
  uint64_t *ahead;       /* forwards that a stage is to run next */
  uint64_t *now;         /* times: end of each stage's last op */
  uint64_t *bubble;      /* times: what each stage waited behind its first forward */
  uint64_t *weights;     /* times: of 0, 1, 2 .. backwards for the weights, added one by one */
  double worst;          /* largest bubble; bubbles only grow */
} plan;

enum { TRIES = 8 }; /* choices there are */

/* Ops of all tries, and of the best one again. */
static uint64_t steps(const dtc_pipe *p, int *bad)
{
  return dtci_mul(TRIES + 1, dtci_mul(KINDS, dtci_mul(p->pp, p->micro_batches, bad), bad), bad);
}

uint64_t dtci_pipe_zb_scratch(const dtc_pipe *p, int *bad)
{
  if (steps(p, bad) > DTCI_PIPE_WORK)
    return 0;
  uint64_t ops = dtci_mul(KINDS, dtci_mul(p->pp, p->micro_batches, bad), bad);
  uint64_t stages = dtci_mul(KINDS + 4, p->pp, bad);
  return dtci_add(dtci_add(ops, stages, bad), dtci_add(p->micro_batches, 1, bad), bad);
}

static void plan_of(const dtc_pipe *p, uint64_t *scratch, plan *z)
{
  uint64_t whole = p->freed_input + p->freed_weight;
  uint64_t enough = 3 * p->micro_batches; /* activations that no order holds */
  *z = (plan){.pp = p->pp, .m = p->micro_batches, .cost = {p->forward, p->input, p->weight}, .hop = p->hop};
  z->whole = whole;
  z->freed[I] = p->freed_input;
  z->freed[W] = p->freed_weight;
  z->most = whole * dtci_smaller(p->limit, enough);
  for (int k = 0; k < KINDS; k++, scratch += z->pp)
    z->done[k] = scratch;
  uint64_t **stages[] = {&z->held, &z->ahead, &z->now, &z->bubble};
  for (size_t a = 0; a < sizeof stages / sizeof stages[0]; a++, scratch += z->pp)
    *stages[a] = scratch;
  for (int k = 0; k < KINDS; k++, scratch += z->pp * z->m)
    z->ends[k] = scratch;
  z->weights = scratch;
  dtci_put_time(z->weights, 0, 0);
  for (uint64_t i = 0; i < z->m; i++)
    dtci_put_time(z->weights, i + 1, dtci_time_at(z->weights, i) + z->cost[W]);
}

/* When the input of a stage's op is there: only for a forward behind stage 0 and a backward before the last stage. */
static double arrival(const plan *z, int kind, uint64_t j, uint64_t i)
{
  uint64_t from = kind == F ? j - 1 : j + 1;
  return dtci_time_at(z->ends[kind], from * z->m + i) + z->hop;
}

/* The stage runs the next op of a kind. */
static void put(plan *z, uint64_t j, int kind)
{
  uint64_t i = z->done[kind][j];
  double cost = z->cost[kind];
  double gapless = dtci_time_at(z->now, j) + cost;
  double end = gapless;
  if ((kind == F && j > 0) || (kind == I && j + 1 < z->pp))
    end = dtci_larger_f64(end, arrival(z, kind, j, i) + cost);
  if (z->done[F][j] > 0) {
    double bubble = dtci_time_at(z->bubble, j) + (end - gapless);
    dtci_put_time(z->bubble, j, bubble);
    z->worst = dtci_larger_f64(z->worst, bubble);
  }
  dtci_put_time(z->now, j, end);
  dtci_put_time(z->ends[kind], j * z->m + i, end);
  z->held[j] = kind == F ? z->held[j] + z->whole : z->held[j] - z->freed[kind];
  z->done[kind][j]++;
}

static int weight_waits(const plan *z, uint64_t j)
{
  return z->done[W][j] < z->done[I][j];
}

/* How many forwards each stage runs before its first backward: as many as fit until that can start, at most one less than
 * the stage before it. */
static void plan_warm_up(plan *z)
{
  double next = 0; /* end of the next stage's first backward */
  for (uint64_t j = z->pp; j-- > 0;) {
    double at = dtci_time_at(z->now, j);
    uint64_t held = z->held[j];
    z->ahead[j] = 0;
    if (j + 1 == z->pp) {
      next = at + z->cost[I];
      continue;
    }
    while (z->done[F][j] + z->ahead[j] < z->m && held + z->whole <= z->most) {
      if (z->with.early_bubble ? at + z->cost[F] > next + z->hop : at >= next + z->hop)
        break;
      held += z->whole;
      at += z->cost[F];
      z->ahead[j]++;
    }
    next = dtci_larger_f64(at, next + z->hop) + z->cost[I];
  }
  for (uint64_t j = 1; j < z->pp; j++)
    if (z->ahead[j] >= z->ahead[j - 1] && z->done[F][j] + z->ahead[j] < z->m)
      z->ahead[j] = z->ahead[j - 1] > 0 ? z->ahead[j - 1] - 1 : 0;
}

static void warm_up(plan *z)
{
  for (uint64_t j = 0; j < z->pp; j++)
    put(z, j, F);
  plan_warm_up(z);
  for (uint64_t j = 0; j < z->pp; j++)
    for (; z->ahead[j] > 0; z->ahead[j]--)
      put(z, j, F);
  for (uint64_t j = z->pp; j-- > 0;)
    put(z, j, I);
}

/* Backwards for the weights that make room for a forward, at most those that wait. */
static uint64_t weights_for_room(const plan *z, uint64_t j)
{
  uint64_t waiting = z->done[I][j] - z->done[W][j];
  uint64_t needed = z->held[j] + z->whole;
  if (needed <= z->most)
    return 0;
  return z->freed[W] == 0 ? waiting : dtci_smaller(waiting, dtci_ceil_div(needed - z->most, z->freed[W]));
}

/* Does a stage run a forward in this round? One that is two ahead of the next may wait, so that a backward is not late. */
static int wants_forward(const plan *z, uint64_t j)
{
  if (z->done[F][j] >= z->m)
    return 0;
  if (!z->with.input_first || j + 1 == z->pp || z->done[F][j] < z->done[F][j + 1] + 2)
    return 1;
  double now = dtci_time_at(z->now, j);
  double gradient = dtci_time_at(z->now, j + 1) + z->cost[F] + z->cost[I] + z->hop;
  if (now >= gradient)
    return 0;
  if (now + z->cost[F] + dtci_time_at(z->weights, weights_for_room(z, j)) <= gradient)
    return 1;
  return gradient - now > z->worst - dtci_time_at(z->bubble, j);
}

/* Frees memory for an op that takes `more` and may have `most`; 0 when nothing is left to free. */
static int make_room(plan *z, uint64_t j, uint64_t more, uint64_t most)
{
  while (z->held[j] + more > most) {
    if (!weight_waits(z, j))
      return 0;
    put(z, j, W);
  }
  return 1;
}

/* Fills the time until an op's input is there: whole gaps always, and one that overlaps unless another stage's bubble hides
 * the gap. */
static void fill_gap(plan *z, uint64_t j, double until)
{
  while (weight_waits(z, j) && dtci_time_at(z->now, j) + z->cost[W] <= until)
    put(z, j, W);
  double now = dtci_time_at(z->now, j);
  if (!weight_waits(z, j) || now >= until)
    return;
  int hidden = until - now <= z->worst - dtci_time_at(z->bubble, j);
  if (!hidden || z->with.greedy)
    put(z, j, W);
}

/* A round: at most one forward, then one backward on each stage. */
static int run_round(plan *z)
{
  uint64_t from = 0; /* stages before one that runs no forward run none either */
  for (uint64_t j = 0; j < z->pp; j++)
    if (!wants_forward(z, j))
      from = j + 1;
  for (uint64_t j = from; j < z->pp; j++) {
    if (!make_room(z, j, z->whole, z->most))
      return 0;
    if (j > 0)
      fill_gap(z, j, arrival(z, F, j, z->done[F][j]));
    put(z, j, F);
  }
  for (uint64_t j = z->pp; j-- > 0;) {
    if (!make_room(z, j, 0, z->most + z->freed[I]))
      return 0;
    if (j + 1 < z->pp)
      fill_gap(z, j, arrival(z, I, j, z->done[I][j]));
    if (j == 0 && z->done[F][j] == z->m)
      while (weight_waits(z, j))
        put(z, j, W);
    put(z, j, I);
  }
  return 1;
}

/* A try: its longest time of a stage, or a negative number when the memory does not suffice. */
static double run(plan *z)
{
  double longest = 0;
  z->worst = 0;
  for (int k = 0; k < KINDS; k++)
    memset(z->done[k], 0, (size_t)z->pp * sizeof z->done[k][0]);
  for (uint64_t j = 0; j < z->pp; j++) {
    z->held[j] = 0;
    dtci_put_time(z->now, j, 0);
    dtci_put_time(z->bubble, j, 0);
  }
  warm_up(z);
  for (uint64_t i = 1; i < z->m; i++)
    if (!run_round(z))
      return -1;
  for (uint64_t j = 0; j < z->pp; j++) {
    while (z->done[W][j] < z->m)
      put(z, j, W);
    double begin = dtci_time_at(z->ends[F], j * z->m);
    longest = dtci_larger_f64(longest, dtci_time_at(z->now, j) - begin + z->cost[F]);
  }
  return longest;
}

/* A stage's ops by their ends; at the same time forwards come first, then backwards for the input. So where a time is lost
 * next to another one a stage may hold more than the limit, as it does with the authors. */
static void write_stage(const plan *z, uint64_t j, dtc_pipe_op *out)
{
  uint64_t at[KINDS] = {0};
  for (uint64_t n = 0; n < KINDS * z->m; n++) {
    int first = KINDS;
    double end = 0;
    for (int k = 0; k < KINDS; k++) {
      double t = at[k] < z->m ? dtci_time_at(z->ends[k], j * z->m + at[k]) : 0;
      if (at[k] < z->m && (first == KINDS || t < end)) {
        first = k;
        end = t;
      }
    }
    out[n] = dtci_pipe_op_of(kinds[first], 0, at[first]++);
  }
}

dtc_status dtci_pipe_zb(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e)
{
  int bad = 0;
  plan z;
  choice best = {0};
  double shortest = -1;
  if (steps(p, &bad) > DTCI_PIPE_WORK || bad)
    return dtci_pipe_fail_work(p, e);
  plan_of(p, scratch, &z);
  for (int n = 0; n < TRIES; n++) {
    z.with = (choice){.early_bubble = !(n & 4), .input_first = !(n & 2), .greedy = !(n & 1)};
    double time = run(&z);
    if (time < 0)
      return dtci_pipe_fail_memory(p, e);
    if (shortest < 0 || time < shortest) {
      shortest = time;
      best = z.with;
    }
  }
  z.with = best;
  (void)run(&z); /* as it went before */
  for (uint64_t j = 0; j < z.pp; j++)
    write_stage(&z, j, out + KINDS * z.m * j);
  return DTC_OK;
}
