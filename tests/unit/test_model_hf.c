/* dtc_model_from_hf(): every model_type read field by field, and every refusal with its rule, field, key and place. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <dtcore/model.h>
#include "internal/catalog.h"
#include "internal/json.h"

#define F(member) DTC_FIELD(model, member)
#define LLAMA                                                                                                          \
  "\"model_type\":\"llama\",\"hidden_size\":4096,\"intermediate_size\":11008,\"num_attention_heads\":32,"              \
  "\"num_hidden_layers\":32,\"vocab_size\":32000"
#define QWEN2                                                                                                          \
  "\"model_type\":\"qwen2\",\"hidden_size\":3584,\"intermediate_size\":18944,\"num_attention_heads\":28,"              \
  "\"num_hidden_layers\":28,\"num_key_value_heads\":4,\"vocab_size\":152064"
#define QWEN3M                                                                                                         \
  "\"model_type\":\"qwen3_moe\",\"hidden_size\":2048,\"intermediate_size\":6144,\"num_attention_heads\":32,"           \
  "\"num_hidden_layers\":48,\"num_key_value_heads\":4,\"head_dim\":128,\"moe_intermediate_size\":768,"                 \
  "\"num_experts\":128,\"num_experts_per_tok\":8,\"vocab_size\":151936"
#define DEEP                                                                                                           \
  "\"hidden_size\":2048,\"intermediate_size\":10944,\"kv_lora_rank\":512,\"moe_intermediate_size\":1408,"              \
  "\"n_routed_experts\":64,\"num_attention_heads\":16,\"num_experts_per_tok\":6,\"num_hidden_layers\":27,"             \
  "\"qk_nope_head_dim\":128,\"qk_rope_head_dim\":64,\"v_head_dim\":128,\"vocab_size\":102400"
#define OPT                                                                                                            \
  "\"model_type\":\"opt\",\"hidden_size\":768,\"ffn_dim\":3072,\"num_attention_heads\":12,\"num_hidden_layers\":12,"   \
  "\"vocab_size\":50272"
#define FALCON                                                                                                         \
  "\"model_type\":\"falcon\",\"hidden_size\":4544,\"num_attention_heads\":71,\"num_hidden_layers\":32,"                \
  "\"vocab_size\":65024"

static char room[1 << 20];

typedef struct want {
  uint32_t field; /* 0 ends a list */
  uint64_t value;
} want;

static uint64_t get(const dtc_model *m, uint32_t field)
{
  const unsigned char *p = (const unsigned char *)m + (field & 0xFFFF);
  uint64_t wide = 0;
  uint32_t narrow = 0;
  memcpy(&wide, p, sizeof wide);
  memcpy(&narrow, p, sizeof narrow);
  return dtci_field_of(field)->type == DTCI_U64 ? wide : narrow;
}

/* Reads a copy of exactly n bytes, so that a sanitizer sees what is read behind the text. */
static dtc_status from_hf(const char *json, size_t n, dtc_model *m, dtc_error *e)
{
  char *copy = malloc(n != 0 ? n : 1);
  assert_non_null(copy);
  memcpy(copy, json, n);
  dtc_status s = dtc_model_from_hf(copy, n, m, e);
  free(copy);
  return s;
}

static dtc_model accepted(const char *json)
{
  dtc_model m;
  dtc_error e;
  DTC_INIT(&m);
  DTC_INIT(&e);
  if (from_hf(json, strlen(json), &m, &e) != DTC_OK) {
    char line[256];
    dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
    fail_msg("%s\n%s", json, line);
  }
  return m;
}

static void has(const char *json, const want *w)
{
  dtc_model m = accepted(json);
  for (; w->field != 0; w++) {
    if (get(&m, w->field) != w->value)
      fail_msg("%s\n%s is %llu, not %llu", json, dtc_field_name(w->field), (unsigned long long)get(&m, w->field),
               (unsigned long long)w->value);
  }
}

#define HAS(json, ...) has(json, (const want[]){__VA_ARGS__, {0, 0}})

static void counts(const char *json, uint64_t total)
{
  dtc_model m = accepted(json);
  dtc_params p;
  DTC_INIT(&p);
  assert_int_equal(dtc_model_params(&m, &p, NULL), DTC_OK);
  if (p.total != total)
    fail_msg("%s\n%llu parameters, not %llu", json, (unsigned long long)p.total, (unsigned long long)total);
}

static const char *file(const char *path)
{
  FILE *f = fopen(path, "rb");
  if (f == NULL)
    fail_msg("cannot open %s", path);
  size_t n = fread(room, 1, sizeof room - 1, f);
  fclose(f);
  room[n] = 0;
  return room;
}

/* ---- families ---------------------------------------------------------------------------------------------------- */

static void test_gpt2(void **state)
{
  static const char gpt2[] =
      "{\"activation_function\":\"gelu_new\",\"architectures\":[\"GPT2LMHeadModel\"],\"attn_pdrop\":0.1,"
      "\"bos_token_id\":50256,\"embd_pdrop\":0.1,\"eos_token_id\":50256,\"initializer_range\":0.02,"
      "\"layer_norm_epsilon\":1e-05,\"model_type\":\"gpt2\",\"n_ctx\":1024,\"n_embd\":768,\"n_head\":12,"
      "\"n_layer\":12,\"n_positions\":1024,\"resid_pdrop\":0.1,\"summary_activation\":null,"
      "\"task_specific_params\":{\"text-generation\":{\"do_sample\":true,\"max_length\":50}},\"vocab_size\":50257}";
  (void)state;
  HAS(gpt2, {F(arch), DTC_ARCH_GPT2}, {F(layers), 12}, {F(hidden), 768}, {F(heads), 12}, {F(kv_heads), 12},
      {F(head_dim), 64}, {F(ffn), 3072}, {F(vocab), 50257}, {F(context), 1024}, {F(tied), DTC_BOOL_ON},
      {F(position), DTC_POSITION_LEARNED}, {F(experts), 0}, {F(window), 0});
  counts(gpt2, 124439808);
  HAS("{\"model_type\":\"gpt2\",\"hidden_size\":96,\"num_hidden_layers\":2,\"num_attention_heads\":4,\"n_inner\":100,"
      "\"max_position_embeddings\":64,\"vocab_size\":10,\"tie_word_embeddings\":false,\"add_cross_attention\":false}",
      {F(hidden), 96}, {F(layers), 2}, {F(heads), 4}, {F(ffn), 100}, {F(context), 64}, {F(tied), DTC_BOOL_OFF});
  HAS("{\"model_type\":\"gpt2\",\"n_embd\":96,\"n_layer\":2,\"n_head\":4,\"n_inner\":null,\"vocab_size\":10}",
      {F(ffn), 384}, {F(context), 1024});
}

