/* One call per function of search.h: plans of GPT-3 175B on 4,096 GPUs of DGX H100, of a batch of 1,536 sequences. Rates:
 * all of that space with degrees of any size, and all plans of Llama-2 7B on 256 GPUs, none of them pruned. */
#include "bench.h"

enum { KEEP = 10, SCRATCH = 1 << 16, PLANS = 4096, ALL = 1 << 15 };

/* Arguments: read only after bench_setup_search(). */
static dtc_model model;
static dtc_cluster cluster;
static dtc_plan plan;
static dtc_space space;
static dtc_found left[KEEP], right[KEEP];
static uint64_t size;
static dtc_model small;
static dtc_cluster few;
static dtc_plan batch;
static dtc_space wide, everything;
static uint64_t wide_size, everything_size;

/* Results. */
static uint64_t size_out, values[256], scratch[SCRATCH];
static size_t count;
static dtc_plan plan_out;
static dtc_cluster cluster_out;
static dtc_space space_out;
static dtc_found best[KEEP], all[ALL];
static dtc_search out;
static uint64_t timed;
static dtc_error err;

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_search_axis,                                                                                                   \
    dtc_search_axis(&model, &cluster, &plan, &space, DTC_SPACE_AXIS_MICRO_BATCH, values, 256, &count, &err))           \
  X(dtc_search_change, dtc_search_change(&model, &cluster, &plan, &space, DTC_SEARCH_KIND_GPUS, 1, &cluster_out,       \
                                         &plan_out, &space_out, &err))                                                 \
  X(dtc_search_merge, dtc_search_merge(left, KEEP, right, KEEP, KEEP, best, KEEP, &count, &err))                       \
  X(dtc_search_plan, dtc_search_plan(&model, &cluster, &plan, &space, size / 2, &plan_out, &err))                      \
  X(dtc_search_run, dtc_search_run(&model, &cluster, &plan, &space, NULL, size / 2, PLANS, best, KEEP, &count, &out,   \
                                   scratch, SCRATCH, &err))                                                            \
  X(dtc_search_scratch, dtc_search_scratch(&size_out, &err))                                                           \
  X(dtc_search_size, dtc_search_size(&model, &cluster, &plan, &space, &size_out, &err))

ENTRIES(BENCH_DEFINE)
const bench_entry bench_search[] = {ENTRIES(BENCH_ROW)};
const size_t bench_search_count = sizeof bench_search / sizeof *bench_search;

/* X(name, the call) */
#define RATES(X)                                                                                                       \
  X(search_gpt3_4096, dtc_search_run(&model, &cluster, &plan, &wide, NULL, 0, wide_size, best, KEEP, &count, &out,     \
                                     scratch, SCRATCH, &err))                                                          \
  X(search_timed, dtc_search_run(&small, &few, &batch, &everything, NULL, 0, everything_size, all, ALL, &count, &out,  \
                                 scratch, SCRATCH, &err))

RATES(BENCH_DEFINE)
const bench_entry bench_search_rates[] = {{"search_gpt3_4096", call_search_gpt3_4096, NULL},
                                          {"search_timed", call_search_timed, &timed}};
const size_t bench_search_rates_count = sizeof bench_search_rates / sizeof *bench_search_rates;

static int setup_rates(void)
{
  DTC_INIT(&small);
  DTC_INIT(&few);
  DTC_INIT(&batch);
  DTC_INIT(&wide);
  DTC_INIT(&everything);
  if (dtc_model_find("llama-2-7b", &small, &err) != DTC_OK || dtc_cluster_find("dgx-h100", &few, &err) != DTC_OK)
    return 0;
  few.nodes = 32;
  batch.global_batch = 1024;
  everything.keep = ALL;
  wide.tp_most = 64;
  wide.pp_most = 1024;
  wide.micro_batch_most = plan.global_batch;
  if (dtc_search_size(&model, &cluster, &plan, &wide, &wide_size, &err) != DTC_OK ||
      dtc_search_size(&small, &few, &batch, &everything, &everything_size, &err) != DTC_OK ||
      call_search_timed() != DTC_OK)
    return 0;
  timed = out.fit;
  return out.pruned == 0;
}

int bench_setup_search(void)
{
  DTC_INIT(&model);
  DTC_INIT(&cluster);
  DTC_INIT(&plan);
  DTC_INIT(&space);
  DTC_INIT(&plan_out);
  DTC_INIT(&cluster_out);
  DTC_INIT(&space_out);
  DTC_INIT(&out);
  DTC_INIT(&err);
  if (dtc_model_find("gpt3-175b", &model, &err) != DTC_OK || dtc_cluster_find("dgx-h100", &cluster, &err) != DTC_OK)
    return 0;
  cluster.nodes = 512;
  plan.global_batch = 1536;
  for (uint64_t i = 0; i < KEEP; i++) {
    left[i] = (dtc_found){2 * i, 1 + (double)i, 1 + (double)i, 1 << 20, 4096};
    right[i] = (dtc_found){2 * i + 1, 1 + (double)i / 2, 1 + (double)i / 2, 1 << 20, 4096};
  }
  return dtc_search_size(&model, &cluster, &plan, &space, &size, &err) == DTC_OK && setup_rates();
}
