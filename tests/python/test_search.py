"""Searches: spaces, plans of indexes, pieces by threads and processes, and plans that were published."""
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import reduce

import dtcore
import numpy
import pytest
from dtcore import SpaceAxis

PIECES = 64
# Llama 3 and BLOOM have one layer fewer on the first and last stage.
ENDS = {"account_embedding": True, "account_loss": True}


@pytest.fixture
def model() -> dtcore.Model:
    return dtcore.model_find("llama-3-8b")


@pytest.fixture
def cluster() -> dtcore.Cluster:
    return replace(dtcore.cluster_find("dgx-h100"), nodes=2)


@pytest.fixture
def plan() -> dtcore.Plan:
    return dtcore.Plan(global_batch=64)


def search_all(model, cluster, plan, space=None) -> tuple[numpy.ndarray, dtcore.Search]:
    return dtcore.search(model, cluster, plan, 0, dtcore.search_size(model, cluster, plan, space), space)


# ---- spaces ----------------------------------------------------------------------------------------------------------


def test_the_size_is_the_product_of_the_axes(model, cluster, plan) -> None:
    space = dtcore.Space(gpus_least=8, dp_split=True, recompute_layers=True, offloads=3)
    product = 1
    for axis in SpaceAxis:
        values = dtcore.search_axis(model, cluster, plan, space, axis)
        assert len(set(values)) == len(values) >= 1
        product *= len(values)
    assert product == dtcore.search_size(model, cluster, plan, space)
    assert dtcore.SPACE_AXES == len(SpaceAxis)


def test_axes_have_words(model, cluster, plan) -> None:
    assert dtcore.search_axis(model, cluster, plan, axis="tp") == [1, 2, 4, 8]
    assert dtcore.search_axis(model, cluster, plan, None, "gpus") == [16]
    assert dtcore.search_axis(model, cluster, replace(plan, pp=3), None, SpaceAxis.PP) == [3]


def test_the_plan_of_an_index(model, cluster, plan) -> None:
    first = dtcore.search_plan(model, cluster, plan, 0)
    assert (first.tp, first.pp, first.dp, first.global_batch, first.accumulation) == (1, 1, 16, 64, 0)
    made = dtcore.search_plan(model, cluster, plan, 54321)
    assert (made.tp, made.cp, made.pp, made.vpp, made.dp, made.micro_batch) == (1, 2, 4, 17, 2, 16)
    assert (made.sequence_parallel, made.recompute, made.sharding) == (True, dtcore.Recompute.NONE, dtcore.Sharding.DDP)
    with pytest.raises(dtcore.DtcoreError) as refused:
        dtcore.search_plan(model, cluster, plan, 604800)
    assert refused.value.got == 604800 and refused.value.max == 604799


@pytest.mark.parametrize("changed, rule", [({"plan": {"global_batch": 0}}, dtcore.Rule.SEARCH_BATCH),
                                           ({"cluster": {"nodes": 0}}, dtcore.Rule.SEARCH_GPUS)])
def test_what_a_search_needs(model, cluster, plan, changed: dict, rule: dtcore.Rule) -> None:
    given = {"model": model, "cluster": cluster, "plan": plan}
    given |= {name: replace(given[name], **values) for name, values in changed.items()}
    for call in (dtcore.search_size, dtcore.search_axis, lambda **g: dtcore.search_plan(index=0, **g),
                 lambda **g: dtcore.search(first=0, number=1, **g)):
        with pytest.raises(dtcore.DtcoreError) as refused:
            call(**given)
        assert refused.value.rule == rule and refused.value.text("zh")


# ---- what is found ---------------------------------------------------------------------------------------------------


def test_found_plans_are_as_memory_and_step_say(model, cluster, plan) -> None:
    space = dtcore.Space(keep=50)
    best, out = search_all(model, cluster, plan, space)
    assert len(best) == 50 and out.fit >= 50
    assert out.tried == out.same + out.illegal + out.unknown + out.over + out.fit == 604800
    assert (numpy.diff(best["value"]) >= 0).all()
    for row in best:
        made = dtcore.search_plan(model, cluster, plan, int(row["index"]), space)
        memory, step = dtcore.memory(model, cluster, made), dtcore.step(model, cluster, made)
        assert memory.fits and memory.device == row["device"] and step.gpus == row["gpus"] == 16
        assert step.seconds == row["seconds"] == row["value"]


def test_objectives(model, cluster, plan) -> None:
    by_time, _ = search_all(model, cluster, plan, dtcore.Space(gpus_least=8, keep=1))
    by_cost, _ = search_all(model, cluster, plan, dtcore.Space(gpus_least=8, keep=1, objective="gpu_time"))
    by_memory, out = search_all(model, cluster, plan, dtcore.Space(gpus_least=8, keep=1, objective="memory"))
    assert by_time["gpus"][0] == 16 and by_time["value"][0] == by_time["seconds"][0]
    assert by_cost["value"][0] == by_cost["seconds"][0] * by_cost["gpus"][0]
    assert by_cost["value"][0] <= by_time["seconds"][0] * 16
    assert by_memory["value"][0] == by_memory["device"][0] == out.least and by_memory["index"][0] == out.least_index


def test_room_on_every_gpu(model, cluster, plan) -> None:
    for space in (dtcore.Space(reserve=40 * 2**30, keep=1000), dtcore.Space(surely=True, keep=1000)):
        best, out = search_all(model, cluster, plan, space)
        _, usual = search_all(model, cluster, plan)
        assert 0 < out.fit < usual.fit and out.fit + out.over == usual.fit + usual.over
        if space.reserve:
            assert (best["device"] + space.reserve <= cluster.usable).all()


