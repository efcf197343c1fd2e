"""An NCCL communicator, from its creation to its end."""

import ctypes
import os
import weakref
from typing import Optional

from .. import _abi
from .._duration import Duration, milliseconds
from .._library import check
from ..errors import Error, Status
from ..step import Step
from .options import options_of

NONE = _abi.SPLIT_NONE


class Communicator:
    """A non-blocking ncclComm_t and its step. A context manager: closes it on exit, and aborts it after an exception.

    Belongs to its step: close it before you leave the step. Step.close() closes communicators that are still open.
    All methods raise Error.
    """

    def __init__(self, step: Step, handle: ctypes.c_void_p) -> None:
        self._step = step
        self._handle = handle
        step._dependents.add(self)
        # At interpreter exit or garbage collection: does not wait for its peers, which may be gone.
        self._abandon = weakref.finalize(self, _abandon, step._library, step._handle, handle, os.getpid())

    @property
    def handle(self) -> int:
        """The ncclComm_t as a number; valid until close() or abort(). After your own calls that may return
        ncclInProgress, call wait()."""
        if not self._handle:
            raise Error(Status.STATE, "the communicator is closed")
        return self._handle.value

    def split(self, colour: int, key: int = 0, *, timeout: Optional[Duration] = None, **fields) -> "Optional[Communicator]":
        """Collective over this communicator's ranks. Makes one for the ranks with the same `colour` (0 or more),
        ordered by `key` and then by rank; None for a rank whose `colour` is muster.nccl.NONE. Needs NCCL 2.18. After an
        error, only abort() may be called on this one."""
        options = options_of(timeout, **fields)
        child = ctypes.c_void_p()
        self._step._alone(lambda: check(self._step._library.muster_nccl_split(
            self._step._handle, self.handle, colour, key, ctypes.byref(options), ctypes.byref(child))))
        return Communicator(self._step, child) if child else None

    def split_by_node(self, key: int = 0, *, timeout: Optional[Duration] = None, **fields) -> "Communicator":
        """Collective. One communicator for the ranks of each node."""
        return self.split(_abi.SPLIT_NODE, key, timeout=timeout, **fields)

    def wait(self, timeout: Optional[Duration] = None) -> None:
        """Waits until no operation on it is in progress. If the deadline passes or NCCL fails, it is aborted and
        closed."""
        limit = milliseconds(timeout)
        try:
            self._step._alone(lambda: check(self._step._library.muster_nccl_wait(self._step._handle, self.handle, limit)))
        except Error as why:
            if why.status in (Status.TIMEOUT, Status.NCCL):
                self._forget()
                self._handle.value = None
            raise

    def close(self, timeout: Optional[Duration] = None) -> None:
        """Shuts it down cleanly, together with its peers. A second call does nothing."""
        limit = milliseconds(timeout)
        self._end(lambda: self._step._library.muster_nccl_destroy(self._step._handle, ctypes.byref(self._handle), limit))

    def abort(self) -> None:
        """Tears it down without waiting for its peers."""
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
            pass  # the first error is the one that matters


def _abandon(library: ctypes.CDLL, step: ctypes.c_void_p, handle: ctypes.c_void_p, process: int) -> None:
    if os.getpid() == process and step and handle:
        library.muster_nccl_abort(step, ctypes.byref(handle))
