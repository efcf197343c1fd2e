"""drain=on: a run leaves the nodes that an administrator drains."""

from collections.abc import Iterator

import pytest
from cluster import Cluster
from node_faults import resumed
from own_cluster import own_cluster
from restarted import Training
from waiting import wait_until


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("drain", 3) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    """After a test nothing is left on any node, and no node is drained."""
    try:
        yield whole_own
    finally:
        whole_own.end_all()
        whole_own.node("ctl", "scontrol update nodename=node[1-3] state=undrain || true")
        wait_until(lambda: resumed(whole_own), 60, "nodes that can be used")
        whole_own.await_clean(60)


def drain(cluster: Cluster, node: str) -> None:
    cluster.node("ctl", f"scontrol update nodename={node} state=drain reason=maintenance")


@pytest.mark.slow
def test_a_drained_node_is_left_for_a_spare(own: Cluster) -> None:
    """muster asks once a minute. Every rank exits with 0 on SIGTERM, as after a checkpoint."""
    training = Training(own, "salloc -Q -N3 --ntasks-per-node=2 srun OPTION RESUME", keys="spares=1,drain",
                        arguments="0.5 0:9:wait", env={"STOPS": "1"})
    training.await_attempt(0, 4)
    drain(own, "node1")
    ended = training.end(100)
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(0) == ["node1", "node2"]
    assert ended.nodes(1) == ["node2", "node3"]
    assert len(ended.done) == 4
    assert not training.overlap()
    assert "node1 is being drained: the ranks are stopped, and continue on other nodes (drain=)" in ended.result.err


@pytest.mark.slow
@pytest.mark.long
def test_a_drained_node_is_kept_if_no_other_can_replace_it(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 --ntasks-per-node=2 srun OPTION RESUME", keys="drain,restarts=1",
                        arguments="75", env={"STOPS": "1"})
    training.await_attempt(0, 6)
    drain(own, "node1")
    ended = training.end(100)
    assert (ended.result.code, ended.attempts, len(ended.done)) == (0, 1, 6), ended.result.err


@pytest.mark.slow
@pytest.mark.long
def test_a_group_leaves_a_drained_node_alone(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 srun OPTION RESUME", keys="groups=2,spares=1,drain", arguments="75",
                        env={"STOPS": "1"})
    training.await_attempt(0, 2)
    drain(own, "node2")
    ended = training.end(200)
    assert ended.result.code == 0, ended.result.err
    assert [rank.node for rank in ended.of(1)] == ["node3"]
    assert len(ended.done) == 2
