/* Legality: every rule broken once, nearest legal values, versions, groups. */
#include "check_plan.h"

#include <dtcore/pipeline.h>

/* ---- every rule broken once ---------------------------------------------------------------------------------------- */

typedef struct broken {
  const char *model;
  uint64_t nodes; /* 0: no cluster */
  struct {
    uint32_t field;
    uint64_t value;
  } set[8];
  dtc_rule rule;
  dtc_status status;
  dtc_severity severity;
  uint32_t field;
  uint32_t other;
  uint64_t got, other_got, min, max, lower, upper;
} broken;

#define NO DTC_NONE
#define ERROR DTC_SEVERITY_ERROR
#define WARNING DTC_SEVERITY_WARNING

/* clang-format off */
static const broken breaks[] = {
    {"llama-3-70b", 0, {{P(tp), 7}}, DTC_RULE_TP_HEADS, DTC_E_DIVIDE, ERROR,
     P(tp), M(heads), 7, 64, NO, NO, 4, 8},
    {"gpt2", 0, {{M(kv_heads), 6}, {M(arch), DTC_ARCH_MEGATRON}, {P(tp), 4}}, DTC_RULE_TP_KV_HEADS, DTC_E_DIVIDE, ERROR,
     P(tp), M(kv_heads), 4, 6, NO, NO, 3, 6},
    {"llama-3-70b", 0, {{M(ffn), 100}, {P(tp), 8}}, DTC_RULE_TP_FFN, DTC_E_DIVIDE, ERROR,
     P(tp), M(ffn), 8, 100, NO, NO, 4, NO},
    {"qwen1.5-moe-a2.7b", 0, {{M(shared_ffn), 5636}, {P(tp), 8}, {P(etp), 1}}, DTC_RULE_TP_SHARED_FFN, DTC_E_DIVIDE, ERROR,
     P(tp), M(shared_ffn), 8, 5636, NO, NO, 4, NO},
    {"mixtral-8x7b", 0, {{P(etp), 3}, {P(dp), 3}}, DTC_RULE_ETP_MOE_FFN, DTC_E_DIVIDE, ERROR,
     P(etp), M(moe_ffn), 3, 14336, NO, NO, 1, NO},
    {"mixtral-8x7b", 0, {{P(ep), 3}, {P(dp), 24}}, DTC_RULE_EP_EXPERTS, DTC_E_DIVIDE, ERROR,
     P(ep), M(experts), 3, 8, NO, NO, 2, 4},
    {"llama-3-8b", 0, {{P(ep), 2}, {P(dp), 2}}, DTC_RULE_EP_NEEDS_EXPERTS, DTC_E_CONFLICT, ERROR,
     P(ep), M(experts), 2, 0, 1, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(ep), 8}, {P(dp), 12}}, DTC_RULE_EP_WORLD, DTC_E_DIVIDE, ERROR,
     P(ep), P(tp), 8, 12, NO, NO, 4, NO},
    {"mixtral-8x7b", 1, {{P(tp), 2}, {P(pp), 2}, {P(ep), 8}, {P(etp), 1}}, DTC_RULE_EP_WORLD, DTC_E_DIVIDE, ERROR,
     P(ep), P(tp), 8, 4, NO, NO, 4, NO},
    {"llama-3-8b", 0, {{P(pp), 40}}, DTC_RULE_PP_LAYERS, DTC_E_RANGE, ERROR,
     P(pp), M(layers), 40, 32, NO, 32, 32, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(vpp), 3}}, DTC_RULE_VPP_LAYERS, DTC_E_DIVIDE, ERROR,
     P(vpp), M(layers), 3, 32, NO, NO, 2, 4},
    {"llama-3-8b", 0, {{P(vpp), 2}}, DTC_RULE_VPP_NEEDS_PP, DTC_E_CONFLICT, ERROR,
     P(vpp), P(pp), 2, 1, 2, NO, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(vpp), 2}, {P(accumulation), 6}}, DTC_RULE_VPP_BATCH, DTC_E_DIVIDE, ERROR,
     P(accumulation), P(pp), 6, 4, NO, NO, 4, 8},
    {"llama-3-8b", 0, {{P(cp), 4}, {P(seq), 1004}}, DTC_RULE_CP_SEQ, DTC_E_DIVIDE, ERROR,
     P(seq), P(cp), 1004, 8, NO, NO, 1000, 1008},
    {"llama-3-8b", 0, {{P(tp), 8}, {P(sequence_parallel), DTC_BOOL_ON}, {P(seq), 1004}}, DTC_RULE_SP_SEQ, DTC_E_DIVIDE, ERROR,
     P(seq), P(tp), 1004, 8, NO, NO, 1000, 1008},
    {"llama-3-8b", 0, {{P(sequence_parallel), DTC_BOOL_ON}}, DTC_RULE_SP_NEEDS_TP, DTC_E_CONFLICT, WARNING,
     P(sequence_parallel), P(tp), 1, 1, 2, NO, NO, NO},
    {"llama-3-8b", 0, {{P(dp), 12}, {P(dp_shard), 5}, {P(sharding), DTC_SHARDING_FSDP}}, DTC_RULE_DP_SHARD, DTC_E_DIVIDE, ERROR,
     P(dp_shard), P(dp), 5, 12, NO, NO, 4, 6},
    {"llama-3-8b", 0, {{P(dp), 4}, {P(micro_batch), 3}, {P(global_batch), 100}}, DTC_RULE_BATCH, DTC_E_DIVIDE, ERROR,
     P(global_batch), P(micro_batch), 100, 12, NO, NO, 96, 108},
    {"llama-3-8b", 0, {{P(dp), 4}, {P(micro_batch), 2}, {P(global_batch), 32}, {P(accumulation), 2}}, DTC_RULE_BATCH_PRODUCT, DTC_E_CONFLICT, ERROR,
     P(global_batch), P(micro_batch), 32, 16, NO, NO, 16, NO},
    {"llama-3-8b", 2, {{P(tp), 4}, {P(dp), 3}, {P(sharding), DTC_SHARDING_DDP}, {P(global_batch), 12}}, DTC_RULE_WORLD, DTC_E_DIVIDE, WARNING,
     P(dp), DTC_FIELD(cluster, nodes), 3, 16, NO, NO, NO, 4},
    {"llama-3-8b", 1, {{P(dp), 12}, {P(sharding), DTC_SHARDING_DDP}, {P(global_batch), 24}}, DTC_RULE_WORLD_SIZE, DTC_E_RANGE, ERROR,
     P(dp), DTC_FIELD(cluster, nodes), 12, 8, NO, 8, 8, NO},
    {"gpt2", 0, {{P(seq), 2048}}, DTC_RULE_SEQ_CONTEXT, DTC_E_RANGE, ERROR,
     P(seq), M(context), 2048, 1024, NO, 1024, 1024, NO},
    {"llama-3-70b", 2, {{P(tp), 16}}, DTC_RULE_TP_DOMAIN, DTC_E_RANGE, WARNING,
     P(tp), DTC_FIELD(cluster, nvlink_domain), 16, 8, NO, 8, 8, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(sharding), DTC_SHARDING_DISTOPT}}, DTC_RULE_DISTOPT, DTC_E_CONFLICT, ERROR,
     P(sharding), P(framework), DTC_SHARDING_DISTOPT, DTC_FRAMEWORK_PYTORCH, DTC_FRAMEWORK_MEGATRON, DTC_FRAMEWORK_MEGATRON, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(vpp), 2}, {P(schedule), DTC_SCHEDULE_1F1B}}, DTC_RULE_VPP_SCHEDULE, DTC_E_CONFLICT, ERROR,
     P(vpp), P(schedule), 2, DTC_SCHEDULE_1F1B, DTC_SCHEDULE_INTERLEAVED, DTC_SCHEDULE_INTERLEAVED_ZB, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(schedule), DTC_SCHEDULE_INTERLEAVED}}, DTC_RULE_INTERLEAVED_VPP, DTC_E_CONFLICT, ERROR,
     P(schedule), P(vpp), DTC_SCHEDULE_INTERLEAVED, 1, 2, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 5}}, DTC_RULE_MEGATRON_PP_LAYERS, DTC_E_DIVIDE, ERROR,
     P(pp), M(layers), 5, 32, NO, NO, 4, 8},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_ZERO3}, {P(framework), DTC_FRAMEWORK_MEGATRON}}, DTC_RULE_MEGATRON_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_ZERO3, DTC_FRAMEWORK_MEGATRON, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_HSDP}, {P(framework), DTC_FRAMEWORK_MEGATRON}}, DTC_RULE_MEGATRON_HSDP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_HSDP, DTC_FRAMEWORK_MEGATRON, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_ZERO1}, {P(framework), DTC_FRAMEWORK_TORCHTITAN}}, DTC_RULE_TORCHTITAN_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_ZERO1, DTC_FRAMEWORK_TORCHTITAN, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_ZERO2}, {P(framework), DTC_FRAMEWORK_PYTORCH}}, DTC_RULE_PYTORCH_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_ZERO2, DTC_FRAMEWORK_PYTORCH, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_FSDP}, {P(framework), DTC_FRAMEWORK_DEEPSPEED}}, DTC_RULE_DEEPSPEED_FSDP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_FSDP, DTC_FRAMEWORK_DEEPSPEED, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_HSDP}, {P(framework), DTC_FRAMEWORK_COLOSSALAI}}, DTC_RULE_COLOSSALAI_HSDP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_HSDP, DTC_FRAMEWORK_COLOSSALAI, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 2}, {P(framework), DTC_FRAMEWORK_PYTORCH}}, DTC_RULE_PYTORCH_PP, DTC_E_UNSUPPORTED, ERROR,
     P(pp), P(framework), 2, DTC_FRAMEWORK_PYTORCH, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(ep), 2}, {P(dp), 2}, {P(framework), DTC_FRAMEWORK_PYTORCH}}, DTC_RULE_PYTORCH_EP, DTC_E_UNSUPPORTED, ERROR,
     P(ep), P(framework), 2, DTC_FRAMEWORK_PYTORCH, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(vpp), 2}, {P(framework), DTC_FRAMEWORK_DEEPSPEED}}, DTC_RULE_DEEPSPEED_VPP, DTC_E_UNSUPPORTED, ERROR,
     P(vpp), P(framework), 2, DTC_FRAMEWORK_DEEPSPEED, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 2}, {P(sharding), DTC_SHARDING_ZERO2}}, DTC_RULE_DEEPSPEED_PP_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(pp), DTC_SHARDING_ZERO2, 2, 1, 1, NO, NO},
    {"llama-3-8b", 0, {{P(recompute), DTC_RECOMPUTE_SELECTIVE}, {P(framework), DTC_FRAMEWORK_COLOSSALAI}}, DTC_RULE_SELECTIVE, DTC_E_UNSUPPORTED, WARNING,
     P(recompute), P(framework), DTC_RECOMPUTE_SELECTIVE, DTC_FRAMEWORK_COLOSSALAI, DTC_FRAMEWORK_MEGATRON, DTC_FRAMEWORK_MEGATRON, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_FSDP}, {P(framework), DTC_FRAMEWORK_MEGATRON}}, DTC_RULE_MEGATRON_FSDP, DTC_E_UNSUPPORTED, WARNING,
     P(sharding), P(framework), DTC_SHARDING_FSDP, DTC_FRAMEWORK_MEGATRON, NO, NO, NO, NO},
    {"llama-3-8b", 2, {{P(cp), 16}, {P(seq), 4096}}, DTC_RULE_TP_CP_DOMAIN, DTC_E_RANGE, WARNING,
     P(cp), DTC_FIELD(cluster, nvlink_domain), 16, 8, NO, 8, 8, NO},
    {"mixtral-8x7b", 2, {{P(ep), 8}, {P(etp), 2}, {P(tp), 2}, {P(dp), 8}}, DTC_RULE_EP_DOMAIN, DTC_E_RANGE, WARNING,
     P(ep), DTC_FIELD(cluster, nvlink_domain), 8, 8, NO, 4, 4, NO},
    {"llama-3-8b", 1, {{P(tp), 8}, {P(pp), 2}, {P(framework), DTC_FRAMEWORK_MEGATRON}}, DTC_RULE_WORLD_DIVIDES, DTC_E_DIVIDE, ERROR,
     P(tp), DTC_FIELD(cluster, nodes), 8, 8, NO, NO, 4, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(pp), 4}, {P(first_layers), 7}}, DTC_RULE_FIRST_LAYERS, DTC_E_UNSUPPORTED, ERROR,
     P(first_layers), P(framework), 7, 5, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(pp), 4}, {P(last_layers), 7}}, DTC_RULE_LAST_LAYERS, DTC_E_UNSUPPORTED, ERROR,
     P(last_layers), P(framework), 7, 5, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(account_embedding), DTC_BOOL_ON}}, DTC_RULE_ACCOUNT_EMBEDDING, DTC_E_UNSUPPORTED, ERROR,
     P(account_embedding), P(framework), 1, 2, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(account_loss), DTC_BOOL_ON}}, DTC_RULE_ACCOUNT_LOSS, DTC_E_UNSUPPORTED, ERROR,
     P(account_loss), P(framework), 1, 2, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(group), 4}}, DTC_RULE_GROUP, DTC_E_UNSUPPORTED, ERROR,
     P(group), P(framework), 4, 4, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(p2p_overlap), DTC_BOOL_ON}}, DTC_RULE_P2P_OVERLAP, DTC_E_UNSUPPORTED, ERROR,
     P(p2p_overlap), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(moe_overlap), DTC_BOOL_ON}}, DTC_RULE_MOE_OVERLAP, DTC_E_UNSUPPORTED, ERROR,
     P(moe_overlap), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(schedule), DTC_SCHEDULE_ZBV}, {P(pp), 2}, {P(vpp), 4}}, DTC_RULE_V_CHUNKS, DTC_E_RANGE, ERROR,
     P(vpp), P(vpp), 4, 4, 2, 2, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(schedule), DTC_SCHEDULE_DUALPIPE}, {P(pp), 3}, {P(vpp), 2}, {P(accumulation), 8}, {M(layers), 12}}, DTC_RULE_DUALPIPE_RANKS, DTC_E_DIVIDE, ERROR,
     P(pp), 0, 3, 2, NO, NO, 2, 4},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(schedule), DTC_SCHEDULE_DUALPIPE}, {P(pp), 4}, {P(vpp), 2}, {P(accumulation), 9}}, DTC_RULE_DUALPIPE_EVEN, DTC_E_DIVIDE, ERROR,
     P(accumulation), 0, 9, 2, NO, NO, 8, 10},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(schedule), DTC_SCHEDULE_DUALPIPE}, {P(pp), 4}, {P(vpp), 2}, {P(accumulation), 6}}, DTC_RULE_DUALPIPE_BATCH, DTC_E_RANGE, ERROR,
     P(accumulation), P(pp), 6, 8, 8, NO, NO, 8},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(schedule), DTC_SCHEDULE_INTERLEAVED}, {P(pp), 3}, {P(vpp), 2}, {P(accumulation), 7}}, DTC_RULE_TORCH_ROUNDS, DTC_E_DIVIDE, ERROR,
     P(accumulation), P(accumulation), 7, 2, NO, NO, 6, 8},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(pp), 4}, {P(accumulation), 3}}, DTC_RULE_TORCH_1F1B, DTC_E_RANGE, ERROR,
     P(accumulation), P(pp), 3, 4, 4, NO, NO, 4},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(schedule), DTC_SCHEDULE_GPIPE}}, DTC_RULE_MEGATRON_SCHEDULE, DTC_E_UNSUPPORTED, ERROR,
     P(schedule), P(framework), 1, 3, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(pp), 4}, {P(schedule), DTC_SCHEDULE_GPIPE}}, DTC_RULE_DEEPSPEED_SCHEDULE, DTC_E_UNSUPPORTED, ERROR,
     P(schedule), P(framework), 1, 2, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(pp), 4}, {P(schedule), DTC_SCHEDULE_GPIPE}}, DTC_RULE_COLOSSALAI_SCHEDULE, DTC_E_UNSUPPORTED, ERROR,
     P(schedule), P(framework), 1, 4, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(pp), 4}, {P(schedule), DTC_SCHEDULE_ZB_H1}}, DTC_RULE_TORCH_SCHEDULE, DTC_E_UNSUPPORTED, ERROR,
     P(schedule), P(framework), 14, 5, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(pp), 4}, {P(vpp), 9}}, DTC_RULE_CHUNK_LAYERS, DTC_E_RANGE, ERROR,
     P(vpp), M(layers), 9, 34, NO, 8, 8, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(framework_version), 10000}, {P(pp), 4}, {M(layers), 30}}, DTC_RULE_MEGATRON_DROPPED, DTC_E_DIVIDE, WARNING,
     P(pp), M(layers), 4, 30, NO, NO, 3, 5},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(first_layers), 20}, {P(last_layers), 20}}, DTC_RULE_MEGATRON_ENDS, DTC_E_RANGE, ERROR,
     P(last_layers), P(first_layers), 20, 40, NO, NO, 12, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(first_layers), 7}, {P(last_layers), 8}}, DTC_RULE_MEGATRON_MIDDLE, DTC_E_DIVIDE, ERROR,
     P(last_layers), P(pp), 8, 2, NO, NO, 7, 9},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(first_layers), 7}, {M(layers), 30}}, DTC_RULE_MEGATRON_MIDDLE, DTC_E_DIVIDE, ERROR,
     P(first_layers), P(pp), 7, 3, NO, NO, 6, 9},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(vpp), 2}, {P(first_layers), 7}, {P(last_layers), 9}}, DTC_RULE_MEGATRON_FIRST_CHUNKS, DTC_E_DIVIDE, ERROR,
     P(first_layers), P(vpp), 7, 2, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(vpp), 2}, {P(first_layers), 7}, {P(last_layers), 9}}, DTC_RULE_MEGATRON_LAST_CHUNKS, DTC_E_DIVIDE, ERROR,
     P(last_layers), P(vpp), 9, 2, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(vpp), 2}, {P(first_layers), 6}, {P(last_layers), 8}}, DTC_RULE_MEGATRON_MIDDLE_CHUNKS, DTC_E_DIVIDE, ERROR,
     P(vpp), M(layers), 2, 18, NO, NO, 1, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 2}, {P(vpp), 2}, {P(first_layers), 16}, {P(last_layers), 16}}, DTC_RULE_MEGATRON_TWO_ENDS, DTC_E_CONFLICT, ERROR,
     P(vpp), P(last_layers), 2, 16, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(first_layers), 8}, {P(account_embedding), DTC_BOOL_ON}}, DTC_RULE_MEGATRON_ENDS_EMBEDDING, DTC_E_CONFLICT, ERROR,
     P(account_embedding), P(first_layers), 1, 8, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(last_layers), 8}, {P(account_loss), DTC_BOOL_ON}}, DTC_RULE_MEGATRON_ENDS_LOSS, DTC_E_CONFLICT, ERROR,
     P(account_loss), P(first_layers), 1, 8, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(vpp), 2}, {P(last_layers), 8}, {P(schedule), DTC_SCHEDULE_ZBV}}, DTC_RULE_MEGATRON_ENDS_V, DTC_E_CONFLICT, ERROR,
     P(schedule), P(first_layers), 7, 8, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(framework_version), 8000}, {P(pp), 4}, {P(last_layers), 8}}, DTC_RULE_MEGATRON_ENDS_VERSION, DTC_E_UNSUPPORTED, ERROR,
     P(last_layers), P(framework_version), 8, 8000, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(framework_version), 10000}, {P(pp), 4}, {P(vpp), 2}, {P(last_layers), 8}}, DTC_RULE_MEGATRON_ENDS_VPP, DTC_E_UNSUPPORTED, ERROR,
     P(vpp), P(framework_version), 2, 10000, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(framework_version), 10000}, {P(pp), 4}, {P(account_loss), DTC_BOOL_ON}}, DTC_RULE_MEGATRON_ACCOUNT_VERSION, DTC_E_UNSUPPORTED, ERROR,
     P(account_loss), P(framework_version), 1, 10000, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(vpp), 2}, {P(accumulation), 8}, {P(group), 3}}, DTC_RULE_MEGATRON_GROUP_LEAST, DTC_E_RANGE, ERROR,
     P(group), P(pp), 3, 4, 4, NO, NO, 4},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(vpp), 2}, {P(accumulation), 4}, {P(group), 5}}, DTC_RULE_MEGATRON_GROUP_MOST, DTC_E_RANGE, ERROR,
     P(group), P(accumulation), 5, 4, NO, 4, 4, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 2}, {P(vpp), 2}, {P(p2p_overlap), DTC_BOOL_OFF}}, DTC_RULE_MEGATRON_P2P_RANKS, DTC_E_RANGE, ERROR,
     P(p2p_overlap), P(pp), 2, 2, 3, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 2}, {P(p2p_overlap), DTC_BOOL_ON}}, DTC_RULE_MEGATRON_P2P_UNUSED, DTC_E_CONFLICT, WARNING,
     P(p2p_overlap), P(schedule), 1, 2, 3, 3, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(moe_overlap), DTC_BOOL_ON}}, DTC_RULE_MOE_OVERLAP_EP, DTC_E_CONFLICT, ERROR,
     P(moe_overlap), P(ep), 1, 1, 2, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(moe_overlap), DTC_BOOL_ON}, {P(ep), 8}, {P(pp), 2}}, DTC_RULE_MOE_OVERLAP_VPP, DTC_E_CONFLICT, ERROR,
     P(moe_overlap), P(vpp), 1, 1, 2, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(moe_overlap), DTC_BOOL_ON}, {P(ep), 8}, {P(recompute), DTC_RECOMPUTE_FULL}}, DTC_RULE_MOE_OVERLAP_RECOMPUTE, DTC_E_CONFLICT, ERROR,
     P(moe_overlap), P(recompute), 1, 3, NO, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(moe_overlap), DTC_BOOL_ON}, {P(ep), 8}, {P(precision), DTC_PRECISION_FP32}}, DTC_RULE_MOE_OVERLAP_PRECISION, DTC_E_CONFLICT, ERROR,
     P(moe_overlap), P(precision), 1, 3, NO, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(framework_version), 9000}, {P(tp), 8}, {P(ep), 8}, {P(etp), 8}, {P(dp), 4}}, DTC_RULE_MEGATRON_EP_DP, DTC_E_DIVIDE, ERROR,
     P(ep), P(dp), 8, 4, NO, NO, 4, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(framework_version), 7000}, {P(cp), 2}, {P(ep), 8}, {P(dp), 8}}, DTC_RULE_MEGATRON_EP_CP, DTC_E_UNSUPPORTED, ERROR,
     P(ep), P(cp), 8, 2, NO, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(framework_version), 9000}, {P(tp), 2}, {P(etp), 1}, {P(ep), 8}, {P(dp), 8}}, DTC_RULE_MEGATRON_ETP, DTC_E_UNSUPPORTED, ERROR,
     P(etp), P(tp), 1, 2, NO, NO, NO, 2},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(framework_version), 19002}, {P(sharding), DTC_SHARDING_ZERO3}, {P(ep), 8}, {P(dp), 8}}, DTC_RULE_DEEPSPEED_MOE_ZERO3, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework_version), 4, 19002, NO, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(sharding), DTC_SHARDING_ZERO3}, {P(ep), 8}, {P(dp), 8}, {P(tp), 2}}, DTC_RULE_DEEPSPEED_ZERO3_TP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(tp), 4, 2, 1, 1, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(sharding), DTC_SHARDING_ZERO3}, {P(ep), 8}, {P(dp), 8}, {P(cp), 2}}, DTC_RULE_DEEPSPEED_ZERO3_CP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(cp), 4, 2, 1, 1, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(sharding), DTC_SHARDING_ZERO3}, {P(ep), 4}, {P(dp), 8}, {P(etp), 2}}, DTC_RULE_DEEPSPEED_ZERO3_ETP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(etp), 4, 2, 1, 1, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(cp), 3}, {P(seq), 3072}}, DTC_RULE_ULYSSES_HEADS, DTC_E_DIVIDE, ERROR,
     P(cp), M(heads), 3, 32, NO, NO, 2, 4},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(cp), 4}, {P(seq), 4098}}, DTC_RULE_ULYSSES_SEQ, DTC_E_DIVIDE, ERROR,
     P(seq), P(cp), 4098, 4, NO, NO, 4096, 4100},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(dp), 8}, {P(sharding), DTC_SHARDING_HSDP}, {P(dp_shard), 4}, {P(ep), 8}}, DTC_RULE_TORCHTITAN_EP_SHARD, DTC_E_DIVIDE, ERROR,
     P(ep), P(dp_shard), 8, 4, NO, NO, 4, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(pp), 4}, {P(schedule), DTC_SCHEDULE_INTERLEAVED_ZB}}, DTC_RULE_TORCHTITAN_ZB, DTC_E_RANGE, ERROR,
     P(schedule), P(vpp), 13, 1, 2, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(tp), 2}, {P(dp), 4}, {P(ep), 8}}, DTC_RULE_COLOSSALAI_EP_DP, DTC_E_DIVIDE, ERROR,
     P(ep), P(dp), 8, 4, NO, NO, 4, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(pp), 2}, {P(sharding), DTC_SHARDING_ZERO2}}, DTC_RULE_COLOSSALAI_PP_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(pp), 3, 2, 1, 1, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(sequence_parallel), DTC_BOOL_ON}}, DTC_RULE_COLOSSALAI_SP, DTC_E_CONFLICT, ERROR,
     P(sequence_parallel), P(tp), 1, 1, 2, NO, NO, NO},
    {"llama-3-8b", 1, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(tp), 8}, {P(pp), 2}}, DTC_RULE_COLOSSALAI_WORLD, DTC_E_DIVIDE, ERROR,
     P(tp), DTC_FIELD(cluster, nodes), 8, 8, NO, NO, 4, NO},
    {"llama-3-8b", 3, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(tp), 2}, {P(pp), 2}, {P(cp), 4}}, DTC_RULE_COLOSSALAI_IDLE, DTC_E_DIVIDE, WARNING,
     P(cp), DTC_FIELD(cluster, nodes), 4, 24, NO, NO, 2, NO},
    {"llama-3-8b", 1, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(tp), 2}, {P(pp), 2}, {P(cp), 4}}, DTC_RULE_COLOSSALAI_SIZE, DTC_E_RANGE, ERROR,
     P(cp), DTC_FIELD(cluster, nodes), 4, 8, NO, 2, 2, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(tp), 2}, {P(dp), 2}}, DTC_RULE_PYTORCH_TP_REPLICAS, DTC_E_CONFLICT, WARNING,
     P(sharding), P(sharding), 1, 1, 5, 6, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(cp), 2}, {P(dp), 2}}, DTC_RULE_PYTORCH_CP_REPLICAS, DTC_E_CONFLICT, WARNING,
     P(sharding), P(sharding), 1, 1, 5, 6, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 4}, {P(group), 4}}, DTC_RULE_MEGATRON_GROUP_UNUSED, DTC_E_UNSUPPORTED, WARNING,
     P(schedule), P(framework), 2, 3, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(frozen_layers), 33}}, DTC_RULE_FROZEN_LAYERS, DTC_E_RANGE, ERROR,
     P(frozen_layers), M(layers), 33, 32, NO, 32, 32, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(lora_rank), 8}}, DTC_RULE_LORA_RANK, DTC_E_CONFLICT, WARNING,
     P(lora_rank), P(tuning), 8, 1, 2, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(lora_targets), 4}}, DTC_RULE_LORA_TARGETS, DTC_E_CONFLICT, WARNING,
     P(lora_targets), P(tuning), 4, 1, 2, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(double_quant), DTC_BOOL_ON}}, DTC_RULE_DOUBLE_QUANT, DTC_E_CONFLICT, WARNING,
     P(double_quant), P(tuning), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(quant_inputs), 4}}, DTC_RULE_QUANT_INPUTS, DTC_E_CONFLICT, WARNING,
     P(quant_inputs), P(tuning), 4, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(accumulation), 2}, {P(step_in_backward), DTC_BOOL_ON}}, DTC_RULE_STEP_IN_BACKWARD,
     DTC_E_CONFLICT, ERROR, P(step_in_backward), P(accumulation), 1, 2, 1, 1, NO, NO},
    {"gpt2", 0, {{M(arch), DTC_ARCH_MEGATRON}, {M(encoder_layers), 12}, {P(pp), 2}}, DTC_RULE_ENCODER_PP, DTC_E_UNSUPPORTED, ERROR,
     P(pp), M(encoder_layers), 2, 12, 0, 0, NO, NO},
    {"gpt2", 0, {{P(encoder_seq), 512}}, DTC_RULE_ENCODER_SEQ, DTC_E_CONFLICT, ERROR,
     P(encoder_seq), M(encoder_layers), 512, 0, 1, NO, NO, NO},
    {"gpt2", 0, {{M(arch), DTC_ARCH_MEGATRON}, {M(encoder_layers), 12}, {P(encoder_seq), 1025}}, DTC_RULE_ENCODER_CONTEXT, DTC_E_RANGE, ERROR,
     P(encoder_seq), M(context), 1025, 1024, NO, 1024, 1024, NO},
    {"llama-2-7b", 0, {{M(arch), DTC_ARCH_MEGATRON}, {M(mamba_layers), 16}, {M(mamba_groups), 2}, {P(tp), 4}}, DTC_RULE_MAMBA_TP_GROUPS, DTC_E_DIVIDE, ERROR,
     P(tp), M(mamba_groups), 4, 2, NO, NO, 2, NO},
    {"llama-2-7b", 0, {{M(arch), DTC_ARCH_MEGATRON}, {M(mamba_layers), 16}, {P(tp), 2}, {P(cp), 3}, {P(seq), 1536}}, DTC_RULE_MAMBA_RANK_HEADS, DTC_E_DIVIDE, ERROR,
     P(cp), M(mamba_heads), 3, 128, NO, NO, 2, 4},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(transformer_engine), DTC_BOOL_ON}}, DTC_RULE_TRANSFORMER_ENGINE, DTC_E_CONFLICT, WARNING,
     P(transformer_engine), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(grad_fusion), DTC_BOOL_ON}}, DTC_RULE_GRAD_FUSION, DTC_E_CONFLICT, WARNING,
     P(grad_fusion), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(attention_mask), DTC_BOOL_ON}}, DTC_RULE_ATTENTION_MASK, DTC_E_CONFLICT, WARNING,
     P(attention_mask), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(defer_wgrad), DTC_BOOL_ON}}, DTC_RULE_DEFER_WGRAD, DTC_E_CONFLICT, WARNING,
     P(defer_wgrad), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(softmax_fp32), DTC_BOOL_ON}}, DTC_RULE_SOFTMAX_FP32, DTC_E_CONFLICT, WARNING,
     P(softmax_fp32), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(router_fp32), DTC_BOOL_ON}}, DTC_RULE_ROUTER_FP32, DTC_E_CONFLICT, WARNING,
     P(router_fp32), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(recompute_distributed), DTC_BOOL_ON}}, DTC_RULE_RECOMPUTE_DISTRIBUTED, DTC_E_CONFLICT, WARNING,
     P(recompute_distributed), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(whole_tensors), DTC_BOOL_ON}}, DTC_RULE_WHOLE_TENSORS, DTC_E_CONFLICT, WARNING,
     P(whole_tensors), P(framework), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(dispatcher), DTC_DISPATCHER_ALLGATHER}}, DTC_RULE_DISPATCHER, DTC_E_CONFLICT, WARNING,
     P(dispatcher), P(framework), 1, 1, 3, 3, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(capacity_percent), 100}}, DTC_RULE_CAPACITY, DTC_E_CONFLICT, WARNING,
     P(capacity_percent), P(framework), 100, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(capacity_percent), 100}}, DTC_RULE_CAPACITY_EXPERTS, DTC_E_CONFLICT, WARNING,
     P(capacity_percent), M(experts), 100, 0, 1, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(load_percent), 120}}, DTC_RULE_LOAD_EXPERTS, DTC_E_CONFLICT, WARNING,
     P(load_percent), M(experts), 120, 0, 1, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(load_percent), 120}, {P(capacity_percent), 100}}, DTC_RULE_LOAD_CAPACITY, DTC_E_CONFLICT, WARNING,
     P(load_percent), P(capacity_percent), 120, 100, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(whole_tensors), DTC_BOOL_ON}}, DTC_RULE_WHOLE_MUON, DTC_E_CONFLICT, WARNING,
     P(whole_tensors), P(optimizer), 1, 1, 7, 7, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(recompute_method), DTC_RECOMPUTE_METHOD_BLOCK}}, DTC_RULE_RECOMPUTE_BLOCK, DTC_E_CONFLICT, WARNING,
     P(recompute_method), P(recompute), 2, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(fp8_params), DTC_BOOL_ON}}, DTC_RULE_FP8_PARAMS, DTC_E_CONFLICT, WARNING,
     P(fp8_params), P(precision), 1, 1, 5, 6, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(defer_wgrad), DTC_BOOL_ON}}, DTC_RULE_DEFER_PP, DTC_E_CONFLICT, WARNING,
     P(defer_wgrad), P(pp), 1, 1, 2, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(softmax_fp32), DTC_BOOL_ON}}, DTC_RULE_SOFTMAX_MATH, DTC_E_CONFLICT, WARNING,
     P(softmax_fp32), P(attention), 1, 1, 4, 4, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(sharding), DTC_SHARDING_ZERO1}, {P(offload), DTC_OFFLOAD_OPTIMIZER}}, DTC_RULE_OFFLOAD_FRAMEWORK, DTC_E_UNSUPPORTED, ERROR,
     P(offload), P(framework), 1, 1, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(sharding), DTC_SHARDING_DDP}, {P(offload), DTC_OFFLOAD_OPTIMIZER}}, DTC_RULE_OFFLOAD_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(offload), P(sharding), 1, 1, 2, 4, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(sharding), DTC_SHARDING_ZERO2}, {P(offload), DTC_OFFLOAD_PARAMS}}, DTC_RULE_OFFLOAD_PARAMS, DTC_E_UNSUPPORTED, ERROR,
     P(offload), P(sharding), 2, 3, 4, 4, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_COLOSSALAI}, {P(sharding), DTC_SHARDING_ZERO3}, {P(offload), DTC_OFFLOAD_NVME}}, DTC_RULE_COLOSSALAI_NVME, DTC_E_UNSUPPORTED, ERROR,
     P(offload), P(framework), 3, 4, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(offload_activations), DTC_BOOL_ON}}, DTC_RULE_OFFLOAD_CHECKPOINTS, DTC_E_CONFLICT, ERROR,
     P(offload_activations), P(recompute), 1, 1, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(sharding), DTC_SHARDING_ZERO2}, {P(live), 5}}, DTC_RULE_ZERO3_LIVE, DTC_E_UNSUPPORTED, WARNING,
     P(live), P(sharding), 5, 3, 4, 4, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(sharding), DTC_SHARDING_ZERO2}, {P(persistence), 5}}, DTC_RULE_ZERO3_PERSISTENCE, DTC_E_UNSUPPORTED, WARNING,
     P(persistence), P(sharding), 5, 3, 4, 4, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_SCALING}, {P(sharding), DTC_SHARDING_ZERO2}}, DTC_RULE_SCALING_SHARDING, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), 3, 6, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_SCALING}, {P(pp), 2}, {P(schedule), DTC_SCHEDULE_GPIPE}}, DTC_RULE_SCALING_SCHEDULE, DTC_E_UNSUPPORTED, ERROR,
     P(schedule), P(schedule), 1, 1, 2, 2, NO, NO},
    {"mixtral-8x7b", 0, {{P(framework), DTC_FRAMEWORK_SCALING}}, DTC_RULE_SCALING_EXPERTS, DTC_E_UNSUPPORTED, ERROR,
     P(framework), M(experts), 6, 8, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_SCALING}, {P(cp), 2}}, DTC_RULE_SCALING_CP, DTC_E_UNSUPPORTED, ERROR,
     P(cp), P(framework), 2, 6, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(tp_overlap), DTC_BOOL_ON}}, DTC_RULE_TP_OVERLAP_TP, DTC_E_CONFLICT, WARNING,
     P(tp_overlap), P(tp), 1, 1, 2, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(tp), 2}, {P(tp_overlap), DTC_BOOL_ON}}, DTC_RULE_TP_OVERLAP_SP, DTC_E_CONFLICT, ERROR,
     P(tp_overlap), P(sequence_parallel), 1, 2, 1, 1, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(tp), 2}, {P(tp_overlap), DTC_BOOL_ON}}, DTC_RULE_TP_OVERLAP_COMPILE, DTC_E_CONFLICT, ERROR,
     P(tp_overlap), P(compile), 1, 2, 1, 1, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_DEEPSPEED}, {P(param_overlap), DTC_BOOL_ON}}, DTC_RULE_PARAM_OVERLAP, DTC_E_CONFLICT, WARNING,
     P(param_overlap), P(framework), 1, 2, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(sharding), DTC_SHARDING_DDP}, {P(grad_overlap), DTC_BOOL_ON}, {P(param_overlap), DTC_BOOL_ON}}, DTC_RULE_PARAM_OVERLAP_SHARDING, DTC_E_CONFLICT, ERROR,
     P(param_overlap), P(sharding), 1, 1, 5, 7, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(param_overlap), DTC_BOOL_ON}}, DTC_RULE_PARAM_OVERLAP_GRAD, DTC_E_CONFLICT, ERROR,
     P(param_overlap), P(grad_overlap), 1, 2, 1, 1, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_TORCHTITAN}, {P(cuda_graph), DTC_CUDA_GRAPH_PARTIAL}}, DTC_RULE_CUDA_GRAPH, DTC_E_CONFLICT, WARNING,
     P(cuda_graph), P(framework), 2, 5, 3, 3, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(precision), DTC_PRECISION_FP4}, {P(fp8_recipe), DTC_FP8_RECIPE_BLOCK}}, DTC_RULE_FP8_RECIPE, DTC_E_CONFLICT, WARNING,
     P(fp8_recipe), P(precision), 3, 6, 5, 5, NO, NO},
    {"llama-3-8b", 1, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {C(compute), 80}, {P(precision), DTC_PRECISION_FP8}}, DTC_RULE_FP8_COMPUTE, DTC_E_UNSUPPORTED, ERROR,
     P(precision), C(compute), 5, 80, 89, NO, NO, NO},
    {"llama-3-8b", 1, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {C(compute), 90}, {P(precision), DTC_PRECISION_FP8}, {P(fp8_recipe), DTC_FP8_RECIPE_MX}}, DTC_RULE_FP8_RECIPE_COMPUTE, DTC_E_UNSUPPORTED, ERROR,
     P(fp8_recipe), C(compute), 4, 90, 100, NO, NO, NO},
    {"llama-3-8b", 1, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {C(compute), 90}, {P(precision), DTC_PRECISION_FP4}}, DTC_RULE_FP4_COMPUTE, DTC_E_UNSUPPORTED, ERROR,
     P(precision), C(compute), 6, 90, 100, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(seq), 2048}, {P(packed), 2049}}, DTC_RULE_PACKED, DTC_E_RANGE, ERROR,
     P(packed), P(seq), 2049, 2048, NO, 2048, 2048, NO},
    {"llama-3-8b", 1, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {C(compute), 80}, {P(flash_version), 3}}, DTC_RULE_FLASH_VERSION, DTC_E_UNSUPPORTED, WARNING,
     P(flash_version), C(compute), 3, 80, 90, NO, NO, NO},
};
/* clang-format on */
enum { BREAKS = sizeof breaks / sizeof breaks[0] };

