"""torch's elastic agent with muster's ranks: one agent alone is a `muster run`, several that belong together are one
srun with a node each."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import muster_run
from meeting import Meeting, nodes
from torch.distributed.elastic.agent.server.api import RunResult, WorkerState
from torch.distributed.elastic.agent.server.local_elastic_agent import LocalElasticAgent
from torch.distributed.elastic.multiprocessing import Std
from torch.distributed.elastic.multiprocessing.errors import ProcessFailure

WORKER = Path(__file__).parent / "elastic_worker.py"


def sizes(handler: Any) -> tuple[int, int]:
    """How few and how many agents the rendezvous is for, whichever kind it is."""
    settings = getattr(handler, "_settings", None)
    if settings is not None:
        return settings.min_nodes, settings.max_nodes
    etcd = getattr(handler, "_rdzv_impl", None)
    if etcd is not None:
        return etcd._num_min_workers, etcd._num_max_workers
    return 1, 1


def flag(name: str, value: Std | dict[int, Std]) -> list[str]:
    if isinstance(value, dict):
        return [f"--{name}=" + ",".join(f"{rank}:{int(each)}" for rank, each in value.items())] if value else []
    return [f"--{name}={int(value)}"] if value != Std.NONE else []


class MusterAgent(LocalElasticAgent):
    def _invoke_run(self, role: str = "default") -> RunResult:
        spec = self._worker_group.spec
        meeting = Meeting(spec.rdzv_handler.get_run_id())
        meeting.bring({"ranks": spec.local_world_size, "entrypoint": spec.entrypoint, "args": spec.args})
        if meeting.number == 0:
            tasks = meeting.await_all(*sizes(spec.rdzv_handler))
            meeting.end(self._alone(meeting) if len(tasks) == 1 else self._together(meeting, tasks), len(tasks))
        ended = meeting.await_end()
        report = ended.report or {"attempts": [{}], "first": None}
        self._remaining_restarts = spec.max_restarts - (len(report["attempts"]) - 1)
        if ended.code == 0:
            self._worker_group.state = WorkerState.SUCCEEDED
            values = dict.fromkeys(range(spec.local_world_size)) if ended.agents == 1 and isinstance(spec.entrypoint, str) \
                else meeting.values()
            return RunResult(WorkerState.SUCCEEDED, return_values=values)
        self._worker_group.state = WorkerState.FAILED
        first = report["first"] or {"rank": 0, "local_rank": 0, "pid": 0, "code": ended.code, "signal": None}
        code = first["code"] if first["code"] is not None else 1
        failure = ProcessFailure(first["local_rank"] or 0, first["pid"] or 0, code, meeting.error_file(first["rank"]))
        return RunResult(WorkerState.FAILED, failures={first["rank"]: failure})

    def _record_worker_events(self, result: RunResult) -> None:
        """There are no workers of torch's agent to record."""

    def _shutdown(self, *_: Any, **__: Any) -> None:
        """The ranks have ended with `muster run`, or with srun."""

    def _alone(self, meeting: Meeting) -> muster_run.Ended:
        spec = self._worker_group.spec
        words = [f"--nproc-per-node={spec.local_world_size}", f"--max-restarts={spec.max_restarts}",
                 f"--rdzv-id={spec.rdzv_handler.get_run_id()}", f"--role={spec.role}", "--no-python",
                 *flag("redirects", self._logs_specs._redirects), *flag("tee", self._logs_specs._tee)]
        if spec.master_addr:
            words.append(f"--master-addr={spec.master_addr}")
        if spec.master_port:
            words.append(f"--master-port={spec.master_port}")
        environment = {}
        if self._log_line_prefix_template:
            environment["TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE"] = self._log_line_prefix_template
        return muster_run.run(words + self._command(meeting, spec.entrypoint, spec.args), environment)

    def _together(self, meeting: Meeting, tasks: list[dict[str, Any]]) -> muster_run.Ended:
        """Node i has the ranks of agent i."""
        spec = self._worker_group.spec
        hosts = Path(meeting.folder) / "hosts"
        hosts.write_text("".join(f"{node}\n" * task["ranks"] for node, task in zip(nodes(len(tasks)), tasks, strict=True)))
        return muster_run.run(
            [f"--ntasks={sum(task['ranks'] for task in tasks)}", "--distribution=arbitrary",
             *self._command(meeting, tasks[0]["entrypoint"], tasks[0]["args"])],
            {"SLURM_HOSTFILE": str(hosts)}, ("srun", "--quiet"), f",restarts={spec.max_restarts}")

    def _command(self, meeting: Meeting, entrypoint: Any, args: tuple) -> list[str]:
        if isinstance(entrypoint, str):
            return [entrypoint, *map(str, args)]
        with tempfile.NamedTemporaryFile("w", dir=meeting.folder, suffix=".path", delete=False) as path:
            json.dump(sys.path, path)
        return [sys.executable, "-u", str(WORKER), str(meeting.folder), path.name]
