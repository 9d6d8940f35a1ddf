"""Configurations that people run, as plans to be checked: real_configs.csv."""
from __future__ import annotations

import json
import math
import re
from typing import NamedTuple

import dtcore
from tables import Row, whole

# How recipes write a model of the catalogue, where the names do not agree letter by letter.
MODELS = {
    "deepseek_v3_32nodes": "deepseek-v3", "deepseek_v3_large_scale": "deepseek-v3", "deepseek_v3_partial_cg_dev": "deepseek-v3",
    "deepseek_v3/671B": "deepseek-v3", "kimi_k2": "kimi-k2", "moonlight_16b": "moonlight-16b-a3b",
    "llama31_405b": "llama-3.1-405b", "llama31_70b": "llama-3.1-70b", "llama31_8b": "llama-3.1-8b",
    "llama32_1b": "llama-3.2-1b", "llama32_3b": "llama-3.2-3b", "llama2_7b": "llama-2-7b",
    "llama3_8b_16k": "llama-3-8b", "llama3_8b_64k": "llama-3-8b", "llama3_8b_128k": "llama-3-8b",
    "llama3_70b_16k": "llama-3-70b", "llama3_70b_64k": "llama-3-70b",
    "qwen2_500m": "qwen2-0.5b", "qwen2_1p5b": "qwen2-1.5b", "qwen25_500m": "qwen2.5-0.5b", "qwen25_1p5b": "qwen2.5-1.5b",
    "qwen25_7b": "qwen2.5-7b", "qwen25_14b": "qwen2.5-14b", "qwen25_32b": "qwen2.5-32b", "qwen25_72b": "qwen2.5-72b",
    "qwen3_600m": "qwen3-0.6b", "qwen3_1p7b": "qwen3-1.7b", "gemma2_2b": "gemma-2-2b", "gemma2_9b": "gemma-2-9b",
    "gemma2_27b": "gemma-2-27b", "gemma3_1b": "gemma-3-1b", "llama3/405B": "llama-3.1-405b", "llama3/70B": "llama-3-70b",
    "llama3/8B": "llama-3-8b", "20B": "gpt-neox-20b", "175B": "gpt3-175b", "mistral/7B": "mistral-7b-v0.1",
    "tr11-176B-ml": "bloom", "tr13-mtf": "bloom", "train_gpt3_175b_distributed.sh": "gpt3-175b",
    "train_mixtral_8x7b_distributed.sh": "mixtral-8x7b",
}  # fmt: skip
FRAMEWORKS = {
    "megatron-bridge": "MEGATRON", "megatron-bridge-perf": "MEGATRON", "megatron-lm": "MEGATRON", "gpt-neox": "DEEPSPEED",
    "megatron-deepspeed": "DEEPSPEED", "deepspeed": "DEEPSPEED", "torchtitan": "TORCHTITAN", "llm-foundry": "PYTORCH",
}  # fmt: skip
SHARDINGS = {
    "dist-opt": "DISTOPT", "zero-0": "DDP", "zero-1": "ZERO1", "zero-2": "ZERO2", "zero-3": "ZERO3", "FSDP2": "FSDP",
    "FULL_SHARD": "FSDP", "megatron-fsdp:optim_grads_params": "FSDP",
}  # fmt: skip
# GPUs of a node, and joined by NVLink; a node of 8 where the table says nothing.
MACHINES = {"gb200": (4, 72), "gb300": (4, 72), "vr200": (4, 72), "r100": (4, 72)}


# What recipes of Megatron-Bridge 067f987d set for every machine, and rows of single machines therefore leave out: the
# embedding and the loss count as layers, a layout gives the layers (both as other rows of the same model say), groups of
# the interleaved schedule (recipes/glm/h100/glm5.py). Experts are not split: expert_tensor_parallel_size = 1.
ACCOUNTS = ("llama31_405b", "qwen3_235b_a22b")
LAYOUTS = ("deepseek_v3", "kimi_k2")
GROUPS = {"glm52": 16}


