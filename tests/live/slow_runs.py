"""Runs of the `slow_training` program under slow=, many of them in one cluster at the same time. Most of what such a run
does is to sleep, so that two CPUs are enough for about eight runs of three to eight ranks.

What the nodes of a cluster on one machine share is kept apart: the runs of one phase end before those of the next begin.
"""

import contextlib
import itertools
import json
import os
import random
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from cluster import Cluster
from control_groups import GROUPS
from waiting import wait_until

# What muster should say of each kind.
CAUSES = {
    "throttled": "its CPUs are throttled",
    "loader": "it waits for data: its one child process computes",
    "sleep": "it waits, and its one child process waits as well",
    "computes": "it computes for longer than its peers",
    "network": "its node retransmits",
    "memory": "it is short of memory",
    "shared": "its CPUs are shared",
}
HEALTHY = ("plain", "batches", "evaluation", "checkpoint")
# All nodes have one /proc/pressure/memory here, and all ranks the same CPUs.
PHASES: dict[str, tuple[str, ...]] = {
    "others": ("throttled", "loader", "sleep", "computes", "network", *HEALTHY), "memory": ("memory",), "shared": ("shared",)}
SECONDS_AT_MOST = 240  # for a name; the first minute does not count
SECONDS_HEALTHY = 60 * float(os.environ.get("MUSTER_SLOW_MINUTES", "2.5"))
LOSSY = "node9"  # its counters of TCP segments are the node's, so that nobody else uses it
BYTES_OF_STEP = 200_000
HURRIED = -10  # the priority of all ranks
FIRST = -20  # and of those that compute
_numbers = itertools.count()


@dataclass(frozen=True)
class Case:
    kind: str
    number: int
    nodes: int = 3
    rank: int = 1  # who is slow

    def __str__(self) -> str:
        return f"{self.kind}-{self.number}-rank-{self.rank}-of-{self.nodes}"

    @property
    def hosts(self) -> list[str]:
        names = [f"node{number + 1}" for number in range(self.nodes)]
        return [*names[:-1], LOSSY] if self.kind == "network" else names


@dataclass
class Found:
    lines: list[str] = field(default_factory=list)  # of slow=
    slow: list[dict] = field(default_factory=list)  # in the report
    seconds: float = 0.0  # until the first line, from the first step on
    load: float = 0.0


def random_cases(kinds: tuple[str, ...], runs: int, seed: int) -> list[Case]:
    choice = random.Random(f"{kinds} {seed}")
    found = []
    for number in range(runs):
        for kind in kinds:
            nodes = choice.choice((3, 3, 3, 3, 4, 5, 6, 8))  # each rank that starts takes seconds of CPU time
            if kind == "shared":  # all ranks but the slow one compute on the same CPU at the same time
                nodes = min(nodes, 4)
            rank = nodes - 1 if kind == "network" else choice.randrange(nodes)
            found.append(Case(kind, number, nodes, rank))
    return found


