"""Nodes that are cut off, and daemons that die in mid-step: muster reports them and ends everything."""

import os
import re
import signal
import time
from collections.abc import Iterator

import pytest
from cluster import Cluster
from failing_step import Reported, ranks_on, start_step
from node_faults import channel_forbidden, kill_daemon, off_the_network, without_controller, without_daemon
from own_cluster import own_cluster
from waiting import wait_until


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("lost", 3) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    """After a test nothing is left on any node, and no node is drained."""
    try:
        yield whole_own
        whole_own.await_clean(40)  # a node that was cut off learns late that its job has ended
    except BaseException:
        whole_own.end_all()
        whole_own.clear()
        raise


@pytest.mark.slow
@pytest.mark.parametrize("node", ["node1", "node2"])
def test_a_node_that_is_cut_off_is_named_and_everything_ends(own: Cluster, node: str) -> None:
    step = start_step(own)
    with off_the_network(own, node):
        cut = time.monotonic()
        reported = step.end(timeout=3 + 10)
        assert time.monotonic() - cut < 3 + 2 + 3  # the heartbeat; two seconds; a busy machine
        assert reported.verdict == ("failed", "node")
        assert reported.result.code == 1
        (lost,) = reported.report["lost_nodes"]
        assert (lost["node"], lost["state"], lost["ranks"]) == (node, "lost", 2)
        assert lost["last_word"] is not None
        assert f"{node} was lost" in reported.result.err
        others = [other for other in own.nodes if other != node]
        assert not [rank for other in others for rank in ranks_on(own, other)]
    wait_until(lambda: not ranks_on(own, node), 30, "the end of the ranks that nobody could reach before")


@pytest.mark.slow
def test_ranks_of_a_node_that_was_cut_off_end_when_the_network_is_back(own: Cluster) -> None:
    step = start_step(own, keys="grace=1,heartbeat=2")
    with off_the_network(own, "node3"):
        reported = step.end()
    assert reported.report["lost_nodes"][0]["node"] == "node3"
    wait_until(lambda: not ranks_on(own, "node3"), 15, "the end of the ranks on node3")


@pytest.mark.slow
def test_a_link_that_is_cut_for_less_than_the_heartbeat_costs_nothing(own: Cluster) -> None:
    step = start_step(own, "leave 0+1+2+3+4+5 6", keys="heartbeat=4")
    with off_the_network(own, "node2"):
        time.sleep(1.5)
    reported = step.end()
    assert (reported.result.code, reported.report["result"]) == (0, "ok")
    assert "lost" not in reported.result.err


@pytest.mark.slow
def test_a_cut_node_is_reported_within_twelve_seconds_where_the_heartbeat_is_ten(own: Cluster) -> None:
    step = start_step(own, keys="grace=1,heartbeat=10")
    with off_the_network(own, "node2"):
        cut = time.monotonic()
        reported = step.end()
        assert time.monotonic() - cut < 12 + 3  # plus time for a busy machine
    assert reported.report["lost_nodes"][0]["node"] == "node2"


@pytest.mark.not_in_mode("namespace", "a namespace's first process is a slurmstepd, and the agent dies with it")
def test_a_node_whose_slurmstepd_is_killed_is_named(own: Cluster) -> None:
    step = start_step(own)
    kill_daemon(own, "node2", "slurmstepd")
    reported = step.end()
    assert reported.verdict == ("failed", "node")
    assert reported.result.code == 1
    assert "slurmstepd is gone" in reported.remark("node2")
    assert "node2: slurmstepd is gone" in reported.result.err
    assert reported.result.seconds < 10


def check_rank_3_failed(reported: Reported) -> None:
    assert reported.verdict == ("failed", "program")
    assert (reported.result.code, reported.first["rank"]) == (7, 3)


def test_slurmd_may_die_in_mid_step(own: Cluster) -> None:
    step = start_step(own, "exit 3 3")
    own.restart_slurmd("node2")
    check_rank_3_failed(step.end())


def test_slurmd_may_stay_away_till_the_steps_end(own: Cluster) -> None:
    step = start_step(own, "exit 3 2")
    with without_daemon(own, "node2", "slurmd"):
        check_rank_3_failed(step.end())


def test_the_controller_may_restart_in_mid_step(own: Cluster) -> None:
    step = start_step(own, "exit 3 3")
    with without_controller(own):
        pass
    check_rank_3_failed(step.end())


def test_a_failure_is_reported_while_the_controller_is_away(own: Cluster) -> None:
    step = start_step(own, "exit 3 2")
    with without_controller(own):
        wait_until(lambda: not [rank for node in own.nodes for rank in ranks_on(own, node)], 20, "the ranks' end")
    check_rank_3_failed(step.end(60))


