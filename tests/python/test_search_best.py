"""best_plans(): what one call of search() finds, by any number of threads; interrupts, tables and fronts."""
import os
import pickle
import signal
import sys
import threading
from dataclasses import fields, replace
from types import SimpleNamespace

import dtcore
import numpy
import pytest
from dtcore import DtcoreError, FoundPlan, Plan, Plans, Space, _search, best_plans

MODEL = dtcore.model_find("llama-3-8b")
CLUSTER = replace(dtcore.cluster_find("dgx-h100"), nodes=2)
PLAN = Plan(global_batch=64)
# Minutes of search, in which many plans fit: it is never waited for.
LARGE = (MODEL, replace(CLUSTER, nodes=256), Plan(global_batch=15360),
         Space(recompute_layers=True, dp_split=True, gpus_least=8, tp_most=2048, micro_batch_most=15360, cp_most=2048))


def whole(model, cluster, plan, space, params=None):
    """Rows and counts of one call for all of a space; the pruned ones depend on the pieces."""
    size = dtcore.search_size(model, cluster, plan, space)
    rows, counts = dtcore.search(model, cluster, plan, 0, size, space, params)
    return rows.tolist(), counts._replace(pruned=0), size


def check_whole(plans, case, space, params=None):
    rows, counts, size = whole(*case, space, params)
    assert [p[:5] for p in plans] == rows and len(rows) == min(space.keep, counts.fit)
    assert plans.counts._replace(pruned=0) == counts and plans.counts.pruned <= counts.fit
    assert (plans.size, plans.complete) == (size, True)
    for p in plans:
        assert p.plan == dtcore.search_plan(*case, p.index, space)
        assert dtcore.step(*case[:2], p.plan, params=params).seconds == p.seconds


# ---- the same as one call ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("top", [1, 10, 100, 10000])
def test_what_one_call_finds(monkeypatch, threads, top):
    monkeypatch.setattr(_search, "_FIRST_PIECE", 1000)
    plans = best_plans(MODEL, CLUSTER, PLAN, top=top, threads=threads)
    assert len(plans) == top or top > plans.counts.fit
    check_whole(plans, (MODEL, CLUSTER, PLAN), Space(keep=top))


@pytest.mark.parametrize(
    ("objective", "value"),
    [("time", lambda p: p.seconds), ("gpu_time", lambda p: p.seconds * p.gpus), ("memory", lambda p: p.device)],
)
def test_a_space_and_constants_of_ones_own(objective, value):
    space, params = Space(objective=objective, gpus_least=8, keep=3, tp_most=2), dtcore.StepParams(communication=2.0)
    plans = best_plans(MODEL, CLUSTER, PLAN, space, params, top=50)
    check_whole(plans, (MODEL, CLUSTER, PLAN), replace(space, keep=50), params)
    assert [p.value for p in plans] == [pytest.approx(value(p), rel=1e-12) for p in plans]


def test_tiny_pieces(monkeypatch):
    """Borders anywhere; threads that find nothing left to take."""
    monkeypatch.setattr(_search, "_FIRST_PIECE", 1)
    monkeypatch.setattr(_search, "_PIECE_SECONDS", 0.0)
    given = Plan(global_batch=64, tp=2, cp=1, sharding="distopt", sequence_parallel=True)
    check_whole(best_plans(MODEL, CLUSTER, given, threads=8), (MODEL, CLUSTER, given), Space(keep=10))


def test_nothing_fits():
    model = dtcore.model_find("llama-3-70b")
    given = Plan(global_batch=64, micro_batch=16, recompute="none")
    plans = best_plans(model, CLUSTER, given)
    rows, counts, size = whole(model, CLUSTER, given, Space())
    assert rows == [] and counts.fit == 0 and counts.least > CLUSTER.usable
    assert len(plans) == 0 and not plans and plans.complete and plans.counts == counts
    assert "<table>" in plans._repr_html_()


