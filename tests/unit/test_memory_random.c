/* Memory of plans that nobody would write: whatever a field may hold, the answer is one or an error. */
#include "check_plan.h"

#include <dtcore/memory.h>
#include "internal/catalog.h"

#define ROUNDS (uint64_t) check_rounds(12000)
enum { PLANS = 12000 }; /* as many as it takes until every value of every field was in one, whatever the build */
enum { STAGES = 64, TERMS = 128, FIELDS = 256, ITEMS = DTC_MEMORY_ITEM_WORKSPACE };

typedef struct drawn {
  const char *name;
  dtc_model m;
  dtc_cluster c;
  const dtc_cluster *where;
  dtc_plan p;
} drawn;

/* A plan of any kind, mostly one that is legal: small powers of two as degrees, most other fields left alone. */
static void draw(drawn *d)
{
  dtc_plan *p = &d->p;
  d->p = check_plan();
  d->name = dtc_model_name(roll(dtc_model_count()));
  d->m = check_named(d->name);
  d->c = nodes(0);
  d->c.usable = DTCI_GIB(79);
  d->c.compute = roll(2) ? 90 : 80;
  d->where = roll(2) ? &d->c : NULL;
  random_fields(p, 6 + roll(24), (uint64_t)1 << 30);
  p->framework = random_value(P(framework));
  p->sharding = random_value(P(sharding));
  uint64_t *degrees[] = {&p->tp, &p->cp, &p->pp, &p->ep, &p->vpp, &p->etp};
  for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
    *degrees[i] = roll(i < 4 ? 3 : 8) == 0 ? (uint64_t)1 << roll(4) : 0;
  p->dp = roll(3) ? (uint64_t)1 << roll(6) : 0;
  p->dp_shard = roll(8) ? 0 : (uint64_t)1 << roll(4);
  p->micro_batch = roll(3) ? 0 : 1 + roll(4);
  p->global_batch = roll(6) ? 0 : (uint64_t)1 << roll(10);
  p->accumulation = roll(3) ? 0 : (uint64_t)1 << roll(5);
  p->seq = roll(3) ? 0 : (uint64_t)512 << roll(6);
  p->first_layers = p->last_layers = p->group = 0;
  p->moe_overlap = p->ep > 1 && roll(2) ? random_value(P(moe_overlap)) : p->moe_overlap;
  p->schedule = roll(4) ? DTC_SCHEDULE_DEFAULT : random_value(P(schedule));
  if (p->schedule > DTC_SCHEDULE_INTERLEAVED) { /* of several chunks */
    p->vpp = 2 * roll(2);
    p->pp = 2 + 2 * roll(2);
    p->accumulation = 4 * p->pp;
  }
}

static void say(const drawn *d)
{
  char text[2048];
  dtc_status s = dtc_plan_format(d->name, &d->p, text, sizeof text, NULL, NULL);
  print_message("           %s%s\n", s == DTC_OK ? text : d->name, d->where != NULL ? "; on a cluster" : "");
}

