/* What each GPU must hold: stages, the moment of the peak, what the device then shows. */
#include "internal/memory.h"
#include "internal/pipeline.h"
#include "internal/tuning.h"

/* ---- one stage ------------------------------------------------------------------------------- */

/* PyTorch's optimizer step, with nothing sharded and nothing in backward's hands: gradients, buckets and the step's
 * temporaries are counts of parameters, as traces of torch 2.15 have them. A workspace is only where the plan says its
 * size; else it is the library's choice for the GPU. */
static uint32_t exact_at_step(const dtc_plan *p)
{
  const dtci_sharding_row *split = &dtci_shardings[p->sharding];
  int step = p->optimizer == DTC_OPTIMIZER_ADAM || p->optimizer == DTC_OPTIMIZER_MOMENTUM;
  int whole = p->tp == 1 && p->pp == 1 && !split->units && (p->dp_shard == 1 || !split->optimizer);
  uint32_t mask = 1u << DTC_MEMORY_ITEM_GRADIENTS | 1u << DTC_MEMORY_ITEM_BUCKETS | 1u << DTC_MEMORY_ITEM_TRANSIENT;
  if (dtci_frameworks[p->framework].terms != DTCI_TERMS_TORCH || !step || !whole || dtci_is_tuned(p) ||
      p->step_in_backward == DTC_BOOL_ON || dtci_is_scaled(p) || p->optimizer_kernel == DTC_OPTIMIZER_KERNEL_LOOP)
    return 0;
  return p->cublas_workspace != 0 ? mask | 1u << DTC_MEMORY_ITEM_WORKSPACE : mask;
}

/* States are exact where nothing is sharded: shards are padded, which these formulas leave out. Which gradients are there
 * at the peak is a model where they are not there all the time. PyTorch's fused Adam has step counters on the GPU, in no
 * term. */
static uint32_t exact_items(const dtc_plan *p, dtc_moment moment)
{
  const dtci_sharding_row *split = &dtci_shardings[p->sharding];
  uint32_t terms = dtci_frameworks[p->framework].terms;
  int alone = p->dp_shard == 1;
  int plain = p->optimizer != DTC_OPTIMIZER_ADAFACTOR && p->optimizer != DTC_OPTIMIZER_ADAM8 &&
              (terms != DTCI_TERMS_TORCH || p->optimizer_kernel != DTC_OPTIMIZER_KERNEL_FUSED);
  uint32_t mask = moment == DTC_MOMENT_STEP ? exact_at_step(p) : 0;
  if (dtci_has_adapters(p)) /* whose type and padding depend on the library that makes them */
    return 0;
  if (alone || !split->weights)
    mask |= 1u << DTC_MEMORY_ITEM_WEIGHTS;
  if ((alone || !split->gradients) && terms == DTCI_TERMS_MEGATRON)
    mask |= 1u << DTC_MEMORY_ITEM_GRADIENTS;
  if ((alone || !split->optimizer) && plain)
    mask |= 1u << DTC_MEMORY_ITEM_OPTIMIZER;
  return mask;
}

static uint64_t per_mille(uint64_t bytes, uint64_t n, int *bad)
{
  return dtci_add(dtci_mul(bytes / 1000, n, bad), bytes % 1000 * n / 1000, bad);
}

/* Ranges. What is not exact of allocated (`exact` bytes are) is off by no more than itself; the allocator holds no less
 * than tensors take. */
static void add_ranges(const dtci_framework_row *f, uint64_t exact, dtc_memory *out, int *bad)
{
  const uint64_t mib = 1 << 20;
  uint64_t model = out->allocated - exact;
  out->allocated_low = out->allocated - dtci_smaller(model, per_mille(out->allocated, f->accuracy[0], bad));
  out->allocated_high =
      dtci_add(out->allocated, dtci_smaller(model, per_mille(out->allocated, f->accuracy[1], bad)), bad);
  uint64_t low = out->reserved - per_mille(out->reserved, f->spread[0], bad);
  uint64_t high = dtci_add(out->reserved, per_mille(out->reserved, f->spread[1], bad), bad);
  out->reserved_low = dtci_larger(low, out->allocated_low);
  out->reserved_high = dtci_larger(high, out->allocated_high);
  uint64_t beside = out->device - out->reserved;
  out->device_low = dtci_add(out->reserved_low, beside - f->beside[0] * mib, bad);
  out->device_high = dtci_add(out->reserved_high, beside + f->beside[1] * mib, bad);
}

