"""Whether to stop, which all ranks answer alike."""

import threading
from typing import Any, Dict, Optional, Tuple

import torch
import torch.distributed as dist

from .. import _stop


def stop_requested(group: Optional[Any] = None) -> bool:
    """Collective over `group`: whether a stop was requested of any of its ranks (muster.stop_on()). All answer the same.

    group: a process group that this rank is in; None: all ranks. Without torch.distributed this rank's own answer.

    One all-reduce of one number. With nccl it waits for the work that this rank has given to its GPU: where that costs,
    call it every few steps, the same ones on all ranks.
    """
    own = _stop.stop_requested()
    if not dist.is_available() or not dist.is_initialized():
        return own
    anyone = _kept(_device(dist.get_backend(group))).fill_(int(own))
    dist.all_reduce(anyone, op=dist.ReduceOp.MAX, group=group)
    return bool(anyone.item())


# A thread of ProcessGroupGloo may be the last that lets go of a tensor after its all-reduce. It then needs the GIL, and
# destroy_process_group(), which has it, waits for that thread for ever (seen with torch 2.6). So these stay.
_tensors: Dict[Tuple[int, torch.device], torch.Tensor] = {}


def _kept(device: torch.device) -> torch.Tensor:
    """One number on the device, for this thread's calls."""
    key = (threading.get_ident(), device)
    if key not in _tensors:
        _tensors[key] = torch.zeros(1, dtype=torch.int32, device=device)
    return _tensors[key]


def _device(backend: str) -> torch.device:
    """Of a tensor that this backend can reduce: "nccl", "gloo", or since torch 2 "cpu:gloo,cuda:nccl"."""
    if backend == "nccl" or ("cuda:" in backend and "cpu:" not in backend):
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")
