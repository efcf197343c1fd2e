"""The signal that asks a rank to stop reaches the program that handles it, not the processes that this program needs to
save its checkpoint, nor the shell that started it."""

import pytest
from cluster import Cluster

# Rank 1 fails once rank 0 trains. Rank 0 then saves for a second, and reads from its DataLoader meanwhile. A second signal
# would end it.
SAVES = """import os, pathlib, signal, sys, time
import torch
from torch.utils.data import DataLoader, TensorDataset

stops = False

def stop(number, frame):
    global stops
    stops = True
    signal.signal(number, signal.SIG_DFL)

signal.signal(signal.SIGTERM, stop)
ready = pathlib.Path("ready")
if os.environ["RANK"] == "1":
    while not ready.exists():
        time.sleep(0.05)
    sys.exit(7)
batches = iter(DataLoader(TensorDataset(torch.arange(1 << 20)), num_workers=2, multiprocessing_context="fork"))
while not stops:
    next(batches)
    ready.touch()
    time.sleep(0.01)
for _ in range(100):
    print("saves", next(batches), flush=True)
    time.sleep(0.01)
pathlib.Path("saved").touch()
"""

# Like `conda run`, which does not handle SIGTERM and starts a script that starts the program.
CONDA = """import subprocess, sys
with open(f"conda-{sys.argv[3]}.sh", "w") as script:
    print(*sys.argv[4:], file=script)
    print("exit $?", file=script)
sys.exit(subprocess.call(["bash", script.name]))
"""


@pytest.mark.parametrize("start", [
    "python3 -W ignore saves.py", "bash run.sh", "bash -o pipefail -c 'python3 -W ignore saves.py | tee log'",
    "python3 conda run -n env python3 -W ignore saves.py", "timeout 600 python3 -W ignore saves.py", "timeout 600 bash run.sh"])
def test_a_program_with_workers_saves_when_muster_asks_it_to_stop(cluster: Cluster, start: str) -> None:
    for name in ("ready", "saved"):
        (cluster.home / name).unlink(missing_ok=True)
    cluster.write("saves.py", SAVES)
    cluster.write("run.sh", "python3 -W ignore saves.py\ncode=$?\necho the script goes on\nexit $code\n")
    cluster.write("conda", CONDA)
    result = cluster.srun(f"-N2 -n2 --distributed=torch,grace=30 {start}", timeout=90)
    assert result.code == 7, result.err
    assert (cluster.home / "saved").exists(), result.err
    assert "DataLoader worker" not in result.err
    assert result.lines.count("the script goes on") == (2 if "run.sh" in start else 0)
    assert "task 0: Killed" not in result.err  # nobody had to wait for the end of the grace period
