"""The part of the bootstrap benchmark that runs inside a cluster, as root on its login node.

The first argument is one JSON object that says what to do; the samples and what was seen go to standard output:

  directory  contains the programs and the meeting's files; visible to every node and user
  rounds, warm_up
  sizes      [[ranks, nodes], ...], in ascending order
  arms       [{"name", "command": [...], "environment": {...}}, ...]: steps with --mpi=pmix, one rank per task; or
             {"name", "command": None, "libuv": bool, "joined": bool, "what": "ids" or "records", "record": bytes}: TCPStore
             "most": the largest size that an arm takes part in, if not all
  looks      arms that run once at each size; what their ranks report about themselves is kept
  torch      the python for TCPStore's processes
  roots      ranks per root
"""

import contextlib
import json
import os
import signal
import sys

from bootstrap_meeting import Meeting, meet, parent_of, sample_of
from bootstrap_store import Stores
from measure import Allocation, processes

PRIORITY = 10


def hurry():
    """Makes other programs on the machine irrelevant. Steps and their tasks inherit this."""
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(PRIORITY))
    for name in ("slurmctld", "slurmd", "munged"):
        for process in processes(name):
            for thread in os.listdir(f"/proc/{process}/task"):
                os.sched_setscheduler(int(thread), os.SCHED_RR, os.sched_param(PRIORITY))


@contextlib.contextmanager
def step(allocation, ranks, nodes, arm):
    words = ["srun", "--overlap", "--mpi=pmix", f"-N{nodes}", f"-n{ranks}"]
    words += [f"--export=ALL,{','.join(f'{name}={value}' for name, value in arm['environment'].items())}"]
    process = allocation.start([*words, *arm["command"]], stdout=sys.stderr)
    try:
        yield process
        if process.wait(120):
            raise RuntimeError(f"srun ended with {process.returncode}")
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def meet_ranks(allocation, meeting, ranks, nodes, arm):
    """Runs one step; returns what its ranks report, and what the processes used."""
    with step(allocation, ranks, nodes, arm) as process:
        def alive():
            return process.poll() is None

        guests = meeting.guests(ranks, alive)
        servers = sorted({parent_of(guest.process) for guest in guests})
        told, spent = meet(meeting, guests, servers, alive)
        for guest in guests:
            guest.say("\n")
            guest.close()
    return told, spent


class Drive:
    def __init__(self, task, allocation, stack):
        self._task, self._allocation = task, allocation
        self._meeting = Meeting(f"{task['directory']}/gate")
        self._stores = None
        if any(arm["command"] is None for arm in task["arms"]):
            self._stores = stack.enter_context(
                Stores(allocation, task["directory"], task["torch"], task["sizes"][-1][1], task["roots"]))

    def _sample(self, ranks, nodes, arm):
        if arm["command"] is None:
            return self._stores.take(ranks, nodes, arm)
        return sample_of(*meet_ranks(self._allocation, self._meeting, ranks, nodes, arm))

    def samples(self):
        arms = self._task["arms"]
        samples = {arm["name"]: {} for arm in arms}
        for number in range(-self._task["warm_up"], self._task["rounds"]):
            # Each round starts with a different arm, so that the after-effects of one arm affect all others equally.
            first = number % len(arms)
            for ranks, nodes in self._task["sizes"]:
                for arm in arms[first:] + arms[:first]:
                    if ranks > arm.get("most", ranks):
                        continue
                    sample = self._sample(ranks, nodes, arm)
                    if number >= 0:
                        samples[arm["name"]].setdefault(str(ranks), []).append(sample)
        return samples

    def looks(self):
        return {arm["name"]: {str(ranks): meet_ranks(self._allocation, self._meeting, ranks, nodes, arm)[0]
                              for ranks, nodes in self._task["sizes"] if ranks <= arm.get("most", ranks)}
                for arm in self._task.get("looks", [])}


def drive(task):
    ranks, nodes = task["sizes"][-1]
    with contextlib.ExitStack() as stack:
        allocation = stack.enter_context(Allocation(["--exclusive", f"-N{nodes}", f"-n{ranks}"]))
        driven = Drive(task, allocation, stack)
        return {"samples": driven.samples(), "looks": driven.looks()}


def main():
    task = json.loads(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the allocation is given back
    hurry()
    json.dump(drive(task), sys.stdout)


if __name__ == "__main__":
    main()
