"""Launch texts: what is written is read back by the linter as the same plan, without a finding; shells pass on exactly the
words that were meant; the formats parse."""
import ast
import dataclasses
import json
import os
import random
import shlex
import stat
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace

import dtcore
import pytest
from dtcore import Arch, Cluster, Dialect, DtcoreError, Launch, LaunchTarget, Lint, Model, Plan

MAIN = 2**32 - 1
HOSTS = "worker-0 worker-1 worker-2 worker-3"


def case(model: str, words: str, nodes: int, cluster: str = "dgx-h100") -> tuple[Model, Cluster, Plan]:
    plan = dtcore.plan_parse(f"dtcore: {words}")[0]
    return dtcore.model_find(model), dataclasses.replace(dtcore.cluster_find(cluster), nodes=nodes), plan


def hosts_of(nodes: int) -> str:
    return " ".join(f"worker-{i}" for i in range(nodes))


def write(where: tuple[Model, Cluster, Plan], target: str, script: str = "", hosts: str = "", **launch: object) -> str:
    return dtcore.launch_write(*where, Launch(target=target, **launch), script, hosts)


def lint(dialect: Dialect, text: str, where: tuple[Model, Cluster, Plan], version: int = 0) -> tuple[Model, Plan]:
    """What the linter reads; it must find nothing."""
    model, cluster, plan = where
    resolved = dtcore.plan_resolve(model, cluster, plan)
    world = resolved.tp * resolved.cp * resolved.pp * resolved.dp
    asked = Lint(dialect=dialect, version=version, compute=cluster.compute, world=world)
    read_model, read_plan, findings = dtcore.framework_lint(asked, text)
    assert [str(finding) for finding in findings] == [], text
    return read_model, read_plan


def same(read: object, meant: object, left_out: set[str] = frozenset()) -> None:
    """Every field that was read is as it is meant."""
    for field in dataclasses.fields(read):
        value = getattr(read, field.name)
        if field.name not in left_out and value:
            assert value == getattr(meant, field.name), field.name


# ---- Megatron-LM -----------------------------------------------------------------------------------------------------

MEGATRON = [
    ("llama-3-70b", "megatron tp=4 pp=4 sp mbs=1 gbs=1024", 64),
    ("gpt3-175b", "megatron tp=8 pp=8 vpp=2 sp mbs=1 gbs=256 recompute=selective", 16),
    ("llama-3-70b", "megatron tp=8 pp=4 vpp=5 sp mbs=1 gbs=1024 recompute=full grad_overlap param_overlap", 16),
    ("llama-3.1-405b", "megatron tp=8 pp=8 cp=2 vpp=4 account_embedding account_loss sp gbs=512 seq=8192", 32),
    ("llama-2-7b", "megatron tp=1 cp=4 mbs=2 gbs=64 seq=32768 recompute=full recompute_method=block recompute_layers=4", 2),
    ("llama-2-7b", "megatron sharding=ddp mbs=2 gbs=32 precision=fp16 grad=fp32", 1),
    ("llama-2-7b", "megatron sharding=fsdp mbs=1 gbs=32", 2),
    ("llama-2-7b", "megatron precision=fp8 fp8_params mbs=1 gbs=32", 2),
    ("llama-2-7b", "megatron precision=fp8 fp8_recipe=block mbs=1 gbs=32 attention=flash", 2),
    ("mixtral-8x7b", "megatron tp=2 ep=8 etp=1 sp mbs=1 gbs=64", 4),
    ("mixtral-8x7b", "megatron tp=2 pp=2 ep=4 sp mbs=1 gbs=64 dispatcher=flex capacity_percent=125", 4),
    ("deepseek-v3", "megatron tp=2 pp=8 ep=16 etp=1 sp first=4 last=3 mbs=1 gbs=512", 16),
    ("deepseek-v2", "megatron tp=1 pp=4 ep=8 mbs=1 gbs=512 recompute=selective recompute_moe_act recompute_layernorm", 16),
    ("qwen3-8b", "megatron tp=2 sp mbs=1 gbs=64 dropout", 2),
    ("qwen2.5-7b", "megatron tp=4 sp tp_overlap mbs=1 gbs=64", 2),
]  # fmt: skip


