"""Results as tables for notebooks: no scripts, no styles of its own, all text escaped."""
from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from enum import IntEnum
from html import escape
from typing import Any

_BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_TIMES = ((86400.0, "d"), (3600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
# What the comment of a field says that its number is, and how such numbers are shown.
_UNITS = ((re.compile(r"bytes\s*/\s*s|bytes per second"), "rate"), (re.compile(r"\bbytes\b"), "bytes"),
          (re.compile(r"\bseconds\b"), "seconds"))


def amount(value: int | float) -> str:
    """Bytes as a person reads them: 1.50 GiB."""
    size, unit = next(((size, unit) for size, unit in _BINARY if value >= size), (1, "B"))
    return f"{value / size:.2f} {unit}" if size > 1 else f"{value:g} B"


def duration(value: float) -> str:
    """Seconds as a person reads them: 2.31 ms."""
    if not 0 < value < float("inf"):
        return f"{value:g} s"
    size, unit = next(((size, unit) for size, unit in _TIMES if value >= size), _TIMES[-1])
    return f"{value / size:.4g} {unit}"


def _shown(value: Any, unit: str) -> str:
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, frozenset):
        return ", ".join(_shown(one, "") for one in sorted(value)) or "none"
    if value is None or isinstance(value, bool):
        return {None: "", False: "no", True: "yes"}[value]
    if isinstance(value, (int, float)) and unit:
        return amount(value) if unit == "bytes" else duration(value) if unit == "seconds" else f"{value / 1e9:.4g} GB/s"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f")
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _comments(cls: type) -> tuple[str, dict[str, str]]:
    """The first sentence of a class's docstring, and its rows by field."""
    brief, _, rows = (inspect.getdoc(cls) or "").partition("\n\n")
    found = re.findall(r"^(\w+): (.*(?:\n +.*)*)", rows, re.M)
    return re.split(r"[.:](?:\s|$)", " ".join(brief.split()))[0], {name: " ".join(text.split()) for name, text in found}


def _unit(name: str, comment: str) -> str:
    """Unit of a field; none where its comment names several, one for each case."""
    found = [unit for pattern, unit in _UNITS if pattern.search(f"{name}: {comment}")]
    return found[0] if found in (["rate", "bytes"], ["rate", "bytes", "seconds"], ["bytes"], ["seconds"]) else ""


def _default(value: Any) -> bool:
    return value is None or not isinstance(value, bool) and value == 0


def html_table(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A plain table; the first column names its row."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = ""
    for name, *cells in rows:
        body += f"<tr><th>{escape(name)}</th>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    return f"<table><caption>{escape(caption)}</caption><tr>{top}</tr>{body}</table>"


def table(thing: Any) -> str:
    """Fields of a result or an input, with units and what they are; without those that are 0 or default."""
    brief, comments = _comments(type(thing))
    names = getattr(thing, "_fields", None) or tuple(thing.__dataclass_fields__)
    told = [(name, getattr(thing, name)) for name in names]
    rows = [(name, _shown(value, _unit(name, comments.get(name, ""))), comments.get(name, "")) for name, value in told
            if not _default(value)]
    return html_table(f"{type(thing).__name__}: {brief}", ("", "value", "what it is"), rows)
