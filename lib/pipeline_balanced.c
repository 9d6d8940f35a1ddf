/* DeepSpeed's partition_balanced, today's and the one before 0.12.5. Sources: DeepSpeed edaa7221 runtime/utils.py; before
 * pull request 4312 deepspeed/runtime/utils.py (_lprobe, _rb_partition_balanced). Both work on running sums of the
 * weights, in double precision. */
#include "internal/pipeline_split.h"

#include <math.h>

/* The first release with the dynamic programming. */
enum { DYNAMIC_SINCE = 12005 };

/* Running sums up to here are whole numbers in double precision. */
#define SUM_MOST (UINT64_C(1) << 53)

#define SPLIT(member) DTC_FIELD(pipe_split, member)

static int is_bisected(const dtc_pipe_split *s)
{
  return s->version != 0 && s->version < DYNAMIC_SINCE;
}

/* Of no more modules than parts each is a part of its own. */
static int is_trivial(const dtc_pipe_split *s)
{
  return s->layers <= s->pp;
}

uint64_t dtci_balanced_words(const dtc_pipe_split *s)
{
  if (s->splitter != DTC_SPLITTER_BALANCED || is_trivial(s))
    return 0;
  return is_bisected(s) ? s->layers : (s->layers + 1) * (s->pp + 4);
}

dtc_status dtci_balanced_resolve(const dtci_split *x, dtc_error *e)
{
  uint64_t sum = 0;
  int bad = 0;
  if (x->n_weights != x->s.layers)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH, DTCI_ARG(WEIGHTS), x->n_weights, x->s.layers, x->s.layers);
  for (size_t i = 0; i < x->n_weights; i++)
    sum = dtci_add(sum, x->weights[i], &bad);
  if (bad || sum > SUM_MOST)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_SUM, DTCI_ARG(WEIGHTS), bad ? DTC_NONE : sum, 0, SUM_MOST);
  uint64_t steps = is_bisected(&x->s) || is_trivial(&x->s) ? 0 : x->s.layers * x->s.layers / 2 * x->s.pp;
  if (steps > DTCI_SPLIT_WORK)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_PIPE_WORK, SPLIT(layers), x->s.layers, 0, DTCI_SPLIT_WORK);
  return DTC_OK;
}

/* ---- since 0.12.5 ---------------------------------------------------------------------------- */

/* The heaviest and the lightest part of the best cut of the first i modules into as many parts as the column says; best is
 * the least difference of the two, of cuts that extend a best one of a part less. */
typedef struct column {
  uint64_t *heaviest;
  uint64_t *lightest;
} column;

/* Where the last part of the first i modules begins: of equal cuts the last one. */
static uint64_t cut_last(const uint64_t *sums, column before, column now, uint64_t parts, uint64_t i)
{
  double best = HUGE_VAL;
  double all = dtci_double_of(sums[i]);
  uint64_t at = 0;
  for (uint64_t k = parts - 1; k < i; k++) {
    double part = all - dtci_double_of(sums[k]);
    double heaviest = dtci_double_of(before.heaviest[k]);
    double lightest = dtci_double_of(before.lightest[k]);
    heaviest = part > heaviest ? part : heaviest;
    lightest = part < lightest ? part : lightest;
    if (best >= heaviest - lightest) {
      best = heaviest - lightest;
      now.heaviest[i] = dtci_word_of(heaviest);
      now.lightest[i] = dtci_word_of(lightest);
      at = k;
    }
  }
  return at;
}

static void swap(column *a, column *b)
{
  column c = *a;
  *a = *b;
  *b = c;
}

