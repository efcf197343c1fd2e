"""Steps that Slurm or a user ends, and signals that end nothing: the report names the cause, but no rank's failure."""

import json
import os
import signal
import time
from collections.abc import Iterator

import pytest
from cluster import PROGRAMS, Cluster
from command import Result
from failing_step import Reported, ranks_on, start_step
from own_cluster import own_cluster
from waiting import wait_until

# A job in `urgent` takes nodes from one in the other two: `all` loses its job, `again` has it requeued.
PARTITIONS = """PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=all Nodes=node[1-3] Default=YES PriorityTier=1 PreemptMode=CANCEL MaxTime=INFINITE State=UP
PartitionName=again Nodes=node[1-3] PriorityTier=1 PreemptMode=REQUEUE MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=node[1-3] PriorityTier=10 PreemptMode=OFF MaxTime=INFINITE State=UP
"""

# Runs start_step()'s step in a separate job, and waits for the rest of the step's time.
SCRIPT = """#!/bin/bash
[ -z "$SLURM_RESTART_COUNT" ] || exit 0
srun --distributed=torch,report=report.json,grace=2,heartbeat=3 @OPTIONS@ -N3 -n6 ./fault exit 1 100000
echo "srun ended with $?"
"""


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("endings", 3, conf=PARTITIONS) as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    """After a test nothing is left on any node, and no node is drained."""
    try:
        yield whole_own
        whole_own.await_clean(20)
    except BaseException:
        whole_own.end_all()
        whole_own.clear()
        raise


def job(own: Cluster) -> str:
    (line,) = own.run("squeue -h -t R -o %i").lines
    return line


def step_of(own: Cluster) -> str:
    (line,) = [line for line in own.run("squeue -h -s -o %i").lines if line.endswith(".0")]
    return line


def check_no_rank_failed(reported: Reported) -> None:
    assert reported.report["first"] is None
    assert "FAILED" not in reported.result.err
    assert reported.report["exit_code"] == reported.report["srun_exit_code"] == reported.result.code


def test_a_cancelled_job_is_no_failure(own: Cluster) -> None:
    step = start_step(own)
    own.run("scancel --user=alice")
    reported = step.end()
    assert reported.verdict == ("cancelled", "user")
    assert "the job was cancelled" in reported.result.err
    check_no_rank_failed(reported)


@pytest.mark.parametrize("number", ["", "TERM", "KILL", "USR1"])
def test_a_cancelled_step_is_no_failure(own: Cluster, number: str) -> None:
    step = start_step(own)
    own.run(f"scancel {f'--signal={number}' if number else ''} {step_of(own)}")
    reported = step.end()
    assert reported.verdict == ("cancelled", "slurm")
    assert "all ranks received a signal at the same time" in reported.result.err
    check_no_rank_failed(reported)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_signal_that_the_program_does_not_handle_has_a_hint(own: Cluster, ranks: int) -> None:
    step = start_step(own, nodes=ranks, ranks=ranks)
    own.run(f"scancel --signal=USR1 {step_of(own)}")
    assert ("hint      : the program does not handle SIGUSR1; Lightning handles it with --distributed=lightning\n"
            in step.end().result.err)


def test_one_rank_that_is_killed_is_still_the_first_failure(own: Cluster) -> None:
    step = start_step(own)
    os.kill(ranks_on(own, "node2")[0].pid, signal.SIGKILL)
    reported = step.end()
    assert reported.verdict == ("failed", "signal")
    assert (reported.report["first"]["node"], reported.result.code) == ("node2", 137)


def test_all_ranks_of_one_node_that_are_killed_are_failures(own: Cluster) -> None:
    step = start_step(own)
    for rank in ranks_on(own, "node2"):
        os.kill(rank.pid, signal.SIGKILL)
    reported = step.end()
    assert reported.verdict == ("failed", "signal")
    assert (reported.report["first"]["node"], reported.result.code) == ("node2", 137)


@pytest.mark.parametrize("target", ["job", "step"])
def test_a_signal_by_scancel_that_the_program_handles_ends_nothing_by_itself(own: Cluster, target: str) -> None:
    step = start_step(own, "", program="await_signal", ranks=3, options="--kill-on-bad-exit=0")
    own.run(f"scancel --signal=USR1 {job(own) if target == 'job' else step_of(own)}")
    reported = step.end()
    assert reported.result.out.count("got SIGUSR1") == 3
    assert reported.result.code == 9


@pytest.mark.slow
def test_the_signal_of_signal_reaches_each_rank_once(own: Cluster) -> None:
    step = start_step(own, "", program="await_signal", ranks=3, options="--signal=USR1@60 --time=1 --kill-on-bad-exit=0")
    reported = step.end(60)
    assert reported.result.out.count("got SIGUSR1") == 3
    assert reported.result.code == 9


