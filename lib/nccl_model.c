/* Latency and bandwidth of each algorithm and protocol, as NCCL sets them when a communicator is made.
 * Source: NVIDIA/nccl src/graph/tuning.cc, ncclTopoTuneModel (5067397c; v2.27.7-1, v2.21.5-1), and what src/enqueue.cc
 * leaves out in updateCollCostTable. N nodes, g ranks of a node, n ranks, c channels. */
#include "internal/nccl.h"

enum { DIRECT_MOST = 8, NVLS_MOST = 32 }; /* ranks of a node: NCCL_MAX_DIRECT_ARITY + 1, NCCL_MAX_NVLS_ARITY */

static const double GB = 1e9;
static const double WIRE = .92; /* what LL128's flags and a tree's steps leave of the bandwidth */

#define OP(name) (1u << DTC_COLLECTIVE_##name)

/* Operations of each algorithm. */
static const uint32_t operations[DTCI_NCCL_ALGORITHMS] = {
    [DTC_NCCL_ALGORITHM_TREE] = OP(ALL_REDUCE),
    [DTC_NCCL_ALGORITHM_RING] = OP(ALL_REDUCE) | OP(REDUCE_SCATTER) | OP(ALL_GATHER) | OP(REDUCE) | OP(BROADCAST),
    [DTC_NCCL_ALGORITHM_COLLNET_DIRECT] = OP(ALL_REDUCE) | OP(REDUCE_SCATTER) | OP(ALL_GATHER),
    [DTC_NCCL_ALGORITHM_COLLNET_CHAIN] = OP(ALL_REDUCE),
    [DTC_NCCL_ALGORITHM_NVLS] = OP(ALL_REDUCE) | OP(REDUCE_SCATTER) | OP(ALL_GATHER),
    [DTC_NCCL_ALGORITHM_NVLS_TREE] = OP(ALL_REDUCE),
    [DTC_NCCL_ALGORITHM_PAT] = OP(REDUCE_SCATTER) | OP(ALL_GATHER),
};

static int differs(const dtci_nccl_job *job, uint32_t what)
{
  return (job->constants->differs & what) != 0;
}

/* ---- the job --------------------------------------------------------------------------------- */

static uint32_t generation_of(uint32_t compute)
{
  return compute >= 100  ? DTCI_NCCL_BLACKWELL
         : compute >= 90 ? DTCI_NCCL_HOPPER
         : compute >= 80 ? DTCI_NCCL_AMPERE
                         : DTCI_NCCL_VOLTA;
}

static uint32_t log2_of(uint64_t v)
{
  return 63 - (uint32_t)__builtin_clzll(v);
}

dtc_status dtci_nccl_begin(const dtc_nccl *n, dtc_collective op, dtci_nccl_job *job, dtc_error *e)
{
  if (op < DTC_COLLECTIVE_ALL_REDUCE || op > DTC_COLLECTIVE_BROADCAST)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_NCCL_OP, DTCI_ARG(OP), op);
  const dtci_nccl_constants *k = dtci_nccl_constants_of(n->version);
  uint32_t generation = generation_of(n->compute);
  job->constants = k;
  job->n = *n;
  job->op = op;
  job->generation = generation < k->generations ? generation : k->generations - 1;
  job->scale = n->nodes == 1 ? DTCI_NCCL_ONE : n->nodes == 2 ? DTCI_NCCL_TWO : DTCI_NCCL_MORE;
  job->x86 = n->cpu != DTC_NCCL_CPU_ARM && n->cpu != DTC_NCCL_CPU_POWER;
  job->ranks = (double)(n->nodes * n->per_node);
  job->per_node = (double)n->per_node;
  job->nodes_log2 = (double)log2_of(n->nodes);
  return DTC_OK;
}

static int reduces_all(const dtci_nccl_job *job)
{
  return job->op == DTC_COLLECTIVE_ALL_REDUCE;
}

/* From one rank or to one rank. */
static int is_rooted(const dtci_nccl_job *job)
{
  return job->op == DTC_COLLECTIVE_REDUCE || job->op == DTC_COLLECTIVE_BROADCAST;
}

