"""Speed of published runs: how each framework's rows become a plan, and the one metric that a row has."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import dtcore
from dtcore import (
    Attention, Cluster, CudaGraph, FlopsConvention, Framework, GradDtype, Loss, Model, Offload, Plan, Position,
    Precision, Schedule, Sharding, Stage, StepParams, Tuning,
)

import bigscience
import runs
from tables import Question, Row, Skip, Timed, is_on, real, whole

# Column -> metric that it is; the first that a row has.
METRICS = {
    "s_per_iter": "s_per_iter",
    "derived_s_per_iter": "s_per_iter",
    "tokens_per_s_per_gpu": "tokens_per_s_per_gpu",
    "tflops_per_gpu": "tflops_per_gpu",
    "mfu_pct": "mfu_pct",
}
# What ran, by what the rules below call it -> name of its constants in the library.
SOFTWARE = {
    "SC21": "megatron",
    "2022": "megatron",
    "ZeRO-3": "deepspeed-2021",
    "BLOOM": "bloom",
    "vTrain": "megatron-deepspeed",
    "scaling": "scaling",
    "InternEvo": "internevo",
    "Composer": "composer",
    "FSDP": "fsdp",
    "TorchTitan": "torchtitan",
    "nanotron": "megatron",
    "NeMo": "megatron",
    "Megatron-LM": "megatron-plain",
    "tests": "megatron-tests",
    "MaxText": "maxtext",
    "Pax": "pax",
}


class Run(NamedTuple):
    """A row as the library is asked for it."""

    model: Model
    cluster: Cluster
    plan: Plan
    stages: list[Stage] | None
    software: str


def plan_of(row: Row, cluster: Cluster, sharded: bool = False, **more) -> Plan:
    """Degrees, batch, precision, recomputation and experts of the row; `more` goes before them."""
    said = (runs.degrees_of(row, sharded) | runs.precision_of(row, cluster) | runs.recompute_of(row)
            | runs.experts_plan(row))
    split = is_on(row, "seq_par") or real(row, "seq_par") == 1 or "SP" in row["recompute"]
    return Plan(**(dict(said, sequence_parallel=split and said["tp"] > 1) | more))


def megatron_sharding(row: Row) -> Sharding:
    return {3: Sharding.FSDP, 2: Sharding.DISTOPT, 1: Sharding.DISTOPT}.get(whole(row, "zero_stage"), Sharding.DDP)


# ---- Megatron-LM


def megatron_old(row: Row, cluster: Cluster) -> Run:
    """Megatron-LM of before Megatron-Core: GPTs with dropout. 2021 adds weight gradients by kernels of their own and
    reduces them in fp16; 2022 adds them in the products, in fp32. With flash attention it is the baseline of NSDI24."""
    first = "SC21" in row["fw_version"]
    flash = "NSDI" in row["fw_version"] or runs.gpu_of(row).startswith("H")
    plan = plan_of(
        row, cluster, framework=Framework.MEGATRON, sharding=megatron_sharding(row), transformer_engine=False,
        attention=Attention.FLASH if flash else Attention.EAGER, flash_version=2 if flash else 0, dropout=not flash,
        p2p_overlap=None if whole(row, "pp") == 2 else False, grad_dtype=GradDtype.SIXTEEN_BIT if first or flash else GradDtype.FP32,
        grad_fusion=not first)
    model = runs.model_of(row, tied=True)
    return Run(model, cluster, plan, runs.stages_of(row, model, plan.pp, plan.vpp, False), "SC21" if first else "2022")


def release_of(row: Row) -> tuple[int, int]:
    """Year and month of a container's name; the newest where there is none. r0.8 is of 24.07."""
    if "r0.8" in row["fw_version"]:
        return 24, 7
    found = re.search(r"\b(\d\d)\.(\d\d)\b", row["fw_version"])
    return (int(found[1]), int(found[2])) if found else (99, 0)


def modern_attention(row: Row, cluster: Cluster) -> dict:
    """Transformer Engine takes cuDNN's kernel from Hopper on; before 24.09, and on A100, flash attention 2."""
    if cluster.compute < 90 or (cluster.compute == 90 and release_of(row) < (24, 9)):
        return dict(attention=Attention.FLASH, flash_version=2)
    return dict(attention=Attention.CUDNN)


