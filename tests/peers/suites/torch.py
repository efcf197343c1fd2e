"""torch: test/distributed/launcher and the cases of test/distributed/elastic that start ranks."""

from pathlib import Path

from pytest_suite import Files

SOURCES = "pytorch"
TEST = "test/distributed"


def files(sources: Path, python: str) -> Files:
    return Files(sources / SOURCES, [
        f"{TEST}/launcher/test_run.py",
        f"{TEST}/launcher/launch_test.py",
        f"{TEST}/launcher/api_test.py",
        f"{TEST}/elastic/agent/server/test/local_elastic_agent_test.py",
    ], python, plugin="torch_plugin", variables={"TORCHELASTIC_ETCD_BINARY_PATH": "/usr/bin/etcd"})
