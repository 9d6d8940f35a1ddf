/* The best split of a model into stages. The items stay in their order, so that a split is where each stage ends; what a
 * stage costs is a difference of running sums. First the least cost of the dearest stage is found: halving the range of
 * doubles ends at the very sum it is, because whether stages up to a bottleneck reach the end can be told by giving each
 * as much as it takes. Then dynamic programming over the ends that such splits can have finds the least sum of squares. */
#include "internal/pipeline_split.h"

#include <math.h>

enum { ITEMS_MOST = 65536, CHOICES = 4, CHOICE_BITS = 16 };

static const double cost_most = 1e15;
static const uint64_t bytes_most = UINT64_C(1) << 50;

/* What is split, and the parts of scratch. Stages and items count from 0, a stage ends before item `end`. */
typedef struct balance {
  dtc_pipe p; /* resolved */
  const dtc_pipe_item *items;
  uint64_t n;
  uint64_t stages;
  uint64_t limit;
  int has_held;    /* the micro-batches that a stage holds are known */
  uint64_t *costs; /* running sums: costs[i] of the items before i, doubles */
  uint64_t *bytes; /* the same of bytes */
  uint64_t *saved; /* of activations */
  uint64_t *held;  /* micro-batches that a stage holds */
  uint64_t *low;   /* low[s] to high[s]: where stage s can begin, and stage s - 1 end */
  uint64_t *high;
  uint64_t *before; /* least sum of squares of the stages so far, by their end, doubles */
  uint64_t *now;
  uint64_t *choices; /* items of the last stage less one, CHOICES to a word */
} balance;

/* ---- stages ---------------------------------------------------------------------------------- */

static double cost_of(const balance *b, uint64_t begin, uint64_t end)
{
  return dtci_double_of(b->costs[end]) - dtci_double_of(b->costs[begin]);
}

static uint64_t bytes_of(const balance *b, uint64_t stage, uint64_t begin, uint64_t end)
{
  return b->bytes[end] - b->bytes[begin] + b->held[stage] * (b->saved[end] - b->saved[begin]);
}

static int fits(const balance *b, uint64_t stage, uint64_t begin, uint64_t end, double bottleneck)
{
  return cost_of(b, begin, end) <= bottleneck && (b->limit == 0 || bytes_of(b, stage, begin, end) <= b->limit);
}

/* The last end that a stage can have, at most `most`; `begin` when not even an item fits. */
static uint64_t last_end(const balance *b, uint64_t stage, uint64_t begin, uint64_t most, double bottleneck)
{
  uint64_t low = begin;
  while (low < most) {
    uint64_t middle = low + (most - low + 1) / 2;
    if (fits(b, stage, begin, middle, bottleneck))
      low = middle;
    else
      most = middle - 1;
  }
  return low;
}

/* The first begin that a stage can have, at least `least`; `end` when not even an item fits. */
static uint64_t first_begin(const balance *b, uint64_t stage, uint64_t least, uint64_t end, double bottleneck)
{
  uint64_t high = end;
  while (least < high) {
    uint64_t middle = least + (high - least) / 2;
    if (fits(b, stage, middle, end, bottleneck))
      high = middle;
    else
      least = middle + 1;
  }
  return high;
}

/* Do stages up to the bottleneck reach the end? Fills the last ends. A rank never holds more micro-batches than the one
 * before, so that what a stage takes every later one takes too: stages can end anywhere from one item each up to as much
 * as each takes. */
static int reaches_end(balance *b, double bottleneck)
{
  b->high[0] = 0;
  for (uint64_t s = 0; s < b->stages; s++) {
    uint64_t most = b->n - (b->stages - 1 - s);
    b->high[s + 1] = last_end(b, s, b->high[s], most, bottleneck);
    if (b->high[s + 1] < s + 1)
      return 0;
  }
  return b->high[b->stages] == b->n;
}

/* ---- the dearest stage ----------------------------------------------------------------------- */

