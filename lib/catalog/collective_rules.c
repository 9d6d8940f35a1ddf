/* Messages about collectives; lib/collective*.c give them. A rule's number is in include/dtcore/collective.h. */
#include "internal/rules.h"
#include <dtcore/collective.h>

#define TEXT(id, english, chinese)                                                                                     \
  {                                                                                                                    \
    .rule = (id), .en = english, .zh = chinese                                                                         \
  }

const dtci_rule_row dtci_collective_rules[] = {
    TEXT(DTC_RULE_COLLECTIVE_OP, "{field}: name an operation, all_reduce to barrier",
         "{field}：请指定一种操作，从 all_reduce 到 barrier"),
    TEXT(DTC_RULE_COLLECTIVE_LINK, "the cluster does not say how its GPUs are joined: {field} or pcie_bandwidth",
         "集群没有说明 GPU 之间如何连接：{field} 或 pcie_bandwidth"),
    TEXT(DTC_RULE_COLLECTIVE_NIC,
         "the group spans nodes, and the cluster does not say their ports: nic_bandwidth and nics_per_node",
         "该组跨越节点，而集群没有说明网络端口：nic_bandwidth 与 nics_per_node"),
    TEXT(DTC_RULE_COLLECTIVE_PER_NODE, "{field} = {got}: the group has {max} ranks",
         "{field} = {got}：该组只有 {max} 个 rank"),
    TEXT(DTC_RULE_COLLECTIVE_TWO_LEVEL,
         "two_level: only an all_reduce over several nodes with several ranks in each has two levels",
         "two_level：只有跨多个节点、且每个节点有多个 rank 的 all_reduce 才有两级"),
    TEXT(DTC_RULE_COLLECTIVE_POINTS, "points: a law needs three sizes or more, and times that grow with them",
         "points：拟合需要三个或更多不同的大小，且时间随之增长"),
    TEXT(DTC_RULE_COLLECTIVE_CLASSIC, "algorithm = {got}: does not do operation {other_got}",
         "algorithm = {got}：不能完成操作 {other_got}"),
    TEXT(DTC_RULE_COLLECTIVE_TEXT, "the text holds no line of nccl-tests with a size and a time",
         "文本中没有 nccl-tests 的大小与时间行"),
    TEXT(DTC_RULE_COLLECTIVE_MATRIX, "matrix: has {got} elements; ranks * ranks are {min}",
         "matrix：有 {got} 个元素；应为 ranks * ranks = {min}"),
    TEXT(DTC_RULE_COLLECTIVE_PEAK, "{field} = {value}: moves no bytes between ranks, and so has no best rate",
         "{field} = {value}：在 rank 之间不传输数据，因此没有最高速率"),
    TEXT(DTC_RULE_MOE_DOMAIN, "ranks = {got}: these kernels run in one NVLink domain, of {max} ranks here",
         "ranks = {got}：这类内核只在一个 NVLink 域内运行，此处为 {max} 个 rank"),
    TEXT(DTC_RULE_MOE_SMS, "sms = {got}: at least {min} are needed before any data moves",
         "sms = {got}：至少需要 {min} 个 SM 才能传输数据"),
};
const uint32_t dtci_collective_rules_count = sizeof dtci_collective_rules / sizeof dtci_collective_rules[0];
