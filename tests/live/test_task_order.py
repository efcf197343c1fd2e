"""Slurm 26.05 gives tasks their numbers in the order of the topology, so that rank 0 need not be on the first node."""

import re
from collections.abc import Iterator

import pytest
from cluster import Cluster
from node_faults import left_usable
from own_cluster import own_cluster
from releases import slurm
from restarted import Training

pytestmark = pytest.mark.since("24.05")
IN_TOPOLOGY_ORDER = ["node2", "node3", "node1"] if slurm() >= (26, 5) else ["node1", "node2", "node3"]


@pytest.fixture(scope="module", params=["block", "tree"])
def whole_own(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """The first block or leaf switch has node2 and node3."""
    with own_cluster(f"order{request.param}", 3, "--mode", request.param) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_usable(whole_own) as cluster:
        yield cluster


@pytest.mark.parametrize("keys", ["torch", "torch,ranks=contiguous"])
def test_ranks_follow_slurms_tasks_and_meet_where_rank_0_is(own: Cluster, keys: str) -> None:
    plain = own.srun("-N3 --ntasks-per-node=2 --label hostname").lines
    hosts = {int(number): host for number, host in (re.split(": *", line) for line in plain)}
    tasks = own.probe(f"--distributed={keys} -N3 --ntasks-per-node=2")
    assert [task.host for task in tasks] == [hosts[number] for number in range(6)]
    assert [task.number("RANK") for task in tasks] == list(range(6))
    assert [task.host for task in tasks[::2]] == IN_TOPOLOGY_ORDER
    assert {task["MASTER_ADDR"] for task in tasks} == {own.address(tasks[0].host)}
    assert [task.number("GROUP_RANK") for task in tasks] == [0, 0, 1, 1, 2, 2]
    assert [task.number("LOCAL_RANK") for task in tasks] == [0, 1] * 3


def test_the_next_attempt_has_the_same_order(own: Cluster) -> None:
    ended = Training(own, "srun -N3 --ntasks-per-node=2 OPTION RESUME", keys="restarts=1,grace=1",
                     arguments="0.2 0:1:7").end()
    assert ended.result.code == 0, ended.result.err
    assert [rank.node for rank in ended.of(0)] == [rank.node for rank in ended.of(1)]


def test_doctor_names_the_topology(own: Cluster) -> None:
    result = own.run(f"{own.prefix}/bin/muster doctor --here", timeout=60)
    assert re.search(r"^modes of this Slurm: topology/(block|tree)$", result.out, re.MULTILINE), result.out
