/* dtc_launch_write(): what the caller gives, and which kind of text a target is. */
#include "internal/chars.h"
#include "internal/cluster.h"
#include "internal/launch.h"
#include "internal/plan.h"

enum { PORT = 29500, TRANSFORMERS = 5024000, TARGETS_MOST = 6 };

const char *dtc_launch_file(dtc_launch_target target)
{
  return target == DTC_LAUNCH_TARGET_DEFAULT || target > DTC_LAUNCH_TARGET_ENVIRONMENT
             ? NULL
             : dtci_launch_target_rows[target].file;
}

/* ---- what the caller gives ------------------------------------------------------------------- */

static dtc_status fail_at(dtc_error *e, dtc_rule rule, uint32_t field, uint64_t got, size_t at)
{
  dtci_fail(e, DTC_E_PARSE, rule, field, got);
  e->offset = at;
  return DTC_E_PARSE;
}

static int is_host(char c)
{
  return dtci_is_name(c) || c == '.' || c == '-' || c == ':';
}

static dtc_status check_script(const dtci_launch_work *w)
{
  enum { LEN_MAX = 1 << 20 };
  TRY(dtci_check_range(w->e, DTCI_ARG(SCRIPT), w->script_len, 0, LEN_MAX));
  for (size_t i = 0; i < w->script_len; i++) {
    unsigned char c = (unsigned char)w->script[i];
    if (c == 127 || (c < ' ' && c != '\n') || (c == '\n' && i == 0))
      return fail_at(w->e, DTC_RULE_LAUNCH_CHARACTER, DTCI_ARG(SCRIPT), c, i);
  }
  return DTC_OK;
}

/* As many hosts as nodes, or none; a host does not begin with '-', which would be an option. */
static dtc_status check_hosts(dtci_launch_work *w)
{
  enum { LEN_MAX = 1 << 26 };
  uint64_t n = 0;
  const char *host = NULL;
  size_t len = 0;
  TRY(dtci_check_range(w->e, DTCI_ARG(HOSTS), w->hosts_len, 0, LEN_MAX));
  for (size_t pos = 0; dtci_launch_next_host(w, &pos, &host, &len); n++)
    for (size_t i = 0; i < len; i++)
      if (!is_host(host[i]) || (i == 0 && host[i] == '-'))
        return fail_at(w->e, DTC_RULE_LAUNCH_CHARACTER, DTCI_ARG(HOSTS), (unsigned char)host[i],
                       (size_t)(host + i - w->hosts));
  if (n == 0)
    w->hosts_len = 0; /* blanks and commas alone */
  else if (n != w->nodes)
    return dtci_fail_within(w->e, DTC_E_CONFLICT, DTC_RULE_LAUNCH_HOSTS, DTCI_ARG(HOSTS), n, w->nodes, w->nodes);
  return DTC_OK;
}

static dtc_status fill_nodes(dtci_launch_work *w)
{
  const dtc_plan *p = &w->c.plan;
  const dtc_launch *l = &w->launch;
  w->world = p->tp * p->cp * p->pp * p->dp;
  w->gpus = l->gpus_per_node;
  if (w->gpus == 0 && l->nodes != 0 && w->world % l->nodes == 0)
    w->gpus = w->world / l->nodes;
  dtci_default(&w->gpus, w->c.has_cluster ? w->c.cluster.gpus_per_node : DTCI_NODE_DEFAULT);
  if (l->gpus_per_node == 0)
    w->gpus = dtci_smaller(w->gpus, w->world);
  w->nodes = l->nodes != 0 ? l->nodes : dtci_ceil_div(w->world, w->gpus);
  w->port = l->port != 0 ? l->port : PORT;
  if (!dtci_mul_fits(w->nodes, w->gpus) || w->nodes * w->gpus != w->world) {
    dtci_fail(w->e, DTC_E_CONFLICT, DTC_RULE_LAUNCH_NODES, DTC_FIELD(launch, gpus_per_node), w->gpus);
    w->e->min = w->world;
    w->e->other = DTC_FIELD(launch, nodes);
    w->e->other_got = w->nodes;
    return DTC_E_CONFLICT;
  }
  return dtci_check_range(w->e, DTC_FIELD(launch, node), l->node, 0, w->nodes);
}

/* The target has the framework, and for the rendezvous the address of a node that can be reached. */
static dtc_status check_target(const dtci_launch_work *w)
{
  dtc_launch_target target = w->launch.target;
  if (!(dtci_launch_target_rows[target].frameworks >> w->c.plan.framework & 1)) {
    dtci_fail(w->e, DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_TARGET, DTC_FIELD(launch, target), target);
    w->e->other = DTC_FIELD(plan, framework);
    w->e->other_got = w->c.plan.framework;
    return DTC_E_UNSUPPORTED;
  }
  return DTC_OK;
}

