"""The case `dump`: how long `muster dump` takes, from the command to its end.

Started by scripts/bench; brings up its own cluster and takes it down. All nodes are on one machine, so 32 of them share
its cores. Ranks are stand-ins: Python programs on one node, sleeping shells on many. With --python, a Python with
muster's recorder in its torch (2.13), one rank of three does not reach a gloo collective, and the dump must name it.
"""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import time

import case
import cluster_case
from case import CHECKOUT, OUT, say
from failure import Fifos, await_nodes, line
from report import milliseconds

PATIENCE = 120  # seconds until all ranks have started

# The project's own limits, in seconds.
ONE_NODE, MANY_NODES, CULPRIT = 3.0, 10.0, 5.0

SHELL = "exec 3>up; echo ready >&3; exec sleep 3600"
PYTHON = "import os, time; os.write(os.open('up', os.O_WRONLY), b'ready '); time.sleep(3600)"


class Hang:
    """A step whose ranks never progress."""

    def __init__(self, cluster, options, ranks, words, variables=()):
        self._fifos = Fifos(cluster.state / "home/alice")
        command = ["env", *variables, "srun", "--distributed=torch", *shlex.split(options), *words]
        with open(OUT / "dump.srun.err", "wb") as errors:
            self._srun = subprocess.Popen(cluster.as_user("alice", *command), stdin=subprocess.DEVNULL,
                                          stdout=subprocess.PIPE, stderr=errors)
        self._cluster = cluster
        self._ranks = ranks

    def await_ranks(self):
        said = b""
        deadline = time.time() + PATIENCE
        while said.count(b"ready") < self._ranks:
            said += self._fifos.read(deadline)
            time.sleep(0.01)

    def await_lines(self):
        """For ranks that announce themselves on standard output."""
        said = b""
        while said.count(b"ready") < self._ranks:
            chunk = os.read(self._srun.stdout.fileno(), 4096)
            if not chunk:
                sys.exit("bench: the ranks have ended")
            said += chunk
        time.sleep(2)  # until the others have entered their collective

    def close(self):
        self._cluster.run("exec", "--", "scancel", "--user=alice", stdout=subprocess.DEVNULL)
        self._srun.wait(60)
        self._srun.stdout.close()
        self._fifos.close()


def dump(cluster, variables=()):
    """Returns the seconds, and what was on the screen."""
    words = ["env", *variables, str(cluster.prefix / "bin/muster"), "dump", "--seconds=60", "--output=dumped"]
    shutil.rmtree(cluster.state / "home/alice/dumped", ignore_errors=True)
    began = time.monotonic()
    done = subprocess.run(cluster.as_user("alice", *words), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return time.monotonic() - began, done.stdout


def path_of(options):
    return (f"PATH={options.py_spy}:/usr/bin:/bin",) if options.py_spy else ()


def one_node(cluster, options):
    return Hang(cluster, "-N1 -n8 -O", 8, ["/usr/bin/python3", "-c", PYTHON], path_of(options))


def many_nodes(cluster, options):
    ranks = 16 * options.nodes
    return Hang(cluster, f"-N{options.nodes} -n{ranks} -O", ranks, ["sh", "-c", SHELL])


def measure_hang(cluster, options, hang, expected):
    with contextlib.closing(hang):
        hang.await_ranks()
        seconds = []
        for _ in range(options.rounds):
            taken, screen = dump(cluster, path_of(options))
            if expected not in screen:
                sys.exit(f"bench: the dump lacks ranks:\n{screen}")
            seconds.append(taken)
    say(", ".join(milliseconds(taken) for taken in seconds))
    return seconds


def culprit(cluster, options):
    variables = (*path_of(options), f"PYTHONPATH={cluster.prefix}/share/muster/python", "PYTHONUNBUFFERED=1")
    shutil.copy(CHECKOUT / "tests/live/programs/stuck", cluster.state / "home/alice/stuck")
    hang = Hang(cluster, "-N3 -n3", 3, [options.python, "stuck", "collective", "late", "collective"], variables)
    seconds = []
    with contextlib.closing(hang):
        hang.await_lines()
        for _ in range(options.rounds):
            taken, screen = dump(cluster, variables)
            if "MISSING rank 1 in all_reduce 2 of default_pg (gloo)" not in screen:
                sys.exit(f"bench: the dump does not name the culprit:\n{screen}")
            seconds.append(taken)
    say(", ".join(milliseconds(taken) for taken in seconds))
    return seconds


def measure(cluster, options):
    samples = {}
    samples["8 ranks"] = measure_hang(cluster, options, one_node(cluster, options), ": 8 of 8 ranks")
    await_nodes(cluster)
    ranks = 16 * options.nodes
    samples[f"{ranks} ranks"] = measure_hang(cluster, options, many_nodes(cluster, options), f": {ranks} of {ranks} ranks")
    await_nodes(cluster)
    if options.python:
        samples["culprit"] = culprit(cluster, options)
    return samples


def lines_of(samples, options):
    ranks = 16 * options.nodes
    tool = "with py-spy" if options.py_spy else "without py-spy"
    lines = [line(f"dump of 8 Python programs on one node, {tool}", samples["8 ranks"], ONE_NODE),
             line(f"dump of {ranks} shells on {options.nodes} nodes", samples[f"{ranks} ranks"], MANY_NODES)]
    if "culprit" in samples:
        lines.append(line("dump of three ranks on three nodes that names the rank missing from a gloo collective",
                          samples["culprit"], CULPRIT))
    return lines


def parse():
    parser = case.parser("dump", __doc__, rounds=10)
    parser.add_argument("--nodes", type=int, default=32, help="number of nodes, each with 16 ranks")
    parser.add_argument("--py-spy", help="the directory of a py-spy that the cluster's nodes see (not below /tmp)")
    parser.add_argument("--python", help="a Python with torch 2.13 that the cluster's nodes see, for the hung collective")
    return parser.parse_args()


def work(cluster, options):
    samples = measure(cluster, options)
    return lines_of(samples, options), samples


if __name__ == "__main__":
    options = parse()
    cluster_case.run("dump", options, options.nodes, work)
