"""Jobs that Slurm suspends, as after `scontrol suspend`, to preempt them or in gang scheduling: their ranks stop or are
frozen, but the nodes' agents keep running. The supervisor of a batch job is suspended with its ranks; that of an salloc
job keeps running. Neither costs an attempt."""

import contextlib
import os
import re
import time
from collections.abc import Iterator

import pytest
from batch_job import BatchJob
from cluster import Cluster
from control_groups import CGROUP_CONF, CONF, GROUPS
from own_cluster import left_clean, own_cluster
from waiting import wait_until

# A rank that has something to say five times a second, until it is told that this is enough.
TICK = """
import os, sys, time
print(f"ready attempt={os.environ['TORCHELASTIC_RESTART_COUNT']}", flush=True)
while not os.path.exists("enough"):
    print("tick", flush=True)
    time.sleep(0.2)
print("done", flush=True)
"""
NODES = 2
HEARTBEAT = 3
# The ranks of a node that is cut off are paused after the first time, and killed after the second.
LEASE, HOLD = 1.2 * HEARTBEAT, 60


@pytest.fixture(scope="module", params=["linuxproc", "cgroup"])
def tracked(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """proctrack/linuxproc stops processes; proctrack/cgroup freezes their group, and tells only the batch script, not
    srun, before it does so."""
    options, conf, etc = [], "", {}
    if request.param == "cgroup":
        if not (GROUPS / "freezer").is_dir() or not (GROUPS / "memory").is_dir():
            pytest.skip("no cgroup v1 here")
        options = ["--names", f"su{os.getpid()}n[1-{NODES}]", "--cgroups", "v1"]
        conf, etc = CONF, {"cgroup.conf": CGROUP_CONF}
    with own_cluster(f"still-{request.param[:6]}", NODES, *options, conf=conf, etc=etc) as cluster:
        yield cluster


@pytest.fixture
def clean(tracked: Cluster) -> Iterator[Cluster]:
    tracked.write("tick.py", TICK)
    (tracked.home / "enough").unlink(missing_ok=True)
    with left_clean(tracked):
        yield tracked


@contextlib.contextmanager
def suspended(cluster: Cluster, job: str) -> Iterator[None]:
    """By an operator, until Slurm has stopped everything."""
    def control(word: str, state: str) -> None:
        done = cluster.run(f"scontrol {word} {job}", user="root")
        assert done.code == 0, done.err
        wait_until(lambda: f"JobState={state}" in cluster.run(f"scontrol -o show job {job}").out, 20, f"job {job} {state}")

    control("suspend", "SUSPENDED")
    try:
        yield
    finally:
        control("resume", "RUNNING")


@pytest.mark.long
def test_a_batch_job_that_slurm_suspends_and_resumes_costs_no_attempt(clean: Cluster) -> None:
    job = BatchJob(clean, f"srun --distributed=torch,restarts=1,grace=1,heartbeat={HEARTBEAT} python3 tick.py",
                   f"-N{NODES} --ntasks-per-node=1")
    wait_until(lambda: job.text.count("ready attempt=0") == NODES, 60, f"the ranks in {job.text}")
    time.sleep(2 * HEARTBEAT)  # by then the supervisor has answered each agent
    with suspended(clean, job.number):
        time.sleep(4)
        before = job.text.count("tick")
        time.sleep(LEASE + HOLD + 6)
        assert job.text.count("tick") == before
    wait_until(lambda: job.text.count("tick") > before, 30, "ranks that run again")
    time.sleep(3)
    clean.write("enough", "")
    assert job.await_end() == "COMPLETED", job.text
    assert job.text.count("done") == NODES
    assert "attempt=1" not in job.text
    assert not re.search(r"killed|lost|cut off", job.text), job.text


def test_a_job_that_slurm_suspends_does_not_hang_though_its_supervisor_is_awake(clean: Cluster) -> None:
    running = clean.start(f"salloc -Q -N{NODES} --ntasks-per-node=1 "
                          "srun --distributed=torch,restarts=1,grace=1,hang=5s+restart python3 tick.py")
    running.await_output("ready attempt=0", times=NODES, timeout=60)
    (job,) = clean.run("squeue -h -o %i").lines
    with suspended(clean, job):
        time.sleep(15)
    time.sleep(4)
    clean.write("enough", "")
    result = running.wait(60)
    assert result.code == 0, result.err
    assert result.out.count("done") == NODES
    assert "attempt=1" not in result.out
    assert "no rank has made progress" not in result.err
