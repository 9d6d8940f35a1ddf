"""Holds published measurements against the library: `scripts/accuracy [DIR] [--json OUT]`."""
from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import bridge
import collectives
import functional
import iterations
import memory
import report
import throughput
import traced
from tables import Question, Ranged, Row, Skip, files, never, real, rows

HERE = Path(__file__).resolve().parent


class Entry(NamedTuple):
    """A row's answer for one metric. Exactly one of predicted and skipped is None; a skipped one has no prediction."""

    file: str
    row: int
    set: str
    metric: str
    predicted: float | None
    measured: float | None
    skipped: str | None

    @property
    def range(self) -> tuple[float, float] | None:
        """Low and high, when the library gives them."""
        return (self.predicted.low, self.predicted.high) if isinstance(self.predicted, Ranged) else None

    def as_json(self) -> dict:
        found = {name: value for name, value in self._asdict().items() if name != "predicted" or value is not None}
        return found | dict(zip(("low", "high"), self.range or ()))


def later(metric: str, column: str, reason: str) -> Callable[[Row], Iterator[Question]]:
    """Rows of a kind that the library does not answer yet."""

    def questions(row: Row) -> Iterator[Question]:
        yield Question(row.get("set", ""), metric, real(row, column), never(reason))

    return questions


KINDS = {
    "measured_collective_fits.csv": later("fit", "", "parameters fitted elsewhere: nothing to predict"),
    "measured_collectives.csv": collectives.questions,
    "measured_megatron_bridge.csv": bridge.questions,
    "measured_megatron_ci_itertime.csv": iterations.questions,
    "measured_megatron_functional.csv": functional.questions,
    "measured_memory.csv": memory.questions,
    "measured_oom.csv": throughput.oom,
    "measured_throughput.csv": throughput.questions,
    "traced_memory.csv": traced.questions,
}
UNKNOWN = later("unknown", "", "no rule for this file")


def answer(file: str, number: int, question: Question) -> Entry:
    predicted = reason = None
    try:
        predicted = question.ask()
        if question.measured is None:
            predicted, reason = None, "no value"
    except Skip as skip:
        reason = str(skip)
    except (ValueError, ArithmeticError) as error:  # DtcoreError is a ValueError
        reason = f"refused: {error}"
    return Entry(file, number, question.set, question.metric, predicted, question.measured, reason)


def judge(folder: Path) -> Iterator[Entry]:
    start = last = time.monotonic()
    for name, path in files(folder).items():
        for number, row in enumerate(rows(path), 1):
            for question in KINDS.get(name, UNKNOWN)(row):
                yield answer(name, number, question)
            if time.monotonic() - last > 1:
                last = time.monotonic()
                print(f"accuracy: {name} row {number}, {last - start:.0f} s", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(prog="accuracy", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR",
                        help="truth files; without it those of tests/truth, and doc/accuracy.md is written")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write each row's prediction")
    given = parser.parse_args()
    folder = given.folder or HERE
    if not folder.is_dir() or not files(folder):
        print(f"accuracy: no truth files in {folder}", file=sys.stderr)
        return 2
    entries = list(judge(folder))
    if given.json:
        given.json.write_text(json.dumps({"rows": [entry.as_json() for entry in entries]}, indent=1) + "\n")
    print(report.text(entries))
    if given.folder is None:
        (HERE.parents[1] / "doc" / "accuracy.md").write_text(report.page(entries))
    return 0


if __name__ == "__main__":
    sys.exit(main())
