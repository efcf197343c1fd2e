"""Rank 0 of the case `store`: many clients of torch's store, which ask the same of muster's agent and of torch's own
server. Prints one object of JSON: by number of clients, and by server, the server's CPU seconds in each round, and how
much memory it holds for each client.

store_clients.py ROUNDS CLIENTS[,CLIENTS...] IDLE
"""

import json
import os
import pathlib
import selectors
import socket
import struct
import subprocess
import sys
import time

TORCH = """
import sys
from torch.distributed import TCPStore
store = TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
print(store.port, flush=True)
sys.stdin.read()
"""
VALIDATE, SET, GET, ADD, WAIT, PING = 0, 1, 3, 4, 6, 13
NEIGHBOURS = 8
VALUE = bytes(100)
DEADLINE = 120  # seconds, for one round


def text(value):
    return struct.pack("<Q", len(value)) + value


def key(round_number, client):
    return text(f"round-{round_number}/rank-{client}".encode())


class Server:
    def __init__(self, address, pid):
        self.address, self._process = address, pathlib.Path(f"/proc/{pid}")

    def cpu(self):
        """Seconds, of all its threads."""
        return sum(int(task.read_text().split()[0]) for task in self._process.glob("task/*/schedstat")) / 1e9

    def memory(self):
        """Bytes in RAM."""
        line, = [line for line in (self._process / "status").read_text().splitlines() if line.startswith("VmRSS")]
        return int(line.split()[1]) * 1024


def agent():
    found = [process for process in pathlib.Path("/proc").iterdir()
             if process.name.isdigit() and (process / "comm").read_text() == "muster-agent\n"]
    assert len(found) == 1, found
    return Server((os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])), found[0].name)


def connect(server, count):
    """As torch's clients do: the magic number, and a ping."""
    sockets = [socket.create_connection(server.address, timeout=DEADLINE) for _ in range(count)]
    for number, each in enumerate(sockets):
        each.sendall(struct.pack("<BIBI", VALIDATE, 0x3C85F7CE, PING, number))
    for number, each in enumerate(sockets):
        assert struct.unpack("<I", each.recv(4, socket.MSG_WAITALL))[0] == number
    return sockets


def ask_all(sockets, requests, sizes):
    """Sends each client's request and reads its answer, in the order in which the answers come."""
    with selectors.DefaultSelector() as waiting:
        for each, request, size in zip(sockets, requests, sizes, strict=True):
            each.sendall(request)
            if size:
                waiting.register(each, selectors.EVENT_READ, size)
        end = time.monotonic() + DEADLINE
        while waiting.get_map():
            assert time.monotonic() < end, "the server does not answer"
            for ready, _ in waiting.select(1):
                ready.fileobj.recv(ready.data, socket.MSG_WAITALL)
                waiting.unregister(ready.fileobj)


def meet(server, count, number):
    """Each one adds itself to a counter, leaves its address, and waits for those of its neighbours."""
    before = server.cpu()
    sockets = connect(server, count)
    counter = struct.pack("<B", ADD) + text(f"round-{number}/init".encode()) + struct.pack("<q", 1)
    ask_all(sockets, [counter] * count, [8] * count)
    ask_all(sockets, [struct.pack("<B", SET) + key(number, client) + text(VALUE) for client in range(count)], [0] * count)
    for step in range(1, min(NEIGHBOURS, count - 1) + 1):
        others = [key(number, (client + step) % count) for client in range(count)]
        ask_all(sockets, [struct.pack("<BQ", WAIT, 1) + other for other in others], [1] * count)
        ask_all(sockets, [struct.pack("<B", GET) + other for other in others], [8 + len(VALUE)] * count)
    for each in sockets:
        each.close()
    time.sleep(0.1)
    return server.cpu() - before


def idle_memory(server, count):
    before = server.memory()
    sockets = connect(server, count)
    held = server.memory() - before
    for each in sockets:
        each.close()
    return held


def main():
    rounds, idle = int(sys.argv[1]), int(sys.argv[3])
    counts = [int(count) for count in sys.argv[2].split(",")]
    with subprocess.Popen([sys.executable, "-c", TORCH], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as torch:
        servers = {"agent": agent(), "torch": Server(("127.0.0.1", int(torch.stdout.readline())), torch.pid)}
        found = {name: {count: [] for count in counts} for name in servers}
        for number in range(rounds):
            names = list(servers) if number % 2 == 0 else list(reversed(servers))
            for count in counts:
                for name in names:
                    found[name][count].append(meet(servers[name], count, f"{number}-{count}"))
        memory = {name: idle_memory(server, idle) for name, server in servers.items()}
        torch.stdin.close()
    print(json.dumps({"cpu": found, "memory": memory}))


main()
