"""The rendezvous handler of `muster://`: where torch's store is, who this rank is, and whether all agree."""

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

# The store listens before anyone hears of it: one that does not answer within this will not answer at all.
_LONGEST_CONNECT = 300  # seconds
_LONGEST_PROBLEM = 500  # bytes of one rank's trouble that others are told


class Meeting(NamedTuple):
    """What torch wants of a rendezvous."""

    store: "dist.Store"
    rank: int
    world_size: int


def register() -> None:
    """Makes torch.distributed know `muster://`. Called by the import; twice does nothing more."""
    if SCHEME not in _rendezvous_handlers:
        dist.register_rendezvous_handler(SCHEME, handler)


def handler(url: str, timeout: timedelta = default_pg_timeout, **_) -> Iterator[Meeting]:
    """torch calls it with its own timeout, which bounds the whole rendezvous (at most 24 hours)."""
    # Yielded as it is made: a variable of this frame would keep the store when torch has let go of it.
    yield meet(Query.of(url), timeout)
    raise RuntimeError("muster:// meets once: call init_process_group() again for another rendezvous")


class Query(NamedTuple):
    """What the user said beyond the scheme, in init_process_group() or in the URL; None for nothing."""

    rank: Optional[int]
    world_size: Optional[int]
    libuv: Optional[str]  # "0" or "1"

    @classmethod
    def of(cls, url: str) -> "Query":
        said = dict(parse_qsl(urlparse(url).query))
        return cls(_number(said, "rank"), _number(said, "world_size"), said.get("use_libuv"))

    def disagreement(self, rank: int, size: int) -> str:
        """Empty when the user said nothing else than the step does."""
        if self.rank in (None, rank) and self.world_size in (None, size):
            return ""
        told = " ".join(f"{name}={value}" for name, value in (("rank", self.rank), ("world_size", self.world_size))
                        if value is not None)
        return (f"init_process_group() was told {told}, and the step has this process as rank {rank} of {size}: "
                "leave both out")


def meet(query: Query, timeout: timedelta) -> Meeting:
    """Collective."""
    deadline = _Deadline(_bounded(timeout))
    with _joined(timeout) as step:
        store, problem = _open(step, query, deadline)
        verdict = _verdict(step, problem, deadline)
        if verdict:
            del store
            raise Error(Status.TRANSPORT, verdict)
        store.set_timeout(timeout)
        return Meeting(store, step.rank, step.size)


def join(timeout: timedelta) -> Step:
    return init(timeout=_bounded(timeout))


def _joined(timeout: timedelta) -> ContextManager[Step]:
    """The step that the program has joined itself, which stays; else joined for this alone."""
    own = current()
    return join(timeout) if own is None else contextlib.nullcontext(own)


def _bounded(timeout: timedelta) -> float:
    """Seconds: torch takes any, muster at most a day."""
    return min(timeout.total_seconds(), _duration.LONGEST)


def _open(step: Step, query: Query, deadline: "_Deadline") -> Tuple[Optional["dist.Store"], str]:
    """This rank's end of the store, or why there is none. Collective, so it fails on no rank alone."""
    problem = query.disagreement(step.rank, step.size)
    backend = stores.Backend.chosen(query.libuv)
    store = None
    offer = b""
    if step.rank == 0 and not problem:
        host = step.endpoint(0).address
        store, problem = _tried(lambda: stores.serve(host, step.size, backend, deadline.part(_LONGEST_CONNECT)))
        offer = f"{host} {store.port}".encode() if store is not None else b""
    host, _, port = _from_rank_0(step, "torch store's address", offer, deadline).partition(" ")
    if step.rank == 0 or problem:
        return store, problem
    if not port:
        return None, ""  # rank 0 says why
    store, problem = _tried(lambda: stores.connect(host, int(port), step.size, backend, deadline.part(_LONGEST_CONNECT)))
    return store, problem and f"the store of rank 0 at {host} port {port} cannot be reached: {problem}"


def _tried(make) -> Tuple[Optional["dist.Store"], str]:
    try:
        return make(), ""
    except Exception as why:  # torch has its own exceptions, which differ between releases
        return None, (str(why).strip() or repr(why)).splitlines()[0]


def _verdict(step: Step, problem: str, deadline: "_Deadline") -> str:
    """Collective. Empty, or the trouble of the first rank that has any, the same on every rank."""
    told = problem and f"rank {step.rank} on {step.node_name}: {problem}"
    everyone = range(step.size) if step.rank == 0 else []
    troubles = step.exchange("torch store's clients", told.encode()[:_LONGEST_PROBLEM], everyone, deadline.left())
    summary = _summary([text for _, text in sorted(troubles.items()) if text])
    return _from_rank_0(step, "torch store's verdict", summary, deadline)


def _from_rank_0(step: Step, what: str, data: bytes, deadline: "_Deadline") -> str:
    """A broadcast under a name, for the line that says where the ranks were when one was missing."""
    return step.exchange(what, data if step.rank == 0 else b"", [0], deadline.left())[0].decode(errors="replace")


def _summary(troubles: List[bytes]) -> bytes:
    more = b" (and %d more ranks)" % (len(troubles) - 1) if len(troubles) > 1 else b""
    return troubles[0] + more if troubles else b""


class _Deadline:
    """The end of the whole rendezvous."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds; a last instant when it has passed, so that whoever waits says so."""
        return max(0.001, self._end - time.monotonic())

    def part(self, most: float) -> timedelta:
        """For one connection: it must fail early enough to tell the others, and torch may take twice what it is given."""
        return timedelta(seconds=min(most, self.left() / 3))


def _number(said: Dict[str, str], name: str) -> Optional[int]:
    text = said.get(name, "-1")
    try:
        return None if int(text) == -1 else int(text)  # torch says -1 for nothing
    except ValueError:
        raise Error(Status.ARGUMENT, f"muster:// was given {name}={text}: that is no number; leave it out") from None
