"""examples/python/admission.py: what it refuses, what it fills in, and that nothing sent to it gets it out of step."""
import base64
import copy
import json
import sys
import threading
import urllib.error
import urllib.request
from http.server import ThreadingHTTPServer

import dtcore
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(ROOT / "examples/python"))
try:
    import admission
finally:
    sys.path.pop(0)

SITE = admission.Site(dtcore.cluster_find("dgx-h100"), nodes=32, leaf_nodes=4)
SMALL = "dtcore: model=llama-3-8b megatron tp=4 dp=2 gbs=16 sp recompute=full"  # 8 GPUs
LARGE = "dtcore: model=llama-3-70b megatron tp=8 pp=4 dp=2 gbs=64 sp"  # 64 GPUs
FEW = "dtcore: model=llama-3-8b megatron tp=8 dp=4 gbs=16 sp recompute=full"  # 32 GPUs
RACK = "cloud.provider.com/topology-rack"


def template(gpus, **container):
    limits = {} if gpus is None else {"resources": {"limits": {"cpu": "8", "nvidia.com/gpu": gpus}}}
    return {"spec": {"containers": [{"name": "pytorch", "image": "train", **limits, **container}]}}


def pytorch(plan, gpus, workers, **annotations):
    specs = {"Master": {"replicas": 1, "template": template(gpus)}, "Worker": {"template": template(gpus)}}
    if workers is not None:
        specs["Worker"]["replicas"] = workers
    if workers == 0:
        del specs["Worker"]
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "spec": {"pytorchReplicaSpecs": specs},
            "metadata": {"name": "a", "annotations": {"dtcore.io/plan": plan, **annotations}}}


def jobset(plan, *sets, **annotations):
    """Sets: (replicas, parallelism, GPUs)."""
    jobs = [{"name": f"set{place}", "replicas": replicas, "template": {"spec": {"template": template(gpus)}}}
            for place, (replicas, _, gpus) in enumerate(sets)]
    for each, (_, parallelism, _) in zip(jobs, sets):
        if parallelism is not None:
            each["template"]["spec"]["parallelism"] = parallelism
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": {"replicatedJobs": jobs},
            "metadata": {"annotations": {"dtcore.io/plan": plan, **annotations}}}


def batch(plan, pods, gpus, **annotations):
    return {"apiVersion": "batch/v1", "kind": "Job",
            "spec": {"parallelism": pods, "completions": pods, "template": template(gpus)},
            "metadata": {"annotations": {"dtcore.io/plan": plan, **annotations}}}


def ask(job, site=SITE, **request):
    document = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                "request": {"uid": "705ab4f5", "operation": "CREATE", "object": job, **request}}
    before = copy.deepcopy(document)
    answer = admission.review(document, site)
    assert document == before and answer["kind"] == "AdmissionReview" and answer["response"]["uid"] == "705ab4f5"
    assert answer["apiVersion"] == "admission.k8s.io/v1"
    return answer["response"]


def refusal(job, site=SITE):
    answer = ask(job, site)
    assert not answer["allowed"] and "patch" not in answer and answer["status"]["code"] == 403
    return answer["status"]["message"]


def patched(job, site=SITE, **request):
    """The job as the API server makes it of the patch: RFC 6902's add alone, whose parent must be there."""
    answer = ask(job, site, **request)
    assert answer["allowed"], answer
    job = copy.deepcopy(job)
    for operation in json.loads(base64.b64decode(answer.get("patch", base64.b64encode(b"[]")))):
        assert operation["op"] == "add" and answer["patchType"] == "JSONPatch"
        *parents, last = (key.replace("~1", "/").replace("~0", "~") for key in operation["path"].split("/")[1:])
        at = job
        for key in parents:
            at = at[int(key)] if isinstance(at, list) else at[key]
        if isinstance(at, list):
            assert last == "-"
            at.append(operation["value"])
        else:
            at[last] = operation["value"]
    return job


def env(template):
    return {entry["name"]: entry["value"] for entry in template["spec"]["containers"][0].get("env", [])}


def topology(template):
    annotations = template["metadata"]["annotations"]
    return {key.removeprefix("kueue.x-k8s.io/podset-"): value for key, value in annotations.items()}


def test_a_pytorchjob_is_filled_in():
    job = patched(pytorch(LARGE, 8, None))
    specs = job["spec"]["pytorchReplicaSpecs"]
    assert specs["Master"]["replicas"] == 1 and specs["Worker"]["replicas"] == 7 and job["spec"]["nprocPerNode"] == "8"
    for role in specs.values():
        assert env(role["template"]) == {"PET_NNODES": "8", "PET_NPROC_PER_NODE": "8"}
        assert topology(role["template"]) == {"preferred-topology": RACK, "group-name": "trainer"}
    assert patched(job) == job and "patch" not in ask(job)  # a second look changes nothing


