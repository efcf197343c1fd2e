"""The main thread's stack, for `muster dump`, where neither py-spy nor the sleeping thread of _recorder gives it.

On a signal that muster reserves, faulthandler prints it to a memory file that disappears with the process. The process
that asks finds that file among this process's descriptors; its name contains the signal's number. Nothing happens until
the signal arrives. MUSTER_STACKS=0 switches this off.

Only the main thread's: the handler runs without the GIL, and where another thread runs Python code meanwhile, reading
that thread's frames ended the process with SIGSEGV after 5 to 300 signals (Python 3.8 to 3.13).

The start hook runs this file too, before the program: it must import only builtin modules and `os`.
"""

import _signal
import faulthandler
import os

# A real-time signal that no library is known to use. Counted from the end, because glibc uses some at the beginning.
SIGNAL = int(_signal.SIGRTMAX) - 4

# Those of faulthandler.
FATAL = frozenset(map(int, (_signal.SIGSEGV, _signal.SIGBUS, _signal.SIGFPE, _signal.SIGILL, _signal.SIGABRT)))

# Programs get the descriptors that are free from 0, and some pass on or close those up to a small number.
_HIGHEST = 1023
_TRIES = 64

_file = None


def install() -> None:
    """Never makes an import of muster fail. Acts only in a task of a step."""
    if "SLURM_TASK_PID" in os.environ and os.environ.get("MUSTER_STACKS") != "0":
        register()


def register(at_start: bool = False) -> None:
    """Acts only if nothing else uses the signal. When Python starts, it knows this without reading /proc."""
    if (is_default(SIGNAL) if at_start else _is_free()) and _register() and hasattr(os, "register_at_fork"):  # Python 3.7
        os.register_at_fork(after_in_child=_register)


def _is_free() -> bool:
    try:
        return SIGNAL not in caught() and is_default(SIGNAL)
    except OSError:  # no /proc: no process could find the file either
        return False


def is_default(number: int) -> bool:
    """Whether Python found no handler when it started, and the program has set none through Python since."""
    return _signal.getsignal(number) == _signal.SIG_DFL


def _register() -> bool:
    """A forked child gets its own file, so that its stacks do not end up in its parent's."""
    global _file
    try:
        file = out_of_the_way(os.memfd_create("muster-stacks-%d" % SIGNAL))
        faulthandler.register(SIGNAL, file=file, all_threads=False, chain=False)
    except (OSError, RuntimeError, ValueError, AttributeError):
        return False  # no free descriptor, or Python before 3.8: there will be no stacks
    if _file is not None:
        os.close(_file)
    _file = file
    return True


def caught():
    """The signals that this process has a handler for, whether Python's or not."""
    with open("/proc/self/status", "rb") as status:
        mask = next(int(line.split()[1], 16) for line in status if line.startswith(b"SigCgt:"))
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def out_of_the_way(descriptor):
    """The same open file under a high number, so that the program's own descriptors have the numbers they would have
    without muster."""
    highest = min(os.sysconf("SC_OPEN_MAX") - 1, _HIGHEST)
    for number in range(highest, max(highest - _TRIES, descriptor), -1):
        if identity(number) is None:
            os.dup2(descriptor, number, inheritable=False)
            os.close(descriptor)
            return number
    return descriptor


def identity(descriptor):
    """Which open file it is; None if it is closed."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino
