"""The stacks of this process, for `muster dump --signal`, where the kernel lets no other process read them.

faulthandler prints them at a signal of our own, into a file in memory that ends with the process; whoever asks finds
that file, and the signal's number in its name, among the process's descriptors. Nothing happens until the signal comes.
MUSTER_STACKS=0 switches it off.
"""

import faulthandler
import os
import signal
from typing import Optional

from ._record import caught

# Of the real-time signals, which no library is known to use; counted from the end, as glibc takes some at the beginning.
SIGNAL = signal.SIGRTMAX - 4

_file: Optional[int] = None


def install() -> None:
    """Never makes an import of muster fail. Only in a task of a step, and where the signal is nobody else's."""
    if "SLURM_TASK_PID" not in os.environ or os.environ.get("MUSTER_STACKS") == "0":
        return
    if _is_free() and _register():
        os.register_at_fork(after_in_child=_register)


def _is_free() -> bool:
    try:
        return SIGNAL not in caught() and signal.getsignal(SIGNAL) == signal.SIG_DFL
    except OSError:  # no /proc: then nobody could find the file, either
        return False


def _register() -> bool:
    """A forked child gets a file of its own, so that its stacks do not end up in its parent's."""
    global _file
    try:
        file = os.memfd_create(f"muster-stacks-{int(SIGNAL)}")
        faulthandler.register(SIGNAL, file=file, all_threads=True, chain=False)
    except (OSError, RuntimeError, ValueError, AttributeError):
        return False  # no descriptor left: there will be no stacks
    if _file is not None:
        os.close(_file)
    _file = file
    return True
