"""Uncaught exceptions, as files for the rank's agent. Read when there is the first one.

exception.json  the exception that ends the program, as torch's @record writes it
thread.json     the first uncaught exception of another thread: the program continues
"""

import _thread
import os
import sys
import time

_recorded = None


def uncaught(load, files, main, kind, error, trace):
    """For sys.excepthook."""
    now = time.time()
    if _ends_the_program(main, error):
        _record(load, files, "exception.json", kind, error, trace, now)


def kept(load, files, main):
    """At exit: the last exception that Python has passed to sys.excepthook, if it was not this one."""
    error = sys.last_value
    if error is not None and error is not _recorded and not _goes_on():
        _record(load, files, "exception.json", type(error), error, getattr(sys, "last_traceback", None), time.time())


def in_thread(load, files, main, args):
    """For threading.excepthook. Only the first exception counts; when Python shuts down, threads are only in the way."""
    now = time.time()
    file = "thread.json"
    there = os.path.lexists(os.path.join(files, file))
    if args.exc_value is not None and not sys.is_finalizing() and not there:
        name = str(getattr(args.thread, "name", ""))
        _record(load, files, file, args.exc_type, args.exc_value, args.exc_traceback, now, thread=name)


def _ends_the_program(main, error):
    """Whether Python has called the hook because nothing caught the exception. Programs also call it to show an
    exception, and continue: then Python does not keep the exception, or their own code is still running."""
    if getattr(sys, "last_value", None) is not error or _thread.get_ident() != main or _goes_on():
        return False
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_name not in ("<module>", "_run_module_as_main")


def _goes_on():
    """At a prompt an exception ends nothing."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive)


def _record(load, files, file, kind, error, trace, now, **more):
    global _recorded
    if not issubclass(kind, Exception):
        return  # SystemExit and KeyboardInterrupt are not failures
    path = os.path.join(files, file)
    load("_record").write(path, kind, error, trace, now, process=str(os.getpid()), **more)
    _recorded = error
