"""measured_memory.csv: memory of published runs, one rule per set."""
from __future__ import annotations

from collections.abc import Iterator

import bigscience
import litgpt
import megatron
import peft
import sharded
import torchtune
from tables import GIB, MIB, Question, Row, Skip, real

RULES = {
    "bigscience-mem": bigscience.memory,
    "bridge-mem": megatron.bridge,
    "korthikanti-fig1": megatron.korthikanti,
    "litgpt-mem": litgpt.memory,
    "peft-mem": peft.memory,
    "simumax-b200-mem": megatron.simumax,
    "simumax-b200-reserved": megatron.simumax,
    "swift-mem": sharded.swift,
    "torchao-mem": sharded.titan,
    "torchtitan-mem": sharded.titan,
    "torchtune-mem": torchtune.memory,
}
UNMODELLED = {
    "context-mem": "a constant of a driver, not a run",
    "deepspeed-mem": "not in the row: architecture, sequence, micro-batch or recomputation",
    "galvatron-mem": "Hetu-Galvatron (fp32 profiles of ZeRO-3 units inside a pipeline) has no plan",
}
# nvidia-smi counts MiB; TorchTitan's log says GiB, whatever tables made from it say.
UNITS = {"GiB": GIB, "MiB": MIB, "GB": 10**9, "GB (nvidia-smi)": GIB}


def family(row: Row) -> str:
    return row["set"].removesuffix(" (held)")


def measured(row: Row) -> float | None:
    unit = GIB if "torchtitan" in row["metric"] else UNITS.get(row["unit"])
    value = real(row, "measured_gb")
    return value * unit if value is not None and unit else None


def predict(row: Row) -> float:
    if real(row, "measured_gb") is None:
        raise Skip(f"no value: {row['measured_gb'] or 'empty'}")
    if measured(row) is None:
        raise Skip("the unit is not bytes")
    if family(row) in UNMODELLED:
        raise Skip(UNMODELLED[family(row)])
    return RULES.get(family(row), megatron.dense)(row)


def questions(row: Row) -> Iterator[Question]:
    yield Question(row["set"], "memory", measured(row), lambda: predict(row))
