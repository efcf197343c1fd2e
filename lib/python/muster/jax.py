"""Connects jax.distributed; nobody has to choose a port for the coordinator.

    import muster.jax

    muster.jax.initialize()     # before any other use of JAX

Rank 0 binds a port and keeps it until JAX's coordinator listens there; the other ranks get the address through PMIx.
JAX itself would derive the port from the job id, so that two steps of one job would use the same port.
"""

import inspect
import os
import socket
from typing import Iterable, List, Mapping, Optional, Union

from ._duration import Duration, seconds
from .errors import Error, Status
from .step import Step, current, init

_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")


def initialize(local_device_ids: Optional[Union[int, Iterable[int]]] = None, timeout: Optional[Duration] = None,
               **options) -> None:
    """Collective. Calls jax.distributed.initialize() with the step's ranks, and with a coordinator at rank 0.

    local_device_ids: indexes of this process's GPUs among the visible ones. None: JAX_LOCAL_DEVICE_IDS, otherwise this
      rank's share of the visible ones, otherwise all.
    timeout: seconds or timedelta for the ranks to find each other, and the same again for JAX; None: 300 s.
    options: further arguments for jax.distributed.initialize(), such as heartbeat_timeout_seconds.

    Raises Error if the ranks do not find each other, and whatever JAX raises. jax.distributed.shutdown() ends it.
    """
    for taken in ("coordinator_address", "num_processes", "process_id"):
        if taken in options:
            raise Error(Status.ARGUMENT, f"{taken} comes from the step: leave it out, or call jax.distributed.initialize()")
    own = current()
    step = own or init(timeout=timeout)
    try:
        _initialize(step, local_device_ids, timeout, options)
    finally:
        if own is None:
            step.close()


def _initialize(step: Step, local_device_ids, timeout: Optional[Duration], options: dict) -> None:
    import jax

    holder = reserve_port() if step.rank == 0 else None
    try:
        offer = "" if holder is None else coordinator(step.endpoint(0).address, holder.getsockname()[1])
        address = step.broadcast(offer.encode(), timeout=timeout).decode()
        bypass_proxy(os.environ, address)
        ids = local_device_ids if local_device_ids is not None else device_ids(os.environ, step.local_rank, step.local_size)
        if timeout is not None:
            options.setdefault("initialization_timeout", int(max(1, seconds(timeout))))
        if holder is not None:
            options.setdefault("coordinator_bind_address", coordinator(*holder.getsockname()[:2]))
        # Otherwise JAX would ask Slurm for every argument that is None here, and use device SLURM_LOCALID.
        if "cluster_detection_method" in inspect.signature(jax.distributed.initialize).parameters:
            options.setdefault("cluster_detection_method", "deactivate")
        jax.distributed.initialize(coordinator_address=address, num_processes=step.size, process_id=step.rank,
                                   local_device_ids=ids, **options)
    finally:
        if holder is not None:
            holder.close()


def reserve_port() -> socket.socket:
    """A socket on a port that the kernel chose: bound, but not listening. A server that sets SO_REUSEADDR, as gRPC's
    and torch's do, can listen there; no other program gets the port while this socket is open."""
    for family, every in ((socket.AF_INET6, "::"), (socket.AF_INET, "0.0.0.0")):
        holder = None
        try:
            holder = socket.socket(family, socket.SOCK_STREAM)
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind((every, 0))
            return holder
        except OSError as why:
            if holder is not None:
                holder.close()
            reason = why
    raise Error(Status.TRANSPORT, f"no port can be bound for JAX's coordinator: {reason}")


def coordinator(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def bypass_proxy(environment, address: str) -> None:
    """gRPC would send the connection to the coordinator through the site's proxy, where it would hang."""
    if not any(environment.get(name) or environment.get(name.upper()) for name in _PROXIES):
        return
    host = address.rpartition(":")[0].strip("[]")
    names = environment.get("no_grpc_proxy") or environment.get("no_proxy") or ""
    if host not in names.split(","):
        environment["no_grpc_proxy"] = f"{names},{host}" if names else host


def device_ids(environment: Mapping[str, str], local_rank: int, local_size: int) -> Optional[List[int]]:
    """This rank's GPUs among the visible ones; None if there are none or if JAX_LOCAL_DEVICE_IDS is set."""
    visible = next((environment[name] for name in _VISIBLE if environment.get(name)), "")
    count = len(visible.split(",")) if visible else 0
    if environment.get("JAX_LOCAL_DEVICE_IDS") or count == 0:
        return None
    # Fewer GPUs than ranks, or GPUs that Slurm assigned to this task alone.
    if local_rank < 0 or count < local_size or "SLURM_GPUS_PER_TASK" in environment:
        return list(range(count))
    share = count // local_size
    return list(range(local_rank * share, (local_rank + 1) * share))
