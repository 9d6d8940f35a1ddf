#include "options.h"

#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

#define PLAN FOR_PLANS
#define SIZE (FOR_PLANS | FOR_SIZES)
#define DEGREE (FOR_PLANS | FOR_LAYOUTS | FOR_SHARD)
#define MACHINE (FOR_PLANS | FOR_SIZES | FOR_LAYOUTS | FOR_SHARD)
#define SHARDS(member) FOR_SHARDS, DTC_FIELD(shards, member)
#define PIPE(member) FOR_PIPELINE, DTC_FIELD(pipe, member)
#define STAGES(member) FOR_PIPELINE, DTC_FIELD(pipe_split, member)

const option options[] = {
    [OPT_HELP] = {"help", NULL, NULL, FOR_ALL, 0, "this text; `dtcore COMMAND --help` for a command",
                  "显示帮助；`dtcore 命令 --help` 显示该命令的帮助"},
    [OPT_VERSION] = {"version", NULL, NULL, FOR_ALL, 0, "version of dtcore", "显示 dtcore 版本"},
    [OPT_JSON] = {"json", NULL, NULL, FOR_ALL, 0, "answer in JSON, bytes as integers (keys: cli/json.md)",
                  "以 JSON 输出，字节数为整数（键名见 cli/json.md）"},
    [OPT_LANG] = {"lang", "en|zh", NULL, FOR_ALL, 0, "language of the answer", "输出语言"},
    [OPT_GPU] = {"gpu", "NAME", NULL, MACHINE | FOR_LINT | FOR_COLLECTIVE, 0,
                 "GPU of the catalogue, in nodes usual for it (`dtcore gpus`)",
                 "目录中的 GPU 型号，节点按常见配置（`dtcore gpus`）"},
    [OPT_CLUSTER] = {"cluster", "NAME", NULL, MACHINE | FOR_COLLECTIVE, 0,
                     "machine type of the catalogue (`dtcore clusters`)", "目录中的机型（`dtcore clusters`）"},
    [OPT_NODES] = {"nodes", "N", NULL, MACHINE | FOR_LINT, 0, "nodes there are", "节点（机器）数"},
    [OPT_GPUS] = {"gpus", "N", NULL, MACHINE, 0, "GPUs there are in all", "总卡数"},
    [OPT_GPUS_PER_NODE] = {"gpus-per-node", "N", NULL, MACHINE | FOR_COLLECTIVE, 0,
                           "GPUs of a node, when not the usual number", "每个节点的卡数（与常见配置不同时）"},
    [OPT_POWER] = {"power", "WATTS", NULL, FOR_STEP | FOR_SEARCH, 0,
                   "power limit of a GPU, when not that of the catalogue", "单卡功率上限（与目录不同时），瓦"},
    [OPT_HOST_BANDWIDTH] = {"host-bandwidth", "SIZE", NULL, FOR_STEP | FOR_SEARCH, 0,
                            "bytes a second of the host memory of a node (500GB)",
                            "单节点主机内存带宽，每秒字节数（500GB）"},
    [OPT_NVME_BANDWIDTH] = {"nvme-bandwidth", "SIZE", NULL, FOR_STEP | FOR_SEARCH, 0,
                            "bytes a second of the NVMe drives of a node (20GB)",
                            "单节点 NVMe 带宽，每秒字节数（20GB）"},
    [OPT_STORAGE_BANDWIDTH] = {"storage-bandwidth", "SIZE", NULL, FOR_STEP, 0,
                               "bytes a second that all nodes together write to shared storage (100GB)",
                               "所有节点写共享存储的总带宽，每秒字节数（100GB）"},
    [OPT_MTBF] = {"mtbf", "HOURS", NULL, FOR_STEP, 0, "mean time between failures of one GPU (50000)",
                  "单卡平均故障间隔，小时（50000）"},
    [OPT_PRICE] = {"price", "AMOUNT", NULL, FOR_STEP, 0, "of a GPU for an hour, in any currency (2.5)",
                   "单卡每小时价格，币种不限（2.5）"},
    [OPT_ACTIVATIONS] = {"activations", "SIZE", NULL, FOR_FIT | FOR_SIZES, 0,
                         "with a bare size: bytes of activations to add (50GB, 46.5GiB)",
                         "仅给参数量时：另加的激活值字节数（50GB、46.5GiB）"},
    [OPT_PLAN] = {"plan", "TEXT", NULL, DEGREE | FOR_PIPELINE, 0,
                  "a plan as text: 'tp=8 pp=4 sp megatron@0.19 mbs=1'; @FILE holds one",
                  "文本形式的并行方案：'tp=8 pp=4 sp megatron@0.19 mbs=1'；@FILE 从文件读取"},
    [OPT_ESTIMATOR] = {"estimator", "NAME[@VERSION]", NULL, FOR_MEMORY, DTC_FIELD(estimator_call, estimator),
                       "instead: what the framework's own estimator prints", "改为给出框架自带估算器的输出"},
    [OPT_BUFFER] = {"buffer", "FACTOR", NULL, FOR_MEMORY, 0,
                    "of --estimator, DeepSpeed: additional_buffer_factor of host memory (1.5)",
                    "与 --estimator 一起，DeepSpeed：主机内存的 additional_buffer_factor（1.5）"},
    [OPT_LARGEST_LAYER] = {"largest-layer", "SIZE", NULL, FOR_MEMORY, 0,
                           "of --estimator: parameters of the largest layer, when not the model's (131M)",
                           "与 --estimator 一起：最大层的参数量（与模型不同时，如 131M）"},
    [OPT_SCHEME] = {"scheme", "NAME[@VERSION]", NULL, FOR_LAYOUTS, DTC_FIELD(layout, scheme), "whose order of ranks",
                    "按谁的 rank 顺序"},
    [OPT_WORLD] = {"world", "N", NULL, FOR_LAYOUTS | FOR_LINT, 0, "ranks there are in all", "rank 总数"},
    [OPT_DP_REPLICATE] = {"dp-replicate", "N", NULL, FOR_LAYOUTS, 0, "ranks of dp that hold the same shard",
                          "dp 中持有同一分片的 rank 数"},
    [OPT_GTP_REMAT] = {"gtp-remat", "N", NULL, FOR_LAYOUTS, 0, "Megatron's generalized tensor parallel degree",
                       "Megatron 的广义张量并行度"},
    [OPT_EGTP_REMAT] = {"egtp-remat", "N", NULL, FOR_LAYOUTS, 0, "the same for the experts", "专家的广义张量并行度"},
    [OPT_INSTANCES] = {"instances", "N", NULL, FOR_LAYOUTS, 0, "Megatron's distributed optimizer instances",
                       "Megatron 的分布式优化器实例数"},
    [OPT_TP_DEPTH] = {"tp-depth", "N", NULL, FOR_LAYOUTS, 0, "depth of 2.5D tensor parallelism", "2.5D 张量并行的深度"},
    [OPT_ORDER] = {"order", "AXES", NULL, FOR_LAYOUTS, 0, "Megatron's order of axes, fastest first: tp-cp-ep-dp-pp",
                   "Megatron 的轴顺序，变化最快的在前：tp-cp-ep-dp-pp"},
    [OPT_CP_LEVELS] = {"cp-levels", "NxN", NULL, FOR_LAYOUTS, 0, "Megatron's hierarchical cp, innermost first: 2x4",
                       "Megatron 的分层 cp，最内层在前：2x4"},
    [OPT_HYBRID_CP] = {"hybrid-cp", NULL, NULL, FOR_LAYOUTS, 0, "Megatron's hybrid context parallel groups",
                       "Megatron 的混合上下文并行组"},
    [OPT_OFFSET] = {"offset", "N", NULL, FOR_LAYOUTS, 0, "first rank", "第一个 rank"},
    [OPT_RANK] = {"rank", "N", NULL, FOR_RANKS, 0, "one rank: its coordinates and its groups",
                  "单个 rank：坐标及所在的组"},
    [OPT_GROUPS] = {"groups", "GROUP", NULL, FOR_RANKS, 0,
                    "all groups of a kind: the framework's name for it, or axes (tp-cp)",
                    "某一种组的全部：框架中的名称，或轴（tp-cp）"},
    [OPT_LIMIT] = {"limit", "N", NULL, FOR_RANKS, 0, "groups to show at most; ranks of a group in JSON (64)",
                   "最多列出的组数；JSON 中每组的 rank 数（64）"},
    [OPT_MAP] = {"map", NULL, NULL, FOR_RANKS, 0, "a picture: a row for each node, a cell for each rank",
                 "图：每个节点一行，每个 rank 一格"},
    [OPT_COLOR] = {"color", "AXIS", NULL, FOR_RANKS, 0, "axis that colours the map (pp)", "图中以颜色表示的轴（pp）"},
    [OPT_LABEL] = {"label", "AXES", NULL, FOR_RANKS, 0, "what stands in a cell: coordinates (tp-dp-pp), else the rank",
                   "格中的文字：坐标（tp-dp-pp），默认为 rank"},
    [OPT_SVG] = {"svg", "FILE", NULL, FOR_RANKS | FOR_SHARD, 0, "write the map to a file", "把图写入文件"},
    [OPT_CURVE_SVG] = {"svg", "FILE", NULL, FOR_COLLECTIVE, 0, "of --curve: write it to a file",
                       "用于 --curve：把图写入文件"},
    [OPT_DOMAIN] = {"domain", "N", NULL, FOR_PLACE, 0, "GPUs that NVLink joins, when not those of the machine",
                    "NVLink 互连的卡数（与机型不同时）"},
    [OPT_INSIDE] = {"inside", "GROUPS", NULL, FOR_PLACE, 0,
                    "kinds of groups that must stay in an NVLink domain (tp,ep): exit code 1 when they cannot",
                    "必须留在 NVLink 域内的组（tp,ep）；做不到时退出码为 1"},
    [OPT_LEAVES] = {"leaves", "N,N,...", NULL, FOR_PLACE, 0, "leaf switch of each node: how a ring over them crosses",
                    "每个节点的叶交换机：环在交换机之间跨越几次"},
    [OPT_LAUNCHER] = {"launcher", "KIND", NULL, FOR_PLACE, 0,
                      "who starts the ranks, and on which nodes: slurm, torchrun, c10d, deepspeed, mpi",
                      "由谁启动 rank，决定其所在节点：slurm、torchrun、c10d、deepspeed、mpi"},
    [OPT_DIST] = {"dist", "HOW", NULL, FOR_PLACE, 0, "of Slurm: block, cyclic, plane=N",
                  "Slurm 的分布方式：block、cyclic、plane=N"},
    [OPT_MAP_BY] = {"map-by", "KIND", NULL, FOR_PLACE, DTC_FIELD(mpi, map), "of mpi", "mpi 的映射方式"},
    [OPT_HOSTS] = {"hosts", "NAME,NAME,...", NULL, FOR_PLACE, 0, "names of the nodes", "节点名"},
    [OPT_HOSTFILE] = {"hostfile", "FILE", NULL, FOR_PLACE, 0, "of deepspeed: lines `host slots=8`",
                      "deepspeed 的 hostfile：每行 `host slots=8`"},
    [OPT_WRITE_HOSTFILE] = {"write-hostfile", "FILE", NULL, FOR_PLACE, 0,
                            "write --hosts in the best order, for slurm (-m arbitrary) or deepspeed",
                            "按最好的顺序写出 --hosts，供 slurm（-m arbitrary）或 deepspeed 使用"},
    [OPT_SHARD_SCHEME] = {"scheme", "NAME[@VERSION]", NULL, SHARDS(scheme), "who shards", "由谁切分"},
    [OPT_SHARD_WORLD] = {"world", "N", NULL, SHARDS(world), "ranks that share the states", "共享状态的 rank 数"},
    [OPT_DTYPE] = {"dtype", "KIND", NULL, SHARDS(dtype), "type of the elements", "元素类型"},
    [OPT_REPLICAS] = {"replicas", "N", NULL, SHARDS(replicas), "groups of ranks that hold the same (HSDP, MiCS)",
                      "持有相同内容的 rank 组数（HSDP、MiCS）"},
    [OPT_STAGE] = {"stage", "N", NULL, SHARDS(stage), "zero12, low_level_zero: stage of ZeRO",
                   "zero12、low_level_zero：ZeRO 阶段"},
    [OPT_BUCKET] = {"bucket", "SIZE", NULL, SHARDS(bucket),
                    "size of a bucket: elements (5e8), of ddp bytes (25MiB), none",
                    "桶的大小：元素数（5e8），ddp 为字节数（25MiB），或 none"},
    [OPT_FIRST_BUCKET] = {"first-bucket", "SIZE", NULL, SHARDS(first_bucket), "ddp: bytes of the first bucket",
                          "ddp：第一个桶的字节数"},
    [OPT_SUB_GROUP] = {"sub-group", "SIZE", NULL, SHARDS(sub_group), "zero3: sub_group_size", "zero3：sub_group_size"},
    [OPT_PERSISTENCE] = {"persistence", "SIZE", NULL, SHARDS(persistence),
                         "zero3: tensors up to this many elements stay gathered, or none",
                         "zero3：不超过此元素数的张量保持聚合，或 none"},
    [OPT_HPZ] = {"hpz", "N", NULL, SHARDS(hpz), "zero3: ranks of a secondary partition", "zero3：二级分区的 rank 数"},
    [OPT_MIN_CHUNK] = {"min-chunk", "SIZE", NULL, SHARDS(min_chunk), "gemini: least elements of a chunk",
                       "gemini：chunk 的最少元素数"},
    [OPT_SEARCH_RANGE] = {"search-range", "SIZE", NULL, SHARDS(search_range),
                          "gemini: elements above the least that are tried", "gemini：在最小值之上搜索的元素数"},
    [OPT_INTERVAL] = {"interval", "N", NULL, SHARDS(interval), "gemini: step of the search", "gemini：搜索步长"},
    [OPT_ROUND_ROBIN] = {"round-robin", "KIND", NULL, SHARDS(round_robin), "zero12: round_robin_gradients (off)",
                         "zero12：round_robin_gradients（off）"},
    [OPT_MULTI_RANK] = {"multi-rank", "KIND", NULL, SHARDS(multi_rank), "zero12: use_multi_rank_bucket_allreduce (on)",
                        "zero12：use_multi_rank_bucket_allreduce（on）"},
    [OPT_REDUCE_SCATTER] = {"reduce-scatter", "KIND", NULL, SHARDS(reduce_scatter), "zero3: reduce_scatter (on)",
                            "zero3：reduce_scatter（on）"},
    [OPT_ORIG_PARAMS] = {"orig-params", "KIND", NULL, SHARDS(orig_params), "fsdp1: use_orig_params (on)",
                         "fsdp1：use_orig_params（on）"},
    [OPT_HIGH_BUSBW] = {"high-busbw", "KIND", NULL, SHARDS(high_busbw),
                        "distopt, layerwise: pad_buckets_for_high_nccl_busbw (off)",
                        "distopt、layerwise：pad_buckets_for_high_nccl_busbw（off）"},
    [OPT_FIRST_STEP] = {"first-step", "KIND", NULL, SHARDS(first_step),
                        "ddp: buckets of the first iteration, before they are rebuilt (off)",
                        "ddp：第一次迭代、重建之前的桶（off）"},
    [OPT_KEEP_LARGE] = {"keep-large", "KIND", NULL, SHARDS(keep_large),
                        "gemini: tensors far above the mean take part in the search (off)",
                        "gemini：远大于平均值的张量参与搜索（off）"},
    [OPT_SHAPES] = {"shapes", "NxN,N,...", NULL, FOR_SHARDS, 0, "tensors in the order of the module: 4096x4096,4096",
                    "按模块顺序的张量：4096x4096,4096"},
    [OPT_LAYER] = {"layer", "N", NULL, FOR_SHARDS, 0, "of MODEL only the tensors of this layer, a unit of FSDP",
                   "MODEL 中仅此层的张量，即一个 FSDP 单元"},
    [OPT_SHARD_RANK] = {"rank", "N", NULL, FOR_SHARDS, 0, "one rank: which parts of which tensors",
                        "单个 rank：哪些张量的哪些部分"},
    [OPT_TENSOR] = {"tensor", "TENSOR", NULL, FOR_SHARD, 0, "one tensor, by name or index: which ranks hold it",
                    "单个张量（名称或序号）：由哪些 rank 持有"},
    [OPT_ELEMENT] = {"element", "N", NULL, FOR_SHARD, 0, "of --tensor: the rank that holds this element",
                     "与 --tensor 一起：持有该元素的 rank"},
    [OPT_BUCKETS] = {"buckets", NULL, NULL, FOR_SHARD, 0, "the buckets, one by one", "逐个列出桶"},
    [OPT_REDUCTIONS] = {"reductions", NULL, NULL, FOR_SHARD, 0, "the reductions of gradients, one by one",
                        "逐个列出梯度归约"},
    [OPT_GATHERS] = {"gathers", NULL, NULL, FOR_SHARD, 0, "the gathers behind the optimizer's step, one by one",
                     "逐个列出优化器更新后的聚合"},
    [OPT_SUB_GROUPS] = {"sub-groups", NULL, NULL, FOR_SHARD, 0, "zero3: the sub-groups of the optimizer, one by one",
                        "zero3：逐个列出优化器的子组"},
    [OPT_TRACE] = {"trace", NULL, NULL, FOR_SHARD, 0, "zero3: what one iteration gathers, and what is whole at a time",
                   "zero3：一次迭代聚合的内容，以及同时完整存在的内容"},
    [OPT_SHARD_STEP] = {"step", NULL, NULL, FOR_SHARD, 0,
                        "an optimizer step: its collectives, and the bytes of the heaviest rank",
                        "一次优化器更新：集合通信，以及最重 rank 的字节数"},
    [OPT_COMPARE] = {"compare", NULL, NULL, FOR_SHARD, 0,
                     "ddp, ZeRO-1 to 3, fsdp2 and Megatron's distributed optimizer side by side",
                     "并列比较 ddp、ZeRO-1 至 3、fsdp2 与 Megatron 分布式优化器"},
    [OPT_MICRO_BATCHES] = {"micro-batches", "N", NULL, FOR_SHARD, 0,
                           "of --step and --compare: micro-batches that are accumulated (1)",
                           "与 --step、--compare 一起：梯度累积的 micro-batch 数（1）"},
    [OPT_OFFLOAD] = {"offload", "KIND", NULL, FOR_SHARD, 0,
                     "of --step: what lies in host memory or on NVMe: optimizer, params, nvme",
                     "与 --step 一起：放在主机内存或 NVMe 上的内容：optimizer、params、nvme"},
    [OPT_SHARD_OPTIMIZER] = {"optimizer", "KIND", NULL, FOR_SHARD, DTC_FIELD(optimizer_spec, optimizer),
                             "what an optimizer keeps for the heaviest rank's tensors, and what its step adds",
                             "优化器为最重 rank 的张量保存的内容，以及更新时另加的内容"},
    [OPT_OPTIMIZER_LIBRARY] = {"optimizer-library", "KIND", NULL, FOR_SHARD, DTC_FIELD(optimizer_spec, library),
                               "of --optimizer: whose", "与 --optimizer 一起：哪个库的"},
    [OPT_OPTIMIZER_KERNEL] = {"optimizer-kernel", "KIND", NULL, FOR_SHARD, DTC_FIELD(optimizer_spec, kernel),
                              "of --optimizer: how torch steps (foreach)",
                              "与 --optimizer 一起：torch 的更新方式（foreach）"},
    [OPT_OPTIMIZER_FORMAT] = {"optimizer-format", "KIND", NULL, FOR_SHARD, DTC_FIELD(optimizer_spec, format),
                              "of --optimizer: what states are stored as", "与 --optimizer 一起：状态的存储格式"},
    [OPT_AMSGRAD] = {"amsgrad", "KIND", NULL, FOR_SHARD, DTC_FIELD(optimizer_spec, amsgrad),
                     "of --optimizer adam: a third state (off)", "与 --optimizer adam 一起：第三个状态（off）"},
    [OPT_CAPTURABLE] = {"capturable", "KIND", NULL, FOR_SHARD, DTC_FIELD(optimizer_spec, capturable),
                        "of --optimizer: step counters on the GPU, for CUDA graphs (off)",
                        "与 --optimizer 一起：步数计数器放在 GPU 上，供 CUDA graph 使用（off）"},
    [OPT_PREFETCH] = {"prefetch", "SIZE", NULL, FOR_SHARD, DTC_FIELD(tracing, prefetch),
                      "of --trace: stage3_prefetch_bucket_size (5e7)",
                      "与 --trace 一起：stage3_prefetch_bucket_size（5e7）"},
    [OPT_MAX_LIVE] = {"max-live", "SIZE", NULL, FOR_SHARD, DTC_FIELD(tracing, max_live),
                      "of --trace: stage3_max_live_parameters (1e9)",
                      "与 --trace 一起：stage3_max_live_parameters（1e9）"},
    [OPT_MAX_REUSE] = {"max-reuse", "SIZE", NULL, FOR_SHARD, DTC_FIELD(tracing, max_reuse),
                       "of --trace: stage3_max_reuse_distance (1e9)",
                       "与 --trace 一起：stage3_max_reuse_distance（1e9）"},
    [OPT_CHECKPOINTING] = {"checkpointing", NULL, NULL, FOR_SHARD, 0, "of --trace: with activation checkpointing",
                           "与 --trace 一起：使用激活检查点"},
    [OPT_FROM] = {"from", "TEXT", NULL, FOR_RESHARD, 0,
                  "sharding of the checkpoint: 'scheme=zero12 world=32', or its world alone (32)",
                  "检查点的切分：'scheme=zero12 world=32'，或仅 rank 数（32）"},
    [OPT_TO] = {"to", "TEXT", NULL, FOR_RESHARD, 0, "sharding of the job that loads it; of fsdp2 also tp=N",
                "加载它的任务的切分；fsdp2 还可用 tp=N"},
    [OPT_FORM] = {"form", "KIND", NULL, FOR_RESHARD, DTC_FIELD(reshard, form),
                  "form of the checkpoint, when not the framework's usual one", "检查点的形式（与框架默认不同时）"},
    [OPT_BANDWIDTH] = {"bandwidth", "SIZE", NULL, FOR_RESHARD, 0, "bytes a second of the storage (20GB)",
                       "存储带宽，每秒字节数（20GB）"},
    [OPT_SHARD_LIMIT] = {"limit", "N", NULL, FOR_SHARDS, 0, "rows to show at most (64; of a map 16)",
                         "最多列出的行数（64；图为 16）"},
    [OPT_SHARD_MAP] = {"map", NULL, NULL, FOR_SHARD, 0, "a picture: a row for each rank, a box for each tensor",
                       "图：每个 rank 一行，每个张量一格"},
    [OPT_PIPE_SCHEDULE] = {"schedule", "KIND", NULL, FOR_PIPELINE, DTC_FIELD(plan, schedule),
                           "pipeline schedule; several with commas between them are compared",
                           "流水线调度；以逗号分隔多个则并列比较"},
    [OPT_PIPE_MICRO_BATCHES] = {"micro-batches", "N", NULL, PIPE(micro_batches), "micro-batches of a step",
                                "一步的 micro-batch 数"},
    [OPT_GROUP] = {"group", "N", NULL, PIPE(group),
                   "interleaved: micro-batches that run through a chunk before the next",
                   "interleaved：切换模型块前连续运行的 micro-batch 数"},
    [OPT_MOE_OVERLAP] =
        {"moe-overlap", NULL, NULL, FOR_PIPELINE, 0,
         "Megatron's interleaved: a forward and a backward as one step (overlap_moe_expert_parallel_comm)",
         "Megatron 的 interleaved：前向与反向合为一步（overlap_moe_expert_parallel_comm）"},
    [OPT_FORWARD_ONLY] = {"forward-only", NULL, NULL, FOR_PIPELINE, 0, "inference: forwards alone", "推理：只有前向"},
    [OPT_FORWARD] = {"forward", "TIME", NULL, FOR_PIPELINE, 0,
                     "forward of a micro-batch through one of pp stages, any unit (1); a chunk takes 1/vpp of it",
                     "一个 micro-batch 通过 pp 个阶段之一的前向时间，单位任意（1）；模型块取其 1/vpp"},
    [OPT_BACKWARD] = {"backward", "TIME", NULL, FOR_PIPELINE, 0, "its backward (twice the forward)",
                      "其反向时间（前向的两倍）"},
    [OPT_INPUT] = {"input", "TIME", NULL, FOR_PIPELINE, 0, "the part of it that is for the input (half)",
                   "其中对输入求梯度的部分（一半）"},
    [OPT_WEIGHT] = {"weight", "TIME", NULL, FOR_PIPELINE, 0, "the part of it that is for the weights (the rest)",
                    "其中对权重求梯度的部分（其余）"},
    [OPT_SCALE] = {"scale", "X,X,...", NULL, FOR_PIPELINE, 0,
                   "factors of these times for each of the pp stages, or for each of all chunks",
                   "各阶段（pp 个）或各模型块的时间系数"},
    [OPT_LATENCY] = {"latency", "TIME", NULL, FOR_PIPELINE, 0, "latency of a message between ranks (0)",
                     "rank 间消息的延迟（0）"},
    [OPT_TRANSFER] = {"transfer", "TIME", NULL, FOR_PIPELINE, 0, "time that a message occupies its link (0)",
                      "消息占用链路的时间（0）"},
    [OPT_BLOCKING] = {"blocking", NULL, NULL, FOR_PIPELINE, 0,
                      "Megatron's 1f1b without overlap: both sides of a message wait for each other",
                      "Megatron 的 1f1b 不重叠通信：消息双方相互等待"},
    [OPT_PIPE_LIMIT] = {"limit", "N", NULL, PIPE(limit),
                        "activations of a chunk that zb_h1, zb_h2 and a generated zbv may hold, or none",
                        "zb_h1、zb_h2 与生成的 zbv 可持有的激活数（按模型块），或 none"},
    [OPT_PIPE_SVG] = {"svg", "FILE", NULL, FOR_PIPELINE, 0, "write the timeline to a file", "把时间线写入文件"},
    [OPT_PIPE_TRACE] = {"trace", "FILE", NULL, FOR_PIPELINE, 0, "write a trace for Chrome or Perfetto to a file",
                        "写出供 Chrome 或 Perfetto 查看的 trace 文件"},
    [OPT_PIPE_ORDER] = {"order", NULL, NULL, FOR_PIPELINE, 0,
                        "the ops of each rank as text: F forward, B backward, I for the input, W for the weights",
                        "以文本列出每个 rank 的操作：F 前向，B 反向，I 对输入，W 对权重"},
    [OPT_STEPS] = {"steps", NULL, NULL, FOR_PIPELINE, 0, "the instructions of DeepSpeed's pipeline engine",
                   "DeepSpeed 流水线引擎的指令"},
    [OPT_SPLIT] =
        {"split", "KIND", NULL, FOR_PIPELINE, 0,
         "which layers a stage has; best: the dearest stage as cheap as can be: megatron, layout, "
         "deepspeed-uniform, deepspeed-balanced, torchtitan, colossalai, best",
         "各阶段有哪些层；best：使最贵的阶段尽量便宜：megatron、layout、deepspeed-uniform、deepspeed-balanced、"
         "torchtitan、colossalai、best"},
    [OPT_LAYERS] = {"layers", "N", NULL, STAGES(layers), "of --split: layers, when no MODEL says it",
                    "与 --split 一起：层数（未给出 MODEL 时）"},
    [OPT_MTP_LAYERS] = {"mtp-layers", "N", NULL, STAGES(mtp_layers), "layout: multi-token-prediction modules",
                        "layout：多 token 预测模块数"},
    [OPT_FIRST] = {"first", "N", NULL, STAGES(first), "megatron: layers of the first rank",
                   "megatron：第一个 rank 的层数"},
    [OPT_LAST] = {"last", "N", NULL, STAGES(last), "megatron: layers of the last rank",
                  "megatron：最后一个 rank 的层数"},
    [OPT_ACCOUNT_EMBEDDING] = {"account-embedding", NULL, NULL, FOR_PIPELINE, 0,
                               "megatron: account_for_embedding_in_pipeline_split",
                               "megatron：account_for_embedding_in_pipeline_split"},
    [OPT_ACCOUNT_LOSS] = {"account-loss", NULL, NULL, FOR_PIPELINE, 0, "megatron: account_for_loss_in_pipeline_split",
                          "megatron：account_for_loss_in_pipeline_split"},
    [OPT_PIPE_LAYOUT] = {"layout", "TEXT", NULL, FOR_PIPELINE, 0,
                         "layout: Megatron's pipeline_model_parallel_layout: 'Et*3|(tt|)*29,m|L'",
                         "layout：Megatron 的 pipeline_model_parallel_layout：'Et*3|(tt|)*29,m|L'"},
    [OPT_WEIGHTS] = {"weights", "N,N,...", NULL, FOR_PIPELINE, 0,
                     "deepspeed-balanced, best: weight of each module in order; colossalai: layers of each stage",
                     "deepspeed-balanced、best：按顺序给出各模块的权重；colossalai：各阶段的层数"},
    [OPT_TYPE] = {"type", "CLASS", NULL, FOR_PIPELINE, 0,
                  "deepspeed-balanced: only modules of this class of MODEL count: transformer, embedding, norm, head",
                  "deepspeed-balanced：只计 MODEL 中该类模块：transformer、embedding、norm、head"},
    [OPT_FIRST_LESS] = {"first-less", "N", NULL, STAGES(first_less),
                        "torchtitan: layers that the embedding stands for (1)", "torchtitan：词嵌入折合的层数（1）"},
    [OPT_LAST_LESS] = {"last-less", "N", NULL, STAGES(last_less), "torchtitan: layers that norm and head stand for (1)",
                       "torchtitan：归一化与输出头折合的层数（1）"},
    [OPT_PER_STAGE] = {"per-stage", "N", NULL, STAGES(per_stage), "torchtitan: layers of a stage, which decide vpp",
                       "torchtitan：每个阶段的层数，由此决定 vpp"},
    [OPT_DIALECT] = {"dialect", "NAME[@VERSION]", NULL, FOR_LINT, DTC_FIELD(lint, dialect),
                     "whose texts these are, when their names and words do not tell",
                     "文件属于哪个工具（文件名与内容无法判断时）"},
    [OPT_COMPUTE] = {"compute", "X.Y", NULL, FOR_LINT, 0, "compute capability of the GPUs: 9.0 Hopper, 10.0 Blackwell",
                     "GPU 的计算能力：9.0 Hopper，10.0 Blackwell"},
    [OPT_HCA] = {"hca", "VALUE", NULL, FOR_LINT | FOR_CHECK, 0,
                 "which of --devices NCCL_IB_HCA=VALUE selects; of lint instead of files",
                 "NCCL_IB_HCA=VALUE 选中 --devices 中的哪些；lint 用它代替文件"},
    [OPT_DEVICES] = {"devices", "NAME:PORT...", NULL, FOR_LINT | FOR_CHECK, 0,
                     "of --hca: ports of InfiniBand or RoCE devices: 'mlx5_0:1 mlx5_1:1'",
                     "与 --hca 一起：InfiniBand 或 RoCE 设备的端口：'mlx5_0:1 mlx5_1:1'"},
    [OPT_COLL_GPUS] = {"gpus", "N", NULL, FOR_COLLECTIVE, 0, "GPUs of the group (those of a node)",
                       "组中的卡数（默认一个节点）"},
    [OPT_COLL_NODES] = {"nodes", "N", NULL, FOR_COLLECTIVE, 0, "nodes that the group is on", "组所在的节点数"},
    [OPT_PER_NODE] = {"per-node", "N", NULL, FOR_COLLECTIVE, 0,
                      "GPUs of the group in a node, or in an NVLink domain where that is larger (as many as fit)",
                      "组在每个节点（或更大的 NVLink 域）中的卡数（默认占满）"},
    [OPT_COLL_GROUPS] = {"groups", "N", NULL, FOR_COLLECTIVE, 0, "like groups that use the ports of a node at once (1)",
                         "同时使用节点网口的同类组数（1）"},
    [OPT_STYLE] = {"style", "KIND", NULL, FOR_COLLECTIVE, 0,
                   "how calls are issued: one behind the other, a thread for all GPUs of a node (nccl-tests -g 8), or "
                   "each waited for: loop, thread, blocking",
                   "调用方式：连续发出、一个线程驱动节点内所有卡（nccl-tests -g 8）、每次等待：loop、thread、blocking"},
    [OPT_FABRIC] = {"fabric", "KIND", NULL, FOR_COLLECTIVE, DTC_FIELD(cluster, fabric),
                    "network between nodes, when not that of the machine", "节点间网络（与机型不同时）"},
    [OPT_NCCL] = {"nccl", "VERSION", NULL, FOR_COLLECTIVE, 0, "version of NCCL: 2.27.7 (newest known)",
                  "NCCL 版本：2.27.7（默认已知的最新版本）"},
    [OPT_TUNED] = {"tuned", NULL, NULL, FOR_COLLECTIVE, 0,
                   "all-to-all between nodes has channels and queue pairs enough for the NIC",
                   "节点间 all-to-all 的通道与队列对足以用满网口"},
    [OPT_TWO_LEVEL] = {"two-level", NULL, NULL, FOR_COLLECTIVE, 0,
                       "all-reduce as reduce-scatter in the node, all-reduce over rails, all-gather",
                       "all-reduce 分两级：节点内 reduce-scatter、跨节点 all-reduce、all-gather"},
    [OPT_NO_NVLS] = {"no-nvls", NULL, NULL, FOR_COLLECTIVE, 0, "NVSwitch does not reduce (NCCL_NVLS_ENABLE=0)",
                     "NVSwitch 不做归约（NCCL_NVLS_ENABLE=0）"},
    [OPT_CURVE] = {"curve", NULL, NULL, FOR_COLLECTIVE, 0, "instead of SIZE: powers of two from 1 KiB to 16 GiB",
                   "代替 SIZE：1 KiB 到 16 GiB 的各个 2 的幂"},
    [OPT_JUDGE] = {"judge", "FILE", NULL, FOR_COLLECTIVE, 0,
                   "output of nccl-tests (- for stdin): is it as fast as it should be; exit code 1 when not",
                   "nccl-tests 的输出（- 为标准输入）：是否达到应有的速度；未达到时退出码为 1"},
    [OPT_FIT] = {"fit", "FILE", NULL, FOR_COLLECTIVE, 0,
                 "output of nccl-tests (- for stdin): latency and bandwidth of the law that fits it best",
                 "nccl-tests 的输出（- 为标准输入）：最吻合的延迟与带宽"},
    [OPT_TUNER] =
        {"nccl-tuner-csv", NULL, NULL, FOR_COLLECTIVE, 0,
         "configuration of NCCL's example tuner plugin that pins NCCL's own choices; all operations without OP",
         "NCCL 示例 tuner 插件的配置，固定 NCCL 自身的选择；不给 OP 时为全部操作"},
    [OPT_SYSTEM] = {"system", "SYSTEM", NULL, FOR_COLLECTIVE, 0,
                    "whose search results NCCL has, when the machine does not tell: h100-8x400, ...",
                    "NCCL 拓扑搜索结果所属的系统（机型无法确定时）：h100-8x400 等"},
    [OPT_TRAINED] = {"params", "N", NULL, FOR_EXPLAIN, 0,
                     "parameters that are trained, when there are more than MODEL's: 8.53B",
                     "实际训练的参数量（多于 MODEL 时）：8.53B"},
    [OPT_MOMENTS] = {"moments", NULL, NULL, FOR_MEMORY, 0, "what a GPU holds at each moment of a step, with a picture",
                     "一步中各时刻每张卡的显存，并画图"},
    [OPT_EXPLAIN] = {"explain", NULL, NULL, FOR_MEMORY, 0,
                     "every term with its formula and bytes, and what each operator keeps for backward",
                     "逐项列出公式与字节数，以及各算子为反向保存的内容"},
    [OPT_MEMORY_STAGE] = {"stage", "N", NULL, FOR_MEMORY, 0,
                          "of --moments, --explain and JSON: pipeline stage (the one that needs most)",
                          "与 --moments、--explain、JSON 一起：流水线阶段（默认占用最多的）"},
    [OPT_MEMORY_SVG] = {"svg", "FILE", NULL, FOR_MEMORY, 0, "write the picture of the stages to a file",
                        "把各阶段的图写入文件"},
    [OPT_TOKENS] = {"tokens", "N", NULL, FOR_STEP, 0,
                    "of a whole run (15T, 300B, 1.4e12): days, GPU-hours, cost, energy, checkpoints",
                    "整个训练的 token 数（15T、300B、1.4e12）：天数、卡时、费用、能耗、检查点"},
    [OPT_SECONDS] = {"seconds", "SECONDS", NULL, FOR_STEP, 0,
                     "what a step takes, measured: its MFU, beside the estimate when there is a GPU",
                     "实测的单步时间：给出 MFU，指定 GPU 时与估计对照"},
    [OPT_STEP_EXPLAIN] = {"explain", NULL, NULL, FOR_STEP, 0, "every term: its shape, how long one takes, how many",
                          "逐项列出：形状、单次时间、次数"},
    [OPT_SIMULATE] = {"simulate", NULL, NULL, FOR_STEP, 0,
                      "run the pipeline's order op by op, beside the closed form of its time",
                      "逐个操作模拟流水线，与闭式解对照"},
    [OPT_FLOPS] = {"flops", "KIND", NULL, FOR_STEP, DTC_FIELD(step_rate, convention),
                   "how FLOPs are counted for MFU, or all: a table of every convention",
                   "MFU 的 FLOP 计法，或 all：列出所有计法"},
    [OPT_SOFTWARE] = {"software", "KIND", NULL, FOR_STEP, 0, "whose constants, when not those of --framework",
                      "采用哪个软件的常数（默认按 --framework）"},
    [OPT_SOFTWARES] = {"softwares", NULL, NULL, FOR_STEP, 0,
                       "instead: the softwares, and the runs that their constants were set on",
                       "改为列出各软件及其常数所依据的实测"},
    [OPT_MEASURED] = {"measured", "FILE", NULL, FOR_STEP, 0,
                      "calibrate: lines of a plan and what its step took, 'megatron tp=8 dp=4 seconds=12.3'",
                      "校准：每行一个方案及其单步时间，'megatron tp=8 dp=4 seconds=12.3'"},
    [OPT_STEP_NCCL] = {"nccl", "FILE", NULL, FOR_STEP, 0, "calibrate messages: output of nccl-tests",
                       "校准通信：nccl-tests 的输出"},
    [OPT_NCCL_OP] = {"nccl-op", "KIND", NULL, FOR_STEP, DTC_FIELD(collective_call, op),
                     "of --nccl: what was measured (all_reduce)", "与 --nccl 一起：测的是哪种操作（all_reduce）"},
    [OPT_NCCL_GPUS] = {"nccl-gpus", "N", NULL, FOR_STEP, 0, "of --nccl: on how many GPUs (all there are)",
                       "与 --nccl 一起：用了多少张卡（默认全部）"},
    [OPT_CHECKPOINT_WRITE] =
        {"checkpoint-write", "SECONDS", NULL, FOR_STEP, 0,
         "of --tokens: how long training stands still for a checkpoint, when not from --storage-bandwidth",
         "与 --tokens 一起：写检查点时训练停顿的时间（默认由 --storage-bandwidth 得出）"},
    [OPT_RESTART] = {"restart", "SECONDS", NULL, FOR_STEP, 0, "of --tokens: from a failure to the next step (600)",
                     "与 --tokens 一起：从故障到恢复训练的时间（600）"},
    [OPT_RUN_INTERVAL] = {"interval", "SECONDS", NULL, FOR_STEP, 0, "of --tokens: between checkpoints (the best)",
                          "与 --tokens 一起：检查点间隔（默认取最佳）"},
    [OPT_PUE] = {"pue", "RATIO", NULL, FOR_STEP, 0, "of --tokens: power of the building over that of the computers (1)",
                 "与 --tokens 一起：机房总功耗与计算设备功耗之比（1）"},
    [OPT_STEP_SVG] = {"svg", "FILE", NULL, FOR_STEP, 0, "write the picture of the items to a file",
                      "把各项的图写入文件"},
    [OPT_OBJECTIVE] = {"objective", "KIND", NULL, FOR_SEARCH, DTC_FIELD(space, objective),
                       "what the best plan has least of: time of a step, GPU-seconds of it, bytes of the fullest GPU",
                       "最优方案的目标：单步时间、单步 GPU 秒数，或占用最多的卡的字节数最少"},
    [OPT_TOP] = {"top", "N", NULL, FOR_SEARCH, 0, "plans to show at most (5)", "最多列出的方案数（5）"},
    [OPT_GPUS_LEAST] = {"gpus-least", "N", NULL, FOR_SEARCH, 0,
                        "try half the nodes too, and half of these, down to so many GPUs (all there are)",
                        "节点数逐次减半也要尝试，直到这么多张卡（默认全部）"},
    [OPT_TP_MOST] = {"tp-most", "N", NULL, FOR_SEARCH, 0, "largest tp to try (GPUs joined by NVLink)",
                     "尝试的最大 tp（默认 NVLink 互连的卡数）"},
    [OPT_CP_MOST] = {"cp-most", "N", NULL, FOR_SEARCH, 0, "largest cp to try (16)", "尝试的最大 cp（16）"},
    [OPT_EP_MOST] = {"ep-most", "N", NULL, FOR_SEARCH, 0, "largest ep to try (the experts)",
                     "尝试的最大 ep（默认专家数）"},
    [OPT_PP_MOST] = {"pp-most", "N", NULL, FOR_SEARCH, 0, "largest pp to try (the layers)",
                     "尝试的最大 pp（默认层数）"},
    [OPT_VPP_MOST] = {"vpp-most", "N", NULL, FOR_SEARCH, 0, "most model chunks of a rank to try (the layers)",
                      "每个 rank 尝试的最多模型块数（默认层数）"},
    [OPT_MBS_MOST] = {"mbs-most", "N", NULL, FOR_SEARCH, 0, "largest micro-batch to try (64)",
                      "尝试的最大 micro-batch（64）"},
    [OPT_SHARDINGS] = {"shardings", "KIND,...", NULL, FOR_SEARCH, DTC_FIELD(plan, sharding),
                       "those to try, when not the usual ones of the framework", "尝试哪些切分方式（默认框架常用的）"},
    [OPT_RECOMPUTES] = {"recomputes", "KIND,...", NULL, FOR_SEARCH, DTC_FIELD(plan, recompute),
                        "those to try, when not all", "尝试哪些重计算方式（默认全部）"},
    [OPT_SCHEDULES] = {"schedules", "KIND,...", NULL, FOR_SEARCH, DTC_FIELD(plan, schedule),
                       "those to try, when not 1f1b and interleaved", "尝试哪些流水线调度（默认 1f1b 与 interleaved）"},
    [OPT_OFFLOADS] = {"offloads", "KIND,...", NULL, FOR_SEARCH, DTC_FIELD(plan, offload),
                      "those to try, none among them (none alone)", "尝试哪些卸载方式，可含 none（默认仅 none）"},
    [OPT_RECOMPUTE_LAYERS] = {"recompute-layers", NULL, NULL, FOR_SEARCH, 0,
                              "of Megatron: try full recomputation of fewer layers too",
                              "Megatron：也尝试只完全重算部分层"},
    [OPT_DP_SPLIT] = {"dp-split", NULL, NULL, FOR_SEARCH, 0, "try every number of ranks that a state is sharded over",
                      "尝试状态切分到的每一种 rank 数"},
    [OPT_SURELY] = {"surely", NULL, NULL, FOR_SEARCH, 0, "a plan fits when the upper end of its range does",
                    "显存范围的上限也放得下才算放得下"},
    [OPT_RESERVE] = {"reserve", "SIZE", NULL, FOR_SEARCH, 0, "bytes of a GPU that stay free (2GiB)",
                     "每张卡留出的字节数（2GiB）"},
    [OPT_RANGE] = {"range", "FIRST:COUNT", NULL, FOR_SEARCH, 0,
                   "search only these indices of the space: a piece for each job of an array (0:1000000)",
                   "只搜索空间中的这些序号：作业数组的每个作业搜索一段（0:1000000）"},
    [OPT_SPACE] = {"space", NULL, NULL, FOR_SEARCH, 0, "instead: the axes of the space, their values and its size",
                   "改为列出空间的各轴、取值与大小"},
    [OPT_TARGET] = {"target", "NAME,...", NULL, FOR_LAUNCH, DTC_FIELD(launch, target),
                    "what to write, when not what the framework usually needs", "输出什么（默认为框架常用的几种）"},
    [OPT_SCRIPT] = {"script", "FILE", NULL, FOR_LAUNCH, 0,
                    "the script that is started (train.py, pretrain_gpt.py); words behind -- are its arguments, "
                    "without --script the script too",
                    "要启动的脚本（train.py、pretrain_gpt.py）；-- 之后为其参数，未给出 --script 时也含脚本"},
    [OPT_MODULE] = {"module", NULL, NULL, FOR_LAUNCH, 0, "the script is a module: python -m", "脚本是模块：python -m"},
    [OPT_LAUNCH_HOSTS] = {"hosts", "NAME,NAME,...", NULL, FOR_LAUNCH, 0, "names of the nodes, the first one first",
                          "节点名，首节点在前"},
    [OPT_PORT] = {"port", "N", NULL, FOR_LAUNCH, 0, "port of the rendezvous (29500)", "汇合端口（29500）"},
    [OPT_NODE] = {"node", "N", NULL, FOR_LAUNCH, 0, "the line of this node, from 1 (with ${NODE_RANK})",
                  "该节点（从 1 起）的命令（默认含 ${NODE_RANK}）"},
    [OPT_FSDP] = {"fsdp", "1|2", NULL, FOR_LAUNCH, 0, "generation of FSDP in accelerate's file (2)",
                  "accelerate 配置中的 FSDP 版本（2）"},
    [OPT_ARGUMENTS] = {"arguments", "KIND", NULL, FOR_LAUNCH, DTC_FIELD(launch, arguments),
                       "what stands behind the script, when not what the framework's scripts take",
                       "脚本之后的参数（默认为框架脚本所需的）"},
    [OPT_TRANSFORMERS] = {"transformers", "VERSION", NULL, FOR_LAUNCH, 0, "whose flags a Trainer takes (5.24)",
                          "Trainer 参数所属的 transformers 版本（5.24）"},
    [OPT_WRITE] = {"write", "DIR", NULL, FOR_LAUNCH, 0, "write the files into a folder; none is overwritten",
                   "把文件写入文件夹，不覆盖已有文件"},
    [OPT_MARKDOWN] = {"markdown", NULL, NULL, FOR_FRAMEWORKS, 0, "as a page of Markdown, with notes and sources",
                      "输出 Markdown 页面，含说明和来源"},
    [OPT_GOAL] = {"goal", "KIND", NULL, FOR_ADVISE, DTC_FIELD(wishes, goal),
                  "what counts (throughput, less what it takes to get it)", "看重什么（默认：吞吐，扣除所需的投入）"},
    [OPT_CODE] = {"code", "KIND", NULL, FOR_ADVISE, DTC_FIELD(wishes, code),
                  "most that code may change: flags and files, lines around the model, another script, another model",
                  "最多可改动的代码：参数与文件、模型外围几行、改用其脚本、改写模型"},
    [OPT_WORK] = {"work", "KIND", NULL, FOR_ADVISE, DTC_FIELD(wishes, work), "most that it may take to operate",
                  "可接受的最大运维工作量"},
    [OPT_VENDOR] = {"vendor", "KIND", NULL, FOR_ADVISE, DTC_FIELD(wishes, vendor),
                    "GPUs that it must run on (the cluster's)", "必须支持的 GPU 厂商（默认为集群的厂商）"},
    [OPT_IN_USE] = {"in-use", "KIND", NULL, FOR_ADVISE, DTC_FIELD(wishes, framework), "the framework in use",
                    "正在使用的框架"},
    [OPT_HIDDEN] = {"hidden", NULL, NULL, FOR_ADVISE, 0,
                    "one file must do: nobody wishes to see that it is distributed",
                    "只用一个文件：不想看到任何分布式细节"},
    [OPT_ETHERNET] = {"ethernet", "SIZE", NULL, FOR_CHECK, 0,
                      "of --hca: bytes a second of the port that NCCL takes when no device is selected (3.125GB)",
                      "与 --hca 一起：未选中任何设备时 NCCL 所用端口的每秒字节数（3.125GB）"},
    {"framework", "NAME[@VERSION]", "", MACHINE | FOR_PIPELINE, DTC_FIELD(plan, framework), "framework", "框架"},
    {"sharding", "KIND", "sharding=", DEGREE, DTC_FIELD(plan, sharding), "sharding of the states", "模型状态切分"},
    {"tp", "N", "tp=", DEGREE, 0, "tensor parallel degree", "张量并行度"},
    {"pp", "N", "pp=", DEGREE | FOR_PIPELINE, 0, "pipeline parallel degree", "流水线并行度"},
    {"vpp", "N", "vpp=", PLAN | FOR_PIPELINE, 0, "model chunks of a pipeline rank", "每个流水线 rank 的模型块数"},
    {"cp", "N", "cp=", DEGREE, 0, "context parallel degree", "上下文并行度"},
    {"ep", "N", "ep=", DEGREE, 0, "expert parallel degree", "专家并行度"},
    {"etp", "N", "etp=", DEGREE, 0, "tensor parallel degree of the experts", "专家的张量并行度"},
    {"dp", "N", "dp=", DEGREE, 0, "data parallel degree", "数据并行度"},
    {"dp-shard", "N", "dp_shard=", DEGREE, 0, "ranks that a state is sharded over", "一份状态切分到多少个 rank"},
    {"sp", NULL, "sp", PLAN, 0, "sequence parallel on", "打开序列并行"},
    {"nosp", NULL, "nosp", PLAN, 0, "sequence parallel off", "关闭序列并行"},
    {"schedule", "KIND", "schedule=", PLAN, DTC_FIELD(plan, schedule), "pipeline schedule", "流水线调度"},
    {"mbs", "N", "mbs=", PLAN, 0, "sequences of a micro-batch", "micro-batch 的序列数"},
    {"gbs", "N", "gbs=", PLAN, 0, "sequences of an optimizer step", "一次优化器更新的序列数（全局 batch）"},
    {"accum", "N", "accum=", PLAN, 0, "micro-batches of an optimizer step", "梯度累积次数"},
    {"seq", "N", "seq=", PLAN | FOR_PIPELINE, 0, "sequence length, tokens", "序列长度（token）"},
    {"encoder-seq", "N", "encoder_seq=", PLAN, 0, "sequence length of an encoder, tokens", "编码器序列长度（token）"},
    {"recompute", "KIND", "recompute=", PLAN, DTC_FIELD(plan, recompute), "recomputation in backward", "重计算"},
    {"attention", "KIND", "attention=", PLAN, DTC_FIELD(plan, attention), "attention kernel", "注意力实现"},
    {"precision", "KIND", "precision=", SIZE, DTC_FIELD(plan, precision), "training precision", "训练精度"},
    {"grad", "KIND", "grad=", SIZE, DTC_FIELD(plan, grad_dtype), "type of the kept gradients", "保留的梯度类型"},
    {"optimizer", "KIND", "optimizer=", SIZE, DTC_FIELD(plan, optimizer), "optimizer", "优化器"},
    {"dropout", NULL, "dropout", PLAN, 0, "dropout on", "打开 dropout"},
    {"nodropout", NULL, "nodropout", PLAN, 0, "dropout off", "关闭 dropout"},
    {"vocab-multiple", "N", "vocab_multiple=", PLAN, 0, "pad the vocabulary to a multiple of this",
     "词表补齐到它的倍数"},
    {"first", "N", "first=", PLAN, 0, "of Megatron: layers of the first pipeline rank",
     "Megatron：首个流水线 rank 的层数"},
    {"last", "N", "last=", PLAN, 0, "of Megatron: layers of the last pipeline rank",
     "Megatron：末个流水线 rank 的层数"},
    {"account-embedding", NULL, "account_embedding", PLAN, 0, "of Megatron: the embedding counts as a layer",
     "Megatron：嵌入层计为一层"},
    {"account-loss", NULL, "account_loss", PLAN, 0, "of Megatron: head and loss count as a layer",
     "Megatron：输出头和损失计为一层"},
    {"group", "N", "group=", PLAN, 0, "of Megatron: micro-batches of a group when interleaved",
     "Megatron：交错调度每组的微批数"},
    {"p2p-overlap", NULL, "p2p_overlap", PLAN, 0, "of Megatron: pipeline messages overlap", "Megatron：流水线通信重叠"},
    {"nop2p-overlap", NULL, "nop2p_overlap", PLAN, 0, "of Megatron: they do not", "Megatron：流水线通信不重叠"},
    {"moe-overlap", NULL, "moe_overlap", PLAN, 0, "of Megatron: expert messages overlap", "Megatron：专家通信重叠"},
    {"tp-overlap", NULL, "tp_overlap", PLAN, 0, "time: tensor parallel messages overlap", "时间：张量并行通信重叠"},
    {"grad-overlap", NULL, "grad_overlap", PLAN, 0, "time: gradients are reduced while backward runs",
     "时间：反向过程中归约梯度"},
    {"nograd-overlap", NULL, "nograd_overlap", PLAN, 0, "time: they are reduced behind it", "时间：反向之后归约梯度"},
    {"param-overlap", NULL, "param_overlap", PLAN, 0, "time, of Megatron: weights are gathered while forward runs",
     "时间，Megatron：前向过程中聚合权重"},
    {"flash-version", "N", "flash_version=", PLAN, 0, "time: generation of the flash attention kernel",
     "时间：flash attention 内核的代次"},
    {"cuda-graph", "KIND", "cuda_graph=", PLAN, DTC_FIELD(plan, cuda_graph),
     "time, of Megatron: what runs as CUDA graphs", "时间，Megatron：以 CUDA graph 运行的部分"},
    {"fp8-recipe", "KIND", "fp8_recipe=", PLAN, DTC_FIELD(plan, fp8_recipe), "time: what a scale to fp8 is for",
     "时间：fp8 缩放系数的粒度"},
    {"packed", "N", "packed=", PLAN, 0, "time: mean length of the sequences that --seq tokens are packed of",
     "时间：打包成 --seq 个 token 的各序列的平均长度"},
};
const size_t option_count = sizeof options / sizeof *options;

