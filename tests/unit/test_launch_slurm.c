/* Job scripts and launchers of a cluster, by hand: Slurm's, torchrun's rendezvous, Open MPI, DeepSpeed, ColossalAI. */
#include "launch_check.h"

#define HEAD                                                                                                           \
  "# 16 GPUs = DP 16, on 2 nodes of 8.\n"                                                                              \
  "# A step: 64 sequences = micro-batch 4 * DP 16 * accumulation 1.\n"
#define HEAD_OF_ONE                                                                                                    \
  "# 8 GPUs = DP 8, on 1 node of 8.\n"                                                                                 \
  "# A step: 32 sequences = micro-batch 4 * DP 8 * accumulation 1.\n"

static asked ddp(uint64_t nodes, dtc_launch_target target)
{
  return ask("llama-2-7b", nodes, nodes == 1 ? "pytorch mbs=4 gbs=32" : "pytorch mbs=4 gbs=64", target);
}

/* ---- Slurm ----------------------------------------------------------------------------------- */

/* One task of a node, which starts the others; one node has no order that a comment could tell. */
static void sbatch_with_torchrun(void **state)
{
  (void)state;
  asked a = ddp(2, DTC_LAUNCH_TARGET_SBATCH_TORCHRUN);
  a.launch.port = 1234;
  check_text(&a, "train.py\n--lr\n1e-4", "",
             "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\n"
             "#SBATCH --exclusive\n" HEAD "# One task of a node: torchrun starts the others.\n"
             "# The rendezvous orders the nodes by name, whichever starts first.\n"
             "head_node=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
             "srun --kill-on-bad-exit=1 torchrun \\\n    --nnodes=2 \\\n    --nproc-per-node=8 \\\n"
             "    --rdzv-backend=c10d \\\n    --rdzv-id=\"$SLURM_JOB_ID\" \\\n"
             "    --rdzv-endpoint=\"$head_node\":1234 \\\n    train.py \\\n        --lr \\\n        1e-4\n");
  a = ddp(1, DTC_LAUNCH_TARGET_SBATCH_TORCHRUN);
  check_text(&a, "", "",
             "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\n"
             "#SBATCH --exclusive\n" HEAD_OF_ONE "# One task of a node: torchrun starts the others.\n"
             "head_node=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
             "srun --kill-on-bad-exit=1 torchrun \\\n    --nnodes=1 \\\n    --nproc-per-node=8 \\\n"
             "    --rdzv-backend=c10d \\\n    --rdzv-id=\"$SLURM_JOB_ID\" \\\n"
             "    --rdzv-endpoint=\"$head_node\":29500 \\\n    train.py\n");
}

/* A process for each GPU; where rank 0 runs is a question with several nodes alone. */
static void srun_of_nodes(void **state)
{
  (void)state;
  asked a = ddp(1, DTC_LAUNCH_TARGET_SRUN);
  check_text(&a, "", "",
             HEAD_OF_ONE
             "# Run this inside an allocation: salloc --exclusive --nodes=1 --ntasks-per-node=8 --gpus-per-node=8\n"
             "srun \\\n    --nodes=1 \\\n    --ntasks-per-node=8 \\\n    --gpus-per-node=8 \\\n"
             "    --distribution=block \\\n    --kill-on-bad-exit=1 \\\n"
             "    bash -c 'export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_STEP_NUM_TASKS"
             " MASTER_ADDR=$(scontrol show hostnames \"$SLURM_STEP_NODELIST\" | head -n 1) MASTER_PORT=29500;"
             " exec \"$@\"' bash \\\n    python train.py\n");
  a = ddp(2, DTC_LAUNCH_TARGET_SRUN);
  check_holds(&a, "", "# From Slurm 26.05 on rank 0 need not run on the first node of the step");
  check_holds(&a, "", "srun \\\n    --nodes=2 \\\n    --ntasks-per-node=8 \\\n");
}

/* ---- rendezvous and hosts -------------------------------------------------------------------- */