class Config(NamedTuple):
    model: dtcore.Model
    cluster: dtcore.Cluster | None
    plan: dtcore.Plan
    known: bool  # the model's shapes are those of the recipe


def squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


CATALOGUE = {squeezed(name): name for name in map(dtcore.model_name, range(dtcore.model_count()))}


def is_bridge(row: Row) -> bool:
    return row["framework"].startswith("megatron-bridge")


def ends_of(more: dict) -> dict[str, int]:
    return {name: int(more[key]) for name, key in (("first_layers", "first"), ("last_layers", "last")) if more.get(key)}


def accounts_of(row: Row, more: dict) -> dict[str, bool]:
    if is_bridge(row) and row["model"].startswith(ACCOUNTS) and whole(row, "pp") > 1:
        more = {"acc_emb": True, "acc_loss": True}
    fields = (("account_embedding", "acc_emb"), ("account_loss", "acc_loss"))
    return {name: True for name, key in fields if more.get(key)}


def named(row: Row, more: dict) -> dtcore.Model | None:
    """The recipe's model; None when the catalogue does not hold it, or its layers are given by a layout."""
    if "layout" in more or (is_bridge(row) and row["model"].startswith(LAYOUTS)):
        return None
    base = re.sub(r"(_mock|_functional|_muon|_dev|_hybridep|_deepep|_paged_stash|_partial_cg)+$", "", row["model"])
    name = MODELS.get(row["model"]) or MODELS.get(base) or CATALOGUE.get(squeezed(base))
    return dtcore.model_find(name) if name else None


def bare(row: Row, more: dict) -> dtcore.Model:
    """Shapes that the degrees divide, for the rules about degrees alone; layers and heads where the recipe says them."""
    tp, pp, vpp, ep = (max(whole(row, name), 1) for name in ("tp", "pp", "vpp", "ep"))
    ends = ends_of(more)
    layers = sum(ends.values()) + 12 * vpp * (pp - len(ends)) - len(accounts_of(row, more))
    shape = more.get("model") if isinstance(more.get("model"), dict) else more
    layers = int(shape.get("layers") or shape.get("num-layers") or shape.get("n_layers") or layers)
    heads = int(shape.get("heads") or shape.get("num-attention-heads") or shape.get("n_heads") or 64 * tp)
    experts = {"experts": ep * 8, "top_k": 1, "moe_ffn": 256 * tp} if ep > 1 else {}
    return dtcore.Model(layers=layers, hidden=128 * heads, heads=heads, ffn=256 * tp, vocab=32000,
                        position=dtcore.Position.ROPE, **experts)


def cluster_of(row: Row) -> dtcore.Cluster | None:
    """None where the row does not say all GPUs: Megatron-LM's scripts say those of a node."""
    gpus = whole(row, "gpus")
    if gpus == 0 or row["framework"] == "megatron-lm":
        return None
    node, domain = MACHINES.get(row["gpu"], (8, 0))
    node = math.gcd(node, gpus)
    return dtcore.Cluster(memory=80 << 30, gpus_per_node=node, nodes=gpus // node, nvlink_domain=domain)


def config(row: Row) -> Config:
    """A row as a plan. Cells that name a variable of the recipe are left to default."""
    more = json.loads(row["extra"]) if row["extra"] else {}
    cluster = cluster_of(row)
    known = named(row, more)
    degrees = {name: whole(row, name) for name in ("tp", "cp", "pp", "vpp", "ep", "etp")}
    if is_bridge(row) and degrees["etp"] == 0:
        degrees["etp"] = 1
    plan = dtcore.Plan(
        framework=dtcore.Framework[FRAMEWORKS[row["framework"]]],
        sharding=dtcore.Sharding[SHARDINGS.get(row["sharding"], "DEFAULT")],
        dp=0 if cluster else whole(row, "dp"), micro_batch=whole(row, "mbs"), global_batch=whole(row, "gbs"),
        seq=whole(row, "seq"), group=GROUPS.get(row["model"], 0), **degrees, **ends_of(more), **accounts_of(row, more),
    )  # fmt: skip
    return Config(known or bare(row, more), cluster, plan, known is not None)
