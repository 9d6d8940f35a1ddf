/* The architectures as tables, and what the other files ask of a model. */
#ifndef DTCI_MODEL_H
#define DTCI_MODEL_H

#include "internal/internal.h"
#include <dtcore/model.h>

/* ---- archs.c --------------------------------------------------------------------------------- */

/* Features that a tensor depends on. A model with a feature that no row of its architecture names is refused. */
enum {
  DTCI_DENSE = 1 << 0, /* of a layer: dense MLP */
  DTCI_MOE = 1 << 1,   /* of a layer: routed experts */
  DTCI_UNTIED = 1 << 2,
  DTCI_GATED = 1 << 3,
  DTCI_PLAIN = 1 << 4,
  DTCI_QKV_BIAS = 1 << 5,
  DTCI_OUT_BIAS = 1 << 6,
  DTCI_MLP_BIAS = 1 << 7,
  DTCI_HEAD_BIAS = 1 << 8,
  DTCI_QK_NORM = 1 << 9,
  DTCI_LAYERNORM = 1 << 10,
  DTCI_LEARNED = 1 << 11,
  DTCI_EMBED_NORM = 1 << 12,
  DTCI_NORMS_1 = 1 << 13,
  DTCI_NORMS_2 = 1 << 14,
  DTCI_NORMS_4 = 1 << 15,
  DTCI_SHARED = 1 << 16,
  DTCI_SHARED_GATE = 1 << 17,
  DTCI_ROUTER_BIAS = 1 << 18,
  DTCI_MHA = 1 << 19, /* not MLA */
  DTCI_MLA = 1 << 20,
  DTCI_Q_RANK = 1 << 21, /* MLA with a low-rank query */
  DTCI_Q_FULL = 1 << 22, /* MLA without */
  DTCI_ENCODER = 1 << 23,
  DTCI_NO_ENCODER = 1 << 24,
  DTCI_HYBRID = 1 << 25,
  DTCI_NO_HYBRID = 1 << 26,
  DTCI_CROSS = 1 << 27,   /* of a layer: cross attention */
  DTCI_MAMBA = 1 << 28,   /* of a layer: a Mamba-2 mixer */
  DTCI_ATTENDS = 1 << 29, /* of a layer: self attention */
  DTCI_FEEDS = 1 << 30,   /* of a layer: an MLP or experts */
};

/* Sizes of dimensions. a heads, g kv_heads, d head_dim. */
typedef enum dtci_dim {
  DTCI_DIM_NONE,
  DTCI_DIM_HIDDEN,
  DTCI_DIM_VOCAB,
  DTCI_DIM_CONTEXT,
  DTCI_DIM_CONTEXT2, /* context + 2: OPT's table */
  DTCI_DIM_Q,        /* a d */
  DTCI_DIM_KV,       /* g d */
  DTCI_DIM_KV2,      /* 2g d */
  DTCI_DIM_QKV,      /* (a + 2g) d */
  DTCI_DIM_HEAD,     /* d */
  DTCI_DIM_HEADS,    /* a */
  DTCI_DIM_FFN,
  DTCI_DIM_FFN_IN, /* ffn, twice when gated */
  DTCI_DIM_MOE,
  DTCI_DIM_MOE_IN,
  DTCI_DIM_SHARED,
  DTCI_DIM_SHARED_IN,
  DTCI_DIM_EXPERTS,
  DTCI_DIM_ONE,
  DTCI_DIM_Q_RANK,
  DTCI_DIM_KV_RANK,
  DTCI_DIM_KV_DOWN, /* kv_rank + qk_rope_dim */
  DTCI_DIM_Q_MLA,   /* a (qk_nope_dim + qk_rope_dim) */
  DTCI_DIM_KV_UP,   /* a (qk_nope_dim + v_dim) */
  DTCI_DIM_V_MLA,   /* a v_dim */
  DTCI_DIM_TWO,
  DTCI_DIM_MAMBA_IN,    /* z, x, B, C and dt of a Mamba-2 layer: 2 inner + 2 groups state + heads */
  DTCI_DIM_MAMBA_CONV,  /* x, B and C, which go through its convolution: inner + 2 groups state */
  DTCI_DIM_MAMBA_WIDTH, /* of the convolution's kernel: 4 */
  DTCI_DIM_MAMBA_INNER,
  DTCI_DIM_MAMBA_HEADS,
} dtci_dim;

