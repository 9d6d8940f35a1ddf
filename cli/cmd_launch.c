/* dtcore launch: a plan as the commands and configuration files that run it. */
#include "cmd.h"
#include "file.h"
#include "json_out.h"
#include "launch_words.h"
#include "plan_arg.h"
#include "report.h"
#include "text.h"
#include "values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TARGETS = 32, MAX_PATH = 4096 };

typedef struct question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan;
  dtc_launch launch;
  char *script; /* it and its arguments, lines */
  const char *hosts;
  uint32_t targets[MAX_TARGETS];
  uint32_t unnamed[MAX_TARGETS]; /* usual ones that need the names of the nodes, which nobody told */
  size_t unnamed_count;
  dtc_memory memory;
  char *texts[MAX_TARGETS];
  size_t count;
  bool asked; /* --target */
} question;

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* "torchrun,megatron". */
static int targets_read(const cli *c, const args *a, question *q)
{
  const char *s = a->value[OPT_TARGET];
  q->asked = s != NULL;
  while (s != NULL) {
    size_t n = strcspn(s, ",");
    char word[64];
    char all[1024];
    uint32_t target = value_find(DTC_FIELD(launch, target), s, n);
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), s);
    value_list(c, DTC_FIELD(launch, target), all, sizeof all);
    if (target == 0 || q->count == MAX_TARGETS)
      return fail(c, MSG_UNKNOWN_VALUE, "target", word, all);
    q->targets[q->count++] = target;
    s = s[n] == ',' ? s + n + 1 : NULL;
  }
  return 0;
}

static int launch_options(const cli *c, const args *a, question *q)
{
  uint64_t fsdp = 0;
  const char *arguments = a->value[OPT_ARGUMENTS];
  const char *version = a->value[OPT_TRANSFORMERS];
  DTC_INIT(&q->launch);
  if (args_number(c, a, OPT_PORT, 1, 0, &q->launch.port) != 0 ||
      args_number(c, a, OPT_NODE, 1, 0, &q->launch.node) != 0 || args_number(c, a, OPT_FSDP, 1, 0, &fsdp) != 0)
    return EXIT_BAD_INPUT;
  q->launch.fsdp = (uint32_t)fsdp;
  q->launch.is_module = a->value[OPT_MODULE] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  if (arguments != NULL &&
      value_read(c, "arguments", DTC_FIELD(launch, arguments), arguments, &q->launch.arguments, NULL) != 0)
    return EXIT_BAD_INPUT;
  if (version != NULL && release_read(c, "transformers", version, &q->launch.tool_version) != 0)
    return EXIT_BAD_INPUT;
  q->hosts = a->value[OPT_LAUNCH_HOSTS] != NULL ? a->value[OPT_LAUNCH_HOSTS] : "";
  return targets_read(c, a, q);
}

