"""DeepSpeed's own initialization over gloo, then an all-reduce through its communication layer."""

import os
import socket
import sys

import deepspeed
import deepspeed.comm as dist
import torch

# Otherwise it would first spend minutes in every new home compiling a fast path for ranks on one node.
deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False

deepspeed.init_distributed(dist_backend="gloo", verbose=False)
total = torch.tensor([dist.get_rank()])
dist.all_reduce(total)
sys.stdout.write(f"rank {dist.get_rank()} of {dist.get_world_size()} sum {int(total)} on {socket.gethostname()}"
                 f" local {dist.get_local_rank()} size {os.environ['LOCAL_SIZE']}\n")
dist.destroy_process_group()
