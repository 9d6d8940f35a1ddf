#include "shard_map.h"

#include "draw.h"
#include "report.h"
#include "shard_lists.h"
#include "shard_parts.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, LEGEND = 16 };

typedef struct map {
  const shard_arg *s;
  dtc_bucket *buckets;
  size_t bucket_count;
  bool by_bucket; /* a row for each: every rank holds them all */
  uint64_t rows;  /* that are drawn */
  uint64_t of;    /* that there are */
  uint64_t whole; /* elements of the longest row */
  size_t head;    /* columns of the name of a row */
  bool *drawn;    /* tensors that have a box */
} map;

/* A row: its parts and where each lies in it. */
typedef struct row {
  dtc_fragment *parts;
  uint64_t *at;
  size_t n;
  uint64_t size; /* padding included */
} row;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
  const dtc_fragment *x = a;
  const dtc_fragment *y = b;
  if (x->bucket != y->bucket)
    return x->bucket > y->bucket ? 1 : -1;
  return (x->shard_offset > y->shard_offset) - (x->shard_offset < y->shard_offset);
}

/* Elements of a bucket in a row. */
static uint64_t share_of(const map *m, size_t number, uint64_t index)
{
  const dtc_bucket *b = &m->buckets[number];
  uint64_t size = b->stop - b->start;
  if (m->by_bucket)
    return number == index ? size : 0;
  return b->owner == DTC_EVENLY ? size / m->s->shards.world : b->owner == index ? size : 0;
}

/* Row `index`: the parts of its buckets, one behind the other. */
static row row_of(const cli *c, const map *m, uint64_t index)
{
  row r = {0};
  dtc_fragment *all;
  size_t n = rank_parts(c, m->s, m->by_bucket ? 0 : index, &all);
  r.parts = all;
  r.at = grow(NULL, (n + 1) * sizeof *r.at);
  qsort(all, n, sizeof *all, by_place);
  size_t k = 0;
  for (size_t b = 0; b < m->bucket_count; b++) {
    uint64_t share = share_of(m, b, index);
    for (; k < n && all[k].bucket == b; k++) {
      if (share == 0)
        continue;
      r.at[r.n] = r.size + all[k].shard_offset;
      r.parts[r.n++] = all[k];
    }
    r.size += share;
  }
  return r;
}

static void row_free(row *r)
{
  free(r->parts);
  free(r->at);
}

static void row_name(const cli *c, const map *m, uint64_t index, char out[64])
{
  write_line(c, out, 64, m->by_bucket ? MSG_SHARD_MAP_BUCKET : MSG_SHARD_MAP_RANK, text_u64(index).s);
}

static void measure(const cli *c, map *m)
{
  char name[64];
  for (uint64_t i = 0; i < m->rows; i++) {
    row r = row_of(c, m, i);
    m->whole = r.size > m->whole ? r.size : m->whole;
    row_free(&r);
  }
  row_name(c, m, m->rows - 1, name);
  m->head = text_width(name) + 2;
}

/* ---- picture ----------------------------------------------------------------------------------------------------- */

static size_t column(const map *m, uint64_t element)
{
  return (size_t)((double)element * (double)(TABLE_WIDTH - m->head) / (double)m->whole);
}

static void draw_row(const cli *c, map *m, picture *p, uint64_t index, size_t y)
{
  char line[TABLE_WIDTH + 1];
  row r = row_of(c, m, index);
  row_name(c, m, index, line);
  picture_text(p, 0, y, line);
  size_t dots = column(m, r.size);
  memset(line, '.', dots);
  line[dots] = 0;
  if (dots != 0)
    picture_text(p, m->head, y, line);
  for (size_t i = 0; i < r.n; i++) {
    size_t x = column(m, r.at[i]);
    size_t w = column(m, r.at[i] + r.parts[i].length) - x;
    if (w == 0)
      continue;
    text label = text_u64(r.parts[i].tensor);
    picture_box(p, m->head + x, y, w, 1, r.parts[i].tensor, strlen(label.s) <= w ? label.s : "");
    m->drawn[r.parts[i].tensor] = true;
  }
  row_free(&r);
}

