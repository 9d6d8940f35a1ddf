"""Runs that shard data-parallel states: TorchTitan, MosaicML's FSDP, DeepSpeed ZeRO."""
from __future__ import annotations

import dtcore
from dtcore import (
    Arch, Framework, Loss, Model, Norm, Plan, Position, Precision, Recompute, RecomputeMethod, Sharding,
)

import megatron
from tables import Row, Skip, known, need, ranged, whole


# TorchTitan compiles the loss since 2025-05; torchao's tables of these GPUs are younger.
COMPILED_LOSS = ("MI", "B2")
OLD_TITAN = 2  # 0.0.2: of 2024-12 and 2025-03, with PyTorch 2.5 and 2.6
FP8 = ("float8", "fp8", "rowwise")


def recompute_of(row: Row) -> Recompute:
    text = row["recompute"].lower()
    if text == "none":
        return Recompute.NONE
    if text.startswith("full"):
        return Recompute.FULL
    if not text:
        raise Skip("not in the row: recompute")
    raise Skip("selective recomputation by operator or by layer: a plan knows only that of the attention core")


def titan_recompute(row: Row) -> dict[str, int]:
    text = row["recompute"].lower()
    if "every 2nd" in text:
        return dict(recompute=Recompute.FULL, recompute_method=RecomputeMethod.EVERY, recompute_layers=2)
    if "sac" in text or "op" in text or "selective ac" in text:
        return dict(recompute=Recompute.SELECTIVE)
    return dict(recompute=recompute_of(row))


def titan_precision(row: Row) -> Precision:
    text = (row["precision"] + row.get("flags", "")).lower()
    return Precision.FP8 if any(word in text for word in FP8) else megatron.precision_of(row)


def titan_model(row: Row) -> Model:
    """Llama; of Llama 4 Scout the table says width and heads only: 16 experts and a shared one, one of them a token."""
    if "Scout" in row["model"]:
        return Model(
            arch=Arch.MEGATRON, layers=whole(row, "layers"), hidden=whole(row, "hidden"), heads=whole(row, "heads"),
            kv_heads=whole(row, "kv_heads"), ffn=16384, vocab=202048, norm=Norm.RMSNORM, gated=True, tied=False,
            qkv_bias=False, out_bias=False, mlp_bias=False, experts=16, top_k=1, moe_ffn=8192, shared_ffn=8192)
    need(row, *megatron.SHAPE, "vocab")
    return megatron.llama(row)


def titan_question(row: Row) -> tuple[Model, Plan]:
    """TorchTitan's Llama."""
    if whole(row, "pp", 1) > 1:
        raise Skip("pipeline parallelism in TorchTitan is not modelled")
    need(row, "micro_batch")
    flags = (row.get("flags", "") + row.get("extra", "")).lower()
    young = row["gpu"].startswith(COMPILED_LOSS)
    return titan_model(row), Plan(**megatron.layout(row) | titan_recompute(row) | dict(
        framework=Framework.TORCHTITAN, framework_version=1000 if young else OLD_TITAN, sharding=Sharding.FSDP,
        precision=titan_precision(row), compile="compile" in flags and "nocompile" not in flags,
        loss=Loss.COMPILED if young else Loss.UPCAST,
        sequence_parallel=row.get("sp", row.get("seq_par")) == "1"))


def titan(row: Row) -> float:
    """Its log says GiB reserved; tables made from the log may say GB."""
    model, plan = titan_question(row)
    return ranged(megatron.worst(model, row, plan), "reserved")


def mosaic(row: Row) -> tuple[Model, Plan]:
    """MPT: LayerNorm and linear layers without biases, learned positions, plain MLP, tied."""
    need(row, *megatron.SHAPE, "vocab")
    model = Model(
        arch=Arch.MEGATRON, layers=whole(row, "layers"), hidden=whole(row, "hidden"), heads=whole(row, "heads"),
        ffn=whole(row, "ffn"), vocab=whole(row, "vocab"), norm=Norm.LAYERNORM, position=Position.LEARNED,
        context=whole(row, "seq"), tied=True, gated=False, qkv_bias=False, out_bias=False, mlp_bias=False)
    return model, Plan(**megatron.layout(row) | dict(
        # mp=PURE: gradients are reduced in bf16, the shards stay in fp32. The loss is flash-attn's, one kernel.
        framework=Framework.PYTORCH, sharding=Sharding.FSDP, precision=Precision.BF16, recompute=recompute_of(row),
        reshard="SHARD_GRAD_OP" not in row["dp_sharding"], loss=Loss.COMPILED))


def deepspeed(row: Row) -> tuple[Model, Plan]:
    """DeepSpeed ZeRO; the GPTs of its published runs."""
    need(row, *megatron.SHAPE)
    stage = known({"1": Sharding.ZERO1, "2": Sharding.ZERO2, "3": Sharding.ZERO3}, row["zero_stage"], "ZeRO stage")
    return megatron.gpt(row), megatron.plan(row, framework=Framework.DEEPSPEED, sharding=stage)


def swift(row: Row) -> float:
    """ms-swift with DeepSpeed; where the row is silent, its defaults: micro-batch 1, checkpointing. It logs
    torch.cuda.max_memory_reserved()."""
    if "LoRA" in row["framework"]:
        raise Skip("not in the row: the adapters, seq, micro_batch")
    sharding = {"ZeRO-2": Sharding.ZERO2, "ZeRO-3": Sharding.ZERO3}.get(row["zero_or_fsdp"])
    if sharding is None:
        raise Skip("not in the row: tp, micro_batch")
    need(row, "layers", "hidden", "heads", "seq", "num_gpus", "ffn")
    plan = Plan(framework=Framework.DEEPSPEED, sharding=sharding, dp=whole(row, "num_gpus"), micro_batch=1,
                accumulation=1, seq=whole(row, "seq"), recompute=Recompute.FULL)
    return ranged(dtcore.memory(megatron.llama(row), megatron.cluster_of(row), plan), "reserved")
