/* What is found in the configurations of every tool, as messages. A rule's number is in include/dtcore/framework.h. */
#include "internal/settings.h"

#define ERROR(id, of, english, chinese)                                                                                \
  {                                                                                                                    \
    .rule = (id), .status = (of), .en = english, .zh = chinese                                                         \
  }
#define WARN(id, of, english, chinese)                                                                                 \
  {                                                                                                                    \
    .rule = (id), .status = (of), .severity = DTC_SEVERITY_WARNING, .en = english, .zh = chinese                       \
  }

const dtci_rule_row dtci_lint_rules[] = {
    ERROR(DTC_RULE_LINT_UNKNOWN, DTC_E_UNKNOWN, "byte {offset}: unknown name{within}, the tool stops at it{like}",
          "第 {offset} 字节：未知的名称{within}，工具会因此终止{like}"),
    WARN(DTC_RULE_LINT_UNHEARD, DTC_E_UNKNOWN,
         "byte {offset}: unknown name{within}, the tool goes on as if it were not there{like}",
         "第 {offset} 字节：未知的名称{within}，工具会当它不存在{like}"),
    ERROR(DTC_RULE_LINT_TYPE, DTC_E_PARSE, "byte {offset}: not a value of {field}, which takes {takes}",
          "第 {offset} 字节：不是 {field} 的合法值，它接受{takes}"),
    ERROR(DTC_RULE_LINT_RANGE, DTC_E_RANGE, "{field} = {got}: must be {range}{nearest}",
          "{field} = {got}：必须为 {range}{nearest}"),
    ERROR(DTC_RULE_LINT_WORD, DTC_E_UNKNOWN, "byte {offset}: not a word of {field}, which takes {takes}",
          "第 {offset} 字节：{field} 没有这个取值，它接受{takes}"),
    WARN(DTC_RULE_LINT_TWICE, DTC_E_CONFLICT, "byte {offset}: {field} is given a second time",
         "第 {offset} 字节：{field} 重复给出"),
    ERROR(DTC_RULE_LINT_GONE, DTC_E_UNSUPPORTED, "byte {offset}: {field} is no longer taken{instead}",
          "第 {offset} 字节：{field} 已不再支持{instead}"),
    WARN(DTC_RULE_LINT_IGNORED, DTC_E_UNSUPPORTED, "byte {offset}: {field} is taken, but has no effect{instead}",
         "第 {offset} 字节：{field} 会被接受，但不起作用{instead}"),
    ERROR(DTC_RULE_LINT_ARGS, DTC_E_PARSE, "byte {offset}: {field} lacks a value, it takes {takes}",
          "第 {offset} 字节：{field} 缺少值，它接受{takes}"),
    ERROR(DTC_RULE_LINT_STRAY, DTC_E_PARSE, "byte {offset}: a word that belongs to no flag, behind {field}",
          "第 {offset} 字节：{field} 之后有不属于任何选项的词"),
    ERROR(DTC_RULE_LINT_CUT, DTC_E_PARSE,
          "byte {offset}: the command ends before {field}: no backslash, or a comment or blank behind it",
          "第 {offset} 字节：命令在 {field} 之前就结束了：缺少反斜杠，或其后有注释或空格"),
    ERROR(DTC_RULE_LINT_HASH, DTC_E_PARSE, "byte {offset}: a # inside quotes is no comment, its line is passed on",
          "第 {offset} 字节：引号内的 # 不是注释，该行会传给程序"),
    ERROR(DTC_RULE_LINT_BLANKS, DTC_E_PARSE, "byte {offset}: {field}: a shell takes no blanks around =",
          "第 {offset} 字节：{field}：shell 的 = 两侧不能有空格"),
    ERROR(DTC_RULE_LINT_QUOTE, DTC_E_PARSE, "byte {offset}: a quote or parenthesis without an end",
          "第 {offset} 字节：引号或括号没有结束"),
    ERROR(DTC_RULE_LINT_BYTES, DTC_E_PARSE, "byte {offset}: a control character, this is no text",
          "第 {offset} 字节：控制字符，这不是文本"),
    /* Of dtc_framework_lint_hca(). */
    ERROR(DTC_RULE_NCCL_DEVICE, DTC_E_PARSE, "byte {offset}: not a device with its port, as in mlx5_0:1",
          "第 {offset} 字节：不是带端口的设备，例如 mlx5_0:1"),
};
const uint32_t dtci_lint_rules_count = sizeof dtci_lint_rules / sizeof dtci_lint_rules[0];
