"""A Ray driver: runs one task on each node of the cluster, and exits with the code given as its argument, if any."""

import socket
import sys

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy


@ray.remote(num_cpus=1)
def host(number: int) -> str:
    return f"{number} on {socket.gethostname()}"


ray.init(logging_level="error")
nodes = sorted((node for node in ray.nodes() if node["Alive"]), key=lambda node: node["NodeManagerHostname"])
there = [host.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(number)
         for number, node in enumerate(nodes)]
cpus = int(ray.cluster_resources()["CPU"])
print(f"driver on {socket.gethostname()}: {len(nodes)} nodes, {cpus} CPUs: {', '.join(ray.get(there))}")
sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)
