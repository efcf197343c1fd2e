"""The plugin that the nodes load is built with ASan and UBSan (scripts/test --asan-shim). Every test of such a run
fails if a sanitizer has reported something: see Cluster.traces()."""

import signal
from pathlib import Path

import pytest
from cluster import Cluster

pytestmark = pytest.mark.sanitized_shim


def test_slurmd_and_slurmstepd_carry_the_sanitizer_and_the_plugin_that_needs_it(cluster: Cluster) -> None:
    running = cluster.start("srun --distributed=torch -N2 -n2 ./await_signal")
    running.await_output("ready", times=2)
    daemons = [one for node in cluster.nodes for one in cluster.processes(node)
               if one.name in ("slurmd", "slurmstepd") and one.uid == 0]
    assert {one.name for one in daemons} == {"slurmd", "slurmstepd"}
    for one in daemons:
        mapped = Path(f"/proc/{one.pid}/maps").read_text()
        assert "/libasan.so" in mapped, one
        assert "/muster.so" in mapped, one
    assert b"__asan_init" in (cluster.state / "shim.so").read_bytes()
    running.signal(signal.SIGUSR1)
    running.wait()


def test_a_report_fails_the_test_that_caused_it(cluster: Cluster) -> None:
    report = cluster.state / "log" / "sanitizer" / "asan.1"
    report.write_text("ERROR: AddressSanitizer")
    assert "ERROR: AddressSanitizer" in cluster.traces()
    report.unlink()
