"""A double of libmuster for what the real one does not do with one rank on one machine: wait, fail, run on another
node.

It replaces the opened library, so its functions get what ctypes would pass. It counts its calls.
"""

from typing import Callable, Dict, List


class LibraryDouble:
    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.calls: List[str] = []
        self.options: Dict[str, object] = {}  # from the last call that had options, by function
        self.last_error = b""
        self.does: Dict[str, Callable[..., int]] = {}  # by function, in place of success
        self.place = {"rank": rank, "size": size, "procid": rank, "contiguous_rank": rank, "local_rank": rank,
                      "local_size": size, "node_rank": 0, "node_count": 1, "node_name": b"node1", "transport_used": 1}

    def __getattr__(self, name: str):
        if not name.startswith("muster_"):
            raise AttributeError(name)
        what = name[len("muster_"):]
        if what in self.place:
            return lambda handle: self.place[what]
        if what == "last_error":
            return lambda: self.last_error
        return lambda *arguments: self._call(what, arguments)

    def _call(self, what: str, arguments) -> int:
        self.calls.append(what)
        for argument in arguments:
            pointed = getattr(argument, "_obj", None)  # byref()
            if hasattr(pointed, "_fields_"):
                self.options[what] = pointed
        if what in self.does:
            return self.does[what](*arguments)
        if what == "init":
            arguments[0]._obj.value = 1
        return 0

    def fail(self, what: str, status: int, text: str) -> None:
        def failing(*_) -> int:
            self.last_error = text.encode()
            return status

        self.does[what] = failing
