"""Soft RoCE: an RDMA device of the kernel, without a PCI device of its own."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from lab import Lab


@pytest.fixture
def roce(lab: Lab) -> Iterator[Lab]:
    lab.root("rdma link delete rxe0 2>/dev/null; modprobe rdma_rxe && rdma link add rxe0 type rxe netdev $(ip -br link | awk '/52:54:00:77/ { print $1 }')")
    try:
        yield lab
    finally:
        lab.root("rdma link delete rxe0")


def doctor(lab: Lab) -> dict[str, dict[str, Any]]:
    shown = lab.run("muster doctor --all --json --seconds=120 -- -N1", timeout=300)
    return {row["id"]: row for row in json.loads(shown.out)["rows"]}


def test_doctor_sees_the_port_and_what_rdma_needs(roce: Lab) -> None:
    rows = doctor(roce)
    assert rows["rdma-ports"]["outcome"] == "ok", rows["rdma-ports"]
    assert "rdma" in json.dumps(rows["memlock"]).lower() or rows["memlock"]["outcome"] != "ok", rows["memlock"]


def test_a_step_runs_beside_it(roce: Lab) -> None:
    shown = roce.srun("--distributed=torch -N1 -n2 sh -c 'echo $RANK'")
    assert (shown.code, sorted(shown.lines)) == (0, ["0", "1"]), shown.err
