/* The command line: one table of options, read into `args`. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli.h"

typedef enum option_id {
  OPT_HELP,
  OPT_VERSION,
  OPT_JSON,
  OPT_LANG,
  OPT_GPU,
  OPT_CLUSTER,
  OPT_NODES,
  OPT_GPUS,
  OPT_GPUS_PER_NODE,
  OPT_POWER,
  OPT_HOST_BANDWIDTH,
  OPT_NVME_BANDWIDTH,
  OPT_STORAGE_BANDWIDTH,
  OPT_MTBF,
  OPT_PRICE,
  OPT_ACTIVATIONS,
  OPT_PLAN,
  OPT_ESTIMATOR,
  OPT_BUFFER,
  OPT_LARGEST_LAYER,
  OPT_SCHEME,
  OPT_WORLD,
  OPT_DP_REPLICATE,
  OPT_GTP_REMAT,
  OPT_EGTP_REMAT,
  OPT_INSTANCES,
  OPT_TP_DEPTH,
  OPT_ORDER,
  OPT_CP_LEVELS,
  OPT_HYBRID_CP,
  OPT_OFFSET,
  OPT_RANK,
  OPT_GROUPS,
  OPT_LIMIT,
  OPT_MAP,
  OPT_COLOR,
  OPT_LABEL,
  OPT_SVG,
  OPT_DOMAIN,
  OPT_INSIDE,
  OPT_LEAVES,
  OPT_LAUNCHER,
  OPT_DIST,
  OPT_MAP_BY,
  OPT_HOSTS,
  OPT_HOSTFILE,
  OPT_WRITE_HOSTFILE,
  OPT_SHARD_SCHEME,
  OPT_SHARD_WORLD,
  OPT_DTYPE,
  OPT_REPLICAS,
  OPT_STAGE,
  OPT_BUCKET,
  OPT_FIRST_BUCKET,
  OPT_SUB_GROUP,
  OPT_PERSISTENCE,
  OPT_HPZ,
  OPT_MIN_CHUNK,
  OPT_SEARCH_RANGE,
  OPT_INTERVAL,
  OPT_ROUND_ROBIN,
  OPT_MULTI_RANK,
  OPT_REDUCE_SCATTER,
  OPT_ORIG_PARAMS,
  OPT_HIGH_BUSBW,
  OPT_FIRST_STEP,
  OPT_KEEP_LARGE,
  OPT_SHAPES,
  OPT_LAYER,
  OPT_SHARD_RANK,
  OPT_TENSOR,
  OPT_ELEMENT,
  OPT_BUCKETS,
  OPT_REDUCTIONS,
  OPT_GATHERS,
  OPT_SUB_GROUPS,
  OPT_TRACE,
  OPT_SHARD_STEP,
  OPT_COMPARE,
  OPT_MICRO_BATCHES,
  OPT_OFFLOAD,
  OPT_SHARD_OPTIMIZER,
  OPT_OPTIMIZER_LIBRARY,
  OPT_OPTIMIZER_KERNEL,
  OPT_OPTIMIZER_FORMAT,
  OPT_AMSGRAD,
  OPT_CAPTURABLE,
  OPT_PREFETCH,
  OPT_MAX_LIVE,
  OPT_MAX_REUSE,
  OPT_CHECKPOINTING,
  OPT_FROM,
  OPT_TO,
  OPT_FORM,
  OPT_BANDWIDTH,
  OPT_SHARD_LIMIT,
  OPT_SHARD_MAP,
  OPT_PIPE_SCHEDULE,
  OPT_PIPE_MICRO_BATCHES,
  OPT_GROUP,
  OPT_MOE_OVERLAP,
  OPT_FORWARD_ONLY,
  OPT_FORWARD,
  OPT_BACKWARD,
  OPT_INPUT,
  OPT_WEIGHT,
  OPT_SCALE,
  OPT_LATENCY,
  OPT_TRANSFER,
  OPT_BLOCKING,
  OPT_PIPE_LIMIT,
  OPT_PIPE_SVG,
  OPT_PIPE_TRACE,
  OPT_PIPE_ORDER,
  OPT_STEPS,
  OPT_SPLIT,
  OPT_LAYERS,
  OPT_MTP_LAYERS,
  OPT_FIRST,
  OPT_LAST,
  OPT_ACCOUNT_EMBEDDING,
  OPT_ACCOUNT_LOSS,
  OPT_PIPE_LAYOUT,
  OPT_WEIGHTS,
  OPT_TYPE,
  OPT_FIRST_LESS,
  OPT_LAST_LESS,
  OPT_PER_STAGE,
  OPT_DIALECT,
  OPT_COMPUTE,
  OPT_HCA,
  OPT_DEVICES,
  OPT_COLL_GPUS,
  OPT_COLL_NODES,
  OPT_PER_NODE,
  OPT_COLL_GROUPS,
  OPT_STYLE,
  OPT_FABRIC,
  OPT_NCCL,
  OPT_TUNED,
  OPT_TWO_LEVEL,
  OPT_NO_NVLS,
  OPT_CURVE,
  OPT_CURVE_SVG,
  OPT_JUDGE,
  OPT_FIT,
  OPT_TUNER,
  OPT_SYSTEM,
  OPT_TRAINED,
  OPT_MOMENTS,
  OPT_EXPLAIN,
  OPT_MEMORY_STAGE,
  OPT_MEMORY_SVG,
  OPT_TOKENS,
  OPT_SECONDS,
  OPT_STEP_EXPLAIN,
  OPT_SIMULATE,
  OPT_FLOPS,
  OPT_SOFTWARE,
  OPT_SOFTWARES,
  OPT_MEASURED,
  OPT_STEP_NCCL,
  OPT_NCCL_OP,
  OPT_NCCL_GPUS,
  OPT_CHECKPOINT_WRITE,
  OPT_RESTART,
  OPT_RUN_INTERVAL,
  OPT_PUE,
  OPT_STEP_SVG,
  OPT_OBJECTIVE,
  OPT_TOP,
  OPT_GPUS_LEAST,
  OPT_TP_MOST,
  OPT_CP_MOST,
  OPT_EP_MOST,
  OPT_PP_MOST,
  OPT_VPP_MOST,
  OPT_MBS_MOST,
  OPT_SHARDINGS,
  OPT_RECOMPUTES,
  OPT_SCHEDULES,
  OPT_OFFLOADS,
  OPT_RECOMPUTE_LAYERS,
  OPT_DP_SPLIT,
  OPT_SURELY,
  OPT_RESERVE,
  OPT_RANGE,
  OPT_SPACE,
  OPT_TARGET,
  OPT_SCRIPT,
  OPT_MODULE,
  OPT_LAUNCH_HOSTS,
  OPT_PORT,
  OPT_NODE,
  OPT_FSDP,
  OPT_ARGUMENTS,
  OPT_TRANSFORMERS,
  OPT_WRITE,
  OPT_MARKDOWN,
  OPT_GOAL,
  OPT_CODE,
  OPT_WORK,
  OPT_VENDOR,
  OPT_IN_USE,
  OPT_HIDDEN,
  OPT_ETHERNET,
  OPT_WORDS, /* from here on: a word of the plan text each */
} option_id;

