"""The case `bootstrap`: how fast and how cheaply NCCL's ids reach every rank.

Compares libmuster, a bare PMIx program that makes the same calls, and torch's TCPStore, taking turns, at several sizes.
Started by scripts/bench; brings up its own cluster and takes it down.
"""

import argparse
import contextlib
import json
import pathlib
import shutil
import signal
import subprocess
import sys

import pictures
from bench_cluster import Cluster, running_cluster
from case import CHECKOUT, HERE, OUT, say
from bootstrap_footprint import footprint_lines
from bootstrap_report import (BARE, FROM_EXEC, JOINED, LEGACY, MUSTER, PRELOADED, REAL, STORE, STORE_IDS, TCP, busiest_lines,
                              text_of, wall_lines)
from report import circumstances, describe_circumstances, record_text, write_json

NAME = "bench-bootstrap"

RANKS_PER_NODE = 16
RANKS_PER_ROOT, MANY = 128, 1 << 24
SIZES = (8, 32, 128, 512, 1024, 2048)
# The size of a rank's record as muster writes it for muster_nccl_ids(), without an id: header, tag "nccl", numeric
# address, facts. Bare PMIx and TCPStore send as many bytes.
RECORD_BYTES = 32 + 4 + 13 + 72
MOST_REAL = 128  # ranks that load a real libnccl on one machine
WARM_UP = 3  # rounds: in a virtual machine, memory that has never been touched is slow
PICTURE = "Left: wall-clock time on one machine. Right: the cost model"
PROGRAMS = ("bootstrap_bare", "bootstrap_muster")
PARTS = ("bootstrap_drive.py", "bootstrap_holder.py", "bootstrap_meeting.py", "bootstrap_store.py", "measure.py")


@contextlib.contextmanager
def running_site(build, nodes):
    """Yields a folder that all nodes see."""
    options = ["--nodes", str(nodes), "--cpus", str(RANKS_PER_NODE), "--timeout", "300"]
    with running_cluster(NAME, build, *options) as cluster:
        site = cluster.state / "bootstrap"
        site.mkdir()
        yield site


def build_programs(build):
    subprocess.run(["cmake", "--build", build, "--target", *PROGRAMS, "bootstrap_nccl", "bootstrap_heap", "muster_shared"],
                   check=True, stdout=sys.stderr)


def install(build, site, nccl):
    for name in PROGRAMS:
        shutil.copy(build / "tests/bench" / name, site)
    for name in PARTS:
        shutil.copy(HERE / name, site)
    shutil.copy(build / "tests/bench/libbootstrap_heap.so", site)
    shutil.copy(build / "lib/worker/libmuster.so.0", site)
    for folder, library in (("stand-in", build / "tests/bench/libbootstrap_nccl.so"), ("real", nccl)):
        if library:
            (site / folder).mkdir()
            shutil.copy(library, site / folder / "libnccl.so.2")


class Arms:
    def __init__(self, site):
        self._site = site

    def pmix(self, name, program, what, nccl="stand-in", **more):
        words, ranks_per_root = {"bare": [str(RECORD_BYTES)], "muster": []}[program], RANKS_PER_ROOT
        environment = {"MUSTER_NCCL_LIBRARY": f"{self._site}/{nccl}/libnccl.so.2", "MUSTER_TRANSPORT": "pmix"}
        if what == "look":
            environment["LD_PRELOAD"] = f"{self._site}/libbootstrap_heap.so"
            ranks_per_root = MANY  # one id at every size, so that the growth of everything else is visible
        command = [f"{self._site}/bootstrap_{program}", f"{self._site}/gate", *words, str(ranks_per_root), what]
        return {"name": name, "command": command, "environment": environment, **more}

    def preloaded(self, name):
        arm = self.pmix(name, "muster", "init")
        arm["environment"]["LD_PRELOAD"] = "libpmix.so.2"
        return arm

    def tcp(self, name, what):
        arm = self.pmix(name, "muster", what)
        arm["environment"] |= {"MUSTER_TRANSPORT": "tcp", "MASTER_ADDR": "node1", "MASTER_PORT": "29500"}
        return arm

    @staticmethod
    def store(name, what, joined=False, libuv=True):
        return {"name": name, "command": None, "what": what, "joined": joined, "libuv": libuv, "record": RECORD_BYTES}

    def timed(self, real):
        arms = [self.pmix(BARE, "bare", "init"), self.pmix(MUSTER, "muster", "init"), self.preloaded(MUSTER + PRELOADED),
                self.pmix(BARE + FROM_EXEC, "bare", "exec"), self.pmix(MUSTER + FROM_EXEC, "muster", "exec"),
                self.store(STORE, "records"),
                self.store(STORE_IDS, "ids"), self.store(LEGACY, "records", libuv=False),
                self.pmix(BARE + JOINED, "bare", "ids"), self.pmix(MUSTER + JOINED, "muster", "ids"),
                self.store(STORE + JOINED, "records", joined=True), self.tcp(TCP, "init")]
        if real:
            arms += [self.pmix(BARE + REAL, "bare", "init", "real", most=MOST_REAL),
                     self.pmix(MUSTER + REAL, "muster", "init", "real", most=MOST_REAL)]
        return arms

    def looked_at(self, real):
        arms = [self.pmix(BARE, "bare", "look"), self.pmix(MUSTER, "muster", "look")]
        if real:
            arms += [self.pmix(BARE + REAL, "bare", "look", "real", most=SIZES[0]),
                     self.pmix(MUSTER + REAL, "muster", "look", "real", most=SIZES[0])]
        return arms


