/* Slurm's sbatch, srun and salloc: #SBATCH lines of a script and command lines.
 * Sources: the man pages of 22.05.8, src/common/slurm_opt.c for what came later up to 26.05, and the flags of the pyxis
 * plugin; flags of other SPANK plugins are not known here. What programs behind srun do with tasks and GPUs: torchrun's and
 * accelerate's launchers start the processes of a node themselves, python is started once for each task. */
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_SLURM, key)

enum {
  WORLD = DTCI_KEY_WORLD,
  NODES = DTCI_KEY_NODES,
  COUNT = DTCI_KEY_FIRST, /* nodes, 1 when they are open */
  PER_NODE,               /* tasks of a node */
  TASKS,                  /* tasks */
  GPUS,                   /* GPUs of a node */
  PROCESSES,              /* that a launcher starts on a node */
  BEHIND,                 /* what srun starts */
  ALONE,                  /* what the script starts by itself */
  O_NODES,
  O_NTASKS,
  O_PER_NODE,
  O_GPUS,
  O_GPUS_NODE,
  O_GPUS_TASK,
  O_GRES,
  NPROC,
  NUM_PROCESSES,
  VISIBLE,
};

enum { PROGRAMS = 1, COUNTS };
enum { TORCHRUN = 1, ACCELERATE, DEEPSPEED, PYTHON };

static const dtci_word words[] = {
    {PROGRAMS, TORCHRUN, 0, "torchrun"},
    {PROGRAMS, TORCHRUN, 0, "torch.distributed.run"},
    {PROGRAMS, TORCHRUN, 0, "torch.distributed.launch"},
    {PROGRAMS, ACCELERATE, 0, "accelerate"},
    {PROGRAMS, DEEPSPEED, 0, "deepspeed"},
    {PROGRAMS, PYTHON, 0, "python"},
    {PROGRAMS, PYTHON, 0, "python3"},
    {COUNTS, 0, 0, "gpu"},
    {COUNTS, 1, 0, "auto"},
    {COUNTS, 2, 0, "cpu"},
    {COUNTS, 3, 0, "xpu"},

};

/* ---- keys ------------------------------------------------------------------------------------ */

