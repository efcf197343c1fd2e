"""A node whose prolog takes longer than the others': its agent starts later."""

from collections.abc import Iterator

import pytest
from cluster import Cluster
from own_cluster import own_cluster

PROLOG = "#!/bin/bash\n[[ $SLURMD_NODENAME != node2 ]] || sleep 5\n"


@pytest.fixture(scope="module")
def slow() -> Iterator[Cluster]:
    with own_cluster("slow", 2, conf="Prolog=@STATE@/etc/prolog\n", etc={"prolog": PROLOG}) as cluster:
        yield cluster


def test_agents_wait_for_a_node_whose_prolog_takes_less_than_the_site_allows(slow: Cluster) -> None:
    result = slow.srun("--distributed=torch -N2 -n2 bash -c 'echo $RANK'")
    assert result.code == 0, result.err
    assert sorted(result.lines) == ["0", "1"]
    assert result.seconds > 5


def test_where_it_takes_longer_one_line_names_the_node_and_what_to_set(slow: Cluster) -> None:
    with slow.plugstack("optional", config=slow.site_file("impatient.yaml", "gather_timeout: 2\n")):
        result = slow.srun("--distributed=torch -N2 -n2 echo started")
    assert result.code != 0
    assert result.out == ""
    (line,) = [line for line in result.complaints if "no word from node2" in line]
    assert "raise gather_timeout in muster.yaml" in line
