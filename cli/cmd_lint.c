/* dtcore lint: what a tool would refuse, ignore or silently change in what it is given. */
#include "cmd.h"
#include "fields.h"
#include "lint_hca.h"
#include "lint_print.h"
#include "report.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* "9.0" as 90. */
static bool read_compute(const char *s, uint32_t *compute)
{
  uint64_t major;
  char digits[4] = "";
  size_t n = strcspn(s, ".");
  bool minor = s[n] == '.' && s[n + 1] >= '0' && s[n + 1] <= '9' && s[n + 2] == 0;
  if (n >= sizeof digits || (s[n] != 0 && !minor))
    return false;
  memcpy(digits, s, n);
  if (!text_read_u64(digits, &major) || major == 0 || major > 99)
    return false;
  *compute = (uint32_t)(major * 10) + (minor ? (uint32_t)(s[n + 1] - '0') : 0);
  return true;
}

static int gpu_read(const cli *c, const args *a, dtc_lint *lint)
{
  const char *gpu = a->value[OPT_GPU];
  const char *compute = a->value[OPT_COMPUTE];
  dtc_cluster cluster;
  dtc_error err;
  DTC_INIT(&cluster);
  DTC_INIT(&err);
  if (gpu != NULL && compute != NULL)
    return fail(c, MSG_LINT_GPU_TWICE);
  if (compute != NULL && !read_compute(compute, &lint->compute))
    return fail(c, MSG_BAD_VALUE, "compute", compute, "9.0");
  if (gpu == NULL)
    return 0;
  if (dtc_gpu_find(gpu, &cluster, &err) != DTC_OK)
    return fail_name(c, gpu, &err);
  lint->compute = cluster.compute;
  return 0;
}

static int lint_read(const cli *c, const args *a, dtc_lint *lint)
{
  const char *dialect = a->value[OPT_DIALECT];
  uint64_t needed;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(lint);
  if (dialect != NULL &&
      value_read(c, "dialect", DTC_FIELD(lint, dialect), dialect, &lint->dialect, &lint->version) != 0)
    return EXIT_BAD_INPUT;
  if (args_number(c, a, OPT_WORLD, 1, 0, &lint->world) != 0 || args_number(c, a, OPT_NODES, 1, 0, &lint->nodes) != 0 ||
      gpu_read(c, a, lint) != 0)
    return EXIT_BAD_INPUT;
  return dtc_framework_lint_scratch(lint, &needed, &err) == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_findings(json *j, const cli *c, const lint_file *f)
{
  char line[LINT_LINE];
  json_array(j, "findings");
  for (size_t i = 0; i < f->n; i++) {
    const lint_finding *e = &f->list[i];
    json_object(j, NULL);
    json_text(j, "dialect", dtc_value_name(DTC_FIELD(lint, dialect), e->dialect));
    if (e->line != 0) {
      json_u64(j, "line", e->line);
      json_u64(j, "column", e->column);
    } else {
      json_null(j, "line");
      json_null(j, "column");
    }
    lint_text(c, e, false, line);
    json_error_members(j, &e->err, line);
    json_end(j);
  }
  json_end(j);
}

/* What the file says about the model: the fields of dtc_model that it gives. */
static void json_model_read(json *j, const lint_file *f)
{
  field fields[MAX_FIELDS];
  size_t n = fields_of(DTC_STRUCT_model, fields);
  json_object(j, "shape");
  for (size_t i = 0; i < n; i++) {
    uint64_t value = field_get(&f->model, &fields[i]);
    const char *word = field_word(&fields[i], value);
    if (value != 0 && word != NULL)
      json_text(j, dtc_field_name(fields[i].id), word);
    else if (value != 0)
      json_u64(j, dtc_field_name(fields[i].id), value);
  }
  json_end(j);
}

static void json_file(json *j, const cli *c, const lint_file *f)
{
  char plan[LINT_PLAN];
  json_object(j, NULL);
  json_text(j, "file", f->name);
  json_array(j, "dialects");
  for (dtc_dialect d = 1; d < DIALECTS; d++) {
    if ((f->dialects & 1u << d) != 0)
      json_text(j, NULL, dtc_value_name(DTC_FIELD(lint, dialect), d));
  }
  json_end(j);
  json_u64(j, "errors", f->errors);
  json_u64(j, "warnings", f->warnings);
  json_findings(j, c, f);
  lint_file_plan(f, plan);
  json_text(j, "plan", *plan != 0 ? plan : NULL);
  json_model_read(j, f);
  json_end(j);
}

/* The files that could not be read: `error` and `more`, as every command tells its errors. */
static void json_failures(json *j, const lint_file *files, size_t n)
{
  size_t told = 0;
  for (size_t i = 0; i < n; i++) {
    const dtc_error *err = files[i].error.rule != DTC_RULE_NONE ? &files[i].error : NULL;
    if (*files[i].failure == 0)
      continue;
    if (told == 1)
      json_array(j, "more");
    json_error(j, told == 0 ? "error" : NULL, err, files[i].failure);
    told++;
  }
  if (told > 1)
    json_end(j);
}

static void files_json(const cli *c, const args *a, const lint_file *files, size_t n)
{
  json j;
  json_start(&j, a->command);
  json_array(&j, "files");
  for (size_t i = 0; i < n; i++) {
    if (*files[i].failure == 0)
      json_file(&j, c, &files[i]);
  }
  json_end(&j);
  json_failures(&j, files, n);
  json_end(&j);
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static int answer_files(const cli *c, const args *a, const dtc_lint *lint)
{
  size_t n = 1 + a->more_count;
  lint_file *files = grow(NULL, n * sizeof *files);
  int worst = EXIT_YES;
  for (size_t i = 0; i < n; i++) {
    lint_file_read(c, lint, i == 0 ? a->operand : a->more[i - 1], &files[i]);
    int code = lint_file_code(&files[i]);
    worst = code > worst ? code : worst;
    if (!c->json || code == EXIT_BAD_INPUT)
      lint_print(c, &files[i]);
  }
  if (c->json)
    files_json(c, a, files, n);
  for (size_t i = 0; i < n; i++)
    lint_file_free(&files[i]);
  free(files);
  return worst;
}

int cmd_lint(const cli *c, const args *a)
{
  dtc_lint lint;
  if (a->value[OPT_HCA] != NULL || a->value[OPT_DEVICES] != NULL)
    return answer_hca(c, a);
  if (lint_read(c, a, &lint) != 0)
    return EXIT_BAD_INPUT;
  if (a->operand == NULL)
    return fail(c, MSG_NEEDS_FILE);
  return answer_files(c, a, &lint);
}
