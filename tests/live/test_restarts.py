"""restarts=: a failed training job restarts in the same allocation, as often as allowed, and only if that helps."""

import contextlib
import os
import re
import signal
import time

import pytest
from batch_job import BatchJob
from cluster import PROGRAMS, Cluster
from restarted import Training
from waiting import wait_until

IN_SALLOC = "salloc -Q -N3 -n6 srun OPTION RESUME"


def test_a_rank_that_fails_is_followed_by_another_attempt_on_the_same_nodes(cluster: Cluster) -> None:
    ended = Training(cluster, IN_SALLOC, arguments="0.2 0:3:7").end()
    assert ended.result.code == 0, ended.result.err
    assert [rank.rank for rank in ended.done] and {rank.attempt for rank in ended.done} == {1}
    assert [rank.rank for rank in ended.of(1)] == list(range(6))
    assert {(rank.world, rank.most) for rank in ended.of(1)} == {(6, 3)}
    assert ended.nodes(0) == ended.nodes(1) == cluster.nodes
    assert [attempt["result"] for attempt in ended.report["attempts"]] == ["failed", "ok"]
    assert "attempt 0 failed: rank 3 on node2" in ended.result.err
    assert "restart 1 of 3 starts on the same nodes" in ended.result.err


def test_the_attempts_are_steps_of_one_job(cluster: Cluster) -> None:
    ended = Training(cluster, IN_SALLOC, arguments="0.1 0:0:1 1:5:SIGSEGV").end()
    assert ended.result.code == 0, ended.result.err
    steps = [attempt["step"] for attempt in ended.report["attempts"]]
    assert len({step.split(".")[0] for step in steps}) == 1
    assert [step.split(".")[1] for step in steps] == ["0", "1", "2"]


def test_the_last_failure_is_the_codes_when_the_restarts_are_used_up(cluster: Cluster) -> None:
    ended = Training(cluster, IN_SALLOC, keys="restarts=1", arguments="0.1 0:1:7 1:2:9 2:0:1").end()
    assert (ended.result.code, ended.attempts) == (9, 2)
    assert "restart" in ended.result.err and "used up" in ended.result.err
    assert ended.report["first"]["rank"] == 2
    assert [attempt["number"] for attempt in ended.report["attempts"]] == [0, 1]


@pytest.mark.parametrize("keys, code", [("restarts=3", 93), ("restarts=3,norestart=4+5", 5)])
def test_an_exit_code_can_forbid_another_attempt(cluster: Cluster, keys: str, code: int) -> None:
    ended = Training(cluster, IN_SALLOC, keys=keys, arguments=f"0.1 0:1:{code}").end()
    assert (ended.result.code, ended.attempts) == (code, 1)


def test_a_program_that_cannot_start_is_not_tried_again(cluster: Cluster) -> None:
    result = cluster.run("salloc -Q -N3 -n6 srun --distributed=torch,restarts=3 "
                         "bash -c 'exit 127'")  # a shell's code for a program that is not found
    assert result.code == 127
    assert "attempt 1" not in result.err


# In the first attempt, the ranks that have the library wait until the failure of another rank ends them.
NEEDS_A_LIBRARY = """\
import os
import time
if os.environ["SLURMD_NODENAME"] in os.environ["WITHOUT_LIBRARY"].split(","):
    raise ImportError("libcudart.so.12: cannot open shared object file: No such file or directory")
time.sleep(60 if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" else 3)
print("trained on", os.environ["SLURMD_NODENAME"])
"""


@pytest.mark.parametrize("keys, change", [
    ("spares=1", "without node2 (the program could not start there), with node3"),
    ("nodes=2", "without node2 (the program could not start there)\n")])
def test_a_run_goes_on_without_a_node_where_alone_the_program_cannot_start(
        cluster: Cluster, keys: str, change: str) -> None:
    cluster.write("train.py", NEEDS_A_LIBRARY)
    result = cluster.run(f"salloc -Q -N3 --ntasks-per-node=2 srun --distributed=torch,restarts=5,grace=1,{keys} "
                         "python3 train.py", env={"WITHOUT_LIBRARY": "node2"})
    assert result.code == 0, result.err
    assert sorted(result.lines) == 2 * ["trained on node1"] + 2 * ["trained on node3"]
    assert f"restart 1 of 5 starts on 2 nodes, {change}" in result.err
    assert "restart 2" not in result.err


