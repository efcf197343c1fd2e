"""muster._stacks: the stacks of a rank that no other process may read."""

import os
import subprocess
import sys
from typing import Dict

import pytest

PROGRAM = """
import os, signal, sys
SIGNAL = signal.SIGRTMAX - 4
{before}
import muster._stacks as stacks

def of(pid):
    links = [os.readlink(f"/proc/{{pid}}/fd/{{fd}}") for fd in os.listdir(f"/proc/{{pid}}/fd") if fd != "x"
             if os.path.lexists(f"/proc/{{pid}}/fd/{{fd}}")]
    return [link for link in links if "muster-stacks" in link]

def text(fd=None):
    return os.pread(stacks._file, 100000, 0).decode()

def asked():
    os.kill(os.getpid(), stacks.SIGNAL)
    return text()
{after}
"""


def run(after: str, before: str = "", **variables: str) -> str:
    environment: Dict[str, str] = {"SLURM_TASK_PID": "1", **os.environ, **variables}
    return subprocess.run([sys.executable, "-c", PROGRAM.format(before=before, after=after)], env=environment, check=True,
                          capture_output=True, text=True, timeout=60).stdout


def test_they_come_at_the_signal_into_a_file_in_memory_with_its_number() -> None:
    assert run("print(of(os.getpid())[0] == f'/memfd:muster-stacks-{int(stacks.SIGNAL)} (deleted)')") == "True\n"
    shown = run("print(asked())")
    assert "(most recent call first):" in shown and "in asked" in shown


@pytest.mark.parametrize("before, variables", [
    ("signal.signal(SIGNAL, lambda *_: None)", {}),
    ("signal.signal(SIGNAL, signal.SIG_IGN)", {}),
    ("import faulthandler; faulthandler.register(SIGNAL)", {}),
    ("", {"MUSTER_STACKS": "0"}),
    ("del os.environ['SLURM_TASK_PID']", {}),
], ids=["the program's own handler", "ignored", "a handler in C", "switched off", "no task"])
def test_where_the_signal_is_not_free_or_not_wanted_nothing_is_registered(before: str, variables: Dict[str, str]) -> None:
    assert run("print(of(os.getpid()), stacks._file)", before, **variables) == "[] None\n"


def test_a_forked_child_has_a_file_of_its_own() -> None:
    shown = run("""
asked()
before = len(text())
child = os.fork()
if child == 0:
    only = text() == "" and len(of(os.getpid())) == 1
    os._exit(0 if only and "in asked" in asked() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(text()) == before)
""")
    assert shown == "0 True\n"


def test_a_program_that_is_started_inherits_no_file() -> None:
    assert run("os.execvp('ls', ['ls', '-l', '/proc/self/fd'])").count("muster-stacks") == 0
