"""groups=: groups of nodes that restart independently."""

import json
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from cluster import CHECKOUT, Cluster
from command import Command
from node_faults import left_usable, off_the_network
from own_cluster import own_cluster
from waiting import wait_until

PROGRAMS = CHECKOUT / "tests" / "live" / "programs"
LOSSES = int(os.environ.get("MUSTER_LOSSES", "2"))  # of the lighthouse
LINE = re.compile(r"^member group=(\d)/(\d) rank=(\d)/(\d) attempt=(\d) node=(\S+) master=(\S+) pid=(\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Member:
    group: int
    groups: int
    rank: int
    ranks: int
    attempt: int
    node: str
    master: str
    pid: int


def members(command: Command) -> list[Member]:
    return sorted((Member(*map(int, each[:5]), *each[5:7], int(each[7])) for each in LINE.findall(command.out)),
                  key=lambda member: (member.group, member.attempt, member.rank))


def of(command: Command, group: int, attempt: int = 0) -> list[Member]:
    return [each for each in members(command) if (each.group, each.attempt) == (group, attempt)]


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("groups", 4, conf="SlurmdTimeout=30\nMessageTimeout=5\n") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    for file in ("end", "fail", "report.json"):
        (whole_own.home / file).unlink(missing_ok=True)
    whole_own.give("alice", PROGRAMS / "member")
    with left_usable(whole_own) as cluster:
        yield cluster
    whole_own.await_clean(60)


def start(cluster: Cluster, line: str, program: str = "", count: int = 4) -> Command:
    """Returns once that many ranks have started."""
    command = cluster.start(f"{line} ./member {program}")
    wait_until(lambda: len(members(command)) >= count or not command.running, 60, "the ranks")
    assert command.running, command.wait(1)
    return command


def end(cluster: Cluster, command: Command) -> tuple[int, str]:
    cluster.write("end", "")
    result = command.wait(90)
    return result.code, result.err


def test_each_group_has_a_world_of_its_own(own: Cluster) -> None:
    command = start(own, "srun -N4 --ntasks-per-node=2 --distributed=torch,groups=2", count=8)
    assert end(own, command)[0] == 0
    for group, nodes in enumerate([["node1", "node2"], ["node3", "node4"]]):
        assert [(each.rank, each.node) for each in of(command, group)] == list(enumerate(sorted(2 * nodes)))
        assert {(each.groups, each.ranks) for each in of(command, group)} == {(2, 4)}
    assert len({each.master for each in members(command)}) == 2


def test_without_groups_the_users_own_number_stays(own: Cluster) -> None:
    command = own.run("srun -N1 --distributed=torch env", env={"REPLICA_GROUP_ID": "7", "NUM_REPLICA_GROUPS": "9"})
    assert {"REPLICA_GROUP_ID=7", "NUM_REPLICA_GROUPS=9"} <= set(command.lines)
    assert "REPLICA_GROUP_ID" not in own.run("srun -N1 --distributed=torch env").out


def test_a_group_that_fails_restarts_alone(own: Cluster) -> None:
    command = start(own, "srun -N4 --distributed=torch,groups=2,restarts=2,grace=1", "1:0:7")
    own.write("fail", "")
    wait_until(lambda: len(of(command, 1, 1)) == 2, 60, "the next attempt")
    code, err = end(own, command)
    assert code == 0, err
    assert not of(command, 0, 1)
    assert [each.node for each in of(command, 1, 1)] == ["node3", "node4"]
    assert "group 1: restart 1 of 2 starts on the same nodes" in err
    assert "group 0: done" in err
    assert "group 1: done after 2 attempts" in err


def test_a_spare_goes_to_the_group_that_needs_it_first(own: Cluster) -> None:
    command = start(own, "salloc -Q -N4 srun --distributed=torch,groups=3,spares=1,restarts=2,heartbeat=3,grace=1", count=3)
    with off_the_network(own, "node2"):
        wait_until(lambda: len(of(command, 1, 1)) == 1, 60, "the attempt on the spare")
        code, err = end(own, command)
    assert code == 0, err
    assert of(command, 1, 1)[0].node == "node4"
    assert not of(command, 0, 1)
    assert not of(command, 2, 1)


@pytest.mark.slow
def test_a_group_without_nodes_leaves_and_comes_back(own: Cluster) -> None:
    command = start(own, "salloc -Q --no-kill -N3 srun --distributed=torch,groups=2:3,restarts=2,heartbeat=3,grace=1", count=3)
    with off_the_network(own, "node2"):
        wait_until(lambda: "group 1 has left the run because there are too few nodes; 2 groups continue" in command.err, 60, "the group to leave")
    wait_until(lambda: len([each for each in members(command) if each.group == 1]) == 2, 90, "the group to come back")
    code, err = end(own, command)
    assert code == 0, err
    assert "group 1 rejoins" in err
    assert not of(command, 0, 1)
    assert not of(command, 2, 1)


def test_too_few_groups_end_the_run_with_one_report(own: Cluster) -> None:
    command = start(own, "srun -N4 --distributed=torch,groups=2,restarts=1,grace=1,report=report.json", "1:1:7:9")
    own.write("fail", "")
    result = command.wait(60)
    assert result.code == 7, result.err
    assert result.err.count("FAILED (group 1, exit code 7, attempt 1") == 1
    assert "rank      : 1" in result.err
    assert "group 0: stopped" in result.err
    report = json.loads((own.home / "report.json").read_text())
    assert (report["exit_code"], report["result"], report["group"]) == (7, "failed", 1)
    assert [(each["group"], each["result"], each["attempts"]) for each in report["groups"]] == [
        (0, "cancelled", 1), (1, "failed", 2)]
    assert report["groups"][1]["reports"][0]["first"]["rank"] == 1


def test_the_others_continue_where_fewer_groups_are_enough(own: Cluster) -> None:
    command = start(own, "srun -N4 --distributed=torch,groups=1:2,grace=1", "1:1:7")
    own.write("fail", "")
    wait_until(lambda: "group 1 has left the run; 1 group continues" in command.err, 60, "the group to leave")
    code, err = end(own, command)
    assert code == 0, err
    assert "group 1: failed (exit code 7): rank 1 on node4 failed first: exit code 7" in err


def test_a_group_that_fails_when_enough_have_finished_does_not_fail_the_run(own: Cluster) -> None:
    command = start(own, "srun -N2 --distributed=torch,groups=1:2,grace=1", "1:0:7", count=2)
    own.write("end", "")
    node = of(command, 0)[0].node
    wait_until(lambda: not any("member" in each.command for each in own.processes(node)), 60, "group 0 to finish")
    own.run("sleep 2")  # until its supervisor has exited as well
    own.write("fail", "")
    result = command.wait(60)
    assert result.code == 0, result.err
    assert "group 1 has left the run; enough groups have finished, so muster ends the run" in result.err


def lighthouses(cluster: Cluster) -> list[int]:
    return [each.pid for node in cluster.nodes for each in cluster.processes(node)
            if each.name.startswith("python3") and "lighthouse_double" in each.command]


@pytest.mark.slow
def test_all_groups_begin_again_on_their_nodes_when_the_lighthouse_is_lost(own: Cluster) -> None:
    own.give("alice", PROGRAMS / "lighthouse_double")
    own.write(".config/muster/profiles/lit.yaml",
              "include: torch\nlighthouse: [./lighthouse_double]\nenvironment: {TORCHFT_LIGHTHOUSE: '{lighthouse}'}\n")
    command = start(own, "srun -N4 --distributed=lit,groups=4,grace=1")
    for loss in range(1, LOSSES + 1):
        wait_until(lambda: len(lighthouses(own)) == 2, 60, "the lighthouse and the one that stands by")
        own.run("sleep 2")  # until they are known to answer
        for pid in lighthouses(own):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda loss=loss: len(members(command)) == 4 * (loss + 1) or not command.running, 60,
                   "all groups to begin again")
        assert command.running, command.wait(1).err
    code, err = end(own, command)
    assert code == 0, err
    assert err.count("all groups restart with another lighthouse") == LOSSES
    assert len({(each.group, each.node) for each in members(command)}) == 4


