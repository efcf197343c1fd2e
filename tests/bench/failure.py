"""The case `failure`: time from a rank's crash until all ranks have ended and the report is on the screen.

Started by scripts/bench; brings up its own cluster and takes it down. All nodes are on one machine, so they share a
clock.
"""

import contextlib
import os
import select
import shlex
import statistics
import subprocess
import sys
import time

import case
import cluster_case
from case import say
from report import Line, describe, milliseconds

GRACE = 1.0  # seconds, for ranks that ignore SIGTERM

# The project's own limits, in seconds.
LAST_END = 0.3  # after the grace period
REPORT = 0.5  # after the last rank's end
CUT = 12.0  # from the cut to the report

# Each rank holds the FIFO `up` open until it ends, in whatever way. The one that fails writes the time.
RANK = """exec 3>up; echo ready >&3
if [ $SLURM_PROCID = {faulty} ]; then read line <go; echo $EPOCHREALTIME >&3; exit 7; fi
{others}exec sleep 300
"""
OBEDIENT, STUBBORN = "", "trap '' TERM\n"
END_OF_REPORT = b"\n" + 60 * b"=" + b"\n"


class Fifos:
    """FIFOs in the user's home: the ranks write to `up`; `go` tells one rank to fail."""

    def __init__(self, home):
        self._paths = [home / "up", home / "go"]
        for path in self._paths:
            path.unlink(missing_ok=True)
            os.mkfifo(path)
            path.chmod(0o666)
        self.up = os.open(self._paths[0], os.O_RDONLY | os.O_NONBLOCK)

    def read_within(self, seconds):
        """An empty result means that the last rank has ended, None that no rank wrote anything in time."""
        deadline = time.time() + seconds
        while select.select([self.up], [], [], max(0, deadline - time.time()))[0]:
            # Between the two calls the first rank of the next attempt may connect: in that case the end-of-file that
            # select saw no longer exists.
            with contextlib.suppress(BlockingIOError):
                return os.read(self.up, 65536)
        return None

    def read(self, deadline):
        """An empty result means that the last rank has ended."""
        said = self.read_within(deadline - time.time())
        if said is None:
            sys.exit("bench: the ranks neither write anything nor end")
        return said

    def say_go(self):
        self._paths[1].write_text("go\n", encoding="ascii")

    def close(self):
        os.close(self.up)
        for path in self._paths:
            path.unlink()


