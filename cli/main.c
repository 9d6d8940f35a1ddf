/* dtcore: command line of the library, public API only. */
#include "cmd.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const command commands[] = {
    {"models", "[NAME]", 0, cmd_models, "models of the catalogue; of one, every field and its source",
     "目录中的模型；给出名称则列出全部字段和来源", "  dtcore models\n  dtcore models llama-2-70b --json\n"},
    {"gpus", "[NAME]", 0, cmd_gpus, "GPUs of the catalogue; of one, every figure and its source",
     "目录中的 GPU；给出名称则列出全部指标和来源", "  dtcore gpus\n  dtcore gpus h100-80gb\n"},
    {"clusters", "[NAME]", 0, cmd_clusters, "machine types of the catalogue", "目录中的机型",
     "  dtcore clusters\n  dtcore clusters aws-p5\n"},
    {"params", "MODEL", 0, cmd_params, "exact parameter counts", "精确的参数量",
     "  dtcore params llama-2-70b\n  dtcore params path/to/config.json --json\n"},
    {"memory", "MODEL", FOR_PLANS | FOR_MEMORY, cmd_memory, "what each GPU must hold under a plan",
     "给定并行方案下每张卡的显存",
     "  dtcore memory llama-2-70b --gpu h100-80gb --framework megatron --tp 8 --pp 4\n"
     "  dtcore memory llama-3-8b --gpu a100-80gb --gpus 8 --sharding zero3 --recompute full --mbs 2\n"
     "  dtcore memory --gpu h100-80gb --plan 'model=llama-2-70b megatron tp=8 pp=4 sp'\n"
     "  dtcore memory llama-3-8b --gpu h100-80gb --gpus 8 --sharding fsdp --moments --explain\n"
     "  dtcore memory llama-2-7b --estimator deepspeed_zero3@0.14.2 --gpus-per-node 4\n"},
    {"check", "MODEL", FOR_PLANS | FOR_CHECK, cmd_check, "is a plan legal, and what must change",
     "并行方案是否合法，应如何修改",
     "  dtcore check llama-3-70b --gpu h100-80gb --gpus 64 --framework megatron --tp 8 --pp 4\n"
     "  dtcore check path/to/config.json --plan 'megatron tp=8 pp=4 vpp=2 group=8 gbs=1024 mbs=1'\n"
     "  dtcore check llama-3-70b --cluster dgx-h100 --gpus 64 --plan 'megatron tp=8 pp=2 mbs=1 gbs=64 recompute=full'\n"
     "  dtcore check --plan @plan.txt --cluster dgx-h100 --hca mlx5_bond --devices 'mlx5_0:1 mlx5_1:1' --ethernet 1GB\n"
     "  dtcore check --plan @plan.txt --json\n"},
    {"fit", "MODEL", FOR_PLANS | FOR_FIT, cmd_fit, "does it fit, and on how many GPUs", "放得下吗，需要多少张卡",
     "  dtcore fit 70B --gpu h100-80gb\n"
     "  dtcore fit llama-2-70b --gpu h100-80gb\n"
     "  dtcore fit path/to/config.json --gpu a100-80gb --gpus 64 --seq 8192\n"},
    {"ranks", "[MODEL]", FOR_LAYOUTS | FOR_RANKS, cmd_ranks, "which rank does what, and which ranks form a group",
     "每个 rank 的坐标，以及哪些 rank 组成一组",
     "  dtcore ranks --tp 2 --pp 4 --dp 2 --ep 2 --rank 13\n"
     "  dtcore ranks --scheme torchtitan --world 64 --tp 8 --dp-replicate 2 --groups tp-cp\n"
     "  dtcore ranks llama-2-70b --plan 'megatron tp=8 pp=4 dp=2' --map --label tp-pp\n"},
    {"place", "[MODEL]", FOR_LAYOUTS | FOR_PLACE, cmd_place, "which groups stay in a node or an NVLink domain",
     "哪些组留在节点或 NVLink 域内",
     "  dtcore place --tp 4 --cp 4 --dp 8 --gpus-per-node 8\n"
     "  dtcore place --cluster gb200-nvl72 --world 576 --ep 64 --etp 1 --inside ep\n"
     "  dtcore place --tp 8 --leaves 0,1,0,1\n"
     "  dtcore place --tp 4 --nodes 4 --launcher slurm --dist cyclic\n"
     "  dtcore place --tp 8 --hosts n1,n2,n3,n4 --leaves 0,1,0,1 --launcher slurm --write-hostfile hosts\n"},
    {"shard", "[MODEL]", FOR_SHARDS | FOR_SHARD, cmd_shard, "which rank holds which part of which tensor",
     "每个 rank 持有哪些张量的哪些部分",
     "  dtcore shard llama-2-7b --scheme fsdp2 --world 512\n"
     "  dtcore shard llama-2-7b --framework deepspeed --sharding zero2 --dp 64 --rank 7\n"
     "  dtcore shard gpt2 --scheme zero3 --world 64 --tensor transformer.wte.weight --element 1000000\n"
     "  dtcore shard --scheme zero12 --world 4 --shapes 8x16,16,16x4,4 --map\n"},
    {"reshard", "[MODEL]", FOR_SHARDS | FOR_RESHARD, cmd_reshard, "does a checkpoint load with another sharding",
     "检查点能否以另一种切分加载",
     "  dtcore reshard llama-2-7b --scheme zero12 --from 32 --to 128\n"
     "  dtcore reshard llama-2-7b --scheme distopt --from 40 --to 48 --bandwidth 20GB\n"
     "  dtcore reshard llama-2-7b --scheme fsdp2 --from 8 --to 'world=16 tp=2' --rank 3\n"
     "  dtcore reshard llama-2-7b --from 'scheme=zero3 world=64' --to 'scheme=zero3 world=96' --form universal\n"},
    {"pipeline", "[MODEL]", FOR_PIPELINE, cmd_pipeline, "how a pipeline runs: timeline, bubble, activations, layers",
     "流水线如何运行：时间线、气泡、激活与层的划分",
     "  dtcore pipeline --schedule 1f1b --pp 4 --micro-batches 8\n"
     "  dtcore pipeline --schedule 1f1b,interleaved,zbv --pp 8 --vpp 4 --micro-batches 32\n"
     "  dtcore pipeline --schedule zb_h1 --pp 8 --micro-batches 24 --forward 30 --input 29 --weight 20 --svg zb.svg\n"
     "  dtcore pipeline --layers 61 --pp 16 --split megatron --first 4 --last 1\n"
     "  dtcore pipeline llama-3-70b --pp 8 --split best\n"},
    {"step", "MODEL", FOR_PLANS | FOR_STEP, cmd_step, "how long a step takes, its MFU, and days and cost of a run",
     "单步时间、MFU，以及整个训练的天数与费用",
     "  dtcore step llama-3-70b --cluster dgx-h100 --gpus 512 --framework megatron --tp 8 --pp 4 --gbs 512\n"
     "  dtcore step llama-3-70b --cluster dgx-h100 --plan 'megatron tp=8 pp=4 dp=32 gbs=1024' --explain\n"
     "  dtcore step llama-3-8b --gpu h100-80gb --gpus 256 --sharding fsdp --mbs 2 --tokens 15T --price 2.5\n"
     "  dtcore step llama-3-8b --gpu h100-80gb --gpus 64 --sharding fsdp --seconds 1.25 --flops all\n"
     "  dtcore step llama-3-70b --cluster dgx-h100 --plan @plan.txt --measured steps.txt --nccl nccl.log\n"
     "  dtcore step --softwares\n"},
    {"plan", "MODEL", FOR_PLANS | FOR_SEARCH, cmd_plan,
     "the best plans for a machine: degrees, sharding, recomputation", "某台机器上的最优方案：并行度、切分方式与重计算",
     "  dtcore plan llama-3-70b --cluster dgx-h100 --gpus 64 --gbs 128\n"
     "  dtcore plan llama-3-70b --cluster dgx-h100 --gpus 512 --gbs 1024 --recompute none --objective gpu_time "
     "--gpus-least 128\n"
     "  dtcore plan mixtral-8x7b --cluster dgx-h100 --plan 'megatron gbs=256 tp=2 sp' --nodes 16 --top 10\n"
     "  dtcore plan llama-3-8b --gpu a100-80gb --gpus 16 --framework deepspeed --gbs 64 --shardings zero2,zero3\n"
     "  dtcore plan deepseek-v3 --cluster dgx-h100 --gpus 2048 --gbs 15360 --range 0:100000000 --json\n"},
    {"explain", "TEXT MODEL", FOR_PLANS | FOR_EXPLAIN, cmd_explain,
     "the tensor of an out-of-memory message; topics: slow, zero3, oom, init",
     "显存不足的报错说的是哪个张量；或排查要点：slow、zero3、oom、init",
     "  dtcore explain 'Tried to allocate 12.94 GiB' llama-2-13b --sharding zero2 --gpus 4 --gpu a100-80gb\n"
     "  dtcore explain '786.00 MiB' gpt2-large --framework megatron --seq 1024\n"
     "  dtcore explain '4.54 GiB' 8.53B --sharding zero2 --dp 7\n"
     "  dtcore explain - llama-7b --sharding fsdp --dp 4 --json < train.log\n"
     "  dtcore explain slow llama-3-70b --cluster dgx-h100 --plan 'megatron tp=8 pp=4 dp=16 gbs=512'\n"
     "  dtcore explain zero3 llama-3-8b --cluster dgx-h100 --sharding zero3 --gpus 64\n"},
    {"launch", "MODEL", FOR_PLANS | FOR_LAUNCH, cmd_launch, "the commands and configuration files that run a plan",
     "运行某个方案的命令与配置文件",
     "  dtcore launch llama-2-7b --cluster dgx-h100 --nodes 4 --sharding zero3 --gbs 64 --hosts n0,n1,n2,n3\n"
     "  dtcore launch gpt3-175b --cluster dgx-h100 --nodes 64 --framework megatron --tp 4 --pp 4 --gbs 1024\n"
     "  dtcore launch llama-2-7b --gpu h100-80gb --nodes 2 --target c10d -- train.py --lr 3e-4\n"
     "  dtcore launch llama-3-8b --cluster dgx-h100 --nodes 4 --sharding fsdp --hosts n0,n1,n2,n3 --write run\n"
     "  dtcore launch --plan @plan.txt --target sbatch_torchrun --json\n"},
    {"frameworks", "[NAME...]", FOR_FRAMEWORKS, cmd_frameworks, "what training frameworks can do, side by side",
     "训练框架能力对比",
     "  dtcore frameworks\n  dtcore frameworks fsdp deepspeed\n  dtcore frameworks megatron-lm\n"
     "  dtcore frameworks --markdown\n"},
    {"advise", "MODEL", FOR_PLANS | FOR_ADVISE, cmd_advise, "which framework suits a model, a machine and its people",
     "哪个框架适合模型、机器与团队",
     "  dtcore advise llama-3-70b --cluster dgx-h100 --gpus 64\n"
     "  dtcore advise llama-3-8b --cluster dgx-h100 --gpus 8 --code file --work little\n"
     "  dtcore advise llama-3.1-405b --cluster dgx-h100 --gpus 512 --goal throughput --gbs 1024 --seq 8192\n"
     "  dtcore advise mixtral-8x7b --gpu mi300x --gpus 64 --in-use deepspeed --json\n"},
    {"lint", "FILE...", FOR_LINT, cmd_lint, "what a tool would refuse, ignore or silently change in what it is given",
     "工具会拒绝、忽略或悄悄改变的配置",
     "  dtcore lint ds_config.json --world 64\n"
     "  dtcore lint train.sh hostfile job.sbatch nccl.env --gpu h100-80gb\n"
     "  dtcore lint --dialect deepspeed@0.19 - --json\n"
     "  dtcore lint --hca '^=mlx5_1' --devices 'mlx5_0:1 mlx5_1:1 mlx5_10:1'\n"},
    {"collective", "[OP] [SIZE]", FOR_COLLECTIVE, cmd_collective,
     "how long a collective takes, and what a measured time says", "集合通信的耗时、瓶颈，以及实测是否正常",
     "  dtcore collective all_reduce 256M --gpus 64 --cluster dgx-h100\n"
     "  dtcore collective all-to-all 64MiB --nodes 4 --gpu h200 --style blocking --json\n"
     "  dtcore collective reduce_scatter 1G --gpus 16 --per-node 1 --groups 8 --cluster dgx-h100\n"
     "  dtcore collective all_gather --curve --cluster gb200-nvl72 --gpus 72\n"
     "  dtcore collective all_reduce --judge nccl-tests.log --cluster dgx-h100 --gpus 16 --style thread\n"
     "  dtcore collective all_reduce --fit nccl-tests.log --gpus 16\n"
     "  dtcore collective --nccl-tuner-csv --system h100-8x400 --nodes 8 --nccl 2.27.7\n"},
};
const size_t command_count = sizeof commands / sizeof *commands;

