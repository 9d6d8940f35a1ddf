/* Lists of ranks: made through the public API, written in canonical text. */
#include "ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void *grown(void *p, size_t *cap, size_t used, size_t size)
{
  if (used < *cap)
    return p;
  *cap = *cap == 0 ? 1024 : *cap * 2;
  p = realloc(p, *cap * size);
  if (p == NULL)
    abort();
  return p;
}

ranks *ranks_empty(void)
{
  static ranks r;
  r.values = 0;
  r.rows = 0;
  return &r;
}

void ranks_put(ranks *r, uint64_t value)
{
  r->value = grown(r->value, &r->value_cap, r->values, sizeof *r->value);
  r->value[r->values++] = value;
}

void ranks_end_row(ranks *r)
{
  r->end = grown(r->end, &r->row_cap, r->rows, sizeof *r->end);
  r->end[r->rows++] = r->values;
}

/* ---- through the library --------------------------------------------------------------------- */

/* Adds group number `group`, whose size is not known before its first rank is. */
static int add_group(golden *g, ranks *r, const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind,
                     uint64_t group)
{
  dtc_error err;
  dtc_group found = {.size = 1};
  uint64_t rank = 0;
  DTC_INIT(&err);
  for (uint64_t i = 0; i < found.size; i++) {
    if (!golden_ok(g, dtc_mesh_member(axes, n, offset, kind, group, i, &rank, &err), &err))
      return 0;
    if (!golden_ok(g, dtc_mesh_group_of(axes, n, offset, kind, rank, &found, &err), &err))
      return 0;
    if (found.index != group || found.place != i) {
      golden_refused(g, "dtc_mesh_member() and dtc_mesh_group_of() disagree");
      return 0;
    }
    ranks_put(r, rank);
  }
  ranks_end_row(r);
  return 1;
}

int ranks_groups(golden *g, ranks *r, const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind)
{
  dtc_error err;
  dtc_group first;
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_mesh_group_of(axes, n, offset, kind, offset, &first, &err), &err))
    return 0;
  for (uint64_t group = 0; group < first.count; group++)
    if (!add_group(g, r, axes, n, offset, kind, group))
      return 0;
  return 1;
}

int ranks_coords(golden *g, ranks *r, const dtc_axis *axes, size_t n)
{
  dtc_error err;
  uint64_t world = 0;
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_mesh_world(axes, n, &world, &err), &err))
    return 0;
  for (uint64_t rank = 0; rank < world; rank++) {
    uint64_t coord[DTC_MESH_AXES];
    size_t count = 0;
    if (!golden_ok(g, dtc_mesh_coord(axes, n, 0, rank, coord, DTC_MESH_AXES, &count, &err), &err))
      return 0;
    for (size_t a = count; a-- > 0;)
      ranks_put(r, coord[a]);
    ranks_end_row(r);
  }
  return 1;
}

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct text {
  char *s;
  size_t len;
  size_t cap;
} text;

static void put_text(text *t, const char *s)
{
  size_t n = strlen(s);
  while (t->len + n + 1 > t->cap)
    t->s = grown(t->s, &t->cap, t->cap, 1);
  memcpy(t->s + t->len, s, n + 1);
  t->len += n;
}

static void put_number(text *t, uint64_t v)
{
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, v);
  put_text(t, digits);
}

static const uint64_t *row_of(const ranks *r, size_t row, size_t *n)
{
  size_t begin = row == 0 ? 0 : r->end[row - 1];
  *n = r->end[row] - begin;
  return r->value + begin;
}

static void put_values(text *t, const uint64_t *v, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    put_text(t, i != 0 ? "," : "");
    put_number(t, v[i]);
  }
}

static void put_rows(text *t, const ranks *r)
{
  for (size_t row = 0; row < r->rows; row++) {
    size_t n = 0;
    const uint64_t *v = row_of(r, row, &n);
    put_text(t, row != 0 ? ";" : "");
    put_values(t, v, n);
  }
}

/* "0:8:0,1,2,3,4,5,6,7"; of more than eight ranks the first four, the middle one and the last three. */
static void put_group(text *t, const ranks *r, size_t row)
{
  size_t n = 0;
  const uint64_t *v = row_of(r, row, &n);
  put_number(t, row);
  put_text(t, ":");
  put_number(t, n);
  put_text(t, ":");
  if (n <= 8) {
    put_values(t, v, n);
    return;
  }
  uint64_t shown[8] = {v[0], v[1], v[2], v[3], v[n / 2], v[n - 3], v[n - 2], v[n - 1]};
  put_values(t, shown, 8);
}

static void put_tuple(text *t, const ranks *r, size_t row)
{
  size_t n = 0;
  const uint64_t *v = row_of(r, row, &n);
  put_number(t, row);
  put_text(t, "=");
  put_values(t, v, n);
}

/* Rows that are sampled, rising, each once. */
static size_t sampled(const ranks *r, ranks_samples samples, size_t rows[8])
{
  size_t n = r->rows;
  size_t groups[] = {0, 1, n / 3, n / 2, n - 1};
  size_t tuples[] = {0, 1, 7, 8, n / 3, n / 2, n - 2, n - 1};
  const size_t *wanted = samples == RANKS_TUPLES ? tuples : groups;
  size_t count = samples == RANKS_TUPLES ? 8 : 5, found = 0;
  for (size_t i = 0; i < count; i++)
    if (wanted[i] < n && (found == 0 || wanted[i] > rows[found - 1]))
      rows[found++] = wanted[i];
  return found;
}

