/* How bad input is told: a line for people, an object for programs. */
#include "cli.h"

#include "json_error.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE = 4096 };

static int tell(const cli *c, const dtc_error *err, const char *text)
{
  fprintf(stderr, "dtcore: %s\n", text);
  if (c->json) {
    json j = {0};
    json_object(&j, NULL);
    json_error(&j, "error", err, text);
    json_end(&j);
  }
  return EXIT_BAD_INPUT;
}

/* The formats stand in messages.def; a test compares the conversions of both languages. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int tell_list(const cli *c, const dtc_error *err, msg id, va_list list)
{
  char line[LINE];
  vsnprintf(line, sizeof line, say(c, id), list);
  return tell(c, err, line);
}
#pragma GCC diagnostic pop

int fail(const cli *c, msg id, ...)
{
  va_list list;
  va_start(list, id);
  int code = tell_list(c, NULL, id, list);
  va_end(list);
  return code;
}

int fail_as(const cli *c, const dtc_error *err, msg id, ...)
{
  va_list list;
  va_start(list, id);
  int code = tell_list(c, err, id, list);
  va_end(list);
  return code;
}

int fail_with(const cli *c, const char *where, const dtc_error *err)
{
  char text[LINE / 2];
  char line[LINE];
  dtc_error_format(err, c->lang, text, sizeof text);
  snprintf(line, sizeof line, "%s%s%s", where == NULL ? "" : where, where == NULL ? "" : ": ", text);
  return tell(c, err, line);
}

int fail_all(const cli *c, const dtc_error *errors, size_t count)
{
  json j = {0};
  if (count == 1)
    return fail_with(c, NULL, errors);
  for (size_t i = 0; i < count; i++) {
    char line[LINE];
    dtc_error_format(&errors[i], c->lang, line, sizeof line);
    fprintf(stderr, "dtcore: %s\n", line);
  }
  if (!c->json)
    return EXIT_BAD_INPUT;
  json_object(&j, NULL);
  json_finding(&j, c, "error", &errors[0]);
  json_array(&j, "more");
  for (size_t i = 1; i < count; i++)
    json_finding(&j, c, NULL, &errors[i]);
  json_end(&j);
  json_end(&j);
  return EXIT_BAD_INPUT;
}

int fail_name(const cli *c, const char *given, const dtc_error *err)
{
  static const struct {
    dtc_rule rule;
    msg near;
    msg none; /* when no name is near */
    size_t (*count)(void);
    const char *(*name)(size_t);
  } catalogues[] = {
      {DTC_RULE_MODEL_NAME, MSG_UNKNOWN_MODEL, MSG_NO_MODEL, dtc_model_count, dtc_model_name},
      {DTC_RULE_GPU_NAME, MSG_UNKNOWN_GPU, MSG_NO_GPU, dtc_gpu_count, dtc_gpu_name},
      {DTC_RULE_CLUSTER_NAME, MSG_UNKNOWN_CLUSTER, MSG_NO_CLUSTER, dtc_cluster_count, dtc_cluster_name},
      {DTC_RULE_NCCL_SYSTEM, MSG_UNKNOWN_SYSTEM, MSG_NO_SYSTEM, dtc_nccl_count, dtc_nccl_name},
  };
  for (size_t i = 0; i < sizeof catalogues / sizeof *catalogues; i++) {
    if (err->rule != catalogues[i].rule)
      continue;
    if (err->lower < catalogues[i].count())
      return fail_as(c, err, catalogues[i].near, given, catalogues[i].name((size_t)err->lower));
    return fail_as(c, err, catalogues[i].none, given);
  }
  return fail_with(c, given, err);
}
