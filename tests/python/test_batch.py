"""Batch forms say bit for bit what the scalar calls say, row by row, and let other threads run."""
import threading
from dataclasses import replace

import dtcore
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import c_api
from strategies import inputs, value

CLUSTER = dtcore.cluster_find("dgx-h100")
# The varied struct, the batch form and the scalar one of (what is varied).
FORMS = {
    "memory": ("dtc_plan", dtcore.memory_batch, dtcore.memory, lambda m: (m, CLUSTER)),
    "step": ("dtc_plan", dtcore.step_batch, dtcore.step, lambda m: (m, CLUSTER)),
    "collective": ("dtc_collective_call", dtcore.collective_batch, dtcore.collective, lambda m: (CLUSTER,)),
    "moe": ("dtc_moe_call", dtcore.moe_batch, dtcore.moe, lambda m: (CLUSTER,)),
}


def number(value: object) -> object:
    """A value of a scalar result as an array shows it."""
    if isinstance(value, frozenset):
        return sum(1 << item for item in value)
    return False if value is None else value


@st.composite
def columns(draw, struct: str) -> dict:
    """Two or three fields, a few rows of values that the class takes, or one value for all rows."""
    rows = draw(st.integers(1, 6))
    chosen = draw(st.lists(st.sampled_from(c_api.visible(c_api.STRUCTS[struct])), min_size=1, max_size=3,
                           unique_by=lambda f: f.name))
    one = {f.name: value(f).filter(lambda v: not isinstance(v, float) or v == v) for f in chosen}
    made = {name: draw(st.lists(values, min_size=rows, max_size=rows)) for name, values in one.items()}
    shared = draw(st.sampled_from([None, *made]))
    return made | {shared: made[shared][:1]} if shared else made


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_batch_is_the_scalar_call_row_by_row(form, data):
    struct, batch, scalar, of = FORMS[form]
    model = dtcore.model_find(data.draw(st.sampled_from(["gpt2", "llama-3-8b", "mixtral-8x7b", "deepseek-v3"])))
    base, given_ = data.draw(inputs(struct)), data.draw(columns(struct))
    switches = {f.name for f in c_api.visible(c_api.STRUCTS[struct]) if f.type == "dtc_bool"}
    dtypes = {name: object if name in switches else float if isinstance(v[0], float) else numpy.uint64
              for name, v in given_.items()}
    as_arrays = {name: numpy.array(v, dtypes[name]) for name, v in given_.items()}
    made = batch(*of(model), base, as_arrays)
    assert made.shape == (max(map(len, given_.values())),)
    for i, row in enumerate(made):
        varied = replace(base, **{name: v[i % len(v)] for name, v in given_.items()})
        try:
            want = scalar(*of(model), varied)
        except dtcore.DtcoreError as error:
            assert row["status"] == error.code != 0
            assert not any(row[name] for name in made.dtype.names[1:])
            continue
        assert row["status"] == 0
        names = made.dtype.names[1:]
        assert [row[name].tobytes() for name in names] == [
            made.dtype[name].type(number(getattr(want, name))).tobytes() for name in names]


def test_columns_broadcast(model, plan):
    made = dtcore.memory_batch(model, CLUSTER, plan, {"tp": [1, 2, 4, 8], "micro_batch": [[1], [2]]})
    assert made.shape == (2, 4)
    assert made[1, 2]["device"] == dtcore.memory(model, CLUSTER, replace(plan, tp=4, micro_batch=2)).device
    assert dtcore.memory_batch(model, None, plan, {"tp": 8}).shape == ()
    assert dtcore.memory_batch(model, None, plan, {"tp": []}).shape == (0,)


def test_words_members_and_switches(model, plan):
    want = dtcore.memory_batch(model, CLUSTER, plan, {"sharding": [2, 1], "sequence_parallel": [True, False]})
    for words in (["zero1", "ddp"], [dtcore.Sharding.ZERO1, dtcore.Sharding.DDP], ["zero1", dtcore.Sharding.DDP]):
        given_ = {"sharding": numpy.array(words, object), "sequence_parallel": numpy.array([True, False])}
        assert (dtcore.memory_batch(model, CLUSTER, plan, given_) == want).all()
    none = dtcore.memory_batch(model, CLUSTER, plan, {"sequence_parallel": numpy.array([None, True], object)})
    assert none["device"][0] == dtcore.memory(model, CLUSTER, plan).device


