/* What NCCL takes for a size: corrections by size, the smallest time, the channels that are used, and where the choice
 * changes. Sources: NVIDIA/nccl src/graph/tuning.cc, ncclTopoGetAlgoTime; src/enqueue.cc, topoGetAlgoInfo and
 * updateCollCostTable (5067397c). */
#include "internal/nccl.h"

enum {
  SMALLEST = 64,      /* bytes that the first correction of trees begins at */
  PLATEAU = 64,       /* bytes per channel and rank from which an all-reduce ring is slower to start */
  FP8_RANKS = 8,      /* rings of more lose too much precision */
  FP8_PENALTY = 1024, /* keeps them behind everything else */
};

/* ---- a size ---------------------------------------------------------------------------------- */

static int has_factor(const dtci_nccl_job *job, const dtc_nccl_row *row, uint32_t power)
{
  if (row->algorithm == DTC_NCCL_ALGORITHM_TREE)
    return power < DTCI_NCCL_TREE_FACTORS;
  return row->algorithm == DTC_NCCL_ALGORITHM_NVLS_TREE && power < DTCI_NCCL_FACTORS && job->x86 &&
         job->generation == DTCI_NCCL_BLACKWELL && (job->constants->differs & DTCI_NCCL_NVLS_FACTORS);
}

/* First size at which rings wait longer; only an all-reduce on several nodes does. */
static uint64_t plateau_of(const dtci_nccl_job *job)
{
  int waits = job->op == DTC_COLLECTIVE_ALL_REDUCE && job->n.nodes > 1;
  return waits ? PLATEAU * job->n.channels * job->n.nodes * job->n.per_node : UINT64_MAX;
}

/* Corrects a row by size, as NCCL does. */
static void correct(const dtci_nccl_job *job, uint64_t bytes, dtc_nccl_row *row)
{
  if (job->op == DTC_COLLECTIVE_ALL_REDUCE && bytes >= SMALLEST) {
    uint32_t power = 63 - (uint32_t)__builtin_clzll(bytes / SMALLEST);
    if (has_factor(job, row, power))
      row->bandwidth *= dtci_nccl_factors[row->protocol][power];
  }
  int is_simple_ring = row->algorithm == DTC_NCCL_ALGORITHM_RING && row->protocol == DTC_NCCL_PROTOCOL_SIMPLE;
  if (is_simple_ring && bytes >= plateau_of(job))
    row->latency *= job->n.compute < 80 ? 1.9 : 1.4;
}

double dtci_nccl_time(const dtc_nccl_row *corrected, uint64_t bytes)
{
  return corrected->latency + (double)bytes / (1000 * corrected->bandwidth);
}

/* What is compared: the time, but for rings of fp8. */
static double cost_of(const dtci_nccl_job *job, const dtc_nccl_row *corrected, uint64_t bytes)
{
  int avoided = job->n.fp8 == DTC_BOOL_ON && corrected->algorithm == DTC_NCCL_ALGORITHM_RING && job->ranks > FP8_RANKS;
  return dtci_nccl_time(corrected, bytes) * (avoided ? FP8_PENALTY : 1);
}

/* Index of the first row with the least cost, of those that are usable and not in `without`. Ring Simple is always one. */
static size_t best_of(const dtci_nccl_job *job, const dtc_nccl_row *corrected, size_t n, uint32_t without,
                      uint64_t bytes)
{
  size_t best = n;
  double least = 0;
  for (size_t i = 0; i < n; i++) {
    if (!corrected[i].usable || (without >> i & 1))
      continue;
    double cost = cost_of(job, &corrected[i], bytes);
    if (best == n || cost < least) {
      best = i;
      least = cost;
    }
  }
  return best;
}

dtc_nccl_row dtci_nccl_best(const dtci_nccl_job *job, uint64_t bytes)
{
  dtc_nccl_row rows[DTC_NCCL_ROWS];
  size_t n = dtci_nccl_rows(job, rows);
  for (size_t i = 0; i < n; i++)
    correct(job, bytes, &rows[i]);
  return rows[best_of(job, rows, n, 0, bytes)];
}

