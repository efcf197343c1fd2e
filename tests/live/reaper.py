"""Runs a command when its standard input ends, which happens however the tests end.

    reaper.py COMMAND WORD...
"""

import os
import signal
import subprocess
import sys
from pathlib import Path


class Reaper:
    """Ends or removes something that belongs to a test, even if the test's process is killed."""

    def __init__(self, *command: str) -> None:
        read, self._leash = os.pipe()
        self._process = subprocess.Popen([sys.executable, str(Path(__file__)), *command], stdin=read,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(read)

    def reap(self, timeout: float = 60) -> int:
        """Runs the command now. Returns its exit code."""
        os.close(self._leash)
        return self._process.wait(timeout)


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.read()
    return subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
