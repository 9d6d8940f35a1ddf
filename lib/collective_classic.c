/* Costs of the textbooks' algorithms, as the comments of MPICH 6a79bf65 (src/mpi/coll) state them: a per message, b per
 * byte, c per byte reduced. */
#include "internal/collective.h"

#define BYTES_MOST ((uint64_t)1 << 50)
#define RANKS_MOST ((uint64_t)1 << 32)
static const double cost_most = 1e6;

enum { DOUBLINGS_UP, RANKS_LESS_ONE, TWICE_DOUBLINGS, TWICE_RANKS, ONE };
enum { WHOLE, PART, TWICE_PART, TWICE_WHOLE, WHOLE_DOUBLINGS, HALF_DOUBLINGS, NOTHING };

/* Messages, vectors on the wire, and vectors reduced. */
typedef struct classic_row {
  uint8_t algorithm;
  uint8_t op;
  uint8_t messages;
  uint8_t wire;
  uint8_t reduced;
} classic_row;

static const classic_row rows[] = {
    {DTC_CLASSIC_RING, DTC_COLLECTIVE_ALL_GATHER, RANKS_LESS_ONE, PART, NOTHING},
    {DTC_CLASSIC_RING, DTC_COLLECTIVE_REDUCE_SCATTER, RANKS_LESS_ONE, PART, PART},
    {DTC_CLASSIC_RING, DTC_COLLECTIVE_ALL_REDUCE, TWICE_RANKS, TWICE_PART, PART},
    {DTC_CLASSIC_RECURSIVE_DOUBLING, DTC_COLLECTIVE_ALL_REDUCE, DOUBLINGS_UP, WHOLE_DOUBLINGS, WHOLE_DOUBLINGS},
    {DTC_CLASSIC_RECURSIVE_DOUBLING, DTC_COLLECTIVE_ALL_GATHER, DOUBLINGS_UP, PART, NOTHING},
    {DTC_CLASSIC_RABENSEIFNER, DTC_COLLECTIVE_ALL_REDUCE, TWICE_DOUBLINGS, TWICE_PART, PART},
    {DTC_CLASSIC_BRUCK, DTC_COLLECTIVE_ALL_TO_ALL, DOUBLINGS_UP, HALF_DOUBLINGS, NOTHING},
    {DTC_CLASSIC_BRUCK, DTC_COLLECTIVE_ALL_GATHER, DOUBLINGS_UP, PART, NOTHING},
    {DTC_CLASSIC_BINOMIAL, DTC_COLLECTIVE_BROADCAST, DOUBLINGS_UP, WHOLE_DOUBLINGS, NOTHING},
    {DTC_CLASSIC_BINOMIAL, DTC_COLLECTIVE_REDUCE, DOUBLINGS_UP, WHOLE_DOUBLINGS, WHOLE_DOUBLINGS},
    {DTC_CLASSIC_BINOMIAL, DTC_COLLECTIVE_GATHER, DOUBLINGS_UP, PART, NOTHING},
    {DTC_CLASSIC_BINOMIAL, DTC_COLLECTIVE_SCATTER, DOUBLINGS_UP, PART, NOTHING},
    {DTC_CLASSIC_PAIRWISE, DTC_COLLECTIVE_ALL_TO_ALL, RANKS_LESS_ONE, WHOLE, NOTHING},
    {DTC_CLASSIC_PAIRWISE, DTC_COLLECTIVE_REDUCE_SCATTER, RANKS_LESS_ONE, PART, PART},
    {DTC_CLASSIC_SCATTER_GATHER, DTC_COLLECTIVE_BROADCAST, TWICE_DOUBLINGS, TWICE_PART, NOTHING},
    {DTC_CLASSIC_DOUBLE_TREE, DTC_COLLECTIVE_ALL_REDUCE, TWICE_DOUBLINGS, TWICE_WHOLE, WHOLE},
    {DTC_CLASSIC_DOUBLE_TREE, DTC_COLLECTIVE_BROADCAST, DOUBLINGS_UP, WHOLE, NOTHING},
    {DTC_CLASSIC_DOUBLE_TREE, DTC_COLLECTIVE_REDUCE, DOUBLINGS_UP, WHOLE, WHOLE},
    {DTC_CLASSIC_DISSEMINATION, DTC_COLLECTIVE_BARRIER, DOUBLINGS_UP, NOTHING, NOTHING},
};

