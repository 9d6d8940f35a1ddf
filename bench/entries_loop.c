/* Loops over rows as a C program writes them, from columns to an array: Python's batch forms are held against them. */
#include "bench.h"

enum { ROWS = 16384 };

static dtc_model llama3, llama2;
static dtc_cluster cluster;
static dtc_plan memory_plan, step_plan;
static dtc_collective_call call;
static dtc_axis mesh[DTC_MESH_AXES];
static size_t axes;
static const dtc_group_kind model_parallel = {.axes = 1 | 16, .name = 1};
static uint64_t tp[ROWS], bytes[ROWS], ranks[ROWS], coords[ROWS][DTC_MESH_AXES];
static uint64_t rows = ROWS;
static dtc_memory memories[ROWS];
static dtc_step steps[ROWS];
static dtc_collective_time times[ROWS];
static dtc_group groups[ROWS];

static dtc_status loop_memory(void)
{
  dtc_status status = DTC_OK;
  for (size_t i = 0; i < ROWS; i++) {
    memory_plan.tp = tp[i];
    DTC_INIT(&memories[i]);
    status |= dtc_memory_estimate(&llama3, &cluster, &memory_plan, NULL, 0, &memories[i], NULL);
  }
  return status;
}

static dtc_status loop_step(void)
{
  dtc_status status = DTC_OK;
  for (size_t i = 0; i < ROWS; i++) {
    step_plan.tp = tp[i];
    DTC_INIT(&steps[i]);
    status |= dtc_step_estimate(&llama2, &cluster, &step_plan, NULL, 0, NULL, &steps[i], NULL);
  }
  return status;
}

static dtc_status loop_collective(void)
{
  dtc_status status = DTC_OK;
  for (size_t i = 0; i < ROWS; i++) {
    call.bytes = bytes[i];
    DTC_INIT(&times[i]);
    status |= dtc_collective_estimate(&cluster, &call, &times[i], NULL);
  }
  return status;
}

static dtc_status loop_mesh_coord(void)
{
  dtc_status status = DTC_OK;
  size_t count = 0;
  for (size_t i = 0; i < ROWS; i++)
    status |= dtc_mesh_coord(mesh, axes, 0, ranks[i], coords[i], DTC_MESH_AXES, &count, NULL);
  return status;
}

static dtc_status loop_mesh_rank(void)
{
  dtc_status status = DTC_OK;
  for (size_t i = 0; i < ROWS; i++)
    status |= dtc_mesh_rank(mesh, axes, 0, coords[i], axes, &ranks[i], NULL);
  return status;
}

static dtc_status loop_mesh_group_of(void)
{
  dtc_status status = DTC_OK;
  for (size_t i = 0; i < ROWS; i++)
    status |= dtc_mesh_group_of(mesh, axes, 0, &model_parallel, ranks[i], &groups[i], NULL);
  return status;
}

#define LOOPS(X) X(memory) X(step) X(collective) X(mesh_coord) X(mesh_rank) X(mesh_group_of)
#define ROW(name) {"loop_" #name, loop_##name, &rows},
const bench_entry bench_loops[] = {LOOPS(ROW)};
const size_t bench_loops_count = sizeof bench_loops / sizeof bench_loops[0];

static int parse(const char *text, dtc_plan *plan)
{
  DTC_INIT(plan);
  return dtc_plan_parse(text, strlen(text), NULL, plan, NULL) == DTC_OK;
}

/* The arguments are those of the Python program in scripts/bench. */
int bench_setup_loops(void)
{
  static const dtc_layout layout = {
      .struct_size = sizeof layout, .world = 1048576, .tp = 8, .cp = 4, .ep = 64, .etp = 1, .pp = 16};
  DTC_INIT(&llama3);
  DTC_INIT(&llama2);
  DTC_INIT(&cluster);
  DTC_INIT(&call);
  call.op = DTC_COLLECTIVE_ALL_REDUCE;
  call.ranks = 64;
  for (uint64_t i = 0; i < ROWS; i++) {
    tp[i] = 8;
    bytes[i] = (i + 1) << 16;
    ranks[i] = i * 61;
  }
  return dtc_model_find("llama-3-70b", &llama3, NULL) == DTC_OK &&
         dtc_model_find("llama-2-70b", &llama2, NULL) == DTC_OK &&
         dtc_cluster_find("dgx-h100", &cluster, NULL) == DTC_OK &&
         parse("megatron pp=4 dp=16 mbs=1 gbs=1024 seq=4096 recompute=selective", &memory_plan) &&
         parse("megatron pp=4 dp=2 gbs=256 recompute=selective", &step_plan) &&
         dtc_layout_mesh(&layout, DTC_MESH_PART_DENSE, mesh, DTC_MESH_AXES, &axes, NULL) == DTC_OK;
}
