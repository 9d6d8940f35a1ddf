/* Options are joined to one plan text and read by dtc_plan_parse(), so that there is one parser. */
#include "plan_arg.h"

#include <stdio.h>
#include <string.h>

/* An error in the words of options: the option stands for the byte offset. */
static int fail_option(const cli *c, const args *a, size_t offset, const dtc_error *err)
{
  const plan_word *w = &a->words[0];
  for (size_t i = 1; i < a->word_count && a->words[i].start <= offset; i++)
    w = &a->words[i];
  const option *o = &options[w->option];
  switch (err->rule) {
  case DTC_RULE_PLAN_WORD:
  case DTC_RULE_PLAN_VALUE:
    return fail(c, MSG_WORD_VALUE, w->shown, o->name, o->value == NULL ? "" : o->value,
                c->lang == DTC_LANG_ZH ? o->zh : o->en);
  case DTC_RULE_PLAN_TWICE:
    return fail(c, MSG_WORD_TWICE, w->shown, dtc_field_name(err->field));
  default:
    return fail_with(c, w->shown, err);
  }
}

/* An error in the text of --plan: shows the word. */
static int fail_text(const cli *c, const char *text, const dtc_error *err)
{
  char where[128] = "--plan";
  if (err->offset < strlen(text)) {
    const char *word = text + err->offset;
    snprintf(where, sizeof where, "--plan \"%.*s\"", (int)strcspn(word, " \t\r\n;"), word);
  }
  return fail_with(c, where, err);
}

/* The name behind "model=" in a text that dtc_plan_parse() has accepted. */
static void copy_model_name(const char *text, char *out, size_t cap)
{
  const char *mark = strstr(text, "dtcore:");
  const char *word = strstr(mark == NULL ? text : mark, "model=");
  if (word != NULL)
    snprintf(out, cap, "%.*s", (int)strcspn(word + 6, " \t\r\n;"), word + 6);
}

int plan_arg_read(const cli *c, const args *a, plan_arg *out)
{
  const char *given = a->value[OPT_PLAN];
  char text[2 * MAX_PLAN] = "";
  size_t len = 0;
  dtc_error err;
  memset(out, 0, sizeof *out);
  DTC_INIT(&out->plan);
  DTC_INIT(&out->model);
  DTC_INIT(&err);
  if (given != NULL) {
    if (dtc_plan_parse(given, strlen(given), &out->model, &out->plan, &err) != DTC_OK)
      return fail_text(c, given, &err);
    out->has_model = out->model.layers != 0;
    if (out->has_model)
      copy_model_name(given, out->model_name, sizeof out->model_name);
    if (dtc_plan_format(NULL, &out->plan, text, sizeof text, &len, &err) != DTC_OK ||
        len + a->plan_len + 2 > sizeof text)
      return fail(c, MSG_TOO_LONG);
  }
  if (a->plan_len == 0)
    return 0;
  snprintf(text + len, sizeof text - len, " %s", a->plan);
  if (dtc_plan_parse(text, strlen(text), NULL, &out->plan, &err) != DTC_OK)
    return fail_option(c, a, err.offset >= len + 1 ? (size_t)err.offset - len - 1 : 0, &err);
  return 0;
}
