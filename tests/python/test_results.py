"""Results: named tuples, NumPy arrays, text."""
import dataclasses
from array import array

import dtcore
import numpy
import pytest

import c_api


def test_find_and_names():
    assert len(dtcore.model_names()) == dtcore.model_count()
    for names, find, cls in (
        (dtcore.model_names(), dtcore.model_find, dtcore.Model),
        (dtcore.gpu_names(), dtcore.gpu_find, dtcore.Cluster),
        (dtcore.cluster_names(), dtcore.cluster_find, dtcore.Cluster),
    ):
        assert names and all(isinstance(find(name), cls) for name in names)
    with pytest.raises(IndexError):
        dtcore.model_name(dtcore.model_count())
    with pytest.raises(IndexError):
        dtcore.gpu_source(2**64 - 1)
    assert dtcore.cluster_source(0)


def test_params_is_short_for_model_params(model):
    params = dtcore.params(model)
    assert params == dtcore.model_params(model) and params.total == 68_976_648_192
    assert isinstance(params, tuple) and params._fields[0] == "total"


def test_tensors_add_up(model):
    tensors = [dtcore.model_tensor(model, i) for i in range(dtcore.model_tensor_count(model))]
    assert sum(t.numel for t in tensors) == dtcore.params(model).total
    assert tensors[0].layer is None and tensors[0].kind is dtcore.TensorKind.EMBEDDING and tensors[0].expert is None
    assert dtcore.model_tensor_name(model, 0) == "model.embed_tokens.weight"


def test_flops_convention_may_be_left_out(model):
    default = dtcore.model_flops(model, 4096)
    assert isinstance(default, float) and default == dtcore.model_flops(model, 4096, dtcore.FlopsConvention.MEGATRON)
    assert dtcore.model_flops(model, numpy.int64(4096), convention=7) < default
    assert dtcore.model_flops(model, 4096, "megatron") == default


def test_model_from_text_or_bytes():
    text = (
        '{"model_type": "llama", "hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4, '
        '"num_hidden_layers": 2, "vocab_size": 32}'
    )
    model = dtcore.model_from_hf(text)
    assert (model.arch, model.layers, model.hidden) == (dtcore.Arch.LLAMA, 2, 64)
    assert dtcore.model_from_hf(text.encode()) == model


def test_plan_text_round_trip(plan):
    text = dtcore.plan_format(plan, "llama-2-70b")
    assert "model=llama-2-70b" in text
    assert dtcore.plan_parse(f"before {text}; after") == (plan, dtcore.model_find("llama-2-70b"))
    assert dtcore.plan_parse(dtcore.plan_format(plan).encode()) == (plan, None)


def test_plan_resolve_takes_an_optional_cluster(model, cluster, plan):
    assert dtcore.plan_resolve(model, cluster, plan) == dtcore.plan_resolve(model, plan=plan, cluster=cluster)
    assert isinstance(dtcore.plan_resolve(model, None, plan).sequence_parallel, bool)


def test_memory_is_the_worst_stage(model, cluster, plan):
    worst, stages = dtcore.memory(model, cluster, plan), dtcore.memory_stages(model, cluster, plan)
    assert isinstance(stages, numpy.ndarray) and len(stages) == plan.pp
    assert worst.device == stages["device"].max()
    for name in ("stage", "params", "weights", "allocated", "device"):
        assert stages[name][worst.stage] == getattr(worst, name)
    assert set(stages.dtype.names) == set(dtcore.Memory._fields)
    assert isinstance(worst.fits, bool) and isinstance(worst.moment, dtcore.Moment)
    assert dtcore.memory(model, plan=plan).fits is None
    assert hash(worst) == hash(dtcore.memory(model, cluster, plan))


def test_exact_is_a_set_of_items(model, plan):
    exact, item = dtcore.memory(model, None, plan).exact, dtcore.MemoryItem
    assert exact >= {item.WEIGHTS, item.GRADIENTS} and item.ACTIVATIONS not in exact
    assert set(dtcore.memory_stages(model, None, plan)["exact"]) == {sum(1 << one for one in exact)}


def test_switches_of_an_array_are_booleans(model, cluster, plan):
    device = dtcore.memory_stages(model, cluster, plan)["device"]
    tight = dataclasses.replace(cluster, memory=int(device.max()) - 1, usable=0)
    fits = dtcore.memory_stages(model, tight, plan)["fits"]
    assert fits.dtype == bool and fits.any() and not fits.all()
    assert dtcore.memory_stages(model, cluster, plan)["fits"].all()
    assert not dtcore.memory_stages(model, None, plan)["fits"].any()


