"""Runs that shard data-parallel states: TorchTitan, MosaicML's FSDP, DeepSpeed ZeRO."""
from __future__ import annotations

import dtcore
from dtcore import Arch, Framework, Model, Norm, Plan, Position, Precision, Recompute, Sharding

import megatron
from tables import Row, Skip, known, need, whole


def recompute_of(row: Row) -> Recompute:
    text = row["recompute"].lower()
    if text == "none":
        return Recompute.NONE
    if text.startswith("full"):
        return Recompute.FULL
    if not text:
        raise Skip("not in the row: recompute")
    raise Skip("selective recomputation by operator or by layer: a plan knows only that of the attention core")


def titan_question(row: Row) -> tuple[Model, Plan]:
    """TorchTitan's Llama. torch.compile has no field in a plan."""
    precision = megatron.precision_of(row)
    if "rowwise" in row["precision"] + row.get("flags", ""):
        raise Skip("fp8 is not modelled")
    if whole(row, "pp", 1) > 1:
        raise Skip("pipeline parallelism in TorchTitan is not modelled")
    recompute = recompute_of(row)
    need(row, *megatron.SHAPE, "vocab")
    return megatron.llama(row), Plan(**megatron.layout(row) | dict(
        framework=Framework.TORCHTITAN, sharding=Sharding.FSDP, precision=precision, recompute=recompute,
        sequence_parallel=row.get("sp", row.get("seq_par")) == "1"))


def titan(row: Row) -> float:
    """Its log says GiB reserved; tables made from the log may say GB."""
    model, plan = titan_question(row)
    return megatron.worst(model, row, plan).reserved


def mosaic(row: Row) -> tuple[Model, Plan]:
    """MPT: LayerNorm and linear layers without biases, learned positions, plain MLP, tied."""
    if "mp=PURE" in row["dp_sharding"]:
        raise Skip("training wholly in bf16 has no plan")
    need(row, *megatron.SHAPE, "vocab")
    model = Model(
        arch=Arch.MEGATRON, layers=whole(row, "layers"), hidden=whole(row, "hidden"), heads=whole(row, "heads"),
        ffn=whole(row, "ffn"), vocab=whole(row, "vocab"), norm=Norm.LAYERNORM, position=Position.LEARNED,
        context=whole(row, "seq"), tied=True, gated=False, qkv_bias=False, out_bias=False, mlp_bias=False)
    return model, Plan(**megatron.layout(row) | dict(
        framework=Framework.PYTORCH, sharding=Sharding.FSDP, precision=Precision.BF16, recompute=recompute_of(row)))


def deepspeed(row: Row) -> tuple[Model, Plan]:
    """DeepSpeed ZeRO; the GPTs of its published runs."""
    need(row, *megatron.SHAPE)
    stage = known({"1": Sharding.ZERO1, "2": Sharding.ZERO2, "3": Sharding.ZERO3}, row["zero_stage"], "ZeRO stage")
    return megatron.gpt(row), megatron.plan(row, framework=Framework.DEEPSPEED, sharding=stage)


def swift(row: Row) -> float:
    """ms-swift with DeepSpeed; where the row is silent, its defaults: micro-batch 1, checkpointing."""
    if "LoRA" in row["framework"]:
        raise Skip("LoRA and frozen weights are not modelled")
    sharding = {"ZeRO-2": Sharding.ZERO2, "ZeRO-3": Sharding.ZERO3}.get(row["zero_or_fsdp"])
    if sharding is None:
        raise Skip("not in the row: tp, micro_batch")
    need(row, "layers", "hidden", "heads", "seq", "num_gpus", "ffn")
    plan = Plan(framework=Framework.DEEPSPEED, sharding=sharding, dp=whole(row, "num_gpus"), micro_batch=1,
                accumulation=1, seq=whole(row, "seq"), recompute=Recompute.FULL)
    return dtcore.memory(megatron.llama(row), megatron.cluster_of(row), plan).device
