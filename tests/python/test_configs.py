"""Configurations that people run (tests/truth/real_configs.csv): none is refused but those that cannot run."""
from __future__ import annotations

import sys
from pathlib import Path

import dtcore
import pytest

TRUTH = Path(__file__).resolve().parents[1] / "truth"
sys.path.insert(0, str(TRUTH))

import configs  # noqa: E402
from tables import rows  # noqa: E402

# Megatron stops at world % (etp * ep * pp): Megatron-Bridge's recipes for fewer GPUs than the expert groups need.
BROKEN = {"R0098", "R0099", "R0100", "R0101", "R0102", "R0253", "R0254", "R0266", "R0267", "R0268"}
ROWS = list(rows(TRUTH / "real_configs.csv.xz"))


def errors(row: dict[str, str]) -> list[dtcore.Rule]:
    given = configs.config(row)
    found = dtcore.plan_check(given.model, given.cluster, given.plan)
    return [one.rule for one in found if one.severity == dtcore.Severity.ERROR]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_what_runs_is_legal(row: dict[str, str]) -> None:
    assert errors(row) == ([dtcore.Rule.EP_WORLD] if row["id"] in BROKEN else [])


def test_most_models_are_known() -> None:
    assert len(ROWS) == 390
    assert sum(configs.config(row).known for row in ROWS) > 195


def test_dp_is_what_the_recipe_says() -> None:
    for row in ROWS:
        given = configs.config(row)
        if given.cluster and row["dp"].isdigit() and row["id"] not in BROKEN:
            assert dtcore.plan_resolve(given.model, given.cluster, given.plan).dp == int(row["dp"]), row["id"]


def test_a_degree_that_does_not_fit_is_found() -> None:
    """The rows are legal because they are, not because nothing is looked at."""
    missed = []
    for row in ROWS:
        given = configs.config(row)
        if given.cluster and row["id"] not in BROKEN and configs.is_bridge(row) and not errors(row | {"tp": "7"}):
            missed.append(row["id"])
    assert not missed
