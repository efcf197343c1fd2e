"""Runs a program inside this process, as python itself would."""

import os
import runpy
import sys
from typing import List


def run(words: List[str], *, module: bool) -> None:
    """words: the script or the module, followed by its arguments. Returns when it ends; its exceptions propagate."""
    sys.argv = list(words)
    if module:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name="__main__")
