/* One call per function of framework.h and launch.h: environments, hostfiles and scripts as people have them. */
#include "bench.h"

#include <stdio.h>

enum { SCRATCH = 1 << 16, FINDINGS = 32, HOSTS = 64 };

static const char environment[] = "export NCCL_DEBUG=INFO\n"
                                  "export NCCL_IB_HCA==mlx5_0,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_9,mlx5_10,mlx5_11\n"
                                  "export NCCL_SOCKET_IFNAME=eth0\n"
                                  "export NCCL_IB_GID_INDEX=3\n"
                                  "export NCCL_IB_TIMEOUT=22\n"
                                  "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
                                  "export MASTER_ADDR=node-0\n";
static const char script[] = "#!/bin/bash\n"
                             "#SBATCH --job-name=llama\n"
                             "#SBATCH --nodes=64 --ntasks-per-node=1 --gpus-per-node=8 --exclusive\n"
                             "HEAD=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\n"
                             "srun torchrun --nnodes=64 --nproc_per_node=8 --rdzv_backend=c10d "
                             "--rdzv_endpoint=$HEAD:29500 train.py --layers 80\n";
static const char megatron_script[] =
    "export CUDA_DEVICE_MAX_CONNECTIONS=1\nTP=8\nPP=4\n"
    "MODEL=(--num-layers 80 --hidden-size 8192 --num-attention-heads 64 --group-query-attention --num-query-groups 8\n"
    "  --ffn-hidden-size 28672 --swiglu --normalization RMSNorm --seq-length 8192 --max-position-embeddings 8192)\n"
    "torchrun --nproc_per_node 8 pretrain_gpt.py ${MODEL[@]} --tensor-model-parallel-size $TP \\\n"
    "  --pipeline-model-parallel-size $PP --sequence-parallel --use-distributed-optimizer --bf16 \\\n"
    "  --micro-batch-size 1 --global-batch-size 1024 --train-iters 1000 --lr 1e-4\n";
static const char ds_config[] =
    "{\"train_batch_size\": 512, \"train_micro_batch_size_per_gpu\": 2, \"bf16\": {\"enabled\": "
    "true}, \"gradient_clipping\": 1.0, \"zero_optimization\": {\"stage\": 3, "
    "\"overlap_comm\": true, \"offload_optimizer\": {\"device\": \"cpu\"}}}";
static const char value[] = "=mlx5_0,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_9,mlx5_10,mlx5_11";
static const char devices[] = "mlx5_0:1 mlx5_1:1 mlx5_2:1 mlx5_3:1 mlx5_4:1 mlx5_5:1 mlx5_6:1 mlx5_7:1 mlx5_8:1 "
                              "mlx5_9:1 mlx5_10:1 mlx5_11:1";

/* Arguments: read only after bench_setup_framework(). */
static char hostfile[HOSTS * 24];
static size_t hostfile_len;
static dtc_lint nccl, hosts, slurm, megatron, deepspeed;
static dtc_model gpt3;
static dtc_cluster cluster;
static dtc_plan split;
static dtc_launch launch;

/* Results. */
static dtc_model model;
static dtc_plan plan;
static dtc_error findings[FINDINGS], err;
static uint64_t scratch[SCRATCH], needed;
static uint32_t selected[FINDINGS];
static size_t count;
static char text[8192];

#define LINT(dialect, text, len)                                                                                       \
  dtc_framework_lint(&(dialect), text, len, &model, &plan, findings, FINDINGS, &count, scratch, SCRATCH, &err)

#define ENTRIES(X)                                                                                                     \
  X(framework_lint, LINT(nccl, environment, sizeof environment - 1))                                                   \
  X(lint_hostfile, LINT(hosts, hostfile, hostfile_len))                                                                \
  X(lint_slurm, LINT(slurm, script, sizeof script - 1))                                                                \
  X(lint_megatron, LINT(megatron, megatron_script, sizeof megatron_script - 1))                                        \
  X(lint_deepspeed, LINT(deepspeed, ds_config, sizeof ds_config - 1))                                                  \
  X(framework_lint_scratch, dtc_framework_lint_scratch(&nccl, &needed, &err))                                          \
  X(framework_lint_hca,                                                                                                \
    dtc_framework_lint_hca(value, sizeof value - 1, devices, sizeof devices - 1, selected, FINDINGS, &count, &err))    \
  X(launch_write, dtc_launch_write(&gpt3, &cluster, &split, &launch, "pretrain_gpt.py", 15, NULL, 0, text,             \
                                   sizeof text, &count, &err))                                                         \
  X(launch_targets, dtc_launch_targets(&split, &launch, selected, FINDINGS, &count, &err))                             \
  X(launch_file, dtc_launch_file(DTC_LAUNCH_TARGET_DS_CONFIG) != NULL ? DTC_OK : DTC_E_UNKNOWN)

ENTRIES(BENCH_DEFINE)

const bench_entry bench_framework[] = {ENTRIES(BENCH_ROW)};
const size_t bench_framework_count = sizeof bench_framework / sizeof *bench_framework;

int bench_setup_framework(void)
{
  DTC_INIT(&err);
  DTC_INIT(&model);
  DTC_INIT(&plan);
  DTC_INIT(&findings[0]);
  DTC_INIT(&nccl);
  hosts = slurm = megatron = deepspeed = nccl;
  megatron.world = deepspeed.world = 256;
  megatron.dialect = DTC_DIALECT_MEGATRON;
  deepspeed.dialect = DTC_DIALECT_DEEPSPEED;
  nccl.dialect = DTC_DIALECT_NCCL;
  hosts.dialect = DTC_DIALECT_HOSTFILE;
  slurm.dialect = DTC_DIALECT_SLURM;
  hostfile_len = 0;
  for (int i = 0; i < HOSTS; i++)
    hostfile_len += (size_t)snprintf(hostfile + hostfile_len, sizeof hostfile - hostfile_len, "worker-%d slots=8\n", i);
  DTC_INIT(&gpt3);
  DTC_INIT(&cluster);
  DTC_INIT(&split);
  DTC_INIT(&launch);
  if (dtc_model_find("gpt3-175b", &gpt3, &err) != DTC_OK || dtc_cluster_find("dgx-h100", &cluster, &err) != DTC_OK)
    return 0;
  cluster.nodes = 64;
  split.framework = DTC_FRAMEWORK_MEGATRON;
  split.tp = split.pp = 4;
  split.global_batch = 1024;
  return LINT(slurm, script, sizeof script - 1) == DTC_OK;
}
