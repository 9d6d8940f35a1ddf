/* Models beyond GPT: T5's encoder and cross attention, BERT, hybrids of Mamba-2, attention and MLP layers. */
#include "check.h"

#include <stdio.h>

#include "internal/model.h"

#define FIELD(x) DTC_FIELD(model, x)

static dtc_model resolved(dtc_model m)
{
  dtc_model out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  check_ok(dtc_model_resolve(&m, &out, &e), &e);
  return out;
}

static dtc_params params_of(dtc_model m)
{
  dtc_params p;
  dtc_error e;
  DTC_INIT(&p);
  DTC_INIT(&e);
  check_ok(dtc_model_params(&m, &p, &e), &e);
  return p;
}

static dtc_error refusal(dtc_model m, dtc_status status)
{
  dtc_model out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  assert_int_equal(dtc_model_resolve(&m, &out, &e), status);
  return e;
}

/* Megatron's functional test of T5: 220M. */
static dtc_model t5(void)
{
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 12, 768, 12, 29184);
  m.encoder_layers = 12;
  m.position = DTC_POSITION_LEARNED;
  m.context = 512;
  return m;
}

/* Its test of BERT, and of a hybrid: 20 mixers, 20 MLPs, 4 attention layers. */
static dtc_model bert(void)
{
  dtc_model m = check_shape(DTC_ARCH_BERT, 24, 1024, 16, 30592);
  m.context = 512;
  return m;
}

static dtc_model hybrid(void)
{
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 44, 1024, 16, 50304);
  m.mamba_layers = 20;
  m.mlp_layers = 20;
  return m;
}

/* ---- counts ------------------------------------------------------------------------------------------------------- */

static void parts_of_t5(void **state)
{
  (void)state;
  enum { H = 768, FFN = 3072, V = 29184 };
  dtc_params p = params_of(t5());
  assert_int_equal(p.attention, 4 * H * H + 4 * H);
  assert_int_equal(p.cross, p.attention);
  assert_int_equal(p.mlp, 2 * H * FFN + FFN + H);
  assert_int_equal(p.encoder_layer, p.attention + p.mlp + 4 * H);
  assert_int_equal(p.dense_layer, p.encoder_layer + p.cross + 2 * H);
  assert_true(p.norms == 6 * H && p.encoder_count == 12 && p.dense_count == 12);
  assert_int_equal(p.embedding, V * H + 512 * H);
  assert_int_equal(p.final_norm, 4 * H);
  assert_int_equal(p.head, V); /* tied: its bias */
  assert_true(p.total == UINT64_C(221314560) && p.active == p.total && p.mamba_layer == 0 && p.attention_layer == 0);
}

static void parts_of_bert(void **state)
{
  (void)state;
  enum { H = 1024, V = 30592 };
  dtc_params p = params_of(bert());
  assert_int_equal(p.embedding, (V + 512 + 2) * H);
  assert_int_equal(p.dense_layer, 12 * H * H + 13 * H);
  assert_int_equal(p.final_norm, 2 * H);
  assert_int_equal(p.head, (H * H + 3 * H + V) + (H * H + H) + (2 * H + 2)); /* masked words, pooler, next sentence */
  assert_int_equal(p.total, p.embedding + 24 * p.dense_layer + p.final_norm + p.head);
  assert_int_equal(p.total, 336297858);
  dtc_model m = bert();
  m.tied = DTC_BOOL_OFF;
  assert_int_equal(params_of(m).head, p.head + V * H);
  m.head_bias = DTC_BOOL_OFF;
  assert_int_equal(params_of(m).head, p.head + V * H - V);
}

