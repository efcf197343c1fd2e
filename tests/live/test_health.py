"""Checks of nodes between two attempts: health=, what the previous attempt has left behind, and nodes in reserve."""

import os
import signal
from collections.abc import Iterator

import pytest
from cluster import Cluster
from control_groups import CGROUP_CONF, CONF, GROUPS, frozen
from own_cluster import BUILD, left_clean, own_cluster
from processes import Process
from restarted import Restarted, Training
from waiting import wait_until

ALL_BUT_ONE = "salloc -Q -N4 --ntasks-per-node=1 srun OPTION RESUME"
THREE = "salloc -Q -N3 --ntasks-per-node=1 srun OPTION RESUME"
ON_NODE2 = '[ "$SLURMD_NODENAME" != node2 ] || '


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("health", 4) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_clean(whole_own):
        yield whole_own


def health(cluster: Cluster, script: str) -> None:
    cluster.write("health", f"#!/bin/sh\n{script}\n").chmod(0o755)


def train(cluster: Cluster, line: str, keys: str, arguments: str = "0.2 0:0:7") -> Restarted:
    return Training(cluster, line, keys=f"grace=1,{keys}", arguments=arguments).end()


def test_a_spare_takes_the_place_of_a_node_that_the_command_finds_ill(own: Cluster) -> None:
    health(own, f"{ON_NODE2} {{ echo GPU 3 is missing; exit 3; }}")
    ended = train(own, ALL_BUT_ONE, "restarts=3,spares=1,health=./health")
    assert ended.result.code == 0, ended.result.err
    assert (ended.nodes(0), ended.nodes(1)) == (["node1", "node2", "node3"], ["node1", "node3", "node4"])
    assert "without node2 (health check: exit code 3: GPU 3 is missing), with node4" in ended.result.err
    assert "counts as healthy" not in ended.result.err


def test_an_ill_node_is_used_where_nothing_better_is_left(own: Cluster) -> None:
    health(own, f"{ON_NODE2} exit 1")
    ended = train(own, THREE, "restarts=3,health=./health")
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node2", "node3"]


def test_a_training_that_may_shrink_goes_on_without_an_ill_node(own: Cluster) -> None:
    health(own, f"{ON_NODE2} exit 1")
    ended = train(own, THREE, "restarts=3,nodes=2,health=./health")
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node3"]


@pytest.mark.slow
@pytest.mark.parametrize("script, said", [
    ("exit 1", "found no node healthy (node1: exit code 1)"),
    ("sleep 1000", "gave no clear result on node1 (did not finish within 1 s) and 3 more"),
    ("kill -9 $$", "gave no clear result on node1 (killed by signal 9) and 3 more"),
    ("", "gave no clear result on node1 (cannot be started: No such file or directory) and 3 more"),
], ids=["fails everywhere", "hangs", "is killed", "is missing"])
def test_a_command_of_no_use_leaves_no_node_out_and_is_named_once(own: Cluster, script: str, said: str) -> None:
    health(own, script)
    name = "./health" if script else "./not-there"
    ended = train(own, ALL_BUT_ONE, f"restarts=3,spares=1,health={name},health-timeout=1", "0.2 0:0:7 1:1:7")
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(2) == ["node1", "node2", "node3"]
    assert ended.result.err.count(f"health={name} ") == 1
    assert f"muster: warning: health={name} {said}" in ended.result.err


@pytest.mark.slow
def test_a_command_that_hangs_on_one_node_holds_up_no_others_result(own: Cluster) -> None:
    health(own, f'{ON_NODE2} exit 1; [ "$SLURMD_NODENAME" != node3 ] || sleep 1000')
    ended = train(own, ALL_BUT_ONE, "restarts=3,spares=1,health=./health,health-timeout=1")
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node3", "node4"]
    assert ("gave no clear result on node3 (did not finish within 1 s): such a node counts as healthy"
            in ended.result.err)


def supervisor_of(cluster: Cluster) -> Process:
    (supervisor,) = [process for process in cluster.processes("login")
                     if process.name == "muster" and " supervise " in process.command]
    return supervisor