/* The case; NULL when it is one without a cluster. */
static const dtc_cluster *set_up(const broken *b, dtc_model *m, dtc_cluster *c, dtc_plan *p)
{
  *m = check_named(b->model);
  *c = nodes(b->nodes);
  *p = check_plan();
  for (size_t i = 0; i < 8 && b->set[i].field != 0; i++) {
    uint32_t noun = b->set[i].field >> 16;
    void *at = noun == DTC_STRUCT_model ? (void *)m : noun == DTC_STRUCT_cluster ? (void *)c : (void *)p;
    dtci_write(at, dtci_field_of(b->set[i].field), b->set[i].value);
  }
  return b->nodes != 0 ? c : NULL;
}

static void every_rule_gives_its_numbers(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  for (size_t i = 0; i < BREAKS; i++) {
    const broken *b = &breaks[i];
    dtc_model m;
    dtc_plan p;
    dtc_cluster c;
    const dtc_cluster *where = set_up(b, &m, &c, &p);
    size_t n = check(&m, where, &p, findings);
    const dtc_error *f = finding(findings, n, b->rule);
    if (f == NULL)
      fail_msg("rule %u is not found", b->rule);
    if (f->status != b->status || f->severity != b->severity || f->field != b->field || f->other != b->other)
      fail_msg("rule %u: status %d, severity %u, field %x, other %x", b->rule, f->status, f->severity, f->field,
               f->other);
    if (f->got != b->got || f->other_got != b->other_got || f->min != b->min || f->max != b->max)
      fail_msg("rule %u: got %lu, other %lu, min %lu, max %lu", b->rule, (unsigned long)f->got,
               (unsigned long)f->other_got, (unsigned long)f->min, (unsigned long)f->max);
    if (f->lower != b->lower || f->upper != b->upper)
      fail_msg("rule %u: lower %ld, upper %ld", b->rule, (long)f->lower, (long)f->upper);
    assert_true(f->offset == DTC_NONE);
  }
}

