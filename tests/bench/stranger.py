"""The case `stranger`: one user's training launches while another user of the same nodes does all the harm he can.

The stranger has a step on every node (stranger_flood.py) and launches steps of his own with hostile words. The launches
of the other user must all run, no node may be drained, and slurmstepd's memory and the logs stay bounded.
Started by scripts/bench; brings up a cluster of its own and takes it down.
"""

import argparse
import collections
import contextlib
import json
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

from report import Line, circumstances, describe, record, table, write_json

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
OUT = CHECKOUT / "build/bench"
NAME = "bench-stranger"
NODES = 3
STEPD_MIB = 32
LINE_KIB = 4
REACHED = ("signals to others", "others traced", "others' environ read", "others' mem read", "others' maps read")
HOSTILE = ["printf x\n\x1b[2Jmuster: all is well", "--distributed=torch\n\x1b]0;x", "\u202e", "a" * 100_000]


def say(text):
    print(f"bench: {time.strftime('%X')} {text}", file=sys.stderr, flush=True)


def script(*words, **more):
    return subprocess.run([str(CHECKOUT / "scripts/cluster"), "--name", NAME, *words], check=True, **more)


def as_user(user, *words):
    return [str(CHECKOUT / "scripts/cluster"), "--name", NAME, "exec", "--user", user, "--", *words]


@contextlib.contextmanager
def running_cluster(build):
    script("down", stdout=subprocess.DEVNULL)
    script("up", "--nodes", str(NODES), "--cpus", "16", "--build", str(build), stdout=subprocess.DEVNULL)
    try:
        yield pathlib.Path(script("prefix", capture_output=True, text=True).stdout.strip()).parent
    finally:
        script("down", stdout=subprocess.DEVNULL)


class Watch(threading.Thread):
    """Looks once a second: nodes that are not up, and the memory of every slurmstepd."""

    def __init__(self, state):
        super().__init__(daemon=True)
        self._cluster = f" muster-cluster:{NAME} "
        self._logs = state / "log"
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
                if (folder / "comm").read_text().strip() != "slurmstepd" or self._cluster not in (
                        folder / "mountinfo").read_text():
                    continue
                peak = re.search(r"VmHWM:\s+(\d+)", (folder / "status").read_text())
                self.peak = max(self.peak, int(peak.group(1)) if peak else 0)

    def run(self):
        while not self.over.wait(1):
            self._look_at_memory()
            states = subprocess.run(as_user("root", "sinfo", "-h", "-N", "-o", "%T"), capture_output=True, text=True)
            self.bad_states.update(word for word in states.stdout.split()
                                   if not word.startswith(("alloc", "idle", "mix", "comp")))


