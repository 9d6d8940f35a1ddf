/* Memory of Megatron-Core: worked examples with their bytes, buffers, recomputation, stages, rounding. */
#include "check.h"

#include <dtcore/memory.h>
#include "internal/catalog.h"
#include "internal/internal.h"
#include "internal/memory.h"
#include "internal/operators.h"

enum { STAGES = 64, TERMS = 128 };

#define MIB(n) ((uint64_t)(n) << 20)

static size_t list(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, dtc_memory out[STAGES])
{
  size_t n = 0;
  dtc_error e;
  DTC_INIT(&e);
  memset(out, 0, STAGES * sizeof out[0]);
  out[0].struct_size = sizeof out[0];
  check_ok(dtc_memory_stages(m, c, p, NULL, 0, out, STAGES, &n, &e), &e);
  return n;
}

static dtc_memory stage(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, size_t index)
{
  dtc_memory out[STAGES];
  assert_true(index < list(m, c, p, out));
  return out[index];
}

/* Bytes of the terms with this text. */
static uint64_t term(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, uint64_t index, const char *text)
{
  dtc_memory_term terms[TERMS];
  size_t n = 0;
  uint64_t sum = 0;
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_memory_terms(m, c, p, index, NULL, 0, terms, TERMS, &n, &e), &e);
  for (size_t i = 0; i < n; i++)
    sum += strcmp(dtc_memory_term_text(terms[i].index, DTC_LANG_EN), text) == 0 ? terms[i].bytes : 0;
  return sum;
}

static uint64_t states_of(const dtc_memory *m)
{
  return m->weights + m->gradients + m->optimizer;
}

static uint64_t kept(const dtc_model *m, const dtc_plan *p, uint64_t index)
{
  return term(m, NULL, p, index, "saved for backward, all micro-batches in flight");
}

/* ---- worked examples ----------------------------------------------------------------------------------------------- */

static dtc_plan megatron(void)
{
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_MEGATRON;
  return p;
}

/* Llama 3 70B width, 12 layers, pp 2, dp 4 on B200: measured max_memory_allocated 71,459,614,157 and 67,611,634,688. */
static void dense_on_b200(void **state)
{
  (void)state;
  dtc_model m = check_llama_width();
  dtc_cluster c = check_gpu_named("b200");
  dtc_plan p = megatron();
  p.pp = 2;
  p.dp = p.accumulation = 4;
  p.seq = 4096;
  p.attention = DTC_ATTENTION_CUDNN;
  p.attention_mask = DTC_BOOL_OFF;
  p.loss = DTC_LOSS_TE;
  dtc_memory last = stage(&m, &c, &p, 1);
  assert_true(last.params == UINT64_C(6185656320) && states_of(&last) == UINT64_C(55670906880));
  assert_true(last.workspace == UINT64_C(50593792) + UINT64_C(3814719488) + 2097152 + MIB(1));
  assert_true(last.in_flight == 1 && last.activations == UINT64_C(6750732288));
  assert_true(last.moment == DTC_MOMENT_HEAD && last.transient == UINT64_C(1320157184));
  assert_true(last.allocated == UINT64_C(67610255360)); /* measured: + 0.002 % */
  dtc_memory first = stage(&m, &c, &p, 0);
  assert_true(first.in_flight == 2 && first.activations == UINT64_C(13501464576));
  assert_true(first.moment == DTC_MOMENT_BACKWARD && first.allocated == UINT64_C(71457144832));
}

/* 12 layers of h 512 with dropout, micro-batch 4. */
static dtc_model small(void)
{
  dtc_model m;
  DTC_INIT(&m);
  m.layers = 12;
  m.hidden = 512;
  m.heads = 8;
  m.ffn = 2048;
  m.vocab = 50257;
  m.context = 1024;
  m.norm = DTC_NORM_LAYERNORM;
  m.position = DTC_POSITION_LEARNED;
  m.tied = m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_ON;
  m.gated = DTC_BOOL_OFF;
  return m;
}