/* --script and the words behind `--` as lines; a word of several lines cannot be one. */
static int script_read(const cli *c, const args *a, question *q)
{
  const char *script = a->value[OPT_SCRIPT];
  size_t len = script != NULL ? strlen(script) : 0;
  for (size_t i = 0; i < a->more_count; i++)
    len += strlen(a->more[i]) + 1;
  q->script = grow(NULL, len + 1);
  *q->script = 0;
  size_t at = 0;
  for (size_t i = 0; i <= a->more_count; i++) {
    const char *word = i == 0 ? script : a->more[i - 1];
    if (word == NULL)
      continue;
    if (strchr(word, '\n') != NULL)
      return fail(c, MSG_LAUNCH_LINES, word);
    if (i > 0 && (at > 0 || script != NULL))
      q->script[at++] = '\n';
    memcpy(q->script + at, word, strlen(word) + 1);
    at += strlen(word);
  }
  return 0;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* EXIT_NO: of the usual ones, it needs the names of the nodes. */
static int write_one(const cli *c, question *q, size_t i)
{
  size_t len = 0;
  dtc_error err;
  const dtc_cluster *cluster = q->cluster.given ? &q->cluster.cluster : NULL;
  size_t script_len = strlen(q->script), hosts_len = strlen(q->hosts);
  DTC_INIT(&err);
  q->launch.target = q->targets[i];
  if (dtc_launch_write(&q->model.model, cluster, &q->plan.plan, &q->launch, q->script, script_len, q->hosts, hosts_len,
                       NULL, 0, &len, &err) != DTC_OK) {
    if (!q->asked && err.rule == DTC_RULE_LAUNCH_NEEDS)
      return EXIT_NO;
    return fail_with(c, dtc_value_name(DTC_FIELD(launch, target), q->targets[i]), &err);
  }
  q->texts[i] = grow(NULL, len + 1);
  if (dtc_launch_write(&q->model.model, cluster, &q->plan.plan, &q->launch, q->script, script_len, q->hosts, hosts_len,
                       q->texts[i], len + 1, &len, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return EXIT_YES;
}

/* Does it all run on one node? */
static bool is_on_one_node(const question *q)
{
  dtc_plan p;
  DTC_INIT(&p);
  const dtc_cluster *cluster = q->cluster.given ? &q->cluster.cluster : NULL;
  if (dtc_plan_resolve(&q->model.model, cluster, &q->plan.plan, &p, NULL) != DTC_OK)
    return false;
  uint64_t node = q->launch.gpus_per_node != 0 ? q->launch.gpus_per_node : cluster != NULL ? cluster->gpus_per_node : 0;
  return p.tp * p.cp * p.pp * p.dp <= (node != 0 ? node : 8); /* as dtc_launch_write() takes it without a cluster */
}

/* What the plan usually needs. */
static int usual_targets(const cli *c, question *q)
{
  dtc_launch launch = q->launch;
  dtc_error err;
  DTC_INIT(&err);
  if (launch.nodes == 0 && is_on_one_node(q))
    launch.nodes = 1;
  if (dtc_launch_targets(&q->plan.plan, &launch, q->targets, MAX_TARGETS, &q->count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

static int ask(const cli *c, question *q)
{
  if (!q->asked && usual_targets(c, q) != 0)
    return EXIT_BAD_INPUT;
  for (size_t i = 0; i < q->count;) {
    int code = write_one(c, q, i);
    if (code == EXIT_BAD_INPUT)
      return code;
    if (code == EXIT_YES) {
      i++;
      continue;
    }
    q->unnamed[q->unnamed_count++] = q->targets[i];
    memmove(&q->targets[i], &q->targets[i + 1], (--q->count - i) * sizeof q->targets[0]);
  }
  return EXIT_YES;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static void print_text(const question *q)
{
  for (size_t i = 0; i < q->count; i++) {
    if (q->count > 1)
      printf("%s==> %s <==\n", i > 0 ? "\n" : "", dtc_launch_file(q->targets[i]));
    fputs(q->texts[i], stdout);
  }
}

static void print_json(const args *a, const question *q)
{
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  json_array(&j, "files");
  for (size_t i = 0; i < q->count; i++) {
    words argv = words_of_command(q->targets[i], q->texts[i]);
    json_object(&j, NULL);
    json_text(&j, "target", dtc_value_name(DTC_FIELD(launch, target), q->targets[i]));
    json_text(&j, "name", dtc_launch_file(q->targets[i]));
    json_text(&j, "text", q->texts[i]);
    if (argv.count != 0)
      json_array(&j, "argv");
    for (size_t k = 0; k < argv.count; k++)
      json_text(&j, NULL, argv.list[k]);
    if (argv.count != 0)
      json_end(&j);
    else
      json_null(&j, "argv");
    json_end(&j);
    words_free(&argv);
  }
  json_end(&j);
  if (q->memory.fits == DTC_BOOL_DEFAULT)
    json_null(&j, "fits");
  else
    json_bool(&j, "fits", q->memory.fits == DTC_BOOL_ON);
  json_array(&j, "needs_hosts");
  for (size_t i = 0; i < q->unnamed_count; i++)
    json_text(&j, NULL, dtc_launch_file(q->unnamed[i]));
  json_end(&j);
  json_end(&j);
}

/* All files or none: none of them is there. */
static int write_files(const cli *c, const question *q, const char *folder)
{
  char path[MAX_PATH];
  for (size_t i = 0; i < q->count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, dtc_launch_file(q->targets[i]));
    if (access(path, F_OK) == 0)
      return fail(c, MSG_CANNOT_WRITE, path, strerror(EEXIST));
  }
  for (size_t i = 0; i < q->count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, dtc_launch_file(q->targets[i]));
    FILE *f = fopen(path, "wx");
    if (f == NULL)
      return fail(c, MSG_CANNOT_WRITE, path, strerror(errno));
    fputs(q->texts[i], f);
    if (file_close(c, f, path) != 0)
      return EXIT_BAD_INPUT;
    if (!c->json)
      puts(path);
  }
  return 0;
}

/* Whether the plan fits, as far as the GPUs are known. */
static void add_fit(question *q)
{
  DTC_INIT(&q->memory);
  if (q->cluster.given)
    (void)!dtc_memory_estimate(&q->model.model, &q->cluster.cluster, &q->plan.plan, NULL, 0, &q->memory, NULL);
}

static int answer(const cli *c, const args *a, question *q)
{
  int code = ask(c, q);
  add_fit(q);
  if (code == EXIT_YES && a->value[OPT_WRITE] != NULL)
    code = write_files(c, q, a->value[OPT_WRITE]);
  if (code == EXIT_YES && c->json)
    print_json(a, q);
  else if (code == EXIT_YES && a->value[OPT_WRITE] == NULL)
    print_text(q);
  for (size_t i = 0; i < q->unnamed_count && code == EXIT_YES && !c->json; i++)
    print_line(c, MSG_LAUNCH_UNNAMED, dtc_launch_file(q->unnamed[i]));
  if (code == EXIT_YES && !c->json && !q->asked && q->memory.fits == DTC_BOOL_OFF)
    print_line(c, MSG_LAUNCH_TOO_LARGE, text_gib(q->memory.device).s, text_gib(q->memory.capacity).s);
  return code;
}

int cmd_launch(const cli *c, const args *a)
{
  static question q; /* holds a path: large */
  if (plan_arg_read(c, a, &q.plan) != 0 || model_arg_read(c, a, &q.plan, &q.model) != 0 ||
      cluster_arg_read(c, a, &q.cluster) != 0 || launch_options(c, a, &q) != 0 || script_read(c, a, &q) != 0)
    return EXIT_BAD_INPUT;
  if (q.model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, q.model.name);
  int code = answer(c, a, &q);
  for (size_t i = 0; i < q.count; i++)
    free(q.texts[i]);
  free(q.script);
  return code;
}
