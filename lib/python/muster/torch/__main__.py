"""python -m muster.torch SCRIPT [ARGUMENT]... or -m MODULE [ARGUMENT]...: runs it with env:// served by muster."""

import sys

from muster._program import run

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
    run(words, module=module)


if __name__ == "__main__":
    main()
