/* The tables of lib/catalog: data only. Names and texts are fixed arrays, so that no table needs a relocation. */
#ifndef DTCI_CATALOG_H
#define DTCI_CATALOG_H

#include "internal/internal.h"
#include <dtcore/cluster.h>
#include <dtcore/model.h>

#define DTCI_MIB(n) ((uint64_t)(n) << 20)
#define DTCI_GIB(n) ((uint64_t)(n) << 30)

/* ---- models.c -------------------------------------------------------------------------------- */

typedef struct dtci_model_row {
  char name[32];    /* "llama-2-70b" */
  char hf_id[48];   /* "meta-llama/Llama-2-70b-hf"; empty when there is none */
  char source[112]; /* where the shape and, if there is one, the published count come from */
  dtc_model model;  /* what differs from the architecture's defaults */
} dtci_model_row;

extern const dtci_model_row dtci_models[];
extern const size_t dtci_models_count;

/* ---- gpus.c, clusters.c ---------------------------------------------------------------------- */

typedef struct dtci_gpu_row {
  char name[24];    /* "h100-80gb" */
  char source[320]; /* one text for all numbers of the row, or "field: source; ..." */
  dtc_cluster gpu;  /* GPU fields and the usual node: gpus_per_node, nvlink_domain, NICs */
} dtci_gpu_row;

extern const dtci_gpu_row dtci_gpus[];
extern const size_t dtci_gpus_count;

typedef struct dtci_cluster_row {
  char name[24]; /* "aws-p5" */
  char source[256];
  char gpu[24];     /* name of a GPU row */
  dtc_cluster node; /* node fields that differ from the GPU row's */
} dtci_cluster_row;

extern const dtci_cluster_row dtci_clusters[];
extern const size_t dtci_clusters_count;

/* ---- hf.c: what a Hugging Face config.json says ---------------------------------------------- */

typedef struct dtci_hf_type {
  char model_type[16]; /* "llama" */
  dtc_arch arch;
  uint32_t dialect;  /* bit of dtci_hf_key.dialects */
  uint32_t moe_last; /* 1: layer i is MoE when (i + 1) mod n is 0, not i mod n */
  uint32_t shared;   /* 1: shared experts are counted, each as large as a routed one */
  uint32_t special;  /* DTCI_HF_FALCON, DTCI_HF_OPT: keys that depend on each other */
} dtci_hf_type;

enum { DTCI_HF_ORDINARY, DTCI_HF_FALCON, DTCI_HF_OPT };

extern const dtci_hf_type dtci_hf_types[];
extern const uint32_t dtci_hf_types_count;

/* How a key's value is read. */
enum {
  DTCI_HF_TYPE,     /* model_type and text_config, which the first pass looks for */
  DTCI_HF_COUNT,    /* integer from 1; null = derived from other fields */
  DTCI_HF_NUMBER,   /* integer from 0; null = 0 */
  DTCI_HF_SWITCH,   /* true or false; null = false */
  DTCI_HF_MUST_ON,  /* a switch whose false the library does not model */
  DTCI_HF_MUST_OFF, /* a switch whose true the library does not model */
  DTCI_HF_LAYERS,   /* "full_attention" or "sliding_attention" for each layer; null = the class's pattern */
  DTCI_HF_LEADING,  /* list of layers that must be 0, 1, .. k - 1; the value is k */
  DTCI_HF_METHOD,   /* on when "noaux_tc" */
};

typedef struct dtci_hf_key {
  char key[32];      /* "num_hidden_layers" */
  uint32_t dialects; /* which types have it */
  uint32_t field;    /* DTC_FIELD(model, ..) it fills or limits; 0 = handled in model_hf.c */
  uint32_t needed;   /* 1 when it may not be missing */
  uint32_t kind;     /* DTCI_HF_* */
  uint64_t missing;  /* value when missing: the default of transformers' config class; 0 = the architecture's */
} dtci_hf_key;

/* The first two rows, and how many there can be. Rows of one field are other names for it: its usual one comes first. */
enum { DTCI_HF_KEY_TYPE = 0, DTCI_HF_KEY_TEXT = 1, DTCI_HF_KEY_FIRST = 2, DTCI_HF_KEYS_MAX = 96 };

extern const dtci_hf_key dtci_hf_keys[];
extern const uint32_t dtci_hf_keys_count;

#endif
