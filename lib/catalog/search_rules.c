/* Messages about searches; lib/search*.c give them. A rule's number is in include/dtcore/search.h. */
#include "internal/rules.h"
#include <dtcore/search.h>

#define TEXT(id, english, chinese)                                                                                     \
  {                                                                                                                    \
    .rule = (id), .en = english, .zh = chinese                                                                         \
  }

const dtci_rule_row dtci_search_rules[] = {
    TEXT(DTC_RULE_SEARCH_BATCH, "{field} = 0: a search needs the global batch, which all plans share",
         "{field} = 0：搜索需要所有方案共用的全局批大小"),
    TEXT(DTC_RULE_SEARCH_GPUS, "{field} = 0: a search needs the number of GPUs", "{field} = 0：搜索需要 GPU 数量"),
    TEXT(DTC_RULE_SEARCH_SPACE, "axis {got} has more than {max} values: give the field, or a smaller limit",
         "第 {got} 轴的取值多于 {max} 个：请给出该字段或更小的上限"),
};
const uint32_t dtci_search_rules_count = sizeof dtci_search_rules / sizeof dtci_search_rules[0];
