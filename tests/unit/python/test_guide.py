"""docs/reference/python.md describes what exists, and its programs run."""

import inspect
import re

import pytest
from conftest import CHECKOUT, python

import muster
import muster.nccl
from muster import _abi

GUIDE = (CHECKOUT / "docs" / "reference" / "python.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)


def test_every_call_of_a_step_is_in_the_guide() -> None:
    table = GUIDE.partition("## Exchange data between ranks")[2].partition("## NCCL")[0]
    with muster.init() as step:
        public = [name for name in dir(step) if not name.startswith("_") and name != "closed"]
    missing = [name for name in public if not re.search(rf"`{name}\b", table)]
    assert not missing


@pytest.mark.parametrize("function", [muster.init, muster.Step.exchange, muster.Step.broadcast, muster.Step.barrier,
                                      muster.Step.abort], ids=lambda function: function.__name__)
def test_a_signature_in_the_guide_is_the_codes(function) -> None:
    arguments = [parameter for name, parameter in inspect.signature(function).parameters.items() if name != "self"]
    words = ", ".join(parameter.name if parameter.default is parameter.empty else
                      f"{parameter.name}={parameter.default!r}".replace("'", '"') for parameter in arguments)
    assert f"`{function.__name__}({words})`" in GUIDE


def test_nccls_options_in_the_guide_are_the_codes() -> None:
    options = set(inspect.signature(muster.nccl.communicator).parameters) - {"step", "timeout", "config", "fields"}
    assert all(f"`{name}`" in GUIDE for name in options)
    assert "`min_ctas=8`" in GUIDE and "min_ctas" in _abi.CONFIG_NUMBERS


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_of_the_guide_is_python(program: str) -> None:
    compile(program, "docs/reference/python.md", "exec")


def test_the_program_of_a_step_runs() -> None:
    (program,) = (program for program in PROGRAMS if "step.barrier()" in program)
    alone = program.replace("ranks=[0, 1]", "ranks=[0]")
    done = python(alone)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("rank 0 of 1")