/* Of the finding list, resolve gives the first error; warnings do not stop it. */
static void resolve_stops_at_the_first_error(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  for (size_t i = 0; i < BREAKS; i++) {
    const broken *b = &breaks[i];
    dtc_model m;
    dtc_plan p;
    dtc_plan out = check_plan();
    dtc_error err;
    dtc_cluster c;
    const dtc_cluster *where = set_up(b, &m, &c, &p);
    DTC_INIT(&err);
    size_t n = check(&m, where, &p, findings);
    dtc_status s = dtc_plan_resolve(&m, where, &p, &out, &err);
    size_t k = 0;
    while (k < n && findings[k].severity != DTC_SEVERITY_ERROR)
      k++;
    assert_int_equal(s, k < n ? findings[k].status : DTC_OK);
    assert_int_equal(s == DTC_OK, b->severity == WARNING);
    if (k < n)
      assert_memory_equal(&err, &findings[k], sizeof err);
  }
}

static void every_rule_that_checks_is_broken_above(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < dtci_rules_count; i++) {
    size_t k = 0;
    assert_true(i == 0 ||
                dtci_rules[i - 1].rule < dtci_rules[i].rule); /* findings come in the order of their numbers */
    while (k < BREAKS && breaks[k].rule != dtci_rules[i].rule)
      k++;
    assert_true(dtci_rules[i].hook == DTCI_TEXT || k < BREAKS);
  }
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p = check_plan();
  m.top_k = 9;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &p, NULL), DTC_E_CONFLICT);
}

