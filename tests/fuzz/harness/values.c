/* Where the values come from: the generated field tables for ranges, the catalogues for whole models and clusters. */
#include "harness/values.h"

#include <stdio.h>

unsigned take_byte(call *c)
{
  return c->at < c->size ? c->data[c->at++] : 0;
}

uint64_t take_u64(call *c)
{
  uint64_t v = 0;
  for (int i = 0; i < 8; i++)
    v = v << 8 | take_byte(c);
  return v;
}

int is_sized(uint32_t noun)
{
  const dtci_struct *s = dtci_struct_of(noun);
  return s != NULL && strcmp(dtci_fields[s->first].name, "struct_size") == 0;
}

/* ---- numbers --------------------------------------------------------------------------------- */

uint64_t take_number(call *c)
{
  unsigned how = take_byte(c);
  if (how < 96)
    return how % 3 * (how % 5);
  if (how < 160)
    return take_byte(c);
  uint64_t first = how < 224 ? take_byte(c) : 0; /* one after the other: compilers differ in the order of operands */
  if (how < 176)                                 /* a field id */
    return first % 13 << 16 | take_byte(c);
  return how < 224 ? first << take_byte(c) % 64 : take_u64(c);
}

/* A number that fits the layout of tensors among the arguments. */
static uint64_t shard_number(call *c, const char *name)
{
  uint64_t pick = take_u64(c);
  uint64_t world = c->shards[c->shardings - 1].world; /* of two shardings the second one's ranks read */
  world = world == 0 ? 1 : world;
  if (strcmp(name, "tensor") == 0)
    return c->tensor = c->tensors == 0 ? 0 : pick % c->tensors;
  if (strcmp(name, "element") == 0 && c->tensors != 0) {
    uint64_t numel = c->shapes[c->tensor].rows * c->shapes[c->tensor].cols;
    return pick % (numel == 0 ? 1 : numel);
  }
  if (strcmp(name, "source_tp") == 0 || strcmp(name, "target_tp") == 0)
    return pick % 3;
  if (strcmp(name, "micro_batch") == 0) /* of few */
    return pick % 2;
  return strcmp(name, "rank") == 0 ? pick % world : take_number(c);
}

/* A number that fits the mesh among the arguments. */
static uint64_t mesh_number(call *c, const char *name, unsigned pick)
{
  if (strcmp(name, "offset") == 0)
    return c->first = pick < 128 ? 0 : pick;
  if (strcmp(name, "rank") == 0)
    return c->first + (c->world == 0 ? 0 : pick % c->world);
  if (strcmp(name, "first") == 0)
    return c->first = pick % c->world;
  if (strcmp(name, "ranks") == 0)
    return pick % (c->world - c->first + 1);
  return pick < 64 ? 0 : pick % 8;
}

static int is_nccl(const call *c)
{
  return strncmp(c->name, "dtc_nccl_", strlen("dtc_nccl_")) == 0;
}

/* A version and place whose search results are known, more often than not; sizes in order. */
static uint64_t nccl_number(call *c, const char *name)
{
  static const uint32_t versions[] = {0, 2021005, 2027007, 2030007};
  unsigned pick = take_byte(c);
  if (strcmp(name, "version") == 0)
    return versions[pick % 4];
  if (strcmp(name, "bytes") == 0 || strcmp(name, "first") == 0)
    return (uint64_t)pick << take_byte(c) % 32;
  if (strcmp(name, "last") == 0)
    return (uint64_t)1 << (40 + pick % 24);
  return strcmp(name, "nodes") == 0 ? 1 + pick % 20 : pick < 192 ? 8 : 1u << pick % 8;
}

static int is_search(const call *c)
{
  return strncmp(c->name, "dtc_search_", strlen("dtc_search_")) == 0;
}

/* Advice needs what a search does. */
static int is_advice(const call *c)
{
  return strncmp(c->name, "dtc_framework_advise", strlen("dtc_framework_advise")) == 0;
}

/* What legal plans lose: plans of steps, and a machine. */
static int is_loss(const call *c)
{
  return strcmp(c->name, "dtc_framework_lint_plan") == 0 || strcmp(c->name, "dtc_framework_lint_cost") == 0 ||
         strcmp(c->name, "dtc_framework_sockets") == 0;
}

/* An index, mostly of a small space too; a first step; a range short enough to be walked in no time, or no range. */
static uint64_t search_number(call *c, const char *name)
{
  unsigned how = take_byte(c);
  if (strcmp(name, "number") == 0)
    return how < 250 ? take_byte(c) * 3 : UINT64_MAX - how;
  if (strcmp(name, "step") == 0)
    return how < 224 ? 1 + how % 3 : take_u64(c) >> how % 64;
  return how < 224 ? take_byte(c) % 64 : take_u64(c) >> how % 64;
}

