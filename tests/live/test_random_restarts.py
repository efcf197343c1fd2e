"""Random faults in a training job with checkpoints on eight nodes: it ends with the parameters of a run without faults,
and no two attempts are ever alive at once. Three runs with chosen faults are always tested; others on request:

    MUSTER_RANDOM_RESTARTS=200  how many, none by default
    MUSTER_RANDOM_SEED=14       repeats them: a run's faults depend only on the seed and its number
    MUSTER_RANDOM_FIRST=0       the first one's number: repeats one run, or continues where another series ended
    MUSTER_RANDOM_TABLE=FILE    the table for docs/explain/benchmark-tables.md, rewritten after each run; pytest -s prints it as well
"""

import contextlib
import functools
import os
import random
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from cluster import PROGRAMS, Cluster
from own_cluster import own_cluster
from random_faults import DOWN, KINDS, Fault
from restarted import Training, ranks_in
from waiting import wait_until

COUNT = int(os.environ.get("MUSTER_RANDOM_RESTARTS", "0"))
SEED = int(os.environ.get("MUSTER_RANDOM_SEED", "14"))
FIRST = int(os.environ.get("MUSTER_RANDOM_FIRST", "0"))
TABLE = os.environ.get("MUSTER_RANDOM_TABLE")
STEPS, MANY_STEPS = 150, 1200  # many: enough for Slurm to mark a node down during the run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    with own_cluster("randomrestarts", 8, "--cpus", "2", conf="SlurmdTimeout=30\nMessageTimeout=5\n") as cluster:
        yield cluster


Parameters = Callable[[int], str]


@pytest.fixture(scope="module")
def parameters(own: Cluster) -> Parameters:
    """The parameters of a run of that many steps without faults."""
    @functools.cache
    def of_steps(steps: int) -> str:
        return final_parameters(Run(own, [], keys="restarts=0", manner="", steps=steps).end().result.out)

    return of_steps


def final_parameters(out: str) -> str:
    (value,) = set(re.findall(r"^done .*parameters=(\d+)$", out, re.MULTILINE))
    return value


class Run:
    def __init__(self, cluster: Cluster, faults: Sequence[Fault], *, keys: str, manner: str, tasks: int = 1,
                 steps: int = STEPS) -> None:
        self.cluster, self.faults, self.steps = cluster, faults, steps
        cluster.give("alice", PROGRAMS / "train")
        for old in [*cluster.home.glob("checkpoint.*"), *cluster.home.glob("mixed.*")]:
            old.unlink()
        self.training = Training(cluster, f"salloc -Q -N8 --ntasks-per-node={tasks} srun OPTION ./train {steps} {manner}",
                                 keys=f"heartbeat=3,grace=1,{keys}")
        self.ended = None
        self.seconds = 0.0

    def end(self) -> "Run":
        began = time.monotonic()
        due: dict[Fault, float] = {}
        try:
            while self.training.running.running and time.monotonic() < began + 120:
                attempts = {rank.attempt for rank in ranks_in(self.training.running.out)}
                for fault in self.faults:
                    if fault.attempt in attempts and fault not in due:
                        due[fault] = time.monotonic() + fault.delay
                    if not fault.happened and time.monotonic() >= due.get(fault, float("inf")):
                        fault.happen(self.cluster)
                    fault.heal_when_due()
                time.sleep(0.02)
        finally:
            for fault in self.faults:
                fault.heal_when_due(at_once=True)
        self.seconds = time.monotonic() - began
        self.ended = self.training.end(5)
        return self

    @property
    def result(self):
        return self.ended.result

    def wrong(self, parameters: Parameters) -> list[str]:
        wrong = [] if self.result.code == 0 else [f"exit code {self.result.code}"]
        if self.result.code == 0 and final_parameters(self.result.out) != parameters(self.steps):
            wrong.append(f"parameters {final_parameters(self.result.out)}, not {parameters(self.steps)}")
        wrong += [f"mixed: {mark.read_text()}" for mark in self.cluster.home.glob("mixed.*")]
        return wrong + self.overlaps()

    def overlaps(self) -> list[str]:
        """Attempts that wrote after the first line of a later one."""
        found = []
        times = {int(file.name.split(".")[1]) for file in self.cluster.home.glob("writes.*")}
        spans = [(attempt, writes[0], writes[-1]) for attempt in sorted(times) if (writes := self.training.writes(attempt))]
        for attempt, _, last in spans:
            found += [f"attempt {attempt} wrote {last - first:.2f} s beside attempt {later}"
                      for later, first, _ in spans if later > attempt and last >= first]
        return found

    def recovery(self) -> float | None:
        """From the first fault until all ranks of the next attempt are running."""
        times = [(int(attempt), float(at)) for attempt, at in re.findall(r"^ready attempt=(\d+) .* time=(\S+)$",
                                                                         self.result.out, re.MULTILINE)]
        first = min((fault for fault in self.faults if fault.happened), key=lambda fault: fault.time, default=None)
        later = sorted({attempt for attempt, _ in times if first and attempt > first.attempt})
        return max(at for attempt, at in times if attempt == later[0]) - first.time if later else None

    def __str__(self) -> str:
        faults = "; ".join(str(fault) for fault in self.faults if fault.happened)
        return f"{self.training.running.shown}\n{faults}\n{self.result.err}"


