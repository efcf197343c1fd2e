#!/usr/bin/env python3
"""Computes one sum over all processes of a JAX program. muster connects them: no coordinator to name, no port to pick.

    srun -N3 --ntasks-per-node=2 --distributed=jax ./jax_allreduce.py
    srun -N3 --ntasks-per-node=2 --mpi=pmix ./jax_allreduce.py

Every process contributes its rank; the exit code says whether the sum is right. The sum uses NCCL on GPUs, and
gloo on CPUs; with --collectives mpi, it uses MPI on CPUs, and JAX needs MPItrampoline.
"""

import argparse
import socket
import sys

import jax
import muster.jax


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collectives", choices=("gloo", "mpi"), default="gloo", help="for CPUs (default gloo)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for the processes to meet (default 300)")
    return parser.parse_args()


def sum_of_ranks() -> int:
    """Returns the sum of an array with one element on each device; every process gets the result."""
    mesh = jax.sharding.Mesh(jax.devices(), ("devices",))
    spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("devices"))
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    mine = [jax.device_put(jax.numpy.full((1,), jax.process_index()), device) for device in jax.local_devices()]
    ranks = jax.make_array_from_single_device_arrays((jax.device_count(),), spread, mine)
    return int(jax.jit(jax.numpy.sum, out_shardings=everywhere)(ranks))


def main() -> int:
    arguments = parse_arguments()
    jax.config.update("jax_cpu_collectives_implementation", arguments.collectives)
    muster.jax.initialize(timeout=arguments.timeout)
    found = sum_of_ranks()
    expected = sum(device.process_index for device in jax.devices())
    # One write, so that the lines of several processes do not interleave.
    sys.stdout.write(f"rank {jax.process_index()} of {jax.process_count()} sum {found} on {socket.gethostname()}"
                     f" with {jax.local_device_count()} devices of {jax.devices()[0].platform}\n")
    sys.stdout.flush()
    jax.distributed.shutdown()
    return 0 if found == expected else 1


if __name__ == "__main__":
    sys.exit(main())