/* ---- channels -------------------------------------------------------------------------------- */

enum {
  THREADS = 512, /* of a channel: LL and Simple */
  THREADS_LL128 = 640,
  THREADS_SLOW = 256, /* Simple rings no faster than PCIe */
  THREADS_COLLNET = 640,
  BYTES_LL = 8, /* a thread should move: LL (times the ranks for rings) and LL128 */
  BYTES_SIMPLE = 64,
  BYTES_COLLNET = 512,
  NVLS_HOPPER = 16, /* channels that saturate NVLS */
  NVLS_BLACKWELL_ONE = 24,
  NVLS_BLACKWELL = 32,
};

static const double PCIE = 12e9;

/* So many that each has enough to do, one at least. */
static uint64_t busy_channels(uint64_t channels, uint64_t bytes_each, uint64_t bytes)
{
  uint64_t busy = dtci_smaller(channels, bytes / bytes_each);
  return busy != 0 ? busy : 1;
}

static uint64_t ring_bytes(const dtci_nccl_job *job, dtc_nccl_algorithm algorithm, dtc_nccl_protocol protocol)
{
  int is_ring = algorithm == DTC_NCCL_ALGORITHM_RING;
  if (protocol == DTC_NCCL_PROTOCOL_LL)
    return THREADS * BYTES_LL * (is_ring ? job->n.nodes * job->n.per_node : 1);
  if (protocol == DTC_NCCL_PROTOCOL_LL128)
    return THREADS_LL128 * BYTES_LL;
  int slow = is_ring && job->n.ring_intra * (double)job->n.ring_channels <= PCIE;
  return (slow ? THREADS_SLOW : THREADS) * BYTES_SIMPLE;
}

/* CollNet direct steps down towards 16, 8, 4, 2 and 1 channels, and half way to each asks threads for half as much. */
static uint64_t direct_channels(const dtci_nccl_job *job, uint64_t bytes)
{
  uint64_t heads = dtci_smaller(job->n.direct_channels, job->n.per_node);
  uint64_t channels = job->n.channels;
  uint64_t each = BYTES_COLLNET;
  int few = 1;
  for (uint64_t floor = 16; floor >= 1 && few; floor /= 2)
    for (;;) {
      few = bytes < channels * THREADS_COLLNET * heads * each;
      if (!few || channels <= floor)
        break;
      if (channels == floor + floor / 2)
        each /= 2;
      channels--;
    }
  return channels;
}

static uint64_t nvls_channels(const dtci_nccl_job *job)
{
  if (job->generation == DTCI_NCCL_HOPPER)
    return NVLS_HOPPER;
  return job->n.nodes == 1 ? NVLS_BLACKWELL_ONE : NVLS_BLACKWELL;
}

uint64_t dtci_nccl_channels(const dtci_nccl_job *job, dtc_nccl_algorithm algorithm, dtc_nccl_protocol protocol,
                            uint64_t bytes)
{
  switch (algorithm) {
  case DTC_NCCL_ALGORITHM_PAT:
    return job->n.channels;
  case DTC_NCCL_ALGORITHM_NVLS_TREE:
    return nvls_channels(job);
  case DTC_NCCL_ALGORITHM_NVLS:
    return job->n.nodes == 1 ? nvls_channels(job) : dtci_smaller(nvls_channels(job), job->n.channels);
  case DTC_NCCL_ALGORITHM_COLLNET_DIRECT:
    return direct_channels(job, bytes);
  case DTC_NCCL_ALGORITHM_COLLNET_CHAIN:
    return busy_channels(job->n.channels, THREADS_COLLNET * BYTES_COLLNET, bytes);
  default:
    return busy_channels(job->n.channels, ring_bytes(job, algorithm, protocol), bytes);
  }
}

/* ---- ranges of sizes ------------------------------------------------------------------------- */

