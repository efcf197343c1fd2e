"""hang=: muster notices a step that makes no progress, names the culprit, and restarts the step if asked to."""

import contextlib
import json
import time
from collections.abc import Iterator

import pytest
from cluster import Cluster
from command import Command
from stalled import STILL, Mount
from waiting import wait_until

NOTHING_MOVES = "no rank has made progress for"


@pytest.fixture(autouse=True)
def no_old_dumps(cluster: Cluster) -> None:
    cluster.shell("rm -rf muster-dump-* kept report.json")


def start(cluster: Cluster, keys: str, options: str, *words: str, **variables: str) -> Command:
    return cluster.start(f"srun --distributed=torch,{keys} {options} ./stuck {' '.join(words)}", env=variables)


@contextlib.contextmanager
def hung(cluster: Cluster, keys: str, options: str, *words: str, **variables: str) -> Iterator[tuple[Command, str]]:
    """A step that hangs, and muster's line about it."""
    step = start(cluster, keys, options, *words, **variables)

    def lines() -> list[str]:
        return [line for line in step.err.splitlines() if NOTHING_MOVES in line]

    try:
        wait_until(lambda: lines() or not step.running, 400, "the hang to be noticed")
        assert step.running, step.err
        yield step, lines()[0]
        assert len(lines()) == 1, step.err
    finally:
        cluster.run("scancel --user=alice --signal=CONT")
        cluster.run("scancel --user=alice")
        step.wait(60)


def test_a_hang_names_the_rank_that_misses_a_collective_and_ends_nothing(cluster: Cluster) -> None:
    with hung(cluster, "hang=5s", "-N3 -n3", "collective", "late", "collective") as (step, line):
        assert step.out.count("ready") == 3
        assert line.startswith("muster: warning: hang=5s: no rank has made progress for ")
        assert ": rank 1 on node2: " in line and "in wait_here (stuck:" in line
        place = line.split("all stacks: ")[1]
        kept = json.loads((cluster.home / place / "dump.json").read_text())
        assert [group["ranks"] for group in kept["groups"]] == [[1], [0, 2]]
        assert cluster.run("squeue -h --steps -o %j").out.count("stuck") == 1


def test_a_hang_with_restart_starts_again_and_the_report_says_why(cluster: Cluster) -> None:
    keys = "hang=5s+restart,restarts=1,grace=1,report=report.json,logs=kept"
    step = start(cluster, keys, "-N2 -n2", "wait", "stop", ONCE="1")
    result = step.wait(180)
    assert result.code == 0, result.err
    report = json.loads((cluster.home / "report.json").read_text())
    assert [(attempt["result"], attempt["cause"]) for attempt in report["attempts"]] == [("failed", "hang"), ("ok", None)]
    first = report["attempts"][0]
    assert first["reason"].startswith("no rank made progress for ")
    assert "rank 1 on node2: stopped by a signal" in first["reason"]
    assert list(cluster.home.glob("kept/*/dump-*/rank-1.txt"))
    assert f"attempt 0 failed: {first['reason']}" in result.err


def test_a_job_that_is_cancelled_while_it_hangs_has_a_report_that_says_since_when(cluster: Cluster) -> None:
    with hung(cluster, "hang=5s,report=report.json", "-N2 -n2", "wait", "stop") as (step, _):
        cluster.run("scancel --user=alice --signal=CONT")
        cluster.run("scancel --user=alice")
        result = step.wait(60)
    report = json.loads((cluster.home / "report.json").read_text())
    assert (report["result"], report["cause"], report["hang"]["node"]) == ("cancelled", "user", "node2"), result.err
    assert "; no rank made progress for " in report["summary"]
    assert "rank 1 on node2: stopped by a signal" in report["summary"]
    times = report["attempts"][-1]["times"]
    assert times["failure"] == report["hang"]["since"] < times["over"]


@pytest.mark.long
def test_a_hang_without_restarts_left_ends_with_1_and_the_dumps_place(cluster: Cluster) -> None:
    step = start(cluster, "hang=5s+restart,grace=1,report=report.json", "-N2 -n2", "wait", "stop")
    result = step.wait(180)
    assert result.code == 1, result.err
    report = json.loads((cluster.home / "report.json").read_text())
    assert (report["cause"], report["hang"]["node"], report["first"]) == ("hang", "node2", None)
    assert f"  dump      : {report['hang']['dump']}" in result.err
    assert (cluster.home / report["hang"]["dump"] / "rank-1.txt").exists()


@pytest.mark.long
@pytest.mark.parametrize(("word", "said"), [
    ("stop", "rank 1 on node2: stopped by a signal (state T)"),
    ("spin", "rank 1 on node2: computing or spinning"),
    ("gil", "rank 1 on node2: waiting"),
    ("loader", "rank 1 on node2: waiting"),
    ("teardown", "rank 1 on node2: waiting")])