@pytest.mark.slow
def test_a_job_at_its_time_limit_is_no_failure(own: Cluster) -> None:
    step = start_step(own, options="--time=10")
    changed = own.run(f"scontrol update JobId={job(own)} EndTime=now+1second", user="root")
    assert changed.code == 0, changed.err
    reported = step.end(90)
    assert reported.verdict == ("timeout", "time_limit")
    assert "TIMED OUT" in reported.result.err
    check_no_rank_failed(reported)


@pytest.mark.long
def test_a_step_at_its_own_time_limit_is_no_failure(own: Cluster) -> None:
    submit(own, srun="--time=1")
    reported = report_of_job(own, 120)
    assert reported.verdict == ("timeout", "time_limit")
    assert "TIMED OUT" in reported.result.err
    assert "the step reached its time limit (--time)" in reported.report["summary"]
    check_no_rank_failed(reported)


def test_a_preempted_job_is_no_failure(own: Cluster) -> None:
    step = start_step(own, options="--exclusive")
    urgent = own.start("srun --partition=urgent --exclusive -N3 -n3 true")
    reported = step.end()
    assert reported.verdict == ("preempted", "preemption")
    assert "PREEMPTED" in reported.result.err
    check_no_rank_failed(reported)
    assert urgent.wait().code == 0


def submit(own: Cluster, options: str = "", srun: str = "") -> str:
    """A batch job whose step runs on all nodes. `srun`: further srun options."""
    (own.home / "report.json").unlink(missing_ok=True)
    own.give("alice", PROGRAMS / "fault")
    own.write("batch.sh", SCRIPT.replace("@OPTIONS@", srun))
    number = own.run(f"sbatch --parsable --requeue -N3 --ntasks-per-node=2 -o batch.out {options} batch.sh").out.strip()
    wait_until(lambda: all(len(ranks_on(own, node)) == 2 for node in own.nodes), 20, "the job's ranks")
    return number


def report_of_job(own: Cluster, timeout: float = 20) -> Reported:
    report = own.home / "report.json"
    wait_until(lambda: report.exists() and report.stat().st_size, timeout, "the report")
    text = (own.home / "batch.out").read_text()
    made = json.loads(report.read_text())
    return Reported(Result(made["exit_code"], text, text, 0.0), made)


def test_a_requeued_job_is_no_failure(own: Cluster) -> None:
    number = submit(own)
    own.run(f"scontrol requeue {number}")
    reported = report_of_job(own)
    own.run(f"scancel {number}")
    assert reported.verdict == ("cancelled", "slurm")
    assert "Slurm requeued the job" in reported.result.err
    assert reported.report["first"] is None


def test_a_batch_job_that_is_cancelled_is_no_failure(own: Cluster) -> None:
    number = submit(own)
    own.run(f"scancel {number}")
    reported = report_of_job(own)
    assert reported.verdict == ("cancelled", "user")
    assert reported.report["first"] is None


def test_a_batch_job_that_is_preempted_is_no_failure(own: Cluster) -> None:
    submit(own, "--exclusive")
    assert own.srun("--partition=urgent --exclusive -N3 -n3 true").code == 0
    reported = report_of_job(own)
    assert reported.verdict == ("preempted", "preemption")
    assert reported.report["first"] is None


def test_a_node_that_is_drained_goes_on_to_the_steps_end(own: Cluster) -> None:
    step = start_step(own, "exit 3 2")
    own.run("scontrol update NodeName=node2 State=DRAIN Reason=test", user="root")
    try:
        reported = step.end()
    finally:
        own.run("scontrol update NodeName=node2 State=RESUME", user="root")
    assert reported.verdict == ("failed", "program")
    assert (reported.report["first"]["rank"], reported.result.code) == (3, 7)


@pytest.mark.slow
def test_ctrl_z_for_longer_than_the_heartbeat_loses_no_node(own: Cluster) -> None:
    own.give("alice", PROGRAMS / "fault")
    shell = own.terminal("bash --norc --noprofile -i")
    shell.type("srun --distributed=torch,report=report.json,heartbeat=2,grace=1 -N3 -n3 ./fault leave 0+1+2 9\n")
    shell.await_text("ready ", times=3)
    shell.type("\x1a")
    shell.await_text("Stopped")
    time.sleep(5)
    assert all(ranks_on(own, node) for node in own.nodes)
    shell.type("fg; echo code=$?\n")
    shell.await_text("code=0")
    shell.type("exit\n")
    assert shell.wait() == 0
    assert "lost" not in shell.shown
