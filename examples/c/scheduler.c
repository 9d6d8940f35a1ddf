/* Admits a queue of plans to a cluster and places them.  cc scheduler.c $(pkg-config --cflags --libs dtcore) -o scheduler
 * ./scheduler dgx-h100 16 4 queue.txt: machine type, nodes, nodes under each leaf switch, queue; no file: standard input.
 *
 * A line of the queue is `NAME [tokens=N] dtcore: PLAN`; tokens to train on, 10^9 when not given. Jobs start in the order
 * of the queue; the first that does not find its nodes free gets them as soon as enough jobs have ended, and later ones
 * may start before it when that does not delay it (EASY backfill). Exit code: 0 answered, 2 could not run. */
#include <dtcore.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, NAME = 32, JOBS = 4096, NODES = 4096 };

typedef struct job {
  char name[NAME];
  enum { WAITS, RUNS, REFUSED } state;
  double tokens;
  double seconds;               /* that its run is expected to take; all that start do so at 0 */
  uint64_t gpus;                /* ranks */
  uint64_t nodes;               /* whole nodes that they take */
  uint64_t block;               /* nodes whose borders cut no group of data parallelism */
  dtc_axis axes[DTC_MESH_AXES]; /* who is in which group */
  size_t n_axes;
} job;

typedef struct site {
  dtc_cluster cluster; /* without a number of nodes, over all of which a plan would else spread */
  uint64_t nodes;
  uint64_t leaf;     /* nodes under a leaf switch; the last may have fewer */
  uint64_t idle;     /* free nodes */
  const job **owner; /* by node; NULL: free */
  uint64_t *place;   /* working space: nodes of a job in the order of its ranks */
  job *jobs;
  size_t n;
} site;

/* Axes of ranks that share data, as a mask of dtc_axis_name; frameworks call them differently. */
static const uint32_t tensor = 1u << DTC_AXIS_NAME_TP;
static const uint32_t data = 1u << DTC_AXIS_NAME_DP | 1u << DTC_AXIS_NAME_DP_SHARD | 1u << DTC_AXIS_NAME_DP_REPLICATE;
static const uint32_t pipeline = 1u << DTC_AXIS_NAME_PP;

static const double gib = 1 << 30;
static const double hour = 3600;

static void refuse(job *j, const char *why)
{
  printf("%s: refused: %s\n", j->name, why);
  j->state = REFUSED;
}

/* Whether a call went well; if not, the job is refused with what the library says. */
static int went(dtc_status status, job *j, const dtc_error *err)
{
  char text[512];
  if (status == DTC_OK)
    return 1;
  dtc_error_format(err, DTC_LANG_EN, text, sizeof text);
  refuse(j, text);
  return 0;
}

/* All findings about the plan, with the nearest legal values; an error refuses the job. */
static void check(const site *s, const dtc_model *model, const dtc_plan *plan, job *j)
{
  dtc_error findings[64] = {{.struct_size = sizeof findings[0]}};
  dtc_error err = {.struct_size = sizeof err};
  size_t count;
  if (!went(dtc_plan_check(model, &s->cluster, plan, findings, 64, &count, &err), j, &err))
    return;
  for (size_t i = 0; i < count; i++) {
    char text[512];
    dtc_error_format(&findings[i], DTC_LANG_EN, text, sizeof text);
    if (findings[i].severity == DTC_SEVERITY_ERROR)
      refuse(j, text);
    else
      printf("%s: warning: %s\n", j->name, text);
  }
}

/* Groups of ranks that differ in the axes of these names alone. */
static dtc_group_kind kind_of(const job *j, uint32_t names)
{
  dtc_group_kind kind = {0};
  for (size_t i = 0; i < j->n_axes; i++)
    if (j->axes[i].size > 1 && names >> j->axes[i].name & 1)
      kind.axes |= 1u << i;
  return kind;
}

