"""Inputs: frozen dataclasses that refuse wrong types by the field's name and keep their packed struct to themselves."""
import copy
import ctypes
import dataclasses
import pickle

import dtcore
import gen_bindings
import headers
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from c_api import HEADERS, STRUCTS, packed, visible
from strategies import MODELS, changes

STRUCT_NAMES = sorted(MODELS)
FIELDS = [(name, f) for name in STRUCT_NAMES for f in visible(STRUCTS[name])]
IDS = [f"{MODELS[name].__name__}.{f.name}" for name, f in FIELDS]
ENUMS = [pytest.param(name, f, id=f.name) for name, f in FIELDS if HEADERS.enum(f.type) and f.type != "dtc_bool"]


def wrong(field) -> list:
    """Values of types that a field refuses."""
    special = {"dtc_bool": [0, 1, "on"], "double": ["1", None, 1j]}
    word = [] if gen_bindings.enum_of(HEADERS, field) else ["8"]  # an enum takes words
    return special.get(field.type, [*word, 8.0, None, b"8", ("x",), dtcore.Rule.RANGE])


@pytest.mark.parametrize("name", STRUCT_NAMES)
@given(data=st.data())
def test_packed_struct_is_that_of_c(name, data):
    obj = MODELS[name](**data.draw(changes(name, 40)))
    assert obj._packed == bytes(packed(name, obj))


