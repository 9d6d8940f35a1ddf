/* An iteration of ZeRO-3, call by call: which tensors are gathered, prefetched and released.
 * Source: DeepSpeed edaa7221 runtime/zero/partitioned_param_coordinator.py (fetch_sub_module, release_sub_module,
 * _params_to_release), partition_parameters.py (AllGatherHandle, AllGatherCoalescedHandle). */
#include "internal/shard.h"

/* What is known of a tensor, and of a gather that has not been waited for by all its tensors: elements of scratch. */
enum { WORDS = 9 };

enum { FREE, IN_FLIGHT, WHOLE };

enum { FORWARD, BACKWARD };

#define NOBODY UINT64_MAX

typedef struct live {
  const dtc_shards *s;
  const dtc_shape *shapes;
  size_t n;
  const dtc_module *modules;
  size_t n_modules;
  dtc_tracing k;

  uint64_t *state;
  uint64_t *promised; /* the last call that it was taken from the queue for, plus 1; 0 none */
  uint64_t *hold;     /* elements of the buffer that became the tensor */
  uint64_t *next;     /* tensor behind it in its gather */
  uint64_t *gather;   /* gather that it has not been waited for */
  uint64_t *ahead;    /* calls within the reuse distance that use it */

  uint64_t *flat; /* of a gather: elements of its buffer, when each tensor is copied out of it; else 0 */
  uint64_t *left; /* tensors that were not waited for; of a spare gather the next spare one */
  uint64_t *head; /* first tensor; NOBODY once it has arrived */
  uint64_t spare; /* a gather that is not in use */

  size_t queue_call; /* the queue holds the tensors of all calls in their order: the next is this call's */
  uint32_t queue_at;
  size_t ahead_end;     /* the reuse distance reaches from the next call to before this one */
  uint64_t ahead_numel; /* elements that those calls use */

  uint64_t whole;   /* elements of tensors that are gathered */
  uint64_t counted; /* the same without the persistent ones, as max_live counts */
  uint64_t buffers; /* elements of their memory */
  dtc_trace t;
} live;

static uint64_t numel_of(const live *l, uint64_t tensor)
{
  return dtci_numel(&l->shapes[tensor]);
}

static void note_peak(live *l)
{
  l->t.peak_live = l->whole > l->t.peak_live ? l->whole : l->t.peak_live;
  l->t.peak_buffers = l->buffers > l->t.peak_buffers ? l->buffers : l->t.peak_buffers;
}

/* ---- gathers ----------------------------------------------------------------------------------- */

/* A gather that is being put together. */
typedef struct gathering {
  uint64_t head;
  uint64_t last;
  uint64_t tensors;
  uint64_t numel;
} gathering;

static void pick(live *l, gathering *g, uint64_t tensor)
{
  l->state[tensor] = IN_FLIGHT;
  l->next[tensor] = NOBODY;
  if (g->tensors != 0)
    l->next[g->last] = tensor;
  else
    g->head = tensor;
  g->last = tensor;
  g->tensors++;
  g->numel += numel_of(l, tensor);
}

/* One tensor is gathered into the memory that becomes its own; several into one buffer, out of which each is copied. */
static void start(live *l, const gathering *g, int phase)
{
  uint64_t flat = 0;
  uint64_t id = l->spare;
  if (g->tensors == 0)
    return;
  l->spare = l->left[id];
  for (uint64_t p = g->head; p != NOBODY; p = l->next[p]) {
    l->gather[p] = id;
    flat += dtci_round_up(numel_of(l, p), l->s->world);
  }
  l->flat[id] = g->tensors > 1 ? flat : 0;
  l->left[id] = g->tensors;
  l->head[id] = g->head;
  if (g->tensors == 1)
    l->hold[g->head] = flat;
  l->whole += g->numel;
  l->counted += g->numel;
  l->buffers += flat;
  *(phase == FORWARD ? &l->t.gathered_forward : &l->t.gathered_backward) += g->numel;
  *(phase == FORWARD ? &l->t.calls_forward : &l->t.calls_backward) += 1;
  l->t.largest_call = g->numel > l->t.largest_call ? g->numel : l->t.largest_call;
  note_peak(l);
}

