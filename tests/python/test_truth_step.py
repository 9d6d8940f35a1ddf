"""How published runs become plans (tests/truth/step.py, runs.py), and how their ranking is judged (speed.py)."""
from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

import dtcore
import pytest
from dtcore import Attention, CudaGraph, Framework, Precision, Recompute, Sharding

TRUTH = Path(__file__).resolve().parents[1] / "truth"
sys.path.insert(0, str(TRUTH))

import bridge  # noqa: E402
import judge  # noqa: E402
import leave_one_out  # noqa: E402
import report  # noqa: E402
import runs  # noqa: E402
import speed  # noqa: E402
import step  # noqa: E402
from tables import Skip, rows  # noqa: E402

GPT3 = dict(
    n_layers="96", hidden="12288", n_heads="96", n_kv_heads="96", head_dim="128", ffn_hidden="49152", mlp_gated="0",
    vocab="51200", seq_len="2048", gpu="A100-SXM-80GB", n_gpus="512", tp="8", pp="8", dp="8", micro_batch="1",
    global_batch="1536", precision="bf16", recompute="none", set="a", framework="Megatron-LM", model="gpt3-175b",
)


def row(**more: str) -> dict[str, str]:
    return defaultdict(str, GPT3 | more)


@pytest.mark.parametrize(("text", "ports", "rate"), [
    ("Jean Zay: 8xA100 NVLink3, 4x100G Omni-Path per node", 4, 12.5e9),
    ("4x100Gb RoCE per node", 4, 12.5e9),
    ("inter-node 800 Gbps/node (config json)", 8, 12.5e9),
    ("Selene: NVLink3/NVSwitch 8, 8x200G HDR IB", 8, 25e9),
    ("DGX H100 NVLink8 + 400G IB/GPU", 8, 25e9),  # nothing of a node: the GPU's usual one
])
def test_the_network_is_that_of_the_source(text: str, ports: int, rate: float) -> None:
    cluster = runs.cluster_of(row(interconnect=text))
    assert (cluster.nics_per_node, cluster.nic_bandwidth, cluster.nodes) == (ports, rate, 0)


def test_nodes_of_four() -> None:
    cluster = runs.cluster_of(row(gpu="V100-SXM2-32GB", interconnect="Jean Zay 4xV100 NVLink, 4x100G Omni-Path"))
    assert (cluster.gpus_per_node, cluster.nvlink_domain) == (4, 4)


@pytest.mark.parametrize(("more", "expected"), [
    (dict(vpp="6"), 6),
    (dict(pp="1", vpp="6"), 1),
    (dict(schedule="interleaved 1F1B"), 2),
    (dict(schedule="1F1B"), 1),
    (dict(fw_version="SC21", n_layers="105", pp="35"), 3),  # 3 layers a rank: not 2
    (dict(fw_version="SC21", n_layers="88", pp="8"), 1),  # 11 layers a rank
])
def test_chunks(more: dict[str, str], expected: int) -> None:
    assert runs.chunks_of(row(**more), int(more.get("pp", 8))) == expected


def test_blank_cells() -> None:
    said = runs.degrees_of(row(dp="", micro_batch="", cp=""))
    assert (said["dp"], said["micro_batch"], said["accumulation"], said["cp"]) == (8, 1, 192, 1)
    assert runs.degrees_of(row(dp="3"))["dp"] == 8, "degrees that do not multiply to the GPUs"
    assert runs.degrees_of(row(global_batch="4"))["accumulation"] == 1
    assert runs.vocabulary(row(vocab="")) == 50304
    assert runs.vocabulary(row(vocab="", model="llama2-7b")) == 32000
    assert runs.vocabulary(row(vocab="~128000 (derived)")) == 128000
    with pytest.raises(Skip, match="layout"):
        runs.degrees_of(row(tp=""))
    with pytest.raises(Skip, match="batch"):
        runs.degrees_of(row(global_batch=""))
    # FSDP says the batch of a rank, and has data parallelism alone.
    said = runs.degrees_of(row(tp="", pp="", dp="", global_batch="", micro_batch="2"), True)
    assert (said["tp"], said["dp"], said["accumulation"]) == (1, 512, 1)


