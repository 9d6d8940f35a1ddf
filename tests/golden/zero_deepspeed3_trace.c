/* zero_deepspeed3_trace.csv: what ZeRO-3 gathers and holds in one iteration. The rows hold modules with parameters only. */
#include "batches.h"

/* Calls of modules, in order. */
typedef struct calls {
  dtc_module *list;
  size_t n;
} calls;

static void call(calls *c, size_t first, size_t tensors)
{
  c->list = batches_grown(c->list, c->n + 1, sizeof *c->list);
  c->list[c->n++] = (dtc_module){(uint32_t)first, (uint32_t)tensors};
}

/* A layer of Llama: its tensors stand as q, k, v, o, gate, up, down and two norms. */
static void llama_layer(calls *c, size_t first)
{
  static const uint8_t order[] = {7, 0, 1, 2, 3, 8, 4, 5, 6};
  for (size_t k = 0; k < sizeof order; k++)
    call(c, first + order[k], 1);
}

static void gpt2_layer(calls *c, size_t first)
{
  for (size_t k = 0; k < 6; k++)
    call(c, first + 2 * k, 2);
}

/* Forward of the row's model. Sets where its layers begin, and how many calls each has. */
static void forward(calls *c, size_t tensors, int gpt2, size_t *layers, size_t *length)
{
  size_t per = gpt2 ? 12 : 9, before = gpt2 ? 2 : 1, i = before;
  for (size_t k = 0; k < before; k++)
    call(c, k, 1);
  *layers = c->n;
  *length = gpt2 ? 6 : 9;
  for (; i + per + (gpt2 ? 2 : 1) <= tensors; i += per)
    gpt2 ? gpt2_layer(c, i) : llama_layer(c, i);
  call(c, i, gpt2 ? 2 : 1);
  call(c, gpt2 ? 0 : i + 1, 1); /* GPT-2's head is its embedding */
}

static void again(calls *c, size_t i)
{
  dtc_module m = c->list[i];
  call(c, m.first, m.tensors);
}

/* Backward: everything in reverse, with checkpointing each layer's forward before it. */
static void backward(calls *c, size_t layers, size_t length, int checkpointing)
{
  size_t n = c->n;
  for (size_t i = n; i-- > 0;) {
    int last = i + 2 < n && i >= layers && (i - layers) % length == length - 1;
    for (size_t k = 0; checkpointing && last && k < length; k++)
      again(c, i + 1 - length + k);
    again(c, i);
  }
}

static uint64_t or_none(uint64_t value)
{
  return value != 0 ? value : DTC_NONE;
}

static int row_in(const golden *g, dtc_shards *s, dtc_tracing *t)
{
  DTC_INIT(s);
  s->scheme = DTC_SHARD_SCHEME_ZERO3;
  s->world = golden_number(g, "world");
  s->persistence = or_none(golden_number(g, "persist_thr"));
  DTC_INIT(t);
  t->prefetch = or_none(golden_number(g, "prefetch_bucket"));
  t->max_live = golden_number(g, "max_live");
  t->max_reuse = or_none(golden_number(g, "max_reuse"));
  t->first_step = golden_is(g, "iteration", "0") ? DTC_BOOL_ON : DTC_BOOL_OFF;
  return golden_is(g, "act_ckpt", "1");
}

static void answer(golden *g, const dtc_trace *t)
{
  golden_u64(g, "gathered_fwd", t->gathered_forward);
  golden_u64(g, "gathered_bwd", t->gathered_backward);
  golden_u64(g, "calls_fwd", t->calls_forward);
  golden_u64(g, "calls_bwd", t->calls_backward);
  golden_u64(g, "gathered_step", t->gathered_step);
  golden_u64(g, "peak_live_numel", t->peak_live);
  golden_u64(g, "peak_gather_buffer_numel", t->peak_buffers);
  golden_u64(g, "max_call_numel", t->largest_call);
  golden_u64(g, "live_at_step", t->live_at_step);
}

void golden_zero_deepspeed3_trace(golden *g)
{
  static calls c;
  dtc_shards s;
  dtc_tracing tracing;
  dtc_trace t;
  dtc_error err;
  size_t layers = 0, length = 0;
  uint64_t tensors = 0, elements = 0;
  int checkpointing = row_in(g, &s, &tracing);
  const shards_layout *l = shards_lay(g, &s);
  if (l == NULL)
    return;
  DTC_INIT(&err);
  DTC_INIT(&t);
  c.n = 0;
  forward(&c, l->model->n, golden_is(g, "model", "gpt2"), &layers, &length);
  tracing.backward = c.n;
  backward(&c, layers, length, checkpointing);
  dtc_status status =
      dtc_shards_trace(&s, l->model->shapes, l->model->n, c.list, c.n, &tracing, &t, l->scratch, l->n_scratch, &err);
  if (golden_ok(g, status, &err))
    answer(g, &t);
  if (golden_ok(g, dtc_shards_persistent(&s, l->model->shapes, l->model->n, &tensors, &elements, &err), &err)) {
    golden_u64(g, "n_persist", tensors);
    golden_u64(g, "persist_numel", elements);
  }
}
