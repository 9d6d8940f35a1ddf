/* What the launchers share: limits, lists of the caller, sorting in the output array. */
#ifndef DTCI_TASKS_H
#define DTCI_TASKS_H

#include "internal/internal.h"

#include <dtcore/tasks.h>

enum { DTCI_NODES_MAX = 1 << 20, DTCI_TASKS_MAX = 1 << 24, DTCI_WORKERS_MAX = 1 << 16 };

/* Every element of a list lies in its range. */
dtc_status dtci_list_ok(const uint64_t *list, size_t n, uint32_t field, uint64_t min, uint64_t max, dtc_error *e);
/* `total` tasks fit the output array; *count is written when they do not. */
dtc_status dtci_tasks_room(uint64_t total, size_t cap, size_t *count, dtc_error *e);
/* `got` workers in all are within bounds. */
dtc_status dtci_tasks_total(uint64_t got, uint32_t field, dtc_error *e);

/* What nodes in an output array are sorted by; the other of the two is NULL. Equal ones by `node`. */
typedef struct dtci_key {
  const uint64_t *rank; /* of each node */
  const char *text;     /* with the node's name, local bytes at local_env */
} dtci_key;

/* Like memcmp(): the keys of two nodes. */
int dtci_tasks_compare(const dtci_key *key, const dtc_task *a, const dtc_task *b);
/* Heapsort, in place and in O(n log n): the first makes a heap whose top is the last element, the second puts the node
 * in the place of the top when it comes before, the third sorts. */
void dtci_tasks_heap(dtc_task *t, uint64_t n, const dtci_key *key);
void dtci_tasks_keep_least(dtc_task *t, uint64_t n, dtc_task node, const dtci_key *key);
void dtci_tasks_sort(dtc_task *t, uint64_t n, const dtci_key *key);

#endif
