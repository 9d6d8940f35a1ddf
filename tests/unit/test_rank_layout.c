/* Layouts: orders of ranks by framework and version, kinds of groups, defaults, refusals. */
#include "check.h"

#include "internal/rank.h"

#include <stdio.h>

enum { KINDS = 64 };

static dtc_layout layout(dtc_scheme scheme, uint64_t world)
{
  dtc_layout l;
  DTC_INIT(&l);
  l.scheme = scheme;
  l.world = world;
  return l;
}

static dtc_layout resolved(const dtc_layout *l)
{
  dtc_layout out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  check_ok(dtc_layout_resolve(l, &out, &e), &e);
  return out;
}

static uint64_t order(const char *text)
{
  uint64_t packed = 0;
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_order_parse(text, strlen(text), &packed, &e), &e);
  return packed;
}

/* Checks the mesh of a layout against a text like "tp2 cp2 dp4", which leaves out axes of size 1. */
static void check_mesh(const dtc_layout *l, dtc_mesh_part part, const char *expected)
{
  dtc_axis axes[DTC_MESH_AXES];
  char text[256] = "";
  size_t n = 0, len = 0;
  uint64_t stride = 1;
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_layout_mesh(l, part, axes, DTC_MESH_AXES, &n, &e), &e);
  for (size_t a = 0; a < n; stride *= axes[a++].size) {
    assert_int_equal(axes[a].stride, stride);
    if (axes[a].size > 1)
      len += (size_t)snprintf(text + len, sizeof text - len, "%s%s%llu", len != 0 ? " " : "",
                              dtc_value_name(DTC_FIELD(axis, name), axes[a].name), (unsigned long long)axes[a].size);
  }
  assert_string_equal(text, expected);
}

/* Index of the kind that the framework calls so. */
static size_t kind_named(const dtc_layout *l, const char *name, dtc_group_kind *kind)
{
  dtc_group_kind kinds[KINDS];
  size_t count = 0;
  char text[96];
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_layout_kinds(l, kinds, KINDS, &count, &e), &e);
  for (size_t i = 0; i < count; i++) {
    check_ok(dtc_group_kind_text(&kinds[i], text, sizeof text, NULL, &e), &e);
    if (strcmp(text, name) == 0) {
      *kind = kinds[i];
      return i;
    }
  }
  return SIZE_MAX;
}

/* Ranks of one group of a kind, as "0,2;..." would show them. */
static void check_group(const dtc_layout *l, const char *name, uint64_t group, const char *expected)
{
  dtc_group_kind kind;
  dtc_axis axes[DTC_MESH_AXES];
  char text[512] = "";
  size_t n = 0, len = 0;
  uint64_t rank = 0;
  assert_true(kind_named(l, name, &kind) != SIZE_MAX);
  assert_int_equal(dtc_layout_mesh(l, kind.part, axes, DTC_MESH_AXES, &n, NULL), DTC_OK);
  for (uint64_t i = 0; dtc_mesh_member(axes, n, l->offset, &kind, group, i, &rank, NULL) == DTC_OK; i++)
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%llu", i != 0 ? "," : "", (unsigned long long)rank);
  assert_string_equal(text, expected);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

static void megatron_orders(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_DEFAULT, 128);
  l.tp = 2;
  l.cp = 2;
  l.pp = 4;
  l.ep = 4;
  l.etp = 1;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp2 cp2 dp8 pp4");
  check_mesh(&l, DTC_MESH_PART_EXPERTS, "ep4 edp8 pp4");
  l.order = order("CP-tp-ep-dp-pp");
  check_mesh(&l, DTC_MESH_PART_DENSE, "cp2 tp2 dp8 pp4");
  check_mesh(&l, DTC_MESH_PART_EXPERTS, "ep4 edp8 pp4");
  l.order = 0;
  l.gtp_remat = 2;
  l.egtp_remat = 2;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp2 gtp_remat2 cp2 dp4 pp4");
  check_mesh(&l, DTC_MESH_PART_EXPERTS, "ep4 egtp_remat2 edp4 pp4");
  l.gtp_remat = 1;
  l.egtp_remat = 1;
  l.instances = 2;
  check_mesh(&l, DTC_MESH_PART_EXPERTS, "ep4 edp4 instance2 pp4");
}

