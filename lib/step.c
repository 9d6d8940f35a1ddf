/* Time of a training step: its slowest pipeline stage, what the pipeline adds, and what happens once a step. */
#include "internal/pipeline.h"
#include "internal/step.h"

static const double SECONDS_MOST = 1e15; /* dtc_pipe_cost's largest too */

/* ---- stages ---------------------------------------------------------------------------------- */

/* Layers of a stage as they are timed; of how many kinds, the first ones, there may be some. */
static uint32_t layers_of(const dtci_step_work *w, const dtc_stage *stage, double n[DTCI_TIMED_KINDS])
{
  uint64_t of[DTCI_LAYER_KINDS];
  int others = w->held->hybrid || w->c->model.encoder_layers != 0;
  dtci_stage_layers(w->held, stage, of);
  n[DTCI_TIMED_DENSE] = (double)of[DTCI_DENSE_LAYER];
  n[DTCI_TIMED_MOE] = (double)of[DTCI_MOE_LAYER];
  n[DTCI_TIMED_HEAD] = stage->head ? 1 + (double)stage->mtp_layers : 0; /* MTP modules have the head too */
  for (uint32_t i = DTCI_TIMED_MAMBA; i < DTCI_TIMED_KINDS; i++)
    n[i] = others ? (double)of[i - DTCI_TIMED_MAMBA + DTCI_MAMBA_LAYER] : 0;
  return others ? DTCI_TIMED_KINDS : DTCI_TIMED_MAMBA;
}

/* Sums of a stage. */
static void time_stage(const dtci_step_work *w, const dtc_stage *stage, dtci_stage_time *t)
{
  double n[DTCI_TIMED_KINDS];
  const uint32_t kinds = layers_of(w, stage, n);
  *t = (dtci_stage_time){.weight = 0};
  for (uint32_t i = 0; i < kinds; i++) {
    if (!(n[i] > 0))
      continue;
    for (uint32_t way = 0; way < DTCI_WAYS; way++)
      t->pass[way] += n[i] * w->layer[i].sum[way];
    t->weight += n[i] * w->layer[i].weight;
  }
  if (stage->embedding) {
    t->pass[DTCI_FORWARD] += w->embedding / 3;
    t->pass[DTCI_BACKWARD] += w->embedding * 2 / 3;
  }
}

static void add_items(double *restrict item, const double *restrict each, double times)
{
  for (uint32_t i = 0; i < DTCI_STEP_ITEMS; i++)
    item[i] += times * each[i];
}

/* And its items. */
static void time_items(const dtci_step_work *w, const dtc_stage *stage, double item[DTCI_STEP_ITEMS])
{
  double n[DTCI_TIMED_KINDS];
  const uint32_t kinds = layers_of(w, stage, n);
  for (uint32_t i = 0; i < DTCI_STEP_ITEMS; i++)
    item[i] = 0;
  for (uint32_t kind = 0; kind < kinds; kind++)
    if (n[kind] > 0)
      add_items(item, w->layer[kind].both, n[kind]);
  if (stage->embedding)
    item[DTC_STEP_ITEM_HEAD] += w->embedding;
}

static double both(const dtci_stage_time *t)
{
  return t->pass[DTCI_FORWARD] + t->pass[DTCI_BACKWARD];
}

/* How often a rank runs all its layers in a step: of DualPipe's two stages each micro-batch passes one. */
static double passes_of(const dtc_plan *p)
{
  return (double)p->accumulation / (p->schedule == DTC_SCHEDULE_DUALPIPE ? 2 : 1);
}

static void survey(const dtci_step_work *w, const dtc_stage *stages, dtci_timed_line *line)
{
  double all[DTCI_WAYS] = {0, 0};
  double weight = 0;
  dtci_stage_run found = {.end = 0};
  const dtci_stage_run *run = NULL;
  dtci_stage_time t;
  for (uint64_t i = 0; (run = dtci_memory_run(w->held, stages, i, &found)) != NULL;
       i++) { /* equal layers take as long */
    double ranks = (double)(run->end - run->first);
    time_stage(w, &run->stage, &t);
    all[DTCI_FORWARD] += ranks * t.pass[DTCI_FORWARD];
    all[DTCI_BACKWARD] += ranks * t.pass[DTCI_BACKWARD];
    weight += ranks * t.weight;
    if (i == 0 || both(&t) > both(&line->slowest)) {
      line->slowest = t;
      line->stage = run->stage;
      line->index = run->first;
    }
  }
  for (uint32_t way = 0; way < DTCI_WAYS; way++)
    line->pass[way] = all[way] - line->slowest.pass[way];
  line->weight = weight - line->slowest.weight;
  time_items(w, &line->stage, line->item);
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

/* What the schedule adds to the slowest stage's micro-batches. */
static double bubble_of(const dtc_plan *p, const dtci_timed_line *line)
{
  const double others[DTCI_PARTS] = {line->pass[DTCI_FORWARD], line->pass[DTCI_BACKWARD] - line->weight, line->weight};
  double all = line->pass[DTCI_FORWARD] + line->pass[DTCI_BACKWARD];
  return dtci_bubble(p, others, passes_of(p) * (both(&line->slowest) - all / ((double)p->pp - 1)));
}

static dtc_status schedule_known(const dtc_plan *p, dtc_error *e)
{
  if (p->pp == 1 || dtci_bubble_known(p->schedule))
    return DTC_OK;
  return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_STEP_SCHEDULE, DTC_FIELD(plan, schedule), p->schedule);
}

