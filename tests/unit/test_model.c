/* Models: defaults, what is refused, parameters, the parameter list, FLOPs. The catalogue's numbers are tested in
 * test_model_catalog.c. */
#include "check.h"

#include <stdio.h>

#include "internal/model.h"

static dtc_model resolved(dtc_model m)
{
  dtc_model out;
  DTC_INIT(&out);
  assert_int_equal(dtc_model_resolve(&m, &out, NULL), DTC_OK);
  return out;
}

static dtc_params params_of(dtc_model m)
{
  dtc_params p;
  DTC_INIT(&p);
  assert_int_equal(dtc_model_params(&m, &p, NULL), DTC_OK);
  return p;
}

static uint64_t tensors_of(dtc_model m)
{
  uint64_t count = 0;
  assert_int_equal(dtc_model_tensor_count(&m, &count, NULL), DTC_OK);
  return count;
}

static dtc_tensor tensor_at(dtc_model m, uint64_t i)
{
  dtc_tensor t;
  DTC_INIT(&t);
  assert_int_equal(dtc_model_tensor(&m, i, &t, NULL), DTC_OK);
  return t;
}

static dtc_model mla(dtc_arch arch)
{
  dtc_model m = check_shape(arch, 2, 64, 4, 32);
  m.ffn = 96;
  m.experts = 2;
  m.top_k = 1;
  m.moe_ffn = 16;
  m.shared_ffn = 32;
  m.dense_layers = 1;
  m.q_rank = 24;
  m.kv_rank = 8;
  m.qk_nope_dim = 12;
  m.qk_rope_dim = 6;
  m.v_dim = 10;
  return m;
}

/* ---- defaults ----------------------------------------------------------------------------------------------------- */

static void defaults_follow_from_the_shape(void **state)
{
  (void)state;
  dtc_model m = resolved(check_shape(DTC_ARCH_DEFAULT, 2, 96, 8, 100));
  assert_int_equal(m.arch, DTC_ARCH_MEGATRON);
  assert_true(m.kv_heads == 8 && m.head_dim == 12 && m.ffn == 384 && m.norms == 2);
  assert_true(m.norm == DTC_NORM_LAYERNORM && m.position == DTC_POSITION_ROPE);
  assert_true(m.tied == DTC_BOOL_ON && m.gated == DTC_BOOL_OFF && m.qkv_bias == DTC_BOOL_ON);
  assert_true(m.experts == 0 && m.top_k == 0 && m.moe_ffn == 0 && m.moe_every == 0 && m.window == 0);
}

static void defaults_of_an_moe_model(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_MIXTRAL, 2, 64, 4, 100);
  m.experts = 4;
  m = resolved(m);
  assert_true(m.top_k == 1 && m.moe_ffn == 256 && m.moe_every == 1 && m.moe_offset == 0 && m.shared_ffn == 0);
  assert_true(m.gated == DTC_BOOL_ON && m.tied == DTC_BOOL_OFF && m.router_bias == DTC_BOOL_OFF);
}

static void defaults_of_mla(void **state)
{
  (void)state;
  dtc_model m = mla(DTC_ARCH_DEEPSEEK_V3);
  m.v_dim = 0;
  m = resolved(m);
  assert_true(m.head_dim == 18 && m.v_dim == 12 && m.kv_heads == 4 && m.router_bias == DTC_BOOL_ON);
}

/* What the caller said stays, even against the family's habit. */
static void what_is_said_is_kept(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 64, 4, 100);
  m.tied = DTC_BOOL_ON;
  m.qkv_bias = DTC_BOOL_ON;
  m.head_dim = 32;
  m.kv_heads = 2;
  m = resolved(m);
  assert_true(m.tied == DTC_BOOL_ON && m.qkv_bias == DTC_BOOL_ON && m.head_dim == 32 && m.kv_heads == 2);
}

static void check_idempotent(dtc_model m)
{
  dtc_model once = resolved(m);
  dtc_model twice = resolved(once);
  assert_memory_equal(&once, &twice, sizeof once);
}

static void resolving_twice_changes_nothing(void **state)
{
  (void)state;
  for (size_t i = 0; i < dtc_model_count(); i++) {
    dtc_model m = check_named(dtc_model_name(i));
    dtc_model again = resolved(m);
    assert_memory_equal(&m, &again, sizeof m); /* the catalogue gives resolved models */
  }
  check_idempotent(check_shape(DTC_ARCH_DEFAULT, 2, 96, 8, 100));
  check_idempotent(check_shape(DTC_ARCH_MEGATRON, 1, (uint64_t)1 << 24, 1 << 20, (uint64_t)1 << 32));
  check_idempotent(mla(DTC_ARCH_DEEPSEEK_V2));
}

/* A head of 2^20 + 2^20 would be no legal head_dim of the resolved model. */
static void derived_values_are_in_their_ranges_too(void **state)
{
  (void)state;
  dtc_model m = mla(DTC_ARCH_DEEPSEEK_V2);
  dtc_error e;
  DTC_INIT(&e);
  m.qk_nope_dim = 1 << 20;
  m.qk_rope_dim = 1 << 20;
  assert_int_equal(dtc_model_resolve(&m, &m, &e), DTC_E_RANGE);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------- */

#define FIELD(x) DTC_FIELD(model, x)

static void set(dtc_model *m, uint32_t field, uint64_t v)
{
  dtci_write(m, dtci_field_of(field), v);
}

static dtc_error refusal(dtc_model m, dtc_status status)
{
  dtc_model out;
  dtc_params p;
  uint64_t count = 77;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&p);
  DTC_INIT(&e);
  assert_int_equal(dtc_model_resolve(&m, &out, &e), status);
  assert_int_equal(e.status, status);
  assert_int_equal(dtc_model_params(&m, &p, NULL), status);
  assert_int_equal(dtc_model_tensor_count(&m, &count, NULL), status);
  assert_true(out.layers == 0 && p.total == 0 && count == 77);
  return e;
}

static void required_fields_are_named(void **state)
{
  (void)state;
  static const uint32_t fields[] = {FIELD(layers), FIELD(hidden), FIELD(heads), FIELD(vocab)};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 64, 4, 100);
    set(&m, fields[i], 0);
    assert_int_equal(refusal(m, DTC_E_RANGE).field, fields[i]);
  }
}

static void too_large_a_count_is_named(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, (uint64_t)1 << 63, 64, 4, 100);
  dtc_error e = refusal(m, DTC_E_RANGE);
  assert_true(e.field == FIELD(layers) && e.got == (uint64_t)1 << 63 && e.max == 1 << 20);
}

static void heads_must_fit(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 64, 6, 100);
  dtc_error e = refusal(m, DTC_E_DIVIDE);
  assert_true(e.field == FIELD(heads) && e.other == FIELD(hidden) && e.got == 6 && e.other_got == 64 && e.lower == 4);
  m.head_dim = 16; /* said, so that nothing need divide */
  assert_int_equal(resolved(m).head_dim, 16);
  m.kv_heads = 4;
  e = refusal(m, DTC_E_DIVIDE);
  assert_true(e.field == FIELD(kv_heads) && e.other == FIELD(heads) && e.got == 4 && e.other_got == 6 && e.lower == 3);
  m.kv_heads = 7;
  e = refusal(m, DTC_E_CONFLICT);
  assert_true(e.field == FIELD(kv_heads) && e.other == FIELD(heads) && e.min == 1 && e.max == 6);
}

