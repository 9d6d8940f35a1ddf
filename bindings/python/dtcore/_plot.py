"""Drawings with matplotlib, which is imported when something is drawn."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ._batch import collective_batch
from ._html import amount
from ._search import FoundPlan
from ._types import Cluster, CollectiveCall, Plan

if TYPE_CHECKING:
    import numpy
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["plot_collective", "plot_front", "plot_memory"]

_GIB = 2**30
# Items of memory from the bottom up, with their colours; those of all GPUs of a job stand below those of the batch.
_ITEMS = {"weights": "#4374b3", "gradients": "#6fa0d8", "optimizer": "#a9c8ea", "buckets": "#8f7fc0",
          "gathered": "#c1b4e3", "activations": "#4a945a", "transient": "#e0993a", "workspace": "#b8b8b8"}
_REST = {"allocator": "#d6d6d6", "CUDA, NCCL": "#ebebeb"}
_LINE = "#4374b3"


def new_axes(what: str, width: float, height: float) -> Axes:
    """Axes of a new figure; ImportError says what needs matplotlib."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(f"{what} needs matplotlib: pip install matplotlib") from error
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def plot_memory(stages: numpy.ndarray, ax: Axes | None = None) -> Axes:
    """Draws the memory of a GPU of each pipeline stage at its peak, item on item, up to what nvidia-smi shows; with
    what nine runs of ten lie between, and the GPU's memory where it is known. Needs matplotlib.

    >>> dtcore.plot_memory(dtcore.memory_stages(model, cluster, plan))

    stages: from memory_stages(), bytes; drawn in GiB
    ax: where to draw; None for axes of a new figure
    Returns: the axes
    Raises ImportError: matplotlib is missing. Exact and model: as memory_stages().
    """
    if ax is None:
        ax = new_axes("plot_memory()", max(5.0, 2.6 + 0.5 * min(len(stages), 32)), 4)
    heights = {name: stages[name] / _GIB for name in _ITEMS}
    for name, (upper, lower) in zip(_REST, (("reserved", "allocated"), ("device", "reserved"))):
        heights[name] = stages[upper] / _GIB - stages[lower] / _GIB
    places, bottom = list(range(len(stages))), stages["device"] * 0.0
    for name, height in heights.items():
        if height.any():
            ax.bar(places, height, 0.8, bottom, label=name, color=(_ITEMS | _REST)[name], edgecolor="white",
                   linewidth=0.5)
            bottom = bottom + height
    device = stages["device"] / _GIB
    spread = [device - stages["device_low"] / _GIB, stages["device_high"] / _GIB - device]
    ax.errorbar(places, device, [side.clip(0) for side in spread], fmt="none", ecolor="#333333", elinewidth=1,
                capsize=3, label="9 of 10 runs")
    if capacity := stages["capacity"].max(initial=0):
        ax.axhline(capacity / _GIB, color="#c0392b", linestyle="--", linewidth=1.2, label="GPU's memory")
    ax.set(xlabel="pipeline stage", ylabel="memory of a GPU, GiB")
    ax.set_xticks(range(0, len(stages), max(1, len(stages) // 16)))
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1, 1), frameon=False)  # as they lie
    return ax


def plot_collective(cluster: Cluster, call: CollectiveCall, sizes: ArrayLike | None = None,
                    ax: Axes | None = None) -> Axes:
    """Draws the bus bandwidth of a collective over the size of its vector, as nccl-tests print it; the band holds eight
    runs of ten. Needs matplotlib.

    cluster: on what
    call: which collective; its bytes are not looked at
    sizes: bytes of the vector, ascending; None for 64 KiB to 16 GiB
    ax: where to draw; None for axes of a new figure
    Returns: the axes, in GB/s over bytes
    Raises ValueError: no size that the call can have; ImportError: matplotlib is missing. Model: as collective().
    """
    import numpy

    wanted = 2.0 ** numpy.arange(16, 34.25, 0.25) if sizes is None else numpy.asarray(sizes)
    whole = wanted.astype(numpy.uint64).reshape(-1)
    made = collective_batch(cluster, call, {"bytes": whole})
    good = (made["status"] == 0) & (made["seconds"] > 0)
    if not good.any():
        raise ValueError("sizes: none that the call can have; collective() says why")
    made, whole = made[good], whole[good]
    if ax is None:
        ax = new_axes("plot_collective()", 7, 4)
    moved = made["busbw"] * made["seconds"] / 1e9
    ax.fill_between(whole, moved / made["high"], moved / made["low"], color=_LINE, alpha=0.18, linewidth=0,
                    label="8 of 10 runs")
    ax.plot(whole, made["busbw"] / 1e9, color=_LINE, label="estimate")
    bound = made["lower_bound"] > 0
    ax.plot(whole[bound], moved[bound] / made["lower_bound"][bound], color="#333333", linestyle=":", linewidth=1.2,
            label="no algorithm is faster")
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(lambda size, _: amount(size).replace(".00", ""))
    nodes = int(made["nodes"].max())
    told = f"{call.op.name.lower()}, {call.ranks} GPUs" + (f" on {nodes} nodes" if nodes > 1 else " of a node")
    ax.set(xlabel="size of the vector", ylabel="bus bandwidth, GB/s", title=told, ylim=(0, None))
    ax.grid(alpha=0.25)
    ax.legend(loc="lower right", frameon=False)
    return ax


def _short(plan: Plan) -> str:
    """The degrees of a plan that say something."""
    names = (("tp", "tp"), ("cp", "cp"), ("ep", "ep"), ("pp", "pp"), ("dp", "dp"))
    return " ".join(f"{name}{getattr(plan, field)}" for name, field in names if getattr(plan, field) > 1) or "1 GPU"


def plot_front(plans: Iterable[FoundPlan], ax: Axes | None = None) -> Axes:
    """Draws the time of a step over the number of GPUs. A line joins the plans that none beats with as few GPUs; the
    others are hollow. Needs matplotlib.

    >>> dtcore.plot_front(dtcore.Plans.front(model, cluster, plan, [8, 16, 32, 64]))

    plans: from Plans.front(), or any Plans
    ax: where to draw; None for axes of a new figure
    Returns: the axes, in seconds over GPUs
    Raises ImportError: matplotlib is missing. Model: as step().
    """
    if ax is None:
        ax = new_axes("plot_front()", 7, 4)
    shown = sorted(plans, key=lambda plan: (plan.gpus, plan.seconds))
    front: list[FoundPlan] = []
    for plan in shown:
        if not front or plan.seconds < front[-1].seconds:
            front.append(plan)
    rest = [plan for plan in shown if plan not in front]
    ax.plot([p.gpus for p in front], [p.seconds for p in front], "o-", color=_LINE, label="none is faster with as few")
    if rest:
        ax.plot([p.gpus for p in rest], [p.seconds for p in rest], "o", color="#999999", fillstyle="none",
                label="beaten")
        ax.legend(loc="upper right", frameon=False)
    for plan in front[:16]:
        ax.annotate(_short(plan.plan), (plan.gpus, plan.seconds), xytext=(6, 6), textcoords="offset points", fontsize=8)
    if shown:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log", subs=[2, 5])
        ax.xaxis.set_major_formatter(lambda gpus, _: f"{gpus:g}")
        for axis in (ax.yaxis.set_major_formatter, ax.yaxis.set_minor_formatter):
            axis(lambda seconds, _: f"{seconds:g}")
    ax.margins(x=0.12, y=0.15)
    ax.grid(alpha=0.25)
    ax.set(xlabel="GPUs", ylabel="time of a step, s")
    return ax