static void parts_of_a_hybrid(void **state)
{
  (void)state;
  enum { H = 1024, INNER = 2048, BC = 2 * 8 * 128, HEADS = 32 };
  dtc_model m = resolved(hybrid());
  assert_true(m.mamba_inner == INNER && m.mamba_heads == HEADS && m.mamba_groups == 8 && m.mamba_state == 128);
  dtc_params p = params_of(m);
  uint64_t mixer = (2 * INNER + BC + HEADS) * H + 5 * (INNER + BC) + 3 * HEADS + INNER + INNER * H;
  assert_int_equal(p.mamba_layer, mixer + 2 * H);
  assert_int_equal(p.attention_layer, 4 * H * H + 4 * H + 2 * H);
  assert_int_equal(p.mlp_layer, 8 * H * H + 5 * H + 2 * H);
  assert_true(p.mamba_count == 20 && p.attention_count == 4 && p.mlp_count == 20 && p.dense_count == 0);
  assert_true(p.dense_layer == 0 && p.norms == 2 * H && p.attention == 4 * H * H + 4 * H);
  assert_int_equal(p.total, 20 * p.mamba_layer + 4 * p.attention_layer + 20 * p.mlp_layer + 50304 * H + 2 * H);
  assert_int_equal(p.total, 405151616);
  m = hybrid();
  m.mamba_heads = 24; /* of 64 each */
  m.mamba_groups = 2;
  m.mamba_state = 16;
  m.norm = DTC_NORM_RMSNORM;
  mixer = (2 * 1536 + 64 + 24) * H + 5 * (1536 + 64) + 3 * 24 + 1536 + 1536 * H;
  assert_int_equal(params_of(m).mamba_layer, mixer + H);
}

/* Layers without attention, without mixers, without an MLP. */
static void hybrids_of_fewer_kinds(void **state)
{
  (void)state;
  dtc_model m = hybrid();
  m.mlp_layers = 24;
  dtc_params p = params_of(m);
  assert_true(p.attention == 0 && p.attention_layer == 0 && p.attention_count == 0 && p.mlp_count == 24);
  m.mamba_layers = 0;
  p = params_of(m);
  assert_true(p.mamba_layer == 0 && p.attention_count == 20 && p.attention != 0);
  m = hybrid();
  m.mlp_layers = 0;
  p = params_of(m);
  assert_true(p.mlp == 0 && p.mlp_layer == 0 && p.attention_count == 24);
}

static uint64_t on_a_rank(const dtci_group *g, uint64_t tp)
{
  assert_int_equal(g->params[1] % tp, 0);
  return g->params[0] + g->params[1] / tp;
}

/* What tensor parallelism splits. */
static void parts_of_a_tensor_parallel_rank(void **state)
{
  (void)state;
  enum { H = 1024, T = 4 };
  dtci_weights w;
  dtc_model m = resolved(hybrid());
  assert_int_equal(dtci_model_weights(&m, &w, NULL), DTC_OK);
  assert_int_equal(on_a_rank(&w.mamba, T), (params_of(m).mamba_layer - 2 * H) / T + 2 * H);
  assert_int_equal(on_a_rank(&w.attention, T), (4 * H * H + 3 * H) / T + 3 * H);
  assert_int_equal(on_a_rank(&w.mlp, T), (8 * H * H + 4 * H) / T + 3 * H);
  assert_true(w.dense.params[1] == 0 && w.encoder.params[1] == 0 && w.cross.params[1] == 0);
  /* matrices of the mixer: its projections, not the convolution */
  assert_int_equal(w.mamba.matrices[1], 6176 * H + 2048 * H);
  assert_int_equal(w.mamba.factors, 3 * 32 + (6176 + H) + 4096 * 5 + 4096 + 2048 + (2048 + H) + 2 * H);
  m = resolved(bert());
  assert_int_equal(dtci_model_weights(&m, &w, NULL), DTC_OK);
  assert_int_equal(on_a_rank(&w.head, T), 2 * H * H + 6 * H + 2 + 30592 / T);
  assert_int_equal(on_a_rank(&w.embedding, T), 30592 * H / T + 514 * H);
  m = resolved(t5());
  assert_int_equal(dtci_model_weights(&m, &w, NULL), DTC_OK);
  assert_int_equal(on_a_rank(&w.cross, T), (4 * 768 * 768 + 3 * 768) / T + 3 * 768);
  assert_int_equal(on_a_rank(&w.dense, T), on_a_rank(&w.encoder, T) + on_a_rank(&w.cross, T));
  assert_int_equal(on_a_rank(&w.final_norm, T), 4 * 768);
}

/* ---- the list ----------------------------------------------------------------------------------------------------- */

