"""python -m dtcore lint: YAML, TOML and Python become what the library reads, and its findings are printed."""
import json
import sys

import pytest

from dtcore._lint import main

ACCELERATE = """\
distributed_type: FSDP
mixed_precision: bf16
num_processes: 8
fsdp_config:
  fsdp_version: 2
  fsdp_reshard_after_forward: {reshard}
"""

TITAN = """\
[job]
description = "x"

[training]
local_batch_size = 4
seq_len = 8192

[parallelism]
tensor_parallel_degree = {tp}
"""

PYTHON = '''\
from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
from torchtitan.trainer import Trainer

SIZE = compute()


def base() -> Trainer.Config:
    compiled = CompileConfig(enable=True, components=["model"])
    return Trainer.Config(
        model_spec=model_registry("debugmodel"),
        training=TrainingConfig(
            num_tokens_per_microbatch_per_dp_rank=4 * 2048,
            max_context_length=2048,
        ),
        parallelism=ParallelismConfig(
            tensor_parallel_degree=SIZE,
            context_parallel_load_balancer="",
        ),
        compile=compiled,
        activation_checkpoint=FullAC.Config(),
    )


def derived():
    """A docstring."""
    config = base()
    config.parallelism.context_parallel_load_balancer = None
    config.compile.enable_async_tensor_parallel = True
    config.training.num_tokens_per_train_step = 100
    if SIZE:
        config.training.steps = 1
    return config
'''


@pytest.fixture
def run(tmp_path, capsys):
    """Writes files, lints them, and gives the exit code, the lines of stdout and those of stderr."""

    def call(files: dict[str, str | bytes], *options: str) -> tuple[int, list[str], list[str]]:
        for name, text in files.items():
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        code = main(["lint", *options, *(str(tmp_path / name) for name in files)])
        out, err = capsys.readouterr()
        return code, out.replace(f"{tmp_path}/", "").splitlines(), err.replace(f"{tmp_path}/", "").splitlines()

    return call


def test_yaml_of_accelerate(run):
    assert run({"a.yaml": ACCELERATE.format(reshard="true")}) == (0, ["a.yaml: nothing found"], [])
    code, out, err = run({"a.yml": ACCELERATE.format(reshard="FULL_SHARD")})
    assert (code, len(out), err) == (1, 1, [])
    assert out[0].startswith("error: fsdp_config.fsdp_reshard_after_forward = FULL_SHARD with ")


def test_names_have_lines(run):
    code, out, _ = run({"a.yaml": ACCELERATE.format(reshard="true") + "num_proceses: 2\n"})
    assert code == 1
    assert out == ["error: line 7 (num_proceses): unknown name, the tool stops at it; the nearest name is num_processes"]
    code, out, _ = run({"a.yaml": ACCELERATE.format(reshard="true") + "num_proceses: 2\n"}, "--lang", "zh")
    assert out == ["错误：第 7 行（num_proceses）：未知的名称，工具会因此终止；最接近的名称是 num_processes"]


def test_toml_of_torchtitan(run):
    assert run({"t.toml": TITAN.format(tp=2)}, "--world", "8")[:2] == (0, ["t.toml: nothing found"])
    code, out, _ = run({"t.toml": TITAN.format(tp=3)}, "--world", "8")
    assert code == 1
    assert out[0].startswith("error: parallelism.data_parallel_shard_degree: ")
    # Since Python the sections are others.
    code, out, _ = run({"t.toml": TITAN.format(tp=2)}, "--version", "main")
    assert code == 1
    assert "line 1 (job)" in out[0] and "line 5 (local_batch_size)" in out[1] and "line 6 (seq_len)" in out[2]


def test_python_of_torchtitan_is_read_not_run(run):
    code, out, err = run({"c.py": PYTHON}, "--world", "8")
    assert (code, err) == (1, [])
    base = [line.removeprefix("c.py:base: ") for line in out if line.startswith("c.py:base: ")]
    derived = [line.removeprefix("c.py:derived: ") for line in out if line.startswith("c.py:derived: ")]
    assert len(base) + len(derived) == len(out)
    assert base == [
        "error: parallelism.context_parallel_load_balancer is empty: null (None) turns balancing off",
        "not read: line 16: parallelism.tensor_parallel_degree = SIZE: no constant",
    ]
    assert [line.split(":")[0] for line in derived] == ["error", "warning", "not read", "not read"]
    assert "num_tokens_per_train_step = 100" in derived[0]
    assert derived[1].startswith("warning: compile.enable_async_tensor_parallel = true: ")
    assert derived[3] == "not read: line 30: if SIZE: .."


