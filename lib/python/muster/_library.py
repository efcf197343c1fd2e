"""Finds and opens libmuster.

It looks in this order: MUSTER_LIBRARY; this package's directory; the prefix or build tree that contains the package;
the system's loader (LD_LIBRARY_PATH, ldconfig); the prefix of the `muster` program on PATH. The first library found is
used.
"""

import ctypes
import os
import shutil
import sysconfig
from pathlib import Path
from typing import Iterator, Mapping, Optional

from . import _abi
from ._version import __version__
from .errors import Error, Status, error

NAME = "libmuster.so.0"
PACKAGE = Path(__file__).parent

_loaded: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """Opened once per process. Calls to it release the GIL."""
    global _loaded
    if _loaded is None:
        _loaded = opened(find(os.environ, PACKAGE))
    return _loaded


def check(status: int) -> None:
    """Raises this thread's last error unless `status` is 0."""
    if status != 0:
        raise error(status, library().muster_last_error().decode(errors="replace"))


def find(environment: Mapping[str, str], package: Path) -> str:
    """A path, or just the name if the system's loader knows the library."""
    asked = environment.get("MUSTER_LIBRARY")
    if asked:
        return asked
    for place in beside(package):
        if (place / NAME).exists():
            return str(place / NAME)
    if _known_to_loader():
        return NAME
    program = shutil.which("muster", path=environment.get("PATH"))
    for place in libraries_below(Path(program).resolve().parent.parent) if program else ():
        if (place / NAME).exists():
            return str(place / NAME)
    raise Error(Status.LIBRARY,
                f"cannot find {NAME}: it is neither beside {package} nor known to the system's loader nor beside the muster "
                "program; install muster, or set MUSTER_LIBRARY to its path")


def beside(package: Path) -> Iterator[Path]:
    yield package
    for spelled in (package, package.resolve()):
        if len(spelled.parents) > 3:
            yield from libraries_below(spelled.parents[3])  # PREFIX/share/muster/python/muster
            yield spelled.parents[2] / "build" / "lib" / "worker"  # CHECKOUT/lib/python/muster


def libraries_below(prefix: Path) -> Iterator[Path]:
    yield prefix / "lib" / "worker"  # a build tree
    multiarch = sysconfig.get_config_var("MULTIARCH")
    if multiarch:
        yield prefix / "lib" / multiarch
    yield prefix / "lib64"
    yield prefix / "lib"


def _known_to_loader() -> bool:
    try:
        ctypes.CDLL(NAME)
    except OSError as why:
        # A library that exists but is broken is reported when it is opened.
        return "No such file" not in str(why)
    return True


def opened(path: str) -> ctypes.CDLL:
    try:
        found = ctypes.CDLL(path)
    except OSError as why:
        raise Error(Status.LIBRARY, f"{path} cannot be opened: {why}; set MUSTER_LIBRARY to the path of {NAME}") from None
    try:
        version = found.muster_version()
        _check_version(path, version)
        _abi.declare(found)
    except AttributeError as why:
        raise Error(Status.LIBRARY,
                    f"{path} is not muster's library: {why}; set MUSTER_LIBRARY to the path of {NAME}") from None
    return found


def _check_version(path: str, version: int) -> None:
    """`version` is major * 10000 + minor * 100 + patch."""
    major, minor = version // 10000, version // 100 % 100
    wanted_major, wanted_minor, _ = map(int, __version__.split("."))
    if major != wanted_major or minor < wanted_minor:
        raise Error(Status.LIBRARY,
                    f"{path} is release {major}.{minor}, but this package needs {wanted_major}.{wanted_minor} or "
                    f"newer of the same major release: install both from one release of muster")
