/* dtcore models: the catalogue of models. */
#include "cmd.h"
#include "model_arg.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* Calls `each` for every field behind struct_size, in order: the library knows their names and places. */
static void each_field(uint32_t number, size_t size, const void *object,
                       void (*each)(void *, const char *, const char *, uint64_t), void *context)
{
  for (uint32_t at = 4; at < size;) {
    uint32_t field = number << 16 | at;
    uint32_t next = at + 4;
    while (next < size && strcmp(dtc_field_name(number << 16 | next), "?") == 0)
      next += 4;
    uint32_t half;
    uint64_t value;
    memcpy(&half, (const char *)object + at, sizeof half);
    if (next - at == sizeof half)
      value = half;
    else
      memcpy(&value, (const char *)object + at, sizeof value);
    const char *word = dtc_value_name(field, value);
    each(context, dtc_field_name(field), strcmp(word, "?") == 0 ? NULL : word, value);
    at = next;
  }
}

static void field_to_table(void *t, const char *name, const char *word, uint64_t value)
{
  table_cell(t, name);
  table_cell(t, word != NULL ? word : text_thousands(value).s);
}

static void field_to_json(void *j, const char *name, const char *word, uint64_t value)
{
  if (word != NULL)
    json_text(j, name, word);
  else
    json_u64(j, name, value);
}

static int show_model(const cli *c, const args *a)
{
  static model_arg m; /* holds a path: large */
  if (model_arg_read(c, a, NULL, &m) != 0)
    return EXIT_BAD_INPUT;
  if (m.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, m.name);
  if (c->json) {
    json j;
    json_start(&j, a->command);
    json_model(&j, &m);
    json_object(&j, "shape");
    each_field(DTC_STRUCT_model, sizeof m.model, &m.model, field_to_json, &j);
    json_end(&j);
    json_end(&j);
    return EXIT_YES;
  }
  print_model(c, &m);
  table t = table_new("lr");
  table_cell(&t, say(c, MSG_FIELD));
  table_cell(&t, say(c, MSG_VALUE));
  each_field(DTC_STRUCT_model, sizeof m.model, &m.model, field_to_table, &t);
  table_print(c, &t, 2);
  if (m.source != NULL)
    print_line(c, MSG_SOURCE, m.source);
  return EXIT_YES;
}

static int count_model(const cli *c, size_t i, dtc_model *model, dtc_params *p)
{
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(model);
  DTC_INIT(p);
  if (dtc_model_find(dtc_model_name(i), model, &err) != DTC_OK || dtc_model_params(model, p, &err) != DTC_OK)
    return fail_with(c, dtc_model_name(i), &err);
  return 0;
}

static int list_as_json(const cli *c, const args *a)
{
  json j;
  json_start(&j, a->command);
  json_array(&j, "models");
  for (size_t i = 0; i < dtc_model_count(); i++) {
    dtc_model m;
    dtc_params p;
    if (count_model(c, i, &m, &p) != 0)
      return EXIT_BAD_INPUT;
    json_object(&j, NULL);
    json_text(&j, "name", dtc_model_name(i));
    json_u64(&j, "params", p.total);
    json_u64(&j, "active_params", p.active);
    json_text(&j, "source", dtc_model_source(i));
    json_end(&j);
  }
  json_end(&j);
  json_end(&j);
  return EXIT_YES;
}

static int list_as_table(const cli *c)
{
  static const msg head[] = {MSG_MODEL, MSG_PARAMETERS, MSG_ACTIVE, MSG_LAYERS, MSG_HIDDEN, MSG_HEADS, MSG_EXPERTS};
  table t = table_new("lrrrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < dtc_model_count(); i++) {
    dtc_model m;
    dtc_params p;
    if (count_model(c, i, &m, &p) != 0)
      return EXIT_BAD_INPUT;
    table_cell(&t, dtc_model_name(i));
    table_cell(&t, text_thousands(p.total).s);
    table_cell(&t, p.active == p.total ? "" : text_thousands(p.active).s);
    table_cell(&t, text_u64(m.layers).s);
    table_cell(&t, text_u64(m.hidden).s);
    table_cell(&t, text_u64(m.heads).s);
    table_cell(&t, m.experts == 0 ? "" : text_u64(m.experts).s);
  }
  table_print(c, &t, 0);
  return EXIT_YES;
}

int cmd_models(const cli *c, const args *a)
{
  if (a->operand != NULL)
    return show_model(c, a);
  return c->json ? list_as_json(c, a) : list_as_table(c);
}
