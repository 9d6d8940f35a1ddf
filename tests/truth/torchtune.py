"""torchtune: fine-tuning wholly in bf16 with modules like Hugging Face's Llama (fp32 copies in RMSNorm).

Its packed samples fill the sequence. Source: torchtune README.md, recipes/configs.
"""
from __future__ import annotations

import dataclasses
import re

import dtcore
from dtcore import Framework, Loss, LoraTargets, Optimizer, OptimizerKernel, Plan, Precision, Recompute, Sharding, Tuning

import megatron
from tables import Row, Skip, need, ranged, whole

# The options of the table of Llama 3.2 3B, each added to those before it.
ADDED = ("baseline", "+packed", "+compile", "+chunked", "+activation checkpointing", "+optimizer in backward",
         "+activation offloading", "+8-bit", "LoRA", "QLoRA")
# Chunks of the output head and loss (torchtune CEWithChunkedOutputLoss).
CHUNKS = 8


def added(row: Row) -> dict:
    """A row of that table; the last two have no optimizer in backward and no 8-bit states."""
    text = row["flags"].split(": ", 1)[1]
    step = max(i for i, name in enumerate(ADDED) if text.startswith(name))
    if step == 0:
        raise Skip("not in the row: the length of the samples that are not packed")
    lora = step >= ADDED.index("LoRA")
    return dict(
        compile=step >= 2, loss=Loss.COMPILED if step >= 3 else Loss.UPCAST, loss_chunks=CHUNKS if step >= 3 else 1, lora_rank=64,
        recompute=Recompute.FULL if step >= 4 else Recompute.NONE, step_in_backward=5 <= step and not lora,
        offload_activations=step >= 6, optimizer=Optimizer.ADAM8 if step == 7 else Optimizer.ADAM,
        tuning=Tuning.QLORA if step == 9 else Tuning.LORA if lora else Tuning.FULL)


def recipe(row: Row) -> dict:
    """A row of the table of recipes: compiled, chunked loss, checkpointing. Full fine-tuning of one GPU steps in backward
    with an optimizer whose states are paged to the host (recipes/configs/llama3_1/8B_full_single_device.yaml)."""
    full = "Full" in row["flags"]
    if row["gpu"] == "A6000":
        raise Skip("the row of the RTX 4090 with another configuration, which it does not tell")
    if "CPU offload" in row["flags"]:
        raise Skip("CPU offload of FSDP2 is not modelled")
    return dict(compile=True, loss=Loss.COMPILED, loss_chunks=CHUNKS, recompute=Recompute.FULL, step_in_backward=full,
                optimizer=Optimizer.SGD if full else Optimizer.ADAM,
                tuning=Tuning.QLORA if "QLoRA" in row["flags"] else Tuning.FULL if full else Tuning.LORA)


def memory(row: Row) -> float:
    need(row, *megatron.SHAPE, "vocab")
    given = added(row) if "cumulative" in row["flags"] else recipe(row)
    if given["tuning"] != Tuning.FULL:
        given |= dict(lora_targets=LoraTargets.ALL, double_quant=given["tuning"] == Tuning.QLORA)
    ranks = whole(row, "num_gpus", 1)
    sharding = Sharding.FSDP if ranks > 1 else Sharding.DDP
    model = dataclasses.replace(megatron.llama(row), tied=bool(re.search("3.2 [13]B", row["model"])))
    plan = Plan(framework=Framework.PYTORCH, precision=Precision.PURE_BF16, sharding=sharding, dp=ranks, optimizer_kernel=OptimizerKernel.FUSED,
                micro_batch=whole(row, "micro_batch"), accumulation=1, seq=whole(row, "seq"), **given)
    return ranged(dtcore.memory(model, megatron.cluster_of(row), plan), "allocated")
