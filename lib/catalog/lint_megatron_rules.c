/* What Megatron-LM's training scripts refuse (errors), and what they take though it fails later or has no effect
 * (warnings). Checks as megatron-core 0.19.2 has them, which holds megatron/training too; of d98e8a64 (22 August 2026),
 * whose flags these are, what is known to differ: version 2 of Megatron-FSDP, modules of recomputation, GTP in the batch.
 * Sources: megatron/training/arguments.py (validate_args), determinism.py, megatron/core/model_parallel_config.py and
 * megatron/core/transformer/transformer_config.py (__post_init__), megatron/core/num_microbatches_calculator.py,
 * parallel_state.py, pipeline_parallel/schedules.py, optimizer/optimizer_config.py. Checks of the versions of installed
 * libraries are left out. */
#include "internal/lint_megatron.h"

#define K(key) DTCI_KEY(DTC_DIALECT_MEGATRON, MEGA_##key)
#define RANKS DTCI_KEY(DTC_DIALECT_MEGATRON, DTCI_KEY_WORLD)
#define COMPUTE DTCI_KEY(DTC_DIALECT_MEGATRON, DTCI_KEY_COMPUTE)
#define OF(...)                                                                                                        \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define IS(key, n) DTCI_WHEN_IS(K(key), n)
#define AT_LEAST(key, n) DTCI_WHEN_AT_LEAST(K(key), n)
#define BETWEEN(key, low, high) DTCI_WHEN_BETWEEN(K(key), low, high)
#define SET(key) DTCI_WHEN_SET(K(key))
#define UNSET(key) DTCI_WHEN_UNSET(K(key))
#define GIVEN(key) DTCI_WHEN_GIVEN(K(key))
#define NOT_GIVEN(key) DTCI_WHEN_NOT_GIVEN(K(key))
#define HAS(key, word) DTCI_WHEN_HAS(K(key), MEGA_##word)
#define HAS_NOT(key, word) DTCI_WHEN_HAS_NOT(K(key), MEGA_##word)

/* Rows: the rule, the key to change, what must hold, and when (up to two conditions; up to three more in AND). */
#define ROW(id, kind, from, key)                                                                                       \
  .rule = DTC_RULE_ARGS_##id, .status = DTC_E_##kind, .hook = DTCI_##from, .fix = K(key), WHY_##id
#define DIVIDES(id, key, of, whole, ...)                                                                               \
  .row = {ROW(id, DIVIDE, DIVIDES, key), .left = of, .right = whole, .when = {__VA_ARGS__}}
#define TWICE_DIVIDES(id, key, of, whole, ...)                                                                         \
  .row = {ROW(id, DIVIDE, DIVIDES, key), .left = of, .factor = 2, .right = whole, .when = {__VA_ARGS__}}
#define EITHER(id, key, of, other, ...)                                                                                \
  .row = {ROW(id, DIVIDE, EITHER, key), .left = of, .right = other, .when = {__VA_ARGS__}}
#define AT_MOST(id, key, of, most, ...)                                                                                \
  .row = {ROW(id, CONFLICT, AT_MOST, key), .left = of, .right = most, .when = {__VA_ARGS__}}
#define EQUALS(id, key, of, other, ...)                                                                                \
  .row = {ROW(id, CONFLICT, EQUALS, key), .left = of, .right = other, .when = {__VA_ARGS__}}
#define NEEDS(id, key, what, ...) .row = {ROW(id, CONFLICT, NEEDS, key), .need = what, .when = {__VA_ARGS__}}
#define EXCLUDES(id, key, ...) .row = {ROW(id, CONFLICT, EXCLUDES, key), .when = {__VA_ARGS__}}
#define WARNS(id, key, ...) .row = {ROW(id, CONFLICT, WHEN, key), .when = {__VA_ARGS__}}
#define AND(...) .more = {__VA_ARGS__},
#define ALWAYS                                                                                                         \
  {                                                                                                                    \
    0                                                                                                                  \
  }
/* A silent trap. */
#define TRAP .severity = DTC_SEVERITY_WARNING,

/* Why, by rule. */
/* clang-format off */
#define WHY_WORLD .en = "the rest of the ranks is data parallel", \
    .zh = "其余的 rank 做数据并行"
#define WHY_SHARDS .en = "each tensor-parallel rank's part is cut into as many shards", \
    .zh = "每个张量并行 rank 的部分被切成同样多的分片"
#define WHY_EXPERT_SHARDS .en = "each tensor-parallel rank's part is cut into as many shards", \
    .zh = "每个张量并行 rank 的部分被切成同样多的分片"
#define WHY_EXPERT_WORLD TRAP .en = "passes the argument check, but process groups cannot be built", \
    .zh = "参数检查能通过，但无法建立进程组"
#define WHY_CP_LEVELS .en = "they are the factors of one group", \
    .zh = "它们是同一个组的因子"
#define WHY_CP_COMM .en = "all-to-all runs inside a level, ring between them", \
    .zh = "all-to-all 在层级内部，环在层级之间"
#define WHY_CONNECTIONS .en = "overlap of tp and cp needs kernels in the order of their launch before Blackwell", \
    .zh = "Blackwell 之前，tp 与 cp 的重叠要求内核按发射顺序执行"
#define WHY_CONNECTIONS_FSDP .en = "FSDP runs communication beside computation", \
    .zh = "FSDP 让通信与计算并行"
#define WHY_SP_TP TRAP .en = "{field}: tp is 1, so sequence parallelism is turned off silently", \
    .zh = "{field}：tp 为 1，序列并行会被悄悄关闭"
#define WHY_TP_OVERLAP .en = "it overlaps the gathers and scatters of sequence parallelism", \
    .zh = "它重叠的是序列并行的收集与分发"
#define WHY_HYBRID_CP .en = "groups change from batch to batch", \
    .zh = "组会随批次变化"
#define WHY_GTP .en = "weights stay sharded between steps, the rest must follow", \
    .zh = "权重在步之间保持分片，其余设置必须一致"
#define WHY_SHARP .en = "the group is for SHARP alone", \
    .zh = "该组只用于 SHARP"
#define WHY_REQUIRED .en = "it has no default", \
    .zh = "它没有默认值"
#define WHY_FOLLOWS .en = "one follows from the other", \
    .zh = "一个由另一个得出"
#define WHY_BATCH .en = "every rank runs whole micro-batches", \
    .zh = "每个 rank 处理整数个微批"
#define WHY_EVAL_BATCH .en = "checked as given, also with --decrease-batch-size-if-needed", \
    .zh = "即使给出 --decrease-batch-size-if-needed 也按原值检查"
#define WHY_HEADS .en = "each rank holds whole attention heads", \
    .zh = "每个 rank 持有完整的注意力头"
#define WHY_KV_HEADS .en = "each rank holds whole groups, or a group lies on several ranks", \
    .zh = "每个 rank 持有完整的组，或一个组位于多个 rank"
#define WHY_HEAD_SIZE .en = "a head has hidden / heads channels", \
    .zh = "每个头有 hidden / heads 个通道"
#define WHY_CP_SEQ .en = "each rank takes two parts, for an even causal load", \
    .zh = "每个 rank 取两段，使因果负载均衡"
#define WHY_POSITIONS .en = "there is no position for later tokens", \
    .zh = "后面的 token 没有位置"
#define WHY_DECODER_POSITIONS .en = "there is no position for later tokens", \
    .zh = "后面的 token 没有位置"
#define WHY_MODEL .en = "the model can only be one of them", \
    .zh = "模型只能是其中之一"
#define WHY_MODEL_NEEDS .en = "the model has no code for it otherwise", \
    .zh = "否则模型没有相应实现"
#define WHY_MODEL_GIVEN .en = "it has no default", \
    .zh = "它没有默认值"
#define WHY_LINEAR_HEADS .en = "value heads share a key head in groups of one size", \
    .zh = "value 头按相同大小的组共用 key 头"
#define WHY_LINEAR_SPLIT .en = "each rank holds whole heads", \
    .zh = "每个 rank 持有完整的头"
#define WHY_BUILD_FFN TRAP .en = "passes the argument check, but the model cannot be built or run", \
    .zh = "参数检查能通过，但模型无法构建或运行"
#define WHY_BUILD_MOE_FFN TRAP .en = "passes the argument check, but the model cannot be built or run", \
    .zh = "参数检查能通过，但模型无法构建或运行"
#define WHY_SP_SEQ TRAP .en = "passes the argument check, but the model cannot be built or run", \
    .zh = "参数检查能通过，但模型无法构建或运行"
#define WHY_ONE_SPLIT .en = "layers are split over the stages in one way", \
    .zh = "层只能按一种方式分配到各阶段"
#define WHY_LAYERS .en = "stages hold the same number of layers", \
    .zh = "各阶段层数相同"
