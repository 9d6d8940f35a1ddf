/* Constants of expert parallel dispatch and combine, set by inspection of 486 rows of
 * tests/truth/measured_collectives.csv: 377 of DeepEP's tables for H100 and H200 (aiconfigurator 095f58a5), 92 of
 * TensorRT-LLM's kernels on GB200, 17 of UCCL-EP. DeepEP's own README judges them. */
#include "internal/moe.h"
#include <dtcore/collective.h>

/* clang-format off */
const dtci_moe_row dtci_moe_rows[2] = {
    [DTC_MOE_OP_DISPATCH] = {
        .low_start = 13.5, .low_least = 15.5, .low_rate = 273, .low_nodes = 15, .low_doubling = 5, .proxy_efa = {.38, .26},
        .node_start = 37, .node_per_sm = 16.7, .node_rate = 335,
        .nodes_start = 30, .nodes_doubling = 29, .per_sm = 14.5, .idle_sms = 4.3,
        .nvlink_faster = 1.24, .nvlink_extra = 1000, .one_sided_start = 15, .one_sided_doubling = 1.5},
    [DTC_MOE_OP_COMBINE] = {
        .low_start = 10, .low_least = 12.2, .low_rate = 228, .low_nodes = 20, .low_doubling = 2.5, .proxy_efa = {.52, .36},
        .node_start = 48, .node_per_sm = 17.5, .node_rate = 340,
        .nodes_start = 48, .nodes_doubling = 36, .per_sm = 10, .idle_sms = 1,
        .nvlink_faster = 1, .one_sided_start = 14, .one_sided_doubling = 4},
};

const dtci_moe_constants dtci_moe = {
    .low_nvlink = 282, .low_share = .97, .proxy_share = .59,
    .normal_root = 1.2, .normal_most = 4096, .normal_share = .96, .normal_share_many = .47,
    .two_sided_start = 13, .two_sided = 331, .two_sided_doubling = 21, .one_sided = {620, 428, 572},
};
/* clang-format on */
