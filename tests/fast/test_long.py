"""Long searches: limits, memory, files, checkpoints. None of them may change an answer."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from fencebench.checker.fast import Options, explore
from fencebench.checker.fast.checkpoint_file import CheckpointError
from fencebench.checker.fast.large import LargeSearch
from fencebench.checker.fast.layers import Layer, Room, Run, merged
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.search.limits import FIRST, INTERRUPTED, Clock, Limits
from fencebench.checker.search.result import Verdict
from fencebench.checker.tables.known import Known
from fencebench.model.machine import Event, Machine, Step, Witness, tabled
from tests.quick import thorough
from tests.toys import TOYS, counters, machines, told

ROOT = Path(__file__).parents[2]
LARGE = Options(symmetry=False, small_states=0)
SOUND = counters(2, 6, 30, 0)


@pytest.mark.parametrize("options", [Options(symmetry=False), LARGE], ids=["small", "large"])
def test_a_limit_of_states_is_never_a_pass(options: Options) -> None:
    sound = replace(SOUND, properties=())
    states = plain(sound).states
    enough = explore(sound, Limits(max_states=states), options=options)
    short = explore(sound, Limits(max_states=states - 1), options=options)
    assert (enough.verdict, enough.limit, enough.states) == (Verdict.HOLDS, None, states)
    assert (short.verdict, str(short.limit)) == (Verdict.UNDETERMINED, f"{states - 1} states")


@pytest.mark.parametrize("options", [Options(), LARGE], ids=["small", "large"])
def test_no_time_is_never_a_pass(options: Options) -> None:
    result = explore(replace(SOUND, properties=()), Limits(max_seconds=0), options=options)
    assert (result.verdict, str(result.limit)) == (Verdict.UNDETERMINED, "0 seconds")


@pytest.mark.parametrize("options", [Options(), LARGE], ids=["small", "large"])
def test_the_first_violation_is_a_cheapest_one(options: Options) -> None:
    machine = counters(2, 3, 4, 2)
    everything, first = plain(machine).findings, explore(machine, Limits(stop_at="first"), options=options)
    best = min((f.faults, f.steps) for f in everything.values())
    assert dict(first.findings) == {n: f for n, f in everything.items() if (f.faults, f.steps) == best}
    assert first.limit == FIRST
    assert first.states < explore(machine, options=options).states


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(machines())
def test_stopping_first_finds_every_cheapest_violation(machine: Machine) -> None:
    everything = plain(machine).findings
    best = min(((f.faults, f.steps) for f in everything.values()), default=None)
    cheapest = {n: f for n, f in everything.items() if (f.faults, f.steps) == best}
    for options in (Options(symmetry=False), LARGE):
        first = explore(machine, Limits(stop_at="first"), options=options)
        assert {n: first.findings.get(n) for n in cheapest} == cheapest
        assert not first.limit or set(first.findings) == set(cheapest)


@pytest.mark.parametrize("options", [Options(), LARGE], ids=["small", "large"])
def test_an_interrupt_leaves_the_counts(options: Options) -> None:
    def interrupt(states: int, waiting: int, depth: int) -> None:
        if depth == 3:
            raise KeyboardInterrupt

    result = explore(replace(SOUND, properties=()), watch=interrupt, options=options)
    assert (result.verdict, result.limit, result.depth) == (Verdict.UNDETERMINED, INTERRUPTED, 3)


def test_memory_that_does_not_suffice_stops_the_search() -> None:
    result = explore(replace(SOUND, properties=()), options=replace(LARGE, max_bytes=100))
    assert (result.verdict, str(result.limit)) == (Verdict.UNDETERMINED, "0 MiB of memory")


def test_files_serve_where_memory_does_not(tmp_path: Path) -> None:
    machine = counters(2, 4, 6, 2)
    assert told(explore(machine, options=replace(LARGE, max_bytes=100, spill=tmp_path))) == told(plain(machine))
    assert not [*tmp_path.iterdir()]


def test_a_full_disk_ends_the_search_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.posix_fallocate", full, raising=False)
    result = explore(counters(2, 4, 6, 2), options=replace(LARGE, max_bytes=100, spill=tmp_path))
    assert str(result.limit) == f"memory, and {tmp_path} has no room for files (No space left on device)"


def test_a_search_in_files_holds_no_words_in_memory(tmp_path: Path) -> None:
    machine = counters(3, 12, 60, 0)
    clock = Clock(Limits(), lambda *_: None)
    search = LargeSearch(Known(machine).relation, machine.initial, clock, False, Room(100, tmp_path))
    search.begin()
    search.run()
    assert search.tally.states == 13**3
    assert search.nbytes <= 100


def test_a_reached_state_takes_ten_bytes() -> None:
    layer = Layer(Room())
    for steps in range(50):
        layer.add(np.arange(steps * 1000, (steps + 1) * 1000), steps)
    assert sum(run.nbytes for run in layer.runs) == 10 * len(layer) == 10 * 50_000
    assert len(layer.runs) < 5
    assert layer.missing(np.array([-1, 0, 49_999, 50_000])).tolist() == [-1, 50_000]
    assert layer.at(7).tolist() == [*range(7000, 8000)]


def test_a_layer_of_many_segments_is_the_same_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fencebench.checker.fast.layers.SEGMENT", 10)
    layer, rng = Layer(Room()), np.random.default_rng(1)
    levels = np.split(rng.permutation(1000), range(40, 1000, 40))
    for steps, level in enumerate(levels):
        assert layer.missing(np.sort(level)).tolist() == sorted(level)
        layer.add(np.sort(level), steps)
    assert len(layer.segments) > 100
    assert max(map(len, layer.segments)) <= 10
    assert layer.nbytes == 10 * len(layer) == 10_000
    assert layer.missing(np.arange(-5, 1005)).tolist() == [*range(-5, 0), *range(1000, 1005)]
    assert [layer.at(steps).tolist() for steps in range(25)] == [sorted(level) for level in levels]


def test_merged_runs_keep_the_steps_to_each_word() -> None:
    large = Run(np.array([1, 5, 9]), np.array([0, 1, 2], np.uint16))
    small = Run(np.array([0, 6, 10]), np.array([3, 4, 5], np.uint16))
    run = merged(large, small, Room())
    assert (run.words.tolist(), run.steps.tolist()) == ([0, 1, 5, 6, 9, 10], [3, 0, 1, 4, 2, 5])


def begun() -> Machine:
    """A counter whose first tick is the only step that shows a witness."""
    machine = counters(1, 8, 20, 0)
    began = Witness("began", ("count", "after_count"), lambda before, after: (before, after) == (0, 1))
    return replace(machine, witnesses=(began,))


@pytest.mark.parametrize("machine", [counters(3, 2, 5, 2), begun()], ids=["three", "one"])
@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("stop", [0, 1, 4, 7])
def test_a_resumed_search_ends_like_one_that_was_not_stopped(
    machine: Machine, stop: int, symmetry: bool, tmp_path: Path
) -> None:
    options = Options(symmetry, 0, checkpoint=tmp_path / "saved", checkpoint_seconds=0, key="toy")

    def interrupt(states: int, waiting: int, depth: int) -> None:
        if depth > stop:
            raise KeyboardInterrupt

    assert explore(machine, watch=interrupt, options=options).limit == INTERRUPTED
    resumed = explore(machine, options=replace(options, resume=True))
    assert told(resumed) == told(explore(machine, options=Options(symmetry)))


def test_a_search_that_was_killed_goes_on(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    code = (
        "import sys, time; from pathlib import Path; from fencebench.checker.fast import Options, explore\n"
        "from tests.toys import counters\n"
        "options = Options(False, 0, checkpoint=Path(sys.argv[1]), checkpoint_seconds=0, key='toy')\n"
        "explore(counters(2, 4, 6, 2), watch=lambda s, w, d: time.sleep(60 * (d > 6)), options=options)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(saved)], cwd=ROOT) as child:
        while not saved.exists() and child.poll() is None:
            time.sleep(0.02)
        time.sleep(0.1)
        os.kill(child.pid, signal.SIGKILL)
    options = Options(False, 0, checkpoint=saved, checkpoint_seconds=60, key="toy", resume=True)
    assert told(explore(counters(2, 4, 6, 2), options=options)) == told(plain(counters(2, 4, 6, 2)))


def damage_end(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def damage_middle(data: bytes) -> bytes:
    return data[:200] + bytes([data[200] ^ 1]) + data[201:]


@pytest.mark.parametrize(
    ("spoil", "key", "message"),
    [
        (damage_end, "toy", "damaged"),
        (damage_middle, "toy", "damaged"),
        (lambda data: data[:-100], "toy", "damaged"),
        (lambda data: data + b"more", "toy", "damaged"),
        (lambda data: b"PK" + data, "toy", "not a checkpoint of this version"),
        (lambda data: b"", "toy", "not a checkpoint of this version"),
        (lambda data: data, "another toy", "a checkpoint of another fence, bound, option or version of the program"),
    ],
)
def test_a_bad_checkpoint_is_refused_in_one_line(spoil, key, message, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    options = replace(LARGE, checkpoint=tmp_path / "saved", checkpoint_seconds=0, key="toy")
    explore(SOUND, options=options)
    (tmp_path / "saved").write_bytes(spoil((tmp_path / "saved").read_bytes()))
    with pytest.raises(CheckpointError, match=message) as caught:
        explore(SOUND, options=replace(options, key=key, resume=True))
    assert "\n" not in str(caught.value)


def test_no_checkpoint_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint here"):
        explore(SOUND, options=replace(LARGE, checkpoint=tmp_path / "none", resume=True))


@thorough
def test_answers_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from fencebench.checker.fast import Options, explore; from tests.toys import counters, lock\n"
        "from dataclasses import replace\n"
        "for machine in (counters(), lock()):\n"
        "    for options in (Options(), Options(small_states=0)):\n"
        "        print(replace(explore(machine, options=options), seconds=0, coverage=None))\n"
    )
    seeds = ({"PYTHONHASHSEED": seed} for seed in "012")
    runs = [subprocess.check_output([sys.executable, "-c", code], env=os.environ | seed, cwd=ROOT) for seed in seeds]
    assert runs[0] == runs[1] == runs[2] != b""


@pytest.mark.parametrize("most", [0, 1, 2, 7, 40, 41, 500])
@pytest.mark.parametrize("name", TOYS)
def test_a_limit_of_states_stops_all_engines_at_that_state(name: str, most: int) -> None:
    limits, expected = Limits(max_states=most), plain(TOYS[name], Limits(max_states=most))
    assert told(explore(TOYS[name], limits, options=Options(symmetry=False))) == told(expected)
    large = explore(TOYS[name], limits, options=Options(symmetry=False, small_states=0))
    assert (large.states, large.limit) == (expected.states, expected.limit)


def test_a_limit_of_seconds_holds_while_a_model_is_asked() -> None:
    def slow(count: int) -> Iterator[Step]:
        time.sleep(0.002)
        for more in range(300):
            yield Step(Event("add"), (("count", count * 300 + more),))

    machine: Machine = replace(counters(1), actions=(tabled("add", ("count",), slow),), properties=(), witnesses=())
    for options in (Options(), Options(small_states=0)):
        result = explore(machine, Limits(max_seconds=0.2), options=options)
        assert str(result.limit) == "0.2 seconds"
        assert result.seconds < 1
