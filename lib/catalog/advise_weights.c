/* What advice looks at, and what weighs how much. A score is speed * shortest / seconds, less code, work and what is beyond the
 * wishes, and the weights of the reasons. For itself a kind of change of the code is worth 4 % of a step, when throughput counts
 * 1 %, when simplicity does half of it; what does not run stands behind whatever runs. */
#include "internal/advise.h"

#define BIT(kind, value) (1u << DTC_##kind##_##value)
#define REASON(name, fast, simple, english, chinese)                                                                   \
  {                                                                                                                    \
    .reason = DTC_REASON_##name, .weight = {fast, fast, simple}, .en = english, .zh = chinese                          \
  }

const dtci_reason_row dtci_reasons[] = {
    REASON(FASTEST, 0, 0, "shortest step", "单步最短"),
    REASON(NEAR, 0, 0, "within a tenth of the shortest step", "与最短单步相差不到一成"),
    REASON(WHOLE, 3, 10, "each GPU holds the whole model: nothing is sharded", "单卡放得下整个模型，无需切分"),
    REASON(NO_CODE, 0, 0, "script and model stay as they are", "脚本和模型无需改动"),
    REASON(ONE_FILE, 0, 5, "one file sets everything", "一个文件即可完成全部设置"),
    REASON(LITTLE_WORK, 0, 0, "nothing to choose", "几乎没有要选的参数"),
    REASON(EXPERTS, 5, 5, "experts are split over ranks", "支持专家并行"),
    REASON(VENDOR, 0, 0, "runs on these GPUs", "支持该厂商的 GPU"),
    REASON(IN_USE, 15, 15, "already in use", "正在使用"),
    REASON(PRECISION, 0, 0, "has the precision of the plan", "支持方案的精度"),
    REASON(NO_FIT, -1000, -1000, "nothing fits", "放不下"),
    REASON(NO_PLAN, -2000, -2000, "no legal plan, or none that is modelled", "没有合法或可估算的方案"),
    REASON(NO_VENDOR, -4000, -4000, "does not run on these GPUs", "不支持该厂商的 GPU"),
    REASON(FORK, -5, -10, "on these GPUs through another project", "需借助其他项目才能在该厂商的 GPU 上运行"),
    REASON(CODE, 0, 0, "more code changes than wished", "代码改动超出期望"),
    REASON(WORK, 0, 0, "more to operate than wished", "运维工作量超出期望"),
    REASON(SLOWER, 0, 0, "a step takes a quarter longer, or more", "单步时间长出四分之一或更多"),
    REASON(OFFLOADS, -10, -10, "fits with offloading alone", "必须卸载才放得下"),
    REASON(NO_EXPERTS, -5, -5, "every rank works on all experts", "每个 rank 计算全部专家"),
    REASON(STALLED, -20, -20, "not worked on any more", "已停止维护"),
    REASON(SWITCH, 0, 0, "another one is in use", "正在使用另一个框架"),
    REASON(NO_PRECISION, -10, -10, "has not the precision of the plan", "不支持方案的精度"),
    REASON(FILES, -60, -60, "one file does not do", "一个文件无法完成全部设置"),
};
const uint32_t dtci_reasons_count = sizeof dtci_reasons / sizeof dtci_reasons[0];

const dtci_score_row dtci_scores[] = {
    {.speed = 100, .code = 4, .work = 4, .beyond = 60},
    {.speed = 100, .code = 1, .work = 1, .beyond = 60},  /* throughput */
    {.speed = 30, .code = 15, .work = 15, .beyond = 60}, /* simplicity */
};

enum { DDP, FSDP, DEEPSPEED, MEGATRON, COLOSSALAI, TORCHTITAN }; /* rows of dtci_traits */

const dtci_variant dtci_variants[] = {
    {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_DDP, DDP, BIT(SHARDING, DDP), 0, 0},
    {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_FSDP, FSDP, BIT(SHARDING, FSDP) | BIT(SHARDING, HSDP), 0, 0},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO2, DEEPSPEED, BIT(SHARDING, ZERO1) | BIT(SHARDING, ZERO2), 0,
     BIT(OFFLOAD, OPTIMIZER)},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO3, DEEPSPEED, BIT(SHARDING, ZERO3), 0,
     BIT(OFFLOAD, OPTIMIZER) | BIT(OFFLOAD, PARAMS)},
    {DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_DEFAULT, MEGATRON, 0, 1, 0},
    {DTC_FRAMEWORK_COLOSSALAI, DTC_SHARDING_DEFAULT, COLOSSALAI, 0, 1, 0},
    {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_DEFAULT, TORCHTITAN, 0, 1, 0},
};
const uint32_t dtci_variants_count = sizeof dtci_variants / sizeof dtci_variants[0];
_Static_assert(sizeof dtci_variants / sizeof dtci_variants[0] <= DTCI_VARIANTS, "room for all");
