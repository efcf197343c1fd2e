"""muster.nccl before it reaches NCCL: options, torch's own library, the order of shutdown."""

import ctypes
import sys
import types
from pathlib import Path

import pytest
from library_double import LibraryDouble

import muster
import muster.nccl
from muster import _abi


@pytest.fixture
def nccl(double: LibraryDouble) -> LibraryDouble:
    handles = iter(range(0x1000, 0x9000, 0x100))

    def make(*arguments) -> int:
        arguments[-1]._obj.value = next(handles)
        return 0

    def end(*arguments) -> int:
        arguments[1]._obj.value = None
        return 0

    double.does.update(nccl_init=make, nccl_split=make, nccl_destroy=end, nccl_abort=end)
    return double


def test_defaults_are_the_headers(nccl: LibraryDouble) -> None:
    with muster.init() as step, muster.nccl.communicator(step) as world:
        assert world.handle == 0x1000
    options = nccl.options["nccl_init"]
    assert options.size == ctypes.sizeof(_abi.NcclOptions)
    assert (options.timeout_ms, options.roots, options.ranks_per_root, options.device) == (-1, -1, -1, -1)
    assert (options.generation, options.cuda_version, options.flags, options.config) == (0, 0, 0, None)
    assert {getattr(options, name) for name in _abi.CONFIG_NUMBERS} == {_abi.UNSET}
    assert {getattr(options, name) for name in _abi.CONFIG_TEXTS} == {None}


def test_options_and_fields_of_the_configuration_are_passed_on(nccl: LibraryDouble) -> None:
    with muster.init() as step:
        muster.nccl.communicator(step, timeout=2, roots=3, generation=7, device=1, shared_gpu=True, min_ctas=8,
                                 net_name="Socket").close()
    options = nccl.options["nccl_init"]
    assert (options.timeout_ms, options.roots, options.generation, options.device) == (2000, 3, 7, 1)
    assert (options.flags, options.min_ctas, options.net_name) == (_abi.NCCL_SHARED_GPU, 8, b"Socket")


def test_an_unknown_field_is_refused_by_name(nccl: LibraryDouble) -> None:
    with muster.init() as step, pytest.raises(muster.Error, match="min_cats: not a known field of ncclConfig_t.* min_ctas"):
        muster.nccl.communicator(step, min_cats=8)
    assert "nccl_init" not in nccl.calls


@pytest.mark.parametrize("wrong", [{"generation": -1}, {"generation": 1 << 32}, {"min_ctas": 1 << 40}, {"device": -7}])
def test_a_number_that_does_not_fit_is_refused_and_not_cut(nccl: LibraryDouble, wrong) -> None:
    with muster.init() as step, pytest.raises(muster.Error, match=f"{next(iter(wrong))} is .*: use 0 or more"):
        muster.nccl.communicator(step, **wrong)


def test_a_split_is_a_communicator_and_a_rank_without_colour_has_none(nccl: LibraryDouble) -> None:
    with muster.init() as step, muster.nccl.communicator(step) as world:
        with world.split_by_node() as node:
            assert node.handle != world.handle
        nccl.does["nccl_split"] = lambda *_: 0
        assert world.split(muster.nccl.NONE) is None


@pytest.mark.parametrize(("status", "gone"), [(6, True), (11, True), (1, False)])
def test_a_wait_that_ends_a_communicator_leaves_nothing_to_close(nccl: LibraryDouble, status: int, gone: bool) -> None:
    with muster.init() as step:
        world = muster.nccl.communicator(step)
        nccl.fail("nccl_wait", status, "why")
        with pytest.raises(muster.Error, match="why"):
            world.wait()
        world.close()
    assert ("nccl_destroy" in nccl.calls) != gone
    assert "nccl_abort" not in nccl.calls


def test_a_step_closes_what_was_made_from_it_first(nccl: LibraryDouble) -> None:
    step = muster.init()
    world = muster.nccl.communicator(step)
    step.close()
    assert nccl.calls[-2:] == ["nccl_destroy", "finalize"]
    with pytest.raises(muster.Error, match="is closed"):
        _ = world.handle


def test_an_error_aborts_communicators_without_their_peers(nccl: LibraryDouble) -> None:
    with pytest.raises(ZeroDivisionError), muster.init() as step, muster.nccl.communicator(step):
        1 / 0
    assert "nccl_abort" in nccl.calls and "nccl_destroy" not in nccl.calls


def test_a_forgotten_communicator_is_torn_down_before_its_step(nccl: LibraryDouble) -> None:
    step = muster.init()
    muster.nccl.communicator(step)
    assert nccl.calls[-1] == "nccl_abort"
    step.close()


def test_ids_come_one_by_one(double: LibraryDouble) -> None:
    def two(handle, options, buffer, capacity, count) -> int:
        assert capacity == 2
        ctypes.memmove(buffer, b"a" * 128 + b"b" * 128, 256)
        count._obj.value = 2
        return 0

    double.place["size"] = 200
    double.does["nccl_ids"] = two
    with muster.init() as step:
        assert muster.nccl.ids(step, check_gpus=False) == [b"a" * 128, b"b" * 128]
    assert double.options["nccl_ids"].flags == _abi.NCCL_IDS_ONLY


@pytest.fixture
def torch_beside_nccl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise AssertionError('must not be imported')\n")
    library = tmp_path / "nvidia" / "nccl" / "lib" / "libnccl.so.2"
    library.parent.mkdir(parents=True)
    library.write_text("")
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return library


def test_the_nccl_that_pip_put_beside_torch_is_used_and_torch_is_not_imported(
        double: LibraryDouble, torch_beside_nccl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setattr(os, "environ", dict(os.environ))
    muster.nccl.version()
    assert os.environ["MUSTER_NCCL_LIBRARY"] == str(torch_beside_nccl)
    os.environ["MUSTER_NCCL_LIBRARY"] = "mine"
    muster.nccl.version()
    assert os.environ["MUSTER_NCCL_LIBRARY"] == "mine"


@pytest.mark.parametrize(("said", "expected"), [("12.8", 12080), ("13.0", 13000), (None, 0)])
def test_torchs_cuda_is_what_drivers_are_checked_for(
        nccl: LibraryDouble, monkeypatch: pytest.MonkeyPatch, said, expected: int) -> None:
    torch = types.ModuleType("torch")
    torch.__spec__ = None
    torch.version = types.SimpleNamespace(cuda=said)
    monkeypatch.setitem(sys.modules, "torch", torch)
    with muster.init() as step:
        muster.nccl.communicator(step)
        assert nccl.options["nccl_init"].cuda_version == expected
        muster.nccl.communicator(step, cuda_version=11080)
        assert nccl.options["nccl_init"].cuda_version == 11080
