/* dtc_framework_lint() of NCCL's environment, DeepSpeed's hostfile and Slurm; dtc_framework_lint_hca(). */
#include "lint_check.h"

#include "internal/hca.h"

static lint_result lint_nodes(dtc_dialect dialect, dtc_release version, uint64_t nodes, const char *text)
{
  dtc_lint lint = lint_of(dialect, version, 0);
  lint.nodes = nodes;
  return lint_text(&lint, text);
}

static void expect(dtc_dialect dialect, const char *text, const char *expected)
{
  lint_result r = lint_nodes(dialect, 0, 0, text);
  lint_expect(&r, expected);
}

/* ---- NCCL_IB_HCA ----------------------------------------------------------------------------- */

enum { DEVICES = 80 };

/* Digits 0 and 1 of what is selected. */
static void expect_selected(const char *value, const char *devices, const char *expected)
{
  uint32_t out[DEVICES];
  char got[DEVICES + 1] = "";
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  check_ok(dtc_framework_lint_hca(value, strlen(value), devices, strlen(devices), out, DEVICES, &count, &err), &err);
  for (size_t i = 0; i < count; i++)
    got[i] = (char)('0' + out[i]);
  got[count] = 0;
  assert_string_equal(got, expected);
}

static void names_are_prefixes(void **state)
{
  (void)state;
  const char *devices = "mlx5_0:1 mlx5_1:1 mlx5_10:1\nibp3s0:1\tmlx5_0:2";
  expect_selected("", devices, "11111");
  expect_selected("mlx5_1", devices, "01100");
  expect_selected("=mlx5_1", devices, "01000");
  expect_selected("^mlx5_1", devices, "10011");
  expect_selected("^=mlx5_1", devices, "10111");
  expect_selected("=^mlx5_1", devices, "00000");
  expect_selected("^", devices, "00000");
  expect_selected("^=", devices, "00000");
  expect_selected("=", devices, "11111");
  expect_selected(",,", devices, "11111");
  expect_selected("mlx5_0, mlx5_1", devices, "10001");
  expect_selected(",mlx5_0,,mlx5_1,", devices, "11101");
  expect_selected("mlx5_0;mlx5_1", devices, "00000");
  expect_selected("mlx5_1", "", "");
}

static void ports_are_read_as_atoi_reads(void **state)
{
  (void)state;
  const char *devices = "mlx5_0:1 mlx5_0:2";
  expect_selected("mlx5_0:1", devices, "10");
  expect_selected("mlx5_0:", devices, "11");
  expect_selected("mlx5_0::3:4", devices, "11");
  expect_selected("mlx5_0:2:3:4", devices, "01");
  expect_selected("mlx5_0:0", devices, "00");
  expect_selected("mlx5_0:x", devices, "00");
  expect_selected("mlx5_0: +2x", devices, "01");
  expect_selected("mlx5_0:-1", devices, "11");
  expect_selected("mlx5_0:4294967298", devices, "01");
  expect_selected("mlx5_0:99999999999999999999", devices, "11"); /* LONG_MAX is -1 as an int */
  expect_selected("mlx5_0:-99999999999999999999", devices, "00");
  expect_selected(":1", devices, "11");
  expect_selected("^mlx5_0:1", devices, "01");
}

static void names_and_lists_have_limits(void **state)
{
  (void)state;
  char value[4096] = "", devices[4096] = "", expected[DEVICES + 1] = "", name[80];
  memset(name, 'a', sizeof name);
  memcpy(value, name, 70);
  snprintf(devices, sizeof devices, "%.63s:1 %.64s:1 %.62s:1", name, name, name);
  expect_selected(value, devices, "110"); /* 63 bytes of the name are kept */
  value[0] = '=';
  memcpy(value + 1, name, 70);
  expect_selected(value, devices, "100");
  size_t at = 0;
  for (int i = 0; i < 33; i++)
    at += (size_t)snprintf(value + at, sizeof value - at, "d%02d,", i);
  at = 0;
  for (int i = 0; i < 40; i++) {
    at += (size_t)snprintf(devices + at, sizeof devices - at, "d%02d:1 ", i);
    expected[i] = i < 32 ? '1' : '0';
  }
  expect_selected(value, devices, expected); /* 32 names are read */
  expect_selected("", devices, expected);    /* 32 ports are selected */
  at = (size_t)snprintf(devices, sizeof devices, "a:1 ");
  for (int i = 0; i < 40; i++)
    at += (size_t)snprintf(devices + at, sizeof devices - at, "d:%d ", i + 1);
  snprintf(devices + at, sizeof devices - at, "e:1");
  memset(expected, '1', 41);
  expected[41] = '0';
  expected[42] = 0;
  expect_selected("", devices, expected); /* ports of one device are all taken */
}

