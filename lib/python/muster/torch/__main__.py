"""python -m muster.torch SCRIPT [ARGUMENT]... or -m MODULE [ARGUMENT]...: runs it with env:// served by muster."""

import os
import runpy
import sys

USAGE = "usage: python -m muster.torch SCRIPT [ARGUMENT]... | -m MODULE [ARGUMENT]..."


def main() -> None:
    words = sys.argv[1:]
    module = words[:1] == ["-m"]
    if module:
        del words[0]
    if not words or words[0].startswith("-"):
        sys.exit(USAGE)
    from muster.torch import serve_env

    serve_env()
    sys.argv = words
    if module:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
