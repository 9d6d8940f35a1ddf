/* ranks_deepspeed.csv: DeepSpeed's topologies and the groups of its utils, one source (function) at a time. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>

/* A number of the `params` cell, "tp=2,ep=4"; 0 for None and what is not there. */
static uint64_t param(const golden *g, const char *name)
{
  const char *s = golden_cell(g, "params");
  size_t len = strlen(name);
  while (*s != 0) {
    if (strncmp(s, name, len) == 0 && s[len] == '=')
      return strtoull(s + len + 1, NULL, 10);
    s += strcspn(s, ",");
    s += *s == ',';
  }
  return 0;
}

static int has(const char *text, const char *part)
{
  return strstr(text, part) != NULL;
}

/* ---- topologies: any axes, the first slowest ------------------------------------------------- */

static int is_error(const golden *g)
{
  return golden_is(g, "kind", "ERROR");
}

/* get_rank_repr(): "model_00" for each axis but data and pipe. */
static void answer_repr(golden *g, const ranks_shape *s, const ranks *coords)
{
  static char text[1 << 20];
  size_t len = 0;
  text[0] = 0;
  for (size_t row = 0; row < coords->rows && len + 256 < sizeof text; row++) {
    int first = 1;
    len += (size_t)snprintf(text + len, sizeof text - len, "%s", row != 0 ? ";" : "");
    for (size_t a = 0; a < s->n; a++)
      if (strcmp(s->name[a], "data") != 0 && strcmp(s->name[a], "pipe") != 0) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s_%02llu", first ? "" : "-", s->name[a],
                                (unsigned long long)coords->value[row * s->n + a]);
        first = 0;
      }
  }
  golden_u64(g, "n_groups", coords->rows);
  golden_u64(g, "group_size", 1);
  golden_text(g, "value", text);
}

/* Each rank with the one at the next stage, around the end. */
static void answer_p2p(golden *g, const ranks_shape *s, const dtc_axis *axes, size_t n)
{
  ranks *r = ranks_empty();
  dtc_error err;
  uint64_t world = 0, coord[DTC_MESH_AXES], next = 0;
  size_t count = 0, pipe = n - 1 - ranks_axis(s, "pipe", 4);
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_mesh_world(axes, n, &world, &err), &err))
    return;
  for (uint64_t rank = 0; rank < world; rank++) {
    if (!golden_ok(g, dtc_mesh_coord(axes, n, 0, rank, coord, DTC_MESH_AXES, &count, &err), &err))
      return;
    coord[pipe] = (coord[pipe] + 1) % axes[pipe].size;
    if (!golden_ok(g, dtc_mesh_rank(axes, n, 0, coord, n, &next, &err), &err))
      return;
    ranks_put(r, rank);
    ranks_put(r, next);
    ranks_end_row(r);
  }
  ranks_answer(g, r, RANKS_GROUPS);
}

/* PipelineParallelGrid's new_group() calls: model, data, pipe, slice groups, by the kinds of the layout. */
static int add_grid(golden *g, ranks *r, const ranks_shape *s, int first_only)
{
  dtc_layout l;
  dtc_group_kind kinds[16];
  dtc_axis axes[DTC_MESH_AXES];
  size_t count = 0, n = 0;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&l);
  l.scheme = DTC_SCHEME_DEEPSPEED;
  l.world = golden_number(g, "world");
  for (size_t i = 0; i < s->n; i++) {
    uint64_t *degree = strcmp(s->name[i], "pipe") == 0 ? &l.pp : strcmp(s->name[i], "data") == 0 ? &l.dp : &l.tp;
    *degree = s->size[i];
  }
  if (!golden_ok(g, dtc_layout_kinds(&l, kinds, 16, &count, &err), &err) ||
      !golden_ok(g, dtc_layout_mesh(&l, DTC_MESH_PART_DENSE, axes, DTC_MESH_AXES, &n, &err), &err))
    return 0;
  for (size_t i = 0; i < (first_only ? 1 : count); i++)
    if (!ranks_groups(g, r, axes, n, 0, &kinds[i]))
      return 0;
  return 1;
}

