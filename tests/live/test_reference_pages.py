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


PAGES = [*(CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md", "SKILL.md", "packaging/README.md")),
         *sorted((CHECKOUT / "docs").rglob("*.md"))]
# Whatever the reader would not type: output, and what programs print.
OUTPUT = {"text", "console", "json"}


def marked_blocks(mark: str) -> list[tuple[str, str]]:
    """Each block behind that comment: where it stands, and its text."""
    found = []
    for page in PAGES:
        text = page.read_text()
        for block in re.finditer(rf"^ *<!-- {mark} -->\n *```\w*\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, block.start()) + 1
            found.append((f"{page.relative_to(CHECKOUT)}:{line}", block.group(1)))
    return found


@pytest.mark.machine
def test_every_block_is_run_or_says_why_not() -> None:
    """test_readme.py runs each line of a bash block, and test_guide.py the programs of the Python page."""
    silent = []
    for page in PAGES:
        lines = re.sub(r"^( *```\w*)\n.*?^ *```$", r"\1", page.read_text(), flags=re.MULTILINE | re.DOTALL).splitlines()
        for before, line in zip(["", *lines], lines, strict=False):
            language = line.strip().removeprefix("```")
            if not line.strip().startswith("```") or language in OUTPUT | {"bash"}:
                continue
            run = language == "python" and page == REFERENCE / "python.md"
            if not run and not re.match(r"^ *<!-- (not run|checked): .*-->$", before):
                silent.append(f"{page.relative_to(CHECKOUT)}: {line}")
    assert not silent


@pytest.mark.machine
@pytest.mark.parametrize(("place", "text"), marked_blocks("checked: configuration"), ids=lambda each: each.splitlines()[0])
def test_a_configuration_in_the_pages_is_valid(place: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "muster.yaml").write_text(text)
    done = subprocess.run([BUILD / "launcher" / "muster", "config", "check", "--trust-any-owner", tmp_path / "muster.yaml"],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, place + done.stdout + done.stderr


@pytest.mark.machine
def test_the_profile_in_the_pages_is_valid(tmp_path: Path) -> None:
    ((place, text),) = marked_blocks("checked: profile")
    folder = tmp_path / "muster" / "profiles"
    folder.mkdir(parents=True)
    (folder / "ours.yaml").write_text(text)
    for profile in (CHECKOUT / "config" / "profiles").glob("*.yaml"):
        (folder / profile.name).write_text(profile.read_text())
    done = subprocess.run([BUILD / "launcher" / "muster", "plan", "--distributed=ours", "--layout", "n[1-2]:2", "--trust-any-owner"],
                          capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)})
    assert done.returncode == 0 and "NCCL_CROSS_NIC" in done.stdout, place + done.stdout + done.stderr
