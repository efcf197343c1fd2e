"""NamespaceType=namespace/linux: a job's processes have their own process numbers, users, /tmp and /dev/shm."""

import json
from collections.abc import Iterator

import pytest
from cluster import Cluster
from node_faults import left_usable
from own_cluster import own_cluster
from restarted import Training
from waiting import wait_until

pytestmark = pytest.mark.since("25.11")


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("namespace", 2, "--mode", "namespace") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_usable(whole_own) as cluster:
        yield cluster


def test_tasks_have_process_numbers_of_their_own(own: Cluster) -> None:
    """Without this the other tests would show nothing."""
    result = own.srun("--distributed=torch -N2 -n2 sh -c 'tr \"\\0\" \" \" </proc/1/cmdline; echo; ls -A /tmp'")
    assert result.code == 0, result.err
    assert [line for line in result.lines if line.startswith("slurmstepd: [")], result.out


def test_a_rank_that_raises_is_named_and_the_others_are_ended(own: Cluster) -> None:
    own.write("fails.py", "import os, time\nif os.environ['RANK'] == '3': {}['missing']\ntime.sleep(60)\n")
    result = own.srun("--distributed=torch,grace=2 -N2 -n4 python3 fails.py", timeout=60)
    assert result.code == 1
    assert result.seconds < 30
    assert "error     : KeyError: 'missing'" in result.err, result.err
    assert "rank      : 3 (local_rank: 1)" in result.err


@pytest.mark.slow
def test_a_killed_rank_is_followed_by_another_attempt(own: Cluster) -> None:
    training = Training(own, "salloc -Q -N2 -n4 srun OPTION RESUME", keys="restarts=1,grace=1", arguments="0.2 0:1:SIGKILL")
    ended = training.end()
    assert ended.result.code == 0, ended.result.err
    assert (len(ended.of(0)), len(ended.of(1)), len(ended.done)) == (4, 4, 4)
    assert not training.overlap()


@pytest.mark.slow
def test_ranks_that_ignore_sigterm_are_killed(own: Cluster) -> None:
    own.write("stays.sh", "trap '' TERM\necho ready\n[ $RANK = 0 ] && { sleep 1; exit 5; }\nwhile :; do sleep 1; done\n")
    result = own.srun("--distributed=torch,grace=2 -N2 -n4 bash stays.sh", timeout=60)
    assert result.code == 5, result.err
    for node in own.nodes:
        wait_until(lambda: not any("stays.sh" in process.command for process in own.processes(node)), 5, "no rank")


def test_dump_shows_the_ranks(own: Cluster) -> None:
    step = own.start("srun --distributed=torch -N2 -n4 ./stuck wait")
    wait_until(lambda: step.out.count("ready") == 4 or not step.running, 60, "all ranks to be ready")
    shown = own.run(f"{own.prefix}/bin/muster dump --seconds=60 --json", timeout=90)
    assert shown.code == 0, shown.err
    groups = json.loads(shown.out)["groups"]
    assert sorted(rank for group in groups for rank in group["ranks"]) == [0, 1, 2, 3], shown.out
    assert any("wait_here" in frame["function"] for group in groups for frame in group["stack"]), shown.out


def test_doctor_names_the_mode(own: Cluster) -> None:
    result = own.run(f"{own.prefix}/bin/muster doctor --here", timeout=60)
    assert "modes of this Slurm: namespace/linux" in result.lines, result.out
