#include "shard_trace.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When in its layer a module is called; norms stand before, between and behind the two halves. */
typedef enum phase { BEFORE, ATTENTION, BETWEEN, MLP, BEHIND } phase;

/* A module that owns tensors, where it is called. */
typedef struct module_call {
  dtc_module module;
  uint64_t part; /* 0 before the layers, 1 + layer in one, the rest behind them */
  phase phase;
  dtc_tensor_kind kind;
} module_call;

typedef struct calls {
  module_call *list; /* of forward */
  size_t n;
  dtc_module *all; /* of forward and backward */
  size_t count;
  size_t backward; /* index of its first call */
} calls;

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/* Bytes of the name of the module that owns a tensor. */
static size_t owner_length(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot == NULL ? strlen(name) : (size_t)(dot - name);
}

/* One module for each run of tensors that have the same owner. */
static int find_modules(const cli *c, const tensors *t, calls *out)
{
  char before[TENSOR_NAME] = "";
  bool layers = false;
  out->list = grow(NULL, (t->n + 2) * sizeof *out->list);
  for (size_t i = 0; i < t->n; i++) {
    char name[TENSOR_NAME];
    dtc_tensor one;
    dtc_error err;
    DTC_INIT(&one);
    DTC_INIT(&err);
    if (dtc_model_tensor(&t->model.model, t->index != NULL ? t->index[i] : i, &one, &err) != DTC_OK)
      return fail_with(c, NULL, &err);
    tensor_name(c, t, i, name);
    name[owner_length(name)] = 0;
    layers = layers || one.layer != DTC_NONE;
    if (out->n > 0 && strcmp(name, before) == 0) {
      out->list[out->n - 1].module.tensors++;
      continue;
    }
    out->list[out->n++] = (module_call){.module = {(uint32_t)i, 1},
                                        .part = one.layer != DTC_NONE ? one.layer + 1
                                                : layers              ? DTC_NONE
                                                                      : 0,
                                        .kind = one.kind};
    memcpy(before, name, sizeof before);
  }
  return 0;
}

/* Two norms stand before the halves of a layer, four around each of them; a single one is shared by both. */
static phase norm_phase(size_t index, size_t count)
{
  static const phase of_four[] = {BEFORE, BETWEEN, BETWEEN, BEHIND};
  return count == 4 ? of_four[index] : index == 0 ? BEFORE : BETWEEN;
}

static void set_phases(calls *k)
{
  for (size_t i = 0; i < k->n;) {
    size_t end = i;
    size_t norms = 0;
    size_t seen = 0;
    for (; end < k->n && k->list[end].part == k->list[i].part; end++)
      norms += k->list[end].kind == DTC_TENSOR_KIND_NORM;
    for (; i < end; i++) {
      module_call *m = &k->list[i];
      if (m->kind == DTC_TENSOR_KIND_NORM)
        m->phase = norm_phase(seen++, norms);
      else
        m->phase = m->kind == DTC_TENSOR_KIND_ATTENTION ? ATTENTION : MLP;
    }
  }
}

static int by_call(const void *a, const void *b)
{
  const module_call *x = a;
  const module_call *y = b;
  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  bool layer = x->part != 0 && x->part != DTC_NONE;
  if (layer && x->phase != y->phase)
    return x->phase < y->phase ? -1 : 1;
  return x->module.first < y->module.first ? -1 : 1;
}

/* A tied head is the embedding once more. */
static void add_head(calls *k)
{
  size_t embedding = k->n;
  for (size_t i = 0; i < k->n; i++) {
    if (k->list[i].kind == DTC_TENSOR_KIND_HEAD)
      return;
    if (k->list[i].kind == DTC_TENSOR_KIND_EMBEDDING && embedding == k->n)
      embedding = i;
  }
  if (embedding == k->n)
    return;
  module_call head = k->list[embedding];
  head.part = DTC_NONE;
  k->list[k->n++] = head;
}

