"""NCCL communicators over the ranks of a step, without torch's store and without a port.

    with muster.init() as step, muster.nccl.communicator(step) as world:
        node = world.split_by_node()
        ...  # world.handle is an ncclComm_t, for cupy, ctypes or a binding of your own

NCCL itself is the one already in the process, else the one that pip installed beside torch, else MUSTER_NCCL_LIBRARY's or
the system's. torch itself needs nothing of this: it makes its communicators alone, by muster.torch's store.
"""

import ctypes
import importlib.util
import os
import sys
import weakref
from pathlib import Path
from typing import List, Optional

from . import _abi
from ._duration import Duration, milliseconds
from ._library import check, library
from .errors import Error, Status
from .step import Step

LIBRARY = "MUSTER_NCCL_LIBRARY"


def version() -> int:
    """Of the NCCL that would be used, as ncclGetVersion() says it: 22809 is 2.28.9."""
    _name_torchs_library()
    found = ctypes.c_int()
    check(library().muster_nccl_version(ctypes.byref(found)))
    return found.value


def ids(step: Step, *, timeout: Optional[Duration] = None, roots: Optional[int] = None,
        ranks_per_root: Optional[int] = None, generation: int = 0, check_gpus: bool = True, **more) -> List[bytes]:
    """Collective. The ncclUniqueIds (128 bytes each) of one communicator over all ranks, in the order that
    ncclCommInitRankScalable() wants; with one root it is ncclCommInitRank()'s.

    The processes that made them must live until the communicator is up. check_gpus=False looks at no GPU. The other
    arguments are those of communicator().
    """
    options = _options(timeout, roots=roots, ranks_per_root=ranks_per_root, generation=generation, **more)
    options.flags |= 0 if check_gpus else _abi.NCCL_IDS_ONLY
    room = step.size  # a root has a rank at least
    if roots is not None:
        room = min(room, roots)
    elif ranks_per_root is None or ranks_per_root > 0:
        room = -(-step.size // (ranks_per_root or 128))
    buffer = ctypes.create_string_buffer(max(1, room) * _abi.NCCL_ID_BYTES)
    count = ctypes.c_size_t()
    step._alone(lambda: check(step._library.muster_nccl_ids(
        step._handle, ctypes.byref(options), buffer, max(1, room), ctypes.byref(count))))
    raw = buffer.raw
    return [raw[at:at + _abi.NCCL_ID_BYTES] for at in range(0, count.value * _abi.NCCL_ID_BYTES, _abi.NCCL_ID_BYTES)]


def communicator(step: Step, *, timeout: Optional[Duration] = None, roots: Optional[int] = None,
                 ranks_per_root: Optional[int] = None, generation: int = 0, device: Optional[int] = None,
                 cuda_version: Optional[int] = None, shared_gpu: bool = False, config: Optional[int] = None,
                 **fields) -> "Communicator":
    """Collective. A communicator over all ranks of the step, ready for use.

    timeout: seconds or timedelta, of the whole call. Ctrl-C waits for it: CUDA's current device belongs to this thread.
    roots: how many ranks serve the bootstrap; None: one for each `ranks_per_root` (128).
    generation: which communicator of the program this is, the same on every rank; one made again after a failure counts on.
    device: CUDA index of this rank's GPU. None: this thread's current one, else LOCAL_RANK modulo the visible GPUs.
    cuda_version: CUDART_VERSION that drivers are checked for. None: that of torch where it is imported; 0: not checked.
    shared_gpu: several ranks on one GPU are wanted.
    config: address of an ncclConfig_t. fields: its fields by their own names (min_ctas=8, net_name="Socket", ...), which
      go over it.

    Raises Error; then the communicator has been aborted on this rank.
    """
    options = _options(timeout, roots=roots, ranks_per_root=ranks_per_root, generation=generation, device=device,
                       cuda_version=cuda_version, shared_gpu=shared_gpu, config=config, **fields)
    made = ctypes.c_void_p()
    step._alone(lambda: check(step._library.muster_nccl_init(step._handle, ctypes.byref(options), ctypes.byref(made))))
    return Communicator(step, made)


class Communicator:
    """A non-blocking ncclComm_t and the step that it came from. A context manager: closed at its end, aborted by an error.

    Belongs to its step, which must be left after it; Step.close() closes what is still open. All methods raise Error.
    """

    def __init__(self, step: Step, handle: ctypes.c_void_p) -> None:
        self._step = step
        self._handle = handle
        step._dependents.add(self)
        # At the interpreter's end or when it is forgotten: without its peers, which may be long gone.
        self._abandon = weakref.finalize(self, _abandon, step._library, step._handle, handle, os.getpid())

    @property
    def handle(self) -> int:
        """The ncclComm_t as a number; lives until close() or abort(). After calls of your own that may return
        ncclInProgress call wait()."""
        if not self._handle:
            raise Error(Status.STATE, "the communicator is closed")
        return self._handle.value

    def split(self, colour: int, key: int = 0, *, timeout: Optional[Duration] = None, **fields) -> "Optional[Communicator]":
        """Collective over this communicator's ranks. One for the ranks of the same `colour` (0 or more), ordered by `key`
        and then by rank; None for a rank whose colour is muster.nccl.NONE. Needs NCCL 2.18. After an error this one is only
        good for abort()."""
        options = _options(timeout, **fields)
        child = ctypes.c_void_p()
        self._step._alone(lambda: check(self._step._library.muster_nccl_split(
            self._step._handle, self.handle, colour, key, ctypes.byref(options), ctypes.byref(child))))
        return Communicator(self._step, child) if child else None

    def split_by_node(self, key: int = 0, *, timeout: Optional[Duration] = None, **fields) -> "Communicator":
        """Collective. One communicator for the ranks of each node."""
        return self.split(_abi.SPLIT_NODE, key, timeout=timeout, **fields)

    def wait(self, timeout: Optional[Duration] = None) -> None:
        """Until nothing is in progress on it. When the deadline passes or NCCL failed it has been aborted and is closed."""
        limit = milliseconds(timeout)
        try:
            self._step._alone(lambda: check(self._step._library.muster_nccl_wait(self._step._handle, self.handle, limit)))
        except Error as why:
            if why.status in (Status.TIMEOUT, Status.NCCL):
                self._forget()
                self._handle.value = None
            raise

    def close(self, timeout: Optional[Duration] = None) -> None:
        """Ends it in order, together with its peers. Twice does nothing more."""
        limit = milliseconds(timeout)
        self._end(lambda: self._step._library.muster_nccl_destroy(self._step._handle, ctypes.byref(self._handle), limit))

    def abort(self) -> None:
        """Tears it down without its peers."""
        self._end(lambda: self._step._library.muster_nccl_abort(self._step._handle, ctypes.byref(self._handle)))

    def _end(self, call) -> None:
        if not self._handle or not self._abandon.alive or self._step.closed:
            return
        self._forget()
        self._step._alone(lambda: check(call()))

    def _forget(self) -> None:
        self._abandon.detach()
        self._step._dependents.discard(self)

    def __enter__(self) -> "Communicator":
        return self

    def __exit__(self, kind, error, traceback) -> None:
        if error is None:
            self.close()
            return
        try:
            self.abort()
        except Error:
            pass  # the first error is the one to tell


NONE = _abi.SPLIT_NONE


def _abandon(library: ctypes.CDLL, step: ctypes.c_void_p, handle: ctypes.c_void_p, process: int) -> None:
    if os.getpid() == process and step and handle:
        library.muster_nccl_abort(step, ctypes.byref(handle))


def _options(timeout: Optional[Duration], *, roots: Optional[int] = None, ranks_per_root: Optional[int] = None,
             generation: int = 0, device: Optional[int] = None, cuda_version: Optional[int] = None,
             shared_gpu: bool = False, config: Optional[int] = None, **fields) -> _abi.NcclOptions:
    _name_torchs_library()
    options = _abi.NcclOptions(size=ctypes.sizeof(_abi.NcclOptions), timeout_ms=milliseconds(timeout))
    for name, value in (("roots", roots), ("ranks_per_root", ranks_per_root), ("device", device)):
        setattr(options, name, _abi.DEFAULT if value is None else _within(name, value, 31))
    options.generation = _within("generation", generation, 32)
    options.cuda_version = _cuda_version_of_torch() if cuda_version is None else _within("cuda_version", cuda_version, 31)
    options.flags = _abi.NCCL_SHARED_GPU if shared_gpu else 0
    options.config = config
    for name in _abi.CONFIG_NUMBERS:
        setattr(options, name, _within(name, fields.pop(name), 31) if name in fields else _abi.UNSET)
    for name in _abi.CONFIG_TEXTS:
        text = fields.pop(name, None)
        setattr(options, name, None if text is None else text.encode())
    if fields:
        known = ", ".join(_abi.CONFIG_NUMBERS + _abi.CONFIG_TEXTS)
        raise Error(Status.ARGUMENT, f"{', '.join(fields)}: no field of ncclConfig_t that is known here: give some of {known}")
    return options


def _within(name: str, value: int, bits: int) -> int:
    """ctypes would cut a number that is too large, and say nothing."""
    if not 0 <= value < 1 << bits:
        raise Error(Status.ARGUMENT, f"{name} is {value}: give 0 or more, and less than 2**{bits}")
    return value


def _cuda_version_of_torch() -> int:
    """12.8 is 12080. 0 where torch is not imported, or knows no CUDA: importing it takes seconds."""
    said = getattr(getattr(sys.modules.get("torch"), "version", None), "cuda", None)
    if not said:
        return 0
    major, minor = (int(part) for part in said.split(".")[:2])
    return major * 1000 + minor * 10


def _name_torchs_library() -> None:
    """Of two NCCLs in one process one is too many: ours is torch's."""
    if LIBRARY not in os.environ:
        beside_torch = torchs_library()
        if beside_torch is not None:
            os.environ[LIBRARY] = str(beside_torch)


def torchs_library() -> Optional[Path]:
    """The libnccl that pip installed with torch; torch is looked for and not imported."""
    try:
        torch = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return None
    if torch is None or not torch.origin:
        return None
    path = Path(torch.origin).parent.parent / "nvidia" / "nccl" / "lib" / "libnccl.so.2"
    return path if path.exists() else None
