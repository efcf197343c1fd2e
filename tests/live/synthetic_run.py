"""Directories as logs= leaves them, of runs that are too large for any test machine: docs/guides/output.md describes the
format."""

import json
import os
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

BEGIN = datetime(2026, 1, 1, 12, 0, 0, tzinfo=timezone.utc)
TRACEBACK = """Traceback (most recent call last):
  File "/home/alice/train_ddp.py", line 212, in <module>
    main()
  File "/home/alice/train_ddp.py", line 198, in main
    loss = train_one_epoch(model, loader, optimizer, scaler, epoch)
  File "/home/alice/train_ddp.py", line 141, in train_one_epoch
    raise RuntimeError(f"loss is {loss} at step {step} of epoch {epoch}")
RuntimeError: loss is nan at step 1871 of epoch 3
"""


def at(seconds: float | None) -> str | None:
    """A moment of the run, in the report's format."""
    if seconds is None:
        return None
    return (BEGIN + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:23] + "Z"


def times(launch: float, first: float, started: float, failure: float | None, ending: float | None, over: float) -> dict:
    return {"launch": at(launch), "first_start": at(first), "all_started": at(started), "failure": at(failure),
            "ending": at(ending), "last_end": at(over - 0.1), "over": at(over), "first_agent": at(launch + 1.2),
            "rendezvous_begin": at(launch + 1.5), "rendezvous_end": at(launch + 2.9)}