static void the_tp_pp_dp_mapping_changed_with_core_0_11(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON_TP_PP_DP, 64);
  l.tp = 2;
  l.pp = 4;
  l.version = 10000;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp2 pp4 dp8");
  l.version = 11000;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp2 pp4 dp8");
  l.ep = 2;
  l.etp = 1;
  check_mesh(&l, DTC_MESH_PART_EXPERTS, "ep2 pp4 edp8");
  l.ep = 1;
  l.etp = 2;
  l.cp = 2; /* Megatron refuses: the experts, which are not there, would have other pipeline groups */
  dtc_layout out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_MEGATRON_PP_GROUPS && e.got == 2 && e.other_got == 4);
  l.version = 10000; /* that order had no cp */
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_LAYOUT_AXIS && e.field == DTC_FIELD(layout, cp));
}

static void orders_of_other_frameworks(void **state)
{
  (void)state;
  static const struct {
    dtc_scheme scheme;
    const char *dense;
    const char *experts;
  } rows[] = {
      {DTC_SCHEME_DEEPSPEED, "tp2 dp8 pp4", "tp2 dp8 pp4"},
      {DTC_SCHEME_DEEPSPEED_MOE, "tp2 dp8 pp4", "tp2 ep4 edp2 pp4"},
      {DTC_SCHEME_DEEPSPEED_MOE_EDP, "tp2 dp8 pp4", "tp2 edp2 ep4 pp4"},
      {DTC_SCHEME_TORCHTITAN, "tp2 dp_shard8 pp4", "ep4 efsdp4 pp4"},
      {DTC_SCHEME_COLOSSALAI, "tp2 pp4 dp8", "tp2 pp4 dp8"},
      {DTC_SCHEME_COLOSSALAI_INSIDE, "tp2 dp8 pp4", "tp2 dp8 pp4"},
      {DTC_SCHEME_COLOSSALAI_MOE, "tp2 ep4 pp4 edp2", "tp2 ep4 pp4 edp2"},
      {DTC_SCHEME_COLOSSALAI_MOE_IN, "tp2 ep4 edp2 pp4", "tp2 ep4 edp2 pp4"},
      {DTC_SCHEME_COLOSSALAI_1D, "tp2 pp4 dp8", "tp2 pp4 dp8"},
      {DTC_SCHEME_NANOTRON, "tp2 dp8 pp4", "tp2 dp8 pp4"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_layout l = layout(rows[i].scheme, 64);
    l.tp = 2;
    l.pp = 4;
    if (strstr(rows[i].experts, "ep4") != NULL)
      l.ep = 4;
    check_mesh(&l, DTC_MESH_PART_DENSE, rows[i].dense);
    check_mesh(&l, DTC_MESH_PART_EXPERTS, rows[i].experts);
  }
}

static void sequence_and_sharding_orders(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_COLOSSALAI, 32);
  l.tp = 2;
  l.cp = 4;
  check_mesh(&l, DTC_MESH_PART_DENSE, "cp4 tp2 dp4"); /* sequence parallel inside tensor parallel */
  l.scheme = DTC_SCHEME_COLOSSALAI_RING;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp2 cp4 dp4");
  l = layout(DTC_SCHEME_COLOSSALAI_GEMINI, 32);
  l.dp_replicate = 4;
  l.tp = 2;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp2 dp_replicate4 dp_shard4"); /* the shard group is the slow axis */
  l = layout(DTC_SCHEME_PYTORCH, 32);
  l.dp_shard = 8;
  check_mesh(&l, DTC_MESH_PART_DENSE, "dp_shard8 dp_replicate4");
  l = layout(DTC_SCHEME_DEEPSPEED_HPZ, 32);
  l.dp_shard = 64; /* more than there are: the world */
  check_mesh(&l, DTC_MESH_PART_DENSE, "dp_shard32");
  l = layout(DTC_SCHEME_DEEPSPEED_ULYSSES, 32);
  l.cp = 8;
  check_mesh(&l, DTC_MESH_PART_DENSE, "cp8 dp4");
  l = layout(DTC_SCHEME_DEEPSPEED_AUTOEP, 32);
  l.tp = 2;
  l.ep = 8;
  check_mesh(&l, DTC_MESH_PART_EXPERTS, "ep8 edp4"); /* across the lanes of tp */
}

