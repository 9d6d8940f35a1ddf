/* A plan as flags of a Hugging Face Trainer script: names as lint_trainer.c has them (transformers 4.57 to 5.24). */
#include "internal/launch_rows.h"

#define FSDP IS(P(sharding), DTC_SHARDING_FSDP)
#define HYBRID IS(P(sharding), DTC_SHARDING_HSDP)
/* --fsdp is a switch, and FSDP2 the default, from 5.10 on. */
#define OLD BETWEEN(L(tool_version), 0, 5009999)
#define NEW FROM(L(tool_version), 5010000)
#define OPTIM(word, value) WORD("--optim", word, IS(P(optimizer), DTC_OPTIMIZER_##value))

/* clang-format off */
static const dtci_launch_row rows[] = {
    NUMBER("--per_device_train_batch_size", P(micro_batch), {0}),
    NUMBER("--gradient_accumulation_steps", P(accumulation), FROM(P(accumulation), 2)),
    WORD("--bf16", "True", IS(P(precision), DTC_PRECISION_BF16)),
    WORD("--fp16", "True", IS(P(precision), DTC_PRECISION_FP16)),
    WORD("--gradient_checkpointing", "True", IS(P(recompute), DTC_RECOMPUTE_FULL), BETWEEN(P(sharding), DTC_SHARDING_DDP, DTC_SHARDING_ZERO3)),
    OPTIM("sgd", SGD),
    OPTIM("lion_32bit", LION),
    OPTIM("adamw_bnb_8bit", ADAM8),
    OPTIM("adafactor", ADAFACTOR),
    WORD("--torch_compile", "True", ON(P(compile))),
    BARE("--fsdp", "'full_shard auto_wrap'", OLD, FSDP, ON(P(reshard))),
    BARE("--fsdp", "'shard_grad_op auto_wrap'", OLD, FSDP, OFF(P(reshard))),
    BARE("--fsdp", "'hybrid_shard auto_wrap'", OLD, HYBRID, ON(P(reshard))),
    {"--fsdp", .kind = DTCI_LAUNCH_FLAG, WHEN(NEW, FSDP)},
    WORD("--deepspeed", "ds_config.json", IS(P(framework), DTC_FRAMEWORK_DEEPSPEED)),
};

static const dtci_launch_limit limits[] = {
    ONLY(P(tp), 1),
    ONLY(P(cp), 1),
    ONLY(P(pp), 1),
    ONLY(P(ep), 1),
    {P(sharding), .mask = BIT(DTC_SHARDING_DDP) | BIT(DTC_SHARDING_FSDP) | BIT(DTC_SHARDING_HSDP), WHEN(IS(P(framework), DTC_FRAMEWORK_PYTORCH))},
    {P(sharding), .mask = (BIT(DTC_SHARDING_DDP)) | (BIT(DTC_SHARDING_ZERO1)) | (BIT(DTC_SHARDING_ZERO2)) | (BIT(DTC_SHARDING_ZERO3)) | (BIT(DTC_SHARDING_FSDP)), WHEN(NEW)},
    {P(reshard), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(NEW)},
    {P(reshard), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(HYBRID)},
    /* FSDP has its own checkpointing, in a file that --fsdp_config names. */
    {P(recompute), .min = DTC_RECOMPUTE_NONE, .max = DTC_RECOMPUTE_NONE, WHEN(FSDP)},
    {P(recompute), .min = DTC_RECOMPUTE_NONE, .max = DTC_RECOMPUTE_NONE, WHEN(HYBRID)},
    MASK(P(recompute), BIT(DTC_RECOMPUTE_NONE) | BIT(DTC_RECOMPUTE_FULL)),
    MASK(P(precision), BIT(DTC_PRECISION_BF16) | BIT(DTC_PRECISION_FP16) | BIT(DTC_PRECISION_FP32)),
    MASK(P(optimizer), BIT(DTC_OPTIMIZER_ADAM) | BIT(DTC_OPTIMIZER_SGD) | BIT(DTC_OPTIMIZER_LION) | BIT(DTC_OPTIMIZER_ADAM8) | BIT(DTC_OPTIMIZER_ADAFACTOR)),
};
/* clang-format on */

/* Of DeepSpeed ds_config.json says the rest. */
static const uint32_t others[] = {P(global_batch), P(offload),     P(grad_dtype),  P(bucket),
                                  P(live),         P(persistence), P(grad_overlap)};

void dtci_launch_trainer(dtci_launch_form *f)
{
  FILL(f);
  f->style = DTCI_STYLE_SHELL;
}
