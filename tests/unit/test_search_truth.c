/* Searches against trying every plan by hand, through the functions that a search says it agrees with. */
#include "search_check.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { SPACES = 8 }; /* many times slower */
#else
enum { SPACES = 50 };
#endif

enum { ONE_IN = 8 };

typedef struct tried {
  fate fate;
  int legal;
  dtc_plan plan; /* resolved when it is legal */
  dtc_memory memory;
  dtc_found found; /* when it fits */
} tried;

static tried all[SEARCH_MOST_PLANS];
static size_t counts[DTC_SPACE_AXES];
static uint64_t values[DTC_SPACE_AXES][256];
static uint64_t strides[DTC_SPACE_AXES];
static uint64_t shapes[FATES]; /* over all spaces */
static uint64_t legal_same;
static search_result whole, piece;

/* ---- one plan, by hand ----------------------------------------------------------------------- */

static void list_axes(const search_space *s)
{
  uint64_t stride = 1;
  for (uint32_t axis = DTC_SPACE_AXES; axis-- > 0;) {
    counts[axis] = search_axis(s, axis, values[axis]);
    strides[axis] = stride;
    stride *= counts[axis];
  }
  assert_true(stride == search_size(s));
}

static uint64_t digit(uint64_t index, uint32_t axis)
{
  return index / strides[axis] % counts[axis];
}

static uint64_t gpus_of(const dtc_plan *p)
{
  return p->tp * p->cp * p->pp * p->dp;
}

static double value_of(const search_space *s, const dtc_found *f)
{
  switch (s->s.objective) {
  case DTC_OBJECTIVE_GPU_TIME:
    return f->seconds * (double)f->gpus;
  case DTC_OBJECTIVE_MEMORY:
    return (double)f->device;
  default:
    return f->seconds;
  }
}

/* A plan that its framework refuses is illegal, and so is one that leaves GPUs of the axis without work. */
static void resolve(const search_space *s, uint64_t index, tried *t)
{
  dtc_plan p = search_plan(s, index);
  dtc_error e;
  DTC_INIT(&e);
  DTC_INIT(&t->plan);
  t->legal = dtc_plan_resolve(&s->m, &s->c, &p, &t->plan, &e) == DTC_OK &&
             gpus_of(&p) == values[DTC_SPACE_AXIS_GPUS][digit(index, DTC_SPACE_AXIS_GPUS)];
}

/* The fullest stage is one of all stages, counted one by one. */
static void check_stages(const search_space *s, const dtc_plan *p, const dtc_memory *fullest)
{
  static dtc_memory stages[256];
  size_t n = 0;
  uint64_t most = 0;
  for (size_t i = 0; i < 256; i++)
    DTC_INIT(&stages[i]);
  assert_int_equal(dtc_memory_stages(&s->m, &s->c, p, NULL, 0, stages, 256, &n, NULL), DTC_OK);
  for (size_t i = 0; i < n; i++)
    most = stages[i].device > most ? stages[i].device : most;
  assert_true(fullest->device == most && stages[fullest->stage].device == most);
}

static fate weigh(const search_space *s, uint64_t index, tried *t)
{
  dtc_plan p = search_plan(s, index);
  dtc_step step;
  DTC_INIT(&t->memory);
  DTC_INIT(&step);
  t->found = (dtc_found){.index = index};
  if (!t->legal)
    return ILLEGAL;
  if (dtc_memory_estimate(&s->m, &s->c, &p, NULL, 0, &t->memory, NULL) != DTC_OK) {
    t->memory.device = 0;
    return UNKNOWN;
  }
  check_stages(s, &p, &t->memory);
  uint64_t device = s->s.surely == DTC_BOOL_ON ? t->memory.device_high : t->memory.device;
  if (device + s->s.reserve > t->memory.capacity)
    return OVER;
  if (dtc_step_estimate(&s->m, &s->c, &p, NULL, 0, NULL, &step, NULL) != DTC_OK)
    return UNKNOWN;
  t->found.seconds = step.seconds;
  t->found.device = t->memory.device;
  t->found.gpus = step.gpus;
  t->found.value = value_of(s, &t->found);
  return FIT;
}

static fate fate_of(const dtc_search *out)
{
  uint64_t numbers[FATES] = {0};
  search_fates(out, numbers);
  assert_true(out->tried == 1);
  for (fate f = SAME; f < FATES; f++)
    if (numbers[f] == 1)
      return f;
  fail_msg("a plan without a fate");
  return FATES;
}

/* ---- an index that is the same as another -------------------------------------------------------------- */

static const dtc_space_axis idle[] = {DTC_SPACE_AXIS_SEQUENCE_PARALLEL, DTC_SPACE_AXIS_RECOMPUTE_LAYERS,
                                      DTC_SPACE_AXIS_LAYERS, DTC_SPACE_AXIS_SCHEDULE, DTC_SPACE_AXIS_DP_SHARD};