def test_many_stages_grow_the_buffer(model):
    plan = dtcore.Plan(pp=80)
    assert dtcore.memory_stages(model, None, plan)["stage"].tolist() == list(range(80))


def test_stages_are_an_iterable_of_stage(model, cluster, plan):
    stages = [dtcore.plan_stage(model, plan, i) for i in range(plan.pp)]
    assert stages[0] == dtcore.Stage(layers=20, embedding=1) and stages[-1].head == 1
    for given in (stages, tuple(stages), iter(stages)):
        assert dtcore.memory(model, cluster, plan, given) == dtcore.memory(model, cluster, plan)
    with pytest.raises(dtcore.DtcoreError):
        dtcore.memory(model, cluster, plan, stages[:-1])
    with pytest.raises(dtcore.DtcoreError):
        dtcore.memory(model, cluster, plan, [])
    with pytest.raises(TypeError, match="stages: expected Stage, got int"):
        dtcore.memory(model, cluster, plan, [*stages[:-1], 5])
    with pytest.raises(TypeError, match="stages: expected an iterable or None, got int"):
        dtcore.memory(model, cluster, plan, 5)


AXES = [dtcore.Axis(name="tp", size=2), dtcore.Axis(name="dp", size=4)]


def test_arrays_of_integers():
    backwards = numpy.array([9, 2, 9, 0])[::-2]
    for coord in ([0, 2], (0, 2), iter([0, 2]), range(0, 4, 2), numpy.array([0, 2]), numpy.array([0, 2], numpy.uint64),
                  numpy.array([0, 2], ">u8"), numpy.array([0, 2], numpy.uint8), b"\0\2", [False, numpy.int16(2)],
                  array("Q", [0, 2]), memoryview(array("q", [0, 2])), backwards):
        assert dtcore.mesh_rank(AXES, 0, coord) == 4
    assert dtcore.mesh_coord(iter(AXES), 8, 12) == [0, 2]
    assert dtcore.ring_order([1, 0] * 100) == [*range(1, 200, 2), *range(0, 200, 2)]
    assert dtcore.ring_crossings([]) == dtcore.ring_crossings(numpy.array([], numpy.uint64)) == 0
    assert dtcore.ring_crossings([2**64 - 1, 0]) == 2


def test_wrong_arrays_of_integers_are_named():
    for coord, told in ((None, "coord: expected an iterable, got NoneType"),
                        (1, "coord: expected an iterable, got int"),
                        ([0, 2.0], "coord: expected int, got float"), ("02", "coord: expected int, got str"),
                        (numpy.array([0.0, 2.0]), "coord: expected int, got float64"),
                        (numpy.zeros((1, 2), numpy.uint64), "coord: expected int, got ndarray")):
        with pytest.raises(TypeError, match=f"^{told}$"):
            dtcore.mesh_rank(AXES, 0, coord)
    for coord in ([0, -1], [2**64, 0], numpy.array([0, -1])):
        with pytest.raises(ValueError, match="^coord: must be in "):
            dtcore.mesh_rank(AXES, 0, coord)
    with pytest.raises(TypeError, match="^axes: expected an iterable, got NoneType$"):
        dtcore.mesh_world(None)
    with pytest.raises(dtcore.DtcoreError):
        dtcore.mesh_rank(AXES, 0, [0])


def test_tables_are_numpy_arrays():
    table = dtcore.mesh_table(AXES, 2, 6)
    assert table.dtype == numpy.uint32 and table.tolist() == [0, 1, 1, 1, 0, 2, 1, 2, 0, 3, 1, 3]
    assert dtcore.mesh_table([dtcore.Axis(size=1000)], 0, 1000).tolist() == list(range(1000))
    assert dtcore.mesh_table(AXES, 0, 0).shape == (0,)


def test_two_results_one_a_named_tuple():
    group, local = dtcore.mesh_listed([dtcore.Axis(size=2)] * 2, [3, 2, 1, 0], dtcore.GroupKind(axes=1), 3)
    assert group == dtcore.Group(count=2, size=2, index=0, place=0, first=2) and local == 1


def test_ledger_rows(model, plan):
    rows = dtcore.ledger_rows(model, plan, dtcore.LayerKind.DENSE)
    assert rows and all(isinstance(row, dtcore.LedgerRow) and isinstance(row.op, dtcore.Operator) for row in rows)
    assert dtcore.ledger_rows(model, plan, "dense") == rows
    with pytest.raises(ValueError, match="^kind: unknown word 'dens'; legal: dense, moe, head, mamba, attention, mlp, encoder$"):
        dtcore.ledger_rows(model, plan, "dens")


