"""muster dump at each of Yama's scopes. The highest cannot be lowered until the machine boots again, so its test is in
test_two_machines.py."""

import json
from collections.abc import Iterator

import pytest
from lab import PROGRAMS, Lab

MACHINES = 2
YAMA = "/proc/sys/kernel/yama/ptrace_scope"


@pytest.fixture
def stuck(lab: Lab) -> Iterator[None]:
    """A step with a rank on each machine."""
    lab.give(PROGRAMS / "stuck")
    lab.everywhere(f"cp {YAMA} /run/scope")
    step = lab.start("srun --distributed=torch,grace=5 -N2 --ntasks-per-node=1 ./stuck wait")
    step.await_output("ready", times=2, timeout=240)
    try:
        yield
    finally:
        lab.everywhere(f"cat /run/scope >{YAMA}")
        lab.run("scancel --user=alice")
        step.wait(120)


@pytest.mark.parametrize("scope", [0, 1, 2])
def test_python_stacks_need_no_tracing_and_a_line_says_why_frames_of_c_are_missing(lab: Lab, stuck: None, scope: int) -> None:
    lab.everywhere(f"echo {scope} >{YAMA}")
    (group,) = lab.dump()["groups"]
    assert group["ranks"] == [0, 1]
    assert "wait_here" in [frame["function"] for frame in group["stack"]]
    shown = lab.run("muster dump --native --seconds=120", timeout=240)
    assert shown.code == 0, shown.err
    words = " ".join(shown.out.split())
    assert "wait_here" in words
    if scope == 0:
        assert "nanosleep" in words and "ptrace_scope" not in words, shown.out
    else:
        assert f"kernel.yama.ptrace_scope is {scope}" in words, shown.out


def test_doctor_names_the_scope(lab: Lab) -> None:
    lab.everywhere(f"echo 1 >{YAMA}")
    try:
        shown = lab.run("muster doctor --all --json --seconds=120 -- -N2", timeout=300)
    finally:
        lab.everywhere(f"echo 0 >{YAMA}")
    rows = json.loads(shown.out)["rows"]
    (tracing,) = [row for row in rows if row["id"] == "tracing"]
    assert (tracing["evidence"], sorted(tracing["hosts"])) == ("kernel.yama.ptrace_scope=1", ["vm1", "vm2"])
    # vm1, where doctor was started, is a node as well.
    assert not [row for row in rows if len(row["hosts"]) != len(set(row["hosts"]))]
