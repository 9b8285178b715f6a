"""What is told while a search runs, and that the keyboard ends it where its counts are whole."""

import io
import os
import re
import signal

import pytest

from fencebench.checker.cli.progress import Progress, interruptible, watcher
from fencebench.checker.fast import Options, explore
from fencebench.checker.search.limits import INTERRUPTED
from fencebench.checker.search.result import Verdict
from tests.toys import counters

LINE = r"mine: depth 7, 1,000 states, [\d,]+ states/s, frontier 250, memory \d+\.\d\d GiB"


def test_a_line_tells_depth_states_rate_frontier_and_memory() -> None:
    assert re.fullmatch(LINE, Progress("mine").line(1000, 250, 7))


def test_the_share_is_told_once_the_frontier_has_halved_and_is_right_for_one_that_shrinks_evenly() -> None:
    told, states, waiting = Progress("mine"), 0, 1
    while waiting < 4096:
        states, waiting = states + waiting, 2 * waiting
        assert "done" not in told.line(states, waiting, 0)
    total = states + 2 * waiting - 1
    while waiting:
        states, waiting = states + waiting, waiting // 2
        assert f", about {states / total:.0%} done" in told.line(states, waiting, 0)
    assert states == total


def test_a_search_that_counts_none_waiting_has_no_share() -> None:
    assert "done" not in Progress("mine").line(1000, 0, 7)


@pytest.mark.parametrize("live", [False, True])
def test_lines_are_live_on_a_terminal_only(live: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    errors = io.StringIO()
    monkeypatch.setattr(errors, "isatty", lambda: live)
    monkeypatch.setattr("sys.stderr", errors)
    now = iter(range(0, 1000, 7))
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    watch = watcher("mine")
    for _ in range(8):
        watch(1000, 250, 7)
    told = re.findall(r"\r\x1b\[K" + LINE if live else LINE + r"\n", errors.getvalue())
    assert len("".join(told)) == len(errors.getvalue())
    assert len(told) == (8 if live else 1)


@pytest.mark.parametrize("small_states", [0, 30_000])
def test_ctrl_c_ends_a_search_with_its_counts(small_states: int) -> None:
    def press(states: int, waiting: int, depth: int) -> None:
        if depth == 3:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)  # ignored where the shell runs the tests in the background
    with interruptible(press) as watch:
        result = explore(counters(2, 6, 30, 0), watch=watch, options=Options(small_states=small_states))
    assert (result.verdict, result.limit, result.depth) == (Verdict.UNDETERMINED, INTERRUPTED, 3)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_does_not_wait() -> None:
    def press_twice() -> None:
        with interruptible(lambda *_: None):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        press_twice()
