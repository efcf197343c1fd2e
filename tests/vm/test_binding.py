"""What a plan promises, compared with what the kernel did: Cpus_allowed and numa_maps of each rank."""

import json
from pathlib import Path
from typing import Any

import pytest
from lab import Lab

BOUND = Path(__file__).resolve().parent / "programs" / "bound"


def numbers(text: str) -> list[int]:
    """Of a list such as 0-1,3."""
    ends = [part.split("-") for part in text.split(",") if part]
    return [number for part in ends for number in range(int(part[0]), int(part[-1]) + 1)]


def node_of(lab: Lab) -> dict[int, int]:
    """By CPU, from the kernel."""
    listed = lab.root("cd /sys/devices/system/node; for node in node[0-9]*; do echo ${node#node} $(cat $node/cpulist); done")
    return {cpu: int(node) for node, cpus in (line.split() for line in listed.splitlines()) for cpu in numbers(cpus)}


def run(lab: Lab, ranks: int, keys: str) -> list[dict[str, Any]]:
    """What the ranks saw."""
    shown = lab.srun(f"--distributed=torch,{keys} --exclusive --mem=0 -n{ranks} ./bound")
    assert shown.code == 0, shown.err
    seen = sorted((json.loads(line) for line in shown.lines), key=lambda rank: rank["rank"])
    assert [rank["rank"] for rank in seen] == list(range(ranks))
    return seen


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("policy", ["auto", "core", "l3", "numa", "socket"])
def test_each_rank_runs_where_the_policy_says(lab: Lab, ranks: int, policy: str) -> None:
    lab.give(BOUND)
    seen = run(lab, ranks, f"bind={policy}")
    nodes = node_of(lab)
    cpus = [rank["cpus"] for rank in seen]
    for rank in seen:
        assert numbers(rank["allowed"]) == rank["cpus"]
        used = {nodes[cpu] for cpu in rank["cpus"]}
        if ranks > 1 or policy in ("core", "numa", "socket"):
            assert len(used) == 1, seen
            assert set(map(int, rank["pages"])) == used, seen  # memory is where the rank runs
    if policy == "core":
        assert {len(each) for each in cpus} == {1}
    if policy in ("auto", "core"):
        assert sum(map(len, cpus)) == len({cpu for each in cpus for cpu in each})  # disjoint
    if ranks > 1:
        assert {nodes[each[0]] for each in cpus} == {0, 1}  # both sockets work
