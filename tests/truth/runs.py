"""What a published run says, as a model, a cluster and the parts of a plan: the columns of measured_throughput.csv."""
from __future__ import annotations

import math
import re
from dataclasses import fields, replace
from functools import cache

import dtcore
from dtcore import (
    Arch, Cluster, Dispatcher, Fabric, Fp8Recipe, Model, Norm, Position, Precision, Recompute, RecomputeMethod,
    Schedule, Stage,
)

import functional
from tables import Row, Skip, is_on, largest, real, whole

SHAPE = ("n_layers", "hidden", "n_heads")
# Words of the GPU's cell -> catalogue; the first that is in it.
GPUS = {
    "GB300": "gb300", "GB200": "gb200", "B300": "b300", "B200": "b200", "H200": "h200",
    "H100-96GB": "h100-96gb-500w", "H100": "h100-80gb", "H800": "h800-80gb", "A800": "a800-80gb",
    "A100-SXM-40GB": "a100-40gb", "A100": "a100-80gb",
    "V100-SXM2-16GB": "v100-16gb", "V100": "v100-32gb",
}  # fmt: skip


# ---- the cluster


@cache
def gpu(name: str) -> Cluster:
    return dtcore.gpu_find(name)


def gpu_of(row: Row) -> str:
    """The first word of GPUS that is in the cell."""
    if "?" in row["gpu"] or "/" in row["gpu"]:
        raise Skip("the row is not sure of its GPU")
    found = next((word for word in GPUS if word in row["gpu"]), None)
    if found is None:
        raise Skip(f"a GPU that the catalogue does not hold: {row['gpu']}")
    return found


def fabric_of(text: str) -> dict:
    """Network of a node as the row describes it; nothing where it is the usual one of the GPU."""
    said: dict = {}
    ports = re.search(r"(\d+)x(\d+)\s*G", text)
    node = re.search(r"(\d+) Gbps/node", text)
    if ports:
        said |= dict(nics_per_node=int(ports[1]), nic_bandwidth=float(ports[2]) / 8 * 1e9)
    elif node:  # eight ports share it
        said |= dict(nics_per_node=8, nic_bandwidth=float(node[1]) / 64 * 1e9)
    small = re.search(r"\b(\d)x[AV]100", text)
    if small:
        said |= dict(gpus_per_node=int(small[1]), nvlink_domain=int(small[1]))
    if "Jean Zay 4xV100" in text:  # two Xeon 6248 with six channels of DDR4-2933 each (IDRIS, Jean Zay's description)
        said |= dict(host_bandwidth=12 * 2933e6 * 8)
    if "EFA" in text:
        said |= dict(fabric=Fabric.EFA)
    return said


def cluster_of(row: Row) -> Cluster:
    """Nodes of the GPU's usual kind, as many as needed, joined as the row says."""
    return replace(gpu(GPUS[gpu_of(row)]), nodes=0, **fabric_of(row["interconnect"]))


# ---- the model


def vocabulary(row: Row) -> int:
    """Stated, or that of the family."""
    return largest(row, "vocab") or (32000 if "llama" in row["model"].lower() else 50304)


def latent(row: Row) -> dict[str, int]:
    """MLA(q_lora1536,kv_lora512,rope64); the size of a head is then the one without rotary part."""
    found = re.search(r"q_lora(\d+),kv_lora(\d+),rope(\d+)", row["attn_type"])
    if not found:
        return dict(kv_heads=whole(row, "n_kv_heads"), head_dim=whole(row, "head_dim"))
    size = whole(row, "head_dim", 128)
    return dict(q_rank=int(found[1]), kv_rank=int(found[2]), qk_rope_dim=int(found[3]), qk_nope_dim=size, v_dim=size)


def experts_of(row: Row) -> dict[str, int]:
    if not whole(row, "n_experts"):
        return {}
    return dict(experts=whole(row, "n_experts"), top_k=whole(row, "moe_topk", 1), moe_ffn=whole(row, "moe_ffn"),
                shared_ffn=whole(row, "moe_shared_ffn"), dense_layers=whole(row, "n_dense_layers"))


def windows_of(row: Row) -> dict[str, int]:
    """`alt. sliding window 128`: every second layer attends to everything."""
    found = re.search(r"sliding window (\d+)", row["attn_type"])
    return dict(window=int(found[1]), window_every=2) if found else {}


