/* What a search tries of each framework, where the caller leaves it open: the schedules that it has with a closed form of
 * memory and time. */
#include "internal/search.h"

#define BIT(kind, value) (1u << DTC_##kind##_##value)

const dtci_space_row dtci_spaces[] = {
    [DTC_FRAMEWORK_PYTORCH] = {BIT(SHARDING, DDP) | BIT(SHARDING, FSDP) | BIT(SHARDING, HSDP), BIT(SCHEDULE, 1F1B),
                               BIT(RECOMPUTE, NONE) | BIT(RECOMPUTE, FULL)},
    [DTC_FRAMEWORK_DEEPSPEED] = {BIT(SHARDING, ZERO1) | BIT(SHARDING, ZERO2) | BIT(SHARDING, ZERO3),
                                 BIT(SCHEDULE, 1F1B), BIT(RECOMPUTE, NONE) | BIT(RECOMPUTE, FULL)},
    [DTC_FRAMEWORK_MEGATRON] = {BIT(SHARDING, DDP) | BIT(SHARDING, DISTOPT),
                                BIT(SCHEDULE, 1F1B) | BIT(SCHEDULE, INTERLEAVED),
                                BIT(RECOMPUTE, NONE) | BIT(RECOMPUTE, SELECTIVE) | BIT(RECOMPUTE, FULL)},
    [DTC_FRAMEWORK_COLOSSALAI] = {BIT(SHARDING, DDP) | BIT(SHARDING, ZERO1) | BIT(SHARDING, ZERO2),
                                  BIT(SCHEDULE, 1F1B) | BIT(SCHEDULE, INTERLEAVED),
                                  BIT(RECOMPUTE, NONE) | BIT(RECOMPUTE, FULL)},
    [DTC_FRAMEWORK_TORCHTITAN] = {BIT(SHARDING, DDP) | BIT(SHARDING, FSDP) | BIT(SHARDING, HSDP),
                                  BIT(SCHEDULE, 1F1B) | BIT(SCHEDULE, INTERLEAVED),
                                  BIT(RECOMPUTE, NONE) | BIT(RECOMPUTE, SELECTIVE) | BIT(RECOMPUTE, FULL)},
    [DTC_FRAMEWORK_SCALING] = {BIT(SHARDING, DDP) | BIT(SHARDING, ZERO1), BIT(SCHEDULE, 1F1B),
                               BIT(RECOMPUTE, NONE) | BIT(RECOMPUTE, FULL)},
};
