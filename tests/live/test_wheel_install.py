"""A user's wheel on a site without muster: installed by pip, with libmuster in it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import CHECKOUT, Cluster

BUILD = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))
PYTHON = "venv/bin/python"

pytestmark = pytest.mark.machine  # the wheel is of this machine's libc


@pytest.fixture
def muster(cluster: Cluster, tmp_path: Path) -> Iterator[str]:
    """A virtual environment in alice's home, with the wheel and Debian's torch; and the program, without the plugin."""
    library = BUILD / "lib" / "worker" / "libmuster.so.0"
    done = subprocess.run([sys.executable, CHECKOUT / "lib/python/wheel_builder.py", library, tmp_path], check=True,
                          capture_output=True, text=True)
    wheel = tmp_path / done.stdout.strip()
    assert "-py3-none-manylinux_2_" in wheel.name
    cluster.give("alice", wheel)
    cluster.give("alice", CHECKOUT / "examples" / "train_ddp.py")
    made = cluster.shell(f"/usr/bin/python3 -m venv --system-site-packages venv && "
                         f"{PYTHON} -m pip install --no-index ./{wheel.name}", timeout=120)
    assert made.code == 0, made.err
    with cluster.plugstack("none"):
        yield str(cluster.prefix / "bin" / "muster")


@pytest.mark.slow
def test_pip_installs_it_and_the_ranks_meet_over_tcp(cluster: Cluster, muster: str) -> None:
    found = cluster.shell(f"{PYTHON} -c 'from muster import _library as it; print(it.find({{}}, it.PACKAGE)); it.library()'")
    assert found.code == 0, found.err
    assert found.out.strip().startswith("/home/alice/venv/lib/")
    result = cluster.srun(f"-N3 -n3 --mpi=none {muster} exec --distributed=none -- {PYTHON} train_ddp.py --init muster",
                          timeout=120)
    assert result.code == 0, result.err
    assert "learned: largest error" in result.out
