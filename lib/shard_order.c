/* Tensors in the order of a key: the layouts that balance or pack take the greatest first. */
#include "internal/shard.h"

int dtci_wide_less(dtci_wide a, dtci_wide b)
{
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

dtci_wide dtci_wide_sum(dtci_wide a, dtci_wide b)
{
  uint64_t low = a.low + b.low;
  return (dtci_wide){a.high + b.high + (low < a.low), low};
}

dtci_wide dtci_cost_of(const dtc_shape *shape)
{
  uint64_t numel = dtci_numel(shape);
  uint64_t side = dtci_smaller(shape->rows, shape->cols); /* at most 2^28 */
  if (dtci_dims(shape) != 2)
    return (dtci_wide){0, numel};
  uint64_t low = (uint32_t)numel * side;
  uint64_t middle = (numel >> 32) * side + (low >> 32);
  return (dtci_wide){middle >> 32, middle << 32 | (uint32_t)low};
}

static dtci_wide key_of(const dtc_shape *shape, dtci_order_key key)
{
  if (key == DTCI_ORDER_COST)
    return dtci_cost_of(shape);
  return (dtci_wide){0, key == DTCI_ORDER_COLS ? shape->cols : dtci_numel(shape)};
}

/* Merges order[low, middle) and order[middle, high) into `to`; equal keys keep their order. */
static void merge(const dtc_shape *shapes, dtci_order_key key, const uint64_t *order, uint64_t *to,
                  const size_t bounds[3])
{
  size_t a = bounds[0];
  size_t b = bounds[1];
  for (size_t k = bounds[0]; k < bounds[2]; k++) {
    int first = b == bounds[2] ||
                (a < bounds[1] && !dtci_wide_less(key_of(&shapes[order[a]], key), key_of(&shapes[order[b]], key)));
    to[k] = first ? order[a++] : order[b++];
  }
}

void dtci_order_down(const dtc_shape *shapes, dtci_order_key key, uint64_t *order, uint64_t *spare, size_t n)
{
  uint64_t *from = order;
  uint64_t *to = spare;
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t low = 0; low < n; low += 2 * width) {
      size_t middle = low + width < n ? low + width : n;
      size_t high = middle + width < n ? middle + width : n;
      merge(shapes, key, from, to, (const size_t[3]){low, middle, high});
    }
    uint64_t *swapped = from;
    from = to;
    to = swapped;
  }
  if (from != order && n != 0)
    memcpy(order, from, n * sizeof *order);
}