static void mpirun_of_hosts(void **state)
{
  (void)state;
  asked a = ddp(2, DTC_LAUNCH_TARGET_MPIRUN);
  check_text(&a, "", "n0 n1",
             HEAD "mpirun \\\n    -np 16 \\\n    --map-by ppr:8:node \\\n    --bind-to none \\\n    -H n0:8,n1:8 \\\n"
                  "    -x MASTER_ADDR=n0 \\\n    -x MASTER_PORT=29500 \\\n"
                  "    bash -c 'export RANK=$OMPI_COMM_WORLD_RANK LOCAL_RANK=$OMPI_COMM_WORLD_LOCAL_RANK "
                  "WORLD_SIZE=$OMPI_COMM_WORLD_SIZE; exec \"$@\"' bash \\\n    python \\\n    train.py\n");
  check_holds(&a, "", "# MASTER_ADDR is the node that runs rank 0.\nmpirun");
  check_holds(&a, "", "-x MASTER_ADDR=\"${MASTER_ADDR}\" \\\n");
  a = ddp(1, DTC_LAUNCH_TARGET_MPIRUN);
  check_holds(&a, "", "accumulation 1.\nmpirun \\\n    -np 8 \\\n");
  check_holds(&a, "", "-x MASTER_ADDR=127.0.0.1 \\\n");
  check_holds(&a, "n0", "-x MASTER_ADDR=n0 \\\n");
}

/* A port that was asked for is said on one node too; a node that was not named is a number alone. */
static void ports_and_numbers(void **state)
{
  (void)state;
  asked a = ddp(1, DTC_LAUNCH_TARGET_TORCHRUN);
  a.launch.port = 1234;
  check_text(&a, "", "",
             HEAD_OF_ONE "torchrun \\\n    --nproc-per-node=8 \\\n    --master-port=1234 \\\n    train.py\n");
  a = ddp(2, DTC_LAUNCH_TARGET_TORCHRUN);
  a.launch.node = 2;
  check_holds(&a, "", "# Run this on node 2.\n");
  check_holds(&a, "", "--node-rank=1 \\\n    --master-addr=\"${MASTER_ADDR}\" \\\n");
  a.launch.target = DTC_LAUNCH_TARGET_C10D; /* its line is the same on every node */
  check_holds(&a, "n0 n1", "# Run this on every node.\n");
  a = ask("llama-2-7b", 1, "colossalai sharding=zero1 mbs=4 gbs=64", DTC_LAUNCH_TARGET_COLOSSALAI_RUN);
  check_text(&a, "", "",
             "# 8 GPUs = DP 8, on 1 node of 8.\n# A step: 64 sequences = micro-batch 4 * DP 8 * accumulation 2.\n"
             "# The script makes the split: these arguments do not say it.\n"
             "colossalai run \\\n    --nproc_per_node 8 \\\n    train.py\n");
  a.launch.port = 1234;
  check_holds(&a, "", "--nproc_per_node 8 \\\n    --master_port 1234 \\\n");
  a = ask("llama-2-7b", 2, "deepspeed sharding=zero3 mbs=4 gbs=64", DTC_LAUNCH_TARGET_DEEPSPEED_SLURM);
  a.launch.port = 1234; /* Slurm's launcher takes none */
  check_holds(&a, "",
              "deepspeed \\\n    --hostfile=hostfile \\\n    --launcher=slurm \\\n    --num_nodes=2 \\\n    tr");
}

