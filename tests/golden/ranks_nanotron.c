/* ranks_nanotron.csv: ParallelContext's groups, which nanotron counts in an order of its own for each kind. */
#include "ranks.h"

#include <stdlib.h>

typedef struct counted {
  const char *kind;
  const char *in;    /* axes inside a group, of t c d p, fastest first */
  const char *order; /* the others, first counted first */
} counted;

static const counted kinds[] = {
    {"tp", "t", "cdp"}, {"cp", "c", "dpt"}, {"dp", "d", "ptc"},    {"pp", "p", "tcd"},
    {"mp", "tp", "dc"}, {"ep", "", "tcdp"}, {"dp_cp", "cd", "pt"}, {"tp_ep", "t", "dpc"},
};

static dtc_axis axis_of(const dtc_axis *axes, size_t n, char letter)
{
  dtc_axis_name name = letter == 't'   ? DTC_AXIS_NAME_TP
                       : letter == 'c' ? DTC_AXIS_NAME_CP
                       : letter == 'd' ? DTC_AXIS_NAME_DP
                                       : DTC_AXIS_NAME_PP;
  for (size_t a = 0; a < n; a++)
    if (axes[a].name == name)
      return axes[a];
  abort();
}

static void answer_kind(golden *g, const counted *c, const dtc_axis *axes, size_t n)
{
  dtc_axis sorted[DTC_MESH_AXES];
  dtc_group_kind k = {0};
  size_t used = 0;
  for (const char *s = c->in; *s != 0; s++) {
    k.axes |= 1u << used;
    sorted[used++] = axis_of(axes, n, *s);
  }
  for (const char *s = c->order; *s != 0; s++)
    sorted[used++] = axis_of(axes, n, *s);
  ranks *r = ranks_empty();
  if (ranks_groups(g, r, sorted, used, 0, &k))
    ranks_answer(g, r, RANKS_ENDS);
}

/* Consecutive blocks of the local world, which nanotron takes for 8 when there are more ranks. */
static void answer_local(golden *g, const dtc_axis *axes, size_t n, uint64_t world)
{
  uint64_t local = world > 8 ? golden_number(g, "local_world") : world;
  dtc_group_kind k = {.axes = UINT32_MAX, .chunk = local};
  ranks *r = ranks_empty();
  if (ranks_groups(g, r, axes, n, 0, &k))
    ranks_answer(g, r, RANKS_ENDS);
}

static void answer_coords(golden *g, const dtc_axis *axes, size_t n)
{
  dtc_axis five[DTC_MESH_AXES];
  memcpy(five, axes, n * sizeof *axes);
  five[n] = (dtc_axis){.name = DTC_AXIS_NAME_EP, .size = 1};
  ranks *r = ranks_empty();
  if (!ranks_coords(g, r, five, n + 1))
    return;
  if (golden_is(g, "enc", "text"))
    ranks_answer_samples(g, r, ';');
  else
    ranks_answer(g, r, RANKS_ENDS);
}

void golden_ranks_nanotron(golden *g)
{
  dtc_layout l, out;
  dtc_axis axes[DTC_MESH_AXES];
  size_t n = 0;
  dtc_error err;
  DTC_INIT(&l);
  DTC_INIT(&out);
  DTC_INIT(&err);
  l.scheme = DTC_SCHEME_NANOTRON;
  l.world = golden_number(g, "world");
  l.tp = golden_number(g, "tp");
  l.cp = golden_number(g, "cp");
  l.dp = golden_number(g, "dp");
  l.pp = golden_number(g, "pp");
  l.ep = golden_number(g, "ep");
  if (golden_is(g, "kind", "ERROR")) {
    ranks_expect_refusal(g, dtc_layout_resolve(&l, &out, &err));
    return;
  }
  if (!golden_ok(g, dtc_layout_mesh(&l, DTC_MESH_PART_DENSE, axes, DTC_MESH_AXES, &n, &err), &err))
    return;
  if (golden_is(g, "kind", "local"))
    answer_local(g, axes, n, l.world);
  else if (strncmp(golden_cell(g, "kind"), "coords", 6) == 0)
    answer_coords(g, axes, n);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (golden_is(g, "kind", kinds[i].kind))
      answer_kind(g, &kinds[i], axes, n);
}
