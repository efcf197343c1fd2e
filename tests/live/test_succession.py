"""succession=on: the node of an sbatch job's script dies, and a successor on another node continues the training
job."""

import os
import re
import signal
from collections.abc import Iterator

import pytest
from batch_job import BatchJob
from cluster import PROGRAMS, Cluster
from node_faults import off_the_network, resumed
from own_cluster import own_cluster
from restarted import ranks_in
from waiting import wait_until

KEYS = "restarts=3,nodes=2,heartbeat=3,grace=1,succession=on"
TAKES_OVER = "node1, the supervisor's node, no longer answers: this node takes over"


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("succession", 3, conf="SlurmdTimeout=30\nMessageTimeout=5\nTCPTimeout=2\n") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    try:
        yield whole_own
    finally:
        whole_own.end_all()
        wait_until(lambda: resumed(whole_own), 100, "nodes that can be used")
        whole_own.clear()


class Job(BatchJob):
    """A script with one srun of the `train` program on all nodes. Slurm runs it on node1."""

    def __init__(self, cluster: Cluster, steps: int, keys: str = KEYS) -> None:
        cluster.give("alice", PROGRAMS / "train")
        super().__init__(cluster, f"srun --distributed=torch,{keys} ./train {steps}\necho code $?",
                         "-N3 --ntasks-per-node=1 --no-kill --no-requeue")

    @property
    def parameters(self) -> set[str]:
        return set(re.findall(r"^done .*parameters=(\d+)$", self.text, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.long
def test_a_training_goes_on_when_the_node_of_its_script_dies(own: Cluster) -> None:
    alone = Job(own, 400, keys="restarts=0")
    assert alone.await_end(100) == "COMPLETED"
    expected = alone.parameters
    job = Job(own, 400)
    job.await_attempt(0, 3)
    with off_the_network(own, "node1"):
        job.await_text(TAKES_OVER)
        job.await_attempt(1, 2)
        attempts = [rank.attempt for rank in ranks_in(job.text)]
        assert set(attempts) == {0, 1}, job.text
    # The network comes back while the successor's attempt is running.
    wait_until(lambda: not any("./train" in process.command for process in own.processes("node1")), 60,
               "the end of the old ranks")
    state = job.await_end(100)
    assert state == "COMPLETED", job.text
    assert len(expected) == 1 and job.parameters == expected, job.text
    assert not list(own.home.glob("mixed.*")), job.text
    assert job.done == {1}, job.text
    assert "attempt 0 failed: node1 was lost" in job.text
    assert job.text.count("restart 1 of 3 starts") == 1, job.text
    assert job.text.count("attempt 0 failed") == 1 and not re.search("^code ", job.text, re.MULTILINE), job.text


@pytest.mark.slow
@pytest.mark.long
def test_the_job_outlives_the_node_of_its_script_when_slurm_calls_it_down(own: Cluster) -> None:
    job = Job(own, 3000)
    job.await_attempt(0, 3)
    with off_the_network(own, "node1"):
        job.await_attempt(1, 2)
        wait_until(lambda: "State=DOWN" in own.run("scontrol -o show node node1").out, 100, "node1 down")
        assert job.state == "RUNNING"
        assert job.await_end(100) == "COMPLETED", job.text
    assert len(job.parameters) == 1, job.text
    assert job.done == {1}, job.text


@pytest.mark.slow
@pytest.mark.long
def test_a_successor_has_a_successor(own: Cluster) -> None:
    job = Job(own, 500, keys=KEYS.replace("nodes=2", "nodes=1"))
    job.await_attempt(0, 3)
    with off_the_network(own, "node1"):
        job.await_attempt(1, 2)
        with off_the_network(own, "node3"):
            job.await_attempt(2, 1)
            assert job.await_end(200) == "COMPLETED", job.text
    assert job.done == {2}, job.text


@pytest.mark.slow
def test_a_successor_that_dies_costs_nothing_but_itself(own: Cluster) -> None:
    job = Job(own, 250)
    job.await_attempt(0, 3)

    def successors() -> list:
        return [process for process in own.processes("node3") if process.command.endswith("muster successor")]

    wait_until(successors, 30, "the successor")
    for process in successors():
        os.kill(process.pid, signal.SIGKILL)
    job.await_text("the successor on node3 is gone")
    assert job.await_end(100) == "COMPLETED"
    assert job.done == {0}, job.text
    assert "code 0" in job.text


@pytest.mark.parametrize(("start", "keys", "why"), [
    ("sbatch -N2", "restarts=0", "without restarts=N, there are no further attempts"),
    ("salloc -Q -N2", "restarts=1",
     "the run was not started from a batch script, so its supervisor does not run on a node of the job"),
    ("sbatch -N1", "restarts=1", "the job has no other node"),
    ("sbatch -N2", "restarts=1,heartbeat=31", "heartbeat= must be at most 30 s"),
], ids=["restarts", "prompt", "node", "heartbeat"])
def test_where_the_key_does_nothing_one_line_says_why(cluster: Cluster, start: str, keys: str, why: str) -> None:
    line = f"srun -N1 -n1 --distributed=torch,{keys},succession=on true"
    out = cluster.home / "succession.out"
    in_job = f"{start} --wait -o {out.name} --wrap='{line}'" if start.startswith("sbatch") else f"{start} {line}"
    result = cluster.run(in_job, timeout=60)
    text = result.err + (out.read_text() if out.exists() else "")
    out.unlink(missing_ok=True)
    assert result.code == 0, text
    assert f"succession=on does nothing: {why}" in text
