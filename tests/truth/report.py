"""Errors per set, of memory by framework, and of speed, as text and as doc/accuracy.md."""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import leave_one_out
import speed

if TYPE_CHECKING:
    from judge import Entry

# Constants of the library that were chosen on a set's rows (doc/formulas/memory.md, collectives.md); 0 for every other set.
CONSTANTS = {
    **{f"coll 1node table {size}": 103 for size in ("<=64K", "64K-4M", "4M-64M", ">64M")},  # NVLink 80, PCIe 23
    **{f"coll 1node field {size}": 11 for size in ("<=64K", "64K-4M", "4M-64M")},  # launch styles 4, xGMI 7
    "coll 1node field >64M": 21,  # those, and 10 rates of large vectors, which the table's rows helped to choose
    **{f"coll multi field {size}": 77 for size in ("<=64K", "64K-4M", "4M-64M", ">64M")},  # networks, racks
    "coll moe": 47,
    # Memory: a framework's range is two numbers of the quantity that a set measures (lib/catalog/frameworks.c). The context
    # and communicators are those of context-mem; how far they spread is published (two numbers).
    "bigscience-mem": 9,  # without the pipeline engine 10 bytes of a logit, gradients twice; reserved, communicators 2; range 4
    "bridge-mem": 2,  # range of Megatron's allocated
    "litgpt-mem": 5,  # Alpaca's longest sample 2, the type in which 4-bit layers keep their inputs; range of allocated 2
    "torchtune-mem": 2,  # range of PyTorch's allocated
    "peft-mem": 1,  # context of a process
    "context-mem": 2,  # CUDA context and communicators, 1 GiB each
    "torchao-mem": 3,  # TorchTitan: reserved / allocated, and the range of reserved 2
    "torchtitan-mem": 3,
    "megatron-functional": 8,  # native fused loss, deferred gradients 2, FSDP's root 2, gathered rows, the range's ends
    "simumax-b200-mem": 7,  # small tensors; experts' backward: four times the routed rows, three to five hidden states; range
    "simumax-b200-reserved": 3,  # reserved / allocated, and the range of reserved 2
    "aleph-alpha": 6,  # numbers of norm, copies around attention, scores 2 and logits; reserved / allocated
    "oom aleph-alpha": 6,
}
# Speed: numbers of lib/catalog/softwares.c, step_gpus.c and moves.c that were set on published runs; counts of operations and
# settings of a plan are none. A range is two numbers.
STEP_CONSTANTS = {
    "shared": 7,  # rates of products, tiles and memory, gaps, logits, a step, stragglers
    "host": 3,  # launching a layer forward and backward; vTrain's factor
    "unaligned": 1,
    "norm": 2,  # RMSNorm by steps
    "megatron": 2,  # shares of messages that overlap hides: tensor parallel, between stages
    "experts": 6,  # the host's wait, partial graphs, permutation, grouped products, gpt-oss' activation 2
    "fp8": 1, "fp4": 1, "row": 1,  # bytes of casts
    "units": 1,  # how much messages of sharded units slow down products
    "scaling": 1, "bloom": 2, "internevo": 1, "plain": 1, "zero3": 1, "pax": 1, "async": 1, "tests": 1,
    "Hopper": 2, "Blackwell": 3, "Ultra": 3,  # FLOP per joule
    "A100 flash1": 2, "A100 flash2": 3, "Hopper flash1": 3, "Hopper flash2": 3, "Hopper flash3": 3, "Blackwell flash3": 3,
    "range": 2, "ranges": 4,
}  # fmt: skip
# Start of a set's name -> which of them its rows helped to choose, beside the shared ones; the first that matches.
STEP_SETS = {
    "aleph-alpha": ("scaling", "norm", "A100 flash1", "A100 flash2", "range"),
    "bigscience-tr11": ("bloom", "unaligned", "range"),
    "bridge": ("megatron", "experts", "fp8", "fp4", "Hopper", "Blackwell", "Ultra", "Hopper flash3", "Blackwell flash3",
               "ranges"),
    "dgxc-25.05": ("megatron", "experts", "fp8", "Hopper", "Blackwell", "Hopper flash3", "Blackwell flash3", "ranges"),
    "dgxc-maxtext": ("units", "Hopper", "Hopper flash2", "range"),
    "dgxc-pax": ("units", "pax", "Hopper", "Hopper flash2", "range"),
    "dgxc": ("megatron", "fp8", "Hopper", "Hopper flash3", "ranges"),
    "internevo": ("internevo", "A100 flash1", "range"),
    "korthikanti22": ("range",),
    "llm-foundry": ("units", "Hopper", "A100 flash1", "Hopper flash1", "range"),
    "megatron-ci": ("tests", "range"),
    "megatron-readme": ("megatron", "Hopper", "Hopper flash2", "ranges"),
    "narayanan21-tab1": ("range",),
    "narayanan21-tab2": ("zero3", "range"),
    "nemo": ("megatron", "Hopper", "Blackwell", "Hopper flash2", "Blackwell flash3", "ranges"),
    "simumax-b200": ("plain", "Blackwell", "Blackwell flash3", "range"),
    "torchtitan": ("units", "async", "norm", "row", "Hopper", "Hopper flash2", "A100 flash2", "range"),
    "vtrain": ("host", "ranges"),
}
SPEED = ("s_per_iter", "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu_pct")
COLUMNS = ("set", "metric", "n", "skipped", "median", "mean", "p90", "worst", "bias", "inside", "width", "constants")
# Metrics of memory that was measured; traces, which count it, are not among them.
MEMORY = ("memory", "steady_bytes", "peak_bytes")
# Start of a set's name -> framework that the rows are asked for as; formulas that a paper published are none.
FRAMEWORKS = {
    "bridge-mem": "Megatron", "megatron-functional": "Megatron", "simumax": "Megatron", "other-mem": "Megatron",
    "bigscience-mem": "DeepSpeed", "swift-mem": "DeepSpeed", "torchtitan-mem": "TorchTitan", "torchao-mem": "TorchTitan",
    "litgpt-mem": "PyTorch, fine-tuning", "peft-mem": "PyTorch, fine-tuning", "torchtune-mem": "PyTorch, fine-tuning",
    "korthikanti": "published formulas",
}  # fmt: skip
BY_FRAMEWORK = ("framework", "n", "median", "mean", "p90", "worst", "bias", "inside", "width")
MEMORY_HEAD = """## Memory by framework

All measured rows of memory, and the parts of frameworks. ColossalAI and, beside fits and ends, Aleph Alpha's scaling have
none: scaling's verdicts are among the rows of `fits` (aleph-alpha, oom aleph-alpha). What is between steps has no range.
"""
HEAD = """# Accuracy

Generated by `scripts/accuracy` from `tests/truth`; do not edit. Predictions against what people measured, or counted
while the real code ran. error = predicted / measured - 1, in percent: median, mean, p90 and worst are of its absolute
value, bias is its mean. `n` rows are predicted, `skipped` ones cannot be expressed. `constants`: how many constants of
the library the rows of the set helped to choose. For `fits` the numbers are how many verdicts are right. Where the library
gives a range, `inside` is the percentage of measured values in it, and `width` the median of (high - low) / predicted.
A mean with a star is of rows predicted with constants that were set without them: the set has fewer than four rows for each
of its constants.

Each row becomes a model and a plan by rules from its columns only (`tests/truth/*.py`), the same for all rows of a
framework. What a row says and a plan cannot say is predicted as if unsaid where it is a detail (fused losses, compiled
graphs, library workspaces), and skipped where it changes what is trained or how it is split.
"""


