"""When the program has made its first process group, tells the agent so (group.py), and opens the door to torch's flight
recorder (_recorder.py). Until then the program may be single-threaded, and has to stay so: it may fork, or unshare namespaces."""

import os
import sys


def find_spec(load, files, name, path, target):
    """The spec of torch's module, which calls _wait_for_group() once it has been executed."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
        if spec is not None:
            _look_at(load, files, spec.loader)
            return spec
    return None


def _look_at(load, files, loader):
    execute = loader.exec_module

    def exec_module(module):
        del loader.exec_module
        execute(module)
        _wait_for_group(load, files, module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        pass  # a loader that takes no attributes: the collectives remain unknown


def _wait_for_group(load, files, module):
    update = getattr(module, "_update_default_pg", None)
    if update is None or not (files or _has_recorder()):
        return
    process = os.getpid()

    def _update_default_pg(pg):
        update(pg)
        if pg is not None and module._update_default_pg is _update_default_pg:
            module._update_default_pg = update
            _begin(load, files, process)

    module._update_default_pg = _update_default_pg


def _has_recorder():
    native = sys.modules.get("torch._C._distributed_c10d")
    return any(hasattr(native, "_dump_%s_trace_json" % each) for each in ("fr", "nccl"))


def _begin(load, files, process):
    if os.getpid() != process:
        return
    try:
        if files:
            load("group").tell(files)
    except Exception:
        pass
    try:
        if _has_recorder():  # otherwise _recorder.py is not even read
            load("_recorder").install()
    except Exception:
        pass
