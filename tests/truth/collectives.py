"""measured_collectives.csv: published runs of nccl-tests, rccl-tests, oneCCL and expert parallel kernels.

A row becomes a cluster of the catalogue's GPU with the row's ports, and a call; nothing but its columns is read. What a
row does not say is as the library's default. How calls are issued is told by the program that was run: nccl-tests with
-g and one process, a PyTorch benchmark that waits for each call, else a tight loop.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import dtcore
from dtcore import CallStyle, Cluster, Collective, CollectiveCall, Fabric, MoeCall, MoeFormat, MoeKernel, MoeLibrary, MoeOp
from dtcore import Vendor

from tables import Question, Row, Skip, known, real, whole

OPS = {
    "all_gather": Collective.ALL_GATHER,
    "all_reduce": Collective.ALL_REDUCE,
    "alltoall": Collective.ALL_TO_ALL,
    "broadcast": Collective.BROADCAST,
    "reduce": Collective.REDUCE,
    "reduce_scatter": Collective.REDUCE_SCATTER,
    "sendrecv": Collective.SEND_RECV,
}
# Start of the GPU's name -> the catalogue's; GPUs without a row there by what the links are.
GPUS = {
    "A100": "a100-80gb",
    "A800": "a800-80gb",
    "B200": "b200",
    "B300": "b300",
    "GB200": "gb200",
    "GB300": "gb300",
    "GH200": "h100-80gb",
    "H100": "h100-80gb",
    "H20": "h20",
    "H200": "h200",
    "H800": "h800-80gb",
    "L40S": "l40s",
    "MI300X": "mi300x",
    "MI325X": "mi325x",
    "MI350X": "mi355x",
    "MI355X": "mi355x",
    "V100": "v100-32gb",
}
OTHERS = {
    "RTX PRO 6000": Cluster(vendor=Vendor.NVIDIA, compute=120, nvlink_domain=1, memory=96 << 30, pcie_bandwidth=64e9),
    "Arc Pro B60": Cluster(vendor=Vendor.INTEL, nvlink_domain=1, memory=24 << 30, pcie_bandwidth=32e9),
}
# Words of `nic` and `system` -> fabric; the first that is found.
FABRICS = (
    ("TCPXO", Fabric.TCPXO),
    ("TCPX", Fabric.TCPX),
    ("SOCKET", Fabric.TCP),
    ("TCP", Fabric.TCP),
    ("EFA", Fabric.EFA),
    ("POLLARA", Fabric.POLLARA),
    ("SLINGSHOT", Fabric.SLINGSHOT),
    ("A3 ULTRA", Fabric.GCP_ROCE),
)
FORMATS = {"bfloat16": MoeFormat.BF16, "fp8": MoeFormat.FP8, "nvfp4": MoeFormat.NVFP4}


def gpu(name: str) -> Cluster:
    if "PCIE" in name.upper():
        raise Skip("a PCIe card whose links the row does not tell")
    for start, cluster in OTHERS.items():
        if name.startswith(start):
            return cluster
    start = max((s for s in GPUS if name.startswith(s)), key=len, default="")
    if not start:
        raise Skip(f"not in the row: which GPU ({name})")
    return dtcore.gpu_find(GPUS[start])


def fabric(row: Row, gbps: float) -> Fabric:
    text = (row["nic"] + " " + row["system"]).upper()
    found = next((value for word, value in FABRICS if word in text), Fabric.RDMA)
    return Fabric.EFA_V1 if found == Fabric.EFA and gbps < 100 else found


def cluster_of(row: Row, per_node: int) -> Cluster:
    """The GPU in nodes of per_node; ports as the row says, of a NIC per GPU that carries its share."""
    base = gpu(row["gpu"])
    gbps = real(row, "nic_gbps_per_gpu") or 0.0
    nodes = whole(row, "nodes", 1)
    domain = base.nvlink_domain if base.nvlink_domain > 8 else min(base.nvlink_domain, max(per_node, 1))
    if nodes > 1 and not gbps and base.nvlink_domain <= 8:
        raise Skip("not in the row: the network")
    return replace(base, nvlink_domain=domain, gpus_per_node=per_node, nic_bandwidth=gbps / 8 * 1e9 or base.nic_bandwidth,
                   nics_per_node=per_node, fabric=fabric(row, gbps))


def style(row: Row) -> CallStyle:
    text = " ".join((row["note"], row["system"], row["source"]))
    if "torch" in text and "bench" in text:
        return CallStyle.BLOCKING
    thread = re.search(r"-g 8|single process -g", text) or "Azure/AI-benchmarking-guide" in text  # runs -g with all GPUs
    return CallStyle.THREAD if thread else CallStyle.LOOP


def version(row: Row) -> int:
    found = re.match(r"(\d+)\.(\d+)", row["lib_version"])
    return int(found[1]) * 10**6 + int(found[2]) * 1000 if found and row["lib"] == "nccl" else 0


def racks(row: Row, cluster: Cluster) -> int:
    """NVLink domains of a row on GPUs of rack scale; 0 on others."""
    if cluster.nvlink_domain <= 8 or whole(row, "nodes", 1) == 1:
        return 0
    told = re.search(r"(\d+) racks", row["system"])
    return int(told[1]) if told else -(-whole(row, "gpus") // 72)


def call_of(row: Row, cluster: Cluster) -> CollectiveCall:
    ranks = whole(row, "gpus")
    domains = racks(row, cluster) or whole(row, "nodes", 1)
    ring = "Ring" in row["note"] or "NVLS disabled" in row["note"]
    return CollectiveCall(op=known(OPS, row["op"], "operation"), style=style(row), version=version(row),
                          in_switch=False if ring else None, tuned=True if "tuned" in row["note"] else None,
                          bytes=int(real(row, "bytes") or 0), ranks=ranks, per_node=max(1, ranks // domains))


def asked(row: Row) -> tuple[Cluster, CollectiveCall]:
    ranks, nodes = whole(row, "gpus"), whole(row, "nodes", 1) or 1
    cluster = cluster_of(row, max(1, ranks // nodes))
    return cluster, call_of(row, cluster)


def moe(row: Row) -> float:
    note = dict(re.findall(r"(\w+(?:/\w+)?)=(\w+)", row["note"]))
    ranks, nodes = whole(row, "gpus"), whole(row, "nodes", 1) or 1
    per_node = max(1, ranks // nodes)
    told = {"gpu": row["gpu"] or "H800", "nic_gbps_per_gpu": str(real(row, "nic_gbps_per_gpu") or 400)}  # DeepEP's own
    cluster = cluster_of(row | told, per_node)
    kernel = MoeKernel.LOW_LATENCY if row["op"].endswith("_ll") else MoeKernel.NORMAL
    if row["lib"] == "trtllm":
        kernel = MoeKernel.ONE_SIDED if "OneSided" in row["note"] else MoeKernel.TWO_SIDED
        per_node = ranks
    low = kernel == MoeKernel.LOW_LATENCY
    call = MoeCall(op=MoeOp.COMBINE if "combine" in row["op"] else MoeOp.DISPATCH, kernel=kernel,
                   library=MoeLibrary.UCCL if row["lib"] == "uccl-ep" else MoeLibrary.DEEPEP,
                   format=FORMATS.get(note.get("dtype", ""), MoeFormat.DEFAULT), sms=int(note.get("sms", 0)),
                   tokens=int(note.get("tok/rank", 128 if low else 4096)), top_k=int(note.get("topk", 8)),
                   hidden=int(note.get("hidden", 7168)), ranks=ranks, per_node=per_node)
    return dtcore.moe(cluster, call).seconds * 1e6


def predict(row: Row) -> float:
    if real(row, "time_us") is None:
        raise Skip("no time in the row")
    if row["op"].startswith("moe"):
        return moe(row)
    if "misconfigured" in row["note"] or "misconfigured" in row["nic"]:
        raise Skip("a run that its source calls misconfigured")
    return dtcore.collective(*asked(row)).seconds * 1e6


def questions(row: Row) -> Iterator[Question]:
    yield Question(row["set"], "time_us", real(row, "time_us"), lambda: predict(row))
