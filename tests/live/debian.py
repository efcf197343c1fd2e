"""What this machine's Debian packages contain, and which packages a pristine root would have after some are
installed."""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

DPKG = Path("/var/lib/dpkg")
PROGRAM_FOLDERS = ("/usr/bin", "/usr/sbin", "/bin", "/sbin")
# What mmdebstrap's variant minbase adds to the essential packages.
ADDED_BY_MINBASE = ("apt",)


@dataclass(frozen=True)
class Package:
    name: str
    depends: tuple[tuple[str, ...], ...]  # each is a list of alternatives
    provides: tuple[str, ...]
    in_every_root: bool


def _fields(text: str) -> dict[str, str]:
    return dict(re.findall(r"^([A-Z][A-Za-z-]*): *(.*(?:\n[ \t].*)*)", text, re.MULTILINE))


def _names(relation: str) -> tuple[tuple[str, ...], ...]:
    """`a (>= 1), b:any | c` as ((a,), (b, c))."""
    return tuple(tuple(word.split()[0].partition(":")[0] for word in each.split("|"))
                 for each in relation.split(",") if each.strip())


@functools.cache
def installed() -> dict[str, Package]:
    packages = {}
    for text in (DPKG / "status").read_text(errors="replace").split("\n\n"):
        fields = _fields(text)
        if not fields.get("Status", "").endswith(" installed"):
            continue
        name = fields["Package"]
        packages[name] = Package(
            name, _names(fields.get("Pre-Depends", "")) + _names(fields.get("Depends", "")),
            tuple(one for (one, *_) in _names(fields.get("Provides", ""))),
            fields.get("Essential") == "yes" or fields.get("Priority") == "required" or name in ADDED_BY_MINBASE)
    return packages


def with_dependencies(names: Iterable[str]) -> set[str]:
    """The packages that a pristine root has after these are installed, without recommended packages. Only packages that
    are installed here are considered: one that is not installed here cannot hide that it is missing."""
    packages = installed()
    providers: dict[str, list[str]] = {}
    for package in packages.values():
        for name in package.provides:
            providers.setdefault(name, []).append(package.name)
    todo = [*names, *(package.name for package in packages.values() if package.in_every_root)]
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        for choices in packages[name].depends if name in packages else ():
            one = next((choice for choice in choices if choice in packages), None)
            todo += [one] if one else [provider for choice in choices for provider in providers.get(choice, [])][:1]
    return found


@functools.cache
def _owners() -> dict[str, str]:
    owners = {}
    for file in (DPKG / "info").glob("*.list"):
        package = file.stem.partition(":")[0]
        owners.update(dict.fromkeys(file.read_text(errors="replace").splitlines(), package))
    return owners


def owner(path: str) -> str | None:
    """The package that owns a file or the link to a program. Debian's /bin is /usr/bin, and its packages use either
    name."""
    for _ in range(5):
        for name in (path, path.removeprefix("/usr"), f"/usr{path}"):
            if name in _owners():
                return _owners()[name]
        if not Path(path).is_symlink():  # a link of update-alternatives
            return None
        path = str(Path(path).parent / Path(path).readlink())
    return None


@functools.cache
def program(name: str) -> str | None:
    """The path of a program that is called by its name."""
    return next((f"{folder}/{name}" for folder in PROGRAM_FOLDERS if Path(folder, name).is_file()), None)