/* What stands behind the dashes, one or two; NULL when the word is no option, as the size "-7B" is not. */
static const char *option_name(const char *word)
{
  if (word[0] != '-' || word[1] == 0 || text_is_size(word))
    return NULL;
  return strcmp(word, "-h") == 0 ? "help" : word + (word[1] == '-' ? 2 : 1);
}

void args_scan(int argc, char **argv, cli *c)
{
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *name = option_name(argv[i]);
    if (name == NULL)
      continue;
    c->json = c->json || strcmp(name, "json") == 0;
    if (strcmp(name, "lang=zh") == 0 || (strcmp(name, "lang") == 0 && i + 1 < argc && strcmp(argv[i + 1], "zh") == 0))
      c->lang = DTC_LANG_ZH;
  }
}

/* "12" and "-1", in range or not. */
static bool is_number(const char *s)
{
  s += *s == '-';
  return *s != 0 && s[strspn(s, "0123456789")] == 0;
}

int args_number(const cli *c, const args *a, option_id id, uint64_t least, uint64_t otherwise, uint64_t *n)
{
  const uint64_t most = (uint64_t)1 << 32;
  const char *value = a->value[id];
  *n = otherwise;
  if (value == NULL || (text_read_u64(value, n) && *n >= least && *n <= most))
    return 0;
  if (is_number(value))
    return fail(c, MSG_COUNT_RANGE, options[id].name, value, text_u64(least).s, text_u64(most).s);
  return fail(c, MSG_BAD_VALUE, options[id].name, value, options[id].value);
}

