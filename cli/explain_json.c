/* dtcore explain: the answer in JSON. */
#include "explain.h"

#include "values.h"

static void optional(json *j, const char *key, uint64_t value)
{
  if (value == DTC_NONE)
    json_null(j, key);
  else
    json_u64(j, key, value);
}

static void json_candidate(json *j, const explain_question *q, const dtc_candidate *one)
{
  char name[256];
  json_object(j, NULL);
  json_text(j, "suspect", dtc_value_name(DTC_FIELD(candidate, suspect), one->suspect));
  json_text(j, "text", dtc_explain_text(one->suspect, DTC_LANG_EN));
  explain_weight(q, one, name, sizeof name);
  json_text(j, "tensor", *name != 0 ? name : NULL);
  json_u64(j, "elements", one->elements);
  json_u64(j, "dtype_bytes", one->dtype_bytes);
  json_u64(j, "bytes", one->bytes);
  json_u64(j, "distance", one->distance);
  json_u64(j, "ranks", one->ranks);
  optional(j, "stage", one->stage);
  json_bool(j, "usual", one->usual == DTC_BOOL_ON);
  if (one->solved == DTC_SOLVED_NONE) {
    json_null(j, "solved");
    json_null(j, "value");
  } else {
    json_text(j, "solved", dtc_value_name(DTC_FIELD(candidate, solved), one->solved));
    json_u64(j, "value", one->value);
  }
  json_array(j, "avoid");
  for (uint32_t r = 1; r < REMEDIES; r++)
    if ((one->avoid >> r & 1) != 0)
      json_text(j, NULL, dtc_value_name(DTC_FIELD(memory_remedy, remedy), r));
  json_end(j);
  json_end(j);
}

static void json_alloc(json *j, const dtc_alloc *a)
{
  json_object(j, "alloc");
  json_text(j, "kind", dtc_value_name(DTC_FIELD(alloc, kind), a->kind));
  json_text(j, "device", dtc_value_name(DTC_FIELD(alloc, device), a->device));
  json_u64(j, "bytes", a->bytes);
  json_u64(j, "low", a->low);
  json_u64(j, "high", a->high);
  json_u64(j, "capacity", a->capacity);
  json_u64(j, "free", a->free);
  json_u64(j, "in_use", a->in_use);
  json_u64(j, "allocated", a->allocated);
  json_u64(j, "reserved", a->reserved);
  json_u64(j, "offset", a->offset);
  json_end(j);
}

void explain_print_json(const cli *c, const args *a, const explain_question *q)
{
  char line[PLAN_LINE];
  json j;
  (void)c;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  if (q->model.size_only) {
    json_null(&j, "plan");
  } else {
    plan_line(&q->model, &q->resolved, line);
    json_text(&j, "plan", line);
  }
  json_alloc(&j, &q->alloc);
  json_array(&j, "candidates");
  for (size_t i = 0; i < q->count; i++)
    json_candidate(&j, q, &q->candidates[i]);
  json_end(&j);
  if (q->memory_known)
    json_memory(&j, "worst", &q->memory);
  else
    json_null(&j, "worst");
  json_end(&j);
}
