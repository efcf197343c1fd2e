"""This process as one rank of its job step."""

import ctypes
import os
import sys
import threading
import weakref
from typing import Callable, Dict, Iterable, List, NamedTuple, NoReturn, Optional, TypeVar, Union, overload

from . import _abi
from ._duration import Duration, milliseconds
from ._interrupt import interruptible
from ._library import check, library
from .errors import Error, Status

_LEAVE_AT_EXIT_MS = 10_000

Result = TypeVar("Result")

_current: "weakref.ref[Step]" = lambda: None  # type: ignore[assignment]


class Endpoint(NamedTuple):
    """Where a rank runs."""

    node: str  # as Slurm names it
    address: str  # numeric, on the network that the launcher chose


def init(timeout: Optional[Duration] = None, transport: str = "auto", numbering: str = "auto") -> "Step":
    """Joins this process to its step.

    Does not wait for other ranks: the first collective call finds out which ranks are missing.

    timeout: seconds or timedelta for this call, and the default for every other; at most 24 hours. None: the seconds in
      MUSTER_TIMEOUT, or 300.
    transport: "auto", "pmix", "tcp" or "single".
    numbering: "auto" (RANK if the launcher has set it, otherwise SLURM_PROCID), "slurm" or "contiguous" (node by node).

    Raises Error. A process can join its step again only after leaving it.
    """
    options = _abi.Options(ctypes.sizeof(_abi.Options), milliseconds(timeout),
                           _number("transport", transport, _abi.TRANSPORTS),
                           _number("numbering", numbering, _abi.NUMBERINGS))
    return Step(options)


def current() -> "Optional[Step]":
    """The step that this process has joined and not left; None if there is none, and in a forked child."""
    step = _current()
    return step if step is not None and not step.closed else None


