"""What torch comes with: the libnccl that pip installed, and the CUDA version it was built for. Never imports torch."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Optional

LIBRARY = "MUSTER_NCCL_LIBRARY"


def cuda_version() -> int:
    """12080 for CUDA 12.8. 0 if torch is not imported (importing it takes seconds) or was built without CUDA."""
    said = getattr(getattr(sys.modules.get("torch"), "version", None), "cuda", None)
    if not said:
        return 0
    major, minor = (int(part) for part in said.split(".")[:2])
    return major * 1000 + minor * 10


def name_library() -> None:
    """Makes libmuster use torch's libnccl: one process must not have two."""
    if LIBRARY not in os.environ:
        beside_torch = library()
        if beside_torch is not None:
            os.environ[LIBRARY] = str(beside_torch)


def library() -> Optional[Path]:
    """The libnccl that pip installed with torch. Finds torch without importing it."""
    try:
        torch = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return None
    if torch is None or not torch.origin:
        return None
    path = Path(torch.origin).parent.parent / "nvidia" / "nccl" / "lib" / "libnccl.so.2"
    return path if path.exists() else None
