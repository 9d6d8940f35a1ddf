/* Which formulas a version of a framework's own estimator has.
 * Sources, read in the code of the releases: DeepSpeed 0.5.10, 0.9.5, 0.14.0, 0.14.2, 0.16.0 and 0.19.8,
 * runtime/zero/stage_1_and_2.py and stage3.py, of 0.14.3, 0.14.5 and 0.15.0 the former; pull request 5099 (4P + 16P/N became 2P + 18P/N) is in no release
 * before 0.14.3. Megatron-LM megatron/training/theoretical_memory_usage.py, at d98e8a64 (0.20) and as it was before pull
 * request 4687 (merged 14 May 2026): main was bumped to 0.20 in July 2026, after the branch of 0.19; the branch of 0.18 is
 * of about that May, and whether it has the change is not known, so 0.18 is left out; 0.17 is older. What is before 0.17
 * was not read release by release. accelerate 1.4.0 and 1.15.0, commands/estimate.py; before 1.4 (pull request 3383) it
 * counted weights in the type that the model's config.json names. */
#include "internal/estimator.h"

const dtci_estimator_row dtci_estimators[] = {
    {.estimator = DTC_ESTIMATOR_DEEPSPEED_ZERO2,
     .since = 5010,
     .until = 14003,
     .newest = 19008,
     .whole = 4,
     .shard = 16,
     .needs = DTCI_NEEDS_PARAMS},
    {.estimator = DTC_ESTIMATOR_DEEPSPEED_ZERO2,
     .since = 14003,
     .newest = 19008,
     .whole = 2,
     .shard = 18,
     .needs = DTCI_NEEDS_PARAMS},
    {.estimator = DTC_ESTIMATOR_DEEPSPEED_ZERO3,
     .since = 5010,
     .newest = 19008,
     .shard = 18,
     .needs = DTCI_NEEDS_PARAMS | DTCI_NEEDS_LAYER},
    {.estimator = DTC_ESTIMATOR_MEGATRON, .since = 17000, .until = 18000, .newest = 20000, .needs = DTCI_NEEDS_SHAPE},
    {.estimator = DTC_ESTIMATOR_MEGATRON, .since = 19000, .newest = 20000, .apart = 1, .needs = DTCI_NEEDS_SHAPE},
    {.estimator = DTC_ESTIMATOR_ACCELERATE,
     .since = 1004000,
     .newest = 1015000,
     .needs = DTCI_NEEDS_PARAMS | DTCI_NEEDS_LAYER},
};
const uint32_t dtci_estimators_count = sizeof dtci_estimators / sizeof dtci_estimators[0];

const uint8_t dtci_load_halves[] = {
    [DTC_LOAD_DTYPE_FLOAT32] = 8,
    [DTC_LOAD_DTYPE_FLOAT16] = 4,
    [DTC_LOAD_DTYPE_INT8] = 2,
    [DTC_LOAD_DTYPE_INT4] = 1,
};