static void findings_come_in_the_order_of_their_rules(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p = check_plan();
  p.tp = 7;
  p.ep = 3;
  p.pp = 99;
  p.seq = 4001;
  p.cp = 2;
  p.micro_batch = 3;
  p.global_batch = 7;
  size_t n = check(&m, NULL, &p, findings);
  assert_true(n >= 5);
  for (size_t i = 1; i < n; i++)
    assert_true(findings[i - 1].rule < findings[i].rule);
}

static void a_legal_plan_has_no_findings(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_model m = check_named("llama-3-70b");
  dtc_cluster c = nodes(64);
  dtc_plan p = check_plan();
  p.tp = 8;
  p.pp = 4;
  p.vpp = 5;
  p.sequence_parallel = DTC_BOOL_ON;
  p.global_batch = 1024;
  assert_int_equal(check(&m, &c, &p, findings), 0);
}

/* The same settings where they belong: no rule finds anything. */
static void settings_of_time_are_legal_where_they_belong(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    uint32_t compute; /* of the cluster */
  } rows[] = {
      {"megatron tp=2 sp dp=4 tp_overlap", 90},
      {"torchtitan tp=2 dp=4 tp_overlap compile", 90},
      {"pytorch tp=2 sharding=fsdp dp=4 tp_overlap", 80}, /* nothing known against it */
      {"megatron dp=8 grad_overlap param_overlap", 80},
      {"megatron dp=8 noparam_overlap", 80},
      {"megatron dp=8 cuda_graph=full", 90},
      {"deepspeed dp=8 cuda_graph=none", 80},
      {"megatron dp=8 precision=fp8", 89},
      {"megatron dp=8 precision=fp8 fp8_recipe=block", 90},
      {"torchtitan dp=8 precision=fp8 fp8_recipe=row", 90},
      {"megatron dp=8 precision=fp8 fp8_recipe=mx", 100},
      {"megatron dp=8 precision=fp8 fp8_recipe=mx", 0}, /* not NVIDIA's */
      {"megatron dp=8 precision=fp4", 100},
      {"megatron dp=8 precision=fp4 fp8_params", 103},
      {"deepspeed dp=8 fp8_recipe=tensor", 80},
      {"pytorch dp=8 seq=2048 packed=2048", 80},
      {"pytorch dp=8 seq=2048 packed=1", 80},
      {"megatron dp=8 flash_version=3", 90},
      {"megatron dp=8 flash_version=3", 0},
      {"megatron dp=8 attention=cudnn", 80},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_error findings[FINDINGS];
    dtc_model m = check_named("llama-3-8b");
    dtc_cluster c = nodes(1);
    dtc_plan p = check_plan();
    c.compute = rows[i].compute;
    assert_int_equal(dtc_plan_parse(rows[i].text, strlen(rows[i].text), NULL, &p, NULL), DTC_OK);
    size_t n = check(&m, &c, &p, findings);
    if (n != 0)
      fail_msg("rule %u: %s", findings[0].rule, rows[i].text);
    /* Without a cluster nothing is said about the machine. */
    assert_int_equal(check(&m, NULL, &p, findings), 0);
  }
}