static void bad_devices_are_refused(void **state)
{
  (void)state;
  static const char *const bad[] = {"mlx5_0", "mlx5_0:", ":1", "mlx5_0:1 x", "mlx5_0:-1", "mlx5_0:1x", "a:4294967296"};
  uint32_t out[4] = {7, 7, 7, 7};
  size_t count = 9;
  dtc_error err;
  DTC_INIT(&err);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    dtc_status s = dtc_framework_lint_hca("", 0, bad[i], strlen(bad[i]), out, 4, &count, &err);
    assert_int_equal(s, DTC_E_PARSE);
    assert_int_equal(err.rule, DTC_RULE_NCCL_DEVICE);
    assert_int_equal(err.offset, i == 3 ? 9 : 0);
    assert_int_equal(count, 9);
  }
  assert_int_equal(dtc_framework_lint_hca("", 0, "a:1 b:1", 7, out, 1, &count, &err), DTC_E_SPACE);
  assert_int_equal(count, 2);
  assert_int_equal(dtc_framework_lint_hca("", 65537, "a:1", 3, out, 4, &count, &err), DTC_E_RANGE);
  assert_int_equal(dtc_framework_lint_hca("", 0, "a:1", 65537, out, 4, &count, &err), DTC_E_RANGE);
  check_ok(dtc_framework_lint_hca(NULL, 5, NULL, 5, NULL, 5, &count, NULL), &err);
  assert_int_equal(count, 0);
}

/* Against the semantics in other words: every name of a list is tried on every device. */
static int selects(const char *value, const char *name, int port)
{
  int exclude = value[0] == '^';
  value += exclude;
  int exact = value[0] == '=';
  value += exact;
  int found = 0, names = 0;
  for (const char *s = value; *s != 0; s += *s == ',') {
    size_t n = strcspn(s, ","), own = strcspn(s, ":,");
    int any = own == n || own + 1 == n, wanted = any ? 0 : atoi(s + own + 1);
    names += own > 0;
    if (own > 0 && strncmp(s, name, own) == 0 && (!exact || strlen(name) == own) && (any || wanted == port))
      found = 1;
    s += n;
  }
  return (found || names == 0) != exclude;
}

static void random_lists_select_what_they_say(void **state)
{
  (void)state;
  static const char letters[] = {'a', '1', '0', ',', ':', '=', '^', ' '};
  static const char *const names[] = {"a", "a1", "a10", "1", "a0"};
  uint64_t seed = 7;
  for (int i = 0; i < 20000; i++) {
    char value[12] = "";
    size_t n = check_random(&seed, sizeof value);
    for (size_t k = 0; k < n; k++)
      value[k] = letters[check_random(&seed, sizeof letters)];
    if (memchr(value, ':', n) != NULL && strchr(strchr(value, ':') + 1, ':') != NULL)
      continue; /* rails and planes */
    uint32_t out[5];
    size_t count = 0;
    assert_int_equal(dtc_framework_lint_hca(value, n, "a:1 a1:1 a10:1 1:1 a0:10", 24, out, 5, &count, NULL), DTC_OK);
    for (int k = 0; k < 5; k++)
      if (out[k] != (uint32_t)selects(value, names[k], k == 4 ? 10 : 1))
        fail_msg("%s of '%s'", names[k], value);
  }
}

/* ---- examples -------------------------------------------------------------------------------- */

/* A text that breaks a rule about a key, and one that does not. */
typedef struct pair {
  dtc_rule rule;
  const char *key;
  dtc_release version;
  uint64_t world;
  const char *broken;
  const char *fine;
} pair;

enum { PAIRS_MAX = 64 };

static void check_pairs(dtc_dialect dialect, const pair *pairs, size_t n)
{
  lint_example examples[PAIRS_MAX];
  assert_true(n <= PAIRS_MAX);
  for (size_t i = 0; i < n; i++) {
    const pair *p = &pairs[i];
    examples[i] = (lint_example){p->rule, p->key, p->world, p->version, 0, p->broken};
    dtc_lint lint = lint_of(dialect, p->version, p->world);
    lint_result r = lint_text(&lint, p->fine);
    check_ok(r.status, &r.error);
    if (r.count != 0)
      fail_msg("findings in %s\n%s", p->fine, lint_lines(&r));
  }
  lint_tables(dialect);
  lint_examples(dialect, examples, n);
}

#define NICS "\nbond0 UP 10.0.0.1/24\nbond0.7 UP 10.0.1.1/24\nlo UNKNOWN 127.0.0.1/8\n"
#define PORTS "\nmlx5_1 port 1 ==> ib1 (Up)\nmlx5_10 port 1 ==> ib10 (Up)\nmlx5_2 port 1 ==> ib2 (Down)\n"

