"""Single random failures: any rank, any kind, any layout. MUSTER_RANDOM_FAILURES says how many, none by default;
MUSTER_RANDOM_SEED repeats a run."""

import json
import os
import random
from collections.abc import Iterator

import pytest
from cluster import PROGRAMS, Cluster
from own_cluster import own_cluster

COUNT = int(os.environ.get("MUSTER_RANDOM_FAILURES", "0"))
SEED = int(os.environ.get("MUSTER_RANDOM_SEED", "13"))

pytestmark = [pytest.mark.slow, pytest.mark.skipif(COUNT == 0, reason="MUSTER_RANDOM_FAILURES says how many")]

# Maps kind to exit code and cause.
KINDS = {"exception": (1, "program"), "record": (1, "program"), "exit": (7, "program"), "limit": (1, "program"),
         "worker": (1, "program"), "grandchild": (5, "program"), "abort": (134, "signal"), "segv": (139, "signal"),
         "kill": (137, "signal"), "term": (143, "signal")}
OTHERS = ("wait", "peers", "stubborn", "stopped")
# Peers that fail without a reason, as soon as a socket closes, are gone before a Python process that raised an
# exception has exited. Nothing distinguishes them from the rank that raised it.
AT_ONCE = ("exit", "grandchild", "abort", "segv", "kill", "term")
# Next to such peers, only a crash shows by itself that it came first. On a busy node, the end of ranks that failed in
# other ways may be noticed slightly late, but the report must never say that muster stopped them.
SURE = ("segv",)


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    with own_cluster("randomfailures", 8, "--cpus", "2") as cluster:
        yield cluster


def expanded(ranges: str = "") -> set[int]:
    """"0-2,5" as numbers."""
    parts = [part.partition("-") for part in ranges.split(",") if part]
    return {rank for first, _, last in parts for rank in range(int(first), int(last or first) + 1)}


def fail_by_chance(cluster: Cluster, chance: random.Random) -> str:
    """What is wrong with the report; empty if it is right."""
    nodes = chance.randint(3, 8)
    ranks = chance.randint(nodes, 2 * nodes)
    kind, rank = chance.choice(list(KINDS)), chance.randrange(ranks)
    others = chance.choice((*OTHERS, "silent") if kind in AT_ONCE else OTHERS)
    report = cluster.home / "report.json"
    report.unlink(missing_ok=True)
    line = (f"--distributed=torch,report=report.json,grace=1 -N{nodes} -n{ranks} "
            f"--distribution={chance.choice(['block', 'cyclic'])} ./fault {kind} {rank} {chance.uniform(0, 0.3):.3f} {others}")
    result = cluster.srun(line, timeout=60)
    wanted = (*KINDS[kind], rank, result.code)
    if not report.exists():
        return f"srun {line}: no report\n{result.err}"
    said = json.loads(report.read_text())
    first = said["first"] or {"rank": None}
    got = (said["exit_code"], said["cause"], first["rank"], said["exit_code"])
    if others == "silent" and kind not in SURE and got[:2] == (1, "program"):
        by_muster = [ranks["ranks"] for ranks in said["victims"] if ranks["kind"] == "ended_by_muster"]
        return f"srun {line}: stopped by muster\n{json.dumps(said)}" if rank in expanded(*by_muster) else ""
    return "" if got == wanted else f"srun {line}: {got}, not {wanted}\n{json.dumps(said)}\n{result.err}"


def test_single_failures_are_named_right_in_all(own: Cluster) -> None:
    own.give("alice", PROGRAMS / "fault")
    chance = random.Random(SEED)
    wrong = [fault for fault in (fail_by_chance(own, chance) for _ in range(COUNT)) if fault]
    assert not wrong, f"{len(wrong)} of {COUNT} (seed {SEED}):\n" + "\n".join(wrong)