#define COUNTED .kind = DTCI_KEY_INTEGER, .min.i = 1, .max.i = 1 << 24
#define TEXT(what) .kind = DTCI_KEY_TEXT, .list = DTCI_TEXT_##what
#define PROGRAM .kind = DTCI_KEY_WORD, .words = PROGRAMS
#define ALIAS(of) .kind = DTCI_KEY_ALIAS, .to = (of)
#define FREE .kind = DTCI_KEY_ANY
#define INSIDE .kind = DTCI_KEY_ANY, .args = DTCI_ARGS_INSIDE
#define FLAG .kind = DTCI_KEY_FLAG

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [COUNT] = {"nodes of the job", .kind = DTCI_KEY_WORKED},
    [PER_NODE] = {"tasks of a node", .kind = DTCI_KEY_WORKED},
    [TASKS] = {"tasks", .kind = DTCI_KEY_WORKED},
    [GPUS] = {"GPUs of a node", .kind = DTCI_KEY_WORKED},
    [PROCESSES] = {"processes of a node", .kind = DTCI_KEY_WORKED},
    [BEHIND] = {"what srun starts", PROGRAM},
    [ALONE] = {"what the script starts", PROGRAM},
    [O_NODES] = {"--nodes", TEXT(NODES)},
    [O_NTASKS] = {"--ntasks", COUNTED},
    [O_PER_NODE] = {"--ntasks-per-node", COUNTED},
    [O_GPUS] = {"--gpus", TEXT(GPUS)},
    [O_GPUS_NODE] = {"--gpus-per-node", TEXT(GPUS)},
    [O_GPUS_TASK] = {"--gpus-per-task", TEXT(GPUS)},
    [O_GRES] = {"--gres", TEXT(GRES)},
    [NPROC] = {"--nproc-per-node", COUNTED, .words = COUNTS, .flags = DTCI_BEHIND},
    [NUM_PROCESSES] = {"--num_processes", COUNTED, .flags = DTCI_BEHIND},
    [VISIBLE] = {"CUDA_VISIBLE_DEVICES", TEXT(LENGTH)},
    {"-N", ALIAS(O_NODES)},
    {"-n", ALIAS(O_NTASKS)},
    {"-G", ALIAS(O_GPUS)},
    {"--nproc_per_node", ALIAS(NPROC), .flags = DTCI_BEHIND},
    {"--num-processes", ALIAS(NUM_PROCESSES), .flags = DTCI_BEHIND},
    {"--cpus-per-task", COUNTED},
    {"-c", COUNTED},
    {"--ntasks-per-gpu", COUNTED},
    {"--gpus-per-socket", TEXT(GPUS)},
    {"--wait", INSIDE}, /* sbatch's is a flag, srun's takes seconds */
    {"-W", INSIDE},
    {"--accel-bind", FREE},
    {"--account", FREE},
    {"--acctg-freq", FREE},
    {"--array", FREE},
    {"--batch", FREE},
    {"--bb", FREE},
    {"--bbf", FREE},
    {"--bcast", INSIDE},
    {"--bcast-exclude", FREE},
    {"--begin", FREE},
    {"--bell", FLAG},
    {"--chdir", FREE},
    {"--cluster-constraint", FREE},
    {"--clusters", FREE},
    {"--comment", FREE},
    {"--compress", INSIDE},
    {"--consolidate-segments", FLAG},
    {"--constraint", FREE},
    {"--container", FREE},
    {"--container-entrypoint", FLAG},
    {"--container-env", FREE},
    {"--container-id", FREE},
    {"--container-image", FREE},
    {"--container-mount-home", FLAG},
    {"--container-mounts", FREE},
    {"--container-name", FREE},
    {"--container-readonly", FLAG},
    {"--container-remap-root", FLAG},
    {"--container-save", FREE},
    {"--container-workdir", FREE},
    {"--container-writable", FLAG},
    {"--contiguous", FLAG},
    {"--core-spec", FREE},
    {"--cores-per-socket", FREE},
    {"--cpu-bind", FREE},
    {"--cpu-freq", FREE},
    {"--cpus-per-gpu", FREE},
    {"--deadline", FREE},
    {"--delay-boot", FREE},
    {"--dependency", FREE},
    {"--disable-status", FLAG},
    {"--distribution", FREE},
    {"--epilog", FREE},
    {"--error", FREE},
    {"--exact", FLAG},
    {"--exclude", FREE},
    {"--exclusive", INSIDE},
    {"--export", FREE},
    {"--export-file", FREE},
    {"--external", FLAG},
    {"--extra", FREE},
    {"--extra-node-info", FREE},
    {"--get-user-env", INSIDE},
    {"--gid", FREE},
    {"--gpu-bind", FREE},
    {"--gpu-freq", FREE},
    {"--gres-flags", FREE},
    {"--help", FLAG},
    {"--het-group", FREE},
    {"--hint", FREE},
    {"--hold", FLAG},
    {"--ignore-pbs", FLAG},
    {"--immediate", INSIDE},
    {"--input", FREE},
    {"--interactive", FLAG},
    {"--job-name", FREE},
    {"--jobid", FREE},
    {"--kill-command", INSIDE},
    {"--kill-on-bad-exit", INSIDE},
    {"--kill-on-invalid-dep", FREE},
    {"--label", FLAG},
    {"--licenses", FREE},
    {"--mail-type", FREE},
    {"--mail-user", FREE},
    {"--mcs-label", FREE},
    {"--mem", FREE},
    {"--mem-bind", FREE},
    {"--mem-per-cpu", FREE},
    {"--mem-per-gpu", FREE},
    {"--mincpus", FREE},
    {"--mpi", FREE},
    {"--msg-timeout", FREE},
    {"--multi-prog", FLAG},
    {"--network", FREE},
    {"--nice", INSIDE},
    {"--no-allocate", FLAG},
    {"--no-bell", FLAG},
    {"--no-container-entrypoint", FLAG},
    {"--no-container-mount-home", FLAG},
    {"--no-container-remap-root", FLAG},
    {"--no-kill", INSIDE},
    {"--no-requeue", FLAG},
    {"--no-shell", FLAG},
    {"--nodefile", FREE},
    {"--nodelist", FREE},
    {"--ntasks-per-core", FREE},
    {"--ntasks-per-socket", FREE},
    {"--oom-kill-step", FREE},
    {"--open-mode", FREE},
    {"--output", FREE},
    {"--overcommit", FLAG},
    {"--overlap", FLAG},
    {"--oversubscribe", FLAG},
    {"--parsable", FLAG},
    {"--partition", FREE},
    {"--power", FREE},
    {"--prefer", FREE},
    {"--preserve-env", FLAG},
    {"--priority", FREE},
    {"--profile", FREE},
    {"--prolog", FREE},
    {"--propagate", INSIDE},
    {"--pty", INSIDE},
    {"--qos", FREE},
    {"--quiet", FLAG},
    {"--quit-on-interrupt", FLAG},
    {"--reboot", FLAG},
    {"--relative", FREE},
    {"--requeue", FLAG},
    {"--reservation", FREE},
    {"--resources", FREE},
    {"--resv-port", FREE},
    {"--resv-ports", INSIDE},
    {"--segment", FREE},
    {"--send-libs", FREE},
    {"--signal", FREE},
    {"--slurmd-debug", FREE},
    {"--sockets-per-node", FREE},
    {"--spread-job", FLAG},
    {"--spread-segments", FLAG},
    {"--stepmgr", FLAG},
    {"--switches", FREE},
    {"--task-epilog", FREE},
    {"--task-prolog", FREE},
    {"--test-only", FLAG},
    {"--thread-spec", FREE},
    {"--threads", FREE},
    {"--threads-per-core", FREE},
    {"--time", FREE},
    {"--time-min", FREE},
    {"--tmp", FREE},
    {"--tree-width", FREE},
    {"--tres-bind", FREE},
    {"--tres-per-task", FREE},
    {"--uid", FREE},
    {"--unbuffered", FLAG},
    {"--usage", FLAG},
    {"--use-min-nodes", FLAG},
    {"--verbose", FLAG},
    {"--version", FLAG},
    {"--wait-all-nodes", FREE},
    {"--wait-for-children", FLAG},
    {"--wckey", FREE},
    {"--wrap", FREE},
    {"--x11", INSIDE},
    {"-A", FREE},
    {"-B", FREE},
    {"-C", FREE},
    {"-D", FREE},
    {"-E", FLAG},
    {"-F", FREE},
    {"-H", FLAG},
    {"-I", INSIDE},
    {"-J", FREE},
    {"-K", INSIDE},
    {"-L", FREE},
    {"-M", FREE},
    {"-O", FLAG},
    {"-Q", FLAG},
    {"-S", FREE},
    {"-T", FREE},
    {"-V", FLAG},
    {"-X", FLAG},
    {"-Z", FLAG},
    {"-a", FREE},
    {"-b", FREE},
    {"-d", FREE},
    {"-e", FREE},
    {"-h", FLAG},
    {"-i", FREE},
    {"-k", INSIDE},
    {"-l", FLAG},
    {"-m", FREE},
    {"-o", FREE},
    {"-p", FREE},
    {"-q", FREE},
    {"-r", FREE},
    {"-s", FLAG},
    {"-t", FREE},
    {"-u", FLAG},
    {"-v", FLAG},
    {"-w", FREE},
    {"-x", FREE},
};

