"""`muster dump` and hang= with the newest torch: the flight recorders of running ranks, and stacks from the real
py-spy."""

import contextlib
import json
import time
from collections.abc import Iterator

import pytest
from cluster import Cluster
from command import Command, Result
from framework import ENVIRONMENTS, PATIENCE
from waiting import wait_until

BIN = ENVIRONMENTS / "torch" / "bin"

# Starts the real py-spy where the kernel refuses what it needs, as Yama does: ptrace, process_vm_readv, and the lseek
# with which it would then read /proc/PID/mem.
REFUSED = f"""#!/usr/bin/python3
import ctypes, os, struct, sys
calls = {{"x86_64": (101, 310, 8), "aarch64": (117, 270, 62)}}[os.uname().machine]
statement = struct.Struct("HBBI").pack
program = statement(0x20, 0, 0, 0) + b"".join(statement(0x15, 3 - i, 0, call) for i, call in enumerate(calls))
program = ctypes.create_string_buffer(program + statement(0x06, 0, 0, 0x7fff0000) + statement(0x06, 0, 0, 0x00050001))
libc = ctypes.CDLL(None, use_errno=True)
refused = libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, struct.pack("HxxxxxxP", 6, ctypes.addressof(program)), 0, 0)
assert not refused, os.strerror(ctypes.get_errno())
os.execv("{BIN}/py-spy", sys.argv)
"""


def variables(**more: str) -> dict[str, str]:
    return {"PATH": f"{BIN}:/usr/bin:/bin", **more}


@contextlib.contextmanager
def stuck(cluster: Cluster, *words: str, **more: str) -> Iterator[Command]:
    step = cluster.start(f"srun --distributed=torch -N3 -n3 {BIN}/python stuck {' '.join(words)}",
                         env=variables(**more))
    try:
        wait_until(lambda: step.out.count("ready") == 3 or not step.running, PATIENCE, "all ranks to be ready")
        assert step.running, step.err
        time.sleep(2)  # a rank is stuck a moment after it was ready
        yield step
    finally:
        cluster.run("scancel --user=alice")
        step.wait(60)


def processes(cluster: Cluster, path: str) -> list[dict]:
    shown = cluster.run(f"{cluster.prefix}/bin/muster dump --seconds=60 --json", timeout=PATIENCE, env={"PATH": path})
    assert shown.code == 0, shown.err
    return sorted(json.loads(shown.out)["processes"], key=lambda process: process["rank"])


def places(thread: dict, name: str, file: str) -> list[str]:
    return [f"{frame[name]} ({frame[file]}:{frame['line']})" for frame in thread["frames"]]


@pytest.mark.slow
def test_the_stacks_that_ranks_give_themselves_are_those_of_py_spy(cluster: Cluster) -> None:
    with stuck(cluster, "collective", "late", "collective"):
        found = processes(cluster, "/usr/bin:/bin")
        assert len(found) == 3 and {process["tool"] for process in found} == {"muster"}, found
        job = cluster.run("squeue --noheader --format=%A").lines[0]
        for process in found:
            own = {thread["name"]: places(thread, "function", "file") for thread in process["looks"][0]["threads"]}
            read = cluster.run(f"srun --jobid={job} --overlap -N1 -n1 -w {process['node']} {BIN}/py-spy dump --json "
                               f"--pid {process['pid']}", timeout=PATIENCE)
            outside = {thread["thread_name"]: places(thread, "name", "filename") for thread in json.loads(read.out)
                       if not any("muster/start/_recorder.py" in frame["filename"] for frame in thread["frames"])}
            for name, frames in own.items():
                for ours, theirs in zip(frames, outside.get(name, []), strict=False):
                    print(f"rank {process['rank']} {name}: {ours:70} {theirs}")
            assert own == outside
            assert process["looks"][1]["threads"] is None, "no rank has made progress"


@pytest.mark.slow
def test_a_rank_that_holds_the_gil_is_asked_by_py_spy_and_where_that_is_refused_by_the_signal(cluster: Cluster) -> None:
    tools = cluster.home / "tools"
    tools.mkdir()
    (tools / "py-spy").write_text(REFUSED)
    (tools / "py-spy").chmod(0o755)
    try:
        with stuck(cluster, "collective", "gil", "collective"):
            outside = processes(cluster, f"{BIN}:/usr/bin:/bin")[1]
        with stuck(cluster, "collective", "gil", "collective", **{"PATH": f"{tools}:/usr/bin:/bin"}):
            refused = processes(cluster, "/usr/bin:/bin")[1]
    finally:
        cluster.shell(f"rm -rf {tools}")
    no_answer = "its Python did not answer within 500 ms: C code may hold the GIL"
    assert (outside["rank"], outside["tool"], outside["remark"]) == (1, "py-spy", no_answer)
    assert (refused["rank"], refused["tool"]) == (1, "faulthandler")
    assert refused["remark"].startswith(f"{no_answer}; py-spy: ") and "ermission" in refused["remark"], refused["remark"]
    for process in (outside, refused):
        (main,) = [thread for thread in process["looks"][0]["threads"] if thread["main"]]
        assert main["frames"][0]["function"] == "hold_gil_here"


@pytest.mark.slow
def test_the_rank_that_misses_a_collective_is_named_with_that_collective(cluster: Cluster) -> None:
    step = cluster.start(f"srun --distributed=torch -N3 -n3 {BIN}/python stuck collective late collective",
                         env=variables())
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
    assert "MISSING rank 1 in all_reduce 2 of default_pg (gloo); reached by ranks 0,2" in shown.lines
    assert shown.out.index("SUSPECT rank 1 (on node2") < shown.out.index("wait_here (stuck:")
    assert "WAITING ranks 0,2" in shown.out and "no information about collectives" not in shown.out
    assert "stacks by muster" in (cluster.home / "kept" / "rank-1.txt").read_text()


@pytest.mark.slow
def test_ranks_that_all_wait_in_collectives_hang_though_they_print(cluster: Cluster) -> None:
    step = cluster.start(f"srun --distributed=torch,hang=10s -N2 -n2 {BIN}/python stuck crossed", env=variables())
    try:
        wait_until(lambda: "muster: warning: hang=10s: " in step.err or not step.running, PATIENCE, "the hang to be noticed")
        assert step.running, step.err
        (line,) = [line for line in step.err.splitlines() if line.startswith("muster: warning: hang=10s: ")]
    finally:
        cluster.run("scancel --user=alice")
        step.wait(60)
    assert line.startswith("muster: warning: hang=10s: every rank is in a collective, and no collective has finished "
                           "for "), line
    assert "still alive" in step.out


@pytest.mark.slow
def test_ranks_that_wait_for_one_that_is_at_work_do_not_hang(cluster: Cluster) -> None:
    step = cluster.start(f"srun --distributed=torch,hang=5s -N2 -n2 {BIN}/python stuck crossed",
                         env=variables(BUSY="12"))
    try:
        wait_until(lambda: step.out.count("was busy") == 2 or not step.running, PATIENCE, "the work to be done")
        assert step.running, step.err
        assert "muster: warning: hang=5s: " not in step.err, "the alarm was a false one"
    finally:
        cluster.run("scancel --user=alice")
        step.wait(60)
