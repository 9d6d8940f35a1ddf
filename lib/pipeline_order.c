/* Orders in closed form: the ops of a rank as phases, patterns that repeat.
 * Sources: Megatron-LM d98e8a64 core/pipeline_parallel/schedules.py (get_schedule_table, get_pp_rank_microbatches,
 * combined_1f1b.py), PyTorch 00722e64 distributed/pipelining/schedules.py, DeepSpeed edaa7221 runtime/pipe/schedule.py,
 * ColossalAI 4f9953be pipeline/schedule/one_f_one_b.py and interleaved_pp.py. */
#include "internal/pipeline_order.h"

/* ---- where a numbered op runs ---------------------------------------------------------------- */

/* Groups of micro-batches run through chunk after chunk, backwards from the last chunk to the first; the last group has
 * what is left. */
static dtci_pipe_run looped_at(const dtci_pipe_walk *w, uint32_t kind, uint32_t k)
{
  uint32_t chunks = (uint32_t)w->p->vpp;
  uint32_t rest = w->micro_batches % w->group;
  uint32_t whole = (w->micro_batches - rest) * chunks;
  int last = k >= whole;
  uint32_t size = last ? rest : w->group;
  uint32_t group = last ? 0 : k / (size * chunks);
  uint32_t in = k - (last ? whole : group * size * chunks);
  uint32_t chunk = in / size;
  uint32_t place = in - chunk * size;
  uint32_t micro_batch = (last ? w->micro_batches - rest : group * size) + place;
  dtci_pipe_run run = {chunk, micro_batch, size - place, 1};
  if (kind != DTC_PIPE_KIND_FORWARD)
    run.chunk = chunks - 1 - chunk;
  return run;
}

static dtci_pipe_run run_at(const dtci_pipe_walk *w, const dtci_pipe_slot *slot, uint32_t times)
{
  uint32_t k = slot->first + times;
  if (slot->chunk != DTCI_PIPE_COUNTED)
    return (dtci_pipe_run){slot->chunk, k, UINT32_MAX, 1};
  if (w->maker == DTCI_PIPE_EIGHT)
    return dtci_pipe_weight_at(w, k);
  dtci_pipe_run run = looped_at(w, slot->kind, k);
  if (w->p->schedule == DTC_SCHEDULE_LOOPED_BFS && slot->kind != DTC_PIPE_KIND_FORWARD) { /* the last comes first */
    run.micro_batch = w->micro_batches - 1 - run.micro_batch;
    run.step = UINT32_MAX;
  }
  return run;
}

static dtc_pipe_op op_of(const dtci_pipe_slot *slot, const dtci_pipe_run *run)
{
  return (dtc_pipe_op){run->micro_batch, (uint16_t)run->chunk, slot->kind, slot->fused};
}

/* ---- phases ---------------------------------------------------------------------------------- */

void dtci_pipe_repeat(dtci_pipe_walk *w, uint64_t times, uint32_t n, const dtci_pipe_slot *slots)
{
  dtci_pipe_phase f = {0, 0, {{0}}};
  for (uint32_t s = 0; s < n; s++)
    if (w->p->forward_only != DTC_BOOL_ON || slots[s].kind == DTC_PIPE_KIND_FORWARD) {
      f.slots[f.n] = slots[s];
      f.slots[f.n++].fused &= w->p->forward_only != DTC_BOOL_ON;
    }
  while (times > 0 && f.n > 0) {
    /* As long as every op has a micro-batch; then without those that have none. */
    uint64_t some = times;
    uint32_t kept = 0;
    for (uint32_t s = 0; s < f.n; s++) {
      uint64_t there = f.slots[s].chunk == DTCI_PIPE_COUNTED ? times
                       : f.slots[s].first < w->micro_batches ? w->micro_batches - f.slots[s].first
                                                             : 0;
      if (there == 0)
        continue;
      f.slots[kept++] = f.slots[s];
      some = dtci_smaller(some, there);
    }
    f.n = kept;
    f.times = (uint32_t)some;
    if (kept > 0 && w->n < DTCI_PIPE_PHASES_MAX)
      w->phases[w->n++] = f;
    for (uint32_t s = 0; s < f.n; s++)
      f.slots[s].first += f.times;
    times -= some;
  }
}

