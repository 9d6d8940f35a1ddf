/* Models, digests and layouts for the files about shards. */
#include "shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

digest digest_put(digest d, uint64_t number)
{
  for (int i = 0; i < 8; i++) {
    d ^= number >> (8 * i) & 0xff;
    d *= 0x100000001b3u;
  }
  return d;
}

void digest_answer(golden *g, const char *column, digest d)
{
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, d);
  golden_text(g, column, text);
}

dtc_dtype shards_dtype(const char *name, size_t len)
{
  static const char names[][5] = {"bf16", "fp16", "fp32", "fp8", "fp64"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strlen(names[k]) == len && memcmp(names[k], name, len) == 0)
      return (dtc_dtype)(DTC_DTYPE_BF16 + k);
  return DTC_DTYPE_BF16;
}

static void *grown(void *p, size_t size)
{
  p = realloc(p, size != 0 ? size : 1);
  if (p == NULL)
    abort();
  return p;
}

/* ---- models ---------------------------------------------------------------------------------- */

static void put_shape(shards_model *m, const char *text)
{
  dtc_shape shape = {.rows = 1, .cols = 1};
  char *end;
  m->sizes = grown(m->sizes, sizeof *m->sizes * (m->n + 1));
  for (const char *s = text; *s >= '0' && *s <= '9'; s = end + (*end == 'x')) {
    uint64_t size = strtoull(s, &end, 10);
    if (shape.dims == 0)
      shape.rows = size;
    else
      shape.cols *= size;
    m->sizes[m->n][shape.dims % 8] = size;
    shape.dims++;
  }
  m->shapes = grown(m->shapes, sizeof *m->shapes * (m->n + 1));
  m->shapes[m->n++] = shape;
  m->numel += shape.rows * shape.cols;
}

/* Shapes between spaces; "[a b]*k" repeats what stands in the brackets. */
static void put_shapes(shards_model *m, const char *s)
{
  while (*s != 0) {
    const char *close = *s == '[' ? strchr(s, ']') : NULL;
    if (close != NULL) {
      size_t from = m->n;
      for (const char *t = s + 1; t < close; t += strcspn(t, " ]") + 1)
        put_shape(m, t);
      size_t block = m->n - from;
      char *end;
      uint64_t times = strtoull(close + 2, &end, 10);
      m->shapes = grown(m->shapes, sizeof *m->shapes * (m->n + block * times));
      m->sizes = grown(m->sizes, sizeof *m->sizes * (m->n + block * times));
      for (uint64_t k = 1; k < times; k++)
        for (size_t i = 0; i < block; i++, m->n++) {
          m->shapes[m->n] = m->shapes[from + i];
          memcpy(m->sizes[m->n], m->sizes[from + i], sizeof *m->sizes);
          m->numel += m->shapes[m->n].rows * m->shapes[m->n].cols;
        }
      s = end;
    } else {
      put_shape(m, s);
      s += strcspn(s, " ");
    }
    s += strspn(s, " ");
  }
}

/* zero_models.csv, read once. */
static const csv *models(const golden *g)
{
  static csv file;
  static int tried;
  char path[4096];
  if (!tried) {
    tried = 1;
    const char *slash = strrchr(golden_path(g), '/');
    size_t len = slash != NULL ? (size_t)(slash - golden_path(g)) + 1 : 0;
    snprintf(path, sizeof path, "%.*szero_models.csv", (int)len, golden_path(g));
    if (access(path, R_OK) != 0)
      snprintf(path, sizeof path, "%s/zero_models.csv", golden_home());
    if (!csv_read(&file, path))
      memset(&file, 0, sizeof file);
  }
  return &file;
}

const shards_model *shards_model_of(golden *g)
{
  static shards_model m;
  static char name[128];
  const csv *file = models(g);
  const char *wanted = golden_cell(g, "model");
  if (m.shapes != NULL && strcmp(name, wanted) == 0)
    return &m;
  size_t column = csv_column(file, "model", 5), shapes = csv_column(file, "shapes_rle", 10), row = 0;
  while (row < file->rows && strcmp(csv_cell(file, row, column), wanted) != 0)
    row++;
  if (row == file->rows) {
    golden_refused(g, "zero_models.csv has no such model");
    return NULL;
  }
  m.n = 0;
  m.numel = 0;
  put_shapes(&m, csv_cell(file, row, shapes));
  snprintf(name, sizeof name, "%s", wanted);
  return &m;
}

/* ---- layouts --------------------------------------------------------------------------------- */

const shards_layout *shards_lay_model(golden *g, const dtc_shards *shards, const shards_model *model)
{
  static shards_layout l;
  dtc_error err;
  size_t count = 0;
  DTC_INIT(&err);
  DTC_INIT(&l.shards);
  l.model = model;
  if (l.model == NULL || !golden_ok(g, dtc_shards_resolve(shards, &l.shards, &err), &err) ||
      !golden_ok(g, dtc_shards_scratch(shards, l.model->n, &l.n_scratch, &err), &err))
    return NULL;
  l.slots = grown(l.slots, sizeof *l.slots * l.model->n);
  l.fragments = grown(l.fragments, sizeof *l.fragments * l.model->n);
  l.scratch = grown(l.scratch, sizeof *l.scratch * l.n_scratch);
  dtc_status status =
      dtc_shards_layout(shards, l.model->shapes, l.model->n, l.slots, l.model->n, &count, l.scratch, l.n_scratch, &err);
  return golden_ok(g, status, &err) ? &l : NULL;
}

const shards_layout *shards_lay(golden *g, const dtc_shards *shards)
{
  return shards_lay_model(g, shards, shards_model_of(g));
}

size_t shards_fragments(golden *g, const shards_layout *l, uint64_t rank)
{
  dtc_error err;
  size_t count = 0;
  DTC_INIT(&err);
  (void)golden_ok(g,
                  dtc_shards_fragments(&l->shards, l->model->shapes, l->model->n, l->slots, l->model->n, rank,
                                       l->fragments, l->model->n, &count, &err),
                  &err);
  return count;
}

int shards_totals(golden *g, const shards_layout *l, dtc_shard_totals *t)
{
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(t);
  return golden_ok(g,
                   dtc_shards_totals(&l->shards, l->model->shapes, l->model->n, l->slots, l->model->n, t, l->scratch,
                                     l->n_scratch, &err),
                   &err);
}
