#include "layout_arg.h"

#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

/* The fields of dtc_layout that an option of their own gives, and no word of a plan. */
static const struct {
  option_id option;
  uint32_t offset;
} own[] = {
    {OPT_DP_REPLICATE, offsetof(dtc_layout, dp_replicate)}, {OPT_GTP_REMAT, offsetof(dtc_layout, gtp_remat)},
    {OPT_EGTP_REMAT, offsetof(dtc_layout, egtp_remat)},     {OPT_INSTANCES, offsetof(dtc_layout, instances)},
    {OPT_TP_DEPTH, offsetof(dtc_layout, tp_depth)},
};

/* "2x4": at most 8 sizes of a byte each, the innermost lowest. */
static int read_levels(const cli *c, const char *value, uint64_t *levels)
{
  unsigned shift = 0;
  *levels = 0;
  for (const char *s = value;; shift += 8) {
    char number[8];
    uint64_t n;
    size_t len = strcspn(s, "x");
    snprintf(number, sizeof number, "%.*s", (int)len, s);
    if (len >= sizeof number || shift == 64 || !text_read_u64(number, &n) || n < 1 || n > 255)
      return fail(c, MSG_BAD_VALUE, "cp-levels", value, "NxN");
    *levels |= n << shift;
    if (s[len] == 0)
      return 0;
    s += len + 1;
  }
}

static int read_own(const cli *c, const args *a, dtc_layout *l)
{
  const char *order = a->value[OPT_ORDER];
  const char *levels = a->value[OPT_CP_LEVELS];
  dtc_error err;
  DTC_INIT(&err);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    uint64_t n;
    if (args_number(c, a, own[i].option, 1, 0, &n) != 0)
      return EXIT_BAD_INPUT;
    if (n != 0)
      memcpy((char *)l + own[i].offset, &n, sizeof n);
  }
  if (a->value[OPT_HYBRID_CP] != NULL)
    l->hybrid_cp = DTC_BOOL_ON;
  if (args_number(c, a, OPT_OFFSET, 0, 0, &l->offset) != 0 ||
      (a->value[OPT_SCHEME] != NULL &&
       value_read(c, "scheme", DTC_FIELD(layout, scheme), a->value[OPT_SCHEME], &l->scheme, &l->version) != 0) ||
      (levels != NULL && read_levels(c, levels, &l->cp_levels) != 0))
    return EXIT_BAD_INPUT;
  if (order != NULL && dtc_order_parse(order, strlen(order), &l->order, &err) != DTC_OK)
    return fail_with(c, "--order", &err);
  return 0;
}

/* Ranks there are, 0 when nobody says it. */
static int read_machine(const cli *c, const args *a, layout_arg *out, uint64_t *world)
{
  uint64_t nodes;
  uint64_t gpus;
  if (a->value[OPT_GPU] != NULL || a->value[OPT_CLUSTER] != NULL) {
    if (cluster_arg_read(c, a, &out->cluster) != 0)
      return EXIT_BAD_INPUT;
    out->per_node = out->cluster.cluster.gpus_per_node;
    gpus = out->cluster.gpus;
  } else {
    if (args_number(c, a, OPT_GPUS_PER_NODE, 1, 8, &out->per_node) != 0 ||
        args_number(c, a, OPT_NODES, 1, 0, &nodes) != 0 ||
        args_number(c, a, OPT_GPUS, 1, nodes * out->per_node, &gpus) != 0)
      return EXIT_BAD_INPUT;
  }
  if (args_number(c, a, OPT_WORLD, 1, gpus, world) != 0)
    return EXIT_BAD_INPUT;
  return gpus == 0 || *world <= gpus ? 0 : fail(c, MSG_WORLD_GPUS, text_u64(*world).s, text_u64(gpus).s);
}

