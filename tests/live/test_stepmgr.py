"""SlurmctldParameters=enable_stepmgr: a slurmstepd on the job's first node creates its steps, and no longer slurmctld."""

import json
from collections.abc import Iterator

import pytest
from batch_job import BatchJob
from cluster import PROGRAMS, Cluster
from node_faults import left_usable, off_the_network
from own_cluster import own_cluster
from restarted import Training
from waiting import wait_until

pytestmark = pytest.mark.since("24.05")
WITHOUT_MANAGER = ("node1, which manages the job's steps (enable_stepmgr), is lost: without it, no step can start on the "
                   "other nodes")


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("stepmgr", 3, "--mode", "stepmgr",
                     conf="SlurmdTimeout=60\nMessageTimeout=5\nTCPTimeout=2\n") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_usable(whole_own) as cluster:
        yield cluster
        cluster.run("scancel --user=alice", user="root")  # a failed test must not cost the next one


def muster(cluster: Cluster, words: str) -> str:
    result = cluster.run(f"{cluster.prefix}/bin/muster {words}", timeout=60)
    assert result.code == 0, result.err
    return result.out


def test_the_job_has_a_step_manager(own: Cluster) -> None:
    """Without this the other tests would show nothing."""
    assert own.srun("--distributed=torch -N3 -n3 printenv SLURM_STEPMGR").lines == ["node1"] * 3


def test_dump_and_status_find_a_step_that_squeue_does_not_show(own: Cluster) -> None:
    step = own.start("srun --distributed=torch -N3 -n6 ./stuck wait")
    wait_until(lambda: step.out.count("ready") == 6 or not step.running, 60, "all ranks to be ready")
    job = own.run("squeue -h -o %A").out.strip()
    assert f"{job}.0" not in own.run("squeue -h --steps -o %i").lines
    for name in ("", job, f"{job}.0"):
        shown = json.loads(muster(own, f"dump --seconds=60 --json {name}"))
        assert sorted(rank for group in shown["groups"] for rank in group["ranks"]) == list(range(6)), shown
    assert f"{job}.0" in muster(own, f"status {job}")


def test_a_failed_rank_is_followed_by_another_attempt(own: Cluster) -> None:
    ended = Training(own, "salloc -Q -N3 -n6 srun OPTION RESUME", keys="restarts=1,grace=1", arguments="0.2 0:1:7").end()
    assert ended.result.code == 0, ended.result.err
    assert (len(ended.of(0)), len(ended.of(1)), len(ended.done)) == (6, 6, 6)


@pytest.mark.slow
def test_a_training_goes_on_without_any_other_node(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 --no-kill --ntasks-per-node=2 srun OPTION RESUME",
                        keys="restarts=3,nodes=2,heartbeat=3,grace=1", arguments="0.5 0:9:wait")
    training.await_attempt(0, 6)
    with off_the_network(own, "node3"):
        ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node2"]
    assert not training.overlap()


@pytest.mark.slow
def test_the_loss_of_the_node_that_manages_the_steps_ends_the_run_in_one_line(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 --no-kill --ntasks-per-node=2 srun OPTION RESUME",
                        keys="restarts=3,nodes=2,heartbeat=3,grace=1", arguments="0.5 0:9:wait")
    training.await_attempt(0, 6)
    with off_the_network(own, "node1"):
        ended = training.end()
        assert ended.result.code == 1
        assert ended.attempts == 1
        assert f"no further attempt: {WITHOUT_MANAGER}" in ended.result.err
    assert not training.overlap()


@pytest.mark.slow
def test_a_batch_job_is_requeued_when_that_node_dies(own: Cluster) -> None:
    own.give("alice", PROGRAMS / "resume")
    job = BatchJob(own, "srun --distributed=torch,restarts=1,requeue=1,heartbeat=3,grace=1 ./resume 0.2 0:9:wait",
                   "-N3 --ntasks-per-node=1 --requeue --no-kill")
    job.await_attempt(0, 3)
    with off_the_network(own, "node1"):
        wait_until(lambda: job.shown("Restarts") == "1", 40, "the requeue")
        job.await_text("node1, the batch script's node, no longer answers: the job goes back into the queue")
    wait_until(lambda: job.shown("JobState") == "PENDING", 90, "the end of its first run")
    assert own.run(f"scontrol update JobId={job.number} StartTime=now+4").code == 0
    assert job.await_end() == "COMPLETED", job.text
    assert job.done and 0 not in job.done, job.text


@pytest.mark.slow
def test_a_successor_would_be_of_no_use_and_that_is_said(own: Cluster) -> None:
    own.give("alice", PROGRAMS / "resume")
    job = BatchJob(own, "srun --distributed=torch,restarts=1,succession=on ./resume 0.2", "-N2 -n2")
    assert job.await_end() == "COMPLETED", job.text
    assert "succession=on does nothing: node1 manages the job's steps (enable_stepmgr)" in job.text


@pytest.mark.since("26.05")
def test_an_asynchronous_step_is_refused_in_one_line(own: Cluster) -> None:
    result = own.run("salloc -Q -N1 -n1 srun --distributed=torch --async true")
    (line,) = result.complaints
    assert "srun --async exits before its step begins" in line
    assert own.run("squeue -h").out == ""


@pytest.mark.since("26.05")
def test_an_asynchronous_step_of_a_job_that_uses_muster_runs_as_without(own: Cluster) -> None:
    job = BatchJob(own, "srun --async -o async.out sh -c 'echo ${RANK-no rank}'\nswait $SLURM_JOB_ID",
                   "-n1 --distributed=torch")
    assert job.await_end() == "COMPLETED", job.text
    assert (own.home / "async.out").read_text() == "no rank\n"
    assert "muster leaves it alone" in job.text
