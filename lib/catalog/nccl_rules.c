/* Messages about NCCL's tuning; lib/nccl*.c apply them. A rule's number is in include/dtcore/nccl.h. */
#include "internal/rules.h"
#include <dtcore/nccl.h>

#define TEXT(id, english, chinese)                                                                                     \
  {                                                                                                                    \
    .rule = (id), .en = english, .zh = chinese                                                                         \
  }

const dtci_rule_row dtci_nccl_rules[] = {
    TEXT(DTC_RULE_NCCL_SYSTEM, "unknown system{nccl}", "未知系统{nccl}"),
    TEXT(DTC_RULE_NCCL_VERSION, "version = {got}: NCCL's constants or this system's search are known from {min} on",
         "version = {got}：NCCL 的常数或该系统的搜索结果自 {min} 起已知"),
    TEXT(DTC_RULE_NCCL_RANKS, "per_node = {got}: NCCL tunes nothing for a single rank",
         "per_node = {got}：单个 rank 时 NCCL 不做调优"),
    TEXT(DTC_RULE_NCCL_PLACE,
         "per_node = {got}: this system's search is not known for so many ranks of a node{nearest}",
         "per_node = {got}：该系统在每节点此 rank 数下的搜索结果未知{nearest}"),
    TEXT(DTC_RULE_NCCL_OP, "op = {got}: NCCL has a model of all_reduce to broadcast (1 to 5) alone",
         "op = {got}：NCCL 只对 all_reduce 到 broadcast（1 到 5）有模型"),
    TEXT(DTC_RULE_NCCL_SEARCH, "{field} = {got}: a search that found channels has a bandwidth",
         "{field} = {got}：有通道的搜索结果必须给出带宽"),
    TEXT(DTC_RULE_NCCL_COLLNET, "collnet = {value}: known since NCCL 2.30, not for {other_got}",
         "collnet = {value}：自 NCCL 2.30 起已知，不适用于 {other_got}"),
    TEXT(DTC_RULE_NCCL_FP8, "fp8 = {value}: came with NCCL 2.24, not in {other_got}",
         "fp8 = {value}：自 NCCL 2.24 起支持，{other_got} 没有"),
};
const uint32_t dtci_nccl_rules_count = sizeof dtci_nccl_rules / sizeof dtci_nccl_rules[0];
