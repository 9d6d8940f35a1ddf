/* Sorting in place, without recursion: a heap. */
#include "internal/internal.h"

static int before(const uint64_t *by, uint64_t a, uint64_t b)
{
  return by != NULL && by[a] != by[b] ? by[a] < by[b] : a < b;
}

/* Lets list[at] sink to where nothing below it comes after it. */
static void sink(uint64_t *list, size_t at, size_t n, const uint64_t *by)
{
  uint64_t moved = list[at];
  for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
    child += child + 1 < n && before(by, list[child], list[child + 1]);
    if (!before(by, moved, list[child]))
      break;
    list[at] = list[child];
    at = child;
  }
  list[at] = moved;
}

void dtci_sort(uint64_t *list, size_t n, const uint64_t *by)
{
  for (size_t i = n / 2; i-- > 0;)
    sink(list, i, n, by);
  for (size_t end = n; end > 1; end--) {
    uint64_t greatest = list[0];
    list[0] = list[end - 1];
    list[end - 1] = greatest;
    sink(list, 0, end - 1, by);
  }
}