class Step:
    """Made by muster.init(). A context manager that leaves the step when it exits.

    "Collective" means: every rank makes the same calls in the same order. After a collective call has failed, only the
    properties, abort() and close() may be used. Every `timeout` is in seconds or a timedelta; None means init()'s.
    All methods raise Error; one that exceeds its deadline raises Timeout. Only one thread may use it at a time: a
    second one gets Status.BUSY. In a forked child (a DataLoader's worker, multiprocessing) every call is an error and close()
    does nothing, so that the parent's step stays intact.
    """

    def __init__(self, options: _abi.Options) -> None:
        global _current
        self._library = library()
        self._handle = ctypes.c_void_p()
        self._process = os.getpid()
        self._calling = threading.Lock()
        self._dependents: "weakref.WeakSet" = weakref.WeakSet()  # communicators
        interruptible(lambda: check(self._library.muster_init(ctypes.byref(self._handle), ctypes.byref(options))))
        # Also runs at interpreter exit, youngest first.
        self._leave = weakref.finalize(self, _leave, self._library, self._handle, self._process)
        self._read_rank_info()
        _current = weakref.ref(self)

    def _read_rank_info(self) -> None:
        # Stored so that they can be read after the step has been closed.
        ask = self._library
        self.rank: int = ask.muster_rank(self._handle)  #: in the numbering of init(), from 0
        self.size: int = ask.muster_size(self._handle)  #: ranks of the step, at least 1
        self.procid: int = ask.muster_procid(self._handle)  #: in Slurm's numbering; -1 if unknown, as below
        self.contiguous_rank: int = ask.muster_contiguous_rank(self._handle)  #: node by node
        self.local_rank: int = ask.muster_local_rank(self._handle)  #: among the ranks of this node, from 0
        self.local_size: int = ask.muster_local_size(self._handle)  #: ranks of this node
        self.node_rank: int = ask.muster_node_rank(self._handle)  #: nodes are ordered by their lowest SLURM_PROCID
        self.node_count: int = ask.muster_node_count(self._handle)
        self.node_name: str = (ask.muster_node_name(self._handle) or b"").decode()
        names = {number: name for name, number in _abi.TRANSPORTS.items()}
        self.transport: str = names.get(ask.muster_transport_used(self._handle), "unknown")  #: pmix, tcp or single

    def __repr__(self) -> str:
        state = " closed" if self.closed else ""
        return f"<muster.Step rank {self.rank} of {self.size} on {self.node_name}, {self.transport}{state}>"

    # --- together

    @overload
    def exchange(self, tag: str, data: bytes = ..., ranks: None = ...,
                 timeout: Optional[Duration] = ...) -> List[bytes]: ...

    @overload
    def exchange(self, tag: str, data: bytes, ranks: Iterable[int],
                 timeout: Optional[Duration] = ...) -> Dict[int, bytes]: ...

    def exchange(self, tag: str, data: bytes = b"", ranks: Optional[Iterable[int]] = None,
                 timeout: Optional[Duration] = None) -> Union[List[bytes], Dict[int, bytes]]:
        """Collective. Shares `data` (at most 1 MiB) with the ranks that read it, and returns what other ranks shared.

        tag: names the call, 1 to 63 bytes; ranks with different tags get Status.MISMATCH.
        ranks: the ranks to read; the result is a dict by rank, and may be empty. None: all ranks; the result is a list.

        Keep `data` small: over PMIx, every byte travels to every node. No rank returns before all have called.
        """
        wanted = list(range(self.size) if ranks is None else ranks)
        blobs = (_abi.Blob * len(wanted))()
        for blob, rank in zip(blobs, wanted):
            blob.rank = self._checked(rank)
        given, name, limit = bytes(memoryview(data)), _text("tag", tag), milliseconds(timeout)

        def call() -> List[bytes]:
            check(self._library.muster_exchange(self._handle, name, given, len(given), blobs, len(wanted), limit))
            # Copied immediately, because the library's data is valid only until the next call.
            return [ctypes.string_at(blob.data, blob.size) if blob.size else b"" for blob in blobs]

        values = self._call(call)
        return values if ranks is None else dict(zip(wanted, values))

    def broadcast(self, data: Optional[bytes] = None, root: int = 0, timeout: Optional[Duration] = None) -> bytes:
        """Collective. Returns on every rank the bytes (at most 1 MiB) that `root` passed; the other ranks' `data` is
        ignored."""
        if self.rank == root and data is None:
            raise Error(Status.ARGUMENT, f"rank {root} must pass the data that it broadcasts (b\"\" for none)")
        given = data if self.rank == root else b""
        # Only the root knows the length, which an exchange transmits.
        return self.exchange(f"broadcast from rank {root}", given, [root], timeout)[root]

    def barrier(self, timeout: Optional[Duration] = None) -> None:
        """Collective. No rank returns before all have called."""
        limit = milliseconds(timeout)
        self._call(lambda: check(self._library.muster_barrier(self._handle, limit)))

    # --- alone

    def endpoint(self, rank: int, timeout: Optional[Duration] = None) -> Endpoint:
        """Where a rank runs. Known immediately for this rank, and for others after a collective call that reads them
        (PMIx: after any); otherwise the status is NOT_FOUND."""
        found, limit = _abi.Endpoint(), milliseconds(timeout)
        asked = self._checked(rank)
        self._call(lambda: check(self._library.muster_endpoint_of(self._handle, asked, ctypes.byref(found), limit)))
        return Endpoint(found.node.decode(), found.address.decode())

    def mark(self, what: str) -> None:
        """Names what this process has done since its last call on the step ended (1 to 63 bytes), for `muster report`'s
        page. Does nothing without logs=."""
        name = _text("mark", what)
        self._alone(lambda: check(self._library.muster_mark(self._handle, name)))

    def abort(self, code: int = 1, reason: Optional[str] = None) -> NoReturn:
        """Ends the whole step, including this process, with the exit code `code` (1 to 255). `reason`, one line, goes
        to stderr."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()  # flushed here because abort() skips Python's own shutdown
        line = None if reason is None else reason.encode(errors="replace").replace(b"\0", b" ")
        self._alone(lambda: check(self._library.muster_abort(self._handle, code, line)))
        raise Error(Status.INTERNAL, "the step should have ended")

    # --- the end

    @property
    def closed(self) -> bool:
        """True after the step has been left, and in a process that was forked from the one that joined."""
        return not self._leave.alive or os.getpid() != self._process

    def close(self, timeout: Optional[Duration] = None) -> None:
        """Closes the communicators of the step and leaves it. Not collective. A second call does nothing."""
        if self.closed:
            return
        limit = milliseconds(timeout)
        for dependent in list(self._dependents):
            dependent.close(timeout)
        self._alone(lambda: self._finalize(limit))

    def _finalize(self, timeout_ms: int) -> None:
        self._leave.detach()
        check(self._library.muster_finalize(ctypes.byref(self._handle), timeout_ms))

    def __enter__(self) -> "Step":
        return self

    def __exit__(self, kind, error, traceback) -> None:
        if error is None:
            self.close()
            return
        try:
            for dependent in list(self._dependents):
                dependent.abort()
            self.close()
        except Error:
            pass  # the first error is the one that matters

    # --- what every call does first

    def _call(self, call: Callable[[], Result]) -> Result:
        """Runs `call` alone on the handle. A call that Ctrl-C left running keeps others out until it has returned."""
        self._begin()

        def run() -> Result:
            try:
                return call()
            finally:
                self._calling.release()

        return interruptible(run)

    def _alone(self, call: Callable[[], Result]) -> Result:
        """Likewise, but in this thread, for calls that use its CUDA device: Ctrl-C takes effect when the call ends."""
        self._begin()
        try:
            return call()
        finally:
            self._calling.release()

    def _begin(self) -> None:
        if os.getpid() != self._process:
            raise Error(Status.STATE,
                        f"this process was forked from rank {self.rank} and is not a rank itself: call from the parent")
        if not self._leave.alive:
            raise Error(Status.STATE, "the step has been left: call muster.init() to join it again")
        if not self._calling.acquire(blocking=False):
            raise Error(Status.BUSY,
                        "another thread is inside a call on this step, or Ctrl-C has left one running: wait for it")

    def _checked(self, rank: int) -> int:
        if not 0 <= rank < self.size:
            ranks = "rank 0 only" if self.size == 1 else f"ranks 0 to {self.size - 1}"
            raise Error(Status.ARGUMENT, f"there is no rank {rank}: the step has {ranks}")
        return rank


def _leave(library: ctypes.CDLL, handle: ctypes.c_void_p, process: int) -> None:
    """For a step that was not closed. Does nothing in a forked child, because the connections are its parent's."""
    if os.getpid() == process:
        library.muster_finalize(ctypes.byref(handle), _LEAVE_AT_EXIT_MS)


def _number(what: str, word: str, known: Dict[str, int]) -> int:
    if word not in known:
        raise Error(Status.ARGUMENT, f"{what} {word!r} is unknown: use one of {', '.join(known)}")
    return known[word]


def _text(what: str, text: str) -> bytes:
    encoded = text.encode()
    if b"\0" in encoded:
        raise Error(Status.ARGUMENT, f"a {what} must not contain a NUL byte")
    return encoded
