"""A rank that never comes, dies, stops or is of another release: every other rank ends, in time, by one line.

By PMIx and over TCP. srun is told not to kill the step by itself (-K0): what ends the others is the library. Where
Slurm's PMIx plugin kills the step first, there is no line of ours, and the test asks for the step's end only.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster
from command import Result

COMPILED = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build")) / "tests" / "live" / "compiled"
TIMEOUT = 4  # of each call, in seconds
SLACK = 3  # what starting and ending processes takes on a busy machine
FAILING = 3  # on node2, with rank 2
OTHERS = {0, 1, 2, 4, 5}
TRANSPORTS = ["pmix", "tcp"]


@dataclass(frozen=True)
class Ending:
    rank: int
    node: str
    status: str
    seconds: float
    line: str


def endings(result: Result) -> dict[int, Ending]:
    pattern = r"rank (\d+) on (\S+): ([a-z ]+) after ([\d.]+) s: (.*)"
    found = (re.fullmatch(pattern, line) for line in result.lines)
    return {int(m[1]): Ending(int(m[1]), m[2], m[3], float(m[4]), m[5]) for m in found if m}


@pytest.fixture
def step(cluster: Cluster):
    """Runs failing_rank on six ranks of three nodes, or a line of the shell that does it in its own way."""
    cluster.give("alice", COMPILED / "failing_rank")
    library = next(cluster.prefix.rglob("libmuster.so.0")).parent

    def run(transport: str, what: str, when: str, *, options: str = "", program: str = "./failing_rank") -> Result:
        with_transport = {"pmix": "--mpi=pmix", "tcp": "--mpi=none --distributed=torch"}[transport]
        environment = {"LD_LIBRARY_PATH": str(library), "MUSTER_TRANSPORT": transport}
        return cluster.srun(f"{with_transport} -K0 -N3 -n6 {options} {program} {FAILING} {what} {when} {TIMEOUT * 1000}",
                            env=environment, timeout=60)

    return run


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_nobody_fails_and_everybody_ends_well(step, transport: str) -> None:
    result = step(transport, "nothing", "never")
    assert result.code == 0, result.err
    assert {ending.status for ending in endings(result).values()} == {"ok"}
    assert len(endings(result)) == 6


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(("what", "when"), [
    ("exit0", "before"),
    ("exit1", "before"),
    ("kill", "before"),
    ("sleep", "idle"),
    ("stop", "before"),
    ("stop", "idle"),
    ("stop", "within"),
    ("stop", "after"),
    ("leave", "idle"),
    ("leave", "after"),
])
def test_every_survivor_ends_in_time_and_names_who_is_missing(step, transport: str, what: str, when: str) -> None:
    with_patience = "" if what not in ("sleep", "stop") else "--wait=1"
    result = step(transport, what, when, options=with_patience)
    assert result.code != 0
    ended = endings(result)
    assert OTHERS <= set(ended), result.out + result.err
    for ending in (ended[rank] for rank in OTHERS):
        assert ending.status in ("timeout", "peer"), ending
        assert ending.seconds <= TIMEOUT + SLACK, ending
        if (what, when) != ("stop", "within"):
            assert re.search(rf"\brank {FAILING}\b.*node2", ending.line), ending
        assert re.search(r"exchange '(first|second)'", ending.line), ending
        assert re.search(r"\d s\b", ending.line), ending


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("when", ["idle", "within", "after"])
@pytest.mark.parametrize("what", ["kill", "segv", "exit0"])
def test_a_death_in_mid_step_ends_the_step_in_time(step, transport: str, what: str, when: str) -> None:
    result = step(transport, what, when)
    assert result.code != 0
    assert result.seconds <= TIMEOUT + SLACK + 3, result.err
    told = endings(result)
    for ending in told.values():
        assert ending.status in ("timeout", "peer", "transport"), ending
    if not told:  # Slurm's plugin was faster: it has to say so itself
        assert re.search(r"error|Killed|CANCELLED", result.err), result.err


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_rank_that_skips_a_call_is_told_by_its_neighbours(step, transport: str) -> None:
    result = step(transport, "skip", "first")
    assert result.code != 0
    ended = endings(result)
    assert re.search(r"rank \d \(node\d\) is in call 1, exchange:(first|second)", ended[FAILING].line), ended
    assert f"rank {FAILING} (node2) is in call 1, exchange:second" in ended[FAILING + 1].line
    assert all(ending.status in ("mismatch", "timeout", "peer") for ending in ended.values())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_rank_with_another_release_is_told_by_its_neighbours(cluster: Cluster, step, transport: str) -> None:
    other = cluster.home / "other_release"
    other.mkdir(exist_ok=True)
    cluster.give("alice", COMPILED / "other_release" / "libmuster.so.0", "other_release/libmuster.so.0")
    cluster.write("as_other", f"""#!/bin/bash
        if [ "$SLURM_PROCID" = {FAILING} ]; then export LD_LIBRARY_PATH=$HOME/other_release; fi
        exec ./failing_rank "$@"
        """).chmod(0o755)
    result = step(transport, "nothing", "never", program="./as_other")
    assert result.code != 0
    ended = endings(result)
    assert f"rank {FAILING} (node2) has muster 2.7" in ended[FAILING + 1].line
    assert "use one release in all ranks" in ended[FAILING].line
    assert all(ending.status in ("mismatch", "timeout", "peer") for ending in ended.values()), ended


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("what", ["kill", "exit1"])
def test_a_death_after_the_end_is_nobody_elses_matter(step, transport: str, what: str) -> None:
    result = step(transport, what, "end")
    ended = endings(result)
    assert OTHERS <= set(ended), result.err
    assert {ended[rank].status for rank in OTHERS} == {"ok"}
