/* model_params.csv: parameter counts of published models. Each row is counted twice: from the catalogue, when it has
 * the model, and from a config.json written from the row's own figures. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

/* A key of config.json and where its value comes from: a column, left out when empty; "?COLUMN", null when empty;
 * "A/B", the quotient of two columns; "=TEXT", the text itself. */
typedef struct config_key {
  const char *key;
  const char *value;
} config_key;

enum { KEYS_MAX = 24 };

/* The config of a family, for models whose name begins with `prefix`. The first row that fits counts. */
typedef struct config {
  const char *family;
  const char *prefix;
  const char *model_type;
  config_key keys[KEYS_MAX];
} config;

#define SIZES                                                                                                          \
  {"hidden_size", "hidden_size"}, {"num_hidden_layers", "num_layers"}, {"num_attention_heads", "num_heads"},           \
  {                                                                                                                    \
    "max_position_embeddings", "ctx"                                                                                   \
  }
#define USUAL                                                                                                          \
  SIZES, {"num_key_value_heads", "num_kv_heads"}, {"head_dim", "head_dim"},                                            \
  {                                                                                                                    \
    "intermediate_size", "ffn"                                                                                         \
  }
#define QWEN_EXPERTS                                                                                                   \
  {"num_experts", "num_experts"}, {"num_experts_per_tok", "topk"}, {"moe_intermediate_size", "moe_ffn"},               \
      {"decoder_sparse_step", "=1"},                                                                                   \
  {                                                                                                                    \
    "mlp_only_layers", "=[]"                                                                                           \
  }
#define DEEPSEEK                                                                                                       \
  SIZES, {"num_key_value_heads", "num_kv_heads"}, {"intermediate_size", "ffn"}, {"n_routed_experts", "num_experts"},   \
      {"num_experts_per_tok", "topk"}, {"moe_intermediate_size", "moe_ffn"},                                           \
      {"n_shared_experts", "shared_expert_ffn/moe_ffn"}, {"first_k_dense_replace", "dense_layers"},                    \
      {"moe_layer_freq", "=1"}, {"q_lora_rank", "?q_lora_rank"}, {"kv_lora_rank", "kv_lora_rank"},                     \
      {"qk_nope_head_dim", "qk_nope_head_dim"}, {"qk_rope_head_dim", "qk_rope_head_dim"},                              \
  {                                                                                                                    \
    "v_head_dim", "v_head_dim"                                                                                         \
  }
#define DEEPSEEK_V3                                                                                                    \
  DEEPSEEK, {"topk_method", "=\"noaux_tc\""},                                                                          \
  {                                                                                                                    \
    "num_nextn_predict_layers", "mtp_layers"                                                                           \
  }
#define FALCON                                                                                                         \
  SIZES, {"ffn_hidden_size", "ffn"}, {"bias", "=false"}, {"alibi", "=false"},                                          \
  {                                                                                                                    \
    "parallel_attn", "=true"                                                                                           \
  }

/* Keys as in the published config.json files and in the config classes of Hugging Face transformers. */
static const config configs[] = {
    {"gpt2",
     "",
     "gpt2",
     {{"n_embd", "hidden_size"},
      {"n_layer", "num_layers"},
      {"n_head", "num_heads"},
      {"n_inner", "ffn"},
      {"n_positions", "ctx"}}},
    {"opt", "", "opt", {SIZES, {"ffn_dim", "ffn"}, {"word_embed_proj_dim", "hidden_size"}}},
    {"bloom",
     "",
     "bloom",
     {{"n_embed", "hidden_size"},
      {"n_layer", "num_layers"},
      {"num_attention_heads", "num_heads"},
      {"seq_length", "ctx"}}},
    {"gpt_neox", "", "gpt_neox", {SIZES, {"intermediate_size", "ffn"}}},
    {"llama", "", "llama", {USUAL, {"attention_bias", "=false"}, {"mlp_bias", "=false"}}},
    {"mistral", "", "mistral", {USUAL}},
    {"mixtral", "", "mixtral", {USUAL, {"num_local_experts", "num_experts"}, {"num_experts_per_tok", "topk"}}},
    {"qwen2", "", "qwen2", {USUAL}},
    {"qwen2_moe", "", "qwen2_moe", {USUAL, QWEN_EXPERTS, {"shared_expert_intermediate_size", "shared_expert_ffn"}}},
    {"qwen3", "", "qwen3", {USUAL, {"attention_bias", "=false"}}},
    {"qwen3_moe", "", "qwen3_moe", {USUAL, QWEN_EXPERTS, {"attention_bias", "=false"}}},
    {"deepseek", "deepseek-v2", "deepseek_v2", {DEEPSEEK, {"topk_method", "=\"group_limited_greedy\""}}},
    {"deepseek", "kimi-k2", "kimi_k2", {DEEPSEEK_V3}},
    {"deepseek", "", "deepseek_v3", {DEEPSEEK_V3}},
    {"gemma", "", "gemma", {USUAL, {"attention_bias", "=false"}}},
    {"gemma2", "", "gemma2", {USUAL, {"attention_bias", "=false"}}},
    {"gemma3", "", "gemma3_text", {USUAL, {"attention_bias", "=false"}}},
    {"phi",
     "",
     "phi",
     {SIZES, {"num_key_value_heads", "num_kv_heads"}, {"intermediate_size", "ffn"}, {"qk_layernorm", "=false"}}},
    {"phi3", "", "phi3", {SIZES, {"num_key_value_heads", "num_kv_heads"}, {"intermediate_size", "ffn"}}},
    {"falcon", "falcon-7b", "falcon", {FALCON, {"multi_query", "=true"}, {"new_decoder_architecture", "=false"}}},
    {"falcon", "", "falcon", {FALCON, {"num_kv_heads", "num_kv_heads"}, {"new_decoder_architecture", "=true"}}},
    {"gpt_oss",
     "",
     "gpt_oss",
     {USUAL, {"num_local_experts", "num_experts"}, {"num_experts_per_tok", "topk"}, {"attention_bias", "=true"}}},
};

