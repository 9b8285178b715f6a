"""Where dead attempts still act, order matters: a Markov decision process, its least and its most.

Chance decides at calls and commits as in `kernel`; whoever orders the steps decides when a lost host comes back after
its lease is over, when a row that was late arrives, and whether either ever happens. Epochs are bounded and a host that
came back is not lost again, so the graph has no circle and one backward pass is exact. Wall time is no criterion: who
orders the steps could wait for ever.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from fencebench.checker.expect.attempt import AMPLE_TOKENS, OF_WORKER, WAITING, Place, ordered
from fencebench.checker.expect.kernel import alternatives
from fencebench.checker.expect.load import Load
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.machine import Machine, State, Transition
from fencebench.model.settings import FAULTS, Bound, Settings

STRIKING = ("preempt", "late", "lose_reply")


class Outcome(NamedTuple):
    """Where a choice may lead, and the tokens that are drawn on the way."""

    what: str
    state: State
    drawn: int


class Choice(NamedTuple):
    """One thing that may be done next, by `who`: the driver's own line, a dead attempt, or one that `returns`.

    A call takes `cases`, and writes a checkpoint or not; chance decides between the outcomes.
    """

    who: Literal["driver", "dead", "returns"]
    cases: int
    writes: bool
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class Decisions:
    """The whole graph of one shard: choices by state, each state before all that follow it; `rows` are receipts."""

    choices: dict[State, tuple[Choice, ...]]
    rows: dict[State, int]

    @property
    def initial(self) -> State:
        """Where the shard begins."""
        return next(iter(self.choices))


@lru_cache(maxsize=32)
def decisions(fence: Fence, settings: Settings, epochs: int, late: bool) -> Decisions:
    """Explore all that can be done with one shard in so many epochs, under no ceiling."""
    caps = MappingProxyType({fault: int(fault in STRIKING) for fault in FAULTS})
    bound = Bound(1, epochs, len(STRIKING), caps, ceiling_tokens=AMPLE_TOKENS)
    explorer = Explorer(build(fence, bound, settings), settings, late)
    choices = dict[State, tuple[Choice, ...]]()

    def follows(state: State) -> list[State]:
        choices[state] = tuple(explorer.choices(state))
        return [outcome.state for choice in choices[state] for outcome in choice.outcomes]

    order = ordered(explorer.machine.initial, follows)
    rows = {state: len(explorer.part(state, "ledger").receipts) for state in order}
    return Decisions({state: choices[state] for state in order}, rows)


@dataclass(frozen=True)
class Explorer:
    """Finds the choices in a state of one shard."""

    machine: Machine
    settings: Settings
    late: bool

    def part(self, state: State, name: str) -> Any:
        """Return a part of the shard."""
        return state.units[0][self.machine.place[name]]

    @cached_property
    def successors(self) -> Callable[[State], tuple[Transition, ...]]:
        """Return the machine's next-state relation, remembered for the states asked for last."""
        return lru_cache(maxsize=64)(lambda state: tuple(self.machine.successors(state)))

    def watched(self, state: State) -> int:
        """Return the epoch that the driver still counts on, or -1."""
        driver = self.part(state, "driver")
        return int(driver.epoch) if driver.phase in ("granted", "told", "watching") else -1

    def choices(self, state: State) -> Iterator[Choice]:
        """Yield what may be done next, the driver's own line first."""
        watched = self.watched(state)
        main = next((s for s in self.successors(state) if self.is_main(s, state, watched)), None)
        main = main or self.lapse(state, watched)
        if main is not None:
            yield self.choice(state, main, "driver")
        for step in self.successors(state):
            if not step.event.fault and self.of_dead(step, watched):
                yield self.choice(state, step, "returns" if step.event.action == "resume" else "dead")

    def is_main(self, step: Transition, state: State, watched: int) -> bool:
        """Say whether a step is one of the driver, or of the attempt that it counts on and whose commit is not late."""
        event = step.event
        if event.fault or event.action in WAITING:
            return False
        if event.action not in OF_WORKER:
            return True
        late = event.action == "deliver" and self.part(state, f"clock{event.epoch}").held_up == "late"
        return event.epoch == watched and not late

    def of_dead(self, step: Transition, watched: int) -> bool:
        """Say whether a step is one of an attempt that the driver gave up."""
        return step.event.action in (*OF_WORKER, "resume") and step.event.epoch != watched

    def lapse(self, state: State, watched: int) -> Transition | None:
        """Return the end of the lease that the driver counts."""
        elapsed = [s for s in self.successors(state) if s.event.action == "elapse" and s.event.epoch == watched]
        return elapsed[-1] if elapsed else None

    def choice(self, state: State, step: Transition, who: Literal["driver", "dead", "returns"]) -> Choice:
        """Return a choice with what chance may make of it."""
        outcomes, cases, writes = [self.outcome("served", state, step)], 0, False
        if who == "driver" and outcomes[0].drawn:
            writes = self.part(step.after, "checkpoint") != self.part(state, "checkpoint")
            cases = outcomes[0].drawn // self.settings.tokens_per_case
            outcomes += self.losses(state, writes)
        if who == "driver" and step.event.action == "deliver" and self.late:
            outcomes += [self.outcome("late", state, s) for s in self.faults(state, "late")]
        return Choice(who, cases, writes, tuple(outcomes))

    def losses(self, state: State, writes: bool) -> Iterator[Outcome]:
        """Yield the host lost during the call, and while the checkpoint is written."""
        for step in self.lost_hosts(state):
            yield self.outcome("preempt", state, step)
        for lost in self.faults(state, "lose_reply") if writes else ():
            drawn = lost.after.shared.burned - state.shared.burned
            for step in self.lost_hosts(self.plain(lost.after)):
                yield self.outcome("preempt the write", state, step)._replace(drawn=drawn)

    def faults(self, state: State, fault: str) -> Iterator[Transition]:
        """Yield the steps in which a fault strikes the attempt that the driver counts on."""
        for step in self.successors(state):
            strikes = step.event.fault == fault and step.event.epoch == self.watched(state)
            if strikes and (fault != "lose_reply" or step.event.action == "grade"):
                yield step

    def lost_hosts(self, state: State) -> Iterator[Transition]:
        """Yield the step in which the host is lost, and may come back; to stay away for good is a choice of later."""
        watched = f"attempt{self.watched(state)}"
        yield from (step for step in self.faults(state, "preempt") if self.part(step.after, watched).gone)

    def outcome(self, what: str, state: State, step: Transition) -> Outcome:
        """Return an outcome; totals of the run are counted by the criterion alone."""
        return Outcome(what, self.plain(step.after), step.after.shared.burned - state.shared.burned)

    def plain(self, state: State) -> State:
        """Return a state with the shared part as it was at the start."""
        return state._replace(shared=self.machine.initial.shared)