def mtp_of(row: Row) -> int:
    """A module of multi-token prediction: the FLOPs count it, or it is DeepSeek's own model in DeepSeek's framework or
    in Megatron-Bridge, whose recipe has it."""
    counted = re.search(r"incl\w*\.? MTP", row["flops_formula"])
    own = "deepseek-v3" in row["model"].lower() and re.search("HAI-LLM|Bridge", row["framework"])
    return int(bool(counted or own))


def model_of(row: Row, position: Position | None = None, tied: bool = False) -> Model:
    """A decoder with the row's shape: RMSNorm, rotary positions and no biases when its MLP is gated, else a GPT."""
    missing = [name for name in SHAPE if whole(row, name) <= 0]
    if missing:
        raise Skip(f"not in the row: {', '.join(missing)}")
    if "hybrid" in row["attn_type"]:
        raise Skip("a hybrid whose pattern is not in the row")
    gated = is_on(row, "mlp_gated") or real(row, "mlp_gated") == 1
    oss = "gpt-oss" in row["model"]
    bias = not gated or oss
    return Model(
        arch=Arch.GPT_OSS if oss else Arch.MEGATRON, layers=whole(row, "n_layers"), hidden=whole(row, "hidden"),
        heads=whole(row, "n_heads"), ffn=whole(row, "ffn_hidden"), vocab=vocabulary(row), context=whole(row, "seq_len"),
        norm=Norm.RMSNORM if gated else Norm.LAYERNORM,
        position=position or (Position.ROPE if gated else Position.LEARNED), tied=tied, gated=gated, qkv_bias=bias,
        out_bias=bias, mlp_bias=bias, mtp_layers=mtp_of(row), **latent(row), **experts_of(row), **windows_of(row))


# ---- the parts of a plan that all frameworks have


