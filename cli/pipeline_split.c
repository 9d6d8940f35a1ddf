#include "pipeline_split.h"

#include "pipeline_modules.h"
#include "pipeline_order.h"
#include "report.h"
#include "shard_arg.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1024 };

typedef struct splitter {
  const char *name;
  dtc_splitter splitter; /* BEST: dtc_pipe_balance() */
  bool modules;          /* it cuts a list of modules, of which the layers are a part */
} splitter;

#define BEST UINT32_MAX

static const splitter splitters[] = {
    {"megatron", DTC_SPLITTER_MEGATRON, false},
    {"layout", DTC_SPLITTER_LAYOUT, false},
    {"deepspeed-uniform", DTC_SPLITTER_UNIFORM, true},
    {"deepspeed-balanced", DTC_SPLITTER_BALANCED, true},
    {"torchtitan", DTC_SPLITTER_TORCHTITAN, false},
    {"colossalai", DTC_SPLITTER_COLOSSALAI, false},
    {"best", BEST, true},
};
enum { SPLITTERS = sizeof splitters / sizeof *splitters };

/* A stage with the model's own layers, whatever was cut. */
typedef struct stage {
  dtc_pipe_part part;
  bool norm;   /* it has the final norm */
  double cost; /* of its modules */
} stage;

typedef struct split {
  const splitter *by;
  dtc_pipe_split job;
  modules modules;
  uint64_t *weights; /* of DeepSpeed's modules, or layers of ColossalAI's stages */
  double *costs;     /* of what is cut: NULL when nobody said */
  size_t n;          /* things that are cut */
  stage *stages;
  size_t count;
  bool has_gain;
  dtc_pipe_gain gain;
} split;

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* What only one kind of answer uses, and which splitters: bits by dtc_splitter, 0 of a timeline. */
typedef struct use {
  option_id option;
  uint32_t splitters;
} use;

#define BY(id) (1u << DTC_SPLITTER_##id)
#define BY_BEST (1u << 31)

static const use uses[] = {
    {OPT_SPLIT, UINT32_MAX},
    {OPT_LAYERS, UINT32_MAX},
    {OPT_MTP_LAYERS, BY(LAYOUT)},
    {OPT_FIRST, BY(MEGATRON)},
    {OPT_LAST, BY(MEGATRON)},
    {OPT_ACCOUNT_EMBEDDING, BY(MEGATRON)},
    {OPT_ACCOUNT_LOSS, BY(MEGATRON)},
    {OPT_PIPE_LAYOUT, BY(LAYOUT)},
    {OPT_WEIGHTS, BY(BALANCED) | BY(COLOSSALAI) | BY_BEST},
    {OPT_TYPE, BY(BALANCED)},
    {OPT_FIRST_LESS, BY(TORCHTITAN)},
    {OPT_LAST_LESS, BY(TORCHTITAN)},
    {OPT_PER_STAGE, BY(TORCHTITAN)},
    {OPT_GROUP, 0},
    {OPT_MOE_OVERLAP, 0},
    {OPT_FORWARD_ONLY, 0},
    {OPT_FORWARD, 0},
    {OPT_BACKWARD, 0},
    {OPT_INPUT, 0},
    {OPT_WEIGHT, 0},
    {OPT_SCALE, 0},
    {OPT_LATENCY, 0},
    {OPT_TRANSFER, 0},
    {OPT_BLOCKING, 0},
    {OPT_PIPE_LIMIT, 0},
    {OPT_PIPE_SVG, 0},
    {OPT_PIPE_TRACE, 0},
    {OPT_PIPE_ORDER, 0},
    {OPT_STEPS, 0},
};
enum { USES = sizeof uses / sizeof *uses };

int split_asked(const cli *c, const args *a, bool *asked)
{
  const char *layers = NULL;
  const char *timeline = NULL;
  for (size_t i = 0; i < USES; i++) {
    if (a->value[uses[i].option] == NULL)
      continue;
    if (uses[i].splitters != 0)
      layers = options[uses[i].option].name;
    else
      timeline = options[uses[i].option].name;
  }
  *asked = layers != NULL;
  return layers != NULL && timeline != NULL ? fail(c, MSG_PIPE_TWO, layers, timeline) : 0;
}

