"""A training job continues when nodes die: with spares, with fewer nodes, and with nodes that come back."""

import time
from collections.abc import Iterator

import pytest
from cluster import Cluster
from node_faults import left_usable, off_the_network
from own_cluster import own_cluster
from releases import slurm
from restarted import Training
from waiting import wait_until

# Before this release, a job without slurmdbd could be shrunk only once.
REMOVES_TWICE = slurm() >= (24, 11)


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    # slurmctld contacts no other node while it waits for a dead one: a third of SlurmdTimeout plus twice MessageTimeout
    # pass between two answers of a healthy node. With a SlurmdTimeout close to that, the healthy node would be marked
    # down as well.
    with own_cluster("nodeloss", 4, conf="SlurmdTimeout=30\nMessageTimeout=5\n") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_usable(whole_own) as cluster:
        yield cluster


def job_state(cluster: Cluster, job: str) -> str:
    return cluster.run(f"squeue -h -o %T -j {job}").out.strip()


@pytest.mark.slow
@pytest.mark.parametrize("lost", [
    pytest.param("node1", marks=pytest.mark.not_in_mode("stepmgr", "without node1, no step can start")), "node2"])
def test_a_spare_takes_the_place_of_a_node_that_is_cut_off(own: Cluster, lost: str) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=2 srun OPTION RESUME",
                        keys="restarts=3,spares=1,heartbeat=3,grace=1", arguments="0.5 0:9:wait")
    training.await_attempt(0, 6)
    with off_the_network(own, lost):
        ended = training.end()
        assert ended.result.code == 0, ended.result.err
        assert ended.nodes(0) == ["node1", "node2", "node3"]
        assert ended.nodes(1) == sorted({"node1", "node2", "node3", "node4"} - {lost})
        assert len(ended.done) == 6
        assert not training.overlap()
        assert f"without {lost} (lost: no heartbeat), with node4" in ended.result.err


@pytest.mark.slow
def test_a_training_goes_on_with_fewer_nodes_where_it_may(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=2 srun OPTION RESUME",
                        keys="restarts=3,nodes=2,heartbeat=3,grace=1", arguments="0.5 0:9:wait")
    training.await_attempt(0, 8)
    with off_the_network(own, "node3"):
        ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert (len(ended.of(0)), len(ended.of(1))) == (8, 6)
    assert {rank.world for rank in ended.of(1)} == {6}
    assert [rank.rank for rank in ended.of(1)] == list(range(6))
    assert "node3" not in ended.nodes(1)
    assert not training.overlap()


@pytest.mark.slow
def test_too_few_nodes_end_the_job_in_one_line(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 -n6 srun OPTION RESUME", keys="restarts=3,heartbeat=3,grace=1",
                        arguments="0.5 0:9:wait")
    training.await_attempt(0, 6)
    with off_the_network(own, "node2"):
        ended = training.end()
    assert ended.result.code == 1
    assert ended.attempts == 1
    assert "the run needs 3 nodes, but can use only 2 of the job's 3 (node2: lost: no heartbeat)" in ended.result.err


@pytest.mark.slow
def test_a_node_that_comes_back_before_slurm_calls_it_down_is_used_again(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 -n6 srun OPTION RESUME", keys="restarts=3,heartbeat=3,grace=1",
                        arguments="0.5 0:9:wait")
    training.await_attempt(0, 6)
    with off_the_network(own, "node2"):
        time.sleep(3.3)
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node2", "node3"]
    assert not training.overlap()


@pytest.mark.slow
@pytest.mark.parametrize("kill", ["", pytest.param("--no-kill", marks=pytest.mark.long)])
def test_the_job_outlives_a_node_that_slurm_calls_down(own: Cluster, kill: str) -> None:
    training = Training(own, f"salloc -Q -N4 --ntasks-per-node=2 {kill} srun OPTION RESUME",
                        keys="restarts=3,spares=1,heartbeat=3,grace=1", arguments="1 0:9:wait 1:9:wait")
    training.await_attempt(0, 6)
    (job,) = own.run("squeue -h -o %i").lines
    with off_the_network(own, "node2"):
        training.await_attempt(1, 6)
        wait_until(lambda: "down" in own.run("sinfo -h -N -n node2 -o %T", user="root").out, 90, "Slurm's verdict")
        time.sleep(2)
        assert job_state(own, job) == "RUNNING", training.running.err
        own.run(f"scancel {job}")
        training.end()


@pytest.mark.slow
def test_two_nodes_that_are_lost_at_once_leave_at_once(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=1 srun OPTION RESUME",
                        keys="restarts=3,nodes=2,heartbeat=3,grace=1", arguments="0.5 0:9:wait")
    training.await_attempt(0, 4)
    with off_the_network(own, "node2"), off_the_network(own, "node4"):
        ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node3"]
    assert not training.overlap()


@pytest.mark.long
def test_a_second_node_is_removed_as_the_first_where_slurm_permits_it(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=1 srun OPTION RESUME",
                        keys="restarts=3,nodes=2,heartbeat=3,grace=1", arguments="1 0:9:wait 1:9:wait 2:9:wait")
    training.await_attempt(0, 4)
    (job,) = own.run("squeue -h -o %i").lines
    with off_the_network(own, "node2"):
        training.await_attempt(1, 3)
        wait_until(lambda: f"Slurm removed node2 from job {job}" in training.running.err, 30, "the first removal")
        with off_the_network(own, "node4"):
            training.await_attempt(2, 2)
            verdict = f"Slurm removed node4 from job {job}" if REMOVES_TWICE else f"refuses to remove node4 from job {job}"
            wait_until(lambda: verdict in training.running.err, 30, verdict)
            assert own.run(f"squeue -h -o %N -j {job}").out.strip() == ("node[1,3]" if REMOVES_TWICE else "node[1,3-4]")
            own.run(f"scancel {job}")
            training.end()


def test_a_node_that_fails_first_twice_gives_its_place_to_a_spare(own: Cluster) -> None:
    ended = Training(own, "salloc -Q -N4 --ntasks-per-node=1 srun OPTION RESUME",
                     keys="restarts=3,spares=1,grace=1", arguments="0.2 0:1:7 1:1:7").end()
    assert ended.result.code == 0, ended.result.err
    assert (ended.nodes(1), ended.nodes(2)) == (["node1", "node2", "node3"], ["node1", "node3", "node4"])
