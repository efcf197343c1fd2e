"""Nodes, agents and supervisors that stop for a while, as in a VM's pause, a live migration or a snapshot: two attempts
never write at the same time, and muster ends no run that plain srun would keep alive. A few pauses are always tested;
others on request:

    MUSTER_RANDOM_PAUSES=200  how many, none by default
    MUSTER_RANDOM_SEED=7      repeats them: a pause depends only on the seed and its number
    MUSTER_RANDOM_FIRST=0     the first one's number
"""

import contextlib
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster import PROGRAMS, Cluster
from command import Result
from node_faults import off_the_network, resumed
from own_cluster import own_cluster
from processes import Process
from waiting import wait_until

COUNT = int(os.environ.get("MUSTER_RANDOM_PAUSES", "0"))
SEED = int(os.environ.get("MUSTER_RANDOM_SEED", "7"))
FIRST = int(os.environ.get("MUSTER_RANDOM_FIRST", "0"))
NODES = 3
# From a node's thaw until its agent gets to run, the ranks may run, because until then nothing that could stop them is
# awake.
FIRST_TURN = 0.25

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    with own_cluster("pauses", NODES, conf="SlurmdTimeout=120\nMessageTimeout=5\n") as cluster:
        yield cluster


def user_processes(cluster: Cluster, node: str) -> list[Process]:
    return [process for process in cluster.processes(node) if process.uid != 0]


def of_node(node: str) -> Callable[[Cluster], list[Process]]:
    """Everything that runs there, including Slurm's daemons, but not what connects the cluster to its test."""
    def found(cluster: Cluster) -> list[Process]:
        return [process for process in cluster.processes(node)
                if process.uid != 0 or process.name in ("slurmd", "slurmstepd")]
    return found


def agent_of(node: str) -> Callable[[Cluster], list[Process]]:
    """Only the agent: its guard and the ranks keep running."""
    return lambda cluster: cluster.agents(node)


def guard_of(node: str) -> Callable[[Cluster], list[Process]]:
    return lambda cluster: cluster.guards(node)


def supervisor(cluster: Cluster) -> list[Process]:
    return [process for process in user_processes(cluster, "login")
            if re.search(r"muster supervise|(^|/)srun |salloc ", process.command)]


def everything(cluster: Cluster) -> list[Process]:
    return [process for node in cluster.nodes for process in of_node(node)(cluster)] + supervisor(cluster)


WAKES: list[float] = []  # when processes resumed, by the clock that all nodes share here


@contextlib.contextmanager
def stopped(found: list[Process]) -> Iterator[None]:
    """Parents stop before their children and resume after them: a process that sees a stopped child may stop itself, as
    after Ctrl-Z. Agents and their guards resume last, which is the worst order for stopping the ranks."""
    assert found
    found = sorted(found, key=lambda process: process.pid)
    for process in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        WAKES.append(time.time())
        for process in sorted(reversed(found), key=lambda process: process.name in ("muster-agent", "muster-guard")):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGCONT)


@contextlib.contextmanager
def paused(cluster: Cluster, node: str, cut_for: float = 0) -> Iterator[None]:
    """Like a virtual machine, whose kernel does not answer either. `cut_for`: seconds without a network after it
    resumes."""
    with off_the_network(cluster, node):
        with stopped(of_node(node)(cluster)):
            yield
            if not cut_for:
                cluster.script("heal", node)
        time.sleep(cut_for)


@dataclass(frozen=True)
class Ended:
    result: Result
    writes: dict[int, tuple[float, float]]  # by attempt: the times of the first and the last
    done: int  # ranks of the last attempt

    @property
    def beside(self) -> list[tuple[str, float]]:
        """Attempts that wrote after the first line of a later one, and how long after the thaw."""
        woken = WAKES[-1] if WAKES else 0.0
        return [(f"attempt {one} wrote {last - first:.3f} s beside attempt {later}, {last - woken:.3f} s after the thaw",
                 last - woken)
                for one, (_, last) in self.writes.items() for later, (first, _) in self.writes.items()
                if later > one and last >= first]

    def overlaps(self, ranks_slept: bool = True) -> list[str]:
        return [text for text, after in self.beside if not (ranks_slept and -0.01 < after < FIRST_TURN)]

    @property
    def attempts(self) -> int:
        return len(self.writes)