/* Megatron's way unless the options say another. */
static int find_splitter(const cli *c, const args *a, const splitter **out)
{
  const char *names = "megatron, layout, deepspeed-uniform, deepspeed-balanced, torchtitan, colossalai, best";
  const char *given = a->value[OPT_SPLIT];
  size_t i = 0;
  if (given == NULL)
    given = a->value[OPT_PIPE_LAYOUT] != NULL ? "layout" : "megatron";
  while (i < SPLITTERS && strcmp(splitters[i].name, given) != 0)
    i++;
  if (i == SPLITTERS)
    return fail(c, MSG_UNKNOWN_VALUE, "split", given, names);
  *out = &splitters[i];
  uint32_t bit = (*out)->splitter == BEST ? BY_BEST : 1u << (*out)->splitter;
  for (size_t k = 0; k < USES; k++) {
    if (a->value[uses[k].option] != NULL && (uses[k].splitters & bit) == 0)
      return fail(c, MSG_PIPE_NOT_SPLIT, options[uses[k].option].name, given);
  }
  return (*out)->splitter == DTC_SPLITTER_LAYOUT && a->value[OPT_PIPE_LAYOUT] == NULL
             ? fail(c, MSG_NEEDS_VALUE, "layout", options[OPT_PIPE_LAYOUT].value)
             : 0;
}

static bool is_v(dtc_schedule s)
{
  return s == DTC_SCHEDULE_ZBV || s == DTC_SCHEDULE_V_HALF || s == DTC_SCHEDULE_V_MIN || s == DTC_SCHEDULE_1F1B_V ||
         s == DTC_SCHEDULE_DUALPIPE_V;
}

