"""The best plans of a whole space, over the functions search_*() and all processors."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from operator import index
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from ._functions import plan_format, search, search_merge, search_plan, search_size
from ._html import amount, duration, html_table, table
from ._types import Cluster, MemoryItem, Model, Plan, Search, Space, StepParams

if TYPE_CHECKING:
    import numpy
    import pandas

__all__ = ["FoundPlan", "Plans", "best_plans"]

# Pieces grow and shrink to take about this long: an interrupt is heard soon, and starting one costs nothing beside it.
_PIECE_SECONDS = 0.08
_FIRST_PIECE = 1 << 12
_TOLD_EVERY = 1.0  # seconds
_NOTHING = Search(MemoryItem(0), 0, 0, 0, 0, 0, 0, 0, 0, 0)
_COUNTED = ("tried", "same", "illegal", "unknown", "over", "fit", "pruned")


class FoundPlan(NamedTuple):
    """A plan that fits, as Found says it, and the plan itself.

    index: in the space, for search_plan()
    value: of the objective: seconds, GPU-seconds, or bytes
    seconds: of a step
    device: bytes that the fullest GPU shows
    gpus: ranks
    plan: as the other functions take it
    """

    index: int  # type: ignore[assignment]  # a tuple's method, which nobody wants here
    value: float
    seconds: float
    device: int
    gpus: int
    plan: Plan

    def _repr_html_(self) -> str:
        return table(self)


@dataclass(repr=False, eq=False, frozen=True, slots=True)
class Plans(Sequence[FoundPlan]):
    """The best plans of a space, the best first; of equal ones the smaller index.

    >>> cluster = dataclasses.replace(dtcore.cluster_find("dgx-h100"), nodes=2)
    >>> plans = dtcore.best_plans(dtcore.model_find("llama-3-8b"), cluster, dtcore.Plan(global_batch=64))
    >>> plans[0].plan.tp, plans[0].seconds, plans.counts.fit

    found: the plans
    counts: what became of all that were tried; the pruned ones differ from run to run, nothing else does
    size: plans of the space
    complete: all of them were tried; False after an interrupt
    """

    found: tuple[FoundPlan, ...]
    counts: Search
    size: int
    complete: bool

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, place: int) -> FoundPlan: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[FoundPlan, ...]: ...

    def __getitem__(self, place: int | slice) -> FoundPlan | tuple[FoundPlan, ...]:
        return self.found[place]

    def __repr__(self) -> str:
        stopped = "" if self.complete else ", stopped"
        return f"<{len(self)} plans of {self.counts.fit} that fit, {self.counts.tried} of {self.size} tried{stopped}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: time, GPUs, memory and the plan's text."""
        rows = ((str(place), duration(p.seconds), str(p.gpus), amount(p.device), plan_format(p.plan))
                for place, p in enumerate(self, 1))
        return html_table(repr(self)[1:-1], ("", "step", "GPUs", "memory of a GPU", "plan"), rows)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each plan: index, value, seconds, device (bytes), gpus, then the fields of Plan that some plan says
        something in; enums are words.

        Raises ImportError: pandas is missing. Since 1.0.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("Plans.to_pandas() needs pandas: pip install pandas") from error
        names = FoundPlan._fields[:-1]
        columns: dict[str, list[Any]] = {name: [getattr(p, name) for p in self] for name in names}
        for field in fields(Plan):
            values = [getattr(p.plan, field.name) for p in self]
            if any(value != field.default for value in values):
                columns[field.name] = [v.name.lower() if isinstance(v, IntEnum) else v for v in values]
        return pandas.DataFrame(columns)

    @staticmethod
    def front(model: Model, cluster: Cluster, plan: Plan, gpus: Iterable[int], space: Space | None = None,
              params: StepParams | None = None, *, threads: int | None = None) -> list[FoundPlan]:
        """The best plan for each number of GPUs, in the order given; a number on which nothing fits is left out. What
        is cheaper, and what is faster: a Pareto front is drawn from these.

        model: what is trained
        cluster: of what; its number of nodes is not looked at
        plan: what is not varied; global_batch is needed
        gpus: whole nodes, or fewer than a node has: then of a smaller node
        space: which plans; gpus_least and keep are not looked at
        params: constants of time; may be None
        threads: that search; None = as many as there are processors
        Returns: of each the best by the objective; index is that in the space of its own cluster
        Raises DtcoreError: as search(); ValueError: GPUs that are no whole nodes; KeyboardInterrupt. Model. Since 1.0.
        """
        space = replace(space or Space(), gpus_least=0)
        best: list[FoundPlan] = []
        for on in [_with_gpus(cluster, index(number)) for number in gpus]:
            found = best_plans(model, on, plan, space, params, top=1, threads=threads)
            if not found.complete:
                raise KeyboardInterrupt
            best += found
        return best


