/* Pipeline schedules in closed form. */
#include "internal/pipeline.h"

/* 1F1B warms up with one micro-batch per stage behind; Megatron's interleaved schedule with two per stage behind and one
 * round of pp for every chunk but the last (megatron/core/pipeline_parallel/schedules.py). */
uint64_t dtci_in_flight(const dtc_plan *p, uint64_t stage, int *bad)
{
  uint64_t behind = p->pp - stage - 1;
  uint64_t all = dtci_mul(p->accumulation, p->vpp, bad);
  uint64_t warm = p->schedule == DTC_SCHEDULE_GPIPE         ? all
                  : p->schedule == DTC_SCHEDULE_INTERLEAVED ? 2 * behind + (p->vpp - 1) * p->pp + 1
                                                            : behind + 1;
  return warm < all ? warm : all;
}
