"""Takes a fence apart: each rule away, each strategy replaced, then two at a time; what breaks without what.

A rule that never answered in a whole search cannot have shaped it: without the rule every answer is the same, so the
same states are reached and the same promises kept. Such a fence is not searched again. (Two exceptions are searched:
a rule that is alone at its boundary, as a boundary without rules is not visited, and any replaced strategy.)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

from fencebench.checker.analysis.bounds import Asked
from fencebench.checker.analysis.check import Checked, Watching, unwatched
from fencebench.checker.analysis.diff import part
from fencebench.checker.analysis.engines import ENGINES, searched
from fencebench.checker.analysis.jobs import each
from fencebench.checker.analysis.variants import altered, rule_names, strategy_changes, structural
from fencebench.checker.search.limits import Limits, Stop
from fencebench.checker.search.lockstep import Move, Pair, choices, differing
from fencebench.checker.search.result import Finding
from fencebench.model.build import build
from fencebench.model.fence import Fence, Refusal
from fencebench.model.machine import Event, Machine, Property, Transition
from fencebench.model.promises.catalogue import names_of

Cost = tuple[int, int]
Parts = tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """A fence without some parts: (faults, steps) of each broken promise, and the rules that answered.

    `like` names the parts of another trial that this one cannot differ from; `limit` cut the search short.
    """

    parts: Parts
    broken: Mapping[str, Cost]
    answered: frozenset[str]
    shadows: Mapping[str, str] = field(default_factory=dict)
    limit: Stop | None = None
    like: Parts | None = None


@dataclass(frozen=True)
class Change:
    """The first answer that differs without a part: with it, and without it by which rule; `refused`: by both."""

    before: str
    after: str
    rule: str
    refused: bool


@dataclass(frozen=True)
class Knockout:
    """All trials of a fence; `changes` are of parts that break nothing, `rivals` their pairs with what is before."""

    fence: Fence
    whole: Trial
    singles: tuple[Trial, ...]
    pairs: tuple[Trial, ...]
    changes: Mapping[str, Change]
    rivals: tuple[Trial, ...] = ()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial, the whole fence first."""
        return (self.whole, *self.singles, *self.pairs, *self.rivals)

    @property
    def vacuous(self) -> tuple[str, ...]:
        """Promises that no trial breaks."""
        return tuple(name for name in names_of(self.fence) if not any(name in trial.broken for trial in self.trials))

    @property
    def limit(self) -> Stop | None:
        """The limit that cut some trial short, if any did."""
        return next((trial.limit for trial in self.trials if trial.limit), None)


@dataclass(frozen=True)
class Bench:
    """What every trial needs: the fence, its bounds, the limits of each search, how many run at a time."""

    fence: Fence
    wanted: Asked
    limits: Limits
    jobs: int = 1
    watching: Watching = unwatched

    def search(self, parts: Parts) -> Trial:
        """Check the fence without these parts."""
        variant = altered(self.fence, *parts) if parts else self.fence
        return trial_of(searched(variant, self.wanted, self.limits, self.watching), parts)

    def beyond(self, wanted: Sequence[tuple[Trial, str]]) -> Iterator[Trial]:
        """Yield each trial with one more part away; not searched if it cannot differ."""
        idle = [self.idle(trial, name) for trial, name in wanted]
        asked = [(*trial.parts, name) for (trial, name), spared in zip(wanted, idle, strict=True) if not spared]
        found = each(self.search, asked, self.jobs)
        for (trial, name), spared in zip(wanted, idle, strict=True):
            parts = (*trial.parts, name)
            yield Trial(parts, trial.broken, trial.answered, trial.shadows, like=trial.parts) if spared else next(found)

    def idle(self, trial: Trial, part_name: str) -> bool:
        """Say whether the part is a rule that never answered in a trial that was searched whole."""
        known = "=" not in part_name and not trial.limit and part_name not in trial.answered
        without = altered(self.fence, *trial.parts) if trial.parts else self.fence
        return known and not structural(without, part_name)

    def change(self, part_name: str) -> Change | None:
        """Return the first answer that differs without a part."""
        if "=" not in part_name and not structural(self.fence, part_name):
            move = other_answer(self.fence, part_name, self.wanted, self.limits)
            return change_of(move) if move else None
        parting, _ = part(self.fence, altered(self.fence, part_name), self.wanted, self.limits, self.watching)
        return change_of(parting.difference.last) if parting else None


def trial_of(checked: Checked, parts: Parts) -> Trial:
    """Keep of a checked fence what a knock-out needs: no states, no stories."""
    broken = {name: found.cost for name, (_, found) in checked.findings.items()}
    answered = frozenset(rule for rule, times in checked.coverage.rules.items() if rule and times)
    return Trial(parts, broken, answered, dict(checked.standby), checked.limit)


def lost(trial: Trial, whole: Trial) -> tuple[str, ...]:
    """Return the promises that the trial breaks and the whole fence does not."""
    return tuple(name for name in trial.broken if name not in whole.broken)


