"""accelerate: the scripts that its own tests start with several processes, as `accelerate test` does."""

import os
from pathlib import Path

import command_suite
from outcome import Row

SOURCES = "accelerate"
SCRIPTS = "src/accelerate/test_utils/scripts"


def rows(sources: Path, python: str, words: list[str]) -> list[Row]:
    folder = sources / SOURCES / SCRIPTS
    muster = os.environ["PEERS_MUSTER"]
    cases = [command_suite.Case(str(file.relative_to(folder)), ["torchrun", "--nproc-per-node=2", str(file)],
                                [muster, "run", "--nproc-per-node=2", str(file)], seconds=300)
             for file in sorted(folder.rglob("test_*.py"))]
    by_srun = folder / "test_script.py"
    cases.append(command_suite.Case("test_script.py on 2 nodes", ["torchrun", "--nproc-per-node=2", str(by_srun)],
                                    ["srun", "-N2", "-n2", "--distributed=accelerate", python, str(by_srun)]))
    return command_suite.rows("accelerate", cases, python, words)
