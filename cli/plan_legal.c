#include "plan_legal.h"

int plan_legal(const cli *c, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
               dtc_error *findings, size_t cap, size_t *count, dtc_plan *resolved)
{
  dtc_error err;
  size_t errors = 0;
  DTC_INIT(&err);
  DTC_INIT(resolved);
  for (size_t i = 0; i < cap; i++)
    DTC_INIT(&findings[i]);
  if (dtc_plan_check(model, cluster, plan, findings, cap, count, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  for (size_t i = 0; i < *count; i++) {
    if (findings[i].severity == DTC_SEVERITY_ERROR)
      findings[errors++] = findings[i];
  }
  if (errors != 0)
    return fail_all(c, findings, errors);
  return dtc_plan_resolve(model, cluster, plan, resolved, &err) == DTC_OK ? 0 : fail_with(c, NULL, &err);
}
