"""Pipelines: arrays of ops and times out and in, numbers of one and two bytes, and Pipeline."""
import copy
import dataclasses
import math
import pickle
import sys

import dtcore
import numpy
import pytest
from dtcore import Pipe, PipeCost, PipeItem, PipeKind, PipeOp, Pipeline, PipeSplit, Timeline

UNIT = PipeCost(forward=1, input=1, weight=1)
JOB = Pipe(schedule="interleaved", pp=2, vpp=2, micro_batches=4)
EVERY = [schedule for schedule in dtcore.Schedule if schedule]


# ---- the functions ---------------------------------------------------------------------------------------------------


def test_ops_are_a_structured_array():
    order = dtcore.pipe_order(JOB)
    assert isinstance(order, numpy.ndarray) and order.dtype.names == tuple(f.name for f in dataclasses.fields(PipeOp))
    assert [order.dtype[name].str for name in order.dtype.names] == ["<u4", "<u2", "|u1", "|u1"]
    assert order.itemsize == 8 and len(order) == 2 * dtcore.pipe_count(JOB)
    assert order[:3].tolist() == [(0, 0, PipeKind.FORWARD, 0), (1, 0, PipeKind.FORWARD, 0), (0, 1, PipeKind.FORWARD, 0)]
    assert dtcore.pipe_op_at(JOB, 0, 2) == PipeOp(micro_batch=0, chunk=1, kind="forward")
    assert dtcore.pipe_op_at(JOB, 0, 2).kind is PipeKind.FORWARD


def as_op(row: numpy.void) -> PipeOp:
    return PipeOp(**dict(zip(row.dtype.names, row.tolist())))


def test_arrays_go_in_as_they_came():
    order = dtcore.pipe_order(JOB)
    objects = [as_op(row) for row in order]
    costs = [PipeCost(forward=n, input=2, weight=1, freed_input=7, freed_weight=n) for n in range(1, 5)]
    dtype = [(f.name, "u8" if f.type is int else "f8") for f in dataclasses.fields(PipeCost)]
    table = numpy.array([dataclasses.astuple(cost) for cost in costs], dtype)
    times = dtcore.pipe_simulate(JOB, order, costs)
    assert times.dtype.names == ("start", "stop") and len(times) == len(order)
    ranks = dtcore.pipe_ranks(JOB, order, costs, times)
    for given in (objects, iter(objects), tuple(objects), order[::-1][::-1], memoryview(order), order.copy()):
        assert (dtcore.pipe_simulate(JOB, given, table) == times).all()
    listed = [dtcore.PipeTime(start=start, stop=stop) for start, stop in times.tolist()]
    assert (dtcore.pipe_ranks(JOB, objects, table, listed) == ranks).all()
    named = [dtcore.PipeRank(**dict(zip(ranks.dtype.names, row))) for row in ranks.tolist()]
    assert dtcore.pipe_sum(ranks) == dtcore.pipe_sum(named)
    assert ranks["bytes"].max() == dtcore.pipe_sum(ranks).bytes > 0


def test_arrays_that_are_no_records_are_refused():
    order = dtcore.pipe_order(JOB)
    wide = order.astype([(name, "u4") for name in order.dtype.names])
    formats = [(name, order.dtype[name].str) for name in order.dtype.names]
    signed = order.view(formats[:3] + [("fused", "i1")])
    moved = order.view([formats[0], formats[2], formats[3], formats[1]])
    renamed = order.view([*formats[:3], ("fusing", "u1")])
    for wrong in (wide, signed, moved, renamed, order["chunk"], order.reshape(2, -1), b"0" * 8):
        with pytest.raises(TypeError, match="^ops: expected PipeOp, got "):
            dtcore.pipe_simulate(JOB, wrong, [UNIT])
    assert (dtcore.pipe_simulate(JOB, order.view(formats), [UNIT]) == dtcore.pipe_simulate(JOB, order, [UNIT])).all()