def test_status_shows_each_group(own: Cluster) -> None:
    command = start(own, "srun -N4 --distributed=torch,groups=4")
    status = own.run("muster status")
    assert sorted(re.findall(r"^group (\d) of 4, step", status.out, re.MULTILINE)) == ["0", "1", "2", "3"]
    runs = json.loads(own.run("muster status --json").out)
    assert sorted(step["run"]["group"] for step in runs["steps"]) == [0, 1, 2, 3]
    assert end(own, command)[0] == 0


@pytest.mark.parametrize("line", ["srun -N4", "salloc -Q -N4 srun"])
def test_a_signal_ends_all_groups(own: Cluster, line: str) -> None:
    command = start(own, f"{line} --distributed=torch,groups=2,grace=2,restarts=3")
    if line.startswith("salloc"):
        own.run("scancel -u alice")
    else:
        command.signal(signal.SIGTERM)
    assert command.wait(60).code != 0
    assert not [each for each in members(command) if each.attempt > 0]


def test_no_rank_outlives_the_supervisor(own: Cluster) -> None:
    command = start(own, "salloc -Q -N4 srun --distributed=torch,groups=2,grace=1")
    supervisors = {each.pid: each for each in own.processes("login") if " supervise " in each.command}
    assert len(supervisors) == 3
    (first,) = (each for each in supervisors.values() if each.parent not in supervisors)
    os.kill(first.pid, signal.SIGKILL)
    command.wait(60)
    wait_until(lambda: not [each for node in ("node1", "node4") for each in own.processes(node) if "member" in each.command],
               60, "the ranks to end")


