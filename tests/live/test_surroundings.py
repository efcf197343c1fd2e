"""Besides its variables, a rank inherits what plain srun gives it, in every attempt: limits, signals, umask, directory,
open files."""

import json
from typing import Any

from cluster import Cluster

LOW_LIMITS = "ulimit -Sn 1024; ulimit -Sc 0; ulimit -Ss 4096; umask 027; trap '' USR2 HUP; cd /tmp; "
PROGRAM = "/home/alice/surroundings"


def inherited(cluster: Cluster, line: str) -> list[dict[str, Any]]:
    """What each attempt saw when started by a shell with its own limits, umask and ignored signals."""
    result = cluster.shell(LOW_LIMITS + line, timeout=60)
    found = [json.loads(text) for text in result.lines if text.startswith("{")]
    assert found, result.err
    return found


def test_every_attempt_inherits_what_a_plain_srun_gives(cluster: Cluster) -> None:
    (plain,) = inherited(cluster, f"srun --mpi=pmix -n1 {PROGRAM}")
    attempts = inherited(cluster, f"srun --distributed=torch,restarts=2 -n1 {PROGRAM} 3")
    assert attempts == [plain] * 3
    assert plain["RLIMIT_NOFILE"][0] == 1024


def test_a_run_without_slurm_has_the_shells_limits_in_every_attempt(cluster: Cluster) -> None:
    first, second = inherited(cluster, f"{cluster.prefix}/bin/muster run --max-restarts=1 --no-python {PROGRAM} 3")
    assert first["RLIMIT_NOFILE"] == second["RLIMIT_NOFILE"] == [1024, first["RLIMIT_NOFILE"][1]]
    assert first["Umask"] == second["Umask"] == ["0027"]
    assert first["SigIgn"] == second["SigIgn"] and first["SigBlk"] == second["SigBlk"]
