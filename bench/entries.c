/* The arguments, and one call per function: Llama-3 70B on DGX H100, as Megatron would train it on 512 GPUs. */
#include "bench.h"

#include <stdio.h>

static const char plan_text[] = "dtcore: megatron tp=8 pp=4 dp=16 mbs=1 gbs=1024 seq=4096 recompute=selective";
static const char plan_text_16[] = "dtcore: megatron tp=8 pp=16 dp=4 mbs=1 gbs=1024 seq=4096 recompute=selective";

/* config.json of Llama-3 70B: the keys that transformers writes for a Llama. */
static const char config[] =
    "{\"architectures\": [\"LlamaForCausalLM\"], \"attention_bias\": false, \"attention_dropout\": 0.0, "
    "\"bos_token_id\": 128000, \"eos_token_id\": 128001, \"hidden_act\": \"silu\", \"hidden_size\": 8192, "
    "\"initializer_range\": 0.02, \"intermediate_size\": 28672, \"max_position_embeddings\": 8192, "
    "\"model_type\": \"llama\", \"num_attention_heads\": 64, \"num_hidden_layers\": 80, \"num_key_value_heads\": 8, "
    "\"pretraining_tp\": 1, \"rms_norm_eps\": 1e-05, \"rope_scaling\": null, \"rope_theta\": 500000.0, "
    "\"tie_word_embeddings\": false, \"torch_dtype\": \"bfloat16\", \"use_cache\": true, \"vocab_size\": 128256}";

/* Arguments: read only after bench_setup(). */
static dtc_model model;
static dtc_cluster cluster;
static dtc_plan plan;      /* 4 stages */
static dtc_plan plan_16;   /* 16 stages */
static dtc_plan open_plan; /* degrees to be found */
static dtc_error refusal;  /* an error with nearest legal values */

/* 512 GPUs on 64 nodes for the launchers. */
enum { NODES = 64, TASKS = 512 };
static uint64_t node_cpus[NODES], node_workers[NODES];
static char hosts[NODES * 16], hostfile[NODES * 24];
static dtc_slurm slurm;
static dtc_mpi mpi;

/* tp 8, cp 4, ep 64, pp 16 on 1,048,576 ranks, as Megatron orders them. */
static dtc_layout layout;
static dtc_axis mesh[DTC_MESH_AXES];
static size_t mesh_axes;
static const dtc_group_kind model_parallel = {.axes = 1 | 16, .name = 1}; /* tp and pp */
static const uint64_t coord[] = {1, 0, 1, 2, 3};
static uint64_t leaves[64], ranks[64];
static const dtc_group_kind fast_axis = {.axes = 1};
static const dtc_axis small_mesh[] = {{DTC_AXIS_NAME_TP, 0, 8, 0}, {DTC_AXIS_NAME_DP, 0, 8, 0}};

/* Results. */
static dtc_layout layout_out;
static dtc_axis axes_out[DTC_MESH_AXES];
static dtc_group_kind kinds[64];
static dtc_group group, groups[64];
static dtc_placement placement;
static uint64_t numbers[64];
static uint32_t table[BENCH_RANKS * DTC_MESH_AXES];
static dtc_task tasks[TASKS];
static dtc_model model_out;
static dtc_cluster cluster_out;
static dtc_plan plan_out;
static dtc_params params;
static dtc_tensor tensor;
static dtc_stage stage = {.struct_size = sizeof stage};
static dtc_model_states states;
static dtc_memory memory, memories[16];
static dtc_memory_held held[12] = {{.struct_size = sizeof *held}};
static dtc_memory_term terms[128];
static dtc_min_gpus fit;
static dtc_max_setting most;
static dtc_memory_remedy remedies[32];
static const dtc_estimator_call estimator_call = {.struct_size = sizeof estimator_call,
                                                  .estimator = DTC_ESTIMATOR_MEGATRON};
static dtc_estimator_result estimate;
static dtc_error err, findings[32];
static dtc_ledger_row rows[64];
static uint64_t count;
static size_t size;
static double flops;
static char text[512];

