"""Layouts of tensors: NumPy arrays out and in, scratch that nobody sees, and Sharded."""
import copy
import dataclasses
import pickle

import dtcore
import numpy
import pytest
from dtcore import Shape, Sharded, Shards, Slot

SHAPES = [Shape(rows=10, cols=4), Shape(rows=7, cols=1), Shape(rows=3, cols=5), Shape(cols=1)]
FSDP2 = Shards(scheme="fsdp2", world=4)


# ---- the functions ---------------------------------------------------------------------------------------------------


def test_slots_are_a_structured_array():
    slots = dtcore.shards_layout(FSDP2, SHAPES)
    assert isinstance(slots, numpy.ndarray) and slots.dtype.names == tuple(f.name for f in dataclasses.fields(Slot))
    assert slots["start"].tolist() == [0, 48, 56, 76] and (slots["owner"] == dtcore.EVENLY).all()
    fragments = dtcore.shards_fragments(FSDP2, SHAPES, slots, 3)
    assert fragments.dtype.names == dtcore.Fragment._fields
    assert fragments[["tensor", "tensor_offset", "length"]].tolist() == [(0, 36, 4), (1, 6, 1)]
    assert dtcore.shards_owner(FSDP2, SHAPES, slots, 0, 39) == (3, 3)


@pytest.mark.parametrize("scheme", ["zero12", "zero3", "fsdp1", "fsdp2", "low_level_zero"])
def test_arrays_go_in_as_they_came(model, scheme):
    shards = Shards(scheme=scheme, world=64)
    shapes = dtcore.shards_shapes(model)
    objects = [Shape(**dict(zip(shapes.dtype.names, row))) for row in shapes.tolist()]
    slots = dtcore.shards_layout(shards, shapes)
    for given in (objects, iter(objects), tuple(objects), shapes[::-1][::-1], memoryview(shapes)):
        assert (dtcore.shards_layout(shards, given) == slots).all()
    backwards = dtcore.shards_layout(shards, shapes[::-1])
    assert (backwards == dtcore.shards_layout(shards, objects[::-1])).all()
    some = shapes[::3], dtcore.shards_layout(shards, shapes[::3])
    assert dtcore.shards_totals(shards, *some) == dtcore.shards_totals(shards, objects[::3], map(as_slot, some[1]))


def as_slot(row: numpy.void) -> Slot:
    return Slot(**dict(zip(row.dtype.names, row.tolist())))


def test_arrays_that_are_no_records_are_refused():
    shapes = dtcore.shards_shapes(dtcore.model_find("gpt2"))
    slots = dtcore.shards_layout(FSDP2, shapes)
    fragments = dtcore.shards_fragments(FSDP2, shapes, slots, 0)
    assert fragments.itemsize == shapes.itemsize  # told apart by the names of their fields
    renamed = shapes.view(numpy.dtype({**layout(shapes.dtype), "names": ["rows", "cols", "dims", "dtype", "shared", "other"]}))
    moved = shapes.view(numpy.dtype({**layout(shapes.dtype), "offsets": [8, 0, 16, 20, 24, 28]}))
    signed = shapes.view(numpy.dtype({**layout(shapes.dtype), "formats": ["i8", "u8", "u4", "u4", "u4", "u4"]}))
    for wrong in (slots, fragments, renamed, moved, signed, shapes.astype(shapes.dtype.newbyteorder()),
                  shapes["rows"], numpy.zeros((2, 2), shapes.dtype), b"0" * 32):
        with pytest.raises(TypeError, match="^shapes: expected Shape, got "):
            dtcore.shards_layout(FSDP2, wrong)
    with pytest.raises(TypeError, match="^slots: expected Slot, got void$"):
        dtcore.shards_totals(FSDP2, shapes, shapes)


def layout(dtype: numpy.dtype) -> dict:
    fields = [dtype.fields[name] for name in dtype.names]
    return {"names": dtype.names, "formats": [f[0] for f in fields], "offsets": [f[1] for f in fields],
            "itemsize": dtype.itemsize}


def test_no_tensors():
    for none in ([], dtcore.shards_shapes(dtcore.model_find("gpt2"))[:0]):
        slots = dtcore.shards_layout(FSDP2, none)
        assert len(slots) == 0 and dtcore.shards_totals(FSDP2, none, slots).padded == 0