static void topology_error(golden *g, const ranks_shape *s, const dtc_axis *axes, size_t n)
{
  const char *call = golden_cell(g, "params");
  uint64_t rank = 0, coord[DTC_MESH_AXES] = {0};
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  dtc_status status = DTC_E_UNKNOWN;
  if (has(call, "get_rank(")) /* some axes are left out */
    status = dtc_mesh_rank(axes, n, 0, coord, 1, &rank, &err);
  else if (has(call, "get_coord("))
    status = dtc_mesh_coord(axes, n, 0, strtoull(strchr(call, '(') + 1, NULL, 10), coord, DTC_MESH_AXES, &count, &err);
  else if (has(call, "world=")) {
    dtc_layout l, out;
    DTC_INIT(&l);
    DTC_INIT(&out);
    l.scheme = DTC_SCHEME_DEEPSPEED;
    l.world = golden_number(g, "world");
    l.pp = s->size[0];
    l.dp = s->size[1];
    l.tp = s->n > 2 ? s->size[2] : 1;
    status = dtc_layout_resolve(&l, &out, &err);
  } else if (has(call, "get_axis_list("))
    status = ranks_axis(s, strchr(call, '(') + 1, strcspn(strchr(call, '(') + 1, ",")) == s->n ? DTC_E_UNKNOWN : DTC_OK;
  else if (has(call, "_prime_factors(0)")) /* to dtcore 0 ranks are "not said" */
    status = DTC_E_RANGE;
  ranks_expect_refusal(g, status);
}

static void topology(golden *g)
{
  ranks_shape s;
  dtc_axis axes[DTC_MESH_AXES];
  const char *kind = golden_cell(g, "kind"), *axis = strchr(kind, ':');
  if (!ranks_shape_read(&s, golden_cell(g, "axes"), golden_cell(g, "dims")))
    return;
  size_t n = ranks_rowmajor(&s, axes);
  ranks *r = ranks_empty();
  if (is_error(g))
    topology_error(g, &s, axes, n);
  else if (strcmp(kind, "COORDS") == 0) {
    if (ranks_coords(g, r, axes, n))
      ranks_answer(g, r, RANKS_GROUPS);
  } else if (axis != NULL) {
    dtc_group_kind k = {.axes = ranks_set(&s, axis + 1, '-')};
    if (k.axes != 0 && ranks_groups(g, r, axes, n, 0, &k))
      ranks_answer(g, r, RANKS_GROUPS);
  } else if (strcmp(kind, "rank_repr") == 0) {
    if (ranks_coords(g, r, axes, n))
      answer_repr(g, &s, r);
  } else if (strcmp(kind, "p2p_groups") == 0)
    answer_p2p(g, &s, axes, n);
  else if (strcmp(kind, "ds_model_groups") == 0 || strcmp(kind, "new_group_calls") == 0) {
    if (add_grid(g, r, &s, kind[0] == 'd'))
      ranks_answer(g, r, RANKS_GROUPS);
  }
}

static void default_grid(golden *g)
{
  char text[64];
  dtc_layout l, out;
  dtc_error err;
  DTC_INIT(&l);
  DTC_INIT(&out);
  DTC_INIT(&err);
  l.scheme = DTC_SCHEME_DEEPSPEED_GRID;
  l.world = golden_number(g, "world");
  if (!golden_ok(g, dtc_layout_resolve(&l, &out, &err), &err))
    return;
  snprintf(text, sizeof text, "%llux%llu", (unsigned long long)out.pp, (unsigned long long)out.dp);
  golden_u64(g, "n_groups", 2);
  golden_text(g, "value", text);
}

/* ---- groups of layouts ----------------------------------------------------------------------- */

/* Adds the groups of the axes with these names, in a mesh whose axes are counted in the order of `order`. */
static int add_named(golden *g, ranks *r, const dtc_layout *l, dtc_mesh_part part, const dtc_axis_name *order,
                     dtc_group_kind k, uint32_t names)
{
  dtc_axis axes[DTC_MESH_AXES], sorted[DTC_MESH_AXES];
  size_t n = 0, used = 0;
  dtc_error err;
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_layout_mesh(l, part, axes, DTC_MESH_AXES, &n, &err), &err))
    return 0;
  for (; used < n && order[used] != 0; used++)
    for (size_t a = 0; a < n; a++)
      if (axes[a].name == order[used])
        sorted[used] = axes[a];
  for (size_t a = 0; a < used; a++)
    k.axes |= (names >> sorted[a].name & 1) << a;
  return ranks_groups(g, r, sorted, used, 0, &k);
}

