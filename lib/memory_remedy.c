/* What would cut the memory of a plan: each change by itself, resolved and estimated like any plan. */
#include "internal/memory.h"
#include "internal/remedy.h"

enum { MOST_REMEDIES = 32, LAST_REMEDY = DTC_REMEDY_VOCAB_PARALLEL };

/* The field that a change sets. */
static const dtci_field *field_of(const dtci_remedy_row *row)
{
  return dtci_field_of(DTCI_FIELD(row->field));
}

/* Is the change one of this framework, and is the plan one that it starts from? */
static int applies(const dtci_case *c, const dtci_remedy_row *row)
{
  if ((c->traits & row->frameworks) == 0 || (c->traits & row->with) != row->with)
    return 0;
  uint64_t now = dtci_read(&c->plan, field_of(row));
  int starts = row->from == 0 || (now < 32 && (row->from >> now & 1) != 0);
  int sharded = row->shardings == 0 || (row->shardings >> c->plan.sharding & 1) != 0;
  int large = row->above == 0 || now > row->above;
  return starts && sharded && large;
}

/* The row of a remedy that applies; NULL when none does. */
static const dtci_remedy_row *row_for(const dtci_case *c, dtc_remedy remedy)
{
  for (uint32_t i = 0; i < dtci_remedies_count; i++)
    if (dtci_remedies[i].remedy == remedy && applies(c, &dtci_remedies[i]))
      return &dtci_remedies[i];
  return NULL;
}

int dtci_remedy_applies(const dtci_case *c, dtc_remedy remedy)
{
  return row_for(c, remedy) != NULL;
}

/* The case with the change; what is wrong with it when it is not legal. */
static dtc_status change(const dtci_case *c, const dtci_remedy_row *row, dtci_case *out, dtc_error *e)
{
  uint64_t now = dtci_read(&c->plan, field_of(row));
  *out = *c;
  out->plan = dtci_plan_kept(&c->given, &c->plan);
  dtci_write(&out->plan, field_of(row),
             row->change == DTCI_DOUBLE  ? now * 2
             : row->change == DTCI_HALVE ? now / 2
                                         : row->value);
  if (row->trades_dp && out->plan.dp % 2 == 0)
    out->plan.dp /= 2;
  TRY(dtci_ranges(&out->plan, DTC_STRUCT_plan, e));
  TRY(dtci_plan_fill(out, e));
  out->has_stages = c->has_stages && out->plan.pp == c->plan.pp;
  return dtci_plan_legal(out, e);
}

/* ---- one change ------------------------------------------------------------------------------ */

static dtc_status change_one(const dtci_case *c, dtc_remedy remedy, dtci_case *out, dtc_error *e)
{
  TRY(dtci_check_range(e, DTC_FIELD(memory_remedy, remedy), remedy, 1, LAST_REMEDY));
  const dtci_remedy_row *row = row_for(c, remedy);
  return row != NULL ? change(c, row, out, e)
                     : dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_REMEDY, DTC_FIELD(memory_remedy, remedy), remedy);
}

dtc_status dtc_memory_remedy_plan(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                  dtc_remedy remedy, dtc_plan *out, dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  dtci_case changed;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_case_legal(&c, model, cluster, plan, &e);
  s = s != DTC_OK ? s : change_one(&c, remedy, &changed, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_plan, &changed.plan, &e), &e, err);
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef struct question {
  dtci_case base;
  dtci_weights weights;
  const dtc_stage *stages; /* the caller's */
  size_t n;
} question;

/* Tries one change; true when it saves something. */
static int try_change(const question *q, const dtci_remedy_row *row, uint64_t before, dtc_memory_remedy *out)
{
  dtci_case changed;
  dtc_error unused;
  dtc_memory m;
  if (!applies(&q->base, row) || change(&q->base, row, &changed, &unused) != DTC_OK)
    return 0;
  const dtc_plan *p = &changed.plan;
  const dtc_stage *stages = changed.has_stages ? q->stages : NULL;
  if (dtci_memory_of(&changed, &q->weights, stages, stages != NULL ? q->n : 0, &m, &unused) != DTC_OK ||
      m.device >= before)
    return 0;
  *out = (dtc_memory_remedy){
      .remedy = row->remedy,
      .fits = m.fits,
      .field = DTCI_FIELD(row->field),
      .value = dtci_read(p, field_of(row)),
      .gpus = p->tp * p->cp * p->pp * p->dp,
      .device = m.device,
      .saved = before - m.device,
  };
  return 1;
}

/* Puts a remedy where it belongs: what saves most first; of equal ones the one with the lower number, which comes first
 * here. */
static void insert(dtc_memory_remedy *list, size_t n, const dtc_memory_remedy *one)
{
  for (; n > 0 && list[n - 1].saved < one->saved; n--)
    list[n] = list[n - 1];
  list[n] = *one;
}

static dtc_status find(const question *q, dtc_memory_remedy list[MOST_REMEDIES], size_t *count, dtc_error *e)
{
  dtc_memory before;
  dtc_memory_remedy one;
  *count = 0;
  TRY(dtci_memory_of(&q->base, &q->weights, q->stages, q->n, &before, e));
  for (uint32_t i = 0; i < dtci_remedies_count && *count < MOST_REMEDIES; i++)
    if (try_change(q, &dtci_remedies[i], before.device, &one))
      insert(list, (*count)++, &one);
  return DTC_OK;
}

static dtc_status copy_out(const dtc_memory_remedy *list, size_t n, dtc_memory_remedy *out, size_t cap, size_t *count,
                           dtc_error *e)
{
  *count = n;
  if (n > cap)
    return dtci_fail_space(e, cap, n);
  if (n != 0)
    memcpy(out, list, n * sizeof *out);
  return DTC_OK;
}

dtc_status dtc_memory_remedies(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                               const dtc_stage *stages, size_t n, dtc_memory_remedy *out, size_t cap, size_t *count,
                               dtc_error *err)
{
  dtc_error e;
  dtc_memory_remedy list[MOST_REMEDIES];
  size_t found = 0;
  question q = {.stages = stages, .n = n};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_memory_begin(&q.base, &q.weights, model, cluster, plan, stages, n, &e);
  s = s != DTC_OK ? s : find(&q, list, &found, &e);
  return dtci_end(s != DTC_OK ? s : copy_out(list, found, out, cap, count, &e), &e, err);
}