/* Ranks, their mesh, and how their groups lie on nodes. */
static void lay_out(const site *s, const dtc_model *model, const dtc_plan *plan, job *j)
{
  const uint64_t domain = s->cluster.gpus_per_node;
  dtc_layout layout = {.struct_size = sizeof layout};
  dtc_placement tp = {.struct_size = sizeof tp};
  dtc_placement dp = {.struct_size = sizeof dp};
  dtc_error err = {.struct_size = sizeof err};
  if (!went(dtc_layout_from_plan(model, &s->cluster, plan, &layout, &err), j, &err) ||
      !went(dtc_layout_mesh(&layout, DTC_MESH_PART_DENSE, j->axes, DTC_MESH_AXES, &j->n_axes, &err), j, &err))
    return;
  const dtc_group_kind tensors = kind_of(j, tensor);
  const dtc_group_kind copies = kind_of(j, data);
  if (!went(dtc_mesh_placement(j->axes, j->n_axes, 0, &tensors, domain, &tp, &err), j, &err) ||
      !went(dtc_mesh_placement(j->axes, j->n_axes, 0, &copies, domain, &dp, &err), j, &err))
    return;
  j->gpus = layout.world;
  j->nodes = (j->gpus - 1) / domain + 1;
  j->block = dp.segment != 0 && j->nodes % dp.segment == 0 ? dp.segment : j->nodes;
  if (tp.spread != DTC_SPREAD_INSIDE)
    refuse(j, "groups of tensor parallelism do not lie inside nodes");
  else if (j->nodes > s->nodes)
    refuse(j, "it takes more nodes than the cluster has");
}

/* Memory of a GPU, time of a step, time of the run. */
static void estimate(const site *s, const dtc_model *model, const dtc_plan *plan, job *j)
{
  dtc_memory memory = {.struct_size = sizeof memory};
  dtc_step step = {.struct_size = sizeof step};
  dtc_run_call call = {.struct_size = sizeof call, .tokens = j->tokens, .gpus = j->gpus};
  dtc_run run = {.struct_size = sizeof run};
  dtc_plan full = {.struct_size = sizeof full};
  dtc_error err = {.struct_size = sizeof err};
  if (!went(dtc_memory_estimate(model, &s->cluster, plan, NULL, 0, &memory, &err), j, &err))
    return;
  printf("%s: GPUs %" PRIu64 ", nodes %" PRIu64 ", memory of a GPU %.2f of %.2f GiB\n", j->name, j->gpus, j->nodes,
         (double)memory.device / gib, (double)memory.capacity / gib);
  if (memory.fits != DTC_BOOL_ON) {
    printf("%s: refused: %.2f GiB too many, most of it %s\n", j->name, (double)(memory.device - memory.capacity) / gib,
           dtc_value_name(DTC_FIELD(memory, largest), memory.largest));
    j->state = REFUSED;
    return;
  }
  if (!went(dtc_plan_resolve(model, &s->cluster, plan, &full, &err), j, &err) ||
      !went(dtc_step_estimate(model, &s->cluster, plan, NULL, 0, NULL, &step, &err), j, &err))
    return;
  call.step_seconds = step.seconds;
  call.step_tokens = (double)full.global_batch * (double)full.seq;
  if (!went(dtc_run_estimate(&s->cluster, &call, &run, &err), j, &err))
    return;
  j->seconds = run.seconds;
}

/* What stands before the plan: a name and, when given, tokens. The name is printed, so only plain ones are taken. */
static const char *head(const site *s, const char *line, const char *plan, job *j)
{
  const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  const size_t n = strspn(line, allowed);
  if (n == 0 || n >= NAME || (line[n] != ' ' && line[n] != '\t'))
    return "a line starts with a name of 1 to 31 letters, digits, '.', '_' or '-'";
  memcpy(j->name, line, n);
  j->name[n] = '\0';
  for (size_t i = 0; i < s->n; i++)
    if (strcmp(s->jobs[i].name, j->name) == 0)
      return "an earlier job has this name";
  if (!plan)
    return "no plan: a line is NAME [tokens=N] dtcore: PLAN";
  const char *at = line + n + strspn(line + n, " \t");
  if (strncmp(at, "tokens=", 7) == 0) {
    char *end;
    j->tokens = strtod(at + 7, &end);
    if (end == at + 7 || !(j->tokens >= 1 && j->tokens <= 1e18))
      return "tokens= is a number from 1 to 1e18";
    at = end + strspn(end, " \t");
  }
  return at == plan ? NULL : "between name and plan stands tokens=N or nothing";
}