#define BIT(x) (1u << DTC_AXIS_NAME_##x)
#define ORDER(...)                                                                                                     \
  (const dtc_axis_name[])                                                                                              \
  {                                                                                                                    \
    __VA_ARGS__, 0                                                                                                     \
  }
#define TP DTC_AXIS_NAME_TP
#define DP DTC_AXIS_NAME_DP
#define PP DTC_AXIS_NAME_PP
#define EP DTC_AXIS_NAME_EP
#define EDP DTC_AXIS_NAME_EDP
#define CP DTC_AXIS_NAME_CP
#define SHARD DTC_AXIS_NAME_DP_SHARD
#define REPLICATE DTC_AXIS_NAME_DP_REPLICATE

static void resolve_error(golden *g, const dtc_layout *l)
{
  dtc_layout out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  ranks_expect_refusal(g, dtc_layout_resolve(l, &out, &err));
}

/* _get_expert_parallel_ranks(): DeepSpeed counts chunk by chunk of a tensor parallel lane, lane by lane. */
static void expert_ranks(golden *g, dtc_layout *l)
{
  ranks *r = ranks_empty();
  int data_first = param(g, "data_before_expert") != 0;
  l->scheme = data_first ? DTC_SCHEME_DEEPSPEED_MOE_EDP : DTC_SCHEME_DEEPSPEED_MOE;
  if (is_error(g)) {
    resolve_error(g, l);
    return;
  }
  uint32_t names = golden_is(g, "kind", "expert_parallel") ? BIT(EP) : BIT(EDP);
  const dtc_axis_name *order = data_first ? ORDER(EDP, EP, TP, PP) : ORDER(EP, EDP, TP, PP);
  if (add_named(g, r, l, DTC_MESH_PART_EXPERTS, order, (dtc_group_kind){0}, names))
    ranks_answer(g, r, RANKS_GROUPS);
}

/* _create_expert_and_data_parallel(): without model parallelism the data parallel groups come first. With it, expert groups
 * are chunks of a list of the stage: lane by lane in mode tp, rank by rank in mode sp. */
static void expert_and_data(golden *g, dtc_layout *l)
{
  ranks *r = ranks_empty();
  uint64_t mp = param(g, "mp"), stage = l->world / (l->pp != 0 ? l->pp : 1);
  int data_first = param(g, "data_before_expert") != 0, lanes = mp > 1 && has(golden_cell(g, "params"), "mode=tp");
  l->tp = 1;
  l->scheme = data_first ? DTC_SCHEME_DEEPSPEED_MOE_EDP : DTC_SCHEME_DEEPSPEED_MOE;
  if (is_error(g)) {
    resolve_error(g, l);
    return;
  }
  dtc_group_kind expert = {.axes = 3, .chunk = l->ep}, data = {.axes = 3, .chunk = stage / l->ep, .step = l->ep};
  if (data_first) {
    expert = (dtc_group_kind){.axes = 3, .chunk = l->ep, .step = stage / l->ep};
    data = (dtc_group_kind){.axes = 3, .chunk = stage / l->ep};
  }
  uint64_t tp = lanes ? mp : 1;
  dtc_axis axes[] = {{DP, 0, stage / tp, tp}, {TP, 0, tp, 1}, {PP, 0, l->world / stage, stage}};
  int made = mp > 1 || (ranks_groups(g, r, axes, 3, 0, &data) && ranks_groups(g, r, axes, 3, 0, &expert));
  for (uint64_t first = 0; mp > 1 && made && first < l->world; first += stage) /* stage by stage */
    made = ranks_groups(g, r, axes, 2, first, &expert) && ranks_groups(g, r, axes, 2, first, &data);
  if (made)
    ranks_answer(g, r, RANKS_GROUPS);
}

