"""Every fallible function, with random inputs, says the same through the package and through C."""
import dtcore
import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import c_api
from strategies import advised, arrays, inputs, laid, lint_arguments, linted, number, numbers, ordered, searched, texts

LIBRARY = c_api.find_library()
FUNCTIONS = [fn for fn in c_api.HEADERS.functions if fn.result == "dtc_status"]
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="no shared library: set DTCORE_LIBRARY")


def arguments(fn) -> st.SearchStrategy:
    """Strategies for what Python passes, by argument name."""
    out = {}
    for type_, name in fn.args:
        if type_.startswith("const char"):
            out[name] = texts() | st.none() if fn.optional(name) else texts()
            if fn.name.startswith("dtc_framework_lint"):
                out[name] = lint_arguments(name) | texts()
        elif type_.startswith("const dtc_"):
            small = ("dtc_shape *", "shapes") in fn.args  # a row for each tensor
            one = arrays(type_[6:-2]) if name in fn.arrays else inputs(type_[6:-2], small)
            out[name] = one | st.none() if fn.optional(name) else one
        elif type_.startswith("const "):
            out[name] = numbers(name)
        elif not type_.endswith("*") and name not in fn.lengths:
            out[name] = number(type_, name)
    drawn = st.fixed_dictionaries(out)
    if fn.name == "dtc_framework_lint":
        return drawn | drawn.map(linted)
    if fn.name in ("dtc_framework_advise", "dtc_framework_advise_plan"):
        return drawn.map(advised)
    if "space" in out:
        return drawn | drawn.map(searched)
    if "ops" in out:
        return drawn | drawn.map(ordered)
    return drawn | drawn.map(lambda given: laid(fn, given)) if ("const dtc_slot *" in dict(fn.args)) else drawn


def compare(fn, result, outs) -> None:
    if fn.name == "dtc_plan_parse":
        c_api.same("dtc_plan", result[0], outs["plan"])
        if outs["model"].layers:
            c_api.same("dtc_model", result[1], outs["model"])
        return
    written = [(type_, name) for type_, name in fn.args
               if name in outs and name != "len" and not (name == "count" and len(outs) > 1)]
    results = result if len(written) > 1 else [result]
    assert len(results) == len(written)
    for (type_, name), result in zip(written, results):
        struct = type_.removesuffix(" *")
        if type_ == "char *":
            assert result == outs[name].value.decode()
        elif struct not in c_api.STRUCTS:
            value = outs[name][: outs["count"].value] if name in fn.arrays else outs[name].value
            assert (list(result) if name in fn.arrays else result) == value
        elif name not in fn.arrays:
            c_api.same(struct, result, outs[name])
        else:
            assert len(result) == outs["count"].value
            for got, want in zip(result, outs[name]):
                same_element(struct, got, want)


def same_element(struct: str, got, want) -> None:
    if struct == "dtc_error":
        assert got.args[0] == bytes(want)
    elif not isinstance(got, numpy.void):
        c_api.same(struct, got, want)
    else:  # a row of a NumPy array
        for f in c_api.visible(c_api.STRUCTS[struct]):
            value = getattr(want, f.name)
            value = c_api.SWITCH[value] is True if f.type == "dtc_bool" else value
            assert got[f.name] == value or (got[f.name] != got[f.name] and value != value), f.name


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.name)
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_python_says_what_c_says(fn, data):
    given_ = data.draw(arguments(fn))
    status, error, outs = c_api.Library(LIBRARY).call(fn, given_)
    function = getattr(dtcore, fn.name.removeprefix("dtc_").removesuffix("_estimate").removesuffix("_run"))
    if status == 0:
        compare(fn, function(**given_), outs)
        return
    with pytest.raises(dtcore.DtcoreError) as caught:
        function(**given_)
    assert caught.value.code == status
    assert caught.value.args[0] == error
    assert str(caught.value) and caught.value.text("zh")
