"""failure_train.py KIND: a DDP training run over gloo whose rank 3 fails at its third step. It writes the time to
$MARK."""

import ctypes
import os
import signal
import sys
import time

KIND = sys.argv[1]
RANK = int(os.environ["RANK"])


def mark():
    with open(os.environ["MARK"], "w", encoding="ascii") as file:
        file.write(repr(time.time()))


if KIND == "import":
    mark()
    import a_module_that_is_not_there  # noqa: F401

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel


def fail():
    raise ValueError("the loss is not finite")


FAULTS = {"exception": fail, "segv": lambda: ctypes.string_at(0), "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
          "leave": lambda: os._exit(0), "cut": lambda: None}


@record
def main():
    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    for step in range(1 << 30):
        if step == 3 and RANK == 3:
            mark()
            FAULTS[KIND]()
        model(torch.ones(4)).sum().backward()
        time.sleep(0.1 if KIND == "cut" else 0)


main()
