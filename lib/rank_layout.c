/* Layouts: degrees to meshes, and what frameworks refuse. */
#include "internal/plan.h"
#include "internal/rank.h"

enum { NEAREST_TRIES = 1024 };

static const uint16_t degree_of[] = {
    [DTC_AXIS_NAME_TP] = offsetof(dtc_layout, tp),
    [DTC_AXIS_NAME_CP] = offsetof(dtc_layout, cp),
    [DTC_AXIS_NAME_DP] = offsetof(dtc_layout, dp),
    [DTC_AXIS_NAME_PP] = offsetof(dtc_layout, pp),
    [DTC_AXIS_NAME_EP] = offsetof(dtc_layout, ep),
    [DTC_AXIS_NAME_ETP] = offsetof(dtc_layout, etp),
    [DTC_AXIS_NAME_GTP_REMAT] = offsetof(dtc_layout, gtp_remat),
    [DTC_AXIS_NAME_EGTP_REMAT] = offsetof(dtc_layout, egtp_remat),
    [DTC_AXIS_NAME_INSTANCE] = offsetof(dtc_layout, instances),
    [DTC_AXIS_NAME_DP_SHARD] = offsetof(dtc_layout, dp_shard),
    [DTC_AXIS_NAME_DP_REPLICATE] = offsetof(dtc_layout, dp_replicate),
    [DTC_AXIS_NAME_TP_I] = offsetof(dtc_layout, tp),
    [DTC_AXIS_NAME_TP_J] = offsetof(dtc_layout, tp),
    [DTC_AXIS_NAME_TP_K] = offsetof(dtc_layout, tp_depth),
};

uint32_t dtci_axis_field(uint32_t name)
{
  int known = name < sizeof degree_of / sizeof degree_of[0] && degree_of[name] != 0;
  return known ? (uint32_t)DTC_STRUCT_layout << 16 | degree_of[name] : 0;
}

uint64_t dtci_layout_degree(const dtc_layout *l, uint32_t field)
{
  uint64_t v = 0;
  memcpy(&v, (const unsigned char *)l + (field & 0xffff), sizeof v);
  return v;
}

/* ---- the scheme, and the axes of its meshes -------------------------------------------------- */

static const dtci_scheme_row *row_of(const dtc_layout *l)
{
  for (uint32_t i = 0; i < dtci_schemes_count; i++)
    if (dtci_schemes[i].scheme == l->scheme && l->version >= dtci_schemes[i].since)
      return &dtci_schemes[i];
  return NULL;
}

static int has_axis(const dtci_scheme_row *row, uint32_t name)
{
  for (int i = 0; i < DTCI_SCHEME_AXES; i++)
    if (row->axes[0][i] == name || row->axes[1][i] == name)
      return 1;
  return 0;
}

/* Ranks along each axis of 2D, 2.5D and 3D tensor parallelism; 0 when tp has no such root. */
static uint64_t side_of(const dtc_layout *l)
{
  int cube = l->scheme == DTC_SCHEME_COLOSSALAI_3D;
  uint64_t r = dtci_root(l->tp / l->tp_depth, cube ? 3 : 2);
  return r * r * (cube ? r : l->tp_depth) == l->tp ? r : 0;
}

/* Size of an axis; 0 for those that take what the others leave. */
static uint64_t size_of(const dtc_layout *l, uint32_t name)
{
  int sided = name == DTC_AXIS_NAME_TP_I || name == DTC_AXIS_NAME_TP_J ||
              (name == DTC_AXIS_NAME_TP_K && l->scheme == DTC_SCHEME_COLOSSALAI_3D);
  if (sided)
    return side_of(l);
  uint32_t field = dtci_axis_field(name);
  return field != 0 ? dtci_layout_degree(l, field) : 0;
}

/* The mesh of a layout that no rule refuses: the sizes divide the world. */
static void build_mesh(dtci_layout *x, uint32_t part)
{
  const dtc_layout *l = &x->given;
  dtci_mesh *m = &x->mesh[part];
  uint64_t rest = l->world;
  m->n = dtci_layout_axes(x->row, l, part, x->names[part]);
  m->offset = l->offset;
  m->world = l->world;
  for (uint32_t a = 0; a < m->n; a++) {
    m->size[a] = size_of(l, x->names[part][a]);
    rest /= m->size[a] != 0 ? m->size[a] : 1;
  }
  uint64_t stride = 1;
  x->present[part] = 0;
  for (uint32_t a = 0; a < m->n; a++) {
    uint32_t name = x->names[part][a];
    x->present[part] |= 1u << name;
    x->at[part][name] = (uint8_t)a;
    m->size[a] = m->size[a] != 0 ? m->size[a] : rest;
    m->stride[a] = stride;
    stride *= m->size[a];
  }
}

