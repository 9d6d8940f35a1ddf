/* Messages about frameworks, and about what legal plans lose; lib/advise*.c give them. A rule's number is in
 * include/dtcore/advise.h. */
#include "internal/rules.h"
#include <dtcore/advise.h>

#define TEXT(id, english, chinese)                                                                                     \
  {                                                                                                                    \
    .rule = (id), .en = english, .zh = chinese                                                                         \
  }
#define WARNS(id, english, chinese)                                                                                    \
  {                                                                                                                    \
    .rule = DTC_RULE_##id, .severity = DTC_SEVERITY_WARNING, .en = english, .zh = chinese                              \
  }

const dtci_rule_row dtci_advise_rules[] = {
    WARNS(PLACE_TP, "tp = {got}: its groups leave the NVLink domain of {max} GPUs, every layer waits for the network",
          "tp = {got}：张量并行组超出 {max} 卡的 NVLink 域，每层都要等待网络"),
    WARNS(PLACE_EP,
          "ep = {got}: its groups leave the NVLink domain of {max} GPUs, tokens cross the network twice a layer",
          "ep = {got}：专家并行组超出 {max} 卡的 NVLink 域，每层 token 两次跨网络"),
    WARNS(PLACE_CP, "cp = {got}: with tp its groups leave the NVLink domain of {max} GPUs",
          "cp = {got}：与 tp 相乘后，上下文并行组超出 {max} 卡的 NVLink 域"),
    WARNS(NEED_OFFLOAD, "offload = {value}: it fits without", "offload = {value}：不卸载也放得下"),
    WARNS(NEED_OFFLOAD_PARAMS, "offload = {value}: it fits with optimizer states offloaded alone",
          "offload = {value}：只卸载优化器状态就放得下"),
    WARNS(FIT_MICRO_BATCH, "micro_batch = {got}: a GPU does not hold it; at most {max} fit",
          "micro_batch = {got}：显存放不下，最多 {max}"),
    WARNS(FILL_PIPELINE,
          "accumulation = {got}: fewer micro-batches than pipeline stages ({max}): most of the time is bubble",
          "accumulation = {got}：micro-batch 少于流水线级数（{max}），气泡占比很大"),
    WARNS(NEED_RECOMPUTE, "recompute = {value}: it fits with less", "recompute = {value}：少重计算也放得下"),
    WARNS(NEED_SHARDING, "sharding = {value}: it fits with weights kept whole, and is faster",
          "sharding = {value}：保留完整权重也放得下，而且更快"),
    WARNS(FIT_HOST, "offload = {value}: a node has not the host memory for it",
          "offload = {value}：节点的主机内存不够"),
    WARNS(SPLIT_LOGITS, "vocab_parallel = {value}: every tensor parallel rank holds all logits",
          "vocab_parallel = {value}：每个张量并行 rank 都保存完整的 logits"),
    WARNS(HIDE_GRADIENTS, "grad_overlap = {value}: gradients are reduced behind backward, and nothing hides it",
          "grad_overlap = {value}：反向之后才归约梯度，通信无法隐藏"),
    WARNS(NO_NIC, "NCCL_IB_HCA selects none of the devices: NCCL takes sockets, without an error",
          "NCCL_IB_HCA 没有选中任何设备：NCCL 会改用 socket，且不报错"),
    WARNS(FIT_MEMORY, "micro_batch = {got}: the plan does not fit a GPU, with any micro-batch",
          "micro_batch = {got}：无论 micro-batch 多小，显存都放不下"),
    WARNS(SPLIT_SEQUENCE, "sequence_parallel = {value}: with tp > 1 every rank holds what it would split",
          "sequence_parallel = {value}：tp > 1 时每个 rank 重复保存本可切分的激活"),
    TEXT(DTC_RULE_ADVISE_NAME, "no such framework is known here{traits}", "没有这个框架的资料{traits}"),
    TEXT(DTC_RULE_ADVISE_KNOWN, "{field} = {value}: nothing is known of it here", "{field} = {value}：没有相关资料"),
    TEXT(DTC_RULE_ADVISE_CHANGE, "the plan does not break this rule, or no change of it mends that",
         "方案没有违反该规则，或没有可行的改法"),
};
const uint32_t dtci_advise_rules_count = sizeof dtci_advise_rules / sizeof dtci_advise_rules[0];
