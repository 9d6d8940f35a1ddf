/* nccl_tuning.csv and nccl_switchpoints.csv: NCCL's own tables and choices, made by its code on descriptions of systems. The
 * search results come from dtc_nccl_find(), not from the file. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

static const double tolerance = 1e-6;

/* Names of the files, by number. */
static const char *const algorithms[] = {"",     "Tree",     "Ring", "CollnetDirect", "CollnetChain",
                                         "NVLS", "NVLSTree", "PAT"};
static const char *const protocols[] = {"", "LL", "LL128", "Simple"};
static const char *const operations[] = {"", "all_reduce", "reduce_scatter", "all_gather", "reduce", "broadcast"};

static uint32_t place_of(const char *word, const char *const *words, uint32_t n)
{
  uint32_t i = n - 1;
  while (i > 0 && strcmp(words[i], word) != 0)
    i--;
  return i;
}

static dtc_collective operation(const golden *g)
{
  return place_of(golden_cell(g, "op"), operations, sizeof operations / sizeof *operations);
}

/* "2.30.7" -> 2030007 */
static uint32_t release_of(const char *text)
{
  unsigned major = 0, minor = 0, patch = 0;
  return sscanf(text, "%u.%u.%u", &major, &minor, &patch) == 3 ? major * 1000000 + minor * 1000 + patch : 1;
}

static int find(golden *g, dtc_nccl *n)
{
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(n);
  dtc_status status = dtc_nccl_find(golden_cell(g, "system"), release_of(golden_cell(g, "nccl_version")),
                                    golden_number(g, "nnodes"), golden_number(g, "ppn"), n, &err);
  return golden_ok(g, status, &err);
}

static void answer_pair(golden *g, dtc_nccl_algorithm algorithm, dtc_nccl_protocol protocol)
{
  golden_text(g, "algo", algorithms[algorithm]);
  golden_text(g, "proto", protocols[protocol]);
}

/* A row of the table: us and GB/s. */
static void answer_row(golden *g, const dtc_nccl *n)
{
  dtc_nccl_row rows[DTC_NCCL_ROWS];
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  dtc_nccl_algorithm a = place_of(golden_cell(g, "algo"), algorithms, sizeof algorithms / sizeof *algorithms);
  dtc_nccl_protocol p = place_of(golden_cell(g, "proto"), protocols, sizeof protocols / sizeof *protocols);
  if (!golden_ok(g, dtc_nccl_table(n, operation(g), rows, DTC_NCCL_ROWS, &count, &err), &err))
    return;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].algorithm != a || rows[i].protocol != p)
      continue;
    answer_pair(g, rows[i].algorithm, rows[i].protocol);
    golden_f64(g, "lat_us", rows[i].latency * 1e6, tolerance);
    golden_f64(g, "bw_GBps", rows[i].bandwidth / 1e9, tolerance);
    return;
  }
  golden_refused(g, "no such row");
}

/* The channels are not judged, but those of the newest version are in the file, from NCCL's own code. */
static void answer_choice(golden *g, const dtc_nccl *n)
{
  dtc_nccl_choice c;
  dtc_error err;
  DTC_INIT(&err);
  if (!golden_ok(g, dtc_nccl_choose(n, operation(g), golden_number(g, "bytes"), &c, &err), &err))
    return;
  if (*golden_cell(g, "nchannels") != 0 && golden_number(g, "nchannels") != c.channels) {
    golden_refused(g, "other channels");
    return;
  }
  answer_pair(g, c.algorithm, c.protocol);
  golden_f64(g, "time_us", c.seconds * 1e6, tolerance);
}

void golden_nccl_tuning(golden *g)
{
  dtc_nccl n;
  if (!find(g, &n))
    return;
  if (golden_is(g, "record", "model"))
    answer_row(g, &n);
  else
    answer_choice(g, &n);
}

/* ---- switch points --------------------------------------------------------------------------- */

enum { SMALLEST = 1024 };
#define LARGEST ((uint64_t)1 << 34)

/* Size of a sweep: of a gather or scatter a whole number of bf16 for each rank. */
static uint64_t rounded(const golden *g, const dtc_nccl *n, uint64_t bytes)
{
  dtc_collective op = operation(g);
  uint64_t unit = 2 * n->nodes * n->per_node;
  return op == DTC_COLLECTIVE_ALL_GATHER || op == DTC_COLLECTIVE_REDUCE_SCATTER ? bytes / unit * unit : bytes;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
  return a > b ? a - b : b - a;
}

/* Of the sizes at which another choice than that before is found, the one next to the row's. */
void golden_nccl_switchpoints(golden *g)
{
  dtc_nccl n;
  dtc_nccl_choice c, before = {0}, best = {0};
  uint64_t wanted = golden_number(g, "from_bytes"), found = UINT64_MAX;
  dtc_error err;
  DTC_INIT(&err);
  if (!find(g, &n))
    return;
  for (uint64_t power = SMALLEST; power <= LARGEST; power *= 2) {
    uint64_t bytes = rounded(g, &n, power);
    if (bytes == 0)
      continue;
    if (!golden_ok(g, dtc_nccl_choose(&n, operation(g), bytes, &c, &err), &err))
      return;
    int changes = c.algorithm != before.algorithm || c.protocol != before.protocol;
    if (changes && (found == UINT64_MAX || distance(bytes, wanted) < distance(found, wanted))) {
      found = bytes;
      best = c;
    }
    before = c;
  }
  golden_u64(g, "from_bytes", found);
  answer_pair(g, best.algorithm, best.protocol);
  golden_f64(g, "time_us_at_from", best.seconds * 1e6, tolerance);
}