/* ---- defaults -------------------------------------------------------------------------------- */

/* Fewest data parallel ranks for which the experts' degrees fit the world that `dense` ranks each make. */
static uint64_t least_dp(const dtci_scheme_row *row, const dtc_layout *l, uint64_t dense, int *bad)
{
  uint64_t replicas = l->dp_replicate != 0 ? l->dp_replicate : 1;
  uint64_t ranks = dtci_mul(l->dp_shard != 0 ? l->dp_shard : 1, replicas, bad);
  uint64_t experts = 1;
  const uint8_t *names = row->axes[DTC_MESH_PART_EXPERTS][0] != 0 ? row->axes[1] : row->axes[0];
  for (int i = 0; i < DTCI_SCHEME_AXES && names[i] != 0; i++)
    if (names[i] != DTC_AXIS_NAME_DP && names[i] != DTC_AXIS_NAME_DP_SHARD && size_of(l, names[i]) != 0)
      experts = dtci_mul(experts, size_of(l, names[i]), bad);
  uint64_t least = experts / dtci_common_divisor(experts, dense);
  return *bad ? 0 : dtci_mul(ranks / dtci_common_divisor(ranks, least), least, bad);
}

static dtc_status fill_world(const dtci_scheme_row *row, dtc_layout *l, dtc_error *e)
{
  int bad = 0;
  uint64_t dense = dtci_mul(dtci_mul(dtci_mul(l->tp, l->cp, &bad), l->pp, &bad), l->gtp_remat, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(layout, tp), l->tp);
  if (l->dp == 0)
    l->dp = l->world != 0 ? l->world / dense : least_dp(row, l, dense, &bad);
  if (l->world == 0)
    l->world = dtci_mul(dense, l->dp, &bad);
  if (bad || l->world > UINT64_C(1) << DTCI_WORLD_BITS)
    return dtci_fail_overflow(e, DTC_FIELD(layout, dp), l->dp);
  return DTC_OK;
}

/* DeepSpeed takes the whole world when a node has more devices: hpz's min(), qgZ's early return. */
static void fill_shard(dtc_layout *l)
{
  int clamped = l->scheme == DTC_SCHEME_DEEPSPEED_HPZ || l->scheme == DTC_SCHEME_DEEPSPEED_QGZ;
  if (clamped && l->dp_shard > l->dp)
    l->dp_shard = l->dp;
  if (l->dp_shard == 0)
    l->dp_shard = l->dp / (l->dp_replicate != 0 ? l->dp_replicate : 1);
  if (l->dp_replicate == 0)
    l->dp_replicate = l->dp_shard != 0 ? l->dp / l->dp_shard : 1;
  dtci_default(&l->dp_shard, 1);
  dtci_default(&l->dp_replicate, 1);
}

/* Product of every other prime factor of n, smallest first: PipelineParallelGrid's own choice of stages. */
static uint64_t every_other_prime(uint64_t n)
{
  uint64_t product = 1;
  int take = 1;
  for (uint64_t p = 2; n > 1; p = p * p > n ? n : p + 1)
    for (; n % p == 0; n /= p, take = !take)
      product *= take ? p : 1;
  return product;
}

