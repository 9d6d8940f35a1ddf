"""What holds of every memory estimate, on random models and plans."""
from dataclasses import replace

import dtcore
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from c_api import HEADERS, STRUCTS, visible

ITEMS = [item.name.lower() for item in dtcore.MemoryItem if item]
GIB = 1 << 30
ROUNDING = 1 << 21  # allocations and shards are rounded
MODELS = ["llama-3.2-1b", "gpt2", "qwen2-7b", "llama-2-7b", "mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3"]
SHARDINGS = {"pytorch": ["ddp", "zero1", "fsdp", "hsdp"], "deepspeed": ["ddp", "zero1", "zero2", "zero3"],
             "megatron": ["ddp", "distopt", "fsdp"], "torchtitan": ["ddp", "fsdp", "hsdp"],
             "colossalai": ["zero1", "zero2", "zero3"], "scaling": ["ddp", "zero1"]}
# Any value of what a case does not draw by itself; new enums and switches are among them.
DRAWN = ("framework", "sharding", "schedule", "sequence_parallel")
SETTINGS = {f.name: [None, False, True] if f.type == "dtc_bool" else [v.value for v in HEADERS.enum(f.type).values]
            for f in visible(STRUCTS["dtc_plan"]) if HEADERS.enum(f.type) and f.name not in DRAWN}


def settings() -> st.SearchStrategy:
    few = st.lists(st.sampled_from(sorted(SETTINGS)), max_size=4, unique=True)
    return few.flatmap(lambda names: st.fixed_dictionaries({n: st.sampled_from(SETTINGS[n]) for n in names}))


@st.composite
def cases(draw, frameworks=tuple(SHARDINGS)):
    """A model, nodes of 8 H100 and a legal plan on them."""
    model = dtcore.model_find(draw(st.sampled_from(MODELS)))
    framework = draw(st.sampled_from(frameworks))
    wide = framework != "pytorch"
    ranks = st.sampled_from([1, 2, 4])
    plan = dtcore.Plan(framework=framework, sharding=draw(st.sampled_from(SHARDINGS[framework])),
                       tp=draw(ranks) if wide else 1, pp=draw(ranks) if wide else 1, dp=draw(st.integers(1, 16)),
                       ep=draw(ranks) if wide and model.experts else 1, micro_batch=draw(st.integers(1, 8)),
                       seq=draw(st.sampled_from([256, 512, 1024])),
                       sequence_parallel=draw(st.booleans()) and framework != "colossalai", **draw(settings()))
    cluster = dtcore.gpu_find("h100-80gb")
    assume(legal(model, cluster, plan))
    return model, cluster, plan


def legal(model, cluster, plan) -> bool:
    try:
        dtcore.memory(model, cluster, plan)
    except dtcore.DtcoreError:
        return False
    return True


def worse(a: dtcore.Memory, b: dtcore.Memory) -> bool:
    """Does a need more than b, rounding left out?"""
    return a.allocated > b.allocated + ROUNDING


@given(cases())
def test_the_items_are_what_is_allocated_and_lie_in_their_range(case) -> None:
    for row in dtcore.memory_stages(*case):
        assert sum(int(row[item]) for item in ITEMS) == row["allocated"]
        for total in ("allocated", "reserved", "device"):
            assert row[f"{total}_low"] <= row[total] <= row[f"{total}_high"]
        exact = sum(int(row[item]) for n, item in enumerate(ITEMS, 1) if int(row["exact"]) >> n & 1)
        assert exact <= row["allocated_low"] and row["allocated_high"] <= 2 * row["allocated"] - exact
        assert row["allocated_low"] <= row["reserved_low"] <= row["device_low"]
        assert row["allocated_high"] <= row["reserved_high"] <= row["device_high"]
        assert row["allocated"] <= row["reserved"] <= row["device"]
        assert row["steady"] <= row["allocated"]
        assert row[ITEMS[row["largest"] - 1]] == max(row[item] for item in ITEMS)


@given(cases())
def test_the_moments_and_terms_add_up(case) -> None:
    for i, row in enumerate(dtcore.memory_stages(*case)):
        moments = dtcore.memory_moments(*case, i, None)
        terms = dtcore.memory_terms(*case, i, None)
        peak = moments[moments["allocated"].argmax()]
        assert peak["allocated"] == row["allocated"]
        assert all(peak[item] == row[item] for item in ITEMS)
        rest = moments[moments["moment"] == dtcore.Moment.REST]
        assert rest["allocated"].tolist() == [row["steady"]]
        for moment in moments:
            assert sum(int(moment[item]) for item in ITEMS) == moment["allocated"]
            there = terms[(terms["moments"] >> moment["moment"]) & 1 == 1]
            for number, item in enumerate(ITEMS, 1):
                assert there["bytes"][there["item"] == number].sum() == moment[item]
        assert all(dtcore.memory_term_text(int(index)) != dtcore.memory_term_text(int(index), "zh") for index in terms["index"])
        assert (terms["bytes"] > 0).all()


