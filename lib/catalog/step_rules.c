/* Messages about steps and runs; lib/step*.c and lib/run.c give them. A rule's number is in include/dtcore/step.h. */
#include "internal/rules.h"
#include <dtcore/step.h>

#define TEXT(id, english, chinese)                                                                                     \
  {                                                                                                                    \
    .rule = (id), .en = english, .zh = chinese                                                                         \
  }

const dtci_rule_row dtci_step_rules[] = {
    TEXT(DTC_RULE_RUN_AHEAD,
         "with {got} GPUs failures come faster than the job gets from one checkpoint to the next, or back to work",
         "使用 {got} 个 GPU 时，故障比作业完成一个检查点间隔（或恢复运行）来得更快"),
    TEXT(DTC_RULE_STEP_RESOLVED, "{field} = 0: a fit starts from parameters that dtc_step_resolve() has filled",
         "{field} = 0：拟合须从 dtc_step_resolve() 填好的参数开始"),
    TEXT(DTC_RULE_STEP_POINTS, "points: none of the {got} has a time and {min} bytes or more",
         "points：{got} 个点中没有一个既有时间又不小于 {min} 字节"),
    TEXT(DTC_RULE_STEP_PEAK, "the cluster does not say {field}, the dense peak of the plan's precision",
         "集群没有给出 {field}，即该精度的稠密峰值"),
    TEXT(DTC_RULE_STEP_MEMORY, "the cluster does not say {field}, which element-wise work is counted in",
         "集群没有给出 {field}，逐元素运算的时间由它计算"),
    TEXT(DTC_RULE_STEP_HOST, "an offloaded plan: the cluster does not say {field}",
         "使用卸载的方案：集群没有给出 {field}"),
    TEXT(DTC_RULE_STEP_SCHEDULE, "{field} = {value}: has no closed form; simulate it with the costs of its stages",
         "{field} = {value}：没有闭式解；请用各阶段的耗时进行模拟"),
    TEXT(DTC_RULE_SOFTWARE_NAME, "unknown software{software}", "未知的软件{software}"),
};
const uint32_t dtci_step_rules_count = sizeof dtci_step_rules / sizeof dtci_step_rules[0];
