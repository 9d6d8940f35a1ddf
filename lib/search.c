/* Walks a space and keeps the best plans. */
#include "internal/pipeline.h"
#include "internal/search.h"
#include "internal/tuning.h"
#include <float.h>

enum { LEAF = DTC_SPACE_AXES - 1 };

/* What became of a plan. */
typedef enum fate { SAME, ILLEGAL, UNKNOWN, OVER, FIT, PRUNED, FATES } fate;

/* Layers as they are held. */
typedef struct layers {
  int known;
  int bad; /* they do not fit 64 bits */
  dtci_memory_setup held;
} layers;

/* Layers as they are timed. */
typedef struct timed {
  int known;
  int pad;
  double again;
  double embedding;
  dtci_layer_time layer[DTCI_TIMED_KINDS];
} timed;

/* Stages of a pipeline, which many plans have. */
typedef struct split {
  uint64_t pp;
  uint64_t vpp;
  uint64_t place; /* 1 + dtci_place; 0: none yet */
  uint64_t how;   /* dtc_space_layers */
  dtci_stage_runs runs;
} split;

/* And their times. */
typedef struct line {
  uint64_t times; /* walk.times then; 0: none */
  dtci_stage_runs runs;
  dtci_timed_line line;
} line;

enum { SPLITS = 256, STAGES = 4, LISTS = 32, LINES = 16 };

typedef struct walk {
  dtci_space space;
  dtci_sieve sieve;
  dtci_weights weights;
  dtc_plan plan;           /* of the digits, nothing filled */
  dtci_case c;             /* the same, filled */
  dtci_memory_setup *held; /* of the plan */
  dtci_step_work work;
  layers layers[2];  /* autocast and gradients are not the same with sharded weights, 1 */
  timed timed[2][2]; /* the same, and DualPipe hides messages */
  timed *laid;       /* whose times are in `work`, as they are */
  uint64_t times;    /* how often `work` got others */
  split splits[SPLITS];
  line lines[LINES];
  dtci_counted counted;
  dtci_counted_stage stages[STAGES];
  dtci_term_list lists[LISTS];
  dtci_message_memo memo[DTCI_MESSAGES];
  uint32_t digit[DTC_SPACE_AXES];
  uint32_t moved;  /* the slowest axis that moved since the layers were looked at */
  uint32_t passed; /* axes whose rules hold */
  uint32_t known;  /* axes that the sieve entered with these digits */
  uint32_t stale;  /* the slowest that moved since the plan was filled; DTC_SPACE_AXES: none */
  int filled;      /* it could be */
  dtc_found *best;
  size_t cap;
  size_t count;
  uint64_t fates[FATES];
  uint64_t least; /* bytes of the plan that needs least */
  uint64_t least_index;
  dtc_memory_item limit;
  uint32_t pad2;
} walk;

/* ---- the best -------------------------------------------------------------------------------- */

/* Puts `one` at `i` of a heap, the worst on top, or below. */
static void sink(dtc_found *heap, size_t n, size_t i, dtc_found one)
{
  for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
    child += child + 1 < n && dtci_before(&heap[child], &heap[child + 1]);
    if (!dtci_before(&one, &heap[child]))
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = one;
}

/* Makes a heap of the best. */
static void pile(walk *w)
{
  for (size_t i = w->count / 2; i-- > 0;)
    sink(w->best, w->count, i, w->best[i]);
}

/* The best are a heap from when there are as many as are kept. */
static void keep(walk *w, const dtc_found *one)
{
  if (w->count < w->cap) {
    w->best[w->count++] = *one;
    if (w->count == w->cap)
      pile(w);
  } else if (dtci_before(one, &w->best[0])) {
    sink(w->best, w->count, 0, *one);
  }
}

/* The best first. */
static void sort(walk *w)
{
  if (w->count < w->cap)
    pile(w);
  for (size_t n = w->count; n > 1; n--) {
    dtc_found last = w->best[n - 1];
    w->best[n - 1] = w->best[0];
    sink(w->best, n - 1, 0, last);
  }
}

