"""torch's TCPStore, with the arguments that it has accepted since 1.13."""

import os
from datetime import timedelta
from typing import Any, Callable, Dict, Optional

from torch.distributed import TCPStore

# Up to 2.1 there is only one backend and no such argument.
_TAKES_LIBUV = "use_libuv" in (TCPStore.__init__.__doc__ or "")
_WITHOUT_LIBUV = "without libuv"  # "was build" in 2.6, "was built" later


class Backend:
    """The store's event loop: libuv or torch's own threads."""

    def __init__(self, arguments: Dict[str, Any], may_change: bool) -> None:
        self._arguments = arguments
        self._may_change = may_change

    @classmethod
    def chosen(cls, in_url: Optional[str]) -> "Backend":
        """Chosen by ?use_libuv= in the URL, otherwise by USE_LIBUV as for env://, otherwise torch's default."""
        said = in_url or os.environ.get("USE_LIBUV")
        if not said or not _TAKES_LIBUV:
            return cls({}, may_change=_TAKES_LIBUV)
        return cls({"use_libuv": said == "1"}, may_change=False)

    def make(self, make: Callable[..., TCPStore]) -> TCPStore:
        try:
            return make(**self._arguments)
        except RuntimeError as why:
            # Some builds lack their own default backend.
            if not self._may_change or _WITHOUT_LIBUV not in str(why):
                raise
        return make(use_libuv=False)


def serve(host: str, size: int, backend: Backend, timeout: timedelta) -> TCPStore:
    """Listens on all addresses, on a port that the kernel chose; `host` is this process's own."""
    return backend.make(lambda **more: TCPStore(host, 0, size, True, timeout, wait_for_workers=False, **more))


def connect(host: str, port: int, size: int, backend: Backend, timeout: timedelta) -> TCPStore:
    return backend.make(lambda **more: TCPStore(host, port, size, False, timeout, wait_for_workers=False, **more))