@pytest.mark.parametrize(("model", "words", "nodes"), MEGATRON)
def test_megatron(model: str, words: str, nodes: int) -> None:
    where = case(model, words, nodes)
    text = write(where, "torchrun", hosts=hosts_of(nodes))
    read_model, read_plan = lint(Dialect.MEGATRON, text, where, MAIN)
    meant = dtcore.plan_resolve(*where)
    # A local kernel or one of cuDNN is told by its flag; fp8 is trained in bf16.
    same(read_plan, meant, {"attention", "precision", "framework_version", "recompute"})
    assert ("--recompute-granularity " in text) == ("recompute=" in words)
    for field in ("micro_batch", "global_batch", "seq", "dp", "sharding"):
        assert getattr(read_plan, field) == getattr(meant, field), field
    for field in ("tp", "pp", "cp", "vpp", "ep"):
        assert (getattr(read_plan, field) or 1) == getattr(meant, field), field
    same(read_model, where[0], {"arch", "context"})
    for field in ("layers", "hidden", "heads", "ffn", "vocab", "gated", "tied", "norm", "position"):
        assert getattr(read_model, field) == getattr(where[0], field), field
    lint(Dialect.TORCHRUN, text, where)


FLAGS = Path(__file__).parents[1] / "launch/megatron_flags.csv"


def test_megatron_flags_are_those_of_the_parser() -> None:
    import csv

    with FLAGS.open(newline="") as file:
        flags = {flag: row for row in csv.DictReader(file) for flag in row["flags"].split("|")}
    for model, words, nodes in MEGATRON:
        text = write(case(model, words, nodes), "megatron")
        words_of = shlex.split(text[text.index("(") + 1 : text.rindex(")")])
        for i, word in enumerate(words_of):
            if not word.startswith("--"):
                continue
            row = flags[word]
            values = [w for w in words_of[i + 1 :]]
            taken = next((k for k, w in enumerate(values) if w.startswith("--")), len(values))
            assert (taken == 0) == (row["action"] in {"StoreTrue", "StoreFalse"}), word
            choices = {c.split(".")[-1] for c in row["choices"].split("|")} - {""}
            assert not choices or set(values[:taken]) <= choices, word


@pytest.mark.parametrize(
    ("model", "words", "field"),
    [
        ("gemma-2-9b", "megatron tp=2 sp gbs=64", "model.arch"),
        ("llama-2-7b", "megatron sharding=fsdp pp=2 gbs=64", "plan.pp"),
        ("llama-2-7b", "megatron sharding=fsdp tp=2 gbs=64", "plan.tp"),  # of two minds about CUDA_DEVICE_MAX_CONNECTIONS
        ("mixtral-8x7b", "megatron tp=2 ep=4 etp=1 nosp gbs=64", "plan.sequence_parallel"),
        ("llama-2-7b", "megatron pp=1 defer_wgrad gbs=64", "plan.pp"),
        ("llama-2-7b", "megatron tp=2 sp recompute_distributed gbs=64", "plan.recompute"),
        ("llama-2-7b", "megatron optimizer=lamb gbs=64", "plan.optimizer"),
        ("llama-2-7b", "megatron precision=pure_bf16 gbs=64", "plan.precision"),
        ("llama-2-7b", "megatron compile gbs=64", "plan.compile"),
        ("llama-2-7b", "megatron@0.10 tp=2 gbs=64", "plan.framework_version"),
        ("llama-2-7b", "megatron pp=4 vpp=2 schedule=vpp gbs=64", "plan.schedule"),
    ],
)
def test_megatron_refuses(model: str, words: str, field: str) -> None:
    with pytest.raises(DtcoreError) as refused:
        write(case(model, words, 2), "megatron")
    assert refused.value.field == field.split(".")[1], str(refused.value)


@pytest.mark.parametrize(
    ("words", "cluster", "value"),
    [
        ("megatron tp=4 sp gbs=64", "dgx-h100", "1"),
        ("megatron cp=2 gbs=64", "dgx-h100", "1"),
        ("megatron gbs=64", "dgx-h100", None),
        ("megatron tp=4 sp gbs=64", "dgx-b200", None),  # not asked for on Blackwell
        ("megatron sharding=fsdp gbs=64", "dgx-h100", None),
        ("megatron sharding=fsdp tp=2 gbs=64", "dgx-b200", None),  # refused with FSDP
    ],
)
def test_connections(words: str, cluster: str, value: str | None) -> None:
    text = write(case("llama-2-7b", words, 2, cluster), "environment")
    assert ("export CUDA_DEVICE_MAX_CONNECTIONS=" in text) == (value is not None)
    if value is not None:
        assert f"export CUDA_DEVICE_MAX_CONNECTIONS={value}\n" in text


