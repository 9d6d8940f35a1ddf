/* What a plan has when nothing is said, whatever its model and cluster are: a row per field; switches (dtc_bool) without a
 * row are off. What follows from other fields is in lib/plan.c, what frameworks are in frameworks.c, with their sources. */
#include "internal/plan.h"

#define PLAN(x) DTCI_OPERAND(plan, x)
/* Frameworks that the row is for: any, or those that have this column. Of several rows of a field the first one holds. */
#define ANY 0
#define IF(column) offsetof(dtci_framework_row, column)

const dtci_plan_default dtci_plan_defaults[] = {
    {PLAN(tp), 1, ANY},
    {PLAN(cp), 1, ANY},
    {PLAN(pp), 1, ANY},
    {PLAN(vpp), 1, ANY},
    {PLAN(ep), 1, ANY},
    {PLAN(recompute), DTC_RECOMPUTE_NONE, ANY},
    {PLAN(recompute_method), DTC_RECOMPUTE_METHOD_UNIFORM, ANY},
    {PLAN(precision), DTC_PRECISION_BF16, ANY},
    {PLAN(optimizer), DTC_OPTIMIZER_ADAM, ANY},
    {PLAN(optimizer_kernel), DTC_OPTIMIZER_KERNEL_FOREACH, IF(foreach)},
    {PLAN(optimizer_kernel), DTC_OPTIMIZER_KERNEL_FUSED, ANY},
    {PLAN(loss), DTC_LOSS_UPCAST, ANY},
    {PLAN(loss_chunks), 1, ANY},
    {PLAN(dispatcher), DTC_DISPATCHER_ALLTOALL, ANY},
    {PLAN(grouped_gemm), DTC_BOOL_ON, ANY},
    {PLAN(load_percent), 100, ANY},
    {PLAN(transformer_engine), DTC_BOOL_ON, IF(megatron)},
    {PLAN(grad_fusion), DTC_BOOL_ON, IF(megatron)},
    {PLAN(attention_mask), DTC_BOOL_ON, IF(megatron)},
    {PLAN(activation_fusion), DTC_BOOL_ON, ANY},
    {PLAN(reshard), DTC_BOOL_ON, ANY},
    {PLAN(vocab_parallel), DTC_BOOL_ON, ANY},
    {PLAN(tuning), DTC_TUNING_FULL, ANY},
    {PLAN(lora_targets), DTC_LORA_TARGETS_QV, ANY},
    {PLAN(lora_rank), 8, ANY},
    {PLAN(cuda_graph), DTC_CUDA_GRAPH_NONE, ANY},
    {PLAN(fp8_recipe), DTC_FP8_RECIPE_TENSOR, ANY},
};
const uint32_t dtci_plan_defaults_count = sizeof dtci_plan_defaults / sizeof dtci_plan_defaults[0];