static void test_opt(void **state)
{
  static const char opt[] =
      "{\"_name_or_path\":\"facebook/opt-125m\",\"_remove_final_layer_norm\":false,\"activation_function\":\"relu\","
      "\"architectures\":[\"OPTForCausalLM\"],\"do_layer_norm_before\":true,\"ffn_dim\":3072,\"hidden_size\":768,"
      "\"max_position_embeddings\":2048,\"model_type\":\"opt\",\"num_attention_heads\":12,\"num_hidden_layers\":12,"
      "\"prefix\":\"</s>\",\"torch_dtype\":\"float16\",\"vocab_size\":50272,\"word_embed_proj_dim\":768}";
  (void)state;
  HAS(opt, {F(arch), DTC_ARCH_OPT}, {F(layers), 12}, {F(hidden), 768}, {F(heads), 12}, {F(ffn), 3072},
      {F(vocab), 50272}, {F(context), 2048}, {F(tied), DTC_BOOL_ON}, {F(qkv_bias), DTC_BOOL_ON});
  counts(opt, 125239296);
  HAS("{" OPT "}", {F(context), 2048}, {F(mlp_bias), DTC_BOOL_ON});
  HAS("{" OPT ",\"enable_bias\":false}", {F(qkv_bias), DTC_BOOL_OFF}, {F(out_bias), DTC_BOOL_OFF},
      {F(mlp_bias), DTC_BOOL_OFF});
}

static void test_bloom(void **state)
{
  static const char bloom[] =
      "{\"apply_residual_connection_post_layernorm\":false,\"architectures\":[\"BloomForCausalLM\"],\"n_embed\":1024,"
      "\"hidden_size\":1024,\"model_type\":\"bloom\",\"n_head\":16,\"n_layer\":24,\"num_attention_heads\":16,"
      "\"offset_alibi\":100,\"seq_length\":2048,\"vocab_size\":250880}";
  (void)state;
  HAS(bloom, {F(arch), DTC_ARCH_BLOOM}, {F(layers), 24}, {F(hidden), 1024}, {F(heads), 16}, {F(ffn), 4096},
      {F(vocab), 250880}, {F(context), 2048}, {F(tied), DTC_BOOL_ON}, {F(position), DTC_POSITION_ALIBI},
      {F(embed_norm), DTC_BOOL_ON});
  counts(bloom, 559214592);
  HAS("{\"model_type\":\"bloom\",\"n_embed\":14336,\"n_layer\":70,\"num_attention_heads\":112,\"vocab_size\":250880}",
      {F(hidden), 14336}, {F(layers), 70}, {F(heads), 112}, {F(context), 0});
}

static void test_gpt_neox(void **state)
{
  static const char neox[] =
      "{\"architectures\":[\"GPTNeoXForCausalLM\"],\"hidden_act\":\"gelu_fast\",\"hidden_size\":6144,"
      "\"intermediate_size\":24576,\"max_position_embeddings\":2048,\"model_type\":\"gpt_neox\","
      "\"num_attention_heads\":64,\"num_hidden_layers\":44,\"rotary_pct\":0.25,\"tie_word_embeddings\":false,"
      "\"use_parallel_residual\":true,\"vocab_size\":50432}";
  (void)state;
  HAS(neox, {F(arch), DTC_ARCH_GPT_NEOX}, {F(layers), 44}, {F(hidden), 6144}, {F(heads), 64}, {F(ffn), 24576},
      {F(vocab), 50432}, {F(context), 2048}, {F(tied), DTC_BOOL_OFF}, {F(norms), 2}, {F(qkv_bias), DTC_BOOL_ON});
  counts(neox, 20554567680);
}

static void test_falcon(void **state)
{
  static const char falcon7[] =
      "{\"alibi\":false,\"apply_residual_connection_post_layernorm\":false,\"architectures\":[\"FalconForCausalLM\"],"
      "\"bias\":false,\"hidden_size\":4544,\"model_type\":\"falcon\",\"multi_query\":true,"
      "\"new_decoder_architecture\":false,\"num_attention_heads\":71,\"num_hidden_layers\":32,\"num_kv_heads\":71,"
      "\"parallel_attn\":true,\"torch_dtype\":\"bfloat16\",\"vocab_size\":65024}";
  static const char falcon40[] =
      "{\"alibi\":false,\"bias\":false,\"hidden_size\":8192,\"model_type\":\"falcon\",\"new_decoder_architecture\":"
      "true,"
      "\"num_attention_heads\":128,\"num_hidden_layers\":60,\"num_kv_heads\":8,\"parallel_attn\":true,"
      "\"vocab_size\":65024}";
  (void)state;
  HAS(falcon7, {F(arch), DTC_ARCH_FALCON}, {F(layers), 32}, {F(hidden), 4544}, {F(heads), 71}, {F(kv_heads), 1},
      {F(head_dim), 64}, {F(ffn), 18176}, {F(vocab), 65024}, {F(context), 2048}, {F(norms), 1}, {F(tied), DTC_BOOL_ON},
      {F(position), DTC_POSITION_ROPE}, {F(mlp_bias), DTC_BOOL_OFF});
  counts(falcon7, 6921720704);
  HAS(falcon40, {F(heads), 128}, {F(kv_heads), 8}, {F(norms), 2}, {F(ffn), 32768});
  counts(falcon40, 41303293952);
  /* falcon-rw-1b: multi-head, biases, ALiBi, one residual after the other. */
  HAS("{\"alibi\":true,\"bias\":true,\"hidden_size\":2048,\"model_type\":\"falcon\",\"multi_query\":false,"
      "\"n_head\":32,\"n_layer\":24,\"parallel_attn\":false,\"vocab_size\":50304,\"ffn_hidden_size\":8192}",
      {F(heads), 32}, {F(layers), 24}, {F(kv_heads), 32}, {F(norms), 2}, {F(position), DTC_POSITION_ALIBI},
      {F(qkv_bias), DTC_BOOL_ON}, {F(out_bias), DTC_BOOL_ON}, {F(mlp_bias), DTC_BOOL_ON}, {F(ffn), 8192});
  /* falcon-11B: the new architecture with one norm. */
  HAS("{\"hidden_size\":4096,\"ffn_hidden_size\":16384,\"model_type\":\"falcon\",\"new_decoder_architecture\":true,"
      "\"num_attention_heads\":32,\"num_hidden_layers\":60,\"n_head_kv\":8,\"num_ln_in_parallel_attn\":1,"
      "\"vocab_size\":65024}",
      {F(kv_heads), 8}, {F(norms), 1});
  HAS("{" FALCON ",\"new_decoder_architecture\":true,\"num_ln_in_parallel_attn\":null,\"num_kv_heads\":null}",
      {F(kv_heads), 71}, {F(norms), 2});
}

