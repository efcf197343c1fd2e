"""One lab at a time: the files that need one machine run first, then those that need two."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))  # command.py, waiting.py
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lab import Lab  # noqa: E402 (after the path)
from waiting import wait_until  # noqa: E402

SKIPPED = 77  # ctest's code for "not run"
_running: list[Lab] = []


def pytest_sessionstart() -> None:
    if os.geteuid() != 0 or not shutil.which("qemu-system-x86_64"):
        pytest.exit("skipped: no root or no qemu-system-x86_64 here; see scripts/vm", returncode=SKIPPED)


def machines_of(item: pytest.Item) -> int:
    return getattr(item.module, "MACHINES", 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=machines_of)


def pytest_sessionfinish() -> None:
    while _running:
        _running.pop().down()


def _lab_of(machines: int) -> Lab:
    if not _running or _running[0].machines != machines:
        pytest_sessionfinish()
        _running.append(Lab(machines))
    return _running[0]


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The module's MACHINES says how many it needs, one if it says nothing. No test leaves a process or a job behind."""
    lab = _lab_of(machines_of(request.node))
    yield lab
    try:
        wait_until(lambda: not lab.left(), 60, "the end of all that a test started")
    finally:
        lab.clean()
