#include "shard_arg.h"

#include "cluster_arg.h"
#include "report.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* "4096x4096,4096": dimensions, at most 8, of each tensor. */
static int read_shapes(const cli *c, const char *given, tensors *out)
{
  size_t cap = 1;
  for (const char *s = given; *s != 0; s++)
    cap += *s == ',';
  out->shapes = grow(NULL, cap * sizeof *out->shapes);
  dtc_shape shape = {.rows = 1, .cols = 1};
  for (const char *s = given;;) {
    char number[24];
    uint64_t n;
    size_t len = strcspn(s, "x,");
    snprintf(number, sizeof number, "%.*s", (int)(len < sizeof number ? len : 0), s);
    uint64_t most = shape.dims > 0 && shape.cols > 0 ? ((uint64_t)1 << 40) / shape.cols : (uint64_t)1 << 40;
    if (!text_read_u64(number, &n) || n > most || shape.dims == 8)
      return fail(c, MSG_BAD_VALUE, "shapes", given, "NxN,N,...");
    if (shape.dims == 0)
      shape.rows = n;
    else
      shape.cols *= n;
    shape.dims++;
    s += len;
    if (*s != 'x') {
      out->shapes[out->n++] = shape;
      shape = (dtc_shape){.rows = 1, .cols = 1};
    }
    if (*s++ == 0)
      return 0;
  }
}

/* Leaves only the tensors of a layer. */
static int keep_layer(const cli *c, const args *a, tensors *t)
{
  uint64_t layer;
  size_t kept = 0;
  if (args_number(c, a, OPT_LAYER, 0, 0, &layer) != 0)
    return EXIT_BAD_INPUT;
  if (layer >= t->model.model.layers)
    return fail(c, MSG_COUNT_RANGE, "layer", a->value[OPT_LAYER], "0", text_u64(t->model.model.layers - 1).s);
  t->index = grow(NULL, (t->n + 1) * sizeof *t->index);
  for (size_t i = 0; i < t->n; i++) {
    dtc_tensor one;
    dtc_error err;
    DTC_INIT(&one);
    DTC_INIT(&err);
    if (dtc_model_tensor(&t->model.model, i, &one, &err) != DTC_OK)
      return fail_with(c, NULL, &err);
    if (one.layer != layer)
      continue;
    t->shapes[kept] = t->shapes[i];
    t->index[kept++] = i;
  }
  t->n = kept;
  return 0;
}

static int shapes_of_model(const cli *c, const args *a, tensors *out)
{
  uint64_t count;
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_model_tensor_count(&out->model.model, &count, &err) != DTC_OK)
    return fail_with(c, out->model.name, &err);
  out->shapes = grow(NULL, (size_t)(count + 1) * sizeof *out->shapes);
  if (dtc_shards_shapes(&out->model.model, out->shapes, (size_t)count, &out->n, &err) != DTC_OK)
    return fail_with(c, out->model.name, &err);
  return a->value[OPT_LAYER] != NULL ? keep_layer(c, a, out) : 0;
}

int tensors_read(const cli *c, const args *a, const plan_arg *plan, tensors *out)
{
  const char *shapes = a->value[OPT_SHAPES];
  if (shapes == NULL && a->operand == NULL && (plan == NULL || !plan->has_model))
    return fail(c, MSG_NEEDS_TENSORS, a->command);
  if (shapes != NULL && (a->value[OPT_LAYER] != NULL || (a->operand != NULL && plan == NULL)))
    return fail(c, MSG_TENSORS_TWICE);
  if (a->operand != NULL || plan != NULL) {
    if (model_arg_read(c, a, plan, &out->model) != 0)
      return EXIT_BAD_INPUT;
    if (out->model.size_only)
      return fail(c, MSG_SIZE_HAS_NO_SHAPE, out->model.name);
  }
  out->has_model = shapes == NULL;
  return shapes != NULL ? read_shapes(c, shapes, out) : shapes_of_model(c, a, out);
}

void tensor_name(const cli *c, const tensors *t, size_t i, char out[TENSOR_NAME])
{
  uint64_t index = t->index != NULL ? t->index[i] : i;
  if (!t->has_model || dtc_model_tensor_name(&t->model.model, index, out, TENSOR_NAME, NULL, NULL) != DTC_OK)
    write_line(c, out, TENSOR_NAME, MSG_TENSOR_NUMBER, text_u64(i).s);
}

