/* What sharding, replication and offloading add to a step, and where its messages go: by hand. */
#include "step_check.h"

#include "internal/step.h"

/* ---- messages -------------------------------------------------------------------------------- */

static double message(const dtc_cluster *c, dtc_collective op, double bytes, uint64_t ranks, uint64_t stride)
{
  dtci_case box;
  dtci_step_work w;
  memset(&box, 0, sizeof box);
  memset(&w, 0, sizeof w);
  box.cluster = *c;
  w.c = &box;
  w.machine.communication = 1;
  return dtci_message(&w, op, bytes, ranks, stride);
}

static double measured(const dtc_cluster *c, dtc_collective op, double bytes, uint64_t ranks, uint64_t per_node,
                       uint64_t groups)
{
  dtc_error e;
  dtc_collective_time t;
  dtc_collective_call call = {.struct_size = sizeof call,
                              .op = op,
                              .in_switch = DTC_BOOL_ON,
                              .tuned = DTC_BOOL_ON,
                              .bytes = (uint64_t)bytes,
                              .ranks = ranks,
                              .per_node = per_node,
                              .groups = groups};
  DTC_INIT(&e);
  DTC_INIT(&t);
  check_ok(dtc_collective_estimate(c, &call, &t, &e), &e);
  return t.seconds;
}

