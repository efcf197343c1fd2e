"""The case `stranger`: one user's training launches while another user of the same nodes does all the harm they can.

The stranger has a step on every node (stranger_flood.py) and launches further steps with hostile arguments. The other
user's launches must all work, no node may be drained, and slurmstepd's memory and the logs must stay bounded. Started
by scripts/bench; brings up its own cluster and takes it down.
"""

import argparse
import collections
import contextlib
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from bench_cluster import running_cluster
from case import CHECKOUT, HERE, OUT, say
from report import Line, circumstances, describe, record, table, write_json

NAME = "bench-stranger"
NODES = 3
RANKS = 2 * NODES
# Their ranks meet through the worker library, over TCP: rank 0 asks every client for the step's key.
STEP = ["--mpi=none", "--distributed=none", "--oversubscribe", f"-N{NODES}", f"-n{RANKS}"]
STEPD_MIB = 32
LINE_KIB = 4
REACHED = ("signals to others", "others traced", "others' environ read", "others' mem read", "others' maps read")
HOSTILE = ["printf x\n\x1b[2Jmuster: all is well", "--distributed=torch\n\x1b]0;x", "\u202e", "a" * 100_000]
LAUNCH_SECONDS = 60
# What a stranger's step runs on each node.
FLOOD = [HERE / "stranger_flood.py", CHECKOUT / "tests/live/programs/stranger_sockets.py"]


