/* The library of the fixture, built as release 1 and as release 2. It uses the size rules of lib/struct.c as they are:
 * its own field tables take the place of lib/generated/fields.c and call the pair of structs `tensor` and `states`,
 * whose first sizes theirs are. */
#include "grow.h"

#include "internal/internal.h"

const dtci_field dtci_fields[] = {
    {"struct_size", offsetof(grow_in, struct_size), DTCI_U32, 0, 0, UINT64_MAX},
    {"width", offsetof(grow_in, width), DTCI_U64, 0, 1, 1000},
    {"height", offsetof(grow_in, height), DTCI_U64, 0, 1, 1000},
#if GROW_VERSION >= 2
    {"depth", offsetof(grow_in, depth), DTCI_U64, 0, 0, 1000},
#endif
};
const dtci_struct dtci_structs[] = {
    {"error", DTC_STRUCT_error, sizeof(dtc_error), 0, 1},
    {"tensor", DTC_STRUCT_tensor, sizeof(grow_in), 0, sizeof dtci_fields / sizeof dtci_fields[0]},
    {"states", DTC_STRUCT_model_states, sizeof(grow_out), 0, 1},
};
const uint32_t dtci_structs_count = sizeof dtci_structs / sizeof dtci_structs[0];
const dtci_value dtci_values[] = {{"none", 0, 255}};
const uint32_t dtci_values_count = 1;
const uint16_t dtci_plan_switches[] = {0};
const uint32_t dtci_plan_switches_count = 0;
const dtci_rule_name dtci_rule_names[] = {{"none", 0}};
const uint32_t dtci_rule_names_count = 1;

dtc_status grow_measure(const grow_in *in, grow_out *out, dtc_error *err)
{
  grow_in local;
  grow_out result = {0};
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_in(&local, DTC_STRUCT_tensor, in, &e);
  if (status != DTC_OK)
    return dtci_end(status, &e, err);
  result.area = local.width * local.height;
#if GROW_VERSION >= 2
  result.volume = result.area * (local.depth != 0 ? local.depth : 1);
#endif
  return dtci_end(dtci_out(out, DTC_STRUCT_model_states, &result, &e), &e, err);
}