/* The least bottleneck; the bits of doubles that are not negative are in their order. */
static double least_bottleneck(balance *b)
{
  uint64_t low = 0;
  uint64_t high = b->costs[b->n];
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (reaches_end(b, dtci_double_of(middle)))
      high = middle;
    else
      low = middle + 1;
  }
  return dtci_double_of(high);
}

/* Is there any split within the limit? */
static dtc_status check_limit(balance *b, dtc_error *e)
{
  double all = dtci_double_of(b->costs[b->n]);
  uint64_t given = b->limit;
  uint64_t low = given;
  if (given == 0 || reaches_end(b, all))
    return DTC_OK;
  uint64_t high = bytes_of(b, 0, 0, b->n);
  while (low < high) {
    b->limit = low + (high - low) / 2;
    if (reaches_end(b, all))
      high = b->limit;
    else
      low = b->limit + 1;
  }
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_BALANCE_LIMIT, DTCI_ARG(LIMIT), given);
  e->min = high;
  return DTC_E_CONFLICT;
}

/* ---- the least sum of squares ---------------------------------------------------------------- */

static void find_first_ends(balance *b, double bottleneck)
{
  b->low[b->stages] = b->n;
  for (uint64_t s = b->stages; s-- > 0;)
    b->low[s] = first_begin(b, s, s, b->low[s + 1], bottleneck);
}

static uint64_t choice_at(const balance *b, uint64_t stage, uint64_t end)
{
  return stage * (b->n - b->stages + 1) + end - stage - 1;
}

static void set_choice(balance *b, uint64_t at, uint64_t value)
{
  uint64_t shift = at % CHOICES * CHOICE_BITS;
  uint64_t *word = &b->choices[at / CHOICES];
  *word = (*word & ~(UINT64_C(0xffff) << shift)) | value << shift;
}

static uint64_t get_choice(const balance *b, uint64_t at)
{
  return b->choices[at / CHOICES] >> at % CHOICES * CHOICE_BITS & 0xffff;
}

/* Begins that a stage can have, [begin, end). */
typedef struct window {
  uint64_t begin;
  uint64_t end;
} window;

/* The window of a stage's end, from that of an earlier end: it only moves on. */
static window window_of(const balance *b, uint64_t stage, window w, uint64_t end, double bottleneck)
{
  w.end = dtci_smaller(end, b->high[stage] + 1);
  while (w.begin < w.end && !fits(b, stage, w.begin, end, bottleneck))
    w.begin++;
  return w;
}

/* Steps that the search takes. */
static uint64_t steps_of(const balance *b, double bottleneck)
{
  uint64_t steps = 0;
  for (uint64_t s = 0; s < b->stages; s++) {
    window w = {b->low[s], 0};
    for (uint64_t end = b->low[s + 1]; end <= b->high[s + 1]; end++) {
      w = window_of(b, s, w, end, bottleneck);
      steps += w.end - w.begin;
    }
  }
  return steps;
}

/* Ends of one stage. Of equal sums the one whose stage begins first is taken: what is left over goes to the late stages,
 * which hold less. */
static void extend(balance *b, uint64_t stage, double bottleneck)
{
  window w = {b->low[stage], 0};
  for (uint64_t end = b->low[stage + 1]; end <= b->high[stage + 1]; end++) {
    double best = HUGE_VAL;
    w = window_of(b, stage, w, end, bottleneck);
    for (uint64_t i = w.begin; i < w.end; i++) {
      double cost = cost_of(b, i, end);
      double sum = dtci_double_of(b->before[i]) + cost * cost;
      if (sum < best) {
        best = sum;
        set_choice(b, choice_at(b, stage, end), end - 1 - i);
      }
    }
    b->now[end] = dtci_word_of(best);
  }
}