/* Megatron asks for bf16 or fp16 weights, which fp8 and fp4 training has. */
static void messages_of_experts_overlap_in_fp8_too(void **state)
{
  (void)state;
  static const dtc_precision legal[] = {DTC_PRECISION_BF16, DTC_PRECISION_FP16, DTC_PRECISION_PURE_BF16,
                                        DTC_PRECISION_FP8, DTC_PRECISION_FP4};
  for (size_t i = 0; i < sizeof legal / sizeof legal[0]; i++) {
    dtc_error findings[FINDINGS];
    dtc_model m = check_named("mixtral-8x7b");
    dtc_plan p = check_plan();
    p.framework = DTC_FRAMEWORK_MEGATRON;
    p.ep = 8;
    p.moe_overlap = DTC_BOOL_ON;
    p.precision = legal[i];
    assert_int_equal(check(&m, NULL, &p, findings), 0);
  }
}

/* ---- nearest legal values -------------------------------------------------------------------------------------------- */

/* Defaults that were filled from the wrong value move with it: the nearest value is judged in the user's plan. */
static void nearest_values_do_not_hang_on_filled_defaults(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p = check_plan();
  p.tp = 7; /* etp = tp */
  size_t n = check(&m, NULL, &p, findings);
  const dtc_error *f = finding(findings, n, DTC_RULE_TP_HEADS);
  assert_non_null(f);
  assert_true(f->lower == 4 && f->upper == 8);

  dtc_cluster c = nodes(1);
  m = check_named("llama-3-8b");
  p = check_plan();
  p.sharding = DTC_SHARDING_FSDP;
  p.dp = 12; /* dp_shard = dp, global_batch = dp */
  n = check(&m, &c, &p, findings);
  f = finding(findings, n, DTC_RULE_WORLD_SIZE);
  assert_non_null(f);
  assert_true(f->lower == 8 && f->upper == DTC_NONE);

  p = check_plan();
  p.pp = 40; /* accumulation = pp */
  p.vpp = 2;
  n = check(&m, NULL, &p, findings);
  f = finding(findings, n, DTC_RULE_PP_LAYERS);
  assert_non_null(f);
  assert_true(f->lower == 16 && f->upper == DTC_NONE);
}

