"""Mesh: the groups that Megatron-Core makes, and what holds for every mesh."""
import copy
import dataclasses
import math
import pickle
from collections import Counter

import dtcore
import numpy
import pytest
from dtcore import Axis, AxisName, DtcoreError, GroupKind, Layout, Spread, Mesh
from hypothesis import given
from hypothesis import strategies as st

# tp 2, cp 1, dp 2, pp 2: the order of Megatron-Core, tp-cp-dp-pp.
EIGHT = Mesh.of(tp=2, cp=1, dp=2, pp=2)
SIXTEEN = Mesh.of(tp=2, cp=2, dp=2, pp=2)


# ---- groups that are known ---------------------------------------------------------------------------------------


def test_attributes():
    assert (EIGHT.axes, EIGHT.shape) == (("tp", "cp", "dp", "pp"), (2, 1, 2, 2))
    assert (EIGHT.world, EIGHT.offset) == (8, 0)


@pytest.mark.parametrize(
    ("kind", "groups"),
    [
        ("tp", [(0, 1), (2, 3), (4, 5), (6, 7)]),
        ("cp", [(0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,)]),
        ("dp", [(0, 2), (1, 3), (4, 6), (5, 7)]),
        ("pp", [(0, 4), (1, 5), (2, 6), (3, 7)]),
        ("tp-pp", [(0, 1, 4, 5), (2, 3, 6, 7)]),
        ("pp-tp", [(0, 1, 4, 5), (2, 3, 6, 7)]),
        ("tp-dp-cp", [(0, 1, 2, 3), (4, 5, 6, 7)]),
        (GroupKind(axes=2**32 - 1), [tuple(range(8))]),
        (GroupKind(), [(0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,)]),
    ],
)
def test_groups_of_megatron_on_8_ranks(kind, groups):
    assert list(EIGHT.groups(kind)) == groups
    for group in groups:
        assert [EIGHT.group(rank, kind) for rank in group] == [group] * len(group)


def test_groups_of_megatron_on_16_ranks():
    assert SIXTEEN.group(0, "tp") == (0, 1) and SIXTEEN.group(0, "dp") == (0, 4) and SIXTEEN.group(0, "pp") == (0, 8)
    assert list(SIXTEEN.groups("cp"))[:3] == [(0, 2), (1, 3), (4, 6)]
    assert list(SIXTEEN.groups("dp-cp"))[:2] == [(0, 2, 4, 6), (1, 3, 5, 7)]
    assert list(SIXTEEN.groups("tp-cp"))[1] == (4, 5, 6, 7)


def test_place_in_a_group():
    assert EIGHT.group_of(6, "dp") == dtcore.Group(count=4, size=2, index=2, place=1, first=4)


def test_coordinates():
    assert EIGHT.coord(5) == {"tp": 1, "cp": 0, "dp": 0, "pp": 1}
    assert EIGHT.rank(tp=1, cp=0, dp=0, pp=1) == EIGHT.rank(pp=1, dp=0, tp=1) == 5
    assert [EIGHT.rank(**EIGHT.coord(rank)) for rank in range(8)] == list(range(8))


def test_table():
    table = EIGHT.table()
    assert table.shape == (8, 4) and table.dtype == numpy.uint32
    assert [dict(zip(EIGHT.axes, row)) for row in table.tolist()] == [EIGHT.coord(rank) for rank in range(8)]
    assert (EIGHT.table(6) == table[6:]).all() and (EIGHT.table(2, 3) == table[2:5]).all()
    assert EIGHT.table(2, 0).shape == (0, 4)
    assert Mesh.of(tp=8, dp=1000).table().tolist()[7999] == [7, 999]


def test_placement():
    inside = EIGHT.placement("tp", domain=4)
    assert (inside.spread, inside.groups, inside.inside, inside.rail) == (Spread.INSIDE, 4, 4, False)
    spans = EIGHT.placement("pp", domain=4)
    assert (spans.spread, spans.inside, spans.domains, spans.members, spans.rail) == (Spread.SPANS, 0, 2, 1, True)
    assert spans.segment == 2
    assert Mesh.of(tp=3, dp=4).placement("tp", domain=4).spread is Spread.STRADDLES