/* ---- steps ----------------------------------------------------------------------------------- */

#define PUT(to, value) .key = K(to), .op = DTCI_STEP_PUT, .constant = (value)
#define COPY(to, from) .key = K(to), .op = DTCI_STEP_PRODUCT, .left = {K(from)}

static const dtci_step steps[] = {
    {COPY(NODES, O_NODES)},
    {.key = K(COUNT), .op = DTCI_STEP_QUOTIENT, .left = {K(O_NTASKS)}, .right = {K(O_PER_NODE)}},
    {PUT(COUNT, 1), .when = {DTCI_WHEN_UNSET(K(COUNT))}},
    {.key = K(COUNT), .op = DTCI_STEP_MOST, .left = {K(COUNT)}, .constant = 1},
    {COPY(COUNT, NODES)},
    {.key = K(PER_NODE), .op = DTCI_STEP_QUOTIENT, .left = {K(O_NTASKS)}, .right = {K(COUNT)}},
    {PUT(PER_NODE, 1), .when = {DTCI_WHEN_UNSET(K(PER_NODE))}},
    {.key = K(PER_NODE), .op = DTCI_STEP_MOST, .left = {K(PER_NODE)}, .constant = 1},
    {COPY(PER_NODE, O_PER_NODE)},
    {.key = K(TASKS), .op = DTCI_STEP_PRODUCT, .left = {K(COUNT), K(PER_NODE)}},
    {COPY(TASKS, O_NTASKS)},
    {.key = K(GPUS), .op = DTCI_STEP_PRODUCT, .left = {K(O_GPUS_TASK), K(PER_NODE)}},
    {.key = K(GPUS), .op = DTCI_STEP_EXACT, .left = {K(O_GPUS)}, .right = {K(COUNT)}},
    {COPY(GPUS, O_GRES)},
    {COPY(GPUS, O_GPUS_NODE)},
    {.key = K(GPUS), .op = DTCI_STEP_CLEAR, .when = {DTCI_WHEN_IS(K(GPUS), 0)}},
    {COPY(PROCESSES, GPUS), .when = {DTCI_WHEN_IS(K(BEHIND), DEEPSPEED)}},
    {.key = K(PROCESSES), .op = DTCI_STEP_QUOTIENT, .left = {K(NUM_PROCESSES)}, .right = {K(COUNT)}},
    {COPY(PROCESSES, NPROC)},
};

