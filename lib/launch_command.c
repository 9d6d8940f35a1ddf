/* Command lines: a launcher, its options, the script and what stands behind it. Comments stand in front: one inside a
 * continued command would end it. */
#include "internal/launch.h"

/* ---- the script ------------------------------------------------------------------------------ */

#define NEXT " \\\n        "

/* The target that says the plan: its rows are the arguments, or it is a file that the arguments name. */
static dtc_launch_target said_by(const dtci_launch_work *w)
{
  if (w->launch.arguments == DTC_LAUNCH_ARGUMENTS_NONE)
    return DTC_LAUNCH_TARGET_DEFAULT;
  if (w->launch.arguments == DTC_LAUNCH_ARGUMENTS_TRAINER)
    return DTC_LAUNCH_TARGET_TRAINER;
  dtc_launch_target config = dtci_launch_config_of(&w->c.plan);
  return dtci_launch_target_rows[config].argued ? config : DTC_LAUNCH_TARGET_DEFAULT;
}

static void put_framework_arguments(dtci_launch_work *w)
{
  dtci_launch_form f;
  dtc_launch_target by = said_by(w);
  if (by == DTC_LAUNCH_TARGET_DS_CONFIG)
    dtci_puts(w->t, NEXT "--deepspeed" NEXT "--deepspeed_config ds_config.json");
  else if (by == DTC_LAUNCH_TARGET_TITAN_TOML)
    dtci_puts(w->t, NEXT "--job.config_file train.toml");
  else if (dtci_launch_form_of(by, &f))
    dtci_launch_put_form(w, &f, NEXT, "");
}

/* What the caller has to add. */
void dtci_launch_note(dtci_launch_work *w)
{
  const dtc_plan *p = &w->c.plan;
  int split = p->tp > 1 || p->pp > 1 || p->cp > 1 || p->ep > 1 || p->sharding != DTC_SHARDING_DDP;
  if (said_by(w) == DTC_LAUNCH_TARGET_MEGATRON)
    dtci_puts(w->t, "# Shapes and the split. To be added: rotary base, the router's details, data, tokenizer,\n"
                    "# learning rate, checkpoints.\n");
  else if (said_by(w) == DTC_LAUNCH_TARGET_DEFAULT && split)
    dtci_puts(w->t, "# The script makes the split: these arguments do not say it.\n");
}

/* Can what stands behind the script be said? */
dtc_status dtci_launch_check_arguments(const dtci_launch_work *w)
{
  dtci_launch_form f;
  dtc_launch_target by = said_by(w);
  if (by != DTC_LAUNCH_TARGET_DEFAULT && !(dtci_launch_target_rows[by].frameworks >> w->c.plan.framework & 1)) {
    dtci_fail(w->e, DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_TARGET, DTC_FIELD(launch, arguments), w->launch.arguments);
    w->e->other = DTC_FIELD(plan, framework);
    w->e->other_got = w->c.plan.framework;
    return DTC_E_UNSUPPORTED;
  }
  return dtci_launch_form_of(by, &f) ? dtci_launch_allowed(w, &f) : DTC_OK;
}

void dtci_launch_put_script(dtci_launch_work *w, const char *before)
{
  const dtci_launch_usual *usual = &dtci_launch_usuals[w->c.plan.framework];
  const char *s = usual->script;
  size_t n = strlen(s);
  size_t pos = 0;
  int given = dtci_launch_next_line(w, &pos, &s, &n);
  int module =
      w->launch.is_module == DTC_BOOL_ON || (w->launch.is_module == DTC_BOOL_DEFAULT && !given && usual->module);
  dtci_puts(w->t, before);
  dtci_puts(w->t, module && w->launch.target == DTC_LAUNCH_TARGET_DEEPSPEED ? "--module " : module ? "-m " : "");
  dtci_put_word(w->t, s, n);
  put_framework_arguments(w);
  while (dtci_launch_next_line(w, &pos, &s, &n)) {
    dtci_puts(w->t, NEXT);
    dtci_put_word(w->t, s, n);
  }
  dtci_puts(w->t, "\n");
}

void dtci_launch_put_exports(dtci_launch_work *w)
{
  dtci_launch_form f;
  size_t before = w->t->len;
  (void)dtci_launch_form_of(DTC_LAUNCH_TARGET_ENVIRONMENT, &f);
  dtci_launch_put_form(w, &f, "export ", "\n");
  dtci_puts(w->t, w->t->len > before ? "\n" : "");
}

/* ---- options --------------------------------------------------------------------------------- */

static void put_count(dtci_launch_work *w, const char *option, uint64_t v)
{
  dtci_puts(w->t, " \\\n    ");
  dtci_puts(w->t, option);
  dtci_put_u64(w->t, v);
}

