/* Numbers that rules compare and no field holds, as messages name them. */
#include "internal/rules.h"

#define PLAN(x) DTC_FIELD(plan, x)

const dtci_derived_row dtci_derived_rows[] = {
    [DTCI_SPLIT_LAYERS] = {"layers to split", "待切分的层数", {PLAN(account_embedding), PLAN(account_loss)}},
    [DTCI_ENDS] = {"first_layers + last_layers", "first_layers + last_layers", {PLAN(first_layers), PLAN(last_layers)}},
    [DTCI_MIDDLE_LAYERS] = {"layers - first_layers - last_layers",
                            "layers - first_layers - last_layers",
                            {PLAN(first_layers), PLAN(last_layers)}},
    [DTCI_MIDDLE_RANKS] = {"the other pipeline ranks",
                           "其余的流水线 rank 数",
                           {PLAN(pp), PLAN(first_layers), PLAN(last_layers)}},
    [DTCI_LAST_GROUP] = {"the micro-batches of the last group",
                         "最后一组的微批数",
                         {PLAN(accumulation), PLAN(group), PLAN(pp)}},
    [DTCI_ROUNDS] = {"the rounds of pp micro-batches or more",
                     "每轮不少于 pp 个微批的轮数",
                     {PLAN(accumulation), PLAN(pp)}},
};