/* ---- the text -------------------------------------------------------------------------------- */

static dtc_status write_text(dtci_launch_work *w)
{
  switch (w->launch.target) {
  case DTC_LAUNCH_TARGET_SRUN:
  case DTC_LAUNCH_TARGET_SBATCH:
  case DTC_LAUNCH_TARGET_SBATCH_TORCHRUN:
    return dtci_launch_slurm(w);
  case DTC_LAUNCH_TARGET_HOSTFILE:
    return dtci_launch_file_text(w);
  default:
    return w->launch.target <= DTC_LAUNCH_TARGET_COLOSSALAI_RUN ? dtci_launch_command(w) : dtci_launch_file_text(w);
  }
}

static dtc_status launch_call(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                              const dtc_launch *launch, dtci_launch_work *w)
{
  TRY(dtci_case_legal(&w->c, model, cluster, plan, w->e));
  TRY(dtci_in(&w->launch, DTC_STRUCT_launch, launch, w->e));
  if (w->launch.target == DTC_LAUNCH_TARGET_DEFAULT)
    w->launch.target = dtci_launch_usuals[w->c.plan.framework].launcher;
  TRY(check_target(w));
  TRY(fill_nodes(w));
  w->launch.nodes = w->nodes;
  w->launch.gpus_per_node = w->gpus;
  if (w->launch.fsdp == 0)
    w->launch.fsdp = 2;
  if (w->launch.tool_version == 0)
    w->launch.tool_version = TRANSFORMERS;
  w->c.layout = &w->launch;
  TRY(check_script(w));
  TRY(check_hosts(w));
  TRY(write_text(w));
  dtci_end_text(w->t);
  return DTC_OK;
}

dtc_status dtc_launch_write(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                            const dtc_launch *launch, const char *script, size_t script_len, const char *hosts,
                            size_t hosts_len, char *buf, size_t cap, size_t *len, dtc_error *err)
{
  dtc_error e;
  dtci_launch_work w;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtci_text t = {buf, buf != NULL ? cap : 0, 0};
  memset(&w, 0, sizeof w);
  w.t = &t;
  w.e = &e;
  w.script = script;
  w.script_len = script != NULL ? script_len : 0;
  w.hosts = hosts;
  w.hosts_len = hosts != NULL ? hosts_len : 0;
  dtc_status s = launch_call(model, cluster, plan, launch, &w);
  if (s == DTC_OK && len != NULL)
    *len = t.len;
  return dtci_end(s, &e, err);
}

/* ---- the usual set --------------------------------------------------------------------------- */

static dtc_status targets(const dtc_plan *plan, const dtc_launch *launch, uint32_t *out, size_t cap, size_t *count,
                          dtc_error *e)
{
  dtc_plan p;
  dtc_launch l;
  uint32_t list[TARGETS_MOST];
  size_t n = 0;
  TRY(dtci_in(&p, DTC_STRUCT_plan, plan, e));
  TRY(dtci_in(&l, DTC_STRUCT_launch, launch, e));
  TRY(dtci_plan_fill_kind(&p, e));
  dtc_launch_target config = p.framework == DTC_FRAMEWORK_PYTORCH && l.arguments == DTC_LAUNCH_ARGUMENTS_TRAINER
                                 ? DTC_LAUNCH_TARGET_TRAINER
                                 : dtci_launch_config_of(&p);
  list[n++] = dtci_launch_usuals[p.framework].launcher;
  if (list[0] == DTC_LAUNCH_TARGET_DEEPSPEED && l.nodes != 1)
    list[n++] = DTC_LAUNCH_TARGET_HOSTFILE;
  if (config != DTC_LAUNCH_TARGET_DEFAULT)
    list[n++] = config;
  if (config == DTC_LAUNCH_TARGET_ACCELERATE)
    list[n++] = DTC_LAUNCH_TARGET_ACCELERATE_RUN;
  list[n++] = DTC_LAUNCH_TARGET_SBATCH_TORCHRUN;
  for (size_t i = 0; i < n && i < cap; i++)
    out[i] = list[i];
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_launch_targets(const dtc_plan *plan, const dtc_launch *launch, uint32_t *out, size_t cap, size_t *count,
                              dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(targets(plan, launch, out, out != NULL ? cap : 0, count, &e), &e, err);
}