/* Each field that only means something beside another. */
static void fields_that_need_another_are_refused_alone(void **state)
{
  (void)state;
  static const struct {
    uint32_t field;
    uint32_t other;
  } rows[] = {
      {FIELD(top_k), FIELD(experts)},        {FIELD(moe_ffn), FIELD(experts)},     {FIELD(shared_ffn), FIELD(experts)},
      {FIELD(dense_layers), FIELD(experts)}, {FIELD(moe_every), FIELD(experts)},   {FIELD(moe_offset), FIELD(experts)},
      {FIELD(q_rank), FIELD(kv_rank)},       {FIELD(qk_nope_dim), FIELD(kv_rank)}, {FIELD(qk_rope_dim), FIELD(kv_rank)},
      {FIELD(v_dim), FIELD(kv_rank)},        {FIELD(window_every), FIELD(window)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_model m = check_shape(DTC_ARCH_MEGATRON, 2, 64, 4, 100);
    set(&m, rows[i].field, 1);
    dtc_error e = refusal(m, DTC_E_CONFLICT);
    assert_int_equal(e.rule, DTC_RULE_MODEL_NEEDS);
    assert_true(e.field == rows[i].field && e.other == rows[i].other);
  }
}

static void moe_fields_must_fit(void **state)
{
  (void)state;
  static const struct {
    uint32_t field;
    uint64_t good;
  } rows[] = {{FIELD(top_k), 4}, {FIELD(dense_layers), 6}, {FIELD(moe_offset), 2}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_model m = check_shape(DTC_ARCH_MEGATRON, 6, 64, 4, 100);
    m.experts = 4;
    m.moe_every = 3;
    set(&m, rows[i].field, rows[i].good);
    (void)resolved(m);
    set(&m, rows[i].field, rows[i].good + 1);
    dtc_error e = refusal(m, DTC_E_CONFLICT);
    assert_true(e.field == rows[i].field && e.max == rows[i].good);
  }
}

static void mla_fields_must_fit(void **state)
{
  (void)state;
  dtc_model m = mla(DTC_ARCH_DEEPSEEK_V3);
  m.qk_nope_dim = 0;
  assert_int_equal(refusal(m, DTC_E_CONFLICT).field, FIELD(qk_nope_dim));
  m = mla(DTC_ARCH_DEEPSEEK_V3);
  m.head_dim = 16;
  dtc_error e = refusal(m, DTC_E_CONFLICT);
  assert_true(e.field == FIELD(head_dim) && e.min == 18 && e.max == 18);
}

static void a_learned_position_table_needs_a_length(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_GPT2, 2, 64, 4, 100);
  m.context = 0;
  dtc_error e = refusal(m, DTC_E_CONFLICT);
  assert_true(e.field == FIELD(context) && e.other == FIELD(position) && e.other_got == DTC_POSITION_LEARNED);
}

static void three_norms_are_no_layer(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_GEMMA2, 2, 64, 4, 100);
  m.norms = 3;
  assert_int_equal(refusal(m, DTC_E_CONFLICT).field, FIELD(norms));
}

static void features_that_the_architecture_lacks_are_refused(void **state)
{
  (void)state;
  static const struct {
    dtc_arch arch;
    uint32_t field;
    uint64_t value;
  } rows[] = {
      {DTC_ARCH_LLAMA, FIELD(qk_norm), DTC_BOOL_ON},
      {DTC_ARCH_LLAMA, FIELD(norm), DTC_NORM_LAYERNORM},
      {DTC_ARCH_LLAMA, FIELD(gated), DTC_BOOL_OFF},
      {DTC_ARCH_LLAMA, FIELD(position), DTC_POSITION_LEARNED},
      {DTC_ARCH_LLAMA, FIELD(embed_norm), DTC_BOOL_ON},
      {DTC_ARCH_LLAMA, FIELD(head_bias), DTC_BOOL_ON},
      {DTC_ARCH_LLAMA, FIELD(norms), 1},
      {DTC_ARCH_LLAMA, FIELD(norms), 4},
      {DTC_ARCH_LLAMA, FIELD(experts), 2},
      {DTC_ARCH_GPT2, FIELD(gated), DTC_BOOL_ON},
      {DTC_ARCH_GPT2, FIELD(qk_norm), DTC_BOOL_ON},
      {DTC_ARCH_GPT2, FIELD(head_bias), DTC_BOOL_ON},
      {DTC_ARCH_PHI3, FIELD(qkv_bias), DTC_BOOL_ON},
      {DTC_ARCH_PHI3, FIELD(out_bias), DTC_BOOL_ON},
      {DTC_ARCH_PHI3, FIELD(mlp_bias), DTC_BOOL_ON},
      {DTC_ARCH_FALCON, FIELD(norms), 4},
      {DTC_ARCH_GEMMA2, FIELD(norms), 2},
      {DTC_ARCH_MEGATRON, FIELD(norms), 1},
      {DTC_ARCH_MEGATRON, FIELD(embed_norm), DTC_BOOL_ON},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_model m = check_shape(rows[i].arch, 2, 64, 4, 100);
    (void)resolved(m);
    set(&m, rows[i].field, rows[i].value);
    dtc_error e = refusal(m, DTC_E_UNSUPPORTED);
    assert_int_equal(e.rule, DTC_RULE_ARCH_FEATURE);
    if (e.field != rows[i].field)
      fail_msg("row %u names %s", (unsigned)i, dtc_field_name(e.field));
    assert_true(e.got == rows[i].value && e.other == FIELD(arch) && e.other_got == rows[i].arch);
  }
}