def test_each_kind_of_culprit_is_named(cluster: Cluster, word: str, said: str) -> None:
    with hung(cluster, "hang=5s", "-N3 -n3", "collective", word, "collective") as (_, line):
        assert said in line
        place = {"spin": "spin_here", "gil": "hold_gil_here", "loader": "load_here", "teardown": "wait_here"}
        assert place.get(word, "") in line


@pytest.mark.long
def test_a_checkpoint_an_evaluation_and_a_compilation_are_no_hang(cluster: Cluster) -> None:
    with hung(cluster, "hang=5s", "-N3 -n3", "collective", "late", "collective", BUSY="8") as (step, line):
        assert step.out.count("was busy") == 3, "the alarm was a false one"
        assert ": rank 1 on node2: " in line


# --- a file system whose server is gone

def test_a_rank_that_waits_for_a_file_system_that_has_gone_is_named(cluster: Cluster) -> None:
    mount = Mount(cluster, "node2")
    mount.stand_still()
    step = start(cluster, "hang=5s", "-N3 -n3", "collective", "read", "collective", FILE=f"{STILL}/data")
    try:
        wait_until(lambda: NOTHING_MOVES in step.err or not step.running, 400, "the hang to be noticed")
        assert ": rank 1 on node2: " in step.err, step.err
    finally:
        mount.end()
        cluster.run("scancel --user=alice")
        step.wait(60)


def test_a_node_whose_ranks_write_to_a_file_system_that_has_gone_is_not_lost(cluster: Cluster) -> None:
    mount = Mount(cluster, "node2")
    step = cluster.start(f"srun --distributed=torch,hang=8s,heartbeat=3 -N2 -n2 bash -c "
                         f"'touch up.$RANK; [ $RANK = 0 ] || exec > {STILL}/data; echo ready; exec sleep 1000'")
    try:
        wait_until(lambda: all((cluster.home / f"up.{rank}").exists() for rank in (0, 1)) or not step.running, 120,
                   "the ranks to be up")
        time.sleep(1)
        mount.stand_still()
        wait_until(lambda: NOTHING_MOVES in step.err or not step.running, 120, "the hang to be noticed")
        time.sleep(6)  # two heartbeats
        assert step.running, step.err
        assert "lost" not in step.err and "no word" not in step.err, step.err
    finally:
        mount.end()
        cluster.run("scancel --user=alice")
        step.wait(60)
        cluster.shell(f"rm -rf up.0 up.1 {STILL}")


@pytest.mark.parametrize("view", ["all", "1", "0"])
def test_a_node_whose_logs_are_on_a_file_system_that_has_gone_is_not_lost(cluster: Cluster, view: str) -> None:
    """The live view reads there. The cases: logs of rank 1 only, of both ranks, and of neither except at its end."""
    place = f"{cluster.home}/gone"
    assert cluster.shell(f"mkdir {place}").code == 0
    mount = Mount(cluster, "node2", place)
    step = cluster.start(f"srun --distributed=torch,logs={place},view={view},heartbeat=3 -N2 -n2 "
                         "bash -c 'touch up.$RANK; while true; do echo $RANK goes on; sleep 0.2; done'")
    try:
        wait_until(lambda: all((cluster.home / f"up.{rank}").exists() for rank in (0, 1)) or not step.running, 120,
                   "the ranks to be up")
        time.sleep(1)
        mount.stand_still()
        shown = step.out.count("0 goes on")
        time.sleep(9)  # three heartbeats
        assert step.running, step.err
        assert "lost" not in step.err and "no word" not in step.err, step.err
        assert (step.out.count("0 goes on") > shown) == (view != "1"), step.out
    finally:
        mount.end()
        cluster.run("scancel --user=alice")
        step.wait(60)
        cluster.shell(f"rm -rf up.0 up.1 {place}")


def test_a_dump_that_cannot_be_written_holds_up_neither_the_line_nor_the_end(cluster: Cluster) -> None:
    mount = Mount(cluster, "login")
    try:
        step = cluster.start(f"bash -c 'cd {STILL} && exec srun --distributed=torch,hang=5s+restart,grace=1 -N2 -n2 "
                             "bash -c \"echo ready; exec sleep 1000\"'")
        wait_until(lambda: step.out.count("ready") == 2 or not step.running, 120, "the ranks to be ready")
        mount.stand_still()
        result = step.wait(120)
    finally:
        mount.end()
    assert result.code == 1, result.err
    (line,) = [line for line in result.err.splitlines() if NOTHING_MOVES in line and line.startswith("muster: warning: hang=")]
    assert line.endswith("(still being written)"), result.err