static void test_phi(void **state)
{
  static const char phi2[] =
      "{\"architectures\":[\"PhiForCausalLM\"],\"hidden_act\":\"gelu_new\",\"hidden_size\":2560,"
      "\"intermediate_size\":10240,\"max_position_embeddings\":2048,\"model_type\":\"phi\",\"num_attention_heads\":32,"
      "\"num_hidden_layers\":32,\"num_key_value_heads\":32,\"partial_rotary_factor\":0.4,\"qk_layernorm\":false,"
      "\"tie_word_embeddings\":false,\"vocab_size\":51200}";
  static const char phi3[] =
      "{\"_name_or_path\":\"Phi-3-mini-4k-instruct\",\"attention_bias\":false,\"hidden_size\":3072,"
      "\"intermediate_size\":8192,\"max_position_embeddings\":4096,\"model_type\":\"phi3\",\"num_attention_heads\":32,"
      "\"num_hidden_layers\":32,\"num_key_value_heads\":32,\"rope_scaling\":null,\"sliding_window\":2047,"
      "\"tie_word_embeddings\":false,\"vocab_size\":32064}";
  (void)state;
  HAS(phi2, {F(arch), DTC_ARCH_PHI}, {F(layers), 32}, {F(hidden), 2560}, {F(heads), 32}, {F(head_dim), 80},
      {F(ffn), 10240}, {F(vocab), 51200}, {F(context), 2048}, {F(norms), 1}, {F(qk_norm), DTC_BOOL_OFF},
      {F(head_bias), DTC_BOOL_ON}, {F(qkv_bias), DTC_BOOL_ON});
  counts(phi2, 2779683840);
  HAS(phi3, {F(arch), DTC_ARCH_PHI3}, {F(layers), 32}, {F(hidden), 3072}, {F(kv_heads), 32}, {F(ffn), 8192},
      {F(window), 2047}, {F(window_every), 0}, {F(context), 4096}, {F(gated), DTC_BOOL_ON});
  counts(phi3, 3821079552);
}

static void test_llama(void **state)
{
  static const char llama32[] =
      "{\"architectures\":[\"LlamaForCausalLM\"],\"attention_bias\":false,\"head_dim\":64,\"hidden_size\":2048,"
      "\"intermediate_size\":8192,\"max_position_embeddings\":131072,\"mlp_bias\":false,\"model_type\":\"llama\","
      "\"num_attention_heads\":32,\"num_hidden_layers\":16,\"num_key_value_heads\":8,\"rope_scaling\":{\"factor\":32.0,"
      "\"high_freq_factor\":4.0,\"rope_type\":\"llama3\"},\"tie_word_embeddings\":true,\"vocab_size\":128256}";
  static const char mistral[] =
      "{\"architectures\":[\"MistralForCausalLM\"],\"hidden_size\":4096,\"intermediate_size\":14336,"
      "\"max_position_embeddings\":32768,\"model_type\":\"mistral\",\"num_attention_heads\":32,"
      "\"num_hidden_layers\":32,\"num_key_value_heads\":8,\"sliding_window\":4096,\"tie_word_embeddings\":false,"
      "\"vocab_size\":32000}";
  (void)state;
  HAS(llama32, {F(arch), DTC_ARCH_LLAMA}, {F(layers), 16}, {F(hidden), 2048}, {F(heads), 32}, {F(kv_heads), 8},
      {F(head_dim), 64}, {F(ffn), 8192}, {F(vocab), 128256}, {F(context), 131072}, {F(tied), DTC_BOOL_ON},
      {F(qkv_bias), DTC_BOOL_OFF}, {F(mlp_bias), DTC_BOOL_OFF}, {F(norms), 2}, {F(norm), DTC_NORM_RMSNORM});
  counts(llama32, 1235814400);
  HAS("{" LLAMA "}", {F(kv_heads), 32}, {F(head_dim), 128}, {F(tied), DTC_BOOL_OFF}, {F(context), 0}, {F(window), 0});
  HAS("{" LLAMA ",\"num_key_value_heads\":null,\"head_dim\":null}", {F(kv_heads), 32}, {F(head_dim), 128});
  HAS("{" LLAMA ",\"attention_bias\":true,\"mlp_bias\":true}", {F(qkv_bias), DTC_BOOL_ON}, {F(out_bias), DTC_BOOL_ON},
      {F(mlp_bias), DTC_BOOL_ON});
  HAS("{" LLAMA ",\"max_position_embeddings\":4.096e3}", {F(context), 4096});
  counts("{" LLAMA "}", 6738415616);
  HAS(mistral, {F(arch), DTC_ARCH_LLAMA}, {F(kv_heads), 8}, {F(head_dim), 128}, {F(window), 4096}, {F(window_every), 0},
      {F(ffn), 14336}, {F(context), 32768});
  counts(mistral, 7241732096);
  HAS("{\"model_type\":\"mistral\",\"hidden_size\":5120,\"intermediate_size\":14336,\"num_attention_heads\":32,"
      "\"num_hidden_layers\":40,\"head_dim\":128,\"sliding_window\":null,\"vocab_size\":131072}",
      {F(window), 0}, {F(kv_heads), 8}, {F(head_dim), 128});
}

static void test_qwen(void **state)
{
  static const char qwen3[] =
      "{\"architectures\":[\"Qwen3ForCausalLM\"],\"attention_bias\":false,\"head_dim\":128,\"hidden_size\":1024,"
      "\"intermediate_size\":3072,\"max_position_embeddings\":40960,\"max_window_layers\":28,\"model_type\":\"qwen3\","
      "\"num_attention_heads\":16,\"num_hidden_layers\":28,\"num_key_value_heads\":8,\"sliding_window\":null,"
      "\"tie_word_embeddings\":true,\"use_sliding_window\":false,\"vocab_size\":151936}";
  (void)state;
  const char *qwen2 = file("examples/configs/qwen2.5-7b/config.json");
  HAS(qwen2, {F(arch), DTC_ARCH_QWEN2}, {F(layers), 28}, {F(hidden), 3584}, {F(heads), 28}, {F(kv_heads), 4},
      {F(head_dim), 128}, {F(ffn), 18944}, {F(vocab), 152064}, {F(context), 131072}, {F(tied), DTC_BOOL_OFF},
      {F(qkv_bias), DTC_BOOL_ON}, {F(out_bias), DTC_BOOL_OFF}, {F(window), 0}, {F(window_every), 0});
  counts(qwen2, 7615616512);
  HAS(qwen3, {F(arch), DTC_ARCH_QWEN3}, {F(layers), 28}, {F(hidden), 1024}, {F(heads), 16}, {F(kv_heads), 8},
      {F(head_dim), 128}, {F(ffn), 3072}, {F(tied), DTC_BOOL_ON}, {F(qk_norm), DTC_BOOL_ON}, {F(window), 0});
  counts(qwen3, 596049920);
  /* Windows: off unless asked for, and none when max_window_layers keeps every layer full. */
  HAS("{" QWEN2 ",\"sliding_window\":4096}", {F(window), 0});
  HAS("{" QWEN2 ",\"sliding_window\":4096,\"use_sliding_window\":true}", {F(window), 0});
  HAS("{" QWEN2 ",\"sliding_window\":4096,\"use_sliding_window\":true,\"max_window_layers\":28}", {F(window), 0});
  HAS("{" QWEN2 ",\"use_sliding_window\":true,\"max_window_layers\":0}", {F(window), 4096}, {F(window_every), 0});
  HAS("{" QWEN2 ",\"use_sliding_window\":true,\"sliding_window\":null,\"max_window_layers\":7}", {F(window), 0});
}

