"""`muster run` on this machine, as an ordinary user: no cluster, and no Slurm."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster import CHECKOUT
from command import Result
from reaper import Reaper
from waiting import wait_until

USER = 20001  # a user ID without an account
BUILD = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))


@dataclass
class Run:
    """One `muster run`; all its processes carry a variable that identifies them."""

    process: subprocess.Popen
    mark: str
    started: float

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def pids(self) -> list[int]:
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._is_mine(pid)]

    def _is_mine(self, pid: int) -> bool:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return False
            return f"RUN_MARK={self.mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False

    def named(self, name: str) -> int:
        """muster's own process with that name."""
        found = [pid for pid in self.pids() if Path(f"/proc/{pid}/comm").read_text().strip() == name]
        assert len(found) == 1, found
        return found[0]

    def wait(self, timeout: float = 30) -> Result:
        out, err = self.process.communicate(timeout=timeout)
        return Result(self.process.returncode, out, err, time.monotonic() - self.started)

    def await_nothing_left(self, timeout: float = 5) -> None:
        wait_until(lambda: not self.pids(), timeout, f"processes of the run to end: {self.pids()}")


class Machine:
    def __init__(self, directory: Path) -> None:
        directory.chmod(0o755)
        self.prefix = directory / "prefix"
        (self.prefix / "bin").mkdir(parents=True)
        shutil.copy(BUILD / "launcher" / "muster", self.prefix / "bin" / "muster")
        shutil.copytree(CHECKOUT / "config" / "profiles", self.prefix / "share" / "muster" / "profiles")
        self.home = directory / "home"
        self.home.mkdir()
        (self.home / "tmp").mkdir()
        for path in (directory, self.home, self.home / "tmp", *self.prefix.rglob("*"), self.prefix):
            os.chown(path, USER, USER)

    def write(self, name: str, text: str) -> Path:
        path = self.home / name
        path.write_text(text)
        path.chmod(0o755)
        os.chown(path, USER, USER)
        return path

    def start(self, *words: str, environment: dict[str, str] | None = None) -> Run:
        mark = uuid.uuid4().hex
        variables = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "TMPDIR": str(self.home / "tmp"), "RUN_MARK": mark,
                     **(environment or {})}
        process = subprocess.Popen(
            [self.prefix / "bin" / "muster", "run", *words], cwd=self.home, env=variables, user=USER, group=USER,
            extra_groups=[], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="surrogateescape", start_new_session=True)
        return Run(process, mark, time.monotonic())

    def command(self, *words: str) -> Result:
        """Another muster command, run by the same user."""
        done = subprocess.run(
            [self.prefix / "bin" / "muster", *words], cwd=self.home, user=USER, group=USER, extra_groups=[],
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home), "TMPDIR": str(self.home / "tmp")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
        return Result(done.returncode, done.stdout, done.stderr, 0.0)

    def run(self, *words: str, environment: dict[str, str] | None = None, timeout: float = 30) -> Result:
        started = self.start(*words, environment=environment)
        result = started.wait(timeout)
        started.await_nothing_left()
        return result


@pytest.fixture
def machine() -> Iterator[Machine]:
    """In its own folder, because other users cannot reach pytest's, which each pytest session makes private again."""
    folder = tempfile.mkdtemp(prefix="muster-run-")
    reaper = Reaper("rm", "-rf", folder)
    yield Machine(Path(folder))
    assert reaper.reap() == 0, f"{folder} cannot be removed"
