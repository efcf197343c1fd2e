"""A rank that never joins, dies, stops or has a different release: every other rank exits in time, with a one-line
error.

With PMIx and over TCP. srun is told not to kill the step itself (-K0): the library must end the other ranks. Where
Slurm's PMIx plugin kills the step first, there is no line from muster, and the test only requires that the step ends.

MUSTER_FAILURES=all (scripts/test --failures) runs every case; CI runs one of each kind.
"""

import contextlib
import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster
from command import Result
from processes import Process
from releases import TRANSPORTS, by_transport
from waiting import wait_until

COMPILED = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build")) / "tests" / "live" / "compiled"
TIMEOUT = 4  # for each call, in seconds
SLACK = 3  # for starting and ending processes on a busy machine
FAILING = 3  # on node2, together with rank 2
OTHERS = {0, 1, 2, 4, 5}
ALL = os.environ.get("MUSTER_FAILURES") == "all"


@dataclass(frozen=True)
class Ending:
    rank: int
    node: str
    status: str
    seconds: float
    line: str

    def names(self, rank: int) -> bool:
        """Whether the line contains the rank, alone or in a range."""
        for first, last in re.findall(r"\branks? (\d+)(?:-(\d+))?", self.line):
            if int(first) <= rank <= int(last or first):
                return True
        return False


def endings(result: Result) -> dict[int, Ending]:
    pattern = r"rank (\d+) on (\S+): ([a-z ]+) after ([\d.]+) s: (.*)"
    found = (re.fullmatch(pattern, line) for line in result.lines)
    return {int(m[1]): Ending(int(m[1]), m[2], m[3], float(m[4]), m[5]) for m in found if m}


def end_retries(cluster: Cluster) -> None:
    """If a node's slurmstepd is gone, Slurm's plugin in another slurmstepd tries for half a minute to reach it. The
    test does not wait for that once all of the step's own processes have ended."""
    with contextlib.suppress(AssertionError):
        cluster.await_clean(3)
        return
    users = cluster.home.stat().st_uid

    def here() -> list[Process]:
        return [process for node in cluster.nodes for process in cluster.processes(node)]

    wait_until(lambda: not [process for process in here() if process.uid >= users], 60, "the end of all ranks")
    for process in here():
        if process.name == "slurmstepd":
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


@pytest.fixture
def step(cluster: Cluster):
    """Runs failing_rank, or a shell command that fails in its own way, as six ranks on three nodes."""
    cluster.give("alice", COMPILED / "failing_rank")
    library = next(cluster.prefix.rglob("libmuster.so.0")).parent

    def run(transport: str, what: str, when: str, *, options: str = "", program: str = "./failing_rank") -> Result:
        with_transport = {"pmix": "--mpi=pmix", "tcp": "--mpi=none --distributed=torch"}[transport]
        environment = {"LD_LIBRARY_PATH": str(library), "MUSTER_TRANSPORT": transport}
        return cluster.srun(f"{with_transport} -K0 -N3 -n6 {options} {program} {FAILING} {what} {when} {TIMEOUT * 1000}",
                            env=environment, timeout=60)

    yield run
    end_retries(cluster)
    cluster.await_clean()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_nobody_fails_and_everybody_ends_well(step, transport: str) -> None:
    result = step(transport, "nothing", "never")
    assert result.code == 0, result.err
    assert {ending.status for ending in endings(result).values()} == {"ok"}
    assert len(endings(result)) == 6


USUAL = [("pmix", "exit0", "before"), ("pmix", "stop", "idle"), ("tcp", "exit0", "before"), ("tcp", "stop", "after")]
EVERY = [(transport, what, when)
         for transport in ("pmix", "tcp")
         for what, when in [("exit0", "before"), ("exit1", "before"), ("kill", "before"), ("sleep", "idle"),
                            ("stop", "before"), ("stop", "idle"), ("stop", "after"),
                            ("leave", "idle"), ("leave", "after")]]


