/* memory_megatron: Megatron-LM's own report, from its arguments. */
#include "golden.h"

#include <stdlib.h>

static dtc_bool on_or_off(const golden *g, const char *column)
{
  return golden_number(g, column) != 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

/* "2": one layer in two; "0;1;1": those in front are dense, all behind them are not. Returns 0 for other lists. */
static int read_pattern(const golden *g, dtc_model *m)
{
  const char *list = golden_cell(g, "moe_layer_freq");
  m->moe_every = 1;
  if (strchr(list, ';') == NULL) {
    m->moe_every = golden_number(g, "moe_layer_freq");
    return 1;
  }
  m->dense_layers = strspn(list, "0;") / 2;
  return strchr(list + strspn(list, "0;"), '0') == NULL;
}

static int read_model(const golden *g, dtc_model *m)
{
  DTC_INIT(m);
  m->arch = DTC_ARCH_MEGATRON;
  m->layers = golden_number(g, "num_layers");
  m->hidden = golden_number(g, "hidden_size");
  m->heads = golden_number(g, "num_attention_heads");
  m->kv_heads = golden_number(g, "group_query_attention") != 0 ? golden_number(g, "num_query_groups") : m->heads;
  m->ffn = golden_number(g, "ffn_hidden_size");
  m->vocab = golden_number(g, "vocab_size");
  m->norm = golden_is(g, "normalization", "RMSNorm") ? DTC_NORM_RMSNORM : DTC_NORM_LAYERNORM;
  m->tied = golden_number(g, "untie_embeddings_and_output_weights") != 0 ? DTC_BOOL_OFF : DTC_BOOL_ON;
  m->gated = on_or_off(g, "swiglu");
  m->qkv_bias = m->out_bias = m->mlp_bias = on_or_off(g, "add_bias_linear");
  m->mtp_layers = golden_number(g, "mtp_num_layers");
  if (golden_number(g, "multi_latent_attention") != 0) {
    m->q_rank = golden_number(g, "q_lora_rank");
    m->kv_rank = golden_number(g, "kv_lora_rank");
    m->qk_nope_dim = golden_number(g, "qk_head_dim");
    m->qk_rope_dim = golden_number(g, "qk_pos_emb_head_dim");
    m->v_dim = golden_number(g, "v_head_dim");
  } else {
    m->head_dim = golden_number(g, "kv_channels");
  }
  if (golden_is(g, "num_experts", ""))
    return 1;
  m->experts = golden_number(g, "num_experts");
  m->top_k = golden_number(g, "moe_router_topk");
  m->moe_ffn = golden_number(g, "moe_ffn_hidden_size");
  m->shared_ffn = golden_number(g, "moe_shared_expert_intermediate_size");
  m->shared_gate = m->shared_ffn != 0 ? on_or_off(g, "moe_shared_expert_gate") : DTC_BOOL_OFF;
  return read_pattern(g, m);
}

static void read_plan(const golden *g, dtc_plan *p)
{
  DTC_INIT(p);
  p->framework = DTC_FRAMEWORK_MEGATRON;
  p->framework_version = DTC_MAIN;
  p->tp = golden_number(g, "tensor_model_parallel_size");
  p->pp = golden_number(g, "pipeline_model_parallel_size");
  p->vpp = golden_number(g, "virtual_pipeline_model_parallel_size");
  p->cp = golden_number(g, "context_parallel_size");
  p->ep = golden_number(g, "expert_model_parallel_size");
  p->etp = golden_number(g, "expert_tensor_parallel_size");
  p->dp = golden_number(g, "data_parallel_size");
  p->sharding = golden_number(g, "use_distributed_optimizer") != 0 ? DTC_SHARDING_DISTOPT : DTC_SHARDING_DDP;
  p->sequence_parallel = on_or_off(g, "sequence_parallel");
  p->recompute = golden_is(g, "recompute_granularity", "selective") ? DTC_RECOMPUTE_SELECTIVE
                 : golden_is(g, "recompute_granularity", "full")    ? DTC_RECOMPUTE_FULL
                                                                    : DTC_RECOMPUTE_NONE;
  p->micro_batch = golden_number(g, "micro_batch_size");
  p->seq = golden_number(g, "seq_length");
  p->accumulation = golden_number(g, "num_microbatches"); /* none given: as many as fill the pipeline */
  /* The padded vocabulary is given; that many rows at once are it. */
  p->vocab_multiple = golden_number(g, "padded_vocab_size");
}

void golden_memory_megatron(golden *g)
{
  const double tolerance = 1e-12;
  dtc_model model;
  dtc_plan plan;
  dtc_estimator_call call;
  dtc_estimator_result got;
  dtc_error err;
  DTC_INIT(&call);
  DTC_INIT(&got);
  DTC_INIT(&err);
  call.estimator = DTC_ESTIMATOR_MEGATRON;
  call.latent = golden_number(g, "moe_latent_size");
  read_plan(g, &plan);
  if (!read_model(g, &model)) {
    golden_refused(g, "a pattern of layers that no model has");
    return;
  }
  if (!golden_ok(g, dtc_memory_framework_estimate(&call, &model, &plan, &got, &err), &err))
    return;
  golden_f64(g, "num_total_parameters", got.params, tolerance);
  golden_f64(g, "num_active_parameters", got.active_params, tolerance);
  golden_f64(g, "num_parameters_on_most_loaded_model_shard", got.shard_params, tolerance);
  golden_f64(g, "num_parameters_on_other_model_shards", got.other_params, tolerance);
  golden_f64(g, "weight_and_optimizer_bytes", got.states, tolerance);
  golden_f64(g, "activation_sp_bytes", got.activations_sp, tolerance);
  golden_f64(g, "activation_without_sp_bytes", got.activations_plain, tolerance);
  golden_f64(g, "reported_activation_bytes", got.activations, tolerance);
  golden_f64(g, "reported_total_bytes", got.gpu, tolerance);
}
