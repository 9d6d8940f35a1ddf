/* Release 1.0.0, as tests/abi/freeze.py wrote it down. Not to be edited: old programs do not change. */
#define SONAME "libdtcore.so.1"

#define FUNCTIONS(X) \
  X(dtc_version) \
  X(dtc_version_string) \
  X(dtc_struct_size) \
  X(dtc_field_name) \
  X(dtc_value_name) \
  X(dtc_error_format) \
  X(dtc_model_count) \
  X(dtc_model_name) \
  X(dtc_model_source) \
  X(dtc_model_find) \
  X(dtc_model_from_hf) \
  X(dtc_model_resolve) \
  X(dtc_model_params) \
  X(dtc_model_tensor_count) \
  X(dtc_model_tensor) \
  X(dtc_model_tensor_name) \
  X(dtc_model_flops) \
  X(dtc_gpu_count) \
  X(dtc_gpu_name) \
  X(dtc_gpu_source) \
  X(dtc_gpu_find) \
  X(dtc_cluster_count) \
  X(dtc_cluster_name) \
  X(dtc_cluster_source) \
  X(dtc_cluster_find) \
  X(dtc_cluster_resolve) \
  X(dtc_plan_resolve) \
  X(dtc_plan_check) \
  X(dtc_plan_parse) \
  X(dtc_plan_format) \
  X(dtc_plan_stage) \
  X(dtc_order_parse) \
  X(dtc_layout_resolve) \
  X(dtc_layout_from_plan) \
  X(dtc_layout_mesh) \
  X(dtc_layout_kinds) \
  X(dtc_layout_groups) \
  X(dtc_group_kind_text) \
  X(dtc_mesh_world) \
  X(dtc_mesh_coord) \
  X(dtc_mesh_rank) \
  X(dtc_mesh_table) \
  X(dtc_mesh_group_of) \
  X(dtc_mesh_member) \
  X(dtc_mesh_listed) \
  X(dtc_mesh_placement) \
  X(dtc_ring_crossings) \
  X(dtc_ring_order) \
  X(dtc_nccl_count) \
  X(dtc_nccl_name) \
  X(dtc_nccl_source) \
  X(dtc_nccl_find) \
  X(dtc_nccl_resolve) \
  X(dtc_nccl_table) \
  X(dtc_nccl_choose) \
  X(dtc_nccl_switches) \
  X(dtc_nccl_tuner_write) \
  X(dtc_shards_resolve) \
  X(dtc_shards_from_plan) \
  X(dtc_shards_shapes) \
  X(dtc_shards_scratch) \
  X(dtc_shards_local) \
  X(dtc_shards_layout) \
  X(dtc_shards_totals) \
  X(dtc_shards_buckets) \
  X(dtc_shards_chunks) \
  X(dtc_shards_fragments) \
  X(dtc_shards_owner) \
  X(dtc_reshard_check) \
  X(dtc_reshard_items) \
  X(dtc_reshard_totals) \
  X(dtc_reshard_scratch) \
  X(dtc_reshard_boxes) \
  X(dtc_reshard_box_totals) \
  X(dtc_checkpoint_estimate) \
  X(dtc_shards_reductions) \
  X(dtc_shards_slices) \
  X(dtc_shards_accumulator) \
  X(dtc_shards_gathers) \
  X(dtc_shards_sub_groups) \
  X(dtc_shards_persistent) \
  X(dtc_shards_secondary) \
  X(dtc_shards_trace) \
  X(dtc_shards_messages) \
  X(dtc_shards_bytes) \
  X(dtc_shards_held) \
  X(dtc_shards_check) \
  X(dtc_shards_offload) \
  X(dtc_pipe_resolve) \
  X(dtc_pipe_from_plan) \
  X(dtc_pipe_stage) \
  X(dtc_pipe_count) \
  X(dtc_pipe_scratch) \
  X(dtc_pipe_order) \
  X(dtc_pipe_op_at) \
  X(dtc_pipe_inflight) \
  X(dtc_pipe_steps) \
  X(dtc_pipe_simulate) \
  X(dtc_pipe_ranks) \
  X(dtc_pipe_sum) \
  X(dtc_pipe_layers) \
  X(dtc_pipe_layers_scratch) \
  X(dtc_pipe_balance) \
  X(dtc_pipe_balance_scratch) \
  X(dtc_collective_resolve) \
  X(dtc_collective_estimate) \
  X(dtc_collective_from_mesh) \
  X(dtc_collective_bytes) \
  X(dtc_collective_exchange) \
  X(dtc_collective_size) \
  X(dtc_collective_judge) \
  X(dtc_collective_fit) \
  X(dtc_collective_law_time) \
  X(dtc_collective_read) \
  X(dtc_collective_classic) \
  X(dtc_moe_estimate) \
  X(dtc_tasks_slurm) \
  X(dtc_tasks_torchrun) \
  X(dtc_tasks_c10d) \
  X(dtc_tasks_deepspeed) \
  X(dtc_tasks_mpi) \
  X(dtc_memory_states) \
  X(dtc_memory_estimate) \
  X(dtc_memory_stages) \
  X(dtc_memory_moments) \
  X(dtc_memory_terms) \
  X(dtc_memory_term_text) \
  X(dtc_memory_min_gpus) \
  X(dtc_memory_max_micro_batch) \
  X(dtc_memory_max_seq) \
  X(dtc_memory_remedies) \
  X(dtc_memory_remedy_plan) \
  X(dtc_memory_framework_estimate) \
  X(dtc_optimizer_bytes) \
  X(dtc_software_count) \
  X(dtc_software_name) \
  X(dtc_software_source) \
  X(dtc_software_find) \
  X(dtc_step_resolve) \
  X(dtc_step_estimate) \
  X(dtc_step_terms) \
  X(dtc_step_term_text) \
  X(dtc_step_costs) \
  X(dtc_step_rates) \
  X(dtc_step_measure) \
  X(dtc_step_fit) \
  X(dtc_step_fit_collective) \
  X(dtc_run_estimate) \
  X(dtc_search_size) \
  X(dtc_search_axis) \
  X(dtc_search_plan) \
  X(dtc_search_run) \
  X(dtc_search_scratch) \
  X(dtc_search_merge) \
  X(dtc_search_change) \
  X(dtc_framework_lint) \
  X(dtc_framework_lint_scratch) \
  X(dtc_framework_lint_hca) \
  X(dtc_launch_write) \
  X(dtc_launch_targets) \
  X(dtc_launch_file) \
  X(dtc_explain_read) \
  X(dtc_explain_alloc) \
  X(dtc_explain_text)

#define STRUCTS(X) \
  X(error, 1, 1) \
  X(model, 2, 1) \
  X(params, 3, 1) \
  X(tensor, 4, 1) \
  X(cluster, 5, 1) \
  X(plan, 6, 1) \
  X(stage, 7, 1) \
  X(axis, 13, 0) \
  X(layout, 12, 1) \
  X(group_kind, 14, 0) \
  X(group, 15, 0) \
  X(placement, 16, 1) \
  X(nccl, 60, 1) \
  X(nccl_row, 61, 0) \
  X(nccl_choice, 62, 0) \
  X(nccl_range, 63, 0) \
  X(shape, 21, 0) \
  X(shards, 20, 1) \
  X(slot, 22, 0) \
  X(shard_totals, 23, 1) \
  X(fragment, 24, 0) \
  X(bucket, 31, 0) \
  X(chunks, 30, 1) \
  X(batch, 25, 0) \
  X(slice, 26, 0) \
  X(module, 27, 0) \
  X(tracing, 28, 1) \
  X(trace, 29, 1) \
  X(message, 32, 0) \
  X(shard_bytes, 33, 1) \
  X(offload_bytes, 34, 1) \
  X(reshard, 35, 1) \
  X(reshard_item, 36, 0) \
  X(reshard_box, 37, 0) \
  X(reshard_sums, 38, 1) \
  X(checkpoint, 39, 1) \
  X(pipe, 40, 1) \
  X(pipe_op, 41, 0) \
  X(pipe_cost, 42, 0) \
  X(pipe_time, 43, 0) \
  X(pipe_rank, 44, 0) \
  X(pipe_totals, 45, 0) \
  X(pipe_held, 46, 0) \
  X(pipe_step, 47, 0) \
  X(pipe_split, 48, 1) \
  X(pipe_part, 49, 0) \
  X(pipe_item, 50, 0) \
  X(pipe_gain, 51, 0) \
  X(collective_call, 65, 1) \
  X(collective_time, 66, 1) \
  X(traffic, 70, 0) \
  X(exchange, 71, 1) \
  X(verdict, 67, 1) \
  X(timing, 68, 0) \
  X(collective_law, 69, 1) \
  X(moe_call, 72, 1) \
  X(moe_time, 73, 1) \
  X(task, 18, 0) \
  X(slurm, 17, 1) \
  X(mpi, 19, 1) \
  X(model_states, 9, 1) \
  X(memory, 10, 1) \
  X(memory_held, 58, 1) \
  X(memory_term, 59, 0) \
  X(min_gpus, 11, 1) \
  X(optimizer_spec, 56, 1) \
  X(optimizer_held, 57, 1) \
  X(max_setting, 64, 1) \
  X(memory_remedy, 74, 0) \
  X(estimator_call, 53, 1) \
  X(estimator_result, 54, 1) \
  X(step, 75, 1) \
  X(step_rate, 76, 1) \
  X(step_term, 77, 0) \
  X(step_params, 78, 1) \
  X(step_fitted, 79, 1) \
  X(step_sample, 82, 0) \
  X(run_call, 80, 1) \
  X(run, 81, 1) \
  X(space, 83, 1) \
  X(found, 84, 0) \
  X(search, 85, 1) \
  X(lint, 52, 1) \
  X(launch, 88, 1) \
  X(alloc, 86, 1) \
  X(candidate, 87, 0)