@pytest.mark.parametrize(("transport", "what", "when"), by_transport(EVERY if ALL else USUAL))
def test_every_survivor_ends_in_time_and_names_who_is_missing(step, transport: str, what: str, when: str) -> None:
    with_patience = "--wait=1" if what in ("sleep", "stop") else ""
    result = step(transport, what, when, options=with_patience)
    assert result.code != 0
    ended = endings(result)
    assert OTHERS <= set(ended), result.out + result.err
    for ending in (ended[rank] for rank in OTHERS):
        assert ending.status in ("timeout", "peer"), ending
        assert ending.seconds <= TIMEOUT + SLACK, ending
        # If a whole node is gone, only the first rank of each other node may ask.
        assert ending.names(FAILING) or "slurmstepd is gone" in ending.line, ending
        # Over TCP, the node of a rank that has never connected is unknown.
        assert "node2" in ending.line or "has gone" in ending.line or (transport == "tcp" and when in ("before", "idle")), ending
        assert re.search(r"exchange '(first|second)'", ending.line), ending
        assert re.search(r"\d s\b", ending.line), ending
    assert any(ended[rank].names(FAILING) for rank in OTHERS), ended


USUAL = [("pmix", "kill", "idle"), ("tcp", "kill", "within")]
EVERY = [(transport, what, when)
         for transport in ("pmix", "tcp")
         for what in ("kill", "segv", "exit0", "stop")
         for when in ("idle", "within", "after")]


@pytest.mark.parametrize(("transport", "what", "when"), by_transport(EVERY if ALL else USUAL))
def test_a_death_in_mid_step_ends_the_step_in_time(step, transport: str, what: str, when: str) -> None:
    result = step(transport, what, when, options="--wait=1")
    assert result.code != 0
    assert result.seconds <= TIMEOUT + 2 * SLACK + 3, result.err
    told = endings(result)
    told.pop(FAILING, None)
    for ending in told.values():
        if when != "within":  # a stopped rank's record may arrive before it stops
            assert ending.status in ("timeout", "peer", "transport"), ending
    if not told:  # Slurm's plugin was faster, so it has to report the failure itself
        assert re.search(r"error|Killed|CANCELLED", result.err), result.err


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_rank_that_skips_a_call_is_told_by_its_neighbours(step, transport: str) -> None:
    result = step(transport, "skip", "first")
    assert result.code != 0
    ended = endings(result)
    assert re.search(r"rank \d \(node\d\) is in call 1, exchange:(first|second)", ended[FAILING].line), ended
    assert f"rank {FAILING} (node2) is in call 1, exchange:second" in ended[FAILING + 1].line
    assert all(ending.status in ("mismatch", "timeout", "peer") for ending in ended.values()), ended


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_rank_with_another_release_is_told_by_its_neighbours(cluster: Cluster, step, transport: str) -> None:
    cluster.write("other_release/readme", "libmuster of another release\n")
    cluster.give("alice", COMPILED / "other_release" / "libmuster.so.0", "other_release/libmuster.so.0")
    cluster.write("as_other", f"""#!/bin/bash
        if [ "$SLURM_PROCID" = {FAILING} ]; then export LD_LIBRARY_PATH=$HOME/other_release; fi
        exec ./failing_rank "$@"
        """).chmod(0o755)
    result = step(transport, "nothing", "never", program="./as_other")
    assert result.code != 0
    ended = endings(result)
    assert f"rank {FAILING} (node2) has muster 2.7" in ended[FAILING + 1].line
    assert "use the same muster release on every rank" in ended[FAILING].line
    assert all(ending.status in ("mismatch", "timeout", "peer") for ending in ended.values()), ended


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("what", ["kill", "exit1"] if ALL else ["kill"])
def test_a_death_after_the_end_is_nobody_elses_matter(step, transport: str, what: str) -> None:
    result = step(transport, what, "end")
    ended = endings(result)
    assert OTHERS <= set(ended), result.err
    assert {ended[rank].status for rank in OTHERS} == {"ok"}
