/* nccl_ib_hca.csv: devices that NCCL_IB_HCA selects, as `device:port`, between semicolons; none. */
#include "golden.h"

#include <stdio.h>

enum { DEVICES_MAX = 4096, TEXT_SIZE = 1 << 16 };

void golden_nccl_ib_hca(golden *g)
{
  static uint32_t selected[DEVICES_MAX];
  static char text[TEXT_SIZE];
  const char *value = golden_cell(g, "NCCL_IB_HCA"), *devices = golden_cell(g, "devices");
  size_t count = 0, len = 0;
  dtc_error err;
  DTC_INIT(&err);
  dtc_status s =
      dtc_framework_lint_hca(value, strlen(value), devices, strlen(devices), selected, DEVICES_MAX, &count, &err);
  if (!golden_ok(g, s, &err))
    return;
  for (size_t i = 0; i < count; i++) {
    devices += strspn(devices, " ");
    size_t n = strcspn(devices, " ");
    if (selected[i] && len + n + 2 < sizeof text)
      len += (size_t)sprintf(text + len, "%s%.*s", len > 0 ? ";" : "", (int)n, devices);
    devices += n;
  }
  golden_text(g, "selected", len > 0 ? text : "none");
}