uint64_t in_number(call *c, const char *name)
{
  if (strcmp(c->name, "dtc_framework_note") == 0 && take_byte(c) < 224)
    return take_byte(c) % 16;
  if (is_search(c) && strcmp(name, "axis") != 0)
    return search_number(c, name);
  if (is_nccl(c) && (take_byte(c) < 240 || c->tame))
    return nccl_number(c, name);
  int fits = c->world != 0 || strcmp(name, "rank") == 0;
  int of_a_stage = strcmp(c->name, "dtc_plan_stage") == 0 || strcmp(c->name, "dtc_memory_moments") == 0 ||
                   strcmp(c->name, "dtc_memory_terms") == 0;
  if (of_a_stage && take_byte(c) < 240) /* a rank that most pipelines have */
    return take_byte(c) < 224 ? 0 : 1;
  if (c->shardings != 0 && (take_byte(c) < 240 || c->tame))
    return shard_number(c, name);
  if (c->pipe.pp != 0 && (take_byte(c) < 240 || c->tame))
    return pipe_number(c, name);
  return fits && (take_byte(c) < 224 || c->tame) ? mesh_number(c, name, take_byte(c)) : take_number(c);
}

size_t in_index(call *c, const char *name)
{
  uint64_t v = in_number(c, name);
  return v < UINT32_MAX ? (size_t)v : UINT32_MAX;
}

static uint64_t bits_of(double v)
{
  uint64_t bits = 0;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static uint64_t take_double(call *c)
{
  static const uint64_t special[] = {0,
                                     0x8000000000000000, /* -0 */
                                     0x7FF0000000000000, /* infinity */
                                     0xFFF0000000000000,
                                     0x7FF8000000000000, /* NaN */
                                     0xFFF8000000000001,
                                     1, /* the smallest number */
                                     0x7FEFFFFFFFFFFFFF};
  unsigned how = take_byte(c);
  if (how < 64)
    return special[how % 8];
  if (how < 96)
    return take_u64(c);
  double v = take_byte(c);
  return bits_of(v * (double)((uint64_t)1 << take_byte(c) % 64));
}

double in_double(call *c)
{
  double v = 0;
  if (strcmp(c->name, "dtc_framework_sockets") == 0 && take_byte(c) < 192)
    return 1e8 * (1 + take_byte(c));
  if (strcmp(c->name, "dtc_collective_size") == 0 && (c->tame || take_byte(c) < 192))
    return (1 + take_byte(c)) / 257.0; /* a share */
  if (c->tame)
    return take_byte(c) / 4.0;
  uint64_t bits = take_double(c);
  memcpy(&v, &bits, sizeof v);
  return v;
}

uint32_t in_choice(call *c, uint32_t last)
{
  unsigned how = take_byte(c);
  static const uint8_t often[] = {10, 14, 10, 7, 10, 14, 10, 5, 10, 14, 10, 0, 11};
  if (strcmp(c->name, "dtc_framework_lint_cost") == 0 && how < 240)
    return DTC_RULE_PLACE_TP + (how < 200 ? often[how % sizeof often] : how % 18);
  if (is_nccl(c) && (how < 208 || c->tame))
    return DTC_COLLECTIVE_ALL_REDUCE + how % DTC_COLLECTIVE_BROADCAST;
  return how < 240 || c->tame ? how % (last + 1) : how < 248 ? last + 1 : (uint32_t)take_u64(c);
}

/* A value for a field: a small one, a power of two, a bound or its neighbour, or anything. */
static uint64_t take_value(call *c, const dtci_field *f)
{
  unsigned how = take_byte(c);
  if (f->type == DTCI_F64)
    return how < 32 ? (how % 2 == 0 ? f->min : f->max) : take_double(c);
  if (f->type == DTCI_ENUM || f->type == DTCI_BOOL)
    return c->tame ? how % (f->max + 1) : in_choice(c, (uint32_t)f->max);
  if (how < 96 || c->tame)
    return (uint64_t)1 << how % 8;
  if (how < 192)
    return f->min + how % 8;
  if (how < 200)
    return f->min - how % 2;
  if (how < 208)
    return f->max + how % 2;
  return take_number(c);
}

void take_field(call *c, unsigned char *local, const dtci_field *f)
{
  dtci_write(local, f, take_value(c, f));
}

/* ---- structs --------------------------------------------------------------------------------- */

/* The scheme that a function answers for, when it is a single one; else any. */
static dtc_shard_scheme scheme_for(const call *c, unsigned pick)
{
  static const struct {
    char name[24];
    dtc_shard_scheme scheme;
  } rows[] = {{"dtc_shards_chunks", DTC_SHARD_SCHEME_GEMINI},
              {"dtc_shards_trace", DTC_SHARD_SCHEME_ZERO3},
              {"dtc_reshard_scratch", DTC_SHARD_SCHEME_FSDP2},
              {"dtc_reshard_boxes", DTC_SHARD_SCHEME_FSDP2},
              {"dtc_reshard_box_totals", DTC_SHARD_SCHEME_FSDP2}};
  if (strcmp(c->name, "dtc_shards_held") == 0 && pick < 224)
    return pick % 2 == 0 ? DTC_SHARD_SCHEME_ZERO12 : DTC_SHARD_SCHEME_ZERO3;
  for (size_t i = 0; pick < 224 && i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(c->name, rows[i].name) == 0)
      return rows[i].scheme;
  return pick % (DTC_SHARD_SCHEME_LOW_LEVEL_ZERO + 1);
}

/* A sharding over a few ranks, and some of its settings. */
static dtc_shards base_shards(call *c)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_shards);
  unsigned pick = take_byte(c);
  dtc_shards shards;
  DTC_INIT(&shards);
  shards.scheme = scheme_for(c, pick);
  shards.world = 1 + take_byte(c) % 8;
  for (unsigned changes = take_byte(c) % 4; changes > 0; changes--) {
    dtc_shards changed = shards;
    dtc_shards resolved;
    const dtci_field *f = &dtci_fields[s->first + 1 + take_byte(c) % (s->count - 1u)];
    dtci_write((unsigned char *)&changed, f, take_value(c, f));
    DTC_INIT(&resolved);
    if (dtc_shards_resolve(&changed, &resolved, NULL) == DTC_OK && resolved.scheme == shards.scheme)
      shards = changed;
  }
  return shards;
}

