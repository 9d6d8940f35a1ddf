/* A plan as TorchTitan's configuration: keys and defaults as lint_torchtitan.c has them: TOML up to 0.2.2, Python from 0.3.0
 * on, tokens instead of sequences at the head (b5bcd76c). The model is one of TorchTitan's own. */
#include "internal/launch_rows.h"

#define PA "parallelism."
#define T "training."
#define TOKENS .since = 3001
#define SEQUENCES .until = 3001
#define PP2 FROM(P(pp), 2)
#define PP1 IS(P(pp), 1)
#define SCHEDULE(word, value) WORD(PA "pipeline_parallel_schedule", word, PP2, IS(P(schedule), DTC_SCHEDULE_##value))
#define AC "activation_checkpoint"

/* Both forms say the split in one way. */
/* clang-format off */
#define SPLIT \
    {PA "data_parallel_replicate_degree", .left = {P(dp), P(cp)}, .right = {P(dp_shard)}, .unlike = {P(dp), P(cp), P(dp_shard)}, WHEN(BETWEEN(P(sharding), DTC_SHARDING_FSDP, DTC_SHARDING_HSDP))}, \
    NUMBER(PA "data_parallel_replicate_degree", P(dp), IS(P(sharding), DTC_SHARDING_DDP), FROM(P(dp), 2)), \
    {PA "data_parallel_shard_degree", .left = {P(dp_shard)}, .right = {P(cp)}, WHEN(BETWEEN(P(sharding), DTC_SHARDING_FSDP, DTC_SHARDING_HSDP))}, \
    BARE(PA "data_parallel_shard_degree", "1", IS(P(sharding), DTC_SHARDING_DDP)), \
    NUMBER(PA "tensor_parallel_degree", P(tp), FROM(P(tp), 2)), \
    NUMBER(PA "context_parallel_degree", P(cp), FROM(P(cp), 2)), \
    NUMBER(PA "expert_parallel_degree", P(ep), FROM(P(ep), 2)), \
    NUMBER(PA "pipeline_parallel_degree", P(pp), PP2), \
    SCHEDULE("GPipe", GPIPE), \
    SCHEDULE("Interleaved1F1B", INTERLEAVED), \
    SCHEDULE("LoopedBFS", LOOPED_BFS), \
    SCHEDULE("InterleavedZeroBubble", INTERLEAVED_ZB), \
    SCHEDULE("ZBVZeroBubble", ZBV), \
    SCHEDULE("DualPipeV", DUALPIPE_V), \
    WORD(PA "fsdp_reshard_after_forward", "never", PP1, OFF(P(reshard))), \
    WORD(PA "fsdp_reshard_after_forward", "always", PP2, ON(P(reshard)))

#define DTYPES \
    WORD(T "dtype", "bfloat16", IS(P(precision), DTC_PRECISION_PURE_BF16)), \
    WORD(T "mixed_precision_param", "float32", IS(P(precision), DTC_PRECISION_FP32))

static const dtci_launch_row toml[] = {
    NUMBER(T "local_batch_size", P(micro_batch), PP1),
    {T "local_batch_size", .left = {P(micro_batch), P(accumulation)}, WHEN(PP2)},
    NUMBER(T "global_batch_size", P(global_batch), {0}),
    NUMBER(T "seq_len", P(seq), {0}),
    DTYPES,
    SPLIT,
    NUMBER(PA "expert_tensor_parallel_degree", P(etp), FROM(P(etp), 2)),
    NUMBER(PA "pipeline_parallel_microbatch_size", P(micro_batch), PP2, FROM(P(micro_batch), 2)),
    BARE(PA "enable_async_tensor_parallel", "true", ON(P(tp_overlap))),
    BARE(PA "disable_loss_parallel", "true", OFF(P(vocab_parallel))),
    BARE("compile.enable", "true", ON(P(compile))),
    WORD(AC ".mode", "none", IS(P(recompute), DTC_RECOMPUTE_NONE)),
    WORD(AC ".mode", "full", IS(P(recompute), DTC_RECOMPUTE_FULL), IS(P(recompute_method), DTC_RECOMPUTE_METHOD_UNIFORM)),
    WORD(AC ".mode", "selective", IS(P(recompute), DTC_RECOMPUTE_SELECTIVE)),
    WORD(AC ".selective_ac_option", "op", IS(P(recompute), DTC_RECOMPUTE_SELECTIVE)),
};