class Watch(threading.Thread):
    """Once a second, records the nodes that are not up, and the memory of every slurmstepd."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self._states = cluster.as_user("root", "sinfo", "-h", "-N", "-o", "%T")
        self._mount = f" muster-cluster:{NAME} "
        self._logs = cluster.state / "log"
        self.bad_states, self.peak = collections.Counter(), 0
        self.over = threading.Event()
        self.log_bytes = self._size()

    def _size(self):
        return sum(file.stat().st_size for file in self._logs.glob("slurmd.*.log"))

    def longest_line(self):
        return max(len(line) for file in self._logs.glob("slurmd.*.log") for line in file.read_bytes().splitlines())

    def control_bytes(self):
        return sum(len(re.findall(rb"[\x00-\x08\x0b-\x1f]", file.read_bytes()))
                   for file in self._logs.glob("slurmd.*.log"))

    def grown(self):
        return self._size() - self.log_bytes

    def _look_at_memory(self):
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (folder / "comm").read_text().strip() != "slurmstepd" or self._mount not in (
                        folder / "mountinfo").read_text():
                    continue
                peak = re.search(r"VmHWM:\s+(\d+)", (folder / "status").read_text())
                self.peak = max(self.peak, int(peak.group(1)) if peak else 0)

    def run(self):
        while not self.over.wait(1):
            self._look_at_memory()
            states = subprocess.run(self._states, capture_output=True, text=True)
            self.bad_states.update(word for word in states.stdout.split()
                                   if not word.startswith(("alloc", "idle", "mix", "comp", "plan")))


class Stranger:
    """bob's flood on all nodes, and his hostile launches from the login node."""

    def __init__(self, cluster, directory, seconds):
        self._over = threading.Event()
        self._cluster, self._seconds, self._directory = cluster, seconds, directory
        self.launches = 0
        words = f"python3 {directory}/stranger_flood.py {seconds} {directory}/counts.$SLURM_PROCID"
        self._flood = subprocess.Popen(
            cluster.as_user("bob", "srun", "--oversubscribe", f"-N{NODES}", f"-n{NODES}", "bash", "-c", words),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._launcher = threading.Thread(target=self._launch, daemon=True)
        self._launcher.start()

    def _launch(self):
        while not self._over.is_set():
            word = HOSTILE[self.launches % len(HOSTILE)]
            step = ["timeout", "20", "srun", "--oversubscribe", "-N1", "-n1", "--distributed=torch", word]
            subprocess.run(self._cluster.as_user("bob", *step), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
            self.launches += 1

    def end(self):
        self._over.set()
        self._launcher.join(60)
        self._flood.wait(self._seconds + 60)
        total = collections.Counter()
        for file in self._directory.glob("counts.*"):
            total.update(json.loads(file.read_text()))
        return total


def launch(cluster, program, number):
    """One launch of alice's, whose ranks really meet; returns its result."""
    begin = time.monotonic()
    done = subprocess.run(cluster.as_user("alice", "timeout", str(LAUNCH_SECONDS), "srun", *STEP, str(program)),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    met = len(set(re.findall(rf"^rank (\d+) of {RANKS} on ", done.stdout, re.MULTILINE)))
    result = {"good": done.returncode == 0 and met == RANKS, "seconds": time.monotonic() - begin,
              "code": done.returncode, "met": met, "said": done.stderr[:2000]}
    if not result["good"]:
        say(f"launch {number}: {json.dumps(result)}")
    return result


def launches(options, cluster, program):
    """Spread evenly over the time."""
    results, begin = [], time.monotonic()
    for number in range(options.launches):
        results.append(launch(cluster, program, number))
        due = begin + options.seconds * (number + 1) / options.launches
        time.sleep(max(0.0, due - time.monotonic()))
    return results


def prepare(cluster):
    """Makes a folder for both users."""
    directory = cluster.state / "stranger"
    directory.mkdir()
    directory.chmod(0o1777)
    for file in FLOOD:
        shutil.copy(file, directory)
    return directory


def compile_ring(prefix, into):
    """Compiles the example as its user would."""
    library = next(prefix.rglob("libmuster.so")).parent
    subprocess.run(["cc", "-I", str(prefix / "include"), "-o", str(into / "ring"), str(CHECKOUT / "examples/ring.c"),
                    f"-L{library}", f"-Wl,-rpath,{library}", "-lmuster"], check=True)
    return into / "ring"


def verdict(good):
    return "met" if good else "missed"


def lines_of(options, results, watch, harm, stranger):
    good = sum(result["good"] for result in results)
    reached = sum(harm[kind] for kind in REACHED)
    drained = sum(watch.bad_states.values())
    states = ", ".join(f"{state} {count}" for state, count in sorted(watch.bad_states.items()))
    grown = watch.grown() / (len(results) + stranger.launches) / 1024
    control = watch.control_bytes()
    return [
        Line("launches by the attacked user that succeeded", f"{good} of {len(results)}", "all",
             verdict(good == len(results))),
        Line("time per launch by the attacked user", describe([result["seconds"] for result in results]), "-", "-"),
        Line("times a node was down or drained, checked once a second", states or "0", "0", verdict(drained == 0)),
        Line("peak resident memory of the largest slurmstepd", f"{watch.peak / 1024:.1f} MiB", f"{STEPD_MIB} MiB",
             verdict(watch.peak <= STEPD_MIB * 1024)),
        Line("growth of slurmd's logs per launch, by either user", f"{grown:.1f} KiB", "-", "-"),
        Line("longest line in slurmd's logs", f"{watch.longest_line() / 1024:.1f} KiB", f"{LINE_KIB} KiB",
             verdict(watch.longest_line() <= LINE_KIB * 1024)),
        Line("control characters in slurmd's logs", str(control), "0", verdict(control == 0)),
        Line("attempts to signal, trace or read another user's process that succeeded", str(reached), "0",
             verdict(reached == 0)),
        Line("actions of the hostile user", ", ".join(f"{harm[kind]:,} {kind}" for kind in sorted(harm)) +
             f"; {stranger.launches} hostile launches", "-", "-"),
    ]


def parse():
    parser = argparse.ArgumentParser(prog="scripts/bench stranger")
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--launches", type=int, default=200)
    parser.add_argument("--record", action="store_true", help="write the table into docs/explain/benchmark-tables.md")
    return parser.parse_args()


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    OUT.mkdir(parents=True, exist_ok=True)
    facts = circumstances(CHECKOUT)
    with running_cluster(NAME, options.build, "--nodes", str(NODES), "--cpus", "16") as cluster:
        directory = prepare(cluster)
        program = compile_ring(cluster.prefix, directory)
        watch = Watch(cluster)
        watch.start()
        stranger = Stranger(cluster, directory, options.seconds)
        results = launches(options, cluster, program)
        harm = stranger.end()
        watch.over.set()
        watch.join(10)
        lines = lines_of(options, results, watch, harm, stranger)
    write_json(OUT / "stranger.json", facts, lines, {"launches": results, "harm": harm})
    print(table(lines))
    if options.record:
        record(CHECKOUT / "docs/explain/benchmark-tables.md", "stranger", facts, lines)


main()