static const command *find_command(const char *name)
{
  for (size_t i = 0; i < command_count; i++) {
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  }
  return NULL;
}

/* Options of the command that is meant: its name is the first word that could be one. */
static uint32_t groups_asked(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    bool takes_next;
    bool is_option = args_is_option(argv[i], &takes_next);
    if (!is_option && find_command(argv[i]) != NULL)
      return find_command(argv[i])->groups;
    i += is_option && takes_next;
  }
  return 0;
}

static cli make_cli(int argc, char **argv)
{
  const char *no_color = getenv("NO_COLOR"); /* no-color.org: any value that is not empty */
  bool terminal = isatty(STDOUT_FILENO) == 1;
  setlocale(LC_CTYPE, "");
  cli c = {.bold = terminal && (no_color == NULL || *no_color == 0),
           .blocks = terminal && strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
  args_scan(argc, argv, &c);
  return c;
}

static int unknown_command(const cli *c, const char *name)
{
  const char *names[32];
  for (size_t i = 0; i < command_count; i++)
    names[i] = commands[i].name;
  return fail(c, MSG_UNKNOWN_COMMAND, name, names[nearest_name(name, names, command_count)]);
}

static int run(const cli *c, int argc, char **argv)
{
  static args a; /* too large for a small stack */
  char others[256];
  int code = args_read(c, argc, argv, groups_asked(argc, argv), &a);
  if (code != 0)
    return code;
  if (a.value[OPT_VERSION] != NULL)
    return printf("dtcore %s\n", dtc_version_string()) < 0 ? EXIT_BAD_INPUT : EXIT_YES;
  if (a.command != NULL && strcmp(a.command, "help") == 0) {
    a.command = a.operand;
    a.value[OPT_HELP] = "";
  }
  const command *cmd = a.command == NULL ? NULL : find_command(a.command);
  if (a.command != NULL && cmd == NULL)
    return unknown_command(c, a.command);
  if (a.value[OPT_HELP] != NULL) {
    help_print(c, cmd);
    return EXIT_YES;
  }
  if (cmd == NULL)
    return fail(c, MSG_NEEDS_COMMAND);
  args_others(c, &a, cmd->groups, others, sizeof others);
  return *others != 0 ? fail(c, MSG_NOT_FOR, cmd->name, others) : cmd->run(c, &a);
}

int main(int argc, char **argv)
{
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error, found below */
  cli c = make_cli(argc, argv);
  int code = run(&c, argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    /* A reader that has seen enough (head) needs no message. */
    if (errno != EPIPE)
      fprintf(stderr, "dtcore: %s\n", strerror(errno));
    return EXIT_BAD_INPUT;
  }
  return code;
}