/* Blanks and commas name no host: what needs hosts refuses them, what does not has its variable. */
static void separators_are_no_hosts(void **state)
{
  (void)state;
  asked a = ddp(2, DTC_LAUNCH_TARGET_TORCHRUN);
  check_holds(&a, " ,\n", ".\n# MASTER_ADDR is the first node.\n");
  a = ask("llama-2-7b", 2, "pytorch sharding=fsdp gbs=64", DTC_LAUNCH_TARGET_ACCELERATE);
  check_refused(&a, " , ", DTC_E_CONFLICT, DTC_RULE_LAUNCH_NEEDS, DTC_ARG_HOSTS);
  a.launch.target = DTC_LAUNCH_TARGET_HOSTFILE;
  check_refused(&a, " , ", DTC_E_CONFLICT, DTC_RULE_LAUNCH_NEEDS, DTC_ARG_HOSTS);
  a = ask("llama-2-7b", 2, "colossalai sharding=zero1 gbs=64", DTC_LAUNCH_TARGET_COLOSSALAI_RUN);
  check_refused(&a, " , ", DTC_E_CONFLICT, DTC_RULE_LAUNCH_NEEDS, DTC_ARG_HOSTS);
}

/* ---- the script ------------------------------------------------------------------------------ */

/* What the arguments do not say is the script's to do: every way to split, of which each is enough. */
static void scripts_that_split(void **state)
{
  (void)state;
  static const char note[] = "# The script makes the split: these arguments do not say it.\n";
  static const char *const splits[] = {"sharding=zero1", "sharding=ddp tp=2", "sharding=ddp pp=2", "sharding=ddp cp=2",
                                       "sharding=ddp ep=2"};
  for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
    char words[96] = "colossalai mbs=1 gbs=64 ";
    strcat(words, splits[i]);
    asked a = ask(strstr(words, "ep=") != NULL ? "mixtral-8x7b" : "llama-2-7b", 1, words, DTC_LAUNCH_TARGET_TORCHRUN);
    check_holds(&a, "", note);
  }
  asked a = ask("llama-2-7b", 1, "colossalai mbs=1 gbs=64 sharding=ddp", DTC_LAUNCH_TARGET_TORCHRUN);
  check_holds(&a, "", "torchrun");
  assert_null(strstr(text, note));
}

static void modules(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 1, "torchtitan sharding=fsdp mbs=1 gbs=8", DTC_LAUNCH_TARGET_TORCHRUN);
  check_holds(&a, "", " \\\n    -m torchtitan.train\n"); /* its usual script is a module */
  a.launch.is_module = DTC_BOOL_OFF;
  check_holds(&a, "", " \\\n    torchtitan.train\n");
  a = ask("llama-2-7b", 1, "deepspeed sharding=zero3 mbs=4 gbs=32", DTC_LAUNCH_TARGET_DEEPSPEED);
  a.launch.arguments = DTC_LAUNCH_ARGUMENTS_NONE;
  a.launch.is_module = DTC_BOOL_ON;
  check_text(&a, "my.train", "",
             HEAD_OF_ONE "# The script makes the split: these arguments do not say it.\n"
                         "deepspeed \\\n    --num_gpus=8 \\\n    --module my.train\n");
  a = ask("llama-2-7b", 1, "torchtitan sharding=fsdp mbs=1 gbs=8", DTC_LAUNCH_TARGET_TORCHRUN);
  check_text(&a, "mine.py", "",
             "# 8 GPUs = DP 8, on 1 node of 8.\n# A step: 8 sequences = micro-batch 1 * DP 8 * accumulation 1.\n"
             "# The script makes the split: these arguments do not say it.\n"
             "torchrun \\\n    --nproc-per-node=8 \\\n    mine.py\n");
}

