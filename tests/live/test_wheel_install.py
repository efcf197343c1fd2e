"""A user's wheel at a site without muster: pip alone installs the program, the Python package and libmuster."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster

BUILD = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))
PYTHON = "venv/bin/python"
MUSTER = "venv/bin/muster"
FILES = "find venv -name __pycache__ -prune -o -print | sort"  # pip compiles itself on its first run

pytestmark = [pytest.mark.machine,  # the wheel is for this machine's libc
              pytest.mark.slow]


@pytest.fixture
def venv(cluster: Cluster, tmp_path: Path) -> Iterator[None]:
    """A virtual environment in alice's home, with the wheel and Debian's torch, on a Slurm without the plugin."""
    binaries = {"--program": BUILD / "launcher" / "muster", "--library": BUILD / "lib" / "worker" / "libmuster.so.0"}
    words = []
    for option, binary in binaries.items():
        subprocess.run(["strip", "--strip-unneeded", "-o", tmp_path / binary.name, binary], check=True)
        words += [option, tmp_path / binary.name]
    done = subprocess.run([sys.executable, CHECKOUT / "lib/python/wheel_builder.py", *words, tmp_path], check=True,
                          capture_output=True, text=True)
    wheel = tmp_path / done.stdout.strip()
    assert "-py3-none-manylinux_2_" in wheel.name
    cluster.give("alice", wheel)
    cluster.give("alice", CHECKOUT / "examples" / "train_ddp.py")
    made = cluster.shell("/usr/bin/python3 -m venv --clear --system-site-packages venv && "
                         f"mkdir -p venv/share && {FILES} >before",  # pip itself never removes that folder
                         timeout=120)
    assert made.code == 0, made.err
    made = cluster.shell(f"{PYTHON} -m pip install --no-index ./{wheel.name}", timeout=120)
    assert made.code == 0, made.err
    with cluster.plugstack("none"):
        yield


def test_muster_run_trains_with_pip_alone_and_uninstalling_leaves_nothing(cluster: Cluster, venv: None) -> None:
    assert cluster.shell(f"{MUSTER} --version").out.startswith("muster ")
    result = cluster.shell(". venv/bin/activate && muster run --nproc-per-node=2 train_ddp.py --check", timeout=120)
    assert result.code == 0, result.err
    assert "learned: largest error" in result.out
    removed = cluster.shell(f"{PYTHON} -m pip uninstall --yes muster && {FILES} | diff before -", timeout=120)
    assert removed.code == 0, removed.out


def test_the_ranks_of_a_step_meet_over_tcp_by_the_library_in_the_wheel(cluster: Cluster, venv: None) -> None:
    found = cluster.shell(f"{PYTHON} -c 'from muster import _library as it; print(it.find({{}}, it.PACKAGE)); it.library()'")
    assert found.code == 0, found.err
    assert found.out.strip().startswith("/home/alice/venv/lib/")
    result = cluster.srun(f"-N3 -n3 --mpi=none {MUSTER} exec --distributed=none -- {PYTHON} train_ddp.py --init muster --check",
                          timeout=120)
    assert result.code == 0, result.err
    assert "learned: largest error" in result.out