/* ---- one plan -------------------------------------------------------------------------------- */

/* The usual stages, from the last plan that had them. */
static const dtci_stage_runs *runs_of(walk *w)
{
  const dtc_plan *p = &w->c.plan;
  uint64_t place = 1 + (uint64_t)dtci_schedule_place(p->schedule);
  uint64_t how = w->digit[DTC_SPACE_AXIS_LAYERS];
  uint64_t key = ((p->pp * 64 + p->vpp) * 4 + how) * 4 + place;
  split *s = &w->splits[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SPLITS];
  if (s->pp != p->pp || s->vpp != p->vpp || s->place != place || s->how != how) {
    dtci_stage_runs_of(&w->held->stages, &s->runs);
    s->pp = p->pp;
    s->vpp = p->vpp;
    s->place = place;
    s->how = how;
  }
  return &s->runs;
}

static dtc_status prepare(walk *w, dtc_error *e)
{
  int bad = 0;
  TRY(dtci_in_flight_known(&w->c.plan, e));
  TRY(dtci_tuning_check(&w->c, e));
  layers *l = &w->layers[dtci_shardings[w->c.plan.sharding].weights];
  if (w->moved < DTC_SPACE_AXIS_SHARDING) {
    w->layers[0].known = w->layers[1].known = 0;
    for (int i = 0; i < 4; i++)
      w->timed[i / 2][i % 2].known = 0;
  }
  if (w->moved < DTC_SPACE_AXIS_VPP || w->held != &l->held || w->held->shard != w->c.plan.dp_shard)
    dtci_counted_forget(&w->counted);
  w->moved = LEAF;
  if (!l->known) {
    l->bad = 0;
    dtci_setup_layers(&w->c, &w->weights, &l->held, &l->bad);
    l->known = 1;
  }
  w->held = &l->held;
  w->work.held = w->held;
  dtci_setup_split(&w->c, w->held, &bad);
  w->held->runs = runs_of(w);
  return bad | l->bad ? dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), w->c.plan.micro_batch) : DTC_OK;
}

static int fits(walk *w, uint64_t device, const dtci_stage_run *worst)
{
  const dtc_space *a = &w->space.asked;
  uint64_t capacity = w->c.cluster.usable;
  dtc_memory m;
  dtc_error unused;
  if (a->surely == DTC_BOOL_ON) {
    if (dtci_memory_stage(&w->c, w->held, worst->first, &worst->stage, &m, &unused) != DTC_OK)
      return 0;
    device = m.device_high;
  }
  return device <= capacity && capacity - device >= a->reserve;
}

/* The layers' times, from the last plan with the same ones. */
static void time_layers(walk *w)
{
  const dtc_plan *p = &w->c.plan;
  timed *t = &w->timed[dtci_shardings[p->sharding].weights][dtci_hides_exchange(p)];
  double again = dtci_recomputed_share(&w->c.model, p);
  if (!t->known || t->again != again) {
    dtci_ledger_begin(&w->work.ledger, &w->c.model, p, &w->work.bad);
    dtci_step_layers(&w->work);
    dtci_step_embedding(&w->work);
    t->known = !w->work.bad;
    t->again = again;
    t->embedding = w->work.embedding;
    memcpy(t->layer, w->work.layer, sizeof t->layer);
    w->times++;
  } else if (w->laid != t) {
    memcpy(w->work.layer, t->layer, sizeof t->layer);
    w->work.embedding = t->embedding;
    w->times++;
  }
  w->laid = t;
}

/* The stages' times, from a plan with the same stages and layers' times. */
static const dtci_timed_line *line_of(walk *w)
{
  const dtci_stage_runs *runs = w->held->runs;
  line *l = &w->lines[(w->c.plan.pp * 4 + w->digit[DTC_SPACE_AXIS_LAYERS]) * UINT64_C(0x9e3779b97f4a7c15) >> 60];
  if (runs->count == 0 || l->times != w->times || memcmp(&l->runs, runs, sizeof *runs) != 0) {
    l->times = w->times;
    l->runs = *runs;
    dtci_step_line(&w->work, &l->line);
  }
  return &l->line;
}

