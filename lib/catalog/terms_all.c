/* Terms of every framework: states, what layers keep, and when the moments of a step happen. */
#include "internal/terms.h"

#define ITEM(x) DTC_MEMORY_ITEM_##x
#define AT(x) DTCI_AT(x)
#define U(x) DTCI_U_##x
#define WHEN(x) DTCI_WHEN_##x
#define ALWAYS DTCI_ALWAYS
#define IN_BACKWARD (AT(FORWARDED) | AT(LOSS) | AT(HEAD) | AT(BACKWARD) | AT(EXPERTS))

/* clang-format off */
const dtci_term dtci_terms_all[] = {
    /* text, item, unit, shard, per_value, bytes, moments, 0, needs, never */
    {"weights", ITEM(WEIGHTS), U(WEIGHTS), DTCI_SHARD_NONE, 0, 1, ALWAYS, 0, 0, WHEN(OFFLOAD_PARAMS)},
    {"rotary tables", ITEM(WEIGHTS), U(TABLES), DTCI_SHARD_NONE, 0, 1, ALWAYS, 0, 0, 0},
    {"master weights", ITEM(OPTIMIZER), U(MASTER), DTCI_SHARD_NONE, 0, 1, ALWAYS, 0, 0, WHEN(OFFLOAD)},
    {"optimizer states", ITEM(OPTIMIZER), U(MOMENTS), DTCI_SHARD_NONE, 0, 1, ALWAYS, 0, 0, WHEN(OFFLOAD)},
    {"saved for backward, all micro-batches in flight", ITEM(ACTIVATIONS), U(KEPT), DTCI_SHARD_NONE, 0, 1, IN_BACKWARD, 0, 0, 0},
    {"cuBLAS workspace", ITEM(WORKSPACE), U(CUBLAS), DTCI_SHARD_NONE, 0, 2, ALWAYS, 0, 0, 0}, /* forward's and autograd's thread */
};
/* clang-format on */
const uint32_t dtci_terms_all_count = sizeof dtci_terms_all / sizeof dtci_terms_all[0];

const dtci_moment_row dtci_moment_rows[DTCI_MOMENTS] = {
    [DTC_MOMENT_FORWARD] = {.needs = WHEN(HEAD)},   [DTC_MOMENT_LOSS] = {.needs = WHEN(HEAD), .never = WHEN(CHUNKED)},
    [DTC_MOMENT_HEAD] = {.needs = WHEN(HEAD)},      [DTC_MOMENT_EXPERTS] = {.needs = WHEN(MOE)},
    [DTC_MOMENT_BOUNDARY] = {.needs = WHEN(UNITS)},
};