static void tensor_parallelism_in_two_and_three_dimensions(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_COLOSSALAI_2D, 32);
  l.tp = 16;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp_i4 tp_j4 dp2");
  l.scheme = DTC_SCHEME_COLOSSALAI_25D;
  l.tp_depth = 4;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp_i2 tp_j2 tp_k4 dp2");
  l.scheme = DTC_SCHEME_COLOSSALAI_3D;
  l.tp_depth = 0;
  l.tp = 8;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp_i2 tp_j2 tp_k2 dp4");
}

static void deepspeed_chooses_a_grid(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_DEEPSPEED_GRID, 24); /* 2 2 2 3: 2 * 2 stages, 2 * 3 replicas */
  l = resolved(&l);
  assert_true(l.pp == 4 && l.dp == 6);
  l = layout(DTC_SCHEME_DEEPSPEED_GRID, UINT64_C(4294967291)); /* a prime */
  l = resolved(&l);
  assert_true(l.pp == UINT64_C(4294967291) && l.dp == 1);
}

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

static void degrees_follow_from_the_world_and_back(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 512);
  l.tp = 4;
  l.pp = 4;
  dtc_layout out = resolved(&l); /* 64 nodes of 8 GPUs, tp 4, pp 4: dp 32 */
  assert_true(out.dp == 32 && out.cp == 1 && out.etp == 4 && out.dp_shard == 32 && out.dp_replicate == 1);
  dtc_layout again = resolved(&out);
  assert_memory_equal(&again, &out, sizeof out);
  l.world = 0;
  l.dp = 32;
  assert_int_equal(resolved(&l).world, 512);
  l.dp = 0;
  l.ep = 64; /* the least world that holds the experts: etp 4 * ep 64 * pp 4 */
  assert_int_equal(resolved(&l).world, 1024);
  l = layout(DTC_SCHEME_TORCHTITAN, 256);
  l.dp_replicate = 4;
  l.tp = 8;
  out = resolved(&l);
  assert_true(out.dp == 32 && out.dp_shard == 8 && out.etp == 1);
}

static void plans_have_layouts(void **state)
{
  (void)state;
  static const struct {
    const char *plan;
    dtc_scheme scheme;
    const char *dense;
  } rows[] = {
      {"megatron tp=8 pp=8 dp=16", DTC_SCHEME_MEGATRON, "tp8 dp16 pp8"},
      {"deepspeed sharding=zero1 tp=8 pp=8 dp=16", DTC_SCHEME_DEEPSPEED, "tp8 dp16 pp8"},
      {"torchtitan tp=8 pp=8 dp=16 sharding=hsdp dp_shard=8", DTC_SCHEME_TORCHTITAN, "tp8 dp_shard8 dp_replicate2 pp8"},
      {"colossalai tp=8 pp=8 dp=16", DTC_SCHEME_COLOSSALAI, "tp8 pp8 dp16"},
      {"pytorch sharding=hsdp dp=16 dp_shard=8", DTC_SCHEME_PYTORCH, "dp_shard8 dp_replicate2"},
      {"pytorch sharding=ddp dp=16", DTC_SCHEME_PYTORCH, "dp_replicate16"},
      {"torchtitan sharding=fsdp cp=2 tp=2 dp=4", DTC_SCHEME_TORCHTITAN, "tp2 cp2 dp_shard4"},
  };
  dtc_model m = check_named("gpt3-175b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    dtc_layout l;
    dtc_error e;
    DTC_INIT(&l);
    DTC_INIT(&e);
    check_ok(dtc_plan_parse(rows[i].plan, strlen(rows[i].plan), NULL, &p, &e), &e);
    check_ok(dtc_layout_from_plan(&m, NULL, &p, &l, &e), &e);
    assert_int_equal(l.scheme, rows[i].scheme);
    check_mesh(&l, DTC_MESH_PART_DENSE, rows[i].dense);
  }
}

