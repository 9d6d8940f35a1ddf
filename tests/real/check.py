"""What `dtcore launch` writes, read by the tools themselves. usage: check.py PROGRAM

Each step takes the texts of some plans, gives them to the parser or the validator of a package, and compares what it has
made of them with the plan. The last line counts the steps.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
import warnings
from unittest import mock

PROGRAM = sys.argv[1]
HOSTS = "n0,n1,n2,n3"
os.environ["DS_ACCELERATOR"] = "cpu"
warnings.filterwarnings("ignore")


def launch(words: str, target: str, *more: str) -> dict:
    command = [PROGRAM, "launch", *shlex.split(words), "--target", target, "--json", *more]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["files"][0]


LLAMA = "llama-2-7b --cluster dgx-h100 --nodes 4"


def deepspeed_config() -> str:
    import deepspeed
    from deepspeed.runtime import config as runtime

    distributed = mock.patch.multiple(runtime.dist, get_rank=lambda: 0, get_world_size=lambda: 32)  # without starting them

    plans = [
        ("--sharding zero3 --gbs 64 --mbs 1", 3, (64, 1, 2), "bf16"),
        ("--sharding zero2 --gbs 128 --mbs 2 --precision fp16 --plan offload=optimizer", 2, (128, 2, 2), "fp16"),
        ("--sharding zero1 --gbs 32 --mbs 1", 1, (32, 1, 1), "bf16"),
        ("--sharding zero3 --gbs 32 --mbs 1 --plan 'offload=params live=100000000 persistence=10000'", 3, (32, 1, 1), "bf16"),
        ("--framework deepspeed --sharding ddp --gbs 32 --precision fp32", 0, (32, 1, 1), "fp32"),
    ]  # fmt: skip
    for words, stage, batch, precision in plans:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(launch(f"{LLAMA} {words}", "ds_config")["text"])
            file.flush()
            with distributed:
                config = runtime.DeepSpeedConfig(file.name)
        got = (config.train_batch_size, config.train_micro_batch_size_per_gpu, config.gradient_accumulation_steps)
        assert got == batch, (words, got)
        assert config.zero_optimization_stage == stage, words
        assert config.bfloat16_config.enabled == (precision == "bf16"), words
        assert config.float16_config.enabled == (precision == "fp16"), words
        if "offload=optimizer" in words:
            assert config.zero_config.offload_optimizer.device == "cpu"
        if "live" in words:
            assert config.zero_config.max_live_parameters == 100000000
            assert config.zero_config.param_persistence_threshold == 10000
            assert config.zero_config.offload_param.device == "cpu"
    return f"deepspeed {deepspeed.__version__}"


def deepspeed_launcher() -> str:
    import deepspeed
    from deepspeed.launcher import runner

    argv = launch(f"{LLAMA} --sharding zero3 --gbs 64 --hosts {HOSTS}", "deepspeed", "--", "train.py", "--x", "it's")["argv"]
    assert argv[0] == "deepspeed"
    args = runner.parse_args(argv[1:])
    assert args.hostfile == "hostfile" and args.user_script == "train.py"
    assert args.user_args == ["--deepspeed", "--deepspeed_config", "ds_config.json", "--x", "it's"]
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(launch(f"{LLAMA} --sharding zero3 --gbs 64 --hosts {HOSTS}", "hostfile")["text"])
        file.flush()
        assert dict(runner.fetch_hostfile(file.name)) == {f"n{i}": 8 for i in range(4)}
    slurm = launch(f"{LLAMA} --sharding zero3 --gbs 64 --hosts {HOSTS}", "deepspeed_slurm")["argv"]
    args = runner.parse_args(slurm[1:])
    assert args.launcher == "slurm" and args.num_nodes == 4
    return f"deepspeed {deepspeed.__version__}"


def torchrun() -> str:
    import torch
    from torch.distributed.run import config_from_args, parse_args

    for target, backend, endpoint in (("torchrun", "static", ""), ("c10d", "c10d", "n0:29500")):
        argv = launch(f"{LLAMA} --gbs 64 --hosts {HOSTS} --node 3", target, "--", "train.py", "--nnodes", "7")["argv"]
        args = parse_args(argv[1:])
        config, _, words = config_from_args(args)
        assert (config.min_nodes, config.max_nodes, config.nproc_per_node) == (4, 4, 8)
        assert config.rdzv_backend == backend
        assert words[-3:] == ["train.py", "--nnodes", "7"]
        if target == "torchrun":
            assert (config.rdzv_endpoint, config.rdzv_configs["rank"]) == ("n0:29500", 2)
        else:
            assert config.rdzv_endpoint == endpoint
    args = parse_args(launch("llama-2-7b --cluster dgx-h100 --nodes 1 --gbs 64", "standalone")["argv"][1:])
    assert args.standalone and args.nproc_per_node == "8"
    return f"torch {torch.__version__}"


def accelerate_config() -> str:
    import accelerate
    from accelerate.commands.config.config_args import load_config_from_file
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser

    plans = [
        ("--sharding ddp --gbs 64", [], "MULTI_GPU"),
        ("--sharding fsdp --gbs 64 --recompute full", [], "FSDP"),
        ("--sharding fsdp --gbs 64", ["--fsdp", "1"], "FSDP"),
        ("--sharding hsdp --gbs 64", [], "FSDP"),
        ("--sharding fsdp --gbs 64 --tp 2", [], "FSDP"),
    ]
    for words, more, kind in plans:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "accelerate.yaml"
            path.write_text(launch(f"{LLAMA} {words} --hosts {HOSTS}", "accelerate", *more)["text"])
            config = load_config_from_file(str(path))
            assert config.distributed_type == kind, words
            assert (config.num_processes, config.num_machines, config.main_process_ip) == (32, 4, "n0")
            command = launch(f"{LLAMA} {words} --hosts {HOSTS} --node 2", "accelerate_run", "--", "train.py")["argv"]
            assert command[:2] == ["accelerate", "launch"]
            argv = [w.replace("accelerate.yaml", str(path)) for w in command[2:]]
            args, default, mixed = _validate_launch_command(launch_command_parser().parse_args(argv))
            assert args.machine_rank == 1 and args.num_processes == 32 and args.num_machines == 4
            assert args.use_fsdp == (kind == "FSDP") and args.mixed_precision == "bf16"
            if kind == "FSDP":
                assert int(args.fsdp_version) == (1 if more else 2)
    return f"accelerate {accelerate.__version__}"


def fsdp_plugin() -> str:
    """The environment that accelerate's launcher makes of the file builds the FSDP plugin."""
    import accelerate
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser
    from accelerate.utils import FullyShardedDataParallelPlugin
    from accelerate.utils.launch import prepare_multi_gpu_env

    plans = [
        ("--sharding fsdp", [], 2, True),
        ("--sharding fsdp --plan noreshard", [], 2, False),
        ("--sharding fsdp", ["--fsdp", "1"], 1, "FULL_SHARD"),
        ("--sharding fsdp --plan noreshard", ["--fsdp", "1"], 1, "SHARD_GRAD_OP"),
        ("--sharding hsdp", ["--fsdp", "1"], 1, "HYBRID_SHARD"),
    ]
    for words, more, version, reshard in plans:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "accelerate.yaml"
            path.write_text(launch(f"{LLAMA} {words} --gbs 64 --hosts {HOSTS}", "accelerate", *more)["text"])
            argv = [f"--config_file={path}", "--machine_rank=0", "train.py"]
            args, _, _ = _validate_launch_command(launch_command_parser().parse_args(argv))
            environment = prepare_multi_gpu_env(args)
        saved = dict(os.environ)
        os.environ.update({k: v for k, v in environment.items() if k.startswith("FSDP_")})
        gpu = mock.patch.multiple("accelerate.utils.dataclasses", is_cuda_available=lambda: True)
        with gpu, mock.patch("torch.cuda.current_device", lambda: 0):  # it asks which one there is, no more
            plugin = FullyShardedDataParallelPlugin()
        os.environ.clear()
        os.environ.update(saved)
        assert plugin.fsdp_version == version
        got = plugin.reshard_after_forward if version == 2 else plugin.sharding_strategy.name
        assert got == reshard, (words, got)
    return f"accelerate {accelerate.__version__}"


