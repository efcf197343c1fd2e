"""A step as a Python program sees it: the real library with one rank, and a double where it must wait or fail."""

import ctypes
import os
import pickle
import signal
import threading
import time
from datetime import timedelta

import pytest
from conftest import python
from library_double import LibraryDouble

import muster


def test_a_process_alone_is_rank_0_of_1() -> None:
    with muster.init() as step:
        assert (step.rank, step.size, step.transport) == (0, 1, "single")
        assert step.endpoint(0).node == step.node_name
        assert repr(step) == f"<muster.Step rank 0 of 1 on {step.node_name}, single>"


def test_an_exchange_gives_a_list_by_rank_or_a_dictionary_of_those_asked_for() -> None:
    with muster.init() as step:
        assert step.exchange("names", b"\0here") == [b"\0here"]
        assert step.exchange("names", b"here", [0]) == {0: b"here"}
        assert step.exchange("names", b"here", []) == {}
        assert step.exchange("names") == [b""]
        assert step.exchange("names", memoryview(bytearray(b"view")), [0]) == {0: b"view"}


def test_a_broadcast_needs_no_length() -> None:
    with muster.init() as step:
        for size in (0, 1, 1 << 20):
            assert step.broadcast(b"x" * size) == b"x" * size
        with pytest.raises(muster.Error, match="must pass the data"):
            step.broadcast()


@pytest.mark.parametrize("wrong", [
    lambda step: step.exchange("", b""),
    lambda step: step.exchange("a\0b", b""),
    lambda step: step.exchange("big", bytes((1 << 20) + 1)),
    lambda step: step.exchange("who", b"", [1]),
    lambda step: step.exchange("who", b"", [-1]),
    lambda step: step.exchange("who", b"", [1 << 40]),
    lambda step: step.broadcast(b"", root=1),
    lambda step: step.endpoint(1),
    lambda step: step.barrier(timeout=0),
    lambda step: step.abort(0, "nothing"),
    lambda step: muster.init(transport="pigeon"),
    lambda step: muster.init(numbering="backwards"),
], ids=range(12))
def test_a_wrong_argument_is_refused_and_the_step_goes_on(wrong) -> None:
    with muster.init() as step:
        with pytest.raises(muster.Error) as refused:
            wrong(step)
        assert refused.value.status == muster.Status.ARGUMENT
        assert "\n" not in refused.value.text
        step.barrier()


def test_a_number_is_no_data() -> None:
    with muster.init() as step, pytest.raises(TypeError):
        step.exchange("five zeros?", 5)


def test_a_process_is_in_its_step_once_at_a_time() -> None:
    with muster.init() as step:
        with pytest.raises(muster.Error) as refused:
            muster.init()
        assert refused.value.status == muster.Status.STATE
        assert muster.current() is step
    assert muster.current() is None
    for _ in range(3):
        muster.init().close()


def test_a_step_that_was_left_says_so_and_still_knows_its_rank() -> None:
    step = muster.init()
    step.close()
    step.close()
    assert (step.closed, step.rank) == (True, 0)
    with pytest.raises(muster.Error, match="has been left") as refused:
        step.barrier()
    assert refused.value.status == muster.Status.STATE


def test_a_forgotten_step_is_left() -> None:
    muster.init()  # no reference is kept
    muster.init().close()


def test_an_error_inside_the_block_is_the_one_that_is_seen(double: LibraryDouble) -> None:
    double.fail("finalize", 10, "PMIx failed")
    with pytest.raises(ZeroDivisionError), muster.init():
        1 / 0
    assert double.calls.count("finalize") == 1


@pytest.mark.parametrize(("status", "kinds"), [
    (6, (muster.Timeout, TimeoutError)), (7, (muster.PeerError, ConnectionError)), (8, (muster.Error,)), (99, (muster.Error,))])