class Line(NamedTuple):
    """One line of the table."""

    set: str
    metric: str
    errors: list[float]
    skipped: int
    inside: list[bool]
    widths: list[float]
    entries: list[Entry]


def lines(entries: Iterable[Entry]) -> list[Line]:
    """By set and metric, in order of their names."""
    found: dict[tuple[str, str], Line] = {}
    for entry in entries:
        line = found.setdefault((entry.set, entry.metric), Line(entry.set, entry.metric, [], 0, [], [], []))
        if entry.skipped is None:
            wrong = entry.predicted - entry.measured if entry.metric == "fits" else entry.predicted / entry.measured - 1
            line.errors.append(wrong)
            line.entries.append(entry)
            if entry.range is not None:
                low, high = entry.range
                line.inside.append(low <= entry.measured <= high)
                line.widths.append((high - low) / entry.predicted)
        else:
            found[entry.set, entry.metric] = line._replace(skipped=line.skipped + 1)
    return [found[key] for key in sorted(found)]


def by_framework(entries: Iterable[Entry]) -> list[Line]:
    """Memory, all together and by framework; a set that no framework is known of stands by itself."""
    found: dict[str, list[Entry]] = {"all": []}
    for entry in entries:
        if entry.metric in MEMORY and entry.skipped is None:
            name = next((name for start, name in FRAMEWORKS.items() if entry.set.startswith(start)), entry.set)
            found["all"].append(entry)
            found.setdefault(name, []).append(entry)
    whole = {name: [entry._replace(set=name, metric="memory") for entry in part] for name, part in found.items()}
    return [line for name in sorted(whole, key=lambda name: (name != "all", name)) for line in lines(whole[name])]


def quantile(values: list[float], part: float) -> float:
    """Smallest value that is not below `part` of the values; the median of an even number is the mean of two."""
    values = sorted(values)
    if part == 0.5:
        return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    return values[max(0, math.ceil(part * len(values)) - 1)]


