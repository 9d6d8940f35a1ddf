/* Part of the ledger of Hugging Face's and TorchTitan's modules: conditions of their rows, what adapters keep. */
#include "internal/model.h"
#include "internal/operators.h"
#include "internal/tuning.h"

/* ---- conditions ------------------------------------------------------------------------------ */

/* Dropout of a model with adapters is theirs. */
static uint32_t dropout_conditions(const dtc_plan *p)
{
  return p->dropout == DTC_BOOL_ON && !dtci_has_adapters(p) ? DTCI_IF_DROPOUT : 0u;
}

/* TorchTitan 0.3.0 has one operator of its own (varlen), which casts what comes in; cuDNN's is put in by hand. */
static uint32_t attention_conditions(const dtc_plan *p)
{
  int titan = dtci_frameworks[p->framework].form == DTCI_FORM_TT;
  if (p->attention == DTC_ATTENTION_MATH)
    return DTCI_IF_MATH;
  if (p->attention == DTC_ATTENTION_EAGER)
    return DTCI_IF_QKV | DTCI_IF_EAGER;
  return DTCI_IF_QKV | DTCI_IF_FLASH | (titan && p->attention == DTC_ATTENTION_FLASH ? DTCI_IF_VARLEN : 0u);
}

/* TorchTitan's head and loss that take the sequence in chunks keep no logits; torchtune's loss alone takes chunks. */
static uint32_t loss_conditions(const dtc_plan *p)
{
  uint32_t fp32 = p->precision == DTC_PRECISION_FP32 ? DTCI_IF_FP32 : 0u;
  if (p->loss_chunks > 1)
    return dtci_frameworks[p->framework].form == DTCI_FORM_HF ? fp32 | DTCI_IF_LOSS_SAME : fp32;
  if (p->loss == DTC_LOSS_UPCAST)
    return fp32 | DTCI_IF_LOSS_UPCAST;
  return fp32 | DTCI_IF_LOSS_SAME | (p->loss == DTC_LOSS_SAME ? DTCI_IF_LOSS_PARTS : 0u);
}

uint64_t dtci_torch_conditions(const dtc_plan *p)
{
  return dropout_conditions(p) | attention_conditions(p) | loss_conditions(p);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* What adapters keep: what they read and what their first matrix gives. Several share what they read, and attention's
 * output is there anyway; dropout and autocast make a copy for each. */
static void measure_adapters(uint64_t *b, const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind, int *bad)
{
  dtci_adapters a;
  int own = p->dropout == DTC_BOOL_ON || dtci_autocast(p);
  uint64_t r = p->lora_rank;
  dtci_adapters_of(m, p, kind == DTC_LAYER_KIND_DENSE, &a, bad);
  uint64_t qkv = a.count[DTCI_READS_QKV] * a.width[DTCI_READS_QKV];
  uint64_t mlp = a.count[DTCI_READS_MLP] * a.width[DTCI_READS_MLP];
  uint64_t down = a.width[DTCI_READS_DOWN];
  b[DTCI_OF_LORA_QKV] = (own ? qkv : a.width[DTCI_READS_QKV]) + a.count[DTCI_READS_QKV] * r;
  b[DTCI_OF_LORA_OUT] = (own ? a.width[DTCI_READS_OUT] : 0) + a.count[DTCI_READS_OUT] * r;
  b[DTCI_OF_LORA_MLP] =
      (own ? mlp : a.width[DTCI_READS_MLP]) + down + (a.count[DTCI_READS_MLP] + a.count[DTCI_READS_DOWN]) * r;
  uint64_t mask = p->dropout == DTC_BOOL_ON;
  b[DTCI_OF_LORA_QKV_MASK] = mask * qkv;
  b[DTCI_OF_LORA_OUT_MASK] = mask * a.width[DTCI_READS_OUT];
  b[DTCI_OF_LORA_MLP_MASK] = mask * (mlp + down);
}

/* What 4-bit linear layers keep: their inputs as they are, or a wider copy for each. */
static void measure_quant(uint64_t *b, const dtc_model *m, const dtc_plan *p)
{
  uint64_t bytes = p->tuning == DTC_TUNING_QLORA ? p->quant_inputs : 0;
  int own = bytes > dtci_activation_size(p);
  uint64_t q = m->heads * m->head_dim;
  b[DTCI_OF_QUANT_QKV] = bytes * m->hidden * (own ? dtci_archs[m->arch].readers[0] : 1);
  b[DTCI_OF_QUANT_OUT] = own ? bytes * q : 0;
  b[DTCI_OF_QUANT_MLP] = bytes * (m->hidden * (own ? dtci_archs[m->arch].readers[1] : 1) + m->ffn);
}

void dtci_torch_sizes(uint64_t *b, const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind, int *bad)
{
  measure_adapters(b, m, p, kind, bad);
  measure_quant(b, m, p);
}