/* What the GPU shows beside what the allocator holds. */
static uint64_t beside_of(const dtci_case *c)
{
  const dtci_framework_row *f = &dtci_frameworks[c->plan.framework];
  uint64_t ranks = c->plan.tp * c->plan.cp * c->plan.pp * c->plan.dp;
  uint64_t node = c->has_cluster && c->cluster.gpus_per_node != 0 ? c->cluster.gpus_per_node : DTCI_NODE_DEFAULT;
  return f->context + (ranks <= 1 ? 0 : ranks <= node ? f->nccl_node : f->nccl);
}

static uint64_t reserved_of(const dtci_case *c, uint64_t allocated, uint64_t pools, int *bad)
{
  return dtci_add(per_mille(allocated, dtci_frameworks[c->plan.framework].slack, bad), pools, bad);
}

uint64_t dtci_device_bytes(const dtci_case *c, uint64_t allocated, uint64_t pools, int *bad)
{
  return dtci_add(reserved_of(c, allocated, pools, bad), beside_of(c), bad);
}

/* From what tensors take to what the allocator holds and the GPU shows, each with its range. */
static void add_totals(const dtci_case *c, uint64_t pools, uint64_t exact, dtc_memory *out, int *bad)
{
  uint64_t ranks = c->plan.tp * c->plan.cp * c->plan.pp * c->plan.dp;
  uint64_t node = c->has_cluster && c->cluster.gpus_per_node != 0 ? c->cluster.gpus_per_node : DTCI_NODE_DEFAULT;
  out->reserved = reserved_of(c, out->allocated, pools, bad);
  out->device = dtci_add(out->reserved, beside_of(c), bad);
  add_ranges(&dtci_frameworks[c->plan.framework], exact, out, bad);
  out->host_node = dtci_mul(out->host, dtci_smaller(ranks, node), bad);
  out->host_high = dtci_add(out->host, out->host / 2, bad);
  out->host_node_high = dtci_add(out->host_node, out->host_node / 2, bad);
  if (c->has_cluster) {
    out->capacity = c->cluster.usable;
    out->fits = out->device <= out->capacity ? DTC_BOOL_ON : DTC_BOOL_OFF;
  }
}

void dtci_memory_shown(const dtci_case *c, uint64_t allocated, dtc_memory *out, int *bad)
{
  *out = (dtc_memory){.struct_size = sizeof *out, .allocated = allocated};
  add_totals(c, 0, 0, out, bad);
}

/* Bytes at a moment, with what is always there. */
static uint64_t bytes_at(const uint64_t at[DTCI_SUMS], dtc_moment moment)
{
  return at[0] + at[moment];
}

static dtc_moment peak_of(uint64_t moments, const uint64_t at[DTCI_SUMS])
{
  dtc_moment peak = DTC_MOMENT_NONE;
  for (dtc_moment i = DTC_MOMENT_FORWARD; i < DTCI_MOMENTS; i++)
    if (moments >> i & 1 && (peak == DTC_MOMENT_NONE || at[i] > at[peak]))
      peak = i;
  return peak;
}

/* Both structs have the items in a row, in the order of dtc_memory_item. */
enum { ALL_ITEMS = (DTCI_ITEMS - 1) * sizeof(uint64_t) };
#define IN_A_ROW(type) offsetof(type, allocated) - offsetof(type, weights) == ALL_ITEMS
_Static_assert(IN_A_ROW(dtc_memory) && IN_A_ROW(dtc_memory_held), "order of items");

uint64_t dtci_memory_item(const dtc_memory *m, dtc_memory_item item)
{
  uint64_t items[DTCI_ITEMS] = {0};
  memcpy(items + 1, (const unsigned char *)m + offsetof(dtc_memory, weights), ALL_ITEMS);
  return items[item];
}

/* Sets the items; bytes of those that are exact. */
static uint64_t fill(const uint64_t items[DTCI_ITEMS], dtc_memory *out)
{
  uint64_t exact = 0;
  memcpy((unsigned char *)out + offsetof(dtc_memory, weights), items + 1, ALL_ITEMS);
  for (dtc_memory_item i = DTC_MEMORY_ITEM_WEIGHTS; i < DTCI_ITEMS; i++) {
    exact += out->exact >> i & 1 ? items[i] : 0; /* allocated is their sum */
    if (items[i] > items[out->largest])
      out->largest = i;
  }
  return exact;
}

