/* One iteration of ZeRO-3: by hand, and held against a replay that looks everything up in whole lists. */
#include "check.h"

enum { TENSORS = 12, CALLS = 60, USES = 400 };

typedef struct traced {
  dtc_shards s;
  dtc_tracing k;
  dtc_shape shapes[TENSORS];
  size_t n;
  dtc_module modules[CALLS];
  size_t calls;
  uint64_t scratch[17 * TENSORS];
  dtc_error e;
} traced;

static void set(traced *x, uint64_t world, const uint64_t *numels, size_t n)
{
  memset(x, 0, sizeof *x);
  DTC_INIT(&x->s);
  DTC_INIT(&x->k);
  DTC_INIT(&x->e);
  x->s.scheme = DTC_SHARD_SCHEME_ZERO3;
  x->s.world = world;
  x->s.persistence = DTC_NONE;
  x->n = n;
  for (size_t i = 0; i < n; i++)
    x->shapes[i] = (dtc_shape){.rows = numels[i], .cols = 1};
}

static void call(traced *x, uint32_t first, uint32_t tensors)
{
  x->modules[x->calls++] = (dtc_module){first, tensors};
}

static dtc_trace run(traced *x)
{
  dtc_trace t;
  uint64_t needed = 0;
  DTC_INIT(&t);
  check_ok(dtc_shards_scratch(&x->s, x->n, &needed, &x->e), &x->e);
  assert_true(needed <= sizeof x->scratch / sizeof x->scratch[0]);
  check_ok(dtc_shards_trace(&x->s, x->shapes, x->n, x->modules, x->calls, &x->k, &t, x->scratch, needed, &x->e), &x->e);
  return t;
}

/* Three modules with one tensor each, forward and backward. */
static void set_three(traced *x)
{
  set(x, 4, (const uint64_t[]){10, 20, 30}, 3);
  for (uint32_t i = 0; i < 3; i++)
    call(x, i, 1);
  for (uint32_t i = 3; i-- > 0;)
    call(x, i, 1);
}

/* ---- by hand ------------------------------------------------------------------------------------------------------ */

static void the_first_iteration_releases_everything(void **state)
{
  (void)state;
  static traced x;
  set_three(&x);
  x.s.persistence = 10;
  x.k.first_step = DTC_BOOL_ON;
  dtc_trace t = run(&x);
  assert_true(t.gathered_forward == 60 && t.gathered_backward == 60 && t.gathered_step == 10);
  assert_true(t.calls_forward == 3 && t.calls_backward == 3 && t.largest_call == 30);
  assert_true(t.peak_live == 30 && t.peak_buffers == 32 && t.live_at_step == 0);
}

static void what_is_used_again_soon_stays(void **state)
{
  (void)state;
  static traced x;
  set_three(&x);
  dtc_trace t = run(&x); /* the first call fetches 10, then 20 and 30 are prefetched together */
  assert_true(t.calls_forward == 2 && t.gathered_forward == 60 && t.calls_backward == 0 && t.largest_call == 50);
  assert_true(t.peak_live == 60 && t.peak_buffers == 12 + 52 + 50 && t.live_at_step == 0);
  x.k.max_reuse = DTC_NONE;
  x.k.prefetch = DTC_NONE;
  t = run(&x); /* nothing is kept but what nothing lies before: each call fetches */
  assert_true(t.calls_forward == 3 && t.calls_backward == 3 && t.peak_live == 30);
}

static void the_limit_is_overshot_by_one_tensor(void **state)
{
  (void)state;
  static traced x;
  set_three(&x);
  x.k.prefetch = 1;
  x.k.max_reuse = DTC_NONE;
  dtc_trace t = run(&x);
  /* The last call of forward fetches 20 once more; 30 is released, although the next call uses it. */
  assert_true(t.gathered_forward == 80 && t.calls_forward == 4);
  assert_true(t.gathered_backward == 40 && t.calls_backward == 2);
  assert_true(t.largest_call == 30 && t.peak_live == 60);
  x.k.max_live = 10; /* the tensor of the first call fills it */
  t = run(&x);
  assert_true(t.peak_live == 30);
}

