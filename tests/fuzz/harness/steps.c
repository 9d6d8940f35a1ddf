/* Values of arguments about steps and runs: legal jobs, resolved parameters, samples that are off by some factors. */
#include "harness/values.h"

static dtc_run_call base_run(call *c, unsigned pick)
{
  return (dtc_run_call){.struct_size = sizeof(dtc_run_call),
                        .tokens = 1e6 * (1 + pick),
                        .step_seconds = (1 + take_byte(c)) / 16.0,
                        .step_tokens = 1e3 * (1 + take_byte(c)),
                        .gpus = (uint64_t)1 << take_byte(c) % 16,
                        .mtbf = pick % 4 == 0 ? 0 : 1e4 * (1 + take_byte(c)),
                        .write_seconds = take_byte(c) / 4.0};
}

/* What a dtc_step_resolve() leaves: no rate and no factor of 0, but for a type that the GPU lacks. */
static dtc_step_params base_params(call *c, unsigned pick)
{
  return (dtc_step_params){.struct_size = sizeof(dtc_step_params),
                           .fp32 = 1e13,
                           .bf16 = 1e12 * (1 + pick),
                           .fp8 = 1e12 * take_byte(c),
                           .hbm = 1e12,
                           .attention = 1.3,
                           .communication = (1 + take_byte(c)) / 64.0,
                           .host = 1};
}

/* A legal start of a struct; 0 when it is none of step.h. */
int make_step_base(call *c, uint32_t noun, unsigned pick, unsigned char *local)
{
  if (noun == DTC_STRUCT_run_call) {
    dtc_run_call run = base_run(c, pick);
    memcpy(local, &run, sizeof run);
  } else if (noun == DTC_STRUCT_step_params && pick < 224) {
    dtc_step_params params = base_params(c, pick);
    memcpy(local, &params, sizeof params);
  } else if (noun == DTC_STRUCT_step) {
    dtc_step step = {.struct_size = sizeof step, .dense = pick};
    step.tp = take_byte(c) / 8.0;
    step.bubble = take_byte(c) / 8.0;
    memcpy(local, &step, sizeof step);
  } else {
    return 0;
  }
  return 1;
}

void make_sample(call *c, unsigned pick, unsigned char *local)
{
  dtc_step_sample sample = {.products = pick / 16.0,
                            .attention = take_byte(c) / 64.0,
                            .memory = take_byte(c) / 64.0,
                            .communication = take_byte(c) / 32.0,
                            .host = pick % 3 == 0 ? 0 : 0.5,
                            .share = take_byte(c) / 256.0,
                            .measured = (1 + take_byte(c)) / 8.0};
  memcpy(local, &sample, sizeof sample);
}
