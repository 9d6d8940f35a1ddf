"""Many plans or calls at once: columns in, NumPy arrays out, the loop in C."""
from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from math import prod
from typing import TYPE_CHECKING, Any

from . import _core
from ._base import Struct, dtype
from ._types import Cluster, CollectiveCall, CollectiveTime, Memory, Model, MoeCall, MoeTime, Plan, Step, StepParams

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike

    Columns = Mapping[str, ArrayLike] | numpy.ndarray

__all__ = ["collective_batch", "memory_batch", "moe_batch", "step_batch"]

_SWITCH = {None: 0, True: 1, False: 2}


def memory_batch(model: Model, cluster: Cluster | None, plan: Plan, columns: Columns) -> numpy.ndarray:
    """memory() of many plans, without the interpreter and without its lock.

    >>> made = dtcore.memory_batch(model, cluster, plan, {"tp": [1, 2, 4, 8], "micro_batch": [[1], [2]]})
    >>> made.shape, made["device"][made["status"] == 0].min()

    model: what is trained
    cluster: on what; may be None: then nothing is said about fitting
    plan: what the plans share
    columns: arrays by field of Plan, which broadcast against each other; a mapping, a structured array or a DataFrame.
        Enums are numbers, members or words, switches None, False or True; values as Plan takes them
    Returns: structured array of the columns' shape: status, the Status of the plan, and the fields of Memory, zeros
        where it is not OK; memory() of that plan then raises what is wrong
    Raises TypeError, ValueError: a column that Plan does not have, or could not hold. Exact and model: as memory().
    """
    given = packed("model", Model, model), _optional("cluster", Cluster, cluster)
    return _structs("memory", given, "plan", plan, columns, Memory)


def step_batch(model: Model, cluster: Cluster, plan: Plan, columns: Columns,
               params: StepParams | None = None) -> numpy.ndarray:
    """step() of many plans, without the interpreter and without its lock.

    model: what is trained
    cluster: on what
    plan: what the plans share
    columns: arrays by field of Plan, as memory_batch() takes them
    params: constants of time; may be None
    Returns: structured array of the columns' shape: status, the Status of the plan, and the fields of Step in seconds,
        zeros where it is not OK
    Raises TypeError, ValueError: as memory_batch(). Model: as step().
    """
    given = packed("model", Model, model), packed("cluster", Cluster, cluster), _optional("params", StepParams, params)
    return _structs("step", given, "plan", plan, columns, Step)


def collective_batch(cluster: Cluster, call: CollectiveCall, columns: Columns) -> numpy.ndarray:
    """collective() of many calls, without the interpreter and without its lock.

    >>> curve = dtcore.collective_batch(cluster, call, {"bytes": 2 ** numpy.arange(10, 31)})
    >>> curve["busbw"] / 1e9

    cluster: on what
    call: what the calls share
    columns: arrays by field of CollectiveCall, as memory_batch() takes them
    Returns: structured array of the columns' shape: status, the Status of the call, and the fields of CollectiveTime in
        seconds and bytes/s, zeros where it is not OK
    Raises TypeError, ValueError: as memory_batch(). Model: as collective().
    """
    return _structs("collective", (packed("cluster", Cluster, cluster),), "call", call, columns, CollectiveTime)


def moe_batch(cluster: Cluster, call: MoeCall, columns: Columns) -> numpy.ndarray:
    """moe() of many calls, without the interpreter and without its lock.

    cluster: on what
    call: what the calls share
    columns: arrays by field of MoeCall, as memory_batch() takes them
    Returns: structured array of the columns' shape: status, the Status of the call, and the fields of MoeTime in
        seconds and bytes, zeros where it is not OK
    Raises TypeError, ValueError: as memory_batch(). Model: as moe().
    """
    return _structs("moe", (packed("cluster", Cluster, cluster),), "call", call, columns, MoeTime)


# ---- structs ---------------------------------------------------------------------------------------------------------