def test_one_pod():
    job = patched(pytorch(SMALL, "8", 0))
    assert env(job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]) == {"PET_NNODES": "1", "PET_NPROC_PER_NODE": "8"}
    assert topology(job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]) == {"required-topology": RACK}


def test_gpus_are_filled_in_where_they_are_stated():
    job = patched(pytorch(FEW, None, None, **{"dtcore.io/gpus-per-pod": "8"}))
    for role in job["spec"]["pytorchReplicaSpecs"].values():
        assert role["template"]["spec"]["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": "8"}}
        assert topology(role["template"]) == {"required-topology": RACK, "group-name": "trainer"}
    assert job["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 3
    assert "pods of 4 and 8 GPUs" in refusal(pytorch(FEW, 4, None, **{"dtcore.io/gpus-per-pod": "8"}))
    for wrong in ("0", "9", "-8", "8.0", "auto", "٨", "8" * 400, 8.5, True, ["8"]):
        assert "gpus-per-pod" in refusal(pytorch(FEW, None, None, **{"dtcore.io/gpus-per-pod": wrong}))


def test_a_jobset_and_a_job():
    job = patched(jobset(LARGE, (2, None, 8)))
    inner = job["spec"]["replicatedJobs"][0]["template"]["spec"]
    assert (inner["parallelism"], inner["completions"]) == (4, 4)
    # dp groups are ranks r and r + 8: two pods of 8, which a slice keeps in one rack
    assert topology(inner["template"]) == {"preferred-topology": RACK, "slice-required-topology": RACK, "slice-size": "2"}
    assert patched(job) == job
    job = patched(batch(FEW, 4, 8))
    assert topology(job["spec"]["template"]) == {"required-topology": RACK}
    assert env(job["spec"]["template"]) == {"PET_NNODES": "4", "PET_NPROC_PER_NODE": "8"}
    driver = patched(jobset(FEW, (1, 1, None), (4, 1, 8)))  # one without GPUs drives the others
    assert "metadata" not in driver["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    assert "pods of 8 for the plan's 32 GPUs: 4; the job has 3" in refusal(jobset(FEW, (1, 1, None), (3, 1, 8)))
    assert "which of them trains" in refusal(jobset(FEW, (1, 1, None), (4, 1, None), **{"dtcore.io/gpus-per-pod": "8"}))
    assert "which of them trains" in refusal(jobset(FEW))
    assert "the job has 0 and an open number" in refusal(jobset(LARGE, (1, None, 8), (1, None, 8)))
    half = batch(FEW, 4, 8)
    half["spec"]["completions"] = 8
    assert "parallelism and completions differ" in refusal(half)


def test_pods_smaller_than_a_node():
    """Two pods of 4 fill a node: 8 pods are 4 nodes, which a rack has; a group of 8 ranks does not fit in a pod."""
    plan = "dtcore: model=llama-3-8b megatron tp=4 dp=8 gbs=16 sp recompute=full"
    assert topology(patched(batch(plan, 8, 4))["spec"]["template"]) == {"required-topology": RACK}
    assert topology(patched(batch(plan, 8, 4), admission.Site(SITE.cluster, leaf_nodes=3))["spec"]["template"]) == {
        "preferred-topology": RACK}
    assert "tensor parallel groups of 8 do not lie inside pods of 4 GPUs" in refusal(batch(FEW, 8, 4))


def test_l13_world_size_is_named_apart():
    """kubeflow/trainer#1790: two pods of four processes are nnodes 2 and a world of 8; WORLD_SIZE says 2, then 8."""
    job = patched(pytorch(SMALL, 4, 1))
    assert job["spec"]["nprocPerNode"] == "4"
    for role in job["spec"]["pytorchReplicaSpecs"].values():
        assert env(role["template"]) == {"PET_NNODES": "2", "PET_NPROC_PER_NODE": "4"}
    told = pytorch(SMALL, 4, 1)
    told["spec"]["pytorchReplicaSpecs"]["Worker"]["template"] = template(4, env=[{"name": "WORLD_SIZE", "value": "2"}])
    assert ask(told)["warnings"] == ["Worker sets WORLD_SIZE, which torchrun sets to 8 in each process"]


def test_l14_unequal_pods():
    """kubeflow/pytorch-operator#331: pods of 1, 2 and 2 GPUs are no world of 5: torchrun assumes equal nproc."""
    plan = "dtcore: model=gpt2 pytorch dp=5"
    job = pytorch(plan, 1, 2)
    job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"] = template(2)
    assert refusal(job) == "pods of 1 and 2 GPUs: torchrun starts equally many processes in each"
    assert "pods of 1 and 2 GPUs" in refusal(jobset(plan, (1, 1, 1), (2, 1, 2)))


@pytest.mark.parametrize("gpus", [None, 0, "0"])
def test_l15_no_gpus(gpus):
    """NVIDIA/aicr#2280: without a GPU in the limits nproc "auto" is silently 1."""
    job = pytorch(SMALL, gpus, 0)
    job["spec"]["nprocPerNode"] = "auto"
    for each in (job, batch(SMALL, 1, gpus), jobset(SMALL, (1, 1, gpus))):
        assert "has no GPU in its limits, so that a pod would run one process" in refusal(each)
    requests = batch(SMALL, 1, None)
    requests["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"nvidia.com/gpu": 8}}
    assert "has no GPU in its limits" in refusal(requests)


def test_contradictions_are_refused():
    assert "pods of 8 for the plan's 64 GPUs: 8; the job has 6" in refusal(pytorch(LARGE, 8, 5))
    assert "pods of 8 for the plan's 8 GPUs: 1; the job has 1 and an open number" in refusal(pytorch(SMALL, 8, None))
    assert "no whole number of pods with 7" in refusal(batch("dtcore: model=gpt2 pytorch dp=8", 1, 7))
    assert "pods of 16 GPUs: a node has 8" in refusal(batch(LARGE, 4, 16))
    assert "takes 8 nodes, the cluster has 4" in refusal(pytorch(LARGE, 8, 7), admission.Site(SITE.cluster, nodes=4))
    for field, value, told in (("nprocPerNode", "4", "nprocPerNode is not the 8"), ("nprocPerNode", "cpu", "nprocPerNode"),
                               ("elasticPolicy", {"minReplicas": 1}, "elasticPolicy")):
        job = pytorch(SMALL, 8, 0)
        job["spec"][field] = value
        assert told in refusal(job)
    for entry in ({"name": "PET_NNODES", "value": "3"}, {"name": "PET_NNODES", "valueFrom": {}}, {"name": "PET_NNODES"}):
        job = batch(SMALL, 1, 8)
        job["spec"]["template"] = template(8, env=[entry])
        assert refusal(job) == "job: PET_NNODES is not 1"
    two = batch(SMALL, 1, 4)
    two["spec"]["template"]["spec"]["containers"] *= 2
    assert "GPUs in two places" in refusal(two)
    masters = pytorch(SMALL, 4, 0)
    masters["spec"]["pytorchReplicaSpecs"]["Master"]["replicas"] = 2
    assert "one Master" in refusal(masters)


def test_what_the_job_says_is_kept():
    job = batch(FEW, 4, 8)
    job["spec"]["template"]["metadata"] = {"annotations": {"kueue.x-k8s.io/podset-unconstrained-topology": "true"}}
    assert topology(patched(job)["spec"]["template"]) == {"unconstrained-topology": "true"}
    job["spec"]["template"]["metadata"] = None
    job["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "A", "value": "b"}]
    assert env(patched(job)["spec"]["template"]) == {"A": "b", "PET_NNODES": "4", "PET_NPROC_PER_NODE": "8"}


@pytest.mark.parametrize("plan, told", [
    ("dtcore: model=llama-3-70b megatron tp=7 pp=4 dp=2 gbs=63", "tp must divide heads"),
    ("dtcore: model=llama-3-70b megatron tp=7 pp=4 dp=2 gbs=63", "nearest legal: 62, 64"),
    ("dtcore: model=llama-3-70b megatron tp=8 dp=2 gbs=64 sp", "does not fit: it takes "),
    ("dtcore: model=llama-9-900b tp=8", "unknown model"),
    ("dtcore: tp=8", "names no model"),
    ("", "names no model"),
    ("model", "dtcore.io/plan: "),
    ("dtcore: model=llama-3-8b tp=\0", "dtcore.io/plan: "),
    ("dtcore: model=llama-3-8b tp=18446744073709551617", "not a value for tp"),
    ("dtcore: model=llama-3-8b dp=4294967296 pp=1048576", "global_batch"),
    ("dtcore: model=llama-3-8b \ud800", "dtcore.io/plan: "),
    ("dtcore: " + "x" * 10**6, "dtcore.io/plan: "),
])
def test_plans_that_are_refused(plan, told):
    assert told in refusal(batch(plan, 1, 8))


def test_warnings_and_notes():
    answer = ask(batch("dtcore: model=llama-3-8b megatron tp=8 p2p_overlap", 1, 8))
    assert answer["allowed"] and len(answer["warnings"]) == 1 and answer["warnings"][0].startswith("p2p_overlap")
    assert answer["auditAnnotations"]["gpus"] == "8" and answer["auditAnnotations"]["memory"].endswith(" GiB of a GPU")


def test_what_is_not_asked_about():
    for job in ({"kind": "Pod"}, {"metadata": {}}, {"metadata": {"annotations": None}}, {"metadata": {"annotations": {"a": "b"}}}):
        assert ask(job) == {"uid": "705ab4f5", "allowed": True}
    assert ask(None, operation="DELETE") == {"uid": "705ab4f5", "allowed": True}
    assert refusal(None) == "the request has no object"
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"annotations": {"dtcore.io/plan": SMALL}}}
    assert "PyTorchJob, a JobSet or a Job" in refusal(pod)


def paths(value, at=()):
    yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(inner, (*at, key))


@pytest.mark.parametrize("make", [lambda: pytorch(FEW, 8, 3), lambda: jobset(FEW, (4, 1, 8)), lambda: batch(FEW, 4, 8),
                                  lambda: pytorch(FEW, None, None, **{"dtcore.io/gpus-per-pod": "8"})])
def test_every_field_missing_or_of_another_kind(make):
    """Each field in turn: the answer is yes, with a patch that applies, or a reason."""
    outcomes = set()
    for path in list(paths(make()))[1:]:
        for wrong in (..., None, True, -1, 0, 10**30, 1.5, "", "x", "8", [], [None], ["x"], [{}], {}, {"x": None}):
            job = make()
            *parents, last = path
            at = job
            for key in parents:
                at = at[key]
            if wrong is ... and isinstance(at, dict):
                del at[last]
            else:
                at[last] = None if wrong is ... else wrong
            answer = ask(job)
            outcomes.add(answer["allowed"])
            if answer["allowed"]:
                assert "patch" not in ask(patched(job))
            else:
                assert answer["status"]["message"]
    assert outcomes == {True, False}


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8)


@given(JSON, st.sampled_from(["spec", "metadata", "kind", "apiVersion"]))
def test_any_json(value, key):
    assert admission.respond(json.dumps(value).encode(), SITE)[0] == 400
    assert isinstance(ask({**batch(FEW, 4, 8), key: value})["allowed"], bool)


@pytest.mark.parametrize("body", [b"", b"{", b"null", b"[]", b"{}", b'{"kind": "AdmissionReview"}', b"\xff", b"1" * 5000,
                                  b'{"kind": "AdmissionReview", "request": {"uid": 7}}', b"[" * 100000, b'{"a":' * 100000])
def test_bodies_that_are_no_review(body):
    status, text = admission.respond(body, SITE)
    assert status == 400 and b"no AdmissionReview" in text


def test_deep_objects():
    deep = b'{"a":' * 400 + b"1" + b"}" * 400
    body = json.dumps({"kind": "AdmissionReview", "request": {"uid": "u", "object": {**batch(FEW, 4, 8), "deep": "HERE"}}}).encode()
    status, text = admission.respond(body.replace(b'"HERE"', deep), SITE)
    assert status in (200, 400) and (status == 400 or json.loads(text)["response"]["allowed"])


def test_the_page_quotes_the_examples():
    """doc/schedulers.md shows lines of both programs, as they stand there."""
    page = (ROOT / "doc/schedulers.md").read_text(encoding="utf-8")
    for language, file in (("c", "examples/c/scheduler.c"), ("python", "examples/python/admission.py")):
        lines = {line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()}
        quoted = page.split(f"```{language}\n")[1].split("```")[0].splitlines()
        assert len(quoted) == 5 and {line.strip() for line in quoted} <= lines


def test_the_server():
    class Quiet(admission.Handler):
        site = SITE

        def log_message(self, *_):
            pass

    def send(path, data=None, **headers):
        # The loopback of this machine, whatever proxies are set.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(urllib.request.Request(url + path, data, headers), timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    with ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            body = json.dumps({"kind": "AdmissionReview", "request": {"uid": "u", "object": batch(FEW, 4, 8)}}).encode()
            status, text = send("/", body)
            assert status == 200 and json.loads(text)["response"]["allowed"]
            assert send("/", b"{")[0] == 400 and send("/healthz") == (200, b"ok\n") and send("/x")[0] == 404
            for length in ("", "-1", "x", "99999999999", "8388609"):
                assert send("/", b"", **{"Content-Length": length})[0] == 413
        finally:
            server.shutdown()
