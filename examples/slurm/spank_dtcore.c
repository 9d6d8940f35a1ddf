/* SPANK plugin: --dt-plan and --dt-model of sbatch, srun and salloc; plans are refused before the queue, and each task
 * learns its ranks. Links the library statically. Settings: words behind its name in plugstack.conf, see dtcore.conf. */
#include <stdint.h>
#include <sys/types.h>

/* Slurm finds its callbacks by name. */
#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/spank.h>
SPANK_PLUGIN(dtcore, 1)
#pragma GCC visibility pop

#include <dtcore.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN = 1, MODEL = 2 };
enum { TEXT = 2048, NAME = 128, LINE = 512, WORD = 48 };

/* What a job says, from its options or its environment. Callbacks may run twice: they set, and never add. */
static char plan_text[TEXT];
static char model_name[NAME];

/* What the site says. */
static char cluster_name[NAME];
static int only_warns;

typedef struct job {
  dtc_plan plan;
  dtc_model model; /* layers 0: not said */
} job;

/* ---- judging ----------------------------------------------------------------------------------------------------- */

/* The line of an error, with the word of the plan that it is about. */
static int say_error(const dtc_error *err, const char *text, char *line, size_t cap)
{
  size_t n = (size_t)snprintf(line, cap, "dtcore: ");
  n += dtc_error_format(err, DTC_LANG_EN, line + n, cap - n);
  if (text != NULL && err->offset < strlen(text) && n < cap) {
    const char *word = text + err->offset;
    snprintf(line + n, cap - n, ": '%.*s'", (int)(strcspn(word, " ;\r\n\t") < WORD ? strcspn(word, " ;\r\n\t") : WORD),
             word);
  }
  return -1;
}

/* Reads plan and model; -1 and a line when they are none. */
static int read_job(const char *text, const char *model, job *out, char *line, size_t cap)
{
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&out->plan);
  DTC_INIT(&out->model);
  if (dtc_plan_parse(text, strlen(text), &out->model, &out->plan, &err) != DTC_OK)
    return say_error(&err, text, line, cap);
  if (*model != 0 && dtc_model_find(model, &out->model, &err) != DTC_OK) {
    snprintf(line, cap, "dtcore: unknown model '%.64s'", model);
    return -1;
  }
  return 0;
}

/* Whether the plan is legal, and fits where the site says what GPUs there are. How many the job gets is not known here: of a
 * plan that leaves dp open memory says nothing yet. */
static int judge(const char *text, const char *model, char *line, size_t cap)
{
  job j;
  dtc_error err;
  dtc_cluster cluster;
  dtc_memory memory;
  DTC_INIT(&err);
  DTC_INIT(&cluster);
  DTC_INIT(&memory);
  if (read_job(text, model, &j, line, cap) != 0)
    return -1;
  if (j.model.layers == 0)
    return 0; /* without a model there is nothing to hold the degrees against */
  const dtc_cluster *on =
      *cluster_name != 0 && dtc_cluster_find(cluster_name, &cluster, &err) == DTC_OK ? &cluster : NULL;
  const int open = j.plan.dp == 0;
  if (dtc_plan_resolve(&j.model, on, &j.plan, &j.plan, &err) != DTC_OK)
    return say_error(&err, NULL, line, cap);
  if (!open && dtc_memory_estimate(&j.model, on, &j.plan, NULL, 0, &memory, NULL) == DTC_OK &&
      memory.fits == DTC_BOOL_OFF) {
    snprintf(line, cap,
             "dtcore: does not fit: %.2f GiB needed, %.2f GiB usable on a GPU of %s (pipeline stage %" PRIu64 ")",
             (double)memory.device / 1073741824.0, (double)memory.capacity / 1073741824.0, cluster_name, memory.stage);
    return -1;
  }
  return 0;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int take(char *to, size_t cap, const char *value)
{
  if (value == NULL || strlen(value) >= cap)
    return -1;
  memcpy(to, value, strlen(value) + 1);
  return 0;
}

static int take_option(int option, const char *value, int remote)
{
  (void)remote;
  return option == PLAN ? take(plan_text, sizeof plan_text, value) : take(model_name, sizeof model_name, value);
}

static struct spank_option options[] = {
    {"dt-plan", "PLAN", "how training is split: 'tp=8 pp=4 dp=16 sp' (dtcore)", 1, PLAN, take_option},
    {"dt-model", "MODEL", "what is trained: a name that `dtcore models` lists (dtcore)", 1, MODEL, take_option},
};

static void read_site(int count, char **words)
{
  for (int i = 0; i < count; i++) {
    if (strncmp(words[i], "cluster=", 8) == 0)
      (void)take(cluster_name, sizeof cluster_name, words[i] + 8);
    else if (strcmp(words[i], "warn") == 0)
      only_warns = 1;
    else
      slurm_error("dtcore: plugstack.conf: unknown word %s; known: cluster=NAME, warn", words[i]);
  }
}

int slurm_spank_init(spank_t sp, int ac, char **av)
{
  spank_context_t where = spank_context();
  if (where != S_CTX_LOCAL && where != S_CTX_ALLOCATOR && where != S_CTX_REMOTE)
    return 0;
  read_site(ac, av);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (spank_option_register(sp, &options[i]) != ESPANK_SUCCESS)
      slurm_error("dtcore: option --%s could not be added", options[i].name);
  }
  return 0;
}