#define WHY_VPP_LAYERS .en = "chunks hold the same number of layers", \
    .zh = "各块层数相同"
#define WHY_VPP_ACCOUNT .en = "chunks hold the same number of layers", \
    .zh = "各块层数相同"
#define WHY_VPP_BUILD TRAP .en = "passes the argument check, but the model cannot be built", \
    .zh = "参数检查能通过，但模型无法构建"
#define WHY_VPP_PP .en = "two stages would send to each other twice at once", \
    .zh = "否则两个阶段会同时互发两次"
#define WHY_WARMUP_FLUSH .en = "it overlaps what the interleaved schedule sends", \
    .zh = "它重叠的是交错调度的发送"
#define WHY_UNEVEN_ENDS .en = "no stage is left for other layers", \
    .zh = "没有其他阶段可放其余的层"
#define WHY_UNEVEN_NONE .en = "nothing is left for the stages between", \
    .zh = "中间的阶段没有层可放"
#define WHY_UNEVEN_MIDDLE .en = "the stages between hold the same number of layers", \
    .zh = "中间各阶段层数相同"
#define WHY_UNEVEN_FEWER TRAP .en = "passes the argument check, but stages get less than no layers", \
    .zh = "参数检查能通过，但有阶段的层数为负"
#define WHY_FIRST_VPP .en = "chunks of a stage hold the same number of layers", \
    .zh = "同一阶段的各块层数相同"
#define WHY_LAST_VPP .en = "chunks of a stage hold the same number of layers", \
    .zh = "同一阶段的各块层数相同"
#define WHY_MIDDLE_VPP .en = "chunks of a stage hold the same number of layers", \
    .zh = "同一阶段的各块层数相同"
#define WHY_UNEVEN_ZERO TRAP .en = "{field} = 2 with both stages given and {other} = {other_value}: ZeroDivisionError when the model is built", \
    .zh = "{field} = 2，首末阶段都给出且 {other} = {other_value}：构建模型时 ZeroDivisionError"
#define WHY_GROUP TRAP .en = "the interleaved schedule stops at the first step otherwise", \
    .zh = "否则交错调度在第一步就会报错"
#define WHY_GROUP_MOST TRAP .en = "the interleaved schedule stops at the first step otherwise", \
    .zh = "否则交错调度在第一步就会报错"
#define WHY_GROUP_REST TRAP .en = "the interleaved schedule stops at the first step otherwise", \
    .zh = "否则交错调度在第一步就会报错"
#define WHY_OVERLAP_GATHER .en = "parameters are gathered from the shards of the optimizer", \
    .zh = "参数是从优化器的分片收集的"
#define WHY_FSDP2 .en = "PyTorch shards the model instead", \
    .zh = "模型由 PyTorch 分片"
#define WHY_FSDP2_NEEDS .en = "PyTorch shards the model instead", \
    .zh = "模型由 PyTorch 分片"
#define WHY_FSDP_NEEDS .en = "Megatron-FSDP has no code for others", \
    .zh = "Megatron-FSDP 没有其他的实现"
#define WHY_FSDP .en = "Megatron-FSDP keeps its own shards", \
    .zh = "Megatron-FSDP 自行管理分片"
#define WHY_OPTIMIZER_OFFLOAD .en = "the optimizer on the CPU takes its states from there", \
    .zh = "CPU 上的优化器由此取得状态"
#define WHY_PRECISION_AWARE TRAP .en = "passes the argument check, but the optimizer cannot be built", \
    .zh = "参数检查能通过，但优化器无法构建"
#define WHY_REUSE_GRADS TRAP .en = "passes the argument check, but the model cannot be wrapped", \
    .zh = "参数检查能通过，但模型无法封装"
#define WHY_FREEZE TRAP .en = "{field}: {other} is turned off", \
    .zh = "{field}：{other} 会被关闭"
#define WHY_HALF .en = "there is one type", \
    .zh = "类型只能有一种"
#define WHY_HALF_NEEDS .en = "it is about 16-bit training", \
    .zh = "它只用于 16 位训练"
#define WHY_FP8 .en = "the recipe has no code for it", \
    .zh = "该方案没有相应实现"
#define WHY_FP8_NEEDS .en = "the recipe has no code for others", \
    .zh = "该方案没有其他的实现"
#define WHY_FP8_GIVEN .en = "it says how to do what is off", \
    .zh = "它说明如何做，但该功能没有打开"
#define WHY_BF16_START .en = "they lie on the first and the last stage", \
    .zh = "它们位于首末阶段"
#define WHY_BF16_END .en = "they lie on the first and the last stage", \
    .zh = "它们位于首末阶段"
#define WHY_RECOMPUTE_GIVEN .en = "it has no default", \
    .zh = "它没有默认值"
#define WHY_RECOMPUTE .en = "it is for the other kind of recomputation", \
    .zh = "它用于另一种重计算"
#define WHY_RECOMPUTE_NEEDS .en = "there is nothing to recompute otherwise", \
    .zh = "否则没有可重计算的内容"
#define WHY_OFFLOAD_LAYERS .en = "the last layer's activations are needed at once", \
    .zh = "最后一层的激活马上就会用到"
#define WHY_OFFLOAD .en = "offloaded activations come back in the order of the layers", \
    .zh = "卸载的激活按层的顺序取回"
#define WHY_OFFLOAD_NEEDS .en = "there is nothing to offload otherwise", \
    .zh = "否则没有可卸载的内容"
#define WHY_GRAPH .en = "a graph is captured in one way", \
    .zh = "CUDA 图只能以一种方式捕获"
#define WHY_GRAPH_NEEDS .en = "the check waits for the GPU", \
    .zh = "该检查会等待 GPU"
#define WHY_EP_EXPERTS .en = "expert parallelism splits experts", \
    .zh = "专家并行切分的是专家"
#define WHY_EP_DIVIDES .en = "each rank holds the same number of experts", \
    .zh = "每个 rank 持有同样多的专家"
#define WHY_TOP_K TRAP .en = "passes the argument check, but routing fails at the first step", \
    .zh = "参数检查能通过，但第一步路由就会失败"
#define WHY_GROUPED_GEMM .en = "its kernels are for Ampere and later", \
    .zh = "其内核用于 Ampere 及之后的 GPU"
#define WHY_MOE_BIAS .en = "partial results would each add the bias", \
    .zh = "否则每个部分结果都会加一次偏置"
#define WHY_MOE_SP TRAP .en = "passes the argument check, but training stops at the first step", \
    .zh = "参数检查能通过，但训练在第一步就会停止"
#define WHY_MOE_NEEDS .en = "the dispatcher or router has no code for it otherwise", \
    .zh = "否则分发器或路由没有相应实现"
#define WHY_MOE_GIVEN .en = "it is about what is not there", \
    .zh = "它所针对的内容不存在"
#define WHY_MOE .en = "the dispatcher or router has no code for both", \
    .zh = "分发器或路由没有同时支持两者的实现"
#define WHY_ROUTER_GROUPS .en = "groups hold the same number of experts", \
    .zh = "各组专家数相同"
#define WHY_GROUP_TOP_K .en = "there are no more groups", \
    .zh = "没有更多的组"
#define WHY_EP_OVERLAP_NEEDS .en = "it overlaps the all-to-all with other micro-batches", \
    .zh = "它让 all-to-all 与其他微批重叠"
#define WHY_EP_OVERLAP .en = "layers are cut into pieces that are scheduled alone", \
    .zh = "层被切成单独调度的片段"
#define WHY_DEFER_EMBEDDING .en = "they are computed in the pipeline's flush", \
    .zh = "它们在流水线排空时计算"
#define WHY_ITERATIONS .en = "training is counted in one unit", \
    .zh = "训练只能用一种单位计数"
#define WHY_MIN_LR .en = "the rate decays towards it", \
    .zh = "学习率向它衰减"
#define WHY_DECAY_GIVEN .en = "it has no default", \
    .zh = "它没有默认值"
#define WHY_DATA .en = "data comes from one source", \
    .zh = "数据只能来自一处"
#define WHY_DETERMINISTIC .en = "its order of additions changes between runs", \
    .zh = "其加法顺序会随运行变化"
#define WHY_CKPT_NEEDS .en = "this checkpoint has no code for others", \
    .zh = "该检查点没有其他的实现"
#define WHY_CKPT_GIVEN .en = "it has no default", \
    .zh = "它没有默认值"
#define WHY_CKPT .en = "both change what is written or read", \
    .zh = "两者都改变读写的内容"
#define WHY_ASYNC_SAVE TRAP .en = "{field}: turned off, for --use-persistent-ckpt-worker is not given", \
    .zh = "{field}：未给出 --use-persistent-ckpt-worker，会被关闭"
#define WHY_SAVE_RETAIN .en = "it happens at some of the other's times", \
    .zh = "它只在另一个的时刻发生"
