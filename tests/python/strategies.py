"""Random inputs from the ranges in the public headers: mostly legal, often at a bound, sometimes absurd."""
from dataclasses import replace

import dtcore
import headers
from hypothesis import strategies as st

import lint_texts
from c_api import HEADERS, STRUCTS, visible

MODELS = {"dtc_model": dtcore.Model, "dtc_cluster": dtcore.Cluster, "dtc_plan": dtcore.Plan, "dtc_stage": dtcore.Stage,
          "dtc_axis": dtcore.Axis, "dtc_layout": dtcore.Layout, "dtc_group_kind": dtcore.GroupKind, "dtc_slurm": dtcore.Slurm,
          "dtc_mpi": dtcore.Mpi, "dtc_shards": dtcore.Shards, "dtc_shape": dtcore.Shape, "dtc_slot": dtcore.Slot,
          "dtc_module": dtcore.Module, "dtc_tracing": dtcore.Tracing, "dtc_pipe": dtcore.Pipe,
          "dtc_pipe_op": dtcore.PipeOp, "dtc_pipe_cost": dtcore.PipeCost, "dtc_pipe_time": dtcore.PipeTime,
          "dtc_pipe_rank": dtcore.PipeRank, "dtc_pipe_split": dtcore.PipeSplit, "dtc_pipe_item": dtcore.PipeItem,
          "dtc_lint": dtcore.Lint, "dtc_launch": dtcore.Launch, "dtc_nccl": dtcore.Nccl,
          "dtc_collective_call": dtcore.CollectiveCall, "dtc_collective_law": dtcore.CollectiveLaw,
          "dtc_timing": dtcore.Timing, "dtc_moe_call": dtcore.MoeCall, "dtc_optimizer_spec": dtcore.OptimizerSpec,
          "dtc_estimator_call": dtcore.EstimatorCall, "dtc_step": dtcore.Step, "dtc_step_params": dtcore.StepParams,
          "dtc_step_sample": dtcore.StepSample, "dtc_run_call": dtcore.RunCall, "dtc_space": dtcore.Space,
          "dtc_found": dtcore.Found, "dtc_wishes": dtcore.Wishes, "dtc_advice": dtcore.Advice}
# Largest values where the fields are lengths of lists, or of scratch.
MOST = {"dtc_slurm": 64, "dtc_mpi": 64, "dtc_shards": 64, "dtc_pipe": 16, "dtc_pipe_split": 64}
WIDE = 2**64 - 1


def value(field: headers.Field, most: int = WIDE) -> st.SearchStrategy:
    """Legal values up to `most`, and others."""
    enum = HEADERS.enum(field.type)
    if field.type == "dtc_bool":
        return st.sampled_from([None, False, True])
    low, high = (headers.number(x) for x in field.range) if field.range else (0, 64)
    if field.type == "double":
        return st.floats(low, high) | st.floats()
    if enum:
        return st.sampled_from([v.value for v in enum.values]) | st.integers(0, 2**32 - 1)
    widest = headers.WIDEST.get(field.type, 2**32 - 1)
    bounds = {max(low - 1, 0), low, min(high, most), min(high + 1, widest), widest}
    absurd = st.integers(0 if high <= most else min(high + 1, widest), widest)
    return st.integers(0, 16) | st.integers(low, min(high, most)) | st.sampled_from(sorted(bounds)) | absurd


def changes(struct: str, most: int = 3, small: bool = False) -> st.SearchStrategy:
    """Keyword arguments for a few fields of a struct."""
    largest = MOST.get(struct, 64 if small else WIDE)
    fields = visible(STRUCTS[struct])
    return st.lists(st.sampled_from(fields), max_size=most, unique_by=lambda f: f.name).flatmap(
        lambda chosen: st.fixed_dictionaries({f.name: value(f, largest) for f in chosen})
    )


# What dtc_explain_read() finds a size in.
MESSAGES = ["Tried to allocate 388.00 MiB", "CUDA out of memory. Tried to allocate 12.94 GiB (GPU 0; 79.35 GiB total capacity)",
            "you tried to allocate 180355072 bytes", "14678MiB / 40960MiB", "2.00 MiB"]


