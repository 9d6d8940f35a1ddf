/* Launch texts, by hand: what is written word by word, what is refused, and that a text is cut like snprintf's. */
#include "launch_check.h"

#include "internal/internal.h"

/* ---- the four of a well-known article -------------------------------------------------------- */

static void ddp_by_torchrun(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 2, "pytorch mbs=4 gbs=64", DTC_LAUNCH_TARGET_TORCHRUN);
  check_text(&a, "train.py", "node0 node1",
             "# 16 GPUs = DP 16, on 2 nodes of 8.\n"
             "# A step: 64 sequences = micro-batch 4 * DP 16 * accumulation 1.\n"
             "# Run this on every node, with NODE_RANK from 0 on the first, node0, to 1 on the last.\n"
             "torchrun \\\n    --nnodes=2 \\\n    --nproc-per-node=8 \\\n    --node-rank=\"${NODE_RANK}\" \\\n"
             "    --master-addr=node0 \\\n    --master-port=29500 \\\n    train.py\n");
  a.launch.node = 2;
  a.launch.port = 1234;
  check_text(&a, "train.py\n--lr\n1e-4", "node0,node1",
             "# 16 GPUs = DP 16, on 2 nodes of 8.\n"
             "# A step: 64 sequences = micro-batch 4 * DP 16 * accumulation 1.\n"
             "# Run this on node 2, node1.\n"
             "torchrun \\\n    --nnodes=2 \\\n    --nproc-per-node=8 \\\n    --node-rank=1 \\\n"
             "    --master-addr=node0 \\\n    --master-port=1234 \\\n    train.py \\\n        --lr \\\n        1e-4\n");
}

static void fsdp_by_accelerate(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 4, "pytorch sharding=fsdp mbs=1 gbs=32 recompute=full", DTC_LAUNCH_TARGET_ACCELERATE);
  check_text(&a, "", "a b c d",
             "# 32 GPUs = DP 32, on 4 nodes of 8.\n"
             "# A step: 32 sequences = micro-batch 1 * DP 32 * accumulation 1.\n"
             "compute_environment: 'LOCAL_MACHINE'\n"
             "distributed_type: 'FSDP'\n"
             "mixed_precision: 'bf16'\n"
             "num_machines: 4\n"
             "num_processes: 32\n"
             "machine_rank: 0\n"
             "main_process_ip: 'a'\n"
             "main_process_port: 29500\n"
             "rdzv_backend: 'static'\n"
             "same_network: true\n"
             "fsdp_config:\n"
             "  fsdp_version: 2\n"
             "  fsdp_reshard_after_forward: true\n"
             "  fsdp_auto_wrap_policy: 'TRANSFORMER_BASED_WRAP'\n"
             "  fsdp_state_dict_type: 'SHARDED_STATE_DICT'\n"
             "  fsdp_cpu_ram_efficient_loading: true\n"
             "  fsdp_activation_checkpointing: true\n");
  a.launch.target = DTC_LAUNCH_TARGET_ACCELERATE_RUN;
  check_text(&a, "train.py", "a b c d",
             "# 32 GPUs = DP 32, on 4 nodes of 8.\n"
             "# A step: 32 sequences = micro-batch 1 * DP 32 * accumulation 1.\n"
             "# The script makes the split: these arguments do not say it.\n"
             "# Run this on every node, with NODE_RANK from 0 on the first, a, to 3 on the last.\n"
             "accelerate launch \\\n    --config_file=accelerate.yaml \\\n    --machine_rank=\"${NODE_RANK}\" \\\n"
             "    train.py\n");
}

static void zero3_by_deepspeed(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 4, "deepspeed sharding=zero3 mbs=1 gbs=64", DTC_LAUNCH_TARGET_DS_CONFIG);
  check_text(&a, "", "",
             "{\n"
             "  \"train_batch_size\": 64,\n"
             "  \"train_micro_batch_size_per_gpu\": 1,\n"
             "  \"gradient_accumulation_steps\": 2,\n"
             "  \"bf16\": {\n    \"enabled\": true\n  },\n"
             "  \"zero_optimization\": {\n    \"stage\": 3,\n"
             "    \"stage3_gather_16bit_weights_on_model_save\": true\n  }\n"
             "}\n");
  a.launch.target = DTC_LAUNCH_TARGET_HOSTFILE;
  check_text(&a, "", "a b c d", "a slots=8\nb slots=8\nc slots=8\nd slots=8\n");
  a.launch.target = DTC_LAUNCH_TARGET_DEFAULT;
  check_text(&a, "train.py", "",
             "# 32 GPUs = DP 32, on 4 nodes of 8.\n"
             "# A step: 64 sequences = micro-batch 1 * DP 32 * accumulation 2.\n"
             "# Run this once, on any node that reaches all hosts of the hostfile by ssh.\n"
             "deepspeed \\\n    --hostfile=hostfile \\\n    train.py \\\n        --deepspeed \\\n"
             "        --deepspeed_config ds_config.json\n");
}