#define FIELDS(X) \
  X(error, 1, struct_size) \
  X(error, 1, status) \
  X(error, 1, severity) \
  X(error, 1, rule) \
  X(error, 1, field) \
  X(error, 1, other) \
  X(error, 1, got) \
  X(error, 1, other_got) \
  X(error, 1, min) \
  X(error, 1, max) \
  X(error, 1, lower) \
  X(error, 1, upper) \
  X(error, 1, offset) \
  X(model, 2, struct_size) \
  X(model, 2, arch) \
  X(model, 2, layers) \
  X(model, 2, hidden) \
  X(model, 2, heads) \
  X(model, 2, kv_heads) \
  X(model, 2, head_dim) \
  X(model, 2, ffn) \
  X(model, 2, vocab) \
  X(model, 2, context) \
  X(model, 2, norm) \
  X(model, 2, position) \
  X(model, 2, tied) \
  X(model, 2, gated) \
  X(model, 2, qkv_bias) \
  X(model, 2, out_bias) \
  X(model, 2, mlp_bias) \
  X(model, 2, head_bias) \
  X(model, 2, qk_norm) \
  X(model, 2, embed_norm) \
  X(model, 2, norms) \
  X(model, 2, window) \
  X(model, 2, window_every) \
  X(model, 2, experts) \
  X(model, 2, top_k) \
  X(model, 2, moe_ffn) \
  X(model, 2, shared_ffn) \
  X(model, 2, dense_layers) \
  X(model, 2, moe_every) \
  X(model, 2, moe_offset) \
  X(model, 2, shared_gate) \
  X(model, 2, router_bias) \
  X(model, 2, q_rank) \
  X(model, 2, kv_rank) \
  X(model, 2, qk_nope_dim) \
  X(model, 2, qk_rope_dim) \
  X(model, 2, v_dim) \
  X(model, 2, mtp_layers) \
  X(model, 2, encoder_layers) \
  X(model, 2, mamba_layers) \
  X(model, 2, mlp_layers) \
  X(model, 2, mamba_inner) \
  X(model, 2, mamba_heads) \
  X(model, 2, mamba_groups) \
  X(model, 2, mamba_state) \
  X(params, 3, struct_size) \
  X(params, 3, pad) \
  X(params, 3, total) \
  X(params, 3, active) \
  X(params, 3, embedding) \
  X(params, 3, head) \
  X(params, 3, final_norm) \
  X(params, 3, dense_layer) \
  X(params, 3, moe_layer) \
  X(params, 3, attention) \
  X(params, 3, mlp) \
  X(params, 3, expert) \
  X(params, 3, shared) \
  X(params, 3, router) \
  X(params, 3, norms) \
  X(params, 3, dense_count) \
  X(params, 3, moe_count) \
  X(params, 3, mtp) \
  X(params, 3, cross) \
  X(params, 3, encoder_layer) \
  X(params, 3, encoder_count) \
  X(params, 3, mamba_layer) \
  X(params, 3, mamba_count) \
  X(params, 3, attention_layer) \
  X(params, 3, attention_count) \
  X(params, 3, mlp_layer) \
  X(params, 3, mlp_count) \
  X(tensor, 4, struct_size) \
  X(tensor, 4, kind) \
  X(tensor, 4, dims) \
  X(tensor, 4, dim0) \
  X(tensor, 4, dim1) \
  X(tensor, 4, dim2) \
  X(tensor, 4, numel) \
  X(tensor, 4, layer) \
  X(tensor, 4, expert) \
  X(cluster, 5, struct_size) \
  X(cluster, 5, vendor) \
  X(cluster, 5, compute) \
  X(cluster, 5, nvlink_domain) \
  X(cluster, 5, memory) \
  X(cluster, 5, usable) \
  X(cluster, 5, fp32) \
  X(cluster, 5, tf32) \
  X(cluster, 5, fp16) \
  X(cluster, 5, bf16) \
  X(cluster, 5, fp8) \
  X(cluster, 5, fp4) \
  X(cluster, 5, int8) \
  X(cluster, 5, hbm_bandwidth) \
  X(cluster, 5, nvlink_bandwidth) \
  X(cluster, 5, pcie_bandwidth) \
  X(cluster, 5, nic_bandwidth) \
  X(cluster, 5, nics_per_node) \
  X(cluster, 5, gpus_per_node) \
  X(cluster, 5, nodes) \
  X(cluster, 5, host_memory) \
  X(cluster, 5, fabric) \
  X(cluster, 5, sms) \
  X(cluster, 5, power) \
  X(cluster, 5, node_power) \
  X(cluster, 5, host_bandwidth) \
  X(cluster, 5, nvme_bandwidth) \
  X(cluster, 5, storage_bandwidth) \
  X(cluster, 5, mtbf) \
  X(cluster, 5, price) \
  X(plan, 6, struct_size) \
  X(plan, 6, framework) \
  X(plan, 6, framework_version) \
  X(plan, 6, sharding) \
  X(plan, 6, tp) \
  X(plan, 6, cp) \
  X(plan, 6, pp) \
  X(plan, 6, vpp) \
  X(plan, 6, dp) \
  X(plan, 6, dp_shard) \
  X(plan, 6, ep) \
  X(plan, 6, etp) \
  X(plan, 6, sequence_parallel) \
  X(plan, 6, schedule) \
  X(plan, 6, micro_batch) \
  X(plan, 6, global_batch) \
  X(plan, 6, accumulation) \
  X(plan, 6, seq) \
  X(plan, 6, recompute) \
  X(plan, 6, attention) \
  X(plan, 6, precision) \
  X(plan, 6, grad_dtype) \
  X(plan, 6, optimizer) \
  X(plan, 6, dropout) \
  X(plan, 6, vocab_multiple) \
  X(plan, 6, account_embedding) \
  X(plan, 6, account_loss) \
  X(plan, 6, p2p_overlap) \
  X(plan, 6, moe_overlap) \
  X(plan, 6, first_layers) \
  X(plan, 6, last_layers) \
  X(plan, 6, group) \
  X(plan, 6, recompute_method) \
  X(plan, 6, recompute_core_attn) \
  X(plan, 6, recompute_mlp) \
  X(plan, 6, recompute_layernorm) \
  X(plan, 6, recompute_moe_act) \
  X(plan, 6, recompute_mla_up_proj) \
  X(plan, 6, recompute_moe) \
  X(plan, 6, recompute_shared_experts) \
  X(plan, 6, recompute_layers) \
  X(plan, 6, loss) \
  X(plan, 6, optimizer_kernel) \
  X(plan, 6, loss_chunks) \
  X(plan, 6, dispatcher) \
  X(plan, 6, grouped_gemm) \
  X(plan, 6, capacity_percent) \
  X(plan, 6, load_percent) \
  X(plan, 6, transformer_engine) \
  X(plan, 6, grad_fusion) \
  X(plan, 6, attention_mask) \
  X(plan, 6, defer_wgrad) \
  X(plan, 6, fp8_params) \
  X(plan, 6, reshard) \
  X(plan, 6, bucket_view) \
  X(plan, 6, vocab_parallel) \
  X(plan, 6, fused_norm) \
  X(plan, 6, compile) \
  X(plan, 6, offload) \
  X(plan, 6, offload_activations) \
  X(plan, 6, bucket) \
  X(plan, 6, live) \
  X(plan, 6, persistence) \
  X(plan, 6, tuning) \
  X(plan, 6, lora_targets) \
  X(plan, 6, lora_rank) \
  X(plan, 6, frozen_layers) \
  X(plan, 6, frozen_embedding) \
  X(plan, 6, double_quant) \
  X(plan, 6, quant_inputs) \
  X(plan, 6, step_in_backward) \
  X(plan, 6, attention_dropout) \
  X(plan, 6, softmax_fp32) \
  X(plan, 6, router_fp32) \
  X(plan, 6, activation_fusion) \
  X(plan, 6, recompute_distributed) \
  X(plan, 6, whole_tensors) \
  X(plan, 6, cublas_workspace) \
  X(plan, 6, encoder_seq) \
  X(plan, 6, flash_version) \
  X(plan, 6, tp_overlap) \
  X(plan, 6, grad_overlap) \
  X(plan, 6, param_overlap) \
  X(plan, 6, cuda_graph) \
  X(plan, 6, fp8_recipe) \
  X(plan, 6, packed) \
  X(stage, 7, struct_size) \
  X(stage, 7, embedding) \
  X(stage, 7, head) \
  X(stage, 7, pad) \
  X(stage, 7, layers) \
  X(stage, 7, moe_layers) \
  X(stage, 7, mtp_layers) \
  X(stage, 7, mamba_layers) \
  X(stage, 7, mlp_layers) \
  X(stage, 7, encoder_layers) \
  X(axis, 13, name) \
  X(axis, 13, pad) \
  X(axis, 13, size) \
  X(axis, 13, stride) \
  X(layout, 12, struct_size) \
  X(layout, 12, scheme) \
  X(layout, 12, version) \
  X(layout, 12, hybrid_cp) \
  X(layout, 12, world) \
  X(layout, 12, tp) \
  X(layout, 12, cp) \
  X(layout, 12, pp) \
  X(layout, 12, dp) \
  X(layout, 12, dp_shard) \
  X(layout, 12, dp_replicate) \
  X(layout, 12, ep) \
  X(layout, 12, etp) \
  X(layout, 12, gtp_remat) \
  X(layout, 12, egtp_remat) \
  X(layout, 12, instances) \
  X(layout, 12, tp_depth) \
  X(layout, 12, order) \
  X(layout, 12, cp_levels) \
  X(layout, 12, offset) \
  X(group_kind, 14, axes) \
  X(group_kind, 14, part) \
  X(group_kind, 14, name) \
  X(group_kind, 14, pick) \
  X(group_kind, 14, chunk) \
  X(group_kind, 14, step) \
  X(group, 15, count) \
  X(group, 15, size) \
  X(group, 15, index) \
  X(group, 15, place) \
  X(group, 15, first) \
  X(placement, 16, struct_size) \
  X(placement, 16, spread) \
  X(placement, 16, rail) \
  X(placement, 16, pad) \
  X(placement, 16, groups) \
  X(placement, 16, inside) \
  X(placement, 16, domains) \
  X(placement, 16, members) \
  X(placement, 16, segment) \
  X(nccl, 60, struct_size) \
  X(nccl, 60, version) \
  X(nccl, 60, compute) \
  X(nccl, 60, cpu) \
  X(nccl, 60, tree_pattern) \
  X(nccl, 60, nvlink) \
  X(nccl, 60, collnet) \
  X(nccl, 60, ll128) \
  X(nccl, 60, fp8) \
  X(nccl, 60, same_rings) \
  X(nccl, 60, nodes) \
  X(nccl, 60, per_node) \
  X(nccl, 60, channels) \
  X(nccl, 60, ring_channels) \
  X(nccl, 60, tree_channels) \
  X(nccl, 60, nvls_channels) \
  X(nccl, 60, direct_channels) \
  X(nccl, 60, chain_channels) \
  X(nccl, 60, ring_intra) \
  X(nccl, 60, ring_inter) \
  X(nccl, 60, tree_intra) \
  X(nccl, 60, tree_inter) \
  X(nccl, 60, nvls_intra) \
  X(nccl, 60, nvls_inter) \
  X(nccl, 60, direct_intra) \
  X(nccl, 60, direct_inter) \
  X(nccl, 60, chain_intra) \
  X(nccl, 60, chain_inter) \
  X(nccl_row, 61, algorithm) \
  X(nccl_row, 61, protocol) \
  X(nccl_row, 61, usable) \
  X(nccl_row, 61, pad) \
  X(nccl_row, 61, latency) \
  X(nccl_row, 61, bandwidth) \
  X(nccl_choice, 62, algorithm) \
  X(nccl_choice, 62, protocol) \
  X(nccl_choice, 62, channels) \
  X(nccl_choice, 62, seconds) \
  X(nccl_choice, 62, latency) \
  X(nccl_choice, 62, bandwidth) \
  X(nccl_range, 63, first) \
  X(nccl_range, 63, algorithm) \
  X(nccl_range, 63, protocol) \
  X(nccl_range, 63, seconds) \
  X(shape, 21, rows) \
  X(shape, 21, cols) \
  X(shape, 21, dims) \
  X(shape, 21, dtype) \
  X(shape, 21, shared) \
  X(shape, 21, cut) \
  X(shards, 20, struct_size) \
  X(shards, 20, scheme) \
  X(shards, 20, version) \
  X(shards, 20, dtype) \
  X(shards, 20, world) \
  X(shards, 20, replicas) \
  X(shards, 20, stage) \
  X(shards, 20, bucket) \
  X(shards, 20, first_bucket) \
  X(shards, 20, sub_group) \
  X(shards, 20, persistence) \
  X(shards, 20, hpz) \
  X(shards, 20, min_chunk) \
  X(shards, 20, search_range) \
  X(shards, 20, interval) \
  X(shards, 20, round_robin) \
  X(shards, 20, multi_rank) \
  X(shards, 20, reduce_scatter) \
  X(shards, 20, orig_params) \
  X(shards, 20, high_busbw) \
  X(shards, 20, first_step) \
  X(shards, 20, keep_large) \
  X(shards, 20, grad_dtype) \
  X(shards, 20, reshard) \
  X(shards, 20, every_micro) \
  X(shards, 20, grad_accum) \
  X(shards, 20, contiguous) \
  X(slot, 22, start) \
  X(slot, 22, bucket_start) \
  X(slot, 22, bucket_end) \
  X(slot, 22, used) \
  X(slot, 22, bucket) \
  X(slot, 22, owner) \
  X(shard_totals, 23, struct_size) \
  X(shard_totals, 23, pad) \
  X(shard_totals, 23, numel) \
  X(shard_totals, 23, padded) \
  X(shard_totals, 23, buckets) \
  X(shard_totals, 23, largest) \
  X(shard_totals, 23, heaviest) \
  X(shard_totals, 23, most) \
  X(shard_totals, 23, lightest) \
  X(shard_totals, 23, least) \
  X(shard_totals, 23, empty) \
  X(shard_totals, 23, per_rank) \
  X(fragment, 24, tensor) \
  X(fragment, 24, bucket) \
  X(fragment, 24, tensor_offset) \
  X(fragment, 24, shard_offset) \
  X(fragment, 24, length) \
  X(bucket, 31, start) \
  X(bucket, 31, stop) \
  X(bucket, 31, used) \
  X(bucket, 31, bytes) \
  X(bucket, 31, tensors) \
  X(bucket, 31, owner) \
  X(bucket, 31, first) \
  X(bucket, 31, dtype) \
  X(chunks, 30, struct_size) \
  X(chunks, 30, gathered) \
  X(chunks, 30, size) \
  X(chunks, 30, waste) \
  X(chunks, 30, least) \
  X(chunks, 30, large) \
  X(batch, 25, elements) \
  X(batch, 25, sent) \
  X(batch, 25, kept) \
  X(batch, 25, first) \
  X(batch, 25, tensors) \
  X(slice, 26, elements) \
  X(slice, 26, reduction) \
  X(slice, 26, owner) \
  X(module, 27, first) \
  X(module, 27, tensors) \
  X(tracing, 28, struct_size) \
  X(tracing, 28, first_step) \
  X(tracing, 28, prefetch) \
  X(tracing, 28, max_live) \
  X(tracing, 28, max_reuse) \
  X(tracing, 28, backward) \
  X(trace, 29, struct_size) \
  X(trace, 29, pad) \
  X(trace, 29, gathered_forward) \
  X(trace, 29, gathered_backward) \
  X(trace, 29, gathered_step) \
  X(trace, 29, calls_forward) \
  X(trace, 29, calls_backward) \
  X(trace, 29, largest_call) \
  X(trace, 29, peak_live) \
  X(trace, 29, peak_buffers) \
  X(trace, 29, live_at_step) \
  X(message, 32, op) \
  X(message, 32, phase) \
  X(message, 32, group) \
  X(message, 32, pad) \
  X(message, 32, bytes) \
  X(message, 32, calls) \
  X(shard_bytes, 33, struct_size) \
  X(shard_bytes, 33, pad) \
  X(shard_bytes, 33, weights) \
  X(shard_bytes, 33, master) \
  X(shard_bytes, 33, moments) \
  X(shard_bytes, 33, gradients) \
  X(shard_bytes, 33, buckets) \
  X(shard_bytes, 33, reduce) \
  X(shard_bytes, 33, gathered) \
  X(shard_bytes, 33, step) \
  X(shard_bytes, 33, step_request) \
  X(shard_bytes, 33, averaged) \
  X(shard_bytes, 33, params) \
  X(offload_bytes, 34, struct_size) \
  X(offload_bytes, 34, pad) \
  X(offload_bytes, 34, to_host) \
  X(offload_bytes, 34, to_device) \
  X(offload_bytes, 34, nvme_read) \
  X(offload_bytes, 34, nvme_write) \
  X(offload_bytes, 34, host) \
  X(offload_bytes, 34, nvme) \
  X(reshard, 35, struct_size) \
  X(reshard, 35, loading) \
  X(reshard, 35, form) \
  X(reshard, 35, convert) \
  X(reshard, 35, rule) \
  X(reshard, 35, pad) \
  X(reshard, 35, source_buckets) \
  X(reshard, 35, target_buckets) \
  X(reshard, 35, bucket) \
  X(reshard, 35, source_used) \
  X(reshard, 35, target_used) \
  X(reshard, 35, source_empty) \
  X(reshard, 35, target_empty) \
  X(reshard_item, 36, key) \
  X(reshard_item, 36, pad) \
  X(reshard_item, 36, source) \
  X(reshard_item, 36, source_offset) \
  X(reshard_item, 36, target_offset) \
  X(reshard_item, 36, length) \
  X(reshard_box, 37, tensor) \
  X(reshard_box, 37, pad) \
  X(reshard_box, 37, source) \
  X(reshard_box, 37, source_row) \
  X(reshard_box, 37, target_row) \
  X(reshard_box, 37, rows) \
  X(reshard_box, 37, source_col) \
  X(reshard_box, 37, target_col) \
  X(reshard_box, 37, cols) \
  X(reshard_sums, 38, struct_size) \
  X(reshard_sums, 38, pad) \
  X(reshard_sums, 38, items) \
  X(reshard_sums, 38, needed) \
  X(reshard_sums, 38, same) \
  X(reshard_sums, 38, moved) \
  X(checkpoint, 39, struct_size) \
  X(checkpoint, 39, form) \
  X(checkpoint, 39, weights) \
  X(checkpoint, 39, master) \
  X(checkpoint, 39, moments) \
  X(checkpoint, 39, bytes) \
  X(checkpoint, 39, rank_bytes) \
  X(checkpoint, 39, files) \
  X(checkpoint, 39, staging) \
  X(checkpoint, 39, needed) \
  X(checkpoint, 39, read) \
  X(checkpoint, 39, read_all) \
  X(checkpoint, 39, write_seconds) \
  X(checkpoint, 39, read_seconds) \
  X(pipe, 40, struct_size) \
  X(pipe, 40, schedule) \
  X(pipe, 40, framework) \
  X(pipe, 40, forward_only) \
  X(pipe, 40, moe_overlap) \
  X(pipe, 40, p2p_overlap) \
  X(pipe, 40, pp) \
  X(pipe, 40, vpp) \
  X(pipe, 40, micro_batches) \
  X(pipe, 40, group) \
  X(pipe, 40, forward) \
  X(pipe, 40, input) \
  X(pipe, 40, weight) \
  X(pipe, 40, hop) \
  X(pipe, 40, limit) \
  X(pipe, 40, freed_input) \
  X(pipe, 40, freed_weight) \
  X(pipe_op, 41, micro_batch) \
  X(pipe_op, 41, chunk) \
  X(pipe_op, 41, kind) \
  X(pipe_op, 41, fused) \
  X(pipe_cost, 42, forward) \
  X(pipe_cost, 42, input) \
  X(pipe_cost, 42, weight) \
  X(pipe_cost, 42, freed_input) \
  X(pipe_cost, 42, freed_weight) \
  X(pipe_time, 43, start) \
  X(pipe_time, 43, stop) \
  X(pipe_rank, 44, start) \
  X(pipe_rank, 44, stop) \
  X(pipe_rank, 44, busy) \
  X(pipe_rank, 44, held_input) \
  X(pipe_rank, 44, held_weight) \
  X(pipe_rank, 44, bytes) \
  X(pipe_totals, 45, makespan) \
  X(pipe_totals, 45, busy) \
  X(pipe_totals, 45, bubble) \
  X(pipe_totals, 45, span) \
  X(pipe_totals, 45, span_bubble) \
  X(pipe_totals, 45, idle) \
  X(pipe_totals, 45, bytes) \
  X(pipe_totals, 45, rank) \
  X(pipe_held, 46, input) \
  X(pipe_held, 46, weight) \
  X(pipe_step, 47, step) \
  X(pipe_step, 47, buffer) \
  X(pipe_step, 47, what) \
  X(pipe_split, 48, struct_size) \
  X(pipe_split, 48, splitter) \
  X(pipe_split, 48, version) \
  X(pipe_split, 48, v_shape) \
  X(pipe_split, 48, account_embedding) \
  X(pipe_split, 48, account_loss) \
  X(pipe_split, 48, layers) \
  X(pipe_split, 48, mtp_layers) \
  X(pipe_split, 48, pp) \
  X(pipe_split, 48, vpp) \
  X(pipe_split, 48, first) \
  X(pipe_split, 48, last) \
  X(pipe_split, 48, first_less) \
  X(pipe_split, 48, last_less) \
  X(pipe_split, 48, per_stage) \
  X(pipe_part, 49, first) \
  X(pipe_part, 49, layers) \
  X(pipe_part, 49, mtp_layers) \
  X(pipe_part, 49, rank) \
  X(pipe_part, 49, chunk) \
  X(pipe_part, 49, embedding) \
  X(pipe_part, 49, head) \
  X(pipe_item, 50, cost) \
  X(pipe_item, 50, bytes) \
  X(pipe_item, 50, saved) \
  X(pipe_gain, 51, cost) \
  X(pipe_gain, 51, uniform) \
  X(pipe_gain, 51, mean) \
  X(pipe_gain, 51, bytes) \
  X(collective_call, 65, struct_size) \
  X(collective_call, 65, op) \
  X(collective_call, 65, style) \
  X(collective_call, 65, version) \
  X(collective_call, 65, in_switch) \
  X(collective_call, 65, tuned) \
  X(collective_call, 65, two_level) \
  X(collective_call, 65, pad) \
  X(collective_call, 65, bytes) \
  X(collective_call, 65, ranks) \
  X(collective_call, 65, per_node) \
  X(collective_call, 65, groups) \
  X(collective_time, 66, struct_size) \
  X(collective_time, 66, bound) \
  X(collective_time, 66, confidence) \
  X(collective_time, 66, nodes) \
  X(collective_time, 66, seconds) \
  X(collective_time, 66, low) \
  X(collective_time, 66, high) \
  X(collective_time, 66, lower_bound) \
  X(collective_time, 66, algbw) \
  X(collective_time, 66, busbw) \
  X(collective_time, 66, nic_bandwidth) \
  X(traffic, 70, sent) \
  X(traffic, 70, received) \
  X(exchange, 71, struct_size) \
  X(exchange, 71, pad) \
  X(exchange, 71, rank) \
  X(exchange, 71, sent) \
  X(exchange, 71, received) \
  X(exchange, 71, total) \
  X(exchange, 71, between) \
  X(exchange, 71, bytes) \
  X(verdict, 67, struct_size) \
  X(verdict, 67, grade) \
  X(verdict, 67, reason) \
  X(verdict, 67, confidence) \
  X(verdict, 67, expected) \
  X(verdict, 67, of_expected) \
  X(verdict, 67, of_bound) \
  X(verdict, 67, explained) \
  X(timing, 68, bytes) \
  X(timing, 68, seconds) \
  X(collective_law, 69, struct_size) \
  X(collective_law, 69, points) \
  X(collective_law, 69, latency) \
  X(collective_law, 69, bandwidth) \
  X(collective_law, 69, shape) \
  X(collective_law, 69, error) \
  X(collective_law, 69, worst) \
  X(moe_call, 72, struct_size) \
  X(moe_call, 72, op) \
  X(moe_call, 72, kernel) \
  X(moe_call, 72, library) \
  X(moe_call, 72, format) \
  X(moe_call, 72, sms) \
  X(moe_call, 72, tokens) \
  X(moe_call, 72, top_k) \
  X(moe_call, 72, hidden) \
  X(moe_call, 72, ranks) \
  X(moe_call, 72, per_node) \
  X(moe_time, 73, struct_size) \
  X(moe_time, 73, bound) \
  X(moe_time, 73, confidence) \
  X(moe_time, 73, nodes) \
  X(moe_time, 73, seconds) \
  X(moe_time, 73, low) \
  X(moe_time, 73, high) \
  X(moe_time, 73, sent) \
  X(moe_time, 73, nic_bytes) \
  X(moe_time, 73, bandwidth) \
  X(task, 18, node) \
  X(task, 18, local_rank) \
  X(task, 18, local_env) \
  X(task, 18, node_rank) \
  X(slurm, 17, struct_size) \
  X(slurm, 17, distribution) \
  X(slurm, 17, pack) \
  X(slurm, 17, release) \
  X(slurm, 17, plane) \
  X(slurm, 17, ntasks) \
  X(slurm, 17, ntasks_per_node) \
  X(mpi, 19, struct_size) \
  X(mpi, 19, map) \
  X(mpi, 19, rank) \
  X(mpi, 19, map_span) \
  X(mpi, 19, rank_span) \
  X(mpi, 19, sockets) \
  X(mpi, 19, numas) \
  X(mpi, 19, cores) \
  X(mpi, 19, nodes) \
  X(mpi, 19, slots) \
  X(mpi, 19, np) \
  X(mpi, 19, ppr) \
  X(mpi, 19, pe) \
  X(model_states, 9, struct_size) \
  X(model_states, 9, pad) \
  X(model_states, 9, weights) \
  X(model_states, 9, gradients) \
  X(model_states, 9, master) \
  X(model_states, 9, moments) \
  X(model_states, 9, total) \
  X(memory, 10, struct_size) \
  X(memory, 10, moment) \
  X(memory, 10, stage) \
  X(memory, 10, params) \
  X(memory, 10, in_flight) \
  X(memory, 10, weights) \
  X(memory, 10, gradients) \
  X(memory, 10, optimizer) \
  X(memory, 10, buckets) \
  X(memory, 10, gathered) \
  X(memory, 10, activations) \
  X(memory, 10, transient) \
  X(memory, 10, workspace) \
  X(memory, 10, allocated) \
  X(memory, 10, reserved) \
  X(memory, 10, device) \
  X(memory, 10, capacity) \
  X(memory, 10, fits) \
  X(memory, 10, exact) \
  X(memory, 10, steady) \
  X(memory, 10, allocated_low) \
  X(memory, 10, allocated_high) \
  X(memory, 10, reserved_low) \
  X(memory, 10, reserved_high) \
  X(memory, 10, device_low) \
  X(memory, 10, device_high) \
  X(memory, 10, host) \
  X(memory, 10, host_node) \
  X(memory, 10, nvme) \
  X(memory, 10, largest) \
  X(memory, 10, pad) \
  X(memory, 10, host_high) \
  X(memory, 10, host_node_high) \
  X(memory_held, 58, struct_size) \
  X(memory_held, 58, moment) \
  X(memory_held, 58, weights) \
  X(memory_held, 58, gradients) \
  X(memory_held, 58, optimizer) \
  X(memory_held, 58, buckets) \
  X(memory_held, 58, gathered) \
  X(memory_held, 58, activations) \
  X(memory_held, 58, transient) \
  X(memory_held, 58, workspace) \
  X(memory_held, 58, allocated) \
  X(memory_term, 59, index) \
  X(memory_term, 59, item) \
  X(memory_term, 59, moments) \
  X(memory_term, 59, pad) \
  X(memory_term, 59, count) \
  X(memory_term, 59, each) \
  X(memory_term, 59, ranks) \
  X(memory_term, 59, bytes) \
  X(min_gpus, 11, struct_size) \
  X(min_gpus, 11, limit) \
  X(min_gpus, 11, gpus) \
  X(min_gpus, 11, nodes) \
  X(min_gpus, 11, device) \
  X(min_gpus, 11, capacity) \
  X(min_gpus, 11, limit_bytes) \
  X(optimizer_spec, 56, struct_size) \
  X(optimizer_spec, 56, optimizer) \
  X(optimizer_spec, 56, library) \
  X(optimizer_spec, 56, kernel) \
  X(optimizer_spec, 56, format) \
  X(optimizer_spec, 56, dtype) \
  X(optimizer_spec, 56, amsgrad) \
  X(optimizer_spec, 56, momentum) \
  X(optimizer_spec, 56, centered) \
  X(optimizer_spec, 56, nesterov) \
  X(optimizer_spec, 56, capturable) \
  X(optimizer_spec, 56, gpu_default) \
  X(optimizer_held, 57, struct_size) \
  X(optimizer_held, 57, pad) \
  X(optimizer_held, 57, device) \
  X(optimizer_held, 57, host) \
  X(optimizer_held, 57, rounded) \
  X(optimizer_held, 57, first_step) \
  X(optimizer_held, 57, later_step) \
  X(max_setting, 64, struct_size) \
  X(max_setting, 64, limit) \
  X(max_setting, 64, value) \
  X(max_setting, 64, device) \
  X(max_setting, 64, next) \
  X(max_setting, 64, next_device) \
  X(max_setting, 64, capacity) \
  X(memory_remedy, 74, remedy) \
  X(memory_remedy, 74, fits) \
  X(memory_remedy, 74, field) \
  X(memory_remedy, 74, pad) \
  X(memory_remedy, 74, value) \
  X(memory_remedy, 74, gpus) \
  X(memory_remedy, 74, device) \
  X(memory_remedy, 74, saved) \
  X(estimator_call, 53, struct_size) \
  X(estimator_call, 53, estimator) \
  X(estimator_call, 53, version) \
  X(estimator_call, 53, dtype) \
  X(estimator_call, 53, offload) \
  X(estimator_call, 53, offload_params) \
  X(estimator_call, 53, zero_init) \
  X(estimator_call, 53, pad) \
  X(estimator_call, 53, buffer) \
  X(estimator_call, 53, params) \
  X(estimator_call, 53, layer_params) \
  X(estimator_call, 53, gpus_per_node) \
  X(estimator_call, 53, nodes) \
  X(estimator_call, 53, latent) \
  X(estimator_result, 54, struct_size) \
  X(estimator_result, 54, estimator) \
  X(estimator_result, 54, version) \
  X(estimator_result, 54, pad) \
  X(estimator_result, 54, gpu) \
  X(estimator_result, 54, host) \
  X(estimator_result, 54, params) \
  X(estimator_result, 54, layer_params) \
  X(estimator_result, 54, active_params) \
  X(estimator_result, 54, shard_params) \
  X(estimator_result, 54, other_params) \
  X(estimator_result, 54, states) \
  X(estimator_result, 54, activations) \
  X(estimator_result, 54, activations_sp) \
  X(estimator_result, 54, activations_plain) \
  X(estimator_result, 54, layer) \
  X(estimator_result, 54, weights) \
  X(estimator_result, 54, model) \
  X(estimator_result, 54, gradients) \
  X(estimator_result, 54, optimizer) \
  X(estimator_result, 54, step) \
  X(step, 75, struct_size) \
  X(step, 75, limit) \
  X(step, 75, seconds) \
  X(step, 75, low) \
  X(step, 75, high) \
  X(step, 75, dense) \
  X(step, 75, attention) \
  X(step, 75, experts) \
  X(step, 75, elementwise) \
  X(step, 75, head) \
  X(step, 75, recompute) \
  X(step, 75, launch) \
  X(step, 75, tp) \
  X(step, 75, cp) \
  X(step, 75, ep) \
  X(step, 75, pp) \
  X(step, 75, bubble) \
  X(step, 75, weights) \
  X(step, 75, gradients) \
  X(step, 75, optimizer) \
  X(step, 75, offload) \
  X(step, 75, stragglers) \
  X(step, 75, tokens) \
  X(step, 75, gpus) \
  X(step, 75, stage) \
  X(step, 75, tokens_per_gpu_second) \
  X(step, 75, flops_per_gpu_second) \
  X(step, 75, mfu) \
  X(step, 75, hfu) \
  X(step, 75, confidence) \
  X(step, 75, pad) \
  X(step_rate, 76, struct_size) \
  X(step_rate, 76, convention) \
  X(step_rate, 76, seconds) \
  X(step_rate, 76, tokens_per_second) \
  X(step_rate, 76, tokens_per_gpu_second) \
  X(step_rate, 76, sequences_per_second) \
  X(step_rate, 76, model_flops) \
  X(step_rate, 76, hardware_flops) \
  X(step_rate, 76, flops_per_gpu_second) \
  X(step_rate, 76, peak) \
  X(step_rate, 76, mfu) \
  X(step_rate, 76, hfu) \
  X(step_term, 77, index) \
  X(step_term, 77, item) \
  X(step_term, 77, m) \
  X(step_term, 77, n) \
  X(step_term, 77, k) \
  X(step_term, 77, batch) \
  X(step_term, 77, flops) \
  X(step_term, 77, bytes) \
  X(step_term, 77, each) \
  X(step_term, 77, count) \
  X(step_term, 77, seconds) \
  X(step_params, 78, struct_size) \
  X(step_params, 78, software) \
  X(step_params, 78, fp32) \
  X(step_params, 78, bf16) \
  X(step_params, 78, fp8) \
  X(step_params, 78, fp4) \
  X(step_params, 78, hbm) \
  X(step_params, 78, attention) \
  X(step_params, 78, communication) \
  X(step_params, 78, host) \
  X(step_fitted, 79, struct_size) \
  X(step_fitted, 79, steps) \
  X(step_fitted, 79, products) \
  X(step_fitted, 79, attention) \
  X(step_fitted, 79, memory) \
  X(step_fitted, 79, communication) \
  X(step_fitted, 79, host) \
  X(step_fitted, 79, before) \
  X(step_fitted, 79, after) \
  X(step_sample, 82, products) \
  X(step_sample, 82, attention) \
  X(step_sample, 82, memory) \
  X(step_sample, 82, communication) \
  X(step_sample, 82, host) \
  X(step_sample, 82, share) \
  X(step_sample, 82, measured) \
  X(run_call, 80, struct_size) \
  X(run_call, 80, pad) \
  X(run_call, 80, tokens) \
  X(run_call, 80, step_seconds) \
  X(run_call, 80, step_tokens) \
  X(run_call, 80, gpus) \
  X(run_call, 80, mtbf) \
  X(run_call, 80, checkpoint_bytes) \
  X(run_call, 80, write_seconds) \
  X(run_call, 80, restart_seconds) \
  X(run_call, 80, interval_seconds) \
  X(run_call, 80, price) \
  X(run_call, 80, utilisation) \
  X(run_call, 80, pue) \
  X(run, 81, struct_size) \
  X(run, 81, pad) \
  X(run, 81, steps) \
  X(run, 81, seconds) \
  X(run, 81, days) \
  X(run, 81, productive_seconds) \
  X(run, 81, checkpoint_seconds) \
  X(run, 81, lost_seconds) \
  X(run, 81, restart_seconds) \
  X(run, 81, failures) \
  X(run, 81, mtbf_seconds) \
  X(run, 81, interval_seconds) \
  X(run, 81, interval_steps) \
  X(run, 81, best_interval) \
  X(run, 81, goodput) \
  X(run, 81, gpu_hours) \
  X(run, 81, cost) \
  X(run, 81, energy) \
  X(space, 83, struct_size) \
  X(space, 83, objective) \
  X(space, 83, gpus_least) \
  X(space, 83, tp_most) \
  X(space, 83, cp_most) \
  X(space, 83, ep_most) \
  X(space, 83, pp_most) \
  X(space, 83, vpp_most) \
  X(space, 83, micro_batch_most) \
  X(space, 83, reserve) \
  X(space, 83, keep) \
  X(space, 83, shardings) \
  X(space, 83, recomputes) \
  X(space, 83, schedules) \
  X(space, 83, offloads) \
  X(space, 83, recompute_layers) \
  X(space, 83, dp_split) \
  X(space, 83, surely) \
  X(space, 83, pad) \
  X(found, 84, index) \
  X(found, 84, value) \
  X(found, 84, seconds) \
  X(found, 84, device) \
  X(found, 84, gpus) \
  X(search, 85, struct_size) \
  X(search, 85, limit) \
  X(search, 85, tried) \
  X(search, 85, same) \
  X(search, 85, illegal) \
  X(search, 85, unknown) \
  X(search, 85, over) \
  X(search, 85, fit) \
  X(search, 85, pruned) \
  X(search, 85, least) \
  X(search, 85, least_index) \
  X(lint, 52, struct_size) \
  X(lint, 52, dialect) \
  X(lint, 52, version) \
  X(lint, 52, compute) \
  X(lint, 52, world) \
  X(lint, 52, nodes) \
  X(launch, 88, struct_size) \
  X(launch, 88, target) \
  X(launch, 88, arguments) \
  X(launch, 88, tool_version) \
  X(launch, 88, nodes) \
  X(launch, 88, gpus_per_node) \
  X(launch, 88, port) \
  X(launch, 88, node) \
  X(launch, 88, fsdp) \
  X(launch, 88, is_module) \
  X(alloc, 86, struct_size) \
  X(alloc, 86, kind) \
  X(alloc, 86, device) \
  X(alloc, 86, pad) \
  X(alloc, 86, bytes) \
  X(alloc, 86, low) \
  X(alloc, 86, high) \
  X(alloc, 86, capacity) \
  X(alloc, 86, free) \
  X(alloc, 86, in_use) \
  X(alloc, 86, allocated) \
  X(alloc, 86, reserved) \
  X(alloc, 86, offset) \
  X(alloc, 86, params) \
  X(candidate, 87, suspect) \
  X(candidate, 87, solved) \
  X(candidate, 87, dtype_bytes) \
  X(candidate, 87, usual) \
  X(candidate, 87, avoid) \
  X(candidate, 87, value) \
  X(candidate, 87, elements) \
  X(candidate, 87, bytes) \
  X(candidate, 87, distance) \
  X(candidate, 87, ranks) \
  X(candidate, 87, stage) \
  X(candidate, 87, tensor)

