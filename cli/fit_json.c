#include "fit.h"

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
  } else {
    char line[PLAN_LINE];
    plan_line(&q->model, &f->shown, line);
    json_text(&j, "plan", line);
    json_memory(&j, "memory", &f->memory);
  }
  json_end(&j);
}
