"""measured_megatron_functional.csv: bytes that Megatron-LM's functional tests log on the last pipeline rank.

What these tests say and a plan cannot, and which is predicted as if unsaid: cuBLAS workspace, gradient accumulation
fusion, fused cross entropy, the local transformer implementation, token dispatchers.
"""
from __future__ import annotations

import re
from collections.abc import Iterator

import dtcore
from dtcore import Arch, Attention, Framework, Model, Norm, Optimizer, Plan, Position, Precision, Recompute, Sharding
from dtcore import Stage

from tables import Question, Row, Skip, is_on, real, whole

METRICS = {"steady_bytes": "mem_allocated_last_bytes", "peak_bytes": "mem_max_allocated_last_bytes"}
GPUS = {"dgx_h100": "h100-80gb", "dgx_gb200": "gb200"}  # the rest ran on A100
FAMILIES = {
    "bert": "BERT: no such architecture",
    "t5": "T5: no such architecture",
    "hybrid": "Mamba layers are not modelled",
    "mimo": "a vision tower is not modelled",
    "multimodal-llava": "a vision tower is not modelled",
}
# Words of the row's name or arguments -> what is not modelled.
WORDS = {
    "distill": "a teacher model is not in the row",
    "offloading": "offloading is not modelled",
    "cudagraph": "pools of CUDA graphs are not modelled",
    "microbatch-group-size": "the micro-batch group of an interleaved schedule has no field in a plan",
    "moe-expert-capacity-factor": "capacity factors have no field in a plan",
}


def unexpressed(row: Row) -> str | None:
    """Why no plan says what this row ran."""
    if row["mode"] != "pretraining":
        return "inference or reinforcement learning"
    family = row["test_case"].partition("/")[0]
    if family in FAMILIES:
        return FAMILIES[family]
    if "hybrid-" in row["other_args"]:
        return FAMILIES["hybrid"]
    for word, reason in WORDS.items():
        if word in row["test_case"] + row["other_args"]:
            return reason
    if row["fp8-format"]:
        return "fp8 is not modelled"
    if is_on(row, "use-megatron-fsdp") or row["data-parallel-sharding-strategy"]:
        return "Megatron-FSDP is not modelled"
    if row["recompute-modules"]:
        return "recomputation by module has no field in a plan"
    if is_on(row, "defer-embedding-wgrad-compute"):
        return "deferred embedding gradients have no field in a plan"
    if row["optimizer"] == "muon" and is_on(row, "use-distributed-optimizer"):
        return "layer-wise sharding of Muon is not modelled"
    if not row["num_gpus"] and row["test_type"] == "release":
        return "not in the row: number of GPUs"
    return None


def vocabulary(row: Row) -> int:
    """Entries of the tokenizer: data of the tests' containers where the row does not say."""
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


def mla_of(row: Row) -> dict[str, int]:
    """Latent attention; its projections have no biases, and its norms are always there."""
    bias = not is_on(row, "disable-bias-linear")
    if not is_on(row, "multi-latent-attention"):
        return {"qkv_bias": bias, "qk_norm": is_on(row, "qk-layernorm")}
    return dict(q_rank=whole(row, "q-lora-rank"), kv_rank=whole(row, "kv-lora-rank"),
                qk_nope_dim=whole(row, "qk-head-dim", 128), qk_rope_dim=whole(row, "qk-pos-emb-head-dim", 64),
                v_dim=whole(row, "v-head-dim", 128))


