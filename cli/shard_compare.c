#include "shard_compare.h"

#include "report.h"
#include "shard_step.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>

typedef struct family {
  const char *name;
  dtc_shard_scheme scheme;
  uint32_t stage; /* of zero12 */
} family;

/* DDP first: the others stand beside it. */
static const family families[] = {
    {"ddp", DTC_SHARD_SCHEME_DDP, 0},      {"zero1", DTC_SHARD_SCHEME_ZERO12, 1},
    {"zero2", DTC_SHARD_SCHEME_ZERO12, 2}, {"zero3", DTC_SHARD_SCHEME_ZERO3, 0},
    {"fsdp2", DTC_SHARD_SCHEME_FSDP2, 0},  {"distopt", DTC_SHARD_SCHEME_DISTOPT, 0},
};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct row {
  uint64_t states; /* weights, master, moments and gradients of the heaviest rank, bytes */
  uint64_t more;   /* buffers, and the most that comes on top of them at a time, bytes */
  uint64_t sent;   /* by a rank in a step, with rings, bytes */
} row;

static uint64_t largest(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static row row_of(uint64_t world, const shard_step *v)
{
  const dtc_shard_bytes *b = &v->bytes;
  row r = {.states = b->weights + b->master + b->moments + b->gradients};
  r.more = b->buckets + largest(largest(b->reduce, b->gathered), b->step);
  for (size_t i = 0; i < v->n; i++) {
    double once = (double)v->messages[i].bytes / (double)world * (double)(world - 1);
    r.sent += (uint64_t)(v->messages[i].op == DTC_COLLECTIVE_ALL_REDUCE ? 2 * once : once);
  }
  return r;
}

/* Settings but the world and the type are the framework's own. */
static int find_row(const cli *c, const shard_arg *s, const family *f, uint64_t micro_batches, row *out)
{
  shard_arg other = {.tensors = s->tensors};
  shard_step v;
  DTC_INIT(&other.shards);
  other.shards.scheme = f->scheme;
  other.shards.stage = f->stage;
  other.shards.world = s->shards.world;
  other.shards.dtype = s->shards.dtype;
  int code = shards_lay(c, &other.tensors, &other.shards, &other.slots, &other.totals);
  if (code == 0)
    code = shard_step_read(c, &other, micro_batches, &v);
  free(other.slots);
  if (code == 0)
    *out = row_of(other.shards.world, &v);
  return code;
}

static void compare_text(const cli *c, const shard_arg *s, const row *rows, uint64_t micro_batches)
{
  static const msg head[] = {MSG_EMPTY, MSG_STATES_GIB, MSG_OF_DDP, MSG_MORE_GIB, MSG_SENT_GIB, MSG_OF_DDP};
  table t = table_new("lrrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < FAMILIES; i++) {
    table_cell(&t, families[i].name);
    table_cell(&t, text_gib_small(rows[i].states).s);
    table_cell(&t, text_percent((double)rows[i].states, (double)rows[0].states).s);
    table_cell(&t, text_gib_small(rows[i].more).s);
    table_cell(&t, text_gib_small(rows[i].sent).s);
    table_cell(&t, rows[0].sent == 0 ? "" : text_percent((double)rows[i].sent, (double)rows[0].sent).s);
  }
  print_line(c, MSG_COMPARE_TITLE, text_thousands(s->totals.numel).s, text_u64(s->shards.world).s,
             text_u64(micro_batches).s);
  table_print(c, &t, 2);
  print_line(c, MSG_COMPARE_NOTE);
}

static void compare_json(const args *a, const shard_arg *s, const row *rows, uint64_t micro_batches)
{
  json j;
  json_start(&j, a->command);
  json_shards(&j, s);
  json_u64(&j, "micro_batches", micro_batches);
  json_array(&j, "families");
  for (size_t i = 0; i < FAMILIES; i++) {
    json_object(&j, NULL);
    json_text(&j, "name", families[i].name);
    json_u64(&j, "states", rows[i].states);
    json_u64(&j, "more", rows[i].more);
    json_u64(&j, "sent", rows[i].sent);
    json_end(&j);
  }
  json_end(&j);
  json_end(&j);
}

int answer_shard_compare(const cli *c, const args *a, const shard_arg *s)
{
  row rows[FAMILIES];
  uint64_t micro_batches;
  if (args_number(c, a, OPT_MICRO_BATCHES, 1, 1, &micro_batches) != 0)
    return EXIT_BAD_INPUT;
  for (size_t i = 0; i < FAMILIES; i++)
    if (find_row(c, s, &families[i], micro_batches, &rows[i]) != 0)
      return EXIT_BAD_INPUT;
  if (c->json)
    compare_json(a, s, rows, micro_batches);
  else
    compare_text(c, s, rows, micro_batches);
  return EXIT_YES;
}
