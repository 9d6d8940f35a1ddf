"""What the generated modules stand on: the error, the base of the inputs, NumPy arrays."""
from __future__ import annotations

from dataclasses import fields
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from . import _core
from ._html import html_table, table

if TYPE_CHECKING:
    import numpy

    from ._types import Model, Plan, Rule, Severity, Status

_LANGUAGES = {"en": 0, "zh": 1}


class DtcoreError(ValueError):
    """Why a call failed, or a finding of plan_check(). str() is a line of English.

    Numbers that do not apply are None; those of a field that holds a float are floats.
    """

    # args is (the bytes of the dtc_error,), or with the word of a text that it is about: made at once, read only when
    # somebody asks.

    @property
    def _values(self) -> _core.ErrorValues:
        return _core.error_values(self.args[0])

    @property
    def code(self) -> Status:
        """What the call came to."""
        return self._values[0]

    @property
    def severity(self) -> Severity:
        """Error or warning."""
        return self._values[1]

    @property
    def rule(self) -> Rule:
        """The rule that was broken."""
        return self._values[2]

    @property
    def field(self) -> str | None:
        """Name of the field whose value is wrong."""
        return self._values[3]

    @property
    def other(self) -> str | None:
        """Name of the field it was held against."""
        return self._values[4]

    @property
    def got(self) -> int | float | None:
        """The value found."""
        return self._values[5]

    @property
    def other_got(self) -> int | float | None:
        """The value it was held against."""
        return self._values[6]

    @property
    def min(self) -> int | float | None:
        """Smallest legal value."""
        return self._values[7]

    @property
    def max(self) -> int | float | None:
        """Largest legal value."""
        return self._values[8]

    @property
    def lower(self) -> int | float | None:
        """Nearest legal value below; for an unknown name the index of the nearest known one."""
        return self._values[9]

    @property
    def upper(self) -> int | float | None:
        """Nearest legal value above."""
        return self._values[10]

    @property
    def offset(self) -> int | None:
        """Byte offset in the text that was read."""
        return self._values[11]

    def text(self, lang: str = "en") -> str:
        """One line with the value, the rule and the nearest legal values, in "en" or "zh"."""
        word = self.args[1] if len(self.args) > 1 else None
        return _core.error_format(self.args[0], _LANGUAGES[lang], word)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text()!r})"

    def _repr_html_(self) -> str:
        """A table for notebooks: what was found, and what would be legal."""
        told = ((name, getattr(self, name)) for name in ("field", "got", "other", "other_got", "min", "max", "lower",
                                                         "upper", "offset"))
        rows = [("rule", self.rule.name.lower()), *((name, str(value)) for name, value in told if value is not None)]
        return html_table(self.text(), ("", "value"), rows)


class Struct:
    """What the inputs share: the packed C struct beside the fields. It is no field: not compared, shown or pickled."""

    __slots__ = ("_packed",)
    _packed: bytes

    def __repr__(self) -> str:
        """The fields that say something: without those left at their default."""
        told = ((f, getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        shown = (f"{f.name}={type(v).__name__}.{v.name}" if isinstance(v, IntEnum) else f"{f.name}={v!r}"
                 for f, v in told if v != f.default)
        return f"{type(self).__name__}({', '.join(shown)})"

    def _repr_html_(self) -> str:
        return table(self)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return partial(type(self), **values), ()


_dtypes: dict[tuple[Any, ...], numpy.dtype[Any]] = {}


def dtype(struct: str, *first: tuple[str, int, str]) -> numpy.dtype[Any]:
    """A C struct as NumPy has it: (name, offset, format) of what comes first, then the visible fields."""
    import numpy

    key = (struct, *first)
    if key not in _dtypes:
        rows, size = _core.layout(struct)
        names, offsets, formats = zip(*first, *rows)
        _dtypes[key] = numpy.dtype({"names": names, "offsets": offsets, "formats": formats, "itemsize": size})
    return _dtypes[key]


def array(data: bytearray, struct: str) -> numpy.ndarray:
    """The bytes of an array of C structs as a structured array of its visible fields."""
    import numpy

    return numpy.frombuffer(data, dtype(struct))


def numbers(data: bytearray) -> numpy.ndarray:
    """The bytes of an array of uint32_t."""
    import numpy

    return numpy.frombuffer(data, numpy.uint32)


def field_id(struct: str, field: str) -> int:
    """Id of a field, as field_name() and value_name() take it: field_id("plan", "tp"). KeyError when there is none."""
    return _core.field_id(struct, field)


def plan_parse(text: str | bytes) -> tuple[Plan, Model | None]:
    """Reads the one-line text form: `dtcore: model=llama-3-70b megatron@0.19 tp=8 pp=4 dp=16 sp mbs=1 seq=4096`.

    Reading starts behind the first "dtcore:" and ends at ';', a line end or the end. Words not given stay default.

    text: what is read; bytes are UTF-8
    Returns: the plan, not resolved, and the catalogue's model when the text names one
    Raises DtcoreError: UNKNOWN (word or name), PARSE (value), CONFLICT (a word twice), RANGE. Exact. Since 1.0.
    """
    model, plan = _core.plan_parse(text)
    return plan, model if model.layers else None


def model_names() -> list[str]:
    """Names of the models in the catalogue."""
    return [_core.model_name(i) for i in range(_core.model_count())]


def gpu_names() -> list[str]:
    """Names of the GPUs in the catalogue."""
    return [_core.gpu_name(i) for i in range(_core.gpu_count())]


def cluster_names() -> list[str]:
    """Names of the clusters in the catalogue."""
    return [_core.cluster_name(i) for i in range(_core.cluster_count())]


def nccl_names() -> list[str]:
    """Names of the systems whose NCCL search results are known."""
    return [_core.nccl_name(i) for i in range(_core.nccl_count())]


def framework_names() -> list[str]:
    """Names of the frameworks that traits are known of."""
    return [_core.traits_name(i) for i in range(_core.traits_count())]


def software_names() -> list[str]:
    """Names of the softwares whose constants are known: StepParams.software is one more than their index."""
    return [_core.software_name(i) for i in range(_core.software_count())]
