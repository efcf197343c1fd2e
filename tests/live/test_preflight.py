"""preflight=: before an attempt the nodes check themselves and test the network between them in pairs."""

import contextlib
import ipaddress
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from cluster import Cluster
from own_cluster import left_clean, own_cluster
from processes import Process
from restarted import Restarted, Training
from stalled import STILL, Mount
from waiting import wait_until

EIGHT = "salloc -Q -N8 --ntasks-per-node=1 srun OPTION RESUME"
LONG = os.environ.get("MUSTER_LONG") == "1"


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("preflight", 8) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_clean(whole_own):
        yield whole_own


def train(cluster: Cluster, line: str, keys: str, arguments: str = "0.2", env: dict[str, str] | None = None) -> Restarted:
    return Training(cluster, line, keys=f"grace=1,preflight=20,{keys}verbose", arguments=arguments, env=env).end(90)


def runs(ended: Restarted) -> list[dict[str, Any]]:
    assert ended.report is not None, ended.result.err
    return ended.report["preflight"]["runs"]


def verdicts(run: dict[str, Any]) -> dict[str, str]:
    return {problem["node"]: problem["verdict"] for problem in run["problems"] if problem["verdict"] != "warning"}


# This kernel may lack netem. Instead, a separate queue drops packets at random: a classic BPF program puts one packet
# in N into a class that does not send in time. Packets to the supervisor's host and to slurmctld are exempt: a node
# whose first messages to them are lost counts as not answering, which is a different verdict from slow.
def losing(cluster: Cluster, share: float) -> str:
    login, ctl = (int(ipaddress.IPv4Address(cluster.address(host))) for host in ("login", "ctl"))
    program = (
        "40 0 0 12", "21 0 6 2048",  # not IPv4: 1:10
        "32 0 0 30", f"21 4 0 {login}", f"21 3 0 {ctl}",  # to login or ctl: 1:10
        "32 0 0 4294963256", f"53 1 0 {int(share * 2**32)}",  # a random word; below the limit: 1:14
        "6 0 0 65556", "6 0 0 65552")
    return ("tc qdisc add dev eth0 root handle 1: htb default 10 && "
            "tc class add dev eth0 parent 1: classid 1:10 htb rate 10gbit quantum 60000 && "
            "tc class add dev eth0 parent 1: classid 1:14 htb rate 8bit burst 1 cburst 1 quantum 1500 && "
            "tc qdisc add dev eth0 parent 1:14 pfifo limit 1 && "
            f"tc filter add dev eth0 parent 1: bpf bytecode '{len(program)},{','.join(program)}'")


@contextlib.contextmanager
def queue(cluster: Cluster, node: str, line: str) -> Iterator[None]:
    cluster.node(node, line)
    try:
        yield
    finally:
        cluster.node(node, "tc qdisc del dev eth0 root")
    # Slurm's own messages were lost as well: it learns that the job has ended there only when it asks again, some time
    # later.
    cluster.await_clean(150)


def preflight_process(cluster: Cluster, node: str) -> Process | None:
    found = [process for process in cluster.processes(node) if " preflight-node" in process.command]
    return found[0] if found else None


