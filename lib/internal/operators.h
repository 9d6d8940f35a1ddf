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
  DTCI_OF_ROPE,  /* row of a rotary table, values */
  DTCI_OF_VOCAB, /* padded */
  DTCI_BASES,
} dtci_basis;

typedef enum dtci_shard {
  DTCI_SHARD_NONE,
  DTCI_SHARD_TP,
  DTCI_SHARD_SP,  /* tp with sequence parallelism, else 1 */
  DTCI_SHARD_ETP, /* as SP, but every rank of the expert tensor parallel group holds all rows: * etp */
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
  DTCI_IF_CP = 1 << 12,
  DTCI_IF_DROPOUT = 1 << 13,
  DTCI_IF_FP32_SOFTMAX = 1 << 14,
  DTCI_IF_TP = 1 << 15,
  DTCI_IF_ETP = 1 << 16,
  DTCI_IF_AUTOCAST = 1 << 17, /* fp32 weights under torch.autocast; else UNCAST */
  DTCI_IF_UNCAST = 1 << 18,
  DTCI_IF_GELU_NEW = 1 << 19, /* GPT-2's GELU, five elementwise steps in eager PyTorch */
};

typedef struct dtci_saved_row {
  uint8_t op;   /* dtc_operator */
  uint8_t form; /* DTCI_FORM_*, any of */
  uint8_t basis;
  uint8_t shard;
  uint8_t per_value; /* times the bytes of an activation */
  uint8_t bytes;
  uint32_t needs;
  uint32_t selective; /* 1: dropped by selective recomputation */
} dtci_saved_row;

typedef struct dtci_product_row {
  uint8_t op;
  uint8_t a;
  uint8_t b;
  uint8_t times;
  uint32_t shard;
  uint32_t needs;
} dtci_product_row;

extern const dtci_saved_row dtci_saved_rows[];
extern const uint32_t dtci_saved_rows_count;
extern const dtci_product_row dtci_product_rows[];
extern const uint32_t dtci_product_rows_count;

#endif
