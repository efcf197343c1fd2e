"""muster.ray's arguments and position in the step, and muster.accelerate's choice of variables: without Ray and
Accelerate."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import muster
from muster import accelerate, ray

STEP = {"RANK": "1", "WORLD_SIZE": "3", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "20001", "SLURM_JOB_ID": "7",
        "SLURM_STEP_ID": "2"}


@pytest.mark.parametrize(("words", "options", "command"), [
    (["train.py", "--lr=1"], [], [sys.executable, "train.py", "--lr=1"]),
    (["--num-cpus=4", "train.py"], ["--num-cpus=4"], [sys.executable, "train.py"]),
    (["--num-cpus=4", "--", "vllm", "serve", "--", "x"], ["--num-cpus=4"], ["vllm", "serve", "--", "x"]),
])
def test_options_of_ray_stand_before_the_program(words, options, command):
    assert ray.parse(words) == (options, command)


@pytest.mark.parametrize("words", [[], ["--num-cpus=4"], ["--"]])
def test_no_program_is_one_line(words):
    with pytest.raises(SystemExit) as ended:
        ray.parse(words)
    assert str(ended.value).startswith("muster.ray: no program given; usage: ")


def test_the_place_is_the_steps():
    place = ray.Place(STEP)
    assert (place.rank, place.nodes, place.address) == (1, 3, "10.0.0.1:20001")
    assert place.folder.endswith("-7.2")
    assert ray.Place({**STEP, "MASTER_ADDR": "fd00::1"}).address == "[fd00::1]:20001"


@pytest.mark.parametrize("missing", ["RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"])
def test_outside_of_a_step_it_says_how_to_start(missing):
    with pytest.raises(SystemExit, match="srun --ntasks-per-node=1 --distributed=ray"):
        ray.Place({name: value for name, value in STEP.items() if name != missing})


def test_neither_rays_processes_nor_the_program_are_ranks_of_the_step(tmp_path):
    """In place of Ray: a `ray start` that keeps its variables. The program gets the same ones."""
    program = tmp_path / "ray"
    program.write_text("#!/bin/sh\nenv > kept\nexit 1\n")
    program.chmod(0o755)
    environment = {**STEP, "RANK": "0", "NODE_RANK": "0", "MASTER_ADDR": "127.0.0.1", "RAY_AUTH_MODE": "disabled",
                   "VLLM_HOST_IP": "10.0.0.1", "GLOO_SOCKET_IFNAME": "eth1", "TMPDIR": str(tmp_path),
                   "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(Path(muster.__file__).parent.parent)}
    subprocess.run([sys.executable, "-m", "muster.ray", "x.py"], env=environment, cwd=tmp_path, timeout=60)
    kept = dict(line.split("=", 1) for line in (tmp_path / "kept").read_text().splitlines() if "=" in line)
    assert not {"RANK", "WORLD_SIZE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT"} & set(kept)
    assert kept["VLLM_HOST_IP"] == "10.0.0.1" and kept["GLOO_SOCKET_IFNAME"] == "eth1" and kept["SLURM_JOB_ID"] == "7"


def test_the_folder_is_the_users_alone(tmp_path):
    folder = tmp_path / "ray"
    ray.make_folder(str(folder))
    assert folder.stat().st_mode & 0o777 == 0o700
    ray.make_folder(str(folder))
    folder.chmod(0o755)
    with pytest.raises(SystemExit, match="is not yours alone"):
        ray.make_folder(str(folder))
    folder.chmod(0o700)
    link = tmp_path / "link"
    link.symlink_to(folder)
    with pytest.raises(SystemExit, match="is not yours alone"):
        ray.make_folder(str(link))
    with pytest.raises(SystemExit, match="No such file or directory; set TMPDIR"):
        ray.make_folder(str(tmp_path / "missing" / "ray"))


def test_the_cluster_is_for_this_step_unless_the_user_chose():
    environment = {"MUSTER_EXCHANGE_KEY": "ab"}
    assert ray.only_for_this_step(environment, (2, 52)) == ""
    assert environment["RAY_AUTH_MODE"] == "token" and len(environment["RAY_AUTH_TOKEN"]) == 64
    assert "ab" != environment["RAY_AUTH_TOKEN"]
    chosen = {"MUSTER_EXCHANGE_KEY": "ab", "RAY_AUTH_MODE": "disabled"}
    assert ray.only_for_this_step(chosen, (2, 52)) == ""
    assert "RAY_AUTH_TOKEN" not in chosen


def test_a_cluster_that_is_open_to_the_network_is_said_to_be():
    old = {"MUSTER_EXCHANGE_KEY": "ab"}
    assert "use Ray 2.52 or newer" in ray.only_for_this_step(old, (2, 51))
    assert old == {"MUSTER_EXCHANGE_KEY": "ab"}
    assert "the step has no key" in ray.only_for_this_step({}, (2, 52))
    assert ray.only_for_this_step({"RAY_AUTH_MODE": "disabled"}, (2, 51)) == ""


@pytest.mark.parametrize(("version", "warned"), [("2.44.1", True), ("2.52.0", False)])
def test_the_warning_comes_before_ray_starts(tmp_path, version, warned):
    """A package with that version, whose `ray start` fails immediately: the test checks only what is printed before."""
    about = tmp_path / f"ray-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: ray\nVersion: {version}\n")
    program = tmp_path / "ray"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    environment = {**STEP, "RANK": "0", "MASTER_ADDR": "127.0.0.1", "MUSTER_EXCHANGE_KEY": "ab", "TMPDIR": str(tmp_path),
                   "PATH": f"{tmp_path}:{os.environ['PATH']}",
                   "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(muster.__file__).parent.parent)])}
    ended = subprocess.run([sys.executable, "-m", "muster.ray", "x.py"], env=environment, capture_output=True, text=True,
                           timeout=60)
    assert ended.returncode == 1
    assert ("muster.ray: warning: anyone who can reach 127.0.0.1:20001 can run programs as you" in ended.stderr) == warned


def test_only_accelerates_own_variables_are_taken():
    given = {"ACCELERATE_MIXED_PRECISION": "bf16", "FSDP_VERSION": "2", "MASTER_ADDR": "192.0.2.1", "WORLD_SIZE": "56",
             "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "0", "ACCELERATE_USE_FSDP": "true"}
    present = {"ACCELERATE_USE_FSDP": "true", "ACCELERATE_MIXED_PRECISION": "no"}
    assert accelerate.news(given, present) == {"ACCELERATE_MIXED_PRECISION": "bf16", "FSDP_VERSION": "2"}
