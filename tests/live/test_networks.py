"""Machines with complicated networks: the nodes find each other all the same, or say why not.

Each of these clusters is up only for its own tests, and each success is a real meeting of the ranks over MASTER_ADDR
and MASTER_PORT.
"""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster, Task
from own_cluster import own_cluster

DEADLINE = 5  # seconds until a node that cannot reach rank 0's node gives up
SLURM_ITSELF = 8  # seconds, more than Slurm needs to create and end a step on a busy machine


@pytest.fixture(scope="module")
def two_networks() -> Iterator[Cluster]:
    """NodeAddr connects each node to the submit host; only the second network connects the nodes to each other."""
    with own_cluster("nets", 3, "--mgmt-isolated", "--second-network", "hsn0,ib0,roce1") as cluster:
        yield cluster


def check_meeting(cluster: Cluster, options: str = "", **more) -> None:
    result = cluster.srun(f"--distributed=torch{options} -N3 -n3 ./meet", **more)
    assert result.code == 0, result.err
    assert len(result.lines) == 3
    assert result.complaints == []


def check_named(cluster: Cluster, options: str, *words: str) -> None:
    """The step ends in time with one line that contains these words."""
    result = cluster.srun(f"--distributed=torch{options} -N3 -n3 echo ran", timeout=30)
    assert result.code != 0
    assert result.out == ""
    (line,) = result.complaints
    for word in words:
        assert word in line
    assert result.seconds < DEADLINE + SLURM_ITSELF


def interfaces(tasks: list[Task]) -> list[str]:
    assert all(task["GLOO_SOCKET_IFNAME"] == task["NCCL_SOCKET_IFNAME"] for task in tasks)
    return [task["GLOO_SOCKET_IFNAME"] for task in tasks]


def test_nodes_meet_on_the_network_that_connects_them(two_networks: Cluster) -> None:
    check_meeting(two_networks)


def test_each_node_uses_its_own_interface_to_rank_0(two_networks: Cluster) -> None:
    tasks = two_networks.probe("--distributed=torch -N3 -n3")
    assert interfaces(tasks) == ["hsn0", "ib0", "roce1"]
    assert {task["MASTER_ADDR"] for task in tasks} == {two_networks.second_address("node1")}


def test_network_takes_the_interface_that_matches_on_each_node(two_networks: Cluster) -> None:
    check_meeting(two_networks, ",network=hsn*+ib*+roce*")
    tasks = two_networks.probe("--distributed=torch,network=hsn*+ib*+roce* -N3 -n3")
    assert interfaces(tasks) == ["hsn0", "ib0", "roce1"]


def test_a_chosen_network_that_does_not_connect_the_nodes_is_named(two_networks: Cluster) -> None:
    check_named(two_networks, ",network=eth0", "node2 cannot reach node1", "eth0", two_networks.address("node1"))


def test_a_node_without_the_chosen_interface_is_named(two_networks: Cluster) -> None:
    check_named(two_networks, ",network=hsn0", "no interface that is up and matches network=hsn0")


@pytest.mark.parametrize(("sender", "receiver"), [("node2", "node1"), ("node1", "node2")])
def test_a_node_whose_packets_vanish_is_named_in_time(two_networks: Cluster, sender: str, receiver: str) -> None:
    with two_networks.cut(sender, receiver):
        check_named(two_networks, "", "node2 cannot reach node1", "eth0", two_networks.address("node1"))


def test_nodes_without_a_supervisor_name_it_too(two_networks: Cluster) -> None:
    config = two_networks.site_file("impatient.yaml", "gather_timeout: 7\n")
    with two_networks.plugstack("optional", config=config):
        result = two_networks.srun("--distributed=torch,supervise=off -N2 -n2 echo ran")
    assert result.code != 0
    assert any("node2 cannot reach node1" in line for line in result.complaints)


@pytest.mark.parametrize("condition", ["partition: a*", "feature: fast"])
def test_a_sites_rule_chooses_the_network_unless_the_user_does(two_networks: Cluster, condition: str) -> None:
    two_networks.run("scontrol update nodename=node1 features=big,fast", user="root")
    rules = f"networks:\n  - {condition}x\n    interfaces: [lo]\n  - {condition}\n    interfaces: [eth0]\n"
    with two_networks.plugstack("optional", config=two_networks.site_file("rules.yaml", rules)):
        check_named(two_networks, "", "cannot reach node1", "eth0")
        check_meeting(two_networks, ",network=hsn0+ib0+roce1")


