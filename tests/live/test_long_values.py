"""A variable longer than Linux allows is in a file that its task can read as long as the step runs."""

import pytest
from cluster import Cluster

TASKS = 24
REPEATED = 300
LIMIT = 128 * 1024
STEP = f"--distributed=long --overcommit -N3 -n{TASKS}"


@pytest.fixture(autouse=True)
def long_profile(cluster: Cluster) -> None:
    """A user's profile in which every task's value differs and is made of known parts."""
    many = ",".join(["{endpoints}"] * REPEATED)
    cluster.write(".config/muster/profiles/long.yaml",
                  f"environment:\n  WORKERS: '{{rank}} {many}'\n  PART: '{{endpoints}}'\n")


def test_every_task_can_read_its_own_value_and_nobody_else_can(cluster: Cluster) -> None:
    said = cluster.srun(f"{STEP} bash -c 'stat -c %U:%a $WORKERS_FILE; cp $WORKERS_FILE value-$SLURM_PROCID; "
                        "echo $PART > part-$SLURM_PROCID'")
    assert said.code == 0, said.err
    assert said.lines == ["alice:600"] * TASKS
    for rank in range(TASKS):
        part = (cluster.home / f"part-{rank}").read_text().strip()
        value = (cluster.home / f"value-{rank}").read_text()
        assert value == f"{rank} " + ",".join([part] * REPEATED)
        assert len(value) > LIMIT
    assert len([line for line in said.complaints if "WORKERS_FILE" in line]) == 1


def test_the_file_goes_with_its_step(cluster: Cluster) -> None:
    result = cluster.srun(f"{STEP} bash -c 'echo $(hostname):$WORKERS_FILE'")
    assert result.code == 0, result.err
    assert len(set(result.lines)) == TASKS
    for node, _, file in (line.partition(":") for line in result.lines):
        assert cluster.node(node, f"test -e {file} || echo gone").strip() == "gone"


def test_a_value_that_the_user_exported_does_not_stay_beside_it(cluster: Cluster) -> None:
    result = cluster.srun(f"{STEP} bash -c 'echo ${{WORKERS-unset}}'", env={"WORKERS": "stale"})
    assert result.code == 0, result.err
    assert result.lines == ["unset"] * TASKS