static dtc_plan small_plan(void)
{
  dtc_plan p = megatron();
  p.dp = 8;
  p.micro_batch = 4;
  p.seq = 1024;
  p.attention = DTC_ATTENTION_EAGER;
  p.dropout = DTC_BOOL_ON;
  p.grad_fusion = DTC_BOOL_OFF;
  return p;
}

/* Unfused attention, dp 8 on H100: measured 581,489,664 between steps, 4,702,430,720 at the peak. */
static void unfused_on_h100(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_cluster c = check_gpu_named("h100-80gb");
  dtc_plan p = small_plan();
  dtc_memory out = stage(&m, &c, &p, 0);
  assert_true(out.params == 64109568 && states_of(&out) == 480821760);
  assert_true(out.workspace == MIB(96 + 1));
  assert_true(out.activations == UINT64_C(12) * 239075328 + MIB(2) + MIB(4)); /* embedding dropout, attention mask */
  assert_true(out.moment == DTC_MOMENT_LOSS && out.transient == UINT64_C(8388608) + UINT64_C(1236271104));
  assert_true(out.steady == 581485056 && out.allocated == UINT64_C(4702388736));
}

/* The same width with 8 experts: ep 2, etp 2, tp 2, sequence parallel, dp 4; measured 1,027,089,408 and 3,300,554,752. */
static void experts_on_h100(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_cluster c = check_gpu_named("h100-80gb");
  dtc_plan p = small_plan();
  m.experts = 8;
  m.top_k = 1;
  m.moe_ffn = 2048;
  m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_OFF;
  p.dp = 4;
  p.tp = p.ep = p.etp = 2;
  p.sequence_parallel = DTC_BOOL_ON;
  p.dispatcher = DTC_DISPATCHER_ALLGATHER;
  dtc_memory out = stage(&m, &c, &p, 0);
  assert_true(out.params == 19801088 + 50331648 && states_of(&out) == 782189568);
  assert_true(out.workspace == UINT64_C(234881024) + 8388608 + MIB(1)); /* with the global buffer */
  assert_true(kept(&m, &p, 0) == UINT64_C(1637449728));
  assert_true(out.moment == DTC_MOMENT_LOSS && out.transient == 623902720);
  assert_true(out.steady == 1025459200 && out.allocated == UINT64_C(3293103104));
}

/* ---- buffers ------------------------------------------------------------------------------------------------------- */

/* cuBLAS and Transformer Engine by the GPU, a stand-in for each distinct weight shape, and what sequence parallelism
 * gathers into. */
static void workspaces(void **state)
{
  (void)state;
  const struct {
    const char *gpu;
    uint64_t kernels;
  } gpus[] = {
      {"h100-80gb", MIB(64 + 32)}, {"a100-80gb", MIB(16) + MIB(1) / 4 + MIB(4)}, {"b200", MIB(48) + MIB(1) / 4}};
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = megatron();
  p.tp = 2;
  p.seq = 2048;
  p.vocab_multiple = 1;
  uint64_t shapes = 4096 * 6144 + 4096 * 4096 + 4096 * 2 * 14336 + 14336 * 4096; /* qkv, out, gate and up, down */
  uint64_t others = 2 * (shapes + UINT64_C(128256) * 4096) / 2 + 4 * 128 * 2048 + MIB(1); /* rotary angles, scalars */
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
    dtc_cluster c = check_gpu_named(gpus[i].gpu);
    p.sequence_parallel = DTC_BOOL_OFF;
    assert_true(stage(&m, &c, &p, 0).workspace == gpus[i].kernels + others);
    p.sequence_parallel = DTC_BOOL_ON;
    assert_true(stage(&m, &c, &p, 0).workspace == gpus[i].kernels + others + UINT64_C(2) * 2048 * 4096);
  }
  p.pp = 2; /* no product of PyTorch's where no head is */
  assert_true(term(&m, NULL, &p, 0, "cuBLAS workspace") == 0 && term(&m, NULL, &p, 1, "cuBLAS workspace") == MIB(64));
  p.cublas_workspace = MIB(1);
  assert_true(term(&m, NULL, &p, 1, "cuBLAS workspace") == MIB(2));
}

