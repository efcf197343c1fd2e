#!/usr/bin/env python3
"""A small data-parallel training program whose result can be checked.

Every rank takes its share of samples of a known linear function, and DistributedDataParallel learns the
function. The last line says whether the program learned the function; with --check, so does the exit code.

    srun -N3 --ntasks-per-node=2 --distributed=torch ./train_ddp.py
    srun -N3 --ntasks-per-node=2 --distributed=torch ./train_ddp.py --epochs 20 --checkpoint ddp.pt

With --checkpoint, a second run continues where the first one ended. This is an ordinary program: it reads
RANK, WORLD_SIZE, LOCAL_RANK and MASTER_*, as torchrun would set them, and knows nothing about its launcher.
If muster's Python package is installed, SIGUSR1 or SIGTERM (sbatch --signal=USR1@60, scancel, preemption, the time
limit) stops a run with --checkpoint cleanly: all ranks stop after the same step, the checkpoint is saved, and the
exit code is 0.

With --init muster the ranks meet through muster's Python package instead, which needs none of these variables:

    srun -N3 --ntasks-per-node=2 --mpi=pmix ./train_ddp.py --init muster

The program needs PyTorch 1.13 or newer, but neither a GPU nor numpy.
"""

import argparse
import os
import socket
import sys
from pathlib import Path
from typing import Callable, Optional

import torch
import torch.distributed as dist
# Import this module before there is a process group. Otherwise torch 2's DistributedDataParallel imports it, and the
# module keeps the group that it finds. destroy_process_group() could not end the threads of such a group.
import torch.distributed.nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torch.utils.data.distributed import DistributedSampler

FEATURES = 8
SAMPLES = 4096
NOISE = 0.1
TOLERANCE = 0.03  # the samples themselves allow an error of 0.002; after one epoch the error is still 1
GLOBAL_BATCH = 128
LEARNING_RATE = 0.015  # slow enough to see the loss fall


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="train up to this epoch (default 10)")
    parser.add_argument("--checkpoint", type=Path, help="save here after each epoch; resume if it exists")
    parser.add_argument("--init", choices=("env", "muster"), default="env", help="how the ranks meet (default env)")
    parser.add_argument("--backend", choices=("gloo", "nccl"), help="default: nccl if there is a GPU, otherwise gloo")
    parser.add_argument("--check", action="store_true", help="exit with 1 if the function was not learned")
    return parser.parse_args()


def choose_device(backend: str) -> torch.device:
    if backend == "gloo":
        return torch.device("cpu")
    # A rank may see all GPUs of the node or only its own.
    index = int(os.environ.get("LOCAL_RANK", os.environ.get("SLURM_LOCALID", "0"))) % torch.cuda.device_count()
    torch.cuda.set_device(index)
    return torch.device("cuda", index)


def describe(device: torch.device) -> str:
    return f"{device} {torch.cuda.get_device_name(device)}" if device.type == "cuda" else str(device)


def truth() -> tuple:
    """Returns the weights and the bias that the program must learn."""
    return torch.arange(FEATURES, dtype=torch.float32) - FEATURES / 2, torch.tensor(0.5)


def make_samples() -> Dataset:
    """Returns the same samples on every rank; the sampler splits them among the ranks."""
    generator = torch.Generator().manual_seed(20240229)
    weights, bias = truth()
    inputs = torch.randn(SAMPLES, FEATURES, generator=generator)
    noise = NOISE * torch.randn(SAMPLES, generator=generator)
    return TensorDataset(inputs, inputs @ weights + bias + noise)


def load_checkpoint(path: Path, model: torch.nn.Module) -> int:
    """Returns the number of epochs that the checkpoint covers."""
    state = torch.load(str(path), map_location="cpu")
    model.load_state_dict(state["model"])
    return int(state["epoch"])


def save_checkpoint(path: Path, model: torch.nn.Module, epoch: int) -> None:
    """Writes the whole file or nothing: a job may be killed at any time."""
    unfinished = path.with_name(path.name + ".unfinished")
    torch.save({"model": model.state_dict(), "epoch": epoch}, str(unfinished))
    os.replace(unfinished, path)


def resume(path: Path, model: torch.nn.Module, shared: torch.Tensor) -> int:
    """Only rank 0 reads the file. This function broadcasts the epoch; DDP broadcasts the parameters."""
    shared.zero_()
    if dist.get_rank() == 0 and path is not None and path.exists():
        shared[0] = load_checkpoint(path, model)
        print(f"resumed from {path} after epoch {int(shared[0])}", flush=True)
    dist.broadcast(shared, src=0)
    return int(shared[0])


