"""A build directory that gets another prefix installs to the same places as a new one."""

import re
import subprocess
from pathlib import Path

import pytest
from cluster import CHECKOUT

pytestmark = [pytest.mark.machine, pytest.mark.slow]


@pytest.fixture(autouse=True)
def cluster() -> None:
    """No cluster is needed here."""


def destinations(build: Path, prefix: str) -> dict[str, list[str]]:
    """Configures the build, and returns what it installs where."""
    subprocess.run(["cmake", "--preset", "release", "-B", build, "-DMUSTER_BUILD_TESTS=OFF",
                    f"-DCMAKE_INSTALL_PREFIX={prefix}"], cwd=CHECKOUT, capture_output=True, timeout=300, check=True)
    scripts = {file.relative_to(build): file.read_text() for file in build.rglob("cmake_install.cmake")}
    return {str(name): [words.replace(str(build), "BUILD") for words in re.findall(r"file\(INSTALL ([^)]*)\)", text)]
            for name, text in scripts.items()}


@pytest.mark.parametrize(("before", "prefix"), [
    pytest.param("/usr/local", "/usr", marks=pytest.mark.long), ("/usr", "/opt/muster")])
def test_another_prefix_moves_everything(tmp_path: Path, before: str, prefix: str) -> None:
    destinations(tmp_path / "used", before)
    used = destinations(tmp_path / "used", prefix)
    new = destinations(tmp_path / "new", prefix)
    assert any(new.values())
    assert used == new
    line = next((tmp_path / "used" / "config").glob("slurm-*.conf"), None)
    assert line is None or line.read_text() == (tmp_path / "new" / "config" / line.name).read_text()
