/* One call per function of nccl.h: an all-reduce on 16 nodes of H100. */
#include "bench.h"

enum { NODES = 16, PER_NODE = 8, TEXT = 1 << 14 };

/* Arguments: read only after bench_setup_nccl(). */
static dtc_nccl nccl;
static const uint64_t bytes = (uint64_t)64 << 20;

/* Results. */
static dtc_nccl nccl_out;
static dtc_nccl_row rows[DTC_NCCL_ROWS];
static dtc_nccl_choice choice;
static dtc_nccl_range ranges[DTC_NCCL_RANGES];
static char text[TEXT];
static size_t size;
static dtc_error err;

/* The functions that return no status. */
static dtc_status number(size_t n)
{
  bench_kept = n;
  return DTC_OK;
}

static dtc_status name(const char *s)
{
  bench_kept = (uintptr_t)s;
  return DTC_OK;
}

#define OP DTC_COLLECTIVE_ALL_REDUCE

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_nccl_count, number(dtc_nccl_count()))                                                                          \
  X(dtc_nccl_name, name(dtc_nccl_name(2)))                                                                             \
  X(dtc_nccl_source, name(dtc_nccl_source(2)))                                                                         \
  X(dtc_nccl_find, dtc_nccl_find("h100-8x400", 0, NODES, PER_NODE, &nccl_out, &err))                                   \
  X(dtc_nccl_resolve, dtc_nccl_resolve(&nccl, &nccl_out, &err))                                                        \
  X(dtc_nccl_table, dtc_nccl_table(&nccl, OP, rows, DTC_NCCL_ROWS, &size, &err))                                       \
  X(dtc_nccl_choose, dtc_nccl_choose(&nccl, OP, bytes, &choice, &err))                                                 \
  X(dtc_nccl_switches, dtc_nccl_switches(&nccl, OP, 0, UINT64_MAX, ranges, DTC_NCCL_RANGES, &size, &err))              \
  X(dtc_nccl_tuner_write, dtc_nccl_tuner_write(&nccl, DTC_COLLECTIVE_NONE, text, TEXT, &size, &err))

ENTRIES(BENCH_DEFINE)

const bench_entry bench_nccl[] = {ENTRIES(BENCH_ROW)};
const size_t bench_nccl_count = sizeof bench_nccl / sizeof *bench_nccl;

int bench_setup_nccl(void)
{
  DTC_INIT(&err);
  DTC_INIT(&nccl);
  DTC_INIT(&nccl_out);
  return dtc_nccl_find("h100-8x400", 0, NODES, PER_NODE, &nccl, &err) == DTC_OK;
}
