/* Keys of config.json and their defaults: the config classes of Hugging Face transformers 4.57 and 5.x
 * (src/transformers/models/<type>/configuration_<type>.py). A default stands here only where published configs leave the
 * key out, or where its absence means something else than the architecture's default. */
#include "internal/catalog.h"

enum {
  GPT2 = 1 << 0,
  OPT = 1 << 1,
  BLOOM = 1 << 2,
  NEOX = 1 << 3,
  FALCON = 1 << 4,
  PHI = 1 << 5,
  PHI3 = 1 << 6,
  LLAMA = 1 << 7,
  MISTRAL = 1 << 8,
  QWEN2 = 1 << 9,
  QWEN3 = 1 << 10,
  GEMMA = 1 << 11,
  GEMMA2 = 1 << 12,
  GEMMA3 = 1 << 13,
  MIXTRAL = 1 << 14,
  QWEN2M = 1 << 15,
  QWEN3M = 1 << 16,
  DEEP2 = 1 << 17,
  DEEP3 = 1 << 18,
  OSS = 1 << 19,
  ALL = (1 << 20) - 1,
  NESTED = 1 << 20, /* the keys stand in text_config */

  QWENM = QWEN2M | QWEN3M,
  QWEN = QWEN2 | QWEN3 | QWENM,
  GEMMAS = GEMMA | GEMMA2 | GEMMA3,
  DEEP = DEEP2 | DEEP3,
  MOE = MIXTRAL | QWENM | DEEP | OSS,
};

/* A Gemma 3 with images carries the text model's config inside. Kimi K2 has DeepSeek-V3's layout. */
const dtci_hf_type dtci_hf_types[] = {
    {"gpt2", DTC_ARCH_GPT2, GPT2, 0, 0, 0},
    {"opt", DTC_ARCH_OPT, OPT, 0, 0, DTCI_HF_OPT},
    {"bloom", DTC_ARCH_BLOOM, BLOOM, 0, 0, 0},
    {"gpt_neox", DTC_ARCH_GPT_NEOX, NEOX, 0, 0, 0},
    {"falcon", DTC_ARCH_FALCON, FALCON, 0, 0, DTCI_HF_FALCON},
    {"phi", DTC_ARCH_PHI, PHI, 0, 0, 0},
    {"phi3", DTC_ARCH_PHI3, PHI3, 0, 0, 0},
    {"llama", DTC_ARCH_LLAMA, LLAMA, 0, 0, 0},
    {"mistral", DTC_ARCH_LLAMA, MISTRAL, 0, 0, 0},
    {"qwen2", DTC_ARCH_QWEN2, QWEN2, 0, 0, 0},
    {"qwen3", DTC_ARCH_QWEN3, QWEN3, 0, 0, 0},
    {"gemma", DTC_ARCH_GEMMA, GEMMA, 0, 0, 0},
    {"gemma2", DTC_ARCH_GEMMA2, GEMMA2, 0, 0, 0},
    {"gemma3_text", DTC_ARCH_GEMMA3, GEMMA3, 0, 0, 0},
    {"gemma3", DTC_ARCH_GEMMA3, GEMMA3 | NESTED, 0, 0, 0},
    {"mixtral", DTC_ARCH_MIXTRAL, MIXTRAL, 0, 0, 0},
    {"qwen2_moe", DTC_ARCH_QWEN2_MOE, QWEN2M, 1, 0, 0},
    {"qwen3_moe", DTC_ARCH_QWEN3_MOE, QWEN3M, 1, 0, 0},
    {"deepseek_v2", DTC_ARCH_DEEPSEEK_V2, DEEP2, 0, 1, 0},
    {"deepseek_v3", DTC_ARCH_DEEPSEEK_V3, DEEP3, 0, 1, 0},
    {"kimi_k2", DTC_ARCH_DEEPSEEK_V3, DEEP3, 0, 1, 0},
    {"gpt_oss", DTC_ARCH_GPT_OSS, OSS, 0, 0, 0},
};

const uint32_t dtci_hf_types_count = sizeof dtci_hf_types / sizeof *dtci_hf_types;

#define F(member) DTC_FIELD(model, member)
#define KEY(key, dialects, field, needed, kind, missing)                                                               \
  {                                                                                                                    \
    key, dialects, field, needed, DTCI_HF_##kind, missing                                                              \
  }

