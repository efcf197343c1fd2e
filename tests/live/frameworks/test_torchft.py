"""torchft: groups=N makes each group of nodes a replica group, which finds its store served by muster's agent."""

import contextlib
import itertools
import json
import os
import random
import re
import signal
import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest
from cluster import Cluster
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS
from node_faults import off_the_network
from own_cluster import own_cluster
from waiting import wait_until

BIN = ENVIRONMENTS / "torchft" / "bin"
FAULTS = int(os.environ.get("MUSTER_FAULTS", "10"))
SEED = int(os.environ.get("MUSTER_SEED", "1"))
STEP = re.compile(r"at (\S+) group (\d) step (\d+)")
SUM = re.compile(r"group (\d) sum (\S+)")
ALL_BEGIN_AGAIN = re.compile(r"the lighthouse on \S+: .*; all groups restart")


@dataclass(frozen=True)
class Step:
    """One that a group has committed."""
    time: float
    group: int
    number: int


class Training:
    def __init__(self, cluster: Cluster, options: str, keys: str, arguments: str) -> None:
        cluster.give("alice", PROGRAMS / "torchft_train.py")
        self.command = cluster.start(
            f"{options} --distributed=torchft,{keys} {BIN}/python torchft_train.py {arguments}",
            env={"PATH": f"{BIN}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"})
        self._read = 0
        self._heard = 0
        self._steps: list[Step] = []
        self._sums: dict[int, str] = {}

    @property
    def steps(self) -> list[Step]:
        """All so far, in the order in which they were written."""
        while lines := self.command.out_after(self._read).rpartition(b"\n")[0]:
            self._read += len(lines)
            for line in lines.decode().splitlines():
                if found := STEP.fullmatch(line):
                    self._steps.append(Step(float(found[1]), int(found[2]), int(found[3])))
                elif found := SUM.fullmatch(line):
                    self._sums[int(found[1])] = found[2]
        return self._steps

    def said(self) -> list[str]:
        """muster's own lines since the last call. torchft writes many more."""
        lines: list[str] = []
        while more := self.command.err_after(self._heard).rpartition(b"\n")[0]:
            self._heard += len(more)
            lines += [line for line in more.decode(errors="replace").splitlines() if line.startswith("muster: ")]
        return lines

    def of(self, group: int, since: int = 0) -> list[Step]:
        return [step for step in self.steps[since:] if step.group == group]

    def longest_gap(self, group: int, since: int) -> float:
        """Between two steps of the group, of which the later one is among those after `since`."""
        last = [step.time for step in self.steps[:since] if step.group == group][-1:]
        times = last + [step.time for step in self.of(group, since)]
        return max((later - earlier for earlier, later in itertools.pairwise(times)), default=0)

    def await_steps(self, groups: Iterable[int], more: int) -> None:
        """Each of these groups does that many more."""
        since = len(self.steps)
        wait_until(lambda: all(len(self.of(group, since)) >= more for group in groups) or not self.command.running,
                   PATIENCE, f"{more} more steps")
        assert self.command.running, "\n".join(self.said())

    def sums(self, groups: int) -> list[str]:
        """At the end."""
        result = self.command.wait(PATIENCE)
        assert result.code == 0, "\n".join(self.said())
        assert self.steps
        assert sorted(self._sums) == list(range(groups)), self._sums
        return list(self._sums.values())


def running_on(cluster: Cluster) -> dict[int, str]:
    """The node of each group."""
    result = cluster.run("muster status --json")
    assert result.code == 0, result.err
    status = json.loads(result.out)
    return {step["run"]["group"]: step["nodes"][0]["name"] for step in status["steps"]}


def lighthouses(cluster: Cluster) -> list[str]:
    """The nodes of the one that is used and of the one that stands by."""
    return re.findall(r"^muster-lighthouse (\S+)$", cluster.run("squeue -h -s -u alice -o '%j %N'").out, re.MULTILINE)