static dtc_status fill(dtci_layout *x, dtc_error *e)
{
  dtc_layout *l = &x->given;
  if (l->scheme == DTC_SCHEME_DEFAULT)
    l->scheme = DTC_SCHEME_MEGATRON;
  uint32_t newest = DTC_MAIN;
  for (uint32_t i = 0; i < dtci_schemes_count; i++)
    if (dtci_schemes[i].scheme == l->scheme && dtci_schemes[i].framework != DTC_FRAMEWORK_DEFAULT)
      newest = dtci_frameworks[dtci_schemes[i].framework].version;
  if (l->version == 0)
    l->version = newest;
  if (l->version > newest && l->version != DTC_MAIN)
    return dtci_fail_range(e, DTC_FIELD(layout, version), l->version, 0, newest);
  x->row = row_of(l);
  if (l->hybrid_cp == DTC_BOOL_DEFAULT)
    l->hybrid_cp = DTC_BOOL_OFF;
  dtci_default(&l->tp, 1);
  dtci_default(&l->cp, 1);
  dtci_default(&l->pp, l->scheme == DTC_SCHEME_DEEPSPEED_GRID ? every_other_prime(l->world) : 1);
  dtci_default(&l->ep, 1);
  dtci_default(&l->etp, x->row->expert_tp ? l->tp : 1);
  dtci_default(&l->gtp_remat, 1);
  dtci_default(&l->egtp_remat, 1);
  dtci_default(&l->instances, 1);
  dtci_default(&l->tp_depth, 1);
  TRY(fill_world(x->row, l, e));
  fill_shard(l);
  return DTC_OK;
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* Nearest values of the field that make the left side divide the right one. */
static void nearest(const dtci_rule_row *row, const dtci_case *c, uint32_t fix, dtc_error *e)
{
  uint64_t rest = dtci_rule_product(c, row->left, row->factor, fix);
  uint64_t whole = dtci_rule_product(c, row->right, 1, 0);
  uint64_t got = dtci_layout_degree(c->layout, DTCI_FIELD(fix));
  int left = row->hook == DTCI_DIVIDES && (fix == row->left[0] || dtci_rule_multiplies(row, DTCI_FIELD(fix)));
  if (!left || rest == 0 || whole == 0 || whole % rest != 0)
    return;
  uint64_t most = whole / rest;
  uint64_t start = got < most ? got : most;
  for (uint64_t v = start; v > 0 && start - v < NEAREST_TRIES && e->lower == DTC_NONE; v--)
    if (v < got && most % v == 0)
      e->lower = v;
  for (uint64_t v = got + 1; v <= most && v - got < NEAREST_TRIES && e->upper == DTC_NONE; v++)
    if (most % v == 0)
      e->upper = v;
}

/* The operand that is most likely wrong: the largest one. */
static uint32_t largest(const dtci_rule_row *row, const dtc_layout *l)
{
  uint32_t found = row->left[0];
  for (int i = 1; i < DTCI_OPERANDS && row->left[i] != 0; i++)
    if (dtci_layout_degree(l, DTCI_FIELD(row->left[i])) > dtci_layout_degree(l, DTCI_FIELD(found)))
      found = row->left[i];
  return found;
}

static dtc_status refuse(const dtci_rule_row *row, const dtci_case *c, dtc_error *e)
{
  uint32_t fix = row->fix != 0 ? row->fix : largest(row, c->layout);
  dtci_rule_describe(row, c, fix, e);
  if (dtci_rule_multiplies(row, e->field))
    e->got = dtci_rule_product(c, row->left, row->factor, 0);
  nearest(row, c, fix, e);
  return e->status;
}

static dtc_status check_rules(const dtci_layout *x, dtc_error *e)
{
  const dtc_layout *l = &x->given;
  dtci_case c;
  c.layout = l;
  c.has_stages = 0;
  c.traits = 0;
  for (uint32_t i = 0; i < dtci_layout_rules_count; i++) {
    const dtci_layout_rule *rule = &dtci_layout_rules[i];
    int applies = l->scheme >= rule->first && l->scheme <= rule->last && l->version >= rule->since &&
                  (rule->until == 0 || l->version < rule->until);
    if (applies && !dtci_rule_holds(&rule->row, &c))
      return refuse(&rule->row, &c, e);
  }
  return DTC_OK;
}

/* tp has no such root: the nearest that have, and fit the world. */
static dtc_status fail_root(const dtc_layout *l, dtc_error *e)
{
  int cube = l->scheme == DTC_SCHEME_COLOSSALAI_3D;
  dtci_fail(e, DTC_E_DIVIDE, DTC_RULE_LAYOUT_ROOT, DTC_FIELD(layout, tp), l->tp);
  uint64_t ranks = l->world / l->pp; /* pp divides the world */
  for (uint64_t r = 1; r * r <= ranks && e->upper == DTC_NONE; r++) {
    uint64_t tp = r * r * (cube ? r : l->tp_depth);
    if (tp == 0 || tp > ranks || ranks % tp != 0) /* 0: it wrapped */
      continue;
    *(tp < l->tp ? &e->lower : &e->upper) = tp;
  }
  return DTC_E_DIVIDE;
}

/* A degree above 1 needs an axis; order, cp_levels and hybrid_cp need a scheme that has them. */
static dtc_status check_axes(const dtci_layout *x, dtc_error *e)
{
  static const uint8_t names[] = {DTC_AXIS_NAME_CP,       DTC_AXIS_NAME_PP,        DTC_AXIS_NAME_EP,
                                  DTC_AXIS_NAME_ETP,      DTC_AXIS_NAME_GTP_REMAT, DTC_AXIS_NAME_EGTP_REMAT,
                                  DTC_AXIS_NAME_INSTANCE, DTC_AXIS_NAME_TP_K,      DTC_AXIS_NAME_DP_REPLICATE,
                                  DTC_AXIS_NAME_TP};
  const dtc_layout *l = &x->given;
  int sided = has_axis(x->row, DTC_AXIS_NAME_TP_I);
  for (uint32_t i = 0; i < sizeof names; i++) {
    uint32_t field = dtci_axis_field(names[i]);
    uint64_t v = dtci_layout_degree(l, field);
    int there = has_axis(x->row, names[i]) || (names[i] == DTC_AXIS_NAME_TP && sided);
    if (names[i] == DTC_AXIS_NAME_TP_K) /* tp_depth is 2.5D's alone */
      there = l->scheme == DTC_SCHEME_COLOSSALAI_25D;
    if (v > 1 && !there)
      return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_LAYOUT_AXIS, field, v);
  }
  if (l->order != 0 && !x->row->order)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_LAYOUT_AXIS, DTC_FIELD(layout, order), l->order);
  int megatron = x->row->framework == DTC_FRAMEWORK_MEGATRON;
  if (l->cp_levels != 0 && !megatron)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_LAYOUT_AXIS, DTC_FIELD(layout, cp_levels), l->cp_levels);
  if (l->hybrid_cp == DTC_BOOL_ON && !megatron)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_LAYOUT_AXIS, DTC_FIELD(layout, hybrid_cp), l->hybrid_cp);
  return sided && side_of(l) == 0 ? fail_root(l, e) : DTC_OK;
}

