"""Asks the library the questions of cases.csv: `scripts/cases [FILE.csv]`.

A case's `ask` is a Python expression over dtcore and the short forms below; `expected` is its value as JSON. Numbers
may differ by `tolerance`: `2%` of the expected value, or a number; `exact` is 0. A case whose `status` is `later: ...`
waits for what is named there and is only counted.
"""
from __future__ import annotations

import csv
import dataclasses
import json
import sys
import time
from collections import Counter
from pathlib import Path

import dtcore

FILE = Path(__file__).resolve().parent / "cases.csv"
GIB = 1 << 30
# Of a model that a question leaves open: shapes that every usual degree divides.
ANY = dtcore.Model(layers=48, hidden=4096, heads=64, ffn=16384, vocab=32000, position=dtcore.Position.ROPE)


# ---- short forms for asking


def node(ports: int, rate: float, gpu: str = "h100-80gb") -> dtcore.Cluster:
    """Nodes of 8 GPUs with so many network ports of a rate in bytes/s."""
    return dataclasses.replace(dtcore.gpu_find(gpu), nics_per_node=ports, nic_bandwidth=rate)


def rate(size: int, ranks: int, on: dtcore.Cluster | None = None, op: str = "all_reduce",
         **fields) -> dtcore.CollectiveTime:
    """A collective of `size` bytes; on H100 when no cluster is told."""
    call = dtcore.CollectiveCall(op=op, bytes=size, ranks=ranks, **fields)
    return dtcore.collective(on or dtcore.gpu_find("h100-80gb"), call)


def most(ranks: int, on: dtcore.Cluster, op: str = "all_reduce") -> dtcore.CollectiveTime:
    """The same with the rates that no algorithm exceeds."""
    found = rate(GIB, ranks, on, op)
    more = found.seconds / found.lower_bound
    factor = (2 if op == "all_reduce" else 1) * (ranks - 1) / ranks
    return found._replace(algbw=found.algbw * more, busbw=found.algbw * more * factor)


def verdict(busbw: float, size: int, ranks: int, on: dtcore.Cluster) -> dtcore.Verdict:
    """What a measured busbw of an all-reduce says."""
    call = dtcore.CollectiveCall(op="all_reduce", bytes=size, ranks=ranks)
    return dtcore.collective_judge(on, call, size * 2 * (ranks - 1) / ranks / busbw)


def params(name: str) -> int:
    """Parameters of a model of the catalogue."""
    return dtcore.params(dtcore.model_find(name)).total


def states(text: str, count: float) -> dtcore.ModelStates:
    """Model states under a plan given as text."""
    return dtcore.memory_states(int(count), dtcore.plan_parse(text)[0])


def printed_zero3(total: float, layer: float, **fields) -> list[float]:
    """GiB of the host and of a GPU in each line that DeepSpeed's ZeRO-3 estimator prints, in its order."""
    lines = ((True, True, True), (True, True, False), (True, False, True), (True, False, False), (False, False, True),
             (False, False, False))
    found = (dtcore.memory_framework(dtcore.EstimatorCall(
        estimator="deepspeed_zero3", params=int(total), layer_params=int(layer), offload=offload, offload_params=params,
        zero_init=init, **fields)) for offload, params, init in lines)
    return [bytes / GIB for one in found for bytes in (one.host, one.gpu)]


def megatron_report(text: str, **fields) -> list[float]:
    """MiB of states, activations and both that Megatron-LM's own report prints."""
    call = dtcore.EstimatorCall(estimator="megatron")
    found = dtcore.memory_framework(call, model(**fields), dtcore.plan_parse(text)[0])
    return [bytes / 2**20 for bytes in (found.states, found.activations, found.gpu)]


