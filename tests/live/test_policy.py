"""A user who bypasses the srun side of muster still cannot get what the site's policy forbids: the node's agent checks
the request against the node's own file."""

import shlex
from collections.abc import Iterator

import pytest
from cluster import Cluster
from command import Result

WORDS = "torch,bind=none"


@pytest.fixture(autouse=True)
def policy(cluster: Cluster) -> Iterator[None]:
    config = cluster.site_file("policy.yaml", "policy:\n  forbid: [bind=none]\n")
    with cluster.plugstack("optional", config=config):
        yield


def check_refused_by_node(cluster: Cluster, result: Result) -> None:
    assert result.code != 0
    assert result.out == ""
    (line,) = [line for line in result.complaints if "bind=none: the site's policy" in line]
    assert "policy.yaml:2:12" in line
    cluster.await_clean()


def forged_request(cluster: Cluster, words: str = WORDS, own_file: str = "{}\n") -> str:
    """What a supervisor without a policy sends: `printenv` takes srun's place."""
    muster = cluster.prefix / "bin" / "muster"
    own = cluster.write("mine.yaml", own_file)
    srun = cluster.write("srun", PRINT)
    srun.chmod(0o755)
    result = cluster.run(f"{muster} supervise --config={own} --trust-any-owner --distributed={words} -- {srun} -n1 true")
    assert result.code == 0, result.err
    return result.out.removesuffix("\n")


PRINT = """#!/bin/bash
[[ $1 == --mpi=list ]] || printenv SLURM_MUSTER_REQUEST
"""


def test_what_is_allowed_starts(cluster: Cluster) -> None:
    assert cluster.srun("--distributed=torch -N2 -n2 echo started").lines == ["started"] * 2


def test_a_supervisor_with_a_file_of_the_users_is_refused(cluster: Cluster) -> None:
    own = cluster.write("mine.yaml", "{}\n")
    muster = cluster.prefix / "bin" / "muster"
    check_refused_by_node(cluster, cluster.run(
        f"{muster} supervise --config={own} --trust-any-owner --distributed={WORDS} -- srun -N2 -n2 echo started"))


def test_a_forged_request_is_refused(cluster: Cluster) -> None:
    request = forged_request(cluster)
    assert "4:bind" in request
    check_refused_by_node(cluster, cluster.srun("-N1 -n1 echo started", env={"SLURM_MUSTER_REQUEST": request}))


def test_a_forged_request_that_names_the_site_as_its_source_is_refused(cluster: Cluster) -> None:
    request = forged_request(cluster, "torch", "defaults: {bind: none}\n")
    assert "4:bind" in request
    check_refused_by_node(cluster, cluster.srun("-N1 -n1 echo started", env={"SLURM_MUSTER_REQUEST": request}))


def test_another_slurm_conf_is_refused(cluster: Cluster) -> None:
    plugin, muster = next(cluster.prefix.rglob("muster.so")), cluster.prefix / "bin" / "muster"
    config = cluster.write("mine.yaml", "{}\n")
    own = cluster.write("plugstack.conf", f"optional {plugin} muster={muster} config={config} trust_any_owner\n")
    conf = (cluster.state / "etc" / "slurm.conf").read_text()
    lines = [line for line in conf.splitlines() if not line.startswith("PlugStackConfig")]
    mine = cluster.write("slurm.conf", "\n".join([*lines, f"PlugStackConfig={own}"]) + "\n")
    check_refused_by_node(cluster, cluster.srun(f"--distributed={WORDS} -N2 -n2 echo started",
                                                env={"SLURM_CONF": str(mine)}))


def test_a_guard_made_by_hand_is_refused(cluster: Cluster) -> None:
    line = f"MUSTER_SUPERVISOR=$$ exec srun --distributed={WORDS} -N1 -n1 echo started"
    result = cluster.run(f"bash -c {shlex.quote(line)}")
    assert result.code != 0
    assert result.out == ""
    assert any("bind=none" in line and "policy.yaml" in line for line in result.complaints), result.err
