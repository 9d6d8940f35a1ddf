/* Rows of the operator table, see lib/catalog/operators.c. */
#ifndef DTCI_OPERATORS_H
#define DTCI_OPERATORS_H

#include "internal/ledger.h"

/* Sizes per token that operators work on. */
typedef enum dtci_basis {
  DTCI_OF_TOKEN,       /* 1 */
  DTCI_OF_HIDDEN,      /* h */
  DTCI_OF_READ_QKV,    /* h times the linear layers of attention that read the norm's output */
  DTCI_OF_READ_MLP,    /* h times those of the MLP */
  DTCI_OF_NORMS_H,     /* norms of a layer * h */
  DTCI_OF_NORMS_REST,  /* the same but the first norm */
  DTCI_OF_NORMS,       /* norms of a layer */
  DTCI_OF_Q,           /* a d */
  DTCI_OF_KV,          /* g d */
  DTCI_OF_QK,          /* (a + g) d */
  DTCI_OF_QK_HEADS,    /* a + g */
  DTCI_OF_QKV_OUT,     /* (a + 2g) d */
  DTCI_OF_KV_REPEATED, /* 2 (a - g) d */
  DTCI_OF_HEADS,       /* a */
  DTCI_OF_SCORES,      /* a s */
  DTCI_OF_FFN,
  DTCI_OF_SHARED_FFN,
  DTCI_OF_EXPERTS,
  DTCI_OF_ROUTES,   /* 2 E + 1 */
  DTCI_OF_ROWS_H,   /* k h */
  DTCI_OF_ROWS_FFN, /* k f_e */
  DTCI_OF_Q_RANK,
  DTCI_OF_KV_RANK,
  DTCI_OF_Q_IN,    /* q_rank, or h without one */
  DTCI_OF_KV_DOWN, /* kv_rank + qk_rope_dim */
  DTCI_OF_KV_UP,   /* a (qk_nope_dim + v_dim) */
  DTCI_OF_QK_MLA,  /* a (qk_nope_dim + qk_rope_dim) */
  DTCI_OF_V_MLA,   /* a v_dim */
  DTCI_OF_QK_V,    /* a (query + value head size) */
  DTCI_OF_SEQ,
  DTCI_OF_SHARED_GATE,
  DTCI_OF_ROPE,    /* row of a rotary table, values */
  DTCI_OF_VOCAB,   /* padded */
  DTCI_OF_ONE_QKV, /* (a + g) d where query, key and value come from one projection and are rotated, else 0 */
  /* Fine-tuning: of what adapters keep, values in 16 bit and masks of their dropout. */
  DTCI_OF_LORA_QKV,
  DTCI_OF_LORA_QKV_MASK,
  DTCI_OF_LORA_OUT,
  DTCI_OF_LORA_OUT_MASK,
  DTCI_OF_LORA_MLP,
  DTCI_OF_LORA_MLP_MASK,
  /* What 4-bit linear layers keep of their inputs, bytes. */
  DTCI_OF_QUANT_QKV,
  DTCI_OF_QUANT_OUT,
  DTCI_OF_QUANT_MLP,
  DTCI_OF_MOE_FFN,
  DTCI_OF_TOP_K,
  DTCI_OF_NORMS_MORE_H, /* norms of a layer beyond two * h */
  DTCI_OF_ROPE_DIM,     /* values of a position's angles */
  DTCI_OF_KV_HEADS_Q,   /* 2 a d: k and v of all heads */
  DTCI_OF_CROSS_SCORES, /* a * tokens of an encoder's sequence */
  DTCI_OF_MAMBA_IN,     /* output of a Mamba-2 layer's first projection */
  DTCI_OF_MAMBA_INNER,
  DTCI_OF_HEAD_DIM, /* d */
  DTCI_BASES,
} dtci_basis;

