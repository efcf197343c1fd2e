"""`muster status`: what users can learn about a running step and from where, and which users can learn nothing."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from cluster import PROGRAMS, Cluster
from command import Command
from waiting import wait_until

STATUS = "muster status"


@pytest.fixture(autouse=True)
def waiting_program(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "wait_for")
    cluster.shell("rm -rf go go.data.* logs")


def go(cluster: Cluster) -> None:
    cluster.write("go", "")


def status(cluster: Cluster, words: str = "", **more) -> list[dict]:
    result = cluster.run(f"{STATUS} --json {words}", **more)
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert found["version"] == 1
    return found["steps"]


@contextmanager
def running(cluster: Cluster, option: str, ranks: int, words: str = "-N2 -n4") -> Iterator[Command]:
    """A step whose ranks are all running."""
    step = cluster.start(f"srun {words} --distributed=torch,{option} ./wait_for {cluster.home}/go")
    try:
        def all_up() -> bool:
            assert step.running, step.wait(10)
            result = cluster.run(f"{STATUS} --json")
            return result.code == 0 and json.loads(result.out)["steps"][0]["ranks_up"] == ranks
        wait_until(all_up, 60, "ranks that are up")
        yield step
    finally:
        go(cluster)
    assert step.wait(60).code == 0


def test_status_shows_a_step_from_its_start_to_its_end(cluster: Cluster) -> None:
    with running(cluster, "logs=logs,restarts=3", 4):
        wait_until(lambda: len(list(cluster.home.glob("go.data.*"))) == 4, 60, "the ranks' files")
        step, = status(cluster)
        assert (step["attempt"], step["restarts_left"], step["ranks"], step["ranks_up"]) == (0, 3, 4, 4)
        assert [(node["name"], node["state"], node["ranks"], node["ranks_up"]) for node in step["nodes"]] == [
            ("node1", "running", 2, 2), ("node2", "running", 2, 2)]
        assert step["output"]["rank"] in range(4)
        assert step["output"]["bytes"] == len("ready 0\n") * 4
        for node in step["nodes"]:
            assert node["counts"]["files"]["out"] >= 4_000_000
            assert node["counts"]["network"]["in"] >= 0
            assert node["rates"]["network"]["in"] >= 0
        table = cluster.run(f"{STATUS} {step['step']}").out
        assert f"step {step['step']}: attempt 0 for" in table
        assert "4 of 4 ranks up, 3 restarts left" in table
        assert max(len(line) for line in table.splitlines()) <= 80
    ended = cluster.run(f"{STATUS} {step['step']}")
    assert ended.code != 0
    assert re.fullmatch(r".* is not running \(it is COMPLET(ED|ING)\); .*\n", ended.err)


def test_without_logs_the_last_output_is_not_known_and_that_is_said(cluster: Cluster) -> None:
    with running(cluster, "grace=1", 1, "-N1 -n1"):
        assert status(cluster)[0]["output"] is None
        assert "last output: unknown without logs=" in cluster.run(STATUS).out


def test_a_batch_jobs_step_is_asked_from_the_submit_host_and_by_nobody_else(cluster: Cluster) -> None:
    cluster.write("job.sh", f"#!/bin/sh\nsrun --distributed=torch ./wait_for {cluster.home}/go\n")
    job = cluster.run("sbatch --parsable --output=/dev/null -N2 -n4 job.sh").out.strip()
    try:
        wait_until(lambda: len(list(cluster.home.glob("go.data.*"))) == 4, 60, "the ranks")
        step, = status(cluster, job, timeout=60)
        assert (step["step"], step["host"], step["ranks_up"]) == (f"{job}.0", "node1", 4)
        stranger = cluster.run(f"{STATUS} {job}", user="bob", timeout=60)
        assert stranger.code != 0
        assert stranger.err == f"muster: error: job {job} belongs to alice; you can only look at your own steps\n"
    finally:
        go(cluster)
        wait_until(lambda: not cluster.run("squeue -h").out.strip(), 60, "the end of the job")


def test_a_step_is_shown_where_nodes_cannot_write_to_the_home(cluster: Cluster) -> None:
    cluster.write("job.sh", "#!/bin/sh\nunset XDG_RUNTIME_DIR XDG_STATE_HOME\nexport HOME=/proc/no-home\n"
                            f"srun --distributed=torch {cluster.home}/wait_for {cluster.home}/go\n")
    job = cluster.run("sbatch --parsable --output=/dev/null -N1 -n2 job.sh").out.strip()
    try:
        wait_until(lambda: len(list(cluster.home.glob("go.data.*"))) == 2, 60, "the ranks")
        step, = status(cluster, job, timeout=60)
        assert (step["host"], step["ranks_up"]) == ("node1", 2)
        mode, owner = cluster.node("node1", "stat -c '%a %U' /tmp/muster-control-*").split()
        assert (mode, owner) == ("700", "alice")
    finally:
        go(cluster)
        wait_until(lambda: not cluster.run("squeue -h").out.strip(), 60, "the end of the job")
        cluster.node("node1", "rm -rf /tmp/muster-control-*")


def test_a_step_without_a_supervisor_is_one_line(cluster: Cluster) -> None:
    cluster.write("job.sh", f"#!/bin/sh\nsrun --distributed=torch,supervise=off ./wait_for {cluster.home}/go\n")
    job = cluster.run("sbatch --parsable --output=/dev/null job.sh").out.strip()
    try:
        wait_until(lambda: list(cluster.home.glob("go.data.*")), 60, "the rank")
        result = cluster.run(f"{STATUS} {job}", timeout=60)
        assert result.code != 0
        assert len(result.err.splitlines()) == 1 and "supervise=off" in result.err
    finally:
        go(cluster)
        wait_until(lambda: not cluster.run("squeue -h").out.strip(), 60, "the end of the job")


def test_watch_redraws_until_the_step_has_ended(cluster: Cluster) -> None:
    with running(cluster, "logs=logs", 2, "-N1 -n2"):
        terminal = cluster.terminal(f"{STATUS} --watch", env={"TERM": "xterm", "NO_COLOR": "1"})
        terminal.await_text("\x1b[H\x1b[2Jstep", times=2, timeout=60)
        go(cluster)
        assert terminal.wait(60) == 0


# --- the line while ranks start

SILENT = "sh -c 'until [ -e go ]; do sleep 0.1; done; echo spoken'"


def test_a_terminal_shows_who_has_started_until_the_first_output(cluster: Cluster) -> None:
    terminal = cluster.terminal(f"srun -N2 -n2 --distributed=torch,logs=logs {SILENT}", env={"TERM": "xterm"})
    try:
        terminal.await_text("nodes ready 2/2, ranks up 2/2, attempt 0, ", timeout=60)
    finally:
        go(cluster)
    assert terminal.wait(60) == 0
    drawn, shown = terminal.shown.rsplit("\r\x1b[K", 1)
    assert "nodes ready" in drawn and shown == "spoken\r\n"


@pytest.mark.parametrize("keys,env", [("logs=logs", {"TERM": "dumb"}), ("grace=1", {"TERM": "xterm"})])
def test_there_is_no_such_line_on_a_dumb_terminal_nor_where_srun_writes_itself(cluster: Cluster, keys: str, env: dict) -> None:
    terminal = cluster.terminal(f"srun -N1 -n1 --distributed=torch,{keys} sh -c 'sleep 2; echo spoken'", env=env)
    assert terminal.wait(60) == 0
    assert terminal.shown == "spoken\r\n"


def test_nothing_of_the_line_is_in_a_pipe(cluster: Cluster) -> None:
    result = cluster.srun("-N1 -n1 --distributed=torch,logs=logs sh -c 'sleep 2; echo spoken'", env={"TERM": "xterm"})
    assert (result.code, result.out, result.err) == (0, "spoken\n", "")