/* A dense model has no experts; their groups are there all the same, as wide as Megatron makes them. */
static void dense_models_take_the_default_of_experts(void **state)
{
  (void)state;
  dtc_model m = check_named("gpt3-175b");
  dtc_plan p = check_plan();
  dtc_layout l;
  dtc_error e;
  DTC_INIT(&l);
  DTC_INIT(&e);
  check_ok(dtc_plan_parse("megatron tp=8 pp=8 dp=16", 24, NULL, &p, &e), &e);
  check_ok(dtc_layout_from_plan(&m, NULL, &p, &l, &e), &e);
  check_mesh(&l, DTC_MESH_PART_EXPERTS, "etp8 edp16 pp8");
  check_ok(dtc_plan_resolve(&m, NULL, &p, &p, &e), &e);
  check_ok(dtc_layout_from_plan(&m, NULL, &p, &l, &e), &e);
  check_mesh(&l, DTC_MESH_PART_EXPERTS, "etp8 edp16 pp8");
  l.scheme = DTC_SCHEME_MEGATRON_TP_PP_DP; /* wants tp = etp */
  check_ok(dtc_layout_resolve(&l, &l, &e), &e);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static void gpt_175b_on_1024_gpus(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 1024);
  l.tp = 8;
  l.pp = 8;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp8 dp16 pp8");
  check_group(&l, "TENSOR_MODEL_PARALLEL_GROUP", 1, "8,9,10,11,12,13,14,15");
  check_group(&l, "DATA_PARALLEL_GROUP", 9, "129,137,145,153,161,169,177,185,193,201,209,217,225,233,241,249");
  check_group(&l, "PIPELINE_MODEL_PARALLEL_GROUP", 5, "5,133,261,389,517,645,773,901");
  check_group(&l, "EMBEDDING_GROUP", 5, "5,901");
  check_group(&l, "POSITION_EMBEDDING_GROUP", 5, "5");
}

static void sixty_four_nodes_of_eight(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 512);
  l.tp = 4;
  l.pp = 4;
  check_mesh(&l, DTC_MESH_PART_DENSE, "tp4 dp32 pp4");
  check_group(&l, "TENSOR_MODEL_PARALLEL_GROUP", 127, "508,509,510,511");
  check_group(&l, "PIPELINE_MODEL_PARALLEL_GROUP", 127, "127,255,383,511");
}

static void groups_of_a_rank_are_those_of_the_kinds(void **state)
{
  (void)state;
  for (dtc_scheme scheme = DTC_SCHEME_MEGATRON; scheme <= DTC_SCHEME_DEEPSPEED_GRID; scheme++) {
    dtc_layout l = layout(scheme, 64);
    dtc_group_kind kinds[KINDS];
    dtc_group groups[KINDS], alone;
    dtc_axis axes[2][DTC_MESH_AXES];
    size_t count = 0, found = 0, n[2] = {0, 0};
    dtc_error e;
    DTC_INIT(&e);
    l.offset = 100;
    l.tp = scheme >= DTC_SCHEME_COLOSSALAI_2D && scheme <= DTC_SCHEME_COLOSSALAI_25D ? 4
           : scheme == DTC_SCHEME_COLOSSALAI_3D                                      ? 8
                                                                                     : 0;
    l.cp = scheme == DTC_SCHEME_DEEPSPEED_ULYSSES ? 4 : 0;
    check_ok(dtc_layout_kinds(&l, kinds, KINDS, &count, &e), &e);
    assert_true(count > 0);
    for (dtc_mesh_part part = 0; part < 2; part++)
      check_ok(dtc_layout_mesh(&l, part, axes[part], DTC_MESH_AXES, &n[part], &e), &e);
    for (uint64_t rank = 100; rank < 164; rank++) {
      check_ok(dtc_layout_groups(&l, rank, groups, KINDS, &found, &e), &e);
      assert_int_equal(found, count);
      for (size_t i = 0; i < count; i++) {
        dtc_mesh_part part = kinds[i].part;
        check_ok(dtc_mesh_group_of(axes[part], n[part], 100, &kinds[i], rank, &alone, &e), &e);
        assert_memory_equal(&groups[i], &alone, sizeof alone);
      }
    }
  }
}

