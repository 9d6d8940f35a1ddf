#include "estimator.h"

#include "fields.h"
#include "plan_short.h"
#include "report.h"
#include "table.h"
#include "text.h"
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6 };

/* A line of what it prints. */
typedef struct row {
  dtc_estimator_call call;
  dtc_estimator_result found;
} row;

typedef struct question {
  const plan_arg *plan;
  const model_arg *model;
  cluster_arg cluster;
  dtc_estimator_call call;
  dtc_plan resolved; /* Megatron's */
  row rows[ROWS];
  size_t count;
} question;

static text version_of(dtc_release v)
{
  text t;
  if (v == DTC_MAIN)
    snprintf(t.s, sizeof t.s, "main");
  else
    snprintf(t.s, sizeof t.s, "%u.%u.%u", (unsigned)(v / 1000000), (unsigned)(v / 1000 % 1000), (unsigned)(v % 1000));
  return t;
}

/* ---- what is asked ---- */

static int read_estimator(const cli *c, const args *a, dtc_estimator_call *call)
{
  char name[64];
  snprintf(name, sizeof name, "%s", a->value[OPT_ESTIMATOR]);
  for (char *s = name; *s != 0 && *s != '@'; s++)
    *s = *s == '-' ? '_' : *s;
  return value_read(c, "estimator", DTC_FIELD(estimator_call, estimator), name, &call->estimator, &call->version);
}

static int read_buffer(const cli *c, const args *a, double *buffer)
{
  const char *given = a->value[OPT_BUFFER];
  char *end;
  if (given == NULL)
    return 0;
  *buffer = strtod(given, &end);
  bool plain = strspn(given, "0123456789.") == strlen(given) && *given != 0 && *end == 0;
  return plain && *buffer > 0 ? 0 : fail(c, MSG_BAD_VALUE, "buffer", given, "FACTOR");
}

/* Nodes and GPUs of a node: those of a machine, or as they stand. */
static int read_machine(const cli *c, const args *a, question *q)
{
  dtc_estimator_call *call = &q->call;
  if (a->value[OPT_GPU] != NULL || a->value[OPT_CLUSTER] != NULL) {
    if (cluster_arg_read(c, a, &q->cluster) != 0)
      return EXIT_BAD_INPUT;
    call->gpus_per_node = q->cluster.cluster.gpus_per_node;
    call->nodes = q->cluster.cluster.nodes != 0 ? q->cluster.cluster.nodes : 1;
    return 0;
  }
  uint64_t gpus = 0;
  if (args_number(c, a, OPT_GPUS, 1, 0, &gpus) != 0 ||
      args_number(c, a, OPT_GPUS_PER_NODE, 1,
                  gpus == 0  ? 1
                  : gpus < 8 ? gpus
                             : 8,
                  &call->gpus_per_node) != 0 ||
      args_number(c, a, OPT_NODES, 1, gpus == 0 ? 1 : gpus / call->gpus_per_node, &call->nodes) != 0)
    return EXIT_BAD_INPUT;
  if (gpus != 0 && gpus != call->nodes * call->gpus_per_node)
    return fail(c, MSG_GPUS_AND_NODES, text_u64(gpus).s, text_u64(call->nodes).s, text_u64(call->gpus_per_node).s);
  return 0;
}

static int read(const cli *c, const args *a, question *q)
{
  DTC_INIT(&q->call);
  if (read_estimator(c, a, &q->call) != 0 || read_buffer(c, a, &q->call.buffer) != 0)
    return EXIT_BAD_INPUT;
  const char *name = dtc_value_name(DTC_FIELD(estimator_call, estimator), q->call.estimator);
  const char *layer = a->value[OPT_LARGEST_LAYER];
  bool megatron = q->call.estimator == DTC_ESTIMATOR_MEGATRON;
  if (!megatron && a->word_count != 0)
    return fail(c, MSG_EST_NOT_FOR, name, a->words[0].shown);
  if (megatron && (a->value[OPT_BUFFER] != NULL || layer != NULL))
    return fail(c, MSG_EST_NOT_FOR, name, layer != NULL ? "--largest-layer" : "--buffer");
  if (megatron && q->model->size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, q->model->name);
  if (layer != NULL && !text_read_params(layer, &q->call.layer_params))
    return fail(c, MSG_BAD_VALUE, "largest-layer", layer, "SIZE");
  if (q->model->size_only)
    q->call.params = q->model->params;
  return read_machine(c, a, q);
}

