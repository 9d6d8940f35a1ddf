/* Checkpoints between shardings: can one be loaded, and who reads what from whom.
 * Sources: DeepSpeed edaa7221 runtime/zero/stage_1_and_2.py and stage3.py, bf16_optimizer.py; Megatron-LM d98e8a64
 * megatron/core/optimizer/distrib_optimizer.py (dp_reshardable asserts equal unpadded sizes, and that no part of a bucket
 * is empty). */
#include "internal/reshard.h"

dtc_status dtci_moving_in(dtci_moving *m, const dtc_shards *source, const dtc_shards *target, size_t n_source_slots,
                          size_t n_target_slots, dtc_error *e)
{
  uint64_t numel = 0;
  TRY(dtci_shards_in(source, &m->source, e));
  TRY(dtci_shards_in(target, &m->target, e));
  TRY(dtci_shapes_in(m->shapes, m->n, &numel, e));
  dtc_status s = dtci_slots_in(&m->source, m->shapes, m->n, m->source_slots, n_source_slots, e);
  if (s != DTC_OK) {
    e->field = DTCI_ARG(SOURCE);
    return s;
  }
  s = dtci_slots_in(&m->target, m->shapes, m->n, m->target_slots, n_target_slots, e);
  if (s != DTC_OK)
    e->field = DTCI_ARG(TARGET);
  return s;
}

/* ---- buckets in order ------------------------------------------------------------------------ */

static dtci_walk walk_of(const dtc_slot *slots, size_t n, uint32_t arg)
{
  const dtc_slot *first = slots;
  const dtc_slot *last = n != 0 ? &slots[n - 1] : slots;
  int backwards = n != 0 && (first->bucket != last->bucket ? first->bucket > last->bucket : first->start > last->start);
  return (dtci_walk){.slots = slots, .n = n, .arg = arg, .backwards = backwards};
}

static size_t tensor_at(const dtci_walk *w, size_t k)
{
  return w->backwards ? w->n - 1 - k : k;
}

static int same_bucket(const dtc_slot *a, const dtc_slot *b)
{
  return a->bucket == b->bucket && a->bucket_start == b->bucket_start && a->bucket_end == b->bucket_end &&
         a->used == b->used && a->owner == b->owner;
}

/* The next bucket's slot; NULL behind the last. */
static dtc_status next_bucket(dtci_walk *w, const dtc_slot **bucket, dtc_error *e)
{
  *bucket = NULL;
  if (w->at == w->n)
    return DTC_OK;
  const dtc_slot *first = &w->slots[tensor_at(w, w->at)];
  *bucket = first;
  if (first->owner != DTC_EVENLY || first->used > first->bucket_end - first->bucket_start)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_RESHARD_ORDER, w->arg, tensor_at(w, w->at));
  while (w->at < w->n && same_bucket(&w->slots[tensor_at(w, w->at)], first))
    w->at++;
  if (w->at < w->n && w->slots[tensor_at(w, w->at)].bucket <= first->bucket)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_RESHARD_ORDER, w->arg, tensor_at(w, w->at));
  return DTC_OK;
}

dtci_pairs dtci_pairs_of(const dtci_moving *m)
{
  return (dtci_pairs){
      .source = walk_of(m->source_slots, m->n, DTCI_ARG(SOURCE)),
      .target = walk_of(m->target_slots, m->n, DTCI_ARG(TARGET)),
      .number = DTC_NONE,
  };
}

static dtc_status next_pair(dtci_pairs *p, dtc_error *e)
{
  TRY(next_bucket(&p->source, &p->a, e));
  TRY(next_bucket(&p->target, &p->b, e));
  p->number++;
  return DTC_OK;
}

static uint64_t used_of(const dtc_slot *bucket)
{
  return bucket != NULL ? bucket->used : 0;
}

static int differs(const dtci_pairs *p)
{
  return (p->a == NULL) != (p->b == NULL) || used_of(p->a) != used_of(p->b);
}

/* The same, where a difference is an error. */
dtc_status dtci_next_equal(dtci_pairs *p, dtc_error *e)
{
  TRY(next_pair(p, e));
  if (!differs(p))
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_RESHARD_BUCKET, DTCI_ARG(TARGET), p->number);
  e->min = used_of(p->a);
  e->max = used_of(p->b);
  return DTC_E_CONFLICT;
}

/* ---- verdict --------------------------------------------------------------------------------- */