/* TP 4 and PP 4 on 512 GPUs leave DP 32; the accumulation is 1024 / 32. */
static void megatron_on_64_nodes(void **state)
{
  (void)state;
  asked a = ask("gpt3-175b", 64, "megatron tp=4 pp=4 mbs=1 gbs=1024", DTC_LAUNCH_TARGET_MEGATRON);
  check_text(&a, "", "",
             "# 512 GPUs = DP 32 * TP 4 * PP 4, on 64 nodes of 8.\n"
             "# A step: 1024 sequences = micro-batch 1 * DP 32 * accumulation 32.\n"
             "# Shapes and the split. To be added: rotary base, the router's details, data, tokenizer,\n"
             "# learning rate, checkpoints.\n"
             "MEGATRON_ARGS=(\n"
             "    --tensor-model-parallel-size 4\n"
             "    --pipeline-model-parallel-size 4\n"
             "    --use-distributed-optimizer\n"
             "    --micro-batch-size 1\n"
             "    --global-batch-size 1024\n"
             "    --seq-length 2048\n"
             "    --bf16\n"
             "    --num-layers 96\n"
             "    --hidden-size 12288\n"
             "    --ffn-hidden-size 49152\n"
             "    --num-attention-heads 96\n"
             "    --max-position-embeddings 2048\n"
             "    --vocab-size 50257\n"
             "    --hidden-dropout 0\n"
             "    --attention-dropout 0\n"
             ")\n");
  a.launch.target = DTC_LAUNCH_TARGET_ENVIRONMENT;
  check_text(&a, "", "",
             "# 512 GPUs = DP 32 * TP 4 * PP 4, on 64 nodes of 8.\n"
             "# A step: 1024 sequences = micro-batch 1 * DP 32 * accumulation 32.\n"
             "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
             "export MASTER_PORT=29500\n");
}

/* ---- others ---------------------------------------------------------------------------------- */

static void one_node(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 1, "pytorch mbs=4 gbs=32", DTC_LAUNCH_TARGET_TORCHRUN);
  const char head[] =
      "# 8 GPUs = DP 8, on 1 node of 8.\n# A step: 32 sequences = micro-batch 4 * DP 8 * accumulation 1.\n";
  char expected[512];
  const struct {
    dtc_launch_target target;
    const char *line;
  } lines[] = {
      {DTC_LAUNCH_TARGET_TORCHRUN, "torchrun \\\n    --nproc-per-node=8 \\\n    train.py\n"},
      {DTC_LAUNCH_TARGET_STANDALONE, "torchrun \\\n    --standalone \\\n    --nproc-per-node=8 \\\n    train.py\n"},
  };
  for (size_t i = 0; i < 2; i++) {
    a.launch.target = lines[i].target;
    memcpy(expected, head, sizeof head);
    memcpy(expected + sizeof head - 1, lines[i].line, strlen(lines[i].line) + 1);
    check_text(&a, "", "", expected);
  }
}

static void words_are_quoted(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 1, "pytorch mbs=4 gbs=32", DTC_LAUNCH_TARGET_STANDALONE);
  check_text(&a, "it's.py\n\n=a\n$b `c` \"d\" \\\n-e=f", "",
             "# 8 GPUs = DP 8, on 1 node of 8.\n# A step: 32 sequences = micro-batch 4 * DP 8 * accumulation 1.\n"
             "torchrun \\\n    --standalone \\\n    --nproc-per-node=8 \\\n    'it'\\''s.py' \\\n        '' \\\n"
             "        '=a' \\\n        '$b `c` \"d\" \\' \\\n        -e=f\n");
}

