"""Collective calls over the whole step: ids and communicators."""

import ctypes
from typing import List, Optional

from .. import _abi
from .._duration import Duration
from .._library import check, library
from ..step import Step
from . import torch_libraries
from .comm import Communicator
from .options import options_of


def version() -> int:
    """The version of the NCCL that would be used, as ncclGetVersion() reports it: 22809 is 2.28.9."""
    torch_libraries.name_library()
    found = ctypes.c_int()
    check(library().muster_nccl_version(ctypes.byref(found)))
    return found.value


def ids(step: Step, *, timeout: Optional[Duration] = None, roots: Optional[int] = None,
        ranks_per_root: Optional[int] = None, generation: int = 0, check_gpus: bool = True, **more) -> List[bytes]:
    """Collective. The ncclUniqueIds (128 bytes each) of one communicator over all ranks, in the order that
    ncclCommInitRankScalable() expects; with one root, the only id is for ncclCommInitRank().

    The processes that made them must live until the communicator is up. check_gpus=False skips the GPU check. The other
    arguments are those of communicator().
    """
    options = options_of(timeout, roots=roots, ranks_per_root=ranks_per_root, generation=generation, **more)
    options.flags |= 0 if check_gpus else _abi.NCCL_IDS_ONLY
    room = step.size  # every root has at least one rank
    if roots is not None:
        room = min(room, roots)
    elif ranks_per_root is None or ranks_per_root > 0:
        room = -(-step.size // (ranks_per_root or 128))
    buffer = ctypes.create_string_buffer(max(1, room) * _abi.NCCL_ID_BYTES)
    count = ctypes.c_size_t()
    step._alone(lambda: check(step._library.muster_nccl_ids(
        step._handle, ctypes.byref(options), buffer, max(1, room), ctypes.byref(count))))
    raw = buffer.raw
    return [raw[at:at + _abi.NCCL_ID_BYTES] for at in range(0, count.value * _abi.NCCL_ID_BYTES, _abi.NCCL_ID_BYTES)]


def communicator(step: Step, *, timeout: Optional[Duration] = None, roots: Optional[int] = None,
                 ranks_per_root: Optional[int] = None, generation: int = 0, device: Optional[int] = None,
                 cuda_version: Optional[int] = None, shared_gpu: bool = False, config: Optional[int] = None,
                 **fields) -> "Communicator":
    """Collective. A communicator over all ranks of the step, ready for use.

    timeout: seconds or timedelta for the whole call. Ctrl-C takes effect only when the call ends, because the
      call uses this thread's CUDA device.
    roots: how many ranks serve the bootstrap; None: one per `ranks_per_root` (128) ranks.
    generation: which of the program's communicators this is, the same on every rank; increase it to make a new one
      after a failure.
    device: CUDA index of this rank's GPU. None: this thread's current one, or LOCAL_RANK modulo the visible GPUs.
    cuda_version: the CUDART_VERSION that drivers must support. None: torch's, if it is imported; 0: no check.
    shared_gpu: allow several ranks on one GPU.
    config: address of an ncclConfig_t. fields: its fields by name (min_ctas=8, net_name="Socket", ...), which
      take precedence.

    Raises Error; the communicator has then been aborted on this rank.
    """
    options = options_of(timeout, roots=roots, ranks_per_root=ranks_per_root, generation=generation, device=device,
                         cuda_version=cuda_version, shared_gpu=shared_gpu, config=config, **fields)
    made = ctypes.c_void_p()
    step._alone(lambda: check(step._library.muster_nccl_init(step._handle, ctypes.byref(options), ctypes.byref(made))))
    return Communicator(step, made)
