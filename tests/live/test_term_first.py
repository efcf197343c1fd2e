"""After a failed task, Slurm 26.05 sends the others SIGTERM and, after KillWait, SIGKILL; older releases only SIGKILL."""

import pytest
from cluster import Cluster

pytestmark = pytest.mark.since("26.05")

# Every rank says which signals it gets; rank 1 fails.
CATCHES = """import os, signal, sys, time
rank = int(os.environ["SLURM_PROCID"])
signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"%d terminated\\n" % rank))
os.write(1, b"%d ready\\n" % rank)
time.sleep(2)
if rank == 1:
    os._exit(7)
end = time.monotonic() + 3
while time.monotonic() < end:
    time.sleep(0.1)
"""


@pytest.mark.parametrize("words", ["-K", "--distributed=torch,grace=4", "--distributed=torch,supervise=off -K"])
def test_the_other_ranks_are_asked_once_before_they_are_killed(cluster: Cluster, words: str) -> None:
    cluster.write("catches.py", CATCHES)
    result = cluster.srun(f"{words} -N3 -n3 python3 catches.py", timeout=60)
    assert result.code == 7, result.err
    assert sorted(line for line in result.lines if "terminated" in line) == ["0 terminated", "2 terminated"], result.out
