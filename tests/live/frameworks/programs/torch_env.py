"""torch.distributed in its usual form; prints whether something already listens on MASTER_PORT."""

import os
import socket
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank()])
dist.all_reduce(total)
with socket.socket() as probe:
    served = probe.connect_ex((os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))) == 0
dist.barrier()
sys.stdout.write(f"rank {dist.get_rank()} of {dist.get_world_size()} sum {int(total)} on {socket.gethostname()}"
                 f" served {served}\n")
dist.destroy_process_group()
