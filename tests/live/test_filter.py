"""scripts/test --filter: runs only the requested tests. setup and ctest are doubles."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cluster import CHECKOUT

pytestmark = pytest.mark.machine

CTEST = """#!/bin/sh
printf '%s\\n' "$@" >"$0.words"
echo '100% tests passed, 0 tests failed out of 1'
"""


@pytest.fixture(autouse=True)
def cluster() -> None:
    """No cluster is needed here."""


def words_of_ctest(root: Path, *words: str) -> list[str]:
    """The arguments that scripts/test passes to ctest."""
    scripts = root / "scripts"
    shutil.copytree(CHECKOUT / "scripts", scripts)
    for program, text in (("scripts/setup", "#!/bin/sh\n"), ("scripts/cluster", "#!/bin/sh\n"), ("bin/ctest", CTEST)):
        file = root / program
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
    path = f"{root / 'bin'}:{os.environ['PATH']}"
    subprocess.run([scripts / "test", *words], env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
                   capture_output=True, timeout=60, check=True)
    return (root / "bin" / "ctest.words").read_text().splitlines()


def test_ctest_runs_what_the_expression_names(tmp_path: Path) -> None:
    assert words_of_ctest(tmp_path, "--filter", "^a b|c")[-2:] == ["--tests-regex", "^a b|c"]


def test_ctest_runs_everything_without_one(tmp_path: Path) -> None:
    assert "--tests-regex" not in words_of_ctest(tmp_path)