static void test_gemma(void **state)
{
  static const char gemma[] =
      "{\"architectures\":[\"GemmaForCausalLM\"],\"attention_bias\":false,\"head_dim\":256,\"hidden_size\":2048,"
      "\"intermediate_size\":16384,\"max_position_embeddings\":8192,\"model_type\":\"gemma\",\"num_attention_heads\":8,"
      "\"num_hidden_layers\":18,\"num_key_value_heads\":1,\"vocab_size\":256000}";
  static const char gemma2[] =
      "{\"architectures\":[\"Gemma2ForCausalLM\"],\"attn_logit_softcapping\":50.0,\"cache_implementation\":\"hybrid\","
      "\"head_dim\":256,\"hidden_size\":2304,\"intermediate_size\":9216,\"max_position_embeddings\":8192,"
      "\"model_type\":\"gemma2\",\"num_attention_heads\":8,\"num_hidden_layers\":26,\"num_key_value_heads\":4,"
      "\"sliding_window\":4096,\"vocab_size\":256000}";
  (void)state;
  HAS(gemma, {F(arch), DTC_ARCH_GEMMA}, {F(layers), 18}, {F(heads), 8}, {F(kv_heads), 1}, {F(head_dim), 256},
      {F(ffn), 16384}, {F(tied), DTC_BOOL_ON}, {F(norms), 2}, {F(gated), DTC_BOOL_ON}, {F(window), 0});
  counts(gemma, 2506172416);
  HAS(gemma2, {F(arch), DTC_ARCH_GEMMA2}, {F(layers), 26}, {F(kv_heads), 4}, {F(head_dim), 256}, {F(norms), 4},
      {F(window), 4096}, {F(window_every), 2}, {F(tied), DTC_BOOL_ON});
  counts(gemma2, 2614341888);
}

static void test_gemma3(void **state)
{
  static const char text[] =
      "{\"architectures\":[\"Gemma3ForCausalLM\"],\"attention_bias\":false,\"head_dim\":256,\"hidden_size\":1152,"
      "\"intermediate_size\":6912,\"max_position_embeddings\":32768,\"model_type\":\"gemma3_text\","
      "\"num_attention_heads\":4,\"num_hidden_layers\":26,\"num_key_value_heads\":1,\"sliding_window\":512,"
      "\"sliding_window_pattern\":6,\"vocab_size\":262144}";
  static const char images[] =
      "{\"architectures\":[\"Gemma3ForConditionalGeneration\"],\"boi_token_index\":255999,\"model_type\":\"gemma3\","
      "\"text_config\":{\"hidden_size\":2560,\"intermediate_size\":10240,\"model_type\":\"gemma3_text\","
      "\"num_hidden_layers\":34,\"rope_scaling\":{\"factor\":8.0,\"rope_type\":\"linear\"},\"sliding_window\":1024},"
      "\"vision_config\":{\"hidden_size\":1152,\"intermediate_size\":4304,\"model_type\":\"siglip_vision_model\","
      "\"num_attention_heads\":16,\"num_hidden_layers\":27},\"hidden_size\":1}";
  (void)state;
  HAS(text, {F(arch), DTC_ARCH_GEMMA3}, {F(layers), 26}, {F(hidden), 1152}, {F(heads), 4}, {F(kv_heads), 1},
      {F(head_dim), 256}, {F(ffn), 6912}, {F(vocab), 262144}, {F(context), 32768}, {F(window), 512},
      {F(window_every), 6}, {F(norms), 4}, {F(qk_norm), DTC_BOOL_ON}, {F(tied), DTC_BOOL_ON});
  counts(text, 999885952);
  HAS(images, {F(arch), DTC_ARCH_GEMMA3}, {F(layers), 34}, {F(hidden), 2560}, {F(heads), 8}, {F(kv_heads), 4},
      {F(head_dim), 256}, {F(ffn), 10240}, {F(vocab), 262208}, {F(context), 131072}, {F(window), 1024},
      {F(window_every), 6});
  counts(images, 3880263168);
  HAS("{\"model_type\":\"gemma3\",\"text_config\":{}}", {F(layers), 26}, {F(hidden), 2304}, {F(ffn), 9216},
      {F(window), 4096});
  /* layer_types goes before the pattern. */
  HAS("{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":3,\"layer_types\":[\"sliding_attention\","
      "\"sliding_attention\",\"full_attention\"]}",
      {F(window_every), 3});
  HAS("{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":2,\"sliding_window_pattern\":6,"
      "\"layer_types\":[\"sliding_attention\",\"sliding_attention\"]}",
      {F(window), 4096}, {F(window_every), 0});
  HAS("{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":2,\"layer_types\":[\"full_attention\","
      "\"full_attention\"]}",
      {F(window), 0}, {F(window_every), 0});
  HAS("{\"model_type\":\"gemma3_text\",\"layer_types\":null}", {F(window_every), 6});
}

static void test_mixtral(void **state)
{
  static const char mixtral[] =
      "{\"architectures\":[\"MixtralForCausalLM\"],\"hidden_size\":4096,\"intermediate_size\":14336,"
      "\"max_position_embeddings\":32768,\"model_type\":\"mixtral\",\"num_attention_heads\":32,"
      "\"num_experts_per_tok\":2,\"num_hidden_layers\":32,\"num_key_value_heads\":8,\"num_local_experts\":8,"
      "\"output_router_logits\":false,\"sliding_window\":null,\"tie_word_embeddings\":false,\"vocab_size\":32000}";
  (void)state;
  HAS(mixtral, {F(arch), DTC_ARCH_MIXTRAL}, {F(layers), 32}, {F(kv_heads), 8}, {F(ffn), 14336}, {F(moe_ffn), 14336},
      {F(experts), 8}, {F(top_k), 2}, {F(shared_ffn), 0}, {F(dense_layers), 0}, {F(moe_every), 1}, {F(window), 0});
  counts(mixtral, 46702792704);
}

static void test_qwen_moe(void **state)
{
  static const char qwen2[] =
      "{\"architectures\":[\"Qwen2MoeForCausalLM\"],\"decoder_sparse_step\":1,\"hidden_size\":2048,"
      "\"intermediate_size\":5632,\"max_position_embeddings\":8192,\"max_window_layers\":21,\"model_type\":\"qwen2_"
      "moe\","
      "\"moe_intermediate_size\":1408,\"norm_topk_prob\":false,\"num_attention_heads\":16,\"num_experts\":60,"
      "\"num_experts_per_tok\":4,\"num_hidden_layers\":24,\"num_key_value_heads\":16,"
      "\"shared_expert_intermediate_size\":5632,\"sliding_window\":32768,\"tie_word_embeddings\":false,"
      "\"use_sliding_window\":false,\"vocab_size\":151936}";
  (void)state;
  HAS(qwen2, {F(arch), DTC_ARCH_QWEN2_MOE}, {F(layers), 24}, {F(kv_heads), 16}, {F(ffn), 5632}, {F(moe_ffn), 1408},
      {F(experts), 60}, {F(top_k), 4}, {F(shared_ffn), 5632}, {F(shared_gate), DTC_BOOL_ON}, {F(moe_every), 1},
      {F(moe_offset), 0}, {F(qkv_bias), DTC_BOOL_ON}, {F(window), 0});
  counts(qwen2, 14315784192);
  HAS("{" QWEN3M ",\"decoder_sparse_step\":1,\"mlp_only_layers\":[]}", {F(arch), DTC_ARCH_QWEN3_MOE}, {F(layers), 48},
      {F(head_dim), 128}, {F(experts), 128}, {F(top_k), 8}, {F(moe_ffn), 768}, {F(ffn), 6144}, {F(shared_ffn), 0},
      {F(qk_norm), DTC_BOOL_ON}, {F(dense_layers), 0}, {F(moe_every), 1}, {F(moe_offset), 0});
  counts("{" QWEN3M "}", 30532122624);
  HAS("{" QWEN3M ",\"decoder_sparse_step\":2,\"mlp_only_layers\":[0,1,2]}", {F(dense_layers), 3}, {F(moe_every), 2},
      {F(moe_offset), 1});
  HAS("{" QWEN3M ",\"decoder_sparse_step\":null,\"mlp_only_layers\":null}", {F(dense_layers), 0}, {F(moe_every), 1});
  HAS("{" QWEN3M ",\"num_local_experts\":128,\"use_sliding_window\":true}", {F(experts), 128}, {F(window), 4096});
}

