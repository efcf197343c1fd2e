"""Stop requests on the Python side, each in a separate process, because handlers last for the process's life."""

import signal

import pytest
from conftest import python

import muster

HEAD = """
import os, signal, sys, threading
import muster
def send(name): os.kill(os.getpid(), getattr(signal, "SIG" + name))
"""


def runs(program: str, env={}) -> None:
    done = python(HEAD + program, env=env)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


@pytest.mark.parametrize("name", ["USR1", "TERM"])
def test_a_stop_is_requested_by_usr1_and_term(name: str) -> None:
    runs(f"assert muster.stop_requested() is False\nsend({name!r})\n"
         "assert muster.stop_requested() is True and muster.stop_requested() is True")


def test_the_import_alone_leaves_signals_as_they_are() -> None:
    done = python(f"{HEAD}\nsend('TERM')")
    assert done.returncode == -signal.SIGTERM


def test_it_needs_neither_a_step_nor_the_c_library() -> None:
    runs("assert not muster.stop_requested()", env={"MUSTER_LIBRARY": "/nowhere"})


@pytest.mark.parametrize("words", ["'HUP', 'sigusr2'", "signal.SIGHUP, int(signal.SIGUSR2)"])
def test_the_program_names_signals_which_add_up(words: str) -> None:
    runs(f"muster.stop_on({words})\nmuster.stop_on('XCPU')\nsend('HUP'); assert muster.stop_requested()\n"
         "send('USR2'); send('XCPU')\nassert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL")


def test_the_user_names_signals() -> None:
    runs("assert not muster.stop_requested()\nsend('USR2')\nassert muster.stop_requested()\n"
         "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL", env={"MUSTER_STOP_SIGNALS": "usr2,HUP"})


@pytest.mark.parametrize("word", ["KILL", "SEGV", "", "USR1,TERM", 9, 4711, -1])
def test_another_signal_is_an_error_and_nothing_is_installed(word) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    with pytest.raises(muster.Error, match=r"^muster.stop_on\(\): .* is not a signal .* use one or more of HUP, ") as refused:
        muster.stop_on("USR1", word)
    assert refused.value.status == muster.Status.ARGUMENT
    assert signal.getsignal(signal.SIGUSR1) is before


def test_a_wrong_variable_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSTER_STOP_SIGNALS", "USR1;TERM")
    with pytest.raises(muster.Error, match="^MUSTER_STOP_SIGNALS: 'USR1;TERM' is not"):
        muster.stop_on()


def test_an_earlier_handler_of_the_program_still_runs() -> None:
    runs("seen = []\nsignal.signal(signal.SIGUSR1, lambda number, frame: seen.append((number, muster.stop_requested())))\n"
         "muster.stop_on()\nmuster.stop_on()\nsend('USR1')\nassert seen == [(signal.SIGUSR1, True)], seen")


def test_what_an_earlier_handler_raises_reaches_the_program() -> None:
    runs("def leave(number, frame): raise SystemExit(0)\nsignal.signal(signal.SIGTERM, leave)\nmuster.stop_on()\n"
         "send('TERM')\nos._exit(9)")


def test_an_ignored_signal_counts_too() -> None:
    runs("signal.signal(signal.SIGUSR1, signal.SIG_IGN)\nmuster.stop_on()\nsend('USR1')\nassert muster.stop_requested()")


def test_ctrl_c_is_a_request_where_it_is_named() -> None:
    runs("muster.stop_on('INT')\nsend('INT')\nassert muster.stop_requested()")


def test_a_later_handler_replaces_it_and_a_further_call_says_so() -> None:
    runs("muster.stop_on()\nsignal.signal(signal.SIGTERM, lambda *_: None)\nsend('TERM')\n"
         "assert not muster.stop_requested()\n"
         "try: muster.stop_on()\n"
         "except muster.Error as why: assert 'another handler for SIGTERM' in why.text and why.status == muster.Status.STATE\n"
         "else: os._exit(9)")


def test_a_later_handler_that_calls_the_one_before_keeps_it() -> None:
    runs("muster.stop_on()\n"
         "before = signal.signal(signal.SIGTERM, lambda number, frame: before(number, frame))\n"
         "send('TERM')\nassert muster.stop_requested()")


def test_a_thread_cannot_install_it_but_may_ask() -> None:
    runs("said = []\n"
         "def ask():\n"
         "    try: said.append(muster.stop_requested())\n"
         "    except muster.Error as why: said.append(why.status)\n"
         "def in_thread(): thread = threading.Thread(target=ask); thread.start(); thread.join()\n"
         "in_thread(); muster.stop_on(); send('USR1'); in_thread()\n"
         "assert said == [muster.Status.STATE, True], said")


def test_a_main_thread_that_waits_for_a_lock_notices_the_signal() -> None:
    """A loop in another thread, as in some frameworks."""
    runs("muster.stop_on()\n"
         "def loop():\n"
         "    send('USR1')\n"
         "    while not muster.stop_requested(): pass\n"
         "thread = threading.Thread(target=loop); thread.start(); thread.join(30)\nassert not thread.is_alive()")


def test_a_handler_that_python_cannot_call_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda number: None)  # as for a handler of a program that embeds Python
    with pytest.raises(muster.Error, match="SIGUSR2 has a handler that Python did not install"):
        muster.stop_on("USR2")


@pytest.mark.parametrize("how", ["os.fork", "multiprocessing"])
def test_a_forked_child_ends_by_term_as_ever(how: str) -> None:
    if how == "os.fork":
        runs("import time\nmuster.stop_on(); send('USR1')\nchild = os.fork()\n"
             "if child == 0:\n    send('TERM'); os._exit(9)\n"
             "assert os.waitpid(child, 0)[1] == signal.SIGTERM\nassert muster.stop_requested()")
    else:
        runs("import multiprocessing, time\nfork = multiprocessing.get_context('fork')\nmuster.stop_on()\n"
             "up = fork.Event()\ndef work(): up.set(); time.sleep(60)\n"
             "child = fork.Process(target=work); child.start(); up.wait(); child.terminate(); child.join()\n"
             "assert child.exitcode == -signal.SIGTERM and not muster.stop_requested()")


def test_a_forked_child_may_ask_for_itself() -> None:
    runs("muster.stop_on(); send('USR1')\nchild = os.fork()\n"
         "if child == 0:\n"
         "    before = muster.stop_requested(); send('TERM'); os._exit(0 if (before, muster.stop_requested()) == (False, True) else 9)\n"
         "assert os.waitpid(child, 0)[1] == 0")


@pytest.mark.parametrize("name", ["USR1", "USR2", "XCPU"])
def test_a_forked_child_survives_a_signal_that_only_asks_for_a_stop(name: str) -> None:
    """As a DataLoader's worker, where Slurm sends the signal to all processes of the task."""
    runs(f"muster.stop_on('{name}')\nchild = os.fork()\n"
         f"if child == 0:\n    send('{name}'); os._exit(7)\n"
         "assert os.waitpid(child, 0)[1] == 7 << 8")


def test_a_program_that_a_forked_child_executes_does_not_inherit_the_handler() -> None:
    runs("import sys\nmuster.stop_on('USR1')\nchild = os.fork()\n"
         "if child == 0:\n"
         "    os.execv(sys.executable, [sys.executable, '-c',\n"
         "        'import os, signal; os.kill(os.getpid(), signal.SIGUSR1); os._exit(9)'])\n"
         "assert os.waitpid(child, 0)[1] == signal.SIGUSR1")