/* The local modules have no workspace of Transformer Engine, no stand-ins, and keep their scores in the global buffer. */
static void local_modules(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  p.grad_fusion = DTC_BOOL_ON;
  p.transformer_engine = DTC_BOOL_OFF;
  assert_true(term(&m, NULL, &p, 0, "Transformer Engine's workspace") == 0);
  assert_true(term(&m, NULL, &p, 0, "stand-ins for fused weight gradients") == 0);
  assert_true(term(&m, NULL, &p, 0, "Megatron's global buffer") == UINT64_C(2) * 4 * 8 * 1024 * 1024);
  assert_true(term(&m, NULL, &p, 0, "causal mask of unfused attention") == 0);
  p.seq = 1022; /* no multiple of 4: PyTorch's softmax, with one mask for all layers */
  assert_true(term(&m, NULL, &p, 0, "causal mask of unfused attention") == 1022 * 1022);
}

/* ---- the loss ------------------------------------------------------------------------------------------------------ */

static void cross_entropies(void **state)
{
  (void)state;
  static const struct {
    dtc_loss loss;
    uint64_t each;
  } losses[] = {{DTC_LOSS_UPCAST, 6}, {DTC_LOSS_FUSED, 10}, {DTC_LOSS_TE, 2}};
  dtc_model m = small();
  dtc_plan p = small_plan();
  uint64_t hidden = UINT64_C(2) * 4096 * 512;
  uint64_t logits = UINT64_C(4096) * 50304;
  for (size_t i = 0; i < 3; i++) {
    dtc_memory_held held[DTC_MOMENT_REST] = {{.struct_size = sizeof *held}};
    size_t n = 0;
    p.loss = losses[i].loss;
    assert_int_equal(dtc_memory_moments(&m, NULL, &p, 0, NULL, 0, held, DTC_MOMENT_REST, &n, NULL), DTC_OK);
    uint64_t found = 0;
    for (size_t k = 0; k < n; k++)
      found = held[k].moment == DTC_MOMENT_LOSS ? held[k].transient : found;
    assert_true(found == 2 * hidden + losses[i].each * logits);
  }
}

/* ---- recomputation ------------------------------------------------------------------------------------------------- */

static void recomputed_layers(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  uint64_t input = UINT64_C(2) * 4096 * 512;
  uint64_t layer = kept(&m, &p, 0) / 12;
  p.recompute = DTC_RECOMPUTE_FULL;
  assert_true(kept(&m, &p, 0) == 12 * input && term(&m, NULL, &p, 0, "recomputed layers") == layer);
  p.recompute_layers = 5; /* uniform: 5, 5, 2 */
  assert_true(kept(&m, &p, 0) == 3 * input && term(&m, NULL, &p, 0, "recomputed layers") == 5 * layer);
  p.recompute_method = DTC_RECOMPUTE_METHOD_BLOCK;
  assert_true(kept(&m, &p, 0) == 5 * input + 7 * layer && term(&m, NULL, &p, 0, "recomputed layers") == layer);
  p.recompute_layers = 0; /* all */
  assert_true(kept(&m, &p, 0) == 12 * input);
  p.tp = 2;
  p.recompute_distributed = DTC_BOOL_ON;
  assert_true(kept(&m, &p, 0) == 12 * input / 2);
}

/* ---- experts ------------------------------------------------------------------------------------------------------- */

static void routed_rows(void **state)
{
  (void)state;
  int bad = 0;
  dtc_model m = small();
  dtc_plan p = small_plan();
  m.experts = 8;
  m.top_k = 2;
  p.etp = p.tp = 1;
  p.load_percent = 100;
  assert_int_equal(dtci_routed_rows(&m, &p, 1001, &bad), 2002);
  p.load_percent = 150; /* of the busiest rank */
  assert_int_equal(dtci_routed_rows(&m, &p, 1001, &bad), 3003);
  p.capacity_percent = 125; /* each expert ceil(2002 / 8 * 1.25) = 313, filled up: the load does not matter */
  assert_int_equal(dtci_routed_rows(&m, &p, 1001, &bad), 8 * 313);
  p.etp = 4; /* every rank of the group has all rows */
  assert_int_equal(dtci_routed_rows(&m, &p, 1001, &bad), 4 * 8 * 313);
  assert_int_equal(bad, 0);
}

