"""What failures cost: the report's effective time beside the truth of a program that logs its own steps.

MUSTER_COST_RUNS=50 sets the number of random runs, 4 by default, of which five run at a time; MUSTER_COST_TABLE=FILE
writes a line for each."""

import json
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cluster import PROGRAMS, Cluster
from command import Command

RUNS = int(os.environ.get("MUSTER_COST_RUNS", "4"))
AT_ONCE = 5
MODES = ["step", "checkpoint", "json", "bytes"]
STEPS = 300  # about 30 s


@dataclass
class Counting:
    """A run of the `counting` program in a folder of its own."""

    command: Command
    folder: Path
    mode: str
    seed: int

    @staticmethod
    def start(cluster: Cluster, mode: str, seed: int, *, keys: str = "", env: dict[str, str] | None = None) -> "Counting":
        folder = cluster.write(f"cost-{seed}/counting", (PROGRAMS / "counting").read_text()).parent
        (folder / "counting").chmod(0o755)
        option = f"--distributed=torch,restarts=9,progress=progress,report=report.json,grace=1{keys}"
        line = f"cd {folder.name} && salloc -Q -N2 -n4 --oversubscribe srun {option} ./counting {mode} {STEPS} {seed}"
        return Counting(cluster.start(f"bash -c '{line}'", env=env), folder, mode, seed)

    def end(self) -> tuple[dict[str, Any], float]:
        """What the report says of the time, with the number of attempts; and the true share of the steps that no later
        attempt did again."""
        result = self.command.wait(240)
        assert result.code == 0, result.err
        report = json.loads((self.folder / "report.json").read_text())
        effective = {**report["effective"], "attempts": len(report["attempts"])}
        kept = {}
        for line in (self.folder / "steps.log").read_text().splitlines():
            _, step, seconds = line.split()
            kept[int(step)] = float(seconds)
        truth = sum(kept.values()) / effective["wall_seconds"]
        if "MUSTER_COST_TABLE" in os.environ:
            with Path(os.environ["MUSTER_COST_TABLE"]).open("a") as table:
                table.write(f"{self.mode} {self.seed} {len(report['attempts'])} {effective['wall_seconds']} {truth:.4f} "
                            f"{effective['share']:.4f} {effective['lost_work_seconds']} {effective['startup_seconds']}\n")
        return effective, truth

    def tolerance(self, effective: dict[str, Any]) -> float:
        """A point. If the program writes only after each checkpoint, nobody sees when its first step began: muster takes the
        usual time between two checkpoints, which varies by some percent, for each attempt."""
        if self.mode in ("step", "json"):
            return 0.01
        between = random.Random(self.seed).choice([5, 10, 20, 40]) * 0.1  # as in the program
        return 0.01 + effective["attempts"] * 0.1 * between / effective["wall_seconds"]


@pytest.mark.parametrize("first", range(0, RUNS, AT_ONCE))
def test_the_effective_time_is_within_a_point_of_the_truth(cluster: Cluster, first: int) -> None:
    runs = [Counting.start(cluster, MODES[seed % len(MODES)], seed) for seed in range(first, min(first + AT_ONCE, RUNS))]
    wrong = []
    for run in runs:
        effective, truth = run.end()
        assert effective["lost_work_seconds"] is not None
        if abs(effective["share"] - truth) > run.tolerance(effective):
            wrong.append((run.mode, run.seed, truth, effective))
    assert not wrong


# hang=5s notices when a hang began to within half a second: a point or two of so short a run.
@pytest.mark.long
def test_a_hang_is_a_part_of_its_own(cluster: Cluster) -> None:
    effective, truth = Counting.start(cluster, "step", 100, keys=",hang=5s+restart", env={"HANG": "1"}).end()
    assert effective["hang_seconds"] > 4
    assert effective["share"] == pytest.approx(truth, abs=0.02)


GROUPED = """
import os, sys, time
begun = time.time()
time.sleep(1.5)
import torch.distributed as dist
dist.init_process_group("gloo")
grouped = time.time()
attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
if dist.get_rank() == 0:
    with open("grouped.log", "a") as log:
        print(grouped - begun, file=log)
dist.barrier()
time.sleep(4)
if attempt == 0 and dist.get_rank() == 1:
    raise RuntimeError("by chance")
dist.barrier()
"""


def test_without_progress_only_the_limits_are_known(cluster: Cluster) -> None:
    cluster.shell("rm -f grouped.log limits.json")
    cluster.write("grouped.py", GROUPED)
    result = cluster.srun("-N2 -n2 --distributed=torch,restarts=1,report=limits.json python3 grouped.py", timeout=120)
    assert result.code == 0, result.err
    effective = json.loads((cluster.home / "limits.json").read_text())["effective"]
    starts = [float(line) for line in (cluster.home / "grouped.log").read_text().split()]
    assert len(starts) == 2
    # The program's own clock begins once Python has started.
    assert sum(starts) - 0.2 < effective["startup_seconds"] < sum(starts) + 4
    assert effective["lost_work_seconds"] is None
    assert 3.9 < effective["lost_work_limit_seconds"] < 6  # all that attempt 0 did
    assert effective["share"] * effective["wall_seconds"] > 8  # what both attempts did, and how they ended
    assert "trained at most" in result.err and "lost work at most" in result.err and "program start at least" in result.err
