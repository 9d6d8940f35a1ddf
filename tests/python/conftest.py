"""Finds the package (PYTHONPATH, else the release build) and holds what several tests need."""
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Leaves no files; no deadline, because machines may be busy. DTCORE_EXAMPLES=5000 looks harder.
examples = int(os.environ.get("DTCORE_EXAMPLES", "40"))
settings.register_profile("dtcore", database=None, deadline=None, max_examples=examples)
settings.load_profile("dtcore")

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
try:
    import dtcore
except ModuleNotFoundError:
    sys.path.insert(0, str(ROOT / "build/release/python"))
    import dtcore


@pytest.fixture
def model() -> dtcore.Model:
    return dtcore.model_find("llama-2-70b")


@pytest.fixture
def cluster() -> dtcore.Cluster:
    return dtcore.gpu_find("h100-80gb")


@pytest.fixture
def plan() -> dtcore.Plan:
    return dtcore.Plan(tp=8, pp=4, dp=4, micro_batch=1, global_batch=512, seq=4096)
