/* Messages about out-of-memory messages; lib/explain*.c give them. A rule's number is in include/dtcore/explain.h. */
#include "internal/rules.h"
#include <dtcore/explain.h>

#define TEXT(id, english, chinese)                                                                                     \
  {                                                                                                                    \
    .rule = (id), .en = english, .zh = chinese                                                                         \
  }

const dtci_rule_row dtci_explain_rules[] = {
    TEXT(DTC_RULE_EXPLAIN_TEXT,
         "no size in the text: paste the line with \"Tried to allocate\", or a size like 16.83 GiB",
         "文本中没有大小：请粘贴含有 \"Tried to allocate\" 的那一行，或 16.83 GiB 这样的大小"),
    TEXT(DTC_RULE_EXPLAIN_BYTES, "{field} = 0: the message tells no size", "{field} = 0：消息没有给出大小"),
    TEXT(DTC_RULE_EXPLAIN_PARAMS, "{field} = {got}: beside a model only with tp = pp = ep = 1",
         "{field} = {got}：给出模型时，只能与 tp = pp = ep = 1 一起使用"),
    TEXT(DTC_RULE_EXPLAIN_MODEL, "{field} = 0: needed without a model", "{field} = 0：没有模型时必须给出"),
};
const uint32_t dtci_explain_rules_count = sizeof dtci_explain_rules / sizeof dtci_explain_rules[0];
