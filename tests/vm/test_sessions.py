"""Logins on a node: logind's RemoveIPC when the last one ends, and pam_slurm_adopt, which lets in only who has a job."""

from collections.abc import Iterator

import pytest
from lab import PROGRAMS, Lab
from waiting import wait_until


def test_the_last_logout_of_its_user_does_no_harm_to_a_step(lab: Lab) -> None:
    """logind then removes the user's files in /dev/shm, among them the cache of the topology."""
    lab.give(PROGRAMS / "fault")
    lab.root("install -m 755 /dev/stdin /usr/local/bin/fault", stdin=(PROGRAMS / "fault").read_text())
    lab.root("su alice -c 'cd && sbatch -n2 -o out --wrap=\"srun --distributed=torch,grace=5,report=report.json "
             "fault exit 1 90\"'")
    wait_until(lambda: lab.root("cat /home/alice/out 2>/dev/null || true").count("ready") == 2, 240, "ranks")
    lab.root("su alice -c 'echo mine >/dev/shm/of-alice'")
    lab.root("loginctl terminate-user alice || true")
    wait_until(lambda: lab.root("loginctl --no-legend list-users").count("alice") == 0, 60, "the end of alice's logins")
    lab.end_logins(1)
    assert lab.root("ls /dev/shm/of-alice 2>/dev/null || true") == ""  # RemoveIPC did its work
    wait_until(lambda: not lab.root("squeue -h").strip(), 240, "the end of the job")
    report = lab.root("cat /home/alice/report.json /home/alice/out")
    assert '"rank": 1' in report or '"rank":1' in report, report


@pytest.fixture
def adopting(lab: Lab) -> Iterator[Lab]:
    lab.root("cp /etc/pam.d/sshd /run/sshd.pam && cp /etc/pam.d/sshd /run/sshd.new && "
             "echo 'account required pam_slurm_adopt.so' >>/run/sshd.new && cat /run/sshd.new >/etc/pam.d/sshd")
    lab.root("systemctl mask --runtime --now systemd-logind && sed -i '/pam_systemd/d' /etc/pam.d/common-session")
    try:
        yield lab
    finally:
        lab.root("cat /run/sshd.pam >/etc/pam.d/sshd; systemctl unmask --runtime systemd-logind; systemctl start systemd-logind;"
                 " grep -q pam_systemd /etc/pam.d/common-session || echo 'session optional pam_systemd.so' >>/etc/pam.d/common-session")


# As root, who is not asked by pam_slurm_adopt, on the machine itself.
def test_a_login_that_is_adopted_by_the_job_is_no_part_of_the_step(adopting: Lab) -> None:
    adopting.root("install -m 755 /dev/stdin /usr/local/bin/fault", stdin=(PROGRAMS / "fault").read_text())
    login = "su alice -c 'ssh -o BatchMode=yes vm1 cat /proc/self/cgroup'"
    assert "/job_" not in adopting.root(f"{login} 2>&1 || true")
    adopting.root("su alice -c 'cd && rm -f report.json && sbatch -n2 -o out --wrap=\"srun "
                  "--distributed=torch,grace=5,report=report.json fault exit 1 120\"'")
    wait_until(lambda: adopting.root("cat /home/alice/out 2>/dev/null || true").count("ready") == 2, 240, "ranks")
    assert "/step_extern/" in adopting.root(login)
    # A login's process that dies is none of the step's.
    adopting.root("su alice -c 'ssh -o BatchMode=yes vm1 \"sh -c \\\"kill -KILL \\$\\$\\\"\"' || true")
    wait_until(lambda: not adopting.root("squeue -h").strip(), 300, "the end of the job")
    shown = adopting.root("cat /home/alice/out")
    assert "rank 1" in shown and "out of memory" not in shown
