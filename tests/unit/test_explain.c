/* Which tensor it was: the published cases of tests/cases.csv, and sizes made of tensors that must be found again. */
#include "check_plan.h"

#include "internal/explain.h"

enum { MOST = 64 };

typedef struct answer {
  dtc_candidate list[MOST];
  size_t n;
} answer;

static dtc_alloc size_of(const char *text, uint64_t params)
{
  dtc_alloc a;
  dtc_error err;
  DTC_INIT(&a);
  DTC_INIT(&err);
  check_ok(dtc_explain_read(text, strlen(text), &a, &err), &err);
  a.params = params;
  return a;
}

static answer ask(const dtc_model *m, const char *plan, const dtc_alloc *a)
{
  answer out = {.n = 0};
  dtc_plan p = check_plan();
  dtc_error err;
  DTC_INIT(&err);
  check_ok(dtc_plan_parse(plan, strlen(plan), NULL, &p, &err), &err);
  check_ok(dtc_explain_alloc(m, NULL, &p, a, out.list, MOST, &out.n, &err), &err);
  return out;
}

/* The first candidate for a text. */
static dtc_candidate first(const dtc_model *m, const char *plan, const char *text, uint64_t params)
{
  dtc_alloc a = size_of(text, params);
  answer out = ask(m, plan, &a);
  assert_true(out.n != 0);
  return out.list[0];
}

static dtc_model dense(uint64_t hidden, uint64_t heads, uint64_t kv_heads, uint64_t ffn, uint64_t vocab)
{
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 40, hidden, heads, vocab);
  m.kv_heads = kv_heads;
  m.ffn = ffn;
  m.context = 0;
  return m;
}

static int is(const dtc_candidate *c, dtc_suspect suspect, uint32_t dtype, dtc_solved solved, uint64_t value)
{
  return c->suspect == suspect && c->dtype_bytes == dtype && c->solved == solved && c->value == value &&
         c->elements * dtype == c->bytes;
}

static int avoids(const dtc_candidate *c, dtc_remedy remedy)
{
  return (c->avoid >> remedy & 1) != 0;
}

/* ---- published cases ------------------------------------------------------------------------- */

static void a_shard_in_fp32(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-13b");
  dtc_candidate c = first(&m, "sharding=zero2 dp=4", "Tried to allocate 12.94 GiB", 13896668160); /* A02 */
  assert_true(is(&c, DTC_SUSPECT_SHARD, 4, DTC_SOLVED_NONE, 0) && c.elements == 3474167040 && c.ranks == 4);
  assert_true(avoids(&c, DTC_REMEDY_DP) && avoids(&c, DTC_REMEDY_SHARD_WEIGHTS) && c.usual == DTC_BOOL_ON);
  m = check_named("llama-3-8b");
  c = first(&m, "sharding=zero2 dp=7", "Tried to allocate 4.54 GiB", 8530000000); /* A04 */
  assert_true(is(&c, DTC_SUSPECT_SHARD, 4, DTC_SOLVED_NONE, 0) && c.ranks == 7);
  c = first(NULL, "sharding=zero2 dp=7", "Tried to allocate 4.54 GiB", 8530000000);
  assert_true(is(&c, DTC_SUSPECT_SHARD, 4, DTC_SOLVED_NONE, 0) && c.ranks == 7);
  /* The model's own 8.03e9 are not enough: about 8.53e9 are trained. */
  c = first(&m, "sharding=zero2 dp=7", "Tried to allocate 4.54 GiB", 0);
  assert_true(c.suspect == DTC_SUSPECT_SHARD && c.solved == DTC_SOLVED_PARAMS);
  assert_true(c.value > 8520000000 && c.value < 8540000000);
  c = first(&m, "sharding=zero2 dp=2 offload=optimizer", "Tried to allocate 14.9 GiB", 8016000000); /* A05 */
  assert_true(is(&c, DTC_SUSPECT_SHARD, 4, DTC_SOLVED_NONE, 0) && c.elements == 4008000000);
  assert_false(avoids(&c, DTC_REMEDY_OFFLOAD_OPTIMIZER)); /* it is offloaded */
  m = check_named("qwen1.5-72b");
  c = first(&m, "sharding=zero2 dp=16", "Tried to allocate 16.83 GiB", 0);
  assert_true(is(&c, DTC_SUSPECT_SHARD, 4, DTC_SOLVED_NONE, 0));
  c = first(&m, "sharding=zero2", "Tried to allocate 16.83 GiB", 0);
  assert_true(is(&c, DTC_SUSPECT_SHARD, 4, DTC_SOLVED_RANKS, 16) && c.ranks == 16);
}