typedef enum dtci_shard {
  DTCI_SHARD_NONE,
  DTCI_SHARD_TP,
  DTCI_SHARD_SP,  /* tp with sequence parallelism, else 1 */
  DTCI_SHARD_ETP, /* as SP, but every rank of the expert tensor parallel group holds all rows: * etp */
  /* Something else in the place of tokens. */
  DTCI_SHARD_ROWS,    /* routed rows */
  DTCI_SHARD_EXPERT,  /* routed rows, / etp */
  DTCI_SHARD_BATCH,   /* tokens of one sequence */
  DTCI_SHARD_ONCE,    /* 1 */
  DTCI_SHARD_ENCODER, /* tokens of an encoder, / tp */
  DTCI_SHARD_PICKS,   /* a row for each expert that a token picks, / tp with sequence parallelism */
  DTCI_SHARDS,
} dtci_shard;

/* Conditions, all of which must hold. */
enum {
  DTCI_IF_DENSE = 1 << 0,
  DTCI_IF_MOE = 1 << 1,
  DTCI_IF_HEAD = 1 << 2,
  DTCI_IF_MHA = 1 << 3,
  DTCI_IF_MLA = 1 << 4,
  DTCI_IF_GATED = 1 << 5,
  DTCI_IF_PLAIN = 1 << 6,
  DTCI_IF_RMSNORM = 1 << 7,
  DTCI_IF_LAYERNORM = 1 << 8,
  DTCI_IF_QK_NORM = 1 << 9,
  DTCI_IF_FLASH = 1 << 10,
  DTCI_IF_EAGER = 1 << 11,
  DTCI_IF_ROPE = 1 << 12, /* of time alone: rotary positions */
  DTCI_IF_DROPOUT = 1 << 13,
  DTCI_IF_FP32_SOFTMAX = 1 << 14,
  DTCI_IF_COMPILED = 1 << 15,   /* of time alone: torch.compile */
  DTCI_IF_SUMS_APART = 1 << 16, /* of time alone: gradients are not added up in the products */
  DTCI_IF_AUTOCAST = 1 << 17,   /* fp32 weights under torch.autocast; else UNCAST */
  DTCI_IF_UNCAST = 1 << 18,
  DTCI_IF_GELU_NEW = 1 << 19,      /* GPT-2's GELU, five elementwise steps in eager PyTorch */
  DTCI_IF_SOFTMAX_STEPS = 1 << 20, /* PyTorch's softmax */
  DTCI_IF_EXPERT_STEPS = 1 << 21,  /* of time alone: the experts' activation step by step */
  DTCI_IF_UNPADDED = 1 << 22,      /* of time alone: attention gathers and scatters the tokens that are no padding */
  DTCI_IF_FP32 = 1 << 23,
  DTCI_IF_QKV = 1 << 24,         /* query, key and value are kept as they are; else MATH */
  DTCI_IF_MATH = 1 << 25,        /* PyTorch's own attention by parts, in fp32 */
  DTCI_IF_LOSS_UPCAST = 1 << 26, /* logits cast to fp32 */
  DTCI_IF_LOSS_SAME = 1 << 27,   /* logits as they come, also in a fused or compiled loss */
  DTCI_IF_LOSS_PARTS = 1 << 28,  /* LOSS_SAME by separate operations */
  DTCI_IF_VARLEN = 1 << 29,      /* TorchTitan's own attention, in 16 bit whatever comes in */
  DTCI_IF_NORM_STEPS = 1 << 30,  /* RMSNorm by separate operations, where the framework has a fused one too */
};