CRITERIA: dict[str, Callable[[int], int]] = {
    "burned": lambda rows: 0,
    "doubled": lambda rows: int(rows > 1),
    "missing": lambda rows: int(rows == 0),
}
"""What is expected of a shard: tokens burned, more than one row, no row; as a function of its rows in the end."""


class Range(NamedTuple):
    """An expectation: the least and the most that any order makes of it, and where dead attempts come last.

    In the last, no lost host comes back, and a late row arrives when the driver is through with the shard.
    """

    least: float
    most: float
    in_order: float


def ranges(found: Decisions, load: Load) -> dict[str, Range]:
    """Return the range of each criterion for one shard."""
    return {criterion: ranged(found, load, criterion) for criterion in CRITERIA}


def ranged(found: Decisions, load: Load, criterion: str) -> Range:
    """Pass backwards over the graph."""
    values = dict[State, Range]()
    for state, choices in reversed(found.choices.items()):
        options = {choice: expectation(choice, values, load, criterion == "burned") for choice in choices}
        values[state] = best(options, CRITERIA[criterion](found.rows[state]))
    return values[found.initial]


def best(options: dict[Choice, Range], stop: float) -> Range:
    """Return the least and the most of all choices; once the driver is through, nobody has to act any more."""
    driven = any(choice.who == "driver" for choice in options)
    ways = [*options.values(), *([] if driven else [Range(stop, stop, stop)])]
    in_order = [way for choice, way in options.items() if choice.who != "returns"]
    least, most = min(way.least for way in ways), max(way.most for way in ways)
    return Range(least, most, in_order[0].in_order if in_order else stop)


def expectation(choice: Choice, values: dict[State, Range], load: Load, counts: bool) -> Range:
    """Return what is expected of a choice."""
    shares = chances(choice, load)
    found = [(shares[o.what], values[o.state], counts * o.drawn) for o in choice.outcomes if o.what in shares]
    return Range(*(sum(share * (value[i] + drawn) for share, value, drawn in found) for i in range(3)))


def chances(choice: Choice, load: Load) -> dict[str, float]:
    """Return the chance of each outcome, those that there are; they add up to 1."""
    named = {outcome.what for outcome in choice.outcomes}
    place = Place(choice.cases, choice.writes and "preempt the write" in named, False, dict.fromkeys(named, 0))
    return {what: share for what, share, _ in alternatives(place, load) if what in named}
