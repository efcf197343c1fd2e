"""JAX as in its documentation: initialize() without arguments, then a sum over all processes."""

import socket
import sys

import jax

jax.distributed.initialize()
from jax.experimental import multihost_utils  # noqa: E402  (the backend starts with the first use)

rank = jax.process_index()
ranks = multihost_utils.process_allgather(jax.numpy.array([rank]))
sys.stdout.write(f"rank {rank} of {jax.process_count()} sum {int(ranks.sum())} on {socket.gethostname()}\n")
jax.distributed.shutdown()