@pytest.mark.parametrize(("text", "expected"), [
    ("", dict(recompute=Recompute.NONE)),
    ("none (8K)", dict(recompute=Recompute.NONE)),
    ("full", dict(recompute=Recompute.FULL)),
    ("selective(attention)+SP", dict(recompute=Recompute.SELECTIVE)),
    ("selective op", dict(recompute=Recompute.SELECTIVE)),
    ("selective layer (every 2nd)", dict(
        recompute=Recompute.FULL, recompute_method=dtcore.RecomputeMethod.EVERY, recompute_layers=2)),
    ("selective:moe_act+layernorm", dict(
        recompute=Recompute.SELECTIVE, recompute_moe_act=True, recompute_layernorm=True)),
    ("selective:moe+core_attn", dict(recompute=Recompute.SELECTIVE, recompute_moe=True, recompute_core_attn=True)),
    ("RMSNorm + MLA up-proj", dict(
        recompute=Recompute.SELECTIVE, recompute_layernorm=True, recompute_mla_up_proj=True)),
])
def test_recomputation(text: str, expected: dict) -> None:
    assert runs.recompute_of(row(recompute=text)) == expected


def test_precision_is_what_the_gpu_has() -> None:
    def of(text: str, gpu: str) -> dict:
        return runs.precision_of(row(precision=text), dtcore.gpu_find(gpu))

    assert of("amp_fp8", "a100-80gb") == dict(precision=Precision.BF16)
    assert of("bf16", "v100-32gb") == dict(precision=Precision.FP16)
    assert of("NVFP4", "gb200") == dict(precision=Precision.FP4)
    assert of("MXFP8", "gb200") == dict(precision=Precision.FP8, fp8_recipe=dtcore.Fp8Recipe.MX)
    assert of("fp8 rowwise", "h100-80gb") == dict(precision=Precision.FP8, fp8_recipe=dtcore.Fp8Recipe.ROW)
    assert of("FP8-CS", "h100-80gb") == dict(precision=Precision.FP8, fp8_recipe=dtcore.Fp8Recipe.TENSOR)


def test_layouts() -> None:
    model = dtcore.model_find("deepseek-v3")
    said = row(extra="dispatcher=hybridep; pp_layout=Et*4|(t*4|)*14tmL; more")
    found = runs.stages_of(said, model, 4, 4, True)
    assert [one.layers for one in found] == [16, 16, 16, 13]
    assert [one.moe_layers for one in found] == [13, 16, 16, 13]
    assert [one.mtp_layers for one in found] == [0, 0, 0, 1]
    # Without one: 61 layers, embedding, head and a module of MTP over 16 chunks of four.
    found = runs.stages_of(row(), model, 4, 4, True)
    assert [one.layers for one in found] == [15, 16, 16, 14]
    assert (found[0].embedding, found[3].head, sum(one.moe_layers for one in found)) == (1, 1, 58)
    assert runs.stages_of(row(), dtcore.model_find("llama-3-70b"), 4, 5, True) is None


def test_switches_of_the_row() -> None:
    gb200 = row(framework="NeMo Megatron-Bridge (Megatron-Core)", gpu="GB200", n_experts="128", moe_topk="4",
                moe_ffn="2880", extra="cuda_graph=transformer_engine ['attn']; dispatcher=hybridep; moe_a2a_overlap", ep="64", tp="1",
                pp="1", dp="512", fw_version="NeMo 26.04", mlp_gated="1")
    plan = step.run_of(gb200).plan
    assert (plan.cuda_graph, plan.dispatcher, plan.attention) == (
        CudaGraph.PARTIAL, dtcore.Dispatcher.FLEX, Attention.CUDNN)
    assert plan.moe_overlap and plan.grad_overlap and plan.param_overlap
    none = step.run_of(gb200 | {"extra": "cuda_graph=none full_iteration; LoRA; packed SQuAD"}).plan
    assert (none.cuda_graph, none.tuning, none.packed) == (CudaGraph.NONE, dtcore.Tuning.LORA, 400)
    old = step.run_of(row(framework="NeMo 1.x", gpu="H100-SXM-80GB", fw_version="NeMo 24.07")).plan
    assert (old.attention, old.flash_version, old.tp_overlap, old.sequence_parallel) == (Attention.FLASH, 2, True, True)


