"""/proc hides other users' processes on every node (hidepid=): muster loses no functionality."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import PROGRAMS, Cluster
from failing_step import NEVER, fail, ranks_on, start_step
from node_faults import off_the_network
from waiting import wait_until

HIDING = {
    "0": "hidepid=0,gid=0",
    "1": "hidepid=1,gid=0",
    "2": "hidepid=2,gid=0",
    "2, and a group that sees all, which the user is in": "hidepid=2,gid={alice}",
    "1, and a group that sees all, which the user is not in": "hidepid=1,gid=1",
}
NOTHING_HIDDEN = "hidepid=0,gid=0"

# Until it runs the program, a task belongs to root in /proc: for a moment without a prolog, or for the prolog's
# duration with one.
LATE = "--task-prolog=/home/alice/late"


def mount_proc(cluster: Cluster, options: str) -> None:
    for node in cluster.nodes:
        cluster.node(node, f"mount -n -o remount,{options} /proc")


@pytest.fixture(params=HIDING.values(), ids=HIDING.keys())
def hiding(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Cluster]:
    cluster.give("alice", PROGRAMS / "fault")
    cluster.write("late", "#!/bin/sh\nsleep 1.5\n").chmod(0o755)
    mount_proc(cluster, request.param.format(alice=cluster.home.stat().st_gid))
    hides = "hidepid=0" not in request.param and "alice" not in request.param
    # Checks hidepid as an unprivileged task sees it; without this the test would prove nothing.
    assert cluster.srun("-N1 -n1 test -r /proc/1/stat").code == (1 if hides else 0)
    try:
        yield cluster
    finally:
        mount_proc(cluster, NOTHING_HIDDEN)


def test_after_a_failure_the_other_ranks_are_ended(hiding: Cluster) -> None:
    began = time.monotonic()
    failed = fail(hiding, "./fault exit 3", options=f"-N3 -n6 {LATE}", timeout=60)
    assert time.monotonic() - began < 2 + 8  # the grace period; the launch, on a busy machine
    assert (failed.first["rank"], failed.result.code) == (3, 7)


def test_what_a_failed_rank_has_left_behind_is_ended_with_it(hiding: Cluster) -> None:
    failed = fail(hiding, "./fault grandchild 2", options=f"-N3 -n6 {LATE}", timeout=60)
    assert failed.first["rank"] == 2
    wait_until(lambda: not [process for node in hiding.nodes for process in hiding.processes(node)
                            if process.name == "sleep"], 5, "the end of the sleep that rank 2 had started")


def test_the_ranks_of_a_node_that_is_cut_off_stand_still(hiding: Cluster) -> None:
    def states() -> set[str]:
        lines = [Path(f"/proc/{rank.pid}/stat").read_text() for rank in ranks_on(hiding, "node3")]
        return {line.rsplit(")", 1)[1].split()[0] for line in lines}

    step = start_step(hiding, NEVER, keys="grace=1,heartbeat=2,restarts=1", options=LATE)
    with off_the_network(hiding, "node3"):
        reported = step.end()
        assert reported.report["lost_nodes"][0]["node"] == "node3"
        wait_until(lambda: states() <= {"T"}, 10, "the standstill of the ranks on the node that was cut off")


def test_a_group_that_fails_restarts_alone(hiding: Cluster) -> None:
    began = time.monotonic()
    result = hiding.srun("--distributed=torch,groups=3,restarts=1,grace=1 -N3 --ntasks-per-node=2 "
                         f"{LATE} sh -c 'case $REPLICA_GROUP_ID.$TORCHELASTIC_RESTART_COUNT.$RANK in 1.0.0) exit 7 ;; "
                         "1.0.1) exec sleep 600 ;; esac'", timeout=90)
    assert result.code == 0, result.err
    assert "group 1: done after 2 attempts" in result.err
    assert "group 1: restart" in result.err
    assert not [line for line in result.err.splitlines() if "restart 1 of" in line and "group 1:" not in line]
    assert time.monotonic() - began < 60  # the rank that slept was ended


def test_a_dump_and_the_status_see_every_rank(hiding: Cluster) -> None:
    step = start_step(hiding, NEVER, options=LATE)
    shown = hiding.run(f"{hiding.prefix}/bin/muster dump --json --seconds=60", timeout=90)
    assert shown.code == 0, shown.err
    groups = json.loads(shown.out)["groups"]
    assert sorted(rank for group in groups for rank in group["ranks"]) == list(range(6))
    assert not [group for group in groups if group["state"] == "no answer"]
    hiding.run("scancel --user=alice")
    step.end()


def test_doctor_says_that_proc_hides_processes_and_finds_no_fault_in_it(hiding: Cluster) -> None:
    mounted = hiding.srun("-N1 -n1 grep ' /proc ' /proc/self/mounts").out
    shown = hiding.run(f"{hiding.prefix}/bin/muster doctor --seconds=60 --json -- -N3", timeout=90)
    rows = {row["id"]: row for row in json.loads(shown.out)["rows"]}
    if "hidepid=" not in mounted:
        assert "hidepid" not in rows
        return
    assert rows["hidepid"]["outcome"] == "ok"
    assert rows["hidepid"]["evidence"].startswith("/proc is mounted with hidepid=")
