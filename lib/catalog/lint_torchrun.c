/* Command line of torchrun (torch.distributed.run), and its environment PET_*: PyTorch 2.15. Flags end at the script, whose
 * own belong to another dialect. Sources: torch/distributed/run.py, argparse_util.py,
 * elastic/rendezvous/static_tcp_rendezvous.py and c10d_rendezvous_backend.py. */
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_TORCHRUN, key)

enum {
  WORLD = DTCI_KEY_WORLD,
  NODES = DTCI_KEY_FIRST,
  PROCESSES,
  NODE_RANK,
  MASTER_ADDR,
  MASTER_PORT,
  BACKEND,
  ENDPOINT,
  ID,
  STANDALONE,
  CONF,
  RESTARTS,
  INTERVAL,
  START,
  ROLE,
  LOG_DIR,
  REDIRECTS,
  TEE,
  RANKS_FILTER,
  LOCAL_ADDR,
  LOGS,
  EVENTS,
  NUMA,
  SIGNALS,
  MODULE,
  NO_PYTHON,
  RUN_PATH,
};

enum { COUNTS = 1, ADDRESSES, RENDEZVOUS, STARTS, BINDINGS };
enum { STATIC, C10D };

static const dtci_word words[] = {
    {COUNTS, 0, 0, "gpu"},
    {COUNTS, 1, 0, "auto"},
    {COUNTS, 2, 0, "cpu"},
    {COUNTS, 3, 0, "xpu"},
    {ADDRESSES, 0, 0, "127.0.0.1"},
    {ADDRESSES, 1, 0, "localhost"},
    {ADDRESSES, 2, 0, "::1"},
    {ADDRESSES, 2, 0, "[::1]"},
    {RENDEZVOUS, STATIC, 0, "static"},
    {RENDEZVOUS, C10D, 0, "c10d"},
    {RENDEZVOUS, 2, 0, "etcd"},
    {RENDEZVOUS, 3, 0, "etcd-v2"},
    {STARTS, 0, 0, "spawn"},
    {STARTS, 1, 0, "fork"},
    {STARTS, 2, 0, "forkserver"},
    {BINDINGS, 0, 0, "node"},
    {BINDINGS, 1, 0, "socket"},
    {BINDINGS, 2, 0, "exclusive"},
    {BINDINGS, 3, 0, "core-complex"},
};