@pytest.mark.parametrize(("more", "framework", "software"), [
    (dict(framework="Megatron-DeepSpeed", n_layers="105", pp="35", n_gpus="2240"), Framework.DEEPSPEED, "BLOOM"),
    (dict(framework="Megatron-DeepSpeed", gpu="V100-SXM2-32GB", n_gpus="8", tp="1", pp="1", zero_stage="1"),
     Framework.DEEPSPEED, "BLOOM"),
    (dict(framework="Megatron-LM", fw_version="SC21"), Framework.MEGATRON, "SC21"),
    (dict(framework="Megatron-LM", fw_version="NSDI24", vpp="6"), Framework.MEGATRON, "2022"),
    (dict(framework="MegaScale", fw_version="NSDI24", vpp="6", n_gpus="12288", global_batch="6144"), Framework.MEGATRON,
     "NeMo"),
    (dict(framework="PyTorch FSDP", tp="", pp="", dp="", global_batch="", micro_batch="2"), Framework.PYTORCH, "FSDP"),
    (dict(framework="DeepSpeed ZeRO-3", tp="1", pp="1"), Framework.DEEPSPEED, "ZeRO-3"),
    (dict(framework="Megatron-LM / Megatron-DeepSpeed", gpu="V100-SXM2-32GB", pp="1", extra="With full cpu offload"),
     Framework.DEEPSPEED, "ZeRO-3"),
])
def test_frameworks(more: dict[str, str], framework: Framework, software: str) -> None:
    run = step.run_of(row(**more))
    assert (run.plan.framework, run.software) == (framework, software)
    assert not errors(run)
    if "cpu offload" in more.get("extra", ""):
        assert (run.plan.sharding, run.plan.offload) == (Sharding.ZERO3, dtcore.Offload.PARAMS)


def errors(run: step.Run) -> list[dtcore.Rule]:
    """Rules that refuse the plan; those about an even split do not hold where stages are given."""
    even = {dtcore.Rule.VPP_LAYERS, dtcore.Rule.MEGATRON_PP_LAYERS} if run.stages else set()
    found = dtcore.plan_check(run.model, run.cluster, run.plan)
    return [one.rule for one in found if one.severity == dtcore.Severity.ERROR and one.rule not in even]


@pytest.mark.parametrize(("name", "make", "legal"), [
    ("measured_throughput.csv.xz", step.run_of, 2602), ("measured_megatron_bridge.csv.xz", bridge.as_run, 171),
])
def test_what_ran_is_legal(name: str, make, legal: int) -> None:
    found: Counter = Counter()
    for one in rows(TRUTH / name):
        try:
            run = make(one)
        except Skip:
            continue
        assert not errors(run), one
        if run.stages:
            copies = 2 if run.plan.schedule == dtcore.Schedule.DUALPIPE else 1
            assert sum(stage.layers for stage in run.stages) == copies * run.model.layers, one
        found["legal"] += 1
    assert found["legal"] == legal


def test_the_library_knows_every_software() -> None:
    for kind in step.SOFTWARE:
        assert step.software(kind) > 0, kind


