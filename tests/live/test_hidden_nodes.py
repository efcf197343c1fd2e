"""Slurm hides the nodes from users (PrivateData=nodes), as some sites configure it."""

import re
from collections.abc import Iterator

import pytest
from cluster import Cluster
from node_faults import left_usable, off_the_network
from own_cluster import own_cluster
from restarted import Training
from waiting import wait_until


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("hidden", 3, conf="PrivateData=nodes\nSlurmdTimeout=30\nMessageTimeout=5\n") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_usable(whole_own) as cluster:
        assert "denied" in cluster.run("scontrol show node node1").err
        yield cluster


def violations(cluster: Cluster) -> int:
    """How often slurmctld has refused to show a node."""
    log = (cluster.state / "log" / "slurmctld.log").read_text()
    return len(re.findall(r"Security violation, REQUEST_NODE_INFO", log))


def test_a_launch_asks_for_no_hidden_node(own: Cluster) -> None:
    before = violations(own)
    result = own.srun("--distributed=torch -N2 -n2 sh -c 'echo $RANK'")
    assert (result.code, sorted(result.lines), result.err) == (0, ["0", "1"], "")
    assert violations(own) == before


@pytest.mark.slow
def test_a_training_goes_on_without_a_lost_node_where_slurm_hides_the_nodes(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 --ntasks-per-node=1 srun OPTION RESUME",
                        keys="restarts=3,spares=1,heartbeat=3,grace=1", arguments="0.5 0:9:wait")
    training.await_attempt(0, 2)
    with off_the_network(own, "node2"):
        ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node3"]
    assert not training.overlap()


@pytest.mark.slow
def test_a_node_that_comes_back_is_used_again_where_slurm_hides_the_nodes(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N2 -n2 srun OPTION RESUME", keys="restarts=3,heartbeat=3,grace=1",
                        arguments="0.5 0:9:wait")
    training.await_attempt(0, 2)
    with off_the_network(own, "node2"):
        wait_until(lambda: "was lost" in training.running.err, 30, "the loss")
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node2"]


@pytest.mark.slow
def test_drain_says_that_it_can_do_nothing_where_slurm_hides_the_nodes(own: Cluster) -> None:
    """muster asks once a minute."""
    line = "drain= does nothing here: Slurm does not show users which nodes are drained (PrivateData=nodes)"
    training = Training(own, "salloc -Q -N3 --ntasks-per-node=1 srun OPTION RESUME", keys="spares=1,drain,restarts=1",
                        arguments="70", env={"STOPS": "1"})
    ended = training.end(150)
    assert ended.result.code == 0, ended.result.err
    assert ended.result.err.count(line) == 1, ended.result.err
