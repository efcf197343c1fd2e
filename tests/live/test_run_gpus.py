"""`muster run --nproc-per-node=gpu` and `auto`, on a machine with fictional GPUs: one rank per visible GPU."""

import json
import os

import pytest
from node_xml import machine as xml_of
from this_machine import Machine

SHOW = """
import json, os
names = ("RANK", "WORLD_SIZE", "CUDA_VISIBLE_DEVICES")
line = json.dumps([*(os.environ.get(name) for name in names), sorted(os.sched_getaffinity(0))]) + "\\n"
os.write(1, line.encode())  # whole
"""

pytestmark = pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="the drawn machine has CPUs 0 and 1")


@pytest.fixture(autouse=True)
def cluster() -> None:
    """These tests need no cluster."""


@pytest.fixture
def machine(machine: Machine) -> Machine:
    machine.write("show.py", SHOW)
    return machine


def draw(machine: Machine, *gpus: str | None) -> str:
    """The option for a machine with these GPUs, each near its own CPU. The site's file does not mention them."""
    file = machine.write("node.xml", xml_of(*gpus))
    return f"--config={machine.write('muster.yaml', f'topology: {{rules: [{{file: {file}}}]}}')}"


def two(machine: Machine) -> str:
    return draw(machine, "0000:01:00.0", "0000:02:00.0")


def start(machine: Machine, *words: str, **environment: str) -> list[list]:
    result = machine.run(*words, "show.py", environment=environment)
    assert result.code == 0, result.err
    return sorted(json.loads(line) for line in result.lines)


@pytest.mark.parametrize("word", ["gpu", "auto", "xpu"])
def test_each_gpu_has_a_rank_beside_it(machine: Machine, word: str) -> None:
    assert start(machine, two(machine), f"--nproc-per-node={word}") == [["0", "2", "0,1", [0]], ["1", "2", "0,1", [1]]]
    assert start(machine, two(machine), PET_NPROC_PER_NODE=word) == [["0", "2", "0,1", [0]], ["1", "2", "0,1", [1]]]


def test_ranks_are_beside_their_gpus_whoever_counts_them(machine: Machine) -> None:
    crossed = draw(machine, "0000:02:00.0", "0000:01:00.0")
    assert start(machine, crossed, "--nproc-per-node=2") == [["0", "2", "0,1", [1]], ["1", "2", "0,1", [0]]]


@pytest.mark.parametrize("word", ["gpu", "auto"])
@pytest.mark.parametrize("shown", ["1", "1,-1,0", "1,7,0"])
def test_the_users_list_counts(machine: Machine, word: str, shown: str) -> None:
    ((rank, world, _, _),) = start(machine, two(machine), f"--nproc-per-node={word}", CUDA_VISIBLE_DEVICES=shown)
    assert (rank, world) == ("0", "1")


@pytest.mark.parametrize("hidden", ["", "-1", "NoDevFiles", "0,0"])
def test_hidden_gpus_are_none(machine: Machine, hidden: str) -> None:
    option = two(machine)
    result = machine.run(option, "--nproc-per-node=gpu", "show.py", environment={"CUDA_VISIBLE_DEVICES": hidden})
    assert (result.code, result.out) == (1, "")
    assert result.err == ("muster: error: --nproc-per-node=gpu: this process has no GPU that it may use; check "
                          "nvidia-smi and CUDA_VISIBLE_DEVICES, or use a number\n")
    ranks = start(machine, option, "--nproc-per-node=auto", CUDA_VISIBLE_DEVICES=hidden)
    assert len(ranks) == len(os.sched_getaffinity(0))


def test_without_gpus_auto_counts_cpus(machine: Machine) -> None:
    none = draw(machine, None, None)
    assert len(start(machine, none, "--nproc-per-node=auto")) == len(os.sched_getaffinity(0))
    assert machine.run(none, "--nproc-per-node=gpu", "show.py").code == 1
