/* The softwares whose constants are known, by name. */
#include "internal/step.h"

size_t dtc_software_count(void)
{
  return dtci_softwares_count;
}

const char *dtc_software_name(size_t index)
{
  return index < dtci_softwares_count ? dtci_softwares[index].name : NULL;
}

const char *dtc_software_source(size_t index)
{
  return index < dtci_softwares_count ? dtci_softwares[index].source : NULL;
}

static dtc_status find(const char *name, uint64_t *index, dtc_error *e)
{
  uint64_t nearest = DTC_NONE;
  if (name == NULL)
    return dtci_fail_name(e, DTC_RULE_SOFTWARE_NAME, DTC_NONE);
  size_t i = dtci_name_find(dtci_softwares[0].name, dtci_softwares_count, sizeof dtci_softwares[0], name, strlen(name),
                            &nearest);
  if (i == dtci_softwares_count)
    return dtci_fail_name(e, DTC_RULE_SOFTWARE_NAME, nearest);
  *index = i;
  return DTC_OK;
}

dtc_status dtc_software_find(const char *name, uint64_t *index, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(find(name, index, &e), &e, err);
}
