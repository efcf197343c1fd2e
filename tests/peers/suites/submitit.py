"""submitit: its tests of Slurm and of its helpers, in a task of a step."""

from pathlib import Path

from pytest_suite import Files

SOURCES = "submitit"


def files(sources: Path, python: str) -> Files:
    task = ("srun", "--ntasks=1", "--cpus-per-task=2")
    return Files(sources / SOURCES, ["submitit/slurm/test_slurm.py", "submitit/test_helpers.py"], python,
                 inside={"own": task, "muster": (*task, "--distributed=torch")})
