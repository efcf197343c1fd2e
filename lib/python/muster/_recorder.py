"""Tells `muster dump` which collective this rank has reached in each process group, and the Python stacks of its
threads, even while the program hangs.

torch's flight recorder counts the collectives. To ask, another process opens this process's pipe, which /proc shows
only to its user, and writes a word. A thread that otherwise sleeps in read() puts the answer into a memory file. There
is no file on disk, no port and no address, so nothing is left behind, and it also works in containers. While C code
holds the GIL there is no answer. MUSTER_STACKS=0 switches this off.
"""

import _thread
import json
import os
import re
import signal
import sys
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterable, List, Optional, Tuple

_NAME = "muster-recorder-"
_MAX_GROUPS = 16
_MAX_TEXT = 64
_MAX_RANKS = 256  # characters
_MAX_WORD = 48
_MAX_STACKS = 1 << 17  # bytes of faulthandler's text
_MAX_TIMES = 768  # per answer, the newest ones
_BYTES_OF_TIMES = 640 * _MAX_TIMES  # as torch writes that many collectives with ordinary tensors
_MAX_TOOK = 600_000_000  # microseconds; a rank may evaluate for longer while the others wait
_TRUE = ("1", "true", "t", "yes", "y", "on")  # as torch reads them
_ASKS_TIMES = re.compile("-([0-9a-f]{1,16})t$")  # created after this time, in nanoseconds

_door: Optional[Tuple[int, int, int]] = None  # the pipe's two ends and the file
_known: Dict[int, Tuple[int, int]] = {}  # device and inode of each descriptor


def install() -> None:
    """Never makes an import of torch fail. Acts only in a task of a step with several tasks, if torch has a
    recorder."""
    if "SLURM_TASK_PID" not in os.environ or os.environ.get("MUSTER_STACKS") == "0" or _is_open():
        return
    if os.environ.get("WORLD_SIZE", os.environ.get("SLURM_STEP_NUM_TASKS", "1")) == "1" or not _sources():
        return
    try:
        _open()
    except (OSError, RuntimeError, AttributeError):
        _close()  # no free descriptor, or no thread: the dump reports that it does not know


def _is_open() -> bool:
    """The start hook and `import muster` each bring a copy of this module."""
    links = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink("/proc/self/fd/" + descriptor))
        except OSError:
            pass  # the one that listed them
    return any(link.startswith(f"/memfd:{_NAME}") for link in links)


def _open() -> None:
    global _door
    reading, writing = os.pipe()  # the writing end stays open, so that the pipe never reaches its end
    file = os.memfd_create(f"{_NAME}{reading}")
    _door = reading, writing, file
    _known.update((each, _identity(each)) for each in _door)
    os.register_at_fork(after_in_child=_close)
    _thread.start_new_thread(_serve, (reading, file))


def _close() -> None:
    """For a forked child, which does not have that thread and is not the rank."""
    global _door
    for descriptor in _door or ():
        if _is_own(descriptor):
            os.close(descriptor)
    _door = None


def _identity(descriptor: int) -> Tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _is_own(descriptor: int) -> bool:
    """A program may close descriptors that it does not know, as daemons do; the number is then soon reused for its own
    file."""
    try:
        return _known.get(descriptor) == _identity(descriptor)
    except OSError:
        return False


