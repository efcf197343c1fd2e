"""The port selection rules that a storm tests: muster's two, and five that others publish."""

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    name: str
    shown: str
    port: Callable[[int], int] | None = None  # by job ID; None: muster chooses
    servers: tuple[str, ...] = ("tcpstore",)  # how rank 0 listens, taken in turns
    leases: bool = True  # whether slurm.conf has MpiParams=ports=

    @property
    def ours(self) -> bool:
        return self.port is None


def submitit(job: int) -> int:
    return random.Random(job).randint(20000, 60000)


BOTH = ("tcpstore", "grpc")
RULES = [
    Rule("muster", "muster, ports leased by Slurm (MpiParams=ports=)", servers=BOTH),
    Rule("muster-range", "muster, no leases: `port_range`", servers=BOTH, leases=False),
    Rule("enroot", "enroot's PyTorch hook: 61000 + job id mod 4536", lambda job: 61000 + job % 4536),
    Rule("lightning", "Lightning: 15000 + the job id's last four digits", lambda job: 15000 + job % 10000),
    Rule("jax", "JAX: 61440 + job id mod 4096, SO_REUSEPORT", lambda job: 61440 + job % 4096, ("grpc",)),
    Rule("submitit", "submitit: random from 20000 to 60000, seeded by the job id", submitit),
    Rule("fixed", "29500: CSCS, NERSC, Accelerate, TorchX", lambda _: 29500),
]


def port_lines(rule: Rule, first_job: int, jobs: int) -> str:
    """One five-digit port per line, starting with the cluster's first job."""
    return "".join(f"{rule.port(job):05d}\n" for job in range(first_job, first_job + jobs))