def test_sums_of_counts():
    one, other = (dtcore.search(MODEL, CLUSTER, PLAN, first, 2000)[1] for first in (0, 2000))
    both = dtcore.search(MODEL, CLUSTER, PLAN, 0, 4000)[1]
    for added in (_search._added(one, other), _search._added(other, one)):
        assert added._replace(pruned=0) == both._replace(pruned=0)
        assert added.pruned == one.pruned + other.pruned
    near = one._replace(least=7, least_index=5, limit=dtcore.MemoryItem.BUCKETS)
    far = one._replace(least=7, least_index=6, limit=dtcore.MemoryItem.WEIGHTS)
    assert _search._added(far, near)[-2:] == (7, 5) and _search._added(far, near).limit is dtcore.MemoryItem.BUCKETS
    assert _search._added(far, near._replace(least=0)).least_index == 6


# ---- progress, interrupts, errors --------------------------------------------------------------------------------


def test_progress(monkeypatch):
    monkeypatch.setattr(_search, "_TOLD_EVERY", 0.01)
    monkeypatch.setattr(_search, "_PIECE_SECONDS", 0.01)
    told = []

    def tell(done, size, best):
        told.append((done, size, best))
        assert threading.current_thread() is threading.main_thread()
        if len(told) == 20:
            raise KeyboardInterrupt

    plans = best_plans(*LARGE, threads=2, progress=tell)
    assert len(told) == 20 and not plans.complete
    done = [d for d, _, _ in told]
    assert done == sorted(done) and 0 < done[-1] <= plans.counts.tried < plans.size
    assert {size for _, size, _ in told} == {plans.size}
    values = [best.value for _, _, best in told if best is not None]
    assert values and values == sorted(values, reverse=True) and plans[0].value <= values[-1]
    check_stopped(plans)


def check_stopped(plans):
    """What an interrupted search has found are true plans, in order, none twice."""
    model, cluster, plan, space = LARGE
    counts = plans.counts
    assert counts.tried == sum((counts.same, counts.illegal, counts.unknown, counts.over, counts.fit))
    assert len(plans) == 10 < counts.fit
    order = [(p.value, p.index) for p in plans]
    assert order == sorted(set(order))
    for p in plans:
        alone, _ = dtcore.search(model, cluster, plan, p.index, 1, space)
        assert alone.tolist() == [p[:5]]
    assert "stopped" in repr(plans) and f"{counts.tried} of {plans.size} tried" in repr(plans)