def test_connections_of_expert_overlap() -> None:
    where = case("mixtral-8x7b", "megatron tp=2 ep=8 etp=1 sp moe_overlap gbs=64", 4)
    assert "CUDA_DEVICE_MAX_CONNECTIONS=32\n" in write(where, "environment")


# ---- DeepSpeed -------------------------------------------------------------------------------------------------------

DEEPSPEED = [
    ("deepspeed zero3 mbs=1 gbs=64", 4),
    ("deepspeed sharding=zero1 mbs=2 gbs=128", 2),
    ("deepspeed sharding=zero2 mbs=2 gbs=128 precision=fp16 offload=optimizer", 2),
    ("deepspeed sharding=zero3 offload=params mbs=1 gbs=32 live=100000000 persistence=10000 bucket=200000000", 4),
    ("deepspeed sharding=ddp precision=fp32 mbs=1 gbs=32", 1),
    ("deepspeed sharding=zero2 nograd_overlap grad=fp32 mbs=1 gbs=32", 1),
    ("deepspeed sharding=zero3 cp=2 mbs=1 gbs=32", 2),
    ("deepspeed sharding=zero1 tp=2 mbs=1 gbs=32", 2),
]


@pytest.mark.parametrize(("words", "nodes"), DEEPSPEED)
def test_deepspeed(words: str, nodes: int) -> None:
    where = case("llama-2-7b", words.replace(" zero3 ", " sharding=zero3 "), nodes)
    text = write(where, "ds_config")
    json.loads(text)
    _, read = lint(Dialect.DEEPSPEED, text, where)
    meant = dtcore.plan_resolve(*where)
    # The groups of Ulysses are the script's: the file cannot tell them from data parallelism.
    same(read, meant, {"framework_version", *({"dp"} if " cp=" in words else ())})
    assert (read.micro_batch, read.accumulation, read.sharding, read.precision) == (
        meant.micro_batch, meant.accumulation, meant.sharding, meant.precision,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ("deepspeed sharding=zero3 offload=nvme gbs=64", "offload"),  # where are the drives?
        ("deepspeed sharding=zero3 tp=2 gbs=64", "tp"),
        ("deepspeed sharding=zero1 precision=fp8 gbs=64", "precision"),
    ],
)
def test_deepspeed_refuses(words: str, field: str) -> None:
    with pytest.raises(DtcoreError) as refused:
        write(case("llama-2-7b", words, 2), "ds_config")
    assert refused.value.field == field, str(refused.value)


def test_hostfile() -> None:
    where = case("llama-2-7b", "deepspeed sharding=zero3 gbs=64", 4)
    text = write(where, "hostfile", hosts=HOSTS)
    assert text == "worker-0 slots=8\nworker-1 slots=8\nworker-2 slots=8\nworker-3 slots=8\n"
    lint(Dialect.HOSTFILE, text, where)
    assert len(dtcore.tasks_deepspeed(text)) == 32


# ---- accelerate, Trainer ---------------------------------------------------------------------------------------------

TORCH = [
    ("pytorch sharding=ddp mbs=4 gbs=64", 2, {}),
    ("pytorch sharding=fsdp mbs=1 gbs=32 recompute=full", 4, {}),
    ("pytorch sharding=fsdp noreshard mbs=1 gbs=32", 4, {}),
    ("pytorch sharding=hsdp mbs=1 gbs=32", 4, {}),
    ("pytorch sharding=fsdp mbs=1 gbs=32", 4, {"fsdp": 1}),
    ("pytorch sharding=hsdp noreshard mbs=1 gbs=32", 4, {"fsdp": 1}),
    ("pytorch sharding=fsdp tp=2 mbs=1 gbs=32", 4, {}),
    ("pytorch sharding=fsdp cp=4 mbs=1 gbs=32", 4, {}),
    ("deepspeed sharding=zero3 mbs=1 gbs=32", 4, {}),
]