def test_a_node_whose_agent_is_stopped_counts_as_lost(own: Cluster) -> None:
    step = start_step(own)
    (agent,) = own.agents("node2")
    os.kill(agent.pid, signal.SIGSTOP)
    reported = step.end()
    assert reported.verdict == ("failed", "node")
    assert reported.result.code == 1
    assert [lost["node"] for lost in reported.report["lost_nodes"]] == ["node2"]
    own.await_next_agents_cleaning("-N3 -n3 true")


@pytest.mark.slow
@pytest.mark.not_in_mode("namespace", "its nodes keep to one CPU, and one more line says so")
def test_an_agent_that_is_killed_costs_the_detail_and_not_the_step(own: Cluster) -> None:
    step = start_step(own, "leave 0+1+2+3+4+5 5")
    os.kill(own.agents("node2")[0].pid, signal.SIGKILL)
    reported = step.end()
    assert (reported.result.code, reported.report["result"]) == (0, "ok")
    (line,) = reported.result.complaints
    assert "node2: muster-agent exited before its tasks" in line
    own.await_next_agents_cleaning("-N3 -n3 true")


@pytest.mark.slow
def test_a_failing_rank_ends_the_step_though_its_agent_has_gone(own: Cluster) -> None:
    step = start_step(own, "exit 3 6")
    os.kill(own.agents("node2")[0].pid, signal.SIGKILL)
    reported = step.end(30)
    assert reported.result.code != 0
    assert "node2: task 3: Exited with exit code 7" in reported.result.err
    assert any("node2: muster-agent exited before its tasks" in line for line in reported.result.complaints)
    assert not any(own.agents(node) for node in own.nodes)
    own.await_next_agents_cleaning("-N3 -n3 true")


@pytest.mark.slow
def test_another_nodes_failure_ends_the_ranks_without_an_agent_too(own: Cluster) -> None:
    step = start_step(own, "exit 0 6")
    os.kill(own.agents("node2")[0].pid, signal.SIGKILL)
    reported = step.end(60)
    assert reported.verdict == ("failed", "program")
    assert (reported.report["first"]["rank"], reported.result.code) == (0, 7)
    own.await_next_agents_cleaning("-N3 -n3 true")


def test_a_killed_supervisor_leaves_no_rank(own: Cluster) -> None:
    step = start_step(own)
    step.running.signal(signal.SIGKILL)
    assert step.running.wait().code == -signal.SIGKILL


def test_a_killed_srun_ends_the_ranks(own: Cluster) -> None:
    step = start_step(own)
    (srun,) = [process for process in own.children(step.running.pid) if process.name == "srun"]
    os.kill(srun.pid, signal.SIGKILL)
    assert step.running.wait().code == -signal.SIGKILL


@pytest.mark.parametrize("kind", ["drops", "rejects"])
def test_a_firewall_against_the_channel_costs_the_report_and_not_the_step(own: Cluster, kind: str) -> None:
    with channel_forbidden(own, kind):
        result = own.srun("--distributed=torch -N3 -n3 true", timeout=40)
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize("kind", ["drops", "rejects"])
def test_a_failing_rank_ends_the_step_even_where_no_agent_reaches_the_supervisor(own: Cluster, kind: str) -> None:
    with channel_forbidden(own, kind):
        step = start_step(own, "exit 3 9", keys="grace=1")
        result = step.running.wait(40)
    assert result.code != 0
    assert "task 3: Exited with exit code 7" in result.err
    (line,) = result.complaints
    assert re.fullmatch(r"muster: warning: node1 and 2 other nodes never reached port 318\d\d of login, so the "
                        r"report cannot say which rank fails there; open the port to the nodes, or set "
                        r"control_ports .*", line)


@pytest.mark.parametrize("kind", ["drops", "rejects"])
def test_a_node_that_alone_does_not_reach_the_supervisor_is_named_and_no_other_is_blamed(own: Cluster, kind: str) -> None:
    with channel_forbidden(own, kind, ["node2"]):
        step = start_step(own, "exit 3 9", keys="grace=1")
        reported = step.end(40)
    (line,) = [line for line in reported.result.err.splitlines() if line.startswith("muster: warning: ")]
    assert line.startswith("muster: warning: node2 never reached port 318"), reported.result.err
    assert (reported.verdict, reported.first) == (("cancelled", "slurm"), None), reported.result.err
    states = {node["node"]: node["state"] for node in reported.report["nodes"]}
    assert states == {"node1": "done", "node2": "silent", "node3": "done"}
