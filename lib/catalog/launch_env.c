/* Environment variables that a plan asks for. megatron/training/arguments.py (d98e8a64) asserts
 * CUDA_DEVICE_MAX_CONNECTIONS = 1 for tensor and context parallelism before compute capability 10, something else for FSDP,
 * and lets the overlap of expert parallel messages have its own: 32 leaves room for it. */
#include "internal/launch_rows.h"

#define C(x) DTCI_OPERAND(cluster, x)
#define MEGATRON IS(P(framework), DTC_FRAMEWORK_MEGATRON)
#define BEFORE_BLACKWELL BETWEEN(C(compute), 0, 99)
#define CONNECTIONS "CUDA_DEVICE_MAX_CONNECTIONS"

/* clang-format off */
static const dtci_launch_row rows[] = {
    BARE(CONNECTIONS, "32", MEGATRON, ON(P(moe_overlap))),
    BARE(CONNECTIONS, "1", MEGATRON, OFF(P(moe_overlap)), IS(P(sharding), DTC_SHARDING_DDP), FROM(P(tp), 2), BEFORE_BLACKWELL),
    BARE(CONNECTIONS, "1", MEGATRON, OFF(P(moe_overlap)), IS(P(sharding), DTC_SHARDING_DISTOPT), FROM(P(tp), 2), BEFORE_BLACKWELL),
    {CONNECTIONS, .kind = DTCI_LAUNCH_BARE, .word = "1", .unlike = {P(cp), P(tp), P(tp)}, WHEN(MEGATRON, OFF(P(moe_overlap)), IS(P(sharding), DTC_SHARDING_DDP), IS(P(tp), 1), BEFORE_BLACKWELL)},
    {CONNECTIONS, .kind = DTCI_LAUNCH_BARE, .word = "1", .unlike = {P(cp), P(tp), P(tp)}, WHEN(MEGATRON, OFF(P(moe_overlap)), IS(P(sharding), DTC_SHARDING_DISTOPT), IS(P(tp), 1), BEFORE_BLACKWELL)},
};
/* clang-format on */

void dtci_launch_environment(dtci_launch_form *f)
{
  f->rows = rows;
  f->rows_count = sizeof rows / sizeof rows[0];
  f->style = DTCI_STYLE_CALL;
}
