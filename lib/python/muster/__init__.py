"""Lets the ranks of a Slurm job step find each other; nobody has to choose a port.

    import muster

    with muster.init(timeout=60) as step:
        print(f"rank {step.rank} of {step.size} on {step.node_name}")
        names = step.exchange("names", step.node_name.encode())   # a list, by rank

Needs `srun --distributed` or `srun --mpi=pmix`; it also works over TCP, or alone (docs/reference/c-library.md says when).
This is the Python interface to the C library libmuster, through ctypes: see docs/reference/python.md. `muster.nccl`,
`muster.torch` and `muster.jax` are imported separately; none of them needs the others.
"""

from . import _record, _stacks
from ._attempt import restart_count
from ._duration import Duration
from ._stop import stop_on, stop_requested
from ._version import __version__
from .errors import Error, PeerError, Status, Timeout
from .step import Endpoint, Step, current, init

__all__ = ["Duration", "Endpoint", "Error", "PeerError", "Status", "Step", "Timeout", "__version__", "current", "init",
           "restart_count", "stop_on", "stop_requested"]

_record.install()
_stacks.install()
