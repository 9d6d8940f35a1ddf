"""DtcoreError: numbers and names of what is wrong, in English and Chinese."""
import pickle

import dtcore
import pytest


def caught(call) -> dtcore.DtcoreError:
    with pytest.raises(dtcore.DtcoreError) as info:
        call()
    return info.value


def test_range_error(model):
    error = caught(lambda: dtcore.plan_resolve(model, None, dtcore.Plan(tp=2**21)))
    assert isinstance(error, ValueError)
    assert (error.code, error.rule, error.severity) == (dtcore.Status.RANGE, dtcore.Rule.RANGE, dtcore.Severity.ERROR)
    assert isinstance(error.code, dtcore.Status) and isinstance(error.rule, dtcore.Rule)
    assert (error.field, error.got, error.min, error.max) == ("tp", 2**21, 0, 2**20)
    assert (error.other, error.other_got, error.offset) == (None, None, None)
    assert "tp" in str(error) and str(2**21) in str(error)


def test_other_field_and_nearest_values(model):
    error = caught(lambda: dtcore.plan_resolve(model, None, dtcore.Plan(tp=7)))
    assert (error.rule, error.field, error.got) == (dtcore.Rule.TP_HEADS, "tp", 7)
    assert (error.other, error.other_got) == ("heads", model.heads)
    assert (error.lower, error.upper) == (4, 8)


def test_doubles_are_floats():
    error = caught(lambda: dtcore.cluster_resolve(dtcore.Cluster(memory=80 << 30, bf16=-1.5)))
    assert (error.field, error.got, error.min, error.max) == ("bf16", -1.5, 0.0, 1e18)
    assert isinstance(error.min, float)


def test_unknown_name_gives_the_nearest():
    error = caught(lambda: dtcore.model_find("llama-2-70bb"))
    assert (error.code, error.field) == (dtcore.Status.UNKNOWN, "name")
    assert dtcore.model_name(error.lower) == "llama-2-70b"


def test_unknown_names_are_echoed():
    for find, nouns, names, near in (
        (dtcore.model_find, ("unknown model", "未知模型"), dtcore.model_names(), "lama"),
        (dtcore.gpu_find, ("unknown GPU", "未知 GPU"), dtcore.gpu_names(), "h101"),
        (dtcore.cluster_find, ("unknown cluster", "未知集群"), dtcore.cluster_names(), "dgx-h101"),
        (lambda name: dtcore.nccl_find(name, 0, 2, 8), ("unknown system", "未知系统"), dtcore.nccl_names(), "h100-8x40"),
    ):
        error = caught(lambda: find(near))
        assert (error.code, error.got) == (dtcore.Status.UNKNOWN, None)
        assert str(error) == f"{nouns[0]} '{near}'; the nearest name is {names[error.lower]}"
        assert error.text("zh") == f"{nouns[1]} '{near}'；最接近的名称是 {names[error.lower]}"
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
        error = caught(lambda: find("abacus"))
        assert error.lower is None
        assert (str(error), error.text("zh")) == (f"{nouns[0]}: 'abacus'", f"{nouns[1]}：'abacus'")


def test_unknown_words_of_a_plan_are_echoed():
    def text(plan: str | bytes, lang: str = "en") -> str:
        return caught(lambda: dtcore.plan_parse(plan)).text(lang)

    assert text("dtcore: tp=8 tpp=4 x").endswith("unknown word in the plan text: 'tpp=4'")
    assert text("dtcore: tp=8 tpp=4;", "zh").endswith("计划文本中有未知的词：'tpp=4'")
    assert text("a; dtcore: tp=x; b").endswith("not a value for tp: 'x'")
    assert text("dtcore: tp=\t").endswith("not a value for tp: ''")
    assert text("x; dtcore: tp=8 model=lama pp=2").startswith("unknown model 'lama'; ")
    assert text(b"dtcore: \xff\xfe").endswith(": '\ufffd\ufffd'")
    assert text(b"dtcore: " + b"\xff" * 500).endswith("\ufffd...'")
    assert text("dtcore: tp=0") == "tp = 0: must be 1 to 1048576"
    assert "'" not in str(caught(lambda: dtcore.plan_format(dtcore.Plan(), "a b")))


def test_what_is_echoed_is_short_and_one_line():
    for name in ("x" * 5000, "模" * 5000, "a\nb\x7f\x1b[31m", "\U0001f600" * 99):
        error = caught(lambda: dtcore.model_find(name))
        assert len(str(error).encode()) < 150 and str(error).isprintable()
        assert "\ufffd" not in error.text("en") + error.text("zh") and error.args[1] in str(error)


def test_offset_of_malformed_text():
    error = caught(lambda: dtcore.model_from_hf('{"model_type" "llama"}'))
    assert (error.code, error.offset) == (dtcore.Status.PARSE, 14)


def test_languages(model):
    error = caught(lambda: dtcore.plan_resolve(model, None, dtcore.Plan(tp=7)))
    assert error.text() == error.text("en") == str(error) and str(error).isascii()
    assert not error.text("zh").isascii()
    with pytest.raises(KeyError):
        error.text("fr")


def test_pickle_and_repr(model):
    error = caught(lambda: dtcore.plan_resolve(model, None, dtcore.Plan(tp=7)))
    twin = pickle.loads(pickle.dumps(error))
    assert (type(twin), twin.args, str(twin)) == (dtcore.DtcoreError, error.args, str(error))
    assert repr(error) == f"DtcoreError({str(error)!r})"


def test_a_finding_is_an_error(model):
    first, *rest = dtcore.plan_check(model, None, dtcore.Plan(tp=7, pp=81))
    assert first.rule is dtcore.Rule.TP_HEADS
    assert [f.rule for f in rest] == sorted(f.rule for f in rest) and rest
    assert caught(lambda: dtcore.plan_resolve(model, None, dtcore.Plan(tp=7))).rule is first.rule


def test_foreign_bytes_are_refused():
    with pytest.raises(TypeError):
        str(dtcore.DtcoreError(b"short"))
    raw = caught(lambda: dtcore.model_find("x")).args[0]
    assert len(str(dtcore.DtcoreError(raw, "模" * 10**5))) < 500
    for word in (5, b"x"):
        with pytest.raises(TypeError):
            str(dtcore.DtcoreError(raw, word))
    assert isinstance(str(dtcore.DtcoreError(b"\xff" * len(caught(lambda: dtcore.model_find("")).args[0]))), str)
