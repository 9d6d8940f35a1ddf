/* Resharding: verdicts, what ranks read from whom, boxes of torch's checkpoints, bytes and times. */
#include "shards_check.h"

#include <math.h>

static dtc_error error(void)
{
  dtc_error e;
  DTC_INIT(&e);
  return e;
}

/* ---- a model of the catalogue under two shardings ---------------------------------------------------------------- */

typedef struct pair {
  dtc_shards source;
  dtc_shards target;
  dtc_shape *shapes;
  size_t n;
  dtc_slot *a;
  dtc_slot *b;
} pair;

static dtc_slot *slots_of(const dtc_shards *s, const dtc_shape *shapes, size_t n)
{
  dtc_error e = error();
  uint64_t needed = 0;
  size_t count = 0;
  dtc_slot *slots = calloc(n + 1, sizeof *slots);
  check_ok(dtc_shards_scratch(s, n, &needed, &e), &e);
  uint64_t *scratch = calloc(needed + 1, sizeof *scratch);
  check_ok(dtc_shards_layout(s, shapes, n, slots, n, &count, scratch, needed, &e), &e);
  free(scratch);
  return slots;
}

static pair llama(dtc_shards source, dtc_shards target)
{
  dtc_error e = error();
  dtc_model m = check_named("llama-2-7b");
  pair p = {.source = source, .target = target};
  p.shapes = calloc(1000, sizeof *p.shapes);
  check_ok(dtc_shards_shapes(&m, p.shapes, 1000, &p.n, &e), &e);
  p.a = slots_of(&source, p.shapes, p.n);
  p.b = slots_of(&target, p.shapes, p.n);
  return p;
}

static void pair_free(pair *p)
{
  free(p->shapes);
  free(p->a);
  free(p->b);
}

static dtc_reshard_sums sums_of(const pair *p, dtc_reshard_kind kind)
{
  dtc_error e = error();
  dtc_reshard_sums sums;
  DTC_INIT(&sums);
  check_ok(dtc_reshard_totals(&p->source, &p->target, p->shapes, p->n, p->a, p->n, p->b, p->n, kind, &sums, &e), &e);
  assert_true(sums.moved == sums.needed - sums.same);
  return sums;
}

static dtc_reshard verdict(dtc_shards source, dtc_shards target, dtc_checkpoint_form form)
{
  dtc_error e = error();
  dtc_reshard r;
  DTC_INIT(&r);
  pair p = llama(source, target);
  check_ok(dtc_reshard_check(&p.source, &p.target, p.shapes, p.n, p.a, p.n, p.b, p.n, form, &r, &e), &e);
  pair_free(&p);
  return r;
}

static dtc_shards sharding(dtc_shard_scheme scheme, uint64_t world, uint64_t bucket)
{
  dtc_shards s = shards_of(scheme, world);
  s.bucket = bucket;
  return s;
}

#define SCHEME(scheme, world) shards_of(DTC_SHARD_SCHEME_##scheme, world)
#define DISTOPT(world, bucket) sharding(DTC_SHARD_SCHEME_DISTOPT, world, bucket)

static const uint64_t llama_numel = 6738415616;

