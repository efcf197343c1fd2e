"""Out of memory with cgroup v2: who was killed, and why, is what the report says first."""

import pytest
from lab import PROGRAMS, Lab, Reported


def named(failed: Reported) -> tuple[int, str]:
    return failed.first["rank"], failed.report["cause"]


@pytest.mark.parametrize("option", ["", "--oom-kill-step=1", "--oom-kill-step=0"])
def test_a_rank_over_the_jobs_limit_is_named(lab: Lab, option: str) -> None:
    lab.give(PROGRAMS / "fault")
    failed = lab.fail(f"--mem=200 {option} -n2 ./fault memory 1", timeout=300)
    assert named(failed) == (1, "out_of_memory"), failed.result.err
    assert failed.first["out_of_memory"]
    assert failed.result.code == 137
    assert "out of memory" in failed.result.err


def test_a_child_over_the_jobs_limit_is_its_ranks_cause(lab: Lab) -> None:
    program = ("import os, subprocess, sys, time\n"
               "if os.environ['RANK'] != '1': time.sleep(600)\n"
               "eat = 'b = []\\nwhile True: b.append(bytearray(16 << 20))'\n"
               "sys.exit(subprocess.call([sys.executable, '-c', eat]) != 0)\n")
    lab.run("cat >child.py", stdin=program)
    failed = lab.fail("--mem=200 -n2 python3 child.py", timeout=300)
    assert named(failed) == (1, "out_of_memory"), failed.result.err


def test_a_rank_that_fills_its_numa_node_is_named_with_a_strict_policy(lab: Lab) -> None:
    """The job may have more than one NUMA node of the machine has, and the rank may use only its own."""
    lab.give(PROGRAMS / "fault")
    failed = lab.fail("--exclusive --mem=0 -n2 ./fault memory 1", keys="grace=5,memory=strict", timeout=400)
    assert named(failed) == (1, "out_of_memory"), failed.result.err
    assert "CONSTRAINT_MEMORY_POLICY" in lab.root("dmesg | grep oom-kill: | tail -n 1")


def test_a_rank_that_somebody_else_kills_did_not_run_out_of_memory(lab: Lab) -> None:
    lab.give(PROGRAMS / "fault")
    failed = lab.fail("--mem=200 -n2 ./fault kill 1", timeout=300)
    assert named(failed) == (1, "signal"), failed.result.err
    assert not failed.first["out_of_memory"]