static void every_rule_of_nccl_has_an_example(void **state)
{
  (void)state;
  static const pair pairs[] = {
      {DTC_RULE_NCCL_PREFIX, "NCCL_IB_HCA", 0, 0, "NCCL_IB_HCA=mlx5_0,mlx5_1", "NCCL_IB_HCA==mlx5_0,mlx5_1"},
      {DTC_RULE_NCCL_FORM, "NCCL_IB_HCA", 0, 0, "NCCL_IB_HCA==^mlx5_1", "NCCL_IB_HCA=^=mlx5_1"},
      {DTC_RULE_NCCL_FORM, "NCCL_SOCKET_IFNAME", 0, 0, "NCCL_SOCKET_IFNAME='eth0, eth1'",
       "NCCL_SOCKET_IFNAME=eth0,eth1"},
      {DTC_RULE_NCCL_BARE, "NCCL_IB_HCA", 0, 0, "NCCL_IB_HCA=^", "NCCL_IB_HCA="},
      {DTC_RULE_NCCL_BARE, "NCCL_SOCKET_IFNAME", 0, 0, "NCCL_SOCKET_IFNAME=^=", "NCCL_SOCKET_IFNAME=^docker,lo"},
      {DTC_RULE_NCCL_PORT, "NCCL_IB_HCA", 0, 0, "NCCL_IB_HCA=mlx5_0:0", "NCCL_IB_HCA=mlx5_0:1"},
      {DTC_RULE_NCCL_LONG, "NCCL_IB_HCA", 0, 0,
       "NCCL_IB_HCA==a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a",
       "NCCL_IB_HCA==a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a"},
      {DTC_RULE_NCCL_LONG, "NCCL_SOCKET_IFNAME", 0, 0, "NCCL_SOCKET_IFNAME=a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a",
       "NCCL_SOCKET_IFNAME=a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a"},
      {DTC_RULE_NCCL_LOOPBACK, "NCCL_SOCKET_IFNAME", 0, 0, "NCCL_SOCKET_IFNAME=lo", "NNODES=1\nNCCL_SOCKET_IFNAME=lo"},
      {DTC_RULE_NCCL_LONGER, "NCCL_SOCKET_IFNAME", 0, 0, "NCCL_SOCKET_IFNAME=bond0" NICS,
       "NCCL_SOCKET_IFNAME==bond0" NICS},
      {DTC_RULE_NCCL_LONGER, "NCCL_IB_HCA", 0, 0, "NCCL_IB_HCA=mlx5_1" PORTS, "NCCL_IB_HCA=mlx5" PORTS},
      {DTC_RULE_NCCL_NO_DEVICE, "NCCL_IB_HCA", 0, 0, "NCCL_IB_HCA=mlx5_2" PORTS, "NCCL_IB_HCA=mlx5_10" PORTS},
      {DTC_RULE_NCCL_NO_INTERFACE, "NCCL_SOCKET_IFNAME", 0, 0, "NCCL_SOCKET_IFNAME=eno1\neth0 10.0.0.1/8",
       "NCCL_SOCKET_IFNAME=eno1,eth0\neth0 10.0.0.1/8"},
      {DTC_RULE_NCCL_SUBNET, NULL, 0, 0, "eth0 192.168.3.15/20\neth1 192.168.5.15/20\n",
       "eth0 192.168.3.15/24\neth1 192.168.5.15/24\neth2 DOWN\nlo 127.0.0.1/8\nlo:1 127.0.0.2/8\n"},
      {DTC_RULE_NCCL_IB_OFF, "NCCL_IB_DISABLE", 0, 0, "NCCL_IB_DISABLE=1", "SLURM_NNODES=1\nNCCL_IB_DISABLE=1"},
      {DTC_RULE_NCCL_P2P_OFF, "NCCL_P2P_DISABLE", 0, 0, "NCCL_P2P_DISABLE=1", "NCCL_P2P_DISABLE=0"},
      {DTC_RULE_NCCL_P2P_OFF, "NCCL_P2P_LEVEL", 0, 0, "NCCL_P2P_LEVEL=LOC", "NCCL_P2P_LEVEL=NVL"},
      {DTC_RULE_NCCL_NET, "NCCL_NET", 0, 0, "NCCL_NET=IB\nNCCL_IB_DISABLE=1", "NCCL_NET=IB"},
      {DTC_RULE_NCCL_MASTER, "MASTER_ADDR", 0, 0, "NNODES=2\nMASTER_ADDR=127.0.0.1", "NNODES=2\nMASTER_ADDR=node1"},
      {DTC_RULE_NCCL_CHOICE, "NCCL_ALGO", 0, 0, "NCCL_ALGO=Ring,Trees", "NCCL_ALGO='ring;allreduce:tree,collnetchain'"},
      {DTC_RULE_NCCL_CHOICE, "NCCL_PROTO", 0, 0, "NCCL_PROTO=LL12", "NCCL_PROTO=^LL128"},
      {DTC_RULE_NCCL_RING, "NCCL_ALGO", 0, 0, "NCCL_ALGO=Tree", "NCCL_ALGO=^Tree"},
      {DTC_RULE_NCCL_CHANNELS, "NCCL_MIN_NCHANNELS", 0, 0, "NCCL_MIN_NCHANNELS=9\nNCCL_MAX_NCHANNELS=8",
       "NCCL_MIN_NCHANNELS=8\nNCCL_MAX_NCHANNELS=8"},
      {DTC_RULE_NCCL_CHANNELS, "NCCL_MIN_CTAS", 0, 0, "NCCL_MIN_CTAS=9\nNCCL_MAX_CTAS=8", "NCCL_MIN_CTAS=9"},
      {DTC_RULE_NCCL_MISMATCH, "NCCL_IGNORE_NET_MISMATCH", 0, 0, "NCCL_IGNORE_NET_MISMATCH=1",
       "NCCL_IGNORE_NET_MISMATCH=0"},
      {DTC_RULE_NCCL_TORCH, "NCCL_ASYNC_ERROR_HANDLING", 0, 0, "NCCL_ASYNC_ERROR_HANDLING=1",
       "TORCH_NCCL_ASYNC_ERROR_HANDLING=1"},
      {DTC_RULE_NCCL_TORCH, "NCCL_BLOCKING_WAIT", 0, 0, "NCCL_BLOCKING_WAIT=1", "TORCH_NCCL_BLOCKING_WAIT=1"},
      {DTC_RULE_NCCL_TORCH, "NCCL_DESYNC_DEBUG", 0, 0, "NCCL_DESYNC_DEBUG=1", "TORCH_NCCL_DESYNC_DEBUG=1"},
      {DTC_RULE_NCCL_TORCH, "NCCL_ENABLE_TIMING", 0, 0, "NCCL_ENABLE_TIMING=1", "TORCH_NCCL_ENABLE_TIMING=1"},
      {DTC_RULE_NCCL_TORCH, "NCCL_USE_COMM_NONBLOCKING", 0, 0, "NCCL_USE_COMM_NONBLOCKING=1",
       "TORCH_NCCL_USE_COMM_NONBLOCKING=1"},
      {DTC_RULE_NCCL_TORCH, "NCCL_AVOID_RECORD_STREAMS", 0, 0, "NCCL_AVOID_RECORD_STREAMS=1",
       "TORCH_NCCL_AVOID_RECORD_STREAMS=1"},
  };
  check_pairs(DTC_DIALECT_NCCL, pairs, sizeof pairs / sizeof pairs[0]);
}

