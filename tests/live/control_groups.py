"""Slurm's version 1 control groups: a cluster that confines its steps, and processes that no signal can end."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from waiting import wait_until

GROUPS = Path("/sys/fs/cgroup")
CONF = "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=200\nUnkillableStepTimeout=60\n"
CGROUP_CONF = ("CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nConstrainCores=yes\nConstrainRAMSpace=yes\n"
               "AllowedSwapSpace=0\nConstrainSwapSpace=yes\n")


def is_removed(group: Path) -> bool:
    """A process that has just ended may remain in it for a moment; slurmstepd does not wait for that and leaves the
    group behind."""
    for path, _, _ in os.walk(group, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(path)
    return not group.exists()


def freezers(pid: int) -> Path:
    groups = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    (path,) = [line.split(":")[2] for line in groups if line.split(":")[1] == "freezer"]
    return GROUPS / "freezer" / path.lstrip("/")


@contextlib.contextmanager
def frozen(pid: int) -> Iterator[None]:
    """Puts the process into its own frozen group: no signal ends it, as in uninterruptible sleep."""
    before, group = freezers(pid), GROUPS / "freezer" / f"muster-frozen-{pid}"
    group.mkdir()
    try:
        (group / "cgroup.procs").write_text(str(pid))
        (group / "freezer.state").write_text("FROZEN")
        wait_until(lambda: (group / "freezer.state").read_text() == "FROZEN\n", 5, "a frozen rank")
        yield
    finally:
        (group / "freezer.state").write_text("THAWED")
        with contextlib.suppress(OSError):
            (before / "cgroup.procs").write_text(str(pid))
        wait_until(lambda: not (group / "cgroup.procs").read_text(), 10, "the end of what was frozen")
        wait_until(lambda: is_removed(group), 10, f"the end of {group}")