static void eight_to_sixteen_keeps_a_sixteenth(void **state)
{
  (void)state;
  pair p = llama(SCHEME(ZERO12, 8), SCHEME(ZERO12, 16));
  dtc_reshard_sums s = sums_of(&p, DTC_RESHARD_KIND_BUCKET);
  assert_true(s.needed == llama_numel && s.same == llama_numel / 16 && s.items == 16);
  pair_free(&p);
  p = llama(SCHEME(ZERO12, 8), SCHEME(ZERO12, 6));
  s = sums_of(&p, DTC_RESHARD_KIND_BUCKET);
  assert_true(s.same * 4 / llama_numel == 0 && (s.same + 16) * 4 / llama_numel == 1); /* 25 %, but for padding */
  pair_free(&p);
  p = llama(SCHEME(ZERO12, 8), SCHEME(ZERO12, 8));
  assert_true(sums_of(&p, DTC_RESHARD_KIND_BUCKET).moved == 0);
  pair_free(&p);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static void deepspeed_files_per_rank_keep_their_world(void **state)
{
  (void)state;
  dtc_reshard r = verdict(SCHEME(ZERO12, 8), SCHEME(ZERO12, 16), DTC_CHECKPOINT_FORM_DEFAULT);
  assert_true(r.loading == DTC_LOADING_CONVERT && r.rule == DTC_RULE_RESHARD_WORLD);
  assert_true(r.form == DTC_CHECKPOINT_FORM_NATIVE && r.convert == DTC_CHECKPOINT_FORM_UNIVERSAL);
  r = verdict(SCHEME(ZERO12, 8), SCHEME(ZERO12, 8), DTC_CHECKPOINT_FORM_NATIVE);
  assert_true(r.loading == DTC_LOADING_YES && r.rule == DTC_RULE_NONE && r.convert == DTC_CHECKPOINT_FORM_DEFAULT);
  r = verdict(SCHEME(ZERO12, 8), SCHEME(ZERO12, 16), DTC_CHECKPOINT_FORM_ELASTIC);
  assert_true(r.loading == DTC_LOADING_YES);
  r = verdict(SCHEME(ZERO3, 8), SCHEME(ZERO3, 16), DTC_CHECKPOINT_FORM_ELASTIC);
  assert_true(r.loading == DTC_LOADING_CONVERT && r.rule == DTC_RULE_RESHARD_STAGE3);
  r = verdict(SCHEME(ZERO3, 8), SCHEME(ZERO3, 16), DTC_CHECKPOINT_FORM_NATIVE);
  assert_true(r.loading == DTC_LOADING_CONVERT && r.rule == DTC_RULE_RESHARD_WORLD);
  r = verdict(SCHEME(ZERO3, 8), SCHEME(ZERO12, 16), DTC_CHECKPOINT_FORM_UNIVERSAL);
  assert_true(r.loading == DTC_LOADING_YES);
  r = verdict(SCHEME(MICS, 8), SCHEME(MICS, 4), DTC_CHECKPOINT_FORM_DEFAULT);
  assert_true(r.loading == DTC_LOADING_NO && r.rule == DTC_RULE_RESHARD_WORLD);
  r = verdict(SCHEME(ZERO12, 8), SCHEME(FSDP2, 8), DTC_CHECKPOINT_FORM_NATIVE);
  assert_true(r.loading == DTC_LOADING_NO && r.rule == DTC_RULE_RESHARD_FORM);
}

static void megatron_buckets_must_be_alike(void **state)
{
  (void)state;
  dtc_reshard r = verdict(DISTOPT(8, 0), DISTOPT(16, 0), DTC_CHECKPOINT_FORM_DEFAULT);
  assert_true(r.loading == DTC_LOADING_YES && r.form == DTC_CHECKPOINT_FORM_DP_RESHARDABLE);
  assert_true(r.source_buckets == r.target_buckets && r.bucket == DTC_NONE);
  r = verdict(DISTOPT(40, 0), DISTOPT(48, 0), DTC_CHECKPOINT_FORM_DEFAULT);
  assert_true(r.loading == DTC_LOADING_CONVERT && r.convert == DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE);
  assert_true(r.rule == DTC_RULE_RESHARD_BUCKET && r.source_buckets == 130 && r.target_buckets == 98);
  assert_true(r.source_used != r.target_used && r.bucket < 98);
  r = verdict(DISTOPT(40, 40000000), DISTOPT(48, 40000000), DTC_CHECKPOINT_FORM_DEFAULT);
  assert_true(r.loading == DTC_LOADING_YES);
  r = verdict(DISTOPT(40, DTC_NONE), DISTOPT(48, DTC_NONE), DTC_CHECKPOINT_FORM_DEFAULT);
  assert_true(r.loading == DTC_LOADING_YES && r.source_buckets == 1);
  r = verdict(DISTOPT(40, 0), DISTOPT(48, 0), DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE);
  assert_true(r.loading == DTC_LOADING_YES);
  r = verdict(DISTOPT(40, 0), SCHEME(ALLREDUCE, 48), DTC_CHECKPOINT_FORM_DEFAULT);
  assert_true(r.loading == DTC_LOADING_CONVERT && r.rule == DTC_RULE_RESHARD_FORM);
}

static void parts_without_a_tensor_stop_megatron(void **state)
{
  (void)state;
  dtc_error e = error();
  dtc_reshard r;
  DTC_INIT(&r);
  /* 70 elements padded to 128 over 4 ranks: the last has padding only; 64 of 128 over 2 ranks: so has the second */
  dtc_shape shapes[] = {{.rows = 70, .cols = 1}, {.rows = 64, .cols = 1}};
  dtc_shards source = DISTOPT(1, 64), target = DISTOPT(4, 64);
  dtc_slot *a = slots_of(&source, shapes, 2), *b = slots_of(&target, shapes, 2);
  check_ok(dtc_reshard_check(&source, &target, shapes, 2, a, 2, b, 2, DTC_CHECKPOINT_FORM_DEFAULT, &r, &e), &e);
  assert_true(r.loading == DTC_LOADING_CONVERT && r.rule == DTC_RULE_RESHARD_EMPTY && r.bucket == 0);
  assert_true(r.source_empty == 0 && r.target_empty == 3); /* 64 fill two parts of 32, 70 three */
  free(a);
  free(b);
}

/* Against counting, over small tensors and parts. */
static void empty_parts_are_counted(void **state)
{
  (void)state;
  uint64_t seed = 16;
  shards_case c = {.scratch = NULL};
  dtc_fragment parts[SHARDS_MOST];
  for (int round = 0; round < 400; round++) {
    dtc_error e = error();
    dtc_reshard r;
    uint64_t held = 0;
    DTC_INIT(&r);
    c.n = check_random(&seed, 12);
    for (size_t i = 0; i < c.n; i++) {
      uint64_t rows = check_random(&seed, 4) == 0 ? 0 : check_random(&seed, 300);
      c.shapes[i] = (dtc_shape){.rows = rows, .cols = 1, .shared = check_random(&seed, 8) == 0};
    }
    c.s = DISTOPT(1 + check_random(&seed, 200), 1 + check_random(&seed, 400));
    shards_lay(&c);
    for (uint64_t rank = 0; rank < c.s.world; rank++) {
      uint8_t seen[SHARDS_MOST] = {0};
      size_t n = shards_parts(&c, rank, parts);
      for (size_t k = 0; k < n; k++)
        held += parts[k].length != 0 && !seen[parts[k].bucket]++;
    }
    check_ok(dtc_reshard_check(&c.s, &c.s, c.shapes, c.n, c.slots, c.n, c.slots, c.n, 0, &r, &e), &e);
    assert_true(r.source_buckets == r.target_buckets && r.source_empty == r.target_empty);
    assert_int_equal(r.source_empty, r.source_buckets * c.s.world - held);
  }
  shards_free(&c);
}

static void forms_that_a_scheme_has_not_are_refused(void **state)
{
  (void)state;
  dtc_error e = error();
  dtc_reshard r;
  dtc_shards s = SCHEME(GEMINI, 2);
  DTC_INIT(&r);
  assert_int_equal(dtc_reshard_check(&s, &s, NULL, 0, NULL, 0, NULL, 0, 0, &r, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, DTC_RULE_RESHARD_FORM);
  s = SCHEME(FSDP2, 2);
  assert_int_equal(dtc_reshard_check(&s, &s, NULL, 0, NULL, 0, NULL, 0, DTC_CHECKPOINT_FORM_NATIVE, &r, &e),
                   DTC_E_UNSUPPORTED);
  assert_int_equal(dtc_reshard_check(&s, &s, NULL, 0, NULL, 0, NULL, 0, 99, &r, &e), DTC_E_RANGE);
  check_ok(dtc_reshard_check(&s, &s, NULL, 0, NULL, 0, NULL, 0, 0, &r, &e), &e);
  assert_int_equal(r.loading, DTC_LOADING_YES);
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

enum { ITEMS_MOST = 20000 };

static size_t items_of(const shards_case *a, const shards_case *b, dtc_reshard_kind kind, uint64_t rank,
                       dtc_reshard_item *out)
{
  dtc_error e = error();
  size_t n = 0, again = 0;
  check_ok(dtc_reshard_items(&a->s, &b->s, a->shapes, a->n, a->slots, a->n, b->slots, b->n, rank, kind, out, ITEMS_MOST,
                             &n, &e),
           &e);
  dtc_status status = dtc_reshard_items(&a->s, &b->s, a->shapes, a->n, a->slots, a->n, b->slots, b->n, rank, kind, out,
                                        n / 2, &again, &e);
  assert_int_equal(again, n);
  assert_int_equal(status, n / 2 < n ? DTC_E_SPACE : DTC_OK);
  return n;
}

/* An element of a tensor is read from where the checkpoint's layout has it. */
static void check_source(const shards_case *a, const dtc_reshard_item *item, uint64_t element, uint64_t skip,
                         uint64_t rank)
{
  uint64_t offset = 0, owner = shards_owner(a, item->key, element, &offset);
  if (a->slots[item->key].owner == DTC_EVERYWHERE)
    owner = rank < a->s.world ? rank : 0;
  assert_true(item->source == owner && item->source_offset + skip == offset);
}

/* The items of a rank fill its parts of the tensors, each element once. */
static void check_rank(const shards_case *a, const shards_case *b, uint64_t rank, dtc_reshard_item *items,
                       dtc_reshard_sums *sums)
{
  dtc_fragment parts[SHARDS_MOST];
  size_t n_parts = shards_parts(b, rank, parts), k = 0;
  size_t n = items_of(a, b, DTC_RESHARD_KIND_TENSOR, rank, items);
  for (size_t p = 0; p < n_parts; p++) {
    uint64_t done = 0;
    for (; k < n && items[k].key == parts[p].tensor; k++) {
      assert_true(items[k].length != 0 && items[k].target_offset == parts[p].shard_offset + done);
      check_source(a, &items[k], parts[p].tensor_offset + done, 0, rank);
      check_source(a, &items[k], parts[p].tensor_offset + done + items[k].length - 1, items[k].length - 1, rank);
      done += items[k].length;
      sums->same += items[k].source == rank ? items[k].length : 0;
    }
    assert_int_equal(done, parts[p].length);
    sums->needed += done;
  }
  assert_int_equal(k, n);
  sums->items += n;
}

static void same_sums(const dtc_reshard_sums *a, const dtc_reshard_sums *b)
{
  if (a->items != b->items || a->needed != b->needed || a->same != b->same)
    fail_msg("%d items, %d needed, %d same; counted %d, %d, %d", (int)a->items, (int)a->needed, (int)a->same,
             (int)b->items, (int)b->needed, (int)b->same);
}

static dtc_reshard_sums case_sums(const shards_case *a, const shards_case *b, dtc_reshard_kind kind)
{
  dtc_error e = error();
  dtc_reshard_sums sums;
  DTC_INIT(&sums);
  check_ok(dtc_reshard_totals(&a->s, &b->s, a->shapes, a->n, a->slots, a->n, b->slots, b->n, kind, &sums, &e), &e);
  return sums;
}

static void random_sharding(shards_case *c, uint64_t *seed)
{
  static const dtc_shard_scheme schemes[] = {
      DTC_SHARD_SCHEME_ZERO12, DTC_SHARD_SCHEME_ZERO3,          DTC_SHARD_SCHEME_DDP,     DTC_SHARD_SCHEME_FSDP1,
      DTC_SHARD_SCHEME_FSDP2,  DTC_SHARD_SCHEME_WHOLE,          DTC_SHARD_SCHEME_DISTOPT, DTC_SHARD_SCHEME_LAYERWISE,
      DTC_SHARD_SCHEME_GEMINI, DTC_SHARD_SCHEME_LOW_LEVEL_ZERO,
  };
  static const uint64_t buckets[] = {0, DTC_NONE, 500};
  c->s = shards_of(schemes[check_random(seed, 10)], 1 + check_random(seed, 20));
  if (c->s.scheme == DTC_SHARD_SCHEME_DISTOPT)
    c->s.bucket = buckets[check_random(seed, 3)];
  if (c->s.scheme == DTC_SHARD_SCHEME_ZERO12)
    c->s.round_robin = check_random(seed, 2) ? DTC_BOOL_ON : DTC_BOOL_OFF;
  if (c->s.scheme == DTC_SHARD_SCHEME_GEMINI) {
    c->s.min_chunk = 1000;
    c->s.search_range = 1000;
    c->s.interval = 100;
  }
}

static void any_sharding_reads_any_other(void **state)
{
  (void)state;
  uint64_t seed = 11;
  shards_case a = {.scratch = NULL}, b = {.scratch = NULL};
  dtc_reshard_item *items = malloc(sizeof *items * ITEMS_MOST);
  for (int round = 0; round < check_rounds(1500); round++) {
    dtc_reshard_sums counted = {.struct_size = sizeof counted};
    shards_random(&a, &seed, 0);
    b.n = a.n;
    memcpy(b.shapes, a.shapes, sizeof a.shapes);
    random_sharding(&a, &seed);
    random_sharding(&b, &seed);
    shards_lay(&a);
    shards_lay(&b);
    for (uint64_t rank = 0; rank < b.s.world; rank++)
      check_rank(&a, &b, rank, items, &counted);
    dtc_reshard_sums sums = case_sums(&a, &b, DTC_RESHARD_KIND_TENSOR);
    same_sums(&sums, &counted);
  }
  free(items);
  shards_free(&a);
  shards_free(&b);
}

/* Vectors per bucket: each bucket once, from the part that holds the place. */
static void check_buckets(const shards_case *a, const shards_case *b, uint64_t rank, dtc_reshard_item *items,
                          uint64_t *covered, dtc_reshard_sums *sums)
{
  size_t n = items_of(a, b, DTC_RESHARD_KIND_BUCKET, rank, items);
  for (size_t k = 0; k < n; k++) {
    size_t i = 0;
    while (i < b->n && b->slots[i].bucket != items[k].key)
      i++;
    assert_true(i < b->n);
    uint64_t source = (a->slots[i].bucket_end - a->slots[i].bucket_start) / a->s.world;
    uint64_t target = (b->slots[i].bucket_end - b->slots[i].bucket_start) / b->s.world;
    uint64_t place = rank * target + items[k].target_offset;
    assert_true(place == covered[items[k].key] && items[k].target_offset + items[k].length <= target);
    assert_true(items[k].source * source + items[k].source_offset == place);
    assert_true(items[k].length != 0 && items[k].source_offset + items[k].length <= source);
    covered[items[k].key] += items[k].length;
    sums->same += items[k].source == rank ? items[k].length : 0;
    sums->needed += items[k].length;
  }
  sums->items += n;
}

static void buckets_are_read_once(void **state)
{
  (void)state;
  static const dtc_shard_scheme schemes[] = {DTC_SHARD_SCHEME_ZERO12, DTC_SHARD_SCHEME_ZERO3, DTC_SHARD_SCHEME_FSDP2,
                                             DTC_SHARD_SCHEME_DISTOPT};
  uint64_t seed = 12;
  shards_case a = {.scratch = NULL}, b = {.scratch = NULL};
  dtc_reshard_item *items = malloc(sizeof *items * ITEMS_MOST);
  for (int round = 0; round < 800; round++) {
    dtc_reshard_sums counted = {.struct_size = sizeof counted};
    uint64_t covered[SHARDS_MOST] = {0};
    shards_random(&a, &seed, 0);
    b.n = a.n;
    memcpy(b.shapes, a.shapes, sizeof a.shapes);
    a.s = shards_of(schemes[round % 4], 1 + check_random(&seed, 40));
    b.s = shards_of(schemes[round % 4], 1 + check_random(&seed, 40));
    if (round % 4 == 3)
      a.s.bucket = b.s.bucket = 500;
    shards_lay(&a);
    shards_lay(&b);
    for (uint64_t rank = 0; rank < b.s.world; rank++)
      check_buckets(&a, &b, rank, items, covered, &counted);
    for (size_t i = 0; i < b.n; i++)
      assert_int_equal(covered[b.slots[i].bucket], b.slots[i].used);
    dtc_reshard_sums sums = case_sums(&a, &b, DTC_RESHARD_KIND_BUCKET);
    same_sums(&sums, &counted);
  }
  free(items);
  shards_free(&a);
  shards_free(&b);
}

static void buckets_that_differ_are_a_conflict(void **state)
{
  (void)state;
  dtc_error e = error();
  dtc_reshard_sums sums;
  dtc_reshard_item item;
  size_t count = 77;
  DTC_INIT(&sums);
  pair p = llama(DISTOPT(40, 0), DISTOPT(48, 0));
  assert_int_equal(dtc_reshard_totals(&p.source, &p.target, p.shapes, p.n, p.a, p.n, p.b, p.n, 0, &sums, &e),
                   DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_RESHARD_BUCKET && e.min != e.max);
  assert_int_equal(
      dtc_reshard_items(&p.source, &p.target, p.shapes, p.n, p.a, p.n, p.b, p.n, 3, 0, &item, 1, &count, &e),
      DTC_E_CONFLICT);
  assert_int_equal(count, 77);
  assert_int_equal(
      dtc_reshard_items(&p.source, &p.target, p.shapes, p.n, p.a, p.n, p.b, p.n, 48, 0, &item, 1, &count, &e),
      DTC_E_RANGE);
  assert_int_equal(dtc_reshard_totals(&p.source, &p.target, p.shapes, p.n, p.a, p.n, p.b, p.n, 7, &sums, &e),
                   DTC_E_RANGE);
  sums = sums_of(&p, DTC_RESHARD_KIND_TENSOR);
  assert_true(sums.needed == llama_numel);
  pair_free(&p);
  p = llama(SCHEME(WHOLE, 4), SCHEME(WHOLE, 8));
  assert_int_equal(dtc_reshard_totals(&p.source, &p.target, p.shapes, p.n, p.a, p.n, p.b, p.n, 0, &sums, &e),
                   DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, DTC_RULE_RESHARD_ORDER);
  pair_free(&p);
}

/* Slots with anything in them give a status. */
static void broken_slots_give_a_status(void **state)
{
  (void)state;
  uint64_t seed = 13;
  dtc_reshard_item items[8];
  shards_case a = {.scratch = NULL}, b = {.scratch = NULL};
  for (int round = 0; round < check_rounds(20000); round++) {
    dtc_error e = error();
    dtc_reshard r;
    dtc_reshard_sums sums;
    dtc_checkpoint c;
    size_t count = 0;
    DTC_INIT(&r);
    DTC_INIT(&sums);
    DTC_INIT(&c);
    if (round % 50 == 0) {
      shards_random(&a, &seed, 0);
      a.n = a.n % 5 + 1;
      b.n = a.n;
      memcpy(b.shapes, a.shapes, sizeof a.shapes);
      random_sharding(&a, &seed);
      random_sharding(&b, &seed);
    }
    if (round % 5 == 0) {
      shards_lay(&a);
      shards_lay(&b);
    }
    dtc_slot *slot = check_random(&seed, 2) ? &a.slots[check_random(&seed, a.n)] : &b.slots[check_random(&seed, b.n)];
    static const uint64_t values[] = {0, 1, 2, 64, 128, 1000, UINT64_C(1) << 62, UINT64_MAX};
    uint64_t value = values[check_random(&seed, 8)] * (1 + check_random(&seed, 2));
    switch (check_random(&seed, 6)) {
    case 0:
      slot->start = value;
      break;
    case 1:
      slot->bucket_start = value;
      break;
    case 2:
      slot->bucket_end = value;
      break;
    case 3:
      slot->used = value;
      break;
    case 4:
      slot->bucket = (uint32_t)value;
      break;
    default:
      slot->owner = value < 3 ? (uint32_t)value : value < 1000 ? DTC_EVENLY : DTC_EVERYWHERE;
    }
    for (dtc_reshard_kind kind = 0; kind < 3; kind++) {
      (void)!dtc_reshard_items(&a.s, &b.s, a.shapes, a.n, a.slots, a.n, b.slots, b.n, 0, kind, items, 8, &count, &e);
      (void)!dtc_reshard_totals(&a.s, &b.s, a.shapes, a.n, a.slots, a.n, b.slots, b.n, kind, &sums, &e);
    }
    for (dtc_checkpoint_form form = 0; form < 7; form++) {
      (void)!dtc_reshard_check(&a.s, &b.s, a.shapes, a.n, a.slots, a.n, b.slots, b.n, form, &r, &e);
      (void)!dtc_checkpoint_estimate(&a.s, a.shapes, a.n, a.slots, a.n, 1, form, &c, a.scratch, a.n_scratch, &e);
    }
  }
  shards_free(&a);
  shards_free(&b);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

typedef struct grid {
  dtc_shards s;
  uint64_t tp;
} grid;

typedef struct area {
  uint64_t row, rows, col, cols;
} area;

static dtc_cut cut_of(const dtc_shape *shape)
{
  if (shape->cut != DTC_CUT_DEFAULT)
    return shape->cut;
  return shape->dims == 1 ? DTC_CUT_WHOLE : shape->dims == 2 && shape->rows < shape->cols ? DTC_CUT_COLS : DTC_CUT_ROWS;
}

static area area_of(const dtc_shape *shape, const grid *g, uint64_t rank)
{
  area a = {0, shape->rows, 0, shape->cols};
  if (cut_of(shape) == DTC_CUT_ROWS) {
    a.rows /= g->tp;
    a.row = rank % g->tp * a.rows;
  } else if (cut_of(shape) == DTC_CUT_COLS) {
    a.cols /= g->tp;
    a.col = rank % g->tp * a.cols;
  }
  uint64_t chunk = a.rows / g->s.world + (a.rows % g->s.world != 0), first = rank / g->tp * chunk;
  first = first < a.rows ? first : a.rows;
  uint64_t end = first + chunk < a.rows ? first + chunk : a.rows;
  a.row += first;
  a.rows = end - first;
  return a;
}

/* Tensor parallel rank that wrote a tensor which all of them hold, at a place: plans are walked as PyTorch walks them, rank
 * by rank. */
static void keepers_of(const shards_case *c, const grid *g, uint32_t *keepers)
{
  uint64_t bytes[64] = {0};
  for (uint64_t rank = 0; rank < g->s.world * g->tp; rank++)
    for (size_t i = 0; i < c->n; i++) {
      area a = area_of(&c->shapes[i], g, rank);
      uint64_t owner = rank, place = rank / g->tp, size = a.rows * a.cols * 2;
      if (cut_of(&c->shapes[i]) == DTC_CUT_WHOLE && rank % g->tp != 0)
        continue;
      for (uint64_t q = 0; cut_of(&c->shapes[i]) == DTC_CUT_WHOLE && q < g->tp; q++)
        owner = bytes[place * g->tp + q] < bytes[owner] ? place * g->tp + q : owner;
      bytes[owner] += size != 0 ? size : 1;
      keepers[i * 64 + place] = (uint32_t)(owner % g->tp);
    }
}

static size_t boxes_of(const shards_case *c, const grid *a, const grid *b, uint64_t rank, dtc_reshard_box *out)
{
  dtc_error e = error();
  uint64_t needed = 0, scratch[65];
  size_t n = 0, again = 0;
  check_ok(dtc_reshard_scratch(&a->s, a->tp, &needed, &e), &e);
  assert_true(needed <= 64);
  scratch[needed] = 4711;
  check_ok(dtc_reshard_boxes(&a->s, a->tp, &b->s, b->tp, c->shapes, c->n, rank, out, 2000, &n, scratch, needed, &e),
           &e);
  assert_int_equal(scratch[needed], 4711);
  dtc_status status =
      dtc_reshard_boxes(&a->s, a->tp, &b->s, b->tp, c->shapes, c->n, rank, NULL, 0, &again, scratch, needed, &e);
  assert_true(again == n && status == (n != 0 ? DTC_E_SPACE : DTC_OK));
  return n;
}

/* A box lies in the source's area and in the target's, at the same elements, and its source is the one that wrote it. */
static void check_box(const shards_case *c, const grid *a, const area *target, const dtc_reshard_box *x,
                      const uint32_t *keepers)
{
  const dtc_shape *shape = &c->shapes[x->tensor];
  area source = area_of(shape, a, x->source);
  assert_true(x->rows != 0 && x->cols != 0);
  assert_true(x->source_row + x->rows <= source.rows && x->source_col + x->cols <= source.cols);
  assert_true(x->target_row + x->rows <= target->rows && x->target_col + x->cols <= target->cols);
  assert_true(source.row + x->source_row == target->row + x->target_row);
  assert_true(source.col + x->source_col == target->col + x->target_col);
  if (cut_of(shape) == DTC_CUT_WHOLE)
    assert_int_equal(x->source % a->tp, keepers[x->tensor * 64 + x->source / a->tp]);
}

/* The boxes of a rank tile its areas: none overlaps another, and the elements add up. */
static void check_boxes(const shards_case *c, const grid *a, const grid *b, uint64_t rank, const uint32_t *keepers,
                        dtc_reshard_sums *sums)
{
  static dtc_reshard_box boxes[2000];
  size_t n = boxes_of(c, a, b, rank, boxes), k = 0;
  for (size_t i = 0; i < c->n; i++) {
    area target = area_of(&c->shapes[i], b, rank);
    uint64_t sum = 0;
    for (size_t first = k; k < n && boxes[k].tensor == i; k++) {
      const dtc_reshard_box *x = &boxes[k];
      check_box(c, a, &target, x, keepers);
      for (size_t j = first; j < k; j++)
        assert_true(
            x->target_row >= boxes[j].target_row + boxes[j].rows || boxes[j].target_row >= x->target_row + x->rows ||
            x->target_col >= boxes[j].target_col + boxes[j].cols || boxes[j].target_col >= x->target_col + x->cols);
      sum += x->rows * x->cols;
      sums->same += x->source == rank ? x->rows * x->cols : 0;
    }
    assert_int_equal(sum, target.rows * target.cols);
    sums->needed += sum;
  }
  assert_int_equal(k, n);
  sums->items += n;
}

static grid random_grid(uint64_t *seed)
{
  static const uint64_t tps[] = {1, 1, 2, 3, 6};
  grid g = {.tp = tps[check_random(seed, 5)]};
  g.s = shards_of(DTC_SHARD_SCHEME_FSDP2, 1 + check_random(seed, 10));
  return g;
}

static void boxes_tile_every_target(void **state)
{
  (void)state;
  uint64_t seed = 14;
  shards_case c = {.scratch = NULL};
  for (int round = 0; round < check_rounds(1000); round++) {
    dtc_error e = error();
    uint64_t scratch[64];
    uint32_t keepers[12 * 64] = {0};
    dtc_reshard_sums sums, counted = {.struct_size = sizeof counted};
    grid a = random_grid(&seed), b = random_grid(&seed);
    DTC_INIT(&sums);
    c.n = check_random(&seed, 12);
    for (size_t i = 0; i < c.n; i++) {
      uint32_t dims = 1 + (uint32_t)check_random(&seed, 3);
      c.shapes[i] = (dtc_shape){6 * check_random(&seed, 9), dims == 1 ? 1 : 6 * check_random(&seed, 9), dims, 0, 0, 0};
      c.shapes[i].cut = dims == 1 ? DTC_CUT_DEFAULT : (dtc_cut)check_random(&seed, 4);
      if (cut_of(&c.shapes[i]) == DTC_CUT_WHOLE)
        c.shapes[i].rows = check_random(&seed, 40);
    }
    keepers_of(&c, &a, keepers);
    for (uint64_t rank = 0; rank < b.s.world * b.tp; rank++)
      check_boxes(&c, &a, &b, rank, keepers, &counted);
    check_ok(dtc_reshard_box_totals(&a.s, a.tp, &b.s, b.tp, c.shapes, c.n, &sums, scratch, 64, &e), &e);
    same_sums(&sums, &counted);
  }
}

static void degrees_that_leave_a_rest_are_refused(void **state)
{
  (void)state;
  dtc_error e = error();
  dtc_reshard_sums sums;
  uint64_t scratch[64], needed = 0;
  const dtc_shape shape = {.rows = 6, .cols = 4};
  dtc_shards s = SCHEME(FSDP2, 2), other = SCHEME(ZERO3, 2);
  DTC_INIT(&sums);
  assert_int_equal(dtc_reshard_box_totals(&s, 4, &s, 1, &shape, 1, &sums, scratch, 64, &e), DTC_E_DIVIDE);
  assert_true(e.got == 4 && e.other == DTC_FIELD(shape, rows) && e.other_got == 6 && e.lower == 2);
  check_ok(dtc_reshard_box_totals(&s, 3, &s, 1, &shape, 1, &sums, scratch, 64, &e), &e);
  assert_true(sums.needed == 24 && sums.items == 6 && sums.same == 4); /* rank 0 finds its first row with itself */
  assert_int_equal(dtc_reshard_box_totals(&s, 3, &s, 1, &shape, 1, &sums, scratch, 5, &e), DTC_E_SPACE);
  assert_true(e.rule == DTC_RULE_SCRATCH && e.min == 6);
  assert_int_equal(dtc_reshard_scratch(&other, 1, &needed, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(dtc_reshard_scratch(&s, (UINT64_C(1) << 31) + 1, &needed, &e), DTC_E_RANGE);
  assert_int_equal(dtc_reshard_box_totals(&s, 1, &s, UINT64_C(1) << 31, &shape, 0, &sums, scratch, 64, &e), DTC_OK);
}

/* Every tensor meets each rank of the target once for each degree: 2^28 steps are the most. */
static void work_without_end_is_refused(void **state)
{
  (void)state;
  dtc_error e = error();
  dtc_reshard_sums sums;
  uint64_t scratch[64];
  const dtc_shape shape = {.rows = 6, .cols = 4}, large = {.rows = 1 << 27, .cols = 1 << 20};
  dtc_shards s = SCHEME(FSDP2, 2), wide = SCHEME(FSDP2, 1 << 28), one = SCHEME(FSDP2, 1);
  DTC_INIT(&sums);
  assert_int_equal(dtc_reshard_box_totals(&s, 2, &wide, 1, &shape, 1, &sums, scratch, 64, &e), DTC_E_RANGE);
  assert_true(e.rule == DTC_RULE_RESHARD_STEPS && e.field == DTC_FIELD(shards, world));
  assert_true(e.got == UINT64_C(3) << 28 && e.max == 1 << 28);
  assert_int_equal(dtc_reshard_box_totals(&one, 1, &one, 1 << 27, &large, 1, &sums, scratch, 64, &e), DTC_E_OVERFLOW);
  assert_true(e.field == DTC_ARG_TARGET_TP && e.got == 1 << 27 && sums.needed == 0);
}

/* ---- bytes and times --------------------------------------------------------------------------------------------- */

static dtc_checkpoint estimate(dtc_shards s, dtc_checkpoint_form form, double bandwidth)
{
  dtc_error e = error();
  dtc_checkpoint c;
  uint64_t needed = 0;
  DTC_INIT(&c);
  pair p = llama(s, s);
  check_ok(dtc_shards_scratch(&s, p.n, &needed, &e), &e);
  uint64_t *scratch = calloc(needed, sizeof *scratch);
  check_ok(dtc_checkpoint_estimate(&s, p.shapes, p.n, p.a, p.n, bandwidth, form, &c, scratch, needed, &e), &e);
  assert_true(c.bytes == c.weights + c.master + c.moments);
  free(scratch);
  pair_free(&p);
  return c;
}

static void universal_checkpoints_are_read_in_whole_tensors(void **state)
{
  (void)state;
  static const struct {
    uint64_t world, most, total; /* millions of elements of a rank, 10^8 bytes of all */
  } rows[] = {{8, 0, 836}, {64, 243, 1100}, {1024, 176, 5630}};
  for (size_t i = 0; i < 3; i++) {
    dtc_checkpoint c = estimate(SCHEME(ZERO12, rows[i].world), DTC_CHECKPOINT_FORM_UNIVERSAL, 0);
    assert_true(rows[i].most == 0 || (c.read / 12 + 500000) / 1000000 == rows[i].most);
    assert_true((c.read_all + 500000000) / 1000000000 == rows[i].total / 10 ||
                (c.read_all + 50000000) / 100000000 == rows[i].total);
    assert_true(c.staging == 12 * UINT64_C(32000) * 4096 && c.files == 4 * 291 + 1);
  }
  dtc_checkpoint c = estimate(SCHEME(ZERO3, 64), DTC_CHECKPOINT_FORM_UNIVERSAL, 0);
  assert_true(c.read == 12 * llama_numel && c.read_all == 64 * c.read && c.weights == 0);
}

static void bytes_of_a_checkpoint_follow_the_layout(void **state)
{
  (void)state;
  dtc_checkpoint c = estimate(SCHEME(ZERO12, 8), DTC_CHECKPOINT_FORM_DEFAULT, 1000000000);
  assert_true(c.form == DTC_CHECKPOINT_FORM_NATIVE && c.bytes == 14 * llama_numel && c.files == 9);
  assert_true(c.rank_bytes == 2 * llama_numel + 12 * llama_numel / 8 && c.staging == 0);
  check_near(c.write_seconds, 14 * (double)llama_numel / 1e9);
  c = estimate(SCHEME(FSDP2, 8), DTC_CHECKPOINT_FORM_DEFAULT, 0);
  assert_true(c.bytes == 6 * llama_numel && c.rank_bytes == 6 * llama_numel / 8 && c.files == 9);
  check_near(c.write_seconds, 0);
  c = estimate(DISTOPT(8, 0), DTC_CHECKPOINT_FORM_DEFAULT, 0);
  assert_true(c.bytes == 14 * llama_numel && c.read == 12 * llama_numel / 8 && c.files == 19 && c.staging == 0);
  c = estimate(DISTOPT(8, 0), DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE, 0);
  assert_true(c.staging == 12 * llama_numel && c.rank_bytes == 2 * llama_numel / 8 + 12 * llama_numel);
}

static void a_bandwidth_is_one(void **state)
{
  (void)state;
  static const double bad[] = {-1, 0.5, 1.1e18, INFINITY, -INFINITY, NAN};
  dtc_shards s = SCHEME(FSDP2, 8);
  dtc_shape shape = {.rows = 64, .cols = 8};
  dtc_slot slot = {0};
  dtc_checkpoint c, before;
  uint64_t scratch[64];
  size_t count = 0;
  dtc_error e = error();
  check_ok(dtc_shards_layout(&s, &shape, 1, &slot, 1, &count, scratch, 64, &e), &e);
  memset(&c, 0xA5, sizeof c);
  c.struct_size = sizeof c;
  before = c;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(dtc_checkpoint_estimate(&s, &shape, 1, &slot, 1, bad[i], 0, &c, scratch, 64, &e), DTC_E_RANGE);
    assert_true(e.field == DTC_ARG_BANDWIDTH && memcmp(&c, &before, sizeof c) == 0);
  }
  check_ok(dtc_checkpoint_estimate(&s, &shape, 1, &slot, 1, 1, 0, &c, scratch, 64, &e), &e);
  check_near(c.write_seconds, 6 * 512);
}

/* Whole tensors that each rank touches, by counting. */
static void touched_tensors_are_counted(void **state)
{
  (void)state;
  uint64_t seed = 15;
  shards_case c = {.scratch = NULL};
  dtc_fragment parts[SHARDS_MOST];
  for (int round = 0; round < 600; round++) {
    dtc_error e = error();
    dtc_checkpoint out;
    uint64_t most = 0, all = 0;
    DTC_INIT(&out);
    shards_random(&c, &seed, 0);
    c.s = shards_of(DTC_SHARD_SCHEME_ZERO12, 1 + check_random(&seed, 60));
    c.s.round_robin = round % 2 ? DTC_BOOL_ON : DTC_BOOL_OFF;
    shards_lay(&c);
    for (uint64_t rank = 0; rank < c.s.world; rank++) {
      uint64_t sum = 0;
      size_t n = shards_parts(&c, rank, parts);
      for (size_t k = 0; k < n; k++)
        sum += parts[k].length != 0 ? shards_numel(&c, parts[k].tensor) : 0;
      most = sum > most ? sum : most;
      all += sum;
    }
    check_ok(dtc_checkpoint_estimate(&c.s, c.shapes, c.n, c.slots, c.n, 0, DTC_CHECKPOINT_FORM_UNIVERSAL, &out,
                                     c.scratch, c.n_scratch, &e),
             &e);
    assert_true(out.read == 12 * most && out.read_all == 12 * all);
  }
  shards_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eight_to_sixteen_keeps_a_sixteenth),
      cmocka_unit_test(deepspeed_files_per_rank_keep_their_world),
      cmocka_unit_test(megatron_buckets_must_be_alike),
      cmocka_unit_test(parts_without_a_tensor_stop_megatron),
      cmocka_unit_test(empty_parts_are_counted),
      cmocka_unit_test(forms_that_a_scheme_has_not_are_refused),
      cmocka_unit_test(a_bandwidth_is_one),
      cmocka_unit_test(any_sharding_reads_any_other),
      cmocka_unit_test(buckets_are_read_once),
      cmocka_unit_test(buckets_that_differ_are_a_conflict),
      cmocka_unit_test(broken_slots_give_a_status),
      cmocka_unit_test(boxes_tile_every_target),
      cmocka_unit_test(degrees_that_leave_a_rest_are_refused),
      cmocka_unit_test(work_without_end_is_refused),
      cmocka_unit_test(universal_checkpoints_are_read_in_whole_tensors),
      cmocka_unit_test(bytes_of_a_checkpoint_follow_the_layout),
      cmocka_unit_test(touched_tensors_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