#define TWO "worker-0 slots=4\nworker-1 slots=4\n"

static void every_rule_of_hostfiles_has_an_example(void **state)
{
  (void)state;
  enum { OLD = 19006 };
  static const pair pairs[] = {
      {DTC_RULE_HOSTS_BOTH, NULL, 0, 0, TWO "--include=worker-0 --exclude=worker-1", TWO "--exclude=worker-1"},
      {DTC_RULE_HOSTS_FILTER, NULL, 0, 0, TWO "--include=worker-0:0:1", TWO "--include=worker-0:0,1"},
      {DTC_RULE_HOSTS_UNKNOWN, NULL, 0, 0, TWO "--exclude=worker-2", TWO "--exclude=worker-0"},
      {DTC_RULE_HOSTS_SLOT, NULL, 0, 0, TWO "--include=worker-0:4", TWO "--include=worker-0:3"},
      {DTC_RULE_HOSTS_UNCHECKED, NULL, OLD, 0, TWO "--include=worker-0:4", TWO "--include=worker-0:3"},
      {DTC_RULE_HOSTS_DROPPED, NULL, OLD, 0, TWO "--include=worker-0@worker-1:0", TWO "--include=worker-0:0@worker-0"},
      {DTC_RULE_HOSTS_NOTHING, NULL, 0, 0, TWO "--exclude=worker-0@worker-1", TWO "--exclude=worker-0@worker-0"},
      {DTC_RULE_HOSTS_JUNK, NULL, 0, 0, "w slots=4 max_slots=8", "w slots=4  # all"},
      {DTC_RULE_HOSTS_LOCAL, NULL, 0, 0, "a slots=3\nb slots=2", "a slots=4\nb slots=2"},
      {DTC_RULE_HOSTS_NUM, "--num_nodes", 0, 0, TWO "--num_nodes=1 -i worker-0", TWO "--num_nodes=1 train.py -i x"},
      {DTC_RULE_HOSTS_NUM, "--num_gpus", 0, 0, TWO "--num_gpus 1\n-e worker-0", TWO "--num_gpus 1"},
      {DTC_RULE_HOSTS_SLURM, "--launcher", OLD, 0, TWO "--launcher slurm --exclude worker-0", TWO "--launcher=SLURM"},
      {DTC_RULE_HOSTS_RANK, "--no_ssh", 0, 0, TWO "--no_ssh", TWO "--no_ssh --node_rank 0"},
      {DTC_RULE_HOSTS_WORLD, "slots", 0, 16, TWO, TWO "--num_gpus 8"},
  };
  check_pairs(DTC_DIALECT_HOSTFILE, pairs, sizeof pairs / sizeof pairs[0]);
}