def test_of_a_layout():
    layout = Layout(tp=2, dp=2, pp=2, offset=8)
    mesh = Mesh.of_layout(layout)
    assert mesh.world == 8 and mesh.offset == 8
    assert mesh.group(8, "tp") == (8, 9) and mesh.group(8, "dp") == (8, 10) and mesh.group(8, "pp") == (8, 12)
    assert Mesh.of_layout(layout, "dense") == mesh == Mesh.of_layout(layout, dtcore.MeshPart.DENSE)
    groups = dtcore.layout_groups(layout, 9)
    dense = [(kind, group) for kind, group in zip(dtcore.layout_kinds(layout), groups) if not kind.part]
    assert dense and all(mesh.group_of(9, kind) == group for kind, group in dense)


# ---- meshes of one's own -----------------------------------------------------------------------------------------


def test_ways_to_give_axes():
    mesh = Mesh([("tp", 2), ("dp", 4)])
    assert mesh == Mesh.of(tp=2, dp=4) == Mesh((("tp", 2, 1), ("dp", 4, 2)))
    assert mesh == Mesh([(AxisName.TP, 2), (AxisName.DP, 4)])
    assert mesh == Mesh(iter([Axis(name="tp", size=2), Axis(name="dp", size=4, stride=2)]), numpy.int64(0))
    assert mesh != Mesh([("tp", 2), ("dp", 4)], offset=8) and mesh != Mesh.of(dp=4, tp=2)
    assert len({mesh, Mesh.of(tp=2, dp=4), Mesh.of(dp=4, tp=2)}) == 2


def test_names_of_ones_own():
    mesh = Mesh([("row", 2), ("column", 3)])
    assert mesh.coord(5) == {"row": 1, "column": 2} and mesh.group(0, "column") == (0, 2, 4)
    assert Mesh([Axis(size=2), ("tp", 2), Axis(size=2, name=99)]).axes == ("axis0", "tp", "axis2")
    with pytest.raises(ValueError, match="^axes: 'tp' stands twice$"):
        Mesh([("tp", 2), ("tp", 4)])
    with pytest.raises(ValueError, match="^axes: 'tp-cp' is no identifier$"):
        Mesh([("tp-cp", 2)])


def test_offset_and_strides():
    mesh = Mesh([("dp", 4, 2), ("tp", 2, 1)], offset=100)
    assert mesh.coord(105) == {"dp": 2, "tp": 1} and mesh.rank(dp=2, tp=1) == 105
    assert mesh.group(100, "tp") == (100, 101) and mesh.group(101, "dp") == (101, 103, 105, 107)
    assert list(mesh.groups("tp"))[-1] == (106, 107)
    assert mesh.table().tolist()[5] == [2, 1]


def test_refusals():
    for wrong in ([], [("tp", 0)], [("tp", 2, 2)], [("tp", 2**32), ("dp", 2)], [("a", 2, 1), ("b", 2, 1)],
                  [(f"a{i}", 1) for i in range(17)]):
        with pytest.raises(DtcoreError):
            Mesh(wrong)
    with pytest.raises(DtcoreError) as caught:
        Mesh.of(tp=2).coord(2)
    assert caught.value.field == "rank" and caught.value.max == 1
    with pytest.raises(DtcoreError):
        Mesh([("tp", 2)], offset=2**33)
    with pytest.raises(ValueError, match="^offset: must be in"):
        Mesh([("tp", 2)], offset=-1)
    with pytest.raises(TypeError, match="^size: expected int, got str$"):
        Mesh([("tp", "2")])
    with pytest.raises(TypeError, match="rank.. takes a coordinate for each of tp, cp, dp, pp: see dp$"):
        EIGHT.rank(tp=0, pp=0)
    with pytest.raises(TypeError, match="see ep$"):
        EIGHT.rank(tp=0, dp=0, pp=0, ep=0)
    for kind in ("ep", "", "tp-", "tp,cp"):
        with pytest.raises(ValueError, match="^kind: unknown axis .*; axes: tp, cp, dp, pp$"):
            EIGHT.group(0, kind)
    with pytest.raises(ValueError):
        EIGHT.groups("ep")  # at once, not at the first group
    with pytest.raises(DtcoreError):
        EIGHT.table(8, 1)
    with pytest.raises(DtcoreError):
        EIGHT.table(9)
    with pytest.raises(DtcoreError):
        EIGHT.placement("tp", 0)