def test_formulas() -> None:
    """96 B s L h^2 (1 + s/6h + V/16Lh) and 72 B s L h^2 (1 + s/6h + V/12Lh), of the papers."""
    said = row(framework="Megatron-LM", fw_version="SC21", flops_formula="96BsLh^2(1+s/6h+V/16Lh)")
    tokens, layers, h, s, v = 1536 * 2048, 96, 12288, 2048, 51200
    hardware = 96 * tokens * layers * h * h * (1 + s / (6 * h) + v / (16 * layers * h)) / 512 / 30
    run = step.run_of(said)
    assert step.value_of(said, run, "tflops_per_gpu", 30.0) == pytest.approx(hardware / 1e12, rel=1e-12)
    said["flops_formula"] = "Korthikanti App. A"
    model = 72 * tokens * layers * h * h * (1 + s / (6 * h) + v / (12 * layers * h)) / 512 / 30
    assert step.value_of(said, run, "mfu_pct", 30.0) == pytest.approx(100 * model / 312e12, rel=1e-12)
    said["flops_formula"] = "8*N*S"
    assert step.value_of(said, run, "tflops_per_gpu", 30.0) == pytest.approx(
        96 * tokens * layers * h * h / 512 / 30 / 1e12, rel=1e-12)
    assert step.value_of(said, run, "tokens_per_s_per_gpu", 30.0) == pytest.approx(tokens / 512 / 30, rel=1e-12)


def test_ranking() -> None:
    """Predicted and measured: one of three pairs is turned, the pair within 5 % is not looked at."""
    assert speed.tau([(1.0, 10.0), (2.0, 12.0), (1.5, 15.0)]) == pytest.approx(1 / 3)
    assert speed.tau([(1.0, 10.0), (2.0, 10.4)]) is None
    assert speed.tau([(1.0, 10.0), (2.0, 10.4), (3.0, 20.0)]) == 1
    assert speed.regret([(2.0, 10.0), (1.0, 12.0), (3.0, 9.0)]) == pytest.approx(1 / 3)


def entries(times: list[tuple[str, float]]) -> list[judge.Entry]:
    """A run of 8 to 64 GPUs each, measured at a factor of its estimate."""
    made = []
    for gpus, factor in times:
        said = row(framework="PyTorch FSDP", tp="", pp="", dp="", n_gpus=gpus, global_batch="", micro_batch="2",
                   n_layers="32", hidden="4096", n_heads="32", n_kv_heads="32", ffn_hidden="16384")
        value = step.timed(said, step.run_of(said), "s_per_iter")
        made.append(judge.Entry("measured_throughput.csv", 1, "a", "s_per_iter", value, float(value) * factor, None))
    return made


def test_a_run_left_out() -> None:
    """Where all are measured as estimated the others say the same; one alone has nothing but its own error."""
    assert leave_one_out.error(entries([("8", 1), ("16", 1), ("32", 1), ("64", 1)])) < 1e-6
    assert leave_one_out.error(entries([("8", 1.25)])) == pytest.approx(0.2)
    # Three of four fit: the fourth is not what makes them fit.
    assert leave_one_out.error(entries([("8", 1), ("16", 1), ("32", 1), ("64", 2)])) >= 0.125
    # Of runs that all take a fifth longer the others say so, but the set's own error is printed.
    same = entries([("8", 1.25), ("16", 1.25), ("32", 1.25), ("64", 1.25)])
    assert abs(leave_one_out.error_without(same[0], same[1:])) < 0.15
    assert leave_one_out.error(same) == pytest.approx(0.2)


def test_tables_of_speed() -> None:
    made = entries([("8", 1.25), ("16", 0.8)])
    lines = speed.by_framework(made, report.quantile)
    assert lines[1][:3] == ["PyTorch FSDP", "A100", "2"]
    assert lines[1][4:7] == ["22.5", "25.0", "+2.5"]  # errors -20 and +25 %
    published = {tuple(line[:3]): line for line in speed.mfu(made, report.quantile)}
    assert published["HAI-LLM", "H800", "fp8"][3:] == ["1", "19.5", "19.5", "19.5", "-", "-", "-", "-"]
    line = published["PyTorch FSDP", "A100", "bf16/fp16"]
    assert line[7] == "2" and float(line[8]) < float(line[10])
    assert speed.ranking(made) == [], "groups of three or more"
