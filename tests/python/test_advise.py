"""Frameworks, advice, and what legal plans lose, through Python."""
from dataclasses import replace

import dtcore
import pytest

MODEL = dtcore.model_find("llama-3-70b")
CLUSTER = replace(dtcore.cluster_find("dgx-h100"), nodes=4)


def test_frameworks() -> None:
    assert dtcore.framework_names() == ["DDP", "FSDP", "DeepSpeed", "Megatron-LM", "ColossalAI", "TorchTitan"]
    traits = dtcore.framework_traits("colossalai")
    assert traits.amd == dtcore.Level.NO and traits.upkeep == dtcore.Upkeep.STALLED
    assert dtcore.framework_names()[traits.index] == "ColossalAI"
    assert dtcore.framework_traits("pytorch", "hsdp").sharding == dtcore.Sharding.FSDP
    with pytest.raises(dtcore.DtcoreError) as raised:
        dtcore.traits_find("deepsped")
    assert raised.value.code == dtcore.Status.UNKNOWN


def test_notes_in_both_languages() -> None:
    for i in range(dtcore.framework_note_count()):
        assert dtcore.framework_note(i, lang="en") != dtcore.framework_note(i, lang="zh")
        assert dtcore.framework_note(i, "source")


def test_advice_and_its_plan() -> None:
    advice = dtcore.framework_advise(MODEL, CLUSTER, wishes=dtcore.Wishes(code="file"))
    first = advice[0]
    assert first.fits and first.sharding in (dtcore.Sharding.FSDP, dtcore.Sharding.ZERO3)
    assert first.reasons >> dtcore.Reason.NO_CODE & 1
    plan = dtcore.framework_advise_plan(MODEL, CLUSTER, first)
    assert dtcore.memory(MODEL, CLUSTER, plan).device == first.device
    assert dtcore.step(MODEL, CLUSTER, plan).seconds == first.seconds
    assert [a.score for a in advice] == sorted((a.score for a in advice), reverse=True)


def test_losses_of_a_legal_plan() -> None:
    plan = dtcore.Plan(framework="megatron", tp=16, pp=2, sequence_parallel=True, micro_batch=1, global_batch=64)
    found = dtcore.framework_lint_plan(MODEL, CLUSTER, plan)
    assert dtcore.Rule.PLACE_TP in [f.rule for f in found]
    assert "NVLink" in str(found[0])
    changed, cost = dtcore.framework_lint_cost(MODEL, CLUSTER, plan, "place_tp")
    assert changed.tp == 8 and cost.seconds < cost.seconds_now
    slow = dtcore.framework_sockets(MODEL, CLUSTER, plan, 3.125e9)
    assert slow.seconds > slow.seconds_now == cost.seconds_now


def test_what_is_trained_is_looked_at() -> None:
    """Adapters of 70 G weights fit 8 GPUs, all of it does not."""
    node = replace(CLUSTER, nodes=1)

    def fsdp(**settings: object) -> dtcore.Advice:
        plan = dtcore.Plan(global_batch=8, **settings)
        return next(a for a in dtcore.framework_advise(MODEL, node, plan) if a.sharding == dtcore.Sharding.FSDP)

    assert not fsdp().reasons >> dtcore.Reason.NO_PLAN & 1 and fsdp().reasons >> dtcore.Reason.NO_FIT & 1
    assert not fsdp(tuning="lora").reasons >> dtcore.Reason.NO_FIT & 1
