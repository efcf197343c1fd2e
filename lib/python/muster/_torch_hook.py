"""torch 2.5 and newer calls this at the end of `import torch` (entry point torch.backends)."""

import os


def register() -> None:
    """Registers `muster://`, serves env:// if MUSTER_TORCH_ENV=1, and answers `muster dump`. Never makes an import of
    torch fail."""
    import torch

    if not torch.distributed.is_available():
        return
    try:
        from .torch import serve_env

        if os.environ.get("MUSTER_TORCH_ENV") == "1":
            serve_env()
    except Exception as why:
        import warnings

        warnings.warn(f"muster:// is not available: {why}", stacklevel=2)