static dtc_model random_kinds(uint64_t *seed)
{
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 1 + check_random(seed, 40), 64 * (1 + check_random(seed, 3)), 4, 100);
  m.norm = (dtc_norm)(1 + check_random(seed, 2));
  m.tied = (dtc_bool)(1 + check_random(seed, 2));
  m.gated = (dtc_bool)(1 + check_random(seed, 2));
  m.qk_norm = (dtc_bool)(1 + check_random(seed, 2));
  m.mlp_bias = (dtc_bool)(1 + check_random(seed, 2));
  m.position = (dtc_position)(1 + check_random(seed, 2));
  if (check_random(seed, 3) == 0) {
    m.encoder_layers = 1 + check_random(seed, 9);
    return m;
  }
  m.mamba_layers = check_random(seed, m.layers + 1);
  m.mlp_layers = check_random(seed, m.layers - m.mamba_layers + 1);
  if (m.mamba_layers != 0) {
    m.mamba_groups = 1 + check_random(seed, 2);
    m.mamba_state = 1 + check_random(seed, 32);
  }
  return m;
}

static uint64_t layer_size(const dtc_model *m, const dtc_params *p, uint64_t layer)
{
  if (layer < m->encoder_layers)
    return p->encoder_layer;
  const uint64_t sizes[] = {[DTCI_DENSE_LAYER] = p->dense_layer,
                            [DTCI_MAMBA_LAYER] = p->mamba_layer,
                            [DTCI_ATTENTION_LAYER] = p->attention_layer,
                            [DTCI_MLP_LAYER] = p->mlp_layer};
  return sizes[dtci_kind_of(m, layer - m->encoder_layers)];
}

/* The list holds what the counts say, layer by layer. */
static void check_list(dtc_model m)
{
  m = resolved(m);
  dtc_params p = params_of(m);
  uint64_t sizes[64] = {0};
  uint64_t sum = 0;
  uint64_t last = 0;
  uint64_t count = 0;
  assert_int_equal(dtc_model_tensor_count(&m, &count, NULL), DTC_OK);
  for (uint64_t i = 0; i < count; i++) {
    dtc_tensor t;
    DTC_INIT(&t);
    assert_int_equal(dtc_model_tensor(&m, i, &t, NULL), DTC_OK);
    sum += t.numel;
    if (t.layer == DTC_NONE)
      continue;
    assert_true(t.layer == last || t.layer == last + 1);
    last = t.layer;
    sizes[t.layer] += t.numel;
  }
  assert_int_equal(sum, p.total);
  assert_int_equal(last + 1, m.encoder_layers + m.layers);
  for (uint64_t i = 0; i <= last; i++)
    assert_int_equal(sizes[i], layer_size(&m, &p, i));
  assert_true(p.dense_count + p.mamba_count + p.attention_count + p.mlp_count == m.layers);
}

static void random_kinds_count_right(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int i = 0; i < 600; i++)
    check_list(random_kinds(&seed));
  check_list(bert());
  check_list(t5());
  check_list(hybrid());
}

/* A mixer first, every kind in turn. */
static void kinds_are_spread_evenly(void **state)
{
  (void)state;
  dtc_model m = resolved(hybrid());
  char kinds[45] = {0};
  for (uint64_t i = 0; i < m.layers; i++)
    kinds[i] = "..M*-."[dtci_kind_of(&m, i)];
  assert_string_equal(kinds, "M-M-M-M-M-*M-M-M-M-M-*M-M-M-M-M-*M-M-M-M-M-*");
}

static void check_names(dtc_model m, const char *names)
{
  char list[2048] = "";
  uint64_t count = 0;
  assert_int_equal(dtc_model_tensor_count(&m, &count, NULL), DTC_OK);
  for (uint64_t i = 0; i < count; i++) {
    char name[96];
    assert_int_equal(dtc_model_tensor_name(&m, i, name, sizeof name, NULL, NULL), DTC_OK);
    assert_true(strlen(list) + strlen(name) + 2 < sizeof list);
    (void)strcat(strcat(list, i == 0 ? "" : " "), name);
  }
  assert_string_equal(list, names);
}

#define D "decoder.layers."
#define E "encoder.layers."
/* clang-format off */
static void names_of_t5(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 1, 64, 4, 100);
  m.encoder_layers = 1;
  m.norm = DTC_NORM_RMSNORM;
  m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_OFF;