static void auto_ep(golden *g, dtc_layout *l)
{
  const char *kind = golden_cell(g, "kind");
  ranks *r = ranks_empty();
  dtc_error err;
  dtc_layout out;
  DTC_INIT(&out);
  DTC_INIT(&err);
  l->scheme = DTC_SCHEME_DEEPSPEED_AUTOEP;
  l->etp = param(g, "etp");
  if (is_error(g)) {
    resolve_error(g, l);
    return;
  }
  if (strcmp(kind, "VALID") == 0) {
    golden_text(g, "value", dtc_layout_resolve(l, &out, &err) == DTC_OK ? "ok" : "refused");
    return;
  }
  /* The tables exist for degrees that DeepSpeed then refuses: pipelines, and split experts. They are built by axes. */
  dtc_axis dense[] = {{TP, 0, l->tp, 0}, {DP, 0, l->world / (l->tp * l->pp), 0}, {PP, 0, l->pp, 0}};
  dtc_axis experts[] = {{EP, 0, l->ep, 0}, {EDP, 0, l->world / (l->ep * l->pp), 0}, {PP, 0, l->pp, 0}};
  int second = strcmp(kind, "dense_dp") == 0 || strcmp(kind, "edp") == 0;
  dtc_group_kind k = {.axes = second ? 2 : 1};
  if (ranks_groups(g, r, kind[0] == 'e' ? experts : dense, 3, 0, &k))
    ranks_answer(g, r, RANKS_GROUPS);
}

static void two_kinds(golden *g, const dtc_layout *l, uint32_t first, uint32_t second, const dtc_axis_name *order)
{
  ranks *r = ranks_empty();
  if (is_error(g))
    resolve_error(g, l);
  else if (add_named(g, r, l, DTC_MESH_PART_DENSE, order, (dtc_group_kind){0}, first) &&
           (second == 0 || add_named(g, r, l, DTC_MESH_PART_DENSE, order, (dtc_group_kind){0}, second)))
    ranks_answer(g, r, RANKS_GROUPS);
}

/* DeepSpeed drops the ranks behind the last whole node; dtcore refuses, and shows the groups of the whole nodes. */
static void all_to_all(golden *g, dtc_layout *l)
{
  dtc_layout out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  l->scheme = DTC_SCHEME_DEEPSPEED_QGZ;
  l->dp_shard = param(g, "device_count");
  if (!is_error(g) && l->world > l->dp_shard && l->world % l->dp_shard != 0) {
    if (dtc_layout_resolve(l, &out, &err) == DTC_OK) {
      golden_refused(g, "ranks in no group were not noticed");
      return;
    }
    l->world -= l->world % l->dp_shard;
  }
  two_kinds(g, l, BIT(DP_SHARD), l->world > l->dp_shard ? BIT(DP_REPLICATE) : 0, ORDER(SHARD, REPLICATE));
}

void golden_ranks_deepspeed(golden *g)
{
  const char *source = golden_cell(g, "source");
  dtc_layout l;
  DTC_INIT(&l);
  l.world = golden_number(g, "world");
  l.tp = param(g, "tp");
  l.ep = param(g, "ep");
  l.pp = param(g, "pp");
  if (has(source, "(default)"))
    default_grid(g);
  else if (has(source, "topology"))
    topology(g);
  else if (has(source, "_get_expert_parallel_ranks"))
    expert_ranks(g, &l);
  else if (has(source, "_create_expert_and_data_parallel"))
    expert_and_data(g, &l);
  else if (has(source, "auto_ep_folding"))
    auto_ep(g, &l);
  else if (has(source, "_init_tp_groups")) {
    l.scheme = DTC_SCHEME_DEEPSPEED;
    l.dp = param(g, "dp");
    two_kinds(g, &l, BIT(DP), BIT(TP), ORDER(TP, DP, PP));
  } else if (has(source, "initialize_sequence_parallel")) {
    l.scheme = DTC_SCHEME_DEEPSPEED_ULYSSES;
    l.cp = param(g, "sp");
    two_kinds(g, &l, BIT(CP), BIT(CP) | BIT(DP), ORDER(CP, DP));
  } else if (has(source, "_create_zero_param")) {
    l.scheme = DTC_SCHEME_DEEPSPEED_HPZ;
    l.dp_shard = param(g, "hpz");
    two_kinds(g, &l, BIT(DP_SHARD), 0, ORDER(SHARD, REPLICATE));
  } else if (has(source, "_get_local_all_to_all_group"))
    all_to_all(g, &l);
}
