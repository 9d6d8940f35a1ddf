/* Constants of NCCL's tuning by version, in us and GB/s.
 * Source: NVIDIA/nccl src/graph/tuning.cc at tags v2.21.5-1, v2.27.7-1 and commit 5067397c (2.30.7-1): base latencies,
 * latencies of hops, limits per channel, treeCorrectionFactor. 2.27.7 states what its code has inside formulas: the 8 us
 * of PAT. */
#include "internal/nccl.h"

#define TREE [DTC_NCCL_ALGORITHM_TREE]
#define RING [DTC_NCCL_ALGORITHM_RING]
#define DIRECT [DTC_NCCL_ALGORITHM_COLLNET_DIRECT]
#define CHAIN [DTC_NCCL_ALGORITHM_COLLNET_CHAIN]
#define NVLS [DTC_NCCL_ALGORITHM_NVLS]
#define NVLS_TREE [DTC_NCCL_ALGORITHM_NVLS_TREE]
#define PAT [DTC_NCCL_ALGORITHM_PAT]

/* Of LL, LL128 and Simple. */
#define EACH(ll, ll128, simple)                                                                                        \
  {                                                                                                                    \
    0, ll, ll128, simple                                                                                               \
  }
#define SIMPLE(us) EACH(0, 0, us)
#define BIT(name) (1u << DTC_NCCL_ALGORITHM_##name)

/* What has not changed since 2.21. */
#define RING_BASE EACH(6.6, 14, 8.4)
#define NVLINK_HOPS                                                                                                    \
  RING = EACH(.6, 1.9, 3.4), DIRECT = SIMPLE(3.7), CHAIN = SIMPLE(2.8), NVLS = SIMPLE(25), NVLS_TREE = SIMPLE(25)
#define PCI_HOPS RING = EACH(1, 2.5, 5.7), DIRECT = SIMPLE(3.7), CHAIN = SIMPLE(2.8)
#define NET_HOPS RING = EACH(2.7, 4, 14), DIRECT = SIMPLE(31), CHAIN = SIMPLE(30), NVLS = SIMPLE(18)
/* Of one node, two and more, from Volta to Hopper. */
#define LL                                                                                                             \
  {39, 39, 20.4}, {87.7, 22.5, 19},                                                                                    \
  {                                                                                                                    \
    141, 45, 35                                                                                                        \
  }
#define RING_LL128 20, 20, 36.7
#define TREES                                                                                                          \
  {26.5, 18.5, 10}, {24, 23.6, 17.8},                                                                                  \
  {                                                                                                                    \
    38.7, 41.4, 36                                                                                                     \
  }
#define TREE_LL128                                                                                                     \
  {20, 20, 20}, {20, 20, 20},                                                                                          \
  {                                                                                                                    \
    36.7, 36.7, 29                                                                                                     \
  }

/* clang-format off */
const dtci_nccl_constants dtci_nccl_versions[] = {
    {.release = 2021005,
     .generations = DTCI_NCCL_HOPPER + 1,
     .differs = DTCI_NCCL_FLAT_NVLS | DTCI_NCCL_FLAT_GATHER | DTCI_NCCL_DISCOUNT_ALONE | DTCI_NCCL_EXTRA_HOPS |
                DTCI_NCCL_OLD_LL128,
     .algorithms = BIT(TREE) | BIT(RING) | BIT(NVLS) | BIT(NVLS_TREE),
     .base = {TREE = EACH(6.8, 14, 0), RING = RING_BASE},
     .hop = {[DTCI_NCCL_NVLINK] = {TREE = EACH(.6, 1.25, 28), NVLINK_HOPS},
             [DTCI_NCCL_PCI] = {TREE = EACH(1, 1.9, 28), PCI_HOPS},
             [DTCI_NCCL_NET] = {TREE = EACH(5, 8.5, 28), NET_HOPS, NVLS_TREE = SIMPLE(14)}},
     .ll = {LL},
     .ring_ll128 = {RING_LL128},
     .tree = {TREES},
     .tree_ll128 = {TREE_LL128}},
    {.release = 2027007,
     .generations = DTCI_NCCL_BLACKWELL + 1,
     .differs = DTCI_NCCL_FLAT_NVLS,
     .algorithms = BIT(TREE) | BIT(RING) | BIT(NVLS) | BIT(NVLS_TREE) | BIT(PAT),
     .base = {TREE = EACH(6.8, 14, 8.4), RING = RING_BASE, PAT = SIMPLE(8)},
     .hop = {[DTCI_NCCL_NVLINK] = {TREE = EACH(.6, 1.25, 4), NVLINK_HOPS, PAT = SIMPLE(4)},
             [DTCI_NCCL_PCI] = {TREE = EACH(1, 1.9, 4), PCI_HOPS, PAT = SIMPLE(4)},
             [DTCI_NCCL_NET] = {TREE = EACH(5, 8.5, 14), NET_HOPS, NVLS_TREE = SIMPLE(14), PAT = SIMPLE(14)}},
     .ll = {LL, {282, 90, 70}},
     .ring_ll128 = {RING_LL128, 73.4},
     .tree = {TREES, {77.4, 82.8, 72}},
     .tree_ll128 = {TREE_LL128, {73.4, 73.4, 58}}},
    {.release = 2030007,
     .generations = DTCI_NCCL_BLACKWELL + 1,
     .differs = DTCI_NCCL_NVLS_FACTORS,
     .algorithms = BIT(TREE) | BIT(RING) | BIT(COLLNET_DIRECT) | BIT(COLLNET_CHAIN) | BIT(NVLS) | BIT(NVLS_TREE) | BIT(PAT),
     .base = {TREE = EACH(6.8, 14, 8.4), RING = RING_BASE, PAT = SIMPLE(8)},
     .hop = {[DTCI_NCCL_NVLINK] = {TREE = EACH(.6, 1.25, 4), NVLINK_HOPS, PAT = SIMPLE(4)},
             [DTCI_NCCL_PCI] = {TREE = EACH(1, 1.9, 4), PCI_HOPS, PAT = SIMPLE(4)},
             [DTCI_NCCL_NET] = {TREE = EACH(5, 8.5, 14), NET_HOPS, NVLS_TREE = SIMPLE(20.9), PAT = SIMPLE(14)}},
     .ll = {LL, {282, 90, 70}},
     .ring_ll128 = {RING_LL128, 40},
     .tree = {TREES, {70, 42.8, 24}},
     .tree_ll128 = {TREE_LL128, {55.6, 31.67, 20}},
     .nvls_tree = {[DTCI_NCCL_HOPPER] = {0, 57.7, 45.5}, [DTCI_NCCL_BLACKWELL] = {0, 96, 80}},
     .nvls_efficiency = {[DTCI_NCCL_HOPPER] = .85, [DTCI_NCCL_BLACKWELL] = .74}},
};
const size_t dtci_nccl_versions_count = sizeof dtci_nccl_versions / sizeof dtci_nccl_versions[0];

const double dtci_nccl_factors[DTCI_NCCL_PROTOCOLS][DTCI_NCCL_FACTORS] = {
    [DTC_NCCL_PROTOCOL_LL] = {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    [DTC_NCCL_PROTOCOL_LL128] = {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    [DTC_NCCL_PROTOCOL_SIMPLE] = {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9,
                                  .9, .9},
};
/* clang-format on */