static void refusals(void **state)
{
  (void)state;
  const uint32_t hosts = DTC_ARG_HOSTS;
  const struct {
    const char *model;
    const char *words;
    dtc_launch_target target;
    const char *hosts;
    dtc_status status;
    dtc_rule rule;
    uint32_t field;
  } rows[] = {
      {"llama-2-7b", "deepspeed gbs=64", DTC_LAUNCH_TARGET_MEGATRON, "", DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_TARGET,
       DTC_FIELD(launch, target)},
      {"llama-2-7b", "pytorch gbs=64", DTC_LAUNCH_TARGET_STANDALONE, "", DTC_E_CONFLICT, DTC_RULE_LAUNCH_ONE_NODE,
       DTC_FIELD(launch, nodes)},
      {"llama-2-7b", "pytorch gbs=64", DTC_LAUNCH_TARGET_TORCHRUN, "a b c", DTC_E_CONFLICT, DTC_RULE_LAUNCH_HOSTS,
       hosts},
      {"llama-2-7b", "pytorch gbs=64", DTC_LAUNCH_TARGET_TORCHRUN, "a b;", DTC_E_PARSE, DTC_RULE_LAUNCH_CHARACTER,
       hosts},
      {"llama-2-7b", "pytorch gbs=64", DTC_LAUNCH_TARGET_TORCHRUN, "a -b", DTC_E_PARSE, DTC_RULE_LAUNCH_CHARACTER,
       hosts},
      {"llama-2-7b", "pytorch sharding=fsdp gbs=64", DTC_LAUNCH_TARGET_ACCELERATE, "", DTC_E_CONFLICT,
       DTC_RULE_LAUNCH_NEEDS, hosts},
      {"llama-2-7b", "pytorch gbs=64", DTC_LAUNCH_TARGET_ENVIRONMENT + 1, "", DTC_E_RANGE, DTC_RULE_RANGE,
       DTC_FIELD(launch, target)},
      {"llama-2-7b", "megatron@0.10 gbs=64", DTC_LAUNCH_TARGET_MEGATRON, "", DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_VERSION,
       DTC_FIELD(plan, framework_version)},
      {"llama-2-7b", "megatron sharding=fsdp pp=2 gbs=64", DTC_LAUNCH_TARGET_MEGATRON, "", DTC_E_UNSUPPORTED,
       DTC_RULE_LAUNCH_TOGETHER, DTC_FIELD(plan, pp)},
      {"llama-2-7b", "megatron loss=compiled gbs=64", DTC_LAUNCH_TARGET_MEGATRON, "", DTC_E_UNSUPPORTED,
       DTC_RULE_LAUNCH_VALUE, DTC_FIELD(plan, loss)},
      {"llama-2-7b", "megatron compile gbs=64", DTC_LAUNCH_TARGET_MEGATRON, "", DTC_E_UNSUPPORTED,
       DTC_RULE_LAUNCH_SETTING, DTC_FIELD(plan, compile)},
      {"bloom", "megatron gbs=64", DTC_LAUNCH_TARGET_MEGATRON, "", DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_VALUE,
       DTC_FIELD(model, arch)},
      {"llama-2-7b", "pytorch sharding=fsdp bucket_view gbs=64", DTC_LAUNCH_TARGET_ACCELERATE, "a b", DTC_E_UNSUPPORTED,
       DTC_RULE_LAUNCH_SETTING, DTC_FIELD(plan, bucket_view)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    asked a = ask(rows[i].model, 2, rows[i].words, rows[i].target);
    check_refused(&a, rows[i].hosts, rows[i].status, rows[i].rule, rows[i].field);
  }
}

static void nodes_that_do_not_fit(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 2, "pytorch gbs=64", DTC_LAUNCH_TARGET_TORCHRUN);
  a.launch.gpus_per_node = 7;
  check_refused(&a, "", DTC_E_CONFLICT, DTC_RULE_LAUNCH_NODES, DTC_FIELD(launch, gpus_per_node));
  a.launch.gpus_per_node = 0;
  a.launch.nodes = 3;
  check_refused(&a, "", DTC_E_CONFLICT, DTC_RULE_LAUNCH_NODES, DTC_FIELD(launch, gpus_per_node));
  a.launch.nodes = 2;
  a.launch.node = 3;
  check_refused(&a, "", DTC_E_RANGE, DTC_RULE_RANGE, DTC_FIELD(launch, node));
}

static void cut_like_snprintf(void **state)
{
  (void)state;
  asked a = ask("gpt3-175b", 64, "megatron tp=4 pp=4 gbs=1024", DTC_LAUNCH_TARGET_TORCHRUN);
  char whole[ROOM], small[64];
  size_t len = 0, again = 0;
  assert_int_equal(
      dtc_launch_write(&a.model, &a.cluster, &a.plan, &a.launch, NULL, 9, NULL, 9, whole, ROOM, &len, NULL), DTC_OK);
  assert_int_equal(dtc_launch_write(&a.model, &a.cluster, &a.plan, &a.launch, NULL, 0, NULL, 0, NULL, 99, &again, NULL),
                   DTC_OK);
  assert_int_equal(again, len);
  for (size_t cap = 1; cap < sizeof small; cap++) {
    memset(small, 'x', sizeof small);
    assert_int_equal(dtc_launch_write(&a.model, &a.cluster, &a.plan, &a.launch, "", 0, "", 0, small, cap, NULL, NULL),
                     DTC_OK);
    assert_memory_equal(small, whole, cap - 1);
    assert_int_equal(small[cap - 1], 0);
  }
}

