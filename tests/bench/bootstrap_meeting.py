"""The driver's end of bootstrap_gate.hpp: every rank waits at a lock, all are let in at the same time, and when all are
done the driver examines them before any of them continues.

A process's time is its CPU clock (utime and stime together, in nanoseconds), which includes threads that have ended.
"""

import fcntl
import json
import os
import socket
import struct
import time

DEADLINE = 120  # seconds for any wait here
QUIET = 0.0005  # CPU seconds between two checks of a process that counts as settled
PAUSE = 0.02    # seconds between two checks: waiting must not disturb the ranks


def cpu_seconds(process):
    return time.clock_gettime_ns((~process << 3) | 2) / 1e9  # CPUCLOCK_SCHED for a whole process


def parent_of(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        return int(file.read().rpartition(")")[2].split()[1])


class Guest:
    """One connection: a rank, or a process that holds several clients."""

    def __init__(self, connection):
        self._socket, self._text = connection, b""
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.process = struct.unpack("3i", credentials)[0]  # as seen from this process
        connection.setblocking(False)

    def heard(self):
        """The next line as an object, or None if there is none yet."""
        try:
            part = self._socket.recv(65536)
        except BlockingIOError:
            part = None
        if part == b"":
            raise RuntimeError(f"process {self.process} has gone before the end")
        self._text += part or b""
        line, end, rest = self._text.partition(b"\n")
        if not end:
            return None
        self._text = rest
        return json.loads(line)

    def say(self, text):
        self._socket.sendall(text.encode())

    def close(self):
        self._socket.close()


class Meeting:
    """In `directory`, which ranks of any user can reach: `socket` and `lock`."""

    def __init__(self, directory):
        os.makedirs(directory, exist_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        path = f"{directory}/socket"
        if os.path.exists(path):
            os.unlink(path)
        self._listener.bind(path)
        os.chmod(path, 0o666)
        self._listener.listen(4096)
        self._listener.setblocking(False)
        self._lock = os.open(f"{directory}/lock", os.O_RDWR | os.O_CREAT, 0o644)
        self.shut()

    def shut(self):
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def open(self):
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def guests(self, count, alive):
        """The next `count` guests that connect; `alive` says whether they still can."""
        guests, deadline = [], time.monotonic() + DEADLINE
        while len(guests) < count:
            try:
                guests.append(Guest(self._listener.accept()[0]))
            except BlockingIOError:
                late(deadline, alive, f"{len(guests)} of {count} processes have come")
        return guests


def late(deadline, alive, what, pause=PAUSE):
    if time.monotonic() > deadline or not alive():
        raise RuntimeError(what)
    time.sleep(pause)


def answers(guests, alive):
    """One line from each guest, in their order."""
    told, deadline = {}, time.monotonic() + DEADLINE
    while True:
        for guest in guests:
            if guest not in told and (line := guest.heard()) is not None:
                told[guest] = line
        if len(told) == len(guests):
            return [told[guest] for guest in guests]
        late(deadline, alive, f"{len(told)} of {len(guests)} processes have answered")


def settle(processes, alive):
    """Waits until a step has finished starting: slurmstepd keeps working for a while after its tasks have begun."""
    deadline, last = time.monotonic() + DEADLINE, None
    while True:
        now = [cpu_seconds(one) for one in processes]
        if last and max(after - before for before, after in zip(last, now, strict=True)) < QUIET:
            return
        last = now
        late(deadline, alive, "processes do not become quiet", 5 * PAUSE)


def meet(meeting, guests, servers, alive, ready=True):
    """Lets the guests in and returns what they and the clocks report; `servers`: further processes to watch."""
    if ready:
        answers(guests, alive)
    settle([*servers, *(guest.process for guest in guests)], alive)
    watched = {"ranks": [guest.process for guest in guests], "servers": servers}
    before = {kind: [cpu_seconds(one) for one in ids] for kind, ids in watched.items()}
    meeting.open()
    told = answers(guests, alive)
    meeting.shut()
    spent = {kind: [cpu_seconds(one) - start for one, start in zip(ids, before[kind], strict=True)]
             for kind, ids in watched.items()}
    return told, spent


def sample_of(told, spent):
    begins, ends = [one["begin"] for one in told], [one["end"] for one in told]
    return {"wall": (max(ends) - min(begins)) / 1e9, "skew": (max(begins) - min(begins)) / 1e9,
            "busiest rank": max(spent["ranks"]), "busiest server": max(spent["servers"]),
            "all ranks": sum(spent["ranks"]), "all servers": sum(spent["servers"])}
