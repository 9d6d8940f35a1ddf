"""What mypy --strict says: nothing of the package and its examples, something of a program with a wrong field."""
import subprocess
import sys
from pathlib import Path

import dtcore
import headers
import pytest

pytest.importorskip("mypy")
PACKAGE = Path(dtcore.__file__).parent
EXAMPLES = sorted((headers.ROOT / "examples/python").glob("*.py"))

RIGHT = """
import dtcore
plan = dtcore.Plan(tp=8, sharding="zero3", sequence_parallel=None, framework=dtcore.Framework.MEGATRON)
memory: dtcore.Memory = dtcore.memory(dtcore.model_find("gpt2"), None, plan)
tokens: float = dtcore.step(dtcore.model_find("gpt2"), dtcore.gpu_find("h100-80gb"), plan).tokens_per_gpu_second
member: dtcore.Moment = memory.moment
rows = dtcore.memory_batch(dtcore.model_find("gpt2"), None, plan, {"tp": [1, 2]})["device"].max()
"""
# A line of a program, and the code of the error that it gives.
WRONG = [
    ("dtcore.Plan(tpp=8)", "call-arg"),
    ("dtcore.Plan(8)", "call-arg"),
    ('dtcore.Plan(tp="8")', "arg-type"),
    ('dtcore.Plan(sharding="zero9")', "arg-type"),
    ("dtcore.Plan(sharding=dtcore.Schedule.GPIPE)", "arg-type"),
    ("dtcore.Plan().tp = 4", "misc"),
    ('dtcore.memory("gpt2")', "arg-type"),
    ('dtcore.memory(dtcore.model_find("gpt2")).byte', "attr-defined"),
    ('dtcore.step(dtcore.model_find("gpt2"), None, dtcore.Plan())', "arg-type"),
    ("dtcore.Mesh.of(tp=2).placement('tp')", "call-arg"),
    ("dtcore.plan_find()", "attr-defined"),
]


def mypy(*files: Path, cache: Path) -> str:
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", cache, *files],
                         capture_output=True, text=True, env={"MYPYPATH": str(PACKAGE.parent), "PATH": "/usr/bin:/bin"})
    assert run.stderr == ""
    return run.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def test_package_and_examples_are_typed(cache):
    assert len(EXAMPLES) >= 2
    assert mypy(PACKAGE, *EXAMPLES, cache=cache) == ""


def test_wrong_programs_are_seen(cache, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(RIGHT + "".join(f"{line}\n" for line, _ in WRONG))
    told = mypy(program, cache=cache).splitlines()
    first = RIGHT.count("\n") + 1
    for number, (line, code) in enumerate(WRONG, first):
        assert any(f":{number}: error:" in text and f"[{code}]" in text for text in told), (line, told)
    assert all(int(text.split(":")[1]) >= first for text in told if ": error:" in text)
