"""Which node replaces a lost one, and how a training job that has shrunk grows again."""

import os
import signal
from collections.abc import Iterator

import pytest
from cluster import Cluster
from node_faults import off_the_network
from own_cluster import own_cluster
from restarted import Training

# A spare on the same leaf switch that is not the first spare in node order.
SWITCHES = """SwitchName=s1 Nodes=node[1,3]
SwitchName=s2 Nodes=node[2,4]
SwitchName=top Switches=s[1-2]
"""


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    conf = ("SlurmdTimeout=60\nMessageTimeout=5\nTopologyPlugin=topology/tree\n"
            "SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=0,permit_job_expansion\n")
    with own_cluster("growing", 4, conf=conf, etc={"topology.conf": SWITCHES}) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    try:
        yield whole_own
        whole_own.await_clean(60)
    except BaseException:
        whole_own.end_all()
        whole_own.clear()
        raise
    whole_own.end_all()


def kill_a_rank(cluster: Cluster, node: str) -> None:
    rank = next(process for process in cluster.processes(node) if "./resume" in process.command and process.name != "srun")
    os.kill(rank.pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(("lost", "spare"), [("node1", "node3"), ("node2", "node4")])
def test_a_spare_under_the_lost_nodes_switch_comes_first(own: Cluster, lost: str, spare: str) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=1 srun OPTION RESUME",
                        keys="restarts=3,spares=2,heartbeat=3,grace=1", arguments="0.5 0:9:wait")
    training.await_attempt(0, 2)
    with off_the_network(own, lost):
        ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(0) == ["node1", "node2"]
    assert ended.nodes(1) == sorted({"node1", "node2", spare} - {lost})
    assert f"with {spare}" in ended.result.err


@pytest.mark.slow
def test_a_training_that_has_shrunk_grows_with_the_node_that_is_back(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=1 srun OPTION RESUME",
                        keys="restarts=3,nodes=2:4,heartbeat=3,grace=1", arguments="0.5 0:9:wait 1:9:wait")
    training.await_attempt(0, 4)
    with off_the_network(own, "node3"):
        training.await_attempt(1, 3)
    kill_a_rank(own, "node2")
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node2", "node4"]
    assert ended.nodes(2) == ["node1", "node2", "node3", "node4"]
    assert {rank.world for rank in ended.of(2)} == {4}
    assert "starts on 4 nodes, with node3" in ended.result.err
    assert not training.overlap()


def give_a_node(cluster: Cluster, job: str, node: str) -> None:
    """Starts a second job that gives its node to the first."""
    waited = cluster.run(f"salloc --no-shell --exclusive -N1 -w {node} --dependency=expand:{job}", timeout=60)
    giver = waited.err.split("Granted job allocation ")[1].split()[0]
    given = cluster.run(f"scontrol update JobId={giver} NumNodes=0")
    assert given.code == 0, given.err


# Slurm leaves the last node of an enlarged job without cores. (The lost node is still in the job at that point.)
@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "lost", "new", "after"), [
    pytest.param(["node1", "node2", "node4"], "node4", "node3", ["node1", "node2", "node3"], id="used"),
    pytest.param(["node1", "node2", "node3"], "node2", "node4", ["node1", "node3"], id="without-cores"),
    pytest.param(["node1", "node2", "node4"], "node2", "node3", ["node1", "node3"], id="an-old-one-without-cores"),
])
def test_a_node_that_comes_to_the_job_is_used_where_it_has_cores(own: Cluster, nodes: list[str], lost: str, new: str,
                                                                 after: list[str]) -> None:
    training = Training(own, f"salloc -Q -N3 -w {','.join(nodes)} --exclusive --ntasks-per-node=1 srun OPTION RESUME",
                        keys="restarts=3,nodes=2:3,heartbeat=3,grace=1", arguments="0.5 0:9:wait 1:9:wait")
    training.await_attempt(0, 3)
    (job,) = own.run("squeue -h -o %i").lines
    with off_the_network(own, lost):
        training.await_attempt(1, 2)
        give_a_node(own, job, new)
        kill_a_rank(own, "node1")
        ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(0) == nodes
    assert ended.nodes(2) == after
    assert not training.overlap()


def test_a_node_that_slurm_has_taken_out_of_the_job_is_not_used(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N3 --no-kill --ntasks-per-node=1 srun --no-kill OPTION RESUME",
                        keys="restarts=3,nodes=2:3,grace=1", arguments="0.5 0:9:wait 1:9:wait")
    training.await_attempt(0, 3)
    own.run("scontrol update NodeName=node3 State=DOWN Reason=look", user="root")
    training.await_attempt(1, 2)
    own.run("scontrol update NodeName=node3 State=RESUME", user="root")
    kill_a_rank(own, "node1")
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert (ended.nodes(1), ended.nodes(2)) == (["node1", "node2"], ["node1", "node2"])
