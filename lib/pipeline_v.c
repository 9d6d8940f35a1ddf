/* V-Half and V-Min: two chunks of each stage in a V, a pattern of places that repeats with each micro-batch; its begin and
 * its end are then moved together without more memory. The planned times are all equal.
 * Source: zero-bubble 39f2c186 megatron/core/pipeline_parallel/zerobubble/scheduler/zbv_greedy.py. */
#include "internal/pipeline_generate.h"

/* Ops of a micro-batch on a stage in their order: forwards down and up the V, backwards for the input down and up. Those for
 * the weights fill the gaps; while ops are moved they all count as one kind. */
enum { F0, F1, I1, I0, INPUTS, W = INPUTS, PERIOD = 6, ROWS = 6 };

typedef struct plan {
  uint64_t pp;
  uint64_t m;
  uint64_t length;   /* places of a stage */
  uint64_t most;     /* activations that a stage may hold */
  uint64_t steps;    /* left to take */
  int implied;       /* backwards for the weights stand in no place and run in each gap as soon as there is one */
  uint64_t *held;    /* activations of each stage behind each place */
  uint64_t *waiting; /* the same: backwards for the weights that could run, when they are implied */
  uint64_t *begins;  /* where an op stands: of each stage, kind and micro-batch; of W their number on the stage */
  uint64_t *done;    /* ops of each stage and kind that have been looked at */
  uint64_t *ends;    /* end of each stage's last op */
  uint8_t *places;   /* of each stage: 0 nothing, or 1 + kind */
} plan;

/* Places of a stage: the pattern's, and behind them the backwards for the weights that found no gap. */
static uint64_t length_of(const dtc_pipe *p)
{
  return PERIOD * p->pp + 4 + (PERIOD + 2) * p->micro_batches;
}

/* Every place is looked at when ops are laid, moved and squeezed, in both rounds, and written. */
static uint64_t steps(const dtc_pipe *p, int *bad)
{
  return dtci_mul(16, dtci_mul(p->pp, length_of(p), bad), bad);
}

enum { STAGE_WORDS = W + 1 + 1 };

uint64_t dtci_pipe_v_scratch(const dtc_pipe *p, int *bad)
{
  if (steps(p, bad) > DTCI_PIPE_WORK)
    return 0;
  uint64_t places = dtci_mul(p->pp, length_of(p), bad);
  uint64_t ops = dtci_mul(dtci_mul(ROWS, p->pp, bad), p->micro_batches, bad);
  uint64_t words = dtci_add(dtci_mul(2, places, bad), dtci_ceil_div(places, 8), bad);
  return dtci_add(dtci_add(words, ops, bad), dtci_mul(STAGE_WORDS, p->pp, bad), bad);
}

static void plan_of(const dtc_pipe *p, uint64_t *scratch, plan *v)
{
  *v = (plan){.pp = p->pp, .m = p->micro_batches, .length = length_of(p)};
  v->held = scratch;
  v->waiting = v->held + v->pp * v->length;
  v->begins = v->waiting + v->pp * v->length;
  v->done = v->begins + ROWS * v->pp * v->m;
  v->ends = v->done + (W + 1) * v->pp;
  v->places = (uint8_t *)(v->ends + v->pp);
}

static uint64_t *begin_of(const plan *v, uint64_t j, int kind, uint64_t i)
{
  return &v->begins[(ROWS * j + (uint64_t)kind) * v->m + i];
}

/* The next op of a kind that the stage comes to. */
static uint64_t next(plan *v, uint64_t j, int kind)
{
  return v->done[(W + 1) * j + (uint64_t)kind]++;
}