static dtc_status check_levels(const dtc_layout *l, dtc_error *e)
{
  uint64_t product = 1;
  for (uint32_t i = 0; i < DTCI_BYTES && l->cp_levels >> (i * DTCI_BYTE) != 0; i++)
    product *= l->cp_levels >> (i * DTCI_BYTE) & 0xff;
  if (l->cp_levels == 0 || product == l->cp)
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_MEGATRON_LEVELS, DTC_FIELD(layout, cp_levels), product);
  e->other = DTC_FIELD(layout, cp);
  e->other_got = l->cp;
  return DTC_E_CONFLICT;
}

/* With pp not last, Megatron wants as many experts' data parallel ranks as others; and in any order the pipeline groups of
 * both meshes must be the same. */
static dtc_status check_pipelines(const dtci_layout *x, dtc_error *e)
{
  const dtc_layout *l = &x->given;
  const dtci_mesh *dense = &x->mesh[DTC_MESH_PART_DENSE];
  const dtci_mesh *experts = &x->mesh[DTC_MESH_PART_EXPERTS];
  if (!x->row->expert_tp || l->pp == 1)
    return DTC_OK;
  uint64_t left = dense->stride[x->at[DTC_MESH_PART_DENSE][DTC_AXIS_NAME_PP]];
  uint64_t right = experts->stride[x->at[DTC_MESH_PART_EXPERTS][DTC_AXIS_NAME_PP]];
  uint32_t last = 0;
  while (last + 1 < DTCI_BYTES && dtci_order_axis(l->order, last + 1) != 0)
    last++;
  int pp_last = l->order != 0 ? dtci_order_axis(l->order, last) == DTC_AXIS_NAME_PP : l->scheme == DTC_SCHEME_MEGATRON;
  uint64_t dense_ranks = l->tp * l->cp * l->gtp_remat;
  uint64_t expert_ranks = l->etp * l->ep * l->egtp_remat;
  if (left == right && (pp_last || dense_ranks == expert_ranks))
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_MEGATRON_PP_GROUPS, DTC_FIELD(layout, etp), expert_ranks);
  e->other = DTC_FIELD(layout, tp);
  e->other_got = dense_ranks;
  return DTC_E_CONFLICT;
}

