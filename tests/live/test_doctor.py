"""muster doctor: problems on this host and on the nodes, and which node differs from the others."""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from command import Result

# True of the machine below the cluster, and of clusters that claim CPUs other than the machine's.
TRUE_OF_THE_MACHINE = {"task-affinity", "open-files", "processes", "home", "tracing", "governor", "zone-reclaim",
                       "numa-balancing", "name-service"}


def doctor(cluster: Cluster, words: str, **more) -> Result:
    return cluster.run(f"{cluster.prefix}/bin/muster doctor --seconds=60 {words}", timeout=90, **more)


def rows(result: Result) -> dict[str, dict]:
    """Everything that is not ok, by its id."""
    found = json.loads(result.out)
    assert found["version"] == 1
    return {row["id"]: row for row in found["rows"]
            if row["outcome"] != "ok" and row["id"] not in TRUE_OF_THE_MACHINE
            and not row["id"].startswith(("gpu-", "rdma-"))}


@contextlib.contextmanager
def on_node(cluster: Cluster, node: str, line: str, undo: str) -> Iterator[None]:
    cluster.node(node, line)
    try:
        yield
    finally:
        cluster.node(node, undo)


def test_a_healthy_cluster_has_no_warning_that_is_not_true(cluster: Cluster) -> None:
    shown = doctor(cluster, "--json -- -N3")
    assert shown.code == 0, shown.err
    assert rows(shown) == {}
    assert json.loads(shown.out)["nodes"] == cluster.nodes[:3]
    seen = {row["id"] for row in json.loads(shown.out)["rows"]}
    assert seen >= {"controller", "plugin", "clock", "mtu", "firewall", "muster-version", "plugin-version", "own-name", "tmp"}


def test_a_node_that_differs_is_named(cluster: Cluster) -> None:
    odd = cluster.nodes[1]
    device = "find /sys/class/net -name 'e*' -printf '%f\\n' | head -n 1"
    with contextlib.ExitStack() as stack:
        stack.enter_context(on_node(cluster, odd, f"ip link set $({device}) mtu 1400",
                                    f"ip link set $({device}) mtu 1500"))
        stack.enter_context(on_node(cluster, odd, "mount -t tmpfs -o size=1m tmp /tmp", "umount --lazy /tmp"))
        stack.enter_context(on_node(cluster, odd, f"(echo 127.0.1.1 {odd}; grep -v {odd} /etc/hosts) > /dev/shm/hosts; "
                                    "mount --bind /dev/shm/hosts /etc/hosts", "umount --lazy /etc/hosts; rm /dev/shm/hosts"))
        route = f"unreachable $(getent ahostsv4 {cluster.nodes[2]} | awk '{{ print $1; exit }}')"
        stack.enter_context(on_node(cluster, odd, f"ip route add {route}", f"ip route del {route}"))
        shown = doctor(cluster, "--json -- -N3")
        text = doctor(cluster, "-- -N3")
    assert shown.code == 1, shown.err
    found = rows(shown)
    assert {id: (row["outcome"], row["hosts"]) for id, row in found.items()} == {
        "mtu": ("error", [odd]), "firewall": ("error", [odd]), "tmp": ("error", [odd]), "own-name": ("warning", [odd])}
    assert f"error       mtu  {odd}\n" in text.out and "1400 on node2" in text.out


def test_a_small_memlock_limit_of_a_node_with_rdma_is_an_error(cluster: Cluster) -> None:
    odd = cluster.nodes[1]
    port = "/dev/shm/class/infiniband/mlx5_0/ports/1"
    devices = (f"mkdir -p {port} && cp -a /sys/class/net /dev/shm/class && echo '4: ACTIVE' > {port}/state && "
               "mount --bind /dev/shm/class /sys/class")
    with on_node(cluster, odd, devices, "umount --lazy /sys/class; rm -r /dev/shm/class"):
        shown = cluster.shell(f"ulimit -l 64; {cluster.prefix}/bin/muster doctor --seconds=60 --json -- -N3", timeout=90)
    found = rows(shown)
    assert [(id, row["outcome"], row["hosts"]) for id, row in found.items()] == [("memlock", "error", [odd])]
    assert found["memlock"]["evidence"].startswith("max locked memory 65536 bytes, slurmd's own ")