/* Degrees, and how many chunks the schedule works with. */
static int read_degrees(const cli *c, const pipe_arg *p, split *s)
{
  dtc_pipe job;
  dtc_error err;
  DTC_INIT(&job);
  DTC_INIT(&err);
  if (p->n > 1)
    return fail(c, MSG_PIPE_ONE_SCHEDULE);
  s->job.pp = p->pipe.pp;
  s->job.vpp = p->pipe.vpp;
  if (p->plan.plan.framework == DTC_FRAMEWORK_DEEPSPEED)
    s->job.version = p->plan.plan.framework_version;
  if (p->schedules[0] == DTC_SCHEDULE_DEFAULT)
    return 0;
  if (pipe_arg_job(p, p->schedules[0], &job, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  s->job.vpp = job.vpp;
  s->job.v_shape = is_v(job.schedule) ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  return 0;
}

static int read_numbers(const cli *c, const args *a, split *s)
{
  size_t n;
  if (numbers_read(c, a, OPT_WEIGHTS, 0, &s->costs, &n) != 0)
    return EXIT_BAD_INPUT;
  s->weights = grow(NULL, n * sizeof *s->weights);
  for (size_t i = 0; i < n; i++) {
    s->weights[i] = (uint64_t)s->costs[i];
    if (s->by->splitter != BEST && (double)s->weights[i] != s->costs[i])
      return fail(c, MSG_BAD_VALUE, "weights", a->value[OPT_WEIGHTS], options[OPT_WEIGHTS].value);
  }
  s->n = n;
  return 0;
}

static void weigh_alike(split *s)
{
  s->n = (size_t)s->job.layers;
  s->weights = grow(NULL, s->n * sizeof *s->weights);
  for (size_t i = 0; i < s->n; i++)
    s->weights[i] = 1;
}

/* What is cut, and what it weighs: the list of the user, the modules of the model, or layers that are all alike. */
static int read_modules(const cli *c, const args *a, const pipe_arg *p, split *s)
{
  modules *m = &s->modules;
  bool listed = a->value[OPT_WEIGHTS] != NULL;
  if (modules_read(c, a, &p->plan, m) != 0)
    return EXIT_BAD_INPUT;
  if (a->value[OPT_TYPE] != NULL && !m->has_model)
    return fail(c, MSG_NEEDS_MODEL, a->command, a->command);
  if (a->value[OPT_TYPE] != NULL && modules_choose(c, a->value[OPT_TYPE], m) != 0)
    return EXIT_BAD_INPUT;
  if (m->has_model && (s->job.layers != 0 || (listed && s->by->modules)))
    return fail(c, MSG_PIPE_LAYERS_TWICE, listed ? "weights" : "layers");
  if (listed && read_numbers(c, a, s) != 0)
    return EXIT_BAD_INPUT;
  if (m->has_model && s->by->modules) {
    s->n = (size_t)m->layers + (s->by->splitter == BEST ? 2 : 3);
    s->weights = m->weights;
    s->costs = s->by->splitter == BEST ? m->costs : NULL;
  }
  if (!s->by->modules && m->has_model)
    s->job.layers = m->layers;
  else if (s->by->modules && s->n != 0 && s->job.layers == 0)
    s->job.layers = s->n;
  if (m->has_model && s->job.mtp_layers == 0 && s->by->splitter == DTC_SPLITTER_LAYOUT)
    s->job.mtp_layers = m->model.model.mtp_layers;
  if (s->job.layers == 0)
    return fail(c, MSG_PIPE_NEEDS_LAYERS);
  if (s->by->splitter == DTC_SPLITTER_BALANCED && s->weights == NULL)
    weigh_alike(s);
  return listed && s->by->modules && s->job.layers != s->n
             ? fail(c, MSG_PIPE_LIST, text_u64(s->n).s, text_u64(s->job.layers).s)
             : 0;
}

/* ---- asking the library ------------------------------------------------------------------------------------------ */

static dtc_status ask_layers(const split *s, const char *layout, dtc_pipe_part **parts, size_t *count, dtc_error *err)
{
  uint64_t needed = 0;
  size_t len = layout != NULL ? strlen(layout) : 0;
  bool weighed = s->by->splitter == DTC_SPLITTER_BALANCED || s->by->splitter == DTC_SPLITTER_COLOSSALAI;
  size_t n = weighed && s->weights != NULL ? s->n : 0;
  dtc_status status = dtc_pipe_layers_scratch(&s->job, &needed, err);
  if (status != DTC_OK)
    return status;
  uint64_t *scratch = grow(NULL, ((size_t)needed + 1) * sizeof *scratch);
  *count = 0;
  status = dtc_pipe_layers(&s->job, layout, len, s->weights, n, NULL, 0, count, scratch, (size_t)needed, err);
  if (status == DTC_E_SPACE) {
    *parts = grow(NULL, (*count + 1) * sizeof **parts);
    status = dtc_pipe_layers(&s->job, layout, len, s->weights, n, *parts, *count, count, scratch, (size_t)needed, err);
  }
  free(scratch);
  return status;
}

static dtc_status ask_best(const pipe_arg *p, split *s, dtc_pipe_part **parts, size_t *count, dtc_error *err)
{
  dtc_pipe job;
  uint64_t needed = 0;
  size_t n = (size_t)s->job.layers;
  DTC_INIT(&job);
  dtc_status status = pipe_arg_job(p, p->schedules[0], &job, err);
  if (status == DTC_OK)
    status = dtc_pipe_balance_scratch(&job, n, &needed, err);
  if (status != DTC_OK)
    return status;
  uint64_t *scratch = grow(NULL, ((size_t)needed + 1) * sizeof *scratch);
  dtc_pipe_item *items = grow(NULL, n * sizeof *items);
  for (size_t i = 0; i < n; i++)
    items[i] = (dtc_pipe_item){.cost = s->costs != NULL ? s->costs[i] : 1};
  *count = (size_t)(job.pp * job.vpp);
  *parts = grow(NULL, (*count + 1) * sizeof **parts);
  status = dtc_pipe_balance(&job, items, n, 0, *parts, *count, count, &s->gain, scratch, (size_t)needed, err);
  s->has_gain = true;
  s->n = n;
  free(items);
  free(scratch);
  return status;
}

/* A part of the modules of a model as layers of it. */
static void to_layers(const split *s, stage *out)
{
  uint64_t layers = s->modules.layers;
  uint64_t first = out->part.first;
  uint64_t end = first + out->part.layers;
  uint64_t from = first < 1 ? 0 : first - 1 < layers ? first - 1 : layers;
  uint64_t to = end < 1 ? 0 : end - 1 < layers ? end - 1 : layers;
  out->part.embedding = first == 0 && end > 0;
  out->norm = first <= layers + 1 && end > layers + 1;
  out->part.head = first < s->n && end == s->n;
  out->part.first = from;
  out->part.layers = to - from;
}

static void fill_stages(split *s, const dtc_pipe_part *parts)
{
  s->stages = grow(NULL, (s->count + 1) * sizeof *s->stages);
  bool own = s->by->modules && !s->modules.has_model;
  for (size_t i = 0; i < s->count; i++) {
    stage *one = &s->stages[i];
    *one = (stage){.part = parts[i], .norm = parts[i].head != 0};
    if (own) { /* nobody said what the modules are */
      one->part.embedding = one->part.head = 0;
      one->norm = false;
    }
    for (uint64_t k = parts[i].first; s->by->modules && k < parts[i].first + parts[i].layers; k++)
      one->cost += s->costs != NULL ? s->costs[k] : s->weights != NULL ? (double)s->weights[k] : 1;
    if (s->by->modules && s->modules.has_model)
      to_layers(s, one);
  }
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* "embedding, head". */
static void ends_text(const cli *c, const stage *one, char out[128])
{
  *out = 0;
  const struct {
    bool there;
    msg name;
  } ends[] = {
      {one->part.embedding != 0, MSG_PART_EMBEDDING}, {one->norm, MSG_PART_NORM}, {one->part.head != 0, MSG_PART_HEAD}};
  for (size_t i = 0; i < 3; i++) {
    if (ends[i].there)
      snprintf(out + strlen(out), 128 - strlen(out), "%s%s", *out == 0 ? "" : say(c, MSG_COMMA), say(c, ends[i].name));
  }
}

/* A cost; FLOPs of a model in TFLOP. */
static text cost_text(const split *s, double cost)
{
  text t;
  if (s->by->splitter != BEST || !s->modules.has_model)
    return text_time(cost);
  snprintf(t.s, sizeof t.s, "%.4g", cost / 1e12);
  return t;
}

static void stage_row(const cli *c, const split *s, size_t i, table *t)
{
  const stage *one = &s->stages[i];
  char ends[128];
  bool any = one->part.layers != 0;
  ends_text(c, one, ends);
  table_cell(t, text_u64(i).s);
  table_cell(t, text_u64(one->part.rank).s);
  table_cell(t, s->count > s->job.pp ? text_u64(one->part.chunk).s : "");
  table_cell(t, any ? text_u64(one->part.first).s : "-");
  table_cell(t, any ? text_u64(one->part.first + one->part.layers - 1).s : "-");
  table_cell(t, text_u64(one->part.layers).s);
  table_cell(t, one->part.mtp_layers != 0 ? text_u64(one->part.mtp_layers).s : "");
  table_cell(t, s->by->modules ? cost_text(s, one->cost).s : "");
  table_cell(t, ends);
}

static void split_text(const cli *c, const split *s)
{
  static const msg head[] = {MSG_STAGE,  MSG_RANK,     MSG_PIPE_CHUNK, MSG_PIPE_FIRST, MSG_PIPE_LAST,
                             MSG_LAYERS, MSG_PIPE_MTP, MSG_PIPE_COST,  MSG_EMPTY};
  table t = table_new("rrrrrrrrl");
  if (s->modules.has_model)
    print_model(c, &s->modules.model);
  bool own = s->by->modules && !s->modules.has_model;
  print_line(c, own ? MSG_PIPE_SPLIT_MODULES : MSG_PIPE_SPLIT, s->by->name,
             text_u64(s->modules.has_model ? s->modules.layers : s->job.layers).s, text_u64(s->job.pp).s,
             text_u64(s->count).s);
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, i == 5 && own ? MSG_PIPE_MODULES : head[i]));
  for (size_t i = 0; i < s->count && i < ROWS; i++)
    stage_row(c, s, i, &t);
  table_print(c, &t, 2);
  if (s->count > ROWS)
    print_line(c, MSG_PIPE_RANKS_MORE, text_u64(s->count - ROWS).s);
  if (!s->has_gain)
    return;
  print_line(c, MSG_PIPE_GAIN, cost_text(s, s->gain.cost).s, cost_text(s, s->gain.uniform).s,
             text_percent(s->gain.uniform - s->gain.cost, s->gain.uniform).s, cost_text(s, s->gain.mean).s);
  if (s->modules.has_model)
    print_line(c, MSG_PIPE_TFLOP);
}

static void json_stage(json *j, const split *s, size_t i)
{
  const stage *one = &s->stages[i];
  json_object(j, NULL);
  json_u64(j, "stage", i);
  json_u64(j, "rank", one->part.rank);
  json_u64(j, "chunk", one->part.chunk);
  if (one->part.layers != 0)
    json_u64(j, "first", one->part.first);
  else
    json_null(j, "first");
  json_u64(j, "layers", one->part.layers);
  json_u64(j, "mtp_layers", one->part.mtp_layers);
  json_bool(j, "embedding", one->part.embedding != 0);
  json_bool(j, "norm", one->norm);
  json_bool(j, "head", one->part.head != 0);
  if (s->by->modules)
    json_f64(j, "cost", one->cost);
  else
    json_null(j, "cost");
  json_end(j);
}

static void split_json(const args *a, const split *s)
{
  json j;
  json_start(&j, a->command);
  if (s->modules.has_model)
    json_model(&j, &s->modules.model);
  else
    json_null(&j, "model");
  json_text(&j, "split", s->by->name);
  json_u64(&j, "pp", s->job.pp);
  json_u64(&j, "vpp", s->count / s->job.pp);
  json_array(&j, "stages");
  for (size_t i = 0; i < s->count; i++)
    json_stage(&j, s, i);
  json_end(&j);
  if (s->has_gain) {
    json_object(&j, "gain");
    json_f64(&j, "cost", s->gain.cost);
    json_f64(&j, "uniform", s->gain.uniform);
    json_f64(&j, "mean", s->gain.mean);
    json_end(&j);
  } else {
    json_null(&j, "gain");
  }
  json_end(&j);
}

int answer_split(const cli *c, const args *a, const pipe_arg *p)
{
  static split s; /* holds a path: large */
  dtc_pipe_part *parts = NULL;
  dtc_error err;
  memset(&s, 0, sizeof s);
  DTC_INIT(&s.job);
  DTC_INIT(&err);
  if (find_splitter(c, a, &s.by) != 0 || fields_set(c, a, DTC_STRUCT_pipe_split, &s.job) != 0 ||
      read_degrees(c, p, &s) != 0 || read_modules(c, a, p, &s) != 0)
    return EXIT_BAD_INPUT;
  s.job.account_embedding = a->value[OPT_ACCOUNT_EMBEDDING] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  s.job.account_loss = a->value[OPT_ACCOUNT_LOSS] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  dtc_status status;
  if (s.by->splitter == BEST) {
    status = ask_best(p, &s, &parts, &s.count, &err);
  } else {
    s.job.splitter = s.by->splitter;
    status = ask_layers(&s, a->value[OPT_PIPE_LAYOUT], &parts, &s.count, &err);
  }
  if (status == DTC_OK)
    fill_stages(&s, parts);
  free(parts);
  if (status != DTC_OK)
    return answer_refused(c, a, &err);
  if (c->json)
    split_json(a, &s);
  else
    split_text(c, &s);
  return EXIT_YES;
}
