/* memory_deepspeed_zero2, memory_deepspeed_zero3: DeepSpeed's own estimators. */
#include "golden.h"

#include <stdlib.h>

static dtc_bool on_or_off(const golden *g, const char *column)
{
  return golden_number(g, column) != 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

static void run(golden *g, dtc_estimator estimator)
{
  dtc_estimator_call call;
  dtc_estimator_result got;
  dtc_error err;
  DTC_INIT(&call);
  DTC_INIT(&got);
  DTC_INIT(&err);
  call.estimator = estimator;
  call.params = golden_number(g, "total_params");
  call.layer_params = golden_number(g, "largest_layer_params");
  call.gpus_per_node = golden_number(g, "num_gpus_per_node");
  call.nodes = golden_number(g, "num_nodes");
  call.offload = on_or_off(g, "cpu_offload");
  call.offload_params = on_or_off(g, "cpu_offload_params");
  call.zero_init = on_or_off(g, "zero_init");
  call.buffer = strtod(golden_cell(g, "additional_buffer_factor"), NULL);
  if (!golden_ok(g, dtc_memory_framework_estimate(&call, NULL, NULL, &got, &err), &err))
    return;
  golden_u64(g, "cpu_mem_bytes", (uint64_t)got.host);
  golden_u64(g, "gpu_mem_bytes", (uint64_t)got.gpu);
  golden_u64(g, "largest_layer_memory_bytes", (uint64_t)got.layer);
}

void golden_memory_deepspeed_zero2(golden *g)
{
  run(g, DTC_ESTIMATOR_DEEPSPEED_ZERO2);
}

void golden_memory_deepspeed_zero3(golden *g)
{
  run(g, DTC_ESTIMATOR_DEEPSPEED_ZERO3);
}
