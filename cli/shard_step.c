#include "shard_step.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

typedef struct step {
  shard_step shown;
  bool offloads;
  dtc_offload_bytes offload;
} step;

/* A line of a table: an item of a struct of the library, bytes. */
typedef struct item {
  msg name;
  uint32_t offset;
} item;

static const item held[] = {{MSG_HELD_WEIGHTS, offsetof(dtc_shard_bytes, weights)},
                            {MSG_HELD_MASTER, offsetof(dtc_shard_bytes, master)},
                            {MSG_HELD_MOMENTS, offsetof(dtc_shard_bytes, moments)},
                            {MSG_HELD_GRADIENTS, offsetof(dtc_shard_bytes, gradients)},
                            {MSG_HELD_BUCKETS, offsetof(dtc_shard_bytes, buckets)},
                            {MSG_HELD_REDUCE, offsetof(dtc_shard_bytes, reduce)},
                            {MSG_HELD_GATHERED, offsetof(dtc_shard_bytes, gathered)},
                            {MSG_HELD_STEP, offsetof(dtc_shard_bytes, step)},
                            {MSG_HELD_REQUEST, offsetof(dtc_shard_bytes, step_request)}};

static const item moved[] = {{MSG_MOVED_TO_HOST, offsetof(dtc_offload_bytes, to_host)},
                             {MSG_MOVED_TO_DEVICE, offsetof(dtc_offload_bytes, to_device)},
                             {MSG_MOVED_NVME_READ, offsetof(dtc_offload_bytes, nvme_read)},
                             {MSG_MOVED_NVME_WRITE, offsetof(dtc_offload_bytes, nvme_write)},
                             {MSG_HELD_HOST, offsetof(dtc_offload_bytes, host)},
                             {MSG_HELD_NVME, offsetof(dtc_offload_bytes, nvme)}};

/* Names of dtc_offload, in its order: no field of a struct has them. */
static int read_offload(const cli *c, const char *name, dtc_offload *out)
{
  static const char names[][12] = {"optimizer", "params", "nvme"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      *out = (dtc_offload)(DTC_OFFLOAD_OPTIMIZER + i);
  return *out != DTC_OFFLOAD_DEFAULT ? 0 : fail(c, MSG_UNKNOWN_VALUE, "offload", name, "optimizer, params, nvme");
}

int shard_step_read(const cli *c, const shard_arg *s, uint64_t micro_batches, shard_step *out)
{
  const tensors *t = &s->tensors;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&out->bytes);
  out->micro_batches = micro_batches;
  dtc_status status = dtc_shards_messages(&s->shards, t->shapes, t->n, s->slots, t->n, micro_batches, out->messages,
                                          STEP_MESSAGES, &out->n, &err);
  if (status == DTC_OK)
    status = dtc_shards_bytes(&s->shards, t->shapes, t->n, s->slots, t->n, s->totals.heaviest, micro_batches,
                              &out->bytes, &err);
  return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

static int find_step(const cli *c, const args *a, const shard_arg *s, step *v)
{
  const tensors *t = &s->tensors;
  dtc_offload offload = DTC_OFFLOAD_DEFAULT;
  uint64_t micro_batches;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&v->offload);
  v->offloads = a->value[OPT_OFFLOAD] != NULL;
  if (args_number(c, a, OPT_MICRO_BATCHES, 1, 1, &micro_batches) != 0)
    return EXIT_BAD_INPUT;
  if (v->offloads && read_offload(c, a->value[OPT_OFFLOAD], &offload) != 0)
    return EXIT_BAD_INPUT;
  if (shard_step_read(c, s, micro_batches, &v->shown) != 0)
    return EXIT_BAD_INPUT;
  if (v->offloads && dtc_shards_offload(&s->shards, t->shapes, t->n, s->slots, t->n, s->totals.heaviest, micro_batches,
                                        offload, &v->offload, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

static void print_messages(const cli *c, const shard_step *v)
{
  static const msg head[] = {MSG_COLLECTIVE, MSG_PHASE, MSG_AMONG, MSG_CALLS};
  table t = table_new("lllrr");
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    table_cell(&t, say(c, head[i]));
  table_cell(&t, "GiB");
  for (size_t i = 0; i < v->n; i++) {
    const dtc_message *m = &v->messages[i];
    table_cell(&t, dtc_value_name(DTC_FIELD(message, op), m->op));
    table_cell(&t, dtc_value_name(DTC_FIELD(message, phase), m->phase));
    table_cell(&t, dtc_value_name(DTC_FIELD(message, group), m->group));
    table_cell(&t, m->calls != DTC_NONE ? text_thousands(m->calls).s : "?");
    table_cell(&t, text_gib_small(m->bytes).s);
  }
  print_line(c, MSG_STEP_MESSAGES, text_u64(v->micro_batches).s);
  if (v->n != 0)
    table_print(c, &t, 2);
}

static void print_items(const cli *c, const item *items, size_t n, const void *object)
{
  table t = table_new("lrr");
  table_cell(&t, "");
  table_cell(&t, say(c, MSG_BYTES));
  table_cell(&t, "GiB");
  for (size_t i = 0; i < n; i++) {
    uint64_t bytes;
    memcpy(&bytes, (const char *)object + items[i].offset, sizeof bytes);
    table_cell(&t, say(c, items[i].name));
    table_cell(&t, text_thousands(bytes).s);
    table_cell(&t, text_gib_small(bytes).s);
  }
  table_print(c, &t, 2);
}

static void step_text(const cli *c, const shard_arg *s, const step *v)
{
  print_shards(c, s);
  putchar('\n');
  print_messages(c, &v->shown);
  print_line(c, MSG_STEP_HELD, text_u64(s->totals.heaviest).s);
  print_items(c, held, sizeof held / sizeof *held, &v->shown.bytes);
  if (!v->offloads)
    return;
  print_line(c, MSG_STEP_OFFLOAD);
  print_items(c, moved, sizeof moved / sizeof *moved, &v->offload);
}

static void json_message(json *j, const dtc_message *m)
{
  json_object(j, NULL);
  json_text(j, "op", dtc_value_name(DTC_FIELD(message, op), m->op));
  json_text(j, "phase", dtc_value_name(DTC_FIELD(message, phase), m->phase));
  json_text(j, "group", dtc_value_name(DTC_FIELD(message, group), m->group));
  json_u64(j, "bytes", m->bytes);
  if (m->calls != DTC_NONE)
    json_u64(j, "calls", m->calls);
  else
    json_null(j, "calls");
  json_end(j);
}

static void step_json(const args *a, const shard_arg *s, const step *v)
{
  json j;
  json_start(&j, a->command);
  json_shards(&j, s);
  json_u64(&j, "micro_batches", v->shown.micro_batches);
  json_array(&j, "messages");
  for (size_t i = 0; i < v->shown.n; i++)
    json_message(&j, &v->shown.messages[i]);
  json_end(&j);
  json_u64(&j, "rank", s->totals.heaviest);
  json_struct(&j, "bytes", DTC_STRUCT_shard_bytes, &v->shown.bytes);
  if (v->offloads)
    json_struct(&j, "offload", DTC_STRUCT_offload_bytes, &v->offload);
  else
    json_null(&j, "offload");
  json_end(&j);
}

int answer_shard_step(const cli *c, const args *a, const shard_arg *s)
{
  step v;
  if (find_step(c, a, s, &v) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    step_json(a, s, &v);
  else
    step_text(c, s, &v);
  return EXIT_YES;
}