/* Slurm takes a refusal seriously only from a `required` plugin. This one is optional, so that no damage to it stops the
 * site's jobs, and ends the user's program itself. */
int slurm_spank_init_post_opt(spank_t sp, int ac, char **av)
{
  char line[LINE];
  spank_context_t where = spank_context();
  const char *plan = *plan_text != 0 ? plan_text : getenv("DTCORE_PLAN");
  const char *model = *model_name != 0 ? model_name : getenv("DTCORE_MODEL");
  (void)sp;
  (void)ac;
  (void)av;
  if ((where != S_CTX_LOCAL && where != S_CTX_ALLOCATOR) || plan == NULL)
    return 0;
  if (where == S_CTX_LOCAL && getenv("SLURM_JOB_ID") != NULL)
    return 0; /* a step of a job that was judged */
  if (judge(plan, model == NULL ? "" : model, line, sizeof line) == 0)
    return 0;
  for (char *c = line; *c != 0; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      *c = '?'; /* one line, whatever the plan holds */
  }
  slurm_spank_log("%s", line);
  if (only_warns)
    return 0;
  exit(EXIT_FAILURE);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static void set(spank_t sp, const char *name, uint64_t value)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, value);
  (void)spank_setenv(sp, name, text, 1); /* what the user's shell had is of another job */
}

/* The first host of a list: "n[02-04,7],m1" is n02. */
static void first_host(const char *list, char *out, size_t cap)
{
  size_t n = 0;
  int inside = 0; /* 1 in brackets, 2 behind the first number there */
  for (; *list != 0 && n + 1 < cap; list++) {
    if (*list == '[')
      inside = 1;
    else if (*list == ']')
      inside = 0;
    else if (inside != 0 && (*list == '-' || *list == ','))
      inside = 2;
    else if (*list == ',')
      break;
    else if (inside != 2)
      out[n++] = *list;
  }
  out[n] = 0;
}

/* The first node of a SLURM_HOSTFILE; opened as the user. */
static void first_line(const char *path, char *out, size_t cap)
{
  char line[1024] = "";
  FILE *f = fopen(path, "r");
  *out = 0;
  while (f != NULL && fgets(line, sizeof line, f) != NULL && *out == 0) {
    line[strcspn(line, "#* \t\r\n")] = 0;
    first_host(line, out, cap);
  }
  if (f != NULL)
    fclose(f);
}

/* Where rank 0 runs: by arbitrary distribution the first line of SLURM_HOSTFILE, else the step's first node. From 26.05 on
 * Slurm may number tasks in the order of the topology, and then only an explicit distribution tells. */
static int host_of_rank_zero(spank_t sp, char *out, size_t cap)
{
  char list[8192];
  char how[64] = "";
  (void)spank_getenv(sp, "SLURM_DISTRIBUTION", how, sizeof how);
  if (strncmp(how, "arbitrary", 9) == 0) {
    if (spank_getenv(sp, "SLURM_HOSTFILE", list, sizeof list) != ESPANK_SUCCESS)
      return 0;
    first_line(list, out, cap);
    return *out != 0;
  }
  if (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0) && strncmp(how, "cyclic", 6) != 0 &&
      strncmp(how, "plane", 5) != 0)
    return 0;
  spank_err_t got = spank_getenv(sp, "SLURM_STEP_NODELIST", list, sizeof list);
  if (got != ESPANK_SUCCESS && got != ESPANK_NOSPACE) /* of a list that is cut the first host is there */
    return 0;
  first_host(list, out, cap);
  return *out != 0;
}