@contextlib.contextmanager
def with_other_address_first(cluster: Cluster) -> Iterator[None]:
    """Each node's interface on the second network has a first address that no other node can reach."""
    places = dict(zip(cluster.nodes, ["hsn0", "ib0", "roce1"], strict=True))
    with contextlib.ExitStack() as undo:
        for number, (node, interface) in enumerate(places.items(), 1):
            own, other = f"{cluster.second_address(node)}/24", f"192.0.2.{number}/32"
            undo.callback(cluster.node, node, f"ip address delete {other} dev {interface}")
            cluster.node(node, " && ".join(f"ip address {change} dev {interface}"
                                           for change in (f"add {other}", f"delete {own}", f"add {own}")))
        yield


def test_an_interface_with_several_addresses_is_used_by_the_one_that_the_nodes_reach(two_networks: Cluster) -> None:
    own = [two_networks.second_address(node) for node in two_networks.nodes]
    with with_other_address_first(two_networks):
        check_meeting(two_networks)
        tasks = two_networks.probe("--distributed=torch -N3 -n3")
        shown = two_networks.srun("--distributed=torch,explain -N3 -n3 true")
    assert {task["MASTER_ADDR"] for task in tasks} == {own[0]}
    assert [task["VLLM_HOST_IP"] for task in tasks] == own
    # Gloo and NCCL would take the first address of an interface.
    assert not any({"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"} & set(task.environment) for task in tasks)
    assert ("warning: ib0 has several addresses, and the nodes reach each other at one that is not its first, so muster does "
            "not set GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME") in shown.err + shown.out


def test_nccl_learns_that_a_name_is_whole_where_another_interfaces_begins_with_it(cluster: Cluster) -> None:
    cluster.node("node2", "ip link add eth05 type bridge")
    try:
        tasks = cluster.probe("--distributed=torch -w node[1-2] -N2 -n2")
    finally:
        cluster.node("node2", "ip link delete eth05")
    assert [task["NCCL_SOCKET_IFNAME"] for task in tasks] == ["eth0", "=eth0"]
    assert [task["GLOO_SOCKET_IFNAME"] for task in tasks] == ["eth0", "eth0"]


def test_names_that_lead_to_loopback_do_no_harm() -> None:
    with own_cluster("loop", 3, "--loopback-names") as cluster:
        assert "127.0.1.1" in cluster.node("node1", "getent hosts node1")
        check_meeting(cluster)
        tasks = cluster.probe("--distributed=torch -N3 -n3")
        assert {task["MASTER_ADDR"] for task in tasks} == {cluster.address("node1")}
        assert interfaces(tasks) == ["eth0"] * 3
        everywhere = cluster.site_file("hosts", "127.0.0.1 localhost\n127.0.1.1 node1\n" + cluster.hosts("ctl", "login"))
        with cluster.covered("node2", Path("/etc/hosts"), everywhere):
            check_meeting(cluster)
        check_meeting(cluster, ",supervise=off")


def test_no_node_needs_a_name() -> None:
    with own_cluster("nodns", 3, "--no-dns") as cluster:
        assert cluster.node("node1", "getent hosts node2 || echo none") == "none\n"
        check_meeting(cluster)


def test_a_node_that_cannot_resolve_rank_0s_name_finds_it(cluster: Cluster) -> None:
    nameless = cluster.site_file("hosts", "127.0.0.1 localhost\n" + cluster.hosts("ctl", "login", "node2"))
    with cluster.covered("node2", Path("/etc/hosts"), nameless):
        check_meeting(cluster)


def test_rank_0s_node_need_not_know_its_own_name(cluster: Cluster) -> None:
    nameless = cluster.site_file("hosts", "127.0.0.1 localhost\n" + cluster.hosts("ctl", "login"))
    with cluster.covered("node1", Path("/etc/hosts"), nameless):
        check_meeting(cluster)


def test_ipv6_alone_will_do() -> None:
    with own_cluster("six", 3, "--ipv6", "--second-network", "hsn0") as cluster:
        check_meeting(cluster)
        tasks = cluster.probe("--distributed=torch -N3 -n3")
        assert {task["MASTER_ADDR"] for task in tasks} == {cluster.address("node1")}
        assert re.fullmatch(r"fd[0-9a-f:]+", tasks[0]["MASTER_ADDR"])
        assert interfaces(tasks) == ["eth0"] * 3
        check_meeting(cluster, ",network=hsn*")
        with cluster.cut("node3", "node1"):
            check_named(cluster, "", "node3 cannot reach node1", "eth0", cluster.address("node1"))