static void every_rule_of_slurm_has_an_example(void **state)
{
  (void)state;
  static const pair pairs[] = {
      {DTC_RULE_SBATCH_TASKS, "--ntasks", 0, 0, "#SBATCH --nodes=2 --ntasks=4 --ntasks-per-node=4",
       "#SBATCH --nodes=2 --ntasks=8 --ntasks-per-node=4"},
      {DTC_RULE_SBATCH_SQUARED, "--ntasks-per-node", 0, 0,
       "#SBATCH --nodes=2 --ntasks-per-node=8 --gpus-per-node=8\nsrun torchrun --nproc_per_node=8 train.py",
       "#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8\nsrun torchrun --nproc_per_node=8 train.py"},
      {DTC_RULE_SBATCH_SQUARED, "--ntasks", 0, 0, "srun -N 2 -n 16 accelerate launch --num_processes 16 train.py",
       "srun -N 2 -n 2 accelerate launch --num_processes 16 train.py"},
      {DTC_RULE_SBATCH_IDLE, "tasks of a node", 0, 0, "srun --gres=gpu:8 python train.py",
       "srun --gres=gpu:8 --ntasks-per-node 8 python train.py"},
      {DTC_RULE_SBATCH_OWN_GPU, "--gpus-per-task", 0, 0, "srun -n 8 --gpus-per-task=1 ./job",
       "srun -n 1 --gpus-per-task=8 ./job"},
      {DTC_RULE_SBATCH_LATE, NULL, 0, 0, "#!/bin/bash\nset -e\n#SBATCH -N 2", "#!/bin/bash\n\n# jobs\n#SBATCH -N 2"},
      {DTC_RULE_SBATCH_BLANK, NULL, 0, 0, "# SBATCH -N 2", "##SBATCH -N 2"},
      {DTC_RULE_SBATCH_VARIABLE, NULL, 0, 0, "#SBATCH --output=$HOME/x", "#SBATCH --output=%x-%j # $HOME"},
      {DTC_RULE_SBATCH_LOCALHOST, NULL, 0, 0, "HEAD=$(scontrol show hostnames $L | head -n 1 || echo localhost)",
       "# $(scontrol show hostnames || echo localhost)"},
      {DTC_RULE_SBATCH_LAUNCH_NODE, NULL, 0, 0, "export MASTER_ADDR=$SLURM_LAUNCH_NODE_IPADDR",
       "export MASTER_ADDR=$(scontrol show hostnames | head -n 1)"},
      {DTC_RULE_SBATCH_VISIBLE, "CUDA_VISIBLE_DEVICES", 0, 0,
       "#SBATCH --ntasks-per-node=4\nexport CUDA_VISIBLE_DEVICES=0,1,2,3", "export CUDA_VISIBLE_DEVICES=0,1,2,3"},
      {DTC_RULE_SBATCH_ALONE, "what the script starts", 0, 0, "#SBATCH -N2\ntorchrun --nproc_per_node=8 train.py",
       "#SBATCH -N1\ntorchrun --nproc_per_node=8 train.py"},
      {DTC_RULE_SBATCH_GPUS, "--gpus", 0, 0, "#SBATCH -N2 -G 8 --gpus-per-node=8",
       "#SBATCH -N2 -G 16 --gpus-per-node=8"},
      {DTC_RULE_SBATCH_MORE, "tasks of a node", 0, 0, "srun -n4 --gpus-per-node=2 python3 train.py",
       "srun -n2 --gpus-per-node=a100:2 python3 train.py"},
      {DTC_RULE_SBATCH_PROCESSES, "processes of a node", 0, 0,
       "#SBATCH --gres=gpu:4\nsrun torchrun --nproc-per-node 8 train.py",
       "#SBATCH --gres=gpu:h100:8(S:0-1),nvme:1\nsrun torchrun --nproc-per-node 8 train.py"},
      {DTC_RULE_SBATCH_WORLD, "tasks", 0, 16, "srun -n 8 python train.py", "srun -n 16 python train.py"},
      {DTC_RULE_SBATCH_WORLD, "processes of a node", 0, 32, "srun -N 2 torchrun --nproc_per_node 8 train.py",
       "srun -N 4 torchrun --nproc_per_node 8 train.py"},
  };
  check_pairs(DTC_DIALECT_SLURM, pairs, sizeof pairs / sizeof pairs[0]);
}

/* ---- NCCL ------------------------------------------------------------------------------------ */

static void numbers_are_read_as_far_as_they_go(void **state)
{
  (void)state;
  expect(DTC_DIALECT_NCCL, "NCCL_IB_DISABLE=true\nNCCL_BUFFSIZE=4M\nNCCL_IB_TC=0x6a\nNCCL_IB_SL=017\nNCCL_NTHREADS=\n",
         "402 NCCL_IB_DISABLE 0|402 NCCL_BUFFSIZE 21|");
  expect(DTC_DIALECT_NCCL, "NCCL_IB_RETRY_CNT=8\nNCCL_IB_SL=018\nNCCL_IB_TC=0x\n",
         "403 NCCL_IB_RETRY_CNT 0|402 NCCL_IB_SL 20|402 NCCL_IB_TC 35|");
  expect(DTC_DIALECT_NCCL, "NCCL_DEBUG=verbose\nNCCL_P2P_LEVEL=nvl\nNCCL_DEBUG=info", /* words, the first of any case */
         "404 NCCL_DEBUG 0|404 NCCL_P2P_LEVEL 19|405 NCCL_DEBUG 38|");
}

/* As strtoll() reads them with base 0, of which NCCL takes none that does not fit. */
static void numbers_of_c(void **state)
{
  (void)state;
  static const struct {
    const char *word;
    int64_t v;
  } rows[] = {{"0", 0},
              {"-0", 0},
              {"7", 7},
              {"-7", -7},
              {"010", 8},
              {"-010", -8},
              {"0x1F", 31},
              {"0X1f", 31},
              {"+0x10", 16},
              {"-0x10", -16},
              {"0x7fffffffffffffff", INT64_MAX},
              {"-0x8000000000000000", INT64_MIN},
              {"-01000000000000000000000", INT64_MIN}};
  static const char *const others[] = {
      "", "-", "0x", "08", "0xg", "0x8000000000000000", "-0x8000000000000001", "0x10000000000000000", "- 7", "--7"};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int64_t v = 99;
    assert_true(dtci_get_c_number(rows[i].word, strlen(rows[i].word), &v));
    assert_true(v == rows[i].v);
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    int64_t v = 99;
    assert_false(dtci_get_c_number(others[i], strlen(others[i]), &v));
    assert_true(v == 99);
  }
}

