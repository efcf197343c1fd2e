"""torchft: each step is one replica group, which finds its store served by muster's agent."""

import re

import pytest
from cluster import Cluster
from command import Command
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS
from waiting import wait_until

BIN = ENVIRONMENTS / "torchft" / "bin"
STEPS = 60


def lighthouse(cluster: Cluster) -> tuple[Command, str]:
    server = cluster.start(f"{BIN}/torchft_lighthouse --min_replicas 1 --quorum_tick_ms 100 --join_timeout_ms 10000 "
                           "--bind 0.0.0.0:29510")
    return server, f"http://{cluster.address('login')}:29510"


def group(cluster: Cluster, number: int, address: str) -> Command:
    return cluster.start(f"srun --distributed=torchft -N1 -n2 --nodelist=node{number + 1} "
                         f"{BIN}/python torchft_train.py {STEPS}",
                         env={"REPLICA_GROUP_ID": str(number), "TORCHFT_LIGHTHOUSE": address, "OMP_NUM_THREADS": "1"})


def steps(command: Command) -> list[int]:
    return [int(step) for step in re.findall(r"^step (\d+)$", command.out, re.MULTILINE)]


def total(command: Command) -> str:
    result = command.wait(PATIENCE)
    assert result.code == 0, result.err
    return re.search(r"^group \d sum (\S+)$", result.out, re.MULTILINE)[1]


@pytest.mark.slow
def test_replica_groups_train_together_and_one_that_is_killed_comes_back(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "torchft_train.py")
    server, address = lighthouse(cluster)
    groups = [group(cluster, number, address) for number in range(2)]
    wait_until(lambda: all(steps(each)[-1:] > [5] or not each.running for each in groups), PATIENCE, "both groups to train")
    assert all(each.running for each in groups), [str(each) for each in groups]
    groups[1].kill()
    groups[1].wait(60)
    before = steps(groups[0])[-1]
    wait_until(lambda: steps(groups[0])[-1] >= before + 5, 60, "the other group to go on")
    groups[1] = group(cluster, 1, address)
    assert total(groups[0]) == total(groups[1])
    assert steps(groups[0]) == list(range(1, STEPS + 1))
    server.kill()
    server.wait(30)