@pytest.mark.parametrize(("field", "most"),
                         [("micro_batch", 2**32 - 1), ("chunk", 2**16 - 1), ("kind", 255), ("fused", 255)])
def test_narrow_fields(field, most):
    op = PipeOp(**{field: most})
    assert getattr(op, field) == most and type(getattr(op, field)) is int and pickle.loads(pickle.dumps(op)) == op
    for wrong in (most + 1, -1, numpy.int64(most + 1), 2**64):
        with pytest.raises(ValueError, match=rf"^{field}: must be in \[0, {most}\]$"):
            PipeOp(**{field: wrong})
    with pytest.raises(TypeError, match=f"^{field}: expected "):
        PipeOp(**{field: 1.0})


def test_a_kind_of_one_byte_is_an_enum():
    assert PipeOp(kind="weight").kind is PipeKind.WEIGHT is PipeOp(kind=4).kind is PipeOp(kind=PipeKind.WEIGHT).kind
    legal = "none, forward, backward, input, weight"
    with pytest.raises(ValueError, match=f"^kind: unknown word 'Forward'; legal: {legal}$"):
        PipeOp(kind="Forward")
    with pytest.raises(TypeError, match="^kind: expected PipeKind, got Schedule$"):
        PipeOp(kind=dtcore.Schedule.GPIPE)
    with pytest.raises(dtcore.DtcoreError) as caught:
        dtcore.pipe_simulate(Pipe(pp=1, micro_batches=1), [PipeOp(kind=77)], [UNIT])
    assert caught.value.rule == dtcore.Rule.PIPE_ORDER


def test_steps_of_deepspeed():
    steps = dtcore.pipe_steps(Pipe(schedule="1f1b", framework="deepspeed", pp=2, micro_batches=1), 0)
    assert steps.dtype.names == dtcore.PipeStep._fields
    assert [dtcore.PipeInstruction(what).name for what in steps["what"]] == [
        "LOAD", "FORWARD", "SEND_ACTIVATION", "RECV_GRAD", "BACKWARD", "REDUCE_TIED", "REDUCE_GRADS", "OPTIMIZER_STEP"]


def test_floats_and_sends_may_be_left_out():
    order = dtcore.pipe_order(Pipe(pp=2, micro_batches=4))
    plain = dtcore.pipe_simulate(Pipe(pp=2, micro_batches=4), order, [UNIT])
    for same in ({"latency": 0}, {"transfer": numpy.float64(0), "sends": "async"}, {"sends": dtcore.PipeSends.ASYNC}):
        assert (dtcore.pipe_simulate(Pipe(pp=2, micro_batches=4), order, [UNIT], **same) == plain).all()
    later = dtcore.pipe_simulate(Pipe(pp=2, micro_batches=4), order, [UNIT], 0.5, transfer=0.25, sends="blocking")
    assert later["stop"].max() > plain["stop"].max()


@pytest.mark.parametrize("name", ["latency", "transfer"])
def test_wrong_floats_are_named(name):
    for wrong in ("1", None, 1j, [1.0]):
        with pytest.raises(TypeError, match=f"^{name}: expected float, got "):
            dtcore.pipe_simulate(JOB, [], [UNIT], **{name: wrong})
    with pytest.raises(ValueError, match=f"^{name}: too large for a float$"):
        dtcore.pipe_simulate(JOB, [], [UNIT], **{name: 10**400})
    for wrong in (math.nan, math.inf, -math.inf, -1.0, 2e15):
        with pytest.raises(dtcore.DtcoreError) as caught:
            dtcore.pipe_simulate(JOB, dtcore.pipe_order(JOB), [UNIT], **{name: wrong})
        assert (caught.value.code, caught.value.field) == (dtcore.Status.RANGE, name)


