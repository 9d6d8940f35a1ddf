/* DeepSpeed's hostfile and the flags of its launcher: launcher/runner.py and multinode_runner.py, 0.19.6 (edaa7221) and
 * 0.19.8. From 0.15.2 to 0.19.7 the hosts are narrowed to --include before --include is held against them. */
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_HOSTFILE, key)

enum {
  WORLD = DTCI_KEY_WORLD,
  NODES = DTCI_KEY_NODES,
  SLOTS = DTCI_HOSTS_SLOTS,
  COUNT = DTCI_HOSTS_COUNT,
  INCLUDE = DTCI_HOSTS_INCLUDE,
  EXCLUDE = DTCI_HOSTS_EXCLUDE,
  NUM_NODES = DTCI_HOSTS_FIRST,
  NUM_GPUS,
  LAUNCHER,
  NO_SSH,
  NODE_RANK,
};

enum { LAUNCHERS = 1 };
enum { SLURM = 1 };

static const dtci_word words[] = {
    {LAUNCHERS, 0, 0, "pdsh"},    {LAUNCHERS, SLURM, 0, "slurm"}, {LAUNCHERS, 2, 0, "openmpi"},
    {LAUNCHERS, 3, 0, "mvapich"}, {LAUNCHERS, 4, 0, "mpich"},     {LAUNCHERS, 5, 0, "impi"},
    {LAUNCHERS, 6, 0, "jsrun"},
};

#define INTEGER .kind = DTCI_KEY_INTEGER
#define FLAG .kind = DTCI_KEY_FLAG
#define FREE .kind = DTCI_KEY_TEXT
#define ALIAS(of) .kind = DTCI_KEY_ALIAS, .to = (of)

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [SLOTS] = {"slots", .kind = DTCI_KEY_WORKED},
    [COUNT] = {"hosts", .kind = DTCI_KEY_WORKED},
    [INCLUDE] = {"--include", FREE},
    [EXCLUDE] = {"--exclude", FREE},
    [NUM_NODES] = {"--num_nodes", FREE},
    [NUM_GPUS] = {"--num_gpus", INTEGER},
    [LAUNCHER] = {"--launcher", .kind = DTCI_KEY_WORD, .words = LAUNCHERS, .flags = DTCI_NO_CASE},
    [NO_SSH] = {"--no_ssh", FLAG},
    [NODE_RANK] = {"--node_rank", INTEGER},
    {"-i", ALIAS(INCLUDE)},
    {"-e", ALIAS(EXCLUDE)},
    {"--num_accelerators", ALIAS(NUM_GPUS)},
    {"--hostfile", FREE},
    {"-H", FREE},
    {"--min_elastic_nodes", INTEGER},
    {"--max_elastic_nodes", INTEGER},
    {"--master_port", INTEGER, .min.i = 0, .max.i = 65535},
    {"--master_addr", FREE},
    {"--launcher_args", FREE},
    {"--module", FLAG},
    {"--no_python", FLAG},
    {"--no_local_rank", FLAG},
    {"--no_ssh_check", FLAG},
    {"--force_multi", FLAG},
    {"--save_pid", FLAG},
    {"--enable_each_rank_log", FREE},
    {"--autotuning", FREE},
    {"--comment", FREE},
    {"--account", FREE},
    {"--elastic_training", FLAG},
    {"--bind_cores_to_rank", FLAG},
    {"--bind_core_list", FREE},
    {"--ssh_port", INTEGER, .min.i = 0, .max.i = 65535},
    {"--venv_script", FREE},
    {"--log_level", FREE},
    {"--quiet", FLAG},
    {"-q", FLAG},
};

static const dtci_step steps[] = {
    {.key = K(NODES), .op = DTCI_STEP_PRODUCT, .left = {K(COUNT)}},
};

#define ERROR(of) .status = DTC_E_##of, .severity = DTC_SEVERITY_ERROR
#define WARNING(of) .status = DTC_E_##of, .severity = DTC_SEVERITY_WARNING
#define TOLD(id) .rule = DTC_RULE_HOSTS_##id, .hook = DTCI_TEXT
#define NARROWED .since = 15002, .until = 19008

#define NUM(key, filter)                                                                                               \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_HOSTS_NUM,                                                                                      \
      ERROR(CONFLICT),                                                                                                 \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_GIVEN(K(key)), DTCI_WHEN_GIVEN(K(filter))},                                                   \
      .en = "hosts and slots are named in one way",                                                                    \
      .zh = "主机与 slot 只能用一种方式指定"                                                               \
    }                                                                                                                  \
  }
