/* dtcore ranks: which rank does what, and which ranks are in a group together. */
#include "cmd.h"
#include "groups.h"
#include "rank_map.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 4096 };

/* Columns that the names of the kinds leave for the ranks, beside `others` columns of numbers. */
static size_t ranks_room(const layout_arg *l, size_t others)
{
  size_t widest = 0;
  for (size_t k = 0; k < l->kind_count; k++) {
    char name[KIND_NAME];
    kind_name(l, &l->kinds[k], name);
    widest = strlen(name) > widest ? strlen(name) : widest;
  }
  return widest + others + 8 < TABLE_WIDTH ? TABLE_WIDTH - others - widest : 8;
}

/* ---- axes and kinds ---------------------------------------------------------------------------------------------- */

static void print_meshes(const cli *c, const layout_arg *l)
{
  table t = table_new("llrr");
  table_cell(&t, say(c, MSG_MESH));
  table_cell(&t, say(c, MSG_AXIS));
  table_cell(&t, say(c, MSG_SIZE));
  table_cell(&t, say(c, MSG_STRIDE));
  for (dtc_mesh_part part = DTC_MESH_PART_DENSE; part <= DTC_MESH_PART_EXPERTS; part++) {
    const mesh *m = &l->meshes[part];
    for (size_t i = 0; i < m->n && (part == DTC_MESH_PART_DENSE || !l->one_mesh); i++) {
      table_cell(&t, i == 0 ? dtc_value_name(DTC_FIELD(group_kind, part), part) : "");
      table_cell(&t, dtc_value_name(DTC_FIELD(axis, name), m->axes[i].name));
      table_cell(&t, text_u64(m->axes[i].size).s);
      table_cell(&t, text_u64(m->axes[i].stride).s);
    }
  }
  table_print(c, &t, 2);
}

static void print_kinds(const cli *c, const layout_arg *l)
{
  size_t room = ranks_room(l, 26);
  table t = table_new("lrrl");
  table_cell(&t, say(c, MSG_KIND));
  table_cell(&t, say(c, MSG_GROUPS));
  table_cell(&t, say(c, MSG_SIZE));
  table_cell(&t, say(c, MSG_FIRST_GROUP));
  for (size_t k = 0; k < l->kind_count; k++) {
    char name[KIND_NAME];
    char ranks[LINE];
    dtc_group g = group_at(l, &l->kinds[k], 0);
    kind_name(l, &l->kinds[k], name);
    group_text(l, &l->kinds[k], 0, room, ranks, sizeof ranks);
    table_cell(&t, name);
    table_cell(&t, text_u64(g.count).s);
    table_cell(&t, text_u64(g.size).s);
    table_cell(&t, ranks);
  }
  table_print(c, &t, 2);
}

static void answer_kinds(const cli *c, const args *a, const layout_arg *l, uint64_t limit)
{
  if (!c->json) {
    print_layout(c, l);
    putchar('\n');
    print_meshes(c, l);
    putchar('\n');
    print_kinds(c, l);
    return;
  }
  json j;
  json_start(&j, a->command);
  json_layout(&j, l);
  json_array(&j, "kinds");
  for (size_t k = 0; k < l->kind_count; k++) {
    dtc_group g = group_at(l, &l->kinds[k], 0);
    json_object(&j, NULL);
    json_kind(&j, l, &l->kinds[k], g.count, g.size);
    json_group(&j, "ranks", l, &l->kinds[k], 0, limit);
    json_end(&j);
  }
  json_end(&j);
  json_end(&j);
}

/* ---- one rank ---------------------------------------------------------------------------------------------------- */

static void print_coord(const cli *c, const layout_arg *l, dtc_mesh_part part, uint64_t rank)
{
  const mesh *m = &l->meshes[part];
  uint64_t coord[DTC_MESH_AXES];
  char line[512] = "";
  size_t at = 0;
  rank_coord(l, part, rank, coord);
  for (size_t i = 0; i < m->n && at < sizeof line; i++)
    at += (size_t)snprintf(line + at, sizeof line - at, "%s%s %" PRIu64, i == 0 ? "" : "  ",
                           dtc_value_name(DTC_FIELD(axis, name), m->axes[i].name), coord[i]);
  print_line(c, part == DTC_MESH_PART_DENSE ? MSG_COORD_DENSE : MSG_COORD_EXPERTS, line);
}