/* Fills the items of each stage. */
static dtc_status split(balance *b, double bottleneck, dtc_pipe_part *out, dtc_error *e)
{
  uint64_t end = b->n;
  (void)reaches_end(b, bottleneck); /* for the last ends */
  find_first_ends(b, bottleneck);
  if (steps_of(b, bottleneck) > DTCI_SPLIT_WORK)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_PIPE_WORK, DTCI_ARG(ITEMS), b->n, 0, DTCI_SPLIT_WORK);
  b->before[0] = dtci_word_of(0);
  for (uint64_t s = 0; s < b->stages; s++) {
    uint64_t *swapped = b->before;
    extend(b, s, bottleneck);
    b->before = b->now;
    b->now = swapped;
  }
  for (uint64_t s = b->stages; s-- > 0;) {
    out[s].layers = get_choice(b, choice_at(b, s, end)) + 1;
    end -= out[s].layers;
    out[s].first = end;
  }
  return DTC_OK;
}

/* ---- in and out ------------------------------------------------------------------------------ */

static dtc_status fail_item(dtc_error *e, uint32_t field, size_t i, uint64_t got, uint64_t max)
{
  dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_ELEMENT, field, got, 0, max);
  e->other = DTCI_ARG(INDEX);
  e->other_got = i;
  return DTC_E_RANGE;
}

static dtc_status item_in(const dtc_pipe_item *item, size_t i, dtc_error *e)
{
  if (!(item->cost >= 0 && item->cost <= cost_most))
    return fail_item(e, DTC_FIELD(pipe_item, cost), i, dtci_word_of(item->cost), dtci_word_of(cost_most));
  if (item->bytes > bytes_most)
    return fail_item(e, DTC_FIELD(pipe_item, bytes), i, item->bytes, bytes_most);
  if (item->saved > bytes_most)
    return fail_item(e, DTC_FIELD(pipe_item, saved), i, item->saved, bytes_most);
  return DTC_OK;
}

/* The job, and at least an item for each stage. */
static dtc_status job_in(const dtc_pipe *pipe, uint64_t items, balance *b, dtc_error *e)
{
  DTC_INIT(&b->p);
  TRY(dtc_pipe_resolve(pipe, &b->p, e));
  TRY(dtci_check_range(e, DTCI_ARG(ITEMS), items, 1, ITEMS_MOST));
  b->n = items;
  b->stages = dtci_pipe_stages(&b->p);
  if (b->n >= b->stages)
    return DTC_OK;
  dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_BALANCE_ITEMS, DTCI_ARG(ITEMS), b->n, b->stages, ITEMS_MOST);
  e->other_got = b->stages;
  return DTC_E_RANGE;
}

static uint64_t words(const balance *b)
{
  uint64_t choices = b->stages * (b->n - b->stages + 1);
  return 5 * (b->n + 1) + 3 * (b->stages + 1) + dtci_ceil_div(choices, CHOICES);
}

static void lay_out(balance *b, uint64_t *scratch)
{
  b->costs = scratch;
  b->bytes = b->costs + b->n + 1;
  b->saved = b->bytes + b->n + 1;
  b->before = b->saved + b->n + 1;
  b->now = b->before + b->n + 1;
  b->held = b->now + b->n + 1;
  b->low = b->held + b->stages + 1;
  b->high = b->low + b->stages + 1;
  b->choices = b->high + b->stages + 1;
}

/* What a stage's rank holds is known where it has no other stage, of schedules in closed form. A limit needs it. */
static dtc_status held_in(balance *b, dtc_error *e)
{
  b->has_held = b->p.vpp == 1;
  if (b->limit > 0 && !b->has_held)
    return dtci_fail_with(e, DTC_E_UNSUPPORTED, DTC_FIELD(pipe, vpp), b->p.vpp, 1, 1, DTCI_ARG(LIMIT), b->limit);
  for (uint64_t s = 0; s < b->stages; s++) {
    dtc_pipe_held held = {0, 0};
    dtc_status status = b->has_held ? dtc_pipe_inflight(&b->p, s, &held, e) : DTC_OK;
    if (status != DTC_OK && b->limit > 0)
      return status;
    b->has_held = b->has_held && status == DTC_OK;
    b->held[s] = held.weight;
  }
  return DTC_OK;
}