#define NO_SLURM(filter)                                                                                               \
  {                                                                                                                    \
    .until = 19008, .row = {                                                                                           \
      .rule = DTC_RULE_HOSTS_SLURM,                                                                                    \
      ERROR(UNSUPPORTED),                                                                                              \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(LAUNCHER),                                                                                              \
      .when = {DTCI_WHEN_IS(K(LAUNCHER), SLURM), DTCI_WHEN_GIVEN(K(filter))},                                          \
      .en = "it is passed on to srun, which reads it otherwise or not at all; -n stays that of the whole hostfile",    \
      .zh = "它会原样传给 srun，srun 不认识或含义不同；-n 仍为整个 hostfile 的 slot 总数"       \
    }                                                                                                                  \
  }

static const dtci_setting_rule rules[] = {
    {.row = {TOLD(BOTH), ERROR(CONFLICT), .en = "byte {offset}: --include and --exclude do not go together",
             .zh = "第 {offset} 字节：--include 与 --exclude 不能同时使用"}},
    {.row = {TOLD(FILTER), ERROR(PARSE), .en = "byte {offset}: not of the form host or host:0,1, with @ between hosts",
             .zh = "第 {offset} 字节：格式应为 host 或 host:0,1，主机之间用 @ 分隔"}},
    {.row = {TOLD(UNKNOWN), ERROR(UNKNOWN), .en = "byte {offset}: this host is not in the hostfile",
             .zh = "第 {offset} 字节：该主机不在 hostfile 中"}},
    {.row = {TOLD(SLOT), ERROR(RANGE), .en = "byte {offset}: this host has {max} slots, counted from 0",
             .zh = "第 {offset} 字节：该主机有 {max} 个 slot，从 0 开始编号"}},
    {NARROWED, .row = {TOLD(UNCHECKED), WARNING(RANGE),
                       .en = "byte {offset}: this host has {max} slots, counted from 0; this version does not look",
                       .zh = "第 {offset} 字节：该主机有 {max} 个 slot，从 0 开始编号；此版本不会检查"}},
    {NARROWED,
     .row = {TOLD(DROPPED), WARNING(CONFLICT),
             .en = "byte {offset}: a host without slots is left out, silently, from 0.15.2 to 0.19.7; name them",
             .zh = "第 {offset} 字节：0.15.2 至 0.19.7 会不声不响地丢弃未写 slot 的主机；请写明 slot"}},
    {.row = {TOLD(NOTHING), WARNING(CONFLICT), .en = "byte {offset}: no host is left, the launcher then fails",
             .zh = "第 {offset} 字节：没有剩余主机，启动器随后会失败"}},
    {.row = {TOLD(JUNK), WARNING(PARSE), .en = "byte {offset}: what stands behind the slots is ignored",
             .zh = "第 {offset} 字节：slots 之后的内容会被忽略"}},
    {.row = {TOLD(LOCAL), WARNING(DIVIDE),
             .en = "byte {offset}: LOCAL_RANK, the global rank modulo slots, does not begin with 0 on this host",
             .zh = "第 {offset} 字节：LOCAL_RANK 为全局 rank 对 slots 取模，在该主机上不从 0 开始"}},
    NUM(NUM_NODES, INCLUDE),
    NUM(NUM_NODES, EXCLUDE),
    NUM(NUM_GPUS, INCLUDE),
    NUM(NUM_GPUS, EXCLUDE),
    NO_SLURM(INCLUDE),
    NO_SLURM(EXCLUDE),
    {.row = {.rule = DTC_RULE_HOSTS_RANK,
             ERROR(CONFLICT),
             .hook = DTCI_NEEDS,
             .fix = K(NO_SSH),
             .need = DTCI_WHEN_GIVEN(K(NODE_RANK)),
             .when = {DTCI_WHEN_IS(K(NO_SSH), 1)},
             .en = "each host starts its own launcher, with its own rank",
             .zh = "每台主机各自启动启动器，并给出自己的 rank"}},
    {.more = {DTCI_WHEN_NOT_GIVEN(K(NUM_NODES)), DTCI_WHEN_NOT_GIVEN(K(NUM_GPUS))},
     .row = {.rule = DTC_RULE_HOSTS_WORLD,
             WARNING(CONFLICT),
             .hook = DTCI_EQUALS,
             .fix = K(SLOTS),
             .left = {K(SLOTS)},
             .right = {K(WORLD)},
             .en = "the launcher starts one process for each slot",
             .zh = "启动器为每个 slot 启动一个进程"}},
};

void dtci_lint_hosts(dtci_dialect *d)
{
  d->number = DTC_DIALECT_HOSTFILE;
  d->form = DTCI_FORM_LINES;
  d->newest = 19008;
  d->unknown = DTCI_UNKNOWN_ERROR;
  d->twice = DTC_SEVERITY_WARNING;
  d->keys = keys;
  d->keys_count = sizeof keys / sizeof keys[0];
  d->words = words;
  d->words_count = sizeof words / sizeof words[0];
  d->steps = steps;
  d->steps_count = sizeof steps / sizeof steps[0];
  d->rules = rules;
  d->rules_count = sizeof rules / sizeof rules[0];
}