def graphs_of(row: Row) -> CudaGraph:
    """`cuda_graph=transformer_engine [...]`, `cuda_graph=full_iteration []`; `none full_iteration` is none."""
    if "full_iteration" in row["extra"] and "none full" not in row["extra"]:
        return CudaGraph.FULL
    return CudaGraph.PARTIAL if "transformer_engine" in row["extra"] else CudaGraph.NONE


def megatron_core(row: Row, cluster: Cluster) -> Run:
    """Megatron-Core as NeMo, Megatron-Bridge and MegaScale run it: everything that can overlap does, sequence parallel,
    gradients reduced in bf16, a pipeline layout that balances embedding and head. gpt-oss' clamped activation with biases is
    fused where whole steps are graphs. Meta's and DeepSeek's own frameworks,
    which say less, are asked for as it."""
    tp = whole(row, "tp", 1)
    lora = "LoRA" in row["extra"]
    plan = plan_of(
        row, cluster, framework=Framework.MEGATRON, sharding=megatron_sharding(row) if whole(row, "zero_stage")
        else Sharding.DISTOPT, sequence_parallel=tp > 1, tp_overlap=tp > 1, grad_overlap=True, param_overlap=True,
        grad_dtype=GradDtype.SIXTEEN_BIT, loss=Loss.TE, cuda_graph=graphs_of(row),
        activation_fusion="gpt-oss" not in row["model"] or graphs_of(row) is CudaGraph.FULL,
        tuning=Tuning.LORA if lora else Tuning.FULL, packed=400 if re.search("packed|finetun", row["extra"]) else 0,
        **modern_attention(row, cluster))
    gpt = row["model"].startswith("gpt3")
    model = runs.model_of(row, position=Position.LEARNED if gpt else Position.ROPE, tied=gpt)
    stages = runs.stages_of(row, model, plan.pp, plan.vpp, True)
    if plan.schedule == Schedule.DUALPIPE:
        stages = runs.from_both_ends(stages)
    return Run(model, cluster, plan, stages, "NeMo")


def megatron_plain(row: Row, cluster: Cluster) -> Run:
    """Megatron-LM of today as its script runs it: no overlap of tensor parallelism."""
    sharding = megatron_sharding(row)
    plan = plan_of(
        row, cluster, framework=Framework.MEGATRON, sharding=sharding, grad_overlap=True,
        param_overlap=sharding is not Sharding.DDP, loss=Loss.TE if "CE fusion" in row["extra"] else Loss.UPCAST,
        grad_fusion="no grad-accum fusion" not in row["extra"], **modern_attention(row, cluster))
    model = runs.model_of(row)
    kind = "tests" if "functional" in row["framework"] else "Megatron-LM"
    return Run(model, cluster, plan, runs.stages_of(row, model, plan.pp, plan.vpp, True), kind)


def nanotron(row: Row, cluster: Cluster) -> Run:
    plan = plan_of(
        row, cluster, framework=Framework.MEGATRON, sharding=megatron_sharding(row),
        sequence_parallel=whole(row, "tp") > 1, attention=Attention.FLASH, flash_version=2,
        grad_dtype=GradDtype.FP32, grad_fusion=False, grad_overlap=False)
    model = runs.model_of(row, position=Position.ROPE)
    return Run(model, cluster, plan, runs.stages_of(row, model, plan.pp, plan.vpp, False), "nanotron")


def internevo(row: Row, cluster: Cluster) -> Run:
    """ZeRO-1 over groups of ranks; gradients are reduced behind backward."""
    group = re.search(r"group (\d+)", row["dp_sharding"])
    plan = plan_of(
        row, cluster, framework=Framework.MEGATRON, sharding=Sharding.DISTOPT, dp_shard=int(group[1]) if group else 0,
        attention=Attention.FLASH, flash_version=1, grad_dtype=GradDtype.SIXTEEN_BIT, grad_fusion=False,
        grad_overlap=True)
    return Run(runs.model_of(row), cluster, plan, None, "InternEvo")


# ---- DeepSpeed