def test_fewest_gpus(model, cluster):
    plan = dtcore.Plan(sharding=dtcore.Sharding.DISTOPT, micro_batch=1, global_batch=512)
    fit, best = dtcore.memory_min_gpus(model, cluster, plan)
    assert isinstance(fit, dtcore.MinGpus) and isinstance(best, dtcore.Plan)
    assert fit.limit is dtcore.MemoryItem.NONE and fit.gpus > 1
    assert fit.gpus == best.tp * best.pp * best.dp and fit.device <= fit.capacity
    assert dtcore.plan_resolve(model, None, best) == best
    memory = dtcore.memory(model, cluster, best)
    assert memory.fits and memory.device == fit.device


def test_own_estimators(model):
    asked = dtcore.EstimatorCall(estimator="deepspeed_zero2", params=1000, offload=False, gpus_per_node=4)
    assert dtcore.memory_framework(asked).gpu == 2 * 1000 + 18 * 1000 / 4
    report = dtcore.memory_framework(dtcore.EstimatorCall(estimator="megatron"), model, dtcore.Plan(tp=2))
    assert report.estimator is dtcore.Estimator.MEGATRON and report.gpu == report.states + report.activations
    with pytest.raises(dtcore.DtcoreError, match="version = 0.18"):
        dtcore.memory_framework(dtcore.EstimatorCall(estimator="megatron", version=18000), model)


def test_nothing_fits(model):
    fit, best = dtcore.memory_min_gpus(model, dtcore.gpu_find("h100-80gb"), dtcore.Plan(sharding="ddp"))
    assert fit.gpus == 0 and fit.limit is not dtcore.MemoryItem.NONE and fit.limit_bytes > 0
    assert fit.device > fit.capacity and best.sharding is dtcore.Sharding.DDP


def test_states():
    plan = dtcore.Plan(framework=dtcore.Framework.DEEPSPEED, sharding=dtcore.Sharding.DDP)
    states = dtcore.memory_states(10**9, plan)
    assert states.total == states.weights + states.gradients + states.master + states.moments == 16 * 10**9


def test_field_ids():
    for struct in c_api.STRUCTS.values():
        noun = struct.name.removeprefix("dtc_")
        for f in c_api.visible(struct):
            offset = getattr(c_api.TYPES[struct.name], f.name).offset
            assert dtcore.field_id(noun, f.name) == struct.number << 16 | offset
            assert dtcore.field_name(struct.number << 16 | offset) == f.name
        assert dtcore.struct_size(struct.number) == c_api.ctypes.sizeof(c_api.TYPES[struct.name])
    with pytest.raises(KeyError):
        dtcore.field_id("plan", "tpp")
    assert dtcore.value_name(dtcore.field_id("plan", "sharding"), dtcore.Sharding.ZERO2) == "zero2"


def test_wrong_arguments_are_named(model, cluster, plan):
    for call, name in (
        (lambda: dtcore.memory(None), "model: expected Model, got NoneType"),
        (lambda: dtcore.memory(model, plan), "cluster: expected Cluster, got Plan"),
        (lambda: dtcore.memory_min_gpus(model, None, plan), "cluster: expected Cluster, got NoneType"),
        (lambda: dtcore.model_flops(model, "4096"), "seq: expected int, got str"),
        (lambda: dtcore.model_flops(model, 4096, dtcore.Schedule.GPIPE), "convention: expected FlopsConvention"),
        (lambda: dtcore.model_find(b"x"), "name: expected str, got bytes"),
        (lambda: dtcore.model_from_hf({}), "json: expected str or bytes, got dict"),
        (lambda: dtcore.plan_format(plan, 5), "model_name: expected str, got int"),
    ):
        with pytest.raises(TypeError, match=name):
            call()
    for value in (-1, 2**64):
        with pytest.raises(ValueError, match="index: must be in"):
            dtcore.model_tensor(model, value)


def test_text_that_c_cannot_hold():
    with pytest.raises(ValueError, match="name: holds a NUL"):
        dtcore.model_find("llama\0")
    for call in (dtcore.model_find, dtcore.plan_parse, dtcore.model_from_hf):
        with pytest.raises(UnicodeEncodeError):
            call("\ud800")
    with pytest.raises(dtcore.DtcoreError):
        dtcore.model_from_hf(b"\0\xff")
