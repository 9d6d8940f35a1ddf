"""Truth files and their cells."""
from __future__ import annotations

import csv
import gzip
import io
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MIB = 1 << 20
GIB = 1 << 30

Row = dict[str, str]

_OPENERS = {".csv": open, ".gz": gzip.open, ".xz": lzma.open}


class Skip(Exception):
    """The row cannot be expressed; str() is the reason."""


class Ranged(float):
    """An estimate with the range that the library gives."""

    low: float
    high: float

    def __new__(cls, value: float, low: float, high: float) -> Ranged:
        made = super().__new__(cls, value)
        made.low, made.high = float(low), float(high)
        return made


class Timed(Ranged):
    """A speed with its range, and what the tables of speed need to know of the run."""

    framework: str
    gpu: str
    precision: str
    group: tuple  # runs of which a planner would choose one; empty: none
    mfu: float  # predicted, percent of the peak of the products' type, attention counted as the causal half; 0: none
    inverse: bool  # the metric falls as time grows
    run: object  # what the library was asked for, step.Run
    step: object  # what it answered, dtcore.Step

    def __new__(cls, value: float, low: float, high: float, **more) -> Timed:
        made = super().__new__(cls, value, low, high)
        vars(made).update(more)
        return made


def ranged(memory, field: str) -> Ranged:
    """A field of dtcore.Memory, or of a row of dtcore.memory_stages(), that has a _low and a _high beside it."""
    get = memory.__getitem__ if hasattr(memory, "dtype") else lambda name: getattr(memory, name)
    return Ranged(float(get(field)), get(f"{field}_low"), get(f"{field}_high"))


class Question(NamedTuple):
    """One thing a row measured, and how the library is asked for it."""

    set: str
    metric: str
    measured: float | None
    ask: Callable[[], float]


def files(folder: Path) -> dict[str, Path]:
    """Truth files of a folder by name without the suffix of a compression, in order of names."""
    found = {}
    for path in sorted(folder.iterdir()):
        name = path.name.removesuffix(".gz").removesuffix(".xz")
        if name.endswith(".csv") and (name.startswith("measured_") or name == "traced_memory.csv"):
            found[name] = path
    return dict(sorted(found.items()))


def rows(path: Path) -> Iterator[Row]:
    """Data rows of a file; a cell that is not there is empty."""
    with io.TextIOWrapper(_OPENERS[path.suffix](path, "rb"), encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            yield {name: (value or "").strip() for name, value in row.items() if name is not None}


def whole(row: Row, name: str, default: int = 0) -> int:
    """A cell that holds a whole number and nothing else; the default for any other cell."""
    value = real(row, name)
    return int(value) if value is not None and value >= 0 and value.is_integer() else default


def real(row: Row, name: str) -> float | None:
    """A cell that holds a number; None for any other cell."""
    try:
        return float(row.get(name) or "")
    except ValueError:
        return None


def largest(row: Row, name: str) -> int:
    """Largest number of a cell with text around it: `~250k (250880)`."""
    return max((int(n) for n in re.findall(r"\d+", row.get(name) or "")), default=0)


def is_on(row: Row, name: str) -> bool:
    return row.get(name, "") in ("1", "True")


def need(row: Row, *names: str) -> None:
    """Skips a row without one of these whole numbers."""
    missing = [name for name in names if whole(row, name) <= 0]
    if missing:
        raise Skip(f"not in the row: {', '.join(missing)}")


def known(table: dict, key: str, what: str):
    """What a table says; skips a key that is not in it."""
    if key not in table:
        raise Skip(f"{what} {key} has no plan")
    return table[key]


def never(reason: str) -> Callable[[], float]:
    """For a question that is not asked."""

    def ask() -> float:
        raise Skip(reason)

    return ask
