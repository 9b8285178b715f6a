"""Bounds and settings as a person gives them: options and a TOML file; without any, the default union."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fencebench.checker.errors import BadInput
from fencebench.checker.files import read_text
from fencebench.model.fence import Fence
from fencebench.model.settings import FAULTS, RANGES, Bound, Settings, SettingsError

SHAPE = ("shards", "epochs", "faults", "ceiling", "earlier_run")
TIMES = ("lease_seconds", "margin_seconds", "skew_seconds")
SIZES = ("cases", "checkpoint_cases", "tokens_per_case")
SETTINGS = (*TIMES, *SIZES, "milestones")
"""Every setting; `milestones` is a list, the others are numbers."""

DEFAULT_SHAPES: tuple[Mapping[str, Any], ...] = ({"shards": 1, "faults": 2}, {"shards": 2, "faults": 1})


@dataclass(frozen=True)
class Asked:
    """The bounds to explore, each on its own, and their settings; `union` says that no shape was asked for."""

    bounds: tuple[Bound, ...]
    settings: Settings
    union: bool = False


def known(values: Mapping[str, Any], names: tuple[str, ...], where: str) -> None:
    """Refuse a key that nobody reads."""
    for name in values:
        if name not in names:
            raise BadInput(f"{where}: unknown key {name!r}; expected one of {', '.join(names)}")


def whole_number(name: str, value: Any, where: str) -> int:
    """Return a value that must be a whole number in its range."""
    least, most = RANGES[name]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        found = repr(value) if len(repr(value)) < 40 else f"{repr(value)[:20]}… ({len(repr(value))} characters)"
        raise BadInput(f"{where}: {name} must be a whole number from {least} to {most:,}; found {found}")
    return value


def read_toml(path: Path) -> dict[str, Any]:
    """Read a bounds file: keys as the options' names, `[settings]`, and `[[bounds]]` for a union."""
    try:
        values = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: expected TOML ({error})") from None
    if not values:
        raise BadInput(f"{path}: the file is empty; expected keys such as shards, epochs, faults, or [[bounds]]")
    known(values, (*SHAPE, *FAULTS, "settings", "bounds"), str(path))
    return values


def bound_of(values: Mapping[str, Any], where: str) -> Bound:
    """Make a bound of checked values."""
    known(values, (*SHAPE, *FAULTS), where)
    numbers = {n: whole_number(n, v, where) for n, v in values.items() if n != "earlier_run"}
    earlier = values.get("earlier_run", False)
    if not isinstance(earlier, bool):
        raise BadInput(f"{where}: earlier_run must be true or false; found {earlier!r}")
    caps = {fault: numbers.get(fault, 1) for fault in FAULTS}
    shape = {n: numbers[n] for n in ("shards", "epochs", "faults") if n in numbers}
    return Bound(**shape, caps=MappingProxyType(caps), ceiling_tokens=numbers.get("ceiling"), earlier_run=earlier)


def both_ceilings(bound: Bound) -> tuple[Bound, ...]:
    """Return the bound at the plan's ceiling and at plan + one attempt, unless it names a ceiling."""
    if bound.ceiling_tokens is not None:
        return (bound,)
    return replace(bound, spare_attempts=0), replace(bound, spare_attempts=1)


def settings_of(values: Mapping[str, Any], where: str) -> Settings:
    """Make the settings of checked values."""
    known(values, SETTINGS, where)
    given: dict[str, Any] = {name: whole_number(name, values[name], where) for name in values if name != "milestones"}
    milestones = values.get("milestones", ())
    if not isinstance(milestones, list | tuple):
        raise BadInput(
            f"{where}: milestones must be a list of whole numbers, such as [30, 39, 50]; found {milestones!r}"
        )
    given["milestones"] = tuple(whole_number("cases", number, f"{where}: milestones") for number in milestones)
    try:
        return Settings(**given)
    except SettingsError as error:
        raise BadInput(f"{where}: {error}") from None


