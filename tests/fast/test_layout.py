"""Words hold every number they should, also after numbers outgrow their fields."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencebench.checker.fast import Options, explore, stepping
from fencebench.checker.fast.layers import Layer, Room
from fencebench.checker.fast.layout import BITS, Layout, Narrow, Overflow, Paired, paired, roomy, sorted_units
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.tables.arrays import Words
from fencebench.checker.tables.known import of_relation
from fencebench.checker.tables.row_index import Index
from tests.toys import TOYS, counters, told

Tight = Callable[[int], Layout]
numbers = st.lists(st.integers(0, 1000), min_size=5, max_size=5)


def columns(rows: list[list[int]]) -> list[Words]:
    return [np.array(column, np.int64) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("layout", [Narrow(4, 12), Paired(4, 20), Paired(3, 20)])
@given(rows=st.lists(numbers, min_size=1, max_size=30))
def test_unpacking_returns_what_was_packed(layout: Layout, rows: list[list[int]]) -> None:
    shared, *units = columns(rows)
    units = units[: layout.count]
    words = layout.pack(shared, units)
    assert layout.shared(words).tolist() == shared.tolist()
    assert [layout.unit(words, place).tolist() for place in range(layout.count)] == [u.tolist() for u in units]
    assert len({*words.tolist()}) == len({(row[0], *row[1 : layout.count + 1]) for row in rows})
    assert words.min() >= 0


def test_a_layout_uses_every_bit_and_no_more() -> None:
    layout = roomy(1 << 10, 1 << 10, 5)
    assert isinstance(layout, Narrow)
    assert layout.room(1 << (BITS - 5 * layout.width), 1 << layout.width)
    assert not layout.room(1, (1 << layout.width) + 1)
    assert not layout.room((1 << (BITS - 5 * layout.width)) + 1, 1)
    assert isinstance(roomy(1 << 14, 1 << 17, 4), Paired)
    with pytest.raises(Overflow):
        paired(1 << 20, 8, 1 << 20)


@given(st.lists(numbers, min_size=1, max_size=30))
def test_sorting_units_sorts_each_row(rows: list[list[int]]) -> None:
    found = sorted_units(columns(rows))
    assert list(map(list, zip(*(u.tolist() for u in found), strict=True))) == [sorted(row) for row in rows]


@pytest.mark.parametrize(
    "layout", [lambda count, w=w: Narrow(count, w) for w in (1, 2, 3, 4)] + [lambda c: Paired(c, 1)]
)
@pytest.mark.parametrize("name", TOYS)
def test_outgrowing_a_layout_loses_nothing(
    name: str, layout: Callable[[int], Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [layout]

    def tight(_shareds: int, _units: int, count: int) -> Layout:
        return steps.pop()(count)

    monkeypatch.setattr(stepping, "roomy", tight)
    of_relation.cache_clear()  # what is known already needs room at once
    assert told(explore(TOYS[name], options=Options(symmetry=False, small_states=0))) == told(plain(TOYS[name]))


@pytest.mark.parametrize("symmetry", [False, True])
def test_pairs_of_units_give_the_same_answers(symmetry: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = counters(3, 2, 5)
    expected = explore(machine, options=Options(symmetry=symmetry))
    monkeypatch.setattr("fencebench.checker.fast.stepping.roomy", lambda _, __, count: Paired(count, 20))
    assert told(explore(machine, options=Options(symmetry=symmetry, small_states=0))) == told(expected)


def test_a_search_whose_states_fit_no_layout_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fencebench.checker.fast.stepping.roomy", lambda _, __, count: Paired(count, 2))
    monkeypatch.setattr(
        "fencebench.checker.fast.large.roomy", lambda shareds, _, count, pairs: paired(1 << 57, count, pairs)
    )
    result = explore(counters(3, 2, 5, 0), options=Options(small_states=0))
    assert (str(result.limit), result.states < 30) == ("64 bits a state", True)


def test_a_layer_keeps_the_steps_to_each_word_whatever_the_words_become() -> None:
    layer = Layer(Room())
    layer.add(np.arange(0, 50), 1)
    layer.add(np.arange(50, 60), 2)
    layer.translate(lambda words: 100 - words)
    assert layer.at(1).tolist() == [*range(51, 101)]
    assert layer.at(2).tolist() == [*range(41, 51)]
    assert layer.missing(np.arange(30, 120)).tolist() == [*range(30, 41), *range(101, 120)]


def test_a_wider_layout_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = counters(2, 12, 20, 1)
    grown = []

    def roomier(shareds: int, units: int, count: int, pairs: int) -> Layout:
        grown.append(units)
        return roomy(shareds, units, count, pairs)

    monkeypatch.setattr("fencebench.checker.fast.stepping.roomy", lambda _, __, count: Narrow(count, 4))
    monkeypatch.setattr("fencebench.checker.fast.large.roomy", roomier)
    assert told(explore(machine, options=Options(symmetry=False, small_states=0))) == told(plain(machine))
    assert grown


def test_rows_whose_hashes_clash_keep_their_own_numbers() -> None:
    index = Index(2, seed=0)
    rows = [np.array([3, 1, 3, 2], np.int32), np.array([0, 1, 0, 2], np.int32)]
    numbered = index(rows).tolist()
    assert index.seed > 0
    assert numbered[0] == numbered[2]
    assert len({*numbered}) == 3
    assert index(rows).tolist() == numbered
    assert [column.array[numbered].tolist() for column in index.columns] == [row.tolist() for row in rows]
