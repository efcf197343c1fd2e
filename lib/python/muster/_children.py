"""All descendants of this process, whichever process started them: signals and ends them together."""

import ctypes
import os
import signal
import subprocess
import time
from typing import Set

INTERVAL = 0.05
TIME_TO_STOP = 10.0  # seconds
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """From now on, orphaned descendants become children of this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """For a new process; call it before its program starts."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _parent_of(process: int) -> int:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def descendants() -> Set[int]:
    """All descendants: orphans among them are reparented to this process."""
    parents = {int(name): _parent_of(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    found: Set[int] = set()
    more = {os.getpid()}
    while more:
        more = {process for process, parent in parents.items() if parent in more} - found
        found |= more
    return found


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def _signal_all(number: int) -> None:
    for process in descendants():
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def end_all(main: "subprocess.Popen[bytes]") -> None:
    """Ends main first, then all others; kills those that do not end."""
    if main.poll() is None:
        main.terminate()
        try:
            main.wait(TIME_TO_STOP)
        except subprocess.TimeoutExpired:
            pass
    _signal_all(signal.SIGTERM)
    deadline = time.monotonic() + TIME_TO_STOP / 2
    while descendants() and time.monotonic() < deadline:
        time.sleep(INTERVAL)
        _reap()
    _signal_all(signal.SIGKILL)
    _reap()


def exit_code(returned: int) -> int:
    """As a shell reports it: 128 plus the signal number for a process that a signal ended."""
    return returned if returned >= 0 else 128 - returned