#define WHY_LOG_MEMORY .en = "it happens at some of the other's times", \
    .zh = "它只在另一个的时刻发生"
#define WHY_INFERENCE .en = "batches are cut for the pipeline", \
    .zh = "批次为流水线而切分"
/* clang-format on */
/* clang-format off */
const dtci_setting_rule dtci_megatron_rules[] = {
    /* ranks */
    {DIVIDES(WORLD, TP, OF(K(TP), K(PP), K(CP), K(GTP)), OF(RANKS), GIVEN(TP))},
    {DIVIDES(WORLD, PP, OF(K(TP), K(PP), K(CP), K(GTP)), OF(RANKS), NOT_GIVEN(TP), GIVEN(PP))},
    {DIVIDES(WORLD, CP, OF(K(TP), K(PP), K(CP), K(GTP)), OF(RANKS), NOT_GIVEN(TP), NOT_GIVEN(PP))},
    {DIVIDES(SHARDS, SHARDS, OF(K(TP)), OF(K(SHARDS)), ALWAYS)},
    {DIVIDES(EXPERT_SHARDS, EXPERT_SHARDS, OF(K(EXPERT_TP)), OF(K(EXPERT_SHARDS)), ALWAYS)},
    {DIVIDES(EXPERT_WORLD, EP, OF(K(EP), K(EXPERT_TP), K(PP), K(EXPERT_GTP)), OF(RANKS), SET(DP))},
    {EQUALS(CP_LEVELS, CP_LEVELS, OF(K(CP_LEVELS)), OF(K(CP)), ALWAYS)},
    {NEEDS(CP_COMM, CP_COMM, SET(CP_LEVELS), HAS(CP_COMM, COMM_A2A_P2P))},
    {AND(IS(EP_OVERLAP, 0)) NEEDS(CONNECTIONS, CONNECTIONS, IS(CONNECTIONS, 1), AT_LEAST(MODEL_SPLIT, 2),
     DTCI_WHEN_BETWEEN(COMPUTE, 1, 99))},
    {EXCLUDES(CONNECTIONS_FSDP, CONNECTIONS, IS(CONNECTIONS, 1), IS(FSDP2, 1))},
    {EXCLUDES(CONNECTIONS_FSDP, CONNECTIONS, IS(CONNECTIONS, 1), IS(FSDP, 1))},
    {WARNS(SP_TP, SP, IS(SP, 1), IS(TP, 1))},
    {NEEDS(TP_OVERLAP, TP_OVERLAP, IS(SP_ON, 1), IS(TP_OVERLAP, 1))},
    {EXCLUDES(HYBRID_CP, HYBRID_CP, IS(HYBRID_CP, 1), AT_LEAST(PP, 2))},
    {EXCLUDES(HYBRID_CP, HYBRID_CP, IS(HYBRID_CP, 1), IS(GRAPH_LOCAL, 1))},
    {EXCLUDES(HYBRID_CP, HYBRID_CP, IS(HYBRID_CP, 1), IS(FSDP, 1))},
    {EXCLUDES(HYBRID_CP, HYBRID_CP, IS(HYBRID_CP, 1), AT_LEAST(DATALOADER, MEGA_DATALOADER_CYCLIC))},
    {EXCLUDES(HYBRID_CP, HYBRID_CP, IS(HYBRID_CP, 1), IS(PER_TOKEN_LOSS, 0))},
    {NEEDS(GTP, CKPT_FORMAT, BETWEEN(CKPT_FORMAT, MEGA_CKPT_TORCH, MEGA_CKPT_TORCH_DIST), AT_LEAST(GTP_ANY, 2))},
    {NEEDS(GTP, AVERAGE, IS(AVERAGE, 0), AT_LEAST(GTP_ANY, 2))},
    {NEEDS(GTP, FP4_GATHER, IS(FP4_GATHER, 1), AT_LEAST(GTP_ANY, 2), SET(FP4))},
    {NEEDS(GTP, FP8_GATHER, IS(FP8_GATHER, 1), AT_LEAST(GTP_ANY, 2), IS(FP8_RECIPE, MEGA_FP8_MXFP8))},
    {NEEDS(GTP, REUSE_GRADS, IS(REUSE_GRADS, 1), AT_LEAST(GTP_ANY, 2), IS(FP8_RECIPE, MEGA_FP8_MXFP8))},
    {AND(IS(RESHARDABLE, 1)) NEEDS(GTP, RESHARDABLE_LEAN, IS(RESHARDABLE_LEAN, 0), AT_LEAST(GTP_ANY, 2))},
    {NEEDS(GTP, INSTANCES, IS(INSTANCES, 1), AT_LEAST(GTP_ANY, 2))},
    {NEEDS(SHARP, SHARP_GROUP, IS(SHARP, 1), SET(SHARP_GROUP))},

    /* what must be given */
    {AND(SET(HEADS)) NEEDS(REQUIRED, MICRO, SET(MICRO), SET(LAYERS), SET(HIDDEN))},
    {AND(SET(MICRO), IS(CKPT_ARGS, 0), UNSET(YAML)) NEEDS(REQUIRED, MAX_POSITIONS, SET(MAX_POSITIONS), SET(LAYERS), SET(HIDDEN))},
    {AND(SET(MICRO), IS(CKPT_ARGS, 0), UNSET(YAML)) NEEDS(REQUIRED, HEADS, SET(HEADS), SET(LAYERS), SET(HIDDEN))},
    {AND(SET(MICRO), IS(CKPT_ARGS, 0), UNSET(YAML)) NEEDS(REQUIRED, HIDDEN, SET(HIDDEN), SET(LAYERS), SET(HEADS))},
    {AND(SET(MICRO), SET(HEADS)) NEEDS(REQUIRED, SEQ, SET(LENGTH), SET(LAYERS), SET(HIDDEN))},
    {AND(SET(MICRO), IS(CKPT_ARGS, 0), UNSET(HYBRID_PATTERN)) NEEDS(REQUIRED, LAYERS, SET(ALL_LAYERS), SET(HIDDEN), SET(HEADS))},

    /* batches */
    {EXCLUDES(FOLLOWS, SCHEDULE, SET(SCHEDULE), GIVEN(GLOBAL))},
    {EXCLUDES(FOLLOWS, SCHEDULE, SET(SCHEDULE), IS(DECREASE, 1))},
    {EXCLUDES(FOLLOWS, BUCKETS, SET(BUCKETS), SET(BUCKET_SIZE))},
    {EXCLUDES(FOLLOWS, DECAY_START, SET(DECAY_START), IS(DECAY_STYLE, MEGA_DECAY_CONSTANT))},
    {EXCLUDES(FOLLOWS, DECAY_END, SET(DECAY_END), IS(DECAY_STYLE, MEGA_DECAY_CONSTANT))},
    {DIVIDES(BATCH, GLOBAL, OF(K(MICRO), K(DP), K(GTP)), OF(K(GLOBAL)), IS(DECREASE, 0), UNSET(SCHEDULE))},
    {DIVIDES(EVAL_BATCH, EVAL_GLOBAL, OF(K(EVAL_MICRO), K(DP), K(GTP)), OF(K(EVAL_GLOBAL)), IS(EVAL_OWN, 1))},

    /* the model */
    {DIVIDES(HEADS, TP, OF(K(TP)), OF(K(HEADS)), ALWAYS)},
    {EITHER(KV_HEADS, QUERY_GROUPS, OF(K(TP)), OF(K(QUERY_GROUPS)), IS(GQA, 1))},
    {DIVIDES(HEAD_SIZE, HEADS, OF(K(HEADS)), OF(K(HIDDEN)), UNSET(KV_CHANNELS))},
    {TWICE_DIVIDES(CP_SEQ, SEQ, OF(K(CP)), OF(K(SEQ)), AT_LEAST(CP, 2))},
    {AT_MOST(POSITIONS, MAX_POSITIONS, OF(K(LENGTH)), OF(K(MAX_POSITIONS)), ALWAYS)},
    {AT_MOST(DECODER_POSITIONS, MAX_POSITIONS, OF(K(DECODER_SEQ)), OF(K(MAX_POSITIONS)), ALWAYS)},
    {EXCLUDES(MODEL, LAYERS, SET(LAYERS), SET(ENCODER_LAYERS))},
    {EXCLUDES(MODEL, SEQ, SET(SEQ), SET(ENCODER_SEQ))},
    {EXCLUDES(MODEL, SQUARED_RELU, IS(SQUARED_RELU, 1), IS(SWIGLU, 1))},
    {AND(IS(SQUARED_RELU, 0)) EXCLUDES(MODEL, QUICK_GEGLU, IS(QUICK_GEGLU, 1), IS(SWIGLU, 1))},
    {AND(IS(SWIGLU, 0)) EXCLUDES(MODEL, SQUARED_RELU, IS(SQUARED_RELU, 1), IS(FUSION, 1))},
    {EXCLUDES(MODEL, TE_ACTIVATION, IS(TE_ACTIVATION, 1), IS(FUSION, 1))},
    {AND(IS(QUICK_GEGLU, 0)) EXCLUDES(MODEL, GLU_OFFSET, AT_LEAST(GLU_OFFSET, 1), IS(FUSION, 1))},
    {EXCLUDES(MODEL, NO_POSITION, IS(NO_POSITION, 1), IS(POSITION, MEGA_POS_LEARNED_ABSOLUTE))},
    {EXCLUDES(MODEL, NO_POSITION, IS(NO_POSITION, 1), AT_LEAST(POSITION, MEGA_POS_NONE))},
    {EXCLUDES(MODEL, MLA, IS(MLA, 1), IS(GQA, 1))},
    {EXCLUDES(MODEL, MLA, IS(MLA, 1), IS(ROTARY_INTERLEAVED, 1))},
    {EXCLUDES(MODEL, MLA, IS(MLA, 1), IS(OUTPUT_GATE, 1))},
    {EXCLUDES(MODEL, MLA, IS(MLA, 1), SET(HETEROGENEOUS))},
    {EXCLUDES(MODEL, ENTROPY_FUSION, IS(ENTROPY_FUSION, 1), IS(ENTROPY_IMPL, MEGA_ENTROPY_TE))},
    {NEEDS(MODEL_NEEDS, RESIDUAL_NORM, IS(NORMALIZATION, MEGA_NORM_RMSNORM), IS(RESIDUAL_NORM, 1), IS(MLA, 0))},
    {NEEDS(MODEL_NEEDS, MLA_DOWN_FUSION, IS(MLA, 1), IS(MLA_DOWN_FUSION, 1))},
    {NEEDS(MODEL_NEEDS, ROPE_TYPE, IS(MLA, 1), IS(ROPE_TYPE, MEGA_ROPE_YARN))},
    {NEEDS(MODEL_NEEDS, POSITION, IS(IMPLEMENTATION, MEGA_IMPL_TRANSFORMER_ENGINE), IS(POSITION, MEGA_POS_RELATIVE))},
    {NEEDS(MODEL_NEEDS, MTP, BETWEEN(POSITION, MEGA_POS_ROPE, MEGA_POS_NONE), AT_LEAST(MTP, 1))},
    {NEEDS(MODEL_NEEDS, BATCH_INVARIANT, IS(BACKEND, MEGA_BACKEND_FLASH), IS(BATCH_INVARIANT, 1))},
    {NEEDS(MODEL_NEEDS, BATCH_INVARIANT, IS(CP, 1), IS(BATCH_INVARIANT, 1))},
    {NEEDS(MODEL_NEEDS, BATCH_INVARIANT, IS(ATTENTION_DROPOUT, 0), IS(BATCH_INVARIANT, 1))},
    {NEEDS(MODEL_NEEDS, BATCH_INVARIANT, BETWEEN(FLASH_VERSION, 3, 4), IS(BATCH_INVARIANT, 1))},
    {NEEDS(MODEL_NEEDS, VARIANT, IS(NO_BIAS, 1), IS(VARIANT, MEGA_VARIANT_DSA))},
    {NEEDS(MODEL_GIVEN, POSITION, SET(MROPE_SECTION), IS(POSITION, MEGA_POS_MROPE))},
    {NEEDS(MODEL_GIVEN, VARIANT, SET(LINEAR_FREQ), IS(VARIANT, MEGA_VARIANT_GATED_DELTA_NET))},
    {DIVIDES(LINEAR_HEADS, KEY_HEADS, OF(K(KEY_HEADS)), OF(K(VALUE_HEADS)), IS(VARIANT, MEGA_VARIANT_GATED_DELTA_NET))},
    {DIVIDES(LINEAR_SPLIT, KEY_HEADS, OF(K(TP), K(CP)), OF(K(KEY_HEADS)), IS(VARIANT, MEGA_VARIANT_GATED_DELTA_NET))},
    {DIVIDES(BUILD_FFN, FFN, OF(K(TP)), OF(K(FFN)), ALWAYS)},
    {DIVIDES(BUILD_MOE_FFN, MOE_FFN, OF(K(EXPERT_TP)), OF(K(MOE_FFN)), SET(EXPERTS))},
    {DIVIDES(SP_SEQ, SEQ, OF(K(TP), K(CP)), OF(K(SEQ)), IS(SP_ON, 1))},

    /* layers and stages */
    {EXCLUDES(ONE_SPLIT, BY_LAYERS, SET(BY_LAYERS), SET(BY_COUNT))},
    {EXCLUDES(ONE_SPLIT, LAYOUT, SET(LAYOUT), SET(BY_LAYERS))},
    {EXCLUDES(ONE_SPLIT, LAYOUT, SET(LAYOUT), SET(BY_COUNT))},
    {AND(UNSET(BY_COUNT), UNSET(LAYOUT)) EXCLUDES(ONE_SPLIT, BY_LAYERS, SET(BY_LAYERS), SET(FIRST))},
    {AND(UNSET(BY_COUNT), UNSET(LAYOUT)) EXCLUDES(ONE_SPLIT, BY_LAYERS, SET(BY_LAYERS), SET(LAST))},
    {EXCLUDES(ONE_SPLIT, FIRST, SET(FIRST), IS(ACCOUNT_EMBEDDING, 1))},
    {EXCLUDES(ONE_SPLIT, FIRST, SET(FIRST), IS(ACCOUNT_LOSS, 1))},
    {EXCLUDES(ONE_SPLIT, LAST, SET(LAST), IS(ACCOUNT_EMBEDDING, 1))},
    {EXCLUDES(ONE_SPLIT, LAST, SET(LAST), IS(ACCOUNT_LOSS, 1))},
    {EXCLUDES(ONE_SPLIT, LAYOUT, SET(LAYOUT), SET(FIRST))},
    {EXCLUDES(ONE_SPLIT, LAYOUT, SET(LAYOUT), SET(LAST))},
    {EXCLUDES(ONE_SPLIT, LAYOUT, SET(LAYOUT), IS(ACCOUNT_EMBEDDING, 1))},
    {EXCLUDES(ONE_SPLIT, LAYOUT, SET(LAYOUT), IS(ACCOUNT_LOSS, 1))},
    {EXCLUDES(ONE_SPLIT, HYBRID_PATTERN, SET(HYBRID_PATTERN), SET(OLD_PATTERN))},
    {EXCLUDES(ONE_SPLIT, HYBRID_PATTERN, SET(HYBRID_PATTERN), SET(BY_LAYERS))},
    {EXCLUDES(ONE_SPLIT, HYBRID_PATTERN, SET(HYBRID_PATTERN), SET(BY_COUNT))},
    {EXCLUDES(ONE_SPLIT, HYBRID_PATTERN, SET(HYBRID_PATTERN), SET(LAYOUT))},
    {EXCLUDES(ONE_SPLIT, HYBRID_PATTERN, SET(HYBRID_PATTERN), IS(ACCOUNT_EMBEDDING, 1))},
    {EXCLUDES(ONE_SPLIT, HYBRID_PATTERN, SET(HYBRID_PATTERN), IS(ACCOUNT_LOSS, 1))},
    {DIVIDES(LAYERS, LAYERS, OF(K(PP)), OF(K(SPLIT_LAYERS)), IS(SPLIT, MEGA_SPLIT_EVEN), BETWEEN(VPP_BY, MEGA_VPP_NONE, MEGA_VPP_LAYERS))},
    {AND(AT_LEAST(ACCOUNT, 1)) DIVIDES(LAYERS, LAYERS, OF(K(PP)), OF(K(SPLIT_LAYERS)), IS(SPLIT, MEGA_SPLIT_EVEN), IS(VPP_BY, MEGA_VPP_COUNT))},
    {DIVIDES(VPP_LAYERS, BY_LAYERS, OF(K(PP), K(BY_LAYERS)), OF(K(SPLIT_LAYERS)), IS(SPLIT, MEGA_SPLIT_EVEN), IS(VPP_BY, MEGA_VPP_LAYERS))},
    {AND(AT_LEAST(ACCOUNT, 1)) DIVIDES(VPP_ACCOUNT, BY_COUNT, OF(K(PP), K(BY_COUNT)), OF(K(SPLIT_LAYERS)), IS(SPLIT, MEGA_SPLIT_EVEN), AT_LEAST(BY_COUNT, 2))},
    {AND(IS(ACCOUNT, 0)) DIVIDES(VPP_BUILD, BY_COUNT, OF(K(PP), K(BY_COUNT)), OF(K(ALL_LAYERS)), IS(SPLIT, MEGA_SPLIT_EVEN), IS(VPP_BY, MEGA_VPP_COUNT))},
    {NEEDS(VPP_PP, PP, AT_LEAST(PP, 2), AT_LEAST(VPP, 2), IS(NO_P2P_OVERLAP, 0))},
    {NEEDS(VPP_PP, PP, AT_LEAST(PP, 3), AT_LEAST(VPP, 2), IS(NO_P2P_OVERLAP, 1))},
    {NEEDS(WARMUP_FLUSH, WARMUP_FLUSH, AT_LEAST(VPP, 2), IS(WARMUP_FLUSH, 1), UNSET(LAYOUT))},
    {NEEDS(WARMUP_FLUSH, WARMUP_FLUSH, IS(NO_P2P_OVERLAP, 0), IS(WARMUP_FLUSH, 1))},
    {EQUALS(UNEVEN_ENDS, LAYERS, OF(K(ENDS)), OF(K(ALL_LAYERS)), IS(SPLIT, MEGA_SPLIT_UNEVEN), IS(MIDDLE_STAGES, 0))},
    {EXCLUDES(UNEVEN_NONE, PP, AT_LEAST(MIDDLE_STAGES, 1), IS(MIDDLE_LAYERS, 0))},
    {AND(IS(SPLIT, MEGA_SPLIT_UNEVEN)) DIVIDES(UNEVEN_MIDDLE, LAYERS, OF(K(MIDDLE_STAGES)), OF(K(MIDDLE_LAYERS)), AT_LEAST(MIDDLE_STAGES, 1), AT_LEAST(MIDDLE_LAYERS, 1))},
    {AT_MOST(UNEVEN_FEWER, LAYERS, OF(K(ENDS)), OF(K(ALL_LAYERS)), IS(SPLIT, MEGA_SPLIT_UNEVEN), AT_LEAST(MIDDLE_STAGES, 1))},
    {DIVIDES(FIRST_VPP, FIRST, OF(K(VPP)), OF(K(FIRST)), IS(SPLIT, MEGA_SPLIT_UNEVEN), AT_LEAST(VPP, 2))},
    {DIVIDES(LAST_VPP, LAST, OF(K(VPP)), OF(K(LAST)), IS(SPLIT, MEGA_SPLIT_UNEVEN), AT_LEAST(VPP, 2))},
    {AND(IS(SPLIT, MEGA_SPLIT_UNEVEN)) DIVIDES(MIDDLE_VPP, BY_COUNT, OF(K(MIDDLE_STAGES), K(VPP)), OF(K(MIDDLE_LAYERS)), AT_LEAST(MIDDLE_STAGES, 1), AT_LEAST(VPP, 2))},
    {AND(SET(FIRST), SET(LAST)) WARNS(UNEVEN_ZERO, PP, IS(PP, 2), AT_LEAST(VPP, 2))},
    {AT_MOST(GROUP, GROUP, OF(K(PP)), OF(K(GROUP)), AT_LEAST(VPP, 2), AT_LEAST(PP, 2))},
    {AT_MOST(GROUP_MOST, GROUP, OF(K(GROUP)), OF(K(MICROBATCHES)), AT_LEAST(VPP, 2), AT_LEAST(PP, 2))},
    {AND(AT_LEAST(REST, 1)) AT_MOST(GROUP_REST, GLOBAL, OF(K(PP)), OF(K(REST)), AT_LEAST(VPP, 2), AT_LEAST(GROUPS, 1))},

    /* the optimizer and its shards */
    {NEEDS(OVERLAP_GATHER, OVERLAP_GATHER, IS(DISTOPT, 1), IS(OVERLAP_GATHER, 1), IS(OWN_SHARDS, 0))},
    {NEEDS(OVERLAP_GATHER, OVERLAP_GATHER, IS(OVERLAP_REDUCE, 1), IS(OVERLAP_GATHER, 1))},
    {NEEDS(OVERLAP_GATHER, GATHER_STEP, IS(DISTOPT, 1), IS(GATHER_STEP, 1))},
    {NEEDS(OVERLAP_GATHER, GATHER_STEP, IS(OVERLAP_GATHER, 1), IS(GATHER_STEP, 1))},
    {NEEDS(OVERLAP_GATHER, GATHER_STEP, AT_LEAST(VPP, 2), IS(GATHER_STEP, 1), UNSET(LAYOUT))},
    {NEEDS(OVERLAP_GATHER, GATHER_STEP, IS(CKPT_FORMAT, MEGA_CKPT_TORCH), IS(GATHER_STEP, 1))},
    {EXCLUDES(FSDP2, FSDP2, IS(FSDP2, 1), AT_LEAST(PP, 2))},
    {EXCLUDES(FSDP2, FSDP2, IS(FSDP2, 1), AT_LEAST(EP, 2))},
    {EXCLUDES(FSDP2, FSDP2, IS(FSDP2, 1), IS(DISTOPT, 1))},
    {EXCLUDES(FSDP2, FSDP2, IS(FSDP2, 1), IS(FP16, 1))},
    {EXCLUDES(FSDP2, FSDP2, IS(FSDP2, 1), AT_LEAST(OPTIMIZER, MEGA_OPT_MUON))},
    {NEEDS(FSDP2_NEEDS, FSDP2, IS(NO_GRAD_FUSION, 1), IS(FSDP2, 1))},
    {NEEDS(FSDP2_NEEDS, FSDP2, IS(UNTIE, 1), IS(FSDP2, 1))},
    {NEEDS(FSDP2_NEEDS, FSDP2, BETWEEN(CKPT_FORMAT, MEGA_CKPT_TORCH_DIST, MEGA_CKPT_TORCH_DCP), IS(FSDP2, 1))},
    {NEEDS(FSDP_NEEDS, FSDP, IS(CKPT_FORMAT, MEGA_CKPT_FSDP_DTENSOR), IS(FSDP, 1))},
    {NEEDS(FSDP_NEEDS, FSDP, BETWEEN(OPTIMIZER, MEGA_OPT_ADAM, MEGA_OPT_SGD), IS(FSDP, 1))},
    {NEEDS(FSDP_NEEDS, REGISTRATION, IS(FSDP, 1), IS(REGISTRATION, 1))},
    {NEEDS(FSDP_NEEDS, REGISTRATION, IS(NCCL_UB, 1), IS(REGISTRATION, 1))},
    {EXCLUDES(FSDP, FSDP, IS(FSDP, 1), IS(SINGLE_WEIGHT, 1))},
    {EXCLUDES(FSDP, FSDP, IS(FSDP, 1), IS(SINGLE_BIAS, 1))},
    {AND(IS(FSDP_VERSION, 2)) EXCLUDES(FSDP, FSDP, IS(FSDP, 1), IS(DISTOPT, 1))},
    {AND(IS(STRATEGY, MEGA_STRATEGY_OPTIM_GRADS_PARAMS)) EXCLUDES(FSDP, FSDP, IS(FSDP, 1), SET(HASH_INTERVAL))},
    {AND(IS(FSDP, 1)) EXCLUDES(FSDP, META, IS(META, 1), IS(STRATEGY, MEGA_STRATEGY_NO_SHARD))},
    {NEEDS(OPTIMIZER_OFFLOAD, OPTIMIZER_OFFLOAD, IS(PRECISION_AWARE, 1), IS(OPTIMIZER_OFFLOAD, 1))},
    {NEEDS(OPTIMIZER_OFFLOAD, OPTIMIZER_OFFLOAD, IS(FP8_RECIPE, MEGA_FP8_DELAYED), IS(OPTIMIZER_OFFLOAD, 1), IS(FP8_GATHER, 1))},
    {NEEDS(PRECISION_AWARE, PRECISION_AWARE, IS(DISTOPT, 1), IS(PRECISION_AWARE, 1), IS(FSDP, 0))},
    {NEEDS(PRECISION_AWARE, PRECISION_AWARE, IS(OPTIMIZER, MEGA_OPT_ADAM), IS(PRECISION_AWARE, 1))},
    {NEEDS(REUSE_GRADS, REUSE_GRADS, IS(FP8_GATHER, 1), IS(REUSE_GRADS, 1), IS(FSDP, 0))},
    {WARNS(FREEZE, FREEZE, IS(FREEZE, 1), IS(DISTOPT, 1))},

    /* types */
    {EXCLUDES(HALF, FP16, IS(FP16, 1), IS(BF16, 1))},
    {AND(IS(BF16, 1)) EXCLUDES(HALF, ACCUMULATE_FP32, IS(ACCUMULATE_FP32, 1), IS(MAIN_GRADS, MEGA_GRADS_BF16))},
    {NEEDS(HALF_NEEDS, FP16_ENTROPY, IS(FP16, 1), IS(FP16_ENTROPY, 1))},
    {NEEDS(HALF_NEEDS, FP32_RESIDUAL, IS(HALF, 1), IS(FP32_RESIDUAL, 1))},
    {EXCLUDES(FP8, FP8, SET(FP8), SET(FP4))},
    {AND(SET(FP8)) EXCLUDES(FP8, BF16_ENDS, IS(BF16_ENDS, 1), IS(FP8_RECIPE, MEGA_FP8_DELAYED))},
    {AND(SET(FP8), IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE)) EXCLUDES(FP8, RECOMPUTE_MODULES, HAS(RECOMPUTE_MODULES, MODULE_MOE_ACT), IS(FP8_RECIPE, MEGA_FP8_DELAYED))},
    {AND(SET(FP8), IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE)) EXCLUDES(FP8, RECOMPUTE_MODULES, HAS(RECOMPUTE_MODULES, MODULE_LAYERNORM), IS(FP8_RECIPE, MEGA_FP8_DELAYED))},
    {NEEDS(FP8_NEEDS, FP8_GATHER, IS(DISTOPT, 1), IS(FP8_GATHER, 1), IS(ANY_FSDP, 0))},
    {NEEDS(FP8_NEEDS, FP8_OUTPUT, IS(FP8_RECIPE, MEGA_FP8_MXFP8), IS(FP8_OUTPUT, 1))},
    {NEEDS(FP8_GIVEN, FP8_GATHER, SET(FP8), IS(FP8_GATHER, 1), IS(FSDP2, 0))},
    {NEEDS(FP8_GIVEN, FP8_OUTPUT, SET(FP8), IS(FP8_OUTPUT, 1))},
    {NEEDS(FP8_GIVEN, FP4_GATHER, SET(FP4), IS(FP4_GATHER, 1))},
    {NEEDS(FP8_GIVEN, FP8_RECIPE, SET(FP8_FACTORY), SET(FP8), IS(FP8_RECIPE, MEGA_FP8_CUSTOM))},
    {NEEDS(FP8_GIVEN, FP4_RECIPE, SET(FP4_FACTORY), SET(FP4), IS(FP4_RECIPE, MEGA_FP4_CUSTOM))},
    {AT_MOST(BF16_START, BF16_START, OF(K(BF16_START)), OF(K(STAGE_LAYERS)), SET(FP8), IS(BF16_ENDS, 1))},
    {AT_MOST(BF16_END, BF16_END, OF(K(BF16_END)), OF(K(STAGE_LAYERS)), SET(FP8), IS(BF16_ENDS, 1))},

    /* recomputation, offloading, CUDA graphs */
    {NEEDS(RECOMPUTE_GIVEN, RECOMPUTE, SET(RECOMPUTE_METHOD), IS(RECOMPUTE, MEGA_RECOMPUTE_FULL))},
    {NEEDS(RECOMPUTE_GIVEN, RECOMPUTE, SET(RECOMPUTE_LAYERS), IS(RECOMPUTE, MEGA_RECOMPUTE_FULL))},
    {NEEDS(RECOMPUTE_GIVEN, FINE_OFFLOAD, SET(OFFLOAD_MODULES), IS(FINE_OFFLOAD, 1))},
    {EXCLUDES(RECOMPUTE, RECOMPUTE_METHOD, SET(RECOMPUTE_METHOD), IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE))},
    {EXCLUDES(RECOMPUTE, RECOMPUTE_LAYERS, SET(RECOMPUTE_LAYERS), IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE))},
    {EXCLUDES(RECOMPUTE, RECOMPUTE_MOE, IS(RECOMPUTE_MOE, 1), IS(RECOMPUTE, MEGA_RECOMPUTE_FULL))},
    {AND(SET(RECOMPUTE)) EXCLUDES(RECOMPUTE, DISTRIBUTE, IS(DISTRIBUTE, 1), IS(SP_ON, 1))},
    {AND(SET(SHARED_FFN), IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE)) EXCLUDES(RECOMPUTE, RECOMPUTE_MODULES, HAS(RECOMPUTE_MODULES, MODULE_SHARED_EXPERTS), IS(SHARED_OVERLAP, 1))},
    {NEEDS(RECOMPUTE_NEEDS, RECOMPUTE_MODULES, IS(GROUPED_GEMM, 1), HAS(RECOMPUTE_MODULES, MODULE_MOE_ACT), IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE))},
    {NEEDS(RECOMPUTE_NEEDS, RECOMPUTE_MODULES, IS(MLA, 1), HAS(RECOMPUTE_MODULES, MODULE_MLA_UP_PROJ), IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE))},
    {NEEDS(RECOMPUTE_NEEDS, RECOMPUTE_MODULES, IS(VARIANT, MEGA_VARIANT_GATED_DELTA_NET), HAS(RECOMPUTE_MODULES, MODULE_GDN_NORM_OUT), IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE))},
    {NEEDS(RECOMPUTE_NEEDS, DISTRIBUTE, AT_LEAST(TP, 2), IS(DISTRIBUTE, 1))},
    {NEEDS(RECOMPUTE_NEEDS, DISTRIBUTE, IS(RECOMPUTE, MEGA_RECOMPUTE_FULL), IS(DISTRIBUTE, 1))},
    {AT_MOST(OFFLOAD_LAYERS, OFFLOAD, OF(K(OFFLOAD_NEXT)), OF(K(ALL_LAYERS)), AT_LEAST(OFFLOAD, 1))},
    {EXCLUDES(OFFLOAD, OFFLOAD, AT_LEAST(OFFLOAD, 1), AT_LEAST(PP, 2))},
    {EXCLUDES(OFFLOAD, OFFLOAD, AT_LEAST(OFFLOAD, 1), SET(RECOMPUTE))},
    {EXCLUDES(OFFLOAD, OFFLOAD, AT_LEAST(OFFLOAD, 1), IS(FINE_OFFLOAD, 1))},
    {EXCLUDES(OFFLOAD, OFFLOAD, AT_LEAST(OFFLOAD, 1), IS(PAGED_STASH, 1))},
    {EXCLUDES(OFFLOAD, OFFLOAD, AT_LEAST(OFFLOAD, 1), BETWEEN(GRAPH, MEGA_GRAPHS_LOCAL, MEGA_GRAPHS_TRANSFORMER_ENGINE))},
    {NEEDS(OFFLOAD_NEEDS, FINE_OFFLOAD, IS(IMPLEMENTATION, MEGA_IMPL_TRANSFORMER_ENGINE), IS(FINE_OFFLOAD, 1))},
    {NEEDS(OFFLOAD_NEEDS, OFFLOAD_MODULES, HAS(OFFLOAD_MODULES, OFFLOAD_CORE_ATTN), IS(FINE_OFFLOAD, 1), HAS(OFFLOAD_MODULES, OFFLOAD_ATTN_PROJ))},
    {NEEDS(OFFLOAD_NEEDS, OFFLOAD_MODULES, IS(OP_FUSER, 1), IS(FINE_OFFLOAD, 1), HAS(OFFLOAD_MODULES, OFFLOAD_FUSED_GROUP_MLP))},
    {EXCLUDES(GRAPH, GRAPH_LOCAL, IS(GRAPH_LOCAL, 1), IS(GRAPH_TE, 1))},
    {EXCLUDES(GRAPH, GRAPH_LOCAL, IS(GRAPH_LOCAL, 1), BETWEEN(GRAPH, MEGA_GRAPHS_TRANSFORMER_ENGINE, MEGA_GRAPHS_FULL_ITERATION))},
    {EXCLUDES(GRAPH, GRAPH_SCOPE, SET(GRAPH_SCOPE), AT_LEAST(GRAPH_MODULES, 1))},
    {EXCLUDES(GRAPH, GRAPH_MODULES, AT_LEAST(GRAPH_MODULES, 1), IS(GRAPH, MEGA_GRAPHS_FULL_ITERATION))},
    {EXCLUDES(GRAPH, RECOMPUTE, IS(RECOMPUTE, MEGA_RECOMPUTE_FULL), BETWEEN(GRAPH, MEGA_GRAPHS_LOCAL, MEGA_GRAPHS_TRANSFORMER_ENGINE))},
    {NEEDS(GRAPH_NEEDS, GRAPH, IS(NO_NAN_CHECK, 1), IS(GRAPH, MEGA_GRAPHS_FULL_ITERATION), IS(FP16, 0))},

    /* experts */
    {NEEDS(EP_EXPERTS, EP, AT_LEAST(EXPERTS, 1), AT_LEAST(EP, 2))},
    {DIVIDES(EP_DIVIDES, EP, OF(K(EP)), OF(K(EXPERTS)), AT_LEAST(EP, 2))},
    {AT_MOST(TOP_K, TOP_K, OF(K(TOP_K)), OF(K(EXPERTS)), ALWAYS)},
    {NEEDS(GROUPED_GEMM, GROUPED_GEMM, DTCI_WHEN_AT_LEAST(COMPUTE, 80), IS(GROUPED_GEMM, 1), DTCI_WHEN_SET(COMPUTE))},
    {NEEDS(MOE_BIAS, NO_BIAS, IS(EXPERT_TP, 1), AT_LEAST(EXPERTS, 1), IS(NO_BIAS, 0))},
    {NEEDS(MOE_SP, TP, IS(SP_ON, 1), AT_LEAST(EXPERTS, 1), AT_LEAST(TP, 2))},
    {NEEDS(MOE_NEEDS, SHARED_OVERLAP, BETWEEN(DISPATCHER, MEGA_DISPATCHER_ALLTOALL, MEGA_DISPATCHER_FLEX), IS(SHARED_OVERLAP, 1), SET(SHARED_FFN))},
    {NEEDS(MOE_NEEDS, DEEPEP, IS(DISPATCHER, MEGA_DISPATCHER_FLEX), IS(DEEPEP, 1))},
    {NEEDS(MOE_NEEDS, FLEX_BACKEND, IS(DISPATCHER, MEGA_DISPATCHER_FLEX), IS(FLEX_BACKEND, MEGA_FLEX_NCCLEP))},
    {NEEDS(MOE_NEEDS, RANK_CAPACITY, BETWEEN(FLEX_BACKEND, MEGA_FLEX_HYBRIDEP, MEGA_FLEX_NCCLEP), SET(RANK_CAPACITY))},
    {NEEDS(MOE_NEEDS, RANK_CAPACITY, IS(OP_FUSER, 1), SET(RANK_CAPACITY), IS(FLEX_BACKEND, MEGA_FLEX_HYBRIDEP))},
    {NEEDS(MOE_NEEDS, EXPERT_BIAS, BETWEEN(SCORE, MEGA_SCORE_SIGMOID, MEGA_SCORE_SQRTSOFTPLUS), IS(EXPERT_BIAS, 1))},
    {AND(HAS_NOT(BALANCING, BALANCING_SINKHORN)) NEEDS(MOE_NEEDS, TOP_K, IS(PRE_SOFTMAX, 1), IS(TOP_K, 1), IS(SCORE, MEGA_SCORE_SOFTMAX))},
    {NEEDS(MOE_NEEDS, ROUTER_PADDING, BETWEEN(DISPATCHER, MEGA_DISPATCHER_ALLTOALL, MEGA_DISPATCHER_FLEX), IS(ROUTER_PADDING, 1))},
    {NEEDS(MOE_NEEDS, ROUTER_PADDING8, BETWEEN(DISPATCHER, MEGA_DISPATCHER_ALLTOALL, MEGA_DISPATCHER_FLEX), IS(ROUTER_PADDING8, 1))},
    {NEEDS(MOE_NEEDS, SINGLE_WEIGHT, IS(GROUPED_GEMM, 1), IS(SINGLE_WEIGHT, 1))},
    {NEEDS(MOE_NEEDS, SINGLE_BIAS, IS(GROUPED_GEMM, 1), IS(SINGLE_BIAS, 1))},
    {NEEDS(MOE_NEEDS, SINGLE_WEIGHT, IS(OP_FUSER, 1), IS(SINGLE_WEIGHT, 1))},
    {NEEDS(MOE_NEEDS, SINGLE_BIAS, IS(NO_BIAS, 0), IS(SINGLE_BIAS, 1))},
    {NEEDS(MOE_GIVEN, PAD_CAPACITY, SET(CAPACITY), IS(PAD_CAPACITY, 1))},
    {AND(UNSET(HYBRID_PATTERN)) NEEDS(MOE_GIVEN, MOE_FFN, SET(EXPERTS), SET(MOE_FFN), NOT_GIVEN(MOE_FREQ))},
    {NEEDS(MOE_GIVEN, LATENT, SET(EXPERTS), SET(LATENT))},
    {NEEDS(MOE_GIVEN, GROUP_TOP_K, SET(ROUTER_GROUPS), AT_LEAST(GROUP_TOP_K, 1))},
    {NEEDS(MOE_GIVEN, PAGED_STASH, SET(RANK_CAPACITY), IS(PAGED_STASH, 1))},
    {NEEDS(MOE_GIVEN, ROUTER_PADDING, SET(FP8), IS(ROUTER_PADDING, 1), UNSET(FP4))},
    {NEEDS(MOE_GIVEN, ROUTER_PADDING8, SET(FP8), IS(ROUTER_PADDING8, 1), UNSET(FP4))},
    {EXCLUDES(MOE, CAPACITY, SET(CAPACITY), HAS(BALANCING, BALANCING_SINKHORN))},
    {EXCLUDES(MOE, CAPACITY, SET(CAPACITY), HAS(BALANCING, BALANCING_QUANTILE_BALANCING))},
    {EXCLUDES(MOE, DEEPEP, IS(DEEPEP, 1), IS(FLEX_BACKEND, MEGA_FLEX_HYBRIDEP))},
    {AND(IS(DISPATCHER, MEGA_DISPATCHER_FLEX)) EXCLUDES(MOE, PAD_CAPACITY, IS(PAD_CAPACITY, 1), IS(FLEX_BACKEND, MEGA_FLEX_DEEPEP))},
    {EXCLUDES(MOE, FAKE_GROUP, IS(FAKE_GROUP, 1), IS(DISPATCHER, MEGA_DISPATCHER_FLEX))},
    {DIVIDES(ROUTER_GROUPS, ROUTER_GROUPS, OF(K(ROUTER_GROUPS)), OF(K(EXPERTS)), AT_LEAST(GROUP_TOP_K, 1))},
    {AT_MOST(GROUP_TOP_K, GROUP_TOP_K, OF(K(GROUP_TOP_K)), OF(K(ROUTER_GROUPS)), ALWAYS)},
    {NEEDS(EP_OVERLAP_NEEDS, EP_OVERLAP, AT_LEAST(EP, 2), IS(EP_OVERLAP, 1))},
    {NEEDS(EP_OVERLAP_NEEDS, EP_OVERLAP, BETWEEN(DISPATCHER, MEGA_DISPATCHER_ALLTOALL, MEGA_DISPATCHER_FLEX), IS(EP_OVERLAP, 1))},
    {NEEDS(EP_OVERLAP_NEEDS, EP_OVERLAP, IS(HALF, 1), IS(EP_OVERLAP, 1))},
    {AND(UNSET(LAYOUT), UNSET(HYBRID_PATTERN)) NEEDS(EP_OVERLAP_NEEDS, EP_OVERLAP, AT_LEAST(VPP, 2), IS(EP_OVERLAP, 1), AT_LEAST(PP, 2))},
    {NEEDS(EP_OVERLAP_NEEDS, DELAY_WGRAD, IS(EP_OVERLAP, 1), IS(DELAY_WGRAD, 1))},
    {NEEDS(EP_OVERLAP_NEEDS, DELAY_WGRAD, IS(IMPLEMENTATION, MEGA_IMPL_TRANSFORMER_ENGINE), IS(DELAY_WGRAD, 1))},
    {NEEDS(EP_OVERLAP_NEEDS, EARLY_RELEASE, IS(EP_OVERLAP, 1), IS(EARLY_RELEASE, 1))},
    {EXCLUDES(EP_OVERLAP, EP_OVERLAP, IS(EP_OVERLAP, 1), IS(RECOMPUTE, MEGA_RECOMPUTE_FULL))},
    {EXCLUDES(EP_OVERLAP, EP_OVERLAP, IS(EP_OVERLAP, 1), SET(RECOMPUTE_METHOD))},
    {EXCLUDES(EP_OVERLAP, EP_OVERLAP, IS(EP_OVERLAP, 1), SET(RECOMPUTE_LAYERS))},
    {EXCLUDES(EP_OVERLAP, EP_OVERLAP, IS(EP_OVERLAP, 1), HAS(RECOMPUTE_MODULES, MODULE_MOE))},
    {EXCLUDES(EP_OVERLAP, EP_OVERLAP, IS(EP_OVERLAP, 1), IS(RECOMPUTE_MOE, 1))},
    {EXCLUDES(EP_OVERLAP, EP_OVERLAP, IS(EP_OVERLAP, 1), IS(SHARED_OVERLAP, 1))},
    {EXCLUDES(EP_OVERLAP, EP_OVERLAP, IS(EP_OVERLAP, 1), AT_LEAST(MTP, 2))},
    {EXCLUDES(EP_OVERLAP, WGRAD_DISPATCH, IS(WGRAD_DISPATCH, 1), IS(EP_OVERLAP, 1))},
    {EXCLUDES(EP_OVERLAP, WGRAD_DISPATCH, IS(WGRAD_DISPATCH, 1), IS(DELAY_WGRAD, 1))},
    {NEEDS(DEFER_EMBEDDING, DEFER_EMBEDDING, AT_LEAST(PP, 2), IS(DEFER_EMBEDDING, 1))},
    {NEEDS(DEFER_EMBEDDING, DEFER_EMBEDDING, IS(NO_GRAD_FUSION, 0), IS(DEFER_EMBEDDING, 1))},

    /* training */
    {AND(IS(SKIP_TRAIN, 0)) EXCLUDES(ITERATIONS, TRAIN_ITERS, AT_LEAST(TRAIN_ITERS, 1), SET(TRAIN_SAMPLES))},
    {AND(IS(SKIP_TRAIN, 0)) EXCLUDES(ITERATIONS, TRAIN_ITERS, AT_LEAST(TRAIN_ITERS, 1), SET(DECAY_SAMPLES))},
    {AND(IS(SKIP_TRAIN, 0)) EXCLUDES(ITERATIONS, TRAIN_ITERS, AT_LEAST(TRAIN_ITERS, 1), AT_LEAST(WARMUP_SAMPLES, 1))},
    {AND(IS(SKIP_TRAIN, 0)) EXCLUDES(ITERATIONS, TRAIN_SAMPLES, AT_LEAST(TRAIN_SAMPLES, 1), SET(DECAY_ITERS))},
    {AND(IS(SKIP_TRAIN, 0)) EXCLUDES(ITERATIONS, TRAIN_SAMPLES, AT_LEAST(TRAIN_SAMPLES, 1), AT_LEAST(WARMUP_ITERS, 1))},
    {AND(IS(SKIP_TRAIN, 0), AT_LEAST(TRAIN_ITERS, 1)) EXCLUDES(ITERATIONS, WARMUP_FRACTION, SET(WARMUP_FRACTION), AT_LEAST(WARMUP_ITERS, 1))},
    {AND(IS(SKIP_TRAIN, 0), AT_LEAST(TRAIN_SAMPLES, 1)) EXCLUDES(ITERATIONS, WARMUP_FRACTION, SET(WARMUP_FRACTION), AT_LEAST(WARMUP_SAMPLES, 1))},
    {AT_MOST(MIN_LR, MIN_LR, OF(K(MIN_LR)), OF(K(LR)), ALWAYS)},
    {NEEDS(DECAY_GIVEN, DECAY_STYLE, SET(DECAY_START), AT_LEAST(DECAY_STYLE, MEGA_DECAY_LINEAR))},
    {NEEDS(DECAY_GIVEN, DECAY_STYLE, SET(DECAY_END), AT_LEAST(DECAY_STYLE, MEGA_DECAY_LINEAR))},
    {EXCLUDES(DATA, MOCK, IS(MOCK, 1), SET(DATA_PATH))},
    {EXCLUDES(DATA, MOCK, IS(MOCK, 1), SET(SPLIT_DATA))},
    {EXCLUDES(DATA, DATA_PATH, SET(DATA_PATH), SET(SPLIT_DATA))},
    {EXCLUDES(DATA, DATA_PATH, SET(DATA_PATH), SET(DATA_ARGS))},
    {EXCLUDES(DATA, SPLIT_DATA_ARGS, SET(SPLIT_DATA_ARGS), SET(SPLIT_DATA))},
    {EXCLUDES(DATA, MOCK, IS(MOCK, 1), IS(FIM, 1))},
    {EXCLUDES(DETERMINISTIC, DETERMINISTIC, IS(DETERMINISTIC, 1), IS(ENTROPY_FUSION, 1))},
    {EXCLUDES(DETERMINISTIC, DETERMINISTIC, IS(DETERMINISTIC, 1), IS(TP_OVERLAP, 1))},

    /* checkpoints and logs */
    {NEEDS(CKPT_NEEDS, CKPT_FORMAT, IS(FSDP, 1), IS(CKPT_FORMAT, MEGA_CKPT_FSDP_DTENSOR))},
    {NEEDS(CKPT_NEEDS, CKPT_FORMAT, IS(FSDP2, 1), IS(CKPT_FORMAT, MEGA_CKPT_TORCH_DCP))},
    {NEEDS(CKPT_NEEDS, CKPT_FORMAT, IS(TP, 1), IS(CKPT_FORMAT, MEGA_CKPT_TORCH_DCP))},
    {NEEDS(CKPT_NEEDS, CKPT_FORMAT, IS(PP, 1), IS(CKPT_FORMAT, MEGA_CKPT_TORCH_DCP))},
    {NEEDS(CKPT_NEEDS, OPTIMIZER, BETWEEN(CKPT_FORMAT, MEGA_CKPT_TORCH, MEGA_CKPT_TORCH_DIST), AT_LEAST(OPTIMIZER, MEGA_OPT_MUON))},
    {NEEDS(CKPT_NEEDS, VERIFY, IS(CKPT_FORMAT, MEGA_CKPT_TORCH_DIST), IS(VERIFY, 1))},
    {AND(BETWEEN(OPTIMIZER, MEGA_OPT_ADAM, MEGA_OPT_SGD)) NEEDS(CKPT_NEEDS, NO_GLOO, BETWEEN(CKPT_FORMAT, MEGA_CKPT_TORCH_DIST, MEGA_CKPT_FSDP_DTENSOR), IS(NO_GLOO, 1), IS(DISTOPT, 1))},
    {AND(IS(RESHARDABLE, 1), IS(DISTOPT, 1)) NEEDS(CKPT_NEEDS, RESHARDABLE_LEAN, IS(NO_GLOO, 0), IS(RESHARDABLE_LEAN, 1))},
    {NEEDS(CKPT_NEEDS, LOAD_MAIN_PARAMS, IS(NO_LOAD_OPTIM, 1), IS(LOAD_MAIN_PARAMS, 1))},
    {NEEDS(CKPT_NEEDS, REPLICATION, IS(NON_PERSISTENT, MEGA_PERSIST_LOCAL), IS(REPLICATION, 1))},
    {NEEDS(CKPT_NEEDS, NON_PERSISTENT, BETWEEN(NON_PERSISTENT, MEGA_PERSIST_GLOBAL, MEGA_PERSIST_LOCAL), SET(NON_PERSISTENT))},
    {NEEDS(CKPT_NEEDS, SAVE, AT_LEAST(SAVE_INTERVAL, 1), SET(SAVE), SET(SAVE_INTERVAL))},
    {NEEDS(CKPT_NEEDS, LOGITS_SAVE, IS(ASYNC_SAVE, 1), SET(LOGITS_SAVE))},
    {NEEDS(CKPT_GIVEN, SAVE, SET(SAVE_INTERVAL), SET(SAVE))},
    {NEEDS(CKPT_GIVEN, UPCYCLING, SET(SAVE), IS(UPCYCLING, 1))},
    {NEEDS(CKPT_GIVEN, CONVERT_FORMAT, SET(CONVERT_SAVE), SET(CONVERT_FORMAT))},
    {NEEDS(CKPT_GIVEN, CONVERT_FORMAT, SET(LOAD), SET(CONVERT_FORMAT))},
    {NEEDS(CKPT_GIVEN, NON_PERSISTENT, SET(LOCAL_DIR), IS(NON_PERSISTENT, MEGA_PERSIST_LOCAL))},
    {NEEDS(CKPT_GIVEN, REPLICATION, SET(REPLICATION_JUMP), IS(REPLICATION, 1))},
    {NEEDS(CKPT_GIVEN, LOGITS_SAVE, SET(LOGITS_TOP_K), SET(LOGITS_SAVE))},
    {EXCLUDES(CKPT, SAVE_PARAMS, SET(SAVE_PARAMS), IS(OVERLAP_GATHER, 1))},
    {EXCLUDES(CKPT, CKPT_ITERATION, SET(CKPT_ITERATION), IS(FINETUNE, 1))},
    {WARNS(ASYNC_SAVE, ASYNC_SAVE, IS(ASYNC_SAVE, 1), IS(CKPT_WORKER, 0))},
    {DIVIDES(SAVE_RETAIN, SAVE_RETAIN, OF(K(SAVE_INTERVAL)), OF(K(SAVE_RETAIN)), SET(SAVE))},
    {DIVIDES(LOG_MEMORY, LOG_MEMORY, OF(K(LOG_INTERVAL)), OF(K(LOG_MEMORY)), ALWAYS)},
    {NEEDS(INFERENCE, MICRO_INFERENCE, AT_LEAST(PP, 2), AT_LEAST(MICRO_INFERENCE, 0))},
    {NEEDS(INFERENCE, MICRO_INFERENCE, IS(GRAPH, MEGA_GRAPHS_NONE), AT_LEAST(MICRO_INFERENCE, 0))},
};
/* clang-format on */
const uint32_t dtci_megatron_rules_count = sizeof dtci_megatron_rules / sizeof dtci_megatron_rules[0];
