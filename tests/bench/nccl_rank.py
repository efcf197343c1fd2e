"""One rank of the case `nccl`: prints "here" once its imports and its CUDA context are ready, and waits for a line on
its standard input. Then it prints as JSON how long the communicator and the first sum took, and whether the sums were
right.

    nccl_rank.py muster|torch|torch-muster|checks|late RANKS

Its rank comes from RANK, WORLD_SIZE, MASTER_ADDR, ... as from torchrun or any launcher.
"""

import ctypes
import json
import os
import pathlib
import sys
import time

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBERS = 1 << 20
FLOAT, SUM = 7, 0  # ncclFloat, ncclSum
TIMEOUT = 60

sys.path.insert(0, str(CHECKOUT / "lib/python"))


class Cuda:
    """The few CUDA driver calls that an all-reduce needs, on GPU 0."""

    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        self.memory = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(self.memory), ctypes.c_size_t(4 * NUMBERS))

    def call(self, name, *words):
        result = getattr(self.driver, name)(*words)
        if result:
            sys.exit(f"{name}: CUDA error {result}")

    def write(self, value):
        numbers = (ctypes.c_float * NUMBERS)(*[value] * NUMBERS)
        self.call("cuMemcpyHtoD_v2", self.memory, numbers, ctypes.c_size_t(4 * NUMBERS))

    def read(self):
        numbers = (ctypes.c_float * NUMBERS)()
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", numbers, self.memory, ctypes.c_size_t(4 * NUMBERS))
        return {numbers[0], numbers[NUMBERS // 2], numbers[-1]}


class Sums:
    """All-reduces over muster's communicators, with the NCCL that is in the process."""

    def __init__(self):
        self.cuda = Cuda()

    def all_reduce(self, comm):
        # Under this name the loader returns the library that muster opened.
        nccl = ctypes.CDLL(os.environ.get("MUSTER_NCCL_LIBRARY", "libnccl.so.2"))
        at = ctypes.c_void_p(self.cuda.memory.value)
        result = nccl.ncclAllReduce(at, at, ctypes.c_size_t(NUMBERS), FLOAT, SUM, ctypes.c_void_p(comm.handle), None)
        if result not in (0, 7):
            sys.exit(f"ncclAllReduce: NCCL error {result}")
        comm.wait()

    def right(self, comm, mine, expected):
        self.cuda.write(float(mine))
        self.all_reduce(comm)
        return self.cuda.read() == {float(expected)}


def wait_for_all():
    print("here", flush=True)
    sys.stdin.readline()
    return time.monotonic()


def by_muster(size):
    import muster.nccl
    sums = Sums()
    sums.cuda.write(1.0)
    start = wait_for_all()
    with muster.init(timeout=TIMEOUT, transport="tcp" if size > 1 else "single") as step:
        with muster.nccl.communicator(step) as comm:
            ready = time.monotonic()
            sums.all_reduce(comm)
            right = sums.cuda.read() == {float(size)}
            done = time.monotonic()
            version = muster.nccl.version()
            step.barrier()
    return {"ready": ready - start, "first sum": done - start, "right": right, "nccl": version}


def by_torch(size, method):
    import torch
    import torch.distributed as dist
    if method.startswith("muster"):
        import muster.torch  # noqa: F401
    device = torch.device("cuda:0")
    torch.cuda.set_device(device)
    numbers = torch.ones(NUMBERS, device=device)
    torch.cuda.synchronize()
    start = wait_for_all()
    # With a device, NCCL's communicator is created here, not at the first collective.
    dist.init_process_group("nccl", init_method=method, device_id=device)
    ready = time.monotonic()
    dist.all_reduce(numbers)
    torch.cuda.synchronize()
    right = bool((numbers == size).all())
    done = time.monotonic()
    dist.barrier()
    dist.destroy_process_group()
    version = ".".join(str(part) for part in torch.cuda.nccl.version())
    return {"ready": ready - start, "first sum": done - start, "right": right, "nccl": version,
            "torch": torch.__version__}


def checks(size):
    """What a communicator must do beyond one sum: several roots, a split, a different rank order, a second one."""
    import muster.nccl
    sums = Sums()
    wait_for_all()
    rank = int(os.environ["RANK"])
    halves = sum(other + 1 for other in range(size) if other % 2 == rank % 2)
    found = {}
    with muster.init(timeout=TIMEOUT, transport="tcp" if size > 1 else "single") as step:
        with muster.nccl.communicator(step, roots=min(2, size)) as comm:
            found["all ranks, two roots"] = sums.right(comm, rank + 1, size * (size + 1) // 2)
            half = comm.split(rank % 2, -rank)
            found["a split in two"] = sums.right(half, rank + 1, halves)
            half.close()
            node = comm.split_by_node()
            found["a split by node"] = sums.right(node, 1, size)
            node.close()
            none = comm.split(0 if rank == 0 else muster.nccl.NONE)
            found["a split with one rank"] = (none is not None) == (rank == 0)
            if none:
                none.close()
        with muster.nccl.communicator(step, generation=1, min_ctas=1, max_ctas=2) as again:
            found["a second communicator, with a configuration"] = sums.right(again, 2, 2 * size)
            step.barrier()
    return {"right": all(found.values()), "found": found}


def late(size):
    """The last rank gives its facts and then never joins NCCL's init: the other ranks must end by their deadline."""
    import muster.nccl
    Sums()
    start = wait_for_all()
    step = muster.init(timeout=TIMEOUT, transport="tcp")
    if int(os.environ["RANK"]) == size - 1:
        muster.nccl.ids(step)
        time.sleep(20)
        os._exit(0)
    try:
        muster.nccl.communicator(step, timeout=5)
    except muster.Error as error:
        took = time.monotonic() - start
        print(json.dumps({"right": 4 < took < 12, "seconds": took, "line": str(error)}), flush=True)
        os._exit(0)
    return {"right": False, "line": "a communicator without its last rank"}


def main():
    what, size = sys.argv[1], int(sys.argv[2])
    if what == "muster":
        result = by_muster(size)
    elif what == "checks":
        result = checks(size)
    elif what == "late":
        result = late(size)
    else:
        result = by_torch(size, "env://" if what == "torch" else "muster://")
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
