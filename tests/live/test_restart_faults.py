"""What else can go wrong while a training job restarts: Slurm's controller, further nodes, ranks that are done, full
disks."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator

import pytest
from cluster import Cluster
from node_faults import left_usable, off_the_network, silent_controller, without_controller
from own_cluster import own_cluster
from random_faults import signal_all
from restarted import Training
from waiting import wait_until

KEYS = "heartbeat=3,grace=1"


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("restartfaults", 4, conf="SlurmdTimeout=30\nMessageTimeout=5\n") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_usable(whole_own) as cluster:
        yield cluster


def kill_a_rank(cluster: Cluster, node: str) -> None:
    ranks = [process for process in cluster.processes(node)
             if "/resume " in process.command and process.name.startswith("python")]
    assert ranks
    signal_all(ranks[:1], signal.SIGKILL)


@pytest.mark.long
@pytest.mark.parametrize("without", [without_controller, silent_controller])
def test_the_next_attempt_waits_for_a_slurmctld_that_does_not_answer(
        own: Cluster, without: Callable[[Cluster], contextlib.AbstractContextManager[None]]) -> None:
    training = Training(own, "salloc -Q -N3 -n6 srun OPTION RESUME", keys=f"restarts=1,{KEYS}", arguments="0.5 0:9:wait")
    training.await_attempt(0, 6)
    with without(own):
        kill_a_rank(own, "node2")
        wait_until(lambda: "slurmctld does not answer: waiting up to" in training.running.err, 40, "the wait")
        time.sleep(10)  # by now an srun would have given up
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    results = [attempt["result"] for attempt in ended.report["attempts"]]
    assert results == ["failed", "ok"], ended.result.err  # no launch was lost
    assert len(ended.done) == 6


@pytest.mark.long
def test_a_lost_node_is_removed_once_slurmctld_is_back(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=1 srun OPTION RESUME", keys=f"restarts=3,spares=1,{KEYS}",
                        arguments="1 0:9:wait 1:9:wait")
    training.await_attempt(0, 3)
    (job,) = own.run("squeue -h -o %i").lines
    with off_the_network(own, "node2"):
        cut = time.monotonic()
        training.await_attempt(1, 3)
        with without_controller(own):
            time.sleep(max(0.0, cut + 24 - time.monotonic()))  # it was due 15 s after the node was last heard from
            assert "remove" not in training.running.err
        wait_until(lambda: f"Slurm removed node2 from job {job}" in training.running.err, 30, "the removal")
        own.run(f"scancel {job}")
        training.end()


@pytest.mark.long
def test_a_node_that_is_lost_during_the_restart_costs_one_more_attempt(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=1 srun OPTION RESUME", keys=f"restarts=3,nodes=2,{KEYS}",
                        arguments="0.5 0:9:wait")
    training.await_attempt(0, 4)
    with off_the_network(own, "node2"):
        training.await_error("attempt 0 failed", 30)
        with off_the_network(own, "node4"):
            ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert {rank.node for rank in ended.done} == {"node1", "node3"}
    assert not training.overlap()


@pytest.mark.slow
def test_the_last_node_goes_on_alone_where_it_may(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=2 srun OPTION RESUME", keys=f"restarts=3,nodes=1,{KEYS}",
                        arguments="0.5 0:9:wait")
    training.await_attempt(0, 8)
    with off_the_network(own, "node1"), off_the_network(own, "node2"), off_the_network(own, "node4"):
        ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node3"]
    assert {(rank.rank, rank.world) for rank in ended.done} == {(0, 2), (1, 2)}
    assert not training.overlap()


@pytest.mark.slow
def test_a_node_that_flaps_is_left_out_where_the_others_are_enough(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 --ntasks-per-node=1 srun OPTION RESUME", keys=f"restarts=9,nodes=2,{KEYS}",
                        arguments="0.5 0:9:wait 1:9:wait")
    training.await_attempt(0, 3)
    with off_the_network(own, "node2"):
        time.sleep(3.3)
    training.await_attempt(1, 3)
    with off_the_network(own, "node2"):
        time.sleep(3.3)
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node2", "node3"]
    assert {rank.node for rank in ended.done} == {"node1", "node3"}
    assert not training.overlap()


@pytest.mark.slow
def test_a_node_that_flaps_for_less_than_the_heartbeat_costs_nothing(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 --ntasks-per-node=1 srun OPTION RESUME", keys=f"restarts=1,{KEYS}",
                        arguments="9")
    training.await_attempt(0, 3)
    for _ in range(3):
        with off_the_network(own, "node2"):
            time.sleep(0.7)
        time.sleep(1.5)
    ended = training.end()
    assert (ended.result.code, ended.attempts) == (0, 1), ended.result.err


def test_a_rank_that_is_done_runs_in_the_next_attempt_again(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 -n6 srun OPTION RESUME", keys=f"restarts=1,{KEYS}",
                        arguments="0.3 0:1:0 0:9:wait")
    training.await_attempt(0, 6)
    wait_until(lambda: ranks_of_attempt(own) == 5, 20, "the end of rank 1")
    kill_a_rank(own, "node3")
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert [rank.rank for rank in ended.of(1)] == list(range(6))
    assert {(rank.attempt, rank.rank) for rank in ended.done} == {(1, rank) for rank in range(6)}


def ranks_of_attempt(cluster: Cluster) -> int:
    return sum("/resume " in process.command and process.name.startswith("python")
               for node in cluster.nodes for process in cluster.processes(node))


def test_a_disk_that_is_full_uses_the_restarts_up_and_is_named(own: Cluster) -> None:
    own.write("full/under", "")
    for node in own.nodes:
        own.node(node, "mount -t tmpfs -o size=16k,mode=777 checkpoints /home/alice/full")
    try:
        # srun may lose a rank's very last output when it kills the others (as Slurm's own -K does), so write it a
        # moment earlier.
        write = "cp /bin/bash full/checkpoint || { sleep 0.5; exit 1; }"
        ended = Training(own, f"salloc -Q -N3 -n3 srun OPTION bash -c '{write}'", keys=f"restarts=2,{KEYS}").end()
    finally:
        for node in own.nodes:
            own.node(node, "umount --lazy /home/alice/full")
    assert ended.result.code == 1
    assert [attempt["result"] for attempt in ended.report["attempts"]] == ["failed"] * 3
    assert "all 2 restarts are used up" in ended.result.err
    assert "No space left on device" in ended.result.err  # the ranks' own message


@pytest.mark.parametrize("line, why", [
    ("srun OPTION,nodes=3 -N2 true", "nodes=3 sets the smallest number of nodes to continue with, but this srun uses 2"),
    ("salloc -Q -N2 srun OPTION,nodes=3 true", "nodes=3: only 2 of the allocation's nodes can be used"),
    ("salloc -Q -N3 srun OPTION,nodes=2:3 -n4 true", "nodes=: 4 tasks cannot be divided evenly among 3 nodes"),
    ("salloc -Q -N3 srun OPTION,spares=1 -n3 true", "spares=: 3 tasks cannot be divided evenly among 2 nodes"),
    ("salloc -Q -N2 srun OPTION,spares=2 true", "spares=2 leaves no node for the run (available: 2)"),
    ("srun OPTION,supervise=off -N2 true", "supervise=off"),
])
def test_what_cannot_be_is_refused_in_one_line(own: Cluster, line: str, why: str) -> None:
    result = own.run(line.replace("OPTION", "--distributed=torch,restarts=1"))
    assert result.code != 0
    assert len(result.complaints) == 1, result.err
    assert why in result.complaints[0]
