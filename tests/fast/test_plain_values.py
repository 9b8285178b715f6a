"""What is kept in a file comes back as it was, and nothing that a file says is run."""

import json
from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencebench.checker.fast import Options, checkpoint_file, explore
from fencebench.checker.fast.checkpoint import load, restore
from fencebench.checker.fast.checkpoint_file import CheckpointError, read, write
from fencebench.checker.fast.large import LargeSearch
from fencebench.checker.fast.plain_values import Decoder, Encoder, NotPlain
from fencebench.checker.search.limits import Clock, Limits
from fencebench.checker.tables.known import Known
from tests.toys import TOYS, counters, machines, told


class Colour(Enum):
    RED = "red"


class Point(NamedTuple):
    x: Any
    y: Any = 0


@dataclass(frozen=True)
class Card:
    colour: Colour
    places: tuple[Point, ...]

    def __post_init__(self) -> None:
        RAN.append("constructor")


RAN: list[str] = []


def back(value: Any) -> Any:
    encoder = Encoder()
    root = encoder(value)
    table = json.loads(json.dumps([encoder.classes, encoder.nodes]))
    return Decoder(table[0], table[1], encoder.arrays)(root)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just(Colour.RED),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.lists(inner, max_size=3)
        | st.builds(Point, inner, inner)
        | st.dictionaries(st.integers() | st.text(max_size=2), inner, max_size=3)
        | st.frozensets(st.integers() | st.text(max_size=2), max_size=3)
    ),
    max_leaves=12,
)


def typed(value: Any) -> Any:
    """Return a value with the type of everything in it, as equal values of other types are not the same."""
    parts = (
        value.items() if isinstance(value, dict) else sorted(value, key=repr) if isinstance(value, frozenset) else value
    )
    inner = [typed(part) for part in parts] if isinstance(value, dict | frozenset | tuple | list) else value
    return type(value), inner


@given(plain)
def test_values_come_back_with_their_types(value: Any) -> None:
    assert typed(back(value)) == typed(value)


def test_what_can_be_changed_is_never_shared_by_chance() -> None:
    shared: list[int] = []
    first, second = back([Counter[str](), Counter[str]()])
    same = back([shared, shared])
    first["a"] += 1
    assert second == Counter()
    assert same[0] is same[1]


def test_arrays_keep_their_type_and_records_their_fields() -> None:
    values = {"words": np.arange(5, dtype=np.uint16), "card": Card(Colour.RED, (Point(1, True),))}
    RAN.clear()
    again = back(values)
    assert again["words"].dtype == np.uint16
    assert again["words"].tolist() == [0, 1, 2, 3, 4]
    assert (again["card"], type(again["card"].places[0].y), RAN) == (values["card"], bool, [])


@settings(max_examples=40, deadline=None)
@given(machines())
def test_results_come_back_as_they_were(machine: Any) -> None:
    result = explore(machine, options=Options(symmetry=False))
    assert told(back(result)) == told(result)


@pytest.mark.parametrize(
    ("classes", "nodes", "said"),
    [
        (["os:system"], [["value", "true"], ["named", 0, 0]], "system of os is no class of plain values"),
        (["nowhere:Thing"], [], "Thing of nowhere is no class of plain values"),
        (["pathlib:Path"], [["record", 0]], "Path of pathlib is no class of plain values"),
        ([f"{__name__}:Point"], [["value", 1], ["named", 0, 0]], "Point has other fields"),
        ([f"{__name__}:Point"], [["value", 1], ["record", 0, 0, 0]], "Point has other fields"),
        ([f"{__name__}:Card"], [["value", 1], ["named", 0, 0, 0]], "Card has other fields"),
        ([f"{__name__}:Colour"], [["member", 0, "BLUE"]], "Colour has no member 'BLUE'"),
        ([], [["call", "print"]], "no kind of value is called 'call'"),
    ],
)
def test_a_file_can_name_nothing_but_plain_values(classes: list[str], nodes: list[Any], said: str) -> None:
    with pytest.raises(NotPlain, match=said):
        Decoder(classes, nodes, [])


def test_what_has_no_plain_form_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "a"
    with pytest.raises(CheckpointError, match="a value of type function cannot be kept"):
        write(file, "key", [test_results_come_back_as_they_were])
    assert not file.exists()


def test_a_file_of_another_program_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a"
    write(file, "key", (1, 2))
    assert read(file, "key") == (1, 2)
    monkeypatch.setattr(checkpoint_file, "program", lambda: "another")
    with pytest.raises(CheckpointError, match="version of the program"):
        read(file, "key")


def test_a_search_under_way_takes_no_checkpoint(tmp_path: Path) -> None:
    machine, file = counters(), tmp_path / "a"
    options = Options(symmetry=False, small_states=0, checkpoint=file, checkpoint_seconds=0, key="")
    explore(machine, Limits(max_states=20), options=options)
    search = LargeSearch(Known(machine).relation, machine.initial, Clock(Limits()), symmetry=False)
    load(search, file, " symmetry=False")
    with pytest.raises(ValueError, match="into a new search only"):
        restore(search, read(file, " symmetry=False"))


@pytest.mark.parametrize("name", TOYS)
def test_a_search_goes_on_from_a_file_to_the_same_end(name: str, tmp_path: Path) -> None:
    options = Options(symmetry=False, small_states=0, checkpoint=tmp_path / "a", checkpoint_seconds=0)
    expected = explore(TOYS[name], options=replace(options, checkpoint=None))
    explore(TOYS[name], Limits(max_states=expected.states // 2), options=options)
    if (tmp_path / "a").exists():
        assert told(explore(TOYS[name], options=replace(options, resume=True))) == told(expected)
