"""What the tests share: a process outside any step, and a named double of the C library."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Mapping

import pytest
from library_double import LibraryDouble

import muster
from muster import _library

CHECKOUT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The tests may themselves run inside a step, and must leave nothing in the user's home."""
    for name in set(os.environ) - {"MUSTER_BUILD", "MUSTER_LIBRARY"}:
        if name.startswith(("SLURM", "PMIX", "MUSTER_", "NCCL", "JAX_", "TORCHELASTIC")) or name in (
                "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "USE_LIBUV"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MUSTER_SECRET_FILE", str(tmp_path / "secret"))
    yield
    left = muster.current()
    if left is not None:
        left.close()


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> LibraryDouble:
    library = LibraryDouble()
    monkeypatch.setattr(_library, "_loaded", library)
    return library


def python(program: str, env: Mapping[str, str] = {}, timeout: float = 60) -> subprocess.CompletedProcess:
    """Runs a program in a separate process."""
    return subprocess.run([sys.executable, "-c", program], env={**os.environ, **env}, capture_output=True, text=True,
                          timeout=timeout, check=False)