/* ---- rules ----------------------------------------------------------------------------------- */

#define ERROR(of) .status = DTC_E_##of, .severity = DTC_SEVERITY_ERROR
#define WARNING(of) .status = DTC_E_##of, .severity = DTC_SEVERITY_WARNING
#define RULE(id, what) .rule = DTC_RULE_SBATCH_##id, .hook = DTCI_##what
#define LAUNCHES(key) DTCI_WHEN_BETWEEN(K(key), TORCHRUN, DEEPSPEED)

#define SQUARED(key, ...)                                                                                                         \
  {                                                                                                                               \
    .more = {LAUNCHES(BEHIND), DTCI_WHEN_AT_LEAST(K(PER_NODE), 2), __VA_ARGS__}, .row = {                                         \
      RULE(SQUARED, WHEN),                                                                                                        \
      ERROR(CONFLICT),                                                                                                            \
      .fix = K(key),                                                                                                              \
      .when = {DTCI_WHEN_GIVEN(K(key)), DTCI_WHEN_AT_LEAST(K(PROCESSES), 2)},                                                     \
      .en = "{field} = {got}: each task starts a launcher with {other_got} processes; one task of a node is enough",              \
      .zh = "{field} = {got}：每个任务都会启动一个带 {other_got} 个进程的启动器；每节点一个任务即可" \
    }                                                                                                                             \
  }
