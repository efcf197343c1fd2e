"""Ctrl-C while the C library waits.

Python runs its signal handlers between its own instructions, so a main thread inside a C function would notice Ctrl-C
only at the deadline. In the main thread, a separate thread therefore makes the call, and ends with it.
"""

import signal
import threading
from typing import Callable, List, Optional, Tuple, TypeVar

Result = TypeVar("Result")


def interruptible(call: Callable[[], Result]) -> Result:
    """Returns or raises what `call` does. After a KeyboardInterrupt the call keeps running until its own deadline."""
    if not _python_handles_interrupts():
        return call()
    outcome: List[Tuple[Optional[Result], Optional[BaseException]]] = []
    done = threading.Lock()
    done.acquire()

    def run() -> None:
        try:
            outcome.append((call(), None))
        except BaseException as error:
            outcome.append((None, error))
        finally:
            done.release()

    thread = threading.Thread(target=run, name="muster", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the interpreter is shutting down, or the process has reached its thread limit
        return call()
    done.acquire()  # unlike a C function, waiting for a lock is interrupted when a signal arrives
    thread.join()
    result, error = outcome[0]
    if error is not None:
        try:
            raise error.with_traceback(None)  # the other thread's frames are of no interest
        finally:
            del error, outcome[:]  # an error that refers to this frame would keep the caller's objects alive
    return result


def _python_handles_interrupts() -> bool:
    return threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT))