static int is_step(const call *c)
{
  return strncmp(c->name, "dtc_step_", strlen("dtc_step_")) == 0 || is_loss(c);
}

/* A plan of some GPUs, a few of which are pipelines or have experts to share. */
static dtc_plan step_plan(call *c)
{
  unsigned pick = take_byte(c);
  dtc_plan plan;
  DTC_INIT(&plan);
  plan.framework = pick % 2 == 0 ? DTC_FRAMEWORK_MEGATRON : pick / 2 % (DTC_FRAMEWORK_SCALING + 1);
  plan.tp = (uint64_t)1 << take_byte(c) % 3;
  plan.pp = (uint64_t)1 << (pick < 128 ? 0 : take_byte(c) % 4);
  plan.dp = (uint64_t)1 << take_byte(c) % 6;
  plan.ep = (uint64_t)1 << (pick % 4 != 0 ? 0 : take_byte(c) % 4);
  plan.accumulation = plan.pp * (1 + take_byte(c) % 4);
  plan.schedule = pick < 192 ? DTC_SCHEDULE_DEFAULT : take_byte(c) % (DTC_SCHEDULE_ZB_H2 + 1);
  plan.vpp = plan.schedule >= DTC_SCHEDULE_INTERLEAVED && plan.schedule <= DTC_SCHEDULE_DUALPIPE ? 2 : 0;
  if (is_loss(c)) {
    plan.recompute = pick % 3 == 0 ? DTC_RECOMPUTE_NONE : DTC_RECOMPUTE_FULL;
    plan.tp = pick % 5 == 0 ? 16 : 2;
    plan.framework = pick % 8 != 7 ? DTC_FRAMEWORK_MEGATRON : plan.framework;
    plan.pp = pick % 4 == 3 ? plan.pp : 1;
    plan.ep = 1;
    plan.schedule = DTC_SCHEDULE_DEFAULT;
    plan.vpp = 0;
    plan.vocab_parallel = DTC_BOOL_OFF;
  }
  return plan;
}

/* A plan of a few GPUs; resolved where a function takes no other. */
static dtc_plan base_plan(call *c)
{
  dtc_model model;
  dtc_plan plan;
  dtc_plan resolved;
  DTC_INIT(&model);
  DTC_INIT(&plan);
  DTC_INIT(&resolved);
  if (is_step(c) && take_byte(c) < 192)
    return step_plan(c);
  if (strcmp(c->name, "dtc_launch_write") == 0) {
    plan.framework = c->framework = 1 + take_byte(c) % DTC_FRAMEWORK_TORCHTITAN;
    plan.framework_version = plan.framework == DTC_FRAMEWORK_TORCHTITAN && take_byte(c) % 2 == 0 ? 2002 : 0;
    plan.sharding = take_byte(c) % 4 == 0 ? take_byte(c) % (DTC_SHARDING_DISTOPT + 1) : DTC_SHARDING_DEFAULT;
  }
  if (strcmp(c->name, "dtc_pipe_from_plan") != 0)
    return plan;
  plan.framework = take_byte(c) % (DTC_FRAMEWORK_SCALING + 1);
  plan.pp = (uint64_t)1 << take_byte(c) % 4;
  plan.accumulation = plan.pp * (1 + take_byte(c) % 4);
  if (dtc_model_find("llama-2-7b", &model, NULL) != DTC_OK ||
      dtc_plan_resolve(&model, NULL, &plan, &resolved, NULL) != DTC_OK)
    return plan;
  return resolved;
}

/* A communicator of a few nodes; all zero when the search is not known. */
static void base_nccl(call *c, unsigned pick, dtc_nccl *nccl)
{
  const char *name = dtc_nccl_name(pick % dtc_nccl_count());
  unsigned more = take_byte(c);
  static const uint32_t versions[] = {0, 2027007};
  static const uint8_t ranks[] = {8, 4, 16, 32, 64, 72};
  uint32_t version = versions[more / 64 % 2];
  for (size_t i = more < 192 ? 0 : 1; i < sizeof ranks && nccl->per_node == 0; i++)
    (void)!dtc_nccl_find(name, version, 1 + more % 5, ranks[i], nccl, NULL);
}

/* One of the estimators, of a version that is known or not. */
static dtc_estimator_call base_estimator(unsigned pick)
{
  static const dtc_release versions[] = {0, 14002, 17000, 18000, 1004000, DTC_MAIN};
  return (dtc_estimator_call){.struct_size = sizeof(dtc_estimator_call),
                              .estimator = 1 + pick % DTC_ESTIMATOR_ACCELERATE,
                              .version = versions[pick / 4 % (sizeof versions / sizeof versions[0])],
                              .nodes = pick / 24 % 4};
}

