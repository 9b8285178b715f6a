"""Tables and sets on arrays are what they are in plain Python, whatever their size and whoever fills them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fencebench.checker.fast import Options, explore, large, layers
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.tables import arrays
from fencebench.checker.tables import memo as hash_map
from fencebench.checker.tables import memo as memo
from fencebench.checker.tables import successors as moves
from fencebench.checker.tables.action_table import spread
from fencebench.checker.tables.arrays import distinct, union, within
from fencebench.checker.tables.memo import MemoTable, Pair, each
from fencebench.model.machine import Machine
from tests.toys import TOYS, machines, told

SLOW = [HealthCheck.too_slow]
words = st.lists(st.integers(0, 50))


@pytest.fixture(params=["dense", "hashed"])
def tables(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "hashed":
        monkeypatch.setattr(hash_map, "DENSE", -1)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make everything happen at once that large searches do: chunks, threads, sorted tables, moves left out."""
    monkeypatch.setattr(large, "CHUNK", 3)
    monkeypatch.setattr(arrays, "PIECE", 4)
    monkeypatch.setattr(layers, "SEGMENT", 5)
    monkeypatch.setattr(moves, "LARGE", 1)
    monkeypatch.setattr(hash_map, "DENSE", 4)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", TOYS)
@pytest.mark.usefixtures("tiny")
def test_toys_agree_in_tiny_chunks(name: str, threads: int) -> None:
    options = Options(symmetry=False, small_states=0, threads=threads)
    assert told(explore(TOYS[name], options=options)) == told(plain(TOYS[name]))


@pytest.mark.usefixtures("tiny")
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(machines())
def test_random_machines_agree_in_tiny_chunks(machine: Machine) -> None:
    options = Options(symmetry=False, small_states=0, threads=2)
    assert told(explore(machine, options=options)) == told(plain(machine))


@pytest.mark.usefixtures("tables")
def test_a_pair_calls_its_function_once_for_each_input() -> None:
    calls = []

    def fill(a: int, b: int) -> int:
        calls.append((a, b))
        return a * 100 + b - 1

    pair, rng = Pair(each(fill)), np.random.default_rng(1)
    for size in (1, 5, 40, 300):
        a, b = rng.integers(0, size, 500), rng.integers(0, size, 500)
        assert pair(a, b).tolist() == (a * 100 + b - 1).tolist()
        assert len(calls) == len({*calls})
    known = {*calls}
    a, b = rng.integers(0, 400, 100), rng.integers(0, 400, 100)
    expected = [x * 100 + y - 1 if (x, y) in known else memo.UNKNOWN for x, y in zip(a, b, strict=True)]
    assert pair.peek(a, b).tolist() == expected


@pytest.mark.usefixtures("tables")
def test_threads_may_share_a_pair() -> None:
    calls = []

    def fill(a: int, b: int) -> int:
        calls.append((a, b))
        return a * 1000 + b

    def work(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        columns = [(rng.integers(0, n, 200), rng.integers(0, n, 200)) for n in range(10, 500, 10)]
        return all(pair(a, b).tolist() == (a * 1000 + b).tolist() for a, b in columns)

    pair = Pair(each(fill))
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
    assert len(calls) == len({*calls})


@pytest.mark.parametrize("arity", [0, 1, 2, 3, 5])
@pytest.mark.usefixtures("tables")
def test_a_grid_is_a_function_of_all_its_columns(arity: int) -> None:
    function = MemoTable(arity, lambda ids: sum(3**i * n for i, n in enumerate(ids)) + 7)
    rng = np.random.default_rng(arity)
    for top in (2, 3, 9):
        columns = [rng.integers(0, top, 60).astype(np.int32) for _ in range(arity)]
        expected = [7] * 60 if not arity else (sum(3**i * c for i, c in enumerate(columns)) + 7).tolist()
        assert function(columns, 60).tolist() == expected


@given(words, words)
def test_sorted_arrays_are_sets(one: list[int], other: list[int]) -> None:
    a, b = np.array(one, np.int64), np.array(other, np.int64)
    assert union([a, b]).tolist() == sorted({*one, *other})
    assert within(a, distinct(b.copy())).tolist() == [n in other for n in one]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4))))
def test_spread_lists_consecutive_indices(rows: list[tuple[int, int]]) -> None:
    starts, counts = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    source, index = spread(starts, counts)
    expected = [(i, start + k) for i, (start, count) in enumerate(rows) for k in range(count)]
    assert list(zip(source.tolist(), index.tolist(), strict=True)) == expected