@pytest.mark.pmix
def test_a_pmix_library_that_was_removed_is_an_error(cluster: Cluster) -> None:
    odd = cluster.nodes[2]
    libraries = cluster.node(odd, "find /usr/lib* -name 'libpmix.so.2*' -type f").split()
    with contextlib.ExitStack() as stack:
        for library in libraries:
            stack.enter_context(on_node(cluster, odd, f"mount --bind /dev/null {library}", f"umount --lazy {library}"))
        found = rows(doctor(cluster, "--json -- -N3"))
    assert [(id, row["outcome"], row["hosts"]) for id, row in found.items()] == [("pmix-library", "error", [odd])]


@pytest.mark.pmix
def test_a_pmix_library_in_the_users_path_is_compared_with_slurms(cluster: Cluster) -> None:
    library = cluster.node("login", "find /usr/lib* -name 'libpmix.so.2' | head -n 1").strip()
    shown = doctor(cluster, "--here --json", env={"LD_LIBRARY_PATH": library.rsplit("/", 1)[0]})
    row = next(row for row in json.loads(shown.out)["rows"] if row["id"] == "pmix-path")
    own, slurms = row["evidence"].split("libpmix.so*: ")[1].split("; Slurm's: ")
    assert (row["outcome"], own) == ("ok", slurms) and "PMIx" in own


LATE_CLOCK = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += 2;
  return result;
}
"""

HANGING_NVML = r"""
#include <unistd.h>