static void moe_features_that_the_architecture_lacks_are_refused(void **state)
{
  (void)state;
  static const struct {
    dtc_arch arch;
    uint32_t field;
    uint64_t value;
    uint32_t named;
  } rows[] = {
      {DTC_ARCH_MIXTRAL, FIELD(experts), 0, FIELD(experts)},
      {DTC_ARCH_MIXTRAL, FIELD(dense_layers), 1, FIELD(experts)},
      {DTC_ARCH_MIXTRAL, FIELD(shared_ffn), 64, FIELD(shared_ffn)},
      {DTC_ARCH_MIXTRAL, FIELD(router_bias), DTC_BOOL_ON, FIELD(router_bias)},
      {DTC_ARCH_MIXTRAL, FIELD(mlp_bias), DTC_BOOL_ON, FIELD(mlp_bias)},
      {DTC_ARCH_QWEN3_MOE, FIELD(shared_ffn), 64, FIELD(shared_ffn)},
      {DTC_ARCH_QWEN3_MOE, FIELD(router_bias), DTC_BOOL_ON, FIELD(router_bias)},
      {DTC_ARCH_QWEN3_MOE, FIELD(kv_rank), 8, FIELD(kv_rank)},
      {DTC_ARCH_GPT_OSS, FIELD(shared_ffn), 64, FIELD(shared_ffn)},
      {DTC_ARCH_GPT_OSS, FIELD(dense_layers), 1, FIELD(experts)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_model m = check_shape(rows[i].arch, 2, 64, 4, 100);
    m.experts = 2;
    (void)resolved(m);
    set(&m, rows[i].field, rows[i].value);
    m.qk_nope_dim = m.kv_rank;
    assert_int_equal(refusal(m, DTC_E_UNSUPPORTED).field, rows[i].named);
  }
  dtc_model m = check_shape(DTC_ARCH_DEEPSEEK_V3, 2, 64, 4, 100); /* not MLA */
  m.experts = 2;
  assert_int_equal(refusal(m, DTC_E_UNSUPPORTED).field, FIELD(kv_rank));
}

/* The experts of Qwen's MoE models have no biases (Qwen2MoeMLP, Qwen3MoeMLP): they would be left out of the count. */
static void biases_that_no_expert_has_are_refused(void **state)
{
  (void)state;
  static const dtc_arch archs[] = {DTC_ARCH_QWEN2_MOE, DTC_ARCH_QWEN3_MOE};
  for (size_t i = 0; i < 2; i++) {
    dtc_model m = check_shape(archs[i], 2, 64, 4, 100);
    m.experts = 2;
    m.mlp_bias = DTC_BOOL_ON;
    assert_int_equal(refusal(m, DTC_E_UNSUPPORTED).field, FIELD(mlp_bias));
  }
}

static void counts_beyond_64_bits_are_refused(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 1 << 20, 1 << 24, 1 << 20, (uint64_t)1 << 32);
  dtc_params p;
  dtc_error e;
  double flops = 0;
  DTC_INIT(&p);
  DTC_INIT(&e);
  m.head_dim = 1 << 20;
  m.ffn = 1 << 28;
  assert_int_equal(dtc_model_params(&m, &p, &e), DTC_E_OVERFLOW);
  assert_true(e.rule == DTC_RULE_OVERFLOW && e.field == FIELD(layers) && p.total == 0);
  assert_int_equal(dtc_model_flops(&m, 1, DTC_FLOPS_SIX_N, &flops, NULL), DTC_E_OVERFLOW);
  m.head_dim = 1;
  m.layers = 1;
  m.vocab = 1;
  m.ffn = 1 << 28;
  assert_true(params_of(m).total > (uint64_t)3 << 52); /* large is not too large */
}

static void a_tensor_beyond_64_bits_is_refused(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_GPT_OSS, 1, 1 << 24, 1 << 20, 100);
  dtc_tensor t;
  dtc_error e;
  DTC_INIT(&t);
  DTC_INIT(&e);
  m.experts = 1 << 20;
  m.moe_ffn = 1 << 28;
  assert_int_equal(dtc_model_tensor(&m, 0, &t, NULL), DTC_OK);
  assert_int_equal(dtc_model_tensor(&m, 12, &t, &e), DTC_E_OVERFLOW); /* 2^20 * 2^24 * 2^29 */
  assert_int_equal(e.rule, DTC_RULE_OVERFLOW);
}

/* ---- parameters --------------------------------------------------------------------------------------------------- */

static void parameters_of_well_known_models(void **state)
{
  (void)state;
  static const struct {
    char name[20];
    uint64_t total;
  } rows[] = {
      {"opt-125m", 125239296},      {"opt-1.3b", 1315758080},  {"opt-6.7b", 6658473984},
      {"llama-3.2-1b", 1235814400}, {"qwen2-0.5b", 494032768}, {"qwen3-0.6b", 596049920},
      {"gemma-2b", 2506172416},     {"gemma-7b", 8537680896},  {"tinyllama-1.1b", 1100048384},
      {"gpt2-medium", 354823168},   {"gpt2-large", 774030080}, {"qwen1.5-moe-a2.7b", 14315784192},
      {"llama-2-70b", 68976648192}, {"phi-1.5", 1418270720},   {"gemma-3-270m", 268098176},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    uint64_t total = params_of(check_named(rows[i].name)).total;
    if (total != rows[i].total)
      fail_msg("%s: %llu", rows[i].name, (unsigned long long)total);
  }
}

static void parts_of_gpt2(void **state)
{
  (void)state;
  dtc_params p = params_of(check_named("gpt2"));
  assert_int_equal(p.embedding, 50257 * 768 + 1024 * 768);
  assert_true(p.head == 0 && p.moe_layer == 0 && p.expert == 0 && p.shared == 0 && p.router == 0 && p.mtp == 0);
  assert_int_equal(p.final_norm, 1536);
  assert_int_equal(p.attention, 768 * 2304 + 2304 + 768 * 768 + 768);
  assert_int_equal(p.mlp, 2 * 768 * 3072 + 3072 + 768);
  assert_int_equal(p.norms, 4 * 768);
  assert_int_equal(p.dense_layer, 7087872);
  assert_true(p.dense_count == 12 && p.moe_count == 0);
  assert_true(p.total == 124439808 && p.active == p.total && p.pad == 0);
}

static void parts_of_deepseek_v3(void **state)
{
  (void)state;
  dtc_params p = params_of(check_named("deepseek-v3"));
  assert_int_equal(p.attention, 187107328);
  assert_int_equal(p.mlp, 3 * 7168 * 18432);
  assert_int_equal(p.expert, 44040192);
  assert_int_equal(p.shared, 44040192);
  assert_int_equal(p.router, 256 * 7168 + 256);
  assert_int_equal(p.norms, 2 * 7168);
  assert_int_equal(p.dense_layer, p.attention + p.mlp + p.norms);
  assert_int_equal(p.moe_layer, p.attention + p.norms + p.router + 257 * p.expert);
  assert_true(p.dense_count == 3 && p.moe_count == 58);
  assert_true(p.total == 671026419200 && p.active == 37552297472);
  assert_true(p.head == 129280 * 7168 && p.embedding == p.head && p.final_norm == 7168);
  assert_true(p.mtp == 11610068224); /* one MoE layer, 2 h^2, three norms */
}

static void parts_of_gpt_oss(void **state)
{
  (void)state;
  dtc_params p = params_of(check_named("gpt-oss-20b"));
  assert_int_equal(p.expert, 3 * 2880 * 2880 + 2 * 2880 + 2880);
  assert_int_equal(p.router, 32 * 2880 + 32);
  assert_int_equal(p.attention, 26550144); /* with biases and 64 sinks */
  assert_int_equal(p.moe_layer, p.attention + p.norms + p.router + 32 * p.expert);
  assert_int_equal(p.active, p.total - UINT64_C(24) * 28 * p.expert);
}

