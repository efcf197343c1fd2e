"""A build backend (PEP 517) for this package alone: a wheel is a zip file with a few lines of text in it.

pip makes a pure wheel, which looks for libmuster.so on the machine. `python3 wheel_builder.py LIBRARY DIRECTORY` makes
one with the library in it (packaging/build wheel). Its tag says which glibc the library needs.
"""

import base64
import hashlib
import os
import platform
import re
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Dict

HERE = Path(__file__).resolve().parent
VERSION = (HERE / "muster" / "_version.py").read_text().split('"')[-2]
NAME = f"muster-{VERSION}"
SOURCES = ("METADATA.in", "entry_points.txt", "pyproject.toml", "wheel_builder.py")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    return write_wheel(wheel_directory, modules(), "any")


def build_editable(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    return write_wheel(wheel_directory, {"muster.pth": f"{HERE}\n".encode()}, "any")


def build_wheel_with(library: Path, wheel_directory) -> str:
    data = library.read_bytes()
    return write_wheel(wheel_directory, {**modules(), "muster/libmuster.so.0": data}, platform_tag(data))


def platform_tag(library: bytes) -> str:
    """Of PEP 600: the newest of glibc's symbol versions that the library names."""
    needed = max(int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)", library))
    return f"manylinux_2_{needed}_{platform.machine()}"


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
    """With a time and permissions that do not depend on who builds it, and when."""
    info = zipfile.ZipInfo(path, time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16
    return info


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel_with(Path(sys.argv[1]), sys.argv[2]))
