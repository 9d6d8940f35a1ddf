/* A plan as DeepSpeed's ds_config.json: keys as lint_deepspeed.c has them, defaults as deepspeed/runtime/config.py and
 * zero/config.py have them (0.19.8). The script makes the model, its pipeline and the optimizer. */
#include "internal/launch_rows.h"

#define ZO "zero_optimization."
#define STAGE(n) IS(P(sharding), DTC_SHARDING_ZERO##n)
#define ZERO BETWEEN(P(sharding), DTC_SHARDING_ZERO1, DTC_SHARDING_ZERO3)
#define AS_READ BETWEEN(P(cp), 1, 1)

enum { BUCKET = 500000000, LIVE = 1000000000, PERSISTENCE = 100000 };

/* clang-format off */
static const dtci_launch_row rows[] = {
    /* With another parallelism DeepSpeed counts other ranks as data parallel than there are, the more so from a file, where
     * sequence_parallel_size does not count: the total is then left to it. */
    NUMBER("train_batch_size", P(global_batch), AS_READ, IS(P(tp), 1), IS(P(pp), 1)),
    NUMBER("train_micro_batch_size_per_gpu", P(micro_batch), {0}),
    NUMBER("gradient_accumulation_steps", P(accumulation), {0}),
    BARE("bf16.enabled", "true", IS(P(precision), DTC_PRECISION_BF16)),
    BARE("fp16.enabled", "true", IS(P(precision), DTC_PRECISION_FP16)),
    WORD("data_types.grad_accum_dtype", "fp32", IS(P(grad_dtype), DTC_GRAD_DTYPE_FP32), BETWEEN(P(precision), DTC_PRECISION_BF16, DTC_PRECISION_FP16)),
    BARE(ZO "stage", "1", STAGE(1)),
    BARE(ZO "stage", "2", STAGE(2)),
    BARE(ZO "stage", "3", STAGE(3)),
    BARE(ZO "overlap_comm", "true", BETWEEN(P(sharding), DTC_SHARDING_ZERO1, DTC_SHARDING_ZERO2), ON(P(grad_overlap))),
    BARE(ZO "overlap_comm", "false", STAGE(3), OFF(P(grad_overlap))),
    {ZO "reduce_bucket_size", .left = {P(bucket)}, WHEN(ZERO, FROM(P(bucket) | DTCI_GIVEN, 1))},
    {ZO "stage3_max_live_parameters", .left = {P(live)}, WHEN(STAGE(3), FROM(P(live) | DTCI_GIVEN, 1))},
    {ZO "stage3_param_persistence_threshold", .left = {P(persistence)}, WHEN(STAGE(3), FROM(P(persistence) | DTCI_GIVEN, 1))},
    BARE(ZO "stage3_gather_16bit_weights_on_model_save", "true", STAGE(3)),
    WORD(ZO "offload_optimizer.device", "cpu", BETWEEN(P(offload), DTC_OFFLOAD_OPTIMIZER, DTC_OFFLOAD_PARAMS)),
    BARE(ZO "offload_optimizer.pin_memory", "true", BETWEEN(P(offload), DTC_OFFLOAD_OPTIMIZER, DTC_OFFLOAD_PARAMS)),
    WORD(ZO "offload_param.device", "cpu", IS(P(offload), DTC_OFFLOAD_PARAMS)),
    BARE(ZO "offload_param.pin_memory", "true", IS(P(offload), DTC_OFFLOAD_PARAMS)),
    NUMBER("tensor_parallel.autotp_size", P(tp), FROM(P(tp), 2)),
    BARE("expert_parallel.enabled", "true", FROM(P(ep), 2)),
    NUMBER("expert_parallel.autoep_size", P(ep), FROM(P(ep), 2)),
    NUMBER("expert_parallel.expert_tensor_parallel_size", P(etp), FROM(P(etp), 2)),
    BARE("activation_checkpointing.cpu_checkpointing", "true", ON(P(offload_activations))),
};

static const dtci_launch_limit limits[] = {
    /* Where the drives are is not part of a plan. */
    {P(offload), .min = 0, .max = DTC_OFFLOAD_PARAMS},
    MASK(P(precision), BIT(DTC_PRECISION_BF16) | BIT(DTC_PRECISION_FP16) | BIT(DTC_PRECISION_FP32)),
    {P(grad_dtype), .min = DTC_GRAD_DTYPE_FP32, .max = DTC_GRAD_DTYPE_FP32, WHEN(IS(P(precision), DTC_PRECISION_FP32))},
    {P(tp), .min = 1, .max = 1, WHEN(STAGE(3))},
    {P(tp), .min = 1, .max = 1, WHEN(FROM(P(pp), 2))},
    {P(ep), .until = 19003, .min = 1, .max = 1},
};
/* clang-format on */

/* The pipeline is the script's, PipelineModule, and so are the groups of Ulysses. */
static const uint32_t others[] = {P(pp), P(schedule), P(cp)};

void dtci_launch_deepspeed(dtci_launch_form *f)
{
  FILL(f);
  f->style = DTCI_STYLE_JSON;
  f->least = 15000;
}