/* The first tensor of a gather that is waited for brings the others; the buffer lives until the last has been. */
static void wait_for(live *l, uint64_t tensor)
{
  uint64_t id = l->gather[tensor];
  if (id == NOBODY)
    return;
  l->gather[tensor] = NOBODY;
  uint64_t head = l->head[id];
  int copied = head != NOBODY && l->next[head] != NOBODY;
  for (uint64_t p = head; p != NOBODY; p = l->next[p]) {
    l->state[p] = WHOLE;
    l->hold[p] = copied ? numel_of(l, p) : l->hold[p];
    l->buffers += copied ? l->hold[p] : 0;
  }
  note_peak(l);
  l->head[id] = NOBODY;
  l->left[id]--;
  if (l->left[id] == 0) {
    l->buffers -= l->flat[id];
    l->left[id] = l->spare;
    l->spare = id;
  }
}

static void release(live *l, uint64_t tensor)
{
  l->state[tensor] = FREE;
  l->whole -= numel_of(l, tensor);
  l->counted -= numel_of(l, tensor);
  l->buffers -= l->hold[tensor];
}

/* ---- queue and reuse distance ------------------------------------------------------------------ */

/* Takes the next tensor from the queue, unless that is empty. */
static int take(live *l, uint64_t *tensor)
{
  while (l->queue_call < l->n_modules && l->queue_at == l->modules[l->queue_call].tensors) {
    l->queue_call++;
    l->queue_at = 0;
  }
  if (l->queue_call == l->n_modules)
    return 0;
  *tensor = l->modules[l->queue_call].first + l->queue_at++;
  l->promised[*tensor] = l->queue_call + 1;
  return 1;
}

/* Takes what is left of this call; what came before has been taken. */
static void catch_up(live *l, size_t call)
{
  const dtc_module *m = &l->modules[call];
  if (l->queue_call != call)
    return;
  for (; l->queue_at < m->tensors; l->queue_at++)
    l->promised[m->first + l->queue_at] = call + 1;
  l->queue_call++;
  l->queue_at = 0;
}

/* The limit is held against what was picked before, so that it is overshot by up to one tensor. */
static void prefetch(live *l, int phase)
{
  gathering g = {0};
  uint64_t tensor = 0;
  uint64_t room = l->k.max_live > l->counted ? l->k.max_live - l->counted : 0;
  uint64_t limit = l->k.prefetch < room ? l->k.prefetch : room;
  while (g.numel < limit && take(l, &tensor))
    if (l->state[tensor] == FREE)
      pick(l, &g, tensor);
  start(l, &g, phase);
}

