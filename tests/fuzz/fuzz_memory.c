/* Structs of any bytes: a status, never a fault; what is answered adds up, and two calls agree. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dtcore/ledger.h>
#include <dtcore/memory.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STAGES = 8, FINDINGS = 4, LOOKS = 64 };

typedef struct input {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  dtc_stage stages[STAGES];
  uint64_t params;
  uint32_t named; /* take a model of the catalogue, so that legal plans are met often */
  uint32_t flags;
} input;

static void check(int ok)
{
  if (!ok)
    abort();
}

static void check_memory(const dtc_memory *m)
{
  uint64_t sum = m->weights + m->gradients + m->optimizer + m->buckets + m->gathered;
  check(m->allocated == sum + m->activations + m->transient + m->workspace);
  check(m->reserved >= m->allocated && m->device >= m->reserved);
  check(m->weights <= m->allocated && m->activations <= m->allocated);
}

static void try_estimate(const input *in, const dtc_cluster *cluster)
{
  const dtc_stage *stages = in->flags & 2 ? in->stages : NULL;
  dtc_memory worst, before;
  dtc_memory list[STAGES];
  dtc_error err;
  size_t n = 0;
  DTC_INIT(&worst);
  DTC_INIT(&list[0]);
  DTC_INIT(&err);
  before = worst;
  dtc_status s = dtc_memory_estimate(&in->model, cluster, &in->plan, stages, stages != NULL ? STAGES : 0, &worst, &err);
  if (s != DTC_OK) {
    check(memcmp(&worst, &before, sizeof worst) == 0 && err.status == s && err.rule != DTC_RULE_NONE);
    return;
  }
  check_memory(&worst);
  s = dtc_memory_stages(&in->model, cluster, &in->plan, stages, stages != NULL ? STAGES : 0, list, STAGES, &n, &err);
  check(s == (n <= STAGES ? DTC_OK : DTC_E_SPACE));
  for (size_t i = 0; s == DTC_OK && i < n; i++) {
    check_memory(&list[i]);
    check(list[i].device <= worst.device);
  }
}

static void try_plan(const input *in, const dtc_cluster *cluster)
{
  dtc_plan once, twice;
  dtc_error findings[FINDINGS];
  dtc_error err;
  size_t n = 0;
  DTC_INIT(&once);
  DTC_INIT(&twice);
  DTC_INIT(&findings[0]);
  DTC_INIT(&err);
  dtc_status s = dtc_plan_resolve(&in->model, cluster, &in->plan, &once, &err);
  if (s == DTC_OK) {
    check(dtc_plan_resolve(&in->model, cluster, &once, &twice, &err) == DTC_OK);
    check(memcmp(&once, &twice, sizeof once) == 0);
  } else {
    char text[256];
    check(dtc_error_format(&err, in->flags & 4 ? DTC_LANG_ZH : DTC_LANG_EN, text, sizeof text) > 0);
  }
  dtc_status checked = dtc_plan_check(&in->model, cluster, &in->plan, findings, FINDINGS, &n, &err);
  check(s != DTC_OK || checked == DTC_OK || checked == DTC_E_SPACE);
}

static void try_states_and_rows(const input *in)
{
  dtc_model_states states;
  dtc_ledger_row rows[2];
  size_t n = 0;
  DTC_INIT(&states);
  if (dtc_memory_states(in->params, &in->plan, &states, NULL) == DTC_OK)
    check(states.total == states.weights + states.gradients + states.master + states.moments);
  for (dtc_layer_kind kind = 0; kind <= 4; kind++)
    check(dtc_ledger_rows(&in->model, &in->plan, kind, rows, 2, &n, NULL) >= DTC_OK);
}

/* The search is bounded here by what is given, not by the library: a fuzzer wants many short runs. */
static void try_fit(input *in)
{
  dtc_min_gpus fit;
  dtc_plan best;
  DTC_INIT(&fit);
  DTC_INIT(&best);
  in->cluster.nodes = 1 + in->cluster.nodes % LOOKS;
  in->cluster.gpus_per_node %= LOOKS;
  in->cluster.nvlink_domain %= LOOKS;
  in->model.layers %= LOOKS;
  if (dtc_memory_min_gpus(&in->model, &in->cluster, &in->plan, &fit, &best, NULL) != DTC_OK)
    return;
  check(fit.gpus == 0 || (fit.device <= fit.capacity && fit.limit == DTC_MEMORY_ITEM_NONE));
  check(fit.gpus != 0 || fit.limit != DTC_MEMORY_ITEM_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  input in;
  memset(&in, 0, sizeof in);
  memcpy(&in, data, size < sizeof in ? size : sizeof in);
  in.model.struct_size = sizeof in.model;
  in.cluster.struct_size = sizeof in.cluster;
  in.plan.struct_size = sizeof in.plan;
  in.stages[0].struct_size = sizeof in.stages[0];
  if (in.flags & 8 && dtc_model_find(dtc_model_name(in.named % dtc_model_count()), &in.model, NULL) != DTC_OK)
    abort();
  if (in.flags & 16 && dtc_gpu_find(dtc_gpu_name(in.named % dtc_gpu_count()), &in.cluster, NULL) != DTC_OK)
    abort();
  const dtc_cluster *cluster = in.flags & 1 ? &in.cluster : NULL;
  try_plan(&in, cluster);
  try_estimate(&in, cluster);
  try_states_and_rows(&in);
  try_fit(&in);
  return 0;
}