/* An optimizer, and the library and form of states that it has more often than not. */
static dtc_optimizer_spec base_optimizer(unsigned pick)
{
  dtc_optimizer_spec spec;
  DTC_INIT(&spec);
  spec.optimizer = pick % (DTC_OPTIMIZER_ADEMAMIX + 1);
  spec.library = pick < 192 ? DTC_OPTIMIZER_LIBRARY_DEFAULT : pick % (DTC_OPTIMIZER_LIBRARY_TORCHAO + 1);
  spec.format = pick < 240 ? DTC_OPTIMIZER_FORMAT_DEFAULT : pick % (DTC_OPTIMIZER_FORMAT_FP8 + 1);
  return spec;
}

/* A printed size, with its range more often than not. */
static dtc_alloc base_alloc(call *c, unsigned pick)
{
  dtc_alloc alloc;
  DTC_INIT(&alloc);
  alloc.kind = pick < 160 ? DTC_ALLOC_KIND_REQUEST : pick % (DTC_ALLOC_KIND_DEVICE + 1);
  alloc.device = pick % (DTC_ALLOC_DEVICE_HOST + 1);
  alloc.bytes = 1 + take_byte(c);
  alloc.bytes <<= 10 + take_byte(c) % 24;
  if (pick % 4 != 0) {
    alloc.low = alloc.bytes - alloc.bytes / 512;
    alloc.high = alloc.bytes + alloc.bytes / 512;
  }
  alloc.params = pick % 8 == 7 ? (uint64_t)7000000000 : 0;
  return alloc;
}

/* A target, more often than not one of the plan's framework. */
static dtc_launch base_launch(const call *c, unsigned pick)
{
  static const uint8_t own[][4] = {
      [DTC_FRAMEWORK_PYTORCH] = {DTC_LAUNCH_TARGET_ACCELERATE, DTC_LAUNCH_TARGET_ACCELERATE_RUN,
                                 DTC_LAUNCH_TARGET_TRAINER, DTC_LAUNCH_TARGET_SRUN},
      [DTC_FRAMEWORK_DEEPSPEED] = {DTC_LAUNCH_TARGET_DS_CONFIG, DTC_LAUNCH_TARGET_DEEPSPEED_SLURM,
                                   DTC_LAUNCH_TARGET_ACCELERATE, DTC_LAUNCH_TARGET_MPIRUN},
      [DTC_FRAMEWORK_MEGATRON] = {DTC_LAUNCH_TARGET_MEGATRON, DTC_LAUNCH_TARGET_ENVIRONMENT, DTC_LAUNCH_TARGET_SBATCH,
                                  DTC_LAUNCH_TARGET_MEGATRON},
      [DTC_FRAMEWORK_COLOSSALAI] = {DTC_LAUNCH_TARGET_COLOSSALAI, DTC_LAUNCH_TARGET_COLOSSALAI_RUN,
                                    DTC_LAUNCH_TARGET_COLOSSALAI, DTC_LAUNCH_TARGET_C10D},
      [DTC_FRAMEWORK_TORCHTITAN] = {DTC_LAUNCH_TARGET_TITAN_PYTHON, DTC_LAUNCH_TARGET_TITAN_TOML,
                                    DTC_LAUNCH_TARGET_TITAN_PYTHON, DTC_LAUNCH_TARGET_TORCHRUN},
  };
  dtc_launch launch;
  DTC_INIT(&launch);
  launch.target = pick < 160 ? own[c->framework][pick % 4] : pick % (DTC_LAUNCH_TARGET_ENVIRONMENT + 1);
  launch.fsdp = pick % 5 == 0;
  launch.arguments = pick % 8 == 0 ? DTC_LAUNCH_ARGUMENTS_NONE : DTC_LAUNCH_ARGUMENTS_DEFAULT;
  return launch;
}

/* A legal start: something of a catalogue, a few nodes, else all defaults. */
static void make_base(call *c, uint32_t noun, unsigned char *local)
{
  unsigned pick = take_byte(c);
  uint32_t size = dtc_struct_size(noun);
  memcpy(local, &size, sizeof size);
  if (noun == DTC_STRUCT_lint) {
    dtc_lint lint = {.struct_size = size, .dialect = pick % (DTC_DIALECT_NCCL + 1), .world = pick / 11 % 24};
    memcpy(local, &lint, sizeof lint);
  }
  if (noun == DTC_STRUCT_launch) {
    dtc_launch launch = base_launch(c, pick);
    memcpy(local, &launch, sizeof launch);
  }
  if (noun == DTC_STRUCT_model)
    (void)!dtc_model_find(dtc_model_name(pick % dtc_model_count()), (dtc_model *)(void *)local, NULL);
  if (noun == DTC_STRUCT_cluster && pick % 2 == 0)
    (void)!dtc_gpu_find(dtc_gpu_name(pick / 2 % dtc_gpu_count()), (dtc_cluster *)(void *)local, NULL);
  if (noun == DTC_STRUCT_cluster && pick % 2 != 0)
    (void)!dtc_cluster_find(dtc_cluster_name(pick / 2 % dtc_cluster_count()), (dtc_cluster *)(void *)local, NULL);
  if (noun == DTC_STRUCT_plan) {
    dtc_plan plan = base_plan(c);
    memcpy(local, &plan, sizeof plan);
  }
  dtc_mpi mpi = {.struct_size = size, .nodes = 1 + pick % 3, .slots = 1 + pick / 3 % 8};
  if (noun == DTC_STRUCT_mpi)
    memcpy(local, &mpi, sizeof mpi);
  dtc_shards shards;
  if (noun == DTC_STRUCT_shards) {
    shards = base_shards(c);
    memcpy(local, &shards, sizeof shards);
  }
  if (noun == DTC_STRUCT_optimizer_spec) {
    dtc_optimizer_spec spec = base_optimizer(pick);
    memcpy(local, &spec, sizeof spec);
  }
  if (noun == DTC_STRUCT_pipe) {
    dtc_pipe pipe = base_pipe(c);
    memcpy(local, &pipe, sizeof pipe);
  }
  if (noun == DTC_STRUCT_nccl)
    base_nccl(c, pick, (dtc_nccl *)(void *)local);
  if (noun == DTC_STRUCT_estimator_call) {
    dtc_estimator_call ask = base_estimator(pick);
    memcpy(local, &ask, sizeof ask);
  }
  if (noun == DTC_STRUCT_alloc) {
    dtc_alloc alloc = base_alloc(c, pick);
    memcpy(local, &alloc, sizeof alloc);
  }
  if (make_collective_base(c, noun, pick, local) || make_step_base(c, noun, pick, local))
    return;
  if (noun == DTC_STRUCT_pipe_split) {
    dtc_pipe_split split = base_split(c);
    memcpy(local, &split, sizeof split);
  }
}

