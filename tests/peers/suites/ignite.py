"""ignite: its tests that call torchrun, and its check of what each process sees, as ranks of a step."""

from pathlib import Path

from pytest_suite import Files

SOURCES = "ignite"


def files(sources: Path, python: str) -> Files:
    return Files(sources / SOURCES, ["tests/ignite/distributed/test_launcher.py"], python, as_torchrun=True, path=(".",))