static void a_module_without_tensors_is_a_step(void **state)
{
  (void)state;
  static traced x;
  set(&x, 4, (const uint64_t[]){10, 20, 30}, 3);
  call(&x, 0, 0);
  for (uint32_t i = 0; i < 3; i++)
    call(&x, i, 1);
  x.k.backward = 4;
  dtc_trace t = run(&x);
  assert_true(t.calls_forward == 1 && t.largest_call == 60 && t.calls_backward == 0);
}

static void persistent_tensors_are_there_from_the_second_iteration(void **state)
{
  (void)state;
  static traced x;
  set_three(&x);
  x.s.persistence = 20;
  dtc_trace t = run(&x);
  assert_true(t.gathered_step == 30 && t.gathered_forward == 30 && t.live_at_step == 30);
  assert_true(t.peak_live == 60 && t.peak_buffers == 12 + 20 + 32);
}

/* ---- refusals ----------------------------------------------------------------------------------------------------- */

static dtc_status refused(traced *x, size_t n_scratch)
{
  dtc_trace t;
  DTC_INIT(&t);
  return dtc_shards_trace(&x->s, x->shapes, x->n, x->modules, x->calls, &x->k, &t, x->scratch, n_scratch, &x->e);
}

static void what_is_refused(void **state)
{
  (void)state;
  static traced x;
  set_three(&x);
  assert_int_equal(refused(&x, 1), DTC_E_SPACE);
  assert_int_equal(x.e.field, DTC_ARG_SCRATCH);
  x.modules[4].tensors = 3;
  assert_int_equal(refused(&x, 16 * TENSORS), DTC_E_RANGE);
  assert_true(x.e.field == DTC_FIELD(module, tensors) && x.e.max == 2);
  x.modules[4].first = 4;
  assert_int_equal(refused(&x, 16 * TENSORS), DTC_E_RANGE);
  assert_int_equal(x.e.field, DTC_FIELD(module, first));
  set_three(&x);
  dtc_trace t;
  DTC_INIT(&t);
  assert_int_equal(dtc_shards_trace(&x.s, x.shapes, x.n, NULL, 1, &x.k, &t, x.scratch, sizeof x.scratch / 8, &x.e),
                   DTC_E_RANGE);
  assert_true(x.e.field == DTC_ARG_MODULES && x.e.got == 1 && x.e.max == 0);
  assert_int_equal(
      dtc_shards_trace(&x.s, x.shapes, x.n, x.modules, (1 << 24) + 1, &x.k, &t, x.scratch, sizeof x.scratch / 8, &x.e),
      DTC_E_RANGE);
  assert_true(x.e.field == DTC_ARG_MODULES && x.e.max == 1 << 24);
  x.k.backward = 7;
  assert_int_equal(refused(&x, 16 * TENSORS), DTC_E_RANGE);
  assert_int_equal(x.e.field, DTC_FIELD(tracing, backward));
  set_three(&x);
  x.s.scheme = DTC_SHARD_SCHEME_BF16;
  x.s.persistence = 0;
  assert_int_equal(refused(&x, 16 * TENSORS), DTC_E_UNSUPPORTED);
  set_three(&x);
  for (int i = 0; i < 3; i++)
    x.shapes[i] = (dtc_shape){.rows = UINT64_C(1) << 40, .cols = 1 << 14};
  x.calls = 0;
  while (x.calls < CALLS)
    call(&x, 0, 3);
  assert_int_equal(refused(&x, 16 * TENSORS), DTC_E_OVERFLOW);
}

/* ---- replay ------------------------------------------------------------------------------------------------------- */

/* What happened to a tensor: gathers are kept in a list for ever, and everything is counted anew after each event. */
typedef struct replay {
  const traced *x;
  int whole[TENSORS];   /* arrived */
  int flying[TENSORS];  /* asked for */
  int waiting[TENSORS]; /* the gather that it was not waited for, from 1 */
  int copied[TENSORS];
  long recent[TENSORS];
  int gathers;
  uint64_t flat[USES]; /* buffer of a gather of several */
  int members[USES];
  struct {
    uint32_t tensor;
    long call;
  } queue[USES];
  size_t queued, taken;
  dtc_trace t;
} replay;

static uint64_t numel_of(const replay *r, size_t i)
{
  return r->x->shapes[i].rows;
}

static uint64_t padded(const replay *r, size_t i)
{
  return (numel_of(r, i) + r->x->s.world - 1) / r->x->s.world * r->x->s.world;
}

