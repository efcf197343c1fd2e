"""NCCL communicators over the ranks of a step, without torch's store and without a port.

    with muster.init() as step, muster.nccl.communicator(step) as world:
        node = world.split_by_node()
        ...  # world.handle is an ncclComm_t, for cupy, ctypes or a binding of your own

NCCL itself is the one already in the process, else the one that pip installed beside torch, else MUSTER_NCCL_LIBRARY's or
the system's. torch itself needs nothing of this: it makes its communicators alone, by muster.torch's store.
"""

from .bootstrap import communicator, ids, version
from .comm import NONE, Communicator

__all__ = ["NONE", "Communicator", "communicator", "ids", "version"]
