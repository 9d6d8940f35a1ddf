/* Systems, and what NCCL's search of their topology finds: channels, and GB/s of each inside and between nodes.
 * Source: NCCL's own src/graph (5067397c, and tags v2.27.7-1 and v2.21.5-1) run on descriptions of these systems, with
 * GPUDirect RDMA and a NIC latency of 0 as its InfiniBand plugin reports. On several nodes the result is the same for 2 to
 * 1024. Nothing but the trees of a single B200 node depends on the version, nor does the processor of an H100 node matter
 * to the search: so what is known of one version or processor stands for the others. */
#include "internal/nccl.h"

enum { V2_21 = 2021000, V2_27 = 2027000, V2_30 = 2030000 };
enum { A100_8X200, A100_4X100, H100_8X400, H100_8X200, H100_SHARP, B200, B300, NVL4, NVL8, NVL16, NVL32 };
enum { ONE, SEVERAL };
enum { BALANCED = DTC_NCCL_PATTERN_BALANCED_TREE, PLAIN = DTC_NCCL_PATTERN_TREE };

#define AMD DTC_NCCL_CPU_AMD
#define ARM DTC_NCCL_CPU_ARM
#define INTEL DTC_NCCL_CPU_INTEL
#define OFF DTC_BOOL_OFF
#define ON DTC_BOOL_ON

/* clang-format off */
const dtci_nccl_system dtci_nccl_systems[] = {
    {"a100-8x200", "8 A100 on NVSwitches, 4 PCIe switches with 2 GPUs and 2 NICs of 200 Gb/s each, AMD hosts",
     V2_21, 80, AMD, OFF, A100_8X200, 8},
    {"a100-4x100", "8 A100 on NVSwitches, a NIC of 100 Gb/s for 2 GPUs, Intel hosts",
     V2_21, 80, INTEL, OFF, A100_4X100, 8},
    {"h100-8x400", "8 H100 or H200 on NVSwitches, a NIC of 400 Gb/s beside each GPU, Intel hosts",
     V2_21, 90, INTEL, OFF, H100_8X400, 8},
    {"h100-8x400-amd", "8 H100 or H200 on NVSwitches, a NIC of 400 Gb/s beside each GPU, AMD hosts",
     V2_21, 90, AMD, OFF, H100_8X400, 8},
    {"h100-8x400-sharp", "8 H100 or H200 on NVSwitches, a NIC of 400 Gb/s beside each GPU, Intel hosts, collnet on",
     V2_30, 90, INTEL, ON, H100_SHARP, 8},
    {"h100-8x200", "8 H100 or H200 on NVSwitches, a NIC of 200 Gb/s beside each GPU, Intel hosts",
     V2_21, 90, INTEL, OFF, H100_8X200, 8},
    {"b200-8x400", "8 B200 on NVSwitches, a NIC of 400 Gb/s beside each GPU, Intel hosts",
     V2_27, 100, INTEL, OFF, B200, 8},
    {"b300-8x800", "8 B300 on NVSwitches, a NIC of 800 Gb/s beside each GPU, Intel hosts",
     V2_30, 103, INTEL, OFF, B300, 8},
    {"gb200-nvl4", "NVLink domains of 4 GB200, 4 NICs of 400 Gb/s for 4 GPUs", V2_30, 100, ARM, OFF, NVL4, 4},
    {"gb200-nvl8", "NVLink domains of 8 GB200, 4 NICs of 400 Gb/s for 4 GPUs", V2_30, 100, ARM, OFF, NVL8, 8},
    {"gb200-nvl16", "NVLink domains of 16 GB200, 4 NICs of 400 Gb/s for 4 GPUs", V2_30, 100, ARM, OFF, NVL16, 16},
    {"gb200-nvl32", "NVLink domains of 32 GB200, 4 NICs of 400 Gb/s for 4 GPUs", V2_30, 100, ARM, OFF, NVL32, 32},
    {"gb200-nvl64", "NVLink domains of 64 GB200, 4 NICs of 400 Gb/s for 4 GPUs; the search as for 32 and 72",
     V2_30, 100, ARM, OFF, NVL32, 64},
    {"gb200-nvl72", "NVLink domains of 72 GB200, 4 NICs of 400 Gb/s for 4 GPUs", V2_30, 100, ARM, OFF, NVL32, 72},
};
const size_t dtci_nccl_systems_count = sizeof dtci_nccl_systems / sizeof dtci_nccl_systems[0];

#define ROW(whose, ranks, nodes) .system = (whose), .per_node = (ranks), .several = (nodes)
#define RING(c, gbps) .ring = {.channels = (c), .intra = (gbps), .inter = (gbps)}
#define TREE(c, in, out, shape) .tree = {.channels = (c), .pattern = (shape), .intra = (in), .inter = (out)}
#define NVLS(c, in, out) .nvls = {.channels = (c), .intra = (in), .inter = (out)}
#define DIRECT(c, gbps) .direct = {.channels = (c), .intra = (gbps), .inter = (gbps)}
#define CHAIN(c, gbps) .chain = {.channels = (c), .intra = (gbps), .inter = (gbps)}

