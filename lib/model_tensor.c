/* The parameter list of a model: tensor i in O(rows of the architecture), no list is made. */
#include "internal/model.h"

/* Lengths of the parts of the list. */
typedef struct layout {
  uint32_t features;
  uint64_t before;
  uint64_t dense; /* a dense layer */
  uint64_t moe;   /* an MoE layer, all experts */
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

static dtc_status lay_out(const dtc_model *m, layout *l, dtc_error *e)
{
  int bad = 0;
  uint64_t moe = dtci_moe_layers(m, m->layers);
  l->features = dtci_model_features(m);
  l->before = length(m, l->features, 0, DTCI_BEFORE);
  l->dense = length(m, l->features | DTCI_DENSE, 1, DTCI_LAYER);
  l->moe = m->experts != 0 ? length(m, l->features | DTCI_MOE, 1, DTCI_LAYER) : 0;
  l->after = length(m, l->features, 0, DTCI_AFTER);
  l->total = dtci_add(l->before + l->after, dtci_mul(moe, l->moe, &bad), &bad);
  l->total = dtci_add(l->total, dtci_mul(m->layers - moe, l->dense, &bad), &bad);
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

/* Layer that holds tensor i of the layers' part, and its index in it. Behind the leading dense layers the layers repeat
 * every moe_every: one MoE layer among dense ones. */
static uint64_t layer_at(const dtc_model *m, const layout *l, uint64_t i, uint64_t *within)
{
  uint64_t leading = m->experts != 0 ? m->dense_layers : m->layers;
  if (i < leading * l->dense) {
    *within = i % l->dense;
    return i / l->dense;
  }
  i -= leading * l->dense;
  uint64_t every = m->moe_every;
  uint64_t period = (every - 1) * l->dense + l->moe;
  uint64_t layer = leading + i / period * every; // NOLINT(clang-analyzer-core.DivideZero): a layer has tensors
  uint64_t first_dense = (m->moe_offset + every - leading % every) % every; /* dense layers in front of the MoE one */
  i %= period;
  if (i < first_dense * l->dense) {
    *within = i % l->dense;
    return layer + i / l->dense;
  }
  i -= first_dense * l->dense;
  layer += first_dense;
  if (i < l->moe) {
    *within = i;
    return layer;
  }
  i -= l->moe;
  *within = i % l->dense; // NOLINT(clang-analyzer-core.DivideZero)
  return layer + 1 + i / l->dense;
}

/* Where tensor `index` lies. */
typedef struct place {
  const dtci_tensor_row *row;
  uint64_t layer;
  uint64_t expert;
} place;

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
    uint64_t within = 0;
    p->layer = layer_at(m, &l, index - l.before, &within);
    uint32_t kind = dtci_is_moe(m, p->layer) ? DTCI_MOE : DTCI_DENSE;
    p->row = row_at(m, l.features | kind, 1, DTCI_LAYER, within, &p->expert);
  }
  return DTC_OK;
}

dtc_status dtc_model_tensor_count(const dtc_model *model, uint64_t *count, dtc_error *err)
{
  dtc_error e;
  dtc_model m;
  layout l;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_model_in(model, &m, &e);
  s = s != DTC_OK ? s : lay_out(&m, &l, &e);
  if (s == DTC_OK)
    *count = l.total;
  return dtci_end(s, &e, err);
}

static dtc_status describe(const dtc_model *m, uint64_t index, dtc_tensor *t, dtc_error *e)
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
  s = s != DTC_OK ? s : describe(&m, index, &t, &e);
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
      dtci_puts(&t, dtci_archs[m.arch].layer);
      dtci_put_u64(&t, p.layer);
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
