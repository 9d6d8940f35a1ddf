/* dtcore explain TOPIC: what to look at, in order, with the numbers of this plan. */
#include "explain.h"

#include "memory.h"
#include "step.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MOST = 16 };

/* Numbered headings. */
static void heading(const cli *c, unsigned *n, const char *title)
{
  char line[1024];
  write_line(c, line, sizeof line, MSG_EX_NUMBER, text_u64(++*n).s, title);
  text_wrap(line, 3);
}

static int needs_gpu(const cli *c, const explain_question *q)
{
  return q->cluster.given ? 0 : fail(c, MSG_NEEDS_GPU);
}

static double gpus_of(const dtc_plan *p)
{
  return (double)p->tp * (double)p->cp * (double)p->pp * (double)p->dp;
}

/* ---- slow -------------------------------------------------------------------------------------------------------- */

/* Fills what step_print_estimate() reads. */
static int estimate(const cli *c, const explain_question *q, const dtc_plan *plan, step_question *s)
{
  const dtc_model *m = &q->model.model;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&s->params);
  DTC_INIT(&s->step);
  s->model = q->model;
  s->cluster = q->cluster;
  s->plan.plan = *plan;
  s->resolved = q->resolved;
  s->convention = DTC_FLOPS_MEGATRON;
  if (dtc_step_resolve(m, explain_cluster(q), plan, &s->params, &s->params, &err) != DTC_OK ||
      dtc_step_estimate(m, explain_cluster(q), plan, NULL, 0, &s->params, &s->step, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

/* Seconds of products: what GPUs are there for. */
static double computing(const dtc_step *s)
{
  return s->dense + s->attention + s->experts + s->elementwise + s->head + s->recompute + s->optimizer;
}

/* Whether the textbook's (pp - 1) / (vpp m) is the bubble of a schedule: one chunk behind the other, no V. */
static bool has_textbook_bubble(dtc_schedule schedule)
{
  return schedule == DTC_SCHEDULE_1F1B || schedule == DTC_SCHEDULE_INTERLEAVED;
}

static void print_bubble(const cli *c, unsigned *n, const dtc_plan *p, const dtc_step *s)
{
  char line[512];
  if (p->pp <= 1)
    write_line(c, line, sizeof line, MSG_EX_SLOW_NO_BUBBLE);
  else if (s->bubble == 0)
    write_line(c, line, sizeof line, MSG_EX_SLOW_FILLED);
  else
    write_line(c, line, sizeof line, MSG_EX_SLOW_BUBBLE, text_seconds(s->bubble).s, text_seconds(s->seconds).s,
               text_whole_percent(s->bubble / s->seconds).s);
  heading(c, n, line);
  if (p->pp <= 1 || !has_textbook_bubble(p->schedule))
    return;
  double vpp = p->vpp != 0 ? (double)p->vpp : 1;
  write_line(c, line, sizeof line, MSG_EX_SLOW_TEXTBOOK, text_u64(p->pp).s, text_u64(p->vpp != 0 ? p->vpp : 1).s,
             text_u64(p->accumulation).s, text_whole_percent((double)(p->pp - 1) / (vpp * (double)p->accumulation)).s);
  text_wrap(line, 3);
}

static int slow(const cli *c, const args *a, const explain_question *q)
{
  static step_question s; /* large */
  unsigned n = 0;
  char line[1024];
  if (needs_gpu(c, q) != 0 || estimate(c, q, &q->plan.plan, &s) != 0)
    return EXIT_BAD_INPUT;
  double compute = computing(&s.step);
  if (c->json) {
    json j;
    json_start(&j, a->command);
    json_text(&j, "topic", "slow");
    json_f64(&j, "computing", compute);
    json_f64(&j, "bubble", s.step.bubble / s.step.seconds);
    step_json(&j, &s.step);
    json_end(&j);
    return EXIT_YES;
  }
  print_model(c, &q->model);
  heading(c, &n, say(c, MSG_EX_SLOW_LIMIT));
  step_print_estimate(c, &s);
  write_line(c, line, sizeof line, MSG_EX_SLOW_WAIT, text_seconds(compute).s, text_seconds(s.step.seconds).s,
             text_whole_percent(compute / s.step.seconds).s);
  heading(c, &n, line);
  print_bubble(c, &n, &q->resolved, &s.step);
  write_line(c, line, sizeof line, MSG_EX_SLOW_MEASURE, text_seconds(s.step.high).s);
  heading(c, &n, line);
  return EXIT_YES;
}

/* ---- zero3 ------------------------------------------------------------------------------------------------------- */

typedef struct sharded {
  dtc_sharding sharding;
  dtc_framework framework;
  uint64_t world;
  double gathered; /* bytes of whole buffers, all messages of a step */
  double reduced;
  double exposed; /* seconds of both that nothing hides */
  dtc_step step;
  dtc_memory memory;
} sharded;

/* The plan under DeepSpeed's stage 2 or 3, or ColossalAI's, with what the stage does not have taken off. */
static dtc_plan plan_with(const explain_question *q, dtc_sharding sharding)
{
  dtc_plan p = q->plan.plan;
  bool staged = q->resolved.framework == DTC_FRAMEWORK_DEEPSPEED || q->resolved.framework == DTC_FRAMEWORK_COLOSSALAI;
  p.framework = staged ? q->resolved.framework : DTC_FRAMEWORK_DEEPSPEED;
  p.framework_version = staged ? p.framework_version : 0;
  p.sharding = sharding;
  p.dp_shard = 0;
  if (sharding == DTC_SHARDING_ZERO2 && p.offload > DTC_OFFLOAD_OPTIMIZER)
    p.offload = DTC_OFFLOAD_OPTIMIZER;
  return p;
}

/* Bytes that a step gathers and reduces among data-parallel ranks, by the sharding's own list of messages. */
static dtc_status count_messages(const explain_question *q, const dtc_plan *p, sharded *s, dtc_error *err)
{
  const dtc_model *m = &q->model.model;
  dtc_shards shards;
  dtc_message messages[MESSAGES_MOST];
  uint64_t tensors = 0;
  uint64_t needed = 0;
  size_t n = 0;
  DTC_INIT(&shards);
  dtc_status status = dtc_model_tensor_count(m, &tensors, err);
  status = status != DTC_OK ? status : dtc_shards_from_plan(m, explain_cluster(q), p, &shards, err);
  status = status != DTC_OK ? status : dtc_shards_scratch(&shards, (size_t)tensors, &needed, err);
  if (status != DTC_OK)
    return status;
  dtc_shape *shapes = grow(NULL, (size_t)tensors * sizeof *shapes);
  dtc_slot *slots = grow(NULL, (size_t)tensors * sizeof *slots);
  uint64_t *scratch = grow(NULL, ((size_t)needed + 1) * sizeof *scratch);
  status = dtc_shards_shapes(m, shapes, (size_t)tensors, &n, err);
  if (status == DTC_OK)
    status = dtc_shards_layout(&shards, shapes, n, slots, n, &n, scratch, (size_t)needed, err);
  size_t count = 0;
  if (status == DTC_OK)
    status = dtc_shards_messages(&shards, shapes, n, slots, n, q->resolved.accumulation, messages, MESSAGES_MOST,
                                 &count, err);
  for (size_t i = 0; i < count && status == DTC_OK; i++)
    *(messages[i].op == DTC_COLLECTIVE_ALL_GATHER ? &s->gathered : &s->reduced) += (double)messages[i].bytes;
  s->world = shards.world;
  free(scratch);
  free(slots);
  free(shapes);
  return status;
}

static int weigh(const cli *c, const explain_question *q, sharded *s)
{
  static step_question found; /* large */
  dtc_plan p = plan_with(q, s->sharding);
  s->framework = p.framework;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&s->memory);
  if (estimate(c, q, &p, &found) != 0)
    return EXIT_BAD_INPUT;
  if (count_messages(q, &p, s, &err) != DTC_OK ||
      dtc_memory_estimate(&q->model.model, explain_cluster(q), &p, NULL, 0, &s->memory, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  s->step = found.step;
  s->exposed = found.step.weights + found.step.gradients;
  return 0;
}

static void zero3_table(const cli *c, const sharded two[2])
{
  static const msg head[] = {MSG_EX_ZERO_HEAD,    MSG_EX_ZERO_GATHERED, MSG_EX_ZERO_REDUCED,
                             MSG_EX_ZERO_EXPOSED, MSG_EX_ZERO_STEP,     MSG_EX_ZERO_FITS};
  table t = table_new("lrrrrr");
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < 2; i++) {
    table_cell(&t, dtc_value_name(DTC_FIELD(plan, sharding), two[i].sharding));
    table_cell(&t, text_gb(two[i].gathered).s);
    table_cell(&t, text_gb(two[i].reduced).s);
    table_cell(&t, text_seconds(two[i].exposed).s);
    table_cell(&t, text_seconds(two[i].step.seconds).s);
    table_cell(&t, text_gib(two[i].memory.device).s);
  }
  table_print(c, &t, 3);
}

/* Whose stages were compared, and that the plan is another framework's. */
static void print_compared(const cli *c, const explain_question *q, dtc_framework compared)
{
  const char *name = dtc_value_name(DTC_FIELD(plan, framework), compared);
  if (q->resolved.framework == compared)
    print_line(c, MSG_EX_ZERO_OF, name);
  else
    print_line(c, MSG_EX_ZERO_INSTEAD, name, dtc_value_name(DTC_FIELD(plan, framework), q->resolved.framework));
}

static int zero3(const cli *c, const args *a, const explain_question *q)
{
  static sharded two[2];
  unsigned n = 0;
  char line[1024];
  two[0].sharding = DTC_SHARDING_ZERO2;
  two[1].sharding = DTC_SHARDING_ZERO3;
  if (q->resolved.tp * q->resolved.pp != 1)
    return fail(c, MSG_EX_ZERO_TP);
  if (gpus_of(&q->resolved) <= 1)
    return fail(c, MSG_EX_ZERO_ONE);
  if (needs_gpu(c, q) != 0 || weigh(c, q, &two[0]) != 0 || weigh(c, q, &two[1]) != 0)
    return EXIT_BAD_INPUT;
  if (c->json) {
    json j;
    json_start(&j, a->command);
    json_text(&j, "topic", "zero3");
    json_text(&j, "framework", dtc_value_name(DTC_FIELD(plan, framework), two[0].framework));
    json_array(&j, "shardings");
    for (size_t i = 0; i < 2; i++) {
      json_object(&j, NULL);
      json_text(&j, "sharding", dtc_value_name(DTC_FIELD(plan, sharding), two[i].sharding));
      json_f64(&j, "gathered_bytes", two[i].gathered);
      json_f64(&j, "reduced_bytes", two[i].reduced);
      json_f64(&j, "exposed", two[i].exposed);
      json_f64(&j, "seconds", two[i].step.seconds);
      json_f64(&j, "high", two[i].step.high);
      json_u64(&j, "device", two[i].memory.device);
      json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    return EXIT_YES;
  }
  print_model(c, &q->model);
  print_compared(c, q, two[0].framework);
  heading(c, &n, say(c, MSG_EX_ZERO_TITLE));
  zero3_table(c, two);
  write_line(c, line, sizeof line, MSG_EX_ZERO_WIRE, text_u64(two[1].world).s,
             text_gb(two[1].gathered / (double)two[1].world * (double)(two[1].world - 1)).s);
  puts("");
  text_wrap(line, 3);
  write_line(c, line, sizeof line, MSG_EX_ZERO_RATE, text_seconds(two[1].step.high).s);
  heading(c, &n, line);
  write_line(c, line, sizeof line, MSG_EX_ZERO_CUT, text_u64(q->resolved.accumulation).s);
  heading(c, &n, line);
  return EXIT_YES;
}

/* ---- oom --------------------------------------------------------------------------------------------------------- */

static void print_stages(const cli *c, const explain_question *q)
{
  size_t pp = (size_t)q->resolved.pp;
  size_t count = 0;
  dtc_memory *stages = grow(NULL, pp * sizeof *stages);
  for (size_t i = 0; i < pp; i++)
    DTC_INIT(&stages[i]);
  if (dtc_memory_stages(&q->model.model, explain_cluster(q), &q->plan.plan, NULL, 0, stages, pp, &count, NULL) ==
      DTC_OK)
    for (size_t i = 0; i < count; i++)
      print_line(c, MSG_EX_OOM_STAGE, text_u64(i).s, text_gib(stages[i].device).s);
  free(stages);
}

/* GPUs of a node: of a cluster that was not named 8. */
static uint64_t node_of(const explain_question *q)
{
  return q->cluster.given && q->cluster.cluster.gpus_per_node != 0 ? q->cluster.cluster.gpus_per_node : 8;
}

static void print_beside(const cli *c, const explain_question *q, unsigned *n)
{
  const dtc_memory *m = &q->memory;
  double world = gpus_of(&q->resolved);
  msg which = world <= 1                    ? MSG_EX_OOM_BESIDE_ONE
              : world <= (double)node_of(q) ? MSG_EX_OOM_BESIDE_NODE
                                            : MSG_EX_OOM_BESIDE;
  char line[512];
  write_line(c, line, sizeof line, which, text_gib(m->reserved - m->allocated).s, text_gib(m->device - m->reserved).s);
  heading(c, n, line);
}

static void print_host(const cli *c, const explain_question *q, unsigned *n)
{
  char line[512];
  char of[64] = "";
  if (q->memory.host_node == 0)
    return;
  if (q->cluster.given && q->cluster.cluster.host_memory != 0)
    write_line(c, of, sizeof of, MSG_EX_OOM_HOST_OF, text_gib(q->cluster.cluster.host_memory).s);
  write_line(c, line, sizeof line, MSG_EX_OOM_HOST, text_gib(q->memory.host_node).s,
             text_gib(q->memory.host_node_high).s, of);
  heading(c, n, line);
}

static int oom(const cli *c, const args *a, const explain_question *q)
{
  const dtc_memory *m = &q->memory;
  dtc_memory_remedy remedies[REMEDIES];
  size_t count = 0;
  unsigned n = 0;
  if (!q->memory_known)
    return fail_with(c, NULL, &q->memory_refused);
  if (dtc_memory_remedies(&q->model.model, explain_cluster(q), &q->plan.plan, NULL, 0, remedies, REMEDIES, &count,
                          NULL) != DTC_OK)
    count = 0;
  if (c->json) {
    json j;
    json_start(&j, a->command);
    json_text(&j, "topic", "oom");
    json_memory(&j, "worst", m);
    memory_json_remedies(&j, remedies, count);
    json_end(&j);
    return EXIT_YES;
  }
  print_model(c, &q->model);
  heading(c, &n, say(c, MSG_EX_OOM_ITEMS));
  print_memory(c, m);
  print_verdict(c, m->device, m->capacity);
  if (q->resolved.pp > 1) {
    heading(c, &n, say(c, MSG_EX_OOM_STAGES));
    print_stages(c, q);
  }
  print_beside(c, q, &n);
  print_host(c, q, &n);
  if (count != 0) {
    heading(c, &n, say(c, MSG_EX_OOM_REMEDY));
    memory_print_remedies(c, m, remedies, count);
  }
  heading(c, &n, say(c, MSG_EX_OOM_MESSAGE));
  return EXIT_YES;
}

/* ---- init -------------------------------------------------------------------------------------------------------- */

static void print_findings(const cli *c, const explain_question *q)
{
  char why[1024];
  print_line(c, MSG_EX_INIT_LEGAL, text_u64(q->finding_count).s);
  for (size_t i = 0; i < q->finding_count; i++) {
    dtc_error_format(&q->findings[i], c->lang, why, sizeof why);
    print_line(c, MSG_WARNING, why);
  }
}

static int init(const cli *c, const args *a, const explain_question *q)
{
  const dtc_plan *p = &q->resolved;
  uint64_t world = (uint64_t)gpus_of(p);
  uint64_t node = world < node_of(q) ? world : node_of(q);
  uint64_t nodes = world / node + (world % node != 0);
  unsigned n = 0;
  char line[1024];
  if (c->json) {
    json j;
    json_start(&j, a->command);
    json_text(&j, "topic", "init");
    json_u64(&j, "world", world);
    json_u64(&j, "nodes", nodes);
    json_u64(&j, "processes_per_node", node);
    json_u64(&j, "warnings", q->finding_count);
    json_u64(&j, "loading_bytes", 2 * q->model.params);
    json_end(&j);
    return EXIT_YES;
  }
  print_model(c, &q->model);
  write_line(c, line, sizeof line, MSG_EX_INIT_WORLD, text_u64(world).s, text_u64(p->tp).s, text_u64(p->cp).s,
             text_u64(p->pp).s, text_u64(p->dp).s, text_u64(nodes).s, text_u64(node).s, text_u64(node).s,
             text_u64(world).s);
  heading(c, &n, line);
  if (world % node != 0)
    print_line(c, MSG_EX_INIT_ODD, text_u64(world).s, text_u64(node).s);
  heading(c, &n, say(c, MSG_EX_INIT_PLAN));
  print_findings(c, q);
  heading(c, &n, say(c, MSG_EX_INIT_RENDEZVOUS));
  heading(c, &n, say(c, MSG_EX_INIT_NCCL));
  write_line(c, line, sizeof line, MSG_EX_INIT_LINT, text_u64(world).s, text_u64(nodes).s);
  heading(c, &n, line);
  write_line(c, line, sizeof line, MSG_EX_INIT_MEMORY, text_gib(2 * q->model.params).s, text_u64(node).s,
             text_gib(2 * q->model.params * node).s);
  heading(c, &n, line);
  return EXIT_YES;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static const struct {
  const char *word;
  int (*tell)(const cli *c, const args *a, const explain_question *q);
} topics[] = {{"slow", slow}, {"zero3", zero3}, {"oom", oom}, {"init", init}};
enum { TOPICS = sizeof topics / sizeof *topics };

bool explain_is_topic(const char *word)
{
  for (size_t i = 0; i < TOPICS; i++)
    if (strcmp(topics[i].word, word) == 0)
      return true;
  return false;
}

int explain_topic(const cli *c, const args *a, const char *topic, explain_question *q)
{
  if (q->model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, q->model.name);
  for (size_t i = 0; i < TOPICS; i++)
    if (strcmp(topics[i].word, topic) == 0)
      return topics[i].tell(c, a, q);
  return EXIT_BAD_INPUT;
}
