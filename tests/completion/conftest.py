"""Completion in real shells, on a terminal; without them nothing is tested."""

import shutil
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "live"))  # terminal.py
SKIPPED = 77  # ctest's code for "not run"


def pytest_sessionstart() -> None:
    absent = [shell for shell in ("bash", "zsh", "fish") if not shutil.which(shell)]
    if not Path("/usr/share/bash-completion/bash_completion").exists():
        absent.append("bash-completion")
    if absent:
        pytest.exit(f"skipped: no {', '.join(absent)} here; run scripts/setup --with=tests", returncode=SKIPPED)
