/* Largest micro-batch and longest sequence: against trying them all. */
#include "check.h"
#include "check_plan.h"

#include "internal/catalog.h"

static dtc_cluster gpus(uint64_t usable_mib)
{
  dtc_cluster c;
  DTC_INIT(&c);
  c.memory = DTCI_MIB(usable_mib + 1024);
  c.usable = DTCI_MIB(usable_mib);
  c.gpus_per_node = 8;
  c.compute = 90;
  return c;
}

typedef dtc_status function(const dtc_model *, const dtc_cluster *, const dtc_plan *, const dtc_stage *, size_t,
                            dtc_max_setting *, dtc_error *);

/* Whether the plan with this value is legal (1) and fits (2). */
static int try_value(const dtc_model *m, const dtc_cluster *c, dtc_plan p, int seq, uint64_t value, uint64_t *device)
{
  dtc_memory memory;
  DTC_INIT(&memory);
  *(seq ? &p.seq : &p.micro_batch) = value;
  if (dtc_memory_estimate(m, c, &p, NULL, 0, &memory, NULL) != DTC_OK)
    return 0;
  *device = memory.device;
  return memory.fits == DTC_BOOL_ON ? 2 : 1;
}

/* The answer is the largest of 1 .. `most`, or a good way beyond the answer, that fits, and what it says of the next is true. */
static void check_all(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, int seq, uint64_t most)
{
  static function *const functions[] = {dtc_memory_max_micro_batch, dtc_memory_max_seq};
  uint64_t best = 0, next = 0, bytes = 0, best_bytes = 0, next_bytes = 0, legal = 0;
  dtc_max_setting out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  dtc_status status = functions[seq](m, c, p, NULL, 0, &out, &err);
  most = out.next + 64 > most ? out.next + 64 : most;
  for (uint64_t v = 1; v <= most; v++) {
    int is = try_value(m, c, *p, seq, v, &bytes);
    legal += is != 0;
    if (is == 2) {
      best = v;
      best_bytes = bytes;
      next = 0;
    } else if (is == 1 && next == 0) {
      next = v;
      next_bytes = bytes;
    }
  }
  if (legal == 0) {
    assert_int_not_equal(status, DTC_OK);
    return;
  }
  check_ok(status, &err);
  if (out.value != best || out.next != next)
    fail_msg("%s: %lu then %lu, not %lu then %lu", seq ? "seq" : "micro_batch", (unsigned long)out.value,
             (unsigned long)out.next, (unsigned long)best, (unsigned long)next);
  assert_true(out.device == best_bytes && out.next_device == next_bytes && out.capacity == c->usable);
  assert_true((out.limit != DTC_MEMORY_ITEM_NONE) == (next != 0));
}

/* ---- against trying them all ------------------------------------------------------------------------------------- */

static void micro_batches_are_the_largest(void **state)
{
  (void)state;
  static const char *const models[] = {"llama-3.2-1b", "gpt2", "qwen2-7b", "llama-3-8b"};
  seed = 11;
  for (int i = 0; i < 40; i++) {
    dtc_plan p = check_plan();
    dtc_model m = check_named(models[roll(4)]);
    dtc_cluster c = gpus(8192 + 4096 * roll(18));
    p.sharding = DTC_SHARDING_DDP + (dtc_sharding)roll(7);
    p.recompute = DTC_RECOMPUTE_NONE + (dtc_recompute)roll(3);
    p.dp = 1 + roll(8);
    p.seq = UINT64_C(256) << roll(3);
    p.tp = p.sharding == DTC_SHARDING_DISTOPT ? (uint64_t)1 << roll(2) : 1;
    p.global_batch = roll(2) ? p.dp * (1 + roll(96)) : 0;
    p.accumulation = roll(3) == 0 ? 1 + roll(4) : 0;
    check_all(&m, &c, &p, 0, 200);
  }
}

static void sequences_are_the_longest(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    uint64_t tp, cp, most;
    dtc_bool sp;
  } cases[] = {
      {"llama-3.2-1b", 1, 1, 3000, DTC_BOOL_DEFAULT},
      {"llama-3.2-1b", 8, 1, 6000, DTC_BOOL_ON},
      {"llama-3.2-1b", 4, 2, 6000, DTC_BOOL_ON},
      {"llama-3.2-1b", 4, 2, 6000, DTC_BOOL_OFF},
      {"llama-3.2-1b", 2, 3, 4000, DTC_BOOL_ON},
      {"gpt2", 1, 1, 2000, DTC_BOOL_DEFAULT},
      {"gpt2", 4, 1, 2000, DTC_BOOL_ON},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint64_t mib = 4096; mib <= 16384; mib *= 4) {
      dtc_model m = check_named(cases[i].name);
      dtc_cluster c = gpus(mib);
      dtc_plan p = check_plan();
      p.framework = DTC_FRAMEWORK_MEGATRON;
      p.attention = DTC_ATTENTION_EAGER; /* so that memory grows with the square of the length */
      p.micro_batch = 4;
      p.tp = cases[i].tp;
      p.cp = cases[i].cp;
      p.dp = 8;
      p.sequence_parallel = cases[i].sp;
      check_all(&m, &c, &p, 1, cases[i].most);
    }
}