static void test_deepseek(void **state)
{
  static const char lite[] = "{\"model_type\":\"deepseek_v2\"," DEEP ",\"n_shared_experts\":2,\"q_lora_rank\":null,"
                             "\"first_k_dense_replace\":1,\"moe_layer_freq\":1,\"topk_method\":\"greedy\","
                             "\"num_key_value_heads\":16,\"max_position_embeddings\":163840}";
  (void)state;
  HAS(lite, {F(arch), DTC_ARCH_DEEPSEEK_V2}, {F(layers), 27}, {F(heads), 16}, {F(kv_heads), 16}, {F(ffn), 10944},
      {F(experts), 64}, {F(top_k), 6}, {F(moe_ffn), 1408}, {F(shared_ffn), 2816}, {F(dense_layers), 1}, {F(q_rank), 0},
      {F(kv_rank), 512}, {F(qk_nope_dim), 128}, {F(qk_rope_dim), 64}, {F(v_dim), 128}, {F(head_dim), 192},
      {F(router_bias), DTC_BOOL_OFF}, {F(mtp_layers), 0}, {F(moe_every), 1}, {F(moe_offset), 0});
  counts(lite, 15706484224);
  HAS("{\"model_type\":\"deepseek_v2\"," DEEP "}", {F(q_rank), 1536}, {F(shared_ffn), 2816}, {F(dense_layers), 0});
  HAS("{\"model_type\":\"deepseek_v2\"," DEEP ",\"n_shared_experts\":null}", {F(shared_ffn), 0});
  HAS("{\"model_type\":\"deepseek_v3\"," DEEP "}", {F(q_rank), 1536}, {F(shared_ffn), 1408}, {F(dense_layers), 3},
      {F(router_bias), DTC_BOOL_ON}, {F(mtp_layers), 0});
  HAS("{\"model_type\":\"deepseek_v3\"," DEEP ",\"topk_method\":\"greedy\",\"first_k_dense_replace\":0,"
      "\"num_mtp_layers\":2}",
      {F(router_bias), DTC_BOOL_OFF}, {F(dense_layers), 0}, {F(mtp_layers), 2});
  const char *v3 = file("examples/configs/deepseek-v3/config.json");
  HAS(v3, {F(arch), DTC_ARCH_DEEPSEEK_V3}, {F(layers), 61}, {F(hidden), 7168}, {F(heads), 128}, {F(kv_heads), 128},
      {F(ffn), 18432}, {F(vocab), 129280}, {F(context), 163840}, {F(experts), 256}, {F(top_k), 8}, {F(moe_ffn), 2048},
      {F(shared_ffn), 2048}, {F(dense_layers), 3}, {F(q_rank), 1536}, {F(kv_rank), 512}, {F(qk_nope_dim), 128},
      {F(qk_rope_dim), 64}, {F(v_dim), 128}, {F(mtp_layers), 1}, {F(router_bias), DTC_BOOL_ON});
  counts(v3, 671026419200);
  /* Kimi K2. */
  HAS("{\"model_type\":\"kimi_k2\"," DEEP ",\"topk_method\":\"noaux_tc\",\"num_nextn_predict_layers\":0}",
      {F(arch), DTC_ARCH_DEEPSEEK_V3}, {F(router_bias), DTC_BOOL_ON}, {F(mtp_layers), 0});
}

static void test_gpt_oss(void **state)
{
  static const char oss[] =
      "{\"architectures\":[\"GptOssForCausalLM\"],\"attention_bias\":true,\"experts_per_token\":4,\"head_dim\":64,"
      "\"hidden_size\":2880,\"initial_context_length\":4096,\"intermediate_size\":2880,\"layer_types\":["
      "\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"full_attention\",\"sliding_attention\","
      "\"full_attention\",\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"full_attention\","
      "\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"full_attention\",\"sliding_attention\","
      "\"full_attention\",\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"full_attention\","
      "\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"full_attention\"],"
      "\"max_position_embeddings\":131072,\"model_type\":\"gpt_oss\",\"num_attention_heads\":64,"
      "\"num_experts_per_tok\":4,\"num_hidden_layers\":24,\"num_key_value_heads\":8,\"num_local_experts\":32,"
      "\"sliding_window\":128,\"swiglu_limit\":7.0,\"tie_word_embeddings\":false,\"vocab_size\":201088}";
  (void)state;
  HAS(oss, {F(arch), DTC_ARCH_GPT_OSS}, {F(layers), 24}, {F(hidden), 2880}, {F(heads), 64}, {F(kv_heads), 8},
      {F(head_dim), 64}, {F(ffn), 2880}, {F(moe_ffn), 2880}, {F(experts), 32}, {F(top_k), 4}, {F(window), 128},
      {F(window_every), 2}, {F(qkv_bias), DTC_BOOL_ON}, {F(out_bias), DTC_BOOL_ON}, {F(mlp_bias), DTC_BOOL_ON},
      {F(router_bias), DTC_BOOL_ON}, {F(context), 131072});
  counts(oss, 20914757184);
  HAS("{\"model_type\":\"gpt_oss\",\"hidden_size\":2880,\"intermediate_size\":2880,\"num_attention_heads\":64,"
      "\"num_hidden_layers\":36,\"num_local_experts\":128,\"experts_per_token\":4,\"vocab_size\":201088}",
      {F(top_k), 4}, {F(kv_heads), 8}, {F(head_dim), 64}, {F(window), 128}, {F(window_every), 2});
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* `at` marks the place: the last time it occurs in the text; NULL when there is none. */
typedef struct refusal {
  const char *json;
  dtc_status status;
  dtc_rule rule;
  uint32_t field;
  const char *key; /* NULL: not from a key */
  const char *at;
  size_t skip; /* bytes of `at` before the place */
  uint64_t got;
  uint64_t other_got;
} refusal;

static uint64_t place(const refusal *r)
{
  const char *hit = NULL;
  if (r->at == NULL)
    return DTC_NONE;
  for (const char *p = strstr(r->json, r->at); p != NULL; p = *p != 0 ? strstr(p + 1, r->at) : NULL)
    hit = p;
  assert_non_null(hit);
  return (uint64_t)(hit - r->json) + r->skip;
}

static void refused(const refusal *r)
{
  dtc_model m, before;
  dtc_error e;
  memset(&m, 0xA5, sizeof m);
  m.struct_size = sizeof m;
  before = m;
  DTC_INIT(&e);
  dtc_status s = from_hf(r->json, strlen(r->json), &m, &e);
  const char *key = e.other >> 16 == DTC_STRUCT_hf ? dtci_hf_keys[e.other & 0xFFFF].key : "";
  if (s != r->status || e.status != s || e.rule != r->rule || e.field != r->field || e.offset != place(r) ||
      e.got != r->got || e.other_got != r->other_got || strcmp(key, r->key != NULL ? r->key : "") != 0)
    fail_msg("%s\nstatus %d rule %u field %s key %s offset %lld got %lld other %lld", r->json, (int)s, (unsigned)e.rule,
             dtc_field_name(e.field), key, (long long)e.offset, (long long)e.got, (long long)e.other_got);
  assert_memory_equal(&m, &before, sizeof m);
  /* Without an error struct the answer is the same. */
  assert_int_equal(from_hf(r->json, strlen(r->json), &m, NULL), s);
  assert_memory_equal(&m, &before, sizeof m);
}

#define NONE DTC_NONE
#define REFUSED(rows)                                                                                                  \
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows)[0]; i++)                                                          \
  refused(&(rows)[i])

