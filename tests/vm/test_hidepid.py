"""/proc with hidepid= on a whole machine, whose systemd and slurmd have mounted nothing of it themselves."""

import json
from collections.abc import Iterator

import pytest
from lab import PROGRAMS, Lab
from waiting import wait_until


@pytest.fixture(params=["hidepid=1", "hidepid=2"])
def hiding(request: pytest.FixtureRequest, lab: Lab) -> Iterator[Lab]:
    lab.give(PROGRAMS / "fault")
    lab.root(f"mount -o remount,{request.param} /proc")
    try:
        assert lab.srun("-n1 test -r /proc/1/stat").code == 1  # otherwise nothing would be proved
        yield lab
    finally:
        lab.root("mount -o remount,hidepid=0 /proc")


def test_after_a_failure_the_other_ranks_are_ended(hiding: Lab) -> None:
    """Not by Slurm, which would wait for as long as the ranks do: the report says how each of them ended."""
    failed = hiding.fail("-n4 ./fault exit 3", timeout=300)
    assert (failed.first["rank"], failed.result.code) == (3, 7), failed.result.err
    assert sum(victims["count"] for victims in failed.report["victims"]) == 3, failed.report
    wait_until(lambda: not hiding.ranks("fault"), 10, "the end of all ranks")


def test_what_a_failed_rank_has_left_behind_is_ended_with_it(hiding: Lab) -> None:
    failed = hiding.fail("-n4 ./fault grandchild 2", timeout=300)
    assert failed.first["rank"] == 2
    wait_until(lambda: not [process for process in hiding.processes() if process.command == "sleep 300"], 30,
               "the end of the sleep that rank 2 had started")


def test_a_dump_sees_every_rank(hiding: Lab) -> None:
    step = hiding.start("srun --distributed=torch,grace=5 -n2 ./fault exit 1 100000")
    step.await_output("ready", times=2, timeout=240)
    groups = hiding.dump()["groups"]
    assert sorted(rank for group in groups for rank in group["ranks"]) == [0, 1], json.dumps(groups)
    assert not [group for group in groups if group["state"] == "no answer"]
    hiding.run("scancel --user=alice")
    step.wait(120)