@given(cases(), st.integers(1, 8))
def test_a_larger_micro_batch_never_needs_less(case, more) -> None:
    model, cluster, plan = case
    larger = replace(plan, micro_batch=plan.micro_batch + more)
    assert not worse(dtcore.memory(model, cluster, plan), dtcore.memory(model, cluster, larger))


@given(cases(), st.sampled_from([2, 3, 4]))
def test_a_longer_sequence_never_needs_less(case, times) -> None:
    model, cluster, plan = case
    longer = replace(plan, seq=plan.seq * times)
    assume(legal(model, cluster, longer))
    assert not worse(dtcore.memory(model, cluster, plan), dtcore.memory(model, cluster, longer))


@given(cases())
def test_full_recomputation_never_keeps_more(case) -> None:
    model, cluster, plan = case
    assume(all(legal(model, cluster, replace(plan, recompute=r)) for r in ("none", "full")))  # as moe_overlap is not
    some = dtcore.memory_stages(model, cluster, replace(plan, recompute="none"))
    full = dtcore.memory_stages(model, cluster, replace(plan, recompute="full"))
    for moment in range(len(some)):
        kept = [dtcore.memory_moments(model, cluster, replace(plan, recompute=r), moment, None) for r in ("none", "full")]
        forwarded = [m["activations"][m["moment"] == dtcore.Moment.FORWARDED][0] for m in kept]
        assert forwarded[1] <= forwarded[0]
    assert (full["in_flight"] == some["in_flight"]).all()


@given(cases(("deepspeed", "megatron", "pytorch", "torchtitan")))
def test_more_ranks_to_shard_over_never_need_more(case) -> None:
    model, cluster, plan = case
    assume(plan.ep == 1 and plan.sharding != dtcore.Sharding.HSDP)
    more = replace(plan, dp=plan.dp * 2)
    assume(legal(model, cluster, more))
    for a, b in zip(dtcore.memory_stages(model, cluster, plan), dtcore.memory_stages(model, cluster, more)):
        held = ("weights", "optimizer", "gradients") if a["moment"] == b["moment"] else ("weights", "optimizer")
        assert sum(int(a[item]) for item in held) + ROUNDING >= sum(int(b[item]) for item in held)


@given(cases(), st.sampled_from([24, 40, 80]))
def test_the_largest_micro_batch_and_sequence_fit_and_the_next_do_not(case, gib) -> None:
    model, cluster, plan = case
    cluster = replace(cluster, memory=gib * GIB, usable=gib * GIB)
    for name, ask in (("micro_batch", dtcore.memory_max_micro_batch), ("seq", dtcore.memory_max_seq)):
        most = ask(model, cluster, plan)
        if most.value:
            found = dtcore.memory(model, cluster, replace(plan, **{name: most.value}))
            assert found.fits and found.device == most.device
        if most.next:
            after = dtcore.memory(model, cluster, replace(plan, **{name: most.next}))
            assert not after.fits and after.device == most.next_device and most.next > most.value
            assert most.limit == after.largest


@given(cases())
def test_remedies_are_plans_that_need_less(case) -> None:
    before = dtcore.memory(*case).device
    remedies = dtcore.memory_remedies(*case)
    assert (remedies["saved"][:-1] >= remedies["saved"][1:]).all()
    for row in remedies:
        model, cluster, plan = case
        changed = dtcore.memory_remedy_plan(model, cluster, plan, dtcore.Remedy(int(row["remedy"])))
        after = dtcore.memory(model, cluster, changed)
        assert after.device == row["device"] == before - row["saved"] and after.fits == row["fits"]
        assert row["gpus"] == changed.tp * changed.cp * changed.pp * changed.dp


def test_a_remedy_that_the_framework_has_not_is_refused(model) -> None:
    with pytest.raises(dtcore.DtcoreError) as refused:
        dtcore.memory_remedy_plan(model, None, dtcore.Plan(framework="megatron"), "shard_gradients")
    assert refused.value.rule is dtcore.Rule.REMEDY
    assert str(refused.value) == "the plan's framework has no shard_gradients, or the plan already has it"
