"""Signals that ask the program to stop, handled in addition to the handlers that it already has.

They use Python's handlers, not libmuster's: Python code that looks for a handler (signal.getsignal) finds this one, and
programs need neither a step nor the C library for it.
"""

import os
import signal
import threading
from typing import Any, Dict, Iterable, List, Union

from .errors import Error, Status

_DEFAULT = "USR1,TERM"
_ONLY_STOP = ("USR1", "USR2", "XCPU")
# Each of these ends a process that does not handle it, and none of them indicates a fault.
_KNOWN = ("HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "TERM", "XCPU")

_previous: Dict[int, Any] = {}  # by signal: the handler that was there before
_requested = False


def stop_on(*signals: Union[str, int]) -> None:
    """Makes stop_requested() return True once one of these signals has arrived. Main thread only; the
    signals of several calls add up.

    signals: "USR1" or "SIGUSR1" or signal.SIGUSR1; none: those of MUSTER_STOP_SIGNALS (environment, "USR1,TERM"), or
      USR1 and TERM.

    A handler that the program installed before still runs. A signal that would have ended the process no longer does:
    the program continues until its loop stops. A handler that the program installs later replaces this one, unless it
    calls the one that signal.signal() returned. Forked children (DataLoader, multiprocessing) handle signals
    as before, except that USR1, USR2 and XCPU do not end them if these count as requests to stop.
    """
    new = [number for number in _numbers(signals) if not _is_counted(number)]
    if new and threading.current_thread() is not threading.main_thread():
        raise Error(Status.STATE, "only the main thread may install a signal handler: call muster.stop_on() there first")
    for number in new:
        if signal.getsignal(number) is None:
            raise Error(Status.STATE, f"{_name(number)} has a handler that Python did not install and could no "
                                      "longer call: use other signals")
    for number in new:
        _previous[number] = signal.getsignal(number)
        signal.signal(number, _count)


def stop_requested() -> bool:
    """Whether a signal of stop_on() has arrived; calls stop_on() if the program has not. Ranks may briefly differ."""
    if not _previous:
        stop_on()
    return _requested


def _count(number: int, frame: Any) -> None:
    global _requested
    _requested = True
    previous = _previous.get(number)
    if callable(previous) and previous is not signal.default_int_handler:
        previous(number, frame)


def _do_nothing(number: int, frame: Any) -> None:
    """Unlike SIG_IGN, does not outlive exec()."""


def _is_counted(number: int) -> bool:
    if number not in _previous:
        return False
    if signal.getsignal(number) is not _count:
        raise Error(Status.STATE,
                    f"the program has installed another handler for {_name(number)} after muster.stop_on(); "
                    "install it before the first muster.stop_on()")
    return True


def _numbers(signals: Iterable[Union[str, int]]) -> List[int]:
    if signals:
        return _distinct(_number(word, "muster.stop_on()") for word in signals)
    words = os.environ.get("MUSTER_STOP_SIGNALS") or _DEFAULT
    return _distinct(_number(word, "MUSTER_STOP_SIGNALS") for word in words.split(","))


def _distinct(numbers: Iterable[int]) -> List[int]:
    return list(dict.fromkeys(numbers))


def _number(word: Union[str, int], source: str) -> int:
    try:
        name = signal.Signals(word).name if isinstance(word, int) else word.upper()
    except ValueError:
        name = str(word)
    name = name[3:] if name.startswith("SIG") else name
    if name not in _KNOWN:
        raise Error(Status.ARGUMENT, f"{source}: {word!r:.80} is not a signal that can request a stop: use one or more of "
                                     f"{', '.join(_KNOWN)}")
    return int(getattr(signal, f"SIG{name}"))


def _name(number: int) -> str:
    return signal.Signals(number).name


def _leave_child_as_it_was() -> None:
    """A child that ignored SIGTERM would survive multiprocessing's terminate(). The signals that only ever ask for a
    stop are no reason for a child to end: if Slurm sent them to all processes of a task, a DataLoader worker would end,
    and torch would raise an error in this rank."""
    global _requested
    _requested = False
    for number, previous in _previous.items():
        if signal.getsignal(number) is _count:
            harmless = previous == signal.SIG_DFL and _name(number)[3:] in _ONLY_STOP
            signal.signal(number, _do_nothing if harmless else previous)
    _previous.clear()


os.register_at_fork(after_in_child=_leave_child_as_it_was)