/* Steps of a ring: n - 1 to gather or to scatter, both for an all-reduce, n through all ranks. */
static double steps_of(const dtci_nccl_job *job)
{
  return reduces_all(job) ? 2 * (job->ranks - 1) : is_rooted(job) ? job->ranks : job->ranks - 1;
}

/* ---- bandwidth: GB/s of the whole vector ----------------------------------------------------- */

/* All channels: up to two nodes NCCL counts what a channel has inside a node. */
static double of_channels(const dtci_nccl_job *job, uint64_t channels, double intra, double inter)
{
  return (double)channels * (job->scale == DTCI_NCCL_MORE ? inter : intra) / GB;
}

/* LL's limit hangs on the GPU inside a node, on the host's processor between nodes. */
static double ll_limit(const dtci_nccl_job *job)
{
  int amd = job->n.cpu == DTC_NCCL_CPU_AMD || job->n.cpu == DTC_NCCL_CPU_MIXED;
  uint32_t row = job->scale == DTCI_NCCL_ONE ? job->generation : amd ? DTCI_NCCL_AMPERE : DTCI_NCCL_VOLTA;
  return job->constants->ll[row][job->scale];
}

static double ring_bandwidth(const dtci_nccl_job *job, dtc_nccl_protocol protocol)
{
  double channels = (double)job->n.ring_channels;
  double b = of_channels(job, job->n.ring_channels, job->n.ring_intra, job->n.ring_inter);
  if (protocol == DTC_NCCL_PROTOCOL_LL)
    b = dtci_smaller_f64(ll_limit(job), b / 2);
  if (protocol == DTC_NCCL_PROTOCOL_LL128) {
    double share = differs(job, DTCI_NCCL_DISCOUNT_ALONE) && job->n.per_node < 2 ? .7 : WIRE;
    b = dtci_smaller_f64(share * b, channels * job->constants->ring_ll128[job->generation]);
  }
  return b * job->ranks / steps_of(job);
}

static double tree_bandwidth(const dtci_nccl_job *job, dtc_nccl_protocol protocol)
{
  double channels = (double)job->n.tree_channels;
  double b = of_channels(job, job->n.tree_channels, job->n.tree_intra, job->n.tree_inter);
  b = dtci_smaller_f64(WIRE * b, channels * job->constants->tree[job->generation][job->scale]);
  if (protocol == DTC_NCCL_PROTOCOL_LL)
    b = dtci_smaller_f64(b / 3.8, ll_limit(job));
  if (protocol == DTC_NCCL_PROTOCOL_LL128) {
    double share = job->scale == DTCI_NCCL_ONE ? 7. / 9 : 120. / 128;
    b = dtci_smaller_f64(share * b, channels * job->constants->tree_ll128[job->generation][job->scale]);
  }
  return b * (job->n.tree_pattern == DTC_NCCL_PATTERN_TREE ? .85 : 1) * .5;
}

/* A NIC for each rank gathers at full speed; an all-reduce loses half of what ranks share NICs too many times. */
static double direct_bandwidth(const dtci_nccl_job *job)
{
  double intra = job->n.direct_intra / GB;
  double channels = (double)job->n.direct_channels;
  if (!reduces_all(job))
    return job->per_node * dtci_smaller_f64(intra, .9 * job->n.direct_inter / GB);
  double sharing = job->per_node / channels;
  sharing -= (sharing - 1) / 2;
  return channels * intra / sharing * (job->generation >= DTCI_NCCL_HOPPER ? .85 : 1) * .5;
}

static double chain_bandwidth(const dtci_nccl_job *job)
{
  return (double)job->n.chain_channels * job->n.chain_intra / GB * .5;
}

/* Until 2.27. */
static double flat_nvls_bandwidth(const dtci_nccl_job *job, int is_tree)
{
  double inter = job->n.nvls_inter / GB;
  if (is_tree && job->scale == DTCI_NCCL_MORE)
    inter /= 2;
  double b = (double)job->n.nvls_channels * dtci_smaller_f64(job->n.nvls_intra / GB, inter);
  if (reduces_all(job) || differs(job, DTCI_NCCL_FLAT_GATHER))
    return b * 5 / 6;
  return b * (job->per_node - 1) / job->per_node;
}