/* Backward is forward in reverse; with activation checkpointing a layer's forward stands before its backward. */
static void add_backward(calls *k, bool checkpointing)
{
  k->all = grow(NULL, (k->n * 3 + 1) * sizeof *k->all);
  for (size_t i = 0; i < k->n; i++)
    k->all[k->count++] = k->list[i].module;
  k->backward = k->count;
  for (size_t end = k->n; end > 0;) {
    size_t begin = end;
    while (begin > 0 && k->list[begin - 1].part == k->list[end - 1].part)
      begin--;
    bool layer = k->list[begin].part != 0 && k->list[begin].part != DTC_NONE;
    for (size_t i = begin; checkpointing && layer && i < end; i++)
      k->all[k->count++] = k->list[i].module;
    for (; end > begin; end--)
      k->all[k->count++] = k->list[end - 1].module;
  }
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static int run_trace(const cli *c, const shard_arg *s, const calls *k, const dtc_tracing *how, dtc_trace *out)
{
  const tensors *t = &s->tensors;
  size_t n;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(out);
  uint64_t *scratch = shards_scratch(c, &s->shards, t, &n);
  dtc_status status = dtc_shards_trace(&s->shards, t->shapes, t->n, k->all, k->count, how, out, scratch, n, &err);
  free(scratch);
  return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

static void trace_row(const cli *c, const shard_arg *s, table *t, msg name, const char *count, uint64_t elements)
{
  table_cell(t, say(c, name));
  table_cell(t, count);
  table_cell(t, text_thousands(elements).s);
  table_cell(t, text_gib_small(elements_bytes(&s->shards, elements)).s);
}

static void trace_text(const cli *c, const shard_arg *s, const dtc_trace *v)
{
  table t = table_new("lrrr");
  table_cell(&t, "");
  table_cell(&t, say(c, MSG_CALLS));
  table_cell(&t, say(c, MSG_ELEMENTS));
  table_cell(&t, "GiB");
  trace_row(c, s, &t, MSG_TRACE_FORWARD, text_u64(v->calls_forward).s, v->gathered_forward);
  trace_row(c, s, &t, MSG_TRACE_BACKWARD, text_u64(v->calls_backward).s, v->gathered_backward);
  trace_row(c, s, &t, MSG_TRACE_STEP, "", v->gathered_step);
  trace_row(c, s, &t, MSG_TRACE_LARGEST, "", v->largest_call);
  trace_row(c, s, &t, MSG_TRACE_LIVE, "", v->peak_live);
  trace_row(c, s, &t, MSG_TRACE_BUFFERS, "", v->peak_buffers);
  trace_row(c, s, &t, MSG_TRACE_AT_STEP, "", v->live_at_step);
  print_shards(c, s);
  putchar('\n');
  table_print(c, &t, 2);
  print_line(c, MSG_TRACE_NOTE);
}

int answer_shard_trace(const cli *c, const args *a, const shard_arg *s)
{
  calls k = {0};
  dtc_tracing how;
  dtc_trace v;
  if (!s->tensors.has_model)
    return fail(c, MSG_TRACE_NEEDS_MODEL);
  DTC_INIT(&how);
  if (fields_set(c, a, DTC_STRUCT_tracing, &how) != 0 || find_modules(c, &s->tensors, &k) != 0)
    return EXIT_BAD_INPUT;
  set_phases(&k);
  qsort(k.list, k.n, sizeof *k.list, by_call);
  add_head(&k);
  add_backward(&k, a->value[OPT_CHECKPOINTING] != NULL);
  how.backward = k.backward;
  int code = run_trace(c, s, &k, &how, &v);
  if (code == 0 && c->json) {
    json j;
    json_start(&j, a->command);
    json_shards(&j, s);
    json_struct(&j, "trace", DTC_STRUCT_trace, &v);
    json_end(&j);
  } else if (code == 0) {
    trace_text(c, s, &v);
  }
  free(k.list);
  free(k.all);
  return code;
}