#define HOLDS(d, what)                                                                                                 \
  do {                                                                                                                 \
    if (!(what)) {                                                                                                     \
      say(d);                                                                                                          \
      fail_msg("%s", #what);                                                                                           \
    }                                                                                                                  \
  } while (0)

static const uint64_t *items_of(const dtc_memory *m)
{
  return &m->weights;
}

static void check_stage(const drawn *d, const dtc_plan *full, const dtc_memory *m)
{
  uint64_t sum = 0;
  uint64_t exact = 0;
  for (uint32_t i = 0; i < ITEMS; i++) {
    sum += items_of(m)[i];
    exact += m->exact >> (i + 1) & 1 ? items_of(m)[i] : 0;
    HOLDS(d, items_of(m)[i] < (uint64_t)1 << 60 && items_of(m)[i] <= items_of(m)[m->largest - 1]);
  }
  HOLDS(d, sum == m->allocated && m->allocated != 0 && m->allocated < (uint64_t)1 << 60);
  HOLDS(d, exact <= m->allocated_low && m->allocated_low <= m->allocated && m->allocated <= m->allocated_high);
  HOLDS(d, m->reserved_low <= m->reserved && m->reserved <= m->reserved_high && m->allocated <= m->reserved);
  HOLDS(d, m->device_low <= m->device && m->device <= m->device_high && m->reserved < m->device);
  HOLDS(d, m->allocated_low <= m->reserved_low && m->reserved_low <= m->device_low);
  HOLDS(d, m->steady <= m->allocated && m->params != 0 && m->in_flight != 0);
  HOLDS(d, (m->steady != 0 && m->weights != 0) || full->offload > DTC_OFFLOAD_OPTIMIZER);
  int moved = full->offload != DTC_OFFLOAD_DEFAULT || full->offload_activations == DTC_BOOL_ON;
  HOLDS(d, m->host == 0 ? full->offload == DTC_OFFLOAD_DEFAULT : moved); /* a stage without layers saves nothing */
  HOLDS(d, (m->nvme != 0) == (full->offload == DTC_OFFLOAD_NVME));
  HOLDS(d, m->host < (uint64_t)1 << 60 && m->nvme < (uint64_t)1 << 60);
  HOLDS(d, m->host <= m->host_node && m->host <= m->host_high && m->host_node <= m->host_node_high);
}

/* The terms of every moment add up to it, item by item; the peak is the largest. */
static void check_moments(const drawn *d, uint64_t stage, const dtc_memory *m)
{
  dtc_memory_held held[DTC_MOMENT_REST] = {{.struct_size = sizeof *held}};
  dtc_memory_term terms[TERMS];
  size_t n = 0;
  size_t count = 0;
  uint64_t peak = 0;
  assert_int_equal(dtc_memory_moments(&d->m, d->where, &d->p, stage, NULL, 0, held, DTC_MOMENT_REST, &n, NULL), DTC_OK);
  assert_int_equal(dtc_memory_terms(&d->m, d->where, &d->p, stage, NULL, 0, terms, TERMS, &count, NULL), DTC_OK);
  for (size_t k = 0; k < n; k++) {
    uint64_t sums[ITEMS] = {0};
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
      if (terms[i].moments >> held[k].moment & 1) {
        sums[terms[i].item - 1] += terms[i].bytes;
        all += terms[i].bytes;
      }
    HOLDS(d, memcmp(sums, &held[k].weights, sizeof sums) == 0 && all == held[k].allocated);
    peak = all > peak ? all : peak;
    if (held[k].moment == m->moment)
      HOLDS(d, memcmp(sums, &m->weights, sizeof sums) == 0);
    if (held[k].moment == DTC_MOMENT_REST)
      HOLDS(d, all == m->steady);
  }
  HOLDS(d, peak == m->allocated);
}

/* The resolved plan needs the same. */
static void check_resolved(const drawn *d, const dtc_plan *full, const dtc_memory *worst)
{
  dtc_memory again;
  dtc_plan twice = check_plan();
  DTC_INIT(&again);
  HOLDS(d, dtc_plan_resolve(&d->m, d->where, full, &twice, NULL) == DTC_OK);
  HOLDS(d, memcmp(full, &twice, sizeof twice) == 0);
  HOLDS(d, dtc_memory_estimate(&d->m, d->where, full, NULL, 0, &again, NULL) == DTC_OK);
  HOLDS(d, memcmp(worst, &again, sizeof again) == 0);
}

/* A larger micro-batch never takes less. What the allocator holds may be less: it reuses larger blocks. */
static void check_larger(const drawn *d, const dtc_plan *full, const dtc_memory *worst)
{
  dtc_memory more;
  dtc_plan p = *full;
  DTC_INIT(&more);
  p.micro_batch *= 2;
  p.global_batch *= 2;
  if (dtc_memory_estimate(&d->m, d->where, &p, NULL, 0, &more, NULL) == DTC_OK)
    HOLDS(d, more.allocated >= worst->allocated);
}

/* What only time depends on takes no memory, and what is scaled to 4 bits as much as what is scaled to 8. Of machines that
 * have no such products nothing is said. */
static void check_time(const drawn *d, const dtc_plan *full, const dtc_memory *worst)
{
  dtc_memory other;
  dtc_plan p = *full;
  size_t first = offsetof(dtc_plan, flash_version);
  memset((unsigned char *)&p + first, 0, sizeof p - first);
  int scaled = p.precision == DTC_PRECISION_FP8 || p.precision == DTC_PRECISION_FP4;
  if (scaled)
    p.precision = DTC_PRECISION_FP8 + DTC_PRECISION_FP4 - p.precision;
  DTC_INIT(&other);
  dtc_status s = dtc_memory_estimate(&d->m, d->where, &p, NULL, 0, &other, NULL);
  HOLDS(d, s == DTC_OK || (scaled && d->where != NULL));
  HOLDS(d, s != DTC_OK || memcmp(worst, &other, sizeof other) == 0);
}

/* Which values of its enums and switches the plans with an answer had, a bit each. */
static void note(const dtc_plan *full, uint64_t seen[])
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_plan);
  for (uint32_t i = 0; i < s->count; i++) {
    const dtci_field *f = &dtci_fields[s->first + i];
    if (f->type == DTCI_ENUM || f->type == DTCI_BOOL)
      seen[i] |= (uint64_t)1 << dtci_read(full, f);
  }
}

