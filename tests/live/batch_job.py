"""One of alice's batch jobs, and what Slurm and its output say about it."""

import re

from cluster import Cluster
from restarted import Rank, ranks_in
from waiting import wait_until

ENDED = ("COMPLETED", "FAILED", "CANCELLED", "PREEMPTED", "TIMEOUT")


def field(name: str, line: str) -> str:
    """A field of a line of `scontrol -o show`; empty if it is missing."""
    found = re.search(rf"\b{name}=(\S+)", line)
    return found[1] if found else ""


class BatchJob:
    def __init__(self, cluster: Cluster, script: str, options: str) -> None:
        """`script`: what follows the first line. `text` contains the output of all its runs."""
        self.cluster = cluster
        for pattern in ("writes.*", "checkpoint.*", "mixed.*", "batch.out"):
            for old in cluster.home.glob(pattern):
                old.unlink()
        cluster.write("batch.sh", f"#!/bin/bash\n{script}\n")
        submitted = cluster.run(f"sbatch --parsable --open-mode=append -o batch.out {options} batch.sh")
        assert submitted.code == 0, submitted.err
        self.number = submitted.out.strip()

    @property
    def text(self) -> str:
        out = self.cluster.home / "batch.out"
        return out.read_text() if out.exists() else ""

    def shown(self, name: str) -> str:
        return field(name, self.cluster.run(f"scontrol -o show job {self.number}").out)

    @property
    def state(self) -> str:
        return self.shown("JobState")

    def ready(self, attempt: int) -> list[Rank]:
        return [rank for rank in ranks_in(self.text) if rank.attempt == attempt]

    @property
    def done(self) -> set[int]:
        """The attempts whose ranks have finished."""
        return {rank.attempt for rank in ranks_in(self.text, "done")}

    def await_text(self, text: str, timeout: float = 60) -> None:
        """Fails as soon as the job has ended without printing the text."""
        wait_until(lambda: text in self.text or self.state in ENDED, timeout, f"{text!r} in {self.text}")
        assert text in self.text, self.text

    def await_attempt(self, attempt: int, ranks: int, timeout: float = 60) -> None:
        wait_until(lambda: len(self.ready(attempt)) == ranks, timeout, f"attempt {attempt} of {ranks} ranks")

    def await_end(self, timeout: float = 60) -> str:
        try:
            wait_until(lambda: self.state in ENDED, timeout, "the job's end")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.text}") from None
        return self.state