/* A stage that holds so many micro-batches. */
static dtc_status stage_in_flight(const dtci_case *c, const dtci_memory_setup *s, uint64_t index, uint64_t in_flight,
                                  const dtc_stage *stage, dtc_memory *out, dtc_error *e)
{
  dtci_stage_held h;
  dtci_term_list list;
  dtci_sheet sheet;
  uint64_t items[DTCI_ITEMS];
  int bad = 0;
  *out = (dtc_memory){.struct_size = sizeof *out, .stage = index};
  dtci_memory_hold(c, s, stage, &h, &bad);
  out->params = dtci_add(h.dense.params, h.experts.params, &bad);
  out->in_flight = in_flight;
  dtci_memory_units(c, s, &h, in_flight, &bad);
  dtci_terms_list(s, &h, &list);
  dtci_sheet_steady(s, &list, &h, &sheet, &bad);
  dtci_sheet_others(s, &list, &h, &sheet, &bad);
  out->moment = peak_of(list.moments, sheet.at);
  out->allocated = bytes_at(sheet.at, out->moment);
  out->steady = bytes_at(sheet.at, DTC_MOMENT_REST);
  dtci_memory_items(s, &list, &h, out->moment, items);
  out->exact = exact_items(&c->plan, out->moment);
  uint64_t exact = fill(items, out);
  dtci_memory_offload(c, s, &h, out, &bad);
  add_totals(c, sheet.at[DTCI_POOLS], exact, out, &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), c->plan.micro_batch) : DTC_OK;
}

dtc_status dtci_memory_stage(const dtci_case *c, const dtci_memory_setup *s, uint64_t index, const dtc_stage *stage,
                             dtc_memory *out, dtc_error *e)
{
  int bad = 0;
  uint64_t in_flight = dtci_in_flight(&s->pipe, index, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), c->plan.micro_batch);
  return stage_in_flight(c, s, index, in_flight, stage, out, e);
}

/* ---- all stages ------------------------------------------------------------------------------ */

static dtc_status sum_wrong(uint32_t field, uint64_t got, uint64_t wanted, dtc_error *e)
{
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STAGE_SUM, field, got);
  e->other_got = wanted;
  return DTC_E_CONFLICT;
}

/* Adds up what stages hold. */
static dtc_status sum_stages(const dtc_stage *stages, size_t n, dtc_stage *sum, int *bad, dtc_error *e)
{
  for (size_t i = 0; i < n; i++) {
    dtc_stage s;
    TRY(dtci_in_at(&s, DTC_STRUCT_stage, stages, i, e));
    sum->layers = dtci_add(sum->layers, s.layers, bad);
    sum->moe_layers = dtci_add(sum->moe_layers, s.moe_layers, bad);
    sum->mtp_layers = dtci_add(sum->mtp_layers, s.mtp_layers, bad);
    sum->mamba_layers = dtci_add(sum->mamba_layers, s.mamba_layers, bad);
    sum->mlp_layers = dtci_add(sum->mlp_layers, s.mlp_layers, bad);
    sum->encoder_layers = dtci_add(sum->encoder_layers, s.encoder_layers, bad);
    sum->embedding += s.embedding != 0;
    sum->head += s.head != 0;
    if (s.moe_layers > s.layers)
      return sum_wrong(DTC_FIELD(stage, moe_layers), s.moe_layers, s.layers, e);
    if (dtci_add(s.mamba_layers, s.mlp_layers, bad) > s.layers)
      return sum_wrong(DTC_FIELD(stage, mamba_layers), s.mamba_layers, s.layers, e);
  }
  return DTC_OK;
}