static void print_rank(const cli *c, const layout_arg *l, uint64_t rank)
{
  size_t room = ranks_room(l, 26);
  table t = table_new("lrrl");
  print_layout(c, l);
  print_line(c, MSG_RANK_LINE, text_u64(rank).s, text_u64(rank / l->per_node).s, text_u64(rank % l->per_node).s,
             text_u64(l->per_node).s);
  print_coord(c, l, DTC_MESH_PART_DENSE, rank);
  if (!l->one_mesh)
    print_coord(c, l, DTC_MESH_PART_EXPERTS, rank);
  putchar('\n');
  table_cell(&t, say(c, MSG_KIND));
  table_cell(&t, say(c, MSG_GROUP));
  table_cell(&t, say(c, MSG_PLACE));
  table_cell(&t, say(c, MSG_RANKS));
  for (size_t k = 0; k < l->kind_count; k++) {
    dtc_group g = group_of(l, &l->kinds[k], rank);
    bool in = g.index != DTC_NONE;
    char name[KIND_NAME];
    char ranks[LINE] = "";
    kind_name(l, &l->kinds[k], name);
    if (in)
      group_text(l, &l->kinds[k], g.index, room, ranks, sizeof ranks);
    table_cell(&t, name);
    table_cell(&t, in ? text_u64(g.index).s : "-");
    table_cell(&t, in ? text_u64(g.place).s : "");
    table_cell(&t, ranks);
  }
  table_print(c, &t, 2);
}

static void json_place(json *j, const layout_arg *l, const dtc_group_kind *kind, uint64_t rank, uint64_t limit)
{
  dtc_group g = group_of(l, kind, rank);
  json_object(j, NULL);
  json_kind(j, l, kind, g.count, g.size);
  if (g.index == DTC_NONE) {
    json_null(j, "index");
    json_null(j, "place");
    json_null(j, "ranks");
  } else {
    json_u64(j, "index", g.index);
    json_u64(j, "place", g.place);
    json_group(j, "ranks", l, kind, g.index, limit);
  }
  json_end(j);
}

static int answer_rank(const cli *c, const args *a, const layout_arg *l, uint64_t limit)
{
  uint64_t rank;
  uint64_t first = l->layout.offset;
  json j;
  if (args_number(c, a, OPT_RANK, 0, 0, &rank) != 0)
    return EXIT_BAD_INPUT;
  if (rank < first || rank - first >= l->layout.world)
    return fail(c, MSG_COUNT_RANGE, "rank", text_u64(rank).s, text_u64(first).s,
                text_u64(first + l->layout.world - 1).s);
  if (!c->json) {
    print_rank(c, l, rank);
    return EXIT_YES;
  }
  json_start(&j, a->command);
  json_layout(&j, l);
  json_rank(&j, "rank", l, rank);
  json_array(&j, "kinds");
  for (size_t k = 0; k < l->kind_count; k++)
    json_place(&j, l, &l->kinds[k], rank, limit);
  json_end(&j);
  json_end(&j);
  return EXIT_YES;
}

/* ---- all groups of a kind ---------------------------------------------------------------------------------------- */

static void print_groups(const cli *c, const layout_arg *l, const dtc_group_kind *kind, const dtc_group *g,
                         uint64_t limit)
{
  char name[KIND_NAME];
  size_t width = strlen(text_u64(g->count - 1).s);
  kind_name(l, kind, name);
  print_layout(c, l);
  print_line(c, MSG_GROUPS_LINE, name, text_u64(g->count).s, text_u64(g->size).s);
  for (uint64_t i = 0; i < g->count && i < limit; i++) {
    char ranks[LINE];
    group_text(l, kind, i, TABLE_WIDTH - width - 4, ranks, sizeof ranks);
    printf("  %*" PRIu64 "  %s\n", (int)width, i, ranks);
  }
  if (g->count > limit)
    print_line(c, MSG_GROUPS_MORE, text_u64(g->count - limit).s);
}

static int answer_groups(const cli *c, const args *a, const layout_arg *l, uint64_t limit)
{
  const char *name = a->value[OPT_GROUPS];
  dtc_group_kind kind;
  json j;
  if (kind_find(c, l, name, strlen(name), &kind) != 0)
    return EXIT_BAD_INPUT;
  dtc_group first = group_at(l, &kind, 0);
  if (!c->json) {
    print_groups(c, l, &kind, &first, limit);
    return EXIT_YES;
  }
  json_start(&j, a->command);
  json_layout(&j, l);
  json_object(&j, "kind");
  json_kind(&j, l, &kind, first.count, first.size);
  json_end(&j);
  json_array(&j, "list");
  for (uint64_t i = 0; i < first.count && i < limit; i++)
    json_group(&j, NULL, l, &kind, i, limit);
  json_end(&j);
  json_end(&j);
  return EXIT_YES;
}

int cmd_ranks(const cli *c, const args *a)
{
  static layout_arg l; /* holds a path: large */
  uint64_t limit;
  bool map = map_asked(a);
  if ((a->value[OPT_RANK] != NULL) + (a->value[OPT_GROUPS] != NULL) + map > 1)
    return fail(c, MSG_ONE_OF_RANKS);
  if (args_number(c, a, OPT_LIMIT, 1, 64, &limit) != 0 || layout_arg_read(c, a, 0, 0, &l) != 0)
    return EXIT_BAD_INPUT;
  if (a->value[OPT_RANK] != NULL)
    return answer_rank(c, a, &l, limit);
  if (a->value[OPT_GROUPS] != NULL)
    return answer_groups(c, a, &l, limit);
  if (map)
    return answer_map(c, a, &l);
  answer_kinds(c, a, &l, limit);
  return EXIT_YES;
}