def test_a_layout_may_be_left_out():
    split = PipeSplit(layers=8, pp=2)
    parts = dtcore.pipe_layers(split)
    assert parts[["first", "layers", "rank"]].tolist() == [(0, 4, 0), (4, 4, 1)]
    assert (dtcore.pipe_layers(split, None, None) == parts).all()
    layout = dataclasses.replace(split, splitter="layout")
    for text in ("Ettt|t*5L", b"Et*3|tt,tttL"):
        assert dtcore.pipe_layers(layout, text)["layers"].tolist() == [3, 5]
    with pytest.raises(dtcore.DtcoreError) as caught:
        dtcore.pipe_layers(layout, "Ettt|x")
    assert (caught.value.rule, caught.value.offset) == (dtcore.Rule.LAYOUT_SYNTAX, 5)
    with pytest.raises(dtcore.DtcoreError):
        dtcore.pipe_layers(layout)
    given = PipeSplit(splitter="colossalai", layers=8, pp=2)
    assert dtcore.pipe_layers(given, weights=[3, 5])["layers"].tolist() == [3, 5]


def test_balance_gives_parts_and_gain():
    items = [PipeItem(cost=cost) for cost in (5, 1, 1, 1, 1, 1)]
    parts, gain = dtcore.pipe_balance(Pipe(pp=2, micro_batches=4), items, 0)
    assert parts[["first", "layers"]].tolist() == [(0, 1), (1, 5)] and isinstance(gain, dtcore.PipeGain)
    assert (gain.cost, gain.uniform, gain.mean) == (5, 7, 5)
    table = numpy.zeros(6, [("cost", "f8"), ("bytes", "u8"), ("saved", "u8")])
    table["cost"] = [item.cost for item in items]
    again, same = dtcore.pipe_balance(Pipe(pp=2, micro_batches=4), table, 0)
    assert (again == parts).all() and same == gain


# ---- Pipeline --------------------------------------------------------------------------------------------------------


def test_words_of_an_order():
    pipeline = Pipeline(schedule="1f1b", pp=4, micro_batches=8)
    assert pipeline.text(3) == "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7"
    assert pipeline.text(0).startswith("F0 F1 F2 F3 B0 F4 B1 ")
    assert Pipeline(JOB).text(1) == "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0"
    fused = Pipeline(schedule="interleaved", pp=2, vpp=2, micro_batches=4, moe_overlap=True)
    assert fused.text(0) == "F0.0 F1.0 F0.1 F1.1 F2.0 F3.0+B0.1 F2.1+B1.1 F3.1+B0.0 B1.0 B2.1 B3.1 B2.0 B3.0"
    dual = Pipeline(schedule="dualpipe_v", framework="pytorch", pp=2, micro_batches=4)
    assert dual.text(1) == "F0.0 F0.1 F1.0 F1.1 F2.0 B0.1 F2.1+B0.0 F3.0+B1.1 F3.1+B1.0 B2.1 B2.0 I3.1 I3.0 W3.1 W3.0"


@pytest.mark.parametrize("schedule", EVERY)
def test_every_schedule(schedule):
    pipeline = Pipeline(schedule=schedule, pp=4, micro_batches=8)
    assert pipeline.pipe == dtcore.pipe_resolve(pipeline.pipe) and pipeline.pipe.schedule is schedule
    order, line = pipeline.order, pipeline.simulate(UNIT)
    assert order is pipeline.order and order.shape == line.times.shape == (4, dtcore.pipe_count(pipeline.pipe))
    assert isinstance(line, Timeline) and len(line.ranks) == 4 and isinstance(line.totals, dtcore.PipeTotals)
    assert line.totals.makespan == line.times["stop"].max() and line.totals == dtcore.pipe_sum(line.ranks)
    for rank in range(4):
        words = pipeline.text(rank).replace("+", " ").split()
        assert len(set(words)) == len(words) == (order[rank]["kind"] != PipeKind.NONE).sum()
        held = pipeline.inflight(rank)
        assert (held.input, held.weight) == tuple(line.ranks[rank][["held_input", "held_weight"]].tolist()), rank
        for chunk in range(pipeline.pipe.vpp):
            assert pipeline.stage(rank, chunk) == dtcore.pipe_stage(pipeline.pipe, rank, chunk)