/* The caller's stages make up the model: every layer once, one embedding, one head; twice with DualPipe. */
static dtc_status check_stages(const dtci_case *c, const dtc_stage *stages, size_t n, dtc_error *e)
{
  const dtc_model *m = &c->model;
  uint64_t copies = dtci_schedule_place(c->plan.schedule) == DTCI_BOTH ? 2 : 1;
  uint64_t mtp = dtci_frameworks[c->plan.framework].trains_mtp ? m->mtp_layers : 0;
  dtc_stage sum = {0};
  int bad = 0;
  if (stages == NULL && n == 0)
    return DTC_OK;
  if (stages == NULL || n != c->plan.pp)
    return sum_wrong(DTC_FIELD(plan, pp), n, c->plan.pp, e);
  TRY(sum_stages(stages, n, &sum, &bad, e));
  const struct {
    uint32_t field;
    uint32_t pad;
    uint64_t got;
    uint64_t wanted;
  } sums[] = {
      {DTC_FIELD(stage, layers), 0, bad ? DTC_NONE : sum.layers, m->layers},
      {DTC_FIELD(stage, moe_layers), 0, sum.moe_layers, dtci_moe_layers(m, m->layers)},
      {DTC_FIELD(stage, mtp_layers), 0, sum.mtp_layers, mtp},
      {DTC_FIELD(stage, mamba_layers), 0, sum.mamba_layers, m->mamba_layers},
      {DTC_FIELD(stage, mlp_layers), 0, sum.mlp_layers, m->mlp_layers},
      {DTC_FIELD(stage, encoder_layers), 0, sum.encoder_layers, m->encoder_layers},
      {DTC_FIELD(stage, embedding), 0, sum.embedding, 1},
      {DTC_FIELD(stage, head), 0, sum.head, 1},
  };
  for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
    if (sums[i].got != copies * sums[i].wanted)
      return sum_wrong(sums[i].field, sums[i].got, copies * sums[i].wanted, e);
  return DTC_OK;
}

/* What the rules do not say of a legal case. */
static dtc_status check(const dtci_case *c, const dtc_stage *stages, size_t n, dtc_error *e)
{
  if (!dtci_frameworks[c->plan.framework].megatron)
    TRY(dtci_model_plain(&c->model, e));
  return check_stages(c, stages, n, e);
}

dtc_status dtci_held_begin(dtci_case *c, dtci_weights *w, const dtc_model *model, const dtc_cluster *cluster,
                           const dtc_plan *plan, const dtc_stage *stages, size_t n, dtc_error *e)
{
  TRY(dtci_case_in(c, model, cluster, plan, e));
  c->has_stages = stages != NULL;
  TRY(dtci_plan_legal(c, e));
  TRY(check(c, stages, n, e));
  return dtci_model_weights(&c->model, w, e);
}

dtc_status dtci_memory_begin(dtci_case *c, dtci_weights *w, const dtc_model *model, const dtc_cluster *cluster,
                             const dtc_plan *plan, const dtc_stage *stages, size_t n, dtc_error *e)
{
  TRY(dtci_held_begin(c, w, model, cluster, plan, stages, n, e));
  return dtci_in_flight_known(&c->plan, e);
}

dtc_status dtci_memory_worst(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stages, dtc_memory *out,
                             dtc_error *e)
{
  dtci_stage_run worst = {.end = 0};
  dtci_counted_stage stage;
  dtci_term_list list;
  dtci_counted counted = {.stage = &stage, .list = &list, .stages = 1, .lists = 1};
  int bad = 0;
  stage.known = 0;
  list.count = 0;
  (void)dtci_memory_device(c, s, &counted, stages, &worst, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), c->plan.micro_batch);
  return dtci_memory_stage(c, s, worst.first, &worst.stage, out, e);
}

dtc_status dtci_memory_of(const dtci_case *c, const dtci_weights *w, const dtc_stage *stages, size_t n, dtc_memory *out,
                          dtc_error *e)
{
  dtci_memory_setup setup;
  TRY(check(c, stages, n, e));
  TRY(dtci_in_flight_known(&c->plan, e));
  TRY(dtci_memory_prepare(c, w, &setup, e));
  return dtci_memory_worst(c, &setup, stages, out, e);
}

static dtc_status begin(dtci_case *c, dtci_memory_setup *s, const dtc_model *model, const dtc_cluster *cluster,
                        const dtc_plan *plan, const dtc_stage *stages, size_t n, dtc_error *e)
{
  dtci_weights w;
  TRY(dtci_memory_begin(c, &w, model, cluster, plan, stages, n, e));
  return dtci_memory_prepare(c, &w, s, e);
}

dtc_status dtc_memory_estimate(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                               const dtc_stage *stages, size_t n, dtc_memory *out, dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  dtci_memory_setup setup;
  dtc_memory worst;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = begin(&c, &setup, model, cluster, plan, stages, n, &e);
  s = s != DTC_OK ? s : dtci_memory_worst(&c, &setup, stages, &worst, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_memory, &worst, &e), &e, err);
}

