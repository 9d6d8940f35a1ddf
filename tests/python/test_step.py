"""What holds of every step time, on random models and plans; the same through terms, parameters and stages."""
import pickle
from dataclasses import replace

import dtcore
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from test_memory import MODELS, SHARDINGS, settings

ITEMS = [item.name.lower() for item in dtcore.StepItem if item]
CLUSTERS = ["dgx-h100", "dgx-a100", "dgx-b200", "gb200-nvl72", "gcp-a3-mega"]


@st.composite
def cases(draw):
    """A model, a cluster and a plan whose step has a time."""
    model = dtcore.model_find(draw(st.sampled_from(MODELS)))
    framework = draw(st.sampled_from(sorted(SHARDINGS)))
    wide = framework != "pytorch"
    ranks = st.sampled_from([1, 2, 4])
    pp = draw(ranks) if wide else 1
    plan = dtcore.Plan(framework=framework, sharding=draw(st.sampled_from(SHARDINGS[framework])),
                       tp=draw(ranks) if wide else 1, pp=pp, dp=draw(st.integers(1, 16)),
                       ep=draw(ranks) if wide and model.experts else 1, micro_batch=draw(st.integers(1, 4)),
                       accumulation=pp * draw(st.integers(1, 4)), seq=draw(st.sampled_from([512, 1024, 2048])),
                       sequence_parallel=draw(st.booleans()) and framework != "colossalai", **draw(settings()))
    cluster = dtcore.cluster_find(draw(st.sampled_from(CLUSTERS)))
    assume(timed(model, cluster, plan))
    return model, cluster, plan


def timed(model, cluster, plan) -> bool:
    try:
        dtcore.step(model, cluster, plan)
    except dtcore.DtcoreError:
        return False
    return True


def items(step: dtcore.Step) -> list[float]:
    return [getattr(step, item) for item in ITEMS]


@given(cases())
def test_a_step_is_the_sum_of_its_items(case) -> None:
    step = dtcore.step(*case)
    total = 0.0
    for seconds in items(step):
        assert seconds >= 0
        total += seconds
    assert total == step.seconds
    assert 0 < step.low <= step.seconds <= step.high
    others = {item: getattr(step, item) for item in ITEMS[3:]}
    assert others[dtcore.StepItem(step.limit).name.lower()] == max(others.values())
    assert 0 <= step.mfu <= step.hfu < 1


@given(cases())
def test_the_terms_add_up(case) -> None:
    step = dtcore.step(*case)
    terms = dtcore.step_terms(*case)
    assert (terms["seconds"] == terms["each"] * terms["count"]).all() and (terms["seconds"] > 0).all()
    assert all(dtcore.step_term_text(int(index)) != dtcore.step_term_text(int(index), "zh") for index in terms["index"])
    for number, seconds in enumerate(items(step), 1):
        assert terms["seconds"][terms["item"] == number].sum() == pytest.approx(seconds, rel=1e-12)


@given(cases())
def test_filled_parameters_change_nothing(case) -> None:
    filled = dtcore.step_resolve(*case)
    assert dtcore.step_resolve(*case, filled) == filled
    assert dtcore.step(*case, None, filled) == dtcore.step(*case)
    assert dtcore.software_names()[filled.software - 1] == dtcore.software_name(filled.software - 1)


@given(cases())
def test_the_usual_stages_change_nothing(case) -> None:
    model, cluster, plan = case
    stages = [dtcore.plan_stage(model, plan, i) for i in range(plan.pp)]
    assert dtcore.step(model, cluster, plan, stages) == dtcore.step(*case)
    costs = dtcore.step_costs(model, cluster, plan, stages)
    assert (costs == dtcore.step_costs(*case)).all() and len(costs) % plan.pp == 0
    assert (costs["forward"] > 0).all() and (costs["input"] >= 0).all() and (costs["weight"] >= 0).all()


@given(cases(), st.sampled_from(["bf16", "fp8", "hbm"]))
def test_a_slower_gpu_takes_no_less(case, rate: str) -> None:
    filled = dtcore.step_resolve(*case)
    slower = replace(filled, **{rate: getattr(filled, rate) / 2})
    assert dtcore.step(*case, None, slower).seconds >= dtcore.step(*case).seconds * (1 - 1e-12)


@given(cases())
def test_the_rates_are_those_of_the_convention(case) -> None:
    model, cluster, plan = case
    step = dtcore.step(*case)
    try:
        rates = dtcore.step_rates(model, cluster, plan, "megatron", step.seconds)
    except dtcore.DtcoreError:
        assert step.mfu == 0
        return
    assert (step.mfu, step.hfu, step.flops_per_gpu_second) == (rates.mfu, rates.hfu, rates.flops_per_gpu_second)
    assert step.tokens_per_gpu_second == pytest.approx(rates.tokens_per_gpu_second, rel=1e-12)


def test_results_and_parameters_are_values(model, cluster, plan) -> None:
    step = dtcore.step(model, cluster, plan)
    params = dtcore.step_resolve(model, cluster, plan)
    for made in (step, params):
        assert pickle.loads(pickle.dumps(made)) == made
    assert dtcore.step(model, cluster, plan) == step
    with pytest.raises((AttributeError, TypeError)):
        params.bf16 = 1.0


def test_a_schedule_without_a_closed_form_is_simulated(model, cluster, plan) -> None:
    plan = replace(plan, framework="megatron", vpp=2, schedule="v_half", accumulation=32, global_batch=0)
    with pytest.raises(dtcore.DtcoreError) as refused:
        dtcore.step(model, cluster, plan)
    assert refused.value.rule == dtcore.Rule.STEP_SCHEDULE and refused.value.field == "schedule"
    costs = dtcore.step_costs(model, cluster, plan)
    assert len(costs) == plan.pp * plan.vpp


def test_softwares_are_found() -> None:
    names = dtcore.software_names()
    assert len(names) == dtcore.software_count() == len(set(names))
    for index, name in enumerate(names):
        assert dtcore.software_find(name) == dtcore.software_find(name.upper().replace("-", "_")) == index
        assert dtcore.software_source(index)
    with pytest.raises(dtcore.DtcoreError, match="unknown software"):
        dtcore.software_find(names[0] + "zzz")


def test_every_function_says_what_it_is() -> None:
    for name in ("step", "step_terms", "step_costs", "step_resolve", "step_term_text", "software_find"):
        doc = getattr(dtcore, name).__doc__
        assert "Returns:" in doc and "Since 1.0" in doc