def cells(line: Line) -> list[str]:
    """The line as text, one cell per column."""
    numbers, ranges = ["-"] * 5, ["-"] * 2
    if line.errors and line.metric == "fits":
        right = sum(error == 0 for error in line.errors)
        numbers = [f"{right} right", f"{100 * right / len(line.errors):.1f} %", "-", "-", "-"]
    elif line.errors:
        size = [abs(error) for error in line.errors]
        stats = (quantile(size, 0.5), sum(size) / len(size), quantile(size, 0.9), max(size))
        numbers = [f"{100 * x:.2f}" for x in stats] + [f"{100 * sum(line.errors) / len(size):+.2f}"]
    if line.inside:
        ranges = [f"{100 * sum(line.inside) / len(line.inside):.0f}", f"{100 * quantile(line.widths, 0.5):.1f}"]
    if line.metric in SPEED and 0 < len(line.errors) < leave_one_out.ENOUGH * constants_of(line):
        numbers[1] = f"{100 * leave_one_out.error(line.entries):.2f} *"
    head = [line.set, line.metric, str(len(line.errors)), str(line.skipped)]
    return head + numbers + ranges + [str(constants_of(line))]


def constants_of(line: Line) -> int:
    """Constants that the set's rows helped to choose."""
    if line.metric not in SPEED:
        return CONSTANTS.get(line.set.removesuffix(" (held)"), 0)
    names = next((names for start, names in STEP_SETS.items() if line.set.startswith(start)), None)
    return sum(STEP_CONSTANTS[name] for name in ("shared", *names)) if names else 0


def speed_tables(entries: list[Entry]) -> list[tuple[str, tuple[str, ...], list[list[str]], int]]:
    """Heading, columns, lines, and how many columns are words; those without a line are left out."""
    made = [
        (speed.BY_FRAMEWORK_HEAD, speed.BY_FRAMEWORK, speed.by_framework(entries, quantile), 2),
        (speed.RANKING_HEAD, speed.RANKING, speed.ranking(entries), 1),
        (speed.CALIBRATION_HEAD, speed.CALIBRATION, speed.calibration(entries), 2),
        (speed.MFU_HEAD, speed.MFU, speed.mfu(entries, quantile), 3),
    ]
    return [table for table in made if any(speed.timed(entries))]


def reasons(entries: Iterable[Entry]) -> list[tuple[str, str, int]]:
    """(file, reason, how often), the most frequent of a file first."""
    count = Counter((entry.file, entry.skipped) for entry in entries if entry.skipped is not None)
    order = sorted(count.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    return [(file, reason, n) for (file, reason), n in order]


def framework_cells(line: Line) -> list[str]:
    found = dict(zip(COLUMNS, cells(line)))
    return [line.set] + [found[name] for name in BY_FRAMEWORK[1:]]


def columns_of(table: list[list[str]], left: int) -> list[str]:
    """Lines of a table; the first `left` columns are words."""
    widths = [max(map(len, column)) for column in zip(*table)]
    return ["  ".join(cell.ljust(w) if i < left else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
            for row in table]


def text(entries: list[Entry]) -> str:
    out = columns_of([list(COLUMNS)] + [cells(line) for line in lines(entries)], 2)
    memory = [framework_cells(line) for line in by_framework(entries)]
    out += ["", "memory by framework:"] + columns_of([list(BY_FRAMEWORK)] + memory, 1) if memory else []
    for heading, names, found, words in speed_tables(entries):
        out += ["", heading.split("\n")[0].removeprefix("## ").lower() + ":"] + columns_of([list(names)] + found, words)
    out += ["", "skipped:"] + [f"{n:6}  {file}: {reason}" for file, reason, n in reasons(entries)]
    predicted = sum(entry.skipped is None for entry in entries)
    out.append(f"\n{predicted} predicted, {len(entries) - predicted} skipped")
    return "\n".join(out)


def page(entries: list[Entry]) -> str:
    found = lines(entries)
    out = [HEAD, "| " + " | ".join(COLUMNS) + " |", "|" + " --- |" * 2 + " ---: |" * (len(COLUMNS) - 2)]
    out += ["| " + " | ".join(cells(line)) + " |" for line in found if line.errors]
    out += ["", MEMORY_HEAD, "| " + " | ".join(BY_FRAMEWORK) + " |", "| --- |" + " ---: |" * (len(BY_FRAMEWORK) - 1)]
    out += ["| " + " | ".join(framework_cells(line)) + " |" for line in by_framework(entries)]
    for heading, names, table, words in speed_tables(entries):
        out += ["", heading, "| " + " | ".join(names) + " |", "|" + " --- |" * words + " ---: |" * (len(names) - words)]
        out += ["| " + " | ".join(line) + " |" for line in table]
    out += ["", "Sets of which no row is predicted:", "", "| set | metric | skipped |", "| --- | --- | ---: |"]
    out += [f"| {line.set} | {line.metric} | {line.skipped} |" for line in found if not line.errors]
    out += ["", "## Skipped", "", "| file | rows | reason |", "| --- | ---: | --- |"]
    out += [f"| {file} | {n} | {reason.replace('|', '/')} |" for file, reason, n in reasons(entries)]
    return "\n".join(out) + "\n"