@contextlib.contextmanager
def signalled(cluster: Cluster, node: str, number: signal.Signals) -> Iterator[list[int]]:
    """Sends the signal to the node's part of the next preflight as soon as it starts."""
    hit: list[int] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set() and not hit:
            if process := preflight_process(cluster, node):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, number)
                    hit.append(process.pid)
            time.sleep(0.005)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield hit
    finally:
        over.set()
        watcher.join()
        for pid in hit:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_off_nothing_is_started(own: Cluster) -> None:
    seen: list[Process] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            seen.extend(process for process in [preflight_process(own, "node1")] if process)
            time.sleep(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    ended = Training(own, EIGHT, keys="restarts=1", arguments="0.2").end()
    over.set()
    watcher.join()
    assert ended.result.code == 0, ended.result.err
    assert not seen
    assert ended.report["preflight"] is None
    assert "preflight" not in ended.result.err


def test_a_clean_run_excludes_nobody_and_says_what_was_measured(own: Cluster) -> None:
    for _ in range(100 if LONG else 10):
        ended = train(own, EIGHT, "")
        assert ended.result.code == 0, ended.result.err
        (run,) = runs(ended)
        assert verdicts(run) == {}, run
        assert (run["attempt"], run["nodes"], run["failure"]) == (0, 8, None)
        assert run["rounds"] >= 2
        assert run["median_latency_us"] > 0 and run["median_bandwidth_mb_per_s"] > 0
        assert "preflight: 8 nodes in " in ended.result.err
        assert "the first rank started after " in ended.result.err and "started after -" not in ended.result.err


def test_a_node_that_loses_packets_is_found_and_a_spare_takes_its_place(own: Cluster) -> None:
    for number in range(100 if LONG else 3):
        node = f"node{number % 7 + 1}"
        with queue(own, node, losing(own, 0.1)):
            ended = train(own, EIGHT, "spares=1,")
        assert ended.result.code == 0, ended.result.err
        (run,) = runs(ended)
        assert list(verdicts(run)) == [node], run
        (problem,) = [problem for problem in run["problems"] if problem["node"] == node]
        assert problem["action"] == "replaced"
        assert node not in ended.nodes(0) and "node8" in ended.nodes(0)
        assert f"preflight: {node} " in ended.result.err
        assert "another node takes its place" in ended.result.err


def test_without_a_spare_a_slow_node_is_used_and_named(own: Cluster) -> None:
    with queue(own, "node3", losing(own, 0.1)):
        ended = train(own, EIGHT, "")
    assert ended.result.code == 0, ended.result.err
    assert verdicts(runs(ended)[0]).keys() == {"node3"}
    assert "it is used anyway, because too few others are left" in ended.result.err
    assert len(ended.nodes(0)) == 8


def test_a_training_that_may_shrink_goes_on_without_a_slow_node(own: Cluster) -> None:
    with queue(own, "node3", losing(own, 0.1)):
        ended = train(own, EIGHT, "nodes=4,")
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(0) == [f"node{i}" for i in (1, 2, 4, 5, 6, 7, 8)], runs(ended)
    assert "the attempt continues without it" in ended.result.err


@contextlib.contextmanager
def firewalled(cluster: Cluster, node: str) -> Iterator[None]:
    """No other node gets an answer from it or can be reached by it; login and ctl are not affected."""
    others = [cluster.address(other) for other in cluster.nodes if other != node]
    for other in others:
        cluster.node(node, f"ip route add prohibit {other}")
    try:
        yield
    finally:
        for other in others:
            cluster.node(node, f"ip route del prohibit {other}")


def test_a_node_that_no_other_reaches_is_replaced_or_named(own: Cluster) -> None:
    with firewalled(own, "node2"):
        ended = train(own, EIGHT, "spares=1,")
        assert ended.result.code == 0, ended.result.err
        assert verdicts(runs(ended)[0]) == {"node2": "failing"}
        assert "node2" not in ended.nodes(0)
        ended = train(own, EIGHT, "")
        assert ended.result.code != 0
        assert "preflight: node2 fails: " in ended.result.err
        assert "it is used anyway, because too few others are left" in ended.result.err


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
def test_a_node_whose_test_hangs_or_dies_holds_nobody_up(own: Cluster, number: signal.Signals) -> None:
    with signalled(own, "node4", number) as hit:
        began = time.monotonic()
        ended = train(own, EIGHT, "spares=1,")
        assert time.monotonic() - began < 60
    assert hit, "nothing was there to be stopped"
    assert ended.result.code == 0, ended.result.err
    assert set(verdicts(runs(ended)[0])) <= {"node4"}, runs(ended)
    assert len(ended.nodes(0)) == 7


def test_a_node_whose_cpus_a_control_group_holds_back_is_found(own: Cluster) -> None:
    for number in range(100 if LONG else 3):
        node = f"node{number % 7 + 1}"
        with own.cpu_quota(node, 0.2):
            ended = train(own, EIGHT, "spares=1,")
        assert ended.result.code == 0, ended.result.err
        (run,) = runs(ended)
        assert verdicts(run) == {node: "slow"}, run
        assert f"preflight: {node} is slow: " in ended.result.err
        assert "its control group limits it to 0.2 CPUs, but half of the nodes can use" in ended.result.err
        assert node not in ended.nodes(0) and "node8" in ended.nodes(0)


@pytest.mark.parametrize(("variable", "verdict", "said"), [
    ("HOME", "failing", f"node2 fails: {STILL}: no answer within 2 s; another node takes its place"),
    # slurmstepd itself creates the directory for a task, and hangs: no process of the step starts there.
    ("TMPDIR", "no_answer", "node2 does not answer; another node takes its place"),
])
def test_a_node_whose_file_system_stands_still_is_named_in_time(own: Cluster, variable: str, verdict: str, said: str) -> None:
    others = [node for node in own.nodes if node != "node2"]
    mount = Mount(own, "node2")
    try:
        for node in others:
            own.node(node, f"mkdir -m 1777 -p {STILL}")
        mount.stand_still()
        ended = train(own, EIGHT, "spares=1,", env={variable: STILL})
        assert ended.result.code == 0, ended.result.err
        (run,) = runs(ended)
        assert verdicts(run) == {"node2": verdict}, run
        assert run["seconds"] < (8 if verdict == "failing" else 20)
        assert f"preflight: {said}" in ended.result.err
        assert "node2" not in ended.nodes(0)
    finally:
        mount.end()
        for node in others:
            own.node(node, f"rmdir {STILL}")


def test_two_nodes_cannot_be_told_apart(own: Cluster) -> None:
    with firewalled(own, "node2"):
        ended = train(own, "salloc -Q -N2 --nodelist=node[1-2] --ntasks-per-node=1 srun OPTION RESUME", "")
    assert "preflight: node1 and node2 cannot reach each other" in ended.result.err, ended.result.err
    assert "with two nodes, either may be at fault" in ended.result.err


def test_between_two_attempts_it_is_done_again(own: Cluster) -> None:
    ended = train(own, EIGHT, "restarts=2,", "0.2 0:0:7")
    assert ended.result.code == 0, ended.result.err
    assert [run["attempt"] for run in runs(ended)] == [0, 1]
    assert all(run["rounds"] >= 2 for run in runs(ended))


def test_without_the_supervisor_it_is_an_error(own: Cluster) -> None:
    result = own.run("srun -N2 --distributed=torch,preflight=on,supervise=off true")
    assert result.code != 0
    assert "preflight needs the supervisor" in result.err
