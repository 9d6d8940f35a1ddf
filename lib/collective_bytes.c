/* Bytes that ranks move: of every operation in closed form, and of an uneven all-to-all. */
#include "internal/collective.h"

enum { RANKS_MOST = 65536 };
#define BYTES_MOST ((uint64_t)1 << 50)
#define GROUP_MOST ((uint64_t)1 << 32)

/* Bytes of a shard: the first ones take the rest. */
static uint64_t shard(uint64_t bytes, uint64_t ranks, uint64_t i)
{
  return bytes / ranks + (i < bytes % ranks);
}

/* Around a ring a rank ends a reduction with its own shard, and begins a gathering with it: it does not send the shard
 * that ends with it, nor receive the one that begins with it. */
static dtc_traffic reduced(uint64_t bytes, uint64_t ranks, uint64_t rank)
{
  uint64_t before = rank != 0 ? rank - 1 : ranks - 1;
  return (dtc_traffic){bytes - shard(bytes, ranks, rank), bytes - shard(bytes, ranks, before)};
}

static dtc_traffic gathered(uint64_t bytes, uint64_t ranks, uint64_t rank)
{
  uint64_t next = rank + 1 < ranks ? rank + 1 : 0;
  return (dtc_traffic){bytes - shard(bytes, ranks, next), bytes - shard(bytes, ranks, rank)};
}

static dtc_traffic traffic(dtc_collective op, uint64_t bytes, uint64_t ranks, uint64_t rank)
{
  uint64_t own = shard(bytes, ranks, rank);
  uint64_t rest = bytes - shard(bytes, ranks, 0); /* the root's part stays where it is */
  int first = rank == 0;
  int last = rank + 1 == ranks;
  dtc_traffic a = reduced(bytes, ranks, rank);
  dtc_traffic b = gathered(bytes, ranks, rank);
  switch (op) {
  case DTC_COLLECTIVE_ALL_REDUCE:
    return (dtc_traffic){a.sent + b.sent, a.received + b.received};
  case DTC_COLLECTIVE_REDUCE_SCATTER:
    return a;
  case DTC_COLLECTIVE_ALL_GATHER:
    return b;
  case DTC_COLLECTIVE_REDUCE:
    return (dtc_traffic){first ? 0 : bytes, last ? 0 : bytes};
  case DTC_COLLECTIVE_BROADCAST:
    return (dtc_traffic){last ? 0 : bytes, first ? 0 : bytes};
  case DTC_COLLECTIVE_ALL_TO_ALL:
    return (dtc_traffic){bytes - own, own * (ranks - 1)};
  case DTC_COLLECTIVE_SEND_RECV:
    return (dtc_traffic){bytes, bytes};
  case DTC_COLLECTIVE_GATHER:
    return first ? (dtc_traffic){0, rest} : (dtc_traffic){own, 0};
  case DTC_COLLECTIVE_SCATTER:
    return first ? (dtc_traffic){rest, 0} : (dtc_traffic){0, own};
  default:
    return (dtc_traffic){0, 0};
  }
}

static dtc_status check(dtc_collective op, uint64_t bytes, uint64_t ranks, uint64_t rank, dtc_error *e)
{
  if (op == DTC_COLLECTIVE_NONE || op > DTC_COLLECTIVE_BARRIER)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_COLLECTIVE_OP, DTCI_ARG(OP), op, 1, DTC_COLLECTIVE_BARRIER);
  TRY(dtci_check_range(e, DTCI_ARG(BYTES), bytes, 0, BYTES_MOST));
  TRY(dtci_check_range(e, DTCI_ARG(RANKS), ranks, 1, GROUP_MOST));
  return dtci_check_range(e, DTCI_ARG(RANK), rank, 0, ranks - 1);
}

dtc_status dtc_collective_bytes(uint64_t bytes, uint64_t ranks, uint64_t rank, dtc_collective op, dtc_traffic *out,
                                dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = check(op, bytes, ranks, rank, &e);
  if (s == DTC_OK)
    *out = ranks > 1 ? traffic(op, bytes, ranks, rank) : (dtc_traffic){0, 0};
  return dtci_end(s, &e, err);
}

/* ---- uneven all-to-all ----------------------------------------------------------------------- */

/* What rank i sends to others and receives from them. */
static dtc_status sums_of(const uint64_t *matrix, uint64_t ranks, uint64_t i, uint64_t per_node, dtc_traffic *sum,
                          uint64_t *between, dtc_error *e)
{
  int bad = 0;
  *sum = (dtc_traffic){0, 0};
  for (uint64_t j = 0; j < ranks; j++) {
    uint64_t to = matrix[i * ranks + j];
    uint64_t from = matrix[j * ranks + i];
    TRY(dtci_check_range(e, DTCI_ARG(MATRIX), to, 0, BYTES_MOST));
    TRY(dtci_check_range(e, DTCI_ARG(MATRIX), from, 0, BYTES_MOST));
    if (i == j)
      continue;
    sum->sent = dtci_add(sum->sent, to, &bad);
    sum->received = dtci_add(sum->received, from, &bad);
    if (i / per_node != j / per_node)
      *between = dtci_add(*between, to, &bad);
  }
  return bad ? dtci_fail_overflow(e, DTCI_ARG(MATRIX), i) : DTC_OK;
}

static uint64_t most(dtc_traffic t)
{
  return t.sent > t.received ? t.sent : t.received;
}

static dtc_status exchange(const uint64_t *matrix, size_t n_matrix, uint64_t ranks, uint64_t per_node, dtc_exchange *x,
                           dtc_error *e)
{
  int bad = 0;
  TRY(dtci_check_range(e, DTCI_ARG(RANKS), ranks, 1, RANKS_MOST));
  TRY(dtci_check_range(e, DTCI_ARG(DOMAIN), per_node, 1, RANKS_MOST));
  if (matrix == NULL || n_matrix != ranks * ranks)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_COLLECTIVE_MATRIX, DTCI_ARG(MATRIX), n_matrix, ranks * ranks,
                            ranks * ranks);
  for (uint64_t i = 0; i < ranks; i++) {
    dtc_traffic sum;
    TRY(sums_of(matrix, ranks, i, per_node, &sum, &x->between, e));
    x->total = dtci_add(x->total, sum.sent, &bad);
    if (most(sum) <= most((dtc_traffic){x->sent, x->received}))
      continue;
    x->rank = i;
    x->sent = sum.sent;
    x->received = sum.received;
  }
  uint64_t slowest = most((dtc_traffic){x->sent, x->received});
  if (ranks > 1)
    x->bytes = dtci_ceil_div(dtci_mul(slowest, ranks, &bad), ranks - 1);
  return bad ? dtci_fail_overflow(e, DTCI_ARG(MATRIX), slowest) : DTC_OK;
}

dtc_status dtc_collective_exchange(const uint64_t *matrix, size_t n_matrix, uint64_t ranks, uint64_t per_node,
                                   dtc_exchange *out, dtc_error *err)
{
  dtc_error e;
  dtc_exchange x = {.struct_size = sizeof x};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = exchange(matrix, n_matrix, ranks, per_node, &x, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_exchange, &x, &e), &e, err);
}