/* Ranks of a node as many as divide the group; all groups of a node share its ports. */
static void groups_as_they_lie(void **state)
{
  (void)state;
  static const struct {
    const char *cluster;
    uint64_t ranks;
    uint64_t stride;
    uint64_t per_node;
    uint64_t groups;
  } rows[] = {
      {"dgx-h100", 8, 1, 8, 1},      {"dgx-h100", 4, 2, 4, 1},  {"dgx-h100", 4, 1, 4, 1},
      {"dgx-h100", 16, 1, 8, 1},     {"dgx-h100", 4, 8, 1, 8},  {"dgx-h100", 16, 2, 4, 2},
      {"dgx-h100", 6, 2, 3, 2},      {"dgx-h100", 7, 4, 1, 8},  {"dgx-h100", 2, 1000, 1, 8},
      {"dgx-h100", 12, 1, 6, 1},     {"dgx-h100", 24, 1, 8, 1}, {"gb200-nvl72", 72, 1, 72, 1},
      {"gb200-nvl72", 64, 2, 32, 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_cluster c = step_cluster(rows[i].cluster);
    double expected = measured(&c, DTC_COLLECTIVE_ALL_GATHER, 1e8, rows[i].ranks, rows[i].per_node, rows[i].groups);
    check_near(message(&c, DTC_COLLECTIVE_ALL_GATHER, 1e8, rows[i].ranks, rows[i].stride), expected);
  }
}

static void messages_of_any_size(void **state)
{
  (void)state;
  dtc_cluster c = step_cluster("dgx-h100");
  assert_true(message(&c, DTC_COLLECTIVE_ALL_REDUCE, 1e9, 1, 1) == 0);
  assert_true(message(&c, DTC_COLLECTIVE_ALL_REDUCE, .5, 8, 1) == 0);
  assert_true(message(&c, DTC_COLLECTIVE_ALL_REDUCE, 0, 8, 1) == 0);
  double most = message(&c, DTC_COLLECTIVE_ALL_REDUCE, 0x1p50, 8, 1);
  check_near(message(&c, DTC_COLLECTIVE_ALL_REDUCE, 0x1p60, 8, 1), most * 1024);
}

/* ---- gradients ------------------------------------------------------------------------------- */

static double term_of(const step_job *j, const char *text)
{
  dtc_step_term terms[STEP_TERMS];
  size_t n = step_terms(j, NULL, terms);
  return step_term(terms, n, text);
}

static double params_of(const step_job *j)
{
  dtc_params p;
  DTC_INIT(&p);
  assert_int_equal(dtc_model_params(&j->m, &p, NULL), DTC_OK);
  return (double)p.total;
}

/* DDP reduces once a step; ZeRO-2 in every micro-batch. */
static void reduced_once_or_each_time(void **state)
{
  (void)state;
  step_job j = step_job_of("dgx-h100", "dtcore: model=llama-2-7b deepspeed sharding=zero1 dp=8 mbs=1 accum=4 seq=4096");
  j.p.grad_overlap = DTC_BOOL_OFF;
  double once = message(&j.c, DTC_COLLECTIVE_ALL_REDUCE, 2 * params_of(&j), 8, 1);
  dtc_step_params p;
  DTC_INIT(&p);
  assert_int_equal(dtc_step_resolve(&j.m, &j.c, &j.p, NULL, &p, NULL), DTC_OK);
  step_near(step_of(&j).gradients, once * p.communication, 1e-9);
  j.p.sharding = DTC_SHARDING_ZERO2;
  step_near(step_of(&j).gradients, 4 * once * p.communication, 1e-9);
  assert_true(step_of(&j).weights > 0); /* gathered after the step */
  j.p.sharding = DTC_SHARDING_DDP;
  assert_true(step_of(&j).weights == 0);
}

/* Gradients are cleared, and their norm is taken, where they are: of ZeRO-1 whole, of ZeRO-2 and 3 a rank's part. */
static void only_ones_own_gradients_are_cleared(void **state)
{
  (void)state;
  step_job j = step_job_of("dgx-h100", "dtcore: model=llama-2-7b deepspeed sharding=zero1 dp=8 mbs=1 accum=1 seq=4096");
  double whole = step_of(&j).optimizer;
  j.p.sharding = DTC_SHARDING_ZERO3;
  double own = step_of(&j).optimizer;
  j.p.sharding = DTC_SHARDING_ZERO2;
  step_near(step_of(&j).optimizer, own, 1e-6);
  assert_true(own < 0.6 * whole);
}

/* Experts' gradients are reduced among the ranks that have the same. */
static void experts_have_fewer_replicas(void **state)
{
  (void)state;
  step_job j = step_job_of("dgx-h100", "dtcore: model=mixtral-8x7b megatron ep=8 dp=16 mbs=1 accum=1 seq=4096");
  dtc_params n;
  dtc_step_params p;
  DTC_INIT(&n);
  DTC_INIT(&p);
  assert_int_equal(dtc_model_params(&j.m, &n, NULL), DTC_OK);
  assert_int_equal(dtc_step_resolve(&j.m, &j.c, &j.p, NULL, &p, NULL), DTC_OK);
  double experts = 32.0 * 8 * 3 * 4096 * 14336;
  double dense = (double)n.total - experts;
  double expected = message(&j.c, DTC_COLLECTIVE_REDUCE_SCATTER, 4 * dense, 16, 1) +
                    message(&j.c, DTC_COLLECTIVE_REDUCE_SCATTER, 4 * experts / 8, 2, 8);
  step_near(step_of(&j).gradients, expected * p.communication, 1e-4); /* but for the padded vocabulary */
}

static void tied_embeddings_are_reduced(void **state)
{
  (void)state;
  const char *text = "reduction of the tied embedding's gradients";
  step_job j = step_job_of("dgx-a100", "dtcore: model=gpt2-xl megatron pp=4 dp=4 mbs=1 accum=8 seq=1024");
  assert_true(term_of(&j, text) > 0);
  j.m.tied = DTC_BOOL_OFF;
  assert_true(term_of(&j, text) == 0);
  j.m.tied = DTC_BOOL_ON;
  j.p.pp = 1;
  assert_true(term_of(&j, text) == 0);
}

/* ---- sharded weights ------------------------------------------------------------------------- */

static void units_hide_behind_layers(void **state)
{
  (void)state;
  step_job j = step_job_of("dgx-h100", "dtcore: model=llama-3-8b pytorch sharding=fsdp dp=8 mbs=1 accum=2 seq=8192");
  dtc_step_params p;
  DTC_INIT(&p);
  assert_int_equal(dtc_step_resolve(&j.m, &j.c, &j.p, NULL, &p, NULL), DTC_OK);
  double usual = p.communication;
  p.communication = 1e-9;
  dtc_step none = step_with(&j, &p);
  assert_true(none.weights + none.gradients < 1e-6 * none.seconds);
  p.communication = usual;
  dtc_step s = step_with(&j, &p);
  assert_true(s.weights > 0 && s.gradients > 0 && s.dense == none.dense);
  p.communication = 1000; /* nothing else counts: two gathers and a reduction of all weights, each micro-batch */
  dtc_step slow = step_with(&j, &p);
  double layers = params_of(&j) - 2.0 * 128256 * 4096 - 4096;
  double each = layers / 32;
  double gather = message(&j.c, DTC_COLLECTIVE_ALL_GATHER, 2 * each, 8, 1);
  double least = 2 * 32 * 2 * gather * 1000;
  assert_true(slow.seconds > least && slow.seconds < 5 * least);
  j.p.reshard = DTC_BOOL_OFF; /* gathered once */
  dtc_step kept = step_with(&j, &p);
  step_near(slow.gradients - kept.gradients + 1e5, 1e5 + 2 * 32 * gather * 1000, 1e-3);
}

static void hsdp_reduces_between_replicas(void **state)
{
  (void)state;
  const char *text = "reduction of gradients between replicas";
  step_job j =
      step_job_of("dgx-h100", "dtcore: model=llama-3-8b torchtitan sharding=hsdp dp=32 dp_shard=8 mbs=1 seq=8192");
  assert_true(term_of(&j, text) > 0);
  dtc_step split = step_of(&j);
  j.p.sharding = DTC_SHARDING_FSDP;
  j.p.dp_shard = 0;
  assert_true(term_of(&j, text) == 0);
  assert_true(step_of(&j).weights > split.weights); /* over nodes */
}

/* ---- offloading ------------------------------------------------------------------------------ */

static void offloaded_optimizers(void **state)
{
  (void)state;
  step_job j = step_job_of("dgx-h100", "dtcore: model=llama-2-7b deepspeed sharding=zero3 dp=8 mbs=1 accum=3 seq=4096");
  const dtci_step_constants *k = &dtci_step_shared;
  double own = params_of(&j) / 8;
  double copy = j.c.pcie_bandwidth * k->copy_rate;
  j.c.nvme_bandwidth = 2e10;
  j.p.offload = DTC_OFFLOAD_OPTIMIZER;
  dtc_step s = step_of(&j);
  step_near(s.optimizer, 8 * own * k->host_step / (j.c.host_bandwidth * k->host_rate), 1e-9);
  step_near(s.offload, 4 * own / copy, 1e-9);
  j.p.offload = DTC_OFFLOAD_PARAMS; /* weights come in both passes of each micro-batch */
  s = step_of(&j);
  step_near(s.offload, (4 + 3 * 4) * own / copy, 1e-9);
  j.p.offload = DTC_OFFLOAD_NVME;
  s = step_of(&j);
  step_near(s.offload, (4 + 3 * 4) * own / copy + 8 * 24 * own / j.c.nvme_bandwidth, 1e-9);
}

/* ---- attention of other models --------------------------------------------------------------- */

static double score_flops(const step_job *j)
{
  dtc_step_term terms[STEP_TERMS];
  size_t n = step_terms(j, NULL, terms);
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += strcmp(dtc_step_term_text(terms[i].index, DTC_LANG_EN), "attention, forward") == 0
               ? terms[i].flops * terms[i].count
               : 0;
  return sum;
}

/* An encoder sees all of its 512 tokens, a decoder half of 1024 and all of the encoder's. */
static void encoders_see_everything(void **state)
{
  (void)state;
  step_job j = {check_shape(DTC_ARCH_MEGATRON, 12, 768, 12, 29184), step_cluster("dgx-h100"), check_plan()};
  j.m.encoder_layers = 6;
  j.m.context = 1024;
  j.m.position = DTC_POSITION_LEARNED;
  j.p.framework = DTC_FRAMEWORK_MEGATRON;
  j.p.seq = 1024;
  j.p.encoder_seq = 512;
  double encoder = 6 * 4.0 * 512 * 512 * 768;
  double decoder = 12 * (2.0 * 1024 * 1024 * 768 + 4.0 * 1024 * 512 * 768);
  step_near(score_flops(&j), encoder + decoder, 1e-12);
  step_job bert = {check_shape(DTC_ARCH_BERT, 12, 768, 12, 29184), step_cluster("dgx-h100"), check_plan()};
  bert.m.context = 512;
  bert.p.framework = DTC_FRAMEWORK_MEGATRON;
  bert.p.seq = 512;
  step_near(score_flops(&bert), 12 * 4.0 * 512 * 512 * 768, 1e-12);
}

/* Keys of 192 and values of 128 go around; heads are exchanged under Ulysses. */
static void latent_keys_and_values(void **state)
{
  (void)state;
  step_job j = step_job_of("dgx-h100", "dtcore: model=deepseek-v2-lite megatron cp=8 dp=2 mbs=1 accum=1 seq=1024");
  dtc_step_term terms[STEP_TERMS];
  size_t n = step_terms(&j, NULL, terms);
  double bytes = 0;
  for (size_t i = 0; i < n; i++)
    if (strcmp(dtc_step_term_text(terms[i].index, DTC_LANG_EN), "context parallel messages, forward") == 0)
      bytes = terms[i].bytes;
  step_near(bytes, 1024.0 * 16 * (192 + 128) * 2, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_as_they_lie),          cmocka_unit_test(messages_of_any_size),
      cmocka_unit_test(reduced_once_or_each_time),   cmocka_unit_test(only_ones_own_gradients_are_cleared),
      cmocka_unit_test(experts_have_fewer_replicas), cmocka_unit_test(tied_embeddings_are_reduced),
      cmocka_unit_test(units_hide_behind_layers),    cmocka_unit_test(hsdp_reduces_between_replicas),
      cmocka_unit_test(offloaded_optimizers),        cmocka_unit_test(encoders_see_everything),
      cmocka_unit_test(latent_keys_and_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