def cluster(gpus: int = 0, gib: float = 80) -> dtcore.Cluster:
    """GPUs in nodes of 8; 0 is as many as needed."""
    node = min(gpus, 8) or 8
    return dtcore.Cluster(memory=int(gib * GIB), gpus_per_node=node, nodes=-(-gpus // node))


def model(base: dtcore.Model = ANY, **fields) -> dtcore.Model:
    return dtcore.Model(**{name: getattr(base, name) for name in base.__dataclass_fields__} | fields)


def explain(text: str, message: str, params: float = 0, first: int = 1, **fields) -> list[list]:
    """The first tensors that a message may be about: name, bytes, bytes of an element, what was solved and its value.
    The plan's text names the model, or `fields` make it."""
    plan, named = dtcore.plan_parse(text)
    size = dataclasses.replace(dtcore.explain_read(message), params=int(params))
    found = dtcore.explain_alloc(named or model(**fields), None, plan, size)
    return [[one.suspect.name, one.bytes, one.dtype_bytes, one.solved.name, one.value] for one in found[:first]]


def memory(text: str, gib: float = 80, **fields) -> dtcore.Memory:
    """Peak of the GPU that needs most; the text names the model, or `fields` make it."""
    plan, named = dtcore.plan_parse(text)
    return dtcore.memory(named or model(**fields), cluster(gib=gib), plan)


def stages(text: str, **fields) -> list[dict]:
    """Memory of every pipeline stage."""
    plan, named = dtcore.plan_parse(text)
    found = dtcore.memory_stages(named or model(**fields), None, plan)
    return [{name: row[name].item() for name in found.dtype.names} for row in found]


def resolve(text: str, gpus: int = 0, **fields) -> dtcore.Plan:
    """The plan with everything filled in."""
    return dtcore.plan_resolve(model(**fields), cluster(gpus) if gpus else None, dtcore.plan_parse(text)[0])


def check(text: str, gpus: int = 0, **fields) -> list:
    """Findings of a plan: the name of each rule, and the nearest legal values of an error; [] when there are none."""
    found = dtcore.plan_check(model(**fields), cluster(gpus) if gpus else None, dtcore.plan_parse(text)[0])
    return [[one.rule.name.lower()] + [near for near in (one.lower, one.upper)
                                       if near is not None and one.severity == dtcore.Severity.ERROR] for one in found]


def rank_layers(text: str, **fields) -> list[int]:
    """Layers of every pipeline rank."""
    plan = dtcore.plan_parse(text)[0]
    return [dtcore.plan_stage(model(**fields), plan, rank).layers for rank in range(plan.pp)]


def micro_batch(text: str, options: tuple[int, ...], gpus: int) -> int:
    """The largest micro-batch among the options with which the plan is legal: DeepSpeed's elasticity prefers it."""
    return max(size for size in options if not check(f"{text} mbs={size}", gpus))


def flops(name: str, seq: int, convention: str) -> float:
    """Training FLOPs per token."""
    return dtcore.model_flops(dtcore.model_find(name), seq, dtcore.FlopsConvention[convention.upper()])


def saved(text: str, operator: str, kind: str = "DENSE", **fields) -> int:
    """Bytes that an operator of a layer keeps for backward."""
    plan, named = dtcore.plan_parse(text)
    rows = dtcore.ledger_rows(named or model(**fields), plan, dtcore.LayerKind[kind])
    return sum(row.saved for row in rows if row.op.name == operator)


def axis(name: str, **degrees) -> tuple[list[dtcore.Axis], dtcore.GroupKind]:
    """The mesh that has the axis, and the kind of groups along it alone; degrees as in dtcore.Layout."""
    for part in dtcore.MeshPart:
        axes = dtcore.layout_mesh(dtcore.Layout(**degrees), part)
        names = [one.name.name.lower() for one in axes]
        if name in names:
            return axes, dtcore.GroupKind(axes=1 << names.index(name), part=part)
    raise ValueError(f"no axis {name}")


def groups(name: str, **degrees) -> list[list[int]]:
    """Ranks of every group along an axis."""
    axes, kind = axis(name, **degrees)
    first = dtcore.mesh_group_of(axes, 0, kind, 0)
    return [[dtcore.mesh_member(axes, 0, kind, group, index) for index in range(first.size)]
            for group in range(first.count)]


def placement(name: str, domain: int, **degrees) -> dtcore.Placement:
    """How the groups along an axis lie on nodes, or on the GPUs joined by NVLink."""
    axes, kind = axis(name, **degrees)
    return dtcore.mesh_placement(axes, 0, kind, domain)


def tensors(count: float) -> list[dtcore.Shape]:
    """So many elements, whose shapes a question leaves open."""
    return [dtcore.Shape(rows=int(count), cols=1)]


def layer(name: str) -> list[dtcore.Shape]:
    """Tensors of the first layer of a model of the catalogue: what FSDP wraps."""
    found = dtcore.model_find(name)
    inside = [i for i in range(dtcore.model_tensor_count(found)) if dtcore.model_tensor(found, i).layer == 0]
    return dtcore.shards_shapes(found)[inside]


def gathered(name: str, micro_batches: int, **settings) -> float:
    """Bytes that a rank receives of weights gathered in a step; settings as in dtcore.Shards."""
    s = dtcore.Sharded(dtcore.model_find(name), **settings)
    found = dtcore.shards_messages(s.shards, s.shapes, s.slots, micro_batches)
    whole = sum(one["bytes"].item() for one in found if one["op"] == dtcore.Collective.ALL_GATHER)
    return whole * (s.shards.world - 1) / s.shards.world


def checkpoint(count: float, **settings) -> dtcore.Checkpoint:
    """Bytes of a checkpoint of so many elements; settings as in dtcore.Shards."""
    s = dtcore.Sharded(tensors(count), **settings)
    return dtcore.checkpoint(s.shards, s.shapes, s.slots, bandwidth=0)


def resume(scheme: str, before: int, now: int) -> list[str]:
    """Whether a checkpoint loads at another world, and the form to convert it to."""
    old, new = (dtcore.Sharded(dtcore.model_find("gpt2"), scheme=scheme, world=world) for world in (before, now))
    found = dtcore.reshard_check(old.shards, new.shards, old.shapes, old.slots, new.slots)
    return [found.loading.name, found.convert.name]


def timeline(forward: float, backward: float, **settings) -> dtcore.Timeline:
    """A step of a pipeline; times of one of pp stages, of which a chunk takes its part. Settings as in dtcore.Pipe."""
    job = dtcore.Pipeline(**settings)
    half = backward / 2 / job.pipe.vpp
    return job.simulate(dtcore.PipeCost(forward=forward / job.pipe.vpp, input=half, weight=half))


def profiled(schedule: str, vpp: int) -> dtcore.Timeline:
    """A step of 24 micro-batches of the 6.2B model on 8 GPUs. Times of a stage, ms: those that zero-bubble's authors
    publish for it (forward, input, weights, a message)."""
    forward, backward, weight, hop = (ms / vpp for ms in (29.718, 29.444, 19.927, 0.577 * vpp))
    generated = {"forward": forward, "input": backward, "weight": weight, "hop": hop} if schedule.startswith("zb") else {}
    job = dtcore.Pipeline(schedule=schedule, framework="megatron", pp=8, vpp=vpp, micro_batches=24, **generated)
    return job.simulate(dtcore.PipeCost(forward=forward, input=backward, weight=weight), latency=hop)


def held(step: dtcore.Timeline) -> int:
    """Most activations of a rank."""
    return int(step.ranks["held_weight"].max())


def warmup(**settings) -> list[int]:
    """Forwards of each rank before its first pair of a forward and a backward."""
    job = dtcore.Pipeline(**settings)
    return [job.text(rank).split(" B")[0].count("F") - 1 for rank in range(job.pipe.pp)]


def pipe_error(**settings) -> list:
    """The rule that refuses a pipeline, the field, and the least and largest legal value."""
    try:
        dtcore.Pipeline(**settings)
    except dtcore.DtcoreError as error:
        return [error.rule.name.lower(), error.field, error.min, error.max]
    return []


def layers(count: int, pp: int, **settings) -> list[int] | str:
    """Layers of each stage, as Megatron splits them, or the rule that refuses it."""
    try:
        return dtcore.pipe_layers(dtcore.PipeSplit(layers=count, pp=pp, **settings))["layers"].tolist()
    except dtcore.DtcoreError as error:
        return error.rule.name.lower()


def stage_params(shape: dtcore.Model, counts: list[int], plan: dtcore.Plan) -> list[int]:
    """Parameters of pipeline stages with so many layers."""
    rows = [dtcore.Stage(layers=n, embedding=i == 0, head=i == len(counts) - 1) for i, n in enumerate(counts)]
    return dtcore.memory_stages(shape, None, plan, rows)["params"].tolist()


def lint(dialect: str, text: str, **fields) -> list[str]:
    """Names of the rules that a text breaks, in the dialect of a tool; fields as in dtcore.Lint."""
    _, _, found = dtcore.framework_lint(dtcore.Lint(dialect=dtcore.Dialect[dialect.upper()], **fields), text)
    return [one.rule.name.lower() for one in found]


def admitted(gpus: int | None, plan: str = "dtcore: model=llama-3-8b megatron tp=4 dp=2 gbs=16 sp recompute=full") -> bool:
    """Does the example webhook let a PyTorchJob through whose pod has so many GPUs in its limits?"""
    sys.path.insert(0, str(FILE.parent.parent / "examples/python"))
    try:
        import admission
    finally:
        sys.path.pop(0)
    limits = {} if gpus is None else {"resources": {"limits": {"nvidia.com/gpu": gpus}}}
    pod = {"spec": {"containers": [{"name": "pytorch", "image": "train", **limits}]}}
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"annotations": {"dtcore.io/plan": plan}},
           "spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": pod}}}}
    review = {"kind": "AdmissionReview", "request": {"uid": "1", "operation": "CREATE", "object": job}}
    return admission.review(review, admission.Site(dtcore.cluster_find("dgx-h100"), nodes=4, leaf_nodes=4))["response"]["allowed"]


