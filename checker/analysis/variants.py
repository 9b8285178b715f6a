"""Variants of a fence and their names: less some rules, or with another strategy in a field.

A name says how the variant is made: `reference-without-stale_epoch`, `reference-with-sealing=a_step_later`, or both.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from fencebench.checker.errors import BadInput
from fencebench.model.fence import STRATEGIES, Fence

SUFFIX = re.compile(r"-(without|with)-")


def named_variant(name: str, find: Callable[[str], Fence]) -> Fence | None:
    """Return the variant that the name describes, None if it describes none; `find` finds the fence it starts from.

    Raises:
        BadInput: the fence has no such rule, or no such strategy.
    """
    base, *suffixes = SUFFIX.split(name)
    if not suffixes:
        return None
    fence = find(base if ":" in base else base.lower())
    for kind, words in zip(suffixes[::2], suffixes[1::2], strict=True):
        fence = altered(fence, *(words.lower().split("-") if kind == "without" else [words.lower()]))
    return fence


def altered(fence: Fence, *parts: str) -> Fence:
    """Return the fence less the named rules and with the named strategies (`field=value`), named after both.

    Raises:
        BadInput: the fence has no such rule, or no such strategy.
    """
    rules = [part for part in parts if "=" not in part]
    try:
        fence = fence.without(*rules) if rules else fence
    except ValueError as error:
        raise BadInput(str(error)) from None
    for part in parts:
        fence = with_strategy(fence, part) if "=" in part else fence
    return fence


def with_strategy(fence: Fence, part: str) -> Fence:
    """Return the fence with `field=value`; blanks in the value may be written as `_`."""
    field, _, written = part.partition("=")
    if field not in fence.strategies():
        near = get_close_matches(field, fence.strategies(), 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise BadInput(f"no strategy is called {field!r}{hint} (there are {', '.join(fence.strategies())})")
    value = written.replace("_", " ")
    if value not in values_of(field):
        raise BadInput(f"strategy {field} cannot be {value!r}; expected one of {', '.join(values_of(field))}")
    changes: dict[str, Any] = {field: value}
    return replace(fence, name=f"{fence.name}-with-{field}={value.replace(' ', '_')}", **changes)


def values_of(field: str) -> tuple[str, ...]:
    """Return every value that a strategy's field can have."""
    return STRATEGIES[field]


def rule_names(fence: Fence) -> tuple[str, ...]:
    """Return the full names of the fence's rules, in order."""
    return tuple(full for full, _ in fence.rules())


def strategy_changes(fence: Fence) -> Iterator[str]:
    """Yield `field=value` for every value that the fence has not got."""
    for field, own in fence.strategies().items():
        yield from (f"{field}={value}" for value in values_of(field) if value != own)


def structural(fence: Fence, rule: str) -> bool:
    """Say whether the rule is the last of its boundary: without it nobody looks there at all."""
    return len(getattr(fence, rule.partition(".")[0])) == 1
