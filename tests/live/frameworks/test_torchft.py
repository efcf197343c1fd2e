"""torchft: groups=N makes each group of nodes a replica group, which finds its store served by muster's agent."""

import contextlib
import json
import os
import random
import re
import signal
from collections.abc import Iterator

import pytest
from cluster import Cluster
from command import Command
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS
from node_faults import off_the_network
from own_cluster import own_cluster
from waiting import wait_until

BIN = ENVIRONMENTS / "torchft" / "bin"
FAULTS = int(os.environ.get("MUSTER_FAULTS", "10"))
SEED = int(os.environ.get("MUSTER_SEED", "1"))
STEP = re.compile(r"^at (\S+) group (\d) step (\d+)$", re.MULTILINE)


def train(cluster: Cluster, options: str, keys: str, steps: int) -> Command:
    cluster.give("alice", PROGRAMS / "torchft_train.py")
    return cluster.start(f"{options} --distributed=torchft,{keys} {BIN}/python torchft_train.py {steps}",
                         env={"PATH": f"{BIN}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"})


def steps(command: Command, group: int) -> list[int]:
    return [int(step) for _, number, step in STEP.findall(command.out) if int(number) == group]


def running_on(cluster: Cluster) -> dict[int, str]:
    """The node of each group."""
    result = cluster.run("muster status --json")
    assert result.code == 0, result.err
    status = json.loads(result.out)
    return {step["run"]["group"]: step["nodes"][0]["name"] for step in status["steps"]}


def longest_gap(out: str, group: int) -> float:
    times = [float(at) for at, number, _ in STEP.findall(out) if int(number) == group]
    return max((later - earlier for earlier, later in zip(times, times[1:], strict=False)), default=0)


def await_step(command: Command, groups: list[int], more: int) -> None:
    """All of these groups do that many steps."""
    goal = {group: (steps(command, group) or [0])[-1] + more for group in groups}
    wait_until(lambda: all((steps(command, group) or [0])[-1] >= goal[group] for group in groups) or not command.running,
               PATIENCE, f"{more} more steps")


def sums(command: Command, groups: int) -> list[str]:
    result = command.wait(PATIENCE)
    assert result.code == 0, result.err
    found = dict(re.findall(r"^group (\d) sum (\S+)$", result.out, re.MULTILINE))
    assert sorted(found) == [str(group) for group in range(groups)], found
    return list(found.values())


@pytest.mark.slow
def test_a_replica_group_that_is_killed_comes_back_and_the_others_lose_no_step(cluster: Cluster) -> None:
    command = train(cluster, "srun -N3", "groups=3,restarts=3", 60)
    await_step(command, [0, 1, 2], 5)
    assert command.running, command.wait(1).err
    cluster.node("node2", "pkill -9 -f torchft_train.py")
    await_step(command, [0, 2], 5)
    assert len(set(sums(command, 3))) == 1
    for group in (0, 2):
        done = steps(command, group)
        assert sorted(set(done)) == list(range(done[0], 61))
    assert "group 1: restart 1 of 3 starts" in command.err
    assert "group 0: restart" not in command.err


@pytest.mark.slow
def test_groups_meet_at_another_lighthouse_only_after_all_have_ended(cluster: Cluster) -> None:
    command = train(cluster, "srun -N3", "groups=3,restarts=3,grace=2", 40)
    await_step(command, [0, 1, 2], 5)
    assert command.running, command.wait(1).err
    before = len(command.out)
    cluster.node("node1", "pkill -9 -o -f '[t]orchft_lighthouse'")
    wait_until(lambda: "all groups start again, with another lighthouse" in command.err or not command.running, 30,
               "the loss of the lighthouse to be noticed")
    assert len(set(sums(command, 3))) == 1
    assert {step for *_, step in STEP.findall(command.out[before:])} >= {"1", "40"}  # it has no checkpoints


@pytest.fixture
def five_nodes() -> Iterator[Cluster]:
    with own_cluster("torchft", 5, conf="SlurmdTimeout=300\n") as cluster:
        yield cluster


def break_rank(cluster: Cluster, node: str) -> None:
    cluster.node(node, "pkill -9 -f torchft_train.py")


def break_agent(cluster: Cluster, node: str) -> None:
    for agent in cluster.agents(node):
        os.kill(agent.pid, signal.SIGKILL)
    break_rank(cluster, node)


@pytest.mark.long
@pytest.mark.slow
def test_random_faults_cost_the_other_groups_no_step(five_nodes: Cluster) -> None:
    """MUSTER_FAULTS faults, each of one of four groups: a rank, an agent or the node, which a spare replaces. The batch
    host has the lighthouse, and is left in peace: without it, there is no run."""
    chance = random.Random(SEED)
    cluster = five_nodes
    command = train(cluster, "salloc -Q --no-kill -N5 srun", f"groups=4,spares=1,restarts={FAULTS},heartbeat=3,grace=1", 10**6)
    everyone = range(4)
    await_step(command, [*everyone], 10)
    gaps: dict[str, list[float]] = {}
    for number in range(FAULTS):
        kind = chance.choice(["rank", "agent", "node"])
        lighthouses = re.findall(r"^lighthouse (\S+)$", cluster.run("squeue -h -s -u alice -o '%j %N'").out, re.MULTILINE)
        places = running_on(cluster)
        group = chance.choice([each for each in everyone if kind != "node" or places[each] not in lighthouses])
        node = places[group]
        others = [each for each in everyone if each != group]
        seen = len(command.out)
        with off_the_network(cluster, node) if kind == "node" else contextlib.nullcontext():
            if kind == "rank":
                break_rank(cluster, node)
            elif kind == "agent":
                break_agent(cluster, node)
            await_step(command, others, 3)
            assert command.running, command.wait(1).err
            await_step(command, [*everyone], 3)
        gaps.setdefault(kind, []).append(max(longest_gap(command.out[seen:], each) for each in others))
        print(f"fault {number}: {kind} of group {group} on {node}: longest gap of the others {gaps[kind][-1]:.2f} s", flush=True)
    cluster.write("goal", str(max(steps(command, group)[-1] for group in everyone) + 50))
    assert len(set(sums(command, 4))) == 1
    for kind, found in gaps.items():
        print(f"{kind}: {len(found)} faults, longest gaps of the others {sorted(found)}")
    most = 0
    for _, group, step in STEP.findall(command.out):  # in the order in which they were written
        begins = step == "0"  # before it has the others' parameters
        assert begins or int(step) >= most - 2, f"group {group} went back from step {most} to {step}"
        most = max(most, int(step))
