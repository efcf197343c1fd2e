"""The reference pages that are generated from the program, or that list its parts, are complete."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from cluster import CHECKOUT

BUILD = Path(os.environ.get("MUSTER_BUILD", CHECKOUT / "build"))
REFERENCE = CHECKOUT / "docs" / "reference"


@pytest.mark.machine
def test_commands_page_is_what_the_program_prints(tmp_path: Path) -> None:
    written = tmp_path / "commands.md"
    subprocess.run([REFERENCE / "make_commands", BUILD / "launcher" / "muster", written], check=True, timeout=60)
    assert written.read_text() == (REFERENCE / "commands.md").read_text(), "docs/reference/make_commands writes it again"


@pytest.mark.machine
def test_every_command_has_its_exit_codes() -> None:
    commands = re.findall(r"^## muster (\w+)$", (REFERENCE / "commands.md").read_text(), re.MULTILINE)
    assert len(commands) > 5
    page = (REFERENCE / "exit-codes.md").read_text()
    assert not [name for name in commands if f"| `{name}` |" not in page and f"| `{name} " not in page]
