"""examples/dask: workers of Dask find what one process finds."""
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import dtcore
import pytest
from conftest import ROOT

distributed = pytest.importorskip("distributed")
PACKAGE = str(Path(dtcore.__file__).parents[1])
EXAMPLE = ROOT / "examples/dask/search_dask.py"
OPTIONS = ["--model", "llama-3-8b", "--nodes", "4", "--global-batch", "128", "--gpus-least", "8", "--top", "40"]
QUESTION = (dtcore.model_find("llama-3-8b"), replace(dtcore.cluster_find("dgx-h100"), nodes=4),
            dtcore.Plan(global_batch=128))
SPACE = dtcore.Space(keep=40, gpus_least=8)


def ask(*options):
    done = subprocess.run([sys.executable, EXAMPLE, *OPTIONS, *options], capture_output=True, encoding="utf-8",
                          env={**os.environ, "PYTHONPATH": PACKAGE}, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(answer):
    size = dtcore.search_size(*QUESTION, SPACE)
    rows, counts = dtcore.search(*QUESTION, 0, size, SPACE)
    fields = ("index", "value", "seconds", "device", "gpus")
    assert [tuple(plan[field] for field in fields) for plan in answer["plans"]] == rows.tolist() and len(rows) == 40
    for plan in answer["plans"]:
        assert dtcore.plan_parse(plan["plan"])[0] == dtcore.search_plan(*QUESTION, plan["index"], SPACE)
    answer["counts"].pop("pruned")
    assert answer["counts"] == {name: getattr(counts, name) for name in answer["counts"]} and len(answer["counts"]) == 6
    assert list(answer["speeds"]) == ["1", "2"] and min(answer["speeds"].values()) > 0


def test_workers_of_this_machine():
    check(json.loads(ask("--json")))


def test_a_scheduler_that_runs(monkeypatch):
    """Three workers, two of which are asked for."""
    monkeypatch.setenv("PYTHONPATH", PACKAGE)
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as cluster:
        check(json.loads(ask("--json", "--scheduler", cluster.scheduler_address)))
        shown = ask("--scheduler", cluster.scheduler_address)
    assert shown.count("dtcore: ") == 40 and "\nworkers: 1; " in shown and "\nworkers: 2; " in shown


def test_pieces():
    sys.path.insert(0, str(EXAMPLE.parent))
    try:
        from search_dask import pieces
    finally:
        sys.path.pop(0)
    for size, workers in ((1, 1), (5, 2), (1000, 3), (2**61, 7)):
        cut = pieces(size, workers)
        assert [first for first, _ in cut] == [0, *(first + number for first, number in cut[:-1])]
        assert sum(number for _, number in cut) == size and len(cut) == min(size, 16 * workers)
        assert max(number for _, number in cut) - min(number for _, number in cut) <= 1