/* A tensor of a few elements; seldom empty, of a type of its own, or shared. */
static dtc_shape base_shape(call *c, unsigned pick)
{
  unsigned more = take_byte(c);
  return (dtc_shape){
      .rows = pick < 250 ? 1 + pick % 50 : 0,
      .cols = more % 3 == 0 ? 1 : more % 16,
      .dims = more % 3 == 0 || more < 200 ? 0 : more % 9,
      .dtype = more < 200 ? DTC_DTYPE_DEFAULT : more % (DTC_DTYPE_FP64 + 1),
      .shared = more > 240,
  };
}

/* A legal record: an axis of a few ranks; a tensor, or a module of one; a kind of group, of a mesh that was made or else of a framework. */
static void make_record(call *c, uint32_t noun, unsigned char *local)
{
  unsigned pick = take_byte(c);
  if (make_pipe_record(c, noun, pick, local))
    return;
  if (noun == DTC_STRUCT_timing)
    make_timing(c, pick, local);
  if (noun == DTC_STRUCT_step_sample)
    make_sample(c, pick, local);
  dtc_axis axis = {.name = pick % (DTC_AXIS_NAME_TP_K + 1), .size = 1 + pick % 4};
  dtc_group_kind kinds[64] = {{.axes = pick % 3 == 0 ? UINT32_MAX : 1 + pick % 3}};
  size_t count = 0;
  dtc_shape shape = base_shape(c, noun == DTC_STRUCT_shape ? pick : 0);
  if (noun == DTC_STRUCT_axis)
    memcpy(local, &axis, sizeof axis);
  if (noun == DTC_STRUCT_shape)
    memcpy(local, &shape, sizeof shape);
  dtc_module module = {.first = c->tensors != 0 ? (uint32_t)(pick % c->tensors) : 0, .tensors = pick < 224};
  if (noun == DTC_STRUCT_module)
    memcpy(local, &module, sizeof module);
  if (noun == DTC_STRUCT_group_kind && c->world == 0) {
    dtc_layout layout;
    DTC_INIT(&layout);
    layout.scheme = pick % (DTC_SCHEME_NANOTRON + 1);
    (void)!dtc_layout_kinds(&layout, kinds, 64, &count, NULL);
  }
  if (noun == DTC_STRUCT_group_kind)
    memcpy(local, &kinds[count != 0 ? take_byte(c) % count : 0], sizeof kinds[0]);
}

/* What a search needs: a number of nodes, a global batch. */
static void make_searched(call *c, uint32_t noun, unsigned char *local)
{
  dtc_plan *plan = (dtc_plan *)(void *)local;
  dtc_cluster *cluster = (dtc_cluster *)(void *)local;
  if (noun == DTC_STRUCT_plan)
    plan->global_batch = (uint64_t)1 << take_byte(c) % 10;
  if (noun == DTC_STRUCT_cluster)
    cluster->nodes = take_byte(c) % 9;
}

/* Advice about a variant that there is, with a plan of a small index. */
static void make_advice(call *c, unsigned char *local)
{
  static const dtc_sharding variants[][2] = {
      {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_DDP},      {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_FSDP},
      {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO2},  {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO3},
      {DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_DEFAULT}, {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_DEFAULT}};
  const dtc_sharding *v = variants[take_byte(c) % (sizeof variants / sizeof *variants)];
  dtc_advice one = {.framework = v[0], .sharding = v[1], .index = take_byte(c) % 8};
  memcpy(local, &one, sizeof one);
}

/* How many fields to change; one bad axis spoils a mesh, one bad tensor or setting a layout, one bad record a pipeline;
 * half of a plan's are for one framework only. */
static unsigned changes_of(const call *c, uint32_t noun, unsigned how)
{
  if (noun == DTC_STRUCT_axis || noun == DTC_STRUCT_shape || noun == DTC_STRUCT_shards || noun == DTC_STRUCT_module ||
      noun == DTC_STRUCT_tracing || noun == DTC_STRUCT_lint || noun == DTC_STRUCT_launch || noun == DTC_STRUCT_nccl ||
      (noun >= DTC_STRUCT_pipe && noun <= DTC_STRUCT_pipe_gain) || noun == DTC_STRUCT_timing ||
      noun == DTC_STRUCT_step_sample || noun == DTC_STRUCT_step_params || noun == DTC_STRUCT_advice)
    return !c->tame && how >= 192;
  if (noun == DTC_STRUCT_plan || (noun == DTC_STRUCT_cluster && is_step(c)))
    return how % (c->tame || is_step(c) ? 3 : 5);
  return how % (c->tame ? 4 : 8);
}

