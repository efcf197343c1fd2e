"""A command on its own terminal, as if a user sat at the keyboard."""

import fcntl
import os
import select
import signal
import subprocess
import termios
import time

INTERRUPT = "\x03"  # Ctrl-C


class Terminal:
    def __init__(self, words: list[str]) -> None:
        self._keyboard, screen = os.openpty()
        self._process = subprocess.Popen(
            words, stdin=screen, stdout=screen, stderr=screen, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(screen, termios.TIOCSCTTY, 0))
        os.close(screen)
        self.pid = self._process.pid
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self._keyboard, text.encode())

    def await_text(self, text: str, times: int = 1, timeout: float = 20) -> None:
        end = time.monotonic() + timeout
        while self.shown.count(text) < times:
            assert self._read(end - time.monotonic()), f"no {text!r} on the terminal, only:\n{self.shown}"

    def wait(self, timeout: float = 20) -> int:
        """The exit code, after everything that was shown has been read."""
        end = time.monotonic() + timeout
        while self._read(end - time.monotonic()):
            pass
        try:
            return self._process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.close()
            raise AssertionError(f"not ended within {timeout} s; on the terminal:\n{self.shown}") from None

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._keyboard], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            chunk = os.read(self._keyboard, 65536)
        except OSError:  # EIO: no process holds the other end any more
            return False
        self.shown += chunk.decode(errors="replace")
        return bool(chunk)

    def close(self) -> None:
        if self._process.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._keyboard)
