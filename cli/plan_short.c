#include "plan_short.h"

#include "fields.h"

#include <stdbool.h>
#include <string.h>

static bool resolves_to(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, const dtc_plan *full)
{
  dtc_plan again;
  DTC_INIT(&again);
  return dtc_plan_resolve(model, cluster, plan, &again, NULL) == DTC_OK && memcmp(&again, full, sizeof again) == 0;
}

static bool stays(uint32_t id)
{
  static const uint32_t shown[] = {DTC_FIELD(plan, framework), DTC_FIELD(plan, sharding), DTC_FIELD(plan, micro_batch),
                                   DTC_FIELD(plan, seq)};
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    if (shown[i] == id)
      return true;
  }
  return false;
}

dtc_plan plan_shorten(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *full)
{
  field fields[MAX_FIELDS];
  dtc_plan out = *full;
  /* From the last field to the first: what is derived stands behind what it is derived from, accumulation behind
   * global_batch, schedule behind vpp. */
  for (size_t i = fields_of(DTC_STRUCT_plan, fields); i-- > 0;) {
    dtc_plan less = out;
    field_clear(&less, &fields[i]);
    if (!stays(fields[i].id) && resolves_to(model, NULL, &less, full) && resolves_to(model, cluster, &less, full))
      out = less;
  }
  return out;
}