/* The calls behind `call`, until they have used as many elements as the reuse distance: the window only moves on. */
static void move_ahead(live *l, size_t call)
{
  const dtc_module *m = &l->modules[call];
  if (l->ahead_end <= call)
    l->ahead_end = call + 1;
  else
    for (uint32_t i = 0; i < m->tensors; i++) {
      l->ahead[m->first + i]--;
      l->ahead_numel -= numel_of(l, m->first + i);
    }
  for (; l->ahead_end < l->n_modules && l->ahead_numel < l->k.max_reuse; l->ahead_end++) {
    m = &l->modules[l->ahead_end];
    for (uint32_t i = 0; i < m->tensors; i++) {
      l->ahead[m->first + i]++;
      l->ahead_numel += numel_of(l, m->first + i);
    }
  }
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* What is promised to the next call stays, but no more than that: promised counts calls from 1. */
static int is_released(const live *l, size_t call, uint64_t tensor)
{
  if (l->k.first_step == DTC_BOOL_ON)
    return 1;
  return !dtci_persists(l->s, numel_of(l, tensor)) && l->promised[tensor] <= call + 2 && l->ahead[tensor] == 0;
}

static void run_call(live *l, size_t call)
{
  const dtc_module *m = &l->modules[call];
  int phase = call < l->k.backward ? FORWARD : BACKWARD;
  gathering g = {0};
  for (uint32_t i = 0; i < m->tensors; i++)
    if (l->state[m->first + i] == FREE)
      pick(l, &g, m->first + i);
  start(l, &g, phase);
  for (uint32_t i = 0; i < m->tensors; i++)
    wait_for(l, m->first + i);
  if (l->k.first_step != DTC_BOOL_ON) {
    catch_up(l, call);
    prefetch(l, phase);
    move_ahead(l, call);
  }
  for (uint32_t i = 0; i < m->tensors; i++)
    if (is_released(l, call, m->first + i))
      release(l, m->first + i);
}

/* In the first iteration nothing is gathered yet, later ones find the persistent tensors. */
static void prepare(live *l)
{
  for (size_t i = 0; i < l->n; i++) {
    uint64_t numel = numel_of(l, i);
    l->state[i] = FREE;
    l->promised[i] = 0;
    l->hold[i] = 0;
    l->gather[i] = NOBODY;
    l->ahead[i] = 0;
    l->left[i] = i + 1;
    if (!dtci_persists(l->s, numel))
      continue;
    l->t.gathered_step += numel;
    if (l->k.first_step == DTC_BOOL_ON)
      continue;
    l->state[i] = WHOLE;
    l->hold[i] = dtci_round_up(numel, l->s->world);
    l->whole += numel;
    l->buffers += l->hold[i];
  }
  note_peak(l);
}

/* ---- arguments --------------------------------------------------------------------------------- */

dtc_status dtci_tracing_in(const dtc_tracing *tracing, size_t n_modules, dtc_tracing *k, dtc_error *e)
{
  const uint64_t billion = 1000000000;
  TRY(dtci_in(k, DTC_STRUCT_tracing, tracing, e));
  if (k->backward > n_modules)
    return dtci_fail_range(e, DTC_FIELD(tracing, backward), k->backward, 0, n_modules);
  k->prefetch = k->prefetch == 0 ? 50000000 : k->prefetch == DTC_NONE ? 0 : k->prefetch;
  k->max_live = k->max_live == 0 ? billion : k->max_live;
  k->max_reuse = k->max_reuse == 0 ? billion : k->max_reuse == DTC_NONE ? 0 : k->max_reuse;
  k->backward = k->backward == 0 ? n_modules / 2 : k->backward;
  return DTC_OK;
}

/* Every tensor exists, and what all calls use together leaves room for the sums, which hold each use a few times. */
static dtc_status modules_in(const dtc_shape *shapes, size_t n, const dtc_module *modules, size_t n_modules,
                             uint64_t world, dtc_error *e)
{
  const uint64_t most = 1 << 24;
  const uint64_t uses_most = UINT64_C(1) << 60;
  uint64_t used = 0;
  if (n_modules > most || (modules == NULL && n_modules != 0))
    return dtci_fail_range(e, DTCI_ARG(MODULES), n_modules, 0, modules != NULL ? most : 0);
  for (size_t c = 0; c < n_modules; c++) {
    const dtc_module *m = &modules[c];
    if (m->first > n)
      return dtci_fail_range(e, DTC_FIELD(module, first), m->first, 0, n);
    if (m->tensors > n - m->first)
      return dtci_fail_range(e, DTC_FIELD(module, tensors), m->tensors, 0, n - m->first);
    for (uint32_t i = 0; i < m->tensors; i++) {
      used += dtci_round_up(dtci_numel(&shapes[m->first + i]), world);
      if (used > uses_most)
        return dtci_fail_overflow(e, DTCI_ARG(MODULES), n_modules);
    }
  }
  return DTC_OK;
}

static dtc_status trace(const dtc_shards *shards, const dtc_shape *shapes, size_t n, const dtc_module *modules,
                        size_t n_modules, const dtc_tracing *tracing, uint64_t *scratch, size_t n_scratch, dtc_trace *t,
                        dtc_error *e)
{
  dtc_shards s;
  uint64_t numel = 0;
  live l = {.s = &s, .shapes = shapes, .n = n, .modules = modules, .n_modules = n_modules, .spare = 0};
  TRY(dtci_shards_in(shards, &s, e));
  TRY(dtci_shapes_in(shapes, n, &numel, e));
  if (!dtci_is_zero3(&s))
    return dtci_fail_scheme(&s, e);
  TRY(dtci_tracing_in(tracing, n_modules, &l.k, e));
  TRY(modules_in(shapes, n, modules, n_modules, s.world, e));
  TRY(dtci_scratch_in(scratch, n_scratch, WORDS * (uint64_t)n, e));
  if (n != 0) {
    uint64_t **arrays[WORDS] = {&l.state, &l.promised, &l.hold, &l.next, &l.gather,
                                &l.ahead, &l.flat,     &l.left, &l.head};
    for (size_t i = 0; i < WORDS; i++)
      *arrays[i] = scratch + i * n;
  }
  prepare(&l);
  for (size_t call = 0; call < n_modules; call++)
    run_call(&l, call);
  l.t.struct_size = sizeof l.t;
  l.t.live_at_step = l.whole;
  *t = l.t;
  return DTC_OK;
}

dtc_status dtc_shards_trace(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                            const dtc_module *modules, size_t n_modules, const dtc_tracing *tracing, dtc_trace *out,
                            uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  dtc_trace t;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = trace(shards, shapes, n_shapes, modules, n_modules, tracing, scratch, n_scratch, &t, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_trace, &t, &e), &e, err);
}
