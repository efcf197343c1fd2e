"""A machine with GPUs for muster to find, where a test has told torch that there are some."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "live"))
from node_xml import machine  # noqa: E402


@contextlib.contextmanager
def with_gpus(count: int) -> Iterator[list[str]]:
    """The words for `muster run`; none for a machine without GPUs, as it is."""
    if count == 0:
        yield []
        return
    with tempfile.TemporaryDirectory(prefix="peers-", dir=os.environ.get("PEERS_SHARED")) as folder:
        node, site = Path(folder) / "node.xml", Path(folder) / "muster.yaml"
        node.write_text(machine(*(f"0000:{bus:02x}:00.0" for bus in range(1, count + 1))))
        site.write_text(f"topology: {{rules: [{{file: {node}}}]}}")
        yield [f"--config={site}"]