/* Messages between stages: a micro-batch and chunk waits for one each way. */
static double hop_of(const dtci_step_work *w)
{
  const dtc_plan *p = &w->c->plan;
  double tokens = dtci_ledger_values(&w->ledger, DTCI_OF_HIDDEN, DTCI_SHARD_TP);
  double bytes = tokens * (double)dtci_activation_size(p);
  uint64_t stride = p->tp * p->cp * p->dp;
  return p->pp > 1 ? dtci_message(w, DTC_COLLECTIVE_SEND_RECV, bytes, p->pp, stride) : 0;
}

static void run_pipeline(dtci_step_work *w, const dtci_timed_line *line, double item[DTCI_STEP_ITEMS])
{
  const dtc_plan *p = &w->c->plan;
  double m = passes_of(p);
  double seen = p->p2p_overlap == DTC_BOOL_ON ? dtci_step_shared.pp_exposed : 1;
  double hops = 2 * m * (double)p->vpp * seen + 2 * ((double)p->pp - 1);
  double hop = hop_of(w);
  for (uint32_t i = 0; i < DTCI_STEP_ITEMS; i++)
    item[i] = m * line->item[i];
  if (p->pp == 1)
    return;
  item[DTC_STEP_ITEM_PP] += hops * hop;
  item[DTC_STEP_ITEM_BUBBLE] += bubble_of(p, line);
  dtci_step_note_all(w, DTCI_STEP_TEXT_HOP, DTC_STEP_ITEM_PP, hop, 0, hops);
  dtci_step_note_all(w, DTCI_STEP_TEXT_BUBBLE, DTC_STEP_ITEM_BUBBLE, item[DTC_STEP_ITEM_BUBBLE], 0, 1);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* log2, linear between powers of two; 0 up to 1. */
static double doublings(double x)
{
  double n = 0;
  while (x >= 2) {
    x /= 2;
    n++;
  }
  return x > 1 ? n + x - 1 : n;
}

static void straggle(dtci_step_work *w, double item[DTCI_STEP_ITEMS])
{
  const dtc_plan *p = &w->c->plan;
  double nodes = (double)(p->tp * p->cp * p->pp * p->dp) / (double)w->machine.domain;
  double sum = 0;
  for (uint32_t i = 0; i < DTC_STEP_ITEM_STRAGGLERS; i++)
    sum += item[i];
  item[DTC_STEP_ITEM_STRAGGLERS] = sum * dtci_step_shared.stragglers * doublings(nodes);
  w->bad |= !(sum <= SECONDS_MOST);
  if (item[DTC_STEP_ITEM_STRAGGLERS] > 0)
    dtci_step_note_all(w, DTCI_STEP_TEXT_STRAGGLERS, DTC_STEP_ITEM_STRAGGLERS, item[DTC_STEP_ITEM_STRAGGLERS], 0, 1);
}

/* dtc_step has the items in a row, in the order of dtc_step_item. */
enum { ALL_ITEMS = (DTCI_STEP_ITEMS - 1) * sizeof(double) };
_Static_assert(offsetof(dtc_step, tokens) - offsetof(dtc_step, dense) == ALL_ITEMS, "order of items");

static double sum_of(const double item[DTCI_STEP_ITEMS])
{
  double seconds = 0;
  for (uint32_t i = 1; i < DTCI_STEP_ITEMS; i++)
    seconds += item[i];
  return seconds;
}

static void fill(dtci_step_work *w, const dtci_timed_line *line, const double item[DTCI_STEP_ITEMS], dtc_step *out)
{
  const dtc_plan *p = &w->c->plan;
  *out = (dtc_step){.struct_size = sizeof *out, .stage = line->index, .confidence = w->machine.confidence};
  memcpy((unsigned char *)out + offsetof(dtc_step, dense), item + 1, ALL_ITEMS);
  out->seconds = sum_of(item);
  for (uint32_t i = 1; i < DTCI_STEP_ITEMS; i++) {
    int other = i > DTC_STEP_ITEM_EXPERTS;
    if (other && (out->limit == DTC_STEP_ITEM_NONE || item[i] > item[out->limit]))
      out->limit = i;
  }
  if (!(item[out->limit] > 0))
    out->limit = DTC_STEP_ITEM_NONE;
  double times = out->confidence == DTC_CONFIDENCE_MEASURED ? 1 : out->confidence == DTC_CONFIDENCE_RELATIVE ? 2 : 3;
  uint32_t kind = w->c->model.experts != 0 ? DTCI_DOUBT_EXPERTS : p->tp > 2 ? DTCI_DOUBT_TP : DTCI_DOUBT_USUAL;
  const dtci_doubt *doubt = &w->machine.software->doubt[kind];
  out->low = out->seconds / (1 + times * doubt->low / 1000);
  out->high = out->seconds * (1 + times * doubt->high / 1000);
  out->gpus = p->tp * p->cp * p->pp * p->dp;
  out->tokens = dtci_mul(p->global_batch, p->seq, &w->bad);
  out->tokens_per_gpu_second = (double)out->tokens / out->seconds / (double)out->gpus;
}

/* Model FLOPs by the default convention, 0 for models it does not know. */
static dtc_status add_rates(const dtci_case *c, dtc_step *out, dtc_error *e)
{
  dtc_step_rate rate = {.convention = DTC_FLOPS_MEGATRON, .seconds = out->seconds};
  dtc_status s = dtci_step_rates(c, &rate, e);
  if (s == DTC_E_UNSUPPORTED)
    return DTC_OK;
  out->flops_per_gpu_second = rate.flops_per_gpu_second;
  out->mfu = rate.mfu;
  out->hfu = rate.hfu;
  return s;
}

dtc_status dtci_step_begin(dtci_step_work *w, dtci_memory_setup *held, dtci_case *c, dtc_step_params *filled,
                           const dtci_step_call *call, dtc_error *e)
{
  dtci_weights weights;
  TRY(dtci_held_begin(c, &weights, call->model, call->cluster, call->plan, call->stages, call->n, e));
  TRY(dtci_held_prepare(c, &weights, held, e));
  *w = (dtci_step_work){.c = c, .held = held};
  TRY(dtci_step_machine_of(c, call->params, &w->machine, filled, e));
  dtci_ledger_begin(&w->ledger, &c->model, &c->plan, &w->bad);
  return DTC_OK;
}

void dtci_step_embedding(dtci_step_work *w)
{
  dtci_ledger_look(&w->ledger, DTC_LAYER_KIND_HEAD, &w->bad);
  w->embedding = dtci_step_shared.embedding / w->machine.hbm * (double)dtci_activation_size(&w->c->plan) / 2 *
                 dtci_ledger_values(&w->ledger, DTCI_OF_HIDDEN, DTCI_SHARD_NONE);
}

/* What a stage is made of. */
static void time_parts(dtci_step_work *w)
{
  dtci_step_layers(w);
  (void)dtci_step_units(w);
  dtci_step_embedding(w);
}

/* What comes once a step, and the nodes that wait. */
static void add_once(dtci_step_work *w, const dtci_timed_line *line, double item[DTCI_STEP_ITEMS])
{
  dtci_step_data(w, &line->stage, line->slowest.pass, item);
  straggle(w, item);
}

static void run(dtci_step_work *w, const dtc_stage *stages, dtci_timed_line *line, double item[DTCI_STEP_ITEMS])
{
  time_parts(w);
  survey(w, stages, line);
  run_pipeline(w, line, item);
  add_once(w, line, item);
}

void dtci_step_line(const dtci_step_work *w, dtci_timed_line *line)
{
  survey(w, NULL, line);
}

/* No item is below 0, and rounding keeps the order of sums: what comes once only adds. */
double dtci_step_seconds(dtci_step_work *w, const dtci_timed_line *line, double most)
{
  double item[DTCI_STEP_ITEMS];
  run_pipeline(w, line, item);
  double seconds = sum_of(item);
  if (seconds > most)
    return seconds;
  add_once(w, line, item);
  return sum_of(item);
}

static dtc_status overflow(const dtci_step_work *w, dtc_error *e)
{
  return dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), w->c->plan.micro_batch);
}