static void levels_and_doubles_are_kinds_of_their_own(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 16);
  dtc_group_kind kind;
  l.tp = 2;
  l.cp = 8;
  l.cp_levels = 2 | 4 << 8;
  check_group(&l, "HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L0", 1, "4,6");
  check_group(&l, "HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L1", 1, "2,6,10,14");
  assert_true(kind_named(&l, "HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L2", &kind) == SIZE_MAX);
  l.cp_levels = 0;
  l.hybrid_cp = DTC_BOOL_ON;
  check_group(&l, "HYBRID_DP_CP_GROUP_4", 1, "8,10,12,14");
  assert_true(kind_named(&l, "HYBRID_DP_CP_GROUP_8", &kind) == SIZE_MAX); /* the full size is left out */
  l.version = 16000;
  assert_true(kind_named(&l, "GTP_WEIGHT_REMAT_GROUP", &kind) == SIZE_MAX); /* came with core 0.19 */
}

static void kinds_are_sorted_by_scheme(void **state)
{
  (void)state;
  for (uint32_t i = 1; i < dtci_kinds_count; i++)
    assert_true(dtci_kinds[i - 1].first <= dtci_kinds[i].first && dtci_kinds[i].first <= dtci_kinds[i].last);
}

static void names_of_kinds_are_checked(void **state)
{
  (void)state;
  char text[8] = "kept";
  size_t len = 0;
  dtc_group_kind none = {0}, far = {.name = 60000};
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_group_kind_text(&none, text, sizeof text, &len, &e), DTC_E_RANGE);
  assert_int_equal(dtc_group_kind_text(&far, text, sizeof text, &len, &e), DTC_E_RANGE);
  assert_int_equal(dtc_group_kind_text(NULL, text, sizeof text, &len, &e), DTC_E_SIZE);
  assert_string_equal(text, "kept");
  dtc_group_kind first = {.name = 1};
  assert_int_equal(dtc_group_kind_text(&first, text, sizeof text, &len, &e), DTC_OK);
  assert_string_equal(text, "GTP_WEI");
  assert_int_equal(len, strlen("GTP_WEIGHT_REMAT_GROUP"));
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* A layout that breaks one rule, and what the error says. */
typedef struct broken {
  dtc_rule rule;
  dtc_layout layout;
  uint32_t field;
  uint64_t got;
  uint64_t lower;
  uint64_t upper;
} broken;

#define L(...)                                                                                                         \
  {                                                                                                                    \
    .struct_size = sizeof(dtc_layout), __VA_ARGS__                                                                     \
  }
#define F(x) DTC_FIELD(layout, x)
#define S(x) .scheme = DTC_SCHEME_##x

