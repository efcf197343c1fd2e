"""The ctypes declarations match the header, as a C compiler reads it."""

import json
import re
import subprocess

import pytest
from conftest import BUILD, CHECKOUT

import muster
from muster import _abi

HEADER = (CHECKOUT / "lib" / "worker" / "include" / "muster" / "muster.h").read_text()


@pytest.fixture(scope="module")
def facts() -> dict:
    program = BUILD / "tests" / "unit" / "python" / "abi_facts"
    return json.loads(subprocess.run([program], capture_output=True, check=True).stdout)


@pytest.mark.parametrize("name", _abi.STRUCTURES)
def test_a_structure_has_the_size_and_the_offsets_of_the_header(facts: dict, name: str) -> None:
    import ctypes

    ours, theirs = _abi.STRUCTURES[name], facts["structures"][name]
    assert ctypes.sizeof(ours) == theirs["size"]
    found = {field: [getattr(ours, field).offset, getattr(ours, field).size] for field, _ in ours._fields_}
    assert found == theirs["fields"]


def test_every_structure_of_the_header_is_compared(facts: dict) -> None:
    assert set(re.findall(r"^\} (muster_\w+);", HEADER, re.MULTILINE)) - {
        "muster_status", "muster_transport", "muster_numbering"} == set(facts["structures"]) == set(_abi.STRUCTURES)


def test_the_numbers_are_those_of_the_header(facts: dict) -> None:
    numbers = facts["numbers"]
    assert _abi.TRANSPORTS == {name: numbers[f"MUSTER_TRANSPORT_{name.upper()}"] for name in _abi.TRANSPORTS}
    assert _abi.NUMBERINGS == {name: numbers[f"MUSTER_RANKS_{name.upper()}"] for name in _abi.NUMBERINGS}
    for name in ("DEFAULT", "UNSET", "NCCL_ID_BYTES", "NCCL_SHARED_GPU", "NCCL_IDS_ONLY", "SPLIT_NODE", "SPLIT_NONE"):
        assert getattr(_abi, name) == numbers[f"MUSTER_{name}"], name


def test_every_status_has_its_name() -> None:
    named = {name: int(number) for name, number in re.findall(r"MUSTER_ERR_(\w+) = (\d+)", HEADER)}
    assert named == {status.name: status.value for status in muster.Status}


def test_every_function_is_declared_and_the_library_has_it() -> None:
    import ctypes

    from muster._library import library

    exported = set(re.findall(r"^MUSTER_API [\w ]+\*?(muster_\w+)\(", HEADER, re.MULTILINE))
    assert exported == set(_abi.FUNCTIONS)
    assert type(library()) is ctypes.CDLL, "another kind would keep the GIL"


def test_the_package_the_library_and_the_header_are_one_release(facts: dict) -> None:
    from muster._library import library

    numbers = [facts["numbers"][f"MUSTER_VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH")]
    assert muster.__version__ == ".".join(map(str, numbers))
    assert library().muster_version() == numbers[0] * 10000 + numbers[1] * 100 + numbers[2]