static void experts_of_a_rank(void **state)
{
  (void)state;
  dtc_model m = check_named("qwen3-235b-a22b"); /* A06 */
  dtc_candidate c =
      first(&m, "megatron tp=4 pp=2 ep=8 etp=1 dp=4 tuning=lora", "NPU out of memory. Tried to allocate 26.44 GiB", 0);
  assert_true(is(&c, DTC_SUSPECT_EXPERTS, 2, DTC_SOLVED_NONE, 0));
  assert_true(c.elements == (uint64_t)16 * 3 * 4096 * 1536 * 47 && avoids(&c, DTC_REMEDY_EP));
  c = first(&m, "megatron tp=4 pp=2 ep=16 etp=1 dp=4", "NPU out of memory. Tried to allocate 13.22 GiB", 0);
  assert_true(is(&c, DTC_SUSPECT_EXPERTS, 2, DTC_SOLVED_NONE, 0));
}

static void logits(void **state)
{
  (void)state;
  dtc_model m = check_named("gpt2-large"); /* A08: b = 4 in fp32 and b = 8 in 16 bit are the same */
  dtc_alloc a = size_of("Tried to allocate 786.00 MiB", 0);
  answer out = ask(&m, "megatron seq=1024", &a);
  assert_true(out.n >= 2);
  assert_true(is(&out.list[0], DTC_SUSPECT_LOGITS, 4, DTC_SOLVED_MICRO_BATCH, 4) && out.list[0].distance == 0);
  assert_true(is(&out.list[1], DTC_SUSPECT_LOGITS, 2, DTC_SOLVED_MICRO_BATCH, 8) && out.list[1].distance == 0);
  assert_true(out.list[0].elements == (uint64_t)4 * 1024 * 50304 && out.list[0].bytes == (uint64_t)786 << 20);
  assert_true(avoids(&out.list[0], DTC_REMEDY_MICRO_BATCH_HALF) && avoids(&out.list[0], DTC_REMEDY_LOSS_FUSED));
  m = dense(5120, 40, 8, 16384, 202048); /* A11 */
  dtc_candidate c = first(&m, "pytorch seq=39658 mbs=1", "32051278336 bytes of host", 0);
  assert_true(is(&c, DTC_SUSPECT_LOGITS, 4, DTC_SOLVED_NONE, 0) && c.distance == 0 && c.bytes == 32051278336);
  m = check_named("qwen2.5-7b"); /* A17; its vocabulary is another: 152064 */
  m.vocab = 151936;
  c = first(&m, "sharding=zero3 seq=32768 mbs=1", "Tried to allocate 49 GiB", 0);
  assert_true(is(&c, DTC_SUSPECT_LOGITS, 4, DTC_SOLVED_TOKENS, 86572));
}

static void layers_and_weights(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-7b");
  dtc_candidate c =
      first(&m, "sharding=fsdp dp=4", "Tried to allocate 388.00 MiB (GPU 0; 23.70 GiB total capacity)", 0);
  assert_true(is(&c, DTC_SUSPECT_LAYER, 2, DTC_SOLVED_NONE, 0) && c.elements == 202383360 && c.distance == 0); /* A12 */
  c = first(&m, "sharding=zero3 dp=2", "Tried to allocate 172.00 MiB", 0);                                     /* A14 */
  assert_true(is(&c, DTC_SUSPECT_TENSOR, 4, DTC_SOLVED_NONE, 0) && c.elements == (uint64_t)4096 * 11008);
  dtc_tensor t;
  DTC_INIT(&t);
  assert_int_equal(dtc_model_tensor(&m, c.tensor, &t, NULL), DTC_OK);
  assert_true(t.kind == DTC_TENSOR_KIND_MLP && t.numel == c.elements);
  c = first(&m, "sharding=zero2 dp=2", "you tried to allocate 180355072 bytes.", 0); /* A15 */
  assert_true(is(&c, DTC_SUSPECT_TENSOR, 4, DTC_SOLVED_NONE, 0) && c.bytes == 180355072);
  m = dense(6144, 48, 1, 24576, 49152); /* A16; the output projection in fp32 has as many bytes */
  m.gated = DTC_BOOL_OFF;
  c = first(&m, "tuning=lora", "Tried to allocate 144.00 MiB", 0);
  assert_true(is(&c, DTC_SUSPECT_TENSOR, 1, DTC_SOLVED_NONE, 0) && c.elements == (uint64_t)6144 * 24576);
  c = first(&m, "sharding=zero3 dp=2", "Tried to allocate 144.00 MiB", 0);
  assert_true(is(&c, DTC_SUSPECT_TENSOR, 4, DTC_SOLVED_NONE, 0) && c.elements == (uint64_t)6144 * 6144);
}