void shape_text(const dtc_shape *s, char out[TENSOR_NAME])
{
  bool vector = s->dims == 1 || (s->dims == 0 && s->cols == 1);
  snprintf(out, TENSOR_NAME, vector ? "%s" : "%s x %s", text_u64(s->rows).s, text_u64(s->cols).s);
}

int tensor_find(const cli *c, const tensors *t, const char *name, size_t *index)
{
  uint64_t number;
  char one[TENSOR_NAME];
  if (text_read_u64(name, &number)) {
    *index = (size_t)number;
    return number < t->n ? 0 : fail(c, MSG_COUNT_RANGE, "tensor", name, "0", text_u64(t->n - 1).s);
  }
  const char **names = grow(NULL, (t->n + 1) * sizeof *names);
  char *all = grow(NULL, (t->n + 1) * sizeof one);
  for (size_t i = 0; i < t->n; i++) {
    names[i] = all + i * sizeof one;
    tensor_name(c, t, i, all + i * sizeof one);
  }
  *index = nearest_name(name, names, t->n);
  snprintf(one, sizeof one, "%s", names[*index]);
  free(names);
  free(all);
  return strcmp(one, name) == 0 ? 0 : fail(c, MSG_UNKNOWN_TENSOR, name, one);
}

/* ---- sharding ---------------------------------------------------------------------------------------------------- */

/* "500000000", "5e8", "40M", "25MiB"; "none" where the library takes it. The library's 0 is a default, the frameworks' 0
 * is none. */
static bool read_size(uint32_t field, const char *s, uint64_t *n)
{
  bool to_none = field == DTC_FIELD(shards, persistence) || field == DTC_FIELD(tracing, prefetch) ||
                 field == DTC_FIELD(tracing, max_reuse);
  if (strcmp(s, "none") == 0 || (to_none && strcmp(s, "0") == 0)) {
    *n = DTC_NONE;
    return true;
  }
  return (text_read_u64(s, n) || text_read_params(s, n) || text_read_bytes(s, n)) && *n != 0;
}

int field_set(const cli *c, const option *o, const char *shown, const char *value, void *object)
{
  const char *name = dtc_field_name(o->field);
  void *member = (char *)object + (o->field & 0xffff);
  char list[512];
  uint64_t n;
  uint32_t word = 0;
  if (o->field == DTC_FIELD(shards, scheme))
    return value_read(c, name, o->field, value, member, &((dtc_shards *)object)->version);
  if (value_count(o->field) != 0) {
    word = value_find(o->field, value, strlen(value));
    value_list(c, o->field, list, sizeof list);
    if (word == 0)
      return fail(c, MSG_UNKNOWN_VALUE, name, value, list);
  } else if (!read_size(o->field, value, &n)) {
    return fail(c, MSG_BAD_WORD, shown, o->value);
  }
  if (word != 0)
    memcpy(member, &word, sizeof word);
  else
    memcpy(member, &n, sizeof n);
  return 0;
}

/* What a plan says by itself. */
static int check_plan(const cli *c, const args *a)
{
  static const option_id said[] = {OPT_SHARD_SCHEME, OPT_SHARD_WORLD, OPT_DTYPE, OPT_REPLICAS, OPT_STAGE};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    if (a->value[said[i]] != NULL)
      return fail(c, MSG_PLAN_SAYS, options[said[i]].name);
  }
  return 0;
}

int fields_set(const cli *c, const args *a, uint32_t number, void *object)
{
  for (size_t i = 0; i < OPT_WORDS; i++) {
    char shown[256];
    if (options[i].field >> 16 != number || a->value[i] == NULL)
      continue;
    snprintf(shown, sizeof shown, "--%s %s", options[i].name, a->value[i]);
    if (field_set(c, &options[i], shown, a->value[i], object) != 0)
      return EXIT_BAD_INPUT;
  }
  return 0;
}

