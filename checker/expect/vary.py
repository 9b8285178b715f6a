"""Inputs that vary: every combination of their values, for every fence."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from fencebench.checker.errors import BadInput
from fencebench.checker.expect.figures import Expected, expect
from fencebench.checker.expect.load import INPUTS, Load, loaded, read
from fencebench.model.fence import Fence

MOST_SETTINGS = 2000


@dataclass(frozen=True)
class Setting:
    """One combination of the inputs that vary, and the load that it makes."""

    varied: Mapping[str, Any]
    load: Load


@dataclass(frozen=True)
class Point:
    """What is expected of a fence in one setting."""

    setting: Setting
    expected: Expected


def axis(text: str, where: str) -> tuple[str, list[Any]]:
    """Read `name=value,value,…`.

    Raises:
        BadInput: the name is none of an input, or a value is none.
    """
    name, sign, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if not sign or not values.strip():
        raise BadInput(f"{where}: expected NAME=VALUE,VALUE,…, such as checkpoint-cases=5,10,25; found {text!r}")
    return checked_axis(name, [value.strip() for value in values.split(",")], where)


def checked_axis(name: str, values: Sequence[Any], where: str) -> tuple[str, list[Any]]:
    """Return an axis with its values read, each once."""
    if name not in INPUTS:
        raise BadInput(f"{where}: no input is called {name!r}; expected one of {', '.join(INPUTS)}")
    return name, list(dict.fromkeys(read(name, value, where) for value in values))


def settings(base: Mapping[str, Any], axes: Mapping[str, Sequence[Any]], where: str, default: Load) -> list[Setting]:
    """Return every combination of the values.

    Raises:
        BadInput: there are too many, or the inputs of one do not go together.
    """
    count = 1
    for values in axes.values():
        count *= len(values)
    if count > MOST_SETTINGS:
        raise BadInput(f"{where}: {count:,} settings are more than {MOST_SETTINGS:,}; vary fewer values")
    combined = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return [Setting(varied, loaded({**base, **varied}, where, default)) for varied in combined]


def points(fences: Sequence[Fence], grid: Sequence[Setting], watch: Callable[[str], None]) -> Iterator[Point]:
    """Yield what is expected of each fence in each setting."""
    total = len(fences) * len(grid)
    for number, (fence, setting) in enumerate(product(fences, grid), 1):
        watch(f"{fence.name}: setting {number} of {total}")
        yield Point(setting, expect(fence, setting.load))