@pytest.mark.parametrize("pp", [2, 3, 4, 8])
@pytest.mark.parametrize(("schedule", "settings", "bubble"), [
    ("gpipe", {}, lambda p, f, i, w: (p - 1) * (f + i + w)),
    ("1f1b", {}, lambda p, f, i, w: (p - 1) * (f + i + w)),
    ("interleaved", {"vpp": 2}, lambda p, f, i, w: (p - 1) * (f + i + w)),
    ("interleaved", {"vpp": 3, "framework": "pytorch"}, lambda p, f, i, w: (p - 1) * (f + i + w)),
    ("looped_bfs", {"vpp": 2}, lambda p, f, i, w: (p - 1) * (f + i + w)),
    ("interleaved_zb", {"vpp": 2}, lambda p, f, i, w: (p - 1) * max(f, i, f + i - w)),
])
@pytest.mark.parametrize("cost", [(1, 1, 1), (10, 12, 8), (12, 10, 8), (20, 10, 5)])
def test_bubbles_of_the_page(schedule, settings, bubble, pp, cost):
    pipeline = Pipeline(schedule=schedule, pp=pp, micro_batches=2 * pp, **settings)
    totals = pipeline.simulate(PipeCost(forward=cost[0], input=cost[1], weight=cost[2])).totals
    assert totals.bubble == bubble(pp, *cost)
    assert totals.makespan == pipeline.pipe.vpp * 2 * pp * sum(cost) + totals.bubble


