/**
 * @file model.h
 * @brief What is trained: the shape of a model, its parameters, its tensors and its FLOPs.
 *
 * Exact against the checkpoints and the module lists of Hugging Face transformers (proved on tests/golden).
 */
#ifndef DTCORE_MODEL_H
#define DTCORE_MODEL_H

#include <dtcore/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Architecture: which tensors a layer has, how they are named and in which order. */
typedef uint32_t dtc_arch;
enum {
  DTC_ARCH_DEFAULT = 0,      /**< megatron */
  DTC_ARCH_MEGATRON = 1,     /**< Megatron-Core GPT, T5 and hybrid: any mix of the features below */
  DTC_ARCH_GPT2 = 2,         /**< GPT-2, GPT-3 */
  DTC_ARCH_OPT = 3,          /**< OPT */
  DTC_ARCH_BLOOM = 4,        /**< BLOOM */
  DTC_ARCH_GPT_NEOX = 5,     /**< GPT-NeoX, Pythia */
  DTC_ARCH_FALCON = 6,       /**< Falcon */
  DTC_ARCH_PHI = 7,          /**< Phi-1.5, Phi-2 */
  DTC_ARCH_PHI3 = 8,         /**< Phi-3, Phi-4 */
  DTC_ARCH_LLAMA = 9,        /**< Llama 1 to 3, Mistral */
  DTC_ARCH_QWEN2 = 10,       /**< Qwen2, Qwen2.5 */
  DTC_ARCH_QWEN3 = 11,       /**< Qwen3 */
  DTC_ARCH_GEMMA = 12,       /**< Gemma 1 */
  DTC_ARCH_GEMMA2 = 13,      /**< Gemma 2 */
  DTC_ARCH_GEMMA3 = 14,      /**< Gemma 3, text part */
  DTC_ARCH_MIXTRAL = 15,     /**< Mixtral */
  DTC_ARCH_QWEN2_MOE = 16,   /**< Qwen1.5-MoE, Qwen2-MoE */
  DTC_ARCH_QWEN3_MOE = 17,   /**< Qwen3-MoE */
  DTC_ARCH_DEEPSEEK_V2 = 18, /**< DeepSeek-V2 */
  DTC_ARCH_DEEPSEEK_V3 = 19, /**< DeepSeek-V3, Kimi K2 */
  DTC_ARCH_GPT_OSS = 20,     /**< gpt-oss */
  DTC_ARCH_BERT = 21,        /**< BERT as Megatron-Core builds it, with the next-sentence head */
};

/** Normalisation layers. */
typedef uint32_t dtc_norm;
enum {
  DTC_NORM_DEFAULT = 0,   /**< that of the architecture */
  DTC_NORM_RMSNORM = 1,   /**< a weight */
  DTC_NORM_LAYERNORM = 2, /**< a weight and a bias */
};

/** Position encoding. */
typedef uint32_t dtc_position;
enum {
  DTC_POSITION_DEFAULT = 0, /**< that of the architecture; Megatron's rope */
  DTC_POSITION_ROPE = 1,    /**< rotary */
  DTC_POSITION_LEARNED = 2, /**< a table of `context` rows */
  DTC_POSITION_ALIBI = 3,   /**< ALiBi */
  DTC_POSITION_NOPE = 4,    /**< none */
};

