"""A small port storm: simultaneous steps of three users while clients take ephemeral ports.

scripts/bench storm does the same with a thousand launches, and compares other rules.
"""

import sys
from collections.abc import Iterator

import pytest
from cluster import CHECKOUT, SCRIPT, Cluster

sys.path.append(str(CHECKOUT / "tests" / "bench"))

from storm_count import MIXED, TAKEN  # noqa: E402
from storm_plan import jobs  # noqa: E402
from storm_rules import RULES  # noqa: E402
from storm_site import StormSite  # noqa: E402

MUSTER, FIXED = RULES[0], RULES[-1]
ATTEMPTS = 3
AT_ONCE = 4  # steps on a node: it has few CPUs, which jobs share


@pytest.fixture(scope="module")
def site(whole_cluster: Cluster) -> Iterator[StormSite]:
    words = [str(SCRIPT), "--name", whole_cluster.name]
    yield StormSite(words, whole_cluster.state, len(whole_cluster.nodes), first_job=1)


def storm(site: StormSite, rule, launches: int, srun: list[str] | None = None):
    """Repeats the round if Slurm's own slurmd has died (22.05's sometimes does): such a round says nothing about
    ports."""
    for attempt in range(ATTEMPTS):
        counted = site.run(rule, jobs(7, 0, launches, site.nodes), f"live{attempt}", AT_ONCE, srun)
        if not (dead := site.revive()):
            return counted
    pytest.fail(f"slurmd died in each of {ATTEMPTS} rounds, in the last one on {dead}")


@pytest.mark.slow
def test_of_forty_steps_beside_each_other_none_finds_its_port_taken_or_meets_another(site: StormSite) -> None:
    with site.churn(100):
        counted, failed = storm(site, MUSTER, 40)
    assert not failed
    assert counted.launches == 40
    assert counted.most_at_once > 1


@pytest.mark.slow
def test_with_one_port_for_all_some_find_it_taken_but_none_meets_another(site: StormSite) -> None:
    counted, _ = storm(site, MUSTER, 12, ["--distributed=torch,port=29500"])
    assert counted.kinds[TAKEN] > 0
    assert counted.kinds[MIXED] == 0


@pytest.mark.slow
def test_without_muster_and_with_one_port_for_all_some_do_meet_another(site: StormSite) -> None:
    counted, _ = storm(site, FIXED, 12)
    assert counted.kinds[MIXED] > 0