static void cut_dynamically(const dtci_split *x, dtc_pipe_part *out, uint64_t *scratch)
{
  uint64_t n = x->s.layers;
  uint64_t *sums = scratch;
  column before = {sums + (n + 1), sums + 2 * (n + 1)};
  column now = {sums + 3 * (n + 1), sums + 4 * (n + 1)};
  uint64_t *cuts = sums + 5 * (n + 1); /* of two parts and more, n + 1 for each */
  double sum = 0;
  for (uint64_t i = 0; i <= n; i++) {
    sums[i] = dtci_word_of(sum);
    before.heaviest[i] = dtci_word_of(sum);
    before.lightest[i] = dtci_word_of(sum);
    sum += i < n ? (double)x->weights[i] : 0;
  }
  for (uint64_t parts = 2; parts <= x->s.pp; parts++) {
    for (uint64_t i = parts; i <= n; i++)
      cuts[(parts - 2) * (n + 1) + i] = cut_last(sums, before, now, parts, i);
    swap(&before, &now);
  }
  for (uint64_t parts = x->s.pp, end = n; parts > 0; parts--) {
    uint64_t begin = parts > 1 ? cuts[(parts - 2) * (n + 1) + end] : 0;
    out[parts - 1].layers = end - begin;
    end = begin;
  }
}

/* ---- before 0.12.5 --------------------------------------------------------------------------- */

/* Index of the first sum in [low, high) that is not below x; high when there is none. */
static uint64_t first_reaching(const uint64_t *sums, double x, uint64_t low, uint64_t high)
{
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if ((double)sums[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Cuts parts up to the bottleneck, one after the other; returns whether all modules went into them. A part that begins with
 * a module beyond the bottleneck stays empty, and DeepSpeed then reads the last sum for the one before the first, so that
 * the next part takes everything. */
static int cut_up_to(const dtci_split *x, const uint64_t *sums, double bottleneck, dtc_pipe_part *out)
{
  uint64_t n = x->s.layers;
  uint64_t stride = n / x->s.pp;
  uint64_t step = stride;
  uint64_t begin = 0;
  double target = bottleneck;
  for (uint64_t part = 0; part + 1 < x->s.pp; part++) {
    while (step < n && (double)sums[step] < target)
      step += stride;
    uint64_t end = first_reaching(sums, target, step - stride, dtci_smaller(step, n));
    out[part].layers = end - begin;
    if (end == n) {
      for (uint64_t rest = part + 1; rest < x->s.pp; rest++)
        out[rest].layers = 0;
      return (double)(sums[n - 1] - sums[begin]) < bottleneck;
    }
    target = (double)sums[end > 0 ? end - 1 : n - 1] + bottleneck;
    begin = end;
  }
  out[x->s.pp - 1].layers = n - begin;
  return target >= (double)sums[n - 1];
}

/* Halves the range of the bottleneck down to a thousandth. Beyond 2^43 doubles are further apart than that: then DeepSpeed
 * may never end, which is refused. */
static dtc_status bisect(const dtci_split *x, dtc_pipe_part *out, uint64_t *sums, dtc_error *e)
{
  const double eps = 1e-3;
  uint64_t total = 0;
  for (size_t i = 0; i < x->n_weights; i++)
    sums[i] = total += x->weights[i];
  double lower = (double)total / (double)x->s.pp;
  double upper = (double)total;
  while (upper > lower + eps) {
    double middle = lower + (upper - lower) / 2;
    int enough = cut_up_to(x, sums, middle, out);
    double moved = enough ? middle : middle + eps;
    if (moved == (enough ? upper : lower))
      return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_PIPE_WORK, DTCI_ARG(WEIGHTS), total, 0, DTCI_SPLIT_WORK);
    *(enough ? &upper : &lower) = moved;
  }
  (void)cut_up_to(x, sums, upper, out);
  return DTC_OK;
}

dtc_status dtci_balanced_fill(const dtci_split *x, dtc_pipe_part *out, uint64_t *scratch, dtc_error *e)
{
  if (is_trivial(&x->s)) {
    for (uint64_t i = 0; i < x->s.layers; i++)
      out[i].layers = 1;
    return DTC_OK;
  }
  if (is_bisected(&x->s))
    return bisect(x, out, scratch, e);
  cut_dynamically(x, out, scratch);
  return DTC_OK;
}
