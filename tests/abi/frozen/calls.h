/* Release 1.0.0, as tests/abi/freeze.py wrote it down. Not to be edited: old programs do not change. */
static dtc_status call_dtc_version(void)
{
  dtc_status status = counted(dtc_version());
  return status;
}

static dtc_status call_dtc_version_string(void)
{
  dtc_status status = said(dtc_version_string());
  return status;
}

static dtc_status call_dtc_struct_size(void)
{
  dtc_status status = counted(dtc_struct_size(1));
  return status;
}

static dtc_status call_dtc_field_name(void)
{
  dtc_status status = said(dtc_field_name(1));
  return status;
}

static dtc_status call_dtc_value_name(void)
{
  dtc_status status = said(dtc_value_name(1, 1));
  return status;
}

static dtc_status call_dtc_error_format(void)
{
  SIZED(dtc_error, err); FILL(dtc_error, err);
  GUARDED(text, buf);
  dtc_status status = counted(dtc_error_format(&err.of, 1, buf.of.bytes, sizeof buf.of.bytes));
  INTACT(err);
  INTACT(buf);
  return status;
}

static dtc_status call_dtc_model_count(void)
{
  dtc_status status = counted(dtc_model_count());
  return status;
}

static dtc_status call_dtc_model_name(void)
{
  dtc_status status = said(dtc_model_name(1));
  return status;
}

static dtc_status call_dtc_model_source(void)
{
  dtc_status status = said(dtc_model_source(1));
  return status;
}