static void add_other(const cli *c, size_t index, uint32_t groups, char *out, size_t cap)
{
  char name[64];
  snprintf(name, sizeof name, "--%s", options[index].name);
  if ((options[index].groups & (groups | FOR_ALL)) == 0)
    list_add(c, out, cap, name);
}

void args_others(const cli *c, const args *a, uint32_t groups, char *out, size_t cap)
{
  *out = 0;
  for (size_t i = 0; i < OPT_WORDS; i++) {
    if (a->value[i] != NULL)
      add_other(c, i, groups, out, cap);
  }
  for (size_t i = 0; i < a->word_count; i++)
    add_other(c, a->words[i].option, groups, out, cap);
}

/* Is s[0..n) the name? Dashes and underscores inside do not matter: --microbatches, --micro_batches. */
static bool is_named(const char *name, const char *s, size_t n)
{
  size_t i = 0;
  for (;; name++) {
    while (i < n && i > 0 && (s[i] == '-' || s[i] == '_'))
      i++;
    if (*name == '-')
      continue;
    if (*name == 0 || i == n || *name != s[i++])
      return *name == 0 && i == n;
  }
}

/* Index of the option whose name is s[0..n), one of these groups when several have it; option_count when none has. */
static size_t find_option(const char *s, size_t n, uint32_t groups)
{
  size_t found = option_count;
  for (size_t i = 0; i < option_count; i++) {
    bool named = is_named(options[i].name, s, n);
    if (named && (options[i].groups & (groups | FOR_ALL)) != 0)
      return i;
    if (named && found == option_count)
      found = i;
  }
  return found;
}