/* A resolved plan says how long the sequences are that are packed; this length is asked for. */
static void packed_sequences_bound_nothing(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_cluster c = gpus(16384);
  dtc_plan p = check_plan();
  dtc_max_setting alone = {.struct_size = sizeof alone};
  dtc_max_setting packed = {.struct_size = sizeof packed};
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.dp = 8;
  assert_int_equal(dtc_memory_max_seq(&m, &c, &p, NULL, 0, &alone, NULL), DTC_OK);
  p.packed = 1 << 20;
  assert_int_equal(dtc_memory_max_seq(&m, &c, &p, NULL, 0, &packed, NULL), DTC_OK);
  assert_memory_equal(&alone, &packed, sizeof alone);
}

/* ---- what is said ------------------------------------------------------------------------------------------------ */

static dtc_max_setting most(function *f, const dtc_model *m, const dtc_cluster *c, const dtc_plan *p)
{
  dtc_max_setting out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  check_ok(f(m, c, p, NULL, 0, &out, &err), &err);
  return out;
}

static void a_learned_table_bounds_the_sequence(void **state)
{
  (void)state;
  dtc_model m = check_named("gpt2");
  dtc_cluster c = gpus(80 << 10);
  dtc_plan p = check_plan();
  dtc_max_setting out = most(dtc_memory_max_seq, &m, &c, &p);
  assert_true(out.value == 1024 && out.next == 0 && out.next_device == 0 && out.limit == DTC_MEMORY_ITEM_NONE);
}

static void nothing_fits_when_the_states_do_not(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_cluster c = gpus(80 << 10);
  dtc_plan p = check_plan();
  dtc_max_setting out = most(dtc_memory_max_micro_batch, &m, &c, &p);
  assert_true(out.value == 0 && out.device == 0 && out.next == 1 && out.next_device > c.usable);
  assert_int_equal(out.limit, DTC_MEMORY_ITEM_OPTIMIZER);
  p.global_batch = 12;
  out = most(dtc_memory_max_micro_batch, &m, &c, &p);
  assert_true(out.value == 0 && out.next == 1 && out.next_device > c.usable);
}

/* With stages of the caller's own, rules about an even split do not apply. */
static void stages_are_taken(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_cluster c = gpus(40 << 10);
  dtc_plan p = check_plan();
  dtc_stage even[2] = {{.struct_size = sizeof *even, .layers = 8, .embedding = 1}, {.layers = 8, .head = 1}};
  dtc_stage uneven[2] = {{.struct_size = sizeof *uneven, .layers = 1, .embedding = 1}, {.layers = 15, .head = 1}};
  dtc_max_setting plain;
  dtc_max_setting out;
  DTC_INIT(&plain);
  DTC_INIT(&out);
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.pp = 2;
  p.dp = 1;
  plain = most(dtc_memory_max_micro_batch, &m, &c, &p);
  assert_int_equal(dtc_memory_max_micro_batch(&m, &c, &p, even, 2, &out, NULL), DTC_OK);
  assert_memory_equal(&out, &plain, sizeof out);
  assert_int_equal(dtc_memory_max_micro_batch(&m, &c, &p, uneven, 2, &out, NULL), DTC_OK);
  assert_true(out.value > 0 && out.value != plain.value);
  uneven[0].layers = 2;
  assert_int_equal(dtc_memory_max_micro_batch(&m, &c, &p, uneven, 2, &out, NULL), DTC_E_CONFLICT);
  assert_int_equal(dtc_memory_max_seq(&m, &c, &p, uneven, 2, &out, NULL), DTC_E_CONFLICT);
}

static void refusals_are_those_of_the_plan(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_cluster c = gpus(40 << 10);
  dtc_plan p = check_plan();
  dtc_max_setting out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  p.tp = 5;
  assert_int_equal(dtc_memory_max_micro_batch(&m, &c, &p, NULL, 0, &out, &err), DTC_E_DIVIDE);
  assert_int_equal(err.rule, DTC_RULE_TP_HEADS);
  assert_int_equal(dtc_memory_max_seq(&m, &c, &p, NULL, 0, &out, &err), DTC_E_DIVIDE);
  p.tp = 1;
  p.global_batch = 7;
  p.dp = 2;
  assert_int_equal(dtc_memory_max_micro_batch(&m, &c, &p, NULL, 0, &out, &err), DTC_E_DIVIDE);
  assert_int_equal(err.rule, DTC_RULE_BATCH);
  assert_int_equal(dtc_memory_max_seq(&m, NULL, &p, NULL, 0, &out, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_memory_max_seq(NULL, &c, &p, NULL, 0, &out, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_memory_max_seq(&m, &c, NULL, NULL, 0, &out, NULL), DTC_E_SIZE);
  out.struct_size = 4;
  p.global_batch = 8;
  assert_int_equal(dtc_memory_max_seq(&m, &c, &p, NULL, 0, &out, NULL), DTC_E_SIZE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(micro_batches_are_the_largest),       cmocka_unit_test(sequences_are_the_longest),
      cmocka_unit_test(packed_sequences_bound_nothing),      cmocka_unit_test(a_learned_table_bounds_the_sequence),
      cmocka_unit_test(nothing_fits_when_the_states_do_not), cmocka_unit_test(stages_are_taken),
      cmocka_unit_test(refusals_are_those_of_the_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