enum { IDLE = sizeof idle / sizeof idle[0] };

/* A resolved plan without what has no effect. */
static dtc_plan effective(const dtc_plan *resolved)
{
  dtc_plan p = *resolved;
  p.sequence_parallel = p.tp == 1 ? DTC_BOOL_OFF : p.sequence_parallel;
  p.schedule = p.pp == 1 ? DTC_SCHEDULE_1F1B : p.schedule;
  p.dp_shard = p.sharding == DTC_SHARDING_DDP ? 1 : p.dp_shard;
  if (p.recompute != DTC_RECOMPUTE_FULL) {
    p.recompute_layers = 0;
    p.recompute_method = DTC_RECOMPUTE_METHOD_DEFAULT;
  }
  return p;
}

/* The same plan, with the same memory and time to the bit; a schedule without a closed form has none, and without stages is
 * none. */
static int alike(const search_space *s, uint64_t a, uint64_t b)
{
  tried other = all[b];
  tried one = all[a];
  dtc_plan p = effective(&one.plan);
  dtc_plan q = effective(&other.plan);
  if (memcmp(&p, &q, sizeof p) != 0)
    return 0;
  fate f = weigh(s, a, &one);
  one.found.index = b;
  if (f == UNKNOWN)
    return other.fate == UNKNOWN || p.pp == 1;
  return f == other.fate && memcmp(&one.memory, &other.memory, sizeof one.memory) == 0 &&
         memcmp(&one.found, &other.found, sizeof one.found) == 0;
}

/* Some index that differs in axes without effect alone is tried in its place. */
static int has_twin(const search_space *s, uint64_t index)
{
  uint64_t base = index;
  uint64_t n = 1;
  for (uint32_t i = 0; i < IDLE; i++) {
    base -= digit(index, idle[i]) * strides[idle[i]];
    n *= counts[idle[i]];
  }
  for (uint64_t k = 0; k < n; k++) {
    uint64_t twin = base;
    uint64_t rest = k;
    for (uint32_t i = 0; i < IDLE; i++) {
      twin += rest % counts[idle[i]] * strides[idle[i]];
      rest /= counts[idle[i]];
    }
    if (all[twin].fate != SAME && all[twin].legal && alike(s, index, twin))
      return 1;
  }
  return 0;
}

/* ---- a space, by hand ------------------------------------------------------------------------ */

static const char *text_of(const search_space *s, uint64_t index)
{
  static char line[512];
  size_t len = 0;
  dtc_plan p = search_plan(s, index);
  return dtc_plan_format(NULL, &p, line, sizeof line, &len, NULL) == DTC_OK ? line : "?";
}

/* Every legal plan on its own, and some of the others; what those are that no call tells apart is checked by their sum. */
static void check_fate(const search_space *s, uint64_t index)
{
  tried *t = &all[index];
  resolve(s, index, t);
  fate expected = weigh(s, index, t);
  t->fate = expected;
  if (!t->legal && index % ONE_IN != 0)
    return;
  search_run(s, index, 1, &piece);
  t->fate = fate_of(&piece.out);
  if (t->fate != expected && t->fate != SAME)
    fail_msg("index %lu, %s: %d, not %d", (unsigned long)index, text_of(s, index), t->fate, expected);
  assert_true(piece.count == (t->fate == FIT));
  if (t->fate == FIT)
    assert_memory_equal(&piece.best[0], &t->found, sizeof t->found);
}

static int worse(const dtc_found *a, const dtc_found *b)
{
  return a->value > b->value || (a->value == b->value && a->index > b->index);
}

/* The best, by insertion. */
static size_t best_of(uint64_t size, uint64_t keep, dtc_found *best)
{
  size_t n = 0;
  for (uint64_t i = 0; i < size; i++) {
    if (all[i].fate != FIT)
      continue;
    size_t at = n;
    for (; at > 0 && worse(&best[at - 1], &all[i].found); at--)
      best[at] = best[at - 1];
    best[at] = all[i].found;
    n++;
  }
  return n < keep ? n : keep;
}

static void check_counts(uint64_t first, uint64_t number, const dtc_search *out)
{
  uint64_t n[FATES] = {0};
  uint64_t least = 0;
  uint64_t at = 0;
  for (uint64_t i = first; i < first + number; i++) {
    uint64_t device = all[i].legal && all[i].fate != SAME ? all[i].memory.device : 0;
    n[all[i].fate]++;
    if (device != 0 && (least == 0 || device < least)) {
      least = device;
      at = i;
    }
  }
  assert_true(out->tried == number && out->same + out->illegal == n[SAME] + n[ILLEGAL] && out->same >= n[SAME]);
  assert_true(out->unknown == n[UNKNOWN] && out->over == n[OVER] && out->fit == n[FIT] && out->pruned <= out->fit);
  assert_true(out->least == least && out->least_index == at);
  assert_true(out->limit == (least != 0 ? all[at].memory.largest : DTC_MEMORY_ITEM_NONE));
}

