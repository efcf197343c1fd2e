"""A training in which time runs faster: it sleeps for its start and for its steps, writes checkpoints, and fails by chance.
Rank 0 appends to steps.log how long each step took, which is the truth that muster's report is compared with. $TRAINING is
one JSON object; all times in it are in seconds of this run."""

import json
import os
import random
import signal
import time

PLAN = json.loads(os.environ["TRAINING"])
RANK, RANKS, ATTEMPT = (int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT"))


def replace(name, text):
    with open(name + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(name + ".new", name)


def last_checkpoint():
    try:
        with open("checkpoint", encoding="ascii") as file:
            return int(file.read())
    except FileNotFoundError:
        return 0


class Fault:
    """Comes to this rank at a random time, on average once in `fault` seconds of an attempt, if it comes to this one."""

    def __init__(self, chance):
        faulty, self._how = chance.randrange(RANKS), chance.choice(["raise", "exit", "kill"])
        life = chance.expovariate(1 / PLAN["fault"])
        self._due = time.monotonic() + life if RANK == faulty else float("inf")

    def sleep(self, seconds):
        left = self._due - time.monotonic()
        time.sleep(max(min(seconds, left), 0))
        if left > seconds:
            return
        if self._how == "raise":
            raise RuntimeError("by chance")
        if self._how == "exit":
            os._exit(3)
        os.kill(os.getpid(), signal.SIGKILL)


def main():
    chance = random.Random(f"{PLAN['seed']} {ATTEMPT}")  # all ranks draw the same numbers
    fault = Fault(chance)
    fault.sleep(PLAN["start"])
    step = last_checkpoint()
    before = saved = time.monotonic()
    with open("steps.log", "a", buffering=1, encoding="ascii") as log:
        while step < PLAN["steps"]:
            fault.sleep(PLAN["step"] * chance.uniform(0.8, 1.2))
            step += 1
            before, earlier = time.monotonic(), before
            if RANK != 0:
                continue
            log.write(f"{step} {before - earlier}\n")
            if before - saved >= PLAN["checkpoint"]:
                replace("checkpoint", str(step))
                saved = before
            replace("progress", f"{step}\n")


main()