def test_an_attempt_that_cannot_begin_leaves_the_report_of_those_before(own: Cluster) -> None:
    for old in ("asked", "go"):
        (own.home / old).unlink(missing_ok=True)
    health(own, "echo asked >>asked; until [ -e go ]; do sleep 0.1; done")
    training = Training(own, THREE, keys="grace=1,restarts=3,health=./health,health-timeout=300", arguments="0.2 0:0:7")
    wait_until(lambda: (own.home / "asked").exists(), 60, "the health command")
    pid = supervisor_of(own).pid
    files = max(int(file) for file in os.listdir(f"/proc/{pid}/fd"))  # enough to ask Slurm, but not to start srun
    limited = own.run(f"prlimit --pid {pid} --nofile={files}:{files}")
    assert limited.code == 0, limited.err
    own.write("go", "")
    ended = training.end()
    assert ended.result.code == 7, ended.result.err
    assert "Too many open files" in ended.result.err
    assert "no further attempt: " in ended.result.err
    assert "FAILED (exit code 7, " in ended.result.err
    assert ended.report["first"]["code"] == 7


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_between_two_attempts_ends_the_training_with_its_report(own: Cluster, number: signal.Signals) -> None:
    (own.home / "asked").unlink(missing_ok=True)
    health(own, "echo asked >>asked; sleep 1000")
    training = Training(own, THREE, keys="grace=1,restarts=3,health=./health,health-timeout=300", arguments="0.2 0:0:7")
    wait_until(lambda: (own.home / "asked").exists(), 60, "the health command")
    os.kill(supervisor_of(own).pid, number)
    ended = training.end()
    assert ended.result.code == 128 + number, ended.result.err
    assert f"no further attempt: {number.name} arrived between two attempts" in ended.result.err
    assert f"FAILED (exit code {128 + number}, " in ended.result.err
    assert (ended.report["exit_code"], ended.report["first"]["code"]) == (128 + number, 7)
    assert [sent["signal"] for sent in ended.report["signals"]] == [number.name]
    assert ended.attempts == 1


def test_the_command_runs_as_the_user_once_on_each_node_before_each_further_attempt(own: Cluster) -> None:
    (own.home / "asked").unlink(missing_ok=True)
    health(own, 'echo "$SLURMD_NODENAME $(id -un) ${MUSTER_STEP-none}" >>asked')
    ended = train(own, THREE, "restarts=3,health=./health", "0.2 0:0:7 1:1:7")
    assert ended.result.code == 0, ended.result.err
    asked = sorted((own.home / "asked").read_text().splitlines())
    assert asked == sorted(2 * [f"{node} alice none" for node in ("node1", "node2", "node3")])


def test_of_a_step_on_nodes_of_its_users_choice_no_others_are_asked(own: Cluster) -> None:
    (own.home / "asked").unlink(missing_ok=True)
    health(own, 'echo "$SLURMD_NODENAME" >>asked')
    ended = train(own, "salloc -Q -N4 srun -n2 -w node2,node3 OPTION RESUME", "restarts=3,health=./health")
    assert ended.result.code == 0, ended.result.err
    assert sorted((own.home / "asked").read_text().splitlines()) == ["node2", "node3"]


def test_a_site_can_have_a_command_for_all(own: Cluster) -> None:
    command = own.site_file("gpu-check", f"#!/bin/sh\n{ON_NODE2} exit 1\n")
    command.chmod(0o755)
    config = own.site_file("health.yaml", f"defaults:\n  health: {command}\n")
    with own.plugstack("optional", config=config):
        ended = train(own, ALL_BUT_ONE, "restarts=3,spares=1")
    assert ended.nodes(1) == ["node1", "node3", "node4"], ended.result.err


def test_without_a_command_and_doubt_no_step_lies_between_two_attempts(own: Cluster) -> None:
    ended = train(own, THREE, "restarts=3")
    assert [attempt["step"].split(".")[1] for attempt in ended.report["attempts"]] == ["0", "1"]


def daemon(cluster: Cluster, node: str, name: str) -> Process:
    (found,) = [process for process in cluster.processes(node)
                if process.name == name and not process.command.endswith(("extern]", "batch]"))]
    return found


def ranks(cluster: Cluster, node: str) -> list[Process]:
    return [process for process in cluster.processes(node) if "/resume " in process.command and process.uid != 0]