static void start_over(plan *v)
{
  memset(v->done, 0, (size_t)((W + 1) * v->pp) * sizeof v->done[0]);
  memset(v->ends, 0, (size_t)v->pp * sizeof v->ends[0]);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Where the ops of the first micro-batch stand on a stage; a gap of some places keeps ops apart whose places would
 * otherwise be a multiple of the period apart. */
static void pattern(const dtc_pipe *p, uint64_t j, uint64_t at[INPUTS])
{
  uint64_t pp = p->pp;
  if (p->schedule == DTC_SCHEDULE_V_MIN) {
    uint64_t gap = pp % 3 == 0 ? 2 : 0;
    at[F0] = j;
    at[F1] = 2 * pp - j - 1;
    at[I1] = 2 * pp + gap + j;
    at[I0] = 4 * pp + gap - j - 1;
  } else {
    uint64_t gap = pp % 2 == 0 ? 3 : 0;
    at[F0] = 2 * j;
    at[F1] = 3 * pp - j - 2;
    at[I1] = 3 * pp + gap + 2 * j - 1;
    at[I0] = 6 * pp + gap - j - 2;
  }
}

static void lay_pattern(const dtc_pipe *p, plan *v)
{
  for (uint64_t j = 0; j < v->pp; j++) {
    uint64_t at[INPUTS];
    pattern(p, j, at);
    for (int k = 0; k < INPUTS; k++)
      for (uint64_t i = 0; i < v->m; i++)
        *begin_of(v, j, k, i) = at[k] + PERIOD * i;
  }
}

/* Writes the ops into their places, without those for the weights. */
static void lay(plan *v)
{
  memset(v->places, 0, (size_t)(v->pp * v->length));
  for (uint64_t j = 0; j < v->pp; j++)
    for (int k = 0; k < INPUTS; k++)
      for (uint64_t i = 0; i < v->m; i++)
        v->places[j * v->length + *begin_of(v, j, k, i)] = (uint8_t)(1 + k);
}

/* Gives every backward for the weights the first gap behind that for the input, or a place behind all ops. */
static void lay_weights(plan *v)
{
  for (uint64_t j = 0; j < v->pp; j++) {
    uint8_t *row = v->places + j * v->length;
    uint64_t waiting = 0;
    uint64_t laid = 0;
    for (uint64_t at = 0; at < v->length; at++) {
      if (row[at] == 1 + I1 || row[at] == 1 + I0)
        waiting++;
      if (row[at] != 0 || waiting == 0)
        continue;
      waiting--;
      row[at] = 1 + W;
      *begin_of(v, j, W, laid++) = at;
    }
  }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Counts what a stage holds from a place on; behind `until` only as long as it differs from what was counted before.
 * Returns the steps that it took. */
static uint64_t count_held(const plan *v, uint64_t j, uint64_t from, uint64_t until)
{
  const uint8_t *row = v->places + j * v->length;
  uint64_t *held = v->held + j * v->length;
  uint64_t *waiting = v->waiting + j * v->length;
  uint64_t holds = from > 0 ? held[from - 1] : 0;
  uint64_t waits = from > 0 ? waiting[from - 1] : 0;
  uint64_t at = from;
  for (; at < v->length; at++) {
    int kind = row[at] - 1;
    if (kind == F0 || kind == F1)
      holds++;
    else if (kind == W)
      holds--;
    else if (v->implied && kind >= 0)
      waits++;
    else if (v->implied && waits > 0) {
      waits--;
      holds--;
    }
    if (at > until && held[at] == holds && waiting[at] == waits)
      break;
    held[at] = holds;
    waiting[at] = waits;
  }
  return at - from;
}

/* Counts for all stages; what the fullest holds is the limit for all. */
static void count_all(plan *v)
{
  v->most = 0;
  for (uint64_t j = 0; j < v->pp; j++) {
    count_held(v, j, 0, v->length);
    for (uint64_t at = j * v->length; at < (j + 1) * v->length; at++)
      v->most = v->held[at] > v->most ? v->held[at] : v->most;
  }
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Place of a stage's backward for the input that is number n by place: both kinds stand in rising order. */
static uint64_t input_at(const plan *v, uint64_t j, uint64_t n)
{
  uint64_t low = n + 1 > v->m ? n + 1 - v->m : 0; /* of the first kind among the n + 1 */
  uint64_t high = n + 1 < v->m ? n + 1 : v->m;
  while (low < high) {
    uint64_t mid = low + (high - low) / 2;
    if (*begin_of(v, j, I1, mid) < *begin_of(v, j, I0, n - mid))
      low = mid + 1;
    else
      high = mid;
  }
  uint64_t first = low > 0 ? *begin_of(v, j, I1, low - 1) : 0;
  uint64_t second = n + 1 > low ? *begin_of(v, j, I0, n - low) : 0;
  return dtci_larger(first, second);
}

/* The first place that an op's inputs and its predecessor on the stage leave it. */
static uint64_t earliest(const plan *v, uint64_t j, int kind, uint64_t i)
{
  uint64_t from = i > 0 ? *begin_of(v, j, kind, i - 1) + 1 : 0;
  if (kind == W)
    return dtci_larger(from, input_at(v, j, i) + 1);
  int down = kind == F0 || kind == I1;
  if (down ? j > 0 : j + 1 < v->pp)
    from = dtci_larger(from, *begin_of(v, down ? j - 1 : j + 1, kind, i) + 1);
  return kind > F0 ? dtci_larger(from, *begin_of(v, j, kind - 1, i) + 1) : from;
}

/* The first gap in [from, at) into which the op in place `at` moves without more memory than allowed, or `at`. From the gap
 * on a forward holds one more. When it takes the gap from an implied backward for the weights, another one is held until
 * the next gap in which none ran. */
static uint64_t gap_for(const plan *v, uint64_t j, int kind, uint64_t from, uint64_t at)
{
  const uint8_t *row = v->places + j * v->length;
  const uint64_t *held = v->held + j * v->length;
  const uint64_t *waiting = v->waiting + j * v->length;
  uint64_t more = kind == F0 || kind == F1;
  uint64_t high = 0; /* most that is held before the next idle gap */
  uint64_t to = at;
  for (uint64_t k = at; k-- > from;) {
    if (held[k] + more > v->most)
      break;
    high = dtci_larger(high, held[k]);
    if (row[k] != 0)
      continue;
    int idle = !v->implied || k == 0 || waiting[k - 1] == 0;
    if (idle || high + more + 1 <= v->most)
      to = k;
    if (idle)
      high = 0;
  }
  return to;
}

/* Moves the op in a place to the first gap that it may take. Returns 0 when the steps are used up. */
static int move(plan *v, uint64_t j, int kind, uint64_t i, uint64_t at)
{
  uint8_t *row = v->places + j * v->length;
  uint64_t from = earliest(v, j, kind, i);
  uint64_t to = gap_for(v, j, kind, from, at);
  uint64_t taken = at - from;
  if (to < at) {
    row[at] = 0;
    row[to] = (uint8_t)(1 + kind);
    *begin_of(v, j, kind, i) = to;
    taken += count_held(v, j, to, at);
  }
  if (taken > v->steps)
    return 0;
  v->steps -= taken;
  return 1;
}

/* Moves ops: those before the first micro-batch is through, when asked for, and those behind the last forward of chunk 0.
 * The pattern between stays. */
static int move_ends(plan *v, int begin_too)
{
  enum { BEGIN, MIDDLE, END } part = BEGIN;
  count_all(v);
  start_over(v);
  for (uint64_t at = 0; at < v->length; at++)
    for (uint64_t j = 0; j < v->pp; j++) {
      int kind = v->places[j * v->length + at] - 1;
      if (kind < 0)
        continue;
      uint64_t i = next(v, j, kind);
      if (part == BEGIN && kind == I0 && j == 0)
        part = MIDDLE;
      int stays = part == MIDDLE || (part == BEGIN && !begin_too);
      if (part == MIDDLE && kind == F0 && i == v->m - 1)
        part = END;
      if (!stays && !move(v, j, kind, i, at))
        return 0;
    }
  return 1;
}

/* Lets every op start as soon as it can, each taking one place, in the order in which they stand. */
static void squeeze(plan *v)
{
  start_over(v);
  for (uint64_t at = 0; at < v->length; at++)
    for (uint64_t j = 0; j < v->pp; j++) {
      int kind = v->places[j * v->length + at] - 1;
      if (kind < 0)
        continue;
      uint64_t i = next(v, j, kind);
      uint64_t begin = kind == W ? v->ends[j] : dtci_larger(v->ends[j], earliest(v, j, kind, i));
      *begin_of(v, j, kind, i) = begin;
      v->ends[j] = begin + 1;
    }
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

/* Ops of a stage as they stand; gaps and the end take backwards for the weights, of chunk 1 first. */
static void write_stage(const plan *v, uint64_t j, dtc_pipe_op *out)
{
  const uint8_t *row = v->places + j * v->length;
  uint64_t done[INPUTS] = {0};
  uint64_t weights[2] = {0};
  for (uint64_t at = 0; at < v->length; at++) {
    int kind = row[at] - 1;
    if (kind >= 0) {
      *out++ = dtci_pipe_op_of(kind < I1 ? DTC_PIPE_KIND_FORWARD : DTC_PIPE_KIND_INPUT, kind == F1 || kind == I1,
                               done[kind]++);
      continue;
    }
    uint64_t chunk = weights[1] < done[I1];
    if (weights[chunk] < done[chunk ? I1 : I0])
      *out++ = dtci_pipe_op_of(DTC_PIPE_KIND_WEIGHT, chunk, weights[chunk]++);
  }
}

dtc_status dtci_pipe_v(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e)
{
  int bad = 0;
  plan v;
  uint64_t sure = steps(p, &bad);
  if (sure > DTCI_PIPE_WORK || bad)
    return dtci_pipe_fail_work(p, e);
  plan_of(p, scratch, &v);
  v.steps = DTCI_PIPE_WORK - sure;
  lay_pattern(p, &v);
  lay(&v);
  lay_weights(&v);
  if (!move_ends(&v, 1))
    return dtci_pipe_fail_work(p, e);
  squeeze(&v);
  lay(&v);
  v.implied = 1;
  if (!move_ends(&v, 0))
    return dtci_pipe_fail_work(p, e);
  lay_weights(&v);
  squeeze(&v);
  lay(&v);
  for (uint64_t j = 0; j < v.pp; j++)
    write_stage(&v, j, out + ROWS * v.m * j);
  return DTC_OK;
}
