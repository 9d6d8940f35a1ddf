/* Values of arguments about pipelines: jobs of a few ranks and micro-batches, their ops and times, splits of layers. */
#include "harness/values.h"
#include "internal/internal.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- jobs ------------------------------------------------------------------------------------ */

/* A job that resolves is kept in *pipe when it stays small: a generated order takes long for a large one. */
static int keep(const dtc_pipe *wanted, dtc_pipe *pipe)
{
  dtc_pipe resolved;
  DTC_INIT(&resolved);
  int small = wanted->pp <= 8 && wanted->vpp <= 4 && wanted->micro_batches <= 32;
  if (!small || dtc_pipe_resolve(wanted, &resolved, NULL) != DTC_OK)
    return 0;
  *pipe = *wanted;
  return 1;
}

/* A schedule over a few ranks, and some of its settings. */
dtc_pipe base_pipe(call *c)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_pipe);
  dtc_pipe pipe;
  DTC_INIT(&pipe);
  pipe.schedule = take_byte(c) % (DTC_SCHEDULE_ZB_H2 + 1);
  pipe.pp = 1 + take_byte(c) % 8;
  pipe.micro_batches = 1 + take_byte(c) % 16;
  if (strcmp(c->name, "dtc_pipe_steps") == 0) {
    pipe.schedule = DTC_SCHEDULE_1F1B;
    pipe.framework = DTC_FRAMEWORK_DEEPSPEED;
  }
  if (!keep(&pipe, &pipe)) { /* what every schedule takes */
    pipe.pp += pipe.pp % 2;
    pipe.micro_batches = 2 * pipe.pp;
  }
  for (unsigned changes = take_byte(c) % 4; changes > 0; changes--) {
    dtc_pipe changed = pipe;
    take_field(c, (unsigned char *)&changed, &dtci_fields[s->first + 1 + take_byte(c) % (s->count - 1u)]);
    if (changed.schedule == pipe.schedule)
      keep(&changed, &pipe);
  }
  return pipe;
}

void note_pipe(call *c, const void *pipe)
{
  dtc_pipe resolved;
  DTC_INIT(&resolved);
  memcpy(&c->pipe, pipe, sizeof c->pipe);
  c->pipe.struct_size = sizeof c->pipe;
  if (dtc_pipe_resolve(&c->pipe, &resolved, NULL) != DTC_OK)
    DTC_INIT(&resolved);
  c->pipe = resolved;
}

uint64_t pipe_number(call *c, const char *name)
{
  uint64_t pick = take_byte(c);
  uint64_t rows = 0;
  if (strcmp(name, "rank") == 0)
    return pick % c->pipe.pp;
  if (strcmp(name, "chunk") == 0)
    return pick % c->pipe.vpp;
  if (strcmp(name, "index") == 0 && dtc_pipe_count(&c->pipe, &rows, NULL) == DTC_OK)
    return pick % rows;
  return strcmp(name, "items") == 0 ? 1 + pick : pick < 128 ? 0 : pick * 16;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Reads one of four small numbers from a byte. */
static unsigned part(unsigned byte, int place)
{
  return byte >> 2 * place & 3;
}

int make_pipe_record(call *c, uint32_t noun, unsigned pick, unsigned char *local)
{
  unsigned more = take_byte(c);
  dtc_pipe_op op = {.micro_batch = part(pick, 0), .chunk = (uint16_t)part(pick, 1), .kind = (uint8_t)part(pick, 2)};
  dtc_pipe_cost cost = {.forward = 1 + part(pick, 0),
                        .input = 1 + part(pick, 1),
                        .weight = part(pick, 2) / 2.0,
                        .freed_input = more % 16,
                        .freed_weight = more / 16};
  dtc_pipe_time time = {.start = part(pick, 0), .stop = 1 + pick};
  dtc_pipe_rank rank = {.start = part(pick, 0), .stop = 8 + pick, .busy = more / 64, .bytes = more};
  dtc_pipe_item item = {.cost = pick / 8.0, .bytes = more, .saved = more % 8};
  switch (noun) {
  case DTC_STRUCT_pipe_op:
    memcpy(local, &op, sizeof op);
    return 1;
  case DTC_STRUCT_pipe_cost:
    memcpy(local, &cost, sizeof cost);
    return 1;
  case DTC_STRUCT_pipe_time:
    memcpy(local, &time, sizeof time);
    return 1;
  case DTC_STRUCT_pipe_rank:
    memcpy(local, &rank, sizeof rank);
    return 1;
  case DTC_STRUCT_pipe_item:
    memcpy(local, &item, sizeof item);
    return 1;
  default:
    return 0;
  }
}

size_t pipe_length(const call *c, uint32_t noun, size_t n)
{
  size_t stages = (size_t)(c->pipe.pp * c->pipe.vpp);
  if (c->pipe.pp == 0 || stages > 32)
    return n;
  if (noun == DTC_STRUCT_pipe_cost)
    return n == 2 ? stages : 1;
  return noun == DTC_STRUCT_pipe_item ? stages - 1 + n * n : n;
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* The order; 0 when there is none, or it is too long. */
static size_t order_ops(const call *c, dtc_pipe_op *ops)
{
  uint64_t needed = 0;
  size_t n = 0;
  if (c->pipe.pp == 0 || dtc_pipe_scratch(&c->pipe, &needed, NULL) != DTC_OK || needed > 1 << 20)
    return 0;
  uint64_t *scratch = calloc((size_t)needed + 1, sizeof *scratch);
  dtc_status status = dtc_pipe_order(&c->pipe, ops, OPS_MAX, &n, scratch, (size_t)needed, NULL);
  free(scratch);
  return status == DTC_OK ? n : 0;
}

size_t make_ops(call *c, dtc_pipe_op *ops)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_pipe_op);
  unsigned how = take_byte(c);
  size_t n = order_ops(c, ops);
  if (how < 208 || c->tame || n == 0)
    return n;
  for (unsigned changes = how % 4; changes > 0; changes--) {
    dtc_pipe_op *a = &ops[take_u64(c) % n];
    dtc_pipe_op *b = &ops[take_u64(c) % n];
    dtc_pipe_op kept = *a;
    *a = *b;
    *b = kept;
    if (how % 8 > 4)
      take_field(c, (unsigned char *)a, &dtci_fields[s->first + take_byte(c) % s->count]);
  }
  return how < 240 ? n : how % (n + 1);
}