@pytest.mark.slow
def test_a_replica_group_that_is_killed_comes_back_and_the_others_lose_no_step(cluster: Cluster) -> None:
    training = Training(cluster, "srun -N3", "groups=3,restarts=3", "60")
    training.await_steps([0, 1, 2], 5)
    cluster.node("node2", "pkill -9 -f torchft_train.py")
    training.await_steps([0, 2], 5)
    assert len(set(training.sums(3))) == 1
    for group in (0, 2):
        done = [step.number for step in training.of(group)]
        assert done == list(range(done[0], 61))
    assert "group 1: restart 1 of 3 starts" in training.command.err
    assert "group 0: restart" not in training.command.err


@pytest.mark.slow
def test_groups_meet_at_another_lighthouse_only_after_all_have_ended(cluster: Cluster) -> None:
    training = Training(cluster, "srun -N3", "groups=3,restarts=3,grace=2", "40")
    training.await_steps([0, 1, 2], 5)
    before = len(training.steps)
    cluster.node("node1", "pkill -9 -o -f '[t]orchft_lighthouse'")
    wait_until(lambda: ALL_BEGIN_AGAIN.search(training.command.err) or not training.command.running, 30,
               "the loss of the lighthouse to be noticed")
    assert len(set(training.sums(3))) == 1
    assert {step.number for step in training.steps[before:]} >= {1, 40}  # it has no checkpoints


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
    """MUSTER_FAULTS faults: of one of four groups, a rank, an agent or the node, which a spare replaces; or the node
    of a lighthouse. If that lighthouse is the one that is used, all groups start again, from a checkpoint."""
    chance = random.Random(SEED)
    cluster = five_nodes
    cluster.run("mkdir checkpoints")
    keys = f"groups=4,spares=1,restarts={FAULTS},heartbeat=3,grace=1"
    training = Training(cluster, "salloc -Q --no-kill -N5 srun", keys, f"{10**6} checkpoints")
    everyone = range(4)
    training.await_steps(everyone, 10)
    gaps: dict[str, list[float]] = {}
    for number in range(FAULTS):
        kind = chance.choice([*2 * ["rank", "agent", "node"], "lighthouse"])
        served, places = lighthouses(cluster), running_on(cluster)
        if kind == "lighthouse":
            node = chance.choice(sorted(served))
            group = next((each for each in everyone if places[each] == node), None)
        else:
            group = chance.choice([each for each in everyone if kind != "node" or places[each] not in served])
            node = places[group]
        others = [each for each in everyone if each != group]
        training.said()
        seen = len(training.steps)
        began = time.time()
        with off_the_network(cluster, node) if kind in ("node", "lighthouse") else contextlib.nullcontext():
            if kind == "rank":
                break_rank(cluster, node)
            elif kind == "agent":
                break_agent(cluster, node)
            training.await_steps(others, 3)
            if kind == "lighthouse":  # its loss has been noticed by then
                time.sleep(max(0, began + 10 - time.time()))
            training.await_steps(everyone, 3)
        said = "\n".join(training.said())
        if kind == "lighthouse":
            kind += ", used" if ALL_BEGIN_AGAIN.search(said) else ", standing by"
        restarted = {int(each) for each in re.findall(r"group (\d): restart", said)}
        assert kind == "lighthouse, used" or (restarted == {group} - {None} and not ALL_BEGIN_AGAIN.search(said)), said
        gaps.setdefault(kind, []).append(max(training.longest_gap(each, seen) for each in others))
        own = "" if group is None else f", of its group {training.longest_gap(group, seen):.2f} s"
        print(f"fault {number}: {kind}, group {group} on {node}: longest gap of the others {gaps[kind][-1]:.2f} s{own}",
              flush=True)
    cluster.write("goal", str(max(step.number for step in training.steps) + 50))
    sums = training.sums(4)
    print(f"sums {sums}")
    assert len(set(sums)) == 1
    for kind, found in sorted(gaps.items()):
        print(f"{kind}: {len(found)} faults, longest gaps of the others: median {statistics.median(found):.2f} s, "
              f"{[round(gap, 2) for gap in sorted(found)]}")
    most = 0
    for step in training.steps:
        assert step.number >= most - 2, f"group {step.group} went back from step {most} to {step.number}"
        most = max(most, step.number)