def make_usable(cluster: Cluster) -> None:
    """What an administrator does about nodes that Slurm has marked down; everything else must recover by itself."""
    def usable() -> bool:
        states = dict(line.split() for line in cluster.run("sinfo -h -N -o '%N %T'", user="root").lines)
        for node, state in states.items():
            if state.startswith("down"):
                cluster.run(f"scontrol update NodeName={node} State=RESUME", user="root")
        return len(states) == 8 and all(state == "idle" for state in states.values())

    # A slurmstepd waits a minute for one that was killed and should have reported its step's end.
    wait_until(usable, 100, "nodes that can be used")
    clean = cluster.srun("--distributed=torch -N8 -n8 true")  # removes what killed agents left behind
    assert clean.code == 0, clean.err
    cluster.await_clean(30)


def try_faults(cluster: Cluster, faults: Sequence[Fault], parameters: Parameters, *, keys: str, manner: str = "",
               tasks: int = 1) -> tuple[Run | None, str]:
    """What is wrong; empty if nothing is."""
    steps = MANY_STEPS if any(fault.kind == DOWN for fault in faults) else STEPS
    parameters(steps)
    run = Run(cluster, faults, keys=keys, manner=manner, tasks=tasks, steps=steps)
    try:
        run.end()
        wrong = run.wrong(parameters)
        with contextlib.suppress(AssertionError):
            make_usable(cluster)
            return run, "\n".join(wrong) and f"{run}\n-> {wrong}"
        return run, f"{run}\n-> {[*wrong, 'left behind: ' + '; '.join(cluster.traces())]}"
    except AssertionError as error:
        return None, f"{[str(fault) for fault in faults]}\n{error}"
    finally:
        cluster.end_all()
        if cluster.traces():
            cluster.clear()


@pytest.mark.parametrize("kinds, keys", [
    (["a rank is killed", "slurmstepd is killed"], "restarts=9,spares=1,nodes=4"),
    pytest.param(["a node is cut off"], "restarts=9,spares=1,nodes=4", marks=pytest.mark.long),
    (["slurmctld restarts, and a rank is killed"], "restarts=9,nodes=4"),
])
def test_a_training_ends_as_without_faults(own: Cluster, parameters: Parameters, kinds: list[str], keys: str) -> None:
    chance = random.Random(1)
    faults = [Fault(chance, own.nodes, kind, "node1", attempt) for attempt, kind in enumerate(kinds)]
    run, wrong = try_faults(own, faults, parameters, keys=keys)
    assert not wrong, wrong
    assert run.ended.attempts > len(faults) - 1
    assert "no further attempt" not in run.result.err