size_t make_times(call *c, dtc_pipe_time *times)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_pipe_time);
  unsigned how = take_byte(c);
  uint64_t needed = 0;
  size_t n = 0;
  if (c->n_ops == 0 || c->n_ops > OPS_MAX || dtc_pipe_scratch(&c->pipe, &needed, NULL) != DTC_OK || needed > 1 << 20)
    return 0;
  uint64_t *scratch = calloc((size_t)needed + 1, sizeof *scratch);
  dtc_status status = dtc_pipe_simulate(&c->pipe, c->ops, c->n_ops, c->costs, c->n_costs, 0, 0, DTC_PIPE_SENDS_ASYNC,
                                        times, OPS_MAX, &n, scratch, (size_t)needed, NULL);
  free(scratch);
  if (status != DTC_OK) {
    n = c->n_ops;
    memset(times, 0, n * sizeof *times);
  }
  if (how >= 208 && !c->tame)
    take_field(c, (unsigned char *)&times[how % n], &dtci_fields[s->first + take_byte(c) % s->count]);
  return how < 250 ? n : how % (n + 1);
}

/* ---- splits of layers ------------------------------------------------------------------------ */

dtc_pipe_split base_split(call *c)
{
  dtc_pipe_split split;
  DTC_INIT(&split);
  split.splitter = take_byte(c) % (DTC_SPLITTER_COLOSSALAI + 1);
  split.pp = 1 + take_byte(c) % 8;
  split.vpp = split.splitter == DTC_SPLITTER_LAYOUT ? 0 : take_byte(c) % 3;
  unsigned more = take_byte(c);
  split.layers = more < 192 ? split.pp * 2 * (1 + more % 8) : 1 + more % 64;
  return split;
}

void note_split(call *c, const void *split)
{
  memcpy(&c->split, split, sizeof c->split);
}

static int is_small(const dtc_pipe_split *split)
{
  return split->pp >= 1 && split->pp <= 16 && split->vpp <= 4 && split->layers <= NUMBERS_MAX;
}

size_t split_weights(call *c, uint64_t *numbers)
{
  size_t n = 0;
  if (c->split.splitter == DTC_SPLITTER_BALANCED && is_small(&c->split))
    for (; n < c->split.layers; n++)
      numbers[n] = take_byte(c) % 16;
  uint64_t stages = c->split.pp * (c->split.vpp == 0 ? 1 : c->split.vpp);
  if (c->split.splitter == DTC_SPLITTER_COLOSSALAI && is_small(&c->split) && take_byte(c) % 2 == 0)
    for (; n < stages; n++)
      numbers[n] = c->split.layers * (n + 1) / stages - c->split.layers * n / stages;
  return n;
}

/* "Ett|tt|tt|ttL" or "Et*2|(t*2|)*2t*2L" for the split among the arguments; nothing for other splitters. */
size_t layout_line(call *c, char *text)
{
  uint64_t pp = c->split.pp;
  unsigned how = take_byte(c);
  if (c->split.splitter != DTC_SPLITTER_LAYOUT || !is_small(&c->split))
    return 0;
  unsigned each = (unsigned)(c->split.layers / pp);
  if (how % 4 == 0 && pp > 2 && each > 0)
    return (size_t)snprintf(text, TEXT_MAX, "Et*%u|(t*%u|)*%u,t*%uL", each, each, (unsigned)pp - 2,
                            (unsigned)(c->split.layers - (pp - 1) * each));
  size_t len = (size_t)snprintf(text, TEXT_MAX, "E");
  for (uint64_t stage = 0, layer = 0; stage < pp && len < TEXT_MAX - 8; stage++) {
    for (; layer < c->split.layers * (stage + 1) / pp && len < TEXT_MAX - 8; layer++)
      text[len++] = 't';
    text[len++] = '|';
  }
  len--;
  for (uint64_t i = 0; i < c->split.mtp_layers && i < 4; i++)
    text[len++] = 'm';
  return len + (size_t)snprintf(text + len, TEXT_MAX - len, "L");
}
