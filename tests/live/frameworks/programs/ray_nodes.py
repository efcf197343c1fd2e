"""A Ray driver: runs one task on each node of the cluster, and exits with the code given as its argument, if any. Says
which of the variables that make a process a rank it or its tasks have."""

import os
import socket
import sys

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy


def placed() -> str:
    return ",".join(name for name in ("RANK", "WORLD_SIZE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT") if name in os.environ)


@ray.remote(num_cpus=1)
def host(number: int) -> str:
    return f"{number} on {socket.gethostname()}{placed()}"


ray.init(logging_level="error")
nodes = sorted((node for node in ray.nodes() if node["Alive"]), key=lambda node: node["NodeManagerHostname"])
there = [host.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(number)
         for number, node in enumerate(nodes)]
cpus = int(ray.cluster_resources()["CPU"])
print(f"driver on {socket.gethostname()}{placed()}: {len(nodes)} nodes, {cpus} CPUs: {', '.join(ray.get(there))}")
sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)