@pytest.mark.parametrize("pp", [2, 4, 8])
@pytest.mark.parametrize("micro_batches", [1, 3, 8, 16])
def test_messages_of_the_page(pp, micro_batches):
    p, m, c = pp, micro_batches, 0.25
    pipeline = Pipeline(schedule="1f1b", framework="megatron", pp=p, micro_batches=m)
    cost = PipeCost(forward=100, input=100, weight=100)
    least = (m + p - 1) * 300
    hops = 2 * (p - 1) + (2 * (m - 2 - (m - 2) // p) if m > 1 else 0)
    assert pipeline.simulate(cost, c).totals.makespan == least + c * hops
    hops = m + 1 if p == 2 else 2 * (p - 1) + (1 + 2 * (m - 2) if m > 1 else 0)
    assert pipeline.simulate([cost], c, sends="blocking").totals.makespan == least + c * hops


def test_times_of_the_job_are_the_default():
    pipeline = Pipeline(schedule="zb_h1", pp=4, micro_batches=8, forward=10, input=12, weight=8)
    assert pipeline.simulate().totals == pipeline.simulate(PipeCost(forward=10, input=12, weight=8)).totals
    uneven = [PipeCost(forward=n, input=n, weight=n) for n in (1, 2, 3, 4)]
    assert pipeline.simulate(iter(uneven)).totals == pipeline.simulate(uneven).totals != pipeline.simulate().totals
    assert pipeline.simulate(latency=1, transfer=1).totals.makespan > pipeline.simulate().totals.makespan


def test_of_a_plan(model):
    plan = dtcore.Plan(tp=8, pp=4, dp=1, micro_batch=1, global_batch=16)
    pipeline = Pipeline.of_plan(model, plan=plan)
    assert (pipeline.pipe.pp, pipeline.pipe.micro_batches, pipeline.pipe.schedule.name) == (4, 16, "ONE_F_ONE_B")
    assert pipeline == Pipeline(schedule="1f1b", framework="megatron", pp=4, micro_batches=16)
    assert pipeline != Pipeline(schedule="1f1b", framework="megatron", pp=4, micro_batches=8)


def test_what_is_wrong_is_said():
    with pytest.raises(dtcore.DtcoreError) as caught:
        Pipeline(schedule="interleaved", pp=4, micro_batches=9, framework="pytorch")
    assert (caught.value.rule, caught.value.lower, caught.value.upper) == (dtcore.Rule.PIPE_ROUNDS, 8, 10)
    with pytest.raises(TypeError, match="shedule"):
        Pipeline(shedule="1f1b")
    with pytest.raises(ValueError, match="^schedule: unknown word '1f1b-v'; legal: default, gpipe, 1f1b, inter"):
        Pipeline(schedule="1f1b-v")
    for schedule in ("1f1b", "v_half"):
        pipeline = Pipeline(schedule=schedule, pp=4, micro_batches=8)
        for ask in (pipeline.text, pipeline.inflight, pipeline.stage):
            with pytest.raises(dtcore.DtcoreError) as caught:
                ask(4)
            assert (caught.value.field, caught.value.max) == ("rank", 3)
            with pytest.raises(ValueError, match="^rank: must be in "):
                ask(-1)
    with pytest.raises(dtcore.DtcoreError) as caught:
        Pipeline(schedule="zb_h1", pp=4, micro_batches=8).simulate(sends="blocking")
    assert caught.value.rule == dtcore.Rule.PIPE_SENDS


def test_names_of_schedules():
    assert Pipeline(schedule="1f1b_v", pp=2, micro_batches=4).pipe.schedule is dtcore.Schedule.ONE_F_ONE_B_V
    names = {schedule.name.lower() for schedule in EVERY}
    assert {"one_f_one_b", "one_f_one_b_v", "zb_h1", "dualpipe_v", "interleaved_zb"} < names


def test_frozen_and_copied():
    pipeline = Pipeline(JOB)
    with pytest.raises(dataclasses.FrozenInstanceError):
        pipeline.pipe = JOB
    line = pipeline.simulate(UNIT)
    for array in (pipeline.order, line.times, line.ranks):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    for twin in (pickle.loads(pickle.dumps(pipeline)), copy.copy(pipeline), copy.deepcopy(pipeline)):
        assert twin == pipeline and hash(twin) == hash(pipeline) and (twin.order == pipeline.order).all()
    assert pipeline != Pipeline(JOB, micro_batches=8) and pipeline != JOB and not hasattr(pipeline, "__dict__")
    assert eval(repr(pipeline), vars(dtcore)) == pipeline


# ---- drawings --------------------------------------------------------------------------------------------------------


@pytest.fixture
def agg():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def bars(axes) -> list:
    """Every bar drawn that has a width: (left, top, right, bottom)."""
    from matplotlib.collections import PolyCollection

    boxes = [path.get_extents() for c in axes.collections if isinstance(c, PolyCollection) for path in c.get_paths()]
    return [(box.x0, box.y0, box.x1, box.y1) for box in boxes if box.width > 0]


@pytest.mark.usefixtures("agg")
def test_plot():
    from matplotlib import pyplot

    for schedule in ("1f1b", "dualpipe_v"):
        pipeline = Pipeline(schedule=schedule, pp=4, micro_batches=8)
        line = pipeline.simulate(UNIT)
        axes = pipeline.plot(timeline=line)
        drawn = bars(axes)
        assert len(drawn) == (pipeline.order["kind"] != PipeKind.NONE).sum()
        assert max(right for _, _, right, _ in drawn) == line.totals.makespan
        assert {round((top + bottom) / 2) for _, top, _, bottom in drawn} == set(range(4))
        words = {text.get_text() for text in axes.texts}
        assert words == {str(n) for n in range(8)}
        legend = [text.get_text() for text in axes.get_legend().get_texts()]
        assert legend[:2] == ["forward", "backward"] and len(legend) == (2 if schedule == "1f1b" else 4)
        assert axes.get_ylim() == (3.5, -0.5)
    mine = pyplot.figure().add_subplot()
    assert Pipeline(pp=2, micro_batches=300).plot(mine) is mine and not mine.texts


def test_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"^Pipeline.plot\(\) needs matplotlib: pip install matplotlib$"):
        Pipeline(pp=2, micro_batches=2).plot()