def knock_out(bench: Bench, pairs: bool, tell: Callable[[Trial, int, int], None]) -> Knockout:
    """Try every part alone, and every two that break nothing alone if `pairs`; `tell` hears (trial, number, of)."""
    fence, whole = bench.fence, bench.search(())
    names = (*rule_names(fence), *strategy_changes(fence))
    singles = tuple(told(bench, [(whole, name) for name in names], tell))
    calm = [trial for trial in singles if not lost(trial, whole)]
    doubles = tuple(told(bench, couples(bench, calm), tell)) if pairs else ()
    known = Knockout(fence, whole, singles, doubles, dict(class_changes(bench, calm)))
    rivals = [*rivalries(bench, {t.parts[0]: t for t in singles}, known)]
    return replace(known, rivals=tuple(told(bench, rivals, tell)))


def told(bench: Bench, wanted: Sequence[tuple[Trial, str]], tell: Callable[[Trial, int, int], None]) -> Iterator[Trial]:
    """Yield trials, and tell of each."""
    for number, trial in enumerate(bench.beyond(wanted), 1):
        tell(trial, number, len(wanted))
        yield trial


def couples(bench: Bench, calm: Sequence[Trial]) -> list[tuple[Trial, str]]:
    """Return every pair of parts that break nothing alone; one field has one value, so no pair changes it twice."""
    pairs = ((a, b) for a, b in combinations(calm, 2) if field_of(a) != field_of(b))
    return [(b, a.parts[0]) if bench.idle(b, a.parts[0]) else (a, b.parts[0]) for a, b in pairs]


def field_of(trial: Trial) -> str:
    """Return what a single part takes the place of: a strategy's field, or the rule itself."""
    return trial.parts[0].partition("=")[0]


def class_changes(bench: Bench, calm: list[Trial]) -> Iterator[tuple[str, Change]]:
    """Yield the first differing answer of each part that breaks nothing; one that cannot differ has none."""
    names = [trial.parts[0] for trial in calm if trial.like is None]
    for name, change in zip(names, each(bench.change, names, bench.jobs), strict=True):
        if change is not None:
            yield name, change


def change_of(move: Move) -> Change:
    """Tell a differing move; what was asked is named where the two are not asked the same."""
    same = move.old is not None and move.new is not None and move.old.event.label == move.new.event.label
    before, after = ("no such step" if t is None else t.event.outcome if same else step_told(t) for t in move)
    refused = all(step and step.event.outcome in Refusal.__members__ for step in move)
    return Change(before, after, move.new.event.rule if move.new else "", refused)


def step_told(step: Transition) -> str:
    """Write what a step asks and what it is answered."""
    return f"{step.event.label} = {step.event.outcome}" if step.event.outcome else step.event.label


def rivalries(bench: Bench, singles: Mapping[str, Trial], known: Knockout) -> Iterator[tuple[Trial, str]]:
    """Yield each calm rule's pairs with the parts that seem to stand before it, also where those break something alone.

    These are the parts that its declaration names, those without which it begins to answer, and the rule that
    answers once it is gone.
    """
    tried = {frozenset(trial.parts) for trial in known.pairs}
    for trial in singles.values():
        name = trial.parts[0]
        if "=" in name or lost(trial, known.whole):
            continue
        for other in dict.fromkeys(rivals(bench, name, singles, known)):
            pair = frozenset((name, other))
            if len(pair) == 2 and pair not in tried:
                tried.add(pair)
                yield singles[other], name


def rivals(bench: Bench, name: str, singles: Mapping[str, Trial], known: Knockout) -> Iterator[str]:
    """Yield the parts that seem to stand before a rule."""
    for behind in dict(bench.fence.rules())[name].behind:
        field_name, is_strategy, _ = behind.partition("=")
        if bench.fence.has(behind):
            yield from (one for one in singles if one == behind or (is_strategy and one.startswith(f"{field_name}=")))
    if name not in known.whole.answered:
        yield from (one for one, trial in singles.items() if name in trial.answered)
    change = known.changes.get(name)
    if change and change.rule in singles:
        yield change.rule


ASKED = "another answer"


def other_answer(fence: Fence, rule: str, wanted: Asked, limits: Limits) -> Move | None:
    """Return the cheapest differing step over all bounds: with the rule, and without it."""
    best: tuple[tuple[int, int], Finding, Machine, Machine] | None = None
    for bound in wanted.bounds:
        machines = build(fence, bound, wanted.settings), build(altered(fence, rule), bound, wanted.settings)
        found = first(machines[0], partial(differs, fence=fence, rule=rule), limits)
        if found and (best is None or found.cost < best[0]):
            best = found.cost, found, *machines
    return best and move(*best[1:])


def differs(event: Event, *, fence: Fence, rule: str) -> bool:
    """Say whether the rule answers, and what stands behind it would answer with another class."""
    behind = dict(fence.rules())[event.behind[0]].refusal if event.rule == rule and event.behind else None
    return event.rule == rule and behind != event.outcome


def first(machine: Machine, about: Callable[[Event], bool], limits: Limits) -> Finding | None:
    """Find the cheapest step with such an event."""
    claim = Property(ASKED, ("event",), lambda event: event.outcome, about=about)
    asked = replace(machine, properties=(claim,), witnesses=(), progress=None)
    result = ENGINES["auto"](True)(asked, replace(limits, stop_at="first"), lambda *_: None)
    return result.findings.get(ASKED)


def move(found: Finding, old: Machine, new: Machine) -> Move:
    """Return the last step of a story beside what the other machine does instead."""
    *before, last = found.trace
    state = before[-1].after if before else old.initial
    both = differing(old, new, choices(old, new, Pair(state, state)))
    return next((each for each in both if each.old == last), Move(last, None))
