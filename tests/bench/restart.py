"""The case `restart`: time from a crash, or from the loss of a node, until all ranks of the next attempt are running.

Started by scripts/bench; brings up its own cluster and takes it down. All nodes are on one machine, so they share a
clock. The ranks are shells, so that nearly all of the time is the launcher's. torchrun is measured for comparison if a
working one is given (--torchrun), with as many ranks on one node. With --python, restart_elastic.py compares with
torchrun on three nodes.
"""

import contextlib
import shlex
import statistics
import subprocess
import sys
import time

import case
import cluster_case
import restart_elastic
from case import say
from failure import Fifos, await_nodes, line
from report import compare, milliseconds


# The project's own limits, in seconds.
CRASH = 1.0  # in addition to the ranks' own start
CUT = {10: 15.0, 5: 8.0}  # by the heartbeat in seconds

# Each rank reports that it is running. In the first attempt all wait, and one fails when told to.
RANK = """exec 3>up; echo "ready $TORCHELASTIC_RESTART_COUNT" >&3
[ "$TORCHELASTIC_RESTART_COUNT" = 0 ] || exit 0
if [ $RANK = {faulty} ]; then read line <go; echo $EPOCHREALTIME >&3; exit 7; fi
exec sleep 300
"""
# Plain Slurm starts the same ranks as another attempt would.
BY_SLURM = """exec 3>up; echo $EPOCHREALTIME >&3
export TORCHELASTIC_RESTART_COUNT=1 RANK=0
exec srun --mpi=pmix --ntasks-per-node=1 bash rank.sh
"""