/* A module is a layer like the last one (Megatron-Core takes the last layer's spec). */
static void a_prediction_module_is_like_the_last_layer(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 3, 64, 4, 100);
  m.experts = 4;
  m.moe_every = 2; /* layers 0 and 2 */
  m.mtp_layers = 2;
  dtc_params p = params_of(m);
  assert_int_equal(p.moe_count, 2);
  assert_int_equal(p.mtp, 2 * (p.moe_layer + 2 * 64 * 64 + 3 * p.final_norm));
  m.moe_offset = 1; /* layer 1 */
  p = params_of(m);
  assert_int_equal(p.mtp, 2 * (p.dense_layer + 2 * 64 * 64 + 3 * p.final_norm));
}

/* Written down once more, without tables: any GPT of Megatron-Core. */
static uint64_t megatron_total(const dtc_model *m)
{
  uint64_t h = m->hidden;
  uint64_t b = m->mlp_bias == DTC_BOOL_ON;
  uint64_t up = m->gated == DTC_BOOL_ON ? 2 : 1;
  uint64_t norm = m->norm == DTC_NORM_LAYERNORM ? 2 : 1;
  uint64_t q = m->heads * m->head_dim;
  uint64_t qkv = q + 2 * m->kv_heads * m->head_dim;
  uint64_t total = m->vocab * h * (m->tied == DTC_BOOL_ON ? 1 : 2) + norm * h;
  total += m->position == DTC_POSITION_LEARNED ? m->context * h : 0;
  for (uint64_t i = 0; i < m->layers; i++) {
    total += 2 * norm * h + qkv * h + q * h;
    total += m->qkv_bias == DTC_BOOL_ON ? qkv : 0;
    total += m->out_bias == DTC_BOOL_ON ? h : 0;
    total += m->qk_norm == DTC_BOOL_ON ? 2 * norm * m->head_dim : 0;
    if (m->experts == 0 || i < m->dense_layers || i % m->moe_every != m->moe_offset) {
      total += (up + 1) * m->ffn * h + b * (up * m->ffn + h);
      continue;
    }
    total += m->experts * h + (m->router_bias == DTC_BOOL_ON ? m->experts : 0);
    total += m->experts * ((up + 1) * m->moe_ffn * h + b * (up * m->moe_ffn + h));
    total += (up + 1) * m->shared_ffn * h + (m->shared_ffn != 0 && m->shared_gate == DTC_BOOL_ON ? h : 0);
  }
  return total;
}

static dtc_bool coin(uint64_t *seed)
{
  return check_random(seed, 2) != 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

static void random_experts(dtc_model *m, uint64_t *seed)
{
  m->experts = 1 + check_random(seed, 5);
  m->top_k = 1 + check_random(seed, m->experts);
  m->moe_ffn = 4 + check_random(seed, 60);
  m->moe_every = 1 + check_random(seed, 4);
  m->moe_offset = check_random(seed, m->moe_every);
  m->dense_layers = check_random(seed, m->layers + 1);
  m->mtp_layers = check_random(seed, 3);
}

static dtc_model random_megatron(uint64_t *seed)
{
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 1 + check_random(seed, 9), 8 * (1 + check_random(seed, 9)), 0, 0);
  m.kv_heads = 1 + check_random(seed, 4);
  m.heads = m.kv_heads * (1 + check_random(seed, 3));
  m.head_dim = 2 + check_random(seed, 30);
  m.ffn = 1 + check_random(seed, 200);
  m.vocab = 1 + check_random(seed, 1000);
  m.norm = (dtc_norm)(1 + check_random(seed, 2));
  m.position = (dtc_position)(1 + check_random(seed, 4));
  m.tied = coin(seed);
  m.gated = coin(seed);
  m.qkv_bias = coin(seed);
  m.out_bias = coin(seed);
  m.mlp_bias = coin(seed);
  m.qk_norm = coin(seed);
  if (check_random(seed, 3) != 0) {
    random_experts(&m, seed);
    m.shared_ffn = check_random(seed, 2) * (1 + check_random(seed, 50));
    m.shared_gate = coin(seed);
    m.router_bias = coin(seed);
  }
  return m;
}

/* The list holds what the counts say: layer by layer, kind by kind. */
static void check_list(dtc_model m)
{
  m = resolved(m);
  dtc_params p = params_of(m);
  uint64_t kinds[DTC_TENSOR_KIND_HEAD + 1] = {0};
  uint64_t count = tensors_of(m);
  uint64_t layer = 0;
  uint64_t in_layer = 0;
  uint64_t outside = 0;
  for (uint64_t i = 0; i <= count; i++) {
    dtc_tensor t = {.layer = DTC_NONE};
    if (i < count)
      t = tensor_at(m, i);
    if (in_layer != 0 && t.layer != layer) { /* a layer is complete */
      int moe = m.experts != 0 && layer >= m.dense_layers && layer % m.moe_every == m.moe_offset;
      assert_true(in_layer == (moe ? p.moe_layer : p.dense_layer));
      in_layer = 0;
      layer++;
    }
    if (i == count)
      break;
    assert_true(t.numel == t.dim0 * t.dim1 * t.dim2 && t.numel != 0 && t.struct_size == sizeof t);
    assert_true(t.dims == (t.dim2 > 1 ? 3u : t.dims) && (t.dims >= 2 || t.dim1 == 1) && (t.dims == 3 || t.dim2 == 1));
    assert_true(t.expert == DTC_NONE || (t.kind == DTC_TENSOR_KIND_EXPERT && t.expert < m.experts));
    assert_true(t.layer == layer || (t.layer == DTC_NONE && in_layer == 0));
    *(t.layer == DTC_NONE ? &outside : &in_layer) += t.numel;
    kinds[t.kind] += t.numel;
  }
  assert_int_equal(layer, m.layers);
  assert_true(outside == p.embedding + p.head + p.final_norm);
  assert_true(outside + p.dense_count * p.dense_layer + p.moe_count * p.moe_layer == p.total);
  assert_true(kinds[DTC_TENSOR_KIND_EMBEDDING] == p.embedding && kinds[DTC_TENSOR_KIND_HEAD] == p.head);
  assert_true(kinds[DTC_TENSOR_KIND_ATTENTION] == m.layers * p.attention);
  assert_true(kinds[DTC_TENSOR_KIND_NORM] == m.layers * p.norms);
  assert_true(kinds[DTC_TENSOR_KIND_MLP] == p.dense_count * p.mlp);
  assert_true(kinds[DTC_TENSOR_KIND_ROUTER] == p.moe_count * p.router);
  assert_true(kinds[DTC_TENSOR_KIND_SHARED] == p.moe_count * p.shared);
  assert_true(kinds[DTC_TENSOR_KIND_EXPERT] == p.moe_count * m.experts * p.expert);
  assert_true(p.total - p.active == p.moe_count * (m.experts - m.top_k) * p.expert);
}

static void a_thousand_random_models_count_right(void **state)
{
  (void)state;
  uint64_t seed = 2026;
  for (int i = 0; i < 1000; i++) {
    dtc_model m = random_megatron(&seed);
    dtc_model r = resolved(m);
    dtc_params p = params_of(m);
    assert_true(p.total == megatron_total(&r));
    assert_int_equal(p.dense_count + p.moe_count, m.layers);
    check_list(m);
    check_idempotent(m);
  }
}