def test_errors_can_be_told_apart_and_travel_between_processes(double: LibraryDouble, status: int, kinds) -> None:
    double.fail("barrier", status, "barrier: rank 3 (node2) is missing after 5.0 s")
    step = muster.init()
    with pytest.raises(muster.Error, match="rank 3") as failed:
        step.barrier()
    assert all(isinstance(failed.value, kind) for kind in kinds)
    assert str(pickle.loads(pickle.dumps(failed.value))) == str(failed.value)


def test_timeouts_reach_the_library_in_milliseconds(double: LibraryDouble) -> None:
    seen = []
    double.does["barrier"] = lambda handle, timeout: seen.append(timeout) or 0
    with muster.init(timeout=timedelta(minutes=1), transport="pmix", numbering="contiguous") as step:
        step.barrier()
        step.barrier(2.5)
    options = double.options["init"]
    assert (options.size, options.timeout_ms, options.transport, options.numbering) == (
        ctypes.sizeof(options), 60_000, 1, 2)
    assert seen == [-1, 2500]


def test_ctrl_c_ends_a_wait_at_once_and_nobody_else_enters_it(double: LibraryDouble) -> None:
    release = threading.Event()
    double.does["barrier"] = lambda handle, timeout: release.wait(20) and 0
    step = muster.init()
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        step.barrier()
    assert time.monotonic() - started < 5
    with pytest.raises(muster.Error, match="Ctrl-C has left one running") as busy:
        step.barrier()
    assert busy.value.status == muster.Status.BUSY
    release.set()
    while any(thread.name == "muster" for thread in threading.enumerate()):
        time.sleep(0.01)
    step.close()


def test_a_second_thread_is_refused_while_the_first_waits(double: LibraryDouble) -> None:
    inside, release = threading.Event(), threading.Event()
    double.does["barrier"] = lambda handle, timeout: inside.set() or (release.wait(20) and 0)
    step = muster.init()
    first = threading.Thread(target=step.barrier)
    first.start()
    assert inside.wait(10)
    with pytest.raises(muster.Error) as busy:
        step.exchange("x")
    release.set()
    first.join()
    assert busy.value.status == muster.Status.BUSY
    assert "exchange" not in double.calls


def test_no_thread_is_left_after_a_call() -> None:
    before = threading.active_count()
    with muster.init() as step:
        step.barrier()
        assert threading.active_count() == before


def test_a_forked_child_closes_nothing_and_its_calls_are_errors() -> None:
    done = python("""
import os, sys, muster
step = muster.init()
if os.fork() == 0:
    assert muster.current() is None
    try:
        step.barrier()
    except muster.Error as why:
        print(why.status.name, why, flush=True)
    step.close()
    sys.exit(0)          # runs the interpreter's own end, with its finalizers
os.wait()
step.barrier()
print("parent goes on")
""")
    assert done.stdout.splitlines() == [
        "STATE this process was forked from rank 0 and is not a rank itself: call from the parent", "parent goes on"], done.stderr


def test_workers_of_multiprocessing_leave_the_step_alone() -> None:
    done = python("""
import multiprocessing, muster
step = muster.init()
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
step.barrier()
print("parent goes on")
""")
    assert done.stdout.splitlines() == ["[1, 2]", "parent goes on"], done.stderr
    assert done.stderr == ""


def test_the_interpreter_leaves_the_step_at_its_end() -> None:
    done = python("""
import sys
sys.path.insert(0, %r)
from library_double import LibraryDouble
from muster import _library
import muster
double = _library._loaded = LibraryDouble()
double.does["finalize"] = lambda *arguments: print("left within", arguments[1], "ms") or 0
step = muster.init()
print("end")
""" % os.path.dirname(__file__))
    assert done.stdout.splitlines() == ["end", "left within 10000 ms"], done.stderr
    assert done.stderr == ""


def test_an_abort_loses_no_output_and_ends_with_its_code() -> None:
    done = python("import muster; print('last words'); muster.init().abort(42, 'loss is\\nNaN')")
    assert (done.returncode, done.stdout) == (42, "last words\n")
    assert "ends the step: loss is NaN" in done.stderr.splitlines()[0]
