"""Deliberate faults in nodes, networks and Slurm's daemons, which are undone afterwards."""

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence

from cluster import Cluster
from waiting import wait_until

CHANNEL_PORTS = "31800-31899"


@contextlib.contextmanager
def off_the_network(cluster: Cluster, node: str) -> Iterator[None]:
    """Everything to and from the node is lost, but the node still sees a carrier."""
    cluster.script("cut", node)
    try:
        yield
    finally:
        cluster.script("heal", node)


@contextlib.contextmanager
def left_usable(cluster: Cluster) -> Iterator[Cluster]:
    """For one test: afterwards nothing is left on any node, and every node can be used again."""
    try:
        yield cluster
    except BaseException:
        cluster.end_all()
        cluster.clear()
        raise
    finally:
        cluster.end_all()
        wait_until(lambda: resumed(cluster), 60, "nodes that can be used")


def resumed(cluster: Cluster) -> bool:
    """Whether every node can be used; brings back a node that Slurm has marked down, as an administrator would."""
    states = dict(line.split() for line in cluster.run("sinfo -h -N -o '%N %T'", user="root").lines)
    for node, state in states.items():
        if state.startswith("down"):
            cluster.run(f"scontrol update NodeName={node} State=RESUME", user="root")
    return all(state == "idle" for state in states.values())


def kill_daemon(cluster: Cluster, node: str, daemon: str) -> None:
    cluster.script("kill", node, daemon)
    wait_until(lambda: not any(process.name == daemon for process in cluster.processes(node)), 10, f"{daemon}'s end")


@contextlib.contextmanager
def without_daemon(cluster: Cluster, node: str, daemon: str) -> Iterator[None]:
    kill_daemon(cluster, node, daemon)
    try:
        yield
    finally:
        cluster.script("start", node, daemon)


@contextlib.contextmanager
def without_controller(cluster: Cluster) -> Iterator[None]:
    """The controller is shut down cleanly: if killed, it forgets unsaved state, including a job that has just begun."""
    cluster.run("scontrol shutdown slurmctld", user="root")
    wait_until(lambda: not any(process.name == "slurmctld" for process in cluster.processes("ctl")), 20, "slurmctld's end")
    try:
        yield
    finally:
        cluster.script("start", "ctl", "slurmctld")


@contextlib.contextmanager
def silent_controller(cluster: Cluster) -> Iterator[None]:
    """The controller accepts connections but does not answer, as if it were overloaded."""
    controllers = [process.pid for process in cluster.processes("ctl") if process.name == "slurmctld"]
    assert controllers
    for pid in controllers:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in controllers:
            os.kill(pid, signal.SIGCONT)


# Uses routing rules, because not every machine has a packet filter. Dropped packets are routed to a nonexistent host.
FIREWALLS = {
    "rejects": ["ip rule add ipproto tcp dport {ports} prohibit"],
    "drops": ["ip neigh replace {nobody} lladdr 02:6d:75:73:ff:ff dev eth0 nud permanent",
              "ip route replace default via {nobody} dev eth0 table 77",
              "ip rule add ipproto tcp dport {ports} lookup 77 pref 10"],
}


@contextlib.contextmanager
def channel_forbidden(cluster: Cluster, kind: str, nodes: Sequence[str] = ()) -> Iterator[None]:
    """A firewall keeps all nodes, or these, from reaching the supervisors' ports; everything else gets through."""
    config = cluster.site_file("ports.yaml", f"control_ports: {CHANNEL_PORTS}\n")
    nobody = cluster.address("login").rsplit(".", 1)[0] + ".250"
    rules = " && ".join(FIREWALLS[kind]).format(ports=CHANNEL_PORTS, nobody=nobody)
    for node in nodes or cluster.nodes:
        cluster.node(node, rules)
    try:
        with cluster.plugstack("optional", config=config):
            yield
    finally:
        for node in nodes or cluster.nodes:
            cluster.node(node, f"ip rule del ipproto tcp dport {CHANNEL_PORTS}; ip route flush table 77 2>/dev/null || true")