def test_plan_of_a_python_configuration(run):
    _, out, _ = run({"c.py": PYTHON}, "--json")
    told = json.loads("\n".join(out))
    assert (told["command"], [f["name"] for f in told["files"]]) == ("lint", ["base", "derived"])
    plan = told["files"][0]["plan"]
    assert {"torchtitan@main", "seq=2048", "mbs=4", "recompute=full"} <= set(plan.split())


def test_configuration_classes_alone(run):
    code, out, _ = run({"c.py": "parallelism = ParallelismConfig(\n    pipeline_parallel_microbatch_size=1)\n"})
    assert code == 1
    assert "line 2 (pipeline_parallel_microbatch_size)" in out[0]


def test_json_goes_as_it_stands(run):
    assert run({"ds.json": '{"train_batch_size": 8, "zero_optimization": {"stage": 2}}'}, "--world", "8")[0] == 0
    code, out, _ = run({"p.json": '{\n  "plugin": "GeminiPlugin",\n  "pp_size": 2}'})
    assert (code, out) == (1, ["error: pp_size: GeminiPlugin has no such argument"])
    code, out, _ = run({"p": '{"tp_size": 3, "pp_size": 1}'}, "--world", "8")
    assert code == 1 and "tp_size = 3" in out[0]


def test_command_lines_are_text(run):
    code, out, _ = run({"run.sh": "torchrun --nnodes=2 train.py --foo\n"})
    assert code == 1
    assert out[0].startswith("error: --nnodes = 2: --node-rank must be given")
    code, out, _ = run({"run.sh": "torchrun train.py --fp16 --bf16\n"}, "--dialect", "trainer")
    assert code == 1 and out[0].startswith("error: --fp16 = true: ")


def test_several_files_are_named(run):
    code, out, err = run({"a.yaml": ACCELERATE.format(reshard="true"), "b.yaml": ACCELERATE.format(reshard="NO_SHARD")})
    assert (code, err) == (1, [])
    assert out[0] == "a.yaml: nothing found" and out[1].startswith("b.yaml: error: ")


def test_json_answer(run):
    code, out, _ = run({"a.yaml": ACCELERATE.format(reshard="NO_SHARD")}, "--json")
    told = json.loads("\n".join(out))
    assert code == 1
    (file,) = told["files"]
    assert (file["dialect"], file["unread"]) == ("accelerate", [])
    assert file["plan"] == "dtcore: pytorch dp=8 sharding=fsdp precision=bf16"
    (finding,) = file["findings"]
    assert (finding["severity"], finding["rule"], finding["line"]) == ("error", 614, 6)
    assert finding["field"] == "fsdp_config.fsdp_reshard_after_forward"


@pytest.mark.parametrize(
    "name, text, why",
    [
        ("a.yaml", "a: [1\n", "no YAML"),
        ("a.yaml", "- 1\n", "this YAML holds no names at its top"),
        ("a.yaml", "apples: 1\n", "no configuration that is known in YAML"),
        ("a.toml", "a = \n", "no TOML"),
        ("a.py", "def f(:\n", "no Python"),
        ("a.py", "print(1)\n", "no TorchTitan configuration"),
        ("a.json", "{", "byte 1"),
        ("a.sh", b"\xff\xfe", "no text in UTF-8"),
    ],
)
def test_what_cannot_be_read(run, name, text, why):
    code, out, err = run({name: text})
    assert (code, out, len(err)) == (2, [], 1)
    assert err[0].startswith(f"dtcore: {name}: ") and (why in err[0] or "line 1" in err[0])


def test_a_file_that_is_not_there(capsys):
    assert main(["lint", "/nowhere/a.yaml"]) == 2
    assert capsys.readouterr().err == "dtcore: /nowhere/a.yaml: No such file or directory\n"


def test_yaml_without_pyyaml(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    code, _, err = run({"a.yaml": "a: 1\n"})
    assert (code, err) == (2, ["dtcore: a.yaml: YAML needs PyYAML: pip install pyyaml"])


def test_wrong_options(capsys):
    for options in (["lint"], ["lint", "--version", "x", "a"], ["lint", "--dialect", "x", "a"], []):
        with pytest.raises(SystemExit) as stopped:
            main(options)
        assert stopped.value.code == 2
    capsys.readouterr()
