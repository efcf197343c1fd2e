"""Real programs of real frameworks: how each is started, and what its ranks reported about themselves."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from cluster import Cluster
from command import Result

ENVIRONMENTS = Path(os.environ.get("MUSTER_FRAMEWORKS", ""))
PROGRAMS = Path(__file__).resolve().parent / "programs"
SAID = re.compile(r"^rank (\d+) of (\d+) sum (\d+) on (\w+)", re.MULTILINE)
MPI_CRASHED = "Signal: Segmentation fault"  # from Open MPI's message
PATIENCE = 300  # seconds; on a busy machine, just importing TensorFlow takes tens of seconds


@dataclass(frozen=True)
class Framework:
    profile: str
    environment: str  # below ENVIRONMENTS; empty for the system's own Python
    program: str
    starter: str = "python"

    def command(self) -> str:
        starter = ENVIRONMENTS / self.environment / "bin" / self.starter if self.environment else "/usr/bin/python3"
        return f"{starter} {self.program}"

    def srun(self, cluster: Cluster, options: str, arguments: str = "", **more) -> Result:
        return self.run(cluster, f"srun --distributed={self.profile} {options} {self.command()} {arguments}", **more)

    # On a busy machine, Debian 12's Open MPI sometimes crashes in MPI_Init, under plain `srun --mpi=pmix` as often as
    # under muster: in 2 of 60 and 3 of 60 steps. No other failure is retried.
    def run(self, cluster: Cluster, line: str, **more) -> Result:
        for _ in range(3 if self is MPI else 1):
            result = cluster.run(line, **{"timeout": PATIENCE, **more})
            if MPI_CRASHED not in result.err:
                break
        return result


TORCH = Framework("torch", "torch", "torch_sum.py")
TORCHRUN = Framework("torchrun", "torch", "torch_sum.py", "torchrun")
LIGHTNING = Framework("lightning", "torch", "lightning_sum.py")
ACCELERATE = Framework("accelerate", "torch", "accelerate_sum.py")
DEEPSPEED = Framework("deepspeed", "torch", "deepspeed_sum.py")
JAX = Framework("jax", "jax", "jax_sum.py")
TENSORFLOW = Framework("tensorflow", "tensorflow", "tensorflow_sum.py")
MPI = Framework("mpi", "", "mpi_sum.py")


# The programs write each line in one go. With PYTHONUNBUFFERED, print() writes the text and the line end separately,
# and the lines of one torchrun's workers would mix.
def hosts(result: Result) -> dict[int, str]:
    """Maps rank to host, for ranks that form one group: all know its size, and the sum of their numbers was computed
    through it."""
    assert result.code == 0, f"{result.out}{result.err}"
    said = SAID.findall(result.out)
    world = len(said)
    assert world > 0, f"{result.out}{result.err}"
    assert {(int(size), int(total)) for _, size, total, _ in said} == {(world, world * (world - 1) // 2)}, result.out
    return {int(rank): host for rank, _, _, host in said}


def hosts_by_slurm(cluster: Cluster, options: str) -> dict[int, str]:
    """The same mapping for a plain step with the same options."""
    told = cluster.srun(f"{options} bash -c 'echo $SLURM_PROCID $(hostname)'")
    assert told.code == 0, told.err
    return {int(task): host for task, host in map(str.split, told.lines)}
