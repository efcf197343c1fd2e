"""muster dump at each of Yama's scopes. The highest cannot be lowered until the machine boots again: test_two_machines.py."""

import json
from collections.abc import Iterator

import pytest
from command import Command
from lab import PROGRAMS, Lab

YAMA = "/proc/sys/kernel/yama/ptrace_scope"


@pytest.fixture
def stuck(lab: Lab) -> Iterator[Command]:
    lab.give(PROGRAMS / "stuck")
    scope = lab.root(f"cat {YAMA}").strip()
    step = lab.start("srun --distributed=torch,grace=5 -n2 ./stuck wait")
    step.await_output("ready", times=2, timeout=240)
    try:
        yield step
    finally:
        lab.root(f"echo {scope} >{YAMA}")
        lab.run("scancel --user=alice")
        step.wait(120)


@pytest.mark.parametrize("scope", [0, 1, 2])
def test_python_stacks_need_no_tracing(lab: Lab, stuck: Command, scope: int) -> None:
    lab.root(f"echo {scope} >{YAMA}")
    (group,) = lab.dump()["groups"]
    assert group["ranks"] == [0, 1]
    assert "wait_here" in [frame["function"] for frame in group["stack"]]


@pytest.mark.parametrize("scope", [0, 1, 2])
def test_frames_of_c_come_only_where_yama_permits_it_and_a_line_says_why_not(lab: Lab, stuck: Command, scope: int) -> None:
    lab.root(f"echo {scope} >{YAMA}")
    shown = lab.run("muster dump --native --seconds=120", timeout=240)
    assert shown.code == 0, shown.err
    words = " ".join(shown.out.split())
    assert "wait_here" in words
    if scope == 0:
        assert "nanosleep" in words and "ptrace_scope" not in words, shown.out
    else:
        assert f"kernel.yama.ptrace_scope is {scope}" in words, shown.out


def test_doctor_names_the_scope(lab: Lab, stuck: Command) -> None:
    lab.root(f"echo 1 >{YAMA}")
    shown = lab.run("muster doctor --json --seconds=120 -- -N1", timeout=300)
    rows = {row["id"]: row for row in json.loads(shown.out)["rows"]}
    assert "kernel.yama.ptrace_scope=1" in rows["tracing"]["evidence"]