@pytest.mark.parametrize("name", STRUCT_NAMES)
@given(data=st.data())
def test_pickle_copy_and_replace_keep_everything(name, data):
    obj = MODELS[name](**data.draw(changes(name)))
    twins = [pickle.loads(pickle.dumps(obj, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for twin in [*twins, copy.copy(obj), copy.deepcopy(obj), dataclasses.replace(obj)]:
        assert type(twin) is type(obj) and twin._packed == obj._packed
        if all(value == value for value in dataclasses.astuple(obj)):  # a NaN is not
            assert twin == obj and hash(twin) == hash(obj)


def test_equal_by_value():
    assert dtcore.Plan(tp=8) == dtcore.Plan(tp=8) != dtcore.Plan(tp=4)
    assert dtcore.Plan(sharding=dtcore.Sharding.ZERO1) == dtcore.Plan(sharding=2)
    assert len({dtcore.Plan(tp=8), dtcore.Plan(tp=8), dtcore.Plan(tp=numpy.int64(8))}) == 1


def test_packed_is_no_field():
    plan = dtcore.Plan(tp=8)
    assert "_packed" not in repr(plan) and "_packed" not in dataclasses.asdict(plan)
    assert b"_packed" not in pickle.dumps(plan) and b"_types" not in pickle.dumps(plan)
    assert repr(dtcore.Plan(tp=8, sharding=dtcore.Sharding.ZERO3)) == "Plan(sharding=Sharding.ZERO3, tp=8)"
    assert eval(repr(dtcore.Stage(layers=3)), {"Stage": dtcore.Stage}) == dtcore.Stage(layers=3)


def test_frozen_keyword_only_and_slotted():
    plan = dtcore.Plan()
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.tp = 8
    with pytest.raises((AttributeError, TypeError)):
        plan.tpp = 8
    with pytest.raises(TypeError):
        dtcore.Plan(8)
    with pytest.raises(TypeError, match="tpp"):
        dtcore.Plan(tpp=8)
    assert not hasattr(plan, "__dict__")


@pytest.mark.parametrize(("name", "field"), FIELDS, ids=IDS)
def test_defaults_are_zero(name, field):
    obj = MODELS[name]()
    assert not getattr(obj, field.name)
    assert not any(obj._packed[4 if STRUCTS[name].sized else 0 :])


@pytest.mark.parametrize(("name", "field"), FIELDS, ids=IDS)
def test_wrong_types_name_the_field(name, field):
    for value in wrong(field):
        with pytest.raises(TypeError, match=f"^{field.name}: expected "):
            MODELS[name](**{field.name: value})


@pytest.mark.parametrize(("name", "field"), [x for x in FIELDS if x[1].type not in ("dtc_bool", "double")])
def test_what_does_not_fit_names_the_field(name, field):
    for value in (-1, -(2**80), headers.WIDEST.get(field.type, 2**32 - 1) + 1, 2**64, 10**5000, numpy.int64(-1)):
        with pytest.raises(ValueError, match=f"^{field.name}: must be in "):
            MODELS[name](**{field.name: value})


def test_int_like_values_become_plain():
    class Index:
        def __index__(self):
            return 4

    plan = dtcore.Plan(tp=numpy.int64(8), pp=numpy.uint8(4), dp=True, cp=Index(), sharding=numpy.int32(2))
    assert [type(x) for x in (plan.tp, plan.pp, plan.dp, plan.cp)] == [int] * 4
    assert (plan.tp, plan.pp, plan.dp, plan.cp) == (8, 4, 1, 4)
    assert plan.sharding is dtcore.Sharding.ZERO1
    cluster = dtcore.Cluster(bf16=numpy.float32(2.5), fp16=10**15)
    assert (type(cluster.bf16), cluster.bf16, type(cluster.fp16), cluster.fp16) == (float, 2.5, float, 1e15)


def test_unknown_enum_values_wait_for_the_call(model):
    plan = dtcore.Plan(sharding=99)
    assert plan.sharding == 99
    with pytest.raises(dtcore.DtcoreError) as caught:
        dtcore.plan_resolve(model, None, plan)
    assert (caught.value.field, caught.value.got) == ("sharding", 99)


@pytest.mark.parametrize(("name", "field"), ENUMS)
def test_every_word_is_its_member(name, field):
    for value in HEADERS.enum(field.type).values:
        word = dtcore.value_name(dtcore.field_id(name.removeprefix("dtc_"), field.name), value.value)
        by_word, by_number = MODELS[name](**{field.name: word}), MODELS[name](**{field.name: value.value})
        assert by_word == by_number and by_word._packed == by_number._packed
        assert getattr(by_word, field.name) is getattr(by_number, field.name)


def test_words():
    class Word(str):
        pass

    plan = dtcore.Plan(sharding="zero3", schedule="1f1b", grad_dtype=Word("16bit"))
    assert plan.sharding is dtcore.Sharding.ZERO3 and plan.schedule is dtcore.Schedule.ONE_F_ONE_B
    assert plan.grad_dtype is dtcore.GradDtype.SIXTEEN_BIT
    assert dataclasses.replace(plan, sharding="ddp").sharding is dtcore.Sharding.DDP
    assert repr(dtcore.Plan(sharding="zero3")) == "Plan(sharding=Sharding.ZERO3)"


def test_unknown_words_name_the_field_the_word_and_what_is_legal():
    with pytest.raises(ValueError) as caught:
        dtcore.Plan(sharding="zero4")
    legal = "default, ddp, zero1, zero2, zero3, fsdp, hsdp, distopt"
    assert type(caught.value) is ValueError and str(caught.value) == f"sharding: unknown word 'zero4'; legal: {legal}"
    for word in ("", "ZERO3", "zero3 ", "zero", "zero3\0", "\ud800", "none"):
        with pytest.raises(ValueError, match="^sharding: unknown word "):
            dtcore.Plan(sharding=word)


def test_members_of_another_enum_are_refused():
    with pytest.raises(TypeError, match="^sharding: expected Sharding, got Schedule$"):
        dtcore.Plan(sharding=dtcore.Schedule.GPIPE)
    with pytest.raises(TypeError, match="^tp: expected int, got Schedule$"):
        dtcore.Plan(tp=dtcore.Schedule.GPIPE)


def test_exceptions_of_index_pass():
    class Broken:
        def __index__(self):
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        dtcore.Plan(tp=Broken())


def test_subclasses_work(model):
    class Mine(dtcore.Plan):
        pass

    assert dtcore.memory(model, None, Mine(tp=8)) == dtcore.memory(model, None, dtcore.Plan(tp=8))


def test_objects_without_init_are_refused(model):
    with pytest.raises(AttributeError):
        dtcore.plan_resolve(model, None, object.__new__(dtcore.Plan))
    broken = dtcore.Plan()
    object.__setattr__(broken, "_packed", b"")
    with pytest.raises(TypeError, match="plan"):
        dtcore.plan_resolve(model, None, broken)


def test_a_forged_size_is_not_believed(model):
    forged = dtcore.Plan()
    object.__setattr__(forged, "_packed", ctypes.c_uint32(4096).value.to_bytes(4, "little") + forged._packed[4:])
    assert dtcore.plan_resolve(model, None, forged) == dtcore.plan_resolve(model, None, dtcore.Plan())
