"""A rank of the case `first`: prints when it began and when its first all-reduce ended, by the clock that all nodes
share."""

import os
import time

BEGAN = time.time()

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

dist.init_process_group("gloo")
total = torch.ones(1)
dist.all_reduce(total)
assert int(total) == dist.get_world_size()
os.write(1, f"reduced {dist.get_world_size()} {BEGAN} {time.time()}\n".encode())  # in a single write
dist.destroy_process_group()
