/* What each framework does when nothing is said.
 * Sources: Megatron-LM d98e8a64 docs/user-guide/features/dist_optimizer.md and megatron/training/arguments.py; DeepSpeed
 * 0.19.8 runtime/zero/stage_1_and_2.py, stage3.py and runtime/config.py (reduce_bucket_size 5e8, max_live_parameters 1e9,
 * sub_group_size 1e9; fp32 training keeps an fp32 master partition too); PyTorch 2.x torch/nn/parallel/distributed.py
 * (buckets are a second copy of the gradients), torch/amp/autocast_mode.py (16-bit copies of the weights), torch/optim
 * (foreach: one copy of the parameters during a step); TorchTitan 0.3.0 (fused Adam, a rotary table in every attention
 * module, FSDP units); ColossalAI 0.5.0 zero/low_level; Aleph Alpha's scaling 0.1.0
 * core/optimizer. */
#include "internal/catalog.h"
#include "internal/plan.h"
#include "internal/layer_split.h"

/* Reserved over allocated, and how much lower and higher allocated and reserved may be, in thousandths: ranges that hold nine
 * of ten measured values of a framework's sets (doc/accuracy.md), rounded outward. CUDA context and kernels take 0.5 to
 * 1.8 GiB (stas00/ml-engineering, training/performance). */
#define SLACK(ratio, allocated_low, allocated_high, reserved_low, reserved_high)                                       \
  .slack = ratio, .accuracy = {allocated_low, allocated_high}, .spread = {reserved_low, reserved_high},                \
  .context = DTCI_GIB(1), .beside = {512, 1536}

/* torch.distributed takes 1 to 2 GiB (the same source). */
#define COMMUNICATORS .nccl_node = DTCI_GIB(1), .nccl = DTCI_GIB(1)

const dtci_framework_row dtci_frameworks[] = {
    [DTC_FRAMEWORK_PYTORCH] = {.version = 2015000,
                               .sharding = DTC_SHARDING_DDP,
                               .sequence_parallel = DTC_BOOL_OFF,
                               .form = DTCI_FORM_HF,
                               .terms = DTCI_TERMS_TORCH,
                               .weight = {4, 4, 4, 2, 4},
                               .gradient = {4, 4, 4, 2, 4},
                               .autocast = 1,
                               .foreach = 1,
                               .grad_overlap = 2,
                               /* Allocated, of LitGPT and torchtune: 54 of 60. */
                               SLACK(1040, 45, 105, 130, 80),
                               COMMUNICATORS},
    [DTC_FRAMEWORK_DEEPSPEED] = {.version = 19008,
                                 .sharding = DTC_SHARDING_ZERO1,
                                 .sequence_parallel = DTC_BOOL_OFF,
                                 .form = DTCI_FORM_HF,
                                 .terms = DTCI_TERMS_DEEPSPEED,
                                 .weight = {2, 2, 4, 2, 2},
                                 .gradient = {2, 2, 4, 2, 2},
                                 .master = {4, 4, 4, 0, 4},
                                 .bucket = 500000000,
                                 .live = 1000000000,
                                 .step_group = 1000000000,
                                 .prefetch = 50000000,
                                 .persistence = 100000,
                                 .grad_overlap = 1,
                                 /* What nvidia-smi showed of 113 stages of BigScience, with the range beside reserved:
                                  * nine of ten. No allocated is published. */
                                 SLACK(1120, 80, 35, 80, 35),
                                 .nccl_node = DTCI_GIB(1) / 2,
                                 .nccl = DTCI_GIB(5)},
    [DTC_FRAMEWORK_MEGATRON] = {.version = 20000,
                                .sharding = DTC_SHARDING_DISTOPT,
                                .sequence_parallel = DTC_BOOL_OFF,
                                .form = DTCI_FORM_TE,
                                .terms = DTCI_TERMS_MEGATRON,
                                .vocab_multiple = 128,
                                .fused_norm = 1,
                                .expert_tp = 1,
                                .trains_mtp = 1,
                                .megatron = 1,
                                .split = DTCI_SPLIT_MEGATRON,
                                .weight = {2, 2, 4, 2, 2},
                                .gradient = {4, 2, 4, 2, 4},
                                .master = {4, 4, 0, 0, 4},
                                /* 96 % of 557 logged peaks of Megatron's functional tests. Reserved over
                                 * allocated of 23 stages on B200: median 1.052, 1.017 to 1.093; with the range
                                 * of allocated. */
                                SLACK(1052, 20, 55, 45, 70),
                                COMMUNICATORS},
    [DTC_FRAMEWORK_COLOSSALAI] = {.version = 5000,
                                  .sharding = DTC_SHARDING_ZERO1,
                                  .sequence_parallel = DTC_BOOL_OFF,
                                  .form = DTCI_FORM_HF,
                                  .terms = DTCI_TERMS_COLOSSALAI,
                                  .weight = {2, 2, 4, 2, 2},
                                  .gradient = {2, 2, 4, 2, 2},
                                  .master = {4, 4, 0, 0, 4},
                                  .bucket = 12 << 20,
                                  .split = DTCI_SPLIT_COLOSSALAI,
                                  .grad_overlap = 2,
                                  /* Nothing is published: Megatron's reserved over allocated, DeepSpeed's range. */
                                  SLACK(1052, 80, 35, 80, 35),
                                  COMMUNICATORS},
    [DTC_FRAMEWORK_TORCHTITAN] =
        {.version = 3000,
         .sharding = DTC_SHARDING_FSDP,
         .sequence_parallel = DTC_BOOL_ON,
         .form = DTCI_FORM_TT,
         .fused_norm = 2000,
         .terms = DTCI_TERMS_TORCH,
         .weight = {4, 4, 4, 2, 4},
         .gradient = {4, 4, 4, 2, 4},
         .autocast = 1,
         .head_unit = 1,
         .rope_tables = 1,
         .split = DTCI_SPLIT_TORCHTITAN,
         .grad_overlap = 2,
         /* Reserved beside the pools that terms name, of TorchTitan and torchao: 34 of 37; five
                                   * of them, of a newer PyTorch, are the low ones. No allocated is published: it is no
                                   * better known. */
         SLACK(1040, 130, 80, 130, 80),
         COMMUNICATORS},
    [DTC_FRAMEWORK_SCALING] = {.version = 1000,
                               .sharding = DTC_SHARDING_ZERO1,
                               .sequence_parallel = DTC_BOOL_OFF,
                               .form = DTCI_FORM_SCALING,
                               .terms = DTCI_TERMS_SCALING,
                               .weight = {2, 2, 4, 2, 2},
                               .gradient = {2, 2, 4, 2, 2},
                               .master = {4, 4, 0, 0, 4},
                               .foreach = 1,
                               /* Its runs are known at the limit, where the allocator gives back what it caches:
                                * whether they fit. Of 25 wrong verdicts of 638, 15 are within a tenth of it. */
                               SLACK(1020, 100, 100, 100, 100),
                               COMMUNICATORS},
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
