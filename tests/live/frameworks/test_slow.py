"""slow= with programs as people write them: Hugging Face's Trainer and Lightning, with gradient accumulation, evaluation
and checkpoints. Nobody is named in a healthy run, and a rank that reads its data at half the speed is.

    MUSTER_SLOW_MINUTES=N   how long a healthy run trains; 4 if not set
    MUSTER_SLOW_RUNS=N      how many healthy runs of each program there are, all at the same time; 1 if not set

On a machine that is busy with other things, ranks are rightly named for having to wait for a CPU.
"""

import contextlib
import json
import os
from collections.abc import Iterator

import pytest
from cluster import Cluster
from command import Command
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS
from own_cluster import left_clean, own_cluster
from waiting import wait_until

PYTHON = ENVIRONMENTS / "torch" / "bin" / "python"
SECONDS = 60 * float(os.environ.get("MUSTER_SLOW_MINUTES", "4"))
RUNS = int(os.environ.get("MUSTER_SLOW_RUNS", "1"))
SECONDS_SLOW = 300  # of a run with a slow rank, at most; the first minute does not count
STEADY = ("trainer", "lightning")
NAMES = "arrives last in"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with own_cluster("steady", 3, "--cpus", "32") as cluster, left_clean(cluster):
        cluster.give("alice", PROGRAMS / "steady_data.py")
        yield cluster


@contextlib.contextmanager
def training(cluster: Cluster, program: str, name: str, seconds: float, slow_rank: str = "") -> Iterator[Command]:
    cluster.give("alice", PROGRAMS / f"steady_{program}.py")
    step = cluster.start(
        f"srun -N3 -n3 -c2 --distributed={'torch' if program == 'trainer' else program},slow=on,report={name}.json "
        f"{PYTHON} steady_{program}.py {seconds}",
        env={"OMP_NUM_THREADS": "1", "RUN_NAME": name, "SLOW_RANK": slow_rank, "HF_HUB_OFFLINE": "1"})
    try:
        yield step
    finally:
        step.kill()


def test_nobody_is_named_in_healthy_runs_of_real_programs(cluster: Cluster) -> None:
    with contextlib.ExitStack() as stack:
        steps = {name: stack.enter_context(training(cluster, program, name, SECONDS))
                 for number in range(RUNS) for program in STEADY for name in [f"{program}-{number}"]}
        results = {name: step.wait(2 * SECONDS + PATIENCE) for name, step in steps.items()}
    for name, result in results.items():
        assert result.code == 0, f"{name}: {result.err}"
        assert "slow=: " not in result.err, f"{name}: {result.err}"
        assert json.loads((cluster.home / f"{name}.json").read_text())["slow"] == [], name


@pytest.mark.parametrize("program", STEADY)
def test_a_rank_that_reads_its_data_slowly_is_named(cluster: Cluster, program: str) -> None:
    with training(cluster, program, f"slow-{program}", SECONDS_SLOW, "1") as step:
        wait_until(lambda: NAMES in step.err or not step.running, SECONDS_SLOW + PATIENCE, "a name")
        line, = [line for line in step.err.splitlines() if NAMES in line]
    assert "slow=: rank 1 on node2 arrives last in" in line, line
    assert "it waits" in line, line
