"""Which rank failed first, and why: one report, one exit code, and everything ended."""

import json
import re
import signal
from datetime import datetime, timedelta

import pytest
from cluster import PROGRAMS, Cluster
from failing_step import fail


@pytest.fixture(autouse=True)
def fault(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "fault")


@pytest.mark.parametrize(("kind", "code", "number", "cause"), [
    ("exit", 7, None, "program"),
    ("exception", 1, None, "program"),
    ("limit", 1, None, "program"),
    ("worker", 1, None, "program"),
    ("abort", 134, "SIGABRT", "signal"),
    ("segv", 139, "SIGSEGV", "signal"),
    ("kill", 137, "SIGKILL", "signal"),
    ("term", 143, "SIGTERM", "signal"),
])
def test_the_rank_that_failed_is_named_with_its_node_and_cause(
        cluster: Cluster, kind: str, code: int, number: str | None, cause: str) -> None:
    failed = fail(cluster, f"./fault {kind} 3")
    assert failed.result.code == code, failed.result.err
    assert (failed.first["rank"], failed.first["node"], failed.first["local_rank"]) == (3, "node2", 1)
    assert failed.first["signal"] == number
    assert (failed.report["result"], failed.report["cause"]) == ("failed", cause)
    assert failed.report["exit_code"] == code
    pid = re.search(r"^ready 3 (\d+)$", failed.result.out, re.MULTILINE)[1]
    assert failed.first["pid"] == int(pid)


def test_the_report_comes_last_and_looks_familiar(cluster: Cluster) -> None:
    failed = fail(cluster, "./fault exit 3")
    err = failed.result.err
    assert "Root Cause (first observed failure)" in err
    report = err[err.index("FAILED"):]
    assert "srun: error" not in report
    assert "rank" in report and "node2" in report
    assert "\x1b" not in err


def test_an_exception_that_a_rank_has_recorded_is_shown(cluster: Cluster) -> None:
    failed = fail(cluster, "./fault record 4")
    assert failed.first["rank"] == 4
    assert failed.first["reason"] == "ValueError: boom: the data ended"
    assert "in load" in failed.first["traceback"]
    assert "boom: the data ended" in failed.result.err


def test_an_error_that_was_written_before_the_process_ended_counts_from_then(cluster: Cluster) -> None:
    failed = fail(cluster, "./fault teardown 2")
    assert failed.first["rank"] == 2
    assert failed.first["reason"] == "RuntimeError: first of all"


@pytest.mark.slow
def test_a_rank_that_hangs_behind_its_exception_ends_the_step(cluster: Cluster) -> None:
    failed = fail(cluster, "./fault hang 3", timeout=40)
    assert (failed.first["rank"], failed.first["node"]) == (3, "node2"), failed.result.err
    assert failed.first["reason"] == "ValueError: boom: the data ended"
    assert failed.first["ended_by_muster"]
    assert failed.victims("ended_by_muster") == 5, failed.report["victims"]
    assert failed.result.code == 1


@pytest.mark.slow
def test_a_rank_that_hangs_behind_its_exception_is_only_noted_where_no_other_waits_for_it(cluster: Cluster) -> None:
    failed = fail(cluster, "./fault linger 0", options="-N1 -n1", timeout=40)
    (line,) = failed.result.complaints
    assert line.endswith("node1: rank 0 has failed but does not exit: ValueError: boom: the data ended")
    assert not failed.first["ended_by_muster"]
    assert failed.result.code == 1


def test_a_rank_that_leaves_early_with_success_is_named_when_the_others_fail(cluster: Cluster) -> None:
    script = "if [ $RANK = 1 ]; then exit 0; fi; sleep 2; exit $((RANK == 2 ? 4 : 0))"
    cluster.write("early", f"#!/bin/bash\n{script}\n").chmod(0o755)
    result = cluster.srun("--distributed=torch -N3 -n3 ./early")
    assert result.code == 4
    assert "  left early: rank 1 on node2, with exit code 0, " in result.err, result.err


def test_ranks_that_ignore_sigterm_are_killed_after_the_grace(cluster: Cluster) -> None:
    failed = fail(cluster, "./fault exit 1 0.5 stubborn", keys="grace=1")
    assert failed.first["rank"] == 1
    assert failed.result.code == 7
    assert failed.result.seconds < 10


def test_ranks_that_are_stopped_are_ended_too(cluster: Cluster) -> None:
    failed = fail(cluster, "./fault exit 1 0.5 stopped", keys="grace=1")
    assert failed.first["rank"] == 1
    assert failed.result.code == 7


def test_a_grandchild_that_holds_the_output_does_not_hold_the_step(cluster: Cluster) -> None:
    failed = fail(cluster, "./fault grandchild 1", keys="grace=1")
    assert failed.first["rank"] == 1
    assert failed.result.code == 5


@pytest.mark.parametrize("option", ["--kill-on-bad-exit=0", "-uK0", "--kill=0"])
def test_the_user_may_let_the_others_go_on_and_still_reads_who_failed(cluster: Cluster, option: str) -> None:
    script = "if [ $RANK = 1 ]; then exit 3; fi; sleep 1; echo survived"
    cluster.write("survive", f"#!/bin/bash\n{script}\n").chmod(0o755)
    result = cluster.srun(f"--distributed=torch {option} -N2 -n2 ./survive")
    assert result.code == 3
    assert result.out == "survived\n"
    assert "Root Cause" in result.err


