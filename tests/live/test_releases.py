"""The Slurm, PMIx and PyTorch that the tests run with are the ones listed in releases.py."""

import re
from pathlib import Path

import pytest
import releases
from cluster import Cluster


@pytest.fixture
def expected() -> releases.Release:
    return releases.RELEASES[releases.suite()]


@pytest.mark.other_suite
def test_slurm_is_the_expected_release(cluster: Cluster, expected: releases.Release) -> None:
    assert re.match(rf"slurm(?:-wlm)? {re.escape(expected.slurm)}\.", cluster.run("srun --version").out)


@pytest.mark.other_suite
def test_slurm_has_the_expected_pmix(cluster: Cluster, expected: releases.Release) -> None:
    listed = cluster.srun("--mpi=list")
    plugins = set((listed.out + listed.err).replace(",", " ").split())
    major = expected.pmix.partition(".")[0]
    assert [plugin for plugin in plugins if plugin.startswith("pmix_")] == ([f"pmix_v{major}"] if major else [])


def has_case(text: str, name: str) -> bool:
    """A case's name is that of its parameter, a string, or those of two, joined."""
    pairs = re.findall(r'\("([^"\n]+)", "([^"\n]+)"\)', text)
    return f'"{name}"' in text or name in {"-".join(pair) for pair in pairs}


def test_everything_in_the_list_is_there() -> None:
    """A renamed test must not drop out of CI unnoticed."""
    here = Path(__file__).parent
    for entry in (*releases.RELEASE_SPECIFIC, *releases.ON_ARM64):
        file, _, case = entry.partition("::")
        test, _, parameter = case.partition("[")
        text = (here / file).read_text()
        assert f"def {test}" in text, entry
        assert not case.endswith("]") or has_case(text, parameter[:-1]), entry
