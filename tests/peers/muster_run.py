"""`muster run` in the place of torchrun, and its report in the place of torchrun's failures."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from torch.distributed.elastic.multiprocessing.errors import ProcessFailure

MUSTER = os.environ.get("PEERS_MUSTER", "muster")


@dataclass
class Ended:
    code: int
    err: str
    report: dict | None
    agents: int = 1  # how many of torch's agents it stands for


def run(words: list[str], environment: dict[str, str] | None = None, command: tuple[str, ...] = (MUSTER, "run"),
        keys: str = "") -> Ended:
    """`words` as torchrun would read them. The output comes where a redirected sys.stdout collects it."""
    with tempfile.TemporaryDirectory(prefix="peers-", dir=os.environ.get("PEERS_SHARED")) as folder:
        report = Path(folder) / "report.json"
        option = f"--distributed=torch,report={report}{keys}"
        variables = {**os.environ, "PYTHON_EXEC": sys.executable, **(environment or {})}
        done = subprocess.run([*command, option, *words], env=variables, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False)
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        return Ended(done.returncode, done.stderr, json.loads(report.read_text()) if report.exists() else None)


def failures(report: dict) -> dict[int, ProcessFailure]:
    """By rank. The error file is gone with the run, unless --log-dir keeps it."""
    first = report["first"]
    code = first["code"] if first["code"] is not None else 1
    return {first["rank"]: ProcessFailure(first["local_rank"] or 0, first["pid"] or 0, code, first.get("error_file") or "")}