volatile uintptr_t bench_kept;

/* For functions that cannot fail. */
static dtc_status keep(uintptr_t value)
{
  bench_kept = value;
  return DTC_OK;
}

#define KEEP(value) keep((uintptr_t)(value))

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_cluster_count, KEEP(dtc_cluster_count()))                                                                      \
  X(dtc_cluster_find, dtc_cluster_find("dgx-h100", &cluster_out, &err))                                                \
  X(dtc_cluster_name, KEEP(dtc_cluster_name(3)))                                                                       \
  X(dtc_cluster_resolve, dtc_cluster_resolve(&cluster, &cluster_out, &err))                                            \
  X(dtc_cluster_source, KEEP(dtc_cluster_source(3)))                                                                   \
  X(dtc_error_format, KEEP(dtc_error_format(&refusal, DTC_LANG_EN, text, sizeof text)))                                \
  X(dtc_field_name, KEEP(dtc_field_name(DTC_FIELD(plan, seq))))                                                        \
  X(dtc_gpu_count, KEEP(dtc_gpu_count()))                                                                              \
  X(dtc_gpu_find, dtc_gpu_find("h100-80gb", &cluster_out, &err))                                                       \
  X(dtc_gpu_name, KEEP(dtc_gpu_name(3)))                                                                               \
  X(dtc_gpu_source, KEEP(dtc_gpu_source(3)))                                                                           \
  X(dtc_group_kind_text, dtc_group_kind_text(&model_parallel, text, sizeof text, &size, &err))                         \
  X(dtc_layout_from_plan, dtc_layout_from_plan(&model, &cluster, &plan, &layout_out, &err))                            \
  X(dtc_layout_groups, dtc_layout_groups(&layout, 777777, groups, 64, &size, &err))                                    \
  X(dtc_layout_kinds, dtc_layout_kinds(&layout, kinds, 64, &size, &err))                                               \
  X(dtc_layout_mesh, dtc_layout_mesh(&layout, DTC_MESH_PART_EXPERTS, axes_out, DTC_MESH_AXES, &size, &err))            \
  X(dtc_layout_resolve, dtc_layout_resolve(&layout, &layout_out, &err))                                                \
  X(dtc_ledger_rows, dtc_ledger_rows(&model, &plan, DTC_LAYER_KIND_DENSE, rows, 64, &size, &err))                      \
  X(dtc_memory_estimate, dtc_memory_estimate(&model, &cluster, &plan, NULL, 0, &memory, &err))                         \
  X(memory_16_stages, dtc_memory_estimate(&model, &cluster, &plan_16, NULL, 0, &memory, &err))                         \
  X(dtc_memory_max_micro_batch, dtc_memory_max_micro_batch(&model, &cluster, &plan, NULL, 0, &most, &err))             \
  X(dtc_memory_max_seq, dtc_memory_max_seq(&model, &cluster, &plan, NULL, 0, &most, &err))                             \
  X(dtc_memory_framework_estimate, dtc_memory_framework_estimate(&estimator_call, &model, &plan, &estimate, &err))     \
  X(dtc_memory_min_gpus, dtc_memory_min_gpus(&model, &cluster, &open_plan, &fit, &plan_out, &err))                     \
  X(dtc_memory_remedies, dtc_memory_remedies(&model, &cluster, &plan, NULL, 0, remedies, 32, &size, &err))             \
  X(dtc_memory_remedy_plan,                                                                                            \
    dtc_memory_remedy_plan(&model, &cluster, &plan, DTC_REMEDY_RECOMPUTE_FULL, &plan_out, &err))                       \
  X(dtc_memory_moments, dtc_memory_moments(&model, &cluster, &plan, 0, NULL, 0, held, 12, &size, &err))                \
  X(dtc_memory_stages, dtc_memory_stages(&model, &cluster, &plan, NULL, 0, memories, 16, &size, &err))                 \
  X(dtc_memory_term_text, KEEP(dtc_memory_term_text(3, DTC_LANG_EN)))                                                  \
  X(dtc_memory_terms, dtc_memory_terms(&model, &cluster, &plan, 0, NULL, 0, terms, 128, &size, &err))                  \
  X(dtc_memory_states, dtc_memory_states(2204928256, &plan, &states, &err))                                            \
  X(dtc_mesh_coord, dtc_mesh_coord(mesh, mesh_axes, 0, 777777, numbers, 64, &size, &err))                              \
  X(dtc_mesh_group_of, dtc_mesh_group_of(mesh, mesh_axes, 0, &model_parallel, 777777, &group, &err))                   \
  X(dtc_mesh_listed, dtc_mesh_listed(small_mesh, 2, ranks, 64, &fast_axis, 9, &group, &count, &err))                   \
  X(dtc_mesh_member, dtc_mesh_member(mesh, mesh_axes, 0, &model_parallel, 777, 77, &count, &err))                      \
  X(dtc_mesh_placement, dtc_mesh_placement(mesh, mesh_axes, 0, &model_parallel, 8, &placement, &err))                  \
  X(dtc_mesh_rank, dtc_mesh_rank(mesh, mesh_axes, 0, coord, mesh_axes, &count, &err))                                  \
  X(dtc_mesh_table,                                                                                                    \
    dtc_mesh_table(mesh, mesh_axes, 0, BENCH_RANKS, table, sizeof table / sizeof table[0], &size, &err))               \
  X(dtc_mesh_world, dtc_mesh_world(mesh, mesh_axes, &count, &err))                                                     \
  X(dtc_model_count, KEEP(dtc_model_count()))                                                                          \
  X(dtc_model_find, dtc_model_find("llama-3-70b", &model_out, &err))                                                   \
  X(dtc_model_flops, dtc_model_flops(&model, 4096, DTC_FLOPS_MEGATRON, &flops, &err))                                  \
  X(dtc_model_from_hf, dtc_model_from_hf(config, sizeof config - 1, &model_out, &err))                                 \
  X(dtc_model_name, KEEP(dtc_model_name(3)))                                                                           \
  X(dtc_model_params, dtc_model_params(&model, &params, &err))                                                         \
  X(dtc_model_resolve, dtc_model_resolve(&model, &model_out, &err))                                                    \
  X(dtc_model_source, KEEP(dtc_model_source(3)))                                                                       \
  X(dtc_model_tensor, dtc_model_tensor(&model, 500, &tensor, &err))                                                    \
  X(dtc_model_tensor_count, dtc_model_tensor_count(&model, &count, &err))                                              \
  X(dtc_model_tensor_name, dtc_model_tensor_name(&model, 500, text, sizeof text, &size, &err))                         \
  X(dtc_order_parse, dtc_order_parse("tp-cp-ep-dp-pp", 14, &count, &err))                                              \
  X(dtc_plan_check, dtc_plan_check(&model, &cluster, &plan, findings, 32, &size, &err))                                \
  X(dtc_plan_format, dtc_plan_format("llama-3-70b", &plan, text, sizeof text, &size, &err))                            \
  X(dtc_plan_parse, dtc_plan_parse(plan_text, sizeof plan_text - 1, NULL, &plan_out, &err))                            \
  X(dtc_plan_resolve, dtc_plan_resolve(&model, &cluster, &plan, &plan_out, &err))                                      \
  X(dtc_plan_stage, dtc_plan_stage(&model, &plan, 2, &stage, &err))                                                    \
  X(dtc_ring_crossings, dtc_ring_crossings(leaves, 64, &count, &err))                                                  \
  X(dtc_ring_order, dtc_ring_order(leaves, 64, numbers, 64, &size, &err))                                              \
  X(dtc_struct_size, KEEP(dtc_struct_size(DTC_STRUCT_plan)))                                                           \
  X(dtc_tasks_c10d, dtc_tasks_c10d(hosts, strlen(hosts), node_workers, NODES, tasks, TASKS, &size, &err))              \
  X(dtc_tasks_deepspeed, dtc_tasks_deepspeed(hostfile, strlen(hostfile), tasks, TASKS, &size, &err))                   \
  X(dtc_tasks_mpi, dtc_tasks_mpi(&mpi, tasks, TASKS, &size, &err))                                                     \
  X(dtc_tasks_slurm, dtc_tasks_slurm(&slurm, node_cpus, NODES, NULL, 0, NULL, 0, tasks, TASKS, &size, &err))           \
  X(dtc_tasks_torchrun, dtc_tasks_torchrun(node_workers, NODES, tasks, TASKS, &size, &err))                            \
  X(dtc_value_name, KEEP(dtc_value_name(DTC_FIELD(plan, sharding), DTC_SHARDING_ZERO2)))                               \
  X(dtc_version, KEEP(dtc_version()))                                                                                  \
  X(dtc_version_string, KEEP(dtc_version_string()))

