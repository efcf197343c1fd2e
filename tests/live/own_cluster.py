"""A cluster for one test file, separate from the one that most tests share."""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from cluster import CHECKOUT, Cluster

BUILD = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))


@contextlib.contextmanager
def own_cluster(name: str, nodes: int, *options: str, conf: str = "",
                etc: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """`conf`: lines for slurm.conf. `etc`: files next to it, by name; one that begins with #! is made executable. In
    both, @STATE@ stands for the cluster's folder. `options`: further options for scripts/cluster up."""
    with tempfile.TemporaryDirectory() as folder:
        lines, files = Path(folder) / "slurm.conf", Path(folder) / "etc"
        lines.write_text(conf)
        files.mkdir()
        for file, text in (etc or {}).items():
            (files / file).write_text(text)
            (files / file).chmod(0o755 if text.startswith("#!") else 0o644)
        more = [*options, "--slurm-conf", str(lines), *(["--etc", str(files)] if etc else [])]
        cluster = Cluster(f"{name}-{os.getpid()}", nodes=nodes, build=BUILD, more=more)
    try:
        yield cluster
    finally:
        cluster.end_all()
        cluster.down()


@contextlib.contextmanager
def left_clean(cluster: Cluster) -> Iterator[Cluster]:
    """For one test: fails if the test leaves anything behind, so that the next one is not affected."""
    yield cluster
    try:
        cluster.end_all()
        cluster.await_clean(60)
    except AssertionError:
        cluster.clear()
        raise
