"""The role of each part of a fence, read from its knock-out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fencebench.checker.analysis.knockout import Cost, Knockout, Trial, lost
from fencebench.checker.analysis.minimal import Breaking

Kind = Literal[
    "load-bearing", "standby", "changes only the class", "changes only the answer", "no part", "undetermined"
]


@dataclass(frozen=True)
class Role:
    """What a part does in the fence: `behind` names what stands before it, `breaks` what goes if both go.

    `proven` says that a search without both broke something; else it is only known what answers in its place.
    `change` is (outcome with the part, outcome without it) where an answer differs.
    """

    part: str
    kind: Kind
    behind: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    proven: bool = False
    change: tuple[str, str] | None = None

    @property
    def explained(self) -> bool:
        """Say whether it is known what the part is for; a strategy that may as well be another one is a free choice."""
        free = "=" in self.part and self.kind == "no part"
        return free or self.kind not in ("no part", "undetermined")


def roles(found: Knockout, breaking: Sequence[Breaking] = ()) -> tuple[Role, ...]:
    """Return the role of every part, in order; `breaking` sets explain rules with more than one other before them."""
    return tuple(deeper(role(found, trial), breaking) for trial in found.singles)


def deeper(role: Role, breaking: Sequence[Breaking]) -> Role:
    """Explain a rule by the smallest breaking set that it belongs to, if no single other part explains it."""
    mine = next((one for one in breaking if role.part in one.rules and len(one.rules) > 1), None)
    if mine is None or role.proven or role.kind == "load-bearing":
        return role
    behind = tuple(name for name in mine.rules if name != role.part)
    return replace(role, kind="standby", behind=behind, breaks=(mine.promise,), proven=True)


def role(found: Knockout, trial: Trial) -> Role:
    """Judge one part: what breaks without it, else what stands before it, else what answer it changes."""
    [name] = trial.parts
    change = found.changes.get(name)
    told = (change.before, change.after) if change else None
    if lost(trial, found.whole):
        return Role(name, "load-bearing", breaks=lost(trial, found.whole))
    if trial.limit:
        return Role(name, "undetermined")
    partners = dict(proven_partners(found, name))
    if partners:
        breaks = tuple(dict.fromkeys(p for names in partners.values() for p in names))
        return Role(name, "standby", tuple(partners), breaks, True, told)
    if told is not None:
        only_class = change is not None and change.refused
        return Role(name, "changes only the class" if only_class else "changes only the answer", change=told)
    behind = before(found, name)
    return Role(name, "standby", behind) if behind else Role(name, "no part")


def proven_partners(found: Knockout, name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each part whose loss together with this one breaks what neither loss breaks alone."""
    alone = {trial.parts[0]: trial for trial in found.singles}
    for trial in (*found.pairs, *found.rivals):
        if name in trial.parts:
            [other] = [part for part in trial.parts if part != name]
            worse = tuple(p for p in lost(trial, found.whole) if worse_than(trial, alone[other], p))
            if worse:
                yield other, worse


def worse_than(trial: Trial, other: Trial, promise: str) -> bool:
    """Say whether the trial breaks a promise that the other keeps, or breaks it more cheaply."""
    return promise not in other.broken or trial.broken[promise] < other.broken[promise]


def before(found: Knockout, name: str) -> tuple[str, ...]:
    """Return the parts without which this one starts to answer, else the rule that answered in its place."""
    wakes = tuple(t.parts[0] for t in found.singles if t.parts[0] != name and name in t.answered)
    shadow = found.whole.shadows.get(name)
    return wakes if name not in found.whole.answered and wakes else (shadow,) if shadow else ()


def matrix(found: Knockout) -> tuple[tuple[str, Mapping[str, Cost]], ...]:
    """Return a row for each trial that breaks something: its parts, and the cost of each broken promise."""
    alone = {trial.parts[0]: trial for trial in found.singles}
    worse = [t for t in found.trials[1:] if not t.like and any(news(t, alone, found.whole))]
    rows = [(found.fence.name, found.whole), *((" + ".join(t.parts), t) for t in worse)]
    return tuple((name, trial.broken) for name, trial in rows if trial.broken)


def news(trial: Trial, alone: Mapping[str, Trial], whole: Trial) -> Iterator[str]:
    """Yield what the trial breaks and the whole fence and each part alone keep, or break only at a higher cost."""
    lesser = (whole, *(alone[part] for part in trial.parts if len(trial.parts) > 1))
    yield from (name for name in trial.broken if all(worse_than(trial, other, name) for other in lesser))
