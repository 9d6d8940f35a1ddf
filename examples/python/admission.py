"""Admission of training jobs to Kubernetes: the plan is legal and fits, and the job has the pods that it needs.

    python3 admission.py --cluster dgx-h100 --leaf-nodes 4 --rack cloud.provider.com/topology-rack --port 8080

A webhook for PyTorchJob, JobSet and Job that carry the annotation dtcore.io/plan; others pass. It answers yes or no with
the reason, and a patch with what the job left open: replicas, GPUs of a pod (when dtcore.io/gpus-per-pod states them),
nnodes and nproc for torchrun, and Kueue's topology request. What the job says is never changed: a contradiction is
refused. respond() and review() are pure functions. TLS, which the API server asks for, ends in front of this server.
"""
import argparse
import base64
import copy
import json
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import dtcore

Path = tuple[str | int, ...]  # in a job: keys of objects, places in lists

PLAN, GPUS_PER_POD = "dtcore.io/plan", "dtcore.io/gpus-per-pod"
RESOURCES = ("nvidia.com/gpu", "amd.com/gpu")
KUEUE = "kueue.x-k8s.io/podset-"
KINDS: dict[type, str] = {dict: "object", list: "list", str: "text"}
BODY = 8 * 2**20  # bytes of a request at most
GIB = 2**30


class Refused(Exception):
    """Why a job is not admitted."""


@dataclass(frozen=True)
class Site:
    """Where jobs run: machine type, nodes there are (0: not said), nodes of a rack, the racks' node label."""
    cluster: dtcore.Cluster
    nodes: int = 0
    leaf_nodes: int = 4
    rack: str = "cloud.provider.com/topology-rack"


@dataclass(frozen=True)
class PodSet:
    """Pods of one template: paths in the job. Their number is `count` times `times`; count None: left open."""
    name: str
    template: Path
    counts: tuple[Path, ...]  # paths that hold the number; all must say the same
    count: int | None
    times: int = 1
    container: int = 0
    gpus: int | None = None


def get(value: Any, path: Path, kind: type, default: Any = None) -> Any:
    """What lies at a path; the default when it is missing or null; refused when it, or what is on the way, is of another
    kind. A number in a path is the place of an element that is there."""
    for place, key in enumerate(path):
        if value is None:
            return default
        if isinstance(key, int) and isinstance(value, list):
            value = value[key]
        elif isinstance(key, str) and isinstance(value, dict):
            value = value.get(key)
        else:
            raise Refused(f"{'.'.join(map(str, path[:place])) or 'the job'} is no object")
    if value is None:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Refused(f"{'.'.join(map(str, path))} is no {KINDS.get(kind, 'number')}")
    return value