class Step:
    """An srun of the cluster's user, and the times of its output."""

    def __init__(self, cluster, nodes, options, others):
        self._nodes = nodes
        home = cluster.state / "home/alice"
        self._fifos = Fifos(home)
        (home / "rank.sh").write_text(RANK.format(faulty=nodes // 2, others=others), encoding="ascii")
        words = ["srun", *shlex.split(options), f"-N{nodes}", f"-n{nodes}", "bash", "rank.sh"]
        self._srun = subprocess.Popen(cluster.as_user("alice", *words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE)
        self._await_ranks()

    def _await_ranks(self):
        said = b""
        while said.count(b"ready") < self._nodes:
            said += self._fifos.read(time.time() + 60)
            time.sleep(0.01)  # no rank has connected yet: the FIFO has no writer
        time.sleep(1)  # so that the agents have finished examining what they started

    def fail(self):
        """The time at which the rank failed."""
        self._fifos.say_go()
        return float(self._fifos.read(time.time() + 10).split()[-1])

    def last_end(self):
        while self._fifos.read(time.time() + 30):
            pass
        return time.time()

    def report_end(self):
        """When the last line of the report appeared, and when srun ended."""
        said, shown = b"", None
        while chunk := os.read(self._srun.stderr.fileno(), 65536):
            said += chunk
            title = max(said.rfind(b"Root Cause"), said.rfind(b"First observed failure"))
            if shown is None and 0 <= title < said.rfind(END_OF_REPORT):
                shown = time.time()
        self._srun.wait(30)
        return shown, time.time()

    def close(self):
        if self._srun.poll() is None:
            self._srun.kill()
            self._srun.wait()
        self._srun.stderr.close()
        self._fifos.close()


def crash(cluster, nodes, options, others=OBEDIENT):
    with contextlib.closing(Step(cluster, nodes, options, others)) as step:
        failed = step.fail()
        last = step.last_end()
        shown, over = step.report_end()
    return {"last end": last - failed, "report": None if shown is None else shown - last, "srun's end": over - failed}


def cut(cluster, nodes):
    node = f"node{nodes}"
    with contextlib.closing(Step(cluster, nodes, "--distributed=torch,heartbeat=10", OBEDIENT)) as step:
        began = time.time()
        cluster.run("cut", node, stdout=subprocess.DEVNULL)
        try:
            shown, _ = step.report_end()
        finally:
            cluster.run("heal", node, stdout=subprocess.DEVNULL)
    if shown is None:
        sys.exit("bench: no report about the node that was cut off")
    return shown - began


def await_nodes(cluster):
    """Slurm may still be cleaning up after the last step."""
    deadline = time.time() + 300
    while busy := cluster.run("exec", "--", "sinfo", "-h", "-N", "-t", "alloc,comp,down,drain,mix,unk", "-o", "%N is %T",
                              capture_output=True, text=True).stdout.strip():
        if time.time() > deadline:
            sys.exit(f"bench: these nodes do not become idle again: {', '.join(busy.splitlines())}")
        time.sleep(0.2)


def arms(cluster, nodes):
    grace = f"grace={GRACE:g}"
    return {"srun -K": lambda: crash(cluster, nodes, "-K"),
            "muster": lambda: crash(cluster, nodes, "--distributed=torch"),
            "muster, SIGTERM ignored": lambda: crash(cluster, nodes, f"--distributed=torch,{grace}", STUBBORN)}


def measure(cluster, options):
    samples = {name: [] for name in arms(cluster, options.nodes)}
    for number in range(options.rounds):
        for name, arm in arms(cluster, options.nodes).items():
            await_nodes(cluster)
            samples[name].append(arm())
        say(f"round {number + 1}: " + ", ".join(f"{name} {milliseconds(rounds[-1]['last end'])}"
                                                for name, rounds in samples.items()))
    samples["cut"] = []
    for number in range(options.cuts):
        await_nodes(cluster)
        samples["cut"].append(cut(cluster, options.nodes))
        say(f"cut {number + 1}: {milliseconds(samples['cut'][-1])}")
    return samples


def line(what, values, limit=None):
    if limit is None:
        return Line(what, describe(values), "-", "-")
    verdict = "met" if max(values) <= limit else "missed" if statistics.median(values) > limit else \
        f"met by the median; max {milliseconds(max(values))}"
    return Line(what, describe(values), milliseconds(limit), verdict)


def lines_of(samples, nodes):
    of = {name: {key: [one[key] for one in rounds] for key in rounds[0]} for name, rounds in samples.items() if name != "cut"}
    stubborn = [seconds - GRACE for seconds in of["muster, SIGTERM ignored"]["last end"]]
    plain, ours = f"{nodes} nodes, `srun -K`", f"{nodes} nodes, muster"
    ignored = f"{ours}, other ranks ignore SIGTERM"
    last_end, srun_end = "from the crash to the end of the last rank", "from the crash to the end of srun"
    report = "from the end of the last rank to the complete report"
    lines = [line(f"{plain}: {last_end}", of["srun -K"]["last end"]),
             line(f"{plain}: {srun_end}", of["srun -K"]["srun's end"]),
             line(f"{ours}: {last_end}", of["muster"]["last end"], LAST_END),
             line(f"{ours}: {srun_end}", of["muster"]["srun's end"]),
             line(f"{ours}: {report}", of["muster"]["report"], REPORT),
             line(f"{ignored}: {last_end}, minus the grace period (`grace={GRACE:g}`)", stubborn, LAST_END),
             line(f"{ignored}: {report}", of["muster, SIGTERM ignored"]["report"], REPORT)]
    if samples["cut"]:
        lines.append(line(f"{ours}, `heartbeat=10`: from a node being cut off to the complete report", samples["cut"],
                          CUT))
    return lines


def parse():
    parser = case.parser("failure", __doc__, rounds=20)
    parser.add_argument("--nodes", type=int, default=32)
    parser.add_argument("--cuts", type=int, default=3, help="rounds in which a node is cut off; 0: none")
    return parser.parse_args()


def work(cluster, options):
    samples = measure(cluster, options)
    return lines_of(samples, options.nodes), samples


if __name__ == "__main__":
    options = parse()
    cluster_case.run("failure", options, options.nodes, work)
