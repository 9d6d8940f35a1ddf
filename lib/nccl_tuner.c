/* Configuration of NCCL's example tuner plugin. Source of the format: NVIDIA/nccl plugins/tuner/example/plugin.c, which
 * sets *nChannels to 1 before it reads the lines and leaves it so for a line with -1; src/enqueue.cc takes what is not 0. */
#include "internal/nccl.h"

/* The plugin's words. */
static const char words[][16] = {
    [DTC_COLLECTIVE_ALL_REDUCE] = "allreduce", [DTC_COLLECTIVE_REDUCE_SCATTER] = "reducescatter",
    [DTC_COLLECTIVE_ALL_GATHER] = "allgather", [DTC_COLLECTIVE_REDUCE] = "reduce",
    [DTC_COLLECTIVE_BROADCAST] = "broadcast",
};

static void put_comma(dtci_text *t, uint64_t v)
{
  dtci_put_u64(t, v);
  dtci_puts(t, ",");
}

static void put_line(dtci_text *t, const dtci_nccl_job *job, const dtc_nccl_range *range, uint64_t first, uint64_t last,
                     uint64_t channels)
{
  dtci_puts(t, words[job->op]);
  dtci_puts(t, ",");
  put_comma(t, first);
  put_comma(t, last);
  dtci_puts(t, dtc_value_name(DTC_FIELD(nccl_range, algorithm), range->algorithm));
  dtci_puts(t, ",");
  dtci_puts(t, dtc_value_name(DTC_FIELD(nccl_range, protocol), range->protocol));
  dtci_puts(t, ",");
  put_comma(t, channels);
  put_comma(t, job->n.nodes);
  dtci_put_u64(t, job->n.nodes * job->n.per_node);
  dtci_puts(t, "\n");
}

/* The next power of two above a size; 0 when there is none. */
static uint64_t power_above(uint64_t v)
{
  uint64_t power = 1;
  while (power != 0 && power <= v)
    power *= 2;
  return power;
}

/* A range as lines: a new one where, at a power of two, the channels are others; never more than NCCL would use. */
static void put_range(dtci_text *t, const dtci_nccl_job *job, const dtc_nccl_range *range, uint64_t last)
{
  uint64_t first = range->first;
  uint64_t channels = dtci_nccl_channels(job, range->algorithm, range->protocol, first);
  for (uint64_t at = power_above(first); at != 0 && at <= last; at *= 2) {
    uint64_t more = dtci_nccl_channels(job, range->algorithm, range->protocol, at);
    if (more == channels)
      continue;
    put_line(t, job, range, first, at - 1, channels);
    first = at;
    channels = more;
  }
  put_line(t, job, range, first, last, channels);
}

static void put_operation(dtci_text *t, const dtci_nccl_job *job)
{
  dtci_nccl_walk walk;
  dtc_nccl_range range;
  dtc_nccl_range next;
  dtci_nccl_walk_from(job, 0, UINT64_MAX, &walk);
  int more = dtci_nccl_next(job, &walk, &range);
  while (more) {
    more = dtci_nccl_next(job, &walk, &next);
    put_range(t, job, &range, more ? next.first - 1 : UINT64_MAX);
    range = next;
  }
}

static void put_head(dtci_text *t, const dtc_nccl *n)
{
  dtci_puts(t, "# NCCL ");
  dtci_put_release(t, n->version);
  dtci_puts(t, ", nodes ");
  dtci_put_u64(t, n->nodes);
  dtci_puts(t, ", ranks of a node ");
  dtci_put_u64(t, n->per_node);
  dtci_puts(t, ": operation,first,last,algorithm,protocol,channels,nodes,ranks\n");
}

static dtc_status write_tuner(const dtc_nccl *nccl, dtc_collective op, dtci_text *t, dtc_error *e)
{
  dtc_nccl n;
  dtci_nccl_job job;
  TRY(dtci_nccl_in(nccl, &n, e));
  dtc_collective first = op == DTC_COLLECTIVE_NONE ? DTC_COLLECTIVE_ALL_REDUCE : op;
  dtc_collective last = op == DTC_COLLECTIVE_NONE ? DTC_COLLECTIVE_BROADCAST : op;
  TRY(dtci_nccl_begin(&n, first, &job, e));
  put_head(t, &n);
  for (dtc_collective c = first; c <= last; c++) {
    TRY(dtci_nccl_begin(&n, c, &job, e));
    put_operation(t, &job);
  }
  return DTC_OK;
}

dtc_status dtc_nccl_tuner_write(const dtc_nccl *nccl, dtc_collective op, char *buf, size_t cap, size_t *len,
                                dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtci_text t = {buf, buf != NULL ? cap : 0, 0};
  dtc_status status = write_tuner(nccl, op, &t, &e);
  if (status == DTC_OK) {
    dtci_end_text(&t);
    *len = t.len;
  }
  return dtci_end(status, &e, err);
}