/* Who knows an option: every command, those with a plan, `fit`, those with a layout of ranks, `ranks`, `place`,
 * those with a sharding, `shard`, `reshard`, `pipeline`, `lint`, `collective`, `memory`, those that time a step or a run, `plan`, `launch`;
 * and whether a bare size can use it. */
enum {
  FOR_ALL = 1,
  FOR_PLANS = 2,
  FOR_FIT = 4,
  FOR_SIZES = 8,
  FOR_LAYOUTS = 16,
  FOR_RANKS = 32,
  FOR_PLACE = 64,
  FOR_SHARDS = 128,
  FOR_SHARD = 256,
  FOR_RESHARD = 512,
  FOR_PIPELINE = 1024,
  FOR_LINT = 2048,       /* takes several operands */
  FOR_COLLECTIVE = 4096, /* takes two */
  FOR_MEMORY = 8192,
  FOR_STEP = 16384,
  FOR_SEARCH = 32768,
  FOR_EXPLAIN = 65536,     /* takes two operands */
  FOR_LAUNCH = 131072,     /* takes the words behind -- */
  FOR_FRAMEWORKS = 262144, /* takes several operands */
  FOR_ADVISE = 524288,
  FOR_CHECK = 1048576
};

typedef struct option {
  const char *name;  /* without "--" */
  const char *value; /* what stands behind it, for help; NULL when nothing does */
  const char *word;  /* word of the plan text it stands for; "tp=" is followed by the value */
  uint32_t groups;   /* FOR_ALL and its siblings */
  uint32_t field;    /* that it sets, of an enum, whose values close the help, and of dtc_shards; else 0 */
  const char *en;
  const char *zh;
} option;

extern const option options[];
extern const size_t option_count;

/* A word that an option gave to the plan text. */
typedef struct plan_word {
  size_t start;   /* byte offset in the text */
  size_t option;  /* index into options */
  char shown[96]; /* "--tp 7", for messages */
} plan_word;

enum { MAX_WORDS = 64, MAX_PLAN = 4096 };

typedef struct args {
  const char *command; /* first word that is no option; NULL when there is none */
  const char *operand; /* second one; NULL when there is none */
  const char **more;   /* those behind it, where a command takes several */
  size_t more_count;
  const char *value[OPT_WORDS]; /* NULL when not given; "" for an option without a value */
  char plan[MAX_PLAN];          /* plan words of the options, in the order given */
  size_t plan_len;
  plan_word words[MAX_WORDS];
  size_t word_count;
} args;

/* Reads the command line. Two commands may use a name for different options, as `ranks` and `shard` do with --rank: the
 * one of these groups is meant. 0, or EXIT_BAD_INPUT with the reason printed. */
int args_read(const cli *c, int argc, char **argv, uint32_t groups, args *out);

/* Whether the word is an option, and one that takes the next word as its value, whichever command it belongs to. */
bool args_is_option(const char *word, bool *takes_next);

/* The number that an option gives, [least, 2^32]; `otherwise` when it is not given. 0, or EXIT_BAD_INPUT. */
int args_number(const cli *c, const args *a, option_id id, uint64_t least, uint64_t otherwise, uint64_t *n);

/* Options given that belong to none of the groups, "--tp, --seq"; "" when there are none. */
void args_others(const cli *c, const args *a, uint32_t groups, char *out, size_t cap);

/* --lang and --json, which decide how an error in the rest is told. */
void args_scan(int argc, char **argv, cli *c);

#endif
