"""measured_throughput.csv and measured_oom.csv: speed, and whether a run fits."""
from __future__ import annotations

from collections.abc import Iterator

import dtcore
from dtcore import Model, Plan

import bigscience
import megatron
import sharded
import step
from tables import Question, Row, Skip, never

# Start of the framework's name -> rule; the first that matches.
RULES = {
    "Aleph Alpha": megatron.aleph_alpha,
    "Megatron-DeepSpeed": bigscience.question,
    "MosaicML": sharded.mosaic,
    "DeepSpeed": sharded.deepspeed,
    "TorchTitan": sharded.titan_question,
    "Mega": megatron.megatron,  # Megatron-LM, Megatron-LLaMA, MegaScale
}
# The names that the other truth files give to the same columns.
RENAMED = {
    "n_layers": "layers",
    "n_heads": "heads",
    "n_kv_heads": "kv_heads",
    "ffn_hidden": "ffn",
    "seq_len": "seq",
    "n_gpus": "num_gpus",
    "params_B": "params_b",
    "gpu_mem_GB": "gpu_mem_gb",
}


def question(row: Row) -> tuple[Model, Plan]:
    for start, rule in RULES.items():
        if row["framework"].startswith(start):
            return rule(row)
    raise Skip(f"a framework that no plan names: {row['framework']}")


def fits(row: Row) -> float:
    model, plan = question({RENAMED.get(name, name): value for name, value in row.items()})
    return float(dtcore.memory(model, dtcore.gpu_find("a100-80gb"), plan, megatron.spread(model, plan)).fits)


def is_a100_80(row: Row) -> bool:
    return row["gpu"].startswith("A100") and row["gpu_mem_GB"] == "80"


def questions(row: Row) -> Iterator[Question]:
    yield step.question(row)
    if is_a100_80(row):
        yield Question(row["set"], "fits", 1.0, lambda: fits(row))


def oom(row: Row) -> Iterator[Question]:
    ask = (lambda: fits(row)) if is_a100_80(row) else never("not an A100-80GB")
    yield Question(row["set"], "fits", 0.0, ask)