def test_structured_arrays_and_frames(model, plan):
    pandas = pytest.importorskip("pandas")
    rows = numpy.array([(1, 2), (8, 1)], [("tp", "i4"), ("pp", "u8")])
    want = dtcore.memory_batch(model, CLUSTER, plan, {"tp": [1, 8], "pp": [2, 1]})
    for given_ in (rows, pandas.DataFrame(rows)):
        assert (dtcore.memory_batch(model, CLUSTER, plan, given_) == want).all()


@pytest.mark.parametrize("columns,error,told", [
    ({"tpp": [1]}, TypeError, "columns: Plan has no field 'tpp'"),
    ({"tp": [1.5]}, TypeError, "tp: expected integers, got float64"),
    ({"tp": [-1]}, ValueError, r"tp: must be in \[0, 18446744073709551615\]"),
    ({"framework_version": [2**32]}, ValueError, r"framework_version: must be in \[0, 4294967295\]"),
    ({"sharding": ["zero9"]}, ValueError, "sharding: unknown word 'zero9'"),
    ({"sequence_parallel": [2]}, TypeError, "sequence_parallel: expected None, True or False, got int"),
    ({"tp": [1, 2], "pp": [1, 2, 3]}, ValueError, "shape mismatch"),
])  # fmt: skip
def test_wrong_columns_are_named(model, plan, columns, error, told):
    with pytest.raises(error, match=told):
        dtcore.memory_batch(model, CLUSTER, plan, columns)


def test_wrong_arguments_are_named(model, plan):
    for call, told in ((lambda: dtcore.step_batch(model, None, plan, {"tp": [1]}), "cluster: expected Cluster"),
                       (lambda: dtcore.memory_batch(None, None, plan, {"tp": [1]}), "model: expected Model"),
                       (lambda: dtcore.memory_batch(model, CLUSTER, model, {"tp": [1]}), "plan: expected Plan")):
        with pytest.raises(TypeError, match=told):
            call()


@st.composite
def meshes(draw) -> dtcore.Mesh:
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    return dtcore.Mesh([(f"a{i}", size) for i, size in enumerate(sizes)], draw(st.integers(0, 9)))


@given(mesh=meshes(), data=st.data())
def test_ranks_of_a_mesh(mesh, data):
    kind = "-".join(data.draw(st.lists(st.sampled_from(mesh.axes), min_size=1, unique=True)))
    ranks = numpy.arange(mesh.offset, mesh.offset + mesh.world)
    coords = mesh.coords(ranks)
    assert coords.tolist() == [list(mesh.coord(rank).values()) for rank in ranks]
    assert mesh.ranks(**dict(zip(mesh.axes, coords.T))).tolist() == ranks.tolist()
    none = {None: dtcore.NONE}
    groups = mesh.groups_of(ranks, kind)
    assert groups.tolist() == [tuple(none.get(v, v) for v in mesh.group_of(rank, kind)) for rank in ranks]
    assert mesh.members(kind).tolist() == [list(group) for group in mesh.groups(kind)]
    assert mesh.coords(ranks.reshape(1, -1)).shape == (1, mesh.world, len(mesh.axes))


def test_wrong_ranks_are_refused():
    mesh = dtcore.Mesh.of(tp=2, cp=1, dp=4)
    assert mesh.ranks(tp=[0, 1], dp=[[0], [3]]).tolist() == [[0, 1], [6, 7]]
    for call in (lambda: mesh.coords([0, 8]), lambda: mesh.groups_of([8], "dp"), lambda: mesh.ranks(tp=[2], dp=[0])):
        with pytest.raises(dtcore.DtcoreError) as caught:
            call()
        assert caught.value.code == dtcore.Status.RANGE
    for call in (lambda: mesh.ranks(tp=[0]), lambda: mesh.ranks(tp=0, dp=0, pp=0), lambda: mesh.coords([0.5])):
        with pytest.raises(TypeError):
            call()


def test_other_threads_run_meanwhile(model, plan):
    many = {"tp": numpy.full(200_000, 8)}
    worker = threading.Thread(target=dtcore.memory_batch, args=(model, CLUSTER, plan, many))
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1
    assert turns > 1000  # with the lock held there would be one or two
