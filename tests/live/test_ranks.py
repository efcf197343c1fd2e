"""A node's agent and its ranks' processes: what it learns about their ends, and when it ends them by itself."""

import json
import os
import signal
import time
from typing import Any

from cluster import Cluster
from waiting import wait_until


def report(cluster: Cluster) -> dict[str, Any]:
    return json.loads((cluster.home / "report.json").read_text())


def sleepers(cluster: Cluster) -> list[int]:
    return [process.pid for node in cluster.nodes for process in cluster.processes(node)
            if process.command.startswith("sleep 1000")]


def test_the_last_lines_of_a_failed_rank_are_shown_where_its_stderr_is_a_file(cluster: Cluster) -> None:
    script = "sleep 0.5; if [ $RANK = 1 ]; then echo 'the last words' >&2; exit 3; fi; sleep 100"
    cluster.write("words", f"#!/bin/bash\n{script}\n").chmod(0o755)
    result = cluster.srun("--distributed=torch,grace=2 --error=err-%t -N2 -n2 ./words")
    assert result.code == 3
    assert "the last words" in result.err
    assert (cluster.home / "err-1").read_text() == "the last words\n"


def test_ranks_whose_slurmstepd_was_killed_are_ended(cluster: Cluster) -> None:
    running = cluster.start("srun --distributed=torch,report=report.json,grace=2 -N3 -n3 "
                            "bash -c 'echo ready; exec sleep 1000'")
    running.await_output("ready", times=3)
    (slurmstepd,) = [process for process in cluster.processes("node2")
                     if process.command.startswith("slurmstepd: [") and not process.command.endswith(("extern]", "batch]"))]
    os.kill(slurmstepd.pid, signal.SIGKILL)
    wait_until(lambda: not sleepers(cluster), 5, "the end of all ranks")
    assert running.wait(timeout=60).code != 0
    (node,) = [node for node in report(cluster)["nodes"] if node["node"] == "node2"]
    assert "slurmstepd is gone" in node["remark"]


def test_agents_that_do_not_hear_their_supervisor_leave_their_ranks_alone(cluster: Cluster) -> None:
    running = cluster.start("srun --distributed=torch,heartbeat=2,grace=2 -N3 -n3 bash -c 'echo ready; exec sleep 12'")
    running.await_output("ready", times=3)
    (supervisor,) = [process.pid for process in cluster.processes("login") if "muster supervise" in process.command]
    os.kill(supervisor, signal.SIGSTOP)
    time.sleep(8)
    os.kill(supervisor, signal.SIGCONT)
    result = running.wait(timeout=60)
    assert (result.code, "lost" in result.err) == (0, False), result.err
