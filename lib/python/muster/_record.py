"""Records what ended this rank, for the launcher's report, in programs without torch's @record.

An uncaught exception is written to TORCHELASTIC_ERROR_FILE, as @record writes it. The stacks at a fatal signal are
written to fault.txt next to it, as faulthandler writes them. `import muster` sets up both if that file is muster's own
(profile torch). MUSTER_RECORD=0 switches this off.
"""

import atexit
import faulthandler
import json
import os
import sys
import time
import traceback
from typing import Mapping, Optional

FAULT_FILE = "fault.txt"

# Which process of a task records, and where: child processes that run Python have their own exceptions.
_CLAIM = "MUSTER_RECORDER"
# In characters: the launcher reads only a limited amount. The end of a stack says the most.
_MAX_MESSAGE = 8 * 1024
_MAX_STACK = 64 * 1024


def install() -> None:
    """Never makes an import of muster fail."""
    path = _unclaimed(os.environ)
    if path is None:
        return
    os.environ[_CLAIM] = f"{os.getpid()} {path}"
    if hasattr(sys.__excepthook__, "muster"):
        return  # the start hook records
    recorder = Recorder(path)
    sys.excepthook = recorder
    atexit.register(recorder.at_exit)
    try:
        _dump_faults(os.path.join(os.path.dirname(path), FAULT_FILE))
    except (OSError, RuntimeError, ValueError):
        pass  # no directory, no free descriptor, no /proc: the report then contains less


def _unclaimed(environment: Mapping[str, str]) -> Optional[str]:
    """The error file, if this process is the one to write it."""
    path = environment.get("TORCHELASTIC_ERROR_FILE")
    launchers = "TORCHELASTIC_ERROR_FILE" in environment.get("MUSTER_SET", "").split()
    if not path or not launchers or environment.get("MUSTER_RECORD") == "0":
        return None
    claimant, _, claimed = environment.get(_CLAIM, "").partition(" ")
    return None if claimed == path and claimant != str(os.getpid()) else path


def _dump_faults(path: str) -> None:
    """Does nothing if the program has handlers, or if it, PYTHONFAULTHANDLER or -X faulthandler has chosen a file.

    A Java virtual machine inside the process uses SIGSEGV in normal operation.
    """
    from ._stacks import FATAL, caught

    if not faulthandler.is_enabled() and not caught() & FATAL:
        faulthandler.enable(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), all_threads=True)


class Recorder:
    """A sys.excepthook that runs before the previous one."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._process = os.getpid()
        self._previous = sys.excepthook

    def __call__(self, kind, error, trace) -> None:
        self._record(kind, error, trace)
        self._previous(kind, error, trace)

    def at_exit(self) -> None:
        """For programs whose own hook has replaced this one: Python keeps the exception that it passed to the hook."""
        error = getattr(sys, "last_value", None)
        if error is not None:
            self._record(type(error), error, getattr(sys, "last_traceback", None))

    def _record(self, kind, error, trace) -> None:
        # Like @record: SystemExit and KeyboardInterrupt are not failures. A forked child is not the rank.
        if os.getpid() != self._process or not issubclass(kind, Exception) or _goes_on():
            return
        try:
            _write_once(self._path, record_of(kind, error, trace))
        except Exception:
            pass  # whatever happens here, the program's own hook runs next


def _goes_on() -> bool:
    """At a prompt an exception ends nothing, and muster would stop a rank that continues after its exception."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive)


def record_of(kind, error, trace, **extra: str) -> str:
    stack = "".join(traceback.format_exception(kind, error, trace))
    return json.dumps({"message": {"message": _clean(f"{kind.__name__}: {_text(error)}"[:_MAX_MESSAGE]),
                                   "extraInfo": {"py_callstack": _clean(stack[-_MAX_STACK:]),
                                                 "timestamp": str(int(time.time())), **extra}}})


def write(path: str, kind, error, trace, now: float, **extra: str) -> None:
    """For the start hook. Replaces an existing file. now: when the exception came, in seconds since 1970."""
    unfinished = f"{path}.{os.getpid()}"
    _write(unfinished, record_of(kind, error, trace, **{name: _clean(text) for name, text in extra.items()}))
    os.utime(unfinished, (now, now))
    os.rename(unfinished, path)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "(its text is not available)"


def _clean(text: str) -> str:
    """Bytes of a file name that are not UTF-8 become lone surrogates, which not every JSON reader accepts."""
    return text.encode(errors="backslashreplace").decode()


def _write_once(path: str, text: str) -> None:
    """Writes the whole file or nothing, and never over an existing one (@record's, or an earlier exception's)."""
    if os.path.lexists(path):
        return
    unfinished = f"{path}.{os.getpid()}"
    try:
        _write(unfinished, text)
        os.link(unfinished, path)
    finally:
        os.unlink(unfinished)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "w") as out:
        out.write(text)