static int is_persistent(const replay *r, size_t i)
{
  return r->x->s.persistence == DTC_NONE ? numel_of(r, i) == 0 : numel_of(r, i) <= r->x->s.persistence;
}

static void measure(replay *r)
{
  uint64_t live = 0, buffers = 0;
  for (size_t i = 0; i < r->x->n; i++) {
    live += r->whole[i] || r->flying[i] ? numel_of(r, i) : 0;
    buffers += r->whole[i] ? r->copied[i] ? numel_of(r, i) : padded(r, i) : 0;
  }
  for (int g = 1; g <= r->gathers; g++) {
    int waited = 1, flying = 0;
    for (size_t i = 0; i < r->x->n; i++) {
      waited &= r->waiting[i] != g;
      flying |= r->waiting[i] == g && r->flying[i];
    }
    buffers += flying || (!waited && r->members[g] > 1) ? r->flat[g] : 0;
  }
  r->t.live_at_step = live;
  r->t.peak_live = live > r->t.peak_live ? live : r->t.peak_live;
  r->t.peak_buffers = buffers > r->t.peak_buffers ? buffers : r->t.peak_buffers;
}

static void gather(replay *r, const uint32_t *list, size_t n, int backward)
{
  uint64_t numel = 0;
  if (n == 0)
    return;
  r->gathers++;
  r->flat[r->gathers] = 0;
  r->members[r->gathers] = (int)n;
  for (size_t k = 0; k < n; k++) {
    r->flying[list[k]] = 1;
    r->waiting[list[k]] = r->gathers;
    r->copied[list[k]] = n > 1;
    r->flat[r->gathers] += padded(r, list[k]);
    numel += numel_of(r, list[k]);
  }
  *(backward ? &r->t.gathered_backward : &r->t.gathered_forward) += numel;
  *(backward ? &r->t.calls_backward : &r->t.calls_forward) += 1;
  r->t.largest_call = numel > r->t.largest_call ? numel : r->t.largest_call;
  measure(r);
}

static void wait_for(replay *r, size_t i)
{
  int g = r->waiting[i];
  if (g == 0)
    return;
  if (r->flying[i]) {
    for (size_t k = 0; k < r->x->n; k++)
      if (r->waiting[k] == g) {
        r->flying[k] = 0;
        r->whole[k] = 1;
      }
    measure(r);
  }
  r->waiting[i] = 0;
  measure(r);
}

static int is_used(const replay *r, size_t c, size_t i)
{
  return i >= r->x->modules[c].first && i < r->x->modules[c].first + r->x->modules[c].tensors;
}

static void look_ahead(replay *r, size_t c, int backward)
{
  uint32_t list[TENSORS];
  size_t n = 0;
  uint64_t live = 0, numel = 0;
  uint64_t limit = r->x->k.prefetch == DTC_NONE ? 0 : r->x->k.prefetch;
  int wanted = 0;
  for (size_t i = 0; i < r->x->n; i++) {
    wanted += is_used(r, c, i) && r->recent[i] < (long)c;
    live += (r->whole[i] || r->flying[i]) && !is_persistent(r, i) ? numel_of(r, i) : 0;
  }
  for (; wanted > 0; wanted--, r->taken++)
    r->recent[r->queue[r->taken].tensor] = r->queue[r->taken].call;
  if (r->x->k.max_live <= live)
    limit = 0;
  else if (r->x->k.max_live - live < limit)
    limit = r->x->k.max_live - live;
  for (; r->taken < r->queued && numel < limit; r->taken++) {
    uint32_t i = r->queue[r->taken].tensor;
    int seen = r->whole[i] || r->flying[i];
    for (size_t k = 0; k < n; k++)
      seen |= list[k] == i;
    r->recent[i] = r->queue[r->taken].call;
    if (!seen) {
      list[n++] = i;
      numel += numel_of(r, i);
    }
  }
  gather(r, list, n, backward);
}

static int is_released(const replay *r, size_t c, size_t i)
{
  uint64_t reuse = r->x->k.max_reuse == DTC_NONE ? 0 : r->x->k.max_reuse, walked = 0;
  if (r->x->k.first_step == DTC_BOOL_ON)
    return 1;
  if (is_persistent(r, i) || r->recent[i] > (long)c + 1)
    return 0;
  for (size_t next = c + 1; next < r->x->calls && walked < reuse; next++) {
    if (is_used(r, next, i))
      return 0;
    for (size_t k = 0; k < r->x->n; k++)
      walked += is_used(r, next, k) ? numel_of(r, k) : 0;
  }
  return 1;
}

