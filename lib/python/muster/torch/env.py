"""Lets muster serve env://, for scripts that must not be changed."""

import os
from datetime import timedelta
from typing import Iterator, Mapping, Optional, Tuple

from torch.distributed.rendezvous import _rendezvous_handlers
from torch.distributed.constants import default_pg_timeout

from ..errors import Error, Status
from ..step import Step, current
from .rendezvous import Query, Rendezvous, join, meet

_torchs_own = None


def serve_env() -> None:
    """From now on, `env://`, torch's default, connects the ranks as `muster://` does.

    torch's own handler is still used if muster's launcher has given the step no transport (neither PMIx nor an
    exchange), if RANK and WORLD_SIZE are not those of the step's tasks (torchrun, mp.spawn), and inside torchrun.
    """
    global _torchs_own
    if _rendezvous_handlers.get("env") is not _either:
        _torchs_own, _rendezvous_handlers["env"] = _rendezvous_handlers["env"], _either


def _either(url: str, timeout: timedelta = default_pg_timeout, **more) -> Iterator[tuple]:
    query = Query.of(url)
    if not a_task_of_the_step(query, os.environ):
        yield from _torchs_own(url, timeout=timeout, **more)
        return
    if current() is not None:
        yield meet(query, timeout)
        return
    step = joined(query, os.environ, timeout)
    if step is None:
        yield from _torchs_own(url, timeout=timeout, **more)
    else:
        yield _met(step, query, timeout)


def a_task_of_the_step(query: Query, environment: Mapping[str, str]) -> bool:
    """Whether torch's ranks would be the step's tasks, as far as that is known without joining the step."""
    if environment.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        return False  # torchrun already serves a store, and its workers share one task's PMIx
    rank, world_size = _wanted(query, environment)
    step = current()
    if step is not None:
        return (rank, world_size) == (str(step.rank), str(step.size))
    return world_size is not None and world_size == environment.get("SLURM_STEP_NUM_TASKS", environment.get("SLURM_NTASKS"))


def joined(query: Query, environment: Mapping[str, str], timeout: timedelta) -> Optional[Step]:
    """The step, if muster connects it; the answer is the same on every rank."""
    try:
        step = join(timeout)
    except Error as why:
        if why.status == Status.ENVIRONMENT:
            return None
        raise
    # Without an address from the launcher, TCP would use MASTER_ADDR and MASTER_PORT, as torch does.
    connects = step.transport == "pmix" or (step.transport == "tcp" and "MUSTER_EXCHANGE" in environment)
    if connects and _wanted(query, environment)[0] == str(step.rank):
        return step
    step.close()
    return None


def _met(step: Step, query: Query, timeout: timedelta) -> Rendezvous:
    with step:  # joined only for this purpose
        return meet(query, timeout)


def _wanted(query: Query, environment: Mapping[str, str]) -> Tuple[Optional[str], Optional[str]]:
    """Rank and world size, read as env:// reads them."""
    given = ((query.rank, "RANK"), (query.world_size, "WORLD_SIZE"))
    return tuple(environment.get(name) if number is None else str(number) for number, name in given)
