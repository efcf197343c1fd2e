"""torch.distributed over gloo, configured only by the environment."""

import os
import socket
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank()])
dist.all_reduce(total)
sys.stdout.write(f"rank {dist.get_rank()} of {dist.get_world_size()} sum {int(total)} on {socket.gethostname()}"
                 f" local {os.environ['LOCAL_RANK']} threads {torch.get_num_threads()}\n")
dist.destroy_process_group()
