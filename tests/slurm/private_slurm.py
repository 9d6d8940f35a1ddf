"""A private Slurm on loopback for tests: a folder, its daemons, and an environment to call its programs in."""
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"


def skipped():
    """Why there can be no Slurm here; None when there can."""
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "sinfo") if not shutil.which(name, path=PATH)]
    if missing:
        return f"no {', '.join(missing)}: apt-get install slurm-wlm munge"
    if os.geteuid() != 0:
        return "Slurm's daemons need root"
    return None


def free_ports(count):
    """The first of so many ports in a row that nobody listens on."""
    for base in range(18000 + os.getpid() % 1000 * 10, 32000, count):
        taken = []
        try:
            for port in range(base, base + count):
                taken.append(socket.create_server(("127.0.0.1", port)))
            return base
        except OSError:
            continue
        finally:
            for one in taken:
                one.close()
    raise SystemExit("private_slurm: no free ports")


def run(*words, **more):
    """What a program prints; ends the test when it fails."""
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=45, **more)
    if done.returncode:
        print(*words, f"exit code {done.returncode}", done.stdout, done.stderr, sep="\n")
        for log in sorted(Path(more.get("cwd", ".")).glob("slurm-*.out")):
            print(log.name, log.read_text(), sep=":\n")
        raise SystemExit(1)
    return done.stdout


class Cluster:
    """`work` is there before start(), for extra.conf and what lies beside slurm.conf."""

    def __init__(self, nodes, *programs):
        self.nodes = nodes
        self.work = Path(tempfile.mkdtemp(prefix="dtcore-slurm-"))
        self.work.chmod(0o755)
        paths = ":".join(str(folder) for folder in programs)
        self.env = {**os.environ, "PATH": f"{paths}:{PATH}", "SLURM_CONF": str(self.work / "slurm.conf")}
        self.log = self.work / "slurmctld.log"

    def start(self, *node):
        began = time.monotonic()
        run(HERE / "cluster", "start", self.work, str(self.nodes), str(free_ports(self.nodes + 1)), *node)
        print(f"{self.nodes} nodes are ready after {time.monotonic() - began:.1f} s")

    def restart_controller(self):
        run(HERE / "cluster", "controller", self.work)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([HERE / "cluster", "stop", self.work], timeout=60, check=False)
        shutil.rmtree(self.work, ignore_errors=True)
