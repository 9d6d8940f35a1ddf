#include "lint_file.h"

#include "fields.h"
#include "file.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ------------------------------------------------------------------------------------------------------- */

void lint_text(const cli *c, const lint_finding *f, bool placed, char out[LINT_LINE])
{
  char line[LINT_LINE];
  char place[64];
  dtc_error_format(&f->err, c->lang, line, sizeof line);
  write_line(c, place, sizeof place, MSG_LINT_BYTE, text_u64(f->err.offset).s);
  size_t n = placed && strncmp(line, place, strlen(place)) == 0 ? strlen(place) : 0;
  snprintf(out, LINT_LINE, "%s", line + n);
}

void lint_file_plan(const lint_file *f, char out[LINT_PLAN])
{
  dtc_plan none;
  dtc_error err;
  DTC_INIT(&none);
  DTC_INIT(&err);
  *out = 0;
  if (memcmp(&f->plan, &none, sizeof none) != 0 &&
      dtc_plan_format(NULL, &f->plan, out, LINT_PLAN, NULL, &err) != DTC_OK)
    *out = 0;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
  const lint_finding *x = a;
  const lint_finding *y = b;
  if (x->err.offset != y->err.offset)
    return x->err.offset < y->err.offset ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_continuation(char c)
{
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* Line and column of each; the findings are in the order of the text. */
static void place_findings(lint_file *f)
{
  size_t line = 1;
  size_t begin = 0;
  size_t at = 0;
  size_t column = 1;
  for (size_t i = 0; i < f->n && f->list[i].err.offset <= f->len; i++) {
    for (; at < f->list[i].err.offset; at++) {
      if (f->text[at] == '\n') {
        line++;
        begin = at + 1;
        column = 1;
      } else {
        column += at + 1 == f->len || !is_continuation(f->text[at + 1]);
      }
    }
    f->list[i].line = line;
    f->list[i].column = column;
    f->list[i].begin = begin;
  }
}

/* Two dialects of one text may see the same. */
static void drop_repeated(lint_file *f)
{
  size_t kept = 0;
  for (size_t i = 0; i < f->n; i++) {
    const lint_finding *last = kept > 0 ? &f->list[kept - 1] : NULL;
    bool same = last != NULL && last->dialect != f->list[i].dialect && last->err.rule == f->list[i].err.rule &&
                last->err.offset == f->list[i].err.offset;
    if (!same)
      f->list[kept++] = f->list[i];
  }
  f->n = kept;
}

static void add_finding(lint_file *f, dtc_dialect dialect, const dtc_error *err)
{
  f->list[f->n] = (lint_finding){.err = *err, .dialect = dialect, .index = f->n};
  f->n++;
}

static void finish(lint_file *f)
{
  if (f->n > 0)
    qsort(f->list, f->n, sizeof *f->list, by_place);
  drop_repeated(f);
  place_findings(f);
  for (size_t i = 0; i < f->n; i++) {
    bool warning = f->list[i].err.severity == DTC_SEVERITY_WARNING;
    f->warnings += warning;
    f->errors += !warning;
  }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Fields that *from gives and *to does not have yet. */
static void merge(uint32_t number, void *to, const void *from)
{
  field fields[MAX_FIELDS];
  size_t n = fields_of(number, fields);
  for (size_t i = 0; i < n; i++) {
    const field *one = &fields[i];
    if (field_get(to, one) == 0)
      memcpy((char *)to + one->offset, (const char *)from + one->offset, one->size);
  }
}

static void refuse(const cli *c, lint_file *f, const dtc_error *err)
{
  char line[LINT_LINE - 1024];
  dtc_error_format(err, c->lang, line, sizeof line);
  snprintf(f->failure, sizeof f->failure, "%.1000s: %s", f->name, line);
  f->error = *err;
}

/* Is the error one of the text, at a place in it? Then it is a finding: the tool would stop there, too. */
static bool is_in_text(const dtc_error *err)
{
  return err->status == DTC_E_PARSE && err->offset != DTC_NONE && err->rule != DTC_RULE_LINT_BYTES;
}

static void read_as(const cli *c, const dtc_lint *lint, lint_file *f)
{
  enum { FEW = 64 };
  dtc_model model;
  dtc_plan plan;
  dtc_error err;
  uint64_t words = 0;
  size_t count = 0;
  size_t cap = FEW;
  dtc_error *found = grow(NULL, cap * sizeof *found);
  DTC_INIT(&err);
  DTC_INIT(&model);
  DTC_INIT(&plan);
  dtc_status status = dtc_framework_lint_scratch(lint, &words, &err);
  uint64_t *scratch = grow(NULL, (size_t)(words + 1) * sizeof *scratch);
  if (status == DTC_OK) {
    DTC_INIT(&found[0]);
    status = dtc_framework_lint(lint, f->text, f->len, &model, &plan, found, cap, &count, scratch, (size_t)words, &err);
  }
  if (status == DTC_E_SPACE && count > cap) {
    cap = count;
    found = grow(found, cap * sizeof *found);
    status = dtc_framework_lint(lint, f->text, f->len, &model, &plan, found, cap, &count, scratch, (size_t)words, &err);
  }
  f->list = grow(f->list, (f->n + count + 1) * sizeof *f->list);
  for (size_t i = 0; status == DTC_OK && i < count; i++)
    add_finding(f, lint->dialect, &found[i]);
  if (status == DTC_OK) {
    merge(DTC_STRUCT_model, &f->model, &model);
    merge(DTC_STRUCT_plan, &f->plan, &plan);
  } else if (is_in_text(&err)) {
    add_finding(f, lint->dialect, &err);
  } else {
    refuse(c, f, &err);
  }
  free(scratch);
  free(found);
}

/* The dialects of the text; 0 with the reason in f->failure. */
static uint32_t find_dialects(const cli *c, const dtc_lint *lint, lint_file *f)
{
  const char *nul = f->len > 0 ? memchr(f->text, 0, f->len) : NULL;
  const char *form = foreign_form(f->path, f->text, f->len);
  uint32_t found = lint->dialect != DTC_DIALECT_DEFAULT ? 1u << lint->dialect : dialects_of(f->path, f->text, f->len);
  if (nul != NULL)
    write_line(c, f->failure, sizeof f->failure, MSG_LINT_BINARY, f->name, text_u64((uint64_t)(nul - f->text)).s);
  else if (form != NULL)
    write_line(c, f->failure, sizeof f->failure, MSG_LINT_FORM, f->name, form, f->path);
  else if (found == 0)
    write_line(c, f->failure, sizeof f->failure, MSG_LINT_WHOSE, f->name);
  return *f->failure == 0 ? found : 0;
}

void lint_file_read(const cli *c, const dtc_lint *lint, const char *path, lint_file *f)
{
  *f = (lint_file){.path = path, .name = strcmp(path, "-") == 0 ? "<stdin>" : path};
  DTC_INIT(&f->model);
  DTC_INIT(&f->plan);
  f->text = f->name == path ? file_read(path, &f->len) : stream_read(stdin, &f->len);
  if (f->text == NULL) {
    write_line(c, f->failure, sizeof f->failure, MSG_CANNOT_READ, f->name, strerror(errno));
    return;
  }
  f->dialects = find_dialects(c, lint, f);
  for (dtc_dialect d = 1; d < DIALECTS && *f->failure == 0; d++) {
    dtc_lint one = *lint;
    one.dialect = d;
    if ((f->dialects & 1u << d) != 0)
      read_as(c, &one, f);
  }
  finish(f);
}

void lint_file_free(lint_file *f)
{
  free(f->text);
  free(f->list);
}

int lint_file_code(const lint_file *f)
{
  return *f->failure != 0 ? EXIT_BAD_INPUT : f->errors > 0 ? EXIT_NO : EXIT_YES;
}