#define INTEGER .kind = DTCI_KEY_INTEGER
#define TEXT .kind = DTCI_KEY_TEXT
#define FLAG .kind = DTCI_KEY_FLAG
#define WORD(set) .kind = DTCI_KEY_WORD, .words = (set)
#define OTHERS(set) .kind = DTCI_KEY_WORD, .words = (set), .flags = DTCI_HAS | DTCI_OTHERS
#define ALIAS(key) .kind = DTCI_KEY_ALIAS, .to = (key)

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    /* N, or MIN:MAX. */
    [NODES] = {"--nnodes", .kind = DTCI_KEY_LIST, .list = DTCI_LIST_MOST, .flags = DTCI_HAS, .fill = {1}, .min = {1},
               .max = {1 << 20}},
    [PROCESSES] = {"--nproc-per-node", INTEGER, .words = COUNTS, .flags = DTCI_HAS, .fill = {1}, .min = {1},
                   .max = {1 << 20}},
    [NODE_RANK] = {"--node-rank", INTEGER, .max = {1 << 20}},
    [MASTER_ADDR] = {"--master-addr", OTHERS(ADDRESSES)},
    [MASTER_PORT] = {"--master-port", INTEGER, .max = {65535}},
    [BACKEND] = {"--rdzv-backend", OTHERS(RENDEZVOUS)},
    [ENDPOINT] = {"--rdzv-endpoint", TEXT},
    [ID] = {"--rdzv-id", TEXT},
    [STANDALONE] = {"--standalone", FLAG, .flags = DTCI_HAS},
    [CONF] = {"--rdzv-conf", TEXT},
    [RESTARTS] = {"--max-restarts", INTEGER, .max = {1 << 30}},
    [INTERVAL] = {"--monitor-interval", .kind = DTCI_KEY_NUMBER},
    [START] = {"--start-method", WORD(STARTS)},
    [ROLE] = {"--role", TEXT},
    [LOG_DIR] = {"--log-dir", TEXT},
    [REDIRECTS] = {"--redirects", TEXT},
    [TEE] = {"--tee", TEXT},
    [RANKS_FILTER] = {"--local-ranks-filter", TEXT},
    [LOCAL_ADDR] = {"--local-addr", TEXT},
    [LOGS] = {"--logs-specs", TEXT},
    [EVENTS] = {"--event-log-handler", TEXT},
    [NUMA] = {"--numa-binding", WORD(BINDINGS)},
    [SIGNALS] = {"--signals-to-handle", TEXT},
    [MODULE] = {"--module", FLAG},
    [NO_PYTHON] = {"--no-python", FLAG},
    [RUN_PATH] = {"--run-path", FLAG},
    {"-m", ALIAS(MODULE)},
    {"-r", ALIAS(REDIRECTS)},
    {"-t", ALIAS(TEE)},
    {"--use-env", FLAG}, /* of torch.distributed.launch */

    {"PET_NNODES", ALIAS(NODES)},
    {"PET_NPROC_PER_NODE", ALIAS(PROCESSES)},
    {"PET_NODE_RANK", ALIAS(NODE_RANK)},
    {"PET_MASTER_ADDR", ALIAS(MASTER_ADDR)},
    {"PET_MASTER_PORT", ALIAS(MASTER_PORT)},
    {"PET_RDZV_BACKEND", ALIAS(BACKEND)},
    {"PET_RDZV_ENDPOINT", ALIAS(ENDPOINT)},
    {"PET_RDZV_ID", ALIAS(ID)},
    {"PET_RDZV_CONF", ALIAS(CONF)},
    {"PET_MAX_RESTARTS", ALIAS(RESTARTS)},
    {"PET_MONITOR_INTERVAL", ALIAS(INTERVAL)},
    {"PET_START_METHOD", ALIAS(START)},
    {"PET_ROLE", ALIAS(ROLE)},
    {"PET_LOG_DIR", ALIAS(LOG_DIR)},
    {"PET_REDIRECTS", ALIAS(REDIRECTS)},
    {"PET_TEE", ALIAS(TEE)},
    {"PET_LOCAL_RANKS_FILTER", ALIAS(RANKS_FILTER)},
    {"PET_LOCAL_ADDR", ALIAS(LOCAL_ADDR)},
    {"PET_EVENT_LOG_HANDLER", ALIAS(EVENTS)},
    {"PET_SIGNALS_TO_HANDLE", ALIAS(SIGNALS)},
    {"PET_STANDALONE", .kind = DTCI_KEY_ANY},
    {"PET_MODULE", .kind = DTCI_KEY_ANY},
    {"PET_NO_PYTHON", .kind = DTCI_KEY_ANY},
    {"PET_RUN_PATH", .kind = DTCI_KEY_ANY},
};

/* ---- rules ----------------------------------------------------------------------------------- */

#define ERROR .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_ERROR
#define WARNING .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_WARNING
#define SEVERAL DTCI_WHEN_AT_LEAST(K(NODES), 2)
#define OF(backend) DTCI_WHEN_IS(K(BACKEND), backend)
#define OF_OTHERS DTCI_WHEN_AT_LEAST(K(BACKEND), C10D)
#define NOT_ALONE DTCI_WHEN_IS(K(STANDALONE), 0)

#define MASTER(key)                                                                                                    \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_TORCHRUN_MASTER,                                                                                \
      WARNING,                                                                                                         \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(key),                                                                                                   \
      .need = OF(STATIC),                                                                                              \
      .when = {DTCI_WHEN_GIVEN(K(key))},                                                                               \
      .en = "other rendezvous do not look at it: --rdzv-endpoint says where",                                          \
      .zh = "其他汇合方式不使用它：由 --rdzv-endpoint 指定"                                              \
    }                                                                                                                  \
  }
