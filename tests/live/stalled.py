"""A file system on a node whose server is gone: a process that accesses it waits and cannot be killed."""

from collections.abc import Callable

from cluster import PROGRAMS, Cluster

STILL = "/dev/shm/still"


class Mount:
    """A file system on a node, mounted at STILL by default, which answers until it is told to stop."""

    def __init__(self, cluster: Cluster, node: str, place: str = STILL) -> None:
        self._place = place
        cluster.give("alice", PROGRAMS / "standing_still")
        self._run: Callable[[str], str] = lambda line: cluster.node(node, line)
        self._run(f"mkdir -p {place}; setsid {cluster.home}/standing_still {place} > {STILL}.log 2>&1 < /dev/null & "
                  f"echo $! > {STILL}.pid; until grep -qs mounted {STILL}.log; do sleep 0.1; done")

    def stand_still(self) -> None:
        self._run(f"kill -USR1 $(cat {STILL}.pid)")

    def end(self) -> None:
        """Call it before waiting for any process, because a process that waits for the file system cannot be killed."""
        self._run(f"kill $(cat {STILL}.pid); umount --lazy {self._place}; rm -rf {self._place} {STILL}.log {STILL}.pid")