#define OWN_GPU(...)                                                                                                   \
  {                                                                                                                    \
    .more = {__VA_ARGS__}, .row = {                                                                                    \
      RULE(OWN_GPU, WHEN),                                                                                             \
      WARNING(CONFLICT),                                                                                               \
      .fix = K(O_GPUS_TASK),                                                                                           \
      .when = {DTCI_WHEN_AT_LEAST(K(O_GPUS_TASK), 1), DTCI_WHEN_AT_LEAST(K(TASKS), 2)},                                \
      .en = "{field} = {got}: a task sees its own GPUs only, from device 0 on, whatever its local rank",               \
      .zh = "{field} = {got}：任务只能看到自己的 GPU，从设备 0 起编号，与本地 rank 无关"        \
    }                                                                                                                  \
  }

static const dtci_setting_rule rules[] = {
    {.row = {RULE(TASKS, EQUALS), WARNING(CONFLICT), .fix = K(O_NTASKS), .left = {K(COUNT), K(O_PER_NODE)},
             .right = {K(O_NTASKS)}, .en = "--ntasks is what runs, --ntasks-per-node only bounds it",
             .zh = "实际运行数由 --ntasks 决定，--ntasks-per-node 只是上限"}},
    SQUARED(O_PER_NODE),
    SQUARED(O_NTASKS, DTCI_WHEN_NOT_GIVEN(K(O_PER_NODE))),
    {.more = {DTCI_WHEN_NOT_GIVEN(K(O_GPUS_TASK))},
     .row = {RULE(IDLE, AT_MOST), WARNING(CONFLICT), .fix = K(PER_NODE), .left = {K(GPUS)}, .right = {K(PER_NODE)},
             .when = {DTCI_WHEN_IS(K(BEHIND), PYTHON)},
             .en = "srun starts python once for each task: other GPUs are idle",
             .zh = "srun 为每个任务启动一次 python：其余 GPU 会空闲"}},
    OWN_GPU(DTCI_WHEN_UNSET(K(BEHIND))),
    OWN_GPU(DTCI_WHEN_IS(K(BEHIND), PYTHON)),
    {.row = {RULE(LATE, TEXT), WARNING(CONFLICT),
             .en = "byte {offset}: #SBATCH behind the first command does not count",
             .zh = "第 {offset} 字节：第一条命令之后的 #SBATCH 无效"}},
    {.row = {RULE(BLANK, TEXT), WARNING(PARSE),
             .en = "byte {offset}: with a blank behind its # this is a comment, not #SBATCH",
             .zh = "第 {offset} 字节：# 后有空格，这是注释而不是 #SBATCH"}},
    {.row = {RULE(VARIABLE, TEXT), WARNING(PARSE),
             .en = "byte {offset}: #SBATCH lines are not expanded, $ is taken as it is",
             .zh = "第 {offset} 字节：#SBATCH 行不会展开变量，$ 会按原样处理"}},
    {.row = {RULE(LOCALHOST, TEXT), WARNING(CONFLICT),
             .en = "byte {offset}: each node then waits for its own rendezvous; take the first of SLURM_JOB_NODELIST",
             .zh = "第 {offset} 字节：这样每个节点会等待自己的汇合点；请取 SLURM_JOB_NODELIST 的第一个主机"}},
    {.row = {RULE(LAUNCH_NODE, TEXT), WARNING(CONFLICT),
             .en = "byte {offset}: srun's own node, perhaps the login node; take the first of the step's node list",
             .zh = "第 {offset} 字节：这是 srun 所在节点，可能是登录节点；请取作业步节点列表的第一个"}},
    {.row = {RULE(VISIBLE, WHEN), WARNING(CONFLICT), .fix = K(VISIBLE),
             .when = {DTCI_WHEN_AT_LEAST(K(VISIBLE), 2), DTCI_WHEN_AT_LEAST(K(PER_NODE), 2)},
             .en = "{field}: the {other_got} tasks of a node all see these; each must take device SLURM_LOCALID",
             .zh = "{field}：一个节点的 {other_got} 个任务都会看到这些设备；各自必须使用设备 SLURM_LOCALID"}},
    {.more = {DTCI_WHEN_UNSET(K(BEHIND))},
     .row = {RULE(ALONE, WHEN), WARNING(CONFLICT), .fix = K(ALONE),
             .when = {LAUNCHES(ALONE), DTCI_WHEN_AT_LEAST(K(NODES), 2)},
             .en = "byte {offset}: without srun the launcher runs on the first of {other_got} nodes only",
             .zh = "第 {offset} 字节：没有 srun，启动器只在 {other_got} 个节点中的第一个上运行"}},
    {.row = {RULE(GPUS, EQUALS), WARNING(CONFLICT), .fix = K(O_GPUS), .left = {K(COUNT), K(O_GPUS_NODE)},
             .right = {K(O_GPUS)}, .en = "--gpus is of the job", .zh = "--gpus 是整个作业的数量"}},
    {.row = {RULE(MORE, AT_MOST), WARNING(CONFLICT), .fix = K(PER_NODE), .left = {K(PER_NODE)}, .right = {K(GPUS)},
             .when = {DTCI_WHEN_IS(K(BEHIND), PYTHON)}, .en = "srun starts python once for each task: some share a GPU",
             .zh = "srun 为每个任务启动一次 python：部分任务会共用 GPU"}},
    {.row = {RULE(PROCESSES, AT_MOST), ERROR(CONFLICT), .fix = K(PROCESSES), .left = {K(PROCESSES)}, .right = {K(GPUS)},
             .en = "each process takes a GPU of its own", .zh = "每个进程占用一块 GPU"}},
    {.row = {RULE(WORLD, EQUALS), WARNING(CONFLICT), .fix = K(TASKS), .left = {K(TASKS)}, .right = {K(WORLD)},
             .when = {DTCI_WHEN_IS(K(BEHIND), PYTHON)}, .en = "that many processes are started",
             .zh = "实际启动的进程数就是这么多"}},
    {.row = {RULE(WORLD, EQUALS), WARNING(CONFLICT), .fix = K(PROCESSES), .left = {K(COUNT), K(PROCESSES)},
             .right = {K(WORLD)}, .when = {LAUNCHES(BEHIND)}, .en = "that many processes are started",
             .zh = "实际启动的进程数就是这么多"}},
};

