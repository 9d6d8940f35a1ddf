/* One call per function of collective.h: DGX H100, an all-reduce of 1 GiB over 64 ranks, what is measured of it. */
#include "bench.h"

enum { POINTS = 24, RANKS = 64 };

/* Arguments: read only after bench_setup_collective(). */
static dtc_cluster cluster;
static dtc_collective_call call, unplaced;
static dtc_moe_call moe;
static dtc_collective_law law;
static dtc_timing points[POINTS];
static uint64_t matrix[RANKS * RANKS];
static const dtc_axis mesh[] = {{DTC_AXIS_NAME_TP, 0, 8, 0}, {DTC_AXIS_NAME_DP, 0, 8, 0}};
static const dtc_group_kind kind = {.axes = 2};
static const char table[] =
    "# nccl-tests version 2.17.6\n"
    "           8             2     float     sum      -1    34.61    0.00    0.00      0    34.16    0.00    0.00  0\n"
    "   268435456      67108864     float     sum      -1   1121.2  239.42  418.98      0   1120.9  239.48  419.1  0\n";

/* Results. */
static dtc_collective_call call_out;
static dtc_collective_time time_out;
static dtc_moe_time moe_out;
static dtc_verdict verdict;
static dtc_collective_law law_out;
static dtc_traffic traffic;
static dtc_exchange exchange;
static dtc_timing points_out[POINTS];
static double seconds;
static uint64_t bytes;
static size_t count;
static dtc_error err;

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_collective_bytes, dtc_collective_bytes(call.bytes, RANKS, 17, DTC_COLLECTIVE_ALL_REDUCE, &traffic, &err))      \
  X(dtc_collective_classic, dtc_collective_classic(call.bytes, RANKS, DTC_COLLECTIVE_ALL_REDUCE, 1e-5, 1e-10, 1e-12,   \
                                                   DTC_CLASSIC_RABENSEIFNER, &seconds, &err))                          \
  X(dtc_collective_estimate, dtc_collective_estimate(&cluster, &call, &time_out, &err))                                \
  X(dtc_collective_exchange, dtc_collective_exchange(matrix, RANKS *RANKS, RANKS, 8, &exchange, &err))                 \
  X(dtc_collective_fit, dtc_collective_fit(points, POINTS, RANKS, DTC_COLLECTIVE_ALL_REDUCE, &law_out, &err))          \
  X(dtc_collective_from_mesh, dtc_collective_from_mesh(mesh, 2, 0, &kind, &cluster, &unplaced, &call_out, &err))       \
  X(dtc_collective_judge, dtc_collective_judge(&cluster, &call, 0.1, &verdict, &err))                                  \
  X(dtc_collective_law_time,                                                                                           \
    dtc_collective_law_time(&law, call.bytes, RANKS, DTC_COLLECTIVE_ALL_REDUCE, &seconds, &err))                       \
  X(dtc_collective_read, dtc_collective_read(table, sizeof table - 1, points_out, POINTS, &count, &err))               \
  X(dtc_collective_resolve, dtc_collective_resolve(&cluster, &call, &call_out, &err))                                  \
  X(dtc_collective_size, dtc_collective_size(&cluster, &call, 0.8, &bytes, &err))                                      \
  X(dtc_moe_estimate, dtc_moe_estimate(&cluster, &moe, &moe_out, &err))

ENTRIES(BENCH_DEFINE)
const bench_entry bench_collective[] = {ENTRIES(BENCH_ROW)};
const size_t bench_collective_count = sizeof bench_collective / sizeof *bench_collective;

int bench_setup_collective(void)
{
  DTC_INIT(&cluster);
  DTC_INIT(&call);
  DTC_INIT(&moe);
  DTC_INIT(&law);
  DTC_INIT(&call_out);
  DTC_INIT(&time_out);
  DTC_INIT(&moe_out);
  DTC_INIT(&verdict);
  DTC_INIT(&law_out);
  DTC_INIT(&exchange);
  DTC_INIT(&err);
  call.op = DTC_COLLECTIVE_ALL_REDUCE;
  call.bytes = (uint64_t)1 << 30;
  call.ranks = RANKS;
  unplaced = call;
  moe.tokens = 4096;
  moe.top_k = 8;
  moe.hidden = 7168;
  moe.ranks = RANKS;
  law.latency = 1e-4;
  law.bandwidth = 4e11;
  law.shape = 0.5;
  for (size_t i = 0; i < RANKS * RANKS; i++)
    matrix[i] = 1000 + i % 97;
  int ok = dtc_cluster_find("dgx-h100", &cluster, &err) == DTC_OK;
  for (size_t i = 0; ok && i < POINTS; i++) {
    points[i].bytes = (uint64_t)1024 << i;
    ok = dtc_collective_law_time(&law, points[i].bytes, RANKS, DTC_COLLECTIVE_ALL_REDUCE, &points[i].seconds, &err) ==
         DTC_OK;
  }
  return ok;
}