static const broken breaks[] = {
    {DTC_RULE_LAYOUT_WORLD, L(S(TORCHTITAN), .world = 8, .tp = 3), F(tp), 3, 2, 4},
    {DTC_RULE_LAYOUT_REPLICATE, L(S(PYTORCH), .world = 8, .dp_replicate = 3), F(dp_replicate), 3, 2, 4},
    {DTC_RULE_LAYOUT_SHARD, L(S(PYTORCH), .world = 8, .dp_shard = 3), F(dp_shard), 3, 2, 4},
    {DTC_RULE_LAYOUT_DP, L(S(PYTORCH), .world = 8, .dp_shard = 2, .dp_replicate = 2), F(dp_shard), 4, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_LAYOUT_PRODUCT, L(S(NANOTRON), .world = 8, .tp = 2, .pp = 2, .dp = 3), F(dp), 12, DTC_NONE, DTC_NONE},
    {DTC_RULE_LAYOUT_AXIS, L(S(DEEPSPEED), .world = 8, .cp = 2), F(cp), 2, DTC_NONE, DTC_NONE},
    {DTC_RULE_LAYOUT_AXIS, L(S(TORCHTITAN), .world = 8, .cp = 4, .cp_levels = 0x202), F(cp_levels), 0x202, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_LAYOUT_AXIS, L(S(NANOTRON), .world = 8, .hybrid_cp = DTC_BOOL_ON), F(hybrid_cp), DTC_BOOL_ON, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_LAYOUT_ROOT, L(S(COLOSSALAI_2D), .world = 8, .tp = 8), F(tp), 8, 4, DTC_NONE},
    {DTC_RULE_MEGATRON_WORLD, L(.world = 24, .tp = 4, .pp = 4), F(tp), 16, 3, 6},
    {DTC_RULE_MEGATRON_EXPERT_WORLD, L(.world = 12, .tp = 2, .ep = 4, .etp = 1, .pp = 2), F(ep), 8, 3, 6},
    {DTC_RULE_MEGATRON_INSTANCES, L(.world = 16, .instances = 3), F(instances), 3, 2, 4},
    {DTC_RULE_MEGATRON_EXPERT_INSTANCES, L(.world = 16, .ep = 4, .etp = 1, .instances = 8), F(instances), 32, 4,
     DTC_NONE},
    {DTC_RULE_MEGATRON_GTP_INSTANCES, L(.world = 16, .gtp_remat = 2, .instances = 2), F(gtp_remat), 2, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_MEGATRON_EGTP_INSTANCES, L(.world = 16, .egtp_remat = 2, .instances = 2), F(egtp_remat), 2, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_MEGATRON_GTP_VERSION, L(.version = 18000, .world = 16, .gtp_remat = 2), F(gtp_remat), 2, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_MEGATRON_EGTP_VERSION, L(.version = 18000, .world = 16, .egtp_remat = 2), F(egtp_remat), 2, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_MEGATRON_HYBRID, L(.world = 6, .tp = 2, .cp = 3, .hybrid_cp = DTC_BOOL_ON), F(dp), 1, DTC_NONE, DTC_NONE},
    {DTC_RULE_MEGATRON_LEVELS, L(.world = 16, .cp = 4, .cp_levels = 2 | 4 << 8), F(cp_levels), 8, DTC_NONE, DTC_NONE},
    {DTC_RULE_MEGATRON_PP_GROUPS, L(S(MEGATRON_TP_PP_DP), .world = 8, .tp = 2, .cp = 2, .pp = 2), F(etp), 2, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_DEEPSPEED_EP, L(S(DEEPSPEED_MOE), .world = 16, .tp = 2, .ep = 3), F(ep), 3, 2, 4},
    {DTC_RULE_AUTOEP_WORLD, L(S(DEEPSPEED_AUTOEP), .world = 16, .ep = 6), F(ep), 6, 4, 8},
    {DTC_RULE_AUTOEP_PP, L(S(DEEPSPEED_AUTOEP), .world = 16, .tp = 2, .pp = 2, .ep = 4), F(pp), 2, DTC_NONE, DTC_NONE},
    {DTC_RULE_AUTOEP_TP, L(S(DEEPSPEED_AUTOEP), .world = 16, .tp = 2), F(tp), 2, DTC_NONE, DTC_NONE},
    {DTC_RULE_ULYSSES_CP, L(S(DEEPSPEED_ULYSSES), .world = 16), F(cp), 1, DTC_NONE, DTC_NONE},
    {DTC_RULE_QGZ_WORLD, L(S(DEEPSPEED_QGZ), .world = 20, .dp_shard = 8), F(dp_shard), 8, 5, 10},
    {DTC_RULE_TORCHTITAN_ETP, L(S(TORCHTITAN), .world = 16, .tp = 4, .ep = 4, .etp = 4), F(etp), 4, DTC_NONE, DTC_NONE},
    {DTC_RULE_TORCHTITAN_ETP_TP, L(S(TORCHTITAN), .version = 2002, .world = 16, .tp = 4, .ep = 4, .etp = 2), F(etp), 2,
     DTC_NONE, DTC_NONE},
    {DTC_RULE_TORCHTITAN_EP, L(S(TORCHTITAN), .world = 16, .tp = 4, .dp_replicate = 4, .ep = 8), F(ep), 8, 4, DTC_NONE},
    {DTC_RULE_TORCHTITAN_EP_CP, L(S(TORCHTITAN), .version = 2000, .world = 16, .cp = 4, .ep = 2), F(ep), 2, DTC_NONE,
     DTC_NONE},
    {DTC_RULE_TORCHTITAN_EP_TP, L(S(TORCHTITAN), .version = 2000, .world = 16, .cp = 2, .tp = 2, .ep = 2), F(ep), 2,
     DTC_NONE, DTC_NONE},
    {DTC_RULE_COLOSSALAI_EP, L(S(COLOSSALAI_MOE), .world = 16, .ep = 3), F(ep), 3, 2, 4},
    {DTC_RULE_NANOTRON_EP, L(S(NANOTRON), .world = 16, .ep = 2), F(ep), 2, DTC_NONE, DTC_NONE},
};
enum { BREAKS = sizeof breaks / sizeof breaks[0] };