typedef enum dtci_part {
  DTCI_BEFORE,  /* before the layers */
  DTCI_BETWEEN, /* behind those of an encoder */
  DTCI_LAYER,
  DTCI_EXPERT, /* in a layer, once per expert; the rows of an architecture stand together */
  DTCI_AFTER,
} dtci_part;

typedef struct dtci_tensor_row {
  char name[52]; /* behind the layer's prefix; '#' stands for the expert */
  uint8_t part;
  uint8_t kind; /* dtc_tensor_kind */
  uint8_t dims[3];
  uint8_t reserved;
  uint16_t split; /* how tensor parallelism takes it: DTCI_SPLIT_* */
  uint32_t when;  /* features it needs */
} dtci_tensor_row;

enum {
  DTCI_SPLIT_NONE, /* every rank of the tensor parallel group holds it */
  DTCI_SPLIT_TP,   /* split over the group */
};

typedef struct dtci_arch {
  dtc_model defaults;  /* what a zero field means: booleans, norm, position, norms */
  char layer[24];      /* "model.layers." */
  uint64_t gelu_new;   /* 1: GELU as five elementwise steps and a 16-bit softmax, in Hugging Face's modules */
  uint64_t cos_sin;    /* 1: TorchTitan's rotary table has cosines and sines of all of a head, else complex halves */
  uint64_t readers[2]; /* linear layers that read the output of a norm, in Hugging Face's modules: attention, MLP */
} dtci_arch;

/* By dtc_arch; row 0 is empty. */
extern const dtci_arch dtci_archs[];
/* The rows of an architecture, in the order of its parameter list. */
const dtci_tensor_row *dtci_arch_rows(dtc_arch arch, uint32_t *count);

/* ---- model.c --------------------------------------------------------------------------------- */

/* Reads a caller's model, fills defaults, checks. */
dtc_status dtci_model_in(const dtc_model *user, dtc_model *local, dtc_error *e);
/* The same for one that is local already. */
dtc_status dtci_model_fill(dtc_model *local, dtc_error *e);

/* A model of the catalogue, resolved. */
dtc_status dtci_model_named(const char *name, dtc_model *local, dtc_error *e);

/* The rest takes a resolved model. */
dtc_status dtci_model_count(const dtc_model *m, dtc_params *out, dtc_error *e);
uint32_t dtci_model_features(const dtc_model *m); /* without those of a layer */
uint64_t dtci_model_dim(const dtc_model *m, uint8_t dim);
uint64_t dtci_tensor_numel(const dtc_model *m, const dtci_tensor_row *row, int *bad);
/* Values of a head that are rotated, under rotary positions. */
static inline uint64_t dtci_rotary_width(const dtc_model *m)
{
  return m->kv_rank != 0 ? m->qk_rope_dim : m->head_dim;
}
/* Length of the parameter list, and tensor `index` of it. */
dtc_status dtci_model_tensors(const dtc_model *m, uint64_t *count, dtc_error *e);
dtc_status dtci_model_describe(const dtc_model *m, uint64_t index, dtc_tensor *t, dtc_error *e);
int dtci_is_moe(const dtc_model *m, uint64_t layer);

/* Kinds of layers. A hybrid (Mamba-2) has those from MAMBA to MLP, any other model the first two. */
typedef enum dtci_layer_kind {
  DTCI_DENSE_LAYER, /* attention and MLP; of a decoder with cross attention */
  DTCI_MOE_LAYER,
  DTCI_MAMBA_LAYER,
  DTCI_ATTENTION_LAYER, /* attention alone */
  DTCI_MLP_LAYER,       /* an MLP alone */
  DTCI_ENCODER_LAYER,   /* none of `layers`: an encoder has its own */
  DTCI_LAYER_KINDS,
} dtci_layer_kind;

