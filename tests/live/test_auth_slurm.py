"""AuthType=auth/slurm: Slurm's own credentials. No munged runs, and no host has munge's socket."""

from collections.abc import Iterator

import pytest
from cluster import Cluster
from node_faults import left_usable
from own_cluster import own_cluster
from restarted import Training

pytestmark = pytest.mark.since("24.05")


@pytest.fixture(scope="module")
def whole_own() -> Iterator[Cluster]:
    with own_cluster("authslurm", 3, "--mode", "auth-slurm") as cluster:
        yield cluster


@pytest.fixture
def own(whole_own: Cluster) -> Iterator[Cluster]:
    with left_usable(whole_own) as cluster:
        yield cluster


def test_no_host_has_munge(own: Cluster) -> None:
    """Without this the other tests would show nothing."""
    for host in ("ctl", "login", *own.nodes):
        assert not any(process.name == "munged" for process in own.processes(host))
        assert own.node(host, "ls /run/munge 2>/dev/null || true") == ""


def test_a_training_restarts_and_is_reported(own: Cluster) -> None:
    ended = Training(own, "salloc -Q -N3 -n6 srun OPTION RESUME", keys="restarts=1,grace=1", arguments="0.2 0:1:7").end()
    assert ended.result.code == 0, ended.result.err
    assert (len(ended.of(0)), len(ended.done)) == (6, 6)
    assert ended.report and ended.report["attempts"][0]["result"] == "failed"


def test_doctor_names_the_mode_and_does_not_miss_munge(own: Cluster) -> None:
    result = own.run(f"{own.prefix}/bin/muster doctor -- -N2", timeout=60)
    assert "modes of this Slurm: auth/slurm" in result.lines, result.out + result.err
    assert "munge" not in result.out
