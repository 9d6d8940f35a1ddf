/* Options are joined to one plan text and read by dtc_plan_parse(), so that there is one parser. */
#include "plan_arg.h"

#include "file.h"
#include "values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word of a plan text: "tp=8" with its key "tp" and value "8"; of a word without '=' both are the word. */
typedef struct text_word {
  char text[128];
  char key[128];
  const char *value;
} text_word;

static const char blanks[] = " \t\r\n;";

/* The word that holds the byte at `offset`. */
static void word_at(const char *text, uint64_t offset, text_word *w)
{
  size_t len = strlen(text);
  size_t at = offset < len ? (size_t)offset : len;
  while (at > 0 && strchr(blanks, text[at - 1]) == NULL)
    at--;
  snprintf(w->text, sizeof w->text, "%.*s", (int)strcspn(text + at, blanks), text + at);
  snprintf(w->key, sizeof w->key, "%.*s", (int)strcspn(w->text, "="), w->text);
  w->value = w->text + strcspn(w->text, "=");
  w->value = *w->value == '=' ? w->value + 1 : w->text;
}

/* Words of plan texts: "tp=", "sp", "nosp", "megatron". */
enum { WORDS = 512 };
typedef struct vocabulary {
  char text[WORDS][40];
  const char *names[WORDS];
  size_t n;
} vocabulary;

static void add_word(vocabulary *v, const char *before, const char *word, const char *behind)
{
  if (v->n == WORDS)
    return;
  snprintf(v->text[v->n], sizeof v->text[v->n], "%s%s%s", before, word, behind);
  v->names[v->n] = v->text[v->n];
  v->n++;
}

static bool is_word(const char *text)
{
  dtc_plan p;
  dtc_error err;
  DTC_INIT(&p);
  DTC_INIT(&err);
  return dtc_plan_parse(text, strlen(text), NULL, &p, &err) == DTC_OK || err.rule != DTC_RULE_PLAN_WORD;
}

/* Those of options, and the names of fields that dtc_plan_parse() takes as words. */
static void all_words(vocabulary *v)
{
  v->n = 0;
  add_word(v, "", "model=", "");
  for (size_t i = OPT_WORDS; i < option_count; i++)
    if (options[i].word[0] != 0)
      add_word(v, "", options[i].word, "");
  for (dtc_framework f = DTC_FRAMEWORK_PYTORCH; dtc_value_name(DTC_FIELD(plan, framework), f)[0] != '?'; f++)
    add_word(v, "", dtc_value_name(DTC_FIELD(plan, framework), f), "");
  for (uint32_t offset = 0; offset < sizeof(dtc_plan); offset += sizeof(uint32_t)) {
    const char *name = dtc_field_name(DTC_FIELD(plan, struct_size) + offset);
    char pair[64];
    snprintf(pair, sizeof pair, "%s=1", name);
    if (name[0] != '?' && is_word(pair))
      add_word(v, "", name, "=");
    else if (name[0] != '?' && is_word(name)) {
      add_word(v, "", name, "");
      add_word(v, "no", name, "");
    }
  }
}

static const char *nearest_word(vocabulary *v, const text_word *w)
{
  char typed[130];
  snprintf(typed, sizeof typed, "%s%s", w->key, w->value != w->text ? "=" : "");
  all_words(v);
  return v->names[nearest_name(typed, v->names, v->n)];
}

