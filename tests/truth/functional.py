"""measured_megatron_functional.csv: bytes that Megatron-LM's functional tests log on the last pipeline rank."""
from __future__ import annotations

import re
from collections.abc import Iterator

import dtcore
from dtcore import (
    Arch, Attention, Dispatcher, Framework, Loss, Model, Norm, Optimizer, Plan, Position, Precision, Recompute,
    Sharding, Stage,
)

from tables import Question, Row, Skip, is_on, ranged, real, whole

METRICS = {"steady_bytes": "mem_allocated_last_bytes", "peak_bytes": "mem_max_allocated_last_bytes"}
GPUS = {"dgx_h100": "h100-80gb", "dgx_gb200": "gb200"}  # the rest ran on A100
FAMILIES = {"mimo": "a vision tower is not in the row", "multimodal-llava": "a vision tower is not in the row"}
# Words of the row's name -> what is not in the row or not modelled.
WORDS = {
    "distill": "a teacher model is not in the row",
    "offloading": "offloading of single modules is not modelled",
    "cudagraph": "pools of CUDA graphs are not modelled",
}
BERT_VOCABULARY, T5_VOCABULARY = 30522, 28996  # bert-large-uncased, bert-large-cased


def unexpressed(row: Row) -> str | None:
    """Why no plan says what this row ran."""
    if row["mode"] != "pretraining":
        return "inference or reinforcement learning"
    family = row["test_case"].partition("/")[0]
    if family in FAMILIES:
        return FAMILIES[family]
    for word, reason in WORDS.items():
        if word in row["test_case"]:
            return reason
    if "E" in pattern_of(row):
        return "a hybrid of experts with a flex dispatcher is not modelled"
    if family == "hybrid" and row["env"] == "lts" and "pp1_cp1" in row["test_case"]:
        return "the recording is of another model: as many bytes with tp 1 as with tp 2"
    if not row["num_gpus"] and row["test_type"] == "release":
        return "not in the row: number of GPUs"
    return None


def said(row: Row, name: str) -> int:
    """A whole number among the arguments that have no column; 0 when it is not there."""
    found = re.search(rf"{name}=(\d+)", row["other_args"])
    return int(found[1]) if found else 0


# ---- the model


def vocabulary(row: Row) -> int:
    """Entries of the tokenizer: data of the tests' containers where the row does not say."""
    family = row["test_case"].partition("/")[0]
    if family == "bert":
        return BERT_VOCABULARY
    if family == "t5":
        return T5_VOCABULARY + (said(row, "vocab-extra-ids") or 100)
    if row["tokenizer-type"] == "NullTokenizer":
        return whole(row, "vocab-size") + 1
    if row["tokenizer-type"] == "GPTSentencePieceTokenizer":
        return 256000
    return whole(row, "vocab-size", 50257)


def moe_of(row: Row) -> dict[str, int]:
    """MoE fields; a frequency is a number, or a pattern such as ([0]*3+[1]*12)."""
    if not whole(row, "num-experts"):
        return {}
    leading = re.fullmatch(r"\(\[0\]\*(\d+)\+\[1\]\*\d+\)", row["moe-layer-freq"])
    if row["moe-layer-freq"] and not leading and not whole(row, "moe-layer-freq"):
        raise Skip("a pattern of MoE layers that a model does not know")
    return dict(experts=whole(row, "num-experts"), top_k=whole(row, "moe-router-topk", 2),
                moe_ffn=whole(row, "moe-ffn-hidden-size"), shared_ffn=whole(row, "moe-shared-expert-intermediate-size"),
                dense_layers=int(leading[1]) if leading else 0, moe_every=whole(row, "moe-layer-freq", 1))


def attention_shape(row: Row) -> dict[str, int]:
    """Heads, or latent attention; its projections have no biases, and its norms are always there."""
    bias = not is_on(row, "disable-bias-linear")
    if not is_on(row, "multi-latent-attention"):
        return dict(qkv_bias=bias, qk_norm=is_on(row, "qk-layernorm"), kv_heads=whole(row, "num-query-groups"),
                    head_dim=whole(row, "kv-channels"))
    return dict(q_rank=whole(row, "q-lora-rank"), kv_rank=whole(row, "kv-lora-rank"),
                qk_nope_dim=whole(row, "qk-head-dim", 128), qk_rope_dim=whole(row, "qk-pos-emb-head-dim", 64),
                v_dim=whole(row, "v-head-dim", 128))


def pattern_of(row: Row) -> str:
    """Layers of a hybrid, a letter each, stages between bars."""
    found = re.search(r"hybrid-(?:override|layer)-pattern=(\S+)", row["other_args"])
    return found[1] if found else ""


def kinds_of(row: Row) -> dict[str, int]:
    """Layers by kind: of a hybrid, of an encoder and its decoder."""
    pattern = pattern_of(row)
    if pattern:
        return dict(layers=len(pattern.replace("|", "")), mamba_layers=pattern.count("M"), mlp_layers=pattern.count("-"))
    if row["test_case"].startswith("t5/"):
        return dict(layers=said(row, "decoder-num-layers"), encoder_layers=said(row, "encoder-num-layers"))
    return dict(layers=whole(row, "num-layers"))


