/* ranks_torchtitan.csv: ParallelDims of TorchTitan 0.2.0, 0.2.2 and main. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>

static void read_layout(const golden *g, dtc_layout *l)
{
  DTC_INIT(l);
  int dtensor = golden_is(g, "spmd_backend", "partial_dtensor");
  l->scheme = dtensor ? DTC_SCHEME_TORCHTITAN_DTENSOR : DTC_SCHEME_TORCHTITAN;
  l->version = golden_is(g, "version", "v0.2.0") ? 2000 : golden_is(g, "version", "v0.2.2") ? 2002 : DTC_MAIN;
  l->world = golden_number(g, "world");
  l->dp_replicate = golden_number(g, "dp_replicate");
  if (!golden_is(g, "dp_shard", "-1"))
    l->dp_shard = golden_number(g, "dp_shard");
  l->cp = golden_number(g, "cp");
  l->tp = golden_number(g, "tp");
  l->pp = golden_number(g, "pp");
  l->ep = golden_number(g, "ep");
  l->etp = golden_number(g, "etp");
  /* ParallelDims checks the product of what is said; a degree that is said twice is dp. */
  l->dp = l->dp_shard * l->dp_replicate;
}

/* 0.2.0: names and sizes of the mesh's dimensions, which come before the flattened ones: "pp-dp_shard 2x4". */
static void answer_mesh(golden *g, const dtc_layout *l, const dtc_group_kind *kinds, char names[][RANKS_KIND_TEXT],
                        size_t count)
{
  char all[RANKS_KINDS * RANKS_KIND_TEXT] = "", sizes[RANKS_KINDS * 24] = "";
  dtc_group groups[RANKS_KINDS];
  size_t found = 0;
  dtc_error err;
  (void)kinds;
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_layout_groups(l, 0, groups, RANKS_KINDS, &found, &err), &err))
    return;
  for (size_t i = 0; i < count && strcmp(names[i], "dp") != 0; i++) {
    char size[32];
    snprintf(size, sizeof size, "%s%llu", i != 0 ? "x" : "", (unsigned long long)groups[i].size);
    strcat(all, i != 0 ? "-" : "");
    strcat(all, names[i]);
    strcat(sizes, size);
  }
  strcat(all, " ");
  strcat(all, sizes);
  golden_text(g, "value", all);
}

/* Mesh dimensions of 0.2.0, slowest first: DeviceMesh counts groups by swapping one with the last. */
static size_t device_mesh(const dtc_axis *axes, size_t n, const dtc_group_kind *in_ep, dtc_axis *out)
{
  size_t used = 0;
  for (size_t a = 0; a < n; a++) {
    dtc_axis axis = axes[a];
    if (axis.name == DTC_AXIS_NAME_DP_SHARD && in_ep != NULL) {
      dtc_axis inside = axis;
      inside.size = in_ep->step == 0 ? in_ep->chunk : in_ep->step;
      out[used++] = inside;
      axis.stride *= inside.size;
      axis.size /= inside.size;
    }
    out[used++] = axis;
  }
  return used;
}

/* The kind that says how much of dp_shard is inside ep; NULL without ep. */
static const dtc_group_kind *split_of(const dtc_group_kind *kinds, char names[][RANKS_KIND_TEXT], size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], "dp_shard_mod_ep") == 0)
      return &kinds[i];
  return NULL;
}

/* Sizes above 1 make up the mesh, but for dp_shard_mod_ep, the slower of two dp_shard, which is always there. */
static size_t drop_ones(dtc_axis *axes, size_t n)
{
  size_t used = 0, shards = 0;
  for (size_t a = 0; a < n; a++) {
    shards += axes[a].name == DTC_AXIS_NAME_DP_SHARD;
    if (axes[a].size > 1 || (axes[a].name == DTC_AXIS_NAME_DP_SHARD && shards == 2))
      axes[used++] = axes[a];
  }
  return used;
}

static int varies(const dtc_axis *axis, const dtc_axis *mesh, const dtc_group_kind *k, const dtc_group_kind *split)
{
  for (uint32_t a = 0; a < DTC_MESH_AXES; a++)
    if (k->axes >> a & 1 && mesh[a].name == axis->name) {
      if (axis->name != DTC_AXIS_NAME_DP_SHARD || split == NULL || k->chunk == 0)
        return 1;
      int outside = axis->stride > mesh[a].stride || split->step == 1;
      return outside == (k->step == split->step && k->chunk == split->chunk);
    }
  return 0;
}

