"""drain=on: a run leaves the nodes that an administrator drains."""

import os
import re
from collections.abc import Iterator

import pytest
from cluster import PROGRAMS, Cluster
from command import Command
from node_faults import resumed
from own_cluster import own_cluster
from restarted import Training
from waiting import wait_until

TORCH = os.environ.get("MUSTER_TORCH", "")  # folders for PYTHONPATH


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
    assert "node1 is being drained: stopping the ranks, which will continue on other nodes (drain=)" in ended.result.err


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


class DrainedTraining:
    """The `drained_training` program, which leaves a checkpoint when it is asked to stop."""

    def __init__(self, cluster: Cluster, keys: str) -> None:
        self.cluster = cluster
        for old in ["goal", *(file.name for file in cluster.home.glob("checkpoint-*"))]:
            (cluster.home / old).unlink(missing_ok=True)
        env = {"PYTHONPATH": TORCH, "OMP_NUM_THREADS": "1"}
        if cluster.run("python3 -c 'import torch'", env=env, timeout=120).code != 0:
            pytest.skip("no PyTorch for the cluster's python3; scripts/setup --with=training installs it")
        cluster.give("alice", PROGRAMS / "drained_training")
        self.command: Command = cluster.start(
            f"salloc -Q -N3 --ntasks-per-node=2 srun --distributed=torch,spares=1,drain,grace=30,{keys} ./drained_training", env=env)

    def steps(self, group: int = 0) -> list[tuple[int, int]]:
        """Each with the attempt that did it, in their order."""
        found = re.findall(rf"^step (\d+) group {group} attempt (\d+)$", self.command.out, re.MULTILINE)
        return [(int(step), int(attempt)) for step, attempt in found]

    def nodes(self, group: int, attempt: int) -> set[str]:
        return set(re.findall(rf"^on (\S+) group {group} attempt {attempt}$", self.command.out, re.MULTILINE))

    def await_steps(self, group: int, attempt: int, count: int) -> None:
        wait_until(lambda: len([each for each in self.steps(group) if each[1] == attempt]) >= count
                   or not self.command.running, 180, f"steps of attempt {attempt}")
        assert self.command.running, self.command.wait(1).err

    def end(self, groups: int = 1) -> None:
        """Each group has done each step exactly once."""
        goal = max(self.steps(group)[-1][0] for group in range(groups)) + 20
        self.cluster.write("goal", str(goal))
        result = self.command.wait(120)
        assert result.code == 0, result.err
        ranks = 4 // groups
        for group in range(groups):
            assert [step for step, _ in self.steps(group)] == list(range(1, goal + 1))
            parameter = sum(step * step % 997 + (ranks - 1) / 2 for step in range(1, goal + 1))
            assert f"done {goal} group {group} parameter {parameter}\n" in result.out


@pytest.mark.slow
@pytest.mark.long
def test_a_training_loses_no_step_when_it_leaves_a_drained_node(own: Cluster) -> None:
    training = DrainedTraining(own, "restarts=1")
    training.await_steps(0, 0, 10)
    drain(own, "node2")
    training.await_steps(0, 1, 10)
    training.end()
    assert (training.nodes(0, 0), training.nodes(0, 1)) == ({"node1", "node2"}, {"node1", "node3"})


@pytest.mark.slow
@pytest.mark.long
def test_a_group_loses_no_step_when_it_leaves_a_drained_node_and_the_other_does_not_stop(own: Cluster) -> None:
    training = DrainedTraining(own, "groups=2,restarts=1")
    for group in (0, 1):
        training.await_steps(group, 0, 10)
    drain(own, "node2")
    training.await_steps(1, 1, 10)
    training.end(groups=2)
    assert (training.nodes(1, 0), training.nodes(1, 1)) == ({"node2"}, {"node3"})
    assert {attempt for _, attempt in training.steps(0)} == {0}


@pytest.mark.slow
@pytest.mark.long
def test_one_spare_lets_one_group_leave_its_drained_node(own: Cluster) -> None:
    training = DrainedTraining(own, "groups=2,restarts=1")
    for group in (0, 1):
        training.await_steps(group, 0, 10)
    drain(own, "node[1-2]")
    wait_until(lambda: any(training.nodes(group, 1) for group in (0, 1)), 180, "the group that leaves")
    moved = 0 if training.nodes(0, 1) else 1
    training.await_steps(moved, 1, 100)  # longer than the other group needs to look again
    training.end(groups=2)
    assert training.nodes(moved, 1) == {"node3"}
    assert {attempt for _, attempt in training.steps(1 - moved)} == {0}