/* The tensors of a bucket lie in the order of its walk. */
uint64_t dtci_empty_parts(const dtc_shape *shapes, const dtc_slot *slots, size_t n, uint64_t world, uint64_t *first)
{
  uint64_t empty = 0;
  uint64_t behind = 0; /* ranks of the open bucket that are done with */
  dtci_walk w = walk_of(slots, n, DTCI_ARG(SLOTS));
  *first = DTC_NONE;
  for (size_t k = 0; k < n; k++) {
    size_t i = tensor_at(&w, k);
    const dtc_slot *slot = &slots[i];
    uint64_t numel = dtci_numel(&shapes[i]);
    uint64_t gaps = 0;
    if (k == 0 || slots[tensor_at(&w, k - 1)].bucket != slot->bucket)
      behind = 0;
    if (numel != 0) {
      dtci_cover c = dtci_cover_of(slot, numel, world);
      gaps += c.first > behind ? c.first - behind : 0;
      behind = c.last + 1 > behind ? c.last + 1 : behind;
    }
    if (k + 1 == n || slots[tensor_at(&w, k + 1)].bucket != slot->bucket)
      gaps += world - behind;
    if (gaps != 0 && *first == DTC_NONE)
      *first = slot->bucket;
    empty += gaps;
  }
  return empty;
}

/* Megatron's vectors per bucket: buckets must be alike, and no part all padding. */
static dtc_status check_buckets(const dtci_moving *m, dtc_reshard *r, dtc_error *e)
{
  uint64_t source_first = 0;
  uint64_t target_first = 0;
  dtci_pairs p = dtci_pairs_of(m);
  do {
    TRY(next_pair(&p, e));
    r->source_buckets += p.a != NULL;
    r->target_buckets += p.b != NULL;
    if (!differs(&p) || r->rule != DTC_RULE_NONE)
      continue;
    r->rule = DTC_RULE_RESHARD_BUCKET;
    r->bucket = p.number;
    r->source_used = used_of(p.a);
    r->target_used = used_of(p.b);
  } while (p.a != NULL || p.b != NULL);
  r->source_empty = dtci_empty_parts(m->shapes, m->source_slots, m->n, m->source.world, &source_first);
  r->target_empty = dtci_empty_parts(m->shapes, m->target_slots, m->n, m->target.world, &target_first);
  if (r->rule == DTC_RULE_NONE && (r->source_empty != 0 || r->target_empty != 0)) {
    r->rule = DTC_RULE_RESHARD_EMPTY;
    r->bucket = r->source_empty != 0 ? source_first : target_first;
  }
  return DTC_OK;
}

/* DeepSpeed's files per rank. */
static dtc_rule rule_of_native(const dtci_moving *m, dtc_checkpoint_form form)
{
  int elastic = form == DTC_CHECKPOINT_FORM_ELASTIC;
  if (elastic && m->source.scheme == DTC_SHARD_SCHEME_ZERO3)
    return DTC_RULE_RESHARD_STAGE3;
  if (m->source.scheme != m->target.scheme)
    return DTC_RULE_RESHARD_WORLD;
  return elastic || m->source.world == m->target.world ? DTC_RULE_NONE : DTC_RULE_RESHARD_WORLD;
}

static dtc_status judge(const dtci_moving *m, dtc_checkpoint_form form, dtc_reshard *r, dtc_error *e)
{
  *r = (dtc_reshard){.struct_size = sizeof *r, .bucket = DTC_NONE};
  TRY(dtci_form_in(&m->source, form, &r->form, e));
  dtc_checkpoint_form general = dtci_form_general(&m->source);
  if (!dtci_has_form(&m->target, r->form))
    r->rule = DTC_RULE_RESHARD_FORM;
  else if (r->form == DTC_CHECKPOINT_FORM_NATIVE || r->form == DTC_CHECKPOINT_FORM_ELASTIC)
    r->rule = rule_of_native(m, r->form);
  else if (r->form == DTC_CHECKPOINT_FORM_DP_RESHARDABLE)
    TRY(check_buckets(m, r, e));
  int converts = general != r->form && dtci_has_form(&m->target, general);
  r->loading = r->rule == DTC_RULE_NONE ? DTC_LOADING_YES : converts ? DTC_LOADING_CONVERT : DTC_LOADING_NO;
  r->convert = r->loading == DTC_LOADING_CONVERT ? general : DTC_CHECKPOINT_FORM_DEFAULT;
  return DTC_OK;
}

dtc_status dtc_reshard_check(const dtc_shards *source, const dtc_shards *target, const dtc_shape *shapes,
                             size_t n_shapes, const dtc_slot *source_slots, size_t n_source_slots,
                             const dtc_slot *target_slots, size_t n_target_slots, dtc_checkpoint_form form,
                             dtc_reshard *out, dtc_error *err)
{
  dtc_error e;
  dtc_reshard r;
  dtci_moving m = {.shapes = shapes, .source_slots = source_slots, .target_slots = target_slots, .n = n_shapes};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_moving_in(&m, source, target, n_source_slots, n_target_slots, &e);
  if (s == DTC_OK)
    s = judge(&m, form, &r, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_reshard, &r, &e), &e, err);
}

/* ---- items ----------------------------------------------------------------------------------- */