/* Every value was among them, but schedules whose micro-batches in flight no formula tells. */
static void check_seen(const uint64_t seen[])
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_plan);
  for (uint32_t i = 0; i < s->count; i++) {
    const dtci_field *f = &dtci_fields[s->first + i];
    if ((f->type != DTCI_ENUM && f->type != DTCI_BOOL) || strcmp(f->name, "schedule") == 0)
      continue;
    for (uint64_t v = 1; v < values_of(f); v++)
      if ((seen[i] >> v & 1) == 0)
        fail_msg("no plan with %s = %d has an answer", f->name, (int)v);
  }
}

/* 1 when there is a number. */
static size_t check_case(const drawn *d, uint64_t seen[])
{
  dtc_memory s[STAGES];
  dtc_memory worst;
  dtc_plan full = check_plan();
  size_t n = 0;
  size_t w = 0;
  if (dtc_plan_resolve(&d->m, d->where, &d->p, &full, NULL) != DTC_OK)
    return 0;
  DTC_INIT(&worst);
  memset(s, 0, sizeof s);
  s[0].struct_size = sizeof s[0];
  dtc_status status = dtc_memory_estimate(&d->m, d->where, &d->p, NULL, 0, &worst, NULL);
  HOLDS(d, status == DTC_OK || status == DTC_E_UNSUPPORTED || status == DTC_E_OVERFLOW);
  HOLDS(d, dtc_memory_stages(&d->m, d->where, &d->p, NULL, 0, s, STAGES, &n, NULL) == status);
  if (status != DTC_OK)
    return 0;
  for (size_t i = 0; i < n; i++) {
    check_stage(d, &full, &s[i]);
    check_moments(d, i, &s[i]);
    w = s[i].device > s[w].device ? i : w;
  }
  HOLDS(d, n == full.pp && memcmp(&worst, &s[w], sizeof worst) == 0);
  note(&full, seen);
  check_resolved(d, &full, &worst);
  check_larger(d, &full, &worst);
  check_time(d, &full, &worst);
  return 1;
}

static void any_plan_gives_a_sum_or_an_error(void **state)
{
  (void)state;
  size_t answers = 0;
  uint64_t seen[FIELDS] = {0};
  seed = 17;
  for (int i = 0; i < PLANS; i++) {
    drawn d;
    draw(&d);
    answers += check_case(&d, seen);
  }
  print_message("           %d of %d plans have an answer\n", (int)answers, PLANS);
  check_seen(seen);
}

