"""A training run over gloo; writes to the FIFO `up` after its first step. $COLLECTIVE_TIMEOUT is in seconds."""

import datetime
import os
import time

import torch
import torch.distributed as dist


def main():
    timeout = datetime.timedelta(seconds=float(os.environ["COLLECTIVE_TIMEOUT"]))
    dist.init_process_group("gloo", timeout=timeout)
    gradient = torch.ones(1024)
    with open("up", "wb", buffering=0) as up:
        dist.all_reduce(gradient)
        up.write(b"ready %d\n" % dist.get_world_size())
        while True:
            dist.all_reduce(gradient)
            time.sleep(0.05)


main()