def best_plans(model: Model, cluster: Cluster, plan: Plan, space: Space | None = None,
               params: StepParams | None = None, *, top: int = 10, threads: int | None = None,
               progress: Callable[[int, int, FoundPlan | None], object] | None = None) -> Plans:
    """The best plans of a whole space, searched in pieces by several threads: what one call of search() for all of it
    finds. An interrupt from the keyboard ends the search with what was found so far, and complete=False; which plans
    were tried by then is not told.

    model: what is trained
    cluster: on what, with its number of nodes
    plan: what is not varied: every field that is not 0; global_batch is needed
    space: which plans; None: all is default; keep is not looked at
    params: constants of time; may be None
    top: plans that are kept [1, 2^20]
    threads: that search; None = as many as there are processors
    progress: is told about once a second, in the thread of the caller, how many plans are done, of how many, and the
        best of them, None while nothing fits
    Returns: the best, and what became of all
    Raises DtcoreError: as search(); ValueError: top or threads below 1; what progress raises. Model: as memory() and
        step(). Since 1.0.
    """
    threads = (os.cpu_count() or 1) if threads is None else threads
    for name, value in (("top", top), ("threads", threads)):
        if index(value) < 1:
            raise ValueError(f"{name}: must be at least 1, got {value}")
    work = _Work(model, cluster, plan, replace(space or Space(), keep=top), params)
    with ThreadPoolExecutor(threads, thread_name_prefix="dtcore") as pool:
        try:
            workers = [pool.submit(work.run) for _ in range(threads)]
            while wait(workers, _TOLD_EVERY, FIRST_EXCEPTION).not_done and not work.stopped:
                if progress is not None:
                    progress(work.counts.tried, work.size, work.best(1)[0] if len(work.found) else None)
        except KeyboardInterrupt:
            pass
        finally:
            work.stopped = True
    for worker in workers:
        worker.result()  # raises what it has met
    return Plans(work.best(top), work.counts, work.size, work.counts.tried == work.size)


def _with_gpus(cluster: Cluster, gpus: int) -> Cluster:
    """So many GPUs of a cluster. NVLink that joins a whole usual node joins all of a smaller one."""
    per_node = cluster.gpus_per_node
    if 0 < gpus < per_node:
        domain = gpus if cluster.nvlink_domain == per_node else cluster.nvlink_domain
        return replace(cluster, gpus_per_node=gpus, nvlink_domain=domain, nodes=1)
    if gpus < 1 or per_node < 1 or gpus % per_node:
        raise ValueError(f"gpus: {gpus} are no whole nodes of {per_node}")
    return replace(cluster, nodes=gpus // per_node)


class _Work:
    """A search that several threads take pieces of."""

    def __init__(self, model: Model, cluster: Cluster, plan: Plan, space: Space, params: StepParams | None) -> None:
        self.of, self.space, self.params = (model, cluster, plan), space, params
        self.size = search_size(model, cluster, plan, space)
        self.taken = 0  # plans that some thread has, or had
        self.stopped = False
        self.lock = Lock()  # of all that changes
        self.counts = _NOTHING
        self.found: numpy.ndarray = search(*self.of, 0, 0, space, params)[0]  # none; refuses wrong inputs at once

    def take(self, number: int) -> tuple[int, int]:
        """First plan of the next piece, and how many; none at the end."""
        with self.lock:
            first = self.taken
            number = 0 if self.stopped else min(number, self.size - first)
            self.taken += number
        return first, number

    def give(self, found: numpy.ndarray, counts: Search) -> None:
        """Adds a piece to what was found."""
        with self.lock:
            self.found = search_merge(self.found, found, self.space.keep)
            self.counts = _added(self.counts, counts)

    def run(self) -> None:
        """Takes pieces until there are none."""
        number = _FIRST_PIECE
        try:
            while (piece := self.take(number))[1]:
                begun = monotonic()
                self.give(*search(*self.of, *piece, self.space, self.params))
                took = monotonic() - begun
                if took < _PIECE_SECONDS / 2:
                    number *= 2
                elif took > _PIECE_SECONDS and number > 1:
                    number //= 2
        except BaseException:
            self.stopped = True
            raise

    def best(self, number: int) -> tuple[FoundPlan, ...]:
        """The best so far, with their plans."""
        rows = self.found[:number].tolist()
        return tuple(FoundPlan._make((*row, search_plan(*self.of, row[0], self.space))) for row in rows)


def _added(left: Search, right: Search) -> Search:
    """Counts of two pieces; of plans that need equally little memory that with the smaller index is named."""
    nearest = min((s for s in (left, right) if s.least), key=lambda s: (s.least, s.least_index), default=left)
    return nearest._replace(**{name: getattr(left, name) + getattr(right, name) for name in _COUNTED})
