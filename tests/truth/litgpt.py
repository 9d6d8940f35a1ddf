"""LitGPT: fine-tuning wholly in bf16 with low-rank adapters, on 16-bit and 4-bit weights.

Its attention has one projection for query, key and value, as Hugging Face's Phi-3 has: a Llama is asked for with those
modules. Its adapters drop inputs (lora_dropout 0.05). Sources: litgpt lora.py, model.py, config_hub/finetune.
"""
from __future__ import annotations

import dataclasses

import dtcore
from dtcore import Arch, Framework, LoraTargets, Model, Plan, Precision, Tuning

import megatron
from tables import Row, Skip, ranged, whole

NAMES = {
    "codellama-34b": "codellama-34b", "falcon-7b": "falcon-7b", "falcon-40b": "falcon-40b", "gemma-2b": "gemma-2b",
    "gemma-7b": "gemma-7b", "gemma-2-2b": "gemma-2-2b", "gemma-2-9b": "gemma-2-9b", "llama-2-7b": "llama-2-7b", "llama-2-13b": "llama-2-13b",
    "llama-2-70b": "llama-2-70b", "llama-3-8b": "llama-3-8b", "llama-3.1-8b": "llama-3.1-8b",
    "llama-3.2-1b": "llama-3.2-1b", "llama-3.2-3b": "llama-3.2-3b", "mistral-7b": "mistral-7b-v0.1",
    "mistral-7b-v0.2": "mistral-7b-v0.1", "phi-1.5": "phi-1.5", "phi-2": "phi-2",
    "phi-3-mini-4k-instruct": "phi-3-mini-4k", "tiny-llama": "tinyllama-1.1b",
}
# StabilityAI's first models: GPT-NeoX with their own widths (their config.json).
STABLELM = {"3": (16, 4096, 32, 16384, 50688), "7": (16, 6144, 48, 24576, 50688)}
# Tokens of Alpaca's longest sample, where the row gives no length: Llama's tokenizer, GPT-2's. Set on these rows.
LONGEST = {True: 1300, False: 1000}
# The recipes that put adapters beside every linear layer (config_hub/finetune of 2024; those of 2023 on q and v).
ALL_LINEAR = ("gemma", "tiny-llama", "phi-3", "llama-3.2")
ADAPTER = {1229760: "LLaMA-Adapter", 4279744: "LLaMA-Adapter v2"}


def model_of(row: Row, name: str) -> Model:
    if "stablelm" in name:
        size = STABLELM["7" if "7b" in name or row["params_b"] == "7" else "3"]
        layers, hidden, heads, ffn, vocab = size
        return Model(arch=Arch.GPT_NEOX, layers=layers, hidden=hidden, heads=heads, ffn=ffn, vocab=vocab)
    if name not in NAMES:
        raise Skip(f"model {name} is not in the catalogue")
    model = dtcore.model_find(NAMES[name])
    return dataclasses.replace(model, arch=Arch.PHI3) if model.arch in (Arch.LLAMA, Arch.GEMMA) else model


def name_of(row: Row) -> str:
    name = row["model"].lower()
    if "gemma2-2b" in row["flags"] or "gemma2b/" in row["flags"]:  # the row's model column says gemma-2b
        return "gemma-2-2b"
    return f"llama-2-{row['params_b']}b" if name == "llama 2" else name


def memory(row: Row) -> float:
    old = "2023" in row["framework"]
    flags = row["flags"]
    trained = int("".join(c for c in row["notes"] if c.isdigit()) or 0)
    if "full" in flags:
        raise Skip("not in the row: the optimizer of full fine-tuning")
    if row["zero_or_fsdp"] == "FSDP":
        raise Skip("the peak is at loading the checkpoint")
    if trained in ADAPTER:
        raise Skip(f"{ADAPTER[trained]} has no plan")
    name = name_of(row)
    model = model_of(row, name)
    four_bit = "qlora" in flags or "nf4" in flags
    targets = LoraTargets.ALL if not old and any(part in name for part in ALL_LINEAR) else LoraTargets.QV
    plan = Plan(framework=Framework.PYTORCH, precision=Precision.PURE_BF16, dp=1, micro_batch=whole(row, "micro_batch"),
                accumulation=1, seq=whole(row, "seq") or LONGEST[model.gated is not False], dropout=True,
                tuning=Tuning.QLORA if four_bit else Tuning.LORA, lora_targets=targets, double_quant="dq" in flags,
                quant_inputs=(2 if old else 4) if four_bit else 0)
    return ranged(dtcore.memory(model, megatron.cluster_of(row), plan), "allocated")