void make_struct(call *c, uint32_t noun, unsigned char *local)
{
  const dtci_struct *s = dtci_struct_of(noun);
  unsigned how = take_byte(c);
  if (how >= 224 && !c->tame) {
    for (uint32_t i = 0; i < s->size; i++)
      local[i] = (unsigned char)take_byte(c);
    return;
  }
  if (is_sized(noun))
    make_base(c, noun, local);
  else
    make_record(c, noun, local);
  if (is_search(c) || is_advice(c))
    make_searched(c, noun, local);
  if (noun == DTC_STRUCT_advice && take_byte(c) < 224)
    make_advice(c, local);
  for (unsigned changes = changes_of(c, noun, how); changes > 0; changes--) {
    const dtci_field *f = &dtci_fields[s->first + take_byte(c) % s->count];
    dtci_write(local, f, take_value(c, f));
  }
}

uint32_t take_struct_size(call *c, uint32_t noun, unsigned char *local)
{
  unsigned how = take_byte(c);
  uint32_t known = dtc_struct_size(noun);
  uint32_t longer = known + 8 * (1 + how % 8);
  if (how < 208 || c->tame)
    return known;
  if (how < 224) {
    memset(local + known, 0, longer - known);
    return longer;
  }
  if (how < 232) {
    for (uint32_t i = known; i < longer; i++)
      local[i] = (unsigned char)take_byte(c);
    return longer;
  }
  if (how < 240)
    return known - how % 8;
  return how < 248 ? how % 8 : (uint32_t)take_u64(c);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

size_t make_length(call *c, uint32_t noun)
{
  unsigned how = take_byte(c);
  if (how < 224 || c->tame)
    return pipe_length(c, noun, 1 + how % 4);
  return how < 232 ? 0 : how % 32;
}

void note_mesh(call *c, const dtc_axis *axes, size_t n)
{
  c->world = 1;
  for (c->axes = 0; c->axes < n && c->axes < DTC_MESH_AXES; c->axes++) {
    uint64_t size = axes[c->axes].size;
    c->sizes[c->axes] = size == 0 || size > NUMBERS_MAX ? 1 : size;
    c->world = c->world * c->sizes[c->axes] > NUMBERS_MAX ? NUMBERS_MAX : c->world * c->sizes[c->axes];
  }
}

void note_shards(call *c, const void *shards)
{
  unsigned most = sizeof c->shards / sizeof c->shards[0];
  if (c->shardings < most)
    memcpy(&c->shards[c->shardings++], shards, sizeof c->shards[0]);
}

/* The layout; all zero when there is none. */
static void lay_slots(call *c, dtc_slot *slots, size_t n)
{
  uint64_t scratch[NUMBERS_MAX];
  size_t count = 0;
  unsigned place = c->layouts < c->shardings ? c->layouts : c->shardings - 1;
  memset(slots, 0, n * sizeof *slots);
  if (c->shardings != 0 &&
      dtc_shards_layout(&c->shards[place], c->shapes, n, slots, n, &count, scratch, NUMBERS_MAX, NULL) != DTC_OK)
    memset(slots, 0, n * sizeof *slots);
}

size_t make_slots(call *c, dtc_slot *slots)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_slot);
  unsigned how = take_byte(c);
  size_t n = c->tensors < SLOTS_MAX ? c->tensors : SLOTS_MAX;
  lay_slots(c, slots, n);
  c->layouts++;
  if (how < 208 || c->tame || n == 0)
    return n;
  for (unsigned changes = how % 4; changes > 0; changes--) {
    const dtci_field *f = &dtci_fields[s->first + take_byte(c) % s->count];
    dtc_slot *slot = &slots[take_byte(c) % n];
    dtci_write((unsigned char *)slot, f, take_value(c, f));
  }
  return how < 240 ? n : how % (n + 1);
}

/* Coordinates in the mesh among the arguments, or a list of its ranks that begins anywhere and goes up or down. */
static size_t mesh_numbers(call *c, const char *name, uint64_t *numbers)
{
  int is_coord = strcmp(name, "coord") == 0;
  size_t n = is_coord ? c->axes : (size_t)c->world;
  uint64_t start = take_byte(c) % c->world;
  uint64_t step = take_byte(c) % 2 == 0 ? 1 : c->world - 1;
  for (size_t i = 0; i < n; i++)
    numbers[i] = is_coord ? take_byte(c) % c->sizes[i] : (start + i * step) % c->world;
  return n;
}

/* Small numbers in a list whose length is `least` or up to `more` above it. */
static size_t small_numbers(call *c, const char *name, uint64_t *numbers)
{
  static const struct {
    char name[16];
    uint8_t least;
    uint8_t more;
  } rows[] = {{"cpus", 1, 3}, {"cpus_per_task", 0, 1}, {"order", 0, 0}, {"workers", 1, 2}, {"leaves", 0, 16}};
  size_t n = 0;
  unsigned pick = take_byte(c);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(name, rows[i].name) == 0)
      n = rows[i].least + pick % (rows[i].more + 1u);
  for (size_t i = 0; i < n; i++)
    numbers[i] = 1 + take_byte(c) % 4;
  return n;
}