def measure(options, site):
    sizes = [[ranks, -(-ranks // RANKS_PER_NODE)] for ranks in SIZES if ranks <= options.nodes * RANKS_PER_NODE]
    arms, real = Arms(site), bool(options.nccl)
    task = {"directory": str(site), "rounds": options.rounds, "warm_up": WARM_UP, "sizes": sizes, "roots": RANKS_PER_ROOT,
            "torch": str(options.torch), "arms": arms.timed(real), "looks": arms.looked_at(real)}
    say(f"{options.rounds} rounds of {len(task['arms'])} arms at {', '.join(str(ranks) for ranks, _ in sizes)} ranks")
    with (OUT / "bootstrap.log").open("wb") as log:
        drive = Cluster(NAME).as_user("root", "/usr/bin/python3", str(site / "bootstrap_drive.py"), json.dumps(task))
        done = subprocess.run(drive, check=True, stdout=subprocess.PIPE, stderr=log)
    return json.loads(done.stdout), [ranks for ranks, _ in sizes]


def version_of_torch(python):
    done = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {python} has no torch; run scripts/frameworks, or give --torch PYTHON")
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench bootstrap --", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=32, help=f"of the cluster, with {RANKS_PER_NODE} ranks each")
    parser.add_argument("--torch", type=pathlib.Path, default=CHECKOUT / "build/frameworks/torch/bin/python",
                        help="a python with torch, which the cluster's users can reach")
    parser.add_argument("--nccl", type=pathlib.Path, help=f"a real libnccl.so.2, for up to {MOST_REAL} ranks")
    parser.add_argument("--record", action="store_true", help="write the table into docs/explain/benchmark-tables.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the cluster is taken down
    try:
        run(options)
    except subprocess.CalledProcessError as error:
        sys.exit(f"bench: {error.cmd[0]} {error.cmd[3]} ended with {error.returncode}; see {OUT}/bootstrap.log")


def run(options):
    OUT.mkdir(parents=True, exist_ok=True)
    facts = circumstances(CHECKOUT) | {"torch": version_of_torch(options.torch)}
    build_programs(options.build)
    with running_site(options.build, options.nodes) as site:
        install(options.build, site, options.nccl)
        measured, sizes = measure(options, site)
    samples = measured["samples"]
    lines = [*wall_lines(samples, sizes), *busiest_lines(samples, sizes[-1]),
             *footprint_lines(options.build / "lib/worker/libmuster.so.0", measured["looks"])]
    text = text_of(describe_circumstances(facts), lines, samples, sizes)
    write_json(OUT / "bootstrap.json", facts, lines, measured)
    (OUT / "bootstrap.md").write_text(text, encoding="utf-8")
    pictures.draw_bootstrap(OUT / "bootstrap.svg", text)
    if options.record:
        record_text(CHECKOUT / "docs/explain/benchmark-tables.md", "bootstrap", f"{text}\n![{PICTURE}](../images/bootstrap.svg)\n")
        pictures.draw_bootstrap(CHECKOUT / "docs/images/bootstrap.svg", text)
    print(text, end="")
    say(f"JSON, tables and plot are in {OUT}")


if __name__ == "__main__":
    main()
