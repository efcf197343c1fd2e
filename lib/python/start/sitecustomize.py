"""The start hook: runs before the program's first line, because muster has put this directory on PYTHONPATH.

First it takes itself out of the program's sight and lets the sitecustomize run that would have run without it. Then
hook.py sets up what tells muster how this rank fails. This file must also be valid for Python 2, where it only takes
itself away. docs/explain/start-hook.md describes it.
"""

import os
import sys


# Programs that start the rank's own Python in an environment: `conda run python train.py`. They are also among those of
# launcher/agent/ranks/starter.cpp.
_STARTERS = (b"conda", b"mamba", b"poetry", b"pipenv", b"pdm", b"hatch")


def _is_starter():
    with open("/proc/self/cmdline", "rb") as line:
        words = line.read(4096).split(b"\0") + [b"", b""]
    # "python conda run" and "python -m conda run"
    return os.path.basename(words[2 if words[1].startswith(b"-") else 1]) in _STARTERS


def _withdraw_from_environment(directory):
    """Makes PYTHONPATH what it would be without muster. Returns what sys.path then has instead of the directory.

    muster writes this directory in one of three forms (lib/wire/python_path.hpp), so that the user's own value can
    be restored exactly: "DIR" if PYTHONPATH was not set, "DIR/" if it was empty, "DIR/.:VALUE" otherwise. A script in
    between may have added to it.
    """
    places = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    for index, place in enumerate(places):
        if os.path.abspath(place) == directory:
            break
    else:
        return []
    leaves_empty = not place.endswith("/.")
    places[index:index + 1] = [""] if leaves_empty else []
    if places == [""] and not place.endswith("/"):
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = os.pathsep.join(places)
    # Python takes an empty place among others for the current directory.
    return [os.getcwd()] if leaves_empty and len(places) > 1 else []


def _withdraw_from_path(directory, instead):
    while directory in sys.path:
        at = sys.path.index(directory)
        sys.path[at:at + 1] = [each for each in instead if each not in sys.path]
    for each in list(sys.path_importer_cache):
        if os.path.abspath(each) == directory:
            del sys.path_importer_cache[each]


def _withdraw(directory):
    """Returns the rank's own directory, or None if this program is not the rank's."""
    if _is_starter():
        _withdraw_from_path(directory, [])
        return None
    files = os.environ.pop("MUSTER_RANK_DIRECTORY", "")
    _withdraw_from_path(directory, _withdraw_from_environment(directory))
    return files


def _is_rank(directory):
    """Whether this is CPython's own program. A program that embeds Python may show an exception and continue."""
    return (getattr(getattr(sys, "implementation", None), "name", "") == "cpython" and sys.version_info >= (3, 6)
            and os.path.basename(os.readlink("/proc/self/exe")).startswith("python") and os.path.isdir(directory))


def _install(directory, files):
    """An error disables only the hook."""
    try:
        if _is_rank(directory):
            path = os.path.join(directory, "hook.py")
            namespace = {"__name__": "muster_hook", "__file__": path}
            with open(path) as source:
                exec(compile(source.read(), path, "exec"), namespace)
            namespace["install"](directory, files)
    except Exception:
        pass


_directory = os.path.dirname(os.path.abspath(__file__))
_files = None
try:
    _files = _withdraw(_directory)
except Exception:
    sys.path[:] = [each for each in sys.path if each != _directory]  # this file must not find itself
_itself = sys.modules.pop("sitecustomize", None)  # kept: Python 2 clears a module that nobody refers to
try:
    import sitecustomize  # the next one; if there is none, the error tells Python's own `site` exactly that
finally:
    if _files is not None:
        _install(_directory, _files)