class Training:
    """One run, in which the slow rank is slow from its first step on."""

    def __init__(self, cluster: Cluster, case: Case, keys: str = "slow=on", seconds: float = SECONDS_AT_MOST,
                 store: str = "", srun: str = "") -> None:
        """`srun`: the beginning of the line, if it is not one that uses the case's nodes."""
        self.cluster, self.case = cluster, case
        self.name = f"{case.kind}-{os.getpid()}-{next(_numbers)}"
        variables = {"PYTHONPATH": os.environ["MUSTER_TORCH"], "OMP_NUM_THREADS": "1", "RUN_NAME": self.name,
                     "CASE": case.kind, "SLOW_RANK": str(case.rank), "SECONDS": str(seconds), "STORE": store}
        srun = srun or f"srun -N{case.nodes} -n{case.nodes} --nodelist={','.join(case.hosts)}"
        self.report = cluster.home / f"{self.name}.json"
        self.step = cluster.start(
            f"{srun} --distributed=torch,bind=none,{keys},report={self.report.name} ./slow_training", env=variables)

    def tell(self, what: str) -> None:
        self.cluster.write(f"{what}-{self.name}", "")

    def no_longer(self, what: str) -> None:
        (self.cluster.home / f"{what}-{self.name}").unlink()

    def await_ranks(self, attempt: int = 0) -> None:
        """All of them have imported torch and met."""
        wait_until(lambda: self.nodes(attempt) or not self.step.running, 300, f"the ranks of {self.name}")
        assert self.step.running, str(self.step)
        for pid in self.pids() if not attempt else ():
            hurry(pid)

    def nodes(self, attempt: int) -> list[str]:
        """Those of the attempt's ranks, once all have said it."""
        found = [file.read_text() for file in self.cluster.home.glob(f"here-{self.name}-{attempt}-*")]
        return sorted(found) if len(found) == self.case.nodes and all(found) else []

    def pids(self) -> list[int]:
        """The ranks' processes on this machine, in the ranks' order."""
        found = {}
        for process in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if process.name.isdigit() and (process / "comm").read_bytes() == b"python3\n":
                    variables = (process / "environ").read_bytes().split(b"\0")
                    if f"RUN_NAME={self.name}".encode() in variables and self._is_rank(process):
                        rank, = [each for each in variables if each.startswith(b"RANK=")]
                        found[int(rank[5:])] = int(process.name)
        assert sorted(found) == list(range(self.case.nodes)), f"{self.name} has the ranks {found}"
        return [found[rank] for rank in range(self.case.nodes)]

    @staticmethod
    def _is_rank(process: Path) -> bool:
        """Not a worker of its DataLoader."""
        parent = re.search(r"^PPid:\s+(\d+)", (process / "status").read_text(), re.MULTILINE)[1]
        return Path(f"/proc/{parent}/comm").read_text().strip() == "slurmstepd"

    def begin(self) -> None:
        self.tell("slow")
        self.tell("go")

    @property
    def lines(self) -> list[str]:
        return [line for line in self.step.err.splitlines() if "slow=: " in line]

    def slow(self) -> list[dict]:
        return json.loads(self.report.read_text())["slow"]


@contextlib.contextmanager
def group(controller: str, pid: int, **limits: int) -> Iterator[None]:
    """A control group of its own: version 1, as the machine that runs these tests has it."""
    path = GROUPS / controller / f"muster-slow-{pid}"
    path.mkdir()
    try:
        for name, value in limits.items():
            (path / f"{controller}.{name}").write_text(str(value))
        (path / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        wait_until(lambda: not (path / "cgroup.procs").read_text(), 60, "the end of the rank")
        path.rmdir()


def hurry(pid: int, priority: int = HURRIED) -> None:
    """Neither the rank nor its children wait for other programs on this machine. Linux may divide the CPUs between
    sessions first: then the session's priority counts."""
    children = []
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(priority))
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, int(task.name), priority)
            children += [int(child) for child in (task / "children").read_text().split()]
    for child in children:
        hurry(child, priority)


@contextlib.contextmanager
def busy_neighbour(cpu: int) -> Iterator[None]:
    """Another program that computes on this CPU, with so many processes that a rank there gets a small share of it: the
    healthy ranks have to share one CPU as well."""
    # They end with this process, even if it is killed.
    words = ["setpriv", "--pdeathsig", "KILL", "taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]
    loops = [subprocess.Popen(words, start_new_session=True) for _ in range(8)]
    for loop in loops:
        hurry(loop.pid, FIRST)
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextlib.contextmanager
def lossy_link(cluster: Cluster) -> Iterator[None]:
    """What the node sends to the store has to pass a switch port of 16 Mbit/s with room for 4 packets, each of which is
    one segment. The node itself must not see that packets are dropped: it would not count what it then sends again."""
    tc = f"""set -e
        tc qdisc add dev login root handle 1: htb default 1
        tc class add dev login parent 1: classid 1:1 htb rate 10gbit quantum 60000
        tc class add dev login parent 1: classid 1:2 htb rate 16mbit
        tc qdisc add dev login parent 1:2 pfifo limit 4
        tc filter add dev login parent 1: protocol ip u32 match ip src {cluster.address(LOSSY)} flowid 1:2"""
    switch = ["nsenter", "--target", (cluster.state / "pid" / "cluster-init").read_text().strip(), "--net", "bash", "-c"]
    cluster.node(LOSSY, "ip link set dev eth0 gso_max_segs 1")
    subprocess.run([*switch, tc], check=True, timeout=20)
    try:
        yield
    finally:
        subprocess.run([*switch, "tc qdisc del dev login root"], check=True, timeout=20)
        cluster.node(LOSSY, "ip link set dev eth0 gso_max_segs 65535")


@contextlib.contextmanager
def slow_from_outside(case: Case, pid: int) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        if case.kind == "throttled":  # to 4 % of a CPU, which it gets before all others
            stack.enter_context(group("cpu", pid, cfs_quota_us=4000, shares=1 << 17))
        elif case.kind == "computes":
            hurry(pid, FIRST)
        elif case.kind == "memory":
            stack.enter_context(group("memory", pid, limit_in_bytes=24 << 20))
        elif case.kind == "shared":
            hurry(pid, FIRST)
            for task in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), {shared_cpu()})
        yield


