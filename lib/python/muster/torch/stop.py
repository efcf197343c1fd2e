"""Whether to stop, with the same answer on all ranks."""

import threading
from typing import Any, Dict, Optional, Tuple

import torch
import torch.distributed as dist

from .. import _stop


def stop_requested(group: Optional[Any] = None) -> bool:
    """Collective over `group`: whether any of its ranks was asked to stop (muster.stop_on()). All get the same answer.

    group: a process group that this rank is in; None: all ranks. Without torch.distributed: this rank's own answer.

    It takes one all-reduce of a single number. With nccl, it waits for the work that this rank has queued on its GPU:
    if that is slow, call it only every few steps, and in the same steps on all ranks.
    """
    own = _stop.stop_requested()
    if not dist.is_available() or not dist.is_initialized():
        return own
    anyone = _kept(_device(dist.get_backend(group))).fill_(int(own))
    dist.all_reduce(anyone, op=dist.ReduceOp.MAX, group=group)
    return bool(anyone.item())


# A thread of ProcessGroupGloo may be the last to release a tensor after its all-reduce, and needs the GIL for that.
# destroy_process_group() holds the GIL and waits forever for that thread (seen with torch 2.6). So these tensors are
# kept.
_tensors: Dict[Tuple[int, torch.device], torch.Tensor] = {}


def _kept(device: torch.device) -> torch.Tensor:
    """A one-element tensor on the device, for this thread's calls."""
    key = (threading.get_ident(), device)
    if key not in _tensors:
        _tensors[key] = torch.zeros(1, dtype=torch.int32, device=device)
    return _tensors[key]


def _device(backend: str) -> torch.device:
    """The device of a tensor that this backend can reduce: "nccl", "gloo", or since torch 2 "cpu:gloo,cuda:nccl"."""
    if backend == "nccl" or ("cuda:" in backend and "cpu:" not in backend):
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")