static void unknown_names_are_warned_of(void **state)
{
  (void)state;
  lint_result r = lint_nodes(DTC_DIALECT_NCCL, 0, 0, "export NCCL_IB_HCAS=mlx5 FOO=1\nTORCH_X=1\nNCCL_VERSION=2.30\n");
  lint_expect(&r, "401 text 7|");
  assert_int_equal(r.findings[0].severity, DTC_SEVERITY_WARNING);
  assert_string_equal(dtc_field_name(r.findings[0].other), "NCCL_IB_HCA");
  expect(DTC_DIALECT_NCCL, "NCCL_IB_CUDA_SUPPORT=1\nNCCL_TREE_THRESHOLD=0\nNCCL_SHM_MEMCPY_MODE=1",
         "407 NCCL_IB_CUDA_SUPPORT 0|407 NCCL_TREE_THRESHOLD 23|407 NCCL_SHM_MEMCPY_MODE 45|");
  r = lint_nodes(DTC_DIALECT_NCCL, 2028000, 0, "NCCL_SHM_MEMCPY_MODE=1");
  lint_expect(&r, "");
}

static void lists_that_go_on_are_read_to_the_end_of_the_line(void **state)
{
  (void)state;
  static const char *const broken[] = {"NCCL_IB_HCA=mlx5_0, mlx5_1",  "export NCCL_IB_HCA=mlx5_0 ,mlx5_1\n",
                                       "NCCL_IB_HCA=mlx5_0;mlx5_1\n", "NCCL_IB_HCA=mlx5_[0-3]",
                                       "NCCL_IB_HCA='mlx5_0 mlx5_2'", "NCCL_IB_HCA=mlx5_0,^mlx5_2"};
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
    lint_result r = lint_nodes(DTC_DIALECT_NCCL, 0, 0, broken[i]);
    if (r.count != 1 || r.findings[0].rule != DTC_RULE_NCCL_FORM)
      fail_msg("%s\n%s", broken[i], lint_lines(&r));
  }
  expect(DTC_DIALECT_NCCL, "NCCL_IB_HCA=mlx5_0; export NCCL_DEBUG=INFO; NCCL_IB_HCA=mlx5 python train.py",
         "405 NCCL_IB_HCA 44|");
  expect(DTC_DIALECT_NCCL, "NCCL_IB_HCA=mlx5_0;NCCL_DEBUG=INFO", "");
  expect(DTC_DIALECT_NCCL, "NIC=mlx5_0;export NCCL_IB_HCA=$NIC,$OTHER", "");
  expect(DTC_DIALECT_NCCL, "mpirun -x NCCL_IB_HCA==^x -x NCCL_DEBUG ./all_reduce_perf", "672 NCCL_IB_HCA 10|");
}

static void interfaces_of_the_text_are_held_against_lists(void **state)
{
  (void)state;
  const char *two = "NCCL_SOCKET_IFNAME=^=eth0\n"
                    "eth0@if7         UP             192.168.3.15/20 fe80::42:acff:fe11:2/64 \r\n"
                    "eth1             UP             192.168.16.15/20\n"
                    "eth2             DOWN           192.168.5.15/20\n";
  expect(DTC_DIALECT_NCCL, two, "");
  lint_result r =
      lint_nodes(DTC_DIALECT_NCCL, 0, 0, "eth0 10.1.2.3/8\neth1 UP 10.200.0.1/16\neth2 UP 10.9.0.0/33 1.2.3/4\n");
  lint_expect(&r, "680 text 16|");
  assert_int_equal(r.findings[0].got, 0);
  expect(DTC_DIALECT_NCCL, "a 0.0.0.0/0\nb 1.1.1.1/32\nc 1.1.1.1/32", "680 text 25|");
  expect(DTC_DIALECT_NCCL, "A=mlx4\nNCCL_IB_HCA=$A\nmlx5_0 port 1 ==> ib0 (Up)\n", "678 NCCL_IB_HCA 7|");
  expect(DTC_DIALECT_NCCL, "NCCL_IB_HCA=mlx5_0:2\nmlx5_0 port 1 ==> ib0 (Up)\n", "678 NCCL_IB_HCA 0|");
}

static void more_interfaces_than_there_is_room_for_do_no_harm(void **state)
{
  (void)state;
  static char text[200000];
  size_t at = 0;
  for (int i = 0; i < 5000; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "eth%d UP 10.%d.%d.1/24\n", i, i / 256, i % 256);
  expect(DTC_DIALECT_NCCL, text, "");
}

/* ---- hostfiles ------------------------------------------------------------------------------- */