static void scores(void **state)
{
  (void)state;
  dtc_model m = check_named("phi-3-mini-4k"); /* A09 */
  dtc_candidate c = first(&m, "megatron attention=eager seq=4096 mbs=1", "1024.00 MiB", 0);
  assert_true(is(&c, DTC_SUSPECT_SCORES, 2, DTC_SOLVED_NONE, 0) && avoids(&c, DTC_REMEDY_FLASH));
  c = first(&m, "megatron attention=eager mbs=1", "Tried to allocate 1024.00 MiB", 0);
  assert_true(is(&c, DTC_SUSPECT_SCORES, 2, DTC_SOLVED_SEQ, 4096));
}

static void what_is_resident(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b"); /* B05 */
  dtc_candidate c = first(&m, "sharding=zero3 dp=4 offload=params", "14678 MiB after init", 6805000000);
  assert_true(is(&c, DTC_SUSPECT_COPY, 2, DTC_SOLVED_NONE, 0) && c.bytes == 13610000000);
  /* 7B with nothing sharded: 16 bytes a parameter. */
  c = first(&m, "pytorch dp=4", "100.41 GiB allocated", 0);
  assert_true(c.suspect == DTC_SUSPECT_STATES && c.dtype_bytes == 0 && c.bytes == 16 * (uint64_t)6738415616);
  c = first(&m, "sharding=zero3 dp=4", "100.41 GiB allocated", 0);
  assert_true(c.suspect == DTC_SUSPECT_STATES_WHOLE);
}

/* ---- tensors made from known shapes ---------------------------------------------------------- */

/* _create_fp16_sub_groups(): parts of tensors until 10^9. Of Llama 70B on 64 ranks all are 1.08e9 elements: the group is
 * what stands before the tensor that ends it. */
static void the_first_group_of_zero3(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-70b");
  uint64_t count = 0;
  uint64_t sum = 0;
  assert_int_equal(dtc_model_tensor_count(&m, &count, NULL), DTC_OK);
  for (uint64_t i = 0; i < count && sum < 1000000000; i++) {
    dtc_tensor t;
    DTC_INIT(&t);
    assert_int_equal(dtc_model_tensor(&m, i, &t, NULL), DTC_OK);
    sum += (t.numel + 63) / 64;
  }
  assert_true(sum > 1000000000 && sum < 1010000000);
  dtc_alloc a;
  DTC_INIT(&a);
  a.bytes = 4 * sum;
  a.device = DTC_ALLOC_DEVICE_HOST;
  answer out = ask(&m, "sharding=zero3 dp=64", &a);
  assert_true(out.n != 0 && is(&out.list[0], DTC_SUSPECT_SUB_GROUP, 4, DTC_SOLVED_NONE, 0) && out.list[0].ranks == 64);
}

