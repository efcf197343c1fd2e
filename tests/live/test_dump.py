"""muster dump: what the ranks of a running step are doing, and which of them is holding up the others."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from command import Command, Result
from waiting import wait_until

ANSWERS = '[{"thread_name": "MainThread", "frames": [{"name": "in_py_spy", "filename": "a.py", "line": 3}]}]'


@pytest.fixture(autouse=True)
def no_old_dumps(cluster: Cluster) -> None:
    cluster.shell("rm -rf muster-dump-* kept")


@contextlib.contextmanager
def stuck(cluster: Cluster, options: str, *words: str, keys: str = "", **variables: str) -> Iterator[Command]:
    """A step whose ranks have reached the point where they get stuck."""
    step = cluster.start(f"srun --distributed=torch{keys} {options} ./stuck {' '.join(words)}", env=variables)
    ranks = int(options.split("-n")[1].split()[0])
    wait_until(lambda: step.out.count("ready") == ranks or not step.running, 120, "all ranks to be ready")
    assert step.running, step.err
    try:
        yield step
    finally:
        cluster.run("scancel --user=alice --signal=CONT")
        cluster.run("scancel --user=alice")
        step.wait(60)


def dump(cluster: Cluster, options: str = "", **more) -> Result:
    return cluster.run(f"{cluster.prefix}/bin/muster dump --seconds=60 {options}", timeout=90, **more)


def groups(cluster: Cluster, options: str = "", **more) -> dict[tuple[int, ...], dict]:
    shown = dump(cluster, f"--json {options}", **more)
    assert shown.code == 0, shown.err
    return {tuple(group["ranks"]): group for group in json.loads(shown.out)["groups"]}


def functions(group: dict) -> list[str]:
    return [frame["function"] for frame in group["stack"]]


@pytest.fixture
def tools(cluster: Cluster) -> Iterator[Path]:
    """A folder for a py-spy, for env={"PATH": ...} of a dump."""
    folder = cluster.home / "tools"
    folder.mkdir(exist_ok=True)
    yield folder
    cluster.shell(f"rm -rf {folder}")


def test_the_rank_that_misses_a_collective_is_named(cluster: Cluster) -> None:
    with stuck(cluster, "-N3 -n3", "collective", "late", "collective"):
        shown = dump(cluster, "--output=kept")
        signalled = dump(cluster, "--signal --output=kept-too")
    cluster.shell("rm -rf kept-too")
    assert shown.code == 0, shown.err
    suspect = shown.out.index("SUSPECT rank 1 (on node2")
    waiting = shown.out.index("WAITING ranks 0,2 (the first on node1")
    assert suspect < shown.out.index("wait_here (stuck:") < waiting < shown.out.index("reduce_here (stuck:")
    assert shown.err == "" and "py-spy" not in shown.out
    assert "a sleep or a poll may end early" in signalled.err and "SUSPECT rank 1 (on node2" in signalled.out
    # Debian's torch has none.
    assert "no information about collectives: this needs torch with a flight recorder" in " ".join(shown.out.split())
    kept = cluster.home / "kept"
    assert kept.stat().st_mode & 0o777 == 0o700
    assert "stacks by faulthandler" in (kept / "rank-1.txt").read_text()
    assert json.loads((kept / "dump.json").read_text())["version"] == 1


def test_stopped_and_spinning_ranks_stand_out_without_any_tool(cluster: Cluster) -> None:
    with stuck(cluster, "-N2 -n4", "wait", "stop", "spin", "wait"):
        found = groups(cluster)
        some = groups(cluster, "--ranks=0,2,9")
    assert list(found) == [(1,), (2,), (0, 3)]
    assert (found[1,]["standing"], found[1,]["state"]) == ("silent", "stopped by a signal (state T)")
    assert (found[2,]["standing"], found[2,]["state"]) == ("suspect", "computing or spinning")
    assert found[0, 3]["standing"] == "waiting"
    assert sorted(rank for ranks in some for rank in ranks) == [0, 2, 9]
    assert some[9,]["state"] == "no answer"


@pytest.mark.parametrize("named", ["", "JOB", "SECOND", "JOB+1.0"])
def test_a_step_of_a_heterogeneous_job_is_looked_at_whole(cluster: Cluster, named: str) -> None:
    """Slurm has a job and a step for each component, and can start a step alongside them only for all components."""
    step = cluster.start("salloc -N1 -n2 : -N2 -n2 srun --het-group=0,1 --distributed=torch bash -c 'echo ready; exec sleep 1000'")
    try:
        wait_until(lambda: step.out.count("ready") == 4 or not step.running, 120, "all ranks to be ready")
        first, second = sorted(cluster.run("squeue --noheader --format=%A").lines, key=int)
        name = named.replace("JOB", first).replace("SECOND", second)
        answer = dump(cluster, f"--json {name}")
        assert answer.code == 0, answer.err
        shown = json.loads(answer.out)
        assert shown["step"] == f"{first}.0"
        assert sorted(rank for group in shown["groups"] for rank in group["ranks"]) == [0, 1, 2, 3]
        assert not [group for group in shown["groups"] if group["missing"]]
        status = cluster.run(f"{cluster.prefix}/bin/muster status {second}")
        assert f"job {second} is part of the heterogeneous job {first}" in status.err
    finally:
        cluster.run("scancel --user=alice")
        step.wait(60)


def test_a_dump_of_an_ended_step_or_of_another_users_is_one_line(cluster: Cluster) -> None:
    ended = dump(cluster, "99999.0")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines() == [
        "muster: error: no step 99999.0 is running (it has ended, or never existed); see `squeue --steps`"]
    with stuck(cluster, "-N1 -n1", "wait", keys=f",logs={cluster.home}/kept,view=all"):
        own = dump(cluster)
        others = dump(cluster, cluster.run("squeue --steps -h -o %i -u alice").lines[0], user="bob")
    assert others.code == 1
    assert f"all stacks: {cluster.home}/kept/" in own.out and list(cluster.home.glob("kept/*/dump-*/rank-0.txt"))
    assert len(others.err.splitlines()) == 1 and "belongs to alice; you can only look at your own steps" in others.err


def test_a_py_spy_that_is_missing_hangs_or_is_wrong_costs_the_stacks_only(cluster: Cluster, tools: Path) -> None:
    path = {"PATH": f"{tools}:/usr/bin:/bin"}

    def with_py_spy(script: str) -> tuple[dict, str]:
        (tools / "py-spy").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "py-spy").chmod(0o755)
        shown = json.loads(dump(cluster, "--json", env=path).out)
        assert [group["ranks"] for group in shown["groups"]] == [[0, 1]], shown
        return shown["groups"][0], shown["processes"][0]["remark"]

    without = "muster's start hook is not loaded in it"
    with stuck(cluster, "-N2 -n2", "wait", MUSTER_STACKS="0"):
        missing = json.loads(dump(cluster, "--json").out)
        assert missing["remarks"] == ["node1 and 1 more: no Python stacks: py-spy is not on PATH, and muster's start hook is not "
                                      "loaded in the ranks; run `pip install py-spy`"]
        assert missing["groups"][0]["remark"] == without
        assert with_py_spy("exec sleep 1000")[1] == f"py-spy did not finish within 2000 ms and was killed; {without}"
        assert with_py_spy("echo 'Permission denied' >&2; exit 1")[1] == f"py-spy: Permission denied; {without}"
        assert with_py_spy(f"echo '{ANSWERS}'")[0]["stack"] == [{"function": "in_py_spy", "file": "a.py", "line": 3}]
    with stuck(cluster, "-N2 -n2", "wait"):
        group, remark = with_py_spy("echo 'Permission denied' >&2; exit 1")
        assert functions(group)[0] == "wait_here" and remark == "py-spy: Permission denied"


def test_a_rank_that_holds_the_gil_and_workers_of_a_loader_have_their_stacks(cluster: Cluster) -> None:
    """The first by fork; those by spawn are other Pythons, which nobody has prepared."""
    dumps: list[dict] = []

    def children_of(rank: int) -> list[dict]:
        processes = dumps[-1]["processes"]
        return [process for process in processes if process["rank"] == rank and process["parent"]]

    def both_have_workers() -> bool:  # they come a moment after the ranks were ready
        dumps.append(json.loads(dump(cluster, "--json").out))
        return len(children_of(1)) >= 1 and len(children_of(2)) >= 2

    with stuck(cluster, "-N3 -n3", "gil", "loader", "spawner"):
        wait_until(both_have_workers, 120, "the workers")
        time.sleep(2)
        assert both_have_workers()
    shown = dumps[-1]
    assert {tuple(group["ranks"]): functions(group)[0] for group in shown["groups"]}[0,] == "hold_gil_here", shown["groups"]
    (holder,) = [process for process in shown["processes"] if process["rank"] == 0]
    assert "did not answer within" not in holder["remark"], "without torch's recorder nobody has asked it"
    (forked,) = children_of(1)
    assert forked["tool"] == "faulthandler" and "wait_here" in str(forked), forked
    assert {child["remark"] for child in children_of(2)} == {"muster's start hook is not loaded in it"}, children_of(2)
    assert "py-spy" not in str(shown["remarks"])


def test_ranks_that_end_meanwhile_cost_their_own_stacks_alone(cluster: Cluster, tools: Path) -> None:
    """py-spy kills the first rank that it is asked about, as if the rank had ended by itself."""
    (tools / "py-spy").write_text("#!/bin/sh\nmkdir ~/asked-once 2>/dev/null && kill -KILL $5\n"
                                  f"test -d /proc/$5 && echo '{ANSWERS}'\n")
    (tools / "py-spy").chmod(0o755)
    try:
        with stuck(cluster, "-N1 -n2 --kill-on-bad-exit=0", "wait", keys=",grace=0"):
            shown = dump(cluster, "--json", env={"PATH": f"{tools}:/usr/bin:/bin"})
    finally:
        cluster.shell("rm -rf asked-once")
    assert shown.code == 0, shown.err
    found = json.loads(shown.out)["groups"]
    assert found[0]["state"] == "has exited (state Z)", found
    assert sorted(rank for group in found for rank in group["ranks"]) == [0, 1]
