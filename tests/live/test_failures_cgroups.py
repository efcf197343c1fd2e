"""Failures that Slurm's control groups cause or reveal: a memory limit, and processes that no signal can end."""

import os
from collections.abc import Iterator

import pytest
from cluster import PROGRAMS, Cluster
from control_groups import CGROUP_CONF, CONF, GROUPS, frozen
from failing_step import Reported, fail, reported
from own_cluster import own_cluster
from waiting import wait_until


@pytest.fixture(scope="module")
def confined() -> Iterator[Cluster]:
    if not (GROUPS / "freezer").is_dir() or not (GROUPS / "memory").is_dir():
        pytest.skip("no cgroup v1 here")
    with own_cluster("memory", 3, "--names", f"cm{os.getpid()}n[1-3]", "--cgroups", "v1", conf=CONF,
                     etc={"cgroup.conf": CGROUP_CONF}) as cluster:
        cluster.give("alice", PROGRAMS / "fault")
        yield cluster


def fail_confined(cluster: Cluster, line: str) -> Reported:
    return fail(cluster, line, keys="grace=1", options="", timeout=60)


def named(failed: Reported) -> tuple[int, str, str]:
    first = failed.first
    return first["rank"], first["node"], failed.report["cause"]


def test_a_rank_that_the_kernel_kills_for_memory_is_named(confined: Cluster) -> None:
    failed = fail_confined(confined, "--mem=150 -N3 -n3 ./fault memory 2")
    assert named(failed) == (2, confined.nodes[2], "out_of_memory"), failed.result.err
    assert failed.first["out_of_memory"]
    assert failed.result.code == 137
    assert "out of memory" in failed.result.err


def test_of_several_ranks_on_a_node_the_one_that_was_killed_is_named(confined: Cluster) -> None:
    failed = fail_confined(confined, "--mem=150 -N3 -n6 --ntasks-per-node=2 ./fault memory 3")
    assert named(failed) == (3, confined.nodes[1], "out_of_memory"), failed.result.err


def test_a_child_that_is_killed_for_memory_is_its_ranks_cause(confined: Cluster) -> None:
    confined.write("child.py", "import os, subprocess, sys, time\n"
                               "if os.environ['RANK'] != '1': time.sleep(60)\n"
                               "eat = 'b = []\\nwhile True: b.append(bytearray(16 << 20))'\n"
                               "sys.exit(subprocess.call([sys.executable, '-c', eat]) != 0)\n")
    failed = fail_confined(confined, "--mem=150 -N3 -n3 python3 child.py")
    assert failed.first["rank"] == 1, failed.result.err
    assert failed.report["cause"] == "out_of_memory"


def test_a_rank_that_somebody_else_kills_did_not_run_out_of_memory(confined: Cluster) -> None:
    failed = fail_confined(confined, "--mem=150 -N3 -n3 ./fault kill 1")
    assert named(failed) == (1, confined.nodes[1], "signal"), failed.result.err
    assert not failed.first["out_of_memory"]
    assert failed.result.code == 137


def test_a_rank_at_its_own_limit_raises_and_was_not_killed(confined: Cluster) -> None:
    failed = fail_confined(confined, "--mem=190 -N3 -n3 bash -c 'ulimit -v 120000; exec ./fault memory 1'")
    assert named(failed) == (1, confined.nodes[1], "program"), failed.result.err
    assert failed.result.code == 1


def test_a_rank_that_nothing_ends_is_named_and_not_waited_for(confined: Cluster) -> None:
    running = confined.start("srun --distributed=torch,report=report.json,grace=1 --mem=150 -N3 -n3 ./fault exit 0 3")
    running.await_output("ready 2")
    (stuck,) = [process for process in confined.processes(confined.nodes[2]) if "fault exit" in process.command
                and process.name == "python3"]
    with frozen(stuck.pid):
        result = running.wait(40)
    failed = reported(confined, result)
    assert (result.code, failed.first["rank"]) == (7, 0), result.err
    stuck_ranks = {node["node"]: node["stuck_ranks"] for node in failed.report["nodes"]}
    assert stuck_ranks[confined.nodes[2]] == [2], result.err
    assert "  stuck     : " in result.err
    assert result.seconds < 3 + 1 + 2 + 2 + 4  # fault's time; grace; SIGKILL; srun's time to exit; a busy machine
    wait_until(lambda: not confined.traces(), 60, "a clean cluster")
