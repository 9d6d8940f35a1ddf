"""A pipeline as an object, over the functions pipe_*()."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ._base import DtcoreError
from ._functions import (
    pipe_from_plan, pipe_inflight, pipe_order, pipe_ranks, pipe_resolve, pipe_simulate, pipe_stage, pipe_sum,
    plan_resolve,
)
from ._plot import new_axes
from ._types import Cluster, Model, Pipe, PipeCost, PipeHeld, PipeKind, PipeSends, PipeTotals, Plan, Rule

if TYPE_CHECKING:
    import numpy
    from matplotlib.axes import Axes

    from ._types import PipeSendsWord

__all__ = ["Pipeline", "Timeline"]

# Letter of an op, its name in a legend, red, green and blue of one of chunk 0; later chunks are paler.
_SHOWN = {PipeKind.FORWARD: ("F", "forward", (0.26, 0.45, 0.70)),
          PipeKind.BACKWARD: ("B", "backward", (0.29, 0.58, 0.35)),
          PipeKind.INPUT: ("I", "backward, input", (0.20, 0.62, 0.62)),
          PipeKind.WEIGHT: ("W", "backward, weights", (0.85, 0.60, 0.20))}
_NUMBERED = 1024  # ops that a drawing has room to number


class Timeline(NamedTuple):
    """When the ops of a pipeline run, and what that comes to; the unit of time is that of the costs.

    times: structured array (pp, rows), a row of PipeTime's fields for each op of Pipeline.order
    ranks: structured array (pp,), a row of PipeRank's fields for each rank; sizes in bytes
    totals: makespan, bubbles and the fullest rank
    """

    times: numpy.ndarray
    ranks: numpy.ndarray
    totals: PipeTotals


@dataclass(init=False, repr=False, eq=False, frozen=True, slots=True)
class Pipeline:
    """The order of forwards and backwards on every rank of a pipeline, and how long it takes.

    >>> pipeline = dtcore.Pipeline(schedule="1f1b", pp=4, micro_batches=8)
    >>> pipeline.text(3)
    'F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7'
    >>> pipeline.simulate(dtcore.PipeCost(forward=1, input=1, weight=1)).totals.bubble
    9.0

    The arrays are read-only. An order is made when something asks for it.

    pipe: the job, with all its defaults
    """

    pipe: Pipe
    _made: dict[str, Any]  # the order, once made

    def __init__(self, pipe: Pipe | None = None, **settings: Any) -> None:
        """A pipeline of a job.

        pipe: the job; None for one of settings alone
        settings: fields of Pipe that it has otherwise: schedule="zbv", pp=8
        Raises DtcoreError: as pipe_resolve(). Exact.
        """
        object.__setattr__(self, "pipe", pipe_resolve(replace(Pipe() if pipe is None else pipe, **settings)))
        object.__setattr__(self, "_made", {})

    @classmethod
    def of_plan(cls, model: Model, cluster: Cluster | None = None, plan: Plan = Plan()) -> Pipeline:
        """The pipeline of a plan: its schedule, framework and degrees, and its accumulation as micro-batches.

        Raises DtcoreError: as plan_resolve(), as pipe_from_plan(). Exact.
        """
        return cls(pipe_from_plan(plan_resolve(model, cluster, plan)))

    @property
    def order(self) -> numpy.ndarray:
        """The ops of all ranks in the order in which they run: structured array (pp, rows) of PipeOp's fields; kinds
        are numbers, NONE behind the last op of a rank.

        Raises DtcoreError: as pipe_order(). Exact.
        """
        if "order" not in self._made:
            order = pipe_order(self.pipe).reshape(self.pipe.pp, -1)
            order.flags.writeable = False
            self._made["order"] = order
        made: numpy.ndarray = self._made["order"]
        return made

    def stage(self, rank: int, chunk: int = 0) -> int:
        """The stage of the model that a chunk of a rank is.

        rank: [0, pp)
        chunk: of the rank; of dualpipe the direction [0, vpp)
        Raises DtcoreError: RANGE (rank, chunk). Exact.
        """
        return pipe_stage(self.pipe, rank, chunk)

    def inflight(self, rank: int) -> PipeHeld:
        """Activations that a rank holds at most, by micro-batch and chunk: in closed form where there is one, else
        counted in the order.

        rank: [0, pp)
        Raises DtcoreError: RANGE (rank), as pipe_order(). Exact.
        """
        try:
            return pipe_inflight(self.pipe, rank)
        except DtcoreError as error:
            if error.rule != Rule.PIPE_CLOSED:
                raise
        pipe_stage(self.pipe, rank, 0)  # refuses a wrong rank
        counted = self.simulate().ranks[rank]
        return PipeHeld(int(counted["held_input"]), int(counted["held_weight"]))

    def text(self, rank: int) -> str:
        """The ops of a rank as words: "F0 F1 B0 B1". F is a forward, B a backward, I one for the input alone and W one
        for the weights alone; then comes the micro-batch, with several chunks "." and the chunk. "F3.0+B1.1" runs as
        one step.

        rank: [0, pp)
        Raises DtcoreError: RANGE (rank), as pipe_order(). Exact.
        """
        pipe_stage(self.pipe, rank, 0)  # refuses a wrong rank
        words = ""
        for micro_batch, chunk, kind, fused in self.order[rank].tolist():
            if kind != PipeKind.NONE:
                place = f".{chunk}" if self.pipe.vpp > 1 else ""
                words += f"{_SHOWN[kind][0]}{micro_batch}{place}{'+' if fused else ' '}"
        return words.rstrip()

    def simulate(self, costs: PipeCost | Iterable[PipeCost] | numpy.ndarray | None = None, latency: float = 0.0,
                 transfer: float = 0.0, sends: PipeSends | PipeSendsWord = PipeSends.ASYNC) -> Timeline:
        """When each op runs.

        costs: of a micro-batch, one for all stages or one for each; None for the times that the job says
        latency: of a message, unit as the costs [0, 1e15]
        transfer: time that a message occupies its link [0, 1e15]
        sends: how messages are sent
        Raises DtcoreError: as pipe_order(), as pipe_simulate(). Exact for the costs given.
        """
        if costs is None:
            costs = PipeCost(forward=self.pipe.forward, input=self.pipe.input, weight=self.pipe.weight)
        if isinstance(costs, PipeCost):
            costs = [costs]
        given = costs if hasattr(costs, "dtype") else list(costs)  # read twice
        ops = self.order.reshape(-1)
        times = pipe_simulate(self.pipe, ops, given, latency, transfer, sends)
        ranks = pipe_ranks(self.pipe, ops, given, times)
        for made in (times, ranks):
            made.flags.writeable = False
        return Timeline(times.reshape(self.order.shape), ranks, pipe_sum(ranks))

    def plot(self, ax: Axes | None = None, timeline: Timeline | None = None) -> Axes:
        """Draws when each op runs: a row for each rank, the first on top, later chunks paler. Needs matplotlib.

        ax: where to draw; None for axes of a new figure
        timeline: what to draw, from simulate(); None for simulate() without arguments
        Returns: the axes
        Raises DtcoreError: as simulate(); ImportError: matplotlib is missing.
        """
        line = self.simulate() if timeline is None else timeline
        if ax is None:
            ax = new_axes("Pipeline.plot()", 12, 1 + 0.4 * min(self.pipe.pp, 40))
        for rank, (ops, times) in enumerate(zip(self.order, line.times)):
            _draw_rank(ax, rank, ops, times, self.pipe.vpp)
        if self.order.size <= _NUMBERED:
            _number(ax, self.order, line.times)
        for kind, (_, name, color) in _SHOWN.items():
            if (self.order["kind"] == kind).any():
                ax.broken_barh([(0, 0)], (0, 0), facecolors=color, label=name)
        ax.set(xlabel="time, unit of the costs", ylabel="pipeline rank", ylim=(self.pipe.pp - 0.5, -0.5))
        ax.set_yticks(range(0, self.pipe.pp, max(1, self.pipe.pp // 32)))
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        return ax

    def __eq__(self, other: object) -> bool:
        return self.pipe == other.pipe if isinstance(other, Pipeline) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.pipe)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.pipe,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.pipe!r})"


# ---- drawing ---------------------------------------------------------------------------------------------------------


def _second(ops: numpy.ndarray) -> numpy.ndarray:
    """Whether an op is the second one of a fused pair."""
    second = ops["fused"].astype(bool)
    second[..., 1:], second[..., 0] = ops["fused"][..., :-1], False
    return second


def _draw_rank(ax: Axes, rank: int, ops: numpy.ndarray, times: numpy.ndarray, chunks: int) -> None:
    """The ops as bars; those of a fused pair lie one over the other."""
    first, second, width = ops["fused"] != 0, _second(ops), times["stop"] - times["start"]
    for top, height, chosen in ((-0.4, 0.8, ~first & ~second), (-0.4, 0.4, first), (0.0, 0.4, second)):
        rows = chosen & (ops["kind"] != PipeKind.NONE)
        pale = ops["chunk"][rows] / chunks * 0.8
        colors = [tuple(c + (1 - c) * p for c in _SHOWN[PipeKind(k)][2]) for k, p in zip(ops["kind"][rows], pale)]
        ax.broken_barh(list(zip(times["start"][rows], width[rows])), (rank + top, height), facecolors=colors,
                       edgecolor="white", linewidth=0.5)


def _number(ax: Axes, order: numpy.ndarray, times: numpy.ndarray) -> None:
    """The micro-batches, in the middle of their bars."""
    places = order["fused"] * -0.2 + _second(order) * 0.2
    for rank, row in zip(*(order["kind"] != PipeKind.NONE).nonzero()):
        start, end = times[rank, row].tolist()
        if end > start:
            ax.text((start + end) / 2, rank + places[rank, row], str(order[rank, row]["micro_batch"]), ha="center",
                    va="center", fontsize=7, color="white", clip_on=True)
