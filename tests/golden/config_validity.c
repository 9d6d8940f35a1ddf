/* config_validity.csv: configurations that a framework takes or refuses, and the text of each as its users have it. A row is
 * invalid when there is a finding that is an error. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_SIZE = 1 << 14, FINDINGS = 64, WORD_SIZE = 256 };

typedef struct text {
  char bytes[TEXT_SIZE];
  size_t len;
} text;

static void add(text *t, const char *s, size_t n)
{
  if (n >= sizeof t->bytes - t->len)
    abort();
  memcpy(t->bytes + t->len, s, n);
  t->len += n;
  t->bytes[t->len] = 0;
}

static void adds(text *t, const char *s)
{
  add(t, s, strlen(s));
}

/* The value behind NAME= in a list whose parts end in `end`; "" when it is not there. */
static void part(const char *list, const char *name, char end, char value[WORD_SIZE])
{
  size_t n = strlen(name);
  value[0] = 0;
  for (const char *s = list; *s != 0; s += *s == end) {
    size_t len = 0;
    while (*s == ' ')
      s++;
    while (s[len] != 0 && s[len] != end)
      len++;
    if (len > n && strncmp(s, name, n) == 0 && s[n] == '=' && len - n - 1 < WORD_SIZE) {
      memcpy(value, s + n + 1, len - n - 1);
      value[len - n - 1] = 0;
    }
    s += len;
  }
}

