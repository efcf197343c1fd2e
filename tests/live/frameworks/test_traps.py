"""Known problems of frameworks on clusters, with the real packages."""

import pytest
from cluster import Cluster
from framework import JAX, PATIENCE, PROGRAMS, TENSORFLOW, Framework, hosts

# An address of the cluster's network that no node has, so nothing answers there.
BLACK_HOLE = "http://10.86.255.250:3128"


@pytest.fixture(autouse=True)
def programs(cluster: Cluster) -> None:
    for program in PROGRAMS.glob("*.py"):
        cluster.give("alice", program)


@pytest.mark.slow
@pytest.mark.parametrize("framework", [JAX, TENSORFLOW], ids=lambda framework: framework.profile)
def test_a_proxy_of_the_site_does_not_hang_grpc(cluster: Cluster, framework: Framework) -> None:
    proxies = {"http_proxy": BLACK_HOLE, "https_proxy": BLACK_HOLE}
    result = framework.srun(cluster, "-N3 -n3", env=proxies, timeout=120)
    assert hosts(result) == {0: "node1", 1: "node2", 2: "node3"}


@pytest.mark.slow
def test_hydra_does_not_hide_which_rank_failed(cluster: Cluster) -> None:
    result = Framework("torch", "torch", "hydra_fails.py").srun(cluster, "-N2 -n2", timeout=PATIENCE)
    assert result.code == 1
    assert "Root Cause" in result.err and "error     : KeyError: 'missing'" in result.err, result.err
