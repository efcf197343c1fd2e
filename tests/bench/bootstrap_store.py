"""The driver's end of TCPStore's processes (bootstrap_holder.py): one on each node, and one for rank 0.

They live as long as the benchmark and take part when it is their turn: importing torch hundreds of times would overload
the machine.
"""

import json
import sys

from bootstrap_meeting import Meeting, answers, meet, sample_of


class Stores:
    def __init__(self, allocation, directory, python, nodes, ranks_per_root):
        self._ranks_per_root = ranks_per_root
        self._meeting = Meeting(f"{directory}/stores")
        command = [python, f"{directory}/bootstrap_holder.py", f"{directory}/stores"]
        self._steps, guests = [], []
        for size in (["-N1", "-n1", "-w", "node1"], [f"-N{nodes}", f"-n{nodes}"]):
            self._steps.append(allocation.start(["srun", "--overlap", *size, *command], stdout=sys.stderr))
            guests.append(self._in_order(self._meeting.guests(int(size[1][2:]), self._alive)))
        (self._zero,), self._holders = guests

    def _in_order(self, guests):
        numbers = [told["rank"] for told in answers(guests, self._alive)]
        return [guest for _, guest in sorted(zip(numbers, guests, strict=True), key=lambda each: each[0])]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self._steps:
            one.terminate()
        for one in self._steps:
            one.wait()

    def _alive(self):
        return all(one.poll() is None for one in self._steps)

    def _order(self, guests, **words):
        for guest in guests:
            guest.say(json.dumps(words) + "\n")

    def take(self, ranks, nodes, arm):
        """One round: rank 0's process and the first `nodes` holders, with the same number of ranks on each."""
        share = ranks // nodes
        common = arm | {"size": ranks, "share": share, "roots": -(-ranks // self._ranks_per_root), "host": "node1"}
        self._order([self._zero], do="serve", libuv=arm["libuv"])
        common["port"] = answers([self._zero], self._alive)[0]["port"]
        guests = [self._zero, *self._holders[:nodes]]
        members = [[0], *([rank for rank in range(node * share, (node + 1) * share) if rank] for node in range(nodes))]
        for guest, its in zip(guests, members, strict=True):
            self._order([guest], **common, do="take_part", ranks=its)
        told, spent = meet(self._meeting, guests, [self._zero.process], self._alive)
        self._order(guests, do="drop")
        answers(guests, self._alive)
        # A node's clients share a process here, so their times cannot be distinguished.
        spent["ranks"] = spent["ranks"][1:]
        return sample_of(told, spent) | {"busiest rank": None}