def trainer_arguments() -> str:
    import transformers
    from transformers import HfArgumentParser, TrainingArguments

    plans = [
        ("--sharding ddp --gbs 128 --mbs 2 --recompute full", {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 2, "bf16": True, "gradient_checkpointing": True}),
        ("--sharding ddp --gbs 64 --mbs 2 --optimizer adafactor --precision fp32", {"bf16": False}),
        ("--sharding fsdp --gbs 64", {"bf16": True}),
    ]  # fmt: skip
    for words, expected in plans:
        argv = launch(f"{LLAMA} {words}", "torchrun", "--arguments", "trainer", "--", "run.py", "--output_dir", "out")["argv"]
        flags = argv[argv.index("run.py") + 1 :]
        flags += ["--use_cpu", "True"]
        if "fsdp" in words: # the accelerator of an FSDP run wants GPUs: the flags alone
            names = {a.dest for a in HfArgumentParser(TrainingArguments)._actions}
            assert {f[2:] for f in flags if f.startswith("--")} <= names
            namespace = HfArgumentParser(TrainingArguments).parse_args(flags)
            assert namespace.fsdp not in (None, False, "") and namespace.bf16
            continue
        (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses(flags)
        for name, value in expected.items():
            assert getattr(args, name) == value, (words, name)
    return f"transformers {transformers.__version__}"


def megatron_config() -> str:
    """megatron-core has the configuration classes, not the parser of the scripts: the fields that flags fill."""
    import dataclasses

    import megatron.core
    from megatron.core.transformer.transformer_config import TransformerConfig

    flags = {row.split(",")[0]: row.split(",")[1] for row in
             (pathlib.Path(__file__).parents[1] / "launch/megatron_flags.csv").read_text().splitlines()[1:]}
    plans = [
        ("gpt3-175b --cluster dgx-h100 --nodes 64 --framework megatron --tp 4 --pp 4 --gbs 1024 --sp", (4, 4)),
        ("llama-3-70b --cluster dgx-h100 --nodes 16 --framework megatron --tp 8 --pp 4 --vpp 5 --gbs 1024 --sp --recompute full", (8, 4)),
        ("mixtral-8x7b --cluster dgx-h100 --nodes 4 --framework megatron --tp 2 --ep 8 --etp 1 --gbs 64 --sp", (2, 1)),
    ]  # fmt: skip
    import torch

    for words, degrees in plans:
        text = launch(words, "megatron")["text"]
        found = shlex.split(text[text.index("(") + 1 : text.rindex(")")])
        given, i = {}, 0
        while i < len(found):
            values = []
            dest = flags[found[i]]
            while i + 1 < len(found) and not found[i + 1].startswith("--"):
                i += 1
                values.append(found[i])
            given[dest] = values
            i += 1
        fields = {f.name: f for f in dataclasses.fields(TransformerConfig)}
        renamed = {"num_experts": "num_moe_experts", "swiglu": "gated_linear_unit"}  # core_transformer_config_from_args()
        config = {}
        for dest, values in given.items():
            name = renamed.get(dest, dest)
            if name not in fields:
                continue
            word = values[0] if values else True
            config[name] = int(word) if isinstance(word, str) and re.fullmatch(r"\d+", word) else word
        config.pop("moe_layer_freq", None)
        config.pop("recompute_modules", None)
        vpp = given.get("num_layers_per_virtual_pipeline_stage")
        if vpp:
            per_rank = config["num_layers"] // config["pipeline_model_parallel_size"]
            config["virtual_pipeline_model_parallel_size"] = per_rank // int(vpp[0])
        if "bf16" in given:
            config["bf16"] = True
            config["params_dtype"] = config["pipeline_dtype"] = torch.bfloat16
        config["add_bias_linear"] = "add_bias_linear" not in given
        built = TransformerConfig(**{k: v for k, v in config.items()})
        assert (built.tensor_model_parallel_size, built.pipeline_model_parallel_size) == degrees, words
        assert built.sequence_parallel
        if "num_experts" in given:
            assert built.num_moe_experts == 8 and built.expert_model_parallel_size == 8
    return f"megatron-core {megatron.core.__version__}"


def main() -> int:
    steps = [deepspeed_config, deepspeed_launcher, torchrun, accelerate_config, fsdp_plugin, trainer_arguments,
             megatron_config]  # fmt: skip
    failed = 0
    for step in steps:
        try:
            print(f"{step.__name__}: {step()}", flush=True)
        except Exception:
            failed += 1
            print(f"{step.__name__}: FAILED", flush=True)
            traceback.print_exc()
    print(f"{len(steps) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