def model_of(row: Row) -> Model:
    family = row["test_case"].partition("/")[0]
    gated, bias = is_on(row, "swiglu"), not is_on(row, "disable-bias-linear")
    hidden = whole(row, "hidden-size")
    ffn = whole(row, "ffn-hidden-size") or (int(4 * hidden * 2 / 3) // 64 * 64 if gated else 4 * hidden)
    position = {"rope": Position.ROPE, "yarn": Position.ROPE, "none": Position.NOPE}
    return Model(
        arch=Arch.BERT if family == "bert" else Arch.MEGATRON, hidden=hidden,
        heads=whole(row, "num-attention-heads"), ffn=ffn, vocab=vocabulary(row),
        context=whole(row, "max-position-embeddings") or said(row, "encoder-seq-length"),
        norm=Norm.RMSNORM if row["normalization"] == "RMSNorm" else Norm.LAYERNORM,
        position=position.get(row["position-embedding-type"], Position.LEARNED),
        tied=not is_on(row, "untie-embeddings-and-output-weights"), gated=gated, out_bias=bias, mlp_bias=bias,
        head_bias=family in ("bert", "t5"), mtp_layers=whole(row, "mtp-num-layers"), **kinds_of(row), **moe_of(row),
        **attention_shape(row))


# ---- the plan


def is_old(row: Row) -> bool:
    """Recorded on clusters whose Transformer Engine had no deterministic flash attention with dropout."""
    return "dracooci" in row["golden_file"] or (not row["num_gpus"] and row["env"] == "lts")


def attention_of(row: Row) -> Attention:
    """As the tests chose: named; else unfused in the local modules and in old recordings; else the library's choice."""
    named = {"unfused": Attention.EAGER, "local": Attention.EAGER, "flash": Attention.FLASH, "fused": Attention.CUDNN}
    if row["attention-backend"]:
        return named[row["attention-backend"]]
    return Attention.EAGER if row["transformer-impl"] == "local" or is_old(row) else Attention.DEFAULT


def dropout_of(row: Row) -> dict[str, bool]:
    """Megatron's default is 0.1 for both."""
    fields = {"dropout": "hidden-dropout", "attention_dropout": "attention-dropout"}
    return {field: real(row, name) is None or real(row, name) > 0 for field, name in fields.items()}


def chunks(row: Row, pp: int) -> int:
    """Model chunks per pipeline rank."""
    layout = layout_of(row)
    if layout:
        return max(1, len(layout) // pp)
    per = whole(row, "num-layers-per-virtual-pipeline-stage")
    return said(row, "num-virtual-stages-per-pipeline-rank") or (
        max(1, whole(row, "num-layers") // (pp * per)) if per else 1)


def degrees(row: Row) -> dict[str, int]:
    tp, pp, cp = (whole(row, f"{name}-parallel-size", 1)
                  for name in ("tensor-model", "pipeline-model", "context"))
    dp = max(1, whole(row, "num_gpus", 8) // (tp * pp * cp))
    micro, batch = whole(row, "micro-batch-size"), whole(row, "global-batch-size")
    if batch:
        dp = min(dp, max(1, batch // micro))
    copies = whole(row, "num-distributed-optimizer-instances", 1)
    shard = dp * cp // copies if sharding_of(row) is Sharding.DISTOPT else 0
    seq = whole(row, "seq-length") or said(row, "decoder-seq-length")
    return dict(tp=tp, pp=pp, cp=cp, dp=dp, dp_shard=shard, vpp=chunks(row, pp), micro_batch=micro,
                accumulation=batch // (micro * dp) if batch else 0, ep=whole(row, "expert-model-parallel-size", 1),
                etp=whole(row, "expert-tensor-parallel-size"), seq=seq,
                group=said(row, "microbatch-group-size-per-virtual-pipeline-stage"))


def recompute_of(row: Row) -> dict:
    modules = re.findall(r"\w+", row["recompute-modules"])
    kind = row["recompute-granularity"]
    if kind == "full":
        return dict(recompute=Recompute.FULL, recompute_layers=whole(row, "recompute-num-layers"))
    if kind == "selective" or modules or is_on(row, "recompute-activations"):
        return dict(recompute=Recompute.SELECTIVE) | {f"recompute_{name}": True for name in modules}
    return dict(recompute=Recompute.NONE)


def sharding_of(row: Row) -> Sharding:
    if is_on(row, "use-megatron-fsdp") or row["data-parallel-sharding-strategy"] == "optim_grads_params":
        return Sharding.FSDP
    return Sharding.DISTOPT if is_on(row, "use-distributed-optimizer") else Sharding.DDP


def workspace_of(row: Row) -> int:
    """Bytes of CUBLAS_WORKSPACE_CONFIG, pairs of KiB and count; 0: not set."""
    pairs = re.findall(r":(\d+):(\d+)", row["cublas_workspace_config"])
    return sum(int(size) * int(count) * 1024 for size, count in pairs)


def loss_of(row: Row) -> Loss:
    if not is_on(row, "cross-entropy-loss-fusion"):
        return Loss.UPCAST
    return Loss.TE if row["cross-entropy-fusion-impl"] == "te" else Loss.FUSED


def precision_of(row: Row) -> Precision:
    if row["fp8-format"]:
        return Precision.FP8
    return Precision.FP16 if is_on(row, "fp16") else Precision.BF16


def plan_of(row: Row) -> Plan:
    split = degrees(row)
    dispatchers = {"alltoall": Dispatcher.ALLTOALL, "flex": Dispatcher.FLEX}
    muon = row["optimizer"] == "muon"
    encoder = {"encoder_seq": said(row, "encoder-seq-length")} if row["test_case"].startswith("t5/") else {}
    return Plan(
        **split, **encoder, framework=Framework.MEGATRON, framework_version=11000 if is_old(row) else 0,
        sharding=sharding_of(row), sequence_parallel=is_on(row, "sequence-parallel") and split["tp"] > 1,
        attention=attention_of(row), precision=precision_of(row), fp8_params=is_on(row, "fp8-param-gather"),
        optimizer=Optimizer.MUON if muon else Optimizer.ADAM,
        whole_tensors=muon and "no-use-layer-wise-param-layout" in row["other_args"],
        vocab_multiple=whole(row, "make-vocab-size-divisible-by", 128) * split["tp"], loss=loss_of(row),
        transformer_engine=row["transformer-impl"] != "local",
        grad_fusion=False,  # named by most tests; the others' Transformer Engine has no stand-ins for it
        attention_mask="no-create-attention-mask" not in row["other_args"],
        dispatcher=dispatchers.get(row["moe-token-dispatcher-type"], Dispatcher.ALLGATHER),
        grouped_gemm=is_on(row, "moe-grouped-gemm"), defer_wgrad=is_on(row, "defer-embedding-wgrad-compute"),
        cublas_workspace=workspace_of(row),
        account_embedding=is_on(row, "account-for-embedding-in-pipeline-split"),
        account_loss=is_on(row, "account-for-loss-in-pipeline-split"), **dropout_of(row), **recompute_of(row))


# ---- the stages


def layout_of(row: Row) -> list[str]:
    """Stages of a pipeline layout (E embedding, t layer, m MTP, L loss) or of a hybrid's pattern."""
    found = re.search(r"pipeline-model-parallel-layout=(\S+)", row["other_args"])
    if not found:
        return pattern_of(row).split("|") if "|" in pattern_of(row) else []
    text = re.sub(r"\(([^)]*)\)\*(\d+)", lambda m: m[1] * int(m[2]), found[1])
    return re.sub(r"(\w)\*(\d+)", lambda m: m[1] * int(m[2]), text.replace(",", "")).split("|")


def stages_of(row: Row, model: Model, plan: Plan) -> list[Stage] | None:
    """Layers per stage where the row lays them out."""
    layout = layout_of(row)
    return laid_out(layout, model, plan.pp) if layout else None


def laid_out(layout: list[str], model: Model, pp: int) -> list[Stage]:
    """Chunk j of rank r is stage j * pp + r of the layout; MoE layers are those behind the leading dense ones."""
    stages = []
    starts = [sum(part.count("t") for part in layout[:i]) for i in range(len(layout))]
    for rank in range(pp):
        parts = "".join(layout[rank::pp])
        ends = dict(embedding=int(rank == 0), head=int(rank == pp - 1))
        if "t" not in "".join(layout):
            kinds = dict(mamba_layers=parts.count("M"), mlp_layers=parts.count("-"))
            stages.append(Stage(layers=len(parts), **kinds, **ends))
            continue
        moe = sum(starts[i] + k >= model.dense_layers for i in range(rank, len(layout), pp)
                  for k in range(layout[i].count("t"))) if model.experts else 0
        stages.append(Stage(layers=parts.count("t"), moe_layers=moe, mtp_layers=parts.count("m"), **ends))
    return stages


def last_rank(row: Row):
    reason = unexpressed(row)
    if reason:
        raise Skip(reason)
    model, plan = model_of(row), plan_of(row)
    cluster = dtcore.gpu_find(GPUS.get(row["platform"], "a100-80gb"))
    return dtcore.memory_stages(model, cluster, plan, stages_of(row, model, plan))[-1]


def peak(row: Row) -> float:
    return ranged(last_rank(row), "allocated")


def steady(row: Row) -> float:
    """What stays between steps."""
    return float(last_rank(row)["steady"])


def questions(row: Row) -> Iterator[Question]:
    for metric, ask in (("steady_bytes", steady), ("peak_bytes", peak)):
        measured = real(row, METRICS[metric])
        if measured is not None:
            yield Question(row["set"], metric, measured, lambda ask=ask: ask(row))