def offload_of(row: Row) -> Offload:
    """`With full cpu offload`, `Opt Offl=Y; Par Offl=N`."""
    if "full cpu offload" in row["extra"] or "Par Offl=Y" in row["extra"]:
        return Offload.PARAMS
    return Offload.OPTIMIZER if "Opt Offl=Y" in row["extra"] else Offload.DEFAULT


def zero3(row: Row, cluster: Cluster) -> Run:
    """DeepSpeed ZeRO-3 around Megatron's layers, 2021."""
    plan = plan_of(
        row, cluster, framework=Framework.DEEPSPEED, sharding=Sharding.ZERO3, attention=Attention.EAGER, dropout=True,
        grad_dtype=GradDtype.SIXTEEN_BIT, vocab_multiple=128 * whole(row, "tp", 1), offload=offload_of(row))
    return Run(runs.model_of(row, tied=True), cluster, plan, None, "ZeRO-3")


def megatron_deepspeed(row: Row, cluster: Cluster) -> Run:
    """Megatron's layers in DeepSpeed's pipeline engine: GPTs with dropout. BigScience's first trials are of ZeRO-3
    where there is no pipeline, whatever the table says: nothing less fits."""
    pp, stage = whole(row, "pp"), whole(row, "zero_stage")
    if pp == 1 and (stage == 3 or row["framework"].startswith("Megatron-LM /")):
        return zero3(row, cluster)
    kept = GradDtype.FP32 if "bf16" in row["precision"] else GradDtype.SIXTEEN_BIT
    sharding = {0: Sharding.DDP, 2: Sharding.ZERO2 if pp == 1 else Sharding.ZERO1}.get(stage, Sharding.ZERO1)
    plan = plan_of(
        row, cluster, framework=Framework.DEEPSPEED, vpp=1, sharding=sharding, attention=Attention.EAGER,
        dropout=not row["set"].startswith("vtrain"), grad_dtype=kept, grad_overlap=False, vocab_multiple=128 * whole(row, "tp", 1))
    model = runs.model_of(row, tied=True)
    stages = None
    if "production" in row["extra"] or "type:transformer|embedding" in row["extra"]:
        stages = bigscience.stages_of(row | {"extra": "type:transformer|embedding"}, model.layers, plan.pp)
    return Run(model, cluster, plan, stages, "vTrain" if row["set"].startswith("vtrain") else "BLOOM")


# ---- the others


def scaling(row: Row, cluster: Cluster) -> Run:
    """Aleph Alpha's scaling; the kernels of attention and RMSNorm are in the row."""
    kernel = row["extra"]
    attention = (Attention.FLASH if "flash" in kernel else Attention.MATH if "kernel: torch" in kernel
                 else Attention.EAGER)
    flash = {Attention.FLASH: 2 if "attention2" in kernel else 1}.get(attention, 0)
    plan = plan_of(
        row, cluster, framework=Framework.SCALING, sharding=Sharding.ZERO1, attention=attention, flash_version=flash,
        attention_dropout="flash" not in kernel, fused_norm="RMS kernel" in kernel, grad_dtype=GradDtype.FP32)
    return Run(runs.model_of(row), cluster, plan, None, "scaling")


def composer(row: Row, cluster: Cluster) -> Run:
    """MosaicML's Composer around FSDP, MPT. mp=DEFAULT reduces gradients in fp32, PURE in bf16."""
    plan = plan_of(
        row, cluster, True, framework=Framework.PYTORCH, sharding=Sharding.FSDP, attention=Attention.FLASH,
        flash_version=1, loss=Loss.COMPILED, reshard="SHARD_GRAD_OP" not in row["dp_sharding"],
        grad_dtype=GradDtype.FP32 if "DEFAULT" in row["dp_sharding"] else GradDtype.SIXTEEN_BIT)
    return Run(runs.model_of(row, tied=True), cluster, plan, None, "Composer")


def fsdp(row: Row, cluster: Cluster) -> Run:
    """PyTorch FSDP as IBM runs it: compiled unless the row says otherwise, flash attention 2."""
    eager = re.search(r"\beager\b|no.?compile|without compile", row["extra"])
    plan = plan_of(
        row, cluster, True, framework=Framework.PYTORCH, sharding=Sharding.FSDP, attention=Attention.FLASH,
        flash_version=2, compile=not eager, loss=Loss.UPCAST if eager else Loss.COMPILED, grad_dtype=GradDtype.FP32)
    return Run(runs.model_of(row), cluster, plan, None, "FSDP")


