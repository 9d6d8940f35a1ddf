/* Launch texts: targets, what a framework is launched with, the fields that every one of them has to say, and messages. */
#include "internal/launch.h"

#define F(x) 1u << DTC_FRAMEWORK_##x
#define ALL F(PYTORCH) | F(DEEPSPEED) | F(MEGATRON) | F(COLOSSALAI) | F(TORCHTITAN) | F(SCALING)

const dtci_launch_target_row dtci_launch_target_rows[] = {
    [DTC_LAUNCH_TARGET_TORCHRUN] = {"run.sh", ALL, 0},
    [DTC_LAUNCH_TARGET_C10D] = {"run_c10d.sh", ALL, 0},
    [DTC_LAUNCH_TARGET_STANDALONE] = {"run_standalone.sh", ALL, 0},
    [DTC_LAUNCH_TARGET_DEEPSPEED] = {"run_deepspeed.sh", F(DEEPSPEED), 0},
    [DTC_LAUNCH_TARGET_DEEPSPEED_SLURM] = {"run_deepspeed_slurm.sh", F(DEEPSPEED), 0},
    [DTC_LAUNCH_TARGET_HOSTFILE] = {"hostfile", ALL, 0},
    [DTC_LAUNCH_TARGET_SRUN] = {"run_srun.sh", ALL, 0},
    [DTC_LAUNCH_TARGET_SBATCH] = {"job.sbatch", ALL, 0},
    [DTC_LAUNCH_TARGET_SBATCH_TORCHRUN] = {"job_torchrun.sbatch", ALL, 0},
    [DTC_LAUNCH_TARGET_MPIRUN] = {"run_mpirun.sh", ALL, 0},
    [DTC_LAUNCH_TARGET_ACCELERATE_RUN] = {"run_accelerate.sh", F(PYTORCH) | F(DEEPSPEED), 0},
    [DTC_LAUNCH_TARGET_COLOSSALAI_RUN] = {"run_colossalai.sh", F(COLOSSALAI), 0},
    [DTC_LAUNCH_TARGET_MEGATRON] = {"megatron_args.sh", F(MEGATRON), 1},
    [DTC_LAUNCH_TARGET_DS_CONFIG] = {"ds_config.json", F(DEEPSPEED), 1},
    [DTC_LAUNCH_TARGET_ACCELERATE] = {"accelerate.yaml", F(PYTORCH) | F(DEEPSPEED), 0},
    [DTC_LAUNCH_TARGET_TRAINER] = {"trainer_args.sh", F(PYTORCH) | F(DEEPSPEED), 1},
    [DTC_LAUNCH_TARGET_TITAN_TOML] = {"train.toml", F(TORCHTITAN), 1},
    [DTC_LAUNCH_TARGET_TITAN_PYTHON] = {"with_plan.py", F(TORCHTITAN), 0},
    [DTC_LAUNCH_TARGET_COLOSSALAI] = {"plugin.py", F(COLOSSALAI), 0},
    [DTC_LAUNCH_TARGET_ENVIRONMENT] = {"env.sh", ALL, 0},
};

#define USUAL(name, launch, says)                                                                                      \
  .script = name, .launcher = DTC_LAUNCH_TARGET_##launch, .config = DTC_LAUNCH_TARGET_##says

const dtci_launch_usual dtci_launch_usuals[] = {
    [DTC_FRAMEWORK_PYTORCH] = {USUAL("train.py", TORCHRUN, ACCELERATE)},
    [DTC_FRAMEWORK_DEEPSPEED] = {USUAL("train.py", DEEPSPEED, DS_CONFIG)},
    [DTC_FRAMEWORK_MEGATRON] = {USUAL("pretrain_gpt.py", TORCHRUN, MEGATRON)},
    [DTC_FRAMEWORK_COLOSSALAI] = {USUAL("train.py", COLOSSALAI_RUN, COLOSSALAI)},
    [DTC_FRAMEWORK_TORCHTITAN] = {USUAL("torchtitan.train", TORCHRUN, TITAN_PYTHON), .module = 1, .since = 3000,
                                  .earlier = DTC_LAUNCH_TARGET_TITAN_TOML},
    [DTC_FRAMEWORK_SCALING] = {USUAL("train.py", TORCHRUN, DEFAULT)},
};

