"""scripts/packages.sh lists the packages of everything that the scripts and tests use: programs, files, Python modules
and C headers. This test finds a missing one even on a machine where it happens to be installed (scripts/pristine is a
machine with nothing installed). It compares with what a Debian with only essential packages has after scripts/setup."""

import functools
import importlib.machinery
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import called_programs
import debian
import pytest
from cluster import CHECKOUT

pytestmark = pytest.mark.machine


@dataclass(frozen=True)
class Use:
    """Files, and the groups of packages that are installed when they run."""

    groups: tuple[str, ...]
    files: tuple[str, ...]  # in git ls-files syntax


TESTS = ("build", "cluster", "training", "tests")
USES = {
    "quickstart": Use(("build", "cluster", "training"), (
        "scripts/quickstart", "scripts/setup", "scripts/cluster", "scripts/cluster.d", "scripts/progress.sh",
        "scripts/progress.d", "spank", "launcher", "lib", "examples", ":!scripts/cluster.d/suite.sh",
        ":!scripts/cluster.d/emulate", ":!lib/python")),
    "test": Use(TESTS, (
        "scripts", "tests", ".ci", "docs/man", ":!scripts/cluster.d/suite.sh", ":!scripts/packages.sh", ":!scripts/fuzz",
        ":!scripts/cluster.d/emulate", ":!scripts/vm", ":!scripts/vm.d", ":!tests/vm",
        ":!tests/bench", ":!tests/live/frameworks")),
    "suites": Use((*TESTS, "suites"), ("scripts/suite", "scripts/cluster.d/suite.sh", "scripts/pristine")),
    "arm64": Use((*TESTS, "suites", "arm64"), ("scripts/cluster.d/emulate", "cmake/in_arm64_root")),
    "vm": Use((*TESTS, "suites", "packaging", "vm", "in_machine"), ("scripts/vm", "scripts/vm.d", "tests/vm")),
    "frameworks": Use((*TESTS, "frameworks"), ("scripts/frameworks", "tests/live/frameworks")),
    "fuzz": Use(("build", "tests", "fuzz"), ("scripts/fuzz", "tests/fuzz")),
    "bench": Use((*TESTS, "bench", "frameworks"), ("scripts/bench", "tests/bench")),
    "packaging": Use((*TESTS, "suites", "packaging"), ("packaging",)),
}
# Names that come from elsewhere, are used only if they exist, or mean something different.
ELSEWHERE = {
    "pip": "of a virtual environment", "node": "a command of scripts/cluster", "clang-tidy": "scripts/test --lint installs it",
    "lightning": "of a virtual environment", "import": "Python's word; ImageMagick has a program of this name",
    "rpm": "an argument of packaging/check, which itself says if the program is missing",
}
# What programs read although no file mentions it.
READ = {
    r"\bipproto [a-z]+|\bgetproto|\bgetent protocols": "/etc/protocols",
    r"\bgetserv|\bgetent services": "/etc/services",
    r"/zoneinfo\b|\bTZ=[A-Z][a-z]+/": "/usr/share/zoneinfo/UTC",
    r"\b(curl|wget) .*https:": "/etc/ssl/certs/ca-certificates.crt",
}
NAMED_FILE = re.compile(r"(?<![\w./}])/(?:etc|usr/share|usr/lib)/[A-Za-z0-9_./+-]*[A-Za-z0-9]")
HEADER = re.compile(r"^#include <([^>]+)>", re.MULTILINE)
HEADER_FOLDERS = (Path("/usr/include"), *Path("/usr/include").glob("*-linux-gnu*"))


@pytest.fixture(autouse=True)
def cluster() -> None:
    """No cluster is needed here."""


def group(name: str) -> list[str]:
    source = f'source {CHECKOUT}/scripts/packages.sh; printf "%s\\n" "${{packages_{name}[@]}}"'
    return subprocess.run(["bash", "-c", source], capture_output=True, text=True, check=True).stdout.split()


def files_of(use: Use) -> list[str]:
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard", "--", *use.files], cwd=CHECKOUT,
                            capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if (CHECKOUT / name).is_file()]


@functools.cache
def needed(name: str) -> tuple[tuple[str, str], ...]:
    """What a file uses from the machine, as pairs of name and path."""
    return tuple(needed_by(name, (CHECKOUT / name).read_text(errors="replace")))


def needed_by(name: str, text: str) -> Iterator[tuple[str, str]]:
    first_line, _, _ = text.partition("\n")
    programs: set[str] = set()
    if name.endswith(".py") or "python" in first_line and first_line.startswith("#!"):
        programs = called_programs.in_python(text)
        for module in called_programs.imported(text):
            found = importlib.machinery.PathFinder.find_spec(module, ["/usr/lib/python3/dist-packages"])
            if found and found.origin:
                yield module, found.origin
    elif called_programs.is_shell(text.splitlines()[:2]):
        programs = called_programs.in_shell(text)
    elif name.endswith((".c", ".cpp", ".hpp", ".h")):
        for header in HEADER.findall(text):
            yield from ((header, str(folder / header)) for folder in HEADER_FOLDERS if (folder / header).is_file())
        return
    else:
        return
    for program in programs:
        place = program if program.startswith("/") else debian.program(program)
        if place and program not in ELSEWHERE:
            yield program, place
    for path in NAMED_FILE.findall(text):
        if Path(path).is_file():
            yield path, path
    for pattern, path in READ.items():
        if found := re.search(pattern, text):
            yield found[0], path


def missing(use: Use, without: str = "") -> dict[str, list[str]]:
    """For each package that the groups do not install, what is used from it, and where."""
    packages = debian.with_dependencies(name for each in use.groups for name in group(each) if name != without)
    lacking: dict[str, list[str]] = {}
    for file in files_of(use):
        for called, place in needed(file):
            package = debian.owner(place)
            if package and package not in packages:
                lacking.setdefault(package, []).append(f"{called} in {file}")
    return lacking


@pytest.mark.parametrize("name", USES)
def test_what_is_used_is_in_packages_that_the_scripts_install(name: str) -> None:
    assert missing(USES[name]) == {}


@pytest.mark.parametrize(("package", "shown"), [
    ("netbase", "ipproto tcp in tests/live/"), ("strace", "strace in tests/live/"), ("shellcheck", "shellcheck in tests/style/check"),
    ("python3-torch", "torch in tests/live/"), ("libgmock-dev", "gmock/gmock.h in tests/"), ("shfmt", "shfmt in tests/live/"),
    ("openmpi-bin", "mpirun in tests/live/test_site_choices.py"),
])
def test_a_package_that_is_taken_out_of_the_list_is_found_missing(package: str, shown: str) -> None:
    lacking = missing(USES["test"], without=package)
    assert [*lacking] == [package]
    assert any(use.startswith(shown) for use in lacking[package]), lacking
