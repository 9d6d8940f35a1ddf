#include "report.h"

#include "fields.h"
#include "file.h"
#include "table.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ITEM(id, member)                                                                                               \
  {                                                                                                                    \
    DTC_MEMORY_ITEM_##id, #member, MSG_ITEM_##id, MSG_COL_##id, offsetof(dtc_memory, member),                          \
        offsetof(dtc_memory_held, member)                                                                              \
  }

const memory_item memory_items[MEMORY_ITEMS] = {
    ITEM(WEIGHTS, weights),   ITEM(GRADIENTS, gradients),     ITEM(OPTIMIZER, optimizer), ITEM(BUCKETS, buckets),
    ITEM(GATHERED, gathered), ITEM(ACTIVATIONS, activations), ITEM(TRANSIENT, transient), ITEM(WORKSPACE, workspace),
};

uint64_t memory_item_bytes(const dtc_memory *m, const memory_item *item)
{
  uint64_t v;
  memcpy(&v, (const char *)m + item->offset, sizeof v);
  return v;
}

uint64_t held_item_bytes(const dtc_memory_held *h, const memory_item *item)
{
  uint64_t v;
  memcpy(&v, (const char *)h + item->held, sizeof v);
  return v;
}

const memory_item *memory_item_of(dtc_memory_item item)
{
  for (size_t i = 0; i < MEMORY_ITEMS; i++) {
    if (memory_items[i].item == item)
      return &memory_items[i];
  }
  return NULL;
}

static void memory_row(const cli *c, table *t, const char *name, uint64_t bytes, const char *kind, uint64_t whole)
{
  table_cell(t, name);
  table_cell(t, text_gib(bytes).s);
  table_cell(t, kind);
  table_cell(t, bar_of(c, (double)bytes, (double)whole).s);
}

/* A total, and where it lies in nine runs of ten. */
static void total_row(const cli *c, table *t, msg name, uint64_t bytes, uint64_t low, uint64_t high, uint64_t whole)
{
  char between[64];
  write_line(c, between, sizeof between, MSG_BETWEEN, text_gib(low).s, text_gib(high).s);
  memory_row(c, t, say(c, name), bytes, low < high ? between : say(c, MSG_ESTIMATE), whole);
}

void print_memory(const cli *c, const dtc_memory *m)
{
  uint64_t whole =
      m->device > m->capacity ? m->device : m->capacity; /* a full bar is the GPU, or what would be needed */
  bool any_exact = false;
  table t = table_new("lrll");
  table_cell(&t, say(c, MSG_ITEM));
  table_cell(&t, "GiB");
  table_cell(&t, "");
  table_cell(&t, "");
  for (size_t i = 0; i < MEMORY_ITEMS; i++) {
    uint64_t bytes = memory_item_bytes(m, &memory_items[i]);
    bool exact = (m->exact >> memory_items[i].item & 1) != 0;
    any_exact = any_exact || (exact && bytes != 0);
    if (bytes != 0)
      memory_row(c, &t, say(c, memory_items[i].name), bytes, say(c, exact ? MSG_EXACT : MSG_ESTIMATE), whole);
  }
  total_row(c, &t, MSG_ALLOCATED, m->allocated, m->allocated_low, m->allocated_high, whole);
  total_row(c, &t, MSG_RESERVED, m->reserved, m->reserved_low, m->reserved_high, whole);
  total_row(c, &t, MSG_DEVICE, m->device, m->device_low, m->device_high, whole);
  table_print(c, &t, 2);
  puts(say(c, any_exact ? MSG_EXACT_NOTE : MSG_ESTIMATE_NOTE));
}

void print_verdict(const cli *c, uint64_t device, uint64_t capacity)
{
  if (capacity == 0)
    return;
  if (device <= capacity)
    print_line(c, MSG_FITS, text_gib(device).s, text_gib(capacity).s, text_gib(capacity - device).s);
  else
    print_line(c, MSG_FITS_NOT, text_gib(device).s, text_gib(capacity).s, text_gib(device - capacity).s);
}

/* The formats stand in messages.def; a test compares the conversions of both languages. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void print_line(const cli *c, msg id, ...)
{
  va_list list;
  va_start(list, id);
  vprintf(say(c, id), list);
  va_end(list);
  putchar('\n');
}

void write_line(const cli *c, char *out, size_t cap, msg id, ...)
{
  va_list list;
  va_start(list, id);
  vsnprintf(out, cap, say(c, id), list);
  va_end(list);
}
#pragma GCC diagnostic pop

void print_source(const cli *c, const char *source)
{
  char line[4096 + 64]; /* a path, or the catalogue's words */
  write_line(c, line, sizeof line, MSG_SOURCE, source);
  text_wrap(line, 2);
}

void print_model(const cli *c, const model_arg *m)
{
  if (m->size_only)
    print_line(c, MSG_SIZE_LINE, m->name, text_thousands(m->params).s);
  else if (m->active == m->params)
    print_line(c, MSG_MODEL_LINE, m->name, text_thousands(m->params).s);
  else
    print_line(c, MSG_MODEL_LINE_MOE, m->name, text_thousands(m->params).s, text_thousands(m->active).s);
}