def read_yaml(text: str) -> dict:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(text)


@pytest.mark.parametrize(("words", "nodes", "launch"), TORCH)
def test_accelerate(words: str, nodes: int, launch: dict) -> None:
    where = case("llama-2-7b", words, nodes)
    data = read_yaml(write(where, "accelerate", hosts=hosts_of(nodes), **launch))
    assert data["num_processes"] == 8 * nodes and data["num_machines"] == nodes
    assert data["main_process_ip"] == "worker-0"
    _, read = lint(Dialect.ACCELERATE, json.dumps(data), where)
    meant = dtcore.plan_resolve(*where)
    same(read, meant, {"framework_version", "sharding", "precision"})
    if "deepspeed" not in words:
        assert read.precision == meant.precision
        # HYBRID_SHARD_ZERO2 is read as a kind of FSDP.
        assert read.sharding == meant.sharding or "hsdp noreshard" in words


@pytest.mark.parametrize(
    ("words", "field", "launch"),
    [
        ("pytorch sharding=ddp tp=2 gbs=64", "tp", {}),
        ("pytorch sharding=fsdp tp=2 gbs=64", "tp", {"fsdp": 1}),
        ("pytorch sharding=fsdp precision=pure_bf16 gbs=64", "precision", {}),
        ("pytorch sharding=fsdp dp_shard=4 gbs=64", "dp_shard", {"fsdp": 1}),
        ("pytorch sharding=hsdp dp_shard=4 gbs=64", "dp_shard", {"fsdp": 1}),
        ("deepspeed sharding=zero1 pp=2 gbs=64", "pp", {}),
        ("megatron tp=2 gbs=64", "target", {}),
    ],
)
def test_accelerate_refuses(words: str, field: str, launch: dict) -> None:
    with pytest.raises(DtcoreError) as refused:
        write(case("llama-2-7b", words, 2), "accelerate", hosts=hosts_of(2), **launch)
    assert refused.value.field == field, str(refused.value)


def test_accelerate_needs_hosts() -> None:
    with pytest.raises(DtcoreError) as refused:
        write(case("llama-2-7b", "pytorch sharding=fsdp gbs=64", 2), "accelerate")
    assert refused.value.field == "hosts"


@pytest.mark.parametrize("version", [4057000, 5000000, 5024000])
@pytest.mark.parametrize(
    ("words", "nodes"),
    [
        ("pytorch sharding=ddp mbs=4 gbs=64 recompute=full optimizer=adafactor", 2),
        ("pytorch sharding=fsdp mbs=1 gbs=128", 4),
        ("deepspeed sharding=zero3 mbs=1 gbs=32 precision=fp16", 4),
    ],
)
def test_trainer(words: str, nodes: int, version: int) -> None:
    where = case("llama-2-7b", words, nodes)
    text = write(where, "torchrun", "run_clm.py", hosts_of(nodes), arguments="trainer", tool_version=version)
    _, read = lint(Dialect.TRAINER, text, where, version)
    meant = dtcore.plan_resolve(*where)
    same(read, meant, {"framework_version", "sharding", "framework"})
    assert read.micro_batch == meant.micro_batch and read.precision == meant.precision
    if "deepspeed" not in words:
        assert read.sharding == meant.sharding


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ("pytorch sharding=ddp tp=2 gbs=64", "tp"),
        ("pytorch sharding=fsdp recompute=full gbs=64", "recompute"),
        ("megatron tp=2 gbs=64", "arguments"),
    ],
)
def test_trainer_refuses(words: str, field: str) -> None:
    with pytest.raises(DtcoreError) as refused:
        write(case("llama-2-7b", words, 2), "torchrun", arguments="trainer")
    assert refused.value.field == field, str(refused.value)


# ---- TorchTitan, ColossalAI ------------------------------------------------------------------------------------------

TITAN = [
    "tp=8 mbs=1 gbs=64 seq=8192",
    "sharding=hsdp mbs=2 gbs=128 recompute=full",
    "tp=2 pp=4 mbs=1 gbs=128",
    "pp=2 vpp=2 mbs=2 gbs=128 recompute=selective",
    "cp=4 mbs=1 gbs=32 seq=16384 compile",
    "tp=4 compile tp_overlap mbs=1 gbs=64 precision=fp32",
    "sharding=ddp mbs=1 gbs=64 precision=fp32",
]