static void nearest_values_are_found_far_away(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_model m = check_named("llama-3-70b");
  dtc_plan p = check_plan();
  p.tp = 100000;
  size_t n = check(&m, NULL, &p, findings);
  const dtc_error *f = finding(findings, n, DTC_RULE_TP_HEADS);
  assert_non_null(f);
  assert_true(f->lower == 64 && f->upper == DTC_NONE);

  p = check_plan();
  p.pp = 1000000;
  n = check(&m, NULL, &p, findings);
  f = finding(findings, n, DTC_RULE_PP_LAYERS);
  assert_non_null(f);
  assert_true(f->lower == 80 && f->upper == DTC_NONE);
}

static void try_nearest(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, const dtc_error *f, uint64_t value)
{
  dtc_error after[FINDINGS];
  dtc_plan tried = *p;
  if (value == DTC_NONE)
    return;
  dtci_write(&tried, dtci_field_of(f->field), value);
  size_t n = check(m, c, &tried, after);
  const dtc_error *left = finding(after, n, f->rule);
  if (left != NULL) {
    char text[256];
    assert_int_equal(dtc_plan_format(NULL, p, text, sizeof text, NULL, NULL), DTC_OK);
    fail_msg("rule %u: %lu is no cure: %s", f->rule, (unsigned long)value, text);
  }
}