bool args_is_option(const char *word, bool *takes_next)
{
  const char *name = option_name(word);
  *takes_next = name != NULL && strchr(name, '=') == NULL;
  for (size_t i = 0; name != NULL && i < option_count; i++)
    *takes_next = *takes_next && (options[i].value != NULL || !is_named(options[i].name, name, strlen(name)));
  return name != NULL;
}

/* `word` is what was typed, `name` what of it stands behind the dashes. The nearest name is one that the command knows;
 * without a command any will do. */
static int unknown_option(const cli *c, const char *word, const char *name, uint32_t groups)
{
  const char *names[sizeof options / sizeof *options];
  char asked[64];
  size_t count = 0;
  snprintf(asked, sizeof asked, "%.*s", (int)strcspn(name, "="), name);
  for (size_t i = 0; i < option_count; i++) {
    if (groups == 0 || (options[i].groups & (groups | FOR_ALL)) != 0)
      names[count++] = options[i].name;
  }
  return fail(c, MSG_UNKNOWN_OPTION, word, names[nearest_name(asked, names, count)]);
}

/* One word of the plan text; blanks, ';' and control characters would end it early. */
static int add_word(const cli *c, args *a, size_t option_index, const char *value)
{
  const option *o = &options[option_index];
  plan_word *w = &a->words[a->word_count];
  size_t room = sizeof a->plan - a->plan_len;
  bool clean = o->value == NULL || *value != 0;
  for (const char *p = value; *p != 0; p++)
    clean = clean && (unsigned char)*p > ' ' && *p != ';' && *p != '=';
  if (!clean)
    return fail(c, MSG_BAD_VALUE, o->name, value, o->value);
  int n = snprintf(a->plan + a->plan_len, room, "%s%s%s", a->plan_len == 0 ? "" : " ", o->word, value);
  if (n < 0 || (size_t)n >= room || a->word_count == MAX_WORDS)
    return fail(c, MSG_TOO_LONG);
  w->start = a->plan_len + (a->plan_len == 0 ? 0 : 1);
  w->option = option_index;
  snprintf(w->shown, sizeof w->shown, *value == 0 ? "--%s" : "--%s %s", o->name, value);
  a->plan_len += (size_t)n;
  a->word_count++;
  return 0;
}

