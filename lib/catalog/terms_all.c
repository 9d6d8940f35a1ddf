/* Terms of every framework: states, what layers keep, and when the moments of a step happen. */
#include "internal/terms_short.h"

/* clang-format off */
const dtci_term dtci_terms_all[] = {
    /* text, item, unit, shard, per_value, bytes, moments, needs, never */
    {TEXT(WEIGHTS), ITEM(WEIGHTS), U(WEIGHTS), BY(NONE), 0, 1, ALWAYS, 0, WHEN(OFFLOAD_PARAMS)},
    {TEXT(ROTARY_TABLES), ITEM(WEIGHTS), U(TABLES), BY(NONE), 0, 1, ALWAYS, 0, 0},
    {TEXT(MASTER), ITEM(OPTIMIZER), U(MASTER), BY(NONE), 0, 1, ALWAYS, 0, WHEN(OFFLOAD)},
    {TEXT(STATES), ITEM(OPTIMIZER), U(MOMENTS), BY(NONE), 0, 1, ALWAYS, 0, WHEN(OFFLOAD)},
    {TEXT(KEPT), ITEM(ACTIVATIONS), U(KEPT), BY(NONE), 0, 1, IN_BACKWARD, 0, 0},
    {TEXT(CUBLAS), ITEM(WORKSPACE), U(CUBLAS), BY(NONE), 0, 2, ALWAYS, 0, 0}, /* forward's and autograd's thread */
};
/* clang-format on */
const uint32_t dtci_terms_all_count = sizeof dtci_terms_all / sizeof dtci_terms_all[0];

const dtci_moment_row dtci_moment_rows[DTCI_MOMENTS] = {
    [DTC_MOMENT_FORWARD] = {.needs = WHEN(HEAD)},   [DTC_MOMENT_LOSS] = {.needs = WHEN(HEAD), .never = WHEN(CHUNKED)},
    [DTC_MOMENT_HEAD] = {.needs = WHEN(HEAD)},      [DTC_MOMENT_EXPERTS] = {.needs = WHEN(MOE)},
    [DTC_MOMENT_BOUNDARY] = {.needs = WHEN(UNITS)},
};
