"""The real Megatron Core: its groups are placed where the network is fast, and a small GPT learns on them."""

import re
from collections import defaultdict

import pytest
from cluster import Cluster
from command import Result
from framework import PROGRAMS, Framework, hosts, hosts_by_slurm

MEGATRON = Framework("megatron", "torch", "megatron_gpt.py")
SAID = re.compile(r"^rank (\d+) .* on (\w+) tensor (\S+) pipeline (\S+) data (\S+) connections (\S+) losses (.*)$", re.MULTILINE)

BLOCK = "-N3 -n6"
CYCLIC = "-N3 -n6 --distribution=cyclic"


@pytest.fixture(autouse=True)
def program(cluster: Cluster) -> None:
    cluster.give("alice", PROGRAMS / "megatron_gpt.py")


def groups(result: Result, kind: str) -> dict[str, set[str]]:
    """The nodes of each group: "0+1" on node1."""
    found = defaultdict(set)
    for _, host, *of_kinds, _, _ in SAID.findall(result.out):
        found[dict(zip(("tensor", "pipeline", "data"), of_kinds, strict=True))[kind]].add(host)
    return dict(found)


def assert_learned(result: Result, ranks: int) -> None:
    """Checks the ranks of the last stage, which alone know the loss; all of them must have the same loss."""
    (losses,) = {losses for *_, losses in SAID.findall(result.out) if losses != "-"}
    first, *_, last = map(float, losses.split())
    assert last < 0.8 * first, result.out
    assert result.out.count(losses) == ranks


@pytest.mark.slow
def test_a_gpt_learns_on_tensor_pipeline_and_data_parallel_ranks(cluster: Cluster) -> None:
    four_per_node = "-N2 -w node1,node2 -n8 --overcommit"  # a node may have two CPUs
    result = MEGATRON.srun(cluster, four_per_node, "2 2")
    assert hosts(result) == hosts_by_slurm(cluster, four_per_node)
    assert groups(result, "tensor") == {"0+1": {"node1"}, "2+3": {"node1"}, "4+5": {"node2"}, "6+7": {"node2"}}
    assert groups(result, "data") == {"0+2": {"node1"}, "1+3": {"node1"}, "4+6": {"node2"}, "5+7": {"node2"}}
    assert groups(result, "pipeline") == {f"{rank}+{rank + 4}": {"node1", "node2"} for rank in range(4)}
    assert_learned(result, 4)


@pytest.mark.slow
def test_the_stages_of_a_pipeline_are_the_nodes(cluster: Cluster) -> None:
    result = MEGATRON.srun(cluster, BLOCK, "2 3")
    assert hosts(result) == hosts_by_slurm(cluster, BLOCK)
    assert groups(result, "tensor") == {"0+1": {"node1"}, "2+3": {"node2"}, "4+5": {"node3"}}
    assert set(groups(result, "pipeline")) == {"0+2+4", "1+3+5"}
    assert_learned(result, 2)
    assert {connections for *_, connections, _ in SAID.findall(result.out)} == {"1"}


# Slurm puts neighbouring ranks of a cyclic step on different nodes, so a tensor-parallel group would use the network.
@pytest.mark.slow
def test_contiguous_ranks_keep_tensor_parallel_groups_on_one_node(cluster: Cluster) -> None:
    as_slurm_counts = MEGATRON.srun(cluster, CYCLIC, "2 3")
    assert groups(as_slurm_counts, "tensor") == {"0+1": {"node1", "node2"}, "2+3": {"node1", "node3"}, "4+5": {"node2", "node3"}}
    assert any("ranks=contiguous" in line for line in as_slurm_counts.complaints), as_slurm_counts.err
    contiguous = Framework("megatron,ranks=contiguous", MEGATRON.environment, MEGATRON.program).srun(cluster, CYCLIC, "2 3")
    assert groups(contiguous, "tensor") == {"0+1": {"node1"}, "2+3": {"node2"}, "4+5": {"node3"}}
    for result in (as_slurm_counts, contiguous):
        assert_learned(result, 2)


@pytest.mark.slow
def test_the_users_own_number_of_connections_wins(cluster: Cluster) -> None:
    result = MEGATRON.srun(cluster, "-N1 -n2", "2 1", env={"CUDA_DEVICE_MAX_CONNECTIONS": "32"})
    assert {connections for *_, connections, _ in SAID.findall(result.out)} == {"32"}, result.err
    assert_learned(result, 2)