static void nearest_values_cure_the_finding(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  size_t tried = 0;
  seed = 1;
  for (int i = 0; i < 400; i++) {
    dtc_model m = check_named(names[roll(5)]);
    dtc_cluster c = nodes(roll(4));
    dtc_plan p = random_plan(40);
    const dtc_cluster *where = roll(2) ? &c : NULL;
    size_t n = check(&m, where, &p, findings);
    for (size_t k = 0; k < n; k++) {
      assert_true(findings[k].lower == DTC_NONE || findings[k].lower < findings[k].got);
      assert_true(findings[k].upper == DTC_NONE || findings[k].upper > findings[k].got);
      try_nearest(&m, where, &p, &findings[k], findings[k].lower);
      try_nearest(&m, where, &p, &findings[k], findings[k].upper);
      tried += findings[k].lower != DTC_NONE;
      tried += findings[k].upper != DTC_NONE;
    }
  }
  assert_true(tried > 300);
}

/* ---- versions, groups, schedules ----------------------------------------------------------------------------------- */

/* A rule begins with a version and ends before one. */
static void rules_have_versions(void **state)
{
  (void)state;
  size_t bounds = 0;
  for (size_t i = 0; i < BREAKS; i++) {
    const broken *b = &breaks[i];
    const dtci_rule_row *row = dtci_rule_of(b->rule);
    const dtc_release edges[] = {row->since, row->until};
    for (size_t k = 0; k < 2; k++) {
      dtc_error findings[FINDINGS];
      dtc_model m;
      dtc_cluster c;
      dtc_plan p;
      if (edges[k] == 0)
        continue;
      (void)set_up(b, &m, &c, &p);
      for (uint32_t before = 0; before < 2; before++, bounds++) {
        p.framework_version = edges[k] - before;
        const dtc_error *f = finding(findings, check(&m, NULL, &p, findings), b->rule);
        assert_int_equal(f != NULL, (k == 0) != before);
      }
    }
  }
  assert_true(bounds >= 20);
}