class Training:
    """A launcher command of the cluster's user that starts `ranks` ranks, twice."""

    def __init__(self, cluster, words, ranks, faulty, attempt=0):
        self._ranks = ranks
        home = cluster.state / "home/alice"
        self._fifos = Fifos(home)
        (home / "rank.sh").write_text(RANK.format(faulty=faulty), encoding="ascii")
        self._launcher = subprocess.Popen(cluster.as_user("alice", *words), stdin=subprocess.DEVNULL,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._said = b""
        self.all_ranks = self.await_attempt(attempt)
        time.sleep(1)  # so that the agents have finished examining what they started

    def await_attempt(self, attempt):
        """When the last of its ranks had reported that it was running."""
        deadline = time.time() + 120
        while self._said.count(b"ready %d\n" % attempt) < self._ranks:
            more = self._fifos.read(deadline)
            if not more:
                time.sleep(0.002)  # no rank has connected yet: the FIFO has no writer
            self._said += more
            if self._launcher.poll() is not None and not more:
                sys.exit(f"bench: the launcher has ended: {self._launcher.stderr.read().decode()}")
        return time.time()

    def fail(self):
        """The time at which the rank failed."""
        self._fifos.say_go()
        while b"." not in self._said.rpartition(b"ready")[2]:
            self._said += self._fifos.read(time.time() + 10)
        return self.time_said()

    def time_said(self):
        """The time written by the failing rank, or before srun."""
        return float(next(word for word in self._said.split() if b"." in word))

    def close(self):
        try:
            self._launcher.wait(30)
        except subprocess.TimeoutExpired:
            self._launcher.terminate()
            self._launcher.wait(30)
        self._launcher.stderr.close()
        self._fifos.close()


def srun(nodes, spares=0, keys=""):
    total = nodes + spares
    return [*shlex.split(f"salloc -Q -N{total} srun --distributed=torch,restarts=1{keys} --ntasks-per-node=1"), "bash", "rank.sh"]


def crash(cluster, words, ranks):
    with contextlib.closing(Training(cluster, words, ranks, ranks // 2)) as training:
        failed = training.fail()
        return training.await_attempt(1) - failed


def start_by_slurm(cluster, nodes):
    """How long Slurm alone takes to start a step with the same ranks: the minimum for a next attempt."""
    words = [*shlex.split(f"salloc -Q -N{nodes} bash -c"), BY_SLURM]
    with contextlib.closing(Training(cluster, words, nodes, -1, attempt=1)) as step:
        return step.all_ranks - step.time_said()


def cut(cluster, nodes, heartbeat):
    node = f"node{nodes}"
    words = srun(nodes, 1, f",spares=1,heartbeat={heartbeat}")
    with contextlib.closing(Training(cluster, words, nodes, -1)) as training:
        began = time.time()
        cluster.run("cut", node, stdout=subprocess.DEVNULL)
        try:
            return training.await_attempt(1) - began
        finally:
            cluster.run("heal", node, stdout=subprocess.DEVNULL)


def arms(cluster, options):
    nodes = options.nodes
    found = {"muster": lambda: crash(cluster, srun(nodes), nodes), "Slurm": lambda: start_by_slurm(cluster, nodes)}
    if options.torchrun:
        words = [*shlex.split(options.torchrun), f"--nproc-per-node={nodes}", "--max-restarts=1", "--no-python", "bash",
                 "rank.sh"]
        found["torchrun"] = lambda: crash(cluster, words, nodes)
    return found


def measure(cluster, options):
    samples = {name: [] for name in arms(cluster, options)}
    for number in range(options.rounds):
        for name, arm in arms(cluster, options).items():
            await_nodes(cluster)
            samples[name].append(arm())
        say(f"round {number + 1}: " + ", ".join(f"{name} {milliseconds(rounds[-1])}" for name, rounds in samples.items()))
    for heartbeat in CUT:
        cuts = samples.setdefault(f"cut, heartbeat={heartbeat}", [])
        for number in range(options.cuts):
            await_nodes(cluster)
            cuts.append(cut(cluster, options.nodes - 1, heartbeat))
            say(f"cut {number + 1}, heartbeat={heartbeat}: {milliseconds(cuts[-1])}")
    return samples


def lines_of(samples, options):
    nodes = options.nodes
    lines = [line(f"{nodes} nodes, muster: from a rank crashing to all ranks running again", samples["muster"], CRASH),
             line(f"{nodes} nodes, `srun --mpi=pmix` alone: from the start of srun to all ranks running",
                  samples["Slurm"]),
             compare(f"{nodes} nodes: muster's restart / plain Slurm's start of a step", samples["muster"],
                     samples["Slurm"])]
    if "torchrun" in samples:
        lines.append(line(f"one node with {nodes} ranks, torchrun: from a rank crashing to all ranks running again",
                          samples["torchrun"]))
        ratios = [muster / torchrun for muster, torchrun in zip(samples["muster"], samples["torchrun"], strict=True)]
        say(f"muster / torchrun: median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}")
    for heartbeat, limit in CUT.items():
        cuts = samples[f"cut, heartbeat={heartbeat}"]
        if cuts:
            lines.append(line(f"{nodes - 1} nodes and a spare: from a node being cut off to all ranks running again, "
                              f"`heartbeat={heartbeat}`", cuts, limit))
    return lines


def parse():
    parser = case.parser("restart", __doc__, rounds=10)
    parser.add_argument("--nodes", type=int, default=32)
    parser.add_argument("--cuts", type=int, default=3, help="rounds for each heartbeat in which a node is cut off; 0: none")
    parser.add_argument("--torchrun", help="the command of a working torchrun, as the cluster's user runs it")
    parser.add_argument("--python", help="a Python with torch that the cluster's nodes see (not below /tmp), for three nodes "
                                         "under torchrun as well")
    parser.add_argument("--ft-launcher", help="the command of NVRx's ft_launcher, to compare with as well")
    parser.add_argument("--elastic-rounds", type=int, default=3, help="rounds of the comparison with --python")
    options = parser.parse_args()
    if options.python and not options.torchrun:
        options.torchrun = f"{options.python} -m torch.distributed.run --standalone"
    return options


def work(cluster, options):
    samples = measure(cluster, options)
    return lines_of(samples, options), samples


def compare_elastic(cluster, options):
    samples = restart_elastic.measure(cluster, options)
    return restart_elastic.lines_of(samples), samples


if __name__ == "__main__":
    options = parse()
    cluster_case.run("restart", options, options.nodes, work)
    if options.python:
        cluster_case.run("elastic", options, restart_elastic.NODES, compare_elastic)
