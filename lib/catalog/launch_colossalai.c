/* A plan as ColossalAI's plugin: arguments as lint_colossalai.c has them (0.5). Without another parallelism the sharding
 * has a plugin of its own. */
#include "internal/launch_rows.h"

#define ZERO(n) IS(P(sharding), DTC_SHARDING_ZERO##n)

/* clang-format off */
static const dtci_launch_row rows[] = {
    /* HybridParallelPlugin, MoeHybridParallelPlugin */
    {"tp_size", .left = {P(tp)}, .split = DTCI_LAUNCH_SPLIT},
    {"pp_size", .left = {P(pp)}, .split = DTCI_LAUNCH_SPLIT},
    NUMBER("ep_size", P(ep), FROM(P(ep), 2)),
    {"zero_stage", .kind = DTCI_LAUNCH_BARE, .word = "1", .split = DTCI_LAUNCH_SPLIT, WHEN(ZERO(1))},
    {"zero_stage", .kind = DTCI_LAUNCH_BARE, .word = "2", .split = DTCI_LAUNCH_SPLIT, WHEN(ZERO(2))},
    BARE("enable_sequence_parallelism", "True", ON(P(sequence_parallel)), IS(P(cp), 1)),
    WORD("sequence_parallelism_mode", "split_gather", ON(P(sequence_parallel)), IS(P(cp), 1)),
    BARE("enable_sequence_parallelism", "True", FROM(P(cp), 2)),
    WORD("sequence_parallelism_mode", "all_to_all", FROM(P(cp), 2)),
    NUMBER("sp_size", P(cp), FROM(P(cp), 2)),
    NUMBER("num_microbatches", P(accumulation), FROM(P(pp), 2)),
    WORD("pp_style", "interleaved", FROM(P(pp), 2), IS(P(schedule), DTC_SCHEDULE_INTERLEAVED)),
    NUMBER("num_model_chunks", P(vpp), FROM(P(vpp), 2)),
    {"enable_flash_attention", .kind = DTCI_LAUNCH_BARE, .word = "True", .split = DTCI_LAUNCH_SPLIT, WHEN(IS(P(attention), DTC_ATTENTION_FLASH))},
    {"cpu_offload", .kind = DTCI_LAUNCH_BARE, .word = "True", .split = DTCI_LAUNCH_SPLIT, WHEN(IS(P(offload), DTC_OFFLOAD_OPTIMIZER))},
    /* LowLevelZeroPlugin */
    {"stage", .kind = DTCI_LAUNCH_BARE, .word = "2", .split = DTCI_LAUNCH_ALONE, WHEN(ZERO(2))},
    {"cpu_offload", .kind = DTCI_LAUNCH_BARE, .word = "True", .split = DTCI_LAUNCH_ALONE, WHEN(IS(P(offload), DTC_OFFLOAD_OPTIMIZER), BETWEEN(P(sharding), DTC_SHARDING_ZERO1, DTC_SHARDING_ZERO2))},
    /* GeminiPlugin: with all parameters sharded it is as ZeRO-3 */
    {"placement_policy", .kind = DTCI_LAUNCH_WORD, .word = "static", .split = DTCI_LAUNCH_ALONE, WHEN(ZERO(3))},
    {"shard_param_frac", .kind = DTCI_LAUNCH_BARE, .word = "1.0", .split = DTCI_LAUNCH_ALONE, WHEN(ZERO(3))},
    {"offload_optim_frac", .kind = DTCI_LAUNCH_BARE, .word = "1.0", .split = DTCI_LAUNCH_ALONE, WHEN(ZERO(3), BETWEEN(P(offload), DTC_OFFLOAD_OPTIMIZER, DTC_OFFLOAD_PARAMS))},
    {"offload_param_frac", .kind = DTCI_LAUNCH_BARE, .word = "1.0", .split = DTCI_LAUNCH_ALONE, WHEN(ZERO(3), IS(P(offload), DTC_OFFLOAD_PARAMS))},
    {"extra_dp_size", .left = {P(dp)}, .right = {P(dp_shard)}, .split = DTCI_LAUNCH_ALONE, .unlike = {P(dp), 0, P(dp_shard)}, WHEN(BETWEEN(P(sharding), DTC_SHARDING_ZERO1, DTC_SHARDING_ZERO3))},
    /* all of them but those of PyTorch */
    {"precision", .kind = DTCI_LAUNCH_WORD, .word = "bf16", .split = DTCI_LAUNCH_NO_DDP, WHEN(IS(P(precision), DTC_PRECISION_BF16))},
    {"precision", .kind = DTCI_LAUNCH_WORD, .word = "fp32", .split = DTCI_LAUNCH_NO_DDP, WHEN(IS(P(precision), DTC_PRECISION_FP32))},
};

static const dtci_launch_limit limits[] = {
    {P(dp_shard), .split = DTCI_LAUNCH_ALONE, .min = 1, .max = 1, WHEN(IS(P(sharding), DTC_SHARDING_DDP))},
    MASK(P(sharding), BIT(DTC_SHARDING_DDP) | BIT(DTC_SHARDING_ZERO1) | BIT(DTC_SHARDING_ZERO2) | BIT(DTC_SHARDING_ZERO3)),
    MASK(P(precision), BIT(DTC_PRECISION_BF16) | BIT(DTC_PRECISION_FP16) | BIT(DTC_PRECISION_FP32)),
    MASK(P(schedule), BIT(DTC_SCHEDULE_1F1B) | BIT(DTC_SCHEDULE_INTERLEAVED)),
    {P(tp), .min = 1, .max = 1, WHEN(ZERO(3))},
    {P(pp), .min = 1, .max = 1, WHEN(ZERO(3))},
    {P(cp), .min = 1, .max = 1, WHEN(ZERO(3))},
    {P(ep), .min = 1, .max = 1, WHEN(ZERO(3))},
    {P(ep), .min = 1, .max = 1, WHEN(ZERO(2))},
    {P(cp), .min = 1, .max = 1, WHEN(ON(P(sequence_parallel)))},
    {P(offload), .min = 0, .max = DTC_OFFLOAD_PARAMS},
    /* Of PyTorch's DDP the booster brings the precision, and it has fp16 alone. */
    {P(precision), .split = DTCI_LAUNCH_ALONE, .mask = BIT(DTC_PRECISION_FP16) | BIT(DTC_PRECISION_FP32), WHEN(IS(P(sharding), DTC_SHARDING_DDP))},
    {P(precision), .mask = BIT(DTC_PRECISION_BF16) | BIT(DTC_PRECISION_FP16), WHEN(ZERO(3))},
};
/* clang-format on */

/* The script's: batches, and gradients, which the plugins keep as they do. */
static const uint32_t others[] = {P(micro_batch), P(global_batch)};

void dtci_launch_colossalai(dtci_launch_form *f)
{
  FILL(f);
  f->style = DTCI_STYLE_CALL;
}
