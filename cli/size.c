#include "size.h"

int size_count(const cli *c, const args *a, const model_arg *model, const plan_arg *plan, size_states *out)
{
  char others[512];
  dtc_plan p = plan->plan;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&out->states);
  args_others(c, a, FOR_SIZES, others, sizeof others);
  if (*others != 0)
    return fail(c, MSG_NOT_FOR_SIZE, model->name, others);
  if (p.framework == DTC_FRAMEWORK_DEFAULT)
    p.framework = DTC_FRAMEWORK_DEEPSPEED;
  p.dp = p.cp = 1;
  out->framework = p.framework;
  return dtc_memory_states(model->params, &p, &out->states, &err) == DTC_OK ? 0 : fail_with(c, model->name, &err);
}