/* Of Megatron's rows alone. */
#define DTCI_IF(n) (UINT64_C(1) << (n))
#define DTCI_IF_STEPS DTCI_IF(31)  /* of time alone: activations and rotations step by step */
#define DTCI_IF_NORM_2 DTCI_IF(32) /* two norms or more in a layer */
#define DTCI_IF_FP8 DTCI_IF(33)    /* else NOT_FP8 */
#define DTCI_IF_NOT_FP8 DTCI_IF(34)
#define DTCI_IF_OUT_TWICE DTCI_IF(35)    /* the attention kernel's output has a layout of its own */
#define DTCI_IF_FLASH_2 DTCI_IF(36)      /* FlashAttention 2 */
#define DTCI_IF_DROPS_SCORES DTCI_IF(37) /* attention dropout */
#define DTCI_IF_SOFTMAX_32 DTCI_IF(38)
#define DTCI_IF_CAUSAL_MASK DTCI_IF(39) /* the fused softmax is refused */
#define DTCI_IF_QKV_STAYS DTCI_IF(40)   /* output of the qkv projection, of which v is a view */
#define DTCI_IF_Q_APART DTCI_IF(41)     /* q is no view of it */
#define DTCI_IF_K_APART DTCI_IF(42)
#define DTCI_IF_Q_COPIED DTCI_IF(43)   /* input of q's norm is no view of it */
#define DTCI_IF_REPEATED DTCI_IF(44)   /* k and v are repeated to all heads */
#define DTCI_IF_ROPE_STEPS DTCI_IF(45) /* rotation step by step */
#define DTCI_IF_Q_LOW DTCI_IF(46)      /* latent attention with a low-rank query */
#define DTCI_IF_SP DTCI_IF(47)         /* sequence parallel; else NO_SP */
#define DTCI_IF_NO_SP DTCI_IF(48)
#define DTCI_IF_MLP_INPUT DTCI_IF(49)     /* norm and MLP are recomputed */
#define DTCI_IF_ACT_STEPS DTCI_IF(50)     /* activation step by step */
#define DTCI_IF_MLA_UP_AGAIN DTCI_IF(51)  /* recomputed */
#define DTCI_IF_MOE_ACT_AGAIN DTCI_IF(52) /* recomputed */
#define DTCI_IF_ROWS_TWICE DTCI_IF(53)    /* routed rows are gathered, then permuted */
#define DTCI_IF_PROBABILITIES DTCI_IF(54) /* a plain expert's activation times probability is a tensor */
#define DTCI_IF_NO_PROBABILITIES DTCI_IF(55)
#define DTCI_IF_CAPACITY DTCI_IF(56) /* else DROPLESS */
#define DTCI_IF_DROPLESS DTCI_IF(57)
#define DTCI_IF_ROUTER_16 DTCI_IF(58)
#define DTCI_IF_ROUTER_32 DTCI_IF(59)
#define DTCI_IF_CROSS DTCI_IF(60) /* cross attention */
#define DTCI_IF_MAMBA DTCI_IF(61)

/* What selective recomputation may take: bits of dtci_saved_row.modules. */
enum {
  DTCI_MODULE_CORE_ATTN = 1 << 0,
  DTCI_MODULE_MLP = 1 << 1,
  DTCI_MODULE_LAYERNORM = 1 << 2,
  DTCI_MODULE_MOE_ACT = 1 << 3,
  DTCI_MODULE_MLA_UP = 1 << 4,
  DTCI_MODULE_MOE = 1 << 5,
  DTCI_MODULE_SHARED = 1 << 6,
  DTCI_MODULE_POLICY = 1 << 7,    /* TorchTitan's policy by operator */
  DTCI_MODULE_UNFUSED = 1 << 8,   /* the same where query, key and value are three products: the second is not kept */
  DTCI_MODULE_COMPILED = 1 << 9,  /* the same under torch.compile */
  DTCI_MODULE_INDUCTOR = 1 << 14, /* not asked for: torch.compile's partitioner computes it anew in backward */
  DTCI_MODULE_FROZEN = 1 << 15,   /* not recomputed: the weights are frozen, and it is kept for their gradients alone */
};

typedef struct dtci_saved_row {
  uint8_t op; /* dtc_operator */
  uint8_t basis;
  uint8_t shard;
  uint8_t per_value; /* times the bytes of an activation */
  uint8_t bytes;
  uint8_t reserved[3];
  uint64_t needs;
  uint64_t modules; /* DTCI_MODULE_*: recomputing any of them drops it */
} dtci_saved_row;

/* What of a product tensor parallelism splits. */
enum {
  DTCI_PART_WHOLE,
  DTCI_PART_COLUMNS,
  DTCI_PART_DEPTH,
  DTCI_PART_HEADS, /* the scores of attention */
};

/* A matrix product: forward FLOPs = depth * columns * times * what the shard says instead of tokens / ranks. Its result has
 * times / 2 such columns. */
