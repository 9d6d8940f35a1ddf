/* The arguments, and one call per function: Llama-3 70B on DGX H100, as Megatron would train it on 512 GPUs. */
#include "bench.h"

static const char plan_text[] = "dtcore: megatron tp=8 pp=4 dp=16 mbs=1 gbs=1024 seq=4096 recompute=selective";
static const char plan_text_16[] = "dtcore: megatron tp=8 pp=16 dp=4 mbs=1 gbs=1024 seq=4096 recompute=selective";

/* config.json of Llama-3 70B: the keys that transformers writes for a Llama. */
static const char config[] =
    "{\"architectures\": [\"LlamaForCausalLM\"], \"attention_bias\": false, \"attention_dropout\": 0.0, "
    "\"bos_token_id\": 128000, \"eos_token_id\": 128001, \"hidden_act\": \"silu\", \"hidden_size\": 8192, "
    "\"initializer_range\": 0.02, \"intermediate_size\": 28672, \"max_position_embeddings\": 8192, "
    "\"model_type\": \"llama\", \"num_attention_heads\": 64, \"num_hidden_layers\": 80, \"num_key_value_heads\": 8, "
    "\"pretraining_tp\": 1, \"rms_norm_eps\": 1e-05, \"rope_scaling\": null, \"rope_theta\": 500000.0, "
    "\"tie_word_embeddings\": false, \"torch_dtype\": \"bfloat16\", \"use_cache\": true, \"vocab_size\": 128256}";

/* Arguments: read only after bench_setup(). */
static dtc_model model;
static dtc_cluster cluster;
static dtc_plan plan;      /* 4 stages */
static dtc_plan plan_16;   /* 16 stages */
static dtc_plan open_plan; /* degrees to be found */
static dtc_error refusal;  /* an error with nearest legal values */

/* Results. */
static dtc_model model_out;
static dtc_cluster cluster_out;
static dtc_plan plan_out;
static dtc_params params;
static dtc_tensor tensor;
static dtc_stage stage;
static dtc_states states;
static dtc_memory memory, memories[16];
static dtc_fit fit;
static dtc_error err, findings[32];
static dtc_ledger_row rows[64];
static uint64_t count;
static size_t size;
static double flops;
static char text[512];

/* Results of the functions that cannot fail, kept where the compiler must believe that somebody reads them. */
static volatile uintptr_t kept;

static dtc_status keep(uintptr_t value)
{
  kept = value;
  return DTC_OK;
}

