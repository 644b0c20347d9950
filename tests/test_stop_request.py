"""A signal's wish to stop: seen wherever it came, raised once, and never lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from trainyard import stop_request

# The signal comes while Python runs something whose exceptions it drops. Prints what came of the work.
IN_A_FINALISER = """
import os, signal, weakref
from trainyard.cli.interrupts import interruptible
from trainyard.stop_request import look, pause

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass

with interruptible("that was it"):
    {0}
    look()
    print("went on")
"""
PLACES = {
    "a finaliser": "Dropped()",
    "a weak reference's callback": (
        "thing = {1}; kept = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT)); del thing"
    ),
    "the work itself": "os.kill(os.getpid(), signal.SIGINT)",
    "a wait": "import threading; threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start(); pause(300)",
}


@pytest.fixture(autouse=True)
def nobody_has_asked() -> Iterator[None]:
    stop_request.forget()
    yield
    stop_request.forget()


@pytest.mark.parametrize("place", PLACES)
def test_a_press_is_not_lost_wherever_it_comes(place: str):
    script = IN_A_FINALISER.replace("{0}", PLACES[place].replace("{1}", "set()"))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.splitlines() == ["interrupted: that was it"]


@pytest.mark.parametrize("place", [*PLACES, "a call that does not come back"])
def test_what_only_looks_is_ended_wherever_a_press_comes(place: str):
    hanging = (
        "import threading, time; threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start(); time.sleep(300)"
    )
    script = """
import os, signal, weakref
from trainyard.cli.interrupts import endless
from trainyard.stop_request import look, pause

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass

try:
    with endless():
        {0}
        look()
        print("went on")
except KeyboardInterrupt:
    print("ended")
""".replace("{0}", PLACES.get(place, hanging).replace("{1}", "set()"))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_python_drops_of_a_handler_that_raises_is_raised_by_the_next_look(number: signal.Signals, status: int):
    script = f"""
import os, signal, sys
import click
import trainyard.cli
from trainyard.__main__ import main
from trainyard.stop_request import pause

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), {number:d})
        for _ in range(1000):
            pass

def work():
    Dropped()
    pause(300)
    print("went on")

trainyard.cli.trainyard.get_command = lambda *_: click.Command("work", callback=work)

signal.signal(signal.SIGINT, signal.default_int_handler)  # pytest may ignore it
sys.argv = ["trainyard", "work"]
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "\ninterrupted\n")


def test_the_first_look_raises_and_what_cleans_up_then_is_left_alone():
    stop_request.look()
    stop_request.note(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        stop_request.look()
    stop_request.look()
    stop_request.pause(0.01)
    assert stop_request.forget() == signal.SIGINT
    assert stop_request.forget() is None


def test_what_cleans_up_is_left_alone_even_where_nothing_has_looked_yet():
    stop_request.note(signal.SIGINT)
    with stop_request.deferred():
        stop_request.look()
        stop_request.pause(0.01)
    with pytest.raises(KeyboardInterrupt):
        stop_request.look()


def test_a_press_before_long_work_that_python_drops_ends_it_before_it_begins():
    script = """
import os, signal
from trainyard import stop_request
from trainyard.cli.interrupts import interruptible
signal.signal(signal.SIGINT, stop_request.interrupt)

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass

Dropped()
try:
    with interruptible("that was it"):
        print("went on")
except KeyboardInterrupt:
    print("ended")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "ended\n"
    assert "Exception ignored" in done.stderr


def test_a_press_at_the_very_end_is_told_and_ends_loops_of_shells():
    script = """
import os, signal
import click
from trainyard.cli.interrupts import interruptible

@click.command()
def command():
    with interruptible("never said"):
        os.kill(os.getpid(), signal.SIGINT)
    print("the results")
    raise SystemExit(0)

command.main([], standalone_mode=False)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "the results\n")
    assert done.stderr == "interrupted: it was at its end already\n"


def test_nothing_more_is_begun_in_threads_once_somebody_has_asked():
    begun: list[int] = []
    may_end = threading.Event()

    def action(number: int) -> int:
        begun.append(number)
        if number:
            may_end.wait(10)
        return number

    results = stop_request.results_of(action, range(50), 2)
    assert next(results) == 0
    stop_request.note(signal.SIGINT)
    threading.Timer(0.05, may_end.set).start()
    with pytest.raises(KeyboardInterrupt):
        next(results)
    assert len(begun) < 10


def test_only_the_main_thread_is_stopped():
    stop_request.note(signal.SIGTERM)
    with ThreadPoolExecutor() as pool:
        pool.submit(stop_request.look).result()
    with pytest.raises(KeyboardInterrupt):
        stop_request.look()


def test_a_thread_that_only_reads_ends_once_nobody_wants_it():
    wanted = [True]

    def read() -> int:
        with stop_request.while_wanted(lambda: wanted[0]):
            stop_request.look()
            wanted[0] = False
            stop_request.look()
        return 1

    with ThreadPoolExecutor(1) as pool:
        assert isinstance(pool.submit(read).exception(), KeyboardInterrupt)
        pool.submit(stop_request.look).result()


def test_a_wait_for_an_answer_ends_with_the_answer_or_with_the_request():
    future: Future[str] = Future()
    threading.Timer(0.05, future.set_result, ("answer",)).start()
    assert stop_request.result_of(future) == "answer"
    failed: Future[str] = Future()
    failed.set_exception(TimeoutError("its own"))
    with pytest.raises(TimeoutError, match="its own"):
        stop_request.result_of(failed)
    threading.Timer(0.05, stop_request.note, (signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        stop_request.result_of(Future())


def test_what_waits_for_a_program_can_wake_it():
    woken: list[str] = []
    with stop_request.on_request(lambda: woken.append("outer")), stop_request.on_request(lambda: woken.append("inner")):
        stop_request.note(signal.SIGINT)
    stop_request.note(signal.SIGINT)
    assert woken == ["outer", "inner"]


def test_a_pause_takes_its_time():
    before_s = time.monotonic()
    stop_request.pause(0.3)
    assert time.monotonic() - before_s >= 0.3