@pytest.mark.slow
def test_ranks_that_have_lost_both_their_agent_and_slurmstepd_are_ended_before_the_next_attempt(own: Cluster) -> None:
    training = Training(own, ALL_BUT_ONE, keys="restarts=3,spares=1,grace=1,heartbeat=3", arguments="1 0:9:wait")
    training.await_attempt(0, 3)
    (orphan,) = ranks(own, "node2")
    for name in ("muster-agent", "slurmstepd"):
        os.kill(daemon(own, "node2", name).pid, signal.SIGKILL)
    os.kill(ranks(own, "node1")[0].pid, signal.SIGKILL)
    training.await_attempt(1, 3)
    assert orphan.pid not in {process.pid for process in own.processes("node2")}
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert not training.overlap()


@pytest.mark.slow
def test_a_node_that_does_not_give_gpu_memory_back_is_left_to_a_spare(own: Cluster) -> None:
    library = BUILD / "tests" / "unit" / "launcher" / "libnvml_double.so"
    if not library.exists():
        pytest.skip(f"no {library.name} here")
    own.give("alice", library, "libnvidia-ml.so.1")
    training = Training(own, "salloc -Q -N4 --ntasks-per-node=1 env SLURM_JOB_GPUS=0 srun OPTION RESUME",
                        keys="restarts=3,spares=1,grace=1", arguments="0.2 0:0:7",
                        env={"LD_LIBRARY_PATH": "/home/alice", "NVML_DOUBLE": "held", "NVML_DOUBLE_NODE": "node2"})
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == ["node1", "node3", "node4"]
    assert "without node2 (GPU memory is not free yet), with node4" in ended.result.err


TAKEN = """import json, os, sys
attempt, rank = os.environ["TORCHELASTIC_RESTART_COUNT"], os.environ["RANK"]
if attempt == "2":
    print("done", flush=True)
elif rank == "0":
    text = "OSError: [Errno 98] Address already in use" if attempt == "0" else "ValueError: boom"
    with open(os.environ["TORCHELASTIC_ERROR_FILE"], "w") as file:
        json.dump({"message": {"message": text, "extraInfo": {"py_callstack": text, "timestamp": "0"}}}, file)
    sys.exit(1)
"""


def test_a_port_that_a_rank_finds_taken_costs_no_restart(own: Cluster) -> None:
    own.write("taken.py", TAKEN)
    result = own.run("salloc -Q -N2 -n2 srun --distributed=torch,restarts=1,grace=1 python3 taken.py", timeout=60)
    assert result.code == 0, result.err
    assert result.lines.count("done") == 2


def test_the_shown_plan_says_which_nodes_take_the_next_places(own: Cluster) -> None:
    result = own.run("salloc -Q -N4 --ntasks-per-node=1 srun --distributed=torch,restarts=1,spares=2,explain true")
    assert result.code == 0, result.err
    assert ("spares: node3 replaces the first node that is lost, node4 the next; each takes over the ranks of the node "
            "that it replaces") in result.err


@pytest.fixture(scope="module")
def confined() -> Iterator[Cluster]:
    if not (GROUPS / "freezer").is_dir() or not (GROUPS / "memory").is_dir():
        pytest.skip("no cgroup v1 here")
    with own_cluster("healthcg", 3, "--names", f"ch{os.getpid()}n[1-3]", "--cgroups", "v1", conf=CONF,
                     etc={"cgroup.conf": CGROUP_CONF}) as cluster:
        yield cluster


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["sees it", "has gone"])
def test_a_rank_that_nothing_ends_costs_its_node_the_place(confined: Cluster, agent: str) -> None:
    training = Training(confined, "salloc -Q -N3 --ntasks-per-node=1 srun OPTION RESUME",
                        keys="restarts=3,spares=1,grace=1", arguments="1 0:9:wait")
    training.await_attempt(0, 2)
    first, second, spare = confined.nodes
    (stuck,) = ranks(confined, second)
    with frozen(stuck.pid):
        if agent == "has gone":
            os.kill(daemon(confined, second, "muster-agent").pid, signal.SIGKILL)
        os.kill(ranks(confined, first)[0].pid, signal.SIGKILL)
        training.await_attempt(1, 2)
        ended = training.end()
    why = "rank 1 cannot be killed" if agent == "sees it" else "a process of an earlier attempt cannot be killed"
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(1) == [first, spare]
    assert f"without {second} ({why}), with {spare}" in ended.result.err
    # Where an agent was killed, the next one removes its files.
    assert confined.srun("--distributed=torch -N3 -n3 true", timeout=90).code == 0
    wait_until(lambda: not confined.traces(), 60, "a clean cluster")
