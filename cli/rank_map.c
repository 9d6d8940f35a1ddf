#include "rank_map.h"

#include "draw.h"
#include "groups.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RANKS = 1024, MOST_LABELS = 4 };

/* An axis of a mesh. */
typedef struct axis_at {
  dtc_mesh_part part;
  size_t index;
} axis_at;

typedef struct map {
  axis_at color;
  axis_at labels[MOST_LABELS]; /* none: the rank itself */
  size_t label_count;
  size_t cell;    /* columns of a rank, the gap behind it included */
  size_t head;    /* columns of the name of a node */
  uint64_t ranks; /* that are drawn */
} map;

bool map_asked(const args *a)
{
  return a->value[OPT_MAP] != NULL || a->value[OPT_COLOR] != NULL || a->value[OPT_LABEL] != NULL ||
         a->value[OPT_SVG] != NULL;
}

void json_rank(json *j, const char *key, const layout_arg *l, uint64_t rank)
{
  json_object(j, key);
  json_u64(j, "rank", rank);
  json_u64(j, "node", rank / l->per_node);
  json_u64(j, "local", rank % l->per_node);
  for (dtc_mesh_part part = DTC_MESH_PART_DENSE; part <= DTC_MESH_PART_EXPERTS; part++) {
    uint64_t coord[DTC_MESH_AXES];
    rank_coord(l, part, rank, coord);
    json_array(j, dtc_value_name(DTC_FIELD(group_kind, part), part));
    for (size_t i = 0; i < l->meshes[part].n; i++)
      json_u64(j, NULL, coord[i]);
    json_end(j);
  }
  json_end(j);
}

static int read_axis(const cli *c, const layout_arg *l, const char *name, size_t len, axis_at *out)
{
  char asked[64];
  if (axis_find(l, name, len, &out->part, &out->index))
    return 0;
  snprintf(asked, sizeof asked, "%.*s", (int)len, name);
  return fail(c, MSG_NO_AXIS, asked);
}

/* --color and --label; without --color the pipeline stages are coloured. */
static int read_map(const cli *c, const args *a, const layout_arg *l, map *out)
{
  const char *color = a->value[OPT_COLOR];
  const char *label = a->value[OPT_LABEL];
  *out = (map){.ranks = l->layout.world < MOST_RANKS ? l->layout.world : MOST_RANKS};
  /* Schemes without pipelines have no such axis: their slowest one then. */
  if (color == NULL && !axis_find(l, "pp", 2, &out->color.part, &out->color.index))
    out->color = (axis_at){DTC_MESH_PART_DENSE, l->meshes[DTC_MESH_PART_DENSE].n - 1};
  if (color != NULL && read_axis(c, l, color, strlen(color), &out->color) != 0)
    return EXIT_BAD_INPUT;
  while (label != NULL) {
    size_t len = strcspn(label, "-");
    if (out->label_count == MOST_LABELS)
      return fail(c, MSG_BAD_VALUE, "label", a->value[OPT_LABEL], "AXIS-AXIS-AXIS-AXIS");
    if (read_axis(c, l, label, len, &out->labels[out->label_count++]) != 0)
      return EXIT_BAD_INPUT;
    label = label[len] == 0 ? NULL : label + len + 1;
  }
  return 0;
}

static uint64_t coord_at(const layout_arg *l, axis_at at, uint64_t rank)
{
  uint64_t coord[DTC_MESH_AXES];
  rank_coord(l, at.part, rank, coord);
  return coord[at.index];
}

static text rank_label(const layout_arg *l, const map *m, uint64_t rank)
{
  text t = {""};
  size_t at = 0;
  if (m->label_count == 0)
    return text_u64(rank);
  for (size_t i = 0; i < m->label_count && at < sizeof t.s; i++)
    at += (size_t)snprintf(t.s + at, sizeof t.s - at, "%s%" PRIu64, i == 0 ? "" : ".", coord_at(l, m->labels[i], rank));
  return t;
}

static void node_text(const cli *c, uint64_t node, char out[64])
{
  write_line(c, out, 64, MSG_NODE, text_u64(node).s);
}

