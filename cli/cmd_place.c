/* dtcore place: how the groups of ranks lie on nodes and NVLink domains, and how nodes lie behind leaf switches. */
#include "cmd.h"
#include "groups.h"
#include "leaves.h"
#include "place_launch.h"
#include "report.h"
#include "table.h"
#include "text.h"
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAIN_MOST = 4096 }; /* GPUs of a domain that dtc_mesh_placement() takes */

/* A kind of group and how it lies. */
typedef struct placed {
  dtc_group_kind kind;
  bool asked; /* one of --inside */
  bool known; /* the library can place it: not groups that cut the axes of the mesh unevenly */
  dtc_placement node;
  dtc_placement domain;
} placed;

typedef struct question {
  layout_arg layout;
  uint64_t domain; /* GPUs that NVLink joins */
  placed *kinds;
  size_t count;
  uint64_t segment; /* nodes that hold whole groups of every asked kind; 0 when they do not fit 64 bits */
  bool fits;        /* each asked kind can stay in an NVLink domain */
  leaves leaves;
  launch launch;
  uint64_t *
      crossing; /* groups of each of the framework's kinds that cross nodes at best; DTC_NONE: not known, as on nodes of
                        different sizes */
} question;

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static int place_kind(const cli *c, const question *q, placed *p)
{
  const layout_arg *l = &q->layout;
  const mesh *m = &l->meshes[p->kind.part];
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&p->node);
  DTC_INIT(&p->domain);
  p->known = dtc_mesh_placement(m->axes, m->n, l->layout.offset, &p->kind, l->per_node, &p->node, &err) == DTC_OK &&
             dtc_mesh_placement(m->axes, m->n, l->layout.offset, &p->kind, q->domain, &p->domain, &err) == DTC_OK;
  return p->known || (err.status == DTC_E_UNSUPPORTED && !p->asked) ? 0 : fail_with(c, NULL, &err);
}