def shared_cpu() -> int:
    return max(os.sched_getaffinity(0))


class Runs:
    """The runs of all selected tests."""

    def __init__(self, cluster: Cluster, cases: list[Case], at_once: int) -> None:
        self._cluster, self._at_once = cluster, at_once
        self._computing = threading.Semaphore(1)  # it takes more than half a CPU
        self._found: dict[Case, Future[Found]] = {case: Future() for case in cases}
        self._results = os.environ.get("MUSTER_SLOW_RESULTS")
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run_all)
        self._thread.start()

    def result(self, case: Case) -> Found:
        return self._found[case].result()

    def end(self) -> None:
        for future in self._found.values():
            future.cancel()
        self._thread.join()

    def _run_all(self) -> None:
        for phase, kinds in PHASES.items():
            cases = [case for case in self._found if case.kind in kinds]
            random.Random(phase).shuffle(cases)
            if not cases:
                continue
            with contextlib.ExitStack() as stack:
                if phase == "shared":
                    stack.enter_context(busy_neighbour(shared_cpu()))
                if any(case.kind == "network" for case in cases):
                    stack.enter_context(lossy_link(self._cluster))
                with ThreadPoolExecutor(3 if phase == "shared" else self._at_once) as pool:
                    list(pool.map(self._run, cases))

    def _run(self, case: Case) -> None:
        future = self._found[case]
        if not future.set_running_or_notify_cancel():
            return
        try:
            with self._computing if case.kind == "computes" else contextlib.nullcontext():
                found = self._training(case)
        except BaseException as error:  # for the test that waits for it
            future.set_exception(error)
        else:
            self._write(case, found)
            future.set_result(found)

    def _training(self, case: Case) -> Found:
        with contextlib.ExitStack() as stack:
            store = stack.enter_context(self._store()) if case.kind == "network" else ""
            seconds = SECONDS_HEALTHY if case.kind in HEALTHY else SECONDS_AT_MOST
            training = Training(self._cluster, case, seconds=seconds, store=store)
            stack.callback(training.step.kill)
            training.await_ranks()
            stack.enter_context(slow_from_outside(case, training.pids()[case.rank]))
            training.begin()
            began = time.monotonic()
            wait_until(lambda: training.lines or not training.step.running, seconds + 200, f"the end of {case}")
            found = Found(seconds=time.monotonic() - began, load=os.getloadavg()[0])
            if case.kind not in HEALTHY:
                training.tell("end")
            result = training.step.wait(seconds + 200)
            assert result.code == 0, result.err
            found.lines, found.slow = training.lines, training.slow()
            return found

    @contextlib.contextmanager
    def _store(self) -> Iterator[str]:
        reading, writing = os.pipe()
        server = self._cluster.start(f"./slow_store {BYTES_OF_STEP}", stdin=reading)
        server.await_output("\n")
        try:
            yield f"{self._cluster.address('login')}:{server.out.strip()}"
        finally:
            os.close(writing)
            os.close(reading)
            server.wait()

    def _write(self, case: Case, found: Found) -> None:
        if not self._results:
            return
        line = {"kind": case.kind, "nodes": case.nodes, "rank": case.rank, "seconds": round(found.seconds, 1),
                "load": found.load, "slow": found.slow}
        with self._lock, Path(self._results).open("a") as file:
            file.write(json.dumps(line) + "\n")