/* Widths, so that all labels fit: the widest label need not be the last one's. */
static void measure(const cli *c, const layout_arg *l, map *m)
{
  char node[64];
  for (uint64_t i = 0; i < m->ranks; i++) {
    size_t w = strlen(rank_label(l, m, l->layout.offset + i).s) + 3;
    m->cell = w > m->cell ? w : m->cell;
  }
  node_text(c, (l->layout.offset + m->ranks - 1) / l->per_node, node);
  m->head = text_width(node) + 2;
}

/* Which coordinate has which colour. */
static size_t draw_legend(const layout_arg *l, const map *m, picture *p, size_t y)
{
  const dtc_axis *axis = &l->meshes[m->color.part].axes[m->color.index];
  const char *name = dtc_value_name(DTC_FIELD(axis, name), axis->name);
  size_t x = 0;
  for (uint64_t v = 0; v < axis->size && v < DRAW_COLOURS; v++) {
    char label[96];
    snprintf(label, sizeof label, " %s %" PRIu64 "%s ", name, v,
             v == DRAW_COLOURS - 1 && axis->size > v + 1 ? " .." : "");
    size_t w = text_width(label);
    if (x + w > TABLE_WIDTH) {
      x = 0;
      y++;
    }
    picture_box(p, x, y, w, 1, (size_t)v, label);
    x += w + 1;
  }
  return y + 1;
}

/* A line for each node, or several when its ranks do not fit in one. */
static picture draw_map(const cli *c, const layout_arg *l, const map *m)
{
  char title[512];
  write_line(c, title, sizeof title, MSG_MAP_TITLE, text_thousands(l->layout.world).s,
             dtc_value_name(DTC_FIELD(layout, scheme), l->layout.scheme));
  picture p = picture_new(title);
  size_t y = draw_legend(l, m, &p, 0);
  uint64_t in_line = (TABLE_WIDTH - m->head) / m->cell;
  for (uint64_t i = 0; i < m->ranks; i++) {
    uint64_t rank = l->layout.offset + i;
    uint64_t local = rank % l->per_node;
    if (i == 0 || local % in_line == 0)
      y++;
    if (i == 0 || local == 0) {
      char node[64];
      node_text(c, rank / l->per_node, node);
      picture_text(&p, 0, y, node);
    }
    picture_box(&p, m->head + (size_t)(local % in_line) * m->cell, y, m->cell - 1, 1,
                (size_t)coord_at(l, m->color, rank), rank_label(l, m, rank).s);
  }
  return p;
}

static void map_json(const args *a, const layout_arg *l, const map *m)
{
  json j;
  json_start(&j, a->command);
  json_layout(&j, l);
  json_array(&j, "map");
  for (uint64_t i = 0; i < m->ranks; i++)
    json_rank(&j, NULL, l, l->layout.offset + i);
  json_end(&j);
  json_text(&j, "svg", a->value[OPT_SVG]);
  json_end(&j);
}

static void map_text(const cli *c, const args *a, const layout_arg *l, const map *m, const picture *p)
{
  const char *svg = a->value[OPT_SVG];
  print_layout(c, l);
  putchar('\n');
  if (svg == NULL)
    picture_terminal(c, p, stdout);
  else
    print_line(c, MSG_WRITTEN, svg);
  if (m->ranks < l->layout.world)
    print_line(c, MSG_MAP_PART, text_thousands(m->ranks).s, text_thousands(l->layout.world).s);
}

int answer_map(const cli *c, const args *a, const layout_arg *l)
{
  map m;
  int code = 0;
  if (read_map(c, a, l, &m) != 0)
    return EXIT_BAD_INPUT;
  measure(c, l, &m);
  picture p = draw_map(c, l, &m);
  if (a->value[OPT_SVG] != NULL)
    code = picture_write(c, a->value[OPT_SVG], &p);
  if (code == 0 && c->json)
    map_json(a, l, &m);
  else if (code == 0)
    map_text(c, a, l, &m, &p);
  picture_free(&p);
  return code;
}