/* Found outside comments, at their first place. */
static const dtci_phrase phrases[] = {
    {DTC_RULE_SBATCH_LOCALHOST, "|| echo localhost"},
    {DTC_RULE_SBATCH_LOCALHOST, "|| echo \"localhost\""},
    {DTC_RULE_SBATCH_LOCALHOST, "|| echo 127.0.0.1"},
    {DTC_RULE_SBATCH_LAUNCH_NODE, "SLURM_LAUNCH_NODE_IPADDR"},
};

void dtci_lint_slurm(dtci_dialect *d)
{
  d->number = DTC_DIALECT_SLURM;
  d->form = DTCI_FORM_LAUNCHER;
  d->newest = 26005000;
  d->unknown = DTCI_UNKNOWN_ERROR;
  d->twice = DTCI_TWICE_FINE;
  d->shortened = 1;
  memcpy(d->programs[0], "srun", sizeof "srun");
  memcpy(d->programs[1], "sbatch", sizeof "sbatch");
  memcpy(d->programs[2], "salloc", sizeof "salloc");
  memcpy(d->directive, "#SBATCH", sizeof "#SBATCH");
  d->behind = BEHIND;
  d->alone = ALONE;
  d->late = DTC_RULE_SBATCH_LATE;
  d->apart = DTC_RULE_SBATCH_BLANK;
  d->variable = DTC_RULE_SBATCH_VARIABLE;
  d->phrases = phrases;
  d->phrases_count = sizeof phrases / sizeof phrases[0];
  d->keys = keys;
  d->keys_count = sizeof keys / sizeof keys[0];
  d->words = words;
  d->words_count = sizeof words / sizeof words[0];
  d->steps = steps;
  d->steps_count = sizeof steps / sizeof steps[0];
  d->rules = rules;
  d->rules_count = sizeof rules / sizeof rules[0];
}
