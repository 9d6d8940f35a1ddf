"""The best plans of a space, searched by the workers of Dask.

    python3 search_dask.py --nodes 64 --global-batch 1024 --wide           # workers on this machine
    python3 search_dask.py --scheduler tcp://host:8786 --workers 40        # those of a cluster, which need dtcore too

Needs dask[distributed]. The answer is that of one process, whatever the pieces and the workers. It is found twice, by one
worker and by all, to tell how well the search scales.
"""
import argparse
import json
import time
from dataclasses import replace

import dtcore
from distributed import Client, LocalCluster, as_completed

COUNTED = ("tried", "same", "illegal", "unknown", "over", "fit", "pruned")


def pieces(size, workers, share=16):
    """First index and number of each: so many for each worker that none waits long for the last."""
    count = min(size, workers * share)
    borders = [size * piece // count for piece in range(count + 1)]
    return [(first, end - first) for first, end in zip(borders, borders[1:])]


def search(client, workers, question, space):
    """The best as tuples (index, value, seconds, device, gpus), and what became of all plans, by name."""
    size = dtcore.search_size(*question, space)
    futures = [client.submit(dtcore.search, *question, first, number, space, workers=workers, pure=False)
               for first, number in pieces(size, len(workers))]
    best, counts = [], dict.fromkeys(COUNTED, 0)
    for _, (found, piece) in as_completed(futures, with_results=True):
        best = dtcore.search_merge(best, found, space.keep)
        counts = {name: counts[name] + getattr(piece, name) for name in COUNTED}
    return best.tolist(), counts


def measure(client, workers, question, space):
    """The answer, and how many plans a second that makes."""
    client.run(dtcore.version_string, workers=workers)  # they have the library from here on
    began = time.perf_counter()
    best, counts = search(client, workers, question, space)
    return best, counts, counts["tried"] / (time.perf_counter() - began)


def show(answer):
    print(", ".join(f"{name} {count:,}" for name, count in answer["counts"].items()))
    print(f"\n{'':4}{'seconds':>10}{'GPUs':>8}{'GiB':>9}  plan")
    for place, plan in enumerate(answer["plans"], 1):
        print(f"{place:4}{plan['seconds']:10.4g}{plan['gpus']:8}{plan['device'] / 2**30:9.2f}  {plan['plan']}")
    print()
    for workers, speed in answer["speeds"].items():
        print(f"workers: {workers}; {speed:,.0f} plans/s, {speed / answer['speeds'][1]:.2f} times those of one")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a cluster; else workers are started here")
    parser.add_argument("--workers", type=int, default=2, help="of one thread each (2)")
    parser.add_argument("--model", default="llama-3-70b", help="name of the catalogue (llama-3-70b)")
    parser.add_argument("--cluster", default="dgx-h100", help="machine type of the catalogue (dgx-h100)")
    parser.add_argument("--nodes", type=int, default=64, help="of it (64)")
    parser.add_argument("--gpus-least", type=int, default=0, help="try half the nodes too, down to so many GPUs (all)")
    parser.add_argument("--wide", action="store_true", help="recomputation of fewer layers, every dp_shard")
    parser.add_argument("--global-batch", type=int, default=1024, help="sequences of a step (1024)")
    parser.add_argument("--top", type=int, default=10, help="plans to show (10)")
    parser.add_argument("--json", action="store_true", help="the answer in JSON")
    return parser.parse_args()


def main():
    options = arguments()
    cluster = replace(dtcore.cluster_find(options.cluster), nodes=options.nodes)
    question = (dtcore.model_find(options.model), cluster, dtcore.Plan(global_batch=options.global_batch))
    space = dtcore.Space(keep=options.top, gpus_least=options.gpus_least, recompute_layers=options.wide,
                         dp_split=options.wide)
    dtcore.search_size(*question, space)  # refuses what is wrong before anything is started
    here = None if options.scheduler else LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None)
    with Client(here or options.scheduler) as client:
        client.wait_for_workers(options.workers, timeout=120)
        workers = sorted(client.nthreads())[: options.workers]
        speeds = {}
        for chosen in (workers[:1], workers):
            best, counts, speeds[len(chosen)] = measure(client, chosen, question, space)
    if here:
        here.close()
    fields = ("index", "value", "seconds", "device", "gpus")
    plans = [{**dict(zip(fields, found)), "plan": dtcore.plan_format(dtcore.search_plan(*question, found[0], space))}
             for found in best]
    answer = {"counts": counts, "plans": plans, "speeds": speeds}
    print(json.dumps(answer)) if options.json else show(answer)


if __name__ == "__main__":
    main()