#define PLAN(x) DTCI_OPERAND(plan, x)

const uint32_t dtci_launch_split[] = {PLAN(sharding),
                                      PLAN(tp),
                                      PLAN(cp),
                                      PLAN(pp),
                                      PLAN(vpp),
                                      PLAN(dp_shard),
                                      PLAN(ep),
                                      PLAN(etp),
                                      PLAN(sequence_parallel),
                                      PLAN(schedule),
                                      PLAN(micro_batch),
                                      PLAN(global_batch),
                                      PLAN(accumulation),
                                      PLAN(precision),
                                      PLAN(grad_dtype),
                                      PLAN(account_embedding),
                                      PLAN(account_loss),
                                      PLAN(p2p_overlap),
                                      PLAN(moe_overlap),
                                      PLAN(first_layers),
                                      PLAN(last_layers),
                                      PLAN(group),
                                      PLAN(fp8_params),
                                      PLAN(reshard),
                                      PLAN(offload),
                                      PLAN(bucket),
                                      PLAN(live),
                                      PLAN(persistence),
                                      PLAN(whole_tensors),
                                      PLAN(tp_overlap),
                                      PLAN(grad_overlap),
                                      PLAN(param_overlap),
                                      PLAN(vocab_multiple),
                                      PLAN(capacity_percent),
                                      PLAN(dispatcher),
                                      PLAN(vocab_parallel),
                                      PLAN(fp8_recipe),
                                      PLAN(cuda_graph),
                                      PLAN(bucket_view),
                                      0};

/* Numbers of tokens and kernels that estimates assume, and dp, which follows from the ranks. */
const uint32_t dtci_launch_assumed[] = {
    PLAN(dp), PLAN(load_percent), PLAN(packed), PLAN(flash_version), PLAN(quant_inputs), PLAN(cublas_workspace), 0};

#define TEXT(id, english, chinese)                                                                                     \
  {                                                                                                                    \
    .rule = (id), .en = english, .zh = chinese                                                                         \
  }

const dtci_rule_row dtci_launch_rules[] = {
    TEXT(DTC_RULE_LAUNCH_TARGET, "{field} = {value} is not for {other} = {other_value}",
         "{field} = {value} 不适用于 {other} = {other_value}"),
    TEXT(DTC_RULE_LAUNCH_SETTING, "{field} = {value}: {other_value} has no setting for it",
         "{field} = {value}：{other_value} 没有对应的设置"),
    TEXT(DTC_RULE_LAUNCH_VALUE, "{field} = {value}: {other_value} cannot say that{wanted}",
         "{field} = {value}：{other_value} 无法表达{wanted}"),
    TEXT(DTC_RULE_LAUNCH_CHARACTER, "byte {offset}: the character {got} cannot stand in {field}",
         "第 {offset} 字节：{field} 中不能有字符 {got}"),
    TEXT(DTC_RULE_LAUNCH_NODES, "{field} = {got}: {other_got} nodes of it are not {min} ranks",
         "{field} = {got}：{other_got} 个节点合计不等于 {min} 个 rank"),
    TEXT(DTC_RULE_LAUNCH_HOSTS, "{got} hosts are named, and there are {min} nodes",
         "给出了 {got} 个主机，而节点有 {min} 个"),
    TEXT(DTC_RULE_LAUNCH_NEEDS, "the names of the hosts are needed here", "此处需要主机名"),
    TEXT(DTC_RULE_LAUNCH_ONE_NODE, "{field} = {got}: standalone is for one node",
         "{field} = {got}：standalone 只用于单节点"),
    TEXT(DTC_RULE_LAUNCH_VERSION, "{field} = {got}: this text is for {range}", "{field} = {got}：该文本适用于 {range}"),
    TEXT(DTC_RULE_LAUNCH_TOGETHER, "{field} = {value} cannot be said with {other} = {other_value}{wanted}",
         "{field} = {value} 不能与 {other} = {other_value} 同时表达{wanted}"),
};
const uint32_t dtci_launch_rules_count = sizeof dtci_launch_rules / sizeof dtci_launch_rules[0];
