"""Slurm 24.05 and newer can run plugins in a process of their own (SlurmdParameters=contain_spank)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster

CHECKOUT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.contain_spank


@pytest.fixture(scope="module")
def contained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    conf = tmp_path_factory.mktemp("contained") / "slurm.conf"
    conf.write_text("SlurmdParameters=contain_spank,config_overrides\n")
    build = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))
    cluster = Cluster(f"contained-{os.getpid()}", nodes=2, build=build, more=["--slurm-conf", str(conf)])
    try:
        yield cluster
    finally:
        cluster.end_all()
        cluster.down()


def test_a_step_that_uses_muster_is_refused_by_one_line(contained: Cluster) -> None:
    result = contained.srun("--distributed=torch -N1 -n2 echo started")
    assert result.code != 0
    assert result.out == ""
    (line,) = [line for line in result.complaints if "muster: " in line]
    assert "contain_spank" in line
    contained.await_clean()


def test_other_steps_run(contained: Cluster) -> None:
    assert contained.srun("-N2 -n2 echo started").lines == ["started"] * 2
