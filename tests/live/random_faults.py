"""Random faults in a training job that restarts: each is injected immediately, and undone some time later."""

import os
import random
import signal
import time
from collections.abc import Callable

from cluster import Cluster
from processes import Process
from waiting import wait_until

Undo = Callable[[], None]


def nothing() -> None:
    pass


def signal_all(processes: list[Process], number: signal.Signals) -> None:
    for process in processes:
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            pass


def ranks_of(cluster: Cluster, node: str) -> list[Process]:
    return [process for process in cluster.processes(node) if "/train " in process.command and process.name.startswith("python")]


def agents_of(cluster: Cluster, node: str) -> list[Process]:
    return [process for process in cluster.processes(node) if process.name == "muster-agent"]


def signal_rank(number: signal.Signals) -> Callable[[Cluster, str], Undo]:
    def fault(cluster: Cluster, node: str) -> Undo:
        signal_all(ranks_of(cluster, node)[:1], number)
        return nothing

    return fault


def cut_off(cluster: Cluster, node: str) -> Undo:
    cluster.script("cut", node)
    return lambda: cluster.script("heal", node)


def cut_one_way(sender: str | None, receiver: str | None) -> Callable[[Cluster, str], Undo]:
    """None stands for the node that the fault is for."""
    def fault(cluster: Cluster, node: str) -> Undo:
        way = [sender or node, receiver or node]
        if way[0] == way[1]:
            return nothing
        cluster.script("cut", *way)
        return lambda: cluster.script("heal", *way)

    return fault


def end_daemon(daemon: str) -> Callable[[Cluster, str], Undo]:
    def fault(cluster: Cluster, node: str) -> Undo:
        running = [process for process in cluster.processes(node) if process.name == daemon]
        signal_all(running, signal.SIGKILL)
        return lambda: start_again(cluster, node) if daemon == "slurmd" else None

    return fault


def start_again(cluster: Cluster, node: str) -> None:
    wait_until(lambda: not any(process.name == "slurmd" for process in cluster.processes(node)), 10, "slurmd's end")
    cluster.script("start", node, "slurmd")


def end_agent(cluster: Cluster, node: str) -> Undo:
    signal_all(agents_of(cluster, node), signal.SIGKILL)
    return nothing


def end_controller(cluster: Cluster, node: str) -> Undo:
    del node

    def controllers() -> set[int]:
        return {process.pid for process in cluster.processes("ctl") if process.name == "slurmctld"}

    ended = controllers()
    cluster.run("scontrol shutdown slurmctld", user="root")

    def start() -> None:
        wait_until(lambda: not controllers() & ended, 20, "its end")
        if not controllers():  # another fault of the same kind may already have started it
            cluster.script("start", "ctl", "slurmctld")

    return start


def with_a_rank(fault: Callable[[Cluster, str], Undo]) -> Callable[[Cluster, str], Undo]:
    """For a fault that costs no attempt by itself: a rank is also killed."""
    def both(cluster: Cluster, node: str) -> Undo:
        undo = fault(cluster, node)
        signal_rank(signal.SIGKILL)(cluster, node)
        return undo

    return both


DOWN = "a node is cut off until Slurm marks it down"

# Kind to fault, and the number of seconds after which it is undone.
KINDS: dict[str, tuple[Callable[[Cluster, str], Undo], tuple[float, float]]] = {
    "a rank is killed": (signal_rank(signal.SIGKILL), (0, 0)),
    "a rank aborts": (signal_rank(signal.SIGABRT), (0, 0)),
    "a rank exits with a code": (signal_rank(signal.SIGUSR1), (0, 0)),
    "a node is cut off, and soon reconnects": (cut_off, (2, 5)),
    "a node is cut off": (cut_off, (5, 12)),
    DOWN: (cut_off, (40, 40)),
    "a node is cut off for a second": (cut_off, (1, 1)),
    "a node cannot reach the supervisor": (cut_one_way(None, "login"), (3, 10)),
    "the supervisor cannot reach a node": (cut_one_way("login", None), (3, 10)),
    "a node cannot reach another node": (cut_one_way(None, "node1"), (2, 10)),
    "slurmd and a rank are killed": (with_a_rank(end_daemon("slurmd")), (0, 6)),
    "slurmstepd is killed": (end_daemon("slurmstepd"), (0, 0)),
    "the agent is killed": (end_agent, (0, 0)),
    "the agent and a rank are killed": (with_a_rank(end_agent), (0, 0)),
    "slurmctld restarts, and a rank is killed": (with_a_rank(end_controller), (0, 4)),
}


class Fault:
    def __init__(self, chance: random.Random, nodes: list[str], kind: str | None = None, node: str | None = None,
                 attempt: int = 0) -> None:
        self.kind = kind or chance.choice(list(KINDS))
        self.node = node or chance.choice(nodes)
        self.attempt = attempt
        self.delay = chance.uniform(0, 1.5)
        self.heals_after = chance.uniform(*KINDS[self.kind][1])
        self.time = 0.0
        self._undo: Undo = nothing
        self._healed = False

    def happen(self, cluster: Cluster) -> None:
        self.time = time.time()
        self._undo = KINDS[self.kind][0](cluster, self.node)

    @property
    def happened(self) -> bool:
        return self.time != 0

    def heal_when_due(self, at_once: bool = False) -> None:
        if self.happened and not self._healed and (at_once or time.time() > self.time + self.heals_after):
            self._healed = True
            self._undo()

    def __str__(self) -> str:
        return f"{self.kind} ({self.node}, attempt {self.attempt}, after {self.delay:.2f} s, for {self.heals_after:.1f} s)"