/* ---- stages -------------------------------------------------------------------------------------------------------- */

/* Interleaved in groups: 2 (pp - r - 1) + (vpp - 1) group + 1 chunks, at most all. */
static void chunks_in_flight(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  m.layers = 16;
  p.pp = p.vpp = 2;
  p.dp = 1;
  p.accumulation = 8;
  uint64_t chunk = kept(&m, &p, 1) / 3;
  assert_true(kept(&m, &p, 0) == 5 * chunk);
  p.group = 4;
  assert_true(kept(&m, &p, 1) == 5 * chunk);
  p.accumulation = 2;
  p.group = 2;
  assert_true(kept(&m, &p, 0) == 4 * chunk);
}

/* With the loss as a layer, the last chunk of the last rank is a layer shorter, and in flight once. */
static void uneven_chunks(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  uint64_t layer = kept(&m, &p, 0) / 12;
  m.layers = 14;
  p.pp = 4;
  p.vpp = 2;
  p.dp = 2;
  p.accumulation = 8;
  p.account_embedding = p.account_loss = DTC_BOOL_ON;
  assert_true(kept(&m, &p, 3) == (1 + 2 * 4) * layer);
}

/* An MTP module runs behind the last chunk: in flight once, with an embedding of its own when there is a pipeline. */
static void mtp_modules(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  m.layers = 16;
  p.pp = p.vpp = 2;
  p.dp = 1;
  p.accumulation = 8;
  uint64_t without = kept(&m, &p, 1);
  uint64_t params = stage(&m, NULL, &p, 1).params;
  m.mtp_layers = 2;
  assert_true(kept(&m, &p, 1) == without);
  assert_true(term(&m, NULL, &p, 1, "saved for backward by MTP modules") == 2 * (without / 3 / 4));
  assert_true(term(&m, NULL, &p, 1, "logits of MTP modules in fp32") == UINT64_C(2) * 4 * 4096 * 50304);
  dtc_params count;
  DTC_INIT(&count);
  assert_int_equal(dtc_model_params(&m, &count, NULL), DTC_OK);
  assert_true(stage(&m, NULL, &p, 1).params == params + count.mtp + UINT64_C(50304) * 512);
}

/* ---- what the allocator rounds up ---------------------------------------------------------------------------------- */

static void blocks(void **state)
{
  (void)state;
  const uint64_t sizes[] = {MIB(4), MIB(4) + MIB(1) / 2, MIB(5), MIB(12), MIB(1)};
  assert_true(dtci_block_size(sizes, 5, MIB(4)) == MIB(4) + MIB(1) / 2); /* the smallest that is at most 1 MiB larger */
  assert_true(dtci_block_size(sizes, 5, MIB(5)) == MIB(5));
  assert_true(dtci_block_size(sizes, 5, MIB(12)) == MIB(12) && dtci_block_size(sizes, 5, MIB(1)) == MIB(1));
}

/* Tensors of h 512 without a distributed optimizer, tp 1: weights of 2 MiB take ten to a segment of 20 MiB and leave no
 * rest; with the optimizer sharded, or with Muon, nothing is replayed. */
static void rounding(void **state)
{
  (void)state;
  const char *text = "what the caching allocator rounds up";
  dtc_model m = small();
  dtc_plan p = small_plan();
  assert_true(term(&m, NULL, &p, 0, text) == 0);
  p.sharding = DTC_SHARDING_DDP;
  uint64_t waste = term(&m, NULL, &p, 0, text);
  assert_true(waste > 0 && waste < MIB(54));
  p.optimizer = DTC_OPTIMIZER_MUON;
  assert_true(term(&m, NULL, &p, 0, text) == 0);
}