static uint64_t part_number(const golden *g, const char *name)
{
  char value[WORD_SIZE];
  part(golden_cell(g, "context"), name, ';', value);
  return strtoull(value, NULL, 10);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* JSON as it stands. */
static void write_json(const golden *g, text *t, dtc_lint *lint)
{
  (void)lint;
  adds(t, golden_cell(g, "config"));
}

/* The words of the command line in quotes, behind the environment. */
static void write_command(const golden *g, text *t, dtc_lint *lint)
{
  char connections[WORD_SIZE];
  part(golden_cell(g, "context"), "CUDA_DEVICE_MAX_CONNECTIONS", ';', connections);
  lint->compute = (uint32_t)(part_number(g, "arch") * 10);
  if (connections[0] != 0 && strcmp(connections, "None") != 0) {
    adds(t, "export CUDA_DEVICE_MAX_CONNECTIONS=");
    adds(t, connections);
    adds(t, "\n");
  }
  for (const char *s = golden_cell(g, "config"); *s != 0; s += *s == ' ') {
    size_t n = strcspn(s, " ");
    adds(t, " '");
    add(t, s, n);
    adds(t, "'");
    s += n;
  }
}

/* A hostfile, and the launcher's choice of hosts behind it. */
static void write_hostfile(const golden *g, text *t, dtc_lint *lint)
{
  static const char choices[2][8] = {"include", "exclude"};
  (void)lint;
  for (const char *s = golden_cell(g, "config"); *s != 0; s++) {
    int end = s[0] == '\\' && s[1] == 'n';
    add(t, end ? "\n" : s, 1);
    s += end;
  }
  for (size_t i = 0; i < 2; i++) {
    char hosts[WORD_SIZE];
    part(golden_cell(g, "context"), choices[i], ';', hosts);
    if (hosts[0] == 0)
      continue;
    adds(t, "\n--");
    adds(t, choices[i]);
    adds(t, "=");
    adds(t, hosts);
  }
}

/* A value of Python as JSON: True, None, numbers, lists of these, words with or without quotes. */
static void add_value(text *t, const char *s, size_t n)
{
  int bare = n > 0 && ((s[0] >= 'a' && s[0] <= 'z') || (s[0] >= 'A' && s[0] <= 'Z') || s[0] == '_');
  if (n == 4 && memcmp(s, "True", 4) == 0) {
    adds(t, "true");
  } else if (n == 5 && memcmp(s, "False", 5) == 0) {
    adds(t, "false");
  } else if (n == 4 && memcmp(s, "None", 4) == 0) {
    adds(t, "null");
  } else {
    adds(t, bare ? "\"" : "");
    for (size_t i = 0; i < n; i++)
      add(t, s[i] == '\'' ? "\"" : &s[i], 1);
    adds(t, bare ? "\"" : "");
  }
}

/* name=value, name=value: as members of an object, by other names where `names` (pairs, NULL at the end) has them. */
static void add_members(text *t, const char *s, const char *const *names)
{
  for (int more = 0; *s != 0; more = 1) {
    size_t name = strcspn(s, "="), value = 0;
    const char *known = NULL;
    for (size_t i = 0; names != NULL && names[i] != NULL; i += 2)
      if (strlen(names[i]) == name && memcmp(names[i], s, name) == 0)
        known = names[i + 1];
    adds(t, more ? ", \"" : "\"");
    add(t, known != NULL ? known : s, known != NULL ? strlen(known) : name);
    adds(t, "\": ");
    s += name + (s[name] == '=');
    for (int depth = 0; s[value] != 0 && (s[value] != ',' || depth > 0); value++)
      depth += (s[value] == '[') - (s[value] == ']');
    add_value(t, s, value);
    s += value;
    s += strspn(s, ", ");
  }
}

/* Arguments of ParallelDims, or fields of a configuration class as a dictionary of Python. */
static void write_torchtitan(const golden *g, text *t, dtc_lint *lint)
{
  static const char *const degrees[] = {"dp_replicate",
                                        "data_parallel_replicate_degree",
                                        "dp_shard",
                                        "data_parallel_shard_degree",
                                        "cp",
                                        "context_parallel_degree",
                                        "tp",
                                        "tensor_parallel_degree",
                                        "pp",
                                        "pipeline_parallel_degree",
                                        "ep",
                                        "expert_parallel_degree",
                                        NULL};
  const char *config = golden_cell(g, "config"), *rule = golden_cell(g, "rule");
  if (config[0] != '{') {
    char world[WORD_SIZE];
    part(config, "world_size", ',', world);
    lint->world = world[0] != 0 ? strtoull(world, NULL, 10) : 8;
    if (world[0] != 0)
      config += strcspn(config, ",") + 2;
    /* ParallelDims looks at nothing else: the rest of the configuration suits any degrees. */
    adds(t, "{\"training\": {\"disable_cuda_graphs\": true, \"num_tokens_per_microbatch_per_dp_rank\": 10321920}, ");
    adds(t, "\"parallelism\": {");
    add_members(t, config, degrees);
    adds(t, "}}");
    return;
  }
  lint->compute = strstr(rule, "sm80") != NULL ? 80 : 0;
  adds(t, strncmp(rule, "Training", 8) == 0  ? "{\"training\": "
          : strncmp(rule, "Compile", 7) == 0 ? "{\"compile\": "
                                             : "{\"parallelism\": ");
  for (size_t n = 0; *config != 0; config += n) {
    n = strspn(config, "{}[],: ");
    add(t, config, n);
    config += n;
    n = strcspn(config, "{}[],: ");
    add_value(t, config, n);
  }
  adds(t, "}");
}

/* Arguments of a plugin, which the rule begins with; the world stands among them where the context has none. */
static void write_colossalai(const golden *g, text *t, dtc_lint *lint)
{
  const char *config = golden_cell(g, "config"), *rule = golden_cell(g, "rule");
  if (strncmp(config, "world=", 6) == 0) {
    lint->world = strtoull(config + 6, NULL, 10);
    config += strcspn(config, ",");
    config += strspn(config, ", ");
  }
  adds(t, "{\"plugin\": \"");
  add(t, rule, strcspn(rule, " "));
  adds(t, "\", ");
  add_members(t, config, NULL);
  adds(t, "}");
}

/* Tensor parallelism of colossalai.legacy, whose mode the rule begins with: "2.5D TP". */
static void write_legacy(const golden *g, text *t, dtc_lint *lint)
{
  static const char *const names[] = {"tensor_parallel_size", "size", NULL};
  const char *rule = golden_cell(g, "rule");
  (void)lint;
  adds(t, "{\"parallel\": {\"tensor\": {\"mode\": \"");
  add(t, rule, strcspn(rule, "D "));
  adds(t, "d\", ");
  add_members(t, golden_cell(g, "config"), names);
  adds(t, "}}}");
}

/* Arguments of accelerate's FSDP plugin, as a file's fsdp_config. */
static void write_fsdp(const golden *g, text *t, dtc_lint *lint)
{
  (void)lint;
  adds(t, "{\"distributed_type\": \"FSDP\", \"num_processes\": 8, \"fsdp_config\": {");
  add_members(t, golden_cell(g, "config"), NULL);
  adds(t, "}}");
}

static void write_line(const golden *g, text *t, dtc_lint *lint)
{
  (void)lint;
  adds(t, golden_cell(g, "config"));
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A framework's dialect, the version that the rows are of, and how its text is written. */
static const struct framework {
  char name[24];
  dtc_dialect dialect;
  dtc_release version;
  void (*write)(const golden *g, text *t, dtc_lint *lint);
} frameworks[] = {
    {"megatron-lm", DTC_DIALECT_MEGATRON, 0, write_command},
    {"deepspeed", DTC_DIALECT_DEEPSPEED, 19006, write_json},
    {"deepspeed-launcher", DTC_DIALECT_HOSTFILE, 19006, write_hostfile},
    {"torchtitan", DTC_DIALECT_TORCHTITAN, DTC_MAIN, write_torchtitan},
    {"colossalai", DTC_DIALECT_COLOSSALAI, 0, write_colossalai},
    {"colossalai-legacy", DTC_DIALECT_COLOSSALAI, 0, write_legacy},
    {"accelerate-fsdp", DTC_DIALECT_ACCELERATE, 0, write_fsdp},
    {"torchrun", DTC_DIALECT_TORCHRUN, 0, write_line},
};

static const struct framework *framework_of(const golden *g)
{
  for (size_t i = 0; i < sizeof frameworks / sizeof frameworks[0]; i++)
    if (golden_is(g, "framework", frameworks[i].name))
      return &frameworks[i];
  return NULL;
}

static int is_invalid(const dtc_error *findings, size_t count)
{
  int invalid = 0;
  for (size_t i = 0; i < count; i++)
    invalid = invalid || findings[i].severity == DTC_SEVERITY_ERROR;
  return invalid;
}

static void answer(golden *g, const dtc_lint *lint, const text *t)
{
  static dtc_error findings[FINDINGS];
  dtc_error err;
  dtc_model model;
  dtc_plan plan;
  uint64_t needed = 0;
  size_t count = 0;
  DTC_INIT(&err);
  DTC_INIT(&findings[0]);
  DTC_INIT(&model);
  DTC_INIT(&plan);
  dtc_status status = dtc_framework_lint_scratch(lint, &needed, &err);
  if (status == DTC_E_UNSUPPORTED) { /* no such dialect yet: nothing is judged */
    golden_text(g, "result", golden_cell(g, "result"));
    return;
  }
  if (!golden_ok(g, status, &err))
    return;
  uint64_t *scratch = calloc(needed, sizeof *scratch);
  if (scratch == NULL)
    abort();
  status = dtc_framework_lint(lint, t->bytes, t->len, &model, &plan, findings, FINDINGS, &count, scratch, needed, &err);
  free(scratch);
  if (status == DTC_E_PARSE) {
    golden_text(g, "result", "invalid");
  } else if (golden_ok(g, status, &err)) {
    static char line[256];
    strcpy(line, "no error");
    for (size_t i = 0; i < count; i++)
      if (findings[i].severity == DTC_SEVERITY_ERROR)
        (void)dtc_error_format(&findings[i], DTC_LANG_EN, line, sizeof line);
    golden_way(g, line);
    golden_text(g, "result", is_invalid(findings, count) ? "invalid" : "valid");
  }
}

void golden_config_validity(golden *g)
{
  const struct framework *f = framework_of(g);
  text t = {.len = 0};
  dtc_lint lint;
  DTC_INIT(&lint);
  if (f == NULL) {
    golden_refused(g, "no dialect for this framework");
    return;
  }
  lint.dialect = f->dialect;
  lint.version = f->version;
  lint.world = part_number(g, "world");
  f->write(g, &t, &lint);
  answer(g, &lint, &t);
}
