"""A command that runs in the cluster, and its result."""

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

import releases
from waiting import wait_until


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str
    seconds: float

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def complaints(self) -> list[str]:
        """What muster itself says on stderr, without Slurm's own lines."""
        return [line for line in self.err.splitlines() if "muster: " in line]


class Command:
    """A command that has been started; `pid` is the process that the user's shell would see."""

    def __init__(self, words: list[str], shown: str, stdin: str | int | None = None) -> None:
        self.shown = shown
        self._out = tempfile.TemporaryFile("w+", errors="replace")
        self._err = tempfile.TemporaryFile("w+", errors="replace")
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            words, stdin=self._stdin(stdin), stdout=self._out, stderr=self._err, start_new_session=True, text=True)
        self.pid = self._process.pid

    @staticmethod
    def _stdin(stdin: str | int | None) -> int:
        if stdin is None:
            return subprocess.DEVNULL
        if isinstance(stdin, int):
            return stdin
        file = tempfile.TemporaryFile("w+")
        file.write(stdin)
        file.seek(0)
        return os.dup(file.fileno())

    @property
    def out(self) -> str:
        return self._read(self._out)

    @property
    def err(self) -> str:
        return self._read(self._err)

    def out_after(self, offset: int) -> bytes:
        return os.pread(self._out.fileno(), 1 << 22, offset)

    def err_after(self, offset: int) -> bytes:
        return os.pread(self._err.fileno(), 1 << 22, offset)

    @staticmethod
    def _read(file) -> str:
        # The child shares the offset: pread leaves it where it is.
        return os.pread(file.fileno(), 1 << 22, 0).decode(errors="replace")

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def await_output(self, text: str, times: int = 1, timeout: float = 20) -> None:
        wait_until(lambda: self.out.count(text) >= times or not self.running, timeout, f"{text!r} from {self}")
        assert self.out.count(text) >= times, f"no {text!r} from {self}"

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def close_input(self) -> None:
        self._process.stdin.close()

    def type(self, text: str) -> None:
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def wait(self, timeout: float = 30) -> Result:
        try:
            code = self._process.wait(timeout * releases.slowness())
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"not ended within {timeout} s: {self}") from None
        return Result(code, self.out, self.err, time.monotonic() - self._started)

    def kill(self) -> None:
        if self.running:
            os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()

    def __str__(self) -> str:
        return f"{self.shown}\n--- out\n{self.out}--- err\n{self.err}---"