dtc_status dtci_layout_in(const dtc_layout *layout, dtci_layout *out, dtc_error *e)
{
  TRY(dtci_in(&out->given, DTC_STRUCT_layout, layout, e));
  TRY(fill(out, e));
  TRY(check_rules(out, e));
  TRY(check_axes(out, e));
  TRY(dtci_order_check(&out->given, e));
  TRY(check_levels(&out->given, e));
  build_mesh(out, DTC_MESH_PART_DENSE);
  build_mesh(out, DTC_MESH_PART_EXPERTS);
  return check_pipelines(out, e);
}

/* ---- the public functions -------------------------------------------------------------------- */

dtc_status dtc_layout_resolve(const dtc_layout *layout, dtc_layout *out, dtc_error *err)
{
  dtc_error e;
  dtci_layout x;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_layout_in(layout, &x, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_layout, &x.given, &e), &e, err);
}

/* The scheme of a plan's framework. */
static dtc_scheme scheme_of(const dtc_plan *p)
{
  int experts = p->ep > 1;
  switch (p->framework) {
  case DTC_FRAMEWORK_MEGATRON:
    return DTC_SCHEME_MEGATRON;
  case DTC_FRAMEWORK_DEEPSPEED:
    if (p->cp > 1)
      return DTC_SCHEME_DEEPSPEED_ULYSSES;
    return experts ? DTC_SCHEME_DEEPSPEED_MOE : DTC_SCHEME_DEEPSPEED;
  case DTC_FRAMEWORK_COLOSSALAI:
    return experts ? DTC_SCHEME_COLOSSALAI_MOE : DTC_SCHEME_COLOSSALAI;
  case DTC_FRAMEWORK_SCALING: /* pipe, data, model, the last innermost (core/topology) */
    return DTC_SCHEME_DEEPSPEED;
  case DTC_FRAMEWORK_TORCHTITAN:
    return DTC_SCHEME_TORCHTITAN;
  default:
    return DTC_SCHEME_PYTORCH;
  }
}

static void layout_of(const dtci_case *c, dtc_layout *l)
{
  const dtc_plan *p = &c->plan;
  DTC_INIT(l);
  l->scheme = scheme_of(p);
  l->version = p->framework_version;
  l->tp = p->tp;
  l->cp = p->cp;
  l->pp = p->pp;
  l->dp = p->dp;
  l->ep = p->ep;
  /* Groups of experts are made for a dense model too, by the framework's own default. */
  l->etp = c->model.experts != 0 || p->etp > 1 ? p->etp : 0;
  /* A plan shards over dp * cp ranks, the meshes that know dp_shard over dp. */
  int split = l->scheme == DTC_SCHEME_TORCHTITAN || l->scheme == DTC_SCHEME_PYTORCH;
  if (split && p->dp_shard % p->cp == 0)
    l->dp_shard = p->dp_shard / p->cp;
}

dtc_status dtc_layout_from_plan(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                dtc_layout *out, dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  dtc_layout l;
  dtci_layout x;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_case_legal(&c, model, cluster, plan, &e);
  if (s == DTC_OK) {
    layout_of(&c, &l);
    s = dtci_layout_in(&l, &x, &e);
  }
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_layout, &x.given, &e), &e, err);
}

static dtc_status mesh_out(const dtci_layout *x, dtc_mesh_part part, dtc_axis *out, size_t cap, size_t *count,
                           dtc_error *e)
{
  TRY(dtci_check_range(e, DTCI_ARG(PART), part, 0, DTC_MESH_PART_EXPERTS));
  const dtci_mesh *m = &x->mesh[part];
  *count = m->n;
  if (cap < m->n)
    return dtci_fail_space(e, cap, m->n);
  for (uint32_t a = 0; a < m->n; a++)
    out[a] = (dtc_axis){.name = x->names[part][a], .size = m->size[a], .stride = m->stride[a]};
  return DTC_OK;
}

dtc_status dtc_layout_mesh(const dtc_layout *layout, dtc_mesh_part part, dtc_axis *out, size_t cap, size_t *count,
                           dtc_error *err)
{
  dtc_error e;
  dtci_layout x;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_layout_in(layout, &x, &e);
  return dtci_end(s != DTC_OK ? s : mesh_out(&x, part, out, cap, count, &e), &e, err);
}