def _serve(pipe: int, file: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # signals are meant for the program's own threads
    words: Deque[str] = deque(maxlen=8)  # if several processes ask at the same time, each one finds its own word
    collectives = ""
    while _is_own(pipe):
        try:
            asked = [word[:_MAX_WORD] for word in os.read(pipe, 4096).decode("ascii", "replace").split()]
            words.extend(asked)
            if not _is_own(file):
                return
            kinds = {word[-1:] for word in asked}
            # Stacks stand on a line of their own, above which the last answer about the collectives stays.
            stacks = _answer(lambda: stacks_of_threads(file)) + "\n" if "s" in kinds else ""
            if kinds - {"s"}:
                collectives = _answer(lambda: _about_collectives(asked))
            _write(file, f"{' '.join(words)}\n{collectives}\n{stacks}".encode())
        except OSError:
            return


def _write(file: int, text: bytes) -> None:
    os.ftruncate(file, 0)
    os.pwrite(file, text, 0)


def _about_collectives(asked: List[str]) -> Dict[str, Any]:
    words = [word for word in asked if not word.endswith("s")]
    since = [_ASKS_TIMES.search(word) for word in words]
    if words and all(since):
        return times(min(int(each.group(1), 16) for each in since if each))
    return state(all(word.endswith("n") for word in words))  # hang= asks often: leave the operations out


def _answer(question: Callable[[], Dict[str, Any]]) -> str:
    try:
        return json.dumps(question())
    except Exception as why:  # torch's internals may change
        return json.dumps({"error": f"{type(why).__name__}: {why}"[:_MAX_TEXT]})


def stacks_of_threads(file: int) -> Dict[str, Any]:
    """The stacks of all threads but this one, the main thread's last. faulthandler writes them in one go while this
    thread holds the GIL, so no stack changes meanwhile; no frame of the program is kept alive, and no system call of it
    is interrupted. They are in the file for a moment, until the answer replaces them."""
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    known = "faulthandler" in sys.modules
    import faulthandler

    if not known:  # the program has not imported it
        del sys.modules["faulthandler"]
    faulthandler.dump_traceback(file, all_threads=True)
    text = os.pread(file, _MAX_STACKS, max(os.fstat(file).st_size - _MAX_STACKS, 0)).decode("ascii", "replace")
    if text.endswith("\n...\n"):
        raise RuntimeError("more than 100 threads")  # and the main thread would have been the last
    threads = []
    for thread in text.split("\n\n"):
        head, _, frames = thread.partition("\n")
        if head.startswith("Thread "):  # this one is the "Current thread"
            threads.append({"name": _name_of_thread(int(head.split()[1], 16)), "frames": frames})
    return {"threads": threads}


def _name_of_thread(number: int) -> str:
    thread = getattr(sys.modules.get("threading"), "_active", {}).get(number)
    name = getattr(thread, "_name", None)
    return name[:_MAX_TEXT] if isinstance(name, str) else f"thread {number:#x}"


def state(only_numbers: bool = False) -> Dict[str, Any]:
    """The answer to send; groups with unfinished operations come first."""
    import torch

    known = _groups()
    groups: List[Dict[str, Any]] = []
    for backend, dump, with_operations in _sources():
        groups += _states(backend, json.loads(dump(with_operations and not only_numbers)), known)
    groups.sort(key=lambda group: (group["enqueued"] <= group["completed"], group["group"] != "0"))
    rank = torch.distributed.get_rank() if torch.distributed.is_initialized() else None
    return {"torch": torch.__version__, "nccl": _nccl(), "rank": rank, "groups": groups[:_MAX_GROUPS]}


def _nccl() -> str:
    version = getattr(sys.modules.get("torch._C"), "_nccl_version", int)()
    return f"{version >> 32}.{version >> 16 & 0xFFFF}.{version & 0xFFFF}" if version else ""


def _sources() -> List[Tuple[str, Any, bool]]:
    """The recorders of this torch. NCCL's operations have CUDA events. Querying them from here would abort the capture
    of a CUDA graph that the program may be making, so only numbers are taken from NCCL."""
    module = sys.modules.get("torch._C._distributed_c10d")
    found = []
    for name, backend, with_operations in (("_dump_fr_trace_json", "gloo", True), ("_dump_nccl_trace_json", "nccl", False)):
        dump = getattr(module, name, None)
        if dump is not None:
            found.append((backend, lambda operations, dump=dump: dump(includeCollectives=operations), with_operations))
    return found


def _groups() -> List[Tuple[str, str, str, str]]:
    """Name, description, backends and ranks of each process group, in order of creation."""
    from torch.distributed import distributed_c10d as c10d

    world = c10d._world
    return [(world.pg_names.get(group, ""), getattr(group, "group_desc", "") or "",
             str(world.pg_map[group][0]), _ranges(world.pg_group_ranks.get(group, ())))
            for group in list(world.pg_map)]


def _states(backend: str, dumped: Dict[str, Any], known: List[Tuple[str, str, str, str]]) -> List[Dict[str, Any]]:
    names, operations = _from_entries(dumped.get("entries", ()))
    own = {name: (text, ranks) for name, text, backends, ranks in known if backend in backends or backends == "undefined"}
    status = {int(key): value for key, value in dumped.get("pg_status", {}).items()}
    # torch numbers the groups of each backend as it creates them. These numbers differ between ranks, but the names do
    # not.
    if status and max(status) < len(own):
        names = {**dict(enumerate(own)), **names}
    states: Dict[str, Dict[str, Any]] = {}
    if all(number in names for number in status):
        states = {name: _state(backend, name, own) for name in own}  # includes groups that have done nothing yet
    for number in sorted(names.keys() & status.keys()):  # if two have the same name, the first one is gone
        counts = [max(int(status[number][f"last_{what}_collective"]), 0) for what in ("enqueued", "started", "completed")]
        states[names[number]] = _state(backend, names[number], own, *counts, operations.get((number, counts[0]), ""))
    return list(states.values())


def _state(backend: str, name: str, own: Dict[str, Tuple[str, str]], enqueued: int = 0, started: int = 0, completed: int = 0,
           operation: str = "") -> Dict[str, Any]:
    text, ranks = own.get(name, ("", ""))
    return {"group": name[:_MAX_TEXT], "text": text[:_MAX_TEXT], "backend": backend, "ranks": ranks,
            "enqueued": enqueued, "started": started, "completed": completed, "operation": operation}


def _from_entries(entries: Iterable[Dict[str, Any]]) -> Tuple[Dict[int, str], Dict[Tuple[int, int], str]]:
    """The groups' names by torch's number for them, and the operations by group and number."""
    names: Dict[int, str] = {}
    operations: Dict[Tuple[int, int], str] = {}
    for entry in entries:
        names[entry["pg_id"]] = entry["process_group"][0]
        if not entry["is_p2p"]:
            operations[entry["pg_id"], entry["collective_seq_id"]] = entry["profiling_name"].partition(":")[2][:_MAX_TEXT]
    return names, operations


def _ranges(ranks: Iterable[int]) -> str:
    """For example "0-3,8"; empty if that would be too long."""
    spans: List[List[int]] = []
    for rank in sorted(ranks):
        if spans and spans[-1][1] == rank - 1:
            spans[-1][1] = rank
        else:
            spans.append([rank, rank])
    text = ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
    return text if len(text) <= _MAX_RANKS else ""


def times(since: int) -> Dict[str, Any]:
    """When this rank has called its latest collectives, for slow=: those after a time of the wall clock, oldest first.
    Says as well how many seconds of CPU time that took, so that the other end can ask less often."""
    import torch

    began = time.thread_time()
    if not torch.distributed.is_initialized():
        return {"rank": None, "cost": 0.0, "groups": [], "operations": [], "base": 0, "times": []}
    known = {name: (text, size) for name, text, size in _sizes()}
    groups: List[Dict[str, Any]] = []
    operations: List[str] = []
    found: List[Tuple[int, int, int, int, Any]] = []  # time, group, number, operation, how long it took
    for backend, entries in _until_unfinished(_tails(since)):
        names: Dict[str, int] = {}
        for entry in entries:
            name = entry["process_group"][0]
            if name not in names and name in known and len(groups) < _MAX_GROUPS:
                text, ranks = known[name]
                names[name] = len(groups)
                groups.append({"group": name[:_MAX_TEXT], "text": text[:_MAX_TEXT], "backend": backend,
                               "size": len(ranks), "ranks": _ranges(ranks), "pairs": False})
            if name not in names:
                continue
            # gloo leaves no entry for a message between two ranks, but counts it.
            apart = backend == "gloo" and entry["op_id"] != entry["collective_seq_id"]
            if apart or entry["is_p2p"]:
                groups[names[name]]["pairs"] = True
            if entry["is_p2p"] or entry["time_created_ns"] <= since:
                continue
            operation = entry["profiling_name"].partition(":")[2][:_MAX_TEXT]
            if operation not in operations and len(operations) < _MAX_GROUPS:
                operations.append(operation)
            number = operations.index(operation) if operation in operations else 0
            took = entry.get("duration_ms")
            found.append((entry["time_created_ns"], names[name], entry["collective_seq_id"], number,
                          [] if took is None else [min(max(int(1000 * took), 0), _MAX_TOOK)]))
    found = sorted(found)[-_MAX_TIMES:]
    base = found[0][0] if found else 0
    return {"rank": torch.distributed.get_rank(), "cost": round(time.thread_time() - began, 6), "groups": groups,
            "operations": operations, "base": base,
            "times": [[group, number, operation, created - base, *took] for created, group, number, operation, took in found]}


def _until_unfinished(tails: List[Tuple[str, List[Dict[str, Any]]]]) -> List[Tuple[str, List[Dict[str, Any]]]]:
    """How long NCCL's collectives took, if torch measures it, is known once they have ended: the others come with a later
    answer, and with them all that were called after them."""
    waits = [first for backend, entries in tails for first in _first_unfinished(backend, entries)]
    return [(backend, [entry for entry in entries if not waits or entry["time_created_ns"] < min(waits)])
            for backend, entries in tails]


def _first_unfinished(backend: str, entries: List[Dict[str, Any]]) -> List[int]:
    """When the first unfinished collective was called; empty if there is none. torch measures none that belongs to a CUDA
    graph, so any before a finished one count as finished."""
    finished = [number for number, entry in enumerate(entries) if "duration_ms" in entry]
    if not finished and (backend != "nccl" or os.environ.get("TORCH_NCCL_ENABLE_TIMING", "0").lower() not in _TRUE):
        return []
    later = entries[finished[-1] + 1 if finished else 0:]
    return [entry["time_created_ns"] for entry in later if not entry["is_p2p"]][:1]


def _sizes() -> List[Tuple[str, str, List[int]]]:
    from torch.distributed import distributed_c10d as c10d

    world = c10d._world
    return [(world.pg_names.get(group, ""), getattr(group, "group_desc", "") or "",
             list(world.pg_group_ranks.get(group, ()))) for group in list(world.pg_map)]


def _tails(since: int) -> List[Tuple[str, List[Dict[str, Any]]]]:
    """The latest entries of each recorder. Reading NCCL's asks CUDA for the state of its events, which would break the
    capture of a CUDA graph in another thread unless this thread has declared that it does nothing unsafe."""
    found = []
    for backend, dump, with_operations in _sources():
        if with_operations or _allow_captures():
            found.append((backend, _entries(dump(True), since)))
    return found


def _entries(dumped: bytes, since: int) -> List[Dict[str, Any]]:
    """Parses no more than it needs: a full recorder takes a megabyte. Its entries are in order of creation."""
    first = b'{"collective_seq_id":'
    told = dumped.rfind(b'"time_created_ns":%d,' % since) if since else -1
    begin = dumped.find(first, max(told, len(dumped) - _BYTES_OF_TIMES, 0))
    if begin < 0:
        if told >= 0 or b'"entries":[]' in dumped or first in dumped:
            return []
        return list(json.loads(dumped).get("entries", ()))[-_MAX_TIMES:]  # another order of the fields
    entries = json.JSONDecoder().raw_decode("[" + dumped[begin:].decode("utf-8", "replace"))[0]
    return list(entries)[-_MAX_TIMES:]


def _allow_captures() -> bool:
    """Whether this thread may ask for the state of CUDA events while another one captures a graph. Asks the driver: its
    library is there under this name wherever a program uses CUDA, while the runtime may be part of any other one."""
    try:
        import ctypes

        relaxed = ctypes.c_int(2)  # CU_STREAM_CAPTURE_MODE_RELAXED
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        return driver.cuThreadExchangeStreamCaptureMode(ctypes.byref(relaxed)) == 0
    except (OSError, AttributeError):
        return False