typedef struct dtci_layers {
  uint64_t of[DTCI_LAYER_KINDS];
} dtci_layers;

int dtci_is_hybrid(const dtc_model *m);
/* How many of the first n of `layers` are of each kind; those of an encoder are not among them. Those of a hybrid are
 * spread evenly: ceil(n mamba_layers / layers) Mamba-2 mixers, of the n' others ceil(n' mlp_layers / all others) MLPs. */
dtci_layers dtci_layers_until(const dtc_model *m, uint64_t n);
dtci_layer_kind dtci_kind_of(const dtc_model *m, uint64_t layer);
/* dtci_model_features() and those of a layer of this kind. */
uint32_t dtci_layer_features(const dtc_model *m, dtci_layer_kind kind);
/* DTC_E_UNSUPPORTED for a model with an encoder or with layers of a hybrid: for what knows the others alone. */
dtc_status dtci_model_plain(const dtc_model *m, dtc_error *e);

/* Parameters of a part of the model. [0] whole on every rank of a tensor parallel group, [1] split over it. */
typedef struct dtci_group {
  uint64_t params[2];
  uint64_t matrices[2]; /* those of params that lie in matrices */
  uint64_t factors;     /* Adafactor: a value per row and per column of a matrix, per element of a vector */
} dtci_group;

/* Kinds of layers that the model does not have are empty, but for `dense` of a model whose layers are all MoE. */
typedef struct dtci_weights {
  dtci_group embedding;
  dtci_group dense;     /* a dense layer; of a decoder with cross attention */
  dtci_group moe;       /* an MoE layer without its routed experts */
  dtci_group expert;    /* one routed expert */
  dtci_group encoder;   /* an encoder layer */
  dtci_group cross;     /* what a decoder layer of `dense` has more: cross attention and its norm */
  dtci_group mamba;     /* a Mamba-2 layer */
  dtci_group attention; /* a layer of attention alone */
  dtci_group mlp;       /* a layer of an MLP alone */
  dtci_group head;      /* without a tied weight */
  dtci_group final_norm;
  dtci_group beside; /* what an MTP module has beside its layer: a 2h x h projection and three norms */
  uint64_t mtp_moe;  /* 1: that layer is an MoE layer */
} dtci_weights;

dtc_status dtci_model_weights(const dtc_model *m, dtci_weights *out, dtc_error *e);

/* MoE layers among the first n layers of a resolved model. */
uint64_t dtci_moe_layers(const dtc_model *m, uint64_t n);

/* Matrix parameters that a token passes through, of all layers. */
typedef struct dtci_products {
  uint64_t attention;
  uint64_t mlp; /* dense layers' */
  uint64_t router;
  uint64_t shared;
  uint64_t experts; /* the routed ones that are chosen */
} dtci_products;

void dtci_model_products(const dtc_model *m, const dtc_params *p, dtci_products *out, int *bad);
/* All of them; once wrong, `*bad` stays 1. */
uint64_t dtci_products_sum(const dtci_products *p, int *bad);

/* ---- model_flops.c --------------------------------------------------------------------------- */

/* Training FLOPs of a token by a convention: their sum. */
typedef struct dtci_flops {
  double layers;  /* matrix products of the layers, as often as the convention counts them */
  double scores;  /* the same of attention's scores and values */
  double others;  /* output head, and what else the convention counts */
  double forward; /* of the layers' products once: what recomputing all of them costs */
  uint32_t hfu;   /* 1: the convention counts recomputation already */
  uint32_t pad;
} dtci_flops;

dtc_status dtci_model_flops(const dtc_model *m, uint64_t seq, dtc_flops_convention convention, dtci_flops *out,
                            dtc_error *e);

#endif
