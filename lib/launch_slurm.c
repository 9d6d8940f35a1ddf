/* Slurm: srun starts every process of a Python script, or one torchrun on a node, which starts the others. */
#include "internal/launch.h"

#define RANKS "export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_STEP_NUM_TASKS"

static void put_number(dtci_launch_work *w, const char *before, uint64_t v)
{
  dtci_puts(w->t, before);
  dtci_put_u64(w->t, v);
}

void dtci_launch_allocation(dtci_launch_work *w)
{
  put_number(w, "# Run this inside an allocation: salloc --exclusive --nodes=", w->nodes);
  put_number(w, " --ntasks-per-node=", w->gpus);
  put_number(w, " --gpus-per-node=", w->gpus);
  dtci_puts(w->t, "\n");
}

static void put_directives(dtci_launch_work *w, uint64_t tasks)
{
  dtci_puts(w->t, "#!/bin/bash\n");
  put_number(w, "#SBATCH --nodes=", w->nodes);
  put_number(w, "\n#SBATCH --ntasks-per-node=", tasks);
  put_number(w, "\n#SBATCH --gpus-per-node=", w->gpus);
  dtci_puts(w->t, "\n#SBATCH --exclusive\n");
}

/* Rank 0 listens, and from 26.05 on it need not be on the first node of the list: so it is asked where it is. */
static void put_sbatch(dtci_launch_work *w)
{
  put_directives(w, w->gpus);
  dtci_puts(w->t, "#SBATCH --distribution=block\n");
  dtci_launch_head(w);
  dtci_launch_note(w);
  dtci_puts(w->t, "# srun starts a process for each GPU. MASTER_ADDR is the node of rank 0, which a first step tells:\n"
                  "# from Slurm 26.05 on it need not be the first of SLURM_JOB_NODELIST.\n");
  dtci_launch_put_exports(w);
  dtci_puts(w->t, "MASTER_ADDR=$(srun bash -c '[ \"$SLURM_PROCID\" -ne 0 ] || echo \"$SLURMD_NODENAME\"')\n");
  put_number(w, "export MASTER_ADDR MASTER_PORT=", w->port);
  dtci_puts(w->t, "\nsrun --kill-on-bad-exit=1 \\\n    bash -c '" RANKS "; exec \"$@\"' bash \\\n    python");
}

static void put_srun(dtci_launch_work *w)
{
  dtci_launch_head(w);
  dtci_launch_note(w);
  dtci_launch_allocation(w);
  dtci_puts(w->t, w->nodes == 1
                      ? ""
                      : "# From Slurm 26.05 on rank 0 need not run on the first node of the step: the script for\n"
                        "# sbatch asks where it runs.\n");
  dtci_launch_put_exports(w);
  put_number(w, "srun \\\n    --nodes=", w->nodes);
  put_number(w, " \\\n    --ntasks-per-node=", w->gpus);
  put_number(w, " \\\n    --gpus-per-node=", w->gpus);
  dtci_puts(w->t, " \\\n    --distribution=block \\\n    --kill-on-bad-exit=1 \\\n    bash -c '" RANKS
                  " MASTER_ADDR=$(scontrol show hostnames \"$SLURM_STEP_NODELIST\" | head -n 1)");
  put_number(w, " MASTER_PORT=", w->port);
  dtci_puts(w->t, "; exec \"$@\"' bash \\\n    python");
}

static void put_sbatch_torchrun(dtci_launch_work *w)
{
  put_directives(w, 1);
  dtci_launch_head(w);
  dtci_launch_note(w);
  dtci_puts(w->t, "# One task of a node: torchrun starts the others.\n");
  dtci_puts(w->t, w->nodes > 1 ? "# The rendezvous orders the nodes by name, whichever starts first.\n" : "");
  dtci_launch_put_exports(w);
  dtci_puts(w->t, "head_node=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
                  "srun --kill-on-bad-exit=1 torchrun");
  put_number(w, " \\\n    --nnodes=", w->nodes);
  put_number(w, " \\\n    --nproc-per-node=", w->gpus);
  dtci_puts(w->t, " \\\n    --rdzv-backend=c10d \\\n    --rdzv-id=\"$SLURM_JOB_ID\" \\\n    "
                  "--rdzv-endpoint=\"$head_node\":");
  dtci_put_u64(w->t, w->port);
}

dtc_status dtci_launch_slurm(dtci_launch_work *w)
{
  TRY(dtci_launch_check_arguments(w));
  if (w->launch.target == DTC_LAUNCH_TARGET_SBATCH)
    put_sbatch(w);
  else if (w->launch.target == DTC_LAUNCH_TARGET_SRUN)
    put_srun(w);
  else
    put_sbatch_torchrun(w);
  dtci_launch_put_script(w, w->launch.target == DTC_LAUNCH_TARGET_SBATCH_TORCHRUN ? " \\\n    " : " ");
  return DTC_OK;
}