@pytest.fixture
def keyboard():
    """Interrupts as at a terminal; jobs in the background of a shell start with them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [1, 4])
def test_interrupted_from_the_keyboard(keyboard, threads):
    before = threading.active_count()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    plans = best_plans(*LARGE, threads=threads)
    timer.join()
    assert not plans.complete and 0 < plans.counts.tried < plans.size
    check_stopped(plans)
    assert threading.active_count() == before


def test_what_progress_raises_ends_the_search(monkeypatch):
    monkeypatch.setattr(_search, "_TOLD_EVERY", 0.01)
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        best_plans(*LARGE, threads=2, progress=lambda *_: 1 / 0)
    assert threading.active_count() == before


def test_what_a_thread_raises_ends_the_search(monkeypatch):
    calls = []

    def failing(*given):
        calls.append(given)
        if len(calls) > 4:
            raise MemoryError
        return dtcore.search(*given)

    monkeypatch.setattr(_search, "search", failing)
    with pytest.raises(MemoryError):
        best_plans(*LARGE, threads=2)
    assert len(calls) < 10


def test_refusals():
    with pytest.raises(DtcoreError) as caught:
        best_plans(MODEL, CLUSTER, Plan())
    assert caught.value.rule == dtcore.Rule.SEARCH_BATCH
    with pytest.raises(DtcoreError) as caught:
        best_plans(MODEL, CLUSTER, PLAN, top=2**20 + 1)
    assert (caught.value.field, caught.value.max) == ("keep", 2**20)
    for wrong in ({"top": 0}, {"threads": 0}, {"threads": -1}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: must be at least 1, got"):
            best_plans(MODEL, CLUSTER, PLAN, **wrong)
    with pytest.raises(TypeError):
        best_plans(MODEL, CLUSTER, PLAN, threads=1.5)


# ---- a sequence, tables ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plans() -> Plans:
    return best_plans(MODEL, CLUSTER, PLAN, top=4)


def test_a_sequence(plans):
    assert len(plans) == 4 and list(plans) == [plans[i] for i in range(4)] and plans[-1] == plans[3]
    assert plans[1:3] == (plans[1], plans[2]) and plans[0] in plans and plans.index(plans[2]) == 2
    assert isinstance(plans[0], FoundPlan) and isinstance(plans[0].plan, Plan)
    with pytest.raises(IndexError):
        plans[4]
    twin = pickle.loads(pickle.dumps(plans))
    assert list(twin) == list(plans) and twin.counts == plans.counts and twin.complete


def test_table_for_notebooks(plans):
    html = plans._repr_html_()
    assert html.count("<tr>") == 5 and f"{plans[0].seconds:.4g}" in html and f"{plans[0].device / 2**30:.2f}" in html
    assert dtcore.plan_format(plans[3].plan) in html and f"{plans.size} of {plans.size} tried" in html


def check_frame(columns, plans):
    assert list(columns)[:5] == ["index", "value", "seconds", "device", "gpus"]
    for name in list(columns)[:5]:
        assert list(columns[name]) == [getattr(p, name) for p in plans]
    assert list(columns["tp"]) == [p.plan.tp for p in plans]
    assert list(columns["sharding"]) == [p.plan.sharding.name.lower() for p in plans]
    silent = {f.name for f in fields(Plan) if all(getattr(p.plan, f.name) == f.default for p in plans)}
    assert "lora_rank" in silent and not silent & set(columns)


def test_pandas_is_given_columns(plans, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=dict))
    check_frame(plans.to_pandas(), plans)


def test_pandas(plans):
    pytest.importorskip("pandas")
    frame = plans.to_pandas()
    check_frame(frame, plans)
    assert frame["device"].dtype == numpy.int64 and frame["seconds"].is_monotonic_increasing


def test_pandas_is_missing(plans, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="^Plans.to_pandas.. needs pandas: pip install pandas$"):
        plans.to_pandas()


# ---- fronts ------------------------------------------------------------------------------------------------------


def test_front():
    numbers = [64, 16, 8, 4]
    front = Plans.front(MODEL, CLUSTER, PLAN, numbers, Space(gpus_least=1, keep=7, tp_most=2))
    assert [p.gpus for p in front] == numbers
    for p in front:
        on = replace(CLUSTER, nodes=max(p.gpus // 8, 1))
        if p.gpus < 8:
            on = replace(on, gpus_per_node=p.gpus, nvlink_domain=p.gpus)
        rows, _, _ = whole(MODEL, on, PLAN, Space(keep=1, tp_most=2))
        assert [p[:5]] == rows
        assert dtcore.plan_resolve(MODEL, on, p.plan).dp * p.plan.tp * p.plan.cp * p.plan.pp == p.gpus
    assert [p.seconds for p in front] == sorted(p.seconds for p in front)


def test_front_leaves_out_what_does_not_fit():
    model = dtcore.model_find("llama-3-70b")
    numbers = [1, 8, 16, 64]
    fit = [n for n in numbers if best_plans(model, _search._with_gpus(CLUSTER, n), PLAN, top=1)]
    assert 0 < len(fit) < len(numbers)
    assert [p.gpus for p in Plans.front(model, CLUSTER, PLAN, iter(numbers))] == fit


@pytest.mark.parametrize("wrong", [0, -8, 12])
def test_front_takes_whole_nodes(wrong):
    with pytest.raises(ValueError, match=f"^gpus: {wrong} are no whole nodes of 8$"):
        Plans.front(MODEL, CLUSTER, PLAN, [8, wrong])


def test_front_is_interrupted(keyboard):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        Plans.front(*LARGE[:3], [2048], LARGE[3], threads=2)
    timer.join()
