"""A build backend (PEP 517) for this package only: a wheel is a zip file with a few lines of text in it.

pip makes a pure wheel, which looks for libmuster.so on the machine. packaging/build makes a complete one with

    python3 wheel_builder.py --library FILE --program FILE [--glibc RELEASE] DIRECTORY

It contains libmuster, the program `muster` for the environment's bin/, and its profiles where the program looks for
them. Its tag names the oldest glibc that both work with, or RELEASE; in the latter case it is an error if one of them
needs a newer one. The tag also names the machine that both files are for, which may differ from the one that packs.
"""

import argparse
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Dict, Optional, Tuple

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE / "../.."
VERSION = (HERE / "muster" / "_version.py").read_text().split('"')[-2]
NAME = f"muster-{VERSION}"
MACHINES = {62: "x86_64", 183: "aarch64", 21: "ppc64le"}  # ELF's numbers
SOURCES = ("METADATA.in", "entry_points.txt", "pyproject.toml", "wheel_builder.py")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    return write_wheel(wheel_directory, modules(), "any")


def build_editable(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    return write_wheel(wheel_directory, {"muster.pth": f"{HERE}\n".encode()}, "any")


def build_whole_wheel(wheel_directory, library: Path, program: Path, glibc: Optional[str] = None) -> str:
    data = f"{NAME}.data"  # pip installs what is below this into the environment's own folders
    files = {**modules(),
             "muster/libmuster.so.0": library.read_bytes(),
             f"{data}/scripts/muster": program.read_bytes(),
             # A file next to the folder of profiles: pip removes only folders that contained files.
             f"{data}/data/share/muster/LICENSE": (CHECKOUT / "LICENSE").read_bytes(),
             **{f"{data}/data/share/muster/profiles/{file.name}": file.read_bytes()
                for file in sorted(CHECKOUT.glob("config/profiles/*.yaml"))},
             **{f"{data}/data/share/muster/start/{file.name}": file.read_bytes()
                for file in sorted([*HERE.glob("start/*.py"),
                                    *(HERE / "muster" / f"_{name}.py" for name in ("record", "recorder", "stacks"))])}}
    return write_wheel(wheel_directory, files, platform_tag((library, program), glibc))


def platform_tag(binaries: Tuple[Path, ...], glibc: Optional[str]) -> str:
    """PEP 600: the oldest glibc with every symbol that the binaries need; or `glibc`, which must have all of them."""
    machine, *others = {machine_of(binary) for binary in binaries}
    if others:
        sys.exit(f"wheel_builder.py: {' and '.join(map(str, binaries))} are for different machines: {', '.join([machine, *others])}")
    symbols = {binary: glibc_symbols(binary, machine) for binary in binaries}
    release = int(glibc.split(".")[1]) if glibc else max(minor for names in symbols.values() for minor in names.values())
    for binary, names in symbols.items():
        newer = [f"{name} (2.{minor})" for name, minor in sorted(names.items()) if minor > release]
        if newer:
            sys.exit(f"wheel_builder.py: {binary} needs symbols that glibc {glibc} does not have: {', '.join(newer)}")
    return f"manylinux_2_{release}_{machine}"


def machine_of(binary: Path) -> str:
    """As uname -m says it: from the ELF header."""
    with binary.open("rb") as file:
        header = file.read(20)
    number = int.from_bytes(header[18:20], "big" if header[5:6] == b"\2" else "little")
    if header[:4] != b"\x7fELF" or number not in MACHINES:
        sys.exit(f"wheel_builder.py: {binary} is not a program for one of {', '.join(MACHINES.values())}")
    return MACHINES[number]


def glibc_symbols(binary: Path, machine: str) -> Dict[str, int]:
    """Each symbol that the binary needs from glibc, with the release 2.N that introduced it."""
    objdump = "objdump" if machine == platform.machine() else f"{machine}-linux-gnu-objdump"  # Debian's name for another
    table = subprocess.run([objdump, "-T", binary], stdout=subprocess.PIPE, check=True, encoding="ascii").stdout
    return {name: int(minor) for minor, name in re.findall(r"\(GLIBC_2\.(\d+)[.\d]*\)\s+(\S+)", table)}


def build_sdist(sdist_directory, config_settings=None) -> str:
    name = f"{NAME}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for file in (*SOURCES, *modules()):
            archive.add(HERE / file, f"{NAME}/{file}")
    return name


def modules() -> Dict[str, bytes]:
    return {str(file.relative_to(HERE)): file.read_bytes() for file in sorted(HERE.glob("muster/**/*.py"))}


def write_wheel(directory, files: Dict[str, bytes], tag: str) -> str:
    name, about = f"{NAME}-py3-none-{tag}.whl", f"{NAME}.dist-info"
    pure = str(tag == "any").lower()
    wheel_file = f"Wheel-Version: 1.0\nGenerator: muster\nRoot-Is-Purelib: {pure}\nTag: py3-none-{tag}\n"
    files = {**files,
             f"{about}/METADATA": (HERE / "METADATA.in").read_text().replace("@PROJECT_VERSION@", VERSION).encode(),
             f"{about}/WHEEL": wheel_file.encode(),
             f"{about}/entry_points.txt": (HERE / "entry_points.txt").read_bytes()}
    record = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    with zipfile.ZipFile(Path(directory) / name, "w") as wheel:
        for path, data in files.items():
            wheel.writestr(entry(path), data)
    return name


def entry(path: str) -> zipfile.ZipInfo:
    """With a timestamp and permissions that do not depend on who builds it or when."""
    info = zipfile.ZipInfo(path, time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
    return info


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--glibc")
    parser.add_argument("directory")
    asked = parser.parse_args()
    print(build_whole_wheel(asked.directory, asked.library, asked.program, asked.glibc))