static void test_text(void **state)
{
  static const refusal rows[] = {
      {"", DTC_E_PARSE, DTC_RULE_JSON_TRUNCATED, DTCI_ARG(TEXT), NULL, "", 0, NONE, NONE},
      {"{" LLAMA, DTC_E_PARSE, DTC_RULE_JSON_TRUNCATED, DTCI_ARG(TEXT), NULL, "32000", 5, NONE, NONE},
      {"{" LLAMA ",}", DTC_E_PARSE, DTC_RULE_JSON_SYNTAX, DTCI_ARG(TEXT), NULL, "}", 0, '}', NONE},
      {"{" LLAMA "} x", DTC_E_PARSE, DTC_RULE_JSON_SYNTAX, DTCI_ARG(TEXT), NULL, "x", 0, 'x', NONE},
      {"{\"model_type\":\"nothing\",}", DTC_E_PARSE, DTC_RULE_JSON_SYNTAX, DTCI_ARG(TEXT), NULL, "}", 0, '}', NONE},
      {"[" LLAMA "]", DTC_E_PARSE, DTC_RULE_JSON_SYNTAX, DTCI_ARG(TEXT), NULL, ":\"llama", 0, ':', NONE},
      {"[1]", DTC_E_CONFLICT, DTC_RULE_HF_MISSING, F(arch), "model_type", NULL, 0, NONE, NONE},
      {"7", DTC_E_CONFLICT, DTC_RULE_HF_MISSING, F(arch), "model_type", NULL, 0, NONE, NONE},
      /* A key twice: known or not, escaped or not, but only in the object that is read. */
      {"{" LLAMA ",\"vocab_size\":32000}", DTC_E_CONFLICT, DTC_RULE_JSON_DUPLICATE, DTCI_ARG(TEXT), NULL,
       "\"vocab_size", 0, NONE, NONE},
      {"{" LLAMA ",\"x\":1,\"y\":{\"x\":1},\"\\u0078\":2}", DTC_E_CONFLICT, DTC_RULE_JSON_DUPLICATE, DTCI_ARG(TEXT),
       NULL, "\"\\u0078", 0, NONE, NONE},
      {"{\"model_type\":\"gemma3\",\"text_config\":{\"x\":1,\"x\":1}}", DTC_E_CONFLICT, DTC_RULE_JSON_DUPLICATE,
       DTCI_ARG(TEXT), NULL, "\"x\"", 0, NONE, NONE},
  };
  (void)state;
  REFUSED(rows);
  HAS("{" LLAMA ",\"x\":{\"a\":1,\"a\":2},\"text_config\":{\"b\":1,\"b\":2}}", {F(layers), 32});
}

