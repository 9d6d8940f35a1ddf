/* A plan as accelerate's configuration file: keys as lint_accelerate.c has them (1.15). */
#include "internal/launch_rows.h"

#define F "fsdp_config.fsdp_"
#define S "parallelism_config.parallelism_config_"
#define SHARDED BETWEEN(P(sharding), DTC_SHARDING_FSDP, DTC_SHARDING_HSDP)
#define FLAT IS(P(sharding), DTC_SHARDING_FSDP)
#define HYBRID IS(P(sharding), DTC_SHARDING_HSDP)
#define FIRST IS(L(fsdp), 1)
#define SECOND IS(L(fsdp), 2)
#define DEEPSPEED IS(P(framework), DTC_FRAMEWORK_DEEPSPEED)
#define TORCH IS(P(framework), DTC_FRAMEWORK_PYTORCH)
#define MIXED(word, value) WORD("mixed_precision", word, TORCH, IS(P(precision), DTC_PRECISION_##value))
#define STRATEGY(word, kind, frees) WORD(F "sharding_strategy", word, FIRST, kind, frees(P(reshard)))

/* clang-format off */
static const dtci_launch_row rows[] = {
    WORD("compute_environment", "LOCAL_MACHINE", {0}),
    WORD("distributed_type", "NO", IS(P(sharding), DTC_SHARDING_DDP), TORCH, IS(P(dp), 1)),
    WORD("distributed_type", "MULTI_GPU", IS(P(sharding), DTC_SHARDING_DDP), TORCH, FROM(P(dp), 2)),
    WORD("distributed_type", "FSDP", SHARDED),
    WORD("distributed_type", "DEEPSPEED", DEEPSPEED),
    MIXED("no", FP32),
    MIXED("fp16", FP16),
    MIXED("bf16", BF16),
    DERIVED("num_machines", NODES, {0}),
    DERIVED("num_processes", WORLD, {0}),
    BARE("machine_rank", "0", {0}),
    DERIVED("main_process_ip", HOST, FROM(L(nodes), 2)),
    DERIVED("main_process_port", PORT, FROM(L(nodes), 2)),
    WORD("rdzv_backend", "static", {0}),
    BARE("same_network", "true", {0}),
    BARE(F "version", "1", FIRST, SHARDED),
    BARE(F "version", "2", SECOND, SHARDED),
    BARE(F "reshard_after_forward", "true", SECOND, SHARDED, ON(P(reshard))),
    BARE(F "reshard_after_forward", "false", SECOND, SHARDED, OFF(P(reshard))),
    /* Of FSDP1 reshard_after_forward has no effect: the launcher always gives a strategy, which comes first. */
    STRATEGY("FULL_SHARD", FLAT, ON),
    STRATEGY("SHARD_GRAD_OP", FLAT, OFF),
    STRATEGY("HYBRID_SHARD", HYBRID, ON),
    STRATEGY("HYBRID_SHARD_ZERO2", HYBRID, OFF),
    WORD(F "auto_wrap_policy", "TRANSFORMER_BASED_WRAP", SHARDED),
    WORD(F "state_dict_type", "SHARDED_STATE_DICT", SHARDED),
    BARE(F "cpu_ram_efficient_loading", "true", SHARDED),
    BARE(F "sync_module_states", "true", FIRST, SHARDED),
    BARE(F "use_orig_params", "true", FIRST, SHARDED),
    BARE(F "activation_checkpointing", "true", SHARDED, IS(P(recompute), DTC_RECOMPUTE_FULL)),
    {S "dp_replicate_size", .left = {P(dp), P(cp)}, .right = {P(dp_shard)}, .unlike = {P(dp), P(cp), P(dp_shard)}, WHEN(SECOND, SHARDED)},
    {S "dp_shard_size", .left = {P(dp_shard)}, .right = {P(cp)}, WHEN(SECOND, SHARDED, FROM(P(tp), 2))},
    {S "dp_shard_size", .left = {P(dp_shard)}, .right = {P(cp)}, WHEN(SECOND, SHARDED, IS(P(tp), 1), FROM(P(cp), 2))},
    {S "dp_shard_size", .left = {P(dp_shard)}, .unlike = {P(dp), P(cp), P(dp_shard)}, WHEN(SECOND, SHARDED, IS(P(tp), 1), IS(P(cp), 1))},
    NUMBER(S "tp_size", P(tp), SECOND, SHARDED, FROM(P(tp), 2)),
    NUMBER(S "cp_size", P(cp), SECOND, SHARDED, FROM(P(cp), 2)),
    WORD(S "cp_backend", "torch", SECOND, SHARDED, FROM(P(cp), 2)),
    WORD("deepspeed_config.deepspeed_config_file", "ds_config.json", DEEPSPEED),
    BARE("deepspeed_config.zero3_init_flag", "true", DEEPSPEED, IS(P(sharding), DTC_SHARDING_ZERO3)),
    WORD("deepspeed_config.deepspeed_multinode_launcher", "standard", DEEPSPEED, FROM(L(nodes), 2)),
};

#define NOT_WITH(field, condition) {P(field), .min = 1, .max = 1, WHEN(condition)}

static const dtci_launch_limit limits[] = {
    {P(sharding), .mask = BIT(DTC_SHARDING_DDP) | BIT(DTC_SHARDING_FSDP) | BIT(DTC_SHARDING_HSDP), WHEN(TORCH)},
    {P(precision), .mask = BIT(DTC_PRECISION_BF16) | BIT(DTC_PRECISION_FP16) | BIT(DTC_PRECISION_FP32), WHEN(TORCH)},
    NOT_WITH(tp, IS(P(sharding), DTC_SHARDING_DDP)),
    NOT_WITH(cp, IS(P(sharding), DTC_SHARDING_DDP)),
    {P(tp), .min = 1, .max = 1, .when = {SHARDED, FIRST}},
    {P(cp), .min = 1, .max = 1, .when = {SHARDED, FIRST}},
    {P(dp_shard), .equals = {P(dp), P(cp)}, .when = {FLAT, FIRST}},
    {P(dp_shard), .equals = {L(gpus_per_node)}, .when = {HYBRID, FIRST}},
    {P(pp), .min = 1, .max = 1, WHEN(TORCH)},
    NOT_WITH(pp, DEEPSPEED),
    NOT_WITH(tp, DEEPSPEED),
    NOT_WITH(cp, DEEPSPEED),
};
/* clang-format on */

/* Of DeepSpeed ds_config.json says the rest; batches are the script's. */
static const uint32_t others[] = {P(micro_batch), P(global_batch), P(accumulation), P(offload),
                                  P(grad_dtype),  P(bucket),       P(live),         P(persistence),
                                  P(ep),          P(etp),          P(grad_overlap)};

void dtci_launch_accelerate(dtci_launch_form *f)
{
  FILL(f);
  f->style = DTCI_STYLE_YAML;
}
