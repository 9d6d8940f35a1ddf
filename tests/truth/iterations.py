"""measured_megatron_ci_itertime.csv: time of an iteration of Megatron-LM's functional tests, bound by the host."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import dtcore

import functional
import runs
import step
from tables import Question, Row, Skip, is_on, real

# Column -> argument of Megatron-LM, the names of measured_megatron_functional.
ARGUMENTS = {
    "test_case": "test_case", "platform": "platform", "golden_file": "golden_file", "num_layers": "num-layers",
    "hidden": "hidden-size", "heads": "num-attention-heads", "kv_groups": "num-query-groups", "ffn": "ffn-hidden-size",
    "seq": "seq-length", "mbs": "micro-batch-size", "gbs": "global-batch-size", "tp": "tensor-model-parallel-size",
    "pp": "pipeline-model-parallel-size", "cp": "context-parallel-size", "ep": "expert-model-parallel-size",
    "etp": "expert-tensor-parallel-size", "vpp_layers": "num-layers-per-virtual-pipeline-stage",
    "num_experts": "num-experts", "topk": "moe-router-topk", "moe_ffn": "moe-ffn-hidden-size", "swiglu": "swiglu",
    "distopt": "use-distributed-optimizer", "fsdp": "use-megatron-fsdp", "sp": "sequence-parallel",
    "attn": "attention-backend", "fp8": "fp8-format", "bf16": "bf16", "te": "transformer-impl",
}  # fmt: skip
NUMBERS = ("num_layers", "hidden", "heads", "kv_groups", "ffn", "seq", "mbs", "gbs", "tp", "pp", "cp", "ep", "etp",
           "vpp_layers", "num_experts", "topk", "moe_ffn")
# Families and words of a test's name -> what is not in the row.
FAMILIES = {
    "hybrid": "a hybrid's pattern", "mimo": "a vision tower", "multimodal-llava": "a vision tower", "t5": "an encoder",
}  # fmt: skip

UNSAID: Row = {"extra": ""}  # no layout of stages; those that do not divide the layers count embedding and head


def arguments(row: Row) -> Row:
    said = defaultdict(str, {theirs: row[ours] for ours, theirs in ARGUMENTS.items()})
    kind, _, rest = row["recompute"].partition(" ")
    said |= {"max-position-embeddings": row["seq"], "platform": "dgx_" + row["platform"].lower(),
             "recompute-granularity": kind, "recompute-num-layers" if kind == "full" else "recompute-modules": rest.strip("[]"),
             "vocab-size": str(int(real(row, "vocab")) - 1) if real(row, "vocab") else "",
             "tokenizer-type": "NullTokenizer" if real(row, "vocab") else "",
             "num_gpus": str(int(real(row, "nodes") * real(row, "gpus_per_node"))) if real(row, "nodes") else ""}
    return said


def run_of(row: Row) -> step.Run:
    family = row["test_case"].partition("/")[0]
    if family in FAMILIES:
        raise Skip(f"not in the row: {FAMILIES[family]}")
    if is_on(row, "mla"):
        raise Skip("not in the row: the ranks of latent attention")
    if not real(row, "nodes") and "release" in row["test_case"]:
        raise Skip("not in the row: number of GPUs")
    if not real(row, "gbs"):
        raise Skip("not in the row: the batch")
    said = arguments(row)
    cluster = replace(dtcore.gpu_find(functional.GPUS.get(said["platform"], "a100-80gb")), nodes=0)
    model, plan = functional.model_of(said), functional.plan_of(said)
    # A batch that groups of pp do not divide is one that the test tunes the groups for.
    group = plan.accumulation if plan.vpp > 1 and plan.accumulation % plan.pp else 0
    plan = replace(plan, group=group, grad_overlap=is_on(row, "overlap_grad"),
                   param_overlap=is_on(row, "overlap_param"))
    return step.Run(model, cluster, plan, runs.stages_of(UNSAID, model, plan.pp, plan.vpp, True), "tests")


def questions(row: Row) -> Iterator[Question]:
    def ask() -> float:
        facts = {"framework": "Megatron-LM, functional tests", "gpu": row["platform"], "set": row["set"],
                 "model": row["test_case"], "seq_par": "", "extra": "", "flops_formula": ""}
        return step.timed(facts, run_of(row), "s_per_iter")

    yield Question(row["set"], "s_per_iter", real(row, "iter_time_median_s"), ask)