@dataclass
class Synthetic:
    """A run of two attempts: a rank of the first fails, and a rank of the second unless `well` is set."""

    nodes: int = 64
    ranks_per_node: int = 8
    cpus: int = 96
    job: int = 4711
    program: str = "train_ddp.py"
    reason: str = "RuntimeError: loss is nan at step 1871 of epoch 3"
    traceback: str = TRACEBACK
    node_name: str = "gpu{:03d}"
    well: bool = False
    late: int = 77  # this rank is late to join libmuster
    failed: int = 0
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = [self.node_name.format(i) for i in range(self.nodes)]
        self.failed = self.ranks * 3 // 5

    @property
    def ranks(self) -> int:
        return self.nodes * self.ranks_per_node

    def node_of(self, rank: int) -> str:
        return self.names[rank // self.ranks_per_node]

    def plan(self, logs: str) -> dict:
        share = self.cpus // self.ranks_per_node

        def rank(number: int) -> dict:
            local = number % self.ranks_per_node
            first = local * share
            return {"rank": number, "procid": number, "local_rank": local, "node_rank": number // self.ranks_per_node,
                    "node": self.node_of(number), "numa": str(local * 2 // self.ranks_per_node), "memory": "preferred",
                    "cpus": f"{first}-{first + share - 1},{self.cpus + first}-{self.cpus + first + share - 1}",
                    "gpus": [{"index": local, "busid": f"0000:{local * 16 + 7:02x}:00.0", "uuid": None}],
                    "nics": [f"mlx5_{local}"], "env": {"RANK": {"value": str(number), "origin": "slurm"}}}

        return {"version": 1, "profile": "torch", "master": {"addr": "10.0.0.1", "port": 29512, "node": self.names[0]},
                "ranks": [rank(number) for number in range(self.ranks)], "warnings": [], "logs": logs}

    def first(self, rank: int, seconds: float) -> dict:
        return {"rank": rank, "local_rank": rank % self.ranks_per_node, "node": self.node_of(rank), "pid": 40000 + rank,
                "time": at(seconds), "time_error_seconds": 0.0004, "code": 1, "signal": None, "core_dumped": False,
                "out_of_memory": False, "ended_by_muster": False, "lost_peer": False, "end": at(seconds + 0.4),
                "reason": self.reason, "traceback": self.traceback, "last_lines": [], "last_lines_file": None}

    def attempt(self, number: int, rank: int | None, when: dict) -> dict:
        seconds = (datetime.fromisoformat(when["over"][:-1]) - datetime.fromisoformat(when["launch"][:-1])).total_seconds()
        return {"number": number, "step": f"{self.job}.{number}", "nodes": self.names, "ranks": self.ranks,
                "result": "ok" if rank is None else "failed", "seconds": seconds,
                "cause": None if rank is None else "program",
                "reason": None if rank is None else f"rank {rank} on {self.node_of(rank)}: exit code 1 ({self.reason})",
                "first_rank": rank, "first_node": None if rank is None else self.node_of(rank), "lost_nodes": [],
                "times": when}

    def report(self, number: int) -> dict:
        rounds = [(5 % self.ranks, times(0, 4.1, 6.8, 3011.4, 3011.6, 3017.2)),
                  (None if self.well else self.failed,
                   times(3019.9, 3023.2, 3025.4, None if self.well else 9120.3, None if self.well else 9120.5, 9126.0))]
        attempts = [self.attempt(i, rank, when) for i, (rank, when) in enumerate(rounds[:number + 1])]
        rank, when = rounds[number]
        launch = datetime.fromisoformat(when["launch"][:-1]).replace(tzinfo=timezone.utc)
        begin = (launch - BEGIN).total_seconds()
        first = None if rank is None else self.first(rank, 3011.4 if number == 0 else 9120.3)
        peers = [] if rank is None else [each for each in (rank - 1, rank + 1) if 0 <= each < self.ranks]
        others = "" if rank is None else ",".join(
            f"{a}-{b}" for a, b in ((0, min([rank, *peers]) - 1), (max([rank, *peers]) + 1, self.ranks - 1)) if a <= b)
        victims = [] if rank is None else [
            {"kind": "ended_by_muster", "count": self.ranks - 1 - len(peers), "ranks": others},
            {"kind": "lost_peer", "count": len(peers), "ranks": ",".join(map(str, peers))}]
        nodes = [{"node": name, "state": "done", "ranks": self.ranks_per_node, "last_word": when["over"],
                  "agent_start": at(begin + 1.2 + (i * 29 % 97) / 300), "rendezvous_end": at(begin + 2.89 + i % 2 / 100),
                  "rendezvous_begin": at(begin + (2.85 if i == self.nodes // 2 else 1.5 + (i * 31 % 89) / 300)),
                  "first_start": at(begin + 3.3 + (i * 37 % 101) / 46), "stuck_ranks": [], "remark": None}
                 for i, name in enumerate(self.names)]
        return {"version": 1, "result": attempts[-1]["result"], "exit_code": 0 if rank is None else 1, "srun_exit_code": 0,
                "cause": attempts[-1]["cause"], "program": self.program, "without_slurm": False,
                "summary": "the run ended well" if rank is None
                else f"rank {rank} on {self.node_of(rank)} failed first: {self.reason}",
                "first": first, "others": [], "left_early": [], "victims": victims, "lost_nodes": [], "hang": None,
                "times": when, "signals": [], "slurm": {"job_state": None, "reason": None}, "attempts": attempts,
                "preflight": None, "effective": {}, "nodes": nodes}

    def times(self, rank: int) -> str:
        """For muster:// and then NCCL, in microseconds since the agents met."""
        join = 6_000_000 + rank * 7919 % 900_000 + (2_500_000 if rank == self.late else 0)
        met = 9_420_000 + rank % 13 * 100
        store = met + 12_000 + rank * 31 % 9_000
        phases = [(join, join + 24_000 + rank * 17 % 6_000, "own ok join"),
                  (join + 31_000, met, "all ok exchange 'torch store's address'"),
                  (met, store, "own ok torch store's connection"),
                  (store, met + 26_000, "all ok exchange 'torch store's clients'"),
                  (met + 26_100, met + 31_000, "all ok exchange 'torch store's verdict'"),
                  (met + 31_100, met + 33_000 + rank * 13 % 900, "own ok leave")]
        lines = [f"phase {begin} {end} {rest}" for begin, end, rest in phases]
        return "\n".join(["muster times 1", "transport pmix", f"node {self.node_of(rank)}", *lines, ""])

    def write(self, directory: Path) -> Path:
        """Writes all of it; returns `directory`."""
        for number in range(2):
            folder = directory / f"{self.job}.{number}-attempt-{number}"
            folder.mkdir(parents=True)
            (folder / "plan.json").write_text(json.dumps(self.plan(str(folder))))
            (folder / "report.json").write_text(json.dumps(self.report(number)))
            for rank in range(self.ranks):
                lines = 4 + rank % 7 + (900 if rank == 0 else 0)
                (folder / f"rank-{rank}.out").write_text("epoch 3 step 1871 loss nan\n" * lines)
                (folder / f"rank-{rank}.times").write_text(self.times(rank), errors="surrogateescape")
                (folder / f"rank-{rank}.err").write_text("warning: something\n" * (rank % 3))
            (folder / f"rank-{self.failed}.err").write_text(self.traceback, errors="surrogateescape")
        os.symlink(f"{self.job}.1-attempt-1", directory / "latest")
        return directory
