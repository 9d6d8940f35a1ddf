/* Configurations word by word: Megatron's patterns and lists, TorchTitan's function, ColossalAI's plugins, and what none of
 * them can say. */
#include "launch_check.h"

#define HEAD_OF_ONE                                                                                                    \
  "# 8 GPUs = DP 8, on 1 node of 8.\n"                                                                                 \
  "# A step: 8 sequences = micro-batch 1 * DP 8 * accumulation 1.\n"

/* The refusal names the field, its value and the only one that there is, or range. */
static void check_only(const asked *a, uint32_t field, uint64_t got, uint64_t min, uint64_t max)
{
  dtc_error err;
  DTC_INIT(&err);
  assert_int_equal(dtc_launch_write(&a->model, &a->cluster, &a->plan, &a->launch, "", 0, "", 0, text, ROOM, NULL, &err),
                   DTC_E_UNSUPPORTED);
  assert_int_equal(err.field, field);
  assert_int_equal(err.got, got);
  assert_int_equal(err.min, min);
  assert_int_equal(err.max, max);
}

/* ---- Megatron -------------------------------------------------------------------------------- */

/* Layer i is MoE when i mod moe_every is moe_offset, counted from the first layer of all: of 32 layers behind 2 dense ones,
 * one in 3 of offset 0 are 3, 6, ... 30. A number alone means offset 0. */
static void moe_layers(void **state)
{
  (void)state;
  const struct {
    uint64_t dense;
    uint64_t every;
    uint64_t offset;
    const char *flag;
  } rows[] = {
      {0, 2, 0, "--moe-layer-freq 2\n"},
      {0, 2, 1, "--moe-layer-freq '(([0]*1+[1]+[0]*0)*16)'\n"},
      {2, 1, 0, "--moe-layer-freq '([0]*2+[1]*30)'\n"},
      {2, 2, 1, "--moe-layer-freq '([0]*2+([0]*1+[1]+[0]*0)*15)'\n"},
      {2, 3, 0, "--moe-layer-freq '([0]*2+([0]*1+[1]+[0]*1)*10)'\n"},
      {2, 3, 2, "--moe-layer-freq '([0]*2+([0]*0+[1]+[0]*2)*10)'\n"},
      {5, 3, 1, "--moe-layer-freq '([0]*5+([0]*2+[1]+[0]*0)*9)'\n"},
  };
  asked a = ask("mixtral-8x7b", 1, "megatron mbs=1 gbs=8", DTC_LAUNCH_TARGET_MEGATRON);
  a.model.arch = DTC_ARCH_MEGATRON; /* Mixtral has no dense layers */
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    a.model.dense_layers = rows[i].dense;
    a.model.moe_every = rows[i].every;
    a.model.moe_offset = rows[i].offset;
    check_holds(&a, "", rows[i].flag);
  }
  a.model.dense_layers = 0; /* 32 layers are not a number of threes */
  a.model.moe_every = 3;
  check_refused(&a, "", DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_VALUE, DTC_FIELD(model, moe_every));
  a.model.moe_every = 1; /* every layer, which is the default */
  a.model.moe_offset = 0;
  check_holds(&a, "", "--num-experts 8\n    --moe-router-topk 2\n");
}

static void lists_and_fractions(void **state)
{
  (void)state;
  asked a = ask("mixtral-8x7b", 1, "megatron ep=8 mbs=1 gbs=8 capacity_percent=125", DTC_LAUNCH_TARGET_MEGATRON);
  check_holds(&a, "", "--moe-expert-capacity-factor 1.25\n");
  a.plan.capacity_percent = 200;
  check_holds(&a, "", "--moe-expert-capacity-factor 2.00\n");
  a.plan.capacity_percent = 1005;
  check_holds(&a, "", "--moe-expert-capacity-factor 10.05\n");
  a = ask("llama-2-7b", 1, "megatron mbs=1 gbs=8 recompute=selective recompute_mlp recompute_layernorm",
          DTC_LAUNCH_TARGET_MEGATRON);
  check_holds(&a, "", "--recompute-granularity selective\n    --recompute-modules mlp layernorm\n");
  a = ask("llama-2-7b", 1, "megatron mbs=1 gbs=8 recompute=selective", DTC_LAUNCH_TARGET_MEGATRON);
  check_holds(&a, "", "--recompute-modules core_attn\n");
}

/* Megatron multiplies the multiple by the degree: 1024 of 8 ranks are 128 each, 100 are no number. */
static void vocabulary_of_ranks(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 1, "megatron tp=8 mbs=1 gbs=8 vocab_multiple=1024", DTC_LAUNCH_TARGET_MEGATRON);
  check_holds(&a, "", "--make-vocab-size-divisible-by 128\n");
  a.plan.vocab_multiple = 1000 + 4;
  check_refused(&a, "", DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_VALUE, DTC_FIELD(plan, vocab_multiple));
}

/* ---- accelerate ------------------------------------------------------------------------------ */

/* FSDP1 replicates between nodes and shards inside: other numbers need FSDP2. */
static void old_hybrid_shards(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 2, "pytorch sharding=hsdp dp_shard=8 mbs=1 gbs=16", DTC_LAUNCH_TARGET_ACCELERATE);
  a.launch.fsdp = 1;
  check_holds(&a, "a b", "  fsdp_version: 1\n  fsdp_sharding_strategy: 'HYBRID_SHARD'\n");
  a.plan.dp_shard = 4;
  check_refused(&a, "a b", DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_TOGETHER, DTC_FIELD(plan, dp_shard));
  check_only(&a, DTC_FIELD(plan, dp_shard), 4, 8, 8);
  a.launch.fsdp = 2;
  check_holds(&a, "a b",
              "parallelism_config:\n  parallelism_config_dp_replicate_size: 4\n"
              "  parallelism_config_dp_shard_size: 4\n");
}