ENTRIES(BENCH_DEFINE)

const bench_entry bench_entries[] = {ENTRIES(BENCH_ROW)};
const size_t bench_entries_count = sizeof bench_entries / sizeof *bench_entries;

static int parse(const char *line, dtc_plan *out)
{
  DTC_INIT(out);
  return dtc_plan_parse(line, strlen(line), NULL, out, &err) == DTC_OK;
}

/* 64 nodes of 8 GPUs. */
static void set_up_nodes(void)
{
  char *host = hosts, *line = hostfile;
  DTC_INIT(&slurm);
  slurm.distribution = DTC_DISTRIBUTION_BLOCK;
  slurm.ntasks_per_node = 8;
  DTC_INIT(&mpi);
  mpi.map = DTC_MPI_BY_SOCKET;
  mpi.sockets = 2;
  mpi.nodes = NODES;
  mpi.slots = 8;
  for (int i = 0; i < NODES; i++) {
    node_cpus[i] = 96;
    node_workers[i] = 8;
    host += snprintf(host, 16, "node%d\n", i);
    line += snprintf(line, 24, "node%d slots=8\n", i);
  }
}

static int set_up_ranks(void)
{
  DTC_INIT(&layout);
  DTC_INIT(&layout_out);
  DTC_INIT(&placement);
  layout.world = 1048576;
  layout.tp = 8;
  layout.cp = 4;
  layout.ep = 64;
  layout.etp = 1;
  layout.pp = 16;
  for (uint64_t i = 0; i < 64; i++) {
    leaves[i] = i % 7;
    ranks[i] = 63 - i;
  }
  return dtc_layout_mesh(&layout, DTC_MESH_PART_DENSE, mesh, DTC_MESH_AXES, &mesh_axes, &err) == DTC_OK;
}

int bench_setup(void)
{
  set_up_nodes();
  DTC_INIT(&err);
  DTC_INIT(&refusal);
  DTC_INIT(&model);
  DTC_INIT(&model_out);
  DTC_INIT(&cluster);
  DTC_INIT(&cluster_out);
  DTC_INIT(&plan_out);
  DTC_INIT(&params);
  DTC_INIT(&tensor);
  DTC_INIT(&states);
  DTC_INIT(&memory);
  DTC_INIT(&memories[0]);
  DTC_INIT(&fit);
  DTC_INIT(&most);
  DTC_INIT(&estimate);
  DTC_INIT(&findings[0]);
  if (dtc_model_find("llama-3-70b", &model, &err) != DTC_OK || dtc_cluster_find("dgx-h100", &cluster, &err) != DTC_OK)
    return 0;
  if (!parse(plan_text, &plan) || !parse(plan_text_16, &plan_16) || !parse("megatron mbs=1 seq=4096", &open_plan))
    return 0;
  plan_out = plan;
  plan_out.tp = 7; /* does not divide the 64 heads */
  if (dtc_plan_resolve(&model, &cluster, &plan_out, &plan_out, &refusal) == DTC_OK)
    return 0;
  return set_up_ranks();
}
