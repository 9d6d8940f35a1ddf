/* dtcore-bench: nanoseconds per call of each entry, one line each, the least of several repetitions; of some rates the
 * units of a call behind them.
 * `dtcore-bench N` calls each entry but the longest N times and prints nothing: for a profiler that counts
 * instructions. */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPETITIONS = 15 };

/* A repetition lasts at least this long, so that reading the clock does not count. */
static const double repetition_ns = 2e6;

/* Of the processor: others may run meanwhile. */
static double now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Nanoseconds that n calls take. */
static double run(const bench_entry *entry, uint64_t n)
{
  double begin = now_ns();
  for (uint64_t i = 0; i < n; i++)
    (void)entry->call();
  return now_ns() - begin;
}

static double measure(const bench_entry *entry)
{
  uint64_t n = 1;
  while (run(entry, n) < repetition_ns)
    n *= 2;
  double best = run(entry, n);
  for (int i = 1; i < REPETITIONS; i++) {
    double ns = run(entry, n);
    best = ns < best ? ns : best;
  }
  return best / (double)n;
}

/* Each entry: measured, or called so many times when a number is given. */
static int run_all(const bench_entry *entries, size_t n, const char *calls)
{
  for (size_t i = 0; i < n; i++) {
    const bench_entry *entry = &entries[i];
    dtc_status status = entry->call();
    if (status != DTC_OK) {
      fprintf(stderr, "dtcore-bench: %s fails with status %d\n", entry->name, (int)status);
      return 0;
    }
    if (calls != NULL)
      (void)run(entry, strtoull(calls, NULL, 10));
    else if (entry->units != NULL)
      printf("%s %.2f %" PRIu64 "\n", entry->name, measure(entry), *entry->units);
    else
      printf("%s %.2f\n", entry->name, measure(entry));
  }
  return 1;
}

/* A file of entries; what makes their arguments is NULL when another file's does. */
typedef struct part {
  int (*setup)(void);
  const bench_entry *entries;
  const size_t *count;
  int is_long; /* 1: too long for a profiler */
} part;

static const part parts[] = {
    {bench_setup, bench_entries, &bench_entries_count, 0},
    {bench_setup_shards, bench_shards, &bench_shards_count, 0},
    {bench_setup_pipeline, bench_pipeline, &bench_pipeline_count, 0},
    {bench_setup_framework, bench_framework, &bench_framework_count, 0},
    {bench_setup_nccl, bench_nccl, &bench_nccl_count, 0},
    {bench_setup_collective, bench_collective, &bench_collective_count, 0},
    {bench_setup_step, bench_step, &bench_step_count, 0},
    {bench_setup_search, bench_search, &bench_search_count, 0},
    {bench_setup_explain, bench_explain, &bench_explain_count, 0},
    {bench_setup_advise, bench_advise, &bench_advise_count, 0},
    {NULL, bench_pipeline_rates, &bench_pipeline_rates_count, 1},
    {NULL, bench_search_rates, &bench_search_rates_count, 1},
    {bench_setup_loops, bench_loops, &bench_loops_count, 1},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

int main(int argc, char **argv)
{
  const char *calls = argc > 1 ? argv[1] : NULL;
  int done = 1;
  for (size_t i = 0; i < PARTS; i++)
    if (parts[i].setup != NULL && !parts[i].setup()) {
      fprintf(stderr, "dtcore-bench: the library refuses the arguments\n");
      return 1;
    }
  for (size_t i = 0; i < PARTS && done; i++)
    if (!parts[i].is_long || calls == NULL)
      done = run_all(parts[i].entries, *parts[i].count, calls);
  return done ? 0 : 1;
}