def titan_data(text: str) -> dict:
    """What the Python function puts into a configuration."""
    class Part(SimpleNamespace):
        def __getattr__(self, name: str) -> "Part":
            if name.startswith("_"):
                raise AttributeError(name)
            part = Part()
            setattr(self, name, part)
            return part

    def ac(name: str) -> SimpleNamespace:
        return SimpleNamespace(Config=lambda: {"class": name})

    source = "\n".join(line for line in text.splitlines() if not line.startswith("from torchtitan"))
    scope = {"FullAC": ac("FullAC"), "SelectiveAC": ac("SelectiveAC")}
    exec(compile(source, "with_plan.py", "exec"), scope)
    config = scope["with_plan"](Part())

    def plain(value: object) -> object:
        return {k: plain(v) for k, v in vars(value).items()} if isinstance(value, Part) else value

    return plain(config)


@pytest.mark.parametrize("words", TITAN)
@pytest.mark.parametrize("version", ["0.2.2", "0.3", "main"])
def test_titan(words: str, version: str) -> None:
    where = case("llama-3-8b", f"torchtitan@{version} {words}", 4)
    if version == "0.2.2":
        data = tomllib.loads(write(where, "titan_toml"))
    else:
        text = write(where, "titan_python")
        data = titan_data(text)
        assert ("import FullAC" in text) == ("recompute=full" in words)
    number = {"0.2.2": 2002, "0.3": 3000, "main": MAIN}[version]
    _, read = lint(Dialect.TORCHTITAN, json.dumps(data), where, number)
    meant = dtcore.plan_resolve(*where)
    same(read, meant, {"framework_version", "accumulation"})
    for field in ("dp", "dp_shard", "micro_batch", "global_batch", "seq", "sharding", "precision"):
        assert getattr(read, field) == getattr(meant, field), field
    for field in ("tp", "pp", "cp"):
        assert (getattr(read, field) or 1) == getattr(meant, field), field


def test_titan_versions() -> None:
    for version, target in (("0.2.2", "titan_python"), ("0.3", "titan_toml")):
        with pytest.raises(DtcoreError) as refused:
            write(case("llama-3-8b", f"torchtitan@{version} gbs=64", 4), target)
        assert refused.value.field == "framework_version"


@pytest.mark.parametrize(
    ("words", "target", "field"),
    [
        ("torchtitan@0.2.2 sharding=ddp tp=2 gbs=64", "titan_toml", "precision"),  # it would train in fp32
        ("torchtitan sharding=ddp dp_shard=4 gbs=64", "titan_python", "dp_shard"),
        ("torchtitan optimizer=lion gbs=64", "titan_python", "optimizer"),
        ("torchtitan precision=fp8 gbs=64", "titan_python", "precision"),
        ("torchtitan tuning=lora gbs=64", "titan_python", "tuning"),
        ("torchtitan@0.2.2 tp=2 nosp gbs=64", "titan_toml", "sequence_parallel"),
    ],
)
def test_titan_refuses(words: str, target: str, field: str) -> None:
    with pytest.raises(DtcoreError) as refused:
        write(case("llama-3-8b", words, 2), target)
    assert refused.value.field == field, str(refused.value)


COLOSSAL = [
    "sharding=ddp mbs=1 gbs=32 precision=fp32",
    "sharding=zero1 mbs=1 gbs=32",
    "sharding=zero2 offload=optimizer mbs=1 gbs=32",
    "sharding=zero3 mbs=1 gbs=32",
    "tp=2 pp=2 mbs=1 gbs=32",
    "tp=4 sp sharding=zero2 mbs=1 gbs=32",
    "pp=4 vpp=2 schedule=interleaved mbs=1 gbs=64 sharding=zero1",
    "cp=2 mbs=1 gbs=32",
]


@pytest.mark.parametrize("words", COLOSSAL)
def test_colossalai(words: str) -> None:
    where = case("llama-2-7b", f"colossalai {words}", 2)
    calls = [n for n in ast.walk(ast.parse(write(where, "colossalai"))) if isinstance(n, ast.Call)]
    plugin = next(call for call in calls if call.func.id.endswith("Plugin"))
    data = {"plugin": plugin.func.id, **{k.arg: ast.literal_eval(k.value) for k in plugin.keywords}}
    _, read = lint(Dialect.COLOSSALAI, json.dumps(data), where)
    meant = dtcore.plan_resolve(*where)
    same(read, meant, {"framework_version", *({"precision"} if "ddp" in words else ())})
    assert read.sharding == meant.sharding and read.dp == meant.dp


