"""Finding libmuster, and one clear error line if it cannot be found."""

import shutil
from pathlib import Path

import pytest
from conftest import BUILD

import muster
from muster import _library
from muster._library import NAME, find, opened

REAL = BUILD / "lib" / "worker" / NAME


@pytest.fixture(autouse=True)
def not_in_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_library, "_known_to_loader", lambda: False)


def put(place: Path) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(REAL, place / NAME))


def package(prefix: Path) -> Path:
    folder = prefix / "share" / "muster" / "python" / "muster"
    folder.mkdir(parents=True)
    return folder


def test_the_variable_goes_before_everything(tmp_path: Path) -> None:
    here = package(tmp_path)
    put(here)
    assert find({"MUSTER_LIBRARY": "/elsewhere.so"}, here) == "/elsewhere.so"


@pytest.mark.parametrize("place", ["share/muster/python/muster", "lib/worker", "lib", "lib64"])
def test_it_is_found_beside_the_package_and_in_its_prefix(tmp_path: Path, place: str) -> None:
    here = package(tmp_path)
    real = put(tmp_path / place)
    assert find({}, here) == str(real)


def test_a_package_in_a_checkout_finds_the_build_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "python" / "muster"
    folder.mkdir(parents=True)
    real = put(tmp_path / "build" / "lib" / "worker")
    assert find({}, folder) == str(real)


def test_a_package_that_is_a_link_finds_the_prefix_that_it_leads_to(tmp_path: Path) -> None:
    real = put(tmp_path / "lib")
    link = tmp_path / "elsewhere" / "lib" / "python3" / "dist-packages" / "muster"
    link.parent.mkdir(parents=True)
    link.symlink_to(package(tmp_path))
    assert find({}, link) == str(real)


def test_the_prefix_of_the_program_on_path_comes_last(tmp_path: Path) -> None:
    program = tmp_path / "site" / "bin" / "muster"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    put(tmp_path / "site" / "lib")
    here = package(tmp_path / "prefix")
    environment = {"PATH": f"/usr/bin:{program.parent}"}
    assert find(environment, here) == str(tmp_path / "site" / "lib" / NAME)
    nearer = put(tmp_path / "prefix" / "lib")
    assert find(environment, here) == str(nearer)


def test_a_library_that_is_nowhere_is_one_line_that_says_where_it_could_be(tmp_path: Path) -> None:
    with pytest.raises(muster.Error) as missing:
        find({"PATH": ""}, package(tmp_path))
    assert missing.value.status == muster.Status.LIBRARY
    assert "install muster, or set MUSTER_LIBRARY to its path" in str(missing.value)
    assert "\n" not in str(missing.value)


def test_a_file_that_is_no_library_is_told_by_name(tmp_path: Path) -> None:
    text = tmp_path / NAME
    text.write_text("hello\n")
    with pytest.raises(muster.Error, match=f"{text} cannot be opened: .*; set MUSTER_LIBRARY") as refused:
        opened(str(text))
    assert refused.value.status == muster.Status.LIBRARY


def test_another_library_is_told_by_name() -> None:
    with pytest.raises(muster.Error, match="libc.so.6 is not muster's library: .*muster_version"):
        opened("libc.so.6")


MAJOR, MINOR, _ = map(int, muster.__version__.split("."))
OWN = 10000 * MAJOR + 100 * MINOR


@pytest.mark.parametrize(("release", "fits"), [(OWN - 1, False), (OWN, True), (OWN + 2, True), (OWN + 100, True),
                                               (OWN + 10000, False)])
def test_an_older_release_and_another_major_are_refused(release: int, fits: bool) -> None:
    if fits:
        _library._check_version("it", release)
        return
    with pytest.raises(muster.Error, match=f"it is release .*, but this package needs {MAJOR}.{MINOR} or newer"):
        _library._check_version("it", release)
