"""Errors of sets that are small beside the constants that they set: each run predicted by what the others of its kind
of GPU say. The factors of dtcore.step_fit() stand for the constants: at the constants that fit all runs best they are 1, and
without a run they move to where the others fit best."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import dtcore
import step

if TYPE_CHECKING:
    from judge import Entry

ENOUGH = 4  # rows for each constant, from which on a set's own errors are printed


def measured_seconds(entry: Entry) -> float:
    """Time of the measured step, from whatever was measured."""
    ratio = entry.measured / entry.predicted
    return entry.predicted.step.seconds * (1 / ratio if entry.predicted.inverse else ratio)


def fitted(known: Sequence[Entry], run: step.Run) -> dtcore.StepParams:
    """Parameters of a run's kind that fit measured steps, in two rounds."""
    params = dtcore.step_resolve(run.model, run.cluster, step.unpiped(run.plan), step.params_of(run))
    for _ in range(2):
        samples = [dtcore.step_measure(again(entry.predicted.run, params), measured_seconds(entry)) for entry in known]
        if samples:
            params, _ = dtcore.step_fit(samples, params)
    return params


def again(run: step.Run, params: dtcore.StepParams) -> dtcore.Step:
    """The run's estimate with other parameters; its software's own where they are of another."""
    return dtcore.step(run.model, run.cluster, run.plan, run.stages, replace(params, software=step.software(run.software)))


def error_without(entry: Entry, others: Sequence[Entry]) -> float:
    """predicted / measured - 1 of the time, with parameters that fit the others."""
    run = entry.predicted.run
    return again(run, fitted(others, run)).seconds / measured_seconds(entry) - 1


def error(entries: Sequence[Entry]) -> float:
    """Mean absolute error of a set's predicted entries, each left out once. Not less than with none left out: the factors
    may fit what constants that other sets share could not."""
    own = sum(abs(entry.predicted / entry.measured - 1) for entry in entries) / len(entries)
    sizes = [abs(error_without(entry, [other for other in entries if other is not entry
                                       and other.predicted.gpu == entry.predicted.gpu])) for entry in entries]
    return max(own, sum(sizes) / len(sizes))
