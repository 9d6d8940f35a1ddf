/* Any bytes as a plan's text: a status, outputs whole or untouched; what is read can be written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dtcore/plan.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
  if (!ok)
    abort();
}

/* Written, read and resolved again, the plan is the same. */
static void check_round_trip(const dtc_plan *plan, const dtc_model *model)
{
  char text[2048];
  size_t len = 0;
  dtc_plan again, once, twice;
  DTC_INIT(&again);
  DTC_INIT(&once);
  DTC_INIT(&twice);
  if (dtc_plan_format(NULL, plan, text, sizeof text, &len, NULL) != DTC_OK)
    return;
  check(len < sizeof text && strlen(text) == len);
  check(dtc_plan_parse(text, len, NULL, &again, NULL) == DTC_OK);
  check(memcmp(plan, &again, sizeof again) == 0);
  if (model->struct_size == 0 || dtc_plan_resolve(model, NULL, plan, &once, NULL) != DTC_OK)
    return;
  check(dtc_plan_resolve(model, NULL, &once, &twice, NULL) == DTC_OK);
  check(memcmp(&once, &twice, sizeof once) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  dtc_plan plan, before;
  dtc_model model, model_before;
  dtc_error err;
  DTC_INIT(&plan);
  DTC_INIT(&model);
  DTC_INIT(&err);
  before = plan;
  model_before = model;
  dtc_status s = dtc_plan_parse((const char *)data, size, &model, &plan, &err);
  if (s != DTC_OK) {
    check(err.status == s && err.rule != DTC_RULE_NONE && err.offset <= size);
    check(memcmp(&plan, &before, sizeof plan) == 0 && memcmp(&model, &model_before, sizeof model) == 0);
    return 0;
  }
  if (model.layers == 0 && dtc_model_find("mixtral-8x7b", &model, NULL) != DTC_OK)
    abort();
  check_round_trip(&plan, &model);
  return 0;
}
