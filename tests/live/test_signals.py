"""Which signals reach the ranks, and how often: as with plain srun, and no rank gets a signal twice."""

import time
from pathlib import Path

import pytest
from cluster import Cluster
from waiting import wait_until

OPTIONS = ["", "--distributed=torch", "--distributed=torch,restarts=1", "--distributed=torch,requeue=1"]


def files(cluster: Cluster) -> list[Path]:
    return sorted(cluster.home.glob("signals.*"))


def received(cluster: Cluster) -> list[list[str]]:
    return [file.read_text().split() for file in files(cluster)]


def submitted(cluster: Cluster, option: str) -> str:
    for file in files(cluster):
        file.unlink()
    cluster.write("job.sh", f"#!/bin/bash\ntrap : USR1 USR2\nsrun {option} -N2 -n2 ./signalled\n")
    job = cluster.run("sbatch --parsable -N2 --output=/dev/null job.sh").out.strip()
    wait_until(lambda: len(files(cluster)) == 2, 30, "both ranks")
    time.sleep(0.5)  # by then the agents have told the supervisor about the ranks
    return job


def ended(cluster: Cluster, job: str) -> None:
    cluster.run(f"scancel --signal=KILL {job}")
    cluster.run(f"scancel {job}")
    wait_until(lambda: not cluster.run("squeue -h").out.strip(), 30, "the job's end")


@pytest.mark.parametrize("option", OPTIONS)
def test_a_job_that_is_cancelled_gives_each_rank_one_sigterm(cluster: Cluster, option: str) -> None:
    """Slurm sends it to the batch step and the other steps alike, so forwarding it would deliver it twice."""
    job = submitted(cluster, option)
    cluster.run(f"scancel {job}")
    wait_until(lambda: all(received(cluster)), 10, "a signal")
    time.sleep(2)
    assert received(cluster) == [["SIGTERM"], ["SIGTERM"]]
    ended(cluster, job)


@pytest.mark.parametrize("option", OPTIONS[:2])
@pytest.mark.parametrize(("how", "signals"), [
    ("--signal=TERM {job}", ["SIGTERM"]),
    ("--signal=TERM {job}.0", ["SIGTERM"]),
    ("--signal=USR1 {job}", ["SIGUSR1"]),
    ("--full --signal=USR2 {job}", ["SIGUSR2"]),
])
def test_a_signal_of_scancel_reaches_each_rank_once(
        cluster: Cluster, option: str, how: str, signals: list[str]) -> None:
    job = submitted(cluster, option)
    cluster.run(f"scancel {how.format(job=job)}")
    wait_until(lambda: all(received(cluster)), 10, "a signal")
    time.sleep(0.5)
    assert received(cluster) == [signals, signals]
    ended(cluster, job)


@pytest.mark.parametrize("number", ["TERM", "HUP"])
def test_a_signal_to_srun_alone_is_passed_on(cluster: Cluster, number: str) -> None:
    """As with timeout(1): the job continues."""
    job = submitted(cluster, "--distributed=torch")
    (supervisor,) = [process for node in cluster.nodes for process in cluster.processes(node)
                     if " supervise " in process.command]
    node = next(node for node in cluster.nodes if supervisor in cluster.processes(node))
    # Runs on the node, where process IDs differ from those seen here.
    cluster.node(node, f"pkill -{number} -f ' supervise '")
    wait_until(lambda: all(received(cluster)), 10, "a signal")
    time.sleep(1)
    assert received(cluster) == [[f"SIG{number}"], [f"SIG{number}"]]
    ended(cluster, job)