def test_frozen_and_copied():
    mesh = Mesh([("dp", 4, 2), ("mine", 2, 1)], offset=100)
    with pytest.raises(dataclasses.FrozenInstanceError):
        mesh.offset = 0
    assert not hasattr(mesh, "__dict__")
    for twin in (pickle.loads(pickle.dumps(mesh)), copy.copy(mesh), copy.deepcopy(mesh), eval(repr(mesh))):
        assert twin == mesh and hash(twin) == hash(mesh) and twin.group(101, "dp") == mesh.group(101, "dp")
    assert repr(mesh) == "Mesh([('dp', 4, 2), ('mine', 2, 1)], offset=100)"
    assert repr(EIGHT) == "Mesh([('tp', 2), ('cp', 1), ('dp', 2), ('pp', 2)])"


# ---- what holds for every mesh -----------------------------------------------------------------------------------


@st.composite
def meshes(draw) -> Mesh:
    """Axes of a few ranks, their strides in any order."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    order, strides, stride = draw(st.permutations(range(len(sizes)))), {}, 1
    for axis in order:
        strides[axis] = stride
        stride *= sizes[axis]
    return Mesh([(f"a{i}", size, strides[i]) for i, size in enumerate(sizes)], draw(st.integers(0, 100)))


@given(mesh=meshes())
def test_rank_and_coordinates_are_inverse(mesh):
    assert mesh.world == math.prod(mesh.shape)
    ranks = range(mesh.offset, mesh.offset + mesh.world)
    assert [mesh.rank(**mesh.coord(rank)) for rank in ranks] == list(ranks)
    assert mesh.table().tolist() == [list(mesh.coord(rank).values()) for rank in ranks]


@given(mesh=meshes(), data=st.data())
def test_every_rank_is_in_one_group_of_a_kind(mesh, data):
    kind = GroupKind(axes=data.draw(st.integers(0, 2 ** len(mesh.axes) - 1) | st.just(2**32 - 1)))
    groups = list(mesh.groups(kind))
    assert sorted(rank for group in groups for rank in group) == list(range(mesh.offset, mesh.offset + mesh.world))
    for index, group in enumerate(groups):
        for place, rank in enumerate(group):
            found = mesh.group_of(rank, kind)
            assert found == (len(groups), len(group), index, place, min(group))
            assert mesh.group(rank, kind) == group


@given(mesh=meshes(), data=st.data())
def test_ranks_of_a_group_differ_in_its_axes_alone(mesh, data):
    names = data.draw(st.lists(st.sampled_from(mesh.axes), min_size=1, unique=True))
    for group in mesh.groups("-".join(names)):
        fixed = {tuple((name, at) for name, at in mesh.coord(rank).items() if name not in names) for rank in group}
        assert len(fixed) == 1


@given(mesh=meshes(), domain=st.integers(1, 8), data=st.data())
def test_placement_counts_domains(mesh, domain, data):
    names = data.draw(st.lists(st.sampled_from(mesh.axes), min_size=1, unique=True))
    groups, placement = list(mesh.groups("-".join(names))), mesh.placement("-".join(names), domain)
    touched = [Counter(rank // domain for rank in group) for group in groups]
    assert placement.groups == len(groups)
    assert placement.inside == sum(len(domains) == 1 for domains in touched)
    assert placement.rail is all(rank % domain == group[0] % domain for group in groups for rank in group)
    assert (placement.spread is Spread.INSIDE) == (placement.inside == len(groups))
    counts, members = {len(domains) for domains in touched}, {n for domains in touched for n in domains.values()}
    if placement.spread is not Spread.STRADDLES:
        assert counts == {placement.domains} and members == {placement.members}
    elif mesh.offset == 0:
        assert len(counts) > 1 or len(members) > 1
