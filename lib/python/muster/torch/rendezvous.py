"""The rendezvous handler of `muster://`: where torch's store is, which rank this is, and whether all ranks agree."""

import contextlib
import time
from datetime import timedelta
from typing import ContextManager, Dict, Iterator, List, NamedTuple, Optional, Tuple
from urllib.parse import parse_qsl, urlparse

import torch.distributed as dist
from torch.distributed.rendezvous import _rendezvous_handlers
from torch.distributed.constants import default_pg_timeout

from .. import _duration
from ..errors import Error, Status
from ..step import Step, current, init
from . import store as stores

SCHEME = "muster"

# The store listens before its address is sent, so one that does not answer within this time never will.
_CONNECT_TIMEOUT = 300  # seconds
_MAX_FAILURE = 500  # the most bytes of one rank's failure that are sent to the others


class Rendezvous(NamedTuple):
    """What torch expects of a rendezvous handler."""

    store: "dist.Store"
    rank: int
    world_size: int


def register() -> None:
    """Registers `muster://` with torch.distributed. The import calls it; a second call does nothing."""
    if SCHEME not in _rendezvous_handlers:
        dist.register_rendezvous_handler(SCHEME, handler)


def handler(url: str, timeout: timedelta = default_pg_timeout, **_) -> Iterator[Rendezvous]:
    """torch calls it with its own timeout, which bounds the whole rendezvous (at most 24 hours)."""
    # Not stored in a variable of this frame, which would keep the store alive after torch has released it.
    yield meet(Query.of(url), timeout)
    raise RuntimeError("muster:// serves one rendezvous: call init_process_group() again for another")


class Query(NamedTuple):
    """What the user gave besides the scheme, in init_process_group() or in the URL; None for what is missing."""

    rank: Optional[int]
    world_size: Optional[int]
    libuv: Optional[str]  # "0" or "1"

    @classmethod
    def of(cls, url: str) -> "Query":
        said = dict(parse_qsl(urlparse(url).query))
        return cls(_number(said, "rank"), _number(said, "world_size"), said.get("use_libuv"))

    def disagreement(self, rank: int, size: int) -> str:
        """Empty unless the user gave values that differ from the step's."""
        if self.rank in (None, rank) and self.world_size in (None, size):
            return ""
        given = " ".join(f"{name}={value}" for name, value in (("rank", self.rank), ("world_size", self.world_size))
                         if value is not None)
        return (f"init_process_group() got {given}, but this process is rank {rank} of {size} of the step: "
                "leave out rank and world_size")


def meet(query: Query, timeout: timedelta) -> Rendezvous:
    """Collective."""
    deadline = _Deadline(_bounded(timeout))
    with _joined(timeout) as step:
        store, problem = _open(step, query, deadline)
        verdict = _verdict(step, problem, deadline)
        if verdict:
            del store
            raise Error(Status.TRANSPORT, verdict)
        store.set_timeout(timeout)
        return Rendezvous(store, step.rank, step.size)


def join(timeout: timedelta) -> Step:
    return init(timeout=_bounded(timeout))


def _joined(timeout: timedelta) -> ContextManager[Step]:
    """The step that the program has joined itself, which stays joined; otherwise one that is joined only for this
    purpose."""
    own = current()
    return join(timeout) if own is None else contextlib.nullcontext(own)


def _bounded(timeout: timedelta) -> float:
    """In seconds: torch accepts any timeout, muster at most a day."""
    return min(timeout.total_seconds(), _duration.MAX_SECONDS)


def _open(step: Step, query: Query, deadline: "_Deadline") -> Tuple[Optional["dist.Store"], str]:
    """This rank's end of the store, or why there is none. Collective, so that it never fails on one rank only."""
    problem = query.disagreement(step.rank, step.size)
    backend = stores.Backend.chosen(query.libuv)
    store = None
    offer = b""
    if step.rank == 0 and not problem:
        host = step.endpoint(0).address
        store, problem = _tried(lambda: stores.serve(host, step.size, backend, deadline.part(_CONNECT_TIMEOUT)))
        step.mark("torch store of rank 0")
        offer = f"{host} {store.port}".encode() if store is not None else b""
    host, _, port = _from_rank_0(step, "torch store's address", offer, deadline).partition(" ")
    if step.rank == 0 or problem:
        return store, problem
    if not port:
        return None, ""  # rank 0 says why
    store, problem = _tried(lambda: stores.connect(host, int(port), step.size, backend, deadline.part(_CONNECT_TIMEOUT)))
    step.mark("torch store's connection")
    return store, problem and f"the store of rank 0 at {host} port {port} cannot be reached: {problem}"


def _tried(make) -> Tuple[Optional["dist.Store"], str]:
    try:
        return make(), ""
    except Exception as why:  # torch raises exceptions of its own, which differ between releases
        return None, (str(why).strip() or repr(why)).splitlines()[0]


def _verdict(step: Step, failure: str, deadline: "_Deadline") -> str:
    """Collective. Empty, or the failure of the first rank that has one; the same on every rank."""
    own = failure and f"rank {step.rank} on {step.node_name}: {failure}"
    everyone = range(step.size) if step.rank == 0 else []
    failures = step.exchange("torch store's clients", own.encode()[:_MAX_FAILURE], everyone, deadline.left())
    summary = _summary([text for _, text in sorted(failures.items()) if text])
    return _from_rank_0(step, "torch store's verdict", summary, deadline)


def _from_rank_0(step: Step, what: str, data: bytes, deadline: "_Deadline") -> str:
    """A broadcast with a name, which appears in the error message if a rank is missing."""
    return step.exchange(what, data if step.rank == 0 else b"", [0], deadline.left())[0].decode(errors="replace")


def _summary(failures: List[bytes]) -> bytes:
    more = b" (and %d more ranks)" % (len(failures) - 1) if len(failures) > 1 else b""
    return failures[0] + more if failures else b""


class _Deadline:
    """The deadline of the whole rendezvous."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """In seconds, but never 0: after the deadline the next call still has to report the timeout."""
        return max(0.001, self._end - time.monotonic())

    def part(self, max_seconds: float) -> timedelta:
        """The time for one connection: it must fail early enough to be reported, and torch may take twice its
        timeout."""
        return timedelta(seconds=min(max_seconds, self.left() / 3))


def _number(said: Dict[str, str], name: str) -> Optional[int]:
    text = said.get(name, "-1")
    try:
        return None if int(text) == -1 else int(text)  # torch uses -1 for "not given"
    except ValueError:
        raise Error(Status.ARGUMENT, f"muster:// was given {name}={text}: that is not a number; leave it out") from None