static int set_option(const cli *c, args *a, size_t i, const char *value)
{
  const option *o = &options[i];
  if (i >= OPT_WORDS)
    return add_word(c, a, i, value);
  if (a->value[i] != NULL && o->value != NULL)
    return fail(c, MSG_TWICE, o->name);
  if (i == OPT_LANG && strcmp(value, "en") != 0 && strcmp(value, "zh") != 0)
    return fail(c, MSG_BAD_VALUE, o->name, value, o->value);
  a->value[i] = value;
  return 0;
}

/* --name value, --name=value, --name. Gives how many more words it took, or -1. */
static int read_option(const cli *c, args *a, uint32_t groups, const char *word, const char *next)
{
  const char *name = option_name(word);
  const char *equals = strchr(name, '=');
  size_t i = find_option(name, equals != NULL ? (size_t)(equals - name) : strlen(name), groups);
  if (i == option_count)
    return unknown_option(c, word, name, groups), -1;
  if (options[i].value == NULL) {
    if (equals != NULL)
      return fail(c, MSG_NO_VALUE, options[i].name), -1;
    return set_option(c, a, i, "") == 0 ? 0 : -1;
  }
  if (equals != NULL)
    return set_option(c, a, i, equals + 1) == 0 ? 0 : -1;
  if (next == NULL || strncmp(next, "--", 2) == 0)
    return fail(c, MSG_NEEDS_VALUE, options[i].name, options[i].value), -1;
  return set_option(c, a, i, next) == 0 ? 1 : -1;
}

int args_read(const cli *c, int argc, char **argv, uint32_t groups, args *out)
{
  memset(out, 0, sizeof *out);
  bool words_only = false; /* behind "--" */
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (!words_only && strcmp(word, "--") == 0) {
      words_only = true;
    } else if (!words_only && option_name(word) != NULL) {
      int more = read_option(c, out, groups, word, i + 1 < argc ? argv[i + 1] : NULL);
      if (more < 0)
        return EXIT_BAD_INPUT;
      i += more;
    } else if (out->command == NULL) {
      out->command = word;
    } else if (out->operand == NULL && !(words_only && (groups & FOR_LAUNCH) != 0)) {
      out->operand = word;
    } else if ((groups & (FOR_LINT | FOR_FRAMEWORKS)) != 0 || (words_only && (groups & FOR_LAUNCH) != 0) ||
               ((groups & (FOR_COLLECTIVE | FOR_EXPLAIN)) != 0 && out->more_count == 0)) {
      out->more = grow(out->more, (out->more_count + 1) * sizeof *out->more);
      out->more[out->more_count++] = word;
    } else {
      return fail(c, MSG_EXTRA_WORD, word);
    }
  }
  return 0;
}
