#include "place_launch.h"

#include "file.h"
#include "groups.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 8, MOST_NODES = 64, MOST_TASKS = 1024 };

/* ---- crossings --------------------------------------------------------------------------------------------------- */

typedef struct crossings {
  uint64_t count;
  uint64_t first[MOST_SHOWN];
} crossings;

static bool crosses(const layout_arg *l, const launch *of, const dtc_group_kind *kind, uint64_t group)
{
  dtc_group g = group_at(l, kind, group);
  for (uint64_t i = 1; i < g.size; i++) {
    if (of->tasks[group_member(l, kind, group, i)].node != of->tasks[g.first].node)
      return true;
  }
  return false;
}

static crossings count_crossings(const layout_arg *l, const launch *of, const dtc_group_kind *kind)
{
  dtc_group first = group_at(l, kind, 0);
  crossings x = {0};
  for (uint64_t i = 0; first.size > 1 && i < first.count; i++) {
    if (!crosses(l, of, kind, i))
      continue;
    if (x.count < MOST_SHOWN)
      x.first[x.count] = i;
    x.count++;
  }
  return x;
}

static void crossing_row(const layout_arg *l, table *t, const dtc_group_kind *kind, const crossings *x, uint64_t known)
{
  char name[KIND_NAME];
  char which[256] = "";
  size_t at = 0;
  kind_name(l, kind, name);
  for (uint64_t i = 0; i < x->count && i < MOST_SHOWN; i++)
    at += (size_t)snprintf(which + at, sizeof which - at, "%s%" PRIu64, i == 0 ? "" : " ", x->first[i]);
  if (x->count > MOST_SHOWN)
    snprintf(which + at, sizeof which - at, " ..");
  table_cell(t, name);
  table_cell(t, text_u64(group_at(l, kind, 0).count).s);
  table_cell(t, text_u64(x->count).s);
  table_cell(t, known == DTC_NONE ? "?" : text_u64(known).s);
  table_cell(t, which);
}

static void print_crossings(const cli *c, const layout_arg *l, const launch *of, const uint64_t *known)
{
  static const msg head[] = {MSG_KIND, MSG_GROUPS, MSG_CROSSING, MSG_AT_BEST, MSG_WHICH};
  crossings *all = grow(NULL, (l->kind_count + 1) * sizeof *all);
  bool any = false;
  bool more = false; /* than at best */
  for (size_t k = 0; k < l->kind_count; k++) {
    all[k] = count_crossings(l, of, &l->kinds[k]);
    any = any || all[k].count != 0;
    more = more || all[k].count > known[k] || known[k] == DTC_NONE;
  }
  putchar('\n');
  print_line(c, any ? MSG_LAUNCH_CROSS : MSG_LAUNCH_NONE, launch_name(of));
  if (any) {
    table t = table_new("lrrrl");
    for (size_t i = 0; i < t.columns; i++)
      table_cell(&t, say(c, head[i]));
    for (size_t k = 0; k < l->kind_count; k++) {
      if (all[k].count != 0)
        crossing_row(l, &t, &l->kinds[k], &all[k], known[k]);
    }
    table_print(c, &t, 2);
  }
  if (any && !more)
    print_line(c, MSG_LAUNCH_BEST);
  free(all);
}

/* ---- ranks of nodes ---------------------------------------------------------------------------------------------- */

static void node_name(const cli *c, const launch *of, uint32_t node, char *out, size_t cap)
{
  if (node < of->host_count)
    snprintf(out, cap, "%s", of->hosts[node]);
  else
    write_line(c, out, cap, MSG_NODE, text_u64(node).s);
}

/* Ranks of a node as far as they fit. */
static void node_ranks(const launch *of, uint32_t node, char *out, size_t cap)
{
  size_t at = 0;
  *out = 0;
  for (size_t i = 0; i < of->count; i++) {
    if (of->tasks[i].node != node)
      continue;
    int n = snprintf(out + at, cap - at, "%s%zu", at == 0 ? "" : " ", i);
    if (n < 0 || (size_t)n >= cap - at) {
      snprintf(out + (at < cap - 4 ? at : cap - 4), 4, " ..");
      return;
    }
    at += (size_t)n;
  }
}

