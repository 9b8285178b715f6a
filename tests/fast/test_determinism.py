"""Results, stories and messages are the same whatever the engine, the threads, the hash seed."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fencebench.checker.fast import Options, explore, large
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.search.limits import Limits
from fencebench.model.build import build
from fencebench.model.fences import FENCES
from fencebench.model.settings import FAULTS, Bound
from tests.quick import thorough
from tests.toys import told

ROOT = Path(__file__).parents[2]
FEW = {fault: int(fault == "flip_alias") for fault in FAULTS}
WAYS = [Options(False, small, threads) for small in (0, 30_000) for threads in (1, 2)]


@pytest.mark.parametrize("stop_at", ["first", "all"])
@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("spend-sketch", Bound(faults=1)),
        ("worker-clock", Bound(faults=1)),
        ("provenance-sketch-d", Bound(faults=1)),
        ("reference", Bound(shards=2, faults=1, caps=FEW)),
    ],
)
def test_every_way_to_search_tells_the_same(
    name: str, bound: Bound, stop_at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "CHUNK", 256)
    machine = replace(build(FENCES[name], bound), progress=None)  # the plain explorer leaves it to another
    limits = Limits(stop_at="first" if stop_at == "first" else "all")
    expected = told(plain(machine, limits))
    for options in WAYS:
        assert told(explore(machine, limits, options=options)) == expected, options


@thorough
def test_the_command_prints_the_same_under_every_hash_seed_and_engine() -> None:
    command = [sys.executable, "-m", "fencebench", "check", "spend-sketch", "--shards", "1", "--faults", "1"]
    ways = [("0", "plain"), ("1", "fast"), ("2", "fast"), ("2", "plain")]
    running = [
        subprocess.Popen(
            [*command, "--engine", engine], env=os.environ | {"PYTHONHASHSEED": seed}, cwd=ROOT, stdout=subprocess.PIPE
        )
        for seed, engine in ways
    ]
    told = [process.communicate()[0].rpartition(b"\nreproduce: ")[0] for process in running]
    assert told[0] == told[1] == told[2] == told[3] != b""