static void every_rule_is_broken_once(void **state)
{
  (void)state;
  for (size_t i = 0; i < BREAKS; i++) {
    const broken *b = &breaks[i];
    dtc_layout out;
    dtc_error e;
    memset(&out, 0x5a, sizeof out);
    out.struct_size = sizeof out;
    dtc_layout before = out;
    DTC_INIT(&e);
    dtc_status status = dtc_layout_resolve(&b->layout, &out, &e);
    if (status == DTC_OK || e.rule != b->rule || e.field != b->field || e.got != b->got || e.lower != b->lower ||
        e.upper != b->upper)
      fail_msg("rule %u: status %d, rule %u, field %x, got %llu, lower %lld, upper %lld", b->rule, status, e.rule,
               e.field, (unsigned long long)e.got, (long long)e.lower, (long long)e.upper);
    assert_memory_equal(&out, &before, sizeof out);
  }
  for (uint32_t i = 0; i < dtci_layout_rules_count; i++) {
    size_t k = 0;
    while (k < BREAKS && breaks[k].rule != dtci_layout_rules[i].row.rule)
      k++;
    assert_true(k < BREAKS);
  }
}

/* The nearest degrees that an error names are legal. */
static void nearest_values_are_legal(void **state)
{
  (void)state;
  for (size_t i = 0; i < BREAKS; i++)
    for (int up = 0; up < 2; up++) {
      uint64_t value = up ? breaks[i].upper : breaks[i].lower;
      dtc_layout l = breaks[i].layout, out;
      DTC_INIT(&out);
      if (value == DTC_NONE)
        continue;
      memcpy((char *)&l + (breaks[i].field & 0xffff), &value, sizeof value);
      dtc_error e;
      DTC_INIT(&e);
      check_ok(dtc_layout_resolve(&l, &out, &e), &e);
    }
}

static void lines_name_product_and_degree(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 24), out;
  dtc_error e;
  char line[256];
  DTC_INIT(&out);
  DTC_INIT(&e);
  l.tp = 4;
  l.pp = 4;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_DIVIDE);
  dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
  assert_string_equal(line, "tp * cp * pp * gtp_remat = 16: tp * cp * pp * gtp_remat must divide world (world = 24): "
                            "every model-parallel group has as many ranks; nearest legal tp: 3, 6");
  dtc_error_format(&e, DTC_LANG_ZH, line, sizeof line);
  assert_string_equal(line, "tp * cp * pp * gtp_remat = 16：tp * cp * pp * gtp_remat 必须整除 world（world = 24）："
                            "每个模型并行组的进程数相同；最接近的合法 tp：3、6");
}

static void check_order(const char *text, dtc_status status, dtc_rule rule, uint64_t offset)
{
  uint64_t packed = 77;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_order_parse(text, strlen(text), &packed, &e), status);
  assert_true(e.rule == rule && e.offset == offset && packed == 77);
}

static void orders_are_read_strictly(void **state)
{
  (void)state;
  assert_true(order("tp-cp") == (DTC_AXIS_NAME_TP | DTC_AXIS_NAME_CP << 8));
  assert_true(order("PP") == DTC_AXIS_NAME_PP);
  check_order("tp-dp-pp-tp", DTC_E_CONFLICT, DTC_RULE_ORDER_TWICE, 9);
  check_order("tp-xx-dp", DTC_E_UNKNOWN, DTC_RULE_ORDER_AXIS, 3);
  check_order("", DTC_E_UNKNOWN, DTC_RULE_ORDER_AXIS, 0);
  check_order("tp-", DTC_E_UNKNOWN, DTC_RULE_ORDER_AXIS, 3);
  check_order("-tp", DTC_E_UNKNOWN, DTC_RULE_ORDER_AXIS, 0);
  check_order("tp dp", DTC_E_UNKNOWN, DTC_RULE_ORDER_AXIS, 0);
  uint64_t packed = 0;
  assert_int_equal(dtc_order_parse("tp-dp-nonsense", 5, &packed, NULL), DTC_OK); /* need not end in NUL */
  assert_int_equal(dtc_order_parse(NULL, 5, &packed, NULL), DTC_E_UNKNOWN);
}