/* Where items go: those that fit are kept, all are counted. */
typedef struct sink {
  dtc_reshard_item *out;
  size_t cap;
  uint64_t n; /* those without room too */
} sink;

/* Elements [low, high) of a source's space that parts of `part` elements cut, rank r's at r * part; the target's part
 * starts `before` elements ahead of `low`. */
static void put_range(sink *s, uint32_t key, uint64_t part, uint64_t low, uint64_t high, uint64_t before)
{
  uint64_t first = low / part;
  uint64_t last = (high - 1) / part;
  for (uint64_t r = first; r <= last && s->n + (r - first) < s->cap; r++) {
    uint64_t source = r == first ? low : r * part;
    uint64_t target = r == last ? high : (r + 1) * part;
    s->out[s->n + (r - first)] = (dtc_reshard_item){
        .key = key,
        .source = r,
        .source_offset = source - r * part,
        .target_offset = before + (source - low),
        .length = target - source,
    };
  }
  s->n += last - first + 1;
}

static void put_whole(sink *s, const dtc_reshard_item *item)
{
  if (s->n < s->cap)
    s->out[s->n] = *item;
  s->n++;
}

static dtc_status bucket_items(const dtci_moving *m, uint64_t rank, sink *s, dtc_error *e)
{
  dtci_pairs p = dtci_pairs_of(m);
  for (;;) {
    TRY(dtci_next_equal(&p, e));
    if (p.a == NULL)
      return DTC_OK;
    uint64_t part = dtci_shard_part(p.b, m->target.world);
    uint64_t low = rank * part;
    uint64_t high = low + part < p.b->used ? low + part : p.b->used;
    if (low < high)
      put_range(s, p.b->bucket, dtci_shard_part(p.a, m->source.world), low, high, 0);
  }
}

/* A tensor that every rank of the source holds is read from the rank itself, or where there is no such rank from 0. */
static void tensor_items(const dtci_moving *m, size_t i, uint64_t rank, sink *s)
{
  const dtc_slot *a = &m->source_slots[i];
  const dtc_slot *b = &m->target_slots[i];
  uint64_t target = b->start - b->bucket_start;
  uint64_t source = a->start - a->bucket_start;
  dtci_span held = dtci_held_by(b, dtci_numel(&m->shapes[i]), m->target.world, rank);
  if (held.low >= held.high)
    return;
  uint64_t before = held.low - dtci_part_of(b, m->target.world, rank).low;
  uint64_t low = held.low - target + source;
  uint64_t length = held.high - held.low;
  if (a->owner == DTC_EVENLY) {
    put_range(s, (uint32_t)i, dtci_shard_part(a, m->source.world), low, low + length, before);
    return;
  }
  uint64_t self = rank < m->source.world ? rank : 0;
  const dtc_reshard_item item = {
      .key = (uint32_t)i,
      .source = a->owner == DTC_EVERYWHERE ? self : a->owner,
      .source_offset = low,
      .target_offset = before,
      .length = length,
  };
  put_whole(s, &item);
}

dtc_status dtci_kind_in(dtc_reshard_kind kind, dtc_error *e)
{
  if (kind > DTC_RESHARD_KIND_TENSOR)
    return dtci_fail_range(e, DTCI_ARG(KIND), kind, 0, DTC_RESHARD_KIND_TENSOR);
  return DTC_OK;
}

static dtc_status items(const dtci_moving *m, dtc_reshard_kind kind, uint64_t rank, sink *s, size_t *count,
                        dtc_error *e)
{
  TRY(dtci_kind_in(kind, e));
  if (rank >= m->target.world)
    return dtci_fail_range(e, DTCI_ARG(RANK), rank, 0, m->target.world - 1);
  if (kind != DTC_RESHARD_KIND_TENSOR)
    TRY(bucket_items(m, rank, s, e));
  for (size_t i = 0; kind == DTC_RESHARD_KIND_TENSOR && i < m->n; i++)
    tensor_items(m, i, rank, s);
  *count = dtci_count(s->n);
  return s->n <= s->cap ? DTC_OK : dtci_fail_space(e, s->cap, s->n);
}

dtc_status dtc_reshard_items(const dtc_shards *source, const dtc_shards *target, const dtc_shape *shapes,
                             size_t n_shapes, const dtc_slot *source_slots, size_t n_source_slots,
                             const dtc_slot *target_slots, size_t n_target_slots, uint64_t rank, dtc_reshard_kind kind,
                             dtc_reshard_item *out, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_moving m = {.shapes = shapes, .source_slots = source_slots, .target_slots = target_slots, .n = n_shapes};
  sink to_out = {out, cap, 0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_moving_in(&m, source, target, n_source_slots, n_target_slots, &e);
  return dtci_end(s != DTC_OK ? s : items(&m, kind, rank, &to_out, count, &e), &e, err);
}