def test_colossalai_precision_of_ddp() -> None:
    """The plugin of DDP has no precision: the booster has, fp16 alone."""
    half = write(case("llama-2-7b", "colossalai sharding=ddp precision=fp16 gbs=32", 2), "colossalai")
    assert 'Booster(mixed_precision="fp16", plugin=plugin)' in half
    with pytest.raises(DtcoreError) as refused:
        write(case("llama-2-7b", "colossalai sharding=ddp gbs=32", 2), "colossalai")
    assert refused.value.field == "precision"


# ---- random plans ----------------------------------------------------------------------------------------------------

FRAMEWORKS = {
    "megatron": ["torchrun"],
    "deepspeed": ["ds_config", "accelerate"],
    "pytorch": ["accelerate", "trainer"],
    "torchtitan@0.2.2": ["titan_toml"],
    "torchtitan@0.3": ["titan_python"],
    "torchtitan@main": ["titan_python"],
    "colossalai": ["colossalai"],
}
WORDS = [
    "tp=2", "tp=4", "tp=8", "cp=2", "cp=4", "pp=2", "pp=4", "pp=8", "vpp=2", "vpp=4", "ep=2", "ep=8", "etp=1", "sp",
    *(f"sharding={kind}" for kind in ("ddp", "zero1", "zero2", "zero3", "fsdp", "hsdp", "distopt")), "mbs=1", "mbs=2",
    "recompute=full", "recompute=selective", "recompute_method=block", "recompute_layers=2", "recompute_distributed",
    "precision=fp16", "precision=fp32", "precision=fp8", "precision=pure_bf16", "fp8_recipe=block", "fp8_params",
    "grad=fp32", "grad=16bit", "dropout", "optimizer=sgd", "optimizer=lion", "optimizer=muon", "grad_overlap",
    "param_overlap", "tp_overlap", "moe_overlap", "noreshard", "offload=optimizer", "offload=params", "compile",
    "loss=fused", "attention=flash", "attention=eager", "notransformer_engine", "account_loss", "cuda_graph=partial",
    "dispatcher=flex", "group=4", "defer_wgrad", "nop2p_overlap", "dp_shard=4", "nograd_fusion", "whole_tensors",
    "softmax_fp32", "router_fp32", "capacity_percent=150",
]  # fmt: skip
MODELS = ["llama-2-7b", "llama-3-70b", "gpt3-175b", "mixtral-8x7b", "deepseek-v3", "qwen3-8b", "qwen2.5-7b", "gpt2"]


def as_json(target: str, text: str) -> tuple[Dialect, str]:
    """What the linter is given of a text."""
    if target == "colossalai":
        calls = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)]
        plugin = next(call for call in calls if call.func.id.endswith("Plugin"))
        arguments = {k.arg: ast.literal_eval(k.value) for k in plugin.keywords}
        return Dialect.COLOSSALAI, json.dumps({"plugin": plugin.func.id, **arguments})
    if target == "accelerate":
        return Dialect.ACCELERATE, json.dumps(read_yaml(text))
    if target == "titan_toml":
        return Dialect.TORCHTITAN, json.dumps(tomllib.loads(text))
    if target == "titan_python":
        return Dialect.TORCHTITAN, json.dumps(titan_data(text))
    return {"torchrun": Dialect.MEGATRON, "ds_config": Dialect.DEEPSPEED, "trainer": Dialect.TRAINER}[target], text


