"""Tables of speed: errors by framework and GPU, ranking of plans, MFU."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import leave_one_out
from tables import Timed, rows

if TYPE_CHECKING:
    from judge import Entry

CLOSE = 0.05  # measured times that differ by less are not told apart: runs repeated with nothing changed differ by more
LEAST = 3  # runs of a group that are ranked
# The tables of Megatron-Bridge repeat the rows of its sets by release, without their switches.
REPEATED = ("measured_megatron_bridge.csv",)

RANKING = ("set", "groups", "runs", "tau", "regret")
RANKING_HEAD = """## Ranking of plans

Inside groups of the same model, GPUs, batch, sequence, precision and attention kernel, of three runs or more: tau is
Kendall's over pairs whose measured times differ by more than 5 %, 1 for the right order of all of them; regret is how much
slower than the best measured run the one is that the library ranks first, percent. Both are means over the groups.
"""
ENOUGH = 10  # runs of a set that are halved
CALIBRATION = ("set", "GPU", "n", "before", "after")
CALIBRATION_HEAD = """## Calibration

dtc_step_fit() on every second run of a set: mean error of the runs that it did not see, percent, with the library's constants and
with those that fit the other half. Where a set's own runs set the constants little is left to gain.
"""
BY_FRAMEWORK = ("framework", "GPU", "n", "median", "mean", "p90", "bias", "inside", "width")
BY_FRAMEWORK_HEAD = """## Step time by framework and GPU

All rows of speed whose run a plan can say, whatever their metric; a set by release of Megatron-Bridge is in it once.
"""
MFU = ("framework", "GPU", "precision", "runs", "min", "median", "max", "asked", "measured", "predicted", "to")
PUBLISHED = ("n", "mfu_min", "mfu_median", "mfu_max")
MFU_HEAD = """## MFU that people reach

Model FLOPs with attention as the causal half, percent of the dense peak of the products' type. `runs`, min, median and max
are of everything published that was found (tests/truth/mfu_by_framework.csv); of `asked`, those that are among the rows
above, `measured` is the median, `predicted` the median of what the library says of them, and `to` the largest.
"""


def timed(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries of speed that are predicted."""
    return (entry for entry in entries if isinstance(entry.predicted, Timed) and entry.measured)


def seconds(entry: Entry) -> tuple[float, float]:
    """Predicted and measured time, up to a common factor."""
    if entry.predicted.inverse:
        return 1 / entry.predicted, 1 / entry.measured
    return float(entry.predicted), entry.measured


# ---- ranking


def tau(times: list[tuple[float, float]]) -> float | None:
    """Kendall's tau over pairs that were measured far enough apart; None without one."""
    signs = []
    for i, (predicted, measured) in enumerate(times):
        for other, truth in times[:i]:
            if abs(measured / truth - 1) > CLOSE:
                turned = (predicted - other) * (measured - truth)
                signs.append((turned > 0) - (turned < 0))
    return sum(signs) / len(signs) if signs else None


def regret(times: list[tuple[float, float]]) -> float:
    """Measured time of the run that is predicted to be the fastest, over that of the fastest, less 1."""
    return min(times)[1] / min(measured for _, measured in times) - 1


def ranking(entries: Iterable[Entry]) -> list[list[str]]:
    """A line of RANKING for each set that has groups."""
    groups: dict[tuple, list[tuple[float, float]]] = {}
    for entry in timed(entries):
        if not entry.predicted.group:
            continue
        groups.setdefault((entry.set, entry.predicted.group), []).append(seconds(entry))
    found: dict[str, list[list[tuple[float, float]]]] = {}
    for (name, _), times in groups.items():
        if len(times) >= LEAST:
            found.setdefault(name, []).append(times)
    lines = []
    for name in sorted(found):
        taus = [value for value in map(tau, found[name]) if value is not None]
        order = f"{sum(taus) / len(taus):.2f}" if taus else "-"
        lost = sum(map(regret, found[name])) / len(found[name])
        lines.append([name, str(len(found[name])), str(sum(map(len, found[name]))), order, f"{100 * lost:.1f}"])
    return lines