static void answer_created(golden *g, const dtc_layout *l, const dtc_group_kind *k, const dtc_group_kind *split)
{
  dtc_axis axes[DTC_MESH_AXES], mesh[DTC_MESH_AXES];
  dtc_group_kind made = {0};
  size_t n = 0;
  dtc_error err;
  ranks *r = ranks_empty();
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_layout_mesh(l, k->part, axes, DTC_MESH_AXES, &n, &err), &err))
    return;
  if (k->part == DTC_MESH_PART_EXPERTS) {
    if (ranks_groups(g, r, axes, n, 0, k))
      ranks_answer(g, r, RANKS_GROUPS);
    return;
  }
  size_t used = drop_ones(mesh, device_mesh(axes, n, split, mesh));
  for (size_t a = 0; a < used; a++)
    made.axes |= (uint32_t)varies(&mesh[a], axes, k, split) << a;
  size_t at = 0;
  while (at < used && made.axes != 1u << at)
    at++;
  int flat = golden_is(g, "name", "mesh_dp") || strstr(golden_cell(g, "name"), "_cp") != NULL;
  if (at < used && !flat) { /* one dimension: swapped with the last */
    dtc_axis swapped = mesh[0];
    mesh[0] = mesh[at];
    mesh[at] = swapped;
    made.axes = 1;
  }
  if (ranks_groups(g, r, mesh, used, 0, &made))
    ranks_answer(g, r, RANKS_GROUPS);
}

/* Axes of later versions, ordered by their first rank; those of size 1 too, which are no kinds. */
static void answer_axis(golden *g, const dtc_layout *l)
{
  static const struct {
    const char *name;
    dtc_mesh_part part;
    uint32_t axes;
  } all[] = {
      {"pp", DTC_MESH_PART_DENSE, 1u << DTC_AXIS_NAME_PP},
      {"batch", DTC_MESH_PART_DENSE, 1u << DTC_AXIS_NAME_DP_SHARD | 1u << DTC_AXIS_NAME_DP_REPLICATE},
      {"loss", DTC_MESH_PART_DENSE,
       1u << DTC_AXIS_NAME_DP_SHARD | 1u << DTC_AXIS_NAME_DP_REPLICATE | 1u << DTC_AXIS_NAME_CP},
      {"dp", DTC_MESH_PART_DENSE, 1u << DTC_AXIS_NAME_DP_SHARD | 1u << DTC_AXIS_NAME_DP_REPLICATE},
      {"dp_replicate", DTC_MESH_PART_DENSE, 1u << DTC_AXIS_NAME_DP_REPLICATE},
      {"dp_shard", DTC_MESH_PART_DENSE, 1u << DTC_AXIS_NAME_DP_SHARD},
      {"fsdp", DTC_MESH_PART_DENSE, 1u << DTC_AXIS_NAME_DP_SHARD | 1u << DTC_AXIS_NAME_CP},
      {"cp", DTC_MESH_PART_DENSE, 1u << DTC_AXIS_NAME_CP},
      {"tp", DTC_MESH_PART_DENSE, 1u << DTC_AXIS_NAME_TP},
      {"ep", DTC_MESH_PART_EXPERTS, 1u << DTC_AXIS_NAME_EP},
      {"efsdp", DTC_MESH_PART_EXPERTS, 1u << DTC_AXIS_NAME_EFSDP},
      {"etp", DTC_MESH_PART_EXPERTS, 1u << DTC_AXIS_NAME_ETP},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    dtc_axis axes[DTC_MESH_AXES];
    dtc_group_kind k = {0};
    size_t n = 0;
    dtc_error err;
    ranks *r = ranks_empty();
    DTC_INIT(&err);
    if (!golden_is(g, "name", all[i].name) ||
        !golden_ok(g, dtc_layout_mesh(l, all[i].part, axes, DTC_MESH_AXES, &n, &err), &err))
      continue;
    for (size_t a = 0; a < n; a++)
      k.axes |= (all[i].axes >> axes[a].name & 1) << a;
    if (ranks_groups(g, r, axes, n, 0, &k))
      ranks_answer(g, r, RANKS_GROUPS);
  }
}

void golden_ranks_torchtitan(golden *g)
{
  static char names[RANKS_KINDS][RANKS_KIND_TEXT];
  dtc_group_kind kinds[RANKS_KINDS];
  dtc_layout l, out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  read_layout(g, &l);
  dtc_status status = dtc_layout_resolve(&l, &out, &err);
  if (golden_is(g, "kind", "ERROR")) {
    ranks_expect_refusal(g, status);
    return;
  }
  if (golden_is(g, "kind", "RESOLVED")) {
    /* ParallelDims resolves dp_shard before later versions refuse ep. */
    l.ep = status == DTC_OK ? l.ep : 1;
    if (golden_ok(g, dtc_layout_resolve(&l, &out, &err), &err))
      golden_u64(g, "value", out.dp_shard);
    return;
  }
  if (golden_is(g, "kind", "axis")) {
    answer_axis(g, &l);
    return;
  }
  size_t count = ranks_kinds(g, &l, kinds, names);
  if (golden_is(g, "kind", "ENABLED")) /* in the order of ParallelDims */
    ranks_answer_names(g, names, count);
  else if (golden_is(g, "kind", "MESH"))
    answer_mesh(g, &l, kinds, names, count);
  for (size_t i = 0; i < count && golden_is(g, "kind", "created"); i++)
    if (strcmp(golden_cell(g, "name") + strlen("mesh_"), names[i]) == 0)
      answer_created(g, &l, &kinds[i], split_of(kinds, names, count));
}
