"""A training with torchft: torchft_train.py STEPS [FOLDER]. A file `goal` with another number replaces STEPS. With a
FOLDER, each step that is committed leaves a checkpoint there, and the groups begin with the newest one. Rank 0 of each
group prints `from group G step N` when it begins, `at TIME group G step N` for each step that is committed, and at the
end `group G sum S`: the sum of the parameters, which depends on every step and on every group that took part in it."""

import contextlib
import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
from torchft import Manager, Optimizer, ProcessGroupGloo

GROUP = os.environ["REPLICA_GROUP_ID"]
FIRST = os.environ["RANK"] == "0"
FOLDER = Path(sys.argv[2]) if len(sys.argv) > 2 else None
KEPT = 20  # checkpoints


def say(text: str) -> None:
    if FIRST:
        os.write(1, f"{text}\n".encode())


def goal() -> int:
    try:
        with open("goal", encoding="ascii") as file:
            return int(file.read())
    except FileNotFoundError:
        return int(sys.argv[1])


def numbers() -> list[int]:
    return sorted(int(file.name) for file in FOLDER.iterdir() if file.name.isdecimal())


# All groups write the same content for a step.
def save(step: int, state: dict) -> None:
    temporary = FOLDER / f"{GROUP}.new"
    torch.save(state, temporary)
    temporary.rename(FOLDER / str(step))
    for old in numbers()[:-KEPT]:
        (FOLDER / str(old)).unlink(missing_ok=True)


def newest() -> dict | None:
    """Another group may delete a checkpoint while this one reads it."""
    while FOLDER and (found := numbers()):
        with contextlib.suppress(FileNotFoundError):
            return torch.load(FOLDER / str(found[-1]))
    return None


def main() -> None:
    torch.manual_seed(1)
    model = torch.nn.Linear(8, 8)
    sgd = torch.optim.SGD(model.parameters(), lr=0.01)

    def state() -> dict:
        return {"model": model.state_dict(), "sgd": sgd.state_dict()}

    def load(saved: dict) -> None:
        model.load_state_dict(saved["model"])
        sgd.load_state_dict(saved["sgd"])

    # A peer that is cut off ends a collective only after Gloo's timeout.
    manager = Manager(pg=ProcessGroupGloo(timeout=timedelta(seconds=3)), load_state_dict=load, state_dict=state,
                      min_replica_size=1, replica_id=f"group_{GROUP}_", timeout=timedelta(seconds=20))
    optimizer = Optimizer(manager, sgd)
    if saved := newest():
        load(saved["user"])
        manager.load_state_dict(saved["manager"])
    say(f"from group {GROUP} step {manager.current_step()}")
    while (step := manager.current_step()) < goal():
        optimizer.zero_grad()
        # The gradient does not depend on the parameters, so that these never forget a step.
        noise = (step * 7919 + int(GROUP) * 104729) % 997 / 997 - 0.5
        model(torch.full((4, 8), noise)).mean().backward()
        # Not torchft's DistributedDataParallel: in 0.2.0 it ends with an AssertionError when a collective fails on CPU.
        for parameter in model.parameters():
            manager.allreduce(parameter.grad).wait()
        optimizer.step()
        if (now := manager.current_step()) > step:
            if FOLDER and FIRST:
                save(now, {"user": state(), "manager": manager.state_dict()})
            say(f"at {time.time():.3f} group {GROUP} step {now}")
        time.sleep(0.1)
    say(f"group {GROUP} sum {sum(each.sum().item() for each in model.parameters()):.6f}")
    manager.shutdown(wait=False)


main()
