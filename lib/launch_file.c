/* Configuration files: a head, the rows of their tables, an end. */
#include "internal/launch.h"

static dtc_status put_hostfile(dtci_launch_work *w)
{
  const char *s = "";
  size_t n = 0;
  if (w->hosts_len == 0)
    return dtci_fail(w->e, DTC_E_CONFLICT, DTC_RULE_LAUNCH_NEEDS, DTCI_ARG(HOSTS), 0);
  for (size_t pos = 0; dtci_launch_next_host(w, &pos, &s, &n);) {
    dtci_put(w->t, s, n);
    dtci_puts(w->t, " slots=");
    dtci_put_u64(w->t, w->gpus);
    dtci_puts(w->t, "\n");
  }
  return DTC_OK;
}

static void put_array(dtci_launch_work *w, const dtci_launch_form *f, const char *name)
{
  dtci_launch_head(w);
  if (w->launch.target == DTC_LAUNCH_TARGET_MEGATRON)
    dtci_launch_note(w);
  dtci_puts(w->t, name);
  dtci_puts(w->t, "=(\n");
  dtci_launch_put_form(w, f, "    ", "\n");
  dtci_puts(w->t, "\n)\n");
}

static void put_titan_function(dtci_launch_work *w, const dtci_launch_form *f)
{
  const dtc_plan *p = &w->c.plan;
  const char *kind = p->recompute == DTC_RECOMPUTE_FULL        ? "FullAC"
                     : p->recompute == DTC_RECOMPUTE_SELECTIVE ? "SelectiveAC"
                                                               : "";
  dtci_launch_head(w);
  if (kind[0] != 0) {
    dtci_puts(w->t, "from torchtitan.distributed.activation_checkpoint import ");
    dtci_puts(w->t, kind);
    dtci_puts(w->t, "\n\n");
  }
  dtci_puts(w->t, "\ndef with_plan(config):\n    \"\"\"Puts the plan into a Trainer.Config, and returns it.\"\"\"\n");
  dtci_launch_put_form(w, f, "", "");
  dtci_puts(w->t, "    return config\n");
}

static void put_colossalai(dtci_launch_work *w, const dtci_launch_form *f)
{
  const dtc_plan *p = &w->c.plan;
  int split = p->tp > 1 || p->pp > 1 || p->cp > 1 || p->ep > 1;
  const char *plugin = p->ep > 1                           ? "MoeHybridParallelPlugin"
                       : split                             ? "HybridParallelPlugin"
                       : p->sharding == DTC_SHARDING_ZERO3 ? "GeminiPlugin"
                       : p->sharding == DTC_SHARDING_DDP   ? "TorchDDPPlugin"
                                                           : "LowLevelZeroPlugin";
  dtci_launch_head(w);
  dtci_puts(w->t, "from colossalai.booster import Booster\nfrom colossalai.booster.plugin import ");
  dtci_puts(w->t, plugin);
  dtci_puts(w->t, "\n\nplugin = ");
  dtci_puts(w->t, plugin);
  dtci_puts(w->t, "(\n");
  size_t before = w->t->len;
  dtci_launch_put_form(w, f, "    ", ",\n");
  dtci_puts(w->t, w->t->len > before ? ",\n)\n" : ")\n");
  int mixed = !split && p->sharding == DTC_SHARDING_DDP && p->precision == DTC_PRECISION_FP16;
  dtci_puts(w->t, mixed ? "booster = Booster(mixed_precision=\"fp16\", plugin=plugin)\n"
                        : "booster = Booster(plugin=plugin)\n");
}

static void put_environment(dtci_launch_work *w)
{
  const char *s = "";
  size_t n = 0;
  dtci_launch_head(w);
  dtci_launch_put_exports(w);
  if (dtci_launch_host(w, 0, &s, &n)) {
    dtci_puts(w->t, "export MASTER_ADDR=");
    dtci_put(w->t, s, n);
    dtci_puts(w->t, "\n");
  }
  dtci_puts(w->t, "export MASTER_PORT=");
  dtci_put_u64(w->t, w->port);
  dtci_puts(w->t, "\n");
}

dtc_status dtci_launch_file_text(dtci_launch_work *w)
{
  dtci_launch_form f;
  dtc_launch_target target = w->launch.target;
  if (target == DTC_LAUNCH_TARGET_HOSTFILE)
    return put_hostfile(w);
  (void)dtci_launch_form_of(target, &f);
  if (target == DTC_LAUNCH_TARGET_ENVIRONMENT) {
    put_environment(w);
    return DTC_OK;
  }
  TRY(dtci_launch_allowed(w, &f));
  if (target == DTC_LAUNCH_TARGET_ACCELERATE && w->nodes > 1 && w->hosts_len == 0)
    return dtci_fail(w->e, DTC_E_CONFLICT, DTC_RULE_LAUNCH_NEEDS, DTCI_ARG(HOSTS), 0);
  if (target == DTC_LAUNCH_TARGET_MEGATRON) {
    put_array(w, &f, "MEGATRON_ARGS");
  } else if (target == DTC_LAUNCH_TARGET_TRAINER) {
    put_array(w, &f, "TRAINER_ARGS");
  } else if (target == DTC_LAUNCH_TARGET_DS_CONFIG) {
    dtci_puts(w->t, "{\n");
    dtci_launch_put_form(w, &f, "", "");
    dtci_puts(w->t, "\n}\n");
  } else if (target == DTC_LAUNCH_TARGET_TITAN_PYTHON) {
    put_titan_function(w, &f);
  } else if (target == DTC_LAUNCH_TARGET_COLOSSALAI) {
    put_colossalai(w, &f);
  } else {
    dtci_launch_head(w);
    dtci_launch_put_form(w, &f, "", "");
  }
  return DTC_OK;
}