static void structs_and_files(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 2, "pytorch gbs=64", DTC_LAUNCH_TARGET_TORCHRUN);
  dtc_launch odd = a.launch;
  odd.struct_size = 8;
  a.launch = odd;
  check_refused(&a, "", DTC_E_SIZE, DTC_RULE_STRUCT_SIZE, DTC_FIELD(launch, struct_size));
  assert_null(dtc_launch_file(DTC_LAUNCH_TARGET_DEFAULT));
  assert_null(dtc_launch_file(DTC_LAUNCH_TARGET_ENVIRONMENT + 1));
  assert_null(dtc_launch_file(UINT32_MAX));
  assert_string_equal(dtc_launch_file(DTC_LAUNCH_TARGET_DS_CONFIG), "ds_config.json");
}

static void usual_targets(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 2, "deepspeed sharding=zero3", DTC_LAUNCH_TARGET_DEFAULT);
  uint32_t out[6] = {0};
  size_t count = 0;
  assert_int_equal(dtc_launch_targets(&a.plan, &a.launch, out, 6, &count, NULL), DTC_OK);
  assert_int_equal(count, 4);
  assert_int_equal(out[0], DTC_LAUNCH_TARGET_DEEPSPEED);
  assert_int_equal(out[1], DTC_LAUNCH_TARGET_HOSTFILE);
  assert_int_equal(out[2], DTC_LAUNCH_TARGET_DS_CONFIG);
  assert_int_equal(out[3], DTC_LAUNCH_TARGET_SBATCH_TORCHRUN);
  a.launch.nodes = 1;
  assert_int_equal(dtc_launch_targets(&a.plan, &a.launch, out, 1, &count, NULL), DTC_E_SPACE);
  assert_int_equal(count, 3);
  dtc_error err;
  DTC_INIT(&err);
  a.plan.framework_version = 999000; /* not known yet */
  count = 77;
  assert_int_equal(dtc_launch_targets(&a.plan, &a.launch, out, 6, &count, &err), DTC_E_RANGE);
  assert_int_equal(err.field, DTC_FIELD(plan, framework_version));
  assert_int_equal(count, 77);
}

/* Where a launcher is told the hosts, and the port when it is not the usual one. */
static void hosts_and_ports(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 2, "pytorch mbs=4 gbs=64", DTC_LAUNCH_TARGET_C10D);
  check_holds(&a, "n0 n1", "--rdzv-endpoint=n0:29500");
  a.launch.target = DTC_LAUNCH_TARGET_ENVIRONMENT;
  check_holds(&a, "n0,n1", "export MASTER_ADDR=n0\n");
  a = ask("llama-2-7b", 2, "colossalai sharding=zero1 mbs=4 gbs=64", DTC_LAUNCH_TARGET_COLOSSALAI_RUN);
  check_holds(&a, "n0 n1", "--host n0,n1");
  check_holds(&a, "n0 n1", "--master_addr n0");
  check_refused(&a, "", DTC_E_CONFLICT, DTC_RULE_LAUNCH_NEEDS, DTCI_ARG(HOSTS));
  a.launch.port = 1234;
  check_holds(&a, "n0 n1", "--master_port 1234");
  a = ask("llama-2-7b", 1, "deepspeed sharding=zero3 mbs=4 gbs=64", DTC_LAUNCH_TARGET_DEEPSPEED);
  a.launch.port = 1234;
  check_holds(&a, "", "--master_port=1234");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hosts_and_ports),       cmocka_unit_test(ddp_by_torchrun),
      cmocka_unit_test(fsdp_by_accelerate),    cmocka_unit_test(zero3_by_deepspeed),
      cmocka_unit_test(megatron_on_64_nodes),  cmocka_unit_test(one_node),
      cmocka_unit_test(words_are_quoted),      cmocka_unit_test(refusals),
      cmocka_unit_test(nodes_that_do_not_fit), cmocka_unit_test(cut_like_snprintf),
      cmocka_unit_test(structs_and_files),     cmocka_unit_test(usual_targets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