/* What the user gave stays. The port follows from job and step, below those that systems hand out. */
static void set_master(spank_t sp)
{
  char host[256];
  char port[16];
  uint32_t id = 0;
  uint32_t step = 0;
  if (host_of_rank_zero(sp, host, sizeof host))
    (void)spank_setenv(sp, "MASTER_ADDR", host, 0);
  if (spank_get_item(sp, S_JOB_ID, &id) != ESPANK_SUCCESS || spank_get_item(sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS)
    return;
  snprintf(port, sizeof port, "%" PRIu64, 12000 + ((uint64_t)id * 7 + step) % 20000);
  (void)spank_setenv(sp, "MASTER_PORT", port, 0);
}

/* The place of a rank among those that differ from it in the named axes alone. */
static uint64_t place(const dtc_axis *axes, size_t n, uint32_t names, uint64_t rank)
{
  dtc_group_kind kind = {0};
  dtc_group group;
  for (size_t i = 0; i < n; i++) {
    if (axes[i].name < 32 && (names >> axes[i].name & 1) != 0)
      kind.axes |= 1u << i;
  }
  return kind.axes != 0 && dtc_mesh_group_of(axes, n, 0, &kind, rank, &group, NULL) == DTC_OK ? group.place : 0;
}

#define IN(name) (1u << DTC_AXIS_NAME_##name)

static const struct {
  const char *variable;
  dtc_mesh_part part;
  uint32_t axes;
} ranks[] = {
    {"TP_RANK", DTC_MESH_PART_DENSE, IN(TP) | IN(TP_I) | IN(TP_J) | IN(TP_K)},
    {"CP_RANK", DTC_MESH_PART_DENSE, IN(CP)},
    {"DP_RANK", DTC_MESH_PART_DENSE, IN(DP) | IN(DP_SHARD) | IN(DP_REPLICATE) | IN(EP) | IN(EDP)},
    {"PP_RANK", DTC_MESH_PART_DENSE, IN(PP)},
    {"EP_RANK", DTC_MESH_PART_EXPERTS, IN(EP)},
};

static void set_coordinates(spank_t sp, const dtc_layout *layout, uint64_t rank)
{
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    dtc_axis axes[DTC_MESH_AXES];
    size_t n = 0;
    if (dtc_layout_mesh(layout, ranks[i].part, axes, DTC_MESH_AXES, &n, NULL) == DTC_OK)
      set(sp, ranks[i].variable, place(axes, n, ranks[i].axes, rank));
  }
}

/* The layout of the plan when the step has a task for each rank; dp is what the others leave. */
static int layout_of(job *j, uint64_t tasks, dtc_layout *out)
{
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(out);
  const uint64_t degrees[] = {j->plan.tp, j->plan.cp, j->plan.pp};
  uint64_t dp = tasks;
  for (size_t i = 0; i < 3; i++) {
    const uint64_t degree = degrees[i] == 0 ? 1 : degrees[i];
    if (dp % degree != 0)
      return 0;
    dp /= degree;
  }
  if (j->model.layers == 0 || dp == 0 || (j->plan.dp != 0 && j->plan.dp != dp))
    return 0;
  j->plan.dp = dp;
  return dtc_layout_from_plan(&j->model, NULL, &j->plan, out, &err) == DTC_OK && out->world == tasks;
}

static const char *said(spank_t sp, char *option, const char *variable, size_t cap)
{
  if (*option == 0 && spank_getenv(sp, variable, option, (int)cap) != ESPANK_SUCCESS)
    *option = 0;
  return option;
}

/* Runs in each task, as the user, before the program starts. */
int slurm_spank_task_init(spank_t sp, int ac, char **av)
{
  char line[LINE];
  job j;
  dtc_layout layout;
  uint32_t tasks = 0;
  uint32_t rank = 0;
  int local = 0;
  (void)ac;
  (void)av;
  const char *plan = said(sp, plan_text, "DTCORE_PLAN", sizeof plan_text);
  const char *model = said(sp, model_name, "DTCORE_MODEL", sizeof model_name);
  uint32_t step = 0;
  if (*plan == 0 || read_job(plan, model, &j, line, sizeof line) != 0 ||
      spank_get_item(sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step >= SLURM_INTERACTIVE_STEP ||
      spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS ||
      spank_get_item(sp, S_TASK_GLOBAL_ID, &rank) != ESPANK_SUCCESS ||
      spank_get_item(sp, S_TASK_ID, &local) != ESPANK_SUCCESS || local < 0)
    return 0;
  set_master(sp);
  if (!layout_of(&j, tasks, &layout))
    return 0; /* a launcher on each node, or a step that is no training */
  set(sp, "RANK", rank);
  set(sp, "LOCAL_RANK", (uint64_t)local);
  set(sp, "WORLD_SIZE", tasks);
  set_coordinates(sp, &layout, rank);
  return 0;
}
