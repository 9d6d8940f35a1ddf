/* Launchers that read host names: torchrun's c10d rendezvous and DeepSpeed's hostfile.
 *
 * The output array is the working space: entry k stands for host k, its name being the `local` bytes at local_env. */
#include "internal/hostfile.h"
#include "internal/tasks.h"

static dtc_status fail_at(dtc_status status, dtc_rule rule, uint32_t field, uint64_t got, size_t at, dtc_error *e)
{
  dtci_fail(e, status, rule, field, got);
  e->offset = at;
  return status;
}

static dtc_status check_len(uint32_t field, size_t len, dtc_error *e)
{
  return len <= UINT32_MAX ? DTC_OK : dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH, field, len, 0, UINT32_MAX);
}

/* Sorts the hosts by name; refuses the first in the text that was there before. */
static dtc_status sort_hosts(const char *text, dtc_task *t, uint64_t n, uint32_t field, dtc_error *e)
{
  uint64_t twice = DTC_NONE;
  dtci_key by_name = {.text = text};
  dtci_tasks_sort(t, n, &by_name);
  for (uint64_t k = 1; k < n; k++)
    if (dtci_tasks_compare(&by_name, &t[k - 1], &t[k]) == 0 && t[k].local_env < twice)
      twice = t[k].local_env;
  return twice == DTC_NONE ? DTC_OK : fail_at(DTC_E_CONFLICT, DTC_RULE_HOST_TWICE, field, DTC_NONE, (size_t)twice, e);
}

/* ---- c10d ------------------------------------------------------------------------------------ */

static dtc_status c10d_total(const char *text, size_t len, const uint64_t *workers, size_t n, uint64_t *hosts,
                             uint64_t *total, dtc_error *e)
{
  uint64_t found = 0;
  uint64_t sum = 0;
  TRY(check_len(DTCI_ARG(HOSTS), len, e));
  for (size_t pos = 0; dtci_next_name(text, len, &pos) != 0;)
    found++;
  if (found == 0)
    return fail_at(DTC_E_PARSE, DTC_RULE_HOST_NONE, DTCI_ARG(HOSTS), DTC_NONE, len, e);
  if (found > DTCI_NODES_MAX)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH, DTCI_ARG(HOSTS), found, 1, DTCI_NODES_MAX);
  if (n != 1 && n != found)
    return dtci_fail_within(e, DTC_E_CONFLICT, DTC_RULE_LENGTH_OR_ONE, DTCI_ARG(WORKERS), n, 1, found);
  TRY(dtci_list_ok(workers, n, DTCI_ARG(WORKERS), 1, DTCI_WORKERS_MAX, e));
  for (size_t i = 0; i < found; i++)
    sum += workers[n > 1 ? i : 0];
  *hosts = found;
  *total = sum;
  return dtci_tasks_total(sum, DTCI_ARG(WORKERS), e);
}

/* Participants are sorted by (host name, process id, a count in the process), and that is the group rank:
 * torch/distributed/elastic/rendezvous/dynamic_rendezvous.py, _NodeDesc. */
static dtc_status c10d(const char *text, size_t len, const uint64_t *workers, size_t n, dtc_task *tasks, size_t cap,
                       size_t *count, dtc_error *e)
{
  uint64_t hosts = 0;
  uint64_t total = 0;
  size_t pos = 0;
  TRY(c10d_total(text, len, workers, n, &hosts, &total, e));
  TRY(dtci_tasks_room(total, cap, count, e));
  for (uint32_t i = 0; i < hosts; i++) {
    size_t n_name = dtci_next_name(text, len, &pos);
    tasks[i] = (dtc_task){.node = i, .local_rank = (uint32_t)n_name, .local_env = (uint32_t)(pos - n_name)};
  }
  TRY(sort_hosts(text, tasks, hosts, DTCI_ARG(HOSTS), e));
  /* From the last host on, so that none is overwritten before it is read: each has at least one worker. */
  uint64_t end = total;
  for (uint64_t rank = hosts; rank-- > 0;) {
    uint32_t node = tasks[rank].node;
    uint64_t own = workers[n > 1 ? node : 0];
    end -= own;
    for (uint32_t local = 0; local < own; local++)
      tasks[end + local] = (dtc_task){node, local, local, (uint32_t)rank};
  }
  *count = dtci_count(total);
  return DTC_OK;
}

dtc_status dtc_tasks_c10d(const char *hosts, size_t len, const uint64_t *workers, size_t n_workers, dtc_task *tasks,
                          size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  len = hosts != NULL ? len : 0;
  n_workers = workers != NULL ? n_workers : 0;
  return dtci_end(c10d(hosts, len, workers, n_workers, tasks, cap, count, &e), &e, err);
}

/* ---- DeepSpeed ------------------------------------------------------------------------------- */

static dtc_status hostfile_total(dtci_hostfile h, uint64_t *total, dtc_error *e)
{
  uint64_t hosts = 0;
  int found = 0;
  TRY(check_len(DTCI_ARG(HOSTFILE), h.len, e));
  for (;; hosts++) {
    TRY(dtci_next_host(&h, &found, e));
    if (!found)
      break;
    *total += h.slots;
    TRY(dtci_tasks_total(*total, DTCI_ARG(HOSTFILE), e));
  }
  if (hosts == 0)
    return fail_at(DTC_E_PARSE, DTC_RULE_HOST_NONE, DTCI_ARG(HOSTFILE), DTC_NONE, h.len, e);
  return DTC_OK;
}

static dtc_status refuse_twice(dtci_hostfile h, dtc_task *t, dtc_error *e)
{
  uint64_t hosts = 0;
  int found = 0;
  for (;; hosts++) {
    TRY(dtci_next_host(&h, &found, e));
    if (!found)
      break;
    t[hosts] = (dtc_task){(uint32_t)hosts, (uint32_t)h.host_n, (uint32_t)h.host, 0};
  }
  return sort_hosts(h.text, t, hosts, DTCI_ARG(HOSTFILE), e);
}

/* Ranks ascend host by host; LOCAL_RANK is the global rank modulo the host's processes: launcher/launch.py. */
static dtc_status deepspeed(dtci_hostfile h, dtc_task *tasks, size_t cap, size_t *count, dtc_error *e)
{
  uint64_t total = 0;
  uint64_t rank = 0;
  int found = 0;
  TRY(hostfile_total(h, &total, e));
  TRY(dtci_tasks_room(total, cap, count, e));
  TRY(refuse_twice(h, tasks, e));
  for (uint32_t node = 0; rank < total; node++) {
    TRY(dtci_next_host(&h, &found, e));
    for (uint32_t local = 0; local < h.slots; local++, rank++)
      tasks[rank] = (dtc_task){node, local, (uint32_t)(rank % h.slots), node};
  }
  *count = dtci_count(total);
  return DTC_OK;
}

dtc_status dtc_tasks_deepspeed(const char *text, size_t len, dtc_task *tasks, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtci_hostfile h = {.text = text, .len = text != NULL ? len : 0};
  return dtci_end(deepspeed(h, tasks, cap, count, &e), &e, err);
}