static const dtci_launch_row python[] = {
    {T "local_batch_size", .left = {P(micro_batch)}, SEQUENCES, WHEN(PP1)},
    {T "local_batch_size", .left = {P(micro_batch), P(accumulation)}, SEQUENCES, WHEN(PP2)},
    {T "global_batch_size", .left = {P(global_batch)}, SEQUENCES},
    {T "seq_len", .left = {P(seq)}, SEQUENCES},
    {T "num_tokens_per_microbatch_per_dp_rank", .left = {P(micro_batch), P(seq)}, TOKENS},
    {T "num_tokens_per_train_step", .left = {P(global_batch), P(seq)}, TOKENS},
    {T "max_context_length", .left = {P(seq)}, TOKENS},
    /* CUDA graphs are on by default, and hold no pipeline. */
    BARE(T "disable_cuda_graphs", "True", PP2),
    DTYPES,
    SPLIT,
    BARE(PA "enable_sequence_parallel", "False", FROM(P(tp), 2), OFF(P(sequence_parallel))),
    {PA "pipeline_parallel_microbatch_size", .left = {P(micro_batch)}, SEQUENCES, WHEN(PP2, FROM(P(micro_batch), 2))},
    {PA "num_pp_microbatches", .left = {P(accumulation)}, TOKENS, WHEN(PP2)},
    BARE("compile.enable", "True", ON(P(compile))),
    BARE("compile.enable_async_tensor_parallel", "True", ON(P(tp_overlap))),
    BARE(AC, "None", IS(P(recompute), DTC_RECOMPUTE_NONE)),
    BARE(AC, "FullAC.Config()", IS(P(recompute), DTC_RECOMPUTE_FULL)),
    BARE(AC, "SelectiveAC.Config()", IS(P(recompute), DTC_RECOMPUTE_SELECTIVE)),
};

static const dtci_launch_limit toml_limits[] = {
    {P(sequence_parallel), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(FROM(P(tp), 2))},
    /* Mixed precision is FSDP's there: without it training runs in fp32. */
    {P(precision), .min = DTC_PRECISION_FP32, .max = DTC_PRECISION_FP32, .when = {IS(P(dp_shard), 1), FROM(P(tp), 2)}},
    {P(precision), .min = DTC_PRECISION_FP32, .max = DTC_PRECISION_FP32, .when = {IS(P(dp_shard), 1), FROM(P(pp), 2)}},
#define LIMITS \
    MASK(P(sharding), BIT(DTC_SHARDING_DDP) | BIT(DTC_SHARDING_FSDP) | BIT(DTC_SHARDING_HSDP)), \
    MASK(P(precision), BIT(DTC_PRECISION_BF16) | BIT(DTC_PRECISION_FP32) | BIT(DTC_PRECISION_PURE_BF16)), \
    MASK(P(optimizer), BIT(DTC_OPTIMIZER_ADAM)), \
    MASK(P(recompute_method), BIT(DTC_RECOMPUTE_METHOD_UNIFORM)), \
    /* Without sharded ranks context parallel ones shard. */ \
    {P(cp), .min = 1, .max = 1, WHEN(IS(P(sharding), DTC_SHARDING_DDP))}, \
    {P(dp_shard), .min = 1, .max = 1, WHEN(IS(P(sharding), DTC_SHARDING_DDP))}, \
    {P(ep), .min = 1, .max = 1, WHEN(IS(P(sharding), DTC_SHARDING_DDP))}, \
    {P(tp), .min = 2, .max = UINT64_MAX, WHEN(ON(P(tp_overlap)))}, \
    /* Without a number of layers a stage is a rank's, or two are. */ \
    {P(vpp), .min = 1, .max = 2}
    LIMITS,
};

static const dtci_launch_limit python_limits[] = {LIMITS};
/* clang-format on */

/* Steps of an operator or a kernel, and those of a recomputed layer. */
static const uint32_t others[] = {P(recompute_core_attn), P(recompute_layers), P(fused_norm), P(optimizer_kernel)};

static void fill(dtci_launch_form *f)
{
  f->others = others;
  f->others_count = sizeof others / sizeof others[0];
  f->whole = 1;
}

void dtci_launch_titan_toml(dtci_launch_form *f)
{
  fill(f);
  f->rows = toml;
  f->rows_count = sizeof toml / sizeof toml[0];
  f->limits = toml_limits;
  f->limits_count = sizeof toml_limits / sizeof toml_limits[0];
  f->style = DTCI_STYLE_TOML;
  f->newest = 2999;
}

void dtci_launch_titan_python(dtci_launch_form *f)
{
  fill(f);
  f->rows = python;
  f->rows_count = sizeof python / sizeof python[0];
  f->limits = python_limits;
  f->limits_count = sizeof python_limits / sizeof python_limits[0];
  f->style = DTCI_STYLE_PYTHON;
  f->least = 3000;
}