/* Numbers of any size in one field or more, of the model too: an error, or sums that hold. */
static void numbers_of_any_size(drawn *d)
{
  const dtci_struct *all[] = {dtci_struct_of(DTC_STRUCT_plan), dtci_struct_of(DTC_STRUCT_model)};
  for (uint64_t k = 1 + roll(3); k > 0; k--) {
    const dtci_struct *s = all[roll(4) == 0];
    const dtci_field *f = &dtci_fields[s->first + 1 + roll(s->count - 1)];
    if (f->type != DTCI_U64)
      continue;
    uint64_t bits = roll(2) ? 64 : 33;
    uint64_t v = f->max < ((uint64_t)1 << (bits - 1)) ? f->max : (uint64_t)1 << (bits - 1);
    dtci_write(s == all[0] ? (void *)&d->p : (void *)&d->m, f, roll(3) ? v >> roll(bits) : v - roll(2));
  }
}

/* The other questions of memory about the plan: answers or errors, too. */
static void check_questions(const drawn *d)
{
  dtc_min_gpus fit = {.struct_size = sizeof fit};
  dtc_max_setting most = {.struct_size = sizeof most};
  dtc_memory_remedy list[32];
  dtc_plan best = check_plan();
  size_t n = 0;
  dtc_status s = dtc_memory_remedies(&d->m, &d->c, &d->p, NULL, 0, list, 32, &n, NULL);
  HOLDS(d, s != DTC_E_SPACE && (s != DTC_OK || n <= 32));
  s = dtc_memory_min_gpus(&d->m, &d->c, &d->p, &fit, &best, NULL);
  HOLDS(d, s != DTC_OK || (fit.gpus != 0) == (fit.device <= fit.capacity));
  s = dtc_memory_max_micro_batch(&d->m, &d->c, &d->p, NULL, 0, &most, NULL);
  HOLDS(d, s != DTC_OK || (most.device <= most.capacity && (most.next == 0 || most.next > most.value)));
  s = dtc_memory_max_seq(&d->m, &d->c, &d->p, NULL, 0, &most, NULL);
  HOLDS(d, s != DTC_OK || (most.device <= most.capacity && (most.next == 0 || most.next > most.value)));
}

static void every_question_has_an_answer(void **state)
{
  (void)state;
  seed = 18;
  for (uint64_t i = 0; i < ROUNDS / 8; i++) {
    drawn d;
    draw(&d);
    check_questions(&d);
  }
}

static void large_numbers_give_a_sum_or_an_error(void **state)
{
  (void)state;
  size_t answers = 0;
  seed = 19;
  for (uint64_t i = 0; i < ROUNDS; i++) {
    drawn d;
    dtc_memory m;
    uint64_t sum = 0;
    int bad = 0;
    DTC_INIT(&m);
    draw(&d);
    numbers_of_any_size(&d);
    dtc_plan full = check_plan();
    dtc_status legal = dtc_plan_resolve(&d.m, d.where, &d.p, &full, NULL);
    dtc_status s = dtc_memory_estimate(&d.m, d.where, &d.p, NULL, 0, &m, NULL);
    if (legal != DTC_OK || s != DTC_OK) {
      HOLDS(&d, legal != DTC_OK ? s == legal : s == DTC_E_UNSUPPORTED || s == DTC_E_OVERFLOW);
      continue;
    }
    answers++;
    for (uint32_t k = 0; k < ITEMS; k++)
      sum = dtci_add(sum, items_of(&m)[k], &bad);
    HOLDS(&d, !bad && sum == m.allocated && m.allocated <= m.reserved && m.reserved < m.device && m.params != 0);
    HOLDS(&d, m.device <= m.device_high && m.steady <= m.allocated && m.host <= m.host_node_high);
  }
  assert_true(answers > ROUNDS / 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_plan_gives_a_sum_or_an_error),
                                     cmocka_unit_test(every_question_has_an_answer),
                                     cmocka_unit_test(large_numbers_give_a_sum_or_an_error)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
