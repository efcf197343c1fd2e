"""Waits that a user interrupts, and children whose end must not be missed."""

import signal
from collections.abc import Iterator

import pytest
from cluster import PROGRAMS, Cluster
from terminal import INTERRUPT
from waiting import wait_until

# As in a shell after `trap '' CHLD`; some daemons and job managers do this for everything they start.
IGNORING = "python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp(sys.argv[1], sys.argv[1:])'"


@pytest.fixture
def full(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster on which every node is in use."""
    held = cluster.start("srun --quiet -N3 --exclusive sh -c 'echo taken; exec sleep 600'")
    held.await_output("taken", times=3)
    yield cluster
    cluster.run("scancel --user=alice")
    held.wait()


def pending(cluster: Cluster) -> list[str]:
    return cluster.run("squeue -h --me --states=PENDING -o %i").lines


def test_a_launch_that_waits_says_for_what_and_ends_by_a_signal(full: Cluster) -> None:
    codes = {}
    for option in ("", "--distributed=torch,restarts=1", "--distributed=torch,groups=3"):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            waiting = full.start(f"srun {option} -N3 true")
            wait_until(lambda: pending(full), 20, "a job in the queue")
            (job,) = pending(full)
            if option:
                line = f"muster: waiting for 3 nodes (job {job}); Ctrl-C cancels"
                wait_until(lambda: line in waiting.err.splitlines() or not waiting.running, 20, f"{line}: {waiting}")
            waiting.signal(number)
            ended = waiting.wait(10)
            codes.setdefault(number, []).append(ended.code)
            wait_until(lambda: not pending(full), 10, f"the end of job {job} after {number!r}")
    assert all(code != 0 for each in codes.values() for code in each), codes


def test_ctrl_c_on_a_terminal_cancels_a_launch_that_waits(full: Cluster) -> None:
    terminal = full.terminal("srun --distributed=torch,spares=1,restarts=1 -N2 true")
    terminal.await_text("waiting for 3 nodes")
    terminal.type(INTERRUPT)
    assert terminal.wait(10) != 0
    wait_until(lambda: not pending(full), 10, "an empty queue")


def test_a_quiet_launch_waits_without_a_word(full: Cluster) -> None:
    waiting = full.start("srun --quiet --distributed=torch,restarts=1 -N3 true")
    wait_until(lambda: pending(full), 20, "a job in the queue")
    with pytest.raises(AssertionError):
        wait_until(lambda: waiting.err, 5, "a line")
    waiting.signal(signal.SIGTERM)
    assert waiting.wait(10).code != 0


@pytest.mark.parametrize(("line", "code"), [
    ("srun --distributed=torch -N2 -n2 ./fault exit 1", 7),
    ("srun --distributed=torch,restarts=1 -N2 -n2 ./fault exit 1", 7),
    ("MUSTER run --nproc-per-node=2 --no-python ./fault exit 1", 1),
])
def test_a_parent_that_ignores_the_ends_of_its_children_changes_nothing(cluster: Cluster, line: str, code: int) -> None:
    cluster.give("alice", PROGRAMS / "fault")
    line = line.replace("MUSTER", f"{cluster.prefix}/bin/muster")
    assert cluster.run(f"{IGNORING} {line}", timeout=30).code == code


@pytest.mark.parametrize("line", [
    "srun --distributed=torch,dry-run -N2 -n2 true",
    "MUSTER run --distributed=dry-run --nproc-per-node=2 --no-python true",
    "MUSTER doctor --seconds=60 --json -- -N2",
    "sbatch --parsable --wait --distributed=torch --output=/dev/null --wrap=true",
])
def test_so_do_commands_that_start_others(cluster: Cluster, line: str) -> None:
    line = line.replace("MUSTER", f"{cluster.prefix}/bin/muster")
    ignoring, usual = cluster.run(f"{IGNORING} {line}", timeout=60), cluster.run(line, timeout=60)
    assert (ignoring.code, usual.code) == (0, 0), ignoring.err + usual.err
    assert "could not" not in ignoring.err and "muster: error" not in ignoring.err
