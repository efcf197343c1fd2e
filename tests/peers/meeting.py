"""The agents of one run, in the order in which they came. torch's agents meet by a rendezvous of their own; here the first
of them starts the ranks of all."""

import json
import os
import pickle
import subprocess
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import muster_run

LAST_CALL = 30  # seconds that the agents wait for one more once there are enough, as torch's do


def nodes(count: int) -> list[str]:
    """As many nodes of the cluster."""
    found = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%N"], capture_output=True, text=True,
                           check=True).stdout.split()
    assert len(found) >= count, f"the cluster has {len(found)} nodes, and the case needs {count}"
    return found[:count]


class Meeting:
    """The agents of a run, in the order in which they came. The first of them starts the ranks of all."""

    def __init__(self, run_id: str) -> None:
        self.folder = Path(os.environ["PEERS_SHARED"]) / f"run-{run_id}"
        self.folder.mkdir(exist_ok=True)
        self.number = 0
        while True:
            try:
                self._place(self.number).mkdir()
                return
            except FileExistsError:
                self.number += 1

    def _place(self, number: int) -> Path:
        return self.folder / f"agent-{number}"

    def bring(self, task: dict[str, Any]) -> None:
        partial = self._place(self.number) / "part"
        partial.write_bytes(pickle.dumps(task))
        partial.rename(self._place(self.number) / "task")

    def await_all(self, least: int, most: int) -> list[dict[str, Any]]:
        seen, changed = 0, time.monotonic()
        while seen < most and (seen < least or time.monotonic() - changed < LAST_CALL):
            now = len(list(self.folder.glob("agent-*/task")))
            if now != seen:
                seen, changed = now, time.monotonic()
            time.sleep(0.05)
        return [pickle.loads((self._place(number) / "task").read_bytes()) for number in range(seen)]

    def end(self, ended: muster_run.Ended, agents: int) -> None:
        partial = self.folder / "ended.part"
        partial.write_text(json.dumps({**asdict(ended), "agents": agents}))
        partial.rename(self.folder / "ended")

    def await_end(self) -> muster_run.Ended:
        while not (self.folder / "ended").exists():
            time.sleep(0.05)
        return muster_run.Ended(**json.loads((self.folder / "ended").read_text()))

    def values(self) -> dict[int, Any]:
        """What the functions of this agent's ranks returned."""
        return {int(file.name.split(".")[1]): pickle.loads(file.read_bytes())
                for file in self._place(self.number).glob("value.*")}

    def error_file(self, rank: int) -> str:
        return str(next(self.folder.glob(f"agent-*/error.{rank}"), ""))