/* 0 when it does not fit. */
static uint64_t lcm(uint64_t a, uint64_t b)
{
  uint64_t x = a;
  uint64_t y = b;
  while (y != 0) {
    uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return b == 0 || a / x > UINT64_MAX / b ? 0 : a / x * b;
}

/* The kinds of --inside are placed behind those of the framework; without it tp and ep, where they are above 1. */
static int read_inside(const cli *c, const args *a, question *q)
{
  const char *given = a->value[OPT_INSIDE];
  for (const char *s = given != NULL ? given : "tp,ep";; s++) {
    size_t len = strcspn(s, ",");
    placed *p = &q->kinds[q->count];
    memset(p, 0, sizeof *p);
    p->asked = true;
    if (given != NULL && kind_find(c, &q->layout, s, len, &p->kind) != 0)
      return EXIT_BAD_INPUT;
    bool wanted =
        given != NULL || (kind_of_axes(&q->layout, s, len, &p->kind) && group_at(&q->layout, &p->kind, 0).size > 1);
    if (wanted && place_kind(c, q, p) != 0)
      return EXIT_BAD_INPUT;
    q->count += wanted;
    s += len;
    if (*s == 0)
      return 0;
  }
}

/* The fewest nodes whose borders cut no group of an asked kind: when they are in one NVLink domain, so are the groups. */
static void find_segment(question *q)
{
  q->segment = 1;
  for (size_t i = 0; i < q->count; i++) {
    if (q->kinds[i].asked && q->kinds[i].node.spread != DTC_SPREAD_INSIDE)
      q->segment = lcm(q->segment, q->kinds[i].node.segment);
  }
  q->fits = true;
  for (size_t i = 0; i < q->count; i++) {
    bool inside = !q->kinds[i].asked || q->kinds[i].domain.spread == DTC_SPREAD_INSIDE;
    q->fits = q->fits && (inside || (q->segment != 0 && q->segment <= q->domain / q->layout.per_node));
  }
}

static int place_all(const cli *c, const args *a, question *q)
{
  const layout_arg *l = &q->layout;
  const char *inside = a->value[OPT_INSIDE];
  size_t words = 2;
  for (const char *s = inside; s != NULL && *s != 0; s++)
    words += *s == ',';
  q->kinds = grow(NULL, (l->kind_count + words) * sizeof *q->kinds);
  for (; q->count < l->kind_count; q->count++) {
    placed *p = &q->kinds[q->count];
    memset(p, 0, sizeof *p);
    p->kind = l->kinds[q->count];
    if (place_kind(c, q, p) != 0)
      return EXIT_BAD_INPUT;
  }
  if (read_inside(c, a, q) != 0)
    return EXIT_BAD_INPUT;
  find_segment(q);
  q->crossing = grow(NULL, (l->kind_count + 1) * sizeof *q->crossing);
  for (size_t i = 0; i < l->kind_count; i++)
    q->crossing[i] =
        q->kinds[i].known && q->launch.slots == 0 ? q->kinds[i].node.groups - q->kinds[i].node.inside : DTC_NONE;
  return 0;
}

/* "inside", "4 x 2" domains and ranks in each, or how many of the groups are inside when borders cut them. */
static void lie_text(const cli *c, const dtc_placement *p, char *out, size_t cap)
{
  if (p->spread == DTC_SPREAD_NONE)
    snprintf(out, cap, "?");
  else if (p->spread == DTC_SPREAD_INSIDE)
    snprintf(out, cap, "%s", say(c, MSG_LIE_INSIDE));
  else if (p->spread == DTC_SPREAD_SPANS)
    snprintf(out, cap, "%" PRIu64 " x %" PRIu64, p->domains, p->members);
  else
    write_line(c, out, cap, MSG_LIE_CUT, text_u64(p->groups - p->inside).s);
}

static void place_row(const cli *c, const question *q, table *t, const placed *p)
{
  char name[KIND_NAME];
  char node[64];
  char domain[64] = "";
  dtc_group first = group_at(&q->layout, &p->kind, 0);
  kind_name(&q->layout, &p->kind, name);
  lie_text(c, &p->node, node, sizeof node);
  if (q->domain != q->layout.per_node)
    lie_text(c, &p->domain, domain, sizeof domain);
  table_cell(t, name);
  table_cell(t, text_u64(first.count).s);
  table_cell(t, text_u64(first.size).s);
  table_cell(t, node);
  table_cell(t, domain);
  table_cell(t, p->node.rail == DTC_BOOL_ON && p->node.spread != DTC_SPREAD_INSIDE ? say(c, MSG_RAIL_YES) : "");
  table_cell(t, p->known ? text_u64(p->node.segment).s : "?");
}

static void print_table(const cli *c, const question *q)
{
  static const msg head[] = {MSG_KIND, MSG_GROUPS, MSG_SIZE, MSG_ON_NODES, MSG_ON_DOMAINS, MSG_RAIL, MSG_SEGMENT};
  table t = table_new("lrrrrlr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  /* A group of one rank lies nowhere. */
  for (size_t i = 0; i < q->layout.kind_count; i++) {
    if (group_at(&q->layout, &q->kinds[i].kind, 0).size > 1)
      place_row(c, q, &t, &q->kinds[i]);
  }
  table_print(c, &t, 2);
  text_wrap(say(c, MSG_PLACE_NOTE), 0);
}

/* Whether a line names the kind: the asked ones, or the framework's that leave a node. */
static bool is_listed(const placed *p, bool asked)
{
  return asked ? p->asked : !p->asked && p->known && p->node.spread != DTC_SPREAD_INSIDE;
}

/* Axes of those kinds, each once: "pp, dp-cp". */
static void list_kinds(const cli *c, const question *q, bool asked, char *out, size_t cap)
{
  *out = 0;
  for (size_t i = 0; i < q->count; i++) {
    char name[KIND_NAME];
    bool told = false;
    kind_axes(&q->layout, &q->kinds[i].kind, name);
    for (size_t k = 0; k < i && !told; k++) {
      char before[KIND_NAME];
      kind_axes(&q->layout, &q->kinds[k].kind, before);
      told = is_listed(&q->kinds[k], asked) && strcmp(before, name) == 0;
    }
    if (!told && is_listed(&q->kinds[i], asked))
      list_add(c, out, cap, name);
  }
}

static void print_advice(const cli *c, const question *q)
{
  char names[1024];
  char line[1200];
  list_kinds(c, q, false, names, sizeof names);
  write_line(c, line, sizeof line, *names == 0 ? MSG_CROSS_NONE : MSG_CROSS, names);
  text_wrap(line, 2);
  list_kinds(c, q, true, names, sizeof names);
  if (*names == 0)
    return;
  if (!q->fits)
    print_line(c, MSG_SEGMENT_NOT, names, text_u64(q->domain).s);
  else if (q->segment == 1)
    print_line(c, MSG_SEGMENT_NODE, names);
  else
    print_line(c, MSG_SEGMENT_ASK, text_u64(q->segment).s, names);
}

/* NVLink domains that the ranks take. */
static uint64_t domains(const question *q)
{
  uint64_t end = q->layout.layout.offset + q->layout.layout.world;
  return end / q->domain + (end % q->domain != 0);
}

static void print_text(const cli *c, const question *q)
{
  print_layout(c, &q->layout);
  print_line(c, MSG_PLACE_LINE, text_u64(layout_nodes(&q->layout)).s, text_u64(q->layout.per_node).s,
             text_u64(q->domain).s, text_u64(domains(q)).s);
  putchar('\n');
  print_table(c, q);
  putchar('\n');
  print_advice(c, q);
  if (q->leaves.of != NULL)
    leaves_print(c, &q->leaves);
  if (q->launch.asked)
    launch_print(c, &q->layout, &q->launch, q->crossing);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_lie(json *j, const char *key, const dtc_placement *p)
{
  if (p->spread == DTC_SPREAD_NONE) {
    json_null(j, key);
    return;
  }
  json_object(j, key);
  json_text(j, "spread", dtc_value_name(DTC_FIELD(placement, spread), p->spread));
  json_u64(j, "inside", p->inside);
  json_u64(j, "domains", p->domains);
  json_u64(j, "members", p->members);
  json_bool(j, "rail", p->rail == DTC_BOOL_ON);
  json_u64(j, "segment", p->segment);
  json_end(j);
}

static void json_placed(json *j, const question *q, bool asked)
{
  for (size_t i = 0; i < q->count; i++) {
    const placed *p = &q->kinds[i];
    if (p->asked != asked)
      continue;
    json_object(j, NULL);
    dtc_group first = group_at(&q->layout, &p->kind, 0);
    json_kind(j, &q->layout, &p->kind, first.count, first.size);
    json_lie(j, "on_nodes", &p->node);
    json_lie(j, "on_domains", &p->domain);
    json_end(j);
  }
}

static void print_json(const args *a, const question *q)
{
  json j;
  json_start(&j, a->command);
  json_layout(&j, &q->layout);
  json_u64(&j, "nodes", layout_nodes(&q->layout));
  json_u64(&j, "gpus_per_node", q->layout.per_node);
  json_u64(&j, "nvlink_domain", q->domain);
  json_u64(&j, "nvlink_domains", domains(q));
  json_array(&j, "kinds");
  json_placed(&j, q, false);
  json_end(&j);
  json_array(&j, "inside");
  json_placed(&j, q, true);
  json_end(&j);
  json_bool(&j, "fits", q->fits);
  if (q->fits)
    json_u64(&j, "segment", q->segment);
  else
    json_null(&j, "segment");
  leaves_json(&j, &q->leaves);
  if (q->launch.asked)
    launch_json(&j, &q->layout, &q->launch, q->crossing);
  else
    json_null(&j, "launch");
  json_end(&j);
}

static int read_question(const cli *c, const args *a, question *q)
{
  const cluster_arg *machine = &q->layout.cluster;
  if (leaves_read(c, a, &q->leaves) != 0 || launch_read(c, a, &q->launch) != 0)
    return EXIT_BAD_INPUT;
  size_t listed = q->leaves.nodes != 0 ? q->leaves.nodes : q->launch.host_count;
  if (layout_arg_read(c, a, q->launch.slots, listed, &q->layout) != 0 ||
      args_number(c, a, OPT_DOMAIN, 1, machine->given ? machine->cluster.nvlink_domain : q->layout.per_node,
                  &q->domain) != 0)
    return EXIT_BAD_INPUT;
  bool node = q->layout.per_node > DOMAIN_MOST;
  if (node || q->domain > DOMAIN_MOST)
    return fail(c, MSG_COUNT_RANGE, options[node ? OPT_GPUS_PER_NODE : OPT_DOMAIN].name,
                text_u64(node ? q->layout.per_node : q->domain).s, "1", text_u64(DOMAIN_MOST).s);
  uint64_t nodes = layout_nodes(&q->layout);
  if (q->leaves.of != NULL && nodes != q->leaves.nodes)
    return fail(c, MSG_LIST_NODES, "leaves", text_u64(q->leaves.nodes).s, text_u64(nodes).s);
  return launch_run(c, &q->layout, &q->launch) != 0 ? EXIT_BAD_INPUT : place_all(c, a, q);
}

int cmd_place(const cli *c, const args *a)
{
  static question q; /* holds a path: large */
  if (read_question(c, a, &q) != 0 || launch_write(c, a, &q.layout, &q.launch, q.leaves.order) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    print_json(a, &q);
  else
    print_text(c, &q);
  if (!c->json && a->value[OPT_WRITE_HOSTFILE] != NULL)
    print_line(c, MSG_WRITTEN, a->value[OPT_WRITE_HOSTFILE]);
  return a->value[OPT_INSIDE] != NULL && !q.fits ? EXIT_NO : EXIT_YES;
}