static void lines_of_a_hostfile_are_read_as_the_launcher_reads_them(void **state)
{
  (void)state;
  expect(DTC_DIALECT_HOSTFILE, "w\tslots=4\r\n# c\n\n  v slots=4\n", "");
  expect(DTC_DIALECT_HOSTFILE, "w slots = 4\nv slots=2\nv slots=3\nx slots=a\ny slots=0",
         "52 text 0|54 text 22|52 text 32|53 text 50|");
  expect(DTC_DIALECT_HOSTFILE, "#\n", "55 text 2|");
  expect(DTC_DIALECT_HOSTFILE, "", "55 text 0|");
  lint_result r = lint_nodes(DTC_DIALECT_HOSTFILE, 0, 0, "w slots=99999999999999999999\nv slots=1\n");
  assert_int_equal(lint_errors(&r), 0);
}

static void filters_name_hosts_and_slots(void **state)
{
  (void)state;
  static const struct {
    dtc_release version;
    const char *flags;
    const char *expected;
  } rows[] = {
      {19006, "--include=worker-0", "645 text 44|646 text 44|"},
      {15001, "--include=worker-0", ""},
      {15002, "--include=worker-0:0@worker-1:2,2,0", ""},
      {19008, "--include=worker-0@worker-0:9", "643 text 62|"},
      {19006, "--include=worker-0:9", "644 text 53|"},
      {19006, "--exclude=worker-0:9", "643 text 53|"},
      {19006, "--exclude=worker-0:-1", "643 text 53|"},
      {19006, "--include=worker-0:", "641 text 53|"},
      {19006, "--include=worker-0:0,", "641 text 55|"},
      {19006, "--include=worker-0:0@", "642 text 55|"},
      {19006, "--include \"worker-0: 1\"", ""},
      {19006, "--include \"worker-0: 1 , 2 \"", ""},
      {19006, "--include \"worker-0: 9 \"", "644 text 54|"},
      {19006, "--include= --exclude=", ""},
      {19006, "--includes x --node_rank", "400 text 34|408 --node_rank 47|"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[256];
    snprintf(text, sizeof text, TWO "%s", rows[i].flags);
    lint_result r = lint_nodes(DTC_DIALECT_HOSTFILE, rows[i].version, 0, text);
    lint_expect(&r, rows[i].expected);
  }
}

static void many_hosts_are_read(void **state)
{
  (void)state;
  static char text[400000];
  size_t at = 0;
  for (int i = 0; i < 10000; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "worker-%d slots=8\n", i);
  dtc_lint lint = lint_of(DTC_DIALECT_HOSTFILE, 0, 80000);
  snprintf(text + at, sizeof text - at, "--include=worker-9999\n");
  lint_result r = lint_text(&lint, text);
  lint_expect(&r, "");
  text[at] = 0;
  r = lint_text(&lint, text);
  lint_expect(&r, "");
}

/* ---- Slurm ----------------------------------------------------------------------------------- */

static void launchers_are_found_wherever_srun_starts_them(void **state)
{
  (void)state;
  static const char *const squared[] = {
      "GPUS=8\nLAUNCHER=\"torchrun --nproc_per_node $GPUS\"\nsrun bash -c \"$LAUNCHER train.py\"",
      "srun bash -c 'cd /w && torchrun --nproc-per-node 8 train.py'",
      "srun --label python -m torch.distributed.run --nproc_per_node=8 train.py",
      "srun -l singularity exec image /opt/bin/torchrun --nproc_per_node 8 train.py --nodes 7",
      "srun deepspeed train.py"};
  for (size_t i = 0; i < sizeof squared / sizeof squared[0]; i++) {
    char text[512];
    snprintf(text, sizeof text, "#SBATCH --ntasks-per-node=8 --gpus-per-node=8\n%s\n", squared[i]);
    lint_result r = lint_nodes(DTC_DIALECT_SLURM, 0, 0, text);
    lint_expect(&r, "656 --ntasks-per-node 8|");
    snprintf(text, sizeof text, "#SBATCH --ntasks-per-node=1 --gpus-per-node=8\n%s\n", squared[i]);
    r = lint_nodes(DTC_DIALECT_SLURM, 0, 0, text);
    lint_expect(&r, "");
  }
  expect(DTC_DIALECT_SLURM, "#SBATCH --ntasks-per-node=8\nsrun --ntasks-per-node=1 torchrun --nproc_per_node 8 a.py",
         "");
  expect(DTC_DIALECT_SLURM, "#SBATCH --ntasks-per-node=8\nsrun torchrun --nproc_per_node $SLURM_GPUS_ON_NODE a.py", "");
}

static void flags_of_slurm_are_known(void **state)
{
  (void)state;
  lint_result r = lint_nodes(DTC_DIALECT_SLURM, 0, 0,
                             "#SBATCH --ntask-per-node=2 --exclusive --time 1:00 -p gpu --mem=0\n"
                             "srun --exclusive --kill-on-bad-exit=1 --mpi=pmix -l hostname\n");
  lint_expect(&r, "400 text 8|");
  assert_string_equal(dtc_field_name(r.findings[0].other), "--ntasks-per-node");
  expect(DTC_DIALECT_SLURM, "#SBATCH --ntasks=two --ntasks-per-node=0 --nodes=2-4 -N4 --cpus=3\n",
         "402 --ntasks 8|403 --ntasks-per-node 21|400 text 57|");
  expect(DTC_DIALECT_SLURM, "srun -n 4 --gpus=a:2,b:2 --gpus-per-node 4 ./x", "");
  expect(DTC_DIALECT_SLURM, "#SBATCH -n 16 --ntasks-per-node=8\nsrun python a.py", "");
}

/* ---- hostile text ---------------------------------------------------------------------------- */

static const dtc_dialect dialects[] = {DTC_DIALECT_NCCL, DTC_DIALECT_HOSTFILE, DTC_DIALECT_SLURM};

/* A status, findings within the text. */
static void check_total(const char *text, size_t len)
{
  for (size_t d = 0; d < sizeof dialects / sizeof dialects[0]; d++) {
    dtc_lint lint = lint_of(dialects[d], d == 1 ? 19006 : 0, 8);
    lint_result r = lint_len(&lint, text, len);
    assert_true(r.status == DTC_OK || r.status == DTC_E_PARSE || r.status == DTC_E_SPACE);
    for (size_t i = 0; i < r.count && i < LINT_FINDINGS; i++)
      assert_true(r.findings[i].offset <= len || r.findings[i].offset == DTC_NONE);
    if (r.status == DTC_OK)
      (void)lint_lines(&r);
  }
}

static void any_text_gives_a_status(void **state)
{
  (void)state;
  static const char *const parts[] = {"NCCL_IB_HCA=",
                                      "NCCL_SOCKET_IFNAME=",
                                      "mlx5_1",
                                      ",",
                                      ";",
                                      " ",
                                      "\n",
                                      "=",
                                      "^",
                                      ":",
                                      "eth0 UP ",
                                      "10.0.0.1/24",
                                      "mlx5_0 port 1",
                                      "(Up)",
                                      "w slots=",
                                      "8",
                                      "--include=",
                                      "@",
                                      "--exclude",
                                      "#SBATCH ",
                                      "--nodes=",
                                      "srun ",
                                      "torchrun ",
                                      "--nproc_per_node",
                                      "'",
                                      "\"",
                                      "$A",
                                      "${A",
                                      "\\",
                                      "# SBATCH",
                                      "(",
                                      ")",
                                      "\xff",
                                      "NCCL_ALGO=",
                                      "-N",
                                      "--gres=gpu:",
                                      "python",
                                      "bash -c ",
                                      "0x",
                                      "-",
                                      "\t",
                                      "CUDA_VISIBLE_DEVICES=",
                                      "|| echo localhost",
                                      "=(",
                                      "<<E"};
  uint64_t seed = 11;
  for (int i = 0; i < 6000; i++) {
    char text[512];
    size_t len = 0, n = check_random(&seed, 24);
    for (size_t k = 0; k < n; k++) {
      const char *part = parts[check_random(&seed, sizeof parts / sizeof parts[0])];
      memcpy(text + len, part, strlen(part));
      len += strlen(part);
    }
    check_total(text, len);
  }
}

static void texts_cut_anywhere_give_a_status(void **state)
{
  (void)state;
  static const char text[] =
      "export NCCL_IB_HCA='mlx5_0, mlx5_1'\neth0 UP 10.0.0.1/24\nmlx5_0 port 1 ==> ib0 (Up)\n"
      "#SBATCH -N2 --gres=gpu:h100:8(S:0-1),x\nsrun -n8 bash -c \"torchrun --nproc_per_node 8\"\n"
      "w slots=8\n--include=w:0,1@v --launcher slurm\n";
  for (size_t from = 0; from < sizeof text; from++)
    for (size_t len = 0; from + len < sizeof text; len += 1 + len / 8)
      check_total(text + from, len);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_prefixes),
      cmocka_unit_test(ports_are_read_as_atoi_reads),
      cmocka_unit_test(names_and_lists_have_limits),
      cmocka_unit_test(bad_devices_are_refused),
      cmocka_unit_test(random_lists_select_what_they_say),
      cmocka_unit_test(every_rule_of_nccl_has_an_example),
      cmocka_unit_test(every_rule_of_hostfiles_has_an_example),
      cmocka_unit_test(every_rule_of_slurm_has_an_example),
      cmocka_unit_test(numbers_are_read_as_far_as_they_go),
      cmocka_unit_test(numbers_of_c),
      cmocka_unit_test(unknown_names_are_warned_of),
      cmocka_unit_test(lists_that_go_on_are_read_to_the_end_of_the_line),
      cmocka_unit_test(interfaces_of_the_text_are_held_against_lists),
      cmocka_unit_test(more_interfaces_than_there_is_room_for_do_no_harm),
      cmocka_unit_test(lines_of_a_hostfile_are_read_as_the_launcher_reads_them),
      cmocka_unit_test(filters_name_hosts_and_slots),
      cmocka_unit_test(many_hosts_are_read),
      cmocka_unit_test(launchers_are_found_wherever_srun_starts_them),
      cmocka_unit_test(flags_of_slurm_are_known),
      cmocka_unit_test(any_text_gives_a_status),
      cmocka_unit_test(texts_cut_anywhere_give_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