/* Warm-up forwards, then a forward and a backward in turn, then the backwards that are left. */
static void phases_1f1b(dtci_pipe_walk *w, uint64_t warm, uint64_t all)
{
  dtci_pipe_slot pair[] = {DTCI_PIPE_SLOT(FORWARD, DTCI_PIPE_COUNTED, warm),
                           DTCI_PIPE_SLOT(BACKWARD, DTCI_PIPE_COUNTED, 0)};
  pair[0].fused = w->p->moe_overlap == DTC_BOOL_ON;
  dtci_pipe_repeat(w, warm, 1, &DTCI_PIPE_SLOT(FORWARD, DTCI_PIPE_COUNTED, 0));
  dtci_pipe_repeat(w, all - warm, 2, pair);
  dtci_pipe_repeat(w, warm, 1, &DTCI_PIPE_SLOT(BACKWARD, DTCI_PIPE_COUNTED, all - warm));
}

/* PyTorch's ZB1P: as 1F1B, and from the rank's number of backwards on one for the weights behind each, in their order. */
static void phases_zb1p(dtci_pipe_walk *w, uint64_t warm, uint64_t all)
{
  uint64_t late = dtci_smaller(w->rank, all); /* backwards before the first for weights */
  uint64_t pairs = all - warm;                /* backwards with a forward before them */
  uint64_t cuts[] = {0, dtci_smaller(late, pairs), late > pairs ? late : pairs, all};
  dtci_pipe_repeat(w, warm, 1, &DTCI_PIPE_SLOT(FORWARD, DTCI_PIPE_COUNTED, 0));
  for (int i = 0; i < 3; i++) {
    dtci_pipe_slot slots[3];
    uint32_t n = 0;
    if (cuts[i] < pairs)
      slots[n++] = DTCI_PIPE_SLOT(FORWARD, DTCI_PIPE_COUNTED, warm + cuts[i]);
    slots[n++] = DTCI_PIPE_SLOT(INPUT, DTCI_PIPE_COUNTED, cuts[i]);
    if (cuts[i] >= late)
      slots[n++] = DTCI_PIPE_SLOT(WEIGHT, DTCI_PIPE_COUNTED, cuts[i] - late);
    dtci_pipe_repeat(w, cuts[i + 1] - cuts[i], n, slots);
  }
  dtci_pipe_repeat(w, late, 1, &DTCI_PIPE_SLOT(WEIGHT, DTCI_PIPE_COUNTED, all - late));
}

/* ---- warm-up, and what it makes a rank hold -------------------------------------------------- */

/* Forwards before the first backward: two for each rank behind (of 1f1b and ZB1P one), a group for each chunk but the last,
 * and one more when a forward overlaps a backward. */
static uint64_t warm_up(const dtc_pipe *p, uint64_t rank, uint64_t all, int *bad)
{
  uint64_t behind = p->pp - 1 - rank;
  uint64_t each = p->schedule == DTC_SCHEDULE_1F1B || p->schedule == DTC_SCHEDULE_INTERLEAVED_ZB ? 1 : 2;
  uint64_t groups = dtci_mul(p->vpp - 1, p->group, bad);
  return dtci_smaller(dtci_add(each * behind + (p->moe_overlap == DTC_BOOL_ON), groups, bad), all);
}