static void put_option(dtci_launch_work *w, const char *option)
{
  dtci_puts(w->t, " \\\n    ");
  dtci_puts(w->t, option);
}

/* The first host, or a variable. */
static void put_master(dtci_launch_work *w, const char *option, const char *behind)
{
  const char *s = "";
  size_t n = 0;
  dtci_puts(w->t, " \\\n    ");
  dtci_puts(w->t, option);
  if (dtci_launch_host(w, 0, &s, &n)) {
    dtci_put(w->t, s, n);
    dtci_puts(w->t, behind);
  } else {
    dtci_puts(w->t, "\"${MASTER_ADDR}\"");
    dtci_puts(w->t, behind);
  }
}

static void put_rank(dtci_launch_work *w, const char *option)
{
  if (w->launch.node != 0) {
    put_count(w, option, w->launch.node - 1);
    return;
  }
  put_option(w, option);
  dtci_puts(w->t, "\"${NODE_RANK}\"");
}

/* "# Run this on every node, with NODE_RANK from 0 on node-a to 3 on node-d." */
static void put_where(dtci_launch_work *w, int ranked)
{
  const char *s = "";
  size_t n = 0;
  if (w->nodes == 1)
    return;
  if (w->launch.node != 0 && ranked) {
    dtci_puts(w->t, "# Run this on node ");
    dtci_put_u64(w->t, w->launch.node);
    if (dtci_launch_host(w, w->launch.node - 1, &s, &n)) {
      dtci_puts(w->t, ", ");
      dtci_put(w->t, s, n);
    }
    dtci_puts(w->t, ".\n");
    return;
  }
  dtci_puts(w->t, "# Run this on every node");
  if (ranked) {
    dtci_puts(w->t, ", with NODE_RANK from 0 on the first");
    if (dtci_launch_host(w, 0, &s, &n)) {
      dtci_puts(w->t, ", ");
      dtci_put(w->t, s, n);
    }
    dtci_puts(w->t, ", to ");
    dtci_put_u64(w->t, w->nodes - 1);
    dtci_puts(w->t, " on the last");
  }
  dtci_puts(w->t, w->hosts_len == 0 ? ".\n# MASTER_ADDR is the first node.\n" : ".\n");
}

static void put_bare_port(dtci_launch_work *w)
{
  dtci_puts(w->t, ":");
  dtci_put_u64(w->t, w->port);
}

/* ---- launchers ------------------------------------------------------------------------------- */

static void put_torchrun(dtci_launch_work *w)
{
  dtc_launch_target target = w->launch.target;
  put_where(w, target == DTC_LAUNCH_TARGET_TORCHRUN);
  if (target == DTC_LAUNCH_TARGET_C10D)
    dtci_puts(w->t, w->nodes > 1 ? "# The rendezvous orders the nodes by name, whichever starts first.\n" : "");
  dtci_launch_put_exports(w);
  dtci_puts(w->t, "torchrun");
  if (target == DTC_LAUNCH_TARGET_STANDALONE)
    put_option(w, "--standalone");
  if (w->nodes > 1)
    put_count(w, "--nnodes=", w->nodes);
  put_count(w, "--nproc-per-node=", w->gpus);
  if (w->nodes > 1 && target == DTC_LAUNCH_TARGET_TORCHRUN) {
    put_rank(w, "--node-rank=");
    put_master(w, "--master-addr=", "");
  }
  if (target == DTC_LAUNCH_TARGET_TORCHRUN && (w->nodes > 1 || w->launch.port != 0))
    put_count(w, "--master-port=", w->port);
  if (target == DTC_LAUNCH_TARGET_C10D) {
    put_option(w, "--rdzv-backend=c10d");
    put_option(w, "--rdzv-id=dtcore");
    if (w->nodes > 1)
      put_master(w, "--rdzv-endpoint=", "");
    else
      put_option(w, "--rdzv-endpoint=localhost");
    put_bare_port(w);
  }
}

static void put_deepspeed(dtci_launch_work *w)
{
  int slurm = w->launch.target == DTC_LAUNCH_TARGET_DEEPSPEED_SLURM;
  if (slurm) {
    dtci_launch_allocation(w);
    dtci_puts(w->t, "# The launcher sets no RANK with Slurm: DeepSpeed asks mpi4py, which must be installed.\n");
  } else if (w->nodes > 1) {
    dtci_puts(w->t, "# Run this once, on any node that reaches all hosts of the hostfile by ssh.\n");
  }
  dtci_launch_put_exports(w);
  dtci_puts(w->t, "deepspeed");
  if (w->nodes > 1 || slurm)
    put_option(w, "--hostfile=hostfile");
  else
    put_count(w, "--num_gpus=", w->gpus);
  if (slurm) {
    put_option(w, "--launcher=slurm");
    put_count(w, "--num_nodes=", w->nodes);
  }
  if (w->launch.port != 0 && !slurm)
    put_count(w, "--master_port=", w->port);
}