def asked(options: Mapping[str, Any], file: Path | None) -> Asked:
    """Combine options, a file and the defaults: an option wins over the file, and goes for every bound of a union.

    Raises:
        BadInput: a key, a type or a value is not usable.
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    values = read_toml(file) if file else {}
    where = str(file) if file else "options"
    unions, base = values.pop("bounds", None), dict(values)
    settings = {
        **table(base.pop("settings", {}), f"{where}: settings"),
        **{n: given.pop(n) for n in SETTINGS if n in given},
    }
    if unions is not None and (
        not isinstance(unions, list) or not all(isinstance(u, dict) for u in unions) or not unions
    ):
        raise BadInput(f"{where}: bounds must be one or more tables, each under [[bounds]]")
    base |= given
    shaped = unions or ([{}] if {"shards", "faults", "ceiling"} & set(base) else DEFAULT_SHAPES)
    bounds = tuple(b for shape in shaped for b in both_ceilings(bound_of({**shape, **base}, where)))
    return Asked(bounds, settings_of(settings, where), shaped is DEFAULT_SHAPES)


def with_earlier_run(wanted: Asked) -> Asked:
    """Return the union with one more bound: a second run of the same shards."""
    second = replace(wanted.bounds[0], shards=1, faults=1, spare_attempts=1, earlier_run=True)
    return replace(wanted, bounds=(*wanted.bounds, second))


def table(value: Any, where: str) -> dict[str, Any]:
    """Return a value that must be a table."""
    if not isinstance(value, dict):
        raise BadInput(f"{where} must be a table; found {value!r}")
    return dict(value)


def fits_fence(fence: Fence, wanted: Asked) -> None:
    """Refuse a lease that a fast clock could never write under.

    Raises:
        BadInput: lease <= margin + skew in a fence whose workers keep a margin.
    """
    s = wanted.settings
    skew = s.skew_seconds if any(bound.cap("skew") for bound in wanted.bounds) else 0
    margins = any(rule.name == "lease_margin" for _, rule in fence.rules())
    if margins and s.lease_seconds <= s.margin_seconds + skew:
        raise BadInput(
            f"fence {fence.name}: a lease of {s.lease_seconds} s is not longer than margin {s.margin_seconds} s + skew "
            f"{skew} s, so a worker with a fast clock could never write; lengthen the lease or shorten the margin"
        )


def told(bound: Bound, settings: Settings) -> str:
    """Describe a bound in one line."""
    shards, ceiling = f"{bound.shards} shard{'s' * (bound.shards > 1)}", f"ceiling {bound.ceiling(settings)}"
    return ", ".join((shards, *depth_told(bound), ceiling, *extras_told(bound)))


def depth_told(bound: Bound) -> tuple[str, str]:
    """Describe how deep a bound goes."""
    return f"{bound.epochs} epoch{'s' * (bound.epochs > 1)}", f"fault sum {bound.faults}"


def extras_told(bound: Bound) -> tuple[str, ...]:
    """Describe what of a bound is out of the ordinary."""
    off = [fault for fault in FAULTS if not bound.caps.get(fault, 1)]
    more = [f"{fault} up to {n}" for fault, n in bound.caps.items() if n > 1]
    earlier = ["after an earlier run"] if bound.earlier_run else []
    return (*earlier, *more, *([f"no {', '.join(off)}"] if off and bound.faults else []))


def as_options(bound: Bound, settings: Settings) -> str:
    """Write a bound as the options that name it exactly."""
    words = [f"--shards {bound.shards} --epochs {bound.epochs} --faults {bound.faults}"]
    words.append(f"--ceiling {bound.ceiling(settings)}")
    words += [f"--{fault.replace('_', '-')} {n}" for fault, n in bound.caps.items() if n != 1]
    words += ["--earlier-run"] if bound.earlier_run else []
    words += [f"--{name.replace('_', '-')} {written(value)}" for name, value in unusual(settings).items()]
    return " ".join(words)


def unusual(settings: Settings) -> dict[str, Any]:
    """Return the settings that are not the default, by name."""
    default = Settings()
    pairs = {name: (getattr(settings, name), getattr(default, name)) for name in SETTINGS}
    return {name: value for name, (value, usual) in pairs.items() if value != usual}


def written(value: int | tuple[int, ...]) -> str:
    """Write a setting as the value of its option."""
    return str(value) if isinstance(value, int) else ",".join(map(str, value))