static dtc_status estimate(const dtci_step_call *call, dtc_step *out, dtc_error *e)
{
  dtci_case c;
  dtci_memory_setup held;
  dtci_step_work w;
  dtc_step_params filled;
  dtci_timed_line line;
  double item[DTCI_STEP_ITEMS];
  dtc_step step;
  TRY(dtci_step_begin(&w, &held, &c, &filled, call, e));
  TRY(schedule_known(&c.plan, e));
  run(&w, call->stages, &line, item);
  fill(&w, &line, item, &step);
  if (w.bad)
    return overflow(&w, e);
  TRY(add_rates(&c, &step, e));
  return dtci_out(out, DTC_STRUCT_step, &step, e);
}

dtc_status dtc_step_estimate(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                             const dtc_stage *stages, size_t n, const dtc_step_params *params, dtc_step *out,
                             dtc_error *err)
{
  const dtci_step_call call = {model, cluster, plan, stages, n, params};
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(estimate(&call, out, &e), &e, err);
}

static dtc_status resolve(const dtci_step_call *call, dtc_step_params *out, dtc_error *e)
{
  dtci_case c;
  dtci_memory_setup held;
  dtci_step_work w;
  dtc_step_params filled;
  TRY(dtci_step_begin(&w, &held, &c, &filled, call, e));
  return dtci_out(out, DTC_STRUCT_step_params, &filled, e);
}

