/* One call per function of advise.h: Llama-3 70B on 64 GPUs of DGX H100. */
#include "bench.h"

enum { SCRATCH = 1 << 16, MOST = 8, FINDINGS = 32 };

/* Arguments: read only after bench_setup_advise(). */
static dtc_model model;
static dtc_cluster cluster;
static dtc_plan plan;
static dtc_wishes wishes;
static dtc_advice one;

/* Results. */
static dtc_traits traits;
static dtc_advice advice[MOST], cost;
static dtc_plan plan_out;
static dtc_error findings[FINDINGS];
static char buf[512];
static size_t count, len;
static uint64_t number, scratch[SCRATCH];
static dtc_error err;

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_framework_advise,                                                                                              \
    dtc_framework_advise(&model, &cluster, &plan, &wishes, advice, MOST, &count, scratch, SCRATCH, &err))              \
  X(dtc_framework_advise_plan, dtc_framework_advise_plan(&model, &cluster, &plan, &one, &plan_out, &err))              \
  X(dtc_framework_advise_scratch, dtc_framework_advise_scratch(&number, &err))                                         \
  X(dtc_traits_count, dtc_traits_count() == 0)                                                                         \
  X(dtc_traits_find, dtc_traits_find("torchtitan", &number, &err))                                                     \
  X(dtc_framework_lint_cost,                                                                                           \
    dtc_framework_lint_cost(&model, &cluster, &plan, DTC_RULE_PLACE_TP, &plan_out, &cost, &err))                       \
  X(dtc_framework_lint_plan, dtc_framework_lint_plan(&model, &cluster, &plan, findings, FINDINGS, &count, &err))       \
  X(dtc_traits_name, dtc_traits_name(5) == NULL)                                                                       \
  X(dtc_framework_note, dtc_framework_note(3, DTC_NOTE_TRUE, DTC_LANG_EN, buf, sizeof buf, &len, &err))                \
  X(dtc_framework_note_count, dtc_framework_note_count() == 0)                                                         \
  X(dtc_framework_reason, dtc_framework_reason(DTC_REASON_SLOWER, DTC_LANG_ZH, buf, sizeof buf, &len, &err))           \
  X(dtc_framework_sockets, dtc_framework_sockets(&model, &cluster, &plan, 3.125e9, &cost, &err))                       \
  X(dtc_traits_source, dtc_traits_source(5) == NULL)                                                                   \
  X(dtc_framework_traits, dtc_framework_traits(DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_DEFAULT, &traits, &err))

ENTRIES(BENCH_DEFINE)
const bench_entry bench_advise[] = {ENTRIES(BENCH_ROW)};
const size_t bench_advise_count = sizeof bench_advise / sizeof *bench_advise;

int bench_setup_advise(void)
{
  DTC_INIT(&model);
  DTC_INIT(&cluster);
  DTC_INIT(&plan);
  DTC_INIT(&wishes);
  DTC_INIT(&traits);
  DTC_INIT(&plan_out);
  DTC_INIT(&findings[0]);
  DTC_INIT(&err);
  if (dtc_model_find("llama-3-70b", &model, &err) != DTC_OK || dtc_cluster_find("dgx-h100", &cluster, &err) != DTC_OK)
    return 0;
  cluster.nodes = 8;
  plan.framework = DTC_FRAMEWORK_MEGATRON;
  plan.tp = 16;
  plan.pp = 2;
  plan.micro_batch = 1;
  plan.global_batch = 64;
  if (call_dtc_framework_advise() != DTC_OK)
    return 0;
  one = advice[0];
  return 1;
}