@pytest.mark.parametrize("bad, restarts", [("node1,node2,node3", range(2)), ("node2", range(1, 2))])
def test_a_start_up_error_of_two_nodes_or_of_two_attempts_ends_the_run(
        cluster: Cluster, bad: str, restarts: range) -> None:
    cluster.write("train.py", NEEDS_A_LIBRARY)
    result = cluster.run("salloc -Q -N3 -n6 srun --distributed=torch,restarts=5,grace=1 python3 train.py",
                         env={"WITHOUT_LIBRARY": bad})
    assert result.code == 1
    assert "no further attempt: the program cannot start, and would fail again" in result.err
    assert result.err.count(" of 5 starts") in restarts  # usually none if no node has the library


def test_without_restarts_nothing_is_said_of_attempts(cluster: Cluster) -> None:
    ended = Training(cluster, IN_SALLOC, keys="restarts=0", arguments="0.1 0:1:7").end()
    assert (ended.result.code, ended.attempts) == (7, 1)
    assert "attempt" not in ended.result.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_step_that_its_user_ends_is_not_started_again(cluster: Cluster, number: signal.Signals) -> None:
    training = Training(cluster, "srun OPTION -N3 -n6 RESUME", arguments="1 0:9:wait")
    training.await_attempt(0, 6)
    (front,) = [process for process in cluster.processes("login")
                if process.name == "muster" and " supervise " in process.command
                and not any(parent.pid == process.parent and parent.name == "salloc" for parent in cluster.processes("login"))]
    # srun needs a second Ctrl-C within a second, and counts whole seconds: one pair may straddle a boundary.
    for _ in range(6 if number == signal.SIGINT else 1):
        with contextlib.suppress(ProcessLookupError):
            os.kill(front.pid, number)
        time.sleep(0.3)
    ended = training.end()
    assert ended.result.code != 0
    assert ended.attempts == 1


def test_scancel_ends_the_training_and_not_one_attempt(cluster: Cluster) -> None:
    training = Training(cluster, IN_SALLOC, arguments="1 0:9:wait")
    training.await_attempt(0, 6)
    (job,) = cluster.run("squeue -h -o %i").lines
    assert cluster.run(f"scancel {job}.0").code == 0
    ended = training.end()
    assert ended.attempts == 1
    assert ended.report["result"] == "cancelled"


@pytest.mark.parametrize("ranks", [1, 2])
def test_scancel_ends_the_training_of_one_rank_and_of_ranks_that_save_first(cluster: Cluster, ranks: int) -> None:
    """The exit codes alone do not show it: those of one rank, or of ranks that exit with a code of their own."""
    cluster.write("save", "#!/bin/bash\ntrap 'exit 1' TERM\necho ready $TORCHELASTIC_RESTART_COUNT\n"
                  "sleep 1000 & wait\n").chmod(0o755)
    job = BatchJob(cluster, f"srun -n{ranks} --distributed=torch,restarts=2,grace=5 ./save", "-N1 -n2")
    wait_until(lambda: job.text.count("ready 0") == ranks, 60, "the ranks")
    options = "--signal=TERM" if ranks > 1 else ""
    assert cluster.run(f"scancel {options} {job.number}.0").code == 0
    job.await_end()
    assert "ready 1" not in job.text
    assert "./save CANCELLED" in job.text and "the step was cancelled (scancel)" in job.text, job.text


def test_a_single_rank_that_somebody_kills_is_started_again(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "resume")
    job = BatchJob(cluster, "srun --distributed=torch,restarts=2 ./resume 0.2 0:0:SIGKILL 1:0:SIGTERM", "-N1 -n1")
    assert job.await_end() == "COMPLETED", job.text
    assert job.done == {2}


def test_a_batch_job_starts_its_training_again(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "resume")
    result = cluster.sbatch("#!/bin/sh\nsrun --distributed=torch,restarts=2 ./resume 0.2 0:3:7\n",
                            "-N3 --ntasks-per-node=2")
    assert result.code == 0, result.out
    assert result.out.count("done attempt=1") == 6


@pytest.mark.slow
def test_the_report_lists_the_attempts_also_where_the_last_one_cannot_be_launched(cluster: Cluster) -> None:
    cluster.write(".config/muster/profiles/mine.yaml", "include: torch\n")
    training = Training(cluster, "salloc -Q -N3 -n6 srun --distributed=mine,report=report.json,restarts=1,grace=1 RESUME",
                        arguments="0.1 0:9:wait")
    training.await_attempt(0, 6)
    cluster.write(".config/muster/profiles/mine.yaml", "not a profile\n")
    rank = next(process for process in cluster.processes("node2")
                if "/resume " in process.command and process.name.startswith("python"))
    os.kill(rank.pid, signal.SIGKILL)
    ended = training.end()
    assert ended.result.code == 1, ended.result.err
    assert "mine.yaml:1:1" in ended.result.err
    assert re.search(r"^ *attempt 0 .*rank \d on node2", ended.result.err, re.MULTILINE)