static dtc_status list_stages(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stages, dtc_memory *out,
                              size_t cap, size_t *count, dtc_error *e)
{
  if (cap < c->plan.pp) {
    *count = dtci_count(c->plan.pp);
    return dtci_fail_space(e, cap, c->plan.pp);
  }
  for (uint64_t i = 0; i < c->plan.pp; i++) {
    dtc_memory one;
    dtc_stage stage = dtci_stage_of(&s->stages, stages, i);
    TRY(dtci_memory_stage(c, s, i, &stage, &one, e));
    TRY(dtci_out_at(out, (size_t)i, DTC_STRUCT_memory, &one, e));
  }
  *count = dtci_count(c->plan.pp);
  return DTC_OK;
}

dtc_status dtc_memory_stages(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                             const dtc_stage *stages, size_t n, dtc_memory *out, size_t cap, size_t *count,
                             dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  dtci_memory_setup setup;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = begin(&c, &setup, model, cluster, plan, stages, n, &e);
  return dtci_end(s != DTC_OK ? s : list_stages(&c, &setup, stages, out, cap, count, &e), &e, err);
}

/* ---- one stage, in detail -------------------------------------------------------------------- */

typedef struct detail {
  dtci_case c;
  dtci_memory_setup setup;
  dtc_stage stage;
  dtci_stage_held held;
} detail;

static dtc_status begin_stage(detail *d, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                              uint64_t index, const dtc_stage *stages, size_t n, dtc_error *e)
{
  int bad = 0;
  TRY(begin(&d->c, &d->setup, model, cluster, plan, stages, n, e));
  if (index >= d->c.plan.pp)
    return dtci_fail_range(e, DTCI_ARG(INDEX), index, 0, d->c.plan.pp - 1);
  d->stage = dtci_stage_of(&d->setup.stages, stages, index);
  dtci_memory_hold(&d->c, &d->setup, &d->stage, &d->held, &bad);
  uint64_t in_flight = dtci_in_flight(&d->setup.pipe, index, &bad);
  dtci_memory_units(&d->c, &d->setup, &d->held, in_flight, &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), d->c.plan.micro_batch) : DTC_OK;
}

static dtc_status list_moments(const detail *d, dtc_memory_held *held, size_t cap, size_t *count, dtc_error *e)
{
  dtci_term_list list;
  dtci_sheet sheet;
  size_t n = 0;
  int bad = 0;
  dtci_terms_list(&d->setup, &d->held, &list);
  dtci_sheet_steady(&d->setup, &list, &d->held, &sheet, &bad);
  dtci_sheet_others(&d->setup, &list, &d->held, &sheet, &bad);
  for (dtc_moment i = DTC_MOMENT_FORWARD; i < DTCI_MOMENTS; i++) {
    uint64_t items[DTCI_ITEMS];
    if (!(list.moments >> i & 1))
      continue;
    dtci_memory_items(&d->setup, &list, &d->held, i, items);
    dtc_memory_held one = {.struct_size = sizeof one, .moment = i, .allocated = bytes_at(sheet.at, i)};
    memcpy((unsigned char *)&one + offsetof(dtc_memory_held, weights), items + 1, ALL_ITEMS);
    if (n < cap)
      TRY(dtci_out_at(held, n, DTC_STRUCT_memory_held, &one, e));
    n++;
  }
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), d->c.plan.micro_batch);
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_memory_moments(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, uint64_t index,
                              const dtc_stage *stages, size_t n, dtc_memory_held *held, size_t cap, size_t *count,
                              dtc_error *err)
{
  dtc_error e;
  detail d;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = begin_stage(&d, model, cluster, plan, index, stages, n, &e);
  return dtci_end(s != DTC_OK ? s : list_moments(&d, held, cap, count, &e), &e, err);
}

dtc_status dtc_memory_terms(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, uint64_t index,
                            const dtc_stage *stages, size_t n, dtc_memory_term *terms, size_t cap, size_t *count,
                            dtc_error *err)
{
  dtc_error e;
  detail d;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = begin_stage(&d, model, cluster, plan, index, stages, n, &e);
  if (s == DTC_OK)
    s = dtci_memory_list(&d.c, &d.setup, &d.held, terms, cap, count, &e);
  return dtci_end(s, &e, err);
}