/* `shown` is the word as the user wrote it: "tp=x" in a text, "--tp x" as an option. */
static int fail_word(const cli *c, const text_word *w, const char *shown, bool is_option, const dtc_error *err)
{
  char list[1024];
  vocabulary words;
  /* --framework is the one option whose name does not stand in the text. */
  bool framework = is_option && err->rule == DTC_RULE_PLAN_WORD;
  switch (err->rule) {
  case DTC_RULE_MODEL_NAME:
    return fail_name(c, w->value, err);
  case DTC_RULE_PLAN_TWICE:
    return fail_as(c, err, MSG_WORD_TWICE, shown, dtc_field_name(err->field));
  case DTC_RULE_PLAN_WORD:
  case DTC_RULE_PLAN_VALUE:
    value_list(c, framework ? DTC_FIELD(plan, framework) : err->field, list, sizeof list);
    if (*list != 0)
      return fail_as(c, err, MSG_UNKNOWN_VALUE, framework ? "framework" : w->key, w->value, list);
    if (err->rule == DTC_RULE_PLAN_VALUE)
      return fail_as(c, err, MSG_BAD_WORD, shown,
                     err->field == DTC_FIELD(plan, framework_version) ? "NAME[@VERSION]" : "N");
    return fail_as(c, err, MSG_UNKNOWN_WORD, w->text, nearest_word(&words, w));
  default:
    return fail_with(c, shown, err);
  }
}

/* An error in the words of options, which begin at byte `start`: the option stands for the offset. */
static int fail_option(const cli *c, const args *a, const char *text, size_t start, dtc_error *err)
{
  const plan_word *p = &a->words[0];
  text_word w;
  word_at(text, err->offset, &w);
  for (size_t i = 1; i < a->word_count && start + a->words[i].start <= err->offset; i++)
    p = &a->words[i];
  err->offset = DTC_NONE; /* the user has not seen this text */
  return fail_word(c, &w, p->shown, true, err);
}

/* The name behind "model=" in a text that dtc_plan_parse() has accepted. */
static void copy_model_name(const char *text, char *out, size_t cap)
{
  const char *mark = strstr(text, "dtcore:");
  const char *word = strstr(mark == NULL ? text : mark, "model=");
  if (word != NULL)
    snprintf(out, cap, "%.*s", (int)strcspn(word + 6, blanks), word + 6);
}

/* The plan of a text; `text` gets its words in their usual form. */
static int read_text(const cli *c, const args *a, const char *given, size_t given_len, plan_arg *out, char *text,
                     size_t cap)
{
  dtc_error err;
  size_t len = 0;
  DTC_INIT(&err);
  if (dtc_plan_parse(given, given_len, &out->model, &out->plan, &err) != DTC_OK) {
    text_word w;
    word_at(given, err.offset, &w);
    return fail_word(c, &w, w.text, false, &err);
  }
  out->has_model = out->model.layers != 0;
  if (out->has_model)
    copy_model_name(given, out->model_name, sizeof out->model_name);
  if (dtc_plan_format(NULL, &out->plan, text, cap, &len, &err) != DTC_OK || len + a->plan_len + 2 > cap)
    return fail(c, MSG_TOO_LONG);
  return 0;
}

/* --plan TEXT, or --plan @FILE whose first "dtcore:" is read. */
static int read_given(const cli *c, const args *a, const char *given, plan_arg *out, char *text, size_t cap)
{
  size_t len = 0;
  if (*given != '@')
    return read_text(c, a, given, strlen(given), out, text, cap);
  char *content = file_read(given + 1, &len);
  if (content == NULL)
    return fail(c, MSG_CANNOT_READ, given + 1, strerror(errno));
  content = grow(content, len + 1);
  content[len] = 0;
  int code = read_text(c, a, content, len, out, text, cap);
  free(content);
  return code;
}

int plan_arg_read(const cli *c, const args *a, plan_arg *out)
{
  char text[2 * MAX_PLAN] = "";
  dtc_error err;
  memset(out, 0, sizeof *out);
  DTC_INIT(&out->plan);
  DTC_INIT(&out->model);
  DTC_INIT(&err);
  if (a->value[OPT_PLAN] != NULL && read_given(c, a, a->value[OPT_PLAN], out, text, sizeof text) != 0)
    return EXIT_BAD_INPUT;
  if (a->plan_len == 0)
    return 0;
  size_t len = strlen(text);
  snprintf(text + len, sizeof text - len, " %s", a->plan);
  if (dtc_plan_parse(text, strlen(text), NULL, &out->plan, &err) != DTC_OK)
    return fail_option(c, a, text, len + 1, &err);
  return 0;
}