static void test_type(void **state)
{
  static const refusal rows[] = {
      {"{\"hidden_size\":1}", DTC_E_CONFLICT, DTC_RULE_HF_MISSING, F(arch), "model_type", NULL, 0, NONE, NONE},
      {"{\"model_type\":\"mamba\"}", DTC_E_UNKNOWN, DTC_RULE_HF_TYPE, F(arch), "model_type", "\"mamba", 0, NONE, NONE},
      {"{\"model_type\":\"Llama\"}", DTC_E_UNKNOWN, DTC_RULE_HF_TYPE, F(arch), "model_type", "\"Llama", 0, NONE, NONE},
      {"{\"model_type\":\"\"}", DTC_E_UNKNOWN, DTC_RULE_HF_TYPE, F(arch), "model_type", "\"\"", 0, NONE, NONE},
      {"{\"model_type\":7}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(arch), "model_type", "7", 0, NONE, NONE},
      {"{\"model_type\":null}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(arch), "model_type", "null", 0, NONE, NONE},
      {"{\"model_type\":{\"a\":1}}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(arch), "model_type", "{\"a", 0, NONE, NONE},
      {"{\"model_type\":\"gemma3\"}", DTC_E_CONFLICT, DTC_RULE_HF_MISSING, F(layers), "text_config", NULL, 0, NONE,
       NONE},
      {"{\"model_type\":\"gemma3\",\"text_config\":null}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(layers), "text_config",
       "null", 0, NONE, NONE},
  };
  (void)state;
  REFUSED(rows);
  dtc_model m;
  dtc_error e;
  DTC_INIT(&m);
  DTC_INIT(&e);
  assert_int_equal(dtc_model_from_hf("{\"model_type\":\"Llama\"}", 22, &m, &e), DTC_E_UNKNOWN);
  assert_string_equal(dtci_hf_types[e.lower].model_type, "llama");
  char known[1024];
  assert_true(dtc_error_format(&e, DTC_LANG_EN, known, sizeof known) < sizeof known);
  for (uint32_t i = 0; i < dtci_hf_types_count; i++)
    assert_non_null(strstr(known, dtci_hf_types[i].model_type));
}

/* Leaving out a key that its type needs names the key; an optional key may be left out. */
static void test_missing(void **state)
{
  static const char *const texts[] = {
      "{" LLAMA "}",
      "{" QWEN2 "}",
      "{" QWEN3M "}",
      "{" OPT "}",
      "{" FALCON "}",
      "{\"model_type\":\"gpt2\",\"n_embd\":96,\"n_layer\":2,\"n_head\":4,\"vocab_size\":10}",
      "{\"model_type\":\"deepseek_v3\"," DEEP "}",
  };
  (void)state;
  size_t missing = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    (void)accepted(texts[i]);
    for (uint32_t k = 1; k < dtci_hf_keys_count; k++) {
      char quoted[40];
      (void)snprintf(quoted, sizeof quoted, "\"%s\":", dtci_hf_keys[k].key);
      const char *hit = strstr(texts[i], quoted);
      if (hit == NULL)
        continue;
      dtc_model m;
      dtc_error e;
      DTC_INIT(&m);
      DTC_INIT(&e);
      (void)snprintf(room, sizeof room, "%s", texts[i]);
      room[hit - texts[i] + 1] = '~';
      dtc_status s = from_hf(room, strlen(room), &m, &e);
      if (s == DTC_OK)
        continue;
      missing++;
      assert_int_equal(s, DTC_E_CONFLICT);
      if (e.rule == DTC_RULE_HF_CONFLICT) /* head_dim of a default that does not fit */
        continue;
      assert_int_equal(e.rule, DTC_RULE_HF_MISSING);
      assert_string_equal(dtci_hf_keys[e.other & 0xFFFF].key, dtci_hf_keys[k].key);
      assert_int_equal(e.field, dtci_hf_keys[e.other & 0xFFFF].field);
      assert_true(e.offset == DTC_NONE && e.got == DTC_NONE);
    }
  }
  assert_true(missing >= 38);
}

static void test_values(void **state)
{
  static const refusal rows[] = {
      {"{" LLAMA ",\"num_key_value_heads\":\"8\"}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(kv_heads), "num_key_value_heads",
       "\"8\"", 0, NONE, NONE},
      {"{" LLAMA ",\"num_key_value_heads\":8.5}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(kv_heads), "num_key_value_heads",
       "8.5", 0, NONE, NONE},
      {"{" LLAMA ",\"num_key_value_heads\":-8}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(kv_heads), "num_key_value_heads",
       "-8", 0, NONE, NONE},
      {"{" LLAMA ",\"head_dim\":1e30}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(head_dim), "head_dim", "1e30", 0, NONE, NONE},
      {"{" LLAMA ",\"head_dim\":true}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(head_dim), "head_dim", "true", 0, NONE, NONE},
      {"{" LLAMA ",\"head_dim\":[128]}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(head_dim), "head_dim", "[128", 0, NONE,
       NONE},
      {"{" LLAMA ",\"tie_word_embeddings\":1}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(tied), "tie_word_embeddings", ":1}",
       1, NONE, NONE},
      {"{\"model_type\":\"llama\",\"hidden_size\":null}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(hidden), "hidden_size",
       "null", 0, NONE, NONE},
      {"{" LLAMA ",\"num_key_value_heads\":0}", DTC_E_RANGE, DTC_RULE_RANGE, F(kv_heads), "num_key_value_heads", ":0}",
       1, 0, NONE},
      {"{" LLAMA ",\"head_dim\":1048577}", DTC_E_RANGE, DTC_RULE_RANGE, F(head_dim), "head_dim", "1048577", 0, 1048577,
       NONE},
      {"{" LLAMA ",\"head_dim\":18446744073709551615}", DTC_E_RANGE, DTC_RULE_RANGE, F(head_dim), "head_dim", "1844", 0,
       UINT64_MAX, NONE},
      {"{\"model_type\":\"llama\",\"num_hidden_layers\":0}", DTC_E_RANGE, DTC_RULE_RANGE, F(layers),
       "num_hidden_layers", "0", 0, 0, NONE},
      {"{" QWEN2 ",\"use_sliding_window\":\"no\"}", DTC_E_RANGE, DTC_RULE_HF_VALUE, 0, "use_sliding_window", "\"no", 0,
       NONE, NONE},
      {"{" QWEN2 ",\"max_window_layers\":99999999}", DTC_E_RANGE, DTC_RULE_HF_VALUE, 0, "max_window_layers", "99999999",
       0, 99999999, NONE},
      {"{" QWEN2 ",\"layer_types\":7}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(window_every), "layer_types", ":7}", 1, NONE,
       NONE},
      {"{" QWEN2 ",\"layer_types\":[7]}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(window_every), "layer_types", "[7]", 0,
       NONE, NONE},
      {"{" QWEN3M ",\"mlp_only_layers\":{}}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(dense_layers), "mlp_only_layers", "{}",
       0, NONE, NONE},
      {"{" QWEN3M ",\"mlp_only_layers\":[\"0\"]}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(dense_layers), "mlp_only_layers",
       "[\"0", 0, NONE, NONE},
      {"{\"model_type\":\"deepseek_v3\"," DEEP ",\"topk_method\":3}", DTC_E_RANGE, DTC_RULE_HF_VALUE, F(router_bias),
       "topk_method", ":3}", 1, NONE, NONE},
      {"{\"model_type\":\"deepseek_v3\"," DEEP ",\"n_shared_experts\":268435456}", DTC_E_RANGE, DTC_RULE_RANGE,
       F(shared_ffn), "n_shared_experts", "268435456", 0, UINT64_C(268435456) * 1408, NONE},
      {"{\"model_type\":\"gemma3\",\"text_config\":{\"num_attention_heads\":\"x\"}}", DTC_E_RANGE, DTC_RULE_HF_VALUE,
       F(heads), "num_attention_heads", "\"x", 0, NONE, NONE},
  };
  (void)state;
  REFUSED(rows);
}

static void test_contradictions(void **state)
{
  static const refusal rows[] = {
      {"{" LLAMA ",\"num_key_value_heads\":64}", DTC_E_CONFLICT, DTC_RULE_HF_CONFLICT, F(kv_heads),
       "num_key_value_heads", "64", 0, 64, 32},
      {"{" LLAMA ",\"num_key_value_heads\":5}", DTC_E_DIVIDE, DTC_RULE_HF_CONFLICT, F(kv_heads), "num_key_value_heads",
       "5}", 0, 5, 32},
      {"{\"model_type\":\"gpt2\",\"n_embd\":100,\"n_layer\":2,\"n_head\":12,\"vocab_size\":10}", DTC_E_DIVIDE,
       DTC_RULE_HF_CONFLICT, F(heads), "n_head", "12", 0, 12, 100},
      {"{\"model_type\":\"bloom\",\"n_embed\":64,\"n_layer\":2,\"n_head\":4,\"num_attention_heads\":8,\"vocab_size\":"
       "9}",
       DTC_E_CONFLICT, DTC_RULE_HF_CONFLICT, F(heads), "num_attention_heads", "8", 0, 8, 4},
      {"{\"model_type\":\"bloom\",\"n_embed\":64,\"n_layer\":2,\"num_attention_heads\":8,\"n_head\":4,\"vocab_size\":"
       "9}",
       DTC_E_CONFLICT, DTC_RULE_HF_CONFLICT, F(heads), "n_head", "4,", 0, 4, 8},
      {"{\"model_type\":\"qwen2\",\"hidden_size\":2048,\"intermediate_size\":4096,\"num_attention_heads\":16,"
       "\"num_hidden_layers\":4,\"vocab_size\":9}",
       DTC_E_CONFLICT, DTC_RULE_HF_CONFLICT, F(kv_heads), "num_key_value_heads", NULL, 0, 32, 16},
      {"{\"model_type\":\"mixtral\",\"hidden_size\":64,\"intermediate_size\":96,\"num_attention_heads\":8,"
       "\"num_hidden_layers\":2,\"num_local_experts\":4,\"num_experts_per_tok\":5,\"vocab_size\":9}",
       DTC_E_CONFLICT, DTC_RULE_HF_CONFLICT, F(top_k), "num_experts_per_tok", "5,", 0, 5, 4},
      {"{" QWEN2 ",\"layer_types\":[\"full_attention\"]}", DTC_E_CONFLICT, DTC_RULE_HF_CONFLICT, F(layers),
       "layer_types", "[", 0, 28, 1},
  };
  (void)state;
  REFUSED(rows);
}

static void test_unsupported(void **state)
{
  static const refusal rows[] = {
      /* OPT-350m. */
      {"{" OPT ",\"word_embed_proj_dim\":512}", DTC_E_UNSUPPORTED, DTC_RULE_HF_CONFLICT, F(hidden),
       "word_embed_proj_dim", "512", 0, 768, 512},
      {"{" OPT ",\"do_layer_norm_before\":false}", DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, F(norms),
       "do_layer_norm_before", "false", 0, DTC_BOOL_OFF, NONE},
      {"{" OPT ",\"_remove_final_layer_norm\":true}", DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, F(norms),
       "_remove_final_layer_norm", "true", 0, DTC_BOOL_ON, NONE},
      {"{" QWEN3M ",\"mlp_only_layers\":[1]}", DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, F(dense_layers), "mlp_only_layers",
       "[1]", 0, 1, NONE},
      {"{" QWEN3M ",\"mlp_only_layers\":[0,1,3]}", DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, F(dense_layers),
       "mlp_only_layers", "[0", 0, 3, NONE},
      {"{" QWEN2 ",\"use_sliding_window\":true,\"max_window_layers\":7}", DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, 0,
       "max_window_layers", "7}", 0, 7, NONE},
      {"{" QWEN2 ",\"layer_types\":[\"full_attention\",\"sliding_attention\"]}", DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE,
       F(window_every), "layer_types", "[", 0, 1, NONE},
      {"{" QWEN2 ",\"layer_types\":[\"chunked_attention\"]}", DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, F(window_every),
       "layer_types", "[", 0, 0, NONE},
  };
  (void)state;
  REFUSED(rows);
}

/* The architecture's own rules, with the key that is to blame. */
static void test_blame(void **state)
{
  static const char json[] = "{" QWEN3M ",\"mlp_only_layers\":[0,1,2]}";
  dtc_model m;
  dtc_error e;
  (void)state;
  DTC_INIT(&m);
  DTC_INIT(&e);
  (void)snprintf(room, sizeof room, "%s", json);
  memcpy(strstr(room, "layers\":48") + 8, " 2", 2);
  assert_int_equal(from_hf(room, strlen(room), &m, &e), DTC_E_CONFLICT);
  assert_int_equal(e.field, F(dense_layers));
  assert_int_equal(e.got, 3);
  assert_string_equal(dtci_hf_keys[e.other & 0xFFFF].key, "mlp_only_layers");
  assert_int_equal(e.offset, strstr(room, "[0,1,2") - room);
}

/* No prefix of a config is one, and none is read past its end. */
static void test_prefixes(void **state)
{
  dtc_model m;
  dtc_error e;
  (void)state;
  size_t n = strlen(file("examples/configs/deepseek-v3/config.json"));
  while (room[n - 1] != '}')
    n--;
  DTC_INIT(&m);
  for (size_t i = 0; i < n; i++) {
    DTC_INIT(&e);
    assert_int_equal(from_hf(room, i, &m, &e), DTC_E_PARSE);
    assert_int_equal(e.rule, DTC_RULE_JSON_TRUNCATED);
    assert_int_equal(e.offset, i);
  }
  assert_int_equal(from_hf(room, n, &m, &e), DTC_OK);
}

static void test_many_keys(void **state)
{
  dtc_model m;
  dtc_error e;
  (void)state;
  DTC_INIT(&m);
  DTC_INIT(&e);
  size_t n = (size_t)sprintf(room, "{" LLAMA);
  for (int i = 6; i < DTCI_JSON_KEYS; i++)
    n += (size_t)sprintf(room + n, ",\"key %d\":%d", i, i);
  sprintf(room + n, "}");
  (void)accepted(room);
  size_t extra = n + 1;
  n += (size_t)sprintf(room + n, ",\"more\":0}");
  assert_int_equal(from_hf(room, n, &m, &e), DTC_E_RANGE);
  assert_int_equal(e.offset, extra);
}

static void test_sizes(void **state)
{
  static const char json[] = "{" LLAMA "}";
  dtc_model m;
  dtc_error e;
  (void)state;
  DTC_INIT(&m);
  DTC_INIT(&e);
  m.struct_size = 8;
  assert_int_equal(dtc_model_from_hf(json, strlen(json), &m, &e), DTC_E_SIZE);
  assert_int_equal(m.struct_size, 8);
  assert_int_equal(m.layers, 0);
  m.struct_size = sizeof m;
  e.struct_size = 3;
  assert_int_equal(dtc_model_from_hf(json, strlen(json), &m, &e), DTC_E_SIZE);
  assert_int_equal(m.layers, 0);
  assert_int_equal(dtc_model_from_hf(NULL, 0, &m, NULL), DTC_E_PARSE);
}

/* What the reader takes for granted about the tables. */
static void test_tables(void **state)
{
  (void)state;
  uint32_t dialects = 0;
  assert_true(dtci_hf_keys_count <= DTCI_HF_KEYS_MAX);
  assert_string_equal(dtci_hf_keys[DTCI_HF_KEY_TYPE].key, "model_type");
  assert_string_equal(dtci_hf_keys[DTCI_HF_KEY_TEXT].key, "text_config");
  for (uint32_t i = 0; i < dtci_hf_types_count; i++)
    dialects |= dtci_hf_types[i].dialect;
  for (uint32_t i = 0; i < dtci_hf_keys_count; i++) {
    const dtci_hf_key *key = &dtci_hf_keys[i];
    assert_true(key->dialects != 0 && (key->dialects & ~dialects) == 0);
    assert_true(!key->needed || key->missing == 0);
    if (key->field != 0)
      assert_non_null(dtci_field_of(key->field));
    for (uint32_t k = 0; k < i; k++)
      assert_false(strcmp(key->key, dtci_hf_keys[k].key) == 0 && key->field == dtci_hf_keys[k].field &&
                   (key->dialects & dtci_hf_keys[k].dialects) != 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gpt2),           cmocka_unit_test(test_opt),         cmocka_unit_test(test_bloom),
      cmocka_unit_test(test_gpt_neox),       cmocka_unit_test(test_falcon),      cmocka_unit_test(test_phi),
      cmocka_unit_test(test_llama),          cmocka_unit_test(test_qwen),        cmocka_unit_test(test_gemma),
      cmocka_unit_test(test_gemma3),         cmocka_unit_test(test_mixtral),     cmocka_unit_test(test_qwen_moe),
      cmocka_unit_test(test_deepseek),       cmocka_unit_test(test_gpt_oss),     cmocka_unit_test(test_text),
      cmocka_unit_test(test_type),           cmocka_unit_test(test_missing),     cmocka_unit_test(test_values),
      cmocka_unit_test(test_contradictions), cmocka_unit_test(test_unsupported), cmocka_unit_test(test_blame),
      cmocka_unit_test(test_prefixes),       cmocka_unit_test(test_many_keys),   cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_tables),
  };
  return cmocka_run_group_tests_name("model_hf", tests, NULL, NULL);
}
