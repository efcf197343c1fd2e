#!/usr/bin/env python3
"""slow_train.py NAME SECONDS: a small DDP training over gloo for the case `slow`. Its flight recorder is full before the
measured time begins. Each rank writes what CPU time it has used in that time into NAME-RANK.json."""

import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEP = 0.25
RECORDED = 2000  # by default
SETTLE = 15


def main():
    name, seconds = sys.argv[1], float(sys.argv[2])
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.set_num_threads(1)
    model = DistributedDataParallel(torch.nn.Linear(64, 64))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    flag = torch.zeros(1)
    for _ in range(RECORDED):
        dist.all_reduce(flag)

    def train(seconds):
        end = time.monotonic() + seconds
        steps = 0
        flag.zero_()
        while flag.item() == 0:
            steps += 1
            time.sleep(STEP)
            model(torch.ones(8, 64)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            flag[0] = float(time.monotonic() > end)
            dist.all_reduce(flag)
        return steps

    train(SETTLE)
    if rank == 0:
        open(f"{name}-begins", "w").close()
    began, cpu = time.monotonic(), time.process_time()
    steps = train(seconds)
    used = {"rank": rank, "cpu": time.process_time() - cpu, "seconds": time.monotonic() - began, "steps": steps}
    with open(f"{name}-{rank}.new", "w") as file:
        json.dump(used, file)
    os.rename(f"{name}-{rank}.new", f"{name}-{rank}.json")
    time.sleep(3)  # the supervisor is looked at once more
    dist.barrier()
    dist.destroy_process_group()


main()