/* ---- what it says ---- */

/* The rows that the tool prints, in its order; the options that it does not have stay as they are. */
static void list_rows(question *q)
{
  static const dtc_bool offload[ROWS][3] = {
      {DTC_BOOL_ON, DTC_BOOL_ON, DTC_BOOL_ON},   {DTC_BOOL_ON, DTC_BOOL_ON, DTC_BOOL_OFF},
      {DTC_BOOL_ON, DTC_BOOL_OFF, DTC_BOOL_ON},  {DTC_BOOL_ON, DTC_BOOL_OFF, DTC_BOOL_OFF},
      {DTC_BOOL_OFF, DTC_BOOL_OFF, DTC_BOOL_ON}, {DTC_BOOL_OFF, DTC_BOOL_OFF, DTC_BOOL_OFF}};
  static const size_t counts[] = {[DTC_ESTIMATOR_DEEPSPEED_ZERO2] = 2,
                                  [DTC_ESTIMATOR_DEEPSPEED_ZERO3] = ROWS,
                                  [DTC_ESTIMATOR_MEGATRON] = 1,
                                  [DTC_ESTIMATOR_ACCELERATE] = 4};
  q->count = counts[q->call.estimator];
  for (size_t i = 0; i < q->count; i++) {
    dtc_estimator_call *call = &q->rows[i].call;
    *call = q->call;
    if (call->estimator == DTC_ESTIMATOR_ACCELERATE)
      call->dtype = DTC_LOAD_DTYPE_FLOAT32 + (dtc_load_dtype)i;
    if (call->estimator == DTC_ESTIMATOR_DEEPSPEED_ZERO2)
      call->offload = i == 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
    if (call->estimator == DTC_ESTIMATOR_DEEPSPEED_ZERO3) {
      call->offload = offload[i][0];
      call->offload_params = offload[i][1];
      call->zero_init = offload[i][2];
    }
  }
}

/* The plan of Megatron's report has to be legal here; its data parallel ranks may follow from the machine. */
static int resolve(const cli *c, question *q)
{
  dtc_plan plan = q->plan->plan;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&q->resolved);
  if (plan.framework == DTC_FRAMEWORK_DEFAULT)
    plan.framework = DTC_FRAMEWORK_MEGATRON;
  if (dtc_plan_resolve(&q->model->model, q->cluster.given ? &q->cluster.cluster : NULL, &plan, &q->resolved, &err) !=
      DTC_OK)
    return fail_with(c, NULL, &err);
  if (q->call.version == 0)
    q->call.version = q->plan->plan.framework_version;
  if (q->call.version == 0)
    q->resolved.framework_version = 0;
  return 0;
}

static int ask(const cli *c, question *q)
{
  dtc_error err;
  DTC_INIT(&err);
  bool megatron = q->call.estimator == DTC_ESTIMATOR_MEGATRON;
  if (megatron && resolve(c, q) != 0)
    return EXIT_BAD_INPUT;
  list_rows(q);
  for (size_t i = 0; i < q->count; i++) {
    DTC_INIT(&q->rows[i].found);
    if (dtc_memory_framework_estimate(&q->rows[i].call, q->model->size_only ? NULL : &q->model->model,
                                      megatron ? &q->resolved : NULL, &q->rows[i].found, &err) != DTC_OK)
      return fail_with(c, NULL, &err);
  }
  return 0;
}

/* ---- answers ---- */

