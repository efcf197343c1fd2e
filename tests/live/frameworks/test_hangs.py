"""`muster dump` and hang= with the newest torch: the flight recorders of running ranks, and stacks from the real
py-spy."""

import pytest
from cluster import Cluster
from command import Result
from framework import ENVIRONMENTS, PATIENCE
from waiting import wait_until

BIN = ENVIRONMENTS / "torch" / "bin"


def variables(cluster: Cluster, **more: str) -> dict[str, str]:
    paths = {"PYTHONPATH": str(cluster.prefix / "share" / "muster" / "python"), "PATH": f"{BIN}:/usr/bin:/bin"}
    return {**paths, **more}


@pytest.mark.slow
def test_the_rank_that_misses_a_collective_is_named_with_that_collective(cluster: Cluster) -> None:
    step = cluster.start(f"srun --distributed=torch -N3 -n3 {BIN}/python stuck collective late collective",
                         env=variables(cluster))
    try:
        wait_until(lambda: step.out.count("ready") == 3 or not step.running, PATIENCE, "all ranks to be ready")
        assert step.running, step.err
        dumps: list[Result] = []

        def names_a_missing_rank() -> bool:  # the other ranks reach the collective a moment after they were ready
            cluster.shell("rm -rf kept")
            dumps.append(cluster.run(f"{cluster.prefix}/bin/muster dump --seconds=60 --output=kept", timeout=PATIENCE))
            return "MISSING" in dumps[-1].out

        wait_until(names_a_missing_rank, PATIENCE, "a dump that names the rank")
        shown = dumps[-1]
    finally:
        cluster.run("scancel --user=alice")
        step.wait(60)
    assert shown.code == 0, shown.err
    # Collective 1 was the barrier before all ranks were ready.
    assert "MISSING rank 1 in all_reduce 2 of default_pg (gloo); ranks 0,2 in it" in shown.lines
    assert shown.out.index("SUSPECT rank 1 (on node2") < shown.out.index("wait_here (stuck:")
    assert "WAITING ranks 0,2" in shown.out and "collectives not known" not in shown.out
    assert "stacks by py-spy" in (cluster.home / "kept" / "rank-1.txt").read_text()


@pytest.mark.slow
def test_ranks_that_all_wait_in_collectives_hang_though_they_print(cluster: Cluster) -> None:
    step = cluster.start(f"srun --distributed=torch,hang=10s -N2 -n2 {BIN}/python stuck crossed", env=variables(cluster))
    try:
        wait_until(lambda: "muster: warning: hang=10s: " in step.err or not step.running, PATIENCE, "the hang to be noticed")
        assert step.running, step.err
        (line,) = [line for line in step.err.splitlines() if line.startswith("muster: warning: hang=10s: ")]
    finally:
        cluster.run("scancel --user=alice")
        step.wait(60)
    assert line.startswith("muster: warning: hang=10s: every rank is in a collective, and none has ended for "), line
    assert "still alive" in step.out


@pytest.mark.slow
def test_ranks_that_wait_for_one_that_is_at_work_do_not_hang(cluster: Cluster) -> None:
    step = cluster.start(f"srun --distributed=torch,hang=5s -N2 -n2 {BIN}/python stuck crossed",
                         env=variables(cluster, BUSY="12"))
    try:
        wait_until(lambda: step.out.count("was busy") == 2 or not step.running, PATIENCE, "the work to be done")
        assert step.running, step.err
        assert "muster: warning: hang=5s: " not in step.err, "the alarm was a false one"
    finally:
        cluster.run("scancel --user=alice")
        step.wait(60)
