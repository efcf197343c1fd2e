"""A pytest plugin for torch's launcher tests: `muster run` in the place of torchrun's main(), and muster's ranks in the
place of the processes of its elastic agent. The rest of torch, and the test files, stay as they are."""

import argparse
import multiprocessing.spawn
from pathlib import Path

import drawn_machine
import muster_run
import torch
import torch.distributed.elastic.agent.server.local_elastic_agent as local_elastic_agent
import torch.distributed.elastic.events as events
import torch.distributed.launch
import torch.distributed.launcher.api as launcher
import torch.distributed.run
from elastic_agent import MusterAgent
from meeting import Meeting
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError


def gpus() -> int:
    """As torch sees them, which a test may have replaced."""
    return torch.accelerator.device_count() if torch.accelerator.is_available() else 0


def main(args: list[str] | None = None) -> None:
    assert args is not None
    ended = start(args)
    if ended.report is None:  # nothing was started
        raise ValueError(ended.err)
    # muster's report, where torchrun records an event
    events.record(events.Event("muster", events.EventSource.AGENT, metadata={"summary": ended.report["summary"]}))
    if ended.code != 0:
        raise ChildFailedError(Path(ended.report["program"]).name, muster_run.failures(ended.report))


def start(args: list[str]) -> muster_run.Ended:
    """A line for several nodes waits for the others as torchrun's does, and is then a `muster run` in an allocation."""
    parser = argparse.ArgumentParser()  # torch.distributed.launch has more flags than torchrun
    parser.add_argument("--nnodes", default="1")
    parser.add_argument("--rdzv-id", "--rdzv_id")
    words, _ = parser.parse_known_args(args)
    least, most = torch.distributed.run.parse_min_max_nnodes(words.nnodes)
    if most == 1:
        return alone(args)
    meeting = Meeting(words.rdzv_id)
    meeting.bring({})
    if meeting.number == 0:
        agents = len(meeting.await_all(least, most))
        meeting.end(alone(args) if agents == 1 else together(args, agents), agents)
    return meeting.await_end()


def alone(args: list[str]) -> muster_run.Ended:
    with drawn_machine.with_gpus(gpus()) as site:
        return muster_run.run([*site, *args])


def together(args: list[str], agents: int) -> muster_run.Ended:
    return muster_run.run(args, command=("salloc", "--quiet", f"--nodes={agents}", "--exclusive", muster_run.MUSTER, "run"))


def in_spawned_processes() -> None:
    """A test's own process is often a Python that starts anew: it runs this module first."""
    prepare = multiprocessing.spawn.get_preparation_data

    def with_muster(name: str) -> dict:
        data = {key: value for key, value in prepare(name).items() if not key.startswith("init_main")}
        return {**data, "init_main_from_name": "torch_plugin"}

    multiprocessing.spawn.get_preparation_data = with_muster


def put_in_place() -> None:
    torch.distributed.run.main = main
    torch.distributed.launch.main = main
    local_elastic_agent.LocalElasticAgent = MusterAgent
    launcher.LocalElasticAgent = MusterAgent
    in_spawned_processes()


def pytest_configure() -> None:
    put_in_place()


if __name__ == "__mp_main__":
    put_in_place()