def model_of(row: Row) -> Model:
    gated, bias = is_on(row, "swiglu"), not is_on(row, "disable-bias-linear")
    hidden = whole(row, "hidden-size")
    ffn = whole(row, "ffn-hidden-size") or (int(4 * hidden * 2 / 3) // 64 * 64 if gated else 4 * hidden)
    position = {"rope": Position.ROPE, "yarn": Position.ROPE, "none": Position.NOPE}
    return Model(
        arch=Arch.MEGATRON, layers=whole(row, "num-layers"), hidden=hidden, heads=whole(row, "num-attention-heads"),
        kv_heads=whole(row, "num-query-groups"), head_dim=whole(row, "kv-channels"), ffn=ffn, vocab=vocabulary(row),
        context=whole(row, "max-position-embeddings"),
        norm=Norm.RMSNORM if row["normalization"] == "RMSNorm" else Norm.LAYERNORM,
        position=position.get(row["position-embedding-type"], Position.LEARNED),
        tied=not is_on(row, "untie-embeddings-and-output-weights"), gated=gated, out_bias=bias, mlp_bias=bias,
        mtp_layers=whole(row, "mtp-num-layers"), **moe_of(row), **mla_of(row))


def is_eager(row: Row) -> bool:
    """As the tests chose: named; else unfused in the local implementation and on the clusters whose Transformer
    Engine had no deterministic flash attention with dropout; else a fused kernel."""
    named = row["attention-backend"]
    if named:
        return named in ("unfused", "local")
    old = "dracooci" in row["golden_file"] or (not row["num_gpus"] and row["env"] == "lts")
    return row["transformer-impl"] == "local" or old


def dropout_of(row: Row) -> bool:
    """Megatron's default is 0.1 for both."""
    hidden, attention = (real(row, f"{name}-dropout") for name in ("hidden", "attention"))
    on = [value is None or value > 0 for value in (hidden, attention)]
    if on[0] != on[1]:
        raise Skip("dropout of one kind only has no field in a plan")
    return on[0]


def chunks(row: Row, pp: int) -> int:
    """Model chunks per pipeline rank."""
    said = re.search(r"num-virtual-stages-per-pipeline-rank=(\d+)", row["other_args"])
    if said:
        return int(said[1])
    per = whole(row, "num-layers-per-virtual-pipeline-stage")
    return max(1, whole(row, "num-layers") // (pp * per)) if per else 1


def degrees(row: Row) -> dict[str, int]:
    tp, pp, cp = (whole(row, f"{name}-parallel-size", 1)
                  for name in ("tensor-model", "pipeline-model", "context"))
    dp = max(1, whole(row, "num_gpus", 8) // (tp * pp * cp))
    micro, batch = whole(row, "micro-batch-size"), whole(row, "global-batch-size")
    if batch:
        dp = min(dp, max(1, batch // micro))
    copies = whole(row, "num-distributed-optimizer-instances", 1)
    shard = dp * cp // copies if is_on(row, "use-distributed-optimizer") else 0
    return dict(tp=tp, pp=pp, cp=cp, dp=dp, dp_shard=shard, vpp=chunks(row, pp), micro_batch=micro,
                accumulation=batch // (micro * dp) if batch else 0, ep=whole(row, "expert-model-parallel-size", 1),
                etp=whole(row, "expert-tensor-parallel-size"), seq=whole(row, "seq-length"))


def plan_of(row: Row) -> Plan:
    said = degrees(row)
    full = row["recompute-granularity"] == "full"
    selective = row["recompute-granularity"] == "selective" or is_on(row, "recompute-activations")
    return Plan(
        **said, framework=Framework.MEGATRON,
        sharding=Sharding.DISTOPT if is_on(row, "use-distributed-optimizer") else Sharding.DDP,
        sequence_parallel=is_on(row, "sequence-parallel") and said["tp"] > 1,
        recompute=Recompute.FULL if full else Recompute.SELECTIVE if selective else Recompute.NONE,
        attention=Attention.EAGER if is_eager(row) else Attention.FLASH,
        precision=Precision.FP16 if is_on(row, "fp16") else Precision.BF16,
        optimizer=Optimizer.MUON if row["optimizer"] == "muon" else Optimizer.ADAM, dropout=dropout_of(row),
        vocab_multiple=whole(row, "make-vocab-size-divisible-by", 128) * said["tp"])


def stages_of(row: Row, model: Model, plan: Plan) -> list[Stage] | None:
    """Layers per stage where the row does not leave them even: embedding and loss count as layers."""
    if "pipeline-model-parallel-layout" in row["other_args"]:
        raise Skip("a pipeline layout with parts of one kind only is not modelled")
    first, last = (is_on(row, f"account-for-{part}-in-pipeline-split") for part in ("embedding", "loss"))
    if plan.pp < 2 or not (first or last):
        return None
    each = (model.layers + first + last) // plan.pp
    return [Stage(layers=each - (first and i == 0) - (last and i == plan.pp - 1), embedding=int(i == 0),
                  head=int(i == plan.pp - 1)) for i in range(plan.pp)]


def last_rank(row: Row):
    reason = unexpressed(row)
    if reason:
        raise Skip(reason)
    model, plan = model_of(row), plan_of(row)
    cluster = dtcore.gpu_find(GPUS.get(row["platform"], "a100-80gb"))
    return dtcore.memory_stages(model, cluster, plan, stages_of(row, model, plan))[-1]


def peak(row: Row) -> float:
    return float(last_rank(row)["allocated"])


def steady(row: Row) -> float:
    """What stays between steps."""
    stage = last_rank(row)
    if is_on(row, "fp16"):
        raise Skip("fp32 copies of fp16 gradients that stay between steps are not reported")
    return float(sum(int(stage[item]) for item in ("weights", "gradients", "optimizer", "buckets", "workspace")))


def questions(row: Row) -> Iterator[Question]:
    for metric, ask in (("steady_bytes", steady), ("peak_bytes", peak)):
        measured = real(row, METRICS[metric])
        if measured is not None:
            yield Question(row["set"], metric, measured, lambda ask=ask: ask(row))
