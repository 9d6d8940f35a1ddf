/* Activations of one micro-batch on one GPU with all layers, for every kind of recomputation and attention. */
#include "fit.h"
#include "values.h"

/* Kept by all layers of one kind; nothing when the model has none. */
static dtc_status kept_by(const dtc_model *model, const dtc_plan *plan, dtc_layer_kind kind, uint64_t layers,
                          uint64_t *bytes, dtc_error *err)
{
  dtc_ledger_row rows[OPERATORS];
  size_t count = 0;
  dtc_status s = layers == 0 ? DTC_OK : dtc_ledger_rows(model, plan, kind, rows, OPERATORS, &count, err);
  for (size_t i = 0; s == DTC_OK && i < count; i++)
    *bytes += layers * rows[i].saved;
  return s;
}

/* What the user gave, without what only pipelines, experts' groups and batches are split by. */
static dtc_plan one_gpu(const dtc_plan *base, const fit_activation *a)
{
  dtc_plan p = *base;
  if (a->framework != base->framework)
    p.framework_version = 0;
  p.framework = a->framework;
  p.sharding = DTC_SHARDING_DEFAULT;
  p.pp = p.vpp = p.accumulation = 1;
  p.ep = p.dp = p.dp_shard = p.global_batch = 0;
  p.schedule = DTC_SCHEDULE_DEFAULT;
  p.recompute = a->recompute;
  p.attention = a->attention;
  return p;
}

static int count(const cli *c, const fit_question *q, const fit_answer *f, const dtc_params *params, fit_activation *a)
{
  dtc_plan p = one_gpu(&f->base, a);
  dtc_error err;
  DTC_INIT(&err);
  if (kept_by(&q->model.model, &p, DTC_LAYER_KIND_DENSE, params->dense_count, &a->bytes, &err) != DTC_OK ||
      kept_by(&q->model.model, &p, DTC_LAYER_KIND_MOE, params->moe_count, &a->bytes, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

int fit_activations(const cli *c, const fit_question *q, fit_answer *f)
{
  /* Two module forms, Hugging Face's and Megatron's, unless the user has one. */
  dtc_framework forms[FIT_FORMS] = {DTC_FRAMEWORK_PYTORCH, DTC_FRAMEWORK_MEGATRON};
  size_t form_count = FIT_FORMS;
  dtc_params params;
  dtc_error err;
  DTC_INIT(&params);
  DTC_INIT(&err);
  if (dtc_model_params(&q->model.model, &params, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  if (f->base.framework != DTC_FRAMEWORK_DEFAULT) {
    forms[0] = f->base.framework;
    form_count = 1;
  }
  for (dtc_recompute r = 1; r <= value_count(DTC_FIELD(plan, recompute)); r++) {
    for (size_t i = 0; i < form_count; i++) {
      for (dtc_attention k = 1; k <= DTC_ATTENTION_EAGER && f->activation_count < FIT_ACTIVATIONS; k++) {
        fit_activation *a = &f->activations[f->activation_count++];
        *a = (fit_activation){.framework = forms[i], .recompute = r, .attention = k};
        if (count(c, q, f, &params, a) != 0)
          return EXIT_BAD_INPUT;
      }
    }
  }
  return 0;
}
