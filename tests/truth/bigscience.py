"""Megatron-DeepSpeed as BigScience ran it: Megatron's layers, DeepSpeed's pipeline engine, ZeRO-1 or BF16_Optimizer."""
from __future__ import annotations

from dtcore import Attention, Framework, GradDtype, Model, Optimizer, Plan, Recompute, Sharding, Stage

import megatron
from tables import Row, Skip, need, ranged, real, whole


def layers_of(row: Row) -> int:
    """Stated, or the multiple of pp whose 12 L h^2, with or without embedding, comes closest to the stated size."""
    if whole(row, "layers"):
        return whole(row, "layers")
    size = (real(row, "params_b") or 0) * 1e9
    if not size:
        raise Skip("not in the row: layers, params_b")
    h, pp, table = whole(row, "hidden"), whole(row, "pp", 1), megatron.largest(row, "vocab") * whole(row, "hidden")
    return min(range(pp, 200 * pp, pp),
               key=lambda n: min(abs(12 * n * h * h + extra - size) for extra in (0, table)))


def heads_of(row: Row) -> int:
    """Stated, or at most h / 128, split evenly: under full recomputation only the layer in work depends on it."""
    hidden, tp = whole(row, "hidden"), whole(row, "tp", 1)
    return whole(row, "heads") or next(
        (n for n in range(hidden // 128, 0, -1) if hidden % n == 0 and n % tp == 0), 0)


def question(row: Row) -> tuple[Model, Plan]:
    need(row, "hidden", "dp", "micro_batch", "seq")
    layers = layers_of(row)
    filled = dict(row, layers=str(layers), heads=str(heads_of(row)), ffn="")
    states = row.get("zero_or_fsdp", "") + row.get("dp_sharding", "")
    bf16 = row["precision"].startswith("bf16")  # BF16_Optimizer
    return megatron.gpt(filled), megatron.plan(
        filled, framework=Framework.DEEPSPEED, sharding=Sharding.DDP if "ZeRO-0" in states else Sharding.ZERO1,
        attention=Attention.EAGER, grad_dtype=GradDtype.FP32 if bf16 else GradDtype.SIXTEEN_BIT,
        optimizer=Optimizer.ADAM8 if "8-bit" in row.get("optimizer", "") else Optimizer.ADAM, dropout=True, recompute=Recompute.FULL if "full" in row["recompute"] else Recompute.NONE)


def stages_of(row: Row, layers: int, pp: int) -> list[Stage] | None:
    """`type:transformer|embedding` counts the embedding and the head as a layer each."""
    if "type:transformer|embedding" not in row.get("flags", "") + row.get("extra", "") or (layers + 2) % pp or pp < 2:
        return None
    each = (layers + 2) // pp
    return [Stage(layers=each - (i in (0, pp - 1)), embedding=int(i == 0), head=int(i == pp - 1)) for i in range(pp)]


def memory(row: Row) -> float:
    """nvidia-smi: what the device shows, the worst stage or the one that the row names."""
    model, plan = question(row)
    stages = megatron.dtcore.memory_stages(
        model, megatron.cluster_of(row), plan,
        stages_of(row, model.layers, plan.pp) or megatron.spread(model, plan))
    if "stage 0" in row["component"]:
        return ranged(stages[0], "device")
    if "middle" in row["component"]:
        return ranged(stages[len(stages) // 2], "device")
    return ranged(stages[stages["device"].argmax()], "device")