class Run:
    """Three nodes with one rank each, which write until they are told to stop."""

    def __init__(self, cluster: Cluster, keys: str, words: str = "") -> None:
        self.cluster = cluster
        cluster.give("alice", PROGRAMS / "until_told")
        for old in [*cluster.home.glob("writes.*"), cluster.home / "enough"]:
            old.unlink(missing_ok=True)
        self.running = cluster.start(f"salloc -Q -N{NODES} --ntasks-per-node=1 srun "
                                     f"--distributed=torch,grace=1{keys and ','}{keys} ./until_told {words}")
        self.running.await_output("ready attempt=0 ", times=NODES, timeout=90)
        time.sleep(3)  # by then the supervisor has answered each agent

    def _writes(self) -> dict[int, tuple[float, float]]:
        times: dict[int, list[float]] = {}
        for file in self.cluster.home.glob("writes.*"):
            lines = file.read_text().split("\n")[:-1]
            times.setdefault(int(file.name.split(".")[1]), []).extend(map(float, lines))
        return {attempt: (min(found), max(found)) for attempt, found in sorted(times.items()) if found}

    def end(self, timeout: float = 150) -> Ended:
        self.cluster.write("enough", "")
        result = self.running.wait(timeout)
        writes = self._writes()
        return Ended(result, writes, len(re.findall(rf"^done attempt={max(writes)} ", result.out, re.MULTILINE)))


def clean_up(cluster: Cluster) -> None:
    cluster.end_all()
    wait_until(lambda: resumed(cluster), 100, "nodes that can be used")


@pytest.fixture
def clean(own: Cluster) -> Iterator[Cluster]:
    try:
        yield own
    finally:
        own.write("enough", "")
        clean_up(own)


def rank_processes(cluster: Cluster, *nodes: str) -> list[Process]:
    return [process for node in nodes for process in user_processes(cluster, node)
            if "until_told" in process.command and process.name.startswith("python")]


def rank_states(cluster: Cluster, *nodes: str) -> set[str]:
    ranks = rank_processes(cluster, *nodes)
    assert len(ranks) == 2 * len(nodes)
    return {Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] for process in ranks}


def check_that_nothing_happened(ended: Ended) -> None:
    assert (ended.result.code, ended.attempts, ended.done) == (0, 1, NODES), ended.result.err
    assert "lost" not in ended.result.err


def check_that_one_attempt_followed_the_other(ended: Ended, ranks_slept: bool = True) -> None:
    assert (ended.result.code, ended.attempts > 1) == (0, True), ended.result.err
    assert not ended.overlaps(ranks_slept)


RESTARTS = "restarts=3,nodes=2"


# How long the next attempt runs before the thaw, and how long the node remains cut off afterwards.
@pytest.mark.parametrize(("wait", "cut_for"), [(1, 0), pytest.param(20, 5, marks=pytest.mark.long)])
def test_a_node_that_thaws_while_the_next_attempt_runs_writes_nothing_beside_it(clean: Cluster, wait: float,
                                                                                cut_for: float) -> None:
    run = Run(clean, f"{RESTARTS},heartbeat=3")
    with paused(clean, "node2", cut_for):
        run.running.await_output("ready attempt=1 ", times=2, timeout=90)
        time.sleep(wait)
    time.sleep(3)
    check_that_one_attempt_followed_the_other(run.end())


# The cut lasts longer than the agent's stop, or not as long; in the latter case Slurm ends what is left there before
# the agent can.
@pytest.mark.parametrize("cut", ["longer", "shorter", pytest.param("none", marks=pytest.mark.long)])
def test_no_rank_writes_on_while_its_agent_is_stopped_and_its_node_cut_off(clean: Cluster, cut: str) -> None:
    run = Run(clean, f"{RESTARTS},heartbeat=3", "deaf")
    with off_the_network(clean, "node2") if cut != "none" else contextlib.nullcontext():
        with stopped(agent_of("node2")(clean)):
            run.running.await_output("ready attempt=1 ", times=2, timeout=90)
            time.sleep(3)
            if cut == "shorter":
                clean.script("heal", "node2")
                time.sleep(5)
    time.sleep(3)
    check_that_one_attempt_followed_the_other(run.end(), ranks_slept=False)


