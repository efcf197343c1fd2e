"""sbatch --requeue=expedite: Slurm starts a requeued job again at once, where it otherwise waits for two minutes."""

import re
import time
from collections.abc import Iterator

import pytest
from batch_job import BatchJob
from cluster import PROGRAMS, Cluster
from node_faults import left_usable
from own_cluster import own_cluster
from waiting import wait_until

pytestmark = pytest.mark.since("25.11")
HINT = "on this site, Slurm starts a requeued job again at once if it is submitted with --requeue=expedite"


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("expedite", 3, "--mode", "expedite") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_usable(whole_own) as cluster:
        yield cluster


def job(cluster: Cluster, keys: str, arguments: str, options: str) -> BatchJob:
    cluster.give("alice", PROGRAMS / "resume")
    return BatchJob(cluster, f"exec srun --distributed=torch,grace=2,{keys} ./resume {arguments}",
                    f"-N3 --ntasks-per-node=1 {options}")


@pytest.mark.slow
def test_the_next_attempt_begins_within_ten_seconds_of_the_requeue(own: Cluster) -> None:
    training = job(own, "requeue=2", "0.2 0:9:wait", "--requeue=expedite")
    training.await_attempt(0, 3)
    assert training.shown("ExpeditedRequeue") == "Yes"
    own.run(f"scancel --batch --signal=TERM {training.number}")
    training.await_text("goes back into the queue")
    requeued = time.monotonic()
    training.await_attempt(1, 3)
    assert time.monotonic() - requeued <= 10, training.text
    assert training.await_end() == "COMPLETED", training.text
    assert training.done == {1}
    assert f"job {training.number} continues after requeue 1 with attempt 1" in training.text
    assert HINT not in training.text


@pytest.mark.slow
def test_a_job_that_could_be_expedited_and_is_not_is_told_so(own: Cluster) -> None:
    training = job(own, "requeue=2", "0.2 0:9:wait", "--requeue")
    training.await_attempt(0, 3)
    own.run(f"scancel --batch --signal=TERM {training.number}")
    training.await_text(HINT)
    wait_until(lambda: training.state == "PENDING", 30, "the requeue")
    assert training.shown("Reason") == "BeginTime"
    own.run(f"scancel {training.number}")


@pytest.mark.slow
def test_a_job_whose_training_fails_is_held_and_its_user_learns_how_to_go_on(own: Cluster) -> None:
    training = job(own, "requeue=2", "0.2 0:1:7 1:1:7", "--requeue=expedite")
    wait_until(lambda: training.state == "REQUEUE_HOLD", 60, "Slurm's requeue")
    assert re.search(rf"if the script fails, Slurm holds job {training.number} in the queue \(--requeue=expedite\); "
                     rf"`scontrol release {training.number}` starts it again", training.text), training.text
    assert own.run(f"scontrol release {training.number}").code == 0
    wait_until(lambda: len(training.ready(0)) == 6, 30, "its second run")
    own.run(f"scancel {training.number}")