def test_a_comment_that_looks_like_an_option_lets_no_rank_go_on(cluster: Cluster) -> None:
    script = "if [ $RANK = 1 ]; then exit 3; fi; sleep 40; echo survived"
    cluster.write("survive", f"#!/bin/bash\n{script}\n").chmod(0o755)
    result = cluster.srun("--distributed=torch --comment -K0 -N2 -n2 ./survive")
    assert (result.code, result.out) == (3, ""), result.err


def test_two_failures_on_two_nodes_are_told_apart_by_milliseconds(cluster: Cluster) -> None:
    script = """import os, time, sys
while time.time() % 1 > 0.5: time.sleep(0.01)
rank = int(os.environ["RANK"])
at = float(sys.argv[1]) + {2: 0.0, 0: 0.02}.get(rank, 100)
time.sleep(max(at - time.time(), 0))
os._exit(20 + rank)
"""
    cluster.write("apart.py", script)
    result = cluster.shell("srun --distributed=torch,report=report.json,grace=2 -N3 -n3 "
                           "python3 apart.py $(($(date +%s) + 3))")
    first = json.loads((cluster.home / "report.json").read_text())["first"]
    assert (first["rank"], first["code"], result.code) == (2, 22, 22), result.err


def test_a_peer_that_is_gone_before_the_rank_that_it_blames_is_not_the_cause(cluster: Cluster) -> None:
    script = """import json, os, time, sys
rank = int(os.environ["RANK"])
time.sleep(max(float(sys.argv[1]) + (0.1 if rank == 2 else 0) - time.time(), 0))
if rank == 2:
    os._exit(9)
with open(os.environ["TORCHELASTIC_ERROR_FILE"], "w") as file:
    json.dump({"message": "RuntimeError: Connection closed by peer [10.0.0.3]:4711"}, file)
os._exit(1)
"""
    cluster.write("blame.py", script)
    result = cluster.shell("srun --distributed=torch,report=report.json,grace=2 -N3 -n3 "
                           "python3 blame.py $(($(date +%s) + 3))")
    report = json.loads((cluster.home / "report.json").read_text())
    assert (report["first"]["rank"], result.code) == (2, 9), result.err
    assert [(victims["kind"], victims["ranks"]) for victims in report["victims"]] == [("lost_peer", "0-1")]


def test_a_rank_that_fails_at_once_has_not_failed_before_it_started(cluster: Cluster) -> None:
    for _ in range(5):
        cluster.srun("--distributed=torch,report=report.json,grace=2 -N3 -n6 bash -c 'exit 1'")
        report = json.loads((cluster.home / "report.json").read_text())
        start, failure = (datetime.fromisoformat(report["times"][name][:-1]) for name in ("first_start", "failure"))
        # The clocks of two nodes, compared as precisely as muster could.
        assert failure - start > -timedelta(seconds=report["first"]["time_error_seconds"] + 0.02), report["times"]


def test_srun_s_own_code_can_be_had(cluster: Cluster) -> None:
    plain = cluster.srun("--kill-on-bad-exit=0 -n1 bash -c 'exit 9'")
    failed = cluster.srun("--distributed=torch,exit=slurm -n1 bash -c 'exit 9'")
    assert failed.code == plain.code == 9


def test_a_report_that_cannot_be_written_is_said_at_the_start_and_at_the_end(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch,report=/nowhere/report.json -N2 -n2 ./fault exit 1")
    assert result.code == 7
    assert "Root Cause" in result.err
    before, after = result.complaints  # a training run may take days
    assert "/nowhere/report.json" in before and "/nowhere/report.json" in after


def test_a_success_says_nothing(cluster: Cluster) -> None:
    result = cluster.srun("--distributed=torch -N3 -n3 true")
    assert (result.code, result.err) == (0, "")


def test_a_success_has_a_report_for_who_asks(cluster: Cluster) -> None:
    cluster.srun("--distributed=torch,report=report.json -N3 -n3 true")
    report = json.loads((cluster.home / "report.json").read_text())
    assert (report["result"], report["exit_code"]) == ("ok", 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2])
def test_a_signal_reaches_each_rank_once_and_ends_nothing_that_handles_it(
        cluster: Cluster, number: signal.Signals) -> None:
    script = """import os, signal, time
seen = []
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, lambda number, frame: seen.append(signal.Signals(number).name))
os.write(1, b"ready\\n")
while not seen:
    time.sleep(0.05)
time.sleep(1)
os.write(1, f"saw {' '.join(seen)}\\n".encode())
"""
    cluster.write("handles.py", script)
    running = cluster.start("srun --distributed=torch -N3 -n3 python3 handles.py")
    running.await_output("ready", times=3)
    running.signal(number)
    result = running.wait()
    assert (result.code, result.out.count(f"saw {number.name}\n")) == (0, 3), result.err