# The supervisor is stopped as well, so that no other attempt starts.
def test_ranks_go_on_that_stood_still_because_their_agent_and_the_supervisor_were_stopped(clean: Cluster) -> None:
    run = Run(clean, f"{RESTARTS},heartbeat=3")
    with stopped(supervisor(clean) + agent_of("node2")(clean)):
        wait_until(lambda: rank_states(clean, "node2") == {"T"}, 60, "ranks that stand still")
    time.sleep(4)
    check_that_nothing_happened(run.end())


@pytest.mark.parametrize("keys", [f"{RESTARTS},heartbeat=10", pytest.param("", marks=pytest.mark.long)])
def test_a_node_that_pauses_for_less_than_the_heartbeat_costs_nothing(clean: Cluster, keys: str) -> None:
    run = Run(clean, keys)
    with paused(clean, "node2"):
        time.sleep(8)
    time.sleep(2)
    check_that_nothing_happened(run.end())


@pytest.mark.parametrize("found", [agent_of("node2"), guard_of("node2")], ids=["agent", "guard"])
def test_an_agent_that_stops_for_less_than_the_heartbeat_costs_nothing_nor_does_a_stopped_guard(
        clean: Cluster, found: Callable[[Cluster], list[Process]]) -> None:
    run = Run(clean, f"{RESTARTS},heartbeat=5")
    processes = found(clean)
    with stopped(processes):
        time.sleep(3 if processes == clean.agents("node2") else 12)
    time.sleep(2)
    check_that_nothing_happened(run.end())


@pytest.mark.parametrize("keys", [pytest.param(f"{RESTARTS},heartbeat=5", marks=pytest.mark.long), ""])
def test_a_supervisor_that_sleeps_ends_no_run_and_blames_no_node(clean: Cluster, keys: str) -> None:
    run = Run(clean, keys)
    with stopped(supervisor(clean)):
        time.sleep(20)
    time.sleep(4)
    ended = run.end()
    check_that_nothing_happened(ended)
    assert re.search(r"the supervisor did not run for \d+\.?\d* s .*muster blames no node", ended.result.err), ended.result.err


@pytest.mark.parametrize("keys", [f"{RESTARTS},heartbeat=5", pytest.param("", marks=pytest.mark.long)])
def test_a_submit_host_that_is_cut_off_ends_no_run_and_blames_no_node(clean: Cluster, keys: str) -> None:
    run = Run(clean, keys)
    with off_the_network(clean, "login"):
        time.sleep(14)
    time.sleep(6)
    ended = run.end()
    check_that_nothing_happened(ended)
    if keys:
        assert "all nodes fell silent at the same time" in ended.result.err


def test_a_node_that_is_cut_off_ends_no_run_where_no_other_attempt_could_start(clean: Cluster) -> None:
    run = Run(clean, "")
    with off_the_network(clean, "node2"):
        time.sleep(20)
    time.sleep(4)
    check_that_nothing_happened(run.end())


def test_ranks_stand_still_where_another_attempt_could_start(clean: Cluster) -> None:
    run = Run(clean, f"{RESTARTS},heartbeat=3")
    with stopped(supervisor(clean)):
        time.sleep(8)

        assert rank_states(clean, *clean.nodes) == {"T"}
    time.sleep(4)
    check_that_nothing_happened(run.end())


def test_ranks_that_stand_still_do_not_outlive_their_agent(clean: Cluster) -> None:
    run = Run(clean, f"{RESTARTS},heartbeat=3")
    with stopped(supervisor(clean)):
        time.sleep(8)
        (agent,) = clean.agents("node2")
        os.kill(agent.pid, signal.SIGKILL)
        wait_until(lambda: not rank_processes(clean, "node2"), 20, "the end of the ranks")
    run.running.await_output("ready attempt=1 ", times=2, timeout=90)
    check_that_one_attempt_followed_the_other(run.end())


def private_memory(process: Process) -> int:
    """In KiB. The guard shares the agent's other pages."""
    rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    return sum(int(size) for size in re.findall(r"^Private_\w+: +(\d+) kB$", rollup, re.MULTILINE))


def cpu_ticks(process: Process) -> int:
    words = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(words[11]) + int(words[12])