# ---- pieces ----------------------------------------------------------------------------------------------------------


def piece(job: tuple) -> tuple[numpy.ndarray, dtcore.Search]:
    model, cluster, plan, space, first, number = job
    return dtcore.search(model, cluster, plan, first, number, space)


def jobs(model, cluster, plan, space) -> list[tuple]:
    size = dtcore.search_size(model, cluster, plan, space)
    cuts = [size * i // PIECES for i in range(PIECES + 1)]
    return [(model, cluster, plan, space, first, last - first) for first, last in zip(cuts, cuts[1:])]


def check_pieces(found: list, whole: tuple, keep: int) -> None:
    best = reduce(lambda left, right: dtcore.search_merge(left, right, keep), [one for one, _ in found])
    assert best.tobytes() == whole[0].tobytes() and best.dtype == whole[0].dtype
    for name in ("tried", "same", "illegal", "unknown", "over", "fit"):
        assert sum(getattr(out, name) for _, out in found) == getattr(whole[1], name)


@pytest.mark.parametrize("keep", [1, 64])
def test_threads_find_what_one_call_finds(model, cluster, plan, keep: int) -> None:
    space = dtcore.Space(keep=keep)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(piece, jobs(model, cluster, plan, space)))
    check_pieces(found, search_all(model, cluster, plan, space), keep)


def test_64_processes_find_what_one_call_finds(model, cluster, plan) -> None:
    space = dtcore.Space(keep=20)
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()

    def work(place: int, job: tuple) -> None:
        queue.put((place, piece(job)))

    processes = [context.Process(target=work, args=one) for one in enumerate(jobs(model, cluster, plan, space))]
    for process in processes:
        process.start()
    found = dict(queue.get() for _ in processes)
    for process in processes:
        process.join()
    assert len(found) == PIECES
    check_pieces([found[place] for place in range(PIECES)], search_all(model, cluster, plan, space), 20)


def test_results_are_values(model, cluster, plan) -> None:
    best, out = dtcore.search(model, cluster, plan, 0, 10000)
    again, same = pickle.loads(pickle.dumps((best, out)))
    assert same == out and again.tobytes() == best.tobytes()
    assert dtcore.search_merge(best, best, 0).tobytes() == best.tobytes()
    assert dtcore.search_merge(best, [], 0).tobytes() == dtcore.search_merge([], best, 0).tobytes() == best.tobytes()
    assert len(dtcore.search_merge([], [], 0)) == 0
    rows = [dtcore.Found(**dict(zip(best.dtype.names, row))) for row in best.tolist()]
    assert dtcore.search_merge(rows[5:], rows[:5], 0).tobytes() == best.tobytes()


# ---- published plans -------------------------------------------------------------------------------------------------

LLAMA = {"tp": 8, "pp": 16, "vpp": 8, "micro_batch": 1, "sharding": "fsdp", "sequence_parallel": True}
# doc/formulas/search.md says why none of them is the first.
PUBLISHED = {  # model, nodes and cluster, batch, how it was split, top share of all plans that fit which its degrees reach
    "Llama 3, arXiv 2407.21783": ("llama-3.1-405b", 2048, "dgx-h100", {"global_batch": 2048, "seq": 8192, **ENDS},
                                  {**LLAMA, "dp": 128, "cp": 1}, 0.08),
    "Llama 3, long": ("llama-3.1-405b", 2048, "dgx-h100", {"global_batch": 128, "seq": 131072, **ENDS},
                      {**LLAMA, "dp": 8, "cp": 16}, 0.05),
    "GPT-3, arXiv 2205.05198": ("gpt3-175b", 128, "dgx-a100", {"global_batch": 1536, "seq": 2048},
                                {"tp": 8, "pp": 8, "dp": 16, "vpp": 3, "micro_batch": 1, "sharding": "distopt",
                                 "recompute": "selective", "sequence_parallel": True}, 0.05),
    "BLOOM, arXiv 2211.05100": ("bloom", 48, "dgx-a100", {"global_batch": 2048, "seq": 2048, **ENDS},
                                {"tp": 4, "pp": 12, "dp": 8, "micro_batch": 2, "sharding": "distopt",
                                 "recompute": "full"}, 0.05),
    "MT-NLG, arXiv 2201.11990": ("megatron-530b", 280, "dgx-a100", {"global_batch": 1920, "seq": 2048},
                                 {"tp": 8, "pp": 35, "dp": 8, "micro_batch": 1, "sharding": "distopt",
                                  "recompute": "full"}, 0.05),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_plans_are_near_the_best(name: str) -> None:
    model, nodes, cluster, base, split, share = PUBLISHED[name]
    model, cluster = dtcore.model_find(model), replace(dtcore.cluster_find(cluster), nodes=nodes)
    plan = dtcore.Plan(framework="megatron", **base)
    published = replace(plan, **split)
    assert dtcore.memory(model, cluster, published).fits
    seconds = dtcore.step(model, cluster, published).seconds
    space = dtcore.Space(keep=2**20, shardings=sum(1 << dtcore.Sharding[word] for word in ("DDP", "FSDP", "DISTOPT")))
    best, out = search_all(model, cluster, plan, space)
    assert out.fit == len(best) > 100
    assert seconds in best["seconds"]  # it is among them
    degrees = replace(plan, **{key: split[key] for key in ("tp", "cp", "pp", "dp") if key in split})
    found, _ = search_all(model, cluster, degrees, space)
    assert found["seconds"][0] <= seconds
    rank = int((best["seconds"] < found["seconds"][0]).sum())
    assert rank < share * len(best)  # of its degrees: the plan may be older than what it leaves to choose