/** The shape of a model. */
typedef struct dtc_model {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  dtc_arch arch;           /**< architecture */
  uint64_t layers;         /**< layers, without MTP and without an encoder's [1, 2^20] */
  uint64_t hidden;         /**< hidden size [1, 2^24] */
  uint64_t heads;          /**< attention (query) heads [1, 2^20] */
  uint64_t kv_heads;       /**< key/value heads; 0 = heads [0, 2^20] */
  uint64_t head_dim;       /**< size of a head; 0 = hidden / heads [0, 2^20] */
  uint64_t ffn;            /**< MLP size of a dense layer; 0 = 4 * hidden [0, 2^28] */
  uint64_t vocab;          /**< vocabulary, unpadded [1, 2^32] */
  uint64_t context;        /**< longest sequence, tokens; rows of a learned position table; 0 = not said [0, 2^32] */
  dtc_norm norm;           /**< normalisation */
  dtc_position position;   /**< position encoding */
  dtc_bool tied;           /**< the output head shares the embedding's weight */
  dtc_bool gated;          /**< gated MLP (SwiGLU, GeGLU): three matrices */
  dtc_bool qkv_bias;       /**< biases of the query, key and value projections */
  dtc_bool out_bias;       /**< bias of the attention output projection */
  dtc_bool mlp_bias;       /**< biases of the MLP and expert matrices */
  dtc_bool head_bias;      /**< bias of the output head */
  dtc_bool qk_norm;        /**< normalised queries and keys, per head */
  dtc_bool embed_norm;     /**< a norm behind the embedding */
  uint64_t norms;          /**< norms in a layer: 1 parallel, 2 usual, 4 sandwich; 0 = the architecture's [0, 4] */
  uint64_t window;         /**< sliding attention window, tokens; 0 = none [0, 2^32] */
  uint64_t window_every;   /**< one layer in so many attends to everything; 0 = none does [0, 2^20] */
  uint64_t experts;        /**< routed experts of an MoE layer; 0 = dense model [0, 2^20] */
  uint64_t top_k;          /**< experts a token is sent to; 0 = 1 in an MoE model [0, 2^20] */
  uint64_t moe_ffn;        /**< MLP size of one expert; 0 = ffn [0, 2^28] */
  uint64_t shared_ffn;     /**< MLP size of all shared experts together; 0 = none [0, 2^28] */
  uint64_t dense_layers;   /**< leading layers that are dense in an MoE model [0, 2^20] */
  uint64_t moe_every;      /**< one layer in so many is MoE; 0 = every one [0, 2^20] */
  uint64_t moe_offset;     /**< layer i behind the leading ones is MoE when i mod moe_every is this [0, 2^20] */
  dtc_bool shared_gate;    /**< the shared experts have a sigmoid gate */
  dtc_bool router_bias;    /**< the router has a bias or a correction vector of `experts` values */
  uint64_t q_rank;         /**< MLA: rank of the query projection; 0 = full [0, 2^24] */
  uint64_t kv_rank;        /**< MLA: rank of the key/value projection; 0 = not MLA [0, 2^24] */
  uint64_t qk_nope_dim;    /**< MLA: head size without rotary part [0, 2^20] */
  uint64_t qk_rope_dim;    /**< MLA: head size of the rotary part [0, 2^20] */
  uint64_t v_dim;          /**< MLA: head size of the values [0, 2^20] */
  uint64_t mtp_layers;     /**< multi-token-prediction modules [0, 2^10] */
  uint64_t encoder_layers; /**< encoder layers of Megatron's T5, whose decoder `layers` are; 0 = none [0, 2^20] */
  uint64_t mamba_layers;   /**< Megatron hybrid: how many of `layers` are Mamba-2 mixers [0, 2^20] */
  uint64_t mlp_layers;     /**< Megatron hybrid: how many are an MLP alone; the rest is attention alone [0, 2^20] */
  uint64_t mamba_inner;    /**< Mamba-2: inner size; 0 = 64 * mamba_heads, else 2 * hidden [0, 2^26] */
  uint64_t mamba_heads;    /**< Mamba-2: heads; 0 = mamba_inner / 64 [0, 2^20] */
  uint64_t mamba_groups;   /**< Mamba-2: groups of heads that share B and C; 0 = 8 [0, 2^20] */
  uint64_t mamba_state;    /**< Mamba-2: size of a state; 0 = 128 [0, 2^20] */
} dtc_model;

/**
 * Parameter counts, exact. Totals leave MTP modules out, as the model cards do; `mtp` counts them. embedding, head,
 * final_norm and count * layer of the six kinds of layers add up to the total.
 */
typedef struct dtc_params {
  uint32_t struct_size;     /**< sizeof, set by DTC_INIT() */
  uint32_t pad;             /**< 0 */
  uint64_t total;           /**< every parameter, tied weights once, MTP left out */
  uint64_t active;          /**< parameters that one token passes through: top_k of the experts, the rest whole */
  uint64_t embedding;       /**< token, position and token type tables, and the norm behind them */
  uint64_t head;            /**< output head, without a tied weight; BERT's transform and next-sentence head count */
  uint64_t final_norm;      /**< norm before the head, and that of an encoder */
  uint64_t dense_layer;     /**< one layer of attention and MLP; in a decoder with cross attention */
  uint64_t moe_layer;       /**< one MoE layer, all experts; 0 without */
  uint64_t attention;       /**< self attention of one layer, without its norm */
  uint64_t mlp;             /**< MLP of one dense layer, or of one that is an MLP alone */
  uint64_t expert;          /**< one routed expert; 0 without */
  uint64_t shared;          /**< shared experts of one MoE layer, gate included */
  uint64_t router;          /**< router of one MoE layer */
  uint64_t norms;           /**< norms of one layer */
  uint64_t dense_count;     /**< dense layers */
  uint64_t moe_count;       /**< MoE layers */
  uint64_t mtp;             /**< all MTP modules, what they share with the model left out */
  uint64_t cross;           /**< cross attention of one decoder layer, without its norm; 0 without an encoder */
  uint64_t encoder_layer;   /**< one encoder layer; 0 without */
  uint64_t encoder_count;   /**< encoder layers */
  uint64_t mamba_layer;     /**< one Mamba-2 layer; 0 without */
  uint64_t mamba_count;     /**< Mamba-2 layers */
  uint64_t attention_layer; /**< one layer of attention alone; 0 without */
  uint64_t attention_count; /**< layers of attention alone */
  uint64_t mlp_layer;       /**< one layer of an MLP alone; 0 without */
  uint64_t mlp_count;       /**< layers of an MLP alone */
} dtc_params;