/* One channel's rank has no part in the reduction, and an all-reduce runs both directions of the links at once. */
static double nvls_bandwidth(const dtci_nccl_job *job, int is_tree)
{
  if (differs(job, DTCI_NCCL_FLAT_NVLS))
    return flat_nvls_bandwidth(job, is_tree);
  double channels = (double)job->n.nvls_channels;
  double inter = job->n.nvls_inter / GB;
  double intra = job->n.nvls_intra / GB * job->constants->nvls_efficiency[job->generation] * (channels - 1) / channels;
  intra *= reduces_all(job) ? 2 : (job->per_node - 1) / job->per_node;
  double b = dtci_smaller_f64(intra, is_tree && job->scale == DTCI_NCCL_TWO ? 2 * inter : inter);
  if (is_tree)
    b = dtci_smaller_f64(b, job->constants->nvls_tree[job->generation][job->scale]);
  return channels * b * (reduces_all(job) ? job->ranks / steps_of(job) : 1);
}

static double bandwidth_of(const dtci_nccl_job *job, dtc_nccl_algorithm algorithm, dtc_nccl_protocol protocol)
{
  switch (algorithm) {
  case DTC_NCCL_ALGORITHM_TREE:
    return tree_bandwidth(job, protocol);
  case DTC_NCCL_ALGORITHM_RING:
    return ring_bandwidth(job, protocol);
  case DTC_NCCL_ALGORITHM_COLLNET_DIRECT:
    return direct_bandwidth(job);
  case DTC_NCCL_ALGORITHM_COLLNET_CHAIN:
    return chain_bandwidth(job);
  case DTC_NCCL_ALGORITHM_PAT:
    return .75 * of_channels(job, job->n.tree_channels, job->n.tree_intra, job->n.tree_inter);
  default:
    return nvls_bandwidth(job, algorithm == DTC_NCCL_ALGORITHM_NVLS_TREE);
  }
}

/* ---- latency: us ----------------------------------------------------------------------------- */

static double hop(const dtci_nccl_job *job, int network, dtc_nccl_algorithm algorithm, dtc_nccl_protocol protocol)
{
  uint32_t link = network ? DTCI_NCCL_NET : job->n.nvlink == DTC_BOOL_ON ? DTCI_NCCL_NVLINK : DTCI_NCCL_PCI;
  int simple_tree = algorithm == DTC_NCCL_ALGORITHM_TREE && protocol == DTC_NCCL_PROTOCOL_SIMPLE;
  if (link == DTCI_NCCL_PCI && simple_tree && job->n.cpu == DTC_NCCL_CPU_POWER)
    algorithm = DTC_NCCL_ALGORITHM_RING;
  return job->constants->hop[link][algorithm][protocol];
}

/* Broadcast and reduce pass every rank; with the same ring in all channels the first piece is counted alone. */
static double rooted_latency(const dtci_nccl_job *job, dtc_nccl_protocol protocol)
{
  int network = job->n.nodes > 1;
  int simple = protocol == DTC_NCCL_PROTOCOL_SIMPLE;
  if (job->n.same_rings == DTC_BOOL_ON)
    return hop(job, network, DTC_NCCL_ALGORITHM_RING, protocol);
  return job->ranks * hop(job, network, simple ? DTC_NCCL_ALGORITHM_TREE : DTC_NCCL_ALGORITHM_RING, protocol);
}

/* Steps over the network and the others, which on several nodes cost a post to the NIC at least. */
static double ring_latency(const dtci_nccl_job *job, dtc_nccl_protocol protocol, double intra, double inter)
{
  double nodes = (double)job->n.nodes;
  if (is_rooted(job))
    return rooted_latency(job, protocol);
  if (job->n.nodes == 1)
    return steps_of(job) * intra;
  double crossings = !reduces_all(job) ? nodes - 1 : differs(job, DTCI_NCCL_EXTRA_HOPS) ? 2 * nodes : 2 * (nodes - 1);
  double post = job->n.cpu == DTC_NCCL_CPU_AMD ? 2 : 1;
  post *= protocol == DTC_NCCL_PROTOCOL_SIMPLE ? 3 : 1;
  return (steps_of(job) - crossings) * (intra > post ? intra : post) + crossings * inter;
}