def number(value: Any, name: str, most: int) -> int:
    """A count as manifests write it: 8 or "8"."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise Refused(f"{name} is no number from 1 to {most}")
    return value


class Patch:
    """A JSON Patch that is made beside a copy of the job."""

    def __init__(self, job: Any) -> None:
        self.job = copy.deepcopy(job)
        self.operations: list[dict[str, Any]] = []

    def set(self, path: Path, value: Any) -> None:
        """Makes the path hold the value, with the objects on the way that are missing."""
        if get(self.job, path, object) == value:
            return
        known = 1
        while known < len(path) and get(self.job, path[:known], object) is not None:
            known += 1
        for key in reversed(path[known:]):
            value = {key: value}
        pointer = "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path[:known])
        self.operations.append({"op": "add", "path": pointer, "value": value})  # replaces what is there
        get(self.job, path[:known - 1], object)[path[known - 1]] = value

    def append(self, path: Path, value: Any) -> None:
        """Adds the value to a list."""
        if get(self.job, path, list) is None:
            self.set(path, [value])
        else:
            self.operations.append({"op": "add", "path": "".join(f"/{key}" for key in path) + "/-", "value": value})
            get(self.job, path, list).append(value)


def pod_set(job: Any, name: str, template: Path, counts: tuple[Path, ...], default: int | None = None,
            times: int = 1) -> PodSet:
    """A pod set with its container and GPUs."""
    said = {number(value, str(path[-1]), 2**20) for path in counts if (value := get(job, path, object)) is not None}
    if len(said) > 1:
        raise Refused(f"{name}: {' and '.join(str(path[-1]) for path in counts)} differ")
    containers = get(job, (*template, "spec", "containers"), list, [])
    if not containers or None in containers:
        raise Refused(f"{name} has no containers, or an empty one")
    found = []
    for place in range(len(containers)):
        limits = get(job, (*template, "spec", "containers", place, "resources", "limits"), dict, {})
        found += [(place, number(limits[key], key, 4096)) for key in RESOURCES if limits.get(key) not in (None, 0, "0")]
    if len(found) > 1:
        raise Refused(f"{name} has GPUs in two places: which of them trains?")
    place, gpus = found[0] if found else (0, None)
    return PodSet(name, template, counts, said.pop() if said else default, times, place, gpus)


def pod_sets(job: Any) -> list[PodSet]:
    """The pods that train."""
    kind = (str(get(job, ("apiVersion",), str, "")).split("/")[0], get(job, ("kind",), str))
    if kind == ("batch", "Job"):
        return [pod_set(job, "job", ("spec", "template"), (("spec", "parallelism"), ("spec", "completions")))]
    if kind == ("kubeflow.org", "PyTorchJob"):
        specs = ("spec", "pytorchReplicaSpecs")
        sets = [pod_set(job, role, (*specs, role, "template"), ((*specs, role, "replicas"),), 1 if role == "Master" else None)
                for role in ("Master", "Worker") if get(job, (*specs, role), dict) is not None]
        if not sets or sets[0].name != "Master" or sets[0].count != 1:
            raise Refused("a PyTorchJob has one Master")
        return sets
    if kind == ("jobset.x-k8s.io", "JobSet"):
        sets = []
        for place, each in enumerate(get(job, ("spec", "replicatedJobs"), list, [])):
            path = ("spec", "replicatedJobs", place)
            inner = (*path, "template", "spec")
            sets.append(pod_set(job, get(each, ("name",), str, str(place)), (*inner, "template"),
                                ((*inner, "parallelism"), (*inner, "completions")),
                                times=number(get(job, (*path, "replicas"), object, 1), "replicas", 2**20)))
        training = [each for each in sets if each.gpus]  # one without GPUs beside others drives them
        if not training and len(sets) != 1:
            raise Refused("no replicatedJob has GPUs in its limits: which of them trains?")
        return training or sets
    raise Refused("a plan is for a PyTorchJob, a JobSet or a Job")


def judge(text: str, site: Site, warnings: list[str]) -> tuple[dtcore.Layout, str]:
    """Layout and memory of a plan that is legal and fits."""
    plan, model = dtcore.plan_parse(text)
    if model is None:
        raise Refused("the plan names no model: model=llama-3-70b")
    findings = dtcore.plan_check(model, site.cluster, plan)
    warnings += [str(finding) for finding in findings if finding.severity == dtcore.Severity.WARNING]
    errors = [str(finding) for finding in findings if finding.severity == dtcore.Severity.ERROR]
    if errors:
        raise Refused("; ".join(errors))
    memory = dtcore.memory(model, site.cluster, plan)
    need = f"{memory.device / GIB:.1f} of {memory.capacity / GIB:.1f} GiB of a GPU"
    if memory.device > memory.capacity:
        raise Refused(f"the plan does not fit: it takes {need}, most of it {memory.largest.name.lower()}")
    if memory.device_high > memory.capacity:
        warnings.append(f"the plan may not fit: it takes {need}, up to {memory.device_high / GIB:.1f}")
    return dtcore.layout_from_plan(model, site.cluster, plan), need


def gpus_of_a_pod(job: Any, sets: list[PodSet], site: Site) -> int:
    """The GPUs that every pod has."""
    stated = get(job, ("metadata", "annotations", GPUS_PER_POD), object)
    if stated is not None:
        stated = number(stated, GPUS_PER_POD, site.cluster.gpus_per_node)
    for each in sets:
        if each.gpus is None and stated is None:  # torchrun's nproc "auto" would be 1, and nobody would notice
            raise Refused(f"{each.name} has no GPU in its limits, so that a pod would run one process: "
                          f"set {RESOURCES[0]}, or {GPUS_PER_POD}")
    numbers = sorted({each.gpus or stated for each in sets} | ({stated} if stated else set()))
    if len(numbers) > 1:
        raise Refused(f"pods of {' and '.join(map(str, numbers))} GPUs: torchrun starts equally many processes in each")
    if numbers[0] > site.cluster.gpus_per_node:
        raise Refused(f"pods of {numbers[0]} GPUs: a node has {site.cluster.gpus_per_node}")
    return numbers[0]


def placement(layout: dtcore.Layout, names: tuple[str, ...], gpus: int) -> dtcore.Placement:
    """How the groups of ranks that differ in these axes alone lie on pods."""
    axes = dtcore.layout_mesh(layout)
    bits = sum(1 << place for place, axis in enumerate(axes) if axis.size > 1 and axis.name.name in names)
    return dtcore.mesh_placement(axes, layout.offset, dtcore.GroupKind(axes=bits), gpus)


def set_counts(patch: Patch, sets: list[PodSet], world: int, gpus: int) -> int:
    """Checks the number of pods, and fills the one that is left open."""
    if world % gpus:
        raise Refused(f"the plan's {world} GPUs are no whole number of pods with {gpus}")
    pods = world // gpus
    missing = pods - sum(each.count * each.times for each in sets if each.count)
    open_sets = [each for each in sets if each.count is None]
    if open_sets and missing > 0 and missing % open_sets[0].times == 0 and len(open_sets) == 1:
        sets = [replace(each, count=each.count or missing // each.times) for each in sets]
    elif missing or open_sets:
        raise Refused(f"pods of {gpus} for the plan's {world} GPUs: {pods}; the job has "
                      f"{pods - missing}{' and an open number' if open_sets else ''}")
    for each in sets:
        for path in each.counts:
            patch.set(path, each.count)
    return pods


def set_processes(patch: Patch, sets: list[PodSet], pods: int, gpus: int, warnings: list[str]) -> None:
    """GPUs, nnodes and nproc. WORLD_SIZE is left alone: pods before torchrun, processes inside it."""
    if get(patch.job, ("kind",), str) == "PyTorchJob":
        if get(patch.job, ("spec", "elasticPolicy"), dict):
            raise Refused("elasticPolicy: a plan holds for one number of pods")
        said = get(patch.job, ("spec", "nprocPerNode"), object, "auto")
        if said not in ("auto", "gpu", str(gpus)):
            raise Refused(f"nprocPerNode is not the {gpus} GPUs of a pod")
        patch.set(("spec", "nprocPerNode"), str(gpus))
    for each in sets:
        container = (*each.template, "spec", "containers", each.container)
        if each.gpus is None:
            patch.set((*container, "resources", "limits", RESOURCES[0]), str(gpus))
        env = get(patch.job, (*container, "env"), list, [])
        said = {name: entry.get("value") for entry in env if isinstance(entry, dict)
                and isinstance(name := entry.get("name"), str)}
        for name, value in (("PET_NNODES", str(pods)), ("PET_NPROC_PER_NODE", str(gpus))):  # torchrun reads both
            if name not in said:
                patch.append((*container, "env"), {"name": name, "value": value})
            elif said[name] != value:
                raise Refused(f"{each.name}: {name} is not {value}")
        if "WORLD_SIZE" in said:
            warnings.append(f"{each.name} sets WORLD_SIZE, which torchrun sets to {pods * gpus} in each process")


def set_topology(patch: Patch, sets: list[PodSet], layout: dtcore.Layout, pods: int, gpus: int, site: Site) -> None:
    """A rack for all when one holds them; else as few as Kueue finds, data parallel groups whole under each."""
    nodes = -(-pods // (site.cluster.gpus_per_node // gpus))
    if site.nodes and nodes > site.nodes:
        raise Refused(f"the plan takes {nodes} nodes, the cluster has {site.nodes}")
    request = {("required" if nodes <= site.leaf_nodes else "preferred") + "-topology": site.rack}
    block = placement(layout, ("DP", "DP_SHARD", "DP_REPLICATE"), gpus).segment
    if [each.name for each in sets] == ["Master", "Worker"]:
        request["group-name"] = "trainer"  # both in the same place
    elif nodes > site.leaf_nodes and 1 < block <= site.leaf_nodes * (site.cluster.gpus_per_node // gpus) and pods % block == 0:
        request |= {"slice-required-topology": site.rack, "slice-size": str(block)}
    for each in sets:
        annotations = (*each.template, "metadata", "annotations")
        if not any(key.startswith(KUEUE) for key in get(patch.job, annotations, dict, {})):
            for key, value in request.items():
                patch.set((*annotations, KUEUE + key), value)


def admit(job: Any, site: Site) -> tuple[list[dict[str, Any]], list[str], dict[str, str]]:
    """Operations of the patch, warnings, notes for the audit log; raises Refused."""
    text = get(job, ("metadata", "annotations", PLAN), str)
    if job is None:
        raise Refused("the request has no object")
    if text is None:
        return [], [], {}
    warnings: list[str] = []
    try:
        layout, need = judge(text, site, warnings)
        sets, patch = pod_sets(job), Patch(job)
        gpus = gpus_of_a_pod(job, sets, site)
        if placement(layout, ("TP",), gpus).spread != dtcore.Spread.INSIDE:
            raise Refused(f"tensor parallel groups of {layout.tp} do not lie inside pods of {gpus} GPUs")
        pods = set_counts(patch, sets, layout.world, gpus)
        set_processes(patch, sets, pods, gpus, warnings)
        set_topology(patch, sets, layout, pods, gpus, site)
    except (dtcore.DtcoreError, UnicodeError) as error:
        raise Refused(f"{PLAN}: {error}") from None
    return patch.operations, warnings, {"gpus": str(layout.world), "memory": need}


def review(document: Any, site: Site) -> dict[str, Any]:
    """The answer to an AdmissionReview; ValueError when the document is none."""
    request = document.get("request") if isinstance(document, dict) else None
    if not isinstance(request, dict) or not isinstance(request.get("uid"), str) or document.get("kind") != "AdmissionReview":
        raise ValueError("no AdmissionReview")
    answer = {"uid": request["uid"], "allowed": True}
    try:
        if request.get("operation") != "DELETE":  # which has no object
            operations, warnings, notes = admit(request.get("object"), site)
            answer |= {"warnings": warnings} if warnings else {}
            answer |= {"auditAnnotations": notes} if notes else {}
            if operations:
                answer |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(operations).encode()).decode()}
    except Refused as why:
        answer |= {"allowed": False, "status": {"code": 403, "message": str(why)}}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answer}


def respond(body: bytes, site: Site) -> tuple[int, bytes]:
    """Status and body of the HTTP answer."""
    try:
        return 200, json.dumps(review(json.loads(body), site)).encode()
    except (ValueError, RecursionError) as error:
        return 400, f"{type(error).__name__}: no AdmissionReview\n".encode()


class Handler(BaseHTTPRequestHandler):
    timeout = 10  # seconds, against clients that send nothing
    site: Site

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 10 and int(length) <= BODY):
            self.answer(413, b"a body of at most 8 MiB, with its length\n")
        else:
            self.answer(*respond(self.rfile.read(int(length)), self.site))

    def do_GET(self) -> None:
        self.answer(*((200, b"ok\n") if self.path == "/healthz" else (404, b"POST an AdmissionReview\n")))

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if body[:1] == b"{" else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cluster", default="dgx-h100", help="machine type of the catalogue (dgx-h100)")
    parser.add_argument("--nodes", type=int, default=0, help="nodes there are (not said)")
    parser.add_argument("--leaf-nodes", type=int, default=4, help="nodes of a rack (4)")
    parser.add_argument("--rack", default=Site.rack, help=f"node label of racks ({Site.rack})")
    parser.add_argument("--address", default="127.0.0.1", help="to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8080, help="to listen on (8080)")
    options = parser.parse_args()
    Handler.site = Site(dtcore.cluster_find(options.cluster), options.nodes, options.leaf_nodes, options.rack)
    ThreadingHTTPServer((options.address, options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
