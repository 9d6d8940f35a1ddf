/* ranks_megatron.csv: groups that Megatron-Core's initialize_model_parallel() makes, kind by kind. */
#include "ranks.h"

#include <ctype.h>
#include <stdlib.h>

/* The row's layout; an order that cannot be read is a refusal. */
static dtc_status read_layout(const golden *g, dtc_layout *l)
{
  dtc_error err;
  const char *order = golden_cell(g, "order"), *level = golden_cell(g, "hcp");
  DTC_INIT(l);
  DTC_INIT(&err);
  l->scheme = DTC_SCHEME_MEGATRON;
  l->version = DTC_MAIN;
  l->world = golden_number(g, "world");
  l->tp = golden_number(g, "tp");
  l->cp = golden_number(g, "cp");
  l->pp = golden_number(g, "pp");
  l->ep = golden_number(g, "ep");
  l->etp = golden_number(g, "etp");
  l->instances = golden_number(g, "inst");
  l->gtp_remat = golden_number(g, "gtp");
  l->egtp_remat = golden_number(g, "egtp");
  l->offset = golden_number(g, "rank_offset");
  l->hybrid_cp = golden_is(g, "hybrid", "1") ? DTC_BOOL_ON : DTC_BOOL_OFF;
  for (unsigned shift = 0; *level != 0; shift += 8) {
    char *end;
    l->cp_levels |= strtoull(level, &end, 10) << shift;
    level = end + (*end == 'x');
  }
  if (l->world == 0)
    return DTC_E_RANGE; /* to dtcore 0 ranks are "not said" */
  return dtc_order_parse(order, strlen(order), &l->order, &err);
}

/* Coordinates (tp, cp, dp, pp, etp, ep, edp, gtp_remat, egtp_remat) of every rank: its places in the groups. */
static void answer_coords(golden *g, const dtc_layout *l, const dtc_group_kind *kinds, char names[][RANKS_KIND_TEXT],
                          size_t count)
{
  static const char *const wanted[] = {
      "TENSOR_MODEL_PARALLEL_GROUP",   "CONTEXT_PARALLEL_GROUP",       "DATA_PARALLEL_GROUP",
      "PIPELINE_MODEL_PARALLEL_GROUP", "EXPERT_TENSOR_PARALLEL_GROUP", "EXPERT_MODEL_PARALLEL_GROUP",
      "EXPERT_DATA_PARALLEL_GROUP",    "GTP_WEIGHT_REMAT_GROUP",       "EXPERT_GTP_WEIGHT_REMAT_GROUP"};
  enum { WANTED = sizeof wanted / sizeof wanted[0] };
  dtc_group groups[RANKS_KINDS];
  size_t at[WANTED] = {0}, found = 0;
  dtc_error err;
  ranks *r = ranks_empty();
  (void)kinds;
  DTC_INIT(&err);
  for (size_t w = 0; w < WANTED; w++)
    while (at[w] + 1 < count && strcmp(names[at[w]], wanted[w]) != 0)
      at[w]++;
  for (uint64_t rank = 0; rank < l->world; rank++) {
    if (!golden_ok(g, dtc_layout_groups(l, l->offset + rank, groups, RANKS_KINDS, &found, &err), &err))
      return;
    for (size_t w = 0; w < WANTED; w++)
      ranks_put(r, groups[at[w]].place);
    ranks_end_row(r);
  }
  ranks_answer(g, r, RANKS_TUPLES);
}

/* Megatron gives the ranks of an optimizer instance stage by stage: with the pipeline before the rest of the experts' data
 * parallel ranks in the list. */
static void list_instances(dtc_axis *axes, size_t n, dtc_group_kind *kind)
{
  dtc_axis sorted[DTC_MESH_AXES];
  size_t used = 0;
  uint32_t set = 0;
  for (int late = 0; late < 2; late++)
    for (size_t a = 0; a < n; a++)
      if ((axes[a].name == DTC_AXIS_NAME_EDP || axes[a].name == DTC_AXIS_NAME_INSTANCE) == late) {
        set |= (kind->axes >> a & 1) << used;
        sorted[used++] = axes[a];
      }
  memcpy(axes, sorted, sizeof *axes * n);
  kind->axes = set;
}

static void answer_groups(golden *g, const dtc_layout *l, const dtc_group_kind *kind)
{
  dtc_axis axes[DTC_MESH_AXES];
  dtc_group_kind k = *kind;
  size_t n = 0;
  dtc_error err;
  ranks *r = ranks_empty();
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_layout_mesh(l, k.part, axes, DTC_MESH_AXES, &n, &err), &err))
    return;
  int whole = l->gtp_remat > 1 || l->egtp_remat > 1; /* then Megatron lists the world, sorted */
  if (golden_is(g, "kind", "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP") && !whole)
    list_instances(axes, n, &k);
  if (ranks_groups(g, r, axes, n, l->offset, &k))
    ranks_answer(g, r, RANKS_GROUPS);
}

void golden_ranks_megatron(golden *g)
{
  static char names[RANKS_KINDS][RANKS_KIND_TEXT];
  dtc_group_kind kinds[RANKS_KINDS];
  dtc_layout l, resolved;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&resolved);
  dtc_status status = read_layout(g, &l);
  if (golden_is(g, "kind", "ERROR")) {
    ranks_expect_refusal(g, status != DTC_OK ? status : dtc_layout_resolve(&l, &resolved, &err));
    return;
  }
  size_t at = 0, count = ranks_kinds(g, &l, kinds, names);
  if (count == 0)
    return;
  if (golden_is(g, "kind", "KINDS")) {
    golden_u64(g, "n_groups", count);
    ranks_answer_names(g, names, count);
    return;
  }
  if (golden_is(g, "kind", "COORDS")) {
    answer_coords(g, &l, kinds, names, count);
    return;
  }
  while (at < count && !golden_is(g, "kind", names[at]))
    at++;
  if (at < count)
    answer_groups(g, &l, &kinds[at]);
}
