/* One call per function of step.h: Llama 2 70B on 64 GPUs of DGX H100, Mixtral on 32; a hundred measured steps, a run with
 * failures. */
#include "bench.h"

enum { SAMPLES = 100, POINTS = 24, TERMS = 192 };

#define KEEP(expression) (bench_kept = (uintptr_t)(expression), DTC_OK)

/* Arguments: read only after bench_setup_step(). */
static dtc_model model;
static dtc_cluster cluster;
static dtc_plan plan, plan_16, plan_moe;
static dtc_model mixtral;
static dtc_step step;
static dtc_step_params params;
static dtc_step_sample samples[SAMPLES];
static dtc_collective_call collective;
static dtc_timing points[POINTS];
static dtc_run_call run;

/* Results. */
static dtc_step step_out;
static dtc_step_term terms[TERMS];
static dtc_pipe_cost costs[64];
static uint64_t index_out;
static size_t count;
static dtc_step_rate rate;
static dtc_step_sample sample;
static dtc_step_params params_out;
static dtc_step_fitted fitted;
static dtc_run run_out;
static dtc_error err;

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_run_estimate, dtc_run_estimate(&cluster, &run, &run_out, &err))                                                \
  X(dtc_software_count, KEEP(dtc_software_count()))                                                                    \
  X(dtc_software_find, dtc_software_find("torchtitan", &index_out, &err))                                              \
  X(dtc_software_name, KEEP(dtc_software_name(3)))                                                                     \
  X(dtc_software_source, KEEP(dtc_software_source(3)))                                                                 \
  X(dtc_step_costs, dtc_step_costs(&model, &cluster, &plan, NULL, 0, NULL, costs, 64, &count, &err))                   \
  X(dtc_step_estimate, dtc_step_estimate(&model, &cluster, &plan, NULL, 0, NULL, &step_out, &err))                     \
  X(step_16_stages, dtc_step_estimate(&model, &cluster, &plan_16, NULL, 0, NULL, &step_out, &err))                     \
  X(step_moe, dtc_step_estimate(&mixtral, &cluster, &plan_moe, NULL, 0, NULL, &step_out, &err))                        \
  X(dtc_step_fit, dtc_step_fit(samples, SAMPLES, &params, &params_out, &fitted, &err))                                 \
  X(dtc_step_fit_collective,                                                                                           \
    dtc_step_fit_collective(&cluster, &collective, points, POINTS, &params, &params_out, &err))                        \
  X(dtc_step_measure, dtc_step_measure(&step, 10, &sample, &err))                                                      \
  X(dtc_step_rates, dtc_step_rates(&model, &cluster, &plan, DTC_FLOPS_MEGATRON, 10, &rate, &err))                      \
  X(dtc_step_resolve, dtc_step_resolve(&model, &cluster, &plan, NULL, &params_out, &err))                              \
  X(dtc_step_term_text, KEEP(dtc_step_term_text(3, DTC_LANG_EN)))                                                      \
  X(dtc_step_terms, dtc_step_terms(&model, &cluster, &plan, NULL, 0, NULL, terms, TERMS, &count, &err))

ENTRIES(BENCH_DEFINE)
const bench_entry bench_step[] = {ENTRIES(BENCH_ROW)};
const size_t bench_step_count = sizeof bench_step / sizeof *bench_step;

static void make_arguments(void)
{
  plan.framework = DTC_FRAMEWORK_MEGATRON;
  plan.tp = 8;
  plan.pp = 4;
  plan.dp = 2;
  plan.global_batch = 256;
  plan.recompute = DTC_RECOMPUTE_SELECTIVE;
  plan_16 = plan;
  plan_16.pp = 16;
  plan_moe.framework = DTC_FRAMEWORK_MEGATRON;
  plan_moe.ep = plan_moe.dp = 8;
  plan_moe.pp = 4;
  step.dense = 6;
  step.attention = step.elementwise = step.tp = step.bubble = 1;
  params.bf16 = 6e14;
  params.attention = params.communication = params.host = 1;
  collective.op = DTC_COLLECTIVE_ALL_REDUCE;
  collective.ranks = 64;
  run.tokens = 1e12;
  run.step_tokens = 1 << 20;
  run.step_seconds = 10;
  run.gpus = 1024;
  run.mtbf = 5e4;
  run.write_seconds = 30;
  for (uint64_t i = 0; i < SAMPLES; i++)
    samples[i] = (dtc_step_sample){6, (double)(i % 7), 1, (double)(i * 37 % 11), .5, .1, 8 + (double)(i % 13)};
  for (uint64_t i = 0; i < POINTS; i++)
    points[i] = (dtc_timing){(uint64_t)65536 << i % 16, 1e-3 * (double)(1 + i)};
}

int bench_setup_step(void)
{
  DTC_INIT(&model);
  DTC_INIT(&cluster);
  DTC_INIT(&plan);
  DTC_INIT(&plan_moe);
  DTC_INIT(&mixtral);
  DTC_INIT(&step_out);
  DTC_INIT(&step);
  DTC_INIT(&params);
  DTC_INIT(&collective);
  DTC_INIT(&run);
  DTC_INIT(&rate);
  DTC_INIT(&params_out);
  DTC_INIT(&fitted);
  DTC_INIT(&run_out);
  DTC_INIT(&err);
  make_arguments();
  return dtc_model_find("llama-2-70b", &model, &err) == DTC_OK &&
         dtc_model_find("mixtral-8x7b", &mixtral, &err) == DTC_OK &&
         dtc_cluster_find("dgx-h100", &cluster, &err) == DTC_OK;
}
