/* The best of two searches. */
#include "internal/search.h"

static dtc_status check_found(const dtc_found *found, size_t n, dtc_error *e)
{
  for (size_t i = 0; i < n; i++)
    TRY(dtci_ranges(&found[i], DTC_STRUCT_found, e));
  return DTC_OK;
}

/* Two sorted lists. */
typedef struct lists {
  const dtc_found *left;
  const dtc_found *right;
  size_t n_left;
  size_t n_right;
} lists;

static dtc_status merge(lists l, uint64_t keep, dtc_found *best, size_t cap, size_t *count, dtc_error *e)
{
  size_t n = 0;
  size_t i = 0;
  size_t k = 0;
  uint64_t last = DTC_NONE;
  TRY(check_found(l.left, l.n_left, e));
  TRY(check_found(l.right, l.n_right, e));
  while ((keep == 0 || n < keep) && (i < l.n_left || k < l.n_right)) {
    int from_left = k == l.n_right || (i < l.n_left && !dtci_before(&l.right[k], &l.left[i]));
    const dtc_found *one = from_left ? &l.left[i++] : &l.right[k++];
    if (n != 0 && one->index == last)
      continue;
    last = one->index;
    if (n < cap)
      best[n] = *one;
    n++;
  }
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_search_merge(const dtc_found *left, size_t n_left, const dtc_found *right, size_t n_right, uint64_t keep,
                            dtc_found *best, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  const lists l = {left, right, n_left, n_right};
  return dtci_begin(&e, err) ? dtci_end(merge(l, keep, best, cap, count, &e), &e, err) : DTC_E_SIZE;
}
