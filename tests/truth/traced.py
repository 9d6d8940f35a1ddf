"""traced_memory.csv: bytes counted while the code of real frameworks ran on tensors without data."""
from __future__ import annotations

from collections.abc import Iterator

import dtcore
import numpy
from dtcore import (
    Arch, Attention, Framework, Loss, Model, Moment, Optimizer, OptimizerKernel, Plan, Precision, Recompute,
    RecomputeMethod, Sharding,
)

from tables import Question, Row, Skip, is_on, known, need, real, whole

ARCHS = {"gpt2": Arch.GPT2, "llama": Arch.LLAMA, "qwen2": Arch.QWEN2, "qwen3": Arch.QWEN3, "mixtral": Arch.MIXTRAL}
POLICIES = {
    "fp32": Precision.FP32, "bf16": Precision.PURE_BF16, "amp_bf16": Precision.BF16, "fsdp_bf16": Precision.BF16,
}
FUSED = ("flash", "efficient")
OPTIMIZERS = {"adamw": Optimizer.ADAM, "sgdm": Optimizer.MOMENTUM, "none": Optimizer.SGD}
KERNELS = {
    "foreach": OptimizerKernel.FOREACH, "fused": OptimizerKernel.FUSED, "forloop": OptimizerKernel.LOOP,
    "": OptimizerKernel.DEFAULT,
}
SHARDINGS = {"single": Sharding.DDP, "ddp": Sharding.DDP, "fsdp2": Sharding.FSDP}
LOSSES = {
    "hf": Loss.UPCAST, "ce_float": Loss.UPCAST, "ce": Loss.UPCAST, "chunked8": Loss.UPCAST, "ce_model": Loss.SAME,
}
RESHARDS = {"": True, "default": True, "True": True, "always": True, "False": False, "never": False}
RECOMPUTED = {
    "none": dict(recompute=Recompute.NONE),
    "full": dict(recompute=Recompute.FULL),
    "every2": dict(recompute=Recompute.FULL, recompute_method=RecomputeMethod.EVERY, recompute_layers=2),
    "selective_op": dict(recompute=Recompute.SELECTIVE),
}
# `when` behind the iteration -> the moments of which it is the largest.
FORWARD = (Moment.FORWARD, Moment.FORWARDED)
BACKWARD = (Moment.LOSS, Moment.HEAD, Moment.BACKWARD, Moment.EXPERTS, Moment.BOUNDARY, Moment.END, Moment.REDUCED)
MOMENTS = {
    "after_forward": (Moment.FORWARDED,),
    "peak_forward": FORWARD,
    "peak_forward_backward": FORWARD + BACKWARD,
    "after_backward": (Moment.REDUCED,),
    "peak_step": (Moment.STEP,),
    "end": (Moment.REST,),
}


def model_of(row: Row) -> Model:
    name = row["model"].lower()
    arch = next((arch for start, arch in ARCHS.items() if name.startswith(start)), None)
    if arch is None:
        raise Skip("the columns do not say the model's shape")
    moe = dict(experts=8, top_k=2) if arch == Arch.MIXTRAL else {}
    need(row, "layers", "hidden", "heads", "vocab")
    # GPT-2 has a row for each of its 1024 positions.
    return Model(
        arch=arch, layers=whole(row, "layers"), hidden=whole(row, "hidden"), heads=whole(row, "heads"),
        kv_heads=whole(row, "kv_heads"), head_dim=whole(row, "head_dim"), ffn=whole(row, "ffn"),
        vocab=whole(row, "vocab"), tied=is_on(row, "tied"), context=1024 if arch == Arch.GPT2 else 0, **moe)


def attention_of(row: Row) -> Attention:
    if any(word in row["attention"] for word in FUSED):
        return Attention.FLASH
    for word, kernel in (("eager", Attention.EAGER), ("math", Attention.MATH), ("cudnn", Attention.CUDNN),
                         ("varlen", Attention.FLASH)):
        if word in row["attention"]:
            return kernel
    raise Skip(f"attention {row['attention']} has no plan")


def plan_of(row: Row) -> Plan:
    titan = row["framework"] == "torchtitan"
    sharding = known(SHARDINGS, row["sharding"].split(" ")[0].split("+")[0], "sharding")
    replicas, shard = whole(row, "dp_replicate", 1), whole(row, "dp_shard", 1)
    if sharding == Sharding.FSDP and replicas > 1:
        sharding = Sharding.HSDP
    optimizer, _, kernel = row["optimizer"].partition("_")
    return Plan(
        framework=Framework.TORCHTITAN if titan else Framework.PYTORCH, sharding=sharding, tp=whole(row, "tp", 1),
        dp=replicas * shard, dp_shard=shard, micro_batch=whole(row, "mbs"), seq=whole(row, "seq"),
        # Without a step gradients stay: the second iteration finds those of the first.
        accumulation=2 if optimizer == "none" and row["when"].startswith("iter2") else 1,
        sequence_parallel="+sp" in row["sharding"], precision=known(POLICIES, row["dtype_policy"], "policy"),
        attention=attention_of(row), optimizer=known(OPTIMIZERS, optimizer, "optimizer"),
        optimizer_kernel=known(KERNELS, kernel, "optimizer"), loss=known(LOSSES, row["loss"], "loss"),
        loss_chunks=8 if row["loss"] == "chunked8" else 1,
        reshard=known(RESHARDS, row["reshard_after_forward"], "reshard_after_forward"),
        bucket_view=row["ddp_bucket_view"] == "1",
        dropout=row["model"].startswith("gpt2") and "nodrop" not in row["model"],
        **known(RECOMPUTED, row["ac"], "ac"))


def total(row: Row) -> float:
    """Kernels' workspaces are not in the trace."""
    iteration, _, when = row["when"].partition("_")
    if row["reshard_after_forward"] == "True" and when == "after_forward":
        raise Skip("a root unit that is freed behind forward has no plan")
    held = dtcore.memory_moments(model_of(row), None, plan_of(row), 0)
    rest = held[-1]
    if row["when"] in ("init", "ddp_init"):
        # Traces of DDP make Adam's states beforehand.
        made = rest["optimizer"] if row["sharding"] == "ddp" else 0
        return float(rest["weights"] + rest["transient"] + made + (rest["buckets"] if iteration == "ddp" else 0))
    at = held[numpy.isin(held["moment"], MOMENTS[when])]
    # Adam's states come with the first step.
    stepped = iteration != "iter1" or when in ("peak_step", "end")
    return float((at["allocated"] - at["workspace"] - (0 if stepped else at["optimizer"])).max())


def questions(row: Row) -> Iterator[Question]:
    yield Question(row["set"], "traced_bytes", real(row, "total"), lambda: total(row))
