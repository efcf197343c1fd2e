"""Mistakes that an administrator may make in plugstack.conf: the plugin twice, no site file, and a word for tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from waiting import wait_until

STEP = "srun --distributed=torch -N2 -n2 bash -c 'echo $RANK'"


@pytest.fixture
def line(cluster: Cluster) -> str:
    return cluster.plugstack_file.read_text().strip()


@pytest.fixture
def other(cluster: Cluster) -> Iterator[Path]:
    """The plugin in another place, as from a second installation."""
    plugin = next(cluster.prefix.rglob("muster.so"))
    copy = cluster.prefix / "other/muster.so"
    copy.parent.mkdir()
    shutil.copy(plugin, copy)
    yield copy
    shutil.rmtree(copy.parent)


def check_one_works(cluster: Cluster, *words: str) -> None:
    result = cluster.run(STEP)
    assert result.code == 0, result.err
    assert sorted(result.lines) == ["0", "1"]
    told = [line for line in result.complaints if "muster: " in line]
    assert told
    for said in told:
        assert "does nothing" in said
        for word in words:
            assert word in said
    cluster.await_clean()


def test_the_plugin_in_two_lines_works_once_and_says_so(cluster: Cluster, line: str) -> None:
    plugin = line.split()[1]
    with cluster.plugstack_line(f"{line}\n{line}"):
        check_one_works(cluster, plugin, "two lines")


def test_two_lines_without_arguments_work_once(cluster: Cluster, line: str) -> None:
    """The plugin's own defaults name another prefix here, so counting the refusals shows how often it runs."""
    bare = " ".join(line.split()[:2])
    with cluster.plugstack_line(f"{bare}\n{bare}"):
        result = cluster.run(STEP)
    assert len([said for said in result.complaints if "cannot use" in said]) == 1, result.err


@pytest.mark.parametrize("first", ["muster", "other"])
def test_two_installations_work_once_and_both_are_named(cluster: Cluster, line: str, other: Path, first: str) -> None:
    plugin = line.split()[1]
    lines = [line, line.replace(plugin, str(other))]
    with cluster.plugstack_line("\n".join(lines if first == "muster" else reversed(lines))):
        check_one_works(cluster, plugin, str(other))


def test_a_missing_site_file_counts_as_empty_unless_it_is_required(cluster: Cluster, line: str) -> None:
    words = [word for word in line.split() if not word.startswith("config=")]
    without = " ".join([*words, f"config={cluster.state}/etc/none.yaml"])
    with cluster.plugstack_line(without):
        assert cluster.run(STEP).code == 0
    with cluster.plugstack_line(f"{without} config_required"):
        result = cluster.run(STEP)
    assert result.code != 0
    (said,) = result.complaints
    assert "none.yaml" in said
    assert "config_required" in said


def test_a_node_without_the_required_site_file_runs_no_training_step(cluster: Cluster, line: str) -> None:
    """Only the submit host has the file."""
    config = cluster.site_file("required.yaml", "{}\n")
    words = [word for word in line.split() if not word.startswith("config=")]
    with cluster.plugstack_line(" ".join([*words, f"config={config} config_required"])):
        assert cluster.run(STEP).code == 0
        cluster.node("node2", f"mount -t tmpfs none {config.parent}")
        try:
            result = cluster.run(STEP)
        finally:
            cluster.node("node2", f"umount --lazy {config.parent}")
    assert result.code != 0
    assert result.out == ""
    (said,) = [line for line in result.complaints if "config_required" in line]
    assert "required.yaml" in said


def test_slurmds_log_says_that_users_are_trusted_and_what_is_wrong_with_the_line(cluster: Cluster, line: str) -> None:
    log = cluster.state / "log" / "slurmd.node3.log"
    before = len(log.read_text())
    with cluster.plugstack_line(f"{line} trust_any_owner timeout=soon"):
        cluster.restart_slurmd("node3")
        # slurmd 24.11 reads the line after it has put itself into the background.
        wait_until(lambda: "slurmd started" in log.read_text()[before:], 20, "slurmd's start")
    text = log.read_text()[before:]
    assert "trust_any_owner in plugstack.conf" in text
    assert "bad argument 'timeout=soon'" in text
    cluster.restart_slurmd("node3")
