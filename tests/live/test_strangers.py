"""Another user of the same node takes ports and names: a step still gets its own, or fails with a one-line error."""

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster
from command import Command

COMPILED = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build")) / "tests" / "live" / "compiled"
LEASED = "20000 29999"  # MpiParams=ports= in the cluster's slurm.conf
HASHED = "61000 65535"  # the port_range if the site's file does not set one
TCP = "--mpi=none --distributed=torch -w node1,node2 -N2 -n2"
EXCHANGE = "./failing_rank -1 nothing never 10000"


@contextlib.contextmanager
def stranger(cluster: Cluster, what: str, node: str = "node1") -> Iterator[Command]:
    """bob, in a job of his own."""
    running = cluster.start(f"srun -w {node} -n1 ./stranger {what}", user="bob", stdin=subprocess.PIPE)
    try:
        yield running
    finally:
        running.close_input()
        running.wait()


@pytest.fixture
def library(cluster: Cluster) -> dict[str, str]:
    """What ranks that use the worker library need to find it."""
    cluster.give("alice", COMPILED / "failing_rank")
    return {"LD_LIBRARY_PATH": str(next(cluster.prefix.rglob("libmuster.so.0")).parent), "MUSTER_TRANSPORT": "tcp"}


def test_a_stranger_who_holds_every_name_of_a_port_keeps_no_step_from_its_port(cluster: Cluster) -> None:
    with stranger(cluster, f"names {LEASED}") as bob:
        bob.await_output("holds 10000")
        result = cluster.srun("--distributed=torch -w node1,node2 -N2 -n2 ./meet")
    assert result.code == 0, result.err


def test_a_stranger_who_holds_the_names_of_a_users_jobs_keeps_no_tasks_from_meeting(cluster: Cluster) -> None:
    alice = cluster.home.stat().st_uid
    job = max(map(int, cluster.jobs()), default=0)
    with cluster.plugstack("none"), stranger(cluster, f"exec {alice} {job}") as bob:
        bob.await_output("holds 100")
        result = cluster.srun(f"-w node1 -N1 -n2 -O {cluster.prefix}/bin/muster exec --distributed=torch -- ./meet")
    assert result.code == 0, result.err


@pytest.mark.parametrize("nodes", [1, 2])
def test_where_a_stranger_holds_every_leased_port_a_step_gets_another(cluster: Cluster, nodes: int) -> None:
    with stranger(cluster, f"ports {LEASED}") as bob:
        bob.await_output("holds ")
        result = cluster.srun(f"--distributed=torch -w node1,node2 -N{nodes} -n{nodes} ./meet")
    assert result.code == 0, result.err


def test_where_a_stranger_holds_every_port_of_its_ranges_the_exchange_gets_another(
        cluster: Cluster, library: dict[str, str]) -> None:
    with stranger(cluster, f"ports {LEASED} {HASHED}") as bob:
        bob.await_output("holds ")
        result = cluster.srun(f"{TCP} bash -c 'echo at $MUSTER_EXCHANGE; exec {EXCHANGE}'", env=library)
    assert result.code == 0, result.err
    ports = {int(port) for port in re.findall(r"^at \S+:(\d+)$", result.out, re.MULTILINE)}
    assert len(ports) == 1 and 30000 <= ports.pop() < 61000, result.out


def test_where_a_stranger_has_bound_the_chosen_port_the_step_ends_by_one_line(cluster: Cluster) -> None:
    with stranger(cluster, "ports 31236 31236") as bob:
        bob.await_output("holds 1")
        result = cluster.srun("--distributed=torch,port=31236 -w node1,node2 -N2 -n2 ./meet")
    assert result.code != 0
    (line,) = result.complaints
    assert "port 31236 (port=) on node1 is taken" in line


def test_a_port_chosen_by_hand_serves_one_step_right_after_the_other(cluster: Cluster) -> None:
    for _ in range(3):
        result = cluster.srun("--distributed=torch,port=31237 -w node1,node2 -N2 -n4 ./meet")
        assert result.code == 0, result.err


