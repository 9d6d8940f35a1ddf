"""Random inputs from the ranges in the public headers: mostly legal, often at a bound, sometimes absurd."""
import dtcore
import headers
from hypothesis import strategies as st

from c_api import HEADERS, STRUCTS, visible

MODELS = {"dtc_model": dtcore.Model, "dtc_cluster": dtcore.Cluster, "dtc_plan": dtcore.Plan, "dtc_stage": dtcore.Stage}
WIDE = 2**64 - 1


def value(field: headers.Field) -> st.SearchStrategy:
    enum = HEADERS.enum(field.type)
    if field.type == "dtc_bool":
        return st.sampled_from([None, False, True])
    low, high = (headers.number(x) for x in field.range) if field.range else (0, 64)
    if field.type == "double":
        return st.floats(low, high) | st.floats()
    if enum:
        return st.sampled_from([v.value for v in enum.values]) | st.integers(0, 2**32 - 1)
    widest = WIDE if field.type == "uint64_t" else 2**32 - 1
    bounds = {max(low - 1, 0), low, high, min(high + 1, widest), widest}
    return st.integers(0, 16) | st.integers(low, high) | st.sampled_from(sorted(bounds)) | st.integers(0, widest)


def changes(struct: str, most: int = 3) -> st.SearchStrategy:
    """Keyword arguments for a few fields of a struct."""
    fields = visible(STRUCTS[struct])
    return st.lists(st.sampled_from(fields), max_size=most, unique_by=lambda f: f.name).flatmap(
        lambda chosen: st.fixed_dictionaries({f.name: value(f) for f in chosen})
    )


def seeds(struct: str) -> list:
    """Legal objects to start from."""
    if struct == "dtc_model":
        return [dtcore.model_find(name) for name in dtcore.model_names()]
    if struct == "dtc_cluster":
        return [dtcore.gpu_find(name) for name in dtcore.gpu_names()]
    if struct == "dtc_plan":
        zero3 = dtcore.Plan(sharding=dtcore.Sharding.ZERO3, dp=8)
        return [dtcore.Plan(), dtcore.Plan(tp=2, pp=2, dp=4, global_batch=64), zero3]
    return [dtcore.Stage(layers=1, embedding=1), dtcore.Stage(layers=40)]


def inputs(struct: str) -> st.SearchStrategy:
    from dataclasses import replace

    return st.builds(lambda seed, values: replace(seed, **values), st.sampled_from(seeds(struct)), changes(struct))


def texts() -> st.SearchStrategy:
    names = dtcore.model_names() + dtcore.gpu_names() + dtcore.cluster_names()
    words = "dtcore: tp=8 pp=4 sp nosp mbs=1 gbs=64 seq=4096 zero3 megatron@0.12 ; tp= x".split()
    plans = st.lists(st.sampled_from(words), max_size=6).map(" ".join)
    json = (
        '{"model_type": "llama", "hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4, '
        '"num_hidden_layers": 2, "vocab_size": 32}'
    )
    plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
    return st.sampled_from(names) | plans | st.just(json) | plain