/* The sharding of a plan, which needs a model. Tensors that tp, pp or ep split are not the model's own. */
static int read_plan(const cli *c, const args *a, const plan_arg *plan, const model_arg *m, dtc_shards *s)
{
  static cluster_arg cluster;
  dtc_plan p;
  dtc_error err;
  DTC_INIT(&p);
  DTC_INIT(&err);
  if (check_plan(c, a) != 0 || cluster_arg_read(c, a, &cluster) != 0)
    return EXIT_BAD_INPUT;
  const dtc_cluster *cl = cluster.given ? &cluster.cluster : NULL;
  if (dtc_shards_from_plan(&m->model, cl, &plan->plan, s, &err) != DTC_OK ||
      dtc_plan_resolve(&m->model, cl, &plan->plan, &p, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  if (a->value[OPT_SHAPES] == NULL && (p.tp > 1 || p.pp > 1 || p.ep > 1))
    return fail(c, MSG_TENSORS_SPLIT, text_u64(p.tp).s, text_u64(p.pp).s, text_u64(p.ep).s);
  return 0;
}

uint64_t *shards_scratch(const cli *c, const dtc_shards *s, const tensors *t, size_t *n)
{
  uint64_t needed;
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_shards_scratch(s, t->n, &needed, &err) != DTC_OK)
    exit(fail_with(c, NULL, &err));
  *n = (size_t)needed;
  return grow(NULL, (*n + 1) * sizeof(uint64_t));
}

int shards_lay(const cli *c, const tensors *t, const dtc_shards *s, dtc_slot **slots, dtc_shard_totals *totals)
{
  size_t n;
  size_t count;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(totals);
  uint64_t *scratch = shards_scratch(c, s, t, &n);
  *slots = grow(NULL, (t->n + 1) * sizeof **slots);
  dtc_status status = dtc_shards_layout(s, t->shapes, t->n, *slots, t->n, &count, scratch, n, &err);
  if (status == DTC_OK)
    status = dtc_shards_totals(s, t->shapes, t->n, *slots, t->n, totals, scratch, n, &err);
  free(scratch);
  return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

int shard_arg_read(const cli *c, const args *a, shard_arg *out)
{
  static plan_arg plan; /* holds a model */
  bool has_plan = a->value[OPT_PLAN] != NULL || a->word_count != 0;
  dtc_error err;
  memset(out, 0, sizeof *out);
  DTC_INIT(&out->shards);
  DTC_INIT(&err);
  if (plan_arg_read(c, a, &plan) != 0 || tensors_read(c, a, has_plan ? &plan : NULL, &out->tensors) != 0)
    return EXIT_BAD_INPUT;
  if (has_plan && read_plan(c, a, &plan, &out->tensors.model, &out->shards) != 0)
    return EXIT_BAD_INPUT;
  bool scheme = a->value[OPT_SHARD_SCHEME] != NULL || a->value[OPT_COMPARE] != NULL; /* it shows several */
  if (!has_plan && (!scheme || a->value[OPT_SHARD_WORLD] == NULL))
    return fail(c, MSG_NEEDS_SCHEME);
  if (fields_set(c, a, DTC_STRUCT_shards, &out->shards) != 0)
    return EXIT_BAD_INPUT;
  if (dtc_shards_resolve(&out->shards, &out->shards, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return shards_lay(c, &out->tensors, &out->shards, &out->slots, &out->totals);
}

/* ---- both kinds of answer ---------------------------------------------------------------------------------------- */

uint64_t elements_bytes(const dtc_shards *s, uint64_t elements)
{
  static const uint8_t bytes[] = {
      [DTC_DTYPE_BF16] = 2, [DTC_DTYPE_FP16] = 2, [DTC_DTYPE_FP32] = 4, [DTC_DTYPE_FP8] = 1, [DTC_DTYPE_FP64] = 8};
  return elements * bytes[s->dtype];
}

void json_shards(json *j, const shard_arg *s)
{
  if (s->tensors.has_model)
    json_model(j, &s->tensors.model);
  else
    json_null(j, "model");
  json_u64(j, "tensors", s->tensors.n);
  json_struct(j, "shards", DTC_STRUCT_shards, &s->shards);
}

void print_shards(const cli *c, const shard_arg *s)
{
  const dtc_shards *sh = &s->shards;
  if (s->tensors.has_model)
    print_model(c, &s->tensors.model);
  print_line(c, MSG_SHARD_LINE, dtc_value_name(DTC_FIELD(shards, scheme), sh->scheme), text_u64(sh->world).s,
             text_u64(s->tensors.n).s, dtc_value_name(DTC_FIELD(shards, dtype), sh->dtype));
  if (sh->replicas > 1)
    print_line(c, MSG_SHARD_REPLICAS, text_u64(sh->replicas).s);
}
