"""The exceptions of muster: one class, and two subclasses that a program may want to catch by name."""

from enum import IntEnum


class Status(IntEnum):
    """The reason for an error, numbered as in muster.h."""

    ARGUMENT = 1
    STATE = 2
    BUSY = 3
    ENVIRONMENT = 4
    LIBRARY = 5
    TIMEOUT = 6
    PEER = 7
    MISMATCH = 8
    GPU = 9
    TRANSPORT = 10
    NCCL = 11
    MEMORY = 12
    NOT_FOUND = 13
    INTERNAL = 14


class Error(Exception):
    """A call to muster failed. `status` is a Status; `text` is one line: what happened, why, what to do."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(status, text)  # both arguments, so that it can be pickled
        self.status = Status(status)
        self.text = text

    def __str__(self) -> str:
        return self.text


class Timeout(Error, TimeoutError):
    """A deadline passed. The text names the missing ranks if they are known."""


class PeerError(Error, ConnectionError):
    """Another rank died or left the step."""


_KINDS = {Status.TIMEOUT: Timeout, Status.PEER: PeerError}


def error(status: int, text: str) -> Error:
    """The exception for a status of the C library."""
    if status not in Status.__members__.values():
        return Error(Status.INTERNAL, f"status {status}, which this release does not know: {text}")
    return _KINDS.get(Status(status), Error)(status, text)


for _kind in (Status, Error, Timeout, PeerError):
    _kind.__module__ = "muster"  # under the name that users write, and that appears in the last line of a traceback
