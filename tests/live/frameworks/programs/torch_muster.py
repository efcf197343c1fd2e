"""torch.distributed over gloo, with muster's rendezvous: torch_muster.py [URL]. Also prints the store's backend."""

import socket
import sys

import torch
import torch.distributed as dist

url = sys.argv[1] if len(sys.argv) > 1 else "muster://"
store, rank, size = next(dist.rendezvous(url))
backend = "libuv" if store.libuvBackend else "threads"
dist.init_process_group("gloo", store=dist.PrefixStore("first", store), rank=rank, world_size=size)
total = torch.tensor([rank])
dist.all_reduce(total)
dist.destroy_process_group()
del store
dist.init_process_group("gloo", init_method=url)
dist.all_reduce(total)
sys.stdout.write(f"rank {rank} of {size} sum {int(total) // size} on {socket.gethostname()} by {backend}\n")
dist.destroy_process_group()