# ---- calibration


def calibration(entries: Iterable[Entry]) -> list[list[str]]:
    """Lines of CALIBRATION: each half of a set's runs on a GPU predicted with parameters that fit the other half."""
    parts: dict[tuple[str, str], list[Entry]] = {}
    for entry in timed(entries):
        parts.setdefault((entry.set, entry.predicted.gpu), []).append(entry)
    lines = []
    for key, part in sorted(parts.items()):
        if len(part) < ENOUGH:
            continue
        before, after = [], []
        for fit, judged in ((part[::2], part[1::2]), (part[1::2], part[::2])):
            params = leave_one_out.fitted(fit, fit[0].predicted.run)
            for entry in judged:
                measured = leave_one_out.measured_seconds(entry)
                before.append(abs(entry.predicted.step.seconds / measured - 1))
                after.append(abs(leave_one_out.again(entry.predicted.run, params).seconds / measured - 1))
        means = [100 * sum(errors) / len(errors) for errors in (before, after)]
        lines.append([*key, str(len(part)), *(f"{x:.2f}" for x in means)])
    return lines


# ---- by framework and GPU


def by_framework(entries: Iterable[Entry], quantile) -> list[list[str]]:
    """Lines of BY_FRAMEWORK, all together first; tests are bound by the host, and many."""
    parts: dict[tuple[str, str], list[Entry]] = {}
    for entry in timed(entries):
        if entry.file in REPEATED:
            continue
        run = entry.predicted
        parts.setdefault((run.framework, run.gpu), []).append(entry)
        if run.group:
            parts.setdefault(("all but tests", ""), []).append(entry)
    lines = []
    for key in sorted(parts, key=lambda key: (key[0] != "all but tests", key)):
        errors = [entry.predicted / entry.measured - 1 for entry in parts[key]]
        # Of times, whatever the metric: too fast is negative.
        wrong = [predicted / measured - 1 for predicted, measured in map(seconds, parts[key])]
        size = [abs(error) for error in errors]
        inside = [entry.predicted.low <= entry.measured <= entry.predicted.high for entry in parts[key]]
        widths = [(entry.predicted.high - entry.predicted.low) / entry.predicted for entry in parts[key]]
        stats = (quantile(size, 0.5), sum(size) / len(size), quantile(size, 0.9))
        lines.append([*key, str(len(size)), *(f"{100 * x:.1f}" for x in stats), f"{100 * sum(wrong) / len(wrong):+.1f}",
                      f"{100 * sum(inside) / len(inside):.0f}", f"{100 * quantile(widths, 0.5):.0f}"])
    return lines


# ---- MFU


def mfu(entries: Iterable[Entry], quantile) -> list[list[str]]:
    """Lines of MFU: what is published, beside what the library says of the rows that are here."""
    asked: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for entry in timed(entries):
        run = entry.predicted
        if entry.file not in REPEATED and run.group and run.mfu > 0:
            predicted, measured = seconds(entry)
            both = run.mfu, run.mfu * predicted / measured
            asked.setdefault((run.framework, run.gpu, run.precision), []).append(both)
    table = rows(Path(__file__).with_name("mfu_by_framework.csv.xz"))
    published = {(row["framework"], row["gpu"], row["precision"]): [row[name] for name in PUBLISHED] for row in table}
    lines = []
    for key in sorted(published.keys() | asked.keys()):
        said = ["-"] * 4
        if key in asked:
            predicted, measured = map(list, zip(*asked[key]))
            said = [str(len(predicted)), f"{quantile(measured, 0.5):.1f}", f"{quantile(predicted, 0.5):.1f}",
                    f"{max(predicted):.1f}"]
        lines.append([*key, *published.get(key, ["-"] * 4), *said])
    return lines
