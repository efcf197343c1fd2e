"""The processes of a cluster node, seen from outside through /proc."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    uid: int
    name: str
    command: str

    def __str__(self) -> str:
        return f"{self.pid} (uid {self.uid}) {self.name}: {self.command}"


def network_namespace(pid: int) -> str:
    return os.readlink(f"/proc/{pid}/ns/net")


def read_process(pid: int) -> Process:
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return Process(pid, int(status["PPid"]), int(status["Uid"].split()[0]), status["Name"].strip(), command.strip())


def processes_beside(holder: int) -> Iterator[Process]:
    """All processes in the network namespace of `holder`; each node has its own."""
    wanted = network_namespace(holder)
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            if network_namespace(int(entry)) == wanted:
                yield read_process(int(entry))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it ended in the meantime