def seeds(struct: str) -> list:
    """Legal objects to start from."""
    if struct == "dtc_model":
        return [dtcore.model_find(name) for name in dtcore.model_names()]
    if struct == "dtc_cluster":
        return [dtcore.gpu_find(name) for name in dtcore.gpu_names()]
    if struct == "dtc_plan":
        zero3 = dtcore.Plan(sharding=dtcore.Sharding.ZERO3, dp=8)
        small = dtcore.Plan(tp=2, pp=2, dp=4, global_batch=64)
        piped = dtcore.Plan(framework="megatron", tp=2, pp=2, dp=2, accumulation=4, seq=1024)
        return [dtcore.Plan(), small, dtcore.plan_resolve(dtcore.model_find("gpt2"), None, small), zero3, piped]
    if struct == "dtc_alloc":
        made = [dtcore.explain_read(text) for text in MESSAGES]
        return made + [dtcore.Alloc(bytes=180355072), dtcore.Alloc(bytes=26952000000, params=6738000000)]
    if struct == "dtc_axis":
        return [dtcore.Axis(size=size, name=name) for size, name in ((1, "none"), (2, "tp"), (4, "dp"))]
    if struct == "dtc_layout":
        return [dtcore.Layout(), dtcore.Layout(tp=2, dp=2, pp=2), dtcore.Layout(world=64, tp=4)]
    if struct == "dtc_group_kind":
        return [dtcore.GroupKind(axes=1), dtcore.GroupKind(axes=2**32 - 1), *dtcore.layout_kinds(dtcore.Layout())]
    if struct == "dtc_slurm":
        return [dtcore.Slurm(), dtcore.Slurm(ntasks=5), dtcore.Slurm(distribution="plane", plane=2, ntasks=7)]
    if struct == "dtc_mpi":
        return [dtcore.Mpi(nodes=2, slots=8), dtcore.Mpi(nodes=3, slots=4, map="node", np=7)]
    if struct == "dtc_shards":
        return [dtcore.Shards(world=world, scheme=scheme) for world in (1, 3, 8) for scheme in dtcore.ShardScheme]
    if struct == "dtc_shape":
        return [dtcore.Shape(rows=7), dtcore.Shape(rows=5, cols=3), dtcore.Shape(rows=64, cols=64, dtype="fp32")]
    if struct == "dtc_slot":
        return [dtcore.Slot()]
    if struct == "dtc_module":
        return [dtcore.Module(first=first, tensors=tensors) for first, tensors in ((0, 1), (1, 1), (0, 2))]
    if struct == "dtc_pipe":
        made = [dtcore.Pipe(schedule=schedule, pp=4, micro_batches=8) for schedule in dtcore.Schedule]
        return made + [dtcore.Pipe(pp=3, micro_batches=2), dtcore.Pipe(framework="deepspeed", pp=2, micro_batches=5)]
    if struct == "dtc_pipe_split":
        return [dtcore.PipeSplit(splitter=splitter, layers=24, pp=4) for splitter in dtcore.Splitter]
    if struct == "dtc_pipe_op":
        return [dtcore.PipeOp(kind=kind) for kind in dtcore.PipeKind]
    if struct == "dtc_pipe_cost":
        return [dtcore.PipeCost(forward=forward, input=2, weight=1, freed_input=7) for forward in (1, 2.5)]
    if struct == "dtc_pipe_time":
        return [dtcore.PipeTime(start=1, stop=2)]
    if struct == "dtc_pipe_rank":
        return [dtcore.PipeRank(start=start, stop=9, busy=4, held_input=2, bytes=8) for start in (0, 3)]
    if struct == "dtc_pipe_item":
        return [dtcore.PipeItem(cost=cost, bytes=100, saved=10) for cost in (1, 1.5, 4)]
    if struct == "dtc_nccl":
        return [dtcore.nccl_find(name, version, nodes, 8) for version in (0, 2_027_007) for nodes in (1, 2, 16)
                for name in ("h100-8x400", "a100-8x200", "b200-8x400")]
    if struct == "dtc_collective_call":
        made = [dtcore.CollectiveCall(op=op, bytes=2**20, ranks=16) for op in dtcore.Collective if op]
        return made + [dtcore.CollectiveCall(op="all_to_all", bytes=100, ranks=8, per_node=1, groups=8, tuned=True)]
    if struct == "dtc_collective_law":
        return [dtcore.CollectiveLaw(latency=1e-5, bandwidth=1e11, shape=shape) for shape in (0, 0.6)]
    if struct == "dtc_timing":
        return [dtcore.Timing(bytes=2**i, seconds=1e-5 + 2**i / 1e9) for i in (10, 16, 20, 24)]
    if struct == "dtc_moe_call":
        return [dtcore.MoeCall(kernel=kernel, tokens=128, top_k=8, hidden=7168, ranks=n) for n in (8, 64)
                for kernel in dtcore.MoeKernel]
    if struct == "dtc_estimator_call":
        return [dtcore.EstimatorCall(estimator=estimator) for estimator in dtcore.Estimator if estimator]
    if struct == "dtc_step":
        return [dtcore.Step(), dtcore.Step(dense=1, attention=.5, tp=.25, launch=.1, bubble=.2)]
    if struct == "dtc_step_params":
        made = dtcore.StepParams(bf16=6e14, hbm=2e12, attention=1.3, communication=1.2,
                                 host=1)
        return [dtcore.StepParams(), made, made]
    if struct == "dtc_step_sample":
        return [dtcore.StepSample(products=x, attention=.2, memory=.3, share=.1, measured=1.5) for x in (.5, 1, 2)]
    if struct == "dtc_run_call":
        made = {"tokens": 1e9, "step_seconds": 2, "step_tokens": 1e6, "gpus": 1024}
        return [dtcore.RunCall(**made), dtcore.RunCall(**made, mtbf=5e4, write_seconds=20, price=2),
                dtcore.RunCall(**made, mtbf=1e4, checkpoint_bytes=10**12, interval_seconds=600)]
    if struct == "dtc_space":
        made = {"gpus_least": 8, "tp_most": 2, "pp_most": 4, "keep": 40}
        return [dtcore.Space(), dtcore.Space(**made), dtcore.Space(**made, objective="gpu_time", dp_split=True)]
    if struct == "dtc_found":
        return [dtcore.Found(index=i, value=i % 3, seconds=i % 3, device=2**36, gpus=16) for i in range(5)]
    if struct == "dtc_wishes":
        return [dtcore.Wishes(), dtcore.Wishes(goal="simplicity", code="file", hidden=True), dtcore.Wishes(vendor="amd")]
    if struct == "dtc_advice":
        variants = [("pytorch", "ddp"), ("deepspeed", "zero3"), ("megatron", "default"), ("torchtitan", "default")]
        return [dtcore.Advice(framework=name, sharding=sharding, index=i) for name, sharding in variants for i in (0, 3)]
    if struct == "dtc_tracing":
        return [dtcore.Tracing(), dtcore.Tracing(prefetch=10, max_live=100)]
    if struct == "dtc_optimizer_spec":
        made = [dtcore.OptimizerSpec(optimizer=optimizer) for optimizer in dtcore.Optimizer]
        return made + [dtcore.OptimizerSpec(library="torchao", format=format) for format in ("int8", "int4", "fp8")]
    if struct == "dtc_lint":
        return [dtcore.Lint(), *(dtcore.Lint(dialect=dialect, world=64) for dialect in dtcore.Dialect)]
    if struct == "dtc_launch":
        return [dtcore.Launch(), *(dtcore.Launch(target=target) for target in dtcore.LaunchTarget)]
    return [dtcore.Stage(layers=1, embedding=1), dtcore.Stage(layers=40)]


