"""A training with torchft: torchft_train.py STEPS. A file `goal` with another number replaces STEPS. Rank 0 of each group prints `at TIME group G step N`, and at the end
`group G sum S`: the sum of the parameters, which are equal in all groups."""

import os
import sys
import time
from datetime import timedelta

import torch
from torchft import Manager, Optimizer, ProcessGroupGloo

GROUP = os.environ["REPLICA_GROUP_ID"]
FIRST = os.environ["RANK"] == "0"


def say(text: str) -> None:
    if FIRST:
        os.write(1, f"{text}\n".encode())


def goal() -> int:
    try:
        with open("goal", encoding="ascii") as file:
            return int(file.read())
    except FileNotFoundError:
        return int(sys.argv[1])


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
    while manager.current_step() < goal():
        optimizer.zero_grad()
        inputs = torch.full((4, 8), float(manager.current_step() % 3 + 1))
        model(inputs).square().mean().backward()
        # Not torchft's DistributedDataParallel: in 0.2.0 it ends with an AssertionError when a collective fails on CPU.
        for parameter in model.parameters():
            manager.allreduce(parameter.grad).wait()
        optimizer.step()
        say(f"at {time.time():.3f} group {GROUP} step {manager.current_step()}")
        time.sleep(0.1)
    say(f"group {GROUP} sum {sum(each.sum().item() for each in model.parameters()):.6f}")
    manager.shutdown(wait=False)


main()