def torchtitan(row: Row, cluster: Cluster) -> Run:
    """In a pipeline the published batch is that of a data parallel rank: as many micro-batches as stages, where it
    holds so many. Vanilla and asynchronous tensor parallelism are in the row, and whether it was compiled."""
    said = runs.degrees_of(row, True)
    if said["pp"] > 1:
        parts = min(said["pp"], said["micro_batch"])
        said |= dict(micro_batch=said["micro_batch"] // parts, accumulation=said["accumulation"] * parts)
        said["vpp"] = 2 if "Interleaved" in row["schedule"] else 1
    compiled = "compile" in row["extra"]
    plan = plan_of(
        row, cluster, True, **said | dict(
            framework=Framework.TORCHTITAN, sharding=Sharding.FSDP, compile=compiled, grad_dtype=GradDtype.FP32,
            reshard=said["pp"] == 1, loss=Loss.COMPILED if compiled else Loss.UPCAST,
            tp_overlap=said["tp"] > 1 and bool(re.search("async ?TP", row["extra"], re.I))))
    return Run(runs.model_of(row, position=Position.ROPE), cluster, plan, None, "TorchTitan")


def jax(row: Row, cluster: Cluster) -> Run:
    """MaxText and Pax: FSDP that XLA compiles."""
    plan = plan_of(
        row, cluster, True, framework=Framework.TORCHTITAN, sharding=Sharding.FSDP, compile=True, loss=Loss.COMPILED,
        flash_version=2, grad_dtype=GradDtype.SIXTEEN_BIT)
    return Run(runs.model_of(row), cluster, plan, None, "Pax" if row["framework"].startswith("Pax") else "MaxText")


# Start of the framework's name -> rule; the first that matches.
RULES: dict[str, Callable[[Row, Cluster], Run]] = {
    "Aleph Alpha": scaling,
    "DeepSpeed ZeRO-3": zero3,
    "HF+DeepSpeed ZeRO": zero3,
    "HAI-LLM": megatron_core,
    "InternEvo": internevo,
    "MaxText": jax,
    "MegaScale": megatron_core,
    "Megatron-DeepSpeed": megatron_deepspeed,
    "Megatron-LM / Megatron-DeepSpeed": megatron_deepspeed,
    "Megatron-LM (Megatron-Core": megatron_core,
    "Megatron-LM (functional": megatron_plain,
    "Megatron-LM 0.": megatron_plain,
    "Megatron-L": megatron_old,  # Megatron-LM, Megatron-LLaMA
    "Meta internal": megatron_core,
    "MosaicML": composer,
    "NeMo": megatron_core,
    "Pax": jax,
    "PyTorch FSDP": fsdp,
    "TorchTitan": torchtitan,
    "nanotron": nanotron,
}


def run_of(row: Row) -> Run:
    rule = next((rule for start, rule in RULES.items() if row["framework"].startswith(start)), None)
    if rule is None:
        raise Skip(f"a framework without constants of time: {row['framework']}")
    return rule(row, runs.cluster_of(row))


# ---- the metric


@cache
def software(kind: str) -> int:
    """StepParams.software of what ran."""
    return dtcore.software_find(SOFTWARE[kind]) + 1


def params_of(run: Run) -> StepParams:
    return StepParams(software=software(run.software))


def estimate(run: Run) -> dtcore.Step:
    return dtcore.step(run.model, run.cluster, run.plan, run.stages, params_of(run))


# Words of the row's formula -> convention; the first that matches. What is left counts the whole square of attention.
CONVENTIONS = {
    r"96BsLh|96\*B": FlopsConvention.NARAYANAN_HFU,
    r"Korth": FlopsConvention.KORTHIKANTI,
    r"attention not counted": FlopsConvention.SIX_N,
    r"incl\. input embedding|N incl\. embeddings": FlopsConvention.PALM,
    r"causal half|6N_active\+6LHs": FlopsConvention.MEGATRON,
    r"": FlopsConvention.MEGATRON_FULL,
}


def unpiped(plan: Plan) -> Plan:
    """For what does not depend on the pipeline, and is asked without its stages."""
    return replace(plan, pp=1, vpp=1, schedule=Schedule.DEFAULT)


def model_flops(run: Run, convention: FlopsConvention, seconds: float) -> float:
    """FLOP/s of a GPU."""
    rate = dtcore.step_rates(run.model, run.cluster, unpiped(run.plan), convention, seconds)
    return rate.model_flops / seconds / gpus_of(run.plan)


def flops_per_gpu(row: Row, run: Run, seconds: float) -> float:
    """By the row's own formula."""
    formula = row["flops_formula"]
    if re.search(r"8\*N\*S|N\*4\*2", formula):  # eight times 12 L h^2, attention and head left out
        plan, model = run.plan, run.model
        tokens = plan.micro_batch * plan.accumulation * plan.dp * plan.seq
        return 96 * tokens * model.layers * model.hidden**2 / (seconds * gpus_of(plan))
    convention = next(value for words, value in CONVENTIONS.items() if re.search(words, formula))
    return model_flops(run, convention, seconds)


def gpus_of(plan: Plan) -> int:
    return plan.tp * plan.cp * plan.pp * plan.dp


def peak_of(run: Run) -> float:
    """Dense peak of the type that products run in."""
    return {Precision.FP4: run.cluster.fp4, Precision.FP8: run.cluster.fp8}.get(
        run.plan.precision, run.cluster.bf16 or run.cluster.fp16)


def mfu_of(run: Run, seconds: float) -> float:
    """Percent; 0 where a convention counts what is not computed: frozen weights, attention between packed sequences."""
    if run.plan.tuning == Tuning.LORA or run.plan.packed:
        return 0.0
    return 100 * model_flops(run, FlopsConvention.MEGATRON, seconds) / peak_of(run)


def value_of(row: Row, run: Run, metric: str, seconds: float) -> float:
    """What the row measured, of a step that takes so long."""
    if metric == "s_per_iter":
        return seconds
    plan = run.plan
    if metric == "tokens_per_s_per_gpu":
        return plan.micro_batch * plan.accumulation * plan.dp * plan.seq / seconds / gpus_of(plan)
    flops = flops_per_gpu(row, run, seconds)
    if metric == "tflops_per_gpu":
        return flops / 1e12
    peak = real(row, "peak_tflops_used")
    return 100 * flops / (peak * 1e12 if peak else run.cluster.bf16 or run.cluster.fp16)


# ---- what is known of a row beside its time


def framework_of(row: Row) -> str:
    """As mfu_by_framework.csv writes it."""
    name = re.sub(r" \(.*", "", row["framework"])
    return {"nanotron 0.5": "nanotron", "Meta internal": "Meta"}.get(name, name)


def group_of(row: Row, run: Run) -> tuple:
    """Runs that a planner would choose among: the same model, GPUs, batch, sequence, precision and attention kernel.
    Nothing for tests, which repeat one run."""
    if "test" in row["framework"]:
        return ()
    plan = run.plan
    kernel = re.search(r"kernel: ([^;]*)", row["extra"])
    return (row["model"], row["gpu"], run.model.layers, run.model.hidden, gpus_of(plan),
            plan.micro_batch * plan.accumulation * plan.dp, plan.seq, plan.precision, kernel[1] if kernel else "",
            row["seq_par"] if "bigscience" not in row["set"] else "")


def timed(row: Row, run: Run, metric: str) -> Timed:
    """What the library says of a run; the row says what it is called and how its FLOPs are counted."""
    found = estimate(run)
    value, low, high = (value_of(row, run, metric, x) for x in (found.seconds, found.low, found.high))
    return Timed(value, *sorted((low, high)), framework=framework_of(row), gpu=runs.gpu_of(row).partition("-")[0],
                 precision={Precision.FP8: "fp8", Precision.FP4: "fp4"}.get(run.plan.precision, "bf16/fp16"),
                 group=group_of(row, run), mfu=mfu_of(run, found.seconds), inverse=metric != "s_per_iter", run=run,
                 step=found)


def question(row: Row) -> Question:
    column = next((name for name in METRICS if real(row, name) is not None), "mfu_pct")
    metric = METRICS[column]
    return Question(row["set"], metric, real(row, column), lambda: timed(row, run_of(row), metric))
