"""Values as a table of plain nodes, and back: tuples of all kinds, sets, maps, records, members of enums, arrays.

A node names its parts by their place in the table, so what is shared is written once. Reading constructs tuples and
fills in fields; no constructor, no import and no method of a class that is read is run.
"""

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

Node = list[Any]
BARE: dict[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}
MAPS: dict[str, type] = {"dict": dict, "counter": Counter}
LITERALS = (type(None), bool, int, float, str)


class NotPlain(ValueError):
    """A value that has no plain form, or a node that stands for none, in one line."""


class Encoder:
    """Turns values into nodes. Equal nodes are one, unless what they stand for can be changed."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.classes: list[str] = []
        self.arrays: list[Any] = []
        self.known: dict[Hashable, int] = {}
        self.met: dict[int, tuple[Any, int]] = {}

    def __call__(self, value: Any) -> int:
        """Return the place of a value's node."""
        if id(value) in self.met:
            return self.met[id(value)][1]
        node = self.node(value)
        key = tuple((type(part), part) for part in node) if hashable(value) else len(self.nodes)
        if key not in self.known:
            self.known[key] = len(self.nodes)
            self.nodes.append(node)
        self.met[id(value)] = value, self.known[key]  # the value is kept, so that no other gets its id
        return self.known[key]

    def node(self, value: Any) -> Node:
        """Return the node of a value.

        Raises:
            NotPlain: there is none.
        """
        kind = type(value)
        if kind in LITERALS:
            return ["value", value]
        if isinstance(value, Enum):
            return ["member", self.of_class(kind), value.name]
        if isinstance(value, np.ndarray):
            self.arrays.append(value)
            return ["array", len(self.arrays) - 1]
        tag = next((tag for tag, of in {**BARE, **MAPS}.items() if kind is of), "")
        if tag:
            return [tag, *map(self, parts_of(value))]
        names = names_of(kind)
        if names is None:
            raise NotPlain(
                f"a value of type {kind.__qualname__} cannot be kept; tuples, NamedTuples and dataclasses can"
            )
        return ["named" if isinstance(value, tuple) else "record", self.of_class(kind), *map(self, attributes(value))]

    def of_class(self, kind: type) -> int:
        """Return the number of a class."""
        name = f"{kind.__module__}:{kind.__qualname__}"
        if name not in self.classes:
            self.classes.append(name)
        return self.classes.index(name)


def hashable(value: Any) -> bool:
    """Say whether nothing of a value can be changed."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def parts_of(value: Any) -> Iterable[Any]:
    """Return what a tuple, list, set or map holds, in a fixed order; of a map each key before its value."""
    if isinstance(value, dict):
        return (part for pair in value.items() for part in pair)
    return sorted(value, key=repr) if isinstance(value, set | frozenset) else value


def names_of(kind: type) -> Sequence[str] | None:
    """Return the names of the fields that instances of a class have, None where it has none."""
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", None)
    return [f.name for f in fields(kind)] if is_dataclass(kind) else None


def attributes(value: Any) -> Iterable[Any]:
    """Return the values of the fields of a named tuple or a record."""
    return value if isinstance(value, tuple) else [getattr(value, f.name) for f in fields(value)]


class Decoder:
    """Turns nodes into values."""

    def __init__(self, classes: list[str], nodes: list[Node], arrays: list[Any]) -> None:
        self.classes = [loaded(name) for name in classes]
        self.arrays = arrays
        self.values: list[Any] = []
        self.of_tag: dict[str, Callable[..., Any]] = {
            "value": lambda value: value,
            "array": lambda number: self.arrays[number],
            "member": lambda of, name: member(self.classes[of], name),
            "named": lambda of, *at: named(self.classes[of], self.parts(at)),
            "record": lambda of, *at: record(self.classes[of], self.parts(at)),
        }
        for node in nodes:
            self.values.append(self.value(node))

    def __call__(self, place: int) -> Any:
        """Return the value at a place of the table."""
        return self.values[place]

    def parts(self, places: tuple[int, ...]) -> list[Any]:
        """Return the values at some places, all of them earlier ones."""
        return [self.values[place] for place in places]

    def value(self, node: Node) -> Any:
        """Return the value of a node."""
        tag, *rest = node
        if tag in BARE:
            return BARE[tag](self.parts(tuple(rest)))
        if tag in MAPS:
            parts = self.parts(tuple(rest))
            return MAPS[tag](dict(zip(parts[::2], parts[1::2], strict=True)))
        if tag not in self.of_tag:
            raise NotPlain(f"no kind of value is called {tag!r}")
        return self.of_tag[tag](*rest)


def loaded(name: str) -> type:
    """Return a class that is loaded already.

    Raises:
        NotPlain: it is not, or it is no class of plain values.
    """
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = vars(found).get(part) if found is not None else None
    if not isinstance(found, type) or (names_of(found) is None and not issubclass(found, Enum)):
        raise NotPlain(f"{path} of {module} is no class of plain values that is loaded")
    return found


def member(of: type, name: str) -> Any:
    """Return a member of an enumeration."""
    members = of.__members__ if issubclass(of, Enum) else {}
    if name not in members:
        raise NotPlain(f"{of.__qualname__} has no member {name!r}")
    return members[name]


def named(of: type, values: list[Any]) -> Any:
    """Return a tuple with named fields."""
    if not issubclass(of, tuple) or len(values) != len(names_of(of) or ()):
        raise NotPlain(f"{of.__qualname__} has other fields")
    return tuple.__new__(of, values)


def record(of: type, values: list[Any]) -> Any:
    """Return a record with its fields filled in."""
    names = names_of(of) or ()
    if issubclass(of, tuple) or len(values) != len(names):
        raise NotPlain(f"{of.__qualname__} has other fields")
    made: Any = object.__new__(of)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made
