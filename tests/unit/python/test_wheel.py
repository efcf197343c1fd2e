"""What pip builds from the package, without a network."""

import base64
import hashlib
import importlib.util
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import BUILD, CHECKOUT

import muster

SOURCE = CHECKOUT / "lib" / "python"


@pytest.fixture(scope="module")
def builder():
    spec = importlib.util.spec_from_file_location("wheel_builder", SOURCE / "wheel_builder.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_wheel_has_every_module_and_a_record_that_is_right(builder, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / builder.build_wheel(tmp_path)) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}
    about = f"muster-{muster.__version__}.dist-info"
    assert {name for name in files if name.endswith(".py")} == {
        str(file.relative_to(SOURCE)) for file in SOURCE.glob("muster/**/*.py")}
    recorded = dict(line.split(",", 1) for line in files.pop(f"{about}/RECORD").decode().splitlines())
    assert recorded.pop(f"{about}/RECORD") == ","
    assert recorded == {name: f"sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},{len(data)}"
                        for name, data in files.items()}
    assert f"Version: {muster.__version__}\n" in files[f"{about}/METADATA"].decode()


def test_cmake_and_pip_tell_the_same_of_the_package(builder, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / builder.build_wheel(tmp_path)) as wheel:
        for file in ("METADATA", "entry_points.txt"):
            about = f"muster-{muster.__version__}.dist-info/{file}"
            assert wheel.read(about) == (BUILD / "share" / "muster" / "python" / about).read_bytes()


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Without debug information, as packaging/build packages them."""
    stripped = {name: tmp_path_factory.mktemp("stripped") / name for name in ("library", "program")}
    for name, file in {"library": "lib/worker/libmuster.so.0", "program": "launcher/muster"}.items():
        subprocess.run(["strip", "--strip-unneeded", "-o", stripped[name], BUILD / file], check=True)
    return stripped


@pytest.fixture(scope="module")
def newest(binaries) -> int:
    """The N of the newest version of glibc, 2.N, that the binaries need."""
    symbols = subprocess.run(["readelf", "--version-info", *binaries.values()], capture_output=True, text=True, check=True)
    return max(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", symbols.stdout))


def test_a_whole_wheel_has_the_library_the_program_and_its_profiles(builder, binaries, newest: int, tmp_path: Path) -> None:
    name = builder.build_whole_wheel(tmp_path, **binaries)
    tag = f"py3-none-manylinux_2_{newest}_{platform.machine()}"
    assert name == f"muster-{muster.__version__}-{tag}.whl"
    data = f"muster-{muster.__version__}.data"
    with zipfile.ZipFile(tmp_path / name) as wheel:
        text = wheel.read(f"muster-{muster.__version__}.dist-info/WHEEL").decode()
        assert wheel.read("muster/libmuster.so.0") == binaries["library"].read_bytes()
        assert wheel.read(f"{data}/scripts/muster") == binaries["program"].read_bytes()
        assert wheel.getinfo(f"{data}/scripts/muster").external_attr >> 16 == 0o100755
        profiles = {file for file in wheel.namelist() if file.startswith(data) and file.endswith(".yaml")}
    assert f"Tag: {tag}\n" in text
    assert "Root-Is-Purelib: false\n" in text
    installed = re.findall(r"^  (profiles/\w+\.yaml)$", (CHECKOUT / "config" / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert profiles == {f"{data}/data/share/muster/{file}" for file in installed}


def test_a_symbol_that_the_promised_glibc_does_not_have_is_an_error_with_its_name(builder, binaries, newest: int) -> None:
    files = tuple(binaries.values())
    for promised in (newest, newest + 1):
        assert builder.platform_tag(files, f"2.{promised}").startswith(f"manylinux_2_{promised}_")
    with pytest.raises(SystemExit, match=rf"needs symbols that glibc 2.{newest - 1} does not have: .*\w+ \(2.{newest}\)"):
        builder.platform_tag(files, f"2.{newest - 1}")


def test_the_tag_names_the_machine_that_the_files_are_for(builder, binaries, tmp_path: Path) -> None:
    assert {builder.machine_of(file) for file in binaries.values()} == {platform.machine()}
    other = {"x86_64": 183}.get(platform.machine(), 62)
    foreign = tmp_path / "library"
    data = bytearray(binaries["library"].read_bytes())
    data[18:20] = other.to_bytes(2, "little")
    foreign.write_bytes(data)
    assert builder.machine_of(foreign) == builder.MACHINES[other]
    with pytest.raises(SystemExit, match="are for different machines"):
        builder.platform_tag((binaries["program"], foreign), None)


def test_two_wheels_of_the_same_sources_are_the_same(builder, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made.append((tmp_path / name / builder.build_wheel(tmp_path / name)).read_bytes())
    assert made[0] == made[1]


@pytest.mark.skipif("not __import__('importlib').util.find_spec('pip')", reason="no pip for this python3")
def test_pip_installs_it_without_a_network(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-cache-dir", "--target", tmp_path]
    done = subprocess.run([*map(str, pip), SOURCE], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "muster" / "torch" / "rendezvous.py").exists()