#define VALUES(X) \
  X(error, severity, DTC_SEVERITY_ERROR, 0, "error") \
  X(error, severity, DTC_SEVERITY_WARNING, 1, "warning") \
  X(model, arch, DTC_ARCH_DEFAULT, 0, "default") \
  X(model, arch, DTC_ARCH_MEGATRON, 1, "megatron") \
  X(model, arch, DTC_ARCH_GPT2, 2, "gpt2") \
  X(model, arch, DTC_ARCH_OPT, 3, "opt") \
  X(model, arch, DTC_ARCH_BLOOM, 4, "bloom") \
  X(model, arch, DTC_ARCH_GPT_NEOX, 5, "gpt_neox") \
  X(model, arch, DTC_ARCH_FALCON, 6, "falcon") \
  X(model, arch, DTC_ARCH_PHI, 7, "phi") \
  X(model, arch, DTC_ARCH_PHI3, 8, "phi3") \
  X(model, arch, DTC_ARCH_LLAMA, 9, "llama") \
  X(model, arch, DTC_ARCH_QWEN2, 10, "qwen2") \
  X(model, arch, DTC_ARCH_QWEN3, 11, "qwen3") \
  X(model, arch, DTC_ARCH_GEMMA, 12, "gemma") \
  X(model, arch, DTC_ARCH_GEMMA2, 13, "gemma2") \
  X(model, arch, DTC_ARCH_GEMMA3, 14, "gemma3") \
  X(model, arch, DTC_ARCH_MIXTRAL, 15, "mixtral") \
  X(model, arch, DTC_ARCH_QWEN2_MOE, 16, "qwen2_moe") \
  X(model, arch, DTC_ARCH_QWEN3_MOE, 17, "qwen3_moe") \
  X(model, arch, DTC_ARCH_DEEPSEEK_V2, 18, "deepseek_v2") \
  X(model, arch, DTC_ARCH_DEEPSEEK_V3, 19, "deepseek_v3") \
  X(model, arch, DTC_ARCH_GPT_OSS, 20, "gpt_oss") \
  X(model, arch, DTC_ARCH_BERT, 21, "bert") \
  X(model, norm, DTC_NORM_DEFAULT, 0, "default") \
  X(model, norm, DTC_NORM_RMSNORM, 1, "rmsnorm") \
  X(model, norm, DTC_NORM_LAYERNORM, 2, "layernorm") \
  X(model, position, DTC_POSITION_DEFAULT, 0, "default") \
  X(model, position, DTC_POSITION_ROPE, 1, "rope") \
  X(model, position, DTC_POSITION_LEARNED, 2, "learned") \
  X(model, position, DTC_POSITION_ALIBI, 3, "alibi") \
  X(model, position, DTC_POSITION_NOPE, 4, "nope") \
  X(model, tied, DTC_BOOL_DEFAULT, 0, "default") \
  X(model, tied, DTC_BOOL_ON, 1, "on") \
  X(model, tied, DTC_BOOL_OFF, 2, "off") \
  X(tensor, kind, DTC_TENSOR_KIND_NONE, 0, "none") \
  X(tensor, kind, DTC_TENSOR_KIND_EMBEDDING, 1, "embedding") \
  X(tensor, kind, DTC_TENSOR_KIND_ATTENTION, 2, "attention") \
  X(tensor, kind, DTC_TENSOR_KIND_MLP, 3, "mlp") \
  X(tensor, kind, DTC_TENSOR_KIND_NORM, 4, "norm") \
  X(tensor, kind, DTC_TENSOR_KIND_ROUTER, 5, "router") \
  X(tensor, kind, DTC_TENSOR_KIND_EXPERT, 6, "expert") \
  X(tensor, kind, DTC_TENSOR_KIND_SHARED, 7, "shared") \
  X(tensor, kind, DTC_TENSOR_KIND_FINAL_NORM, 8, "final_norm") \
  X(tensor, kind, DTC_TENSOR_KIND_HEAD, 9, "head") \
  X(tensor, kind, DTC_TENSOR_KIND_CROSS, 10, "cross") \
  X(tensor, kind, DTC_TENSOR_KIND_MAMBA, 11, "mamba") \
  X(cluster, vendor, DTC_VENDOR_DEFAULT, 0, "default") \
  X(cluster, vendor, DTC_VENDOR_NVIDIA, 1, "nvidia") \
  X(cluster, vendor, DTC_VENDOR_AMD, 2, "amd") \
  X(cluster, vendor, DTC_VENDOR_HUAWEI, 3, "huawei") \
  X(cluster, vendor, DTC_VENDOR_INTEL, 4, "intel") \
  X(cluster, fabric, DTC_FABRIC_DEFAULT, 0, "default") \
  X(cluster, fabric, DTC_FABRIC_RDMA, 1, "rdma") \
  X(cluster, fabric, DTC_FABRIC_EFA, 2, "efa") \
  X(cluster, fabric, DTC_FABRIC_EFA_V1, 3, "efa_v1") \
  X(cluster, fabric, DTC_FABRIC_TCPXO, 4, "tcpxo") \
  X(cluster, fabric, DTC_FABRIC_TCPX, 5, "tcpx") \
  X(cluster, fabric, DTC_FABRIC_GCP_ROCE, 6, "gcp_roce") \
  X(cluster, fabric, DTC_FABRIC_SLINGSHOT, 7, "slingshot") \
  X(cluster, fabric, DTC_FABRIC_POLLARA, 8, "pollara") \
  X(cluster, fabric, DTC_FABRIC_TCP, 9, "tcp") \
  X(plan, framework, DTC_FRAMEWORK_DEFAULT, 0, "default") \
  X(plan, framework, DTC_FRAMEWORK_PYTORCH, 1, "pytorch") \
  X(plan, framework, DTC_FRAMEWORK_DEEPSPEED, 2, "deepspeed") \
  X(plan, framework, DTC_FRAMEWORK_MEGATRON, 3, "megatron") \
  X(plan, framework, DTC_FRAMEWORK_COLOSSALAI, 4, "colossalai") \
  X(plan, framework, DTC_FRAMEWORK_TORCHTITAN, 5, "torchtitan") \
  X(plan, framework, DTC_FRAMEWORK_SCALING, 6, "scaling") \
  X(plan, sharding, DTC_SHARDING_DEFAULT, 0, "default") \
  X(plan, sharding, DTC_SHARDING_DDP, 1, "ddp") \
  X(plan, sharding, DTC_SHARDING_ZERO1, 2, "zero1") \
  X(plan, sharding, DTC_SHARDING_ZERO2, 3, "zero2") \
  X(plan, sharding, DTC_SHARDING_ZERO3, 4, "zero3") \
  X(plan, sharding, DTC_SHARDING_FSDP, 5, "fsdp") \
  X(plan, sharding, DTC_SHARDING_HSDP, 6, "hsdp") \
  X(plan, sharding, DTC_SHARDING_DISTOPT, 7, "distopt") \
  X(plan, schedule, DTC_SCHEDULE_DEFAULT, 0, "default") \
  X(plan, schedule, DTC_SCHEDULE_GPIPE, 1, "gpipe") \
  X(plan, schedule, DTC_SCHEDULE_1F1B, 2, "1f1b") \
  X(plan, schedule, DTC_SCHEDULE_INTERLEAVED, 3, "interleaved") \
  X(plan, schedule, DTC_SCHEDULE_VPP, 4, "vpp") \
  X(plan, schedule, DTC_SCHEDULE_LOOPED_BFS, 5, "looped_bfs") \
  X(plan, schedule, DTC_SCHEDULE_GROUP_INTERLEAVED, 6, "group_interleaved") \
  X(plan, schedule, DTC_SCHEDULE_ZBV, 7, "zbv") \
  X(plan, schedule, DTC_SCHEDULE_V_HALF, 8, "v_half") \
  X(plan, schedule, DTC_SCHEDULE_V_MIN, 9, "v_min") \
  X(plan, schedule, DTC_SCHEDULE_1F1B_V, 10, "1f1b_v") \
  X(plan, schedule, DTC_SCHEDULE_DUALPIPE_V, 11, "dualpipe_v") \
  X(plan, schedule, DTC_SCHEDULE_DUALPIPE, 12, "dualpipe") \
  X(plan, schedule, DTC_SCHEDULE_INTERLEAVED_ZB, 13, "interleaved_zb") \
  X(plan, schedule, DTC_SCHEDULE_ZB_H1, 14, "zb_h1") \
  X(plan, schedule, DTC_SCHEDULE_ZB_H2, 15, "zb_h2") \
  X(plan, recompute, DTC_RECOMPUTE_DEFAULT, 0, "default") \
  X(plan, recompute, DTC_RECOMPUTE_NONE, 1, "none") \
  X(plan, recompute, DTC_RECOMPUTE_SELECTIVE, 2, "selective") \
  X(plan, recompute, DTC_RECOMPUTE_FULL, 3, "full") \
  X(plan, attention, DTC_ATTENTION_DEFAULT, 0, "default") \
  X(plan, attention, DTC_ATTENTION_FLASH, 1, "flash") \
  X(plan, attention, DTC_ATTENTION_EAGER, 2, "eager") \
  X(plan, attention, DTC_ATTENTION_CUDNN, 3, "cudnn") \
  X(plan, attention, DTC_ATTENTION_MATH, 4, "math") \
  X(plan, precision, DTC_PRECISION_DEFAULT, 0, "default") \
  X(plan, precision, DTC_PRECISION_BF16, 1, "bf16") \
  X(plan, precision, DTC_PRECISION_FP16, 2, "fp16") \
  X(plan, precision, DTC_PRECISION_FP32, 3, "fp32") \
  X(plan, precision, DTC_PRECISION_PURE_BF16, 4, "pure_bf16") \
  X(plan, precision, DTC_PRECISION_FP8, 5, "fp8") \
  X(plan, precision, DTC_PRECISION_FP4, 6, "fp4") \
  X(plan, grad_dtype, DTC_GRAD_DTYPE_DEFAULT, 0, "default") \
  X(plan, grad_dtype, DTC_GRAD_DTYPE_FP32, 1, "fp32") \
  X(plan, grad_dtype, DTC_GRAD_DTYPE_16BIT, 2, "16bit") \
  X(plan, optimizer, DTC_OPTIMIZER_DEFAULT, 0, "default") \
  X(plan, optimizer, DTC_OPTIMIZER_ADAM, 1, "adam") \
  X(plan, optimizer, DTC_OPTIMIZER_SGD, 2, "sgd") \
  X(plan, optimizer, DTC_OPTIMIZER_MOMENTUM, 3, "momentum") \
  X(plan, optimizer, DTC_OPTIMIZER_LION, 4, "lion") \
  X(plan, optimizer, DTC_OPTIMIZER_ADAM8, 5, "adam8") \
  X(plan, optimizer, DTC_OPTIMIZER_ADAFACTOR, 6, "adafactor") \
  X(plan, optimizer, DTC_OPTIMIZER_MUON, 7, "muon") \
  X(plan, optimizer, DTC_OPTIMIZER_ADAMAX, 8, "adamax") \
  X(plan, optimizer, DTC_OPTIMIZER_NADAM, 9, "nadam") \
  X(plan, optimizer, DTC_OPTIMIZER_RADAM, 10, "radam") \
  X(plan, optimizer, DTC_OPTIMIZER_ADAGRAD, 11, "adagrad") \
  X(plan, optimizer, DTC_OPTIMIZER_ADADELTA, 12, "adadelta") \
  X(plan, optimizer, DTC_OPTIMIZER_RMSPROP, 13, "rmsprop") \
  X(plan, optimizer, DTC_OPTIMIZER_RPROP, 14, "rprop") \
  X(plan, optimizer, DTC_OPTIMIZER_ASGD, 15, "asgd") \
  X(plan, optimizer, DTC_OPTIMIZER_LAMB, 16, "lamb") \
  X(plan, optimizer, DTC_OPTIMIZER_LARS, 17, "lars") \
  X(plan, optimizer, DTC_OPTIMIZER_ADEMAMIX, 18, "ademamix") \
  X(plan, recompute_method, DTC_RECOMPUTE_METHOD_DEFAULT, 0, "default") \
  X(plan, recompute_method, DTC_RECOMPUTE_METHOD_UNIFORM, 1, "uniform") \
  X(plan, recompute_method, DTC_RECOMPUTE_METHOD_BLOCK, 2, "block") \
  X(plan, recompute_method, DTC_RECOMPUTE_METHOD_EVERY, 3, "every") \
  X(plan, loss, DTC_LOSS_DEFAULT, 0, "default") \
  X(plan, loss, DTC_LOSS_UPCAST, 1, "upcast") \
  X(plan, loss, DTC_LOSS_SAME, 2, "same") \
  X(plan, loss, DTC_LOSS_FUSED, 3, "fused") \
  X(plan, loss, DTC_LOSS_TE, 4, "te") \
  X(plan, loss, DTC_LOSS_COMPILED, 5, "compiled") \
  X(plan, optimizer_kernel, DTC_OPTIMIZER_KERNEL_DEFAULT, 0, "default") \
  X(plan, optimizer_kernel, DTC_OPTIMIZER_KERNEL_FUSED, 1, "fused") \
  X(plan, optimizer_kernel, DTC_OPTIMIZER_KERNEL_FOREACH, 2, "foreach") \
  X(plan, optimizer_kernel, DTC_OPTIMIZER_KERNEL_LOOP, 3, "loop") \
  X(plan, dispatcher, DTC_DISPATCHER_DEFAULT, 0, "default") \
  X(plan, dispatcher, DTC_DISPATCHER_ALLGATHER, 1, "allgather") \
  X(plan, dispatcher, DTC_DISPATCHER_ALLTOALL, 2, "alltoall") \
  X(plan, dispatcher, DTC_DISPATCHER_FLEX, 3, "flex") \
  X(plan, offload, DTC_OFFLOAD_DEFAULT, 0, "default") \
  X(plan, offload, DTC_OFFLOAD_OPTIMIZER, 1, "optimizer") \
  X(plan, offload, DTC_OFFLOAD_PARAMS, 2, "params") \
  X(plan, offload, DTC_OFFLOAD_NVME, 3, "nvme") \
  X(plan, tuning, DTC_TUNING_DEFAULT, 0, "default") \
  X(plan, tuning, DTC_TUNING_FULL, 1, "full") \
  X(plan, tuning, DTC_TUNING_LORA, 2, "lora") \
  X(plan, tuning, DTC_TUNING_QLORA, 3, "qlora") \
  X(plan, lora_targets, DTC_LORA_TARGETS_DEFAULT, 0, "default") \
  X(plan, lora_targets, DTC_LORA_TARGETS_QV, 1, "qv") \
  X(plan, lora_targets, DTC_LORA_TARGETS_ATTENTION, 2, "attention") \
  X(plan, lora_targets, DTC_LORA_TARGETS_MLP, 3, "mlp") \
  X(plan, lora_targets, DTC_LORA_TARGETS_ALL, 4, "all") \
  X(plan, cuda_graph, DTC_CUDA_GRAPH_DEFAULT, 0, "default") \
  X(plan, cuda_graph, DTC_CUDA_GRAPH_NONE, 1, "none") \
  X(plan, cuda_graph, DTC_CUDA_GRAPH_PARTIAL, 2, "partial") \
  X(plan, cuda_graph, DTC_CUDA_GRAPH_FULL, 3, "full") \
  X(plan, fp8_recipe, DTC_FP8_RECIPE_DEFAULT, 0, "default") \
  X(plan, fp8_recipe, DTC_FP8_RECIPE_TENSOR, 1, "tensor") \
  X(plan, fp8_recipe, DTC_FP8_RECIPE_ROW, 2, "row") \
  X(plan, fp8_recipe, DTC_FP8_RECIPE_BLOCK, 3, "block") \
  X(plan, fp8_recipe, DTC_FP8_RECIPE_MX, 4, "mx") \
  X(axis, name, DTC_AXIS_NAME_NONE, 0, "none") \
  X(axis, name, DTC_AXIS_NAME_TP, 1, "tp") \
  X(axis, name, DTC_AXIS_NAME_CP, 2, "cp") \
  X(axis, name, DTC_AXIS_NAME_DP, 3, "dp") \
  X(axis, name, DTC_AXIS_NAME_PP, 4, "pp") \
  X(axis, name, DTC_AXIS_NAME_EP, 5, "ep") \
  X(axis, name, DTC_AXIS_NAME_ETP, 6, "etp") \
  X(axis, name, DTC_AXIS_NAME_EDP, 7, "edp") \
  X(axis, name, DTC_AXIS_NAME_GTP_REMAT, 8, "gtp_remat") \
  X(axis, name, DTC_AXIS_NAME_EGTP_REMAT, 9, "egtp_remat") \
  X(axis, name, DTC_AXIS_NAME_INSTANCE, 10, "instance") \
  X(axis, name, DTC_AXIS_NAME_DP_SHARD, 11, "dp_shard") \
  X(axis, name, DTC_AXIS_NAME_DP_REPLICATE, 12, "dp_replicate") \
  X(axis, name, DTC_AXIS_NAME_EFSDP, 13, "efsdp") \
  X(axis, name, DTC_AXIS_NAME_TP_I, 14, "tp_i") \
  X(axis, name, DTC_AXIS_NAME_TP_J, 15, "tp_j") \
  X(axis, name, DTC_AXIS_NAME_TP_K, 16, "tp_k") \
  X(layout, scheme, DTC_SCHEME_DEFAULT, 0, "default") \
  X(layout, scheme, DTC_SCHEME_MEGATRON, 1, "megatron") \
  X(layout, scheme, DTC_SCHEME_MEGATRON_TP_PP_DP, 2, "megatron_tp_pp_dp") \
  X(layout, scheme, DTC_SCHEME_DEEPSPEED, 3, "deepspeed") \
  X(layout, scheme, DTC_SCHEME_DEEPSPEED_MOE, 4, "deepspeed_moe") \
  X(layout, scheme, DTC_SCHEME_DEEPSPEED_MOE_EDP, 5, "deepspeed_moe_edp") \
  X(layout, scheme, DTC_SCHEME_DEEPSPEED_AUTOEP, 6, "deepspeed_autoep") \
  X(layout, scheme, DTC_SCHEME_DEEPSPEED_ULYSSES, 7, "deepspeed_ulysses") \
  X(layout, scheme, DTC_SCHEME_DEEPSPEED_HPZ, 8, "deepspeed_hpz") \
  X(layout, scheme, DTC_SCHEME_DEEPSPEED_QGZ, 9, "deepspeed_qgz") \
  X(layout, scheme, DTC_SCHEME_TORCHTITAN, 10, "torchtitan") \
  X(layout, scheme, DTC_SCHEME_TORCHTITAN_DTENSOR, 11, "torchtitan_dtensor") \
  X(layout, scheme, DTC_SCHEME_PYTORCH, 12, "pytorch") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI, 13, "colossalai") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_INSIDE, 14, "colossalai_inside") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_RING, 15, "colossalai_ring") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_RING_IN, 16, "colossalai_ring_in") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_MOE, 17, "colossalai_moe") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_MOE_IN, 18, "colossalai_moe_in") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_GEMINI, 19, "colossalai_gemini") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_ZERO, 20, "colossalai_zero") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_1D, 21, "colossalai_1d") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_2D, 22, "colossalai_2d") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_25D, 23, "colossalai_25d") \
  X(layout, scheme, DTC_SCHEME_COLOSSALAI_3D, 24, "colossalai_3d") \
  X(layout, scheme, DTC_SCHEME_NANOTRON, 25, "nanotron") \
  X(layout, scheme, DTC_SCHEME_DEEPSPEED_GRID, 26, "deepspeed_grid") \
  X(group_kind, part, DTC_MESH_PART_DENSE, 0, "dense") \
  X(group_kind, part, DTC_MESH_PART_EXPERTS, 1, "experts") \
  X(placement, spread, DTC_SPREAD_NONE, 0, "none") \
  X(placement, spread, DTC_SPREAD_INSIDE, 1, "inside") \
  X(placement, spread, DTC_SPREAD_SPANS, 2, "spans") \
  X(placement, spread, DTC_SPREAD_STRADDLES, 3, "straddles") \
  X(nccl, cpu, DTC_NCCL_CPU_DEFAULT, 0, "default") \
  X(nccl, cpu, DTC_NCCL_CPU_INTEL, 1, "intel") \
  X(nccl, cpu, DTC_NCCL_CPU_AMD, 2, "amd") \
  X(nccl, cpu, DTC_NCCL_CPU_ARM, 3, "arm") \
  X(nccl, cpu, DTC_NCCL_CPU_POWER, 4, "power") \
  X(nccl, cpu, DTC_NCCL_CPU_MIXED, 5, "mixed") \
  X(nccl, tree_pattern, DTC_NCCL_PATTERN_DEFAULT, 0, "default") \
  X(nccl, tree_pattern, DTC_NCCL_PATTERN_BALANCED_TREE, 1, "balanced_tree") \
  X(nccl, tree_pattern, DTC_NCCL_PATTERN_SPLIT_TREE, 2, "split_tree") \
  X(nccl, tree_pattern, DTC_NCCL_PATTERN_TREE, 3, "tree") \
  X(nccl_row, algorithm, DTC_NCCL_ALGORITHM_NONE, 0, "none") \
  X(nccl_row, algorithm, DTC_NCCL_ALGORITHM_TREE, 1, "tree") \
  X(nccl_row, algorithm, DTC_NCCL_ALGORITHM_RING, 2, "ring") \
  X(nccl_row, algorithm, DTC_NCCL_ALGORITHM_COLLNET_DIRECT, 3, "collnet_direct") \
  X(nccl_row, algorithm, DTC_NCCL_ALGORITHM_COLLNET_CHAIN, 4, "collnet_chain") \
  X(nccl_row, algorithm, DTC_NCCL_ALGORITHM_NVLS, 5, "nvls") \
  X(nccl_row, algorithm, DTC_NCCL_ALGORITHM_NVLS_TREE, 6, "nvls_tree") \
  X(nccl_row, algorithm, DTC_NCCL_ALGORITHM_PAT, 7, "pat") \
  X(nccl_row, protocol, DTC_NCCL_PROTOCOL_NONE, 0, "none") \
  X(nccl_row, protocol, DTC_NCCL_PROTOCOL_LL, 1, "ll") \
  X(nccl_row, protocol, DTC_NCCL_PROTOCOL_LL128, 2, "ll128") \
  X(nccl_row, protocol, DTC_NCCL_PROTOCOL_SIMPLE, 3, "simple") \
  X(shape, dtype, DTC_DTYPE_DEFAULT, 0, "default") \
  X(shape, dtype, DTC_DTYPE_BF16, 1, "bf16") \
  X(shape, dtype, DTC_DTYPE_FP16, 2, "fp16") \
  X(shape, dtype, DTC_DTYPE_FP32, 3, "fp32") \
  X(shape, dtype, DTC_DTYPE_FP8, 4, "fp8") \
  X(shape, dtype, DTC_DTYPE_FP64, 5, "fp64") \
  X(shape, cut, DTC_CUT_DEFAULT, 0, "default") \
  X(shape, cut, DTC_CUT_WHOLE, 1, "whole") \
  X(shape, cut, DTC_CUT_ROWS, 2, "rows") \
  X(shape, cut, DTC_CUT_COLS, 3, "cols") \
  X(shards, scheme, DTC_SHARD_SCHEME_DEFAULT, 0, "default") \
  X(shards, scheme, DTC_SHARD_SCHEME_ZERO12, 1, "zero12") \
  X(shards, scheme, DTC_SHARD_SCHEME_BF16, 2, "bf16") \
  X(shards, scheme, DTC_SHARD_SCHEME_ZERO3, 3, "zero3") \
  X(shards, scheme, DTC_SHARD_SCHEME_MICS, 4, "mics") \
  X(shards, scheme, DTC_SHARD_SCHEME_DDP, 5, "ddp") \
  X(shards, scheme, DTC_SHARD_SCHEME_FSDP1, 6, "fsdp1") \
  X(shards, scheme, DTC_SHARD_SCHEME_FSDP2, 7, "fsdp2") \
  X(shards, scheme, DTC_SHARD_SCHEME_WHOLE, 8, "whole") \
  X(shards, scheme, DTC_SHARD_SCHEME_OSS, 9, "oss") \
  X(shards, scheme, DTC_SHARD_SCHEME_DISTOPT, 10, "distopt") \
  X(shards, scheme, DTC_SHARD_SCHEME_ALLREDUCE, 11, "allreduce") \
  X(shards, scheme, DTC_SHARD_SCHEME_LAYERWISE, 12, "layerwise") \
  X(shards, scheme, DTC_SHARD_SCHEME_MEGATRON_FSDP, 13, "megatron_fsdp") \
  X(shards, scheme, DTC_SHARD_SCHEME_MEGATRON_FSDP2, 14, "megatron_fsdp2") \
  X(shards, scheme, DTC_SHARD_SCHEME_GEMINI, 15, "gemini") \
  X(shards, scheme, DTC_SHARD_SCHEME_LOW_LEVEL_ZERO, 16, "low_level_zero") \
  X(message, op, DTC_COLLECTIVE_NONE, 0, "none") \
  X(message, op, DTC_COLLECTIVE_ALL_REDUCE, 1, "all_reduce") \
  X(message, op, DTC_COLLECTIVE_REDUCE_SCATTER, 2, "reduce_scatter") \
  X(message, op, DTC_COLLECTIVE_ALL_GATHER, 3, "all_gather") \
  X(message, op, DTC_COLLECTIVE_REDUCE, 4, "reduce") \
  X(message, op, DTC_COLLECTIVE_BROADCAST, 5, "broadcast") \
  X(message, op, DTC_COLLECTIVE_ALL_TO_ALL, 6, "all_to_all") \
  X(message, op, DTC_COLLECTIVE_SEND_RECV, 7, "send_recv") \
  X(message, op, DTC_COLLECTIVE_GATHER, 8, "gather") \
  X(message, op, DTC_COLLECTIVE_SCATTER, 9, "scatter") \
  X(message, op, DTC_COLLECTIVE_BARRIER, 10, "barrier") \
  X(message, phase, DTC_PHASE_NONE, 0, "none") \
  X(message, phase, DTC_PHASE_FORWARD, 1, "forward") \
  X(message, phase, DTC_PHASE_BACKWARD, 2, "backward") \
  X(message, phase, DTC_PHASE_BOUNDARY, 3, "boundary") \
  X(message, phase, DTC_PHASE_STEP, 4, "step") \
  X(message, group, DTC_SHARD_GROUP_WORLD, 0, "world") \
  X(message, group, DTC_SHARD_GROUP_REPLICAS, 1, "replicas") \
  X(message, group, DTC_SHARD_GROUP_HPZ, 2, "hpz") \
  X(reshard, loading, DTC_LOADING_DEFAULT, 0, "default") \
  X(reshard, loading, DTC_LOADING_YES, 1, "yes") \
  X(reshard, loading, DTC_LOADING_CONVERT, 2, "convert") \
  X(reshard, loading, DTC_LOADING_NO, 3, "no") \
  X(reshard, form, DTC_CHECKPOINT_FORM_DEFAULT, 0, "default") \
  X(reshard, form, DTC_CHECKPOINT_FORM_NATIVE, 1, "native") \
  X(reshard, form, DTC_CHECKPOINT_FORM_ELASTIC, 2, "elastic") \
  X(reshard, form, DTC_CHECKPOINT_FORM_UNIVERSAL, 3, "universal") \
  X(reshard, form, DTC_CHECKPOINT_FORM_DP_RESHARDABLE, 4, "dp_reshardable") \
  X(reshard, form, DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE, 5, "fully_reshardable") \
  X(reshard, form, DTC_CHECKPOINT_FORM_DCP, 6, "dcp") \
  X(pipe_split, splitter, DTC_SPLITTER_MEGATRON, 0, "megatron") \
  X(pipe_split, splitter, DTC_SPLITTER_LAYOUT, 1, "layout") \
  X(pipe_split, splitter, DTC_SPLITTER_UNIFORM, 2, "uniform") \
  X(pipe_split, splitter, DTC_SPLITTER_BALANCED, 3, "balanced") \
  X(pipe_split, splitter, DTC_SPLITTER_TORCHTITAN, 4, "torchtitan") \
  X(pipe_split, splitter, DTC_SPLITTER_COLOSSALAI, 5, "colossalai") \
  X(collective_call, style, DTC_CALL_STYLE_LOOP, 0, "loop") \
  X(collective_call, style, DTC_CALL_STYLE_THREAD, 1, "thread") \
  X(collective_call, style, DTC_CALL_STYLE_BLOCKING, 2, "blocking") \
  X(collective_time, bound, DTC_BOUND_NONE, 0, "none") \
  X(collective_time, bound, DTC_BOUND_LAUNCH, 1, "launch") \
  X(collective_time, bound, DTC_BOUND_LATENCY, 2, "latency") \
  X(collective_time, bound, DTC_BOUND_NVLINK, 3, "nvlink") \
  X(collective_time, bound, DTC_BOUND_PCIE, 4, "pcie") \
  X(collective_time, bound, DTC_BOUND_NIC, 5, "nic") \
  X(collective_time, bound, DTC_BOUND_SWITCH, 6, "switch") \
  X(collective_time, bound, DTC_BOUND_SMS, 7, "sms") \
  X(collective_time, confidence, DTC_CONFIDENCE_NONE, 0, "none") \
  X(collective_time, confidence, DTC_CONFIDENCE_MEASURED, 1, "measured") \
  X(collective_time, confidence, DTC_CONFIDENCE_RELATIVE, 2, "relative") \
  X(collective_time, confidence, DTC_CONFIDENCE_EXTRAPOLATED, 3, "extrapolated") \
  X(verdict, grade, DTC_GRADE_NONE, 0, "none") \
  X(verdict, grade, DTC_GRADE_GOOD, 1, "good") \
  X(verdict, grade, DTC_GRADE_LOW, 2, "low") \
  X(verdict, grade, DTC_GRADE_BROKEN, 3, "broken") \
  X(verdict, grade, DTC_GRADE_IMPOSSIBLE, 4, "impossible") \
  X(verdict, reason, DTC_SLOW_REASON_NONE, 0, "none") \
  X(verdict, reason, DTC_SLOW_REASON_SOCKETS, 1, "sockets") \
  X(verdict, reason, DTC_SLOW_REASON_ONE_NIC, 2, "one_nic") \
  X(verdict, reason, DTC_SLOW_REASON_HALF_NICS, 3, "half_nics") \
  X(verdict, reason, DTC_SLOW_REASON_PCIE, 4, "pcie") \
  X(verdict, reason, DTC_SLOW_REASON_IN_SWITCH, 5, "in_switch") \
  X(verdict, reason, DTC_SLOW_REASON_CHANNELS, 6, "channels") \
  X(verdict, reason, DTC_SLOW_REASON_BLOCKING, 7, "blocking") \
  X(verdict, reason, DTC_SLOW_REASON_SETUP, 8, "setup") \
  X(moe_call, op, DTC_MOE_OP_DISPATCH, 0, "dispatch") \
  X(moe_call, op, DTC_MOE_OP_COMBINE, 1, "combine") \
  X(moe_call, kernel, DTC_MOE_KERNEL_NORMAL, 0, "normal") \
  X(moe_call, kernel, DTC_MOE_KERNEL_LOW_LATENCY, 1, "low_latency") \
  X(moe_call, kernel, DTC_MOE_KERNEL_TWO_SIDED, 2, "two_sided") \
  X(moe_call, kernel, DTC_MOE_KERNEL_ONE_SIDED, 3, "one_sided") \
  X(moe_call, library, DTC_MOE_LIBRARY_DEEPEP, 0, "deepep") \
  X(moe_call, library, DTC_MOE_LIBRARY_UCCL, 1, "uccl") \
  X(moe_call, format, DTC_MOE_FORMAT_DEFAULT, 0, "default") \
  X(moe_call, format, DTC_MOE_FORMAT_BF16, 1, "bf16") \
  X(moe_call, format, DTC_MOE_FORMAT_FP8, 2, "fp8") \
  X(moe_call, format, DTC_MOE_FORMAT_NVFP4, 3, "nvfp4") \
  X(slurm, distribution, DTC_DISTRIBUTION_DEFAULT, 0, "default") \
  X(slurm, distribution, DTC_DISTRIBUTION_BLOCK, 1, "block") \
  X(slurm, distribution, DTC_DISTRIBUTION_CYCLIC, 2, "cyclic") \
  X(slurm, distribution, DTC_DISTRIBUTION_PLANE, 3, "plane") \
  X(slurm, distribution, DTC_DISTRIBUTION_ARBITRARY, 4, "arbitrary") \
  X(mpi, map, DTC_MPI_BY_DEFAULT, 0, "default") \
  X(mpi, map, DTC_MPI_BY_SLOT, 1, "slot") \
  X(mpi, map, DTC_MPI_BY_NODE, 2, "node") \
  X(mpi, map, DTC_MPI_BY_SOCKET, 3, "socket") \
  X(mpi, map, DTC_MPI_BY_NUMA, 4, "numa") \
  X(mpi, map, DTC_MPI_BY_CORE, 5, "core") \
  X(memory, moment, DTC_MOMENT_NONE, 0, "none") \
  X(memory, moment, DTC_MOMENT_FORWARD, 1, "forward") \
  X(memory, moment, DTC_MOMENT_FORWARDED, 2, "forwarded") \
  X(memory, moment, DTC_MOMENT_LOSS, 3, "loss") \
  X(memory, moment, DTC_MOMENT_HEAD, 4, "head") \
  X(memory, moment, DTC_MOMENT_BACKWARD, 5, "backward") \
  X(memory, moment, DTC_MOMENT_EXPERTS, 6, "experts") \
  X(memory, moment, DTC_MOMENT_BOUNDARY, 7, "boundary") \
  X(memory, moment, DTC_MOMENT_END, 8, "end") \
  X(memory, moment, DTC_MOMENT_REDUCED, 9, "reduced") \
  X(memory, moment, DTC_MOMENT_STEP, 10, "step") \
  X(memory, moment, DTC_MOMENT_REST, 11, "rest") \
  X(memory, largest, DTC_MEMORY_ITEM_NONE, 0, "none") \
  X(memory, largest, DTC_MEMORY_ITEM_WEIGHTS, 1, "weights") \
  X(memory, largest, DTC_MEMORY_ITEM_GRADIENTS, 2, "gradients") \
  X(memory, largest, DTC_MEMORY_ITEM_OPTIMIZER, 3, "optimizer") \
  X(memory, largest, DTC_MEMORY_ITEM_BUCKETS, 4, "buckets") \
  X(memory, largest, DTC_MEMORY_ITEM_GATHERED, 5, "gathered") \
  X(memory, largest, DTC_MEMORY_ITEM_ACTIVATIONS, 6, "activations") \
  X(memory, largest, DTC_MEMORY_ITEM_TRANSIENT, 7, "transient") \
  X(memory, largest, DTC_MEMORY_ITEM_WORKSPACE, 8, "workspace") \
  X(optimizer_spec, library, DTC_OPTIMIZER_LIBRARY_DEFAULT, 0, "default") \
  X(optimizer_spec, library, DTC_OPTIMIZER_LIBRARY_TORCH, 1, "torch") \
  X(optimizer_spec, library, DTC_OPTIMIZER_LIBRARY_BITSANDBYTES, 2, "bitsandbytes") \
  X(optimizer_spec, library, DTC_OPTIMIZER_LIBRARY_TORCHAO, 3, "torchao") \
  X(optimizer_spec, format, DTC_OPTIMIZER_FORMAT_DEFAULT, 0, "default") \
  X(optimizer_spec, format, DTC_OPTIMIZER_FORMAT_FULL, 1, "full") \
  X(optimizer_spec, format, DTC_OPTIMIZER_FORMAT_INT8, 2, "int8") \
  X(optimizer_spec, format, DTC_OPTIMIZER_FORMAT_INT4, 3, "int4") \
  X(optimizer_spec, format, DTC_OPTIMIZER_FORMAT_FP8, 4, "fp8") \
  X(memory_remedy, remedy, DTC_REMEDY_NONE, 0, "none") \
  X(memory_remedy, remedy, DTC_REMEDY_RECOMPUTE_SELECTIVE, 1, "recompute_selective") \
  X(memory_remedy, remedy, DTC_REMEDY_RECOMPUTE_FULL, 2, "recompute_full") \
  X(memory_remedy, remedy, DTC_REMEDY_MICRO_BATCH_HALF, 3, "micro_batch_half") \
  X(memory_remedy, remedy, DTC_REMEDY_MICRO_BATCH_ONE, 4, "micro_batch_one") \
  X(memory_remedy, remedy, DTC_REMEDY_SEQUENCE_PARALLEL, 5, "sequence_parallel") \
  X(memory_remedy, remedy, DTC_REMEDY_TP, 6, "tp") \
  X(memory_remedy, remedy, DTC_REMEDY_PP, 7, "pp") \
  X(memory_remedy, remedy, DTC_REMEDY_CP, 8, "cp") \
  X(memory_remedy, remedy, DTC_REMEDY_EP, 9, "ep") \
  X(memory_remedy, remedy, DTC_REMEDY_DP, 10, "dp") \
  X(memory_remedy, remedy, DTC_REMEDY_SHARD_OPTIMIZER, 11, "shard_optimizer") \
  X(memory_remedy, remedy, DTC_REMEDY_SHARD_GRADIENTS, 12, "shard_gradients") \
  X(memory_remedy, remedy, DTC_REMEDY_SHARD_WEIGHTS, 13, "shard_weights") \
  X(memory_remedy, remedy, DTC_REMEDY_OFFLOAD_OPTIMIZER, 14, "offload_optimizer") \
  X(memory_remedy, remedy, DTC_REMEDY_OFFLOAD_PARAMS, 15, "offload_params") \
  X(memory_remedy, remedy, DTC_REMEDY_OFFLOAD_ACTIVATIONS, 16, "offload_activations") \
  X(memory_remedy, remedy, DTC_REMEDY_LOSS_FUSED, 17, "loss_fused") \
  X(memory_remedy, remedy, DTC_REMEDY_LOSS_CHUNKS, 18, "loss_chunks") \
  X(memory_remedy, remedy, DTC_REMEDY_OPTIMIZER_8BIT, 19, "optimizer_8bit") \
  X(memory_remedy, remedy, DTC_REMEDY_OPTIMIZER_FUSED, 20, "optimizer_fused") \
  X(memory_remedy, remedy, DTC_REMEDY_FLASH, 21, "flash") \
  X(memory_remedy, remedy, DTC_REMEDY_BF16, 22, "bf16") \
  X(memory_remedy, remedy, DTC_REMEDY_GRADS_16BIT, 23, "grads_16bit") \
  X(memory_remedy, remedy, DTC_REMEDY_BUCKET_VIEW, 24, "bucket_view") \
  X(memory_remedy, remedy, DTC_REMEDY_VOCAB_PARALLEL, 25, "vocab_parallel") \
  X(estimator_call, estimator, DTC_ESTIMATOR_NONE, 0, "none") \
  X(estimator_call, estimator, DTC_ESTIMATOR_DEEPSPEED_ZERO2, 1, "deepspeed_zero2") \
  X(estimator_call, estimator, DTC_ESTIMATOR_DEEPSPEED_ZERO3, 2, "deepspeed_zero3") \
  X(estimator_call, estimator, DTC_ESTIMATOR_MEGATRON, 3, "megatron") \
  X(estimator_call, estimator, DTC_ESTIMATOR_ACCELERATE, 4, "accelerate") \
  X(estimator_call, dtype, DTC_LOAD_DTYPE_DEFAULT, 0, "default") \
  X(estimator_call, dtype, DTC_LOAD_DTYPE_FLOAT32, 1, "float32") \
  X(estimator_call, dtype, DTC_LOAD_DTYPE_FLOAT16, 2, "float16") \
  X(estimator_call, dtype, DTC_LOAD_DTYPE_INT8, 3, "int8") \
  X(estimator_call, dtype, DTC_LOAD_DTYPE_INT4, 4, "int4") \
  X(step, limit, DTC_STEP_ITEM_NONE, 0, "none") \
  X(step, limit, DTC_STEP_ITEM_DENSE, 1, "dense") \
  X(step, limit, DTC_STEP_ITEM_ATTENTION, 2, "attention") \
  X(step, limit, DTC_STEP_ITEM_EXPERTS, 3, "experts") \
  X(step, limit, DTC_STEP_ITEM_ELEMENTWISE, 4, "elementwise") \
  X(step, limit, DTC_STEP_ITEM_HEAD, 5, "head") \
  X(step, limit, DTC_STEP_ITEM_RECOMPUTE, 6, "recompute") \
  X(step, limit, DTC_STEP_ITEM_LAUNCH, 7, "launch") \
  X(step, limit, DTC_STEP_ITEM_TP, 8, "tp") \
  X(step, limit, DTC_STEP_ITEM_CP, 9, "cp") \
  X(step, limit, DTC_STEP_ITEM_EP, 10, "ep") \
  X(step, limit, DTC_STEP_ITEM_PP, 11, "pp") \
  X(step, limit, DTC_STEP_ITEM_BUBBLE, 12, "bubble") \
  X(step, limit, DTC_STEP_ITEM_WEIGHTS, 13, "weights") \
  X(step, limit, DTC_STEP_ITEM_GRADIENTS, 14, "gradients") \
  X(step, limit, DTC_STEP_ITEM_OPTIMIZER, 15, "optimizer") \
  X(step, limit, DTC_STEP_ITEM_OFFLOAD, 16, "offload") \
  X(step, limit, DTC_STEP_ITEM_STRAGGLERS, 17, "stragglers") \
  X(step_rate, convention, DTC_FLOPS_DEFAULT, 0, "default") \
  X(step_rate, convention, DTC_FLOPS_MEGATRON, 1, "megatron") \
  X(step_rate, convention, DTC_FLOPS_MEGATRON_FULL, 2, "megatron_full") \
  X(step_rate, convention, DTC_FLOPS_MEGATRON_HFU, 3, "megatron_hfu") \
  X(step_rate, convention, DTC_FLOPS_PALM, 4, "palm") \
  X(step_rate, convention, DTC_FLOPS_PALM_HFU, 5, "palm_hfu") \
  X(step_rate, convention, DTC_FLOPS_TORCHTITAN, 6, "torchtitan") \
  X(step_rate, convention, DTC_FLOPS_SIX_N, 7, "six_n") \
  X(step_rate, convention, DTC_FLOPS_NARAYANAN_HFU, 8, "narayanan_hfu") \
  X(step_rate, convention, DTC_FLOPS_KORTHIKANTI, 9, "korthikanti") \
  X(step_rate, convention, DTC_FLOPS_KORTHIKANTI_HFU, 10, "korthikanti_hfu") \
  X(step_rate, convention, DTC_FLOPS_BIGSCIENCE_HFU, 11, "bigscience_hfu") \
  X(step_rate, convention, DTC_FLOPS_BRIDGE, 12, "bridge") \
  X(step_rate, convention, DTC_FLOPS_BRIDGE_PLAIN, 13, "bridge_plain") \
  X(step_rate, convention, DTC_FLOPS_FOUR_N, 14, "four_n") \
  X(space, objective, DTC_OBJECTIVE_DEFAULT, 0, "default") \
  X(space, objective, DTC_OBJECTIVE_TIME, 1, "time") \
  X(space, objective, DTC_OBJECTIVE_GPU_TIME, 2, "gpu_time") \
  X(space, objective, DTC_OBJECTIVE_MEMORY, 3, "memory") \
  X(lint, dialect, DTC_DIALECT_DEFAULT, 0, "default") \
  X(lint, dialect, DTC_DIALECT_DEEPSPEED, 1, "deepspeed") \
  X(lint, dialect, DTC_DIALECT_MEGATRON, 2, "megatron") \
  X(lint, dialect, DTC_DIALECT_TORCHTITAN, 3, "torchtitan") \
  X(lint, dialect, DTC_DIALECT_COLOSSALAI, 4, "colossalai") \
  X(lint, dialect, DTC_DIALECT_ACCELERATE, 5, "accelerate") \
  X(lint, dialect, DTC_DIALECT_TRAINER, 6, "trainer") \
  X(lint, dialect, DTC_DIALECT_HOSTFILE, 7, "hostfile") \
  X(lint, dialect, DTC_DIALECT_SLURM, 8, "slurm") \
  X(lint, dialect, DTC_DIALECT_TORCHRUN, 9, "torchrun") \
  X(lint, dialect, DTC_DIALECT_NCCL, 10, "nccl") \
  X(launch, target, DTC_LAUNCH_TARGET_DEFAULT, 0, "default") \
  X(launch, target, DTC_LAUNCH_TARGET_TORCHRUN, 1, "torchrun") \
  X(launch, target, DTC_LAUNCH_TARGET_C10D, 2, "c10d") \
  X(launch, target, DTC_LAUNCH_TARGET_STANDALONE, 3, "standalone") \
  X(launch, target, DTC_LAUNCH_TARGET_DEEPSPEED, 4, "deepspeed") \
  X(launch, target, DTC_LAUNCH_TARGET_DEEPSPEED_SLURM, 5, "deepspeed_slurm") \
  X(launch, target, DTC_LAUNCH_TARGET_HOSTFILE, 6, "hostfile") \
  X(launch, target, DTC_LAUNCH_TARGET_SRUN, 7, "srun") \
  X(launch, target, DTC_LAUNCH_TARGET_SBATCH, 8, "sbatch") \
  X(launch, target, DTC_LAUNCH_TARGET_SBATCH_TORCHRUN, 9, "sbatch_torchrun") \
  X(launch, target, DTC_LAUNCH_TARGET_MPIRUN, 10, "mpirun") \
  X(launch, target, DTC_LAUNCH_TARGET_ACCELERATE_RUN, 11, "accelerate_run") \
  X(launch, target, DTC_LAUNCH_TARGET_COLOSSALAI_RUN, 12, "colossalai_run") \
  X(launch, target, DTC_LAUNCH_TARGET_MEGATRON, 13, "megatron") \
  X(launch, target, DTC_LAUNCH_TARGET_DS_CONFIG, 14, "ds_config") \
  X(launch, target, DTC_LAUNCH_TARGET_ACCELERATE, 15, "accelerate") \
  X(launch, target, DTC_LAUNCH_TARGET_TRAINER, 16, "trainer") \
  X(launch, target, DTC_LAUNCH_TARGET_TITAN_TOML, 17, "titan_toml") \
  X(launch, target, DTC_LAUNCH_TARGET_TITAN_PYTHON, 18, "titan_python") \
  X(launch, target, DTC_LAUNCH_TARGET_COLOSSALAI, 19, "colossalai") \
  X(launch, target, DTC_LAUNCH_TARGET_ENVIRONMENT, 20, "environment") \
  X(launch, arguments, DTC_LAUNCH_ARGUMENTS_DEFAULT, 0, "default") \
  X(launch, arguments, DTC_LAUNCH_ARGUMENTS_NONE, 1, "none") \
  X(launch, arguments, DTC_LAUNCH_ARGUMENTS_TRAINER, 2, "trainer") \
  X(alloc, kind, DTC_ALLOC_KIND_DEFAULT, 0, "default") \
  X(alloc, kind, DTC_ALLOC_KIND_REQUEST, 1, "request") \
  X(alloc, kind, DTC_ALLOC_KIND_ALLOCATED, 2, "allocated") \
  X(alloc, kind, DTC_ALLOC_KIND_DEVICE, 3, "device") \
  X(alloc, device, DTC_ALLOC_DEVICE_DEFAULT, 0, "default") \
  X(alloc, device, DTC_ALLOC_DEVICE_GPU, 1, "gpu") \
  X(alloc, device, DTC_ALLOC_DEVICE_NPU, 2, "npu") \
  X(alloc, device, DTC_ALLOC_DEVICE_HOST, 3, "host") \
  X(candidate, suspect, DTC_SUSPECT_NONE, 0, "none") \
  X(candidate, suspect, DTC_SUSPECT_LOGITS, 1, "logits") \
  X(candidate, suspect, DTC_SUSPECT_LOGITS_NEXT, 2, "logits_next") \
  X(candidate, suspect, DTC_SUSPECT_SCORES, 3, "scores") \
  X(candidate, suspect, DTC_SUSPECT_LAYER, 4, "layer") \
  X(candidate, suspect, DTC_SUSPECT_OUTSIDE, 5, "outside") \
  X(candidate, suspect, DTC_SUSPECT_TENSOR, 6, "tensor") \
  X(candidate, suspect, DTC_SUSPECT_SHARD, 7, "shard") \
  X(candidate, suspect, DTC_SUSPECT_SUB_GROUP, 8, "sub_group") \
  X(candidate, suspect, DTC_SUSPECT_BUCKET, 9, "bucket") \
  X(candidate, suspect, DTC_SUSPECT_COPY, 10, "copy") \
  X(candidate, suspect, DTC_SUSPECT_EXPERTS, 11, "experts") \
  X(candidate, suspect, DTC_SUSPECT_NO_EXPERTS, 12, "no_experts") \
  X(candidate, suspect, DTC_SUSPECT_EXPERT_LAYER, 13, "expert_layer") \
  X(candidate, suspect, DTC_SUSPECT_HIDDEN, 14, "hidden") \
  X(candidate, suspect, DTC_SUSPECT_MLP, 15, "mlp") \
  X(candidate, suspect, DTC_SUSPECT_MLP_IN, 16, "mlp_in") \
  X(candidate, suspect, DTC_SUSPECT_QKV, 17, "qkv") \
  X(candidate, suspect, DTC_SUSPECT_KV, 18, "kv") \
  X(candidate, suspect, DTC_SUSPECT_ROUTED, 19, "routed") \
  X(candidate, suspect, DTC_SUSPECT_ROUTED_MLP, 20, "routed_mlp") \
  X(candidate, suspect, DTC_SUSPECT_STATES, 21, "states") \
  X(candidate, suspect, DTC_SUSPECT_STATES_WHOLE, 22, "states_whole") \
  X(candidate, solved, DTC_SOLVED_NONE, 0, "none") \
  X(candidate, solved, DTC_SOLVED_MICRO_BATCH, 1, "micro_batch") \
  X(candidate, solved, DTC_SOLVED_TOKENS, 2, "tokens") \
  X(candidate, solved, DTC_SOLVED_SEQ, 3, "seq") \
  X(candidate, solved, DTC_SOLVED_RANKS, 4, "ranks") \
  X(candidate, solved, DTC_SOLVED_PARAMS, 5, "params") \
  X(error, rule, DTC_RULE_NONE, 0, "none") \
  X(error, rule, DTC_RULE_STRUCT_SIZE, 1, "struct_size") \
  X(error, rule, DTC_RULE_STRUCT_NEWER, 2, "struct_newer") \
  X(error, rule, DTC_RULE_RANGE, 3, "range") \
  X(error, rule, DTC_RULE_OVERFLOW, 4, "overflow") \
  X(error, rule, DTC_RULE_MODEL_NAME, 5, "model_name") \
  X(error, rule, DTC_RULE_GPU_NAME, 6, "gpu_name") \
  X(error, rule, DTC_RULE_CLUSTER_NAME, 7, "cluster_name") \
  X(error, rule, DTC_RULE_JSON_SYNTAX, 8, "json_syntax") \
  X(error, rule, DTC_RULE_JSON_TRUNCATED, 9, "json_truncated") \
  X(error, rule, DTC_RULE_JSON_DEPTH, 10, "json_depth") \
  X(error, rule, DTC_RULE_JSON_DUPLICATE, 11, "json_duplicate") \
  X(error, rule, DTC_RULE_HF_TYPE, 12, "hf_type") \
  X(error, rule, DTC_RULE_HF_MISSING, 13, "hf_missing") \
  X(error, rule, DTC_RULE_HF_VALUE, 14, "hf_value") \
  X(error, rule, DTC_RULE_HF_CONFLICT, 15, "hf_conflict") \
  X(error, rule, DTC_RULE_PLAN_WORD, 16, "plan_word") \
  X(error, rule, DTC_RULE_PLAN_VALUE, 17, "plan_value") \
  X(error, rule, DTC_RULE_PLAN_TWICE, 18, "plan_twice") \
  X(error, rule, DTC_RULE_SPACE, 19, "space") \
  X(error, rule, DTC_RULE_INDEX, 20, "index") \
  X(error, rule, DTC_RULE_STAGE_SUM, 21, "stage_sum") \
  X(error, rule, DTC_RULE_LAYER_KIND, 22, "layer_kind") \
  X(error, rule, DTC_RULE_SIZE_ONLY, 23, "size_only") \
  X(error, rule, DTC_RULE_ARCH_FEATURE, 24, "arch_feature") \
  X(error, rule, DTC_RULE_MODEL_NEEDS, 25, "model_needs") \
  X(error, rule, DTC_RULE_MODEL_DIVIDES, 26, "model_divides") \
  X(error, rule, DTC_RULE_MESH_TILES, 27, "mesh_tiles") \
  X(error, rule, DTC_RULE_ORDER_AXIS, 28, "order_axis") \
  X(error, rule, DTC_RULE_ORDER_TWICE, 29, "order_twice") \
  X(error, rule, DTC_RULE_ORDER_MISSING, 30, "order_missing") \
  X(error, rule, DTC_RULE_KIND_CHUNK, 31, "kind_chunk") \
  X(error, rule, DTC_RULE_KIND_EVEN, 32, "kind_even") \
  X(error, rule, DTC_RULE_RANKS_TWICE, 33, "ranks_twice") \
  X(error, rule, DTC_RULE_RANKS_LISTED, 34, "ranks_listed") \
  X(error, rule, DTC_RULE_ELEMENT, 40, "element") \
  X(error, rule, DTC_RULE_LENGTH, 41, "length") \
  X(error, rule, DTC_RULE_LENGTH_OR_ONE, 42, "length_or_one") \
  X(error, rule, DTC_RULE_SUM, 43, "sum") \
  X(error, rule, DTC_RULE_FIELD_NEEDS, 44, "field_needs") \
  X(error, rule, DTC_RULE_SLURM_PRODUCT, 45, "slurm_product") \
  X(error, rule, DTC_RULE_SLURM_NODE, 46, "slurm_node") \
  X(error, rule, DTC_RULE_MPI_SLOTS, 47, "mpi_slots") \
  X(error, rule, DTC_RULE_MPI_PPR, 48, "mpi_ppr") \
  X(error, rule, DTC_RULE_MPI_PPR_SLOTS, 49, "mpi_ppr_slots") \
  X(error, rule, DTC_RULE_MPI_PE, 50, "mpi_pe") \
  X(error, rule, DTC_RULE_MPI_NUMA, 51, "mpi_numa") \
  X(error, rule, DTC_RULE_HOST_LINE, 52, "host_line") \
  X(error, rule, DTC_RULE_HOST_SLOTS, 53, "host_slots") \
  X(error, rule, DTC_RULE_HOST_TWICE, 54, "host_twice") \
  X(error, rule, DTC_RULE_HOST_NONE, 55, "host_none") \
  X(error, rule, DTC_RULE_SCRATCH, 60, "scratch") \
  X(error, rule, DTC_RULE_SLOTS, 61, "slots") \
  X(error, rule, DTC_RULE_SHARD_SETTING, 62, "shard_setting") \
  X(error, rule, DTC_RULE_SHARD_SCHEME, 65, "shard_scheme") \
  X(error, rule, DTC_RULE_CHUNK_SEARCH, 70, "chunk_search") \
  X(error, rule, DTC_RULE_RESHARD_FORM, 75, "reshard_form") \
  X(error, rule, DTC_RULE_RESHARD_WORLD, 76, "reshard_world") \
  X(error, rule, DTC_RULE_RESHARD_STAGE3, 77, "reshard_stage3") \
  X(error, rule, DTC_RULE_RESHARD_BUCKET, 78, "reshard_bucket") \
  X(error, rule, DTC_RULE_RESHARD_EMPTY, 79, "reshard_empty") \
  X(error, rule, DTC_RULE_RESHARD_ORDER, 80, "reshard_order") \
  X(error, rule, DTC_RULE_RESHARD_CUT, 81, "reshard_cut") \
  X(error, rule, DTC_RULE_RESHARD_STEPS, 82, "reshard_steps") \
  X(error, rule, DTC_RULE_SHARD_REDUCE, 85, "shard_reduce") \
  X(error, rule, DTC_RULE_SHARD_WHOLE, 86, "shard_whole") \
  X(error, rule, DTC_RULE_SHARD_LIVE, 87, "shard_live") \
  X(error, rule, DTC_RULE_SHARD_ROWS, 88, "shard_rows") \
  X(error, rule, DTC_RULE_SHARD_PADDING, 89, "shard_padding") \
  X(error, rule, DTC_RULE_SHARD_GATHER, 90, "shard_gather") \
  X(error, rule, DTC_RULE_SHARD_LARGE, 91, "shard_large") \
  X(error, rule, DTC_RULE_SHARD_DEFAULT, 92, "shard_default") \
  X(error, rule, DTC_RULE_SHARD_IDLE, 93, "shard_idle") \
  X(error, rule, DTC_RULE_SHARD_PARTS, 94, "shard_parts") \
  X(error, rule, DTC_RULE_MODEL_LAYERS, 95, "model_layers") \
  X(error, rule, DTC_RULE_OPT_LIBRARY, 750, "opt_library") \
  X(error, rule, DTC_RULE_OPT_SETTING, 751, "opt_setting") \
  X(error, rule, DTC_RULE_OPT_SHAPE, 752, "opt_shape") \
  X(error, rule, DTC_RULE_REMEDY, 760, "remedy") \
  X(error, rule, DTC_RULE_TP_HEADS, 100, "tp_heads") \
  X(error, rule, DTC_RULE_TP_KV_HEADS, 101, "tp_kv_heads") \
  X(error, rule, DTC_RULE_TP_FFN, 102, "tp_ffn") \
  X(error, rule, DTC_RULE_TP_SHARED_FFN, 103, "tp_shared_ffn") \
  X(error, rule, DTC_RULE_ETP_MOE_FFN, 104, "etp_moe_ffn") \
  X(error, rule, DTC_RULE_EP_EXPERTS, 105, "ep_experts") \
  X(error, rule, DTC_RULE_EP_NEEDS_EXPERTS, 106, "ep_needs_experts") \
  X(error, rule, DTC_RULE_EP_WORLD, 107, "ep_world") \
  X(error, rule, DTC_RULE_PP_LAYERS, 108, "pp_layers") \
  X(error, rule, DTC_RULE_VPP_LAYERS, 109, "vpp_layers") \
  X(error, rule, DTC_RULE_VPP_NEEDS_PP, 110, "vpp_needs_pp") \
  X(error, rule, DTC_RULE_VPP_BATCH, 111, "vpp_batch") \
  X(error, rule, DTC_RULE_CP_SEQ, 112, "cp_seq") \
  X(error, rule, DTC_RULE_SP_SEQ, 113, "sp_seq") \
  X(error, rule, DTC_RULE_SP_NEEDS_TP, 114, "sp_needs_tp") \
  X(error, rule, DTC_RULE_DP_SHARD, 115, "dp_shard") \
  X(error, rule, DTC_RULE_BATCH, 116, "batch") \
  X(error, rule, DTC_RULE_BATCH_PRODUCT, 117, "batch_product") \
  X(error, rule, DTC_RULE_WORLD, 118, "world") \
  X(error, rule, DTC_RULE_WORLD_SIZE, 119, "world_size") \
  X(error, rule, DTC_RULE_SEQ_CONTEXT, 120, "seq_context") \
  X(error, rule, DTC_RULE_TP_DOMAIN, 121, "tp_domain") \
  X(error, rule, DTC_RULE_DISTOPT, 122, "distopt") \
  X(error, rule, DTC_RULE_VPP_SCHEDULE, 123, "vpp_schedule") \
  X(error, rule, DTC_RULE_INTERLEAVED_VPP, 124, "interleaved_vpp") \
  X(error, rule, DTC_RULE_MEGATRON_PP_LAYERS, 125, "megatron_pp_layers") \
  X(error, rule, DTC_RULE_MEGATRON_ZERO, 126, "megatron_zero") \
  X(error, rule, DTC_RULE_MEGATRON_HSDP, 127, "megatron_hsdp") \
  X(error, rule, DTC_RULE_TORCHTITAN_ZERO, 128, "torchtitan_zero") \
  X(error, rule, DTC_RULE_PYTORCH_ZERO, 129, "pytorch_zero") \
  X(error, rule, DTC_RULE_DEEPSPEED_FSDP, 130, "deepspeed_fsdp") \
  X(error, rule, DTC_RULE_COLOSSALAI_HSDP, 131, "colossalai_hsdp") \
  X(error, rule, DTC_RULE_PYTORCH_PP, 132, "pytorch_pp") \
  X(error, rule, DTC_RULE_PYTORCH_EP, 133, "pytorch_ep") \
  X(error, rule, DTC_RULE_DEEPSPEED_VPP, 134, "deepspeed_vpp") \
  X(error, rule, DTC_RULE_DEEPSPEED_PP_ZERO, 135, "deepspeed_pp_zero") \
  X(error, rule, DTC_RULE_SELECTIVE, 136, "selective") \
  X(error, rule, DTC_RULE_MEGATRON_FSDP, 137, "megatron_fsdp") \
  X(error, rule, DTC_RULE_TP_CP_DOMAIN, 138, "tp_cp_domain") \
  X(error, rule, DTC_RULE_EP_DOMAIN, 139, "ep_domain") \
  X(error, rule, DTC_RULE_WORLD_DIVIDES, 140, "world_divides") \
  X(error, rule, DTC_RULE_FIRST_LAYERS, 141, "first_layers") \
  X(error, rule, DTC_RULE_LAST_LAYERS, 142, "last_layers") \
  X(error, rule, DTC_RULE_ACCOUNT_EMBEDDING, 143, "account_embedding") \
  X(error, rule, DTC_RULE_ACCOUNT_LOSS, 144, "account_loss") \
  X(error, rule, DTC_RULE_GROUP, 145, "group") \
  X(error, rule, DTC_RULE_P2P_OVERLAP, 146, "p2p_overlap") \
  X(error, rule, DTC_RULE_MOE_OVERLAP, 147, "moe_overlap") \
  X(error, rule, DTC_RULE_V_CHUNKS, 148, "v_chunks") \
  X(error, rule, DTC_RULE_DUALPIPE_RANKS, 149, "dualpipe_ranks") \
  X(error, rule, DTC_RULE_DUALPIPE_EVEN, 150, "dualpipe_even") \
  X(error, rule, DTC_RULE_DUALPIPE_BATCH, 151, "dualpipe_batch") \
  X(error, rule, DTC_RULE_TORCH_ROUNDS, 152, "torch_rounds") \
  X(error, rule, DTC_RULE_TORCH_1F1B, 153, "torch_1f1b") \
  X(error, rule, DTC_RULE_MEGATRON_SCHEDULE, 154, "megatron_schedule") \
  X(error, rule, DTC_RULE_DEEPSPEED_SCHEDULE, 155, "deepspeed_schedule") \
  X(error, rule, DTC_RULE_COLOSSALAI_SCHEDULE, 156, "colossalai_schedule") \
  X(error, rule, DTC_RULE_TORCH_SCHEDULE, 157, "torch_schedule") \
  X(error, rule, DTC_RULE_CHUNK_LAYERS, 158, "chunk_layers") \
  X(error, rule, DTC_RULE_MEGATRON_DROPPED, 159, "megatron_dropped") \
  X(error, rule, DTC_RULE_MEGATRON_ENDS, 160, "megatron_ends") \
  X(error, rule, DTC_RULE_MEGATRON_MIDDLE, 161, "megatron_middle") \
  X(error, rule, DTC_RULE_MEGATRON_FIRST_CHUNKS, 162, "megatron_first_chunks") \
  X(error, rule, DTC_RULE_MEGATRON_LAST_CHUNKS, 163, "megatron_last_chunks") \
  X(error, rule, DTC_RULE_MEGATRON_MIDDLE_CHUNKS, 164, "megatron_middle_chunks") \
  X(error, rule, DTC_RULE_MEGATRON_TWO_ENDS, 165, "megatron_two_ends") \
  X(error, rule, DTC_RULE_MEGATRON_ENDS_EMBEDDING, 166, "megatron_ends_embedding") \
  X(error, rule, DTC_RULE_MEGATRON_ENDS_LOSS, 167, "megatron_ends_loss") \
  X(error, rule, DTC_RULE_MEGATRON_ENDS_V, 168, "megatron_ends_v") \
  X(error, rule, DTC_RULE_MEGATRON_ENDS_VERSION, 169, "megatron_ends_version") \
  X(error, rule, DTC_RULE_MEGATRON_ENDS_VPP, 170, "megatron_ends_vpp") \
  X(error, rule, DTC_RULE_MEGATRON_ACCOUNT_VERSION, 171, "megatron_account_version") \
  X(error, rule, DTC_RULE_MEGATRON_GROUP_LEAST, 172, "megatron_group_least") \
  X(error, rule, DTC_RULE_MEGATRON_GROUP_MOST, 173, "megatron_group_most") \
  X(error, rule, DTC_RULE_MEGATRON_P2P_RANKS, 174, "megatron_p2p_ranks") \
  X(error, rule, DTC_RULE_MEGATRON_P2P_UNUSED, 175, "megatron_p2p_unused") \
  X(error, rule, DTC_RULE_MOE_OVERLAP_EP, 176, "moe_overlap_ep") \
  X(error, rule, DTC_RULE_MOE_OVERLAP_VPP, 177, "moe_overlap_vpp") \
  X(error, rule, DTC_RULE_MOE_OVERLAP_RECOMPUTE, 178, "moe_overlap_recompute") \
  X(error, rule, DTC_RULE_MOE_OVERLAP_PRECISION, 179, "moe_overlap_precision") \
  X(error, rule, DTC_RULE_MEGATRON_EP_DP, 180, "megatron_ep_dp") \
  X(error, rule, DTC_RULE_MEGATRON_EP_CP, 181, "megatron_ep_cp") \
  X(error, rule, DTC_RULE_MEGATRON_ETP, 182, "megatron_etp") \
  X(error, rule, DTC_RULE_DEEPSPEED_MOE_ZERO3, 183, "deepspeed_moe_zero3") \
  X(error, rule, DTC_RULE_DEEPSPEED_ZERO3_TP, 184, "deepspeed_zero3_tp") \
  X(error, rule, DTC_RULE_DEEPSPEED_ZERO3_CP, 185, "deepspeed_zero3_cp") \
  X(error, rule, DTC_RULE_DEEPSPEED_ZERO3_ETP, 186, "deepspeed_zero3_etp") \
  X(error, rule, DTC_RULE_ULYSSES_HEADS, 187, "ulysses_heads") \
  X(error, rule, DTC_RULE_ULYSSES_SEQ, 188, "ulysses_seq") \
  X(error, rule, DTC_RULE_TORCHTITAN_EP_SHARD, 189, "torchtitan_ep_shard") \
  X(error, rule, DTC_RULE_TORCHTITAN_ZB, 190, "torchtitan_zb") \
  X(error, rule, DTC_RULE_COLOSSALAI_EP_DP, 191, "colossalai_ep_dp") \
  X(error, rule, DTC_RULE_COLOSSALAI_PP_ZERO, 192, "colossalai_pp_zero") \
  X(error, rule, DTC_RULE_COLOSSALAI_SP, 193, "colossalai_sp") \
  X(error, rule, DTC_RULE_COLOSSALAI_WORLD, 194, "colossalai_world") \
  X(error, rule, DTC_RULE_COLOSSALAI_IDLE, 195, "colossalai_idle") \
  X(error, rule, DTC_RULE_PYTORCH_TP_REPLICAS, 196, "pytorch_tp_replicas") \
  X(error, rule, DTC_RULE_PYTORCH_CP_REPLICAS, 197, "pytorch_cp_replicas") \
  X(error, rule, DTC_RULE_COLOSSALAI_SIZE, 198, "colossalai_size") \
  X(error, rule, DTC_RULE_MEGATRON_GROUP_UNUSED, 199, "megatron_group_unused") \
  X(error, rule, DTC_RULE_ENCODER_PP, 250, "encoder_pp") \
  X(error, rule, DTC_RULE_ENCODER_SEQ, 251, "encoder_seq") \
  X(error, rule, DTC_RULE_ENCODER_CONTEXT, 252, "encoder_context") \
  X(error, rule, DTC_RULE_MAMBA_TP_GROUPS, 253, "mamba_tp_groups") \
  X(error, rule, DTC_RULE_MAMBA_RANK_HEADS, 254, "mamba_rank_heads") \
  X(error, rule, DTC_RULE_TRANSFORMER_ENGINE, 800, "transformer_engine") \
  X(error, rule, DTC_RULE_GRAD_FUSION, 801, "grad_fusion") \
  X(error, rule, DTC_RULE_ATTENTION_MASK, 802, "attention_mask") \
  X(error, rule, DTC_RULE_DEFER_WGRAD, 803, "defer_wgrad") \
  X(error, rule, DTC_RULE_SOFTMAX_FP32, 804, "softmax_fp32") \
  X(error, rule, DTC_RULE_ROUTER_FP32, 805, "router_fp32") \
  X(error, rule, DTC_RULE_RECOMPUTE_DISTRIBUTED, 806, "recompute_distributed") \
  X(error, rule, DTC_RULE_WHOLE_TENSORS, 807, "whole_tensors") \
  X(error, rule, DTC_RULE_DISPATCHER, 808, "dispatcher") \
  X(error, rule, DTC_RULE_CAPACITY, 809, "capacity") \
  X(error, rule, DTC_RULE_CAPACITY_EXPERTS, 810, "capacity_experts") \
  X(error, rule, DTC_RULE_LOAD_EXPERTS, 811, "load_experts") \
  X(error, rule, DTC_RULE_LOAD_CAPACITY, 812, "load_capacity") \
  X(error, rule, DTC_RULE_WHOLE_MUON, 813, "whole_muon") \
  X(error, rule, DTC_RULE_RECOMPUTE_BLOCK, 814, "recompute_block") \
  X(error, rule, DTC_RULE_FP8_PARAMS, 815, "fp8_params") \
  X(error, rule, DTC_RULE_DEFER_PP, 816, "defer_pp") \
  X(error, rule, DTC_RULE_SOFTMAX_MATH, 817, "softmax_math") \
  X(error, rule, DTC_RULE_OFFLOAD_FRAMEWORK, 820, "offload_framework") \
  X(error, rule, DTC_RULE_OFFLOAD_ZERO, 821, "offload_zero") \
  X(error, rule, DTC_RULE_OFFLOAD_PARAMS, 822, "offload_params") \
  X(error, rule, DTC_RULE_COLOSSALAI_NVME, 823, "colossalai_nvme") \
  X(error, rule, DTC_RULE_OFFLOAD_CHECKPOINTS, 824, "offload_checkpoints") \
  X(error, rule, DTC_RULE_ZERO3_LIVE, 825, "zero3_live") \
  X(error, rule, DTC_RULE_ZERO3_PERSISTENCE, 826, "zero3_persistence") \
  X(error, rule, DTC_RULE_SCALING_SHARDING, 827, "scaling_sharding") \
  X(error, rule, DTC_RULE_SCALING_SCHEDULE, 828, "scaling_schedule") \
  X(error, rule, DTC_RULE_SCALING_EXPERTS, 829, "scaling_experts") \
  X(error, rule, DTC_RULE_SCALING_CP, 830, "scaling_cp") \
  X(error, rule, DTC_RULE_FROZEN_LAYERS, 840, "frozen_layers") \
  X(error, rule, DTC_RULE_LORA_RANK, 841, "lora_rank") \
  X(error, rule, DTC_RULE_LORA_TARGETS, 842, "lora_targets") \
  X(error, rule, DTC_RULE_DOUBLE_QUANT, 843, "double_quant") \
  X(error, rule, DTC_RULE_QUANT_INPUTS, 844, "quant_inputs") \
  X(error, rule, DTC_RULE_STEP_IN_BACKWARD, 845, "step_in_backward") \
  X(error, rule, DTC_RULE_TUNING_FRAMEWORK, 846, "tuning_framework") \
  X(error, rule, DTC_RULE_TUNING_DEGREE, 847, "tuning_degree") \
  X(error, rule, DTC_RULE_TUNING_SHARDED, 848, "tuning_sharded") \
  X(error, rule, DTC_RULE_TUNING_MODEL, 849, "tuning_model") \
  X(error, rule, DTC_RULE_OFFLOAD_ACTIVATIONS, 850, "offload_activations") \
  X(error, rule, DTC_RULE_TP_OVERLAP_TP, 900, "tp_overlap_tp") \
  X(error, rule, DTC_RULE_TP_OVERLAP_SP, 901, "tp_overlap_sp") \
  X(error, rule, DTC_RULE_TP_OVERLAP_COMPILE, 902, "tp_overlap_compile") \
  X(error, rule, DTC_RULE_PARAM_OVERLAP, 903, "param_overlap") \
  X(error, rule, DTC_RULE_PARAM_OVERLAP_SHARDING, 904, "param_overlap_sharding") \
  X(error, rule, DTC_RULE_PARAM_OVERLAP_GRAD, 905, "param_overlap_grad") \
  X(error, rule, DTC_RULE_CUDA_GRAPH, 906, "cuda_graph") \
  X(error, rule, DTC_RULE_FP8_RECIPE, 907, "fp8_recipe") \
  X(error, rule, DTC_RULE_FP8_COMPUTE, 908, "fp8_compute") \
  X(error, rule, DTC_RULE_FP8_RECIPE_COMPUTE, 909, "fp8_recipe_compute") \
  X(error, rule, DTC_RULE_FP4_COMPUTE, 910, "fp4_compute") \
  X(error, rule, DTC_RULE_PACKED, 911, "packed") \
  X(error, rule, DTC_RULE_FLASH_VERSION, 912, "flash_version") \
  X(error, rule, DTC_RULE_LAYOUT_WORLD, 200, "layout_world") \
  X(error, rule, DTC_RULE_LAYOUT_REPLICATE, 201, "layout_replicate") \
  X(error, rule, DTC_RULE_LAYOUT_SHARD, 202, "layout_shard") \
  X(error, rule, DTC_RULE_LAYOUT_DP, 203, "layout_dp") \
  X(error, rule, DTC_RULE_LAYOUT_PRODUCT, 204, "layout_product") \
  X(error, rule, DTC_RULE_LAYOUT_AXIS, 205, "layout_axis") \
  X(error, rule, DTC_RULE_LAYOUT_ROOT, 206, "layout_root") \
  X(error, rule, DTC_RULE_MEGATRON_WORLD, 207, "megatron_world") \
  X(error, rule, DTC_RULE_MEGATRON_EXPERT_WORLD, 208, "megatron_expert_world") \
  X(error, rule, DTC_RULE_MEGATRON_INSTANCES, 209, "megatron_instances") \
  X(error, rule, DTC_RULE_MEGATRON_EXPERT_INSTANCES, 210, "megatron_expert_instances") \
  X(error, rule, DTC_RULE_MEGATRON_GTP_INSTANCES, 211, "megatron_gtp_instances") \
  X(error, rule, DTC_RULE_MEGATRON_EGTP_INSTANCES, 212, "megatron_egtp_instances") \
  X(error, rule, DTC_RULE_MEGATRON_GTP_VERSION, 213, "megatron_gtp_version") \
  X(error, rule, DTC_RULE_MEGATRON_EGTP_VERSION, 214, "megatron_egtp_version") \
  X(error, rule, DTC_RULE_MEGATRON_HYBRID, 215, "megatron_hybrid") \
  X(error, rule, DTC_RULE_MEGATRON_LEVELS, 216, "megatron_levels") \
  X(error, rule, DTC_RULE_MEGATRON_PP_GROUPS, 217, "megatron_pp_groups") \
  X(error, rule, DTC_RULE_DEEPSPEED_EP, 218, "deepspeed_ep") \
  X(error, rule, DTC_RULE_AUTOEP_WORLD, 219, "autoep_world") \
  X(error, rule, DTC_RULE_AUTOEP_PP, 220, "autoep_pp") \
  X(error, rule, DTC_RULE_AUTOEP_TP, 221, "autoep_tp") \
  X(error, rule, DTC_RULE_ULYSSES_CP, 222, "ulysses_cp") \
  X(error, rule, DTC_RULE_QGZ_WORLD, 223, "qgz_world") \
  X(error, rule, DTC_RULE_TORCHTITAN_ETP, 224, "torchtitan_etp") \
  X(error, rule, DTC_RULE_TORCHTITAN_ETP_TP, 225, "torchtitan_etp_tp") \
  X(error, rule, DTC_RULE_TORCHTITAN_EP, 226, "torchtitan_ep") \
  X(error, rule, DTC_RULE_TORCHTITAN_EP_CP, 227, "torchtitan_ep_cp") \
  X(error, rule, DTC_RULE_TORCHTITAN_EP_TP, 228, "torchtitan_ep_tp") \
  X(error, rule, DTC_RULE_COLOSSALAI_EP, 229, "colossalai_ep") \
  X(error, rule, DTC_RULE_NANOTRON_EP, 230, "nanotron_ep") \
  X(error, rule, DTC_RULE_NCCL_SYSTEM, 700, "nccl_system") \
  X(error, rule, DTC_RULE_NCCL_VERSION, 701, "nccl_version") \
  X(error, rule, DTC_RULE_NCCL_RANKS, 702, "nccl_ranks") \
  X(error, rule, DTC_RULE_NCCL_PLACE, 703, "nccl_place") \
  X(error, rule, DTC_RULE_NCCL_OP, 704, "nccl_op") \
  X(error, rule, DTC_RULE_NCCL_SEARCH, 705, "nccl_search") \
  X(error, rule, DTC_RULE_NCCL_COLLNET, 706, "nccl_collnet") \
  X(error, rule, DTC_RULE_NCCL_FP8, 707, "nccl_fp8") \
  X(error, rule, DTC_RULE_PIPE_FRAMEWORK, 300, "pipe_framework") \
  X(error, rule, DTC_RULE_PIPE_CHUNKS, 301, "pipe_chunks") \
  X(error, rule, DTC_RULE_PIPE_LEAST, 302, "pipe_least") \
  X(error, rule, DTC_RULE_PIPE_MULTIPLE, 303, "pipe_multiple") \
  X(error, rule, DTC_RULE_PIPE_ROUNDS, 304, "pipe_rounds") \
  X(error, rule, DTC_RULE_PIPE_EVEN, 305, "pipe_even") \
  X(error, rule, DTC_RULE_PIPE_GROUP, 306, "pipe_group") \
  X(error, rule, DTC_RULE_PIPE_REST, 307, "pipe_rest") \
  X(error, rule, DTC_RULE_PIPE_P2P, 308, "pipe_p2p") \
  X(error, rule, DTC_RULE_PIPE_SETTING, 309, "pipe_setting") \
  X(error, rule, DTC_RULE_PIPE_MEMORY, 310, "pipe_memory") \
  X(error, rule, DTC_RULE_PIPE_CLOSED, 311, "pipe_closed") \
  X(error, rule, DTC_RULE_PIPE_ORDER, 312, "pipe_order") \
  X(error, rule, DTC_RULE_PIPE_WORK, 313, "pipe_work") \
  X(error, rule, DTC_RULE_PIPE_SENDS, 314, "pipe_sends") \
  X(error, rule, DTC_RULE_SPLIT_DIVIDES, 320, "split_divides") \
  X(error, rule, DTC_RULE_SPLIT_CHUNKS, 321, "split_chunks") \
  X(error, rule, DTC_RULE_SPLIT_MIDDLE, 322, "split_middle") \
  X(error, rule, DTC_RULE_SPLIT_ACCOUNT, 323, "split_account") \
  X(error, rule, DTC_RULE_SPLIT_UNEVEN, 324, "split_uneven") \
  X(error, rule, DTC_RULE_SPLIT_STAGES, 325, "split_stages") \
  X(error, rule, DTC_RULE_SPLIT_LESS, 326, "split_less") \
  X(error, rule, DTC_RULE_SPLIT_GIVEN, 327, "split_given") \
  X(error, rule, DTC_RULE_LAYOUT_SYNTAX, 330, "layout_syntax") \
  X(error, rule, DTC_RULE_LAYOUT_STAGES, 331, "layout_stages") \
  X(error, rule, DTC_RULE_LAYOUT_ENDS, 332, "layout_ends") \
  X(error, rule, DTC_RULE_LAYOUT_LAYERS, 333, "layout_layers") \
  X(error, rule, DTC_RULE_LAYOUT_MTP, 334, "layout_mtp") \
  X(error, rule, DTC_RULE_BALANCE_ITEMS, 340, "balance_items") \
  X(error, rule, DTC_RULE_BALANCE_LIMIT, 341, "balance_limit") \
  X(error, rule, DTC_RULE_COLLECTIVE_OP, 720, "collective_op") \
  X(error, rule, DTC_RULE_COLLECTIVE_LINK, 721, "collective_link") \
  X(error, rule, DTC_RULE_COLLECTIVE_NIC, 722, "collective_nic") \
  X(error, rule, DTC_RULE_COLLECTIVE_PER_NODE, 723, "collective_per_node") \
  X(error, rule, DTC_RULE_COLLECTIVE_TWO_LEVEL, 724, "collective_two_level") \
  X(error, rule, DTC_RULE_COLLECTIVE_POINTS, 725, "collective_points") \
  X(error, rule, DTC_RULE_COLLECTIVE_CLASSIC, 726, "collective_classic") \
  X(error, rule, DTC_RULE_COLLECTIVE_TEXT, 727, "collective_text") \
  X(error, rule, DTC_RULE_COLLECTIVE_MATRIX, 728, "collective_matrix") \
  X(error, rule, DTC_RULE_COLLECTIVE_PEAK, 729, "collective_peak") \
  X(error, rule, DTC_RULE_MOE_DOMAIN, 730, "moe_domain") \
  X(error, rule, DTC_RULE_MOE_SMS, 731, "moe_sms") \
  X(error, rule, DTC_RULE_RUN_AHEAD, 860, "run_ahead") \
  X(error, rule, DTC_RULE_STEP_RESOLVED, 861, "step_resolved") \
  X(error, rule, DTC_RULE_STEP_POINTS, 862, "step_points") \
  X(error, rule, DTC_RULE_STEP_PEAK, 880, "step_peak") \
  X(error, rule, DTC_RULE_STEP_MEMORY, 881, "step_memory") \
  X(error, rule, DTC_RULE_STEP_HOST, 882, "step_host") \
  X(error, rule, DTC_RULE_STEP_SCHEDULE, 883, "step_schedule") \
  X(error, rule, DTC_RULE_SOFTWARE_NAME, 884, "software_name") \
  X(error, rule, DTC_RULE_SEARCH_BATCH, 920, "search_batch") \
  X(error, rule, DTC_RULE_SEARCH_GPUS, 921, "search_gpus") \
  X(error, rule, DTC_RULE_SEARCH_SPACE, 922, "search_space") \
  X(error, rule, DTC_RULE_LINT_UNKNOWN, 400, "lint_unknown") \
  X(error, rule, DTC_RULE_LINT_UNHEARD, 401, "lint_unheard") \
  X(error, rule, DTC_RULE_LINT_TYPE, 402, "lint_type") \
  X(error, rule, DTC_RULE_LINT_RANGE, 403, "lint_range") \
  X(error, rule, DTC_RULE_LINT_WORD, 404, "lint_word") \
  X(error, rule, DTC_RULE_LINT_TWICE, 405, "lint_twice") \
  X(error, rule, DTC_RULE_LINT_GONE, 406, "lint_gone") \
  X(error, rule, DTC_RULE_LINT_IGNORED, 407, "lint_ignored") \
  X(error, rule, DTC_RULE_LINT_ARGS, 408, "lint_args") \
  X(error, rule, DTC_RULE_LINT_STRAY, 409, "lint_stray") \
  X(error, rule, DTC_RULE_LINT_CUT, 410, "lint_cut") \
  X(error, rule, DTC_RULE_LINT_HASH, 411, "lint_hash") \
  X(error, rule, DTC_RULE_LINT_BLANKS, 412, "lint_blanks") \
  X(error, rule, DTC_RULE_LINT_QUOTE, 413, "lint_quote") \
  X(error, rule, DTC_RULE_LINT_BYTES, 414, "lint_bytes") \
  X(error, rule, DTC_RULE_ARGS_WORLD, 420, "args_world") \
  X(error, rule, DTC_RULE_ARGS_SHARDS, 421, "args_shards") \
  X(error, rule, DTC_RULE_ARGS_EXPERT_SHARDS, 422, "args_expert_shards") \
  X(error, rule, DTC_RULE_ARGS_EXPERT_WORLD, 423, "args_expert_world") \
  X(error, rule, DTC_RULE_ARGS_CP_LEVELS, 424, "args_cp_levels") \
  X(error, rule, DTC_RULE_ARGS_CP_COMM, 425, "args_cp_comm") \
  X(error, rule, DTC_RULE_ARGS_CONNECTIONS, 426, "args_connections") \
  X(error, rule, DTC_RULE_ARGS_CONNECTIONS_FSDP, 427, "args_connections_fsdp") \
  X(error, rule, DTC_RULE_ARGS_SP_TP, 428, "args_sp_tp") \
  X(error, rule, DTC_RULE_ARGS_TP_OVERLAP, 429, "args_tp_overlap") \
  X(error, rule, DTC_RULE_ARGS_HYBRID_CP, 430, "args_hybrid_cp") \
  X(error, rule, DTC_RULE_ARGS_GTP, 431, "args_gtp") \
  X(error, rule, DTC_RULE_ARGS_SHARP, 432, "args_sharp") \
  X(error, rule, DTC_RULE_ARGS_REQUIRED, 433, "args_required") \
  X(error, rule, DTC_RULE_ARGS_FOLLOWS, 434, "args_follows") \
  X(error, rule, DTC_RULE_ARGS_BATCH, 435, "args_batch") \
  X(error, rule, DTC_RULE_ARGS_EVAL_BATCH, 436, "args_eval_batch") \
  X(error, rule, DTC_RULE_ARGS_HEADS, 437, "args_heads") \
  X(error, rule, DTC_RULE_ARGS_KV_HEADS, 438, "args_kv_heads") \
  X(error, rule, DTC_RULE_ARGS_HEAD_SIZE, 439, "args_head_size") \
  X(error, rule, DTC_RULE_ARGS_CP_SEQ, 440, "args_cp_seq") \
  X(error, rule, DTC_RULE_ARGS_POSITIONS, 441, "args_positions") \
  X(error, rule, DTC_RULE_ARGS_DECODER_POSITIONS, 442, "args_decoder_positions") \
  X(error, rule, DTC_RULE_ARGS_MODEL, 443, "args_model") \
  X(error, rule, DTC_RULE_ARGS_MODEL_NEEDS, 444, "args_model_needs") \
  X(error, rule, DTC_RULE_ARGS_MODEL_GIVEN, 445, "args_model_given") \
  X(error, rule, DTC_RULE_ARGS_LINEAR_HEADS, 446, "args_linear_heads") \
  X(error, rule, DTC_RULE_ARGS_LINEAR_SPLIT, 447, "args_linear_split") \
  X(error, rule, DTC_RULE_ARGS_BUILD_FFN, 448, "args_build_ffn") \
  X(error, rule, DTC_RULE_ARGS_BUILD_MOE_FFN, 449, "args_build_moe_ffn") \
  X(error, rule, DTC_RULE_ARGS_SP_SEQ, 450, "args_sp_seq") \
  X(error, rule, DTC_RULE_ARGS_ONE_SPLIT, 451, "args_one_split") \
  X(error, rule, DTC_RULE_ARGS_LAYERS, 452, "args_layers") \
  X(error, rule, DTC_RULE_ARGS_VPP_LAYERS, 453, "args_vpp_layers") \
  X(error, rule, DTC_RULE_ARGS_VPP_ACCOUNT, 454, "args_vpp_account") \
  X(error, rule, DTC_RULE_ARGS_VPP_BUILD, 455, "args_vpp_build") \
  X(error, rule, DTC_RULE_ARGS_VPP_PP, 456, "args_vpp_pp") \
  X(error, rule, DTC_RULE_ARGS_WARMUP_FLUSH, 457, "args_warmup_flush") \
  X(error, rule, DTC_RULE_ARGS_UNEVEN_ENDS, 458, "args_uneven_ends") \
  X(error, rule, DTC_RULE_ARGS_UNEVEN_NONE, 459, "args_uneven_none") \
  X(error, rule, DTC_RULE_ARGS_UNEVEN_MIDDLE, 460, "args_uneven_middle") \
  X(error, rule, DTC_RULE_ARGS_UNEVEN_FEWER, 461, "args_uneven_fewer") \
  X(error, rule, DTC_RULE_ARGS_FIRST_VPP, 462, "args_first_vpp") \
  X(error, rule, DTC_RULE_ARGS_LAST_VPP, 463, "args_last_vpp") \
  X(error, rule, DTC_RULE_ARGS_MIDDLE_VPP, 464, "args_middle_vpp") \
  X(error, rule, DTC_RULE_ARGS_UNEVEN_ZERO, 465, "args_uneven_zero") \
  X(error, rule, DTC_RULE_ARGS_GROUP, 466, "args_group") \
  X(error, rule, DTC_RULE_ARGS_GROUP_MOST, 467, "args_group_most") \
  X(error, rule, DTC_RULE_ARGS_GROUP_REST, 468, "args_group_rest") \
  X(error, rule, DTC_RULE_ARGS_OVERLAP_GATHER, 469, "args_overlap_gather") \
  X(error, rule, DTC_RULE_ARGS_FSDP2, 470, "args_fsdp2") \
  X(error, rule, DTC_RULE_ARGS_FSDP2_NEEDS, 471, "args_fsdp2_needs") \
  X(error, rule, DTC_RULE_ARGS_FSDP_NEEDS, 472, "args_fsdp_needs") \
  X(error, rule, DTC_RULE_ARGS_FSDP, 473, "args_fsdp") \
  X(error, rule, DTC_RULE_ARGS_OPTIMIZER_OFFLOAD, 474, "args_optimizer_offload") \
  X(error, rule, DTC_RULE_ARGS_PRECISION_AWARE, 475, "args_precision_aware") \
  X(error, rule, DTC_RULE_ARGS_REUSE_GRADS, 476, "args_reuse_grads") \
  X(error, rule, DTC_RULE_ARGS_FREEZE, 477, "args_freeze") \
  X(error, rule, DTC_RULE_ARGS_HALF, 478, "args_half") \
  X(error, rule, DTC_RULE_ARGS_HALF_NEEDS, 479, "args_half_needs") \
  X(error, rule, DTC_RULE_ARGS_FP8, 480, "args_fp8") \
  X(error, rule, DTC_RULE_ARGS_FP8_NEEDS, 481, "args_fp8_needs") \
  X(error, rule, DTC_RULE_ARGS_FP8_GIVEN, 482, "args_fp8_given") \
  X(error, rule, DTC_RULE_ARGS_BF16_START, 483, "args_bf16_start") \
  X(error, rule, DTC_RULE_ARGS_BF16_END, 484, "args_bf16_end") \
  X(error, rule, DTC_RULE_ARGS_RECOMPUTE_GIVEN, 485, "args_recompute_given") \
  X(error, rule, DTC_RULE_ARGS_RECOMPUTE, 486, "args_recompute") \
  X(error, rule, DTC_RULE_ARGS_RECOMPUTE_NEEDS, 487, "args_recompute_needs") \
  X(error, rule, DTC_RULE_ARGS_OFFLOAD_LAYERS, 488, "args_offload_layers") \
  X(error, rule, DTC_RULE_ARGS_OFFLOAD, 489, "args_offload") \
  X(error, rule, DTC_RULE_ARGS_OFFLOAD_NEEDS, 490, "args_offload_needs") \
  X(error, rule, DTC_RULE_ARGS_GRAPH, 491, "args_graph") \
  X(error, rule, DTC_RULE_ARGS_GRAPH_NEEDS, 492, "args_graph_needs") \
  X(error, rule, DTC_RULE_ARGS_EP_EXPERTS, 493, "args_ep_experts") \
  X(error, rule, DTC_RULE_ARGS_EP_DIVIDES, 494, "args_ep_divides") \
  X(error, rule, DTC_RULE_ARGS_TOP_K, 495, "args_top_k") \
  X(error, rule, DTC_RULE_ARGS_GROUPED_GEMM, 496, "args_grouped_gemm") \
  X(error, rule, DTC_RULE_ARGS_MOE_BIAS, 497, "args_moe_bias") \
  X(error, rule, DTC_RULE_ARGS_MOE_SP, 498, "args_moe_sp") \
  X(error, rule, DTC_RULE_ARGS_MOE_NEEDS, 499, "args_moe_needs") \
  X(error, rule, DTC_RULE_ARGS_MOE_GIVEN, 500, "args_moe_given") \
  X(error, rule, DTC_RULE_ARGS_MOE, 501, "args_moe") \
  X(error, rule, DTC_RULE_ARGS_ROUTER_GROUPS, 502, "args_router_groups") \
  X(error, rule, DTC_RULE_ARGS_GROUP_TOP_K, 503, "args_group_top_k") \
  X(error, rule, DTC_RULE_ARGS_EP_OVERLAP_NEEDS, 504, "args_ep_overlap_needs") \
  X(error, rule, DTC_RULE_ARGS_EP_OVERLAP, 505, "args_ep_overlap") \
  X(error, rule, DTC_RULE_ARGS_DEFER_EMBEDDING, 506, "args_defer_embedding") \
  X(error, rule, DTC_RULE_ARGS_ITERATIONS, 507, "args_iterations") \
  X(error, rule, DTC_RULE_ARGS_MIN_LR, 508, "args_min_lr") \
  X(error, rule, DTC_RULE_ARGS_DECAY_GIVEN, 509, "args_decay_given") \
  X(error, rule, DTC_RULE_ARGS_DATA, 510, "args_data") \
  X(error, rule, DTC_RULE_ARGS_DETERMINISTIC, 511, "args_deterministic") \
  X(error, rule, DTC_RULE_ARGS_CKPT_NEEDS, 512, "args_ckpt_needs") \
  X(error, rule, DTC_RULE_ARGS_CKPT_GIVEN, 513, "args_ckpt_given") \
  X(error, rule, DTC_RULE_ARGS_CKPT, 514, "args_ckpt") \
  X(error, rule, DTC_RULE_ARGS_ASYNC_SAVE, 515, "args_async_save") \
  X(error, rule, DTC_RULE_ARGS_SAVE_RETAIN, 516, "args_save_retain") \
  X(error, rule, DTC_RULE_ARGS_LOG_MEMORY, 517, "args_log_memory") \
  X(error, rule, DTC_RULE_ARGS_INFERENCE, 518, "args_inference") \
  X(error, rule, DTC_RULE_DEEPSPEED_BATCH, 520, "deepspeed_batch") \
  X(error, rule, DTC_RULE_DEEPSPEED_MICRO, 521, "deepspeed_micro") \
  X(error, rule, DTC_RULE_DEEPSPEED_STEPS, 522, "deepspeed_steps") \
  X(error, rule, DTC_RULE_DEEPSPEED_NO_BATCH, 523, "deepspeed_no_batch") \
  X(error, rule, DTC_RULE_DEEPSPEED_AUTO, 524, "deepspeed_auto") \
  X(error, rule, DTC_RULE_DEEPSPEED_SEQUENCE, 525, "deepspeed_sequence") \
  X(error, rule, DTC_RULE_DEEPSPEED_FILE, 526, "deepspeed_file") \
  X(error, rule, DTC_RULE_DEEPSPEED_FP16_BF16, 527, "deepspeed_fp16_bf16") \
  X(error, rule, DTC_RULE_DEEPSPEED_MASTER, 528, "deepspeed_master") \
  X(error, rule, DTC_RULE_DEEPSPEED_STATES, 529, "deepspeed_states") \
  X(error, rule, DTC_RULE_DEEPSPEED_RATIO, 530, "deepspeed_ratio") \
  X(error, rule, DTC_RULE_DEEPSPEED_SUM, 531, "deepspeed_sum") \
  X(error, rule, DTC_RULE_DEEPSPEED_PARAM, 532, "deepspeed_param") \
  X(error, rule, DTC_RULE_DEEPSPEED_OPTIMIZER, 533, "deepspeed_optimizer") \
  X(error, rule, DTC_RULE_DEEPSPEED_NVME, 534, "deepspeed_nvme") \
  X(error, rule, DTC_RULE_DEEPSPEED_STAGE3, 535, "deepspeed_stage3") \
  X(error, rule, DTC_RULE_DEEPSPEED_SUPER, 536, "deepspeed_super") \
  X(error, rule, DTC_RULE_DEEPSPEED_OLD, 537, "deepspeed_old") \
  X(error, rule, DTC_RULE_DEEPSPEED_ZERO_TRUE, 538, "deepspeed_zero_true") \
  X(error, rule, DTC_RULE_DEEPSPEED_LEGACY, 539, "deepspeed_legacy") \
  X(error, rule, DTC_RULE_DEEPSPEED_ELASTIC, 540, "deepspeed_elastic") \
  X(error, rule, DTC_RULE_DEEPSPEED_ELASTIC3, 541, "deepspeed_elastic3") \
  X(error, rule, DTC_RULE_DEEPSPEED_ONEBIT, 542, "deepspeed_onebit") \
  X(error, rule, DTC_RULE_DEEPSPEED_ONEBIT_GONE, 543, "deepspeed_onebit_gone") \
  X(error, rule, DTC_RULE_DEEPSPEED_AUTOEP, 544, "deepspeed_autoep") \
  X(error, rule, DTC_RULE_DEEPSPEED_NORM, 545, "deepspeed_norm") \
  X(error, rule, DTC_RULE_DEEPSPEED_VOCAB, 546, "deepspeed_vocab") \
  X(error, rule, DTC_RULE_DEEPSPEED_CHECKPOINTS, 547, "deepspeed_checkpoints") \
  X(error, rule, DTC_RULE_DEEPSPEED_NUMBER, 548, "deepspeed_number") \
  X(error, rule, DTC_RULE_TITAN_WORLD, 570, "titan_world") \
  X(error, rule, DTC_RULE_TITAN_EP, 571, "titan_ep") \
  X(error, rule, DTC_RULE_TITAN_ETP, 572, "titan_etp") \
  X(error, rule, DTC_RULE_TITAN_BATCH, 573, "titan_batch") \
  X(error, rule, DTC_RULE_TITAN_MICRO, 574, "titan_micro") \
  X(error, rule, DTC_RULE_TITAN_MINUS_ONE, 575, "titan_minus_one") \
  X(error, rule, DTC_RULE_TITAN_SEQ, 576, "titan_seq") \
  X(error, rule, DTC_RULE_TITAN_GRAPHS, 577, "titan_graphs") \
  X(error, rule, DTC_RULE_TITAN_ASYNC_TP, 578, "titan_async_tp") \
  X(error, rule, DTC_RULE_TITAN_SYMMETRIC, 579, "titan_symmetric") \
  X(error, rule, DTC_RULE_TITAN_BALANCER, 580, "titan_balancer") \
  X(error, rule, DTC_RULE_TITAN_FULL_DTENSOR, 581, "titan_full_dtensor") \
  X(error, rule, DTC_RULE_TITAN_BUDGET, 582, "titan_budget") \
  X(error, rule, DTC_RULE_TITAN_MIXED, 583, "titan_mixed") \
  X(error, rule, DTC_RULE_TITAN_BUBBLE, 584, "titan_bubble") \
  X(error, rule, DTC_RULE_TITAN_DUALPIPE, 585, "titan_dualpipe") \
  X(error, rule, DTC_RULE_TITAN_IN_BACKWARD, 586, "titan_in_backward") \
  X(error, rule, DTC_RULE_TITAN_TYPECHECKING, 587, "titan_typechecking") \
  X(error, rule, DTC_RULE_TITAN_NO_EFFECT, 588, "titan_no_effect") \
  X(error, rule, DTC_RULE_TITAN_INVARIANT, 589, "titan_invariant") \
  X(error, rule, DTC_RULE_COLOSSAL_WORLD, 590, "colossal_world") \
  X(error, rule, DTC_RULE_COLOSSAL_SP_WORLD, 591, "colossal_sp_world") \
  X(error, rule, DTC_RULE_COLOSSAL_EP, 592, "colossal_ep") \
  X(error, rule, DTC_RULE_COLOSSAL_SP_OFF, 593, "colossal_sp_off") \
  X(error, rule, DTC_RULE_COLOSSAL_SP_TP, 594, "colossal_sp_tp") \
  X(error, rule, DTC_RULE_COLOSSAL_SP_SIZE, 595, "colossal_sp_size") \
  X(error, rule, DTC_RULE_COLOSSAL_SP_MODE, 596, "colossal_sp_mode") \
  X(error, rule, DTC_RULE_COLOSSAL_MICRO, 597, "colossal_micro") \
  X(error, rule, DTC_RULE_COLOSSAL_CHUNKS, 598, "colossal_chunks") \
  X(error, rule, DTC_RULE_COLOSSAL_NODES, 599, "colossal_nodes") \
  X(error, rule, DTC_RULE_COLOSSAL_PP_ZERO, 600, "colossal_pp_zero") \
  X(error, rule, DTC_RULE_COLOSSAL_MOE_ZERO, 601, "colossal_moe_zero") \
  X(error, rule, DTC_RULE_COLOSSAL_ARGUMENT, 602, "colossal_argument") \
  X(error, rule, DTC_RULE_COLOSSAL_MISSING, 603, "colossal_missing") \
  X(error, rule, DTC_RULE_COLOSSAL_NORM, 604, "colossal_norm") \
  X(error, rule, DTC_RULE_COLOSSAL_PRECISION, 605, "colossal_precision") \
  X(error, rule, DTC_RULE_COLOSSAL_PLACEMENT, 606, "colossal_placement") \
  X(error, rule, DTC_RULE_COLOSSAL_OFFLOAD, 607, "colossal_offload") \
  X(error, rule, DTC_RULE_COLOSSAL_SQUARE, 608, "colossal_square") \
  X(error, rule, DTC_RULE_COLOSSAL_LEGACY, 609, "colossal_legacy") \
  X(error, rule, DTC_RULE_ACCELERATE_TYPE, 610, "accelerate_type") \
  X(error, rule, DTC_RULE_ACCELERATE_PROCESSES, 611, "accelerate_processes") \
  X(error, rule, DTC_RULE_ACCELERATE_MACHINES, 612, "accelerate_machines") \
  X(error, rule, DTC_RULE_ACCELERATE_IP, 613, "accelerate_ip") \
  X(error, rule, DTC_RULE_ACCELERATE_RESHARD, 614, "accelerate_reshard") \
  X(error, rule, DTC_RULE_ACCELERATE_PREFETCH, 615, "accelerate_prefetch") \
  X(error, rule, DTC_RULE_ACCELERATE_RESET, 616, "accelerate_reset") \
  X(error, rule, DTC_RULE_ACCELERATE_STATE_DICT, 617, "accelerate_state_dict") \
  X(error, rule, DTC_RULE_ACCELERATE_RAM, 618, "accelerate_ram") \
  X(error, rule, DTC_RULE_ACCELERATE_OFFLOAD, 619, "accelerate_offload") \
  X(error, rule, DTC_RULE_ACCELERATE_SIZES, 620, "accelerate_sizes") \
  X(error, rule, DTC_RULE_ACCELERATE_CP_SP, 621, "accelerate_cp_sp") \
  X(error, rule, DTC_RULE_ACCELERATE_REPLICATE, 622, "accelerate_replicate") \
  X(error, rule, DTC_RULE_ACCELERATE_FSDP1, 623, "accelerate_fsdp1") \
  X(error, rule, DTC_RULE_ACCELERATE_SHARD, 624, "accelerate_shard") \
  X(error, rule, DTC_RULE_ACCELERATE_FILE, 625, "accelerate_file") \
  X(error, rule, DTC_RULE_ACCELERATE_ZERO3, 626, "accelerate_zero3") \
  X(error, rule, DTC_RULE_ACCELERATE_UNUSED, 627, "accelerate_unused") \
  X(error, rule, DTC_RULE_TRAINER_PRECISION, 628, "trainer_precision") \
  X(error, rule, DTC_RULE_TRAINER_STRATEGY, 629, "trainer_strategy") \
  X(error, rule, DTC_RULE_TRAINER_WORDS, 630, "trainer_words") \
  X(error, rule, DTC_RULE_TRAINER_CHECKPOINTING, 631, "trainer_checkpointing") \
  X(error, rule, DTC_RULE_TRAINER_DEEPSPEED, 632, "trainer_deepspeed") \
  X(error, rule, DTC_RULE_TRAINER_FSDP_CONFIG, 633, "trainer_fsdp_config") \
  X(error, rule, DTC_RULE_TORCHRUN_NODE_RANK, 634, "torchrun_node_rank") \
  X(error, rule, DTC_RULE_TORCHRUN_LOOPBACK, 635, "torchrun_loopback") \
  X(error, rule, DTC_RULE_TORCHRUN_MASTER, 636, "torchrun_master") \
  X(error, rule, DTC_RULE_TORCHRUN_ENDPOINT, 637, "torchrun_endpoint") \
  X(error, rule, DTC_RULE_TORCHRUN_STANDALONE, 638, "torchrun_standalone") \
  X(error, rule, DTC_RULE_TORCHRUN_WORLD, 639, "torchrun_world") \
  X(error, rule, DTC_RULE_HOSTS_BOTH, 640, "hosts_both") \
  X(error, rule, DTC_RULE_HOSTS_FILTER, 641, "hosts_filter") \
  X(error, rule, DTC_RULE_HOSTS_UNKNOWN, 642, "hosts_unknown") \
  X(error, rule, DTC_RULE_HOSTS_SLOT, 643, "hosts_slot") \
  X(error, rule, DTC_RULE_HOSTS_UNCHECKED, 644, "hosts_unchecked") \
  X(error, rule, DTC_RULE_HOSTS_DROPPED, 645, "hosts_dropped") \
  X(error, rule, DTC_RULE_HOSTS_NOTHING, 646, "hosts_nothing") \
  X(error, rule, DTC_RULE_HOSTS_JUNK, 647, "hosts_junk") \
  X(error, rule, DTC_RULE_HOSTS_LOCAL, 648, "hosts_local") \
  X(error, rule, DTC_RULE_HOSTS_NUM, 649, "hosts_num") \
  X(error, rule, DTC_RULE_HOSTS_SLURM, 650, "hosts_slurm") \
  X(error, rule, DTC_RULE_HOSTS_RANK, 651, "hosts_rank") \
  X(error, rule, DTC_RULE_HOSTS_WORLD, 652, "hosts_world") \
  X(error, rule, DTC_RULE_SBATCH_TASKS, 655, "sbatch_tasks") \
  X(error, rule, DTC_RULE_SBATCH_SQUARED, 656, "sbatch_squared") \
  X(error, rule, DTC_RULE_SBATCH_IDLE, 657, "sbatch_idle") \
  X(error, rule, DTC_RULE_SBATCH_OWN_GPU, 658, "sbatch_own_gpu") \
  X(error, rule, DTC_RULE_SBATCH_LATE, 659, "sbatch_late") \
  X(error, rule, DTC_RULE_SBATCH_BLANK, 660, "sbatch_blank") \
  X(error, rule, DTC_RULE_SBATCH_VARIABLE, 661, "sbatch_variable") \
  X(error, rule, DTC_RULE_SBATCH_LOCALHOST, 662, "sbatch_localhost") \
  X(error, rule, DTC_RULE_SBATCH_LAUNCH_NODE, 663, "sbatch_launch_node") \
  X(error, rule, DTC_RULE_SBATCH_VISIBLE, 664, "sbatch_visible") \
  X(error, rule, DTC_RULE_SBATCH_ALONE, 665, "sbatch_alone") \
  X(error, rule, DTC_RULE_SBATCH_GPUS, 666, "sbatch_gpus") \
  X(error, rule, DTC_RULE_SBATCH_MORE, 667, "sbatch_more") \
  X(error, rule, DTC_RULE_SBATCH_PROCESSES, 668, "sbatch_processes") \
  X(error, rule, DTC_RULE_SBATCH_WORLD, 669, "sbatch_world") \
  X(error, rule, DTC_RULE_NCCL_DEVICE, 670, "nccl_device") \
  X(error, rule, DTC_RULE_NCCL_PREFIX, 671, "nccl_prefix") \
  X(error, rule, DTC_RULE_NCCL_FORM, 672, "nccl_form") \
  X(error, rule, DTC_RULE_NCCL_BARE, 673, "nccl_bare") \
  X(error, rule, DTC_RULE_NCCL_PORT, 674, "nccl_port") \
  X(error, rule, DTC_RULE_NCCL_LONG, 675, "nccl_long") \
  X(error, rule, DTC_RULE_NCCL_LOOPBACK, 676, "nccl_loopback") \
  X(error, rule, DTC_RULE_NCCL_LONGER, 677, "nccl_longer") \
  X(error, rule, DTC_RULE_NCCL_NO_DEVICE, 678, "nccl_no_device") \
  X(error, rule, DTC_RULE_NCCL_NO_INTERFACE, 679, "nccl_no_interface") \
  X(error, rule, DTC_RULE_NCCL_SUBNET, 680, "nccl_subnet") \
  X(error, rule, DTC_RULE_NCCL_IB_OFF, 681, "nccl_ib_off") \
  X(error, rule, DTC_RULE_NCCL_P2P_OFF, 682, "nccl_p2p_off") \
  X(error, rule, DTC_RULE_NCCL_NET, 683, "nccl_net") \
  X(error, rule, DTC_RULE_NCCL_MASTER, 684, "nccl_master") \
  X(error, rule, DTC_RULE_NCCL_CHOICE, 685, "nccl_choice") \
  X(error, rule, DTC_RULE_NCCL_RING, 686, "nccl_ring") \
  X(error, rule, DTC_RULE_NCCL_CHANNELS, 687, "nccl_channels") \
  X(error, rule, DTC_RULE_NCCL_MISMATCH, 688, "nccl_mismatch") \
  X(error, rule, DTC_RULE_NCCL_TORCH, 689, "nccl_torch") \
  X(error, rule, DTC_RULE_LAUNCH_TARGET, 940, "launch_target") \
  X(error, rule, DTC_RULE_LAUNCH_SETTING, 941, "launch_setting") \
  X(error, rule, DTC_RULE_LAUNCH_VALUE, 942, "launch_value") \
  X(error, rule, DTC_RULE_LAUNCH_CHARACTER, 943, "launch_character") \
  X(error, rule, DTC_RULE_LAUNCH_NODES, 944, "launch_nodes") \
  X(error, rule, DTC_RULE_LAUNCH_HOSTS, 945, "launch_hosts") \
  X(error, rule, DTC_RULE_LAUNCH_NEEDS, 946, "launch_needs") \
  X(error, rule, DTC_RULE_LAUNCH_ONE_NODE, 947, "launch_one_node") \
  X(error, rule, DTC_RULE_LAUNCH_VERSION, 948, "launch_version") \
  X(error, rule, DTC_RULE_LAUNCH_TOGETHER, 949, "launch_together") \
  X(error, rule, DTC_RULE_EXPLAIN_TEXT, 930, "explain_text") \
  X(error, rule, DTC_RULE_EXPLAIN_BYTES, 931, "explain_bytes") \
  X(error, rule, DTC_RULE_EXPLAIN_PARAMS, 932, "explain_params") \
  X(error, rule, DTC_RULE_EXPLAIN_MODEL, 933, "explain_model")