/* Flags of a Trainer script stand behind a script of PyTorch or DeepSpeed, and are no other framework's. */
static void trainer_arguments(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 1, "pytorch mbs=4 gbs=64", DTC_LAUNCH_TARGET_TORCHRUN);
  a.launch.arguments = DTC_LAUNCH_ARGUMENTS_TRAINER;
  check_text(&a, "", "",
             "# 8 GPUs = DP 8, on 1 node of 8.\n# A step: 64 sequences = micro-batch 4 * DP 8 * accumulation 2.\n"
             "torchrun \\\n    --nproc-per-node=8 \\\n    train.py \\\n        --per_device_train_batch_size 4 \\\n"
             "        --gradient_accumulation_steps 2 \\\n        --bf16 True\n");
  uint32_t out[6] = {0};
  size_t count = 0;
  assert_int_equal(dtc_launch_targets(&a.plan, &a.launch, out, 6, &count, NULL), DTC_OK);
  assert_int_equal(count, 3);
  assert_int_equal(out[0], DTC_LAUNCH_TARGET_TORCHRUN);
  assert_int_equal(out[1], DTC_LAUNCH_TARGET_TRAINER);
  assert_int_equal(out[2], DTC_LAUNCH_TARGET_SBATCH_TORCHRUN);
  a = ask("llama-2-7b", 1, "megatron mbs=4 gbs=64", DTC_LAUNCH_TARGET_TORCHRUN);
  a.launch.arguments = DTC_LAUNCH_ARGUMENTS_TRAINER;
  check_refused(&a, "", DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_TARGET, DTC_FIELD(launch, arguments));
  a.launch.arguments = DTC_LAUNCH_ARGUMENTS_TRAINER + 1;
  check_refused(&a, "", DTC_E_RANGE, DTC_RULE_RANGE, DTC_FIELD(launch, arguments));
}

static void odd_characters(void **state)
{
  (void)state;
  asked a = ddp(1, DTC_LAUNCH_TARGET_TORCHRUN);
  const struct {
    const char *script;
    long long at;
  } rows[] = {{"\ntrain.py", 0}, {"train.py\n\t1", 9}, {"a\x7f", 1}, {"\x01", 0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_error err;
    DTC_INIT(&err);
    assert_int_equal(dtc_launch_write(&a.model, &a.cluster, &a.plan, &a.launch, rows[i].script, strlen(rows[i].script),
                                      NULL, 0, text, ROOM, NULL, &err),
                     DTC_E_PARSE);
    assert_int_equal(err.rule, DTC_RULE_LAUNCH_CHARACTER);
    assert_int_equal(err.field, DTC_ARG_SCRIPT);
    assert_int_equal(err.offset, rows[i].at);
  }
  check_holds(&a, "fe80::1", "torchrun"); /* as hosts go: letters, digits, '.', '-', '_' and ':' */
  check_holds(&a, "n-0.my_net", "torchrun");
  a.launch.target = DTC_LAUNCH_TARGET_ENVIRONMENT;
  check_holds(&a, "n-0.my_net:1", "export MASTER_ADDR=n-0.my_net:1\n");
}

static void texts_that_are_too_long(void **state)
{
  (void)state;
  enum { SCRIPT_MOST = 1 << 20, HOSTS_MOST = 1 << 26 };
  asked a = ddp(1, DTC_LAUNCH_TARGET_TORCHRUN);
  dtc_error err;
  DTC_INIT(&err);
  assert_int_equal(
      dtc_launch_write(&a.model, &a.cluster, &a.plan, &a.launch, "x", SCRIPT_MOST + 1, NULL, 0, text, ROOM, NULL, &err),
      DTC_E_RANGE);
  assert_int_equal(err.field, DTC_ARG_SCRIPT);
  assert_int_equal(err.max, SCRIPT_MOST);
  assert_int_equal(
      dtc_launch_write(&a.model, &a.cluster, &a.plan, &a.launch, "x", 1, "n0", HOSTS_MOST + 1, text, ROOM, NULL, &err),
      DTC_E_RANGE);
  assert_int_equal(err.field, DTC_ARG_HOSTS);
  assert_int_equal(err.max, HOSTS_MOST);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sbatch_with_torchrun),    cmocka_unit_test(srun_of_nodes),
      cmocka_unit_test(mpirun_of_hosts),         cmocka_unit_test(ports_and_numbers),
      cmocka_unit_test(separators_are_no_hosts), cmocka_unit_test(modules),
      cmocka_unit_test(scripts_that_split),      cmocka_unit_test(trainer_arguments),
      cmocka_unit_test(odd_characters),          cmocka_unit_test(texts_that_are_too_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
