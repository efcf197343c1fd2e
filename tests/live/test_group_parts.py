"""groups=: more groups than nodes, so that several groups share a node."""

import re
from collections.abc import Iterator

import pytest
from cluster import Cluster
from command import Command
from node_faults import left_usable, off_the_network
from own_cluster import own_cluster
from waiting import wait_until

PART = """echo "part group=$REPLICA_GROUP_ID/$NUM_REPLICA_GROUPS rank=$RANK/$WORLD_SIZE attempt=$TORCHELASTIC_RESTART_COUNT" \\
  "node=$SLURMD_NODENAME gpus=$CUDA_VISIBLE_DEVICES cpus=$(sed -n 's/^Cpus_allowed_list:\\t//p' /proc/self/status)"
while [[ $REPLICA_GROUP_ID.$TORCHELASTIC_RESTART_COUNT == "$1" && ! -e end ]]; do [[ ! -e fail ]] || exit 7; sleep 0.1; done
while [[ ! -e end ]]; do sleep 0.1; done
"""
LINE = re.compile(r"^part group=(\d)/4 rank=(\d)/(\d) attempt=(\d) node=(\S+) gpus=(\S*) cpus=(\S+)$", re.MULTILINE)


def parts(command: Command, attempt: int = 0) -> list[tuple[str, ...]]:
    """Group, rank, number of ranks, node, GPUs, CPUs."""
    return sorted((*each[:3], *each[4:]) for each in LINE.findall(command.out) if int(each[3]) == attempt)


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("parts", 3, "--gpus", "2", conf="SlurmdTimeout=30\nMessageTimeout=5\n") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    for file in ("end", "fail"):
        (whole_own.home / file).unlink(missing_ok=True)
    whole_own.write("part.sh", PART)
    with left_usable(whole_own) as cluster:
        yield cluster
    whole_own.await_clean(60)


def start(cluster: Cluster, line: str, program: str = "") -> Command:
    command = cluster.start(f"{line} bash part.sh {program}")
    wait_until(lambda: len(parts(command)) >= 4 or not command.running, 60, "the ranks")
    assert command.running, command.wait(1)
    return command


def test_groups_share_a_node_and_none_of_its_devices(own: Cluster) -> None:
    command = start(own, "srun -N2 --ntasks-per-node=2 --gres=gpu:2 --distributed=torch,groups=4")
    own.write("end", "")
    result = command.wait(60)
    assert result.code == 0, result.err
    seen = parts(command)
    assert [each[:4] for each in seen] == [(str(group), "0", "1", f"node{group // 2 + 1}") for group in range(4)]
    for node in ("node1", "node2"):
        assert sorted(each[4] for each in seen if each[3] == node) == ["0", "1"]
        assert sorted(each[5] for each in seen if each[3] == node) == ["0", "1"]


@pytest.mark.parametrize("line", ["sbatch", "salloc"])
def test_the_gpus_of_the_job_are_divided(own: Cluster, line: str) -> None:
    """A step that asks for no GPUs gets all of the job's, so the second step on the node would wait for the first."""
    srun = "srun --distributed=torch,groups=4 bash part.sh"
    options = "-N2 --ntasks-per-node=2 --gpus-per-node=2"
    own.write("end", "")
    if line == "salloc":
        result = own.run(f"salloc -Q {options} {srun}", timeout=60)
        assert result.code == 0, result.err
        out = result.out
    else:
        own.write("parts.sbatch", f"#!/bin/bash\n{srun}\n")
        result = own.run(f"sbatch --wait -o parts.out {options} parts.sbatch", timeout=60)
        out = (own.home / "parts.out").read_text()
        assert result.code == 0, out
    assert sorted((each[4], each[5]) for each in LINE.findall(out)) == [
        ("node1", "0"), ("node1", "1"), ("node2", "0"), ("node2", "1")]


def test_a_group_that_fails_restarts_in_its_part(own: Cluster) -> None:
    command = start(own, "srun -N2 --ntasks-per-node=2 --gres=gpu:2 --distributed=torch,groups=4,restarts=2,grace=1", "1.0")
    own.write("fail", "")
    wait_until(lambda: len(parts(command, 1)) == 1, 60, "the next attempt")
    own.write("end", "")
    result = command.wait(60)
    assert result.code == 0, result.err
    (before,) = (each for each in parts(command) if each[0] == "1")
    assert parts(command, 1) == [before]
    assert "group 1: done after 2 attempts" in result.err


def test_all_groups_of_a_lost_node_move_to_the_spare(own: Cluster) -> None:
    command = start(own, "salloc -Q -N3 --ntasks-per-node=2 srun -N2 "
                         "--distributed=torch,groups=4,spares=1,restarts=2,heartbeat=3,grace=1")
    with off_the_network(own, "node2"):
        wait_until(lambda: len(parts(command, 1)) == 2, 60, "the attempts on the spare")
        own.write("end", "")
        result = command.wait(60)
    assert result.code == 0, result.err
    assert [(each[0], each[3]) for each in parts(command, 1)] == [("2", "node3"), ("3", "node3")]
    assert sorted(each[5] for each in parts(command, 1)) == ["0", "1"]


@pytest.mark.parametrize(("line", "said"), [
    ("salloc -Q -N1 -n2 srun -n4 --overcommit --distributed=torch,groups=4",
     "groups=: 4 groups share a node, but the job has only 2 cores on it; request more nodes"),
    ("salloc -Q -N1 --gres=gpu:1 --ntasks-per-node=2 srun --distributed=torch,groups=2",
     "groups=: --gres=gpu:1 cannot be divided evenly among 2 groups"),
])
def test_what_a_node_cannot_be_divided_into_is_said_at_once(own: Cluster, line: str, said: str) -> None:
    result = own.run(f"{line} bash part.sh", timeout=60)
    assert result.code == 1
    assert said in result.err
