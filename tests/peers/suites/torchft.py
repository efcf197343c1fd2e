"""torchft: its tests of the lighthouse and of whole replica groups, in a task of a step. They come with its package: a
checkout lacks the compiled part."""

import subprocess
from pathlib import Path

from pytest_suite import Files


def files(sources: Path, python: str) -> Files:
    where = subprocess.run([python, "-c", "import importlib.util as u; print(u.find_spec('torchft').origin)"],
                           capture_output=True, text=True, check=True).stdout.strip()
    task = ("srun", "--ntasks=1", "--cpus-per-task=2")
    return Files(Path(where).parent, ["lighthouse_test.py", "manager_integ_test.py"], python,
                 inside={"own": task, "muster": (*task, "--distributed=torchft")})