/* "0=" the first eight ranks of the first group, "last=" the last eight of the last. */
static void put_ends(text *t, const ranks *r)
{
  size_t n = 0;
  const uint64_t *v = row_of(r, 0, &n);
  put_text(t, " 0=");
  put_values(t, v, n < 8 ? n : 8);
  v = row_of(r, r->rows - 1, &n);
  put_text(t, " last=");
  put_values(t, n < 8 ? v : v + n - 8, n < 8 ? n : 8);
}

static void answer_hash(golden *g, const ranks *r, ranks_samples samples, const text *full)
{
  static text t;
  char hash[65];
  size_t rows[8];
  t.len = 0;
  golden_sha256(full->s, full->len, hash);
  put_text(&t, hash);
  if (samples == RANKS_ENDS)
    put_ends(&t, r);
  size_t count = samples == RANKS_GROUPS || samples == RANKS_TUPLES ? sampled(r, samples, rows) : 0;
  for (size_t i = 0; i < count; i++) {
    put_text(&t, " ");
    (samples == RANKS_GROUPS ? put_group : put_tuple)(&t, r, rows[i]);
  }
  golden_text(g, "value", t.s);
}

/* Distinct sizes of the rows, rising, joined by '/'; of a list without rows "0". */
static void answer_size(golden *g, const ranks *r)
{
  static text t;
  size_t last = 0, next = SIZE_MAX;
  t.len = 0;
  put_text(&t, r->rows == 0 ? "0" : "");
  do {
    next = SIZE_MAX;
    for (size_t row = 0; row < r->rows; row++) {
      size_t n = 0;
      row_of(r, row, &n);
      if (n > last && n < next)
        next = n;
    }
    if (next != SIZE_MAX) {
      put_text(&t, t.len != 0 ? "/" : "");
      put_number(&t, next);
      last = next;
    }
  } while (next != SIZE_MAX);
  golden_text(g, "group_size", t.s);
}

void ranks_answer(golden *g, const ranks *r, ranks_samples samples)
{
  static text t;
  t.len = 0;
  put_text(&t, "");
  put_rows(&t, r);
  golden_u64(g, "n_groups", r->rows);
  answer_size(g, r);
  if (golden_is(g, "enc", "sha256"))
    answer_hash(g, r, samples, &t);
  else
    golden_text(g, "value", t.s);
}

void ranks_answer_samples(golden *g, const ranks *r, char between)
{
  static text t;
  size_t rows[8];
  char separator[2] = {between, 0};
  size_t count = sampled(r, RANKS_TUPLES, rows);
  t.len = 0;
  put_text(&t, "");
  size_t shown = 0;
  for (size_t i = 0; i < count; i++) {
    if (between == ';' && rows[i] != 0 && rows[i] != 1 && rows[i] != 7 && rows[i] != 8 && rows[i] != r->rows / 3 &&
        rows[i] != r->rows - 1)
      continue; /* nanotron's file has six samples */
    put_text(&t, shown++ != 0 ? separator : "");
    put_tuple(&t, r, rows[i]);
  }
  golden_u64(g, "n_groups", shown);
  answer_size(g, r);
  golden_text(g, "value", t.s);
}

/* ---- cells ----------------------------------------------------------------------------------- */

size_t ranks_kinds(golden *g, const dtc_layout *l, dtc_group_kind *kinds, char names[][RANKS_KIND_TEXT])
{
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_layout_kinds(l, kinds, RANKS_KINDS, &count, &err), &err))
    return 0;
  for (size_t i = 0; i < count; i++)
    if (!golden_ok(g, dtc_group_kind_text(&kinds[i], names[i], RANKS_KIND_TEXT, NULL, &err), &err))
      return 0;
  return count;
}

void ranks_answer_names(golden *g, char names[][RANKS_KIND_TEXT], size_t count)
{
  char all[RANKS_KINDS * RANKS_KIND_TEXT] = "";
  for (size_t i = 0; i < count; i++) {
    strcat(all, i != 0 ? "|" : "");
    strcat(all, names[i]);
  }
  golden_text(g, "value", all);
}

void ranks_expect_refusal(golden *g, dtc_status status)
{
  if (status == DTC_OK)
    golden_not_refused(g);
  else
    golden_text(g, "value", golden_cell(g, "value")); /* its text is not compared */
}

int ranks_shape_read(ranks_shape *s, const char *names, const char *sizes)
{
  *s = (ranks_shape){0};
  while (*sizes != 0 && s->n < RANKS_AXES) {
    char *end;
    size_t len = strcspn(names, "-");
    s->size[s->n] = strtoull(sizes, &end, 10);
    if (end == sizes || len >= RANKS_NAME)
      return 0;
    memcpy(s->name[s->n], names, len);
    names += len + (names[len] == '-');
    sizes = end + (*end == 'x');
    s->n++;
  }
  return *sizes == 0;
}

size_t ranks_axis(const ranks_shape *s, const char *name, size_t len)
{
  size_t i = 0;
  while (i < s->n && !(strlen(s->name[i]) == len && memcmp(s->name[i], name, len) == 0))
    i++;
  return i;
}

size_t ranks_rowmajor(const ranks_shape *s, dtc_axis *axes)
{
  for (size_t i = 0; i < s->n; i++)
    axes[i] = (dtc_axis){.size = s->size[s->n - 1 - i]};
  return s->n;
}

uint32_t ranks_set(const ranks_shape *s, const char *names, char between)
{
  uint32_t set = 0;
  char ends[2] = {between, 0};
  while (*names != 0) {
    size_t len = strcspn(names, ends), axis = ranks_axis(s, names, len);
    if (axis == s->n)
      return 0;
    set |= 1u << (s->n - 1 - axis);
    names += len + (names[len] == between);
  }
  return set;
}