/* Every architecture of experts, in any pattern that it allows. */
static void random_patterns_of_moe_layers_count_right(void **state)
{
  (void)state;
  static const dtc_arch archs[] = {DTC_ARCH_QWEN2_MOE,   DTC_ARCH_QWEN3_MOE, DTC_ARCH_DEEPSEEK_V2,
                                   DTC_ARCH_DEEPSEEK_V3, DTC_ARCH_MIXTRAL,   DTC_ARCH_GPT_OSS};
  uint64_t seed = 7;
  for (int i = 0; i < 600; i++) {
    dtc_model m = check_shape(archs[i % 6], 1 + check_random(&seed, 12), 64, 4, 50);
    random_experts(&m, &seed);
    if (m.arch == DTC_ARCH_MIXTRAL || m.arch == DTC_ARCH_GPT_OSS)
      m.moe_every = m.moe_offset = m.dense_layers = 0;
    if (m.arch == DTC_ARCH_DEEPSEEK_V2 || m.arch == DTC_ARCH_DEEPSEEK_V3) {
      m.kv_rank = 8;
      m.q_rank = 16 * check_random(&seed, 2);
      m.qk_nope_dim = 5;
      m.qk_rope_dim = 3;
      m.shared_ffn = 24 * check_random(&seed, 2);
    }
    check_list(m);
  }
}

static void check_catalogue(int large)
{
  for (size_t i = 0; i < dtc_model_count(); i++) {
    dtc_model m = check_named(dtc_model_name(i));
    if ((tensors_of(m) > 5000) == large)
      check_list(m);
  }
}

static void lists_of_the_catalogue_add_up(void **state)
{
  (void)state;
  check_catalogue(0);
}

static void long_lists_of_the_catalogue_add_up(void **state)
{
  (void)state;
  check_catalogue(1);
}

static void check_pattern(uint64_t dense_layers, uint64_t every, uint64_t offset, const char *pattern)
{
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, strlen(pattern), 16, 2, 10);
  m.experts = 2;
  m.dense_layers = dense_layers;
  m.moe_every = every;
  m.moe_offset = offset;
  m = resolved(m);
  uint64_t until = 0;
  for (uint64_t i = 0; i < m.layers; i++) {
    assert_int_equal(dtci_is_moe(&m, i), pattern[i] == 'M');
    assert_int_equal(dtci_moe_layers(&m, i), until);
    until += pattern[i] == 'M';
  }
  assert_int_equal(params_of(m).moe_count, until);
  check_list(m);
}

static void moe_layers_lie_where_they_are_said_to(void **state)
{
  (void)state;
  check_pattern(0, 0, 0, "MMMM");
  check_pattern(0, 2, 0, "MdMdMd");
  check_pattern(0, 2, 1, "dMdMdMd");
  check_pattern(3, 1, 0, "dddMMM");
  check_pattern(3, 2, 0, "ddddMdMd");
  check_pattern(3, 2, 1, "dddMdMdM");
  check_pattern(1, 3, 0, "dddMddMd");
  check_pattern(5, 3, 2, "dddddMddM");
  check_pattern(4, 1, 0, "dddd");
  check_pattern(0, 9, 8, "ddd");
}

static void the_same_shape_counts_the_same_under_megatron(void **state)
{
  (void)state;
  static const char names[][20] = {"llama-2-7b", "llama-3-70b",   "mistral-nemo-12b", "llama-3.2-1b", "mixtral-8x7b",
                                   "qwen2.5-7b", "qwen3-30b-a3b", "deepseek-v3",      "gpt2"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    dtc_model m = check_named(names[i]);
    dtc_params a = params_of(m);
    m.arch = DTC_ARCH_MEGATRON;
    dtc_params b = params_of(m);
    assert_memory_equal(&a, &b, sizeof a);
  }
}

/* ---- the list ----------------------------------------------------------------------------------------------------- */

static void name_at(dtc_model m, uint64_t i, char name[96])
{
  size_t len = 0;
  assert_int_equal(dtc_model_tensor_name(&m, i, name, 96, &len, NULL), DTC_OK);
  assert_int_equal(strlen(name), len);
}

/* All names of a model; in `names`, which has spaces between them, '@' stands for `layer`. */
static void check_names(dtc_model m, const char *layer, const char *names)
{
  uint64_t count = tensors_of(m);
  uint64_t i = 0;
  while (*names != 0) {
    char want[128];
    char got[96];
    size_t n = strcspn(names, " ");
    (void)snprintf(want, sizeof want, "%s%.*s", *names == '@' ? layer : "", (int)(n - (*names == '@')),
                   names + (*names == '@'));
    assert_true(i < count);
    name_at(m, i++, got);
    assert_string_equal(got, want);
    names += n + (names[n] == ' ');
  }
  assert_int_equal(i, count);
}

/* One layer; two experts where there are some. */
static dtc_model one_layer(dtc_arch arch, uint64_t experts)
{
  dtc_model m = check_shape(arch, 1, 64, 4, 100);
  m.experts = experts;
  return m;
}

#define BOTH(x) x ".weight " x ".bias "
#define QKVO "@self_attn.q_proj.weight @self_attn.k_proj.weight @self_attn.v_proj.weight @self_attn.o_proj.weight "
#define QKVO_BIASED BOTH("@self_attn.q_proj") BOTH("@self_attn.k_proj") BOTH("@self_attn.v_proj")
#define QK_NORM "@self_attn.q_norm.weight @self_attn.k_norm.weight "
#define SWIGLU "@mlp.gate_proj.weight @mlp.up_proj.weight @mlp.down_proj.weight "
#define TWO_NORMS "@input_layernorm.weight @post_attention_layernorm.weight "
#define FOUR_NORMS TWO_NORMS "@pre_feedforward_layernorm.weight @post_feedforward_layernorm.weight "
#define EXPERT(n)                                                                                                      \
  "@mlp.experts." n ".gate_proj.weight @mlp.experts." n ".up_proj.weight @mlp.experts." n ".down_proj.weight "

/* clang-format off */
static void names_of_llama_and_relatives(void **state)
{
  (void)state;
  static const char layer[] = "model.layers.0.";
#define START "model.embed_tokens.weight "
#define TIED "model.norm.weight"
#define END TIED " lm_head.weight"
  check_names(one_layer(DTC_ARCH_LLAMA, 0), layer, START QKVO SWIGLU TWO_NORMS END);
  check_names(one_layer(DTC_ARCH_QWEN2, 0), layer, START QKVO_BIASED "@self_attn.o_proj.weight " SWIGLU TWO_NORMS END);
  check_names(one_layer(DTC_ARCH_QWEN3, 0), layer, START QKVO QK_NORM SWIGLU TWO_NORMS END);
  check_names(one_layer(DTC_ARCH_GEMMA, 0), layer, START QKVO SWIGLU TWO_NORMS TIED);
  check_names(one_layer(DTC_ARCH_GEMMA2, 0), layer, START QKVO SWIGLU FOUR_NORMS TIED);
  check_names(one_layer(DTC_ARCH_GEMMA3, 0), layer, START QKVO QK_NORM SWIGLU FOUR_NORMS TIED);
  check_names(one_layer(DTC_ARCH_PHI3, 0), layer,
              START "@self_attn.o_proj.weight @self_attn.qkv_proj.weight @mlp.gate_up_proj.weight "
              "@mlp.down_proj.weight " TWO_NORMS END);
}