/* The longest step that would still be kept. */
static double most_seconds(const walk *w, const dtc_found *one)
{
  if (w->count < w->cap)
    return DBL_MAX;
  const dtc_found *last = &w->best[0];
  switch (w->space.asked.objective) {
  case DTC_OBJECTIVE_MEMORY: /* its value is known */
    return dtci_before(one, last) ? DBL_MAX : 0;
  case DTC_OBJECTIVE_GPU_TIME: /* rounded up */
    return last->value / (double)one->gpus * (1 + 1e-9);
  default:
    return last->value;
  }
}

static dtc_status time_of(walk *w, double most, double *seconds, dtc_error *e)
{
  w->work.bad = 0;
  if (w->c.plan.pp > 1 && !dtci_bubble_known(w->c.plan.schedule))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_STEP_SCHEDULE, DTC_FIELD(plan, schedule), w->c.plan.schedule);
  if (w->c.plan.offload != DTC_OFFLOAD_DEFAULT)
    TRY(dtci_messages_known(&w->c, e));
  time_layers(w);
  if (dtci_step_units(&w->work)) {
    w->laid = NULL;
    w->times++;
  }
  *seconds = dtci_step_seconds(&w->work, line_of(w), most);
  return w->work.bad ? dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), w->c.plan.micro_batch) : DTC_OK;
}

static double value_of(const walk *w, const dtc_found *one)
{
  switch (w->space.asked.objective) {
  case DTC_OBJECTIVE_GPU_TIME:
    return one->seconds * (double)one->gpus;
  case DTC_OBJECTIVE_MEMORY:
    return (double)one->device;
  default:
    return one->seconds;
  }
}

static void note_least(walk *w, uint64_t index, uint64_t device, const dtci_stage_run *worst)
{
  dtc_memory m;
  dtc_error unused;
  if (w->least != 0 && device >= w->least)
    return;
  w->least = device;
  w->least_index = index;
  dtc_status status = dtci_memory_stage(&w->c, w->held, worst->first, &worst->stage, &m, &unused);
  w->limit = status == DTC_OK ? m.largest : DTC_MEMORY_ITEM_NONE;
}

