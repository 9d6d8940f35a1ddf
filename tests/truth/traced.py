"""traced_memory.csv: bytes counted while the code of real frameworks ran on tensors without data."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import dtcore
from dtcore import Arch, Attention, Framework, Model, Moment, Optimizer, Plan, Precision, Recompute, Sharding

from tables import Question, Row, Skip, is_on, known, need, real, whole

ARCHS = {"gpt2": Arch.GPT2, "llama": Arch.LLAMA, "qwen2": Arch.QWEN2, "qwen3": Arch.QWEN3, "mixtral": Arch.MIXTRAL}
POLICIES = {"fp32": Precision.FP32, "amp_bf16": Precision.BF16, "fsdp_bf16": Precision.BF16}
FUSED = ("flash", "efficient", "cudnn", "varlen")
OPTIMIZERS = {"adamw": Optimizer.ADAM, "sgdm": Optimizer.MOMENTUM}
SHARDINGS = {"single": Sharding.DDP, "ddp": Sharding.DDP, "fsdp2": Sharding.FSDP}
# Options of a row that no plan says -> the values that are what the library assumes.
ASSUMED = {
    "ac": ("none", "full"),
    "loss": ("hf", "ce"),
    "reshard_after_forward": ("", "True", "default"),
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
    if row["attention"] == "eager":
        return Attention.EAGER
    raise Skip(f"attention {row['attention']} has no plan")


def check_states(row: Row) -> None:
    """Skips rows whose states no plan says."""
    if row["dtype_policy"] not in POLICIES:
        raise Skip("training wholly in bf16 has no plan")
    if row["ddp_bucket_view"] == "1":
        raise Skip("gradients as views of DDP's buckets have no plan")
    if row["optimizer"] == "none":
        raise Skip("a run that never steps has no plan")


def check_activations(row: Row) -> None:
    for name, values in ASSUMED.items():
        if row[name] not in values:
            raise Skip(f"{name}={row[name]} has no plan")


def plan_of(row: Row) -> Plan:
    titan = row["framework"] == "torchtitan"
    sharding = known(SHARDINGS, row["sharding"].split(" ")[0].split("+")[0], "sharding")
    replicas, shard = whole(row, "dp_replicate", 1), whole(row, "dp_shard", 1)
    if sharding == Sharding.FSDP and replicas > 1:
        sharding = Sharding.HSDP
    return Plan(
        framework=Framework.TORCHTITAN if titan else Framework.PYTORCH, sharding=sharding, tp=whole(row, "tp", 1),
        dp=replicas * shard, dp_shard=shard, micro_batch=whole(row, "mbs"), accumulation=1, seq=whole(row, "seq"),
        sequence_parallel="+sp" in row["sharding"], precision=POLICIES[row["dtype_policy"]],
        recompute=Recompute.FULL if row["ac"] == "full" else Recompute.NONE, attention=attention_of(row),
        optimizer=known(OPTIMIZERS, row["optimizer"].partition("_")[0], "optimizer"),
        dropout=row["model"].startswith("gpt2") and "nodrop" not in row["model"])


def states(memory: dtcore.Memory, row: Row) -> int:
    """What is there outside forward and backward."""
    gradients = memory.gradients if row["when"].endswith("after_backward") else 0
    # Adam's states come with the first step; the traces of DDP make them beforehand.
    stepped = row["when"] not in ("init", "iter1_after_backward") or row["sharding"] == "ddp"
    copies = memory.buckets if row["sharding"] in ("single", "ddp") and row["when"] != "init" else 0
    return memory.weights + gradients + copies + (memory.optimizer if stepped else 0)


def peak(memory: dtcore.Memory, row: Row) -> int:
    """Peak of a whole step; workspaces of kernels are not in the trace."""
    check_activations(row)
    at_step = row["when"].endswith("peak_step")
    if (memory.moment == Moment.STEP) != at_step:
        raise Skip("the library reports the peak of a whole step: it lies at another moment")
    if at_step and "foreach" not in row["optimizer"] and row["framework"] != "torchtitan":
        raise Skip(f"temporaries of {row['optimizer']} have no plan")
    return memory.allocated - memory.workspace


def total(row: Row) -> float:
    check_states(row)
    is_peak = row["when"] in ("iter2_peak_forward_backward", "iter2_peak_step")
    if not is_peak and not row["when"].endswith(("init", "after_backward", "end")):
        raise Skip("a moment that the library does not report")
    plan = plan_of(row)
    if is_peak:
        return peak(dtcore.memory(model_of(row), None, plan), row)
    # From the second micro-batch on the gradients are there at every moment.
    return states(dtcore.memory(model_of(row), None, replace(plan, accumulation=2)), row)


def questions(row: Row) -> Iterator[Question]:
    yield Question(row["set"], "traced_bytes", real(row, "total"), lambda: total(row))
