/* ranks_colossal.csv: ProcessGroupMesh with the axes of each plugin, and the legacy initializers. */
#include "ranks.h"

#include <stdlib.h>

/* A plugin's own axes, and the scheme that must have the same. */
typedef struct plugin {
  const char *source;
  dtc_scheme scheme;
} plugin;

static const plugin plugins[] = {
    {"HybridParallelPlugin(dp_outside=True)", DTC_SCHEME_COLOSSALAI},
    {"HybridParallelPlugin(dp_outside=False)", DTC_SCHEME_COLOSSALAI_INSIDE},
    {"HybridParallelPlugin(dp_outside=True,ring_attn)", DTC_SCHEME_COLOSSALAI_RING},
    {"HybridParallelPlugin(dp_outside=False,ring_attn)", DTC_SCHEME_COLOSSALAI_RING_IN},
    {"MoeHybridParallelPlugin(moe_dp_outside=True)", DTC_SCHEME_COLOSSALAI_MOE},
    {"MoeHybridParallelPlugin(moe_dp_outside=False)", DTC_SCHEME_COLOSSALAI_MOE_IN},
    {"GeminiPlugin", DTC_SCHEME_COLOSSALAI_GEMINI},
    {"LowLevelZeroPlugin(extra_dp_size)", DTC_SCHEME_COLOSSALAI_ZERO},
};

/* Where the file's name of an axis is in the layout. */
static uint64_t *degree(dtc_layout *l, const char *name)
{
  static const struct {
    const char *name;
    size_t offset;
  } degrees[] = {
      {"dp", offsetof(dtc_layout, dp)},
      {"pp", offsetof(dtc_layout, pp)},
      {"tp", offsetof(dtc_layout, tp)},
      {"sp", offsetof(dtc_layout, cp)},
      {"ep", offsetof(dtc_layout, ep)},
      {"zero", offsetof(dtc_layout, dp_shard)},
      {"inner_dp", offsetof(dtc_layout, dp_shard)},
      {"extra_dp", offsetof(dtc_layout, dp_replicate)},
  };
  for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
    if (strcmp(degrees[i].name, name) == 0)
      return (uint64_t *)(void *)((char *)l + degrees[i].offset);
  return NULL;
}

/* The axes of a row: those of its plugin's layout, or the row's own for a bare mesh. Axes of size 1 keep their place. */
static int read_axes(golden *g, const ranks_shape *s, dtc_axis *axes, size_t *n)
{
  dtc_layout l;
  dtc_error err;
  DTC_INIT(&l);
  DTC_INIT(&err);
  *n = ranks_rowmajor(s, axes);
  for (size_t i = 0; i < sizeof plugins / sizeof plugins[0]; i++)
    if (golden_is(g, "source", plugins[i].source))
      l.scheme = plugins[i].scheme;
  if (l.scheme == DTC_SCHEME_DEFAULT)
    return 1;
  l.world = golden_number(g, "world");
  for (size_t i = 0; i < s->n; i++)
    if (degree(&l, s->name[i]) != NULL)
      *degree(&l, s->name[i]) = s->size[i];
  return golden_ok(g, dtc_layout_mesh(&l, DTC_MESH_PART_DENSE, axes, DTC_MESH_AXES, n, &err), &err);
}

static void process_group_mesh(golden *g)
{
  ranks_shape s;
  dtc_axis axes[DTC_MESH_AXES];
  size_t n = 0;
  uint64_t world = 0;
  dtc_error err;
  DTC_INIT(&err);
  if (!ranks_shape_read(&s, golden_cell(g, "axes"), golden_cell(g, "shape")))
    return;
  if (golden_is(g, "kind", "ERROR")) {
    n = ranks_rowmajor(&s, axes);
    dtc_status status = dtc_mesh_world(axes, n, &world, &err);
    ranks_expect_refusal(g, status != DTC_OK || world == golden_number(g, "world") ? status : DTC_E_CONFLICT);
    return;
  }
  if (!read_axes(g, &s, axes, &n))
    return;
  ranks *r = ranks_empty();
  if (golden_is(g, "kind", "coords")) {
    if (!ranks_coords(g, r, axes, n))
      return;
    if (golden_is(g, "enc", "text"))
      ranks_answer_samples(g, r, ' ');
    else
      ranks_answer(g, r, RANKS_GROUPS);
    return;
  }
  dtc_group_kind k = {.axes = ranks_set(&s, golden_cell(g, "arg"), '+')};
  if (ranks_groups(g, r, axes, n, 0, &k))
    ranks_answer(g, r, RANKS_GROUPS);
}

/* ---- legacy ---------------------------------------------------------------------------------- */

/* An initializer's groups: axes inside them; DTC_AXIS_NAME_* as bits. */
typedef struct legacy {
  const char *source;
  const char *arg;
  dtc_scheme scheme;
  uint32_t in;
  uint32_t late; /* these axes are counted after the other tensor parallel ones */
} legacy;

#define B(x) (1u << DTC_AXIS_NAME_##x)

