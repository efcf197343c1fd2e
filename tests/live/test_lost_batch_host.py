"""The node of an sbatch job's script dies, and the supervisor with it: the other nodes' agents end the job. Otherwise
the job would hold its nodes until Slurm marks that node down, or with --no-kill until its time limit."""

import time

import pytest
from batch_job import BatchJob
from cluster import PROGRAMS, Cluster
from node_faults import off_the_network
from waiting import wait_until

# With Slurm's own limits and the default heartbeat.
TIME_TO_END = 30


class Job(BatchJob):
    """A script with one srun of the `resume` program on all nodes. Slurm runs it on node1."""

    def __init__(self, cluster: Cluster, keys: str, arguments: str, options: str = "", *, before: str = "",
                 after: str = "") -> None:
        cluster.give("alice", PROGRAMS / "resume")
        super().__init__(cluster, f"srun --distributed=torch{keys} {before} ./resume {arguments}\n{after}",
                         f"-N3 --ntasks-per-node=1 {options}")

    def await_attempt(self, attempt: int, ranks: int = 3, timeout: float = 60) -> None:
        super().await_attempt(attempt, ranks, timeout)
        assert self.shown("BatchHost") == "node1"


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "kill"), [
    (",restarts=1,requeue=1", "--no-kill"),
    pytest.param(",restarts=1,requeue=1", "", marks=pytest.mark.long),
    pytest.param("", "--no-kill", marks=pytest.mark.long)])
def test_a_job_whose_batch_host_dies_is_requeued_where_slurm_permits_it(patient: Cluster, keys: str, kill: str) -> None:
    job = Job(patient, keys, "0.2 0:9:wait" if keys else "600", f"--requeue {kill}")
    job.await_attempt(0)
    with off_the_network(patient, "node1"):
        wait_until(lambda: job.shown("Restarts") == "1", TIME_TO_END, "the requeue")
        wait_until(lambda: "node1, the batch script's node, no longer answers: the job goes back into the queue"
                   in job.text, 10, "the line for its user")
    # Slurm 26.05 asks a node that did not answer again after about two minutes.
    wait_until(lambda: job.shown("JobState") == "PENDING", 180, "the end of its first run")
    if not keys:
        patient.run(f"scancel {job.number}")
        return
    assert patient.run(f"scontrol update JobId={job.number} StartTime=now+4").code == 0
    assert job.await_end() == "COMPLETED", job.text
    assert job.done and 0 not in job.done, job.text  # a launch that Slurm refuses uses up a number


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "options"), [
    pytest.param(",restarts=1,requeue=0", "--requeue --no-kill", marks=pytest.mark.long),
    pytest.param("", "--no-requeue", marks=pytest.mark.long),
    pytest.param("", "--no-requeue --no-kill", marks=pytest.mark.long)])
def test_it_is_cancelled_where_it_may_not_be_requeued(patient: Cluster, keys: str, options: str) -> None:
    job = Job(patient, keys, "600", options)
    job.await_attempt(0)
    with off_the_network(patient, "node1"):
        wait_until(lambda: job.shown("JobState") in ("CANCELLED", "COMPLETING"), TIME_TO_END, "the end of the job")
        wait_until(lambda: "no longer answers: the job is cancelled" in job.text, 10, "the line for its user")
    assert job.await_end() == "CANCELLED"


@pytest.mark.slow
def test_another_node_that_dies_ends_no_job(patient: Cluster) -> None:
    job = Job(patient, ",restarts=1,nodes=2", "600", "--no-kill")
    job.await_attempt(0)
    with off_the_network(patient, "node3"):
        job.await_attempt(1, ranks=2)
        time.sleep(TIME_TO_END)
        assert (job.shown("JobState"), job.shown("Restarts")) == ("RUNNING", "0"), job.text
    patient.run(f"scancel {job.number}")
    assert job.await_end() == "CANCELLED"


@pytest.mark.long
def test_a_node_that_cannot_reach_the_batch_host_ends_no_job_that_slurm_still_sees_there(patient: Cluster) -> None:
    """The other ranks ignore SIGTERM: until their grace period is over, the job still has the same step, which does not
    show whether the supervisor is alive."""
    job = Job(patient, f",grace={TIME_TO_END},heartbeat=10", "600", "--no-kill", before="env --ignore-signal=TERM",
              after="echo the step is over; sleep 5; echo done")
    job.await_attempt(0)
    with patient.cut("node2", "node1"), patient.cut("node1", "node2"):
        wait_until(lambda: "the step is over" in job.text, 2 * TIME_TO_END, "the end of the step")
        assert (job.shown("JobState"), job.shown("Restarts")) == ("RUNNING", "0"), job.text
    assert job.await_end(20) == "COMPLETED"
    assert "done" in job.text and "no longer answers" not in job.text
