/* Fine-tuning: what of a model is trained, and its low-rank adapters. */
#ifndef DTCI_TUNING_H
#define DTCI_TUNING_H

#include "internal/model.h"
#include "internal/plan.h"

/* Tensors that adapters read. */
typedef enum dtci_reads {
  DTCI_READS_QKV,  /* the norm's output before attention */
  DTCI_READS_OUT,  /* attention's output */
  DTCI_READS_MLP,  /* the norm's output before the MLP */
  DTCI_READS_DOWN, /* what the MLP's last linear layer reads */
  DTCI_READS,
} dtci_reads;

/* Linear layers that a row of adapters stands beside: those of their own, or one for several. */
enum {
  DTCI_LORA_SPLIT_QKV = 1 << 0, /* query, key and value */
  DTCI_LORA_ONE_QKV = 1 << 1,
  DTCI_LORA_SPLIT_MLP = 1 << 2, /* gate and up */
  DTCI_LORA_ONE_MLP = 1 << 3,
  DTCI_LORA_PLAIN_MLP = 1 << 4,
};

/* An adapter beside a linear layer: rank * (in + out) parameters. */
typedef struct dtci_adapter_row {
  uint32_t targets; /* bit n: dtc_lora_targets n has it */
  uint32_t needs;   /* DTCI_LORA_* */
  uint8_t reads;    /* dtci_reads */
  uint8_t in;       /* dtci_dim */
  uint8_t out;
  uint8_t pad;
} dtci_adapter_row;

extern const dtci_adapter_row dtci_adapter_rows[];
extern const uint32_t dtci_adapter_rows_count;

/* The adapters of a layer. */
typedef struct dtci_adapters {
  uint64_t params;
  uint64_t factors;           /* Adafactor: a value per row and per column */
  uint64_t count[DTCI_READS]; /* by what they read */
  uint64_t width[DTCI_READS]; /* of that, values per token; 0 without an adapter */
} dtci_adapters;

/* Low-rank adapters beside frozen weights. */
int dtci_has_adapters(const dtc_plan *p);
/* Some weights are frozen. */
int dtci_is_tuned(const dtc_plan *p);
/* Of a dense layer, with `mlp` 0 of an MoE layer; zeros for a plan without. */
void dtci_adapters_of(const dtc_model *m, const dtc_plan *p, int mlp, dtci_adapters *out, int *bad);
/* Refuses what is not counted. */
dtc_status dtci_tuning_check(const dtci_case *c, dtc_error *e);

#endif
