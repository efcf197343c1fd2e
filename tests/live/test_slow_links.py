"""slow=: on real nodes, the link that is narrow is named, and not the rank behind it; and nothing in a healthy run.

    MUSTER_TORCH=DIR[:DIR]      a torch with a flight recorder: the folders that PYTHONPATH needs for it
    MUSTER_SLOW_RUNS=N          how often each case runs; 1 if not set
"""

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator

import pytest
from cluster import Cluster
from own_cluster import left_clean, own_cluster

TORCH = os.environ.get("MUSTER_TORCH", "")
RUNS = range(int(os.environ.get("MUSTER_SLOW_RUNS", "1")))
SECONDS = 180  # the first minute does not count, and the links are looked at for more than another one
NARROW = "rate 50mbit burst 64kb latency 50ms"  # bits of 8 MB are on their way for more than a second
OWN_REASONS = ("its CPUs are", "its node is short of memory", "it is short of memory")

pytestmark = pytest.mark.skipif(not TORCH, reason="needs a torch with a flight recorder: MUSTER_TORCH")


@pytest.fixture(scope="module")
def whole_four() -> Iterator[Cluster]:
    with own_cluster("four", 4) as cluster:
        yield cluster


@pytest.fixture
def four(whole_four: Cluster) -> Iterator[Cluster]:
    with left_clean(whole_four):
        yield whole_four


@contextlib.contextmanager
def narrow(cluster: Cluster, case: str) -> Iterator[None]:
    """node2's interface, what the switch sends to it, or what it sends to node1."""
    switch = (cluster.state / "pid" / "cluster-init").read_text().strip()
    to_one = (f"tc qdisc add dev eth0 root handle 1: htb default 10 && "
              f"tc class add dev eth0 parent 1: classid 1:10 htb rate 10gbit quantum 60000 && "
              f"tc class add dev eth0 parent 1: classid 1:11 htb rate 50mbit burst 64k quantum 60000 && "
              f"tc filter add dev eth0 parent 1: protocol ip u32 match ip dst {cluster.address('node1')}/32 flowid 1:11")
    if case == "into":
        subprocess.run(["nsenter", "--target", switch, "--net", "tc", *f"qdisc add dev node2 root tbf {NARROW}".split()],
                       check=True)
    elif case != "healthy":
        cluster.node("node2", to_one if case == "one" else f"tc qdisc add dev eth0 root tbf {NARROW}")
    try:
        yield
    finally:
        if case == "into":
            subprocess.run(["nsenter", "--target", switch, "--net", "tc", *"qdisc del dev node2 root".split()], check=True)
        elif case != "healthy":
            cluster.node("node2", "tc qdisc del dev eth0 root")


def run(cluster: Cluster, case: str) -> tuple[str, list]:
    """The lines of slow=, and what the report has."""
    variables = {"PYTHONPATH": TORCH, "OMP_NUM_THREADS": "1", "SECONDS": str(SECONDS), "MEGABYTES": "4"}
    cluster.shell("rm -f slow.json")
    with narrow(cluster, case):
        step = cluster.start("srun --distributed=torch,slow=on,report=slow.json -N4 -n4 ./ring_training", env=variables)
        result = step.wait(SECONDS + 200)
    assert result.code == 0, result.err
    lines = [line for line in result.err.splitlines() if "slow=:" in line]
    print("\n".join(lines))
    return "\n".join(lines), json.loads((cluster.home / "slow.json").read_text())["slow"]


@pytest.mark.parametrize("number", RUNS)
@pytest.mark.parametrize(("case", "links"), [
    ("one", [("node2", "node1")]),
    # What acknowledges the data of the other direction is held up as well.
    ("out", [("node2", "node1"), ("node2", None)]),
    ("into", [("node3", "node2"), ("node2", None)])])
def test_a_narrow_link_is_named_and_no_rank(four: Cluster, case: str, links: list, number: int) -> None:
    lines, slow = run(four, case)
    named = [each for each in slow if each["link"]]
    # The machine may be too busy for all its nodes: such a reason is a rank's own.
    assert all(each["cause"] and each["cause"].startswith(OWN_REASONS) for each in slow if not each["link"]), lines
    assert len(named) == 1, lines
    assert (named[0]["node"], named[0]["link"]["to"]) in links, lines
    assert 4e6 < named[0]["link"]["bytes_per_second"] < 7e6, lines  # 50 Mbit/s are 6.25 MB/s
    assert named[0]["time_percent"] > 50, lines
    assert lines.count("while busy, the others") == 1


@pytest.mark.parametrize("number", RUNS)
def test_no_link_is_named_in_a_healthy_run(four: Cluster, number: int) -> None:
    lines, slow = run(four, "healthy")
    assert not any(each["link"] for each in slow), lines
