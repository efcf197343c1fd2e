"""NCCL communicators over the ranks of a step, without torch's store and without a port.

    with muster.init() as step, muster.nccl.communicator(step) as world:
        node = world.split_by_node()
        ...  # world.handle is an ncclComm_t, for cupy, ctypes or a binding of your own

Uses the NCCL that is already in the process. Otherwise it uses the one that pip installed with torch, or the one that
MUSTER_NCCL_LIBRARY names, or the system's. torch needs none of this: it makes its own communicators, through the store
of muster.torch.
"""

from .bootstrap import communicator, ids, version
from .comm import NONE, Communicator

__all__ = ["NONE", "Communicator", "communicator", "ids", "version"]