/* per_node 0: all GPUs of the system. */
const dtci_nccl_search dtci_nccl_searches[] = {
    {ROW(A100_8X200, 0, ONE), RING(12, 20), TREE(12, 20, 20, BALANCED)},
    {ROW(A100_8X200, 0, SEVERAL), RING(8, 24), TREE(8, 30, 24, BALANCED)},
    {ROW(A100_8X200, 4, ONE), RING(12, 20), TREE(12, 20, 20, BALANCED)},
    {ROW(A100_8X200, 4, SEVERAL), RING(4, 24), TREE(4, 48, 24, BALANCED)},
    {ROW(A100_8X200, 2, ONE), RING(12, 20), TREE(12, 40, 40, BALANCED)},
    {ROW(A100_8X200, 2, SEVERAL), RING(2, 24), TREE(2, 48, 24, BALANCED)},
    {ROW(A100_8X200, 1, SEVERAL), RING(1, 24), TREE(1, 48, 24, PLAIN)},

    {ROW(A100_4X100, 0, ONE), RING(12, 20), TREE(12, 20, 20, BALANCED)},
    {ROW(A100_4X100, 0, SEVERAL), RING(4, 12), TREE(4, 24, 12, BALANCED)},

    {ROW(H100_8X400, 0, ONE), RING(12, 30), TREE(12, 30, 30, BALANCED), NVLS(8, 40, 60)},
    {ROW(H100_8X400, 0, SEVERAL), RING(8, 48), TREE(8, 48, 48, PLAIN), NVLS(8, 40, 48)},
    {ROW(H100_8X400, 4, ONE), RING(12, 30), TREE(12, 30, 30, BALANCED), NVLS(4, 60, 60)},
    {ROW(H100_8X400, 4, SEVERAL), RING(8, 24), TREE(8, 48, 24, PLAIN), NVLS(4, 48, 48)},
    {ROW(H100_8X400, 2, ONE), RING(12, 30), TREE(12, 60, 60, BALANCED), NVLS(2, 60, 60)},
    {ROW(H100_8X400, 2, SEVERAL), RING(4, 24), TREE(4, 48, 24, PLAIN), NVLS(2, 48, 48)},
    {ROW(H100_8X400, 1, SEVERAL), RING(2, 24), TREE(2, 48, 24, PLAIN)},

    {ROW(H100_8X200, 0, ONE), RING(12, 30), TREE(12, 30, 30, BALANCED), NVLS(8, 40, 60)},
    {ROW(H100_8X200, 0, SEVERAL), RING(8, 24), TREE(8, 48, 24, PLAIN), NVLS(8, 24, 24)},

    {ROW(H100_SHARP, 0, ONE), RING(12, 30), TREE(12, 30, 30, BALANCED), NVLS(8, 40, 60), DIRECT(8, 60), CHAIN(12, 30)},
    {ROW(H100_SHARP, 0, SEVERAL), RING(8, 48), TREE(8, 48, 48, PLAIN), NVLS(8, 40, 48), DIRECT(8, 48), CHAIN(8, 48)},

    {ROW(B200, 0, ONE), .until = V2_30, RING(16, 45), TREE(16, 40, 40, BALANCED), NVLS(8, 80, 90)},
    {ROW(B200, 0, ONE), .since = V2_30, RING(16, 45), TREE(16, 45, 45, BALANCED), NVLS(8, 80, 90)},
    {ROW(B200, 0, SEVERAL), RING(8, 48), TREE(8, 96, 48, PLAIN), NVLS(8, 48, 48)},
    {ROW(B200, 4, ONE), .since = V2_30, RING(16, 45), TREE(16, 50, 50, PLAIN), NVLS(4, 90, 90)},
    {ROW(B200, 4, SEVERAL), RING(8, 24), TREE(8, 48, 24, PLAIN), NVLS(4, 48, 48)},
    {ROW(B200, 2, ONE), .since = V2_30, RING(16, 45), TREE(16, 90, 90, BALANCED), NVLS(2, 90, 90)},
    {ROW(B200, 2, SEVERAL), RING(4, 24), TREE(4, 48, 24, PLAIN), NVLS(2, 48, 48)},
    {ROW(B200, 1, SEVERAL), RING(2, 24), TREE(2, 48, 24, PLAIN)},

    {ROW(B300, 0, ONE), RING(16, 45), TREE(16, 45, 45, BALANCED), NVLS(8, 80, 90)},
    {ROW(B300, 0, SEVERAL), RING(16, 48), TREE(16, 48, 48, PLAIN), NVLS(8, 80, 96)},

    {ROW(NVL4, 0, ONE), RING(16, 45), TREE(16, 50, 50, PLAIN), NVLS(4, 90, 90)},
    {ROW(NVL4, 0, SEVERAL), RING(8, 24), TREE(8, 48, 24, PLAIN), NVLS(4, 48, 48)},
    {ROW(NVL8, 0, ONE), RING(16, 45), TREE(16, 45, 45, BALANCED), NVLS(8, 80, 90)},
    {ROW(NVL8, 0, SEVERAL), RING(8, 48), TREE(8, 96, 48, PLAIN), NVLS(8, 48, 48)},
    {ROW(NVL16, 0, ONE), RING(16, 45), TREE(16, 45, 45, BALANCED), NVLS(16, 40, 80)},
    {ROW(NVL16, 0, SEVERAL), RING(16, 48), TREE(16, 48, 48, PLAIN), NVLS(16, 42, 48)},
    {ROW(NVL32, 0, ONE), RING(16, 45), TREE(16, 45, 45, BALANCED), NVLS(32, 20, 40)},
    {ROW(NVL32, 0, SEVERAL), RING(16, 45.1), TREE(16, 45.1, 45.1, PLAIN), NVLS(32, 20, 40)},
};
/* clang-format on */
const size_t dtci_nccl_searches_count = sizeof dtci_nccl_searches / sizeof dtci_nccl_searches[0];