def test_at_a_prompt_the_attempts_keep_their_nodes(cluster: Cluster) -> None:
    ended = Training(cluster, "srun OPTION -N2 -n4 RESUME", arguments="0.1 0:3:7").end()
    assert ended.result.code == 0, ended.result.err
    assert len(ended.done) == 4
    steps = [attempt["step"] for attempt in ended.report["attempts"]]
    assert len({step.split(".")[0] for step in steps}) == 1
    assert ended.nodes(0) == ended.nodes(1)


def test_at_a_prompt_each_component_gets_its_nodes(cluster: Cluster) -> None:
    ended = Training(cluster, "srun OPTION -N1 -n1 RESUME : -N2 -n2 RESUME", arguments="0.1 0:2:7").end()
    assert ended.result.code == 0, ended.result.err
    assert [rank.world for rank in ended.done] == [3] * 3
    assert ended.nodes(0) == ended.nodes(1) == cluster.nodes


def allocate(cluster: Cluster, options: str) -> str:
    """The number of a job without a script."""
    granted = cluster.run(f"salloc --no-shell {options}")
    assert granted.code == 0, granted.err
    return re.search(r"Granted job allocation (\d+)", granted.err)[1]


def test_the_spares_of_the_job_that_the_line_names_are_used(cluster: Cluster) -> None:
    job = allocate(cluster, "-N3 -n6")
    try:
        ended = Training(cluster, f"srun --jobid={job} OPTION -N2 -n4 RESUME", keys="restarts=1,spares=1,explain",
                         arguments="0.1 0:3:7").end()
    finally:
        cluster.run(f"scancel {job}")
    assert ended.result.code == 0, ended.result.err
    assert "spares: node3 replaces" in ended.result.err
    assert {attempt["step"].split(".")[0] for attempt in ended.report["attempts"]} == {job}
    assert ended.nodes(0) == ended.nodes(1) == ["node1", "node2"]


def test_a_line_in_one_job_restarts_on_the_nodes_of_the_job_that_it_names(cluster: Cluster) -> None:
    job = allocate(cluster, "-N2 -n4 -w node[2-3]")
    try:
        # With the outer job's list of nodes, srun itself would refuse the line.
        ended = Training(cluster, f"salloc -Q -N1 -n1 -w node1 env -u SLURM_JOB_NODELIST -u SLURM_NODELIST "
                                  f"-u SLURM_JOB_NUM_NODES -u SLURM_NNODES srun --jobid={job} OPTION -N2 -n4 RESUME",
                         keys="restarts=1,nodes=2", arguments="0.1 0:3:7").end()
        requeue = cluster.run(f"srun --jobid={job} --distributed=torch,requeue=1 true")
    finally:
        cluster.run(f"scancel {job}")
    assert ended.result.code == 0, ended.result.err
    assert ended.nodes(0) == ended.nodes(1) == ["node2", "node3"]
    assert f"requeue=1: job {job} (--jobid) does not contain this srun" in requeue.err


def test_three_attempts_without_progress_end_the_job(cluster: Cluster) -> None:
    cluster.write("progress", "step 1\n")
    ended = Training(cluster, IN_SALLOC, keys="restarts=9,progress=progress",
                     arguments="0.1 " + " ".join(f"{attempt}:0:7" for attempt in range(9))).end()
    assert (ended.result.code, ended.attempts) == (7, 4)  # it is unknown where the first attempt began
    assert "progress" in ended.result.err


def test_ranks_of_two_attempts_never_write_at_once(cluster: Cluster) -> None:
    training = Training(cluster, IN_SALLOC, keys="restarts=3,grace=1", arguments="0.3 0:1:7 1:2:SIGKILL 2:5:1")
    ended = training.end()
    assert (ended.result.code, ended.attempts) == (0, 4)
    assert not training.overlap()


def test_nothing_of_an_attempt_is_left_when_the_next_begins(cluster: Cluster) -> None:
    training = Training(cluster, IN_SALLOC, keys="restarts=1,grace=1", arguments="1 0:1:7 1:0:wait")
    training.await_attempt(1, 6)
    ranks = {node: [process for process in cluster.processes(node) if "/resume " in process.command and process.uid != 0]
             for node in cluster.nodes}
    cluster.run("scancel --user=alice", user="root")
    training.end()
    assert {node: len(found) for node, found in ranks.items()} == dict.fromkeys(cluster.nodes, 2)