/* To the byte, as host allocations print: ZeRO-2 pads the flat vector to 2 elements per rank, ZeRO-3 each tensor. */
static void shards_are_padded(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-7b"); /* 6738415616 parameters */
  dtc_alloc a;
  DTC_INIT(&a);
  a.device = DTC_ALLOC_DEVICE_HOST;
  a.bytes = (uint64_t)4 * 962630804; /* 6738415616 / 7 = 962630802.3 */
  answer out = ask(&m, "sharding=zero2 dp=7 offload=optimizer", &a);
  assert_true(out.n != 0 && is(&out.list[0], DTC_SUSPECT_SHARD, 4, DTC_SOLVED_NONE, 0));
  /* By 7: 65 norms of 4096 as 586, 128 matrices of 4096^2 as 2396746, 96 of 4096 x 11008 as 6441253, 2 of 4096 x 32000 as
   * 18724572. */
  a.bytes = (uint64_t)4 * (65 * 586 + 128 * (uint64_t)2396746 + 96 * (uint64_t)6441253 + 2 * (uint64_t)18724572);
  out = ask(&m, "sharding=zero3 dp=7 offload=optimizer", &a);
  assert_true(out.n != 0 && is(&out.list[0], DTC_SUSPECT_SHARD, 4, DTC_SOLVED_NONE, 0));
}

static void tensor_parallelism_splits(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_alloc a;
  DTC_INIT(&a);
  a.bytes = (uint64_t)2 * 8192 * 128256 / 8 * 4; /* fp32 logits of 2 x 8192 tokens on 8 */
  answer out = ask(&m, "megatron tp=8 seq=8192 mbs=2 vocab_multiple=8", &a);
  assert_true(out.n != 0 && is(&out.list[0], DTC_SUSPECT_LOGITS, 4, DTC_SOLVED_NONE, 0) && out.list[0].ranks == 8);
  a.bytes = (uint64_t)8192 * 28672 / 8 * 2; /* one matrix of an MLP, a rank's part: 56 MiB */
  out = ask(&m, "pytorch tp=8 dp=1 seq=4096 mbs=1", &a);
  assert_true(out.n != 0 && is(&out.list[0], DTC_SUSPECT_TENSOR, 2, DTC_SOLVED_NONE, 0) && out.list[0].ranks == 8);
}

static void stages_differ(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_alloc a;
  dtc_memory stages[4];
  size_t n = 0;
  dtc_plan p = check_plan();
  DTC_INIT(&a);
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.tp = 8;
  p.pp = 4;
  for (int i = 0; i < 4; i++)
    DTC_INIT(&stages[i]);
  assert_int_equal(dtc_memory_stages(&m, NULL, &p, NULL, 0, stages, 4, &n, NULL), DTC_OK);
  for (uint64_t i = 0; i < 4; i++) {
    a.bytes = 4 * stages[i].params;
    answer out = ask(&m, "megatron tp=8 pp=4", &a);
    assert_true(out.n != 0 && is(&out.list[0], DTC_SUSPECT_COPY, 4, DTC_SOLVED_NONE, 0));
    assert_int_equal(out.list[0].stage, i == 2 ? 1 : i); /* the two in the middle hold the same */
  }
}

/* ---- properties ------------------------------------------------------------------------------ */

static int is_sorted(const answer *a)
{
  for (size_t i = 1; i < a->n; i++)
    if (a->list[i - 1].solved == DTC_SOLVED_TOKENS && a->list[i].solved != DTC_SOLVED_TOKENS)
      return 0;
  return 1;
}

/* Whatever is asked: candidates lie in the printed range, each stands once, and asking again gives the same. */
static void every_candidate_is_what_was_printed(void **state)
{
  (void)state;
  size_t all = 0;
  seed = 3;
  for (int i = 0; i < check_rounds(20000); i++) {
    dtc_model m = check_named(names[roll(5)]);
    dtc_plan p = random_plan(8);
    dtc_alloc a;
    answer one = {.n = 0};
    answer two = {.n = 0};
    DTC_INIT(&a);
    a.bytes = ((uint64_t)1 << roll(40)) + roll(1 << 30);
    a.device = (dtc_alloc_device)roll(4);
    a.kind = (dtc_alloc_kind)roll(4);
    if (roll(2)) {
      a.low = a.bytes - a.bytes / 200;
      a.high = a.bytes + a.bytes / 200;
    }
    if (dtc_explain_alloc(&m, NULL, &p, &a, one.list, MOST, &one.n, NULL) != DTC_OK)
      continue;
    assert_int_equal(dtc_explain_alloc(&m, NULL, &p, &a, two.list, MOST, &two.n, NULL), DTC_OK);
    assert_true(one.n == two.n && memcmp(one.list, two.list, one.n * sizeof one.list[0]) == 0 && is_sorted(&one));
    for (size_t k = 0; k < one.n; k++) {
      const dtc_candidate *c = &one.list[k];
      assert_true(c->suspect != DTC_SUSPECT_NONE && c->ranks != 0 && dtc_explain_text(c->suspect, DTC_LANG_EN) != NULL);
      if (a.kind <= DTC_ALLOC_KIND_REQUEST && a.high != 0)
        assert_true(c->bytes >= a.low && c->bytes <= a.high);
      all++;
    }
  }
  if (all <= (size_t)check_rounds(400))
    fail_msg("only %zu candidates", all);
}

