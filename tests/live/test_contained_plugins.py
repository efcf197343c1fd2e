"""Slurm 24.05 and newer can run plugins in a separate process (SlurmdParameters=contain_spank)."""

from collections.abc import Iterator

import pytest
from cluster import Cluster
from own_cluster import own_cluster

pytestmark = pytest.mark.contain_spank


@pytest.fixture(scope="module")
def contained() -> Iterator[Cluster]:
    with own_cluster("contained", 2, conf="SlurmdParameters=contain_spank,config_overrides\n") as cluster:
        yield cluster


def test_a_step_that_uses_muster_is_refused_by_one_line(contained: Cluster) -> None:
    result = contained.srun("--distributed=torch -N1 -n2 echo started")
    assert result.code != 0
    assert result.out == ""
    (line,) = [line for line in result.complaints if "muster: " in line]
    assert "contain_spank" in line
    contained.await_clean()


def test_other_steps_run(contained: Cluster) -> None:
    assert contained.srun("-N2 -n2 echo started").lines == ["started"] * 2
