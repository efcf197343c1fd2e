"""The case `nccl`: communicators of 1 to 8 ranks on one GPU, by muster and by torch's own init_process_group.

Needs a GPU and libnccl but no Slurm: the ranks are processes of this machine that find each other like torchrun's,
through RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. NCCL refuses two ranks on one GPU of one host, so each rank has
its own NCCL_HOSTID: NCCL then assumes different hosts and connects them over sockets. If torch is not installed, only
muster's side runs. Without a GPU it says so and exits with 77: skipped, not passed.
"""

import argparse
import ctypes
import json
import os
import pathlib
import socket
import subprocess
import sys

from case import CHECKOUT, HERE, OUT, say
from report import Line, circumstances, compare, describe, describe_circumstances, output, record, table, write_json

LIMIT = 120
SKIPPED = 77
UNTIL = {"ready": "time until the communicator is ready", "first sum": "time until the first all-reduce has finished"}


def gpu():
    """The GPU's name, or why there is none."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return None, str(error)
    result = driver.cuInit(0)
    name = ctypes.create_string_buffer(100)
    if result or driver.cuDeviceGetName(name, len(name), 0):
        return None, f"CUDA's driver finds no GPU (error {result})"
    return name.value.decode(), ""


def two_free_ports():
    """The second port is for muster's exchange."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            try:
                second.bind(("127.0.0.1", first.getsockname()[1] + 1))
            except (OSError, OverflowError):
                continue
            return first.getsockname()[1]


def environment(rank, size, port, **more):
    return {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank),
            "LOCAL_WORLD_SIZE": str(size), "GROUP_RANK": "0",
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
            "NCCL_HOSTID": f"rank{rank}", "NCCL_NET": "Socket", "CUDA_VISIBLE_DEVICES": "0", **more}


class Ranks:
    """The processes of one round. They end with the round, whatever happens."""

    def __init__(self, what, size, **more):
        port = two_free_ports()
        command = [sys.executable, str(HERE / "nccl_rank.py"), what, str(size)]
        self.processes = [
            subprocess.Popen(command, env=environment(rank, size, port, **more), stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for rank in range(size)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.communicate()

    def start(self):
        for process in self.processes:
            self.line(process, "here")
        for process in self.processes:
            process.stdin.write("go\n")
            process.stdin.flush()

    def line(self, process, wanted):
        text = process.stdout.readline().strip()
        while text and text != wanted:  # a library's own output
            text = process.stdout.readline().strip()
        if not text:
            raise RuntimeError(process.communicate(timeout=LIMIT)[1].strip()[-2000:])

    def results(self):
        """What each rank reported; a failed rank has its last line under "error"."""
        found = []
        for process in self.processes:
            stdout, stderr = process.communicate(timeout=LIMIT)
            lines = [line for line in stdout.splitlines() if line.startswith("{")]
            words = stderr.strip().splitlines() or ["nothing"]
            found.append(json.loads(lines[-1]) if lines else {"right": False, "error": words[-1]})
        return found


def run(what, size, **more):
    with Ranks(what, size, **more) as ranks:
        ranks.start()
        return ranks.results()


def slowest(results, what):
    for result in results:
        if not result["right"]:
            raise RuntimeError(f"a wrong sum or none: {result}")
    return max(result[what] for result in results)


def measure(sizes, kinds, rounds, samples, versions):
    """The kinds take turns, so that other load on the machine affects all of them."""
    lines = []
    for size in sizes:
        say(f"{size} ranks, {rounds} rounds of {', '.join(kinds)}")
        times = {kind: {"ready": [], "first sum": []} for kind in kinds}
        for _ in range(rounds):
            for kind in kinds:
                results = run(kind, size)
                versions[kind] = {key: results[0][key] for key in ("nccl", "torch") if key in results[0]}
                for what, taken in times[kind].items():
                    taken.append(slowest(results, what))
        samples[f"{size} ranks"] = times
        for kind in kinds:
            for what, taken in times[kind].items():
                lines.append(Line(f"{size} ranks, {kind}: {UNTIL[what]}", describe(taken), "-", "-"))
        if "torch" in kinds:
            lines.append(compare(f"{size} ranks, muster / torch: {UNTIL['ready']}", times["muster"]["ready"],
                                 times["torch"]["ready"]))
    return lines


def verdict(what, right, more=""):
    return Line(what, more or ("right" if right else "wrong"), "right", "met" if right else "missed")


def functions(sizes, samples):
    lines = []
    for size in sizes:
        say(f"{size} ranks: roots, splits, a second communicator")
        results = samples[f"checks of {size} ranks"] = run("checks", size)
        errors = {result["error"] for result in results if "error" in result}
        lines.append(verdict(f"{size} ranks: sums with two roots, with splits and with a second communicator",
                             all(result["right"] for result in results), " ".join(errors)))
    return lines


def faults(samples):
    say("two ranks that NCCL assumes to be on one host")
    shared = samples["one GPU for two ranks"] = run("muster", 2, NCCL_HOSTID="both")
    lines = [verdict("two ranks on one GPU: refused with an error that names both", all(
        "ranks 0 and 1 both use GPU" in result.get("error", "") for result in shared))]
    say("a rank that never comes to NCCL's init")
    missing = samples["a rank that never comes"] = run("late", 3)[:2]
    lines.append(verdict("a rank that never arrives: time until the others give up (timeout: 5 s)",
                         all(result["right"] for result in missing),
                         ", ".join(f"{result.get('seconds', -1):.1f} s" for result in missing)))
    return lines


def kinds_here(only):
    if only:
        return only
    done = subprocess.run([sys.executable, "-c", "import torch; assert torch.cuda.is_available()"],
                          capture_output=True, check=False)
    return ["muster", "torch", "torch-muster"] if done.returncode == 0 else ["muster"]


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", default="1,2,4,8", help="numbers of ranks")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kinds", help="which of muster, torch and torch-muster; default: those that are installed")
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build", help="a build with lib/worker/libmuster.so.0")
    parser.add_argument("--out", type=pathlib.Path, default=OUT)
    parser.add_argument("--record", action="store_true", help="write the figures into docs/explain/benchmark-tables.md")
    return parser.parse_args()


def main():
    asked = options()
    name, why_not = gpu()
    if name is None:
        say(f"nccl: skipped, no GPU here: {why_not}")
        sys.exit(SKIPPED)
    os.environ.setdefault("MUSTER_LIBRARY", str(asked.build / "lib/worker/libmuster.so.0"))
    sizes = [int(size) for size in asked.ranks.split(",")]
    kinds = kinds_here(asked.kinds.split(",") if asked.kinds else None)
    asked.out.mkdir(parents=True, exist_ok=True)
    samples, versions = {}, {}
    lines = functions(sizes, samples) + faults(samples)
    lines += measure(sizes, kinds, asked.rounds, samples, versions)
    facts = circumstances(CHECKOUT)
    facts |= {"GPU": name, "NVIDIA driver": output("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
              "versions": versions}
    write_json(asked.out / "nccl.json", facts, lines, samples)
    print(describe_circumstances(facts) + "\n\n" + table(lines))
    if asked.record:
        record(CHECKOUT / "docs/explain/benchmark-tables.md", "nccl", facts, lines)
    sys.exit(any(line.verdict == "missed" for line in lines))


if __name__ == "__main__":
    main()