#define ALONE(key, condition, of)                                                                                      \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_TORCHRUN_STANDALONE,                                                                            \
      of,                                                                                                              \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(key),                                                                                                   \
      .when = {condition, DTCI_WHEN_IS(K(STANDALONE), 1)},                                                             \
      .en = "it meets on this node alone, and overrides the rendezvous",                                               \
      .zh = "它只在本节点汇合，并覆盖汇合设置"                                                         \
    }                                                                                                                  \
  }

static const dtci_setting_rule rules[] = {
    {.more = {NOT_ALONE},
     .row = {.rule = DTC_RULE_TORCHRUN_NODE_RANK,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(NODES),
             .need = DTCI_WHEN_SET(K(NODE_RANK)),
             .when = {SEVERAL, OF(STATIC)},
             .en = "it is 0 otherwise, on every node",
             .zh = "否则每个节点都是 0"}},
    {.more = {NOT_ALONE, OF(STATIC), DTCI_WHEN_NOT_GIVEN(K(ENDPOINT))},
     .row = {.rule = DTC_RULE_TORCHRUN_LOOPBACK,
             ERROR,
             .hook = DTCI_WHEN,
             .fix = K(MASTER_ADDR),
             .when = {DTCI_WHEN_BETWEEN(K(MASTER_ADDR), 0, 2), SEVERAL},
             .en = "{field} = {value}: every node reaches itself there, {other} is {other_got}",
             .zh = "{field} = {value}：每个节点连到的都是自己，而 {other} 为 {other_got}"}},
    MASTER(NODE_RANK),
    MASTER(MASTER_ADDR),
    MASTER(MASTER_PORT),
    {.more = {NOT_ALONE},
     .row = {.rule = DTC_RULE_TORCHRUN_ENDPOINT,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(BACKEND),
             .need = DTCI_WHEN_SET(K(ENDPOINT)),
             .when = {OF_OTHERS, SEVERAL},
             .en = "every node would wait at its own",
             .zh = "否则每个节点都在自己的地址等待"}},
    ALONE(NODES, SEVERAL, ERROR),
    ALONE(BACKEND, DTCI_WHEN_GIVEN(K(BACKEND)), WARNING),
    ALONE(ENDPOINT, DTCI_WHEN_GIVEN(K(ENDPOINT)), WARNING),
    ALONE(ID, DTCI_WHEN_GIVEN(K(ID)), WARNING),
    {.row = {.rule = DTC_RULE_TORCHRUN_WORLD,
             .status = DTC_E_DIVIDE,
             .hook = DTCI_EQUALS,
             .fix = K(PROCESSES),
             .left = {K(NODES), K(PROCESSES)},
             .right = {K(WORLD)},
             .en = "the ranks are those that are started",
             .zh = "进程数就是启动的进程数"}},
};

void dtci_lint_torchrun(dtci_dialect *d)
{
  d->number = DTC_DIALECT_TORCHRUN;
  d->form = DTCI_FORM_LAUNCHER;
  d->newest = 2015000;
  d->unknown = DTCI_UNKNOWN_ERROR;
  d->twice = DTC_SEVERITY_WARNING;
  d->dashes = 1;
  d->shortened = 1;
  memcpy(d->programs[0], "torchrun", sizeof "torchrun");
  memcpy(d->programs[1], "torch.distributed.run", sizeof "torch.distributed.run");
  memcpy(d->programs[2], "torch.distributed.launch", sizeof "torch.distributed.launch");
  d->keys = keys;
  d->keys_count = sizeof keys / sizeof keys[0];
  d->words = words;
  d->words_count = sizeof words / sizeof words[0];
  d->rules = rules;
  d->rules_count = sizeof rules / sizeof rules[0];
}
