"""What the start hook leaves in a rank's Python. docs/explain/start-hook.md lists what a program could notice of it.

Exceptions (exceptions.py) and the stacks at a fatal signal become files in the rank's own directory, for its agent. On a
signal that muster reserves, faulthandler writes the main thread's stack into memory (_stacks.py). Once torch has a
process group, a thread that sleeps until it is asked knows the collectives (torch_door.py).
MUSTER_RECORD=0 and MUSTER_STACKS=0 switch these off.

Every rank of every program compiles this file when it starts, so whatever can wait is in another one. No module is
imported that the program might import, because its own import would then differ; builtin ones are forgotten again.
"""

import os
import sys


def install(directory, files):
    """directory: of this code. files: the rank's own directory; empty if it has none."""
    known = set(sys.modules)
    load = _loader(directory)
    stacks = load("_stacks")
    try:
        if files and not os.path.isdir(files):
            _make(files)
        if os.environ.get("MUSTER_STACKS") != "0":
            stacks.register(at_start=True)
            sys.meta_path.insert(0, _TorchFinder(load, files))
        if files and os.environ.get("MUSTER_RECORD") != "0":
            _catch_exceptions(load, files)
            _catch_signals(stacks, files)
    finally:
        for name in set(sys.modules) - known:
            if name != "atexit" or sys.version_info >= (3, 10):  # before, a second import would lose at_exit()
                del sys.modules[name]


def _make(files):
    """Where the rank has a /tmp of its own, as in a container, the directory that the agent has made is not there. The
    agent then looks at the rank's."""
    above = os.path.dirname(files)
    if os.path.basename(above).startswith("muster-"):
        for each in (above, files):
            try:
                os.mkdir(each, 0o700)
            except OSError:
                pass  # another rank has made it, or nobody can


def _loader(directory):
    """Reads a file of the hook when it is first needed, as a module that no program sees."""
    loaded = {}

    def load(name):
        if name not in loaded:
            path = os.path.join(directory, name + ".py")
            module = type(sys)("muster_hook." + name)
            module.__file__ = path
            with open(path) as source:
                exec(compile(source.read(), path, "exec"), module.__dict__)
            loaded[name] = module
        return loaded[name]

    return load


def _catch_exceptions(load, files):
    import _thread
    import atexit

    _forget_earlier(files)
    process, main = os.getpid(), _thread.get_ident()

    def hook(previous, note):
        def excepthook(*args):
            if os.getpid() == process:  # a forked child is not the rank
                try:
                    getattr(load("exceptions"), note)(load, files, main, *args)
                except BaseException:
                    pass  # whatever happened, the program's own hook runs next
            previous(*args)

        excepthook.muster = True  # muster's package knows by this that the hook is here
        return excepthook

    # Some programs do something else if these two differ, and some hooks call the second one.
    same = sys.__excepthook__ is sys.excepthook
    sys.excepthook = shown = hook(sys.excepthook, "uncaught")
    sys.__excepthook__ = shown if same else hook(sys.__excepthook__, "uncaught")
    # For programs whose own hook replaces this one: Python keeps the exception that it passed to theirs.
    atexit.register(lambda: hasattr(sys, "last_value") and hook(lambda *_: None, "kept")())
    plain = getattr(_thread, "_excepthook", None)  # Python 3.8; threading takes it from there when it is imported
    if plain is not None:
        _thread._excepthook = threads = hook(plain, "in_thread")
        threading = sys.modules.get("threading")
        for name in ("excepthook", "__excepthook__"):
            if getattr(threading, name, None) is plain:
                setattr(threading, name, threads)


def _forget_earlier(files):
    """Removes what an earlier Python program of this rank recorded: a shell script may have gone on after it failed."""
    for name in ("exception.json", "thread.json"):
        try:
            os.unlink(os.path.join(files, name))
        except OSError:
            pass


def _catch_signals(stacks, files):
    """Does nothing if the program has handlers, or if PYTHONFAULTHANDLER or -X faulthandler has chosen a file."""
    import faulthandler

    if faulthandler.is_enabled() or not all(map(stacks.is_default, stacks.FATAL)):
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    file = stacks.out_of_the_way(os.open(os.path.join(files, "fault.txt"), flags, 0o600))
    faulthandler.enable(file, all_threads=True)
    known = stacks.identity(file)
    if hasattr(os, "register_at_fork"):  # Python 3.7: the end of a forked child is not the rank's
        os.register_at_fork(after_in_child=lambda: stacks.identity(file) == known and os.close(file))


class _TorchFinder:
    """Waits until torch's module of process groups is imported, and then removes itself from sys.meta_path."""

    def __init__(self, load, files):
        self._load = load
        self._files = files

    def find_spec(self, name, path=None, target=None):
        if name != "torch.distributed.distributed_c10d":
            return None
        sys.meta_path.remove(self)
        return self._load("torch_door").find_spec(self._load, self._files, name, path, target)