int nvmlInit_v2(void) {
  for (;;) pause();
}
"""


def library(cluster: Cluster, name: str, source: str) -> Path:
    """A library in alice's home, compiled here."""
    text = cluster.write(f"{name}.c", source)
    made = cluster.write(name, "")
    done = subprocess.run(["gcc", "-shared", "-fPIC", "-o", made, text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made.chmod(0o755)
    return made


def test_a_clock_that_is_off_by_two_seconds_is_named(cluster: Cluster) -> None:
    """All nodes share the kernel's clock here, so muster on one of them is given a different time."""
    odd = cluster.nodes[1]
    program = cluster.prefix / "bin" / "muster"
    whole = program.with_suffix(".whole")
    shim = library(cluster, "clock.so", LATE_CLOCK)
    late = cluster.site_file("late", f'#!/bin/sh\nLD_PRELOAD={shim} exec {whole} "$@"\n')
    late.chmod(0o755)
    whole.hardlink_to(program)
    try:
        with cluster.covered(odd, program, late):
            shown = doctor(cluster, "--json -- -N3")
    finally:
        whole.unlink()
    found = rows(shown)
    assert [(id, row["outcome"], row["hosts"]) for id, row in found.items()] == [("clock", "error", [odd])]


def test_a_driver_that_hangs_is_named_and_does_not_hold_the_doctor(cluster: Cluster) -> None:
    odd = cluster.nodes[1]
    folder = library(cluster, "hanging/libnvidia-ml.so.1", HANGING_NVML).parent
    driver = ("mkdir -p /dev/shm/driver/nvidia/gpus/0000:01:00.0 && "
              "echo 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.1.2' > /dev/shm/driver/nvidia/version && "
              "mount --bind /dev/shm/driver /proc/driver")
    with on_node(cluster, odd, driver, "umount --lazy /proc/driver; rm -r /dev/shm/driver"):
        shown = doctor(cluster, "--json -- -N3", env={"LD_LIBRARY_PATH": str(folder)})
    found = {row["id"]: row for row in json.loads(shown.out)["rows"] if row["id"] == "gpu-driver"}
    assert [(row["outcome"], row["hosts"]) for row in found.values()] == [("error", [odd])], shown.out
    assert json.loads(shown.out)["nodes"] == cluster.nodes[:3]


def test_ports_of_tasks_that_the_kernel_also_gives_to_others_are_named(cluster: Cluster) -> None:
    odd = cluster.nodes[1]
    usual = cluster.node(odd, "cat /proc/sys/net/ipv4/ip_local_port_range").strip()
    ports = "> /proc/sys/net/ipv4/ip_local_port_range"
    with on_node(cluster, odd, f"echo 15000 60999 {ports}", f"echo {usual} {ports}"):
        found = rows(doctor(cluster, "--json -- -N3"))
    assert {id: row["hosts"] for id, row in found.items()} == {"port-ranges": [odd], "port-range": [odd]}
    assert "MpiParams=ports=20000-29999" in found["port-ranges"]["evidence"]


def test_a_node_that_never_answers_is_named(cluster: Cluster) -> None:
    odd = cluster.nodes[1]
    program = cluster.prefix / "bin" / "muster"
    with on_node(cluster, odd, "printf '#!/bin/sh\\nexec sleep 1000\\n' > /dev/shm/silent; chmod 755 /dev/shm/silent; "
                 f"mount --bind /dev/shm/silent {program}", f"umount --lazy {program}; rm /dev/shm/silent"):
        shown = cluster.run(f"{program} doctor --seconds=8 --json -- -N3", timeout=60)
    assert shown.code == 1
    assert json.loads(shown.out)["silent_nodes"] == [odd]
    assert rows(shown)["nodes"]["hosts"] == [odd]


def test_a_host_without_slurm_and_root_are_looked_at_too(cluster: Cluster) -> None:
    program = f"{cluster.prefix}/bin/muster"
    bare = cluster.run(f"env PATH=/nowhere {program} doctor --here --json", timeout=90)
    assert bare.code == 0, bare.err
    seen = {row["id"] for row in json.loads(bare.out)["rows"]}
    assert "own-name" in seen and not seen & {"controller", "plugin", "task-affinity"}
    root = doctor(cluster, "--here --json", user="root")
    assert root.code == 0, root.err
    assert {row["id"] for row in json.loads(root.out)["rows"]} >= {"controller", "plugin"}


def test_the_inside_of_a_container_is_looked_at(cluster: Cluster) -> None:
    """The container has a small /dev/shm, as containers often do, and lacks Slurm's commands."""
    inside = (f"mount -t tmpfs -o size=64m shm /dev/shm; PATH=/nowhere exec {cluster.prefix}/bin/muster doctor --here --json")
    shown = cluster.run(f"unshare --mount --propagation private sh -c '{inside}'", user="root", timeout=90)
    found = rows(shown)
    assert found["shared-memory"]["evidence"] == "/dev/shm has 64 MiB free"
    assert set(found) == {"shared-memory"}


@pytest.mark.pmix
def test_munge_is_looked_for_where_pmix_wants_it(cluster: Cluster) -> None:
    """The nodes' munge has its socket in another place, so each node is like a container without it."""
    step = cluster.srun(f"--mpi=pmix -n1 {cluster.prefix}/bin/muster doctor --here --json")
    modes = cluster.srun("--mpi=pmix -n1 printenv PMIX_SECURITY_MODE").out.strip()
    found = {row["id"]: row for row in json.loads(step.out)["rows"]}
    assert (found.get("munge", {}).get("outcome") == "warning") == ("munge" in modes)


def test_a_plugin_of_another_version_is_named(cluster: Cluster) -> None:
    odd = cluster.nodes[2]
    plugin = next(cluster.prefix.rglob("muster.so"))
    with on_node(cluster, odd, f"(cat {plugin}; echo) > /dev/shm/other.so; mount --bind /dev/shm/other.so {plugin}",
                 f"umount --lazy {plugin}; rm /dev/shm/other.so"):
        found = rows(doctor(cluster, "--json -- -N3"))
    assert [(id, row["hosts"]) for id, row in found.items()] == [("plugin-version", [odd])]


def test_the_environment_and_the_job_count_and_a_step_looks_at_itself(cluster: Cluster) -> None:
    proxied = doctor(cluster, "--here --json", env={"http_proxy": "http://user:secret@proxy"})
    assert "secret" not in proxied.out
    assert (rows(proxied)["proxy"]["outcome"], proxied.code) == ("warning", 0)
    strict = doctor(cluster, "--here --strict", env={"http_proxy": "http://user:secret@proxy"})
    assert strict.code == 1 and "http_proxy set; no_proxy lacks this host's name" in strict.out
    inside = cluster.run(f"salloc -Q -N2 {cluster.prefix}/bin/muster doctor --seconds=60 --json", timeout=90)
    assert json.loads(inside.out)["nodes"] == cluster.nodes[:2], inside.err
    step = cluster.srun(f"-n1 -w {cluster.nodes[1]} {cluster.prefix}/bin/muster doctor --here --json")
    assert json.loads(step.out)["nodes"] == [cluster.nodes[1]]


@pytest.mark.parametrize(("words", "said"), [
    ("-- -N2 -p nowhere", "no node answered within 60 s: srun: error: "),
    ("-N2", "put srun's options after --: `muster doctor -- -N2`"),
    ("--here -- -N2", "muster doctor --here checks only this host; leave out srun's options"),
])
def test_nodes_that_cannot_be_asked_are_one_line(cluster: Cluster, words: str, said: str) -> None:
    result = doctor(cluster, words)
    assert result.code == (1 if "nowhere" in words else 2)
    assert said in result.out + result.err