const dtci_hf_key dtci_hf_keys[] = {
    KEY("model_type", ALL | NESTED, F(arch), 1, TYPE, 0),
    KEY("text_config", NESTED, F(layers), 1, TYPE, 0),

    /* Size. */
    KEY("num_hidden_layers", ALL & ~(GPT2 | BLOOM | GEMMA3), F(layers), 1, COUNT, 0),
    KEY("num_hidden_layers", GEMMA3, F(layers), 0, COUNT, 26),
    KEY("n_layer", GPT2 | BLOOM, F(layers), 1, COUNT, 0),
    KEY("num_hidden_layers", GPT2 | BLOOM, F(layers), 0, COUNT, 0),
    KEY("n_layer", FALCON, F(layers), 0, COUNT, 0),
    KEY("hidden_size", ALL & ~(GPT2 | GEMMA3), F(hidden), 1, COUNT, 0),
    KEY("hidden_size", GEMMA3, F(hidden), 0, COUNT, 2304),
    KEY("n_embd", GPT2, F(hidden), 1, COUNT, 0),
    KEY("hidden_size", GPT2, F(hidden), 0, COUNT, 0),
    KEY("n_embed", BLOOM | FALCON, F(hidden), 0, COUNT, 0),
    KEY("num_attention_heads", ALL & ~(GPT2 | BLOOM | GEMMA3), F(heads), 1, COUNT, 0),
    KEY("num_attention_heads", GEMMA3, F(heads), 0, COUNT, 8),
    KEY("n_head", GPT2 | BLOOM, F(heads), 1, COUNT, 0),
    KEY("num_attention_heads", GPT2 | BLOOM, F(heads), 0, COUNT, 0),
    KEY("n_head", FALCON, F(heads), 0, COUNT, 0),
    KEY("num_key_value_heads", PHI | PHI3 | LLAMA, F(kv_heads), 0, COUNT, 0),
    KEY("num_key_value_heads", GEMMA2 | GEMMA3 | QWEN3M, F(kv_heads), 0, COUNT, 4),
    KEY("num_key_value_heads", MISTRAL | MIXTRAL | OSS, F(kv_heads), 0, COUNT, 8),
    KEY("num_key_value_heads", GEMMA | QWEN2M, F(kv_heads), 0, COUNT, 16),
    KEY("num_key_value_heads", QWEN2 | QWEN3, F(kv_heads), 0, COUNT, 32),
    KEY("num_kv_heads", FALCON, F(kv_heads), 0, COUNT, 0),
    KEY("n_head_kv", FALCON, F(kv_heads), 0, COUNT, 0),
    KEY("head_dim", PHI | PHI3 | LLAMA | MISTRAL | MIXTRAL | QWEN2 | QWENM, F(head_dim), 0, COUNT, 0),
    KEY("head_dim", OSS, F(head_dim), 0, COUNT, 64),
    KEY("head_dim", QWEN3, F(head_dim), 0, COUNT, 128),
    KEY("head_dim", GEMMAS, F(head_dim), 0, COUNT, 256),
    KEY("intermediate_size", ALL & ~(GPT2 | OPT | BLOOM | FALCON | GEMMA3), F(ffn), 1, COUNT, 0),
    KEY("intermediate_size", GEMMA3, F(ffn), 0, COUNT, 9216),
    KEY("n_inner", GPT2, F(ffn), 0, COUNT, 0),
    KEY("ffn_dim", OPT, F(ffn), 1, COUNT, 0),
    KEY("ffn_hidden_size", FALCON, F(ffn), 0, COUNT, 0),
    KEY("vocab_size", ALL & ~GEMMA3, F(vocab), 1, COUNT, 0),
    KEY("vocab_size", GEMMA3, F(vocab), 0, COUNT, 262208),
    KEY("n_positions", GPT2, F(context), 0, COUNT, 1024),
    KEY("max_position_embeddings", OPT | FALCON, F(context), 0, COUNT, 2048),
    KEY("max_position_embeddings", GEMMA3, F(context), 0, COUNT, 131072),
    KEY("max_position_embeddings", ALL & ~(OPT | BLOOM | FALCON | GEMMA3), F(context), 0, COUNT, 0),
    KEY("seq_length", BLOOM, F(context), 0, COUNT, 0),

    /* Features. */
    KEY("tie_word_embeddings", ALL, F(tied), 0, SWITCH, 0),
    KEY("attention_bias", NEOX | LLAMA | QWEN3 | QWEN3M | GEMMAS | DEEP | OSS, F(qkv_bias), 0, SWITCH, 0),
    KEY("attention_bias", NEOX | LLAMA | QWEN3 | QWEN3M | GEMMAS | DEEP | OSS, F(out_bias), 0, SWITCH, 0),
    KEY("qkv_bias", QWEN2M, F(qkv_bias), 0, SWITCH, 0),
    KEY("mlp_bias", LLAMA | DEEP2, F(mlp_bias), 0, SWITCH, 0),
    KEY("bias", FALCON, F(qkv_bias), 0, SWITCH, 0),
    KEY("bias", FALCON, F(out_bias), 0, SWITCH, 0),
    KEY("bias", FALCON, F(mlp_bias), 0, SWITCH, 0),
    KEY("enable_bias", OPT, F(qkv_bias), 0, SWITCH, 0),
    KEY("enable_bias", OPT, F(out_bias), 0, SWITCH, 0),
    KEY("enable_bias", OPT, F(mlp_bias), 0, SWITCH, 0),
    KEY("qk_layernorm", PHI, F(qk_norm), 0, SWITCH, 0),
    KEY("do_layer_norm_before", OPT, F(norms), 0, MUST_ON, 0),
    KEY("layer_norm_elementwise_affine", OPT, F(norm), 0, MUST_ON, 0),
    KEY("_remove_final_layer_norm", OPT, F(norms), 0, MUST_OFF, 0),
    KEY("word_embed_proj_dim", OPT, 0, 0, COUNT, 0),
    KEY("add_cross_attention", GPT2, F(arch), 0, MUST_OFF, 0),
    KEY("multi_query", FALCON, 0, 0, SWITCH, 0),
    KEY("new_decoder_architecture", FALCON, 0, 0, SWITCH, 0),
    KEY("parallel_attn", FALCON, 0, 0, SWITCH, 0),
    KEY("num_ln_in_parallel_attn", FALCON, 0, 0, COUNT, 0),
    KEY("alibi", FALCON, 0, 0, SWITCH, 0),

    /* Sliding windows. Gemma 2 and gpt-oss alternate them with full attention. */
    KEY("sliding_window", PHI3 | MIXTRAL, F(window), 0, NUMBER, 0),
    KEY("sliding_window", MISTRAL | QWEN | GEMMA2 | GEMMA3, F(window), 0, NUMBER, 4096),
    KEY("sliding_window", OSS, F(window), 0, NUMBER, 128),
    KEY("use_sliding_window", QWEN, 0, 0, SWITCH, 0),
    KEY("max_window_layers", QWEN2 | QWEN3, 0, 0, NUMBER, 0),
    KEY("sliding_window_pattern", GEMMA3, F(window_every), 0, COUNT, 6),
    KEY("layer_types", GEMMA2 | OSS, F(window_every), 0, LAYERS, 2),
    KEY("layer_types", QWEN2 | QWEN3 | QWEN2M | GEMMA3, F(window_every), 0, LAYERS, 0),

    /* Mixture of experts. */
    KEY("num_local_experts", MIXTRAL | OSS, F(experts), 1, COUNT, 0),
    KEY("num_experts", QWENM, F(experts), 1, COUNT, 0),
    KEY("n_routed_experts", DEEP, F(experts), 1, COUNT, 0),
    KEY("num_experts", MIXTRAL | OSS | DEEP2, F(experts), 0, COUNT, 0),
    KEY("num_local_experts", QWEN3M | DEEP3, F(experts), 0, COUNT, 0),
    KEY("num_experts_per_tok", MOE, F(top_k), 1, COUNT, 0),
    KEY("experts_per_token", OSS, F(top_k), 0, COUNT, 0),
    KEY("moe_intermediate_size", QWENM | DEEP, F(moe_ffn), 1, COUNT, 0),
    KEY("intermediate_size", MIXTRAL | OSS, F(moe_ffn), 0, COUNT, 0),
    KEY("shared_expert_intermediate_size", QWEN2M, F(shared_ffn), 1, COUNT, 0),
    KEY("n_shared_experts", DEEP2, F(shared_ffn), 0, NUMBER, 2),
    KEY("n_shared_experts", DEEP3, F(shared_ffn), 0, NUMBER, 1),
    KEY("first_k_dense_replace", DEEP2, F(dense_layers), 0, NUMBER, 0),
    KEY("first_k_dense_replace", DEEP3, F(dense_layers), 0, NUMBER, 3),
    KEY("mlp_only_layers", QWENM, F(dense_layers), 0, LEADING, 0),
    KEY("decoder_sparse_step", QWENM, F(moe_every), 0, COUNT, 1),
    KEY("moe_layer_freq", DEEP, F(moe_every), 0, COUNT, 0),
    KEY("topk_method", DEEP3, F(router_bias), 0, METHOD, 0),

    /* Multi-head latent attention and multi-token prediction. */
    KEY("q_lora_rank", DEEP, F(q_rank), 0, NUMBER, 1536),
    KEY("kv_lora_rank", DEEP, F(kv_rank), 1, COUNT, 0),
    KEY("qk_nope_head_dim", DEEP, F(qk_nope_dim), 1, COUNT, 0),
    KEY("qk_rope_head_dim", DEEP, F(qk_rope_dim), 1, COUNT, 0),
    KEY("v_head_dim", DEEP, F(v_dim), 1, COUNT, 0),
    KEY("num_nextn_predict_layers", DEEP3, F(mtp_layers), 0, NUMBER, 0),
    KEY("num_mtp_layers", DEEP3, F(mtp_layers), 0, NUMBER, 0),
};

const uint32_t dtci_hf_keys_count = sizeof dtci_hf_keys / sizeof *dtci_hf_keys;
_Static_assert(sizeof dtci_hf_keys / sizeof *dtci_hf_keys <= DTCI_HF_KEYS_MAX, "raise DTCI_HF_KEYS_MAX");