def test_agents_have_guards_only_where_another_attempt_could_start(clean: Cluster) -> None:
    run = Run(clean, "heartbeat=3")
    assert not any(clean.guards(node) for node in clean.nodes)
    check_that_nothing_happened(run.end())
    clean.await_clean()

    run = Run(clean, f"{RESTARTS},heartbeat=3")
    guards = [guard for node in clean.nodes for guard in clean.guards(node)]
    assert len(guards) == NODES
    before = {guard: cpu_ticks(guard) for guard in guards}
    time.sleep(5)
    used = {guard: cpu_ticks(guard) - ticks for guard, ticks in before.items()}
    memory = [private_memory(guard) for guard in guards]
    print(f"guards: {memory} KiB of their own, {list(used.values())} ticks in 5 s")
    assert max(memory) < 2048
    assert max(used.values()) <= 2
    for guard in guards:
        files = [os.readlink(f"/proc/{guard.pid}/fd/{name}") for name in os.listdir(f"/proc/{guard.pid}/fd")]
        kinds = [file.split(":")[0] for file in files]
        assert sorted(set(kinds)) == ["/dev/null", "anon_inode", "pipe"], files
        assert (kinds.count("anon_inode"), kinds.count("pipe")) == (1, 1), files  # its rank's, its agent's
    check_that_nothing_happened(run.end())
    clean.await_clean()


KINDS: dict[str, Callable[[Cluster, str], list[Process]]] = {
    "a node": lambda cluster, node: of_node(node)(cluster),
    "an agent": lambda cluster, node: agent_of(node)(cluster),
    "the supervisor": lambda cluster, node: supervisor(cluster),
    "everything": lambda cluster, node: everything(cluster),
}


def pause_by_chance(cluster: Cluster, number: int) -> tuple[str, list[str]]:
    """What was done, and what is wrong."""
    chance = random.Random(f"{SEED}/{number}")
    kind, node = chance.choice(list(KINDS)), chance.choice(cluster.nodes)
    restarts, cut = chance.random() < 0.5, chance.random() < 0.4
    seconds = chance.uniform(1, 60) if chance.random() < 0.5 else chance.uniform(1, 20)
    heartbeat = chance.choice([3, 5, 10])
    keys = f"{RESTARTS},heartbeat={heartbeat}" if restarts else ""
    host = "login" if kind == "the supervisor" else node
    later = chance.uniform(0.5, 4) if cut and chance.random() < 0.5 else 0.0
    shown = (f"{number}: {kind} ({host}) for {seconds:.1f} s, {'cut off' if cut else 'connected'}"
             f"{later and f', for {later:.1f} s longer' or ''}, keys {keys or 'none'}")
    run = Run(cluster, keys)
    if kind == "a node":
        with paused(cluster, node, later):
            time.sleep(seconds)
    else:
        with off_the_network(cluster, host) if cut else contextlib.nullcontext():
            with stopped(KINDS[kind](cluster, node)):
                time.sleep(seconds)
                if cut and not later:
                    cluster.script("heal", host)
            time.sleep(later)
    time.sleep(5)
    ended = run.end(200)
    wrong = ended.overlaps(ranks_slept=kind != "an agent")
    if ended.result.code != 0:
        wrong.append(f"lost: code {ended.result.code}")
    if not restarts and (ended.attempts, ended.done) != (1, NODES):
        wrong.append(f"lost: {ended.done} ranks are done")
    short = seconds + later < heartbeat - 1
    if restarts and ended.attempts > 1 and (short or kind == "the supervisor" and not cut):
        wrong.append(f"{ended.attempts} attempts")
    first_turn = "".join(f", {text}" for text, _ in ended.beside)
    return f"{shown}: {ended.attempts} attempts{first_turn}", [*wrong, *([ended.result.err] if wrong else [])]


@pytest.mark.skipif(COUNT == 0, reason="MUSTER_RANDOM_PAUSES says how many")
def test_no_pause_starts_two_attempts_at_once_or_ends_a_healthy_run(own: Cluster) -> None:
    failed = []
    for number in range(FIRST, FIRST + COUNT):
        try:
            shown, wrong = pause_by_chance(own, number)
        except AssertionError as error:
            shown, wrong = f"{number}: no verdict", [str(error)]
        print(f"{shown}{' WRONG: ' if wrong else ''}{'; '.join(wrong)}", flush=True)
        failed += [f"{shown}: {wrong}"] if wrong else []
        own.write("enough", "")
        clean_up(own)
    assert not failed, f"{len(failed)} of {COUNT} (seed {SEED}):\n" + "\n".join(failed)
