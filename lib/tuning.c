/* Low-rank adapters: their parameters and what they read, by the shapes of the linear layers they stand beside. */
#include "internal/tuning.h"

int dtci_has_adapters(const dtc_plan *p)
{
  return p->tuning == DTC_TUNING_LORA || p->tuning == DTC_TUNING_QLORA;
}

int dtci_is_tuned(const dtc_plan *p)
{
  return dtci_has_adapters(p) || p->frozen_layers != 0 || p->frozen_embedding == DTC_BOOL_ON;
}

/* Which linear layers a model has, in Hugging Face's modules. */
static uint32_t linears(const dtc_model *m, int mlp)
{
  const uint64_t *readers = dtci_archs[m->arch].readers;
  uint32_t has = readers[0] == 1 ? DTCI_LORA_ONE_QKV : DTCI_LORA_SPLIT_QKV;
  if (mlp && m->gated == DTC_BOOL_ON)
    return has | (readers[1] == 1 ? DTCI_LORA_ONE_MLP : DTCI_LORA_SPLIT_MLP);
  return has | (mlp ? DTCI_LORA_PLAIN_MLP : 0u);
}

static void add_adapter(const dtc_model *m, const dtc_plan *p, const dtci_adapter_row *row, dtci_adapters *out,
                        int *bad)
{
  uint64_t in = dtci_model_dim(m, row->in);
  uint64_t ends = in + dtci_model_dim(m, row->out);
  out->params = dtci_add(out->params, dtci_mul(p->lora_rank, ends, bad), bad);
  out->factors = dtci_add(out->factors, ends + 2 * p->lora_rank, bad);
  out->count[row->reads]++;
  out->width[row->reads] = in;
}

void dtci_adapters_of(const dtc_model *m, const dtc_plan *p, int mlp, dtci_adapters *out, int *bad)
{
  uint32_t has = linears(m, mlp);
  *out = (dtci_adapters){0};
  if (!dtci_has_adapters(p))
    return;
  for (uint32_t i = 0; i < dtci_adapter_rows_count; i++) {
    const dtci_adapter_row *row = &dtci_adapter_rows[i];
    int there = (row->needs & ~has) == 0 && (mlp || row->reads < DTCI_READS_MLP);
    if (there && (row->targets >> p->lora_targets & 1))
      add_adapter(m, p, row, out, bad);
  }
}

/* ---- what is not counted --------------------------------------------------------------------- */

static dtc_status refuse(dtc_rule rule, uint32_t field, uint64_t got, dtc_error *e)
{
  return dtci_fail(e, DTC_E_UNSUPPORTED, rule, field, got);
}

/* Adapters stand beside projections of their own, in a model whose layers are all linear layers and norms. */
static dtc_status check_adapters(const dtc_model *m, const dtc_plan *p, dtc_error *e)
{
  int mlp = p->lora_targets == DTC_LORA_TARGETS_MLP || p->lora_targets == DTC_LORA_TARGETS_ALL;
  if (m->kv_rank != 0)
    return refuse(DTC_RULE_TUNING_MODEL, DTC_FIELD(model, kv_rank), m->kv_rank, e);
  if (m->experts != 0 && (mlp || p->tuning == DTC_TUNING_QLORA))
    return refuse(DTC_RULE_TUNING_MODEL, DTC_FIELD(model, experts), m->experts, e);
  return DTC_OK;
}

/* Settings that some frameworks' terms do not know. */
static dtc_status check_settings(const dtc_plan *p, dtc_error *e)
{
  uint32_t terms = dtci_frameworks[p->framework].terms;
  int stepped = p->step_in_backward == DTC_BOOL_ON;
  int no_copies = terms == DTCI_TERMS_MEGATRON || terms == DTCI_TERMS_SCALING; /* of activations on the host */
  if (p->offload_activations == DTC_BOOL_ON && no_copies)
    return refuse(DTC_RULE_OFFLOAD_ACTIVATIONS, DTC_FIELD(plan, framework), p->framework, e);
  if (stepped && terms != DTCI_TERMS_TORCH)
    return refuse(DTC_RULE_TUNING_FRAMEWORK, DTC_FIELD(plan, framework), p->framework, e);
  if (stepped && dtci_shardings[p->sharding].optimizer && p->dp_shard > 1)
    return refuse(DTC_RULE_TUNING_SHARDED, DTC_FIELD(plan, sharding), p->sharding, e);
  return DTC_OK;
}

dtc_status dtci_tuning_check(const dtci_case *c, dtc_error *e)
{
  const dtc_plan *p = &c->plan;
  const struct {
    uint32_t field;
    uint64_t degree;
  } degrees[] = {{DTC_FIELD(plan, tp), p->tp},
                 {DTC_FIELD(plan, cp), p->cp},
                 {DTC_FIELD(plan, pp), p->pp},
                 {DTC_FIELD(plan, ep), p->ep}};
  int hf = dtci_frameworks[p->framework].form == DTCI_FORM_HF;
  TRY(check_settings(p, e));
  if (!dtci_is_tuned(p))
    return DTC_OK;
  if (!hf)
    return refuse(DTC_RULE_TUNING_FRAMEWORK, DTC_FIELD(plan, framework), p->framework, e);
  for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
    if (degrees[i].degree > 1)
      return refuse(DTC_RULE_TUNING_DEGREE, degrees[i].field, degrees[i].degree, e);
  if (dtci_shardings[p->sharding].weights && p->dp_shard > 1 && p->tuning != DTC_TUNING_LORA)
    return refuse(DTC_RULE_TUNING_SHARDED, DTC_FIELD(plan, sharding), p->sharding, e);
  return dtci_has_adapters(p) ? check_adapters(&c->model, p, e) : DTC_OK;
}