int dtci_pipe_held_of(const dtc_pipe *p, uint64_t rank, dtc_pipe_held *out, int *bad)
{
  const dtci_pipe_row *row = dtci_pipe_row_of(p->schedule, p->framework);
  uint64_t chunks = row->place == DTCI_PIPE_DUAL ? 1 : p->vpp; /* each direction has half of the micro-batches */
  uint64_t all = dtci_mul(p->micro_batches, chunks, bad);
  if (p->forward_only == DTC_BOOL_ON) { /* no backward frees them */
    *out = (dtc_pipe_held){all, all};
    return dtci_pipe_is_closed(row);
  }
  switch (row->maker) {
  case DTCI_PIPE_PHASES:
    *out = (dtc_pipe_held){all, all};
    return 1;
  case DTCI_PIPE_1F1B:
    out->input = dtci_smaller(warm_up(p, rank, all, bad) + 1, all);
    out->weight = out->input;
    return 1;
  case DTCI_PIPE_ZB1P: /* a backward for the weights waits for as many others as there are ranks before */
    out->input = dtci_smaller(warm_up(p, rank, all, bad) + 1, all);
    out->weight = dtci_smaller(p->pp + (p->vpp - 1) * p->group, all);
    return 1;
  case DTCI_PIPE_ZBV: /* 2 * pp when the micro-batches fill the pipeline */
    out->input = dtci_smaller(dtci_smaller(all, p->micro_batches + rank + 1), 2 * p->pp);
    out->weight = out->input;
    return 1;
  case DTCI_PIPE_EIGHT:
    out->input = (row->place == DTCI_PIPE_DUAL ? p->pp : 2 * p->pp) + 1;
    out->weight = out->input;
    return 1;
  default:
    return 0;
  }
}

/* ---- a rank's order -------------------------------------------------------------------------- */

void dtci_pipe_walk_of(const dtc_pipe *p, uint64_t rank, dtci_pipe_walk *w)
{
  const dtci_pipe_row *row = dtci_pipe_row_of(p->schedule, p->framework);
  int bad = 0; /* the job was resolved: everything fits */
  uint64_t all = p->micro_batches * p->vpp;
  w->p = p;
  w->rank = (uint32_t)rank;
  w->maker = row->maker;
  w->micro_batches = (uint32_t)(row->place == DTCI_PIPE_DUAL ? p->micro_batches / 2 : p->micro_batches);
  w->group = (uint32_t)(p->group != 0 ? p->group : p->micro_batches);
  w->waiting = 0;
  w->n = 0;
  switch (row->maker) {
  case DTCI_PIPE_PHASES:
    phases_1f1b(w, all, all);
    break;
  case DTCI_PIPE_1F1B:
    phases_1f1b(w, p->forward_only == DTC_BOOL_ON ? all : warm_up(p, rank, all, &bad), all);
    break;
  case DTCI_PIPE_ZB1P:
    phases_zb1p(w, warm_up(p, rank, all, &bad), all);
    break;
  case DTCI_PIPE_ZBV:
    dtci_pipe_zbv_phases(w);
    break;
  default:
    dtci_pipe_eight_phases(w);
  }
}

/* Writes a phase; a run is looked up only where it begins. */
static dtc_pipe_op *write_phase(const dtci_pipe_walk *w, const dtci_pipe_phase *f, dtc_pipe_op *out)
{
  dtci_pipe_run runs[DTCI_PIPE_SLOTS];
  for (uint32_t s = 0; s < f->n; s++)
    runs[s] = run_at(w, &f->slots[s], 0);
  for (uint32_t i = 0; i < f->times; i++)
    for (uint32_t s = 0; s < f->n; s++) {
      dtci_pipe_run *run = &runs[s];
      if (run->left == 0)
        *run = run_at(w, &f->slots[s], i);
      *out++ = op_of(&f->slots[s], run);
      run->micro_batch += run->step;
      run->left--;
    }
  return out;
}

uint64_t dtci_pipe_write(const dtci_pipe_walk *w, dtc_pipe_op *out)
{
  dtc_pipe_op *end = out;
  for (uint32_t i = 0; i < w->n; i++)
    end = write_phase(w, &w->phases[i], end);
  return (uint64_t)(end - out);
}

dtc_pipe_op dtci_pipe_at(const dtci_pipe_walk *w, uint64_t index)
{
  for (uint32_t i = 0; i < w->n; i++) {
    const dtci_pipe_phase *f = &w->phases[i];
    uint64_t ops = (uint64_t)f->times * f->n;
    if (index >= ops) {
      index -= ops;
      continue;
    }
    const dtci_pipe_slot *slot = &f->slots[index % f->n];
    dtci_pipe_run run = run_at(w, slot, (uint32_t)(index / f->n));
    return op_of(slot, &run);
  }
  return (dtc_pipe_op){0, 0, DTC_PIPE_KIND_NONE, 0};
}
