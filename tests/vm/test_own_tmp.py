"""job_container/tmpfs: a /tmp for each job, in a mount namespace that slurmd makes on a real kernel."""

from collections.abc import Iterator

import pytest
from lab import PROGRAMS, Lab


@pytest.fixture
def private(lab: Lab) -> Iterator[Lab]:
    lab.everywhere("cp /etc/slurm/slurm.conf /run/slurm.conf && "
                   "echo JobContainerType=job_container/tmpfs >>/etc/slurm/slurm.conf && "
                   "printf 'AutoBasePath=true\\nBasePath=/var/lib/slurm/containers\\nDirs=/tmp,/dev/shm\\n' >/etc/slurm/job_container.conf")
    try:
        lab.restart_slurm()
        yield lab
    finally:
        lab.everywhere("cat /run/slurm.conf >/etc/slurm/slurm.conf && rm /etc/slurm/job_container.conf")
        lab.restart_slurm()


def test_an_exception_is_named_and_nothing_stays_behind(private: Lab) -> None:
    private.root("su alice -c 'touch /tmp/of-the-node'")
    assert private.srun("-n1 ls /tmp/of-the-node").code != 0  # otherwise nothing would be proved
    private.give(PROGRAMS / "fault")
    before = private.root("ls -A /tmp")
    failed = private.fail("-n4 ./fault exception 2", timeout=300)
    assert failed.first["rank"] == 2, failed.result.err
    assert "ValueError: boom: the data ended" in failed.result.err
    assert private.root("ls -A /tmp") == before
    private.root("rm /tmp/of-the-node")
