/* What the launchers share, and torchrun with a static rendezvous. */
#include "internal/tasks.h"

dtc_status dtci_list_ok(const uint64_t *list, size_t n, uint32_t field, uint64_t min, uint64_t max, dtc_error *e)
{
  for (size_t i = 0; i < n; i++) {
    if (list[i] >= min && list[i] <= max)
      continue;
    dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_ELEMENT, field, list[i], min, max);
    e->other = DTCI_ARG(INDEX);
    e->other_got = i;
    e->lower = list[i] > max ? max : DTC_NONE;
    e->upper = list[i] < min ? min : DTC_NONE;
    return DTC_E_RANGE;
  }
  return DTC_OK;
}

dtc_status dtci_tasks_room(uint64_t total, size_t cap, size_t *count, dtc_error *e)
{
  if (total <= cap)
    return DTC_OK;
  *count = dtci_count(total);
  return dtci_fail_space(e, cap, total);
}

dtc_status dtci_tasks_total(uint64_t got, uint32_t field, dtc_error *e)
{
  if (got <= DTCI_TASKS_MAX)
    return DTC_OK;
  dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_SUM, field, got, 1, DTCI_TASKS_MAX);
  e->lower = DTCI_TASKS_MAX;
  return DTC_E_RANGE;
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* Python's strings are ordered by code point, as UTF-8 bytes are. */
static int compare_names(const char *text, const dtc_task *a, const dtc_task *b)
{
  uint32_t shorter = a->local_rank < b->local_rank ? a->local_rank : b->local_rank;
  int order = memcmp(text + a->local_env, text + b->local_env, shorter);
  return order != 0 ? order : (a->local_rank > b->local_rank) - (a->local_rank < b->local_rank);
}

int dtci_tasks_compare(const dtci_key *key, const dtc_task *a, const dtc_task *b)
{
  if (key->rank == NULL)
    return compare_names(key->text, a, b);
  uint64_t x = key->rank[a->node];
  uint64_t y = key->rank[b->node];
  return (x > y) - (x < y);
}

static int before(const dtci_key *key, const dtc_task *a, const dtc_task *b)
{
  int order = dtci_tasks_compare(key, a, b);
  return order != 0 ? order < 0 : a->node < b->node;
}

/* Lets the element at `top` sink to where nothing below it comes after it. */
static void sink(dtc_task *t, uint64_t top, uint64_t n, const dtci_key *key)
{
  dtc_task moved = t[top];
  for (uint64_t child = 2 * top + 1; child < n; child = 2 * top + 1) {
    if (child + 1 < n && before(key, &t[child], &t[child + 1]))
      child++;
    if (!before(key, &moved, &t[child]))
      break;
    t[top] = t[child];
    top = child;
  }
  t[top] = moved;
}

void dtci_tasks_heap(dtc_task *t, uint64_t n, const dtci_key *key)
{
  for (uint64_t i = n / 2; i-- > 0;)
    sink(t, i, n, key);
}

void dtci_tasks_keep_least(dtc_task *t, uint64_t n, dtc_task node, const dtci_key *key)
{
  if (!before(key, &node, &t[0]))
    return;
  t[0] = node;
  sink(t, 0, n, key);
}

void dtci_tasks_sort(dtc_task *t, uint64_t n, const dtci_key *key)
{
  dtci_tasks_heap(t, n, key);
  for (uint64_t end = n; end-- > 1;) {
    dtc_task last = t[end];
    t[end] = t[0];
    t[0] = last;
    sink(t, 0, end, key);
  }
}

/* ---- torchrun -------------------------------------------------------------------------------- */

/* Agents by group rank, which is --node_rank; a worker's rank is the sum of the earlier agents' local world sizes plus
 * its local rank: torch/distributed/elastic/agent/server/api.py, _assign_worker_ranks(). */
static dtc_status torchrun(const uint64_t *workers, size_t n, dtc_task *tasks, size_t cap, size_t *count, dtc_error *e)
{
  uint64_t total = 0;
  if (workers == NULL || n == 0 || n > DTCI_NODES_MAX)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH, DTCI_ARG(WORKERS), workers != NULL ? n : 0, 1,
                            DTCI_NODES_MAX);
  TRY(dtci_list_ok(workers, n, DTCI_ARG(WORKERS), 1, DTCI_WORKERS_MAX, e));
  for (size_t i = 0; i < n; i++)
    total += workers[i];
  TRY(dtci_tasks_total(total, DTCI_ARG(WORKERS), e));
  TRY(dtci_tasks_room(total, cap, count, e));
  for (uint32_t node = 0; node < n; node++)
    for (uint32_t local = 0; local < workers[node]; local++)
      *tasks++ = (dtc_task){node, local, local, node};
  *count = dtci_count(total);
  return DTC_OK;
}

dtc_status dtc_tasks_torchrun(const uint64_t *workers, size_t n_workers, dtc_task *tasks, size_t cap, size_t *count,
                              dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(torchrun(workers, n_workers, tasks, cap, count, &e), &e, err);
}