dtc_status dtc_step_resolve(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                            const dtc_step_params *params, dtc_step_params *out, dtc_error *err)
{
  const dtci_step_call call = {model, cluster, plan, NULL, 0, params};
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(resolve(&call, out, &e), &e, err);
}

/* ---- terms ----------------------------------------------------------------------------------- */

/* Twice: how often a term happens follows from the slowest stage. */
static dtc_status terms(const dtci_step_call *call, dtc_step_term *out, size_t cap, size_t *count, dtc_error *e)
{
  dtci_case c;
  dtci_memory_setup held;
  dtci_step_work w;
  dtc_step_params filled;
  dtci_timed_line line;
  double item[DTCI_STEP_ITEMS];
  dtci_step_notes notes = {.out = out, .cap = cap};
  TRY(dtci_step_begin(&w, &held, &c, &filled, call, e));
  TRY(schedule_known(&c.plan, e));
  run(&w, call->stages, &line, item);
  double micro_batches = passes_of(&c.plan);
  (void)layers_of(&w, &line.stage, notes.times);
  for (uint32_t i = 0; i < DTCI_TIMED_KINDS; i++)
    notes.times[i] *= micro_batches;
  w.notes = &notes;
  run(&w, call->stages, &line, item);
  if (line.stage.embedding)
    dtci_step_note_all(&w, DTCI_STEP_TEXT_EMBEDDING, DTC_STEP_ITEM_HEAD, w.embedding, 0, micro_batches);
  if (w.bad)
    return overflow(&w, e);
  *count = notes.count;
  return notes.count <= cap ? DTC_OK : dtci_fail_space(e, cap, notes.count);
}

dtc_status dtc_step_terms(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                          const dtc_stage *stages, size_t n, const dtc_step_params *params, dtc_step_term *out,
                          size_t cap, size_t *count, dtc_error *err)
{
  const dtci_step_call call = {model, cluster, plan, stages, n, params};
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(terms(&call, out, cap, count, &e), &e, err);
}

/* ---- costs of stages ------------------------------------------------------------------------- */

static dtc_status costs(const dtci_step_call *call, dtc_pipe_cost *out, size_t cap, size_t *count, dtc_error *e)
{
  dtci_case c;
  dtci_memory_setup held;
  dtci_step_work w;
  dtc_step_params filled;
  TRY(dtci_step_begin(&w, &held, &c, &filled, call, e));
  uint64_t n = dtci_pipe_stages(&held.pipe);
  uint64_t chunks = held.pipe.vpp;
  if (n > cap) {
    *count = dtci_count(n);
    return dtci_fail_space(e, cap, n);
  }
  time_parts(&w);
  if (w.bad)
    return overflow(&w, e);
  for (uint64_t rank = 0; rank < c.plan.pp; rank++) {
    dtc_stage stage = dtci_stage_of(&held.stages, call->stages, rank);
    dtci_stage_time t;
    time_stage(&w, &stage, &t);
    if (!(both(&t) <= SECONDS_MOST))
      return overflow(&w, e);
    double each = 1 / (double)chunks;
    for (uint64_t chunk = 0; chunk < chunks; chunk++)
      out[dtci_pipe_stage_at(&held.pipe, rank, chunk)] =
          (dtc_pipe_cost){.forward = t.pass[DTCI_FORWARD] * each,
                          .input = (t.pass[DTCI_BACKWARD] - t.weight) * each,
                          .weight = t.weight * each};
  }
  *count = dtci_count(n);
  return DTC_OK;
}

dtc_status dtc_step_costs(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                          const dtc_stage *stages, size_t n, const dtc_step_params *params, dtc_pipe_cost *out,
                          size_t cap, size_t *count, dtc_error *err)
{
  const dtci_step_call call = {model, cluster, plan, stages, n, params};
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(costs(&call, out, cap, count, &e), &e, err);
}
