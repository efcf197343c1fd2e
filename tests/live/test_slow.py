"""slow=: on real nodes, the rank that holds all others up is named with the reason, and nobody in a healthy run.

    MUSTER_TORCH=DIR[:DIR]      a torch with a flight recorder: the folders that PYTHONPATH needs for it
    MUSTER_SLOW_RUNS=N          how often each case runs; 1 if not set
"""

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from control_groups import GROUPS
from waiting import wait_until

TORCH = os.environ.get("MUSTER_TORCH", "")
RUNS = range(int(os.environ.get("MUSTER_SLOW_RUNS", "1")))
SECONDS = 170  # the first minute does not count
SLOW_RANK = 1

pytestmark = pytest.mark.skipif(not TORCH, reason="needs a torch with a flight recorder: MUSTER_TORCH")


def slow_rank(name: str) -> int:
    """Its process on this machine."""
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and b"python" in (process / "comm").read_bytes():
                variables = (process / "environ").read_bytes().split(b"\0")
                if f"RUN_NAME={name}".encode() in variables and f"RANK={SLOW_RANK}".encode() in variables:
                    return int(process.name)
    return 0


@contextlib.contextmanager
def throttled(pid: int) -> Iterator[None]:
    """12 % of a CPU, by a control group of its own: version 1, as the machine that runs these tests has it."""
    group = GROUPS / "cpu" / f"muster-slow-{os.getpid()}"
    group.mkdir()
    try:
        (group / "cpu.cfs_quota_us").write_text("12000")
        (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        wait_until(lambda: not (group / "cgroup.procs").read_text(), 60, "the end of the rank")
        group.rmdir()


def run(cluster: Cluster, case: str, throttle: bool = False) -> tuple[str, list]:
    """The lines of slow=, and what the report has."""
    name = f"{case}-{os.getpid()}-{time.monotonic_ns()}"
    variables = {"PYTHONPATH": TORCH, "OMP_NUM_THREADS": "1", "RUN_NAME": name, "CASE": case,
                 "SLOW_RANK": str(SLOW_RANK), "SECONDS": str(SECONDS)}
    cluster.shell("rm -f slow.json")
    step = cluster.start("srun --distributed=torch,slow=on,report=slow.json -N3 -n3 ./slow_training", env=variables)
    with contextlib.ExitStack() as stack:
        if throttle:
            wait_until(lambda: slow_rank(name) or not step.running, 60, "the slow rank")
            stack.enter_context(throttled(slow_rank(name)))
        result = step.wait(SECONDS + 200)
    assert result.code == 0, result.err
    lines = [line for line in result.err.splitlines() if "slow=:" in line]
    return "\n".join(lines), json.loads((cluster.home / "slow.json").read_text())["slow"]


@pytest.mark.parametrize("number", RUNS)
@pytest.mark.parametrize(("case", "cause"), [
    ("throttled", "its CPUs are throttled"), ("loader", "it waits for data"), ("sleep", "it waits"), ("computes", "it computes longer")])
def test_a_slow_rank_is_named_with_the_reason(cluster: Cluster, case: str, cause: str, number: int) -> None:
    lines, slow = run(cluster, case, throttle=case == "throttled")
    assert len(slow) == 1, lines
    assert (slow[0]["rank"], slow[0]["node"]) == (SLOW_RANK, f"node{SLOW_RANK + 1}"), lines
    assert slow[0]["cause"].startswith(cause), lines
    assert lines.count("arrives last in") == 1 and cause in lines


@pytest.mark.parametrize("number", RUNS)
@pytest.mark.parametrize("case", ["healthy", "batches", "evaluation", "checkpoint"])
def test_nobody_is_named_in_a_healthy_run(cluster: Cluster, case: str, number: int) -> None:
    lines, slow = run(cluster, case)
    assert (lines, slow) == ("", [])