#define SELF(x) x "0.input_layernorm.weight " x "0.self_attention.linear_proj.weight " x "0.self_attention.linear_qkv.weight "
#define MLP(x) x "0.pre_mlp_layernorm.weight " x "0.mlp.linear_fc1.weight " x "0.mlp.linear_fc2.weight "
#define T5 "embedding.word_embeddings.weight " SELF(E) MLP(E) "encoder.final_layernorm.weight " SELF(D) \
  D "0.pre_cross_attn_layernorm.weight " D "0.cross_attention.linear_proj.weight " \
  D "0.cross_attention.linear_q.weight " D "0.cross_attention.linear_kv.weight " MLP(D) \
  "decoder.final_layernorm.weight lm_head.output_layer."
  check_names(m, T5 "bias");
  m.tied = DTC_BOOL_OFF; /* then there is no bias */
  check_names(m, T5 "weight");
}

static void names_of_bert(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_BERT, 1, 64, 4, 100);
  m.norm = DTC_NORM_RMSNORM;
  m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_OFF;
  check_names(m, "embedding.word_embeddings.weight embedding.position_embeddings.weight "
              "embedding.tokentype_embeddings.weight " SELF(E) MLP(E) "encoder.final_layernorm.weight "
              "lm_head.dense.weight lm_head.dense.bias lm_head.layer_norm.weight output_layer.bias "
              "binary_head.weight binary_head.bias pooler.dense.weight pooler.dense.bias");
}

static void names_of_a_hybrid(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 3, 256, 4, 100);
  m.mamba_layers = m.mlp_layers = 1;
  m.norm = DTC_NORM_RMSNORM;
  m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_OFF;
  m.tied = DTC_BOOL_OFF;
  check_names(m, "embedding.word_embeddings.weight "
              D "0.mixer.dt_bias " D "0.mixer.A_log " D "0.mixer.D " D "0.mixer.in_proj.weight "
              D "0.mixer.conv1d.weight " D "0.mixer.conv1d.bias " D "0.mixer.norm.weight " D "0.mixer.out_proj.weight "
              D "0.norm.weight "
              D "1.pre_mlp_layernorm.weight " D "1.mlp.linear_fc1.weight " D "1.mlp.linear_fc2.weight "
              D "2.input_layernorm.weight " D "2.self_attention.linear_proj.weight "
              D "2.self_attention.linear_qkv.weight "
              "decoder.final_norm.weight output_layer.weight");
}
/* clang-format on */

/* ---- what is refused ---------------------------------------------------------------------------------------------- */

static void set(dtc_model *m, uint32_t field, uint64_t v)
{
  dtci_write(m, dtci_field_of(field), v);
}

static void what_does_not_go_together_is_refused(void **state)
{
  (void)state;
  static const struct {
    uint32_t field;
    uint64_t value;
    uint32_t beside;
    uint64_t beside_value;
    uint32_t named;
  } rows[] = {
      {FIELD(encoder_layers), 2, FIELD(experts), 4, FIELD(experts)},
      {FIELD(encoder_layers), 2, FIELD(kv_heads), 2, FIELD(kv_heads)},
      {FIELD(encoder_layers), 2, FIELD(mtp_layers), 1, FIELD(mtp_layers)},
      {FIELD(encoder_layers), 2, FIELD(mamba_layers), 1, FIELD(mamba_layers)},
      {FIELD(encoder_layers), 2, FIELD(mlp_layers), 1, FIELD(mlp_layers)},
      {FIELD(mamba_layers), 1, FIELD(experts), 4, FIELD(experts)},
      {FIELD(mlp_layers), 1, FIELD(experts), 4, FIELD(experts)},
      {FIELD(mamba_layers), 1, FIELD(mtp_layers), 1, FIELD(mtp_layers)},
      {FIELD(mamba_layers), 3, FIELD(mlp_layers), 2, FIELD(mlp_layers)},
      {FIELD(mamba_layers), 5, FIELD(mlp_layers), 0, FIELD(mamba_layers)},
      {FIELD(mamba_inner), 64, FIELD(mlp_layers), 1, FIELD(mamba_inner)},
      {FIELD(mamba_heads), 1, FIELD(mlp_layers), 1, FIELD(mamba_heads)},
      {FIELD(mamba_groups), 1, FIELD(mlp_layers), 1, FIELD(mamba_groups)},
      {FIELD(mamba_state), 1, FIELD(mlp_layers), 1, FIELD(mamba_state)},
      {FIELD(mamba_layers), 1, FIELD(mamba_inner), 100, FIELD(mamba_heads)}, /* no heads of 64 */
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_model m = check_shape(DTC_ARCH_MEGATRON, 4, 256, 4, 100);
    set(&m, rows[i].field, rows[i].value);
    set(&m, rows[i].beside, rows[i].beside_value);
    dtc_error e = refusal(m, DTC_E_CONFLICT);
    if (e.rule != DTC_RULE_MODEL_NEEDS || e.field != rows[i].named)
      fail_msg("row %u: rule %u names %s", (unsigned)i, e.rule, dtc_field_name(e.field));
  }
}