def test_a_stranger_who_listens_at_the_held_port_before_rank_0_does_ends_the_step_by_one_line(
        cluster: Cluster) -> None:
    alice = cluster.start("srun --distributed=torch,port=31234 -w node1,node2 -N2 -n2 bash -c 'echo up; sleep 25'")
    alice.await_output("up", times=2)
    with stranger(cluster, "listen 31234") as bob:
        bob.await_output("holds 1")
        result = alice.wait()
    assert result.code != 0
    (line,) = result.complaints
    assert "node1: bob is listening on port 31234" in line


def test_a_stranger_at_a_held_port_of_which_no_task_is_told_ends_no_step(cluster: Cluster) -> None:
    program = "bash -c 'echo at ${SLURM_STEP_RESV_PORTS%%-*}; until test -e seen; do sleep 0.1; done'"
    alice = cluster.start(f"srun --distributed=none -w node1 -n1 {program}")
    alice.await_output("at ")
    port = alice.out.split()[1]
    with stranger(cluster, f"listen {port}") as bob:
        bob.await_output("holds 1")
        time.sleep(1)  # so that the agent looks many times
        cluster.write("seen", "")
        result = alice.wait()
    assert result.code == 0, result.err


def test_without_a_supervisor_the_line_comes_on_the_tasks_own_stderr(cluster: Cluster) -> None:
    alice = cluster.start("srun --distributed=torch,port=31235,supervise=off -w node1 -n1 bash -c 'echo up; sleep 25'")
    alice.await_output("up")
    with stranger(cluster, "listen 31235") as bob:
        bob.await_output("holds 1")
        result = alice.wait()
    assert result.code != 0
    (line,) = result.complaints
    assert "node1: bob is listening on port 31235" in line


def test_a_server_of_rank_0_is_no_stranger(cluster: Cluster) -> None:
    alice = cluster.start("srun --distributed=torch -w node1,node2 -N2 -n2 ./meet hold", stdin=subprocess.PIPE)
    alice.await_output(" met ", times=2)
    alice.close_input()
    assert alice.wait().code == 0


# As a rootless container whose image has a USER: once it has its map, the server runs under another id.
CONTAINER = """
echo waits $$
until grep -q 1 /proc/self/uid_map && grep -q 1 /proc/self/gid_map; do sleep 0.1; done
exec setpriv --reuid=1000 --regid=1000 --clear-groups python3 -c '
import os, socket, time
port = int(os.environ["MASTER_PORT"])
server = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
print("listens as", os.getuid(), flush=True)
time.sleep(3)'
"""


def test_a_server_under_an_id_that_is_lent_to_the_user_is_no_stranger(cluster: Cluster) -> None:
    """No /etc/subuid names the id, as with ids from SSSD. Root writes the map, as newuidmap does."""
    if cluster.srun("-w node1 -n1 unshare -U true").code != 0:
        pytest.skip("users cannot make namespaces here")
    cluster.write("container.sh", CONTAINER)
    alice = cluster.start("srun --distributed=torch -w node1 -n1 unshare -U sh container.sh")
    alice.await_output("waits ")
    process = alice.out.split()[1]
    owner = cluster.home.stat()
    for kind, own in (("uid", owner.st_uid), ("gid", owner.st_gid)):
        cluster.node("node1", f"env printf '0 {own} 1\\n1 300000 65536\\n' > /proc/{process}/{kind}_map")
    result = alice.wait()
    assert result.code == 0, result.err
    assert "listens as 1000" in result.out


def test_a_stranger_who_tries_to_listen_at_the_exchanges_port_before_rank_0_does_is_refused(
        cluster: Cluster, library: dict[str, str]) -> None:
    program = f"bash -c 'echo at $MUSTER_EXCHANGE; until test -e allowed; do sleep 0.1; done; exec {EXCHANGE}'"
    alice = cluster.start(f"srun {TCP} {program}", env=library)
    alice.await_output("at ", times=2)
    port = re.search(r"at \S+:(\d+)", alice.out)[1]
    with stranger(cluster, f"try {port}") as bob:
        bob.await_output("holds ")
        cluster.write("allowed", "")
        result = alice.wait()
    assert result.code == 0, result.err
    assert "holds 0" in bob.out