static int from_model(const cli *c, const args *a, const plan_arg *plan, bool any_dp, layout_arg *out)
{
  dtc_error err;
  DTC_INIT(&err);
  if (model_arg_read(c, a, plan, &out->model) != 0)
    return EXIT_BAD_INPUT;
  if (out->model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, out->model.name);
  if (dtc_layout_from_plan(&out->model.model, out->cluster.given ? &out->cluster.cluster : NULL, &plan->plan,
                           &out->layout, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  /* What the plan leaves open follows from the scheme, which --scheme may name. */
  if (plan->plan.framework_version == 0)
    out->layout.version = 0;
  if (plan->plan.etp == 0)
    out->layout.etp = 0;
  if (any_dp)
    out->layout.dp = 0;
  if (plan->plan.dp_shard == 0 && (any_dp || a->value[OPT_DP_REPLICATE] != NULL))
    out->layout.dp_shard = 0;
  if (any_dp || a->value[OPT_DP_REPLICATE] != NULL)
    out->layout.dp_replicate = 0;
  return 0;
}

/* Without a model: the degrees as they stand, in the order of the scheme that is called as the framework. */
static int from_degrees(const cli *c, const dtc_plan *plan, dtc_layout *out)
{
  const char *framework = dtc_value_name(DTC_FIELD(plan, framework), plan->framework);
  if (plan->framework != DTC_FRAMEWORK_DEFAULT)
    out->scheme = value_find(DTC_FIELD(layout, scheme), framework, strlen(framework));
  if (plan->sharding != DTC_SHARDING_DEFAULT)
    return fail(c, MSG_SHARDING_NEEDS_MODEL, dtc_value_name(DTC_FIELD(plan, sharding), plan->sharding));
  out->version = plan->framework_version;
  out->tp = plan->tp;
  out->cp = plan->cp;
  out->pp = plan->pp;
  out->dp = plan->dp;
  out->dp_shard = plan->dp_shard;
  out->ep = plan->ep;
  out->etp = plan->etp;
  return 0;
}

/* What follows from the layout: meshes and kinds of groups. */
static int describe(const cli *c, layout_arg *l)
{
  dtc_error err;
  DTC_INIT(&err);
  for (dtc_mesh_part part = DTC_MESH_PART_DENSE; part <= DTC_MESH_PART_EXPERTS; part++) {
    mesh *m = &l->meshes[part];
    if (dtc_layout_mesh(&l->layout, part, m->axes, DTC_MESH_AXES, &m->n, &err) != DTC_OK)
      return fail_with(c, NULL, &err);
  }
  l->one_mesh = memcmp(&l->meshes[0], &l->meshes[1], sizeof l->meshes[0]) == 0;
  if (dtc_layout_kinds(&l->layout, NULL, 0, &l->kind_count, &err) == DTC_E_SPACE)
    l->kinds = grow(NULL, l->kind_count * sizeof *l->kinds);
  if (dtc_layout_kinds(&l->layout, l->kinds, l->kind_count, &l->kind_count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

int layout_arg_read(const cli *c, const args *a, uint64_t ranks, uint64_t nodes, layout_arg *out)
{
  static plan_arg plan; /* holds a model */
  uint64_t world;
  dtc_error err;
  memset(out, 0, sizeof *out);
  DTC_INIT(&out->layout);
  DTC_INIT(&err);
  if (plan_arg_read(c, a, &plan) != 0 || read_machine(c, a, out, &world) != 0)
    return EXIT_BAD_INPUT;
  if (world == 0 && plan.plan.dp == 0)
    world = ranks != 0 ? ranks : nodes * out->per_node;
  out->has_model = a->operand != NULL || plan.has_model;
  int code = out->has_model ? from_model(c, a, &plan, plan.plan.dp == 0 && world != 0, out)
                            : from_degrees(c, &plan.plan, &out->layout);
  if (code != 0 || read_own(c, a, &out->layout) != 0)
    return EXIT_BAD_INPUT;
  out->layout.world = world;
  if (dtc_layout_resolve(&out->layout, &out->layout, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return describe(c, out);
}

uint64_t layout_nodes(const layout_arg *l)
{
  return (l->layout.offset + l->layout.world + l->per_node - 1) / l->per_node;
}