static void judge(const site *s, const char *line, size_t len, job *j)
{
  dtc_model model = {.struct_size = sizeof model};
  dtc_plan plan = {.struct_size = sizeof plan};
  dtc_error err = {.struct_size = sizeof err};
  const char *text = strstr(line, "dtcore:");
  const char *wrong = head(s, line, text, j);
  if (len >= LINE || memchr(line, '\0', len))
    wrong = "a line is text of less than 4096 bytes";
  if (wrong)
    refuse(j, wrong);
  else if (went(dtc_plan_parse(text, strlen(text), &model, &plan, &err), j, &err) && model.layers == 0)
    refuse(j, "the plan names no model: model=llama-3-70b"); /* model is untouched then */
  if (j->state != REFUSED)
    check(s, &model, &plan, j);
  if (j->state != REFUSED)
    lay_out(s, &model, &plan, j);
  if (j->state != REFUSED)
    estimate(s, &model, &plan, j);
}

/* A line without its end. *len is that of the whole line, of which buf holds what fits. 0 at the end of the file. */
static int read_line(FILE *in, char *buf, size_t *len)
{
  int c;
  for (*len = 0; (c = getc(in)) != EOF && c != '\n'; ++*len)
    if (*len < LINE - 1)
      buf[*len] = (char)c;
  buf[*len < LINE ? *len : LINE - 1] = '\0';
  return c != EOF || *len > 0;
}

static const char *read_queue(site *s, FILE *in)
{
  char line[LINE];
  size_t len;
  for (size_t number = 1; read_line(in, line, &len); number++) {
    if (line[0] == '#' || len == 0)
      continue;
    if (s->n == JOBS)
      return "the queue has more than 4096 jobs";
    job *j = &s->jobs[s->n];
    snprintf(j->name, sizeof j->name, "line %zu", number);
    j->tokens = 1e9;
    judge(s, line, len, j);
    s->n++;
  }
  return ferror(in) ? "the queue cannot be read to its end" : NULL;
}

/* First node of the leaf to take from, and how many: the fullest leaf that has all that are missing, else the emptiest. */
static uint64_t choose_leaf(const site *s, uint64_t missing, uint64_t block, uint64_t *number)
{
  uint64_t best = 0;
  uint64_t most = 0;
  for (uint64_t first = 0, end; first < s->nodes; first = end) {
    uint64_t idle = 0;
    end = s->nodes - first < s->leaf ? s->nodes : first + s->leaf;
    for (uint64_t node = first; node < end; node++)
      idle += !s->owner[node];
    if (idle >= block && (most >= missing ? idle >= missing && idle < most : idle > most)) {
      best = first;
      most = idle;
    }
  }
  *number = most < missing ? most / block * block : missing;
  return best;
}

/* Takes a job's nodes in whole blocks under few leaves; takes none and gives 0 when the leaves do not have them so. */
static int take(site *s, const job *j, uint64_t block)
{
  for (uint64_t taken = 0, number; taken < j->nodes; taken += number) {
    uint64_t node = choose_leaf(s, j->nodes - taken, block, &number);
    if (number == 0) {
      for (node = 0; node < s->nodes; node++)
        s->owner[node] = s->owner[node] == j ? NULL : s->owner[node];
      return 0;
    }
    for (uint64_t left = number; left > 0; node++)
      if (!s->owner[node]) {
        s->owner[node] = j;
        left--;
      }
  }
  return 1;
}

/* Leaves that a group touches at most. A job has the nodes of a leaf in a row, and the ranks of a group ascend. */
static uint64_t leaves_of(const site *s, const job *j, uint32_t names)
{
  const dtc_group_kind kind = kind_of(j, names);
  dtc_group group;
  uint64_t most = 0;
  uint64_t rank;
  if (dtc_mesh_group_of(j->axes, j->n_axes, 0, &kind, 0, &group, NULL) != DTC_OK)
    return 0;
  for (uint64_t g = 0; g < group.count; g++) {
    uint64_t leaves = 0;
    uint64_t last = UINT64_MAX;
    for (uint64_t i = 0; i < group.size; i++) {
      if (dtc_mesh_member(j->axes, j->n_axes, 0, &kind, g, i, &rank, NULL) != DTC_OK)
        return 0;
      const uint64_t leaf = s->place[rank / s->cluster.gpus_per_node] / s->leaf;
      leaves += leaf != last;
      last = leaf;
    }
    most = leaves > most ? leaves : most;
  }
  return most;
}