@pytest.mark.long
def test_a_step_that_slurm_still_holds_does_not_hold_the_next_attempt_up(own: Cluster, parameters: Parameters) -> None:
    # The nodes report their end through the first one's slurmd; its slurmstepd waits a minute for those that could not.
    fault = Fault(random.Random(1), own.nodes, "slurmd and a rank are killed", "node1")
    fault.delay, fault.heals_after = 1.4, 4.7
    run, wrong = try_faults(own, [fault], parameters, keys="restarts=10")
    assert not wrong, wrong
    assert run.ended.attempts == 2
    assert "step creation temporarily disabled" not in run.ended.result.err


def run_by_chance(cluster: Cluster, chance: random.Random, parameters: Parameters) -> tuple[Run | None, str]:
    training = cluster.nodes[:6]  # the others are spares
    faults = [Fault(chance, training)]
    if chance.random() < 0.4:
        faults.append(Fault(chance, training, attempt=chance.choice([0, 1])))
    keys = f"restarts=20,spares={chance.choice([1, 2])},nodes=4"
    return try_faults(cluster, faults, parameters, keys=keys, manner=chance.choice(["", "", "stubborn"]),
                      tasks=chance.choice([1, 1, 2]))


class Tally:
    """How often each kind happened, and how long the training job took to recover when only that kind had happened."""

    def __init__(self) -> None:
        self.runs = 0
        self.wrong: list[str] = []
        self.happened: dict[str, int] = dict.fromkeys(KINDS, 0)
        self.recovered: dict[str, list[float]] = defaultdict(list)

    def add(self, number: int, run: Run | None, wrong: str) -> None:
        self.runs += 1
        if run and run.ended:
            self._add(number, run)
        if wrong:
            self.wrong.append(f"run {number}: {wrong}")
            print(f"WRONG {self.wrong[-1]}", flush=True)
        if TABLE:
            Path(TABLE).write_text(str(self))

    def _add(self, number: int, run: Run) -> None:
        happened = [fault for fault in run.faults if fault.happened]
        for fault in happened:
            self.happened[fault.kind] += 1
        seconds = run.recovery() if len(happened) == 1 else None
        if seconds is not None:
            self.recovered[happened[0].kind].append(seconds)
        recovered = f", recovered in {seconds:.1f} s" if seconds is not None else ""
        print(f"run {number}: {run.seconds:.1f} s, {run.ended.attempts} attempts{recovered}: "
              f"{'; '.join(str(fault) for fault in happened)}", flush=True)

    def __str__(self) -> str:
        rows = [self._row(kind, count, self.recovered[kind]) for kind, count in self.happened.items()]
        every = [seconds for kind in self.recovered.values() for seconds in kind]
        return "\n".join([
            f"{self.runs} runs of seed {SEED}, from number {FIRST} on: {len(self.wrong)} wrong.", "",
            "| fault | injected faults | single faults followed by another attempt | mean recovery time "
            "| maximum recovery time |",
            "|---|---|---|---|---|", *rows, self._row("all", sum(self.happened.values()), every), ""])

    @staticmethod
    def _row(kind: str, count: int, seconds: Sequence[float]) -> str:
        times = f"{statistics.mean(seconds):.1f} s | {max(seconds):.1f} s" if seconds else "- | -"
        return f"| {kind} | {count} | {len(seconds)} | {times} |"


@pytest.mark.skipif(COUNT == 0, reason="MUSTER_RANDOM_RESTARTS says how many")
def test_a_training_ends_as_without_faults_whatever_happens(own: Cluster, parameters: Parameters) -> None:
    tally = Tally()
    for number in range(FIRST, FIRST + COUNT):
        tally.add(number, *run_by_chance(own, random.Random(f"{SEED}/{number}"), parameters))
    print(f"\n{tally}")
    assert not tally.wrong, f"{len(tally.wrong)} of {COUNT} (seed {SEED}):\n" + "\n".join(tally.wrong)