class Stranger:
    """bob's flood on all nodes, and his hostile launches from the login node."""

    def __init__(self, directory, seconds):
        self._over = threading.Event()
        self._seconds, self._directory = seconds, directory
        self.launches = 0
        words = f"python3 {directory}/stranger_flood.py {seconds} {directory}/counts.$SLURM_PROCID"
        self._flood = subprocess.Popen(
            as_user("bob", "srun", "--oversubscribe", f"-N{NODES}", f"-n{NODES}", "bash", "-c", words),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._launcher = threading.Thread(target=self._launch, daemon=True)
        self._launcher.start()

    def _launch(self):
        while not self._over.is_set():
            word = HOSTILE[self.launches % len(HOSTILE)]
            step = ["timeout", "20", "srun", "--oversubscribe", "-N1", "-n1", "--distributed=torch", word]
            subprocess.run(as_user("bob", *step), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
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


def launch(directory, number):
    """One launch of alice's, whose ranks really meet; what came of it."""
    words = f"srun --oversubscribe -N{NODES} -n{2 * NODES} --distributed=torch {directory}/storm_rank {directory} " \
            f"launch{number} nonce{number} 20 tcpstore"
    begin = time.monotonic()
    done = subprocess.run(as_user("alice", "timeout", "60", *shlex.split(words)), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    # A rank notes what it hears, also from the stranger.
    every = (directory / "notes").read_text(encoding="utf-8", errors="replace").splitlines()
    notes = [line for line in every if line.startswith(f"launch{number} ")]
    met = sum(line.split()[6] == "met" for line in notes)
    good = done.returncode == 0 and met == 2 * NODES
    return {"good": good, "seconds": time.monotonic() - begin, "code": done.returncode, "met": met,
            "said": done.stderr[:2000]}


def launches(options, directory):
    """Evenly over the time."""
    results, begin = [], time.monotonic()
    for number in range(options.launches):
        results.append(launch(directory, number))
        if not results[-1]["good"]:
            say(f"launch {number}: {json.dumps(results[-1])}")
        due = begin + options.seconds * (number + 1) / options.launches
        time.sleep(max(0.0, due - time.monotonic()))
    return results


def prepare(state):
    directory = state / "stranger"
    directory.mkdir()
    directory.chmod(0o1777)
    (directory / "notes").touch()
    (directory / "notes").chmod(0o666)
    program = str(directory / "storm_rank")
    subprocess.run(["c++", "-std=c++20", "-O1", "-o", program, str(HERE / "storm_rank.cpp")], check=True)
    (directory / "stranger_flood.py").write_bytes((HERE / "stranger_flood.py").read_bytes())
    return directory


def verdict(good):
    return "met" if good else "missed"


def lines_of(options, results, watch, harm, stranger):
    good = sum(result["good"] for result in results)
    reached = sum(harm[kind] for kind in REACHED)
    drained = sum(watch.bad_states.values())
    grown = watch.grown() / (len(results) + stranger.launches) / 1024
    control = watch.control_bytes()
    return [
        Line("launches that ran, of the other user", f"{good} of {len(results)}", "all", verdict(good == len(results))),
        Line("one such launch", describe([result["seconds"] for result in results]), "-", "-"),
        Line("times that a node was seen down or drained", str(drained), "0", verdict(drained == 0)),
        Line("slurmstepd, peak resident memory", f"{watch.peak / 1024:.1f} MiB", f"{STEPD_MIB} MiB",
             verdict(watch.peak <= STEPD_MIB * 1024)),
        Line("slurmd's logs, per launch of either user", f"{grown:.1f} KiB", "-", "-"),
        Line("longest line in them", f"{watch.longest_line() / 1024:.1f} KiB", f"{LINE_KIB} KiB",
             verdict(watch.longest_line() <= LINE_KIB * 1024)),
        Line("control characters in them", str(control), "0", verdict(control == 0)),
        Line("signals, traces and reads that reached another's process", str(reached), "0", verdict(reached == 0)),
        Line("what the stranger did", ", ".join(f"{kind} {harm[kind]:,}" for kind in sorted(harm)) +
             f"; hostile launches {stranger.launches}", "-", "-"),
    ]


def parse():
    parser = argparse.ArgumentParser(prog="scripts/bench stranger")
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--launches", type=int, default=200)
    parser.add_argument("--record", action="store_true", help="write the table into docs/benchmarks.md")
    return parser.parse_args()


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    OUT.mkdir(parents=True, exist_ok=True)
    facts = circumstances(CHECKOUT)
    with running_cluster(options.build) as state:
        directory = prepare(state)
        watch = Watch(state)
        watch.start()
        stranger = Stranger(directory, options.seconds)
        results = launches(options, directory)
        harm = stranger.end()
        watch.over.set()
        watch.join(10)
        lines = lines_of(options, results, watch, harm, stranger)
    write_json(OUT / "stranger.json", facts, lines, {"launches": results, "harm": harm})
    print(table(lines))
    if options.record:
        record(CHECKOUT / "docs/benchmarks.md", "stranger", facts, lines)


main()
