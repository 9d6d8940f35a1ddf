#include "model_arg.h"

#include "cluster_arg.h"
#include "file.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static mode_t mode_of(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 ? s.st_mode : 0;
}

static bool is_folder(const char *path)
{
  return S_ISDIR(mode_of(path));
}

static bool is_file(const char *path)
{
  mode_t mode = mode_of(path);
  return mode != 0 && !S_ISDIR(mode);
}

/* A pipe, a device: there, but nothing to read a shape from. */
static bool is_special(const char *path)
{
  return is_file(path) && !S_ISREG(mode_of(path));
}

static bool ends_with(const char *s, const char *end)
{
  size_t n = strlen(s);
  size_t m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

/* Whether the word is meant as a path. A catalogue name wins over a file that happens to have it, not over a folder with
 * a config.json. */
static bool is_path(const char *s, model_arg *out)
{
  if (is_folder(s)) {
    snprintf(out->path, sizeof out->path, "%s%sconfig.json", s, ends_with(s, "/") ? "" : "/");
    return is_file(out->path) || s[0] == '.' || s[0] == '/';
  }
  snprintf(out->path, sizeof out->path, "%s", s);
  return ends_with(s, ".json") || s[0] == '.' || s[0] == '/';
}

static int read_config(const cli *c, const char *word, model_arg *out)
{
  size_t len;
  if (is_folder(word) && !is_file(out->path))
    return fail(c, MSG_NO_CONFIG, word);
  if (is_special(out->path))
    return fail(c, MSG_SPECIAL_FILE, out->path);
  char *content = file_read(out->path, &len);
  dtc_error err;
  DTC_INIT(&err);
  if (content == NULL)
    return fail(c, MSG_CANNOT_READ, out->path, strerror(errno));
  int code = 0;
  if (dtc_model_from_hf(content, len, &out->model, &err) != DTC_OK) {
    char where[sizeof out->path + 64];
    size_t line = 1;
    for (size_t i = 0; i < len && i < err.offset; i++)
      line += content[i] == '\n';
    if (err.offset <= len)
      snprintf(where, sizeof where, "%s:%zu", out->path, line);
    else
      snprintf(where, sizeof where, "%s", out->path);
    code = fail_with(c, where, &err);
  }
  free(content);
  return code;
}

/* The catalogue's own spelling of the name, and where its shape comes from: from another name's entry for a Hugging Face
 * id. */
static void find_source(const char *name, model_arg *out)
{
  size_t named = name_index(name, dtc_model_count(), dtc_model_name);
  if (named < dtc_model_count()) {
    out->name = out->plan_name = dtc_model_name(named);
    out->source = dtc_model_source(named);
    return;
  }
  for (size_t i = 0; i < dtc_model_count() && out->source == NULL; i++) {
    dtc_model m;
    DTC_INIT(&m);
    if (dtc_model_find(dtc_model_name(i), &m, NULL) == DTC_OK && memcmp(&m, &out->model, sizeof m) == 0)
      out->source = dtc_model_source(i);
  }
}

static int find_name(const cli *c, const char *name, model_arg *out)
{
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_model_find(name, &out->model, &err) != DTC_OK) {
    if (is_folder(name))
      return fail(c, MSG_NO_CONFIG, name);
    if (is_special(name))
      return fail(c, MSG_SPECIAL_FILE, name);
    return strchr(name, '/') != NULL ? fail(c, MSG_NO_FILE_NO_MODEL, name) : fail_name(c, name, &err);
  }
  out->plan_name = name;
  find_source(name, out);
  return 0;
}

static int count_params(const cli *c, model_arg *out)
{
  dtc_params p;
  dtc_error err;
  DTC_INIT(&p);
  DTC_INIT(&err);
  if (dtc_model_params(&out->model, &p, &err) != DTC_OK)
    return fail_with(c, out->name, &err);
  out->params = p.total;
  out->active = p.active;
  return 0;
}

int model_arg_read(const cli *c, const args *a, const plan_arg *plan, model_arg *out)
{
  const char *word = a->operand != NULL ? a->operand : plan != NULL && plan->has_model ? plan->model_name : NULL;
  memset(out, 0, sizeof *out);
  DTC_INIT(&out->model);
  if (word == NULL)
    return fail(c, MSG_NEEDS_MODEL, a->command, a->command);
  out->name = word;
  if (text_is_size(word)) {
    if (!text_read_params(word, &out->params) || out->params > (uint64_t)1 << 56)
      return fail(c, MSG_SIZE_RANGE, word);
    out->size_only = true;
    out->active = out->params;
    if (plan != NULL && plan->has_model)
      return fail(c, MSG_TWO_MODELS, word, plan->model_name);
    return 0;
  }
  if (is_path(word, out)) {
    out->source = out->path;
    if (read_config(c, word, out) != 0)
      return EXIT_BAD_INPUT;
  } else if (find_name(c, word, out) != 0) {
    return EXIT_BAD_INPUT;
  }
  if (plan != NULL && plan->has_model && memcmp(&plan->model, &out->model, sizeof out->model) != 0)
    return fail(c, MSG_TWO_MODELS, word, plan->model_name);
  return count_params(c, out);
}
