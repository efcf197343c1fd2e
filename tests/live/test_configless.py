"""A configless cluster: slurmd fetches its configuration from slurmctld, and no node has a configuration file."""

import contextlib
from collections.abc import Iterator

import pytest
import releases
from cluster import Cluster
from own_cluster import own_cluster
from waiting import wait_until

STEP = "--distributed=torch -N2 -n2 ./meet"
SENDS_INCLUDED_FILES = (23, 11)  # the first Slurm that sends files that plugstack.conf includes by a bare name
WITHOUT = "no-muster.so-on-this-node"


@pytest.fixture(scope="module")
def configless() -> Iterator[Cluster]:
    with own_cluster("configless", 2, "--configless") as cluster:
        yield cluster


@contextlib.contextmanager
def included(cluster: Cluster, file: str, pattern: str) -> Iterator[None]:
    """The plugin's line is in `file` next to slurm.conf, and plugstack.conf includes `pattern`."""
    line = cluster.plugstack_file.read_text()
    target = cluster.state / "etc" / file
    target.write_text(line)
    send(cluster, f"include {pattern}\n")
    try:
        yield
    finally:
        target.unlink()
        send(cluster, line)


def send(cluster: Cluster, plugstack: str) -> None:
    """Does what an administrator does after a change: slurmctld sends its files again."""
    cluster.plugstack_file.write_text(plugstack)
    cluster.run("scontrol reconfigure", user="root")
    for node in cluster.nodes:
        wait_until(lambda node=node: fetched(cluster, node) == plugstack, 20, f"the new plugstack.conf on {node}")


def fetched(cluster: Cluster, node: str) -> str:
    return (cluster.state / "spool" / node / "conf-cache" / "plugstack.conf").read_text()


def test_no_node_has_a_file_of_the_configuration(configless: Cluster) -> None:
    for node in configless.nodes:
        assert configless.node(node, f"ls {configless.state}/etc") == ""
        assert "conf-cache/slurm.conf" in configless.srun(f"-w {node} -n1 bash -c 'echo $SLURM_CONF'").out


def test_a_line_in_plugstack_conf_itself_reaches_every_node(configless: Cluster) -> None:
    result = configless.srun(STEP)
    assert result.code == 0, result.err
    assert len(result.lines) == 2
    assert result.complaints == []
    configless.await_clean()


def test_a_batch_script_on_a_node_uses_it_too(configless: Cluster) -> None:
    result = configless.sbatch(f"#!/bin/sh\nsrun {STEP}\n", "-N2 -n2")
    assert result.code == 0, result.out
    assert len(result.lines) == 2
    configless.await_clean()


def test_a_file_that_is_included_by_its_bare_name_reaches_nodes_of_newer_slurm(configless: Cluster) -> None:
    with included(configless, "muster.conf", "muster.conf"):
        assert ranks(configless) == (["0", "1"] if releases.slurm() >= SENDS_INCLUDED_FILES else [WITHOUT] * 2)


def test_what_is_included_by_a_wildcard_reaches_no_node_and_the_ranks_say_so(configless: Cluster) -> None:
    with included(configless, "plugstack.conf.d/muster.conf", f"{configless.state}/etc/plugstack.conf.d/*.conf"):
        assert ranks(configless) == [WITHOUT] * 2


def ranks(cluster: Cluster) -> list[str]:
    """The tasks' values of RANK."""
    result = cluster.srun("--distributed=torch -N2 -n2 bash -c 'echo $RANK'")
    assert result.code == 0, result.err
    cluster.await_clean()
    return sorted(result.lines)
