"""measured_megatron_bridge.csv: tables of Megatron-Bridge's performance summary, as rows of measured_throughput.csv."""
from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import dtcore

import configs
import runs
import step
from tables import Question, Row, Skip, real, whole

COLUMNS = {  # theirs -> that of measured_throughput
    "#-GPUs": "n_gpus", "GBS": "global_batch", "MBS": "micro_batch", "Sequence Length": "seq_len", "TP": "tp",
    "PP": "pp", "CP": "cp", "VP": "vpp", "EP": "ep", "set": "set",
}  # fmt: skip


def named(row: Row) -> tuple[str, str]:
    """System and model: older tables have a system's rows under its name."""
    if row["model"].startswith("System"):
        return row["model"].partition("DGX-")[2], row["Model"]
    return row["System"].removeprefix("DGX-"), row["model"]


def switches(row: Row, gpu: str, experts: bool) -> str:
    """What the release's recipes turn on for experts; the tables do not say it. Hybrid-EP from 26.02; on GB200 and
    GB300 partial graphs from then, whole steps as graphs and overlapped all-to-all from 26.06; elsewhere partial graphs
    from 26.06."""
    release = tuple(int(part) for part in row["release"].split()[0].split(".")[:2])
    if not experts:
        return ""
    said = ["hybridep"] if release >= (26, 2) else []
    if gpu.startswith("GB"):
        said += (["cuda_graph=full_iteration", "moe_a2a_overlap"] if release >= (26, 6) else
                 ["transformer_engine"] if release >= (26, 2) else [])
    elif release >= (26, 6):
        said.append("transformer_engine")
    return "; ".join(said)


def as_run(row: Row) -> step.Run:
    gpu, name = named(row)
    known = configs.CATALOGUE.get(configs.squeezed(name.split(" (")[0]))
    if known is None:
        raise Skip("a model that the catalogue does not hold: a hybrid, or newer")
    model = dtcore.model_find(known)
    extra = switches(row, gpu, model.experts > 0)
    if "tokendrop" in name + row["Model"]:
        extra += "; tokendrop"
    if "LoRA" in row["section"]:
        extra += "; LoRA"
    said = defaultdict(str, {ours: row[theirs] for theirs, ours in COLUMNS.items()}) | {
        "gpu": gpu, "extra": extra, "framework": "NeMo Megatron-Bridge", "model": known,
        "fw_version": row["release"], "precision": row["Precision"].split(" (")[0] or "FP8-CS",
        "zero_stage": "3" if whole(row, "FSDP") else "1", "n_experts": str(model.experts), "etp": "1"}
    run = step.megatron_core(said | shape_cells(model), runs.cluster_of(said))
    # The catalogue knows more than a row can say; DeepSeek's recipe has its module of multi-token prediction.
    model = replace(model, mtp_layers=run.model.mtp_layers)
    return run._replace(model=model)


def shape_cells(model: dtcore.Model) -> Row:
    """The columns that a rule asks a row for."""
    return {"n_layers": str(model.layers), "hidden": str(model.hidden), "n_heads": str(model.heads), "mlp_gated": "1",
            "n_dense_layers": str(model.dense_layers), "moe_topk": str(model.top_k), "moe_ffn": str(model.moe_ffn)}


def questions(row: Row) -> Iterator[Question]:
    """Two precisions in a row: the number of the first."""
    first = re.match(r"[\d.]+", row["Tokens / sec / GPU"])
    measured = real({"": first[0]}, "") if first else None

    def ask() -> float:
        run = as_run(row)
        facts = {"framework": "NeMo Megatron-Bridge", "gpu": named(row)[0], "set": row["set"],
                 "model": f"{named(row)[1]}, {row['release']}",  # of two releases nobody chooses
                 "seq_par": "", "extra": "", "flops_formula": ""}
        return step.timed(facts, run, "tokens_per_s_per_gpu")

    yield Question(row["set"], "tokens_per_s_per_gpu", measured, ask)
