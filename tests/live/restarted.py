"""A step of the `resume` program under restarts=, and what its attempts did."""

import json
import re
from dataclasses import dataclass
from typing import Any

from cluster import PROGRAMS, Cluster
from command import Command, Result
from waiting import wait_until


@dataclass(frozen=True)
class Rank:
    attempt: int
    rank: int
    world: int
    node: str
    most: int
    port: int


def ranks_in(out: str, word: str = "ready") -> list[Rank]:
    found = re.findall(rf"{word} attempt=(\d+) rank=(\d+) world=(\d+) node=(\S+) most=(\d+) port=(\d+)", out)
    return [Rank(int(attempt), int(rank), int(world), node, int(most), int(port))
            for attempt, rank, world, node, most, port in found]


@dataclass(frozen=True)
class Restarted:
    result: Result
    report: dict[str, Any] | None

    def of(self, attempt: int) -> list[Rank]:
        return sorted((rank for rank in ranks_in(self.result.out) if rank.attempt == attempt), key=lambda rank: rank.rank)

    def nodes(self, attempt: int) -> list[str]:
        return sorted({rank.node for rank in self.of(attempt)})

    @property
    def attempts(self) -> int:
        return len({rank.attempt for rank in ranks_in(self.result.out)})

    @property
    def done(self) -> list[Rank]:
        return ranks_in(self.result.out, "done")


class Training:
    """`line` contains RESUME in place of the program, and KEYS in the option's value."""

    def __init__(self, cluster: Cluster, line: str, *, keys: str = "restarts=3", arguments: str = "1",
                 env: dict[str, str] | None = None) -> None:
        self.cluster = cluster
        cluster.give("alice", PROGRAMS / "resume")
        for old in [*cluster.home.glob("writes.*"), cluster.home / "report.json"]:
            old.unlink(missing_ok=True)
        option = f"--distributed=torch,report=report.json,{keys}"
        self.running: Command = cluster.start(line.replace("OPTION", option).replace("RESUME", f"./resume {arguments}"),
                                              env=env)

    def await_attempt(self, attempt: int, ranks: int, timeout: float = 60) -> None:
        self.running.await_output(f"ready attempt={attempt} ", times=ranks, timeout=timeout)

    def await_error(self, text: str, timeout: float = 60) -> None:
        wait_until(lambda: text in self.running.err or not self.running.running, timeout, f"{text!r} from {self.running}")
        assert text in self.running.err, f"no {text!r} from {self.running}"

    def end(self, timeout: float = 60) -> Restarted:
        result = self.running.wait(timeout)
        report = self.cluster.home / "report.json"
        return Restarted(result, json.loads(report.read_text()) if report.exists() else None)

    def writes(self, attempt: int) -> list[float]:
        """When the ranks of that attempt wrote, by the clock that all nodes share here."""
        files = self.cluster.home.glob(f"writes.{attempt}.*")
        whole_lines = (file.read_text().split("\n")[:-1] for file in files)
        return sorted(float(line) for lines in whole_lines for line in lines)

    def overlap(self) -> list[str]:
        """Attempts that wrote at the same time as a later one."""
        last = max(int(file.name.split(".")[1]) for file in self.cluster.home.glob("writes.*"))
        found = []
        for attempt in range(last):
            ours, next_ones = self.writes(attempt), self.writes(attempt + 1)
            if ours and next_ones and ours[-1] >= next_ones[0]:
                found.append(f"attempt {attempt} wrote {ours[-1] - next_ones[0]:.2f} s beside the next")
        return found
