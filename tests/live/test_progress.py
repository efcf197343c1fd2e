"""What scripts/progress.sh shows of a script's steps: on a terminal, in a log, and when a step fails."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cluster import CHECKOUT
from terminal import INTERRUPT, Terminal
from waiting import wait_until

COMPILING = r"""
for i in 1 2 3 4; do echo "[$i/4] Building part$i.o"; sleep 0.6; done
"""
BROKEN = r"""
echo "[1/3] Building good.o"
echo "FAILED: bad.o"
echo "bad.cpp:1:1: error: expected unqualified-id"
echo "[2/3] Building other.o"
echo "ninja: build stopped: subcommand failed."
exit 1
"""
TESTED = """
echo '    Start 1: first'
echo '1/3 Test #1: first .......   Passed    0.01 sec'
echo '    Start 2: second'
echo '2/3 Test #2: second ......***Failed    0.02 sec'
echo 'second.cpp:7: Failure'
echo '    Start 3: third'
echo '3/3 Test #3: third .......   Passed    0.01 sec'
echo
echo '67% tests passed, 1 tests failed out of 3'
echo
echo 'The following tests FAILED:'
echo '  2 - second (Failed)'
exit 8
"""

# Two tests at once; the first ends after the second.
TESTED_AT_ONCE = """
echo "Test project $PWD"
[ "${1-}" != -N ] || { echo '  Test #1: long'; echo '  Test #2: short'; echo '  Test #3: last'; exit; }
echo '    Start 1: long'
echo '    Start 2: short'
echo '1/3 Test #2: short .......   Passed    0.01 sec'
echo '    Start 3: last'
echo '2/3 Test #1: long ........   Passed    0.01 sec'
sleep 2
echo '3/3 Test #3: last ........   Passed    0.01 sec'
echo '100% tests passed, 0 tests failed out of 3'
"""

PYTESTED = """
echo '============== test session starts =============='
echo 'tests/live/test_a.py::test_one[-N3 -n5] '
echo '[gw0] [ 50%] PASSED tests/live/test_a.py::test_one[-N3 -n5] '
echo 'tests/live/test_b.py::test_two '
echo '[gw1] [100%] FAILED tests/live/test_b.py::test_two '
echo '==================== FAILURES ===================='
echo 'E   assert 1 == 0'
echo 'not selected: tests/live/test_c.py::test_three: not on forky: no PMIx'
echo '===== 1 failed, 1 passed, 1 deselected in 1.23s ====='
exit 1
"""

pytestmark = pytest.mark.machine


@pytest.fixture(autouse=True)
def cluster() -> None:
    """No cluster is needed here."""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "job"


def write(script: Path, *steps: tuple[str, str, str]) -> list[str]:
    """Writes a script with these steps (kind, what, shell commands); returns the command that runs it."""
    lines = ["set -euo pipefail", f"source {CHECKOUT / 'scripts' / 'progress.sh'}", f"plan_steps {len(steps)}"]
    for number, (kind, what, commands) in enumerate(steps):
        part = script.with_name(f"part{number}")
        part.write_text(commands)
        lines.append(f"run_step {kind} '{what}' sh {part}")
    script.write_text("\n".join(lines) + "\n")
    return ["env", "-u", "CI", "TERM=xterm", f"TMPDIR={script.parent}", "bash", str(script)]


def logs(script: Path) -> list[Path]:
    return list(script.parent.glob("muster-job.*"))


def run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def shown_on_terminal(command: list[str]) -> str:
    terminal = Terminal(command)
    terminal.wait()
    terminal.close()
    return terminal.shown


def test_log_has_one_line_for_each_step(script: Path) -> None:
    done = run(write(script, ("plain", "think", "echo noise; echo more >&2"), ("ninja", "compile", COMPILING)))
    assert re.fullmatch(r"step 1 of 2: think, \d+ s\nstep 2 of 2: compile, \d+ s\n", done.stdout)
    assert done.stderr == ""
    assert logs(script) == []


def test_terminal_shows_percent_and_time_left_and_keeps_only_the_last_line(script: Path) -> None:
    shown = shown_on_terminal(write(script, ("ninja", "compile", COMPILING)))
    frames = shown.split("\r\x1b[K")
    assert any(re.fullmatch(r"step 1 of 1: compile, (50|75) %(, \d+ s left)?", frame) for frame in frames), shown
    assert any(frame.endswith(" s left") for frame in frames), shown
    assert re.fullmatch(r"step 1 of 1: compile, \d+ s\r\n", frames[-1])
    assert shown.count("\n") == 1


@pytest.mark.parametrize("setting", ["TERM=dumb", "CI=true"])
def test_live_line_needs_a_terminal_that_can_erase(script: Path, setting: str) -> None:
    command = write(script, ("ninja", "compile", COMPILING))
    shown = shown_on_terminal([*command[:-2], setting, *command[-2:]])
    assert re.fullmatch(r"step 1 of 1: compile, \d+ s\r\n", shown)


def test_live_line_fits_a_narrow_terminal(script: Path) -> None:
    command = write(script, ("ninja", "compile everything that there is", COMPILING))
    shown = shown_on_terminal(["sh", "-c", "stty cols 30 && exec \"$@\"", "sh", *command])
    frames = shown.split("\r\x1b[K")[1:-1]
    assert any("%" in frame for frame in frames), shown
    assert max(map(len, frames)) < 30


def test_failed_build_shows_the_compilers_words_and_names_the_log(script: Path) -> None:
    done = run(write(script, ("ninja", "compile", BROKEN)))
    assert done.returncode == 1
    failed, error, last = done.stderr.splitlines()
    assert failed == "FAILED: bad.o"
    assert error == "bad.cpp:1:1: error: expected unqualified-id"
    (log,) = logs(script)
    assert last.endswith(f"the whole log is in {log}")
    assert "[2/3] Building other.o" in log.read_text()


def test_failed_tests_show_their_output_and_ctests_closing_lines(script: Path) -> None:
    done = run(write(script, ("ctest", "test", TESTED)))
    assert done.returncode == 8
    assert done.stdout.splitlines() == ["2/3 Test #2: second ......***Failed    0.02 sec", "second.cpp:7: Failure",
                                        "67% tests passed, 1 tests failed out of 3", "", "The following tests FAILED:",
                                        "  2 - second (Failed)"]
    (log,) = logs(script)
    assert done.stderr.endswith(f"the whole log is in {log}\n")
    assert done.stderr.count("\n") == 1


def test_passed_tests_leave_ctests_closing_lines(script: Path) -> None:
    done = run(write(script, ("ctest", "test", "echo '    Start 1: first'\necho '1/1 Test #1: first ....   Passed'\n"
                                               "echo '100% tests passed, 0 tests failed out of 1'")))
    step, closing = done.stdout.splitlines()
    assert step.startswith("step 1 of 1: test, ")
    assert closing == "100% tests passed, 0 tests failed out of 1"
    assert done.stderr == ""


def test_tests_that_run_at_once_are_counted_as_they_end(script: Path) -> None:
    costs = script.with_name("Testing") / "Temporary" / "CTestCostData.txt"
    costs.parent.mkdir(parents=True)
    costs.write_text("long 1 60\nshort 1 20\nlast 1 20\n")
    shown = shown_on_terminal(["env", "-C", str(script.parent), *write(script, ("ctest", "test", TESTED_AT_ONCE))])
    percents = [int(percent) for percent in re.findall(r"test, (\d+) %", shown)]
    assert 80 <= max(percents) < 100, shown
    assert "(last)" in shown


def test_live_tests_are_listed_with_those_that_were_not_selected(script: Path) -> None:
    done = run(write(script, ("pytest", "test", PYTESTED)))
    assert done.returncode == 1
    assert [" ".join(line.split()) for line in done.stdout.splitlines()] == [
        "[gw0] [ 50%] PASSED tests/live/test_a.py::test_one[-N3 -n5]",
        "[gw1] [100%] FAILED tests/live/test_b.py::test_two",
        "not selected: tests/live/test_c.py::test_three: not on forky: no PMIx",
        "===== 1 failed, 1 passed, 1 deselected in 1.23s ====="]
    assert "E   assert 1 == 0" in done.stderr


def test_interrupt_key_ends_the_command_and_removes_the_log(script: Path) -> None:
    terminal = Terminal(write(script, ("plain", "think", "sleep 600")))
    terminal.await_text("step 1 of 1: think, ")
    terminal.type(INTERRUPT)
    assert terminal.wait() == 130
    terminal.close()
    assert "interrupted after" in terminal.shown
    assert logs(script) == []


# Writes one byte for each SIGINT, from the C handler, so that none is lost.
COUNTING = """
import os, signal, sys, time
signal.signal(signal.SIGINT, lambda *_: None)
count = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK)
signal.set_wakeup_fd(count)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.02)
"""


def waits_for_one_child(pid: int) -> bool:
    process = Path(f"/proc/{pid}")
    children = (process / "task" / str(pid) / "children").read_text().split()
    return len(children) == 1 and process.joinpath("stat").read_text().split()[2] == "S"


def test_interrupt_key_reaches_the_command_once(script: Path) -> None:
    """A second signal would interrupt the cleanup of a benchmark or a cluster."""
    count, end, program = (script.with_name(name) for name in ("count", "end", "counting.py"))
    program.write_text(COUNTING)
    terminal = Terminal(write(script, ("plain", "think", f"exec {sys.executable} {program} {count} {end}")))
    wait_until(count.exists, 20, "the command started")
    terminal.await_text("step 1 of 1: think, 1 s")
    terminal.type(INTERRUPT)
    # The script no longer draws: it only waits for the command, and has sent all the signals that it sends.
    wait_until(lambda: count.stat().st_size and waits_for_one_child(terminal.pid), 20, "the script got the signal")
    end.touch()
    assert terminal.wait() == 130
    terminal.close()
    assert count.stat().st_size == 1


def test_steps_of_a_script_within_a_script_are_counted_on(script: Path) -> None:
    inner = script.with_name("inner")
    inner.write_text(f"source {CHECKOUT / 'scripts' / 'progress.sh'}\nplan_steps 2\n"
                     "run_step plain one true\nrun_step plain two true\n")
    script.write_text(f"source {CHECKOUT / 'scripts' / 'progress.sh'}\nplan_steps 3\n"
                      f"run_script 2 bash {inner}\nrun_step plain three true\n")
    done = run(["env", "TMPDIR=" + os.fspath(script.parent), "bash", os.fspath(script)])
    assert re.sub(r"\d+ s$", "T", done.stdout, flags=re.MULTILINE).splitlines() == [
        "step 1 of 3: one, T", "step 2 of 3: two, T", "step 3 of 3: three, T"]
