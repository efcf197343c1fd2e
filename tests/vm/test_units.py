"""slurmd's unit as hardened as Slurm itself still works with: muster's agent and plugin inherit all of it."""

from collections.abc import Iterator

import pytest
from lab import PROGRAMS, Lab

PLACE = "/run/systemd/system/slurmd.service.d"
HARDENED = """[Service]
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=/var/lib/slurm /var/log/slurm /run /home /tmp /dev/shm /sys/fs/cgroup
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectClock=yes
ProtectHostname=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
"""




@pytest.fixture
def hardened(lab: Lab) -> Iterator[Lab]:
    lab.root(f"mkdir -p {PLACE} && cat >{PLACE}/hardened.conf && systemctl daemon-reload", stdin=HARDENED)
    try:
        lab.root("systemctl restart slurmd")  # each slurmstepd is its child
        lab.await_idle()
        yield lab
    finally:
        lab.root(f"rm -r {PLACE} && systemctl daemon-reload && systemctl restart slurmd")
        lab.await_idle()


def test_a_step_runs_and_its_failure_is_reported(hardened: Lab) -> None:
    plain = hardened.srun("-n1 sh -c 'grep NoNewPrivs /proc/self/status; touch /usr/forbidden || echo read-only'")
    assert "NoNewPrivs:\t1" in plain.out and "read-only" in plain.out, plain.out + plain.err
    hardened.give(PROGRAMS / "fault")
    well = hardened.srun("--distributed=torch -n4 sh -c 'echo $RANK'")
    assert (well.code, sorted(well.lines)) == (0, ["0", "1", "2", "3"]), well.err
    failed = hardened.fail("-n2 ./fault exception 1", timeout=300)
    assert failed.first["rank"] == 1, failed.result.err
    assert "boom: the data ended" in failed.result.err
