"""A process of TCPStore's side of the bootstrap benchmark: it holds the clients of one node, or it is rank 0.

    bootstrap_holder.py DIRECTORY          run by torch's python; takes orders at DIRECTORY/socket, a line of JSON each

Each client is a thread: it connects and is counted in, as in init_process_group(), and then does what the order says.

    ids       what torch does: roots give their ids, every rank reads them
    records   what muster does: every rank gives a record, and reads those of the roots, its predecessor and its node

Rank 0's process has the server. It listens before the start, so that no client has to retry.
"""

import datetime
import fcntl
import json
import os
import socket
import sys
import threading
import time

from torch.distributed import TCPStore

PATIENCE = datetime.timedelta(seconds=100)
ID = b"i" * 128


def first_rank(root, size, roots):
    """Distributes ranks among roots like ncclCommInitRankScalable()."""
    return root * (size // roots) + min(root, size % roots)


class Client(threading.Thread):
    def __init__(self, lock, order, rank, ready):
        super().__init__()
        self._lock, self._order, self._rank, self._ready = lock, order, rank, ready
        self.begin = self.end = self.error = self._store = None

    def run(self):
        try:
            self._run()
        except Exception as error:  # reported to the driver, which knows which arm it concerns
            self.error = repr(error)

    def _run(self):
        if self._order["joined"]:
            self._join()
        self._enter()
        if not self._order["joined"]:
            self._join()
        read = {"ids": self._exchange_ids, "records": self._exchange_records}[self._order["what"]]()
        self.end = time.monotonic_ns()
        if not all(ID in value for value in read[:self._order["roots"]]):
            raise RuntimeError("not the roots' ids")

    def _enter(self):
        lock = os.open(self._lock, os.O_RDONLY)
        self._ready.wait()
        fcntl.flock(lock, fcntl.LOCK_SH)
        os.close(lock)
        self.begin = time.monotonic_ns()

    def _join(self):
        self._store = TCPStore(self._order["host"], self._order["port"], self._order["size"], False, PATIENCE,
                               use_libuv=self._order["libuv"])

    def _roots(self):
        size, roots = self._order["size"], self._order["roots"]
        return [first_rank(root, size, roots) for root in range(roots)]

    def _exchange_ids(self):
        roots = self._roots()
        names = [f"UniqueNCCLID:{number}" for number in range(len(roots))]
        if self._rank in roots:
            self._store.set(names[roots.index(self._rank)], ID)
        return [self._store.get(names[0])] if len(names) == 1 else self._store.multi_get(names)

    def _exchange_records(self):
        roots, size, share = self._roots(), self._order["size"], self._order["share"]
        record = b"r" * self._order["record"] + (ID if self._rank in roots else b"")
        self._store.set(f"record:{self._rank}", record)
        node = self._rank // share * share
        others = {(self._rank - 1) % size, *range(node, node + share)} - {self._rank, *roots}
        return self._store.multi_get([f"record:{rank}" for rank in [*roots, *sorted(others)]])


class Holder:
    def __init__(self, directory):
        self._lock = f"{directory}/lock"
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(f"{directory}/socket")
        self._server, self._clients = None, []

    def say(self, **words):
        self._socket.sendall(json.dumps(words).encode() + b"\n")

    def serve(self, order):
        self._server = TCPStore("0.0.0.0", 0, None, True, PATIENCE, wait_for_workers=False, use_libuv=order["libuv"])
        self.say(port=self._server.port)

    def take_part(self, order):
        ready = threading.Barrier(len(order["ranks"]) + 1)
        self._clients = [Client(self._lock, order, rank, ready) for rank in order["ranks"]]
        for client in self._clients:
            client.start()
        ready.wait()
        self.say(ready=1)
        for client in self._clients:
            client.join()
        errors = [client.error for client in self._clients if client.error]
        if errors:
            sys.exit(f"bootstrap: {errors[0]}")
        self.say(begin=min(client.begin for client in self._clients), end=max(client.end for client in self._clients))

    def drop(self, _order):
        self._clients, self._server = [], None
        self.say(dropped=1)

    def obey(self):
        self.say(name=os.uname().nodename, rank=int(os.environ["SLURM_PROCID"]))
        for line in self._socket.makefile():
            order = json.loads(line)
            {"serve": self.serve, "take_part": self.take_part, "drop": self.drop}[order["do"]](order)


if __name__ == "__main__":
    Holder(sys.argv[1]).obey()