static const legacy initializers[] = {
    {"1D", "", DTC_SCHEME_COLOSSALAI_1D, B(TP), 0},
    {"Tensor", "", DTC_SCHEME_COLOSSALAI_1D, B(TP), 0},
    {"Data", "", DTC_SCHEME_COLOSSALAI_1D, B(DP), 0},
    {"Pipeline", "", DTC_SCHEME_COLOSSALAI_1D, B(PP), 0},
    {"Model", "", DTC_SCHEME_COLOSSALAI_1D, B(TP) | B(PP), 0},
    {"Sequence", "sequence_initializer", DTC_SCHEME_COLOSSALAI_1D, B(TP), 0},
    {"2D", "row_initializer", DTC_SCHEME_COLOSSALAI_2D, B(TP_I), 0},
    {"2D", "col_initializer", DTC_SCHEME_COLOSSALAI_2D, B(TP_J), 0},
    {"2p5D", "row_initializer", DTC_SCHEME_COLOSSALAI_25D, B(TP_I), B(TP_J)},
    {"2p5D", "col_initializer", DTC_SCHEME_COLOSSALAI_25D, B(TP_J), B(TP_I)},
    {"2p5D", "dep_initializer", DTC_SCHEME_COLOSSALAI_25D, B(TP_K), B(TP_I)},
    {"2p5D", "xz_initializer", DTC_SCHEME_COLOSSALAI_25D, B(TP_J) | B(TP_K), 0},
    {"3D", "input_initializer", DTC_SCHEME_COLOSSALAI_3D, B(TP_J), B(TP_I)},
    {"3D", "weight_initializer", DTC_SCHEME_COLOSSALAI_3D, B(TP_I), 0},
    {"3D", "output_initializer", DTC_SCHEME_COLOSSALAI_3D, B(TP_K), B(TP_I)},
    {"3D", "input_x_weight_initializer", DTC_SCHEME_COLOSSALAI_3D, B(TP_I) | B(TP_J), 0},
    {"3D", "output_x_weight_initializer", DTC_SCHEME_COLOSSALAI_3D, B(TP_I) | B(TP_K), 0},
};

static int read_legacy(const golden *g, dtc_layout *l)
{
  const char *shape = golden_cell(g, "shape"), *pp = strstr(shape, "xpp"), *tp = strstr(shape, "xtp");
  const char *depth = golden_cell(g, "axes");
  DTC_INIT(l);
  if (strncmp(shape, "dp", 2) != 0 || pp == NULL || tp == NULL)
    return 0;
  l->dp = strtoull(shape + 2, NULL, 10);
  l->pp = strtoull(pp + 3, NULL, 10);
  l->tp = strtoull(tp + 3, NULL, 10);
  l->world = golden_number(g, "world");
  if (strncmp(depth, "depth=", 6) == 0)
    l->tp_depth = strtoull(depth + 6, NULL, 10);
  return 1;
}

/* In 2.5D and 3D the axes of a tensor parallel group are counted in an order that differs from group to group. */
static void move_late(dtc_axis *axes, size_t n, uint32_t late)
{
  for (size_t a = 0; a + 1 < n; a++) {
    int tensor = axes[a + 1].name >= DTC_AXIS_NAME_TP_I;
    if (late >> axes[a].name & 1 && axes[a].name >= DTC_AXIS_NAME_TP_I && tensor) {
      dtc_axis swapped = axes[a];
      axes[a] = axes[a + 1];
      axes[a + 1] = swapped;
    }
  }
}

static void legacy_groups(golden *g, dtc_layout *l, const legacy *row)
{
  dtc_axis axes[DTC_MESH_AXES];
  dtc_group_kind k = {0};
  size_t n = 0;
  dtc_error err;
  ranks *r = ranks_empty();
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_layout_mesh(l, DTC_MESH_PART_DENSE, axes, DTC_MESH_AXES, &n, &err), &err))
    return;
  for (size_t a = 0; a < n; a++)
    axes[a].stride = axes[a].stride != 0 ? axes[a].stride : 1;
  move_late(axes, n, row->late);
  for (size_t a = 0; a < n; a++)
    k.axes |= (row->in >> axes[a].name & 1) << a;
  if (ranks_groups(g, r, axes, n, 0, &k))
    ranks_answer(g, r, RANKS_GROUPS);
}

/* Consecutive blocks of a pipeline stage's ranks, as the initializer counts them: with dp > 1 they mix stages. */
static void sequence_dp(golden *g, const dtc_layout *l)
{
  dtc_axis world = {.size = l->world};
  dtc_group_kind k = {.axes = 1, .chunk = l->world / l->pp};
  ranks *r = ranks_empty();
  if (ranks_groups(g, r, &world, 1, 0, &k))
    ranks_answer(g, r, RANKS_GROUPS);
}

static void legacy_row(golden *g)
{
  dtc_layout l, out;
  dtc_error err;
  const char *source = golden_cell(g, "source") + strlen("legacy.Initializer_");
  DTC_INIT(&out);
  DTC_INIT(&err);
  if (!read_legacy(g, &l))
    return;
  if (golden_is(g, "arg", "sequence_dp_initializer")) {
    sequence_dp(g, &l);
    return;
  }
  for (size_t i = 0; i < sizeof initializers / sizeof initializers[0]; i++) {
    const legacy *row = &initializers[i];
    if (strcmp(row->source, source) != 0)
      continue;
    l.scheme = row->scheme;
    if (golden_is(g, "kind", "ERROR")) {
      ranks_expect_refusal(g, dtc_layout_resolve(&l, &out, &err));
      return;
    }
    if (golden_is(g, "arg", row->arg))
      legacy_groups(g, &l, row);
  }
}

void golden_ranks_colossal(golden *g)
{
  if (strncmp(golden_cell(g, "source"), "legacy.", 7) == 0)
    legacy_row(g);
  else
    process_group_mesh(g);
}