static void names_of_moe_models(void **state)
{
  (void)state;
  static const char layer[] = "model.layers.0.";
  check_names(one_layer(DTC_ARCH_MIXTRAL, 2), layer,
              START QKVO "@block_sparse_moe.gate.weight @block_sparse_moe.experts.0.w1.weight "
              "@block_sparse_moe.experts.0.w2.weight @block_sparse_moe.experts.0.w3.weight "
              "@block_sparse_moe.experts.1.w1.weight @block_sparse_moe.experts.1.w2.weight "
              "@block_sparse_moe.experts.1.w3.weight " TWO_NORMS END);
  dtc_model m = one_layer(DTC_ARCH_QWEN2_MOE, 2);
  m.shared_ffn = 32;
  check_names(m, layer,
              START QKVO_BIASED "@self_attn.o_proj.weight @mlp.gate.weight " EXPERT("0")
              EXPERT("1") "@mlp.shared_expert.gate_proj.weight @mlp.shared_expert.up_proj.weight "
              "@mlp.shared_expert.down_proj.weight @mlp.shared_expert_gate.weight " TWO_NORMS END);
  check_names(one_layer(DTC_ARCH_QWEN3_MOE, 2), layer,
              START QKVO QK_NORM "@mlp.gate.weight " EXPERT("0") EXPERT("1") TWO_NORMS END);
  check_names(one_layer(DTC_ARCH_GPT_OSS, 2), layer,
              START "@self_attn.sinks " QKVO_BIASED BOTH("@self_attn.o_proj")
              BOTH("@mlp.router") "@mlp.experts.gate_up_proj @mlp.experts.gate_up_proj_bias @mlp.experts.down_proj "
              "@mlp.experts.down_proj_bias " TWO_NORMS END);
}

static void names_of_deepseek(void **state)
{
  (void)state;
#define LOW_RANK_Q "@self_attn.q_a_proj.weight @self_attn.q_a_layernorm.weight @self_attn.q_b_proj.weight "
#define LOW_RANK_KV                                                                                                    \
  "@self_attn.kv_a_proj_with_mqa.weight @self_attn.kv_a_layernorm.weight @self_attn.kv_b_proj.weight "                 \
  "@self_attn.o_proj.weight "
#define SHARED                                                                                                         \
  "@mlp.shared_experts.gate_proj.weight @mlp.shared_experts.up_proj.weight @mlp.shared_experts.down_proj.weight "
  dtc_model m = mla(DTC_ARCH_DEEPSEEK_V3);
  m.layers = 1;
  check_names(m, "model.layers.0.", START LOW_RANK_Q LOW_RANK_KV SWIGLU TWO_NORMS END);
  m.dense_layers = 0;
  check_names(m, "model.layers.0.",
              START LOW_RANK_Q LOW_RANK_KV EXPERT("0")
              EXPERT("1") "@mlp.gate.weight @mlp.gate.e_score_correction_bias " SHARED TWO_NORMS END);
  m.arch = DTC_ARCH_DEEPSEEK_V2;
  m.q_rank = 0;
  check_names(m, "model.layers.0.",
              START "@self_attn.q_proj.weight " LOW_RANK_KV EXPERT("0")
              EXPERT("1") "@mlp.gate.weight " SHARED TWO_NORMS END);
}

static void names_of_gpt_models(void **state)
{
  (void)state;
  check_names(one_layer(DTC_ARCH_GPT2, 0), "transformer.h.0.",
              "transformer.wte.weight transformer.wpe.weight " BOTH("@ln_1") BOTH("@attn.c_attn") BOTH("@attn.c_proj")
              BOTH("@ln_2") BOTH("@mlp.c_fc") BOTH("@mlp.c_proj") "transformer.ln_f.weight transformer.ln_f.bias");
  check_names(one_layer(DTC_ARCH_OPT, 0), "model.decoder.layers.0.",
              "model.decoder.embed_tokens.weight model.decoder.embed_positions.weight "
              BOTH("model.decoder.final_layer_norm") BOTH("@self_attn.k_proj") BOTH("@self_attn.v_proj")
              BOTH("@self_attn.q_proj") BOTH("@self_attn.out_proj") BOTH("@self_attn_layer_norm") BOTH("@fc1")
              BOTH("@fc2") "@final_layer_norm.weight @final_layer_norm.bias");
  check_names(one_layer(DTC_ARCH_BLOOM, 0), "transformer.h.0.",
              "transformer.word_embeddings.weight " BOTH("transformer.word_embeddings_layernorm")
              BOTH("@input_layernorm") BOTH("@self_attention.query_key_value") BOTH("@self_attention.dense")
              BOTH("@post_attention_layernorm") BOTH("@mlp.dense_h_to_4h")
              BOTH("@mlp.dense_4h_to_h") "transformer.ln_f.weight transformer.ln_f.bias");
  check_names(one_layer(DTC_ARCH_GPT_NEOX, 0), "gpt_neox.layers.0.",
              "gpt_neox.embed_in.weight " BOTH("@input_layernorm") BOTH("@post_attention_layernorm")
              BOTH("@attention.query_key_value") BOTH("@attention.dense") BOTH("@mlp.dense_h_to_4h")
              BOTH("@mlp.dense_4h_to_h") BOTH("gpt_neox.final_layer_norm") "embed_out.weight");
}

static void names_of_models_with_parallel_blocks(void **state)
{
  (void)state;
#define FALCON_CORE                                                                                                    \
  "transformer.word_embeddings.weight @self_attention.query_key_value.weight @self_attention.dense.weight "            \
  "@mlp.dense_h_to_4h.weight @mlp.dense_4h_to_h.weight "
  dtc_model m = one_layer(DTC_ARCH_FALCON, 0);
  check_names(m, "transformer.h.0.",
              FALCON_CORE BOTH("@input_layernorm") "transformer.ln_f.weight transformer.ln_f.bias");
  m.norms = 2;
  check_names(m, "transformer.h.0.",
              FALCON_CORE BOTH("@ln_attn") BOTH("@ln_mlp") "transformer.ln_f.weight transformer.ln_f.bias");
  check_names(one_layer(DTC_ARCH_PHI, 0), "model.layers.0.",
              START QKVO_BIASED BOTH("@self_attn.dense") BOTH("@mlp.fc1") BOTH("@mlp.fc2") BOTH("@input_layernorm")
              BOTH("model.final_layernorm") "lm_head.weight lm_head.bias");
}