/* Megatron: pp <= N <= m, and m mod N is 0 or at least pp. */
static void groups_of_micro_batches(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  m.layers = 60;
  for (uint64_t pp = 2; pp <= 5; pp++)
    for (uint64_t batches = 1; batches <= 14; batches++)
      for (uint64_t group = 0; group <= 14; group++) {
        dtc_plan p = check_plan();
        dtc_plan out = check_plan();
        dtc_pipe pipe;
        uint64_t n = group != 0 ? group : pp;
        int runs = n >= pp && n <= batches && (batches % n == 0 || batches % n >= pp);
        p.framework = DTC_FRAMEWORK_MEGATRON;
        p.pp = pp;
        p.vpp = 2;
        p.accumulation = batches;
        p.group = group;
        m.layers = pp * 4;
        assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &out, NULL) == DTC_OK, runs);
        if (!runs)
          continue;
        DTC_INIT(&pipe);
        assert_int_equal(dtc_pipe_from_plan(&out, &pipe, NULL), DTC_OK);
        assert_true(pipe.group == n && pipe.micro_batches == batches && pipe.p2p_overlap == DTC_BOOL_ON);
      }
}

/* What a plan may say about its pipeline, the pipeline takes. */
static void a_legal_plan_has_a_pipeline(void **state)
{
  (void)state;
  size_t found = 0;
  seed = 3;
  for (int i = 0; i < check_rounds(60000); i++) {
    dtc_model m = check_named("llama-3-8b");
    dtc_plan p = check_plan();
    dtc_plan out = check_plan();
    dtc_pipe pipe;
    dtc_error e;
    DTC_INIT(&pipe);
    DTC_INIT(&e);
    m.layers = 24;
    p.framework = (dtc_framework)(2 + roll(4));
    p.schedule = (dtc_schedule)roll(16);
    p.pp = 2 + roll(7);
    p.vpp = 1 + roll(3);
    p.accumulation = 1 + roll(20);
    p.group = roll(3) == 0 ? roll(12) : 0;
    p.p2p_overlap = (dtc_bool)(roll(4) == 0 ? roll(3) : 0);
    if (dtc_plan_resolve(&m, NULL, &p, &out, NULL) != DTC_OK)
      continue;
    found++;
    if (dtc_pipe_from_plan(&out, &pipe, &e) != DTC_OK) {
      char text[512];
      char line[512];
      (void)!dtc_plan_format(NULL, &p, text, sizeof text, NULL, NULL);
      (void)dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
      fail_msg("%s: %s", text, line);
    }
  }
  assert_true(found > (size_t)check_rounds(1000));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_rule_gives_its_numbers),
      cmocka_unit_test(resolve_stops_at_the_first_error),
      cmocka_unit_test(every_rule_that_checks_is_broken_above),
      cmocka_unit_test(findings_come_in_the_order_of_their_rules),
      cmocka_unit_test(a_legal_plan_has_no_findings),
      cmocka_unit_test(settings_of_time_are_legal_where_they_belong),
      cmocka_unit_test(messages_of_experts_overlap_in_fp8_too),
      cmocka_unit_test(nearest_values_do_not_hang_on_filled_defaults),
      cmocka_unit_test(nearest_values_are_found_far_away),
      cmocka_unit_test(nearest_values_cure_the_finding),
      cmocka_unit_test(rules_have_versions),
      cmocka_unit_test(groups_of_micro_batches),
      cmocka_unit_test(a_legal_plan_has_a_pipeline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
