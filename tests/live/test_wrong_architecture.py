"""A plugin for another architecture, as from a folder that x86_64 and arm64 hosts share. Only the ELF header of a copy
is changed, so no compiler for another architecture is needed."""

import platform
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster

STEP = "srun --distributed=torch -N2 -n2 bash -c 'echo $RANK'"
MACHINES = {"x86_64": 62, "aarch64": 183}  # ELF's numbers
OTHER = next(name for name in MACHINES if name != platform.machine())
ITANIUM = 50  # which no qemu-user emulates, so the kernel knows no way to run it


def foreign(file: Path, machine: int = MACHINES[OTHER]) -> bytes:
    data = bytearray(file.read_bytes())
    data[18:20] = machine.to_bytes(2, "little")
    return bytes(data)


@pytest.fixture
def impatient(cluster: Cluster) -> Path:
    """A site that waits only three seconds for missing agents."""
    return cluster.site_file("impatient.yaml", "gather_timeout: 3\n")


@pytest.fixture
def plugin(cluster: Cluster) -> Iterator[Path]:
    copy = cluster.prefix / "foreign/muster.so"
    copy.parent.mkdir()
    copy.write_bytes(foreign(next(cluster.prefix.rglob("muster.so"))))
    copy.chmod(0o755)
    yield copy
    copy.unlink()
    copy.parent.rmdir()


def test_srun_does_not_know_the_option_and_doctor_says_why(cluster: Cluster, plugin: Path) -> None:
    line = f"optional {plugin} muster={cluster.prefix}/bin/muster"
    with cluster.plugstack_line(line):
        plain = cluster.run("srun -N2 -n2 true")
        refused = cluster.run(STEP)
        said = cluster.run(f"{cluster.prefix}/bin/muster doctor --here")
    assert plain.code == 0, plain.err
    assert refused.code != 0
    assert "unrecognized option '--distributed=torch'" in refused.err
    assert f"optional {plugin} is for {OTHER}, but this host is {platform.machine()}" in said.out


def test_a_required_plugin_stops_every_srun_of_the_host_and_names_the_file(cluster: Cluster, plugin: Path) -> None:
    with cluster.plugstack_line(f"required {plugin}"):
        refused = cluster.run("srun -N2 -n2 true")
    assert refused.code != 0
    assert str(plugin) in refused.err


def test_a_node_with_such_a_plugin_is_named(cluster: Cluster, plugin: Path, impatient: Path) -> None:
    own = next(file for file in cluster.prefix.rglob("muster.so") if file != plugin)
    with cluster.plugstack("optional", config=impatient), cluster.covered("node2", own, plugin):
        result = cluster.run(STEP.replace("bash -c 'echo $RANK'", "sleep 3"))
        said = cluster.node("node2", f"{cluster.prefix}/bin/muster doctor --here || true")
    assert result.code != 0
    (told,) = result.complaints
    assert "node2" in told
    assert "muster.so in its plugstack.conf" in told
    assert f"is for {OTHER}, but this host is {platform.machine()}" in said


def test_an_agent_for_another_architecture_ends_the_step_with_one_line(cluster: Cluster, impatient: Path) -> None:
    agent = cluster.prefix / "bin/muster-agent"
    copy = cluster.prefix / "foreign-agent"
    copy.write_bytes(foreign(agent, ITANIUM))
    copy.chmod(0o711)
    try:
        with cluster.plugstack("optional", config=impatient), cluster.covered("node2", agent, copy):
            result = cluster.run(STEP)
    finally:
        copy.unlink()
    assert result.code != 0
    assert f"{agent} is not a program for this node's architecture" in result.err
