"""A build backend (PEP 517) for this package alone: a pure wheel is a zip file with a few lines of text in it."""

import base64
import hashlib
import tarfile
import zipfile
from pathlib import Path
from typing import Dict

HERE = Path(__file__).resolve().parent
VERSION = (HERE / "muster" / "_version.py").read_text().split('"')[-2]
NAME = f"muster-{VERSION}"
WHEEL = "Wheel-Version: 1.0\nGenerator: muster\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
SOURCES = ("METADATA.in", "entry_points.txt", "pyproject.toml", "wheel_builder.py")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    return write_wheel(wheel_directory, modules())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    return write_wheel(wheel_directory, {"muster.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory, config_settings=None) -> str:
    name = f"{NAME}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for file in (*SOURCES, *modules()):
            archive.add(HERE / file, f"{NAME}/{file}")
    return name


def modules() -> Dict[str, bytes]:
    return {str(file.relative_to(HERE)): file.read_bytes() for file in sorted(HERE.glob("muster/**/*.py"))}


def write_wheel(directory, files: Dict[str, bytes]) -> str:
    name, about = f"{NAME}-py3-none-any.whl", f"{NAME}.dist-info"
    files = {**files,
             f"{about}/METADATA": (HERE / "METADATA.in").read_text().replace("@PROJECT_VERSION@", VERSION).encode(),
             f"{about}/WHEEL": WHEEL.encode(),
             f"{about}/entry_points.txt": (HERE / "entry_points.txt").read_bytes()}
    record = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items())
    with zipfile.ZipFile(Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in {**files, f"{about}/RECORD": f"{record}{about}/RECORD,,\n".encode()}.items():
            wheel.writestr(path, data)
    return name


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