/** What a tensor belongs to. */
typedef uint32_t dtc_tensor_kind;
enum {
  DTC_TENSOR_KIND_NONE = 0,
  DTC_TENSOR_KIND_EMBEDDING = 1,  /**< token or position table, or the norm behind them */
  DTC_TENSOR_KIND_ATTENTION = 2,  /**< attention projections, their biases and inner norms */
  DTC_TENSOR_KIND_MLP = 3,        /**< dense MLP */
  DTC_TENSOR_KIND_NORM = 4,       /**< norm of a layer */
  DTC_TENSOR_KIND_ROUTER = 5,     /**< router */
  DTC_TENSOR_KIND_EXPERT = 6,     /**< routed experts */
  DTC_TENSOR_KIND_SHARED = 7,     /**< shared experts and their gate */
  DTC_TENSOR_KIND_FINAL_NORM = 8, /**< norm before the head */
  DTC_TENSOR_KIND_HEAD = 9,       /**< output head */
  DTC_TENSOR_KIND_CROSS = 10,     /**< cross attention */
  DTC_TENSOR_KIND_MAMBA = 11,     /**< Mamba-2 mixer, its inner norm included */
};

/** One tensor of the parameter list. */
typedef struct dtc_tensor {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  dtc_tensor_kind kind; /**< what it belongs to */
  uint64_t dims;        /**< number of dimensions, 1 to 3 */
  uint64_t dim0;        /**< size of dimension 0 */
  uint64_t dim1;        /**< size of dimension 1; 1 when dims < 2 */
  uint64_t dim2;        /**< size of dimension 2; 1 when dims < 3 */
  uint64_t numel;       /**< elements */
  uint64_t layer;       /**< layer it lies in, those of an encoder first; DTC_NONE outside the layers */
  uint64_t expert;      /**< expert it belongs to; DTC_NONE when none, or when one tensor holds all */
} dtc_tensor;

/** Whose count of training FLOPs per token. s sequence, L layers, H heads * (qk + v head size) / 2. */
typedef uint32_t dtc_flops_convention;
enum {
  DTC_FLOPS_DEFAULT = 0,          /**< megatron */
  DTC_FLOPS_MEGATRON = 1,         /**< 6 N + 6 L H s: causal half; Megatron-Core >= 0.12 */
  DTC_FLOPS_MEGATRON_FULL = 2,    /**< 6 N + 12 L H s: whole square; Megatron-Core <= 0.11, NeMo, nanotron */
  DTC_FLOPS_MEGATRON_HFU = 3,     /**< 8 N' + 8 L H s + 6 head: `megatron` with full recompute of the layers */
  DTC_FLOPS_PALM = 4,             /**< 6 N_all + 12 L H s: PaLM appendix B, llm-foundry, TorchTitan in 2024; embeddings
                                       count */
  DTC_FLOPS_PALM_HFU = 5,         /**< 8 N_all + 16 L H s: llm-foundry HFU with checkpointing */
  DTC_FLOPS_TORCHTITAN = 6,       /**< 6 (N_all - embedding) + 12 L H s: TorchTitan */
  DTC_FLOPS_SIX_N = 7,            /**< 6 N: attention left out; NeMo's fine-tuning on packed sequences */
  DTC_FLOPS_NARAYANAN_HFU = 8,    /**< 96 L h^2 (1 + s/6h + V/16Lh): SC21, full recompute; plain 4 h MLP assumed */
  DTC_FLOPS_KORTHIKANTI = 9,      /**< 72 L h^2 (1 + s/6h + V/12Lh): model FLOPs of arXiv 2205.05198, and SC21 without
                                       recompute; NVIDIA's recipes take it for GPT-3, Llama 3.1 405B, and until 25.05
                                       Nemotron-4 */
  DTC_FLOPS_KORTHIKANTI_HFU = 10, /**< 72 L h^2 (1 + s/3h + V/12Lh): the same with selective recompute */
  DTC_FLOPS_BIGSCIENCE_HFU = 11,  /**< 96 L h^2: BigScience until February 2022, 8 N with N = 12 L h^2 */
  DTC_FLOPS_BRIDGE = 12,          /**< 6 N + 6 L H s of what is trained, MTP modules and their heads too; routers left
                                       out, windows of attention counted: what Megatron-Bridge prints */
  DTC_FLOPS_BRIDGE_PLAIN = 13,    /**< the same with gates of MLPs and windows left out: Megatron-Bridge until 26.04 for
                                       gated MLPs other than SwiGLU (gpt-oss) */
  DTC_FLOPS_FOUR_N = 14,          /**< 4 N: frozen weights, whose gradients are not computed (LoRA), attention left out;
                                       NeMo, Megatron-Bridge */
};

