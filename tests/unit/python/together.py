"""Several ranks of one step on this machine, over TCP, each a separate process that runs the same program."""

import os
import random
import socket
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Mapping

PATIENCE = 90  # seconds


def free_ports() -> int:
    """The first of two adjacent ports that are free now, and that the kernel assigns to no connection until they are
    used."""
    lowest, highest = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    above, below = range(highest + 1, 65535), range(20000, lowest - 1)
    while True:
        port = random.choice(above or below)
        with socket.socket() as one, socket.socket() as two:
            try:
                one.bind(("127.0.0.1", port))
                two.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def run(program: str, size: int, env: Mapping[str, str] = {}) -> Dict[int, subprocess.CompletedProcess]:
    """The finished processes, by rank. `program` finds its rank as RANK."""
    common = {"WORLD_SIZE": str(size), "LOCAL_WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1",
              "MASTER_PORT": str(free_ports()), "MUSTER_TRANSPORT": "tcp", **env}
    started: List[subprocess.Popen] = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, **common, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(size)]
    try:
        said = [process.communicate(timeout=PATIENCE) for process in started]
    finally:
        for process in started:
            process.kill()
    return {rank: subprocess.CompletedProcess(process.args, process.returncode, *words)
            for rank, (process, words) in enumerate(zip(started, said))}


def words(done: Mapping[int, subprocess.CompletedProcess]) -> Dict[int, str]:
    """What each rank wrote, provided that all have exited successfully."""
    assert all(rank.returncode == 0 for rank in done.values()), [rank.stderr for rank in done.values()]
    return {rank: process.stdout.strip() for rank, process in done.items()}
