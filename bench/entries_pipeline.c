/* One call per function of pipeline.h: 1F1B on 64 ranks with 1,024 micro-batches, 131,072 ops; and what the project
 * promises, ops ordered and simulated in a second: interleaved on as many ranks with 8 chunks each, 1,048,576 ops. */
#include "bench.h"

enum { PP = 64, VPP = 8, MICRO_BATCHES = 1024, OPS = BENCH_OPS, STEPS = 16384, SCRATCH = 1 << 21, LAYERS = 130 };

/* Arguments: read only after bench_setup_pipeline(). */
static dtc_pipe megatron, deepspeed, chunked;
static dtc_model model;
static dtc_cluster cluster;
static dtc_plan plan;
static dtc_pipe_op ops[OPS], chunked_ops[OPS];
static size_t n, n_chunked;
static dtc_pipe_time times[OPS];
static size_t n_times;
static const dtc_pipe_cost cost = {.forward = 10, .input = 12, .weight = 8, .freed_input = 100, .freed_weight = 10};
static dtc_pipe_rank ranks[PP];
static size_t n_ranks;
static dtc_pipe_split split; /* DeepSpeed's by weights: an embedding, 128 layers, a head */
static uint64_t weights[LAYERS];
static dtc_pipe_item items[LAYERS];

/* Results. */
static dtc_pipe pipe_out;
static dtc_pipe_op ops_out[OPS], op;
static dtc_pipe_time times_out[OPS];
static dtc_pipe_rank ranks_out[PP];
static dtc_pipe_totals totals;
static dtc_pipe_held held;
static dtc_pipe_part parts[PP];
static dtc_pipe_gain gain;
static dtc_pipe_step steps[STEPS];
static uint64_t scratch[SCRATCH];
static uint64_t count;
static size_t size;
static dtc_error err;

#define WORK scratch, SCRATCH, &err
#define SIMULATE(pipe, order, n_ops, latency, sends, result, n_result)                                                 \
  dtc_pipe_simulate(&(pipe), order, n_ops, &cost, 1, latency, 0.5, sends, result, OPS, n_result, WORK)

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_pipe_resolve, dtc_pipe_resolve(&megatron, &pipe_out, &err))                                                    \
  X(dtc_pipe_from_plan, dtc_pipe_from_plan(&plan, &pipe_out, &err))                                                    \
  X(dtc_pipe_stage, dtc_pipe_stage(&chunked, 17, 3, &count, &err))                                                     \
  X(dtc_pipe_count, dtc_pipe_count(&megatron, &count, &err))                                                           \
  X(dtc_pipe_scratch, dtc_pipe_scratch(&megatron, &count, &err))                                                       \
  X(dtc_pipe_order, dtc_pipe_order(&megatron, ops_out, OPS, &size, WORK))                                              \
  X(dtc_pipe_op_at, dtc_pipe_op_at(&chunked, 17, 12345, &op, &err))                                                    \
  X(dtc_pipe_inflight, dtc_pipe_inflight(&chunked, 17, &held, &err))                                                   \
  X(dtc_pipe_steps, dtc_pipe_steps(&deepspeed, 17, steps, STEPS, &size, &err))                                         \
  X(dtc_pipe_simulate, SIMULATE(megatron, ops, n, 0.5, DTC_PIPE_SENDS_ASYNC, times_out, &size))                        \
  X(simulate_blocking, SIMULATE(megatron, ops, n, 0.5, DTC_PIPE_SENDS_BLOCKING, times_out, &size))                     \
  X(dtc_pipe_ranks, dtc_pipe_ranks(&megatron, ops, n, &cost, 1, times, n_times, ranks_out, PP, &size, &err))           \
  X(dtc_pipe_sum, dtc_pipe_sum(ranks, n_ranks, &totals, &err))                                                         \
  X(dtc_pipe_layers, dtc_pipe_layers(&split, NULL, 0, weights, LAYERS, parts, PP, &size, WORK))                        \
  X(dtc_pipe_layers_scratch, dtc_pipe_layers_scratch(&split, &count, &err))                                            \
  X(dtc_pipe_balance, dtc_pipe_balance(&megatron, items, LAYERS, 0, parts, PP, &size, &gain, WORK))                    \
  X(dtc_pipe_balance_scratch, dtc_pipe_balance_scratch(&megatron, LAYERS, &count, &err))
#define RATES(X)                                                                                                       \
  X(order_interleaved, dtc_pipe_order(&chunked, ops_out, OPS, &size, WORK))                                            \
  X(simulate_interleaved, SIMULATE(chunked, chunked_ops, n_chunked, 0.5, DTC_PIPE_SENDS_ASYNC, times_out, &size))

ENTRIES(BENCH_DEFINE)
RATES(BENCH_DEFINE)

const bench_entry bench_pipeline[] = {ENTRIES(BENCH_ROW)};
const size_t bench_pipeline_count = sizeof bench_pipeline / sizeof *bench_pipeline;
const bench_entry bench_pipeline_rates[] = {RATES(BENCH_ROW)};
const size_t bench_pipeline_rates_count = sizeof bench_pipeline_rates / sizeof *bench_pipeline_rates;

static int resolve(dtc_pipe *p, dtc_schedule schedule, dtc_framework framework, uint64_t vpp)
{
  DTC_INIT(p);
  p->schedule = schedule;
  p->framework = framework;
  p->pp = PP;
  p->vpp = vpp;
  p->micro_batches = MICRO_BATCHES;
  return dtc_pipe_resolve(p, p, &err) == DTC_OK;
}

int bench_setup_pipeline(void)
{
  static const char line[] = "dtcore: megatron tp=8 pp=4 dp=32 mbs=1 gbs=1024 seq=4096 recompute=selective";
  DTC_INIT(&err);
  DTC_INIT(&pipe_out);
  DTC_INIT(&split);
  split.splitter = DTC_SPLITTER_BALANCED;
  split.layers = LAYERS;
  split.pp = PP;
  for (size_t i = 0; i < LAYERS; i++) {
    weights[i] = i == 0 || i == LAYERS - 1 ? 3 : 10;
    items[i] = (dtc_pipe_item){.cost = (double)weights[i]};
  }
  DTC_INIT(&model);
  DTC_INIT(&cluster);
  DTC_INIT(&plan);
  if (dtc_model_find("llama-3-70b", &model, &err) != DTC_OK || dtc_cluster_find("dgx-h100", &cluster, &err) != DTC_OK)
    return 0;
  if (dtc_plan_parse(line, sizeof line - 1, NULL, &plan, &err) != DTC_OK ||
      dtc_plan_resolve(&model, &cluster, &plan, &plan, &err) != DTC_OK)
    return 0;
  return resolve(&megatron, DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 1) &&
         resolve(&deepspeed, DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_DEEPSPEED, 1) &&
         resolve(&chunked, DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_MEGATRON, VPP) &&
         dtc_pipe_order(&megatron, ops, OPS, &n, WORK) == DTC_OK &&
         dtc_pipe_order(&chunked, chunked_ops, OPS, &n_chunked, WORK) == DTC_OK &&
         SIMULATE(megatron, ops, n, 0.5, DTC_PIPE_SENDS_ASYNC, times, &n_times) == DTC_OK &&
         dtc_pipe_ranks(&megatron, ops, n, &cost, 1, times, n_times, ranks, PP, &n_ranks, &err) == DTC_OK;
}
