"""A mesh of ranks as an object, over the functions mesh_*()."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any

from . import _core
from ._base import dtype
from ._batch import spread, whole
from ._functions import (
    layout_mesh, mesh_coord, mesh_group_of, mesh_member, mesh_placement, mesh_rank, mesh_table, mesh_world,
)
from ._html import html_table
from ._types import Axis, AxisName, Group, GroupKind, Layout, MeshPart, Placement

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike

    from ._types import MeshPartWord

    GivenAxis = Axis | tuple[AxisName | str, int] | tuple[AxisName | str, int, int]

__all__ = ["Mesh"]

_NAMES = {name.name.lower(): name for name in AxisName if name != AxisName.NONE}


def _named(axis: GivenAxis, place: int) -> tuple[str, Axis]:
    """Name and axis of what a caller gives for one; an Axis without a name is called axis0 by its place, say."""
    if isinstance(axis, Axis):
        name: AxisName | str = axis.name
    else:
        name, size, stride = axis if len(axis) == 3 else (*axis, 0)
        name = name if isinstance(name, str) else AxisName(name)
        own = _NAMES.get(name, AxisName.NONE) if isinstance(name, str) else name
        axis = Axis(name=own, size=size, stride=stride)
    if isinstance(name, str):
        return name, axis
    return name.name.lower() if name in _NAMES.values() else f"axis{place}", axis


@dataclass(init=False, repr=False, frozen=True, slots=True)
class Mesh:
    """Ranks as an array of axes, the fastest first: rank = offset + sum of coordinate * stride.

    >>> mesh = dtcore.Mesh.of(tp=2, cp=1, dp=2, pp=2)
    >>> mesh.group(0, "dp")
    (0, 2)

    Groups are named by the axes that vary in them, "tp" or "tp-cp" in any order, or by a GroupKind, whose bits are the
    places of the axes. The order of the axes decides how groups and the ranks of a group are counted.

    axes: names of the axes
    shape: ranks along each
    offset: first rank
    world: ranks
    """

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    offset: int
    world: int
    _axes: tuple[Axis, ...]  # with all strides

    def __init__(self, axes: Iterable[GivenAxis], offset: int = 0) -> None:
        """A mesh of Axis objects, of ("tp", 8) or of ("tp", 8, stride). The stride is the product of the sizes before
        it unless it is given; a name of one's own is an identifier.

        Raises DtcoreError: as mesh_world(), RANGE (offset); ValueError: a name twice, or no identifier.
        """
        named = [_named(axis, place) for place, axis in enumerate(axes)]
        names = tuple(name for name, _ in named)
        for name in names:
            if not name.isidentifier() or names.count(name) > 1:
                raise ValueError(f"axes: {name!r} " + ("stands twice" if name.isidentifier() else "is no identifier"))
        world = mesh_world(axis for _, axis in named)  # refuses sizes whose product is no stride
        full, stride = [], 1
        for _, axis in named:
            full.append(Axis(name=axis.name, size=axis.size, stride=axis.stride or stride))
            stride *= axis.size
        mesh_coord(full, offset, offset)  # refuses a wrong offset
        values = {"axes": names, "shape": tuple(axis.size for axis in full), "offset": index(offset), "world": world,
                  "_axes": tuple(full)}
        for field, value in values.items():
            object.__setattr__(self, field, value)

    @classmethod
    def of(cls, **sizes: int) -> Mesh:
        """The mesh of axes given by name, fastest first: Mesh.of(tp=8, cp=2, dp=4, pp=4).

        Raises DtcoreError: as mesh_world().
        """
        return cls(sizes.items())

    @classmethod
    def of_layout(cls, layout: Layout, part: MeshPart | MeshPartWord = MeshPart.DENSE) -> Mesh:
        """The mesh of a layout, as the framework orders its ranks.

        part: dense or experts
        Raises DtcoreError: as layout_mesh(). Exact.
        """
        return cls(layout_mesh(layout, part), layout.offset)

    def coord(self, rank: int) -> dict[str, int]:
        """Coordinates of a rank by the names of the axes.

        rank: [offset, offset + world)
        Raises DtcoreError: RANGE (rank). Exact.
        """
        return dict(zip(self.axes, mesh_coord(self._axes, self.offset, rank)))

    def rank(self, **coord: int) -> int:
        """The rank with given coordinates; those of axes of one rank may be left out.

        coord: one coordinate for each axis [0, size)
        Raises DtcoreError: RANGE (coord); TypeError: an axis that is missing, or that the mesh does not have. Exact.
        """
        self._refuse(coord.keys())
        return mesh_rank(self._axes, self.offset, [coord.get(name, 0) for name in self.axes])

    def group_of(self, rank: int, kind: str | GroupKind) -> Group:
        """Where a rank stands in the groups of a kind: which group, and its index there, as a process group has it when
        strides ascend.

        Raises DtcoreError: as mesh_group_of(); ValueError: an axis that the mesh does not have. Exact.
        """
        return mesh_group_of(self._axes, self.offset, self._kind(kind), rank)

    def group(self, rank: int, kind: str | GroupKind) -> tuple[int, ...]:
        """The ranks that a rank is in a group with, itself among them; none when it is in no group of that kind.

        Raises DtcoreError: as mesh_group_of(); ValueError: an axis that the mesh does not have. Exact.
        """
        kind = self._kind(kind)
        found = mesh_group_of(self._axes, self.offset, kind, rank)
        if found.index is None:
            return ()
        return tuple(mesh_member(self._axes, self.offset, kind, found.index, i) for i in range(found.size))

    def groups(self, kind: str | GroupKind) -> Iterator[tuple[int, ...]]:
        """All groups of a kind, in the order in which they are counted.

        Raises DtcoreError: as mesh_group_of(); ValueError: an axis that the mesh does not have. Exact.
        """
        kind = self._kind(kind)
        count = mesh_group_of(self._axes, self.offset, kind, self.offset).count
        return (self.group(mesh_member(self._axes, self.offset, kind, i, 0), kind) for i in range(count))

    def table(self, first: int = 0, ranks: int | None = None) -> numpy.ndarray:
        """Coordinates of many ranks: one row a rank, one column an axis.

        first: index of the first rank in the mesh, without the offset [0, world)
        ranks: rows [0, world - first]; None for all that follow
        Returns: uint32 of the shape (ranks, axes)
        Raises DtcoreError: RANGE (first, ranks). Exact.
        """
        rows = max(self.world - first, 0) if ranks is None else ranks
        return mesh_table(self._axes, first, rows).reshape(-1, len(self.axes))

    def coords(self, ranks: ArrayLike) -> numpy.ndarray:
        """Coordinates of many ranks, as coord() says them.

        ranks: integers of any shape [offset, offset + world)
        Returns: uint64 of the shape of ranks and one more dimension, of the axes
        Raises DtcoreError: RANGE (rank) of the first that is none; TypeError: no integers. Exact.
        """
        return self._numbers("mesh_coord", (), [whole("ranks", ranks)], (len(self.axes),))

    def ranks(self, **coord: ArrayLike) -> numpy.ndarray:
        """The ranks with given coordinates, as rank() says them; arrays broadcast against each other.

        coord: one array of coordinates for each axis [0, size); those of axes of one rank may be left out
        Returns: uint64 of the shape to which the arrays broadcast
        Raises DtcoreError: RANGE (coord) of the first that is none; TypeError: as rank(). Exact.
        """
        self._refuse(coord.keys())
        return self._numbers("mesh_rank", (), [whole(name, coord.get(name, 0)) for name in self.axes])

    def groups_of(self, ranks: ArrayLike, kind: str | GroupKind) -> numpy.ndarray:
        """Where many ranks stand in the groups of a kind, as group_of() says it.

        ranks: integers of any shape [offset, offset + world)
        Returns: structured array of the shape of ranks, with Group's fields; None is NONE
        Raises DtcoreError: as mesh_group_of() of the first; ValueError: an axis that the mesh does not have. Exact.
        """
        import numpy

        given = whole("ranks", ranks)
        made = numpy.empty(given.shape, dtype("dtc_group"))
        self._call("mesh_group_of", (self._kind(kind)._packed,), [given], given.shape, made)
        return made

    def members(self, kind: str | GroupKind) -> numpy.ndarray:
        """The ranks of all groups of a kind: what groups() goes through, as an array.

        Returns: uint64 of the shape (groups, ranks of one)
        Raises DtcoreError: as mesh_group_of(); ValueError: an axis that the mesh does not have. Exact.
        """
        import numpy

        kind = self._kind(kind)
        found = mesh_group_of(self._axes, self.offset, kind, self.offset)
        places = [numpy.arange(found.count).reshape(-1, 1), numpy.arange(found.size)]
        return self._numbers("mesh_member", (kind._packed,), [whole("group", place) for place in places])

    def _numbers(self, call: str, given: tuple[bytes, ...], columns: list[numpy.ndarray],
                 each: tuple[int, ...] = ()) -> numpy.ndarray:
        import numpy

        shape = numpy.broadcast_shapes(*(column.shape for column in columns))
        made = numpy.empty((*shape, *each), numpy.uint64)
        self._call(call, given, columns, shape, made)
        return made

    def _call(self, call: str, given: tuple[bytes, ...], columns: list[numpy.ndarray], shape: tuple[int, ...],
              made: numpy.ndarray) -> None:
        """A function of the mesh for each row of the columns."""
        axes = b"".join(axis._packed for axis in self._axes)
        places: list[tuple[int, int, Any]] = [(8 * i, 8, spread(column, shape)) for i, column in enumerate(columns)]
        _core.batch(call, (axes, self.offset.to_bytes(8, sys.byteorder), *given), b"", places, prod(shape), made)

    def _refuse(self, names: Set[str]) -> None:
        """Coordinates are given of all axes but those of one rank, and of no other."""
        wrong = names - set(self.axes)
        wrong |= {name for name, size in zip(self.axes, self.shape) if size > 1 and name not in names}
        if wrong:
            raise TypeError(f"rank() takes a coordinate for each of {', '.join(self.axes)}: see {min(wrong)}")

    def placement(self, kind: str | GroupKind, domain: int) -> Placement:
        """How the groups of a kind lie on domains of consecutive ranks.

        domain: ranks of a domain: GPUs of a node, or joined by NVLink [1, 4096]
        Raises DtcoreError: as mesh_placement(); ValueError: an axis that the mesh does not have. Exact.
        """
        return mesh_placement(self._axes, self.offset, self._kind(kind), domain)

    def _kind(self, kind: str | GroupKind) -> GroupKind:
        if isinstance(kind, GroupKind):
            return kind
        bits = 0
        for name in kind.split("-"):
            if name not in self.axes:
                raise ValueError(f"kind: unknown axis {name!r}; axes: {', '.join(self.axes)}")
            bits |= 1 << self.axes.index(name)
        return GroupKind(axes=bits)

    def _repr_html_(self) -> str:
        """A table for notebooks: the axes, the fastest first."""
        rows = ((name, str(axis.size), str(axis.stride)) for name, axis in zip(self.axes, self._axes))
        return html_table(f"{self.world} ranks from {self.offset}", ("axis", "ranks", "stride"), rows)

    def __repr__(self) -> str:
        """What __init__ takes, strides only where they say something."""
        shown, stride = [], 1
        for name, axis in zip(self.axes, self._axes):
            given = (name, axis.size) if axis.stride == stride else (name, axis.size, axis.stride)
            shown.append(given)
            stride *= axis.size
        return f"Mesh({shown}" + (f", offset={self.offset})" if self.offset else ")")