/* ---- the config.json of a row ---- */

typedef struct text {
  char bytes[2048];
  size_t len;
} text;

static void put(text *t, const char *key, const char *value)
{
  int n = snprintf(t->bytes + t->len, sizeof t->bytes - t->len, "%s\"%s\": %s", t->len > 1 ? ", " : "", key, value);
  t->len += n > 0 && (size_t)n < sizeof t->bytes - t->len ? (size_t)n : 0;
}

/* The quotient of the columns in "A/B". */
static uint64_t quotient(const golden *g, const char *value, const char *slash)
{
  char column[64];
  snprintf(column, sizeof column, "%.*s", (int)(slash - value), value);
  uint64_t above = golden_number(g, column), below = golden_number(g, slash + 1);
  return below == 0 ? 0 : above / below;
}

static void put_key(text *t, const golden *g, const config_key *k)
{
  const char *slash = strchr(k->value, '/');
  char number[24];
  if (*k->value == '=') {
    put(t, k->key, k->value + 1);
  } else if (slash != NULL) {
    snprintf(number, sizeof number, "%llu", (unsigned long long)quotient(g, k->value, slash));
    put(t, k->key, number);
  } else {
    int nullable = *k->value == '?';
    const char *cell = golden_cell(g, k->value + nullable);
    if (*cell != 0 || nullable)
      put(t, k->key, *cell != 0 ? cell : "null");
  }
}

static const config *config_of(const golden *g)
{
  for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
    const config *c = &configs[i];
    if (strcmp(golden_cell(g, "family"), c->family) == 0 &&
        strncmp(golden_cell(g, "model"), c->prefix, strlen(c->prefix)) == 0)
      return c;
  }
  return NULL;
}

static void write_config(text *t, const golden *g, const config *c)
{
  char type[64];
  t->bytes[0] = '{';
  t->len = 1;
  snprintf(type, sizeof type, "\"%s\"", c->model_type);
  put(t, "model_type", type);
  put(t, "vocab_size", golden_cell(g, "vocab_size"));
  put(t, "tie_word_embeddings", strcmp(golden_cell(g, "tie"), "1") == 0 ? "true" : "false");
  for (size_t i = 0; i < KEYS_MAX && c->keys[i].key != NULL; i++)
    put_key(t, g, &c->keys[i]);
  t->bytes[t->len++] = '}';
}

/* ---- the two ways ---- */

static void answer(golden *g, const dtc_model *model)
{
  dtc_error err;
  dtc_params params;
  DTC_INIT(&err);
  DTC_INIT(&params);
  if (!golden_ok(g, dtc_model_params(model, &params, &err), &err))
    return;
  golden_u64(g, "computed_params", params.total);
  golden_u64(g, "computed_active_params", params.active);
  golden_u64(g, "computed_mtp_params", params.mtp);
}

/* The repository's own models are all in the catalogue; those of another file need not be. */
static void by_catalogue(golden *g)
{
  dtc_error err;
  dtc_model model;
  DTC_INIT(&err);
  DTC_INIT(&model);
  golden_way(g, "catalogue");
  dtc_status s = dtc_model_find(golden_cell(g, "model"), &model, &err);
  if (s == DTC_E_UNKNOWN && !golden_is_kept(g))
    return;
  if (golden_ok(g, s, &err))
    answer(g, &model);
}

static void by_config(golden *g)
{
  text json;
  dtc_error err;
  dtc_model model;
  DTC_INIT(&err);
  DTC_INIT(&model);
  golden_way(g, "config.json");
  const config *c = config_of(g);
  if (c == NULL) {
    golden_refused(g, "unknown family");
    return;
  }
  write_config(&json, g, c);
  if (golden_ok(g, dtc_model_from_hf(json.bytes, json.len, &model, &err), &err))
    answer(g, &model);
}

void golden_model_params(golden *g)
{
  by_catalogue(g);
  by_config(g);
}