@pytest.mark.parametrize("seed", range(4))
def test_random_plans_are_refused_or_right(seed: int) -> None:
    """A text is written only when its tool would take it: the linter finds nothing, and sees the same split."""
    rng = random.Random(seed)
    written = 0
    for _ in range(3000):
        framework = rng.choice(list(FRAMEWORKS))
        target = rng.choice(FRAMEWORKS[framework])
        some = {word.split("=")[0].removeprefix("no"): word for word in rng.sample(WORDS, rng.randint(1, 7))}
        words = " ".join([framework, f"gbs={rng.choice([64, 512, 1024])}", *some.values()])
        nodes = rng.choice([2, 4, 16])
        try:
            where = case(rng.choice(MODELS), words, nodes, rng.choice(["dgx-h100", "dgx-b200", "dgx-a100"]))
            text = write(where, target, hosts=hosts_of(nodes))
        except DtcoreError:
            continue
        version = {"torchtitan@0.2.2": 2002, "torchtitan@0.3": 3000}.get(framework, MAIN)
        dialect, readable = as_json(target, text)
        _, read = lint(dialect, readable, where, version if dialect in {Dialect.MEGATRON, Dialect.TORCHTITAN} else 0)
        meant = dtcore.plan_resolve(*where)
        for field in ("tp", "pp", "micro_batch", "global_batch"):
            assert getattr(read, field) in {0, getattr(meant, field)}, (words, field)
        written += 1
    assert written > 100


# ---- shells ----------------------------------------------------------------------------------------------------------

COMMANDS = {
    "pytorch": ["torchrun", "c10d", "srun", "sbatch", "sbatch_torchrun", "mpirun", "accelerate_run", "environment"],
    "deepspeed": ["deepspeed", "deepspeed_slurm", "torchrun"],
    "megatron": ["torchrun", "c10d", "srun", "sbatch", "sbatch_torchrun", "mpirun", "megatron"],
    "colossalai": ["colossalai_run", "torchrun"],
    "torchtitan": ["torchrun", "c10d"],
}
STUB = """#!/bin/sh
for word in "$0" "$@"; do printf '%s\\0' "$word"; done >> "$STUB_OUT"
printf '\\1' >> "$STUB_OUT"
"""
ODD = "".join(chr(c) for c in range(32, 127))


def run_with_stubs(text: str, folder: Path, names: list[str], **env: str) -> list[list[str]]:
    """The argument vectors that programs were started with."""
    out = folder / "out"
    for name in names:
        (folder / name).write_text(STUB)
        (folder / name).chmod(stat.S_IRWXU)
    script = folder / "run.sh"
    script.write_text(text)
    paths = f"{folder}:/usr/bin:/bin"
    subprocess.run(["bash", "-n", str(script)], check=True)
    subprocess.run(["bash", str(script)], check=True, cwd=folder, env={"PATH": paths, "STUB_OUT": str(out), **env})
    calls = out.read_bytes().decode().split("\1")[:-1] if out.exists() else []
    return [[Path(word[0]).name, *word[1:]] for word in (call.split("\0")[:-1] for call in calls)]


PROGRAMS = ["torchrun", "deepspeed", "srun", "mpirun", "python", "accelerate", "colossalai", "scontrol"]


@pytest.mark.parametrize(("framework", "target"), [(f, t) for f, targets in COMMANDS.items() for t in targets])
def test_words_arrive(framework: str, target: str, tmp_path: Path) -> None:
    where = case("llama-2-7b", f"{framework} gbs=64", 2)
    script = ["my train.py", "--note", ODD, "", "~", "a=b", "=x", "-n", "$(touch owned)", "`id`", "Ünïcode"]
    text = write(where, target, "\n".join(script), hosts_of(2))
    calls = run_with_stubs(text, tmp_path, PROGRAMS, NODE_RANK="1", SLURM_JOB_ID="7", SLURM_JOB_NODELIST="n[0-1]")
    if target in {"environment", "megatron"}:
        assert calls == []
        return
    words = calls[-1]
    at = words.index(script[0])
    rest = words[at + 1 :]
    assert [w for w in rest[len(rest) - len(script) + 1 :]] == script[1:]
    assert not (tmp_path / "owned").exists()
    assert words[0] == {"c10d": "torchrun", "sbatch": "srun", "sbatch_torchrun": "srun", "deepspeed_slurm": "deepspeed",
                        "accelerate_run": "accelerate", "colossalai_run": "colossalai"}.get(target, target)  # fmt: skip


@pytest.mark.parametrize("bad", [chr(c) for c in range(1, 32) if c != 10] + ["\x7f"])
def test_control_characters_are_refused(bad: str) -> None:
    with pytest.raises(DtcoreError) as refused:
        write(case("llama-2-7b", "pytorch gbs=64", 2), "torchrun", f"train.py\n--x{bad}", hosts_of(2))
    assert refused.value.field == "script" and refused.value.offset == 12