static double messages_of(uint32_t kind, uint64_t ranks)
{
  double doublings = dtci_log2_up(ranks);
  double less = (double)(ranks - 1);
  const double counts[] = {doublings, less, 2 * doublings, 2 * less, 1};
  return counts[kind];
}

/* Vectors. */
static double wires_of(uint32_t kind, uint64_t ranks)
{
  double doublings = dtci_log2_up(ranks);
  double part = (double)(ranks - 1) / (double)ranks;
  const double sums[] = {1, part, 2 * part, 2, doublings, doublings / 2, 0};
  return sums[kind];
}

static double cost_of(const classic_row *row, double bytes, uint64_t ranks, double alpha, double beta, double gamma)
{
  double messages = messages_of(row->messages, ranks);
  double wires = wires_of(row->wire, ranks);
  double reduced = wires_of(row->reduced, ranks);
  if (row->algorithm == DTC_CLASSIC_RABENSEIFNER && (ranks & (ranks - 1)) != 0) {
    wires += 2; /* ranks beyond a power of two hand their vector over, and get the result */
    reduced += 1;
  }
  return messages * alpha + wires * bytes * beta + reduced * bytes * gamma;
}

static dtc_status classic(dtc_classic algorithm, dtc_collective op, uint64_t bytes, uint64_t ranks,
                          const double cost[3], double *seconds, dtc_error *e)
{
  TRY(dtci_check_range(e, DTCI_ARG(ALGORITHM), algorithm, 0, DTC_CLASSIC_DISSEMINATION));
  if (op == DTC_COLLECTIVE_NONE || op > DTC_COLLECTIVE_BARRIER)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_COLLECTIVE_OP, DTCI_ARG(OP), op, 1, DTC_COLLECTIVE_BARRIER);
  TRY(dtci_check_range(e, DTCI_ARG(BYTES), bytes, 0, BYTES_MOST));
  TRY(dtci_check_range(e, DTCI_ARG(RANKS), ranks, 1, RANKS_MOST));
  TRY(dtci_check_double(e, DTCI_ARG(ALPHA), cost[0], 0, cost_most));
  TRY(dtci_check_double(e, DTCI_ARG(BETA), cost[1], 0, cost_most));
  TRY(dtci_check_double(e, DTCI_ARG(GAMMA), cost[2], 0, cost_most));
  const classic_row message = {DTC_CLASSIC_HOCKNEY, 0, ONE, WHOLE, NOTHING};
  const classic_row *row = algorithm == DTC_CLASSIC_HOCKNEY ? &message : NULL;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].algorithm == algorithm && rows[i].op == op)
      row = &rows[i];
  if (row == NULL) {
    dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_CLASSIC, DTCI_ARG(ALGORITHM), algorithm);
    e->other = DTCI_ARG(OP);
    e->other_got = op;
    return DTC_E_CONFLICT;
  }
  *seconds = ranks > 1 ? cost_of(row, (double)bytes, ranks, cost[0], cost[1], cost[2]) : 0;
  return DTC_OK;
}

dtc_status dtc_collective_classic(uint64_t bytes, uint64_t ranks, dtc_collective op, double alpha, double beta,
                                  double gamma, dtc_classic algorithm, double *seconds, dtc_error *err)
{
  dtc_error e;
  const double cost[3] = {alpha, beta, gamma};
  double sum = 0;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = classic(algorithm, op, bytes, ranks, cost, &sum, &e);
  if (s == DTC_OK)
    *seconds = sum;
  return dtci_end(s, &e, err);
}