static void replay_call(replay *r, size_t c)
{
  uint32_t list[TENSORS];
  size_t n = 0, tensors = r->x->n;
  int backward = c >= r->x->k.backward;
  for (uint32_t i = 0; i < tensors; i++)
    if (is_used(r, c, i) && !r->whole[i] && !r->flying[i])
      list[n++] = i;
  gather(r, list, n, backward);
  for (size_t i = 0; i < tensors; i++)
    if (is_used(r, c, i))
      wait_for(r, i);
  if (r->x->k.first_step != DTC_BOOL_ON)
    look_ahead(r, c, backward);
  for (size_t i = 0; i < tensors; i++)
    if (is_used(r, c, i) && is_released(r, c, i))
      r->whole[i] = 0;
  measure(r);
}

static dtc_trace replayed(const traced *x)
{
  static replay r;
  memset(&r, 0, sizeof r);
  r.x = x;
  for (size_t c = 0; c < x->calls; c++)
    for (uint32_t i = 0; i < x->modules[c].tensors; i++) {
      r.queue[r.queued].tensor = x->modules[c].first + i;
      r.queue[r.queued++].call = (long)c;
    }
  for (size_t i = 0; i < x->n; i++) {
    r.recent[i] = -1;
    r.t.gathered_step += is_persistent(&r, i) ? numel_of(&r, i) : 0;
    r.whole[i] = is_persistent(&r, i) && x->k.first_step != DTC_BOOL_ON;
  }
  measure(&r);
  for (size_t c = 0; c < x->calls; c++)
    replay_call(&r, c);
  r.t.struct_size = sizeof r.t;
  return r.t;
}

/* Modules of up to three tensors, of none, and used again at any time. */
static void set_random(traced *x, uint64_t *seed)
{
  static const uint64_t sizes[] = {1, 40, 100, 300, DTC_NONE};
  uint64_t numels[TENSORS];
  size_t n = 1 + check_random(seed, TENSORS);
  for (size_t i = 0; i < n; i++)
    numels[i] = check_random(seed, 8) == 0 ? 0 : check_random(seed, 90);
  set(x, 1 + check_random(seed, 9), numels, n);
  for (size_t calls = 1 + check_random(seed, CALLS); calls > 0; calls--) {
    uint32_t first = (uint32_t)check_random(seed, n);
    uint32_t most = (uint32_t)(n - first < 3 ? n - first : 3);
    call(x, first, (uint32_t)check_random(seed, most + 1));
  }
  x->s.persistence = check_random(seed, 3) == 0 ? 1 + check_random(seed, 30) : DTC_NONE;
  x->k.first_step = check_random(seed, 6) == 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
  x->k.prefetch = sizes[check_random(seed, 5)];
  x->k.max_live = sizes[check_random(seed, 5)];
  x->k.max_reuse = sizes[check_random(seed, 5)];
  x->k.backward = 1 + check_random(seed, x->calls);
}

static void traces_are_those_of_the_replay(void **state)
{
  (void)state;
  static traced x;
  uint64_t seed = 8;
  for (int round = 0; round < 5000; round++) {
    set_random(&x, &seed);
    dtc_trace got = run(&x), expected = replayed(&x);
    assert_memory_equal(&got, &expected, sizeof got);
  }
}

/* Forward and its mirror, as without checkpointing: half of the calls is the default. */
static void backward_is_half_of_the_calls(void **state)
{
  (void)state;
  static traced x;
  set_three(&x);
  dtc_trace by_default = run(&x);
  x.k.backward = 3;
  dtc_trace said = run(&x);
  assert_memory_equal(&by_default, &said, sizeof said);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_iteration_releases_everything),
      cmocka_unit_test(what_is_used_again_soon_stays),
      cmocka_unit_test(the_limit_is_overshot_by_one_tensor),
      cmocka_unit_test(a_module_without_tensors_is_a_step),
      cmocka_unit_test(persistent_tensors_are_there_from_the_second_iteration),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(traces_are_those_of_the_replay),
      cmocka_unit_test(backward_is_half_of_the_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