FORMS = {form.__name__: form for form in (params, states, node, rate, most, verdict, cluster, model, memory, stages,
                                          explain, resolve, check, rank_layers, micro_batch, flops, saved, groups, placement,
                                          tensors, layer, gathered, checkpoint, resume, timeline, profiled, held, warmup,
                                          pipe_error, layers, stage_params, lint, admitted, printed_zero3,
                                          megatron_report)}


# ---- judging


def is_close(got, expected, tolerance: str) -> bool:
    """Lists element by element, numbers within the tolerance, everything else equal."""
    if isinstance(expected, list):
        return (isinstance(got, (list, tuple)) and len(got) == len(expected)
                and all(is_close(a, b, tolerance) for a, b in zip(got, expected)))
    if isinstance(expected, bool) or not isinstance(expected, (int, float)):
        return got == expected
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        return False
    if tolerance == "exact":
        return got == expected
    allowed = float(tolerance.rstrip("%"))
    if tolerance.endswith("%"):
        allowed *= abs(expected) / 100
    return abs(got - expected) <= allowed


def shown(value) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"[{', '.join(map(shown, value))}]" if isinstance(value, (list, tuple)) else str(value)


def failure(case: dict[str, str]) -> str | None:
    """What is wrong with the answer; None when nothing is."""
    try:
        got = eval(case["ask"], {"dtcore": dtcore, "GIB": GIB, **FORMS})  # the file is part of this tree
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    expected = json.loads(case["expected"])
    if is_close(got, expected, case["tolerance"]):
        return None
    return f"expected {shown(expected)} ({case['tolerance']}), got {shown(got)}: {case['ask']}"