def _c_name(cls: type) -> str:
    """CollectiveTime -> dtc_collective_time"""
    return "dtc" + "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__)


def packed(name: str, cls: type[Struct], value: object) -> bytes:
    """The C struct of an input."""
    if not isinstance(value, cls):
        raise TypeError(f"{name}: expected {cls.__name__}, got {type(value).__name__}")
    return value._packed


def _optional(name: str, cls: type[Struct], value: object) -> bytes | None:
    return None if value is None else packed(name, cls, value)


def _structs(call: str, given: tuple[bytes | None, ...], name: str, base: Any, columns: Columns,
             result: type) -> numpy.ndarray:
    """The rows of a batch whose varied argument and whose results are structs."""
    import numpy

    cls: type[Struct] = MoeCall if call == "moe" else CollectiveCall if call == "collective" else Plan
    row = packed(name, cls, base)
    places, shape = _columns(cls, columns)
    made = numpy.empty(shape, dtype(_c_name(result), ("status", 0, "i4")))
    _core.batch(call, given, row, places, prod(shape), made)
    return made


def _columns(cls: type, columns: Columns) -> tuple[list[tuple[int, int, Any]], tuple[int, ...]]:
    """(offset, size, bits) of each column, and the shape that they broadcast to."""
    import numpy

    rows = _core.layout(_c_name(cls))[0]
    places = {name: (offset, 4 if kind == "?" else int(kind[1])) for name, offset, kind in rows}
    names = (columns.dtype.names or ()) if isinstance(columns, numpy.ndarray) else tuple(columns)
    for name in names:
        if name not in places:
            raise TypeError(f"columns: {cls.__name__} has no field {name!r}")
    bits = [_bits(cls, name, columns[name], 8 * places[name][1]) for name in names]
    shape = numpy.broadcast_shapes(*(column.shape for column in bits))
    return [(*places[name], spread(column, shape)) for name, column in zip(names, bits)], shape


def _bits(cls: type, name: str, given: ArrayLike, width: int) -> numpy.ndarray:
    """A column as the bits of its field in uint64."""
    import numpy

    values, default = numpy.asarray(given), getattr(cls(), name)
    if isinstance(default, float):
        if values.dtype.kind not in "iuf":
            raise TypeError(f"{name}: expected floats, got {values.dtype}")
        return numpy.array(values, numpy.float64, order="C").view(numpy.uint64)
    if default is None or isinstance(default, IntEnum) and values.dtype.kind in "OU":
        values = _words(cls, name, values)
    return whole(name, values, width)


def _words(cls: type, name: str, values: numpy.ndarray) -> numpy.ndarray:
    """A column of switches, words or members as the numbers that the class makes of them."""
    import numpy

    listed = values.reshape(-1).tolist()
    known = {value: getattr(cls(**{name: value}), name) for value in set(listed)}
    numbers = [_SWITCH[known[value]] if known[value] is None or known[value] is True or known[value] is False
               else int(known[value]) for value in listed]
    return numpy.array(numbers, numpy.uint64).reshape(values.shape)


# ---- what ranks in _mesh.py need, too --------------------------------------------------------------------------------


def whole(name: str, given: ArrayLike, width: int = 64) -> numpy.ndarray:
    """Integers as uint64, refused where a field of so many bits could not hold them."""
    import numpy

    values = numpy.asarray(given)
    if values.size and values.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected integers, got {values.dtype}")
    if values.size and (values.dtype.kind == "i" and values.min() < 0 or width < 64 and int(values.max()) >> width):
        raise ValueError(f"{name}: must be in [0, {2**width - 1}]")
    return values.view(numpy.uint64) if values.dtype == numpy.int64 else values.astype(numpy.uint64, copy=False)


def spread(column: numpy.ndarray, shape: tuple[int, ...]) -> numpy.ndarray:
    """A column as the loop reads it: one number, or one for each row."""
    import numpy

    if column.size == 1:
        return column.reshape(1)
    return numpy.ascontiguousarray(numpy.broadcast_to(column, shape)).reshape(-1)