@pytest.mark.parametrize("bad", ["a b;c", "-x y", "a'b c", "a$b c", "é b", "a\0 b"])
def test_hosts_are_names(bad: str) -> None:
    with pytest.raises(DtcoreError) as refused:
        write(case("llama-2-7b", "pytorch gbs=64", 2), "torchrun", hosts=bad)
    assert refused.value.field == "hosts"


def test_inner_shells_pass_words_on(tmp_path: Path) -> None:
    """What srun and mpirun start sets the ranks and passes the words on."""
    where = case("llama-2-7b", "pytorch gbs=64", 2)
    for target, program, env in (
        ("srun", "srun", {"SLURM_PROCID": "9", "SLURM_LOCALID": "1", "SLURM_STEP_NUM_TASKS": "16"}),
        ("mpirun", "mpirun", {"OMPI_COMM_WORLD_RANK": "9", "OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_SIZE": "16"}),
    ):  # fmt: skip
        folder = tmp_path / target
        folder.mkdir()
        text = write(where, target, f"train.py\n{ODD}", hosts_of(2))
        words = run_with_stubs(text, folder, [program])[-1]
        inner = words[words.index("bash") :]
        (folder / "python").write_text('#!/bin/sh\nprintf "%s\\0" "$RANK" "$LOCAL_RANK" "$WORLD_SIZE" "$@"\n')
        (folder / "python").chmod(stat.S_IRWXU)
        done = subprocess.run(inner, capture_output=True, check=True, env={"PATH": f"{folder}:/usr/bin:/bin", **env})
        assert done.stdout.decode().split("\0")[:-1] == ["9", "1", "16", "train.py", ODD]


@pytest.mark.parametrize("target", ["srun", "sbatch", "sbatch_torchrun"])
@pytest.mark.parametrize("nodes", [1, 4])
def test_slurm_is_linted(target: str, nodes: int) -> None:
    where = case("llama-2-7b", "megatron tp=2 sp gbs=64", nodes)
    text = write(where, target)
    lint(Dialect.SLURM, text, where)
    tasks = 1 if target == "sbatch_torchrun" else 8
    assert f"--ntasks-per-node={tasks}" in text and f"--nodes={nodes}" in text


@pytest.mark.parametrize("target", ["torchrun", "c10d", "sbatch_torchrun"])
@pytest.mark.parametrize("nodes", [1, 4])
@pytest.mark.parametrize("named", [True, False])
def test_torchrun_is_linted(target: str, nodes: int, named: bool) -> None:
    where = case("llama-2-7b", "megatron tp=2 sp gbs=64", nodes)
    lint(Dialect.TORCHRUN, write(where, target, hosts=hosts_of(nodes) if named else ""), where)


def test_environment_is_linted() -> None:
    where = case("llama-2-7b", "megatron tp=2 sp gbs=64", 2)
    lint(Dialect.NCCL, write(where, "environment", hosts=hosts_of(2)), where)


# ---- sets ------------------------------------------------------------------------------------------------------------


def test_every_target_has_a_file_of_its_own() -> None:
    names = [dtcore.launch_file(target) for target in LaunchTarget if target]
    assert len(set(names)) == len(names) == 20


@pytest.mark.parametrize(
    ("words", "targets"),
    [
        ("pytorch", ["torchrun", "accelerate", "accelerate_run", "sbatch_torchrun"]),
        ("deepspeed", ["deepspeed", "hostfile", "ds_config", "sbatch_torchrun"]),
        ("megatron", ["torchrun", "megatron", "sbatch_torchrun"]),
        ("torchtitan", ["torchrun", "titan_python", "sbatch_torchrun"]),
        ("torchtitan@0.2.2", ["torchrun", "titan_toml", "sbatch_torchrun"]),
        ("colossalai", ["colossalai_run", "colossalai", "sbatch_torchrun"]),
    ],
)
def test_usual_set(words: str, targets: list[str]) -> None:
    plan = dtcore.plan_parse(f"dtcore: {words}")[0]
    assert [LaunchTarget(t).name.lower() for t in dtcore.launch_targets(plan, Launch())] == targets