static void bad_questions_are_refused(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-7b");
  dtc_plan p = check_plan();
  dtc_alloc a;
  dtc_candidate list[MOST];
  size_t n = 9;
  dtc_error err;
  DTC_INIT(&a);
  DTC_INIT(&err);
  assert_int_equal(dtc_explain_alloc(&m, NULL, &p, &a, list, MOST, &n, &err), DTC_E_CONFLICT);
  assert_true(err.rule == DTC_RULE_EXPLAIN_BYTES && n == 9);
  a.bytes = 180355072;
  assert_int_equal(dtc_explain_alloc(NULL, NULL, &p, &a, list, MOST, &n, &err), DTC_E_CONFLICT);
  assert_int_equal(err.rule, DTC_RULE_EXPLAIN_MODEL);
  assert_int_equal(dtc_explain_alloc(&m, NULL, &p, &a, list, 0, &n, &err), DTC_E_SPACE);
  assert_true(n > 0 && n <= MOST && err.min == n);
  a.params = 7000000000;
  p.tp = 2;
  assert_int_equal(dtc_explain_alloc(&m, NULL, &p, &a, list, MOST, &n, &err), DTC_E_CONFLICT);
  assert_int_equal(err.rule, DTC_RULE_EXPLAIN_PARAMS);
  assert_int_equal(dtc_explain_alloc(NULL, NULL, &p, &a, list, MOST, &n, &err), DTC_E_CONFLICT);
  p.tp = 7;
  a.params = 0;
  assert_int_equal(dtc_explain_alloc(&m, NULL, &p, &a, list, MOST, &n, &err), DTC_E_DIVIDE);
  a.bytes = UINT64_MAX;
  assert_int_equal(dtc_explain_alloc(&m, NULL, &p, &a, list, MOST, &n, &err), DTC_E_RANGE);
}

static void every_suspect_has_its_texts(void **state)
{
  (void)state;
  assert_null(dtc_explain_text(DTC_SUSPECT_NONE, DTC_LANG_EN));
  assert_null(dtc_explain_text(DTC_SUSPECT_STATES_WHOLE + 1, DTC_LANG_EN));
  assert_null(dtc_explain_text(UINT32_MAX, DTC_LANG_ZH));
  for (dtc_suspect s = 1; s <= DTC_SUSPECT_STATES_WHOLE; s++) {
    const char *en = dtc_explain_text(s, DTC_LANG_EN);
    const char *zh = dtc_explain_text(s, DTC_LANG_ZH);
    check_texts(en, zh, dtc_explain_text(s, 77));
    assert_true(strlen(en) > 5 && strlen(zh) > 5);
  }
  for (uint32_t i = 1; i < dtci_suspects_count; i++)
    assert_true(dtci_suspects[i].suspect >= dtci_suspects[i - 1].suspect);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shard_in_fp32),
      cmocka_unit_test(experts_of_a_rank),
      cmocka_unit_test(logits),
      cmocka_unit_test(layers_and_weights),
      cmocka_unit_test(scores),
      cmocka_unit_test(what_is_resident),
      cmocka_unit_test(the_first_group_of_zero3),
      cmocka_unit_test(shards_are_padded),
      cmocka_unit_test(tensor_parallelism_splits),
      cmocka_unit_test(stages_differ),
      cmocka_unit_test(every_candidate_is_what_was_printed),
      cmocka_unit_test(bad_questions_are_refused),
      cmocka_unit_test(every_suspect_has_its_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