def test_tasks_are_a_structured_array():
    tasks = dtcore.tasks_slurm(dtcore.Slurm(ntasks=6), [4, 4], [1], [])
    assert isinstance(tasks, numpy.ndarray) and tasks.dtype.names == dtcore.Task._fields and len(tasks) == 6


# ---- Sharded ---------------------------------------------------------------------------------------------------------


def test_a_model_by_fsdp2(model):
    sharded = Sharded(model, scheme="fsdp2", world=512)
    assert sharded.totals.numel == dtcore.params(model).total and sharded.totals.per_rank == 134728208
    assert sharded.shards == dtcore.shards_resolve(Shards(scheme="fsdp2", world=512)) and len(sharded) == 723
    assert sharded.names[0] == "model.embed_tokens.weight" and len(set(sharded.names)) == 723
    assert sharded.owner("model.norm.weight", 17) == sharded.owner(sharded.index("model.norm.weight"), 17) == (1, 1)
    assert (sharded.slots == dtcore.shards_layout(sharded.shards, sharded.shapes)).all()
    with pytest.raises(KeyError):
        sharded.owner("model.norm", 0)
    with pytest.raises(dtcore.DtcoreError) as caught:
        sharded.fragments(512)
    assert (caught.value.field, caught.value.max) == ("rank", 511)


@pytest.mark.parametrize("scheme", ["zero12", "zero3", "fsdp1", "fsdp2", "low_level_zero"])
@pytest.mark.parametrize("world", [1, 3, 64])
def test_every_element_lies_on_one_rank(scheme, world):
    sharded = Sharded(SHAPES, scheme=scheme, world=world)
    held = [[] for _ in SHAPES]
    sums = []
    for rank in range(world):
        fragments = sharded.fragments(rank)
        sums.append(int(fragments["length"].sum()))
        for tensor, _, first, place, length in fragments.tolist():
            held[tensor] += range(first, first + length)
            for at in {0, length - 1} if length else ():
                assert sharded.owner(tensor, first + at) == (rank, place + at)
    assert [sorted(elements) for elements in held] == [list(range(s.rows * s.cols)) for s in SHAPES]
    totals = sharded.totals
    assert (max(sums), min(sums), sums.count(0)) == (totals.most, totals.least, totals.empty)
    assert (sums[totals.heaviest], sums[totals.lightest]) == (totals.most, totals.least)


def test_of_a_plan(model):
    plan = dtcore.Plan(framework="deepspeed", dp=8, sharding="zero3")
    sharded = Sharded.of_plan(model, plan=plan)
    assert sharded == Sharded(model, dtcore.shards_from_plan(model, plan=plan))
    assert sharded == Sharded(model, scheme="zero3", world=8) != Sharded(model, scheme="zero3", world=4)
    assert Sharded(model, sharded.shards, world=16).shards.world == 16


def test_shapes_without_a_model():
    sharded = Sharded(iter(SHAPES), FSDP2)
    assert sharded.names == () and sharded.model is None and sharded.owner(0, 39) == (3, 3)
    assert sharded.shapes["rows"].tolist() == [10, 7, 3, 0]
    with pytest.raises(KeyError):
        sharded.owner("weight", 0)
    with pytest.raises(TypeError, match="^shapes: expected Shape, got int$"):
        Sharded([5], FSDP2)
    with pytest.raises(TypeError, match="sceme"):
        Sharded(SHAPES, sceme="fsdp2")
    with pytest.raises(dtcore.DtcoreError):
        Sharded(SHAPES, scheme="fsdp2", round_robin=True)


def test_frozen_and_copied(model):
    mine = dtcore.shards_shapes(model)
    for sharded in (Sharded(model, FSDP2), Sharded(mine, FSDP2), Sharded(SHAPES, FSDP2)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            sharded.shards = FSDP2
        for given in (sharded.shapes, sharded.slots):
            with pytest.raises(ValueError, match="read-only"):
                given[0] = given[1]
        for twin in (pickle.loads(pickle.dumps(sharded)), copy.copy(sharded), copy.deepcopy(sharded)):
            assert twin == sharded and hash(twin) == hash(sharded) and (twin.slots == sharded.slots).all()
        assert sharded != Sharded(sharded.shapes, FSDP2, world=8) and not hasattr(sharded, "__dict__")
    mine["rows"] = 1  # the caller's own stays the caller's
    assert repr(Sharded(SHAPES, FSDP2)).startswith("Sharded(<4 shapes>, Shards(scheme=ShardScheme.FSDP2, ")