/* Ranks as PyTorch reads them, from Open MPI's. */
static void put_mpirun(dtci_launch_work *w)
{
  dtci_launch_form f;
  const char *s = "";
  size_t n = 0;
  dtci_puts(w->t, w->hosts_len == 0 && w->nodes > 1 ? "# MASTER_ADDR is the node that runs rank 0.\n" : "");
  dtci_puts(w->t, "mpirun");
  put_count(w, "-np ", w->world);
  put_count(w, "--map-by ppr:", w->gpus);
  dtci_puts(w->t, ":node");
  put_option(w, "--bind-to none");
  for (size_t pos = 0, first = 1; dtci_launch_next_host(w, &pos, &s, &n); first = 0) {
    dtci_puts(w->t, first ? " \\\n    -H " : ",");
    dtci_put(w->t, s, n);
    dtci_puts(w->t, ":");
    dtci_put_u64(w->t, w->gpus);
  }
  if (w->hosts_len == 0 && w->nodes == 1)
    put_option(w, "-x MASTER_ADDR=127.0.0.1");
  else
    put_master(w, "-x MASTER_ADDR=", "");
  put_count(w, "-x MASTER_PORT=", w->port);
  (void)dtci_launch_form_of(DTC_LAUNCH_TARGET_ENVIRONMENT, &f);
  dtci_launch_put_form(w, &f, " \\\n    -x ", "");
  put_option(w, "bash -c 'export RANK=$OMPI_COMM_WORLD_RANK LOCAL_RANK=$OMPI_COMM_WORLD_LOCAL_RANK "
                "WORLD_SIZE=$OMPI_COMM_WORLD_SIZE; exec \"$@\"' bash");
  put_option(w, "python");
}

static void put_accelerate(dtci_launch_work *w)
{
  put_where(w, 1);
  dtci_puts(w->t, "accelerate launch");
  put_option(w, "--config_file=accelerate.yaml");
  if (w->nodes > 1)
    put_rank(w, "--machine_rank=");
}

static void put_colossalai(dtci_launch_work *w)
{
  const char *s = "";
  size_t n = 0;
  dtci_puts(w->t, "colossalai run");
  put_count(w, "--nproc_per_node ", w->gpus);
  if (w->nodes > 1) {
    for (size_t pos = 0, first = 1; dtci_launch_next_host(w, &pos, &s, &n); first = 0) {
      dtci_puts(w->t, first ? " \\\n    --host " : ",");
      dtci_put(w->t, s, n);
    }
    put_master(w, "--master_addr ", "");
  }
  if (w->nodes > 1 || w->launch.port != 0)
    put_count(w, "--master_port ", w->port);
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Can the arguments be written, and has the launcher the hosts that it needs? */
static dtc_status check(dtci_launch_work *w)
{
  dtc_launch_target target = w->launch.target;
  if (target == DTC_LAUNCH_TARGET_STANDALONE && w->nodes != 1) {
    dtci_fail_within(w->e, DTC_E_CONFLICT, DTC_RULE_LAUNCH_ONE_NODE, DTC_FIELD(launch, nodes), w->nodes, 1, 1);
    return DTC_E_CONFLICT;
  }
  if (target == DTC_LAUNCH_TARGET_COLOSSALAI_RUN && w->nodes > 1 && w->hosts_len == 0)
    return dtci_fail(w->e, DTC_E_CONFLICT, DTC_RULE_LAUNCH_NEEDS, DTCI_ARG(HOSTS), 0);
  return dtci_launch_check_arguments(w);
}

dtc_status dtci_launch_command(dtci_launch_work *w)
{
  TRY(check(w));
  dtci_launch_head(w);
  dtci_launch_note(w);
  switch (w->launch.target) {
  case DTC_LAUNCH_TARGET_DEEPSPEED:
  case DTC_LAUNCH_TARGET_DEEPSPEED_SLURM:
    put_deepspeed(w);
    break;
  case DTC_LAUNCH_TARGET_MPIRUN:
    put_mpirun(w);
    break;
  case DTC_LAUNCH_TARGET_ACCELERATE_RUN:
    put_accelerate(w);
    break;
  case DTC_LAUNCH_TARGET_COLOSSALAI_RUN:
    put_colossalai(w);
    break;
  default:
    put_torchrun(w);
  }
  dtci_launch_put_script(w, " \\\n    ");
  return DTC_OK;
}
