"""Tables for notebooks and drawings: of whatever there is, and they say what the numbers say."""
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import dtcore
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import c_api
from strategies import MODELS, inputs

CLUSTER = dtcore.cluster_find("dgx-h100")
RESULTS = sorted((cls for cls in map(dtcore.__dict__.get, dtcore.__all__)
                  if isinstance(cls, type) and issubclass(cls, tuple) and cls.__module__ == "dtcore"
                  and f"dtc_{c_api.re.sub('(?<!^)(?=[A-Z])', '_', cls.__name__).lower()}" in c_api.STRUCTS),
                 key=lambda cls: cls.__name__)
# There are many classes, and drawing is slow.
FEW = settings(max_examples=max(10, settings.default.max_examples // 4))


class Balanced(HTMLParser):
    """Reads a table: tags open and close in order, and none but those of tables are there."""

    TAGS = {"table", "caption", "tr", "th", "td"}

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in self.TAGS and not attrs
        self.open.append(tag)
        if tag in ("td", "th", "caption"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.cells[-1] += data


def cells(thing) -> list[str]:
    return Balanced(thing._repr_html_()).cells


@pytest.mark.parametrize("struct", MODELS)
@FEW
@given(data=st.data())
def test_every_input_has_a_table(struct, data):
    thing = data.draw(inputs(struct))
    told = cells(thing)
    assert told[0].startswith(type(thing).__name__ + ": ")
    assert not any(value == 0 and name in told[4::3] for name in thing.__dataclass_fields__
                   if isinstance(value := getattr(thing, name), int) and not isinstance(value, bool))


def values() -> st.SearchStrategy:
    return (st.none() | st.booleans() | st.integers(0, 2**64 - 1) | st.floats() | st.sampled_from(dtcore.Rule)
            | st.text("<>&\"'ab\n") | st.frozensets(st.sampled_from(dtcore.MemoryItem)))


@pytest.mark.parametrize("cls", RESULTS, ids=lambda cls: cls.__name__)
@FEW
@given(data=st.data())
def test_every_result_has_a_table(cls, data):
    assert cells(cls(*(data.draw(values()) for _ in cls._fields)))[0].startswith(cls.__name__ + ": ")


def test_results_are_many():
    assert len(RESULTS) > 30 and dtcore.Memory in RESULTS and dtcore.CollectiveTime in RESULTS


def test_numbers_have_units(model, cluster, plan):
    memory = dtcore.memory(model, cluster, plan)
    told = cells(memory)
    assert told[told.index("device") + 1] == f"{memory.device / 2**30:.2f} GiB"
    assert told[told.index("fits") + 1] == "yes" and told[told.index("largest") + 1] == memory.largest.name.lower()
    step = dtcore.step(model, CLUSTER, plan)
    assert cells(step)[cells(step).index("seconds") + 1] == f"{step.seconds:.4g} s"
    call = dtcore.CollectiveCall(op="all_reduce", bytes=2**30, ranks=8)
    told, time = cells(dtcore.collective(CLUSTER, call)), dtcore.collective(CLUSTER, call)
    assert told[told.index("busbw") + 1] == f"{time.busbw / 1e9:.4g} GB/s"
    assert told[told.index("seconds") + 1] == f"{time.seconds * 1e3:.4g} ms"
    assert cells(call)[cells(call).index("bytes") + 1] == "1.00 GiB"


def test_findings_and_errors(model, cluster):
    (finding, *_) = dtcore.plan_check(model, cluster, dtcore.Plan(tp=7))
    told = cells(finding)
    assert told[0] == str(finding) and told[told.index("got") + 1] == "7"
    assert told[told.index("lower") + 1] == str(finding.lower)
    with pytest.raises(dtcore.DtcoreError) as caught:
        dtcore.model_find("<b>")
    assert "<b>" not in caught.value._repr_html_() and "<b>" in cells(caught.value)[0]


def test_meshes_and_plans():
    assert cells(dtcore.Mesh.of(tp=8, dp=4))[-3:] == ["dp", "4", "8"]
    plans = dtcore.best_plans(dtcore.model_find("gpt2"), replace(CLUSTER, nodes=1), dtcore.Plan(global_batch=64), top=3)
    told = cells(plans)
    assert len(plans) == 3 and told[0] == repr(plans)[1:-1] and dtcore.plan_format(plans[0].plan) in told
    assert cells(plans[0])[0].startswith("FoundPlan: ")


# ---- drawings --------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def closed():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot
    pyplot.close("all")


def tops(ax) -> list[float]:
    """Heights of the stacks of bars, by stage."""
    sums: dict[float, float] = {}
    for bar in ax.patches:
        sums[bar.get_x()] = max(sums.get(bar.get_x(), 0.0), bar.get_y() + bar.get_height())
    return [sums[x] for x in sorted(sums)]


def test_a_stack_ends_at_what_the_device_shows(model, cluster, plan):
    stages = dtcore.memory_stages(model, cluster, plan)
    ax = dtcore.plot_memory(stages)
    assert tops(ax) == pytest.approx((stages["device"] / 2**30).tolist())
    assert "GiB" in ax.get_ylabel() and ax.get_xlabel() == "pipeline stage"
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"weights", "optimizer", "activations", "GPU's memory", "9 of 10 runs"} <= set(names)
    alone = dtcore.plot_memory(dtcore.memory_stages(model, None, plan))
    assert "GPU's memory" not in [text.get_text() for text in alone.get_legend().get_texts()]


@pytest.mark.parametrize("ranks", [8, 64])
def test_a_curve_is_that_of_the_calls(ranks):
    cluster, call = replace(CLUSTER, nodes=8), dtcore.CollectiveCall(op="all_gather", ranks=ranks)
    sizes = [2**20, 2**24, 2**30]
    ax = dtcore.plot_collective(cluster, call, sizes)
    line = next(line for line in ax.lines if line.get_label() == "estimate")
    assert line.get_xdata().tolist() == sizes
    want = [dtcore.collective(cluster, replace(call, bytes=size)).busbw / 1e9 for size in sizes]
    assert line.get_ydata().tolist() == pytest.approx(want)
    assert "GB/s" in ax.get_ylabel() and f"{ranks} GPUs" in ax.get_title()
    with pytest.raises(ValueError, match="sizes: none"):
        dtcore.plot_collective(cluster, replace(call, ranks=0), sizes)


def test_a_front_joins_what_none_beats():
    def found(gpus: int, seconds: float) -> dtcore.FoundPlan:
        return dtcore.FoundPlan(0, seconds, seconds, 2**30, gpus, dtcore.Plan(tp=2, dp=gpus // 2))

    ax = dtcore.plot_front([found(16, 3), found(8, 4), found(32, 3.5), found(8, 5)])
    front, rest = ax.lines
    assert list(zip(*front.get_data())) == [(8, 4), (16, 3)] and len(rest.get_xdata()) == 2
    assert [text.get_text() for text in ax.texts] == ["tp2 dp4", "tp2 dp8"] and ax.get_ylabel().endswith(", s")
    assert dtcore.plot_front([]).lines


@FEW
@given(data=st.data())
def test_random_plans_are_drawn(data):
    from matplotlib import pyplot
    model = dtcore.model_find(data.draw(st.sampled_from(["gpt2", "llama-3-8b", "mixtral-8x7b"])))
    degrees = st.sampled_from([1, 2, 4])
    plan = dtcore.Plan(tp=data.draw(degrees), pp=data.draw(degrees), dp=data.draw(degrees), global_batch=32,
                       recompute=data.draw(st.sampled_from(["none", "full"])))
    ax = pyplot.subplots()[1]
    stages = dtcore.memory_stages(model, data.draw(st.sampled_from([None, CLUSTER])), plan)
    assert dtcore.plot_memory(stages, ax) is ax
    assert tops(ax) == pytest.approx((stages["device"] / 2**30).tolist())
    if plan.pp > 1:
        drawn = dtcore.Pipeline.of_plan(model, None, plan).plot(pyplot.subplots()[1])
        assert len(drawn.collections) >= plan.pp and "time" in drawn.get_xlabel()
    op = data.draw(st.sampled_from([op for op in dtcore.Collective if op]))
    call = dtcore.CollectiveCall(op=op, ranks=data.draw(st.sampled_from([2, 8, 16])))
    ax = dtcore.plot_collective(replace(CLUSTER, nodes=2), call, ax=pyplot.subplots()[1])
    assert numpy.isfinite(ax.lines[0].get_ydata()).all()
    ax.figure.canvas.draw()
    pyplot.close("all")


def test_matplotlib_is_asked_for_by_name(model):
    code = ("import sys; sys.modules['matplotlib'] = None; import dtcore\n"
            "dtcore.plot_memory(dtcore.memory_stages(dtcore.model_find('gpt2')))")
    path = str(dtcore.__path__[0]).rpartition("/")[0]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": path})
    assert "plot_memory() needs matplotlib: pip install matplotlib" in run.stderr