static void start(site *s, job *j, const char *how)
{
  if (!take(s, j, j->block) && !take(s, j, 1)) /* one by one there are always enough */
    return;
  j->state = RUNS;
  s->idle -= j->nodes;
  printf("%s: runs%s on nodes", j->name, how);
  for (uint64_t node = 0, n = 0, first = 0; node < s->nodes; node++) {
    if (s->owner[node] != j)
      continue;
    s->place[n++] = node;
    if (node == 0 || s->owner[node - 1] != j)
      first = node;
    if (node + 1 == s->nodes || s->owner[node + 1] != j)
      printf(first < node ? " %" PRIu64 "-%" PRIu64 : " %" PRIu64, first, node);
  }
  printf(" until %.2f h; leaves of a group: data %" PRIu64 ", pipeline %" PRIu64 "\n", j->seconds / hour,
         leaves_of(s, j, data), leaves_of(s, j, pipeline));
}

/* The job at whose end enough nodes are free for another, and how many more than that are. */
static const job *reserve(const site *s, const job *first, uint64_t *spare)
{
  const job *when = NULL;
  for (const job *end = s->jobs; end < s->jobs + s->n; end++) {
    if (end->state != RUNS || (when && end->seconds >= when->seconds))
      continue;
    uint64_t idle = s->idle;
    for (const job *j = s->jobs; j < s->jobs + s->n; j++)
      idle += j->state == RUNS && j->seconds <= end->seconds ? j->nodes : 0;
    if (idle >= first->nodes) {
      when = end;
      *spare = idle - first->nodes;
    }
  }
  return when;
}

static void schedule(site *s)
{
  const job *first = NULL; /* that waits: none may delay it */
  const job *until = NULL; /* whose end it waits for */
  uint64_t spare = 0;
  for (job *j = s->jobs; j < s->jobs + s->n; j++) {
    if (j->state == REFUSED)
      continue;
    const int late = first && j->seconds > until->seconds;
    if (j->nodes <= s->idle && (!late || j->nodes <= spare)) {
      start(s, j, first ? " before its turn" : "");
      spare -= late ? j->nodes : 0;
    } else if (!first) {
      first = j;
      until = reserve(s, j, &spare);
      printf("%s: waits for %" PRIu64 " nodes, %" PRIu64 " are free; starts at %.2f h, when %s ends\n", j->name,
             j->nodes, s->idle, until->seconds / hour, until->name);
    } else if (j->nodes > s->idle) {
      printf("%s: waits for %" PRIu64 " nodes, %" PRIu64 " are free\n", j->name, j->nodes, s->idle);
    } else {
      printf("%s: waits: until %.2f h it would be on nodes that %s has from %.2f h on\n", j->name, j->seconds / hour,
             first->name, until->seconds / hour);
    }
  }
  printf("free: %" PRIu64 " of %" PRIu64 " nodes\n", s->idle, s->nodes);
}

static const char *answer(site *s, FILE *in)
{
  s->owner = calloc(s->nodes, sizeof *s->owner);
  s->place = calloc(s->nodes, sizeof *s->place);
  s->jobs = calloc(JOBS, sizeof *s->jobs);
  const char *wrong = s->owner && s->place && s->jobs ? read_queue(s, in) : "no memory";
  if (!wrong)
    schedule(s);
  free(s->owner);
  free(s->place);
  free(s->jobs);
  return wrong;
}

static uint64_t count_of(const char *text)
{
  char *end;
  const unsigned long long n = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && n <= NODES ? n : 0;
}

int main(int argc, char **argv)
{
  site s = {.cluster = {.struct_size = sizeof s.cluster}};
  dtc_error err = {.struct_size = sizeof err};
  char text[512];
  const char *wrong = NULL;
  FILE *in = argc > 4 ? fopen(argv[4], "r") : stdin;
  s.nodes = s.idle = count_of(argc > 2 ? argv[2] : "16");
  s.leaf = count_of(argc > 3 ? argv[3] : "4");
  if (argc > 5 || s.nodes == 0 || s.leaf == 0)
    wrong = "usage: scheduler [CLUSTER [NODES [NODES-OF-A-LEAF [QUEUE]]]]; 1 to 4096 nodes";
  else if (!in)
    wrong = "the queue cannot be opened";
  else if (dtc_cluster_find(argc > 1 ? argv[1] : "dgx-h100", &s.cluster, &err) == DTC_OK)
    wrong = answer(&s, in);
  else if (dtc_error_format(&err, DTC_LANG_EN, text, sizeof text) > 0)
    wrong = text;
  if (in && in != stdin)
    fclose(in);
  if (!wrong && (fflush(stdout) != 0 || ferror(stdout)))
    wrong = "the answer cannot be written";
  if (wrong)
    fprintf(stderr, "scheduler: %s\n", wrong);
  return wrong ? 2 : 0;
}