/* ---- other models -------------------------------------------------------------------------------------------------- */

/* A hybrid's layers: H in and out of its norm and the rest of its kind. */
static void hybrids(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  uint64_t t = 4096;
  m.layers = 4;
  m.mamba_layers = 2;
  m.mlp_layers = 1;
  p.dropout = DTC_BOOL_OFF;
  uint64_t mamba = t * 2 * (2 * 512 + 2048 + 2 * 8 * 128 + 16 + 3 * 1024);
  uint64_t mlp = t * 2 * (2 * 512 + 2 * 2048);
  uint64_t attention = t * 2 * (2 * 512 + 3 * 512 + 512 + 8 * 1024);
  assert_true(kept(&m, &p, 0) == 2 * mamba + mlp + attention);
}

/* ---- types --------------------------------------------------------------------------------------------------------- */

/* fp32 copies of fp16's gradients stay until the next step clears them. */
static void fp16_at_rest(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  dtc_memory bf16 = stage(&m, NULL, &p, 0);
  p.precision = DTC_PRECISION_FP16;
  dtc_memory fp16 = stage(&m, NULL, &p, 0);
  assert_true(bf16.steady - fp16.steady == 2 * bf16.params - 4 * bf16.params / 8);
}

/* Layer-wise Muon: what is no matrix of a layer lies whole on the rank that has the embedding. */
static void whole_tensors(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  p.optimizer = DTC_OPTIMIZER_MUON;
  uint64_t even = stage(&m, NULL, &p, 0).optimizer;
  p.whole_tensors = DTC_BOOL_ON;
  uint64_t rest = stage(&m, NULL, &p, 0).params - 12 * UINT64_C(12) * 512 * 512;
  assert_true(stage(&m, NULL, &p, 0).optimizer - even == 12 * rest - 12 * rest / 8);
}

/* Megatron-FSDP keeps untied embedding and head whole beside the shards, with fp8 their gradients too. fp8 weights and
 * transposes lie beside bf16's, unless these are not kept. */
static void types_beside_the_shards(void **state)
{
  (void)state;
  dtc_model m = small();
  dtc_plan p = small_plan();
  m.tied = DTC_BOOL_OFF;
  uint64_t table = UINT64_C(50304) * 512;
  dtc_memory out = stage(&m, NULL, &p, 0);
  p.precision = DTC_PRECISION_FP8;
  dtc_memory fp8 = stage(&m, NULL, &p, 0);
  p.precision = DTC_PRECISION_FP4;
  dtc_memory fp4 = stage(&m, NULL, &p, 0);
  assert_memory_equal(&fp4, &fp8, sizeof fp4);
  p.precision = DTC_PRECISION_FP8;
  assert_true(fp8.weights == out.weights + 2 * (out.params - 2 * table));
  p.fp8_params = DTC_BOOL_ON;
  assert_true(stage(&m, NULL, &p, 0).weights == out.weights);
  p.sharding = DTC_SHARDING_FSDP;
  assert_true(term(&m, NULL, &p, 0, "16-bit embedding and head outside FSDP's units") == 2 * 2 * table);
  assert_true(term(&m, NULL, &p, 0, ".. their gradients") == 4 * 2 * table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dense_on_b200),
      cmocka_unit_test(unfused_on_h100),
      cmocka_unit_test(experts_on_h100),
      cmocka_unit_test(workspaces),
      cmocka_unit_test(local_modules),
      cmocka_unit_test(cross_entropies),
      cmocka_unit_test(recomputed_layers),
      cmocka_unit_test(routed_rows),
      cmocka_unit_test(chunks_in_flight),
      cmocka_unit_test(uneven_chunks),
      cmocka_unit_test(mtp_modules),
      cmocka_unit_test(blocks),
      cmocka_unit_test(rounding),
      cmocka_unit_test(hybrids),
      cmocka_unit_test(fp16_at_rest),
      cmocka_unit_test(whole_tensors),
      cmocka_unit_test(types_beside_the_shards),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
