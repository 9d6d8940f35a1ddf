/* Constants of the times of collectives. Rows are of published runs of nccl-tests and its like, gathered in
 * tests/truth/measured_collectives.csv: "table" is one calibration data base (ai-dynamo/aiconfigurator 095f58a5),
 * "field" are all others. doc/formulas/collectives.md has the formulas and how the constants were found. */
#include "internal/collective.h"

/* clang-format off */

/* Set by the table's rows of a family, all group sizes and both libraries of a class together: least sum of relative
 * errors. Field rows of 512 MiB and more joined them, for what large vectors reach. Floors are those of
 * the table's sizes below 4 KiB. */
const dtci_nvlink_row dtci_nvlink_rows[] = {
    /* B200, B300, GB200, GB300: 42 curves of the table; 21 field rows */
    {.compute = 100, .link = 900e9, .floor = {{7.37, 1.33}, {9.53, .24}}, .thread = 3.8,
     .line = {
         {.ll = 83, .start128 = .83, .r128 = 4.14, .start = 8.8, .step = 5.84, .r = 1.463, .c = .236},
         {.ll = 115, .start128 = .92, .r128 = 5.53, .start = 6.5, .step = 3.45, .r = 1.409, .c = .629},
         {.ll = 93, .ll_old = 15.5, .start = 5.2, .r = 1.56, .c = .856, .root = 1.39}},
     .in_switch = {.start = 34.5, .r = 1.83, .root = 6.78, .between = .91, .least = 6}},
    /* H100, H200; GH200 and the cut H800, H20: 25 curves of the table; 30 field rows */
    {.compute = 90, .link = 450e9, .floor = {{4.39, .87}, {6.19, .28}}, .old_launch = .9, .thread = 3.8,
     .line = {
         {.ll = 70, .start128 = .75, .r128 = 7.1, .start = 12.3, .r = 2.73, .c = .22},
         {.ll = 153, .start128 = .98, .r128 = 9.54, .start = 9.7, .r = 2.68, .c = .436, .root = 2.48},
         {.ll = 89, .ll_old = 19, .start = 4.1, .r = 3.05, .c = .177, .root = 2.12}},
     .in_switch = {.start = 19.8, .r = 3.228, .root = 5.78, .between = .97, .least = 5}},
    /* A100; the cut A800: 9 curves of the table; 11 field rows */
    {.compute = 80, .link = 300e9, .floor = {{8.08, .96}, {10.03, .79}}, .thread = 5.3,
     .line = {
         {.ll = 125, .start128 = 2.21, .r128 = 13.4, .start = 11.2, .step = 1.39, .r = 4.26, .c = .137, .root = 6.39},
         {.ll = 239, .start128 = 2.31, .r128 = 16.3, .start = 11.2, .step = 4.05, .r = 4.34, .c = .346, .root = 3.7},
         {.ll = 29, .start = 3.8, .r = 4.31, .c = .276, .root = 8.06}}},
};
const uint32_t dtci_nvlink_rows_count = sizeof dtci_nvlink_rows / sizeof dtci_nvlink_rows[0];

/* V100 in a DGX-1, whose links differ by pair: 448 rows of VIA-Research/vTrain f8dda84, all-reduce, 1 MiB to 1 GiB. Other
 * group sizes and operations rest on these. */
const double dtci_volta_r[9] = {0, 0, 44.3, 22.1, 11.7, 26.8, 21.9, 11.5, 7.43};
const dtci_floor dtci_volta_floor = {18, 3.5};

/* Cards on PCIe: the table's rows. */
const dtci_pcie_row dtci_pcie_rows[] = {
    /* RTX PRO 6000 Blackwell: 9 curves; other cards with peer access copy it */
    {.vendor = DTC_VENDOR_NVIDIA, .compute = 90, .link = 64e9, .floor = {{4.43, 1.51}, {8.10, .06}},
     .r = {30.7, 41.7, 41.7}, .k = 1.97, .k_reduce = 1.5, .start = 6.9, .step = 1.6},
    /* L40S, which goes through host memory: 7 curves; other Ada cards copy it */
    {.vendor = DTC_VENDOR_NVIDIA, .compute = 89, .link = 32e9, .floor = {{4.29, 1.45}, {7.63, .65}},
     .r = {49.7, 208, 697}, .k = 1.77, .k_reduce = 1.77, .step = 17.5},
    {.vendor = DTC_VENDOR_NVIDIA, .compute = 0, .link = 64e9, .floor = {{4.43, 1.51}, {8.10, .06}},
     .r = {30.7, 41.7, 41.7}, .k = 1.97, .k_reduce = 1.5, .start = 6.9, .step = 1.6},
    /* Arc Pro B60 with oneCCL, whose all-gather takes as long as n: 5 curves */
    {.vendor = DTC_VENDOR_INTEL, .compute = 0, .link = 32e9, .floor = {{12.32, .98}, {12.32, .98}},
     .r = {53, 54, 54}, .k = 1, .k_reduce = 1, .gathers = 1},
};
const uint32_t dtci_pcie_rows_count = sizeof dtci_pcie_rows / sizeof dtci_pcie_rows[0];

