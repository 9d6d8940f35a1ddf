#include "fit.h"

/* The largest term of the item that more GPUs do not shrink, on the stage that needs most. */
static const char *limit_term(const fit_question *q, const fit_cell *cell)
{
  dtc_cluster endless = q->cluster.cluster;
  dtc_memory_term terms[128];
  dtc_memory m;
  size_t count = 0;
  const dtc_memory_term *largest = NULL;
  DTC_INIT(&m);
  endless.nodes = 0;
  if (cell->fit.gpus != 0 || dtc_memory_estimate(&q->model.model, &endless, &cell->plan, NULL, 0, &m, NULL) != DTC_OK ||
      dtc_memory_terms(&q->model.model, &endless, &cell->plan, m.stage, NULL, 0, terms, 128, &count, NULL) != DTC_OK)
    return NULL;
  for (size_t i = 0; i < count; i++)
    if (terms[i].item == cell->fit.limit && (terms[i].moments >> m.moment & 1) != 0 &&
        (largest == NULL || terms[i].bytes > largest->bytes))
      largest = &terms[i];
  return largest != NULL ? dtc_memory_term_text(largest->index, DTC_LANG_EN) : NULL;
}

static void json_most(json *j, const char *key, const dtc_max_setting *m)
{
  const memory_item *item = memory_item_of(m->limit);
  json_object(j, key);
  json_u64(j, "value", m->value);
  json_u64(j, "device", m->device);
  if (m->next == 0) {
    json_null(j, "next");
    json_null(j, "next_device");
  } else {
    json_u64(j, "next", m->next);
    json_u64(j, "next_device", m->next_device);
  }
  json_text(j, "limit", item != NULL ? item->key : NULL);
  json_end(j);
}

static void json_cell(json *j, const fit_question *q, const fit_cell *cell)
{
  const dtc_plan *p = &cell->plan;
  const memory_item *item = memory_item_of(cell->fit.limit);
  json_object(j, NULL);
  json_text(j, "framework", dtc_value_name(DTC_FIELD(plan, framework), p->framework));
  json_text(j, "sharding", dtc_value_name(DTC_FIELD(plan, sharding), p->sharding));
  json_text(j, "recompute", dtc_value_name(DTC_FIELD(plan, recompute), p->recompute));
  json_bool(j, "fits", fit_cell_fits(q, cell));
  json_u64(j, "min_gpus", cell->fit.gpus);
  json_u64(j, "nodes", cell->fit.nodes);
  json_u64(j, "tp", p->tp);
  json_u64(j, "pp", p->pp);
  json_u64(j, "dp", p->dp);
  json_u64(j, "ep", p->ep);
  json_bool(j, "sequence_parallel", p->sequence_parallel == DTC_BOOL_ON);
  json_u64(j, "device", cell->fit.device);
  json_text(j, "limit", cell->fit.gpus == 0 && item != NULL ? item->key : NULL);
  json_u64(j, "limit_bytes", cell->fit.limit_bytes);
  json_text(j, "limit_term", limit_term(q, cell));
  json_end(j);
}

static void json_families(json *j, const fit_question *q, const fit_answer *f)
{
  json_array(j, "families");
  for (size_t i = 0; i < f->row_count * f->mode_count; i++) {
    const fit_row *row = &f->rows[i / f->mode_count];
    if (row->refused.status == DTC_OK)
      json_cell(j, q, &row->cells[i % f->mode_count]);
  }
  json_end(j);
}

/* Only catalogue families stand here: one that the user has mixed is bad input when it is refused. */
static void json_refused(json *j, const cli *c, const fit_answer *f)
{
  json_array(j, "refused");
  for (size_t r = 0; r < f->row_count; r++) {
    const fit_row *row = &f->rows[r];
    if (row->refused.status == DTC_OK)
      continue;
    json_object(j, NULL);
    json_text(j, "framework", dtc_value_name(DTC_FIELD(plan, framework), row->family.framework));
    json_text(j, "sharding", dtc_value_name(DTC_FIELD(plan, sharding), row->family.sharding));
    json_finding(j, c, "error", &row->refused);
    json_end(j);
  }
  json_end(j);
}

static void json_activations(json *j, const fit_answer *f)
{
  json_array(j, "activations");
  for (size_t i = 0; i < f->activation_count; i++) {
    const fit_activation *a = &f->activations[i];
    json_object(j, NULL);
    json_text(j, "framework", dtc_value_name(DTC_FIELD(plan, framework), a->framework));
    json_text(j, "recompute", dtc_value_name(DTC_FIELD(plan, recompute), a->recompute));
    json_text(j, "attention", dtc_value_name(DTC_FIELD(plan, attention), a->attention));
    json_u64(j, "bytes", a->bytes);
    json_end(j);
  }
  json_end(j);
}

void fit_print_json(const cli *c, const args *a, const fit_question *q, const fit_answer *f)
{
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  json_u64(&j, "micro_batch", f->base.micro_batch);
  json_u64(&j, "seq", f->base.seq);
  json_activations(&j, f);
  json_families(&j, q, f);
  json_refused(&j, c, f);
  json_bool(&j, "fits", f->best != NULL);
  if (f->best == NULL) {
    json_null(&j, "plan");
    json_null(&j, "memory");
    json_null(&j, "max_micro_batch");
    json_null(&j, "max_seq");
  } else {
    char line[PLAN_LINE];
    plan_line(&q->model, &f->shown, line);
    json_text(&j, "plan", line);
    json_memory(&j, "memory", &f->memory);
    json_most(&j, "max_micro_batch", &f->micro_batch);
    json_most(&j, "max_seq", &f->seq);
  }
  json_end(&j);
}
