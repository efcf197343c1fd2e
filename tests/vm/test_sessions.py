"""Logins on a node: logind's RemoveIPC when the last one ends, and pam_slurm_adopt, which admits users with a job only."""

import contextlib
import json
from collections.abc import Iterator

import pytest
from lab import PROGRAMS, Lab
from waiting import wait_until


@contextlib.contextmanager
def batch_job(lab: Lab, seconds: int) -> Iterator[None]:
    """Two ranks, one of which fails after this time. Nobody is logged in for it."""
    lab.root("install -o alice -m 755 /dev/stdin /home/alice/fault", stdin=(PROGRAMS / "fault").read_text())
    lab.end_logins(1)
    lab.root("rm -f /home/alice/report.json /home/alice/out")
    lab.without_login("sbatch -N1 -n2 -o out --wrap='srun --distributed=torch,grace=5,report=report.json "
                      f"./fault exit 1 {seconds}'")
    wait_until(lambda: lab.root("cat /home/alice/out 2>/dev/null || true").count("ready") == 2, 240, "both ranks")
    yield
    wait_until(lambda: not lab.root("squeue -h").strip(), 400, "the end of the job")
    report = json.loads(lab.root("cat /home/alice/report.json"))
    assert (report["first"]["rank"], report["first"]["code"]) == (1, 7), report


def test_the_last_logout_of_its_user_does_no_harm_to_a_step(lab: Lab) -> None:
    """logind then removes the user's files in /dev/shm, such as the cache of the topology."""
    with batch_job(lab, 120):
        assert lab.run("echo mine >/dev/shm/of-alice").code == 0
        lab.end_logins(1)
        wait_until(lambda: lab.root("ls /dev/shm/of-alice 2>/dev/null || true") == "", 100, "RemoveIPC")
        assert "fault" in lab.root("ps -u alice -o args=")


@pytest.fixture
def adopting(lab: Lab) -> Iterator[Lab]:
    """Debian's profile for pam_slurm_adopt replaces pam_systemd, as Slurm's guide asks for."""
    lab.root("cp -a /etc/pam.d /run/pam.d && sed -i '/pam_systemd/d' /etc/pam.d/common-session && "
             "sed -i 's/^@include common-account/&\\naccount required pam_slurm_adopt.so/' /etc/pam.d/sshd")
    try:
        yield lab
    finally:
        lab.root("cp -a /run/pam.d/. /etc/pam.d/ && rm -r /run/pam.d")


def test_a_login_that_slurm_adopts_is_no_part_of_the_step(adopting: Lab) -> None:
    def login(words: str) -> str:
        return adopting.without_login(f"ssh -o BatchMode=yes -o KexAlgorithms=curve25519-sha256 vm1 {words} 2>&1 || true")

    assert "/job_" not in login("cat /proc/self/cgroup")
    with batch_job(adopting, 150):
        assert "/step_extern/" in login("cat /proc/self/cgroup")
        login("'kill -KILL $$'")  # a death in the job, but in none of the step's ranks
    assert "out of memory" not in adopting.root("cat /home/alice/out")