void print_cluster(const cli *c, const cluster_arg *a)
{
  const dtc_cluster *cl = &a->cluster;
  if (a->gpus != 0)
    print_line(c, MSG_CLUSTER_LINE_NODES, a->name, text_gib(cl->usable).s, text_u64(a->gpus).s, text_u64(cl->nodes).s,
               text_u64(cl->gpus_per_node).s);
  else
    print_line(c, MSG_CLUSTER_LINE, a->name, text_gib(cl->usable).s, text_u64(cl->gpus_per_node).s);
}

void plan_line(const model_arg *m, const dtc_plan *plan, char out[PLAN_LINE])
{
  dtc_error err;
  size_t len = 0;
  DTC_INIT(&err);
  /* A bare size and a file have no name that the text could carry. */
  if (dtc_plan_format(m->plan_name, plan, out, PLAN_LINE, &len, &err) != DTC_OK || len >= PLAN_LINE)
    snprintf(out, PLAN_LINE, "?");
}

int picture_write(const cli *c, const char *path, const picture *p)
{
  FILE *f = file_create(c, path);
  if (f == NULL)
    return EXIT_BAD_INPUT;
  picture_svg(p, f);
  return file_close(c, f, path);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

void json_start(json *j, const char *command)
{
  *j = (json){0};
  json_object(j, NULL);
  json_text(j, "dtcore", dtc_version_string());
  json_text(j, "command", command);
}

void json_model(json *j, const model_arg *m)
{
  json_object(j, "model");
  json_text(j, "name", m->name);
  json_text(j, "source", m->source);
  json_bool(j, "size_only", m->size_only);
  json_u64(j, "params", m->params);
  if (!m->size_only)
    json_u64(j, "active_params", m->active);
  json_end(j);
}

void json_cluster(json *j, const cluster_arg *a)
{
  if (!a->given) {
    json_null(j, "gpu");
    return;
  }
  json_object(j, "gpu");
  json_text(j, "name", a->name);
  json_u64(j, "memory_bytes", a->cluster.memory);
  json_u64(j, "usable_bytes", a->cluster.usable);
  json_u64(j, "gpus_per_node", a->cluster.gpus_per_node);
  json_u64(j, "nodes", a->cluster.nodes);
  json_end(j);
}

void json_memory(json *j, const char *key, const dtc_memory *m)
{
  json_object(j, key);
  json_u64(j, "stage", m->stage);
  json_text(j, "moment", dtc_value_name(DTC_FIELD(memory, moment), m->moment));
  json_u64(j, "params", m->params);
  json_u64(j, "in_flight", m->in_flight);
  for (size_t i = 0; i < MEMORY_ITEMS; i++)
    json_u64(j, memory_items[i].key, memory_item_bytes(m, &memory_items[i]));
  json_u64(j, "allocated", m->allocated);
  json_u64(j, "reserved", m->reserved);
  json_u64(j, "device", m->device);
  json_u64(j, "allocated_low", m->allocated_low);
  json_u64(j, "allocated_high", m->allocated_high);
  json_u64(j, "reserved_low", m->reserved_low);
  json_u64(j, "reserved_high", m->reserved_high);
  json_u64(j, "device_low", m->device_low);
  json_u64(j, "device_high", m->device_high);
  json_u64(j, "steady", m->steady);
  json_u64(j, "host", m->host);
  json_u64(j, "host_node", m->host_node);
  json_u64(j, "host_high", m->host_high);
  json_u64(j, "host_node_high", m->host_node_high);
  json_u64(j, "nvme", m->nvme);
  json_text(j, "largest", memory_item_of(m->largest) != NULL ? memory_item_of(m->largest)->key : NULL);
  json_array(j, "exact");
  for (size_t i = 0; i < MEMORY_ITEMS; i++) {
    if ((m->exact >> memory_items[i].item & 1) != 0)
      json_text(j, NULL, memory_items[i].key);
  }
  json_end(j);
  if (m->capacity == 0) {
    json_null(j, "capacity");
    json_null(j, "fits");
  } else {
    json_u64(j, "capacity", m->capacity);
    json_bool(j, "fits", m->fits == DTC_BOOL_ON);
  }
  json_end(j);
}

void json_states(json *j, const char *key, const dtc_model_states *s)
{
  json_object(j, key);
  json_u64(j, "weights", s->weights);
  json_u64(j, "gradients", s->gradients);
  json_u64(j, "master", s->master);
  json_u64(j, "moments", s->moments);
  json_u64(j, "total", s->total);
  json_end(j);
}

void json_struct(json *j, const char *key, uint32_t number, const void *object)
{
  field fields[MAX_FIELDS];
  size_t n = fields_of(number, fields);
  json_object(j, key);
  for (size_t i = 0; i < n; i++) {
    uint64_t value = field_get(object, &fields[i]);
    const char *word = field_word(&fields[i], value);
    if (strcmp(dtc_field_name(fields[i].id), "pad") == 0)
      continue;
    if (word != NULL)
      json_text(j, dtc_field_name(fields[i].id), word);
    else if (value == DTC_NONE)
      json_null(j, dtc_field_name(fields[i].id));
    else
      json_u64(j, dtc_field_name(fields[i].id), value);
  }
  json_end(j);
}