def inputs(struct: str, small: bool = False) -> st.SearchStrategy:
    changed = changes(struct, small=small)
    return st.builds(lambda seed, values: replace(seed, **values), st.sampled_from(seeds(struct)), changed)


def arrays(struct: str) -> st.SearchStrategy:
    """A few objects. Axes are mostly legal: one bad one spoils a mesh; so are tensors, and records of a pipeline."""
    legal = struct in ("dtc_axis", "dtc_shape") or struct.startswith("dtc_pipe")
    one = st.sampled_from(seeds(struct)) | inputs(struct) if legal else inputs(struct)
    few = st.lists(one, max_size=4)
    if struct == "dtc_timing":  # three for a law
        return few | st.lists(st.sampled_from(seeds(struct)), min_size=3, max_size=4, unique=True)
    if struct == "dtc_pipe_item":  # one for each stage at least
        return few | st.lists(st.sampled_from(seeds(struct)), min_size=4, max_size=12)
    return few | st.lists(one, min_size=1, max_size=1) if struct == "dtc_pipe_cost" else few


def laid(fn: headers.Function, given: dict) -> dict:
    """The arguments with slots that are a layout: those of the first array by the first sharding, and so on."""
    named = {type_: [name for t, name in fn.args if t == type_] for type_, _ in fn.args}
    shards = [given[name] for name in named["const dtc_shards *"]]
    shapes = given[named["const dtc_shape *"][0]]
    for i, name in enumerate(named["const dtc_slot *"]):
        try:
            given = given | {name: dtcore.shards_layout(shards[min(i, len(shards) - 1)], shapes)}
        except dtcore.DtcoreError:
            pass
    return given


def ordered(given: dict) -> dict:
    """The arguments with the ops, and times, of the job among them."""
    try:
        given = given | {"ops": dtcore.pipe_order(given["pipe"])}
        if "times" in given:
            given = given | {"times": dtcore.pipe_simulate(given["pipe"], given["ops"], given["costs"])}
    except dtcore.DtcoreError:
        pass
    return given


