/* dtcore memory --json. */
#include "memory.h"

#include "values.h"

static void json_moments(json *j, const memory_question *q)
{
  json_array(j, "moments");
  for (size_t i = 0; i < q->held_count; i++) {
    const dtc_memory_held *h = &q->held[i];
    json_object(j, NULL);
    json_text(j, "moment", dtc_value_name(DTC_FIELD(memory, moment), h->moment));
    for (size_t k = 0; k < MEMORY_ITEMS; k++)
      json_u64(j, memory_items[k].key, held_item_bytes(h, &memory_items[k]));
    json_u64(j, "allocated", h->allocated);
    json_end(j);
  }
  json_end(j);
}

static void json_terms(json *j, const memory_question *q)
{
  json_array(j, "terms");
  for (size_t i = 0; i < q->term_count; i++) {
    const dtc_memory_term *t = &q->terms[i];
    const memory_item *item = memory_item_of(t->item);
    json_object(j, NULL);
    json_text(j, "item", item != NULL ? item->key : NULL);
    json_text(j, "text", dtc_memory_term_text(t->index, DTC_LANG_EN));
    json_u64(j, "count", t->count);
    json_u64(j, "each", t->each);
    json_u64(j, "ranks", t->ranks);
    json_u64(j, "bytes", t->bytes);
    json_array(j, "moments");
    for (size_t k = 0; k < q->held_count; k++)
      if ((t->moments >> q->held[k].moment & 1) != 0)
        json_text(j, NULL, dtc_value_name(DTC_FIELD(memory, moment), q->held[k].moment));
    json_end(j);
    json_end(j);
  }
  json_end(j);
}

static void json_saved(json *j, const memory_question *q)
{
  json_array(j, "saved");
  for (dtc_layer_kind kind = DTC_LAYER_KIND_DENSE; kind <= LAYER_KINDS; kind++) {
    dtc_ledger_row rows[OPERATORS];
    size_t count = 0;
    if (dtc_ledger_rows(&q->model.model, &q->resolved, kind, rows, OPERATORS, &count, NULL) != DTC_OK)
      count = 0; /* the model has no such layer */
    for (size_t i = 0; i < count; i++) {
      json_object(j, NULL);
      json_text(j, "layer", layer_kind_name(kind));
      json_text(j, "operator", dtc_value_name(DTC_FIELD(ledger_row, op), rows[i].op));
      json_u64(j, "bytes", rows[i].saved);
      json_end(j);
    }
  }
  json_end(j);
}

void memory_json_remedies(json *j, const dtc_memory_remedy *remedies, size_t count)
{
  json_array(j, "remedies");
  for (size_t i = 0; i < count; i++) {
    const dtc_memory_remedy *r = &remedies[i];
    json_object(j, NULL);
    json_text(j, "remedy", dtc_value_name(DTC_FIELD(memory_remedy, remedy), r->remedy));
    json_text(j, "field", dtc_field_name(r->field));
    json_u64(j, "value", r->value);
    if (r->fits == DTC_BOOL_DEFAULT)
      json_null(j, "fits");
    else
      json_bool(j, "fits", r->fits == DTC_BOOL_ON);
    json_u64(j, "gpus", r->gpus);
    json_u64(j, "device", r->device);
    json_u64(j, "saved", r->saved);
    json_end(j);
  }
  json_end(j);
}

void memory_print_json(const cli *c, const args *a, const memory_question *q)
{
  char line[PLAN_LINE];
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  plan_line(&q->model, &q->resolved, line);
  json_text(&j, "plan", line);
  json_u64(&j, "gpus", q->resolved.tp * q->resolved.cp * q->resolved.pp * q->resolved.dp);
  json_array(&j, "warnings");
  for (size_t i = 0; i < q->finding_count; i++)
    json_finding(&j, c, NULL, &q->findings[i]);
  json_end(&j);
  json_memory(&j, "worst", &q->stages[q->worst]);
  json_array(&j, "stages");
  for (size_t i = 0; i < q->stage_count; i++)
    json_memory(&j, NULL, &q->stages[i]);
  json_end(&j);
  json_u64(&j, "stage", q->told);
  json_moments(&j, q);
  json_terms(&j, q);
  json_saved(&j, q);
  memory_json_remedies(&j, q->remedies, q->remedy_count);
  json_text(&j, "svg", a->value[OPT_MEMORY_SVG]);
  json_end(&j);
}
