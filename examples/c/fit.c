/* On how many GPUs does a model fit?  cc fit.c $(pkg-config --cflags --libs dtcore) -o fit && ./fit llama-2-70b h100-80gb */
#include <dtcore.h>
#include <inttypes.h>
#include <stdio.h>

static int refuse(const dtc_error *err)
{
  char text[512];
  dtc_error_format(err, DTC_LANG_EN, text, sizeof text);
  fprintf(stderr, "fit: %s\n", text);
  return 2;
}

int main(int argc, char **argv)
{
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  dtc_plan best;
  dtc_min_gpus fit;
  dtc_error err;
  DTC_INIT(&model);
  DTC_INIT(&cluster);
  DTC_INIT(&plan);
  DTC_INIT(&best);
  DTC_INIT(&fit);
  DTC_INIT(&err);
  if (dtc_model_find(argc > 1 ? argv[1] : "llama-2-70b", &model, &err) != DTC_OK ||
      dtc_gpu_find(argc > 2 ? argv[2] : "h100-80gb", &cluster, &err) != DTC_OK)
    return refuse(&err);
  plan.sharding = DTC_SHARDING_ZERO3;
  plan.recompute = DTC_RECOMPUTE_FULL;
  if (dtc_memory_min_gpus(&model, &cluster, &plan, &fit, &best, &err) != DTC_OK)
    return refuse(&err);
  printf("%" PRIu64 " GPUs (dp %" PRIu64 "), %.2f of %.2f GiB each\n", fit.gpus, best.dp,
         (double)fit.device / (1 << 30), (double)fit.capacity / (1 << 30));
  return fit.gpus != 0 ? 0 : 1;
}