def waiting(cases: list[dict[str, str]]) -> dict[str, list[str]]:
    """Cases that cannot be asked yet, by what is missing."""
    found: dict[str, list[str]] = {}
    for case in cases:
        if case["status"].startswith("later"):
            found.setdefault(case["status"], []).append(case["id"])
    return found


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    with file.open(encoding="utf-8", newline="") as text:
        cases = list(csv.DictReader(text))
    passed, failed, later = Counter(), Counter(), Counter()
    last = time.monotonic()
    for number, case in enumerate(cases, 1):
        if case["status"].startswith("later"):
            later[case["category"]] += 1
            continue
        wrong = failure(case)
        if wrong:
            print(f"{case['id']} {case['category']}: {case['question']}: {wrong}")
        (failed if wrong else passed)[case["category"]] += 1
        if time.monotonic() - last > 1:
            last = time.monotonic()
            print(f"cases: {number} of {len(cases)}", file=sys.stderr)
    for status, ids in waiting(cases).items():
        print(f"{status}: {' '.join(ids)}")
    for category in dict.fromkeys(case["category"] for case in cases):
        print(f"{category:15} {passed[category]:3} passed {failed[category]:3} failed {later[category]:3} later")
    print(f"{passed.total()} passed, {failed.total()} failed")
    return 1 if failed.total() else 0


if __name__ == "__main__":
    sys.exit(main())