static void check_best(const search_space *s, uint64_t size)
{
  static dtc_found expected[SEARCH_MOST_PLANS];
  uint64_t keep = s->s.keep != 0 ? s->s.keep : 10;
  size_t n = best_of(size, keep, expected);
  search_run(s, 0, size, &whole);
  check_counts(0, size, &whole.out);
  assert_int_equal(whole.count, n);
  for (size_t i = 0; i < n; i++)
    assert_memory_equal(&whole.best[i], &expected[i], sizeof expected[i]);
}

static void check_same(const search_space *s, uint64_t size)
{
  for (uint64_t i = 0; i < size; i++) {
    shapes[all[i].fate]++;
    if (all[i].fate != SAME || !all[i].legal)
      continue;
    legal_same++;
    if (!has_twin(s, i))
      fail_msg("index %lu, %s: called the same, but no other index is", (unsigned long)i, text_of(s, i));
  }
}

static void check_space(const search_space *s, uint64_t size)
{
  list_axes(s);
  for (uint64_t k = 0; k < size; k++)
    check_fate(s, k);
  check_best(s, size);
  check_same(s, size);
}

static void a_search_is_trying_every_plan(void **state)
{
  (void)state;
  uint64_t frameworks[DTC_FRAMEWORK_SCALING + 1] = {0};
  seed = 20261201;
  for (int i = 0; i < SPACES; i++) {
    uint64_t size = 0;
    search_space s = search_random(&size);
    check_space(&s, size);
    frameworks[search_plan(&s, 0).framework]++;
  }
  if (SPACES < 50)
    return;
  for (dtc_framework f = DTC_FRAMEWORK_PYTORCH; f <= DTC_FRAMEWORK_SCALING; f++)
    assert_true(frameworks[f] > 0);
  for (fate f = SAME; f < FATES; f++)
    assert_true(shapes[f] > 100);
  assert_true(legal_same > 100);
}

/* Experts of 14,336 = 2^11 * 7 values in three parts; what a draw seldom meets. */
static void experts_on_three_nodes(void **state)
{
  (void)state;
  search_space s = search_of("mixtral-8x7b", 3, 48);
  s.s.tp_most = 4;
  s.s.ep_most = 2;
  s.s.cp_most = s.s.pp_most = s.s.vpp_most = s.s.micro_batch_most = 1;
  s.p.account_loss = DTC_BOOL_OFF;
  s.s.keep = 400;
  uint64_t size = search_size(&s);
  assert_int_equal(size, 4 * 2 * 4 * 2 * 3 * 2 * 2);
  check_space(&s, size);
  for (size_t i = 0; i < whole.count; i++)
    assert_true(search_plan(&s, whole.best[i].index).etp != 3);
}

/* Layers' times are kept from plan to plan: how many are recomputed follows from the length of a chunk. */
static void fewer_layers_recomputed(void **state)
{
  (void)state;
  search_space s = search_of("llama-3.2-1b", 2, 32);
  s.p.recompute = DTC_RECOMPUTE_FULL;
  s.p.account_loss = DTC_BOOL_OFF;
  s.p.tp = 2;
  s.p.micro_batch = 1;
  s.s.recompute_layers = DTC_BOOL_ON;
  s.s.cp_most = 1;
  s.s.keep = 400;
  uint64_t size = search_size(&s);
  assert_in_range(size, 100, SEARCH_MOST_PLANS);
  check_space(&s, size);
  assert_true(whole.out.fit > 50);
}

/* And DualPipe hides messages that others do not. */
static void schedules_that_hide_messages(void **state)
{
  (void)state;
  uint64_t fit[DTC_SCHEDULE_ZB_H2 + 1] = {0};
  search_space s = search_of("qwen3-30b-a3b", 2, 64);
  s.p.framework = DTC_FRAMEWORK_TORCHTITAN;
  s.p.tp = s.p.cp = s.p.micro_batch = 1;
  s.p.vpp = 2;
  s.s.ep_most = 8;
  s.s.schedules = 1 << DTC_SCHEDULE_INTERLEAVED | 1 << DTC_SCHEDULE_DUALPIPE_V;
  s.s.keep = 400;
  uint64_t size = search_size(&s);
  assert_in_range(size, 100, SEARCH_MOST_PLANS);
  check_space(&s, size);
  for (size_t i = 0; i < whole.count; i++)
    fit[search_plan(&s, whole.best[i].index).schedule]++;
  assert_true(fit[DTC_SCHEDULE_INTERLEAVED] > 10 && fit[DTC_SCHEDULE_DUALPIPE_V] > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_search_is_trying_every_plan),
      cmocka_unit_test(experts_on_three_nodes),
      cmocka_unit_test(fewer_layers_recomputed),
      cmocka_unit_test(schedules_that_hide_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
