/* The parameter list of a model: tensor i in O(rows of the architecture), no list is made. */
#include "internal/model.h"

/* Lengths of the parts of the list. */
typedef struct layout {
  uint32_t features;
  uint64_t before;
  uint64_t each[DTCI_LAYER_KINDS]; /* a layer of a kind, all experts */
  uint64_t encoder;                /* all layers of an encoder */
  uint64_t between;
  uint64_t after;
  uint64_t total;
} layout;

static int applies(const dtci_tensor_row *row, uint32_t features)
{
  return (row->when & features) == row->when;
}

/* Tensors of one part with these features; a row of DTCI_EXPERT stands for one per expert. */
static uint64_t length(const dtc_model *m, uint32_t features, int in_layer, dtci_part part)
{
  uint32_t count = 0;
  uint64_t n = 0;
  const dtci_tensor_row *rows = dtci_arch_rows(m->arch, &count);
  for (uint32_t i = 0; i < count; i++) {
    int here = in_layer ? rows[i].part == DTCI_LAYER || rows[i].part == DTCI_EXPERT : rows[i].part == part;
    if (here && applies(&rows[i], features))
      n += rows[i].part == DTCI_EXPERT ? m->experts : 1;
  }
  return n;
}

static int has_kind(const dtc_model *m, uint32_t kind)
{
  switch ((dtci_layer_kind)kind) {
  case DTCI_MOE_LAYER:
    return m->experts != 0;
  case DTCI_ENCODER_LAYER:
    return m->encoder_layers != 0;
  case DTCI_DENSE_LAYER:
    return !dtci_is_hybrid(m);
  default:
    return dtci_is_hybrid(m);
  }
}

static dtc_status lay_out(const dtc_model *m, layout *l, dtc_error *e)
{
  int bad = 0;
  dtci_layers n = dtci_layers_until(m, m->layers);
  l->features = dtci_model_features(m);
  l->before = length(m, l->features, 0, DTCI_BEFORE);
  l->between = length(m, l->features, 0, DTCI_BETWEEN);
  l->after = length(m, l->features, 0, DTCI_AFTER);
  l->total = l->before + l->between + l->after;
  for (uint32_t i = 0; i < DTCI_LAYER_KINDS; i++) {
    l->each[i] = has_kind(m, i) ? length(m, dtci_layer_features(m, (dtci_layer_kind)i), 1, DTCI_LAYER) : 0;
    l->total = dtci_add(l->total, dtci_mul(n.of[i], l->each[i], &bad), &bad);
  }
  l->encoder = m->encoder_layers * l->each[DTCI_ENCODER_LAYER];
  l->total = dtci_add(l->total, l->encoder, &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(model, layers), m->layers) : DTC_OK;
}

/* Row k of a part, and which expert. */
static const dtci_tensor_row *row_at(const dtc_model *m, uint32_t features, int in_layer, dtci_part part, uint64_t k,
                                     uint64_t *expert)
{
  uint32_t count = 0;
  const dtci_tensor_row *rows = dtci_arch_rows(m->arch, &count);
  *expert = DTC_NONE;
  for (uint32_t i = 0; i < count; i++) {
    int here = in_layer ? rows[i].part == DTCI_LAYER || rows[i].part == DTCI_EXPERT : rows[i].part == part;
    if (!here || !applies(&rows[i], features))
      continue;
    if (rows[i].part == DTCI_EXPERT) {
      /* The rows of an expert stand together: the block is (rows) x (experts), expert outside. */
      uint32_t block = 0;
      while (i + block < count && rows[i + block].part == DTCI_EXPERT)
        block++;
      uint64_t active = 0;
      for (uint32_t b = 0; b < block; b++)
        active += (uint64_t)applies(&rows[i + b], features);
      if (k < active * m->experts) {
        *expert = k / active;
        k %= active;
        for (;; i++)
          if (applies(&rows[i], features) && k-- == 0)
            return &rows[i];
      }
      k -= active * m->experts;
      i += block - 1;
    } else if (k-- == 0) {
      return &rows[i];
    }
  }
  return rows; /* not reached: k is below length() */
}

/* Tensors in the first n layers. */
static uint64_t until(const dtc_model *m, const layout *l, uint64_t n)
{
  dtci_layers k = dtci_layers_until(m, n);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < DTCI_LAYER_KINDS; i++)
    sum += k.of[i] * l->each[i];
  return sum;
}

/* Layer of a hybrid that holds tensor i of the layers' part, and its index in it. */
static uint64_t hybrid_layer_at(const dtc_model *m, const layout *l, uint64_t i, uint64_t *within)
{
  uint64_t first = 0;
  uint64_t end = m->layers;
  while (end - first > 1) {
    uint64_t middle = first + (end - first) / 2;
    if (until(m, l, middle) <= i)
      first = middle;
    else
      end = middle;
  }
  *within = i - until(m, l, first);
  return first;
}

/* Layer that holds tensor i of the layers' part, and its index in it. Behind the leading dense layers the layers repeat
 * every moe_every: one MoE layer among dense ones. */
