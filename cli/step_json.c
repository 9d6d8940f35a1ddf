/* dtcore step --json. */
#include "step.h"

#include "values.h"

void step_json(json *j, const dtc_step *s)
{
  json_object(j, "step");
  json_f64(j, "seconds", s->seconds);
  json_f64(j, "low", s->low);
  json_f64(j, "high", s->high);
  json_f64(j, "tokens_per_second", s->tokens_per_gpu_second * (double)s->gpus);
  json_f64(j, "tokens_per_gpu_second", s->tokens_per_gpu_second);
  json_u64(j, "tokens", s->tokens);
  json_u64(j, "stage", s->stage);
  json_text(j, "limit", step_item_key(s->limit));
  json_text(j, "confidence", dtc_value_name(DTC_FIELD(step, confidence), s->confidence));
  json_object(j, "items");
  for (size_t i = 0; i < STEP_ITEMS; i++)
    json_f64(j, step_item_key(step_items[i].item), step_item_seconds(s, &step_items[i]));
  json_end(j);
  json_end(j);
}

static void json_measured(json *j, const step_question *q)
{
  if (!(q->measured > 0)) {
    json_null(j, "measured");
    return;
  }
  json_object(j, "measured");
  json_f64(j, "seconds", q->measured);
  if (step_known(q)) {
    json_f64(j, "gap", q->measured - q->step.seconds);
    json_bool(j, "within", q->measured >= q->step.low && q->measured <= q->step.high);
  } else {
    json_null(j, "gap");
    json_null(j, "within");
  }
  json_end(j);
}

static void json_rate(json *j, const step_question *q, dtc_flops_convention convention, double seconds)
{
  dtc_step_rate r;
  if (!step_rates(q, convention, seconds, &r))
    return;
  json_object(j, NULL);
  json_text(j, "convention", dtc_value_name(DTC_FIELD(step_rate, convention), convention));
  json_f64(j, "seconds", seconds);
  json_f64(j, "tokens_per_second", r.tokens_per_second);
  json_f64(j, "tokens_per_gpu_second", r.tokens_per_gpu_second);
  json_f64(j, "sequences_per_second", r.sequences_per_second);
  json_f64(j, "model_flops", r.model_flops);
  json_f64(j, "hardware_flops", r.hardware_flops);
  json_f64(j, "flops_per_gpu_second", r.flops_per_gpu_second);
  if (r.peak > 0) {
    json_f64(j, "peak", r.peak);
    json_f64(j, "mfu", r.mfu);
    json_f64(j, "hfu", r.hfu);
  } else {
    json_null(j, "peak");
    json_null(j, "mfu");
    json_null(j, "hfu");
  }
  json_end(j);
}

static void json_rates(json *j, const step_question *q)
{
  uint32_t last = q->all_conventions ? value_count(DTC_FIELD(step_rate, convention)) : q->convention;
  json_array(j, "rates");
  for (uint32_t v = q->all_conventions ? 1 : q->convention; v <= last; v++)
    json_rate(j, q, v, step_seconds(q));
  json_end(j);
}

static void json_params(json *j, const step_question *q)
{
  const dtc_step_params *p = &q->params;
  if (!step_known(q)) {
    json_null(j, "params");
    return;
  }
  json_object(j, "params");
  json_text(j, "software", dtc_software_name(p->software - 1));
  json_text(j, "source", dtc_software_source(p->software - 1));
  json_f64(j, "fp32", p->fp32);
  json_f64(j, "bf16", p->bf16);
  json_f64(j, "fp8", p->fp8);
  json_f64(j, "fp4", p->fp4);
  json_f64(j, "hbm", p->hbm);
  json_f64(j, "attention", p->attention);
  json_f64(j, "communication", p->communication);
  json_f64(j, "host", p->host);
  json_end(j);
}

static void json_calibrated(json *j, const step_question *q)
{
  const step_calibrated *k = &q->calibrated;
  if (k->steps == 0 && k->points == 0) {
    json_null(j, "fitted");
    return;
  }
  json_object(j, "fitted");
  json_u64(j, "steps", k->steps);
  json_u64(j, "points", k->points);
  if (k->points != 0)
    json_f64(j, "messages", k->messages);
  else
    json_null(j, "messages");
  if (k->steps != 0) {
    json_f64(j, "products", k->fitted.products);
    json_f64(j, "attention", k->fitted.attention);
    json_f64(j, "memory", k->fitted.memory);
    json_f64(j, "communication", k->fitted.communication);
    json_f64(j, "host", k->fitted.host);
    json_f64(j, "before", k->fitted.before);
    json_f64(j, "after", k->fitted.after);
  }
  json_end(j);
}

static void json_simulated(json *j, const step_question *q)
{
  const step_simulated *s = &q->simulated;
  if (!s->ran) {
    json_null(j, "simulated");
    return;
  }
  json_object(j, "simulated");
  json_f64(j, "makespan", s->makespan);
  json_f64(j, "bubble", s->bubble);
  json_f64(j, "seconds", s->seconds);
  if (s->only)
    json_null(j, "closed");
  else
    json_f64(j, "closed", s->closed);
  json_end(j);
}

static void json_terms(json *j, const step_question *q)
{
  json_array(j, "terms");
  for (size_t i = 0; i < q->term_count; i++) {
    const dtc_step_term *t = &q->terms[i];
    json_object(j, NULL);
    json_text(j, "item", step_item_key(t->item));
    json_text(j, "text", dtc_step_term_text(t->index, DTC_LANG_EN));
    json_u64(j, "m", t->m);
    json_u64(j, "n", t->n);
    json_u64(j, "k", t->k);
    json_u64(j, "batch", t->batch);
    json_f64(j, "flops", t->flops);
    json_f64(j, "bytes", t->bytes);
    json_f64(j, "each", t->each);
    json_f64(j, "count", t->count);
    json_f64(j, "seconds", t->seconds);
    json_end(j);
  }
  json_end(j);
}

void step_print_json(const cli *c, const args *a, const step_question *q)
{
  const dtc_plan *p = &q->resolved;
  char line[PLAN_LINE];
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  plan_line(&q->model, p, line);
  json_text(&j, "plan", line);
  json_u64(&j, "gpus", p->tp * p->cp * p->pp * p->dp);
  json_u64(&j, "micro_batches", p->accumulation);
  json_array(&j, "warnings");
  for (size_t i = 0; i < q->finding_count; i++)
    json_finding(&j, c, NULL, &q->findings[i]);
  json_end(&j);
  if (q->memory_known)
    json_memory(&j, "worst", &q->memory);
  else
    json_null(&j, "worst");
  if (step_known(q))
    step_json(&j, &q->step);
  else
    json_null(&j, "step");
  if (q->refused.status != DTC_OK)
    json_finding(&j, c, "reason", &q->refused);
  else
    json_null(&j, "reason");
  json_measured(&j, q);
  json_rates(&j, q);
  json_params(&j, q);
  json_calibrated(&j, q);
  json_simulated(&j, q);
  json_terms(&j, q);
  step_json_run(&j, q);
  json_text(&j, "svg", a->value[OPT_STEP_SVG]);
  json_end(&j);
}
