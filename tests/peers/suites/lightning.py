"""Lightning: how it reads its place from Slurm's and torchrun's variables, and its signal handlers, in a task of a
step."""

from pathlib import Path

from pytest_suite import Files

SOURCES = "pytorch-lightning"


def files(sources: Path, python: str) -> Files:
    task = ("srun", "--ntasks=1", "--cpus-per-task=2")
    return Files(sources / SOURCES / "tests", [
        "tests_fabric/plugins/environments/test_slurm.py",
        "tests_fabric/plugins/environments/test_torchelastic.py",
        "tests_pytorch/trainer/connectors/test_signal_connector.py",
    ], python, inside={"own": task, "muster": (*task, "--distributed=lightning")}, path=(".",))