static void names_of_megatron(void **state)
{
  (void)state;
  dtc_model m = one_layer(DTC_ARCH_MEGATRON, 0);
  m.position = DTC_POSITION_LEARNED;
  check_names(m, "decoder.layers.0.",
              "embedding.word_embeddings.weight embedding.position_embeddings.weight " BOTH("@input_layernorm")
              BOTH("@self_attention.linear_proj") BOTH("@self_attention.linear_qkv") BOTH("@pre_mlp_layernorm")
              BOTH("@mlp.linear_fc1")
              BOTH("@mlp.linear_fc2") "decoder.final_layernorm.weight decoder.final_layernorm.bias");
  m.experts = 2;
  m.norm = DTC_NORM_RMSNORM;
  m.position = DTC_POSITION_ROPE;
  m.tied = m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_OFF;
  m.qk_norm = m.gated = DTC_BOOL_ON;
  check_names(m, "decoder.layers.0.",
              "embedding.word_embeddings.weight @input_layernorm.weight @self_attention.linear_proj.weight "
              "@self_attention.linear_qkv.weight @self_attention.q_layernorm.weight "
              "@self_attention.k_layernorm.weight @pre_mlp_layernorm.weight @mlp.router.weight "
              "@mlp.experts.local_experts.0.linear_fc1.weight @mlp.experts.local_experts.0.linear_fc2.weight "
              "@mlp.experts.local_experts.1.linear_fc1.weight @mlp.experts.local_experts.1.linear_fc2.weight "
              "decoder.final_layernorm.weight output_layer.weight");
}

/* clang-format on */

static void names_are_unique(void **state)
{
  (void)state;
  static const char names[][20] = {"gpt2", "opt-125m", "llama-3-8b", "qwen3-0.6b", "gemma-3-270m", "phi-1.5"};
  static char all[1024][96];
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    dtc_model m = check_named(names[k]);
    uint64_t count = tensors_of(m);
    assert_in_range(count, 100, 1024);
    for (uint64_t i = 0; i < count; i++) {
      name_at(m, i, all[i]);
      for (uint64_t j = 0; j < i; j++)
        assert_string_not_equal(all[i], all[j]);
    }
  }
}

static void experts_are_numbered_layer_by_layer(void **state)
{
  (void)state;
  dtc_model m = check_named("mixtral-8x7b");
  char name[96];
  uint64_t per_layer = 4 + 1 + 3 * 8 + 2;
  uint64_t at = 1 + 31 * per_layer + 4 + 1 + 3 * 7 + 2; /* layer 31, expert 7, w3 */
  dtc_tensor t = tensor_at(m, at);
  name_at(m, at, name);
  assert_string_equal(name, "model.layers.31.block_sparse_moe.experts.7.w3.weight");
  assert_true(t.layer == 31 && t.expert == 7 && t.kind == DTC_TENSOR_KIND_EXPERT);
  assert_true(t.dims == 2 && t.dim0 == 14336 && t.dim1 == 4096 && t.dim2 == 1);
  assert_int_equal(tensors_of(m), 1 + 32 * per_layer + 2);
  t = tensor_at(m, at - 3 * 8); /* the router, in front of all experts */
  assert_true(t.kind == DTC_TENSOR_KIND_ROUTER && t.expert == DTC_NONE && t.dim0 == 8 && t.dim1 == 4096);
}

static void check_dims(const char *model, uint64_t i, uint64_t dim0, uint64_t dim1, uint64_t dim2)
{
  dtc_tensor t = tensor_at(check_named(model), i);
  assert_true(t.dim0 == dim0 && t.dim1 == dim1 && t.dim2 == dim2);
  assert_int_equal(t.dims, dim2 != 1 ? 3 : dim1 != 1 ? 2 : 1);
}

static void shapes_of_tensors(void **state)
{
  (void)state;
  check_dims("gpt2", 1, 1024, 768, 1);
  check_dims("gpt2", 4, 768, 2304, 1); /* Conv1D: in, out */
  check_dims("gpt2", 5, 2304, 1, 1);
  check_dims("opt-125m", 1, 2050, 768, 1); /* two rows more than positions */
  check_dims("llama-3-8b", 2, 1024, 4096, 1);
  check_dims("falcon-7b", 1, 4672, 4544, 1);
  check_dims("phi-4", 2, 7680, 5120, 1);
  check_dims("deepseek-v3", 1, 1536, 7168, 1);
  check_dims("deepseek-v3", 4, 576, 7168, 1);
  check_dims("deepseek-v3", 6, 32768, 512, 1);
  check_dims("gpt-oss-20b", 1, 64, 1, 1);
  check_dims("gpt-oss-20b", 12, 32, 2880, 5760);
  check_dims("gpt-oss-20b", 13, 32, 5760, 1);
}

static void long_names_are_cut(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 1, 64, 4, 100);
  static const char whole[] = "model.layers.0.self_attn.q_proj.weight";
  for (size_t cap = 0; cap <= sizeof whole + 1; cap++) {
    char buf[64];
    size_t len = 0;
    size_t kept = cap == 0 ? 0 : cap < sizeof whole ? cap - 1 : sizeof whole - 1;
    memset(buf, 0x7f, sizeof buf);
    assert_int_equal(dtc_model_tensor_name(&m, 1, cap != 0 ? buf : NULL, cap, &len, NULL), DTC_OK);
    assert_int_equal(len, sizeof whole - 1);
    if (cap != 0) {
      assert_memory_equal(buf, whole, kept);
      assert_int_equal(buf[kept], 0);
    }
    assert_int_equal(buf[cap], 0x7f);
  }
  assert_int_equal(dtc_model_tensor_name(&m, 1, NULL, 0, NULL, NULL), DTC_OK);
}

static void an_index_behind_the_last_is_refused(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 64, 4, 100);
  uint64_t wrong[] = {1 + 2 * 9 + 2, UINT64_MAX, (uint64_t)1 << 63};
  assert_int_equal(tensors_of(m), wrong[0]);
  for (size_t i = 0; i < 3; i++) {
    dtc_tensor t;
    dtc_error e;
    size_t len = 5;
    DTC_INIT(&t);
    DTC_INIT(&e);
    assert_int_equal(dtc_model_tensor(&m, wrong[i], &t, &e), DTC_E_RANGE);
    assert_true(e.rule == DTC_RULE_INDEX && e.field == DTC_ARG_INDEX && e.got == wrong[i]);
    assert_true(e.min == 0 && e.max == wrong[0] - 1 && t.numel == 0);
    assert_int_equal(dtc_model_tensor_name(&m, wrong[i], NULL, 0, &len, NULL), DTC_E_RANGE);
    assert_int_equal(len, 5);
  }
}

/* ---- FLOPs -------------------------------------------------------------------------------------------------------- */

static double flops_of(dtc_model m, uint64_t seq, dtc_flops_convention convention)
{
  double flops = 0;
  assert_int_equal(dtc_model_flops(&m, seq, convention, &flops, NULL), DTC_OK);
  return flops;
}