/* A link to every peer: 24 field rows of MI300X, MI350X and MI355X. */
const dtci_mesh_row dtci_mesh = {
    .floor = {6.2, .5}, .share = .735, .share_a2a = .67, .small = 6.9, .root = 9.5, .root_most = 200, .links = 7,
    .thread = 5.3,
};

/* Networks: all-reduce, all-gather and reduce-scatter, all-to-all. All rows are of the field, which judges them too. */
const dtci_fabric_row dtci_fabric_rows[][DTCI_CLASSES] = {
    [DTC_FABRIC_RDMA] = {
        {14.2, 33.2, 77, 20, 11, .968, 0},    /* 118 rows: H100, H200, B200, B300, A100, MI300X, MI355X */
        {2.7, 33.3, 99, 20, 14.4, .826, 0},   /* 20: one report on 2 nodes of B200 */
        {25.3, 0, 51, 20, 9.9, .798, 0}},     /* 25: the same report, and 2 nodes of A100 */
    [DTC_FABRIC_EFA] = {{44, 190, 103, 220, 19.5, 1, 0}},        /* 42: p5 on 2 nodes, p6-b200 on 4 */
    [DTC_FABRIC_EFA_V1] = {{134, 203, 187, 220, 86, .923, 0}},   /* 22: p4de on 2 nodes */
    [DTC_FABRIC_TCPXO] = {{0}, {30, 10, 121, 60, 0, .97, 0}},    /* 11: A3 Mega on 2 nodes, from 8 MiB */
    [DTC_FABRIC_TCPX] = {{0}, {357, 10, 769, 700, 0, .52, .56}}, /* 11: A3 High on 2 nodes, from 8 MiB */
    [DTC_FABRIC_GCP_ROCE] = {{0}, {18.9, 8.1, 68, 20, 3.1, .863, 0}}, /* 24: A3 Ultra on 2 nodes */
    [DTC_FABRIC_SLINGSHOT] = {{5.4, 131, 130, 20, 28, 1, 0}},    /* 18: Alps on 2 nodes of 4 */
    [DTC_FABRIC_POLLARA] = {{14.2, 33.2, 77, 20, 11, .968, 0}, {0}, {25.3, 0, 51, 20, 9.9, .9, 0}}, /* 4: MI355X */
    [DTC_FABRIC_TCP] = {{5, 560, 740, 100, 0, .034, 0}},         /* 17: Alps by mistake on sockets */
};
const dtci_fabric_row dtci_rail_row = {15.8, 26.4, 25, 20, 26.3, .664, 0}; /* 10: A3 Ultra, one GPU per node */

const dtci_collective_constants dtci_collective = {
    .saturated = 600,
    .nic_payload = .96,   /* 12, 24, 48, 96 GB/s of 100 to 800 Gb/s: NCCL's own ladder too (graph/search.cc) */
    .slot_payload = .75,  /* 24, 48, 96 GB/s of PCIe 4, 5, 6 */
    .blocking = 22,       /* 20 rows of a PyTorch benchmark on H200, 20 on B200 */
    .small_wire = 4,
    .root_most = 200,
    .ring_rank = 1.5,     /* AliyunContainerService SimAI's sizes of half bandwidth, 16 to 1024 GPUs */
    .channel_rate = 23,   /* 10 rows of B200 with default settings */
    .tree_ring = .75,
    .ports_pcie = 24,
    /* 11 rows of one NVL72 rack, 23 of several: CoreWeave, OCI */
    .rack_step = .25, .rack_root = 20, .rack_root_most = 1000,
    .racks_start = 260, .racks_root = 22, .racks_most = 2000, .racks_tree = 750, .racks_ring = 433, .racks_step = 1.7,
    .racks_hop = 170, .racks_small = 90, .racks_a2a = .87,
};
/* clang-format on */
