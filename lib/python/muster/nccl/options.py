"""Makes muster_nccl_options from Python's arguments."""

import ctypes
from typing import Optional

from .. import _abi
from .._duration import Duration, milliseconds
from ..errors import Error, Status
from . import torch_libraries


def options_of(timeout: Optional[Duration], *, roots: Optional[int] = None, ranks_per_root: Optional[int] = None,
               generation: int = 0, device: Optional[int] = None, cuda_version: Optional[int] = None,
               shared_gpu: bool = False, config: Optional[int] = None, **fields) -> _abi.NcclOptions:
    torch_libraries.name_library()
    options = _abi.NcclOptions(size=ctypes.sizeof(_abi.NcclOptions), timeout_ms=milliseconds(timeout))
    for name, value in (("roots", roots), ("ranks_per_root", ranks_per_root), ("device", device)):
        setattr(options, name, _abi.DEFAULT if value is None else _within(name, value, 31))
    options.generation = _within("generation", generation, 32)
    options.cuda_version = torch_libraries.cuda_version() if cuda_version is None else _within("cuda_version", cuda_version, 31)
    options.flags = _abi.NCCL_SHARED_GPU if shared_gpu else 0
    options.config = config
    for name in _abi.CONFIG_NUMBERS:
        setattr(options, name, _within(name, fields.pop(name), 31) if name in fields else _abi.UNSET)
    for name in _abi.CONFIG_TEXTS:
        text = fields.pop(name, None)
        setattr(options, name, None if text is None else text.encode())
    if fields:
        known = ", ".join(_abi.CONFIG_NUMBERS + _abi.CONFIG_TEXTS)
        raise Error(Status.ARGUMENT,
                    f"{', '.join(fields)}: not a known field of ncclConfig_t: use {known}")
    return options


def _within(name: str, value: int, bits: int) -> int:
    """Checks the range, because ctypes would silently truncate a number that is too large."""
    if not 0 <= value < 1 << bits:
        raise Error(Status.ARGUMENT, f"{name} is {value}: use 0 or more, and less than 2**{bits}")
    return value