/**
 * @brief Number of models in the catalogue.
 * @return models. Exact. Since 1.0.
 */
DTC_API size_t dtc_model_count(void);

/**
 * @brief Name of a model in the catalogue.
 * @param index [0, dtc_model_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_model_name(size_t index);

/**
 * @brief Where the numbers of a catalogue model come from.
 * @param index [0, dtc_model_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_model_source(size_t index);

/**
 * @brief A model of the catalogue by name; case, '-' and '_' do not matter; Hugging Face ids do too.
 * @param name "llama-2-70b", "meta-llama/Llama-2-70b-hf"
 * @param out the model, resolved
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_UNKNOWN (err->lower is the index of the nearest name, or DTC_NONE). Exact.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_model_find(const char *name, dtc_model *out, dtc_error *err);

/**
 * @brief Reads a Hugging Face config.json.
 * @param json UTF-8 text; need not end in NUL
 * @param len bytes
 * @param out the model, resolved
 * @param err may be NULL; field is the dtc_model field, other the JSON key, offset its place
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_PARSE (not JSON), DTC_E_UNKNOWN (model_type), DTC_E_CONFLICT (a key
 *         missing, twice, or against another), DTC_E_RANGE, DTC_E_DIVIDE, DTC_E_UNSUPPORTED. Exact for the
 *         architectures of dtc_arch as transformers 4.x and 5.x build them. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_model_from_hf(const char *json, size_t len, dtc_model *out, dtc_error *err);

/**
 * @brief Fills every default field and checks every value. Idempotent.
 * @param model the shape
 * @param out the same with no default left; may be the same object
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_DIVIDE, DTC_E_CONFLICT, DTC_E_UNSUPPORTED (a feature that
 *         the architecture does not have). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_model_resolve(const dtc_model *model, dtc_model *out, dtc_error *err);

/**
 * @brief Counts parameters.
 * @param model the shape
 * @param out counts
 * @param err may be NULL
 * @return as dtc_model_resolve(), and DTC_E_OVERFLOW. Exact: sums of dtc_model_tensor() sizes. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_model_params(const dtc_model *model, dtc_params *out, dtc_error *err);

/**
 * @brief Length of the parameter list, MTP modules left out.
 * @param model the shape
 * @param count tensors
 * @param err may be NULL
 * @return as dtc_model_params(). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_model_tensor_count(const dtc_model *model, uint64_t *count, dtc_error *err);

/**
 * @brief Tensor i of the parameter list in the order of Hugging Face transformers (Megatron-Core's for that
 *        architecture), tied weights once. O(1), in a hybrid O(log layers). The layers of a hybrid are spread evenly:
 *        of its first n, ceil(n mamba_layers / layers) are Mamba-2 mixers, and of the n' others
 *        ceil(n' mlp_layers / (layers - mamba_layers)) an MLP alone.
 * @param model the shape
 * @param index [0, dtc_model_tensor_count())
 * @param out shape and place
 * @param err may be NULL
 * @return as dtc_model_params(), DTC_E_RANGE for index. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_model_tensor(const dtc_model *model, uint64_t index, dtc_tensor *out,
                                                  dtc_error *err);

/**
 * @brief Name of tensor i, "model.layers.3.self_attn.q_proj.weight".
 * @param model the shape
 * @param index [0, dtc_model_tensor_count())
 * @param buf where to write; may be NULL when cap is 0
 * @param cap bytes in buf; the name is cut to cap - 1 bytes and always ends in NUL
 * @param len bytes of the whole name without the NUL; may be NULL
 * @param err may be NULL
 * @return as dtc_model_tensor(). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_model_tensor_name(const dtc_model *model, uint64_t index, char *buf, size_t cap,
                                                       size_t *len, dtc_error *err);

/**
 * @brief Training FLOPs per token (forward and backward) by a named convention. N: matrix parameters that a token
 *        passes through, output head included, input embedding not.
 * @param model the shape
 * @param seq sequence length, tokens [1, 2^32]
 * @param convention whose count
 * @param flops FLOPs per token
 * @param err may be NULL
 * @return as dtc_model_params(), DTC_E_RANGE for seq and convention, DTC_E_UNSUPPORTED for BERT, encoders and hybrids, whose
 *         layers differ from what the conventions count. Exact by its formula. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_model_flops(const dtc_model *model, uint64_t seq, dtc_flops_convention convention,
                                                 double *flops, dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif
