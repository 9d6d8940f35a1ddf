"""Runs of Megatron-LM, and of frameworks that train like it, from the columns that most truth files share."""
from __future__ import annotations

import re
from dataclasses import replace

import dtcore
from dtcore import (
    Arch, Attention, Framework, GradDtype, Loss, Model, Norm, Plan, Position, Precision, Recompute, Sharding, Stage,
)

from tables import Row, Skip, is_on, largest, need, ranged, whole

SHAPE = ("layers", "hidden", "heads", "ffn", "seq", "micro_batch")
# GPU of the row -> catalogue; the first whose name begins the cell.
GPUS = {
    "A100": "a100-80gb",
    "A800": "a800-80gb",
    "B200": "b200",
    "GB200": "gb200",
    "GB300": "gb300",
    "H100": "h100-80gb",
    "H200": "h200",
    "H800": "h800-80gb",
    "MI300X": "mi300x",
    "V100 16GB": "v100-16gb",
    "V100": "v100-32gb",
}


def cluster_of(row: Row) -> dtcore.Cluster | None:
    """The GPU, for its kernels' workspaces."""
    for start, name in GPUS.items():
        if row.get("gpu", "").startswith(start):
            return dtcore.gpu_find(name)
    return None


def llama(row: Row, **more) -> Model:
    """RMSNorm, rotary positions, gated MLP, no biases, untied."""
    return Model(
        arch=Arch.LLAMA, layers=whole(row, "layers"), hidden=whole(row, "hidden"), heads=whole(row, "heads"),
        kv_heads=whole(row, "kv_heads"), ffn=whole(row, "ffn"), vocab=largest(row, "vocab"), **more)


def gpt(row: Row, **more) -> Model:
    """Megatron's GPT: LayerNorm, learned positions, plain MLP of 4 h, biases, tied."""
    return Model(
        arch=Arch.MEGATRON, layers=whole(row, "layers"), hidden=whole(row, "hidden"), heads=whole(row, "heads"),
        kv_heads=whole(row, "kv_heads"), ffn=whole(row, "ffn"), vocab=largest(row, "vocab"), norm=Norm.LAYERNORM,
        position=Position.LEARNED, context=whole(row, "seq"), tied=True, gated=False, qkv_bias=True, out_bias=True,
        mlp_bias=True, **more)


def precision_of(row: Row) -> Precision:
    text = row.get("precision", "").lower()
    for word in ("fp8", "float8", "mxfp8"):
        if word in text or word in row.get("flags", "").lower():
            raise Skip("not in the row: which products and weights are in fp8")
    for word, value in (("bf16", Precision.BF16), ("fp16", Precision.FP16), ("fp32", Precision.FP32)):
        if word in text:
            return value
    raise Skip("not in the row: precision")


def recompute_of(row: Row) -> Recompute:
    text = row.get("recompute", "").lower()
    if text == "none":
        return Recompute.NONE
    if text.startswith("full"):
        return Recompute.FULL
    if text in ("selective", "selective(attention)+sp", "sp+selective", "selective core_attn"):
        return Recompute.SELECTIVE
    raise Skip(f"recomputation of other parts: {text}" if text else "not in the row: recompute")


def layout(row: Row) -> dict[str, int | bool]:
    """Degrees and batch of the row as fields of a plan."""
    degrees = {name: whole(row, name, 1) for name in ("tp", "pp", "cp", "ep")}
    dp = whole(row, "dp") or max(1, whole(row, "num_gpus", 1) // (degrees["tp"] * degrees["pp"] * degrees["cp"]))
    micro = whole(row, "micro_batch")
    # A last, smaller batch is not modelled: whole micro-batches only.
    steps = max(1, largest(row, "global_batch") // (micro * dp)) if largest(row, "global_batch") else 0
    return dict(degrees, etp=whole(row, "etp"), vpp=whole(row, "vpp", 1), dp=dp, micro_batch=micro,
                seq=whole(row, "seq"), accumulation=steps, sequence_parallel="1" in (row.get("sp"), row.get("seq_par")))


def is_eager(row: Row) -> bool:
    """Attention that keeps its scores; Megatron-LM has flash attention since 2023."""
    kernel = row.get("attention", "") + row.get("extra", "")
    year = row.get("fw_version", "") + row.get("framework", "")
    return "unfused" in kernel or "kernel: torch" in kernel or "kernel: fused" in kernel or any(
        word in year for word in ("SC21", "2022", "BigScience"))


def plan(row: Row, **more) -> Plan:
    """A plan of Megatron's with what the row says; `more` goes before it."""
    eager = is_eager(row)
    said = dict(layout(row), framework=Framework.MEGATRON,
                precision=more.get("precision") or precision_of(row),
                recompute=more.get("recompute") or recompute_of(row),
                attention=Attention.EAGER if eager else Attention.FLASH,
                dropout=eager and "Megatron" in row["framework"])  # GPTs of before 2023 trained with it
    return Plan(**(said | more))


def spread(model: Model, plan: Plan) -> list[Stage] | None:
    """Stages where pp does not divide the layers, which Megatron refuses: as DeepSpeed's pipeline makes them."""
    each, more = divmod(model.layers, max(plan.pp, 1))
    if plan.pp < 2 or not more:
        return None
    return [Stage(layers=each + (i < more), embedding=int(i == 0), head=int(i == plan.pp - 1)) for i in range(plan.pp)]


def worst(model: Model, row: Row, plan: Plan) -> dtcore.Memory:
    return dtcore.memory(model, cluster_of(row), plan)


# ---- sets of measured_memory.csv

MODULES = ("core_attn", "mlp", "layernorm", "moe_act", "mla_up_proj", "moe", "shared_experts")


def modules_of(row: Row) -> dict:
    """Recomputation by module: `selective core_attn+layernorm`."""
    named = [word for word in re.findall(r"[a-z_]+", row["recompute"]) if word in MODULES]
    if not named:
        return dict(recompute=recompute_of(row) if row["recompute"] else Recompute.NONE)
    return dict(recompute=Recompute.SELECTIVE) | {f"recompute_{name}": True for name in named}


# Transformer Engine as these runs use it: fused attention without a mask from the data loader, its own cross entropy.
MODERN = dict(attention=Attention.CUDNN, attention_mask=False, loss=Loss.TE)


def simumax(row: Row) -> float:
    """Llama 3 70B, or DeepSeek with every expert filled up to its capacity, at full width and few layers."""
    need(row, "layers", "seq", "micro_batch")
    more = dict(MODERN)
    if "deepseek" in row["model"].lower():
        name = "deepseek-v3" if "v3" in row["model"].lower() else "deepseek-v2"
        model = replace(dtcore.model_find(name), layers=whole(row, "layers"), dense_layers=1, mtp_layers=0)
        more |= dict(capacity_percent=100)
    else:
        need(row, *SHAPE)
        model = llama(row)
    stages = dtcore.memory_stages(model, cluster_of(row), plan(row, sharding=Sharding.DISTOPT, **more))
    field = "reserved" if "reserved" in row["component"] else "allocated"
    stage = re.search(r"stage (\d+)", row["component"])
    if stage and int(stage[1]) >= len(stages):
        raise Skip("a stage that the run does not have")
    return ranged(stages[int(stage[1]) if stage else int(stages[field].argmax())], field)


def saved(model: Model, plan: Plan) -> float:
    """What the layers of stage 0 keep for backward."""
    terms = dtcore.memory_terms(model, None, plan, 0)
    return float(sum(int(term["bytes"]) for term in terms
                     if dtcore.memory_term_text(int(term["index"])) == "saved for backward, all micro-batches in flight"))


def korthikanti(row: Row) -> float:
    """Formulas of arXiv 2205.05198: 18 bytes for each of 12 L h^2 parameters; activations of stage 0, dropout on."""
    need(row, "layers", "hidden", "heads", "seq", "micro_batch", "tp", "pp")
    said = layout(row)
    if row["component"].startswith("params"):
        params = 12 * whole(row, "layers") * whole(row, "hidden") ** 2 // (said["tp"] * said["pp"])
        # fp16 training with gradients accumulated in fp32: 2 + 4 + 4 + 8
        return dtcore.memory_states(params, Plan(
            framework=Framework.MEGATRON, sharding=Sharding.DDP, precision=Precision.FP16,
            grad_dtype=GradDtype.FP32)).total
    shape = replace(gpt(row), vocab=51200)  # of the paper; what is asked does not depend on it
    return saved(shape, plan(row, precision=Precision.BF16, attention=Attention.EAGER, dropout=True,
                             sequence_parallel="SP" in row["recompute"], accumulation=4 * said["pp"]))


def bridge(row: Row) -> float:
    """Megatron-Bridge: gradients in bf16, weights kept in fp8 where products are; Qwen3's with gradients in fp32."""
    if "LoRA" in row["flags"] + row["model"]:
        raise Skip("not in the row: sequence, batch")
    if "hybrid" in row["model"].lower():
        raise Skip("a hybrid whose pattern is not in the row")
    if "offload" in row["flags"]:
        raise Skip("not in the row: sequence, batch")
    if "OOM" in row["notes"]:
        raise Skip("the run died: its peak is a lower bound")
    need(row, "seq", "micro_batch")
    more = MODERN | modules_of(row) | dict(grad_fusion=False, sharding=Sharding.DISTOPT)
    if "Qwen3-30B-A3B" in row["model"] and not row["layers"]:
        model = dtcore.model_find("qwen3-30b-a3b")
    else:
        need(row, *SHAPE)
        model = llama(row)
        more |= dict(grad_dtype=GradDtype.SIXTEEN_BIT)
    if "fp8" in row["precision"]:
        more |= dict(precision=Precision.FP8, fp8_params=True)
    else:
        more |= dict(precision=precision_of(row))
    return ranged(worst(model, row, plan(row, **more)), "allocated")


def dense(row: Row) -> float:
    """Any other dense run whose row says everything, as Megatron would train it with gradients in bf16."""
    need(row, *SHAPE, "vocab")
    if not row["recompute"]:
        raise Skip("not in the row: recompute")
    if whole(row, "ep", 1) > 1:
        raise Skip("not in the row: experts")
    sharded = any(word in row["zero_or_fsdp"].lower() for word in ("zero-3", "zero3", "fsdp"))
    return ranged(worst(llama(row), row, plan(
        row, sharding=Sharding.FSDP if sharded else Sharding.DISTOPT, grad_dtype=GradDtype.SIXTEEN_BIT,
        grad_fusion=False, attention_mask=False)), "allocated")


# ---- fit or not


def aleph_alpha(row: Row) -> tuple[Model, Plan]:
    """Aleph Alpha's scaling; the kernels of attention and RMSNorm are in the row."""
    need(row, *SHAPE)
    kernel = row["extra"]
    attention = (Attention.FLASH if "flash" in kernel else Attention.MATH if "kernel: torch" in kernel
                 else Attention.EAGER)
    return llama(row), plan(row, framework=Framework.SCALING, sharding=Sharding.ZERO1, attention=attention,
                            dropout=False, fused_norm="RMS kernel" in kernel)


def megatron(row: Row) -> tuple[Model, Plan]:
    """Megatron-LM proper. GPTs train with dropout unless the row is of a test without."""
    need(row, *SHAPE)
    if whole(row, "pp", 1) > 1 and "not tabulated" in row.get("schedule", ""):
        raise Skip("not in the row: vpp")
    shape = llama(row) if is_on(row, "mlp_gated") else gpt(row)
    sharding = Sharding.DDP if row.get("zero_stage") == "0" else Sharding.DISTOPT
    return shape, plan(row, sharding=sharding)