#define KEEP(value) keep((uintptr_t)(value))

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_cluster_count, KEEP(dtc_cluster_count()))                                                                      \
  X(dtc_cluster_find, dtc_cluster_find("dgx-h100", &cluster_out, &err))                                                \
  X(dtc_cluster_name, KEEP(dtc_cluster_name(3)))                                                                       \
  X(dtc_cluster_resolve, dtc_cluster_resolve(&cluster, &cluster_out, &err))                                            \
  X(dtc_cluster_source, KEEP(dtc_cluster_source(3)))                                                                   \
  X(dtc_error_format, KEEP(dtc_error_format(&refusal, DTC_LANG_EN, text, sizeof text)))                                \
  X(dtc_field_name, KEEP(dtc_field_name(DTC_FIELD(plan, seq))))                                                        \
  X(dtc_gpu_count, KEEP(dtc_gpu_count()))                                                                              \
  X(dtc_gpu_find, dtc_gpu_find("h100-80gb", &cluster_out, &err))                                                       \
  X(dtc_gpu_name, KEEP(dtc_gpu_name(3)))                                                                               \
  X(dtc_gpu_source, KEEP(dtc_gpu_source(3)))                                                                           \
  X(dtc_ledger_rows, dtc_ledger_rows(&model, &plan, DTC_LAYER_KIND_DENSE, rows, 64, &size, &err))                      \
  X(dtc_memory_estimate, dtc_memory_estimate(&model, &cluster, &plan, NULL, 0, &memory, &err))                         \
  X(memory_16_stages, dtc_memory_estimate(&model, &cluster, &plan_16, NULL, 0, &memory, &err))                         \
  X(dtc_memory_min_gpus, dtc_memory_min_gpus(&model, &cluster, &open_plan, &fit, &plan_out, &err))                     \
  X(dtc_memory_stages, dtc_memory_stages(&model, &cluster, &plan, NULL, 0, memories, 16, &size, &err))                 \
  X(dtc_memory_states, dtc_memory_states(2204928256, &plan, &states, &err))                                            \
  X(dtc_model_count, KEEP(dtc_model_count()))                                                                          \
  X(dtc_model_find, dtc_model_find("llama-3-70b", &model_out, &err))                                                   \
  X(dtc_model_flops, dtc_model_flops(&model, 4096, DTC_FLOPS_MEGATRON, &flops, &err))                                  \
  X(dtc_model_from_hf, dtc_model_from_hf(config, sizeof config - 1, &model_out, &err))                                 \
  X(dtc_model_name, KEEP(dtc_model_name(3)))                                                                           \
  X(dtc_model_params, dtc_model_params(&model, &params, &err))                                                         \
  X(dtc_model_resolve, dtc_model_resolve(&model, &model_out, &err))                                                    \
  X(dtc_model_source, KEEP(dtc_model_source(3)))                                                                       \
  X(dtc_model_tensor, dtc_model_tensor(&model, 500, &tensor, &err))                                                    \
  X(dtc_model_tensor_count, dtc_model_tensor_count(&model, &count, &err))                                              \
  X(dtc_model_tensor_name, dtc_model_tensor_name(&model, 500, text, sizeof text, &size, &err))                         \
  X(dtc_plan_check, dtc_plan_check(&model, &cluster, &plan, findings, 32, &size, &err))                                \
  X(dtc_plan_format, dtc_plan_format("llama-3-70b", &plan, text, sizeof text, &size, &err))                            \
  X(dtc_plan_parse, dtc_plan_parse(plan_text, sizeof plan_text - 1, NULL, &plan_out, &err))                            \
  X(dtc_plan_resolve, dtc_plan_resolve(&model, &cluster, &plan, &plan_out, &err))                                      \
  X(dtc_plan_stage, dtc_plan_stage(&model, &plan, 2, &stage, &err))                                                    \
  X(dtc_struct_size, KEEP(dtc_struct_size(DTC_STRUCT_plan)))                                                           \
  X(dtc_value_name, KEEP(dtc_value_name(DTC_FIELD(plan, sharding), DTC_SHARDING_ZERO2)))                               \
  X(dtc_version, KEEP(dtc_version()))                                                                                  \
  X(dtc_version_string, KEEP(dtc_version_string()))

/* The status is stored before it is returned, so that no call becomes a jump, which a profile would not show. */
#define DEFINE(name, expression)                                                                                       \
  static dtc_status call_##name(void)                                                                                  \
  {                                                                                                                    \
    dtc_status status = expression;                                                                                    \
    kept = (uintptr_t)status;                                                                                          \
    return status;                                                                                                     \
  }
ENTRIES(DEFINE)

#define ROW(name, expression) {#name, call_##name},
const bench_entry bench_entries[] = {ENTRIES(ROW)};
const size_t bench_entries_count = sizeof bench_entries / sizeof *bench_entries;

static int parse(const char *line, dtc_plan *out)
{
  DTC_INIT(out);
  return dtc_plan_parse(line, strlen(line), NULL, out, &err) == DTC_OK;
}

int bench_setup(void)
{
  DTC_INIT(&err);
  DTC_INIT(&refusal);
  DTC_INIT(&model);
  DTC_INIT(&model_out);
  DTC_INIT(&cluster);
  DTC_INIT(&cluster_out);
  DTC_INIT(&plan_out);
  DTC_INIT(&params);
  DTC_INIT(&tensor);
  DTC_INIT(&states);
  DTC_INIT(&memory);
  DTC_INIT(&memories[0]);
  DTC_INIT(&fit);
  DTC_INIT(&findings[0]);
  if (dtc_model_find("llama-3-70b", &model, &err) != DTC_OK || dtc_cluster_find("dgx-h100", &cluster, &err) != DTC_OK)
    return 0;
  if (!parse(plan_text, &plan) || !parse(plan_text_16, &plan_16) || !parse("megatron mbs=1 seq=4096", &open_plan))
    return 0;
  plan_out = plan;
  plan_out.tp = 7; /* does not divide the 64 heads */
  if (dtc_plan_resolve(&model, &cluster, &plan_out, &plan_out, &refusal) == DTC_OK)
    return 0;
  return 1;
}