static void mla_is_refused_beside_other_kinds(void **state)
{
  (void)state;
  static const uint32_t fields[] = {FIELD(encoder_layers), FIELD(mamba_layers), FIELD(mlp_layers)};
  for (size_t i = 0; i < 3; i++) {
    dtc_model m = check_shape(DTC_ARCH_MEGATRON, 4, 256, 4, 100);
    m.kv_rank = 8;
    m.qk_nope_dim = 8;
    (void)resolved(m);
    set(&m, fields[i], 1);
    dtc_error e = refusal(m, DTC_E_CONFLICT);
    assert_true(e.field == FIELD(kv_rank) && e.other == fields[i]);
  }
}

static void heads_and_groups_of_mamba_divide(void **state)
{
  (void)state;
  dtc_model m = hybrid();
  m.mamba_heads = 30;
  m.mamba_inner = 2048;
  assert_int_equal(refusal(m, DTC_E_DIVIDE).field, FIELD(mamba_heads));
  m.mamba_heads = 32;
  m.mamba_groups = 5;
  dtc_error e = refusal(m, DTC_E_DIVIDE);
  assert_true(e.field == FIELD(mamba_groups) && e.other == FIELD(mamba_heads) && e.lower == 4);
}

/* No other architecture has these layers; T5's head alone has a bias, and only BERT another one. */
static void other_architectures_have_none_of_them(void **state)
{
  (void)state;
  static const uint32_t fields[] = {FIELD(encoder_layers), FIELD(mamba_layers), FIELD(mlp_layers)};
  static const dtc_arch archs[] = {DTC_ARCH_LLAMA, DTC_ARCH_GPT2, DTC_ARCH_BERT};
  for (size_t i = 0; i < 9; i++) {
    dtc_model m = check_shape(archs[i / 3], 4, 256, 4, 100);
    (void)resolved(m);
    set(&m, fields[i % 3], 1);
    dtc_error e = refusal(m, DTC_E_UNSUPPORTED);
    assert_true(e.rule == DTC_RULE_ARCH_FEATURE && e.field == fields[i % 3]);
  }
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 4, 256, 4, 100);
  m.head_bias = DTC_BOOL_ON;
  assert_int_equal(refusal(m, DTC_E_UNSUPPORTED).field, FIELD(head_bias));
  m.encoder_layers = 1;
  (void)resolved(m);
  m = bert();
  m.experts = 4;
  assert_int_equal(refusal(m, DTC_E_UNSUPPORTED).field, FIELD(experts));
}

static void resolving_twice_changes_nothing(void **state)
{
  (void)state;
  const dtc_model models[] = {t5(), bert(), hybrid()};
  for (size_t i = 0; i < 3; i++) {
    dtc_model once = resolved(models[i]);
    dtc_model twice = resolved(once);
    assert_memory_equal(&once, &twice, sizeof once);
  }
}