size_t make_numbers(call *c, const char *name, uint64_t *numbers)
{
  unsigned how = take_byte(c);
  if ((how < 224 || c->tame) && strcmp(name, "weights") == 0)
    return split_weights(c, numbers);
  if ((how < 224 || c->tame) && strcmp(name, "matrix") == 0)
    return matrix_numbers(c, numbers);
  if (how < 224 || c->tame)
    return c->world != 0 ? mesh_numbers(c, name, numbers) : small_numbers(c, name, numbers);
  size_t n = how % 17;
  for (size_t i = 0; i < n; i++)
    numbers[i] = how < 240 ? take_byte(c) % 4 : take_number(c);
  return n;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static size_t change_text(call *c, char *text, size_t len)
{
  for (unsigned changes = take_byte(c) % 4; changes > 0 && len > 0; changes--) {
    size_t at = (size_t)(take_u64(c) % len);
    text[at] = (char)take_byte(c);
  }
  return take_byte(c) < 32 ? take_byte(c) % (len + 1) : len;
}

static size_t random_text(call *c, char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    text[i] = (char)take_byte(c);
  return len;
}

static const char *catalogue_name(call *c)
{
  unsigned kind = take_byte(c) % 3;
  unsigned pick = take_byte(c);
  if (strcmp(c->name, "dtc_nccl_find") == 0)
    return dtc_nccl_name(pick % dtc_nccl_count());
  if (strcmp(c->name, "dtc_software_find") == 0)
    return dtc_software_name(pick % dtc_software_count());
  if (strcmp(c->name, "dtc_traits_find") == 0)
    return dtc_traits_name(pick % dtc_traits_count());
  if (kind == 0)
    return dtc_model_name(pick % dtc_model_count());
  return kind == 1 ? dtc_gpu_name(pick % dtc_gpu_count()) : dtc_cluster_name(pick % dtc_cluster_count());
}

size_t make_name(call *c, char *text)
{
  unsigned how = take_byte(c);
  if (how >= 224)
    return random_text(c, text, how % 32);
  size_t len = (size_t)snprintf(text, TEXT_MAX, "%s", catalogue_name(c));
  return how < 192 ? len : change_text(c, text, len);
}

static size_t plan_line(call *c, char *text)
{
  unsigned char local[4096] = {0};
  char words[TEXT_MAX / 2] = "";
  make_struct(c, DTC_STRUCT_plan, local);
  (void)!dtc_plan_format(NULL, (const dtc_plan *)(const void *)local, words, sizeof words, NULL, NULL);
  const char *model = dtc_model_name(take_byte(c) % dtc_model_count());
  return (size_t)snprintf(text, TEXT_MAX, "%s model=%s", words, model);
}

static size_t config_json(call *c, char *text)
{
  static const char types[][12] = {"llama", "qwen2", "gpt2", "mixtral", "deepseek_v3", "gemma2", "phi3", "opt"};
  unsigned heads = 1 + take_byte(c) % 64;
  unsigned dim = 8u << take_byte(c) % 5;
  unsigned b[9];
  for (size_t i = 0; i < sizeof b / sizeof b[0]; i++) /* arguments have no order */
    b[i] = take_byte(c);
  return (size_t)snprintf(text, TEXT_MAX,
                          "{\"model_type\": \"%s\", \"hidden_size\": %u, \"num_attention_heads\": %u, "
                          "\"num_key_value_heads\": %u, \"num_hidden_layers\": %u, \"intermediate_size\": %u, "
                          "\"vocab_size\": %u, \"tie_word_embeddings\": %s, \"n_embd\": %u, \"n_head\": %u, "
                          "\"n_layer\": %u, \"num_local_experts\": %u, \"num_experts_per_tok\": 2, "
                          "\"max_position_embeddings\": %u, \"ffn_dim\": 64, \"word_embed_proj_dim\": %u}",
                          types[b[0] % 8], heads * dim, heads, b[1] % 2 == 0 ? heads : 1, b[2], 64 * b[3], 1000 * b[4],
                          b[5] % 2 == 0 ? "true" : "false", heads * dim, heads, b[6], 1 + b[7] % 16, 16 * b[8],
                          heads * dim);
}

static size_t axes_line(call *c, char *text)
{
  static const char words[][4] = {"tp", "cp", "ep", "dp", "pp"};
  size_t len = 0;
  unsigned first = take_byte(c);
  for (unsigned i = 0; i < 5 && i <= first / 5 % 8; i++)
    len += (size_t)snprintf(text + len, TEXT_MAX - len, "%s%s", i == 0 ? "" : "-", words[(first + i) % 5]);
  return len;
}

/* Names of hosts, or the lines of a hostfile. */
static size_t host_lines(call *c, char *text, int slots)
{
  size_t len = 0;
  unsigned first = take_byte(c);
  for (unsigned i = 0; i <= first % 3; i++)
    len += (size_t)(slots ? snprintf(text + len, TEXT_MAX - len, "node%u slots=%u\n", first + i, 1 + take_byte(c) % 8)
                          : snprintf(text + len, TEXT_MAX - len, "node%u ", first - i));
  return len;
}

/* Some of these pieces, one behind the other. */
static size_t join_pieces(call *c, char *text, const char *const *pieces, unsigned n)
{
  size_t len = 0;
  for (unsigned i = 0, most = take_byte(c) % 12; i < most; i++)
    len += (size_t)snprintf(text + len, TEXT_MAX - len, "%s", pieces[take_byte(c) % n]);
  return len;
}

/* NCCL_IB_HCA, and devices. */
static size_t devices_list(call *c, const char *name, char *text)
{
  static const char *const names[] = {"^", "=", "mlx5_0", "mlx5_1", "mlx5_10", ":1", ":2", ",", ":", " "};
  static const char *const ports[] = {"mlx5_0:1 ", "mlx5_0:2 ", "mlx5_1:1 ", "mlx5_10:1\n", "ibp3s0:1\t"};
  if (strcmp(name, "devices") == 0)
    return join_pieces(c, text, ports, sizeof ports / sizeof *ports);
  return join_pieces(c, text, names, sizeof names / sizeof *names);
}

/* Lines of configurations, hostfiles, scripts and environments. */
static size_t configuration(call *c, char *text)
{
  static const char *const pieces[] = {"{\"train_batch_size\": 8, ",
                                       "\"zero_optimization\": {\"stage\": 3}}",
                                       "--tensor-model-parallel-size 8 ",
                                       "--num-layers=",
                                       "worker-0 slots=8\n",
                                       "worker-1 slots=4 x\n",
                                       "--include=worker-0:0,1@worker-1\n",
                                       "--exclude=",
                                       "#SBATCH --nodes=2 --ntasks-per-node=8\n",
                                       "#SBATCH --gres=gpu:h100:8\n",
                                       "srun ",
                                       "torchrun --nproc_per_node=8 ",
                                       "bash -c '",
                                       "'\n",
                                       "export NCCL_IB_HCA=",
                                       "^=mlx5_1,mlx5_0:1\n",
                                       "NCCL_SOCKET_IFNAME=eth0\n",
                                       "eth0 UP 10.0.0.1/8\n",
                                       "eth1 10.0.0.2/16\n",
                                       "mlx5_0 port 1 ==> ib0 (Up)\n",
                                       "NCCL_ALGO=",
                                       "ring;allreduce:^tree\n",
                                       "\n",
                                       "A=(",
                                       ")",
                                       "$A",
                                       "\\\n"};
  return join_pieces(c, text, pieces, sizeof pieces / sizeof *pieces);
}

/* Messages about memory, whole and in pieces. */
static size_t memory_message(call *c, char *text)
{
  static const char *const pieces[] = {
      "CUDA out of memory. ",
      "NPU out of memory. ",
      "Tried to allocate 388.00 MiB ",
      "Tried to allocate 12.94 GiB. ",
      "you tried to allocate 180355072 bytes. ",
      "Unable to allocate 172. MiB for an array with shape (4096, 11008) and data type float32",
      "with shape (3, ",
      "data type bool",
      "(GPU 0; 23.70 GiB total capacity; 22.60 GiB already allocated; ",
      "a total capacity of 79.35 GiB of which 1.20 GiB is free. ",
      "this process has 78.13 GiB memory in use. ",
      "107.97 MiB is reserved by PyTorch but unallocated",
      "14678MiB / 40960MiB",
      " after init",
      "16.83 GiB ",
      "1234567890123456789 ",
      "0 bytes ",
      "999999 TiB "};
  return join_pieces(c, text, pieces, sizeof pieces / sizeof *pieces);
}

/* A script and arguments, odd ones too; mostly no hosts, which have to be as many as the nodes. */
static size_t launch_text(call *c, const char *name, char *text)
{
  static const char *const words[] = {"train.py", "\n", "--lr", "3e-4", "it's", "$HOME", "a b", "\\", "=x", "x"};
  if (strcmp(name, "script") == 0) {
    size_t len = (size_t)snprintf(text, TEXT_MAX, "run.py");
    return len + join_pieces(c, text + len, words, sizeof words / sizeof *words);
  }
  return take_byte(c) < 192 ? 0 : host_lines(c, text, 0);
}

static size_t legal_text(call *c, const char *name, char *text)
{
  if (strcmp(c->name, "dtc_explain_read") == 0)
    return memory_message(c, text);
  if (strcmp(c->name, "dtc_launch_write") == 0)
    return launch_text(c, name, text);
  if (strcmp(c->name, "dtc_framework_lint_hca") == 0)
    return devices_list(c, name, text);
  if (strcmp(c->name, "dtc_framework_lint") == 0) {
    size_t len = take_byte(c) < 176 ? lint_text(c, text) : 0;
    return len > 0 ? len : configuration(c, text);
  }
  if (strcmp(name, "json") == 0)
    return config_json(c, text);
  if (strncmp(name, "host", 4) == 0)
    return host_lines(c, text, strcmp(name, "hostfile") == 0);
  if (strcmp(name, "layout") == 0)
    return layout_line(c, text);
  if (strcmp(c->name, "dtc_collective_read") == 0)
    return table_lines(c, text);
  return strcmp(c->name, "dtc_order_parse") == 0 ? axes_line(c, text) : plan_line(c, text);
}

size_t make_text(call *c, const char *name, char *text)
{
  unsigned how = take_byte(c);
  if (how >= 224)
    return random_text(c, text, take_byte(c));
  size_t len = legal_text(c, name, text);
  return how < 160 ? len : change_text(c, text, len);
}
