"""The stacks of this process, for `muster dump --signal`, where the kernel lets no other process read them.

On a signal that muster reserves, faulthandler prints them to a memory file that disappears with the process. The
process that asks finds that file among this process's descriptors; its name contains the signal's number. Nothing
happens until the signal arrives. MUSTER_STACKS=0 switches this off.
"""

import faulthandler
import os
import signal
from typing import Optional

from ._record import caught

# A real-time signal that no library is known to use. Counted from the end, because glibc uses some at the beginning.
SIGNAL = signal.SIGRTMAX - 4

_file: Optional[int] = None


def install() -> None:
    """Never makes an import of muster fail. Acts only in a task of a step, and only if nothing else uses the signal."""
    if "SLURM_TASK_PID" not in os.environ or os.environ.get("MUSTER_STACKS") == "0":
        return
    if _is_free() and _register():
        os.register_at_fork(after_in_child=_register)


def _is_free() -> bool:
    try:
        return SIGNAL not in caught() and signal.getsignal(SIGNAL) == signal.SIG_DFL
    except OSError:  # no /proc: no process could find the file either
        return False


def _register() -> bool:
    """A forked child gets its own file, so that its stacks do not end up in its parent's."""
    global _file
    try:
        file = os.memfd_create(f"muster-stacks-{int(SIGNAL)}")
        faulthandler.register(SIGNAL, file=file, all_threads=True, chain=False)
    except (OSError, RuntimeError, ValueError, AttributeError):
        return False  # no free descriptor: there will be no stacks
    if _file is not None:
        os.close(_file)
    _file = file
    return True