typedef struct dtci_product_row {
  uint8_t op;
  uint8_t depth;   /* dtci_basis */
  uint8_t columns; /* dtci_basis */
  uint8_t times;
  uint8_t shard;
  uint8_t part; /* DTCI_PART_* */
  uint8_t reserved[2];
  uint64_t needs;
} dtci_product_row;

/* ---- ledger.c -------------------------------------------------------------------------------- */

/* What the rows are multiplied with: of a model under a plan, and of the layer that is looked at. */
typedef struct dtci_ledger {
  const dtc_model *m;
  const dtc_plan *p;
  const dtci_saved_row *rows;
  uint32_t count;
  uint32_t form;
  uint64_t common;  /* DTCI_IF_* of every layer */
  uint64_t encoder; /* tokens of an encoder's sequence */
  uint64_t basis[DTCI_BASES];
  uint64_t ranks[DTCI_SHARDS]; /* that share a row's bytes */
  uint64_t has;                /* DTCI_IF_* of the layer */
  uint64_t times[DTCI_SHARDS]; /* how often they are there before: per token, per routed row, .. */
} dtci_ledger;

/* A product as one rank of a layer computes it. */
typedef struct dtci_product {
  uint8_t op;    /* dtc_operator */
  uint8_t part;  /* DTCI_PART_* */
  uint8_t times; /* FLOPs = times * m * n * k */
  uint8_t up;    /* 1: an up-projection of latent attention */
  uint8_t pad[4];
  uint64_t m; /* rows of the result: tokens, or routed rows of all experts of the rank */
  uint64_t n; /* columns */
  uint64_t k; /* depth */
} dtci_product;

void dtci_ledger_begin(dtci_ledger *l, const dtc_model *m, const dtc_plan *p, int *bad);
/* Looks at layers of a kind, for what follows. */
void dtci_ledger_look(dtci_ledger *l, dtc_layer_kind kind, int *bad);
/* Values of a row of the layer on a rank: basis * what the shard says / ranks. */
double dtci_ledger_values(const dtci_ledger *l, uint8_t basis, uint8_t shard);
/* Product `row` of the layer; 0 when it has none there. */
int dtci_ledger_product(const dtci_ledger *l, uint32_t row, dtci_product *out);
/* Bytes that a layer of this kind keeps for backward, for one micro-batch on one rank. */
uint64_t dtci_saved(dtci_ledger *l, dtc_layer_kind kind, int *bad);
/* The same without recomputation. */
uint64_t dtci_saved_whole(dtci_ledger *l, dtc_layer_kind kind, int *bad);
/* The same of one operator. */
uint64_t dtci_saved_by(dtci_ledger *l, dtc_layer_kind kind, dtc_operator op, int *bad);
/* The same of a layer whose weights are frozen, but not those before it. */
uint64_t dtci_saved_frozen(dtci_ledger *l, dtc_layer_kind kind, int *bad);

/* ---- ledger_torch.c -------------------------------------------------------------------------- */

/* Conditions of the rows of Hugging Face's and TorchTitan's modules, and sizes that only layers with adapters have. */
uint64_t dtci_torch_conditions(const dtc_plan *p);
void dtci_torch_sizes(uint64_t *b, const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind, int *bad);

/* ledger_megatron.c */
uint64_t dtci_megatron_conditions(const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind, uint64_t modules);
uint64_t dtci_routed_rows(const dtc_model *m, const dtc_plan *p, uint64_t tokens, int *bad);
uint64_t dtci_block_size(const uint64_t *sizes, uint32_t n, uint64_t size);

extern const dtci_saved_row dtci_saved_te[];
extern const uint32_t dtci_saved_te_count;
extern const dtci_saved_row dtci_saved_local[];
extern const uint32_t dtci_saved_local_count;
extern const dtci_saved_row dtci_saved_hf[];
extern const uint32_t dtci_saved_hf_count;
extern const dtci_saved_row dtci_saved_scaling[];
extern const uint32_t dtci_saved_scaling_count;
extern const dtci_saved_row dtci_saved_titan[];
extern const uint32_t dtci_saved_titan_count;
extern const dtci_product_row dtci_product_rows[];
extern const uint32_t dtci_product_rows_count;

#endif