static text gib(double bytes)
{
  text t;
  snprintf(t.s, sizeof t.s, "%.2f", bytes / (1 << 30));
  return t;
}

static text mib(double bytes)
{
  text t;
  snprintf(t.s, sizeof t.s, "%.2f", bytes / (1 << 20));
  return t;
}

/* As the tool writes them. */
static void options_of(const dtc_estimator_call *call, char *out, size_t cap)
{
  const char *optimizer = call->offload == DTC_BOOL_ON ? "cpu" : "none";
  const char *params = call->offload_params == DTC_BOOL_ON ? "cpu" : "none";
  if (call->estimator == DTC_ESTIMATOR_DEEPSPEED_ZERO2)
    snprintf(out, cap, "offload_optimizer=%s", optimizer);
  else
    snprintf(out, cap, "offload_param=%s, offload_optimizer=%s, zero_init=%d", params, optimizer,
             call->zero_init == DTC_BOOL_ON);
}

static void print_deepspeed(const cli *c, const question *q)
{
  const dtc_estimator_result *first = &q->rows[0].found;
  bool zero3 = q->call.estimator == DTC_ESTIMATOR_DEEPSPEED_ZERO3;
  print_line(c, MSG_EST_DEEPSPEED, version_of(first->version).s,
             zero3 ? "estimate_zero3_model_states_mem_needs" : "estimate_zero2_model_states_mem_needs");
  print_line(c, MSG_EST_MACHINE, text_u64(q->call.nodes).s, text_u64(q->call.gpus_per_node).s,
             text_thousands((uint64_t)first->params).s);
  if (zero3)
    print_line(c, MSG_EST_LARGEST, text_thousands((uint64_t)first->layer_params).s);
  table t = table_new("rrl");
  table_cell(&t, say(c, MSG_EST_HOST));
  table_cell(&t, say(c, MSG_EST_GPU));
  table_cell(&t, say(c, MSG_EST_OPTIONS));
  for (size_t i = 0; i < q->count; i++) {
    char shown[128];
    options_of(&q->rows[i].call, shown, sizeof shown);
    table_cell(&t, gib(q->rows[i].found.host).s);
    table_cell(&t, gib(q->rows[i].found.gpu).s);
    table_cell(&t, shown);
  }
  table_print(c, &t, 2);
  text_wrap(say(c, MSG_EST_MISSES_DEEPSPEED), 2);
}

static void print_accelerate(const cli *c, const question *q)
{
  const dtc_estimator_result *first = &q->rows[0].found;
  print_line(c, MSG_EST_ACCELERATE, version_of(first->version).s, text_thousands((uint64_t)first->params).s);
  table t = table_new("lrrr");
  table_cell(&t, say(c, MSG_EST_DTYPE));
  table_cell(&t, say(c, MSG_EST_LAYER));
  table_cell(&t, say(c, MSG_EST_TOTAL));
  table_cell(&t, say(c, MSG_EST_TRAINING));
  for (size_t i = 0; i < q->count; i++) {
    const dtc_estimator_result *e = &q->rows[i].found;
    table_cell(&t, dtc_value_name(DTC_FIELD(estimator_call, dtype), q->rows[i].call.dtype));
    table_cell(&t, gib(e->layer).s);
    table_cell(&t, gib(e->weights).s);
    table_cell(&t, e->gpu == 0 ? "N/A" : gib(e->gpu).s);
  }
  table_print(c, &t, 2);
  text_wrap(say(c, MSG_EST_MISSES_ACCELERATE), 2);
}