static dtc_status call_dtc_model_find(void)
{
  const char *name = TEXT_name;
  SIZED(dtc_model, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_model_find(name, &out.of, &err.of);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_model_from_hf(void)
{
  const char *json = TEXT_json;
  SIZED(dtc_model, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_model_from_hf(json, sizeof TEXT_json - 1, &out.of, &err.of);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_model_resolve(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_model, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_model_resolve(&model.of, &out.of, &err.of);
  INTACT(model);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_model_params(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_params, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_model_params(&model.of, &out.of, &err.of);
  INTACT(model);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_model_tensor_count(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  GUARDED(uint64_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_model_tensor_count(&model.of, &count.of, &err.of);
  INTACT(model);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_model_tensor(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_tensor, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_model_tensor(&model.of, 1, &out.of, &err.of);
  INTACT(model);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_model_tensor_name(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  GUARDED(text, buf);
  GUARDED(size_t, len);
  SIZED(dtc_error, err);
  dtc_status status = dtc_model_tensor_name(&model.of, 1, buf.of.bytes, sizeof buf.of.bytes, &len.of, &err.of);
  INTACT(model);
  INTACT(buf);
  INTACT(len);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_model_flops(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  GUARDED(double, flops);
  SIZED(dtc_error, err);
  dtc_status status = dtc_model_flops(&model.of, 1, 1, &flops.of, &err.of);
  INTACT(model);
  INTACT(flops);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_gpu_count(void)
{
  dtc_status status = counted(dtc_gpu_count());
  return status;
}

static dtc_status call_dtc_gpu_name(void)
{
  dtc_status status = said(dtc_gpu_name(1));
  return status;
}

static dtc_status call_dtc_gpu_source(void)
{
  dtc_status status = said(dtc_gpu_source(1));
  return status;
}

static dtc_status call_dtc_gpu_find(void)
{
  const char *name = TEXT_name;
  SIZED(dtc_cluster, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_gpu_find(name, &out.of, &err.of);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_cluster_count(void)
{
  dtc_status status = counted(dtc_cluster_count());
  return status;
}

static dtc_status call_dtc_cluster_name(void)
{
  dtc_status status = said(dtc_cluster_name(1));
  return status;
}

static dtc_status call_dtc_cluster_source(void)
{
  dtc_status status = said(dtc_cluster_source(1));
  return status;
}

static dtc_status call_dtc_cluster_find(void)
{
  const char *name = TEXT_name;
  SIZED(dtc_cluster, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_cluster_find(name, &out.of, &err.of);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_cluster_resolve(void)
{
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_cluster, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_cluster_resolve(&cluster.of, &out.of, &err.of);
  INTACT(cluster);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_plan_resolve(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_plan, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_plan_resolve(&model.of, &cluster.of, &plan.of, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_plan_check(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_error, findings);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_plan_check(&model.of, &cluster.of, &plan.of, &findings.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(findings);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_plan_parse(void)
{
  const char *text = TEXT_text;
  SIZED(dtc_model, model);
  SIZED(dtc_plan, plan);
  SIZED(dtc_error, err);
  dtc_status status = dtc_plan_parse(text, sizeof TEXT_text - 1, &model.of, &plan.of, &err.of);
  INTACT(model);
  INTACT(plan);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_plan_format(void)
{
  const char *model_name = TEXT_model_name;
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  GUARDED(text, buf);
  GUARDED(size_t, len);
  SIZED(dtc_error, err);
  dtc_status status = dtc_plan_format(model_name, &plan.of, buf.of.bytes, sizeof buf.of.bytes, &len.of, &err.of);
  INTACT(plan);
  INTACT(buf);
  INTACT(len);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_plan_stage(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_plan_stage(&model.of, &plan.of, 1, &out.of, &err.of);
  INTACT(model);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_order_parse(void)
{
  const char *text = TEXT_text;
  GUARDED(uint64_t, order);
  SIZED(dtc_error, err);
  dtc_status status = dtc_order_parse(text, sizeof TEXT_text - 1, &order.of, &err.of);
  INTACT(order);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_layout_resolve(void)
{
  SIZED(dtc_layout, layout); FILL(dtc_layout, layout);
  SIZED(dtc_layout, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_layout_resolve(&layout.of, &out.of, &err.of);
  INTACT(layout);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_layout_from_plan(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_layout, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_layout_from_plan(&model.of, &cluster.of, &plan.of, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_layout_mesh(void)
{
  SIZED(dtc_layout, layout); FILL(dtc_layout, layout);
  GUARDED(dtc_axis, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_layout_mesh(&layout.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(layout);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_layout_kinds(void)
{
  SIZED(dtc_layout, layout); FILL(dtc_layout, layout);
  GUARDED(dtc_group_kind, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_layout_kinds(&layout.of, &out.of, 1, &count.of, &err.of);
  INTACT(layout);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_layout_groups(void)
{
  SIZED(dtc_layout, layout); FILL(dtc_layout, layout);
  GUARDED(dtc_group, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_layout_groups(&layout.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(layout);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_group_kind_text(void)
{
  GUARDED(dtc_group_kind, kind); FILL(dtc_group_kind, kind);
  GUARDED(text, buf);
  GUARDED(size_t, len);
  SIZED(dtc_error, err);
  dtc_status status = dtc_group_kind_text(&kind.of, buf.of.bytes, sizeof buf.of.bytes, &len.of, &err.of);
  INTACT(kind);
  INTACT(buf);
  INTACT(len);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_mesh_world(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(uint64_t, world);
  SIZED(dtc_error, err);
  dtc_status status = dtc_mesh_world(&axes.of, 1, &world.of, &err.of);
  INTACT(axes);
  INTACT(world);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_mesh_coord(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(uint64_t, coord);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_mesh_coord(&axes.of, 1, 1, 1, &coord.of, 1, &count.of, &err.of);
  INTACT(axes);
  INTACT(coord);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_mesh_rank(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(uint64_t, coord); FILL(uint64_t, coord);
  GUARDED(uint64_t, rank);
  SIZED(dtc_error, err);
  dtc_status status = dtc_mesh_rank(&axes.of, 1, 1, &coord.of, 1, &rank.of, &err.of);
  INTACT(axes);
  INTACT(coord);
  INTACT(rank);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_mesh_table(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(uint32_t, table);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_mesh_table(&axes.of, 1, 1, 1, &table.of, 1, &count.of, &err.of);
  INTACT(axes);
  INTACT(table);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_mesh_group_of(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(dtc_group_kind, kind); FILL(dtc_group_kind, kind);
  GUARDED(dtc_group, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_mesh_group_of(&axes.of, 1, 1, &kind.of, 1, &out.of, &err.of);
  INTACT(axes);
  INTACT(kind);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_mesh_member(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(dtc_group_kind, kind); FILL(dtc_group_kind, kind);
  GUARDED(uint64_t, rank);
  SIZED(dtc_error, err);
  dtc_status status = dtc_mesh_member(&axes.of, 1, 1, &kind.of, 1, 1, &rank.of, &err.of);
  INTACT(axes);
  INTACT(kind);
  INTACT(rank);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_mesh_listed(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(uint64_t, ranks); FILL(uint64_t, ranks);
  GUARDED(dtc_group_kind, kind); FILL(dtc_group_kind, kind);
  GUARDED(dtc_group, out);
  GUARDED(uint64_t, local);
  SIZED(dtc_error, err);
  dtc_status status = dtc_mesh_listed(&axes.of, 1, &ranks.of, 1, &kind.of, 1, &out.of, &local.of, &err.of);
  INTACT(axes);
  INTACT(ranks);
  INTACT(kind);
  INTACT(out);
  INTACT(local);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_mesh_placement(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(dtc_group_kind, kind); FILL(dtc_group_kind, kind);
  SIZED(dtc_placement, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_mesh_placement(&axes.of, 1, 1, &kind.of, 1, &out.of, &err.of);
  INTACT(axes);
  INTACT(kind);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_ring_crossings(void)
{
  GUARDED(uint64_t, leaves); FILL(uint64_t, leaves);
  GUARDED(uint64_t, crossings);
  SIZED(dtc_error, err);
  dtc_status status = dtc_ring_crossings(&leaves.of, 1, &crossings.of, &err.of);
  INTACT(leaves);
  INTACT(crossings);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_ring_order(void)
{
  GUARDED(uint64_t, leaves); FILL(uint64_t, leaves);
  GUARDED(uint64_t, order);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_ring_order(&leaves.of, 1, &order.of, 1, &count.of, &err.of);
  INTACT(leaves);
  INTACT(order);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_nccl_count(void)
{
  dtc_status status = counted(dtc_nccl_count());
  return status;
}

static dtc_status call_dtc_nccl_name(void)
{
  dtc_status status = said(dtc_nccl_name(1));
  return status;
}

static dtc_status call_dtc_nccl_source(void)
{
  dtc_status status = said(dtc_nccl_source(1));
  return status;
}

static dtc_status call_dtc_nccl_find(void)
{
  const char *name = TEXT_name;
  SIZED(dtc_nccl, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_nccl_find(name, 1, 1, 1, &out.of, &err.of);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_nccl_resolve(void)
{
  SIZED(dtc_nccl, nccl); FILL(dtc_nccl, nccl);
  SIZED(dtc_nccl, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_nccl_resolve(&nccl.of, &out.of, &err.of);
  INTACT(nccl);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_nccl_table(void)
{
  SIZED(dtc_nccl, nccl); FILL(dtc_nccl, nccl);
  GUARDED(dtc_nccl_row, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_nccl_table(&nccl.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(nccl);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_nccl_choose(void)
{
  SIZED(dtc_nccl, nccl); FILL(dtc_nccl, nccl);
  GUARDED(dtc_nccl_choice, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_nccl_choose(&nccl.of, 1, 1, &out.of, &err.of);
  INTACT(nccl);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_nccl_switches(void)
{
  SIZED(dtc_nccl, nccl); FILL(dtc_nccl, nccl);
  GUARDED(dtc_nccl_range, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_nccl_switches(&nccl.of, 1, 1, 1, &out.of, 1, &count.of, &err.of);
  INTACT(nccl);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_nccl_tuner_write(void)
{
  SIZED(dtc_nccl, nccl); FILL(dtc_nccl, nccl);
  GUARDED(text, buf);
  GUARDED(size_t, len);
  SIZED(dtc_error, err);
  dtc_status status = dtc_nccl_tuner_write(&nccl.of, 1, buf.of.bytes, sizeof buf.of.bytes, &len.of, &err.of);
  INTACT(nccl);
  INTACT(buf);
  INTACT(len);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_resolve(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  SIZED(dtc_shards, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_resolve(&shards.of, &out.of, &err.of);
  INTACT(shards);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_from_plan(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_shards, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_from_plan(&model.of, &cluster.of, &plan.of, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_shapes(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  GUARDED(dtc_shape, shapes);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_shapes(&model.of, &shapes.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(shapes);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_scratch(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(uint64_t, needed);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_scratch(&shards.of, 1, &needed.of, &err.of);
  INTACT(shards);
  INTACT(needed);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_local(void)
{
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_shape, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_local(&shapes.of, 1, 1, 1, &out.of, 1, &count.of, &err.of);
  INTACT(shapes);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_layout(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots);
  GUARDED(size_t, count);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_layout(&shards.of, &shapes.of, 1, &slots.of, 1, &count.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_totals(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  SIZED(dtc_shard_totals, out);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_totals(&shards.of, &shapes.of, 1, &slots.of, 1, &out.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_buckets(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(dtc_bucket, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_buckets(&shards.of, &shapes.of, 1, &slots.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_chunks(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  SIZED(dtc_chunks, out);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_chunks(&shards.of, &shapes.of, 1, &out.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_fragments(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(dtc_fragment, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_fragments(&shards.of, &shapes.of, 1, &slots.of, 1, 1, &out.of, 1, &count.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_owner(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(uint64_t, rank);
  GUARDED(uint64_t, offset);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_owner(&shards.of, &shapes.of, 1, &slots.of, 1, 1, 1, &rank.of, &offset.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(rank);
  INTACT(offset);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_reshard_check(void)
{
  SIZED(dtc_shards, source); FILL(dtc_shards, source);
  SIZED(dtc_shards, target); FILL(dtc_shards, target);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, source_slots); FILL(dtc_slot, source_slots);
  GUARDED(dtc_slot, target_slots); FILL(dtc_slot, target_slots);
  SIZED(dtc_reshard, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_reshard_check(&source.of, &target.of, &shapes.of, 1, &source_slots.of, 1, &target_slots.of, 1, 1, &out.of, &err.of);
  INTACT(source);
  INTACT(target);
  INTACT(shapes);
  INTACT(source_slots);
  INTACT(target_slots);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_reshard_items(void)
{
  SIZED(dtc_shards, source); FILL(dtc_shards, source);
  SIZED(dtc_shards, target); FILL(dtc_shards, target);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, source_slots); FILL(dtc_slot, source_slots);
  GUARDED(dtc_slot, target_slots); FILL(dtc_slot, target_slots);
  GUARDED(dtc_reshard_item, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_reshard_items(&source.of, &target.of, &shapes.of, 1, &source_slots.of, 1, &target_slots.of, 1, 1, 1, &out.of, 1, &count.of, &err.of);
  INTACT(source);
  INTACT(target);
  INTACT(shapes);
  INTACT(source_slots);
  INTACT(target_slots);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_reshard_totals(void)
{
  SIZED(dtc_shards, source); FILL(dtc_shards, source);
  SIZED(dtc_shards, target); FILL(dtc_shards, target);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, source_slots); FILL(dtc_slot, source_slots);
  GUARDED(dtc_slot, target_slots); FILL(dtc_slot, target_slots);
  SIZED(dtc_reshard_sums, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_reshard_totals(&source.of, &target.of, &shapes.of, 1, &source_slots.of, 1, &target_slots.of, 1, 1, &out.of, &err.of);
  INTACT(source);
  INTACT(target);
  INTACT(shapes);
  INTACT(source_slots);
  INTACT(target_slots);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_reshard_scratch(void)
{
  SIZED(dtc_shards, source); FILL(dtc_shards, source);
  GUARDED(uint64_t, needed);
  SIZED(dtc_error, err);
  dtc_status status = dtc_reshard_scratch(&source.of, 1, &needed.of, &err.of);
  INTACT(source);
  INTACT(needed);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_reshard_boxes(void)
{
  SIZED(dtc_shards, source); FILL(dtc_shards, source);
  SIZED(dtc_shards, target); FILL(dtc_shards, target);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_reshard_box, out);
  GUARDED(size_t, count);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_reshard_boxes(&source.of, 1, &target.of, 1, &shapes.of, 1, 1, &out.of, 1, &count.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(source);
  INTACT(target);
  INTACT(shapes);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_reshard_box_totals(void)
{
  SIZED(dtc_shards, source); FILL(dtc_shards, source);
  SIZED(dtc_shards, target); FILL(dtc_shards, target);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  SIZED(dtc_reshard_sums, out);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_reshard_box_totals(&source.of, 1, &target.of, 1, &shapes.of, 1, &out.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(source);
  INTACT(target);
  INTACT(shapes);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_checkpoint_estimate(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  SIZED(dtc_checkpoint, out);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_checkpoint_estimate(&shards.of, &shapes.of, 1, &slots.of, 1, 1.0, 1, &out.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_reductions(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(dtc_batch, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_reductions(&shards.of, &shapes.of, 1, &slots.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_slices(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(dtc_slice, out);
  GUARDED(size_t, count);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_slices(&shards.of, &shapes.of, 1, &slots.of, 1, &out.of, 1, &count.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_accumulator(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(uint64_t, elements);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_accumulator(&shards.of, &shapes.of, 1, &slots.of, 1, 1, &elements.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(elements);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_gathers(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(dtc_batch, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_gathers(&shards.of, &shapes.of, 1, &slots.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_sub_groups(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(dtc_batch, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_sub_groups(&shards.of, &shapes.of, 1, &slots.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_persistent(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(uint64_t, tensors);
  GUARDED(uint64_t, elements);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_persistent(&shards.of, &shapes.of, 1, &tensors.of, &elements.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(tensors);
  INTACT(elements);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_secondary(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(dtc_fragment, out);
  GUARDED(size_t, count);
  GUARDED(uint64_t, elements);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_secondary(&shards.of, &shapes.of, 1, &slots.of, 1, 1, &out.of, 1, &count.of, &elements.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(count);
  INTACT(elements);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_trace(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_module, modules); FILL(dtc_module, modules);
  SIZED(dtc_tracing, tracing); FILL(dtc_tracing, tracing);
  SIZED(dtc_trace, out);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_trace(&shards.of, &shapes.of, 1, &modules.of, 1, &tracing.of, &out.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(modules);
  INTACT(tracing);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_messages(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  GUARDED(dtc_message, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_messages(&shards.of, &shapes.of, 1, &slots.of, 1, 1, &out.of, 1, &count.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_bytes(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  SIZED(dtc_shard_bytes, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_bytes(&shards.of, &shapes.of, 1, &slots.of, 1, 1, 1, &out.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_held(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  SIZED(dtc_shard_bytes, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_held(&shards.of, &shapes.of, 1, &slots.of, 1, 1, 1, 1, 1, &out.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_check(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  SIZED(dtc_tracing, tracing); FILL(dtc_tracing, tracing);
  SIZED(dtc_error, findings);
  GUARDED(size_t, count);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_check(&shards.of, &shapes.of, 1, &slots.of, 1, &tracing.of, &findings.of, 1, &count.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(tracing);
  INTACT(findings);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_shards_offload(void)
{
  SIZED(dtc_shards, shards); FILL(dtc_shards, shards);
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  GUARDED(dtc_slot, slots); FILL(dtc_slot, slots);
  SIZED(dtc_offload_bytes, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_shards_offload(&shards.of, &shapes.of, 1, &slots.of, 1, 1, 1, 1, &out.of, &err.of);
  INTACT(shards);
  INTACT(shapes);
  INTACT(slots);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_resolve(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  SIZED(dtc_pipe, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_resolve(&pipe.of, &out.of, &err.of);
  INTACT(pipe);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_from_plan(void)
{
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_pipe, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_from_plan(&plan.of, &out.of, &err.of);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_stage(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(uint64_t, stage);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_stage(&pipe.of, 1, 1, &stage.of, &err.of);
  INTACT(pipe);
  INTACT(stage);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_count(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(uint64_t, rows);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_count(&pipe.of, &rows.of, &err.of);
  INTACT(pipe);
  INTACT(rows);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_scratch(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(uint64_t, needed);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_scratch(&pipe.of, &needed.of, &err.of);
  INTACT(pipe);
  INTACT(needed);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_order(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(dtc_pipe_op, out);
  GUARDED(size_t, count);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_order(&pipe.of, &out.of, 1, &count.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(pipe);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_op_at(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(dtc_pipe_op, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_op_at(&pipe.of, 1, 1, &out.of, &err.of);
  INTACT(pipe);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_inflight(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(dtc_pipe_held, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_inflight(&pipe.of, 1, &out.of, &err.of);
  INTACT(pipe);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_steps(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(dtc_pipe_step, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_steps(&pipe.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(pipe);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_simulate(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(dtc_pipe_op, ops); FILL(dtc_pipe_op, ops);
  GUARDED(dtc_pipe_cost, costs); FILL(dtc_pipe_cost, costs);
  GUARDED(dtc_pipe_time, out);
  GUARDED(size_t, count);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_simulate(&pipe.of, &ops.of, 1, &costs.of, 1, 1.0, 1.0, 1, &out.of, 1, &count.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(pipe);
  INTACT(ops);
  INTACT(costs);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_ranks(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(dtc_pipe_op, ops); FILL(dtc_pipe_op, ops);
  GUARDED(dtc_pipe_cost, costs); FILL(dtc_pipe_cost, costs);
  GUARDED(dtc_pipe_time, times); FILL(dtc_pipe_time, times);
  GUARDED(dtc_pipe_rank, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_ranks(&pipe.of, &ops.of, 1, &costs.of, 1, &times.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(pipe);
  INTACT(ops);
  INTACT(costs);
  INTACT(times);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_sum(void)
{
  GUARDED(dtc_pipe_rank, ranks); FILL(dtc_pipe_rank, ranks);
  GUARDED(dtc_pipe_totals, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_sum(&ranks.of, 1, &out.of, &err.of);
  INTACT(ranks);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_layers(void)
{
  SIZED(dtc_pipe_split, split); FILL(dtc_pipe_split, split);
  const char *layout = TEXT_layout;
  GUARDED(uint64_t, weights); FILL(uint64_t, weights);
  GUARDED(dtc_pipe_part, out);
  GUARDED(size_t, count);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_layers(&split.of, layout, sizeof TEXT_layout - 1, &weights.of, 1, &out.of, 1, &count.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(split);
  INTACT(weights);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_layers_scratch(void)
{
  SIZED(dtc_pipe_split, split); FILL(dtc_pipe_split, split);
  GUARDED(uint64_t, needed);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_layers_scratch(&split.of, &needed.of, &err.of);
  INTACT(split);
  INTACT(needed);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_balance(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(dtc_pipe_item, items); FILL(dtc_pipe_item, items);
  GUARDED(dtc_pipe_part, out);
  GUARDED(size_t, count);
  GUARDED(dtc_pipe_gain, gain);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_balance(&pipe.of, &items.of, 1, 1, &out.of, 1, &count.of, &gain.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(pipe);
  INTACT(items);
  INTACT(out);
  INTACT(count);
  INTACT(gain);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_pipe_balance_scratch(void)
{
  SIZED(dtc_pipe, pipe); FILL(dtc_pipe, pipe);
  GUARDED(uint64_t, needed);
  SIZED(dtc_error, err);
  dtc_status status = dtc_pipe_balance_scratch(&pipe.of, 1, &needed.of, &err.of);
  INTACT(pipe);
  INTACT(needed);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_resolve(void)
{
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_collective_call, call); FILL(dtc_collective_call, call);
  SIZED(dtc_collective_call, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_resolve(&cluster.of, &call.of, &out.of, &err.of);
  INTACT(cluster);
  INTACT(call);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_estimate(void)
{
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_collective_call, call); FILL(dtc_collective_call, call);
  SIZED(dtc_collective_time, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_estimate(&cluster.of, &call.of, &out.of, &err.of);
  INTACT(cluster);
  INTACT(call);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_from_mesh(void)
{
  GUARDED(dtc_axis, axes); FILL(dtc_axis, axes);
  GUARDED(dtc_group_kind, kind); FILL(dtc_group_kind, kind);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_collective_call, call); FILL(dtc_collective_call, call);
  SIZED(dtc_collective_call, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_from_mesh(&axes.of, 1, 1, &kind.of, &cluster.of, &call.of, &out.of, &err.of);
  INTACT(axes);
  INTACT(kind);
  INTACT(cluster);
  INTACT(call);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_bytes(void)
{
  GUARDED(dtc_traffic, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_bytes(1, 1, 1, 1, &out.of, &err.of);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_exchange(void)
{
  GUARDED(uint64_t, matrix); FILL(uint64_t, matrix);
  SIZED(dtc_exchange, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_exchange(&matrix.of, 1, 1, 1, &out.of, &err.of);
  INTACT(matrix);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_size(void)
{
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_collective_call, call); FILL(dtc_collective_call, call);
  GUARDED(uint64_t, bytes);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_size(&cluster.of, &call.of, 1.0, &bytes.of, &err.of);
  INTACT(cluster);
  INTACT(call);
  INTACT(bytes);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_judge(void)
{
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_collective_call, call); FILL(dtc_collective_call, call);
  SIZED(dtc_verdict, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_judge(&cluster.of, &call.of, 1.0, &out.of, &err.of);
  INTACT(cluster);
  INTACT(call);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_fit(void)
{
  GUARDED(dtc_timing, points); FILL(dtc_timing, points);
  SIZED(dtc_collective_law, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_fit(&points.of, 1, 1, 1, &out.of, &err.of);
  INTACT(points);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_law_time(void)
{
  SIZED(dtc_collective_law, law); FILL(dtc_collective_law, law);
  GUARDED(double, seconds);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_law_time(&law.of, 1, 1, 1, &seconds.of, &err.of);
  INTACT(law);
  INTACT(seconds);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_read(void)
{
  const char *text = TEXT_text;
  GUARDED(dtc_timing, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_read(text, sizeof TEXT_text - 1, &out.of, 1, &count.of, &err.of);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_collective_classic(void)
{
  GUARDED(double, seconds);
  SIZED(dtc_error, err);
  dtc_status status = dtc_collective_classic(1, 1, 1, 1.0, 1.0, 1.0, 1, &seconds.of, &err.of);
  INTACT(seconds);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_moe_estimate(void)
{
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_moe_call, call); FILL(dtc_moe_call, call);
  SIZED(dtc_moe_time, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_moe_estimate(&cluster.of, &call.of, &out.of, &err.of);
  INTACT(cluster);
  INTACT(call);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_tasks_slurm(void)
{
  SIZED(dtc_slurm, slurm); FILL(dtc_slurm, slurm);
  GUARDED(uint64_t, cpus); FILL(uint64_t, cpus);
  GUARDED(uint64_t, cpus_per_task); FILL(uint64_t, cpus_per_task);
  GUARDED(uint64_t, order); FILL(uint64_t, order);
  GUARDED(dtc_task, tasks);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_tasks_slurm(&slurm.of, &cpus.of, 1, &cpus_per_task.of, 1, &order.of, 1, &tasks.of, 1, &count.of, &err.of);
  INTACT(slurm);
  INTACT(cpus);
  INTACT(cpus_per_task);
  INTACT(order);
  INTACT(tasks);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_tasks_torchrun(void)
{
  GUARDED(uint64_t, workers); FILL(uint64_t, workers);
  GUARDED(dtc_task, tasks);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_tasks_torchrun(&workers.of, 1, &tasks.of, 1, &count.of, &err.of);
  INTACT(workers);
  INTACT(tasks);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_tasks_c10d(void)
{
  const char *hosts = TEXT_hosts;
  GUARDED(uint64_t, workers); FILL(uint64_t, workers);
  GUARDED(dtc_task, tasks);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_tasks_c10d(hosts, sizeof TEXT_hosts - 1, &workers.of, 1, &tasks.of, 1, &count.of, &err.of);
  INTACT(workers);
  INTACT(tasks);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_tasks_deepspeed(void)
{
  const char *hostfile = TEXT_hostfile;
  GUARDED(dtc_task, tasks);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_tasks_deepspeed(hostfile, sizeof TEXT_hostfile - 1, &tasks.of, 1, &count.of, &err.of);
  INTACT(tasks);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_tasks_mpi(void)
{
  SIZED(dtc_mpi, mpi); FILL(dtc_mpi, mpi);
  GUARDED(dtc_task, tasks);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_tasks_mpi(&mpi.of, &tasks.of, 1, &count.of, &err.of);
  INTACT(mpi);
  INTACT(tasks);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_states(void)
{
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_model_states, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_states(1, &plan.of, &out.of, &err.of);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_estimate(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  SIZED(dtc_memory, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_estimate(&model.of, &cluster.of, &plan.of, &stages.of, 1, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_stages(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  SIZED(dtc_memory, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_stages(&model.of, &cluster.of, &plan.of, &stages.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_moments(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  SIZED(dtc_memory_held, held);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_moments(&model.of, &cluster.of, &plan.of, 1, &stages.of, 1, &held.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(held);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_terms(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  GUARDED(dtc_memory_term, terms);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_terms(&model.of, &cluster.of, &plan.of, 1, &stages.of, 1, &terms.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(terms);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_term_text(void)
{
  dtc_status status = said(dtc_memory_term_text(1, 1));
  return status;
}

static dtc_status call_dtc_memory_min_gpus(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_min_gpus, out);
  SIZED(dtc_plan, best);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_min_gpus(&model.of, &cluster.of, &plan.of, &out.of, &best.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(out);
  INTACT(best);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_max_micro_batch(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  SIZED(dtc_max_setting, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_max_micro_batch(&model.of, &cluster.of, &plan.of, &stages.of, 1, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_max_seq(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  SIZED(dtc_max_setting, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_max_seq(&model.of, &cluster.of, &plan.of, &stages.of, 1, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_remedies(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  GUARDED(dtc_memory_remedy, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_remedies(&model.of, &cluster.of, &plan.of, &stages.of, 1, &out.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_remedy_plan(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_plan, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_remedy_plan(&model.of, &cluster.of, &plan.of, 1, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_memory_framework_estimate(void)
{
  SIZED(dtc_estimator_call, call); FILL(dtc_estimator_call, call);
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_estimator_result, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_memory_framework_estimate(&call.of, &model.of, &plan.of, &out.of, &err.of);
  INTACT(call);
  INTACT(model);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_optimizer_bytes(void)
{
  GUARDED(dtc_shape, shapes); FILL(dtc_shape, shapes);
  SIZED(dtc_optimizer_spec, spec); FILL(dtc_optimizer_spec, spec);
  SIZED(dtc_optimizer_held, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_optimizer_bytes(&shapes.of, 1, &spec.of, &out.of, &err.of);
  INTACT(shapes);
  INTACT(spec);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_software_count(void)
{
  dtc_status status = counted(dtc_software_count());
  return status;
}

static dtc_status call_dtc_software_name(void)
{
  dtc_status status = said(dtc_software_name(1));
  return status;
}

static dtc_status call_dtc_software_source(void)
{
  dtc_status status = said(dtc_software_source(1));
  return status;
}

static dtc_status call_dtc_software_find(void)
{
  const char *name = TEXT_name;
  GUARDED(uint64_t, index);
  SIZED(dtc_error, err);
  dtc_status status = dtc_software_find(name, &index.of, &err.of);
  INTACT(index);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_step_resolve(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_step_params, params); FILL(dtc_step_params, params);
  SIZED(dtc_step_params, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_step_resolve(&model.of, &cluster.of, &plan.of, &params.of, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(params);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_step_estimate(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  SIZED(dtc_step_params, params); FILL(dtc_step_params, params);
  SIZED(dtc_step, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_step_estimate(&model.of, &cluster.of, &plan.of, &stages.of, 1, &params.of, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(params);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_step_terms(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  SIZED(dtc_step_params, params); FILL(dtc_step_params, params);
  GUARDED(dtc_step_term, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_step_terms(&model.of, &cluster.of, &plan.of, &stages.of, 1, &params.of, &out.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(params);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_step_term_text(void)
{
  dtc_status status = said(dtc_step_term_text(1, 1));
  return status;
}

static dtc_status call_dtc_step_costs(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_stage, stages); FILL(dtc_stage, stages);
  SIZED(dtc_step_params, params); FILL(dtc_step_params, params);
  GUARDED(dtc_pipe_cost, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_step_costs(&model.of, &cluster.of, &plan.of, &stages.of, 1, &params.of, &out.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(stages);
  INTACT(params);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_step_rates(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_step_rate, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_step_rates(&model.of, &cluster.of, &plan.of, 1, 1.0, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_step_measure(void)
{
  SIZED(dtc_step, step); FILL(dtc_step, step);
  GUARDED(dtc_step_sample, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_step_measure(&step.of, 1.0, &out.of, &err.of);
  INTACT(step);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_step_fit(void)
{
  GUARDED(dtc_step_sample, samples); FILL(dtc_step_sample, samples);
  SIZED(dtc_step_params, params); FILL(dtc_step_params, params);
  SIZED(dtc_step_params, out);
  SIZED(dtc_step_fitted, fitted);
  SIZED(dtc_error, err);
  dtc_status status = dtc_step_fit(&samples.of, 1, &params.of, &out.of, &fitted.of, &err.of);
  INTACT(samples);
  INTACT(params);
  INTACT(out);
  INTACT(fitted);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_step_fit_collective(void)
{
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_collective_call, call); FILL(dtc_collective_call, call);
  GUARDED(dtc_timing, points); FILL(dtc_timing, points);
  SIZED(dtc_step_params, params); FILL(dtc_step_params, params);
  SIZED(dtc_step_params, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_step_fit_collective(&cluster.of, &call.of, &points.of, 1, &params.of, &out.of, &err.of);
  INTACT(cluster);
  INTACT(call);
  INTACT(points);
  INTACT(params);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_run_estimate(void)
{
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_run_call, call); FILL(dtc_run_call, call);
  SIZED(dtc_run, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_run_estimate(&cluster.of, &call.of, &out.of, &err.of);
  INTACT(cluster);
  INTACT(call);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_search_size(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_space, space); FILL(dtc_space, space);
  GUARDED(uint64_t, size);
  SIZED(dtc_error, err);
  dtc_status status = dtc_search_size(&model.of, &cluster.of, &plan.of, &space.of, &size.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(space);
  INTACT(size);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_search_axis(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_space, space); FILL(dtc_space, space);
  GUARDED(uint64_t, values);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_search_axis(&model.of, &cluster.of, &plan.of, &space.of, 1, &values.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(space);
  INTACT(values);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_search_plan(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_space, space); FILL(dtc_space, space);
  SIZED(dtc_plan, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_search_plan(&model.of, &cluster.of, &plan.of, &space.of, 1, &out.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(space);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_search_run(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_space, space); FILL(dtc_space, space);
  SIZED(dtc_step_params, params); FILL(dtc_step_params, params);
  GUARDED(dtc_found, best);
  GUARDED(size_t, count);
  SIZED(dtc_search, out);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_search_run(&model.of, &cluster.of, &plan.of, &space.of, &params.of, 1, 1, &best.of, 1, &count.of, &out.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(space);
  INTACT(params);
  INTACT(best);
  INTACT(count);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_search_scratch(void)
{
  GUARDED(uint64_t, needed);
  SIZED(dtc_error, err);
  dtc_status status = dtc_search_scratch(&needed.of, &err.of);
  INTACT(needed);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_search_merge(void)
{
  GUARDED(dtc_found, left); FILL(dtc_found, left);
  GUARDED(dtc_found, right); FILL(dtc_found, right);
  GUARDED(dtc_found, best);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_search_merge(&left.of, 1, &right.of, 1, 1, &best.of, 1, &count.of, &err.of);
  INTACT(left);
  INTACT(right);
  INTACT(best);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_search_change(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_space, space); FILL(dtc_space, space);
  SIZED(dtc_cluster, next_cluster);
  SIZED(dtc_plan, next_plan);
  SIZED(dtc_space, next_space);
  SIZED(dtc_error, err);
  dtc_status status = dtc_search_change(&model.of, &cluster.of, &plan.of, &space.of, 1, 1, &next_cluster.of, &next_plan.of, &next_space.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(space);
  INTACT(next_cluster);
  INTACT(next_plan);
  INTACT(next_space);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_framework_lint(void)
{
  SIZED(dtc_lint, lint); FILL(dtc_lint, lint);
  const char *text = TEXT_text;
  SIZED(dtc_model, model);
  SIZED(dtc_plan, plan);
  SIZED(dtc_error, out);
  GUARDED(size_t, count);
  SCRATCH(scratch);
  SIZED(dtc_error, err);
  dtc_status status = dtc_framework_lint(&lint.of, text, sizeof TEXT_text - 1, &model.of, &plan.of, &out.of, 1, &count.of, scratch, SCRATCH_WORDS, &err.of);
  INTACT(lint);
  INTACT(model);
  INTACT(plan);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_framework_lint_scratch(void)
{
  SIZED(dtc_lint, lint); FILL(dtc_lint, lint);
  GUARDED(uint64_t, needed);
  SIZED(dtc_error, err);
  dtc_status status = dtc_framework_lint_scratch(&lint.of, &needed.of, &err.of);
  INTACT(lint);
  INTACT(needed);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_framework_lint_hca(void)
{
  const char *value = TEXT_value;
  const char *devices = TEXT_devices;
  GUARDED(uint32_t, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_framework_lint_hca(value, sizeof TEXT_value - 1, devices, sizeof TEXT_devices - 1, &out.of, 1, &count.of, &err.of);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_launch_write(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_launch, launch); FILL(dtc_launch, launch);
  const char *script = TEXT_script;
  const char *hosts = TEXT_hosts;
  GUARDED(text, buf);
  GUARDED(size_t, len);
  SIZED(dtc_error, err);
  dtc_status status = dtc_launch_write(&model.of, &cluster.of, &plan.of, &launch.of, script, sizeof TEXT_script - 1, hosts, sizeof TEXT_hosts - 1, buf.of.bytes, sizeof buf.of.bytes, &len.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(launch);
  INTACT(buf);
  INTACT(len);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_launch_targets(void)
{
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_launch, launch); FILL(dtc_launch, launch);
  GUARDED(uint32_t, out);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_launch_targets(&plan.of, &launch.of, &out.of, 1, &count.of, &err.of);
  INTACT(plan);
  INTACT(launch);
  INTACT(out);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_launch_file(void)
{
  dtc_status status = said(dtc_launch_file(1));
  return status;
}

static dtc_status call_dtc_explain_read(void)
{
  const char *text = TEXT_text;
  SIZED(dtc_alloc, out);
  SIZED(dtc_error, err);
  dtc_status status = dtc_explain_read(text, sizeof TEXT_text - 1, &out.of, &err.of);
  INTACT(out);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_explain_alloc(void)
{
  SIZED(dtc_model, model); FILL(dtc_model, model);
  SIZED(dtc_cluster, cluster); FILL(dtc_cluster, cluster);
  SIZED(dtc_plan, plan); FILL(dtc_plan, plan);
  SIZED(dtc_alloc, alloc); FILL(dtc_alloc, alloc);
  GUARDED(dtc_candidate, candidates);
  GUARDED(size_t, count);
  SIZED(dtc_error, err);
  dtc_status status = dtc_explain_alloc(&model.of, &cluster.of, &plan.of, &alloc.of, &candidates.of, 1, &count.of, &err.of);
  INTACT(model);
  INTACT(cluster);
  INTACT(plan);
  INTACT(alloc);
  INTACT(candidates);
  INTACT(count);
  INTACT(err);
  return status;
}

static dtc_status call_dtc_explain_text(void)
{
  dtc_status status = said(dtc_explain_text(1, 1));
  return status;
}
