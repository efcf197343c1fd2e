"""mpi4py over the cluster's MPI: an Allreduce of all ranks."""

import socket
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
sys.stdout.write(f"rank {world.rank} of {world.size} sum {world.allreduce(world.rank)} on {socket.gethostname()}\n")