def stop_question(checkpoint: Optional[Path]) -> Callable[[], bool]:
    """Returns a function that says whether the ranks should stop; all ranks get the same answer. Without a checkpoint
    they never stop, because that would save nothing."""
    if checkpoint is not None:
        try:
            from muster.torch import stop_requested
            return stop_requested
        except ImportError:
            pass
    return lambda: False


def train_epoch(model: torch.nn.Module, optimizer: torch.optim.Optimizer, loader: DataLoader, shared: torch.Tensor,
                stop_requested: Callable[[], bool]) -> Optional[float]:
    """Returns the mean loss over the samples of all ranks, or None if the ranks should stop."""
    shared.zero_()
    for inputs, wanted in loader:
        if stop_requested():
            return None
        inputs, wanted = inputs.to(shared.device), wanted.to(shared.device)
        loss = torch.nn.functional.mse_loss(model(inputs).squeeze(1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shared += torch.tensor([loss.item() * len(wanted), len(wanted)], device=shared.device)
    dist.all_reduce(shared)
    return (shared[0] / shared[1]).item()


def end_epoch(epoch: int, loss: Optional[float], path: Optional[Path], model: torch.nn.Module) -> None:
    """Called on rank 0. If an epoch was stopped, the next run repeats it."""
    print(f"epoch {epoch} stopped" if loss is None else f"epoch {epoch} loss {loss:.6f}", flush=True)
    if path is not None:
        save_checkpoint(path, model, epoch - 1 if loss is None else epoch)


def largest_error(model: torch.nn.Module, shared: torch.Tensor) -> float:
    """Returns the largest error of any parameter on any rank."""
    weights, bias = truth()
    found = torch.cat([parameter.detach().flatten().cpu() for parameter in model.parameters()])
    shared[0] = (found - torch.cat([weights, bias.reshape(1)])).abs().max()
    dist.all_reduce(shared, op=dist.ReduceOp.MAX)
    return shared[0].item()


def train(arguments: argparse.Namespace, shared: torch.Tensor) -> bool:
    """Returns whether the function was learned or the ranks stopped cleanly. The ranks exchange numbers in `shared`."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    bare = torch.nn.Linear(FEATURES, 1)
    first = resume(arguments.checkpoint, bare, shared)
    model = DistributedDataParallel(bare.to(shared.device))
    batch = max(1, GLOBAL_BATCH // world_size)
    # With very many ranks the global batch grows, so there are fewer but larger steps.
    rate = min(0.4, LEARNING_RATE * batch * world_size / GLOBAL_BATCH)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    samples = make_samples()
    sampler = DistributedSampler(samples, seed=1)
    loader = DataLoader(samples, batch_size=batch, sampler=sampler)
    stop_requested = stop_question(arguments.checkpoint)

    for epoch in range(first + 1, arguments.epochs + 1):
        sampler.set_epoch(epoch)
        loss = train_epoch(model, optimizer, loader, shared, stop_requested)
        if rank == 0:
            end_epoch(epoch, loss, arguments.checkpoint, bare)
        if loss is None:
            return True

    error = largest_error(model, shared)
    learned = error < TOLERANCE
    if rank == 0:
        print(f"{'learned' if learned else 'not yet learned, needs more epochs'}: largest error {error:.6f}, "
              f"allowed {TOLERANCE}, {world_size} ranks", flush=True)
    return learned


def main() -> int:
    arguments = parse_arguments()
    backend = arguments.backend or ("nccl" if torch.cuda.is_available() else "gloo")
    device = choose_device(backend)
    if arguments.init == "muster":
        import muster.torch  # registers muster://
    dist.init_process_group(backend, init_method=f"{arguments.init}://")
    # One write, so that the lines of several ranks do not interleave.
    sys.stdout.write(f"rank {dist.get_rank()} of {dist.get_world_size()} on {socket.gethostname()}, "
                     f"{describe(device)}, {torch.get_num_threads()} threads\n")
    sys.stdout.flush()
    # This tensor outlives the process group: one of gloo's threads can be the last to release a tensor, and needs
    # Python for that. If the group or Python itself is ending at that moment, torch 2.6 hangs or aborts.
    shared = torch.zeros(2, device=device)
    try:
        learned = train(arguments, shared)
        return 0 if learned or not arguments.check else 1
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
