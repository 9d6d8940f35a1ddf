/* The largest micro-batch and the longest sequence that fit: the library's own estimate, at legal values alone. */
#include "internal/cluster.h"
#include "internal/memory.h"

enum { NEAR = 16, MOST_BITS = 32 };

/* What is searched: the caller's arguments, with a plan of our own in which one field varies. */
typedef struct search {
  const dtc_model *model;
  const dtc_cluster *cluster;
  const dtc_stage *stages;
  size_t n;
  dtc_plan plan;
  uint64_t *field; /* of the plan */
  uint64_t step;   /* legal values are its multiples */
  uint64_t least;  /* smallest value that was legal; 0: none yet */
  dtc_max_setting found;
} search;

typedef enum verdict { ILLEGAL, TOO_LARGE, FITS } verdict;

static verdict try_value(search *s, uint64_t value, dtc_memory *m, dtc_error *e)
{
  *m = (dtc_memory){.struct_size = sizeof *m};
  *s->field = value;
  dtc_status status = dtc_memory_estimate(s->model, s->cluster, &s->plan, s->stages, s->n, m, e);
  if (status != DTC_OK)
    return status == DTC_E_OVERFLOW ? TOO_LARGE : ILLEGAL;
  return m->fits == DTC_BOOL_ON ? FITS : TOO_LARGE;
}

static void keep(search *s, uint64_t value, const dtc_memory *m)
{
  s->found.value = value;
  s->found.device = m->device;
}

static void keep_next(search *s, uint64_t value, const dtc_memory *m)
{
  s->found.next = value;
  s->found.next_device = m->device;
  s->found.limit = m->largest;
}

static int fits(search *s, uint64_t value)
{
  dtc_memory m;
  if (try_value(s, value, &m, NULL) != FITS)
    return 0;
  keep(s, value, &m);
  return 1;
}

/* ---- multiples of a step --------------------------------------------------------------------- */

/* The largest of 1 .. most steps: doubles, then halves the distance. */
static uint64_t bisect(search *s, uint64_t most)
{
  uint64_t low = 0;
  uint64_t high = 1;
  while (high <= most && fits(s, high * s->step)) {
    low = high;
    high *= 2;
  }
  high = high <= most ? high : most + 1;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (fits(s, middle * s->step))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Memory need not grow everywhere (shards and allocations are rounded): as long as one of the next values fits, the answer
 * moves up to it. */
static dtc_status climb(search *s, dtc_error *e)
{
  dtc_memory m;
  uint64_t most = ((uint64_t)1 << MOST_BITS) / s->step;
  if (try_value(s, s->step, &m, e) == ILLEGAL)
    return e->status;
  uint64_t low = bisect(s, most);
  for (uint64_t i = 1; i <= NEAR && low + i <= most; i++)
    if (fits(s, (low + i) * s->step)) {
      low += i;
      i = 0;
    }
  uint64_t next = (low + 1) * s->step;
  if (low < most && try_value(s, next, &m, e) == TOO_LARGE)
    keep_next(s, next, &m);
  return DTC_OK;
}

/* ---- divisors of a number -------------------------------------------------------------------- */

/* One divisor, of those that are tried from the largest down: true when it is the answer. */
static int try_divisor(search *s, uint64_t value, dtc_error *e)
{
  dtc_memory m;
  verdict v = value >> MOST_BITS == 0 ? try_value(s, value, &m, e) : ILLEGAL;
  if (v == TOO_LARGE)
    keep_next(s, value, &m);
  else if (v == FITS)
    keep(s, value, &m);
  s->least = v != ILLEGAL ? value : s->least;
  return v == FITS;
}

static dtc_status descend(search *s, uint64_t number, dtc_error *e)
{
  uint64_t d = 1;
  int done = 0;
  for (; !done && d <= number / d; d++)
    if (number % d == 0)
      done = try_divisor(s, number / d, e);
  for (; !done && d > 0; d--) /* those below the root; of a square the root twice, which does no harm */
    if (number % d == 0 && d <= number / d)
      done = try_divisor(s, d, e);
  return s->least != 0 ? DTC_OK : e->status;
}

/* ---- both ------------------------------------------------------------------------------------ */

static dtc_status begin(search *s, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                        const dtc_stage *stages, size_t n, dtc_error *e)
{
  dtc_cluster usable;
  *s = (search){.model = model, .cluster = cluster, .stages = stages, .n = n, .step = 1};
  TRY(dtci_in(&s->plan, DTC_STRUCT_plan, plan, e));
  TRY(dtci_cluster_in(cluster, &usable, e));
  s->found = (dtc_max_setting){.struct_size = sizeof s->found, .capacity = usable.usable};
  return DTC_OK;
}

static dtc_status max_micro_batch(search *s, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                  const dtc_stage *stages, size_t n, dtc_error *e)
{
  TRY(begin(s, model, cluster, plan, stages, n, e));
  s->field = &s->plan.micro_batch;
  return s->plan.global_batch == 0 ? climb(s, e) : descend(s, s->plan.global_batch, e);
}

/* Lengths that can be split are the multiples of one: 2 * tp * cp is legal where any is, and factors that it does not need
 * are taken out. */
static uint64_t step_of(search *s, const dtc_plan *resolved)
{
  dtc_memory m;
  uint64_t step = 2 * resolved->tp * resolved->cp;
  uint64_t most = dtci_larger(resolved->tp, resolved->cp);
  for (uint64_t f = 2; f <= most || f == 2; f++)
    while (step % f == 0 && try_value(s, step / f, &m, NULL) != ILLEGAL)
      step /= f;
  return step;
}

static dtc_status max_seq(search *s, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                          const dtc_stage *stages, size_t n, dtc_error *e)
{
  dtci_case c;
  TRY(begin(s, model, cluster, plan, stages, n, e));
  s->field = &s->plan.seq;
  *s->field = 0;
  s->plan.packed = 0; /* takes no memory, and is at most seq */
  TRY(dtci_case_in(&c, model, cluster, &s->plan, e));
  s->step = step_of(s, &c.plan);
  return climb(s, e);
}

dtc_status dtc_memory_max_micro_batch(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                      const dtc_stage *stages, size_t n, dtc_max_setting *out, dtc_error *err)
{
  dtc_error e;
  search found;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = max_micro_batch(&found, model, cluster, plan, stages, n, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_max_setting, &found.found, &e), &e, err);
}

dtc_status dtc_memory_max_seq(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                              const dtc_stage *stages, size_t n, dtc_max_setting *out, dtc_error *err)
{
  dtc_error e;
  search found;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = max_seq(&found, model, cluster, plan, stages, n, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_max_setting, &found.found, &e), &e, err);
}
