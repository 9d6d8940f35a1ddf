/* dtcore frameworks: what they can do, side by side. */
#include "cmd.h"
#include "framework_list.h"
#include "report.h"
#include "table.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

static void add_index(size_t index, framework_list *l)
{
  for (size_t i = 0; i < l->count; i++)
    if (l->index[i] == index)
      return;
  framework_add(l, index);
}

/* A word of --framework: PyTorch has two rows. False when it is none, or nothing is known of it. */
static bool add_word(const char *word, framework_list *l)
{
  dtc_framework f = value_find(DTC_FIELD(plan, framework), word, strlen(word));
  bool known = false;
  for (dtc_sharding s = DTC_SHARDING_DDP; f != DTC_FRAMEWORK_DEFAULT && s <= DTC_SHARDING_DISTOPT; s++) {
    dtc_traits t;
    DTC_INIT(&t);
    if (dtc_framework_traits(f, s, &t, NULL) != DTC_OK)
      continue;
    add_index(t.index, l);
    known = true;
  }
  return known;
}

static int add(const cli *c, const char *name, framework_list *l)
{
  dtc_error err;
  uint64_t index = 0;
  DTC_INIT(&err);
  if (add_word(name, l))
    return 0;
  if (dtc_traits_find(name, &index, &err) != DTC_OK)
    return fail_name(c, name, &err);
  add_index((size_t)index, l);
  return 0;
}

/* Those that are named, else all. */
static int read(const cli *c, const args *a, framework_list *l)
{
  if (a->operand != NULL && add(c, a->operand, l) != 0)
    return EXIT_BAD_INPUT;
  for (size_t i = 0; i < a->more_count; i++)
    if (add(c, a->more[i], l) != 0)
      return EXIT_BAD_INPUT;
  for (size_t i = 0; a->operand == NULL && i < dtc_traits_count(); i++)
    framework_add(l, i);
  return 0;
}

static void print_table(const cli *c, const framework_list *l)
{
  table t = table_new("lllllll");
  t.columns = l->count + 1;
  table_cell(&t, "");
  for (size_t i = 0; i < l->count; i++)
    table_cell(&t, dtc_traits_name(l->index[i]));
  for (size_t row = 0; row < TRAITS; row++) {
    char text[TRAIT_TEXT];
    table_cell(&t, say(c, traits_list[row].name));
    for (size_t i = 0; i < l->count; i++) {
      trait_text(c, &l->traits[i], &traits_list[row], text);
      table_cell(&t, text);
    }
  }
  table_print(c, &t, 0);
  text_wrap(say(c, MSG_FRAMEWORKS_LEVELS), 0);
}

static void print_notes(const cli *c, const framework_list *l)
{
  print_line(c, MSG_FRAMEWORKS_NOTES);
  for (size_t i = 0; i < dtc_framework_note_count(); i++)
    if (note_is_about(c, i, l))
      note_print(c, i);
}

static void print_sources(const cli *c, const framework_list *l)
{
  puts("");
  for (size_t i = 0; i < l->count; i++) {
    char line[512];
    snprintf(line, sizeof line, "%s%s%s", dtc_traits_name(l->index[i]), say(c, MSG_COLON),
             dtc_traits_source(l->index[i]));
    text_wrap(line, 2);
  }
}

/* A level and its kind by the library's word, a day and a version as numbers. */
static void json_trait(json *j, const dtc_traits *t, const trait *row)
{
  uint32_t v = trait_value(t, row);
  uint32_t field = (uint32_t)DTC_STRUCT_traits << 16 | row->offset;
  if (row->words[0] == 0 && v != 0)
    json_u64(j, row->key, v);
  else if (v == 0)
    json_null(j, row->key);
  else
    json_text(j, row->key, dtc_value_name(field, v));
}

static void json_frameworks(json *j, const framework_list *l)
{
  json_array(j, "frameworks");
  for (size_t i = 0; i < l->count; i++) {
    json_object(j, NULL);
    json_text(j, "name", dtc_traits_name(l->index[i]));
    for (size_t row = 0; row < TRAITS; row++)
      json_trait(j, &l->traits[i], &traits_list[row]);
    json_text(j, "source", dtc_traits_source(l->index[i]));
    json_end(j);
  }
  json_end(j);
}

static void json_notes(json *j, const cli *c, const framework_list *l)
{
  static const struct {
    const char *key;
    dtc_note part;
  } parts[] = {{"about", DTC_NOTE_ABOUT}, {"old", DTC_NOTE_OLD}, {"text", DTC_NOTE_TRUE}, {"source", DTC_NOTE_SOURCE}};
  json_array(j, "notes");
  for (size_t i = 0; i < dtc_framework_note_count(); i++) {
    if (!note_is_about(c, i, l))
      continue;
    json_object(j, NULL);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      char text[1024];
      note_text(c, i, parts[k].part, text, sizeof text);
      json_text(j, parts[k].key, *text == 0 ? NULL : text);
    }
    json_end(j);
  }
  json_end(j);
}

int cmd_frameworks(const cli *c, const args *a)
{
  static framework_list l; /* large */
  json j;
  if (read(c, a, &l) != 0)
    return EXIT_BAD_INPUT;
  if (c->json) {
    json_start(&j, a->command);
    json_frameworks(&j, &l);
    json_notes(&j, c, &l);
    json_end(&j);
  } else if (a->value[OPT_MARKDOWN] != NULL) {
    framework_page(c, &l);
  } else {
    print_table(c, &l);
    print_notes(c, &l);
    print_sources(c, &l);
  }
  return EXIT_YES;
}