static void draw_legend(const cli *c, const map *m, picture *p, size_t y)
{
  const tensors *t = &m->s->tensors;
  size_t shown = 0;
  size_t w = text_width(text_u64(t->n).s) + 2;
  for (size_t i = 0; i < t->n && shown < LEGEND; i++) {
    char name[TENSOR_NAME];
    char shape[TENSOR_NAME];
    char line[2 * TENSOR_NAME + 4];
    if (!m->drawn[i])
      continue;
    tensor_name(c, t, i, name);
    shape_text(&t->shapes[i], shape);
    snprintf(line, sizeof line, "%s  %s", name, shape);
    picture_box(p, 0, y + shown, w, 1, i, text_u64(i).s);
    picture_text(p, w + 1, y + shown, line);
    shown++;
  }
}

static picture draw_map(const cli *c, map *m)
{
  char title[512];
  write_line(c, title, sizeof title, MSG_SHARD_MAP_TITLE,
             dtc_value_name(DTC_FIELD(shards, scheme), m->s->shards.scheme), text_thousands(m->s->shards.world).s);
  picture p = picture_new(title);
  for (uint64_t i = 0; m->whole != 0 && i < m->rows; i++)
    draw_row(c, m, &p, i, (size_t)i);
  draw_legend(c, m, &p, (size_t)m->rows + 1);
  return p;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static void map_json(const cli *c, const args *a, const map *m)
{
  json j;
  json_start(&j, a->command);
  json_shards(&j, m->s);
  json_array(&j, "map");
  for (uint64_t i = 0; i < m->rows; i++) {
    row r = row_of(c, m, i);
    json_object(&j, NULL);
    json_u64(&j, m->by_bucket ? "bucket" : "rank", i);
    json_u64(&j, "elements", r.size);
    json_array(&j, "parts");
    for (size_t k = 0; k < r.n; k++) {
      json_object(&j, NULL);
      json_part(&j, &r.parts[k]);
      json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    row_free(&r);
  }
  json_end(&j);
  json_text(&j, "svg", a->value[OPT_SVG]);
  json_end(&j);
}

static void map_text(const cli *c, const args *a, const map *m, const picture *p)
{
  const char *svg = a->value[OPT_SVG];
  print_shards(c, m->s);
  putchar('\n');
  if (svg == NULL)
    picture_terminal(c, p, stdout);
  else
    print_line(c, MSG_WRITTEN, svg);
  print_line(c, MSG_SHARD_MAP_NOTE, text_thousands(m->whole).s);
  if (m->rows < m->of)
    print_line(c, MSG_SHARD_MAP_PART, text_thousands(m->rows).s, text_thousands(m->of).s);
}

int answer_shard_map(const cli *c, const args *a, const shard_arg *s)
{
  map m = {.s = s};
  uint64_t limit;
  int code = 0;
  if (args_number(c, a, OPT_SHARD_LIMIT, 1, ROWS, &limit) != 0)
    return EXIT_BAD_INPUT;
  m.buckets = shard_buckets(c, s, &m.bucket_count);
  m.by_bucket = m.bucket_count > 0 && m.buckets[0].owner == DTC_EVERYWHERE;
  m.of = m.by_bucket ? m.bucket_count : s->shards.world;
  m.rows = m.of < limit ? m.of : limit;
  m.drawn = grow(NULL, (s->tensors.n + 1) * sizeof *m.drawn);
  memset(m.drawn, 0, (s->tensors.n + 1) * sizeof *m.drawn);
  measure(c, &m);
  picture p = draw_map(c, &m);
  if (a->value[OPT_SVG] != NULL)
    code = picture_write(c, a->value[OPT_SVG], &p);
  if (code == 0 && c->json)
    map_json(c, a, &m);
  else if (code == 0)
    map_text(c, a, &m, &p);
  picture_free(&p);
  free(m.buckets);
  free(m.drawn);
  return code;
}
