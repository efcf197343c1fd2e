"""A step that fails, usually of the `fault` program, and muster's report about it."""

import json
from dataclasses import dataclass
from typing import Any

from cluster import PROGRAMS, Cluster
from command import Command, Result
from processes import Process

NEVER = "exit 1 100000"  # all ranks wait forever


@dataclass(frozen=True)
class Reported:
    result: Result
    report: dict[str, Any]

    @property
    def verdict(self) -> tuple[str, str]:
        return self.report["result"], self.report["cause"]

    @property
    def first(self) -> dict[str, Any]:
        return self.report["first"]

    @property
    def screen(self) -> list[str]:
        """The report as the user sees it."""
        lines = self.result.err.splitlines()
        return lines[lines.index("=" * 60):]

    def victims(self, *kinds: str) -> int:
        return sum(victims["count"] for victims in self.report["victims"] if victims["kind"] in kinds)

    def remark(self, node: str) -> str:
        (record,) = [record for record in self.report["nodes"] if record["node"] == node]
        return record["remark"] or ""


def reported(cluster: Cluster, result: Result) -> Reported:
    report = cluster.home / "report.json"
    assert report.exists(), result.err
    return Reported(result, json.loads(report.read_text()))


def fail(cluster: Cluster, program: str, *, keys: str = "grace=2", options: str = "-N3 -n6", timeout: float = 20,
         env: dict[str, str] | None = None) -> Reported:
    """Runs a step from its start to its report."""
    (cluster.home / "report.json").unlink(missing_ok=True)
    return reported(cluster, cluster.srun(f"--distributed=torch,report=report.json,{keys} {options} {program}",
                                          timeout=timeout, env=env))


class RunningStep:
    def __init__(self, cluster: Cluster, running: Command) -> None:
        self.cluster = cluster
        self.running = running

    def await_ranks(self, ranks: int) -> None:
        self.running.await_output("ready", times=ranks)

    def end(self, timeout: float = 30) -> Reported:
        return reported(self.cluster, self.running.wait(timeout))


def start_step(cluster: Cluster, arguments: str = NEVER, *, keys: str = "grace=2,heartbeat=3", options: str = "",
               nodes: int = 3, ranks: int = 6, program: str = "fault") -> RunningStep:
    """Returns when all ranks are running; there are two on each node unless `ranks` is given."""
    cluster.give("alice", PROGRAMS / program)
    (cluster.home / "report.json").unlink(missing_ok=True)
    step = RunningStep(cluster, cluster.start(
        f"srun --distributed=torch,report=report.json,{keys} {options} -N{nodes} -n{ranks} ./{program} {arguments}"))
    step.await_ranks(ranks)
    assert program != "fault" or len([rank for node in cluster.nodes for rank in ranks_on(cluster, node)]) == ranks
    return step


def ranks_on(cluster: Cluster, node: str) -> list[Process]:
    return [process for process in cluster.processes(node)
            if process.name.startswith("python3") and "/fault " in process.command]
