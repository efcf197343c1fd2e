"""A step of six nodes meets as one of thousands would: the site's file makes the nodes meet in groups of two."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import permutations

import pytest
from cluster import Cluster
from own_cluster import own_cluster
from waiting import wait_until

NODES = 6
MEMBERS = [f"node{number}" for number in range(2, NODES + 1)]


@pytest.fixture(scope="module")
def large() -> Iterator[Cluster]:
    with own_cluster("large", NODES) as cluster:
        config = cluster.site_file("groups.yaml", "rendezvous: {width: 2}\ngather_timeout: 10\n")
        with cluster.plugstack("optional", config=config):
            yield cluster


def check_meeting(cluster: Cluster, nodes: int = NODES) -> None:
    result = cluster.srun(f"--distributed=torch -N{nodes} -n{nodes} ./meet", timeout=60)
    assert result.code == 0, result.err
    assert len(result.lines) == nodes
    assert result.complaints == []


def listens(cluster: Cluster, node: str) -> bool:
    return '"muster-agent"' in cluster.node(node, "ss -ltnpH")


def without_plugin(cluster: Cluster, node: str):
    return cluster.covered(node, cluster.plugstack_file, cluster.site_file("empty.conf", ""))


def test_all_nodes_meet(large: Cluster) -> None:
    check_meeting(large)


def test_a_node_without_the_plugin_is_named_alone(large: Cluster) -> None:
    with without_plugin(large, "node4"):
        result = large.srun(f"--distributed=torch -N{NODES} -n{NODES} true", timeout=60)
    assert result.code != 0
    (line,) = result.complaints
    assert "no word from node4 within" in line


def test_an_agent_that_dies_while_others_meet_at_it_is_named_with_the_missing_and_no_other(large: Cluster) -> None:
    with without_plugin(large, "node6"):
        step = large.start(f"srun --distributed=torch -N{NODES} -n{NODES} true")
        wait_until(lambda: len([node for node in MEMBERS if listens(large, node)]) == 2, 20, "two relays")
        relay = next(node for node in MEMBERS if listens(large, node))
        (agent,) = large.agents(relay)
        os.kill(agent.pid, signal.SIGKILL)
        result = step.wait(60)
    assert result.code != 0
    assert any(relay in line for line in result.complaints), result.err
    others = set(MEMBERS) - {relay, "node6"}
    assert not any(f"no word from {node}" in line or f", {node} within" in line for node in others for line in result.complaints)


def test_nodes_that_reach_the_first_alone_meet_all_the_same(large: Cluster) -> None:
    with ExitStack() as stack:
        for sender, receiver in permutations(MEMBERS[:3], 2):
            stack.enter_context(large.cut(sender, receiver))
        result = large.srun("--distributed=torch -N4 -n4 ./meet", timeout=60)
    assert result.code == 0, result.err
    assert result.complaints == []


def test_a_closed_path_to_the_first_node_is_named(large: Cluster) -> None:
    with large.cut("node5", "node1"):
        result = large.srun(f"--distributed=torch -N{NODES} -n{NODES} echo ran", timeout=60)
    assert result.code != 0
    assert result.out == ""
    (line,) = result.complaints
    assert "node5 cannot reach node1" in line
