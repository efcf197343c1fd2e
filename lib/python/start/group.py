"""Tells the rank's agent that the program has its process group, by a file: so the agent knows how long the program took to
start. The file says which NCCL the program has loaded, and with inspect=on whether the loader finds the Inspector.
lib/core/plan/inspector.cpp reads it."""

import os
import sys


def tell(files):
    """files: the rank's own directory. The file appears there as a whole."""
    path = os.path.join(files, "group")
    file = os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, ("nccl %s\nmissing %s\n" % (_nccl(), _missing())).encode("utf-8", "replace"))
    finally:
        os.close(file)
    os.rename(path + ".new", path)


def _nccl():
    """As NCCL itself reports it to torch. Empty if torch has no NCCL, or has RCCL, whose releases have other numbers."""
    version = getattr(sys.modules.get("torch._C"), "_nccl_version", int)()
    if not version or getattr(sys.modules.get("torch.version"), "hip", None):
        return ""
    return "%d.%d.%d" % (version >> 32, version >> 16 & 0xFFFF, version & 0xFFFF)


def _missing():
    """The file of inspect=on, if NCCL will not find it."""
    name = os.environ.get("NCCL_PROFILER_PLUGIN", "")
    if not name.endswith("-profiler-inspector.so"):
        return ""
    if "/" in name:
        return "" if os.path.exists(name) else name
    places = _library_path() + ["/lib64", "/usr/lib64", "/lib", "/usr/lib"] + _places_of_nccl()
    if any(os.path.exists(os.path.join(place, name)) for place in places) or _is_cached(name):
        return ""
    return name


def _library_path():
    """The loader reads this variable when the program starts; a later change has no effect."""
    with open("/proc/self/environ", "rb") as file:
        for variable in file.read().split(b"\0"):
            if variable.startswith(b"LD_LIBRARY_PATH="):
                return [place or "." for place in os.fsdecode(variable[len("LD_LIBRARY_PATH="):]).replace(";", ":").split(":")]
    return []


def _places_of_nccl():
    """NCCL may have been linked to search its own directory."""
    with open("/proc/self/maps") as file:
        found = {line.rstrip("\n").partition("/")[2] for line in file if "libnccl" in line or "librccl" in line}
    return ["/" + os.path.dirname(each) for each in found]


def _is_cached(name):
    try:
        with open("/etc/ld.so.cache", "rb") as file:
            return b"\0" + name.encode() + b"\0" in file.read()
    except OSError:
        return False
