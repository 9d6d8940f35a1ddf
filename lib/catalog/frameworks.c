/* What each framework does when nothing is said.
 * Sources: Megatron-LM d98e8a64 docs/user-guide/features/dist_optimizer.md and megatron/training/arguments.py; DeepSpeed
 * 0.19.8 runtime/zero/stage_1_and_2.py, stage3.py and runtime/config.py (reduce_bucket_size 5e8, max_live_parameters 1e9,
 * sub_group_size 1e9; fp32 training keeps an fp32 master partition too); PyTorch 2.x torch/nn/parallel/distributed.py
 * (buckets are a second copy of the gradients), torch/amp/autocast_mode.py (16-bit copies of the weights), torch/optim
 * (foreach: one copy of the parameters during a step); TorchTitan 0.3.0 (fused Adam, a rotary table in every attention
 * module, FSDP units); ColossalAI 0.5.0 zero/low_level. */
#include "internal/plan.h"
#include "internal/layer_split.h"

const dtci_framework_row dtci_frameworks[] = {
    [DTC_FRAMEWORK_PYTORCH] = {.version = 2015000,
                               .sharding = DTC_SHARDING_DDP,
                               .sequence_parallel = DTC_BOOL_OFF,
                               .form = DTCI_FORM_HF,
                               .weight = {4, 4, 4},
                               .gradient = {4, 4, 4},
                               .autocast = 1,
                               .step = {4, 4, 4},
                               .late_gradients = 1,
                               .ddp_copy = 1},
    [DTC_FRAMEWORK_DEEPSPEED] = {.version = 19008,
                                 .sharding = DTC_SHARDING_ZERO1,
                                 .sequence_parallel = DTC_BOOL_OFF,
                                 .form = DTCI_FORM_HF,
                                 .weight = {2, 2, 4},
                                 .gradient = {2, 2, 4},
                                 .master = {4, 4, 4},
                                 .step = {4, 4, 0},
                                 .bucket = 500000000,
                                 .live = 1000000000,
                                 .step_group = 1000000000},
    [DTC_FRAMEWORK_MEGATRON] = {.version = 20000,
                                .sharding = DTC_SHARDING_DISTOPT,
                                .sequence_parallel = DTC_BOOL_OFF,
                                .form = DTCI_FORM_TE,
                                .vocab_multiple = 128,
                                .expert_tp = 1,
                                .trains_mtp = 1,
                                .te = 1,
                                .split = DTCI_SPLIT_MEGATRON,
                                .weight = {2, 2, 4},
                                .gradient = {4, 2, 4},
                                .master = {4, 4, 0},
                                .step = {0, 4, 0}},
    [DTC_FRAMEWORK_COLOSSALAI] = {.version = 5000,
                                  .sharding = DTC_SHARDING_ZERO1,
                                  .sequence_parallel = DTC_BOOL_OFF,
                                  .form = DTCI_FORM_HF,
                                  .weight = {2, 2, 4},
                                  .gradient = {2, 2, 4},
                                  .master = {4, 4, 0},
                                  .step = {4, 4, 0},
                                  .split = DTCI_SPLIT_COLOSSALAI},
    [DTC_FRAMEWORK_TORCHTITAN] = {.version = 3000,
                                  .sharding = DTC_SHARDING_FSDP,
                                  .sequence_parallel = DTC_BOOL_ON,
                                  .form = DTCI_FORM_TT,
                                  .weight = {4, 4, 4},
                                  .gradient = {4, 4, 4},
                                  .autocast = 1,
                                  .late_gradients = 1,
                                  .ddp_copy = 1,
                                  .head_unit = 1,
                                  .rope_tables = 1,
                                  .split = DTCI_SPLIT_TORCHTITAN},
};

const dtci_sharding_row dtci_shardings[] = {
    [DTC_SHARDING_DDP] = {.framework = DTC_FRAMEWORK_PYTORCH},
    [DTC_SHARDING_ZERO1] = {.framework = DTC_FRAMEWORK_DEEPSPEED, .optimizer = 1},
    [DTC_SHARDING_ZERO2] = {.framework = DTC_FRAMEWORK_DEEPSPEED, .optimizer = 1, .gradients = 1},
    [DTC_SHARDING_ZERO3] = {.framework = DTC_FRAMEWORK_DEEPSPEED, .optimizer = 1, .gradients = 1, .weights = 1},
    [DTC_SHARDING_FSDP] =
        {.framework = DTC_FRAMEWORK_PYTORCH, .optimizer = 1, .gradients = 1, .weights = 1, .units = 1},
    [DTC_SHARDING_HSDP] =
        {.framework = DTC_FRAMEWORK_PYTORCH, .optimizer = 1, .gradients = 1, .weights = 1, .units = 1, .node = 1},
    [DTC_SHARDING_DISTOPT] = {.framework = DTC_FRAMEWORK_MEGATRON, .optimizer = 1, .searches = 1},
};