/* ---- TorchTitan ------------------------------------------------------------------------------ */

static void titan_function(void **state)
{
  (void)state;
  asked a =
      ask("llama-2-7b", 1, "torchtitan@0.3.0 sharding=fsdp mbs=1 gbs=8 recompute=none", DTC_LAUNCH_TARGET_TITAN_PYTHON);
  check_text(&a, "", "",
             HEAD_OF_ONE "\ndef with_plan(config):\n"
                         "    \"\"\"Puts the plan into a Trainer.Config, and returns it.\"\"\"\n"
                         "    config.training.local_batch_size = 1\n"
                         "    config.training.global_batch_size = 8\n"
                         "    config.training.seq_len = 4096\n"
                         "    config.parallelism.data_parallel_shard_degree = 8\n"
                         "    config.activation_checkpoint = None\n"
                         "    return config\n");
  a.plan.recompute = DTC_RECOMPUTE_FULL;
  check_holds(&a, "",
              "accumulation 1.\nfrom torchtitan.distributed.activation_checkpoint import FullAC\n\n\ndef with_plan");
  check_holds(&a, "", "    config.activation_checkpoint = FullAC.Config()\n");
  a.plan.recompute = DTC_RECOMPUTE_SELECTIVE;
  check_holds(&a, "", "from torchtitan.distributed.activation_checkpoint import SelectiveAC\n\n\ndef with_plan");
  check_holds(&a, "", "    config.activation_checkpoint = SelectiveAC.Config()\n");
}

/* ---- ColossalAI ------------------------------------------------------------------------------ */

#define PLUGIN(name)                                                                                                   \
  "from colossalai.booster import Booster\nfrom colossalai.booster.plugin import " name "\n\nplugin = " name "(\n"

static void plugins_of_shardings(void **state)
{
  (void)state;
  const struct {
    const char *words;
    const char *part;
  } rows[] = {
      {"sharding=ddp precision=fp16",
       PLUGIN("TorchDDPPlugin") ")\nbooster = Booster(mixed_precision=\"fp16\", plugin=plugin)\n"},
      {"sharding=ddp precision=fp32", PLUGIN("TorchDDPPlugin") ")\nbooster = Booster(plugin=plugin)\n"},
      {"sharding=zero1", PLUGIN("LowLevelZeroPlugin") "    precision=\"bf16\",\n)\nbooster = Booster(plugin=plugin)\n"},
      {"sharding=zero2 precision=fp32 offload=optimizer",
       PLUGIN("LowLevelZeroPlugin") "    stage=2,\n    cpu_offload=True,\n    precision=\"fp32\",\n)\n"},
      {"sharding=zero3", PLUGIN("GeminiPlugin") "    placement_policy=\"static\",\n    shard_param_frac=1.0,\n"},
      {"sharding=zero3 offload=params",
       "    shard_param_frac=1.0,\n    offload_optim_frac=1.0,\n    offload_param_frac=1.0,\n"},
      {"sharding=ddp tp=2 precision=fp16", PLUGIN("HybridParallelPlugin") "    tp_size=2,\n    pp_size=1,\n"},
      {"sharding=ddp tp=2 precision=fp16", ")\nbooster = Booster(plugin=plugin)\n"},
      {"sharding=zero1 pp=2", PLUGIN("HybridParallelPlugin") "    tp_size=1,\n    pp_size=2,\n    zero_stage=1,\n"},
      {"sharding=zero1 pp=2", "    num_microbatches=8,\n"},
      {"sharding=zero2 cp=2", PLUGIN("HybridParallelPlugin") "    tp_size=1,\n    pp_size=1,\n    zero_stage=2,\n"
                                                             "    enable_sequence_parallelism=True,\n    "
                                                             "sequence_parallelism_mode=\"all_to_all\",\n"
                                                             "    sp_size=2,\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char words[128] = "colossalai mbs=1 gbs=32 ";
    strcat(words, rows[i].words);
    asked a = ask("llama-2-7b", 1, words, DTC_LAUNCH_TARGET_COLOSSALAI);
    check_holds(&a, "", rows[i].part);
  }
  asked a = ask("mixtral-8x7b", 1, "colossalai sharding=zero1 ep=2 mbs=1 gbs=8", DTC_LAUNCH_TARGET_COLOSSALAI);
  check_holds(&a, "", PLUGIN("MoeHybridParallelPlugin") "    tp_size=1,\n    pp_size=1,\n    ep_size=2,\n");
}

/* Of PyTorch's DDP the booster brings the precision: fp16 or none. With tensor parallel ranks the plugin does, which has
 * bf16. */
static void precision_of_ddp(void **state)
{
  (void)state;
  asked a = ask("llama-2-7b", 1, "colossalai sharding=ddp mbs=1 gbs=8", DTC_LAUNCH_TARGET_COLOSSALAI);
  check_refused(&a, "", DTC_E_UNSUPPORTED, DTC_RULE_LAUNCH_TOGETHER, DTC_FIELD(plan, precision));
  a.plan.tp = 2;
  check_holds(&a, "", "    precision=\"bf16\",\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moe_layers),        cmocka_unit_test(lists_and_fractions),
      cmocka_unit_test(old_hybrid_shards), cmocka_unit_test(vocabulary_of_ranks),
      cmocka_unit_test(titan_function),    cmocka_unit_test(plugins_of_shardings),
      cmocka_unit_test(precision_of_ddp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
