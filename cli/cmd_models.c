/* dtcore models: the catalogue of models. */
#include "cmd.h"
#include "fields.h"
#include "model_arg.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static void shape_to_table(table *t, const dtc_model *model)
{
  field fields[MAX_FIELDS];
  size_t n = fields_of(DTC_STRUCT_model, fields);
  for (size_t i = 0; i < n; i++) {
    uint64_t value = field_get(model, &fields[i]);
    const char *word = field_word(&fields[i], value);
    table_cell(t, dtc_field_name(fields[i].id));
    table_cell(t, word != NULL ? word : text_thousands(value).s);
  }
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
    json_struct(&j, "shape", DTC_STRUCT_model, &m.model);
    json_end(&j);
    return EXIT_YES;
  }
  print_model(c, &m);
  table t = table_new("lr");
  table_cell(&t, say(c, MSG_FIELD));
  table_cell(&t, say(c, MSG_VALUE));
  shape_to_table(&t, &m.model);
  table_print(c, &t, 2);
  if (m.source != NULL)
    print_source(c, m.source);
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