/* N = 7504658432, embedding and head 525336576 each, L H s = 2^30. */
static void flops_of_llama_3_8b(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  check_near(flops_of(m, 8192, DTC_FLOPS_DEFAULT), 51470401536.0);
  check_near(flops_of(m, 8192, DTC_FLOPS_MEGATRON), 51470401536.0);
  check_near(flops_of(m, 8192, DTC_FLOPS_MEGATRON_FULL), 57912852480.0);
  check_near(flops_of(m, 8192, DTC_FLOPS_MEGATRON_HFU), 67576528896.0);
  check_near(flops_of(m, 8192, DTC_FLOPS_PALM), 61066469376.0);
  check_near(flops_of(m, 8192, DTC_FLOPS_PALM_HFU), 81421959168.0);
  check_near(flops_of(m, 8192, DTC_FLOPS_TORCHTITAN), 57914449920.0); /* 6 (N_all - embedding) + 12 L H s */
  check_near(flops_of(m, 8192, DTC_FLOPS_SIX_N), 45027950592.0);
}

/* 96 L h^2 (1 + s/6h + V/16Lh), vocabulary 51200. */
static void flops_of_gpt3(void **state)
{
  (void)state;
  dtc_model m = check_named("gpt3-175b");
  m.vocab = 51200;
  check_near(flops_of(m, 2048, DTC_FLOPS_NARAYANAN_HFU), 1433998983168.0);
  check_near(flops_of(m, 2048, DTC_FLOPS_KORTHIKANTI), 1076442955776.0);
  check_near(flops_of(m, 2048, DTC_FLOPS_KORTHIKANTI_HFU), 1105433985024.0);
  check_near(flops_of(m, 2048, DTC_FLOPS_MEGATRON_FULL), 1076442955776.0); /* the same sum for a plain GPT */
}

static void flops_of_moe_models_count_the_experts_in_use(void **state)
{
  (void)state;
  dtc_model m = check_named("mixtral-8x7b");
  dtc_params p = params_of(m);
  assert_int_equal(p.active, 12879925248);
  check_near(flops_of(m, 4096, DTC_FLOPS_SIX_N), 76491522048.0);
  check_near(flops_of(m, 4096, DTC_FLOPS_MEGATRON), 79712747520.0);
  check_near(flops_of(m, 4096, DTC_FLOPS_PALM), 6 * 12879925248.0 + 12.0 * 32 * 4096 * 4096);
  check_near(flops_of(check_named("deepseek-v3"), 4096, DTC_FLOPS_MEGATRON), 250449887232.0);
  assert_int_equal(params_of(check_named("qwen3-30b-a3b")).active, 3353032704);
}

/* A tied head is one more product, though no more parameters. */
static void a_tied_head_is_computed(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  double tied = flops_of(m, 4096, DTC_FLOPS_MEGATRON);
  m.tied = DTC_BOOL_OFF;
  check_near(tied, flops_of(m, 4096, DTC_FLOPS_MEGATRON));
  check_near(tied, 6 * (1235814400.0 - 33 * 2048) + 6.0 * 16 * 2048 * 4096);
}

static void flops_refuse_what_they_do_not_know(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 64, 4, 100);
  static const uint64_t wrong[] = {0, ((uint64_t)1 << 32) + 1, UINT64_MAX};
  double flops = 7;
  dtc_error e;
  DTC_INIT(&e);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(dtc_model_flops(&m, wrong[i], DTC_FLOPS_PALM, &flops, &e), DTC_E_RANGE);
    assert_true(e.field == DTC_ARG_SEQ && e.got == wrong[i] && e.min == 1 && e.max == (uint64_t)1 << 32);
  }
  assert_int_equal(dtc_model_flops(&m, 1, 99, &flops, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_CONVENTION && e.got == 99 && e.max == DTC_FLOPS_FOUR_N);
  assert_int_equal(dtc_model_flops(&m, 1, DTC_FLOPS_FOUR_N + 1, &flops, &e), DTC_E_RANGE);
  assert_true(flops > 6.9 && flops < 7.1);
  assert_int_equal(dtc_model_flops(&m, (uint64_t)1 << 32, DTC_FLOPS_PALM, &flops, &e), DTC_OK);
  assert_true(flops > 12.0 * 2 * 64 * 4294967296.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_follow_from_the_shape),
      cmocka_unit_test(defaults_of_an_moe_model),
      cmocka_unit_test(defaults_of_mla),
      cmocka_unit_test(what_is_said_is_kept),
      cmocka_unit_test(resolving_twice_changes_nothing),
      cmocka_unit_test(derived_values_are_in_their_ranges_too),
      cmocka_unit_test(required_fields_are_named),
      cmocka_unit_test(too_large_a_count_is_named),
      cmocka_unit_test(heads_must_fit),
      cmocka_unit_test(fields_that_need_another_are_refused_alone),
      cmocka_unit_test(moe_fields_must_fit),
      cmocka_unit_test(mla_fields_must_fit),
      cmocka_unit_test(a_learned_position_table_needs_a_length),
      cmocka_unit_test(three_norms_are_no_layer),
      cmocka_unit_test(features_that_the_architecture_lacks_are_refused),
      cmocka_unit_test(moe_features_that_the_architecture_lacks_are_refused),
      cmocka_unit_test(biases_that_no_expert_has_are_refused),
      cmocka_unit_test(counts_beyond_64_bits_are_refused),
      cmocka_unit_test(a_tensor_beyond_64_bits_is_refused),
      cmocka_unit_test(parameters_of_well_known_models),
      cmocka_unit_test(parts_of_gpt2),
      cmocka_unit_test(parts_of_deepseek_v3),
      cmocka_unit_test(parts_of_gpt_oss),
      cmocka_unit_test(a_prediction_module_is_like_the_last_layer),
      cmocka_unit_test(a_thousand_random_models_count_right),
      cmocka_unit_test(random_patterns_of_moe_layers_count_right),
      cmocka_unit_test(lists_of_the_catalogue_add_up),
      cmocka_unit_test(long_lists_of_the_catalogue_add_up),
      cmocka_unit_test(moe_layers_lie_where_they_are_said_to),
      cmocka_unit_test(the_same_shape_counts_the_same_under_megatron),
      cmocka_unit_test(names_of_llama_and_relatives),
      cmocka_unit_test(names_of_moe_models),
      cmocka_unit_test(names_of_deepseek),
      cmocka_unit_test(names_of_gpt_models),
      cmocka_unit_test(names_of_models_with_parallel_blocks),
      cmocka_unit_test(names_of_megatron),
      cmocka_unit_test(names_are_unique),
      cmocka_unit_test(experts_are_numbered_layer_by_layer),
      cmocka_unit_test(shapes_of_tensors),
      cmocka_unit_test(long_names_are_cut),
      cmocka_unit_test(an_index_behind_the_last_is_refused),
      cmocka_unit_test(flops_of_llama_3_8b),
      cmocka_unit_test(flops_of_gpt3),
      cmocka_unit_test(flops_of_moe_models_count_the_experts_in_use),
      cmocka_unit_test(a_tied_head_is_computed),
      cmocka_unit_test(flops_refuse_what_they_do_not_know),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
