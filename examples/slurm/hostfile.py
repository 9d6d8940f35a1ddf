#!/usr/bin/env python3
"""hostfile.py [--gpus N] [--topology FILE] [--program DTCORE] OUT: a SLURM_HOSTFILE that keeps neighbouring ranks under one switch.

Standard input has the nodes of the job, one a line: what `srun --ntasks-per-node=1 sh -c 'echo $SLURM_TOPOLOGY_ADDR'` prints
(spine.leaf.node), or with --topology their names, as `scontrol show hostnames` prints them, and FILE is Slurm's
topology.conf. Then: SLURM_HOSTFILE=OUT srun -m arbitrary -n RANKS ..., without SLURM_NTASKS_PER_NODE in the environment.
Prints how often a ring over the nodes leaves a leaf switch, before and after. Exit code 0 written, 2 bad input.
Needs Python 3.8 and the program dtcore.
"""
import argparse
import json
import re
import subprocess
import sys


class Bad(Exception):
    """Input that cannot be used."""


def split_list(text):
    """The parts of a list of hosts: commas in brackets are no ends."""
    return [part for part in re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", text) if part]


def expand(text):
    """The names of rack[1-2]n[01-03,7],m1, in its order."""
    for part in split_list(text):
        inside = re.search(r"\[([^\]]*)\]", part)
        if not inside:
            yield part
            continue
        for item in inside[1].split(","):
            first, _, last = item.partition("-")
            if not first.isdigit() or (last and not last.isdigit()):
                raise Bad(f"not a list of hosts: {part}")
            for number in range(int(first), int(last or first) + 1):
                yield from expand(f"{part[:inside.start()]}{number:0{len(first)}}{part[inside.end():]}")


def read_topology(path):
    """{node or switch: the switch above it} of a topology.conf of topology/tree."""
    above = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = dict(re.findall(r"(\w+)=(\S+)", line.partition("#")[0]))
            words = {key.lower(): value for key, value in words.items()}
            if "switchname" not in words:
                continue
            for key in ("nodes", "switches"):
                for name in expand(words.get(key, "")):
                    above[name] = words["switchname"]
    return above


def paths(nodes, above):
    """(switches from the top, node) of each node of topology.conf."""
    for node in nodes:
        path, at = [], node
        while at in above and len(path) < 64:
            at = above[at]
            path.insert(0, at)
        if not path:
            raise Bad(f"topology.conf knows no switch above {node}")
        yield tuple(path), node


def read_addresses(lines):
    """The same of SLURM_TOPOLOGY_ADDR. Where several switches of a level reach a node, Slurm lists them in brackets."""
    for line in lines:
        *path, node = line.split(".")
        yield tuple(path), node


def number_leaves(places):
    """The leaf switch of each node as a number; leaves under one switch have neighbouring numbers."""
    numbers = {path: i for i, path in enumerate(sorted({path for path, _ in places}))}
    return [numbers[path] for path, _ in places]


def order(program, places, gpus, out):
    """What `dtcore place` says of the ring; it writes the file."""
    leaves = ",".join(str(leaf) for leaf in number_leaves(places))
    hosts = ",".join(node for _, node in places)
    command = [program, "place", "--hosts", hosts, "--leaves", leaves, "--gpus-per-node", str(gpus),
               "--world", str(gpus * len(places)), "--launcher", "slurm", "--write-hostfile", out, "--json"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise Bad((done.stderr or done.stdout).strip())
    return json.loads(done.stdout)["ring"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT", help="file to write: a line for each rank")
    parser.add_argument("--gpus", type=int, default=8, metavar="N", help="ranks of a node (8)")
    parser.add_argument("--topology", metavar="FILE", help="topology.conf; standard input then has names of nodes")
    parser.add_argument("--program", default="dtcore", help="the program dtcore, when not in PATH")
    options = parser.parse_args()
    try:
        lines = list(dict.fromkeys(line.strip() for line in sys.stdin if line.strip()))
        if not lines:
            raise Bad("standard input names no node")
        above = read_topology(options.topology) if options.topology else None
        places = list(paths(lines, above) if options.topology else read_addresses(lines))
        if not options.topology and not all(path for path, _ in places):
            raise Bad("these addresses have no switch: Slurm has no topology plugin; give --topology")
        ring = order(options.program, places, options.gpus, options.out)
    except (Bad, OSError, ValueError) as problem:
        print(f"hostfile.py: {problem}", file=sys.stderr)
        return 2
    print(f"{ring['nodes']} nodes: {ring['crossings']} hops between leaf switches, now {ring['fewest']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