static uint64_t layer_at(const dtc_model *m, const layout *l, uint64_t i, uint64_t *within)
{
  uint64_t leading = m->experts != 0 ? m->dense_layers : m->layers;
  uint64_t dense = l->each[DTCI_DENSE_LAYER];
  uint64_t moe = l->each[DTCI_MOE_LAYER];
  if (i < leading * dense) {
    *within = i % dense;
    return i / dense;
  }
  i -= leading * dense;
  uint64_t every = m->moe_every;
  uint64_t period = (every - 1) * dense + moe;
  uint64_t layer = leading + i / period * every; // NOLINT(clang-analyzer-core.DivideZero): a layer has tensors
  uint64_t first_dense = (m->moe_offset + every - leading % every) % every; /* dense layers in front of the MoE one */
  i %= period;
  if (i < first_dense * dense) {
    *within = i % dense;
    return layer + i / dense;
  }
  i -= first_dense * dense;
  layer += first_dense;
  if (i < moe) {
    *within = i;
    return layer;
  }
  i -= moe;
  *within = i % dense; // NOLINT(clang-analyzer-core.DivideZero)
  return layer + 1 + i / dense;
}

/* Where tensor `index` lies. */
typedef struct place {
  const dtci_tensor_row *row;
  uint64_t layer; /* those of an encoder first */
  uint64_t expert;
} place;

/* A tensor of the layers, or of what stands between an encoder's and the decoder's. */
static void find_layer(const dtc_model *m, const layout *l, uint64_t i, place *p)
{
  dtci_layer_kind kind = DTCI_ENCODER_LAYER;
  uint64_t within = 0;
  if (i < l->encoder) {
    within = i % l->each[DTCI_ENCODER_LAYER];
    p->layer = i / l->each[DTCI_ENCODER_LAYER];
  } else if (i - l->encoder < l->between) {
    p->row = row_at(m, l->features, 0, DTCI_BETWEEN, i - l->encoder, &p->expert);
    return;
  } else {
    i -= l->encoder + l->between;
    p->layer = dtci_is_hybrid(m) ? hybrid_layer_at(m, l, i, &within) : layer_at(m, l, i, &within);
    kind = dtci_kind_of(m, p->layer);
    p->layer += m->encoder_layers;
  }
  p->row = row_at(m, dtci_layer_features(m, kind), 1, DTCI_LAYER, within, &p->expert);
}

static dtc_status find(const dtc_model *m, uint64_t index, place *p, dtc_error *e)
{
  layout l;
  TRY(lay_out(m, &l, e));
  if (index >= l.total)
    return dtci_fail_index(e, index, l.total);
  p->layer = DTC_NONE;
  if (index < l.before) {
    p->row = row_at(m, l.features, 0, DTCI_BEFORE, index, &p->expert);
  } else if (index >= l.total - l.after) {
    p->row = row_at(m, l.features, 0, DTCI_AFTER, index - (l.total - l.after), &p->expert);
  } else {
    find_layer(m, &l, index - l.before, p);
  }
  return DTC_OK;
}

dtc_status dtci_model_tensors(const dtc_model *m, uint64_t *count, dtc_error *e)
{
  layout l;
  TRY(lay_out(m, &l, e));
  *count = l.total;
  return DTC_OK;
}

dtc_status dtc_model_tensor_count(const dtc_model *model, uint64_t *count, dtc_error *err)
{
  dtc_error e;
  dtc_model m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_model_in(model, &m, &e);
  return dtci_end(s != DTC_OK ? s : dtci_model_tensors(&m, count, &e), &e, err);
}

dtc_status dtci_model_describe(const dtc_model *m, uint64_t index, dtc_tensor *t, dtc_error *e)
{
  place p;
  int bad = 0;
  TRY(find(m, index, &p, e));
  *t = (dtc_tensor){.struct_size = sizeof *t, .kind = p.row->kind, .layer = p.layer, .expert = p.expert};
  t->dim0 = dtci_model_dim(m, p.row->dims[0]);
  t->dim1 = dtci_model_dim(m, p.row->dims[1]);
  t->dim2 = dtci_model_dim(m, p.row->dims[2]);
  t->dims = p.row->dims[2] != DTCI_DIM_NONE ? 3 : p.row->dims[1] != DTCI_DIM_NONE ? 2 : 1;
  t->numel = dtci_tensor_numel(m, p.row, &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(model, hidden), m->hidden) : DTC_OK;
}

dtc_status dtc_model_tensor(const dtc_model *model, uint64_t index, dtc_tensor *out, dtc_error *err)
{
  dtc_error e;
  dtc_model m;
  dtc_tensor t;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_model_in(model, &m, &e);
  s = s != DTC_OK ? s : dtci_model_describe(&m, index, &t, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_tensor, &t, &e), &e, err);
}

dtc_status dtc_model_tensor_name(const dtc_model *model, uint64_t index, char *buf, size_t cap, size_t *len,
                                 dtc_error *err)
{
  dtc_error e;
  dtc_model m;
  place p;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_model_in(model, &m, &e);
  s = s != DTC_OK ? s : find(&m, index, &p, &e);
  if (s == DTC_OK) {
    dtci_text t = {buf, buf != NULL ? cap : 0, 0};
    if (p.layer != DTC_NONE) {
      int encoder = p.layer < m.encoder_layers;
      dtci_puts(&t, encoder ? "encoder.layers." : dtci_archs[m.arch].layer);
      dtci_put_u64(&t, encoder ? p.layer : p.layer - m.encoder_layers);
      dtci_puts(&t, ".");
    }
    for (const char *c = p.row->name; *c != 0; c++)
      if (*c == '#')
        dtci_put_u64(&t, p.expert);
      else
        dtci_put(&t, c, 1);
    dtci_end_text(&t);
    if (len != NULL)
      *len = t.len;
  }
  return dtci_end(s, &e, err);
}