static void print_nodes(const cli *c, const launch *of)
{
  uint32_t nodes = 0;
  table t = table_new("ll");
  for (size_t i = 0; i < of->count; i++)
    nodes = of->tasks[i].node >= nodes ? of->tasks[i].node + 1 : nodes;
  table_cell(&t, say(c, MSG_NODE_HEAD));
  table_cell(&t, say(c, MSG_RANKS));
  for (uint32_t node = 0; node < nodes && node < MOST_NODES; node++) {
    char name[32];
    char ranks[TABLE_WIDTH - 35];
    node_name(c, of, node, name, sizeof name);
    node_ranks(of, node, ranks, sizeof ranks);
    table_cell(&t, name);
    table_cell(&t, ranks);
  }
  putchar('\n');
  table_print(c, &t, 2);
  if (nodes > MOST_NODES)
    print_line(c, MSG_LAUNCH_MORE, text_u64(nodes - MOST_NODES).s);
}

/* What surprises: rank 0 elsewhere than on the first node, a LOCAL_RANK that is not the process's place in its node. */
static void print_traps(const cli *c, const launch *of)
{
  char name[256];
  char line[512];
  if (of->tasks[0].node != 0) {
    node_name(c, of, of->tasks[0].node, name, sizeof name);
    write_line(c, line, sizeof line, MSG_RANK_ZERO, name);
    text_wrap(line, 2);
  }
  for (size_t i = 0; i < of->count; i++) {
    const dtc_task *t = &of->tasks[i];
    if (t->local_rank != t->local_env) {
      write_line(c, line, sizeof line, MSG_LOCAL_RANK, text_u64(i).s, text_u64(t->local_env).s,
                 text_u64(t->local_rank).s);
      text_wrap(line, 2);
      return;
    }
  }
}

void launch_print(const cli *c, const layout_arg *l, const launch *of, const uint64_t *known)
{
  print_crossings(c, l, of, known);
  print_nodes(c, of);
  print_traps(c, of);
}

void launch_json(json *j, const layout_arg *l, const launch *of, const uint64_t *known)
{
  json_object(j, "launch");
  json_text(j, "launcher", launch_name(of));
  json_array(j, "crossing");
  for (size_t k = 0; k < l->kind_count; k++) {
    crossings x = count_crossings(l, of, &l->kinds[k]);
    char name[KIND_NAME];
    kind_name(l, &l->kinds[k], name);
    json_object(j, NULL);
    json_text(j, "name", name);
    json_u64(j, "crossings", x.count);
    if (known[k] == DTC_NONE)
      json_null(j, "at_best");
    else
      json_u64(j, "at_best", known[k]);
    json_array(j, "first");
    for (uint64_t i = 0; i < x.count && i < MOST_SHOWN; i++)
      json_u64(j, NULL, x.first[i]);
    json_end(j);
    json_end(j);
  }
  json_end(j);
  json_array(j, "tasks");
  for (size_t i = 0; i < of->count && i < MOST_TASKS; i++) {
    json_object(j, NULL);
    json_u64(j, "rank", i);
    json_u64(j, "node", of->tasks[i].node);
    json_text(j, "host", of->tasks[i].node < of->host_count ? of->hosts[of->tasks[i].node] : NULL);
    json_u64(j, "local_rank", of->tasks[i].local_rank);
    json_u64(j, "local_env", of->tasks[i].local_env);
    json_u64(j, "node_rank", of->tasks[i].node_rank);
    json_end(j);
  }
  json_end(j);
  json_end(j);
}

int launch_write(const cli *c, const args *a, const layout_arg *l, const launch *of, const uint64_t *order)
{
  const char *path = a->value[OPT_WRITE_HOSTFILE];
  FILE *f = path == NULL ? NULL : file_create(c, path);
  if (f == NULL)
    return path == NULL ? 0 : EXIT_BAD_INPUT;
  for (size_t i = 0; i < of->host_count; i++) {
    const char *host = of->hosts[order == NULL ? i : order[i]];
    if (of->by == LAUNCH_DEEPSPEED)
      fprintf(f, "%s slots=%" PRIu64 "\n", host, l->per_node);
    for (uint64_t k = 0; of->by == LAUNCH_SLURM && k < l->per_node; k++)
      fprintf(f, "%s\n", host);
  }
  return file_close(c, f, path);
}