/* Last size behind `at` that all rows are corrected for as at `at`. */
static uint64_t piece_end(const dtci_nccl_job *job, uint64_t at)
{
  uint64_t next = UINT64_MAX;
  uint64_t plateau = plateau_of(job);
  if (job->op == DTC_COLLECTIVE_ALL_REDUCE && at < (uint64_t)SMALLEST << DTCI_NCCL_FACTORS)
    for (next = SMALLEST; next <= at;)
      next *= 2;
  if (at < plateau)
    next = dtci_smaller(next, plateau);
  return next == UINT64_MAX ? next : next - 1;
}

static void enter_piece(const dtci_nccl_job *job, dtci_nccl_walk *w)
{
  w->end = dtci_smaller(piece_end(job, w->at), w->last);
  w->left = 0;
  memcpy(w->corrected, w->rows, w->n * sizeof w->rows[0]);
  for (size_t i = 0; i < w->n; i++)
    correct(job, w->at, &w->corrected[i]);
}

void dtci_nccl_walk_from(const dtci_nccl_job *job, uint64_t first, uint64_t last, dtci_nccl_walk *w)
{
  w->n = dtci_nccl_rows(job, w->rows);
  w->at = first;
  w->last = last;
  w->algorithm = DTC_NCCL_ALGORITHM_NONE;
  w->protocol = DTC_NCCL_PROTOCOL_NONE;
  w->done = 0;
  enter_piece(job, w);
}

/* First size of the piece behind `at` whose best row is another than `row`; 0 when there is none. Times are straight
 * lines in the piece: a row that was left once does not come back, so that bisection finds the place. */
static uint64_t next_change(const dtci_nccl_job *job, const dtci_nccl_walk *w, size_t row)
{
  uint64_t same = w->at;
  uint64_t other = w->end;
  if (best_of(job, w->corrected, w->n, w->left, other) == row)
    return 0;
  while (other - same > 1) {
    uint64_t middle = same + (other - same) / 2;
    if (best_of(job, w->corrected, w->n, w->left, middle) == row)
      same = middle;
    else
      other = middle;
  }
  return other;
}

int dtci_nccl_next(const dtci_nccl_job *job, dtci_nccl_walk *w, dtc_nccl_range *range)
{
  while (!w->done) {
    uint64_t at = w->at;
    size_t best = best_of(job, w->corrected, w->n, w->left, at);
    dtc_nccl_row row = w->corrected[best];
    uint64_t change = next_change(job, w, best);
    if (change != 0) {
      w->at = change;
      w->left |= 1u << best;
    } else if (w->end == w->last) {
      w->done = 1;
    } else {
      w->at = w->end + 1;
      enter_piece(job, w);
    }
    if (row.algorithm == w->algorithm && row.protocol == w->protocol)
      continue;
    w->algorithm = row.algorithm;
    w->protocol = row.protocol;
    *range = (dtc_nccl_range){at, row.algorithm, row.protocol, dtci_nccl_time(&row, at)};
    return 1;
  }
  return 0;
}

static dtc_status write_ranges(const dtc_nccl *nccl, dtc_collective op, uint64_t first, uint64_t last,
                               dtc_nccl_range *out, size_t cap, size_t *count, dtc_error *e)
{
  dtc_nccl n;
  dtci_nccl_job job;
  dtci_nccl_walk walk;
  dtc_nccl_range range;
  size_t found = 0;
  TRY(dtci_nccl_in(nccl, &n, e));
  TRY(dtci_nccl_begin(&n, op, &job, e));
  TRY(dtci_check_range(e, DTCI_ARG(LAST), last, first, UINT64_MAX));
  dtci_nccl_walk_from(&job, first, last, &walk);
  for (; dtci_nccl_next(&job, &walk, &range); found++)
    if (found < cap) {
      out[found] = range;
      out[found].seconds *= 1e-6;
    }
  *count = found;
  return found <= cap ? DTC_OK : dtci_fail_space(e, cap, found);
}

dtc_status dtc_nccl_switches(const dtc_nccl *nccl, dtc_collective op, uint64_t first, uint64_t last,
                             dtc_nccl_range *out, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(write_ranges(nccl, op, first, last, out, cap, count, &e), &e, err);
}