/* The conventions count layers of attention and MLP. */
static void flops_of_other_kinds_are_refused(void **state)
{
  (void)state;
  double flops = 7;
  dtc_error e;
  dtc_model m = t5();
  DTC_INIT(&e);
  assert_int_equal(dtc_model_flops(&m, 512, DTC_FLOPS_PALM, &flops, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_MODEL_LAYERS && e.field == FIELD(encoder_layers) && e.got == 12);
  m = hybrid();
  assert_int_equal(dtc_model_flops(&m, 512, DTC_FLOPS_SIX_N, &flops, &e), DTC_E_UNSUPPORTED);
  assert_true(e.field == FIELD(mamba_layers) && e.got == 20 && flops > 6.9 && flops < 7.1);
  m.mamba_layers = 0;
  assert_int_equal(dtc_model_flops(&m, 512, DTC_FLOPS_SIX_N, &flops, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.field, FIELD(mlp_layers));
  m = bert();
  assert_int_equal(dtc_model_flops(&m, 512, DTC_FLOPS_SIX_N, &flops, &e), DTC_E_UNSUPPORTED);
  assert_true(e.field == FIELD(arch) && e.got == DTC_ARCH_BERT);
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

static void stages_of_a_hybrid_add_up(void **state)
{
  (void)state;
  for (uint64_t pp = 1; pp <= 44; pp++) {
    dtc_model m = hybrid();
    dtc_plan p = check_plan();
    dtc_stage sum = {0};
    dtc_error e;
    DTC_INIT(&e);
    p.framework = DTC_FRAMEWORK_DEEPSPEED;
    p.pp = pp;
    for (uint64_t i = 0; i < pp; i++) {
      dtc_stage s = {.struct_size = sizeof s};
      check_ok(dtc_plan_stage(&m, &p, i, &s, &e), &e);
      assert_true(s.mamba_layers + s.mlp_layers <= s.layers && s.moe_layers == 0 && s.encoder_layers == 0);
      sum.layers += s.layers;
      sum.mamba_layers += s.mamba_layers;
      sum.mlp_layers += s.mlp_layers;
    }
    assert_true(sum.layers == 44 && sum.mamba_layers == 20 && sum.mlp_layers == 20);
  }
}

static void a_stage_of_t5_holds_its_encoder(void **state)
{
  (void)state;
  dtc_model m = t5();
  dtc_plan p = check_plan();
  dtc_stage s = {.struct_size = sizeof s};
  dtc_error e;
  DTC_INIT(&e);
  p.framework = DTC_FRAMEWORK_MEGATRON;
  check_ok(dtc_plan_stage(&m, &p, 0, &s, &e), &e);
  assert_true(s.layers == 12 && s.encoder_layers == 12 && s.mamba_layers == 0 && s.embedding == 1 && s.head == 1);
}

static dtc_plan plan_of(dtc_model m, dtc_plan p)
{
  dtc_plan out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  check_ok(dtc_plan_resolve(&m, NULL, &p, &out, &e), &e);
  return out;
}

static void an_encoder_has_a_sequence_of_its_own(void **state)
{
  (void)state;
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.seq = 128;
  assert_int_equal(plan_of(t5(), p).encoder_seq, 128);
  assert_int_equal(plan_of(hybrid(), p).encoder_seq, 0);
  p.encoder_seq = 512;
  dtc_plan r = plan_of(t5(), p);
  assert_true(r.seq == 128 && r.encoder_seq == 512);
  char text[256];
  dtc_plan read = check_plan();
  assert_int_equal(dtc_plan_format(NULL, &p, text, sizeof text, NULL, NULL), DTC_OK);
  assert_non_null(strstr(text, " encoder_seq=512"));
  assert_int_equal(dtc_plan_parse(text, strlen(text), NULL, &read, NULL), DTC_OK);
  assert_memory_equal(&read, &p, sizeof p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_t5),
      cmocka_unit_test(parts_of_bert),
      cmocka_unit_test(parts_of_a_hybrid),
      cmocka_unit_test(hybrids_of_fewer_kinds),
      cmocka_unit_test(parts_of_a_tensor_parallel_rank),
      cmocka_unit_test(random_kinds_count_right),
      cmocka_unit_test(kinds_are_spread_evenly),
      cmocka_unit_test(names_of_t5),
      cmocka_unit_test(names_of_bert),
      cmocka_unit_test(names_of_a_hybrid),
      cmocka_unit_test(what_does_not_go_together_is_refused),
      cmocka_unit_test(mla_is_refused_beside_other_kinds),
      cmocka_unit_test(heads_and_groups_of_mamba_divide),
      cmocka_unit_test(other_architectures_have_none_of_them),
      cmocka_unit_test(resolving_twice_changes_nothing),
      cmocka_unit_test(flops_of_other_kinds_are_refused),
      cmocka_unit_test(stages_of_a_hybrid_add_up),
      cmocka_unit_test(a_stage_of_t5_holds_its_encoder),
      cmocka_unit_test(an_encoder_has_a_sequence_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