def searched(given: dict) -> dict:
    """The arguments of a search with what it needs, and a short range that there is."""
    given = given | {"cluster": replace(given["cluster"], nodes=2), "plan": replace(given["plan"], global_batch=64)}
    size = {"model": given["model"], "cluster": given["cluster"], "plan": given["plan"], "space": given["space"]}
    try:
        largest = dtcore.search_size(**size)
    except dtcore.DtcoreError:
        return given
    for name in ("index", "first"):
        if name in given:
            given[name] %= largest
    return given | {"number": min(given["number"] % 999, largest - given["first"])} if "number" in given else given


def advised(given: dict) -> dict:
    """The arguments of advice on a cluster of two nodes: others have spaces that take long."""
    plan = given["plan"] and replace(given["plan"], global_batch=64)
    return given | {"cluster": replace(given["cluster"], nodes=2), "plan": plan}


def numbers(name: str) -> st.SearchStrategy:
    """A list of integers: of coordinates, of ranks or of anything."""
    few = st.lists(st.integers(0, 3), max_size=40) | st.lists(st.integers(0, 3) | st.integers(2**24, WIDE), max_size=40)
    if name == "coord":
        return st.lists(st.integers(0, 1), max_size=4) | few
    if name in ("cpus", "cpus_per_task", "order", "workers"):
        return st.lists(st.integers(1, 8), max_size=3) | few
    return few if name != "ranks" else few | st.sampled_from([1, 2, 4, 8]).flatmap(lambda n: st.permutations(range(n)))


def number(type_: str, name: str) -> st.SearchStrategy:
    if type_ == "double":
        return st.just(0.0) | st.floats(0, 100) | st.floats()
    if HEADERS.enum(type_):
        return st.sampled_from([v.value for v in HEADERS.enum(type_).values]) | st.integers(0, 2**32 - 1)
    widest = WIDE if type_ == "uint64_t" else 2**32 - 1
    if name == "ranks":  # no table that fills the memory
        return st.integers(0, 12) | st.integers(2**33, widest)
    if name == "version":
        return st.sampled_from([0, 2_021_005, 2_027_007, 2_030_007]) | st.integers(0, widest)
    if name == "per_node":
        return st.just(8) | st.sampled_from([1, 2, 4, 16, 72]) | st.integers(0, widest)
    if name in ("tensor", "element"):
        return st.integers(0, 1) | st.integers(0, 12) | st.integers(0, widest)
    return st.integers(0, 12) | st.sampled_from([4096, 10**9]) | st.integers(0, widest)


def lint_arguments(name: str) -> st.SearchStrategy:
    """What dtc_framework_lint() and dtc_framework_lint_hca() read; `name` of the argument."""
    few = {"value": lint_texts.HCA, "devices": lint_texts.DEVICES}.get(name, lint_texts.ALL)
    one = st.sampled_from(few)
    changed = st.builds(lambda text, at, put: text[: at % (len(text) + 1)] + put + text[at % (len(text) + 1) :], one,
                        st.integers(0, 200), st.sampled_from(["", '"', "\\", " #", "\n", "-1", "é"]))
    return one | changed


def linted(given: dict) -> dict:
    """The arguments with a text that is in the dialect among them."""
    name = dtcore.Dialect(given["lint"].dialect).name.lower() if 0 < int(given["lint"].dialect) <= 10 else ""
    return given | {"text": lint_texts.TEXTS[name][0]} if name in lint_texts.TEXTS else given


def texts() -> st.SearchStrategy:
    names = dtcore.model_names() + dtcore.gpu_names() + dtcore.cluster_names() + dtcore.nccl_names()
    names += dtcore.software_names() + dtcore.framework_names()
    words = "dtcore: tp=8 pp=4 sp nosp mbs=1 gbs=64 seq=4096 zero3 megatron@0.12 ; tp= x".split()
    plans = st.lists(st.sampled_from(words), max_size=6).map(" ".join)
    json = (
        '{"model_type": "llama", "hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4, '
        '"num_hidden_layers": 2, "vocab_size": 32}'
    )
    plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
    orders = st.lists(st.sampled_from("tp cp ep dp pp DP x".split()), min_size=1, max_size=5).map("-".join)
    lines = ["node10 ", "node2 ", "a slots=4\n", "b slots=2\n", "# c\n"]
    hosts = st.lists(st.sampled_from(lines), max_size=4).map("".join)
    pieces = st.sampled_from(["tt", "t*2", "(t|)*2", "tmL", "L", "|", "Et", "E,t*3"])
    stages = st.lists(pieces, max_size=9).map("|".join)
    layouts = stages | st.sampled_from(["Et*6|t*6|t*6|t*6L", "E(t*3|)*8L"])
    return st.sampled_from(names + MESSAGES) | plans | st.just(json) | orders | hosts | layouts | plain