def degrees_of(row: Row, sharded: bool = False) -> dict[str, int]:
    """Degrees and batch. dp is what the other degrees leave where those of the row do not multiply to its GPUs; a
    micro-batch that is not in the row is 1. `sharded`: of a framework that has data parallelism alone unless it says
    otherwise."""
    gpus = whole(row, "n_gpus")
    if not gpus or not (sharded or (whole(row, "tp") and whole(row, "pp"))):
        raise Skip("not in the row: the layout")
    said = {name: whole(row, name, 1) or 1 for name in ("tp", "cp", "pp", "ep")}
    ranks = said["tp"] * said["cp"] * said["pp"]
    if ranks > gpus:
        raise Skip("the layout is larger than the number of GPUs")
    dp = whole(row, "dp")
    if dp * ranks != gpus:
        dp = max(1, gpus // ranks)
    micro = whole(row, "micro_batch") or 1
    steps = whole(row, "grad_accum") or 1
    batch = largest(row, "global_batch") or (micro * dp * steps if sharded and whole(row, "micro_batch") else 0)
    if not batch or not whole(row, "seq_len"):
        raise Skip("not in the row: " + ("the sequence length" if batch else "the batch"))
    # An expert group is as many ranks as a stage has, at most.
    said["ep"] = math.gcd(said["ep"], said["tp"] * said["cp"] * dp)
    return dict(said, etp=whole(row, "etp"), vpp=chunks_of(row, said["pp"]), dp=dp,
                schedule=Schedule.DUALPIPE if "DualPipe" in row["schedule"] else Schedule.DEFAULT, micro_batch=micro,
                accumulation=max(1, math.ceil(batch / (micro * dp))), seq=whole(row, "seq_len"))


def chunks_of(row: Row, pp: int) -> int:
    """Model chunks of a rank. Interleaved without a number is two; SC21 does not tabulate it: the smallest of 2, 3,
    5, 7 that divides a rank's layers."""
    if pp == 1:
        return 1
    if whole(row, "vpp"):
        return whole(row, "vpp")
    each = whole(row, "n_layers") / pp
    if "not tabulated" in row["schedule"] or "SC21" in row["fw_version"]:
        return next((n for n in (2, 3, 5, 7) if each % n == 0), 1)
    return 2 if "nterleaved" in row["schedule"] else 1


def precision_of(row: Row, cluster: Cluster) -> dict:
    """Of the products; a GPU without the type runs them in bf16."""
    text = row["precision"].lower()
    if "fp4" in text:
        return dict(precision=Precision.FP4)
    if "fp8" in text and cluster.fp8 > 0:
        recipe = (Fp8Recipe.MX if "mx" in text else Fp8Recipe.ROW if "row" in text
                  else Fp8Recipe.BLOCK if "mixed" in text else Fp8Recipe.TENSOR)
        return dict(precision=Precision.FP8, fp8_recipe=recipe)
    # V100 has no bf16.
    return dict(precision=Precision.FP16 if "fp16" in text or cluster.bf16 == 0 else Precision.BF16)


MODULES = {  # words of the cell -> field
    "core_attn": "core_attn", "mla_up": "mla_up_proj", "MLA up": "mla_up_proj", "layernorm": "layernorm",
    "RMSNorm": "layernorm", "moe_act": "moe_act", "mlp": "mlp", "shared_experts": "shared_experts",
}  # fmt: skip


def recompute_of(row: Row) -> dict:
    """What is computed twice; nothing where the row is silent."""
    text = row["recompute"]
    fields = {f"recompute_{field}": True for word, field in MODULES.items() if word in text}
    if re.search(r"\bmoe\b", text):
        fields["recompute_moe"] = True
    if fields:
        return dict(recompute=Recompute.SELECTIVE, **fields)
    every = re.search(r"every (\d+)|(?<!\d)1/(\d+)", text)
    if every:
        return dict(recompute=Recompute.FULL, recompute_method=RecomputeMethod.EVERY,
                    recompute_layers=int(every[1] or every[2]))
    if text.startswith("full"):
        return dict(recompute=Recompute.FULL)
    if "selective" in text:
        return dict(recompute=Recompute.SELECTIVE)
    return dict(recompute=Recompute.NONE)


def tokens_dropped(row: Row) -> bool:
    """Experts that take an even share of the tokens and no more."""
    return "tokendrop" in row["extra"] or "tokendrop" in row["model"]


def experts_plan(row: Row) -> dict:
    """How tokens come to experts."""
    if not whole(row, "n_experts"):
        return {}
    flex = re.search("hybridep|deepep", row["extra"]) or "HAI-LLM" in row["framework"]
    overlap = "a2a_overlap" in row["extra"] or "DualPipe" in row["schedule"]
    return dict(dispatcher=Dispatcher.FLEX if flex else Dispatcher.ALLTOALL, etp=whole(row, "etp") or 1,
                capacity_percent=100 if tokens_dropped(row) else 0, moe_overlap=overlap)


# ---- stages where the layers are not split evenly


def layout_of(row: Row) -> list[str]:
    """Chunks of `pp_layout=Et*4|(t*4|)*14tmL`: E embedding, t layer, m MTP, L head."""
    found = re.search(r"pp_layout=([^;\s]+)", row["extra"])
    return functional.layout_of({"other_args": f"pipeline-model-parallel-layout={found[1]}"}) if found else []


def balanced(model: Model, pp: int, vpp: int) -> list[str]:
    """Chunks that hold equally many layers, the embedding, the head and MTP modules counted as a layer each."""
    units = "E" + "t" * model.layers + "m" * model.mtp_layers + "L"
    chunks = pp * vpp
    each, more = divmod(len(units), chunks)
    if not each:
        raise Skip("more chunks than layers")
    ends = [each * (i + 1) + min(i + 1, more) for i in range(chunks)]
    return [units[start:end] for start, end in zip([0] + ends, ends)]


STAGE = [field.name for field in fields(Stage) if field.init]


def from_both_ends(stages: list[Stage] | None) -> list[Stage] | None:
    """DualPipe: a rank holds a stage and the one that is as far from the other end."""
    return stages and [Stage(**{name: getattr(a, name) + getattr(b, name) for name in STAGE})
                       for a, b in zip(stages, reversed(stages))]


def stages_of(row: Row, model: Model, pp: int, vpp: int, free: bool) -> list[Stage] | None:
    """What the row lays out; else, with `free`, a layout that balances embedding and head; else the first ranks hold a
    layer more. None where the split is even."""
    if pp < 2:
        return None
    layout = layout_of(row)
    if len(layout) == pp * vpp:
        return functional.laid_out(layout, model, pp)
    if model.layers % (pp * vpp) == 0 and not model.mtp_layers:
        return None
    if free:
        return functional.laid_out(balanced(model, pp, vpp), model, pp)
    each, more = divmod(model.layers, pp)
    return [Stage(layers=each + (i < more), embedding=int(i == 0), head=int(i == pp - 1)) for i in range(pp)]