/* A legal plan. */
static fate weigh(walk *w, uint64_t index)
{
  dtc_error unused;
  dtci_stage_run worst;
  dtc_found one = {.index = index};
  int bad = 0;
  if (prepare(w, &unused) != DTC_OK)
    return UNKNOWN;
  one.device = dtci_memory_device(&w->c, w->held, &w->counted, NULL, &worst, &bad);
  if (bad) {
    w->moved = 0; /* what is counted is wrong */
    return UNKNOWN;
  }
  note_least(w, index, one.device, &worst);
  if (!fits(w, one.device, &worst))
    return OVER;
  one.gpus = w->c.plan.tp * w->c.plan.cp * w->c.plan.pp * w->c.plan.dp;
  one.value = (double)one.device;
  double most = most_seconds(w, &one);
  if (time_of(w, most, &one.seconds, &unused) != DTC_OK)
    return UNKNOWN;
  if (one.seconds > most)
    return PRUNED;
  one.value = value_of(w, &one);
  keep(w, &one);
  return FIT;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Fills the plan of the digits, unless that is done. */
static int fill(walk *w)
{
  dtc_error unused;
  if (w->stale < DTC_SPACE_AXES) {
    dtci_varied_copy(&w->c.plan, &w->plan, w->stale);
    w->filled = dtci_plan_refill(&w->c, &unused) == DTC_OK;
    w->stale = w->filled ? DTC_SPACE_AXES : 0;
  }
  return w->filled;
}

/* What a part says; DTCI_UNKNOWN: the plan cannot be filled. */
static dtci_verdict judge(walk *w, uint32_t part)
{
  dtci_verdict verdict = dtci_sieve_plain(&w->sieve, &w->space, w->digit, &w->plan, part);
  if (verdict == DTCI_HOLDS) {
    if (!fill(w))
      return DTCI_UNKNOWN;
    w->c.given = w->plan;
    w->c.traits = dtci_traits_of(&w->c);
    verdict = dtci_sieve_judge(&w->sieve, &w->c, part);
  }
  return dtci_sieve_keep(&w->sieve, w->digit, part, verdict);
}

/* What the first part of an axis says that does not hold. */
static dtci_verdict verdict_of(walk *w, uint32_t axis)
{
  uint32_t part = w->sieve.first[axis];
  dtci_verdict verdict = dtci_sieve_known(&w->sieve, w->digit, axis, &part);
  while (verdict == DTCI_UNKNOWN) {
    verdict = judge(w, part++);
    if (verdict != DTCI_HOLDS)
      return verdict;
    verdict = dtci_sieve_known(&w->sieve, w->digit, axis, &part);
  }
  return verdict;
}

/* Plans that share the digits up to an axis, and of it this value and those behind it, and that fare alike. */
typedef struct stretch {
  uint32_t axis;
  uint32_t values;
  fate fate;
} stretch;

/* Values of an axis in a row of which the same is known. */
static uint32_t alike(walk *w, uint32_t axis, dtci_verdict verdict)
{
  uint32_t first = w->digit[axis];
  uint32_t n = dtci_axis_count(&w->space, axis);
  dtci_verdict next = verdict;
  while (next == verdict && ++w->digit[axis] < n) {
    uint32_t part = w->sieve.first[axis];
    next = dtci_sieve_known(&w->sieve, w->digit, axis, &part);
  }
  uint32_t values = w->digit[axis] - first;
  w->digit[axis] = first;
  return values;
}

/* What becomes of a plan, and of others with it. */
static stretch try_plan(walk *w, uint64_t index)
{
  dtci_verdict verdict = DTCI_HOLDS;
  for (; w->passed < DTC_SPACE_AXES; w->passed++) {
    for (; w->known <= w->passed; w->known++)
      dtci_sieve_enter(&w->sieve, w->digit, w->known);
    verdict = verdict_of(w, w->passed);
    if (verdict != DTCI_HOLDS)
      break;
  }
  if (verdict == DTCI_SAME || verdict == DTCI_BROKEN)
    return (stretch){w->passed, alike(w, w->passed, verdict), verdict == DTCI_SAME ? SAME : ILLEGAL};
  return (stretch){LEAF, 1, fill(w) ? weigh(w, index) : ILLEGAL};
}

/* Moves on behind the plans of a stretch. */
static void move(walk *w, const stretch *s)
{
  uint32_t axis = s->axis;
  for (uint32_t i = axis + 1; i < DTC_SPACE_AXES; i++)
    w->digit[i] = 0;
  w->digit[axis] += s->values - 1;
  while (++w->digit[axis] == dtci_axis_count(&w->space, axis) && axis > 0)
    w->digit[axis--] = 0;
  w->passed = w->passed < axis ? w->passed : axis;
  w->known = w->known < axis + 1 ? w->known : axis + 1;
  w->moved = w->moved < axis ? w->moved : axis;
  w->stale = w->stale < axis ? w->stale : axis;
  if (w->digit[0] < dtci_axis_count(&w->space, 0))
    dtci_space_set(&w->space, w->digit, axis, &w->plan);
}

static void walk_range(walk *w, uint64_t first, uint64_t number)
{
  dtci_space_digits(&w->space, first, w->digit);
  w->plan = w->space.base.plan;
  dtci_space_set(&w->space, w->digit, 0, &w->plan);
  w->stale = 0;
  for (uint64_t i = first; i < first + number;) {
    stretch s = try_plan(w, i);
    uint64_t stride = w->space.stride[s.axis];
    uint64_t inside = i == first ? i % stride : 0; /* behind a move all faster digits are 0 */
    uint64_t skipped = dtci_smaller(s.values * stride - inside, first + number - i);
    w->fates[s.fate] += skipped;
    i += skipped;
    move(w, &s);
  }
}

/* What all plans of a space share. */
static dtc_status begin(walk *w, const dtc_step_params *params, dtc_error *e)
{
  dtc_step_params filled;
  w->c = w->space.base;
  w->counted = (dtci_counted){.stage = w->stages, .list = w->lists, .stages = STAGES, .lists = LISTS};
  w->work = (dtci_step_work){.c = &w->c, .memo = w->memo, .counted = &w->counted};
  TRY(dtci_model_weights(&w->c.model, &w->weights, e));
  if (!dtci_frameworks[w->c.plan.framework].megatron)
    TRY(dtci_model_plain(&w->c.model, e));
  dtci_space_digits(&w->space, 0, w->digit);
  dtci_space_set(&w->space, w->digit, 0, &w->c.plan);
  TRY(dtci_plan_fill(&w->c, e));
  TRY(dtci_sieve_of(&w->sieve, &w->space, &w->c, e));
  return dtci_step_machine_of(&w->c, params, &w->work.machine, &filled, e);
}

static void report(const walk *w, dtc_search *out)
{
  *out = (dtc_search){.struct_size = sizeof *out,
                      .limit = w->limit,
                      .same = w->fates[SAME],
                      .illegal = w->fates[ILLEGAL],
                      .unknown = w->fates[UNKNOWN],
                      .over = w->fates[OVER],
                      .fit = w->fates[FIT] + w->fates[PRUNED],
                      .pruned = w->fates[PRUNED],
                      .least = w->least,
                      .least_index = w->least_index};
  out->tried = out->same + out->illegal + out->unknown + out->over + out->fit;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static dtc_status run(walk *w, const dtc_step_params *params, uint64_t first, uint64_t number, size_t *count,
                      dtc_search *out, dtc_error *e)
{
  dtc_search found;
  TRY(dtci_check_range(e, DTCI_ARG(FIRST), first, 0, w->space.size));
  TRY(dtci_check_range(e, DTCI_ARG(NUMBER), number, 0, w->space.size - first));
  uint64_t kept = dtci_smaller(w->space.asked.keep, number);
  if (w->cap < kept) {
    *count = dtci_count(kept);
    return dtci_fail_space(e, w->cap, kept);
  }
  w->cap = (size_t)kept;
  TRY(dtci_out_ok(out, DTC_STRUCT_search, e));
  TRY(begin(w, params, e));
  if (number != 0)
    walk_range(w, first, number);
  sort(w);
  report(w, &found);
  *count = w->count;
  return dtci_out(out, DTC_STRUCT_search, &found, e);
}

enum { SCRATCH = (sizeof(walk) + sizeof(uint64_t) - 1) / sizeof(uint64_t) };

dtc_status dtc_search_scratch(uint64_t *needed, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  *needed = SCRATCH;
  return dtci_end(DTC_OK, &e, err);
}

dtc_status dtc_search_run(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                          const dtc_space *space, const dtc_step_params *params, uint64_t first, uint64_t number,
                          dtc_found *best, size_t cap, size_t *count, dtc_search *out, uint64_t *scratch,
                          size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_scratch_in(scratch, n_scratch, SCRATCH, &e);
  if (status != DTC_OK)
    return dtci_end(status, &e, err);
  walk *w = (walk *)(void *)scratch;
  memset(w, 0, sizeof *w);
  w->best = best;
  w->cap = cap;
  status = dtci_space_of(&w->space, model, cluster, plan, space, &e);
  status = status != DTC_OK ? status : run(w, params, first, number, count, out, &e);
  return dtci_end(status, &e, err);
}