static double latency_of(const dtci_nccl_job *job, dtc_nccl_algorithm algorithm, dtc_nccl_protocol protocol)
{
  double base = job->constants->base[algorithm][protocol];
  double others = job->per_node - 1; /* ranks of the node beside this one */
  double intra = hop(job, 0, algorithm, protocol);
  /* one rank of a node hides nothing of the network */
  double inter = hop(job, 1, job->n.per_node == 1 ? DTC_NCCL_ALGORITHM_TREE : algorithm, protocol);
  switch (algorithm) {
  case DTC_NCCL_ALGORITHM_TREE:
    return base + 2 * (others * intra + job->nodes_log2 * inter);
  case DTC_NCCL_ALGORITHM_RING:
    return base + ring_latency(job, protocol, intra, inter);
  case DTC_NCCL_ALGORITHM_COLLNET_DIRECT:
    return base + 2 * (dtci_smaller_f64(1, others) * intra + .4 * others) + inter;
  case DTC_NCCL_ALGORITHM_COLLNET_CHAIN:
    return base + 2 * others * intra + inter;
  case DTC_NCCL_ALGORITHM_NVLS:
    return intra + (job->n.nodes > 1 ? inter : 0);
  case DTC_NCCL_ALGORITHM_NVLS_TREE:
    return base + intra + 2 * job->nodes_log2 * inter;
  default: /* PAT: n small messages of its own still cost time */
    return base + job->nodes_log2 * inter / 3.5 + 2.8 * job->ranks;
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Is the algorithm set up in the communicator? */
static int exists(const dtci_nccl_job *job, dtc_nccl_algorithm algorithm)
{
  int collnet = job->n.collnet == DTC_BOOL_ON;
  int nvls = job->n.nvls_channels >= 2 && job->generation >= DTCI_NCCL_HOPPER;
  int several = job->n.nodes > 1;
  if (!(job->constants->algorithms >> algorithm & 1) || !(operations[algorithm] >> job->op & 1))
    return 0;
  switch (algorithm) {
  case DTC_NCCL_ALGORITHM_COLLNET_DIRECT:
    return collnet && job->n.direct_channels != 0;
  case DTC_NCCL_ALGORITHM_COLLNET_CHAIN:
    return collnet && job->n.chain_channels != 0;
  case DTC_NCCL_ALGORITHM_NVLS:
    return nvls && (!several || collnet);
  case DTC_NCCL_ALGORITHM_NVLS_TREE:
    return nvls && several;
  case DTC_NCCL_ALGORITHM_PAT:
    return several && job->n.per_node == 1;
  default:
    return 1;
  }
}

static int has_protocol(const dtci_nccl_job *job, dtc_nccl_algorithm algorithm, dtc_nccl_protocol protocol)
{
  if (protocol == DTC_NCCL_PROTOCOL_SIMPLE)
    return 1;
  return algorithm <= DTC_NCCL_ALGORITHM_RING && (protocol == DTC_NCCL_PROTOCOL_LL || job->n.ll128 == DTC_BOOL_ON);
}

/* May the choice take it with so many ranks in a node? */
static uint32_t is_usable(const dtci_nccl_job *job, dtc_nccl_algorithm algorithm)
{
  if (algorithm == DTC_NCCL_ALGORITHM_COLLNET_DIRECT || algorithm == DTC_NCCL_ALGORITHM_COLLNET_CHAIN)
    return job->n.per_node <= DIRECT_MOST;
  return algorithm != DTC_NCCL_ALGORITHM_NVLS || reduces_all(job) || job->n.per_node <= NVLS_MOST;
}

size_t dtci_nccl_rows(const dtci_nccl_job *job, dtc_nccl_row rows[DTC_NCCL_ROWS])
{
  size_t n = 0;
  for (uint32_t a = DTC_NCCL_ALGORITHM_TREE; a < DTCI_NCCL_ALGORITHMS; a++)
    for (uint32_t p = DTC_NCCL_PROTOCOL_LL; p < DTCI_NCCL_PROTOCOLS && exists(job, a); p++) {
      double bandwidth = has_protocol(job, a, p) ? bandwidth_of(job, a, p) : 0;
      if (bandwidth > 0)
        rows[n++] = (dtc_nccl_row){.algorithm = a,
                                   .protocol = p,
                                   .usable = is_usable(job, a),
                                   .latency = latency_of(job, a, p),
                                   .bandwidth = bandwidth};
    }
  return n;
}
