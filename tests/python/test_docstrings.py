"""Docstrings say what a call takes and gives: every argument with unit and range, errors, exact or model."""
import inspect
import re

import dtcore
import headers
import pytest

HEADERS = headers.read()
FUNCTIONS = [name for name in dtcore.__all__ if inspect.isfunction(getattr(dtcore, name))]
CLASSES = [name for name in dtcore.__all__ if inspect.isclass(getattr(dtcore, name))]
METHODS = [f"{owner}.{name}" for owner in ("Mesh", "Pipeline", "Plans", "Sharded")
           for name, thing in vars(getattr(dtcore, owner)).items() if not name.startswith("_") and callable(
               getattr(thing, "__func__", thing))]
# They list, or convert, and can neither fail nor estimate.
PLAIN = {"cluster_names", "framework_names", "gpu_names", "model_names", "nccl_names", "software_names", "field_id",
         "Plans.to_pandas", "Sharded.index"}


def thing(name: str):
    found = dtcore
    for part in name.split("."):
        found = getattr(found, part)
    return found


def rows(text: str) -> dict[str, str]:
    """Rows of a docstring, "tp: degree [1, 64]", by their name."""
    found = re.findall(r"^(\w+|Returns|Raises [^:\n]+): (.*(?:\n +.*)*)", text, re.M)
    return {name: " ".join(body.split()) for name, body in found}


@pytest.mark.parametrize("name", FUNCTIONS + METHODS)
def test_a_function_says_what_it_takes_and_gives(name):
    doc, signature = inspect.getdoc(thing(name)), inspect.signature(thing(name))
    told = rows(doc)
    if name not in PLAIN and "." not in name:
        for parameter in signature.parameters.values():
            assert told.get(parameter.name), parameter.name
    if name in PLAIN:
        return
    assert re.search(r"\b(Exact|Model|exact|Data-sheet|as \w+\(\))", doc), "neither exact nor model"
    if signature.return_annotation not in ("str", "int") or "." in name:
        assert "Returns" in told or any(key.startswith("Raises") for key in told) or name == "Sharded.index"


@pytest.mark.parametrize("fn", [fn for fn in HEADERS.functions if fn.result == "dtc_status"], ids=lambda fn: fn.name)
def test_errors_ranges_and_sources_come_from_the_header(fn):
    name = fn.name.removeprefix("dtc_").removesuffix("_estimate").removesuffix("_run")
    doc = " ".join(inspect.getdoc(getattr(dtcore, name)).split())
    told = rows(inspect.getdoc(getattr(dtcore, name)))
    raised = told["Raises DtcoreError"]
    for status in re.findall(r"DTC_E_(\w+)", fn.tag("return")):
        assert status in raised or status in ("SIZE", "NEWER", "SPACE"), status
    for version in re.findall(r"\b[A-Z][\w.-]* \d+\.\d+", fn.tag("return")):  # sources: "Megatron-Core 0.16"
        assert version in doc, version
    for argument, text in fn.params.items():
        for bounds in re.findall(r"\[\d[^,\]]*, \d[^\])]*[\])]", text):
            assert argument not in told or bounds in told[argument], argument


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_says_what_its_fields_are(name):
    cls = thing(name)
    told = rows(inspect.getdoc(cls))
    fields = getattr(cls, "_fields", None) or [f for f in getattr(cls, "__dataclass_fields__", {}) if f[0] != "_"]
    for field in fields:
        assert told.get(field), field


@pytest.mark.parametrize("struct", [s for s in HEADERS.structs if s.name != "dtc_error"], ids=lambda s: s.name)
def test_ranges_of_fields_come_from_the_header(struct):
    cls = getattr(dtcore, "".join(word.capitalize() for word in struct.name.split("_")[1:]))
    told = rows(inspect.getdoc(cls))
    for field in struct.fields:
        if field.name not in ("struct_size", "pad") and field.range:
            assert told[field.name].endswith(f"[{field.range[0]}, {field.range[1]}]")
        for unit in ("bytes", "seconds") if field.name not in ("struct_size", "pad") else ():
            assert not re.search(rf"\b{unit}\b", field.doc) or unit in told[field.name]