static void orders_hold_every_axis_that_is_used(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 16), out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  l.tp = 2;
  l.cp = 2;
  l.order = order("tp-ep-dp-pp");
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_ORDER_MISSING && e.field == F(cp) && e.got == 2);
  l.cp = 1;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_OK);
  l.order = 200; /* no axis */
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_UNKNOWN);
  l.order = DTC_AXIS_NAME_TP | DTC_AXIS_NAME_TP << 8;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_CONFLICT);
  assert_int_equal(e.offset, 1);
  l.order = order("tp-dp");
  l.scheme = DTC_SCHEME_DEEPSPEED; /* has no order */
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_LAYOUT_AXIS && e.field == F(order));
}

static void versions_that_are_not_known_are_refused(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 16), out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  l.version = 999000000;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_RANGE);
  assert_int_equal(e.field, F(version));
  l.version = DTC_MAIN;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_OK);
}

static void products_that_overflow_are_refused(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 0), out;
  dtc_error e;
  DTC_INIT(&out);
  DTC_INIT(&e);
  l.tp = l.cp = l.pp = UINT64_C(1) << 32;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_OVERFLOW);
  l.cp = 1;
  l.pp = 2;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_OVERFLOW); /* more than 2^32 ranks */
  l.pp = 1;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_OK);
  l = layout(DTC_SCHEME_MEGATRON, 0);
  l.dp_shard = UINT64_C(1) << 32;
  l.ep = (UINT64_C(1) << 32) - 1;
  l.etp = 3;
  assert_int_equal(dtc_layout_resolve(&l, &out, &e), DTC_E_OVERFLOW); /* the least dp that both divide */
}

static void parts_and_space(void **state)
{
  (void)state;
  dtc_layout l = layout(DTC_SCHEME_MEGATRON, 16);
  dtc_axis axes[DTC_MESH_AXES];
  dtc_group_kind kinds[2];
  dtc_group groups[2];
  size_t count = 0;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_layout_mesh(&l, 2, axes, DTC_MESH_AXES, &count, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_PART);
  assert_int_equal(dtc_layout_mesh(&l, 0, axes, 4, &count, &e), DTC_E_SPACE);
  assert_int_equal(count, 5);
  assert_int_equal(dtc_layout_kinds(&l, kinds, 2, &count, &e), DTC_E_SPACE);
  assert_int_equal(count, 20);
  assert_int_equal(dtc_layout_groups(&l, 3, groups, 2, &count, &e), DTC_E_SPACE);
  assert_int_equal(count, 20);
  assert_int_equal(dtc_layout_groups(&l, 16, groups, 2, &count, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_RANK && e.max == 15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(megatron_orders),
      cmocka_unit_test(the_tp_pp_dp_mapping_changed_with_core_0_11),
      cmocka_unit_test(orders_of_other_frameworks),
      cmocka_unit_test(sequence_and_sharding_orders),
      cmocka_unit_test(tensor_parallelism_in_two_and_three_dimensions),
      cmocka_unit_test(deepspeed_chooses_a_grid),
      cmocka_unit_test(degrees_follow_from_the_world_and_back),
      cmocka_unit_test(plans_have_layouts),
      cmocka_unit_test(dense_models_take_the_default_of_experts),
      cmocka_unit_test(gpt_175b_on_1024_gpus),
      cmocka_unit_test(sixty_four_nodes_of_eight),
      cmocka_unit_test(groups_of_a_rank_are_those_of_the_kinds),
      cmocka_unit_test(levels_and_doubles_are_kinds_of_their_own),
      cmocka_unit_test(kinds_are_sorted_by_scheme),
      cmocka_unit_test(names_of_kinds_are_checked),
      cmocka_unit_test(every_rule_is_broken_once),
      cmocka_unit_test(nearest_values_are_legal),
      cmocka_unit_test(lines_name_product_and_degree),
      cmocka_unit_test(orders_are_read_strictly),
      cmocka_unit_test(orders_hold_every_axis_that_is_used),
      cmocka_unit_test(versions_that_are_not_known_are_refused),
      cmocka_unit_test(products_that_overflow_are_refused),
      cmocka_unit_test(parts_and_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