def test_each_task_of_an_array_has_groups_of_its_own(own: Cluster) -> None:
    own.write("array.sh", "#!/bin/bash\nsrun --distributed=torch,groups=2,restarts=1,grace=1 ./member 1:0:7\n")
    own.write("fail", "")
    own.write("end", "")
    result = own.run("sbatch --wait --array=0-1 -N2 --ntasks-per-node=1 -o array-%a.out array.sh", timeout=90)
    outputs = [(own.home / f"array-{task}.out").read_text() for task in range(2)]
    assert result.code == 0, outputs
    found = [LINE.findall(output) for output in outputs]
    assert [sorted((each[0], each[4]) for each in members) for members in found] == 2 * [
        [("0", "0"), ("1", "0"), ("1", "1")]]


PROGRAMS_LINE = "salloc -Q -N4 --ntasks-per-node=2 srun -N2 --ntasks-per-node=2 --distributed=torch,groups=2,restarts=1,grace=1 ./member"


def test_each_program_has_a_world_of_its_own(own: Cluster) -> None:
    command = start(own, f"{PROGRAMS_LINE} 9:9:9 : -N1", count=5)
    assert end(own, command)[0] == 0
    assert [(each.rank, each.ranks, each.node) for each in of(command, 0)] == [
        (0, 4, "node1"), (1, 4, "node1"), (2, 4, "node2"), (3, 4, "node2")]
    assert [(each.rank, each.ranks, each.node) for each in of(command, 1)] == [(0, 1, "node3")]
    assert len({each.master for each in members(command)}) == 2


def test_a_program_that_fails_restarts_alone(own: Cluster) -> None:
    command = start(own, f"{PROGRAMS_LINE} : -N1", "1:0:7", count=5)
    own.write("fail", "")
    wait_until(lambda: len(of(command, 1, 1)) == 1, 60, "the next attempt")
    code, err = end(own, command)
    assert code == 0, err
    assert not of(command, 0, 1)
    assert "group 1: restart 1 of 1 starts on the same nodes" in err


def test_each_program_may_have_a_profile_of_its_own(own: Cluster) -> None:
    own.write("show.sh", "echo $1 group=$REPLICA_GROUP_ID jax=${JAX_COORDINATOR_ADDRESS+yes} rank=${RANK-}\n")
    result = own.run("salloc -Q -N2 srun -N1 --distributed=torch,groups=2 bash show.sh a : "
                     "-N1 --distributed=jax bash show.sh b")
    assert result.code == 0, result.err
    assert sorted(result.out.splitlines()) == ["a group=0 jax= rank=0", "b group= jax=yes rank="]


@pytest.mark.parametrize(("line", "said"), [
    ("srun -N4 --distributed=torch,groups=3", "groups=3: 4 nodes cannot be divided evenly among 3 groups; use 6 nodes"),
    ("srun -N2 --distributed=torch,groups=3", "groups=3: 3 groups cannot be divided evenly among 2 nodes; use 4 groups"),
    ("srun -N2 --distributed=torch,groups=4",
     "groups=4: each node has 1 task, which cannot be divided evenly among its 2 groups; use 2 tasks per node, or 4 nodes"),
    ("srun -N4 --distributed=torch,groups=2,nodes=1", "nodes= does not work with groups=: a group keeps its size"),
    ("srun -N2 -w node1,node2 --distributed=torch,groups=2", "groups=2: this srun specifies its nodes"),
    ("srun -N1 --distributed=torch,groups=2 true : -N1",
     "groups=: several programs need a job whose nodes they share; run this inside sbatch or salloc"),
    ("srun -N2 --distributed=torch,groups=2,metrics=:9100", "metrics= at a port serves one supervisor"),
    ("srun -N2 --distributed=torchft,groups=2", "groups=: torchft_lighthouse is not on PATH"),
])
def test_what_cannot_be_is_refused_before_anything_is_allocated(own: Cluster, line: str, said: str) -> None:
    result = own.run(f"{line} ./member")
    assert result.code == 1
    assert said in result.err
    assert "Granted" not in result.err
    assert os.linesep not in result.err.strip()