static void print_megatron(const cli *c, const question *q)
{
  const dtc_estimator_result *e = &q->rows[0].found;
  char line[PLAN_LINE];
  print_line(c, MSG_EST_MEGATRON, version_of(e->version).s);
  dtc_plan shown = plan_shorten(&q->model->model, q->cluster.given ? &q->cluster.cluster : NULL, &q->resolved);
  plan_line(q->model, &shown, line);
  puts(line);
  print_line(c, MSG_EST_PARAMS, text_thousands((uint64_t)e->params).s, text_thousands((uint64_t)e->shard_params).s);
  const struct {
    msg name;
    double bytes;
  } lines[] = {{MSG_EST_STATES, e->states}, {MSG_EST_ACTIVATIONS, e->activations}, {MSG_EST_SUM, e->gpu}};
  table t = table_new("lr");
  table_cell(&t, say(c, MSG_EST_WHAT));
  table_cell(&t, say(c, MSG_EST_MIB));
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    table_cell(&t, say(c, lines[i].name));
    table_cell(&t, mib(lines[i].bytes).s);
  }
  table_print(c, &t, 2);
  text_wrap(say(c, MSG_EST_MISSES_MEGATRON), 2);
}

/* Whole numbers as integers, the fractions that Megatron's report has as they are. */
static void json_number(json *j, const char *key, double value)
{
  if (value == floor(value) && value < 9007199254740992.0)
    json_u64(j, key, (uint64_t)value);
  else
    json_f64(j, key, value);
}

static void json_row(json *j, const row *r)
{
  field fields[MAX_FIELDS];
  size_t n = fields_of(DTC_STRUCT_estimator_result, fields);
  bool deepspeed = r->call.estimator <= DTC_ESTIMATOR_DEEPSPEED_ZERO3;
  json_object(j, NULL);
  if (deepspeed)
    json_bool(j, "offload", r->call.offload == DTC_BOOL_ON);
  if (r->call.estimator == DTC_ESTIMATOR_DEEPSPEED_ZERO3) {
    json_bool(j, "offload_params", r->call.offload_params == DTC_BOOL_ON);
    json_bool(j, "zero_init", r->call.zero_init == DTC_BOOL_ON);
  }
  if (r->call.estimator == DTC_ESTIMATOR_ACCELERATE)
    json_text(j, "dtype", dtc_value_name(DTC_FIELD(estimator_call, dtype), r->call.dtype));
  for (size_t i = 0; i < n; i++) {
    double value;
    if (fields[i].size != sizeof value)
      continue;
    memcpy(&value, (const char *)&r->found + fields[i].offset, sizeof value);
    json_number(j, dtc_field_name(fields[i].id), value);
  }
  json_end(j);
}

static void print_json(const args *a, const question *q)
{
  char line[PLAN_LINE];
  bool megatron = q->call.estimator == DTC_ESTIMATOR_MEGATRON;
  json j;
  json_start(&j, a->command);
  json_model(&j, q->model);
  json_text(&j, "estimator", dtc_value_name(DTC_FIELD(estimator_call, estimator), q->call.estimator));
  json_text(&j, "version", version_of(q->rows[0].found.version).s);
  if (megatron) {
    plan_line(q->model, &q->resolved, line);
    json_text(&j, "plan", line);
  } else {
    json_null(&j, "plan");
  }
  json_u64(&j, "nodes", q->call.nodes);
  json_u64(&j, "gpus_per_node", q->call.gpus_per_node);
  json_array(&j, "rows");
  for (size_t i = 0; i < q->count; i++)
    json_row(&j, &q->rows[i]);
  json_end(&j);
  json_end(&j);
}

int estimator_answer(const cli *c, const args *a, const plan_arg *plan, const model_arg *model)
{
  static question q; /* holds a cluster and rows: large */
  q.plan = plan;
  q.model = model;
  if (read(c, a, &q) != 0 || ask(c, &q) != 0)
    return EXIT_BAD_INPUT;
  if (c->json) {
    print_json(a, &q);
    return EXIT_YES;
  }
  print_model(c, model);
  if (q.call.estimator == DTC_ESTIMATOR_MEGATRON)
    print_megatron(c, &q);
  else if (q.call.estimator == DTC_ESTIMATOR_ACCELERATE)
    print_accelerate(c, &q);
  else
    print_deepspeed(c, &q);
  return EXIT_YES;
}
