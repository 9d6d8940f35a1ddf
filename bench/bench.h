/* Speed of each function of the public API, with the arguments of a usual question. */
#ifndef BENCH_H
#define BENCH_H

#include <dtcore.h>

typedef struct bench_entry {
  const char *name;         /* the function, or the rate that it stands for */
  dtc_status (*call)(void); /* calls it once; named call_NAME, which is how scripts/bench finds it in a profile */
  const uint64_t *units;    /* of a rate: how many of its units a call makes; NULL: none, or as scripts/bench knows */
} bench_entry;

/* Ranks of the table that dtc_mesh_table's entry makes. */
enum { BENCH_RANKS = 4096 };
/* Ops of the orders that the entries order_interleaved and simulate_interleaved make and time. */
enum { BENCH_OPS = 1 << 20 };

extern const bench_entry bench_entries[], bench_shards[], bench_pipeline[], bench_framework[], bench_nccl[],
    bench_collective[], bench_step[], bench_search[], bench_explain[], bench_advise[];
extern const size_t bench_entries_count, bench_shards_count, bench_pipeline_count, bench_framework_count,
    bench_nccl_count, bench_collective_count, bench_step_count, bench_search_count, bench_explain_count,
    bench_advise_count;

/* Too long for a profiler. */
extern const bench_entry bench_pipeline_rates[], bench_search_rates[], bench_loops[];
extern const size_t bench_pipeline_rates_count, bench_search_rates_count, bench_loops_count;

/* Make the arguments; return 0 when the library refuses one. */
int bench_setup(void);
int bench_setup_shards(void);
int bench_setup_pipeline(void);
int bench_setup_framework(void);
int bench_setup_nccl(void);
int bench_setup_collective(void);
int bench_setup_step(void);
int bench_setup_search(void);
int bench_setup_explain(void);
int bench_setup_advise(void);
int bench_setup_loops(void);

/* Results, kept where the compiler must believe that somebody reads them. */
extern volatile uintptr_t bench_kept;

/* The status is stored before it is returned, so that no call becomes a jump, which a profile would not show. */
#define BENCH_DEFINE(name, expression)                                                                                 \
  static dtc_status call_##name(void)                                                                                  \
  {                                                                                                                    \
    dtc_status status = expression;                                                                                    \
    bench_kept = (uintptr_t)status;                                                                                    \
    return status;                                                                                                     \
  }
#define BENCH_ROW(name, expression) {#name, call_##name, NULL},

#endif
