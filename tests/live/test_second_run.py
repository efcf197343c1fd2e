"""`run` gives a failed test exactly one second try, on its own."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from cluster import CHECKOUT

pytestmark = pytest.mark.machine

LIVE = CHECKOUT / "tests/live"
CONFTEST = f"""import sys
sys.path.insert(0, {str(LIVE)!r})
import workers
def pytest_configure(config):
    if not workers.is_worker(config):
        config.pluginmanager.register(workers.FailuresAtOnce(config))
"""
# Each fails as many times as its name says.
TESTS = """import pytest
from pathlib import Path
@pytest.mark.parametrize(("name", "failures"), {cases!r})
def test(name, failures):
    tries = Path(__file__).with_name(name)
    with tries.open("a") as file:
        file.write("x")
    assert len(tries.read_text()) > failures
"""


def run(folder: Path, *failures: int, files: Sequence[Path] = ()) -> subprocess.CompletedProcess[str]:
    cases = [(f"case{number}", most) for number, most in enumerate(failures)]
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_tries.py").write_text(TESTS.format(cases=cases))
    words = ["-q", "--rootdir", str(folder), str(folder / "test_tries.py"), *map(str, files)]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_XDIST_AUTO_NUM_WORKERS": "2"}
    return subprocess.run([LIVE / "run", *words], env=env, capture_output=True, text=True, timeout=120, check=False)


def tries(folder: Path) -> list[int]:
    return [len(file.read_text()) for file in sorted(folder.glob("case*"))]


def test_a_test_that_fails_once_is_named_and_passes(tmp_path: Path) -> None:
    result = run(tmp_path, 0, 1, 0)
    assert result.returncode == 0, result.stdout
    assert "failed at first, passed alone (find out why): test_tries.py::test[case1-1]" in result.stdout
    assert tries(tmp_path) == [1, 2, 1]


def test_what_fails_in_a_session_that_a_test_starts_is_not_counted(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "conftest.py").write_text(CONFTEST)
    (inner / "test_inner.py").write_text("import pytest\n@pytest.mark.parametrize('n', range(5))\ndef test(n):\n    assert False\n")
    (tmp_path / "test_outer.py").write_text(
        "import subprocess, sys\n"
        f"def test_outer():\n    assert subprocess.run([sys.executable, '-m', 'pytest', '-q', '--rootdir', {str(inner)!r}, {str(inner)!r}]).returncode == 1\n")
    result = run(tmp_path, 1, files=[tmp_path / "test_outer.py"])
    assert result.returncode == 0, result.stdout
    assert "failed at first, passed alone (find out why): test_tries.py::test[case0-1]" in result.stdout


def test_a_test_that_fails_twice_fails_the_run(tmp_path: Path) -> None:
    result = run(tmp_path, 0, 2, 1)
    assert result.returncode == 1
    assert "passed alone" not in result.stdout
    assert tries(tmp_path) == [1, 2, 2]


def test_more_than_three_failures_are_no_matter_of_chance(tmp_path: Path) -> None:
    result = run(tmp_path, 1, 1, 1, 1)
    assert result.returncode == 1
    assert tries(tmp_path) == [1, 1, 1, 1]
