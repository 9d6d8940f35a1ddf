"""The public names: everything of C is there, documented and typed; what is generated is fresh."""
import inspect
import os
import subprocess
import sys
from enum import IntEnum
from pathlib import Path
from typing import get_args, get_type_hints

import dtcore
import headers
import pytest

HEADERS = headers.read()
ENUMS = [e for e in HEADERS.enums if e.name not in ("", "dtc_bool", "dtc_lang")]
ELSEWHERE = {"dtc_error_format": "DtcoreError.text"}


def python_name(name: str) -> str:
    return ELSEWHERE.get(name, name.removeprefix("dtc_").removesuffix("_estimate").removesuffix("_run"))


@pytest.mark.parametrize("fn", HEADERS.functions, ids=lambda fn: fn.name)
def test_every_c_function_is_reached(fn):
    found = dtcore
    for part in python_name(fn.name).split("."):
        found = getattr(found, part)
    assert f"_core.{fn.name.removeprefix('dtc_')}(" in inspect.getsource(found)
    assert callable(getattr(dtcore._core, fn.name.removeprefix("dtc_")))


@pytest.mark.parametrize("enum", ENUMS, ids=lambda e: e.name)
def test_every_enumerator_is_there(enum):
    found = getattr(dtcore, "".join(word.capitalize() for word in enum.name.split("_")[1:]))
    assert issubclass(found, IntEnum)
    assert {v.value for v in enum.values} <= {member.value for member in found}


def test_rules_of_all_headers_are_one_enum():
    rules = {name: value for name, value in HEADERS.constants.items() if name.startswith("DTC_RULE_")}
    assert {f"DTC_RULE_{rule.name}": rule.value for rule in dtcore.Rule} == rules


def test_constants():
    assert dtcore.NONE == 2**64 - 1 and dtcore.MAIN == 2**32 - 1 and dtcore.MESH_AXES == 16
    assert dtcore.EVENLY == 2**32 - 1 and dtcore.EVERYWHERE == 2**32 - 2


@pytest.mark.parametrize("name", [n for n in dtcore.__all__ if callable(getattr(dtcore, n))])
def test_public_names_are_documented_and_typed(name):
    thing = getattr(dtcore, name)
    assert inspect.getdoc(thing).split("\n\n")[0].endswith(".")
    assert "dtc_" not in inspect.getdoc(thing) and "DTC_" not in inspect.getdoc(thing)
    if inspect.isfunction(thing):
        signature = inspect.signature(thing)
        assert signature.return_annotation is not inspect.Signature.empty
        assert all(p.annotation is not p.empty for p in signature.parameters.values())


def test_an_enum_is_typed_with_its_words():
    parameters = inspect.signature(dtcore.Plan).parameters
    assert parameters["sharding"].annotation == "Sharding | ShardingWord"
    assert get_type_hints(dtcore.Plan.__init__)["sharding"] == dtcore.Sharding | dtcore._types.ShardingWord
    assert set(get_args(dtcore._types.ShardingWord)) >= {"default", "zero3", "fsdp"}
    assert inspect.signature(dtcore.ledger_rows).parameters["kind"].annotation == "LayerKind | LayerKindWord"
    assert dtcore.Plan.__annotations__["sharding"] is dtcore.Sharding
    assert inspect.signature(dtcore.memory_min_gpus).return_annotation == "tuple[MinGpus, Plan]"


def test_all_is_complete():
    public = {n for n, v in vars(dtcore).items() if not n.startswith("_") and not inspect.ismodule(v)}
    assert public == set(dtcore.__all__) and len(dtcore.__all__) == len(public)


def test_package_is_typed():
    assert (Path(dtcore.__file__).parent / "py.typed").exists()


def test_generated_files_are_fresh():
    gen = headers.ROOT / "scripts/gen"
    run = subprocess.run([sys.executable, gen, "--check"], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "")


def test_generated_files_name_no_place_of_a_machine():
    package = headers.ROOT / "bindings/python/dtcore"
    others = ("bindings/fields.h", "bindings/types.i", "doc/errors.md")
    paths = [*(headers.ROOT / name for name in others), *package.glob("*.py")]
    assert len(paths) > 4
    assert not [path for path in paths if str(headers.ROOT) in path.read_text(encoding="utf-8")]


def test_numpy_is_imported_only_when_needed():
    code = "import sys, dtcore; assert 'numpy' not in sys.modules"
    path = str(Path(dtcore.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path})


def test_version():
    assert dtcore.__version__ == dtcore.version_string()
    major, minor, patch = map(int, dtcore.__version__.split("."))
    assert dtcore.version() == major * 10**6 + minor * 10**3 + patch