static dtc_status sum_up(balance *b, dtc_error *e)
{
  double cost = 0;
  uint64_t bytes = 0;
  uint64_t saved = 0;
  uint64_t held = 0;
  int bad = 0;
  for (uint64_t i = 0; i <= b->n; i++) {
    b->costs[i] = dtci_word_of(cost);
    b->bytes[i] = bytes;
    b->saved[i] = saved;
    if (i == b->n)
      break;
    cost += b->items[i].cost;
    bytes = dtci_add(bytes, b->items[i].bytes, &bad);
    saved = dtci_add(saved, b->has_held ? b->items[i].saved : 0, &bad);
  }
  for (uint64_t s = 0; b->has_held && s < b->stages; s++)
    held = b->held[s] > held ? b->held[s] : held;
  (void)dtci_add(bytes, dtci_mul(held, saved, &bad), &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(pipe_item, bytes), bytes) : DTC_OK;
}

/* What no search fills. */
static void place(const balance *b, dtc_pipe_part *out)
{
  dtci_place_stages(out, b->p.pp, b->stages, dtci_pipe_place_of(&b->p) == DTCI_PIPE_V);
  for (uint64_t s = 0; s < b->stages; s++) {
    out[s].mtp_layers = 0;
    out[s].embedding = s == 0;
    out[s].head = s == b->stages - 1;
  }
}

static dtc_pipe_gain gain_of(const balance *b, const dtc_pipe_part *out)
{
  dtc_pipe_gain g = {.mean = cost_of(b, 0, b->n) / (double)b->stages, .bytes = b->has_held ? 0 : DTC_NONE};
  uint64_t begin = 0;
  for (uint64_t s = 0; s < b->stages; s++) {
    uint64_t end = begin + dtci_uniform(b->n, b->stages, s);
    double uniform = cost_of(b, begin, end);
    double cost = cost_of(b, out[s].first, out[s].first + out[s].layers);
    uint64_t bytes = b->has_held ? bytes_of(b, s, out[s].first, out[s].first + out[s].layers) : DTC_NONE;
    g.uniform = uniform > g.uniform ? uniform : g.uniform;
    g.cost = cost > g.cost ? cost : g.cost;
    g.bytes = bytes > g.bytes ? bytes : g.bytes;
    begin = end;
  }
  return g;
}

static dtc_status solve(balance *b, dtc_pipe_part *out, size_t cap, size_t *count, uint64_t *scratch, size_t n_scratch,
                        dtc_error *e)
{
  for (size_t i = 0; i < b->n; i++)
    TRY(item_in(&b->items[i], i, e));
  TRY(dtci_scratch_in(scratch, n_scratch, words(b), e));
  if (cap < b->stages) {
    *count = dtci_count(b->stages);
    return dtci_fail_space(e, cap, b->stages);
  }
  lay_out(b, scratch);
  TRY(held_in(b, e));
  TRY(sum_up(b, e));
  TRY(check_limit(b, e));
  TRY(split(b, least_bottleneck(b), out, e));
  place(b, out);
  return DTC_OK;
}

dtc_status dtc_pipe_balance(const dtc_pipe *pipe, const dtc_pipe_item *items, size_t n_items, uint64_t limit,
                            dtc_pipe_part *out, size_t cap, size_t *count, dtc_pipe_gain *gain, uint64_t *scratch,
                            size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  balance b = {.items = items, .limit = limit};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = job_in(pipe, items != NULL ? n_items : 0, &b, &e);
  if (s == DTC_OK)
    s = solve(&b, out, cap, count, scratch, n_scratch, &e);
  if (s == DTC_OK) {
    *gain = gain_of(&b, out);
    *count = dtci_count(b.stages);
  }
  return dtci_end(s, &e, err);
}

dtc_status dtc_pipe_balance_scratch(const dtc_pipe *pipe, uint64_t items, uint64_t *needed, dtc_error *err)
{
  dtc_error e;
  balance b = {0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = job_in(pipe, items, &b, &e);
  if (s == DTC_OK)
    *needed = words(&b);
  return dtci_end(s, &e, err);
}
